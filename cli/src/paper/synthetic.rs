//! The paper's synthetic data, drawn again: it prints the recipes, not the draws.

use lambdacut::generate::Blobs;
use lambdacut::points::{Groups, Points, PointsError};
use rand::seq::index::sample;
use rand::{RngExt, SeedableRng};
use rand_distr::{Distribution, StandardNormal};
use rand_xoshiro::Xoshiro256PlusPlus;

/// Points with the cluster each was drawn from.
pub struct Labelled {
    pub points: Points,
    pub truth: Vec<u32>,
}

fn normal(rng: &mut Xoshiro256PlusPlus) -> f64 {
    StandardNormal.sample(rng)
}

/// Three Gaussians in the plane that touch each other, 100 points each (Figure 1a gives neither
/// means nor sizes; these overlap so that no clustering can be perfect).
pub fn three_gaussians(seed: u64) -> Result<Labelled, PointsError> {
    const MEANS: [[f64; 2]; 3] = [[0.0, 2.4], [-2.1, -1.2], [2.1, -1.2]];
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let truth: Vec<u32> = (0..300).map(|i| i / 100).collect();
    let rows: Vec<[f64; 2]> = truth
        .iter()
        .map(|&c| MEANS[c as usize].map(|m| m + 0.9 * normal(&mut rng)))
        .collect();
    Ok(Labelled {
        points: Points::from_rows(&rows)?,
        truth,
    })
}

/// 15 Gaussians with means uniform in the unit square and covariance 0.01 I; 50 data sets, each
/// with 5 points from each of 5 of them chosen at random.
pub fn shared_gaussians(seed: u64) -> Result<(Labelled, Groups), PointsError> {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let means: Vec<[f64; 2]> = (0..15).map(|_| [rng.random(), rng.random()]).collect();
    let (mut rows, mut truth, mut groups) = (Vec::new(), Vec::new(), Vec::new());
    for j in 0..50 {
        for c in sample(&mut rng, 15, 5) {
            for _ in 0..5 {
                rows.push(means[c].map(|m| m + 0.1 * normal(&mut rng)));
                truth.push(c as u32);
                groups.push(j);
            }
        }
    }
    let points = Points::from_rows(&rows)?;
    let groups = Groups::new(&groups, points.len())?;
    Ok((Labelled { points, truth }, groups))
}

/// Points in the shape of the patch data: unit Gaussians around 1000 means, which themselves lie
/// around 100 coarse ones.
pub fn patches(rows: usize, dimensions: usize, seed: u64) -> anyhow::Result<Points> {
    let means = Blobs {
        points: 1000,
        clusters: 100,
        dimensions,
        deviation: 0.5,
        extent: 2.5,
        seed,
        ..Blobs::default()
    };
    let noise = Blobs {
        points: rows,
        clusters: 1,
        dimensions,
        extent: 0.0,
        seed: seed + 1,
        ..Blobs::default()
    };
    let (means, mut values) = (means.generate()?.values, noise.generate()?.values);
    for (value, mean) in values.iter_mut().zip(means.iter().cycle()) {
        *value += mean;
    }
    Ok(Points::new(dimensions, values)?)
}
