//! Several graphs over shared vertex names, clustered together: `lambdacut cluster --layers A B …`.

mod report;

use super::cluster::EffortArg;
use super::common::{Progress, command_line};
use super::input::{Loaded, ReadArgs, read_labels_for};
use super::memory;
use super::output::{OutputArgs, write};
use anyhow::{Context, bail};
use clap::{Args, ValueEnum};
use lambdacut::fit::{Fit, StopReason};
use lambdacut::ids::Cluster;
use lambdacut::io::{Labels, Unknown, number_isolated, write_atomically, write_label_lines};
use lambdacut::layers::{Coupling, LayeredGraph, TwoPrices};
use lambdacut::metrics::Agreement;
use lambdacut::params::{ObjectiveKind, Resolution, StopRules};
use lambdacut::report::document::{Document, FitSection, ObjectiveSection, Provenance};
use serde::Serialize;
use serde_json::json;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

/// The flags about layers.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Layers")]
pub struct LayersArgs {
    /// Cluster several graphs together: one layer each, vertices of the same name coupled. Needs
    /// --resolution. Writes the labels of each layer, the same number for the same cluster in all,
    /// into the directory named by -o.
    #[arg(long, value_name = "GRAPH", num_args = 2..)]
    pub layers: Vec<PathBuf>,
    /// The weight of the edge between two copies of a vertex.
    #[arg(
        long,
        value_name = "WEIGHT",
        default_value_t = 1.0,
        allow_negative_numbers = true
    )]
    pub coupling: f64,
    /// Which copies are coupled: chain, each with the next layer that has the vertex; all, every
    /// two.
    #[arg(long, value_name = "HOW", default_value = "chain")]
    pub couple: CoupleArg,
    /// What a layer pays for each cluster it uses (`λ_ℓ`); negative values reward it. The global
    /// price is −β, as for one graph.
    #[arg(
        long,
        value_name = "PRICE",
        default_value_t = 0.0,
        allow_negative_numbers = true
    )]
    pub local_price: f64,
}

/// Which copies of a vertex are coupled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum CoupleArg {
    /// Each with the next.
    Chain,
    /// Every two.
    All,
}

/// What to do with the layers.
#[derive(Debug)]
pub struct Job<'a> {
    /// How to read each graph.
    pub reading: &'a ReadArgs,
    /// Normalized or ratio cut.
    pub kind: ObjectiveKind,
    /// β.
    pub resolution: Option<f64>,
    /// How hard to try.
    pub effort: EffortArg,
    /// When to stop early.
    pub stop: StopRules,
    /// Where results go; labels into a directory, or to standard output as
    /// `layer<TAB>vertex<TAB>cluster`.
    pub output: &'a OutputArgs,
}

/// One layer: its name, what was read, and what was found for it.
struct Layer {
    title: String,
    loaded: Loaded,
    clusters: usize,
    /// The true classes of its vertices, and the agreement with them.
    truth: Option<(Labels, Agreement)>,
}

/// Reads the layers, clusters them together and writes the labels of each.
pub fn run(args: &LayersArgs, job: &Job<'_>, progress: &Progress) -> anyhow::Result<ExitCode> {
    let started = Instant::now();
    let beta = job
        .resolution
        .context("several layers are clustered at one resolution: give --resolution β")?;
    let titles = titles(&args.layers)?;
    let loaded = args
        .layers
        .iter()
        .map(|path| job.reading.load(path, progress))
        .collect::<anyhow::Result<Vec<_>>>()?;
    let load_seconds = started.elapsed().as_secs_f64();
    let coupling = if args.couple == CoupleArg::Chain {
        Coupling::Chain
    } else {
        Coupling::All
    };
    let parts: Vec<_> = loaded.iter().map(|l| (&l.graph, &l.names)).collect();
    let layered = LayeredGraph::new(&parts, coupling, args.coupling)?;
    let prices = TwoPrices {
        kind: job.kind,
        beta: Resolution::new(beta)?,
        lambda_local: args.local_price,
    };
    let fit = prices.cluster(&layered, job.effort.effort(), job.stop, progress)?;
    let cluster_seconds = started.elapsed().as_secs_f64() - load_seconds;
    let layers = describe(titles, loaded, &layered, &fit, job.output.truth.as_deref())?;
    summarise(&layers, &layered, &fit, progress);
    // Without a directory the labels go to standard output, unless something else does.
    let target = job.output.output.as_deref();
    if target.is_some() || !job.output.takes_standard_output()? {
        write_layers(target, &layers, &layered, &fit)?;
    }
    let mut document = document(args, job.kind, beta, &layers, &layered, &fit);
    document.seconds = [
        ("load", load_seconds),
        ("cluster", cluster_seconds),
        ("total", started.elapsed().as_secs_f64()),
    ]
    .map(|(name, seconds)| (name.to_owned(), seconds))
    .into();
    if let Some(path) = &job.output.json {
        write(path, &(serde_json::to_string_pretty(&document)? + "\n"))?;
    }
    if let Some(path) = &job.output.report {
        report::Shown {
            args,
            job,
            layers: &layers,
            layered: &layered,
            fit: &fit,
        }
        .write(path, &document, progress)?;
    }
    Ok(if fit.stop == StopReason::Cancelled {
        ExitCode::from(130)
    } else {
        ExitCode::SUCCESS
    })
}

/// What the layers are called: the files' names without what follows the first dot.
fn titles(paths: &[PathBuf]) -> anyhow::Result<Vec<String>> {
    let title = |p: &PathBuf| {
        p.file_name().map(|n| {
            n.to_string_lossy()
                .split('.')
                .next()
                .unwrap_or("")
                .to_owned()
        })
    };
    let titles: Vec<String> = paths.iter().map(|p| title(p).unwrap_or_default()).collect();
    if let Some(twice) = titles
        .iter()
        .enumerate()
        .find(|(j, t)| titles[..*j].contains(t))
    {
        bail!(
            "two layers are called {:?}: give them different file names",
            twice.1
        );
    }
    Ok(titles)
}

/// Puts together what is known about each layer.
fn describe(
    titles: Vec<String>,
    loaded: Vec<Loaded>,
    layered: &LayeredGraph,
    fit: &Fit,
    truth: Option<&Path>,
) -> anyhow::Result<Vec<Layer>> {
    let local = layered.local_clusters(&fit.labels);
    let layer = |(j, (title, loaded)): (usize, (String, Loaded))| -> anyhow::Result<Layer> {
        let compared = |path: &Path| -> anyhow::Result<(Labels, Agreement)> {
            let truth = read_labels_for(path, &loaded, Unknown::Skip)?;
            let agreement = Agreement::of(layered.part(&fit.labels, j), &truth.labels)?;
            Ok((truth, agreement))
        };
        let truth = truth.map(compared).transpose()?;
        Ok(Layer {
            title,
            loaded,
            clusters: local[j],
            truth,
        })
    };
    titles
        .into_iter()
        .zip(loaded)
        .enumerate()
        .map(layer)
        .collect()
}

fn summarise(layers: &[Layer], layered: &LayeredGraph, fit: &Fit, progress: &Progress) {
    for layer in layers {
        let truth = layer.truth.as_ref().map_or(String::new(), |(_, a)| {
            format!(", NMI {:.3}, ARI {:.3}", a.nmi, a.ari)
        });
        progress.say(&format!(
            "{}: {} of {} clusters{truth}",
            layer.title, layer.clusters, fit.clusters
        ));
    }
    let (n, layers) = (layered.graph.vertices(), layers.len());
    progress.say(&format!(
        "{layers} layers, {n} copies of vertices, {} clusters in all, F = {:.6}",
        fit.clusters, fit.value
    ));
}

/// Writes the labels; a copy without an edge is a cluster of its own, numbered behind all others.
fn write_layers(
    dir: Option<&Path>,
    layers: &[Layer],
    layered: &LayeredGraph,
    fit: &Fit,
) -> anyhow::Result<()> {
    let mut labels: Vec<Cluster> = fit.labels.clone();
    number_isolated(&mut labels, fit.clusters);
    let lines = |j: usize, prefix: &str, out: &mut dyn std::io::Write| {
        write_label_lines(
            out,
            prefix,
            &layers[j].loaded.names,
            layered.part(&labels, j),
        )
    };
    let Some(dir) = dir.filter(|dir| *dir != Path::new("-")) else {
        let all = |out: &mut dyn std::io::Write| {
            (0..layers.len()).try_for_each(|j| lines(j, &format!("{}\t", layers[j].title), out))
        };
        return write_atomically(Path::new("-"), all).context("cannot write the labels");
    };
    std::fs::create_dir_all(dir).with_context(|| {
        format!(
            "-o names the directory for the labels of the layers; cannot create {}",
            dir.display()
        )
    })?;
    for (j, layer) in layers.iter().enumerate() {
        let path = dir.join(format!("{}.labels", layer.title));
        let write = |out: &mut dyn std::io::Write| {
            writeln!(
                out,
                "# lambdacut {}: {}",
                env!("CARGO_PKG_VERSION"),
                command_line()
            )?;
            writeln!(
                out,
                "# {} of {} clusters, numbered alike in all layers",
                layer.clusters, fit.clusters
            )?;
            lines(j, "", out)
        };
        write_atomically(&path, write)
            .with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(())
}

fn document(
    args: &LayersArgs,
    kind: ObjectiveKind,
    beta: f64,
    layers: &[Layer],
    layered: &LayeredGraph,
    fit: &Fit,
) -> Document {
    let local: usize = layers.iter().map(|l| l.clusters).sum();
    let (value, clusters) = (fit.value, fit.clusters);
    let cut = value + beta * clusters as f64 - args.local_price * local as f64;
    let described: Vec<_> = layers
        .iter()
        .map(|l| {
            json!({ "layer": l.title, "clusters": l.clusters, "graph": l.loaded.section, "truth": l.truth.as_ref().map(|(_, agreement)| agreement),
                    "input_sha256": l.loaded.sha256 })
        })
        .collect();
    let more = [
        ("layers", json!(described)),
        ("local_price", json!(args.local_price)),
        ("local_clusters", json!(local)),
        (
            "coupling",
            json!({ "weight": args.coupling, "how": args.couple, "copies": layered.graph.vertices() }),
        ),
    ];
    Document {
        objective: Some(ObjectiveSection {
            kind,
            resolution: Some(beta),
            lambda: None,
            value,
            cut,
            clusters,
        }),
        fit: Some(FitSection {
            method: "layers".into(),
            stop: fit.stop,
            passes: fit.trace.len(),
            trace: fit.trace.clone(),
        }),
        memory: memory::section(),
        provenance: Some(provenance(layers)),
        more: more.map(|(name, value)| (name.to_owned(), value)).into(),
        ..Document::default()
    }
}

/// How to reproduce the run; the inputs' digests stand with the layers, joined here by spaces.
fn provenance(layers: &[Layer]) -> Provenance {
    let digests: Vec<&str> = layers.iter().map(|l| l.loaded.sha256.as_str()).collect();
    Provenance {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        input_sha256: digests.join(" "),
        // The search draws no numbers.
        seed: lambdacut::params::DEFAULT_SEED,
        threads: rayon::current_num_threads(),
        command: command_line(),
    }
}
