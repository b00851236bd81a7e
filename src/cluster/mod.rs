//! The algorithms, one a file.

pub mod dp_means;
pub mod hdp;
