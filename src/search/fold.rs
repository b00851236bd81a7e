//! The clusters of a partition as the vertices of a smaller problem, kept up to date while the
//! partition changes.
//!
//! `A' = ZᵀAZ` from scratch is a sweep over all arcs. When only a few vertices have gone from
//! cluster `x_i` to `y_i`, only the arcs at these vertices count elsewhere (`x_j = y_j` for the
//! others):
//!
//! ```text
//! A'' = A' + Σ_{(i,j): i or j moved} A_ij · (e_{y_i} e_{y_j}ᵀ − e_{x_i} e_{x_j}ᵀ)
//! ```
//!
//! so a step of the path goes on from the contracted state of the last step: O(A' + Σ deg of the
//! moved + vertices), not O(arcs). The links of an unweighted graph are counted in integers, and
//! the difference is exact. With real weights a difference would leave rounding where nothing is
//! left, and a path that is taken up again would not be the same path; there, and when many
//! vertices have moved, the contraction is made anew.
//!
//! Memory: the contracted graph, 4 bytes a vertex, 1 a cluster.

use super::state::{Account, Coarse, Level, State};
use crate::graph::{Csr, Rows, Weight, contract};
use crate::ids::{Cluster, NONE, Vertex};
use crate::labels::compose;
use rayon::prelude::*;
use std::borrow::Cow;

/// Beyond one in so many arcs at moved vertices, the contraction is made anew.
const FEW: usize = 32;

/// A partition with its contraction; the clusters are numbered by first appearance.
#[derive(Debug, Clone)]
pub struct Fold<S: Weight> {
    /// One vertex a cluster.
    pub(super) coarse: Coarse<S>,
    /// The cluster of each vertex.
    pub(super) labels: Vec<Cluster>,
    doubtful: Vec<bool>,
}

impl<S: Weight<Sum = S>> Fold<S> {
    /// The contraction of a partition, from scratch. O(arcs).
    pub fn of<W: Weight<Sum = S>>(level: &Level<'_, W>, state: &State) -> Self {
        let (order, k) = state.order();
        let labels = compose(&state.labels, &order);
        Self {
            coarse: level.contract(&labels, k),
            doubtful: doubts(state, &order, k),
            labels,
        }
    }

    /// The contraction of `k` connected clusters, numbered by first appearance. O(arcs).
    pub fn of_connected<W: Weight<Sum = S>>(
        level: &Level<'_, W>,
        labels: Vec<Cluster>,
        k: usize,
    ) -> Self {
        Self {
            coarse: level.contract(&labels, k),
            doubtful: vec![false; k],
            labels,
        }
    }

    /// How many clusters there are.
    pub fn clusters(&self) -> usize {
        self.coarse.graph.vertices()
    }

    /// Goes after a state that has come out of this fold by changes.
    fn follow<W: Weight<Sum = S>>(
        mut self,
        level: &Level<'_, W>,
        state: &State,
        moved: &[Vertex],
    ) -> Self {
        let (order, k) = state.order();
        self.doubtful = doubts(state, &order, k);
        if !moved.is_empty() {
            let shifted = self.shifted(level, moved, &state.labels, state.sizes.len());
            self.labels = compose(&state.labels, &order);
            self.coarse = level.coarse(contract(&shifted, &order, k), &self.labels, k);
        }
        self
    }

    /// The contraction of another partition, whose clusters have the numbers of this one where they
    /// are the same.
    pub(super) fn contracted_anew<W: Weight<Sum = S>>(
        &self,
        level: &Level<'_, W>,
        labels: &[Cluster],
        k: usize,
    ) -> Coarse<S> {
        let moved = moved(&self.labels, labels);
        if few(level, &moved) {
            level.coarse(self.shifted(level, &moved, labels, k), labels, k)
        } else {
            level.contract(labels, k)
        }
    }

    /// `A''` for `slots` clusters, some of which may be empty.
    fn shifted<W: Weight<Sum = S>>(
        &self,
        level: &Level<'_, W>,
        moved: &[Vertex],
        labels: &[Cluster],
        slots: usize,
    ) -> Csr<S> {
        let mut changes: Vec<Change> = moved
            .par_iter()
            .flat_map_iter(|&i| self.changes_at(level, i as usize, labels))
            .collect();
        changes.par_sort_unstable_by_key(|change| change.at);
        add(self.coarse.graph.rows(), self.clusters(), &changes, slots)
    }

    /// What the arcs at moved vertex `i` change; an arc between two moved vertices belongs to the
    /// one it starts from.
    fn changes_at<W: Weight>(
        &self,
        level: &Level<'_, W>,
        i: usize,
        labels: &[Cluster],
    ) -> impl Iterator<Item = Change> {
        let (old, new) = (&self.labels, labels);
        level.rows.row(i).flat_map(move |(j, weight)| {
            let j = j as usize;
            let there = [
                Change::new(old[i], old[j], -weight),
                Change::new(new[i], new[j], weight),
            ];
            let back = [
                Change::new(old[j], old[i], -weight),
                Change::new(new[j], new[i], weight),
            ];
            let twice = old[j] == new[j];
            there
                .into_iter()
                .chain(back.into_iter().filter(move |_| twice))
        })
    }
}

/// A fold whose clusters have merged, not contracted again yet: that may turn out not to be needed.
#[derive(Debug)]
pub struct Merged<'a, S: Weight> {
    /// The contraction before the last merges, and the cluster of each of its vertices after them.
    coarse: Cow<'a, Coarse<S>>,
    last: Vec<Cluster>,
    accounts: Vec<Account>,
    /// The cluster of each vertex of the graph.
    labels: Vec<Cluster>,
    doubtful: Vec<bool>,
    /// Which clusters are made of several old ones.
    pub(super) changed: Vec<bool>,
}

impl<'a, S: Weight<Sum = S>> Merged<'a, S> {
    /// The clusters of `fold` have become vertices `map` of `coarse`, which are now in the clusters
    /// of `last`.
    pub(super) fn new(
        fold: &Fold<S>,
        coarse: Cow<'a, Coarse<S>>,
        map: &[Cluster],
        last: &State,
    ) -> Self {
        let (order, k) = last.order();
        let mut accounts = vec![Account::default(); k];
        for (&c, &account) in order
            .iter()
            .zip(&last.accounts)
            .filter(|&(&c, _)| c != NONE)
        {
            accounts[c as usize] = account;
        }
        let last = compose(&last.labels, &order);
        let map = compose(map, &last);
        let (mut doubtful, mut parts) = (vec![false; k], vec![0u32; k]);
        for (&c, &doubt) in map.iter().zip(&fold.doubtful) {
            doubtful[c as usize] |= doubt;
            parts[c as usize] += 1;
        }
        let changed = parts.into_iter().map(|parts| parts > 1).collect();
        Self {
            coarse,
            last,
            accounts,
            labels: compose(&fold.labels, &map),
            doubtful,
            changed,
        }
    }

    /// How many clusters there are.
    pub fn clusters(&self) -> usize {
        self.accounts.len()
    }

    /// The partition with its accounts, ready to be changed. O(vertices).
    pub fn state(&self) -> State {
        let mut state = State::with_accounts(self.labels.clone(), self.accounts.clone());
        state.doubtful.clone_from(&self.doubtful);
        state
    }

    /// The contraction of a state that has come out of [`Merged::state`] by changes.
    pub fn follow<W: Weight<Sum = S>>(self, level: &Level<'_, W>, state: &State) -> Fold<S> {
        let moved = moved(&self.labels, &state.labels);
        if !few(level, &moved) {
            return Fold::of(level, state);
        }
        let (before, k) = (self.coarse.graph.vertices(), self.clusters());
        let coarse = if k == before {
            self.coarse.into_owned()
        } else {
            self.coarse.level().contract(&self.last, k)
        };
        Fold {
            coarse,
            labels: self.labels,
            doubtful: self.doubtful,
        }
        .follow(level, state, &moved)
    }
}

fn moved(before: &[Cluster], after: &[Cluster]) -> Vec<Vertex> {
    (0..before.len() as Vertex)
        .into_par_iter()
        .filter(|&i| before[i as usize] != after[i as usize])
        .collect()
}

/// Whether it pays to add the changes at the moved vertices instead of contracting anew, and is
/// exact.
fn few<W: Weight>(level: &Level<'_, W>, moved: &[Vertex]) -> bool {
    let arcs = || {
        moved
            .iter()
            .map(|&i| level.rows.targets(i as usize).len())
            .sum::<usize>()
    };
    moved.is_empty()
        || (W::EXACT && moved.len() < level.vertices() / FEW && arcs() < level.graph.arcs() / FEW)
}

/// Which clusters are doubtful, by their new numbers.
fn doubts(state: &State, order: &[Cluster], k: usize) -> Vec<bool> {
    let mut doubtful = vec![false; k];
    for (&doubt, &c) in state
        .doubtful
        .iter()
        .zip(order)
        .filter(|&(_, &c)| c != NONE)
    {
        doubtful[c as usize] = doubt;
    }
    doubtful
}

/// A change of one entry of a contracted matrix.
#[derive(Debug, Clone, Copy)]
struct Change {
    /// Row and column, in one number that sorts like the pair.
    at: u64,
    by: f64,
}

impl Change {
    fn new(row: Cluster, column: Cluster, by: f64) -> Self {
        Self {
            at: u64::from(row) << 32 | u64::from(column),
            by,
        }
    }

    fn row(self) -> usize {
        (self.at >> 32) as usize
    }

    fn column(self) -> Vertex {
        self.at as Vertex
    }
}

/// A matrix with sorted changes added, enlarged to `n` rows; entries that become 0 disappear.
fn add<S: Weight>(rows: Rows<'_, S>, before: usize, mut changes: &[Change], n: usize) -> Csr<S> {
    let most = rows.targets.len() + changes.len();
    let (mut targets, mut weights) = (Vec::with_capacity(most), Vec::with_capacity(most));
    let mut offsets = Vec::with_capacity(n + 1);
    offsets.push(0);
    for row in 0..n {
        let (here, later) = changes.split_at(
            changes
                .iter()
                .take_while(|change| change.row() == row)
                .count(),
        );
        changes = later;
        let range = if row < before {
            rows.offsets[row] as usize..rows.offsets[row + 1] as usize
        } else {
            0..0
        };
        let (old_targets, old_weights) = (&rows.targets[range.clone()], &rows.weights[range]);
        if here.is_empty() {
            targets.extend_from_slice(old_targets);
            weights.extend_from_slice(old_weights);
        } else {
            let old = old_targets
                .iter()
                .zip(old_weights)
                .map(|(&column, weight)| (column, weight.get()));
            merge_row(old, here, |column, weight| {
                targets.push(column);
                weights.push(S::of(weight));
            });
        }
        offsets.push(targets.len() as u64);
    }
    Csr::from_valid(offsets, targets, weights)
}

/// Hands on the entries of one row with its changes added, in order of columns.
fn merge_row(
    old: impl Iterator<Item = (Vertex, f64)>,
    changes: &[Change],
    mut keep: impl FnMut(Vertex, f64),
) {
    let mut old = old.peekable();
    let mut changes = changes.iter().peekable();
    loop {
        let next_old = old.peek().map(|entry| entry.0);
        let next_change = changes.peek().map(|change| change.column());
        let Some(column) = next_old.into_iter().chain(next_change).min() else {
            return;
        };
        let mut weight = old
            .next_if(|entry| entry.0 == column)
            .map_or(0.0, |entry| entry.1);
        while let Some(change) = changes.next_if(|change| change.column() == column) {
            weight += change.by;
        }
        if weight != 0.0 {
            keep(column, weight);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cut::Cut;
    use crate::graph::Unit;
    use crate::run::Silent;
    use crate::search::anneal::{Annealer, Tuning};

    /// A ring of cliques with chords: clusters that merge one after the other.
    fn graph<W: Weight>() -> Csr<W> {
        let clique =
            |c: u32| (0..5u32).flat_map(move |a| (0..a).map(move |b| (5 * c + a, 5 * c + b, 1.0)));
        let chords = (0..40u32).map(|c| (5 * c, (5 * c + 7) % 200, 1.0 + f64::from(c % 3)));
        let edges: Vec<(u32, u32, f64)> = (0..40).flat_map(clique).chain(chords).collect();
        Csr::from_edges(200, &edges).expect("valid edges")
    }

    /// Merges and moves at ever smaller β; after each step the carried contraction must be the one
    /// from scratch.
    fn follows_exactly<W: Weight>() -> usize {
        let (graph, mut carried) = (graph::<W>(), 0);
        for cut in [Cut::Normalized, Cut::Ratio] {
            let level = Level::new(&graph, &cut);
            let tuning = Tuning {
                rounds: 2,
                shrink: 0.9,
                pieces: true,
            };
            let annealer = Annealer {
                level,
                tuning,
                observer: &Silent,
            };
            let mut fold = Fold::of(&level, &State::singletons(&level));
            for beta in [0.9, 0.7, 0.5, 0.3, 0.2, 0.1, 0.05] {
                let merged = annealer.merge(&fold, beta);
                let mut state = annealer.refine(&fold, &merged, beta);
                // A vertex that goes to a neighbour's cluster, whether it wants to or not.
                let (i, to) = (7, state.labels[graph.rows().targets(7)[0] as usize]);
                state = {
                    let mut labels = state.labels.clone();
                    labels[i] = to;
                    State::new(&level, labels, state.sizes.len())
                };
                carried += usize::from(few(&level, &moved(&merged.labels, &state.labels)));
                fold = merged.follow(&level, &state);
                let anew = Fold::of(&level, &state);
                assert_eq!(fold.labels, anew.labels);
                assert_eq!(
                    fold.coarse.graph.rows().offsets,
                    anew.coarse.graph.rows().offsets
                );
                assert_eq!(
                    fold.coarse.graph.rows().targets,
                    anew.coarse.graph.rows().targets
                );
                assert_eq!(
                    fold.coarse.graph.rows().weights,
                    anew.coarse.graph.rows().weights
                );
                assert_eq!(fold.coarse.cut, anew.coarse.cut);
            }
        }
        carried
    }

    #[test]
    fn a_carried_contraction_is_the_one_from_scratch() {
        assert!(
            follows_exactly::<Unit>() > 4,
            "most steps must have been carried, not made anew"
        );
    }

    #[test]
    fn with_real_weights_contractions_are_made_anew_unless_nothing_moved() {
        follows_exactly::<f64>();
    }

    #[test]
    fn doubts_stay_until_they_are_looked_into() {
        let (graph, cut) = (graph::<Unit>(), Cut::Normalized);
        let level = Level::new(&graph, &cut);
        let labels: Vec<Cluster> = (0..200).map(|i| i / 5).collect();
        let mut state = State::new(&level, labels.clone(), 40);
        assert!(
            state.doubtful.iter().all(|&doubt| doubt),
            "nothing is known of given labels"
        );
        assert!(!crate::search::connect::connect(&level, &mut state, 0.5));
        assert!(!state.doubtful.contains(&true));
        state.labels[3] = 1; // not linked to cluster 1
        state = State::new(&level, state.labels, 40);
        assert!(crate::search::connect::connect(&level, &mut state, 0.5));
    }
}
