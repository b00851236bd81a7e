//! Several graphs over shared vertex names, clustered together: `lambdacut cluster --layers A B …`.

use super::common::Progress;
use super::input::ReadArgs;
use anyhow::{Context, bail};
use clap::{Args, ValueEnum};
use lambdacut::cluster::effort::Effort;
use lambdacut::cluster::layers::{Coupling, LayeredGraph, TwoPrices};
use lambdacut::fit::{Fit, StopReason};
use lambdacut::ids::NONE;
use lambdacut::io::{Names, write_atomically};
use lambdacut::params::{ObjectiveKind, Resolution, StopRules};
use lambdacut::report::document::{Document, FitSection, ObjectiveSection};
use serde_json::json;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// The flags about layers.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Layers")]
pub struct LayersArgs {
    /// Cluster several graphs together: one layer each, vertices of the same name coupled. Needs --resolution. Writes the
    /// labels of each layer, the same number for the same cluster in all, into the directory named by -o.
    #[arg(long, value_name = "GRAPH", num_args = 2..)]
    pub layers: Vec<PathBuf>,
    /// The weight of the edge between two copies of a vertex.
    #[arg(long, value_name = "WEIGHT", default_value_t = 1.0)]
    pub coupling: f64,
    /// Which copies are coupled: chain, each with the next layer that has the vertex; all, every two.
    #[arg(long, value_name = "HOW", default_value = "chain")]
    pub couple: CoupleArg,
    /// What a layer pays for each cluster it uses; negative values reward it.
    #[arg(long, value_name = "PRICE", default_value_t = 0.0, allow_negative_numbers = true)]
    pub local_price: f64,
}

/// Which copies of a vertex are coupled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum CoupleArg {
    /// Each with the next.
    Chain,
    /// Every two.
    All,
}

/// What to do with the layers.
#[derive(Debug, Clone, Copy)]
pub struct Job<'a> {
    /// How to read each graph.
    pub reading: &'a ReadArgs,
    /// Normalized or ratio cut.
    pub kind: ObjectiveKind,
    /// β.
    pub resolution: Option<f64>,
    /// How hard to try.
    pub effort: Effort,
    /// When to stop early.
    pub stop: StopRules,
    /// The directory for the labels; without it they go to standard output as `layer<TAB>vertex<TAB>cluster`.
    pub output: Option<&'a Path>,
    /// Where to write the JSON document.
    pub json: Option<&'a Path>,
}

/// Reads the layers, clusters them together and writes the labels of each.
pub fn run(args: &LayersArgs, job: &Job<'_>, progress: &Progress) -> anyhow::Result<ExitCode> {
    let beta = job.resolution.context("several layers are clustered at one resolution: give --resolution β")?;
    let loaded = args.layers.iter().map(|path| job.reading.load(path, progress)).collect::<anyhow::Result<Vec<_>>>()?;
    let coupling = if args.couple == CoupleArg::Chain { Coupling::Chain } else { Coupling::All };
    let parts: Vec<_> = loaded.iter().map(|l| (&l.graph, &l.names)).collect();
    let layered = LayeredGraph::new(&parts, coupling, args.coupling)?;
    let prices = TwoPrices { kind: job.kind, beta: Resolution::new(beta)?, lambda_local: args.local_price };
    let fit = prices.cluster(&layered, job.effort, job.stop, progress)?;
    let local = layered.local_clusters(&fit.labels);
    let titles = titles(&args.layers)?;
    for (title, k) in titles.iter().zip(&local) {
        progress.say(&format!("{title}: {k} of {} clusters", fit.clusters));
    }
    progress.say(&format!("{} layers, {} clusters in all, F = {:.6}", titles.len(), fit.clusters, fit.value));
    let names: Vec<&Names> = loaded.iter().map(|l| &l.names).collect();
    write_labels(job.output, &titles, &names, &layered, &fit)?;
    if let Some(path) = job.json {
        let layers: Vec<_> = titles.iter().zip(&local).map(|(t, k)| json!({ "layer": t, "clusters": k })).collect();
        let cut = fit.value + beta * fit.clusters as f64 - args.local_price * local.iter().sum::<usize>() as f64;
        let (value, clusters) = (fit.value, fit.clusters);
        let objective = ObjectiveSection { kind: job.kind, resolution: Some(beta), lambda: None, value, cut, clusters };
        let section = FitSection { method: "layers".into(), stop: fit.stop, passes: fit.trace.len(), trace: fit.trace.clone() };
        let more = [("layers".to_owned(), json!(layers)), ("local_price".to_owned(), json!(args.local_price))].into();
        let document = Document { objective: Some(objective), fit: Some(section), more, ..Document::default() };
        write_atomically(path, |out| Ok(serde_json::to_writer_pretty(out, &document)?))
            .with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(if fit.stop == StopReason::Cancelled { ExitCode::from(130) } else { ExitCode::SUCCESS })
}

/// What the layers are called: the files' names without what follows the first dot.
fn titles(paths: &[PathBuf]) -> anyhow::Result<Vec<String>> {
    let title = |p: &PathBuf| p.file_name().map(|n| n.to_string_lossy().split('.').next().unwrap_or("").to_owned());
    let titles: Vec<String> = paths.iter().map(|p| title(p).unwrap_or_default()).collect();
    if let Some(twice) = titles.iter().enumerate().find(|(j, t)| titles[..*j].contains(t)) {
        bail!("two layers are called {:?}: give them different file names", twice.1);
    }
    Ok(titles)
}

fn write_labels(
    dir: Option<&Path>,
    titles: &[String],
    names: &[&Names],
    layered: &LayeredGraph,
    fit: &Fit,
) -> anyhow::Result<()> {
    let lines = |j: usize, prefix: &str, out: &mut dyn std::io::Write| {
        let labels = layered.part(&fit.labels, j);
        let with_cluster = labels.iter().enumerate().filter(|(_, c)| **c != NONE);
        with_cluster.into_iter().try_for_each(|(i, c)| writeln!(out, "{prefix}{}\t{c}", names[j].get(i)))
    };
    let Some(dir) = dir else {
        let all = |out: &mut dyn std::io::Write| (0..titles.len()).try_for_each(|j| lines(j, &format!("{}\t", titles[j]), out));
        return write_atomically("-".as_ref(), all).context("cannot write the labels");
    };
    std::fs::create_dir_all(dir).with_context(|| format!("cannot create {}", dir.display()))?;
    for (j, title) in titles.iter().enumerate() {
        let path = dir.join(format!("{title}.labels"));
        write_atomically(&path, |out| lines(j, "", out)).with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(())
}
