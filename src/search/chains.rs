//! Chains of moves: out of a local optimum through worse partitions (Kernighan & Lin 1970, Fiduccia
//! & Mattheyses 1982).
//!
//! A chain makes the best move there is, even if it makes things worse, then the next, no vertex
//! twice; in the end everything after the best partition on the way is taken back. Two vertices
//! that should change places, or a group that should go together, are found where no single move
//! helps. The number of clusters is kept, so β plays no part.
//!
//! Vertices wait in a heap under the change of their best move when it was found. What is popped is
//! looked at again, because the clusters around it may have changed: if it has become worse than
//! the next in line, it goes back. A chain ends when `PATIENCE` moves have not led to a better
//! partition.
//!
//! Invariant: Cut never rises, and the sums in [`State`] stay those of the labels. Cost of a chain:
//! O(Σ deg · log vertices) over the vertices next to another cluster, mostly for filling the heap.

use super::links::Links;
use super::moves::{Kind, Proposal, Rules, best_move};
use super::state::{Level, State};
use crate::graph::Weight;
use crate::ids::{Cluster, Vertex};
use crate::run::Observer;
use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// Moves without a new best partition after which a chain ends.
const PATIENCE: usize = 100;

/// A graph is tiny when a chain from every vertex looks at no more than so many arcs.
const TINY: usize = 1 << 17;

/// A vertex in line: least change first, ties by number.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Waiting {
    change: f64,
    vertex: Vertex,
}

impl Eq for Waiting {}

impl Ord for Waiting {
    fn cmp(&self, other: &Self) -> Ordering {
        other
            .change
            .total_cmp(&self.change)
            .then(other.vertex.cmp(&self.vertex))
    }
}

impl PartialOrd for Waiting {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Makes chains of moves between clusters, at most `most` that find something better, until one
/// does not; then, if the graph is tiny, also from every vertex. The change of the cut.
pub fn chains<W: Weight>(
    level: &Level<'_, W>,
    state: &mut State,
    most: usize,
    observer: &dyn Observer,
) -> f64 {
    let n = level.vertices();
    let firsts = if n * level.graph.arcs() <= TINY {
        n as Vertex
    } else {
        0
    };
    let mut total = 0.0;
    for _ in 0..most {
        let starts = std::iter::once(None)
            .chain((0..firsts).map(Some))
            .take_while(|_| !observer.cancelled());
        let better = starts
            .map(|first| Chain::new(level, state).run(state, first))
            .find(|&change| change < -level.tolerance);
        let Some(change) = better else { break };
        total += change;
    }
    total
}

/// One chain.
struct Chain<'a, W: Weight> {
    level: &'a Level<'a, W>,
    heap: BinaryHeap<Waiting>,
    links: Links,
    locked: Vec<bool>,
    /// The moved vertices with the clusters they came from.
    made: Vec<(Vertex, Cluster)>,
}

/// Clusters are neither opened nor closed.
const RULES: Rules = Rules {
    beta: 0.0,
    rounds: 1,
    kind: Kind::Keep,
};

impl<'a, W: Weight> Chain<'a, W> {
    fn new(level: &'a Level<'a, W>, state: &State) -> Self {
        let n = level.vertices();
        let links = Links::new(state.sizes.len());
        let mut chain = Self {
            level,
            heap: BinaryHeap::new(),
            links,
            locked: vec![false; n],
            made: Vec::new(),
        };
        for i in 0..n as Vertex {
            chain.queue(state, i);
        }
        chain
    }

    fn best(&mut self, state: &State, i: Vertex) -> Option<(Proposal, f64)> {
        best_move(self.level, state, &RULES, i as usize, &mut self.links)
    }

    fn queue(&mut self, state: &State, vertex: Vertex) {
        if let Some((_, change)) = self.best(state, vertex) {
            self.heap.push(Waiting { change, vertex });
        }
    }

    /// Makes the moves, beginning with the best of `first` if that is given, and takes back those
    /// after the best partition; the change of the cut, never positive.
    fn run(mut self, state: &mut State, first: Option<Vertex>) -> f64 {
        let (mut change, mut least, mut kept) = (0.0, 0.0, 0);
        let mut begin = first.and_then(|i| self.best(state, i));
        while self.made.len() < kept + PATIENCE
            && let Some((proposal, by)) = begin.take().or_else(|| self.next(state))
        {
            self.make(state, &proposal);
            change += by;
            if change < least - self.level.tolerance {
                (least, kept) = (change, self.made.len());
            }
        }
        self.take_back(state, kept);
        least
    }

    /// The best move of the vertices not locked yet.
    fn next(&mut self, state: &State) -> Option<(Proposal, f64)> {
        while let Some(Waiting { vertex, .. }) = self.heap.pop() {
            if self.locked[vertex as usize] {
                continue;
            }
            let Some((proposal, change)) = self.best(state, vertex) else {
                continue;
            };
            if self.heap.peek().is_none_or(|next| change <= next.change) {
                return Some((proposal, change));
            }
            self.heap.push(Waiting { change, vertex });
        }
        None
    }

    fn make(&mut self, state: &mut State, proposal: &Proposal) {
        let i = proposal.vertex;
        self.locked[i as usize] = true;
        self.made.push((i, state.labels[i as usize]));
        state.shift(
            i as usize,
            self.level.vertex(i as usize, proposal.own_loop),
            proposal.to,
            proposal.links,
        );
        for &j in self.level.rows.targets(i as usize) {
            if !self.locked[j as usize] {
                self.queue(state, j);
            }
        }
    }

    fn take_back(&mut self, state: &mut State, kept: usize) {
        while self.made.len() > kept
            && let Some((i, back)) = self.made.pop()
        {
            self.links.gather(self.level, &state.labels, i as usize);
            let pair = (self.links.to(state.labels[i as usize]), self.links.to(back));
            let vertex = self.level.vertex(i as usize, self.links.own_loop);
            self.links.clear();
            state.shift(i as usize, vertex, back, pair);
        }
    }
}
