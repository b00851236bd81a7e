//! The HDP on graphs: several graphs over shared vertex names become one layered graph.
//!
//! Layer j holds a copy of every vertex of graph j with that graph's edges; *coupling* edges of
//! weight ω join the copies of a vertex. A global cluster p is a set of copies from any layers; a
//! local cluster is the part of p that lies in one layer. With `k_j` the number of global clusters
//! that layer j uses and g the number of all,
//!
//! ```text
//! F = Cut − β g + λ_ℓ Σ_j k_j,        Cut = Σ_p cut_p / M_p of the layered graph
//! ```
//!
//! **Signs.** By the equivalence of the cut with weighted kernel k-means, `J = C + Cut − (σ+1) g`
//! for normalized cut, so the HDP objective `J + λ_ℓ Σ_j k_j + λ_g g` is `C + Cut + λ_ℓ Σ_j k_j − β
//! g` with `β = σ + 1 − λ_g`: the global price changes sign as in DP-means, the local one does not.
//! So β > 0 is a reward for every global cluster, as ever, and `λ_ℓ` keeps the sign it has in the
//! paper: positive, a layer pays for each cluster it uses and strays are drawn back; negative
//! values reward variety.
//!
//! The search starts at the answer for `λ_ℓ = 0`, found by the path of the single-price objective,
//! and goes on with exact moves of single copies and merges of linked clusters, each applied only
//! if F falls. O(arcs) a pass, one after the other; memory 12 bytes an arc for the layered graph
//! and a map of the local clusters.

use crate::clustering::Clustering;
use crate::cut::Cut;
use crate::graph::{Csr, Graph, GraphError, contract};
use crate::ids::{Cluster, NONE, Vertex};
use crate::labels::renumber_by_size;
use crate::params::{ParamError, Resolution};
use crate::partition::Sums;
use crate::run::{Passes, Run, StopRules, run_options};
use crate::search::Effort;
use crate::search::job::Job;
use crate::search::state::{Account, Level};
use crate::with_csr;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// Which copies of a vertex are joined.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Coupling {
    /// Each with the next layer that has the vertex: layers in time.
    #[default]
    Chain,
    /// Every two: layers without order.
    All,
}

/// Why layers cannot be clustered.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum LayersError {
    /// A parameter out of range.
    #[error(transparent)]
    Param(#[from] ParamError),
    /// The layered graph is too large.
    #[error(transparent)]
    Graph(#[from] GraphError),
}

/// Several graphs as one.
#[derive(Debug, Clone)]
pub struct LayeredGraph {
    /// All copies; those of layer j are `starts[j]..starts[j + 1]`, in the order of its own
    /// vertices.
    pub graph: Csr<f64>,
    /// Where each layer starts.
    pub starts: Vec<usize>,
}

impl LayeredGraph {
    /// Joins graphs by the names of their vertices. Edges keep their weights; coupling edges weigh
    /// `weight` ≥ 0.
    pub fn new(layers: &[&Graph], coupling: Coupling, weight: f64) -> Result<Self, LayersError> {
        if !(weight.is_finite() && weight >= 0.0) {
            let (name, expected) = ("the coupling weight", "finite and not negative");
            return Err(ParamError::OutOfRange {
                name,
                expected,
                found: weight.to_string(),
            }
            .into());
        }
        let mut starts = vec![0];
        let mut edges = Vec::new();
        let mut copies: FxHashMap<String, Vec<Vertex>> = FxHashMap::default();
        for graph in layers {
            let first = starts[starts.len() - 1];
            let names = graph.names();
            with_csr!(graph.csr(), csr => append(csr, first as Vertex, &mut edges));
            for i in 0..names.len() {
                let own = (first + i) as Vertex;
                let known = copies.entry(names.get(i).into_owned()).or_default();
                let joined = if coupling == Coupling::Chain {
                    &known[known.len().saturating_sub(1)..]
                } else {
                    &known[..]
                };
                edges.extend(joined.iter().map(|&copy| (copy, own, weight)));
                known.push(own);
            }
            starts.push(first + names.len());
        }
        let graph = Csr::from_edges(starts[starts.len() - 1], &edges)?;
        Ok(Self { graph, starts })
    }

    /// The number of layers.
    pub fn layers(&self) -> usize {
        self.starts.len() - 1
    }

    /// The layer of copy `v`.
    pub fn layer_of(&self, v: usize) -> usize {
        self.starts.partition_point(|&s| s <= v) - 1
    }

    /// The part of `labels` that belongs to layer `j`.
    pub fn part<'a>(&self, labels: &'a [Cluster], j: usize) -> &'a [Cluster] {
        &labels[self.starts[j]..self.starts[j + 1]]
    }

    /// `k_j` of every layer.
    pub fn local_clusters(&self, labels: &[Cluster]) -> Vec<usize> {
        let distinct = |j: usize| {
            let mut used: Vec<Cluster> = self
                .part(labels, j)
                .iter()
                .copied()
                .filter(|&c| c != NONE)
                .collect();
            used.sort_unstable();
            used.dedup();
            used.len()
        };
        (0..self.layers()).map(distinct).collect()
    }
}

/// The edges of one layer, its vertices numbered from `first`.
fn append<W: crate::graph::Weight>(
    graph: &Csr<W>,
    first: Vertex,
    edges: &mut Vec<(Vertex, Vertex, f64)>,
) {
    let rows = graph.rows();
    for i in 0..graph.vertices() {
        let upper = rows.row(i).filter(|&(j, _)| j as usize >= i);
        edges.extend(upper.map(|(j, w)| (first + i as Vertex, first + j, w)));
    }
}

/// The search on a layered graph with its options.
///
/// ```
/// use lambdacut::{graph::Graph, layers::{Coupling, LayeredGraph, Layers}};
/// let monday = Graph::from_edges(4, &[(0, 1, 1.0), (2, 3, 1.0)])?;
/// let tuesday = Graph::from_edges(4, &[(0, 1, 1.0), (2, 3, 1.0)])?;
/// let week = LayeredGraph::new(&[&monday, &tuesday], Coupling::Chain, 1.0)?;
/// let found = Layers::new().resolution(0.5)?.run(&week)?;
/// assert_eq!(found.labels, [0, 0, 1, 1, 0, 0, 1, 1]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Layers<'a> {
    /// The cut and its two prices.
    pub prices: TwoPrices,
    /// How hard to search for the answer at `λ_ℓ = 0`, where the exact moves begin.
    pub effort: Effort,
    /// When these moves stop, besides "nothing changes".
    pub stop: StopRules,
    /// Time limit and observer.
    pub run: Run<'a>,
}

/// The objective on a layered graph.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct TwoPrices {
    /// Which cut of the layered graph.
    pub cut: Cut,
    /// β: what a global cluster is worth; a run without it is refused.
    pub beta: Option<Resolution>,
    /// `λ_ℓ`: what a local cluster costs; any finite number.
    pub lambda_local: f64,
}

impl TwoPrices {
    /// F of any labels ([`NONE`] for copies without an edge), from scratch; β counts as 0 where it
    /// is not given.
    pub fn value(&self, layered: &LayeredGraph, labels: &[Cluster]) -> f64 {
        let mut labels = labels.to_vec();
        let g = crate::labels::renumber(&mut labels);
        let local: usize = layered.local_clusters(&labels).iter().sum();
        let sums = Sums::of(&layered.graph, &self.cut, &labels, g);
        sums.value(self.beta()) + self.lambda_local * local as f64
    }

    fn beta(&self) -> f64 {
        self.beta.map_or(0.0, Resolution::get)
    }

    fn check(&self, layered: &LayeredGraph) -> Result<(), ParamError> {
        self.cut.check(&layered.graph)?;
        let wrong = |name, expected, found: String| ParamError::OutOfRange {
            name,
            expected,
            found,
        };
        if self.beta.is_none() {
            return Err(wrong("the resolution", "given", "absent".into()));
        }
        if !self.lambda_local.is_finite() {
            let found = self.lambda_local.to_string();
            return Err(wrong("the local price", "a finite number", found));
        }
        Ok(())
    }
}

run_options!(Layers);

impl Layers<'_> {
    /// Normalized cut, local clusters free of charge.
    pub fn new() -> Self {
        Self::default()
    }

    /// Minimising this cut.
    #[must_use]
    pub fn cut(mut self, cut: Cut) -> Self {
        self.prices.cut = cut;
        self
    }

    /// At the resolution β.
    ///
    /// # Errors
    /// If β is not positive and finite.
    pub fn resolution(mut self, beta: f64) -> Result<Self, ParamError> {
        self.prices.beta = Some(Resolution::new(beta)?);
        Ok(self)
    }

    /// At this price `λ_ℓ` of a local cluster.
    #[must_use]
    pub fn local_price(mut self, lambda: f64) -> Self {
        self.prices.lambda_local = lambda;
        self
    }

    /// Searching this hard.
    #[must_use]
    pub fn effort(mut self, effort: Effort) -> Self {
        self.effort = effort;
        self
    }

    /// With rules that end the moves early.
    #[must_use]
    pub fn stop(mut self, stop: StopRules) -> Self {
        self.stop = stop;
        self
    }

    /// Clusters a layered graph; labels are global clusters, numbered by decreasing size, and the
    /// value is F with both prices.
    ///
    /// # Errors
    /// If β is missing or a price is not finite.
    pub fn run(&self, layered: &LayeredGraph) -> Result<Clustering, LayersError> {
        let prices = &self.prices;
        prices.check(layered)?;
        let deadline = self.run.start();
        let job = Job::new(&layered.graph, &prices.cut, self.effort, &deadline);
        let (labels, k) = job.best_at(prices.beta()).numbered();
        let mut search = Search::new(layered, prices, labels, k);
        let mut passes = Passes::new(self.stop);
        let stop = loop {
            let moves = search.move_vertices() + search.merge_clusters();
            let value = prices.value(layered, &search.labels);
            let clusters = search.clusters();
            if let Some(reason) = passes.finished(value, clusters, moves, &deadline) {
                break reason;
            }
        };
        let mut labels = search.labels;
        let clusters = renumber_by_size(&mut labels);
        Ok(Clustering {
            cut: Sums::of(&layered.graph, &prices.cut, &labels, clusters).cut(),
            objective: prices.cut.clone(),
            beta: prices.beta(),
            value: prices.value(layered, &labels),
            labels,
            clusters,
            trace: passes.into_trace(),
            stop: deadline.reason().unwrap_or(stop),
        })
    }
}

/// A partition under local search.
struct Search<'a> {
    layered: &'a LayeredGraph,
    prices: &'a TwoPrices,
    /// A change must be better than this to count.
    tolerance: f64,
    labels: Vec<Cluster>,
    accounts: Vec<Account>,
    sizes: Vec<usize>,
    /// How many copies of a layer a cluster has.
    local: FxHashMap<(u32, Cluster), u32>,
    layer: Vec<u32>,
}

impl<'a> Search<'a> {
    fn new(
        layered: &'a LayeredGraph,
        prices: &'a TwoPrices,
        labels: Vec<Cluster>,
        k: usize,
    ) -> Self {
        let sums = Sums::of(&layered.graph, &prices.cut, &labels, k);
        let account = |c: usize| Account {
            mass: sums.mass[c],
            degree: sums.degree[c],
            inside: sums.inside[c],
        };
        let layer: Vec<u32> = (0..labels.len())
            .map(|v| layered.layer_of(v) as u32)
            .collect();
        let (mut sizes, mut local) = (vec![0; k], FxHashMap::default());
        for (v, &c) in labels.iter().enumerate().filter(|(_, c)| **c != NONE) {
            sizes[c as usize] += 1;
            *local.entry((layer[v], c)).or_insert(0) += 1;
        }
        Self {
            layered,
            prices,
            tolerance: Level::new(&layered.graph, &prices.cut).tolerance,
            labels,
            accounts: (0..k).map(account).collect(),
            sizes,
            local,
            layer,
        }
    }

    fn clusters(&self) -> usize {
        self.sizes.iter().filter(|&&s| s > 0).count()
    }

    /// `cut_c/M_c − β`, 0 for no cluster at all.
    fn cost(&self, account: Account, size: usize) -> f64 {
        if size == 0 {
            0.0
        } else {
            account.ratio() - self.prices.beta()
        }
    }

    fn uses(&self, layer: u32, c: Cluster) -> u32 {
        self.local.get(&(layer, c)).copied().unwrap_or(0)
    }

    /// Moves every copy to its best cluster, if that lowers F; returns the number of moves.
    fn move_vertices(&mut self) -> usize {
        let mut moves = 0;
        let mut links: FxHashMap<Cluster, f64> = FxHashMap::default();
        for v in (0..self.labels.len())
            .filter(|&v| self.labels[v] != NONE)
            .collect::<Vec<_>>()
        {
            links.clear();
            let mut own_loop = 0.0;
            for (u, w) in self.layered.graph.rows().row(v) {
                if u as usize == v {
                    own_loop = w;
                } else {
                    *links.entry(self.labels[u as usize]).or_insert(0.0) += w;
                }
            }
            let mass = self.prices.cut.mass(&self.layered.graph, v);
            let own = Account {
                mass,
                degree: self.layered.graph.degree(v),
                inside: own_loop,
            };
            let mut targets: Vec<(Cluster, f64)> = links.iter().map(|(&c, &w)| (c, w)).collect();
            targets.sort_unstable_by_key(|&(c, _)| c);
            moves += usize::from(self.move_vertex(v, own, &targets));
        }
        moves
    }

    fn move_vertex(&mut self, v: usize, own: Account, links: &[(Cluster, f64)]) -> bool {
        let (from, layer) = (self.labels[v], self.layer[v]);
        let link_to = |c: Cluster| links.iter().find(|l| l.0 == c).map_or(0.0, |l| l.1);
        let (whole, size) = (self.accounts[from as usize], self.sizes[from as usize]);
        let left = whole.without(own, link_to(from));
        let leaves_layer = if self.uses(layer, from) == 1 {
            self.prices.lambda_local
        } else {
            0.0
        };
        let leaving = self.cost(left, size - 1) - self.cost(whole, size) - leaves_layer;
        let mut best = (NONE, -self.tolerance);
        for &(to, link) in links.iter().filter(|l| l.0 != from) {
            let (there, size) = (self.accounts[to as usize], self.sizes[to as usize]);
            let enters_layer = if self.uses(layer, to) == 0 {
                self.prices.lambda_local
            } else {
                0.0
            };
            let change = leaving + self.cost(there.with(own, link), size + 1)
                - self.cost(there, size)
                + enters_layer;
            if change < best.1 {
                best = (to, change);
            }
        }
        let alone = leaving + self.cost(own, 1) + self.prices.lambda_local;
        if size > 1 && alone < best.1 {
            best = (self.accounts.len() as Cluster, alone);
            self.accounts.push(Account::default());
            self.sizes.push(0);
        }
        if best.0 == NONE {
            return false;
        }
        self.accounts[from as usize] = left;
        self.accounts[best.0 as usize] = self.accounts[best.0 as usize].with(own, link_to(best.0));
        self.sizes[from as usize] -= 1;
        self.sizes[best.0 as usize] += 1;
        if let Some(count) = self.local.get_mut(&(layer, from)) {
            *count -= 1;
        }
        *self.local.entry((layer, best.0)).or_insert(0) += 1;
        self.labels[v] = best.0;
        true
    }

    /// Merges linked clusters while that lowers F; returns the number of copies that changed their
    /// cluster.
    fn merge_clusters(&mut self) -> usize {
        self.renumber();
        let k = self.accounts.len();
        let contracted = contract(&self.layered.graph, &self.labels, k);
        let rows = contracted.rows();
        let mut links: Vec<FxHashMap<Cluster, f64>> = (0..k)
            .map(|c| rows.row(c).filter(|l| l.0 as usize != c).collect())
            .collect();
        let layers = self.layered.layers() as u32;
        let mut into: Vec<Cluster> = (0..k as Cluster).collect();
        for a in 0..k as Cluster {
            let mut partners: Vec<(Cluster, f64)> =
                links[a as usize].iter().map(|(&b, &w)| (b, w)).collect();
            partners.sort_unstable_by_key(|&(b, _)| b);
            let both = |b: Cluster| {
                (0..layers)
                    .filter(|&j| self.uses(j, a) > 0 && self.uses(j, b) > 0)
                    .count()
            };
            let change = |&(b, link): &(Cluster, f64)| {
                let (x, y) = (self.accounts[a as usize], self.accounts[b as usize]);
                x.with(y, link).ratio() - x.ratio() - y.ratio() + self.prices.beta()
                    - self.prices.lambda_local * both(b) as f64
            };
            let best = partners
                .iter()
                .map(|p| (p, change(p)))
                .reduce(|x, y| if y.1 < x.1 { y } else { x });
            let Some((&(b, link), _)) = best.filter(|(_, change)| *change < -self.tolerance) else {
                continue;
            };
            self.absorb(a, b, link, layers);
            let taken = std::mem::take(&mut links[a as usize]);
            for (c, w) in taken.into_iter().filter(|(c, _)| *c != b) {
                *links[b as usize].entry(c).or_insert(0.0) += w;
                links[c as usize].remove(&a);
                *links[c as usize].entry(b).or_insert(0.0) += w;
            }
            links[b as usize].remove(&a);
            into[a as usize] = b;
        }
        let mut moved = 0;
        for label in self.labels.iter_mut().filter(|l| **l != NONE) {
            let before = *label;
            while into[*label as usize] != *label {
                *label = into[*label as usize];
            }
            moved += usize::from(*label != before);
        }
        moved
    }

    /// Cluster `b` takes all of `a`.
    fn absorb(&mut self, a: Cluster, b: Cluster, link: f64, layers: u32) {
        self.accounts[b as usize] = self.accounts[b as usize].with(self.accounts[a as usize], link);
        self.sizes[b as usize] += std::mem::take(&mut self.sizes[a as usize]);
        for j in 0..layers {
            if let Some(count) = self.local.remove(&(j, a)) {
                *self.local.entry((j, b)).or_insert(0) += count;
            }
        }
    }

    /// Closes the gaps that emptied clusters left.
    fn renumber(&mut self) {
        let mut labels = std::mem::take(&mut self.labels);
        let k = crate::labels::renumber(&mut labels);
        *self = Self::new(self.layered, self.prices, labels, k);
    }
}
