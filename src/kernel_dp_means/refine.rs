//! Exact moves after the pass.

use crate::fit::Fit;
use crate::graph::{Graph, Weight};
use crate::objective::Objective;
use crate::observe::{Event, Observer, PassRecord};
use crate::search::moves;
use std::time::Instant;

/// Lets single vertices move, exactly, until a look at every vertex finds none that wants to: F
/// falls with every move. One record is added to the trace when there was any.
pub(super) fn refine<W: Weight>(
    graph: &Graph<W>,
    objective: &Objective,
    fit: &mut Fit,
    observer: &dyn Observer,
) {
    let started = Instant::now();
    let mut made = 0;
    // A move also changes the standing of vertices that it does not wake, hence the repetition.
    loop {
        let (outcome, clusters) = moves::refine(
            graph,
            objective.masses(),
            &mut fit.labels,
            objective.beta(),
            observer,
        );
        fit.clusters = clusters;
        made += outcome.moves;
        if outcome.moves == 0 || observer.cancelled() {
            break;
        }
    }
    fit.value = objective.evaluate(graph, &fit.labels, fit.clusters).value;
    if made > 0 {
        let record = PassRecord {
            value: fit.value,
            clusters: fit.clusters,
            moves: made,
            seconds: started.elapsed().as_secs_f64(),
        };
        observer.event(Event::Pass(&record));
        fit.trace.push(record);
    }
}
