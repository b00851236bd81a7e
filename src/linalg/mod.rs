//! Operators and eigenvalues.

pub mod extreme;
