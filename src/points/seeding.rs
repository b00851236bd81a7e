//! Starting centres: k-means++ and farthest-first.

use super::{Points, squared_distance};
use rand::RngExt;
use rayon::prelude::*;

/// `k` distinct rows drawn by k-means++ (Arthur & Vassilvitskii 2007): the first with probability
/// proportional to its weight, each further one proportional to `w_i` times its squared distance to
/// the nearest one drawn. Fewer than `k` when there are fewer distinct points. O(nkd), parallel.
pub fn k_means_plus_plus(points: &Points, k: usize, rng: &mut impl rand::Rng) -> Vec<u32> {
    let mut drawn = Vec::with_capacity(k);
    let mut cost: Vec<f64> = (0..points.len()).map(|i| points.weight(i)).collect();
    while drawn.len() < k.min(points.len()) {
        let Some(i) = draw(&cost, rng.random()) else {
            break;
        };
        let first = drawn.is_empty();
        drawn.push(i as u32);
        let update = |(j, c): (usize, &mut f64)| {
            let fresh = points.weight(j) * squared_distance(points.row(j), points.row(i));
            *c = if first { fresh } else { c.min(fresh) };
        };
        cost.par_iter_mut()
            .with_min_len(256)
            .enumerate()
            .for_each(update);
    }
    drawn
}

/// The index at which the running sum of `costs` passes the fraction `at` of the total; `None` if
/// all are 0.
fn draw(costs: &[f64], at: f64) -> Option<usize> {
    let mut left = at * crate::numeric::sum(costs);
    let last = costs.iter().rposition(|&c| c > 0.0)?;
    for (i, &cost) in costs[..last].iter().enumerate() {
        left -= cost;
        if cost > 0.0 && left < 0.0 {
            return Some(i);
        }
    }
    Some(last)
}

/// Farthest-first traversal, one round at a time.
///
/// The set T starts with the (weighted) global mean. Each round finds the point whose distance to T
/// is largest, the first on ties, and adds it to T. The distances of the rounds never increase.
#[derive(Debug)]
pub struct FarthestFirst<'a> {
    points: &'a Points,
    to_set: Vec<f64>,
}

/// One round: which point was farthest, and its squared distance to T before it joined.
pub type Round = (u32, f64);

impl<'a> FarthestFirst<'a> {
    /// T = {global mean}.
    pub fn new(points: &'a Points) -> Self {
        let mean = points.mean();
        Self {
            points,
            to_set: (0..points.len())
                .map(|i| squared_distance(points.row(i), &mean))
                .collect(),
        }
    }
}

impl Iterator for FarthestFirst<'_> {
    type Item = Round;

    fn next(&mut self) -> Option<Round> {
        let farther = |a: usize, b: usize| {
            if self.to_set[b] > self.to_set[a] {
                b
            } else {
                a
            }
        };
        let far = (0..self.to_set.len()).reduce(farther)?;
        let distance = self.to_set[far];
        let points = self.points;
        let update = |(i, d): (usize, &mut f64)| {
            *d = d.min(squared_distance(points.row(i), points.row(far)));
        };
        self.to_set
            .par_iter_mut()
            .with_min_len(256)
            .enumerate()
            .for_each(update);
        Some((far as u32, distance))
    }
}
