//! The polynomial that brings the wanted end of a spectrum to the top, well apart.
//!
//! Let the spectrum of `N` lie in `[0, u]`, let β be the threshold and β' = 1.1 β. The filter is
//! the Chebyshev polynomial of degree `d` of the interval of *unwanted* eigenvalues,
//!
//! ```text
//! p(x) = T_d( (u + β' − 2x) / (u − β') ),    |p| ≤ 1 on [β', u],    p(x) grows like e^(d·acosh(…)) below β',
//! ```
//!
//! computed by its three-term recurrence: `d` products with `N`, no inner product. `d` is the
//! smallest degree with `p(0) ≥` [`AMPLIFICATION`]: more would lose the eigenvalues close to β in
//! the rounding errors of those close to 0. Wanted is what lies beyond `p(β)`, about 10: on `[β',
//! u]` the filter comes close to 1 over and over, so that an eigenvalue of that size would be one
//! of a crowd, whereas at `p(β)` it has only its natural neighbours.

use super::operator::{Affine, SymmetricOperator};

/// How much the filter magnifies the lowest eigenvalue over the unwanted ones.
pub const AMPLIFICATION: f64 = 1e4;
/// The unwanted eigenvalues begin this share of β beyond it.
const MARGIN: f64 = 0.1;
/// The largest degree of the filter.
const MOST_DEGREE: usize = 400;

/// `p(N)`: see the module.
#[derive(Debug, Clone, Copy)]
pub struct Filter {
    /// `d`: the products with `N` that one application takes.
    pub degree: usize,
    center: f64,
    half: f64,
}

impl Filter {
    /// The filter for a threshold and a bound of the spectrum.
    pub fn new(below: f64, upper: f64) -> Self {
        let unwanted = ((1.0 + MARGIN) * below).min(f64::midpoint(below, upper));
        let rate = ((upper + unwanted) / (upper - unwanted)).acosh();
        let degree = ((AMPLIFICATION.acosh() / rate).ceil() as usize).clamp(2, MOST_DEGREE);
        Self {
            degree,
            center: f64::midpoint(upper, unwanted),
            half: 0.5 * (upper - unwanted),
        }
    }

    /// `p(x)`, for `x` below the interval of unwanted eigenvalues.
    pub fn at(&self, x: f64) -> f64 {
        (self.degree as f64 * ((self.center - x) / self.half).max(1.0).acosh()).cosh()
    }

    /// `x ← p(N) x`, with `y` as workspace of the same size.
    pub fn apply(
        &self,
        operator: &dyn SymmetricOperator,
        b: usize,
        x: &mut Vec<f64>,
        y: &mut Vec<f64>,
    ) {
        // T_1 = (c − N)/e, and T_{k+1} = 2 (c − N)/e T_k − T_{k−1} overwrites T_{k−1}.
        let first = Affine {
            alpha: -1.0 / self.half,
            gamma: self.center / self.half,
            delta: 0.0,
        };
        let next = Affine {
            alpha: 2.0 * first.alpha,
            gamma: 2.0 * first.gamma,
            delta: -1.0,
        };
        operator.recur(b, x, y, self.degree, [first, next]);
    }
}
