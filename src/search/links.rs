//! The links of a vertex, or of a group of vertices, to the clusters around it.
//!
//! `l_ic = Σ_{j∈c, j≠i} A_ij` for every adjacent cluster c, in an array with a slot for every
//! cluster and a list of the slots in use. (A hash table of the size of the row would stay in the
//! nearest cache, but was no faster.)

use super::state::Level;
use crate::graph::Weight;
use crate::ids::{Cluster, NONE};

/// Sums by cluster.
#[derive(Debug)]
pub(super) struct Links {
    sums: Vec<f64>,
    touched: Vec<Cluster>,
    /// `A_ii` of the vertex gathered last.
    pub(super) own_loop: f64,
}

impl Links {
    /// Room for this many clusters.
    pub(super) fn new(clusters: usize) -> Self {
        Self {
            sums: vec![0.0; clusters],
            touched: Vec::new(),
            own_loop: 0.0,
        }
    }

    /// Makes room for this many clusters.
    pub(super) fn make_room(&mut self, clusters: usize) {
        if self.sums.len() < clusters {
            self.sums.resize(clusters, 0.0);
        }
    }

    /// Adds up the links of `i` to each cluster of its group; call [`Links::clear`] before the next
    /// vertex.
    #[inline]
    pub(super) fn gather<W: Weight>(&mut self, level: &Level<'_, W>, labels: &[Cluster], i: usize) {
        self.own_loop = 0.0;
        for (j, weight) in level.rows.row(i) {
            let j = j as usize;
            if j == i {
                self.own_loop = weight;
                continue;
            }
            if level.groups.is_some_and(|group| group[i] != group[j]) {
                continue;
            }
            let c = labels[j];
            let sum = &mut self.sums[c as usize];
            if *sum == 0.0 {
                self.touched.push(c);
            }
            *sum += weight;
        }
    }

    /// The links to one cluster.
    #[inline]
    pub(super) fn to(&self, c: Cluster) -> f64 {
        self.sums[c as usize]
    }

    /// The cluster other than `own` with the least `cost(cluster, links)`, ties to the smaller
    /// number, and that cost.
    #[inline]
    pub(super) fn best(
        &self,
        own: Cluster,
        cost: impl Fn(Cluster, f64) -> f64,
    ) -> Option<(Cluster, f64)> {
        let (mut best, mut to) = (f64::INFINITY, NONE);
        for &c in self.touched.iter().filter(|&&c| c != own) {
            let cost = cost(c, self.sums[c as usize]);
            if cost < best || (cost == best && c < to) {
                (best, to) = (cost, c);
            }
        }
        (to != NONE).then_some((to, best))
    }

    #[inline]
    pub(super) fn clear(&mut self) {
        for &c in &self.touched {
            self.sums[c as usize] = 0.0;
        }
        self.touched.clear();
    }
}
