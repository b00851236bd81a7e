//! What the algorithm needs to know about a kernel, and the kernel of a graph.
//!
//! With weights `m_i` everything is said by the *similarities* `S_ij = m_i m_j K_ij`. Write `S(i,c) = Σ_{j∈c} S_ij`,
//! `S(c,c) = Σ_{i,j∈c} S_ij`. Then
//!
//! ```text
//! m_i ‖φ_i − μ_c‖² = S_ii/m_i + δ(i,c),      δ(i,c) = m_i g_c − 2 S(i,c)/M_c,      g_c = S(c,c)/M_c² = ‖μ_c‖²,
//! ```
//!
//! and a new cluster is opened when `min_c δ(i,c) > t_i = λ − S_ii/m_i`. The algorithm works with δ and `t_i` throughout: the part that does
//! not depend on the cluster cancels.

use crate::graph::{Graph, Rows, Weight};
use crate::ids::{Cluster, Vertex};
use crate::numeric::sum_by;
use crate::objective::{Objective, loop_weight};
use crate::partition::Masses;
use std::ops::Range;

/// What is known about the entries of `S` off the diagonal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Links {
    /// Never negative: a link can only bring a vertex closer, so the best unlinked cluster needs no exclusions.
    NonNegative,
    /// Any sign.
    Signed,
    /// Any sign, and every row lists every element: nothing is ever unlinked.
    Full,
}

/// The two sums of a cluster: its mass and [`Similarity::part`] of its members.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct ClusterSums {
    pub mass: f64,
    pub part: f64,
}

/// The links of one row to its own cluster and to all others.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Split {
    pub inside: f64,
    pub outside: f64,
}

/// A kernel with weights and a price λ of a cluster.
pub(super) trait Similarity: Sync {
    fn elements(&self) -> usize;
    /// `false` for an element outside the problem (an isolated vertex).
    fn takes_part(&self, i: usize) -> bool;
    fn links(&self) -> Links;
    /// `m_i`.
    fn mass(&self, i: usize) -> f64;
    /// The stored entries of row `i`, the diagonal included if stored.
    fn row(&self, i: usize) -> impl ExactSizeIterator<Item = (Vertex, f64)>;
    /// The values of these entries.
    fn links_of(&self, i: usize) -> impl ExactSizeIterator<Item = f64>;
    /// Appends the labels of all entries of consecutive rows. Gathering many rows in one plain loop lets the processor wait for many labels at a
    /// time, which it cannot while it decides row after row.
    fn gather(&self, rows: Range<usize>, labels: &[Cluster], into: &mut Vec<Cluster>) {
        rows.for_each(|i| into.extend(self.row(i).map(|(j, _)| labels[j as usize])));
    }
    /// `S_ii` less the stored diagonal entry.
    fn unstored(&self, i: usize) -> f64;
    /// `S_ii`.
    fn own(&self, i: usize) -> f64;
    /// `t_i = λ − S_ii/m_i`.
    fn threshold(&self, i: usize) -> f64;
    /// The stored entries of row `i`, whose labels are given, inside cluster `own` and outside it.
    fn split(&self, i: usize, own: Cluster, labels: &[Cluster]) -> Split;
    /// What a member with these links adds to the second sum of its cluster.
    fn part(&self, links: Split) -> f64;
    /// The same from the inside alone.
    fn part_by_inside(&self, i: usize, inside: f64) -> f64;
    /// `S(c,c)` from the sums.
    fn total(&self, sums: ClusterSums) -> f64;
    /// The penalised objective at these sums.
    fn value(&self, sums: &[ClusterSums]) -> f64;
    /// The order of magnitude of a distance.
    fn scale(&self) -> f64;
}

/// The kernel `K = s·M⁻¹ − M⁻¹LM⁻¹` of a graph: `S = s·M − L`, that is `S_ij = A_ij` off the diagonal and
/// `S_ii = s m_i − d_i + A_ii`. Nothing but the graph is stored.
///
/// The second sum of a cluster is `cut_c = Σ_{i∈c} Σ_{j∉c} A_ij`, added up directly, so that a small cut of a heavy cluster is not the
/// difference of two large numbers; `S(c,c) = s M_c − cut_c`.
#[derive(Debug)]
pub(super) struct GraphSimilarity<'a, W: Weight> {
    graph: &'a Graph<W>,
    rows: Rows<'a, W>,
    objective: &'a Objective,
    shift: f64,
}

impl<'a, W: Weight> GraphSimilarity<'a, W> {
    pub fn new(graph: &'a Graph<W>, objective: &'a Objective, shift: f64) -> Self {
        Self { graph, rows: graph.rows(), objective, shift }
    }

    #[inline]
    fn degree(&self, i: usize) -> f64 {
        if W::UNIT { (self.rows.offsets[i + 1] - self.rows.offsets[i]) as f64 } else { self.graph.degree(i) }
    }

    /// Where the entries of consecutive rows are stored.
    #[inline]
    fn entries(&self, rows: Range<usize>) -> Range<usize> {
        self.rows.offsets[rows.start] as usize..self.rows.offsets[rows.end] as usize
    }
}

impl<W: Weight> Similarity for GraphSimilarity<'_, W> {
    fn elements(&self) -> usize {
        self.graph.vertices()
    }

    #[inline]
    fn takes_part(&self, i: usize) -> bool {
        self.degree(i) > 0.0
    }

    #[inline]
    fn links(&self) -> Links {
        Links::NonNegative
    }

    #[inline]
    fn mass(&self, i: usize) -> f64 {
        match self.objective.masses() {
            Masses::Degree => self.degree(i),
            masses => masses.get(self.graph, i),
        }
    }

    #[inline]
    fn row(&self, i: usize) -> impl ExactSizeIterator<Item = (Vertex, f64)> {
        self.rows.row(i)
    }

    #[inline]
    fn links_of(&self, i: usize) -> impl ExactSizeIterator<Item = f64> {
        self.rows.weights[self.entries(i..i + 1)].iter().map(|w| w.get())
    }

    #[inline]
    fn gather(&self, rows: Range<usize>, labels: &[Cluster], into: &mut Vec<Cluster>) {
        into.extend(self.rows.targets[self.entries(rows)].iter().map(|&j| labels[j as usize]));
    }

    #[inline]
    fn unstored(&self, i: usize) -> f64 {
        self.shift * self.mass(i) - self.degree(i)
    }

    #[inline]
    fn own(&self, i: usize) -> f64 {
        self.unstored(i) + loop_weight(self.graph, i)
    }

    /// `t_i = ρ_i − β`: the shift cancels.
    #[inline]
    fn threshold(&self, i: usize) -> f64 {
        (self.degree(i) - loop_weight(self.graph, i)) / self.mass(i) - self.objective.beta()
    }

    #[inline]
    fn split(&self, i: usize, own: Cluster, labels: &[Cluster]) -> Split {
        if W::UNIT {
            let outside: u32 = labels.iter().map(|&c| u32::from(c != own)).sum();
            return Split { inside: (labels.len() as u32 - outside).into(), outside: outside.into() };
        }
        let (mut inside, mut outside) = (0.0, 0.0);
        for (link, &c) in self.links_of(i).zip(labels) {
            inside += if c == own { link } else { 0.0 };
            outside += if c == own { 0.0 } else { link };
        }
        Split { inside, outside }
    }

    #[inline]
    fn part(&self, links: Split) -> f64 {
        links.outside
    }

    #[inline]
    fn part_by_inside(&self, i: usize, inside: f64) -> f64 {
        self.degree(i) - inside
    }

    fn total(&self, sums: ClusterSums) -> f64 {
        self.shift * sums.mass - sums.part
    }

    /// `F = Σ_c cut_c/M_c − βk`.
    fn value(&self, sums: &[ClusterSums]) -> f64 {
        sum_by(sums.len(), |c| sums[c].part / sums[c].mass) - self.objective.beta() * sums.len() as f64
    }

    fn scale(&self) -> f64 {
        if self.shift == 0.0 { self.objective.beta() } else { self.shift }
    }
}
