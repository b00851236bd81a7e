//! Cluster numbers of vertices: made dense, ordered by size, composed through contractions.
//!
//! A label is the number of a cluster, [`NONE`] for a vertex without an edge. Every algorithm hands
//! its labels through these functions, so that numbering means the same everywhere.

use crate::ids::{Cluster, NONE};
use rayon::prelude::*;

/// Renumbers `labels` to `0..k` in order of first appearance and returns k; [`NONE`] stays.
///
/// ```
/// let mut labels = vec![7, 3, 7, 9];
/// assert_eq!(lambdacut::labels::renumber(&mut labels), 3);
/// assert_eq!(labels, [0, 1, 0, 2]);
/// ```
pub fn renumber(labels: &mut [Cluster]) -> usize {
    let top = labels
        .iter()
        .filter(|&&c| c != NONE)
        .max()
        .map_or(0, |&c| c as usize + 1);
    let mut new = vec![NONE; top];
    let mut k = 0;
    for label in labels.iter_mut().filter(|c| **c != NONE) {
        let slot = &mut new[*label as usize];
        if *slot == NONE {
            *slot = k;
            k += 1;
        }
        *label = *slot;
    }
    k as usize
}

/// Renumbers `labels` to `0..k` by decreasing size, ties by first member, and returns k; [`NONE`]
/// stays. This is the numbering of every labels file.
pub fn renumber_by_size(labels: &mut [Cluster]) -> usize {
    let k = renumber(labels);
    let sizes = sizes(labels, k);
    let mut order: Vec<Cluster> = (0..k as u32).collect();
    order.sort_by_key(|&c| std::cmp::Reverse(sizes[c as usize]));
    let mut rank = vec![0; k];
    for (r, &c) in order.iter().enumerate() {
        rank[c as usize] = r as Cluster;
    }
    for label in labels.iter_mut().filter(|c| **c != NONE) {
        *label = rank[*label as usize];
    }
    k
}

/// The number of members of each of `k` clusters. O(vertices).
///
/// ```
/// use lambdacut::{ids::NONE, labels::sizes};
/// assert_eq!(sizes(&[0, 1, NONE, 0], 2), [2, 1]);
/// ```
pub fn sizes(labels: &[Cluster], k: usize) -> Vec<usize> {
    let mut sizes = vec![0; k];
    for &c in labels.iter().filter(|&&c| c != NONE) {
        sizes[c as usize] += 1;
    }
    sizes
}

/// One more than the largest label: the number of clusters of dense labels.
pub fn bound(labels: &[Cluster]) -> usize {
    let used = labels.iter().filter(|&&c| c != NONE);
    used.max().map_or(0, |&c| c as usize + 1)
}

/// The labels of vertices whose clusters are given new numbers, or are part of larger ones: `map[c]`
/// is the new label of cluster `c`. O(vertices), parallel.
///
/// ```
/// use lambdacut::{ids::NONE, labels::compose};
/// assert_eq!(compose(&[0, 1, NONE, 2], &[0, 0, 1]), [0, 0, NONE, 1]);
/// ```
pub fn compose(labels: &[Cluster], map: &[Cluster]) -> Vec<Cluster> {
    labels
        .par_iter()
        .map(|&c| if c == NONE { NONE } else { map[c as usize] })
        .collect()
}

/// Dense labels in which vertices with the same given label share one and every vertex without one
/// ([`NONE`]) is alone; vertices that `takes_part` leaves out get [`NONE`]. Also k.
pub fn completed(labels: &[Cluster], takes_part: impl Fn(usize) -> bool) -> (Vec<Cluster>, usize) {
    let first_free = bound(labels);
    let mut completed: Vec<Cluster> = labels
        .iter()
        .enumerate()
        .map(|(i, &c)| match c {
            _ if !takes_part(i) => NONE,
            NONE => (first_free + i) as Cluster,
            c => c,
        })
        .collect();
    let k = renumber(&mut completed);
    (completed, k)
}
