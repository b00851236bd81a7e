//! Why kernel DP-means gives no answer.

use crate::ids::Vertex;
use crate::params::ParamError;
use thiserror::Error;

/// A request that makes no sense.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum KernelDpMeansError {
    /// λ is not finite.
    #[error("λ must be a finite number, not {0}")]
    Lambda(f64),
    /// σ is not finite.
    #[error("σ must be a finite number, not {0}")]
    Sigma(f64),
    /// Start labels of the wrong length.
    #[error("the start has {found} labels for {expected} vertices")]
    StartLength {
        /// Labels given.
        found: usize,
        /// Vertices.
        expected: usize,
    },
    /// A vertex with an edge has no start label.
    #[error("the start gives no cluster to vertex {vertex}, which has an edge")]
    StartLabel {
        /// The vertex.
        vertex: usize,
    },
    /// An order that does not list every vertex.
    #[error("the order lists {found} of {expected} vertices")]
    OrderLength {
        /// Vertices listed.
        found: usize,
        /// Vertices.
        expected: usize,
    },
    /// An order with a vertex out of range or listed twice.
    #[error(
        "position {position} of the order holds vertex {vertex}, which is out of range or listed before"
    )]
    Order {
        /// Where.
        position: usize,
        /// The vertex.
        vertex: Vertex,
    },
    /// k = 0, or nothing to cluster.
    #[error("λ cannot be derived from {clusters} clusters of {elements} elements")]
    NoClusters {
        /// k.
        clusters: usize,
        /// Elements that take part.
        elements: usize,
    },
    /// The observer asked to stop before λ was known.
    #[error("cancelled before λ was found for this number of clusters")]
    Cancelled,
    /// A graph without β (or λ, or k), a kernel without λ (or k).
    #[error("{0} must be given")]
    NoPrice(&'static str),
    /// Masses that do not fit, or a derived resolution that is of no use.
    #[error(transparent)]
    Param(#[from] ParamError),
}
