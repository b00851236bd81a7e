//! An upper bound of the largest eigenvalue of a symmetric positive semi-definite operator, by
//! Lanczos.
//!
//! The largest Ritz value θ after `t` steps from a random direction is a lower bound of the largest
//! eigenvalue ν. How far below it can be is known without any knowledge of the spectrum (Kuczyński
//! and Woźniakowski, 1992): for a start that is uniform on the sphere of `R^n`,
//!
//! ```text
//! P( ν − θ > ε ν ) ≤ 1.648 √n exp(−√ε (2t − 1)),
//! ```
//!
//! so `θ / (1 − ε)` with `√ε = ln(1.648 √n / p) / (2t − 1)` fails to bound ν with probability at
//! most `p` ([`FAILURE`]). When the Krylov space is exhausted earlier (the recurrence breaks down),
//! θ is ν itself and only rounding is added. A cancelled run bounds ν by the steps it has made,
//! which may be too few to say anything.
//!
//! The operator is given as `M⁻¹L`, self-adjoint in the inner product `⟨x, y⟩ = Σ_i m_i x_i y_i`,
//! so that no square roots and no scaled copy of the matrix are needed. Cost: `t` products and 24
//! bytes an element. Loss of orthogonality in floating point repeats extreme Ritz values but does
//! not move them (Paige), so nothing is reorthogonalised.

use crate::numeric::sum_by;
use crate::run::Observer;
use rand::SeedableRng;
use rand_distr::{Distribution, StandardNormal};
use rand_xoshiro::SplitMix64;
use rayon::prelude::*;

/// The probability with which the bound may fail.
pub const FAILURE: f64 = 1e-9;

/// A recurrence coefficient below this fraction of θ means that the Krylov space is exhausted.
const BREAKDOWN: f64 = 1e-10;

/// A bound of ν from `steps` Lanczos steps on `n` elements, fewer if `observer` cancels; infinite
/// if they were too few.
///
/// `apply(x, i)` is element `i` of `M⁻¹Lx`; `mass(i)` is `m_i`, 0 for an element that takes no part
/// (`apply` must then give 0).
///
/// ```
/// use lambdacut::{linalg::extreme::largest_eigenvalue_bound, run::Silent};
/// // diag(1, 2, …, 50)
/// let bound = largest_eigenvalue_bound(50, |x, i| (i + 1) as f64 * x[i], |_| 1.0, 64, 1, &Silent);
/// assert!((50.0..53.0).contains(&bound));
/// ```
pub fn largest_eigenvalue_bound(
    n: usize,
    apply: impl Fn(&[f64], usize) -> f64 + Sync,
    mass: impl Fn(usize) -> f64 + Sync,
    steps: usize,
    seed: u64,
    observer: &dyn Observer,
) -> f64 {
    let dot = |x: &[f64], y: &[f64]| sum_by(n, |i| mass(i) * x[i] * y[i]);
    let mut before = vec![0.0; n];
    let mut now = random_direction(n, &mass, seed);
    let mut next = vec![0.0; n];
    let (mut alphas, mut betas): (Vec<f64>, Vec<f64>) = (Vec::new(), Vec::new());
    let length = dot(&now, &now).sqrt();
    if length == 0.0 {
        return 0.0;
    }
    now.par_iter_mut().for_each(|x| *x /= length);
    while alphas.len() < steps && !observer.cancelled() {
        let beta = betas.last().copied().unwrap_or(0.0);
        next.par_iter_mut()
            .enumerate()
            .with_min_len(256)
            .for_each(|(i, y)| *y = apply(&now, i) - beta * before[i]);
        let alpha = dot(&next, &now);
        next.par_iter_mut()
            .zip(&now)
            .for_each(|(y, x)| *y -= alpha * x);
        alphas.push(alpha);
        let theta = largest_of_tridiagonal(&alphas, &betas);
        let beta = dot(&next, &next).sqrt();
        if beta <= BREAKDOWN * theta.max(f64::MIN_POSITIVE) {
            return theta + beta + 8.0 * BREAKDOWN * theta.abs();
        }
        betas.push(beta);
        next.par_iter_mut().for_each(|y| *y /= beta);
        std::mem::swap(&mut before, &mut now);
        std::mem::swap(&mut now, &mut next);
    }
    if alphas.is_empty() {
        return f64::INFINITY;
    }
    let theta = largest_of_tridiagonal(&alphas, &betas[..alphas.len() - 1]);
    let root = (1.648 * (n as f64).sqrt() / FAILURE).ln() / (2.0 * alphas.len() as f64 - 1.0);
    if root < 1.0 {
        theta / (1.0 - root * root)
    } else {
        f64::INFINITY
    }
}

/// `M^-½ z` with `z` Gaussian: uniform on the sphere in the inner product of `M`.
fn random_direction(n: usize, mass: &(impl Fn(usize) -> f64 + Sync), seed: u64) -> Vec<f64> {
    let element = |i: usize| {
        let m = mass(i);
        if m == 0.0 {
            return 0.0;
        }
        // One generator an element, so that the direction does not depend on how threads share the
        // work.
        let mut rng =
            SplitMix64::seed_from_u64(seed ^ (i as u64).wrapping_mul(0xD1B5_4A32_D192_ED03));
        let z: f64 = StandardNormal.sample(&mut rng);
        z / m.sqrt()
    };
    (0..n)
        .into_par_iter()
        .with_min_len(1024)
        .map(element)
        .collect()
}

/// The largest eigenvalue of the symmetric tridiagonal matrix with diagonal `alphas` and
/// off-diagonal `betas`, from above, by bisection on the number of negative pivots.
fn largest_of_tridiagonal(alphas: &[f64], betas: &[f64]) -> f64 {
    let off = |i: usize| betas.get(i).copied().unwrap_or(0.0).abs();
    let radius = |i: usize| {
        if i == 0 {
            off(0)
        } else {
            off(i - 1) + if i + 1 < alphas.len() { off(i) } else { 0.0 }
        }
    };
    let mut high = (0..alphas.len())
        .map(|i| alphas[i] + radius(i))
        .fold(f64::MIN, f64::max);
    let mut low = alphas.iter().copied().fold(f64::MIN, f64::max);
    let all_below = |x: f64| {
        let mut pivot = 1.0f64;
        (0..alphas.len()).all(|i| {
            let coupling = if i == 0 {
                0.0
            } else {
                betas[i - 1] * betas[i - 1] / pivot
            };
            pivot = alphas[i] - x - coupling;
            pivot < 0.0
        })
    };
    while high - low > 1e-14 * high.abs().max(low.abs()) {
        let middle = f64::midpoint(low, high);
        if middle <= low || middle >= high {
            break;
        }
        if all_below(middle) {
            high = middle;
        } else {
            low = middle;
        }
    }
    high
}

#[cfg(test)]
mod tests {
    use super::largest_of_tridiagonal;

    #[test]
    fn the_path_matrix_has_its_known_largest_eigenvalue() {
        // diag 2, off-diagonal −1: 2 + 2 cos(π / (n + 1)).
        for n in 1..20 {
            let expected = 2.0 + 2.0 * (std::f64::consts::PI / (n as f64 + 1.0)).cos();
            let found = largest_of_tridiagonal(&vec![2.0; n], &vec![-1.0; n - 1]);
            assert!((found - expected).abs() < 1e-12, "{n}: {found} {expected}");
        }
    }
}
