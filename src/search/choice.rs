//! The choice: which clustering of a path to recommend.
//!
//! Each corner of the hull is best on an exact interval of β. A partition that reflects the
//! structure of the graph stays the answer over a wide interval; one that merely lies on the way is
//! replaced at the next step of the path, so its interval is about as wide as the stride there.
//! Beside the interval a corner has a score `Q · I/H`: its modularity `Q = Σ_c (w_c/v − (D_c/v)²)`
//! times the share of what there is to know of a vertex's cluster that its neighbour's cluster
//! tells ([`information`]). The rule:
//!
//! 1. Among the corners with at least `FLOOR` of the best score, the first (one cluster per
//!    component) excepted, take the widest interval, on the linear scale of β up to where the path
//!    began, provided it covers at least `WIDE` of that range.
//! 2. If none does, no scale stands out: take the corner of the highest score, and say so.
//!
//! The score never overrules a clear interval; it only keeps a sliver cut off the graph from
//! winning, and decides where the intervals cannot. Modularity alone is flat at its top; the second
//! factor falls with the number of clusters and so decides for the coarser of two nearly equal
//! ones.

use super::path::{Path, Point};
use serde::{Deserialize, Serialize};

/// An interval stands out when it covers this share of the range of the path.
const WIDE: f64 = 1.0 / 8.0;

/// A corner with less than this share of the best score is no candidate for a wide interval.
const FLOOR: f64 = 0.7;

/// A corner of the hull with what the choice looks at.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Candidate {
    /// The index of the partition in the path.
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
    /// How much the cluster of a vertex tells of that of its neighbour.
    pub information: f64,
}

impl Candidate {
    /// Modularity times information.
    pub fn score(&self) -> f64 {
        self.modularity * self.information
    }

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
    /// No interval stands out; it has the highest score.
    Score,
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

impl Choice {
    /// The recommended corner.
    pub fn recommended(&self) -> &Candidate {
        &self.candidates[self.chosen]
    }

    /// Why it is recommended, in a sentence.
    pub fn why(&self) -> String {
        match self.reason {
            Reason::Interval => format!(
                "of the clusterings with at least {FLOOR} of the best score it stays best over the \
                 widest interval of resolutions ({:.4} wide)",
                self.recommended().width()
            ),
            Reason::Score => {
                "it has the best score: no scale stands out, many numbers of clusters \
                              are about equally good"
                    .to_owned()
            }
            Reason::Only => "the path has nothing else".to_owned(),
        }
    }
}

/// Weighs the corners of a path.
pub fn choose(path: &Path) -> Choice {
    let corners = path.corners();
    let candidate = |corner: &super::hull::Corner| {
        let Point {
            clusters,
            cut,
            modularity,
            information,
            ..
        } = path.points()[corner.point];
        let (beta_low, beta_high) = (
            corner.beta_low,
            corner.beta_high.min(path.start()).max(corner.beta_low),
        );
        Candidate {
            point: corner.point,
            clusters,
            cut,
            beta_low,
            beta_high,
            modularity,
            information,
        }
    };
    let candidates: Vec<Candidate> = corners.iter().map(candidate).collect();
    let best = candidates
        .iter()
        .map(Candidate::score)
        .fold(f64::NEG_INFINITY, f64::max);
    let inner: Vec<usize> = (1..candidates.len())
        .filter(|&c| candidates[c].score() >= FLOOR * best)
        .collect();
    let wide = inner
        .iter()
        .any(|&c| candidates[c].width() >= WIDE * path.start());
    // A corner at or beyond the β at which the path began is best nowhere that was looked at.
    let mut somewhere: Vec<usize> = (0..candidates.len())
        .filter(|&c| candidates[c].width() > 0.0)
        .collect();
    if somewhere.is_empty() {
        somewhere = (0..candidates.len()).collect();
    }
    let all = || somewhere.clone();
    let (mut ranked, key, reason): (Vec<usize>, fn(&Candidate) -> f64, Reason) =
        match candidates.len() {
            _ if wide => (inner, Candidate::width, Reason::Interval),
            0..=2 => (all(), Candidate::score, Reason::Only),
            _ => (all(), Candidate::score, Reason::Score),
        };
    ranked.sort_by(|&a, &b| {
        key(&candidates[b])
            .total_cmp(&key(&candidates[a]))
            .then(a.cmp(&b))
    });
    Choice {
        chosen: ranked.first().copied().unwrap_or(0),
        runner_up: ranked.get(1).copied(),
        reason,
        candidates,
    }
}
