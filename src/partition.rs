//! Labels and the three sums that each cluster keeps.
//!
//! ```text
//! M_c = Σ_{i∈c} m_i      D_c = Σ_{i∈c} d_i      w_c = Σ_{i,j∈c} A_ij      cut_c = D_c − w_c
//! ```
//!
//! The cut of a partition is `Σ_c cut_c / M_c`; its penalised form is `F = Σ_c (cut_c / M_c − β)`.
//! Which cut it is (normalized, ratio, or one with given masses) depends on the masses alone.

use crate::graph::{Graph, Members, Weight};
use crate::ids::{Cluster, NONE};
use crate::numeric::compensated;
use crate::params::{ObjectiveKind, ParamError};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// The mass `m_i` of every vertex.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Masses {
    /// `m_i = d_i`: normalized cut.
    Degree,
    /// `m_i = 1`: ratio cut.
    One,
    /// Given, positive and finite.
    Given(Arc<[f64]>),
}

impl Masses {
    /// The masses that define `kind`.
    pub fn of(kind: ObjectiveKind) -> Self {
        match kind {
            ObjectiveKind::NormalizedCut => Self::Degree,
            ObjectiveKind::RatioCut => Self::One,
        }
    }

    /// Masses of one's own, one for every vertex; what a vertex without an edge has does not matter.
    ///
    /// # Errors
    /// If there are more or fewer than vertices, or if one is not positive and finite: the message
    /// names the vertex.
    pub fn given<W: Weight>(graph: &Graph<W>, masses: Vec<f64>) -> Result<Self, ParamError> {
        if masses.len() != graph.vertices() {
            return Err(ParamError::OutOfRange {
                name: "the number of masses",
                expected: "the number of vertices",
                found: masses.len().to_string(),
            });
        }
        for (i, &mass) in masses.iter().enumerate() {
            let fits = mass.is_finite() && mass > 0.0;
            if !fits && graph.degree(i) > 0.0 {
                return Err(ParamError::OutOfRange {
                    name: "every mass",
                    expected: "positive and finite",
                    found: format!("{mass} at vertex {i}"),
                });
            }
        }
        Ok(Self::Given(Arc::from(masses)))
    }

    /// The mass of vertex `i` of `graph`.
    #[inline]
    pub fn get<W: Weight>(&self, graph: &Graph<W>, i: usize) -> f64 {
        match self {
            Self::Degree => graph.degree(i),
            Self::One => 1.0,
            Self::Given(masses) => masses[i],
        }
    }
}

/// The three sums of every cluster.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Sums {
    /// `M_c`.
    pub mass: Vec<f64>,
    /// `D_c`.
    pub degree: Vec<f64>,
    /// `w_c`.
    pub inside: Vec<f64>,
}

impl Sums {
    /// Computes the sums of `k` clusters from scratch. O(arcs), parallel, compensated, the same on
    /// any number of threads.
    ///
    /// ```
    /// use lambdacut::{graph::{Graph, Unit}, partition::{Masses, Sums}};
    /// let path: Graph<Unit> = Graph::from_edges(4, &[(0, 1, 1.0), (1, 2, 1.0), (2, 3, 1.0)]).unwrap();
    /// let sums = Sums::of(&path, &Masses::Degree, &[0, 0, 1, 1], 2);
    /// assert_eq!((sums.degree[0], sums.inside[0]), (3.0, 2.0));
    /// assert!((sums.cut() - 2.0 / 3.0).abs() < 1e-15);
    /// ```
    pub fn of<W: Weight>(graph: &Graph<W>, masses: &Masses, labels: &[Cluster], k: usize) -> Self {
        let rows = graph.rows();
        let within: Vec<f64> = (0..graph.vertices())
            .into_par_iter()
            .with_min_len(64)
            .map(|i| {
                let own = rows
                    .row(i)
                    .filter(|&(j, _)| labels[j as usize] == labels[i]);
                if labels[i] == NONE {
                    0.0
                } else {
                    compensated(own.map(|(_, w)| w))
                }
            })
            .collect();
        let members = Members::of(labels, k);
        let per_cluster = |value: &(dyn Fn(usize) -> f64 + Sync)| -> Vec<f64> {
            let of = |c: usize| compensated(members.members(c).iter().map(|&i| value(i as usize)));
            (0..k).into_par_iter().map(of).collect()
        };
        Self {
            mass: per_cluster(&|i| masses.get(graph, i)),
            degree: per_cluster(&|i| graph.degree(i)),
            inside: per_cluster(&|i| within[i]),
        }
    }

    /// The number of clusters k.
    pub fn clusters(&self) -> usize {
        self.mass.len()
    }

    /// `cut_c / M_c`, the cut ratio of one cluster (for normalized cut: its conductance, up to the
    /// smaller side).
    #[inline]
    pub fn ratio(&self, c: usize) -> f64 {
        (self.degree[c] - self.inside[c]) / self.mass[c]
    }

    /// `Σ_c cut_c / M_c`.
    pub fn cut(&self) -> f64 {
        compensated((0..self.clusters()).map(|c| self.ratio(c)))
    }

    /// `F = Σ_c (cut_c / M_c − β)`.
    pub fn value(&self, beta: f64) -> f64 {
        self.cut() - beta * self.clusters() as f64
    }
}

/// Renumbers `labels` to `0..k` in order of first appearance and returns k; [`NONE`] stays.
///
/// ```
/// let mut labels = vec![7, 3, 7, 9];
/// assert_eq!(lambdacut::partition::renumber(&mut labels), 3);
/// assert_eq!(labels, [0, 1, 0, 2]);
/// ```
pub fn renumber(labels: &mut [Cluster]) -> usize {
    let top = labels
        .iter()
        .filter(|&&c| c != NONE)
        .max()
        .map_or(0, |&c| c as usize + 1);
    let mut new = vec![NONE; top];
    let mut k = 0;
    for label in labels.iter_mut().filter(|c| **c != NONE) {
        let slot = &mut new[*label as usize];
        if *slot == NONE {
            *slot = k;
            k += 1;
        }
        *label = *slot;
    }
    k as usize
}

/// Renumbers `labels` to `0..k` by decreasing size, ties by first member, and returns k; [`NONE`]
/// stays. This is the numbering of every labels file.
pub fn renumber_by_size(labels: &mut [Cluster]) -> usize {
    let k = renumber(labels);
    let mut sizes = vec![0usize; k];
    for &c in labels.iter().filter(|&&c| c != NONE) {
        sizes[c as usize] += 1;
    }
    let mut order: Vec<Cluster> = (0..k as u32).collect();
    order.sort_by_key(|&c| std::cmp::Reverse(sizes[c as usize]));
    let mut rank = vec![0; k];
    for (r, &c) in order.iter().enumerate() {
        rank[c as usize] = r as Cluster;
    }
    for label in labels.iter_mut().filter(|c| **c != NONE) {
        *label = rank[*label as usize];
    }
    k
}
