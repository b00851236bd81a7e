//! Points, nearest centres, DP-means.

use crate::support::{data, runs_alike};
use lambdacut::dp_means::{DpMeans, Order, Start, lambda_for, objective};
use lambdacut::points::{Frame, Groups, Points, PointsError, Search, squared_distance};
use lambdacut::run::{StopReason, StopRules};
use proptest::prelude::*;

/// Up to `most` weighted points in 1 to 12 dimensions on a coarse grid, so that ties and duplicates
/// are common.
pub fn weighted_points(most: usize) -> impl Strategy<Value = Points> {
    (1..=most, 1usize..=12, any::<bool>()).prop_flat_map(|(n, d, weighted)| {
        let values = proptest::collection::vec((-8i32..=8).prop_map(|v| f64::from(v) / 2.0), n * d);
        let weights = proptest::collection::vec((1u32..20).prop_map(|w| f64::from(w) / 4.0), n);
        (values, weights).prop_map(move |(values, weights)| {
            let points = Points::new(d, values).expect("finite");
            if weighted {
                points.with_weights(weights).expect("positive")
            } else {
                points
            }
        })
    })
}

/// The objective by its formula alone.
pub fn by_formula(points: &Points, labels: &[u32], lambda: f64) -> f64 {
    let k = labels.iter().max().map_or(0, |&c| c + 1);
    let mut value = 0.0;
    for c in 0..k {
        let members: Vec<usize> = (0..points.len()).filter(|&i| labels[i] == c).collect();
        let mass: f64 = members.iter().map(|&i| points.weight(i)).sum();
        let mean: Vec<f64> = (0..points.dimension())
            .map(|t| {
                members
                    .iter()
                    .map(|&i| points.weight(i) * points.row(i)[t])
                    .sum::<f64>()
                    / mass
            })
            .collect();
        value += members
            .iter()
            .map(|&i| points.weight(i) * squared_distance(points.row(i), &mean))
            .sum::<f64>();
        value += if members.is_empty() { 0.0 } else { lambda };
    }
    value
}

/// Every partition of `n` elements as restricted growth strings.
pub fn partitions(n: usize) -> Vec<Vec<u32>> {
    let mut all = vec![vec![]];
    for _ in 0..n {
        all = all
            .into_iter()
            .flat_map(|p: Vec<u32>| {
                let next = p.iter().max().map_or(0, |&c| c + 1);
                (0..=next).map(move |c| p.iter().copied().chain([c]).collect())
            })
            .collect();
    }
    all
}

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9 * (1.0 + a.abs().max(b.abs()))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn parallel_is_the_literal_loop(points in weighted_points(60), lambda in 0.0..60.0f64, seed in 0u64..1000) {
        for (start, order) in [
            (Start::OneCluster, Order::AsNumbered),
            (Start::OneCluster, Order::Shuffled),
            (Start::Labels((0..points.len() as u32).map(|i| i % 7).map(|c| c.min(points.len() as u32 - 1)).collect()), Order::Shuffled),
            (Start::Centres(points.select(&[0])), Order::AsNumbered),
        ] {
            let method = DpMeans::new().lambda(lambda).start(start).order(order).seed(seed);
            let (a, b) = (method.run(&points).unwrap(), method.literal(&points).unwrap());
            prop_assert_eq!(&a.labels, &b.labels);
            prop_assert_eq!(&a.centres, &b.centres);
            prop_assert_eq!(runs_alike(&a), runs_alike(&b));
        }
    }

    #[test]
    fn every_pass_lowers_the_objective(points in weighted_points(60), lambda in 0.0..60.0f64) {
        let answer = DpMeans::new().lambda(lambda).run(&points).unwrap();
        let start = by_formula(&points, &vec![0; points.len()], lambda);
        let mut before = start;
        for pass in &answer.trace {
            prop_assert!(pass.value <= before + 1e-9 * (1.0 + before.abs()), "{} after {}", pass.value, before);
            before = pass.value;
        }
        prop_assert!(close(answer.value, by_formula(&points, &answer.labels, lambda)));
        prop_assert!(close(answer.value, objective(&points, &answer.labels, lambda)));
        prop_assert_eq!(answer.labels.iter().max().map_or(0, |&c| c as usize + 1), answer.clusters);
        prop_assert_eq!(answer.centres.as_ref().unwrap().len(), answer.clusters);
    }

    #[test]
    fn no_better_than_the_optimum_and_often_there(points in weighted_points(7), lambda in 0.1..60.0f64) {
        let all = partitions(points.len());
        let optimum = all.iter().map(|p| by_formula(&points, p, lambda)).fold(f64::INFINITY, f64::min);
        let found = DpMeans::new().lambda(lambda).runs(20).run(&points).unwrap().value;
        prop_assert!(found >= optimum - 1e-9 * (1.0 + optimum.abs()));
        // Started at the optimum it stays there: the optimum is a fixed point of the algorithm.
        let best = all.iter().find(|p| by_formula(&points, p, lambda) <= optimum + 1e-12 * (1.0 + optimum)).unwrap();
        let stay = DpMeans::new().lambda(lambda).start(Start::Labels(best.clone())).run(&points).unwrap();
        prop_assert!(close(stay.value, optimum));
    }

    #[test]
    fn search_agrees_with_the_plain_loop(
        n in 1usize..80, k in 0usize..40, d in 1usize..40, scale in -300i32..140, offset in -1e3..1e3f64, seed in any::<u64>(),
    ) {
        let scale = f64::from(scale).exp2();
        let mut bits = seed;
        let mut next = move || {
            bits = bits.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            ((bits >> 60) as f64 / 4.0 + offset) * scale
        };
        let points = Points::new(d, (0..n * d).map(|_| next()).collect()).unwrap();
        let centres = Points::new(d, (0..k * d).map(|_| next()).collect()).unwrap();
        let frame = Frame::of(&points);
        let rows: Vec<u32> = (0..n as u32).collect();
        let limits: Vec<u32> = rows.iter().map(|i| if k == 0 { 0 } else { i % (k as u32 + 1) }).collect();
        let search = Search::new(&centres, &frame);
        for limits in [None, Some(&limits[..])] {
            for (i, found) in search.nearest(&points, &rows, limits).iter().enumerate() {
                let limit = limits.map_or(k, |l| l[i] as usize);
                let distances: Vec<f64> = (0..limit).map(|c| squared_distance(points.row(i), centres.row(c))).collect();
                let best = distances.iter().copied().fold(f64::INFINITY, f64::min);
                prop_assert_eq!(found.distance, best);
                let first = distances.iter().position(|&x| x == best);
                prop_assert_eq!(first.map_or(u32::MAX, |c| c as u32), found.index);
                let others = distances.iter().enumerate().filter(|&(c, _)| Some(c) != first).map(|(_, x)| x.sqrt());
                prop_assert!(found.others <= others.fold(f64::INFINITY, f64::min));
            }
        }
    }
}

#[test]
fn brute_force_optimum_is_reached_on_most_small_sets() {
    let mut reached = 0;
    for seed in 0..40u64 {
        let value = |i: u64| ((seed * 7919 + i * 104_729) % 1009) as f64 / 100.0;
        let points = Points::new(2, (0..16).map(value).collect()).unwrap();
        let lambda = lambda_for(&points, 3).unwrap().max(0.5);
        let optimum = partitions(8)
            .iter()
            .map(|p| by_formula(&points, p, lambda))
            .fold(f64::INFINITY, f64::min);
        let found = DpMeans::new()
            .lambda(lambda)
            .runs(20)
            .run(&points)
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

#[test]
fn extreme_prices() {
    let points = Points::from_rows(&[[0.0, 0.0], [1.0, 0.5], [4.0, 4.0], [9.0, 1.0]]).unwrap();
    let clusters = |lambda| DpMeans::new().lambda(lambda).run(&points).unwrap().clusters;
    assert_eq!(clusters(0.0), 4);
    assert_eq!(clusters(1e-12), 4);
    assert_eq!(clusters(1e12), 1);
    for wrong in [-1.0, f64::NAN, f64::INFINITY] {
        assert!(
            matches!(
                DpMeans::new().lambda(wrong).run(&points),
                Err(PointsError::Param(_))
            ),
            "λ = {wrong}"
        );
    }
}

#[test]
fn odd_inputs() {
    assert!(matches!(
        Points::from_rows(&[[1.0], [f64::NAN]]),
        Err(PointsError::Value {
            row: 1,
            column: 0,
            ..
        })
    ));
    assert!(matches!(
        Points::from_rows(&[[1.0, f64::INFINITY]]),
        Err(PointsError::Value {
            row: 0,
            column: 1,
            ..
        })
    ));
    assert!(matches!(
        Points::new(2, vec![1e200, 0.0]),
        Err(PointsError::Value { .. })
    ));
    assert!(matches!(
        Points::new(2, vec![1.0; 3]),
        Err(PointsError::Ragged { .. })
    ));
    assert!(matches!(
        Points::new(0, vec![]),
        Err(PointsError::NoCoordinates)
    ));
    assert!(matches!(
        Points::from_rows(&[[1.0]]).unwrap().with_weights(vec![0.0]),
        Err(PointsError::Weight { .. })
    ));
    assert!(matches!(
        Groups::new(&[0, 1], 3),
        Err(PointsError::Count { .. })
    ));

    let none = DpMeans::new()
        .lambda(1.0)
        .run(&Points::new(3, vec![]).unwrap())
        .unwrap();
    assert_eq!((none.clusters, none.value, none.labels.len()), (0, 0.0, 0));
    let one = DpMeans::new()
        .lambda(1.0)
        .run(&Points::from_rows(&[[7.0, 7.0]]).unwrap())
        .unwrap();
    assert_eq!((one.clusters, one.value), (1, 1.0));
    // Equal points whose sum rounds: at λ = 0 they must settle in one cluster, not open new ones
    // for ever.
    let same = DpMeans::new()
        .lambda(0.0)
        .run(&Points::new(1, vec![0.1; 12]).unwrap())
        .unwrap();
    assert_eq!((same.clusters, same.value), (1, 0.0));
    let twice =
        Points::from_rows(&[[0.1, 0.7], [5.3, 5.1], [0.1, 0.7], [5.3, 5.1], [0.1, 0.7]]).unwrap();
    let pairs = DpMeans::new().lambda(0.0).run(&twice).unwrap();
    assert_eq!(
        (pairs.clusters, &pairs.labels[2..]),
        (2, &pairs.labels[..3])
    );
}

#[test]
fn wrong_starts_and_orders_are_refused() {
    let points = Points::from_rows(&[[0.0], [1.0]]).unwrap();
    let refused = |method: DpMeans| method.run(&points).is_err();
    assert!(refused(
        DpMeans::new().lambda(1.0).start(Start::Labels(vec![0]))
    ));
    assert!(refused(
        DpMeans::new().lambda(1.0).start(Start::Labels(vec![0, 9]))
    ));
    assert!(refused(
        DpMeans::new()
            .lambda(1.0)
            .start(Start::Centres(Points::new(2, vec![0.0; 2]).unwrap()))
    ));
    assert!(refused(
        DpMeans::new().lambda(1.0).order(Order::Given(vec![0, 0]))
    ));
    assert!(refused(DpMeans::new().lambda(1.0).runs(0)));
    assert!(!refused(
        DpMeans::new().lambda(1.0).order(Order::Given(vec![1, 0]))
    ));
}

#[test]
fn the_answer_does_not_depend_on_threads() {
    let wave = |i: usize| ((i * i) as f64 * 0.37).sin() * 10.0 + (i % 9) as f64 * 4.0;
    let points = Points::new(16, (0..16 * 3000).map(wave).collect()).unwrap();
    let method = DpMeans::new().lambda(1500.0).order(Order::Shuffled);
    let on = |threads| {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap();
        pool.install(|| method.run(&points).unwrap())
    };
    let (one, two, literal) = (on(1), on(2), method.literal(&points).unwrap());
    assert!(one.clusters > 20, "{} clusters test little", one.clusters);
    assert_eq!((&one.labels, &one.centres), (&two.labels, &two.centres));
    assert_eq!(
        (&one.labels, &one.centres),
        (&literal.labels, &literal.centres)
    );
    assert_eq!(runs_alike(&one), runs_alike(&literal));
}

#[test]
fn stop_rules_and_restarts() {
    let wave = |i: usize| ((i * 7) as f64).sin() * 10.0;
    let points = Points::new(2, (0..600).map(wave).collect()).unwrap();
    let short = DpMeans::new().lambda(9.0).stop(StopRules {
        passes: Some(2),
        ..StopRules::default()
    });
    let fit = short.run(&points).unwrap();
    assert_eq!((fit.trace.len(), fit.stop), (2, StopReason::Passes));
    let value = |runs| {
        DpMeans::new()
            .lambda(9.0)
            .runs(runs)
            .run(&points)
            .unwrap()
            .value
    };
    assert!(value(10) <= value(1));
    // No point is farther than λ from the mean of all: only another start finds the two clusters.
    let pair = Points::from_rows(&[[0.0], [0.0], [0.0], [2.0], [2.0], [2.0]]).unwrap();
    let clusters = |runs| {
        DpMeans::new()
            .lambda(1.5)
            .runs(runs)
            .run(&pair)
            .unwrap()
            .clusters
    };
    assert_eq!((clusters(1), clusters(2)), (1, 2));
}

#[test]
fn farthest_first_gives_about_k_clusters_on_iris() {
    let Some(dir) = data() else { return };
    let text = std::fs::read_to_string(dir.join("uci/iris.csv")).unwrap();
    let rows: Vec<Vec<f64>> = text
        .lines()
        .skip(1)
        .map(|l| l.split(',').take(4).map(|v| v.parse().unwrap()).collect())
        .collect();
    let points = Points::from_rows(&rows).unwrap();
    let lambda = lambda_for(&points, 3).unwrap();
    let k = DpMeans::new().lambda(lambda).run(&points).unwrap().clusters;
    assert!((2..=5).contains(&k), "{k} clusters at λ = {lambda}");
}
