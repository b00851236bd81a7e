//! Every cluster connected.
//!
//! Moves may cut a cluster in two. Here the largest connected part of each cluster keeps its place; every other part, a
//! *stray*, first becomes a cluster of its own and then joins the adjacent cluster where that lowers F most, if it does: a
//! connected part that joins an adjacent connected cluster leaves it connected. The links between the parts of a cluster are
//! 0, so taking one out is exact. O(arcs) to find the parts, O(Σ deg) over the strays for the rest.

use super::moves::{EPSILON, Links};
use super::state::{Account, Level, State};
use crate::graph::{Weight, components_within};
use crate::ids::{Cluster, NONE, Vertex};
use rustc_hash::FxHashMap;

/// Takes every cluster apart into connected ones and lets small parts join what they pay for; whether any was not connected.
pub fn connect<W: Weight>(level: &Level<'_, W>, state: &mut State, beta: f64) -> bool {
    let strays = strays(level, state);
    if strays.is_empty() {
        return false;
    }
    let mut links = Links::new(state.sizes.len() + strays.len());
    let mut members: FxHashMap<Cluster, Vec<Vertex>> = FxHashMap::default();
    let mut order = Vec::with_capacity(strays.len());
    for stray in strays {
        let group = account(level, state, &stray, &mut links);
        links.clear();
        let fresh = state.fresh();
        state.shift_group(&stray, group, fresh, (0.0, 0.0));
        order.push(fresh);
        members.insert(fresh, stray);
    }
    for c in order {
        let Some(stray) = members.remove(&c) else { continue };
        let to = best_neighbour(level, state, c, &stray, beta, &mut links);
        if let Some(others) = to.and_then(|to| members.get_mut(&to)) {
            others.extend(stray);
        }
    }
    true
}

/// The connected parts of each cluster but its largest (ties: the one with the smallest vertex).
fn strays<W: Weight>(level: &Level<'_, W>, state: &State) -> Vec<Vec<Vertex>> {
    let parts = components_within(level.graph, |i, j| state.labels[i as usize] == state.labels[j as usize]);
    if parts.count == state.clusters() {
        return Vec::new();
    }
    let mut sizes = vec![0u32; parts.count];
    for &p in parts.labels.iter().filter(|&&p| p != NONE) {
        sizes[p as usize] += 1;
    }
    let mut largest = vec![NONE; state.sizes.len()];
    for (&p, &c) in parts.labels.iter().zip(&state.labels).filter(|&(&p, _)| p != NONE) {
        let best = &mut largest[c as usize];
        if *best == NONE || (sizes[p as usize], std::cmp::Reverse(p)) > (sizes[*best as usize], std::cmp::Reverse(*best)) {
            *best = p;
        }
    }
    let mut members: FxHashMap<Cluster, usize> = FxHashMap::default();
    let mut strays: Vec<Vec<Vertex>> = Vec::new();
    for (i, (&p, &c)) in parts.labels.iter().zip(&state.labels).enumerate() {
        if p != NONE && largest[c as usize] != p {
            let at = *members.entry(p).or_insert(strays.len());
            if at == strays.len() {
                strays.push(Vec::new());
            }
            strays[at].push(i as Vertex);
        }
    }
    strays
}

/// The account of some members of one cluster that have no links to the rest of it; their links to every cluster stay in
/// `links`.
fn account<W: Weight>(level: &Level<'_, W>, state: &State, members: &[Vertex], links: &mut Links) -> Account {
    let own = state.labels[members[0] as usize];
    let mut group = Account::default();
    for &i in members {
        links.gather(level, &state.labels, i as usize);
        group = group.with(level.vertex(i as usize, links.own_loop), 0.0);
    }
    group.inside += links.sum[own as usize];
    group
}

/// Moves the whole cluster `c` into the adjacent cluster where F falls most, if it falls anywhere; which that is.
fn best_neighbour<W: Weight>(
    level: &Level<'_, W>,
    state: &mut State,
    c: Cluster,
    members: &[Vertex],
    beta: f64,
    links: &mut Links,
) -> Option<Cluster> {
    let group = account(level, state, members, links);
    let (mut best, mut to) = (f64::INFINITY, NONE);
    for &b in links.touched.iter().filter(|&&b| b != c) {
        let join = state.account(b).join(group, links.sum[b as usize]);
        if join < best || (join == best && b < to) {
            (best, to) = (join, b);
        }
    }
    let good = to != NONE && best + beta - group.ratio() < -EPSILON;
    if good {
        state.shift_group(members, group, to, (0.0, links.sum[to as usize]));
    }
    links.clear();
    good.then_some(to)
}
