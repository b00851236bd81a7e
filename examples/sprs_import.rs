//! A sprs matrix in: nearest neighbours of points on a line, clustered by ratio cut at one
//! resolution.
//!
//! `cargo run --example sprs_import`

use lambdacut::graph::{Csr, from_sprs};
use lambdacut::prelude::*;
use sprs::{CsMat, TriMat};

/// Joins points closer than 1, the closer the stronger: a symmetric matrix in any of sprs's layouts
/// will do.
fn similarity(points: &[f64]) -> CsMat<f64> {
    let mut entries = TriMat::new((points.len(), points.len()));
    for (i, x) in points.iter().enumerate() {
        for (j, y) in points.iter().enumerate() {
            let distance = (x - y).abs();
            if i != j && distance < 1.0 {
                entries.add_triplet(i, j, (-distance * distance).exp());
            }
        }
    }
    entries.to_csr()
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let points = [0.0, 0.2, 0.3, 0.5, 1.4, 1.5, 1.7, 1.8, 2.6, 2.8, 2.9];
    // Negative or asymmetric entries would be an error that names the entry.
    let matrix: Csr<f64> = from_sprs(&similarity(&points), |&weight| weight)?;
    let graph = Graph::from(matrix);

    // Ratio cut measures β in units of weight: a cluster is worth having if its members lose less
    // than β each.
    let best = Search::new().cut(Cut::Ratio).resolution(1.0)?.run(&graph)?;
    for (x, cluster) in points.iter().zip(&best.labels) {
        println!("{x:4.1} is in cluster {cluster}");
    }
    println!("F = {:.4} with {} clusters", best.value, best.k());

    // F is the cut, less β for every cluster.
    assert!((best.value - (best.cut() - 1.0 * best.k() as f64)).abs() < 1e-12);
    assert_eq!(best.k(), 3);
    Ok(())
}
