//! The integration tests of the library, one binary with one module a subject.
#![allow(
    missing_docs,
    clippy::items_after_statements,
    clippy::naive_bytecount,
    clippy::format_collect,
    clippy::needless_for_each,
    clippy::format_push_string,
    clippy::too_many_lines
)]

#[path = "it/api.rs"]
mod api;

#[path = "it/baseline.rs"]
mod baseline;

#[path = "it/build.rs"]
mod build;

#[path = "it/cut.rs"]
mod cut;

#[path = "it/datasets.rs"]
mod datasets;

#[path = "it/dependencies.rs"]
mod dependencies;

#[path = "it/generate.rs"]
mod generate;

#[path = "it/graph.rs"]
mod graph;

#[path = "it/hdp.rs"]
mod hdp;

#[path = "it/imports.rs"]
mod imports;

#[path = "it/io.rs"]
mod io;

#[path = "it/io_formats.rs"]
mod io_formats;

#[path = "it/io_hostile.rs"]
mod io_hostile;

#[path = "it/io_interop.rs"]
mod io_interop;

#[path = "it/io_tables.rs"]
mod io_tables;

#[path = "it/kernel_dp_means.rs"]
mod kernel_dp_means;

#[path = "it/known_answers.rs"]
mod known_answers;

#[path = "it/layers.rs"]
mod layers;

#[path = "it/linalg.rs"]
mod linalg;

#[path = "it/linalg_analytic.rs"]
mod linalg_analytic;

#[path = "it/linalg_support.rs"]
mod linalg_support;

#[path = "it/metrics.rs"]
mod metrics;

#[path = "it/points.rs"]
mod points;

#[cfg(feature = "report")]
#[path = "it/report.rs"]
mod report;

#[path = "it/run.rs"]
mod run;

#[path = "it/search.rs"]
mod search;

#[path = "it/serde.rs"]
mod serde;

#[path = "it/spectral.rs"]
mod spectral;

#[path = "it/support.rs"]
mod support;
