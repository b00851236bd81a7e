//! What reading a graph takes, and what it gives.

use super::format::Format;
use super::layout::IdKind;
use super::reading::{Columns, Reading};
use crate::graph::names::Names;
use crate::graph::{AnyCsr, Counts, EdgeList, Policy};
use serde::{Deserialize, Serialize};

/// How a graph is read.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct LoadOptions {
    /// The format; `None`: by name and content.
    pub format: Option<Format>,
    /// What becomes of loops, repeats and directions.
    pub policy: Policy,
    /// What the vertices of an edge list are called.
    pub ids: IdKind,
    /// Whether an edge list starts with a header row; `None`: by looking at it.
    pub header: Option<bool>,
    /// Which columns of an edge list hold the ends and the weight of an edge.
    pub columns: Columns,
    /// Skip and count bad lines instead of stopping at the first.
    pub lenient: bool,
    /// Bytes of memory that reading may take.
    pub memory_limit: Option<u64>,
    /// Compute the SHA-256 of the input as stored.
    pub hash: bool,
}

/// A graph as read, with the names of its vertices.
#[derive(Debug, Clone)]
pub struct Loaded {
    /// The graph.
    pub graph: AnyCsr,
    /// The names of its vertices.
    pub names: Names,
    /// How the input was understood.
    pub reading: Reading,
    /// What was found in the input.
    pub counts: Counts,
    /// Vertex weights, where the format has them.
    pub masses: Option<Vec<f64>>,
    /// SHA-256 of the input as stored, if asked for.
    pub sha256: Option<String>,
    /// Seconds it took.
    pub seconds: f64,
}

/// What a reader finds in a file.
pub(super) struct Raw {
    pub edges: EdgeList,
    pub names: Names,
    pub counts: Counts,
    pub masses: Option<Vec<f64>>,
}
