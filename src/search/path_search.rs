//! The path: the best clustering found for every β, from many clusters to one per component.
//!
//! Annealing ([`super::anneal`]) already visits a sequence of β; the path keeps what it finds. Each
//! step starts from the contracted graph ([`super::contraction`]) of the last, is repaired
//! ([`super::repair`]) where the effort asks for it, made connected (`connect`), and is kept as a point (k, Cut); the hull
//! ([`super::hull`]) of these points then says which partition is best at which β. The stride
//! adapts: a step that loses more than `STEEP` of the clusters is taken again at half the stride,
//! down to an eighth; below a fifth of the scale the stride shrinks with β, so that coarse
//! structure, which lives at small β, is seen as well.
//!
//! A step depends on nothing but the partition and β it starts from, so a path can be stored after
//! any step ([`Path`] is serialisable) and taken up again with the same result. Memory:
//! [`History`].

use super::anneal::{Annealer, meet, schedule, start};
use super::connect::connect;
use super::contraction::Contracted;
use super::effort::{Effort, Plan};
use super::information::information;
use super::moves::{Active, dispensable, movable, move_whole};
use super::null_model::{NullModel, Proposal};
use super::path::{Path, Point};
use super::repair::{Scope, repair};
use super::state::{Level, State};
use crate::cut::Cut;
use crate::graph::{Csr, Weight, components};
use crate::run::{Event, Observer, PassRecord};
use rayon::prelude::*;
use std::time::Instant;

/// The null model proposes in earnest where its draft reaches this share of the path's F.
const PROMISING: f64 = 0.85;

/// How often what neighbouring proposals agree on is joined again.
const GENERATIONS: usize = 2;

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
        self.annealer.observer.event(Event::Step { beta });
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

    /// The best partition of a path at β. O(arcs).
    pub fn best_at(&self, path: &Path, beta: f64) -> State {
        let level = &self.annealer.level;
        match path.best_at(beta) {
            Some(point) => {
                let clusters = path.points[point].clusters;
                State::new(level, path.labels(point), clusters)
            }
            None => State::singletons(level),
        }
    }

    /// Adds to a path what the null model proposes.
    ///
    /// A draft at each γ shows where the null model can compete with the path at all; only there, and
    /// half way to the next γ, it is improved. Then what the proposals at neighbouring γ agree on is
    /// joined again, `GENERATIONS` times: where they differ, one of them is wrong. Moves of F refine
    /// what comes out.
    pub fn add_proposals(&self, path: &mut Path) {
        let (level, observer) = (&self.annealer.level, self.annealer.observer);
        if path.points.is_empty() || observer.cancelled() {
            return;
        }
        let started = Instant::now();
        observer.event(Event::Stage {
            name: "comparing with the null model",
            total: None,
        });
        let null_model = NullModel::new(level);
        let draft = |gamma: f64| {
            let draft = null_model.draft(level, gamma, observer);
            let state = State::new(level, draft.labels.clone(), draft.clusters);
            let beta = promising(path, state.clusters(), state.cut())?;
            Some((draft, beta))
        };
        let factor = self.plan.gamma_factor;
        let gammas = null_model.gammas(factor);
        let mut drafts: Vec<(Proposal, f64)> = gammas.into_par_iter().filter_map(draft).collect();
        let nearby = between(&drafts, factor);
        drafts.par_extend(nearby.into_par_iter().filter_map(draft));
        drafts.sort_by(|a, b| a.0.gamma.total_cmp(&b.0.gamma));
        let improve = |(draft, beta)| (null_model.improve(level, draft, observer), beta);
        let mut newest: Vec<(Proposal, f64)> = drafts.into_par_iter().map(improve).collect();
        let join = |pair: &[(Proposal, f64)]| {
            let (finer, coarser) = (&pair[1].0, &pair[0].0);
            let agreed = meet(&coarser.labels, coarser.clusters, &finer.labels);
            (
                null_model.join(level, agreed, coarser.gamma, observer),
                pair[0].1,
            )
        };
        let mut proposals = Vec::new();
        for _ in 0..GENERATIONS {
            let joined = newest.par_windows(2).map(join).collect();
            proposals.extend(std::mem::replace(&mut newest, joined));
        }
        proposals.extend(newest);
        for (proposal, beta) in proposals {
            let state = State::new(level, proposal.labels, proposal.clusters);
            let mut state = self.descend(state, beta);
            connect(level, &mut state, beta);
            self.keep(path, &state, beta);
        }
        self.add_record(path, started);
    }

    /// Adds to the trace of a path that its newest point was found in the time since `started`.
    pub fn add_record(&self, path: &mut Path, started: Instant) {
        let Some(point) = path.points.last() else {
            return;
        };
        let record = PassRecord {
            value: point.cut - point.beta * point.clusters as f64,
            clusters: point.clusters,
            moves: self.annealer.level.vertices(),
            seconds: started.elapsed().as_secs_f64(),
        };
        path.trace.push(record);
        self.annealer.observer.event(Event::Pass(&record));
    }

    /// Whether this search follows a path of its own beside that of the lighter ones.
    pub fn explores(&self) -> bool {
        self.plan.own_path
    }

    /// Adds the corners of a path of this search's own steps.
    pub fn add_own_path(&self, path: &mut Path) {
        let started = Instant::now();
        let mut own = Path::default();
        self.follow(&mut own, &mut |_| true);
        for corner in own.corners() {
            path.add(own.points[corner.point], own.labels(corner.point));
        }
        self.add_record(path, started);
    }

    /// Moves single vertices, then merges clusters, then refines what has merged.
    pub fn descend(&self, mut state: State, beta: f64) -> State {
        let level = &self.annealer.level;
        self.annealer
            .moves(&mut state, Active::all(level.vertices()), beta);
        let contracted = Contracted::of(level, &state);
        let merged = self.annealer.merge(&contracted, beta);
        self.annealer.refine(&contracted, &merged, beta)
    }

    /// Repairs a partition at β as thoroughly as an answer deserves; never makes it worse.
    pub fn perfect(&self, state: State, beta: f64) -> Refined {
        let mut better = state.clone();
        let whole = self.improve(&mut better, &self.schedule(beta), self.plan.repairs);
        let settled = self.finish(&mut better, beta);
        if better.value(beta) <= state.value(beta) {
            return Refined {
                state: better,
                settled,
                whole,
            };
        }
        Refined {
            settled: self.settled(&state, beta),
            state,
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

/// The β at which a partition with so many clusters and this cut comes closest to the best of a
/// path, if it comes near anywhere.
fn promising(path: &Path, clusters: usize, cut: f64) -> Option<f64> {
    let mut closest = (PROMISING, None);
    for corner in path.corners() {
        let beta = f64::midpoint(corner.beta_low, corner.beta_high.min(path.start()));
        let point = path.points[corner.point];
        let best = point.cut - beta * point.clusters as f64;
        let share = (cut - beta * clusters as f64) / best;
        if best < 0.0 && share >= closest.0 {
            closest = (share, Some(beta));
        }
    }
    closest.1
}

/// Half way to the neighbours of the γ of each draft, which are `factor` apart.
fn between(drafts: &[(Proposal, f64)], factor: f64) -> Vec<f64> {
    let half = factor.sqrt();
    let mut between: Vec<f64> = Vec::new();
    for (draft, _) in drafts {
        between.extend([draft.gamma / half, draft.gamma * half]);
    }
    between.sort_by(f64::total_cmp);
    between.dedup();
    between
}
