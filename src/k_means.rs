//! k-means: k-means++ seeding and Lloyd's algorithm, exact, with bounds that skip points whose
//! label cannot change.
//!
//! ```text
//! F = Σ_c Σ_{i∈c} w_i ‖x_i − μ_c‖²,        k given
//! ```

use crate::clustering::PointClustering;
use crate::params::{DEFAULT_SEED, ParamError};
use crate::points::{Points, PointsError, k_means_plus_plus, lloyd};
use crate::run::{Deadline, Passes, Run, StopReason, StopRules, best_of, run_options};
use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;
use serde::{Deserialize, Serialize};

/// k-means with its options.
///
/// ```
/// use lambdacut::{k_means::KMeans, points::Points};
/// let points = Points::from_rows(&[[0.0], [1.0], [10.0], [11.0]]).unwrap();
/// let found = KMeans::new().clusters(2).run(&points).unwrap();
/// assert_eq!((found.k(), found.value), (2, 1.0));
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct KMeans<'a> {
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
    /// Time limit and observer.
    pub run: Run<'a>,
}

impl Default for KMeans<'_> {
    fn default() -> Self {
        Self {
            clusters: 8,
            start: None,
            runs: 1,
            seed: DEFAULT_SEED,
            stop: StopRules::default(),
            run: Run::default(),
        }
    }
}

run_options!(KMeans);

impl KMeans<'_> {
    /// One run with 8 clusters.
    pub fn new() -> Self {
        Self::default()
    }

    /// With this many clusters.
    #[must_use]
    pub fn clusters(mut self, clusters: usize) -> Self {
        self.clusters = clusters;
        self
    }

    /// From these centres.
    #[must_use]
    pub fn start(mut self, centres: Points) -> Self {
        self.start = Some(centres);
        self
    }

    /// The best of this many runs.
    #[must_use]
    pub fn runs(mut self, runs: usize) -> Self {
        self.runs = runs;
        self
    }

    /// With another seed.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// With rules that end a run early.
    #[must_use]
    pub fn stop(mut self, rules: StopRules) -> Self {
        self.stop = rules;
        self
    }

    /// Clusters `points`; of several runs the one of least F is returned, the earliest on ties.
    ///
    /// # Errors
    /// If an option is out of range.
    pub fn run(&self, points: &Points) -> Result<PointClustering, PointsError> {
        self.check(points)?;
        let deadline = self.run.start();
        let runs = (0..self.runs).map(|run| self.once(points, run, &deadline));
        Ok(best_of(runs, &deadline))
    }

    fn once(&self, points: &Points, run: usize, deadline: &Deadline<'_>) -> PointClustering {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(self.seed.wrapping_add(run as u64));
        let drawn = |rng: &mut _| points.select(&k_means_plus_plus(points, self.clusters, rng));
        let centres = self.start.clone().unwrap_or_else(|| drawn(&mut rng));
        let mut passes = Passes::new(self.stop);
        let mut stop = StopReason::NoChange;
        let state = lloyd(points, centres, &mut |pass| {
            let reason = passes.finished(pass.value, pass.clusters, pass.moves, deadline);
            stop = reason.unwrap_or(StopReason::NoChange);
            reason.is_none()
        });
        let (value, clusters) = (state.inertia(), state.centres().len());
        let (labels, centres) = state.into_parts();
        PointClustering {
            labels,
            clusters,
            value,
            lambda: None,
            centres: Some(centres),
            trace: passes.into_trace(),
            stop,
        }
    }

    fn check(&self, points: &Points) -> Result<(), PointsError> {
        let wrong = |name, expected, found: usize| {
            Err(ParamError::out_of_range(name, expected, &found).into())
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
