//! Whole numbers with `P(x) ∝ x^−γ` between two limits.

use super::GenerateError;
use super::random::Stream;

/// A discrete power law, as a table of cumulative weights. Memory: 8 bytes a value.
pub(super) struct PowerLaw {
    least: u32,
    cumulative: Vec<f64>,
}

impl PowerLaw {
    /// `P(x) ∝ x^−γ` for `x` in `least..=most`.
    pub(super) fn new(exponent: f64, least: u32, most: u32) -> Self {
        Self::with_share(exponent, least, most, 1.0)
    }

    /// The power law up to `most` with the given mean.
    ///
    /// The free parameter is the smallest value. It is whole, so the mean would jump; therefore the
    /// smallest value `k` keeps only a share `s` of its weight. With `W = Σ_{x>k} x^−γ` and `M =
    /// Σ_{x>k} x^{1−γ}` the mean is `(M + s k^{1−γ}) / (W + s k^−γ)`, which gives `s = (M − mean ·
    /// W) / (k^−γ (mean − k))` for the `k` at which it lies in `(0, 1]`.
    pub(super) fn with_mean(exponent: f64, mean: f64, most: u32) -> Result<Self, GenerateError> {
        let (mut weight, mut moment) = (0.0, 0.0);
        for k in (1..=most).rev() {
            let own = libm::pow(k.into(), -exponent);
            let with_k = (moment + own * f64::from(k)) / (weight + own);
            if with_k <= mean {
                let share = if weight == 0.0 {
                    1.0
                } else {
                    (moment - mean * weight) / (own * (mean - f64::from(k)))
                };
                return Ok(Self::with_share(exponent, k, most, share.clamp(0.0, 1.0)));
            }
            weight += own;
            moment += own * f64::from(k);
        }
        Err(GenerateError::Mean {
            mean,
            exponent,
            most,
            lowest: moment / weight,
        })
    }

    fn with_share(exponent: f64, least: u32, most: u32, share: f64) -> Self {
        let mut total = 0.0;
        let cumulative = (least..=most)
            .map(|x| {
                total += libm::pow(x.into(), -exponent) * if x == least { share } else { 1.0 };
                total
            })
            .collect();
        Self { least, cumulative }
    }

    /// The smallest value.
    pub(super) fn least(&self) -> u32 {
        self.least
    }

    /// A value.
    pub(super) fn draw(&self, stream: &mut Stream) -> u32 {
        let last = self.cumulative.len() - 1;
        let point = stream.unit() * self.cumulative[last];
        self.least + self.cumulative.partition_point(|&c| c <= point).min(last) as u32
    }
}
