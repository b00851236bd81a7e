//! What every algorithm returns: [`Clustering`] for graphs, [`PointClustering`] for points.
//!
//! What a method knows beyond that (the path, the spectrum, λ) stands beside it in the method's own
//! result, which dereferences to the clustering.

use crate::cut::Cut;
use crate::graph::{Graph, Members, to_petgraph};
use crate::ids::{Cluster, NONE, Vertex};
use crate::points::Points;
use crate::run::{Outcome, PassRecord, StopReason};
use crate::with_csr;
use petgraph::graph::UnGraph;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// A clustering of a graph, with how it was found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Clustering {
    /// The cluster of each vertex, in `0..clusters`; [`NONE`] for a vertex without an edge. Ask
    /// [`Clustering::cluster_of`] for an `Option`.
    pub labels: Vec<Cluster>,
    /// The number of clusters k.
    pub clusters: usize,
    /// Which cut was minimised.
    pub objective: Cut,
    /// `Σ_c cut_c / M_c`.
    pub cut: f64,
    /// The resolution β at which the value is stated.
    pub beta: f64,
    /// The objective that was minimised, at these labels: `F = cut − βk` unless the method says
    /// otherwise.
    pub value: f64,
    /// One record a pass or step.
    pub trace: Vec<PassRecord>,
    /// Why the run ended.
    pub stop: StopReason,
}

impl Clustering {
    /// The number of clusters.
    pub fn k(&self) -> usize {
        self.clusters
    }

    /// `Σ_c cut_c / M_c`: the sum over the clusters of the share of their mass that is cut.
    pub fn cut(&self) -> f64 {
        self.cut
    }

    /// The cluster of a vertex; `None` if it has no edge.
    ///
    /// # Panics
    /// If the graph had no such vertex.
    pub fn cluster_of(&self, vertex: usize) -> Option<Cluster> {
        let label = self.labels[vertex];
        (label != NONE).then_some(label)
    }

    /// The cluster of every vertex in turn; `None` for one without an edge.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Option<Cluster>> + '_ {
        self.labels
            .iter()
            .map(|&label| (label != NONE).then_some(label))
    }

    /// The name of every vertex of the graph that was clustered, with its cluster; `None` for a
    /// vertex without an edge.
    ///
    /// ```
    /// use lambdacut::prelude::*;
    /// let graph = Graph::from_named_edges([("ann", "bob", 1.0), ("eve", "joe", 1.0)])?;
    /// let best = Search::new().run(&graph)?;
    /// let found: Vec<_> = best.by_name(&graph).collect();
    /// assert_eq!(found[3], ("joe".into(), Some(1)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn by_name<'a>(
        &'a self,
        graph: &'a Graph,
    ) -> impl ExactSizeIterator<Item = (Cow<'a, str>, Option<Cluster>)> {
        self.iter()
            .enumerate()
            .map(|(i, cluster)| (graph.name(i), cluster))
    }

    /// The names of the members of a cluster.
    pub fn members_by_name(&self, graph: &Graph, cluster: Cluster) -> Vec<String> {
        let named = self.by_name(graph);
        let own = named.filter(|&(_, c)| c == Some(cluster));
        own.map(|(name, _)| name.into_owned()).collect()
    }

    /// The graph that was clustered for petgraph; every node carries its cluster.
    pub fn to_petgraph(&self, graph: &Graph) -> UnGraph<Option<Cluster>, f64> {
        with_csr!(graph.csr(), csr => to_petgraph(csr, &self.labels))
    }

    /// The number of vertices in each cluster. O(vertices).
    pub fn sizes(&self) -> Vec<usize> {
        crate::labels::sizes(&self.labels, self.clusters)
    }

    /// The vertices of each cluster. O(vertices).
    pub fn members(&self) -> Vec<Vec<Vertex>> {
        let members = Members::of(&self.labels, self.clusters);
        (0..self.clusters)
            .map(|c| members.members(c).to_vec())
            .collect()
    }
}

/// A clustering of points, with how it was found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct PointClustering {
    /// The cluster of each point, in `0..clusters`.
    pub labels: Vec<Cluster>,
    /// The number of clusters k.
    pub clusters: usize,
    /// The objective that was minimised, at these labels.
    pub value: f64,
    /// λ, the price of a cluster; `None` where k was given.
    pub lambda: Option<f64>,
    /// Row `c` is the weighted mean of cluster `c`; `None` in kernel space, where means are
    /// implicit.
    pub centres: Option<Points>,
    /// One record a pass.
    pub trace: Vec<PassRecord>,
    /// Why the run ended.
    pub stop: StopReason,
}

impl PointClustering {
    /// The number of clusters.
    pub fn k(&self) -> usize {
        self.clusters
    }

    /// The number of points in each cluster. O(points).
    pub fn sizes(&self) -> Vec<usize> {
        crate::labels::sizes(&self.labels, self.clusters)
    }
}

impl Outcome for Clustering {
    fn value(&self) -> f64 {
        self.value
    }

    fn ended_early(&mut self, reason: StopReason) {
        self.stop = reason;
    }
}

impl Outcome for PointClustering {
    fn value(&self) -> f64 {
        self.value
    }

    fn ended_early(&mut self, reason: StopReason) {
        self.stop = reason;
    }
}
