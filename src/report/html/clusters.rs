//! The table of clusters and the distribution of their sizes.

use super::data::{Rest, Table, short};
use super::names::NameTable;
use super::truth::Classes;
use crate::graph::{Csr, Members, Weight};
use crate::ids::{Cluster, Vertex};
use crate::metrics::GraphMetrics;
use crate::numeric::compensated;
use crate::partition::Sums;
use rayon::prelude::*;

/// Best connected vertices named for each cluster.
const BEST: usize = 5;

/// One clustering with its sums: what the parts of a [`Detail`](super::data::Detail) are made from.
pub(super) struct Clusters<'a, W: Weight> {
    pub graph: &'a Csr<W>,
    pub labels: &'a [Cluster],
    pub members: Members,
    pub sums: Sums,
    pub metrics: GraphMetrics,
    /// Clusters by decreasing volume, ties by number.
    pub order: Vec<Cluster>,
}

impl<W: Weight> Clusters<'_, W> {
    /// The first `rows` clusters by volume, and the rest as one.
    pub fn table(
        &self,
        rows: usize,
        names: &mut NameTable<'_>,
        layers: Option<&Classes<'_>>,
    ) -> (Table, Rest) {
        let (shown, others) = self.order.split_at(rows.min(self.order.len()));
        let by = |value: &dyn Fn(usize) -> f64| {
            shown.iter().map(|&c| short(value(c as usize))).collect()
        };
        let best: Vec<Vec<Vertex>> = shown.par_iter().map(|&c| self.best(c as usize)).collect();
        let table = Table {
            cluster: shown.to_vec(),
            size: shown
                .iter()
                .map(|&c| self.metrics.sizes[c as usize])
                .collect(),
            volume: by(&|c| self.sums.degree[c]),
            conductance: by(&|c| self.metrics.conductance[c]),
            inside: by(&|c| self.sums.inside[c] / self.sums.degree[c]),
            layers: layers.map_or(Vec::new(), |layers| {
                shown
                    .par_iter()
                    .map(|&c| layers.spanned(self.members.members(c as usize)))
                    .collect()
            }),
            best: best
                .iter()
                .map(|list| list.iter().filter_map(|&i| names.mention(i)).collect())
                .collect(),
        };
        let rest = Rest {
            clusters: others.len(),
            vertices: others.iter().map(|&c| self.metrics.sizes[c as usize]).sum(),
            volume: short(compensated(
                others.iter().map(|&c| self.sums.degree[c as usize]),
            )),
        };
        (table, rest)
    }

    /// The members of `c` with the most weight inside it, ties by number.
    fn best(&self, c: usize) -> Vec<Vertex> {
        let rows = self.graph.rows();
        let own = |i: Vertex| -> f64 {
            rows.row(i as usize)
                .filter(|&(j, _)| self.labels[j as usize] as usize == c)
                .map(|(_, w)| w)
                .sum()
        };
        let mut ranked: Vec<(f64, Vertex)> = self
            .members
            .members(c)
            .iter()
            .map(|&i| (own(i), i))
            .collect();
        let before = |a: &(f64, Vertex), b: &(f64, Vertex)| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1));
        if ranked.len() > BEST {
            ranked.select_nth_unstable_by(BEST, before);
            ranked.truncate(BEST);
        }
        ranked.sort_by(before);
        ranked.into_iter().map(|(_, i)| i).collect()
    }

    /// The smallest conductance, the quartiles, the largest.
    pub fn conductance(&self) -> [f64; 5] {
        let mut sorted = self.metrics.conductance.clone();
        sorted.sort_by(f64::total_cmp);
        let last = sorted.len().saturating_sub(1);
        [0, 1, 2, 3, 4].map(|q| sorted.get(q * last / 4).map_or(0.0, |&value| short(value)))
    }
}

/// How many clusters have 2^b to 2^(b+1) − 1 members, and how many members these have together, for
/// b = 0, 1, ….
pub(super) fn size_bins(sizes: &[usize]) -> Vec<(usize, usize)> {
    let mut bins: Vec<(usize, usize)> = Vec::new();
    for &size in sizes.iter().filter(|&&size| size > 0) {
        let at = size.ilog2() as usize;
        bins.resize(bins.len().max(at + 1), (0, 0));
        bins[at].0 += 1;
        bins[at].1 += size;
    }
    bins
}

#[cfg(test)]
mod tests {
    #[test]
    fn sizes_fall_into_bins_of_powers_of_two() {
        assert_eq!(
            super::size_bins(&[1, 2, 3, 4, 9]),
            [(1, 1), (2, 5), (1, 4), (1, 9)]
        );
        assert!(super::size_bins(&[]).is_empty());
    }
}
