//! The yardstick of the benchmarks: reading the whole graph once.
//!
//! `sums_i = Σ_{j ∈ N(i)} values_j` touches every arc and one number a neighbour, in parallel, and
//! does nothing else: no algorithm that looks at all neighbours can be faster. What a pass or a
//! search costs is stated in such sweeps, which carry over to other machines better than seconds.
//! O(arcs), no memory of its own.

use super::{Csr, Weight};
use rayon::prelude::*;

/// Rows that one task takes at the least.
const ROWS: usize = 256;

/// Adds up the values of the neighbours of every vertex; weights play no part.
///
/// # Panics
/// If `values` or `sums` is shorter or longer than the number of vertices.
///
/// ```
/// use lambdacut::graph::{Csr, Unit, sweep};
/// let path: Csr<Unit> = Csr::from_edges(3, &[(0, 1, 1.0), (1, 2, 1.0)]).unwrap();
/// let mut sums = [0.0; 3];
/// sweep(&path, &[1.0, 10.0, 100.0], &mut sums);
/// assert_eq!(sums, [10.0, 101.0, 10.0]);
/// ```
pub fn sweep<W: Weight>(graph: &Csr<W>, values: &[f64], sums: &mut [f64]) {
    assert_eq!(
        (values.len(), sums.len()),
        (graph.vertices(), graph.vertices()),
        "one number a vertex"
    );
    let rows = graph.rows();
    let sum = |i: usize| rows.targets(i).iter().map(|&j| values[j as usize]).sum();
    sums.par_iter_mut()
        .enumerate()
        .with_min_len(ROWS)
        .for_each(|(i, s)| *s = sum(i));
}
