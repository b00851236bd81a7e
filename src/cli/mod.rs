//! The command line: raw arguments → resolved job → run → exit code. The only place that prints.
//!
//! One file a command, each with an `Args` struct and a `run` function; what several commands share is in `common`.

mod common;
mod convert;
mod input;
#[allow(dead_code)] // run by `cluster --layers`
mod layers;
mod paper;
mod points;

use clap::{Parser, Subcommand};
use std::process::ExitCode;

/// Clusters large sparse graphs without being told how many clusters there are.
#[derive(Debug, Parser)]
#[command(name = "lambdacut", version, about, max_term_width = 110)]
pub struct Cli {
    #[command(flatten)]
    global: common::Global,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Turn a graph into another format: edge list, METIS, Matrix Market, binary.
    Convert(convert::ConvertArgs),
    /// Rerun the experiments of Kulis & Jordan (2012) and print our numbers beside theirs.
    Paper(paper::PaperArgs),
    /// Cluster dense points from a table: DP-means, hard Gaussian HDP, k-means, Gibbs sampler.
    Points(Box<points::PointsArgs>),
}

/// Parses the arguments, runs the command and says how it went: 0 done, 1 wrong input or request, 2 usage, 130 interrupted.
pub fn main() -> ExitCode {
    let cli = Cli::parse();
    match cli.global.in_pool(|| run(&cli)) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("lambdacut: {error:#}");
            ExitCode::from(1)
        }
    }
}

fn run(cli: &Cli) -> anyhow::Result<ExitCode> {
    match &cli.command {
        Command::Convert(args) => convert::run(args, &cli.global),
        Command::Paper(args) => paper::run(args, &cli.global),
        Command::Points(args) => points::run(args, &cli.global),
    }
}
