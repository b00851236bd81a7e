//! The adjacency matrix as a small image of densities.
//!
//! The `n` vertices, in some order, are cut into `side` runs of equal length. The density of a pair
//! of runs is the weight between them over the number of pairs of vertices, `d = W_rc / (n_r n_c)`;
//! its shade is `d / (d + 4 m)` with `m = V / n²` the density of the whole graph, so that images of
//! one graph in different orders can be compared. Symmetric, so only the lower triangle is kept.
//! O(arcs), parallel.

use super::data::Image;
use crate::graph::{Csr, Weight};
use crate::ids::Vertex;
use base64::prelude::{BASE64_STANDARD, Engine};
use rayon::prelude::*;

/// A density this many times the graph's own has a medium shade.
const MEDIUM: f64 = 4.0;

/// No run.
const OUTSIDE: u16 = u16::MAX;

/// Draws the vertices `order` of `graph` in at most `most` rows and columns.
pub(super) fn image<W: Weight>(graph: &Csr<W>, order: &[Vertex], most: usize) -> Image {
    let (n, side) = (order.len(), most.min(order.len()));
    let start = |run: usize| run * n / side;
    let mut run_of = vec![OUTSIDE; graph.vertices()];
    for run in 0..side {
        order[start(run)..start(run + 1)]
            .iter()
            .for_each(|&i| run_of[i as usize] = run as u16);
    }
    let length = |run: usize| (start(run + 1) - start(run)) as f64;
    let medium = MEDIUM * graph.volume() / (n as f64 * n as f64);
    let row = |r: usize| -> Vec<u8> {
        let weights = weights(graph, &order[start(r)..start(r + 1)], &run_of, side);
        let density = |c: usize| weights[c] / (length(r) * length(c));
        (0..=r).map(|c| shade(density(c), medium)).collect()
    };
    let rows: Vec<Vec<u8>> = (0..side).into_par_iter().map(row).collect();
    Image {
        side,
        shades: BASE64_STANDARD.encode(rows.concat()),
    }
}

/// The weight from `vertices` to each run.
fn weights<W: Weight>(
    graph: &Csr<W>,
    vertices: &[Vertex],
    run_of: &[u16],
    side: usize,
) -> Vec<f64> {
    let rows = graph.rows();
    let mut sums = vec![0.0; side];
    for &i in vertices {
        for (j, weight) in rows
            .row(i as usize)
            .filter(|&(j, _)| run_of[j as usize] != OUTSIDE)
        {
            sums[run_of[j as usize] as usize] += weight;
        }
    }
    sums
}

/// Something is never shown as nothing.
fn shade(density: f64, medium: f64) -> u8 {
    if density > 0.0 {
        (255.0 * density / (density + medium)).round().max(1.0) as u8
    } else {
        0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_cliques_become_two_squares_in_the_right_order() {
        let edges = [
            (0, 2, 1.0),
            (2, 4, 1.0),
            (0, 4, 1.0),
            (1, 3, 1.0),
            (3, 5, 1.0),
            (1, 5, 1.0),
        ];
        let graph: Csr<crate::graph::Unit> = Csr::from_edges(6, &edges).unwrap();
        let shades = |order: &[u32]| image(&graph, order, 2).shades;
        // Density 6/9 within, 0 between; medium 4 · 12/36: 255 · (2/3)/2 = 85.
        assert_eq!(
            shades(&[0, 2, 4, 1, 3, 5]),
            BASE64_STANDARD.encode([85, 0, 85])
        );
        assert_ne!(
            shades(&[0, 1, 2, 3, 4, 5]),
            BASE64_STANDARD.encode([85, 0, 85])
        );
    }
}
