//! `lambdacut cluster`: a graph in, a clustering out. And `lambdacut path`: every clustering on the
//! way.

pub mod args;
mod certificate;
mod checkpoint;
mod methods;
mod report;
mod summary;

use self::args::{Method, ObjectiveArg, SearchArgs, refuse};
use self::methods::Found;
use super::common::{Clock, Global, Progress, exit_code};
use super::input::{GraphArgs, Loaded, ReadArgs};
use super::layers::{self, LayersArgs};
use super::output::{self, OutputArgs};
use clap::Args;
use lambdacut::report::document::{Document, FitSection, ObjectiveSection, PathPoint};
use lambdacut::search::Choice;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
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
    search: SearchArgs,
    #[command(flatten)]
    output: OutputArgs,
}

/// Runs `cluster`.
pub fn run(args: &ClusterArgs, global: &Global) -> anyhow::Result<ExitCode> {
    let clock = args.search.clock()?;
    args.search.refuse_unused()?;
    let progress = global.progress()?;
    let Some(graph) = &args.graph else {
        args.output.check_directory()?;
        refuse("--layers", &args.search.flags_beside_layers())?;
        let job = layers::Job {
            layers: &args.layers,
            reading: &args.reading,
            search: &args.search,
            output: &args.output,
        };
        return job.run(&clock, &progress);
    };
    refuse("a single graph (see --layers)", &args.layers.flags())?;
    args.output.check()?;
    let job = Job {
        graph,
        reading: &args.reading,
        search: &args.search,
        output: &args.output,
    };
    let done = job.run(&clock, &progress)?;
    for line in summary::lines(&done.found, job.search, &done.document) {
        progress.say(&line);
    }
    if args.output.nothing_written() {
        progress.say("labels     are not kept: give -o FILE to write them");
    }
    job.finish(done, &clock, &progress)
}

/// The arguments of `path`.
#[derive(Debug, Args)]
#[command(
    after_help = "Prints one line for every clustering on the lower hull of (clusters, cut), with the interval of β on which nothing found \
beats it. To get one of them: lambdacut cluster GRAPH --resolution B with a B inside its interval, or --clusters K; \
--labels-of K writes its labels at once.\n\n\
Examples:\n  \
lambdacut path graph.edges --json path.json\n  \
lambdacut path graph.edges --labels-of 7 -o seven.labels"
)]
pub struct PathArgs {
    #[command(flatten)]
    graph: GraphArgs,
    #[command(flatten)]
    search: SearchArgs,
    #[command(flatten)]
    output: OutputArgs,
    /// Whose labels -o writes: of the clustering of the path with this many clusters, instead of
    /// the recommended one.
    #[arg(long, value_name = "K", requires = "output")]
    labels_of: Option<usize>,
}

/// Runs `path`: as `cluster` without parameters, with the whole table on standard output.
pub fn run_path(args: &PathArgs, global: &Global) -> anyhow::Result<ExitCode> {
    let search = &args.search;
    let clock = search.clock()?;
    let other = [
        ("--resolution", search.resolution.is_some()),
        ("--clusters", search.clusters.is_some()),
        ("--method", search.method != Method::Path),
    ];
    refuse("path, which follows the whole path (see cluster)", &other)?;
    search.refuse_unused()?;
    let taken = args.output.check()?;
    let progress = global.progress()?;
    let job = Job {
        graph: &args.graph.graph,
        reading: &args.graph.reading,
        search,
        output: &args.output,
    };
    let mut done = job.run(&clock, &progress)?;
    if !taken {
        output::print(&summary::table(&done.found))?;
    }
    if let Some(k) = args.labels_of {
        done.labels = methods::corner_labels(&done.found, &done.loaded, k)?;
    }
    job.finish(done, &clock, &progress)
}

/// One graph, what to look for in it, and where the results go.
struct Job<'a> {
    graph: &'a Path,
    reading: &'a ReadArgs,
    search: &'a SearchArgs,
    output: &'a OutputArgs,
}

/// A job that has an answer, before anything is written.
struct Done {
    loaded: Loaded,
    found: Found,
    labels: Vec<lambdacut::ids::Cluster>,
    document: Document,
    started: Instant,
}

impl Job<'_> {
    /// Reads, searches and measures.
    fn run(&self, clock: &Clock, progress: &Progress) -> anyhow::Result<Done> {
        let started = Instant::now();
        let loaded = self.reading.load(self.graph, progress)?;
        self.output.check_truth(&loaded)?;
        self.reading.check_memory(&loaded)?;
        let weighted = loaded.graph.vertex_weights().is_some();
        if weighted && self.search.objective == ObjectiveArg::Ncut {
            progress.say(
                "note       the file has weights of vertices: normalized cut has no use for them, \
                 --objective rcut divides by them",
            );
        }
        let searching = Instant::now();
        let found = match self.search.method {
            Method::Path => methods::path(self.search, &loaded, clock, progress)?,
            Method::KernelDpMeans => {
                methods::kernel_dp_means(self.search, &loaded, clock, progress)?
            }
            Method::Spectral => methods::spectral(self.search, &loaded, clock, progress)?,
        };
        let seconds = searching.elapsed().as_secs_f64();
        progress.finish();
        let mut document = document(self.search, &found, &loaded);
        document.seconds.insert("cluster".to_owned(), seconds);
        let labels = found.clustering.labels.clone();
        output::measure(&mut document, self.output, &loaded, &labels)?;
        Ok(Done {
            loaded,
            found,
            labels,
            document,
            started,
        })
    }

    /// Writes the labels, then the bound (which may take long, or more memory than there is), then
    /// everything else.
    fn finish(
        &self,
        mut done: Done,
        clock: &Clock,
        progress: &Progress,
    ) -> anyhow::Result<ExitCode> {
        output::labels(self.output, &done.loaded, &done.labels, &done.document)?;
        if self.search.certify {
            let (section, low) =
                certificate::certify(&done.found, self.search, &done.loaded, clock, progress);
            done.document.more.insert("certificate".to_owned(), section);
            done.found.spectrum = done.found.spectrum.or(low);
        }
        let seed = self.search.seed();
        let Done {
            loaded,
            found,
            mut document,
            started,
            ..
        } = done;
        output::finish(&mut document, self.output, &loaded, seed, started)?;
        if let Some(file) = &self.output.report {
            let page = report::ReportPage {
                search: self.search,
                reading: self.reading,
                graph: self.graph,
                loaded: &loaded,
                found: &found,
            };
            page.write(file, &document, self.output.truth.as_deref(), progress)?;
        }
        Ok(exit_code(progress))
    }
}

fn document(args: &SearchArgs, found: &Found, loaded: &Loaded) -> Document {
    let clustering = &found.clustering;
    let answer = found.path.as_ref().map(|path| &path.answer);
    let choice = answer.and_then(|answer| answer.choice.as_ref());
    let interval = answer.and_then(|answer| answer.interval);
    let mut section = serde_json::Map::from_iter([
        (
            "interval".to_owned(),
            json!(interval.map(|(low, high)| [low, high])),
        ),
        (
            "locally_optimal".to_owned(),
            json!(answer.map(|answer| answer.optimal)),
        ),
        ("united_components".to_owned(), json!(found.united)),
    ]);
    if let Some(choice) = choice {
        section.insert("reason".to_owned(), json!(choice.reason));
    }
    Document {
        graph: Some(loaded.section.clone()),
        objective: Some(ObjectiveSection {
            kind: clustering.objective.name().to_owned(),
            resolution: Some(clustering.beta),
            lambda: found.lambda,
            value: clustering.value,
            cut: clustering.cut,
            clusters: clustering.clusters,
        }),
        fit: Some(FitSection {
            method: args.method.name().to_owned(),
            stop: clustering.stop,
            passes: clustering.trace.len(),
            trace: clustering.trace.clone(),
        }),
        path: choice.map(path_points),
        spectrum: found.spectrum.as_ref().map(|low| low.section.clone()),
        more: [("answer".to_owned(), Value::Object(section))].into(),
        ..Document::default()
    }
}

/// The `path` section.
fn path_points(choice: &Choice) -> Vec<PathPoint> {
    let mut points = Vec::with_capacity(choice.candidates.len());
    for (at, corner) in choice.candidates.iter().enumerate() {
        points.push(PathPoint {
            clusters: corner.clusters,
            cut: corner.cut,
            beta_low: corner.beta_low,
            beta_high: corner.beta_high,
            recommended: at == choice.chosen,
        });
    }
    points
}
