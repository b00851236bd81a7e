//! The command line: raw arguments → resolved job → run → exit code. The only place that prints.
//!
//! One file a command, each with an `Args` struct and a `run` function; what several commands share
//! is in `common`.

mod bench;
mod cluster;
mod common;
mod convert;
mod evaluate;
mod generate;
mod input;
mod layers;
mod manual;
mod memory;
mod output;
mod paper;
mod points;
mod report;
mod spectrum;

use clap::{Parser, Subcommand};
use std::process::ExitCode;

/// Clusters large sparse graphs without being told how many clusters there are.
#[derive(Debug, Parser)]
#[command(name = "lambdacut", version, about, max_term_width = 110)]
struct Cli {
    #[command(flatten)]
    global: common::Global,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Measure loading, sweeping, one pass, solving, the path and the spectrum on given or
    /// generated graphs, by threads.
    Bench(Box<bench::BenchArgs>),
    /// Cluster a graph: the recommended clustering, the best at one resolution, or exactly k
    /// clusters.
    Cluster(Box<cluster::ClusterArgs>),
    /// Follow the whole path: every clustering on the hull with its interval of resolutions.
    Path(Box<cluster::PathArgs>),
    /// Print the completion script of a shell.
    Completions(manual::CompletionsArgs),
    /// Turn a graph into another format: edge list, METIS, Matrix Market, binary.
    Convert(convert::ConvertArgs),
    /// Measure a given clustering: cut, conductance, modularity, coverage, and agreement with a
    /// truth.
    Evaluate(evaluate::EvaluateArgs),
    /// Make graphs and points whose clusters are known: LFR, block models, R-MAT, cliques, Gaussian
    /// blobs.
    Generate(generate::GenerateArgs),
    /// Print the manual page of the program or of a command, or write all pages.
    Man(manual::ManArgs),
    /// Rerun the experiments of Kulis & Jordan (2012) and print our numbers beside theirs.
    Paper(paper::PaperArgs),
    /// Cluster dense points from a table: DP-means, hard Gaussian HDP, k-means, Gibbs sampler.
    Points(Box<points::PointsArgs>),
    /// Compute the eigenvalues of the (normalized) Laplacian below β, with a check that none is
    /// missing.
    Spectrum(Box<spectrum::SpectrumArgs>),
}

/// Parses the arguments, runs the command and says how it went: 0 done, 1 wrong input or request, 2
/// usage, 130 interrupted.
fn main() -> ExitCode {
    let cli = Cli::parse();
    match run_in_pool(cli) {
        Ok(code) => code,
        Err(error) if error.is::<common::Interrupted>() => ExitCode::from(130),
        Err(error) => {
            let help = input::flag_that_helps(&error);
            // One line, whatever a file is called.
            let message = format!("{error:#}{help}").replace('\n', "\\n");
            common::tell(&format!("lambdacut: {message}"));
            ExitCode::from(if error.is::<common::Usage>() { 2 } else { 1 })
        }
    }
}

fn run_in_pool(cli: Cli) -> anyhow::Result<ExitCode> {
    // `bench` compares several numbers of threads, each in a pool of its own.
    let threads = if matches!(cli.command, Command::Bench(_)) {
        None
    } else {
        cli.global.one_number_of_threads()?
    };
    common::in_pool(threads, || run(cli))
}

fn run(cli: Cli) -> anyhow::Result<ExitCode> {
    match cli.command {
        Command::Bench(args) => bench::run(&args, &cli.global),
        Command::Cluster(args) => cluster::run(&args, &cli.global),
        Command::Path(args) => cluster::run_path(&args, &cli.global),
        Command::Completions(args) => manual::completions(&args),
        Command::Convert(args) => convert::run(&args, &cli.global),
        Command::Evaluate(args) => evaluate::run(&args, &cli.global),
        Command::Generate(args) => generate::run(&args, &cli.global),
        Command::Man(args) => manual::man(&args, &cli.global),
        Command::Paper(args) => paper::run(&args, &cli.global),
        Command::Points(args) => points::run(&args, &cli.global),
        Command::Spectrum(args) => spectrum::run(&args, &cli.global),
    }
}
