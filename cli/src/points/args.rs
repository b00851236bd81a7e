//! The arguments of `points`, one struct a method: each has the flags that it uses.

use super::input::DataArgs;
use super::output::OutputArgs;
use crate::common::{Clock, Progress};
use clap::{Args, Subcommand};
use lambdacut::params::DEFAULT_SEED;
use lambdacut::run::{Deadline, StopRules};
use std::path::PathBuf;

/// The arguments of `points`.
#[derive(Debug, Args)]
pub struct PointsArgs {
    #[command(subcommand)]
    pub method: Method,
}

/// How the points are clustered.
#[derive(Debug, Subcommand)]
pub enum Method {
    /// DP-means: like k-means, but a point farther than λ (squared distance) from every centre
    /// opens a cluster.
    DpMeans(DpMeansArgs),
    /// Hard Gaussian HDP: several data sets clustered together, with a price for local and for
    /// global clusters.
    Hdp(HdpArgs),
    /// k-means: k-means++ and exact Lloyd iterations.
    KMeans(KMeansArgs),
    /// Gibbs sampler of the Dirichlet process mixture of Gaussians; writes the most probable
    /// sample.
    Gibbs(GibbsArgs),
}

impl Method {
    /// Where the results of this method go.
    pub fn output(&self) -> &OutputArgs {
        match self {
            Self::DpMeans(args) => &args.output,
            Self::Hdp(args) => &args.output,
            Self::KMeans(args) => &args.output,
            Self::Gibbs(args) => &args.output,
        }
    }
}

/// The arguments of DP-means.
#[derive(Debug, Args)]
pub struct DpMeansArgs {
    #[command(flatten)]
    pub data: DataArgs,
    /// The price λ of a cluster, in squared units of the data.
    #[arg(long, value_name = "λ", allow_negative_numbers = true, required_unless_present_any = ["clusters", "curve"])]
    pub lambda: Option<f64>,
    /// Choose λ for about this many clusters, by the farthest-first rule of the paper.
    #[arg(long, short = 'k', value_name = "K", conflicts_with = "lambda")]
    pub clusters: Option<usize>,
    /// Try a range of λ instead, draw the number of clusters against λ, print the stretches on
    /// which it stays the same, and use the widest. --json keeps the number of clusters at every λ,
    /// --report draws it.
    #[arg(long, conflicts_with_all = ["lambda", "clusters"])]
    pub curve: bool,
    /// Visit the points in an order shuffled by the seed instead of the order of the file.
    #[arg(long)]
    pub shuffle: bool,
    /// Start from the clusters of this labels file (`row<TAB>cluster`, as -o writes it) instead of
    /// one cluster.
    #[arg(long, value_name = "LABELS")]
    pub start: Option<PathBuf>,
    /// DATA is a kernel matrix (square and symmetric, usually a .npy array) instead of points: element
    /// i is row i, and distances are those of the kernel's feature space.
    #[arg(long, conflicts_with_all = [
        "label", "group", "weight", "name", "ignore", "missing", "standardise", "curve", "runs",
        "centres", "report",
    ])]
    pub kernel: bool,
    #[command(flatten)]
    pub restarts: RestartArgs,
    #[command(flatten)]
    pub pass: PassArgs,
    #[command(flatten)]
    pub run: RunArgs,
    #[command(flatten)]
    pub output: OutputArgs,
}

/// The arguments of the HDP.
#[derive(Debug, Args)]
pub struct HdpArgs {
    #[command(flatten)]
    pub data: DataArgs,
    /// The price of a local cluster.
    #[arg(
        long,
        value_name = "λ",
        allow_negative_numbers = true,
        requires = "lambda_global",
        required_unless_present = "local_clusters"
    )]
    pub lambda_local: Option<f64>,
    /// The price of a global cluster.
    #[arg(
        long,
        value_name = "λ",
        allow_negative_numbers = true,
        requires = "lambda_local"
    )]
    pub lambda_global: Option<f64>,
    /// Choose the prices for about this many clusters a data set …
    #[arg(
        long,
        value_name = "K",
        requires = "global_clusters",
        conflicts_with = "lambda_local"
    )]
    pub local_clusters: Option<usize>,
    /// … and this many in all, by the farthest-first rule of the paper.
    #[arg(long, value_name = "G", requires = "local_clusters")]
    pub global_clusters: Option<usize>,
    #[command(flatten)]
    pub restarts: RestartArgs,
    #[command(flatten)]
    pub pass: PassArgs,
    #[command(flatten)]
    pub run: RunArgs,
    #[command(flatten)]
    pub output: OutputArgs,
}

/// The arguments of k-means.
#[derive(Debug, Args)]
pub struct KMeansArgs {
    #[command(flatten)]
    pub data: DataArgs,
    /// The number of clusters.
    #[arg(long, short = 'k', value_name = "K")]
    pub clusters: usize,
    #[command(flatten)]
    pub restarts: RestartArgs,
    #[command(flatten)]
    pub pass: PassArgs,
    #[command(flatten)]
    pub run: RunArgs,
    #[command(flatten)]
    pub output: OutputArgs,
}

/// The arguments of the Gibbs sampler.
#[derive(Debug, Args)]
pub struct GibbsArgs {
    #[command(flatten)]
    pub data: DataArgs,
    /// The concentration α; drawn with the prior of --alpha-prior when not given.
    #[arg(long, value_name = "α", conflicts_with = "alpha_prior")]
    pub alpha: Option<f64>,
    /// Draw α with prior Gamma(SHAPE, RATE).
    #[arg(long, value_name = "SHAPE,RATE", allow_hyphen_values = true, value_parser = two_numbers, default_value = "1,1")]
    pub alpha_prior: (f64, f64),
    /// The variance σ of a cluster; drawn with the prior of --sigma-prior when not given.
    #[arg(long, value_name = "σ", conflicts_with = "sigma_prior")]
    pub sigma: Option<f64>,
    /// Draw σ with prior InverseGamma(SHAPE, SCALE).
    #[arg(long, value_name = "SHAPE,SCALE", allow_hyphen_values = true, value_parser = two_numbers, default_value = "1,1")]
    pub sigma_prior: (f64, f64),
    /// The variance of the prior of the means. The data are shifted to mean 0 first.
    #[arg(long, value_name = "ρ", default_value_t = 100.0)]
    pub rho: f64,
    /// Sweeps before the first sample.
    #[arg(long, value_name = "N", default_value_t = 1000)]
    pub burn_in: usize,
    /// Sweeps after that.
    #[arg(long, value_name = "N", default_value_t = 5000)]
    pub samples: usize,
    /// Every how many of these a sample is taken.
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub thin: usize,
    #[command(flatten)]
    pub run: RunArgs,
    #[command(flatten)]
    pub output: OutputArgs,
}

/// What every method takes.
#[derive(Debug, Args)]
#[command(next_help_heading = "Running")]
pub struct RunArgs {
    /// Seed of everything random.
    #[arg(long, value_name = "N", default_value_t = DEFAULT_SEED)]
    pub seed: u64,
    /// End after this many seconds with the best clustering so far. The limit is for all of it:
    /// reading, the choice of λ, every run.
    #[arg(long, value_name = "SECONDS")]
    pub time_limit: Option<f64>,
}

/// What methods that lower one objective pass by pass take.
#[derive(Debug, Args)]
#[command(next_help_heading = "Running")]
pub struct PassArgs {
    /// At most this many passes.
    #[arg(long, value_name = "N")]
    pub passes: Option<usize>,
    /// Stop when a pass gains less than this fraction of the objective.
    #[arg(long, alias = "tolerance", value_name = "FRACTION")]
    pub relative_gain: Option<f64>,
}

/// What methods that make several runs take.
#[derive(Debug, Args)]
#[command(next_help_heading = "Running")]
pub struct RestartArgs {
    /// Runs, of which the best is kept.
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub runs: usize,
}

/// `a,b` as two numbers.
fn two_numbers(text: &str) -> Result<(f64, f64), String> {
    let wrong = || format!("expected two numbers with a comma between them, not {text:?}");
    let (first, second) = text.split_once(',').ok_or_else(wrong)?;
    Ok((
        first.trim().parse().map_err(|_| wrong())?,
        second.trim().parse().map_err(|_| wrong())?,
    ))
}

impl PassArgs {
    /// What ends the passes of one run.
    pub fn stop(&self) -> StopRules {
        StopRules {
            passes: self.passes,
            relative_gain: self.relative_gain,
        }
    }
}

impl RunArgs {
    /// Starts the clock of the whole command.
    pub fn deadline<'a>(&self, progress: &'a Progress) -> anyhow::Result<Deadline<'a>> {
        let clock = Clock::start(self.time_limit)?;
        Ok(Deadline::new(progress, clock.left()))
    }
}
