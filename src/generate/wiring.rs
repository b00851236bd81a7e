//! Simple graphs with given degrees.
//!
//! Every vertex has as many stubs as its degree. The stubs are shuffled and joined in pairs; a pair that is a loop, a repeat or not allowed
//! is repaired by a switch with a random other edge, `{u, v}, {x, y} → {u, x}, {v, y}`, which leaves all degrees as they are. What cannot be
//! repaired is given back as left-over stubs. Expected O(stubs) for sparse degrees, plus one sort.

use super::random::Stream;
use crate::ids::Vertex;
use rayon::prelude::*;
use rustc_hash::FxHashSet;

/// Switches tried for one bad pair in one round.
const TRIES: usize = 200;
/// Rounds over the bad pairs: a later switch may make room for an earlier pair.
const ROUNDS: usize = 3;

/// Edges, and stubs that found no partner.
pub(super) struct Wired {
    pub(super) edges: Vec<(Vertex, Vertex)>,
    pub(super) left_over: Vec<Vertex>,
}

/// Joins `stubs` (a vertex as often as its degree; an odd one out is left over) where `allowed` permits.
pub(super) fn wire(mut stubs: Vec<Vertex>, allowed: impl Fn(Vertex, Vertex) -> bool + Sync, stream: &mut Stream) -> Wired {
    stream.shuffle(&mut stubs);
    let mut left_over = if stubs.len() % 2 == 1 { stubs.split_off(stubs.len() - 1) } else { Vec::new() };
    let mut edges: Vec<_> = stubs.chunks_exact(2).map(|pair| (pair[0], pair[1])).collect();
    drop(stubs);
    let (mut present, mut bad) = examine(&edges, &allowed);
    for _ in 0..ROUNDS {
        let waiting: Vec<usize> = (0..edges.len()).filter(|&e| bad.contains(&e)).collect();
        for e in waiting {
            if (0..TRIES).any(|_| switch(&mut edges, e, &bad, &mut present, &allowed, stream)) {
                bad.remove(&e);
            }
        }
        if bad.is_empty() {
            break;
        }
    }
    left_over.extend((0..edges.len()).filter(|e| bad.contains(e)).flat_map(|e| [edges[e].0, edges[e].1]));
    let good = edges.iter().enumerate().filter(|(e, _)| !bad.contains(e)).map(|(_, &edge)| edge);
    Wired { edges: good.collect(), left_over }
}

/// The edge as a number, the same for both directions.
fn key((u, v): (Vertex, Vertex)) -> u64 {
    u64::from(u.min(v)) << 32 | u64::from(u.max(v))
}

/// The good edges, and the numbers of the bad ones: loops, forbidden pairs, all but one of equal pairs.
fn examine(edges: &[(Vertex, Vertex)], allowed: &(impl Fn(Vertex, Vertex) -> bool + Sync)) -> (Present, FxHashSet<usize>) {
    let mut keys: Vec<(u64, u32)> = edges.par_iter().enumerate().map(|(e, &edge)| (key(edge), e as u32)).collect();
    keys.par_sort_unstable();
    let mut bad = FxHashSet::default();
    let mut base = Vec::with_capacity(keys.len());
    for &(k, e) in &keys {
        let (u, v) = edges[e as usize];
        if u == v || !allowed(u, v) || base.last() == Some(&k) {
            bad.insert(e as usize);
        } else {
            base.push(k);
        }
    }
    (Present { base, gone: FxHashSet::default(), new: FxHashSet::default() }, bad)
}

/// The set of edges: those of the start, sorted, and what has changed since. 8 bytes an edge.
struct Present {
    base: Vec<u64>,
    gone: FxHashSet<u64>,
    new: FxHashSet<u64>,
}

impl Present {
    fn contains(&self, k: u64) -> bool {
        self.new.contains(&k) || (self.base.binary_search(&k).is_ok() && !self.gone.contains(&k))
    }

    fn insert(&mut self, k: u64) {
        if !self.gone.remove(&k) {
            self.new.insert(k);
        }
    }

    fn remove(&mut self, k: u64) {
        if !self.new.remove(&k) {
            self.gone.insert(k);
        }
    }
}

/// Tries to repair bad edge `e` by a switch with one random good edge.
fn switch(
    edges: &mut [(Vertex, Vertex)],
    e: usize,
    bad: &FxHashSet<usize>,
    present: &mut Present,
    allowed: &impl Fn(Vertex, Vertex) -> bool,
    stream: &mut Stream,
) -> bool {
    let draw = stream.below(2 * edges.len() as u64);
    let (other, turned) = ((draw / 2) as usize, draw % 2 == 1);
    if bad.contains(&other) {
        return false;
    }
    let (u, v) = edges[e];
    let (x, y) = if turned { (edges[other].1, edges[other].0) } else { edges[other] };
    let (first, second) = ((u, x), (v, y));
    let fits = |(a, b): (Vertex, Vertex)| a != b && allowed(a, b) && !present.contains(key((a, b)));
    if !fits(first) || !fits(second) || key(first) == key(second) {
        return false;
    }
    present.remove(key((x, y)));
    present.insert(key(first));
    present.insert(key(second));
    (edges[e], edges[other]) = (first, second);
    true
}
