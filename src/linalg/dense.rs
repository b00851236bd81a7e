//! Dense symmetric eigenproblems: LAPACK's range driver, or the same function in pure Rust.
//!
//! `dsyevr` with `RANGE = 'V'` computes only the eigenpairs in a half-open interval `(low, high]`;
//! it costs `4/3 n³` for the reduction to tridiagonal form plus O(nk) a pair. Without the `lapack`
//! feature faer computes all pairs and the interval is cut out afterwards: same results, more work.
//! All pairs of a small matrix, as the projections of Lanczos need them, come from nalgebra-lapack.
//!
//! "Beyond the threshold" is meant strictly, but a computed eigenvalue is only known to a few units
//! of rounding: an eigenvalue closer to the threshold than [`TIE`] times the norm of the matrix
//! counts as lying *on* it, hence not beyond it.

use thiserror::Error;

/// Eigenvalues closer to a threshold than this, relative to the norm, are on the threshold and do
/// not count as beyond it.
pub const TIE: f64 = 1e-12;

/// Why a dense solve gave no answer.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum LinalgError {
    /// The matrix is not `n × n`.
    #[error("a matrix of {found} numbers is not {n} × {n}")]
    NotSquare {
        /// The order claimed.
        n: usize,
        /// The numbers given.
        found: usize,
    },
    /// A NaN or infinity at the given place.
    #[error("the entry in row {row}, column {column} of the matrix is not finite")]
    NotFinite {
        /// The row.
        row: usize,
        /// The column.
        column: usize,
    },
    /// The driver did not converge (never seen on a finite matrix).
    #[error("the dense eigensolver failed with code {0}")]
    Failed(i32),
}

/// Which eigenpairs are wanted.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Range {
    /// All of them.
    All,
    /// Eigenvalues in `(low, high]`.
    Between(f64, f64),
}

/// Eigenvalues, ascending, and orthonormal eigenvectors.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct EigenPairs {
    /// The eigenvalues, ascending.
    pub values: Vec<f64>,
    /// The eigenvectors one after the other: pair `t` is `vectors[t n .. (t + 1) n]`.
    pub vectors: Vec<f64>,
}

/// Eigenpairs of the symmetric matrix `matrix` (`n²` numbers, either order; only one triangle is
/// read).
///
/// ```
/// use lambdacut::linalg::{Range, eigen};
/// let pairs = eigen(vec![2.0, 1.0, 1.0, 2.0], 2, Range::Between(2.0, 9.0)).unwrap();
/// assert!((pairs.values[0] - 3.0).abs() < 1e-14 && pairs.values.len() == 1);
/// ```
pub fn eigen(matrix: Vec<f64>, n: usize, range: Range) -> Result<EigenPairs, LinalgError> {
    if matrix.len() != n * n {
        return Err(LinalgError::NotSquare {
            n,
            found: matrix.len(),
        });
    }
    if let Some(at) = matrix.iter().position(|x| !x.is_finite()) {
        return Err(LinalgError::NotFinite {
            row: at / n,
            column: at % n,
        });
    }
    if n == 0 {
        Ok(EigenPairs::default())
    } else {
        driver::eigen(matrix, n, range)
    }
}

/// Eigenpairs of a dense kernel matrix with eigenvalue **greater than λ**: the optimum of the
/// relaxed DP-means objective `max tr(Yᵀ(K − λI)Y)` over orthonormal `Y` (Theorem 5.2 of Kulis &
/// Jordan), whose value is `Σ_{κ_i > λ} (κ_i − λ)`.
///
/// ```
/// let pairs = lambdacut::linalg::kernel_eigen(vec![2.0, 0.0, 0.0, 1.0], 2, 1.0).unwrap();
/// assert_eq!(pairs.values, [2.0]);
/// ```
pub fn kernel_eigen(kernel: Vec<f64>, n: usize, lambda: f64) -> Result<EigenPairs, LinalgError> {
    let norm = kernel
        .chunks(n.max(1))
        .map(|row| row.iter().map(|x| x.abs()).sum::<f64>())
        .fold(0.0, f64::max);
    let low = lambda + TIE * norm;
    eigen(kernel, n, Range::Between(low, low.max(2.0 * norm) + 1.0))
}

#[cfg(feature = "lapack")]
pub use driver::{Workspace, dsyevr};

#[cfg(feature = "lapack")]
mod driver {
    use super::{EigenPairs, LinalgError, Range};
    use nalgebra::DMatrix;
    use nalgebra_lapack::SymmetricEigen;
    use std::sync::Once;

    /// Up to this order all eigenpairs are found by QR iteration, which is as quick there and
    /// orthogonal to the last digit, also within clusters of eigenvalues.
    const SMALL: usize = 128;

    /// `OpenBLAS` would start as many threads as there are cores inside every call; the parallelism
    /// here is rayon's.
    #[allow(unsafe_code)]
    fn one_blas_thread() {
        static ONCE: Once = Once::new();
        ONCE.call_once(|| {
            #[cfg(openblas)]
            {
                unsafe extern "C" {
                    fn openblas_set_num_threads(threads: std::ffi::c_int);
                }
                // SAFETY: the symbol is exported by every OpenBLAS, which build.rs found, and takes
                // one C int.
                unsafe { openblas_set_num_threads(1) };
            }
        });
    }

    pub fn eigen(mut matrix: Vec<f64>, n: usize, range: Range) -> Result<EigenPairs, LinalgError> {
        if matches!(range, Range::Between(low, high) if low >= high) {
            return Ok(EigenPairs::default());
        }
        one_blas_thread();
        if range == Range::All && n <= SMALL {
            return all_of_small(matrix, n);
        }
        // Zeroed memory is not touched by the system until it is written: only the pairs that exist
        // cost memory.
        let mut pairs = EigenPairs {
            values: vec![0.0; n],
            vectors: vec![0.0; n * n],
        };
        let mut workspace = Workspace::default();
        dsyevr(&mut matrix, n, range, &mut pairs, &mut workspace)?;
        let found = dsyevr(&mut matrix, n, range, &mut pairs, &mut workspace)?;
        pairs.values.truncate(found);
        pairs.vectors.truncate(n * found);
        Ok(pairs)
    }

    /// All eigenpairs by QR iteration (`dsyev`), through nalgebra-lapack.
    fn all_of_small(matrix: Vec<f64>, n: usize) -> Result<EigenPairs, LinalgError> {
        let matrix = DMatrix::from_vec(n, n, matrix);
        let found = SymmetricEigen::try_new(matrix).ok_or(LinalgError::Failed(1))?;
        Ok(EigenPairs {
            values: found.eigenvalues.as_slice().to_vec(),
            vectors: found.eigenvectors.as_slice().to_vec(),
        })
    }

    /// What `dsyevr` wants for itself; empty to be told how much.
    #[derive(Debug, Default)]
    pub struct Workspace {
        /// At least `26 n` numbers.
        pub numbers: Vec<f64>,
        /// At least `10 n` integers.
        pub integers: Vec<i32>,
    }

    /// One call of LAPACK's `dsyevr` and nothing around it: the yardstick of
    /// [`eigen`](super::eigen). The matrix is destroyed; `pairs` has room for all `n`, and the
    /// answer is how many of them were found. With an empty workspace the call only fits the
    /// workspace.
    ///
    /// # Panics
    /// If an array is shorter than it must be.
    #[allow(unsafe_code)]
    pub fn dsyevr(
        matrix: &mut [f64],
        n: usize,
        range: Range,
        pairs: &mut EigenPairs,
        workspace: &mut Workspace,
    ) -> Result<usize, LinalgError> {
        let asks = workspace.numbers.is_empty();
        if asks {
            *workspace = Workspace {
                numbers: vec![0.0; 1],
                integers: vec![0; 1],
            };
        }
        let Workspace { numbers, integers } = workspace;
        let lengths = if asks {
            (-1, -1)
        } else {
            (numbers.len() as i32, integers.len() as i32)
        };
        assert!(
            matrix.len() == n * n && pairs.vectors.len() == n * n && pairs.values.len() == n,
            "arrays of order n"
        );
        assert!(
            asks || numbers.len() >= 26 * n && integers.len() >= 10 * n,
            "a workspace as long as dsyevr's documentation asks for"
        );
        let (kind, low, high) = match range {
            Range::All => (b'A', 0.0, 0.0),
            Range::Between(low, high) => (b'V', low, high),
        };
        let (order, mut support) = (n as i32, vec![0; 2 * n]);
        let (mut found, mut info) = (0, 0);
        // SAFETY: `matrix` and `vectors` hold n·n numbers with leading dimension n, `values` n,
        // `support` 2n; the workspaces have the lengths passed with them, or −1 in a query, which
        // only writes the wanted lengths into their first element.
        unsafe {
            lapack::dsyevr(
                b'V',
                kind,
                b'L',
                order,
                matrix,
                order,
                low,
                high,
                0,
                0,
                0.0,
                &mut found,
                &mut pairs.values,
                &mut pairs.vectors,
                order,
                &mut support,
                numbers,
                lengths.0,
                integers,
                lengths.1,
                &mut info,
            );
        }
        if info != 0 {
            return Err(LinalgError::Failed(info));
        }
        if asks {
            let wanted = (numbers[0] as usize, integers[0] as usize);
            *workspace = Workspace {
                numbers: vec![0.0; wanted.0],
                integers: vec![0; wanted.1],
            };
        }
        Ok(found as usize)
    }
}

#[cfg(not(feature = "lapack"))]
mod driver {
    use super::{EigenPairs, LinalgError, Range};
    use faer::{MatRef, Par, Side};

    pub fn eigen(matrix: Vec<f64>, n: usize, range: Range) -> Result<EigenPairs, LinalgError> {
        // faer divides sums among threads; one thread keeps results the same on any number of them.
        faer::set_global_parallelism(Par::Seq);
        let view = MatRef::from_column_major_slice(&matrix, n, n);
        let all = view
            .self_adjoint_eigen(Side::Lower)
            .map_err(|_| LinalgError::Failed(1))?;
        let inside = |value: f64| match range {
            Range::All => true,
            Range::Between(low, high) => low < value && value <= high,
        };
        let mut pairs = EigenPairs::default();
        for t in (0..n).filter(|&t| inside(all.S()[t])) {
            pairs.values.push(all.S()[t]);
            pairs.vectors.extend((0..n).map(|i| all.U()[(i, t)]));
        }
        Ok(pairs)
    }
}
