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

/// A partition with exactly the wanted number of clusters.
struct Exact {
    state: State,
    /// Whether components had to be united.
    united: bool,
    /// The β of the path where it was found.
    beta: f64,
}

impl Exact {
    /// The one with the smaller cut, this one if they are equal.
    fn or_better(self, other: Self) -> Self {
        if other.state.cut() < self.state.cut() {
            other
        } else {
            self
        }
    }
}

/// One search on one graph.
pub(crate) struct Job<'a, W: Weight> {
    graph: &'a Csr<W>,
    cut: &'a Cut,
    /// Searches of rising effort, up to the one asked for. Each goes on from what those before it
    /// have found, so that more effort never gives a worse answer.
    searches: Vec<PathSearch<'a, W>>,
    observer: &'a Deadline<'a>,
}

impl<'a, W: Weight> Job<'a, W> {
    pub fn new(
        graph: &'a Csr<W>,
        cut: &'a Cut,
        effort: Effort,
        deadline: &'a Deadline<'a>,
    ) -> Self {
        let search = |&effort: &Effort| PathSearch::new(graph, cut, effort, deadline);
        Self {
            graph,
            cut,
            searches: effort.with_lighter().iter().map(search).collect(),
            observer: deadline,
        }
    }

    fn level(&self) -> Level<'a, W> {
        Level::new(self.graph, self.cut)
    }

    /// The search of least effort.
    fn first(&self) -> &PathSearch<'a, W> {
        &self.searches[0]
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
            Target::Resolution(beta) => self.at(beta.get(), start, path, after_step),
            Target::Clusters(k) => self.exactly(k, start.as_ref(), path, after_step),
        }
    }

    /// The whole path, then the corner that stands out, refined at the middle of its interval.
    fn recommended(
        &self,
        start: Option<&State>,
        path: &mut Path,
        after_step: &mut dyn FnMut(&Path),
    ) -> Answer {
        let mut refined = Vec::new();
        for (nth, search) in self.searches.iter().enumerate() {
            self.explore(search, path, after_step);
            if let Some(start) = start.filter(|_| nth == 0) {
                self.add_known(path, start);
            }
            refined.extend(self.refine_choice(search, path));
        }
        let choice = choose(path);
        let corner = choice.candidates[choice.chosen];
        let beta = f64::midpoint(corner.beta_low, corner.beta_high);
        let best = refined.into_iter().find(|r| r.0 == corner.point);
        let best = best.map_or_else(
            || {
                let labels = path.labels(corner.point);
                let state = State::new(&self.level(), labels, corner.clusters);
                self.as_it_is(state, beta, false)
            },
            |(_, refined)| refined,
        );
        let mut answer = self.answer(&best, beta, path.trace().to_vec(), false);
        answer.interval = Some((corner.beta_low, corner.beta_high));
        answer.choice = Some(choice);
        answer
    }

    /// Follows the path and lets the null model propose, as far as lighter searches have not.
    fn explore(
        &self,
        search: &PathSearch<'a, W>,
        path: &mut Path,
        after_step: &mut dyn FnMut(&Path),
    ) {
        let first = std::ptr::eq(search, self.first());
        if first {
            let mut on_step = |path: &Path| {
                after_step(path);
                true
            };
            search.follow(path, &mut on_step);
            if !path.done() {
                // Interrupted early, all partitions of the path may be worse than none at all.
                search.keep(path, &self.one_a_component(), 0.0);
            }
        }
        if search.explores() && !self.observer.cancelled() {
            search.add_own_path(path);
        }
        if first || search.explores() {
            search.add_proposals(path);
        }
    }

    /// Refines the corner that stands out and adds it to the path; its point.
    fn refine_choice(
        &self,
        search: &PathSearch<'a, W>,
        path: &mut Path,
    ) -> Option<(usize, Refined)> {
        if self.observer.cancelled() {
            return None;
        }
        let started = Instant::now();
        let choice = choose(path);
        let corner = choice.recommended();
        let beta = f64::midpoint(corner.beta_low, corner.beta_high);
        let state = State::new(&self.level(), path.labels(corner.point), corner.clusters);
        let refined = search.perfect(state, beta);
        search.keep(path, &refined.state, beta);
        search.add_record(path, started);
        Some((path.points().len() - 1, refined))
    }

    /// Adds a known clustering to the points of a path: as it is, and refined at the β of each of the
    /// widest corners, the only ones among which the choice is made.
    fn add_known(&self, path: &mut Path, known: &State) {
        let search = self.first();
        search.keep(path, known, search.start());
        let mut corners = path.corners();
        corners.sort_by(|a, b| b.width().total_cmp(&a.width()));
        for corner in corners.into_iter().take(KNOWN_REFINED) {
            if self.observer.cancelled() {
                return;
            }
            let beta = f64::midpoint(corner.beta_low, corner.beta_high);
            let refined = search.perfect(search.descend(known.clone(), beta), beta);
            search.keep(path, &refined.state, beta);
        }
    }

    /// The best at one β, and where it stands among everything seen.
    fn at(
        &self,
        beta: f64,
        start: Option<State>,
        path: &mut Path,
        after_step: &mut dyn FnMut(&Path),
    ) -> Answer {
        let best = self.solve(beta, start, path, after_step);
        let mut answer = self.answer(&best, beta, path.trace().to_vec(), false);
        answer.interval = self.interval(&best.state, path);
        answer
    }

    /// The best partition found at β.
    pub fn best_at(&self, beta: f64) -> State {
        let best = self.solve(beta, None, &mut Path::default(), &mut |_| {});
        best.state
    }

    /// All that leads to the recommended clustering, and then the best of it at β, refined there: so
    /// the answer at β is never worse than the corner of the path there. A known clustering is
    /// refined instead.
    fn solve(
        &self,
        beta: f64,
        start: Option<State>,
        path: &mut Path,
        after_step: &mut dyn FnMut(&Path),
    ) -> Refined {
        let from_known = start.is_some();
        let known = start.map(|known| self.first().descend(known, beta));
        let known = known.unwrap_or_else(|| self.one_a_component());
        let mut best = self.as_it_is(known, beta, false);
        for search in &self.searches {
            if !from_known {
                self.explore(search, path, after_step);
                self.refine_choice(search, path);
                let found = search.best_at(path, beta);
                if found.value(beta) < best.state.value(beta) {
                    best = self.as_it_is(found, beta, false);
                }
            }
            if self.observer.cancelled() {
                break;
            }
            let started = Instant::now();
            best = search.perfect(search.descend(best.state, beta), beta);
            search.keep(path, &best.state, beta);
            search.add_record(path, started);
        }
        if best.state.value(beta) > -beta * self.first().components() as f64 {
            // Interrupted early, a known clustering may be worse than none.
            return self.as_it_is(self.one_a_component(), beta, false);
        }
        best
    }

    /// Where `state` is on the hull of everything seen, one cluster per component included.
    fn interval(&self, state: &State, path: &Path) -> Option<(f64, f64)> {
        let mut points = vec![
            (state.clusters(), state.cut()),
            (self.first().components(), 0.0),
        ];
        points.extend(path.points().iter().map(|p| (p.clusters, p.cut)));
        let corners = corners(&points);
        let own = corners.iter().find(|corner| corner.point == 0);
        own.map(|corner| (corner.beta_low, corner.beta_high))
    }

    /// One cluster a component.
    fn one_a_component(&self) -> State {
        let whole = components(self.graph);
        State::new(&self.level(), whole.labels, whole.count)
    }

    /// The last few partitions of the path with at least `k` clusters, merged down to exactly `k`;
    /// the best of them, improved.
    fn exactly(
        &self,
        k: usize,
        start: Option<&State>,
        path: &mut Path,
        after_step: &mut dyn FnMut(&Path),
    ) -> Answer {
        self.first().follow_down_to(k, path, after_step);
        let (mut best, mut whole) = self.exactly_on(self.first(), k, start, path, None);
        for search in &self.searches[1..] {
            if self.observer.cancelled() {
                break;
            }
            // Steps of another length see other partitions.
            let mut other = Path::default();
            search.follow_down_to(k, &mut other, &mut |_| {});
            (best, whole) = self.exactly_on(search, k, start, &mut other, Some(best));
        }
        let Exact {
            state,
            united,
            beta,
        } = best;
        let best = self.as_it_is(state, beta, whole);
        let mut answer = self.answer(&best, beta, path.trace().to_vec(), united);
        answer.interval = self.interval(&best.state, path);
        answer
    }

    /// The best with exactly `k` clusters that comes from one path, from a known clustering, or from
    /// what was found `before`; and whether the last repair found nothing to mend.
    fn exactly_on(
        &self,
        search: &PathSearch<'a, W>,
        k: usize,
        known: Option<&State>,
        path: &mut Path,
        before: Option<Exact>,
    ) -> (Exact, bool) {
        search.add_proposals(path);
        let mut best = self.merged_down(search, k, path);
        if let Some(known) = known.filter(|known| known.clusters() >= k) {
            let mut state = known.clone();
            let united = self.settle_at(search, &mut state, k);
            let beta = best.beta;
            best = best.or_better(Exact {
                state,
                united,
                beta,
            });
        }
        if let Some(before) = before {
            best = before.or_better(best);
        }
        let mut whole = false;
        for _ in 0..search.attempts() {
            if self.observer.cancelled() {
                break;
            }
            let (mut state, beta) = (best.state.clone(), best.beta);
            whole = search.improve_at(&mut state, beta);
            if state.clusters() < k {
                break;
            }
            let united = self.settle_at(search, &mut state, k);
            if state.cut() >= best.state.cut() {
                break;
            }
            best = Exact {
                state,
                united,
                beta,
            };
        }
        (best, whole)
    }

    /// A state to answer with as it is.
    fn as_it_is(&self, state: State, beta: f64, whole: bool) -> Refined {
        Refined {
            settled: self.first().settled(&state, beta),
            state,
            whole,
        }
    }

    /// The best of the path's partitions with just enough clusters, each merged down to `k`.
    fn merged_down(&self, search: &PathSearch<'a, W>, k: usize, path: &Path) -> Exact {
        let level = self.level();
        let mut enough: Vec<usize> = (0..path.points().len())
            .filter(|&at| path.points()[at].clusters >= k)
            .collect();
        enough.sort_by_key(|&at| path.points()[at].clusters);
        let mut best: Option<Exact> = None;
        for at in enough.into_iter().take(search.starts()) {
            // Interrupted, the first will do.
            if best.is_some() && self.observer.cancelled() {
                break;
            }
            let point = path.points()[at];
            let mut state = State::new(&level, path.labels(at), point.clusters);
            let united = self.settle_at(search, &mut state, k);
            let found = Exact {
                state,
                united,
                beta: point.beta,
            };
            best = Some(match best {
                Some(before) => before.or_better(found),
                None => found,
            });
        }
        best.unwrap_or_else(|| {
            let mut state = State::singletons(&level);
            let united = self.settle_at(search, &mut state, k);
            let beta = search.start();
            Exact {
                state,
                united,
                beta,
            }
        })
    }

    /// Brings a state to exactly `k` connected clusters by merges, with moves and chains of moves
    /// in between; whether components had to be united.
    fn settle_at(&self, search: &PathSearch<'a, W>, state: &mut State, k: usize) -> bool {
        let level = self.level();
        merge_down_to(&level, state, k);
        move_keeping_count(&level, state, search.rounds(), self.observer);
        chains(&level, state, search.chains(), self.observer);
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
