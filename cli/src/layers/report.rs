//! `--report` of several layers: the page of the layered graph.

use super::{Job, Layer};
use crate::cluster::args::EffortArg;
use crate::common::Progress;
use crate::report::{self, parameter, word};
use lambdacut::clustering::Clustering;
use lambdacut::graph::Strings;
use lambdacut::ids::{Cluster, NONE};
use lambdacut::io::Labels;
use lambdacut::layers::LayeredGraph;
use lambdacut::report::document::Document;
use lambdacut::report::html::{self, About, GraphSource, Page, Stop, VertexNames};
use std::collections::HashMap;
use std::path::Path;

/// Layers named in the heading.
const TITLED: usize = 4;

/// The page about the clusters of several layers.
pub struct LayersPage<'a> {
    /// What was asked for.
    pub job: &'a Job<'a>,
    /// What was read.
    pub layers: &'a [Layer],
    /// All layers as one graph.
    pub layered: &'a LayeredGraph,
    /// What was found.
    pub found: &'a Clustering,
}

impl LayersPage<'_> {
    /// Writes the page.
    pub fn write(
        &self,
        file: &Path,
        document: &Document,
        progress: &Progress,
    ) -> anyhow::Result<()> {
        let layers: Vec<html::Layer<'_>> = self
            .layers
            .iter()
            .map(|l| html::Layer {
                title: &l.title,
                names: l.loaded.names(),
            })
            .collect();
        let truth = self.truth();
        let source = GraphSource {
            graph: &self.layered.graph,
            names: VertexNames::Copies(self.layered, &layers),
            cut: &self.found.objective,
            truth: truth.as_ref(),
        };
        let view = source.view(
            &[self.stop(document)],
            0,
            &|_| self.found.labels.clone(),
            progress,
        )?;
        let page = Page::new(&self.title(), About::new(document, self.parameters()));
        progress.finish();
        report::write(
            file,
            &Page {
                graph: Some(view),
                ..page.with_trace(&self.found.trace)
            },
        )
    }

    fn stop(&self, document: &Document) -> Stop {
        let cut = document
            .objective
            .as_ref()
            .map_or(0.0, |objective| objective.cut);
        let local: usize = self.layers.iter().map(|l| l.clusters).sum();
        let local_price = self.job.layers.price() * local as f64;
        Stop {
            clusters: self.found.clusters,
            cut,
            beta: self.job.search.resolution,
            local_price,
            ..Stop::default()
        }
    }

    fn title(&self) -> String {
        let titles: Vec<&str> = self.layers.iter().map(|l| l.title.as_str()).collect();
        match &titles[..] {
            few if few.len() <= TITLED => few.join(" + "),
            many => format!(
                "{} + … + {} ({} layers)",
                many[0],
                many[many.len() - 1],
                many.len()
            ),
        }
    }

    /// The true classes of all copies, under one numbering.
    fn truth(&self) -> Option<Labels> {
        let read: Option<Vec<&Labels>> = self
            .layers
            .iter()
            .map(|l| l.truth.as_ref().map(|(labels, _)| labels))
            .collect();
        let mut all = Labels {
            labels: Vec::new(),
            names: Strings::default(),
            missing: 0,
            unknown: 0,
        };
        let mut numbers: HashMap<&str, Cluster> = HashMap::new();
        for part in read? {
            let mut number = |class: usize| {
                let name = part.names.get(class);
                *numbers.entry(name).or_insert_with(|| {
                    all.names.push(name);
                    all.names.len() as Cluster - 1
                })
            };
            let joint: Vec<Cluster> = (0..part.names.len()).map(&mut number).collect();
            all.labels.extend(
                part.labels
                    .iter()
                    .map(|&c| if c == NONE { NONE } else { joint[c as usize] }),
            );
            all.missing += part.missing;
            all.unknown += part.unknown;
        }
        Some(all)
    }

    fn parameters(&self) -> Vec<(String, String)> {
        let (args, job) = (self.job.layers, self.job);
        let search = job.search;
        let mut list = vec![
            parameter("effort", &word(&search.effort.unwrap_or(EffortArg::Normal))),
            parameter("coupling weight", &args.weight()),
        ];
        list.extend([
            parameter("coupled", &word(&args.how())),
            parameter("local price", &args.price()),
        ]);
        let limit = search.time_limit;
        list.extend(limit.map(|seconds| parameter("time limit", &seconds)));
        list.extend(report::reading(job.reading));
        list
    }
}
