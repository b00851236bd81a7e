//! One pass: every vertex goes to its nearest mean, or opens a cluster when that is farther than λ.
//!
//! **Invariant.** The means are those of the partition before the pass; only the set of opened
//! clusters grows. A vertex at `δ` on the grid goes to (1) its own cluster if none is nearer, (2)
//! the lowest-numbered nearest cluster otherwise, (3) a new one if even that is beyond `t_i`. As
//! each choice is at most as dear as staying, and the means then move to where they are best, J +
//! λk does not rise while K is positive semi-definite.
//!
//! **Sequential** is the paper's loop. **Parallel** gives the same labels by these observations:
//! - what a vertex thinks of the old clusters does not depend on the other vertices: computed for
//!   all at once;
//! - only a vertex whose nearest old cluster is beyond λ can open one, so the few such vertices
//!   alone are run through in order (each may instead join a cluster opened before it);
//! - any other vertex opens nothing, hence influences nobody; it can prefer an opened cluster only
//!   if it is linked to a founder, or if a founder's norm is below that of the best unlinked old
//!   cluster (then everyone is asked again). These are revised in parallel, each against the
//!   founders before it.
//!
//! Cost O(entries) in all; memory: the new labels, the list of vertices beyond λ, one bit a vertex
//! for those to be revised.

use super::means::{Candidate, Means};
use super::opened::{Opened, UNLABELLED};
use super::order::Ranks;
use super::similarity::{Links, Similarity};
use super::tally::Tally;
use crate::ids::{Cluster, Vertex};
use rayon::prelude::*;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Vertices that a thread takes at a time.
const ROWS: usize = 256;

/// "Beyond λ from every old cluster": a mark that no cluster number reaches.
const BEYOND: Cluster = UNLABELLED - 1;

/// One pass over fixed means.
pub(super) struct Pass<'a, S> {
    pub similarity: &'a S,
    pub labels: &'a [Cluster],
    pub means: &'a Means<'a>,
    pub ranks: &'a Ranks,
}

impl<S: Similarity> Pass<'_, S> {
    /// The paper's loop, vertex after vertex; fills `next` and returns the number of clusters,
    /// empty ones included.
    pub fn sequential(&self, next: &mut [Cluster]) -> usize {
        let mut opened = Opened::none(self.means.len());
        let mut tally = self.tally();
        let mut visit: Vec<Vertex> = (0..next.len() as Vertex).collect();
        self.ranks.sort(&mut visit);
        next.fill(UNLABELLED);
        for i in visit
            .into_iter()
            .map(|i| i as usize)
            .filter(|&i| self.similarity.takes_part(i))
        {
            let old = self
                .means
                .nearest(self.similarity, i, self.labels, &mut tally);
            let best = self.with_opened(old, &opened, next, i);
            next[i] = if self.is_beyond(i, best) {
                opened.open(self.similarity, i)
            } else {
                best.cluster
            };
        }
        opened.clusters()
    }

    /// The same labels as [`Pass::sequential`], by proposing in parallel and validating in order.
    pub fn parallel(&self, next: &mut [Cluster]) -> usize {
        if self.similarity.links() == Links::Signed {
            // Which opened clusters are unlinked then depends on the vertex in a way that only the
            // loop itself keeps track of.
            return self.sequential(next);
        }
        self.propose(next);
        let mut opened = Opened::none(self.means.len());
        let beyond = self.beyond(next);
        self.validate(&beyond, &mut opened, next);
        for (i, c) in self.revise(&beyond, &opened, next) {
            next[i as usize] = c;
        }
        opened.clusters()
    }

    /// The nearest old cluster of every vertex, or [`BEYOND`].
    fn propose(&self, next: &mut [Cluster]) {
        let blocks = next.par_chunks_mut(ROWS).enumerate();
        blocks.for_each_init(
            || self.tally(),
            |tally, (block, next)| {
                (block * ROWS..)
                    .zip(next)
                    .for_each(|(i, label)| *label = self.proposal(i, tally));
            },
        );
    }

    #[inline]
    fn proposal(&self, i: usize, tally: &mut Tally) -> Cluster {
        if !self.similarity.takes_part(i) {
            return UNLABELLED;
        }
        let old = self.means.nearest(self.similarity, i, self.labels, tally);
        if self.is_beyond(i, old) {
            BEYOND
        } else {
            old.cluster
        }
    }

    fn tally(&self) -> Tally {
        Tally::new(self.means.len())
    }

    /// The vertices marked [`BEYOND`], in order.
    fn beyond(&self, next: &[Cluster]) -> Vec<Vertex> {
        let mut beyond: Vec<Vertex> = next
            .par_iter()
            .enumerate()
            .filter(|&(_, &c)| c == BEYOND)
            .map(|(i, _)| i as Vertex)
            .collect();
        self.ranks.sort(&mut beyond);
        beyond
    }

    /// Lets the vertices beyond λ, in order, join a cluster opened before them or open one.
    fn validate(&self, beyond: &[Vertex], opened: &mut Opened, next: &mut [Cluster]) {
        for i in beyond.iter().map(|&i| i as usize) {
            let best = opened.nearest(self.similarity, next, i, self.ranks, self.means.grid);
            next[i] = if self.is_beyond(i, best) {
                opened.open(self.similarity, i)
            } else {
                best.cluster
            };
        }
    }

    /// The other vertices that prefer an opened cluster, with that cluster.
    fn revise(
        &self,
        beyond: &[Vertex],
        opened: &Opened,
        next: &[Cluster],
    ) -> Vec<(Vertex, Cluster)> {
        if opened.founders.is_empty() {
            return Vec::new();
        }
        let least = beyond
            .iter()
            .map(|&i| Opened::norm(self.similarity, i as usize))
            .fold(f64::INFINITY, f64::min);
        let everyone = self.similarity.links() == Links::Full
            || least < self.means.worst_norm(self.similarity);
        let linked = if everyone {
            Vec::new()
        } else {
            self.linked_to(&opened.founders)
        };
        let concerned =
            |&i: &usize| next[i] < self.means.len() as Cluster && (everyone || bit(&linked, i));
        let indices = (0..next.len())
            .into_par_iter()
            .with_min_len(ROWS)
            .filter(concerned);
        let revised = indices.map_init(
            || self.tally(),
            |tally, i| {
                let old = self.means.nearest(self.similarity, i, self.labels, tally);
                (i as Vertex, self.with_opened(old, opened, next, i).cluster)
            },
        );
        revised.filter(|&(i, c)| next[i as usize] != c).collect()
    }

    /// One bit a vertex: whether it has a founder among its neighbours.
    fn linked_to(&self, founders: &[Vertex]) -> Vec<AtomicU64> {
        let bits: Vec<AtomicU64> = (0..self.labels.len().div_ceil(64))
            .map(|_| AtomicU64::new(0))
            .collect();
        founders.par_iter().for_each(|&f| {
            for (j, _) in self.similarity.row(f as usize) {
                bits[j as usize / 64].fetch_or(1 << (j % 64), Relaxed);
            }
        });
        bits
    }

    /// The nearer of an old candidate and the opened clusters; opened ones have higher numbers, so
    /// ties stay with the old.
    fn with_opened(
        &self,
        old: Candidate,
        opened: &Opened,
        next: &[Cluster],
        i: usize,
    ) -> Candidate {
        let new = opened.nearest(self.similarity, next, i, self.ranks, self.means.grid);
        if new.delta < old.delta { new } else { old }
    }

    #[inline]
    fn is_beyond(&self, i: usize, best: Candidate) -> bool {
        best.delta > self.means.grid.snap(self.similarity.threshold(i))
    }
}

fn bit(bits: &[AtomicU64], i: usize) -> bool {
    bits[i / 64].load(Relaxed) & (1 << (i % 64)) != 0
}
