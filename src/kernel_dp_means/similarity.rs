//! What the algorithm needs to know about a kernel, and the kernel of a graph.
//!
//! With weights `m_i` everything is said by the *similarities* `S_ij = m_i m_j K_ij`. Write `S(i,c)
//! = Σ_{j∈c} S_ij`, `S(c,c) = Σ_{i,j∈c} S_ij`. Then
//!
//! ```text
//! m_i ‖φ_i − μ_c‖² = S_ii/m_i + δ(i,c),      δ(i,c) = m_i g_c − 2 S(i,c)/M_c,      g_c = S(c,c)/M_c² = ‖μ_c‖²,
//! ```
//!
//! and a new cluster is opened when `min_c δ(i,c) > t_i = λ − S_ii/m_i`. The algorithm works with δ
//! and `t_i` throughout: the part that does not depend on the cluster cancels.

use crate::cut::Cut;
use crate::cut::loop_weight;
use crate::graph::{Csr, Rows, Weight};
use crate::ids::{Cluster, Vertex};
use crate::numeric::sum_by;

/// What is known about the entries of `S` off the diagonal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Links {
    /// Never negative: a link can only bring a vertex closer, so the best unlinked cluster needs no
    /// exclusions.
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

impl Split {
    fn of_counts(inside: u32, entries: usize) -> Self {
        Self {
            inside: inside.into(),
            outside: entries as f64 - f64::from(inside),
        }
    }

    #[inline]
    fn add(&mut self, inside: bool, link: f64) {
        self.inside += if inside { link } else { 0.0 };
        self.outside += if inside { 0.0 } else { link };
    }
}

/// Buckets of a sketch: enough that a bucket of unrelated labels holds a small part of a row.
pub(super) const BUCKETS: usize = 16;

/// The links of one row, also summed by the last bits of the label: no bucket holds less than any
/// of its clusters.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sketch {
    pub links: Split,
    pub buckets: [f64; BUCKETS],
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
    /// The number of stored entries of all rows.
    fn entries(&self) -> usize;
    /// `S_ii` less the stored diagonal entry.
    fn unstored(&self, i: usize) -> f64;
    /// `S_ii`.
    fn own(&self, i: usize) -> f64;
    /// `t_i = λ − S_ii/m_i`.
    fn threshold(&self, i: usize) -> f64;
    /// The stored entries of row `i` inside cluster `own` and outside it; `labels` are those of all
    /// elements.
    #[inline]
    fn split(&self, i: usize, own: Cluster, labels: &[Cluster]) -> Split {
        split(self, i, own, labels)
    }
    /// The same, to the last bit, with the sums of the buckets.
    #[inline]
    fn sketch(&self, i: usize, own: Cluster, labels: &[Cluster]) -> Sketch {
        sketch(self, i, own, labels)
    }
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

/// [`Similarity::split`] for links of any weight.
#[inline]
fn split<S: Similarity + ?Sized>(
    similarity: &S,
    i: usize,
    own: Cluster,
    labels: &[Cluster],
) -> Split {
    let mut links = Split {
        inside: 0.0,
        outside: 0.0,
    };
    similarity
        .row(i)
        .for_each(|(j, link)| links.add(labels[j as usize] == own, link));
    links
}

/// [`Similarity::sketch`] for links of any weight.
#[inline]
fn sketch<S: Similarity + ?Sized>(
    similarity: &S,
    i: usize,
    own: Cluster,
    labels: &[Cluster],
) -> Sketch {
    let mut sketch = Sketch {
        links: Split {
            inside: 0.0,
            outside: 0.0,
        },
        buckets: [0.0; BUCKETS],
    };
    for (j, link) in similarity.row(i) {
        let c = labels[j as usize];
        sketch.links.add(c == own, link);
        sketch.buckets[c as usize % BUCKETS] += link;
    }
    sketch
}

/// The kernel `K = s·M⁻¹ − M⁻¹LM⁻¹` of a graph: `S = s·M − L`, that is `S_ij = A_ij` off the
/// diagonal and `S_ii = s m_i − d_i + A_ii`. Nothing but the graph is stored.
///
/// The second sum of a cluster is `cut_c = Σ_{i∈c} Σ_{j∉c} A_ij`, added up directly, so that a
/// small cut of a heavy cluster is not the difference of two large numbers; `S(c,c) = s M_c −
/// cut_c`.
#[derive(Debug)]
pub(super) struct GraphSimilarity<'a, W: Weight> {
    graph: &'a Csr<W>,
    rows: Rows<'a, W>,
    cut: &'a Cut,
    beta: f64,
    shift: f64,
}

impl<'a, W: Weight> GraphSimilarity<'a, W> {
    pub fn new(graph: &'a Csr<W>, cut: &'a Cut, beta: f64, shift: f64) -> Self {
        Self {
            graph,
            rows: graph.rows(),
            cut,
            beta,
            shift,
        }
    }

    #[inline]
    fn degree(&self, i: usize) -> f64 {
        if W::UNIT {
            (self.rows.offsets[i + 1] - self.rows.offsets[i]) as f64
        } else {
            self.graph.degree(i)
        }
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
        match self.cut {
            Cut::Normalized => self.degree(i),
            cut => cut.mass(self.graph, i),
        }
    }

    #[inline]
    fn row(&self, i: usize) -> impl ExactSizeIterator<Item = (Vertex, f64)> {
        self.rows.row(i)
    }

    fn entries(&self) -> usize {
        self.graph.arcs()
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
        (self.degree(i) - loop_weight(self.graph, i)) / self.mass(i) - self.beta
    }

    #[inline]
    fn split(&self, i: usize, own: Cluster, labels: &[Cluster]) -> Split {
        if !W::UNIT {
            return split(self, i, own, labels);
        }
        let targets = self.rows.targets(i);
        let inside: u32 = targets
            .iter()
            .map(|&j| u32::from(labels[j as usize] == own))
            .sum();
        Split::of_counts(inside, targets.len())
    }

    #[inline]
    fn sketch(&self, i: usize, own: Cluster, labels: &[Cluster]) -> Sketch {
        if !W::UNIT {
            return sketch(self, i, own, labels);
        }
        let targets = self.rows.targets(i);
        // Integers: a floating-point sum would have to wait for the one before it.
        let (mut inside, mut counts) = (0, [0i32; BUCKETS]);
        for &j in targets {
            let c = labels[j as usize];
            inside += u32::from(c == own);
            counts[c as usize % BUCKETS] += 1;
        }
        Sketch {
            links: Split::of_counts(inside, targets.len()),
            buckets: counts.map(f64::from),
        }
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
        sum_by(sums.len(), |c| sums[c].part / sums[c].mass) - self.beta * sums.len() as f64
    }

    fn scale(&self) -> f64 {
        if self.shift == 0.0 {
            self.beta
        } else {
            self.shift
        }
    }
}
