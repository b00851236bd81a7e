//! Annealing in β: from singletons at a large β, lowering it step by step.
//!
//! At a large β only tight groups stay together; each lower β merges what has become too dear to keep apart. A step at β
//!
//! 1. **merges**: clusters become vertices ([`Level::contract`]), which move and are contracted again until that stops shrinking;
//! 2. **moves** single vertices, but only where a cluster has changed: β cancels in a move between two clusters, so
//!    elsewhere the optimum of the last step still stands;
//! 3. moves the **pieces** that the last step's clusters left inside this step's: whole groups change sides, or leave.
//!
//! Every part lowers F at the current β or leaves it. Cost of a step: two contractions, O(arcs), and the moves; memory: the
//! contracted graphs, at most as large as the graph itself.

use super::moves::{Active, Kind, Rules, local_moves};
use super::state::{Level, State};
use crate::graph::Weight;
use crate::ids::{Cluster, NONE};
use crate::numeric::sum_by;
use crate::observe::Observer;
use rayon::prelude::*;
use rustc_hash::FxHashMap;

/// How thorough a step is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tuning {
    /// Rounds of moves in each part of a step.
    pub rounds: usize,
    /// Contraction goes on while it leaves at most this share of the vertices.
    pub shrink: f64,
    /// Whether pieces of the last step's clusters are moved.
    pub pieces: bool,
}

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
    /// From singletons through all of `schedule`, which descends.
    pub fn run(&self, schedule: &[f64]) -> State {
        let mut state = State::singletons(&self.level);
        for (at, &beta) in schedule.iter().enumerate() {
            if at == 0 {
                self.moves(&mut state, Active::all(self.level.vertices()), beta);
            }
            if self.observer.cancelled() {
                break;
            }
            let (labels, k) = state.numbered();
            state = self.step(&labels, k, beta);
        }
        state
    }

    /// One step at β from the `k` clusters of the last.
    pub fn step(&self, labels: &[Cluster], k: usize, beta: f64) -> State {
        let (mut state, changed) = self.merge(labels, k, beta);
        self.settle(&mut state, &changed, beta);
        if self.tuning.pieces {
            self.pieces(&mut state, labels, beta);
        }
        state
    }

    /// Moves single vertices until nothing changes or the rounds are used up; the number of moves.
    pub fn moves(&self, state: &mut State, active: Active, beta: f64) -> usize {
        local_moves(&self.level, state, active, &self.rules(beta), self.observer).moves
    }

    fn rules(&self, beta: f64) -> Rules {
        Rules { beta, rounds: self.tuning.rounds, kind: Kind::Any }
    }

    /// Lets the `k` clusters of `labels` move as wholes, contracting until that no longer shrinks; the new state, and which
    /// of its clusters are made of several old ones.
    pub fn merge(&self, labels: &[Cluster], k: usize, beta: f64) -> (State, Vec<bool>) {
        let mut coarse = self.level.contract(labels, k);
        let mut map: Vec<Cluster> = (0..k as Cluster).collect();
        loop {
            let level = coarse.level();
            let n = level.vertices();
            let mut merged = State::singletons(&level);
            local_moves(&level, &mut merged, Active::all(n), &self.rules(beta), self.observer);
            if merged.clusters() as f64 > self.tuning.shrink * n as f64 {
                let map: Vec<Cluster> = map.iter().map(|&v| merged.labels[v as usize]).collect();
                let mut parts = vec![0u32; merged.sizes.len()];
                for &c in &map {
                    parts[c as usize] += 1;
                }
                let fine = labels.par_iter().map(|&c| if c == NONE { NONE } else { map[c as usize] }).collect();
                let changed = parts.into_iter().map(|p| p > 1).collect();
                return (State::with_accounts(fine, merged.accounts), changed);
            }
            let (own, k) = merged.numbered();
            for v in &mut map {
                *v = own[*v as usize];
            }
            coarse = level.contract(&own, k);
        }
    }

    /// Moves single vertices, starting with the members and the neighbours of changed clusters.
    pub fn settle(&self, state: &mut State, changed: &[bool], beta: f64) {
        let hit = |c: Cluster| changed.get(c as usize).copied().unwrap_or(false);
        let near = |i: usize| self.level.rows.targets(i).iter().any(|&j| hit(state.labels[j as usize]));
        let active = Active::those(self.level.vertices(), |i| state.labels[i] != NONE && (hit(state.labels[i]) || near(i)));
        self.moves(state, active, beta);
    }

    /// Moves, as wholes, the parts into which `before` cuts the clusters.
    fn pieces(&self, state: &mut State, before: &[Cluster], beta: f64) {
        let (map, k) = meet(before, &state.labels);
        let coarse = self.level.contract(&map, k);
        let level = coarse.level();
        let mut own = vec![NONE; k];
        for (&v, &c) in map.iter().zip(&state.labels).filter(|&(&v, _)| v != NONE) {
            own[v as usize] = c;
        }
        let clusters = crate::partition::renumber(&mut own);
        let mut moved = State::new(&level, own.clone(), clusters);
        let outcome = local_moves(&level, &mut moved, Active::all(k), &self.rules(beta), self.observer);
        if outcome.moves == 0 {
            return;
        }
        let mut changed = vec![false; moved.sizes.len()];
        for (v, &was) in own.iter().enumerate().filter(|&(v, &was)| moved.labels[v] != was) {
            changed[moved.labels[v] as usize] = true;
            changed[was as usize] = true;
        }
        *state = State::project(&map, &moved);
        self.settle(state, &changed, beta);
    }
}

/// The coarsest partition finer than both, numbered by first appearance, and its number of clusters.
fn meet(a: &[Cluster], b: &[Cluster]) -> (Vec<Cluster>, usize) {
    let mut seen: FxHashMap<u64, Cluster> = FxHashMap::default();
    let mut number = |(&x, &y): (&Cluster, &Cluster)| {
        if y == NONE {
            return NONE;
        }
        let next = seen.len() as Cluster;
        *seen.entry(u64::from(x) << 32 | u64::from(y)).or_insert(next)
    };
    let labels = a.iter().zip(b).map(&mut number).collect();
    let k = seen.len();
    (labels, k)
}

/// Ends of the schedule: `steps` equal steps down to β from where annealing starts.
pub fn schedule(start: f64, beta: f64, steps: usize) -> Vec<f64> {
    if beta >= start || steps <= 1 {
        return vec![beta];
    }
    (1..=steps).map(|s| start + (beta - start) * (s - 1) as f64 / (steps - 1) as f64).collect()
}

/// Where annealing starts: 0.9 of the average cut ratio of single vertices (for normalized cut: 0.9).
pub fn start<W: Weight>(level: &Level<'_, W>) -> f64 {
    let masses = sum_by(level.vertices(), |i| level.masses.get(level.graph, i));
    0.9 * level.graph.volume() / masses
}
