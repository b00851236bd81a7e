//! Several graphs over shared vertex names, clustered together: `lambdacut cluster --layers A B …`.

mod report;

use super::cluster::args::SearchArgs;
use super::common::{Clock, Progress, Usage, command_line, exit_code};
use super::input::{Loaded, ReadArgs, read_labels_for};
use super::memory;
use super::output::{OutputArgs, provenance, write_json};
use anyhow::{Context, bail};
use clap::{Args, ValueEnum};
use lambdacut::clustering::Clustering;
use lambdacut::ids::Cluster;
use lambdacut::io::{Labels, Unknown, number_isolated, write_atomically, write_label_lines};
use lambdacut::layers::{Coupling, LayeredGraph, Layers};
use lambdacut::metrics::Agreement;
use lambdacut::report::document::{Document, FitSection, ObjectiveSection};
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
    /// The weight of the edge between two copies of a vertex [default: 1].
    #[arg(long, value_name = "WEIGHT", allow_negative_numbers = true)]
    pub coupling: Option<f64>,
    /// Which copies are coupled: chain, each with the next layer that has the vertex; all, every
    /// two [default: chain].
    #[arg(long, value_name = "HOW")]
    pub couple: Option<CoupleArg>,
    /// What a layer pays for each cluster it uses (`λ_ℓ`); negative values reward it [default: 0].
    /// The global price is −β, as for one graph.
    #[arg(long, value_name = "PRICE", allow_negative_numbers = true)]
    pub local_price: Option<f64>,
}

impl LayersArgs {
    /// The flags that say nothing about a single graph, and whether they were given.
    pub fn flags(&self) -> [(&'static str, bool); 3] {
        [
            ("--coupling", self.coupling.is_some()),
            ("--couple", self.couple.is_some()),
            ("--local-price", self.local_price.is_some()),
        ]
    }

    fn weight(&self) -> f64 {
        self.coupling.unwrap_or(1.0)
    }

    fn how(&self) -> CoupleArg {
        self.couple.unwrap_or(CoupleArg::Chain)
    }

    fn price(&self) -> f64 {
        self.local_price.unwrap_or(0.0)
    }
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

impl CoupleArg {
    /// The library's name for it.
    fn coupling(self) -> Coupling {
        match self {
            Self::Chain => Coupling::Chain,
            Self::All => Coupling::All,
        }
    }
}

/// Layers, what to look for in them, and where the results go.
#[derive(Debug)]
pub struct Job<'a> {
    /// The layers and how they are coupled.
    pub layers: &'a LayersArgs,
    /// How to read each graph.
    pub reading: &'a ReadArgs,
    /// What to look for.
    pub search: &'a SearchArgs,
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

impl Job<'_> {
    /// Reads the layers, clusters them together and writes the labels of each.
    pub fn run(&self, clock: &Clock, progress: &Progress) -> anyhow::Result<ExitCode> {
        let started = Instant::now();
        let args = self.layers;
        let Some(beta) = self.search.resolution else {
            bail!(Usage(
                "several layers are clustered at one resolution: give --resolution B".to_owned()
            ));
        };
        let titles = titles(&args.layers)?;
        let mut loaded = Vec::with_capacity(args.layers.len());
        for path in &args.layers {
            loaded.push(self.reading.load(path, progress)?);
        }
        let load_seconds = started.elapsed().as_secs_f64();
        let graphs: Vec<_> = loaded.iter().map(|layer| &layer.graph).collect();
        let layered = LayeredGraph::new(&graphs, args.how().coupling(), args.weight())?;
        let mut method = Layers::new()
            .cut(self.search.objective.cut())
            .resolution(beta)?
            .local_price(args.price())
            .effort(self.search.effort())
            .observer(progress);
        method.run.time_limit = clock.left();
        let found = method.run(&layered)?;
        let cluster_seconds = started.elapsed().as_secs_f64() - load_seconds;
        let truth = self.output.truth.as_deref();
        let layers = describe(titles, loaded, &layered, &found, truth)?;
        summarise(&layers, &layered, &found, progress);
        // Without a directory the labels go to standard output, unless something else does.
        let target = self.output.output.as_deref();
        if target.is_some() || !self.output.takes_standard_output()? {
            write_layers(target, &layers, &layered, &found)?;
        }
        let mut document = document(args, &layers, &layered, &found);
        document.seconds = [
            ("load", load_seconds),
            ("cluster", cluster_seconds),
            ("total", started.elapsed().as_secs_f64()),
        ]
        .map(|(name, seconds)| (name.to_owned(), seconds))
        .into();
        write_json(self.output.json.as_deref(), &document)?;
        if let Some(path) = &self.output.report {
            let page = report::LayersPage {
                job: self,
                layers: &layers,
                layered: &layered,
                found: &found,
            };
            page.write(path, &document, progress)?;
        }
        Ok(exit_code(progress))
    }
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
    found: &Clustering,
    truth: Option<&Path>,
) -> anyhow::Result<Vec<Layer>> {
    let local = layered.local_clusters(&found.labels);
    let layer = |(j, (title, loaded)): (usize, (String, Loaded))| -> anyhow::Result<Layer> {
        let compared = |path: &Path| -> anyhow::Result<(Labels, Agreement)> {
            let truth = read_labels_for(path, &loaded, Unknown::Skip)?;
            let agreement = Agreement::of(layered.part(&found.labels, j), &truth.labels)?;
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

fn summarise(layers: &[Layer], layered: &LayeredGraph, found: &Clustering, progress: &Progress) {
    for layer in layers {
        let truth = layer.truth.as_ref().map_or(String::new(), |(_, a)| {
            format!(", NMI {:.3}, ARI {:.3}", a.nmi, a.ari)
        });
        progress.say(&format!(
            "{}: {} of {} clusters{truth}",
            layer.title, layer.clusters, found.clusters
        ));
    }
    let (n, layers) = (layered.graph.vertices(), layers.len());
    progress.say(&format!(
        "{layers} layers, {n} copies of vertices, {} clusters in all, F = {:.6}",
        found.clusters, found.value
    ));
}

/// Writes the labels; a copy without an edge is a cluster of its own, numbered behind all others.
fn write_layers(
    dir: Option<&Path>,
    layers: &[Layer],
    layered: &LayeredGraph,
    found: &Clustering,
) -> anyhow::Result<()> {
    let mut labels: Vec<Cluster> = found.labels.clone();
    number_isolated(&mut labels, found.clusters);
    let lines = |j: usize, prefix: &str, out: &mut dyn std::io::Write| {
        write_label_lines(
            out,
            prefix,
            layers[j].loaded.names(),
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
                layer.clusters, found.clusters
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
    layers: &[Layer],
    layered: &LayeredGraph,
    found: &Clustering,
) -> Document {
    let local: usize = layers.iter().map(|l| l.clusters).sum();
    // The inputs' digests stand with the layers, joined in the provenance by spaces.
    let digests: Vec<&str> = layers.iter().map(|l| l.loaded.sha256.as_str()).collect();
    let described: Vec<_> = layers
        .iter()
        .map(|l| {
            json!({ "layer": l.title, "clusters": l.clusters, "graph": l.loaded.section, "truth": l.truth.as_ref().map(|(_, agreement)| agreement),
                    "input_sha256": l.loaded.sha256 })
        })
        .collect();
    let more = [
        ("layers", json!(described)),
        ("local_price", json!(args.price())),
        ("local_clusters", json!(local)),
        (
            "coupling",
            json!({ "weight": args.weight(), "how": args.how(), "copies": layered.graph.vertices() }),
        ),
    ];
    Document {
        objective: Some(ObjectiveSection {
            kind: found.objective.name().to_owned(),
            resolution: Some(found.beta),
            lambda: None,
            value: found.value,
            cut: found.cut,
            clusters: found.clusters,
        }),
        fit: Some(FitSection {
            method: "layers".into(),
            stop: found.stop,
            passes: found.trace.len(),
            trace: found.trace.clone(),
        }),
        memory: memory::section(),
        provenance: Some(provenance(
            &digests.join(" "),
            lambdacut::params::DEFAULT_SEED,
        )),
        more: more.map(|(name, value)| (name.to_owned(), value)).into(),
        ..Document::default()
    }
}
