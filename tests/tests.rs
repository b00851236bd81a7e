//! The integration tests, one binary with one module a subject.
#![allow(missing_docs)]

#[path = "it/support.rs"]
mod support;

#[path = "it/graph.rs"]
mod graph;

#[path = "it/layers.rs"]
mod layers;

#[path = "it/kernel_dp_means.rs"]
mod kernel_dp_means;

#[path = "it/objective.rs"]
mod objective;

#[path = "it/metrics.rs"]
mod metrics;

#[path = "it/generate.rs"]
mod generate;

#[path = "it/build.rs"]
mod build;

#[path = "it/io.rs"]
mod io;

#[path = "it/datasets.rs"]
mod datasets;

#[path = "it/cli_evaluate.rs"]
mod cli_evaluate;
