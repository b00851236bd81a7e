//! `lambdacut convert`: one graph format into another.

use super::common::Global;
use super::input::{FormatArg, ReadArgs};
use anyhow::Context;
use clap::Args;
use lambdacut::io;
use lambdacut::with_graph;
use std::path::PathBuf;
use std::process::ExitCode;

/// The arguments of `convert`.
#[derive(Debug, Args)]
pub struct ConvertArgs {
    /// The graph to read; `-` is standard input.
    pub input: PathBuf,
    /// The file to write; `-` is standard output. Its name tells the format; `….gz` and `….zst` are compressed.
    pub output: PathBuf,
    /// The format to write, when the name does not tell.
    #[arg(long, value_name = "FORMAT")]
    pub to: Option<FormatArg>,
    #[command(flatten)]
    pub reading: ReadArgs,
}

/// Reads, writes, and says what was done.
pub fn run(args: &ConvertArgs, global: &Global) -> anyhow::Result<ExitCode> {
    let progress = global.progress()?;
    let loaded = args.reading.load(&args.input, &progress)?;
    let format = args.to.map_or_else(|| io::Format::of_name(&args.output), FormatArg::format);
    with_graph!(&loaded.graph, g => io::write_graph_and_masses(&args.output, format, g, &loaded.names, loaded.masses.as_deref()))
        .with_context(|| format!("cannot write {}", args.output.display()))?;
    let (s, c) = (&loaded.section, &loaded.counts);
    progress.say(&format!(
        "{} vertices, {} edges, {} self-loops; of {} rows {} were repeats, {} arcs had no reverse",
        s.vertices, s.edges, s.self_loops, c.rows, s.duplicates, s.directed_arcs
    ));
    Ok(ExitCode::SUCCESS)
}
