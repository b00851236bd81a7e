//! The hard Gaussian HDP.

use crate::points::{by_formula, partitions, weighted_points};
use lambdacut::cluster::dp_means;
use lambdacut::cluster::hdp::{Hdp, objective, prices_for};
use lambdacut::observe::Silent;
use lambdacut::points::{Groups, Points};
use proptest::prelude::*;
use std::collections::HashSet;

/// The objective by its formula alone.
fn hdp_by_formula(points: &Points, groups: &Groups, labels: &[u32], local: f64, global: f64) -> f64 {
    let pairs: HashSet<(usize, u32)> = (0..points.len()).map(|i| (groups.of(i), labels[i])).collect();
    by_formula(points, labels, global) + local * pairs.len() as f64
}

fn grouped(most: usize) -> impl Strategy<Value = (Points, Groups)> {
    (weighted_points(most), proptest::collection::vec(0u32..4, most)).prop_map(|(points, raw)| {
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
        let answer = Hdp::new(local, global).run(&points, &groups, &Silent).unwrap();
        let mut before = hdp_by_formula(&points, &groups, &vec![0; points.len()], local, global);
        for (pass, values) in answer.steps.iter().enumerate() {
            for (step, &value) in values.iter().enumerate() {
                prop_assert!(value <= before + 1e-9 * (1.0 + before.abs()), "pass {}, step {}: {} after {}", pass, step, value, before);
                before = value;
            }
        }
        let labels = &answer.fit.labels;
        prop_assert!(close(answer.fit.value, hdp_by_formula(&points, &groups, labels, local, global)));
        prop_assert!(close(answer.fit.value, objective(&points, &groups, labels, local, global)));
        prop_assert_eq!(labels.iter().collect::<HashSet<_>>().len(), answer.fit.clusters);
        prop_assert_eq!(answer.means.len(), answer.fit.clusters);
        for j in 0..groups.len() {
            let used: HashSet<u32> = groups.members(j).iter().map(|&i| labels[i as usize]).collect();
            prop_assert_eq!(used.len(), answer.local_clusters[j]);
        }
    }

    #[test]
    fn one_data_set_is_dp_means(points in weighted_points(30), raw in proptest::collection::vec(0u32..5, 30), local in 0.0..9.0f64, global in 0.0..9.0f64) {
        let labels = &raw[..points.len()];
        let hdp = objective(&points, &Groups::one(points.len()), labels, local, global);
        prop_assert!(close(hdp, dp_means::objective(&points, labels, local + global)));
    }

    #[test]
    fn never_below_the_optimum((points, groups) in grouped(6), local in 0.0..9.0f64, global in 0.0..30.0f64) {
        let value = |p: &Vec<u32>| hdp_by_formula(&points, &groups, p, local, global);
        let optimum = partitions(points.len()).iter().map(value).fold(f64::INFINITY, f64::min);
        let found = Hdp::new(local, global).run(&points, &groups, &Silent).unwrap().fit.value;
        prop_assert!(found >= optimum - 1e-9 * (1.0 + optimum));
    }
}

#[test]
fn extreme_prices_and_odd_inputs() {
    let points = Points::from_rows(&[[0.0], [1.0], [5.0], [0.0]]).unwrap();
    let groups = Groups::new(&[0, 0, 1, 1], 4).unwrap();
    let run = |local, global| Hdp::new(local, global).run(&points, &groups, &Silent).unwrap();
    assert_eq!(run(1e9, 1e9).fit.clusters, 1);
    let free = run(0.0, 0.0);
    assert_eq!((free.fit.clusters, free.fit.value), (3, 0.0));
    assert!(Hdp::new(-1.0, 0.0).run(&points, &groups, &Silent).is_err());
    assert!(Hdp::new(0.0, f64::NAN).run(&points, &groups, &Silent).is_err());
    assert!(Hdp::new(1.0, 1.0).run(&points, &Groups::one(3), &Silent).is_err());
    let nothing = Points::new(1, vec![]).unwrap();
    assert_eq!(Hdp::new(1.0, 1.0).run(&nothing, &Groups::one(0), &Silent).unwrap().fit.clusters, 0);
    assert_eq!(prices_for(&nothing, &Groups::one(0), 2, 2), None);
    assert!(prices_for(&points, &groups, 2, 2).is_some_and(|(l, g)| l > 0.0 && g > 0.0));
}

#[test]
fn clusters_are_shared_between_data_sets() {
    // Two data sets of the same two clumps, one of which is thin in each.
    let rows = [[0.0], [0.1], [0.2], [4.0], [0.1], [4.0], [4.1], [4.2]];
    let points = Points::from_rows(&rows).unwrap();
    let groups = Groups::new(&[0, 0, 0, 0, 1, 1, 1, 1], 8).unwrap();
    let answer = Hdp::new(0.5, 2.0).run(&points, &groups, &Silent).unwrap();
    assert_eq!((answer.fit.clusters, &answer.local_clusters[..]), (2, &[2, 2][..]));
    assert_eq!(answer.fit.labels[0], answer.fit.labels[4]);
    assert_eq!(answer.fit.labels[3], answer.fit.labels[5]);
}
