//! Simple graphs with given degrees.
//!
//! Every vertex has as many stubs as its degree. The stubs are shuffled and joined in pairs; a pair
//! that is a loop, a repeat or not allowed is repaired by a switch with a random other edge, `{u,
//! v}, {x, y} → {u, x}, {v, y}`, which leaves all degrees as they are. What cannot be repaired is
//! given back as left-over stubs. Expected O(stubs) for sparse degrees, plus one sort.
//!
//! In a set so small and dense that switches get stuck ([`wire_within`]), the degrees are realised
//! exactly by the rule of Havel and Hakimi — join the vertex with most stubs to those with the next
//! most — and the result is mixed by random switches. Only degrees that no simple graph has leave
//! stubs over then.

use super::random::Stream;
use crate::ids::Vertex;
use crate::run::Observer;
use rayon::prelude::*;
use rustc_hash::FxHashSet;

/// Switches tried for one bad pair in one round.
const TRIES: usize = 200;
/// Rounds over the bad pairs: a later switch may make room for an earlier pair.
const ROUNDS: usize = 3;
/// Switches tried for each edge to mix a graph that was built by rule.
const MIXING: usize = 10;
/// Edges looked at between two questions to the observer.
const ASKING: usize = 1 << 10;

/// Edges, and stubs that found no partner.
pub(super) struct Wired {
    pub(super) edges: Vec<(Vertex, Vertex)>,
    pub(super) left_over: Vec<Vertex>,
}

/// Joins `stubs` (a vertex as often as its degree; an odd one out is left over) where `allowed`
/// permits. What a cancelled run gives is of no use.
pub(super) fn wire(
    mut stubs: Vec<Vertex>,
    allowed: impl Fn(Vertex, Vertex) -> bool + Sync,
    stream: &mut Stream,
    observer: &dyn Observer,
) -> Wired {
    stream.shuffle(&mut stubs, observer);
    if observer.cancelled() {
        return Wired {
            edges: Vec::new(),
            left_over: stubs,
        };
    }
    let mut left_over = if stubs.len() % 2 == 1 {
        stubs.split_off(stubs.len() - 1)
    } else {
        Vec::new()
    };
    let pairs: Vec<_> = stubs
        .chunks_exact(2)
        .map(|pair| (pair[0], pair[1]))
        .collect();
    drop(stubs);
    let mut wiring = Wiring::of(pairs, &allowed);
    for _ in 0..ROUNDS {
        for (at, e) in wiring.bad_edges().into_iter().enumerate() {
            if at % ASKING == 0 && observer.cancelled() {
                break;
            }
            if (0..TRIES).any(|_| wiring.switch(e, &allowed, stream)) {
                wiring.bad.remove(&e);
            }
        }
        if wiring.bad.is_empty() || observer.cancelled() {
            break;
        }
    }
    left_over.extend(
        wiring
            .bad_edges()
            .into_iter()
            .flat_map(|e| [wiring.edges[e].0, wiring.edges[e].1]),
    );
    let good = wiring
        .edges
        .iter()
        .enumerate()
        .filter(|(e, _)| !wiring.bad.contains(e))
        .map(|(_, &edge)| edge);
    Wired {
        edges: good.collect(),
        left_over,
    }
}

/// Joins `stubs` inside one set of vertices, however dense.
pub(super) fn wire_within(
    stubs: Vec<Vertex>,
    stream: &mut Stream,
    observer: &dyn Observer,
) -> Wired {
    let wired = wire(stubs.clone(), |_, _| true, stream, observer);
    if wired.left_over.is_empty() || observer.cancelled() {
        return wired;
    }
    let Wired { edges, left_over } = by_rule(stubs);
    let mut wiring = Wiring::of(edges, &|_, _| true);
    for e in (0..wiring.edges.len()).flat_map(|e| [e; MIXING]) {
        wiring.switch(e, &|_, _| true, stream);
    }
    Wired {
        edges: wiring.edges,
        left_over,
    }
}

/// The rule of Havel and Hakimi. O(vertices² · log vertices).
fn by_rule(mut stubs: Vec<Vertex>) -> Wired {
    stubs.sort_unstable();
    let mut open: Vec<(usize, Vertex)> = stubs
        .chunk_by(|x, y| x == y)
        .map(|run| (run.len(), run[0]))
        .collect();
    let mut wired = Wired {
        edges: Vec::with_capacity(stubs.len() / 2),
        left_over: Vec::new(),
    };
    loop {
        open.retain(|&(degree, _)| degree > 0);
        open.sort_unstable();
        let Some((degree, v)) = open.pop() else {
            return wired;
        };
        let partners = degree.min(open.len());
        for (rest, partner) in open.iter_mut().rev().take(partners) {
            *rest -= 1;
            wired.edges.push((v, *partner));
        }
        wired
            .left_over
            .extend(std::iter::repeat_n(v, degree - partners));
    }
}

/// The edge as a number, the same for both directions.
fn key((u, v): (Vertex, Vertex)) -> u64 {
    u64::from(u.min(v)) << 32 | u64::from(u.max(v))
}

/// Pairs on their way to a simple graph.
struct Wiring {
    edges: Vec<(Vertex, Vertex)>,
    /// The numbers of the edges that are loops, forbidden, or repeat another edge.
    bad: FxHashSet<usize>,
    /// The others.
    present: Present,
}

impl Wiring {
    fn of(
        edges: Vec<(Vertex, Vertex)>,
        allowed: &(impl Fn(Vertex, Vertex) -> bool + Sync),
    ) -> Self {
        let mut keys: Vec<(u64, u32)> = edges
            .par_iter()
            .enumerate()
            .map(|(e, &edge)| (key(edge), e as u32))
            .collect();
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
        Self {
            edges,
            bad,
            present: Present {
                base,
                gone: FxHashSet::default(),
                new: FxHashSet::default(),
            },
        }
    }

    /// The bad edges in ascending order, so that nothing depends on the order of a hash table.
    fn bad_edges(&self) -> Vec<usize> {
        let mut bad: Vec<usize> = self.bad.iter().copied().collect();
        bad.sort_unstable();
        bad
    }

    /// Tries to switch edge `e` with one random good edge; both are good afterwards.
    fn switch(
        &mut self,
        e: usize,
        allowed: &impl Fn(Vertex, Vertex) -> bool,
        stream: &mut Stream,
    ) -> bool {
        let draw = stream.below(2 * self.edges.len() as u64);
        let (other, turned) = ((draw / 2) as usize, draw % 2 == 1);
        if other == e || self.bad.contains(&other) {
            return false;
        }
        let (u, v) = self.edges[e];
        let (x, y) = if turned {
            (self.edges[other].1, self.edges[other].0)
        } else {
            self.edges[other]
        };
        let (first, second) = ((u, x), (v, y));
        let fits = |(a, b): (Vertex, Vertex)| {
            a != b && allowed(a, b) && !self.present.contains(key((a, b)))
        };
        if !fits(first) || !fits(second) || key(first) == key(second) {
            return false;
        }
        if !self.bad.contains(&e) {
            self.present.remove(key((u, v)));
        }
        self.present.remove(key((x, y)));
        self.present.insert(key(first));
        self.present.insert(key(second));
        (self.edges[e], self.edges[other]) = (first, second);
        true
    }
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
