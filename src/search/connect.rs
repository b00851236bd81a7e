//! Every cluster connected.
//!
//! Moves may cut a cluster in two. Here the largest connected part of each cluster keeps its place;
//! every other part, a *stray*, first becomes a cluster of its own and then joins the adjacent
//! cluster where that lowers F most, if it does: a connected part that joins an adjacent connected
//! cluster leaves it connected. The links between the parts of a cluster are 0, so taking one out
//! is exact. Only doubtful clusters are looked at: O(vertices) and O(Σ deg) over their members.

use super::links::Links;
use super::state::{Account, Level, State};
use crate::graph::{Weight, components_within};
use crate::ids::{Cluster, NONE, Vertex};
use rustc_hash::FxHashMap;

/// Takes every cluster apart into connected ones and lets small parts join what they pay for;
/// whether any was not connected.
pub fn connect<W: Weight>(level: &Level<'_, W>, state: &mut State, beta: f64) -> bool {
    if !state.doubtful.contains(&true) {
        return false;
    }
    let strays = strays(level, state);
    state.doubtful.fill(false);
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
        let Some(stray) = members.remove(&c) else {
            continue;
        };
        let to = best_neighbour(level, state, c, &stray, beta, &mut links);
        if let Some(others) = to.and_then(|to| members.get_mut(&to)) {
            others.extend(stray);
        }
    }
    state.doubtful.fill(false);
    true
}

/// The connected parts of each doubtful cluster but its largest (ties: the one with the smallest
/// vertex).
fn strays<W: Weight>(level: &Level<'_, W>, state: &State) -> Vec<Vec<Vertex>> {
    let doubtful = |c: Cluster| c != NONE && state.doubtful[c as usize];
    let together = |i: Vertex, j: Vertex| state.labels[i as usize] == state.labels[j as usize];
    let parts = components_within(
        level.graph,
        |i| doubtful(state.labels[i as usize]),
        together,
    );
    let mut sizes = vec![0u32; parts.count];
    for &p in parts.labels.iter().filter(|&&p| p != NONE) {
        sizes[p as usize] += 1;
    }
    let looked_at = || {
        parts
            .labels
            .iter()
            .zip(&state.labels)
            .enumerate()
            .filter(|&(_, (_, &c))| doubtful(c))
    };
    let mut largest = vec![NONE; state.sizes.len()];
    for (_, (&p, &c)) in looked_at() {
        let best = &mut largest[c as usize];
        if *best == NONE
            || (sizes[p as usize], std::cmp::Reverse(p))
                > (sizes[*best as usize], std::cmp::Reverse(*best))
        {
            *best = p;
        }
    }
    let mut members: FxHashMap<Cluster, usize> = FxHashMap::default();
    let mut strays: Vec<Vec<Vertex>> = Vec::new();
    for (i, (&p, _)) in looked_at().filter(|&(_, (&p, &c))| largest[c as usize] != p) {
        let at = *members.entry(p).or_insert(strays.len());
        if at == strays.len() {
            strays.push(Vec::new());
        }
        strays[at].push(i as Vertex);
    }
    strays
}

/// The account of some members of one cluster that have no links to the rest of it; their links to
/// every cluster stay in `links`.
fn account<W: Weight>(
    level: &Level<'_, W>,
    state: &State,
    members: &[Vertex],
    links: &mut Links,
) -> Account {
    let own = state.labels[members[0] as usize];
    let mut group = Account::default();
    for &i in members {
        links.gather(level, &state.labels, i as usize);
        group = group.with(level.vertex(i as usize, links.own_loop), 0.0);
    }
    group.inside += links.to(own);
    group
}

/// Moves the whole cluster `c` into the adjacent cluster where F falls most, if it falls anywhere;
/// which that is.
fn best_neighbour<W: Weight>(
    level: &Level<'_, W>,
    state: &mut State,
    c: Cluster,
    members: &[Vertex],
    beta: f64,
    links: &mut Links,
) -> Option<Cluster> {
    let group = account(level, state, members, links);
    let join = |b: Cluster, links: f64| state.account(b).join(group, links);
    let best = links
        .best(c, join)
        .filter(|(_, join)| join + beta - group.ratio() < -level.tolerance);
    let best = best.map(|(to, _)| (to, links.to(to)));
    links.clear();
    let (to, shared) = best?;
    state.shift_group(members, group, to, (0.0, shared));
    Some(to)
}
