//! The path: the best clustering found for every β, from many clusters to one per component.
//!
//! Annealing ([`super::anneal`]) already visits a sequence of β; the path keeps what it finds. Each
//! step starts from the contracted graph ([`super::contraction`]) of the last, is repaired
//! ([`super::repair`]) and made connected (`connect`), and is kept as a point (k, Cut); the hull
//! ([`super::hull`]) of these points then says which partition is best at which β. The stride
//! adapts: a step that loses more than `STEEP` of the clusters is taken again at half the stride,
//! down to an eighth; below a fifth of the scale the stride shrinks with β, so that coarse
//! structure, which lives at small β, is seen as well.
//!
//! A step depends on nothing but the partition and β it starts from, so a path can be stored after
//! any step ([`Path`] is serialisable) and taken up again with the same result. Memory:
//! [`History`].

use super::anneal::{Annealer, schedule, start};
use super::connect::connect;
use super::contraction::Contracted;
use super::effort::{Effort, Plan};
use super::hull::corners;
use super::information::information;
use super::moves::{Active, dispensable, movable, move_whole};
use super::null_model::proposals;
use super::path::{Path, Point};
use super::repair::{Scope, repair};
use super::state::{Level, State};
use crate::cut::Cut;
use crate::graph::{Csr, Weight, components};
use crate::run::{Event, Observer, PassRecord};
use std::time::Instant;

/// A partition whose F is behind by more than this share is not refined beside a better one.
const HOPELESS: f64 = 0.05;

/// A step that keeps less than this share of the clusters is too long.
const STEEP: f64 = 0.6;

/// The shortest stride, as a share of the usual one.
const SHORTEST: f64 = 0.125;

/// Below this share of the scale, the stride is proportional to β.
const PROPORTIONAL: f64 = 0.2;

/// Arcs that may be looked at for starts beyond those of the preset.
const CHEAP: usize = 1 << 20;

/// The path ends at this share of the scale at the latest.
const FLOOR: f64 = 1e-3;

/// A partition to answer with.
#[derive(Debug, Clone)]
pub struct Refined {
    /// The partition, its clusters connected.
    pub state: State,
    /// No move of a single vertex that keeps clusters connected lowers F.
    pub settled: bool,
    /// The last attempt to take poor and oversized clusters apart found nothing.
    pub whole: bool,
}

/// Follows paths on one graph.
pub struct PathSearch<'a, W: Weight> {
    annealer: Annealer<'a, W>,
    effort: Effort,
    plan: Plan,
    scale: f64,
    least: usize,
}

impl<'a, W: Weight> PathSearch<'a, W> {
    /// A search for `graph` with its masses.
    pub fn new(
        graph: &'a Csr<W>,
        cut: &'a Cut,
        effort: Effort,
        observer: &'a dyn Observer,
    ) -> Self {
        let level = Level::new(graph, cut);
        let plan = effort.plan();
        let annealer = Annealer {
            level,
            tuning: plan.tuning,
            observer,
        };
        Self {
            annealer,
            effort,
            plan,
            scale: start(&level) / 0.9,
            least: components(graph).count,
        }
    }

    /// Goes on with `path` until it is done or cancelled; `after_step` sees it after every step and
    /// says whether to go on.
    pub fn follow(&self, path: &mut Path, after_step: &mut dyn FnMut(&Path) -> bool) {
        let observer = self.annealer.observer;
        observer.event(Event::Stage {
            name: "following the path",
            total: None,
        });
        // The first step is always taken, so that even an interrupted search has an answer.
        let mut carried = None;
        while !path.done && (path.points.is_empty() || !observer.cancelled()) {
            let started = Instant::now();
            let (contracted, state, beta) = match carried.take().or_else(|| self.contracted(path)) {
                None => self.begin(path),
                Some(contracted) => self.advance(path, &contracted),
            };
            if observer.cancelled() && !path.points.is_empty() {
                return;
            }
            self.record(path, &contracted, &state, beta, started);
            if !after_step(path) {
                return;
            }
            carried = Some(contracted);
        }
    }

    /// The contraction of the newest partition of a path, if it has one.
    fn contracted(&self, path: &mut Path) -> Option<Contracted<W::Sum>> {
        let clusters = path.points.last()?.clusters;
        Some(Contracted::of_connected(
            &self.annealer.level,
            path.history.last().to_vec(),
            clusters,
        ))
    }

    /// Goes on with `path` until it has at most `k` clusters.
    pub fn follow_down_to(&self, k: usize, path: &mut Path, after_step: &mut dyn FnMut(&Path)) {
        let more = |path: &Path| path.points.last().is_none_or(|p| p.clusters > k);
        let mut on_step = |path: &Path| {
            after_step(path);
            more(path)
        };
        if more(path) {
            self.follow(path, &mut on_step);
        }
    }

    /// The first state of a path, its contraction and its β.
    fn begin(&self, path: &mut Path) -> (Contracted<W::Sum>, State, f64) {
        path.stride = self.plan.stride * self.scale;
        let beta = self.start();
        let mut state = self.annealer.run(&[beta], &mut |_| {});
        self.improve(&mut state, &[beta], self.plan.path_repairs);
        (Contracted::of(&self.annealer.level, &state), state, beta)
    }

    /// The next state of the path, its contraction and its β.
    fn advance(
        &self,
        path: &mut Path,
        before: &Contracted<W::Sum>,
    ) -> (Contracted<W::Sum>, State, f64) {
        let longest = self.plan.stride * self.scale;
        let (merged, beta) = loop {
            let beta = self.next_beta(path);
            let merged = self.annealer.merge(before, beta);
            let k = merged.clusters();
            let steep = (k as f64) < STEEP * before.clusters() as f64 && k > 16;
            if !steep {
                path.stride = (path.stride * 2.0).min(longest);
            }
            if !steep || path.stride <= SHORTEST * longest || self.annealer.observer.cancelled() {
                break (merged, beta);
            }
            path.stride /= 2.0;
        };
        let mut state = self.annealer.refine(before, &merged, beta);
        self.improve(&mut state, &self.schedule(beta), self.plan.path_repairs);
        (merged.follow(&self.annealer.level, &state), state, beta)
    }

    fn next_beta(&self, path: &Path) -> f64 {
        let shrink = (path.beta / (PROPORTIONAL * self.scale)).min(1.0);
        path.beta - path.stride * shrink
    }

    /// Repairs at the last β of `schedule`, then connects; whether the last repair found nothing to
    /// mend.
    fn improve(&self, state: &mut State, schedule: &[f64], (inside, free): (usize, usize)) -> bool {
        let Some(&beta) = schedule.last() else {
            return false;
        };
        let scopes = std::iter::repeat_n(Scope::Inside, inside)
            .chain(std::iter::repeat_n(Scope::Free, free));
        let mut idle = None;
        for scope in scopes {
            if idle != Some(scope) && !self.annealer.observer.cancelled() {
                idle = (!repair(&self.annealer, state, schedule, scope)).then_some(scope);
            }
        }
        connect(&self.annealer.level, state, beta);
        idle.is_some()
    }

    /// Moves what making clusters connected has left to move, and connects again; in the end only
    /// moves that keep clusters connected are made. Whether none of those is left.
    fn finish(&self, state: &mut State, beta: f64) -> bool {
        let level = &self.annealer.level;
        for _ in 0..self.plan.finishing {
            self.annealer
                .moves(state, Active::all(state.labels.len()), beta);
            if !connect(level, state, beta) {
                break;
            }
        }
        (0..self.plan.finishing)
            .any(|_| move_whole(level, state, &movable(level, state, beta), beta) == 0)
    }

    /// Whether no move of a single vertex that keeps clusters connected lowers F at β.
    pub fn settled(&self, state: &State, beta: f64) -> bool {
        let level = &self.annealer.level;
        !movable(level, state, beta)
            .into_iter()
            .any(|i| dispensable(level, &state.labels, i))
    }

    fn record(
        &self,
        path: &mut Path,
        contracted: &Contracted<W::Sum>,
        state: &State,
        beta: f64,
        started: Instant,
    ) {
        let moves = self.add(path, contracted, state, beta);
        let k = state.clusters();
        path.beta = beta;
        path.done = k <= self.least || beta < FLOOR * self.scale;
        let pass = PassRecord {
            value: state.value(beta),
            clusters: k,
            moves,
            seconds: started.elapsed().as_secs_f64(),
        };
        path.trace.push(pass);
        self.annealer.observer.event(Event::Pass(&pass));
    }

    /// Adds `state`, found at `beta`, to the points of a path. O(arcs).
    pub fn keep(&self, path: &mut Path, state: &State, beta: f64) {
        self.add(
            path,
            &Contracted::of(&self.annealer.level, state),
            state,
            beta,
        );
    }

    /// Adds a state with its contraction to the points of a path; how many vertices did not go with
    /// their cluster.
    fn add(
        &self,
        path: &mut Path,
        contracted: &Contracted<W::Sum>,
        state: &State,
        beta: f64,
    ) -> usize {
        let modularity = state.modularity(self.annealer.level.graph.volume());
        let information = information(&contracted.coarse.graph);
        let point = Point {
            beta,
            clusters: contracted.clusters(),
            cut: state.cut(),
            modularity,
            information,
        };
        path.add(point, contracted.labels.clone())
    }

    /// The best partition found at one β: the better of what annealing and the null model lead to,
    /// repaired and connected. The points seen on the way are added to `seen`.
    pub fn solve(&self, beta: f64, seen: &mut Vec<(usize, f64)>) -> Refined {
        let annealed = self.annealer.run(&self.schedule(beta), &mut |state| {
            seen.push((state.clusters(), state.cut()));
        });
        let Some(guided) = self.guided(beta, seen) else {
            return self.perfect(annealed, beta);
        };
        // Polishing takes longer than all before it, so the one that is far behind goes without.
        let (mut first, mut second) = (annealed, guided);
        if second.value(beta) < first.value(beta) {
            std::mem::swap(&mut first, &mut second);
        }
        let behind = second.value(beta) - first.value(beta);
        let best = self.perfect(first, beta);
        if behind > HOPELESS * best.state.value(beta).abs() || self.annealer.observer.cancelled() {
            return best;
        }
        let other = self.perfect(second, beta);
        if other.state.value(beta) < best.state.value(beta) {
            return other;
        }
        best
    }

    /// The best, at β, of the few best proposals of the null model, refined by moves of F.
    fn guided(&self, beta: f64, seen: &mut Vec<(usize, f64)>) -> Option<State> {
        let mut states: Vec<State> = self.proposed().collect();
        seen.extend(states.iter().map(|state| (state.clusters(), state.cut())));
        states.sort_by(|a, b| a.value(beta).total_cmp(&b.value(beta)));
        states.truncate(self.plan.proposals);
        let mut best: Option<State> = None;
        for state in states {
            let refined = self.descend(state, beta);
            if best
                .as_ref()
                .is_none_or(|best| refined.value(beta) < best.value(beta))
            {
                best = Some(refined);
            }
        }
        best
    }

    /// The proposals of the null model, finest first.
    fn proposed(&self) -> impl Iterator<Item = State> {
        let level = self.annealer.level;
        let found = proposals(&level, self.plan.gamma_factor, self.annealer.observer);
        found
            .into_iter()
            .map(move |proposal| State::new(&level, proposal.labels, proposal.clusters))
    }

    /// Adds to a path what the null model proposes: each proposal that is best among them at some
    /// β, refined there by moves of F.
    pub fn add_proposals(&self, path: &mut Path) {
        let observer = self.annealer.observer;
        if observer.cancelled() {
            return;
        }
        let started = Instant::now();
        observer.event(Event::Stage {
            name: "comparing with the null model",
            total: None,
        });
        let states: Vec<State> = self.proposed().collect();
        let points: Vec<(usize, f64)> = states.iter().map(|s| (s.clusters(), s.cut())).collect();
        let mut last = None;
        for corner in corners(&points) {
            if observer.cancelled() {
                break;
            }
            let beta = f64::midpoint(corner.beta_low, corner.beta_high.min(self.start()));
            let mut state = self.descend(states[corner.point].clone(), beta);
            connect(&self.annealer.level, &mut state, beta);
            self.keep(path, &state, beta);
            last = Some((state.value(beta), state.clusters()));
        }
        if let Some((value, clusters)) = last {
            let seconds = started.elapsed().as_secs_f64();
            path.trace.push(PassRecord {
                value,
                clusters,
                moves: self.annealer.level.vertices(),
                seconds,
            });
        }
    }

    /// Searches on from a given partition at one β.
    pub fn solve_from(&self, state: State, beta: f64) -> Refined {
        self.perfect(self.descend(state, beta), beta)
    }

    /// Moves single vertices, then merges clusters, then refines what has merged.
    fn descend(&self, mut state: State, beta: f64) -> State {
        let level = &self.annealer.level;
        self.annealer
            .moves(&mut state, Active::all(level.vertices()), beta);
        let contracted = Contracted::of(level, &state);
        let merged = self.annealer.merge(&contracted, beta);
        self.annealer.refine(&contracted, &merged, beta)
    }

    /// Repairs a partition at β as thoroughly as an answer deserves.
    pub fn perfect(&self, mut state: State, beta: f64) -> Refined {
        let whole = self.improve(&mut state, &self.schedule(beta), self.plan.repairs);
        let settled = self.finish(&mut state, beta);
        Refined {
            state,
            settled,
            whole,
        }
    }

    /// One repair of each kind at β; whether the last one found nothing to mend.
    pub fn improve_at(&self, state: &mut State, beta: f64) -> bool {
        self.improve(state, &self.schedule(beta), (1, 1))
    }

    /// Where annealing starts.
    pub fn start(&self) -> f64 {
        0.9 * self.scale
    }

    /// The number of connected components with an edge.
    pub fn components(&self) -> usize {
        self.least
    }

    /// How many times an answer with a given number of clusters is improved.
    pub fn attempts(&self) -> usize {
        self.plan.repairs.0 + self.plan.repairs.1
    }

    /// From how many partitions of the path an answer with a given number of clusters is sought:
    /// more on small graphs.
    pub fn starts(&self) -> usize {
        self.plan
            .starts
            .max(CHEAP / self.annealer.level.graph.arcs())
    }

    /// A search of the same graph with the next lighter effort, if there is one.
    pub fn lighter(&self) -> Option<Self> {
        let plan = self.effort.lighter()?.plan();
        Some(Self {
            annealer: Annealer {
                tuning: plan.tuning,
                ..self.annealer
            },
            plan,
            effort: self.effort.lighter()?,
            ..*self
        })
    }

    /// How many chains of moves are tried.
    pub fn chains(&self) -> usize {
        self.plan.chains
    }

    /// Rounds of moves.
    pub fn rounds(&self) -> usize {
        self.plan.tuning.rounds
    }

    fn schedule(&self, beta: f64) -> Vec<f64> {
        schedule(self.start(), beta, self.plan.steps)
    }
}
