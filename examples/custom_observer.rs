//! An observer of one's own: hears every step of a path, and ends the run when it has seen enough.
//!
//! `cargo run --example custom_observer`

use lambdacut::generate::Lfr;
use lambdacut::prelude::*;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// Prints one line a step, and cancels as soon as fewer than `enough` clusters are left.
struct Watch {
    enough: usize,
    clusters: AtomicUsize,
    steps: AtomicUsize,
}

impl Observer for Watch {
    fn event(&self, event: Event<'_>) {
        match event {
            Event::Stage { name, .. } => println!("now {name}"),
            Event::Pass(step) => {
                println!(
                    "  step {:2}: {:4} clusters, F = {:.3}",
                    self.steps.fetch_add(1, Relaxed) + 1,
                    step.clusters,
                    step.value
                );
                self.clusters.store(step.clusters, Relaxed);
            }
            _ => {}
        }
    }

    // Asked between steps, from any thread. A `CancelToken` is the ready-made form of this.
    fn cancelled(&self) -> bool {
        self.clusters.load(Relaxed) < self.enough
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let planted = Lfr {
        vertices: 2000,
        mixing: 0.3,
        ..Lfr::default()
    };
    let graph = Graph::from(planted.generate()?.graph()?);
    let whole = Search::new().run(&graph)?;

    let watch = Watch {
        enough: whole.k(),
        clusters: AtomicUsize::new(usize::MAX),
        steps: AtomicUsize::new(0),
    };
    let part = Search::new().observer(&watch).run(&graph)?;
    println!(
        "the whole path found {} clusters, the part of it {}",
        whole.k(),
        part.k()
    );

    // A cancelled run is not an error: it has the best of what it saw, and says why it ended.
    assert_eq!(part.stop, StopReason::Cancelled);
    assert!(watch.steps.load(Relaxed) < whole.trace.len());
    assert!(part.iter().all(|cluster| cluster.is_some()));
    Ok(())
}
