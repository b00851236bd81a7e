//! From any petgraph graph, and back.
//!
//! petgraph numbers vertices with holes (`StableGraph`), by value (`GraphMap`) or by position;
//! `NodeIndexable` maps all of them to `0..node_bound()`. Holes are closed, and the vertices of the
//! result are numbered in the order of `node_identifiers()`. An undirected `Csr` yields every edge
//! that is not a loop twice, once from each end; this shows in its edge count and is undone.

use super::{
    AnyCsr, BuildError, Counts, Csr, Duplicates, EdgeList, Listing, Policy, RawRows, Weight, build,
    pack,
};
use crate::ids::{Cluster, NONE, Vertex};
use petgraph::graph::UnGraph;
use petgraph::visit::{
    EdgeCount, EdgeRef, GraphProp, IntoEdgeReferences, IntoNodeIdentifiers, NodeIndexable,
};

/// A graph that came from petgraph, with the way back to its vertices.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct FromPetgraph<N> {
    /// The graph.
    pub graph: AnyCsr,
    /// `nodes[i]` is petgraph's name of vertex `i`.
    pub nodes: Vec<N>,
    /// What was found in the input.
    pub counts: Counts,
}

/// Takes a petgraph graph of any type: `Graph`, `StableGraph`, `GraphMap`, `Csr`, `MatrixGraph`,
/// `Reversed`, directed or not. `weight` gives the weight of an edge from what petgraph stores with
/// it; all weights 1 make an unweighted graph.
///
/// An undirected graph keeps its edges, parallel ones summed unless the policy says otherwise; a
/// directed one follows the policy.
///
/// ```
/// use lambdacut::graph::{Policy, components, from_petgraph, to_petgraph};
/// use lambdacut::with_csr;
/// use petgraph::graph::UnGraph;
/// // Two triangles; petgraph graph in …
/// let friends = UnGraph::<&str, f64>::from_edges([(0, 1, 1.0), (1, 2, 1.0), (0, 2, 1.0), (3, 4, 2.0), (4, 5, 2.0), (3, 5, 2.0)]);
/// let read = from_petgraph(&friends, |edge| *edge, &Policy::default()).unwrap();
/// // … clusters (here: the components) out.
/// let labels = with_csr!(&read.graph, g => components(g).labels);
/// assert_eq!(labels, [0, 0, 0, 1, 1, 1]);
/// let back = with_csr!(&read.graph, g => to_petgraph(g, &labels));
/// assert_eq!(back[petgraph::graph::NodeIndex::new(4)], Some(1));
/// ```
pub fn from_petgraph<G>(
    graph: G,
    weight: impl Fn(&G::EdgeWeight) -> f64,
    policy: &Policy,
) -> Result<FromPetgraph<G::NodeId>, BuildError>
where
    G: IntoEdgeReferences + IntoNodeIdentifiers + NodeIndexable + GraphProp + EdgeCount,
{
    let nodes: Vec<G::NodeId> = graph.node_identifiers().collect();
    let mut number = vec![NONE; graph.node_bound()];
    for (i, &node) in nodes.iter().enumerate() {
        number[graph.to_index(node)] = i as Vertex;
    }
    let arc = |edge: G::EdgeRef| {
        let end = |node| number[graph.to_index(node)];
        (
            pack(end(edge.source()), end(edge.target())),
            weight(edge.weight()),
        )
    };
    let rows: Vec<(u64, f64)> = graph.edge_references().map(arc).collect();
    let listing = match graph.is_directed() {
        true => Listing::Arcs,
        false if rows.len() == graph.edge_count() => Listing::Edges,
        false => Listing::Mirrored,
    };
    // A policy of one's own for parallel edges decides without regard to the weights.
    let adds_up = listing == Listing::Edges && policy.duplicates == Duplicates::Auto;
    let list = if adds_up {
        EdgeList::of_undirected_rows(nodes.len(), rows)
    } else {
        let all_one = rows.iter().all(|row| row.1 == 1.0);
        EdgeList {
            vertices: nodes.len(),
            rows: if all_one {
                RawRows::Plain(rows.into_iter().map(|row| row.0).collect())
            } else {
                RawRows::Weighted(rows)
            },
            listing,
        }
    };
    let (graph, counts) = build(list, policy)?;
    Ok(FromPetgraph {
        graph,
        nodes,
        counts,
    })
}

/// The same graph for petgraph; every node carries the cluster of its vertex, `None` for a vertex
/// without one ([`NONE`]).
pub fn to_petgraph<W: Weight>(graph: &Csr<W>, labels: &[Cluster]) -> UnGraph<Option<Cluster>, f64> {
    let rows = graph.rows();
    let mut result = UnGraph::with_capacity(graph.vertices(), graph.edges());
    let nodes: Vec<_> = labels
        .iter()
        .map(|&c| result.add_node((c != NONE).then_some(c)))
        .collect();
    for (i, &node) in nodes.iter().enumerate() {
        for (j, weight) in rows.row(i).filter(|&(j, _)| j as usize >= i) {
            result.add_edge(node, nodes[j as usize], weight);
        }
    }
    result
}
