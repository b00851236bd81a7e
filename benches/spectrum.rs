//! Spectra: ours in figures that can be compared within one run.
//!
//! `cargo bench --bench spectrum [-- NAME …]` prints, for the graphs under `$LAMBDACUT_DATA/graphs` (or `../shared/data/graphs`), the time of
//! each stage, the number of eigenvalues, the check, the largest residual and the peak memory beside its estimate; and for a dense
//! matrix the time of our driver. The peer on the same graphs, given the count, is `SciPy`'s `eigsh(D^-½AD^-½, k, which="LA")`.
#![allow(missing_docs)]

use lambdacut::cluster::spectral::{SpectralOptions, spectral};
use lambdacut::graph::{Graph, Unit};
use lambdacut::io::{LoadOptions, Unknown, load, read_labels};
use lambdacut::linalg::{
    Extent, Laplacian, Range, SpectrumOptions, SymmetricOperator, eigen, search_bytes, spectrum, spectrum_cost,
};
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
}

const CASES: &[Case] = &[
    Case { name: "citeseer", extent: Extent::Below(0.1) },
    Case { name: "lfr10k-mu0.5", extent: Extent::Below(0.55) },
    Case { name: "mnist-knn10", extent: Extent::Below(0.08) },
    Case { name: "com-dblp", extent: Extent::Smallest(101) },
];

fn data() -> PathBuf {
    let given = std::env::var_os("LAMBDACUT_DATA").map(PathBuf::from);
    given.unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data")).join("graphs")
}

/// `VmHWM` of Linux in bytes, 0 elsewhere.
fn peak_memory() -> u64 {
    let text = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|l| l.trim().trim_end_matches(" kB").parse::<u64>().ok()).unwrap_or(0) * 1024
}

fn run_case(case: &Case) {
    let file = data().join(format!("{}.edges.gz", case.name));
    if !file.exists() {
        println!("{}: not there", case.name);
        return;
    }
    let loaded = load(&file, &LoadOptions::default(), &Silent).expect("the data can be read");
    let options = SpectrumOptions::default();
    with_graph!(&loaded.graph, g => {
        if let Extent::Below(beta) = case.extent {
            let cost = spectrum_cost(g, &Masses::Degree, beta, &options);
            println!("{}: estimated {:.0} ± {:.0} vectors, {:.1} s, {} MB", case.name, cost.vectors.count, cost.vectors.error, cost.seconds, cost.bytes >> 20);
        }
        let before = peak_memory();
        let started = Instant::now();
        let low = spectrum(g, &Masses::Degree, case.extent, &options, &Silent).expect("a spectrum");
        println!(
            "{}: {:.3} s, {} eigenvalues, {:?}, residual {:.1e}, {} products, peak {} MB (before {}), search for that many {} MB",
            case.name, started.elapsed().as_secs_f64(), low.count(), low.check, low.largest_residual(), low.products,
            peak_memory() >> 20, before >> 20, search_bytes(g.vertices(), low.count()) >> 20,
        );
    });
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
    let started = Instant::now();
    let pairs = eigen(matrix, order, Range::Between(-1.0, all[order / 20])).expect("eigenpairs");
    println!(
        "dense n = {order}: {} pairs in {:.3} s, the matrix itself in {built:.3} s",
        pairs.values.len(),
        started.elapsed().as_secs_f64()
    );
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
