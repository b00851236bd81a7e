//! Repair: taking poor and oversized clusters apart and putting their vertices where they belong.
//!
//! Greedy descent leaves two kinds of bad clusters: *poor* ones that hardly pay for themselves, and
//! a *sink*, an oversized cluster that has swallowed whole good ones together with everybody's
//! leftovers: adding a leftover to a large cluster costs least, and swallowing a good cluster pays
//! for many leftovers. Both are invisible to moves and merges. A repair
//!
//! 1. marks clusters with `cut_c/M_c > ``POOR``·β` or a mass above `OVERSIZED` times the median (by
//!    mass);
//! 2. makes every member of a marked cluster a cluster of its own;
//! 3. anneals from there down to β. [`Scope::Inside`] keeps the members of each marked cluster
//!    among themselves, with every other cluster contracted to one vertex, so that the good
//!    clusters inside a sink come out; then it dissolves what does not pay for itself (`dissolve`).
//!    [`Scope::Free`] lets them mix with everything;
//! 4. keeps the result only if F fell. Right after step 2 it is worse; only the re-optimised answer
//!    is judged.
//!
//! Cost: `Inside` one contraction of the graph and annealing on a problem of the size of the marked
//! clusters; `Free` one annealing of the graph, in which only the surroundings of the marked
//! clusters are active.

use super::anneal::Annealer;
use super::contraction::Contracted;
use super::dissolve::dissolve;
use super::state::{Level, State};
use crate::graph::Weight;
use crate::ids::{Cluster, NONE};

/// A cluster is poor when its cut ratio exceeds this share of β.
const POOR: f64 = 0.92;

/// A cluster is oversized when its mass exceeds this many times that of the median cluster (by
/// mass).
const OVERSIZED: f64 = 8.0;

/// Where the members of a marked cluster may go while it is annealed again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// Only together with members of the same cluster.
    Inside,
    /// Anywhere.
    Free,
}

/// Repairs the marked clusters at the last β of `schedule`; whether F fell (otherwise the state is
/// untouched).
pub fn repair<W: Weight>(
    annealer: &Annealer<'_, W>,
    state: &mut State,
    schedule: &[f64],
    scope: Scope,
) -> bool {
    let Some(&beta) = schedule.last() else {
        return false;
    };
    let marked = marks(state, beta);
    if !marked.contains(&true) {
        return false;
    }
    let (map, k) = take_apart(state, &marked);
    let repaired = match scope {
        Scope::Inside => inside(annealer, state, &marked, &map, k, schedule),
        Scope::Free => freely(annealer, state, &marked, map, k, schedule),
    };
    let better = repaired.value(beta)
        < state.value(beta) - annealer.level.tolerance * state.clusters() as f64;
    if better {
        *state = repaired;
    }
    better
}

/// Poor and oversized clusters of more than one vertex.
fn marks(state: &State, beta: f64) -> Vec<bool> {
    let limit = OVERSIZED * median_mass(state);
    let marked = |c: usize| {
        let account = state.accounts[c];
        state.sizes[c] > 1 && (account.ratio() > POOR * beta || account.mass > limit)
    };
    (0..state.sizes.len()).map(marked).collect()
}

/// The mass of the cluster in which the middle of the total mass lies, clusters sorted by mass.
fn median_mass(state: &State) -> f64 {
    let mut masses: Vec<f64> = state.used().map(|c| state.account(c).mass).collect();
    masses.sort_by(f64::total_cmp);
    let half = masses.iter().sum::<f64>() / 2.0;
    let mut below = 0.0;
    let middle = masses.iter().find(|&&mass| {
        below += mass;
        below >= half
    });
    middle.copied().unwrap_or(f64::INFINITY)
}

/// Labels in which every member of a marked cluster is alone and every other cluster is whole, and
/// their number.
fn take_apart(state: &State, marked: &[bool]) -> (Vec<Cluster>, usize) {
    let mut whole = vec![NONE; marked.len()];
    let mut next = 0;
    let mut fresh = || {
        next += 1;
        next - 1
    };
    let mut label = |&c: &Cluster| {
        if c == NONE {
            return NONE;
        }
        if marked[c as usize] {
            return fresh();
        }
        if whole[c as usize] == NONE {
            whole[c as usize] = fresh();
        }
        whole[c as usize]
    };
    let labels = state.labels.iter().map(&mut label).collect();
    (labels, next as usize)
}

/// Anneals the members of each marked cluster among themselves, dissolves what does not pay, and
/// settles the rest.
fn inside<W: Weight>(
    annealer: &Annealer<'_, W>,
    state: &State,
    marked: &[bool],
    map: &[Cluster],
    k: usize,
    schedule: &[f64],
) -> State {
    let beta = schedule[schedule.len() - 1];
    let coarse = annealer.level.contract(map, k);
    let mut was = vec![NONE; k];
    for (&v, &c) in map.iter().zip(&state.labels).filter(|&(&v, _)| v != NONE) {
        was[v as usize] = c;
    }
    let open = coarse.level();
    let closed = Level {
        groups: Some(was.as_slice()),
        ..open
    };
    let mut found = Annealer {
        level: closed,
        tuning: annealer.tuning,
        observer: annealer.observer,
    }
    .run(schedule, &mut |_| {});
    dissolve(&open, &mut found, beta, beta);
    let mut repaired = State::project(map, &found);
    let touched = holding(state, &repaired, marked);
    annealer.settle(&mut repaired, &touched, beta);
    let contracted = Contracted::of(&annealer.level, &repaired);
    let merged = annealer.merge(&contracted, beta);
    let mut repaired = merged.state();
    annealer.settle(&mut repaired, &merged.changed, beta);
    repaired
}

/// Anneals the whole graph from a start in which the members of marked clusters are alone.
fn freely<W: Weight>(
    annealer: &Annealer<'_, W>,
    state: &State,
    marked: &[bool],
    map: Vec<Cluster>,
    k: usize,
    schedule: &[f64],
) -> State {
    let mut repaired = State::new(&annealer.level, map, k);
    let alone = holding(state, &repaired, marked);
    annealer.settle(&mut repaired, &alone, schedule[0]);
    let mut contracted = Contracted::of(&annealer.level, &repaired);
    for &beta in schedule
        .iter()
        .take_while(|_| !annealer.observer.cancelled())
    {
        let merged = annealer.merge(&contracted, beta);
        repaired = annealer.refine(&contracted, &merged, beta);
        contracted = merged.follow(&annealer.level, &repaired);
    }
    repaired
}

/// The clusters of `repaired` that hold a member of a marked cluster.
fn holding(state: &State, repaired: &State, marked: &[bool]) -> Vec<bool> {
    let mut hold = vec![false; repaired.sizes.len()];
    for (_, &is) in state
        .labels
        .iter()
        .zip(&repaired.labels)
        .filter(|&(&was, _)| was != NONE && marked[was as usize])
    {
        hold[is as usize] = true;
    }
    hold
}
