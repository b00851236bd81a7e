//! Whether what was found is everything: the number of eigenvalues against the number found.
//!
//! An inertia count `c` at the shift σ with margin η says `#{ν < σ − η} ≤ c` (see
//! [`inertia`](super::inertia)). Found are `k` orthonormal vectors with residuals `r_t`, hence `k`
//! eigenvalues within `r_t` of the `ν_t`. If for exactly `c` of them `ν_t + r_t < σ − η`, then
//! there are at least and at most `c` eigenvalues below `σ − η`: exactly those found. That is the
//! proof; it says nothing about the sliver `[σ − η, β)`, whose width is reported as
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
        Self {
            estimate: Estimate {
                count: proof.below as f64,
                error: 0.0,
            },
            proof: Some(proof),
        }
    }

    /// An estimate.
    pub fn estimated(estimate: Estimate) -> Self {
        Self {
            estimate,
            proof: None,
        }
    }

    /// The verdict on pairs `(ν, r)` found below `beta`.
    pub fn against(self, beta: f64, pairs: &[(f64, f64)], finished: bool) -> SpectrumCheck {
        let Estimate { count, error } = self.estimate;
        let found = pairs.len();
        let Some(Inertia {
            below,
            shift,
            margin,
        }) = self.proof
        else {
            // The error bar is two standard errors, which chance exceeds now and then; three it
            // hardly does.
            let complete = finished && (count - found as f64).abs() <= 1.5 * error.max(1.0);
            let method = CheckMethod::SpectralDensity;
            return SpectrumCheck {
                method,
                expected: count,
                found,
                complete,
                proved: false,
                error_bar: error,
                margin: 0.0,
            };
        };
        let surely_below = pairs
            .iter()
            .filter(|&&(nu, residual)| nu + residual < shift - margin)
            .count();
        // Those found in the sliver may or may not have been counted.
        let complete = finished && surely_below <= below && below <= found;
        SpectrumCheck {
            method: CheckMethod::Inertia,
            expected: if complete { found as f64 } else { count },
            found,
            complete,
            proved: complete && surely_below == below,
            error_bar: 0.0,
            margin: beta - (shift - margin),
        }
    }
}

/// The verdict on dense problems of order `n` at most. All their eigenvalues were computed, so that
/// without a proof nothing is left to count: complete up to LAPACK's backward error, a small
/// multiple of `n ε ‖N‖`.
pub fn dense(count: Count, beta: f64, pairs: &[(f64, f64)], n: usize, norm: f64) -> SpectrumCheck {
    if count.proof.is_some() {
        return count.against(beta, pairs, true);
    }
    let margin = 10.0 * n as f64 * f64::EPSILON * norm;
    let (found, expected) = (pairs.len(), pairs.len() as f64);
    SpectrumCheck {
        method: CheckMethod::Dense,
        expected,
        found,
        complete: true,
        proved: false,
        error_bar: 0.0,
        margin,
    }
}

/// The check of a union: as good as that of its weakest part.
pub fn combine(checks: &[SpectrumCheck]) -> SpectrumCheck {
    let by = |method: CheckMethod| checks.iter().any(|check| check.method == method);
    let method = [CheckMethod::SpectralDensity, CheckMethod::Dense]
        .into_iter()
        .find(|&method| by(method));
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_proof_needs_the_count_and_distance() {
        let count = Count::proved(Inertia {
            below: 3,
            shift: 0.5,
            margin: 1e-6,
        });
        let verdict = |values: &[f64], finished: bool| {
            let pairs: Vec<(f64, f64)> = values.iter().map(|&nu| (nu, 1e-9)).collect();
            let check = count.against(0.5 + 1e-8, &pairs, finished);
            (check.complete, check.proved)
        };
        assert_eq!(verdict(&[0.0, 0.1, 0.2], true), (true, true));
        assert_eq!(verdict(&[0.0, 0.1, 0.2], false), (false, false));
        assert_eq!(verdict(&[0.0, 0.1], true), (false, false));
        // Closer to the shift than rounding: it may not be the third one counted.
        assert_eq!(verdict(&[0.0, 0.1, 0.5 - 1e-7], true), (true, false));
        assert_eq!(verdict(&[0.0, 0.1, 0.2, 0.5 + 1e-9], true), (true, true));
        // Four for certain, three counted: something is wrong.
        assert_eq!(verdict(&[0.0, 0.1, 0.2, 0.3], true), (false, false));
    }
}
