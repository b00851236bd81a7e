//! `--method spectral` and `--certify`: what the eigenvectors say.

use super::{Eigenvalues, Found, WhatArgs};
use crate::common::Progress;
use crate::input::Loaded;
use crate::memory;
use anyhow::{Context, bail};
use lambdacut::cut::Cut;
use lambdacut::graph::{Csr, Weight};
use lambdacut::linalg::{Extent, Spectrum, SpectrumOptions, spectrum, spectrum_cost_observed};
use lambdacut::partition::Sums;
use lambdacut::report::html::SpectrumView;
use lambdacut::run::{Event, Observer, PassRecord};
use lambdacut::search::moves::refine;
use lambdacut::spectral::{SpectralOptions, refine_k, spectral as cluster_rows};
use lambdacut::with_csr;
use serde_json::json;
use std::time::Instant;

/// What is kept of a spectrum, with the `spectrum` section of the JSON document.
fn eigenvalues(low: &Spectrum) -> Eigenvalues {
    let section = json!({ "below": low.below, "count": low.count(), "eigenvalues": low.values(), "check": low.check });
    Eigenvalues {
        section,
        view: SpectrumView::new(low),
    }
}

fn options(what: &WhatArgs) -> SpectrumOptions {
    SpectrumOptions {
        seed: what.seed,
        max_bytes: memory::allowed(),
        ..SpectrumOptions::default()
    }
}

/// Spectral clustering, refined by exact moves.
pub fn spectral(what: &WhatArgs, loaded: &Loaded, progress: &Progress) -> anyhow::Result<Found> {
    let extent = match (what.resolution, what.clusters) {
        (Some(beta), _) => Extent::Below(beta),
        (None, Some(k)) => Extent::Smallest(k),
        (None, None) => bail!(
            "--method spectral needs --resolution B or --clusters K; lambdacut spectrum suggests one"
        ),
    };
    with_csr!(&loaded.graph, g => run(g, extent, what, progress))
}

fn run<W: Weight>(
    graph: &Csr<W>,
    extent: Extent,
    what: &WhatArgs,
    progress: &Progress,
) -> anyhow::Result<Found> {
    let cut = what.objective.kind();
    let options = SpectralOptions {
        spectrum: options(what),
        ..SpectralOptions::default()
    };
    let found = cluster_rows(graph, &cut, extent, &options, progress)?;
    let (mut fit, beta) = (found.fit, found.beta);
    let mut united = false;
    if what.refine && beta > 0.0 {
        let began = Instant::now();
        let moves = if let Some(k) = what.clusters {
            let before = fit.labels.clone();
            (fit.clusters, united) = refine_k(graph, &cut, &mut fit.labels, k, progress);
            before
                .iter()
                .zip(&fit.labels)
                .filter(|(a, b)| a != b)
                .count()
        } else {
            let (outcome, clusters) = refine(graph, &cut, &mut fit.labels, beta, progress);
            fit.clusters = clusters;
            outcome.moves
        };
        fit.value = Sums::of(graph, &cut, &fit.labels, fit.clusters).value(beta);
        let seconds = began.elapsed().as_secs_f64();
        fit.trace.push(PassRecord {
            value: fit.value,
            clusters: fit.clusters,
            moves,
            seconds,
        });
    }
    if let Some(k) = what.clusters.filter(|&k| k != fit.clusters) {
        progress.say(&format!(
            "note       {} clusters, not the {k} asked for: {}",
            fit.clusters,
            why_not(k, fit.clusters)
        ));
    }
    let cut = Sums::of(graph, &cut, &fit.labels, fit.clusters).cut();
    Ok(Found {
        fit,
        cut,
        beta: Some(beta),
        lambda: None,
        interval: None,
        optimal: None,
        choice: None,
        united,
        spectrum: Some(eigenvalues(&found.spectrum)),
        walked: None,
    })
}

fn why_not(asked: usize, found: usize) -> &'static str {
    if found > asked {
        "there are that many components, and --refine no leaves them apart"
    } else {
        "the rows of the eigenvectors fall into no more"
    }
}

/// The lower bound `Σ_{ν<β}(ν − β)` of F and the gap to it, printed and as JSON, with the
/// eigenvalues behind it.
pub fn certify(
    found: &Found,
    what: &WhatArgs,
    loaded: &Loaded,
    progress: &Progress,
) -> anyhow::Result<(serde_json::Value, Eigenvalues)> {
    let beta = found.beta.context("--certify needs a resolution")?;
    let cut = what.objective.kind();
    let low = with_csr!(&loaded.graph, g => {
        let cost = spectrum_cost_observed(g, &cut, beta, &options(what), progress);
        let count = if cost.provable { "counted by a factorisation" } else { "estimated from the spectral density" };
        if !progress.cancelled() {
            progress.event(Event::Note(&format!(
                "certificate: about {:.0} eigenvectors, their number {count}, {:.0} s and {} MB",
                cost.vectors.count, cost.seconds, cost.bytes >> 20
            )));
        }
        spectrum(g, &cut, Extent::Below(beta), &options(what), progress)?
    });
    progress.finish();
    let Some(certificate) = low.certificate(beta) else {
        progress.say("certificate: the eigenvalues below this resolution are too many to compute; there is no bound");
        return Ok((serde_json::Value::Null, eigenvalues(&low)));
    };
    let gap = certificate.gap(found.value);
    let trust = if certificate.proved {
        ""
    } else if low.check.complete {
        " (the number of eigenvalues was not proved)"
    } else {
        " (not all eigenvalues were computed: a better bound is possible)"
    };
    progress.say(&format!(
        "certificate: no clustering has F below {:.6}{trust}; this one is {gap:.6} above",
        certificate.bound
    ));
    let section = json!({ "bound": certificate.bound, "gap": gap, "proved": certificate.proved, "check": low.check });
    Ok((section, eigenvalues(&low)))
}
