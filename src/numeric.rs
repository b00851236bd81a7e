//! Sums that do not depend on the number of threads, and numbers without an upper end in JSON.

use rayon::prelude::*;

/// Elements summed in one piece; fixed, so that the grouping of a sum never depends on the machine.
pub const BLOCK: usize = 1 << 14;

/// The sum of `values`: blocks in parallel, then the blocks in order, each compensated (Neumaier).
///
/// ```
/// assert_eq!(lambdacut::numeric::sum(&[1e16, 1.0, -1e16]), 1.0);
/// ```
pub fn sum(values: &[f64]) -> f64 {
    sum_by(values.len(), |i| values[i])
}

/// `Σ_{i<n} f(i)`, grouped in fixed blocks and compensated. O(n), parallel.
pub fn sum_by(n: usize, f: impl Fn(usize) -> f64 + Sync) -> f64 {
    let blocks: Vec<f64> = (0..n.div_ceil(BLOCK))
        .into_par_iter()
        .map(|b| compensated((b * BLOCK..n.min((b + 1) * BLOCK)).map(&f)))
        .collect();
    compensated(blocks.into_iter())
}

/// Neumaier's compensated sum, in the order given.
pub fn compensated(values: impl Iterator<Item = f64>) -> f64 {
    let (mut total, mut lost) = (0.0f64, 0.0f64);
    for value in values {
        let next = total + value;
        lost += if total.abs() >= value.abs() {
            (total - next) + value
        } else {
            (value - next) + total
        };
        total = next;
    }
    total + lost
}

/// A number without an upper end, for `serde(with)`: JSON has no infinity, so +∞ is written as
/// null, and null is read as +∞.
///
/// ```
/// #[derive(serde::Serialize, serde::Deserialize)]
/// struct Limit(#[serde(with = "lambdacut::numeric::infinite_as_null")] f64);
/// assert_eq!(serde_json::to_string(&Limit(f64::INFINITY)).unwrap(), "null");
/// assert_eq!(serde_json::from_str::<Limit>("null").unwrap().0, f64::INFINITY);
/// assert_eq!(serde_json::from_str::<Limit>("2.5").unwrap().0, 2.5);
/// ```
pub mod infinite_as_null {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    /// Writes a number, or nothing for an infinite one.
    pub fn serialize<S: Serializer>(value: &f64, serializer: S) -> Result<S::Ok, S::Error> {
        value.is_finite().then_some(*value).serialize(serializer)
    }

    /// Reads a number, or nothing as an infinite one.
    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
        Ok(Option::deserialize(deserializer)?.unwrap_or(f64::INFINITY))
    }
}
