//! Each method: arguments → the library's parameters → [`Found`].

use super::checkpoint::Checkpoint;
use super::{Found, Walked, WhatArgs, labels_for};
use crate::common::{Interrupted, Progress, time_limit};
use crate::input::Loaded;
use anyhow::{Context, bail};
use clap::{Args, ValueEnum};
use lambdacut::cut::Objective;
use lambdacut::graph::Names;
use lambdacut::graph::{Csr, Weight};
use lambdacut::ids::Vertex;
use lambdacut::kernel_dp_means::{
    KernelDpMeans, KernelDpMeansError, Shift, Start, VisitOrder, fit_graph, resolution_for_clusters,
};
use lambdacut::params::{Resolution, StopRules};
use lambdacut::search::path::Walk;
use lambdacut::search::{Search, Target};
use lambdacut::with_csr;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Flags of the paper's pass.
#[derive(Debug, Args)]
#[command(next_help_heading = "Kernel DP-means")]
pub struct PassArgs {
    /// Where to start (or give labels with --start). One cluster is the paper's start, but for
    /// normalized cut a fixed point of the pass, and so are singletons.
    #[arg(long, value_name = "START", default_value = "several")]
    pub init: InitArg,
    /// From how many far-apart vertices --init farthest-first starts; without it --clusters, else
    /// the square root of the number of vertices.
    #[arg(long, value_name = "K")]
    pub init_size: Option<usize>,
    /// The order in which a pass visits the vertices.
    #[arg(long, value_name = "ORDER", default_value = "natural")]
    pub order: OrderArg,
    /// Visit the vertices in this file first, one name a line, in its order; then the others by
    /// number.
    #[arg(long, value_name = "FILE", conflicts_with = "order")]
    pub order_file: Option<PathBuf>,
    /// The shift σ of the kernel; without it the smallest safe value.
    #[arg(long, value_name = "SIGMA")]
    pub sigma: Option<f64>,
    /// At most this many passes.
    #[arg(long, value_name = "N")]
    pub passes: Option<usize>,
    /// Stop when a pass gains less than this fraction of the objective.
    #[arg(long, value_name = "FRACTION")]
    pub relative_gain: Option<f64>,
}

/// Where the paper's pass starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum InitArg {
    /// One cluster, then far-apart vertices in growing numbers: the best result.
    Several,
    /// Everything in one cluster.
    One,
    /// Every vertex alone.
    Singletons,
    /// The nearest of far-apart vertices.
    FarthestFirst,
}

/// The order of a pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum OrderArg {
    /// By number.
    Natural,
    /// Shuffled by the seed.
    Shuffled,
    /// By decreasing degree.
    Degree,
}

fn time(what: &WhatArgs) -> anyhow::Result<Option<Duration>> {
    what.time_limit.map(time_limit).transpose()
}

/// The path search.
pub fn path(what: &WhatArgs, loaded: &Loaded, progress: &Progress) -> anyhow::Result<Found> {
    let target = match (what.resolution, what.clusters) {
        (Some(beta), _) => Target::Resolution(Resolution::new(beta)?),
        (None, Some(k)) => Target::Clusters(k),
        (None, None) => Target::Recommended,
    };
    let search = Search {
        kind: what.objective.kind(),
        masses: None,
        effort: what.effort.effort(),
        fixed: labels_for(what.fixed.as_ref(), loaded)?,
        start: labels_for(what.start.as_ref(), loaded)?,
        time: time(what)?,
    };
    let checkpoint = what
        .checkpoint
        .as_ref()
        .map(|path| Checkpoint::new(path, &loaded.sha256, &search));
    let mut walk = match &checkpoint {
        Some(checkpoint) => checkpoint.load()?,
        None => Walk::default(),
    };
    let mut failed = None;
    let mut after_step = |walk: &Walk| {
        if let Some(Err(error)) = checkpoint.as_ref().map(|c| c.store(walk)) {
            failed = Some(error);
        }
    };
    let answer = with_csr!(&loaded.graph, g => search.resume(g, &target, &mut walk, &mut after_step, progress))?;
    if let Some(error) = failed {
        return Err(error).context("cannot write the checkpoint");
    }
    Ok(Found {
        fit: answer.fit,
        cut: answer.cut,
        beta: Some(answer.beta),
        lambda: None,
        interval: answer.interval,
        optimal: Some(answer.optimal),
        choice: answer.choice,
        united: answer.united,
        spectrum: None,
        walked: Some(Walked { search, walk }),
    })
}

/// The paper's algorithm, refined by exact moves.
pub fn kernel_dp_means(
    what: &WhatArgs,
    loaded: &Loaded,
    progress: &Progress,
) -> anyhow::Result<Found> {
    let start = match (labels_for(what.start.as_ref(), loaded)?, what.pass.init) {
        (Some(labels), _) => Start::Labels(labels.into()),
        (None, InitArg::Several) => Start::Several,
        (None, InitArg::One) => Start::One,
        (None, InitArg::Singletons) => Start::Singletons,
        (None, InitArg::FarthestFirst) => Start::FarthestFirst(
            what.pass
                .init_size
                .or(what.clusters)
                .unwrap_or_else(|| loaded.names.len().isqrt().max(1)),
        ),
    };
    let params = KernelDpMeans {
        start,
        order: match (&what.pass.order_file, what.pass.order) {
            (Some(path), _) => VisitOrder::Given(order_of(path, &loaded.names)?.into()),
            (None, OrderArg::Natural) => VisitOrder::Natural,
            (None, OrderArg::Shuffled) => VisitOrder::Shuffled,
            (None, OrderArg::Degree) => VisitOrder::ByDegree,
        },
        shift: what.pass.sigma.map_or(Shift::Automatic, Shift::Sigma),
        stop: StopRules {
            passes: what.pass.passes,
            relative_gain: what.pass.relative_gain,
            time: time(what)?,
        },
        seed: what.seed,
        refine: what.refine,
        ..KernelDpMeans::default()
    };
    with_csr!(&loaded.graph, g => paper(g, what, &params, progress))
}

/// The vertices in the order of a file, then the others.
fn order_of(path: &Path, names: &Names) -> anyhow::Result<Vec<Vertex>> {
    let text = std::fs::read_to_string(path)
        .with_context(|| format!("cannot read the order {}", path.display()))?;
    let index = names.index();
    let (mut order, mut listed) = (Vec::with_capacity(names.len()), vec![false; names.len()]);
    for (number, name) in text
        .lines()
        .map(str::trim)
        .enumerate()
        .filter(|(_, line)| !line.is_empty() && !line.starts_with('#'))
    {
        let place = || format!("{}, line {}", path.display(), number + 1);
        let Some(vertex) = index.get(name) else {
            bail!("{}: the graph has no vertex {name:?}", place())
        };
        if std::mem::replace(&mut listed[vertex as usize], true) {
            bail!("{}: vertex {name:?} is listed before", place());
        }
        order.push(vertex);
    }
    order.extend((0..names.len() as Vertex).filter(|&i| !listed[i as usize]));
    Ok(order)
}

fn paper<W: Weight>(
    graph: &Csr<W>,
    what: &WhatArgs,
    params: &KernelDpMeans,
    progress: &Progress,
) -> anyhow::Result<Found> {
    let kind = what.objective.kind();
    let resolution = match (what.resolution, what.clusters) {
        (Some(beta), _) => Resolution::new(beta)?,
        (None, Some(k)) => {
            let any = Objective::new(kind, Resolution::new(1.0)?);
            let found =
                resolution_for_clusters(graph, &any, k, params.shift, params.seed, progress);
            if matches!(found, Err(KernelDpMeansError::Cancelled)) {
                progress.say("interrupted before λ was found for this number of clusters: there is nothing to write");
                return Err(Interrupted.into());
            }
            found.with_context(|| {
                format!("the farthest-first rule finds no usable λ for {k} clusters; give --resolution instead")
            })?
        }
        (None, None) => bail!(
            "--method kernel-dp-means needs --resolution B (or --clusters K, from which λ is chosen)"
        ),
    };
    let objective = Objective::new(kind, resolution);
    let found = fit_graph(graph, &objective, params, progress)?;
    let fit = found.fit;
    let cut = objective.evaluate(graph, &fit.labels, fit.clusters).cut;
    let beta = Some(resolution.get());
    Ok(Found {
        fit,
        cut,
        beta,
        lambda: Some(found.lambda),
        interval: None,
        optimal: None,
        choice: None,
        united: false,
        spectrum: None,
        walked: None,
    })
}
