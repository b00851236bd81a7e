//! Contraction `A' = ZᵀAZ`: every cluster becomes a vertex.
//!
//! `A'_ab` is the weight of all arcs from `a` to `b`; the loop `A'_aa = w_a` is the weight inside `a`, both directions
//! counted, so that the degree of the contracted vertex is `D_a` and every penalised cut keeps its value.
//!
//! Cost O(arcs) plus sorting each new row; one dense accumulator of `k` entries a thread.

use super::{Graph, Weight};
use crate::ids::{Cluster, NONE, Vertex};
use rayon::prelude::*;

/// Vertices grouped by cluster: the members of `c` are `order[starts[c]..starts[c + 1]]`, ascending.
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

/// A contracted graph.
pub type Contraction = Graph<f64>;

struct Block {
    lengths: Vec<u64>,
    targets: Vec<Vertex>,
    weights: Vec<f64>,
}

/// Contracts the `k` clusters of `labels` (each in `0..k`, or [`NONE`] for a vertex that disappears).
///
/// ```
/// use lambdacut::graph::{Graph, Unit, contract};
/// let g: Graph<Unit> = Graph::from_edges(4, &[(0, 1, 1.0), (1, 2, 1.0), (2, 3, 1.0)]).unwrap();
/// let c = contract(&g, &[0, 0, 1, 1], 2);
/// assert_eq!((c.vertices(), c.degree(0), c.arcs()), (2, 3.0, 4));
/// ```
pub fn contract<W: Weight>(graph: &Graph<W>, labels: &[Cluster], k: usize) -> Contraction {
    let members = Members::of(labels, k);
    let blocks: Vec<Block> = block_bounds(graph, &members, k)
        .into_par_iter()
        .map_init(|| vec![0.0f64; k], |sums, (from, to)| contract_block(graph, labels, &members, from, to, sums))
        .collect();
    let arcs = blocks.iter().map(|b| b.targets.len()).sum();
    let (mut offsets, mut targets, mut weights) = (Vec::with_capacity(k + 1), Vec::with_capacity(arcs), Vec::with_capacity(arcs));
    offsets.push(0u64);
    let mut end = 0;
    for block in blocks {
        offsets.extend(block.lengths.iter().map(|length| {
            end += length;
            end
        }));
        targets.extend_from_slice(&block.targets);
        weights.extend_from_slice(&block.weights);
    }
    Graph::from_valid(offsets.into(), targets.into(), weights.into())
}

/// Ranges of clusters with about equally many arcs; their number is fixed, not the number of threads.
fn block_bounds<W: Weight>(graph: &Graph<W>, members: &Members, k: usize) -> Vec<(usize, usize)> {
    let offsets = graph.rows().offsets;
    let share = graph.arcs() / 64 + 1;
    let (mut bounds, mut from, mut load) = (Vec::new(), 0, 0);
    for c in 0..k {
        load += members.members(c).iter().map(|&i| (offsets[i as usize + 1] - offsets[i as usize]) as usize).sum::<usize>();
        if load >= share || c + 1 == k {
            bounds.push((from, c + 1));
            (from, load) = (c + 1, 0);
        }
    }
    bounds
}

fn contract_block<W: Weight>(
    graph: &Graph<W>,
    labels: &[Cluster],
    members: &Members,
    from: usize,
    to: usize,
    sums: &mut [f64],
) -> Block {
    let rows = graph.rows();
    let mut block = Block { lengths: Vec::with_capacity(to - from), targets: Vec::new(), weights: Vec::new() };
    let mut touched: Vec<Cluster> = Vec::new();
    for c in from..to {
        for &i in members.members(c) {
            for (j, weight) in rows.row(i as usize) {
                let b = labels[j as usize];
                if b == NONE {
                    continue;
                }
                if sums[b as usize] == 0.0 {
                    touched.push(b);
                }
                sums[b as usize] += weight;
            }
        }
        touched.sort_unstable();
        block.lengths.push(touched.len() as u64);
        for &b in &touched {
            block.targets.push(b);
            block.weights.push(std::mem::take(&mut sums[b as usize]));
        }
        touched.clear();
    }
    block
}
