//! Exact moves after the pass.

use crate::clustering::PointClustering;
use crate::cut::Cut;
use crate::graph::{Csr, Weight};
use crate::run::{Event, Observer, PassRecord};
use crate::search::moves;
use std::time::Instant;

/// Lets single vertices move, exactly, until a look at every vertex finds none that wants to: F
/// falls with every move. One record is added to the trace when there was any.
pub(super) fn refine<W: Weight>(
    graph: &Csr<W>,
    cut: &Cut,
    beta: f64,
    found: &mut PointClustering,
    observer: &dyn Observer,
) {
    let started = Instant::now();
    let mut made = 0;
    // A move also changes the standing of vertices that it does not wake, hence the repetition.
    loop {
        let (outcome, clusters) = moves::refine(graph, cut, &mut found.labels, beta, observer);
        found.clusters = clusters;
        made += outcome.moves;
        if outcome.moves == 0 || observer.cancelled() {
            break;
        }
    }
    let evaluation = cut.evaluate(graph, &found.labels, found.clusters);
    found.value = evaluation.value(beta);
    if made > 0 {
        let record = PassRecord {
            value: found.value,
            clusters: found.clusters,
            moves: made,
            seconds: started.elapsed().as_secs_f64(),
        };
        observer.event(Event::Pass(&record));
        found.trace.push(record);
    }
}
