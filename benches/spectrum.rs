//! Spectra: of real graphs against a bare sweep, their estimates and `SciPy`, and of a dense matrix
//! against a bare call of LAPACK.
//!
//! `cargo bench --bench spectrum [-- NAME …]` runs on the graphs under `$LAMBDACUT_DATA/graphs` (or
//! `../shared/data/graphs`), `clusters` (from graph to clusters) and `dense`. With
//! `LAMBDACUT_PEERS_PYTHON` set to an interpreter that has `SciPy`, its `eigsh(D^-½AD^-½, k,
//! which="LA")`, which is told the count, follows on the same graph. What takes more than a few
//! seconds is timed once. The check, the largest residual and the number of products are printed on
//! the way.
//!
//! | ratio | target |
//! |---|---|
//! | spectrum / bare sweep; spectral clustering / bare sweep | |
//! | spectrum / `SciPy`'s `eigsh` | |
//! | seconds, eigenvalues, highest memory / their estimates | |
//! | dense eigenpairs / a bare `dsyevr`, order 2000, 5 % of the spectrum | ≤ 1.1 |
//! | building that matrix, and its checked spectrum / the eigenpairs | |
#![allow(missing_docs)]

mod common;

use common::Measure::{Bytes, Number, Seconds};
use common::Target::AtMost;
use common::process::{peak_growth, python};
use common::{Ratios, clock, data, threads, wants};
use lambdacut::cut::Cut;
use lambdacut::graph::{Csr, Policy, SelfLoops, Unit, Weight};
use lambdacut::io::{LoadOptions, Loaded, Unknown, load, read_labels};
#[cfg(feature = "lapack")]
use lambdacut::linalg::{EigenPairs, bare};
use lambdacut::linalg::{
    Extent, Laplacian, Range, SpectrumOptions, SymmetricOperator, eigen, spectrum, spectrum_cost,
};
use lambdacut::metrics::Agreement;
use lambdacut::run::Silent;
use lambdacut::spectral::Spectral;
use lambdacut::with_csr;
use std::path::{Path, PathBuf};

/// A graph and what is asked of it.
struct Case {
    name: &'static str,
    extent: Extent,
    loops: SelfLoops,
}

const CASES: &[Case] = &[
    Case {
        name: "citeseer",
        extent: Extent::Below(0.1),
        loops: SelfLoops::Drop,
    },
    Case {
        name: "lfr10k-mu0.5",
        extent: Extent::Below(0.55),
        loops: SelfLoops::Keep,
    },
    Case {
        name: "mnist-knn10",
        extent: Extent::Below(0.08),
        loops: SelfLoops::Keep,
    },
    Case {
        name: "com-dblp",
        extent: Extent::Smallest(101),
        loops: SelfLoops::Keep,
    },
];

/// The file of a graph, or of its labels.
fn file(name: &str, kind: &str) -> PathBuf {
    data().join("graphs").join(format!("{name}.{kind}.gz"))
}

/// The graph of a file that is there.
fn read(file: &Path, loops: SelfLoops) -> Option<Loaded> {
    if !file.exists() {
        println!("{} is not there", file.display());
        return None;
    }
    let policy = Policy {
        self_loops: loops,
        ..Policy::default()
    };
    Some(
        load(
            file,
            &LoadOptions {
                policy,
                ..LoadOptions::default()
            },
            &Silent,
        )
        .expect("the data can be read"),
    )
}

fn run_case<W: Weight>(ratios: &mut Ratios, case: &Case, graph: &Csr<W>) {
    let (name, options) = (case.name, SpectrumOptions::default());
    let find =
        || spectrum(graph, &Cut::Normalized, case.extent, &options, &Silent).expect("a spectrum");
    let ((low, once), more) = peak_growth(|| clock(find));
    let count = low.count();
    println!(
        "{name}: {count} eigenvalues, {:?}, residual {:.1e}, {} products",
        low.check,
        low.largest_residual(),
        low.products
    );
    let group = format!("spectrum {name}");
    let seconds = ratios.time_again(&group, "spectrum", once, find);
    let sweep = ratios.sweep(
        &group,
        "sweep",
        graph,
        &threads(rayon::current_num_threads()),
    );
    ratios.compare(
        format!("spectrum / bare sweep, {name}, {count} eigenvalues"),
        Seconds,
        seconds,
        sweep,
        None,
    );
    ratios.compare(
        format!("spectrum / eigsh of SciPy, {name}, {count} eigenvalues"),
        Seconds,
        seconds,
        by_scipy(name, count),
        None,
    );
    if let Some(more) = more {
        ratios.compare(
            format!("highest memory / estimate, {name}"),
            Bytes,
            more,
            low.bytes as f64,
            None,
        );
    }
    if let Extent::Below(beta) = case.extent {
        let cost = spectrum_cost(graph, &Cut::Normalized, beta, &options);
        println!(
            "{name}: estimated {:.0} ± {:.0} eigenvalues, {} MB",
            cost.vectors.count,
            cost.vectors.error,
            cost.bytes >> 20
        );
        ratios.compare(
            format!("seconds / estimate, {name}"),
            Seconds,
            seconds,
            cost.seconds,
            None,
        );
        ratios.compare(
            format!("eigenvalues / estimate, {name}"),
            Number,
            count as f64,
            cost.vectors.count,
            None,
        );
    }
}

/// Seconds, and how many eigenvalues are 0.
const SCIPY: &str = r#"
import sys, time, gzip, numpy as np, scipy.sparse as sp, scipy.sparse.linalg as sl
e = np.loadtxt(gzip.open(sys.argv[1]), usecols=(0, 1)).astype(np.int64)
e = np.unique(e, return_inverse=True)[1].reshape(e.shape)
e = e[e[:, 0] != e[:, 1]]
n = e.max() + 1
a = sp.coo_matrix((np.ones(len(e)), (e[:, 0], e[:, 1])), (n, n)).tocsr()
a = a + a.T
a.data[:] = 1
d = sp.diags(np.maximum(np.asarray(a.sum(1)).ravel(), 1) ** -0.5)
b = (d @ a @ d).tocsr()
started = time.time()
values = 1 - sl.eigsh(b, k=int(sys.argv[2]), which="LA")[0]
print(time.time() - started, np.sum(values < 1e-9))
"#;

/// Seconds of `SciPy` on the same graph, told how many eigenvalues there are.
fn by_scipy(name: &str, count: usize) -> Option<f64> {
    let numbers = python(
        "LAMBDACUT_PEERS_PYTHON",
        SCIPY,
        [
            file(name, "edges").into_os_string(),
            count.to_string().into(),
        ],
    )?;
    println!("{name}: {} zeros by SciPy", numbers[1]);
    Some(numbers[0])
}

/// From graph to clusters, against the planted ones.
fn run_clusters(ratios: &mut Ratios) {
    let name = "lfr10k-mu0.5";
    let Some(loaded) = read(&file(name, "edges"), SelfLoops::Keep) else {
        return;
    };
    with_csr!(&loaded.graph, g => {
        let method = Spectral::new().resolution(0.55).expect("positive").refine(false);
        let find = || method.run_csr(g).expect("a clustering");
        let (found, once) = clock(find);
        let truth = read_labels(&file(name, "labels"), &loaded.names, Unknown::Error).expect("labels").labels;
        let nmi = Agreement::of(&found.labels, &truth).expect("labels of one graph").nmi;
        println!("{name}: {} clusters, F = {:.3}, NMI {nmi:.4}", found.clusters, found.value);
        let seconds = ratios.time_again("spectrum clusters", "spectral", once, find);
        let sweep = ratios.sweep("spectrum clusters", "sweep", g, &threads(rayon::current_num_threads()));
        ratios.compare(format!("spectral clustering / bare sweep, {name}"), Seconds, seconds, sweep, None);
    });
}

/// A dense problem of order 2000, 5 % of the spectrum, alone and through the matrix of a graph.
fn run_dense(ratios: &mut Ratios) {
    let n = 2000u32;
    let edges: Vec<(u32, u32, f64)> = (0..10 * n)
        .map(|e| (e * 7919 % n, (e / 7 + e * 104_729) % n, 1.0))
        .collect();
    let g: Csr<Unit> = Csr::from_edges(n as usize, &edges).expect("edges are in range");
    let operator = Laplacian::new(&g, &Cut::Normalized);
    let (order, matrix) = (operator.order(), operator.dense());
    let all = eigen(matrix.clone(), order, Range::All)
        .expect("eigenvalues")
        .values;
    // Between two eigenvalues, so that rounding does not decide what is below.
    let high = f64::midpoint(all[order / 20 - 1], all[order / 20]);
    let below = Range::Between(-1.0, high);
    let on_copy = |solve: Solver| {
        let copy = matrix.clone();
        let (found, elapsed) = clock(|| solve(copy, order, below));
        assert_eq!(found, order / 20, "5 % of the spectrum");
        elapsed
    };
    let own: Solver = |matrix, n, range| eigen(matrix, n, range).expect("eigenpairs").values.len();
    let (group, functions) = ("spectrum dense", ["eigen", "dsyevr"]);
    let (ours, bare) = match BARE_DSYEVR {
        Some(bare) => {
            let [ours, bare] = ratios.in_turns(
                group,
                functions,
                [&mut || on_copy(own), &mut || on_copy(bare)],
            );
            (ours, Some(bare))
        }
        None => (ratios.clocked(group, functions[0], || on_copy(own)), None),
    };
    ratios.compare(
        format!("dense eigenpairs / bare dsyevr, order {order}"),
        Seconds,
        ours,
        bare,
        AtMost(1.1),
    );
    let built = ratios.time("spectrum dense", "matrix", || operator.dense());
    ratios.compare(
        format!("building the dense matrix / its eigenpairs, order {order}"),
        Seconds,
        built,
        ours,
        None,
    );
    let options = SpectrumOptions {
        dense_limit: order,
        ..SpectrumOptions::default()
    };
    let whole = ratios.time("spectrum dense", "checked", || {
        spectrum(&g, &Cut::Normalized, Extent::Below(high), &options, &Silent).expect("a spectrum")
    });
    ratios.compare(
        format!("checked spectrum of the graph / its eigenpairs, order {order}"),
        Seconds,
        whole,
        ours,
        None,
    );
}

/// Finds the eigenpairs of a matrix of an order in a range, and says how many.
type Solver = fn(Vec<f64>, usize, Range) -> usize;

/// LAPACK as a program without us would call it, with as many threads as ours: one, for results
/// that do not depend on their number.
#[cfg(feature = "lapack")]
const BARE_DSYEVR: Option<Solver> = Some(|mut matrix, n, range| {
    let mut pairs = EigenPairs {
        values: vec![0.0; n],
        vectors: vec![0.0; n * n],
    };
    let mut workspace = bare::Workspace {
        numbers: vec![0.0; 40 * n],
        integers: vec![0; 10 * n],
    };
    bare::dsyevr(&mut matrix, n, range, &mut pairs, &mut workspace).expect("eigenpairs")
});

#[cfg(not(feature = "lapack"))]
const BARE_DSYEVR: Option<Solver> = None;

fn main() {
    let mut ratios = Ratios::new("spectrum");
    for case in CASES.iter().filter(|case| wants(case.name)) {
        let Some(loaded) = read(&file(case.name, "edges"), case.loops) else {
            continue;
        };
        with_csr!(&loaded.graph, g => run_case(&mut ratios, case, g));
    }
    if wants("clusters") {
        run_clusters(&mut ratios);
    }
    if wants("dense") {
        run_dense(&mut ratios);
    }
    ratios.finish();
}
