//! k-means and the Gibbs sampler.

use crate::points::{by_formula, partitions, weighted_points};
use lambdacut::gibbs::{Gibbs, Prior};
use lambdacut::k_means::KMeans;
use lambdacut::points::{Points, lloyd};
use proptest::prelude::*;
use std::collections::HashMap;

/// A small set that any language can write down.
fn lattice() -> Points {
    let value = |i: usize, t: usize| ((i * i * 31 + t * t * 17 + i * t * 7) % 101) as f64 / 10.0;
    Points::new(
        10,
        (0..400)
            .flat_map(|i| (0..10).map(move |t| value(i, t)))
            .collect(),
    )
    .unwrap()
}

/// `KMeans(n_clusters=k, init=x[:k], n_init=1, tol=0, algorithm="lloyd").fit(x).inertia_` of
/// scikit-learn 1.x on the lattice.
#[test]
fn inertia_of_scikit_learn_from_the_same_start() {
    let points = lattice();
    for (k, inertia) in [
        (3, 27_987.106_582_151_453),
        (12, 17_987.689_502_575_195),
        (30, 10_119.901_311_123_66),
    ] {
        let start = points.select(&(0..k as u32).collect::<Vec<_>>());
        let found = KMeans::new()
            .clusters(k)
            .start(start)
            .run(&points)
            .unwrap()
            .value;
        assert!(
            (found - inertia).abs() < 1e-6,
            "k = {k}: {found} instead of {inertia}"
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn k_means_never_increases(points in weighted_points(50), k in 1usize..9, seed in 0u64..99) {
        let k = k.min(points.len());
        let answer = KMeans::new().clusters(k).seed(seed).run(&points).unwrap();
        for pair in answer.trace.windows(2) {
            prop_assert!(pair[1].value <= pair[0].value * (1.0 + 1e-9) + 1e-9);
        }
        let again = by_formula(&points, &answer.labels, 0.0);
        prop_assert!((answer.value - again).abs() <= 1e-9 * (1.0 + again));
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
        let found = KMeans::new().clusters(k).runs(10).run(&points).unwrap().value;
        prop_assert!(found >= optimum - 1e-9 * (1.0 + optimum));
    }
}

#[test]
fn odd_requests() {
    let points = Points::from_rows(&[[1.0], [1.0], [2.0]]).unwrap();
    assert!(KMeans::new().clusters(0).run(&points).is_err());
    assert!(KMeans::new().clusters(4).run(&points).is_err());
    assert!(
        KMeans::new()
            .clusters(2)
            .start(points.select(&[0]))
            .run(&points)
            .is_err()
    );
    // Three clusters of two distinct points: two remain, at no cost.
    let fit = KMeans::new()
        .clusters(3)
        .start(points.clone())
        .run(&points)
        .unwrap();
    assert_eq!((fit.clusters, fit.value), (2, 0.0));
    assert_eq!(KMeans::new().clusters(3).run(&points).unwrap().value, 0.0);
}

/// `ln p(x_c)` of one cluster in one dimension, the mean integrated out.
fn log_marginal(values: &[f64], sigma: f64, rho: f64) -> f64 {
    let (n, sum) = (values.len() as f64, values.iter().sum::<f64>());
    let squares: f64 = values.iter().map(|v| v * v).sum();
    let tau = std::f64::consts::TAU;
    -0.5 * (n * (tau * sigma).ln()
        + (n * rho / sigma).ln_1p()
        + (squares - rho * sum * sum / (sigma + n * rho)) / sigma)
}

/// The blocks of a partition.
fn blocks(partition: &[u32], values: &[f64]) -> Vec<Vec<f64>> {
    let k = partition.iter().max().map_or(0, |&c| c + 1);
    (0..k)
        .map(|c| {
            (0..values.len())
                .filter(|&i| partition[i] == c)
                .map(|i| values[i])
                .collect()
        })
        .collect()
}

/// `∫ f(v) dv` over (0, ∞) by the midpoint rule in ln v.
fn integral(f: impl Fn(f64) -> f64) -> f64 {
    let step = 0.01;
    (0..3000)
        .map(|t| (f64::from(t) * step - 15.0).exp())
        .map(|v| f(v) * v * step)
        .sum()
}

/// The posterior of every partition of `values`, by enumeration; priors as in the sampler.
fn exact_posterior(values: &[f64], alpha: Prior, sigma: Prior, rho: f64) -> Vec<(Vec<u32>, f64)> {
    let n = values.len();
    let seats = |k: usize, alpha: f64| {
        alpha.powi(k as i32) / (0..n).map(|i| alpha + i as f64).product::<f64>()
    };
    let mass = |partition: &Vec<u32>| {
        let blocks = blocks(partition, values);
        let orders: f64 = blocks
            .iter()
            .map(|b| (1..b.len()).map(|m| m as f64).product::<f64>())
            .product();
        let tables = match alpha {
            Prior::Gamma { shape, rate } => {
                integral(|a| seats(blocks.len(), a) * a.powf(shape - 1.0) * (-rate * a).exp())
            }
            Prior::Fixed(a) => seats(blocks.len(), a),
            _ => unreachable!("no other prior"),
        };
        let likelihood = |s: f64| {
            blocks
                .iter()
                .map(|b| log_marginal(b, s, rho))
                .sum::<f64>()
                .exp()
        };
        let data = match sigma {
            Prior::Gamma { shape, rate } => {
                integral(|s| likelihood(s) * s.powf(-shape - 1.0) * (-rate / s).exp())
            }
            Prior::Fixed(s) => likelihood(s),
            _ => unreachable!("no other prior"),
        };
        orders * tables * data
    };
    let masses: Vec<(Vec<u32>, f64)> = partitions(n)
        .into_iter()
        .map(|p| (p.clone(), mass(&p)))
        .collect();
    let total: f64 = masses.iter().map(|(_, m)| m).sum();
    masses.into_iter().map(|(p, m)| (p, m / total)).collect()
}

#[test]
fn gibbs_samples_the_exact_posterior() {
    let values = [-1.2, -0.9, 0.4, 1.5, 1.1];
    let points = Points::new(1, values.to_vec()).unwrap();
    let drawn = Prior::Gamma {
        shape: 2.0,
        rate: 1.5,
    };
    for (alpha, sigma) in [
        (Prior::Fixed(0.8), Prior::Fixed(0.3)),
        (drawn, Prior::Fixed(0.3)),
        (Prior::Fixed(0.8), drawn),
        (drawn, drawn),
    ] {
        let sampler = Gibbs {
            alpha,
            sigma,
            rho: 2.0,
            burn_in: 500,
            samples: 150_000,
            thin: 3,
            seed: 3,
            ..Gibbs::default()
        };
        let mut counts: HashMap<Vec<u32>, f64> = HashMap::new();
        let mut seen = 0.0;
        let answer = sampler.run_with(&points, &mut |sample| {
            let mut labels = sample.labels.to_vec();
            lambdacut::labels::renumber(&mut labels);
            *counts.entry(labels).or_default() += 1.0;
            seen += 1.0;
        });
        let exact = exact_posterior(&values, alpha, sigma, 2.0);
        let gap: f64 = exact
            .iter()
            .map(|(p, mass)| (counts.get(p).unwrap_or(&0.0) / seen - mass).abs())
            .sum::<f64>()
            / 2.0;
        assert!(gap < 0.025, "{alpha:?}, {sigma:?}: total variation {gap}");
        if let (Prior::Fixed(_), Prior::Fixed(s)) = (alpha, sigma) {
            // The answer is the most probable partition, and its value is the logarithm of p(x, z).
            let best = exact.iter().max_by(|a, b| a.1.total_cmp(&b.1)).unwrap();
            let fit = answer.unwrap();
            assert_eq!(&fit.labels, &best.0);
            let blocks = blocks(&best.0, &values);
            let likelihood: f64 = blocks.iter().map(|b| log_marginal(b, s, 2.0)).sum();
            let orders: f64 = blocks
                .iter()
                .flat_map(|b| (1..b.len()).map(|m| (m as f64).ln()))
                .sum();
            let seats = blocks.len() as f64 * 0.8f64.ln()
                - (0..5).map(|i| (0.8 + f64::from(i)).ln()).sum::<f64>();
            assert!((fit.value + likelihood + orders + seats).abs() < 1e-9);
        }
    }
}

#[test]
fn gibbs_refuses_what_it_cannot_do() {
    let points = Points::from_rows(&[[1.0], [2.0]]).unwrap();
    let refused =
        |sampler: Gibbs<'_>, points: &Points| sampler.run_with(points, &mut |_| {}).is_err();
    let short = Gibbs {
        burn_in: 1,
        samples: 20,
        ..Gibbs::default()
    };
    assert!(!refused(short, &points));
    assert!(!refused(short, &Points::new(1, vec![]).unwrap()));
    assert!(refused(
        Gibbs {
            alpha: Prior::Fixed(0.0),
            ..short
        },
        &points
    ));
    assert!(refused(
        Gibbs {
            sigma: Prior::Gamma {
                shape: -1.0,
                rate: 1.0
            },
            ..short
        },
        &points
    ));
    assert!(refused(
        Gibbs {
            rho: f64::NAN,
            ..short
        },
        &points
    ));
    assert!(refused(Gibbs { thin: 0, ..short }, &points));
    assert!(refused(
        short,
        &points.clone().with_weights(vec![1.0, 2.0]).unwrap()
    ));
}
