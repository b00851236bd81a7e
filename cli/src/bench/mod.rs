//! `lambdacut bench`: how fast this machine loads, sweeps, passes, solves and follows the path, and
//! in how much memory.
//!
//! Every stage is repeated; the table shows the median, the spread and ratios between stages of the
//! same run, which say more than seconds: they carry over to other machines. `--json` keeps a run,
//! `--baseline` compares with one.

mod compare;
mod graphs;
mod record;
mod stages;
mod table;

use super::cluster::args::EffortArg;
use super::common::{Global, Progress, command_line, in_pool};
use super::input::ReadArgs;
use super::output::{self, print};
use anyhow::{Context, bail};
use clap::Args;
use graphs::{Case, Prepared};
use lambdacut::params::{DEFAULT_SEED, Resolution};
use lambdacut::run::{Event, Observer};
use record::{GraphRecord, Memory, Record, RunRecord, Settings};
use stages::{Bench, StageArg};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::process::ExitCode;

/// The arguments of `bench`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
lambdacut bench                                             the built-in ladder, in under a minute\n  \
lambdacut bench --threads 1,2 --json before.json            keep a run …\n  \
lambdacut bench --threads 1,2 --baseline before.json        … and see later what got worse\n  \
lambdacut bench web.edges.gz --stages load,solve --repeat 5")]
pub struct BenchArgs {
    /// Graphs to measure on; without any, a ladder of generated ones (R-MAT and LFR).
    #[arg(value_name = "GRAPH")]
    graphs: Vec<PathBuf>,
    /// Sizes of the generated graphs in edges (suffixes k, M, G).
    #[arg(long, value_name = "EDGES", value_delimiter = ',', default_value = "100k,1M", value_parser = graphs::parse_count, conflicts_with = "graphs")]
    sizes: Vec<u64>,
    /// What to measure.
    #[arg(
        long,
        value_name = "STAGE",
        value_delimiter = ',',
        default_value = "load,sweep,pass,solve,path,spectrum"
    )]
    stages: Vec<StageArg>,
    /// Runs of each stage; the table shows their median and spread.
    #[arg(long, value_name = "N", default_value = "3")]
    repeat: NonZeroUsize,
    /// The β of the stages pass, solve and spectrum.
    #[arg(long, value_name = "B", default_value_t = 0.5)]
    resolution: f64,
    /// How hard solve and path search.
    #[arg(long, value_name = "HOW", default_value = "fast")]
    effort: EffortArg,
    /// Skip a spectrum that is estimated to take this long or longer.
    #[arg(long, value_name = "SECONDS", default_value_t = 10.0)]
    spectrum_limit: f64,
    /// Seed of the generated graphs.
    #[arg(long, default_value_t = DEFAULT_SEED)]
    seed: u64,
    /// Where to write all measurements as JSON (`-` for standard output, in place of the table).
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// An earlier --json file: mark what got worse since, beyond the spread of both runs.
    #[arg(long, value_name = "FILE")]
    baseline: Option<PathBuf>,
    /// End with exit code 1 when something got worse.
    #[arg(long, requires = "baseline")]
    fail_on_regression: bool,
    #[command(flatten)]
    reading: ReadArgs,
}

/// Measures, prints the table, writes and compares.
pub fn run(args: &BenchArgs, global: &Global) -> anyhow::Result<ExitCode> {
    let beta = Resolution::new(args.resolution)?;
    let baseline = args.baseline.as_deref().map(compare::read).transpose()?;
    let progress = global.progress()?;
    let all = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
    let threads: Vec<usize> = if global.threads.is_empty() {
        vec![all]
    } else {
        global.threads.iter().map(|n| n.get()).collect()
    };
    let dir = tempfile::tempdir().context("cannot make a directory for the generated graphs")?;
    let effort = args.effort.effort();
    let spectrum_limit = args.spectrum_limit;
    let bench = Bench {
        beta,
        effort,
        repeat: args.repeat.get(),
        spectrum_limit,
        reading: args.reading.options(),
        progress: &progress,
    };
    let mut record = Record {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        command: command_line(),
        cores: all,
        settings: Settings {
            repeat: args.repeat.get(),
            resolution: args.resolution,
            effort,
        },
        memory: Memory::how(),
        graphs: Vec::new(),
    };
    for case in cases(args) {
        if progress.cancelled() {
            break;
        }
        progress.event(Event::Stage {
            name: &format!("preparing {}", case.name()),
            total: None,
        });
        let prepared = case.prepare(dir.path(), &bench.reading, &progress)?;
        record.graphs.push(measure(
            &bench,
            &prepared,
            &args.stages,
            &threads,
            &progress,
        )?);
    }
    progress.finish();
    let shown = baseline
        .as_ref()
        .map(|earlier| compare::compare(earlier, &record));
    if args.json.as_deref() != Some("-".as_ref()) {
        print(&table::table(&record, shown.as_ref()))?;
    }
    output::write_json(args.json.as_deref(), &record)?;
    let worse = shown.as_ref().map_or(0, compare::Comparison::worse);
    if args.fail_on_regression && worse > 0 {
        bail!("{worse} measurements got worse than in the baseline");
    }
    Ok(if progress.cancelled() {
        ExitCode::from(130)
    } else {
        ExitCode::SUCCESS
    })
}

/// The graphs asked for, or the ladder: from small to large, of each kind.
fn cases(args: &BenchArgs) -> Vec<Case> {
    if !args.graphs.is_empty() {
        return args.graphs.iter().cloned().map(Case::File).collect();
    }
    let of_size = |&edges: &u64| {
        [
            Case::Lfr {
                edges,
                seed: args.seed,
            },
            Case::Rmat {
                edges,
                seed: args.seed,
            },
        ]
    };
    args.sizes.iter().flat_map(of_size).collect()
}

/// All stages on one graph, by threads. An interrupted run keeps what it has.
fn measure(
    bench: &Bench,
    graph: &Prepared,
    stages: &[StageArg],
    threads: &[usize],
    progress: &Progress,
) -> anyhow::Result<GraphRecord> {
    let mut runs: Vec<RunRecord> = Vec::new();
    for &stage in stages {
        for &threads in threads {
            if progress.cancelled() {
                break;
            }
            let name = format!("{}: {}, {threads} threads", graph.name, stage.name());
            progress.event(Event::Stage {
                name: &name,
                total: None,
            });
            let measured = in_pool(NonZeroUsize::new(threads), || bench.stage(stage, graph))?;
            runs.extend(measured.map(|outcome| RunRecord {
                stage: stage.name().to_owned(),
                threads,
                outcome,
            }));
        }
    }
    Ok(graph.record(runs))
}
