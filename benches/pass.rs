//! What a pass costs: against a bare sweep (the sum over the neighbours' values), by number of
//! clusters, by size, by threads, and in memory.
//!
//! `cargo bench --bench pass [-- rmat|lfr]` runs R-MAT and LFR graphs of about 2²⁰ and 2²² arcs, 16
//! a vertex. To choose others: `PASS_ARCS=20,26 PASS_K=10,100000 cargo bench --bench pass`
//! (`PASS_ARCS` are logarithms to base 2).
//!
//! A pass is all that happens between two records of the trace: reassignment, sums, empty clusters,
//! F. It is timed from two kinds of labels: *scattered* at random, and *settled*, where most
//! neighbours share a cluster (LFR: the planted clusters, joined or cut to k; R-MAT: consecutive
//! vertices).
//!
//! | ratio | target |
//! |---|---|
//! | pass / bare sweep, both on one thread | ≤ 3 |
//! | pass with the most clusters / with the fewest | ≤ 1.5 |
//! | pass on one thread / on two | ≥ 1.6 |
//! | pass / bare sweep on two threads; sweep on one thread / on two | |
//! | pass and sweep an arc, and their ratio, on the largest graph / on the smallest | |
//! | memory beyond the graph and the labels, in a fresh process that gives back what is freed, also from singletons / 20 bytes a vertex | |
#![allow(missing_docs)]

mod common;

use common::Measure::{Bytes, Number, Seconds};
use common::Target::{AtLeast, AtMost};
use common::process::{Allocator, fresh, in_fresh_process, peak_growth};
use common::{Ratios, numbers, refuse, short, threads, wants};
use lambdacut::cut::Cut;
use lambdacut::generate::{Lfr, Rmat};
use lambdacut::graph::{AnyCsr, Csr, EdgeList, Policy, SelfLoops, Unit, build};
use lambdacut::kernel_dp_means::{KernelClustering, KernelDpMeans, Shift, Start, resolve_shift};
use lambdacut::run::{Silent, StopRules};
use rayon::ThreadPool;
use rayon::prelude::*;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

const BETA: f64 = 0.5;

/// A graph, and for every vertex a group that most of its neighbours belong to.
struct Subject {
    name: &'static str,
    graph: Csr<Unit>,
    groups: Vec<u32>,
    shift: Shift,
}

impl Subject {
    fn new(name: &'static str, graph: Csr<Unit>, groups: Vec<u32>) -> Self {
        let ncut = Cut::Normalized;
        let shift = resolve_shift(&graph, &ncut, Shift::Automatic, 1, &Silent).expect("a shift");
        Self {
            name,
            graph,
            groups,
            shift: Shift::Sigma(ncut.sigma_of_shift(shift)),
        }
    }

    fn make(name: &str, size: usize) -> Self {
        match name {
            "rmat" => Self::rmat(size as u32),
            "lfr" => Self::lfr(size as u32),
            other => refuse(&format!("{other:?} is neither rmat nor lfr")),
        }
    }

    /// What criterion calls it.
    fn group(&self) -> String {
        format!("pass {} {}", self.name, self.graph.arcs())
    }

    fn rmat(size: u32) -> Self {
        let made = Rmat {
            scale: size - 4,
            arcs: 1 << (size - 1),
            ..Rmat::default()
        }
        .checked()
        .expect("valid");
        let arcs: Vec<_> = (0..made.chunks())
            .into_par_iter()
            .flat_map_iter(|c| made.chunk(c))
            .collect();
        let n = 1usize << (size - 4);
        let policy = Policy {
            self_loops: SelfLoops::Drop,
            ..Policy::default()
        };
        let (graph, _) = build(EdgeList::plain(n, arcs), &policy).expect("a graph");
        let AnyCsr::Unit(graph) = graph else {
            panic!("an unweighted list gives an unweighted graph")
        };
        Self::new("R-MAT", graph, (0..n as u32).collect())
    }

    fn lfr(size: u32) -> Self {
        let made = Lfr {
            vertices: 1 << (size - 4),
            average_degree: 16.0,
            max_degree: 100,
            mixing: 0.3,
            ..Lfr::default()
        };
        let made = made.generate().expect("an LFR graph");
        Self::new("LFR", made.graph().expect("a graph"), made.truth)
    }

    /// k clusters that respect the groups, which are joined, or cut when there are fewer of them.
    fn settled(&self, k: usize) -> Arc<[u32]> {
        let groups = self.groups.iter().max().map_or(1, |&g| g as usize + 1);
        let pieces = k.div_ceil(groups);
        let piece = |(i, &group): (usize, &u32)| {
            ((group as usize * pieces + i % pieces) * k / (groups * pieces)) as u32
        };
        self.groups.iter().enumerate().map(piece).collect()
    }

    fn scattered(&self, k: usize) -> Arc<[u32]> {
        let mix = |i: u64| {
            (i.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 20).wrapping_mul(0xD1B5_4A32_D192_ED03) >> 32
        };
        let scatter = |i: u64| {
            if k == self.groups.len() {
                i
            } else {
                mix(i + 1) % k as u64
            }
        };
        (0..self.groups.len() as u64)
            .map(|i| scatter(i) as u32)
            .collect()
    }

    /// One pass from these labels.
    fn one_pass(&self, labels: &Arc<[u32]>) -> KernelClustering {
        let stop = StopRules {
            passes: Some(1),
            ..StopRules::default()
        };
        let start = Start::Labels(Arc::clone(labels));
        let method = KernelDpMeans::new().resolution(BETA).expect("positive");
        let method = method.start(start).shift(self.shift).stop(stop);
        method.refine(false).run_csr(&self.graph).expect("valid")
    }

    /// Seconds of one pass from these labels, and the share of vertices that it moves.
    fn pass(
        &self,
        ratios: &mut Ratios,
        function: &str,
        labels: &Arc<[u32]>,
        pool: &ThreadPool,
    ) -> (f64, f64) {
        let mut moved = 0;
        let seconds = ratios.clocked(&self.group(), function, || {
            let found = pool.install(|| self.one_pass(labels));
            moved = found.trace[0].moves;
            Duration::from_secs_f64(found.trace[0].seconds)
        });
        (seconds, moved as f64 / self.graph.vertices() as f64)
    }

    /// Bytes that a pass takes beyond the graph and the start labels, at its highest.
    fn memory(&self, k: usize) -> Option<f64> {
        let labels = self.scattered(k);
        threads(2).install(|| peak_growth(|| self.one_pass(&labels)).1)
    }
}

impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} arcs", self.name, short(self.graph.arcs()))
    }
}

/// Seconds of passes of one kind over one graph, on one and on two threads.
struct Line {
    kind: &'static str,
    k: usize,
    seconds: [f64; 2],
}

/// What was timed on one graph.
struct Timed {
    arcs: f64,
    sweep: [f64; 2],
    lines: Vec<Line>,
}

const THREADS: [&str; 2] = ["one thread", "two threads"];

fn time(ratios: &mut Ratios, subject: &Subject, ks: &[usize]) -> Timed {
    let pools = [threads(1), threads(2)];
    let sweep = [0, 1].map(|t| {
        ratios.sweep(
            &subject.group(),
            &format!("sweep {}", THREADS[t]),
            &subject.graph,
            &pools[t],
        )
    });
    let mut lines = Vec::new();
    for &k in ks.iter().filter(|&&k| 2 * k <= subject.graph.vertices()) {
        for (kind, labels) in [
            ("scattered", subject.scattered(k)),
            ("settled", subject.settled(k)),
        ] {
            let pass = |t: usize| {
                subject.pass(
                    ratios,
                    &format!("k {k} {kind} {}", THREADS[t]),
                    &labels,
                    &pools[t],
                )
            };
            let [(one, moved), (two, _)] = [0, 1].map(pass);
            println!(
                "{subject}, k = {k}, {kind}: a pass moves {:.1} % of the vertices",
                100.0 * moved
            );
            lines.push(Line {
                kind,
                k,
                seconds: [one, two],
            });
        }
    }
    Timed {
        arcs: subject.graph.arcs() as f64,
        sweep,
        lines,
    }
}

/// Compares within one graph.
fn compare(ratios: &mut Ratios, subject: &Subject, timed: &Timed) {
    let [sweep, sweep2] = timed.sweep;
    ratios.compare(
        format!("bare sweep on one thread / on two, {subject}"),
        Seconds,
        sweep,
        sweep2,
        None,
    );
    for Line {
        kind,
        k,
        seconds: [one, two],
    } in &timed.lines
    {
        let place = format!("{subject}, k = {k}, {kind}");
        ratios.compare(
            format!("pass / bare sweep, {place}, one thread"),
            Seconds,
            *one,
            sweep,
            AtMost(3.0),
        );
        ratios.compare(
            format!("pass / bare sweep, {place}, two threads"),
            Seconds,
            *two,
            sweep2,
            None,
        );
        ratios.compare(
            format!("pass on one thread / on two, {place}"),
            Seconds,
            *one,
            *two,
            AtLeast(1.6),
        );
    }
    for kind in ["scattered", "settled"] {
        let of: Vec<&Line> = timed
            .lines
            .iter()
            .filter(|line| line.kind == kind)
            .collect();
        let [few, .., many] = of[..] else { continue };
        for (threads, (many_seconds, few_seconds)) in
            THREADS.iter().zip(many.seconds.iter().zip(few.seconds))
        {
            let claim = format!(
                "pass with k = {} / with k = {}, {subject}, {kind}, {threads}",
                many.k, few.k
            );
            ratios.compare(claim, Seconds, *many_seconds, few_seconds, AtMost(1.5));
        }
    }
}

/// Compares the largest graph with the smallest, on one thread.
fn compare_sizes(ratios: &mut Ratios, name: &str, small: &Timed, large: &Timed) {
    let (sweep, sweep_small) = (large.sweep[0] / large.arcs, small.sweep[0] / small.arcs);
    ratios.compare(
        format!("sweep an arc, {name}, largest / smallest graph"),
        Seconds,
        sweep,
        sweep_small,
        None,
    );
    for line in &large.lines {
        let Some(twin) = small
            .lines
            .iter()
            .find(|twin| (twin.k, twin.kind) == (line.k, line.kind))
        else {
            continue;
        };
        let (pass, pass_small) = (line.seconds[0] / large.arcs, twin.seconds[0] / small.arcs);
        let place = format!(
            "{name}, k = {}, {}, largest / smallest graph",
            line.k, line.kind
        );
        ratios.compare(
            format!("pass an arc, {place}"),
            Seconds,
            pass,
            pass_small,
            None,
        );
        ratios.compare(
            format!("pass in sweeps, {place}"),
            Number,
            pass / sweep,
            pass_small / sweep_small,
            None,
        );
    }
}

fn compare_memory(ratios: &mut Ratios, subject: &Subject, name: &str, size: usize, ks: &[usize]) {
    let n = subject.graph.vertices();
    for k in ks.iter().copied().filter(|k| 2 * k <= n).chain([n]) {
        let arguments = [name.to_owned(), size.to_string(), k.to_string()];
        if let Some([bytes]) = in_fresh_process(Allocator::GivesBack, arguments).as_deref() {
            let claim = format!(
                "memory of a pass beyond the graph / 20 bytes a vertex, {subject}, k = {k}"
            );
            ratios.compare(claim, Bytes, *bytes, 20.0 * n as f64, None);
        }
    }
}

fn main() {
    if let Some(arguments) = fresh() {
        let number = |at: usize| arguments[at].parse::<usize>().expect("a number");
        let bytes = Subject::make(&arguments[0], number(1)).memory(number(2));
        return println!("{}", bytes.expect("this system tells the peak"));
    }
    let (sizes, ks) = (
        numbers("PASS_ARCS", "20,22"),
        numbers("PASS_K", "10,1000,100000"),
    );
    let mut ratios = Ratios::new("pass");
    for name in ["rmat", "lfr"].into_iter().filter(|name| wants(name)) {
        let mut all = Vec::new();
        for &size in &sizes {
            let subject = Subject::make(name, size);
            let timed = time(&mut ratios, &subject, &ks);
            compare(&mut ratios, &subject, &timed);
            compare_memory(&mut ratios, &subject, name, size, &ks);
            all.push(timed);
        }
        if let [small, .., large] = &all[..] {
            compare_sizes(&mut ratios, name, small, large);
        }
    }
    ratios.finish();
}
