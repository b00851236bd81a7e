//! Linear algebra.

mod block;
mod dense;
pub mod extreme;
mod inertia;
mod lanczos;
mod operator;

pub use block::Tall;
pub use dense::{EigenPairs, LinalgError, Range, TIE, eigen, kernel_eigen};
pub use inertia::{FactorPlan, Inertia};
pub use lanczos::{LowPairs, Search, basis_columns, block_width, lanczos};
pub use operator::{Affine, Laplacian, SymmetricOperator};
