//! `--certify`: how far from the best a clustering can be at most.

use super::args::SearchArgs;
use super::methods::{Found, spectrum_options};
use crate::common::{Clock, Progress};
use crate::input::Loaded;
use lambdacut::linalg::{Extent, Spectrum, spectrum, spectrum_cost_observed};
use lambdacut::report::html::SpectrumView;
use lambdacut::run::{Deadline, Event, Observer};
use lambdacut::with_csr;
use serde_json::{Value, json};

/// A spectrum without its vectors, as JSON and for the page.
pub struct Eigenvalues {
    /// The `spectrum` section of the JSON document.
    pub section: Value,
    /// What the page shows.
    pub view: SpectrumView,
}

impl Eigenvalues {
    /// What is kept of a spectrum.
    pub fn of(low: &Spectrum) -> Self {
        let section = json!({
            "below": low.below,
            "count": low.count(),
            "eigenvalues": low.values(),
            "check": low.check,
        });
        Self {
            section,
            view: SpectrumView::new(low),
        }
    }
}

/// The lower bound `Σ_{ν<β}(ν − β)` of F and the gap to it, printed and as JSON, with the
/// eigenvalues behind it. A clustering is worth more than a bound: where the bound cannot be had,
/// that is said, and nothing else is lost.
pub fn certify(
    found: &Found,
    args: &SearchArgs,
    loaded: &Loaded,
    clock: &Clock,
    progress: &Progress,
) -> (Value, Option<Eigenvalues>) {
    let beta = found.clustering.beta;
    let cut = &found.clustering.objective;
    let options = spectrum_options(args);
    let deadline = Deadline::new(progress, clock.left());
    let low = with_csr!(loaded.graph.csr(), csr => {
        let cost = spectrum_cost_observed(csr, cut, beta, &options, &deadline);
        if !deadline.cancelled() {
            let count = if cost.provable {
                "counted by a factorisation"
            } else {
                "estimated from the spectral density"
            };
            progress.event(Event::Note(&format!(
                "certificate: about {:.0} eigenvectors, their number {count}, {:.0} s and {} MB",
                cost.vectors.count, cost.seconds, cost.bytes >> 20
            )));
        }
        spectrum(csr, cut, Extent::Below(beta), &options, &deadline)
    });
    progress.finish();
    let low = match low {
        Ok(low) => low,
        Err(error) => {
            progress.say(&format!("certificate: there is no bound, because {error}"));
            return (Value::Null, None);
        }
    };
    let Some(certificate) = low.certificate(beta) else {
        progress.say(
            "certificate: there is no bound: the eigenvalues below this resolution are too many \
             to compute, or the time was up before",
        );
        return (Value::Null, Some(Eigenvalues::of(&low)));
    };
    let gap = certificate.gap(found.clustering.value);
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
    let section = json!({
        "bound": certificate.bound,
        "gap": gap,
        "proved": certificate.proved,
        "check": low.check,
    });
    (section, Some(Eigenvalues::of(&low)))
}
