//! What the benchmarks share: timing through criterion, this process and others, and the record of
//! ratios that `benches/table.rs` prints.
//!
//! A benchmark makes one [`Ratios`], times things, and says what each is to be compared with. Times
//! are those of the fastest of criterion's ten samples, and of the fastest run of other programs:
//! what else the machine does makes things slower, never faster. Criterion keeps its own account in
//! `target/criterion`.
//!
//! The names after `--` choose parts of a benchmark: `cargo bench --bench pass -- rmat`.

// Every benchmark is compiled with all of this and uses its own part; each function is used by at
// least one of them.
#![allow(dead_code)]

pub mod process;
pub mod rows;

use criterion::{Criterion, SamplingMode};
use lambdacut::graph::{Csr, Weight, sweep};
use rayon::{ThreadPool, ThreadPoolBuilder};
pub use rows::{Measure, Row, Target};
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// How often things that are compared closely take turns.
const TURNS: usize = 3;

/// Work that takes longer, in seconds, is done once.
const LONG: f64 = 3.0;

/// The ratios of one benchmark.
pub struct Ratios {
    benchmark: &'static str,
    criterion: Criterion,
    rows: Vec<Row>,
}

impl Ratios {
    pub fn new(benchmark: &'static str) -> Self {
        let criterion = Criterion::default()
            .without_plots()
            .sample_size(10)
            .nresamples(2000);
        let criterion = criterion
            .warm_up_time(Duration::from_millis(100))
            .measurement_time(Duration::from_millis(500));
        Self {
            benchmark,
            criterion: criterion.output_directory(&criterion_directory()),
            rows: Vec::new(),
        }
    }

    /// Seconds of `work`.
    pub fn time<R>(&mut self, group: &str, function: &str, mut work: impl FnMut() -> R) -> f64 {
        self.clocked(group, function, || clock(&mut work).1)
    }

    /// The same for work that itself says how long what matters took.
    pub fn clocked(
        &mut self,
        group: &str,
        function: &str,
        mut work: impl FnMut() -> Duration,
    ) -> f64 {
        let mut members = self.criterion.benchmark_group(group);
        members.sampling_mode(SamplingMode::Flat);
        members.bench_function(function, |bencher| {
            bencher.iter_custom(|runs| (0..runs).map(|_| work()).sum());
        });
        members.finish();
        fastest(&criterion_directory().join(group).join(function))
    }

    /// Seconds of two things that take turns, so that a machine that slows down does so for both;
    /// criterion keeps the last turn.
    pub fn in_turns(
        &mut self,
        group: &str,
        functions: [&str; 2],
        works: [&mut dyn FnMut() -> Duration; 2],
    ) -> [f64; 2] {
        let [first, second] = works;
        let mut turn = |_| {
            [
                self.clocked(group, functions[0], &mut *first),
                self.clocked(group, functions[1], &mut *second),
            ]
        };
        (0..TURNS)
            .map(&mut turn)
            .fold([f64::INFINITY; 2], |least, now| {
                [least[0].min(now[0]), least[1].min(now[1])]
            })
    }

    /// Seconds of work that was done once and then took `once`: timed again, unless that would take
    /// too long.
    pub fn time_again<R>(
        &mut self,
        group: &str,
        function: &str,
        once: Duration,
        work: impl FnMut() -> R,
    ) -> f64 {
        if once.as_secs_f64() > LONG {
            once.as_secs_f64()
        } else {
            self.time(group, function, work)
        }
    }

    /// Seconds of a bare sweep over the graph.
    pub fn sweep<W: Weight>(
        &mut self,
        group: &str,
        function: &str,
        graph: &Csr<W>,
        pool: &ThreadPool,
    ) -> f64 {
        let values: Vec<f64> = (0..graph.vertices()).map(|i| i as f64).collect();
        let mut sums = vec![0.0; values.len()];
        self.clocked(group, function, || {
            pool.install(|| clock(|| sweep(graph, &values, black_box(&mut sums))).1)
        })
    }

    /// Puts `measured / reference` into the table. A reference that is not there leaves the claim
    /// open.
    pub fn compare(
        &mut self,
        claim: impl Into<String>,
        unit: Measure,
        measured: f64,
        reference: impl Into<Option<f64>>,
        target: impl Into<Option<Target>>,
    ) {
        let (claim, reference, target) = (claim.into(), reference.into(), target.into());
        self.rows.push(Row {
            claim,
            unit,
            measured,
            reference,
            target,
        });
    }

    /// Keeps the ratios for the table of all, and prints them.
    pub fn finish(self) {
        rows::keep(self.benchmark, &self.rows);
        println!(
            "\n{}",
            rows::table(&[(self.benchmark.to_owned(), self.rows)])
        );
    }
}

fn criterion_directory() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("criterion")
}

/// Seconds a run of the fastest sample that criterion just took.
fn fastest(directory: &Path) -> f64 {
    #[derive(serde::Deserialize)]
    struct Sample {
        iters: Vec<f64>,
        times: Vec<f64>,
    }
    let text =
        std::fs::read(directory.join("new/sample.json")).expect("criterion has written its sample");
    let sample: Sample = serde_json::from_slice(&text).expect("runs and nanoseconds");
    sample
        .times
        .iter()
        .zip(&sample.iters)
        .map(|(time, runs)| time / runs / 1e9)
        .fold(f64::INFINITY, f64::min)
}

/// What `work` returns, and how long it took.
pub fn clock<R>(work: impl FnOnce() -> R) -> (R, Duration) {
    let began = Instant::now();
    let result = black_box(work());
    (result, began.elapsed())
}

pub fn threads(number: usize) -> ThreadPool {
    ThreadPoolBuilder::new()
        .num_threads(number)
        .build()
        .expect("threads")
}

/// Whether a part of the benchmark is asked for.
pub fn wants(part: &str) -> bool {
    let mut names = std::env::args()
        .skip(1)
        .filter(|argument| !argument.starts_with('-'))
        .peekable();
    names.peek().is_none() || names.any(|name| name == part)
}

/// The list in an environment variable, or the default.
pub fn list(variable: &str, default: &str) -> Vec<String> {
    let text = std::env::var(variable).unwrap_or_else(|_| default.into());
    text.split(',').map(|item| item.trim().to_owned()).collect()
}

/// The numbers in an environment variable, or the default.
pub fn numbers(variable: &str, default: &str) -> Vec<usize> {
    let number = |item: &String| {
        item.parse()
            .unwrap_or_else(|_| refuse(&format!("{variable}: {item:?} is not a number")))
    };
    list(variable, default).iter().map(number).collect()
}

/// Ends the benchmark because it was asked for something that there is not.
pub fn refuse(why: &str) -> ! {
    eprintln!("{why}");
    std::process::exit(1);
}

/// The directory of the real data.
pub fn data() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    std::env::var_os("LAMBDACUT_DATA").map_or_else(|| here.join("../shared/data"), PathBuf::from)
}

/// `12 k`, `1.0 M`.
pub fn short(count: usize) -> String {
    if count < 1_000_000 {
        format!("{:.0} k", count as f64 / 1e3)
    } else {
        format!("{:.1} M", count as f64 / 1e6)
    }
}
