//! Weighted kernel DP-means against a literal O(nk) loop, against itself on other threads and
//! orders, and against brute force.

use crate::support::{Priced, graphs, labels_of, path, priced, ring_of_cliques};
use lambdacut::cut::Cut;
use lambdacut::graph::{Csr, Unit, components};
use lambdacut::ids::NONE;
use lambdacut::kernel_dp_means::{
    Execution, Kernel, KernelClustering, KernelDpMeans, Shift, Start, VisitOrder,
    lambda_for_clusters, resolution_for_clusters, resolve_shift,
};
use lambdacut::labels::renumber;
use lambdacut::run::{CancelToken, Silent, StopReason, StopRules};
use lambdacut::search::moves::{Active, Kind, Rules, local_moves};
use lambdacut::search::state::{Level, State};
use nalgebra::{DMatrix, DVector};
use proptest::prelude::*;
use sprs::TriMat;
use std::sync::Arc;
use std::time::Duration;

/// `S = s·M − L` of a graph, and the masses.
fn similarities(graph: &Csr<f64>, objective: &Priced, shift: f64) -> (DMatrix<f64>, Vec<f64>) {
    let n = graph.vertices();
    let masses: Vec<f64> = (0..n).map(|i| objective.cut.mass(graph, i)).collect();
    let mut s = DMatrix::zeros(n, n);
    for i in 0..n {
        s[(i, i)] = shift * masses[i] - graph.degree(i);
        for (j, weight) in graph.rows().row(i) {
            s[(i, j as usize)] += weight;
        }
    }
    (s, masses)
}

/// Algorithm 1 in kernel space, word for word: every vertex against every cluster, distances
/// written out.
struct Literal {
    s: DMatrix<f64>,
    masses: Vec<f64>,
    lambda: f64,
    unit: f64,
    order: Vec<usize>,
}

impl Literal {
    fn rounded(&self, x: f64) -> f64 {
        (x / self.unit).round_ties_even() * self.unit
    }

    fn distance_less_own(&self, i: usize, members: &[usize]) -> f64 {
        let mass: f64 = members.iter().map(|&j| self.masses[j]).sum();
        let cross: f64 = members.iter().map(|&j| self.s[(i, j)]).sum();
        let inner: f64 = members
            .iter()
            .flat_map(|&a| members.iter().map(move |&b| (a, b)))
            .map(|p| self.s[p])
            .sum();
        self.masses[i] * inner / (mass * mass) - 2.0 * cross / mass
    }

    /// One pass from `labels` (dense).
    fn pass(&self, labels: &[u32], k: usize) -> (Vec<u32>, usize) {
        let members_of = |c: u32| {
            (0..labels.len())
                .filter(|&i| labels[i] == c)
                .collect::<Vec<_>>()
        };
        let mut clusters: Vec<Vec<usize>> = (0..k as u32).map(members_of).collect();
        let mut next = vec![NONE; labels.len()];
        for &i in self.order.iter().filter(|&&i| labels[i] != NONE) {
            let distances: Vec<f64> = clusters
                .iter()
                .map(|c| self.rounded(self.distance_less_own(i, c)))
                .collect();
            let least = distances.iter().copied().fold(f64::INFINITY, f64::min);
            let own = labels[i] as usize;
            let nearest = if distances[own] == least {
                own
            } else {
                distances.iter().position(|&d| d == least).unwrap()
            };
            if least > self.rounded(self.lambda - self.s[(i, i)] / self.masses[i]) {
                next[i] = clusters.len() as u32;
                clusters.push(vec![i]);
            } else {
                next[i] = nearest as u32;
            }
        }
        let used: Vec<u32> = (0..clusters.len() as u32)
            .filter(|c| next.contains(c))
            .collect();
        for c in next.iter_mut().filter(|c| **c != NONE) {
            *c = used.iter().position(|u| u == c).unwrap() as u32;
        }
        (next, used.len())
    }
}

/// The grid on which distances of this order of magnitude are compared.
fn grid_unit(scale: f64) -> f64 {
    2f64.powi(scale.abs().log2().floor() as i32 - 30)
}

fn start_params(start: Start, execution: Execution, order: VisitOrder) -> KernelDpMeans<'static> {
    KernelDpMeans {
        start,
        execution,
        order,
        refine: false,
        ..KernelDpMeans::default()
    }
}

fn shuffled(n: usize, seed: u64) -> Vec<u32> {
    let mut order: Vec<u32> = (0..n as u32).collect();
    let mut state = seed;
    for i in (1..n).rev() {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        order.swap(i, (state >> 33) as usize % (i + 1));
    }
    order
}

/// A resolution that makes vertices open clusters, or not: for ratio cut in units of the mean
/// degree.
fn scaled(graph: &Csr<f64>, which: u8, beta: f64) -> f64 {
    if which == 0 {
        beta
    } else {
        beta * (graph.volume() / graph.vertices() as f64).max(0.1)
    }
}

/// The method on a cut at a resolution.
fn at<'a>(method: &KernelDpMeans<'a>, objective: &Priced) -> KernelDpMeans<'a> {
    let method = method.clone().cut(objective.cut.clone());
    method.resolution(objective.beta).expect("positive")
}

fn run(graph: &Csr<f64>, objective: &Priced, method: &KernelDpMeans) -> KernelClustering {
    let method = at(method, objective);
    method.run_csr(graph).expect("valid parameters")
}

proptest! {
    #[test]
    fn one_pass_is_the_papers_loop(
        g in graphs(24), raw in proptest::collection::vec(any::<u32>(), 24), which in 0..3u8, beta in 0.02..1.8, seed in any::<u64>(), sigma in 0.0..2.0,
    ) {
        let objective = priced(&g, which, scaled(&g, which, beta));
        let (labels, k) = labels_of(&g, &raw);
        let order = shuffled(g.vertices(), seed);
        let once = StopRules { passes: Some(1), ..StopRules::default() };
        // Also far from positive semi-definite, where a vertex may be nearer to a cluster it is not
        // linked to than to its own.
        for shift in [Shift::Automatic, Shift::Sigma(sigma)] {
            let start = Start::Labels(Arc::from(labels.as_slice()));
            let sequential = KernelDpMeans { stop: once, shift, ..start_params(start, Execution::Sequential, VisitOrder::Given(Arc::from(order.as_slice()))) };
            let parallel = KernelDpMeans { execution: Execution::Parallel, ..sequential.clone() };
            let found = run(&g, &objective, &sequential);
            let (s, masses) = similarities(&g, &objective, found.shift);
            let unit = grid_unit(if found.shift == 0.0 { objective.beta } else { found.shift });
            let literal = Literal { s, masses, lambda: found.lambda, unit, order: order.iter().map(|&i| i as usize).collect() };
            let (expected, expected_k) = literal.pass(&labels, k);
            let before = objective.value(&g, &labels, k);
            let after = objective.value(&g, &expected, expected_k);
            if after < before - 1e-9 {
                prop_assert_eq!(&found.labels, &expected);
            } else {
                prop_assert!(found.labels == expected || found.labels == labels);
            }
            prop_assert_eq!(&run(&g, &objective, &parallel).labels, &found.labels);
        }
    }

    #[test]
    fn a_pass_never_raises_the_value_at_a_safe_shift(
        g in graphs(40), raw in proptest::collection::vec(any::<u32>(), 40), which in 0..3u8, beta in 0.02..1.8, shift in 0..2u8,
    ) {
        let objective = priced(&g, which, scaled(&g, which, beta));
        let (labels, k) = labels_of(&g, &raw);
        let shift = if shift == 0 { Shift::Automatic } else { Shift::Bound };
        let params = KernelDpMeans { shift, start: Start::Labels(Arc::from(labels.as_slice())), refine: false, ..KernelDpMeans::default() };
        let found = run(&g, &objective, &params);
        let (s, masses) = similarities(&g, &objective, found.shift);
        let unit = grid_unit(if found.shift == 0.0 { objective.beta } else { found.shift });
        let literal = Literal { s, masses, lambda: found.lambda, unit, order: (0..g.vertices()).collect() };
        // The literal loop, pass by pass, with no pass undone.
        let (mut now, mut clusters) = (labels, k);
        let mut value = objective.value(&g, &now, clusters);
        for _ in 0..50 {
            let (next, next_k) = literal.pass(&now, clusters);
            let after = objective.value(&g, &next, next_k);
            prop_assert!(after <= value + 1e-9 * value.abs().max(1.0), "{value} -> {after}");
            if next == now { break; }
            (now, clusters, value) = (next, next_k, after);
        }
        let mut last = f64::INFINITY;
        for pass in &found.trace {
            prop_assert!(pass.value <= last);
            last = pass.value;
        }
        let scratch = objective.value(&g, &found.labels, found.clusters);
        prop_assert!((found.value - scratch).abs() <= 1e-12 * scratch.abs().max(1.0));
        prop_assert!((last - scratch).abs() <= 1e-9 * scratch.abs().max(1.0));
    }
}

/// `K = s·M⁻¹ − M⁻¹LM⁻¹` restricted to the vertices with an edge, dense and sparse, with its
/// weights and those vertices.
fn graph_kernel(graph: &Csr<f64>, objective: &Priced, shift: f64) -> (Kernel, Kernel, Vec<usize>) {
    let (s, masses) = similarities(graph, objective, shift);
    let active: Vec<usize> = (0..graph.vertices())
        .filter(|&i| graph.degree(i) > 0.0)
        .collect();
    let n = active.len();
    let weights: Vec<f64> = active.iter().map(|&i| masses[i]).collect();
    let dense = DMatrix::from_fn(n, n, |a, b| {
        s[(active[a], active[b])] / (weights[a] * weights[b])
    });
    let mut triplets = TriMat::new((n, n));
    for (a, b) in (0..n)
        .flat_map(|a| (0..n).map(move |b| (a, b)))
        .filter(|&p| dense[p] != 0.0)
    {
        triplets.add_triplet(a, b, dense[(a, b)]);
    }
    let sparse = Kernel::sparse(triplets.to_csr(), Some(weights.clone())).expect("a kernel");
    (
        Kernel::dense(dense, Some(weights)).expect("a kernel"),
        sparse,
        active,
    )
}

/// Labels by first appearance, to compare partitions.
fn canonical(labels: &[u32]) -> Vec<u32> {
    let mut labels = labels.to_vec();
    renumber(&mut labels);
    labels
}

proptest! {
    #[test]
    fn graph_and_kernel_agree(
        g in graphs(24), raw in proptest::collection::vec(any::<u32>(), 24), which in 0..3u8, beta in 0.02..1.8, start in 0..4u8,
    ) {
        let objective = priced(&g, which, scaled(&g, which, beta));
        let (labels, _) = labels_of(&g, &raw);
        let seed = 7;
        let pick = |labels: Vec<u32>| match start {
            0 => Start::One,
            1 => Start::Singletons,
            _ => Start::Labels(Arc::from(labels)),
        };
        let params = KernelDpMeans { seed, ..start_params(pick(labels.clone()), Execution::Parallel, VisitOrder::Natural) };
        let found = run(&g, &objective, &params);
        let (dense, sparse, active) = graph_kernel(&g, &objective, found.shift);
        let own = |all: &[u32]| active.iter().map(|&i| all[i]).collect::<Vec<u32>>();
        for kernel in [dense, sparse] {
            for execution in [Execution::Parallel, Execution::Sequential] {
                let params = KernelDpMeans { execution, start: pick(own(&labels)), ..params.clone() };
                let twin = params.lambda(found.lambda).run_kernel(&kernel).unwrap();
                prop_assert_eq!(&twin.labels, &own(&found.labels));
                let expected = objective.cut.constant(&g, found.shift) + found.value;
                prop_assert!((twin.value - expected).abs() <= 1e-9 * expected.abs().max(1.0), "{} {expected}", twin.value);
                prop_assert_eq!(twin.trace.len(), found.trace.len());
            }
        }
    }

    #[test]
    fn signed_kernels_follow_the_papers_loop(
        points in proptest::collection::vec((-4i8..5, -4i8..5, 1u8..5), 1..20), cutoff in 0.0..3.0, lambda in 0.5..40.0, seed in any::<u64>(),
        raw in proptest::collection::vec(0..4u32, 20),
    ) {
        let n = points.len();
        let weights: Vec<f64> = points.iter().map(|p| f64::from(p.2)).collect();
        // Inner products, the small ones dropped and the diagonal raised by as much: symmetric,
        // signed, sparse, positive semi-definite.
        let product = |a: usize, b: usize| f64::from(i16::from(points[a].0) * i16::from(points[b].0) + i16::from(points[a].1) * i16::from(points[b].1));
        let kept = |a: usize, b: usize| if product(a, b).abs() > cutoff { product(a, b) } else { 0.0 };
        let slack = |a: usize| (0..n).filter(|&b| b != a).map(|b| (product(a, b) - kept(a, b)).abs()).sum::<f64>();
        let k = DMatrix::from_fn(n, n, |a, b| if a == b { product(a, a) + slack(a) + 0.25 } else { kept(a, b) });
        let mut triplets = TriMat::new((n, n));
        for (a, b) in (0..n).flat_map(|a| (0..n).map(move |b| (a, b))).filter(|&p| k[p] != 0.0) {
            triplets.add_triplet(a, b, k[(a, b)]);
        }
        let order = shuffled(n, seed);
        let mut labels = raw[..n].to_vec();
        let clusters = renumber(&mut labels);
        let once = StopRules { passes: Some(1), ..StopRules::default() };
        let params = KernelDpMeans { stop: once, order: VisitOrder::Given(Arc::from(order.as_slice())), start: Start::Labels(Arc::from(labels.as_slice())), ..KernelDpMeans::default() };
        let s = DMatrix::from_fn(n, n, |a, b| weights[a] * weights[b] * k[(a, b)]);
        let unit = grid_unit((0..n).map(|i| weights[i] * k[(i, i)]).fold(0.0, f64::max));
        let literal = Literal { s, masses: weights.clone(), lambda, unit, order: order.iter().map(|&i| i as usize).collect() };
        let expected = literal.pass(&labels, clusters).0;
        let dense = Kernel::dense(k, Some(weights.clone())).unwrap();
        let sparse = Kernel::sparse(triplets.to_csr(), Some(weights)).unwrap();
        for kernel in [&dense, &sparse] {
            for execution in [Execution::Parallel, Execution::Sequential] {
                let found = params.clone().lambda(lambda).execution(execution).run_kernel(kernel).unwrap();
                prop_assert_eq!(&found.labels, &expected);
            }
        }
    }

    #[test]
    fn relabelling_the_vertices_permutes_the_result(
        g in graphs(24), raw in proptest::collection::vec(any::<u32>(), 24), which in 0..3u8, beta in 0.02..1.8, seed in any::<u64>(),
    ) {
        let objective = priced(&g, which, scaled(&g, which, beta));
        let (labels, _) = labels_of(&g, &raw);
        let n = g.vertices();
        // Vertex i becomes new[i]; visiting new[0], new[1], … is visiting 0, 1, … in the old names.
        let new = shuffled(n, seed);
        let edges: Vec<_> = (0..n).flat_map(|i| g.rows().row(i).filter(move |&(j, _)| j as usize <= i).map(move |(j, w)| (i, j, w)).collect::<Vec<_>>())
            .map(|(i, j, w)| (new[i], new[j as usize], w)).collect();
        let renamed: Csr<f64> = Csr::from_edges(n, &edges).unwrap();
        let mut moved = vec![NONE; n];
        (0..n).for_each(|i| moved[new[i] as usize] = labels[i]);
        let shift = Shift::Bound;
        let before = KernelDpMeans { shift, ..start_params(Start::Labels(Arc::from(labels)), Execution::Parallel, VisitOrder::Natural) };
        let after = KernelDpMeans { shift, ..start_params(Start::Labels(Arc::from(moved)), Execution::Parallel, VisitOrder::Given(Arc::from(new.as_slice()))) };
        let mut masses = vec![0.0; n];
        (0..n).for_each(|i| masses[new[i] as usize] = objective.cut.mass(&g, i));
        let twin = if which < 2 { objective.clone() } else { Priced { cut: Cut::Masses(masses.into()), beta: objective.beta } };
        let (a, b) = (run(&g, &objective, &before), run(&renamed, &twin, &after));
        prop_assert_eq!(&a.labels, &(0..n).map(|i| b.labels[new[i] as usize]).collect::<Vec<_>>());
        prop_assert!((a.value - b.value).abs() <= 1e-9 * a.value.abs().max(1.0));
    }

    #[test]
    fn lambda_from_k_is_the_farthest_first_rule(g in graphs(16), which in 0..3u8, k in 1..8usize) {
        let objective = priced(&g, which, 0.5);
        let shift = resolve_shift(&g, &objective.cut, Shift::Bound, 1, &Silent).unwrap();
        let (dense, sparse, active) = graph_kernel(&g, &objective, shift);
        let n = active.len();
        if n == 0 {
            prop_assert!(lambda_for_clusters(&dense, k, &Silent).is_err());
            return Ok(());
        }
        let weights: Vec<f64> = active.iter().map(|&i| objective.cut.mass(&g, i)).collect();
        let total: f64 = weights.iter().sum();
        let mean: Vec<f64> = weights.iter().map(|w| w / total).collect();
        // Distances to points given by their coefficients in the span of the data.
        let inner = |x: &[f64], y: &[f64]| (0..n).flat_map(|a| (0..n).map(move |b| (a, b))).map(|(a, b)| x[a] * y[b] * dense.get(a, b)).sum::<f64>();
        let basis = |i: usize| (0..n).map(|a| f64::from(u8::from(a == i))).collect::<Vec<f64>>();
        let distance = |i: usize, y: &[f64]| weights[i] * (inner(&basis(i), &basis(i)) - 2.0 * inner(&basis(i), y) + inner(y, y));
        let mut set = vec![mean];
        let mut lambda = 0.0;
        for _ in 0..k {
            let to_set = |i: usize| set.iter().map(|y| distance(i, y)).fold(f64::INFINITY, f64::min);
            let farthest = (0..n).fold((0, f64::NEG_INFINITY), |best, i| if to_set(i) > best.1 + 1e-9 { (i, to_set(i)) } else { best });
            lambda = farthest.1;
            set.push(basis(farthest.0));
        }
        for kernel in [dense.clone(), sparse] {
            let found = lambda_for_clusters(&kernel, k, &Silent).unwrap();
            prop_assert!((found - lambda).abs() <= 1e-7 * lambda.abs().max(1.0), "{found} {lambda}");
        }
        match resolution_for_clusters(&g, &objective.cut, k, Shift::Bound, 1, &Silent) {
            Ok(beta) => prop_assert!((beta.get() - (shift - lambda)).abs() <= 1e-7 * shift.max(1.0)),
            Err(_) => prop_assert!(shift - lambda <= 1e-7 * shift.max(1.0)),
        }
    }
}

/// A graph with hubs, many sizes of degree, a few thousand arcs, loops, a component apart and
/// isolated vertices.
fn skewed(n: u32, edges: u32) -> Csr<f64> {
    let apart = [(0, 0, 2.0), (n - 9, n - 9, 1.0), (n - 9, n - 8, 0.5)];
    let most = n - 9;
    let pick = |e: u32, salt: u32| {
        let x = e
            .wrapping_mul(2_654_435_761)
            .wrapping_add(salt.wrapping_mul(40_503))
            .rotate_left(13)
            .wrapping_mul(2_246_822_519);
        let u = f64::from(x) / f64::from(u32::MAX);
        ((u * u * u) * f64::from(most)) as u32 % most
    };
    let list: Vec<_> = (0..edges)
        .map(|e| (pick(e, 1), pick(e, 2), f64::from(e % 7 + 1) / 4.0))
        .chain(apart)
        .collect();
    Csr::from_edges(n as usize, &list).expect("in range")
}

#[test]
fn every_number_of_threads_gives_the_labels_of_the_sequential_loop() {
    let g = skewed(1500, 6000);
    assert!(g.self_loops() > 0 && g.isolated() > 0 && components(&g).count > 1);
    let (mut opened, mut runs) = (0, 0);
    for which in 0..3 {
        for beta in [0.3, 0.9, 1.1, 1.4] {
            let objective = priced(&g, which, scaled(&g, which, beta));
            for start in [
                Start::One,
                Start::Singletons,
                Start::FarthestFirst(40),
                Start::Several,
            ] {
                for order in [
                    VisitOrder::Natural,
                    VisitOrder::Shuffled,
                    VisitOrder::ByDegree,
                ] {
                    let params = start_params(start.clone(), Execution::Sequential, order);
                    let expected = run(&g, &objective, &params);
                    runs += 1;
                    opened += usize::from(start == Start::One && expected.clusters > 1);
                    for threads in [1, 2, 4] {
                        let pool = rayon::ThreadPoolBuilder::new()
                            .num_threads(threads)
                            .build()
                            .unwrap();
                        let parallel = KernelDpMeans {
                            execution: Execution::Parallel,
                            ..params.clone()
                        };
                        let found = pool.install(|| run(&g, &objective, &parallel));
                        assert_eq!(
                            found.labels, expected.labels,
                            "{which} {beta} {start:?} on {threads} threads"
                        );
                        assert_eq!(found.value.to_bits(), expected.value.to_bits());
                    }
                }
            }
        }
    }
    assert!(
        opened > 10 && runs == 144,
        "clusters were opened in {opened} runs"
    );
}

/// The sums are carried from pass to pass by what changed; every value of the trace is that of the
/// labels at that time, from scratch.
#[test]
fn sums_carried_along_are_those_from_scratch() {
    let weighted = skewed(1500, 6000);
    let pairs = |i: usize| {
        weighted
            .rows()
            .targets(i)
            .iter()
            .map(move |&j| (i as u32, j, 1.0))
            .collect::<Vec<_>>()
    };
    let unit: Csr<Unit> =
        Csr::from_edges(1500, &(0..1500).flat_map(pairs).collect::<Vec<_>>()).unwrap();
    let (mut passes, mut few) = (0, 0);
    for which in 0..3 {
        for (beta, k) in [(0.3, 5), (0.9, 40), (1.3, 200)] {
            let objective = priced(&weighted, which, scaled(&weighted, which, beta));
            let start = Start::Labels(
                (0..1500u32)
                    .map(|i| i.wrapping_mul(2_654_435_761) >> 7)
                    .map(|x| x % k)
                    .collect(),
            );
            let shift = Shift::Sigma(if which == 0 {
                0.3
            } else {
                0.3 * weighted.volume() / 1500.0
            });
            for most in 1..12 {
                let stop = StopRules {
                    passes: Some(most),
                    ..StopRules::default()
                };
                let params = KernelDpMeans {
                    start: start.clone(),
                    shift,
                    stop,
                    refine: false,
                    ..KernelDpMeans::default()
                };
                let found = run(&weighted, &objective, &params);
                let (last, size) = (
                    found.trace[found.trace.len() - 1],
                    found.value.abs().max(1.0),
                );
                assert!(
                    (last.value - found.value).abs() <= 1e-10 * size,
                    "{which} {beta} {most}: {last:?} {}",
                    found.value
                );
                let plain = at(&params, &objective).run_csr(&unit).unwrap();
                assert!(
                    (plain.trace[plain.trace.len() - 1].value - plain.value).abs()
                        <= 1e-12 * plain.value.abs().max(1.0)
                );
                passes += 1;
                few += usize::from(last.moves > 0 && last.moves < 150);
            }
        }
    }
    assert!(
        passes == 99 && few >= 3,
        "{few} of {passes} runs ended with a pass that moved few vertices"
    );
}

#[test]
fn starts_and_orders_are_checked() {
    let g = path(4);
    let objective = priced(&g, 0, 0.5);
    let with = |start, order| {
        let method = start_params(start, Execution::Parallel, order);
        at(&method, &objective).run_csr(&g).map(|f| f.clusters)
    };
    assert!(with(Start::Labels(Arc::from([0, 1, 2])), VisitOrder::Natural).is_err());
    assert!(
        with(
            Start::Labels(Arc::from([0, 1, NONE, 2])),
            VisitOrder::Natural
        )
        .is_err()
    );
    assert!(with(Start::One, VisitOrder::Given(Arc::from([0, 1, 2]))).is_err());
    assert!(with(Start::One, VisitOrder::Given(Arc::from([0, 1, 2, 2]))).is_err());
    assert!(with(Start::One, VisitOrder::Given(Arc::from([0, 1, 2, 4]))).is_err());
    assert_eq!(
        with(
            Start::Labels(Arc::from([9, 9, 7, 7])),
            VisitOrder::Given(Arc::from([3, 1, 0, 2]))
        ),
        Ok(2)
    );
    let sigma = KernelDpMeans {
        shift: Shift::Sigma(f64::NAN),
        ..KernelDpMeans::default()
    };
    assert!(at(&sigma, &objective).run_csr(&g).is_err());
    let empty: Csr<f64> = Csr::from_edges(3, &[]).unwrap();
    let found = run(&empty, &objective, &KernelDpMeans::default());
    assert_eq!(
        (found.clusters, found.value, &found.labels),
        (0, 0.0, &vec![NONE; 3])
    );
}

#[test]
fn stop_rules_end_a_run() {
    // Two clusters on a line, the boundary far from where it belongs: it wanders for many passes.
    let x = DVector::from_fn(200, |i, _| i as f64);
    let kernel = Kernel::dense(&x * x.transpose(), None).unwrap();
    let start = Start::Labels((0..200).map(|i| u32::from(i > 3)).collect());
    let method = KernelDpMeans::new().lambda(1e9).start(start);
    let with = |stop| method.clone().stop(stop).run_kernel(&kernel).unwrap();
    let free = with(StopRules::default());
    assert!(free.trace.len() > 5 && free.stop == StopReason::NoChange);
    assert!((95..=105).contains(&free.labels.iter().filter(|&&c| c == 0).count()));
    let one = with(StopRules {
        passes: Some(1),
        ..StopRules::default()
    });
    assert_eq!(
        (one.stop, one.trace.len(), one.trace[0].moves),
        (StopReason::Passes, 1, free.trace[0].moves)
    );
    let gain = with(StopRules {
        relative_gain: Some(0.5),
        ..StopRules::default()
    });
    assert_eq!((gain.stop, gain.trace.len()), (StopReason::RelativeGain, 2));
    let timed = method.clone().time_limit(Duration::ZERO);
    let time = timed.run_kernel(&kernel).unwrap();
    assert_eq!((time.stop, time.trace.len()), (StopReason::Time, 1));
    let token = CancelToken::default();
    token.cancel();
    let cancelled = method.observer(&token).run_kernel(&kernel).unwrap();
    assert_eq!(
        (cancelled.stop, cancelled.trace.len()),
        (StopReason::Cancelled, 1)
    );
}

/// From the paper's start nothing happens below β = 1 on a graph without loops, and from singletons
/// never: see the module's documentation.
#[test]
fn the_trivial_starts_are_fixed_points() {
    let g = ring_of_cliques(6, 5);
    let plain = |start| start_params(start, Execution::Parallel, VisitOrder::Natural);
    for beta in [0.1, 0.5, 0.99] {
        let objective = priced(&g, 0, beta);
        assert_eq!(run(&g, &objective, &plain(Start::One)).clusters, 1);
        let alone = run(&g, &objective, &plain(Start::Singletons));
        assert_eq!(canonical(&alone.labels), (0..30).collect::<Vec<u32>>());
    }
    let opens = run(&g, &priced(&g, 0, 1.2), &plain(Start::One));
    assert!(opens.clusters > 1);
}

proptest! {
    #[test]
    fn refinement_lowers_the_value_to_where_no_vertex_wants_to_move(
        g in graphs(24), raw in proptest::collection::vec(any::<u32>(), 24), which in 0..3u8, beta in 0.02..1.8,
    ) {
        let objective = priced(&g, which, scaled(&g, which, beta));
        let (labels, _) = labels_of(&g, &raw);
        let start = Start::Labels(Arc::from(labels));
        let passed = run(&g, &objective, &start_params(start.clone(), Execution::Parallel, VisitOrder::Natural));
        let refined = run(&g, &objective, &KernelDpMeans { start, ..KernelDpMeans::default() });
        prop_assert!(refined.value <= passed.value + 1e-12);
        // Neither a single vertex nor another pass improves it.
        for i in (0..g.vertices()).filter(|&i| refined.labels[i] != NONE) {
            for to in 0..=refined.clusters as u32 {
                let mut moved = refined.labels.clone();
                moved[i] = to;
                let k = renumber(&mut moved);
                let linked = g.rows().row(i).any(|(j, _)| j as usize != i && refined.labels[j as usize] == to) || to == refined.clusters as u32;
                prop_assert!(!linked || objective.value(&g, &moved, k) >= refined.value - 1e-9);
            }
        }
        let again = start_params(Start::Labels(Arc::from(refined.labels.as_slice())), Execution::Parallel, VisitOrder::Natural);
        let again = run(&g, &objective, &again);
        prop_assert!(again.value >= refined.value - 1e-9);
    }

    #[test]
    fn the_claimed_change_of_local_search_is_the_recomputed_one(
        g in graphs(30), raw in proptest::collection::vec(any::<u32>(), 30), which in 0..3u8, beta in 0.02..1.8,
    ) {
        let objective = priced(&g, which, scaled(&g, which, beta));
        let (labels, k) = labels_of(&g, &raw);
        let before = objective.value(&g, &labels, k);
        let level = Level::new(&g, &objective.cut);
        let mut state = State::new(&level, labels, k);
        let mut value = before;
        // Round by round, so that every claim is checked against a partition evaluated from
        // scratch.
        for _ in 0..100 {
            let rules = Rules { beta: objective.beta, rounds: 1, kind: Kind::Any };
            let outcome = local_moves(&level, &mut state, Active::all(g.vertices()), &rules, &Silent);
            let mut now = state.labels.clone();
            let k = renumber(&mut now);
            prop_assert_eq!(k, state.clusters());
            let after = objective.value(&g, &now, k);
            prop_assert!((after - value - outcome.change).abs() <= 1e-9 * value.abs().max(1.0), "{value} {after} {}", outcome.change);
            prop_assert!(outcome.change <= 0.0);
            value = after;
            if outcome.moves == 0 { break; }
        }
    }
}
