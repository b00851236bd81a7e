//! What the methods of this crate are compared with, returning the same result type.

pub mod gibbs;
pub mod k_means;
