//! The algorithms, one a file.

pub mod moves;
