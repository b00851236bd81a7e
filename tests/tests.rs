//! The integration tests, one binary with one module a subject.
#![allow(missing_docs)]

#[path = "it/support.rs"]
mod support;

#[path = "it/graph.rs"]
mod graph;

#[path = "it/layers.rs"]
mod layers;

#[path = "it/build.rs"]
mod build;

#[path = "it/io.rs"]
mod io;

#[path = "it/io_formats.rs"]
mod io_formats;

#[path = "it/io_interop.rs"]
mod io_interop;

#[path = "it/convert.rs"]
mod convert;
