//! `lambdacut convert`: one graph format into another.

use super::common::Global;
use super::input::{FormatArg, ReadArgs};
use super::memory;
use super::output::{provenance, standard_output, write_json};
use anyhow::anyhow;
use clap::Args;
use lambdacut::io;
use lambdacut::report::document::Document;
use lambdacut::with_csr;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

/// The arguments of `convert`.
#[derive(Debug, Args)]
#[command(after_help = "Which format to choose:\n  \
edge list       read by everything; keeps names, but not vertices without an edge\n  \
binary (.lcut)  opened in a moment, without parsing; keeps everything. Convert a graph that is used more than once\n  \
METIS (.graph)  for graph partitioners; vertices become 1 to n\n  \
Matrix Market   for linear algebra (.mtx); vertices become 1 to n\n\n\
Examples:\n  \
lambdacut convert com-dblp.edges.gz dblp.lcut\n  \
lambdacut convert roads.csv roads.graph --self-loops drop\n  \
zcat graph.gz | lambdacut convert - graph.mtx --unweighted\n  \
lambdacut convert dirty.txt clean.txt.zst --lenient --json report.json")]
pub struct ConvertArgs {
    /// The graph to read; `-` is standard input.
    pub input: PathBuf,
    /// The file to write; `-` is standard output. Its name tells the format; `….gz` and `….zst` are
    /// compressed.
    pub output: PathBuf,
    /// The format to write, when the name does not tell.
    #[arg(long, value_name = "FORMAT", help_heading = "Output")]
    pub to: Option<FormatArg>,
    /// Where to write what was found in the input, and done to it, as JSON.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub json: Option<PathBuf>,
    #[command(flatten)]
    pub reading: ReadArgs,
}

/// Reads, writes, and says what was done.
pub fn run(args: &ConvertArgs, global: &Global) -> anyhow::Result<ExitCode> {
    let started = Instant::now();
    let progress = global.progress_without_result()?;
    standard_output(&[
        ("the graph", Some(&args.output)),
        ("--json", args.json.as_deref()),
    ])?;
    let format = match args.to {
        Some(format) => format.format(),
        None => io::Format::of_name(&args.output)
            .map_err(|error| anyhow!("{error} (--to names the format)"))?,
    };
    let loaded = args.reading.load(&args.input, &progress)?;
    let weights = loaded.graph.vertex_weights();
    progress.write(&args.output, |out| {
        with_csr!(loaded.graph.csr(), csr => {
            io::write_graph_to(out, format, csr, loaded.names(), weights)
        })
    })?;
    let (s, c) = (&loaded.section, loaded.graph.counts());
    progress.say(&format!(
        "{} vertices, {} edges, {} self-loops; of {} rows {} were repeats, {} arcs had no reverse",
        s.vertices, s.edges, s.self_loops, c.rows, s.duplicates, s.directed_arcs
    ));
    if let Some(path) = &args.json {
        // Nothing here is random.
        let provenance = Some(provenance(&loaded.sha256, 0));
        let mut document = Document {
            graph: Some(loaded.section),
            provenance,
            ..Document::default()
        };
        document.memory = memory::section();
        document.seconds.insert("load".to_owned(), loaded.seconds);
        document
            .seconds
            .insert("total".to_owned(), started.elapsed().as_secs_f64());
        write_json(Some(path), &document)?;
    }
    Ok(ExitCode::SUCCESS)
}
