//! Where results go: labels, JSON, and what is measured about them.

use super::common::command_line;
use super::input::{Loaded, read_labels_for};
use super::memory;
use anyhow::{Context, bail};
use clap::Args;
use lambdacut::ids::Cluster;
use lambdacut::io::{self, Unknown};
use lambdacut::metrics::{Agreement, GraphMetrics};
use lambdacut::report::document::{Document, Provenance};
use lambdacut::with_graph;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Flags of every command that makes a clustering.
#[derive(Debug, Args)]
#[command(next_help_heading = "Output")]
pub struct OutputArgs {
    /// Where to write the labels: one `vertex<TAB>cluster` line a vertex (`-` for standard output).
    /// The name tells: .csv has commas and a header, .jsonl a JSON object a line.
    #[arg(long, short, value_name = "LABELS")]
    pub output: Option<PathBuf>,
    /// Where to write everything as one JSON object (`-` for standard output).
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
    /// Where to write a page for the browser: the path, the clusters, pictures, what was done.
    /// Needs no network.
    #[arg(long, value_name = "FILE.html")]
    pub report: Option<PathBuf>,
    /// True classes (`vertex label` lines) to compare with.
    #[arg(long, value_name = "LABELS")]
    pub truth: Option<PathBuf>,
}

impl OutputArgs {
    /// Whether standard output is taken by one of the files; an error if it is by two, or if labels
    /// cannot be written under the name given.
    pub fn takes_standard_output(&self) -> anyhow::Result<bool> {
        if let Some(path) = &self.output {
            io::LabelsFormat::of_name(path)?;
        }
        let files = [
            ("--output", &self.output),
            ("--json", &self.json),
            ("--report", &self.report),
        ];
        standard_output(&files.map(|(flag, file)| (flag, file.as_deref())))
    }
}

/// Whether one of the files that were asked for is standard output. Two would run into each other
/// there.
pub fn standard_output(files: &[(&str, Option<&Path>)]) -> anyhow::Result<bool> {
    let mut there = files
        .iter()
        .filter(|(_, file)| *file == Some(Path::new("-")))
        .map(|(flag, _)| flag);
    if let (Some(first), Some(second)) = (there.next(), there.next()) {
        bail!("{first} and {second} cannot both go to standard output: give one of them a file");
    }
    Ok(files.iter().any(|(_, file)| *file == Some(Path::new("-"))))
}

/// Adds metrics, and agreement with the truth if there is one.
pub fn measure(
    document: &mut Document,
    output: &OutputArgs,
    loaded: &Loaded,
    labels: &[Cluster],
) -> anyhow::Result<()> {
    let metrics = with_graph!(&loaded.graph, g => GraphMetrics::of(g, labels))?;
    document.metrics = Some(serde_json::to_value(metrics)?);
    if let Some(path) = &output.truth {
        let truth = read_labels_for(path, loaded, Unknown::Skip)?;
        document.truth = Some(serde_json::to_value(Agreement::of(labels, &truth.labels)?)?);
    }
    Ok(())
}

/// Completes the document, writes labels and JSON if they were asked for, and gives the document
/// back.
pub fn finish(
    mut document: Document,
    output: &OutputArgs,
    loaded: &Loaded,
    labels: &[Cluster],
    seed: u64,
    started: Instant,
) -> anyhow::Result<Document> {
    let threads = rayon::current_num_threads();
    let provenance = Provenance {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        input_sha256: loaded.sha256.clone(),
        seed,
        threads,
        command: command_line(),
    };
    if let Some(path) = &output.output {
        let value = document.objective.as_ref().map_or(String::new(), |o| {
            format!("{} clusters, cut {}", o.clusters, o.cut)
        });
        let lines = [
            format!("lambdacut {}: {}", provenance.version, provenance.command),
            format!("input sha256 {}", provenance.input_sha256),
            value,
        ];
        io::write_labels(path, &loaded.names, labels, &lines)
            .with_context(|| format!("cannot write {}", path.display()))?;
    }
    document.provenance = Some(provenance);
    document.memory = memory::section();
    document.seconds.insert("load".to_owned(), loaded.seconds);
    document
        .seconds
        .insert("total".to_owned(), started.elapsed().as_secs_f64());
    if let Some(path) = &output.json {
        write(path, &(serde_json::to_string_pretty(&document)? + "\n"))?;
    }
    Ok(document)
}

/// Writes a text to a file, or to standard output for `-`.
pub fn write(path: &Path, text: &str) -> anyhow::Result<()> {
    io::write_atomically(path, |out| out.write_all(text.as_bytes()))
        .with_context(|| format!("cannot write {}", path.display()))
}

/// Writes a text to standard output.
pub fn print(text: &str) -> anyhow::Result<()> {
    write(Path::new("-"), text)
}
