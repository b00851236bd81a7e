//! Each method: arguments → the library's algorithm → [`Found`].

use super::args::{InitArg, OrderArg, SearchArgs};
use super::certificate::Eigenvalues;
use super::checkpoint::Checkpoint;
use crate::common::{Clock, Interrupted, Progress};
use crate::input::{Loaded, read_labels_for};
use crate::memory;
use anyhow::{Context, bail};
use lambdacut::clustering::Clustering;
use lambdacut::graph::Names;
use lambdacut::ids::{Cluster, Vertex};
use lambdacut::io::Unknown;
use lambdacut::kernel_dp_means::{KernelDpMeans, KernelDpMeansError, Shift, Start, VisitOrder};
use lambdacut::labels::renumber_by_size;
use lambdacut::linalg::SpectrumOptions;
use lambdacut::run::StopRules;
use lambdacut::search::Path as SearchPath;
use lambdacut::search::{Answer, Search};
use lambdacut::spectral::Spectral;
use lambdacut::with_csr;
use std::path::{Path, PathBuf};

/// What a method found.
pub struct Found {
    /// The clustering.
    pub clustering: Clustering,
    /// λ of the paper's algorithm.
    pub lambda: Option<f64>,
    /// What the path search knows beyond the clustering, with the path itself.
    pub path: Option<FoundPath>,
    /// There are fewer clusters than components.
    pub united: bool,
    /// The eigenvalues of the spectral method.
    pub spectrum: Option<Eigenvalues>,
}

/// What the path search knows.
pub struct FoundPath {
    /// The answer.
    pub answer: Answer,
    /// The search, without its observer: for the labels of the path's corners.
    pub search: Search<'static>,
    /// The path.
    pub walk: SearchPath,
}

/// Labels of `path` for the vertices of the graph.
fn labels_for(path: Option<&PathBuf>, loaded: &Loaded) -> anyhow::Result<Option<Vec<Cluster>>> {
    let Some(path) = path else { return Ok(None) };
    let read = read_labels_for(path, loaded, Unknown::Error)?;
    Ok(Some(read.labels))
}

/// The path search.
pub fn path(
    args: &SearchArgs,
    loaded: &Loaded,
    clock: &Clock,
    progress: &Progress,
) -> anyhow::Result<Found> {
    let mut search = Search::new()
        .cut(args.cut(loaded.graph.vertex_weights()))
        .effort(args.effort());
    if let Some(beta) = args.resolution {
        search = search.resolution(beta)?;
    } else if let Some(k) = args.clusters {
        search = search.clusters(k);
    }
    search.fixed = labels_for(args.fixed.as_ref(), loaded)?;
    search.start = labels_for(args.start.as_ref(), loaded)?;
    let checkpoint = args
        .checkpoint
        .as_ref()
        .map(|path| Checkpoint::new(path, loaded.graph.fingerprint(), &search))
        .transpose()?;
    let mut walk = match &checkpoint {
        Some(checkpoint) => checkpoint.load(progress)?,
        None => SearchPath::default(),
    };
    let mut failed = None;
    let mut after_step = |walk: &SearchPath| {
        if let Some(Err(error)) = checkpoint.as_ref().map(|c| c.store(walk)) {
            failed = Some(error);
        }
    };
    let mut timed = search.clone().observer(progress);
    timed.run.time_limit = clock.left();
    let answer = with_csr!(loaded.graph.csr(), csr => {
        timed.resume(csr, &mut walk, &mut after_step)
    })?;
    if let Some(error) = failed {
        return Err(error).context("cannot write the checkpoint");
    }
    Ok(Found {
        clustering: answer.clustering.clone(),
        lambda: None,
        united: answer.united,
        path: Some(FoundPath {
            answer,
            search,
            walk,
        }),
        spectrum: None,
    })
}

/// The paper's algorithm, refined by exact moves.
pub fn kernel_dp_means(
    args: &SearchArgs,
    loaded: &Loaded,
    clock: &Clock,
    progress: &Progress,
) -> anyhow::Result<Found> {
    let mut method = KernelDpMeans::new()
        .cut(args.cut(loaded.graph.vertex_weights()))
        .start(start(args, loaded)?)
        .order(order(args, loaded)?)
        .refine(args.refine())
        .seed(args.seed())
        .stop(StopRules {
            passes: args.pass.passes,
            relative_gain: args.pass.relative_gain,
        })
        .observer(progress);
    method.run.time_limit = clock.left();
    if let Some(sigma) = args.pass.sigma {
        method = method.shift(Shift::Sigma(sigma));
    }
    if let Some(beta) = args.resolution {
        method = method.resolution(beta)?;
    } else if let Some(k) = args.clusters {
        method = method.clusters(k);
    }
    let found = match method.run(&loaded.graph) {
        Err(KernelDpMeansError::Cancelled) => {
            progress.say(
                "ended before λ was found for this number of clusters: there is nothing to write",
            );
            return Err(Interrupted.into());
        }
        Err(error @ KernelDpMeansError::Param(_)) if args.clusters.is_some() => {
            let hint = "the farthest-first rule finds no usable λ for this number of clusters; \
                        give --resolution instead";
            return Err(error).context(hint);
        }
        other => other?,
    };
    if let Some(k) = args.clusters.filter(|&k| k != found.k()) {
        progress.say(&format!(
            "note       {} clusters, not {k}: λ was chosen for about {k}, and the passes decide",
            found.k()
        ));
    }
    Ok(Found {
        lambda: Some(found.lambda),
        clustering: found.clustering,
        united: false,
        path: None,
        spectrum: None,
    })
}

fn start(args: &SearchArgs, loaded: &Loaded) -> anyhow::Result<Start> {
    if let Some(labels) = labels_for(args.start.as_ref(), loaded)? {
        return Ok(Start::Labels(labels.into()));
    }
    Ok(match args.pass.init.unwrap_or(InitArg::Several) {
        InitArg::Several => Start::Several,
        InitArg::One => Start::One,
        InitArg::Singletons => Start::Singletons,
        InitArg::FarthestFirst => {
            let several = loaded.graph.node_count().isqrt().max(1);
            let size = args.pass.init_size.or(args.clusters);
            Start::FarthestFirst(size.unwrap_or(several))
        }
    })
}

fn order(args: &SearchArgs, loaded: &Loaded) -> anyhow::Result<VisitOrder> {
    if let Some(path) = &args.pass.order_file {
        return Ok(VisitOrder::Given(order_of(path, loaded.names())?.into()));
    }
    Ok(match args.pass.order.unwrap_or(OrderArg::Natural) {
        OrderArg::Natural => VisitOrder::Natural,
        OrderArg::Shuffled => VisitOrder::Shuffled,
        OrderArg::Degree => VisitOrder::ByDegree,
    })
}

/// The vertices in the order of a file, then the others.
fn order_of(path: &Path, names: &Names) -> anyhow::Result<Vec<Vertex>> {
    let text = std::fs::read_to_string(path)
        .with_context(|| format!("cannot read the order {}", path.display()))?;
    let index = names.index();
    let mut order = Vec::with_capacity(names.len());
    let mut listed = vec![false; names.len()];
    for (number, line) in text.lines().enumerate() {
        let name = line.trim();
        if name.is_empty() || name.starts_with('#') {
            continue;
        }
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

/// How eigenvectors are computed: within the memory that there is.
pub fn spectrum_options(args: &SearchArgs) -> SpectrumOptions {
    SpectrumOptions {
        seed: args.seed(),
        max_bytes: memory::allowed(),
        ..SpectrumOptions::default()
    }
}

/// Spectral clustering, refined by exact moves.
pub fn spectral(
    args: &SearchArgs,
    loaded: &Loaded,
    clock: &Clock,
    progress: &Progress,
) -> anyhow::Result<Found> {
    let mut method = Spectral::new()
        .cut(args.cut(loaded.graph.vertex_weights()))
        .spectrum(spectrum_options(args))
        .refine(args.refine())
        .observer(progress);
    method.run.time_limit = clock.left();
    if let Some(beta) = args.resolution {
        method = method.resolution(beta)?;
    } else if let Some(k) = args.clusters {
        method = method.clusters(k);
    }
    let found = method.run(&loaded.graph)?;
    if let Some(k) = args.clusters.filter(|&k| k != found.k()) {
        let why = if found.k() > k {
            "there are that many components, and --refine no leaves them apart"
        } else {
            "the rows of the eigenvectors fall into no more"
        };
        let k_found = found.k();
        progress.say(&format!(
            "note       {k_found} clusters, not the {k} asked for: {why}"
        ));
    }
    Ok(Found {
        lambda: None,
        united: found.united,
        path: None,
        spectrum: Some(Eigenvalues::of(&found.spectrum)),
        clustering: found.clustering,
    })
}

/// The labels of the clustering with `k` clusters on the path.
pub fn corner_labels(found: &Found, loaded: &Loaded, k: usize) -> anyhow::Result<Vec<Cluster>> {
    let path = found.path.as_ref().context("there is no path")?;
    let choice = path.answer.choice.as_ref().context("there is no path")?;
    let Some(corner) = choice.candidates.iter().find(|c| c.clusters == k) else {
        bail!("no clustering on the path has {k} clusters: see the table for those that there are");
    };
    let mut labels = with_csr!(loaded.graph.csr(), csr => {
        path.search.labels_on_path(csr, &path.walk, corner.point)
    });
    renumber_by_size(&mut labels);
    Ok(labels)
}
