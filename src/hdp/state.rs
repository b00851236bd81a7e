//! The three steps of a pass.

use super::Prices;
use crate::ids::{Cluster, NONE};
use crate::numeric::{compensated, sum_by};
use crate::points::Space;
use rayon::prelude::*;

/// A run under way. Dropped global clusters leave a hole in `means` until the pass is over.
pub(super) struct State<'a, S: Space> {
    pub(super) space: &'a S,
    /// The points of each data set, as they are visited.
    pub(super) sets: Vec<Vec<u32>>,
    pub(super) prices: Prices,
    pub(super) labels: Vec<Cluster>,
    pub(super) means: Vec<Option<S::Mean>>,
}

impl<'a, S: Space> State<'a, S> {
    /// Steps 1 and 2: one global cluster, one local cluster a data set.
    pub(super) fn new(space: &'a S, sets: Vec<Vec<u32>>, prices: Prices) -> Self {
        let n = space.elements();
        let all: Vec<u32> = (0..n as u32).collect();
        let means = if n == 0 {
            Vec::new()
        } else {
            vec![Some(space.mean(&all))]
        };
        Self {
            space,
            sets,
            prices,
            labels: vec![0; n],
            means,
        }
    }

    /// Which global clusters a data set uses.
    pub(super) fn used(&self, members: &[u32]) -> Vec<bool> {
        let mut used = vec![false; self.means.len()];
        for &i in members {
            used[self.labels[i as usize] as usize] = true;
        }
        used
    }

    /// F with the means as they are.
    pub(super) fn value(&self) -> f64 {
        let cost = |i: usize| self.cost(i, self.labels[i] as usize);
        let local: usize = self
            .sets
            .iter()
            .map(|members| self.used(members).iter().filter(|&&u| u).count())
            .sum();
        let global = self.means.iter().flatten().count();
        sum_by(self.labels.len(), cost)
            + self.prices.local * local as f64
            + self.prices.global * global as f64
    }

    /// `w_i ‖x_i − μ_p‖²` of the points of a data set (rows) and all global means (columns),
    /// infinite for holes.
    fn costs(&self, members: &[u32]) -> Vec<f64> {
        let row = |&i: &u32| (0..self.means.len()).map(move |p| self.cost(i as usize, p));
        members
            .par_iter()
            .with_min_len(16)
            .flat_map_iter(row)
            .collect()
    }

    /// Step 4, for every point of every data set in order.
    pub(super) fn points(&mut self) {
        let sets = std::mem::take(&mut self.sets);
        for members in &sets {
            let (known, costs, mut used) =
                (self.means.len(), self.costs(members), self.used(members));
            for (r, &i) in members.iter().enumerate() {
                let i = i as usize;
                let price = |p: usize, used: &[bool]| {
                    if used[p] { 0.0 } else { self.prices.local }
                };
                let mut best = (NONE as usize, f64::INFINITY);
                for p in 0..self.means.len() {
                    let cost = if p < known {
                        costs[r * known + p]
                    } else {
                        self.cost(i, p)
                    };
                    if cost + price(p, &used) < best.1 {
                        best = (p, cost + price(p, &used));
                    }
                }
                if best.1 > self.prices.local + self.prices.global {
                    best.0 = self.means.len();
                    self.means.push(Some(self.space.alone(i)));
                    used.push(false);
                }
                used[best.0] = true;
                self.labels[i] = best.0 as Cluster;
            }
        }
        self.sets = sets;
        self.drop_empty();
    }

    /// `w_i ‖x_i − μ_p‖²`, infinite for a hole.
    fn cost(&self, i: usize, p: usize) -> f64 {
        self.means[p].as_ref().map_or(f64::INFINITY, |m| {
            self.space.weight(i) * self.space.distance(i, m)
        })
    }

    /// Step 5, for every local cluster as it was when the step began.
    pub(super) fn locals(&mut self) {
        let sets = std::mem::take(&mut self.sets);
        for set in &sets {
            let (known, costs) = (self.means.len(), self.costs(set));
            for members in self.local_clusters(set) {
                let i_of = |&r: &u32| set[r as usize];
                let cost = |r: u32, p: usize| {
                    if p < known {
                        costs[r as usize * known + p]
                    } else {
                        self.cost(i_of(&r) as usize, p)
                    }
                };
                let sum = |p: usize| compensated(members.iter().map(|&r| cost(r, p)));
                let mut best = (0..self.means.len())
                    .map(|p| (p, sum(p)))
                    .fold((0, f64::INFINITY), |a, b| if b.1 < a.1 { b } else { a });
                let own: Vec<u32> = members.iter().map(i_of).collect();
                let mean = self.space.mean(&own);
                let around = compensated(own.iter().map(|&i| {
                    self.space.weight(i as usize) * self.space.distance(i as usize, &mean)
                }));
                if best.1 > self.prices.global + around {
                    best.0 = self.means.len();
                    self.means.push(Some(mean));
                }
                for &i in &own {
                    self.labels[i as usize] = best.0 as Cluster;
                }
            }
        }
        self.sets = sets;
        self.drop_empty();
    }

    /// The local clusters of a data set, as rows of its members, by global number.
    fn local_clusters(&self, set: &[u32]) -> Vec<Vec<u32>> {
        let mut clusters = vec![Vec::new(); self.means.len()];
        for (r, &i) in set.iter().enumerate() {
            clusters[self.labels[i as usize] as usize].push(r as u32);
        }
        clusters.retain(|c| !c.is_empty());
        clusters
    }

    /// Step 6.
    pub(super) fn recentre(&mut self) {
        let mut members = vec![Vec::new(); self.means.len()];
        for (i, &p) in self.labels.iter().enumerate() {
            members[p as usize].push(i as u32);
        }
        self.means = members
            .par_iter()
            .map(|m| {
                if m.is_empty() {
                    None
                } else {
                    Some(self.space.mean(m))
                }
            })
            .collect();
    }

    /// Global clusters without points cost `λ_g` for nothing.
    fn drop_empty(&mut self) {
        let mut empty = vec![true; self.means.len()];
        self.labels.iter().for_each(|&p| empty[p as usize] = false);
        for (mean, _) in self.means.iter_mut().zip(empty).filter(|(_, empty)| *empty) {
            *mean = None;
        }
    }

    /// Numbers the global clusters `0..g` again.
    pub(super) fn close_ranks(&mut self) {
        let mut next = 0;
        let number = |m: &Option<S::Mean>| {
            next += u32::from(m.is_some());
            next.wrapping_sub(1)
        };
        let numbers: Vec<u32> = self.means.iter().map(number).collect();
        self.labels
            .iter_mut()
            .for_each(|p| *p = numbers[*p as usize]);
        self.means.retain(Option::is_some);
    }
}
