//! Starting centres: k-means++ and farthest-first.

use super::{Points, Space, squared_distance};
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
/// The set T starts with the (weighted) mean of all elements. Each round finds the element whose
/// weighted distance to T, `w_i min_{t∈T} ‖x_i − t‖²`, is largest, the first on ties, and adds it to
/// T. The distances of the rounds never increase. A round costs one distance an element.
#[derive(Debug)]
pub struct FarthestFirst<'a, S: Space = Points> {
    space: &'a S,
    /// The elements that take part, in the order in which ties are broken.
    members: Vec<u32>,
    /// The weighted distance of each of them to T.
    to_set: Vec<f64>,
}

/// One round: which element was farthest, and its weighted squared distance to T before it joined.
pub type Round = (u32, f64);

impl<'a> FarthestFirst<'a> {
    /// All points, T = {their mean}.
    pub fn new(points: &'a Points) -> Self {
        let all = (0..points.len() as u32).collect();
        Self::around(points, all, &points.mean())
    }
}

impl<'a, S: Space> FarthestFirst<'a, S> {
    /// Some elements, T = {their mean}.
    pub fn among(space: &'a S, members: &[u32]) -> Self {
        Self::around(space, members.to_vec(), &space.mean(members))
    }

    fn around(space: &'a S, members: Vec<u32>, mean: &S::Mean) -> Self {
        let mut start = Self {
            space,
            to_set: vec![f64::INFINITY; members.len()],
            members,
        };
        start.add(mean);
        start
    }

    /// The weighted distance of each element to T, in the order in which they were given.
    pub fn distances(&self) -> &[f64] {
        &self.to_set
    }

    /// Lets an element or a mean join T.
    pub fn add(&mut self, joining: &S::Mean) {
        let (space, members) = (self.space, &self.members);
        let update = |(at, to_set): (usize, &mut f64)| {
            let i = members[at] as usize;
            *to_set = to_set.min(space.weight(i) * space.distance(i, joining));
        };
        let blocks = self.to_set.par_iter_mut().with_min_len(256);
        blocks.enumerate().for_each(update);
    }
}

impl<S: Space> Iterator for FarthestFirst<'_, S> {
    type Item = Round;

    fn next(&mut self) -> Option<Round> {
        let farthest = first_of_most(&self.to_set)?;
        let (element, distance) = (self.members[farthest], self.to_set[farthest]);
        self.add(&self.space.alone(element as usize));
        Some((element, distance))
    }
}

/// Where the largest value stands, the first on ties.
pub(crate) fn first_of_most(values: &[f64]) -> Option<usize> {
    (0..values.len()).reduce(|best, at| if values[at] > values[best] { at } else { best })
}
