//! Contraction `A' = ZᵀAZ`: every cluster becomes a vertex.
//!
//! `A'_ab` is the weight of all arcs from `a` to `b`; the loop `A'_aa = w_a` is the weight inside
//! `a`, both directions counted, so that the degree of the contracted vertex is `D_a` and every
//! penalised cut keeps its value.
//!
//! Cost O(arcs) plus sorting each new row. Memory: the new arrays (8 bytes an arc for an unweighted
//! graph, 12 otherwise) and one accumulator of `k` entries a thread.

use super::{Csr, Weight};
use crate::ids::{Cluster, NONE, Vertex};
use bytemuck::Zeroable;
use rayon::prelude::*;
use std::ops::Range;
use std::sync::Mutex;

/// Vertices grouped by cluster: the members of `c` are `order[starts[c]..starts[c + 1]]`,
/// ascending.
#[derive(Debug, Clone)]
pub struct Members {
    /// Where each cluster starts.
    pub starts: Vec<u32>,
    /// The vertices, cluster by cluster.
    pub order: Vec<Vertex>,
}

impl Members {
    /// Groups the vertices of `k` clusters by counting sort; [`NONE`] is left out. O(n + k).
    pub fn of(labels: &[Cluster], k: usize) -> Self {
        let mut starts = vec![0u32; k + 1];
        for &c in labels.iter().filter(|&&c| c != NONE) {
            starts[c as usize + 1] += 1;
        }
        for c in 0..k {
            starts[c + 1] += starts[c];
        }
        let mut next = starts.clone();
        let mut order = vec![0; starts[k] as usize];
        for (i, &c) in labels.iter().enumerate().filter(|&(_, &c)| c != NONE) {
            order[next[c as usize] as usize] = i as Vertex;
            next[c as usize] += 1;
        }
        Self { starts, order }
    }

    /// The members of `c`.
    pub fn members(&self, c: usize) -> &[Vertex] {
        &self.order[self.starts[c] as usize..self.starts[c + 1] as usize]
    }
}

/// A graph contracted from one with weights `W`.
pub type Contraction<W> = Csr<<W as Weight>::Sum>;

/// A range of clusters, with as much room for its arcs as it could need.
struct Block<'a, S> {
    clusters: Range<usize>,
    lengths: &'a mut [u64],
    targets: &'a mut [Vertex],
    weights: &'a mut [S],
}

/// Contracts the `k` clusters of `labels` (each in `0..k`, or [`NONE`] for a vertex that
/// disappears). An unweighted graph must have fewer than 2³² arcs.
///
/// ```
/// use lambdacut::graph::{Csr, Unit, contract};
/// let g: Csr<Unit> = Csr::from_edges(4, &[(0, 1, 1.0), (1, 2, 1.0), (2, 3, 1.0)]).unwrap();
/// let c = contract(&g, &[0, 0, 1, 1], 2);
/// assert_eq!((c.vertices(), c.degree(0), c.arcs()), (2, 3.0, 4));
/// ```
pub fn contract<W: Weight>(graph: &Csr<W>, labels: &[Cluster], k: usize) -> Contraction<W> {
    let members = Members::of(labels, k);
    let bounds = block_bounds(graph, &members, k);
    // Zeroed pages take no memory until they are written, and each block writes only the beginning
    // of its room.
    let room = bounds.iter().map(|(_, room)| room).sum();
    let (mut lengths, mut targets) = (vec![0u64; k + 1], vec![0 as Vertex; room]);
    let mut weights = vec![W::Sum::zeroed(); room];
    let tallies: Vec<Mutex<Tally<W::Sum>>> = (0..=rayon::current_num_threads())
        .map(|_| Mutex::new(Tally::empty()))
        .collect();
    blocks(&bounds, &mut lengths[1..], &mut targets, &mut weights)
        .into_par_iter()
        .for_each(|block| {
            // Outside of a pool the work runs on the calling thread, which has no index.
            let mine = &tallies[rayon::current_thread_index().map_or(0, |thread| thread + 1)];
            contract_block(graph, labels, &members, block, mine);
        });
    close_gaps(&bounds, &mut lengths, &mut targets, &mut weights);
    Csr::from_valid(lengths, targets, weights)
}

/// Ranges of clusters with about equally many arcs, and how many; the number of ranges does not
/// depend on the threads.
fn block_bounds<W: Weight>(
    graph: &Csr<W>,
    members: &Members,
    k: usize,
) -> Vec<(Range<usize>, usize)> {
    let offsets = graph.rows().offsets;
    let share = graph.arcs() / 64 + 1;
    let (mut bounds, mut from, mut load) = (Vec::new(), 0, 0);
    for c in 0..k {
        load += members
            .members(c)
            .iter()
            .map(|&i| (offsets[i as usize + 1] - offsets[i as usize]) as usize)
            .sum::<usize>();
        if load >= share || c + 1 == k {
            bounds.push((from..c + 1, load));
            (from, load) = (c + 1, 0);
        }
    }
    bounds
}

/// Deals out the arrays.
fn blocks<'a, S>(
    bounds: &[(Range<usize>, usize)],
    mut lengths: &'a mut [u64],
    mut targets: &'a mut [Vertex],
    mut weights: &'a mut [S],
) -> Vec<Block<'a, S>> {
    let deal = |(clusters, room): &(Range<usize>, usize)| Block {
        clusters: clusters.clone(),
        lengths: lengths
            .split_off_mut(..clusters.len())
            .expect("one length a cluster"),
        targets: targets
            .split_off_mut(..*room)
            .expect("the rooms add up to the whole"),
        weights: weights
            .split_off_mut(..*room)
            .expect("the rooms add up to the whole"),
    };
    bounds.iter().map(deal).collect()
}

/// Moves what the blocks have written together, and turns lengths into offsets.
fn close_gaps<S: Copy>(
    bounds: &[(Range<usize>, usize)],
    lengths: &mut [u64],
    targets: &mut Vec<Vertex>,
    weights: &mut Vec<S>,
) {
    let (mut end, mut start) = (0, 0);
    for (clusters, room) in bounds {
        let used = lengths[clusters.start + 1..=clusters.end]
            .iter()
            .sum::<u64>() as usize;
        targets.copy_within(start..start + used, end);
        weights.copy_within(start..start + used, end);
        (end, start) = (end + used, start + room);
    }
    targets.truncate(end);
    targets.shrink_to_fit();
    weights.truncate(end);
    weights.shrink_to_fit();
    let mut sum = 0;
    for length in lengths {
        sum += *length;
        *length = sum;
    }
}

/// The links of one cluster under construction.
struct Tally<S> {
    sums: Vec<S>,
    touched: Vec<Cluster>,
}

impl<S> Tally<S> {
    fn empty() -> Self {
        Self {
            sums: Vec::new(),
            touched: Vec::new(),
        }
    }
}

fn contract_block<W: Weight>(
    graph: &Csr<W>,
    labels: &[Cluster],
    members: &Members,
    block: Block<'_, W::Sum>,
    tally: &Mutex<Tally<W::Sum>>,
) {
    let (rows, none) = (graph.rows(), W::Sum::zeroed());
    let mut tally = tally.lock().expect("nobody panics while holding a tally");
    let Tally { sums, touched } = &mut *tally;
    sums.resize(members.starts.len() - 1, none);
    let mut at = 0;
    for (c, length) in block.clusters.zip(block.lengths) {
        for &i in members.members(c) {
            for (j, weight) in rows.row(i as usize) {
                let b = labels[j as usize];
                if b == NONE {
                    continue;
                }
                if sums[b as usize] == none {
                    touched.push(b);
                }
                sums[b as usize] += W::Sum::of(weight);
            }
        }
        touched.sort_unstable();
        *length = touched.len() as u64;
        for b in touched.drain(..) {
            block.targets[at] = b;
            block.weights[at] = std::mem::replace(&mut sums[b as usize], none);
            at += 1;
        }
    }
}
