//! Figures 1a to 1c: three Gaussians.

use super::synthetic::{Labelled, three_gaussians};
use super::table::{Row, Section};
use super::{Context, Run, nmi};
use lambdacut::clustering::PointClustering;
use lambdacut::dp_means::curve::{CurvePoint, curve, plateaus, price_range};
use lambdacut::dp_means::{DpMeans, Order, lambda_for};
use lambdacut::gibbs::{Gibbs, Prior};
use lambdacut::report::plot::{Chart, Series, Style};
use lambdacut::run::StopRules;
use rayon::prelude::*;

/// The concentrations tried on the validation set.
const ALPHAS: [f64; 5] = [1e-3, 1e-2, 0.1, 1.0, 10.0];

/// Runs DP-means 100 times, two Gibbs chains and the λ curve.
pub fn run(context: &Context<'_>) -> Run {
    let data = three_gaussians(context.seed)?;
    let lambda = lambda_for(&data.points, 3).unwrap_or(1.0);
    let runs = if context.quick { 10 } else { 100 };
    let fits: Vec<PointClustering> = (0..runs)
        .into_par_iter()
        .map(|run| {
            DpMeans::new()
                .lambda(lambda)
                .order(Order::Shuffled)
                .seed(context.seed + run)
                .observer(context)
                .run(&data.points)
        })
        .collect::<Result<_, _>>()?;
    let passes = fits.iter().map(|f| f.trace.len()).max().unwrap_or(0);
    let three = fits.iter().filter(|f| f.clusters == 3).count() as f64 / runs as f64;
    let scores: Vec<f64> = fits.iter().map(|f| nmi(&f.labels, &data.truth)).collect();
    let mut rows = vec![
        Row::number(
            "passes to converge, at most",
            Some(8.0),
            passes as f64,
            0,
            "the last pass is the one that changes nothing",
        ),
        Row::number("share of runs with 3 clusters", Some(1.0), three, 2, ""),
        Row::number(
            "passes until NMI ≥ .8, typical",
            Some(3.0),
            passes_until(context, &data, lambda)?,
            0,
            "",
        ),
        Row::average(
            "DP-means, average NMI",
            0.89,
            &scores,
            "depends on how far the three Gaussians overlap, which the paper does not print",
        ),
    ];
    rows.extend(chains(context, &data)?);
    rows.extend(prices(context, &data)?);
    figure_a(context, &data, &fits[0])?;
    let method = format!(
        "300 points from three touching Gaussians; {runs} runs of DP-means over shuffled orders at λ = {lambda:.2} (farthest-first, k = 3); two Gibbs chains from one cluster, no burn-in."
    );
    Ok(Section {
        title: "Three Gaussians (Figures 1a–c)".into(),
        method,
        rows,
        seconds: 0.0,
    })
}

/// After how many passes NMI reaches 0.8, points in the order of their numbers.
fn passes_until(context: &Context<'_>, data: &Labelled, lambda: f64) -> anyhow::Result<f64> {
    for passes in 1..=20 {
        let stop = StopRules {
            passes: Some(passes),
            ..StopRules::default()
        };
        let fit = DpMeans::new()
            .lambda(lambda)
            .order(Order::Shuffled)
            .seed(context.seed)
            .stop(stop)
            .observer(context)
            .run(&data.points)?;
        if nmi(&fit.labels, &data.truth) >= 0.8 {
            return Ok(passes as f64);
        }
    }
    Ok(f64::NAN)
}

fn figure_a(context: &Context<'_>, data: &Labelled, fit: &PointClustering) -> anyhow::Result<()> {
    let of = |c: u32| {
        (0..data.points.len())
            .filter(move |&i| fit.labels[i] == c)
            .map(|i| (data.points.row(i)[0], data.points.row(i)[1]))
    };
    let series = |c: u32| Series {
        name: String::new(),
        points: of(c).collect(),
        style: Style::Dots,
    };
    let series = (0..fit.clusters as u32).map(series).collect();
    context.figure(
        "figure-1a.svg",
        &Chart {
            title: "three Gaussians, DP-means".into(),
            series,
            ..Chart::default()
        },
    )
}

/// NMI and number of clusters along two chains: α learnt, and α chosen on a validation draw.
fn chains(context: &Context<'_>, data: &Labelled) -> anyhow::Result<Vec<Row>> {
    let sweeps = if context.quick { 200 } else { 5000 };
    let sigma = Prior::Gamma {
        shape: 1.0,
        rate: 1.0,
    };
    let template = Gibbs {
        sigma,
        burn_in: 0,
        samples: sweeps,
        thin: 1,
        seed: context.seed,
        ..Gibbs::default()
    };
    let alpha = validated_alpha(context, &template)?;
    let learnt = Gibbs {
        alpha: Prior::Gamma {
            shape: 1.0,
            rate: 1.0,
        },
        ..template
    };
    let both: Vec<Vec<(f64, usize)>> = [
        learnt,
        Gibbs {
            alpha: Prior::Fixed(alpha),
            ..template
        },
    ]
    .par_iter()
    .map(|sampler| chain(context, sampler, data))
    .collect::<anyhow::Result<_>>()?;
    let chart = Chart {
        title: "NMI along two Gibbs chains".into(),
        x: "sweep".into(),
        y: "NMI".into(),
        series: vec![
            nmi_along("α learnt", &both[0]),
            nmi_along(&format!("α = {alpha} by validation"), &both[1]),
        ],
        ..Chart::default()
    };
    context.figure("figure-1b.svg", &chart)?;
    let reached = |chain: &[(f64, usize)]| {
        chain
            .iter()
            .position(|s| s.0 >= 0.8)
            .map_or(f64::NAN, |t| t as f64 + 1.0)
    };
    let clusters = |chain: &[(f64, usize)]| chain.last().map_or(0.0, |s| s.1 as f64);
    let late = "mixing depends on the draw and on the prior of σ, which the paper does not print";
    Ok(vec![
        Row::number(
            "Gibbs, α learnt: sweeps until NMI ≥ .8",
            Some(1500.0),
            reached(&both[0]),
            0,
            late,
        ),
        Row::number(
            "Gibbs, α learnt: clusters at the end",
            None,
            clusters(&both[0]),
            0,
            "paper: more than three",
        ),
        Row::number(
            "Gibbs, α by validation: sweeps until NMI ≥ .8",
            Some(3000.0),
            reached(&both[1]),
            0,
            late,
        ),
        Row::number(
            "Gibbs, α by validation: clusters at the end",
            Some(3.0),
            clusters(&both[1]),
            0,
            "",
        ),
        Row::number(
            "Gibbs, α by validation: NMI of the last tenth",
            None,
            last_tenth(&both[1]),
            2,
            "",
        ),
    ])
}

/// The NMI of at most 500 sweeps of a chain, as a line.
fn nmi_along(name: &str, chain: &[(f64, usize)]) -> Series {
    let every = (chain.len() / 500).max(1);
    let mut points = Vec::new();
    for (sweep, state) in chain.iter().enumerate().step_by(every) {
        points.push((sweep as f64 + 1.0, state.0));
    }
    Series {
        name: name.into(),
        points,
        style: Style::Line,
    }
}

/// The α whose chain agrees best with the truth of another draw.
fn validated_alpha(context: &Context<'_>, template: &Gibbs<'_>) -> anyhow::Result<f64> {
    let validation = three_gaussians(context.seed + 1)?;
    let agreement = |&alpha: &f64| -> anyhow::Result<(f64, f64)> {
        let alpha_fixed = Prior::Fixed(alpha);
        let sampler = Gibbs {
            alpha: alpha_fixed,
            ..*template
        };
        Ok((alpha, last_tenth(&chain(context, &sampler, &validation)?)))
    };
    let tried: Vec<(f64, f64)> = ALPHAS
        .par_iter()
        .map(agreement)
        .collect::<anyhow::Result<_>>()?;
    let mut best = (0.1, -1.0);
    for candidate in tried {
        if candidate.1 > best.1 {
            best = candidate;
        }
    }
    Ok(best.0)
}

/// NMI and clusters of every sweep.
fn chain(
    context: &Context<'_>,
    sampler: &Gibbs<'_>,
    data: &Labelled,
) -> anyhow::Result<Vec<(f64, usize)>> {
    let mut seen = Vec::with_capacity(sampler.samples);
    sampler
        .observer(context)
        .run_with(&data.points.centred(), &mut |s| {
            seen.push((nmi(s.labels, &data.truth), s.clusters));
        })?;
    Ok(seen)
}

fn last_tenth(chain: &[(f64, usize)]) -> f64 {
    let end = &chain[chain.len() - chain.len().div_ceil(10)..];
    end.iter().map(|s| s.0).sum::<f64>() / end.len().max(1) as f64
}

/// Figure 1c (λ on a linear axis, as a squared distance) and how wide the stretch with three
/// clusters is.
fn prices(context: &Context<'_>, data: &Labelled) -> anyhow::Result<Vec<Row>> {
    let range = price_range(&data.points, 20, if context.quick { 30 } else { 120 });
    let method = DpMeans::new().runs(5).observer(context);
    let found = curve(&data.points, &method, &range)?;
    let points = found
        .iter()
        .map(|p: &CurvePoint| (p.lambda, p.clusters as f64))
        .collect();
    let series = vec![Series {
        name: String::new(),
        points,
        style: Style::Line,
    }];
    let chart = Chart {
        title: "clusters against λ".into(),
        x: "λ".into(),
        y: "clusters".into(),
        series,
        ..Chart::default()
    };
    context.figure("figure-1c.svg", &chart)?;
    let flat = plateaus(&found);
    let widest = flat
        .iter()
        .filter(|p| p.clusters > 1)
        .max_by(|a, b| a.width().total_cmp(&b.width()));
    let (clusters, ratio) = widest.map_or((0.0, 1.0), |p| (p.clusters as f64, p.high / p.low));
    Ok(vec![
        Row::number(
            "clusters on the widest plateau of λ",
            Some(3.0),
            clusters,
            0,
            "",
        ),
        Row::number(
            "its upper end over its lower end",
            None,
            ratio,
            1,
            "paper: “a large interval”",
        ),
    ])
}
