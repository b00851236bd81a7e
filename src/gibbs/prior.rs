//! What is known of the two variances and the concentration before the data.

use serde::{Deserialize, Serialize};

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
    pub(super) fn start(self, inverse: bool) -> f64 {
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

    pub(super) fn is_valid(self) -> bool {
        let positive = |v: f64| v.is_finite() && v > 0.0;
        match self {
            Self::Fixed(value) => positive(value),
            Self::Gamma { shape, rate } => positive(shape) && positive(rate),
        }
    }
}

/// The priors of a chain.
#[derive(Debug, Clone, Copy)]
pub(super) struct Model {
    /// Of the concentration α.
    pub alpha: Prior,
    /// Of the variance σ of a cluster.
    pub sigma: Prior,
    /// The variance ρ of the means.
    pub rho: f64,
}
