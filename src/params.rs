//! Checked parameters shared by the algorithms. Defaults are written here and nowhere else.

use serde::{Deserialize, Serialize};
use std::time::Duration;
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
    /// [`component_clustering`](crate::objective::component_clustering).
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

/// Which cut is normalised by what: the mass of a vertex is its degree or 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[non_exhaustive]
pub enum ObjectiveKind {
    /// `Σ_c cut_c / D_c`: the mass of a vertex is its degree.
    #[default]
    #[serde(rename = "ncut")]
    NormalizedCut,
    /// `Σ_c cut_c / n_c`: the mass of a vertex is 1.
    #[serde(rename = "rcut")]
    RatioCut,
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

/// When an iterative algorithm stops, besides "nothing changed" (always) and cancellation (always).
///
/// ```
/// use lambdacut::params::StopRules;
/// let rules = StopRules { passes: Some(10), ..StopRules::default() };
/// assert!(rules.relative_gain.is_none());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct StopRules {
    /// At most this many passes.
    pub passes: Option<usize>,
    /// Stop when a pass improves the objective by less than this fraction of its magnitude.
    pub relative_gain: Option<f64>,
    /// Stop before the pass that would start after this much time.
    pub time: Option<Duration>,
}
