//! Section 6.3: fifty data sets that share fifteen Gaussians.

use super::synthetic::{Labelled, shared_gaussians};
use super::table::{Row, Section};
use super::{Context, Run, nmi};
use anyhow::Context as _;
use lambdacut::dp_means::{DpMeans, lambda_for};
use lambdacut::hdp::{Hdp, Prices, prices_for};
use lambdacut::k_means::KMeans;
use lambdacut::points::{Groups, Points};
use lambdacut::report::plot::{Chart, Series, Style};
use lambdacut::run::Observer;
use rayon::prelude::*;
use std::time::Instant;

/// What one draw of the data gave.
struct Draw {
    /// Prices by the rule.
    shared: Shared,
    /// Prices by the rule, the best of ten orders.
    restarted: Shared,
    /// `λ_g` lowered until there are at least 15 global clusters.
    lowered: Shared,
    seconds: f64,
    k_means: f64,
    dp_means: f64,
    own_k_means: f64,
    own_dp_means: f64,
}

/// A way to run the HDP: its name, and its run among those of a draw.
type Variant = (&'static str, fn(&Draw) -> Shared);

/// A run of the HDP: its clusters and the NMI of its labels.
#[derive(Clone, Copy)]
struct Shared {
    global: f64,
    local: f64,
    nmi: f64,
}

const RULE: &str = "one draw in the paper; the rule for λ_g can be read in several ways, and ours gives fewer global clusters";
const ONE_DRAW: &str = "the means of the 15 Gaussians are drawn anew each time and overlap more or less; the paper reports one draw";

/// Runs every method on several draws of the data.
pub fn run(context: &Context<'_>) -> Run {
    let draws = if context.quick { 2 } else { 20 };
    let found: Vec<Draw> = (0..draws)
        .into_par_iter()
        .map(|d| draw(context, context.seed + 100 + d))
        .collect::<anyhow::Result<_>>()?;
    let all = |pick: &dyn Fn(&Draw) -> f64| found.iter().map(pick).collect::<Vec<f64>>();
    let average = |pick: &dyn Fn(&Draw) -> f64| all(pick).iter().sum::<f64>() / found.len() as f64;
    let mut rows = Vec::new();
    let variants: [Variant; 3] = [
        ("prices by the rule", |d| d.shared),
        ("prices by the rule, best of 10 orders", |d| d.restarted),
        ("λ_g lowered to 15 global clusters or more", |d| d.lowered),
    ];
    for (name, pick) in variants {
        let counts = |what: &str| format!("{name}: {what}");
        rows.push(Row::number(
            counts("global clusters"),
            Some(17.0),
            average(&|d| pick(d).global),
            1,
            RULE,
        ));
        rows.push(Row::number(
            counts("local clusters a data set"),
            Some(4.4),
            average(&|d| pick(d).local),
            1,
            "",
        ));
        rows.push(Row::average(
            counts("hard Gaussian HDP, NMI"),
            0.81,
            &all(&|d| pick(d).nmi),
            ONE_DRAW,
        ));
    }
    rows.extend([
        Row::average(
            "k-means on everything, NMI",
            0.77,
            &all(&|d| d.k_means),
            ONE_DRAW,
        ),
        Row::average(
            "DP-means on everything, NMI",
            0.73,
            &all(&|d| d.dp_means),
            ONE_DRAW,
        ),
        Row::average(
            "k-means on each data set, NMI",
            0.79,
            &all(&|d| d.own_k_means),
            ONE_DRAW,
        ),
        Row::average(
            "DP-means on each data set, NMI",
            0.79,
            &all(&|d| d.own_dp_means),
            ONE_DRAW,
        ),
        Row::number(
            "seconds for the HDP",
            Some(28.8),
            average(&|d| d.seconds),
            4,
            "another machine",
        ),
    ]);
    figure_d(context)?;
    let method = format!(
        "15 Gaussians with means in the unit square and covariance .01 I; 50 data sets of 5 × 5 points; NMI within each data set, averaged; averages over {draws} draws. Prices by farthest-first (5 local, 15 global)."
    );
    Ok(Section {
        title: "Hard Gaussian HDP (section 6.3, Figure 1d)".into(),
        method,
        rows,
        seconds: 0.0,
    })
}

fn draw(context: &Context<'_>, seed: u64) -> anyhow::Result<Draw> {
    let (Labelled { points, truth }, groups) = shared_gaussians(seed)?;
    let prices = prices_for(&points, &groups, 5, 15);
    let Prices { local, global } = prices.context("a draw without points")?;
    let shared = |method: Hdp<'_>| -> anyhow::Result<Shared> {
        let found = method.observer(context).run(&points, &groups)?;
        let used: usize = found.local_clusters.iter().sum();
        let local = used as f64 / found.local_clusters.len() as f64;
        Ok(Shared {
            global: found.clusters as f64,
            local,
            nmi: by_group(&groups, &found.labels, &truth),
        })
    };
    let start = Instant::now();
    let by_rule = shared(Hdp::new().prices(local, global))?;
    let seconds = start.elapsed().as_secs_f64();
    let restarted = shared(Hdp::new().prices(local, global).runs(10).seed(seed))?;
    let mut lowered = by_rule;
    for step in (1..=30).take_while(|_| !context.cancelled()) {
        if lowered.global >= 15.0 {
            break;
        }
        lowered = shared(Hdp::new().prices(local, global * 0.93f64.powi(step)))?;
    }
    let whole = KMeans::new()
        .clusters(15)
        .seed(seed)
        .observer(context)
        .run(&points)?;
    let lambda = lambda_for(&points, 15).unwrap_or(1.0);
    let whole_dp = DpMeans::new()
        .lambda(lambda)
        .observer(context)
        .run(&points)?;
    let (own_k_means, own_dp_means) = one_by_one(context, &points, &groups, &truth, seed)?;
    Ok(Draw {
        shared: by_rule,
        restarted,
        lowered,
        seconds,
        k_means: by_group(&groups, &whole.labels, &truth),
        dp_means: by_group(&groups, &whole_dp.labels, &truth),
        own_k_means,
        own_dp_means,
    })
}

/// The average NMI of k-means and of DP-means on each data set alone.
fn one_by_one(
    context: &Context<'_>,
    points: &Points,
    groups: &Groups,
    truth: &[u32],
    seed: u64,
) -> anyhow::Result<(f64, f64)> {
    let (mut k_means, mut dp_means) = (0.0, 0.0);
    for j in 0..groups.len() {
        let set = points.select(groups.members(j));
        let truth: Vec<u32> = groups
            .members(j)
            .iter()
            .map(|&i| truth[i as usize])
            .collect();
        let lambda = lambda_for(&set, 5).unwrap_or(1.0);
        k_means += nmi(
            &KMeans::new()
                .clusters(5)
                .seed(seed)
                .observer(context)
                .run(&set)?
                .labels,
            &truth,
        );
        dp_means += nmi(
            &DpMeans::new()
                .lambda(lambda)
                .observer(context)
                .run(&set)?
                .labels,
            &truth,
        );
    }
    Ok((
        k_means / groups.len() as f64,
        dp_means / groups.len() as f64,
    ))
}

/// NMI within each data set, averaged.
fn by_group(groups: &Groups, labels: &[u32], truth: &[u32]) -> f64 {
    let of = |j: usize, values: &[u32]| {
        groups
            .members(j)
            .iter()
            .map(|&i| values[i as usize])
            .collect::<Vec<_>>()
    };
    (0..groups.len())
        .map(|j| nmi(&of(j, labels), &of(j, truth)))
        .sum::<f64>()
        / groups.len() as f64
}

fn figure_d(context: &Context<'_>) -> anyhow::Result<()> {
    let (Labelled { points, truth }, groups) = shared_gaussians(context.seed + 100)?;
    let mut classes: Vec<u32> = groups
        .members(0)
        .iter()
        .map(|&i| truth[i as usize])
        .collect();
    classes.sort_unstable();
    classes.dedup();
    let of = |c: u32| {
        groups
            .members(0)
            .iter()
            .map(|&i| i as usize)
            .filter(|&i| truth[i] == c)
            .map(|i| (points.row(i)[0], points.row(i)[1]))
            .collect()
    };
    let series = classes
        .iter()
        .map(|&c| Series {
            name: String::new(),
            points: of(c),
            style: Style::Dots,
        })
        .collect();
    context.figure(
        "figure-1d.svg",
        &Chart {
            title: "one of the 50 data sets".into(),
            series,
            ..Chart::default()
        },
    )
}
