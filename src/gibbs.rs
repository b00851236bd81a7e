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

use crate::clustering::PointClustering;
use crate::ids::Cluster;
use crate::params::{DEFAULT_SEED, ParamError};
use crate::points::{Points, PointsError, squared_distance};
use crate::run::{Passes, Run, StopReason, StopRules, run_options};
use rand::{RngExt, SeedableRng};
use rand_distr::{Beta, Distribution, Gamma, StandardNormal};
use rand_xoshiro::Xoshiro256PlusPlus;
use serde::{Deserialize, Serialize};
use std::f64::consts::TAU;

/// A positive number that is given, or drawn along with everything else.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Prior {
    /// This value.
    Fixed(f64),
    /// For α: `Gamma(shape, rate)`. For σ: `InverseGamma(shape, scale)`, with the scale in the
    /// place of the rate.
    Gamma {
        /// The shape.
        shape: f64,
        /// The rate of α, the scale of σ.
        rate: f64,
    },
}

impl Prior {
    /// Where the chain starts: the value, or the mean `shape/rate` of a gamma (for σ,
    /// `rate/shape`).
    fn start(self, inverse: bool) -> f64 {
        match self {
            Self::Fixed(value) => value,
            Self::Gamma { shape, rate } => {
                if inverse {
                    rate / shape
                } else {
                    shape / rate
                }
            }
        }
    }

    fn is_valid(self) -> bool {
        let positive = |v: f64| v.is_finite() && v > 0.0;
        match self {
            Self::Fixed(value) => positive(value),
            Self::Gamma { shape, rate } => positive(shape) && positive(rate),
        }
    }
}

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
        let mut chain = Chain::new(points, self);
        let deadline = self.run.start();
        let mut passes = Passes::new(self.stop);
        let mut best: Option<(f64, Vec<Cluster>)> = None;
        let mut stop = StopReason::Direct;
        for sweep in 1..=self.burn_in + self.samples {
            let moves = chain.sweep(self);
            let log_joint = chain.log_joint(self.rho);
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
        let (value, labels) =
            best.unwrap_or_else(|| (chain.log_joint(self.rho), chain.labels.clone()));
        Ok(answer(points, labels, -value, passes, stop))
    }

    fn check(&self, points: &Points) -> Result<(), PointsError> {
        let wrong = |name, expected, found: String| {
            Err(ParamError::OutOfRange {
                name,
                expected,
                found,
            }
            .into())
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
    let (labels, centres) =
        crate::points::Alternation::from_labels(points, labels, clusters).into_parts();
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

struct Chain<'a> {
    points: &'a Points,
    labels: Vec<Cluster>,
    sizes: Vec<usize>,
    means: Vec<Vec<f64>>,
    alpha: f64,
    sigma: f64,
    rng: Xoshiro256PlusPlus,
    /// `ln (m−1)!` for m = 0..=n.
    log_factorials: Vec<f64>,
    /// `ln m` for m = 0..=n.
    logs: Vec<f64>,
    odds: Vec<f64>,
}

impl<'a> Chain<'a> {
    fn new(points: &'a Points, params: &Gibbs<'_>) -> Self {
        let n = points.len();
        let mut log_factorials = vec![0.0; n + 2];
        for m in 2..=n {
            log_factorials[m] = log_factorials[m - 1] + ((m - 1) as f64).ln();
        }
        let logs = (0..=n).map(|m| (m as f64).ln()).collect();
        let (sizes, means) = if n == 0 {
            (vec![], vec![])
        } else {
            (vec![n], vec![points.mean()])
        };
        let (alpha, sigma) = (params.alpha.start(false), params.sigma.start(true));
        let rng = Xoshiro256PlusPlus::seed_from_u64(params.seed);
        Self {
            points,
            labels: vec![0; n],
            sizes,
            means,
            alpha,
            sigma,
            rng,
            log_factorials,
            logs,
            odds: Vec::new(),
        }
    }

    fn sweep(&mut self, params: &Gibbs<'_>) -> usize {
        let mut moves = 0;
        for i in 0..self.labels.len() {
            moves += usize::from(self.resample(i, params.rho));
        }
        let mut sums = vec![vec![0.0; self.points.dimension()]; self.means.len()];
        for (i, &c) in self.labels.iter().enumerate() {
            sums[c as usize]
                .iter_mut()
                .zip(self.points.row(i))
                .for_each(|(s, x)| *s += x);
        }
        for (c, sum) in sums.into_iter().enumerate() {
            self.means[c] = self.draw_mean(&sum, self.sizes[c], params.rho);
        }
        self.draw_sigma(params.sigma);
        self.draw_alpha(params.alpha);
        moves
    }

    /// Gives point `i` a new label; whether it changed.
    fn resample(&mut self, i: usize, rho: f64) -> bool {
        let (row, d) = (self.points.row(i), self.points.dimension() as f64);
        let old = self.labels[i] as usize;
        self.sizes[old] -= 1;
        let (scale, logs, sigma) = (d * (TAU * self.sigma).ln(), &self.logs, self.sigma);
        let log_odds = |(mean, &size): (&Vec<f64>, &usize)| {
            logs[size] - 0.5 * (scale + squared_distance(row, mean) / sigma)
        };
        self.odds.clear();
        self.odds
            .extend(self.means.iter().zip(&self.sizes).map(log_odds));
        let (norm, variance): (f64, f64) = (row.iter().map(|x| x * x).sum(), rho + sigma);
        self.odds
            .push(self.alpha.ln() - 0.5 * (d * (TAU * variance).ln() + norm / variance));
        let new = self.draw_label();
        if new == self.means.len() {
            let mean = self.draw_mean(row, 1, rho);
            self.means.push(mean);
            self.sizes.push(0);
        }
        self.sizes[new] += 1;
        self.labels[i] = new as Cluster;
        if self.sizes[old] == 0 {
            self.remove(old);
        }
        new != old
    }

    /// An index with probability proportional to `exp(odds)`.
    fn draw_label(&mut self) -> usize {
        let most = self.odds.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        // Most clusters are so far away that the exponential is 0: a comparison tells at less cost.
        self.odds.iter_mut().for_each(|o| {
            *o = if *o - most < -746.0 {
                0.0
            } else {
                (*o - most).exp()
            }
        });
        let mut left = self.rng.random::<f64>() * self.odds.iter().sum::<f64>();
        for (c, &odd) in self.odds.iter().enumerate() {
            left -= odd;
            if left < 0.0 {
                return c;
            }
        }
        self.odds.iter().rposition(|&o| o > 0.0).unwrap_or(0)
    }

    /// Cluster `c` is empty: the last one takes its number.
    fn remove(&mut self, c: usize) {
        let last = self.means.len() - 1;
        self.means.swap_remove(c);
        self.sizes.swap_remove(c);
        self.labels
            .iter_mut()
            .filter(|l| **l == last as Cluster)
            .for_each(|l| *l = c as Cluster);
    }

    /// `N( ρ Σx / (σ + ρn), σρ/(σ + ρn) I )`.
    fn draw_mean(&mut self, sum: &[f64], size: usize, rho: f64) -> Vec<f64> {
        let total = self.sigma + rho * size as f64;
        let deviation = (self.sigma * rho / total).sqrt();
        let rng = &mut self.rng;
        let mut normal = || -> f64 { StandardNormal.sample(rng) };
        sum.iter()
            .map(|s| rho * s / total + deviation * normal())
            .collect()
    }

    fn draw_sigma(&mut self, prior: Prior) {
        if let Prior::Gamma { shape, rate } = prior {
            let spread: f64 = self
                .labels
                .iter()
                .enumerate()
                .map(|(i, &c)| squared_distance(self.points.row(i), &self.means[c as usize]))
                .sum();
            let values = self.points.values().len() as f64;
            self.sigma = self
                .gamma(shape + values / 2.0, rate + spread / 2.0)
                .max(f64::MIN_POSITIVE)
                .recip();
        }
    }

    fn draw_alpha(&mut self, prior: Prior) {
        let n = self.labels.len() as f64;
        if let (Prior::Gamma { shape, rate }, true) = (prior, n > 0.0) {
            let eta = Beta::new(self.alpha + 1.0, n)
                .map_or(0.5, |b| b.sample(&mut self.rng))
                .max(f64::MIN_POSITIVE);
            let (k, rate) = (self.means.len() as f64, rate - eta.ln());
            let odds = (shape + k - 1.0) / (n * rate);
            let more = self.rng.random::<f64>() * (1.0 + odds) < odds;
            self.alpha = self
                .gamma(if more { shape + k } else { shape + k - 1.0 }, rate)
                .max(f64::MIN_POSITIVE);
        }
    }

    /// A draw from `Gamma(shape, rate)`; both are positive by construction.
    fn gamma(&mut self, shape: f64, rate: f64) -> f64 {
        Gamma::new(shape.max(f64::MIN_POSITIVE), rate.recip())
            .map_or(shape / rate, |g| g.sample(&mut self.rng))
    }

    /// `ln p(x, z | α, σ)` with the means integrated out:
    /// `k ln α + Σ_c ln (n_c−1)! − Σ_{i<n} ln(α+i) + Σ_c ln p(x_c)`,
    /// `ln p(x_c) = −½ [ d n_c ln 2πσ + d ln(1 + n_c ρ/σ) + ( Σ‖x‖² − ρ‖Σx‖²/(σ + n_c ρ) )/σ ]`.
    fn log_joint(&self, rho: f64) -> f64 {
        let (d, n) = (self.points.dimension(), self.labels.len());
        let mut sums = vec![0.0; self.means.len() * d];
        let mut squares = 0.0;
        for (i, &c) in self.labels.iter().enumerate() {
            let row = self.points.row(i);
            squares += row.iter().map(|x| x * x).sum::<f64>();
            sums[c as usize * d..][..d]
                .iter_mut()
                .zip(row)
                .for_each(|(s, x)| *s += x);
        }
        let mut total = -0.5 * (squares / self.sigma + (n * d) as f64 * (TAU * self.sigma).ln());
        for (sum, &size) in sums.chunks(d).zip(&self.sizes) {
            let (size_f, norm) = (size as f64, sum.iter().map(|s| s * s).sum::<f64>());
            total += self.alpha.ln() + self.log_factorials[size]
                - 0.5 * d as f64 * (size_f * rho / self.sigma).ln_1p();
            total += 0.5 * rho * norm / ((self.sigma + size_f * rho) * self.sigma);
        }
        total - (0..n).map(|i| (self.alpha + i as f64).ln()).sum::<f64>()
    }
}
