//! Clusters large sparse graphs without being told how many clusters there are.
//!
//! The objective is the penalised cut of Kulis & Jordan (2012), `F = Σ_c (cut_c / M_c − β)`: a
//! cluster is worth having if its cut ratio is below the resolution β. From a petgraph graph to
//! clusters:
//!
//! ```
//! use lambdacut::prelude::*;
//! use petgraph::graph::UnGraph;
//!
//! let edges = [(0, 1, 1.0), (1, 2, 1.0), (0, 2, 1.0), (2, 3, 0.1), (3, 4, 1.0), (4, 5, 1.0), (3, 5, 1.0)];
//! let friends = UnGraph::<(), f64>::from_edges(edges);
//! let graph = Graph::from_petgraph(&friends, |weight| *weight)?; // or Graph::open("friends.edges")?
//! let best = Search::new().run(&graph)?;
//! assert_eq!(best.labels, [0, 0, 0, 1, 1, 1]);
//! println!("{} clusters, cut {:.3}, because {}", best.k(), best.cut(), best.why());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Every algorithm has this shape: `new()`, options, `run(&input)`. A result is a [`Clustering`](clustering::Clustering) (or
//! a [`PointClustering`](clustering::PointClustering)) with what the method knows beyond it; [`Answer`](search::Answer) also has
//! the interval of β on which nothing found is better, and which changes were tried in vain. The
//! repository's GUIDE.md tells the longer story, `examples/` has whole programs.
//!
//! | what | where |
//! |---|---|
//! | the recommended clustering, one β, exactly k | [`search`] |
//! | the whole path over β and its hull | [`search::Path`], [`search::Corner`] |
//! | the paper's weighted kernel DP-means (Algorithm 1 in kernel space, Theorem 5.3) | [`kernel_dp_means`] |
//! | spectral relaxation (Theorem 5.2) and certificates | [`linalg`], [`spectral`] |
//! | DP-means (Algorithm 1), hard Gaussian HDP (Algorithm 2) | [`dp_means`], [`hdp`] |
//! | k-means, the Gibbs sampler of section 2.2 | [`k_means`], [`gibbs`] |
//! | several graphs over the same names, clustered together | [`layers`] |
//! | files, generators, metrics | [`io`], [`generate`], [`metrics`] |
//!
//! # Conventions
//!
//! - Graphs are immutable and undirected; vertices and clusters are dense `u32`; in arrays of labels
//!   [`ids::NONE`] stands for a vertex without an edge, elsewhere `Option` does.
//! - Whatever may take long has the options `time_limit` and `observer`: an
//!   [`Observer`](run::Observer) hears of progress and can end the run with the best result so far;
//!   a [`CancelToken`](run::CancelToken) is one that any thread can pull. Not converging is a
//!   [`StopReason`](run::StopReason), not an error.
//! - The same input, parameters and seed give the same result on any number of threads.
//! - Parameters and results are [`serde`] types. A parameter that is left out takes its default, so
//!   what was stored by an earlier version can be read; what has rules (a
//!   [`Resolution`](params::Resolution), [`Points`](points::Points)) is checked when it is read.
//! - Enums and results that may grow are non-exhaustive, [`Weight`](graph::Weight) is sealed;
//!   parameters may get new fields, so write them with `..Default::default()`.

pub mod clustering;
pub mod cut;
pub mod dp_means;
pub mod generate;
pub mod gibbs;
pub mod graph;
pub mod hdp;
pub mod ids;
pub mod io;
pub mod k_means;
pub mod kernel_dp_means;
pub mod labels;
pub mod layers;
pub mod linalg;
pub mod metrics;
pub mod numeric;
pub mod params;
pub mod partition;
pub mod points;
pub mod report;
pub mod run;
pub mod search;
pub mod spectral;

/// What most programs need.
pub mod prelude {
    pub use crate::clustering::{Clustering, PointClustering};
    pub use crate::cut::Cut;
    pub use crate::graph::Graph;
    pub use crate::ids::{Cluster, Vertex};
    pub use crate::run::{CancelToken, Event, Observer, StopReason};
    pub use crate::search::{Answer, Effort, Search};
}

/// The Rust of README.md and GUIDE.md, compiled and run with the documentation's examples.
#[cfg(doctest)]
mod documents {
    #[doc = include_str!("../README.md")]
    mod readme {}
    #[doc = include_str!("../GUIDE.md")]
    mod guide {}
}
