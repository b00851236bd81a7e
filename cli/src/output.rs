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
use lambdacut::with_csr;
use serde::Serialize;
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
    /// Refuses files that cannot be written, before anything takes long; whether standard output is
    /// taken by one of them.
    pub fn check(&self) -> anyhow::Result<bool> {
        let files = self.files();
        for (flag, file) in files {
            if let Some(file) = file {
                check_writable(flag, file)?;
            }
        }
        for (at, (flag, file)) in files.iter().enumerate() {
            let same = files[..at]
                .iter()
                .find(|other| file.is_some() && other.1 == *file);
            if let (Some((other, _)), Some(file)) = (same, file)
                && *file != Path::new("-")
            {
                bail!(
                    "{other} and {flag} cannot both be written to {}",
                    file.display()
                );
            }
        }
        self.takes_standard_output()
    }

    /// The same for a command that writes its labels into a directory.
    pub fn check_directory(&self) -> anyhow::Result<bool> {
        for (flag, file) in &self.files()[1..] {
            if let Some(file) = file {
                check_writable(flag, file)?;
            }
        }
        standard_output(&self.files())
    }

    fn files(&self) -> [(&'static str, Option<&Path>); 3] {
        [
            ("--output", self.output.as_deref()),
            ("--json", self.json.as_deref()),
            ("--report", self.report.as_deref()),
        ]
    }

    /// Whether no file has the labels.
    pub fn nothing_written(&self) -> bool {
        self.output.is_none()
    }

    /// Refuses true classes that cannot be read, before anything takes long.
    pub fn check_truth(&self, loaded: &Loaded) -> anyhow::Result<()> {
        if let Some(path) = &self.truth {
            read_labels_for(path, loaded, Unknown::Skip)?;
        }
        Ok(())
    }

    /// Whether standard output is taken by one of the files; an error if it is by two, or
    /// if labels cannot be written under the name given.
    pub fn takes_standard_output(&self) -> anyhow::Result<bool> {
        if let Some(path) = &self.output {
            io::LabelsFormat::of_name(path)?;
        }
        standard_output(&self.files())
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
    let metrics = with_csr!(loaded.graph.csr(), g => GraphMetrics::of(g, labels))?;
    document.metrics = Some(serde_json::to_value(metrics)?);
    if let Some(path) = &output.truth {
        let truth = read_labels_for(path, loaded, Unknown::Skip)?;
        document.truth = Some(serde_json::to_value(Agreement::of(labels, &truth.labels)?)?);
    }
    Ok(())
}

/// Refuses a file whose directory is not there or cannot be written to.
fn check_writable(flag: &str, file: &Path) -> anyhow::Result<()> {
    if file == Path::new("-") {
        return Ok(());
    }
    if file.is_dir() {
        bail!("{flag} {} is a directory: give a file", file.display());
    }
    let directory = file
        .parent()
        .filter(|directory| !directory.as_os_str().is_empty())
        .unwrap_or(Path::new("."));
    if !directory.is_dir() {
        bail!("{flag} {}: there is no such directory", file.display());
    }
    Ok(())
}

/// Writes the labels if they were asked for.
pub fn labels(
    output: &OutputArgs,
    loaded: &Loaded,
    labels: &[Cluster],
    document: &Document,
) -> anyhow::Result<()> {
    let Some(path) = &output.output else {
        return Ok(());
    };
    let value = document.objective.as_ref().map_or(String::new(), |o| {
        format!("{} clusters, cut {}", o.clusters, o.cut)
    });
    let lines = [
        format!(
            "lambdacut {}: {}",
            env!("CARGO_PKG_VERSION"),
            command_line()
        ),
        format!("input sha256 {}", loaded.sha256),
        value,
    ];
    io::write_labels(path, loaded.names(), labels, &lines)
        .with_context(|| format!("cannot write {}", path.display()))
}

/// How to reproduce a run: the only place that says so.
pub fn provenance(input_sha256: &str, seed: u64) -> Provenance {
    Provenance {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        input_sha256: input_sha256.to_owned(),
        seed,
        threads: rayon::current_num_threads(),
        command: command_line(),
    }
}

/// Completes the document, and writes it if that was asked for.
pub fn finish(
    document: &mut Document,
    output: &OutputArgs,
    loaded: &Loaded,
    seed: u64,
    started: Instant,
) -> anyhow::Result<()> {
    document.provenance = Some(provenance(&loaded.sha256, seed));
    document.memory = memory::section();
    let total = started.elapsed().as_secs_f64();
    document.seconds.insert("load".to_owned(), loaded.seconds);
    document.seconds.insert("total".to_owned(), total);
    write_json(output.json.as_deref(), document)
}

/// Writes a value as JSON, if there is a file for it: the only place that does.
pub fn write_json(path: Option<&Path>, value: &impl Serialize) -> anyhow::Result<()> {
    let Some(path) = path else {
        return Ok(());
    };
    write(path, &(serde_json::to_string_pretty(value)? + "\n"))
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
