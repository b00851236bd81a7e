//! The means that stay fixed during a pass, and the nearest of them.

use super::similarity::{ClusterSums, Links, Similarity};
use super::tally::Tally;
use crate::ids::{Cluster, NONE};
use rayon::prelude::*;

/// Rounds distances to a grid of 2⁻³⁰ of their order of magnitude, so that distances equal on paper are equal in the machine: ties are then
/// decided by the stated rule instead of by rounding noise. Rounding is monotone, so "nearer on the grid" implies "nearer".
#[derive(Debug, Clone, Copy)]
pub(super) struct Grid(f64);

impl Grid {
    pub fn new(scale: f64) -> Self {
        // The largest power of two that is not above the scale: its exponent bits alone.
        let power = f64::from_bits(scale.abs().clamp(1e-200, 1e200).to_bits() & 0x7FF0_0000_0000_0000);
        // Adding 1.5·2⁵² units and taking them away again leaves the nearest multiple of the unit.
        Self(1.5 * f64::from(1u32 << 22) * power)
    }

    #[inline]
    pub fn snap(self, x: f64) -> f64 {
        (x + self.0) - self.0
    }
}

/// A cluster and how far it is: δ on the grid.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Candidate {
    pub delta: f64,
    pub cluster: Cluster,
}

impl Candidate {
    pub const NOWHERE: Self = Self { delta: f64::INFINITY, cluster: NONE };

    /// The nearer of the two; the lower index on a tie.
    #[inline]
    pub fn or(self, other: Self) -> Self {
        let nearer = other.delta < self.delta || (other.delta == self.delta && other.cluster < self.cluster);
        if nearer { other } else { self }
    }
}

/// `g_c` and `p_c` of one mean.
#[derive(Debug, Clone, Copy)]
pub(super) struct Mean {
    /// `g_c = ‖μ_c‖²`.
    pub norm: f64,
    /// `p_c = 2/M_c`.
    pub pull: f64,
}

/// The means of all clusters, and the order in which unlinked ones are worth a look.
///
/// An unlinked cluster is at `δ = m_i g_c`: the nearest is the one with the smallest `g_c`, for every vertex the same. When links are never
/// negative a linked cluster is at most that far, so the smallest `g_c` may stand for all clusters but the vertex's own; hence the two
/// smallest are all that is kept. With signed links the whole order is kept and linked clusters are skipped, at most one for each entry of the row.
#[derive(Debug)]
pub(super) struct Means {
    all: Vec<Mean>,
    unlinked: Vec<Cluster>,
    pub grid: Grid,
}

impl Means {
    /// The means at `sums`, in whose memory they stay. O(k), or O(k log k) for signed links.
    pub fn new(similarity: &impl Similarity, sums: Vec<ClusterSums>) -> Self {
        let mean = |c: ClusterSums| Mean { norm: similarity.total(c) / (c.mass * c.mass), pull: 2.0 / c.mass };
        let means: Vec<Mean> = sums.into_iter().map(mean).collect();
        let by_norm = |a: &Cluster, b: &Cluster| {
            let (x, y) = (means[*a as usize].norm, means[*b as usize].norm);
            x.total_cmp(&y).then(a.cmp(b))
        };
        let all = 0..means.len() as Cluster;
        let unlinked = match similarity.links() {
            Links::NonNegative => two_smallest(all, by_norm),
            Links::Signed => {
                let mut order: Vec<Cluster> = all.collect();
                order.par_sort_unstable_by(by_norm);
                order
            }
            Links::Full => Vec::new(),
        };
        Self { all: means, unlinked, grid: Grid::new(similarity.scale()) }
    }

    /// k.
    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// A number that every vertex's nearest mean is at least as near as, times its mass (unless links are signed).
    pub fn worst_norm(&self) -> f64 {
        self.unlinked.get(1).map_or(f64::INFINITY, |&c| self.all[c as usize].norm)
    }

    /// Working memory for [`Means::nearest`]: an entry for each cluster, unless that is much for `elements` elements.
    pub fn tally(&self, elements: usize) -> Tally {
        if self.len() <= elements / 8 + 1024 { Tally::dense(self.len()) } else { Tally::hashed() }
    }

    /// The nearest mean of element `i`, now in cluster `own`, whose row carries these labels: its own cluster on a tie, else the lowest index. O(row).
    #[inline]
    pub fn nearest<S: Similarity>(
        &self,
        similarity: &S,
        i: usize,
        own: Cluster,
        labels: &[Cluster],
        tally: &mut Tally,
    ) -> Candidate {
        let mass = similarity.mass(i);
        let at = |c: Cluster, link: f64| {
            let mean = self.all[c as usize];
            Candidate { delta: self.grid.snap(mass * mean.norm - mean.pull * link), cluster: c }
        };
        tally.add_row(labels, similarity.links_of(i));
        let home = at(own, tally.take(own) + similarity.unstored(i));
        let mut best = tally.nearest(|c, link| at(c, link).delta);
        if let Some(c) = self.first_unlinked(similarity.links(), own, tally) {
            best = best.or(at(c, 0.0));
        }
        tally.clear();
        if home.delta <= best.delta { home } else { best }
    }

    /// The cluster that stands for all unlinked ones, or for more than these when links are never negative.
    #[inline]
    fn first_unlinked(&self, links: Links, own: Cluster, tally: &Tally) -> Option<Cluster> {
        if links != Links::Signed {
            return self.unlinked.iter().copied().find(|&c| c != own);
        }
        let mut linked: Vec<Cluster> = tally.clusters().collect();
        linked.sort_unstable();
        self.unlinked.iter().copied().find(|&c| c != own && linked.binary_search(&c).is_err())
    }
}

/// The two smallest of `items`, in order.
fn two_smallest(items: impl Iterator<Item = Cluster>, order: impl Fn(&Cluster, &Cluster) -> std::cmp::Ordering) -> Vec<Cluster> {
    let mut least: Vec<Cluster> = Vec::with_capacity(3);
    for item in items {
        if least.len() < 2 || order(&item, &least[1]).is_lt() {
            let at = least.partition_point(|kept| order(kept, &item).is_lt());
            least.insert(at, item);
            least.truncate(2);
        }
    }
    least
}
