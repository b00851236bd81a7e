//! What a pass costs, as ratios within one run: against a bare sweep (the sum over the neighbours' values), by number of clusters, by size, by
//! threads, and in memory.
//!
//! `cargo bench --bench pass` runs graphs of 2²⁰ and 2²⁴ arcs; `PASS_ARCS=20,26 cargo bench --bench pass` (logarithms to base 2) others; `PASS_K` lists numbers of clusters. Times are those of
//! `PASS_REPEATS` (5) runs or more: on one thread the mean by that thread's own clock, on two the least by the wall's. Graphs: R-MAT (0.57, 0.19, 0.19, 0.05) and a planted partition with mixing 0.3, both with about 16 arcs a vertex.
#![allow(missing_docs)]

use lambdacut::cluster::kernel_dp_means::{KernelDpMeans, Shift, Start, fit_graph};
use lambdacut::graph::{Graph, Unit};
use lambdacut::objective::Objective;
use lambdacut::observe::{Event, Observer, Silent};
use lambdacut::params::{ObjectiveKind, Resolution, StopRules};
use rayon::prelude::*;
use std::hint::black_box;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Instant;

fn mix(mut x: u64) -> u64 {
    x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    x ^ (x >> 31)
}

fn rmat(edge: u64, bits: u32) -> (u32, u32) {
    let (mut i, mut j) = (0, 0);
    let mut state = mix(edge.wrapping_mul(0x9E37_79B9_7F4A_7C15).wrapping_add(1));
    for _ in 0..bits {
        state = mix(state.wrapping_add(0x9E37_79B9_7F4A_7C15));
        let u = state >> 54;
        let (a, b) = match u {
            0..584 => (0, 0),
            584..778 => (0, 1),
            778..972 => (1, 0),
            _ => (1, 1),
        };
        (i, j) = (2 * i + a, 2 * j + b);
    }
    // Numbers that say nothing about the degree.
    let scramble = |v: u32| v.wrapping_mul(0x9E37_79B1) & ((1 << bits) - 1);
    (scramble(i), scramble(j))
}

/// Blocks of 64 consecutive vertices; 7 of 10 edges stay inside one.
fn planted(edge: u64, bits: u32) -> (u32, u32) {
    let x = mix(edge.wrapping_mul(0xD1B5_4A32_D192_ED03).wrapping_add(7));
    let i = x as u32 & ((1 << bits) - 1);
    let y = mix(x);
    let j = if y % 10 < 7 { (i & !63) | ((y >> 32) as u32 & 63) } else { (y >> 32) as u32 & ((1 << bits) - 1) };
    (i, j)
}

/// The graph of `edges` generated pairs, by counting sort; loops and repeats removed.
fn build(bits: u32, edges: u64, pair: impl Fn(u64, u32) -> (u32, u32) + Sync) -> Graph<Unit> {
    let n = 1usize << bits;
    let mut starts = vec![0u64; n + 1];
    let pairs = || (0..edges).map(|e| pair(e, bits)).filter(|(i, j)| i != j);
    for (i, j) in pairs() {
        starts[i as usize + 1] += 1;
        starts[j as usize + 1] += 1;
    }
    (0..n).for_each(|i| starts[i + 1] += starts[i]);
    let mut next = starts.clone();
    let mut targets = vec![0u32; starts[n] as usize];
    for (i, j) in pairs() {
        for (a, b) in [(i, j), (j, i)] {
            targets[next[a as usize] as usize] = b;
            next[a as usize] += 1;
        }
    }
    drop(next);
    let (mut offsets, mut kept) = (vec![0u64; n + 1], 0);
    for i in 0..n {
        let (from, to) = (starts[i] as usize, starts[i + 1] as usize);
        targets[from..to].sort_unstable();
        let mut last = u32::MAX;
        for at in from..to {
            if targets[at] != last {
                last = targets[at];
                targets[kept] = last;
                kept += 1;
            }
        }
        offsets[i + 1] = kept as u64;
    }
    targets.truncate(kept);
    targets.shrink_to_fit();
    Graph::from_arrays(offsets, targets, vec![Unit; kept]).expect("a valid graph")
}

fn repeats() -> usize {
    std::env::var("PASS_REPEATS").ok().and_then(|r| r.parse().ok()).unwrap_or(5)
}

/// On one thread the mean of so many runs that the coarse clock of the thread does not matter, on several the fastest run.
fn typical(threads: usize, mut run: impl FnMut() -> f64) -> f64 {
    if threads > 1 {
        return (0..repeats()).map(|_| run()).fold(f64::INFINITY, f64::min);
    }
    let (mut total, mut runs) = (0.0, 0);
    while runs < repeats() || total < 0.2 {
        total += run();
        runs += 1;
    }
    total / runs as f64
}

fn on<T: Send>(threads: usize, run: impl FnOnce() -> T + Send) -> T {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads").install(run)
}

/// Seconds this thread has run (Linux), so that one thread can be timed on a busy machine; elsewhere seconds that have passed.
fn thread_seconds(since: Instant) -> f64 {
    let busy = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds = busy.and_then(|text| text.split_whitespace().next()?.parse::<f64>().ok());
    nanoseconds.map_or_else(|| since.elapsed().as_secs_f64(), |ns| ns * 1e-9)
}

/// Seconds of `run`: on one thread by that thread's own clock, on several by the wall's.
fn timed(threads: usize, run: impl FnOnce()) -> f64 {
    let wall = Instant::now();
    let own = thread_seconds(wall);
    run();
    if threads == 1 { thread_seconds(wall) - own } else { wall.elapsed().as_secs_f64() }
}

/// Notes when the first pass starts and ends.
struct FirstPass {
    threads: usize,
    wall: Instant,
    started: AtomicU64,
    seconds: AtomicU64,
}

impl FirstPass {
    fn now(&self) -> f64 {
        if self.threads == 1 { thread_seconds(self.wall) } else { self.wall.elapsed().as_secs_f64() }
    }
}

impl Observer for FirstPass {
    fn event(&self, event: Event<'_>) {
        match event {
            Event::Stage { .. } => self.started.store(self.now().to_bits(), Relaxed),
            Event::Pass(_) => self.seconds.store((self.now() - f64::from_bits(self.started.load(Relaxed))).to_bits(), Relaxed),
            _ => {}
        }
    }
}

/// Seconds of a bare sweep.
fn sweep(graph: &Graph<Unit>, threads: usize) -> f64 {
    let values: Vec<f64> = (0..graph.vertices()).map(|i| i as f64).collect();
    let mut sums = vec![0.0; graph.vertices()];
    let rows = graph.rows();
    on(threads, || {
        typical(threads, || {
            timed(threads, || {
                sums.par_iter_mut().enumerate().with_min_len(256).for_each(|(i, sum)| {
                    *sum = rows.targets(i).iter().map(|&j| values[j as usize]).sum();
                });
                black_box(&sums);
            })
        })
    })
}

fn params(labels: &Arc<[u32]>) -> KernelDpMeans {
    KernelDpMeans {
        start: Start::Labels(Arc::clone(labels)),
        shift: Shift::Sigma(1.0),
        stop: StopRules { passes: Some(1), ..StopRules::default() },
        refine: false,
        ..KernelDpMeans::default()
    }
}

fn objective() -> Objective {
    Objective::new(ObjectiveKind::NormalizedCut, Resolution::new(0.5).expect("positive"))
}

/// Seconds of one pass (reassignment, sums, means) from these labels.
fn pass(graph: &Graph<Unit>, labels: &Arc<[u32]>, threads: usize) -> f64 {
    let (params, objective) = (params(labels), objective());
    on(threads, || {
        typical(threads, || {
            let clock = FirstPass { threads, wall: Instant::now(), started: AtomicU64::new(0), seconds: AtomicU64::new(0) };
            fit_graph(graph, &objective, &params, &clock).expect("valid");
            f64::from_bits(clock.seconds.into_inner())
        })
    })
}

/// Clusters of consecutive vertices (`local`), or scattered at random.
fn labels(graph: &Graph<Unit>, k: usize, local: bool) -> Arc<[u32]> {
    let n = graph.vertices();
    (0..n).map(|i| if local { (i * k / n) as u32 } else { (mix(i as u64) % k as u64) as u32 }).collect()
}

/// A line of `/proc/self/status` in bytes; `None` where there is no such thing.
fn status(field: &str) -> Option<f64> {
    let text = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = text.lines().find(|l| l.starts_with(field))?;
    line.split_whitespace().nth(1)?.parse::<f64>().ok().map(|kb| kb * 1024.0)
}

/// Bytes a vertex that a run has beyond the graph and the start labels, at its highest (Linux).
fn memory(graph: &Graph<Unit>, labels: &Arc<[u32]>) -> Option<f64> {
    let (params, objective) = (params(labels), objective());
    std::fs::write("/proc/self/clear_refs", "5").ok()?;
    let before = status("VmRSS")?;
    on(2, || black_box(fit_graph(graph, &objective, &params, &Silent).expect("valid")));
    Some((status("VmHWM")? - before) / graph.vertices() as f64)
}

fn main() {
    let list = |name: &str, default: &str| -> Vec<usize> {
        let text = std::env::var(name).unwrap_or_else(|_| default.into());
        text.split(',').filter_map(|s| s.trim().parse().ok()).collect()
    };
    let (sizes, ks) = (list("PASS_ARCS", "20,24"), list("PASS_K", "10,1000,100000"));
    println!("graph    arcs       k          ns/arc  pass/sweep  2 threads: sweep  pass  pass/sweep  memory B/vertex");
    let mut per_arc: Vec<(&str, f64, f64)> = Vec::new();
    for &size in &sizes {
        for (name, pair) in [("R-MAT", rmat as fn(u64, u32) -> (u32, u32)), ("planted", planted)] {
            let graph = build(size as u32 - 4, 1 << (size - 1), pair);
            let local = name == "planted";
            let (bare, bare2) = (sweep(&graph, 1), sweep(&graph, 2));
            let mut by_k = Vec::new();
            for &k in ks.iter().filter(|&&k| 2 * k <= graph.vertices()) {
                let labels = labels(&graph, k, local);
                let (one, two) = (pass(&graph, &labels, 1), pass(&graph, &labels, 2));
                let bytes = memory(&graph, &labels).map_or("–".into(), |b| format!("{b:.1}"));
                let arcs = graph.arcs() as f64;
                println!(
                    "{name:8} {:<10} {k:<10} {:<7.2} {:<11.2} {:>16.2}x {:>4.2}x {:>11.2} {bytes:>16}",
                    graph.arcs(),
                    one / arcs * 1e9,
                    one / bare,
                    bare / bare2,
                    one / two,
                    two / bare2,
                );
                by_k.push(two);
                per_arc.push((name, one / arcs, bare / arcs));
            }
            if let (Some(few), Some(many)) = (by_k.first(), by_k.last()) {
                println!("{name:8} most against fewest clusters: {:.2}x", many / few);
            }
        }
    }
    for name in ["R-MAT", "planted"] {
        let of: Vec<_> = per_arc.iter().filter(|p| p.0 == name).collect();
        if let (Some(small), Some(large)) = (of.first(), of.iter().rev().find(|_| sizes.len() > 1)) {
            let (pass, bare) = (large.1 / small.1, large.2 / small.2);
            println!(
                "{name:8} largest against smallest graph, per arc: pass {pass:.2}x, sweep {bare:.2}x, beyond the sweep {:.2}x",
                pass / bare
            );
        }
    }
}
