//! k-means and the Gibbs sampler.

use crate::points::{by_formula, partitions, weighted_points};
use lambdacut::baseline::k_means::KMeans;
use lambdacut::observe::Silent;
use lambdacut::points::{Points, lloyd};
use proptest::prelude::*;

/// A small set that any language can write down.
fn lattice() -> Points {
    let value = |i: usize, t: usize| ((i * i * 31 + t * t * 17 + i * t * 7) % 101) as f64 / 10.0;
    Points::new(10, (0..400).flat_map(|i| (0..10).map(move |t| value(i, t))).collect()).unwrap()
}

/// `KMeans(n_clusters=k, init=x[:k], n_init=1, tol=0, algorithm="lloyd").fit(x).inertia_` of scikit-learn 1.x on the lattice.
#[test]
fn inertia_of_scikit_learn_from_the_same_start() {
    let points = lattice();
    for (k, inertia) in [(3, 27_987.106_582_151_453), (12, 17_987.689_502_575_195), (30, 10_119.901_311_123_66)] {
        let start = points.select(&(0..k as u32).collect::<Vec<_>>());
        let found = KMeans { start: Some(start), ..KMeans::new(k) }.run(&points, &Silent).unwrap().fit.value;
        assert!((found - inertia).abs() < 1e-6, "k = {k}: {found} instead of {inertia}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn k_means_never_increases(points in weighted_points(50), k in 1usize..9, seed in 0u64..99) {
        let k = k.min(points.len());
        let answer = KMeans { seed, ..KMeans::new(k) }.run(&points, &Silent).unwrap();
        for pair in answer.fit.trace.windows(2) {
            prop_assert!(pair[1].value <= pair[0].value * (1.0 + 1e-9) + 1e-9);
        }
        let again = by_formula(&points, &answer.fit.labels, 0.0);
        prop_assert!((answer.fit.value - again).abs() <= 1e-9 * (1.0 + again));
    }

    /// The bounds skip work, not answers: a pass from the final centres changes nothing.
    #[test]
    fn lloyd_ends_where_a_fresh_search_agrees(points in weighted_points(80), k in 1usize..12) {
        let k = k.min(points.len());
        let start = points.select(&(0..k as u32).collect::<Vec<_>>());
        let end = lloyd(&points, start, &mut |_| true);
        let value = end.inertia();
        let again = lloyd(&points, end.centres().clone(), &mut |_| true);
        prop_assert!((value - again.inertia()).abs() <= 1e-9 * (1.0 + value), "{} then {}", value, again.inertia());
    }

    #[test]
    fn k_means_is_bounded_by_the_optimum(points in weighted_points(6), k in 1usize..4) {
        let k = k.min(points.len());
        let value = |p: &Vec<u32>| by_formula(&points, p, 0.0);
        let fits = |p: &&Vec<u32>| p.iter().max().is_some_and(|&c| (c as usize) < k);
        let optimum = partitions(points.len()).iter().filter(fits).map(value).fold(f64::INFINITY, f64::min);
        let found = KMeans { runs: 10, ..KMeans::new(k) }.run(&points, &Silent).unwrap().fit.value;
        prop_assert!(found >= optimum - 1e-9 * (1.0 + optimum));
    }
}

#[test]
fn odd_requests() {
    let points = Points::from_rows(&[[1.0], [1.0], [2.0]]).unwrap();
    assert!(KMeans::new(0).run(&points, &Silent).is_err());
    assert!(KMeans::new(4).run(&points, &Silent).is_err());
    assert!(KMeans { start: Some(points.select(&[0])), ..KMeans::new(2) }.run(&points, &Silent).is_err());
    // Three clusters of two distinct points: two remain, at no cost.
    let fit = KMeans { start: Some(points.clone()), ..KMeans::new(3) }.run(&points, &Silent).unwrap().fit;
    assert_eq!((fit.clusters, fit.value), (2, 0.0));
    assert_eq!(KMeans::new(3).run(&points, &Silent).unwrap().fit.value, 0.0);
}
