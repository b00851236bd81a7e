//! What tests share: random graphs, and where the real data is.

use lambdacut::clustering::PointClustering;
use lambdacut::cut::Cut;
use lambdacut::graph::{Csr, Weight};
use lambdacut::ids::NONE;
use lambdacut::run::StopReason;
use nalgebra::DMatrix;
use proptest::prelude::*;
use std::path::PathBuf;

/// A random weighted graph with loops, isolated vertices and several components, on 1 to `most`
/// vertices.
pub fn graphs(most: usize) -> impl Strategy<Value = Csr<f64>> {
    (1..=most).prop_flat_map(|n| {
        let edge = (0..n as u32, 0..n as u32, 1u32..40);
        proptest::collection::vec(edge, 0..3 * n).prop_map(move |edges| {
            let edges: Vec<_> = edges
                .into_iter()
                .map(|(i, j, w)| (i, j, f64::from(w) / 8.0))
                .collect();
            Csr::from_edges(n, &edges).expect("edges are in range")
        })
    })
}

/// Labels of the vertices with an edge, in `0..k` without gaps; isolated vertices get `NONE`.
pub fn labels_of(graph: &Csr<f64>, raw: &[u32]) -> (Vec<u32>, usize) {
    let pick = |i: usize| {
        if graph.degree(i) > 0.0 {
            raw[i % raw.len()] % 5
        } else {
            lambdacut::ids::NONE
        }
    };
    let mut labels: Vec<u32> = (0..graph.vertices()).map(pick).collect();
    let k = lambdacut::labels::renumber(&mut labels);
    (labels, k)
}

/// The directory of the real graphs and tables (`$LAMBDACUT_DATA`, or `../shared/data`), or a word
/// about skipping.
#[allow(dead_code)]
pub fn data() -> Option<PathBuf> {
    let given = std::env::var_os("LAMBDACUT_DATA").map(PathBuf::from);
    let dir =
        given.unwrap_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared/data"));
    if dir.is_dir() {
        return Some(dir);
    }
    eprintln!("SKIPPED: no real data (set LAMBDACUT_DATA to a directory with graphs/ and uci/)");
    None
}

/// A cut at a resolution.
#[derive(Debug, Clone)]
pub struct Priced {
    pub cut: Cut,
    pub beta: f64,
}

impl Priced {
    /// F of a partition, from scratch.
    pub fn value<W: Weight>(&self, graph: &Csr<W>, labels: &[u32], k: usize) -> f64 {
        self.cut.evaluate(graph, labels, k).value(self.beta)
    }
}

/// Normalized cut, ratio cut, or the cut with masses 1/2, 1, 3/2, … in turn.
pub fn priced(graph: &Csr<f64>, which: u8, beta: f64) -> Priced {
    let cut = match which {
        0 => Cut::Normalized,
        1 => Cut::Ratio,
        _ => Cut::Masses(
            (0..graph.vertices())
                .map(|i| 0.5 + 0.5 * (i % 5) as f64)
                .collect(),
        ),
    };
    cut.check(graph).expect("positive masses");
    Priced { cut, beta }
}

/// Every partition of the vertices that have an edge, with its k (restricted growth strings).
pub fn partitions(graph: &Csr<f64>) -> Vec<(Vec<u32>, usize)> {
    let mut all = vec![(Vec::new(), 0)];
    for i in 0..graph.vertices() {
        let grown = all.into_iter().flat_map(|(labels, k): (Vec<u32>, usize)| {
            let choices = if graph.degree(i) > 0.0 {
                (0..=k as u32).collect()
            } else {
                vec![NONE]
            };
            choices.into_iter().map(move |c| {
                let mut labels = labels.clone();
                labels.push(c);
                (labels, if c == k as u32 { k + 1 } else { k })
            })
        });
        all = grown.collect();
    }
    all
}

/// The eigenvalues of a symmetric matrix, by LAPACK where it is linked.
pub fn symmetric_eigenvalues(matrix: DMatrix<f64>) -> Vec<f64> {
    if matrix.is_empty() {
        return Vec::new();
    }
    #[cfg(feature = "lapack")]
    let values = nalgebra_lapack::SymmetricEigen::new(matrix).eigenvalues;
    #[cfg(not(feature = "lapack"))]
    let values = matrix.symmetric_eigen().eigenvalues;
    values.iter().copied().collect()
}

fn unit(n: usize, pairs: impl Iterator<Item = (usize, usize)>) -> Csr<f64> {
    let edges: Vec<_> = pairs.map(|(i, j)| (i as u32, j as u32, 1.0)).collect();
    Csr::from_edges(n, &edges).expect("in range")
}

/// The star on `n` vertices, centre 0.
pub fn star(n: usize) -> Csr<f64> {
    unit(n, (1..n).map(|i| (0, i)))
}

/// The path on `n` vertices.
pub fn path(n: usize) -> Csr<f64> {
    unit(n, (1..n).map(|i| (i - 1, i)))
}

/// The complete graph on `n` vertices.
pub fn complete(n: usize) -> Csr<f64> {
    unit(n, (0..n).flat_map(|i| (0..i).map(move |j| (j, i))))
}

/// `r` cliques of `q` vertices in a ring, one edge between neighbours (from the last vertex of one
/// to the first of the next).
pub fn ring_of_cliques(r: usize, q: usize) -> Csr<f64> {
    let inside =
        (0..r).flat_map(|c| (0..q).flat_map(move |i| (0..i).map(move |j| (c * q + j, c * q + i))));
    unit(
        r * q,
        inside.chain((0..r).map(|c| (c * q + q - 1, (c + 1) % r * q))),
    )
}

/// What two runs of one algorithm must agree on: everything but the time they took.
pub fn runs_alike(found: &PointClustering) -> (Vec<(f64, usize, usize)>, StopReason, f64) {
    let passes = found.trace.iter();
    let passes = passes.map(|p| (p.value, p.clusters, p.moves)).collect();
    (passes, found.stop, found.value)
}
