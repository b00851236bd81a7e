//! The sums of the clusters after a pass, from scratch or by what changed, and the disappearance of
//! empty ones.
//!
//! **By what changed.** Let `i` go from `a` to `b`, at the same time as others. With old labels
//! `o`, new labels `n`, the links inside `a` fall by `Σ_{o_j=a} S_ij + Σ_{o_j=n_j=a} S_ij` (its own
//! entries, and the mirrored ones of neighbours that stay) and the links inside `b` rise by
//! `Σ_{n_j=b} S_ij + Σ_{o_j=n_j=b} S_ij`: added over all `i` that go, each entry between two
//! clusters before and after is counted once from either end.
//!
//! Both ways run in chunks: terms are computed in parallel while those of the chunk before are
//! added in vertex order, so that the sums do not depend on the threads. Memory: two chunks, and 4
//! bytes for every vertex that moved.

use super::similarity::{ClusterSums, Similarity};
use crate::ids::{Cluster, NONE, Vertex};
use rayon::prelude::*;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Vertices of a chunk.
const CHUNK: usize = 1 << 14;

/// The sums of `k` clusters, from scratch. O(entries), parallel.
pub(super) fn sums(similarity: &impl Similarity, labels: &[Cluster], k: usize) -> Vec<ClusterSums> {
    let mut sums = Vec::new();
    refill(similarity, labels, k, &mut sums);
    sums
}

/// Brings the sums from the labels `old` to the labels `new` of `k` clusters, which differ at the
/// elements `moved`. From scratch unless few entries belong to these.
pub(super) fn follow(
    similarity: &impl Similarity,
    [old, new]: [&[Cluster]; 2],
    moved: &[Vertex],
    k: usize,
    sums: &mut Vec<ClusterSums>,
) {
    let entries: usize = moved
        .par_iter()
        .with_min_len(CHUNK)
        .map(|&i| similarity.row(i as usize).len())
        .sum();
    // A moved row is read for old and new labels, with branches.
    if 4 * entries < similarity.entries() {
        sums.resize(k, ClusterSums::default());
        update(similarity, [old, new], moved, sums);
    } else {
        refill(similarity, new, k, sums);
    }
}

fn refill(similarity: &impl Similarity, labels: &[Cluster], k: usize, sums: &mut Vec<ClusterSums>) {
    sums.clear();
    sums.resize(k, ClusterSums::default());
    let part = |i: usize| similarity.part(similarity.split(i, labels[i], labels));
    in_chunks(labels.len(), part, |i, part| {
        if labels[i] != NONE {
            let cluster = &mut sums[labels[i] as usize];
            cluster.mass += similarity.mass(i);
            cluster.part += part;
        }
    });
}

fn update(
    similarity: &impl Similarity,
    [old, new]: [&[Cluster]; 2],
    moved: &[Vertex],
    sums: &mut [ClusterSums],
) {
    let change = |at: usize| {
        let i = moved[at] as usize;
        let (from, to) = (old[i], new[i]);
        let (mut lost, mut won) = (0.0, 0.0);
        for (j, link) in similarity.row(i) {
            let (before, after) = (old[j as usize], new[j as usize]);
            lost += if before == from {
                if after == from { 2.0 * link } else { link }
            } else {
                0.0
            };
            won += if after == to {
                if before == to { 2.0 * link } else { link }
            } else {
                0.0
            };
        }
        (
            similarity.part_by_inside(i, lost),
            similarity.part_by_inside(i, won),
        )
    };
    in_chunks(moved.len(), change, |at, (lost, won)| {
        let i = moved[at] as usize;
        let mass = similarity.mass(i);
        let [from, to] = [old[i] as usize, new[i] as usize];
        sums[from].mass -= mass;
        sums[from].part -= lost;
        sums[to].mass += mass;
        sums[to].part += won;
    });
}

/// Computes `term` of `0..n` in parallel and hands the terms over in order.
fn in_chunks<T: Copy + Default + Send + Sync>(
    n: usize,
    term: impl Fn(usize) -> T + Sync,
    mut add: impl FnMut(usize, T) + Send,
) {
    let mut ready: Vec<T> = Vec::new();
    let mut terms = vec![T::default(); CHUNK.min(n)];
    let mut hand_over = |end: usize, ready: &[T]| {
        (end - ready.len()..end)
            .zip(ready)
            .for_each(|(i, &term)| add(i, term));
    };
    for start in (0..n).step_by(CHUNK) {
        terms.resize(CHUNK.min(n - start), T::default());
        let slots = terms.par_iter_mut().enumerate().with_min_len(256);
        let compute = || slots.for_each(|(at, slot)| *slot = term(start + at));
        rayon::join(compute, || hand_over(start, &ready));
        std::mem::swap(&mut ready, &mut terms);
    }
    hand_over(n, &ready);
}

/// Drops the clusters without members; the others keep their order.
pub(super) fn drop_empty(sums: &mut Vec<ClusterSums>, labels: &mut [Cluster]) {
    // One bit a cluster; sums of weights that were added and taken away again need not come back to
    // 0.
    let bits: Vec<AtomicU64> = (0..sums.len().div_ceil(64))
        .map(|_| AtomicU64::new(0))
        .collect();
    let used = |c: usize| bits[c / 64].load(Relaxed) >> (c % 64) & 1 == 1;
    labels
        .par_iter()
        .with_min_len(CHUNK)
        .filter(|&&c| c != NONE && !used(c as usize))
        .for_each(|&c| {
            bits[c as usize / 64].fetch_or(1 << (c % 64), Relaxed);
        });
    if (0..sums.len()).all(used) {
        return;
    }
    let mut kept = 0;
    let number = |c: usize| {
        kept += Cluster::from(used(c));
        kept.wrapping_sub(1)
    };
    let new: Vec<Cluster> = (0..sums.len()).map(number).collect();
    labels
        .par_iter_mut()
        .with_min_len(CHUNK)
        .filter(|c| **c != NONE)
        .for_each(|c| *c = new[*c as usize]);
    let mut at = 0..;
    sums.retain(|_| at.next().is_some_and(used));
}
