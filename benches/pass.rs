//! What a pass costs, as ratios within one run: against a bare sweep (the sum over the neighbours' values), by number of clusters, by size, by
//! threads, and in memory.
//!
//! `cargo bench --bench pass` runs R-MAT and LFR graphs of about 2²⁰ and 2²² arcs, 16 a vertex. To choose others:
//! `PASS_ARCS=20,26 PASS_GRAPHS=rmat,lfr PASS_K=10,100000 PASS_REPEATS=5 cargo bench --bench pass` (`PASS_ARCS` are logarithms to base 2).
//!
//! A pass is all that happens between two records of the trace: reassignment, sums, empty clusters, F. It is timed from two kinds of labels: *scattered* at
//! random, and *settled*, where most neighbours share a cluster (LFR: the planted clusters, joined or cut to k; R-MAT: consecutive vertices).
//! Times are the least of `PASS_REPEATS` runs or more. `PASS_MEMORY=1` prints the memory alone.
#![allow(missing_docs)]

use lambdacut::cluster::kernel_dp_means::{KernelDpMeans, Shift, Start, fit_graph, resolve_shift};
use lambdacut::generate::{Lfr, Rmat};
use lambdacut::graph::{AnyGraph, EdgeList, Graph, Policy, SelfLoops, Unit, build};
use lambdacut::objective::Objective;
use lambdacut::observe::{Event, Observer, Silent};
use lambdacut::params::{ObjectiveKind, Resolution, StopRules};
use rayon::prelude::*;
use std::hint::black_box;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Instant;

/// A graph, and for every vertex a group that most of its neighbours belong to.
struct Subject {
    name: &'static str,
    graph: Graph<Unit>,
    groups: Vec<u32>,
    shift: Shift,
}

impl Subject {
    fn new(name: &'static str, graph: Graph<Unit>, groups: Vec<u32>) -> Self {
        let ncut = objective();
        let shift = resolve_shift(&graph, &ncut, Shift::Automatic, 1).expect("a shift");
        Self { name, graph, groups, shift: Shift::Sigma(ncut.sigma_of_shift(shift)) }
    }

    fn rmat(size: u32) -> Self {
        let made = Rmat { scale: size - 4, arcs: 1 << (size - 1), ..Rmat::default() }.checked().expect("valid");
        let arcs: Vec<_> = (0..made.chunks()).into_par_iter().flat_map_iter(|c| made.chunk(c)).collect();
        let n = 1usize << (size - 4);
        let policy = Policy { self_loops: SelfLoops::Drop, ..Policy::default() };
        let (graph, _) = build(EdgeList::plain(n, arcs), &policy).expect("a graph");
        let AnyGraph::Unit(graph) = graph else { panic!("an unweighted list gives an unweighted graph") };
        Self::new("R-MAT", graph, (0..n as u32).collect())
    }

    fn lfr(size: u32) -> Self {
        let made = Lfr { vertices: 1 << (size - 4), average_degree: 16.0, max_degree: 100, mixing: 0.3, ..Lfr::default() };
        let made = made.generate().expect("an LFR graph");
        Self::new("LFR", made.graph().expect("a graph"), made.truth)
    }

    /// k clusters that respect the groups, which are joined, or cut when there are fewer of them.
    fn settled(&self, k: usize) -> Arc<[u32]> {
        let groups = self.groups.iter().max().map_or(1, |&g| g as usize + 1);
        let pieces = k.div_ceil(groups);
        let piece = |(i, &group): (usize, &u32)| ((group as usize * pieces + i % pieces) * k / (groups * pieces)) as u32;
        self.groups.iter().enumerate().map(piece).collect()
    }

    fn scattered(&self, k: usize) -> Arc<[u32]> {
        let mix = |i: u64| (i.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 20).wrapping_mul(0xD1B5_4A32_D192_ED03) >> 32;
        let scatter = |i: u64| if k == self.groups.len() { i } else { mix(i + 1) % k as u64 };
        (0..self.groups.len() as u64).map(|i| scatter(i) as u32).collect()
    }

    fn params(&self, labels: &Arc<[u32]>) -> KernelDpMeans {
        let stop = StopRules { passes: Some(1), ..StopRules::default() };
        let start = Start::Labels(Arc::clone(labels));
        KernelDpMeans { start, shift: self.shift, stop, refine: false, ..KernelDpMeans::default() }
    }

    /// Seconds of a bare sweep.
    fn sweep(&self, threads: usize) -> f64 {
        let values: Vec<f64> = (0..self.graph.vertices()).map(|i| i as f64).collect();
        let mut sums = vec![0.0; values.len()];
        let rows = self.graph.rows();
        on(threads, || {
            least(|| {
                let started = Instant::now();
                sums.par_iter_mut().enumerate().with_min_len(256).for_each(|(i, sum)| {
                    *sum = rows.targets(i).iter().map(|&j| values[j as usize]).sum();
                });
                black_box(&sums);
                started.elapsed().as_secs_f64()
            })
        })
    }

    /// Seconds of one pass from these labels, and the share of vertices that it moves.
    fn pass(&self, labels: &Arc<[u32]>, threads: usize) -> (f64, f64) {
        let (params, objective) = (self.params(labels), objective());
        let moved = AtomicU64::new(0);
        let seconds = on(threads, || {
            least(|| {
                let clock = FirstPass { wall: Instant::now(), started: AtomicU64::new(0), seconds: AtomicU64::new(0) };
                let found = fit_graph(&self.graph, &objective, &params, &clock).expect("valid");
                moved.store(found.fit.trace[0].moves as u64, Relaxed);
                f64::from_bits(clock.seconds.into_inner())
            })
        });
        (seconds, moved.into_inner() as f64 / self.graph.vertices() as f64)
    }

    /// Bytes a vertex that a run has beyond the graph and the start labels, at its highest (Linux).
    fn memory(&self, labels: &Arc<[u32]>) -> Option<f64> {
        let (params, objective) = (self.params(labels), objective());
        std::fs::write("/proc/self/clear_refs", "5").ok()?;
        let before = status("VmRSS")?;
        on(2, || black_box(fit_graph(&self.graph, &objective, &params, &Silent).expect("valid")));
        Some((status("VmHWM")? - before) / self.graph.vertices() as f64)
    }
}

fn objective() -> Objective {
    Objective::new(ObjectiveKind::NormalizedCut, Resolution::new(0.5).expect("positive"))
}

/// The list in an environment variable, or the default.
fn list(name: &str, default: &str) -> Vec<String> {
    let text = std::env::var(name).unwrap_or_else(|_| default.into());
    text.split(',').map(|item| item.trim().to_owned()).collect()
}

fn numbers(name: &str, default: &str) -> Vec<usize> {
    list(name, default).iter().map(|item| item.parse().unwrap_or_else(|_| panic!("{name}: {item:?} is not a number"))).collect()
}

/// The fastest of some runs: more of them when they are short.
fn least(mut run: impl FnMut() -> f64) -> f64 {
    let repeats = numbers("PASS_REPEATS", "5")[0];
    let (mut best, mut total, mut runs) = (f64::INFINITY, 0.0, 0);
    while runs < repeats || (total < 0.1 && runs < 100) {
        let seconds = run();
        best = best.min(seconds);
        total += seconds;
        runs += 1;
    }
    best
}

fn on<T: Send>(threads: usize, run: impl FnOnce() -> T + Send) -> T {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads").install(run)
}

/// Notes when the first pass starts and how long it takes.
struct FirstPass {
    wall: Instant,
    started: AtomicU64,
    seconds: AtomicU64,
}

impl Observer for FirstPass {
    fn event(&self, event: Event<'_>) {
        let now = self.wall.elapsed().as_secs_f64();
        match event {
            Event::Stage { .. } => self.started.store(now.to_bits(), Relaxed),
            Event::Pass(_) => self.seconds.store((now - f64::from_bits(self.started.load(Relaxed))).to_bits(), Relaxed),
            _ => {}
        }
    }
}

/// A line of `/proc/self/status` in bytes; `None` where there is no such thing.
fn status(field: &str) -> Option<f64> {
    let text = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = text.lines().find(|l| l.starts_with(field))?;
    line.split_whitespace().nth(1)?.parse::<f64>().ok().map(|kb| kb * 1024.0)
}

/// One line of the table.
struct Line {
    kind: &'static str,
    k: usize,
    one: f64,
    two: f64,
}

/// Prints the table of one graph; returns its lines and the sweep on one thread, in seconds an arc.
fn table(subject: &Subject, ks: &[usize]) -> (Vec<Line>, f64) {
    let arcs = subject.graph.arcs() as f64;
    let (bare, bare2) = (subject.sweep(1), subject.sweep(2));
    println!(
        "{:5} {arcs:>9} arcs: sweep {:.2} ns an arc, {:.2}x faster on two threads",
        subject.name,
        bare / arcs * 1e9,
        bare / bare2
    );
    let mut lines = Vec::new();
    for &k in ks.iter().filter(|&&k| 2 * k <= subject.graph.vertices()) {
        for (kind, labels) in [("scattered", subject.scattered(k)), ("settled", subject.settled(k))] {
            let ((one, moved), (two, _)) = (subject.pass(&labels, 1), subject.pass(&labels, 2));
            println!(
                "  k {k:<7} {kind:9}  moved {:4.1} %  {:6.2} ns an arc  pass/sweep {:5.2}  on two threads {:5.2}  two against one {:4.2}x",
                moved * 100.0,
                one / arcs * 1e9,
                one / bare,
                two / bare2,
                one / two
            );
            lines.push(Line { kind, k, one: one / arcs, two: two / arcs });
        }
    }
    for kind in ["scattered", "settled"] {
        let of: Vec<&Line> = lines.iter().filter(|l| l.kind == kind).collect();
        if let [few, .., many] = of[..] {
            let (one, two) = (many.one / few.one, many.two / few.two);
            println!("  {kind}: k = {} against {}: {one:.2}x, on two threads {two:.2}x", many.k, few.k);
        }
    }
    (lines, bare / arcs)
}

/// Prints the memory of runs on one graph, the last from singletons.
fn memory_table(subject: &Subject, ks: &[usize]) {
    let n = subject.graph.vertices();
    for k in ks.iter().copied().filter(|k| 2 * k <= n).chain([n]) {
        let labels = subject.scattered(k);
        let bytes = subject.memory(&labels).map_or("not known".into(), |b| format!("{b:.1} bytes a vertex"));
        println!("{:5} {:>9} arcs, k {k:<7}: memory beyond the graph {bytes}", subject.name, subject.graph.arcs());
    }
}

/// Runs this program again for the memory alone, with an allocator that gives back what is freed (glibc), so that the growth of the
/// process is what a run takes.
fn measure_memory() {
    let program = std::env::current_exe().expect("this program");
    let child = std::process::Command::new(program).env("PASS_MEMORY", "1").env("MALLOC_MMAP_THRESHOLD_", "65536").status();
    assert!(child.is_ok_and(|status| status.success()), "the measurement of memory failed");
}

fn main() {
    let (sizes, ks) = (numbers("PASS_ARCS", "20,22"), numbers("PASS_K", "10,1000,100000"));
    let only_memory = std::env::var_os("PASS_MEMORY").is_some();
    for name in list("PASS_GRAPHS", "rmat,lfr") {
        let make = match name.as_str() {
            "rmat" => Subject::rmat,
            "lfr" => Subject::lfr,
            other => panic!("PASS_GRAPHS: {other:?} is neither rmat nor lfr"),
        };
        if only_memory {
            for &size in &sizes {
                memory_table(&make(size as u32), &ks);
            }
            continue;
        }
        let tables: Vec<_> = sizes.iter().map(|&size| table(&make(size as u32), &ks)).collect();
        let (Some(small), Some(large)) = (tables.first(), tables.last().filter(|_| tables.len() > 1)) else { continue };
        for line in &large.0 {
            let Some(twin) = small.0.iter().find(|l| l.k == line.k && l.kind == line.kind) else { continue };
            let (pass, sweep) = (line.one / twin.one, large.1 / small.1);
            println!(
                "{name} k {:<7} {:9}: largest against smallest graph, per arc: pass {pass:.2}x, sweep {sweep:.2}x, beyond the sweep {:.2}x",
                line.k,
                line.kind,
                pass / sweep
            );
        }
    }
    if !only_memory {
        measure_memory();
    }
}
