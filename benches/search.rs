//! How the search grows: solving at β and the whole path on LFR graphs of growing size, in seconds, in sweeps over the graph, and in memory.
//!
//! `cargo bench --bench search` climbs from 10⁵ to 10⁶ edges; `SEARCH_EDGES=100000,1000000,10000000 cargo bench --bench search` names other sizes,
//! `SEARCH_EFFORT=fast|normal|best` the effort (both `fast` and `normal` by default). Average degree 20, mixing 0.3, β = 0.5, all cores. The growth
//! exponent is the slope of log seconds over log arcs (1 is linear); memory is what the search holds at its highest beyond what the
//! process held before (Linux), so only the first search of a size shows all of it: the others reuse freed memory. F of the planted
//! clusters stands beside F as found.
#![allow(missing_docs)]

use lambdacut::cluster::effort::Effort;
use lambdacut::cluster::search::{Search, Target};
use lambdacut::generate::Lfr;
use lambdacut::graph::{Graph, Unit};
use lambdacut::metrics::Agreement;
use lambdacut::objective::Objective;
use lambdacut::observe::Silent;
use lambdacut::params::{ObjectiveKind, Resolution};
use lambdacut::partition::renumber;
use rayon::prelude::*;
use std::hint::black_box;
use std::time::Instant;

const BETA: f64 = 0.5;

/// Sweeps timed to know what one costs.
const SWEEPS: usize = 10;

struct Rung {
    graph: Graph<Unit>,
    truth: Vec<u32>,
    planted: f64,
    sweep: f64,
}

impl Rung {
    fn new(edges: usize) -> Self {
        let made = Lfr { vertices: edges / 10, average_degree: 20.0, ..Lfr::default() }.generate().expect("an LFR graph");
        let graph = made.graph().expect("a valid graph");
        let mut truth = made.truth;
        let k = renumber(&mut truth);
        let beta = Resolution::new(BETA).expect("positive");
        let planted = Objective::new(ObjectiveKind::NormalizedCut, beta).evaluate(&graph, &truth, k).value;
        let sweep = sweep(&graph);
        Self { graph, truth, planted, sweep }
    }
}

/// Seconds of the sum over every vertex's neighbours, fastest of several.
fn sweep(graph: &Graph<Unit>) -> f64 {
    let values: Vec<f64> = (0..graph.vertices()).map(|i| i as f64).collect();
    let mut sums = vec![0.0; graph.vertices()];
    let rows = graph.rows();
    let once = |_| {
        let began = Instant::now();
        sums.par_iter_mut().enumerate().with_min_len(256).for_each(|(i, sum)| {
            *sum = rows.targets(i).iter().map(|&j| values[j as usize]).sum();
        });
        black_box(&sums);
        began.elapsed().as_secs_f64()
    };
    (0..SWEEPS).map(once).fold(f64::INFINITY, f64::min)
}

/// A line of `/proc/self/status` in bytes; `None` where there is no such thing.
fn status(field: &str) -> Option<f64> {
    let text = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = text.lines().find(|l| l.starts_with(field))?;
    line.split_whitespace().nth(1)?.parse::<f64>().ok().map(|kb| kb * 1024.0)
}

/// Seconds of one search; prints its line.
fn run(rung: &Rung, effort: Effort, name: &str, target: &Target) -> f64 {
    let reset = std::fs::write("/proc/self/clear_refs", "5").is_ok();
    let before = status("VmRSS").filter(|_| reset);
    let began = Instant::now();
    let answer = Search { effort, ..Search::default() }.run(&rung.graph, target, &Silent).expect("a clustering");
    let seconds = began.elapsed().as_secs_f64();
    let more = before.and_then(|before| Some(status("VmHWM")? - before));
    let (arcs, vertices) = (rung.graph.arcs() as f64, rung.graph.vertices() as f64);
    let memory = more.map_or("–".to_owned(), |b| format!("{:6.1} B/arc {:7.1} B/vertex", b / arcs, b / vertices));
    let nmi = Agreement::of(&answer.fit.labels, &rung.truth).expect("labels of one graph").nmi;
    let at_beta = matches!(target, Target::Resolution(_));
    let planted = if at_beta { format!("F {:.2} (planted {:.2})", answer.fit.value, rung.planted) } else { String::new() };
    println!(
        "{:>9} edges  {:6} {name:6} {seconds:8.2} s {:8.0} sweeps  {:6.2} µs/edge  {memory}  {} clusters, NMI {nmi:.4} {planted}",
        rung.graph.edges(),
        format!("{effort:?}").to_lowercase(),
        seconds / rung.sweep,
        1e6 * seconds / rung.graph.edges() as f64,
        answer.fit.clusters,
    );
    seconds
}

/// The slope of log y over log x.
fn exponent(points: &[(f64, f64)]) -> f64 {
    let n = points.len() as f64;
    let logs: Vec<(f64, f64)> = points.iter().map(|(x, y)| (x.ln(), y.ln())).collect();
    let (mx, my) = (logs.iter().map(|p| p.0).sum::<f64>() / n, logs.iter().map(|p| p.1).sum::<f64>() / n);
    let above: f64 = logs.iter().map(|p| (p.0 - mx) * (p.1 - my)).sum();
    above / logs.iter().map(|p| (p.0 - mx).powi(2)).sum::<f64>()
}

fn efforts() -> Vec<Effort> {
    match std::env::var("SEARCH_EFFORT").as_deref() {
        Ok("fast") => vec![Effort::Fast],
        Ok("normal") => vec![Effort::Normal],
        Ok("best") => vec![Effort::Best],
        _ => vec![Effort::Fast, Effort::Normal],
    }
}

fn main() {
    let sizes = std::env::var("SEARCH_EDGES").unwrap_or_else(|_| "100000,300000,1000000".into());
    let sizes: Vec<usize> = sizes.split(',').filter_map(|s| s.trim().parse().ok()).collect();
    let targets = [("solve", Target::Resolution(Resolution::new(BETA).expect("positive"))), ("path", Target::Recommended)];
    let mut times: Vec<(Effort, &str, f64, f64)> = Vec::new();
    for &edges in &sizes {
        let rung = Rung::new(edges);
        for effort in efforts() {
            let seconds: Vec<f64> = targets.iter().map(|(name, target)| run(&rung, effort, name, target)).collect();
            println!("{:>15}  path/solve {:.2}", "", seconds[1] / seconds[0]);
            times.extend(targets.iter().zip(&seconds).map(|((name, _), &s)| (effort, *name, rung.graph.arcs() as f64, s)));
        }
    }
    for effort in efforts() {
        for (name, _) in &targets {
            let of: Vec<(f64, f64)> = times.iter().filter(|t| t.0 == effort && t.1 == *name).map(|t| (t.2, t.3)).collect();
            if of.len() > 1 {
                println!("growth, {} {name}: arcs^{:.2}", format!("{effort:?}").to_lowercase(), exponent(&of));
            }
        }
    }
}
