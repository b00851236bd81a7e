//! The integration tests, one binary with one module a subject.
#![allow(missing_docs)]

#[path = "it/support.rs"]
mod support;

#[path = "it/graph.rs"]
mod graph;

#[path = "it/layers.rs"]
mod layers;

#[path = "it/points.rs"]
mod points;

#[path = "it/kernel_dp_means.rs"]
mod kernel_dp_means;

#[path = "it/objective.rs"]
mod objective;

#[path = "it/metrics.rs"]
mod metrics;

#[path = "it/baseline.rs"]
mod baseline;

#[path = "it/hdp.rs"]
mod hdp;

#[path = "it/build.rs"]
mod build;

#[path = "it/io.rs"]
mod io;

#[path = "it/generate.rs"]
mod generate;

#[path = "it/points_table.rs"]
mod points_table;

#[path = "it/layered.rs"]
mod layered;

#[path = "it/paper.rs"]
mod paper;
