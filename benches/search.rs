//! How the search grows: solving at β and the whole path on LFR graphs of growing size, in seconds,
//! in sweeps over the graph, and in memory.
//!
//! `cargo bench --bench search` climbs from 10⁵ to 10⁶ edges; `SEARCH_EDGES=100000,1000000,10000000
//! cargo bench --bench search` names other sizes, `SEARCH_EFFORT=fast,normal,best` the efforts
//! (`fast,normal` by default). Average degree 20, mixing 0.3, β = 0.5, all cores. What takes more
//! than a few seconds is timed once. Clusters, NMI and bytes an arc are printed on the way.
//!
//! | ratio | target |
//! |---|---|
//! | solve / bare sweep, path / bare sweep | |
//! | path / solve | ≤ 4 |
//! | growth: the slope of log seconds over log arcs / 1, which is linear | ≤ 1.1 |
//! | memory in a fresh process, graph included / 16 bytes an arc and 100 a vertex | ≤ 1 |
//! | F as found / F of the planted clusters | |
#![allow(missing_docs)]

mod common;

use common::Measure::{Bytes, Number, Seconds};
use common::Target::AtMost;
use common::process::{Allocator, fresh, in_fresh_process, peak_growth};
use common::{Ratios, clock, list, numbers, refuse, short, threads};
use lambdacut::cut::Cut;
use lambdacut::generate::Lfr;
use lambdacut::graph::{Csr, Unit};
use lambdacut::labels::renumber;
use lambdacut::metrics::Agreement;
use lambdacut::search::Effort;
use lambdacut::search::{Answer, Search};

const BETA: f64 = 0.5;

/// What is searched for.
const TARGETS: [&str; 2] = ["solve", "path"];

struct Rung {
    edges: usize,
    graph: Csr<Unit>,
    truth: Vec<u32>,
}

impl Rung {
    fn new(edges: usize) -> Self {
        let made = Lfr {
            vertices: edges / 10,
            average_degree: 20.0,
            ..Lfr::default()
        }
        .generate()
        .expect("an LFR graph");
        Self {
            edges,
            graph: made.graph().expect("a valid graph"),
            truth: made.truth,
        }
    }

    fn search(&self, effort: &str, target: &str) -> Answer {
        let mut search = Search::new().effort(effort_of(effort));
        if target == "solve" {
            search = search.resolution(BETA).expect("positive");
        }
        search.run_csr(&self.graph).expect("a clustering")
    }

    /// F of the planted clusters.
    fn planted(&self) -> f64 {
        let mut truth = self.truth.clone();
        let k = renumber(&mut truth);
        let planted = Cut::Normalized.evaluate(&self.graph, &truth, k);
        planted.value(BETA)
    }

    /// Bytes of the graph and of all that a search holds beside it, at the highest.
    fn memory(&self, effort: &str, target: &str) -> Option<f64> {
        peak_growth(|| self.search(effort, target))
            .1
            .map(|more| more + self.graph.bytes() as f64)
    }

    /// The bytes that a search may take.
    fn allowance(&self) -> f64 {
        16.0 * self.graph.arcs() as f64 + 100.0 * self.graph.vertices() as f64
    }
}

fn effort_of(name: &str) -> Effort {
    match name {
        "fast" => Effort::Fast,
        "normal" => Effort::Normal,
        "best" => Effort::Best,
        other => refuse(&format!(
            "SEARCH_EFFORT: {other:?} is none of fast, normal, best"
        )),
    }
}

/// Seconds of one kind of search; prints what it finds.
fn run(ratios: &mut Ratios, rung: &Rung, sweep: f64, effort: &str, target: &str) -> f64 {
    let (answer, once) = clock(|| rung.search(effort, target));
    let seconds = ratios.time_again(&group(rung), &format!("{target} {effort}"), once, || {
        rung.search(effort, target)
    });
    let nmi = Agreement::of(&answer.labels, &rung.truth)
        .expect("labels of one graph")
        .nmi;
    let arguments = [rung.edges.to_string(), effort.to_owned(), target.to_owned()];
    let memory = in_fresh_process(Allocator::AsItIs, arguments).map(|numbers| numbers[0]);
    println!(
        "{:>9} edges  {effort:6} {target:6} {seconds:8.2} s {:8.0} sweeps  {:6.2} µs/edge  {:5.1} B/arc  {} clusters, NMI {nmi:.4}",
        rung.graph.edges(),
        seconds / sweep,
        1e6 * seconds / rung.graph.edges() as f64,
        memory.unwrap_or(f64::NAN) / rung.graph.arcs() as f64,
        answer.clusters,
    );
    let place = place(rung, effort);
    ratios.compare(
        format!("{target} / bare sweep, {place}"),
        Seconds,
        seconds,
        sweep,
        None,
    );
    if target == "solve" {
        ratios.compare(
            format!("F of {target} / F as planted, {place}"),
            Number,
            answer.value,
            rung.planted(),
            None,
        );
    }
    if let Some(bytes) = memory {
        let claim = format!("memory of {target} and graph / 16 B an arc + 100 a vertex, {place}");
        ratios.compare(claim, Bytes, bytes, rung.allowance(), AtMost(1.0));
    }
    seconds
}

fn group(rung: &Rung) -> String {
    format!("search {}", rung.edges)
}

fn place(rung: &Rung, effort: &str) -> String {
    format!("LFR {} edges, {effort}", short(rung.graph.edges()))
}

/// The slope of log y over log x.
fn exponent(points: &[(f64, f64)]) -> f64 {
    let n = points.len() as f64;
    let logs: Vec<(f64, f64)> = points.iter().map(|(x, y)| (x.ln(), y.ln())).collect();
    let (mx, my) = (
        logs.iter().map(|p| p.0).sum::<f64>() / n,
        logs.iter().map(|p| p.1).sum::<f64>() / n,
    );
    let above: f64 = logs.iter().map(|p| (p.0 - mx) * (p.1 - my)).sum();
    above / logs.iter().map(|p| (p.0 - mx).powi(2)).sum::<f64>()
}

/// Arcs and seconds of one kind of search, by size.
struct Growth {
    effort: String,
    target: &'static str,
    points: Vec<(f64, f64)>,
}

fn climb(ratios: &mut Ratios, sizes: &[usize], growths: &mut [Growth]) {
    let pool = threads(rayon::current_num_threads());
    for &edges in sizes {
        let rung = Rung::new(edges);
        let sweep = ratios.sweep(&group(&rung), "sweep", &rung.graph, &pool);
        for pair in growths.chunks_mut(TARGETS.len()) {
            for growth in &mut *pair {
                let seconds = run(ratios, &rung, sweep, &growth.effort, growth.target);
                growth.points.push((rung.graph.arcs() as f64, seconds));
            }
            let [solve, path] =
                [0, 1].map(|which| pair[which].points.last().map_or(0.0, |point| point.1));
            let claim = format!("path / solve, {}", place(&rung, &pair[0].effort));
            ratios.compare(claim, Seconds, path, solve, AtMost(4.0));
        }
    }
}

fn main() {
    if let Some(arguments) = fresh() {
        let rung = Rung::new(arguments[0].parse().expect("a number of edges"));
        return println!(
            "{}",
            rung.memory(&arguments[1], &arguments[2])
                .expect("this system tells the peak")
        );
    }
    let sizes = numbers("SEARCH_EDGES", "100000,300000,1000000");
    let kinds = |effort: String| {
        TARGETS.map(|target| Growth {
            effort: effort.clone(),
            target,
            points: Vec::new(),
        })
    };
    let mut growths: Vec<Growth> = list("SEARCH_EFFORT", "fast,normal")
        .into_iter()
        .flat_map(kinds)
        .collect();
    let mut ratios = Ratios::new("search");
    climb(&mut ratios, &sizes, &mut growths);
    for Growth {
        effort,
        target,
        points,
    } in growths.iter().filter(|growth| growth.points.len() > 1)
    {
        ratios.compare(
            format!("growth of {target} with arcs / linear, {effort}"),
            Number,
            exponent(points),
            1.0,
            AtMost(1.1),
        );
    }
    ratios.finish();
}
