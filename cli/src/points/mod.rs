//! `lambdacut points`: dense points from a table, by DP-means, the hard Gaussian HDP, k-means or
//! the Gibbs sampler.

mod args;
mod curve;
mod input;
mod output;

use super::common::{Global, Progress};
use anyhow::{Context, bail};
pub use args::PointsArgs;
use args::{DpMeansArgs, GibbsArgs, HdpArgs, KMeansArgs, Method};
use lambdacut::dp_means::{DpMeans, Order, Start};
use lambdacut::gibbs;
use lambdacut::hdp::{Hdp, Prices};
use lambdacut::k_means::KMeans;
use lambdacut::kernel_dp_means::{self, Kernel, KernelDpMeans, VisitOrder};
use lambdacut::run::{Observer, StopReason};
use output::Answer;
use serde_json::json;
use std::process::ExitCode;

/// Reads the table, clusters it, and writes what was asked for.
pub fn run(args: &PointsArgs, global: &Global) -> anyhow::Result<ExitCode> {
    let progress = global.progress()?;
    args.method.output().takes_standard_output()?;
    let mut answer = match &args.method {
        Method::DpMeans(args) => dp_means(args, &progress),
        Method::Hdp(args) => hdp(args, &progress),
        Method::KMeans(args) => k_means(args, &progress),
        Method::Gibbs(args) => gibbs(args, &progress),
    }?;
    // The clock of the command ends a run as an observer would; only Ctrl-C is an interruption.
    if answer.found.stop == StopReason::Cancelled && !progress.cancelled() {
        answer.found.stop = StopReason::Time;
    }
    answer.write(&progress)?;
    Ok(if answer.found.stop == StopReason::Cancelled {
        ExitCode::from(130)
    } else {
        ExitCode::SUCCESS
    })
}

fn dp_means<'a>(args: &'a DpMeansArgs, progress: &Progress) -> anyhow::Result<Answer<'a>> {
    if args.kernel {
        return kernel_dp_means(args, progress);
    }
    let deadline = args.run.deadline(progress)?;
    args.data.refuse_group()?;
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
    let method = DpMeans::new()
        .start(start)
        .order(order)
        .seed(args.run.seed)
        .runs(args.restarts.runs)
        .stop(args.pass.stop())
        .observer(&deadline);
    let mut more = json!({});
    let (method, curve) = match (args.lambda, args.clusters) {
        (Some(lambda), _) => (method.lambda(lambda), Vec::new()),
        (None, Some(k)) => (method.clusters(k), Vec::new()),
        (None, None) => {
            let choice = curve::choose(&data.points, &method, progress)?;
            more = json!({ "curve": choice.curve, "plateaus": choice.plateaus });
            (method.lambda(choice.lambda), choice.curve)
        }
    };
    let found = method.run(&data.points)?;
    more["lambda"] = json!(found.lambda);
    say_chosen(args, found.lambda, progress);
    let answer = Answer::new(
        "dp-means",
        data,
        &args.data,
        &args.output,
        args.run.seed,
        found,
    );
    Ok(answer.more(more).curve(curve))
}

/// DP-means on the elements of a kernel matrix.
fn kernel_dp_means<'a>(args: &'a DpMeansArgs, progress: &Progress) -> anyhow::Result<Answer<'a>> {
    let deadline = args.run.deadline(progress)?;
    let data = args.data.load_rows()?;
    let kernel = Kernel::from_points(&data.points)
        .with_context(|| format!("{}: no kernel matrix", args.data.data.display()))?;
    progress.say(&format!("a kernel of {} elements", kernel.elements()));
    let start = match &args.start {
        Some(labels) => kernel_dp_means::Start::Labels(data.start(labels)?.into()),
        None => kernel_dp_means::Start::One,
    };
    let order = if args.shuffle {
        VisitOrder::Shuffled
    } else {
        VisitOrder::Natural
    };
    let mut method = KernelDpMeans::new()
        .start(start)
        .order(order)
        .seed(args.run.seed)
        .stop(args.pass.stop())
        .observer(&deadline);
    if let Some(lambda) = args.lambda {
        method = method.lambda(lambda);
    }
    if let Some(k) = args.clusters {
        method = method.clusters(k);
    }
    let found = method.run_kernel(&kernel)?;
    let more = json!({ "kernel": true, "lambda": found.lambda });
    say_chosen(args, found.lambda, progress);
    let answer = Answer::new(
        "dp-means",
        data,
        &args.data,
        &args.output,
        args.run.seed,
        found,
    );
    Ok(answer.more(more))
}

/// Says which λ was used, where it was not given.
fn say_chosen(args: &DpMeansArgs, lambda: Option<f64>, progress: &Progress) {
    if let (None, Some(lambda)) = (args.lambda, lambda) {
        progress.say(&format!("λ = {lambda} was chosen"));
    }
}

fn hdp<'a>(args: &'a HdpArgs, progress: &Progress) -> anyhow::Result<Answer<'a>> {
    let deadline = args.run.deadline(progress)?;
    let data = args.data.load(progress)?;
    let groups = data.groups()?;
    let method = Hdp::new()
        .runs(args.restarts.runs)
        .seed(args.run.seed)
        .stop(args.pass.stop())
        .observer(&deadline);
    let given = args.lambda_local.zip(args.lambda_global);
    let counts = args.local_clusters.zip(args.global_clusters);
    let method = match (given, counts) {
        (Some((local, global)), _) => method.prices(local, global),
        (None, Some((local, global))) => method.clusters(local, global),
        (None, None) => bail!(
            "give --lambda-local and --lambda-global, or --local-clusters and --global-clusters"
        ),
    };
    let found = method.run(&data.points, &groups)?;
    let Prices { local, global } = found.prices;
    if given.is_none() {
        progress.say(&format!(
            "λ = {local} (local) and {global} (global) were chosen"
        ));
    }
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
    let deadline = args.run.deadline(progress)?;
    args.data.refuse_group()?;
    let data = args.data.load(progress)?;
    let method = KMeans::new()
        .clusters(args.clusters)
        .runs(args.restarts.runs)
        .seed(args.run.seed)
        .stop(args.pass.stop())
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
    let deadline = args.run.deadline(progress)?;
    args.data.refuse_group()?;
    let data = args.data.load(progress)?;
    let prior = |given: Option<f64>, (shape, rate): (f64, f64)| {
        given.map_or(gibbs::Prior::Gamma { shape, rate }, gibbs::Prior::Fixed)
    };
    let method = gibbs::Gibbs::new()
        .alpha(prior(args.alpha, args.alpha_prior))
        .sigma(prior(args.sigma, args.sigma_prior))
        .rho(args.rho)
        .burn_in(args.burn_in)
        .samples(args.samples)
        .thin(args.thin)
        .seed(args.run.seed)
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
