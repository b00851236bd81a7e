//! Dissolving a cluster: its members go, one by one, where they are linked best.
//!
//! A cluster that does not pay for itself (`cut_c / M_c > β`) can be merged with another as a
//! whole, or given up. Merging by F alone prefers the largest neighbour, because a bad member
//! dilutes it least; that is how one cluster becomes a sink. Here a member that improves no
//! neighbour (`join > 0`) goes where `join · (M_b + m)`, its harm before dilution, is least: for
//! normalized cut `d·w_b/D_b − 2·l`, which knows nothing of the size of `b`. The whole dissolution
//! is kept if F falls, and undone otherwise. Cost O(Σ deg) over the members of the clusters tried.

use super::links::Links;
use super::state::{Account, Level, State};
use crate::graph::{Members, Weight};
use crate::ids::{Cluster, Vertex};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;

/// Tries to dissolve every cluster with a cut ratio above `above`, worst first; how many were.
pub fn dissolve<W: Weight>(
    level: &Level<'_, W>,
    state: &mut State,
    beta: f64,
    above: f64,
) -> usize {
    let members = Members::of(&state.labels, state.sizes.len());
    let mut poor: Vec<Cluster> = state
        .used()
        .filter(|&c| state.account(c).ratio() > above)
        .collect();
    poor.sort_by(|&a, &b| {
        state
            .account(b)
            .ratio()
            .total_cmp(&state.account(a).ratio())
            .then(a.cmp(&b))
    });
    let mut links = Links::new(state.sizes.len());
    let mut attempt = |c: Cluster| {
        let own: Vec<Vertex> = members
            .members(c as usize)
            .iter()
            .copied()
            .filter(|&i| state.labels[i as usize] == c)
            .collect();
        // A cluster that has taken in members of another one since is left alone.
        own.len() == state.size(c)
            && Attempt::new(c, state).run(level, state, beta, &own, &mut links)
    };
    poor.into_iter().filter(|&c| attempt(c)).count()
}

/// One dissolution, with what is needed to undo it.
struct Attempt {
    cluster: Cluster,
    before: FxHashMap<Cluster, (Account, u32)>,
}

impl Attempt {
    fn new(cluster: Cluster, state: &State) -> Self {
        let mut attempt = Self {
            cluster,
            before: FxHashMap::default(),
        };
        attempt.remember(cluster, state);
        attempt
    }

    fn remember(&mut self, c: Cluster, state: &State) {
        self.before
            .entry(c)
            .or_insert_with(|| (state.account(c), state.sizes[c as usize]));
    }

    /// Moves the members out; true if F fell, otherwise everything is as before.
    fn run<W: Weight>(
        mut self,
        level: &Level<'_, W>,
        state: &mut State,
        beta: f64,
        own: &[Vertex],
        links: &mut Links,
    ) -> bool {
        let mut queue: VecDeque<Vertex> = own.iter().copied().collect();
        let (mut change, mut waiting) = (0.0, 0);
        while let Some(i) = queue.pop_front() {
            if let Some(part) = self.send(level, state, beta, i as usize, links) {
                (change, waiting) = (change + part, 0);
                continue;
            }
            // Only fellow members are adjacent; wait until one of them has left.
            queue.push_back(i);
            waiting += 1;
            if waiting > queue.len() {
                break;
            }
        }
        let done = queue.is_empty() && change < -level.tolerance;
        if !done {
            self.undo(state, own);
        }
        done
    }

    fn send<W: Weight>(
        &mut self,
        level: &Level<'_, W>,
        state: &mut State,
        beta: f64,
        i: usize,
        links: &mut Links,
    ) -> Option<f64> {
        links.gather(level, &state.labels, i);
        let vertex = level.vertex(i, links.own_loop);
        let harm = |c: Cluster, links: f64| {
            let target = state.account(c);
            let join = target.join(vertex, links);
            if join > 0.0 {
                join * (target.mass + vertex.mass)
            } else {
                join
            }
        };
        let best = links.best(self.cluster, harm);
        let pair = best.map(|(to, _)| (links.to(self.cluster), links.to(to)));
        links.clear();
        let ((to, _), pair) = best.zip(pair)?;
        self.remember(to, state);
        let change = state.change(vertex, self.cluster, to, pair, beta);
        state.shift(i, vertex, to, pair);
        Some(change)
    }

    fn undo(self, state: &mut State, own: &[Vertex]) {
        if state.sizes[self.cluster as usize] == 0 {
            state.free.pop();
        }
        state.doubtful[self.cluster as usize] = true;
        for (c, (account, size)) in self.before {
            state.accounts[c as usize] = account;
            state.sizes[c as usize] = size;
        }
        for &i in own {
            state.labels[i as usize] = self.cluster;
        }
    }
}
