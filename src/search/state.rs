//! A partition under local search: labels and the three sums of every cluster, always consistent.
//!
//! A cluster costs `f(c) = (D_c − w_c)/M_c − β`, `f(∅) = 0`. Taking vertex `i` (mass `m`, degree
//! `d`, loop `s = A_ii`, links `l_ic = Σ_{j∈c, j≠i} A_ij`) out of `a` and into `b` gives
//!
//! ```text
//! a: M − m, D − d, w − 2·l_ia − s        b: M + m, D + d, w + 2·l_ib + s
//! ```
//!
//! and changes only `f(a)` and `f(b)`: exact, without the shift σ. As long as no cluster opens or
//! closes, β cancels.
//!
//! A cluster that a vertex has left may no longer be connected: it is *doubtful* until that has
//! been looked into. Joining keeps a cluster connected, because vertices join only clusters that
//! they are linked to.
//!
//! Memory: 4 bytes a vertex, 29 a cluster; room for new clusters is made when they open.

use crate::cut::Cut;
use crate::graph::{Contraction, Csr, Rows, Weight, contract};
use crate::ids::{Cluster, NONE, Vertex};
use crate::labels::compose;
use crate::numeric::compensated;
use crate::partition::Sums;
use rayon::prelude::*;

/// The three sums of one cluster, or of one vertex.
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

    /// The account of two sets joined by `links`.
    #[inline]
    #[must_use]
    pub fn with(self, other: Self, links: f64) -> Self {
        Self {
            mass: self.mass + other.mass,
            degree: self.degree + other.degree,
            inside: self.inside + other.inside + 2.0 * links,
        }
    }

    /// What is left when `other`, with `links` to the rest, leaves.
    #[inline]
    #[must_use]
    pub fn without(self, other: Self, links: f64) -> Self {
        Self {
            mass: self.mass - other.mass,
            degree: self.degree - other.degree,
            inside: self.inside - other.inside - 2.0 * links,
        }
    }

    /// The change of the cut ratio when `other`, with `links`, comes in.
    #[inline]
    pub fn join(self, other: Self, links: f64) -> f64 {
        self.with(other, links).ratio() - self.ratio()
    }
}

/// A change must be better than rounding to count, relative to the cut ratio of a vertex.
const EPSILON: f64 = 1e-12;

/// `Σ_i d_i / Σ_i m_i`: 1 for normalized cut.
fn average_ratio<W: Weight>(graph: &Csr<W>, cut: &Cut) -> f64 {
    if *cut == Cut::Normalized {
        1.0
    } else {
        graph.volume() / cut.total_mass(graph)
    }
}

/// A graph as local search sees it: with cut, and with groups that clusters may not cross.
#[derive(Debug, Clone, Copy)]
pub struct Level<'a, W: Weight> {
    /// The graph.
    pub graph: &'a Csr<W>,
    /// Its arrays.
    pub rows: Rows<'a, W>,
    /// Its masses.
    pub cut: &'a Cut,
    /// If given, vertices join only clusters of vertices of their own group.
    pub groups: Option<&'a [Cluster]>,
    /// A change of F must be better than this to count: `EPSILON` times the cut ratio of an
    /// average vertex, so that nothing depends on the unit of the weights. The same on all levels.
    pub tolerance: f64,
}

impl<'a, W: Weight> Level<'a, W> {
    /// Borrows a graph and its masses; no groups.
    pub fn new(graph: &'a Csr<W>, cut: &'a Cut) -> Self {
        Self {
            graph,
            rows: graph.rows(),
            cut,
            groups: None,
            tolerance: EPSILON * average_ratio(graph, cut),
        }
    }

    /// The number of vertices.
    pub fn vertices(&self) -> usize {
        self.graph.vertices()
    }

    /// The sums of vertex `i` alone, whose loop is known.
    #[inline]
    pub fn vertex(&self, i: usize, own_loop: f64) -> Account {
        Account {
            mass: self.cut.mass(self.graph, i),
            degree: self.graph.degree(i),
            inside: own_loop,
        }
    }

    /// Contracts `k` clusters into the vertices of a smaller problem with the same objective.
    /// O(arcs).
    pub fn contract(&self, labels: &[Cluster], k: usize) -> Coarse<W::Sum> {
        self.coarse(contract(self.graph, labels, k), labels, k)
    }

    /// The smaller problem whose graph, the contraction of the `k` clusters of `labels`, is known.
    /// O(vertices).
    pub(super) fn coarse(
        &self,
        graph: Contraction<W>,
        labels: &[Cluster],
        k: usize,
    ) -> Coarse<W::Sum> {
        let cut = self.cut.contracted(self.graph, labels, k);
        let groups = self.groups.map(|groups| {
            let mut of = vec![NONE; k];
            for (&c, &group) in labels.iter().zip(groups).filter(|&(&c, _)| c != NONE) {
                of[c as usize] = group;
            }
            of
        });
        Coarse {
            graph,
            cut,
            groups,
            tolerance: self.tolerance,
        }
    }
}

/// A contracted problem.
#[derive(Debug, Clone)]
pub struct Coarse<S: Weight> {
    /// One vertex a cluster.
    pub graph: Csr<S>,
    /// Summed masses.
    pub cut: Cut,
    /// The group of each vertex.
    pub groups: Option<Vec<Cluster>>,
    tolerance: f64,
}

impl<S: Weight> Coarse<S> {
    /// Borrows it for local search.
    pub fn level(&self) -> Level<'_, S> {
        Level {
            graph: &self.graph,
            rows: self.graph.rows(),
            cut: &self.cut,
            groups: self.groups.as_deref(),
            tolerance: self.tolerance,
        }
    }
}

/// Labels with their accounts.
#[derive(Debug, Clone)]
pub struct State {
    /// The cluster of each vertex; [`NONE`] for one without an edge.
    pub labels: Vec<Cluster>,
    pub(super) accounts: Vec<Account>,
    pub(super) sizes: Vec<u32>,
    pub(super) free: Vec<Cluster>,
    pub(super) doubtful: Vec<bool>,
}

impl State {
    /// The state of given labels, each in `0..k` or [`NONE`]. O(arcs).
    pub fn new<W: Weight>(level: &Level<'_, W>, labels: Vec<Cluster>, k: usize) -> Self {
        let sums = Sums::of(level.graph, level.cut, &labels, k);
        let account = |c: usize| Account {
            mass: sums.mass[c],
            degree: sums.degree[c],
            inside: sums.inside[c],
        };
        Self::with_accounts(labels, (0..k).map(account).collect())
    }

    /// Labels whose accounts are known; whether their clusters are connected is not.
    pub(super) fn with_accounts(labels: Vec<Cluster>, accounts: Vec<Account>) -> Self {
        let mut sizes = vec![0; accounts.len()];
        for &c in labels.iter().filter(|&&c| c != NONE) {
            sizes[c as usize] += 1;
        }
        let free = (0..sizes.len() as Cluster)
            .rev()
            .filter(|&c| sizes[c as usize] == 0)
            .collect();
        Self {
            doubtful: vec![true; sizes.len()],
            labels,
            accounts,
            sizes,
            free,
        }
    }

    /// Every vertex with an edge in a cluster of its own. O(vertices · log degree).
    pub fn singletons<W: Weight>(level: &Level<'_, W>) -> Self {
        let n = level.vertices();
        let account = |i: usize| {
            let at = level.rows.targets(i).binary_search(&(i as u32));
            level.vertex(
                i,
                at.map_or(0.0, |at| {
                    level.rows.weights[level.rows.offsets[i] as usize + at].get()
                }),
            )
        };
        let label = |i: usize| {
            if level.graph.degree(i) > 0.0 {
                i as Cluster
            } else {
                NONE
            }
        };
        let labels: Vec<Cluster> = (0..n).into_par_iter().map(label).collect();
        let sizes: Vec<u32> = labels.iter().map(|&c| u32::from(c != NONE)).collect();
        let free = (0..n as Cluster)
            .rev()
            .filter(|&c| sizes[c as usize] == 0)
            .collect();
        Self {
            labels,
            accounts: (0..n).into_par_iter().map(account).collect(),
            sizes,
            free,
            doubtful: vec![false; n],
        }
    }

    /// The state of the finer problem whose vertex `i` is part of vertex `map[i]` of `coarse`.
    /// O(vertices).
    pub fn project(map: &[Cluster], coarse: &Self) -> Self {
        Self::with_accounts(compose(map, &coarse.labels), coarse.accounts.clone())
    }

    /// The number of clusters k.
    pub fn clusters(&self) -> usize {
        self.sizes.len() - self.free.len()
    }

    /// The clusters in use, ascending.
    pub fn used(&self) -> impl Iterator<Item = Cluster> {
        (0..self.sizes.len() as Cluster).filter(|&c| self.sizes[c as usize] > 0)
    }

    /// `Σ_c cut_c / M_c`. O(k).
    pub fn cut(&self) -> f64 {
        compensated(self.used().map(|c| self.accounts[c as usize].ratio()))
    }

    /// `F = Σ_c (cut_c / M_c − β)`. O(k).
    pub fn value(&self, beta: f64) -> f64 {
        self.cut() - beta * self.clusters() as f64
    }

    /// `Σ_c (w_c/v − (D_c/v)²)`, where `v` is the volume of the graph. O(k).
    pub fn modularity(&self, v: f64) -> f64 {
        let of = |account: Account| account.inside / v - (account.degree / v).powi(2);
        compensated(self.used().map(|c| of(self.account(c))))
    }

    /// The account of cluster `c`.
    pub fn account(&self, c: Cluster) -> Account {
        self.accounts[c as usize]
    }

    /// The number of vertices in cluster `c`.
    pub fn size(&self, c: Cluster) -> usize {
        self.sizes[c as usize] as usize
    }

    /// The number of a cluster that has no members yet.
    pub(super) fn fresh(&self) -> Cluster {
        self.free
            .last()
            .copied()
            .unwrap_or(self.sizes.len() as Cluster)
    }

    /// Whether no vertex is in `c`.
    #[inline]
    pub(super) fn empty(&self, c: Cluster) -> bool {
        self.sizes.get(c as usize).is_none_or(|&size| size == 0)
    }

    /// The change of F when a vertex with the given links to `from` and `to` goes from one to the
    /// other (to a new cluster if `to` is empty).
    pub(super) fn change(
        &self,
        vertex: Account,
        from: Cluster,
        to: Cluster,
        links: (f64, f64),
        beta: f64,
    ) -> f64 {
        let join = if self.empty(to) {
            vertex.ratio() - beta
        } else {
            self.accounts[to as usize].join(vertex, links.1)
        };
        self.leave(vertex, from, links.0, beta) + join
    }

    /// The change of F when a vertex with `links` to the rest of `from` is taken out of it.
    #[inline]
    pub(super) fn leave(&self, vertex: Account, from: Cluster, links: f64, beta: f64) -> f64 {
        let a = self.accounts[from as usize];
        if self.sizes[from as usize] == 1 {
            beta - a.ratio()
        } else {
            a.without(vertex, links).ratio() - a.ratio()
        }
    }

    /// Moves vertex `i` into `to`, which may be [`State::fresh`].
    pub(super) fn shift(&mut self, i: usize, vertex: Account, to: Cluster, links: (f64, f64)) {
        self.shift_group(&[i as Vertex], vertex, to, links);
    }

    /// Moves some members of one cluster, with their account and their links to the rest of it and
    /// to `to`, into `to`, which may be [`State::fresh`].
    pub(super) fn shift_group(
        &mut self,
        members: &[Vertex],
        group: Account,
        to: Cluster,
        links: (f64, f64),
    ) {
        let from = self.labels[members[0] as usize];
        if self.empty(to) {
            self.open(to);
        }
        self.sizes[from as usize] -= members.len() as u32;
        if self.sizes[from as usize] == 0 {
            self.accounts[from as usize] = Account::default();
            self.doubtful[from as usize] = false;
            self.free.push(from);
        } else {
            self.accounts[from as usize] = self.accounts[from as usize].without(group, links.0);
            self.doubtful[from as usize] = true;
        }
        self.accounts[to as usize] = self.accounts[to as usize].with(group, links.1);
        self.sizes[to as usize] += members.len() as u32;
        for &i in members {
            self.labels[i as usize] = to;
        }
    }

    fn open(&mut self, fresh: Cluster) {
        if self.free.pop().is_none() {
            debug_assert_eq!(fresh as usize, self.sizes.len());
            self.sizes.push(0);
            self.accounts.push(Account::default());
            self.doubtful.push(false);
        }
    }

    /// The number that each cluster gets when they are numbered `0..k` by first appearance
    /// ([`NONE`] for one without members), and k.
    pub(super) fn order(&self) -> (Vec<Cluster>, usize) {
        let (mut order, mut k) = (vec![NONE; self.sizes.len()], 0);
        for &c in self.labels.iter().filter(|&&c| c != NONE) {
            if order[c as usize] == NONE {
                order[c as usize] = k;
                k += 1;
            }
        }
        (order, k as usize)
    }

    /// The labels renumbered to `0..k` by first appearance, and k.
    pub fn numbered(&self) -> (Vec<Cluster>, usize) {
        let (order, k) = self.order();
        (compose(&self.labels, &order), k)
    }
}
