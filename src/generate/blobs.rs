//! Gaussian blobs: points around centres drawn uniformly from a box.

use super::random::{Purpose, Stream};
use super::{GenerateError, check, step};
use crate::ids::{Cluster, checked_count};
use crate::run::{Observer, Silent};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// Points drawn from one stream; fixed, so that the streams do not depend on the machine.
const BLOCK: usize = 1 << 12;
/// Draws of one centre before giving up.
const TRIES: usize = 10_000;

/// The parameters of Gaussian blobs.
///
/// ```
/// let blobs = lambdacut::generate::Blobs { points: 300, clusters: 3, ..Default::default() }.generate().unwrap();
/// assert_eq!((blobs.truth.len(), blobs.values.len()), (300, 600));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Blobs {
    /// The number of points; cluster sizes differ by at most 1.
    pub points: usize,
    /// The number of clusters.
    pub clusters: usize,
    /// The number of coordinates.
    pub dimensions: usize,
    /// The standard deviation in every direction.
    pub deviation: f64,
    /// Centres lie in `[−extent, extent]` in every coordinate.
    pub extent: f64,
    /// Centres are at least this many standard deviations apart.
    pub separation: f64,
    /// The seed.
    pub seed: u64,
}

impl Default for Blobs {
    fn default() -> Self {
        let seed = crate::params::DEFAULT_SEED;
        Self {
            points: 1000,
            clusters: 5,
            dimensions: 2,
            deviation: 1.0,
            extent: 10.0,
            separation: 0.0,
            seed,
        }
    }
}

/// Points and the cluster each was drawn from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LabelledPoints {
    /// The number of coordinates d.
    pub dimensions: usize,
    /// Point `i` is `values[i · d .. (i + 1) · d]`.
    pub values: Vec<f64>,
    /// The centres, laid out alike.
    pub centres: Vec<f64>,
    /// The cluster of every point.
    pub truth: Vec<Cluster>,
}

impl Blobs {
    /// Makes the points: point `i` belongs to cluster `i mod clusters`. O(points · dimensions),
    /// parallel.
    pub fn generate(&self) -> Result<LabelledPoints, GenerateError> {
        self.generate_observed(&Silent)
    }

    /// [`Blobs::generate`] with an observer: it hears of the steps, and ends with
    /// [`GenerateError::Cancelled`] soon after it asks to.
    pub fn generate_observed(
        &self,
        observer: &dyn Observer,
    ) -> Result<LabelledPoints, GenerateError> {
        self.check()?;
        step("drawing centres", observer)?;
        let centres = self.centres(observer)?;
        step("drawing points", observer)?;
        let d = self.dimensions;
        let mut values = vec![0.0; self.points * d];
        values
            .par_chunks_mut(BLOCK * d)
            .enumerate()
            .take_any_while(|_| !observer.cancelled())
            .for_each(|(block, values)| {
                let mut stream = Stream::new(self.seed, Purpose::Points, block as u64);
                let mut spare = None;
                for (i, value) in values.iter_mut().enumerate() {
                    let (point, coordinate) = (block * BLOCK + i / d, i % d);
                    let normal = spare.take().unwrap_or_else(|| {
                        let (first, second) = stream.normals();
                        spare = Some(second);
                        first
                    });
                    *value =
                        centres[point % self.clusters * d + coordinate] + self.deviation * normal;
                }
            });
        if observer.cancelled() {
            return Err(GenerateError::Cancelled);
        }
        let truth = (0..self.points)
            .map(|i| (i % self.clusters) as Cluster)
            .collect();
        Ok(LabelledPoints {
            dimensions: d,
            values,
            centres,
            truth,
        })
    }

    fn check(&self) -> Result<(), GenerateError> {
        checked_count(self.points)?;
        check(
            "the number of clusters",
            self.clusters as f64,
            self.clusters >= 1,
            "at least 1",
        )?;
        check(
            "the number of dimensions",
            self.dimensions as f64,
            self.dimensions >= 1,
            "at least 1",
        )?;
        for (name, value) in [
            ("the deviation", self.deviation),
            ("the extent", self.extent),
            ("the separation", self.separation),
        ] {
            check(
                name,
                value,
                value.is_finite() && value >= 0.0,
                "finite and not negative",
            )?;
        }
        Ok(())
    }

    fn centres(&self, observer: &dyn Observer) -> Result<Vec<f64>, GenerateError> {
        let mut stream = Stream::new(self.seed, Purpose::Centres, 0);
        let apart = self.separation * self.deviation;
        let mut centres: Vec<f64> = Vec::with_capacity(self.clusters * self.dimensions);
        for _ in 0..self.clusters {
            if observer.cancelled() {
                return Err(GenerateError::Cancelled);
            }
            let mut draw = || -> Vec<f64> {
                (0..self.dimensions)
                    .map(|_| self.extent * (2.0 * stream.unit() - 1.0))
                    .collect()
            };
            let far = |new: &Vec<f64>| {
                centres
                    .chunks_exact(self.dimensions)
                    .all(|old| squared_distance(old, new) >= apart * apart)
            };
            let new = (0..TRIES).map(|_| draw()).find(far);
            centres.extend(new.ok_or(GenerateError::Centres {
                clusters: self.clusters,
                apart,
            })?);
        }
        Ok(centres)
    }
}

fn squared_distance(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(a, b)| (a - b) * (a - b)).sum()
}
