//! Exact moves after the pass.

use crate::cluster::moves::{Active, Level, Rules, State, local_moves};
use crate::fit::Fit;
use crate::graph::{Graph, Weight};
use crate::objective::Objective;
use crate::observe::{Event, Observer, PassRecord};
use crate::partition::renumber;
use std::time::Instant;

/// Rounds of local search at most; a handful is usual.
const ROUNDS: usize = 1000;

/// Lets single vertices move, exactly, until a look at every vertex finds none that wants to: F falls with every move. One record is added to the
/// trace when there was any.
pub(super) fn refine<W: Weight>(graph: &Graph<W>, objective: &Objective, fit: &mut Fit, observer: &dyn Observer) {
    let started = Instant::now();
    let n = graph.vertices();
    let mut state = State::new(graph, objective.masses(), std::mem::take(&mut fit.labels), fit.clusters);
    // Room for vertices that open clusters.
    state.reserve((2 * fit.clusters + 64).min(fit.clusters + n));
    let rules = Rules { beta: objective.beta(), rounds: ROUNDS, groups: None, singletons: true, constructive: 0 };
    let level = Level::new(graph, objective.masses());
    let mut moves = 0;
    // A move also changes the standing of vertices it does not wake, hence the repetition.
    loop {
        let outcome = local_moves(&level, &mut state, &mut Active::all(n), &rules, observer);
        moves += outcome.moves;
        if outcome.moves == 0 || observer.cancelled() {
            break;
        }
    }
    fit.labels = state.labels;
    fit.clusters = renumber(&mut fit.labels);
    fit.value = objective.evaluate(graph, &fit.labels, fit.clusters).value;
    if moves > 0 {
        let record = PassRecord { value: fit.value, clusters: fit.clusters, moves, seconds: started.elapsed().as_secs_f64() };
        observer.event(Event::Pass(&record));
        fit.trace.push(record);
    }
}
