//! `--report` of `cluster` and `path`.

use super::{Found, Method, WhatArgs};
use crate::common::Progress;
use crate::input::{Loaded, ReadArgs, read_labels_for};
use crate::report::{self, parameter, word};
use lambdacut::graph::{Graph, Weight};
use lambdacut::ids::Cluster;
use lambdacut::io::{Labels, Unknown};
use lambdacut::partition::Masses;
use lambdacut::report::document::Document;
use lambdacut::report::html::{About, GraphSource, GraphView, Page, Stop};
use lambdacut::search::choose::{Candidate, Choice, Reason};
use lambdacut::with_graph;
use std::path::Path;

/// What a page shows.
pub struct Shown<'a> {
    /// What was looked for.
    pub what: &'a WhatArgs,
    /// How the graph was read.
    pub reading: &'a ReadArgs,
    /// From where.
    pub path: &'a Path,
    /// The graph.
    pub loaded: &'a Loaded,
    /// What was found.
    pub found: &'a Found,
}

impl Shown<'_> {
    /// Writes the page.
    pub fn write(
        &self,
        file: &Path,
        document: &Document,
        truth: Option<&Path>,
        progress: &Progress,
    ) -> anyhow::Result<()> {
        let truth = truth
            .map(|path| read_labels_for(path, self.loaded, Unknown::Skip))
            .transpose()?;
        let view = with_graph!(&self.loaded.graph, g => self.view(g, truth.as_ref(), progress))?;
        let about = About::new(document, self.parameters());
        let mut page = Page {
            graph: Some(view),
            ..Page::new(&report::title(self.path), about)
        };
        page.spectrum = self.found.spectrum.as_ref().map(|low| low.view.clone());
        // The steps of a path are at different β, so that their values make no curve.
        if self.what.method != Method::Path {
            page = page.with_trace(&self.found.fit.trace);
        }
        progress.finish();
        report::write(file, &page)
    }

    fn view<W: Weight>(
        &self,
        graph: &Graph<W>,
        truth: Option<&Labels>,
        progress: &Progress,
    ) -> anyhow::Result<GraphView> {
        let masses = Masses::of(self.what.objective.kind());
        let source = GraphSource {
            graph,
            names: (&self.loaded.names).into(),
            masses: &masses,
            truth,
        };
        let found = self.found;
        let (Some(choice), Some(walked)) = (&found.choice, &found.walked) else {
            let (clusters, cut, beta, interval) =
                (found.fit.clusters, found.cut, found.beta, found.interval);
            let stop = Stop {
                clusters,
                cut,
                beta,
                interval,
                ..Stop::default()
            };
            return Ok(source.view(&[stop], 0, &|_| found.fit.labels.clone(), progress)?);
        };
        let stops: Vec<Stop> = choice.candidates.iter().map(stop).collect();
        let labels = |at: usize| -> Vec<Cluster> {
            walked
                .search
                .walked(graph, &walked.walk, choice.candidates[at].point)
        };
        let view = source.view(&stops, choice.chosen, &labels, progress)?;
        Ok(GraphView {
            reason: Some(reason(choice)),
            ..view
        })
    }

    fn parameters(&self) -> Vec<(String, String)> {
        let what = self.what;
        let mut list = vec![
            parameter("objective", &word(&what.objective)),
            parameter("method", &word(&what.method)),
        ];
        if what.method == Method::Path {
            list.push(parameter("effort", &word(&what.effort)));
        } else {
            list.extend([
                parameter("seed", &what.seed),
                parameter("refine", &if what.refine { "yes" } else { "no" }),
            ]);
        }
        if what.method == Method::KernelDpMeans {
            list.extend([
                parameter("init", &word(&what.pass.init)),
                parameter("order", &word(&what.pass.order)),
            ]);
        }
        list.extend(what.resolution.map(|beta| parameter("resolution", &beta)));
        list.extend(what.clusters.map(|k| parameter("clusters", &k)));
        list.extend(
            what.time_limit
                .map(|seconds| parameter("time limit", &seconds)),
        );
        list.extend(report::reading(self.reading));
        list
    }
}

fn stop(c: &Candidate) -> Stop {
    let beta = Some(f64::midpoint(c.beta_low, c.beta_high));
    Stop {
        clusters: c.clusters,
        cut: c.cut,
        beta,
        interval: Some((c.beta_low, c.beta_high)),
        ..Stop::default()
    }
}

fn reason(choice: &Choice) -> String {
    match choice.reason {
        Reason::Interval => format!(
            "Of the clusterings with at least 0.7 of the best score, the recommended one stays best over the widest interval of resolutions ({:.3} wide).",
            choice.candidates[choice.chosen].width()
        ),
        Reason::Score => {
            "No scale stands out: many numbers of clusters are about equally good. Recommended is the one of the highest score, modularity times what a neighbour's cluster tells."
                .to_owned()
        }
        _ => "The recommended clustering is the only one to choose.".to_owned(),
    }
}
