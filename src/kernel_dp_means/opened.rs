//! The clusters opened during a pass. Each is a single vertex, its founder `f`, whose mean is
//! `φ_f`:
//!
//! ```text
//! δ(i,{f}) = m_i K_ff − 2 S_if/m_f,      K_ff = S_ff/m_f².
//! ```
//!
//! A vertex sees only founders that come before it in the order of the pass. For the unlinked ones
//! just the smallest `K_ff` counts: the running minima, each with the rank from which it holds,
//! answer "smallest before rank r" by binary search. With signed links, where linked clusters must
//! be skipped, the founders are kept sorted by `K_ff` instead.

use super::means::{Candidate, Grid};
use super::order::Ranks;
use super::similarity::{Links, Similarity};
use crate::ids::{Cluster, NONE, Vertex};
use std::collections::BTreeSet;

/// A running minimum: from the vertex after `founder` on, `cluster` is the unlinked candidate.
#[derive(Debug, Clone, Copy)]
struct Minimum {
    founder: Vertex,
    norm: f64,
    cluster: Cluster,
}

/// A norm that sorts; no norm is NaN.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Norm(f64);

impl Eq for Norm {}

impl PartialOrd for Norm {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Norm {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.total_cmp(&other.0)
    }
}

/// The clusters opened so far, numbered from `first` in the order of opening.
#[derive(Debug)]
pub(super) struct Opened {
    first: usize,
    pub founders: Vec<Vertex>,
    minima: Vec<Minimum>,
    sorted: BTreeSet<(Norm, Cluster)>,
}

impl Opened {
    /// None yet; the first will be cluster `first`.
    pub fn none(first: usize) -> Self {
        Self {
            first,
            founders: Vec::new(),
            minima: Vec::new(),
            sorted: BTreeSet::new(),
        }
    }

    /// `K_ff`.
    pub fn norm(similarity: &impl Similarity, founder: usize) -> f64 {
        let mass = similarity.mass(founder);
        similarity.own(founder) / (mass * mass)
    }

    /// Opens a cluster at `founder` and returns its number.
    pub fn open(&mut self, similarity: &impl Similarity, founder: usize) -> Cluster {
        let cluster = (self.first + self.founders.len()) as Cluster;
        let norm = Self::norm(similarity, founder);
        self.founders.push(founder as Vertex);
        match similarity.links() {
            Links::NonNegative if self.minima.last().is_none_or(|least| norm < least.norm) => {
                self.minima.push(Minimum {
                    founder: founder as Vertex,
                    norm,
                    cluster,
                });
            }
            Links::Signed => {
                self.sorted.insert((Norm(norm), cluster));
            }
            Links::NonNegative | Links::Full => {}
        }
        cluster
    }

    /// The cluster that `j`, now in `label`, has founded.
    #[inline]
    fn founded_by(&self, j: Vertex, label: Cluster) -> Option<Cluster> {
        let at = (label as usize).checked_sub(self.first)?;
        (self.founders.get(at) == Some(&j)).then_some(label)
    }

    /// The nearest opened cluster whose founder comes before `i`; `next` are the labels given so
    /// far. O(row + log opened).
    pub fn nearest(
        &self,
        similarity: &impl Similarity,
        next: &[Cluster],
        i: usize,
        ranks: &Ranks,
        grid: Grid,
    ) -> Candidate {
        let mass = similarity.mass(i);
        let mut best = Candidate::NOWHERE;
        if self.founders.is_empty() {
            return best;
        }
        let mut linked = Vec::new();
        for (j, link) in similarity.row(i) {
            let Some(cluster) = self.founded_by(j, next[j as usize]) else {
                continue;
            };
            if ranks.before(j as usize, i) {
                let founder = j as usize;
                let delta =
                    mass * Self::norm(similarity, founder) - 2.0 / similarity.mass(founder) * link;
                best = best.or(Candidate {
                    delta: grid.snap(delta),
                    cluster,
                });
                if similarity.links() == Links::Signed {
                    linked.push(cluster);
                }
            }
        }
        linked.sort_unstable();
        best.or(self.unlinked(mass, i, ranks, &linked, grid))
    }

    fn unlinked(
        &self,
        mass: f64,
        i: usize,
        ranks: &Ranks,
        linked: &[Cluster],
        grid: Grid,
    ) -> Candidate {
        let known = self
            .minima
            .partition_point(|least| ranks.before(least.founder as usize, i));
        let least = match known.checked_sub(1) {
            Some(at) => Some((self.minima[at].norm, self.minima[at].cluster)),
            None => self
                .sorted
                .iter()
                .find(|(_, c)| linked.binary_search(c).is_err())
                .map(|&(norm, c)| (norm.0, c)),
        };
        least.map_or(Candidate::NOWHERE, |(norm, cluster)| Candidate {
            delta: grid.snap(mass * norm),
            cluster,
        })
    }

    /// k after the pass, before empty clusters vanish.
    pub fn clusters(&self) -> usize {
        self.first + self.founders.len()
    }
}

/// The label of a vertex that takes no part, or that has not been given one yet.
pub(super) const UNLABELLED: Cluster = NONE;
