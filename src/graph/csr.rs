//! An immutable symmetric sparse matrix in CSR form on [`sprs`](::sprs) types.
//!
//! `A` is symmetric and non-negative; every undirected edge `{i, j}` with `i ≠ j` is stored as two
//! arcs, a self-loop as one, so that the degree `d_i = Σ_j A_ij` is the sum of row `i` as stored.
//! Rows are sorted and free of duplicates.
//!
//! Memory: 4 bytes an arc and 8 a vertex for [`Unit`] weights; weighted graphs add the weight of
//! each arc and 8 bytes a vertex for its degree.

use super::{Unit, Weight};
use crate::ids::{Vertex, checked_count};
use ::sprs::CsMatBase;
use rayon::prelude::*;
use thiserror::Error;
use xxhash_rust::xxh3::Xxh3;

/// The sparse matrix type behind a [`Csr`].
pub type Matrix<W> = CsMatBase<W, u32, Vec<u64>, Vec<u32>, Vec<W>, u64>;

/// Why arrays do not make a graph.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum GraphError {
    /// The id space is exceeded.
    #[error(transparent)]
    TooManyVertices(#[from] crate::ids::TooManyVertices),
    /// The offsets do not describe the rows.
    #[error("the row offsets are not a non-decreasing sequence from 0 to the number of arcs")]
    Offsets,
    /// A row holds an index out of range, out of order, or twice.
    #[error("row {row} holds an index out of range, out of order or twice")]
    Row {
        /// The row.
        row: usize,
    },
    /// The matrix is not square.
    #[error("a matrix of {rows} rows and {columns} columns is not square")]
    Shape {
        /// Its rows.
        rows: usize,
        /// Its columns.
        columns: usize,
    },
    /// `A_ij ≠ A_ji`.
    #[error("the matrix is not symmetric: entry ({row}, {column}) has no equal counterpart")]
    Asymmetric {
        /// The row.
        row: usize,
        /// The column.
        column: usize,
    },
    /// A negative, infinite, zero or NaN weight.
    #[error("the weight of ({row}, {column}) is {weight}; weights must be positive and finite")]
    Weight {
        /// The row.
        row: usize,
        /// The column.
        column: usize,
        /// The weight.
        weight: f64,
    },
    /// A weight too small or too large to be stored and computed with.
    #[error(
        "the weight of ({row}, {column}) is {weight:e}, outside {least:.1e} to {most:.1e}: multiply all weights by one number"
    )]
    Range {
        /// The row.
        row: usize,
        /// The column.
        column: usize,
        /// The weight.
        weight: f64,
        /// The smallest weight that would do.
        least: f64,
        /// The largest weight that would do.
        most: f64,
    },
    /// An endpoint beyond the number of vertices.
    #[error("an edge names vertex {vertex}, but there are only {vertices} vertices")]
    Endpoint {
        /// The endpoint.
        vertex: u64,
        /// The number of vertices.
        vertices: usize,
    },
}

/// An undirected graph with weights of type `W`.
#[derive(Debug, Clone)]
pub struct Csr<W: Weight = Unit> {
    matrix: Matrix<W>,
    degrees: Vec<f64>,
    loops: usize,
}

/// The three arrays of a graph, borrowed: what inner loops run on.
#[derive(Debug, Clone, Copy)]
pub struct Rows<'a, W> {
    /// Row `i` is `offsets[i]..offsets[i + 1]` of the other two.
    pub offsets: &'a [u64],
    /// Neighbours.
    pub targets: &'a [Vertex],
    /// Weights (zero-sized for [`Unit`]).
    pub weights: &'a [W],
}

impl<'a, W: Weight> Rows<'a, W> {
    /// The neighbours of `i`, ascending.
    #[inline]
    pub fn targets(&self, i: usize) -> &'a [Vertex] {
        &self.targets[self.offsets[i] as usize..self.offsets[i + 1] as usize]
    }

    /// Neighbours and weights of row `i`.
    #[inline]
    pub fn row(&self, i: usize) -> impl ExactSizeIterator<Item = (Vertex, f64)> + use<'a, W> {
        let range = self.offsets[i] as usize..self.offsets[i + 1] as usize;
        self.targets[range.clone()]
            .iter()
            .zip(&self.weights[range])
            .map(|(&j, &w)| (j, w.get()))
    }

    /// The sum of row `i`.
    #[inline]
    pub fn row_sum(&self, i: usize) -> f64 {
        if W::UNIT {
            (self.offsets[i + 1] - self.offsets[i]) as f64
        } else {
            self.row(i).map(|(_, w)| w).sum()
        }
    }
}

impl<W: Weight> Csr<W> {
    /// Takes finished CSR arrays, checking everything but symmetry (see [`Csr::check_symmetry`]):
    /// offsets, order and range of indices, weights positive and in range. O(arcs), parallel.
    pub fn from_arrays(
        offsets: Vec<u64>,
        targets: Vec<Vertex>,
        weights: Vec<W>,
    ) -> Result<Self, GraphError> {
        let rows = Rows {
            offsets: &offsets,
            targets: &targets,
            weights: &weights,
        };
        let loops = check_rows(&rows)?;
        Ok(Self::with_loops(offsets, targets, weights, loops))
    }

    /// Wraps arrays that are known to be valid.
    pub(crate) fn from_valid(offsets: Vec<u64>, targets: Vec<Vertex>, weights: Vec<W>) -> Self {
        let rows = Rows {
            offsets: &offsets,
            targets: &targets,
            weights: &weights,
        };
        let has_loop = |&i: &usize| rows.targets(i).binary_search(&(i as u32)).is_ok();
        let loops = (0..offsets.len() - 1)
            .into_par_iter()
            .filter(has_loop)
            .count();
        Self::with_loops(offsets, targets, weights, loops)
    }

    /// Wraps arrays that are known to be valid and to have `loops` self-loops.
    #[allow(unsafe_code)]
    pub(super) fn with_loops(
        offsets: Vec<u64>,
        targets: Vec<Vertex>,
        weights: Vec<W>,
        loops: usize,
    ) -> Self {
        let n = offsets.len() - 1;
        let rows = Rows {
            offsets: &offsets,
            targets: &targets,
            weights: &weights,
        };
        let degrees = if W::UNIT {
            Vec::new()
        } else {
            (0..n).into_par_iter().map(|i| rows.row_sum(i)).collect()
        };
        // SAFETY: every caller has checked, or built by construction, what sprs would check:
        // offsets ascending from 0 to the number of arcs, indices of each row ascending and below
        // n, arrays of equal length.
        let matrix = unsafe {
            CsMatBase::new_unchecked(
                ::sprs::CompressedStorage::CSR,
                (n, n),
                offsets,
                targets,
                weights,
            )
        };
        Self {
            matrix,
            degrees,
            loops,
        }
    }

    /// Checks that every arc has an equal counterpart. O(arcs · log degree), parallel.
    pub fn check_symmetry(&self) -> Result<(), GraphError> {
        let rows = self.rows();
        let lonely = (0..self.vertices()).into_par_iter().find_map_first(|i| {
            let range = rows.offsets[i] as usize..rows.offsets[i + 1] as usize;
            range
                .into_iter()
                .find(|&a| {
                    let j = rows.targets[a] as usize;
                    let back = rows.targets(j).binary_search(&(i as u32));
                    back.map_or(true, |at| {
                        rows.weights[rows.offsets[j] as usize + at] != rows.weights[a]
                    })
                })
                .map(|a| (i, rows.targets[a] as usize))
        });
        lonely.map_or(Ok(()), |(row, column)| {
            Err(GraphError::Asymmetric { row, column })
        })
    }

    /// The number of vertices, isolated ones included.
    pub fn vertices(&self) -> usize {
        self.matrix.rows()
    }

    /// The number of stored arcs: two for an edge, one for a self-loop.
    pub fn arcs(&self) -> usize {
        self.matrix.nnz()
    }

    /// The number of undirected edges, self-loops included.
    pub fn edges(&self) -> usize {
        usize::midpoint(self.arcs(), self.loops)
    }

    /// The number of self-loops.
    pub fn self_loops(&self) -> usize {
        self.loops
    }

    /// `d_i = Σ_j A_ij`. O(1).
    #[inline]
    pub fn degree(&self, i: usize) -> f64 {
        if W::UNIT {
            self.rows().row_sum(i)
        } else {
            self.degrees[i]
        }
    }

    /// All degrees. O(vertices).
    pub fn degrees(&self) -> Vec<f64> {
        if W::UNIT {
            let rows = self.rows();
            (0..self.vertices())
                .into_par_iter()
                .map(|i| rows.row_sum(i))
                .collect()
        } else {
            self.degrees.clone()
        }
    }

    /// `Σ_i d_i`, the volume of the graph, summed in a fixed order of blocks.
    pub fn volume(&self) -> f64 {
        if W::UNIT {
            self.arcs() as f64
        } else {
            crate::numeric::sum(&self.degrees)
        }
    }

    /// The sum of the weights of all undirected edges, self-loops once.
    pub fn total_weight(&self) -> f64 {
        let rows = self.rows();
        let loops = |i: usize| {
            rows.row(i)
                .filter(|&(j, _)| j as usize == i)
                .map(|(_, w)| w)
                .sum::<f64>()
        };
        let loop_weight: f64 = if self.loops == 0 {
            0.0
        } else {
            (0..self.vertices()).map(loops).sum()
        };
        f64::midpoint(self.volume(), loop_weight)
    }

    /// The number of vertices without an edge.
    pub fn isolated(&self) -> usize {
        let rows = self.rows();
        rows.offsets.par_windows(2).filter(|w| w[0] == w[1]).count()
    }

    /// The arrays.
    #[inline]
    pub fn rows(&self) -> Rows<'_, W> {
        Rows {
            offsets: self.matrix.indptr().into_raw_storage(),
            targets: self.matrix.indices(),
            weights: self.matrix.data(),
        }
    }

    /// The adjacency matrix as a [`sprs`](::sprs) matrix.
    pub fn matrix(&self) -> &Matrix<W> {
        &self.matrix
    }

    /// A number that tells this graph from others: a hash of its arrays. O(arcs).
    pub fn fingerprint(&self) -> u64 {
        let rows = self.rows();
        let mut hash = Xxh3::new();
        hash.update(bytemuck::cast_slice(rows.offsets));
        hash.update(bytemuck::cast_slice(rows.targets));
        if !W::UNIT {
            for weight in rows.weights {
                hash.update(&weight.get().to_bits().to_le_bytes());
            }
        }
        hash.digest()
    }

    /// Bytes of the arrays of this graph.
    pub fn bytes(&self) -> usize {
        8 * (self.vertices() + 1) + (4 + size_of::<W>()) * self.arcs() + 8 * self.degrees.len()
    }
}

/// Checks everything but symmetry and counts the self-loops.
fn check_rows<W: Weight>(rows: &Rows<'_, W>) -> Result<usize, GraphError> {
    const BLOCK: usize = 1 << 12;
    let n = rows
        .offsets
        .len()
        .checked_sub(1)
        .ok_or(GraphError::Offsets)?;
    checked_count(n)?;
    let arcs = rows.targets.len();
    let ascending = rows.offsets.par_windows(2).all(|w| w[0] <= w[1]);
    if rows.offsets[0] != 0
        || rows.offsets[n] != arcs as u64
        || rows.weights.len() != arcs
        || !ascending
    {
        return Err(GraphError::Offsets);
    }
    let check_block = |b: usize| {
        (b * BLOCK..n.min((b + 1) * BLOCK))
            .map(|i| check_row(rows, i, n))
            .sum()
    };
    // Blocks are collected in order, so that the first wrong row is reported on any number of
    // threads.
    let blocks: Vec<Result<usize, GraphError>> = (0..n.div_ceil(BLOCK))
        .into_par_iter()
        .map(check_block)
        .collect();
    blocks.into_iter().sum()
}

/// Checks row `i` and counts its self-loops (0 or 1).
fn check_row<W: Weight>(rows: &Rows<'_, W>, i: usize, n: usize) -> Result<usize, GraphError> {
    let targets = rows.targets(i);
    // Counting instead of stopping at the first lets the compiler compare whole vectors.
    let wrong_order = targets.windows(2).filter(|w| w[0] >= w[1]).count();
    if wrong_order > 0 || targets.last().is_some_and(|&j| j as usize >= n) {
        return Err(GraphError::Row { row: i });
    }
    let wrong = if W::UNIT {
        None
    } else {
        rows.row(i)
            .find_map(|(j, weight)| check_weight::<W>((i, j as usize), weight))
    };
    if let Some(error) = wrong {
        return Err(error);
    }
    Ok(targets.iter().filter(|&&j| j as usize == i).count())
}

/// What is wrong with the weight of an edge that is to be stored.
pub(super) fn check_weight<W: Weight>(
    (row, column): (usize, usize),
    weight: f64,
) -> Option<GraphError> {
    if (W::LEAST..=W::MOST).contains(&weight) {
        return None;
    }
    if !(weight.is_finite() && weight > 0.0) {
        return Some(GraphError::Weight {
            row,
            column,
            weight,
        });
    }
    Some(GraphError::Range {
        row,
        column,
        weight,
        least: W::LEAST,
        most: W::MOST,
    })
}

/// A graph whose weight type is known only at run time.
#[derive(Debug, Clone)]
pub enum AnyCsr {
    /// Every edge counts 1.
    Unit(Csr<Unit>),
    /// Single precision weights.
    F32(Csr<f32>),
    /// Double precision weights.
    F64(Csr<f64>),
}

/// Runs the same expression on whichever graph an [`AnyCsr`] holds.
///
/// ```
/// use lambdacut::{graph::{AnyCsr, Csr, Unit}, with_csr};
/// let any = AnyCsr::Unit(Csr::<Unit>::from_edges(2, &[(0, 1, 1.0)]).unwrap());
/// assert_eq!(with_csr!(&any, g => g.edges()), 1);
/// ```
#[macro_export]
macro_rules! with_csr {
    ($any:expr, $graph:ident => $body:expr) => {
        match $any {
            $crate::graph::AnyCsr::Unit($graph) => $body,
            $crate::graph::AnyCsr::F32($graph) => $body,
            $crate::graph::AnyCsr::F64($graph) => $body,
        }
    };
}
