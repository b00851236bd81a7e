//! `lambdacut points`: dense points from a table, by DP-means, the hard Gaussian HDP, k-means or
//! the Gibbs sampler.

mod input;
mod output;

use super::common::{Clock, Global, Progress};
use anyhow::{Context, bail};
use clap::{Args, Subcommand};
use input::DataArgs;
use lambdacut::dp_means::curve::{curve, plateaus, price_range};
use lambdacut::dp_means::{DpMeans, Order, Start};
use lambdacut::gibbs;
use lambdacut::hdp::{Hdp, Prices, prices_for};
use lambdacut::k_means::KMeans;
use lambdacut::params::DEFAULT_SEED;
use lambdacut::points::Points;
use lambdacut::run::{Deadline, StopReason, StopRules};
use output::{Answer, OutputArgs};
use serde_json::json;
use std::path::PathBuf;
use std::process::ExitCode;

/// The arguments of `points`.
#[derive(Debug, Args)]
pub struct PointsArgs {
    #[command(subcommand)]
    method: Method,
}

#[derive(Debug, Subcommand)]
enum Method {
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
    fn output(&self) -> &OutputArgs {
        match self {
            Self::DpMeans(args) => &args.output,
            Self::Hdp(args) => &args.output,
            Self::KMeans(args) => &args.output,
            Self::Gibbs(args) => &args.output,
        }
    }
}

#[derive(Debug, Args)]
struct DpMeansArgs {
    #[command(flatten)]
    data: DataArgs,
    /// The price λ of a cluster, in squared units of the data.
    #[arg(long, value_name = "λ", allow_negative_numbers = true, required_unless_present_any = ["clusters", "curve"])]
    lambda: Option<f64>,
    /// Choose λ for about this many clusters, by the farthest-first rule of the paper.
    #[arg(long, short = 'k', value_name = "K", conflicts_with = "lambda")]
    clusters: Option<usize>,
    /// Try a range of λ instead, print the stretches on which the number of clusters stays the
    /// same, and use the widest. --json keeps the number of clusters at every λ.
    #[arg(long, conflicts_with_all = ["lambda", "clusters"])]
    curve: bool,
    /// Visit the points in an order shuffled by the seed instead of the order of the file.
    #[arg(long)]
    shuffle: bool,
    /// Start from the clusters of this labels file (`row<TAB>cluster`, as -o writes it) instead of
    /// one cluster.
    #[arg(long, value_name = "LABELS")]
    start: Option<PathBuf>,
    #[command(flatten)]
    restarts: RestartArgs,
    #[command(flatten)]
    run: RunArgs,
    #[command(flatten)]
    output: OutputArgs,
}

#[derive(Debug, Args)]
struct HdpArgs {
    #[command(flatten)]
    data: DataArgs,
    /// The price of a local cluster.
    #[arg(
        long,
        value_name = "λ",
        allow_negative_numbers = true,
        requires = "lambda_global",
        required_unless_present = "local_clusters"
    )]
    lambda_local: Option<f64>,
    /// The price of a global cluster.
    #[arg(
        long,
        value_name = "λ",
        allow_negative_numbers = true,
        requires = "lambda_local"
    )]
    lambda_global: Option<f64>,
    /// Choose the prices for about this many clusters a data set …
    #[arg(
        long,
        value_name = "K",
        requires = "global_clusters",
        conflicts_with = "lambda_local"
    )]
    local_clusters: Option<usize>,
    /// … and this many in all, by the farthest-first rule of the paper.
    #[arg(long, value_name = "G", requires = "local_clusters")]
    global_clusters: Option<usize>,
    #[command(flatten)]
    restarts: RestartArgs,
    #[command(flatten)]
    run: RunArgs,
    #[command(flatten)]
    output: OutputArgs,
}

#[derive(Debug, Args)]
struct KMeansArgs {
    #[command(flatten)]
    data: DataArgs,
    /// The number of clusters.
    #[arg(long, short = 'k', value_name = "K")]
    clusters: usize,
    #[command(flatten)]
    restarts: RestartArgs,
    #[command(flatten)]
    run: RunArgs,
    #[command(flatten)]
    output: OutputArgs,
}

#[derive(Debug, Args)]
struct GibbsArgs {
    #[command(flatten)]
    data: DataArgs,
    /// The concentration α; drawn with the prior of --alpha-prior when not given.
    #[arg(long, value_name = "α", conflicts_with = "alpha_prior")]
    alpha: Option<f64>,
    /// Draw α with prior Gamma(SHAPE, RATE).
    #[arg(long, value_name = "SHAPE,RATE", allow_hyphen_values = true, value_parser = two_numbers, default_value = "1,1")]
    alpha_prior: (f64, f64),
    /// The variance σ of a cluster; drawn with the prior of --sigma-prior when not given.
    #[arg(long, value_name = "σ", conflicts_with = "sigma_prior")]
    sigma: Option<f64>,
    /// Draw σ with prior InverseGamma(SHAPE, SCALE).
    #[arg(long, value_name = "SHAPE,SCALE", allow_hyphen_values = true, value_parser = two_numbers, default_value = "1,1")]
    sigma_prior: (f64, f64),
    /// The variance of the prior of the means. The data are shifted to mean 0 first.
    #[arg(long, value_name = "ρ", default_value_t = 100.0)]
    rho: f64,
    /// Sweeps before the first sample.
    #[arg(long, value_name = "N", default_value_t = 1000)]
    burn_in: usize,
    /// Sweeps after that.
    #[arg(long, value_name = "N", default_value_t = 5000)]
    samples: usize,
    /// Every how many of these a sample is taken.
    #[arg(long, value_name = "N", default_value_t = 10)]
    thin: usize,
    #[command(flatten)]
    run: RunArgs,
    #[command(flatten)]
    output: OutputArgs,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Running")]
struct RunArgs {
    /// Seed of everything random.
    #[arg(long, value_name = "N", default_value_t = DEFAULT_SEED)]
    seed: u64,
    /// At most this many passes.
    #[arg(long, value_name = "N")]
    passes: Option<usize>,
    /// Stop when a pass gains less than this fraction of the objective.
    #[arg(long, visible_alias = "tolerance", value_name = "FRACTION")]
    relative_gain: Option<f64>,
    /// Stop after this many seconds.
    #[arg(long, value_name = "SECONDS")]
    time_limit: Option<f64>,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Running")]
struct RestartArgs {
    /// Runs, of which the best is kept.
    #[arg(long, value_name = "N", default_value_t = 1)]
    runs: usize,
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

impl RunArgs {
    /// What ends the passes of one run.
    fn stop(&self) -> StopRules {
        StopRules {
            passes: self.passes,
            relative_gain: self.relative_gain,
        }
    }

    /// Starts the clock of the whole command.
    fn deadline<'a>(&self, progress: &'a Progress) -> anyhow::Result<Deadline<'a>> {
        let clock = Clock::start(self.time_limit)?;
        Ok(Deadline::new(progress, clock.left()))
    }
}

/// Reads the table, clusters it, and writes what was asked for.
pub fn run(args: &PointsArgs, global: &Global) -> anyhow::Result<ExitCode> {
    let progress = global.progress()?;
    args.method.output().takes_standard_output()?;
    let answer = match &args.method {
        Method::DpMeans(args) => dp_means(args, &progress),
        Method::Hdp(args) => hdp(args, &progress),
        Method::KMeans(args) => k_means(args, &progress),
        Method::Gibbs(args) => gibbs(args, &progress),
    }?;
    answer.write(&progress)?;
    Ok(if answer.found.stop == StopReason::Cancelled {
        ExitCode::from(130)
    } else {
        ExitCode::SUCCESS
    })
}

fn dp_means<'a>(args: &'a DpMeansArgs, progress: &Progress) -> anyhow::Result<Answer<'a>> {
    let data = args.data.load(progress)?;
    let order = if args.shuffle {
        Order::Shuffled
    } else {
        Order::AsNumbered
    };
    let start = match &args.start {
        Some(labels) => Start::Labels(data.start(labels)?),
        None => Start::OneCluster,
    };
    let deadline = args.run.deadline(progress)?;
    let method = DpMeans::new()
        .start(start)
        .order(order)
        .seed(args.run.seed)
        .runs(args.restarts.runs)
        .stop(args.run.stop())
        .observer(&deadline);
    let mut more = json!({});
    let method = match (args.lambda, args.clusters) {
        (Some(lambda), _) => method.lambda(lambda),
        (None, Some(k)) => method.clusters(k),
        (None, None) => {
            let (lambda, found) = choose(&data.points, &method, progress)?;
            more = found;
            method.lambda(lambda)
        }
    };
    let found = method.run(&data.points)?;
    more["lambda"] = json!(found.lambda);
    Ok(Answer::new(
        "dp-means",
        data,
        &args.data,
        &args.output,
        args.run.seed,
        found,
    )
    .more(more))
}

/// λ in the middle of the widest plateau with more than one cluster, and the curve for the JSON
/// document.
fn choose(
    points: &Points,
    method: &DpMeans<'_>,
    progress: &Progress,
) -> anyhow::Result<(f64, serde_json::Value)> {
    let prices = price_range(points, 50.min(points.len()), 60);
    let found = curve(points, method, &prices)?;
    let flat = plateaus(&found);
    for plateau in &flat {
        progress.say(&format!(
            "λ {:.6e} to {:.6e}: {} clusters",
            plateau.low, plateau.high, plateau.clusters
        ));
    }
    let several = flat
        .iter()
        .filter(|p| p.clusters > 1)
        .max_by(|a, b| a.width().total_cmp(&b.width()));
    let Some(best) = several.or(flat.first()) else {
        bail!("all points are equal: there is no λ to choose")
    };
    Ok((
        (best.low * best.high).sqrt(),
        json!({ "curve": found, "plateaus": flat }),
    ))
}

fn hdp<'a>(args: &'a HdpArgs, progress: &Progress) -> anyhow::Result<Answer<'a>> {
    let data = args.data.load(progress)?;
    let groups = data.groups()?;
    let deadline = args.run.deadline(progress)?;
    let given = args.lambda_local.zip(args.lambda_global);
    let counts = args.local_clusters.zip(args.global_clusters);
    let Prices { local, global } = match (given, counts) {
        (Some((local, global)), _) => Prices { local, global },
        (None, Some((local, global))) => prices_for(&data.points, &groups, local, global)
            .context("the prices cannot be chosen: the counts must be at least 1")?,
        (None, None) => bail!(
            "give --lambda-local and --lambda-global, or --local-clusters and --global-clusters"
        ),
    };
    let method = Hdp::new()
        .prices(local, global)
        .runs(args.restarts.runs)
        .seed(args.run.seed)
        .stop(args.run.stop())
        .observer(&deadline);
    let found = method.run(&data.points, &groups)?;
    let names = data.group_names();
    let locals: Vec<_> = names
        .iter()
        .zip(&found.local_clusters)
        .map(|(name, k)| json!({ "group": name, "clusters": k }))
        .collect();
    let average = found.local_clusters.iter().sum::<usize>() as f64 / names.len().max(1) as f64;
    progress.say(&format!(
        "{} data sets use {average:.1} clusters each",
        names.len()
    ));
    let more = json!({
        "lambda_local": local,
        "lambda_global": global,
        "local_clusters": locals,
        "steps": found.steps,
    });
    let found = found.clustering;
    Ok(Answer::new("hdp", data, &args.data, &args.output, args.run.seed, found).more(more))
}

fn k_means<'a>(args: &'a KMeansArgs, progress: &Progress) -> anyhow::Result<Answer<'a>> {
    let data = args.data.load(progress)?;
    let deadline = args.run.deadline(progress)?;
    let method = KMeans::new()
        .clusters(args.clusters)
        .runs(args.restarts.runs)
        .seed(args.run.seed)
        .stop(args.run.stop())
        .observer(&deadline);
    let found = method.run(&data.points)?;
    Ok(Answer::new(
        "k-means",
        data,
        &args.data,
        &args.output,
        args.run.seed,
        found,
    ))
}

fn gibbs<'a>(args: &'a GibbsArgs, progress: &Progress) -> anyhow::Result<Answer<'a>> {
    let data = args.data.load(progress)?;
    let prior = |given: Option<f64>, (shape, rate): (f64, f64)| {
        given.map_or(gibbs::Prior::Gamma { shape, rate }, gibbs::Prior::Fixed)
    };
    let deadline = args.run.deadline(progress)?;
    let method = gibbs::Gibbs::new()
        .alpha(prior(args.alpha, args.alpha_prior))
        .sigma(prior(args.sigma, args.sigma_prior))
        .rho(args.rho)
        .burn_in(args.burn_in)
        .samples(args.samples)
        .thin(args.thin)
        .seed(args.run.seed)
        .stop(args.run.stop())
        .observer(&deadline);
    let mut samples = Vec::new();
    let note = &mut |s: &gibbs::Sample<'_>| {
        samples.push(
            json!({ "sweep": s.sweep, "clusters": s.clusters, "alpha": s.alpha, "sigma": s.sigma, "log_joint": s.log_joint }),
        );
    };
    let mut found = method.run_with(&data.points.centred(), note)?;
    // The chain saw the data shifted to mean 0.
    found.centres = Some(data.means(&found));
    let more = json!({ "samples": samples });
    Ok(Answer::new(
        "gibbs",
        data,
        &args.data,
        &args.output,
        args.run.seed,
        found,
    )
    .more(more))
}
