//! Spectra: sparse against dense, multiplicities, counts, thresholds, certificates.

use crate::linalg_support::{
    bipartite, check_pairs, close, complete, cycle, graph, grid, path, reference, ring_of_cliques,
    run, sparse, union,
};
use crate::support::{graphs, labels_of};
use lambdacut::cut::Cut::{self, Normalized, Ratio};
use lambdacut::graph::{Csr, Unit, Weight, components};
use lambdacut::linalg::{
    Affine, CheckMethod, Density, Extent, FactorPlan, Laplacian, Range, Search, Spectrum,
    SpectrumOptions, SymmetricOperator, eigen, kernel_eigen, lanczos, spectrum, spectrum_cost,
};
use lambdacut::partition::Sums;
use lambdacut::run::{CancelToken, Silent};
use proptest::prelude::*;
use std::sync::Arc;

#[test]
fn ten_equal_components_have_everything_ten_times() {
    let one = ring_of_cliques(6, 5);
    let single = run(
        &graph(&one),
        &Normalized,
        Extent::Below(0.3),
        &SpectrumOptions::default(),
    )
    .values();
    let g = graph(&union(&vec![one; 10]));
    for options in [SpectrumOptions::default(), sparse()] {
        let s = run(&g, &Normalized, Extent::Below(0.3), &options);
        let expected: Vec<f64> = single
            .iter()
            .flat_map(|&nu| std::iter::repeat_n(nu, 10))
            .collect();
        close(&s.values(), &expected, 1e-10);
        assert_eq!(s.values().iter().filter(|&&nu| nu == 0.0).count(), 10);
        check_pairs(&g, &Cut::Normalized, &s, 2.0);
    }
}

#[test]
fn the_threshold_is_strict() {
    // Cycle of 12: eigenvalues 1 − cos(π t / 6), of which 0.5 (twice) and 1 (twice) are exact.
    let g = graph(&cycle(12));
    for options in [SpectrumOptions::default(), sparse()] {
        for (beta, count) in [
            (-1.0, 0),
            (0.0, 0),
            (0.5, 3),
            (0.5 + 1e-6, 5),
            (1.0, 5),
            (2.0, 11),
            (2.1, 12),
            (100.0, 12),
        ] {
            let s = run(&g, &Normalized, Extent::Below(beta), &options);
            assert_eq!(
                (s.count(), s.check.complete),
                (count, true),
                "below {beta}: {:?}",
                s.check
            );
        }
    }
    assert!(
        spectrum(
            &g,
            &Cut::Normalized,
            Extent::Below(f64::NAN),
            &sparse(),
            &Silent
        )
        .is_err()
    );
}

#[test]
fn isolated_vertices_and_graphs_without_edges_are_left_out() {
    let g: Csr<Unit> = Csr::from_edges(9, &[(3, 7, 1.0), (5, 5, 1.0)]).unwrap();
    let s = run(
        &g,
        &Normalized,
        Extent::Below(3.0),
        &SpectrumOptions::default(),
    );
    close(&s.values(), &[0.0, 0.0, 2.0], 1e-14);
    assert_eq!(s.parts[0].vertices, [3, 7]);
    let empty: Csr<Unit> = Csr::from_edges(4, &[]).unwrap();
    for extent in [Extent::Below(1.0), Extent::Smallest(3)] {
        let s = run(&empty, &Ratio, extent, &SpectrumOptions::default());
        assert!(s.parts.is_empty() && s.check.found == 0);
    }
}

/// The vectors of `s` span what the dense eigenvectors below β span, however equal eigenvalues were
/// rotated among themselves: `‖Xᵀ Y‖_F² = k` for orthonormal `X` and `Y` of k columns.
fn same_subspace<W: Weight>(g: &Csr<W>, masses: &Cut, beta: f64, s: &Spectrum) {
    let operator = Laplacian::new(g, masses);
    let n = operator.order();
    let dense = eigen(operator.dense(), n, Range::All).unwrap();
    let k = dense.values.iter().filter(|&&nu| nu < beta).count();
    assert_eq!(s.count(), k);
    let columns = s.columns();
    let mut products = vec![0.0; k * k];
    for i in 0..n {
        let mut row = vec![0.0; k];
        s.row(&columns, operator.vertex(i) as usize, &mut row);
        for t in 0..k {
            (0..k).for_each(|u| products[t * k + u] += dense.vectors[t * n + i] * row[u]);
        }
    }
    let overlap: f64 = products.iter().map(|x| x * x).sum();
    assert!(
        (overlap - k as f64).abs() < 1e-9 * (1.0 + k as f64),
        "{overlap} of {k}"
    );
}

/// Sparse weighted graphs with loops, isolated vertices and one component of more than 150
/// vertices.
fn larger_graphs() -> impl Strategy<Value = Csr<f64>> {
    let edge = (0u32..260, 0u32..260, 1u32..40);
    proptest::collection::vec(edge, 300..500).prop_map(|edges| {
        let chain = path(150).into_iter().chain(
            edges
                .into_iter()
                .map(|(i, j, w)| (i, j, f64::from(w) / 8.0)),
        );
        Csr::from_edges(260, &chain.collect::<Vec<_>>()).unwrap()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn sparse_is_dense(g in graphs(60), kind in 0..3usize, part in 0.05..0.95f64) {
        let given: Arc<[f64]> = (0..g.vertices()).map(|i| 0.5 + (i % 7) as f64).collect();
        let masses = [Cut::Normalized, Cut::Ratio, Cut::Masses(given)][kind].clone();
        let all = reference(&g, &masses, f64::INFINITY);
        let top = all.last().copied().unwrap_or(1.0);
        let beta = part * top;
        prop_assume!(beta > 1e-3 && all.iter().all(|nu| (nu - beta).abs() > 1e-6 * top));
        let wanted = reference(&g, &masses, beta);
        for options in [SpectrumOptions::default(), sparse()] {
            let s = spectrum(&g, &masses, Extent::Below(beta), &options, &Silent).unwrap();
            close(&s.values(), &wanted, 1e-8 * top.max(1.0));
            check_pairs(&g, &masses, &s, top);
        }
    }

    /// However the threshold lies to an eigenvalue, a count errs by those within its margin alone.
    #[test]
    fn inertia_is_honest_next_to_an_eigenvalue(g in graphs(40), which in any::<prop::sample::Index>(), power in 3..15i32, up in any::<bool>()) {
        prop_assume!(g.edges() > 0);
        let operator = Laplacian::new(&g, &Cut::Normalized);
        let all = reference(&g, &Cut::Normalized, 3.0);
        let shift = which.get(&all) + if up { 1.0 } else { -1.0 } * 10.0f64.powi(-power);
        if let Some(found) = FactorPlan::new(&operator).unwrap().count_below(shift, 1e-12) {
            // The dense eigenvalues are themselves only known to rounding.
            let count = |x: f64| all.iter().filter(|&&nu| nu < x).count();
            prop_assert!(count(found.shift - found.margin - 4e-14) <= found.below, "{found:?}");
            prop_assert!(found.below <= count(found.shift + found.margin + 4e-14), "{found:?}");
        }
    }

    /// Large enough for Lanczos itself, with small components beside the large one.
    #[test]
    fn lanczos_is_dense(g in larger_graphs(), kind in 0..2usize, part in 0.02..0.35f64, power in 2..7i32) {
        let masses = [Cut::Normalized, Cut::Ratio][kind].clone();
        let all = reference(&g, &masses, f64::INFINITY);
        let top = all[all.len() - 1];
        // A threshold anywhere, or so close above an eigenvalue that it is hard to find.
        let last = all.iter().copied().filter(|&nu| nu < part * top).fold(0.0, f64::max);
        let beta = if power == 2 { part * top } else { last + 2.0 * top * 10f64.powi(-power) };
        prop_assume!(all.iter().all(|nu| (nu - beta).abs() > 1e-6 * top));
        let wanted = reference(&g, &masses, beta);
        for options in [sparse(), SpectrumOptions { factor_flops: 0.0, ..sparse() }] {
            let s = spectrum(&g, &masses, Extent::Below(beta), &options, &Silent).unwrap();
            close(&s.values(), &wanted, 1e-8 * top.max(1.0));
            check_pairs(&g, &masses, &s, top);
            if all.iter().all(|nu| (nu - beta).abs() > 1e-3 * top) {
                same_subspace(&g, &masses, beta, &s);
            }
        }
    }

    #[test]
    fn inertia_counts(g in graphs(40), beta in 0.01..2.0f64) {
        prop_assume!(g.edges() > 0);
        let operator = Laplacian::new(&g, &Cut::Normalized);
        let all = reference(&g, &Cut::Normalized, 3.0);
        prop_assume!(all.iter().all(|nu| (nu - beta).abs() > 1e-6));
        let found = FactorPlan::new(&operator).unwrap().count_below(beta, 1e-9).unwrap();
        prop_assert_eq!(found.below, all.iter().filter(|&&nu| nu < beta).count());
    }

    #[test]
    fn the_operator_is_its_matrix(g in graphs(40), b in 1..10usize) {
        let operator = Laplacian::new(&g, &Cut::Normalized);
        let n = operator.order();
        let x: Vec<f64> = (0..n * b).map(|at| ((at * 37 % 101) as f64 - 50.0) / 50.0).collect();
        let mut y = vec![0.0; n * b];
        operator.apply(b, &x, &mut y);
        let matrix = operator.dense();
        for i in 0..n {
            for t in 0..b {
                let direct: f64 = (0..n).map(|j| matrix[i * n + j] * x[j * b + t]).sum();
                prop_assert!((direct - y[i * b + t]).abs() < 1e-12);
            }
        }
        // The recurrence, which works in scaled variables, is its updates one by one.
        let step = |alpha: f64, gamma: f64, delta: f64| Affine { alpha, gamma, delta };
        let (first, next) = (step(-0.5, 0.75, 0.0), step(-1.0, 1.5, -1.0));
        let (mut before, mut now) = (x.clone(), vec![0.0; n * b]);
        operator.update(b, &before, &mut now, first);
        for _ in 1..4 {
            operator.update(b, &now, &mut before, next);
            std::mem::swap(&mut before, &mut now);
        }
        let (mut recurred, mut room) = (x.clone(), vec![0.0; n * b]);
        operator.recur(b, &mut recurred, &mut room, 4, [first, next]);
        prop_assert!(recurred.iter().zip(&now).all(|(a, b)| (a - b).abs() < 1e-11));
        let top = eigen(matrix, n, Range::All).unwrap().values.last().copied().unwrap_or(0.0);
        prop_assert!(top <= operator.upper_bound() + 1e-12);
    }

    /// Lemma 5.1 in terms of β: `F = tr Yᵀ(N − βI)Y` for the normalized indicators Y of any
    /// partition.
    #[test]
    fn the_objective_is_a_trace(g in graphs(30), raw in proptest::collection::vec(any::<u32>(), 30), beta in 0.0..2.0f64) {
        let (labels, k) = labels_of(&g, &raw);
        for masses in [Cut::Normalized, Cut::Ratio] {
            let sums = Sums::of(&g, &masses, &labels, k);
            let operator = Laplacian::new(&g, &masses);
            let n = operator.order();
            let mut trace = 0.0;
            for c in 0..k {
                let y: Vec<f64> = (0..n)
                    .map(|i| if labels[operator.vertex(i) as usize] as usize == c { 1.0 / (operator.scale()[i] * sums.mass[c].sqrt()) } else { 0.0 })
                    .collect();
                let mut image = vec![0.0; n];
                operator.apply(1, &y, &mut image);
                trace += y.iter().zip(&image).map(|(a, b)| a * (b - beta * a)).sum::<f64>();
            }
            prop_assert!((trace - sums.value(beta)).abs() < 1e-9 * (1.0 + trace.abs()));
        }
    }

    /// No partition beats the certificate, and the relaxed optimum is attained by the eigenvectors.
    #[test]
    fn the_certificate_bounds_every_partition(g in graphs(9), beta in 0.05..1.5f64) {
        prop_assume!(g.edges() > 0);
        for masses in [Cut::Normalized, Cut::Ratio] {
            let s = spectrum(&g, &masses, Extent::Below(beta), &SpectrumOptions::default(), &Silent).unwrap();
            let certificate = s.certificate(beta).unwrap();
            let exact: f64 = reference(&g, &masses, beta).iter().map(|nu| nu - beta).sum();
            prop_assert!((certificate.bound - exact).abs() < 1e-9 * (1.0 + exact.abs()) && certificate.proved);
            let best = brute_force(&g, &masses, beta);
            prop_assert!(certificate.gap(best) >= -1e-9 * (1.0 + best.abs()), "F = {best} below {}", certificate.bound);
        }
    }
}

/// The smallest F over all partitions of the vertices with an edge, by restricted growth strings.
fn brute_force(g: &Csr<f64>, masses: &Cut, beta: f64) -> f64 {
    let present: Vec<usize> = (0..g.vertices()).filter(|&i| g.degree(i) > 0.0).collect();
    let mut labels = vec![lambdacut::ids::NONE; g.vertices()];
    fn extend(
        g: &Csr<f64>,
        masses: &Cut,
        beta: f64,
        present: &[usize],
        at: usize,
        k: u32,
        labels: &mut Vec<u32>,
    ) -> f64 {
        let Some(&i) = present.get(at) else {
            return Sums::of(g, masses, labels, k as usize).value(beta);
        };
        let mut best = f64::INFINITY;
        for c in 0..=k {
            labels[i] = c;
            best = best.min(extend(
                g,
                masses,
                beta,
                present,
                at + 1,
                k.max(c + 1),
                labels,
            ));
        }
        best
    }
    extend(g, masses, beta, &present, 0, 0, &mut labels)
}

/// Theorem 5.2: the relaxed DP-means optimum is the sum of the excesses over λ, and no orthonormal
/// matrix does better.
#[test]
fn kernels_are_cut_above_lambda() {
    let n = 30;
    let points: Vec<[f64; 3]> = (0..n)
        .map(|i| {
            [
                (i * 7 % 11) as f64,
                (i * 5 % 13) as f64,
                (i % 3) as f64 * 4.0,
            ]
        })
        .collect();
    let dot = |a: &[f64; 3], b: &[f64; 3]| a.iter().zip(b).map(|(x, y)| x * y).sum::<f64>();
    let kernel: Vec<f64> = points
        .iter()
        .flat_map(|a| points.iter().map(move |b| dot(a, b)))
        .collect();
    let all = eigen(kernel.clone(), n, Range::All).unwrap().values;
    for lambda in [0.5, 100.0, 1e5] {
        let pairs = kernel_eigen(kernel.clone(), n, lambda).unwrap();
        let relaxed: f64 = pairs.values.iter().map(|kappa| kappa - lambda).sum();
        let expected: f64 = all.iter().map(|kappa| (kappa - lambda).max(0.0)).sum();
        assert!((relaxed - expected).abs() < 1e-9 * (1.0 + expected));
        assert!(pairs.values.iter().all(|&kappa| kappa > lambda));
    }
    // A clustering's J + λk is tr K − tr Yᵀ(K − λI)Y, hence at least tr K − relaxed.
    let lambda = 100.0;
    let relaxed: f64 = kernel_eigen(kernel, n, lambda)
        .unwrap()
        .values
        .iter()
        .map(|kappa| kappa - lambda)
        .sum();
    let trace: f64 = all.iter().sum();
    for clusters in 1..5usize {
        let (mut j, mut k) = (0.0, 0.0);
        for c in 0..clusters {
            let own: Vec<&[f64; 3]> = points
                .iter()
                .enumerate()
                .filter(|(i, _)| i % clusters == c)
                .map(|(_, p)| p)
                .collect();
            let mean: [f64; 3] =
                std::array::from_fn(|t| own.iter().map(|p| p[t]).sum::<f64>() / own.len() as f64);
            j += own
                .iter()
                .map(|p| (0..3).map(|t| (p[t] - mean[t]).powi(2)).sum::<f64>())
                .sum::<f64>();
            k += lambda;
        }
        assert!(j + k >= trace - relaxed - 1e-9);
    }
    assert!(kernel_eigen(vec![1.0; 3], 2, 0.0).is_err());
    assert!(kernel_eigen(vec![1.0, f64::NAN, 0.0, 1.0], 2, 0.0).is_err());
}

/// Without pivoting a small pivot makes large factors; the margin has to know.
#[test]
fn growth_enlarges_the_margin() {
    let star = graph(&bipartite(1, 30));
    let plan = FactorPlan::new(&Laplacian::new(&star, &Cut::Normalized)).unwrap();
    let calm = plan.count_below(0.5, 1e-9).unwrap();
    assert!(calm.margin < 1e-13 && calm.below == 1, "{calm:?}");
    // All of the diagonal is 1: every pivot of a leaf is 1e-7, and the last one about 1e7.
    let wild = plan.count_below(1.0 - 1e-7, 1e-12);
    assert!(wild.is_none_or(|found| found.margin > 1e-10), "{wild:?}");
    let shifted = plan.count_below(1.0 - 1e-7, 1e-9).unwrap();
    assert!(
        shifted.below == 1 && shifted.margin > 1e-10 && shifted.margin < 1e-6,
        "{shifted:?}"
    );
}

#[test]
fn an_eigenvalue_next_to_the_threshold_does_no_harm() {
    // Cycle of 12: 0.5 is an eigenvalue twice, which counts as on the threshold up to a few
    // tolerances from it.
    let g = graph(&cycle(12));
    for options in [SpectrumOptions::default(), sparse()] {
        for distance in [-1e-5, -1e-9, 0.0, 0.5e-9, 1.5e-9, 2.5e-9, 1e-8, 1e-5] {
            let s = run(&g, &Normalized, Extent::Below(0.5 + distance), &options);
            assert!(
                s.check.complete && (s.count() == 3 || (s.count() == 5 && distance > 0.0)),
                "{distance}: {:?}",
                s.check
            );
            assert!(
                distance < 1e-5 || (s.check.proved && s.count() == 5),
                "{:?}",
                s.check
            );
        }
    }
}

#[test]
fn a_threshold_that_is_too_low_is_raised_until_there_are_enough() {
    let g = graph(&grid(40, 25));
    let operator = Laplacian::new(&g, &Cut::Normalized);
    let all = reference(&g, &Cut::Normalized, 3.0);
    for below in [0.5 * all[3], all[19], all[40]] {
        let search = Search {
            below,
            count: None,
            enough: Some(20),
            room: 20,
            tolerance: 1e-9,
            seed: 1,
        };
        let pairs = lanczos(&operator, &[operator.null_vector()], search, &Silent).unwrap();
        assert!(pairs.finished);
        close(&pairs.values, &all[..20], 1e-9);
        assert!(pairs.residuals.iter().all(|&r| r <= 1e-9));
    }
}

#[test]
fn the_smallest_k_are_the_smallest() {
    let g = graph(&union(&[grid(30, 20), path(5), complete(4)]));
    let all = reference(&g, &Cut::Normalized, 3.0);
    for options in [
        SpectrumOptions::default(),
        sparse(),
        SpectrumOptions {
            factor_flops: 0.0,
            ..SpectrumOptions::default()
        },
    ] {
        for k in [1, 3, 10, 60] {
            let s = run(&g, &Normalized, Extent::Smallest(k), &options);
            close(&s.values(), &all[..k], 1e-9);
            check_pairs(&g, &Cut::Normalized, &s, 2.0);
        }
    }
    let everything = run(
        &graph(&path(5)),
        &Normalized,
        Extent::Smallest(50),
        &SpectrumOptions::default(),
    );
    assert_eq!((everything.count(), everything.check.complete), (5, true));
}

#[test]
fn a_cap_gives_the_smallest_and_says_so() {
    let g = graph(&grid(30, 30));
    let all = reference(&g, &Cut::Normalized, 0.5);
    let options = SpectrumOptions {
        max_vectors: 20,
        ..SpectrumOptions::default()
    };
    let s = run(&g, &Normalized, Extent::Below(0.5), &options);
    close(&s.values(), &all[..20], 1e-9);
    assert!(!s.check.complete && s.check.found == 20 && s.check.expected == all.len() as f64);
    // The bound from a part of the spectrum is valid and weaker.
    let whole = run(
        &g,
        &Normalized,
        Extent::Below(0.5),
        &SpectrumOptions::default(),
    );
    let (weak, strong) = (s.certificate(0.5).unwrap(), whole.certificate(0.5).unwrap());
    assert!(weak.bound < strong.bound && weak.bound.is_finite());
    assert!(whole.certificate(0.6).is_none());
    let little = SpectrumOptions {
        max_bytes: Some(1000),
        ..SpectrumOptions::default()
    };
    assert!(spectrum(&g, &Cut::Normalized, Extent::Below(0.5), &little, &Silent).is_err());
}

#[test]
fn without_a_factorisation_the_density_checks() {
    let g = graph(&ring_of_cliques(60, 10));
    let options = SpectrumOptions {
        factor_flops: 0.0,
        ..SpectrumOptions::default()
    };
    let s = run(&g, &Normalized, Extent::Below(0.3), &options);
    assert_eq!(
        (s.count(), s.check.method, s.check.complete),
        (60, CheckMethod::SpectralDensity, true)
    );
    assert!(
        (s.check.expected - 60.0).abs() <= s.check.error_bar.max(1.0) && s.check.error_bar < 10.0,
        "{:?}",
        s.check
    );
    assert!(!s.certificate(0.3).unwrap().proved);
    check_pairs(&g, &Cut::Normalized, &s, 2.0);
}

#[test]
fn the_density_sees_what_is_missing() {
    let g = graph(&ring_of_cliques(60, 10));
    let operator = Laplacian::new(&g, &Cut::Normalized);
    let estimate = Density::new(&operator, None, 160, 2, 1, &Silent).count_below(0.3);
    assert!(
        (estimate.count - 60.0).abs() <= estimate.error,
        "{estimate:?}"
    );
    let search = Search {
        below: 0.3,
        count: Some(60),
        enough: None,
        room: 60,
        tolerance: 1e-9,
        seed: 1,
    };
    let mut pairs = lanczos(&operator, &[operator.null_vector()], search, &Silent).unwrap();
    assert!(pairs.finished);
    pairs.values.truncate(50);
    pairs.vectors.keep_first(50);
    let seen = Density::new(
        &operator,
        Some((&pairs.values, &pairs.vectors)),
        160,
        2,
        1,
        &Silent,
    )
    .count_below(0.3);
    assert!(
        (seen.count - 60.0).abs() <= seen.error && seen.count - seen.error > 50.5,
        "{seen:?}"
    );
}

#[test]
fn the_result_does_not_depend_on_threads() {
    let g = graph(&grid(40, 30));
    let on = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap();
        pool.install(|| {
            let s = run(
                &g,
                &Normalized,
                Extent::Below(0.1),
                &SpectrumOptions::default(),
            );
            (s.values(), s.parts[0].vectors.data.clone())
        })
    };
    assert_eq!(on(1), on(2));
}

#[test]
fn a_cancelled_search_returns_what_it_has() {
    let token = CancelToken::default();
    token.cancel();
    let g = graph(&grid(40, 30));
    let s = spectrum(
        &g,
        &Cut::Normalized,
        Extent::Below(0.1),
        &SpectrumOptions::default(),
        &token,
    )
    .unwrap();
    assert!(!s.check.complete && s.check.expected > 1.0);
}

#[test]
fn the_cost_is_estimated_first() {
    let g = graph(&grid(60, 50));
    let cost = spectrum_cost(&g, &Cut::Normalized, 0.1, &SpectrumOptions::default());
    let count = run(
        &g,
        &Normalized,
        Extent::Below(0.1),
        &SpectrumOptions::default(),
    )
    .count() as f64;
    assert!(
        (cost.vectors.count - count).abs() <= cost.vectors.error + 0.2 * count
            && cost.provable
            && cost.bytes > 0
    );
    assert_eq!(components(&g).count, 1);
}
