//! `lambdacut evaluate`: what is to be said about a clustering, whoever made it.

use super::common::Global;
use super::input::{GraphArgs, Loaded, read_labels_for};
use super::memory;
use super::output::{print, provenance, write_json};
use anyhow::Context;
use clap::Args;
use lambdacut::ids::{Cluster, NONE};
use lambdacut::io::{self, Unknown};
use lambdacut::metrics::{Agreement, GraphMetrics, average_f1, communities_of};
use lambdacut::report::document::Document;
use lambdacut::run::{Event, Observer};
use lambdacut::with_csr;
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

/// The arguments of `evaluate`.
#[derive(Debug, Args)]
#[command(after_help = "What the numbers mean:\n  \
modularity    edges inside clusters beyond what degrees alone would give; higher is better, but it prefers large clusters\n  \
conductance   of a cluster: the weight that leaves it, divided by its volume or the rest's, whichever is smaller; lower is better\n  \
coverage      the share of the weight that stays inside clusters; 1 for a single cluster, so never look at it alone\n  \
NMI, AMI, ARI agreement with the truth, 1 if equal; AMI and ARI are about 0 for labels dealt at random, NMI is not\n\n\
Examples:\n  \
lambdacut evaluate graph.edges clusters.labels\n  \
lambdacut evaluate graph.edges clusters.labels --truth truth.labels --json -\n  \
lambdacut evaluate com-dblp.edges.gz clusters.labels --communities com-dblp.top5000.cmty.gz")]
pub struct EvaluateArgs {
    #[command(flatten)]
    graph: GraphArgs,
    /// The clustering: a `vertex label` line for every vertex, names as in the graph, labels of any
    /// kind.
    #[arg(help_heading = None::<&str>)]
    labels: PathBuf,
    /// True classes to compare with, in the same form; vertices without one are left out of the
    /// comparison.
    #[arg(long, value_name = "LABELS", help_heading = "Comparison")]
    truth: Option<PathBuf>,
    /// True communities that may overlap, one a line, to compare with by average F1 over the
    /// vertices they name.
    #[arg(long, value_name = "FILE", help_heading = "Comparison")]
    communities: Option<PathBuf>,
    /// Where to write everything as JSON (`-` for standard output, instead of the table).
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    json: Option<PathBuf>,
}

/// Reads, measures, and prints.
pub fn run(args: &EvaluateArgs, global: &Global) -> anyhow::Result<ExitCode> {
    let started = Instant::now();
    let progress = global.progress_without_result()?;
    let loaded = args.graph.load(&progress)?;
    let labels = labels(&args.labels, &loaded, &progress)?;
    progress.event(Event::Stage {
        name: "measuring",
        total: None,
    });
    let metrics = with_csr!(loaded.graph.csr(), g => GraphMetrics::of(g, &labels))?;
    let truth = Comparison::of(args, &labels, &loaded)?;
    progress.finish();
    let table = [graph_lines(&loaded, &metrics), truth.lines()]
        .concat()
        .concat();
    // Nothing here is random.
    let provenance = Some(provenance(&loaded.sha256, 0));
    let mut document = Document {
        graph: Some(loaded.section),
        provenance,
        ..Document::default()
    };
    document.metrics = Some(serde_json::to_value(&metrics)?);
    document.truth = truth
        .any()
        .then(|| serde_json::to_value(&truth))
        .transpose()?;
    document.memory = memory::section();
    document.seconds.insert("load".to_owned(), loaded.seconds);
    document
        .seconds
        .insert("total".to_owned(), started.elapsed().as_secs_f64());
    write_json(args.json.as_deref(), &document)?;
    if args.json.as_deref() != Some(Path::new("-")) {
        print(&table)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The clustering, with isolated vertices outside every cluster, as in all results.
fn labels(path: &Path, loaded: &Loaded, observer: &dyn Observer) -> anyhow::Result<Vec<Cluster>> {
    let read = read_labels_for(path, loaded, Unknown::Skip)?;
    for (count, what) in [
        (
            read.unknown,
            "labels are of vertices that the graph does not have, and are left out",
        ),
        (
            read.missing,
            "vertices of the graph have no label and are in no cluster",
        ),
    ] {
        if count > 0 {
            observer.event(Event::Note(&format!("note: {count} {what}")));
        }
    }
    let mut labels = read.labels;
    with_csr!(loaded.graph.csr(), g => {
        let lonely = (0..g.vertices()).filter(|&i| g.rows().targets(i).is_empty());
        lonely.for_each(|i| labels[i] = NONE);
    });
    Ok(labels)
}

/// The clusters, without the vertices that no community names.
fn restricted(labels: &[Cluster], communities: &[Vec<u32>]) -> Vec<Vec<u32>> {
    let mut named = vec![NONE; labels.len()];
    communities
        .iter()
        .flatten()
        .for_each(|&v| named[v as usize] = labels[v as usize]);
    communities_of(&named)
}

/// What the comparison with a truth says: the `truth` section of the JSON document.
#[derive(Debug, Serialize)]
struct Comparison {
    #[serde(flatten)]
    agreement: Option<Agreement>,
    #[serde(skip_serializing_if = "Option::is_none")]
    average_f1: Option<f64>,
}

impl Comparison {
    fn of(args: &EvaluateArgs, labels: &[Cluster], loaded: &Loaded) -> anyhow::Result<Self> {
        let agreement = args.truth.as_ref().map(|path| -> anyhow::Result<_> {
            let classes = read_labels_for(path, loaded, Unknown::Skip)?;
            Ok(Agreement::of(labels, &classes.labels)?)
        });
        let average_f1 = args.communities.as_ref().map(|path| -> anyhow::Result<_> {
            let (communities, _) = io::read_communities_within(
                path,
                loaded.names(),
                Unknown::Skip,
                loaded.memory_limit,
            )
            .context("cannot use these communities")?;
            Ok(average_f1(&restricted(labels, &communities), &communities))
        });
        Ok(Self {
            agreement: agreement.transpose()?,
            average_f1: average_f1.transpose()?,
        })
    }

    fn any(&self) -> bool {
        self.agreement.is_some() || self.average_f1.is_some()
    }

    fn lines(&self) -> Vec<String> {
        let mut lines = Vec::new();
        if let Some(a) = &self.agreement {
            lines.push(line(
                "compared with the truth",
                &format!(
                    "{} vertices, {} clusters, {} classes",
                    a.elements, a.clusters, a.classes
                ),
            ));
            lines.extend(numbers(&[
                ("NMI", a.nmi),
                ("NMI, geometric mean", a.nmi_geometric),
                ("NMI, maximum", a.nmi_max),
                ("AMI", a.ami),
                ("ARI", a.ari),
                ("purity", a.purity),
                ("variation of information", a.variation_of_information),
                ("pairwise precision", a.pair_precision),
                ("pairwise recall", a.pair_recall),
                ("pairwise F1", a.pair_f1),
            ]));
        }
        lines.extend(
            self.average_f1
                .iter()
                .flat_map(|&value| numbers(&[("average F1", value)])),
        );
        lines
    }
}

/// What the graph says, one number a line.
fn graph_lines(loaded: &Loaded, m: &GraphMetrics) -> Vec<String> {
    let section = &loaded.section;
    let mut lines = vec![
        line(
            "vertices",
            &format!(
                "{}, {} of them isolated",
                section.vertices, section.isolated
            ),
        ),
        line("edges", &section.edges.to_string()),
        line("clusters", &m.clusters.to_string()),
        line("cluster sizes", &spread(&m.sizes)),
        line(
            "disconnected clusters",
            &m.disconnected_clusters.to_string(),
        ),
    ];
    lines.extend(numbers(&[
        ("cut", m.cut),
        ("normalized cut", m.normalized_cut),
        ("ratio cut", m.ratio_cut),
        ("modularity", m.modularity),
        ("coverage", m.coverage),
        ("conductance, mean", m.conductance_mean),
        ("conductance, max", m.conductance_max),
    ]));
    lines
}

fn line(name: &str, value: &str) -> String {
    format!("{name:<26}{value}\n")
}

fn numbers(values: &[(&str, f64)]) -> Vec<String> {
    values
        .iter()
        .map(|(name, value)| line(name, &format!("{value:.6}")))
        .collect()
}

fn spread(sizes: &[usize]) -> String {
    let mut sorted = sizes.to_vec();
    sorted.sort_unstable();
    match sorted.as_slice() {
        [] => "none".to_owned(),
        [only] => only.to_string(),
        [least, .., most] => format!("{least} to {most}, median {}", sorted[sorted.len() / 2]),
    }
}
