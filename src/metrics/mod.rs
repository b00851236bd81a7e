//! How good a clustering is: against a known truth, and by what the graph itself says.
//!
//! * [`Agreement`] compares two sets of labels (NMI, AMI, ARI, purity, …) through one sparse
//!   [`Contingency`] table, whose methods give every number by itself.
//! * [`average_f1`] compares communities that may overlap.
//! * [`GraphMetrics`] needs no truth: cut, conductance, modularity, coverage, sizes, connectedness.
//!
//! Elements labelled [`NONE`](crate::ids::NONE) on either side are left out everywhere. All results
//! are the same on any number of threads.

mod agreement;
mod contingency;
mod expected;
mod overlap;
mod quality;

pub use agreement::{Agreement, Mean};
pub use contingency::{Cell, Contingency};
pub use overlap::{average_f1, communities_of};
pub use quality::GraphMetrics;

use thiserror::Error;

/// Why two labellings cannot be compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum MetricError {
    /// The labellings are of different sets.
    #[error(
        "{found} labels cannot be compared with {expected}: there must be one for each element"
    )]
    Length {
        /// How many labels there should be.
        expected: usize,
        /// How many there are.
        found: usize,
    },
}
