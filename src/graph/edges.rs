//! Raw rows before any policy, the policy, and the counts of what was found.

use super::{Csr, Weight};
use crate::ids::Vertex;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// What a row of an [`EdgeList`] stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Listing {
    /// An arc: whether its reverse is the same edge is for the [`Policy`] to say.
    #[default]
    Arcs,
    /// An undirected edge, whichever end is named first.
    Edges,
    /// An arc whose reverse must be listed too, with equal weight.
    Mirrored,
}

/// The rows of an [`EdgeList`], each arc packed by [`pack`].
#[derive(Debug, Clone, PartialEq)]
pub enum RawRows {
    /// Without weights: 8 bytes a row.
    Plain(Vec<u64>),
    /// With weights: 16 bytes a row.
    Weighted(Vec<(u64, f64)>),
}

impl RawRows {
    /// How many rows there are.
    pub fn len(&self) -> usize {
        match self {
            Self::Plain(rows) => rows.len(),
            Self::Weighted(rows) => rows.len(),
        }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// An arc as one number: source in the upper half, target in the lower.
#[inline]
pub const fn pack(source: Vertex, target: Vertex) -> u64 {
    (source as u64) << 32 | target as u64
}

/// Source and target of a packed arc.
#[inline]
pub const fn unpack(arc: u64) -> (Vertex, Vertex) {
    ((arc >> 32) as Vertex, arc as Vertex)
}

/// Raw rows on the vertices `0..vertices`, before any policy.
///
/// ```
/// use lambdacut::graph::{AnyCsr, EdgeList, Policy, build};
/// let raw = EdgeList::plain(3, [(0, 1), (1, 0), (1, 2), (1, 2), (2, 2)]);
/// let (graph, counts) = build(raw, &Policy::default()).unwrap();
/// assert!(matches!(&graph, AnyCsr::Unit(g) if g.edges() == 3 && g.degree(2) == 2.0));
/// assert_eq!((counts.duplicates, counts.self_loops, counts.directed_arcs), (1, 1, 1));
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct EdgeList {
    /// The number of vertices.
    pub vertices: usize,
    /// The rows.
    pub rows: RawRows,
    /// What a row stands for.
    pub listing: Listing,
}

impl EdgeList {
    /// Rows without weights.
    pub fn plain(vertices: usize, arcs: impl IntoIterator<Item = (Vertex, Vertex)>) -> Self {
        let rows = arcs.into_iter().map(|(i, j)| pack(i, j)).collect();
        Self {
            vertices,
            rows: RawRows::Plain(rows),
            listing: Listing::Arcs,
        }
    }

    /// Rows with weights.
    pub fn weighted(
        vertices: usize,
        arcs: impl IntoIterator<Item = (Vertex, Vertex, f64)>,
    ) -> Self {
        let rows = arcs.into_iter().map(|(i, j, w)| (pack(i, j), w)).collect();
        Self {
            vertices,
            rows: RawRows::Weighted(rows),
            listing: Listing::Arcs,
        }
    }

    /// Undirected edges, each listed once or in parallel. Weights that are all 1 are no weights,
    /// unless parallel edges add up to more. O(edges log edges).
    pub fn undirected(
        vertices: usize,
        edges: impl IntoIterator<Item = (Vertex, Vertex, f64)>,
    ) -> Self {
        let rows = edges.into_iter().map(|(i, j, w)| (pack(i, j), w)).collect();
        Self::of_undirected_rows(vertices, rows)
    }

    pub(super) fn of_undirected_rows(vertices: usize, rows: Vec<(u64, f64)>) -> Self {
        let all_one = rows.iter().all(|row| row.1 == 1.0);
        let rows = if all_one && !has_parallel_edges(&rows) {
            RawRows::Plain(rows.into_iter().map(|row| row.0).collect())
        } else {
            RawRows::Weighted(rows)
        };
        Self {
            vertices,
            rows,
            listing: Listing::Edges,
        }
    }

    /// The edges of a graph, each once.
    pub fn of<W: Weight>(graph: &Csr<W>) -> Self {
        let rows = graph.rows();
        let upper = |i: usize| {
            rows.row(i)
                .filter(move |&(j, _)| j as usize >= i)
                .map(move |(j, w)| (pack(i as Vertex, j), w))
        };
        let n = graph.vertices();
        let rows = if W::UNIT {
            RawRows::Plain((0..n).flat_map(upper).map(|(arc, _)| arc).collect())
        } else {
            RawRows::Weighted((0..n).flat_map(upper).collect())
        };
        Self {
            vertices: n,
            rows,
            listing: Listing::Edges,
        }
    }
}

/// Whether two rows join the same vertices, in whichever order they name them. O(rows log rows).
fn has_parallel_edges(rows: &[(u64, f64)]) -> bool {
    let unordered = |&(arc, _): &(u64, f64)| arc.min(arc.rotate_left(32));
    let mut pairs: Vec<u64> = rows.iter().map(unordered).collect();
    pairs.par_sort_unstable();
    pairs.windows(2).any(|pair| pair[0] == pair[1])
}

/// What to do with a directed input.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Direction {
    /// Make it undirected: `A = W + Wᵀ` with weights, "there is an arc either way" without.
    #[default]
    Symmetrise,
    /// Stop when some edges are listed in both directions and others in one, or with unequal
    /// weights.
    Reject,
}

/// What to do with self-loops.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum SelfLoops {
    /// Keep them; a loop counts once in the degree.
    #[default]
    Keep,
    /// Drop them.
    Drop,
}

/// What to do with repeated rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Duplicates {
    /// Without weights repeats and reverses are the same edge of weight 1; with weights repeats are
    /// summed.
    #[default]
    Auto,
    /// Sum them (rows without weights count 1 each).
    Sum,
    /// The first row of an edge, in either direction, decides.
    First,
    /// Stop at an arc that is listed twice.
    Error,
}

/// How raw rows become an undirected graph.
///
/// In a weighted list in which every edge is there in both directions with equal weight, the two
/// rows are one edge; in any other the weights of both directions are added. Edges of weight 0 are
/// dropped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Policy {
    /// Directed input.
    pub direction: Direction,
    /// Self-loops.
    pub self_loops: SelfLoops,
    /// Repeated rows.
    pub duplicates: Duplicates,
    /// Every edge counts 1, whatever its weight, be it negative or infinite; a weight of 0 still
    /// means that there is no edge.
    pub unweighted: bool,
    /// Store weights as `f32`.
    pub single_precision: bool,
}

/// What was found in the input, and done to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Counts {
    /// Rows that were read.
    pub rows: u64,
    /// Rows from a vertex to itself.
    pub self_loops: u64,
    /// Rows that repeat an earlier row of the same direction.
    pub duplicates: u64,
    /// Distinct arcs whose reverse is not listed.
    pub directed_arcs: u64,
    /// Rows of weight 0, dropped.
    pub zero_weights: u64,
    /// Vertices without an edge in the result.
    pub isolated: u64,
    /// Comment lines.
    pub comments: u64,
    /// Bad lines that were skipped.
    pub skipped: u64,
}
