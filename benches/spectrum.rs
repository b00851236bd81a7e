//! Spectra: ours in figures that can be compared within one run.
//!
//! `cargo bench --bench spectrum [-- NAME …]` prints, for the graphs under `$LAMBDACUT_DATA/graphs` (or `../shared/data/graphs`), the time of
//! each stage, the number of eigenvalues, the check, the largest residual and the peak memory beside its estimate; and for a dense
//! matrix the time of our driver beside that of a bare call. With `LAMBDACUT_PEERS_PYTHON` set to an interpreter that has `SciPy`, its
//! `eigsh(D^-½AD^-½, k, which="LA")`, which is told the count, follows on the same graph.
#![allow(missing_docs)]

use lambdacut::cluster::spectral::{SpectralOptions, spectral};
use lambdacut::graph::{Graph, Policy, SelfLoops, Unit};
use lambdacut::io::{LoadOptions, Unknown, load, read_labels};
use lambdacut::linalg::{Extent, Laplacian, Range, SpectrumOptions, SymmetricOperator, eigen, spectrum, spectrum_cost};
use lambdacut::metrics::Agreement;
use lambdacut::observe::Silent;
use lambdacut::partition::Masses;
use lambdacut::with_graph;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// One line of the table of figures.
struct Case {
    name: &'static str,
    extent: Extent,
    loops: SelfLoops,
}

const CASES: &[Case] = &[
    Case { name: "citeseer", extent: Extent::Below(0.1), loops: SelfLoops::Drop },
    Case { name: "lfr10k-mu0.5", extent: Extent::Below(0.55), loops: SelfLoops::Keep },
    Case { name: "mnist-knn10", extent: Extent::Below(0.08), loops: SelfLoops::Keep },
    Case { name: "com-dblp", extent: Extent::Smallest(101), loops: SelfLoops::Keep },
];

fn data() -> PathBuf {
    let given = std::env::var_os("LAMBDACUT_DATA").map(PathBuf::from);
    given.unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data")).join("graphs")
}

/// The most memory so far.
fn peak_memory() -> u64 {
    status("VmHWM:")
}

fn resident_memory() -> u64 {
    status("VmRSS:")
}

/// A line of Linux's account of this process, in bytes; 0 elsewhere.
fn status(name: &str) -> u64 {
    let text = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix(name));
    line.and_then(|l| l.trim().trim_end_matches(" kB").parse::<u64>().ok()).unwrap_or(0) * 1024
}

fn run_case(case: &Case) {
    let file = data().join(format!("{}.edges.gz", case.name));
    if !file.exists() {
        println!("{}: not there", case.name);
        return;
    }
    let policy = Policy { self_loops: case.loops, ..Policy::default() };
    let loaded = load(&file, &LoadOptions { policy, ..LoadOptions::default() }, &Silent).expect("the data can be read");
    let options = SpectrumOptions::default();
    with_graph!(&loaded.graph, g => {
        if let Extent::Below(beta) = case.extent {
            let cost = spectrum_cost(g, &Masses::Degree, beta, &options);
            println!("{}: estimated {:.0} ± {:.0} vectors, {:.1} s, {} MB", case.name, cost.vectors.count, cost.vectors.error, cost.seconds, cost.bytes >> 20);
        }
        let before = resident_memory();
        let started = Instant::now();
        let low = spectrum(g, &Masses::Degree, case.extent, &options, &Silent).expect("a spectrum");
        println!(
            "{}: {:.3} s, {} eigenvalues, {:?}, residual {:.1e}, {} products, peak {} MB, estimated {} MB",
            case.name, started.elapsed().as_secs_f64(), low.count(), low.check, low.largest_residual(), low.products,
            peak_memory() >> 20, (before + low.bytes) >> 20,
        );
        peer(&file, low.count());
    });
}

/// `SciPy` on the same graph, told how many eigenvalues there are.
fn peer(file: &Path, count: usize) {
    const SCRIPT: &str = r#"
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
print(f"    eigsh, told k = {sys.argv[2]}: {time.time() - started:.3f} s, {np.sum(values < 1e-9)} zeros")
"#;
    let Some(python) = std::env::var_os("LAMBDACUT_PEERS_PYTHON") else { return };
    let status = std::process::Command::new(python).args(["-c", SCRIPT]).arg(file).arg(count.to_string()).status();
    if !status.is_ok_and(|status| status.success()) {
        println!("    the peer failed");
    }
}

/// From graph to clusters, against the planted ones.
fn run_clusters() {
    let (file, truth) = (data().join("lfr10k-mu0.5.edges.gz"), data().join("lfr10k-mu0.5.labels.gz"));
    if !(file.exists() && truth.exists()) {
        return;
    }
    let loaded = load(&file, &LoadOptions::default(), &Silent).expect("the data can be read");
    let started = Instant::now();
    let found =
        with_graph!(&loaded.graph, g => spectral(g, &Masses::Degree, Extent::Below(0.55), &SpectralOptions::default(), &Silent));
    let found = found.expect("a clustering");
    let seconds = started.elapsed().as_secs_f64();
    let truth = read_labels(&truth, &loaded.names, Unknown::Error).expect("labels").labels;
    let nmi = Agreement::of(&found.fit.labels, &truth).expect("labels of one graph").nmi;
    println!(
        "lfr10k-mu0.5 to clusters: {seconds:.3} s, {} clusters, F = {:.3}, NMI {nmi:.4}",
        found.fit.clusters, found.fit.value
    );
}

/// A dense problem of order 2000, 5 % of the spectrum, alone and through the matrix of a graph.
fn run_dense() {
    let n = 2000u32;
    let edges: Vec<(u32, u32, f64)> = (0..10 * n).map(|e| (e * 7919 % n, (e / 7 + e * 104_729) % n, 1.0)).collect();
    let g: Graph<Unit> = Graph::from_edges(n as usize, &edges).expect("edges are in range");
    let operator = Laplacian::new(&g, &Masses::Degree);
    let order = operator.order();
    let started = Instant::now();
    let matrix = operator.dense();
    let built = started.elapsed().as_secs_f64();
    let all = eigen(matrix.clone(), order, Range::All).expect("eigenvalues").values;
    // Between two eigenvalues, so that rounding does not decide what is below.
    let high = f64::midpoint(all[order / 20 - 1], all[order / 20]);
    let (mut ours, mut bare) = (f64::INFINITY, f64::INFINITY);
    for _ in 0..5 {
        let copy = matrix.clone();
        let started = Instant::now();
        let pairs = eigen(copy, order, Range::Between(-1.0, high)).expect("eigenpairs");
        ours = ours.min(started.elapsed().as_secs_f64());
        let copy = matrix.clone();
        let started = Instant::now();
        assert_eq!(bare_dsyevr(copy, order, high), pairs.values.len());
        bare = bare.min(started.elapsed().as_secs_f64());
    }
    let started = Instant::now();
    let options = SpectrumOptions { dense_limit: order, ..SpectrumOptions::default() };
    let low = spectrum(&g, &Masses::Degree, Extent::Below(high), &options, &Silent).expect("a spectrum");
    let whole = started.elapsed().as_secs_f64();
    println!(
        "dense n = {order}: {} pairs in {ours:.3} s, a bare dsyevr {bare:.3} s (ratio {:.3}); building the matrix {built:.3} s; the checked \
         spectrum of the graph {whole:.3} s",
        low.count(),
        ours / bare
    );
}

/// LAPACK as a program without us would call it, with as many threads as ours: one, for results that do not depend on their number.
#[cfg(feature = "lapack")]
#[allow(unsafe_code)]
fn bare_dsyevr(mut matrix: Vec<f64>, n: usize, high: f64) -> usize {
    let order = n as i32;
    let (mut found, mut info) = (0, 0);
    let (mut values, mut support, mut vectors) = (vec![0.0; n], vec![0; 2 * n], vec![0.0; n * n]);
    let (mut work, mut integers) = (vec![0.0; 40 * n], vec![0; 10 * n]);
    let (lwork, liwork) = (work.len() as i32, integers.len() as i32);
    // SAFETY: all arrays have the lengths that dsyevr's documentation asks for and that are passed with them.
    unsafe {
        lapack::dsyevr(
            b'V',
            b'V',
            b'L',
            order,
            &mut matrix,
            order,
            -1.0,
            high,
            0,
            0,
            0.0,
            &mut found,
            &mut values,
            &mut vectors,
            order,
            &mut support,
            &mut work,
            lwork,
            &mut integers,
            liwork,
            &mut info,
        );
    }
    assert_eq!(info, 0);
    found as usize
}

#[cfg(not(feature = "lapack"))]
fn bare_dsyevr(matrix: Vec<f64>, n: usize, high: f64) -> usize {
    eigen(matrix, n, Range::Between(-1.0, high)).expect("eigenpairs").values.len()
}

fn main() {
    let asked: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with('-')).collect();
    let wanted = |name: &str| asked.is_empty() || asked.iter().any(|a| a == name);
    CASES.iter().filter(|case| wanted(case.name)).for_each(run_case);
    if wanted("clusters") {
        run_clusters();
    }
    if wanted("dense") {
        run_dense();
    }
}
