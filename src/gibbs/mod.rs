//! The Gibbs sampler of the Dirichlet process mixture of Gaussians: section 2.2 of the paper,
//! Algorithm 2 of Neal (2000).
//!
//! ```text
//! x_i | z_i, μ ~ N(μ_{z_i}, σI)      μ_c ~ N(0, ρI)      z ~ Chinese restaurant process with concentration α
//! ```
//!
//! The state is the labels z and the means μ. A sweep gives every point in turn a new label,
//! cluster c with probability proportional to `n_{−i,c} N(x_i | μ_c, σI)` and a new cluster with `α
//! N(x_i | 0, (ρ+σ)I)`, whose mean is drawn from its posterior given `x_i`; then every mean is
//! drawn from
//!
//! ```text
//! μ_c | x ~ N( (1 + σ/(ρ n_c))⁻¹ x̄_c,  σρ/(σ + ρ n_c) I )
//! ```
//!
//! then σ, where it is not given, from `InverseGamma(a + nd/2, b + ½ Σ_i ‖x_i − μ_{z_i}‖²)`, and α,
//! where it is not given, by Escobar & West (1995): `η ~ Beta(α+1, n)`, then
//! `α ~ Gamma(a + k − [u > π], b − ln η)` with odds `π/(1−π) = (a+k−1)/(n(b − ln η))`.
//!
//! The prior is centred at 0: shift the data there first where that is meant. Cost of a sweep O(n d
//! k); memory 8 bytes a point.

mod chain;
mod prior;

pub use prior::Prior;

use crate::clustering::PointClustering;
use crate::ids::Cluster;
use crate::params::{DEFAULT_SEED, ParamError};
use crate::points::{Alternation, Points, PointsError};
use crate::run::{Passes, Run, StopReason, StopRules, run_options};
use chain::Chain;
use prior::Model;
use serde::{Deserialize, Serialize};

/// The sampler with its options.
///
/// ```
/// use lambdacut::{gibbs::{Gibbs, Prior}, points::Points};
/// let points = Points::from_rows(&[[-5.1], [-5.0], [4.9], [5.0]]).unwrap();
/// let found = Gibbs::new().sigma(Prior::Fixed(0.1)).samples(200).run(&points).unwrap();
/// assert_eq!(found.k(), 2);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Gibbs<'a> {
    /// The concentration α.
    pub alpha: Prior,
    /// The variance σ of a cluster in every direction.
    pub sigma: Prior,
    /// The variance ρ of the prior of the means.
    pub rho: f64,
    /// Sweeps before the first sample.
    pub burn_in: usize,
    /// Sweeps after that.
    pub samples: usize,
    /// Every how many of these a sample is taken.
    pub thin: usize,
    /// Seed of all draws.
    pub seed: u64,
    /// When to stop earlier (a sweep is a pass).
    pub stop: StopRules,
    /// Time limit and observer.
    pub run: Run<'a>,
}

impl Default for Gibbs<'_> {
    /// α and σ drawn with priors Gamma(1, 1) and InverseGamma(1, 1), ρ = 100, 5000 sweeps after
    /// 1000, every tenth kept.
    fn default() -> Self {
        let unit = Prior::Gamma {
            shape: 1.0,
            rate: 1.0,
        };
        Self {
            alpha: unit,
            sigma: unit,
            rho: 100.0,
            burn_in: 1000,
            samples: 5000,
            thin: 10,
            seed: DEFAULT_SEED,
            stop: StopRules::default(),
            run: Run::default(),
        }
    }
}

run_options!(Gibbs);

/// One sample, shown to the caller as it is taken.
#[derive(Debug, Clone, Copy)]
pub struct Sample<'a> {
    /// Sweeps so far, burn-in included.
    pub sweep: usize,
    /// The labels, in `0..clusters`.
    pub labels: &'a [Cluster],
    /// The number of clusters.
    pub clusters: usize,
    /// The concentration.
    pub alpha: f64,
    /// The variance.
    pub sigma: f64,
    /// `ln p(x, z | α, σ)`, the means integrated out.
    pub log_joint: f64,
}

impl Gibbs<'_> {
    /// The sampler with the priors and sweeps of [`Gibbs::default`].
    pub fn new() -> Self {
        Self::default()
    }

    /// With this concentration.
    #[must_use]
    pub fn alpha(mut self, alpha: Prior) -> Self {
        self.alpha = alpha;
        self
    }

    /// With this variance of a cluster.
    #[must_use]
    pub fn sigma(mut self, sigma: Prior) -> Self {
        self.sigma = sigma;
        self
    }

    /// With this variance of the prior of the means.
    #[must_use]
    pub fn rho(mut self, rho: f64) -> Self {
        self.rho = rho;
        self
    }

    /// With this many sweeps before the first sample.
    #[must_use]
    pub fn burn_in(mut self, burn_in: usize) -> Self {
        self.burn_in = burn_in;
        self
    }

    /// With this many sweeps after that.
    #[must_use]
    pub fn samples(mut self, samples: usize) -> Self {
        self.samples = samples;
        self
    }

    /// Taking a sample every so many sweeps.
    #[must_use]
    pub fn thin(mut self, thin: usize) -> Self {
        self.thin = thin;
        self
    }

    /// With another seed.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// With rules that end the chain early.
    #[must_use]
    pub fn stop(mut self, stop: StopRules) -> Self {
        self.stop = stop;
        self
    }

    /// Runs the chain from one cluster with all points. The answer is the sample of the largest `p(x,
    /// z | α, σ)`; its `value` is the negative logarithm of that, its centres are the means of the
    /// clusters.
    ///
    /// # Errors
    /// If an option is out of range, or if the points have weights.
    pub fn run(&self, points: &Points) -> Result<PointClustering, PointsError> {
        self.run_with(points, &mut |_| {})
    }

    /// The same, showing every sample to `on_sample` as it is taken.
    ///
    /// # Errors
    /// As [`Gibbs::run`].
    pub fn run_with(
        &self,
        points: &Points,
        on_sample: &mut dyn FnMut(&Sample<'_>),
    ) -> Result<PointClustering, PointsError> {
        self.check(points)?;
        let mut chain = Chain::new(points, self.model(), self.seed);
        let deadline = self.run.start();
        let mut passes = Passes::new(self.stop);
        let mut best: Option<(f64, Vec<Cluster>)> = None;
        let mut stop = StopReason::Direct;
        for sweep in 1..=self.burn_in + self.samples {
            let moves = chain.sweep();
            let log_joint = chain.log_joint();
            if sweep > self.burn_in && (sweep - self.burn_in).is_multiple_of(self.thin) {
                let (clusters, alpha, sigma) = (chain.means.len(), chain.alpha, chain.sigma);
                on_sample(&Sample {
                    sweep,
                    labels: &chain.labels,
                    clusters,
                    alpha,
                    sigma,
                    log_joint,
                });
                if best.as_ref().is_none_or(|(value, _)| log_joint > *value) {
                    best = Some((log_joint, chain.labels.clone()));
                }
            }
            // A sweep that moves nothing is no sign of convergence here.
            let moves = moves.max(1);
            let reason = passes.finished(-log_joint, chain.means.len(), moves, &deadline);
            if let Some(reason) = reason {
                stop = reason;
                break;
            }
        }
        let (value, labels) = best.unwrap_or_else(|| (chain.log_joint(), chain.labels.clone()));
        Ok(answer(points, labels, -value, passes, stop))
    }

    fn model(&self) -> Model {
        Model {
            alpha: self.alpha,
            sigma: self.sigma,
            rho: self.rho,
        }
    }

    fn check(&self, points: &Points) -> Result<(), PointsError> {
        let wrong = |name, expected, found: String| {
            Err(ParamError::out_of_range(name, expected, &found).into())
        };
        if !self.alpha.is_valid() {
            return wrong(
                "α or its prior",
                "positive and finite",
                format!("{:?}", self.alpha),
            );
        }
        if !self.sigma.is_valid() {
            return wrong(
                "σ or its prior",
                "positive and finite",
                format!("{:?}", self.sigma),
            );
        }
        if !(self.rho.is_finite() && self.rho > 0.0) {
            return wrong("ρ", "positive and finite", self.rho.to_string());
        }
        if self.thin == 0 || self.samples < self.thin {
            return wrong(
                "the number of sweeps",
                "at least one sample",
                format!("{} sweeps, every {}th", self.samples, self.thin),
            );
        }
        if points.is_weighted() {
            return wrong(
                "the weights",
                "absent: the sampler has no weighted form",
                "given".into(),
            );
        }
        Ok(())
    }
}

fn answer(
    points: &Points,
    mut labels: Vec<Cluster>,
    value: f64,
    passes: Passes,
    stop: StopReason,
) -> PointClustering {
    let clusters = crate::labels::renumber(&mut labels);
    let (labels, centres) = Alternation::from_labels(points, labels, clusters).into_parts();
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
