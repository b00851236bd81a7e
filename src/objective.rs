//! Penalised cuts as data: vertex masses, a resolution β, and every conversion between β, λ' and λ
//! in one place.
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
//! [`Objective::shift_bound`] is an upper bound of `ν_max` in O(arcs).
//!
//! Isolated vertices (`d_i = 0`) are outside every sum here.

use crate::graph::{Components, Graph, Members, Weight, components};
use crate::ids::{Cluster, NONE};
use crate::numeric::{compensated, sum_by};
use crate::params::{ObjectiveKind, ParamError, Resolution};
use crate::partition::Masses;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// A penalised cut: which masses normalise it, and its resolution β.
///
/// ```
/// use lambdacut::graph::{Graph, Unit};
/// use lambdacut::objective::Objective;
/// use lambdacut::params::{ObjectiveKind, Resolution};
///
/// let path: Graph<Unit> = Graph::from_edges(4, &[(0, 1, 1.0), (1, 2, 1.0), (2, 3, 1.0)]).unwrap();
/// let ncut = Objective::new(ObjectiveKind::NormalizedCut, Resolution::new(0.5).unwrap());
/// let value = ncut.evaluate(&path, &[0, 0, 1, 1], 2).value;
/// assert!((value - (1.0 / 3.0 + 1.0 / 3.0 - 2.0 * 0.5)).abs() < 1e-15);
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Objective {
    masses: Masses,
    resolution: Resolution,
}

/// What a partition is worth, computed from scratch.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Evaluation {
    /// `F = cut − βk`.
    pub value: f64,
    /// `Σ_c cut_c / M_c`.
    pub cut: f64,
    /// k.
    pub clusters: usize,
}

impl Objective {
    /// Normalized or ratio cut at a resolution.
    pub fn new(kind: ObjectiveKind, resolution: Resolution) -> Self {
        Self {
            masses: Masses::of(kind),
            resolution,
        }
    }

    /// The cut that is normalised by the given masses: one for every vertex of `graph`, positive
    /// and finite (those of isolated vertices are not looked at).
    ///
    /// ```
    /// use lambdacut::{graph::{Graph, Unit}, objective::Objective, params::Resolution};
    /// let edge: Graph<Unit> = Graph::from_edges(2, &[(0, 1, 1.0)]).unwrap();
    /// let beta = Resolution::new(0.3).unwrap();
    /// assert!(Objective::with_masses(&edge, vec![2.0, 3.0], beta).is_ok());
    /// assert!(Objective::with_masses(&edge, vec![2.0, 0.0], beta).is_err());
    /// ```
    pub fn with_masses<W: Weight>(
        graph: &Graph<W>,
        masses: Vec<f64>,
        resolution: Resolution,
    ) -> Result<Self, ParamError> {
        Ok(Self {
            masses: Masses::given(graph, masses)?,
            resolution,
        })
    }

    /// The same cut at another resolution.
    #[must_use]
    pub fn at(&self, resolution: Resolution) -> Self {
        Self {
            masses: self.masses.clone(),
            resolution,
        }
    }

    /// The masses.
    pub fn masses(&self) -> &Masses {
        &self.masses
    }

    /// Normalized or ratio cut; `None` with given masses.
    pub fn kind(&self) -> Option<ObjectiveKind> {
        match self.masses {
            Masses::Degree => Some(ObjectiveKind::NormalizedCut),
            Masses::One => Some(ObjectiveKind::RatioCut),
            _ => None,
        }
    }

    /// β as a checked parameter.
    pub fn resolution(&self) -> Resolution {
        self.resolution
    }

    /// β.
    pub fn beta(&self) -> f64 {
        self.resolution.get()
    }

    /// The paper's `λ' = −β`.
    pub fn lambda_prime(&self) -> f64 {
        -self.beta()
    }

    /// `λ = s − β`: the price of a cluster in kernel space at shift `s`.
    ///
    /// ```
    /// use lambdacut::{objective::Objective, params::{ObjectiveKind, Resolution}};
    /// let ncut = Objective::new(ObjectiveKind::NormalizedCut, Resolution::new(0.25).unwrap());
    /// let s = ncut.shift_of_sigma(1.0);
    /// assert_eq!(ncut.lambda(s), 1.0 + 1.0 - 0.25); // σ + 1 − β
    /// assert_eq!(ncut.resolution_of_lambda(1.75, s).unwrap().get(), 0.25);
    /// ```
    pub fn lambda(&self, shift: f64) -> f64 {
        shift - self.beta()
    }

    /// `β = s − λ`, the way back; an error says why β ≤ 0 is of no use.
    pub fn resolution_of_lambda(&self, lambda: f64, shift: f64) -> Result<Resolution, ParamError> {
        Resolution::new(shift - lambda)
    }

    /// The shift `s` that the paper's σ stands for: `σ + 1` for normalized cut, σ otherwise.
    pub fn shift_of_sigma(&self, sigma: f64) -> f64 {
        sigma + self.sigma_offset()
    }

    /// The paper's σ of a shift.
    pub fn sigma_of_shift(&self, shift: f64) -> f64 {
        shift - self.sigma_offset()
    }

    fn sigma_offset(&self) -> f64 {
        if self.masses == Masses::Degree {
            1.0
        } else {
            0.0
        }
    }

    /// The constant `C = Σ_i (s − ρ_i)` of `J + λk = C + F`. O(vertices log degree), parallel.
    pub fn constant<W: Weight>(&self, graph: &Graph<W>, shift: f64) -> f64 {
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
    pub fn outside_ratio<W: Weight>(&self, graph: &Graph<W>, i: usize) -> f64 {
        (graph.degree(i) - loop_weight(graph, i)) / self.masses.get(graph, i)
    }

    /// An upper bound of `ν_max(M^-½ L M^-½)`, hence a shift at which K is positive semi-definite:
    /// the largest `ρ_i + ρ_j` over all edges. O(arcs), parallel.
    ///
    /// Why: `L = Bᵀ R B` with the incidence matrix `B` and the edge weights `R`, so the non-zero
    /// eigenvalues of `M⁻¹L` are those of `B M⁻¹ Bᵀ R`, whose row of edge `{i, j}` has the absolute
    /// sum `ρ_i + ρ_j`; no eigenvalue exceeds the largest such sum (Gershgorin on edges; Anderson
    /// and Morley's bound). For normalized cut it is at most 2 (the paper's `σ = 1`), for ratio cut
    /// at most twice the largest degree.
    pub fn shift_bound<W: Weight>(&self, graph: &Graph<W>) -> f64 {
        let rows = graph.rows();
        let largest_at = |i: usize| {
            let own = self.outside_ratio(graph, i);
            let others = rows.targets(i).iter().filter(|&&j| j as usize > i);
            others
                .map(|&j| own + self.outside_ratio(graph, j as usize))
                .fold(0.0, f64::max)
        };
        (0..graph.vertices())
            .into_par_iter()
            .with_min_len(256)
            .map(largest_at)
            .reduce(|| 0.0, f64::max)
    }

    /// F, the cut and k of a partition into `k` clusters ([`NONE`] for isolated vertices), from
    /// scratch. O(arcs), parallel, compensated; what leaves a cluster is added up directly, so that
    /// a small cut is not the difference of two large sums. At most 12 bytes a vertex and 8 a
    /// cluster.
    pub fn evaluate<W: Weight>(
        &self,
        graph: &Graph<W>,
        labels: &[Cluster],
        k: usize,
    ) -> Evaluation {
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
            total(c, &|i| outside[i]) / total(c, &|i| self.masses.get(graph, i))
        });
        Evaluation {
            value: cut - self.beta() * k as f64,
            cut,
            clusters: k,
        }
    }

    /// The masses after the `k` clusters of `labels` have been contracted into vertices: `M_c`,
    /// with which the contracted graph has the same F. Degrees stay degrees.
    #[must_use]
    pub fn contracted<W: Weight>(&self, graph: &Graph<W>, labels: &[Cluster], k: usize) -> Self {
        if self.masses == Masses::Degree {
            return self.clone();
        }
        let mut masses = vec![0.0; k];
        for (i, &c) in labels.iter().enumerate().filter(|&(_, &c)| c != NONE) {
            masses[c as usize] += self.masses.get(graph, i);
        }
        Self {
            masses: Masses::Given(Arc::from(masses)),
            resolution: self.resolution,
        }
    }
}

/// `A_ii`: O(log degree) when the graph has loops, O(1) when it has none.
#[inline]
pub(crate) fn loop_weight<W: Weight>(graph: &Graph<W>, i: usize) -> f64 {
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
/// use lambdacut::graph::{Graph, Unit};
/// use lambdacut::objective::component_clustering;
/// let g: Graph<Unit> = Graph::from_edges(4, &[(0, 1, 1.0), (2, 3, 1.0)]).unwrap();
/// assert_eq!(component_clustering(&g).labels, [0, 0, 1, 1]);
/// ```
pub fn component_clustering<W: Weight>(graph: &Graph<W>) -> Components {
    components(graph)
}
