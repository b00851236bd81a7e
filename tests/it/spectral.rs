//! Spectral clustering: planted clusters, components, both roundings, the command.

use lambdacut::cut::Cut;
use lambdacut::graph::{Csr, Unit};
use lambdacut::ids::NONE;
use lambdacut::linalg::Extent;
use lambdacut::partition::Sums;
use lambdacut::spectral::{DEFAULT_LAMBDA, Rounding, Spectral, embedding};

/// `count` cliques of `size` in a ring, one edge between neighbours.
fn ring_of_cliques(count: u32, size: u32, from: u32) -> Vec<(u32, u32, f64)> {
    let inside = (0..count).flat_map(|c| {
        (0..size)
            .flat_map(move |i| (0..i).map(move |j| (from + c * size + j, from + c * size + i, 1.0)))
    });
    inside
        .chain((0..count).map(|c| {
            (
                from + c * size + size - 1,
                from + (c + 1) % count * size,
                1.0,
            )
        }))
        .collect()
}

/// Rounding alone, without exact moves after it.
fn rounded() -> Spectral<'static> {
    Spectral::new().refine(false)
}

/// k-means and DP-means.
fn both() -> [Spectral<'static>; 2] {
    let lambda = DEFAULT_LAMBDA;
    [rounded(), rounded().rounding(Rounding::DpMeans { lambda })]
}

#[test]
fn a_ring_of_cliques_becomes_its_cliques() {
    let g: Csr<Unit> = Csr::from_edges(600, &ring_of_cliques(60, 10, 0)).unwrap();
    for cut in [Cut::Normalized, Cut::Ratio] {
        for method in both() {
            let beta = if cut == Cut::Normalized { 0.3 } else { 2.0 };
            let method = method.cut(cut.clone()).resolution(beta).unwrap();
            let found = method.run_csr(&g).unwrap();
            assert_eq!(found.clusters, 60);
            assert!((0..600).all(|i| found.labels[i] == found.labels[i / 10 * 10]));
            let from_scratch = Sums::of(&g, &cut, &found.labels, 60).value(beta);
            assert_eq!(found.value, from_scratch);
            assert!(found.spectrum.certificate(beta).unwrap().gap(found.value) >= 0.0);
        }
    }
}

#[test]
fn components_never_share_a_cluster_and_isolated_vertices_have_none() {
    let mut edges = ring_of_cliques(5, 6, 0);
    edges.extend(ring_of_cliques(3, 5, 40));
    edges.push((60, 61, 1.0));
    edges.push((70, 70, 1.0));
    let g: Csr<Unit> = Csr::from_edges(75, &edges).unwrap();
    for method in both() {
        let found = method.resolution(0.4).unwrap().run_csr(&g).unwrap();
        assert_eq!(found.clusters, 5 + 3 + 1 + 1);
        assert_eq!(found.labels[35], NONE);
        assert!(found.labels[60] == found.labels[61] && found.labels[60] != found.labels[70]);
    }
    // Nothing lies below 0, and fewer vectors than components are still one cluster a component.
    for extent in [Extent::Below(-0.5), Extent::Smallest(2)] {
        let method = Spectral {
            extent: Some(extent),
            ..rounded()
        };
        assert_eq!(method.run_csr(&g).unwrap().clusters, 4);
    }
}

#[test]
fn the_k_smallest_make_k_clusters() {
    let g: Csr<Unit> = Csr::from_edges(200, &ring_of_cliques(20, 10, 0)).unwrap();
    let found = rounded().clusters(20).run_csr(&g).unwrap();
    assert_eq!((found.clusters, found.spectrum.count()), (20, 20));
    assert!((0..200).all(|i| found.labels[i] == found.labels[i / 10 * 10]));
    let rows = embedding(&found.spectrum.parts[0]).unwrap();
    assert!((0..200).all(|i| (rows.row(i).iter().map(|x| x * x).sum::<f64>() - 1.0).abs() < 1e-12));
}

#[test]
fn the_vectors_of_all_components_make_one_matrix() {
    let mut edges = ring_of_cliques(4, 5, 3);
    edges.push((0, 2, 1.0));
    let g: Csr<Unit> = Csr::from_edges(24, &edges).unwrap();
    let found = rounded().resolution(0.5).unwrap().run_csr(&g).unwrap();
    let (low, columns) = (&found.spectrum, found.spectrum.columns());
    let mut products = vec![0.0; low.count() * low.count()];
    for i in 0..24 {
        let mut row = vec![0.0; low.count()];
        low.row(&columns, i, &mut row);
        assert_eq!(row.iter().all(|&x| x == 0.0), i == 1 || i == 23);
        for (s, x) in row.iter().enumerate() {
            row.iter()
                .enumerate()
                .for_each(|(t, y)| products[s * low.count() + t] += x * y);
        }
    }
    for s in 0..low.count() {
        for t in 0..low.count() {
            assert!((products[s * low.count() + t] - f64::from(u8::from(s == t))).abs() < 1e-10);
        }
    }
}

#[test]
fn a_number_of_clusters_is_kept_by_refinement() {
    let mut edges = ring_of_cliques(6, 5, 0);
    // A few edges across, so that rounding is not perfect, and two further components.
    edges.extend([
        (0, 12, 1.0),
        (1, 22, 1.0),
        (7, 26, 1.0),
        (40, 41, 1.0),
        (50, 51, 1.0),
    ]);
    let g: Csr<Unit> = Csr::from_edges(52, &edges).unwrap();
    for k in [2usize, 3, 5, 8] {
        let found = rounded().clusters(k).run_csr(&g).unwrap();
        let refined = Spectral::new().clusters(k).run_csr(&g).unwrap();
        assert_eq!((refined.clusters, refined.united), (k, k < 3));
        let cut = |labels: &[u32]| Sums::of(&g, &Cut::Normalized, labels, k).cut();
        assert_eq!(refined.cut, cut(&refined.labels));
        if found.clusters == k {
            assert!(cut(&refined.labels) <= cut(&found.labels) + 1e-12);
        }
    }
}
