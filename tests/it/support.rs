//! What tests share: random graphs, and where the real data is.

use lambdacut::graph::Graph;
use proptest::prelude::*;
use std::path::PathBuf;

/// A random weighted graph with loops, isolated vertices and several components, on 1 to `most` vertices.
pub fn graphs(most: usize) -> impl Strategy<Value = Graph<f64>> {
    (1..=most).prop_flat_map(|n| {
        let edge = (0..n as u32, 0..n as u32, 1u32..40);
        proptest::collection::vec(edge, 0..3 * n).prop_map(move |edges| {
            let edges: Vec<_> = edges.into_iter().map(|(i, j, w)| (i, j, f64::from(w) / 8.0)).collect();
            Graph::from_edges(n, &edges).expect("edges are in range")
        })
    })
}

/// Labels of the vertices with an edge, in `0..k` without gaps; isolated vertices get `NONE`.
pub fn labels_of(graph: &Graph<f64>, raw: &[u32]) -> (Vec<u32>, usize) {
    let pick = |i: usize| if graph.degree(i) > 0.0 { raw[i % raw.len()] % 5 } else { lambdacut::ids::NONE };
    let mut labels: Vec<u32> = (0..graph.vertices()).map(pick).collect();
    let k = lambdacut::partition::renumber(&mut labels);
    (labels, k)
}

/// The directory of the real graphs and tables (`$LAMBDACUT_DATA`, or `../shared/data`), or a word about skipping.
#[allow(dead_code)]
pub fn data() -> Option<PathBuf> {
    let given = std::env::var_os("LAMBDACUT_DATA").map(PathBuf::from);
    let dir = given.unwrap_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared/data"));
    if dir.is_dir() {
        return Some(dir);
    }
    eprintln!("SKIPPED: no real data (set LAMBDACUT_DATA to a directory with graphs/ and uci/)");
    None
}

/// What two runs of one algorithm must agree on: everything but the time they took.
pub fn runs_alike(fit: &lambdacut::fit::Fit) -> (Vec<(f64, usize, usize)>, lambdacut::fit::StopReason, f64) {
    (fit.trace.iter().map(|p| (p.value, p.clusters, p.moves)).collect(), fit.stop, fit.value)
}
