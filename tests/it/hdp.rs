//! The hard Gaussian HDP.

use crate::points::{by_formula, partitions, weighted_points};
use lambdacut::dp_means;
use lambdacut::hdp::{Hdp, Prices, objective, prices_for};
use lambdacut::kernel_dp_means::{Kernel, KernelDpMeans};
use lambdacut::points::{Groups, Points};
use nalgebra::DMatrix;
use proptest::prelude::*;
use std::collections::HashSet;

/// The objective by its formula alone.
fn hdp_by_formula(
    points: &Points,
    groups: &Groups,
    labels: &[u32],
    local: f64,
    global: f64,
) -> f64 {
    let pairs: HashSet<(usize, u32)> = (0..points.len())
        .map(|i| (groups.of(i), labels[i]))
        .collect();
    by_formula(points, labels, global) + local * pairs.len() as f64
}

fn grouped(most: usize) -> impl Strategy<Value = (Points, Groups)> {
    (
        weighted_points(most),
        proptest::collection::vec(0u32..4, most),
    )
        .prop_map(|(points, raw)| {
            let n = points.len();
            let of: Vec<u32> = raw[..n].iter().map(|j| j % n as u32).collect();
            (points, Groups::new(&of, n).expect("in range"))
        })
}

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9 * (1.0 + a.abs().max(b.abs()))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn no_step_increases_the_objective((points, groups) in grouped(50), local in 0.0..30.0f64, global in 0.0..60.0f64) {
        let answer = Hdp::new().prices(local, global).run(&points, &groups).unwrap();
        let mut before = hdp_by_formula(&points, &groups, &vec![0; points.len()], local, global);
        for (pass, values) in answer.steps.iter().enumerate() {
            for (step, &value) in values.iter().enumerate() {
                prop_assert!(value <= before + 1e-9 * (1.0 + before.abs()), "pass {}, step {}: {} after {}", pass, step, value, before);
                before = value;
            }
        }
        let labels = &answer.labels;
        prop_assert!(close(answer.value, hdp_by_formula(&points, &groups, labels, local, global)));
        let again = objective(&points, &groups, labels, Prices { local, global });
        prop_assert!(close(answer.value, again));
        prop_assert_eq!(labels.iter().collect::<HashSet<_>>().len(), answer.clusters);
        prop_assert_eq!(answer.means.len(), answer.clusters);
        for j in 0..groups.len() {
            let used: HashSet<u32> = groups.members(j).iter().map(|&i| labels[i as usize]).collect();
            prop_assert_eq!(used.len(), answer.local_clusters[j]);
        }
    }

    #[test]
    fn one_data_set_is_dp_means(points in weighted_points(30), raw in proptest::collection::vec(0u32..5, 30), local in 0.0..9.0f64, global in 0.0..9.0f64) {
        let labels = &raw[..points.len()];
        let hdp = objective(&points, &Groups::one(points.len()), labels, Prices { local, global });
        prop_assert!(close(hdp, dp_means::objective(&points, labels, local + global)));
    }

    #[test]
    fn never_below_the_optimum((points, groups) in grouped(6), local in 0.0..9.0f64, global in 0.0..30.0f64) {
        let value = |p: &Vec<u32>| hdp_by_formula(&points, &groups, p, local, global);
        let optimum = partitions(points.len()).iter().map(value).fold(f64::INFINITY, f64::min);
        let found = Hdp::new().prices(local, global).run(&points, &groups).unwrap().value;
        prop_assert!(found >= optimum - 1e-9 * (1.0 + optimum));
    }
}

#[test]
fn extreme_prices_and_odd_inputs() {
    let points = Points::from_rows(&[[0.0], [1.0], [5.0], [0.0]]).unwrap();
    let groups = Groups::new(&[0, 0, 1, 1], 4).unwrap();
    let run = |local, global| {
        Hdp::new()
            .prices(local, global)
            .run(&points, &groups)
            .unwrap()
    };
    assert_eq!(run(1e9, 1e9).clusters, 1);
    let free = run(0.0, 0.0);
    assert_eq!((free.clusters, free.value), (3, 0.0));
    assert!(Hdp::new().prices(-1.0, 0.0).run(&points, &groups).is_err());
    assert!(
        Hdp::new()
            .prices(0.0, f64::NAN)
            .run(&points, &groups)
            .is_err()
    );
    assert!(
        Hdp::new()
            .prices(1.0, 1.0)
            .run(&points, &Groups::one(3))
            .is_err()
    );
    let nothing = Points::new(1, vec![]).unwrap();
    assert_eq!(
        Hdp::new()
            .prices(1.0, 1.0)
            .run(&nothing, &Groups::one(0))
            .unwrap()
            .clusters,
        0
    );
    assert_eq!(prices_for(&nothing, &Groups::one(0), 2, 2), None);
    assert!(prices_for(&points, &groups, 2, 2).is_some_and(|p| p.local > 0.0 && p.global > 0.0));
}

#[test]
fn clusters_are_shared_between_data_sets() {
    // Two data sets of the same two clumps, one of which is thin in each.
    let rows = [[0.0], [0.1], [0.2], [4.0], [0.1], [4.0], [4.1], [4.2]];
    let points = Points::from_rows(&rows).unwrap();
    let groups = Groups::new(&[0, 0, 0, 0, 1, 1, 1, 1], 8).unwrap();
    let answer = Hdp::new().prices(0.5, 2.0).run(&points, &groups).unwrap();
    assert_eq!(
        (answer.clusters, &answer.local_clusters[..]),
        (2, &[2, 2][..])
    );
    assert_eq!(answer.labels[0], answer.labels[4]);
    assert_eq!(answer.labels[3], answer.labels[5]);
}

/// The linear kernel `x·y` of points, with their weights.
fn linear_kernel(points: &Points) -> Kernel {
    let x = DMatrix::from_row_slice(points.len(), points.dimension(), points.values());
    Kernel::dense(
        &x * x.transpose(),
        Some((0..points.len()).map(|i| points.weight(i)).collect()),
    )
    .expect("symmetric")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// In general position (no ties), the kernel forms with the linear kernel give the labels of
    /// the point forms.
    #[test]
    fn linear_kernel_is_the_point_form(
        n in 2usize..40, seed in any::<u64>(), lambda in 0.05..2.0f64, local in 0.05..0.5f64,
    ) {
        let mut bits = seed | 1;
        let mut next = || {
            bits ^= bits << 13;
            bits ^= bits >> 7;
            bits ^= bits << 17;
            (bits >> 11) as f64 / (1u64 << 53) as f64
        };
        let values: Vec<f64> = (0..2 * n).map(|_| 2.0 * next() - 1.0).collect();
        let weights: Vec<f64> = (0..n).map(|_| 0.5 + next()).collect();
        let groups: Vec<u32> = (0..n as u32).map(|i| i % 3 % n as u32).collect();
        let points = Points::new(2, values).unwrap().with_weights(weights).unwrap();
        let (groups, kernel) = (Groups::new(&groups, n).unwrap(), linear_kernel(&points));

        let by_points = dp_means::DpMeans::new().lambda(lambda).run(&points).unwrap();
        let by_kernel = KernelDpMeans::new().lambda(lambda).run_kernel(&kernel).unwrap();
        prop_assert_eq!(&by_points.labels, &by_kernel.labels);
        prop_assert!(close(by_points.value, by_kernel.value));

        let by_points = Hdp::new().prices(local, lambda).run(&points, &groups).unwrap();
        let by_kernel = Hdp::new().prices(local, lambda).run(&kernel, &groups).unwrap();
        prop_assert_eq!(&by_points.labels, &by_kernel.labels);
        prop_assert!(close(by_points.value, by_kernel.value));
        prop_assert_eq!(by_points.local_clusters, by_kernel.local_clusters);
    }

    #[test]
    fn no_step_increases_the_objective_in_kernel_space((points, groups) in grouped(25), local in 0.0..1.0f64, global in 0.0..1.0f64) {
        // A Gaussian kernel, and a sparse one: the same with small entries left out would not be
        // positive semi-definite, so the sparse one is the dense one stored sparsely.
        let n = points.len();
        let value = |i: usize, j: usize| (-0.05 * lambdacut::points::squared_distance(points.row(i), points.row(j))).exp();
        let dense = DMatrix::from_fn(n, n, value);
        let mut sparse = sprs::TriMat::new((n, n));
        (0..n * n).for_each(|at| sparse.add_triplet(at / n, at % n, dense[(at / n, at % n)]));
        let sparse = sparse.to_csr();
        let weights: Vec<f64> = (0..n).map(|i| points.weight(i)).collect();
        let mut values = Vec::new();
        for kernel in [Kernel::dense(dense, Some(weights.clone())).unwrap(), Kernel::sparse(sparse, Some(weights)).unwrap()] {
            let answer = Hdp::new().prices(local, global).run(&kernel, &groups).unwrap();
            let steps: Vec<f64> = answer.steps.iter().flatten().copied().collect();
            for pair in steps.windows(2) {
                prop_assert!(pair[1] <= pair[0] + 1e-9 * (1.0 + pair[0].abs()), "{} after {}", pair[1], pair[0]);
            }
            values.push(answer.value);
        }
        prop_assert!(close(values[0], values[1]));
    }
}

#[test]
fn restarts_keep_the_best_and_are_repeatable() {
    let wave = |i: usize| ((i * 7) as f64).sin() * 10.0;
    let points = Points::new(2, (0..400).map(wave).collect()).unwrap();
    let groups = Groups::new(&(0..200).map(|i| i % 8).collect::<Vec<u32>>(), 200).unwrap();
    let run = |runs, seed| {
        Hdp::new()
            .prices(4.0, 30.0)
            .runs(runs)
            .seed(seed)
            .run(&points, &groups)
            .unwrap()
    };
    let (one, many) = (run(1, 1), run(12, 1));
    assert!(
        many.value <= one.value,
        "{} of twelve, {} of one",
        many.value,
        one.value
    );
    assert_eq!(many.labels, run(12, 1).labels);
    assert_eq!(
        one.labels,
        run(1, 9).labels,
        "the first run visits the points as they are numbered"
    );
    assert!(close(
        many.value,
        hdp_by_formula(&points, &groups, &many.labels, 4.0, 30.0)
    ));
    // No point is far enough from the mean of all: only another start finds the two clusters.
    let pair = Points::from_rows(&[[0.0], [2.0], [0.0], [2.0]]).unwrap();
    let two = Groups::new(&[0, 0, 1, 1], 4).unwrap();
    let clusters = |runs| {
        Hdp::new()
            .prices(0.1, 1.5)
            .runs(runs)
            .run(&pair, &two)
            .unwrap()
            .clusters
    };
    assert_eq!((clusters(1), clusters(2)), (1, 2));
    assert!(
        Hdp::new()
            .prices(1.0, 1.0)
            .runs(0)
            .run(&points, &groups)
            .is_err()
    );
}

#[test]
fn the_optimum_is_reached_on_most_small_sets() {
    let mut reached = 0;
    for seed in 0..40u64 {
        let value = |i: u64| ((seed * 7919 + i * 104_729) % 1009) as f64 / 100.0;
        let points = Points::new(2, (0..14).map(value).collect()).unwrap();
        let groups = Groups::new(&[0, 0, 0, 0, 1, 1, 1], 7).unwrap();
        let Prices { local, global } = prices_for(&points, &groups, 2, 3).unwrap();
        let of = |p: &Vec<u32>| hdp_by_formula(&points, &groups, p, local, global);
        let optimum = partitions(7).iter().map(of).fold(f64::INFINITY, f64::min);
        let found = Hdp::new()
            .prices(local, global)
            .runs(20)
            .run(&points, &groups)
            .unwrap()
            .value;
        assert!(found >= optimum - 1e-9);
        reached += usize::from(close(found, optimum));
    }
    assert!(
        reached >= 20,
        "the optimum was reached on {reached} of 40 sets"
    );
}
