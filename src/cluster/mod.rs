//! The algorithms: one file (or folder) each, all returning a [`Fit`](crate::fit::Fit).

pub mod anneal;
pub mod chains;
pub mod choose;
mod connect;
mod dissolve;
pub mod dp_means;
pub mod dp_means_curve;
pub mod effort;
pub mod fold;
pub mod hdp;
mod hdp_kernel;
pub mod history;
pub mod hull;
pub mod kernel_dp_means;
pub mod layers;
mod links;
pub mod moves;
pub mod path;
pub mod reduce;
pub mod repair;
pub mod search;
pub mod spectral;
pub mod state;
