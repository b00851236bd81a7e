//! The three sums that each cluster keeps.
//!
//! ```text
//! M_c = Σ_{i∈c} m_i      D_c = Σ_{i∈c} d_i      w_c = Σ_{i,j∈c} A_ij      cut_c = D_c − w_c
//! ```
//!
//! The cut of a partition is `Σ_c cut_c / M_c`; its penalised form is `F = Σ_c (cut_c / M_c − β)`.
//! Which cut it is (normalized, ratio, or one with given masses) depends on the masses alone.

use crate::cut::Cut;
use crate::graph::{Csr, Members, Weight};
use crate::ids::{Cluster, NONE};
use crate::numeric::compensated;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

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
    /// use lambdacut::{graph::{Csr, Unit}, cut::Cut, partition::Sums};
    /// let path: Csr<Unit> = Csr::from_edges(4, &[(0, 1, 1.0), (1, 2, 1.0), (2, 3, 1.0)]).unwrap();
    /// let sums = Sums::of(&path, &Cut::Normalized, &[0, 0, 1, 1], 2);
    /// assert_eq!((sums.degree[0], sums.inside[0]), (3.0, 2.0));
    /// assert!((sums.cut() - 2.0 / 3.0).abs() < 1e-15);
    /// ```
    pub fn of<W: Weight>(graph: &Csr<W>, cut: &Cut, labels: &[Cluster], k: usize) -> Self {
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
            mass: per_cluster(&|i| cut.mass(graph, i)),
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
