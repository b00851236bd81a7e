//! The choice: which clustering of a path to recommend.
//!
//! Each corner of the hull is best on an exact interval of β. A partition that reflects the structure of the graph stays
//! the answer over a wide interval; one that merely lies on the way is replaced at the next step of the path, so its
//! interval is about as wide as the stride there. The rule:
//!
//! 1. Among the corners, the first (one cluster per component) excepted and those with less than half of the best modularity
//!    on the path excepted, take the widest interval, on the linear scale of β up to where the path began, provided it
//!    covers at least a twelfth of that range (for normalized cut: 0.075).
//! 2. If none is, no scale stands out: take the corner of highest modularity, and say so.
//!
//! Modularity never overrules a clear interval; it only keeps a sliver cut off the graph from winning, and decides where
//! the intervals cannot.

use super::path::Walk;
use serde::{Deserialize, Serialize};

/// An interval stands out when it covers this share of the range of the path.
const WIDE: f64 = 1.0 / 12.0;

/// A corner with less than this share of the best modularity is no candidate.
const MODULARITY_SHARE: f64 = 0.5;

/// A corner of the hull with what the choice looks at.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Candidate {
    /// The index of the partition in the walk.
    pub point: usize,
    /// k.
    pub clusters: usize,
    /// `Σ_c cut_c / M_c`.
    pub cut: f64,
    /// The smallest β at which nothing found is better.
    pub beta_low: f64,
    /// The largest such β, at most the β at which the path began.
    pub beta_high: f64,
    /// `Σ_c (w_c/v − (D_c/v)²)` with `v` the volume of the graph.
    pub modularity: f64,
}

impl Candidate {
    /// The width of its interval.
    pub fn width(&self) -> f64 {
        self.beta_high - self.beta_low
    }
}

/// Why a corner was chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Reason {
    /// Its interval is the widest, and wide.
    Interval,
    /// No interval stands out; it has the highest modularity.
    Modularity,
    /// The path has only one corner, or two.
    Only,
}

/// The corners with the recommended one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Choice {
    /// All corners by ascending k.
    pub candidates: Vec<Candidate>,
    /// The recommended one.
    pub chosen: usize,
    /// The next best by the same rule.
    pub runner_up: Option<usize>,
    /// Why.
    pub reason: Reason,
}

/// Weighs the corners of a walk.
pub fn choose(walk: &Walk) -> Choice {
    let corners = walk.corners();
    let candidate = |corner: &super::hull::Corner| {
        let point = walk.points()[corner.point];
        let (clusters, cut, modularity) = (point.clusters, point.cut, point.modularity);
        let (beta_low, beta_high) = (corner.beta_low, corner.beta_high.min(walk.start()).max(corner.beta_low));
        Candidate { point: corner.point, clusters, cut, beta_low, beta_high, modularity }
    };
    let candidates: Vec<Candidate> = corners.iter().map(candidate).collect();
    let best = candidates.iter().map(|c| c.modularity).fold(f64::NEG_INFINITY, f64::max);
    let inner: Vec<usize> = (1..candidates.len()).filter(|&c| candidates[c].modularity >= MODULARITY_SHARE * best).collect();
    let wide = inner.iter().any(|&c| candidates[c].width() >= WIDE * walk.start());
    let (pool, key, reason): (Vec<usize>, fn(&Candidate) -> f64, Reason) = if wide {
        (inner, Candidate::width, Reason::Interval)
    } else if candidates.len() > 2 {
        ((0..candidates.len()).collect(), |c| c.modularity, Reason::Modularity)
    } else {
        ((0..candidates.len()).collect(), |c| c.modularity, Reason::Only)
    };
    let mut ranked = pool;
    ranked.sort_by(|&a, &b| key(&candidates[b]).total_cmp(&key(&candidates[a])).then(a.cmp(&b)));
    Choice { chosen: ranked.first().copied().unwrap_or(0), runner_up: ranked.get(1).copied(), reason, candidates }
}
