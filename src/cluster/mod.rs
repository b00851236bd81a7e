//! The algorithms, one a file.

pub mod dp_means;
pub mod dp_means_curve;
pub mod hdp;
pub mod moves;
pub mod spectral;
