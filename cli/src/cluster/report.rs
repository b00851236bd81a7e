//! `--report` of `cluster` and `path`.

use super::args::{EffortArg, InitArg, Method, OrderArg, SearchArgs};
use super::methods::Found;
use crate::common::Progress;
use crate::input::{Loaded, ReadArgs, read_labels_for};
use crate::report::{self, parameter, word};
use lambdacut::graph::{Csr, Weight};
use lambdacut::ids::Cluster;
use lambdacut::io::{Labels, Unknown};
use lambdacut::report::document::Document;
use lambdacut::report::html::{About, GraphSource, GraphView, Page, Stop};
use lambdacut::search::Candidate;
use lambdacut::with_csr;
use std::path::Path;

/// The page about one clustering.
pub struct ReportPage<'a> {
    /// What was looked for.
    pub search: &'a SearchArgs,
    /// How the graph was read.
    pub reading: &'a ReadArgs,
    /// From where.
    pub graph: &'a Path,
    /// The graph.
    pub loaded: &'a Loaded,
    /// What was found.
    pub found: &'a Found,
}

impl ReportPage<'_> {
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
        let view = with_csr!(self.loaded.graph.csr(), g => self.view(g, truth.as_ref(), progress))?;
        let about = About::new(document, self.parameters());
        let mut page = Page {
            graph: Some(view),
            ..Page::new(&report::title(self.graph), about)
        };
        page.spectrum = self.found.spectrum.as_ref().map(|low| low.view.clone());
        // The steps of a path are at different β, so that their values make no curve.
        if self.search.method != Method::Path {
            page = page.with_trace(&self.found.clustering.trace);
        }
        progress.finish();
        report::write(file, &page)
    }

    fn view<W: Weight>(
        &self,
        graph: &Csr<W>,
        truth: Option<&Labels>,
        progress: &Progress,
    ) -> anyhow::Result<GraphView> {
        let found = &self.found.clustering;
        let source = GraphSource {
            graph,
            names: self.loaded.names().into(),
            cut: &found.objective,
            truth,
        };
        let path = self.found.path.as_ref();
        let Some((path, choice)) = path.and_then(|p| Some((p, p.answer.choice.as_ref()?))) else {
            let stop = Stop {
                clusters: found.clusters,
                cut: found.cut,
                beta: Some(found.beta),
                interval: path.and_then(|path| path.answer.interval),
                ..Stop::default()
            };
            return Ok(source.view(&[stop], 0, &|_| found.labels.clone(), progress)?);
        };
        let stops: Vec<Stop> = choice.candidates.iter().map(stop).collect();
        let labels = |at: usize| -> Vec<Cluster> {
            let point = choice.candidates[at].point;
            path.search.labels_on_path(graph, &path.walk, point)
        };
        let view = source.view(&stops, choice.chosen, &labels, progress)?;
        Ok(GraphView {
            reason: Some(format!("Recommended because {}.", choice.why())),
            ..view
        })
    }

    fn parameters(&self) -> Vec<(String, String)> {
        let args = self.search;
        let mut list = vec![
            parameter("objective", &word(&args.objective)),
            parameter("method", &word(&args.method)),
        ];
        if args.method == Method::Path {
            list.push(parameter(
                "effort",
                &word(&args.effort.unwrap_or(EffortArg::Normal)),
            ));
        } else {
            list.extend([
                parameter("seed", &args.seed()),
                parameter("refine", &if args.refine() { "yes" } else { "no" }),
            ]);
        }
        if args.method == Method::KernelDpMeans {
            list.extend([
                parameter("init", &word(&args.pass.init.unwrap_or(InitArg::Several))),
                parameter(
                    "order",
                    &word(&args.pass.order.unwrap_or(OrderArg::Natural)),
                ),
            ]);
        }
        list.extend(args.resolution.map(|beta| parameter("resolution", &beta)));
        list.extend(args.clusters.map(|k| parameter("clusters", &k)));
        list.extend(
            args.time_limit
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
