//! The algorithms: one file (or folder) each, all returning a [`Fit`](crate::fit::Fit).

pub mod kernel_dp_means;
pub mod moves;
