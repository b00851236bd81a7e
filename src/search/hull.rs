//! The lower convex hull of the points (k, Cut): which partition is best at which β.
//!
//! Partition `p` is the line `F_p(β) = Cut_p − β·k_p`. The best for each β is the lower envelope of
//! these lines, i.e. the lower convex hull of the points `(k_p, Cut_p)`; between two neighbours
//! `a`, `b` on it (`k_a < k_b`) the border is `β = (Cut_b − Cut_a)/(k_b − k_a)`. O(p log p) for p
//! points.

use serde::{Deserialize, Serialize};

/// A vertex of the hull.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Corner {
    /// The index of the point among those given.
    pub point: usize,
    /// The smallest β at which no other point is better (0 for the first corner).
    pub beta_low: f64,
    /// The largest such β (infinite for the last corner).
    #[serde(with = "crate::numeric::infinite_as_null")]
    pub beta_high: f64,
}

impl Corner {
    /// How wide its interval is.
    pub fn width(&self) -> f64 {
        self.beta_high - self.beta_low
    }
}

/// The corners of the hull by ascending k, β ≥ 0; ties in k go to the smaller cut, then to the
/// earlier point.
///
/// ```
/// use lambdacut::search::testing::corners;
/// let found = corners(&[(1, 0.0), (2, 0.5), (3, 0.6), (4, 1.2)]);
/// assert_eq!(found.iter().map(|c| c.point).collect::<Vec<_>>(), [0, 2, 3]);
/// assert!((found[1].beta_low - 0.3).abs() < 1e-12 && (found[1].beta_high - 0.6).abs() < 1e-12);
/// ```
pub fn corners(points: &[(usize, f64)]) -> Vec<Corner> {
    let mut order: Vec<usize> = (0..points.len()).collect();
    order.sort_by(|&a, &b| {
        points[a]
            .0
            .cmp(&points[b].0)
            .then(points[a].1.total_cmp(&points[b].1))
            .then(a.cmp(&b))
    });
    order.dedup_by_key(|p| points[*p].0);
    let slope =
        |a: usize, b: usize| (points[b].1 - points[a].1) / (points[b].0 - points[a].0) as f64;
    let mut hull: Vec<usize> = Vec::new();
    for p in order {
        // A cheaper cut with more clusters is better at every β ≥ 0.
        while hull.last().is_some_and(|&last| slope(last, p) <= 0.0)
            || (hull.len() > 1
                && slope(hull[hull.len() - 1], p)
                    <= slope(hull[hull.len() - 2], hull[hull.len() - 1]))
        {
            hull.pop();
        }
        hull.push(p);
    }
    let border = |at: usize| slope(hull[at - 1], hull[at]);
    let corner = |at: usize| Corner {
        point: hull[at],
        beta_low: if at == 0 { 0.0 } else { border(at) },
        beta_high: if at + 1 == hull.len() {
            f64::INFINITY
        } else {
            border(at + 1)
        },
    };
    (0..hull.len()).map(corner).collect()
}
