//! From and to [`sprs`] matrices.

use super::{Csr, GraphError, Weight};
use crate::ids::Vertex;
use rayon::prelude::*;
use sprs::{CsMatBase, CsMatI, SpIndex};
use std::ops::Deref;

/// Takes a symmetric sprs matrix, owned or borrowed, CSR or CSC, with any index types (for a
/// symmetric matrix the two are the same arrays). Stored zeros are left out; negative and
/// non-finite entries and asymmetry are errors. O(entries · log row).
///
/// ```
/// use lambdacut::graph::{Csr, from_sprs, to_sprs};
/// let mut entries = sprs::TriMat::new((2, 2));
/// entries.add_triplet(0, 1, 3.0);
/// entries.add_triplet(1, 0, 3.0);
/// let matrix = entries.to_csr::<usize>();
/// let graph: Csr<f64> = from_sprs(&matrix, |&w| w).unwrap();
/// assert_eq!(graph.degree(0), 3.0);
/// assert_eq!(to_sprs::<f64, usize, usize>(&graph), matrix);
/// ```
pub fn from_sprs<W, N, I, P, Ps, Is, Ns>(
    matrix: &CsMatBase<N, I, Ps, Is, Ns, P>,
    weight: impl Fn(&N) -> f64,
) -> Result<Csr<W>, GraphError>
where
    W: Weight,
    I: SpIndex,
    P: SpIndex,
    Ps: Deref<Target = [P]>,
    Is: Deref<Target = [I]>,
    Ns: Deref<Target = [N]>,
{
    let (rows, columns) = matrix.shape();
    if rows != columns {
        return Err(GraphError::Shape { rows, columns });
    }
    crate::ids::checked_count(rows)?;
    let mut offsets = Vec::with_capacity(rows + 1);
    let (mut targets, mut weights) = (
        Vec::with_capacity(matrix.nnz()),
        Vec::with_capacity(matrix.nnz()),
    );
    offsets.push(0u64);
    for row in matrix.outer_iterator() {
        for (column, value) in row.iter() {
            let value = weight(value);
            if value != 0.0 {
                targets.push(column as Vertex);
                weights.push(W::of(value));
            }
        }
        offsets.push(targets.len() as u64);
    }
    let graph = Csr::from_arrays(offsets, targets, weights)?;
    graph.check_symmetry()?;
    Ok(graph)
}

/// The adjacency matrix with numbers for weights and the wanted index types, as a copy;
/// [`Csr::matrix`] is the matrix itself.
pub fn to_sprs<W: Weight, I: SpIndex, P: SpIndex>(graph: &Csr<W>) -> CsMatI<f64, I, P> {
    let rows = graph.rows();
    let offsets = rows
        .offsets
        .iter()
        .map(|&o| P::from_usize(o as usize))
        .collect();
    let targets = rows
        .targets
        .iter()
        .map(|&j| I::from_usize(j as usize))
        .collect();
    let weights = rows.weights.par_iter().map(|w| w.get()).collect();
    let n = graph.vertices();
    CsMatI::new((n, n), offsets, targets, weights)
}
