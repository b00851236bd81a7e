//! What the graph says about a clustering, without any truth.
//!
//! From the sums `D_c`, `w_c`, `cut_c = D_c − w_c` of each cluster (see [`crate::partition`]) and
//! the volume `V = Σ_i d_i`:
//!
//! ```text
//! cut = ½ Σ_ij A_ij [c_i ≠ c_j]        normalized cut = Σ_c cut_c / D_c        ratio cut = Σ_c cut_c / n_c
//! conductance_c = cut_c / min(D_c, V − D_c)        coverage = Σ_c w_c / V      modularity = Σ_c (w_c / V − (D_c / V)²)
//! ```
//!
//! Degrees count a self-loop once, as everywhere in this crate; without loops these are the usual
//! definitions. Isolated vertices are in no cluster. A cluster that is the whole graph has
//! conductance 0. Cost O(arcs), parallel.

use super::MetricError;
use super::contingency::Compact;
use crate::cut::Cut;
use crate::graph::{Csr, Weight, components_within};
use crate::ids::{Cluster, NONE};
use crate::numeric::sum_by;
use crate::partition::Sums;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// Everything the graph says, under the names of the `metrics` section of `--json`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct GraphMetrics {
    /// The number of clusters k, isolated vertices not counted.
    pub clusters: usize,
    /// The weight of all edges between different clusters (and to vertices in none).
    pub cut: f64,
    /// `Σ_c cut_c / D_c`.
    pub normalized_cut: f64,
    /// `Σ_c cut_c / n_c`.
    pub ratio_cut: f64,
    /// `Σ_c (w_c / V − (D_c / V)²)`.
    pub modularity: f64,
    /// `Σ_c w_c / V`.
    pub coverage: f64,
    /// The mean of the clusters' conductances.
    pub conductance_mean: f64,
    /// The largest of them.
    pub conductance_max: f64,
    /// How many clusters are not connected inside.
    pub disconnected_clusters: usize,
    /// `n_c` of every cluster, in the order of their labels.
    pub sizes: Vec<usize>,
    /// The conductance of every cluster, in the order of their labels.
    pub conductance: Vec<f64>,
}

impl GraphMetrics {
    /// Measures `labels` on `graph`. Labels need not be numbered without gaps; [`NONE`] and
    /// isolated vertices are in no cluster.
    ///
    /// ```
    /// use lambdacut::{graph::{Csr, Unit}, metrics::GraphMetrics};
    /// let path: Csr<Unit> = Csr::from_edges(4, &[(0, 1, 1.0), (1, 2, 1.0), (2, 3, 1.0)]).unwrap();
    /// let metrics = GraphMetrics::of(&path, &[0, 0, 1, 1]).unwrap();
    /// assert_eq!((metrics.cut, metrics.conductance_max, metrics.disconnected_clusters), (1.0, 1.0 / 3.0, 0));
    /// ```
    pub fn of<W: Weight>(graph: &Csr<W>, labels: &[Cluster]) -> Result<Self, MetricError> {
        if labels.len() != graph.vertices() {
            return Err(MetricError::Length {
                expected: graph.vertices(),
                found: labels.len(),
            });
        }
        let offsets = graph.rows().offsets;
        let own = |i: usize| {
            if offsets[i] == offsets[i + 1] {
                NONE
            } else {
                labels[i]
            }
        };
        let Compact {
            labels,
            distinct: k,
        } = Compact::of((0..labels.len()).into_par_iter().map(own).collect());
        let sums = Sums::of(graph, &Cut::Ratio, &labels, k);
        Ok(Self::from_sums(graph, &labels, &sums))
    }

    /// The same from the sums of the clusters `0..k`, whose masses are all 1.
    fn from_sums<W: Weight>(graph: &Csr<W>, labels: &[Cluster], sums: &Sums) -> Self {
        let (k, volume) = (sums.clusters(), graph.volume());
        let cut_of = |c: usize| sums.degree[c] - sums.inside[c];
        let conductance: Vec<f64> = (0..k)
            .map(|c| conductance(cut_of(c), sums.degree[c], volume))
            .collect();
        Self {
            clusters: k,
            cut: cut(graph, labels),
            normalized_cut: sum_by(k, |c| cut_of(c) / sums.degree[c]),
            ratio_cut: sums.cut(),
            modularity: sum_by(k, |c| {
                sums.inside[c] / volume - (sums.degree[c] / volume).powi(2)
            }),
            coverage: if k == 0 {
                0.0
            } else {
                sum_by(k, |c| sums.inside[c]) / volume
            },
            conductance_mean: if k == 0 {
                0.0
            } else {
                sum_by(k, |c| conductance[c]) / k as f64
            },
            conductance_max: conductance.iter().copied().fold(0.0, f64::max),
            disconnected_clusters: disconnected(graph, labels, k),
            sizes: sums.mass.iter().map(|&mass| mass as usize).collect(),
            conductance,
        }
    }
}

fn conductance(cut: f64, degree: f64, volume: f64) -> f64 {
    let smaller = degree.min(volume - degree);
    if smaller > 0.0 { cut / smaller } else { 0.0 }
}

/// Half the weight of the arcs between vertices with different labels.
fn cut<W: Weight>(graph: &Csr<W>, labels: &[Cluster]) -> f64 {
    let rows = graph.rows();
    let leaving = |i: usize| {
        rows.row(i)
            .filter(|&(j, _)| labels[j as usize] != labels[i])
            .map(|(_, w)| w)
            .sum()
    };
    sum_by(graph.vertices(), leaving) / 2.0
}

/// The number of clusters that fall apart when only the edges inside clusters are kept.
fn disconnected<W: Weight>(graph: &Csr<W>, labels: &[Cluster], k: usize) -> usize {
    let parts = components_within(
        graph,
        |_| true,
        |i, j| labels[i as usize] == labels[j as usize],
    );
    let mut pieces = vec![0u32; k];
    // Components are numbered by their smallest vertex, so a number is new exactly when it exceeds
    // all before it.
    let mut next = 0;
    for (&part, &label) in parts
        .labels
        .iter()
        .zip(labels)
        .filter(|&(&part, _)| part != NONE)
    {
        if part == next {
            next += 1;
            if label != NONE {
                pieces[label as usize] += 1;
            }
        }
    }
    pieces.iter().filter(|&&count| count > 1).count()
}
