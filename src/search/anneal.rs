//! Annealing in β: from singletons at a large β, lowering it step by step.
//!
//! At a large β only tight groups stay together; each lower β merges what has become too dear to
//! keep apart. A step at β
//!
//! 1. **merges**: clusters, the vertices of a contracted graph ([`Contracted`]), move and are contracted
//!    again until that stops shrinking;
//! 2. **moves** single vertices, but only where a cluster has changed (β cancels in a move between
//!    two clusters, so elsewhere the optimum of the last step still stands), and only those with
//!    less than `LOYAL` of their links inside their own cluster: hardly any other wants to leave;
//! 3. moves the **pieces** that the last step's clusters left inside this step's: whole groups
//!    change sides, or leave.
//!
//! Every part lowers F at the current β or leaves it. Cost of a step: the contracted graphs, one
//! look at the vertices of changed clusters and around them, and the moves; memory: the contracted
//! graphs, at most as large as the graph itself.

use super::connect::connect;
use super::contraction::{Contracted, Merged};
use super::effort::Tuning;
use super::history::majority;
use super::moves::{Active, Kind, Rules, local_moves};
use super::state::{Level, State};
use crate::graph::Weight;
use crate::ids::{Cluster, NONE};
use crate::labels::compose;
use crate::run::Observer;
use rustc_hash::FxHashMap;
use std::borrow::Cow;

/// A vertex with this share of its links inside its own cluster is not asked whether it wants to
/// leave a changed one.
const LOYAL: f64 = 0.75;

/// One annealing run on one graph.
#[derive(Clone, Copy)]
pub struct Annealer<'a, W: Weight> {
    /// The problem.
    pub level: Level<'a, W>,
    /// How thorough each step is.
    pub tuning: Tuning,
    /// Asked whether to go on.
    pub observer: &'a dyn Observer,
}

impl<W: Weight> Annealer<'_, W> {
    /// From singletons through all of `schedule`, which descends; `seen` is shown every state on
    /// the way but the last.
    pub fn run(&self, schedule: &[f64], seen: &mut dyn FnMut(&State)) -> State {
        let mut state = State::singletons(&self.level);
        let Some(&first) = schedule.first() else {
            return state;
        };
        self.moves(&mut state, Active::all(self.level.vertices()), first);
        let mut contracted = Contracted::of(&self.level, &state);
        for (at, &beta) in schedule.iter().enumerate() {
            if self.observer.cancelled() {
                break;
            }
            let merged = self.merge(&contracted, beta);
            state = self.refine(&contracted, &merged, beta);
            if at + 1 < schedule.len() {
                seen(&state);
                contracted = merged.follow(&self.level, &state);
            }
        }
        state
    }

    /// The single vertices' and the pieces' part of a step, after the clusters of `before` have
    /// merged.
    pub fn refine(
        &self,
        before: &Contracted<W::Sum>,
        merged: &Merged<'_, W::Sum>,
        beta: f64,
    ) -> State {
        let mut state = merged.state();
        self.settle(&mut state, &merged.changed, beta);
        if self.tuning.pieces {
            self.pieces(&mut state, before, beta);
        }
        state
    }

    /// Moves single vertices until nothing changes or the rounds are used up; the number of moves.
    pub fn moves(&self, state: &mut State, active: Active, beta: f64) -> usize {
        local_moves(&self.level, state, active, &self.rules(beta), self.observer).moves
    }

    fn rules(&self, beta: f64) -> Rules {
        Rules {
            beta,
            rounds: self.tuning.rounds,
            kind: Kind::Any,
        }
    }

    /// Lets clusters move as wholes, contracting until that no longer shrinks.
    pub fn merge<'f>(&self, contracted: &'f Contracted<W::Sum>, beta: f64) -> Merged<'f, W::Sum> {
        let mut map: Vec<Cluster> = (0..contracted.clusters() as Cluster).collect();
        let mut coarse = Cow::Borrowed(&contracted.coarse);
        loop {
            let level = coarse.level();
            let n = level.vertices();
            let mut merged = State::singletons(&level);
            local_moves(
                &level,
                &mut merged,
                Active::all(n),
                &self.rules(beta),
                self.observer,
            );
            connect(&level, &mut merged, beta);
            if merged.clusters() as f64 > self.tuning.shrink * n as f64 {
                return Merged::new(contracted, coarse, &map, &merged);
            }
            let (own, k) = merged.numbered();
            map = compose(&map, &own);
            coarse = Cow::Owned(level.contract(&own, k));
        }
    }

    /// Moves single vertices, starting in and around changed clusters.
    pub fn settle(&self, state: &mut State, changed: &[bool], beta: f64) {
        let hit = |c: Cluster| changed.get(c as usize).copied().unwrap_or(false);
        let unsettled = |i: usize| {
            let own = state.labels[i];
            if own == NONE {
                return false;
            }
            let (mut near, mut inside) = (hit(own), 0.0);
            for (j, weight) in self.level.rows.row(i) {
                let c = state.labels[j as usize];
                inside += if c == own { weight } else { 0.0 };
                near |= hit(c);
            }
            near && inside < LOYAL * self.level.graph.degree(i)
        };
        let active = Active::those(self.level.vertices(), unsettled);
        self.moves(state, active, beta);
    }

    /// Moves, as wholes, the parts into which `before` cuts the clusters.
    fn pieces(&self, state: &mut State, before: &Contracted<W::Sum>, beta: f64) {
        let (map, k) = meet(&before.labels, before.clusters(), &state.labels);
        let coarse = before.contracted_anew(&self.level, &map, k);
        let level = coarse.level();
        let mut own = vec![NONE; k];
        for (&v, &c) in map.iter().zip(&state.labels).filter(|&(&v, _)| v != NONE) {
            own[v as usize] = c;
        }
        let clusters = crate::labels::renumber(&mut own);
        let mut moved = State::new(&level, own.clone(), clusters);
        let outcome = local_moves(
            &level,
            &mut moved,
            Active::all(k),
            &self.rules(beta),
            self.observer,
        );
        if outcome.moves == 0 {
            return;
        }
        let mut changed = vec![false; moved.sizes.len()];
        for (v, &was) in own
            .iter()
            .enumerate()
            .filter(|&(v, &was)| moved.labels[v] != was)
        {
            changed[moved.labels[v] as usize] = true;
            changed[was as usize] = true;
        }
        *state = State::project(&map, &moved);
        self.settle(state, &changed, beta);
    }
}

/// The coarsest partition finer than both, and its number of clusters: of the parts of a cluster of
/// `a` one keeps its number, the largest where it has more than half of the members, and the others
/// are numbered from `k` on.
pub(super) fn meet(a: &[Cluster], k: usize, b: &[Cluster]) -> (Vec<Cluster>, usize) {
    let mut main = majority(a, b);
    main.resize(k, NONE);
    let mut others: FxHashMap<u64, Cluster> = FxHashMap::default();
    let mut number = |(&x, &y): (&Cluster, &Cluster)| {
        if x == NONE || main[x as usize] == y {
            return x;
        }
        let next = (k + others.len()) as Cluster;
        *others
            .entry(u64::from(x) << 32 | u64::from(y))
            .or_insert(next)
    };
    let labels = a.iter().zip(b).map(&mut number).collect();
    let count = k + others.len();
    (labels, count)
}

/// Ends of the schedule: `steps` equal steps down to β from where annealing starts.
pub fn schedule(start: f64, beta: f64, steps: usize) -> Vec<f64> {
    if beta >= start || steps <= 1 {
        return vec![beta];
    }
    (1..=steps)
        .map(|s| start + (beta - start) * (s - 1) as f64 / (steps - 1) as f64)
        .collect()
}

/// Where annealing starts: 0.9 of the average cut ratio of single vertices (for normalized cut:
/// 0.9).
pub fn start<W: Weight>(level: &Level<'_, W>) -> f64 {
    0.9 * level.graph.volume() / level.cut.total_mass(level.graph)
}
