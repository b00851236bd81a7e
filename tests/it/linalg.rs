//! Spectra: analytic ones, sparse against dense, multiplicities, counts, thresholds, certificates.

use crate::support::{graphs, labels_of};
use lambdacut::graph::{Graph, Unit, Weight, components};
use lambdacut::linalg::{
    CheckMethod, Density, Extent, FactorPlan, Laplacian, Range, Search, Spectrum, SpectrumOptions, SymmetricOperator, eigen,
    kernel_eigen, lanczos, spectrum, spectrum_cost,
};
use lambdacut::observe::{CancelToken, Silent};
use lambdacut::params::ObjectiveKind;
use lambdacut::partition::{Masses, Sums};
use proptest::prelude::*;
use std::f64::consts::PI;
use std::sync::Arc;

type Edges = Vec<(u32, u32, f64)>;

fn path(n: u32) -> Edges {
    (1..n).map(|i| (i - 1, i, 1.0)).collect()
}

fn cycle(n: u32) -> Edges {
    (0..n).map(|i| (i, (i + 1) % n, 1.0)).collect()
}

fn complete(n: u32) -> Edges {
    (0..n).flat_map(|i| (0..i).map(move |j| (j, i, 1.0))).collect()
}

fn bipartite(a: u32, b: u32) -> Edges {
    (0..a).flat_map(|i| (0..b).map(move |j| (i, a + j, 1.0))).collect()
}

fn grid(a: u32, b: u32) -> Edges {
    let at = |x: u32, y: u32| x * b + y;
    let right = (0..a).flat_map(|x| (1..b).map(move |y| (at(x, y - 1), at(x, y), 1.0)));
    let down = (1..a).flat_map(|x| (0..b).map(move |y| (at(x - 1, y), at(x, y), 1.0)));
    right.chain(down).collect()
}

/// `count` cliques of `size`, neighbours joined by one edge between their first and last vertices.
fn ring_of_cliques(count: u32, size: u32) -> Edges {
    let inside = (0..count).flat_map(|c| complete(size).into_iter().map(move |(i, j, w)| (c * size + i, c * size + j, w)));
    inside.chain((0..count).map(|c| (c * size + size - 1, (c + 1) % count * size, 1.0))).collect()
}

fn graph(edges: &[(u32, u32, f64)]) -> Graph<Unit> {
    let n = edges.iter().map(|e| e.0.max(e.1) + 1).max().unwrap_or(0);
    Graph::from_edges(n as usize, edges).unwrap()
}

/// The disjoint union.
fn union(parts: &[Edges]) -> Edges {
    let mut all = Vec::new();
    for part in parts {
        let shift = all.iter().map(|e: &(u32, u32, f64)| e.0.max(e.1) + 1).max().unwrap_or(0);
        all.extend(part.iter().map(|&(i, j, w)| (i + shift, j + shift, w)));
    }
    all
}

/// Options that send everything but the tiniest components through Lanczos.
fn sparse() -> SpectrumOptions {
    SpectrumOptions { dense_limit: 1, ..SpectrumOptions::default() }
}

fn run<W: Weight>(g: &Graph<W>, kind: ObjectiveKind, extent: Extent, options: &SpectrumOptions) -> Spectrum {
    spectrum(g, &Masses::of(kind), extent, options, &Silent).unwrap()
}

fn close(found: &[f64], expected: &[f64], within: f64) {
    assert_eq!(found.len(), expected.len(), "{found:?} is not {expected:?}");
    for (a, b) in found.iter().zip(expected) {
        assert!((a - b).abs() <= within, "{found:?} is not {expected:?}");
    }
}

/// Residuals, orthonormality and the count of every part of a spectrum.
fn check_pairs<W: Weight>(g: &Graph<W>, masses: &Masses, s: &Spectrum, scale: f64) {
    for part in &s.parts {
        let operator = Laplacian::on(g, masses, part.vertices.clone());
        let (n, k) = (part.vertices.len(), part.values.len());
        let x = &part.vectors.data;
        let mut y = vec![0.0; n * k];
        operator.apply(k, x, &mut y);
        for t in 0..k {
            let residual: f64 = (0..n).map(|i| (y[i * k + t] - part.values[t] * x[i * k + t]).powi(2)).sum::<f64>().sqrt();
            assert!(residual <= 1e-8 * scale.max(1.0), "residual {residual}");
            for u in 0..=t {
                let dot: f64 = (0..n).map(|i| x[i * k + t] * x[i * k + u]).sum();
                assert!((dot - f64::from(u8::from(t == u))).abs() < 1e-9, "({t}, {u}) have the product {dot}");
            }
        }
    }
    assert!(s.check.complete, "{:?}", s.check);
    assert_eq!(s.check.found, s.count());
}

/// Both solvers give exactly the analytic eigenvalues below every β of a grid that is never closer than 1e-6 to one of them.
fn check_analytic(edges: &[(u32, u32, f64)], kind: ObjectiveKind, mut analytic: Vec<f64>) {
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
            check_pairs(&g, &Masses::of(kind), &s, top);
            assert_eq!(s.check.method, CheckMethod::Inertia);
        }
    }
}

use ObjectiveKind::{NormalizedCut, RatioCut};

#[test]
fn paths() {
    for n in [2u32, 3, 7, 400] {
        let k = |t: u32| PI * f64::from(t);
        check_analytic(&path(n), NormalizedCut, (0..n).map(|t| 1.0 - (k(t) / f64::from(n - 1)).cos()).collect());
        check_analytic(&path(n), RatioCut, (0..n).map(|t| 2.0 - 2.0 * (k(t) / f64::from(n)).cos()).collect());
    }
}

#[test]
fn cycles_have_pairs_of_equal_eigenvalues() {
    for n in [3u32, 8, 401] {
        let value = |t: u32| 1.0 - (2.0 * PI * f64::from(t) / f64::from(n)).cos();
        check_analytic(&cycle(n), NormalizedCut, (0..n).map(value).collect());
        check_analytic(&cycle(n), RatioCut, (0..n).map(|t| 2.0 * value(t)).collect());
    }
}

#[test]
fn complete_graphs_have_one_eigenvalue_many_times() {
    for n in [2u32, 5, 40] {
        let times = |value: f64| std::iter::once(0.0).chain((1..n).map(|_| value)).collect::<Vec<_>>();
        check_analytic(&complete(n), NormalizedCut, times(f64::from(n) / f64::from(n - 1)));
        check_analytic(&complete(n), RatioCut, times(f64::from(n)));
    }
}

#[test]
fn complete_bipartite_graphs_and_stars() {
    for (a, b) in [(1u32, 1u32), (1, 300), (3, 4), (20, 31)] {
        let times = |value: f64, times: u32| (0..times).map(move |_| value);
        let normalized = [0.0, 2.0].into_iter().chain(times(1.0, a + b - 2)).collect();
        check_analytic(&bipartite(a, b), NormalizedCut, normalized);
        let (x, y) = (f64::from(a), f64::from(b));
        let ratio = [0.0, x + y].into_iter().chain(times(y, a - 1)).chain(times(x, b - 1)).collect();
        check_analytic(&bipartite(a, b), RatioCut, ratio);
    }
}

#[test]
fn grids() {
    let one = |n: u32, t: u32| 2.0 - 2.0 * (PI * f64::from(t) / f64::from(n)).cos();
    for (a, b) in [(3u32, 5u32), (19, 23)] {
        let values = (0..a).flat_map(|s| (0..b).map(move |t| one(a, s) + one(b, t))).collect();
        check_analytic(&grid(a, b), RatioCut, values);
    }
}

#[test]
fn unions_have_the_union_of_the_spectra() {
    let edges = union(&[path(30), cycle(17), complete(6), bipartite(2, 9)]);
    let mut values: Vec<f64> = (0..30u32).map(|t| 1.0 - (PI * f64::from(t) / 29.0).cos()).collect();
    values.extend((0..17u32).map(|t| 1.0 - (2.0 * PI * f64::from(t) / 17.0).cos()));
    values.extend([0.0, 1.2, 1.2, 1.2, 1.2, 1.2, 0.0, 2.0]);
    values.extend([1.0; 9]);
    check_analytic(&edges, NormalizedCut, values);
}

#[test]
fn a_ring_of_cliques_has_one_low_eigenvalue_a_clique() {
    let g = graph(&ring_of_cliques(30, 8));
    for options in [SpectrumOptions::default(), sparse()] {
        let s = run(&g, NormalizedCut, Extent::Below(0.5), &options);
        assert_eq!(s.count(), 30);
        // Inside a pair of clique modes the ring is a cycle: eigenvalues come in pairs but for 0 and the alternating one.
        let values = s.values();
        (1..28).step_by(2).for_each(|t| assert!((values[t] - values[t + 1]).abs() < 1e-10));
        check_pairs(&g, &Masses::Degree, &s, 2.0);
    }
    let wider = run(&g, NormalizedCut, Extent::Smallest(40), &SpectrumOptions::default());
    let gap = wider.gaps().into_iter().find(|gap| gap.after == 30).unwrap();
    assert!(gap.relative > 0.5 && gap.beta() > gap.low && gap.beta() < gap.high);
}

#[test]
fn ten_equal_components_have_everything_ten_times() {
    let one = ring_of_cliques(6, 5);
    let single = run(&graph(&one), NormalizedCut, Extent::Below(0.3), &SpectrumOptions::default()).values();
    let g = graph(&union(&vec![one; 10]));
    for options in [SpectrumOptions::default(), sparse()] {
        let s = run(&g, NormalizedCut, Extent::Below(0.3), &options);
        let expected: Vec<f64> = single.iter().flat_map(|&nu| std::iter::repeat_n(nu, 10)).collect();
        close(&s.values(), &expected, 1e-10);
        assert_eq!(s.values().iter().filter(|&&nu| nu == 0.0).count(), 10);
        check_pairs(&g, &Masses::Degree, &s, 2.0);
    }
}

#[test]
fn the_threshold_is_strict() {
    // Cycle of 12: eigenvalues 1 − cos(π t / 6), of which 0.5 (twice) and 1 (twice) are exact.
    let g = graph(&cycle(12));
    for options in [SpectrumOptions::default(), sparse()] {
        for (beta, count) in [(-1.0, 0), (0.0, 0), (0.5, 3), (0.5 + 1e-6, 5), (1.0, 5), (2.0, 11), (2.1, 12), (100.0, 12)] {
            let s = run(&g, NormalizedCut, Extent::Below(beta), &options);
            assert_eq!((s.count(), s.check.complete), (count, true), "below {beta}: {:?}", s.check);
        }
    }
    assert!(spectrum(&g, &Masses::Degree, Extent::Below(f64::NAN), &sparse(), &Silent).is_err());
}

#[test]
fn isolated_vertices_and_graphs_without_edges_are_left_out() {
    let g: Graph<Unit> = Graph::from_edges(9, &[(3, 7, 1.0), (5, 5, 1.0)]).unwrap();
    let s = run(&g, NormalizedCut, Extent::Below(3.0), &SpectrumOptions::default());
    close(&s.values(), &[0.0, 0.0, 2.0], 1e-14);
    assert_eq!(s.parts[0].vertices, [3, 7]);
    let empty: Graph<Unit> = Graph::from_edges(4, &[]).unwrap();
    for extent in [Extent::Below(1.0), Extent::Smallest(3)] {
        let s = run(&empty, RatioCut, extent, &SpectrumOptions::default());
        assert!(s.parts.is_empty() && s.check.found == 0);
    }
}

/// All eigenvalues below β from the dense matrix of the whole graph, which knows nothing of components.
fn reference<W: Weight>(g: &Graph<W>, masses: &Masses, beta: f64) -> Vec<f64> {
    let operator = Laplacian::new(g, masses);
    eigen(operator.dense(), operator.order(), Range::All).unwrap().values.into_iter().filter(|&nu| nu < beta).collect()
}

/// Sparse weighted graphs with loops, isolated vertices and one component of more than 150 vertices.
fn larger_graphs() -> impl Strategy<Value = Graph<f64>> {
    let edge = (0u32..260, 0u32..260, 1u32..40);
    proptest::collection::vec(edge, 300..500).prop_map(|edges| {
        let chain = path(150).into_iter().chain(edges.into_iter().map(|(i, j, w)| (i, j, f64::from(w) / 8.0)));
        Graph::from_edges(260, &chain.collect::<Vec<_>>()).unwrap()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn sparse_is_dense(g in graphs(60), kind in 0..3usize, part in 0.05..0.95f64) {
        let given: Arc<[f64]> = (0..g.vertices()).map(|i| 0.5 + (i % 7) as f64).collect();
        let masses = [Masses::Degree, Masses::One, Masses::Given(given)][kind].clone();
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

    /// Large enough for Lanczos itself, with small components beside the large one.
    #[test]
    fn lanczos_is_dense(g in larger_graphs(), kind in 0..2usize, part in 0.02..0.35f64) {
        let masses = [Masses::Degree, Masses::One][kind].clone();
        let all = reference(&g, &masses, f64::INFINITY);
        let top = all[all.len() - 1];
        let beta = part * top;
        prop_assume!(all.iter().all(|nu| (nu - beta).abs() > 1e-6 * top));
        let wanted = reference(&g, &masses, beta);
        for options in [sparse(), SpectrumOptions { factor_flops: 0.0, ..sparse() }] {
            let s = spectrum(&g, &masses, Extent::Below(beta), &options, &Silent).unwrap();
            close(&s.values(), &wanted, 1e-8 * top.max(1.0));
            check_pairs(&g, &masses, &s, top);
        }
    }

    #[test]
    fn inertia_counts(g in graphs(40), beta in 0.01..2.0f64) {
        prop_assume!(g.edges() > 0);
        let operator = Laplacian::new(&g, &Masses::Degree);
        let all = reference(&g, &Masses::Degree, 3.0);
        prop_assume!(all.iter().all(|nu| (nu - beta).abs() > 1e-6));
        let found = FactorPlan::new(&operator).unwrap().count_below(beta, 1e-9).unwrap();
        prop_assert_eq!(found.below, all.iter().filter(|&&nu| nu < beta).count());
    }

    #[test]
    fn the_operator_is_its_matrix(g in graphs(40), b in 1..10usize) {
        let operator = Laplacian::new(&g, &Masses::Degree);
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
        let top = eigen(matrix, n, Range::All).unwrap().values.last().copied().unwrap_or(0.0);
        prop_assert!(top <= operator.upper_bound() + 1e-12);
    }

    /// Lemma 5.1 in terms of β: `F = tr Yᵀ(N − βI)Y` for the normalized indicators Y of any partition.
    #[test]
    fn the_objective_is_a_trace(g in graphs(30), raw in proptest::collection::vec(any::<u32>(), 30), beta in 0.0..2.0f64) {
        let (labels, k) = labels_of(&g, &raw);
        for masses in [Masses::Degree, Masses::One] {
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
        for masses in [Masses::Degree, Masses::One] {
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
fn brute_force(g: &Graph<f64>, masses: &Masses, beta: f64) -> f64 {
    let present: Vec<usize> = (0..g.vertices()).filter(|&i| g.degree(i) > 0.0).collect();
    let mut labels = vec![lambdacut::ids::NONE; g.vertices()];
    fn extend(g: &Graph<f64>, masses: &Masses, beta: f64, present: &[usize], at: usize, k: u32, labels: &mut Vec<u32>) -> f64 {
        let Some(&i) = present.get(at) else { return Sums::of(g, masses, labels, k as usize).value(beta) };
        let mut best = f64::INFINITY;
        for c in 0..=k {
            labels[i] = c;
            best = best.min(extend(g, masses, beta, present, at + 1, k.max(c + 1), labels));
        }
        best
    }
    extend(g, masses, beta, &present, 0, 0, &mut labels)
}

/// Theorem 5.2: the relaxed DP-means optimum is the sum of the excesses over λ, and no orthonormal matrix does better.
#[test]
fn kernels_are_cut_above_lambda() {
    let n = 30;
    let points: Vec<[f64; 3]> = (0..n).map(|i| [(i * 7 % 11) as f64, (i * 5 % 13) as f64, (i % 3) as f64 * 4.0]).collect();
    let dot = |a: &[f64; 3], b: &[f64; 3]| a.iter().zip(b).map(|(x, y)| x * y).sum::<f64>();
    let kernel: Vec<f64> = points.iter().flat_map(|a| points.iter().map(move |b| dot(a, b))).collect();
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
    let relaxed: f64 = kernel_eigen(kernel, n, lambda).unwrap().values.iter().map(|kappa| kappa - lambda).sum();
    let trace: f64 = all.iter().sum();
    for clusters in 1..5usize {
        let (mut j, mut k) = (0.0, 0.0);
        for c in 0..clusters {
            let own: Vec<&[f64; 3]> = points.iter().enumerate().filter(|(i, _)| i % clusters == c).map(|(_, p)| p).collect();
            let mean: [f64; 3] = std::array::from_fn(|t| own.iter().map(|p| p[t]).sum::<f64>() / own.len() as f64);
            j += own.iter().map(|p| (0..3).map(|t| (p[t] - mean[t]).powi(2)).sum::<f64>()).sum::<f64>();
            k += lambda;
        }
        assert!(j + k >= trace - relaxed - 1e-9);
    }
    assert!(kernel_eigen(vec![1.0; 3], 2, 0.0).is_err());
    assert!(kernel_eigen(vec![1.0, f64::NAN, 0.0, 1.0], 2, 0.0).is_err());
}

#[test]
fn the_smallest_k_are_the_smallest() {
    let g = graph(&union(&[grid(30, 20), path(5), complete(4)]));
    let all = reference(&g, &Masses::Degree, 3.0);
    for options in [SpectrumOptions::default(), sparse()] {
        for k in [1, 3, 10, 60] {
            let s = run(&g, NormalizedCut, Extent::Smallest(k), &options);
            close(&s.values(), &all[..k], 1e-9);
            check_pairs(&g, &Masses::Degree, &s, 2.0);
        }
    }
    let everything = run(&graph(&path(5)), NormalizedCut, Extent::Smallest(50), &SpectrumOptions::default());
    assert_eq!((everything.count(), everything.check.complete), (5, true));
}

#[test]
fn a_cap_gives_the_smallest_and_says_so() {
    let g = graph(&grid(30, 30));
    let all = reference(&g, &Masses::Degree, 0.5);
    let options = SpectrumOptions { max_vectors: 20, ..SpectrumOptions::default() };
    let s = run(&g, NormalizedCut, Extent::Below(0.5), &options);
    close(&s.values(), &all[..20], 1e-9);
    assert!(!s.check.complete && s.check.found == 20 && s.check.expected == all.len() as f64);
    // The bound from a part of the spectrum is valid and weaker.
    let whole = run(&g, NormalizedCut, Extent::Below(0.5), &SpectrumOptions::default());
    let (weak, strong) = (s.certificate(0.5).unwrap(), whole.certificate(0.5).unwrap());
    assert!(weak.bound < strong.bound && weak.bound.is_finite());
    assert!(whole.certificate(0.6).is_none());
    let little = SpectrumOptions { max_bytes: Some(1000), ..SpectrumOptions::default() };
    assert!(spectrum(&g, &Masses::Degree, Extent::Below(0.5), &little, &Silent).is_err());
}

#[test]
fn without_a_factorisation_the_density_checks() {
    let g = graph(&ring_of_cliques(60, 10));
    let options = SpectrumOptions { factor_flops: 0.0, ..SpectrumOptions::default() };
    let s = run(&g, NormalizedCut, Extent::Below(0.3), &options);
    assert_eq!((s.count(), s.check.method, s.check.complete), (60, CheckMethod::SpectralDensity, true));
    assert!((s.check.expected - 60.0).abs() <= s.check.error_bar.max(1.0) && s.check.error_bar < 10.0, "{:?}", s.check);
    assert!(!s.certificate(0.3).unwrap().proved);
    check_pairs(&g, &Masses::Degree, &s, 2.0);
}

#[test]
fn the_density_sees_what_is_missing() {
    let g = graph(&ring_of_cliques(60, 10));
    let operator = Laplacian::new(&g, &Masses::Degree);
    let estimate = Density::new(&operator, None, 160, 2, 1).count_below(0.3);
    assert!((estimate.count - 60.0).abs() <= estimate.error, "{estimate:?}");
    let search = Search { below: 0.3, count: Some(60), room: 60, tolerance: 1e-9, seed: 1 };
    let mut pairs = lanczos(&operator, &[operator.null_vector()], search, &Silent).unwrap();
    assert!(pairs.finished);
    pairs.values.truncate(50);
    pairs.vectors.keep_first(50);
    let seen = Density::new(&operator, Some((&pairs.values, &pairs.vectors)), 160, 2, 1).count_below(0.3);
    assert!((seen.count - 60.0).abs() <= seen.error && seen.count - seen.error > 50.5, "{seen:?}");
}

#[test]
fn the_result_does_not_depend_on_threads() {
    let g = graph(&grid(40, 30));
    let on = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let s = run(&g, NormalizedCut, Extent::Below(0.1), &SpectrumOptions::default());
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
    let s = spectrum(&g, &Masses::Degree, Extent::Below(0.1), &SpectrumOptions::default(), &token).unwrap();
    assert!(!s.check.complete && s.check.expected > 1.0);
}

#[test]
fn the_cost_is_estimated_first() {
    let g = graph(&grid(60, 50));
    let cost = spectrum_cost(&g, &Masses::Degree, 0.1, &SpectrumOptions::default());
    let count = run(&g, NormalizedCut, Extent::Below(0.1), &SpectrumOptions::default()).count() as f64;
    assert!((cost.vectors.count - count).abs() <= cost.vectors.error + 0.2 * count && cost.provable && cost.bytes > 0);
    assert_eq!(components(&g).count, 1);
}
