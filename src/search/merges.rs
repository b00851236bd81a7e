//! Exactly k clusters: merging the pair that costs least, again and again.
//!
//! Merging `a` and `b` changes the cut by `r_ab − r_a − r_b`, where `r = cut/M`; minus that is the
//! price of the pair. A heap holds the dearest pair of each cluster as it was when the cluster last
//! changed. Every pair is covered by the promise of whichever of the two changed last, so nothing
//! is dearer than the first pair of the heap that still holds; for one that does not, its cluster
//! looks again. Links of merged clusters are added in hash maps, smaller into larger, and the new
//! cluster looks at its neighbours once: O(A log A) for A arcs between clusters, and O(k²) for k
//! clusters at the worst, when one of them is everybody's neighbour.
//!
//! That is too much for very many clusters, such as all vertices alone: far from `k`, all clusters
//! join their dearest neighbours at once, the dearest pairs first, until half are left. O(A + k log
//! k) a round.
//!
//! When no two clusters are adjacent (there are fewer clusters wanted than components), the two
//! with the least mass are united.

use super::moves::{Active, Kind, Rules, local_moves};
use super::state::{Account, Level, State};
use crate::graph::{Weight, components_within};
use crate::ids::{Cluster, NONE};
use crate::run::Observer;
use rayon::prelude::*;
use rustc_hash::FxHashMap;
use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// Clusters for one that is wanted, and at the least, beyond which whole rounds of merges come
/// first.
const FAR: (usize, usize) = (4, 4096);

/// Merges clusters until `k` are left; whether unconnected ones had to be united.
pub fn merge_down_to<W: Weight>(level: &Level<'_, W>, state: &mut State, k: usize) -> bool {
    if state.clusters() <= k {
        return false;
    }
    let (mut labels, mut count) = state.numbered();
    let mut coarse = level.contract(&labels, count);
    let near = (FAR.0 * k).max(FAR.1);
    while count > near {
        let (joined, left) = halved(&coarse.level(), near);
        if left == count {
            break;
        }
        relabel(&mut labels, &joined);
        count = left;
        coarse = level.contract(&labels, count);
    }
    let mut merger = Merger::new(&coarse.level());
    let mut united = false;
    while merger.alive > k {
        united |= !merger.merge_best_pair();
    }
    let roots: Vec<Cluster> = (0..count as Cluster)
        .map(|c| root(&merger.parent, c))
        .collect();
    relabel(&mut labels, &roots);
    let k = crate::labels::renumber(&mut labels);
    *state = State::new(level, labels, k);
    united
}

fn relabel(labels: &mut [Cluster], new: &[Cluster]) {
    labels
        .iter_mut()
        .filter(|c| **c != NONE)
        .for_each(|c| *c = new[*c as usize]);
}

fn root(parent: &[Cluster], mut c: Cluster) -> Cluster {
    while parent[c as usize] != c {
        c = parent[c as usize];
    }
    c
}

/// Joins the vertices of a contracted level to their dearest neighbours, the dearest pairs first,
/// until half of them or `least` are left.
fn halved<W: Weight>(level: &Level<'_, W>, least: usize) -> (Vec<Cluster>, usize) {
    let accounts = State::singletons(level).accounts;
    let dearest = |a: usize| {
        let others = level.rows.row(a).filter(move |&(b, _)| b as usize != a);
        others
            .map(|(b, links)| Pair::new(a as Cluster, b, links, &accounts))
            .max()
    };
    let mut pairs: Vec<Pair> = (0..level.vertices())
        .into_par_iter()
        .filter_map(dearest)
        .collect();
    pairs.par_sort_unstable_by(|p, q| q.cmp(p));
    let mut parent: Vec<Cluster> = (0..level.vertices() as Cluster).collect();
    let mut left = parent.len();
    let enough = least.max(left / 2);
    for Pair {
        clusters: (a, b), ..
    } in pairs
    {
        if left == enough {
            break;
        }
        let (a, b) = (shortened(&mut parent, a), shortened(&mut parent, b));
        parent[a.max(b) as usize] = a.min(b);
        left -= usize::from(a != b);
    }
    let mut labels: Vec<Cluster> = (0..parent.len() as Cluster)
        .map(|c| root(&parent, c))
        .collect();
    let left = crate::labels::renumber(&mut labels);
    (labels, left)
}

/// The root, with the way to it halved.
fn shortened(parent: &mut [Cluster], mut c: Cluster) -> Cluster {
    while parent[c as usize] != c {
        parent[c as usize] = parent[parent[c as usize] as usize];
        c = parent[c as usize];
    }
    c
}

/// Splits clusters into connected parts, then merges down to `k` again; whether unconnected ones
/// had to be united.
pub fn connect_and_merge_down_to<W: Weight>(
    level: &Level<'_, W>,
    state: &mut State,
    k: usize,
) -> bool {
    let parts = components_within(
        level.graph,
        |_| true,
        |i, j| state.labels[i as usize] == state.labels[j as usize],
    );
    if parts.count > state.clusters() {
        *state = State::new(level, parts.labels, parts.count);
    }
    merge_down_to(level, state, k)
}

/// Moves single vertices between clusters without opening or closing any.
pub fn move_keeping_count<W: Weight>(
    level: &Level<'_, W>,
    state: &mut State,
    rounds: usize,
    observer: &dyn Observer,
) {
    let rules = Rules {
        beta: 0.0,
        rounds,
        kind: Kind::Keep,
    };
    local_moves(
        level,
        state,
        Active::all(level.vertices()),
        &rules,
        observer,
    );
}

/// A pair of clusters that may merge, dearest to keep apart first.
#[derive(Debug, Clone, Copy)]
struct Pair {
    price: f64,
    clusters: (Cluster, Cluster),
}

impl Pair {
    fn new(a: Cluster, b: Cluster, links: f64, accounts: &[Account]) -> Self {
        let (mine, other) = (accounts[a as usize], accounts[b as usize]);
        let price = mine.ratio() + other.ratio() - mine.with(other, links).ratio();
        Self {
            price,
            clusters: (a.min(b), a.max(b)),
        }
    }
}

// By the total order of numbers: a pair whose price is not a number still equals itself.
impl PartialEq for Pair {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Pair {}

impl Ord for Pair {
    fn cmp(&self, other: &Self) -> Ordering {
        self.price
            .total_cmp(&other.price)
            .then_with(|| other.clusters.cmp(&self.clusters))
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
    parent: Vec<Cluster>,
    /// The pair of each cluster that is on the heap: its dearest when it last looked.
    promised: Vec<Option<Pair>>,
    /// Pairs with the cluster that they are promised to.
    heap: BinaryHeap<(Pair, Cluster)>,
    alive: usize,
}

impl Merger {
    fn new<W: Weight>(level: &Level<'_, W>) -> Self {
        let k = level.vertices();
        // Contraction adds the weights from a to b and those from b to a in different orders, so
        // the two sums may differ in their last digit. One of them serves both clusters: a pair
        // has the same price from either side, or a promise would never hold.
        let mut links = vec![FxHashMap::default(); k];
        for a in 0..k {
            for (b, weight) in level.rows.row(a).filter(|&(b, _)| b as usize > a) {
                links[a].insert(b, weight);
                links[b as usize].insert(a as Cluster, weight);
            }
        }
        let mut merger = Self {
            accounts: State::singletons(level).accounts,
            links,
            parent: (0..k as Cluster).collect(),
            promised: vec![None; k],
            heap: BinaryHeap::new(),
            alive: k,
        };
        (0..k as Cluster).for_each(|a| merger.promise_dearest(a));
        merger
    }

    fn pair(&self, a: Cluster, b: Cluster) -> Option<Pair> {
        self.links[a as usize]
            .get(&b)
            .map(|&links| Pair::new(a, b, links, &self.accounts))
    }

    /// Puts the dearest pair of `a` on the heap.
    fn promise_dearest(&mut self, a: Cluster) {
        let pairs = self.links[a as usize]
            .iter()
            .map(|(&b, &links)| Pair::new(a, b, links, &self.accounts));
        let dearest = pairs.max();
        self.promised[a as usize] = dearest;
        self.heap.extend(dearest.map(|pair| (pair, a)));
    }

    /// Merges the adjacent pair of the highest price; if there is none, unites the two lightest
    /// clusters and says false.
    fn merge_best_pair(&mut self) -> bool {
        while let Some((pair, owner)) = self.heap.pop() {
            if self.promised[owner as usize] != Some(pair) {
                continue;
            }
            let (a, b) = pair.clusters;
            if self.pair(a, b) == Some(pair) {
                self.merge(a, b);
                return true;
            }
            self.promise_dearest(owner);
        }
        let mut alive: Vec<Cluster> = (0..self.parent.len() as Cluster)
            .filter(|&c| self.parent[c as usize] == c)
            .collect();
        alive.sort_by(|&a, &b| {
            self.accounts[a as usize]
                .mass
                .total_cmp(&self.accounts[b as usize].mass)
                .then(a.cmp(&b))
        });
        self.merge(alive[0], alive[1]);
        false
    }

    fn merge(&mut self, a: Cluster, b: Cluster) {
        let (into, from) = if self.links[a as usize].len() >= self.links[b as usize].len() {
            (a, b)
        } else {
            (b, a)
        };
        let moved = std::mem::take(&mut self.links[from as usize]);
        let shared = moved.get(&into).copied().unwrap_or(0.0);
        for (c, weight) in moved.into_iter().filter(|&(c, _)| c != into) {
            self.links[c as usize].remove(&from);
            *self.links[c as usize].entry(into).or_insert(0.0) += weight;
            *self.links[into as usize].entry(c).or_insert(0.0) += weight;
        }
        self.links[into as usize].remove(&from);
        self.accounts[into as usize] =
            self.accounts[into as usize].with(self.accounts[from as usize], shared);
        self.parent[from as usize] = into;
        self.promised[from as usize] = None;
        self.alive -= 1;
        self.promise_dearest(into);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cut::Cut;
    use crate::graph::{Csr, Unit};
    use crate::labels::renumber;

    /// Two circles with chords, and a hub that everything in the first is tied to.
    fn graph() -> Csr<f64> {
        let weight = |i: u32| 1.0 + f64::from(i * i % 17).sqrt();
        let circle =
            |from: u32, n: u32| (0..n).map(move |i| (from + i, from + (i + 1) % n, weight(i)));
        let chords = |from: u32, n: u32| {
            (0..n / 3).map(move |i| (from + i, from + (5 * i + 9) % n, weight(i + 3)))
        };
        let hub = (0..40).map(|i| (40, i, weight(i + 7) / 8.0));
        let edges: Vec<_> = circle(0, 40)
            .chain(chords(0, 40))
            .chain(circle(41, 25))
            .chain(chords(41, 25))
            .chain(hub)
            .collect();
        Csr::from_edges(66, &edges).expect("valid edges")
    }

    fn value_of(level: &Level<'_, f64>, labels: &[Cluster]) -> f64 {
        let mut labels = labels.to_vec();
        let k = renumber(&mut labels);
        State::new(level, labels, k).cut()
    }

    /// The least cut after one merge of two clusters that share an edge.
    fn best_merge(level: &Level<'_, f64>, labels: &[Cluster]) -> f64 {
        let merged = |a: Cluster, b: Cluster| {
            labels
                .iter()
                .map(|&c| if c == b { a } else { c })
                .collect::<Vec<_>>()
        };
        let apart = |i: usize| {
            level
                .rows
                .row(i)
                .map(move |(j, _)| (labels[i], labels[j as usize]))
                .filter(|(a, b)| a != b)
        };
        let cuts = (0..level.vertices())
            .flat_map(apart)
            .map(|(a, b)| value_of(level, &merged(a, b)));
        cuts.fold(f64::INFINITY, f64::min)
    }

    #[test]
    fn merging_ends_with_weights_that_round() {
        // Tenths, whose sums depend on the order in which they are added.
        let n = 300u32;
        let edge =
            |i: u32, step: u32| (i, (i * step + 7) % n, f64::from(1 + (i * step) % 9) / 10.0);
        let edges: Vec<_> = [3, 7, 11, 13]
            .into_iter()
            .flat_map(|step| (0..n).map(move |i| edge(i, step)))
            .filter(|&(i, j, _)| i != j)
            .collect();
        let graph: Csr<f64> = Csr::from_edges(n as usize, &edges).expect("valid edges");
        let level = Level::new(&graph, &Cut::Normalized);
        for groups in [60, 30, 20] {
            let labels: Vec<Cluster> = (0..n).map(|i| i % groups).collect();
            let mut state = State::new(&level, labels, groups as usize);
            merge_down_to(&level, &mut state, 2);
            assert_eq!(state.clusters(), 2);
        }
    }

    #[test]
    fn every_merge_is_the_best_one() {
        let graph = graph();
        for cut in [Cut::Normalized, Cut::Ratio] {
            let level = Level::new(&graph, &cut);
            let mut merger = Merger::new(&level);
            let labels =
                |merger: &Merger| (0..66).map(|c| root(&merger.parent, c)).collect::<Vec<_>>();
            while merger.alive > 2 {
                let best = best_merge(&level, &labels(&merger));
                assert!(merger.merge_best_pair());
                let found = value_of(&level, &labels(&merger));
                assert!(
                    (found - best).abs() <= 1e-9 * best.max(1.0),
                    "{} left: {found}, best {best}",
                    merger.alive
                );
            }
            assert!(
                !merger.merge_best_pair(),
                "the two circles are not adjacent"
            );
            assert_eq!(merger.alive, 1);
        }
    }

    #[test]
    fn rounds_of_merges_join_neighbours_and_stop_where_they_should() {
        // A path of 9,000, a star of as many, and nobody left alone.
        let n = 9000;
        let edges: Vec<_> = (1..n)
            .map(|i| (i - 1, i, 1.0))
            .chain((n + 1..2 * n).map(|i| (n, i, 1.0)))
            .collect();
        let graph: Csr<Unit> = Csr::from_edges(2 * n as usize, &edges).expect("valid edges");
        let level = Level::new(&graph, &Cut::Normalized);
        let (labels, left) = halved(&level, 4096);
        assert_eq!(left, n as usize);
        let parts = crate::graph::components_within(
            &graph,
            |_| true,
            |i, j| labels[i as usize] == labels[j as usize],
        );
        assert_eq!(parts.count, left, "only neighbours are joined");
        assert_eq!(halved(&level, 17_000).1, 17_000);
        for k in [1, 2, 3, 700] {
            let mut state = State::singletons(&level);
            assert_eq!(merge_down_to(&level, &mut state, k), k == 1);
            assert_eq!(state.clusters(), k);
        }
    }
}
