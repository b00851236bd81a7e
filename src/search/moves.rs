//! Exact moves: local search on `F = Σ_c (cut_c / M_c − β)` one vertex at a time.
//!
//! **Order and threads.** Active vertices are visited in rounds, ascending, in blocks of `BLOCK`.
//! For a block the best moves are found in parallel against the state at its start; then they are
//! applied in vertex order. A proposal whose neighbours have not moved since keeps its links, so
//! its exact change against the *current* state costs O(1); if it no longer lowers F, the best move
//! is sought again. A vertex with a neighbour that has moved waits for the next round, and in the
//! last round its best move is sought again. The result depends on the block size, never on the
//! threads. A move makes the neighbours of the vertex active for the next round.
//!
//! Invariant: the sums in [`State`] equal those computed from scratch, and F falls with every move.
//! Cost O(Σ deg) over visited vertices; memory at most 5 bytes a vertex, and 8 bytes a cluster and
//! thread for the accumulators.

use super::links::Links;
use super::state::{Level, State};
use crate::cut::Cut;
use crate::graph::{Csr, Weight};
use crate::ids::{Cluster, NONE, Vertex};
use crate::labels::renumber;
use crate::run::Observer;
use rayon::prelude::*;
use rustc_hash::FxHashSet;
use std::sync::{Mutex, MutexGuard};

/// Vertices whose moves are proposed together.
const BLOCK: usize = 1 << 14;

/// Below this many vertices a block is not worth sharing between threads.
const SHARE: usize = 1 << 8;

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
        Self {
            marks: vec![WAITING; n],
            list: (0..n as Vertex).collect(),
        }
    }

    /// The vertices for which `wanted` holds.
    pub fn those(n: usize, wanted: impl Fn(usize) -> bool + Sync + Send) -> Self {
        let marks: Vec<u8> = (0..n)
            .into_par_iter()
            .map(|i| u8::from(wanted(i)))
            .collect();
        let list = (0..n as Vertex)
            .filter(|&i| marks[i as usize] == WAITING)
            .collect();
        Self { marks, list }
    }

    /// A neighbour of `i` has moved; if it went to another cluster than that of `i`, `i` has to be
    /// visited again.
    #[inline]
    fn neighbour_moved(&mut self, i: Vertex, away: bool) {
        if away {
            self.later(i);
        }
        self.marks[i as usize] |= STALE;
    }

    /// Puts `i` on the list for the next round.
    #[inline]
    fn later(&mut self, i: Vertex) {
        let mark = &mut self.marks[i as usize];
        if *mark & WAITING == 0 {
            self.list.push(i);
            *mark |= WAITING;
        }
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
            list.extend(
                (0..self.marks.len() as Vertex).filter(|&i| self.marks[i as usize] & WAITING != 0),
            );
        } else {
            list.sort_unstable();
        }
        for &i in &list {
            self.marks[i as usize] = 0;
        }
        list
    }
}

/// A move, the best of its vertex when it was found; `to` is [`NONE`] for a new cluster. The links
/// (to the rest of its cluster, to the other one) hold until a neighbour moves.
#[derive(Debug, Clone, Copy)]
pub(super) struct Proposal {
    pub(super) vertex: Vertex,
    pub(super) to: Cluster,
    pub(super) own_loop: f64,
    pub(super) links: (f64, f64),
}

/// The best move of `i` against the current state, if any lowers F.
fn propose<W: Weight>(
    level: &Level<'_, W>,
    state: &State,
    rules: &Rules,
    i: usize,
    links: &mut Links,
) -> Option<Proposal> {
    best_move(level, state, rules, i, links)
        .filter(|&(_, change)| change < -level.tolerance)
        .map(|(proposal, _)| proposal)
}

/// The best move of `i` against the current state, whether it lowers F or not, and by how much it
/// changes F.
pub(super) fn best_move<W: Weight>(
    level: &Level<'_, W>,
    state: &State,
    rules: &Rules,
    i: usize,
    links: &mut Links,
) -> Option<(Proposal, f64)> {
    let from = state.labels[i];
    if from == NONE {
        return None;
    }
    let alone = state.size(from) == 1;
    if rules.kind == Kind::Keep && alone {
        return None;
    }
    links.gather(level, &state.labels, i);
    let vertex = level.vertex(i, links.own_loop);
    let join = |c: Cluster, links: f64| state.accounts[c as usize].join(vertex, links);
    let (mut to, mut best) = links.best(from, join).unwrap_or((NONE, f64::INFINITY));
    if !alone && rules.kind == Kind::Any && vertex.ratio() - rules.beta < best {
        (to, best) = (NONE, vertex.ratio() - rules.beta);
    }
    let pair = (links.to(from), if to == NONE { 0.0 } else { links.to(to) });
    links.clear();
    let proposal = Proposal {
        vertex: i as Vertex,
        to,
        own_loop: links.own_loop,
        links: pair,
    };
    (best < f64::INFINITY).then(|| {
        (
            proposal,
            state.leave(vertex, from, pair.0, rules.beta) + best,
        )
    })
}

/// Applies a proposal whose links still hold if it still lowers F; the change, if so. O(1).
fn apply<W: Weight>(
    level: &Level<'_, W>,
    state: &mut State,
    rules: &Rules,
    proposal: &Proposal,
) -> Option<f64> {
    let (i, links) = (proposal.vertex as usize, proposal.links);
    let from = state.labels[i];
    if rules.kind == Kind::Keep && state.size(from) == 1 {
        return None;
    }
    let to = if proposal.to == NONE {
        state.fresh()
    } else {
        proposal.to
    };
    let vertex = level.vertex(i, proposal.own_loop);
    let change = state.change(vertex, from, to, links, rules.beta);
    (change < -level.tolerance).then(|| {
        state.shift(i, vertex, to, links);
        change
    })
}

/// The vertices with a move that lowers F, ascending. O(arcs).
pub fn movable<W: Weight>(level: &Level<'_, W>, state: &State, beta: f64) -> Vec<Vertex> {
    let scratch = Scratch::new();
    let rules = Rules {
        beta,
        rounds: 1,
        kind: Kind::Any,
    };
    let all: Vec<Vertex> = (0..level.vertices() as Vertex).collect();
    all.chunks(1 << 16)
        .flat_map(|block| scratch.propose(level, state, &rules, block))
        .map(|proposal| proposal.vertex)
        .collect()
}

/// Moves each of these vertices, in turn, where F falls most, if it falls and the cluster it leaves
/// stays connected; how many did. O(Σ deg), and for each that wants to move a search through its
/// cluster.
pub fn move_whole<W: Weight>(
    level: &Level<'_, W>,
    state: &mut State,
    vertices: &[Vertex],
    beta: f64,
) -> usize {
    let mut links = Links::new(state.sizes.len() + vertices.len());
    let rules = Rules {
        beta,
        rounds: 1,
        kind: Kind::Any,
    };
    let mut attempt = |i: Vertex| {
        let proposal = propose(level, state, &rules, i as usize, &mut links)?;
        if !dispensable(level, &state.labels, i) {
            return None;
        }
        let from = state.labels[i as usize] as usize;
        let doubt = state.doubtful[from];
        let change = apply(level, state, &rules, &proposal);
        state.doubtful[from] = doubt;
        change
    };
    vertices.iter().filter(|&&i| attempt(i).is_some()).count()
}

/// Whether the cluster of `i`, if it is connected, is so without `i`: whether its neighbours inside
/// reach each other.
pub fn dispensable<W: Weight>(level: &Level<'_, W>, labels: &[Cluster], i: Vertex) -> bool {
    let own = labels[i as usize];
    let inside = |v: Vertex| {
        level
            .rows
            .targets(v as usize)
            .iter()
            .copied()
            .filter(move |&j| labels[j as usize] == own && j != i)
    };
    let mut sought: FxHashSet<Vertex> = inside(i).collect();
    let Some(first) = inside(i).next() else {
        return true;
    };
    let (mut seen, mut stack) = (FxHashSet::from_iter([first]), vec![first]);
    while let Some(v) = stack.pop() {
        sought.remove(&v);
        if sought.is_empty() {
            return true;
        }
        stack.extend(inside(v).filter(|&j| seen.insert(j)));
    }
    false
}

/// Visits the active vertices, and those that moves make active, until none is left or the rounds
/// are used up.
pub fn local_moves<W: Weight>(
    level: &Level<'_, W>,
    state: &mut State,
    mut active: Active,
    rules: &Rules,
    observer: &dyn Observer,
) -> Outcome {
    let mut outcome = Outcome::default();
    let scratch = Scratch::new();
    for round in 0..rules.rounds {
        if active.list.is_empty() || observer.cancelled() {
            break;
        }
        for block in active.take().chunks(BLOCK) {
            active.freshen(block);
            for proposal in scratch.propose(level, state, rules, block) {
                let i = proposal.vertex;
                if active.stale(i) && round + 1 < rules.rounds {
                    active.later(i);
                    continue;
                }
                let made = if active.stale(i) {
                    None
                } else {
                    apply(level, state, rules, &proposal)
                };
                let Some(change) = made.or_else(|| {
                    apply(level, state, rules, &scratch.again(level, state, rules, i)?)
                }) else {
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

/// Lowers F from given labels (each in `0..k`, or [`NONE`] for an isolated vertex) by exact moves
/// until none is left: the refinement after any other method. Labels stay in `0..k'` without gaps;
/// returns what was done and `k'`.
///
/// ```
/// use lambdacut::{search::testing::refine, graph::{Csr, Unit}, run::Silent, cut::Cut};
/// let triangles = [(0, 1, 1.0), (1, 2, 1.0), (0, 2, 1.0), (2, 3, 1.0), (3, 4, 1.0), (4, 5, 1.0), (3, 5, 1.0)];
/// let g: Csr<Unit> = Csr::from_edges(6, &triangles).unwrap();
/// let mut labels = vec![0, 0, 1, 1, 1, 1];
/// let (outcome, k) = refine(&g, &Cut::Normalized, &mut labels, 0.5, &Silent);
/// assert_eq!((k, labels), (2, vec![0, 0, 0, 1, 1, 1]));
/// assert!(outcome.change < 0.0);
/// ```
pub fn refine<W: Weight>(
    graph: &Csr<W>,
    cut: &Cut,
    labels: &mut [Cluster],
    beta: f64,
    observer: &dyn Observer,
) -> (Outcome, usize) {
    let level = Level::new(graph, cut);
    let k = renumber(labels);
    let mut state = State::new(&level, labels.to_vec(), k);
    let rules = Rules {
        beta,
        rounds: usize::MAX,
        kind: Kind::Any,
    };
    let outcome = local_moves(
        &level,
        &mut state,
        Active::all(graph.vertices()),
        &rules,
        observer,
    );
    labels.copy_from_slice(&state.labels);
    (outcome, renumber(labels))
}

/// One accumulator a thread, made once.
struct Scratch(Vec<Mutex<Links>>);

impl Scratch {
    fn new() -> Self {
        Self(
            (0..rayon::current_num_threads())
                .map(|_| Mutex::new(Links::new(0)))
                .collect(),
        )
    }

    /// The best move of one vertex, with nothing else going on.
    fn again<W: Weight>(
        &self,
        level: &Level<'_, W>,
        state: &State,
        rules: &Rules,
        i: Vertex,
    ) -> Option<Proposal> {
        propose(
            level,
            state,
            rules,
            i as usize,
            &mut Self::ready(&self.0[0], state),
        )
    }

    /// An accumulator with room for every cluster.
    fn ready<'a>(links: &'a Mutex<Links>, state: &State) -> MutexGuard<'a, Links> {
        let mut links = links
            .lock()
            .expect("nobody panics while holding an accumulator");
        links.make_room(state.sizes.len());
        links
    }

    fn propose<W: Weight>(
        &self,
        level: &Level<'_, W>,
        state: &State,
        rules: &Rules,
        block: &[Vertex],
    ) -> Vec<Proposal> {
        let of = |(part, links): (&[Vertex], &Mutex<Links>)| -> Vec<Proposal> {
            let mut links = Self::ready(links, state);
            part.iter()
                .filter_map(|&i| propose(level, state, rules, i as usize, &mut links))
                .collect()
        };
        if self.0.len() == 1 || block.len() < SHARE {
            return of((block, &self.0[0]));
        }
        let share = block.len().div_ceil(self.0.len());
        let parts: Vec<Vec<Proposal>> = block.par_chunks(share).zip(&self.0).map(of).collect();
        parts.concat()
    }
}
