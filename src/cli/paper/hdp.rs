//! Section 6.3: fifty data sets that share fifteen Gaussians.

use super::synthetic::{Labelled, shared_gaussians};
use super::table::{Row, Section};
use super::{Context, Run, nmi};
use lambdacut::baseline::k_means::KMeans;
use lambdacut::cluster::dp_means::DpMeans;
use lambdacut::cluster::hdp::{Hdp, prices_for};
use lambdacut::observe::Silent;
use lambdacut::points::{Groups, Points, farthest_first};
use lambdacut::report::plot::{Chart, Series, Style};
use rayon::prelude::*;
use std::time::Instant;

/// What one draw of the data gave.
#[derive(Default, Clone, Copy)]
struct Draw {
    global: f64,
    local: f64,
    hdp: f64,
    seconds: f64,
    near_global: f64,
    near_local: f64,
    near: f64,
    k_means: f64,
    dp_means: f64,
    own_k_means: f64,
    own_dp_means: f64,
}

/// Runs every method on several draws of the data.
pub fn run(context: &Context<'_>) -> Run {
    let draws = if context.quick { 2 } else { 20 };
    let found: Vec<Draw> = (0..draws).into_par_iter().map(|d| draw(context.seed + 100 + d)).collect::<anyhow::Result<_>>()?;
    let average = |pick: fn(&Draw) -> f64| found.iter().map(pick).sum::<f64>() / found.len() as f64;
    let (low, high) = found.iter().fold((1.0f64, 0.0f64), |(l, h), d| (l.min(d.hdp), h.max(d.hdp)));
    let spread = format!("{draws} draws give {low:.2} to {high:.2}; the paper reports one draw");
    let rule = "the rule for λ_g can be read in several ways; ours gives a larger λ_g, so fewer global clusters";
    let rows = vec![
        Row::number("global clusters, prices by the rule", Some(17.0), average(|d| d.global), 1, rule),
        Row::number("local clusters a data set", Some(4.4), average(|d| d.local), 1, ""),
        Row::score("hard Gaussian HDP, NMI", 0.81, average(|d| d.hdp), &spread),
        Row::number("global clusters, λ_g lowered until there are 15 to 17", Some(17.0), average(|d| d.near_global), 1, ""),
        Row::number("local clusters a data set, then", Some(4.4), average(|d| d.near_local), 1, ""),
        Row::score("hard Gaussian HDP, NMI, then", 0.81, average(|d| d.near), &spread),
        Row::score("k-means on everything, NMI", 0.77, average(|d| d.k_means), &spread),
        Row::score("DP-means on everything, NMI", 0.73, average(|d| d.dp_means), &spread),
        Row::score("k-means on each data set, NMI", 0.79, average(|d| d.own_k_means), &spread),
        Row::score("DP-means on each data set, NMI", 0.79, average(|d| d.own_dp_means), &spread),
        Row::number("seconds for the HDP", Some(28.8), average(|d| d.seconds), 4, "another machine, fourteen years later"),
    ];
    figure_d(context)?;
    let method = format!(
        "15 Gaussians with means in the unit square and covariance .01 I; 50 data sets of 5 × 5 points; averages over {draws} draws. Prices by farthest-first (5 local, 15 global)."
    );
    Ok(Section { title: "Hard Gaussian HDP (section 6.3, Figure 1d)".into(), method, rows, seconds: 0.0 })
}

fn draw(seed: u64) -> anyhow::Result<Draw> {
    let (Labelled { points, truth }, groups) = shared_gaussians(seed)?;
    let score = |labels: &[u32]| by_group(&groups, labels, &truth);
    let (local, global) = prices_for(&points, &groups, 5, 15).unwrap_or((1.0, 1.0));
    let start = Instant::now();
    let shared = Hdp::new(local, global).run(&points, &groups, &Silent)?;
    let seconds = start.elapsed().as_secs_f64();
    let averaged = |k: &[usize]| k.iter().sum::<usize>() as f64 / k.len() as f64;
    let mut near = shared.clone();
    for step in 1..=30 {
        if near.fit.clusters >= 15 {
            break;
        }
        near = Hdp::new(local, global * 0.93f64.powi(step)).run(&points, &groups, &Silent)?;
    }
    let whole = KMeans { seed, ..KMeans::new(15) }.run(&points, &Silent)?;
    let lambda = farthest_first(&points, 15).unwrap_or(1.0);
    let whole_dp = DpMeans::new(lambda).run(&points, &Silent)?;
    let sets: Vec<(Points, Vec<u32>)> = (0..groups.len())
        .map(|j| (points.select(groups.members(j)), groups.members(j).iter().map(|&i| truth[i as usize]).collect()))
        .collect();
    let (mut own_k_means, mut own_dp_means) = (0.0, 0.0);
    for (set, truth) in &sets {
        own_k_means += nmi(&KMeans { seed, ..KMeans::new(5) }.run(set, &Silent)?.fit.labels, truth) / sets.len() as f64;
        let lambda = farthest_first(set, 5).unwrap_or(1.0);
        own_dp_means += nmi(&DpMeans::new(lambda).run(set, &Silent)?.fit.labels, truth) / sets.len() as f64;
    }
    Ok(Draw {
        global: shared.fit.clusters as f64,
        local: averaged(&shared.local_clusters),
        hdp: score(&shared.fit.labels),
        seconds,
        near_global: near.fit.clusters as f64,
        near_local: averaged(&near.local_clusters),
        near: score(&near.fit.labels),
        k_means: score(&whole.fit.labels),
        dp_means: score(&whole_dp.fit.labels),
        own_k_means,
        own_dp_means,
    })
}

/// NMI within each data set, averaged.
fn by_group(groups: &Groups, labels: &[u32], truth: &[u32]) -> f64 {
    let of = |j: usize, values: &[u32]| groups.members(j).iter().map(|&i| values[i as usize]).collect::<Vec<_>>();
    (0..groups.len()).map(|j| nmi(&of(j, labels), &of(j, truth))).sum::<f64>() / groups.len() as f64
}

fn figure_d(context: &Context<'_>) -> anyhow::Result<()> {
    let (Labelled { points, truth }, groups) = shared_gaussians(context.seed + 100)?;
    let mut classes: Vec<u32> = groups.members(0).iter().map(|&i| truth[i as usize]).collect();
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
    let series = classes.iter().map(|&c| Series { name: String::new(), points: of(c), style: Style::Dots }).collect();
    context.figure("figure-1d.svg", &Chart { title: "one of the 50 data sets".into(), series, ..Chart::default() })
}
