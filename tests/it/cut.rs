//! The penalised cuts: Theorem 5.3 and its twins, safe shifts, β ≤ 0, contraction, the spectral
//! bound, closed forms.

use crate::support::{
    Priced, complete, graphs, labels_of, partitions, path, priced, ring_of_cliques, star,
    symmetric_eigenvalues,
};
use lambdacut::cut::{Cut, component_clustering, lambda, resolution_of_lambda};
use lambdacut::graph::{Csr, components, contract};
use lambdacut::ids::NONE;
use lambdacut::kernel_dp_means::{Shift, resolve_shift};
use lambdacut::params::{ParamError, Resolution};
use lambdacut::run::Silent;
use nalgebra::DMatrix;
use proptest::prelude::*;

/// `K = s·M⁻¹ − M⁻¹LM⁻¹` on the vertices that have an edge, from the paper's formulas where the
/// paper has one.
fn kernel(graph: &Csr<f64>, objective: &Priced, sigma: f64) -> (DMatrix<f64>, Vec<usize>) {
    let active: Vec<usize> = (0..graph.vertices())
        .filter(|&i| graph.degree(i) > 0.0)
        .collect();
    let weight = |i: usize, j: usize| {
        graph
            .rows()
            .row(i)
            .find(|&(t, _)| t as usize == j)
            .map_or(0.0, |(_, w)| w)
    };
    let entry = |a: usize, b: usize| {
        let (i, j) = (active[a], active[b]);
        let (same, d, w) = (f64::from(u8::from(i == j)), graph.degree(i), weight(i, j));
        match objective.cut {
            Cut::Normalized => sigma * same / d + w / (d * graph.degree(j)),
            Cut::Ratio => sigma * same - (d * same - w),
            _ => {
                let (mi, mj) = (objective.cut.mass(graph, i), objective.cut.mass(graph, j));
                sigma * same / mi - (d * same - w) / (mi * mj)
            }
        }
    };
    (DMatrix::from_fn(active.len(), active.len(), entry), active)
}

/// `J(K, W)`, the weighted kernel k-means objective, from its definition: distances to implicit
/// means.
fn kernel_k_means(kernel: &DMatrix<f64>, weights: &[f64], labels: &[u32]) -> f64 {
    let n = weights.len();
    let mut total = 0.0;
    for i in 0..n {
        let mates: Vec<usize> = (0..n).filter(|&j| labels[j] == labels[i]).collect();
        let mass: f64 = mates.iter().map(|&j| weights[j]).sum();
        let cross: f64 = mates.iter().map(|&j| weights[j] * kernel[(i, j)]).sum();
        let inner: f64 = mates
            .iter()
            .flat_map(|&a| mates.iter().map(move |&b| (a, b)))
            .map(|(a, b)| weights[a] * weights[b] * kernel[(a, b)])
            .sum();
        total += weights[i] * (kernel[(i, i)] - 2.0 * cross / mass + inner / (mass * mass));
    }
    total
}

/// `M^-½ L M^-½` on the vertices that have an edge: its eigenvalues.
fn normalised_laplacian_eigenvalues(graph: &Csr<f64>, objective: &Priced) -> Vec<f64> {
    let (kernel, active) = kernel(graph, objective, objective.cut.sigma_of_shift(0.0));
    let root = |a: usize| objective.cut.mass(graph, active[a]).sqrt();
    symmetric_eigenvalues(DMatrix::from_fn(active.len(), active.len(), |a, b| {
        -kernel[(a, b)] * root(a) * root(b)
    }))
}

proptest! {
    #[test]
    fn kernel_k_means_plus_lambda_k_is_the_penalised_cut(
        g in graphs(14), raw in proptest::collection::vec(any::<u32>(), 14), which in 0..3u8, beta in 0.01..2.0, sigma in -3.0..9.0,
    ) {
        let objective = priced(&g, which, beta);
        let (labels, k) = labels_of(&g, &raw);
        let (kernel, active) = kernel(&g, &objective, sigma);
        let weights: Vec<f64> = active.iter().map(|&i| objective.cut.mass(&g, i)).collect();
        let own: Vec<u32> = active.iter().map(|&i| labels[i]).collect();
        let shift = objective.cut.shift_of_sigma(sigma);
        let left = kernel_k_means(&kernel, &weights, &own) + lambda(shift, beta) * k as f64;
        let found = objective.cut.evaluate(&g, &labels, k);
        let right = objective.cut.constant(&g, shift) + found.cut - beta * k as f64;
        let size = active.iter().map(|&i| shift.abs() + objective.cut.outside_ratio(&g, i)).sum::<f64>().max(1.0);
        prop_assert!((left - right).abs() <= 1e-9 * size, "{left} {right}");
        prop_assert!((found.value(beta) - (found.cut - beta * k as f64)).abs() <= 1e-12 * size);
        let back = resolution_of_lambda(lambda(shift, beta), shift).unwrap().get();
        prop_assert!((back - beta).abs() <= 1e-12);
        prop_assert!((objective.cut.sigma_of_shift(shift) - sigma).abs() <= 1e-12);
    }

    #[test]
    fn the_kernel_is_positive_semi_definite_at_a_safe_shift(g in graphs(40), which in 0..3u8, seed in 0..1000u64) {
        let objective = priced(&g, which, 0.5);
        let largest = normalised_laplacian_eigenvalues(&g, &objective).into_iter().fold(0.0, f64::max);
        let bound = resolve_shift(&g, &objective.cut, Shift::Bound, seed, &Silent).unwrap();
        let automatic = resolve_shift(&g, &objective.cut, Shift::Automatic, seed, &Silent).unwrap();
        prop_assert!(bound >= largest * (1.0 - 1e-12), "{bound} {largest}");
        prop_assert!(automatic >= largest * (1.0 - 1e-12), "{automatic} {largest}");
        prop_assert!(automatic <= bound && automatic <= 1.1 * largest + 1e-12, "{automatic} {largest}");
        let (kernel, active) = kernel(&g, &objective, objective.cut.sigma_of_shift(automatic));
        let root = |a: usize| objective.cut.mass(&g, active[a]).sqrt();
        let scaled = DMatrix::from_fn(active.len(), active.len(), |a, b| kernel[(a, b)] * root(a) * root(b));
        prop_assert!(symmetric_eigenvalues(scaled).iter().all(|&e| e >= -1e-9 * automatic.max(1.0)));
    }

    #[test]
    fn contraction_keeps_the_value(g in graphs(30), raw in proptest::collection::vec(any::<u32>(), 30), which in 0..3u8, beta in 0.01..2.0) {
        let objective = priced(&g, which, beta);
        let (labels, k) = labels_of(&g, &raw);
        let own: Vec<u32> = (0..k as u32).collect();
        let coarse = contract(&g, &labels, k);
        let before = objective.value(&g, &labels, k);
        let after = objective.cut.contracted(&g, &labels, k).evaluate(&coarse, &own, k).value(beta);
        prop_assert!((before - after).abs() <= 1e-11 * before.abs().max(1.0), "{before} {after}");
    }

    #[test]
    fn no_partition_is_below_the_spectral_bound(g in graphs(60), raw in proptest::collection::vec(any::<u32>(), 60), which in 0..3u8, beta in 0.01..2.0) {
        let objective = priced(&g, which, beta);
        let bound: f64 = normalised_laplacian_eigenvalues(&g, &objective).iter().filter(|&&v| v < beta).map(|v| v - beta).sum();
        let (labels, k) = labels_of(&g, &raw);
        prop_assert!(objective.value(&g, &labels, k) >= bound - 1e-9);
        let parts = components(&g);
        prop_assert!(objective.value(&g, &parts.labels, parts.count) >= bound - 1e-9);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn at_no_positive_resolution_the_components_are_optimal(g in graphs(8), which in 0..3u8, beta in -1.0..-1e-6) {
        let objective = priced(&g, which, 1.0);
        let best = component_clustering(&g);
        let value = |labels: &[u32], k: usize, beta: f64| objective.cut.evaluate(&g, labels, k).cut - beta * k as f64;
        let at_components = |beta: f64| value(&best.labels, best.count, beta);
        prop_assert_eq!(at_components(0.0), 0.0);
        let mut least = f64::INFINITY;
        for (labels, k) in partitions(&g) {
            // β = 0: no clustering is better. β < 0: of the connected ones every other is worse,
            // and of all, one cluster is best.
            prop_assert!(value(&labels, k, 0.0) >= 0.0);
            if connected(&g, &labels, k) && labels != best.labels {
                prop_assert!(value(&labels, k, beta) > at_components(beta));
            }
            least = least.min(value(&labels, k, beta));
        }
        prop_assert!((least + beta * best.count.min(1) as f64).abs() <= 1e-12);
    }
}

/// Whether every cluster is connected in itself.
fn connected(graph: &Csr<f64>, labels: &[u32], k: usize) -> bool {
    let pairs = (0..labels.len()).flat_map(|i| {
        graph
            .rows()
            .targets(i)
            .iter()
            .map(move |&j| (i as u32, j, 1.0))
    });
    let mut inside: Vec<_> = pairs
        .filter(|&(i, j, _)| labels[i as usize] == labels[j as usize])
        .collect();
    inside.extend(
        (0..labels.len() as u32)
            .filter(|&i| labels[i as usize] != NONE)
            .map(|i| (i, i, 1.0)),
    );
    components(&Csr::<f64>::from_edges(labels.len(), &inside).unwrap()).count == k
}

#[test]
fn a_resolution_that_is_not_positive_is_explained() {
    for beta in [0.0, -0.3] {
        let error = Resolution::new(beta).unwrap_err();
        assert_eq!(error, ParamError::ResolutionNotPositive(beta));
        assert!(
            error
                .to_string()
                .contains("is better than one cluster per connected component")
        );
    }
}

#[test]
fn given_masses_are_checked() {
    let g = path(3);
    assert!(Cut::Masses([1.0, 2.0].into()).check(&g).is_err());
    let not_a_number = Cut::Masses([1.0, f64::NAN, 1.0].into());
    let error = not_a_number.check(&g).unwrap_err().to_string();
    assert!(error.contains("vertex 1"), "{error}");
    let isolated: Csr<f64> = Csr::from_edges(3, &[(0, 1, 1.0)]).unwrap();
    assert!(Cut::Masses([1.0, 1.0, 0.0].into()).check(&isolated).is_ok());
}

/// The values of F on known partitions, in closed form.
#[test]
fn known_values() {
    let at = |cut| Priced { cut, beta: 0.3 };
    let (ncut, rcut) = (at(Cut::Normalized), at(Cut::Ratio));
    // A ring of r cliques of size q: each clique has cut 2 and volume q(q−1) + 2.
    let (r, q) = (5usize, 4usize);
    let g = ring_of_cliques(r, q);
    let labels: Vec<u32> = (0..r * q).map(|i| (i / q) as u32).collect();
    let (rf, qf) = (r as f64, q as f64);
    assert!(
        (ncut.value(&g, &labels, r) - rf * (2.0 / (qf * (qf - 1.0) + 2.0) - 0.3)).abs() < 1e-12
    );
    assert!((rcut.value(&g, &labels, r) - rf * (2.0 / qf - 0.3)).abs() < 1e-12);
    // Singletons: ncut n(1 − β), rcut 2m − βn.
    let alone: Vec<u32> = (0..7).collect();
    for g in [star(7), path(7), complete(7)] {
        assert!((ncut.value(&g, &alone, 7) - 7.0 * 0.7).abs() < 1e-12);
        assert!((rcut.value(&g, &alone, 7) - (g.volume() - 7.0 * 0.3)).abs() < 1e-12);
    }
    // Isolated vertices are outside everything.
    let with_isolated: Csr<f64> = Csr::from_edges(4, &[(0, 2, 1.0)]).unwrap();
    assert_eq!(ncut.value(&with_isolated, &[0, NONE, 0, NONE], 1), -0.3);
}

/// Weights of very different size, in units of 2⁻¹⁰, are summed as exactly as one rounding allows:
/// compared with integers.
#[test]
fn evaluation_loses_nothing_to_rounding() {
    let (n, k) = (20_000u32, 7u32);
    let mut state = 1u64;
    let mut draw = |below: u32| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as u32 % below
    };
    // Every row is short, so that degrees are exact; clusters are not.
    let edges: Vec<(u32, u32, u64)> = (0..n)
        .map(|i| (i, (i + 1 + draw(5)) % n, 1u64 << draw(40)))
        .collect();
    let weights: Vec<_> = edges
        .iter()
        .map(|&(i, j, w)| (i, j, w as f64 / 1024.0))
        .collect();
    let g: Csr<f64> = Csr::from_edges(n as usize, &weights).unwrap();
    let labels: Vec<u32> = (0..n).map(|i| (i / 100) % k).collect();
    let (mut cut, mut degree) = (vec![0u128; k as usize], vec![0u128; k as usize]);
    for &(i, j, w) in &edges {
        let (a, b) = (labels[i as usize] as usize, labels[j as usize] as usize);
        for c in [a, b] {
            degree[c] += u128::from(w);
            cut[c] += if a == b { 0 } else { u128::from(w) };
        }
    }
    let expected: f64 = (0..k as usize)
        .map(|c| cut[c] as f64 / degree[c] as f64)
        .sum();
    let found = Cut::Normalized.evaluate(&g, &labels, k as usize);
    assert!(
        (found.cut - expected).abs() <= 1e-14 * expected,
        "{} {expected}",
        found.cut
    );
    assert!(found.value(0.5) == found.cut - 0.5 * f64::from(k));
}
