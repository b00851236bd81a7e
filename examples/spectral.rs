//! The spectral side: how many clusters a resolution wants, a clustering from the eigenvectors, and
//! a bound that no clustering can beat.
//!
//! `cargo run --example spectral`

use lambdacut::cut::Cut;
use lambdacut::generate::Lfr;
use lambdacut::linalg::{CheckMethod, Extent};
use lambdacut::metrics::Agreement;
use lambdacut::prelude::*;
use lambdacut::spectral::{SpectralOptions, spectral};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let planted = Lfr {
        vertices: 1000,
        mixing: 0.2,
        ..Lfr::default()
    }
    .generate()?;
    let graph = planted.graph()?;
    let beta = 0.5;

    // All eigenvectors of the normalized Laplacian below β; their rows are clustered, without being
    // told how many clusters.
    let found = spectral(
        &graph,
        &Cut::Normalized,
        Extent::Below(beta),
        &SpectralOptions::default(),
        &Silent,
    )?;
    let check = &found.spectrum.check;
    let how = if check.method == CheckMethod::Inertia {
        "proved to be all"
    } else {
        "all, by estimate"
    };
    println!("{} eigenvalues below {beta}, {how}", found.spectrum.count());
    let nmi = Agreement::of(&found.labels, &planted.truth)?.nmi;
    println!(
        "spectral:  {} clusters, F = {:.4}, NMI {nmi:.3}",
        found.clusters, found.value
    );

    // The search on the same objective, and what is left to gain for anybody: F can never be below
    // the bound.
    let answer =
        Search::default().run(&graph, &Target::Resolution(Resolution::new(beta)?), &Silent)?;
    let certificate = found
        .spectrum
        .certificate(beta)
        .ok_or("everything below β was computed")?;
    println!(
        "search:    {} clusters, F = {:.4}",
        answer.clusters, answer.value
    );
    println!(
        "no clustering has F below {:.4}: at most {:.4} can be gained",
        certificate.bound,
        certificate.gap(answer.value)
    );

    assert!(check.complete && certificate.proved);
    assert!(certificate.bound <= answer.value && answer.value <= found.value + 1e-9);
    assert!(nmi > 0.9);
    Ok(())
}
