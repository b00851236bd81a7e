//! Sums that do not depend on the number of threads.

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
    let blocks: Vec<f64> =
        (0..n.div_ceil(BLOCK)).into_par_iter().map(|b| compensated((b * BLOCK..n.min((b + 1) * BLOCK)).map(&f))).collect();
    compensated(blocks.into_iter())
}

/// Neumaier's compensated sum, in the order given.
pub fn compensated(values: impl Iterator<Item = f64>) -> f64 {
    let (mut total, mut lost) = (0.0f64, 0.0f64);
    for value in values {
        let next = total + value;
        lost += if total.abs() >= value.abs() { (total - next) + value } else { (value - next) + total };
        total = next;
    }
    total + lost
}
