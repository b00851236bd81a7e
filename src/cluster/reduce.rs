//! Exactly k clusters: merging the pair that costs least, again and again.
//!
//! Merging `a` and `b` changes the cut by `r_ab − r_a − r_b`, where `r = cut/M`. The best adjacent pair comes from a heap with
//! outdated entries skipped; links of merged clusters are added in hash maps, smaller into larger: O(A log A) for A arcs
//! between clusters. When no two clusters are adjacent (there are fewer clusters wanted than components), the two with
//! the least mass are united.

use super::moves::{Active, Kind, Rules, local_moves};
use super::state::{Account, Level, State};
use crate::graph::{Weight, components_within};
use crate::ids::{Cluster, NONE};
use crate::observe::Observer;
use rustc_hash::FxHashMap;
use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// Merges clusters until `k` are left; whether unconnected ones had to be united.
pub fn reduce<W: Weight>(level: &Level<'_, W>, state: &mut State, k: usize) -> bool {
    if state.clusters() <= k {
        return false;
    }
    let (labels, count) = state.numbered();
    let coarse = level.contract(&labels, count);
    let mut merger = Merger::new(&coarse.level());
    let mut united = false;
    while merger.alive > k {
        united |= !merger.merge_best_pair();
    }
    let root: Vec<Cluster> = (0..count as Cluster).map(|c| merger.root(c)).collect();
    let mut fine: Vec<Cluster> = labels.iter().map(|&c| if c == NONE { NONE } else { root[c as usize] }).collect();
    let k = crate::partition::renumber(&mut fine);
    *state = State::new(level, fine, k);
    united
}

/// Splits clusters into connected parts, then merges down to `k` again; whether unconnected ones had to be united.
pub fn connected<W: Weight>(level: &Level<'_, W>, state: &mut State, k: usize) -> bool {
    let parts = components_within(level.graph, |_| true, |i, j| state.labels[i as usize] == state.labels[j as usize]);
    if parts.count > state.clusters() {
        *state = State::new(level, parts.labels, parts.count);
    }
    reduce(level, state, k)
}

/// Moves single vertices between clusters without opening or closing any.
pub fn keep_count<W: Weight>(level: &Level<'_, W>, state: &mut State, rounds: usize, observer: &dyn Observer) {
    let rules = Rules { beta: 0.0, rounds, kind: Kind::Keep };
    local_moves(level, state, Active::all(level.vertices()), &rules, observer);
}

/// A pair of clusters that may merge, dearest to keep apart first.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Pair {
    price: f64,
    clusters: (Cluster, Cluster),
    versions: (u32, u32),
}

impl Eq for Pair {}

impl Ord for Pair {
    fn cmp(&self, other: &Self) -> Ordering {
        self.price.total_cmp(&other.price).then_with(|| other.clusters.cmp(&self.clusters))
    }
}

impl PartialOrd for Pair {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

struct Merger {
    accounts: Vec<Account>,
    links: Vec<FxHashMap<Cluster, f64>>,
    versions: Vec<u32>,
    parent: Vec<Cluster>,
    heap: BinaryHeap<Pair>,
    alive: usize,
}

impl Merger {
    fn new<W: Weight>(level: &Level<'_, W>) -> Self {
        let k = level.vertices();
        let state = State::singletons(level);
        let others = |i: usize| level.rows.row(i).filter(move |&(j, _)| j as usize != i).collect();
        let mut merger = Self {
            accounts: state.accounts,
            links: (0..k).map(others).collect(),
            versions: vec![0; k],
            parent: (0..k as Cluster).collect(),
            heap: BinaryHeap::new(),
            alive: k,
        };
        for a in 0..k as Cluster {
            merger.offer(a, |b| a < b);
        }
        merger
    }

    /// Puts the pairs of `a` with its neighbours on the heap.
    fn offer(&mut self, a: Cluster, wanted: impl Fn(Cluster) -> bool) {
        let mine = self.accounts[a as usize];
        for (&b, &links) in self.links[a as usize].iter().filter(|&(&b, _)| wanted(b)) {
            let other = self.accounts[b as usize];
            let price = mine.ratio() + other.ratio() - mine.with(other, links).ratio();
            let clusters = (a.min(b), a.max(b));
            let versions = (self.versions[clusters.0 as usize], self.versions[clusters.1 as usize]);
            self.heap.push(Pair { price, clusters, versions });
        }
    }

    /// Merges the adjacent pair of the highest price; if there is none, unites the two lightest clusters and says false.
    fn merge_best_pair(&mut self) -> bool {
        while let Some(Pair { clusters: (a, b), versions, .. }) = self.heap.pop() {
            if versions == (self.versions[a as usize], self.versions[b as usize]) {
                self.merge(a, b);
                return true;
            }
        }
        let mut alive: Vec<Cluster> = (0..self.parent.len() as Cluster).filter(|&c| self.parent[c as usize] == c).collect();
        alive.sort_by(|&a, &b| self.accounts[a as usize].mass.total_cmp(&self.accounts[b as usize].mass).then(a.cmp(&b)));
        self.merge(alive[0], alive[1]);
        false
    }

    fn merge(&mut self, a: Cluster, b: Cluster) {
        let (into, from) = if self.links[a as usize].len() >= self.links[b as usize].len() { (a, b) } else { (b, a) };
        let moved = std::mem::take(&mut self.links[from as usize]);
        let shared = moved.get(&into).copied().unwrap_or(0.0);
        for (c, weight) in moved.into_iter().filter(|&(c, _)| c != into) {
            self.links[c as usize].remove(&from);
            *self.links[c as usize].entry(into).or_insert(0.0) += weight;
            *self.links[into as usize].entry(c).or_insert(0.0) += weight;
        }
        self.links[into as usize].remove(&from);
        self.accounts[into as usize] = self.accounts[into as usize].with(self.accounts[from as usize], shared);
        self.versions[into as usize] += 1;
        self.versions[from as usize] = u32::MAX;
        self.parent[from as usize] = into;
        self.alive -= 1;
        self.offer(into, |_| true);
    }

    fn root(&self, mut c: Cluster) -> Cluster {
        while self.parent[c as usize] != c {
            c = self.parent[c as usize];
        }
        c
    }
}
