//! The scale of section 6.2: as many points as the patch data, as many dimensions.

use super::synthetic::patches;
use super::table::{Row, Section};
use super::{Context, Run};
use lambdacut::dp_means::{DpMeans, lambda_for};
use lambdacut::report::plot::{Chart, Series, Style};

/// One run of DP-means to convergence.
pub fn run(context: &Context<'_>) -> Run {
    let (rows, dimension) = if context.quick {
        (5_000, 32)
    } else {
        (312_320, 128)
    };
    let points = patches(rows, dimension, context.seed)?;
    let sample: Vec<u32> = (0..rows as u32).step_by((rows / 5_000).max(1)).collect();
    let lambda = lambda_for(&points.select(&sample), 100).unwrap_or(1.0);
    let fit = DpMeans::new()
        .lambda(lambda)
        .observer(context)
        .run(&points)?;
    let seconds: Vec<(f64, f64)> = fit
        .trace
        .iter()
        .enumerate()
        .map(|(p, r)| (p as f64 + 1.0, r.seconds))
        .collect();
    let average = seconds.iter().map(|s| s.1).sum::<f64>() / seconds.len() as f64;
    let most = seconds.iter().map(|s| s.1).fold(0.0, f64::max);
    let series = vec![Series {
        name: String::new(),
        points: seconds,
        style: Style::Line,
    }];
    let chart = Chart {
        title: "seconds of each pass".into(),
        x: "pass".into(),
        y: "seconds".into(),
        series,
        ..Chart::default()
    };
    context.figure("scale.svg", &chart)?;
    let rows_text = vec![
        Row::number(
            "seconds a pass, average",
            Some(37.9),
            average,
            2,
            "another machine; later passes skip what cannot change",
        ),
        Row::number("seconds of the longest pass", None, most, 2, ""),
        Row::number(
            "passes to converge",
            Some(63.0),
            fit.trace.len() as f64,
            0,
            "synthetic data, so only the order of magnitude means something",
        ),
        Row::number(
            "clusters",
            None,
            fit.clusters as f64,
            0,
            "the paper prints neither λ nor k for this data",
        ),
    ];
    let method = format!(
        "{rows} synthetic points in {dimension} dimensions (1000 Gaussians around 100 coarse means), λ = {lambda:.0} by farthest-first for 100 clusters on a sample of {}.",
        sample.len()
    );
    Ok(Section {
        title: "Scale (section 6.2)".into(),
        method,
        rows: rows_text,
        seconds: 0.0,
    })
}
