//! Whether what was found is everything: the number of eigenvalues against the number found.
//!
//! An inertia count `c` at the shift σ with margin η says `#{ν < σ − η} ≤ c` (see [`inertia`](super::inertia)). Found are `k` orthonormal vectors with
//! residuals `r_t`, hence `k` eigenvalues within `r_t` of the `ν_t`. If `k = c` and every `ν_t + r_t < σ − η`, then there are at least `k` and at most `c`
//! eigenvalues below `σ − η`: exactly those found. That is the proof; it says nothing about the sliver `[σ − η, β)`, whose width is reported as
//! [`SpectrumCheck::margin`].

use super::density::Estimate;
use super::inertia::Inertia;
use super::spectrum::{CheckMethod, SpectrumCheck};

/// How many eigenvalues one component has below a threshold.
#[derive(Clone, Copy)]
pub struct Count {
    /// The number, with an error bar of 0 if it was counted.
    pub estimate: Estimate,
    /// The factorisation that counted it.
    pub proof: Option<Inertia>,
}

impl Count {
    /// A count by inertia.
    pub fn proved(proof: Inertia) -> Self {
        Self { estimate: Estimate { count: proof.below as f64, error: 0.0 }, proof: Some(proof) }
    }

    /// An estimate.
    pub fn estimated(estimate: Estimate) -> Self {
        Self { estimate, proof: None }
    }

    /// The verdict on pairs `(ν, r)` found below `beta`.
    pub fn against(self, beta: f64, pairs: &[(f64, f64)], finished: bool) -> SpectrumCheck {
        let Estimate { count, error } = self.estimate;
        let found = pairs.len();
        let agrees = (count - found as f64).abs() <= if self.proof.is_some() { 0.0 } else { error.max(1.0) };
        let sure_below = self.proof.map_or(f64::NEG_INFINITY, |proof| proof.shift - proof.margin);
        let clear = pairs.iter().all(|&(nu, residual)| nu + residual < sure_below);
        SpectrumCheck {
            method: if self.proof.is_some() { CheckMethod::Inertia } else { CheckMethod::SpectralDensity },
            expected: count,
            found,
            complete: agrees && finished,
            proved: agrees && finished && clear && self.proof.is_some(),
            error_bar: error,
            margin: if self.proof.is_some() { beta - sure_below } else { 0.0 },
        }
    }
}

/// All eigenvalues were computed, so that nothing is left to count: complete up to LAPACK's backward error, a small multiple of `n ε ‖N‖`.
pub fn dense(n: usize, norm: f64, found: usize) -> SpectrumCheck {
    let margin = 10.0 * n as f64 * f64::EPSILON * norm;
    let expected = found as f64;
    SpectrumCheck { method: CheckMethod::Dense, expected, found, complete: true, proved: false, error_bar: 0.0, margin }
}

/// The check of a union: as good as that of its weakest part.
pub fn combine(checks: &[SpectrumCheck]) -> SpectrumCheck {
    let by = |method: CheckMethod| checks.iter().any(|check| check.method == method);
    let method = [CheckMethod::SpectralDensity, CheckMethod::Dense].into_iter().find(|&method| by(method));
    SpectrumCheck {
        method: method.unwrap_or(CheckMethod::Inertia),
        expected: checks.iter().map(|c| c.expected).sum(),
        found: checks.iter().map(|c| c.found).sum(),
        complete: checks.iter().all(|c| c.complete),
        proved: checks.iter().all(|c| c.proved),
        error_bar: checks.iter().map(|c| c.error_bar).sum(),
        margin: checks.iter().map(|c| c.margin).fold(0.0, f64::max),
    }
}
