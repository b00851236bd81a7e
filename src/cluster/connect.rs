//! Every cluster connected.
//!
//! Moves may cut a cluster in two. Here each connected part becomes a cluster, and then clusters merge as long as that
//! lowers F: merging joins adjacent clusters only, so they stay connected. O(arcs).

use super::anneal::Annealer;
use super::moves::Kind;
use super::state::State;
use crate::graph::{Weight, components_within};

/// Splits every cluster into its connected parts and merges what pays; whether anything was split.
pub fn connect<W: Weight>(annealer: &Annealer<'_, W>, state: &mut State, beta: f64) -> bool {
    let level = &annealer.level;
    let parts = components_within(level.graph, |i, j| state.labels[i as usize] == state.labels[j as usize]);
    if parts.count == state.clusters() {
        return false;
    }
    *state = State::new(level, parts.labels, parts.count);
    annealer.merge(state, beta, Kind::Merge);
    true
}
