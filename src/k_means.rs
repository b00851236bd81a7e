//! k-means: k-means++ seeding and Lloyd's algorithm, exact, with bounds that skip points whose
//! label cannot change.
//!
//! ```text
//! F = Σ_c Σ_{i∈c} w_i ‖x_i − μ_c‖²,        k given
//! ```

use crate::fit::{Fit, Passes, PointFit, StopReason};
use crate::observe::Observer;
use crate::params::{DEFAULT_SEED, ParamError, StopRules};
use crate::points::{Points, PointsError, k_means_plus_plus, lloyd};
use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;
use serde::{Deserialize, Serialize};

/// The parameters of k-means.
///
/// ```
/// use lambdacut::{k_means::KMeans, observe::Silent, points::Points};
/// let points = Points::from_rows(&[[0.0], [1.0], [10.0], [11.0]]).unwrap();
/// let answer = KMeans::new(2).run(&points, &Silent).unwrap();
/// assert_eq!((answer.fit.clusters, answer.fit.value), (2, 1.0));
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct KMeans {
    /// k, at least 1 and at most the number of points. With fewer distinct points the answer has
    /// fewer clusters.
    pub clusters: usize,
    /// The first centres; k-means++ chooses them when not given.
    pub start: Option<Points>,
    /// Runs, of which the best is kept.
    pub runs: usize,
    /// Seed of the k-means++ draws.
    pub seed: u64,
    /// When to stop before nothing changes.
    pub stop: StopRules,
}

impl KMeans {
    /// One run with `clusters` clusters.
    pub fn new(clusters: usize) -> Self {
        Self {
            clusters,
            start: None,
            runs: 1,
            seed: DEFAULT_SEED,
            stop: StopRules::default(),
        }
    }

    /// Clusters `points`; of several runs the one of least F is returned, the earliest on ties.
    pub fn run(&self, points: &Points, observer: &dyn Observer) -> Result<PointFit, PointsError> {
        self.check(points)?;
        let mut best = self.once(points, 0, observer);
        for run in 1..self.runs {
            if observer.cancelled() {
                break;
            }
            let next = self.once(points, run, observer);
            if next.fit.value < best.fit.value {
                best = next;
            }
        }
        Ok(best)
    }

    fn once(&self, points: &Points, run: usize, observer: &dyn Observer) -> PointFit {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(self.seed.wrapping_add(run as u64));
        let drawn = |rng: &mut _| points.select(&k_means_plus_plus(points, self.clusters, rng));
        let centres = self.start.clone().unwrap_or_else(|| drawn(&mut rng));
        let mut passes = Passes::new(self.stop);
        let mut stop = StopReason::NoChange;
        let state = lloyd(points, centres, &mut |pass| {
            let reason = passes.finished(pass.value, pass.clusters, pass.moves, observer);
            stop = reason.unwrap_or(StopReason::NoChange);
            reason.is_none()
        });
        let (value, clusters) = (state.inertia(), state.centres().len());
        let (labels, centres) = state.into_parts();
        PointFit {
            fit: Fit {
                labels,
                clusters,
                value,
                trace: passes.into_trace(),
                stop,
            },
            centres,
        }
    }

    fn check(&self, points: &Points) -> Result<(), PointsError> {
        let wrong = |name, expected, found: usize| {
            Err(ParamError::OutOfRange {
                name,
                expected,
                found: found.to_string(),
            }
            .into())
        };
        if self.clusters == 0 || self.clusters > points.len() {
            return wrong(
                "k",
                "at least 1 and at most the number of points",
                self.clusters,
            );
        }
        if self.runs == 0 {
            return wrong("the number of runs", "at least 1", 0);
        }
        match &self.start {
            Some(start) if start.dimension() != points.dimension() => {
                let (found, expected) = (start.dimension(), points.dimension());
                Err(PointsError::Dimension {
                    what: "starting centres",
                    found,
                    expected,
                })
            }
            Some(start) if start.len() != self.clusters => {
                wrong("the number of starting centres", "k", start.len())
            }
            _ => Ok(()),
        }
    }
}
