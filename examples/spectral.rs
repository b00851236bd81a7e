//! The spectral side: how many clusters a resolution wants, a clustering from the eigenvectors, and
//! a bound that no clustering can beat.
//!
//! `cargo run --example spectral`

use lambdacut::generate::Lfr;
use lambdacut::linalg::CheckMethod;
use lambdacut::metrics::Agreement;
use lambdacut::prelude::*;
use lambdacut::spectral::Spectral;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let planted = Lfr {
        vertices: 1000,
        mixing: 0.2,
        ..Lfr::default()
    }
    .generate()?;
    let graph = Graph::from(planted.graph()?);
    let beta = 0.5;

    // All eigenvectors of the normalized Laplacian below β; their rows are clustered, without being
    // told how many clusters, and single vertices are moved where that lowers F.
    let found = Spectral::new().resolution(beta)?.run(&graph)?;
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
        found.k(),
        found.value
    );

    // The search on the same objective, and what is left to gain for anybody: F can never be below
    // the bound.
    let best = Search::new().resolution(beta)?.run(&graph)?;
    let certificate = best.certify(&graph)?;
    println!("search:    {} clusters, F = {:.4}", best.k(), best.value);
    println!(
        "no clustering has F below {:.4}: at most {:.4} can be gained",
        certificate.bound,
        certificate.gap(best.value)
    );

    assert!(check.complete && certificate.proved);
    assert!(certificate.bound <= best.value && best.value <= found.value + 1e-9);
    assert!(nmi > 0.9);
    Ok(())
}
