//! Spectra that are known: paths, cycles, complete and complete bipartite graphs, stars, grids,
//! rings of cliques and unions of these.

use crate::linalg_support::{
    bipartite, check_pairs, close, complete, cycle, graph, grid, path, ring_of_cliques, run,
    sparse, union,
};
use lambdacut::cut::Cut::{self, Normalized, Ratio};
use lambdacut::linalg::{CheckMethod, Extent, Range, SpectrumOptions, eigen};
use std::f64::consts::PI;

/// Both solvers give exactly the analytic eigenvalues below every β of a grid that is never closer
/// than 1e-6 to one of them.
fn check_analytic(edges: &[(u32, u32, f64)], kind: &Cut, mut analytic: Vec<f64>) {
    analytic.sort_by(f64::total_cmp);
    let g = graph(edges);
    let top = analytic.last().copied().unwrap_or(0.0);
    for step in 0..=7 {
        let beta = 0.0371 + top * f64::from(step) / 6.0;
        if analytic.iter().any(|nu| (nu - beta).abs() < 1e-6) {
            continue;
        }
        let wanted: Vec<f64> = analytic.iter().copied().filter(|&nu| nu < beta).collect();
        for options in [SpectrumOptions::default(), sparse()] {
            let s = run(&g, kind, Extent::Below(beta), &options);
            close(&s.values(), &wanted, 1e-9 * top.max(1.0));
            check_pairs(&g, kind, &s, top);
            assert_eq!(
                (s.check.method, s.check.proved),
                (CheckMethod::Inertia, true),
                "{:?}",
                s.check
            );
            assert!(s.check.margin < 1e-6 * top.max(1.0), "{:?}", s.check);
        }
    }
}

#[test]
fn paths() {
    for n in [2u32, 3, 7, 400] {
        let k = |t: u32| PI * f64::from(t);
        check_analytic(
            &path(n),
            &Normalized,
            (0..n)
                .map(|t| 1.0 - (k(t) / f64::from(n - 1)).cos())
                .collect(),
        );
        check_analytic(
            &path(n),
            &Ratio,
            (0..n)
                .map(|t| 2.0 - 2.0 * (k(t) / f64::from(n)).cos())
                .collect(),
        );
    }
}

#[test]
fn cycles_have_pairs_of_equal_eigenvalues() {
    for n in [3u32, 8, 401] {
        let value = |t: u32| 1.0 - (2.0 * PI * f64::from(t) / f64::from(n)).cos();
        check_analytic(&cycle(n), &Normalized, (0..n).map(value).collect());
        check_analytic(&cycle(n), &Ratio, (0..n).map(|t| 2.0 * value(t)).collect());
    }
}

#[test]
fn complete_graphs_have_one_eigenvalue_many_times() {
    for n in [2u32, 5, 40] {
        let times = |value: f64| {
            std::iter::once(0.0)
                .chain((1..n).map(|_| value))
                .collect::<Vec<_>>()
        };
        check_analytic(
            &complete(n),
            &Normalized,
            times(f64::from(n) / f64::from(n - 1)),
        );
        check_analytic(&complete(n), &Ratio, times(f64::from(n)));
    }
}

#[test]
fn complete_bipartite_graphs_and_stars() {
    for (a, b) in [(1u32, 1u32), (1, 300), (3, 4), (20, 31)] {
        let times = |value: f64, times: u32| (0..times).map(move |_| value);
        let normalized = [0.0, 2.0]
            .into_iter()
            .chain(times(1.0, a + b - 2))
            .collect();
        check_analytic(&bipartite(a, b), &Normalized, normalized);
        let (x, y) = (f64::from(a), f64::from(b));
        let ratio = [0.0, x + y]
            .into_iter()
            .chain(times(y, a - 1))
            .chain(times(x, b - 1))
            .collect();
        check_analytic(&bipartite(a, b), &Ratio, ratio);
    }
}

#[test]
fn grids() {
    let one = |n: u32, t: u32| 2.0 - 2.0 * (PI * f64::from(t) / f64::from(n)).cos();
    for (a, b) in [(3u32, 5u32), (19, 23)] {
        let values = (0..a)
            .flat_map(|s| (0..b).map(move |t| one(a, s) + one(b, t)))
            .collect();
        check_analytic(&grid(a, b), &Ratio, values);
    }
}

#[test]
fn unions_have_the_union_of_the_spectra() {
    let edges = union(&[path(30), cycle(17), complete(6), bipartite(2, 9)]);
    let mut values: Vec<f64> = (0..30u32)
        .map(|t| 1.0 - (PI * f64::from(t) / 29.0).cos())
        .collect();
    values.extend((0..17u32).map(|t| 1.0 - (2.0 * PI * f64::from(t) / 17.0).cos()));
    values.extend([0.0, 1.2, 1.2, 1.2, 1.2, 1.2, 0.0, 2.0]);
    values.extend([1.0; 9]);
    check_analytic(&edges, &Normalized, values);
}

/// The spectrum of a ring of `count` cliques of `size` ≥ 4 vertices. The rotation by one clique
/// splits it into one problem for every angle θ = 2πt/count; in each, vectors on the `size − 2`
/// inner vertices that sum to 0 are eigenvectors, and what is left is the Hermitian 3 × 3 matrix on
/// (first, last, all inner), here as a real symmetric one of order 6 that has everything twice.
fn ring_of_cliques_spectrum(count: u32, size: u32, kind: &Cut) -> Vec<f64> {
    let (s, inner) = (f64::from(size), f64::from(size - 2));
    let normalized = *kind == Normalized;
    let (end, middle) = (s, s - 1.0);
    let mass = |d: f64| if normalized { d } else { 1.0 };
    let mut all = Vec::new();
    for t in 0..count {
        let theta = 2.0 * PI * f64::from(t) / f64::from(count);
        // The first vertex of a clique is joined to the last one of the clique before it.
        let ends = -1.0 / mass(end);
        let (re, im) = (ends * (1.0 + theta.cos()), -ends * theta.sin());
        let side = -inner.sqrt() / (mass(end) * mass(middle)).sqrt();
        let own = (middle - (inner - 1.0)) / mass(middle);
        let real = [
            [end / mass(end), re, side],
            [re, end / mass(end), side],
            [side, side, own],
        ];
        let imaginary = [[0.0, im, 0.0], [-im, 0.0, 0.0], [0.0, 0.0, 0.0]];
        let entry = |i: usize, j: usize| match (i < 3, j < 3) {
            (true, true) | (false, false) => real[i % 3][j % 3],
            (true, false) => -imaginary[i][j - 3],
            (false, true) => imaginary[i - 3][j],
        };
        let matrix: Vec<f64> = (0..36).map(|at| entry(at / 6, at % 6)).collect();
        all.extend(
            eigen(matrix, 6, Range::All)
                .unwrap()
                .values
                .into_iter()
                .step_by(2),
        );
        all.extend((3..size).map(|_| (middle + 1.0) / mass(middle)));
    }
    all
}

#[test]
fn rings_of_cliques() {
    for (count, size) in [(3u32, 4u32), (7, 5), (30, 8)] {
        for kind in [Normalized, Ratio] {
            let known = ring_of_cliques_spectrum(count, size, &kind);
            check_analytic(&ring_of_cliques(count, size), &kind, known);
        }
    }
}

#[test]
fn a_ring_of_cliques_has_one_low_eigenvalue_a_clique() {
    let g = graph(&ring_of_cliques(30, 8));
    for options in [SpectrumOptions::default(), sparse()] {
        let s = run(&g, &Normalized, Extent::Below(0.5), &options);
        assert_eq!(s.count(), 30);
        // Inside a pair of clique modes the ring is a cycle: eigenvalues come in pairs but for 0
        // and the alternating one.
        let values = s.values();
        (1..28)
            .step_by(2)
            .for_each(|t| assert!((values[t] - values[t + 1]).abs() < 1e-10));
        check_pairs(&g, &Cut::Normalized, &s, 2.0);
    }
    let wider = run(
        &g,
        &Normalized,
        Extent::Smallest(40),
        &SpectrumOptions::default(),
    );
    let gap = wider
        .gaps()
        .into_iter()
        .find(|gap| gap.after == 30)
        .unwrap();
    assert!(gap.relative > 0.5 && gap.beta() > gap.low && gap.beta() < gap.high);
}
