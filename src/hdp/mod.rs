//! The hard Gaussian HDP (Algorithm 2 of Kulis & Jordan 2012), weighted, in any [`Space`]:
//!
//! ```text
//! F = Σ_p Σ_{i∈p} w_i ‖x_i − μ_p‖² + λ_ℓ Σ_j k_j + λ_g g
//! ```
//!
//! over data sets j, global clusters p = 1..g with means `μ_p`, and the number `k_j` of local
//! clusters of data set j. A local cluster belongs to one global one; two local clusters of one
//! data set with the same global mean are merged at once, which lowers F by `λ_ℓ`, so a local
//! cluster *is* a pair (j, p) in use and the label p of every point is the whole state.
//!
//! A pass is steps 4 to 6 of the paper:
//!
//! - **points**: point i of data set j pays `w_i ‖x_i − μ_p‖²`, and `λ_ℓ` on top where j does not
//!   use p yet; if every p costs more than `λ_ℓ` + `λ_g` it opens a local and a global cluster with
//!   itself as mean;
//! - **locals**: local cluster S moves as a whole to the global mean of least `Σ_{i∈S} w_i ‖x_i −
//!   μ_p‖²`, or opens one at its own mean when even the least exceeds `λ_g` plus the same sum
//!   around its own mean;
//! - **means**: every `μ_p` becomes the weighted mean of its points.
//!
//! After each step clusters without points are dropped. No step increases F; [`HdpClustering::steps`]
//! records it. With one data set F is the DP-means objective at `λ_ℓ` + `λ_g`, for any labels.
//! Where a run ends depends on the order in which data sets and points are visited: of several
//! runs, all but the first in shuffled order and around the first point visited, the best is kept.
//!
//! Cost of a pass O(n g) distances, computed in parallel and decided in order; memory `8 n_j g`
//! bytes for the largest data set.

mod kernel;

use crate::clustering::PointClustering;
use crate::ids::{Cluster, NONE};
use crate::numeric::{compensated, sum_by};
use crate::params::{DEFAULT_SEED, ParamError};
use crate::points::{FarthestFirst, Groups, Points, PointsError, squared_distance};
use crate::run::{Deadline, Outcome, Passes, Run, StopReason, StopRules, best_of, run_options};
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_xoshiro::Xoshiro256PlusPlus;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

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

    fn distance(&self, i: usize, mean: &Vec<f64>) -> f64 {
        squared_distance(self.row(i), mean)
    }

    fn centres(&self, means: &[Vec<f64>]) -> Option<Points> {
        Points::new(self.dimension(), means.concat()).ok()
    }
}

/// The hard Gaussian HDP with its options.
///
/// ```
/// use lambdacut::{hdp::Hdp, points::{Groups, Points}};
/// let points = Points::from_rows(&[[0.0], [0.1], [9.0], [0.05], [9.1], [20.0]]).unwrap();
/// let groups = Groups::new(&[0, 0, 0, 1, 1, 1], 6).unwrap();
/// let found = Hdp::new().prices(1.0, 2.0).run(&points, &groups).unwrap();
/// assert_eq!((found.k(), &found.local_clusters[..]), (3, &[2, 3][..]));
/// assert_eq!(found.labels[0], found.labels[3]);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Hdp<'a> {
    /// What local and global clusters cost; [`prices_for`] finds the prices for about as many
    /// clusters as one wants.
    pub prices: Prices,
    /// Runs, of which the best is kept. The first starts at the mean of all points; the others
    /// visit data sets and points in shuffled order and start at the first one visited.
    pub runs: usize,
    /// Seed of the shuffles.
    pub seed: u64,
    /// When to stop before nothing changes.
    pub stop: StopRules,
    /// Time limit and observer.
    pub run: Run<'a>,
}

/// The two prices of the HDP.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Prices {
    /// `λ_ℓ` ≥ 0: what a local cluster costs.
    pub local: f64,
    /// `λ_g` ≥ 0: what a global cluster costs.
    pub global: f64,
}

/// A clustering of several data sets with shared clusters: labels are global clusters, `k()` is g.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct HdpClustering<M> {
    /// The clustering; its `lambda` is `λ_g`.
    pub clustering: PointClustering,
    /// The prices it was found at.
    pub prices: Prices,
    /// `k_j` of every data set.
    pub local_clusters: Vec<usize>,
    /// The mean of every global cluster.
    pub means: Vec<M>,
    /// F after the steps points, locals and means of every pass.
    pub steps: Vec<[f64; 3]>,
}

impl<M> std::ops::Deref for HdpClustering<M> {
    type Target = PointClustering;

    fn deref(&self) -> &PointClustering {
        &self.clustering
    }
}

impl<M> Outcome for HdpClustering<M> {
    fn value(&self) -> f64 {
        self.clustering.value
    }

    fn ended_early(&mut self, reason: StopReason) {
        self.clustering.stop = reason;
    }
}

impl Default for Hdp<'_> {
    fn default() -> Self {
        Self {
            prices: Prices::default(),
            runs: 1,
            seed: DEFAULT_SEED,
            stop: StopRules::default(),
            run: Run::default(),
        }
    }
}

run_options!(Hdp);

impl Hdp<'_> {
    /// The paper's algorithm, one run, at prices of 0: give it [`Hdp::prices`].
    pub fn new() -> Self {
        Self::default()
    }

    /// At (`λ_ℓ`, `λ_g`).
    #[must_use]
    pub fn prices(mut self, local: f64, global: f64) -> Self {
        self.prices = Prices { local, global };
        self
    }

    /// The best of this many runs.
    #[must_use]
    pub fn runs(mut self, runs: usize) -> Self {
        self.runs = runs;
        self
    }

    /// With another seed of the shuffles.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// With rules that end a run early.
    #[must_use]
    pub fn stop(mut self, stop: StopRules) -> Self {
        self.stop = stop;
        self
    }

    /// Clusters the data sets `groups` of `space`, starting with everything in one cluster. Of
    /// several runs the one of least F is returned, the earliest on ties.
    ///
    /// # Errors
    /// If a price is negative or not finite, or if the groups are not those of the points.
    pub fn run<S: Space>(
        &self,
        space: &S,
        groups: &Groups,
    ) -> Result<HdpClustering<S::Mean>, PointsError> {
        self.check(space.elements(), groups)?;
        let deadline = self.run.start();
        let runs = (0..self.runs).map(|run| self.once(space, groups, run, &deadline));
        Ok(best_of(runs, &deadline))
    }

    fn once<S: Space>(
        &self,
        space: &S,
        groups: &Groups,
        run: usize,
        deadline: &Deadline<'_>,
    ) -> HdpClustering<S::Mean> {
        let mut state = State::new(space, self.sets(groups, run), self.prices);
        if let (true, Some(&first)) = (run > 0, state.sets.iter().flatten().next()) {
            state.means = vec![Some(space.mean(&[first]))];
        }
        let mut passes = Passes::new(self.stop);
        let mut steps = Vec::new();
        let mut before = f64::INFINITY;
        let stop = loop {
            let labels = state.labels.clone();
            let mut values = [0.0; 3];
            for (value, step) in
                values
                    .iter_mut()
                    .zip([State::points, State::locals, State::recentre])
            {
                step(&mut state);
                *value = state.value();
            }
            let moves = labels
                .iter()
                .zip(&state.labels)
                .filter(|(a, b)| a != b)
                .count();
            state.close_ranks();
            steps.push(values);
            let reason = passes.finished(values[2], state.means.len(), moves, deadline);
            // A pass that moves points without lowering F only broke ties differently.
            if let Some(reason) = reason.or((values[2] >= before).then_some(StopReason::NoChange)) {
                break reason;
            }
            before = values[2];
        };
        let local_clusters = (0..groups.len())
            .map(|j| state.used(groups.members(j)).iter().filter(|&&u| u).count())
            .collect();
        let (value, clusters) = (state.value(), state.means.len());
        let means: Vec<S::Mean> = state.means.into_iter().flatten().collect();
        let clustering = PointClustering {
            labels: state.labels,
            clusters,
            value,
            lambda: Some(self.prices.global),
            centres: space.centres(&means),
            trace: passes.into_trace(),
            stop,
        };
        HdpClustering {
            clustering,
            prices: self.prices,
            local_clusters,
            means,
            steps,
        }
    }

    /// The data sets in the order in which run `run` visits them and their points.
    fn sets(&self, groups: &Groups, run: usize) -> Vec<Vec<u32>> {
        let mut sets: Vec<Vec<u32>> = (0..groups.len())
            .map(|j| groups.members(j).to_vec())
            .collect();
        if run > 0 {
            let mut rng = Xoshiro256PlusPlus::seed_from_u64(self.seed.wrapping_add(run as u64));
            sets.shuffle(&mut rng);
            for members in &mut sets {
                members.shuffle(&mut rng);
            }
        }
        sets
    }

    fn check(&self, elements: usize, groups: &Groups) -> Result<(), PointsError> {
        for (name, price) in [("λ_ℓ", self.prices.local), ("λ_g", self.prices.global)] {
            if !(price.is_finite() && price >= 0.0) {
                let expected = "a finite number, at least 0";
                return Err(ParamError::OutOfRange {
                    name,
                    expected,
                    found: price.to_string(),
                }
                .into());
            }
        }
        if self.runs == 0 {
            return Err(ParamError::OutOfRange {
                name: "the number of runs",
                expected: "at least 1",
                found: "0".into(),
            }
            .into());
        }
        if groups.as_slice().len() != elements {
            return Err(PointsError::Count {
                what: "groups",
                found: groups.as_slice().len(),
                points: elements,
            });
        }
        Ok(())
    }
}

/// `F` of any labels, from scratch: means, then the three terms. O(n) distances.
pub fn objective<S: Space>(space: &S, groups: &Groups, labels: &[Cluster], prices: Prices) -> f64 {
    let mut state = State {
        labels: labels.to_vec(),
        ..State::new(space, Hdp::new().sets(groups, 0), prices)
    };
    state.means = vec![None; crate::labels::bound(labels)];
    state.recentre();
    state.value()
}

/// A run under way. Dropped global clusters leave a hole in `means` until the pass is over.
struct State<'a, S: Space> {
    space: &'a S,
    /// The points of each data set, as they are visited.
    sets: Vec<Vec<u32>>,
    prices: Prices,
    labels: Vec<Cluster>,
    means: Vec<Option<S::Mean>>,
}

impl<'a, S: Space> State<'a, S> {
    /// Steps 1 and 2: one global cluster, one local cluster a data set.
    fn new(space: &'a S, sets: Vec<Vec<u32>>, prices: Prices) -> Self {
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
    fn used(&self, members: &[u32]) -> Vec<bool> {
        let mut used = vec![false; self.means.len()];
        for &i in members {
            used[self.labels[i as usize] as usize] = true;
        }
        used
    }

    /// F with the means as they are.
    fn value(&self) -> f64 {
        let cost = |i: usize| {
            let mean = self.means[self.labels[i] as usize].as_ref();
            mean.map_or(f64::INFINITY, |m| {
                self.space.weight(i) * self.space.distance(i, m)
            })
        };
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
        let row = |&i: &u32| {
            let i = i as usize;
            let cost = move |m: &Option<S::Mean>| {
                m.as_ref().map_or(f64::INFINITY, |m| {
                    self.space.weight(i) * self.space.distance(i, m)
                })
            };
            self.means.iter().map(cost)
        };
        members
            .par_iter()
            .with_min_len(16)
            .flat_map_iter(row)
            .collect()
    }

    /// Step 4, for every point of every data set in order.
    fn points(&mut self) {
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
                    self.means.push(Some(self.space.mean(&[i as u32])));
                    used.push(false);
                }
                used[best.0] = true;
                self.labels[i] = best.0 as Cluster;
            }
        }
        self.sets = sets;
        self.drop_empty();
    }

    fn cost(&self, i: usize, p: usize) -> f64 {
        self.means[p].as_ref().map_or(f64::INFINITY, |m| {
            self.space.weight(i) * self.space.distance(i, m)
        })
    }

    /// Step 5, for every local cluster as it was when the step began.
    fn locals(&mut self) {
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
    fn recentre(&mut self) {
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
    fn close_ranks(&mut self) {
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

/// (`λ_ℓ`, `λ_g`) for about `local` clusters a data set and `global` in all (section 6.1 of the
/// paper).
///
/// `λ_ℓ` is the average over the data sets of the farthest-first distance in round `local` (a data
/// set with fewer points contributes its last round). For `λ_g` the distance of a point to T is
/// replaced by the sum over a data set, `Σ_{i∈j} w_i min_{t∈T} ‖x_i − t‖²`: T starts with the
/// global mean, every round adds the farthest point of the farthest data set, and `λ_g` is the
/// largest sum in round `global`. The paper's sentence leaves open what joins T; with means of data
/// sets instead of points no global cluster would ever open on the paper's own experiment. `None`
/// without points or for a count of 0.
pub fn prices_for(points: &Points, groups: &Groups, local: usize, global: usize) -> Option<Prices> {
    let sets = (0..groups.len())
        .map(|j| groups.members(j))
        .filter(|m| !m.is_empty());
    let last = |m: &[u32]| {
        FarthestFirst::new(&points.select(m))
            .take(local.min(m.len()))
            .last()
            .map(|(_, d)| d)
    };
    let locals: Vec<f64> = sets.clone().map(last).collect::<Option<_>>()?;
    let mean = points.mean();
    let mut cost: Vec<f64> = (0..points.len())
        .map(|i| points.weight(i) * squared_distance(points.row(i), &mean))
        .collect();
    let mut farthest = None;
    for _ in 0..global {
        let sums = sets
            .clone()
            .map(|m| (m, compensated(m.iter().map(|&i| cost[i as usize]))));
        let (members, sum) = sums.reduce(|a, b| if b.1 > a.1 { b } else { a })?;
        farthest = Some(sum);
        let far = members.iter().copied().reduce(|a, b| {
            if cost[b as usize] > cost[a as usize] {
                b
            } else {
                a
            }
        })?;
        let update = |(i, c): (usize, &mut f64)| {
            *c =
                c.min(points.weight(i) * squared_distance(points.row(i), points.row(far as usize)));
        };
        cost.par_iter_mut()
            .with_min_len(256)
            .enumerate()
            .for_each(update);
    }
    Some(Prices {
        local: compensated(locals.iter().copied()) / locals.len() as f64,
        global: farthest?,
    })
}
