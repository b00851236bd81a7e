//! The state of the chain and what a sweep does to it.

use super::prior::{Model, Prior};
use crate::ids::Cluster;
use crate::points::{Points, squared_distance};
use rand::{RngExt, SeedableRng};
use rand_distr::{Beta, Distribution, Gamma, StandardNormal};
use rand_xoshiro::Xoshiro256PlusPlus;
use std::f64::consts::TAU;

/// Odds of less than e⁻⁴⁶ = 1e−20 times the largest are lost in the rounding of their sum.
const NEGLIGIBLE: f64 = -46.0;

/// Labels, means and the two parameters of a run under way.
pub(super) struct Chain<'a> {
    points: &'a Points,
    model: Model,
    pub(super) labels: Vec<Cluster>,
    sizes: Vec<usize>,
    pub(super) means: Vec<Vec<f64>>,
    pub(super) alpha: f64,
    pub(super) sigma: f64,
    rng: Xoshiro256PlusPlus,
    /// `ln (m−1)!` for m = 0..=n.
    log_factorials: Vec<f64>,
    /// `ln m` for m = 0..=n.
    logs: Vec<f64>,
    odds: Vec<f64>,
}

impl<'a> Chain<'a> {
    pub(super) fn new(points: &'a Points, model: Model, seed: u64) -> Self {
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
        let (alpha, sigma) = (model.alpha.start(false), model.sigma.start(true));
        let rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        Self {
            points,
            model,
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

    pub(super) fn sweep(&mut self) -> usize {
        let mut moves = 0;
        for i in 0..self.labels.len() {
            moves += usize::from(self.resample(i, self.model.rho));
        }
        let mut sums = vec![vec![0.0; self.points.dimension()]; self.means.len()];
        for (i, &c) in self.labels.iter().enumerate() {
            sums[c as usize]
                .iter_mut()
                .zip(self.points.row(i))
                .for_each(|(s, x)| *s += x);
        }
        for (c, sum) in sums.into_iter().enumerate() {
            self.means[c] = self.draw_mean(&sum, self.sizes[c], self.model.rho);
        }
        self.draw_sigma(self.model.sigma);
        self.draw_alpha(self.model.alpha);
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
        // Most clusters are far away, and a comparison costs less than an exponential.
        self.odds.iter_mut().for_each(|o| {
            *o = if *o - most < NEGLIGIBLE {
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
    pub(super) fn log_joint(&self) -> f64 {
        let rho = self.model.rho;
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
