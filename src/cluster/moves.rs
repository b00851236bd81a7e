//! Exact moves: local search on `F = Σ_c (cut_c / M_c − β)` one vertex at a time.
//!
//! **Order and threads.** Active vertices are visited in rounds, ascending, in blocks of `BLOCK`. For a block the best
//! moves are found in parallel against the state at its start; then they are applied in vertex order. A proposal whose
//! neighbours have not moved since keeps its links, so its exact change against the *current* state costs O(1); otherwise, or
//! if it no longer lowers F, the best move is sought again. The result depends on the block size, never on the threads. A
//! move makes the neighbours of the vertex active for the next round.
//!
//! Invariant: the sums in [`State`] equal those computed from scratch, and F falls with every move. Cost O(Σ deg) over
//! visited vertices; memory at most 5 bytes a vertex, and 8 bytes a cluster and thread for the accumulators.

use super::state::{Level, State};
use crate::graph::{Graph, Weight};
use crate::ids::{Cluster, NONE, Vertex};
use crate::observe::Observer;
use crate::partition::{Masses, renumber};
use rayon::prelude::*;
use std::sync::{Mutex, MutexGuard};

/// Vertices whose moves are proposed together.
const BLOCK: usize = 1 << 14;

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

/// The mark of a vertex on the list.
const WAITING: u8 = 1;

/// The mark of a vertex with a neighbour that moved since the moves of its block were proposed.
const STALE: u8 = 2;

/// The vertices still to visit.
#[derive(Debug, Clone)]
pub struct Active {
    marks: Vec<u8>,
    list: Vec<Vertex>,
}

impl Active {
    /// Every vertex.
    pub fn all(n: usize) -> Self {
        Self { marks: vec![WAITING; n], list: (0..n as Vertex).collect() }
    }

    /// The vertices for which `wanted` holds.
    pub fn those(n: usize, wanted: impl Fn(usize) -> bool + Sync + Send) -> Self {
        let marks: Vec<u8> = (0..n).into_par_iter().map(|i| u8::from(wanted(i))).collect();
        let list = (0..n as Vertex).filter(|&i| marks[i as usize] == WAITING).collect();
        Self { marks, list }
    }

    /// A neighbour of `i` has moved; if it went to another cluster than that of `i`, `i` has to be visited again.
    #[inline]
    fn neighbour_moved(&mut self, i: Vertex, away: bool) {
        let mark = &mut self.marks[i as usize];
        if away && *mark & WAITING == 0 {
            self.list.push(i);
            *mark |= WAITING;
        }
        *mark |= STALE;
    }

    /// The moves of `block` are about to be proposed.
    fn freshen(&mut self, block: &[Vertex]) {
        for &i in block {
            self.marks[i as usize] &= !STALE;
        }
    }

    fn stale(&self, i: Vertex) -> bool {
        self.marks[i as usize] & STALE != 0
    }

    /// Takes everything added so far, ascending.
    fn take(&mut self) -> Vec<Vertex> {
        let mut list = std::mem::take(&mut self.list);
        if list.len() > self.marks.len() / 16 {
            list.clear();
            list.extend((0..self.marks.len() as Vertex).filter(|&i| self.marks[i as usize] & WAITING != 0));
        } else {
            list.sort_unstable();
        }
        for &i in &list {
            self.marks[i as usize] = 0;
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

/// A move that lowered F when it was found; `to` is [`NONE`] for a new cluster. The links (to the rest of its cluster, to the
/// other one) hold until a neighbour moves.
#[derive(Debug, Clone, Copy)]
struct Proposal {
    vertex: Vertex,
    to: Cluster,
    own_loop: f64,
    links: (f64, f64),
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
    let pair = (links.sum[from as usize], if to == NONE { 0.0 } else { links.sum[to as usize] });
    links.clear();
    let good = state.leave(vertex, from, pair.0, rules.beta) + best < -EPSILON;
    good.then_some(Proposal { vertex: i as Vertex, to, own_loop: links.own_loop, links: pair })
}

/// Applies a proposal whose links still hold if it still lowers F; the change, if so. O(1).
fn apply<W: Weight>(level: &Level<'_, W>, state: &mut State, rules: &Rules, proposal: &Proposal) -> Option<f64> {
    let (i, links) = (proposal.vertex as usize, proposal.links);
    let from = state.labels[i];
    if rules.kind == Kind::Keep && state.size(from) == 1 {
        return None;
    }
    let to = if proposal.to == NONE { state.fresh() } else { proposal.to };
    let vertex = level.vertex(i, proposal.own_loop);
    let change = state.change(vertex, from, to, links, rules.beta);
    (change < -EPSILON).then(|| {
        state.shift(i, vertex, to, links);
        change
    })
}

/// How many vertices have a move that lowers F. O(arcs).
pub fn possible_moves<W: Weight>(level: &Level<'_, W>, state: &State, beta: f64) -> usize {
    let scratch = Scratch::new();
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
    let scratch = Scratch::new();
    for _ in 0..rules.rounds {
        if active.list.is_empty() || observer.cancelled() {
            break;
        }
        for block in active.take().chunks(BLOCK) {
            active.freshen(block);
            for proposal in scratch.propose(level, state, rules, block) {
                let i = proposal.vertex;
                let made = if active.stale(i) { None } else { apply(level, state, rules, &proposal) };
                let Some(change) = made.or_else(|| apply(level, state, rules, &scratch.again(level, state, rules, i)?)) else {
                    continue;
                };
                outcome.moves += 1;
                outcome.change += change;
                let to = state.labels[i as usize];
                for &j in level.rows.targets(i as usize) {
                    active.neighbour_moved(j, state.labels[j as usize] != to);
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
    fn new() -> Self {
        Self((0..rayon::current_num_threads()).map(|_| Mutex::new(Links::new(0))).collect())
    }

    /// The best move of one vertex, with nothing else going on.
    fn again<W: Weight>(&self, level: &Level<'_, W>, state: &State, rules: &Rules, i: Vertex) -> Option<Proposal> {
        propose(level, state, rules, i as usize, &mut Self::ready(&self.0[0], state))
    }

    /// An accumulator with room for every cluster.
    fn ready<'a>(links: &'a Mutex<Links>, state: &State) -> MutexGuard<'a, Links> {
        let mut links = links.lock().expect("nobody panics while holding an accumulator");
        if links.sum.len() < state.sizes.len() {
            links.sum.resize(state.sizes.len(), 0.0);
        }
        links
    }

    fn propose<W: Weight>(&self, level: &Level<'_, W>, state: &State, rules: &Rules, block: &[Vertex]) -> Vec<Proposal> {
        let of = |(part, links): (&[Vertex], &Mutex<Links>)| -> Vec<Proposal> {
            let mut links = Self::ready(links, state);
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
