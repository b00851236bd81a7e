//! Sorted distinct edges → symmetric CSR, without sorting again and without atomics.
//!
//! Every thread owns a range of rows with about equally many arcs and goes through the edges once.
//! Memory beside the result: none.

use super::row::{Row, ends};
use super::{Csr, Weight};
use crate::ids::Vertex;
use rayon::prelude::*;
use std::ops::Range;

/// Sorted distinct edges, whose weights are known to be in range → CSR.
pub(super) fn assemble<W: Weight, R: Row>(n: usize, edges: Vec<R>) -> Csr<W> {
    let mut offsets = degree_prefix_sums(n, &edges);
    let arcs = offsets[n] as usize;
    let bounds = balanced_bounds(&offsets);
    let mut targets = vec![0 as Vertex; arcs];
    let mut weights = vec![W::zeroed(); arcs];
    fill_rows(&edges, &mut offsets, &bounds, &mut targets, &mut weights);
    let loops = edges
        .par_iter()
        .with_min_len(1 << 16)
        .filter(|edge| is_loop(edge.number()))
        .count();
    drop(edges);
    Csr::with_loops(offsets, targets, weights, loops)
}

fn is_loop(number: u64) -> bool {
    let (low, high) = ends(number);
    low == high
}

/// The edges `(i, ·)` of one `i`, for each in order.
fn runs<R: Row>(edges: &[R]) -> impl Iterator<Item = (usize, &[R])> {
    let low = |edge: &R| ends(edge.number()).0;
    edges
        .chunk_by(move |a, b| low(a) == low(b))
        .map(move |run| (low(&run[0]) as usize, run))
}

/// The row offsets: each thread counts the arcs of its own range of rows.
fn degree_prefix_sums<R: Row>(n: usize, edges: &[R]) -> Vec<u64> {
    let mut offsets = vec![0u64; n + 1];
    let share = n.div_ceil(tasks()).max(1);
    offsets[1..]
        .par_chunks_mut(share)
        .enumerate()
        .for_each(|(t, counts)| {
            let (from, to) = (t * share, t * share + counts.len());
            let inside = |v: usize| v >= from && v < to;
            let reach = edges.partition_point(|e| (ends(e.number()).0 as usize) < to);
            for (low, run) in runs(&edges[..reach]) {
                if inside(low) {
                    counts[low - from] += run.len() as u64;
                }
                for high in run.iter().map(|edge| ends(edge.number()).1 as usize) {
                    if low != high && inside(high) {
                        counts[high - from] += 1;
                    }
                }
            }
        });
    let mut sum = 0;
    for offset in &mut offsets {
        sum += *offset;
        *offset = sum;
    }
    offsets
}

/// How many ranges of rows are filled side by side; each reads all edges, so more than a few are
/// not worth it.
fn tasks() -> usize {
    rayon::current_num_threads().clamp(1, 16)
}

/// Ranges of rows with about equally many arcs.
fn balanced_bounds(offsets: &[u64]) -> Vec<usize> {
    let (n, parts) = (offsets.len() - 1, tasks());
    let arcs = offsets[n];
    let mut bounds: Vec<usize> = (0..parts)
        .map(|t| offsets.partition_point(|&o| o < arcs * t as u64 / parts as u64))
        .collect();
    bounds[0] = 0;
    bounds.push(n);
    bounds.dedup();
    bounds
}

/// One thread's rows: the cursors of its vertices and its part of the arrays.
struct Part<'a, W> {
    vertices: Range<usize>,
    cursors: &'a mut [u64],
    start: u64,
    targets: &'a mut [Vertex],
    weights: &'a mut [W],
}

impl<W: Weight> Part<'_, W> {
    /// Appends edges to a row: the part of the row above its own vertex comes in one piece.
    fn extend<R: Row>(&mut self, row: usize, edges: &[R]) {
        let cursor = &mut self.cursors[row - self.vertices.start];
        let at = (*cursor - self.start) as usize;
        for (target, edge) in self.targets[at..at + edges.len()].iter_mut().zip(edges) {
            *target = ends(edge.number()).1;
        }
        if !W::UNIT {
            for (weight, edge) in self.weights[at..at + edges.len()].iter_mut().zip(edges) {
                *weight = W::of(edge.weight());
            }
        }
        *cursor += edges.len() as u64;
    }

    #[inline]
    fn push(&mut self, row: usize, target: Vertex, weight: f64) {
        let cursor = &mut self.cursors[row - self.vertices.start];
        let at = (*cursor - self.start) as usize;
        self.targets[at] = target;
        if !W::UNIT {
            self.weights[at] = W::of(weight);
        }
        *cursor += 1;
    }
}

/// Appends both ends of every edge. `offsets[i + 1]` is moved to the start of row `i`, used as the
/// cursor of the row, and ends at the end of the row: where the row offsets want it.
fn fill_rows<W: Weight, R: Row>(
    edges: &[R],
    offsets: &mut [u64],
    bounds: &[usize],
    targets: &mut [Vertex],
    weights: &mut [W],
) {
    let starts: Vec<u64> = bounds.iter().map(|&b| offsets[b]).collect();
    let n = offsets.len() - 1;
    offsets.copy_within(0..n, 1);
    offsets[0] = 0;
    let (mut cursors, mut targets, mut weights) = (&mut offsets[1..], targets, weights);
    let mut parts = Vec::with_capacity(bounds.len());
    for (range, start) in bounds.windows(2).zip(starts.windows(2)) {
        let arcs = (start[1] - start[0]) as usize;
        let (own_cursors, more_cursors) = cursors.split_at_mut(range[1] - range[0]);
        let (own_targets, more_targets) = targets.split_at_mut(arcs);
        let (own_weights, more_weights) = weights.split_at_mut(arcs);
        (cursors, targets, weights) = (more_cursors, more_targets, more_weights);
        let vertices = range[0]..range[1];
        parts.push(Part {
            vertices,
            cursors: own_cursors,
            start: start[0],
            targets: own_targets,
            weights: own_weights,
        });
    }
    parts.into_par_iter().for_each(|mut part| {
        let (from, to) = (part.vertices.start, part.vertices.end);
        let reach = edges.partition_point(|e| (ends(e.number()).0 as usize) < to);
        for (low, run) in runs(&edges[..reach]) {
            if low >= from {
                part.extend(low, run);
            }
            for edge in run {
                let high = ends(edge.number()).1 as usize;
                if high != low && high >= from && high < to {
                    part.push(high, low as Vertex, edge.weight());
                }
            }
        }
    });
}
