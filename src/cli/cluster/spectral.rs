//! `--method spectral` and `--certify`: what the eigenvectors say.

use super::{Eigenvalues, Found, WhatArgs};
use crate::cli::common::Progress;
use crate::cli::input::Loaded;
use anyhow::{Context, bail};
use lambdacut::cluster::moves::refine;
use lambdacut::cluster::spectral::{SpectralOptions, spectral as cluster_rows};
use lambdacut::graph::{Graph, Weight};
use lambdacut::linalg::{Extent, Spectrum, SpectrumOptions, spectrum, spectrum_cost};
use lambdacut::observe::{Event, Observer, PassRecord};
use lambdacut::partition::{Masses, Sums};
use lambdacut::report::html::SpectrumView;
use lambdacut::with_graph;
use serde_json::json;
use std::time::Instant;

/// What is kept of a spectrum, with the `spectrum` section of the JSON document.
fn eigenvalues(low: &Spectrum) -> Eigenvalues {
    let section = json!({ "below": low.below, "count": low.count(), "eigenvalues": low.values(), "check": low.check });
    Eigenvalues { section, view: SpectrumView::new(low) }
}

fn options(what: &WhatArgs) -> SpectrumOptions {
    SpectrumOptions { seed: what.seed, ..SpectrumOptions::default() }
}

/// Spectral clustering, refined by exact moves.
pub fn spectral(what: &WhatArgs, loaded: &Loaded, progress: &Progress) -> anyhow::Result<Found> {
    let extent = match (what.resolution, what.clusters) {
        (Some(beta), _) => Extent::Below(beta),
        (None, Some(k)) => Extent::Smallest(k),
        (None, None) => bail!("--method spectral needs --resolution B or --clusters K; lambdacut spectrum suggests one"),
    };
    with_graph!(&loaded.graph, g => run(g, extent, what, progress))
}

fn run<W: Weight>(graph: &Graph<W>, extent: Extent, what: &WhatArgs, progress: &Progress) -> anyhow::Result<Found> {
    let masses = Masses::of(what.objective.kind());
    let options = SpectralOptions { spectrum: options(what), ..SpectralOptions::default() };
    let found = cluster_rows(graph, &masses, extent, &options, progress)?;
    let (mut fit, beta) = (found.fit, found.beta);
    if what.refine && beta > 0.0 && what.clusters.is_none() {
        let began = Instant::now();
        let (outcome, k) = refine(graph, &masses, &mut fit.labels, beta, progress);
        fit.clusters = k;
        fit.value = Sums::of(graph, &masses, &fit.labels, k).value(beta);
        let seconds = began.elapsed().as_secs_f64();
        fit.trace.push(PassRecord { value: fit.value, clusters: k, moves: outcome.moves, seconds });
    }
    let cut = Sums::of(graph, &masses, &fit.labels, fit.clusters).cut();
    Ok(Found {
        fit,
        cut,
        beta: Some(beta),
        lambda: None,
        interval: None,
        optimal: None,
        choice: None,
        united: false,
        spectrum: Some(eigenvalues(&found.spectrum)),
        walked: None,
    })
}

/// The lower bound `Σ_{ν<β}(ν − β)` of F and the gap to it, printed and as JSON, with the eigenvalues behind it.
pub fn certify(
    found: &Found,
    what: &WhatArgs,
    loaded: &Loaded,
    progress: &Progress,
) -> anyhow::Result<(serde_json::Value, Eigenvalues)> {
    let beta = found.beta.context("--certify needs a resolution")?;
    let masses = Masses::of(what.objective.kind());
    let low = with_graph!(&loaded.graph, g => {
        let cost = spectrum_cost(g, &masses, beta, &options(what));
        let megabytes = cost.bytes / 1_000_000;
        progress.event(Event::Note(&format!("certificate: about {:.0} s and {megabytes} MB for eigenvectors", cost.seconds)));
        spectrum(g, &masses, Extent::Below(beta), &options(what), progress)?
    });
    progress.finish();
    let Some(certificate) = low.certificate(beta) else {
        progress.say("certificate: the eigenvalues below this resolution are too many to compute; there is no bound");
        return Ok((serde_json::Value::Null, eigenvalues(&low)));
    };
    let gap = certificate.gap(found.fit.value);
    progress.say(&format!("certificate: no clustering has F below {:.6}; this one is {gap:.6} above", certificate.bound));
    Ok((json!({ "bound": certificate.bound, "gap": gap, "check": low.check }), eigenvalues(&low)))
}
