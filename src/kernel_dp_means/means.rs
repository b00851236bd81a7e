//! The means that stay fixed during a pass, and the nearest of them.
//!
//! With `u_c = 1/M_c` and `h_c = S(c,c)/M_c`, `δ(i,c) = u_c (m_i h_c − 2 S(i,c))`. For a vertex
//! most clusters are out of the question before their sums are read: over all clusters `u_c` lies
//! in `[u⁻, u⁺]` and `h_c ≥ h⁻`, so that
//!
//! ```text
//! δ(i,c) ≥ b(S(i,c)),      b(l) = u⁻ t if t ≥ 0, else u⁺ t,      t = m_i h⁻ − 2l,
//! ```
//!
//! which falls with l. When links are not negative, a vertex stays without further ado if `b` at
//! all its links to others is not below its own δ. Failing that, links are summed by the last bits
//! of the label, and only clusters in buckets whose `b` is below are looked at; mostly there is
//! none.

use super::similarity::{BUCKETS, ClusterSums, Links, Similarity, Sketch};
use super::tally::Tally;
use crate::ids::{Cluster, NONE};
use rayon::prelude::*;

/// Rounds distances to a grid of 2⁻³⁰ of their order of magnitude, so that distances equal on paper
/// are equal in the machine: ties are then decided by the stated rule instead of by rounding noise.
/// Rounding is monotone, so "nearer on the grid" implies "nearer".
#[derive(Debug, Clone, Copy)]
pub(super) struct Grid(f64);

impl Grid {
    pub fn new(scale: f64) -> Self {
        // The largest power of two that is not above the scale: its exponent bits alone.
        let power =
            f64::from_bits(scale.abs().clamp(1e-200, 1e200).to_bits() & 0x7FF0_0000_0000_0000);
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
    pub const NOWHERE: Self = Self {
        delta: f64::INFINITY,
        cluster: NONE,
    };

    /// The nearer of the two; the lower index on a tie.
    #[inline]
    pub fn or(self, other: Self) -> Self {
        let nearer =
            other.delta < self.delta || (other.delta == self.delta && other.cluster < self.cluster);
        if nearer { other } else { self }
    }
}

/// What bounds leave for rounding, in relative terms: far more than the longest row loses.
const SLACK: f64 = 1.0 / (1u64 << 30) as f64;

/// The function `b` of the module's head, lower than on paper by [`SLACK`], so that it also holds
/// for rounded sums.
#[derive(Debug, Clone, Copy)]
struct Bound {
    least_inner: f64,
    heaviest: f64,
    lightest: f64,
}

impl Bound {
    /// Of no cluster.
    const EMPTY: Self = Self {
        least_inner: f64::INFINITY,
        heaviest: f64::INFINITY,
        lightest: 0.0,
    };

    /// Of one cluster.
    fn of(similarity: &impl Similarity, c: ClusterSums) -> Self {
        let (inner, inverse) = (similarity.total(c) / c.mass, 1.0 / c.mass);
        Self {
            least_inner: inner - SLACK * inner.abs(),
            heaviest: inverse * (1.0 - SLACK),
            lightest: inverse * (1.0 + SLACK),
        }
    }

    /// Of the clusters of both.
    fn and(self, other: Self) -> Self {
        Self {
            least_inner: self.least_inner.min(other.least_inner),
            heaviest: self.heaviest.min(other.heaviest),
            lightest: self.lightest.max(other.lightest),
        }
    }

    #[inline]
    fn at(self, mass: f64, link: f64) -> f64 {
        let t = mass * self.least_inner - 2.0 * (1.0 + SLACK) * link;
        t * if t >= 0.0 {
            self.heaviest
        } else {
            self.lightest
        }
    }
}

/// The means of all clusters, given by their sums, and the order in which unlinked ones are worth a
/// look.
///
/// An unlinked cluster is at `δ = m_i g_c`: the nearest is the one with the smallest `g_c`, for
/// every vertex the same. When links are never negative a linked cluster is at most that far, so
/// the smallest `g_c` may stand for all clusters but the vertex's own; hence the two smallest are
/// all that is kept. With signed links the whole order is kept and linked clusters are skipped, at
/// most one for each entry of the row.
#[derive(Debug)]
pub(super) struct Means<'a> {
    sums: &'a [ClusterSums],
    unlinked: Vec<Cluster>,
    /// `None` when links may be negative.
    bound: Option<Bound>,
    pub grid: Grid,
}

impl<'a> Means<'a> {
    /// The means at `sums`. O(k), or O(k log k) for signed links; parallel.
    pub fn new(similarity: &impl Similarity, sums: &'a [ClusterSums]) -> Self {
        let norm = |c: Cluster| norm(similarity, sums[c as usize]);
        let unlinked = match similarity.links() {
            Links::NonNegative => two_smallest(sums.len(), norm),
            Links::Signed => {
                let mut order: Vec<Cluster> = (0..sums.len() as Cluster).collect();
                order.par_sort_unstable_by(|&a, &b| norm(a).total_cmp(&norm(b)).then(a.cmp(&b)));
                order
            }
            Links::Full => Vec::new(),
        };
        let bound = (similarity.links() == Links::NonNegative).then(|| {
            let bounds = sums
                .par_iter()
                .with_min_len(4096)
                .map(|&c| Bound::of(similarity, c));
            bounds.reduce(|| Bound::EMPTY, Bound::and)
        });
        Self {
            sums,
            unlinked,
            bound,
            grid: Grid::new(similarity.scale()),
        }
    }

    /// k.
    pub fn len(&self) -> usize {
        self.sums.len()
    }

    /// A number that every vertex's nearest mean is at least as near as, times its mass (unless
    /// links are signed).
    pub fn worst_norm(&self, similarity: &impl Similarity) -> f64 {
        self.unlinked
            .get(1)
            .map_or(f64::INFINITY, |&c| norm(similarity, self.sums[c as usize]))
    }

    /// Cluster `c` as seen by an element of this mass with this link to it.
    #[inline]
    fn at(&self, similarity: &impl Similarity, c: Cluster, mass: f64, link: f64) -> Candidate {
        let sums = self.sums[c as usize];
        let inverse = 1.0 / sums.mass;
        Candidate {
            delta: self
                .grid
                .snap(inverse * (mass * inverse * similarity.total(sums) - 2.0 * link)),
            cluster: c,
        }
    }

    /// The nearest mean of element `i`; `labels` are those before the pass. Its own cluster on a
    /// tie, else the lowest index. O(row).
    #[inline]
    pub fn nearest<S: Similarity>(
        &self,
        similarity: &S,
        i: usize,
        labels: &[Cluster],
        tally: &mut Tally,
    ) -> Candidate {
        let (own, mass) = (labels[i], similarity.mass(i));
        // A guess from the element before: whether the row will be needed in more detail.
        let sketch = tally.unsettled.then(|| similarity.sketch(i, own, labels));
        let links = sketch
            .as_ref()
            .map_or_else(|| similarity.split(i, own, labels), |sketch| sketch.links);
        let home = self.at(similarity, own, mass, links.inside + similarity.unstored(i));
        tally.unsettled = self
            .bound
            .is_none_or(|bound| bound.at(mass, links.outside) < home.delta);
        if !tally.unsettled {
            return home;
        }
        let sketch = sketch.unwrap_or_else(|| similarity.sketch(i, own, labels));
        let live = self.live(&sketch, own, mass, home);
        if live == 0 {
            return home;
        }
        let best = self.nearest_other(similarity, i, labels, live, home, tally);
        if home.delta <= best.delta { home } else { best }
    }

    /// One bit a bucket: whether it may hold a cluster that is nearer than `home`.
    #[inline]
    fn live(&self, sketch: &Sketch, own: Cluster, mass: f64, home: Candidate) -> u32 {
        let Some(bound) = self.bound else {
            return u32::MAX;
        };
        let mut buckets = sketch.buckets;
        // The two sums were added up in different orders; what that may cost stays in the bucket.
        buckets[own as usize % BUCKETS] -= sketch.links.inside * (1.0 - SLACK);
        let most = buckets
            .iter()
            .copied()
            .fold(0.0, |a, b| if b > a { b } else { a });
        if bound.at(mass, most) >= home.delta {
            return 0;
        }
        let bit = |(at, &link): (usize, &f64)| u32::from(bound.at(mass, link) < home.delta) << at;
        buckets.iter().enumerate().map(bit).sum()
    }

    /// The nearest mean but `home` among the unlinked ones and those in live buckets; one that is
    /// not nearer than `home` may be passed over.
    #[inline(never)]
    fn nearest_other<S: Similarity>(
        &self,
        similarity: &S,
        i: usize,
        labels: &[Cluster],
        live: u32,
        home: Candidate,
        tally: &mut Tally,
    ) -> Candidate {
        let (own, mass) = (home.cluster, similarity.mass(i));
        let row = similarity.row(i);
        tally.add_row(
            row.len(),
            row.map(|(j, link)| (labels[j as usize], link)),
            |c| live >> (c as usize % BUCKETS) & 1 == 1,
        );
        let unlinked = self.first_unlinked(similarity.links(), own, tally);
        let mut best = unlinked.map_or(Candidate::NOWHERE, |c| self.at(similarity, c, mass, 0.0));
        for (c, link) in tally.sums().filter(|&(c, _)| c != own) {
            // A tie goes to `home`, but between two others to the lower number.
            let out = |least: f64| least >= home.delta || least > best.delta;
            if !self
                .bound
                .is_some_and(|bound| out(self.grid.snap(bound.at(mass, link))))
            {
                best = best.or(self.at(similarity, c, mass, link));
            }
        }
        tally.clear();
        best
    }

    /// The cluster that stands for all unlinked ones, or for more than these when links are never
    /// negative.
    #[inline]
    fn first_unlinked(&self, links: Links, own: Cluster, tally: &Tally) -> Option<Cluster> {
        if links != Links::Signed {
            return self.unlinked.iter().copied().find(|&c| c != own);
        }
        let mut linked: Vec<Cluster> = tally.sums().map(|(c, _)| c).collect();
        linked.sort_unstable();
        self.unlinked
            .iter()
            .copied()
            .find(|&c| c != own && linked.binary_search(&c).is_err())
    }
}

/// `g_c = ‖μ_c‖²`.
#[inline]
fn norm(similarity: &impl Similarity, c: ClusterSums) -> f64 {
    similarity.total(c) / (c.mass * c.mass)
}

/// The two of `0..k` with the smallest norms, in order; the lower number first on a tie.
fn two_smallest(k: usize, norm: impl Fn(Cluster) -> f64 + Sync) -> Vec<Cluster> {
    let keep = |mut least: Vec<(f64, Cluster)>, item: (f64, Cluster)| {
        let after =
            |kept: &(f64, Cluster)| kept.0.total_cmp(&item.0).then(kept.1.cmp(&item.1)).is_lt();
        if least.len() < 2 || !after(&least[1]) {
            least.insert(least.iter().take_while(|kept| after(kept)).count(), item);
            least.truncate(2);
        }
        least
    };
    let items = (0..k as Cluster)
        .into_par_iter()
        .with_min_len(4096)
        .map(|c| (norm(c), c));
    let least = items
        .fold(Vec::new, keep)
        .reduce(Vec::new, |a, b| b.into_iter().fold(a, keep));
    least.into_iter().map(|(_, c)| c).collect()
}
