//! Weights, means and distances, of points or of the elements of a kernel.

use super::{Points, squared_distance};
use crate::numeric::compensated;

/// Where elements have weights, means and distances: ordinary points, or the feature space of a
/// kernel.
pub trait Space: Sync {
    /// The weighted mean of some elements.
    type Mean: Clone + Send + Sync;

    /// The number of elements n.
    fn elements(&self) -> usize;

    /// `w_i > 0`.
    fn weight(&self, i: usize) -> f64;

    /// `Σ_{i∈members} w_i φ_i / Σ w_i`.
    fn mean(&self, members: &[u32]) -> Self::Mean;

    /// Element `i` as the mean of itself alone.
    fn alone(&self, i: usize) -> Self::Mean {
        self.mean(&[i as u32])
    }

    /// `‖φ_i − μ‖²`, never negative.
    fn distance(&self, i: usize, mean: &Self::Mean) -> f64;

    /// Means as points, one a row; `None` where they cannot be written down.
    fn centres(&self, _means: &[Self::Mean]) -> Option<Points> {
        None
    }
}

impl Space for Points {
    type Mean = Vec<f64>;

    fn elements(&self) -> usize {
        self.len()
    }

    fn weight(&self, i: usize) -> f64 {
        Points::weight(self, i)
    }

    fn mean(&self, members: &[u32]) -> Vec<f64> {
        let total = compensated(members.iter().map(|&i| self.weight(i as usize)));
        let sum = |t: usize| {
            compensated(
                members
                    .iter()
                    .map(|&i| self.weight(i as usize) * self.row(i as usize)[t]),
            )
        };
        (0..self.dimension()).map(|t| sum(t) / total).collect()
    }

    fn alone(&self, i: usize) -> Vec<f64> {
        self.row(i).to_vec()
    }

    fn distance(&self, i: usize, mean: &Vec<f64>) -> f64 {
        squared_distance(self.row(i), mean)
    }

    fn centres(&self, means: &[Vec<f64>]) -> Option<Points> {
        Points::new(self.dimension(), means.concat()).ok()
    }
}
