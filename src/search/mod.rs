//! The search behind `lambdacut cluster`: a graph in, the recommended clustering (or the best at
//! one β, or exactly k) out.
//!
//! ```
//! use lambdacut::search::{Search, Target};
//! use lambdacut::generate::Cliques;
//! use lambdacut::observe::Silent;
//! let graph = Cliques { cliques: 6, size: 5 }.generate().unwrap().graph().unwrap();
//! let answer = Search::default().run(&graph, &Target::Recommended, &Silent).unwrap();
//! assert_eq!(answer.fit.clusters, 6);
//! ```

pub mod anneal;
pub mod chains;
pub mod choose;
mod connect;
mod dissolve;
pub mod effort;
pub mod fold;
pub mod history;
pub mod hull;
mod links;
pub mod moves;
mod null_model;
pub mod path;
pub mod reduce;
pub mod repair;
pub mod state;

use self::chains::chains;
use self::choose::{Choice, choose};
use self::effort::Effort;
use self::hull::corners;
use self::moves::movable;
use self::path::{Follower, Polished, Walk};
use self::reduce::{connected, keep_count, reduce};
use self::state::{Level, State};
use crate::fit::{Fit, StopReason};
use crate::graph::{AnyGraph, Graph, Weight, components};
use crate::ids::{Cluster, NONE};
use crate::observe::{Deadline, Observer, PassRecord};
use crate::params::{ObjectiveKind, ParamError, Resolution};
use crate::partition::{Masses, Sums, renumber, renumber_by_size};
use crate::with_graph;
use serde::{Deserialize, Serialize};
use std::time::{Duration, Instant};
use thiserror::Error;

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum SearchError {
    /// Nothing to cluster.
    #[error("the graph has no edges, so there is nothing to cluster")]
    NoEdges,
    /// More clusters than vertices.
    #[error(
        "{wanted} clusters were asked for, but only {available} vertices have an edge; ask for at most {available}"
    )]
    TooManyClusters {
        /// k as asked for.
        wanted: usize,
        /// Vertices with an edge.
        available: usize,
    },
    /// No clusters at all.
    #[error("0 clusters were asked for; ask for at least 1")]
    NoClusters,
    /// More arcs than links between clusters can be counted.
    #[error("the graph has {arcs} arcs; an unweighted graph may have at most {most} of them, so give the edges weights", most = u32::MAX)]
    TooManyArcs {
        /// Its arcs.
        arcs: usize,
    },
    /// Masses that are too few, too many, or not positive.
    #[error(transparent)]
    Masses(#[from] ParamError),
    /// Labels of the wrong length.
    #[error("{found} labels were given for {expected} vertices")]
    Labels {
        /// The number of labels.
        found: usize,
        /// The number of vertices.
        expected: usize,
    },
}

/// What to look for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Target {
    /// The whole path, and the clustering that stands out.
    Recommended,
    /// The best clustering at one β.
    Resolution(Resolution),
    /// The best clustering with exactly this many clusters.
    Clusters(usize),
}

/// How to look for it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Search {
    /// Normalized or ratio cut.
    pub kind: ObjectiveKind,
    /// Masses that replace those of `kind`.
    pub masses: Option<Vec<f64>>,
    /// How hard to search.
    pub effort: Effort,
    /// Vertices with the same label here stay together; [`NONE`] leaves a vertex free.
    pub fixed: Option<Vec<Cluster>>,
    /// Where to start at a given β, instead of from singletons; [`NONE`] makes a vertex start
    /// alone.
    pub start: Option<Vec<Cluster>>,
    /// Stop after this long with the best so far.
    pub time: Option<Duration>,
}

/// Which changes were tried without lowering F.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Optimality {
    /// No single vertex can move without cutting its cluster apart.
    pub moves: bool,
    /// No two clusters can merge.
    pub merges: bool,
    /// The last attempt to take poor and oversized clusters apart found nothing.
    pub splits: bool,
}

/// A clustering with what is known about it.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Answer {
    /// Labels numbered by decreasing size, k, F at [`Answer::beta`], the trace and the stop reason.
    pub fit: Fit,
    /// `Σ_c cut_c / M_c`.
    pub cut: f64,
    /// The β at which F is stated.
    pub beta: f64,
    /// The β on which nothing seen is better, if there are any; the upper end may be infinite.
    #[serde(with = "open_interval")]
    pub interval: Option<(f64, f64)>,
    /// Local optimality at [`Answer::beta`].
    pub optimal: Optimality,
    /// The corners of the path and the choice among them.
    pub choice: Option<Choice>,
    /// Fewer clusters than components were asked for, so some clusters are not connected.
    pub united: bool,
}

/// An interval whose upper end may be infinite, written as `null`.
mod open_interval {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    #[allow(clippy::ref_option)] // serde hands over the field by reference
    pub fn serialize<S: Serializer>(
        interval: &Option<(f64, f64)>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        interval
            .map(|(low, high)| (low, high.is_finite().then_some(high)))
            .serialize(serializer)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<(f64, f64)>, D::Error> {
        let interval: Option<(f64, Option<f64>)> = Option::deserialize(deserializer)?;
        Ok(interval.map(|(low, high)| (low, high.unwrap_or(f64::INFINITY))))
    }
}

impl Search {
    /// Searches. The result does not depend on the number of threads.
    pub fn run<W: Weight>(
        &self,
        graph: &Graph<W>,
        target: &Target,
        observer: &dyn Observer,
    ) -> Result<Answer, SearchError> {
        self.resume(graph, target, &mut Walk::default(), &mut |_| {}, observer)
    }

    /// The same for a graph whose weight type is known only at run time.
    pub fn run_any(
        &self,
        graph: &AnyGraph,
        target: &Target,
        observer: &dyn Observer,
    ) -> Result<Answer, SearchError> {
        with_graph!(graph, g => self.run(g, target, observer))
    }

    /// Searches on from a walk stored earlier; `after_step` sees it after every step of the path.
    pub fn resume<W: Weight>(
        &self,
        graph: &Graph<W>,
        target: &Target,
        walk: &mut Walk,
        after_step: &mut dyn FnMut(&Walk),
        observer: &dyn Observer,
    ) -> Result<Answer, SearchError> {
        self.check(graph, target)?;
        let observer = Deadline::new(observer, self.time);
        let masses = match &self.masses {
            Some(masses) => Masses::given(graph, masses.clone())?,
            None => Masses::of(self.kind),
        };
        let Some(fixed) = &self.fixed else {
            let job = Job::new(self, graph, &masses, &observer);
            return Ok(job.run(target, walk, after_step, self.start.as_deref()));
        };
        let (map, k) = together(graph, fixed);
        let coarse = Level::new(graph, &masses).contract(&map, k);
        let start = self.start.as_ref().map(|labels| carried(labels, &map, k));
        let job = Job::new(self, &coarse.graph, &coarse.masses, &observer);
        let mut answer = job.run(target, walk, after_step, start.as_deref());
        answer.fit.labels = spread(&map, &answer.fit.labels);
        renumber_by_size(&mut answer.fit.labels);
        Ok(answer)
    }

    /// The labels of point `index` of a walk of this search, one for every vertex of `graph`.
    pub fn walked<W: Weight>(&self, graph: &Graph<W>, walk: &Walk, index: usize) -> Vec<Cluster> {
        let labels = walk.labels(index);
        match &self.fixed {
            Some(fixed) => spread(&together(graph, fixed).0, &labels),
            None => labels,
        }
    }

    fn check<W: Weight>(&self, graph: &Graph<W>, target: &Target) -> Result<(), SearchError> {
        let (n, available) = (graph.vertices(), graph.vertices() - graph.isolated());
        let lengths = [
            self.fixed.as_ref().map(Vec::len),
            self.start.as_ref().map(Vec::len),
        ];
        if let Some(found) = lengths.into_iter().flatten().find(|&found| found != n) {
            return Err(SearchError::Labels { found, expected: n });
        }
        match *target {
            _ if available == 0 => Err(SearchError::NoEdges),
            _ if W::UNIT && graph.arcs() > u32::MAX as usize => {
                Err(SearchError::TooManyArcs { arcs: graph.arcs() })
            }
            Target::Clusters(0) => Err(SearchError::NoClusters),
            Target::Clusters(wanted) if wanted > available => {
                Err(SearchError::TooManyClusters { wanted, available })
            }
            _ => Ok(()),
        }
    }
}

/// Labels in which vertices with the same `fixed` label share one, and every other vertex with an
/// edge has its own.
fn together<W: Weight>(graph: &Graph<W>, fixed: &[Cluster]) -> (Vec<Cluster>, usize) {
    let top = fixed
        .iter()
        .filter(|&&c| c != NONE)
        .max()
        .map_or(0, |&c| c + 1);
    let label = |(i, &c): (usize, &Cluster)| match c {
        _ if graph.degree(i) == 0.0 => NONE,
        NONE => top + i as Cluster,
        c => c,
    };
    let mut map: Vec<Cluster> = fixed.iter().enumerate().map(label).collect();
    let k = renumber(&mut map);
    (map, k)
}

/// Labels of contracted vertices, given to all their members.
fn spread(map: &[Cluster], labels: &[Cluster]) -> Vec<Cluster> {
    map.iter()
        .map(|&v| if v == NONE { NONE } else { labels[v as usize] })
        .collect()
}

/// Labels of `k` contracted vertices: that of their first member.
fn carried(labels: &[Cluster], map: &[Cluster], k: usize) -> Vec<Cluster> {
    let mut of = vec![NONE; k];
    for (&c, &v) in labels.iter().zip(map).filter(|&(_, &v)| v != NONE) {
        if of[v as usize] == NONE {
            of[v as usize] = c;
        }
    }
    of
}

/// The one with the smaller cut, the first if they are equal.
fn better(a: (State, bool, f64), b: (State, bool, f64)) -> (State, bool, f64) {
    if b.0.cut() < a.0.cut() { b } else { a }
}

/// One search on one graph.
struct Job<'a, W: Weight> {
    graph: &'a Graph<W>,
    masses: &'a Masses,
    follower: Follower<'a, W>,
    observer: &'a Deadline<'a>,
}

impl<'a, W: Weight> Job<'a, W> {
    fn new(
        search: &Search,
        graph: &'a Graph<W>,
        masses: &'a Masses,
        observer: &'a Deadline<'a>,
    ) -> Self {
        Self {
            graph,
            masses,
            follower: Follower::new(graph, masses, search.effort, observer),
            observer,
        }
    }

    fn level(&self) -> Level<'a, W> {
        Level::new(self.graph, self.masses)
    }

    fn run(
        &self,
        target: &Target,
        walk: &mut Walk,
        after_step: &mut dyn FnMut(&Walk),
        start: Option<&[Cluster]>,
    ) -> Answer {
        match *target {
            Target::Recommended => self.recommended(walk, after_step),
            Target::Resolution(beta) => self.at(beta.get(), start),
            Target::Clusters(k) => self.exactly(k, walk, after_step),
        }
    }

    /// The whole path, then the corner that stands out, polished at the middle of its interval.
    fn recommended(&self, walk: &mut Walk, after_step: &mut dyn FnMut(&Walk)) -> Answer {
        let mut on_step = |walk: &Walk| {
            after_step(walk);
            true
        };
        self.follower.follow(walk, &mut on_step);
        if !walk.done() {
            // Interrupted early, all partitions of the path may be worse than none at all.
            self.follower.keep(walk, &self.one_a_component(), 0.0);
        }
        self.follower.add_proposals(walk);
        let before = choose(walk);
        let corner = before.candidates[before.chosen];
        let beta = f64::midpoint(corner.beta_low, corner.beta_high);
        let mut polished = None;
        if !self.observer.cancelled() {
            let state = State::new(&self.level(), walk.labels(corner.point), corner.clusters);
            let better = self.follower.polish(state, beta);
            self.follower
                .keep(walk, &better.state, walk.points()[corner.point].beta);
            polished = Some((walk.points().len() - 1, better));
        }
        let choice = choose(walk);
        let corner = choice.candidates[choice.chosen];
        let beta = f64::midpoint(corner.beta_low, corner.beta_high);
        let best = match polished {
            Some((point, polished)) if point == corner.point => polished,
            _ => self.unpolished(
                State::new(&self.level(), walk.labels(corner.point), corner.clusters),
                beta,
                false,
            ),
        };
        let mut answer = self.answer(&best, beta, walk.trace().to_vec(), false);
        answer.interval = Some((corner.beta_low, corner.beta_high));
        answer.choice = Some(choice);
        answer
    }

    /// The best at one β.
    fn at(&self, beta: f64, start: Option<&[Cluster]>) -> Answer {
        let began = Instant::now();
        let mut seen = Vec::new();
        let best = match start {
            None => self.follower.solve(beta, &mut seen),
            Some(labels) => {
                let (labels, k) = self.complete(labels);
                self.follower.solve_from(labels, k, beta)
            }
        };
        let best = self.no_worse_than_components(best, beta);
        let moves = self.graph.vertices();
        let (value, clusters) = (best.state.value(beta), best.state.clusters());
        let record = PassRecord {
            value,
            clusters,
            moves,
            seconds: began.elapsed().as_secs_f64(),
        };
        let mut answer = self.answer(&best, beta, vec![record], false);
        answer.interval = self.interval(&best.state, &seen);
        answer
    }

    /// `best`, unless one cluster a component, which needs no search, is better at β: a search that
    /// was interrupted early may still be above it.
    fn no_worse_than_components(&self, best: Polished, beta: f64) -> Polished {
        if best.state.value(beta) <= -beta * self.follower.components() as f64 {
            return best;
        }
        self.unpolished(self.one_a_component(), beta, false)
    }

    /// One cluster a component.
    fn one_a_component(&self) -> State {
        let whole = components(self.graph);
        State::new(&self.level(), whole.labels, whole.count)
    }

    /// Given labels, with a cluster of its own for every vertex that has an edge but no label.
    fn complete(&self, labels: &[Cluster]) -> (Vec<Cluster>, usize) {
        let top = labels
            .iter()
            .filter(|&&c| c != NONE)
            .max()
            .map_or(0, |&c| c + 1);
        let label = |(i, &c): (usize, &Cluster)| match c {
            _ if self.graph.degree(i) == 0.0 => NONE,
            NONE => top + i as Cluster,
            c => c,
        };
        let mut labels: Vec<Cluster> = labels.iter().enumerate().map(label).collect();
        let k = renumber(&mut labels);
        (labels, k)
    }

    /// Where `state` is on the hull of everything seen, one cluster per component included.
    fn interval(&self, state: &State, seen: &[(usize, f64)]) -> Option<(f64, f64)> {
        let mut points = vec![
            (state.clusters(), state.cut()),
            (self.follower.components(), 0.0),
        ];
        points.extend_from_slice(seen);
        corners(&points)
            .iter()
            .find(|c| c.point == 0)
            .map(|c| (c.beta_low, c.beta_high))
    }

    /// The last few partitions of the path with at least `k` clusters, merged down to exactly `k`;
    /// the best of them, improved.
    fn exactly(&self, k: usize, walk: &mut Walk, after_step: &mut dyn FnMut(&Walk)) -> Answer {
        self.follower.follow_down_to(k, walk, after_step);
        let mut best = self.merged_down(k, walk);
        if let Some(lighter) = self
            .follower
            .lighter()
            .filter(|_| !self.observer.cancelled())
        {
            // Steps of another length see other partitions.
            let mut other = Walk::default();
            lighter.follow_down_to(k, &mut other, &mut |_| {});
            best = better(best, self.merged_down(k, &other));
        }
        let mut proposed = Walk::default();
        self.follower.add_proposals(&mut proposed);
        if proposed.points().iter().any(|p| p.clusters >= k) {
            best = better(best, self.merged_down(k, &proposed));
        }
        let (mut state, mut united, beta) = best;
        let mut whole = false;
        for _ in 0..self.follower.attempts() {
            if self.observer.cancelled() {
                break;
            }
            let mut other = state.clone();
            whole = self.follower.improve_at(&mut other, beta);
            if other.clusters() < k {
                break;
            }
            let apart = self.settle_at(&mut other, k);
            if other.cut() >= state.cut() {
                break;
            }
            (state, united) = (other, apart);
        }
        let best = self.unpolished(state, beta, whole);
        let mut answer = self.answer(&best, beta, walk.trace().to_vec(), united);
        let seen: Vec<(usize, f64)> = walk.points().iter().map(|p| (p.clusters, p.cut)).collect();
        answer.interval = self.interval(&best.state, &seen);
        answer
    }

    /// A state to answer with as it is.
    fn unpolished(&self, state: State, beta: f64, whole: bool) -> Polished {
        Polished {
            settled: self.follower.settled(&state, beta),
            state,
            whole,
        }
    }

    /// The best of the path's partitions with just enough clusters, each merged down to `k`;
    /// whether components had to be united, and the β of the path there.
    fn merged_down(&self, k: usize, walk: &Walk) -> (State, bool, f64) {
        let level = self.level();
        let mut enough: Vec<usize> = (0..walk.points().len())
            .filter(|&at| walk.points()[at].clusters >= k)
            .collect();
        enough.sort_by_key(|&at| walk.points()[at].clusters);
        let down = |at: usize| {
            let point = walk.points()[at];
            let mut state = State::new(&level, walk.labels(at), point.clusters);
            let united = self.settle_at(&mut state, k);
            (state, united, point.beta)
        };
        // Interrupted, the first will do.
        let wanted = |&(nth, _): &(usize, usize)| nth == 0 || !self.observer.cancelled();
        let starts = enough
            .into_iter()
            .take(self.follower.starts())
            .enumerate()
            .take_while(wanted);
        let candidates = starts.map(|(_, at)| down(at));
        candidates.reduce(better).unwrap_or_else(|| {
            let mut state = State::singletons(&level);
            let united = self.settle_at(&mut state, k);
            (state, united, self.follower.start())
        })
    }

    /// Brings a state to exactly `k` connected clusters by merges, with moves and chains of moves
    /// in between.
    fn settle_at(&self, state: &mut State, k: usize) -> bool {
        let level = self.level();
        reduce(&level, state, k);
        keep_count(&level, state, self.follower.rounds(), self.observer);
        chains(&level, state, self.follower.chains(), self.observer);
        connected(&level, state, k)
    }

    fn answer(&self, best: &Polished, beta: f64, trace: Vec<PassRecord>, united: bool) -> Answer {
        let (level, state) = (self.level(), &best.state);
        let mut labels = state.labels.clone();
        let k = renumber_by_size(&mut labels);
        let coarse = level.contract(&labels, k);
        let mergeable = movable(&coarse.level(), &State::singletons(&coarse.level()), beta);
        let optimal = Optimality {
            moves: best.settled,
            merges: mergeable.is_empty(),
            splits: best.whole,
        };
        let sums = Sums::of(self.graph, self.masses, &labels, k);
        let stop = match (self.observer.passed(), self.observer.cancelled()) {
            (true, _) => StopReason::Time,
            (false, true) => StopReason::Cancelled,
            _ => StopReason::NoChange,
        };
        let fit = Fit {
            labels,
            clusters: k,
            value: sums.value(beta),
            trace,
            stop,
        };
        Answer {
            fit,
            cut: sums.cut(),
            beta,
            interval: None,
            optimal,
            choice: None,
            united,
        }
    }
}
