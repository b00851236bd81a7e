//! The second guide: degree-corrected modularity, from a fine resolution γ to a coarse one.
//!
//! Annealing in β ([`super::anneal`]) lets a fragment that does not pay for itself join where that
//! costs least, and that is the largest cluster: `Δ ≈ cut/M`. On sparse graphs the rich get richer
//! until one cluster holds most vertices. A null model charges a fragment for the size of what it
//! joins: a vertex i goes to the cluster c with the largest
//!
//! ```text
//! l_ic − γ · m_i · M_c · v / M²
//! ```
//!
//! where `l_ic` are its links to c, `M_c` the mass of c without i, `M` the mass of all vertices and
//! `v` the volume. With the degrees as masses this is modularity at resolution γ.
//!
//! The guide tries γ from 1/2 up to that at which an average edge pays for an average pair,
//! `n²/arcs`, each from single vertices: vertices move, then clusters as wholes, contracting while that
//! shrinks the graph; then, a few times, vertices again and pieces of clusters. (Going on from the partition of the last γ is quicker,
//! but what a fine γ has joined stays joined.) The guide only proposes: the penalised cut F judges,
//! and exact moves of F refine.
//!
//! Cost O(arcs) for each γ; vertices are visited in their order, so that
//! the result depends on nothing but the graph. Memory 13 bytes a vertex beside the contracted
//! graph, for each γ under way.

use super::links::Links;
use super::state::{Level, State};
use crate::graph::Weight;
use crate::ids::{Cluster, NONE};
use crate::labels::compose;
use crate::labels::renumber;
use crate::run::Observer;
use std::collections::VecDeque;

/// Contraction goes on while it leaves at most this share of the vertices.
const SHRINK: f64 = 0.98;

/// Gains below this share of a vertex's degree are taken for rounding.
const SMALLEST: f64 = 1e-9;

/// How often vertices and clusters take turns.
const TURNS: usize = 1;

/// How often a vertex may be looked at, on average, while single vertices move.
const VISITS: usize = 8;

/// A partition that the guide proposes.
#[derive(Debug, Clone)]
pub(super) struct Proposal {
    /// The γ at which it was found.
    pub gamma: f64,
    /// Labels in `0..clusters`, [`NONE`] for vertices without an edge.
    pub labels: Vec<Cluster>,
    /// The number of clusters.
    pub clusters: usize,
}

/// The null model of one graph.
#[derive(Debug, Clone, Copy)]
pub(super) struct NullModel {
    finest: f64,
    /// The price of `m_i · M_c` at γ = 1.
    price: f64,
}

impl NullModel {
    pub(super) fn new<W: Weight>(level: &Level<'_, W>) -> Self {
        let vertices = level.vertices() as f64;
        let mass = level.cut.total_mass(level.graph);
        Self {
            finest: vertices * vertices / level.graph.arcs() as f64,
            price: level.graph.volume() / (mass * mass),
        }
    }

    /// γ from 1/2, multiplied by `factor` again and again, up to `n²/arcs`.
    pub(super) fn gammas(&self, factor: f64) -> Vec<f64> {
        let mut gammas = vec![0.5];
        while gammas[gammas.len() - 1] * factor <= self.finest {
            gammas.push(gammas[gammas.len() - 1] * factor);
        }
        gammas
    }

    /// A quick partition at γ of the graph or of a contraction of it.
    pub(super) fn draft<W: Weight>(
        &self,
        level: &Level<'_, W>,
        gamma: f64,
        observer: &dyn Observer,
    ) -> Proposal {
        let price = gamma * self.price;
        let mut labels = State::singletons(level).labels;
        let mut clusters = renumber(&mut labels);
        clusters = move_vertices(level, &mut labels, clusters, price);
        clusters = merge(level, &mut labels, clusters, price, observer);
        Proposal {
            gamma,
            labels,
            clusters,
        }
    }

    /// What two partitions agree on, joined again at γ.
    pub(super) fn join<W: Weight>(
        &self,
        level: &Level<'_, W>,
        (mut labels, clusters): (Vec<Cluster>, usize),
        gamma: f64,
        observer: &dyn Observer,
    ) -> Proposal {
        let clusters = merge(level, &mut labels, clusters, gamma * self.price, observer);
        let joined = Proposal {
            gamma,
            labels,
            clusters,
        };
        self.improve(level, joined, observer)
    }

    /// A partition improved at its γ: vertices and pieces of clusters move, clusters merge.
    pub(super) fn improve<W: Weight>(
        &self,
        level: &Level<'_, W>,
        proposal: Proposal,
        observer: &dyn Observer,
    ) -> Proposal {
        let Proposal {
            gamma,
            mut labels,
            mut clusters,
        } = proposal;
        let price = gamma * self.price;
        for _ in 0..TURNS {
            if observer.cancelled() {
                break;
            }
            clusters = move_vertices(level, &mut labels, clusters, price);
            clusters = move_pieces(level, &mut labels, clusters, price);
            clusters = merge(level, &mut labels, clusters, price, observer);
        }
        clusters = move_vertices(level, &mut labels, clusters, price);
        Proposal {
            gamma,
            labels,
            clusters,
        }
    }
}

/// Takes clusters apart, each from single vertices as if it were the whole graph, and moves the
/// pieces; the number of clusters left.
fn move_pieces<W: Weight>(
    level: &Level<'_, W>,
    labels: &mut Vec<Cluster>,
    clusters: usize,
    price: f64,
) -> usize {
    let apart = Level {
        groups: Some(labels),
        ..*level
    };
    let mut pieces = State::singletons(level).labels;
    let singles = renumber(&mut pieces);
    let count = move_vertices(&apart, &mut pieces, singles, price);
    let mut cluster_of = vec![NONE; count];
    for (&piece, &cluster) in pieces.iter().zip(labels.iter()) {
        if piece != NONE {
            cluster_of[piece as usize] = cluster;
        }
    }
    let coarse = level.contract(&pieces, count);
    let left = move_vertices(&coarse.level(), &mut cluster_of, clusters, price);
    *labels = compose(&pieces, &cluster_of);
    left
}

/// Lets clusters move as wholes, contracting until that no longer shrinks; the number left.
fn merge<W: Weight>(
    level: &Level<'_, W>,
    labels: &mut Vec<Cluster>,
    mut clusters: usize,
    price: f64,
    observer: &dyn Observer,
) -> usize {
    let mut coarse = level.contract(labels, clusters);
    loop {
        let mut joined: Vec<Cluster> = (0..clusters as Cluster).collect();
        let left = move_vertices(&coarse.level(), &mut joined, clusters, price);
        *labels = compose(labels, &joined);
        let shrinks = left as f64 <= SHRINK * clusters as f64;
        clusters = left;
        if !shrinks || observer.cancelled() {
            return clusters;
        }
        coarse = coarse.level().contract(&joined, left);
    }
}

/// Moves vertices one after the other to the cluster with the largest gain, or to one of their own,
/// first all, then those whose neighbours have moved; the number of clusters left, numbered without
/// gaps.
fn move_vertices<W: Weight>(
    level: &Level<'_, W>,
    labels: &mut [Cluster],
    clusters: usize,
    price: f64,
) -> usize {
    let mass = |i: usize| level.cut.mass(level.graph, i);
    let mut masses = vec![0.0; clusters];
    let mut sizes = vec![0u32; clusters];
    let mut waiting = vec![false; labels.len()];
    let mut queue = VecDeque::with_capacity(labels.len());
    for (i, &c) in labels.iter().enumerate().filter(|&(_, &c)| c != NONE) {
        masses[c as usize] += mass(i);
        sizes[c as usize] += 1;
        waiting[i] = true;
        queue.push_back(i as u32);
    }
    let mut links = Links::new(clusters);
    let most = VISITS * queue.len();
    for _ in 0..most {
        let Some(next) = queue.pop_front() else { break };
        let i = next as usize;
        waiting[i] = false;
        let (own, m) = (labels[i], mass(i));
        links.gather(level, labels, i);
        let cost = |c: Cluster, l: f64| price * m * masses[c as usize] - l;
        let alone = sizes[own as usize] == 1;
        let mut stay = 0.0;
        if !alone {
            stay = price * m * (masses[own as usize] - m) - links.to(own);
        }
        let neighbour = links
            .best(own, cost)
            .filter(|&(_, cost)| alone || cost < 0.0);
        links.clear();
        let (to, least) = neighbour.unwrap_or((masses.len() as Cluster, 0.0));
        if least >= stay - SMALLEST * level.graph.degree(i) {
            continue;
        }
        if to as usize == masses.len() {
            masses.push(0.0);
            sizes.push(0);
            links.make_room(masses.len());
        }
        masses[own as usize] -= m;
        sizes[own as usize] -= 1;
        masses[to as usize] += m;
        sizes[to as usize] += 1;
        labels[i] = to;
        for &j in level.rows.targets(i) {
            let j = j as usize;
            if labels[j] != to && !waiting[j] {
                waiting[j] = true;
                queue.push_back(j as u32);
            }
        }
    }
    renumber(labels)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cut::Cut;
    use crate::graph::Csr;
    use crate::run::Silent;

    /// Sixteen groups of twelve, dense inside, on a ring with chords.
    fn graph() -> Csr<f64> {
        let mut edges = Vec::new();
        for i in 0..192u32 {
            for j in 0..i {
                let together = i / 12 == j / 12 && (i * 7 + j * 3) % 4 != 0;
                if together || (i * 31 + j * 17) % 97 == 0 {
                    edges.push((j, i, 1.0 + f64::from((i + j) % 3)));
                }
            }
        }
        Csr::from_edges(192, &edges).expect("valid edges")
    }

    /// `Σ_c (w_c − price · M_c²)` from scratch.
    fn score(level: &Level<'_, f64>, labels: &[Cluster], price: f64) -> f64 {
        let mut labels = labels.to_vec();
        let k = renumber(&mut labels);
        let state = State::new(level, labels, k);
        let of = |c: Cluster| state.account(c).inside - price * state.account(c).mass.powi(2);
        (0..k as Cluster).map(of).sum()
    }

    #[test]
    fn no_part_of_a_turn_lowers_the_score() {
        let graph = graph();
        for cut in [Cut::Normalized, Cut::Ratio] {
            let level = Level::new(&graph, &cut);
            let mass = cut.total_mass(&graph);
            for gamma in [1.0, 4.0, 16.0, 64.0] {
                let price = gamma * graph.volume() / (mass * mass);
                let mut labels = State::singletons(&level).labels;
                let mut clusters = renumber(&mut labels);
                let mut last = score(&level, &labels, price);
                let mut rises = |labels: &[Cluster]| {
                    let now = score(&level, labels, price);
                    assert!(now >= last - 1e-9 * graph.volume(), "{now} after {last}");
                    last = now;
                };
                for _ in 0..2 {
                    clusters = move_vertices(&level, &mut labels, clusters, price);
                    rises(&labels);
                    clusters = move_pieces(&level, &mut labels, clusters, price);
                    rises(&labels);
                    clusters = merge(&level, &mut labels, clusters, price, &Silent);
                    rises(&labels);
                }
            }
        }
    }

    #[test]
    fn planted_groups_are_proposed() {
        let graph = graph();
        let level = Level::new(&graph, &Cut::Normalized);
        let null_model = NullModel::new(&level);
        let gammas = null_model.gammas(2.0).into_iter();
        let found: Vec<Proposal> = gammas
            .map(|gamma| {
                let draft = null_model.draft(&level, gamma, &Silent);
                null_model.improve(&level, draft, &Silent)
            })
            .collect();
        let planted: Vec<Cluster> = (0..192).map(|i| i / 12).collect();
        assert!(found.iter().any(|proposal| proposal.labels == planted));
        assert!(
            found
                .iter()
                .all(|p| renumber(&mut p.labels.clone()) == p.clusters)
        );
    }
}
