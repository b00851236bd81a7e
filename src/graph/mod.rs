//! Graphs: what a user meets is [`Graph`]; what the algorithms run on is [`Csr`].
//!
//! Raw edges ([`EdgeList`]) go through a [`Policy`] (loops, repeats, directions) and become an
//! immutable symmetric matrix. Its weight type is known only at run time, so a [`Graph`] holds one
//! of three matrices; [`with_csr!`](crate::with_csr) reaches it.

mod assemble;
mod build;
mod components;
mod contract;
mod csr;
mod edges;
pub(crate) mod names;
mod petgraph;
mod row;
mod sort;
mod sprs;
mod store;
mod sweep;

pub use build::{BuildError, build};
pub(crate) use components::components_within;
pub use components::{Components, components};
pub use contract::{Contraction, Members, contract};
pub use csr::{AnyCsr, Csr, GraphError, Matrix, Rows};
pub use edges::{
    Counts, Direction, Duplicates, EdgeList, Listing, Policy, RawRows, SelfLoops, pack, unpack,
};
pub use names::{Index, Names, Strings};
pub use petgraph::{FromPetgraph, from_petgraph, to_petgraph};
pub use sprs::{from_sprs, to_sprs};
pub use store::{HEAVIEST, LIGHTEST, Unit, Weight};
pub use sweep::sweep;

use crate::ids::Vertex;
use crate::with_csr;
use ::petgraph::visit::{
    EdgeCount, GraphProp, IntoEdgeReferences, IntoNodeIdentifiers, NodeIndexable,
};
use std::borrow::Cow;

/// An undirected graph with the names of its vertices, and what was done to the input to get there.
///
/// Vertices are numbered `0..node_count()`; most results are arrays in that order, and
/// [`Graph::name`] is the way back. A graph does not change: [`Graph::with_edges`] makes another.
///
/// ```
/// use lambdacut::graph::Graph;
/// let graph = Graph::from_named_edges([("ann", "bob", 1.0), ("bob", "eve", 2.0)])?;
/// assert_eq!((graph.node_count(), graph.edge_count()), (3, 2));
/// assert_eq!(graph.vertex("eve"), Some(2));
/// assert_eq!(graph.degree(1), 3.0);
/// # Ok::<(), lambdacut::graph::BuildError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Graph {
    csr: AnyCsr,
    names: Names,
    counts: Counts,
    vertex_weights: Option<Vec<f64>>,
}

impl Graph {
    /// Puts the parts together.
    pub(crate) fn from_parts(
        csr: AnyCsr,
        names: Names,
        counts: Counts,
        vertex_weights: Option<Vec<f64>>,
    ) -> Self {
        Self {
            csr,
            names,
            counts,
            vertex_weights,
        }
    }

    /// The graph on vertices `0..nodes` with these undirected edges. Edges that are listed several
    /// times add up; weights that are all 1 make an unweighted graph.
    ///
    /// # Errors
    /// If an edge names a vertex that is not there, or a weight is negative or not finite.
    pub fn from_edges(nodes: usize, edges: &[(Vertex, Vertex, f64)]) -> Result<Self, BuildError> {
        let list = EdgeList::undirected(nodes, edges.iter().copied());
        Self::build(list, Names::numbers(nodes), &Policy::default())
    }

    /// The graph with these undirected edges between named vertices, which are numbered in order of
    /// first appearance.
    ///
    /// # Errors
    /// If a weight is negative or not finite, or if there are too many vertices.
    pub fn from_named_edges<N: AsRef<str>>(
        edges: impl IntoIterator<Item = (N, N, f64)>,
    ) -> Result<Self, BuildError> {
        let mut names = names::Interner::<Strings>::default();
        let edges: Vec<(Vertex, Vertex, f64)> = edges
            .into_iter()
            .map(|(a, b, weight)| {
                let a = names.intern(a.as_ref());
                (a, names.intern(b.as_ref()), weight)
            })
            .collect();
        let names = Names::Strings(names.keys);
        let list = EdgeList::undirected(names.len(), edges);
        Self::build(list, names, &Policy::default())
    }

    /// The graph of raw edges under a policy of one's own.
    ///
    /// # Errors
    /// If the policy refuses an edge, or a weight is negative or not finite.
    pub fn build(list: EdgeList, names: Names, policy: &Policy) -> Result<Self, BuildError> {
        let (csr, counts) = build(list, policy)?;
        Ok(Self::from_parts(csr, names, counts, None))
    }

    /// Any petgraph graph; `weight` gives the weight of an edge from what petgraph stores with it.
    /// Vertices are in the order of petgraph's nodes and are called by petgraph's index; parallel
    /// edges add up.
    ///
    /// ```
    /// use lambdacut::graph::Graph;
    /// use petgraph::graph::UnGraph;
    /// let friends = UnGraph::<(), f64>::from_edges([(0, 1, 1.0), (1, 2, 1.0)]);
    /// let graph = Graph::from_petgraph(&friends, |weight| *weight)?;
    /// assert_eq!((graph.node_count(), graph.edge_count()), (3, 2));
    /// # Ok::<(), lambdacut::graph::BuildError>(())
    /// ```
    ///
    /// # Errors
    /// If a weight is negative or not finite.
    pub fn from_petgraph<G>(
        graph: G,
        weight: impl Fn(&G::EdgeWeight) -> f64,
    ) -> Result<Self, BuildError>
    where
        G: IntoEdgeReferences + IntoNodeIdentifiers + NodeIndexable + GraphProp + EdgeCount,
    {
        let read = from_petgraph(graph, weight, &Policy::default())?;
        let index = |node: &G::NodeId| graph.to_index(*node) as u64;
        let names = Names::from_ids(read.nodes.iter().map(index).collect());
        Ok(Self::from_parts(read.graph, names, read.counts, None))
    }

    /// The weights, in the type they are stored in.
    pub fn csr(&self) -> &AnyCsr {
        &self.csr
    }

    /// What the vertices are called.
    pub fn names(&self) -> &Names {
        &self.names
    }

    /// What was found in the input, and what became of it.
    pub fn counts(&self) -> &Counts {
        &self.counts
    }

    /// The weights of the vertices, where the file had some.
    pub fn vertex_weights(&self) -> Option<&[f64]> {
        self.vertex_weights.as_deref()
    }

    /// A number that tells this graph from others, whatever its vertices are called and wherever it
    /// came from. O(edges).
    pub fn fingerprint(&self) -> u64 {
        with_csr!(&self.csr, csr => csr.fingerprint())
    }

    /// The number of vertices.
    pub fn node_count(&self) -> usize {
        with_csr!(&self.csr, csr => csr.vertices())
    }

    /// The number of edges, self-loops included.
    pub fn edge_count(&self) -> usize {
        with_csr!(&self.csr, csr => csr.edges())
    }

    /// The sum of the weights at a vertex.
    ///
    /// # Panics
    /// If there is no such vertex.
    pub fn degree(&self, vertex: usize) -> f64 {
        with_csr!(&self.csr, csr => csr.degree(vertex))
    }

    /// The neighbours of a vertex and the weights of the edges to them, ascending.
    ///
    /// # Panics
    /// If there is no such vertex.
    pub fn neighbors(&self, vertex: usize) -> Box<dyn Iterator<Item = (Vertex, f64)> + '_> {
        with_csr!(&self.csr, csr => Box::new(csr.rows().row(vertex)))
    }

    /// What a vertex is called.
    ///
    /// # Panics
    /// If there is no such vertex.
    pub fn name(&self, vertex: usize) -> Cow<'_, str> {
        self.names.get(vertex)
    }

    /// The vertex of this name. Finding many, take [`Names::index`].
    pub fn vertex(&self, name: &str) -> Option<Vertex> {
        self.names.index().get(name)
    }

    /// The same graph with further edges between its vertices; an edge that is there already gets
    /// heavier by the weight given. O(edges).
    ///
    /// # Errors
    /// If an edge names a vertex that is not there, or a weight is negative or not finite.
    pub fn with_edges(
        &self,
        edges: impl IntoIterator<Item = (Vertex, Vertex, f64)>,
    ) -> Result<Self, BuildError> {
        let mut all: Vec<(Vertex, Vertex, f64)> = edges.into_iter().collect();
        for i in 0..self.node_count() {
            let upper = self.neighbors(i).filter(|&(j, _)| j as usize >= i);
            all.extend(upper.map(|(j, weight)| (i as Vertex, j, weight)));
        }
        let list = EdgeList::undirected(self.node_count(), all);
        let mut graph = Self::build(list, self.names.clone(), &Policy::default())?;
        graph.vertex_weights.clone_from(&self.vertex_weights);
        Ok(graph)
    }

    /// The adjacency matrix for sprs, as a copy.
    pub fn to_sprs(&self) -> ::sprs::CsMat<f64> {
        with_csr!(&self.csr, csr => to_sprs(csr))
    }
}

impl<W: Weight> From<Csr<W>> for Graph
where
    AnyCsr: From<Csr<W>>,
{
    fn from(csr: Csr<W>) -> Self {
        let names = Names::numbers(csr.vertices());
        Self::from_parts(csr.into(), names, Counts::default(), None)
    }
}

impl From<Csr<Unit>> for AnyCsr {
    fn from(csr: Csr<Unit>) -> Self {
        Self::Unit(csr)
    }
}

impl From<Csr<f32>> for AnyCsr {
    fn from(csr: Csr<f32>) -> Self {
        Self::F32(csr)
    }
}

impl From<Csr<f64>> for AnyCsr {
    fn from(csr: Csr<f64>) -> Self {
        Self::F64(csr)
    }
}
