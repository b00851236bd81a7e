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

use crate::fit::{Fit, Passes, PointFit, StopReason};
use crate::ids::Cluster;
use crate::observe::Observer;
use crate::params::{DEFAULT_SEED, ParamError, StopRules};
use crate::points::{Alternation, Points, PointsError, Search, squared_distance};
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_xoshiro::Xoshiro256PlusPlus;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// Candidates validated together; any size gives the same answer.
const CANDIDATES: usize = 1024;

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

/// The parameters of DP-means.
///
/// ```
/// use lambdacut::{dp_means::DpMeans, observe::Silent, points::Points};
/// let points = Points::from_rows(&[[0.0], [1.0], [10.0], [11.0]]).unwrap();
/// let answer = DpMeans::new(4.0).run(&points, &Silent).unwrap();
/// assert_eq!(answer.fit.labels, [0, 0, 1, 1]);
/// assert_eq!(answer.fit.value, 4.0 * 0.25 + 2.0 * 4.0);
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DpMeans {
    /// λ ≥ 0: the price of a cluster, in units of (weighted) squared distance.
    pub lambda: f64,
    /// The first clusters.
    pub start: Start,
    /// The order of the points.
    pub order: Order,
    /// Runs, of which the best is kept. All but the first visit the points in shuffled order, and
    /// where the start is one cluster they take the first point of that order for its centre: at a
    /// λ at which the mean of all points is near enough to every one of them, a single point seldom
    /// is.
    pub runs: usize,
    /// Seed of the shuffles.
    pub seed: u64,
    /// When to stop before nothing changes.
    pub stop: StopRules,
}

impl DpMeans {
    /// The paper's algorithm at λ.
    pub fn new(lambda: f64) -> Self {
        Self {
            lambda,
            start: Start::default(),
            order: Order::default(),
            runs: 1,
            seed: DEFAULT_SEED,
            stop: StopRules::default(),
        }
    }

    /// Clusters `points`, in parallel. Of several runs the one of least F is returned, the earliest
    /// on ties.
    pub fn run(&self, points: &Points, observer: &dyn Observer) -> Result<PointFit, PointsError> {
        self.best(points, observer, &|state, order| {
            pass(state, order, self.lambda)
        })
    }

    /// The same answer by the loop of Algorithm 1, one point after the other: what [`DpMeans::run`]
    /// is tested against.
    pub fn literal(
        &self,
        points: &Points,
        observer: &dyn Observer,
    ) -> Result<PointFit, PointsError> {
        self.best(points, observer, &|state, order| {
            literal_pass(state, order, self.lambda)
        })
    }

    fn best(
        &self,
        points: &Points,
        observer: &dyn Observer,
        pass: &Pass<'_>,
    ) -> Result<PointFit, PointsError> {
        self.check(points)?;
        let mut best = self.once(points, 0, observer, pass);
        for run in 1..self.runs {
            if observer.cancelled() {
                break;
            }
            let next = self.once(points, run, observer, pass);
            if next.fit.value < best.fit.value {
                best = next;
            }
        }
        Ok(best)
    }

    fn once(
        &self,
        points: &Points,
        run: usize,
        observer: &dyn Observer,
        pass: &Pass<'_>,
    ) -> PointFit {
        let order = self.order(points.len(), run);
        let mut state = match &self.start {
            Start::OneCluster if run > 0 && !order.is_empty() => {
                Alternation::from_centres(points, points.select(&order[..1]))
            }
            Start::OneCluster => Alternation::from_labels(points, vec![0; points.len()], 1),
            Start::Labels(labels) => {
                let k = labels.iter().max().map_or(0, |&c| c as usize + 1);
                Alternation::from_labels(points, labels.clone(), k)
            }
            Start::Centres(centres) => Alternation::from_centres(points, centres.clone()),
        };
        let mut passes = Passes::new(self.stop);
        let mut before = f64::INFINITY;
        let stop = loop {
            let moves = pass(&mut state, &order);
            debug_assert!(
                self.assigned(&state) <= before + 1e-9 * before.abs(),
                "giving points their clusters increased F"
            );
            state.recentre();
            let clusters = state.centres().len();
            let value = state.inertia() + self.lambda * clusters as f64;
            let reason = passes.finished(value, clusters, moves, observer);
            // A pass that moves points without lowering F only broke ties differently.
            if let Some(reason) = reason.or((value >= before).then_some(StopReason::NoChange)) {
                break reason;
            }
            before = value;
        };
        let (clusters, value) = passes
            .trace()
            .last()
            .map_or((0, 0.0), |p| (p.clusters, p.value));
        let (labels, centres) = state.into_parts();
        PointFit {
            fit: Fit {
                labels,
                clusters,
                value,
                trace: passes.into_trace(),
                stop,
            },
            centres,
        }
    }

    /// F between the two steps of a pass: new labels, centres where they were.
    fn assigned(&self, state: &Alternation<'_>) -> f64 {
        let mut used = vec![false; state.centres().len()];
        state.labels().iter().for_each(|&c| used[c as usize] = true);
        state.inertia() + self.lambda * used.into_iter().filter(|&u| u).count() as f64
    }

    fn order(&self, n: usize, run: usize) -> Vec<u32> {
        let mut order: Vec<u32> = match &self.order {
            Order::Given(order) => order.clone(),
            _ => (0..n as u32).collect(),
        };
        if run > 0 || self.order == Order::Shuffled {
            order.shuffle(&mut Xoshiro256PlusPlus::seed_from_u64(
                self.seed.wrapping_add(run as u64),
            ));
        }
        order
    }

    fn check(&self, points: &Points) -> Result<(), PointsError> {
        let wrong = |name, expected, found: String| {
            Err(ParamError::OutOfRange {
                name,
                expected,
                found,
            }
            .into())
        };
        if !(self.lambda.is_finite() && self.lambda >= 0.0) {
            return wrong("λ", "a finite number, at least 0", self.lambda.to_string());
        }
        if self.runs == 0 {
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
type Pass<'p> = dyn Fn(&mut Alternation<'_>, &[u32]) -> usize + 'p;

/// `F` of any labels, from scratch: `Σ_i w_i ‖x_i − μ_{z_i}‖² + λ k` over the non-empty clusters.
/// O(nd).
pub fn objective(points: &Points, labels: &[Cluster], lambda: f64) -> f64 {
    let k = labels.iter().max().map_or(0, |&c| c as usize + 1);
    let state = Alternation::from_labels(points, labels.to_vec(), k);
    state.inertia() + lambda * state.centres().len() as f64
}

/// The pass as the paper writes it.
fn literal_pass(state: &mut Alternation<'_>, order: &[u32], lambda: f64) -> usize {
    let (points, old) = (state.points(), state.centres().clone());
    let mut opened: Vec<u32> = Vec::new();
    let mut moves = 0;
    for &i in order {
        let x = points.row(i as usize);
        let (mut nearest, mut distance) = (0, f64::INFINITY);
        let centres = (0..old.len())
            .map(|c| old.row(c))
            .chain(opened.iter().map(|&s| points.row(s as usize)));
        for (c, centre) in centres.enumerate() {
            let here = squared_distance(x, centre);
            if here < distance {
                (nearest, distance) = (c, here);
            }
        }
        if points.weight(i as usize) * distance > lambda {
            (nearest, distance) = (old.len() + opened.len(), 0.0);
            opened.push(i);
        }
        moves += usize::from(state.labels()[i as usize] != nearest as Cluster);
        state.put(i as usize, nearest as Cluster, distance);
    }
    state.open(&opened);
    moves
}

/// The pass in parallel.
fn pass(state: &mut Alternation<'_>, order: &[u32], lambda: f64) -> usize {
    let before = state.labels().to_vec();
    state.reassign();
    let points = state.points();
    let is_candidate =
        |i: usize, state: &Alternation<'_>| points.weight(i) * state.own_distance(i) > lambda;
    let candidates: Vec<u32> = order
        .iter()
        .copied()
        .filter(|&i| is_candidate(i as usize, state))
        .collect();
    let settled: Vec<u32> = if candidates.is_empty() {
        Vec::new()
    } else {
        order
            .iter()
            .copied()
            .filter(|&i| !is_candidate(i as usize, state))
            .collect()
    };
    let opened = validate(state, &candidates, lambda);
    let limits = opened_before(order, &opened);
    join_opened(state, &settled, &opened, &limits);
    state.open(&opened);
    before
        .par_iter()
        .zip(state.labels())
        .filter(|(a, b)| a != b)
        .count()
}

/// For every point, how many clusters were opened before its turn.
fn opened_before(order: &[u32], opened: &[u32]) -> Vec<u32> {
    if opened.is_empty() {
        return Vec::new();
    }
    let mut limits = vec![0; order.len()];
    let mut so_far = 0;
    for &i in order {
        limits[i as usize] = so_far as u32;
        so_far += usize::from(opened.get(so_far) == Some(&i));
    }
    limits
}

/// Decides in order which candidates open a cluster, and puts every candidate where it belongs.
/// Returns the openers.
fn validate(state: &mut Alternation<'_>, candidates: &[u32], lambda: f64) -> Vec<u32> {
    let (points, old) = (state.points(), state.centres().len());
    let mut opened: Vec<u32> = Vec::new();
    for block in candidates.chunks(CANDIDATES) {
        let known = opened.len();
        let centres = points.select(&opened);
        let found = Search::new(&centres, state.frame()).nearest(points, block, None);
        for (&i, among_known) in block.iter().zip(found) {
            let row = points.row(i as usize);
            let mut best = (state.labels()[i as usize], state.own_distance(i as usize));
            if among_known.distance < best.1 {
                best = ((old as u32) + among_known.index, among_known.distance);
            }
            for (c, &s) in opened.iter().enumerate().skip(known) {
                let distance = squared_distance(row, points.row(s as usize));
                if distance < best.1 {
                    best = ((old + c) as u32, distance);
                }
            }
            if points.weight(i as usize) * best.1 > lambda {
                best = ((old + opened.len()) as u32, 0.0);
                opened.push(i);
            }
            state.put(i as usize, best.0, best.1);
        }
    }
    opened
}

/// Lets every settled point join a cluster that was opened before its turn, where that is nearer
/// than its old centre.
fn join_opened(state: &mut Alternation<'_>, settled: &[u32], opened: &[u32], limits: &[u32]) {
    let (points, old) = (state.points(), state.centres().len());
    let rows: Vec<u32> = settled
        .iter()
        .copied()
        .filter(|&i| limits.get(i as usize).is_some_and(|&l| l > 0))
        .collect();
    let limits: Vec<u32> = rows.iter().map(|&i| limits[i as usize]).collect();
    let centres = points.select(opened);
    let found = Search::new(&centres, state.frame()).nearest(points, &rows, Some(&limits));
    for (&i, nearest) in rows.iter().zip(found) {
        if nearest.distance < state.own_distance(i as usize) {
            state.put(i as usize, old as u32 + nearest.index, nearest.distance);
        }
    }
}
