//! `lambdacut cluster`: a graph in, a clustering out. And `lambdacut path`: every clustering on the
//! way.

mod checkpoint;
mod methods;
mod report;
mod spectral;
mod story;

use super::common::{Global, Progress, time_limit};
use super::input::{GraphArgs, Loaded, ReadArgs, read_labels_for};
use super::layers::{self, Job, LayersArgs};
use super::output::{self, OutputArgs};
use anyhow::bail;
use clap::{Args, ValueEnum};
use lambdacut::fit::Fit;
use lambdacut::ids::Cluster;
use lambdacut::io::Unknown;
use lambdacut::observe::Observer;
use lambdacut::params::{DEFAULT_SEED, ObjectiveKind, StopRules};
use lambdacut::report::document::{Document, FitSection, ObjectiveSection, PathPoint};
use lambdacut::report::html::SpectrumView;
use lambdacut::search::choose::Choice;
use lambdacut::search::effort::Effort;
use lambdacut::search::path::Walk;
use lambdacut::search::{Optimality, Search};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

/// The arguments of `cluster`.
#[derive(Debug, Args)]
#[command(
    after_help = "How to read the resolution β: a cluster is worth having if the share of its weight that leaves it (its cut ratio) is \
below β. More β, more clusters. Without --resolution or --clusters the whole path over β is followed, and of the clusterings that \
tell neighbours apart well the one that is best over the widest interval of β is recommended.\n\n\
Examples:\n  \
lambdacut cluster graph.edges -o clusters.labels\n  \
lambdacut cluster graph.edges --report report.html\n  \
lambdacut cluster graph.edges.gz --resolution 0.4 -o clusters.labels --json result.json\n  \
lambdacut cluster graph.edges --clusters 50 --truth truth.labels\n  \
lambdacut cluster graph.edges --method kernel-dp-means --resolution 0.4"
)]
pub struct ClusterArgs {
    /// The graph: an edge list, METIS (.graph), Matrix Market (.mtx) or binary (.lcut), also as .gz
    /// or .zst; `-` is standard input.
    #[arg(required_unless_present = "layers", conflicts_with = "layers")]
    graph: Option<PathBuf>,
    #[command(flatten)]
    reading: ReadArgs,
    #[command(flatten)]
    layers: LayersArgs,
    #[command(flatten)]
    what: WhatArgs,
    #[command(flatten)]
    output: OutputArgs,
}

/// What to look for, and how.
#[derive(Debug, Args)]
#[command(next_help_heading = "What to look for")]
pub struct WhatArgs {
    /// The resolution β > 0: the best clustering found at it.
    #[arg(
        long,
        short = 'b',
        value_name = "BETA",
        allow_negative_numbers = true,
        conflicts_with = "clusters"
    )]
    pub resolution: Option<f64>,
    /// Exactly this many clusters, the best found.
    #[arg(long, short = 'k', value_name = "K")]
    pub clusters: Option<usize>,
    /// Which cut: normalized (by volume) or ratio (by number of vertices).
    #[arg(long, value_name = "CUT", default_value = "ncut")]
    pub objective: ObjectiveArg,
    /// path: annealing with exact moves, the best answers; kernel-dp-means: the paper's algorithm;
    /// spectral: all eigenvectors below β.
    #[arg(long, value_name = "METHOD", default_value = "path")]
    pub method: Method,
    /// How hard to search.
    #[arg(long, value_name = "EFFORT", default_value = "normal")]
    pub effort: EffortArg,
    /// Stop after this many seconds with the best so far.
    #[arg(long, value_name = "SECONDS")]
    pub time_limit: Option<f64>,
    /// Start from the clusters in this labels file (with --resolution).
    #[arg(long, value_name = "LABELS")]
    pub start: Option<PathBuf>,
    /// Vertices with the same label in this file stay together.
    #[arg(long, value_name = "LABELS")]
    pub fixed: Option<PathBuf>,
    /// Keep the state of a long path here after every step, and go on from it if it is there.
    #[arg(long, value_name = "FILE")]
    pub checkpoint: Option<PathBuf>,
    /// Seed of the methods that draw numbers (kernel-dp-means, spectral); the path search draws
    /// none.
    #[arg(long, value_name = "SEED", default_value_t = DEFAULT_SEED)]
    pub seed: u64,
    /// Exact moves after kernel-dp-means or spectral.
    #[arg(long, value_name = "YES|NO", default_value = "yes", value_parser = yes_no, action = clap::ArgAction::Set)]
    pub refine: bool,
    /// Print a lower bound of F over all clusterings, from the spectrum, and the gap to it. Costs
    /// eigenvectors: on a large graph the estimate of time and memory is printed first.
    #[arg(long)]
    pub certify: bool,
    #[command(flatten)]
    pub pass: methods::PassArgs,
}

/// The objective on the command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ObjectiveArg {
    /// Normalized cut.
    Ncut,
    /// Ratio cut.
    Rcut,
}

impl ObjectiveArg {
    /// The library's name for it.
    pub fn kind(self) -> ObjectiveKind {
        match self {
            Self::Ncut => ObjectiveKind::NormalizedCut,
            Self::Rcut => ObjectiveKind::RatioCut,
        }
    }
}

/// The effort on the command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum EffortArg {
    /// A first look.
    Fast,
    /// For nearly everybody.
    Normal,
    /// The last percent.
    Best,
}

impl EffortArg {
    /// The library's name for it.
    pub fn effort(self) -> Effort {
        match self {
            Self::Fast => Effort::Fast,
            Self::Normal => Effort::Normal,
            Self::Best => Effort::Best,
        }
    }
}

/// The method on the command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Method {
    /// Annealing in β with exact moves.
    Path,
    /// The paper's batch algorithm.
    KernelDpMeans,
    /// All eigenvectors below β.
    Spectral,
}

impl Method {
    fn name(self) -> &'static str {
        match self {
            Self::Path => "path",
            Self::KernelDpMeans => "kernel-dp-means",
            Self::Spectral => "spectral",
        }
    }
}

/// What a method found.
pub struct Found {
    fit: Fit,
    cut: f64,
    beta: Option<f64>,
    lambda: Option<f64>,
    interval: Option<(f64, f64)>,
    optimal: Option<Optimality>,
    choice: Option<Choice>,
    united: bool,
    spectrum: Option<Eigenvalues>,
    walked: Option<Walked>,
}

/// A spectrum without its vectors, as JSON and for the page.
pub struct Eigenvalues {
    section: serde_json::Value,
    view: SpectrumView,
}

/// A path with the search that followed it, for the labels of its corners.
pub struct Walked {
    search: Search,
    walk: Walk,
}

fn yes_no(text: &str) -> Result<bool, String> {
    match text {
        "yes" | "true" => Ok(true),
        "no" | "false" => Ok(false),
        _ => Err(format!("expected yes or no, not {text:?}")),
    }
}

/// Labels of `path` for the vertices of the graph.
fn labels_for(path: Option<&PathBuf>, loaded: &Loaded) -> anyhow::Result<Option<Vec<Cluster>>> {
    path.map(|path| Ok(read_labels_for(path, loaded, Unknown::Error)?.labels))
        .transpose()
}

/// Runs `cluster`.
pub fn run(args: &ClusterArgs, global: &Global) -> anyhow::Result<ExitCode> {
    let started = Instant::now();
    let progress = global.progress()?;
    check(&args.what)?;
    args.output.takes_standard_output()?;
    let Some(path) = &args.graph else {
        return several(args, &progress);
    };
    let loaded = args.reading.load(path, &progress)?;
    let clock = Instant::now();
    let mut found = match args.what.method {
        Method::Path => methods::path(&args.what, &loaded, &progress)?,
        Method::KernelDpMeans => methods::kernel_dp_means(&args.what, &loaded, &progress)?,
        Method::Spectral => spectral::spectral(&args.what, &loaded, &progress)?,
    };
    let seconds = clock.elapsed().as_secs_f64();
    progress.finish();
    let mut document = document(&args.what, &found, &loaded);
    if args.what.certify {
        let (certificate, low) = spectral::certify(&found, &args.what, &loaded, &progress)?;
        document.more.insert("certificate".to_owned(), certificate);
        found.spectrum.get_or_insert(low);
    }
    document.seconds.insert("cluster".to_owned(), seconds);
    output::measure(&mut document, &args.output, &loaded, &found.fit.labels)?;
    for line in story::lines(&found, &args.what, &document) {
        progress.say(&line);
    }
    let document = output::finish(
        document,
        &args.output,
        &loaded,
        &found.fit.labels,
        args.what.seed,
        started,
    )?;
    if let Some(file) = &args.output.report {
        let shown = report::Shown {
            what: &args.what,
            reading: &args.reading,
            path,
            loaded: &loaded,
            found: &found,
        };
        shown.write(file, &document, args.output.truth.as_deref(), &progress)?;
    }
    // Also when only the certificate was cut short.
    Ok(if progress.cancelled() {
        ExitCode::from(130)
    } else {
        ExitCode::SUCCESS
    })
}

/// Several layers at once.
fn several(args: &ClusterArgs, progress: &Progress) -> anyhow::Result<ExitCode> {
    let what = &args.what;
    let elsewhere = [&what.fixed, &what.start, &what.checkpoint]
        .into_iter()
        .any(Option::is_some);
    if what.method != Method::Path || what.clusters.is_some() || elsewhere || what.certify {
        bail!(
            "--layers goes with --resolution and --objective, --effort, --time-limit; not with other ways of clustering"
        );
    }
    let job = Job {
        reading: &args.reading,
        kind: what.objective.kind(),
        resolution: what.resolution,
        effort: what.effort,
        stop: StopRules {
            time: what.time_limit.map(time_limit).transpose()?,
            ..StopRules::default()
        },
        output: &args.output,
    };
    layers::run(&args.layers, &job, progress)
}

/// Requests that contradict themselves.
fn check(what: &WhatArgs) -> anyhow::Result<()> {
    if let Some(beta) = what.resolution {
        lambdacut::params::Resolution::new(beta)?;
    }
    what.time_limit.map(time_limit).transpose()?;
    if what.start.is_some() && what.method == Method::Path && what.resolution.is_none() {
        bail!("--start needs --resolution: the path begins with every vertex alone");
    }
    if what.checkpoint.is_some() && (what.method != Method::Path || what.resolution.is_some()) {
        bail!(
            "--checkpoint keeps the state of a path: it goes with --method path and without --resolution"
        );
    }
    if what.method != Method::Path && what.fixed.is_some() {
        bail!("--fixed goes with --method path");
    }
    Ok(())
}

fn document(what: &WhatArgs, found: &Found, loaded: &Loaded) -> Document {
    let mut document = Document {
        graph: Some(loaded.section.clone()),
        ..Document::default()
    };
    document.objective = Some(ObjectiveSection {
        kind: what.objective.kind(),
        resolution: found.beta,
        lambda: found.lambda,
        value: found.fit.value,
        cut: found.cut,
        clusters: found.fit.clusters,
    });
    document.fit = Some(FitSection {
        method: what.method.name().to_owned(),
        stop: found.fit.stop,
        passes: found.fit.trace.len(),
        trace: found.fit.trace.clone(),
    });
    document.path = found.choice.as_ref().map(path_points);
    document.spectrum = found.spectrum.as_ref().map(|low| low.section.clone());
    let mut answer = serde_json::Map::new();
    answer.insert(
        "interval".to_owned(),
        serde_json::json!(found.interval.map(|(low, high)| [low, high])),
    );
    answer.insert(
        "locally_optimal".to_owned(),
        serde_json::json!(found.optimal),
    );
    answer.insert(
        "united_components".to_owned(),
        serde_json::json!(found.united),
    );
    if let Some(choice) = &found.choice {
        answer.insert("reason".to_owned(), serde_json::json!(choice.reason));
    }
    document
        .more
        .insert("answer".to_owned(), serde_json::Value::Object(answer));
    document
}

/// The `path` section.
pub fn path_points(choice: &Choice) -> Vec<PathPoint> {
    let point = |(at, c): (usize, &lambdacut::search::choose::Candidate)| PathPoint {
        clusters: c.clusters,
        cut: c.cut,
        beta_low: c.beta_low,
        beta_high: c.beta_high,
        recommended: at == choice.chosen,
    };
    choice.candidates.iter().enumerate().map(point).collect()
}

/// The arguments of `path`.
#[derive(Debug, Args)]
#[command(
    after_help = "Prints one line for every clustering on the lower hull of (clusters, cut), with the interval of β on which nothing found \
beats it. To get one of them: lambdacut cluster GRAPH --resolution B with a B inside its interval.\n\n\
Example:\n  lambdacut path graph.edges --json path.json"
)]
pub struct PathArgs {
    #[command(flatten)]
    graph: GraphArgs,
    #[command(flatten)]
    what: WhatArgs,
    #[command(flatten)]
    output: OutputArgs,
}

/// Runs `path`: as `cluster` without parameters, with the whole table on standard output.
pub fn run_path(args: PathArgs, global: &Global) -> anyhow::Result<ExitCode> {
    let PathArgs {
        graph,
        what,
        output,
    } = args;
    if what.resolution.is_some() || what.clusters.is_some() || what.method != Method::Path {
        bail!(
            "path follows the whole path: use cluster for one resolution, a number of clusters or another method"
        );
    }
    let started = Instant::now();
    let progress = global.progress()?;
    check(&what)?;
    let taken = output.takes_standard_output()?;
    let loaded = graph.load(&progress)?;
    let clock = Instant::now();
    let found = methods::path(&what, &loaded, &progress)?;
    progress.finish();
    let mut document = document(&what, &found, &loaded);
    document
        .seconds
        .insert("cluster".to_owned(), clock.elapsed().as_secs_f64());
    output::measure(&mut document, &output, &loaded, &found.fit.labels)?;
    if !taken {
        output::print(&story::table(&found))?;
    }
    let document = output::finish(
        document,
        &output,
        &loaded,
        &found.fit.labels,
        what.seed,
        started,
    )?;
    if let Some(file) = &output.report {
        let shown = report::Shown {
            what: &what,
            reading: &graph.reading,
            path: &graph.graph,
            loaded: &loaded,
            found: &found,
        };
        shown.write(file, &document, output.truth.as_deref(), &progress)?;
    }
    Ok(if progress.cancelled() {
        ExitCode::from(130)
    } else {
        ExitCode::SUCCESS
    })
}
