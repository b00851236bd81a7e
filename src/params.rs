//! Checked parameters shared by the algorithms. Defaults are written here and nowhere else.

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// The seed used when none is given.
pub const DEFAULT_SEED: u64 = 1;

/// A parameter outside its range; the message says what to do.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum ParamError {
    /// β must be a finite number.
    #[error("the resolution must be a finite number, not {0}")]
    ResolutionNotFinite(f64),
    /// β ≤ 0 has a known answer that needs no search: see
    /// [`component_clustering`](crate::cut::component_clustering).
    #[error(
        "at a resolution of {0} (β ≤ 0) a cluster earns nothing, so no clustering into connected clusters is better than one cluster per \
         connected component, whose cut is 0; choose β > 0 (for normalized cut usually 0.05 to 0.95)"
    )]
    ResolutionNotPositive(f64),
    /// Any other value out of range.
    #[error("{name} must be {expected}, not {found}")]
    OutOfRange {
        /// The parameter.
        name: &'static str,
        /// What is allowed.
        expected: &'static str,
        /// What was given.
        found: String,
    },
}

impl ParamError {
    /// `name` must be `expected`, not `found`.
    pub(crate) fn out_of_range(
        name: &'static str,
        expected: &'static str,
        found: &dyn std::fmt::Display,
    ) -> Self {
        let found = found.to_string();
        Self::OutOfRange {
            name,
            expected,
            found,
        }
    }
}

/// The resolution β > 0: a cluster is worth having if its cut ratio is below β. More β, more
/// clusters. It is the paper's −λ'.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Serialize, Deserialize)]
#[serde(try_from = "f64", into = "f64")]
pub struct Resolution(f64);

impl Resolution {
    /// Checks that β is finite and positive.
    ///
    /// ```
    /// use lambdacut::params::Resolution;
    /// assert_eq!(Resolution::new(0.5).unwrap().get(), 0.5);
    /// assert!(Resolution::new(0.0).unwrap_err().to_string().contains("component"));
    /// ```
    pub fn new(beta: f64) -> Result<Self, ParamError> {
        match beta {
            b if !b.is_finite() => Err(ParamError::ResolutionNotFinite(b)),
            b if b <= 0.0 => Err(ParamError::ResolutionNotPositive(b)),
            b => Ok(Self(b)),
        }
    }

    /// The value of β.
    pub fn get(self) -> f64 {
        self.0
    }
}

impl TryFrom<f64> for Resolution {
    type Error = ParamError;
    fn try_from(beta: f64) -> Result<Self, ParamError> {
        Self::new(beta)
    }
}

impl From<Resolution> for f64 {
    fn from(beta: Resolution) -> f64 {
        beta.0
    }
}
