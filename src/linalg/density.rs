//! How many eigenvalues lie below a number, estimated from random vectors.
//!
//! With `X = 2N/u − 1` and random sign vectors `z`, the moments `μ_k = zᵀ T_k(X) z` have mean `tr
//! T_k(X)`; the step function `1[x < β]` is expanded in Chebyshev polynomials (Jackson-damped, so
//! that it does not oscillate), which gives
//!
//! ```text
//! count(β) ≈ Σ_k g_k c_k(β) μ_k,     c_0 = 1 − φ/π,   c_k = −2 sin(kφ)/(kπ),   cos φ = 2β/u − 1
//! ```
//!
//! Eigenpairs that are already known are taken out: `z` is made orthogonal to them and their share
//! `Σ_i h(ν_i)` of the smoothed step `h` is added exactly. What is left has little variance,
//! because it is the unknown part alone, and the smoothing errors on the two sides of β cancel to
//! first order.
//!
//! The error bar is two standard errors over the vectors plus what the smoothing can move across β.
//! Cost: `degree/2` products a vector (two moments from each), memory three blocks of [`WIDTH`]
//! vectors. Cancelled, the moments end earlier: a wider smoothing, hence a wider error bar.

use super::block::{PANEL, Tall, random_block};
use super::lanczos::WIDTH;
use super::operator::{Affine, SymmetricOperator};
use crate::run::Observer;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::f64::consts::PI;

/// An estimated number of eigenvalues.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Estimate {
    /// The estimate.
    pub count: f64,
    /// Its error bar.
    pub error: f64,
}

/// The moments of the spectral density, from which any count can be read.
#[derive(Debug, Clone)]
pub struct Density {
    upper: f64,
    known: Vec<f64>,
    /// Moments of each vector.
    moments: Vec<Vec<f64>>,
    /// Products of the operator with one vector that were needed.
    pub products: u64,
}

impl Density {
    /// Moments up to `degree` from `blocks` blocks of [`WIDTH`] random vectors, fewer if `observer`
    /// cancels. `known` are exact eigenpairs: values and vectors.
    pub fn new(
        operator: &dyn SymmetricOperator,
        known: Option<(&[f64], &Tall)>,
        degree: usize,
        blocks: usize,
        seed: u64,
        observer: &dyn Observer,
    ) -> Self {
        let mut moments: Vec<Vec<f64>> = Vec::with_capacity(blocks * WIDTH);
        for block in 0..blocks {
            if block > 0 && observer.cancelled() {
                break;
            }
            let mut z = random_block(
                operator.order() * WIDTH,
                seed.wrapping_add(0x5EED + block as u64),
            );
            z.par_iter_mut().for_each(|z| *z = z.signum());
            if let Some((values, vectors)) = known {
                for _twice in 0..2 {
                    let c = vectors.transposed_times(0, values.len(), &z, WIDTH);
                    vectors.subtract_product(0, values.len(), &c, &mut z, WIDTH);
                }
            }
            moments.extend(block_moments(operator, z, degree, observer));
        }
        // A block that was cut short leaves only as many moments of the others to use.
        let degree = moments.iter().map(Vec::len).min().unwrap_or(0);
        let products = moments.iter().map(|moments| moments.len() as u64 / 2).sum();
        for each in &mut moments {
            each.truncate(degree);
        }
        let known = known.map_or_else(Vec::new, |(values, _)| values.to_vec());
        Self {
            upper: operator.upper_bound(),
            known,
            moments,
            products,
        }
    }

    /// The number of eigenvalues below `x`.
    pub fn count_below(&self, x: f64) -> Estimate {
        let degree = self.moments.first().map_or(0, Vec::len);
        let phi = angle(x, self.upper);
        let each = self.counts(phi, degree);
        let probes = each.len() as f64;
        let mean = |counts: &[f64]| counts.iter().sum::<f64>() / probes;
        let count = mean(&each);
        let variance =
            each.iter().map(|e| (e - count).powi(2)).sum::<f64>() / (probes - 1.0).max(1.0);
        // The kernel of the smoothing has a standard deviation of π/degree in the angle. If all
        // eigenvalues of that neighbourhood lay on one side of x, 0.4 of them would be counted on
        // the wrong one.
        let width = PI / degree as f64;
        let near = mean(&self.counts((phi - width).max(0.0), degree))
            - mean(&self.counts((phi + width).min(PI), degree));
        Estimate {
            count,
            error: 2.0 * (variance / probes).sqrt() + 0.4 * near.abs(),
        }
    }

    /// The count below the point at angle `phi`, as each vector sees it.
    fn counts(&self, phi: f64, degree: usize) -> Vec<f64> {
        let step = Step::new(phi, degree);
        let known = self
            .known
            .iter()
            .map(|&nu| step.at(angle(nu, self.upper)))
            .sum::<f64>();
        self.moments
            .iter()
            .map(|moments| known + step.trace(moments))
            .collect()
    }
}

/// `arccos(2x/u − 1)`.
fn angle(x: f64, upper: f64) -> f64 {
    (2.0 * x / upper - 1.0).clamp(-1.0, 1.0).acos()
}

/// The damped expansion of `1[x < β]`.
struct Step(Vec<f64>);

impl Step {
    fn new(phi: f64, degree: usize) -> Self {
        let size = degree as f64 + 1.0;
        let jackson = |k: f64| {
            ((size - k) * (PI * k / size).cos() + (PI * k / size).sin() / (PI / size).tan()) / size
        };
        let exact = |k: f64| {
            if k == 0.0 {
                1.0 - phi / PI
            } else {
                -2.0 * (k * phi).sin() / (k * PI)
            }
        };
        Self(
            (0..degree)
                .map(|k| jackson(k as f64) * exact(k as f64))
                .collect(),
        )
    }

    fn trace(&self, moments: &[f64]) -> f64 {
        self.0.iter().zip(moments).map(|(c, m)| c * m).sum()
    }

    fn at(&self, theta: f64) -> f64 {
        self.0
            .iter()
            .enumerate()
            .map(|(k, c)| c * (k as f64 * theta).cos())
            .sum()
    }
}

/// Moments `μ_0 …` of each column of `z`: two from every product, because `T_{2k} = 2 T_k² − 1`.
fn block_moments(
    operator: &dyn SymmetricOperator,
    z: Vec<f64>,
    degree: usize,
    observer: &dyn Observer,
) -> Vec<Vec<f64>> {
    let first = Affine {
        alpha: 2.0 / operator.upper_bound(),
        gamma: -1.0,
        delta: 0.0,
    };
    let next = Affine {
        alpha: 2.0 * first.alpha,
        gamma: 2.0 * first.gamma,
        delta: -1.0,
    };
    let (mut before, mut now) = (z, vec![0.0; operator.order() * WIDTH]);
    let zero = column_dots(&before, &before);
    operator.update(WIDTH, &before, &mut now, first);
    let one = column_dots(&before, &now);
    let mut moments: Vec<Vec<f64>> = (0..WIDTH).map(|t| vec![zero[t], one[t]]).collect();
    for _ in 1..degree / 2 {
        if observer.cancelled() {
            break;
        }
        let even = column_dots(&now, &now);
        operator.update(WIDTH, &now, &mut before, next);
        std::mem::swap(&mut before, &mut now);
        let odd = column_dots(&before, &now);
        for t in 0..WIDTH {
            moments[t].extend([2.0 * even[t] - zero[t], 2.0 * odd[t] - one[t]]);
        }
    }
    moments
}

/// `x_tᵀ y_t` of each pair of columns; fixed panels, added in order.
fn column_dots(x: &[f64], y: &[f64]) -> [f64; WIDTH] {
    let panels = x.par_chunks(PANEL * WIDTH).zip(y.par_chunks(PANEL * WIDTH));
    let partial: Vec<[f64; WIDTH]> = panels
        .map(|(x, y)| {
            let mut dots = [0.0; WIDTH];
            for (x, y) in x
                .as_chunks::<WIDTH>()
                .0
                .iter()
                .zip(y.as_chunks::<WIDTH>().0)
            {
                (0..WIDTH).for_each(|t| dots[t] += x[t] * y[t]);
            }
            dots
        })
        .collect();
    let mut total = [0.0; WIDTH];
    for part in partial {
        (0..WIDTH).for_each(|t| total[t] += part[t]);
    }
    total
}
