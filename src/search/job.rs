//! One search on one graph: for the recommended clustering, at one β, or for exactly k.

use super::answer::{Answer, Optimality, Target};
use super::chains::chains;
use super::choice::choose;
use super::effort::Effort;
use super::hull::corners;
use super::merges::{connect_and_merge_down_to, merge_down_to, move_keeping_count};
use super::moves::movable;
use super::path::Path;
use super::path_search::{PathSearch, Refined};
use super::state::{Level, State};
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
    search: PathSearch<'a, W>,
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
            search: PathSearch::new(graph, cut, effort, deadline),
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
        path: &mut Path,
        after_step: &mut dyn FnMut(&Path),
    ) -> Answer {
        let start = start.map(|labels| {
            let (labels, k) = completed(labels, |i| self.graph.degree(i) > 0.0);
            State::new(&self.level(), labels, k)
        });
        match target {
            Target::Recommended => self.recommended(start.as_ref(), path, after_step),
            Target::Resolution(beta) => self.at(beta.get(), start),
            Target::Clusters(k) => self.exactly(k, start, path, after_step),
        }
    }

    /// The whole path, then the corner that stands out, refined at the middle of its interval.
    fn recommended(
        &self,
        start: Option<&State>,
        path: &mut Path,
        after_step: &mut dyn FnMut(&Path),
    ) -> Answer {
        let mut on_step = |path: &Path| {
            after_step(path);
            true
        };
        self.search.follow(path, &mut on_step);
        if !path.done() {
            // Interrupted early, all partitions of the path may be worse than none at all.
            self.search.keep(path, &self.one_a_component(), 0.0);
        }
        self.search.add_proposals(path);
        if let Some(start) = start {
            self.add_known(path, start);
        }
        let before = choose(path);
        let corner = before.candidates[before.chosen];
        let beta = f64::midpoint(corner.beta_low, corner.beta_high);
        let mut refined = None;
        if !self.observer.cancelled() {
            let state = State::new(&self.level(), path.labels(corner.point), corner.clusters);
            let better = self.search.perfect(state, beta);
            self.search
                .keep(path, &better.state, path.points()[corner.point].beta);
            refined = Some((path.points().len() - 1, better));
        }
        let choice = choose(path);
        let corner = choice.candidates[choice.chosen];
        let beta = f64::midpoint(corner.beta_low, corner.beta_high);
        let best = match refined {
            Some((point, refined)) if point == corner.point => refined,
            _ => self.as_it_is(
                State::new(&self.level(), path.labels(corner.point), corner.clusters),
                beta,
                false,
            ),
        };
        let mut answer = self.answer(&best, beta, path.trace().to_vec(), false);
        answer.interval = Some((corner.beta_low, corner.beta_high));
        answer.choice = Some(choice);
        answer
    }

    /// Adds a known clustering to the points of a path: as it is, and refined at the β of each of the
    /// widest corners, the only ones among which the choice is made.
    fn add_known(&self, path: &mut Path, known: &State) {
        self.search.keep(path, known, self.search.start());
        let mut corners = path.corners();
        corners.sort_by(|a, b| b.width().total_cmp(&a.width()));
        for corner in corners.into_iter().take(KNOWN_REFINED) {
            if self.observer.cancelled() {
                return;
            }
            let beta = f64::midpoint(corner.beta_low, corner.beta_high);
            let refined = self.search.solve_from(known.clone(), beta);
            self.search.keep(path, &refined.state, beta);
        }
    }

    /// The best at one β.
    fn at(&self, beta: f64, start: Option<State>) -> Answer {
        let began = Instant::now();
        let mut seen = Vec::new();
        let best = match start {
            None => self.search.solve(beta, &mut seen),
            Some(known) => self.search.solve_from(known, beta),
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
    fn no_worse_than_components(&self, best: Refined, beta: f64) -> Refined {
        if best.state.value(beta) <= -beta * self.search.components() as f64 {
            return best;
        }
        self.as_it_is(self.one_a_component(), beta, false)
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
            (self.search.components(), 0.0),
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
        path: &mut Path,
        after_step: &mut dyn FnMut(&Path),
    ) -> Answer {
        self.search.follow_down_to(k, path, after_step);
        let mut best = self.merged_down(k, path);
        if let Some(lighter) = self.search.lighter().filter(|_| !self.observer.cancelled()) {
            // Steps of another length see other partitions.
            let mut other = Path::default();
            lighter.follow_down_to(k, &mut other, &mut |_| {});
            best = better(best, self.merged_down(k, &other));
        }
        let mut proposed = Path::default();
        self.search.add_proposals(&mut proposed);
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
        for _ in 0..self.search.attempts() {
            if self.observer.cancelled() {
                break;
            }
            let mut other = state.clone();
            whole = self.search.improve_at(&mut other, beta);
            if other.clusters() < k {
                break;
            }
            let apart = self.settle_at(&mut other, k);
            if other.cut() >= state.cut() {
                break;
            }
            (state, united) = (other, apart);
        }
        let best = self.as_it_is(state, beta, whole);
        let mut answer = self.answer(&best, beta, path.trace().to_vec(), united);
        let seen: Vec<(usize, f64)> = path.points().iter().map(|p| (p.clusters, p.cut)).collect();
        answer.interval = self.interval(&best.state, &seen);
        answer
    }

    /// A state to answer with as it is.
    fn as_it_is(&self, state: State, beta: f64, whole: bool) -> Refined {
        Refined {
            settled: self.search.settled(&state, beta),
            state,
            whole,
        }
    }

    /// The best of the path's partitions with just enough clusters, each merged down to `k`;
    /// whether components had to be united, and the β of the path there.
    fn merged_down(&self, k: usize, path: &Path) -> (State, bool, f64) {
        let level = self.level();
        let mut enough: Vec<usize> = (0..path.points().len())
            .filter(|&at| path.points()[at].clusters >= k)
            .collect();
        enough.sort_by_key(|&at| path.points()[at].clusters);
        let down = |at: usize| {
            let point = path.points()[at];
            let mut state = State::new(&level, path.labels(at), point.clusters);
            let united = self.settle_at(&mut state, k);
            (state, united, point.beta)
        };
        // Interrupted, the first will do.
        let wanted = |&(nth, _): &(usize, usize)| nth == 0 || !self.observer.cancelled();
        let starts = enough
            .into_iter()
            .take(self.search.starts())
            .enumerate()
            .take_while(wanted);
        let candidates = starts.map(|(_, at)| down(at));
        candidates.reduce(better).unwrap_or_else(|| {
            let mut state = State::singletons(&level);
            let united = self.settle_at(&mut state, k);
            (state, united, self.search.start())
        })
    }

    /// Brings a state to exactly `k` connected clusters by merges, with moves and chains of moves
    /// in between.
    fn settle_at(&self, state: &mut State, k: usize) -> bool {
        let level = self.level();
        merge_down_to(&level, state, k);
        move_keeping_count(&level, state, self.search.rounds(), self.observer);
        chains(&level, state, self.search.chains(), self.observer);
        connect_and_merge_down_to(&level, state, k)
    }

    fn answer(&self, best: &Refined, beta: f64, trace: Vec<PassRecord>, united: bool) -> Answer {
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
