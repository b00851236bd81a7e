//! Spectral clustering: planted clusters, components, both roundings, the command.

use crate::support::data;
use lambdacut::cluster::spectral::{DEFAULT_LAMBDA, Rounding, SpectralOptions, embedding, refine_k, spectral};
use lambdacut::graph::{Graph, Unit};
use lambdacut::ids::NONE;
use lambdacut::linalg::{Extent, SpectrumOptions};
use lambdacut::observe::Silent;
use lambdacut::partition::{Masses, Sums};

/// `count` cliques of `size` in a ring, one edge between neighbours.
fn ring_of_cliques(count: u32, size: u32, from: u32) -> Vec<(u32, u32, f64)> {
    let inside = (0..count)
        .flat_map(|c| (0..size).flat_map(move |i| (0..i).map(move |j| (from + c * size + j, from + c * size + i, 1.0))));
    inside.chain((0..count).map(|c| (from + c * size + size - 1, from + (c + 1) % count * size, 1.0))).collect()
}

fn both() -> [SpectralOptions; 2] {
    let dp_means = SpectralOptions { rounding: Rounding::DpMeans { lambda: DEFAULT_LAMBDA }, ..SpectralOptions::default() };
    [SpectralOptions::default(), dp_means]
}

#[test]
fn a_ring_of_cliques_becomes_its_cliques() {
    let g: Graph<Unit> = Graph::from_edges(600, &ring_of_cliques(60, 10, 0)).unwrap();
    for masses in [Masses::Degree, Masses::One] {
        for options in both() {
            let beta = if masses == Masses::Degree { 0.3 } else { 2.0 };
            let found = spectral(&g, &masses, Extent::Below(beta), &options, &Silent).unwrap();
            assert_eq!(found.fit.clusters, 60);
            assert!((0..600).all(|i| found.fit.labels[i] == found.fit.labels[i / 10 * 10]));
            let from_scratch = Sums::of(&g, &masses, &found.fit.labels, 60).value(beta);
            assert_eq!(found.fit.value, from_scratch);
            assert!(found.spectrum.certificate(beta).unwrap().gap(found.fit.value) >= 0.0);
        }
    }
}

#[test]
fn components_never_share_a_cluster_and_isolated_vertices_have_none() {
    let mut edges = ring_of_cliques(5, 6, 0);
    edges.extend(ring_of_cliques(3, 5, 40));
    edges.push((60, 61, 1.0));
    edges.push((70, 70, 1.0));
    let g: Graph<Unit> = Graph::from_edges(75, &edges).unwrap();
    for options in both() {
        let found = spectral(&g, &Masses::Degree, Extent::Below(0.4), &options, &Silent).unwrap();
        assert_eq!(found.fit.clusters, 5 + 3 + 1 + 1);
        assert_eq!(found.fit.labels[35], NONE);
        assert!(found.fit.labels[60] == found.fit.labels[61] && found.fit.labels[60] != found.fit.labels[70]);
    }
    // Nothing lies below 0, and fewer vectors than components are still one cluster a component.
    for extent in [Extent::Below(-0.5), Extent::Smallest(2)] {
        let found = spectral(&g, &Masses::Degree, extent, &SpectralOptions::default(), &Silent).unwrap();
        assert_eq!(found.fit.clusters, 4);
    }
}

#[test]
fn the_k_smallest_make_k_clusters() {
    let g: Graph<Unit> = Graph::from_edges(200, &ring_of_cliques(20, 10, 0)).unwrap();
    let found = spectral(&g, &Masses::Degree, Extent::Smallest(20), &SpectralOptions::default(), &Silent).unwrap();
    assert_eq!((found.fit.clusters, found.spectrum.count()), (20, 20));
    assert!((0..200).all(|i| found.fit.labels[i] == found.fit.labels[i / 10 * 10]));
    let rows = embedding(&found.spectrum.parts[0]).unwrap();
    assert!((0..200).all(|i| (rows.row(i).iter().map(|x| x * x).sum::<f64>() - 1.0).abs() < 1e-12));
}

#[test]
fn the_vectors_of_all_components_make_one_matrix() {
    let mut edges = ring_of_cliques(4, 5, 3);
    edges.push((0, 2, 1.0));
    let g: Graph<Unit> = Graph::from_edges(24, &edges).unwrap();
    let found = spectral(&g, &Masses::Degree, Extent::Below(0.5), &SpectralOptions::default(), &Silent).unwrap();
    let (low, columns) = (&found.spectrum, found.spectrum.columns());
    let mut products = vec![0.0; low.count() * low.count()];
    for i in 0..24 {
        let mut row = vec![0.0; low.count()];
        low.row(&columns, i, &mut row);
        assert_eq!(row.iter().all(|&x| x == 0.0), i == 1 || i == 23);
        for (s, x) in row.iter().enumerate() {
            row.iter().enumerate().for_each(|(t, y)| products[s * low.count() + t] += x * y);
        }
    }
    for s in 0..low.count() {
        for t in 0..low.count() {
            assert!((products[s * low.count() + t] - f64::from(u8::from(s == t))).abs() < 1e-10);
        }
    }
}

/// Golden numbers of the dense spectrum by LAPACK through numpy: 503 eigenvalues below 0.1 without the self-loops, 390 of them 0 (with them 554, 438):
/// `1 - numpy.linalg.eigvalsh(D^-1/2 A D^-1/2)`.
#[test]
fn citeseer_has_390_zeros_and_503_eigenvalues_below_a_tenth() {
    let Some(dir) = data() else { return };
    let dir = tempfile::tempdir().map(|out| (dir, out)).unwrap();
    let json = dir.1.path().join("spectrum.json");
    let vectors = dir.1.path().join("vectors.npy");
    let mut command = assert_cmd::Command::cargo_bin("lambdacut").unwrap();
    command.arg("spectrum").arg(dir.0.join("graphs/citeseer.edges.gz")).args([
        "--below",
        "0.1",
        "--self-loops",
        "drop",
        "--threads",
        "2",
    ]);
    let done = command.arg("--json").arg(&json).arg("--vectors").arg(&vectors).assert().success();
    assert_eq!(done.get_output().stdout.iter().filter(|&&b| b == b'\n').count(), 503);
    let document: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(json).unwrap()).unwrap();
    let section = &document["spectrum"];
    assert_eq!((&section["count"], &section["below"]), (&503.into(), &0.1.into()));
    let zeros = section["eigenvalues"].as_array().unwrap().iter().filter(|v| v.as_f64() == Some(0.0)).count();
    assert_eq!(zeros, 390);
    let check = &section["check"];
    assert_eq!((&check["method"], &check["found"], &check["complete"]), (&"inertia".into(), &503.into(), &true.into()));
    assert_eq!((check["expected"].as_f64(), &check["proved"]), (Some(503.0), &true.into()));
    let written = lambdacut::io::read_npy(&vectors).unwrap();
    assert_eq!(written.dimension(), 503);
}

#[test]
fn the_command_needs_an_extent_and_keeps_to_the_cap() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("ring.edges");
    let text: String = ring_of_cliques(30, 8, 0).iter().map(|(i, j, _)| format!("{i} {j}\n")).collect();
    std::fs::write(&file, text).unwrap();
    let lambdacut = || assert_cmd::Command::cargo_bin("lambdacut").unwrap();
    lambdacut().arg("spectrum").arg(&file).assert().code(2);
    lambdacut().arg("spectrum").arg(&file).args(["--below", "nan"]).assert().code(1);
    let capped = lambdacut().arg("spectrum").arg(&file).args(["--below", "0.5", "--max-vectors", "12"]).assert().success();
    let said = String::from_utf8_lossy(&capped.get_output().stderr).into_owned();
    assert!(said.contains("there are 30 eigenvalues below 0.5") && said.contains("INCOMPLETE"), "{said}");
    assert!(said.contains("suggests --resolution") && said.contains("memory: "), "{said}");
    assert_eq!(capped.get_output().stdout.iter().filter(|&&b| b == b'\n').count(), 12);
    let options = SpectrumOptions::default();
    assert!(options.max_vectors > 12);
}

#[test]
fn a_number_of_clusters_is_kept_by_refinement() {
    let mut edges = ring_of_cliques(6, 5, 0);
    // A few edges across, so that rounding is not perfect, and two further components.
    edges.extend([(0, 12, 1.0), (1, 22, 1.0), (7, 26, 1.0), (40, 41, 1.0), (50, 51, 1.0)]);
    let g: Graph<Unit> = Graph::from_edges(52, &edges).unwrap();
    for k in [2usize, 3, 5, 8] {
        let found = spectral(&g, &Masses::Degree, Extent::Smallest(k), &SpectralOptions::default(), &Silent).unwrap();
        let mut labels = found.fit.labels.clone();
        let (clusters, united) = refine_k(&g, &Masses::Degree, &mut labels, k, &Silent);
        assert_eq!((clusters, united), (k, k < 3));
        let cut = |labels: &[u32], k: usize| Sums::of(&g, &Masses::Degree, labels, k).cut();
        if found.fit.clusters == k {
            assert!(cut(&labels, k) <= cut(&found.fit.labels, k) + 1e-12);
        }
    }
}

#[test]
fn every_method_is_certified_for_both_cuts() {
    let dir = tempfile::tempdir().unwrap();
    let (file, json) = (dir.path().join("ring.edges"), dir.path().join("out.json"));
    let text: String = ring_of_cliques(12, 6, 0).iter().map(|(i, j, _)| format!("{i} {j}\n")).collect();
    std::fs::write(&file, text).unwrap();
    for method in ["path", "kernel-dp-means", "spectral"] {
        for (objective, beta) in [("ncut", "0.4"), ("rcut", "1.5")] {
            let mut command = assert_cmd::Command::cargo_bin("lambdacut").unwrap();
            command.args(["cluster", "--certify", "--method", method, "--objective", objective, "--resolution", beta]);
            let done = command.arg(&file).arg("--json").arg(&json).assert().success();
            let said = String::from_utf8_lossy(&done.get_output().stderr).into_owned();
            assert!(said.contains("certificate: about ") && said.contains("no clustering has F below"), "{said}");
            let document: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(&json).unwrap()).unwrap();
            let (bound, value) = (&document["certificate"]["bound"], &document["objective"]["value"]);
            assert!(bound.as_f64().unwrap() <= value.as_f64().unwrap(), "{method} {objective}: {bound} {value}");
            assert_eq!(document["certificate"]["proved"], true);
        }
    }
}
