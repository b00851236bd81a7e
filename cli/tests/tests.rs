//! The integration tests of the program, one binary with one module a subject.
#![allow(
    missing_docs,
    clippy::items_after_statements,
    clippy::naive_bytecount,
    clippy::format_collect,
    clippy::needless_for_each,
    clippy::format_push_string,
    clippy::too_many_lines
)]

#[path = "it/bench.rs"]
mod bench;

#[path = "it/cluster.rs"]
mod cluster;

#[path = "it/convert.rs"]
mod convert;

#[path = "it/devtools.rs"]
mod devtools;

#[path = "it/evaluate.rs"]
mod evaluate;

#[path = "it/flags.rs"]
mod flags;

#[path = "it/hostile.rs"]
mod hostile;

#[path = "it/layers.rs"]
mod layers;

#[path = "it/manual.rs"]
mod manual;

#[path = "it/paper.rs"]
mod paper;

#[path = "it/points.rs"]
mod points;

#[path = "it/readme.rs"]
mod readme;

#[path = "it/report.rs"]
mod report;

#[path = "it/report_browser.rs"]
mod report_browser;

#[path = "it/spectrum.rs"]
mod spectrum;

#[path = "it/strict.rs"]
mod strict;

#[path = "it/support.rs"]
mod support;
