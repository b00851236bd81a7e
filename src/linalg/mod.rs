//! The low end of the spectrum of a graph, and what it proves.
//!
//! `N = M^-½ L M^-½` has one eigenvector below β for every cluster that the relaxed problem wants
//! (Theorem 5.2 of Kulis & Jordan, in terms of β). [`spectrum()`] finds them all,
//! [`Spectrum::certificate`] turns them into a lower bound of F.
//!
//! | file | what |
//! |---|---|
//! | `operator` | `N` as a product with blocks of vectors |
//! | `dense` | LAPACK's range driver (the only foreign functions), or the same in pure Rust |
//! | `block` | products of tall, thin matrices |
//! | `filter` | the polynomial that brings the wanted eigenvalues to the top |
//! | `lanczos` | all eigenpairs below a threshold of a large sparse matrix |
//! | `inertia` | how many there are, proved |
//! | `density` | how many there are, estimated |
//! | `check` | whether these are the ones found |
//! | `solve`, `spectrum` | all of this for a graph, component by component; gaps, certificate |

mod block;
mod certify;
mod check;
mod dense;
mod density;
pub mod extreme;
mod filter;
mod inertia;
mod lanczos;
mod operator;
mod solve;
mod spectrum;

pub use block::Tall;
pub use dense::{EigenPairs, LinalgError, Range, TIE, eigen, kernel_eigen};
pub use density::{Density, Estimate};
pub use inertia::{FactorPlan, Inertia};
pub use lanczos::{LowPairs, Search, WIDTH, basis_columns, lanczos};
pub use operator::{Affine, Laplacian, SymmetricOperator};
pub use solve::{SpectrumCost, spectrum, spectrum_cost, spectrum_cost_observed};
pub use spectrum::{
    Certificate, CheckMethod, Columns, Extent, Gap, Part, Spectrum, SpectrumCheck, SpectrumError,
    SpectrumOptions,
};

/// LAPACK with nothing around it: what the benchmarks compare [`eigen`] with.
#[cfg(feature = "lapack")]
pub mod bare {
    pub use super::dense::{Workspace, dsyevr};
}
