//! Clusters large sparse graphs without being told how many clusters there are.
//!
//! The objective is the penalised cut of Kulis & Jordan (2012), `F = Σ_c (cut_c / M_c − β)`: a cluster is worth having if its cut
//! ratio is below the resolution β. From a petgraph graph to clusters:
//!
//! ```
//! use lambdacut::prelude::*;
//! use petgraph::graph::UnGraph;
//!
//! let edges = [(0, 1, 1.0), (1, 2, 1.0), (0, 2, 1.0), (2, 3, 0.1), (3, 4, 1.0), (4, 5, 1.0), (3, 5, 1.0)];
//! let friends = UnGraph::<(), f64>::from_edges(edges);
//! let read = from_petgraph(&friends, |weight| *weight, &Policy::default())?;
//! let answer = Search::default().run_any(&read.graph, &Target::Recommended, &Silent)?;
//! assert_eq!(answer.fit.labels, [0, 0, 0, 1, 1, 1]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | what | where |
//! |---|---|
//! | the recommended clustering, one β, exactly k | [`cluster::search`] |
//! | the whole path over β and its hull | [`cluster::path`], [`cluster::hull`] |
//! | the paper's weighted kernel DP-means (Algorithm 1 in kernel space, Theorem 5.3) | [`cluster::kernel_dp_means`] |
//! | spectral relaxation (Theorem 5.2) and certificates | [`linalg`], [`cluster::spectral`] |
//! | DP-means (Algorithm 1), hard Gaussian HDP (Algorithm 2) | [`cluster::dp_means`], [`cluster::hdp`] |
//! | k-means, the Gibbs sampler of section 2.2 | [`baseline`] |
//! | files, generators, metrics | [`io`], [`generate`], [`metrics`] |

pub mod baseline;
pub mod cluster;
pub mod fit;
pub mod generate;
pub mod graph;
pub mod ids;
pub mod io;
pub mod linalg;
pub mod metrics;
pub mod numeric;
pub mod objective;
pub mod observe;
pub mod params;
pub mod partition;
pub mod points;
pub mod report;

/// What most programs need.
pub mod prelude {
    pub use crate::cluster::effort::Effort;
    pub use crate::cluster::search::{Answer, Search, Target};
    pub use crate::fit::{Fit, StopReason};
    pub use crate::graph::{AnyGraph, Graph, Policy, Unit, Weight, from_petgraph, to_petgraph};
    pub use crate::ids::{Cluster, NONE, Vertex};
    pub use crate::observe::{CancelToken, Observer, Silent};
    pub use crate::params::{ObjectiveKind, Resolution};
}

/// The Rust of README.md and GUIDE.md, compiled and run with the documentation's examples.
#[cfg(doctest)]
mod documents {
    #[doc = include_str!("../README.md")]
    mod readme {}
    #[doc = include_str!("../GUIDE.md")]
    mod guide {}
}
