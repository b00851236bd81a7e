//! Exact moves: local search on `F = Σ_c (cut_c / M_c − β)` one vertex at a time.
//!
//! A cluster is three sums ([`Account`]): `M_c`, `D_c`, `w_c`, and costs `f(c) = (D_c − w_c)/M_c − β`, `f(∅) = 0`. Taking
//! vertex `i` (mass `m`, degree `d`, loop `s = A_ii`, links `l_ic = Σ_{j∈c, j≠i} A_ij`) out of `a` and into `b` gives
//!
//! ```text
//! a: M − m, D − d, w − 2·l_ia − s        b: M + m, D + d, w + 2·l_ib + s
//! ```
//!
//! and changes only `f(a)` and `f(b)`: exact, O(deg i), no shift σ. As long as no cluster opens or closes, β cancels.
//!
//! **Order and threads.** Active vertices are visited in rounds, ascending, in blocks of [`BLOCK`]. For a block the best
//! moves are found in parallel against the state at its start; then they are applied in vertex order, each only if its
//! exact change against the *current* state is negative. The result depends on the block size, never on the threads. A
//! move makes the neighbours of the vertex active for the next round; a refused proposal stays active.
//!
//! Invariant: the sums in [`State`] equal [`Sums::of`](crate::partition::Sums::of) the labels, and F falls with every move. Cost
//! O(Σ deg) over visited vertices; memory 4 bytes a vertex for labels, 1 for activity, 24 a cluster, 12 a cluster and
//! thread for the accumulators.

use crate::graph::{Graph, Rows, Weight};
use crate::ids::{Cluster, NONE, Vertex};
use crate::observe::Observer;
use crate::partition::Masses;
use rayon::prelude::*;

/// Vertices whose moves are proposed together.
const BLOCK: usize = 1 << 11;

/// A change must be better than rounding to count.
const EPSILON: f64 = 1e-12;

/// The three sums of one cluster.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Account {
    /// `M_c`.
    pub mass: f64,
    /// `D_c`.
    pub degree: f64,
    /// `w_c`.
    pub inside: f64,
}

impl Account {
    /// `cut_c / M_c`.
    #[inline]
    pub fn ratio(self) -> f64 {
        (self.degree - self.inside) / self.mass
    }

    /// The account of a cluster and a vertex (or cluster) joined by `links`.
    #[inline]
    pub fn with(self, other: Self, links: f64) -> Self {
        Self {
            mass: self.mass + other.mass,
            degree: self.degree + other.degree,
            inside: self.inside + other.inside + 2.0 * links,
        }
    }

    /// The account that is left when `other`, with `links` to the rest, leaves.
    #[inline]
    pub fn without(self, other: Self, links: f64) -> Self {
        Self {
            mass: self.mass - other.mass,
            degree: self.degree - other.degree,
            inside: self.inside - other.inside - 2.0 * links,
        }
    }
}

/// A partition under local search: labels, accounts and sizes, always consistent.
#[derive(Debug, Clone)]
pub struct State {
    /// The cluster of each vertex; [`NONE`] for one that takes no part.
    pub labels: Vec<Cluster>,
    accounts: Vec<Account>,
    sizes: Vec<u32>,
    free: Vec<Cluster>,
}

/// What local search may do.
#[derive(Debug, Clone, Copy)]
pub struct Rules<'a> {
    /// β.
    pub beta: f64,
    /// At most this many rounds.
    pub rounds: usize,
    /// If given, vertices join only clusters of vertices of their own group.
    pub groups: Option<&'a [Cluster]>,
    /// Whether a vertex may open a cluster of its own.
    pub singletons: bool,
    /// x
    pub constructive: u8,
}

#[derive(Debug, Clone, Copy)]
struct Proposal {
    vertex: Vertex,
    to: Cluster,
}

/// Links of one vertex to the clusters around it.
struct Links {
    sum: Vec<f64>,
    touched: Vec<Cluster>,
    own_loop: f64,
}

impl Links {
    fn new(clusters: usize) -> Self {
        Self { sum: vec![0.0; clusters], touched: Vec::new(), own_loop: 0.0 }
    }

    #[inline]
    fn gather<W: Weight>(&mut self, rows: &Rows<'_, W>, labels: &[Cluster], groups: Option<&[Cluster]>, i: usize) {
        self.own_loop = 0.0;
        for (j, weight) in rows.row(i) {
            let j = j as usize;
            if j == i {
                self.own_loop = weight;
                continue;
            }
            if groups.is_some_and(|g| g[i] != g[j]) {
                continue;
            }
            let c = labels[j];
            let slot = &mut self.sum[c as usize];
            if *slot == 0.0 {
                self.touched.push(c);
            }
            *slot += weight;
        }
    }

    #[inline]
    fn clear(&mut self) {
        for &c in &self.touched {
            self.sum[c as usize] = 0.0;
        }
        self.touched.clear();
    }
}

impl State {
    /// The state of given labels, each in `0..k` or [`NONE`]. O(arcs).
    pub fn new<W: Weight>(graph: &Graph<W>, masses: &Masses, labels: Vec<Cluster>, k: usize) -> Self {
        let sums = crate::partition::Sums::of(graph, masses, &labels, k);
        let accounts = (0..k).map(|c| Account { mass: sums.mass[c], degree: sums.degree[c], inside: sums.inside[c] }).collect();
        let mut sizes = vec![0; k];
        for &c in labels.iter().filter(|&&c| c != NONE) {
            sizes[c as usize] += 1;
        }
        let free = (0..k as Cluster).rev().filter(|&c| sizes[c as usize] == 0).collect();
        Self { labels, accounts, sizes, free }
    }

    /// Every vertex with an edge in a cluster of its own.
    pub fn singletons<W: Weight>(graph: &Graph<W>, masses: &Masses) -> Self {
        let n = graph.vertices();
        let rows = graph.rows();
        let account = |i: usize| Account {
            mass: masses.get(graph, i),
            degree: graph.degree(i),
            inside: rows.row(i).find(|&(j, _)| j as usize == i).map_or(0.0, |(_, w)| w),
        };
        let labels: Vec<Cluster> = (0..n).map(|i| if graph.degree(i) > 0.0 { i as Cluster } else { NONE }).collect();
        let sizes: Vec<u32> = labels.iter().map(|&c| u32::from(c != NONE)).collect();
        let free = (0..n as Cluster).rev().filter(|&c| sizes[c as usize] == 0).collect();
        Self { labels, accounts: (0..n).into_par_iter().map(account).collect(), sizes, free }
    }

    /// x
    pub fn reserve(&mut self, k: usize) {
        let have = self.sizes.len();
        if k > have {
            self.sizes.resize(k, 0);
            self.accounts.resize(k, Account::default());
            let mut more: Vec<Cluster> = (have as Cluster..k as Cluster).rev().collect();
            more.extend_from_slice(&self.free);
            self.free = more;
        }
    }

    /// The number of clusters.
    pub fn clusters(&self) -> usize {
        self.sizes.len() - self.free.len()
    }

    /// `Σ_c cut_c / M_c`.
    pub fn cut(&self) -> f64 {
        let used = self.accounts.iter().zip(&self.sizes).filter(|&(_, &size)| size > 0);
        crate::numeric::compensated(used.map(|(account, _)| account.ratio()))
    }

    /// The account of cluster `c`.
    pub fn account(&self, c: Cluster) -> Account {
        self.accounts[c as usize]
    }

    /// The change of F when `i` leaves its cluster for `to`, or for a new one if `to` is empty.
    fn change(&self, vertex: Account, from: Cluster, to: Cluster, links: (f64, f64), beta: f64) -> f64 {
        let a = self.accounts[from as usize];
        let leave =
            if self.sizes[from as usize] == 1 { beta - a.ratio() } else { a.without(vertex, links.0).ratio() - a.ratio() };
        let b = self.accounts[to as usize];
        let join = if self.sizes[to as usize] == 0 { vertex.ratio() - beta } else { b.with(vertex, links.1).ratio() - b.ratio() };
        leave + join
    }

    fn shift(&mut self, i: usize, vertex: Account, to: Cluster, links: (f64, f64)) {
        let from = self.labels[i];
        self.sizes[from as usize] -= 1;
        if self.sizes[from as usize] == 0 {
            self.accounts[from as usize] = Account::default();
            self.free.push(from);
        } else {
            self.accounts[from as usize] = self.accounts[from as usize].without(vertex, links.0);
        }
        if self.sizes[to as usize] == 0 {
            self.free.pop();
            self.accounts[to as usize] = vertex;
        } else {
            self.accounts[to as usize] = self.accounts[to as usize].with(vertex, links.1);
        }
        self.sizes[to as usize] += 1;
        self.labels[i] = to;
    }

    /// The best move of `i` against the current state, if any lowers F.
    fn propose<W: Weight>(&self, level: &Level<'_, W>, rules: &Rules<'_>, i: usize, links: &mut Links) -> Option<Proposal> {
        let from = self.labels[i];
        links.gather(&level.rows, &self.labels, rules.groups, i);
        let vertex = level.vertex(i, links.own_loop);
        let own = links.sum[from as usize];
        let a = self.accounts[from as usize];
        let alone = self.sizes[from as usize] == 1;
        let leave = if alone { rules.beta - a.ratio() } else { a.without(vertex, own).ratio() - a.ratio() };
        let (mut best, mut to) = (f64::INFINITY, NONE);
        let affinity = rules.constructive == 3;
        for &c in links.touched.iter().filter(|&&c| c != from) {
            let b = self.accounts[c as usize];
            let join = b.with(vertex, links.sum[c as usize]).ratio() - b.ratio();
            if join > 0.0 && (rules.constructive == 2 || rules.constructive == 1 && alone) {
                continue;
            }
            let join = if rules.constructive == 3 && join > 0.0 { join * (b.mass + vertex.mass) } else { join };
            if join < best || (join == best && c < to) {
                (best, to) = (join, c);
            }
        }
        if rules.singletons && !alone && !(affinity && to != NONE) && vertex.ratio() - rules.beta < best {
            (best, to) = (vertex.ratio() - rules.beta, NONE);
        }
        if affinity && best > 0.0 && to != NONE {
            let b = self.accounts[to as usize];
            best = b.with(vertex, links.sum[to as usize]).ratio() - b.ratio();
        }
        links.clear();
        (leave + best < -EPSILON).then_some(Proposal { vertex: i as Vertex, to })
    }

    /// Applies a proposal if it still lowers F; the change, if so.
    fn apply<W: Weight>(&mut self, level: &Level<'_, W>, rules: &Rules<'_>, proposal: Proposal) -> Option<f64> {
        let (i, from) = (proposal.vertex as usize, self.labels[proposal.vertex as usize]);
        let fresh = proposal.to == NONE;
        let to = if fresh { *self.free.last()? } else { proposal.to };
        if !fresh && (self.sizes[to as usize] == 0 || to == from) {
            return None;
        }
        let (mut own_loop, mut links) = (0.0, (0.0, 0.0));
        for (j, weight) in level.rows.row(i) {
            if j as usize == i {
                own_loop = weight;
            } else if self.labels[j as usize] == from {
                links.0 += weight;
            } else if self.labels[j as usize] == to {
                links.1 += weight;
            }
        }
        let vertex = level.vertex(i, own_loop);
        let change = self.change(vertex, from, to, links, rules.beta);
        let b = self.accounts[to as usize];
        let builds = fresh || b.with(vertex, links.1).ratio() <= b.ratio();
        let free = rules.constructive == 0 || rules.constructive == 3 || rules.constructive == 1 && self.sizes[from as usize] > 1;
        let allowed = change < -EPSILON && (fresh || links.1 > 0.0) && (builds || free);
        allowed.then(|| {
            self.shift(i, vertex, to, links);
            change
        })
    }
}

/// A graph with its masses, as local search sees it.
#[derive(Debug, Clone, Copy)]
pub struct Level<'a, W: Weight> {
    graph: &'a Graph<W>,
    rows: Rows<'a, W>,
    masses: &'a Masses,
}

impl<'a, W: Weight> Level<'a, W> {
    /// Borrows a graph and its masses.
    pub fn new(graph: &'a Graph<W>, masses: &'a Masses) -> Self {
        Self { graph, rows: graph.rows(), masses }
    }

    #[inline]
    fn vertex(&self, i: usize, own_loop: f64) -> Account {
        Account { mass: self.masses.get(self.graph, i), degree: self.graph.degree(i), inside: own_loop }
    }
}

/// What local search did.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Outcome {
    /// Moves made.
    pub moves: usize,
    /// The total change of F, never positive.
    pub change: f64,
    /// Whether nothing is left to visit.
    pub settled: bool,
}

/// The vertices still to visit.
#[derive(Debug, Clone)]
pub struct Active {
    flags: Vec<bool>,
    list: Vec<Vertex>,
}

impl Active {
    /// Every vertex.
    pub fn all(n: usize) -> Self {
        Self { flags: vec![true; n], list: (0..n as Vertex).collect() }
    }

    /// Nobody yet.
    pub fn none(n: usize) -> Self {
        Self { flags: vec![false; n], list: Vec::new() }
    }

    /// Adds a vertex.
    pub fn add(&mut self, i: Vertex) {
        if !std::mem::replace(&mut self.flags[i as usize], true) {
            self.list.push(i);
        }
    }

    /// Takes everything added so far, ascending.
    fn take(&mut self) -> Vec<Vertex> {
        let mut list = std::mem::take(&mut self.list);
        list.par_sort_unstable();
        for &i in &list {
            self.flags[i as usize] = false;
        }
        list
    }
}

/// Visits the active vertices, and those that moves make active, until none is left or the rounds are used up.
pub fn local_moves<W: Weight>(
    level: &Level<'_, W>,
    state: &mut State,
    active: &mut Active,
    rules: &Rules<'_>,
    observer: &dyn Observer,
) -> Outcome {
    let mut outcome = Outcome::default();
    let scratch = Scratch::new(state.sizes.len());
    for _ in 0..rules.rounds {
        if active.list.is_empty() || observer.cancelled() {
            break;
        }
        for block in active.take().chunks(BLOCK) {
            let proposals = scratch.propose(level, state, rules, block);
            for proposal in proposals {
                match state.apply(level, rules, proposal) {
                    Some(change) => {
                        outcome.moves += 1;
                        outcome.change += change;
                        let to = state.labels[proposal.vertex as usize];
                        for &j in level.rows.targets(proposal.vertex as usize) {
                            if state.labels[j as usize] != to {
                                active.add(j);
                            }
                        }
                    }
                    None => active.add(proposal.vertex),
                }
            }
        }
    }
    outcome.settled = active.list.is_empty();
    outcome
}

/// One accumulator a thread, made once.
struct Scratch(Vec<std::sync::Mutex<Links>>);

impl Scratch {
    fn new(clusters: usize) -> Self {
        Self((0..rayon::current_num_threads()).map(|_| std::sync::Mutex::new(Links::new(clusters))).collect())
    }

    fn propose<W: Weight>(&self, level: &Level<'_, W>, state: &State, rules: &Rules<'_>, block: &[Vertex]) -> Vec<Proposal> {
        let of = |part: &[Vertex], links: &mut Links| -> Vec<Proposal> {
            part.iter()
                .filter(|&&i| state.labels[i as usize] != NONE)
                .filter_map(|&i| state.propose(level, rules, i as usize, links))
                .collect()
        };
        if self.0.len() == 1 || block.len() < 256 {
            return of(block, &mut self.0[0].lock().expect("no panic while held"));
        }
        let share = block.len().div_ceil(self.0.len());
        let parts: Vec<Vec<Proposal>> = block
            .par_chunks(share)
            .zip(&self.0)
            .map(|(part, links)| of(part, &mut links.lock().expect("no panic while held")))
            .collect();
        parts.concat()
    }
}

/// x
pub fn dissolve_all<W: Weight>(
    level: &Level<'_, W>,
    state: &mut State,
    beta: f64,
    above: f64,
    affinity: bool,
    most: usize,
) -> (usize, usize, f64) {
    let k = state.sizes.len();
    let members = crate::graph::Members::of(&state.labels, k);
    let mut order: Vec<Cluster> = (0..k as Cluster)
        .filter(|&c| {
            state.sizes[c as usize] > 0 && (state.sizes[c as usize] as usize) < most && state.accounts[c as usize].ratio() > above
        })
        .collect();
    order.sort_by(|&a, &b| state.accounts[b as usize].ratio().total_cmp(&state.accounts[a as usize].ratio()));
    let mut links = Links::new(k);
    let (mut done, mut total) = (0, 0.0);
    let tried = order.len();
    for c in order {
        let mine: Vec<Vertex> = members.members(c as usize).iter().copied().filter(|&i| state.labels[i as usize] == c).collect();
        if mine.len() != state.sizes[c as usize] as usize {
            continue;
        }
        let mut saved: Vec<(Cluster, Account, u32)> = vec![(c, state.accounts[c as usize], state.sizes[c as usize])];
        let (mut queue, mut change) = (std::collections::VecDeque::from(mine.clone()), 0.0);
        let mut stuck = 0;
        while let Some(i) = queue.pop_front() {
            let i = i as usize;
            links.gather(&level.rows, &state.labels, None, i);
            let vertex = level.vertex(i, links.own_loop);
            let (mut best, mut to) = (f64::INFINITY, NONE);
            for &t in links.touched.iter().filter(|&&t| t != c) {
                let b = state.accounts[t as usize];
                let mut join = b.with(vertex, links.sum[t as usize]).ratio() - b.ratio();
                if affinity && join > 0.0 {
                    join *= b.mass + vertex.mass;
                }
                if join < best || (join == best && t < to) {
                    (best, to) = (join, t);
                }
            }
            if to == NONE {
                links.clear();
                stuck += 1;
                if stuck > queue.len() {
                    stuck = usize::MAX;
                    break;
                }
                queue.push_back(i as Vertex);
                continue;
            }
            stuck = 0;
            let l = (links.sum[c as usize], links.sum[to as usize]);
            links.clear();
            if !saved.iter().any(|s| s.0 == to) {
                saved.push((to, state.accounts[to as usize], state.sizes[to as usize]));
            }
            change += state.change(vertex, c, to, l, beta);
            state.shift(i, vertex, to, l);
        }
        if stuck == usize::MAX || change >= -EPSILON {
            if state.sizes[c as usize] == 0 {
                state.free.pop();
            }
            for (t, a, s) in saved {
                state.accounts[t as usize] = a;
                state.sizes[t as usize] = s;
            }
            for &i in &mine {
                state.labels[i as usize] = c;
            }
        } else {
            done += 1;
            total += change;
        }
    }
    (tried, done, total)
}
