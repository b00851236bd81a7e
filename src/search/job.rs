//! One search on one graph: for the recommended clustering, at one β, or for exactly k.

use super::chains::chains;
use super::choose::choose;
use super::effort::Effort;
use super::hull::corners;
use super::moves::movable;
use super::path::{Follower, Polished, Walk};
use super::reduce::{connected, keep_count, reduce};
use super::state::{Level, State};
use super::{Answer, Optimality, Target};
use crate::clustering::Clustering;
use crate::cut::Cut;
use crate::graph::{Csr, Weight, components};
use crate::ids::Cluster;
use crate::labels::{completed, renumber_by_size};
use crate::partition::Sums;
use crate::run::{Deadline, Observer, PassRecord, StopReason};
use std::time::Instant;

/// At how many corners of the path a known clustering is refined.
const KNOWN_REFINED: usize = 6;

/// The one with the smaller cut, the first if they are equal.
fn better(a: (State, bool, f64), b: (State, bool, f64)) -> (State, bool, f64) {
    if b.0.cut() < a.0.cut() { b } else { a }
}

/// One search on one graph.
pub(super) struct Job<'a, W: Weight> {
    graph: &'a Csr<W>,
    cut: &'a Cut,
    follower: Follower<'a, W>,
    observer: &'a Deadline<'a>,
}

impl<'a, W: Weight> Job<'a, W> {
    pub fn new(
        graph: &'a Csr<W>,
        cut: &'a Cut,
        effort: Effort,
        deadline: &'a Deadline<'a>,
    ) -> Self {
        Self {
            graph,
            cut,
            follower: Follower::new(graph, cut, effort, deadline),
            observer: deadline,
        }
    }

    fn level(&self) -> Level<'a, W> {
        Level::new(self.graph, self.cut)
    }

    pub fn run(
        &self,
        target: Target,
        start: Option<&[Cluster]>,
        walk: &mut Walk,
        after_step: &mut dyn FnMut(&Walk),
    ) -> Answer {
        let start = start.map(|labels| {
            let (labels, k) = completed(labels, |i| self.graph.degree(i) > 0.0);
            State::new(&self.level(), labels, k)
        });
        match target {
            Target::Recommended => self.recommended(start.as_ref(), walk, after_step),
            Target::Resolution(beta) => self.at(beta.get(), start),
            Target::Clusters(k) => self.exactly(k, start, walk, after_step),
        }
    }

    /// The whole path, then the corner that stands out, polished at the middle of its interval.
    fn recommended(
        &self,
        start: Option<&State>,
        walk: &mut Walk,
        after_step: &mut dyn FnMut(&Walk),
    ) -> Answer {
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
        if let Some(start) = start {
            self.add_known(walk, start);
        }
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

    /// Adds a known clustering to the points of a path: as it is, and refined at the β of each of the
    /// widest corners, the only ones among which the choice is made.
    fn add_known(&self, walk: &mut Walk, known: &State) {
        self.follower.keep(walk, known, self.follower.start());
        let mut corners = walk.corners();
        corners.sort_by(|a, b| b.width().total_cmp(&a.width()));
        for corner in corners.into_iter().take(KNOWN_REFINED) {
            if self.observer.cancelled() {
                return;
            }
            let beta = f64::midpoint(corner.beta_low, corner.beta_high);
            let refined = self.follower.solve_from(known.clone(), beta);
            self.follower.keep(walk, &refined.state, beta);
        }
    }

    /// The best at one β.
    fn at(&self, beta: f64, start: Option<State>) -> Answer {
        let began = Instant::now();
        let mut seen = Vec::new();
        let best = match start {
            None => self.follower.solve(beta, &mut seen),
            Some(known) => self.follower.solve_from(known, beta),
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
    fn exactly(
        &self,
        k: usize,
        start: Option<State>,
        walk: &mut Walk,
        after_step: &mut dyn FnMut(&Walk),
    ) -> Answer {
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
        if let Some(mut known) = start.filter(|known| known.clusters() >= k) {
            let united = self.settle_at(&mut known, k);
            let beta = best.2;
            best = better(best, (known, united, beta));
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
        let sums = Sums::of(self.graph, self.cut, &labels, k);
        let clustering = Clustering {
            labels,
            clusters: k,
            objective: self.cut.clone(),
            cut: sums.cut(),
            beta,
            value: sums.value(beta),
            trace,
            stop: self.observer.reason().unwrap_or(StopReason::NoChange),
        };
        Answer {
            clustering,
            interval: None,
            optimal,
            choice: None,
            united,
        }
    }
}
