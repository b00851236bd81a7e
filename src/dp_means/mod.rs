//! DP-means (Algorithm 1 of Kulis & Jordan 2012), weighted:
//!
//! ```text
//! F = Σ_c Σ_{i∈c} w_i ‖x_i − μ_c‖² + λ k
//! ```
//!
//! A pass visits the points in order. Point i joins the nearest centre (the first on ties) unless
//! `w_i ‖x_i − μ‖² > λ` for every centre, those opened earlier in the pass included; then it opens
//! a cluster with itself as centre. After the pass every centre moves to its mean and empty
//! clusters disappear. No step increases F, with weights as without: opening costs λ and saves
//! more.
//!
//! **The same labels in parallel.** Within a pass the old centres do not move, so the nearest old
//! centre of all points is one parallel search ([`Alternation::reassign`]). Only *candidates*,
//! points farther than λ from every old centre, can open a cluster. They are taken in order, a
//! block at a time: a parallel search among the clusters opened before the block, then a plain loop
//! among the few opened inside it. Every other point is then compared, in parallel, with the
//! clusters that were opened before its turn. [`DpMeans::literal`] is the loop as the paper writes
//! it; both give the same labels, centres and trace to the last bit.
//!
//! Cost of a pass O(n d k) in a blocked matrix product, less where bounds show that a label cannot
//! change; memory 24 bytes a point and 16 a coordinate of a centre beside the points.

pub mod curve;
mod pass;

use crate::clustering::PointClustering;
use crate::ids::Cluster;
use crate::params::{DEFAULT_SEED, ParamError};
use crate::points::{Alternation, FarthestFirst, Points, PointsError};
use crate::run::{
    Deadline, Event, Observer, Passes, Run, Silent, StopReason, StopRules, best_of, run_options,
};
use pass::{literal_pass, pass};
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_xoshiro::Xoshiro256PlusPlus;
use serde::{Deserialize, Serialize};

/// Where DP-means starts.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Start {
    /// One cluster with all points, as in the paper.
    #[default]
    OneCluster,
    /// The clusters of these labels.
    Labels(Vec<Cluster>),
    /// These centres.
    Centres(Points),
}

/// In which order a pass visits the points: the clusters that are opened depend on it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Order {
    /// As they are numbered.
    #[default]
    AsNumbered,
    /// Shuffled by the seed.
    Shuffled,
    /// This permutation of `0..n`.
    Given(Vec<u32>),
}

/// What a cluster costs.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Price {
    /// λ ≥ 0, in units of (weighted) squared distance.
    Lambda(f64),
    /// λ for about this many clusters, by [`lambda_for`].
    Clusters(usize),
}

/// DP-means with its options.
///
/// ```
/// use lambdacut::{dp_means::DpMeans, points::Points};
/// let points = Points::from_rows(&[[0.0], [1.0], [10.0], [11.0]]).unwrap();
/// let found = DpMeans::new().lambda(4.0).run(&points).unwrap();
/// assert_eq!(found.labels, [0, 0, 1, 1]);
/// assert_eq!(found.value, 4.0 * 0.25 + 2.0 * 4.0);
/// ```
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct DpMeans<'a> {
    /// What a cluster costs. There is no default that suits all points: a run without it is refused.
    pub price: Option<Price>,
    /// The first clusters.
    pub start: Start,
    /// The order of the points.
    pub order: Order,
    /// Runs, of which the best is kept.
    pub runs: Runs,
    /// When to stop before nothing changes.
    pub stop: StopRules,
    /// Time limit and observer.
    pub run: Run<'a>,
}

/// How many runs are made, the best of which is kept.
///
/// All but the first visit the points in shuffled order. Where the start is one cluster, they take
/// the first point visited for its centre: at a λ at which the mean of all points is near enough to
/// every one of them, a single point seldom is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Runs {
    /// How many.
    pub count: usize,
    /// Seed of the shuffles.
    pub seed: u64,
}

impl Default for Runs {
    fn default() -> Self {
        Self {
            count: 1,
            seed: DEFAULT_SEED,
        }
    }
}

run_options!(DpMeans);

impl DpMeans<'_> {
    /// The paper's algorithm: one run from one cluster, in the order of the points.
    pub fn new() -> Self {
        Self::default()
    }

    /// At this λ.
    #[must_use]
    pub fn lambda(mut self, lambda: f64) -> Self {
        self.price = Some(Price::Lambda(lambda));
        self
    }

    /// At the λ that [`lambda_for`] finds for about this many clusters.
    #[must_use]
    pub fn clusters(mut self, clusters: usize) -> Self {
        self.price = Some(Price::Clusters(clusters));
        self
    }

    /// From these clusters.
    #[must_use]
    pub fn start(mut self, start: Start) -> Self {
        self.start = start;
        self
    }

    /// Visiting the points in this order.
    #[must_use]
    pub fn order(mut self, order: Order) -> Self {
        self.order = order;
        self
    }

    /// The best of this many runs.
    #[must_use]
    pub fn runs(mut self, runs: usize) -> Self {
        self.runs.count = runs;
        self
    }

    /// With another seed of the shuffles.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.runs.seed = seed;
        self
    }

    /// With rules that end a run early.
    #[must_use]
    pub fn stop(mut self, rules: StopRules) -> Self {
        self.stop = rules;
        self
    }

    /// Clusters `points`, in parallel. Of several runs the one of least F is returned, the earliest
    /// on ties.
    ///
    /// # Errors
    /// If λ is missing or an option is out of range.
    pub fn run(&self, points: &Points) -> Result<PointClustering, PointsError> {
        self.best(points, &pass)
    }

    /// The same answer by the loop of Algorithm 1, one point after the other: what [`DpMeans::run`]
    /// is tested against.
    ///
    /// # Errors
    /// As [`DpMeans::run`].
    pub fn literal(&self, points: &Points) -> Result<PointClustering, PointsError> {
        self.best(points, &literal_pass)
    }

    fn best(&self, points: &Points, pass: &Pass) -> Result<PointClustering, PointsError> {
        self.check(points)?;
        let deadline = self.run.start();
        let lambda = self.resolved_lambda(points, &deadline)?;
        let runs = (0..self.runs.count).map(|run| {
            let order = self.visits(points.len(), run);
            self.once(points, lambda, run, &order, &deadline, pass)
        });
        Ok(best_of(runs, &deadline))
    }

    fn once(
        &self,
        points: &Points,
        lambda: f64,
        run: usize,
        order: &[u32],
        deadline: &Deadline<'_>,
        pass: &Pass,
    ) -> PointClustering {
        let mut state = match &self.start {
            Start::OneCluster if run > 0 && !order.is_empty() => {
                Alternation::from_centres(points, points.select(&order[..1]))
            }
            Start::OneCluster => Alternation::from_labels(points, vec![0; points.len()], 1),
            Start::Labels(labels) => {
                Alternation::from_labels(points, labels.clone(), crate::labels::bound(labels))
            }
            Start::Centres(centres) => Alternation::from_centres(points, centres.clone()),
        };
        let mut passes = Passes::new(self.stop);
        let mut before = f64::INFINITY;
        let stop = loop {
            let moves = pass(&mut state, order, lambda);
            debug_assert!(
                assigned(&state, lambda) <= before + 1e-9 * before.abs(),
                "giving points their clusters increased F"
            );
            state.recentre();
            let clusters = state.centres().len();
            let value = state.inertia() + lambda * clusters as f64;
            let reason = passes.finished(value, clusters, moves, deadline);
            // A pass that moves points without lowering F only broke ties differently.
            if let Some(reason) = reason.or((value >= before).then_some(StopReason::NoChange)) {
                break reason;
            }
            before = value;
        };
        let (clusters, value) = passes
            .trace()
            .last()
            .map_or((0, 0.0), |pass| (pass.clusters, pass.value));
        let (labels, centres) = state.into_parts();
        PointClustering {
            labels,
            clusters,
            value,
            lambda: Some(lambda),
            centres: Some(centres),
            trace: passes.into_trace(),
            stop,
        }
    }

    /// λ as given, or by the farthest-first rule.
    fn resolved_lambda(
        &self,
        points: &Points,
        deadline: &Deadline<'_>,
    ) -> Result<f64, PointsError> {
        let wrong = ParamError::out_of_range;
        match self.price {
            Some(Price::Lambda(lambda)) if lambda.is_finite() && lambda >= 0.0 => Ok(lambda),
            Some(Price::Lambda(lambda)) => {
                Err(wrong("λ", "a finite number, at least 0", &lambda).into())
            }
            Some(Price::Clusters(k)) => lambda_of_round(points, k, deadline).ok_or_else(|| {
                let expected = "at least 1, and there must be points";
                wrong("the number of clusters", expected, &k).into()
            }),
            None => Err(wrong("λ or the number of clusters", "given", &"absent").into()),
        }
    }

    /// The order in which run `run` visits `n` points.
    fn visits(&self, n: usize, run: usize) -> Vec<u32> {
        let mut order: Vec<u32> = match &self.order {
            Order::Given(order) => order.clone(),
            _ => (0..n as u32).collect(),
        };
        if run > 0 || self.order == Order::Shuffled {
            order.shuffle(&mut Xoshiro256PlusPlus::seed_from_u64(
                self.runs.seed.wrapping_add(run as u64),
            ));
        }
        order
    }

    fn check(&self, points: &Points) -> Result<(), PointsError> {
        let wrong = |name, expected, found: String| {
            Err(ParamError::out_of_range(name, expected, &found).into())
        };
        if self.runs.count == 0 {
            return wrong("the number of runs", "at least 1", "0".into());
        }
        match &self.start {
            Start::Labels(labels) if labels.len() != points.len() => {
                return Err(PointsError::Count {
                    what: "starting labels",
                    found: labels.len(),
                    points: points.len(),
                });
            }
            Start::Labels(labels) if labels.iter().any(|&c| c as usize >= points.len()) => {
                return wrong(
                    "a starting label",
                    "below the number of points",
                    format!("{:?}", labels.iter().max()),
                );
            }
            Start::Centres(centres) if centres.dimension() != points.dimension() => {
                let (found, expected) = (centres.dimension(), points.dimension());
                return Err(PointsError::Dimension {
                    what: "starting centres",
                    found,
                    expected,
                });
            }
            _ => {}
        }
        if let Order::Given(order) = &self.order {
            let mut seen = vec![false; points.len()];
            let fresh = |&i: &u32| {
                seen.get_mut(i as usize)
                    .is_some_and(|s| !std::mem::replace(s, true))
            };
            if order.len() != points.len() || !order.iter().all(fresh) {
                return wrong(
                    "the order",
                    "a permutation of the points",
                    format!("{} numbers", order.len()),
                );
            }
        }
        Ok(())
    }
}

/// Reassigns all points, opening clusters, and returns the number of moves; the driver recentres.
type Pass = dyn Fn(&mut Alternation<'_>, &[u32], f64) -> usize;

/// λ for about `k` clusters, by the farthest-first rule of the paper's section 6.1: T starts with
/// the mean of all points, every round adds the point farthest from T, and λ is the squared
/// distance of the point that round `k` adds. `None` without points or for k = 0; with fewer than
/// `k` points the last round counts. O(k n d).
///
/// ```
/// use lambdacut::{dp_means::lambda_for, points::Points};
/// let points = Points::from_rows(&[[0.0], [1.0], [10.0], [11.0]]).unwrap();
/// // The mean is 5.5. Round 1 finds 0 or 11 at 5.5², round 2 the other one, round 3 a point next
/// // to its neighbour.
/// assert_eq!(lambda_for(&points, 2), Some(5.5 * 5.5));
/// assert_eq!(lambda_for(&points, 3), Some(1.0));
/// ```
pub fn lambda_for(points: &Points, k: usize) -> Option<f64> {
    lambda_of_round(points, k, &Silent)
}

/// [`lambda_for`], of the rounds made so far when the observer ends it.
fn lambda_of_round(points: &Points, k: usize, observer: &dyn Observer) -> Option<f64> {
    let rounds = k.min(points.len());
    observer.event(Event::Stage {
        name: "choosing λ",
        total: Some(rounds as u64),
    });
    let mut lambda = None;
    for (_, distance) in FarthestFirst::new(points).take(rounds) {
        lambda = Some(distance);
        observer.event(Event::Advance(1));
        if observer.cancelled() {
            break;
        }
    }
    lambda
}

/// F between the two steps of a pass: new labels, centres where they were.
fn assigned(state: &Alternation<'_>, lambda: f64) -> f64 {
    let mut used = vec![false; state.centres().len()];
    state.labels().iter().for_each(|&c| used[c as usize] = true);
    state.inertia() + lambda * used.into_iter().filter(|&u| u).count() as f64
}

/// `F` of any labels, from scratch: `Σ_i w_i ‖x_i − μ_{z_i}‖² + λ k` over the non-empty clusters.
/// O(nd).
pub fn objective(points: &Points, labels: &[Cluster], lambda: f64) -> f64 {
    let k = crate::labels::bound(labels);
    let state = Alternation::from_labels(points, labels.to_vec(), k);
    state.inertia() + lambda * state.centres().len() as f64
}
