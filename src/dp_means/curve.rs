//! How the number of clusters depends on λ, and where it stands still (Figure 1c of the paper).

use super::DpMeans;
use crate::points::{FarthestFirst, Points, PointsError};
use crate::run::{Observer, Run};
use serde::{Deserialize, Serialize};

/// DP-means at one λ.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct CurvePoint {
    /// λ.
    pub lambda: f64,
    /// The number of clusters found there.
    pub clusters: usize,
    /// F.
    pub value: f64,
}

/// A stretch of λ on which the number of clusters stays the same.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Plateau {
    /// The number of clusters.
    pub clusters: usize,
    /// The smallest λ tried on it.
    pub low: f64,
    /// The largest λ tried on it.
    pub high: f64,
}

impl Plateau {
    /// `ln(high/low)`: how many times λ may be multiplied by e without leaving it.
    pub fn width(&self) -> f64 {
        (self.high / self.low).ln()
    }
}

/// `steps` values of λ in geometric progression, from the farthest-first distance of round `most`
/// (about `most` clusters) up to just above that of round 1 (one cluster). Empty when all points
/// are equal.
pub fn price_range(points: &Points, most: usize, steps: usize) -> Vec<f64> {
    // The mean of equal points may differ from them in the last bit, so distances do not tell.
    if (1..points.len()).all(|i| points.row(i) == points.row(0)) {
        return Vec::new();
    }
    let rounds: Vec<f64> = FarthestFirst::new(points)
        .map(|(_, d)| d)
        .take(most.max(1))
        .take_while(|d| *d > 0.0)
        .collect();
    let (Some(&high), Some(&low)) = (rounds.first(), rounds.last()) else {
        return Vec::new();
    };
    let (high, low) = (high * 1.1, low * 0.9);
    let at = |s: usize| s as f64 / steps.saturating_sub(1).max(1) as f64;
    (0..steps).map(|s| low * (high / low).powf(at(s))).collect()
}

/// Runs `method` at each of `prices`. O(runs) times the cost of one. Ended early, the curve is
/// shorter; the time limit is for all of it.
pub fn curve(
    points: &Points,
    method: &DpMeans<'_>,
    prices: &[f64],
) -> Result<Vec<CurvePoint>, PointsError> {
    let deadline = method.run.start();
    let mut found = Vec::with_capacity(prices.len());
    for &lambda in prices {
        if deadline.cancelled() {
            break;
        }
        let method = DpMeans {
            run: Run::observed(&deadline),
            ..method.clone()
        };
        let clustering = method.lambda(lambda).run(points)?;
        found.push(CurvePoint {
            lambda,
            clusters: clustering.clusters,
            value: clustering.value,
        });
    }
    Ok(found)
}

/// The stretches of equal k of a curve with ascending λ, in that order.
///
/// ```
/// use lambdacut::{dp_means::{DpMeans, curve::{curve, plateaus, price_range}}, points::Points};
/// let points = Points::from_rows(&[[0.0], [0.2], [5.0], [5.2], [9.0], [9.2]]).unwrap();
/// let found = curve(&points, &DpMeans::new(), &price_range(&points, 6, 40)).unwrap();
/// let inner = plateaus(&found).into_iter().filter(|p| p.clusters > 1 && p.clusters < 6);
/// assert_eq!(inner.max_by(|a, b| a.width().total_cmp(&b.width())).unwrap().clusters, 3);
/// ```
pub fn plateaus(curve: &[CurvePoint]) -> Vec<Plateau> {
    let flat = |a: &CurvePoint, b: &CurvePoint| a.clusters == b.clusters;
    let plateau = |run: &[CurvePoint]| Plateau {
        clusters: run[0].clusters,
        low: run[0].lambda,
        high: run[run.len() - 1].lambda,
    };
    curve.chunk_by(flat).map(plateau).collect()
}
