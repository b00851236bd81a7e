//! What a method of `points` found, written as labels, centres, JSON and a summary.

use super::input::{Data, DataArgs};
use crate::common::{Progress, command_line};
use crate::memory;
use crate::output::{provenance, standard_output, write_json};
use crate::report::{self, parameter, word};
use anyhow::Context;
use clap::Args;
use lambdacut::clustering::PointClustering;
use lambdacut::dp_means::curve::CurvePoint;
use lambdacut::io::{self, Coordinates, write_atomically};
use lambdacut::labels::renumber_by_size;
use lambdacut::metrics::Agreement;
use lambdacut::report::document::{Document, FitSection};
use lambdacut::report::html::{About, Page, PointsSource};
use serde_json::json;
use std::path::{Path, PathBuf};

/// Where results go.
#[derive(Debug, Args)]
#[command(next_help_heading = "Results")]
pub struct OutputArgs {
    /// Write `row<TAB>cluster`, clusters numbered from 0 by decreasing size; `-` is standard output
    /// (the default, unless --json, --centres or --report go there).
    #[arg(long, short, value_name = "LABELS")]
    pub output: Option<PathBuf>,
    /// Write the centre of each cluster as CSV.
    #[arg(long, value_name = "FILE")]
    pub centres: Option<PathBuf>,
    /// Write everything about the run as one JSON object.
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
    /// Write a page for the browser: the clusters, a picture, what was done. Needs no network.
    #[arg(long, value_name = "FILE.html")]
    pub report: Option<PathBuf>,
}

impl OutputArgs {
    /// Whether standard output is taken by one of the files; an error if it is by two.
    pub fn takes_standard_output(&self) -> anyhow::Result<bool> {
        let Self {
            output,
            centres,
            json,
            report,
        } = self;
        let files = [
            ("--output", output),
            ("--centres", centres),
            ("--json", json),
            ("--report", report),
        ];
        standard_output(&files.map(|(flag, file)| (flag, file.as_deref())))
    }
}

/// A finished run with everything needed to write it down.
pub struct Answer<'a> {
    pub found: PointClustering,
    method: &'static str,
    data: Data,
    from: &'a DataArgs,
    to: &'a OutputArgs,
    seed: u64,
    more: serde_json::Value,
    curve: Vec<CurvePoint>,
}

impl<'a> Answer<'a> {
    pub fn new(
        method: &'static str,
        data: Data,
        from: &'a DataArgs,
        to: &'a OutputArgs,
        seed: u64,
        found: PointClustering,
    ) -> Self {
        Self {
            found,
            method,
            data,
            from,
            to,
            seed,
            more: json!({}),
            curve: Vec::new(),
        }
    }

    /// Adds what only this method reports.
    pub fn more(mut self, more: serde_json::Value) -> Self {
        self.more = more;
        self
    }

    /// Adds the number of clusters at the values of λ that were tried.
    pub fn curve(mut self, curve: Vec<CurvePoint>) -> Self {
        self.curve = curve;
        self
    }

    /// Writes the files and the summary.
    pub fn write(&self, progress: &Progress) -> anyhow::Result<()> {
        let mut labels = self.found.labels.clone();
        renumber_by_size(&mut labels);
        let agreement = self.agreement(&labels)?;
        self.summarise(progress, &labels, agreement.as_ref());
        let taken = self.to.takes_standard_output()?;
        let target = self
            .to
            .output
            .clone()
            .or_else(|| (!taken).then(|| PathBuf::from("-")));
        if let Some(path) = target {
            write_atomically(&path, |out| {
                writeln!(
                    out,
                    "# lambdacut {}: {}",
                    env!("CARGO_PKG_VERSION"),
                    command_line()
                )?;
                writeln!(
                    out,
                    "# {}: {} clusters, value {}",
                    self.method, self.found.clusters, self.found.value
                )?;
                self.data
                    .names
                    .iter()
                    .zip(&labels)
                    .try_for_each(|(name, label)| writeln!(out, "{name}\t{label}"))
            })
            .with_context(|| format!("cannot write {}", path.display()))?;
        }
        if let Some(path) = &self.to.centres {
            self.write_centres(path, &labels)?;
        }
        if self.to.json.is_none() && self.to.report.is_none() {
            return Ok(());
        }
        let document = self.document(&labels, agreement.as_ref())?;
        if let Some(path) = &self.to.report {
            self.write_report(path, &labels, &document)?;
        }
        write_json(self.to.json.as_deref(), &document)
    }

    fn write_report(&self, path: &Path, labels: &[u32], document: &Document) -> anyhow::Result<()> {
        let data = &self.data;
        let truth = data
            .truth
            .as_ref()
            .map(|truth| (truth.of.as_slice(), truth.names.as_slice()));
        let source = PointsSource {
            points: &data.points,
            columns: &self.column_names(),
            truth,
        };
        let mut view = source.view(labels, self.found.value)?;
        let steps = self.curve.iter();
        view.curve = steps.map(|point| (point.lambda, point.clusters)).collect();
        let page = Page::new(
            &report::title(&self.from.data),
            About::new(document, self.parameters()),
        );
        report::write(
            path,
            &Page {
                points: Some(view),
                ..page.with_trace(&self.found.trace)
            },
        )
    }

    /// The method's own numbers and how the table was read, for the page.
    fn parameters(&self) -> Vec<(String, String)> {
        let numbers = self
            .more
            .as_object()
            .into_iter()
            .flatten()
            .filter(|(_, value)| value.is_number());
        let mut list: Vec<_> = numbers
            .map(|(name, value)| parameter(&name.replace('_', " "), value))
            .collect();
        list.extend([
            parameter("seed", &self.seed),
            parameter("missing values", &word(&self.from.missing)),
        ]);
        list.push(parameter(
            "standardised",
            &if self.from.standardise { "yes" } else { "no" },
        ));
        for (name, count) in [
            ("rows left out", self.data.dropped),
            ("values filled in", self.data.filled),
        ] {
            list.extend((count > 0).then(|| parameter(name, &count)));
        }
        list
    }

    fn agreement(&self, labels: &[u32]) -> anyhow::Result<Option<Agreement>> {
        Ok(self
            .data
            .truth
            .as_ref()
            .map(|truth| Agreement::of(labels, &truth.of))
            .transpose()?)
    }

    fn summarise(&self, progress: &Progress, labels: &[u32], agreement: Option<&Agreement>) {
        let sizes = sizes(labels);
        let shown: Vec<String> = sizes.iter().take(10).map(ToString::to_string).collect();
        let dots = if sizes.len() > 10 { ", …" } else { "" };
        let stop = serde_json::to_value(self.found.stop)
            .ok()
            .and_then(|v| v.as_str().map(|s| s.replace('_', " ")))
            .unwrap_or_default();
        progress.say(&format!(
            "{}: {} clusters (sizes {}{dots}), value {:.6}",
            self.method,
            self.found.clusters,
            shown.join(", "),
            self.found.value
        ));
        progress.say(&format!(
            "{} passes, ended by: {stop}",
            self.found.trace.len()
        ));
        if let Some(a) = agreement {
            progress.say(&format!(
                "against the label column: NMI {:.3}, ARI {:.3}, {} classes",
                a.nmi, a.ari, a.classes
            ));
        }
    }

    fn write_centres(&self, path: &std::path::Path, labels: &[u32]) -> anyhow::Result<()> {
        let Some(centres) = &self.found.centres else {
            return Ok(());
        };
        // Row r of the file is cluster r of the labels file.
        let mut row_of = vec![0; self.found.clusters];
        for (old, new) in self.found.labels.iter().zip(labels) {
            row_of[*new as usize] = *old as usize;
        }
        write_atomically(path, |out| {
            let quoted = |name: &String| {
                if name.contains([',', '"']) {
                    format!("\"{}\"", name.replace('"', "\"\""))
                } else {
                    name.clone()
                }
            };
            writeln!(
                out,
                "cluster,{}",
                self.column_names()
                    .iter()
                    .map(quoted)
                    .collect::<Vec<_>>()
                    .join(",")
            )?;
            for (cluster, &row) in row_of.iter().enumerate() {
                let values: Vec<String> =
                    centres.row(row).iter().map(ToString::to_string).collect();
                writeln!(out, "{cluster},{}", values.join(","))?;
            }
            Ok(())
        })
        .with_context(|| format!("cannot write {}", path.display()))
    }

    fn column_names(&self) -> Vec<String> {
        let named = |coordinates: &Coordinates| match coordinates {
            Coordinates::OneHot { column, values } => values
                .iter()
                .map(|value| format!("{column}={value}"))
                .collect(),
            Coordinates::Number { column } => vec![column.clone()],
        };
        self.data.coordinates.iter().flat_map(named).collect()
    }

    fn document(&self, labels: &[u32], agreement: Option<&Agreement>) -> anyhow::Result<Document> {
        let (data, found) = (&self.data, &self.found);
        let total = data.started.elapsed().as_secs_f64();
        let section = FitSection {
            method: self.method.into(),
            stop: found.stop,
            passes: found.trace.len(),
            trace: found.trace.clone(),
        };
        let points = json!({
            "rows": data.points.len(), "dimensions": data.points.dimension(), "weighted": data.points.is_weighted(),
            "dropped": data.dropped, "filled": data.filled, "standardised": self.from.standardise, "coordinates": data.coordinates,
        });
        let mut clustering = json!({ "value": found.value, "clusters": found.clusters });
        if let (Some(to), Some(from)) = (clustering.as_object_mut(), self.more.as_object()) {
            to.extend(from.clone());
        }
        // A pipe is read once.
        let input_sha256 = if self.from.data.is_file() {
            io::sha256(&self.from.data)?
        } else {
            String::new()
        };
        Ok(Document {
            fit: Some(section),
            metrics: Some(json!({ "sizes": sizes(labels) })),
            truth: agreement.map(serde_json::to_value).transpose()?,
            seconds: [
                ("load", data.load_seconds),
                ("cluster", total - data.load_seconds),
                ("total", total),
            ]
            .map(|(name, value)| (name.to_owned(), value))
            .into(),
            memory: memory::section(),
            provenance: Some(provenance(&input_sha256, self.seed)),
            more: [
                ("points".to_owned(), points),
                ("clustering".to_owned(), clustering),
            ]
            .into(),
            ..Document::default()
        })
    }
}

/// How many points each cluster has.
fn sizes(labels: &[u32]) -> Vec<usize> {
    let mut sizes = vec![0; labels.iter().max().map_or(0, |&c| c as usize + 1)];
    for &c in labels {
        sizes[c as usize] += 1;
    }
    sizes
}
