//! What a cluster costs: the masses that normalise its cut, and every conversion between β, λ' and
//! λ in one place. The resolution β is not part of a [`Cut`]: one cut is searched at many β.
//!
//! # One family
//!
//! Let `L = D − A` and let every vertex have a mass `m_i > 0`, `M = diag(m)`. The penalised cut is
//!
//! ```text
//! F = Σ_c (cut_c / M_c − β),      β = −λ'      (λ' as in the paper's `Cut + λ'k`)
//! ```
//!
//! Normalized cut is `m_i = d_i`, ratio cut `m_i = 1`; other masses are allowed. With the *shift*
//! `s`, take the kernel and the weights
//!
//! ```text
//! K = s·M⁻¹ − M⁻¹ L M⁻¹,      W = M.
//! ```
//!
//! Write `S = M K M = s·M − L`. The weighted kernel k-means objective is, for any kernel,
//! `J = Σ_i S_ii/m_i − Σ_c S(c,c)/M_c`, and here `S(c,c) = s·M_c − cut_c`, so that
//!
//! ```text
//! J + λk = C + Σ_c cut_c/M_c − βk,      λ = s − β,      C = Σ_i (s − ρ_i),      ρ_i = (d_i − A_ii)/m_i.
//! ```
//!
//! This is Theorem 5.3 of the paper and its ratio-cut twin at once. The paper's σ is the factor of
//! `M⁻¹` *before* `L` is expanded: for normalized cut `K = σD⁻¹ + D⁻¹AD⁻¹` means `s = σ + 1`, for
//! ratio cut `K = σI − L` means `s = σ`; with given masses σ is the shift itself.
//!
//! `K` is positive semi-definite exactly when `s ≥ ν_max`, the largest eigenvalue of `M^-½ L M^-½`.
//! [`Cut::shift_bound`] is an upper bound of `ν_max` in O(arcs).
//!
//! Isolated vertices (`d_i = 0`) are outside every sum here.

use crate::graph::{Components, Csr, Members, Weight, components};
use crate::ids::{Cluster, NONE};
use crate::numeric::{compensated, sum_by};
use crate::params::{ParamError, Resolution};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Which cut is minimised: by what the weight that leaves a cluster is divided.
///
/// ```
/// use lambdacut::{cut::Cut, graph::{Csr, Unit}};
/// let path: Csr<Unit> = Csr::from_edges(4, &[(0, 1, 1.0), (1, 2, 1.0), (2, 3, 1.0)]).unwrap();
/// let halves = Cut::Normalized.evaluate(&path, &[0, 0, 1, 1], 2);
/// assert!((halves.value(0.5) - (1.0 / 3.0 + 1.0 / 3.0 - 2.0 * 0.5)).abs() < 1e-15);
/// ```
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Cut {
    /// `Σ_c cut_c / D_c`: the mass of a vertex is its degree.
    #[default]
    #[serde(rename = "ncut")]
    Normalized,
    /// `Σ_c cut_c / n_c`: the mass of a vertex is 1.
    #[serde(rename = "rcut")]
    Ratio,
    /// `Σ_c cut_c / M_c` with masses of one's own, one for every vertex: positive and finite. Those
    /// of vertices without an edge do not matter.
    #[serde(rename = "masses")]
    Masses(Arc<[f64]>),
}

/// What a partition is worth, computed from scratch.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Evaluation {
    /// `Σ_c cut_c / M_c`.
    pub cut: f64,
    /// k.
    pub clusters: usize,
}

impl Evaluation {
    /// `F = cut − βk`.
    pub fn value(self, beta: f64) -> f64 {
        self.cut - beta * self.clusters as f64
    }
}

impl Cut {
    /// Checks that the masses fit a graph. Every algorithm does so before it begins.
    ///
    /// ```
    /// use lambdacut::{cut::Cut, graph::{Csr, Unit}};
    /// let edge: Csr<Unit> = Csr::from_edges(2, &[(0, 1, 1.0)]).unwrap();
    /// assert!(Cut::Masses([2.0, 3.0].into()).check(&edge).is_ok());
    /// let refused = Cut::Masses([2.0, 0.0].into()).check(&edge).unwrap_err();
    /// assert!(refused.to_string().contains("0 at vertex 1"));
    /// ```
    ///
    /// # Errors
    /// If there are more or fewer masses than vertices, or if one is not positive and finite: the
    /// message names the vertex.
    pub fn check<W: Weight>(&self, graph: &Csr<W>) -> Result<(), ParamError> {
        let Self::Masses(masses) = self else {
            return Ok(());
        };
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
        Ok(())
    }

    /// Its short name: `ncut`, `rcut` or `masses`.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Normalized => "ncut",
            Self::Ratio => "rcut",
            Self::Masses(_) => "masses",
        }
    }

    /// The mass `m_i` of vertex `i`.
    #[inline]
    pub fn mass<W: Weight>(&self, graph: &Csr<W>, i: usize) -> f64 {
        match self {
            Self::Normalized => graph.degree(i),
            Self::Ratio => 1.0,
            Self::Masses(masses) => masses[i],
        }
    }

    /// `Σ_i m_i` over the vertices that have an edge. O(vertices), parallel.
    pub fn total_mass<W: Weight>(&self, graph: &Csr<W>) -> f64 {
        let mass = |i| {
            if graph.degree(i) > 0.0 {
                self.mass(graph, i)
            } else {
                0.0
            }
        };
        sum_by(graph.vertices(), mass)
    }

    /// The shift `s` that the paper's σ stands for: `σ + 1` for normalized cut, σ otherwise.
    ///
    /// ```
    /// use lambdacut::cut::{Cut, lambda, resolution_of_lambda};
    /// let s = Cut::Normalized.shift_of_sigma(1.0);
    /// assert_eq!(lambda(s, 0.25), 1.0 + 1.0 - 0.25); // σ + 1 − β
    /// assert_eq!(resolution_of_lambda(1.75, s).unwrap().get(), 0.25);
    /// ```
    pub fn shift_of_sigma(&self, sigma: f64) -> f64 {
        sigma + self.sigma_offset()
    }

    /// The paper's σ of a shift.
    pub fn sigma_of_shift(&self, shift: f64) -> f64 {
        shift - self.sigma_offset()
    }

    fn sigma_offset(&self) -> f64 {
        if *self == Self::Normalized { 1.0 } else { 0.0 }
    }

    /// The constant `C = Σ_i (s − ρ_i)` of `J + λk = C + F`. O(vertices log degree), parallel.
    pub fn constant<W: Weight>(&self, graph: &Csr<W>, shift: f64) -> f64 {
        let term = |i| {
            if graph.degree(i) > 0.0 {
                shift - self.outside_ratio(graph, i)
            } else {
                0.0
            }
        };
        sum_by(graph.vertices(), term)
    }

    /// `ρ_i = (d_i − A_ii)/m_i`: the cut ratio of vertex `i` alone. O(log degree) when the graph
    /// has loops, else O(1).
    #[inline]
    pub fn outside_ratio<W: Weight>(&self, graph: &Csr<W>, i: usize) -> f64 {
        outside(graph, i) / self.mass(graph, i)
    }

    /// An upper bound of `ν_max(M^-½ L M^-½)`, hence a shift at which K is positive semi-definite:
    /// the largest `ρ_i + ρ_j` over all edges. For normalized cut it is at most 2 (the paper's
    /// `σ = 1`), for ratio cut at most twice the largest degree. O(arcs), parallel.
    pub fn shift_bound<W: Weight>(&self, graph: &Csr<W>) -> f64 {
        anderson_morley_bound(graph, |i| self.mass(graph, i))
    }

    /// The cut of a partition into `k` clusters ([`NONE`] for isolated vertices), from
    /// scratch. O(arcs), parallel, compensated; what leaves a cluster is added up directly, so that
    /// a small cut is not the difference of two large sums. At most 12 bytes a vertex and 8 a
    /// cluster.
    pub fn evaluate<W: Weight>(&self, graph: &Csr<W>, labels: &[Cluster], k: usize) -> Evaluation {
        let rows = graph.rows();
        let leaving = |i: usize| {
            compensated(
                rows.row(i)
                    .filter(|&(j, _)| labels[j as usize] != labels[i])
                    .map(|(_, w)| w),
            )
        };
        let outside: Vec<f64> = (0..graph.vertices())
            .into_par_iter()
            .with_min_len(64)
            .map(leaving)
            .collect();
        let members = Members::of(labels, k);
        let total = |c: usize, value: &dyn Fn(usize) -> f64| {
            compensated(members.members(c).iter().map(|&i| value(i as usize)))
        };
        let cut = sum_by(k, |c| {
            total(c, &|i| outside[i]) / total(c, &|i| self.mass(graph, i))
        });
        Evaluation { cut, clusters: k }
    }

    /// The same cut after the `k` clusters of `labels` have been contracted into vertices: their
    /// masses are `M_c`, with which the contracted graph has the same F. Degrees stay degrees.
    #[must_use]
    pub fn contracted<W: Weight>(&self, graph: &Csr<W>, labels: &[Cluster], k: usize) -> Self {
        if *self == Self::Normalized {
            return Self::Normalized;
        }
        let mut masses = vec![0.0; k];
        for (i, &c) in labels.iter().enumerate().filter(|&(_, &c)| c != NONE) {
            masses[c as usize] += self.mass(graph, i);
        }
        Self::Masses(Arc::from(masses))
    }
}

/// `λ = s − β`: the price of a cluster in kernel space at shift `s`.
pub fn lambda(shift: f64, beta: f64) -> f64 {
    shift - beta
}

/// `β = s − λ`, the way back; an error says why β ≤ 0 is of no use.
pub fn resolution_of_lambda(lambda: f64, shift: f64) -> Result<Resolution, ParamError> {
    Resolution::new(shift - lambda)
}

/// The largest `ρ_i + ρ_j` over all edges for any masses, `ρ_i = (d_i − A_ii)/m_i`: an upper bound of
/// the eigenvalues of `M^-½ L M^-½`. O(arcs), parallel.
///
/// Why: `L = Bᵀ R B` with the incidence matrix `B` and the edge weights `R`, so the non-zero
/// eigenvalues of `M⁻¹L` are those of `B M⁻¹ Bᵀ R`, whose row of edge `{i, j}` has the absolute sum
/// `ρ_i + ρ_j`; no eigenvalue exceeds the largest such sum (Gershgorin on edges; Anderson and
/// Morley's bound).
pub(crate) fn anderson_morley_bound<W: Weight>(
    graph: &Csr<W>,
    mass: impl Fn(usize) -> f64 + Sync,
) -> f64 {
    let rows = graph.rows();
    let ratio = |i: usize| outside(graph, i) / mass(i);
    let largest_at = |i: usize| {
        let later = rows.targets(i).iter().filter(|&&j| j as usize > i);
        let largest = later.map(|&j| ratio(j as usize)).reduce(f64::max);
        largest.map_or(0.0, |largest| ratio(i) + largest)
    };
    (0..graph.vertices())
        .into_par_iter()
        .with_min_len(256)
        .map(largest_at)
        .reduce(|| 0.0, f64::max)
}

/// `d_i − A_ii`: the weight between vertex `i` and the others.
#[inline]
fn outside<W: Weight>(graph: &Csr<W>, i: usize) -> f64 {
    graph.degree(i) - loop_weight(graph, i)
}

/// `A_ii`: O(log degree) when the graph has loops, O(1) when it has none.
#[inline]
pub(crate) fn loop_weight<W: Weight>(graph: &Csr<W>, i: usize) -> f64 {
    if graph.self_loops() == 0 {
        return 0.0;
    }
    let rows = graph.rows();
    let at = rows.targets(i).binary_search(&(i as u32));
    at.map_or(0.0, |at| rows.weights[rows.offsets[i] as usize + at].get())
}

/// The answer for β ≤ 0: one cluster per connected component.
///
/// - At β = 0, `F = cut ≥ 0`, and the components have cut 0: no clustering is better.
/// - At β < 0, `F = cut + |β|k`: a clustering into *connected* clusters has at least one for every
///   component, so none of them is better, and every other one is worse. Among all clusterings,
///   everything in one cluster is then best, whatever the graph; that says nothing about it.
///
/// ```
/// use lambdacut::graph::{Csr, Unit};
/// use lambdacut::cut::component_clustering;
/// let g: Csr<Unit> = Csr::from_edges(4, &[(0, 1, 1.0), (2, 3, 1.0)]).unwrap();
/// assert_eq!(component_clustering(&g).labels, [0, 0, 1, 1]);
/// ```
pub fn component_clustering<W: Weight>(graph: &Csr<W>) -> Components {
    components(graph)
}
