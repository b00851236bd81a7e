//! Exact moves: local search on `F = Σ_c (cut_c / M_c − β)` one vertex at a time.
//!
//! **Order and threads.** Active vertices are visited in rounds, ascending, in blocks of `BLOCK`. For a block the best
//! moves are found in parallel against the state at its start; then they are applied in vertex order, each only if its
//! exact change against the *current* state is negative. The result depends on the block size, never on the threads. A
//! move makes the neighbours of the vertex active for the next round; a refused proposal stays active.
//!
//! Invariant: the sums in [`State`] equal those computed from scratch, and F falls with every move. Cost O(Σ deg) over
//! visited vertices; memory 5 bytes a vertex, and 8 bytes a cluster and thread for the accumulators.

use super::state::{Level, State};
use crate::graph::{Graph, Weight};
use crate::ids::{Cluster, NONE, Vertex};
use crate::observe::Observer;
use crate::partition::{Masses, renumber};
use rayon::prelude::*;
use std::sync::Mutex;

/// Vertices whose moves are proposed together.
const BLOCK: usize = 1 << 11;

/// Below this many vertices a block is not worth sharing between threads.
const SHARE: usize = 1 << 8;

/// A change must be better than rounding to count.
pub(super) const EPSILON: f64 = 1e-12;

/// What local search may do.
#[derive(Debug, Clone, Copy)]
pub struct Rules {
    /// β.
    pub beta: f64,
    /// At most this many rounds.
    pub rounds: usize,
    /// Which moves are tried.
    pub kind: Kind,
}

/// Kinds of moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A vertex goes to an adjacent cluster or opens one of its own.
    Any,
    /// Only a vertex that is alone moves, so clusters only merge and connected ones stay connected.
    Merge,
    /// A vertex goes to an adjacent cluster; none is opened or closed, so β plays no part.
    Keep,
}

/// What local search did.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Outcome {
    /// Moves made.
    pub moves: usize,
    /// The total change of F, never positive.
    pub change: f64,
    /// Whether nothing is left to visit.
    pub settled: bool,
}

/// The vertices still to visit.
#[derive(Debug, Clone)]
pub struct Active {
    flags: Vec<bool>,
    list: Vec<Vertex>,
}

impl Active {
    /// Every vertex.
    pub fn all(n: usize) -> Self {
        Self { flags: vec![true; n], list: (0..n as Vertex).collect() }
    }

    /// The vertices for which `wanted` holds.
    pub fn those(n: usize, wanted: impl Fn(usize) -> bool + Sync + Send) -> Self {
        let flags: Vec<bool> = (0..n).into_par_iter().map(wanted).collect();
        let list = (0..n as Vertex).filter(|&i| flags[i as usize]).collect();
        Self { flags, list }
    }

    /// Adds a vertex.
    fn add(&mut self, i: Vertex) {
        if !std::mem::replace(&mut self.flags[i as usize], true) {
            self.list.push(i);
        }
    }

    /// Takes everything added so far, ascending.
    fn take(&mut self) -> Vec<Vertex> {
        let mut list = std::mem::take(&mut self.list);
        if list.len() > self.flags.len() / 16 {
            list.clear();
            list.extend((0..self.flags.len() as Vertex).filter(|&i| self.flags[i as usize]));
        } else {
            list.sort_unstable();
        }
        for &i in &list {
            self.flags[i as usize] = false;
        }
        list
    }
}

/// Links of one vertex to the clusters around it.
pub(super) struct Links {
    pub(super) sum: Vec<f64>,
    pub(super) touched: Vec<Cluster>,
    pub(super) own_loop: f64,
}

impl Links {
    pub(super) fn new(clusters: usize) -> Self {
        Self { sum: vec![0.0; clusters], touched: Vec::new(), own_loop: 0.0 }
    }

    /// Adds up the links of `i` to each cluster of its group; call [`Links::clear`] before the next vertex.
    #[inline]
    pub(super) fn gather<W: Weight>(&mut self, level: &Level<'_, W>, labels: &[Cluster], i: usize) {
        self.own_loop = 0.0;
        for (j, weight) in level.rows.row(i) {
            let j = j as usize;
            if j == i {
                self.own_loop = weight;
                continue;
            }
            if level.groups.is_some_and(|group| group[i] != group[j]) {
                continue;
            }
            let c = labels[j];
            let slot = &mut self.sum[c as usize];
            if *slot == 0.0 {
                self.touched.push(c);
            }
            *slot += weight;
        }
    }

    #[inline]
    pub(super) fn clear(&mut self) {
        for &c in &self.touched {
            self.sum[c as usize] = 0.0;
        }
        self.touched.clear();
    }
}

/// A move that lowered F when it was found; `to` is [`NONE`] for a new cluster.
#[derive(Debug, Clone, Copy)]
struct Proposal {
    vertex: Vertex,
    to: Cluster,
}

/// The best move of `i` against the current state, if any lowers F.
fn propose<W: Weight>(level: &Level<'_, W>, state: &State, rules: &Rules, i: usize, links: &mut Links) -> Option<Proposal> {
    let from = state.labels[i];
    if from == NONE {
        return None;
    }
    let alone = state.size(from) == 1;
    if (rules.kind == Kind::Merge && !alone) || (rules.kind == Kind::Keep && alone) {
        return None;
    }
    links.gather(level, &state.labels, i);
    let vertex = level.vertex(i, links.own_loop);
    let (mut best, mut to) = (f64::INFINITY, NONE);
    for &c in links.touched.iter().filter(|&&c| c != from) {
        let join = state.accounts[c as usize].join(vertex, links.sum[c as usize]);
        if join < best || (join == best && c < to) {
            (best, to) = (join, c);
        }
    }
    if !alone && rules.kind == Kind::Any && vertex.ratio() - rules.beta < best {
        (best, to) = (vertex.ratio() - rules.beta, NONE);
    }
    let leave = state.leave(vertex, from, links.sum[from as usize], rules.beta);
    links.clear();
    (leave + best < -EPSILON).then_some(Proposal { vertex: i as Vertex, to })
}

/// Applies a proposal if it still lowers F; the change, if so.
fn apply<W: Weight>(level: &Level<'_, W>, state: &mut State, rules: &Rules, proposal: Proposal) -> Option<f64> {
    let (i, from) = (proposal.vertex as usize, state.labels[proposal.vertex as usize]);
    let fresh = proposal.to == NONE;
    let to = if fresh { *state.free.last()? } else { proposal.to };
    let barred = match rules.kind {
        Kind::Any => false,
        Kind::Merge => state.size(from) > 1,
        Kind::Keep => state.size(from) == 1,
    };
    if barred || to == from || (!fresh && state.size(to) == 0) {
        return None;
    }
    let (mut own_loop, mut links) = (0.0, (0.0, 0.0));
    for (j, weight) in level.rows.row(i) {
        if j as usize == i {
            own_loop = weight;
        } else if state.labels[j as usize] == from {
            links.0 += weight;
        } else if state.labels[j as usize] == to {
            links.1 += weight;
        }
    }
    let vertex = level.vertex(i, own_loop);
    let change = state.change(vertex, from, to, links, rules.beta);
    let good = change < -EPSILON && (fresh || links.1 > 0.0);
    good.then(|| {
        state.shift(i, vertex, to, links);
        change
    })
}

/// How many vertices have a move that lowers F. O(arcs).
pub fn possible_moves<W: Weight>(level: &Level<'_, W>, state: &State, beta: f64) -> usize {
    let scratch = Scratch::new(state.sizes.len());
    let rules = Rules { beta, rounds: 1, kind: Kind::Any };
    let all: Vec<Vertex> = (0..level.vertices() as Vertex).collect();
    all.chunks(1 << 16).map(|block| scratch.propose(level, state, &rules, block).len()).sum()
}

/// Visits the active vertices, and those that moves make active, until none is left or the rounds are used up.
pub fn local_moves<W: Weight>(
    level: &Level<'_, W>,
    state: &mut State,
    mut active: Active,
    rules: &Rules,
    observer: &dyn Observer,
) -> Outcome {
    let mut outcome = Outcome::default();
    let scratch = Scratch::new(state.sizes.len());
    for _ in 0..rules.rounds {
        if active.list.is_empty() || observer.cancelled() {
            break;
        }
        for block in active.take().chunks(BLOCK) {
            for proposal in scratch.propose(level, state, rules, block) {
                let Some(change) = apply(level, state, rules, proposal) else {
                    active.add(proposal.vertex);
                    continue;
                };
                outcome.moves += 1;
                outcome.change += change;
                let to = state.labels[proposal.vertex as usize];
                for &j in level.rows.targets(proposal.vertex as usize) {
                    if state.labels[j as usize] != to {
                        active.add(j);
                    }
                }
            }
        }
    }
    outcome.settled = active.list.is_empty();
    outcome
}

/// Lowers F from given labels (each in `0..k`, or [`NONE`] for an isolated vertex) by exact moves until none is left:
/// the refinement after any other method. Labels stay in `0..k'` without gaps; returns what was done and `k'`.
///
/// ```
/// use lambdacut::{cluster::moves::refine, graph::{Graph, Unit}, observe::Silent, partition::Masses};
/// let triangles = [(0, 1, 1.0), (1, 2, 1.0), (0, 2, 1.0), (2, 3, 1.0), (3, 4, 1.0), (4, 5, 1.0), (3, 5, 1.0)];
/// let g: Graph<Unit> = Graph::from_edges(6, &triangles).unwrap();
/// let mut labels = vec![0, 0, 1, 1, 1, 1];
/// let (outcome, k) = refine(&g, &Masses::Degree, &mut labels, 0.5, &Silent);
/// assert_eq!((k, labels), (2, vec![0, 0, 0, 1, 1, 1]));
/// assert!(outcome.change < 0.0);
/// ```
pub fn refine<W: Weight>(
    graph: &Graph<W>,
    masses: &Masses,
    labels: &mut [Cluster],
    beta: f64,
    observer: &dyn Observer,
) -> (Outcome, usize) {
    let level = Level::new(graph, masses);
    let k = renumber(labels);
    let mut state = State::new(&level, labels.to_vec(), k);
    let rules = Rules { beta, rounds: usize::MAX, kind: Kind::Any };
    let outcome = local_moves(&level, &mut state, Active::all(graph.vertices()), &rules, observer);
    labels.copy_from_slice(&state.labels);
    (outcome, renumber(labels))
}

/// One accumulator a thread, made once.
struct Scratch(Vec<Mutex<Links>>);

impl Scratch {
    fn new(clusters: usize) -> Self {
        Self((0..rayon::current_num_threads()).map(|_| Mutex::new(Links::new(clusters))).collect())
    }

    fn propose<W: Weight>(&self, level: &Level<'_, W>, state: &State, rules: &Rules, block: &[Vertex]) -> Vec<Proposal> {
        let of = |(part, links): (&[Vertex], &Mutex<Links>)| -> Vec<Proposal> {
            let mut links = links.lock().expect("nobody panics while holding an accumulator");
            part.iter().filter_map(|&i| propose(level, state, rules, i as usize, &mut links)).collect()
        };
        if self.0.len() == 1 || block.len() < SHARE {
            return of((block, &self.0[0]));
        }
        let share = block.len().div_ceil(self.0.len());
        let parts: Vec<Vec<Proposal>> = block.par_chunks(share).zip(&self.0).map(of).collect();
        parts.concat()
    }
}
