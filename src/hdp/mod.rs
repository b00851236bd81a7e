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
mod prices;
mod state;

pub use crate::points::Space;
pub use kernel::KernelMean;
use prices::prices_until;
pub use prices::{Price, Prices, prices_for};

use crate::clustering::PointClustering;
use crate::ids::Cluster;
use crate::params::{DEFAULT_SEED, ParamError};
use crate::points::{Groups, PointsError};
use crate::run::{Deadline, Outcome, Passes, Run, StopReason, StopRules, best_of, run_options};
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_xoshiro::Xoshiro256PlusPlus;
use serde::{Deserialize, Serialize};
use state::State;

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
    /// What local and global clusters cost. No default suits all points: a run without it is
    /// refused.
    pub price: Option<Price>,
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
            price: None,
            runs: 1,
            seed: DEFAULT_SEED,
            stop: StopRules::default(),
            run: Run::default(),
        }
    }
}

run_options!(Hdp);

impl Hdp<'_> {
    /// The paper's algorithm, one run; it needs [`Hdp::prices`] or [`Hdp::clusters`].
    pub fn new() -> Self {
        Self::default()
    }

    /// At (`λ_ℓ`, `λ_g`).
    #[must_use]
    pub fn prices(mut self, local: f64, global: f64) -> Self {
        self.price = Some(Price::Lambdas(Prices { local, global }));
        self
    }

    /// At the prices that [`prices_for`] finds for about `local` clusters a data set and `global` in
    /// all.
    #[must_use]
    pub fn clusters(mut self, local: usize, global: usize) -> Self {
        self.price = Some(Price::Clusters { local, global });
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
    /// If the prices are missing, negative or not finite, or if the groups are not those of the
    /// points.
    pub fn run<S: Space>(
        &self,
        space: &S,
        groups: &Groups,
    ) -> Result<HdpClustering<S::Mean>, PointsError> {
        self.check(space.elements(), groups)?;
        let deadline = self.run.start();
        let prices = self.resolved_prices(space, groups, &deadline)?;
        let runs = (0..self.runs).map(|run| self.once(space, groups, prices, run, &deadline));
        Ok(best_of(runs, &deadline))
    }

    fn once<S: Space>(
        &self,
        space: &S,
        groups: &Groups,
        prices: Prices,
        run: usize,
        deadline: &Deadline<'_>,
    ) -> HdpClustering<S::Mean> {
        let mut state = State::new(space, self.sets(groups, run), prices);
        if let (true, Some(&first)) = (run > 0, state.sets.iter().flatten().next()) {
            state.means = vec![Some(space.alone(first as usize))];
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
            lambda: Some(prices.global),
            centres: space.centres(&means),
            trace: passes.into_trace(),
            stop,
        };
        HdpClustering {
            clustering,
            prices,
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

    /// The prices as given, or by the farthest-first rule.
    fn resolved_prices<S: Space>(
        &self,
        space: &S,
        groups: &Groups,
        deadline: &Deadline<'_>,
    ) -> Result<Prices, PointsError> {
        let prices = match self.price {
            Some(Price::Lambdas(prices)) => prices,
            // Without points there is nothing that costs anything.
            Some(Price::Clusters { .. }) if space.elements() == 0 => Prices::default(),
            Some(Price::Clusters { local, global }) => {
                let found = prices_until(space, groups, (local, global), deadline);
                found.ok_or_else(|| {
                    let counts = format!("{local} and {global}");
                    ParamError::out_of_range("the numbers of clusters", "at least 1", &counts)
                })?
            }
            None => {
                let name = "λ_ℓ and λ_g, or the numbers of clusters";
                return Err(ParamError::out_of_range(name, "given", &"absent").into());
            }
        };
        for (name, price) in [("λ_ℓ", prices.local), ("λ_g", prices.global)] {
            if !(price.is_finite() && price >= 0.0) {
                let expected = "a finite number, at least 0";
                return Err(ParamError::out_of_range(name, expected, &price).into());
            }
        }
        Ok(prices)
    }

    fn check(&self, elements: usize, groups: &Groups) -> Result<(), PointsError> {
        if self.runs == 0 {
            return Err(ParamError::out_of_range("the number of runs", "at least 1", &0).into());
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
