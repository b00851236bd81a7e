//! Any positive semi-definite kernel matrix, dense or sparse, with weights.

use super::similarity::{ClusterSums, Links, Similarity, Split};
use crate::ids::{Vertex, checked_count};
use crate::numeric::sum_by;
use crate::points::Points;
use nalgebra::DMatrix;
use sprs::CsMat;
use thiserror::Error;

/// Why a matrix and weights do not make a kernel.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum KernelError {
    /// Not square.
    #[error("a kernel matrix must be square, not {rows} × {columns}")]
    Shape {
        /// Rows.
        rows: usize,
        /// Columns.
        columns: usize,
    },
    /// An entry is not finite.
    #[error("entry ({row}, {column}) of the kernel is {value}")]
    NotFinite {
        /// The row.
        row: usize,
        /// The column.
        column: usize,
        /// The entry.
        value: f64,
    },
    /// `K_ij ≠ K_ji`.
    #[error("the kernel is not symmetric at ({row}, {column})")]
    Asymmetric {
        /// The row.
        row: usize,
        /// The column.
        column: usize,
    },
    /// A diagonal entry of a positive semi-definite matrix cannot be negative.
    #[error("the kernel cannot be positive semi-definite: its diagonal holds {value} at {row}")]
    Diagonal {
        /// The row.
        row: usize,
        /// The entry.
        value: f64,
    },
    /// The weights do not fit.
    #[error("there must be one positive, finite weight for each of {expected} elements; {found}")]
    Weights {
        /// Elements.
        expected: usize,
        /// What is wrong.
        found: String,
    },
    /// The id space is exceeded.
    #[error(transparent)]
    TooMany(#[from] crate::ids::TooManyVertices),
}

/// A kernel matrix with weights.
///
/// That the matrix is symmetric is checked; that it is positive semi-definite is the caller's word
/// (a run on another matrix ends as soon as a pass would raise the objective).
///
/// ```
/// use lambdacut::kernel_dp_means::Kernel;
/// use nalgebra::dmatrix;
/// assert!(Kernel::dense(dmatrix![2.0, 1.0; 1.0, 2.0], None).is_ok());
/// assert!(Kernel::dense(dmatrix![2.0, 1.0; 0.5, 2.0], None).is_err());
/// ```
#[derive(Debug, Clone)]
pub struct Kernel {
    pub(super) matrix: KernelMatrix,
    pub(super) weights: Vec<f64>,
}

#[derive(Debug, Clone)]
pub(super) enum KernelMatrix {
    Dense(DMatrix<f64>),
    Sparse(CsMat<f64>),
}

impl Kernel {
    /// A dense kernel; without weights every element weighs 1.
    pub fn dense(matrix: DMatrix<f64>, weights: Option<Vec<f64>>) -> Result<Self, KernelError> {
        let n = square(matrix.nrows(), matrix.ncols())?;
        for i in 0..n {
            for j in 0..=i {
                check_entry(i, j, matrix[(i, j)], matrix[(j, i)])?;
            }
        }
        Ok(Self {
            weights: checked_weights(n, weights)?,
            matrix: KernelMatrix::Dense(matrix),
        })
    }

    /// A dense kernel from a square table whose row `i` holds `K_ij`; element i weighs as much as
    /// row i.
    ///
    /// # Errors
    /// If the table is not square or not symmetric.
    pub fn from_points(rows: &Points) -> Result<Self, KernelError> {
        let matrix = DMatrix::from_row_slice(rows.len(), rows.dimension(), rows.values());
        let weights = (0..rows.len()).map(|i| rows.weight(i)).collect();
        Self::dense(matrix, Some(weights))
    }

    /// A sparse kernel; entries that are not stored are 0.
    pub fn sparse(matrix: CsMat<f64>, weights: Option<Vec<f64>>) -> Result<Self, KernelError> {
        let n = square(matrix.rows(), matrix.cols())?;
        let matrix = matrix.into_csr();
        for (i, row) in matrix.outer_iterator().enumerate() {
            for (j, &value) in row.iter() {
                check_entry(i, j, value, matrix.get(j, i).copied().unwrap_or(0.0))?;
            }
        }
        Ok(Self {
            weights: checked_weights(n, weights)?,
            matrix: KernelMatrix::Sparse(matrix),
        })
    }

    /// The number of elements.
    pub fn elements(&self) -> usize {
        self.weights.len()
    }

    /// `w_i`.
    pub fn weight(&self, i: usize) -> f64 {
        self.weights[i]
    }

    /// The stored entries `(j, K_ij)` of row `i`.
    pub fn row(&self, i: usize) -> Box<dyn Iterator<Item = (Vertex, f64)> + '_> {
        match &self.matrix {
            KernelMatrix::Dense(matrix) => Box::new(MatrixRows::row(matrix, i)),
            KernelMatrix::Sparse(matrix) => Box::new(MatrixRows::row(matrix, i)),
        }
    }

    /// `K_ij`.
    pub fn get(&self, i: usize, j: usize) -> f64 {
        match &self.matrix {
            KernelMatrix::Dense(matrix) => matrix[(i, j)],
            KernelMatrix::Sparse(matrix) => matrix.get(i, j).copied().unwrap_or(0.0),
        }
    }
}

fn square(rows: usize, columns: usize) -> Result<usize, KernelError> {
    checked_count(rows)?;
    if rows == columns {
        Ok(rows)
    } else {
        Err(KernelError::Shape { rows, columns })
    }
}

fn check_entry(row: usize, column: usize, value: f64, mirrored: f64) -> Result<(), KernelError> {
    if !value.is_finite() {
        Err(KernelError::NotFinite { row, column, value })
    } else if (value - mirrored).abs() > 1e-12 * value.abs().max(mirrored.abs()) {
        Err(KernelError::Asymmetric { row, column })
    } else if row == column && value < 0.0 {
        Err(KernelError::Diagonal { row, value })
    } else {
        Ok(())
    }
}

fn checked_weights(n: usize, weights: Option<Vec<f64>>) -> Result<Vec<f64>, KernelError> {
    let weights = weights.unwrap_or_else(|| vec![1.0; n]);
    let wrong = |found| Err(KernelError::Weights { expected: n, found });
    if weights.len() != n {
        return wrong(format!("{} were given", weights.len()));
    }
    match weights.iter().position(|w| !(w.is_finite() && *w > 0.0)) {
        Some(i) => wrong(format!("weight {i} is {}", weights[i])),
        None => Ok(weights),
    }
}

/// The rows of a stored matrix.
pub(super) trait MatrixRows: Sync {
    fn row(&self, i: usize) -> impl ExactSizeIterator<Item = (Vertex, f64)>;
    fn entries(&self) -> usize;
    fn diagonal(&self, i: usize) -> f64;
    fn links(&self) -> Links;
}

impl MatrixRows for DMatrix<f64> {
    fn row(&self, i: usize) -> impl ExactSizeIterator<Item = (Vertex, f64)> {
        // The matrix is symmetric, and columns are contiguous.
        self.as_slice()[i * self.nrows()..(i + 1) * self.nrows()]
            .iter()
            .enumerate()
            .map(|(j, &value)| (j as Vertex, value))
    }

    fn entries(&self) -> usize {
        self.len()
    }

    fn diagonal(&self, i: usize) -> f64 {
        self[(i, i)]
    }

    fn links(&self) -> Links {
        Links::Full
    }
}

impl MatrixRows for CsMat<f64> {
    fn row(&self, i: usize) -> impl ExactSizeIterator<Item = (Vertex, f64)> {
        let range = self.indptr().outer_inds_sz(i);
        self.indices()[range.clone()]
            .iter()
            .zip(&self.data()[range])
            .map(|(&j, &value)| (j as Vertex, value))
    }

    fn entries(&self) -> usize {
        self.nnz()
    }

    fn diagonal(&self, i: usize) -> f64 {
        self.get(i, i).copied().unwrap_or(0.0)
    }

    fn links(&self) -> Links {
        let signed = self.iter().any(|(&value, (i, j))| i != j && value < 0.0);
        if signed {
            Links::Signed
        } else {
            Links::NonNegative
        }
    }
}

/// A stored kernel as similarities `S_ij = w_i w_j K_ij`; the second sum of a cluster is `S(c,c)`
/// itself.
#[derive(Debug)]
pub(super) struct KernelSimilarity<'a, R> {
    rows: &'a R,
    weights: &'a [f64],
    lambda: f64,
    links: Links,
    /// `Σ_i w_i K_ii`.
    spread: f64,
    scale: f64,
}

impl<'a, R: MatrixRows> KernelSimilarity<'a, R> {
    pub fn new(rows: &'a R, weights: &'a [f64], lambda: f64) -> Self {
        let own = |i: usize| weights[i] * rows.diagonal(i);
        let largest = (0..weights.len()).map(own).fold(0.0, f64::max);
        let scale = if largest > 0.0 { largest } else { lambda };
        Self {
            rows,
            weights,
            lambda,
            links: rows.links(),
            spread: sum_by(weights.len(), own),
            scale,
        }
    }
}

impl<R: MatrixRows> Similarity for KernelSimilarity<'_, R> {
    fn elements(&self) -> usize {
        self.weights.len()
    }

    fn takes_part(&self, _: usize) -> bool {
        true
    }

    fn links(&self) -> Links {
        self.links
    }

    #[inline]
    fn mass(&self, i: usize) -> f64 {
        self.weights[i]
    }

    #[inline]
    fn row(&self, i: usize) -> impl ExactSizeIterator<Item = (Vertex, f64)> {
        let own = self.weights[i];
        self.rows
            .row(i)
            .map(move |(j, value)| (j, own * self.weights[j as usize] * value))
    }

    fn entries(&self) -> usize {
        self.rows.entries()
    }

    fn unstored(&self, _: usize) -> f64 {
        0.0
    }

    fn own(&self, i: usize) -> f64 {
        self.weights[i] * self.weights[i] * self.rows.diagonal(i)
    }

    fn threshold(&self, i: usize) -> f64 {
        self.lambda - self.weights[i] * self.rows.diagonal(i)
    }

    fn part(&self, links: Split) -> f64 {
        links.inside
    }

    fn part_by_inside(&self, _: usize, inside: f64) -> f64 {
        inside
    }

    fn total(&self, sums: ClusterSums) -> f64 {
        sums.part
    }

    /// `J + λk = Σ_i S_ii/w_i − Σ_c S(c,c)/M_c + λk`.
    fn value(&self, sums: &[ClusterSums]) -> f64 {
        self.spread - sum_by(sums.len(), |c| sums[c].part / sums[c].mass)
            + self.lambda * sums.len() as f64
    }

    fn scale(&self) -> f64 {
        self.scale
    }
}
