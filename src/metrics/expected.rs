//! The mutual information that two labellings with given sizes share by chance.
//!
//! When elements are dealt to clusters at random with sizes `a` and `b` fixed, a cell is
//! hypergeometric:
//!
//! ```text
//! P(n_ij = x) ∝ w(x),   w(x+1) / w(x) = (a−x)(b−x) / ((x+1)(N−a−b+x+1)),   E[I] = Σ_ij Σ_x P(x) · x/N · ln(N x / (a_i b_j))
//! ```
//!
//! The weights are walked outwards from the mode, where `w = 1`, until they no longer count, and
//! divided by their sum: no factorials, so nothing is lost to cancelling large logarithms. A cell
//! depends on its two sizes only, so each pair of *distinct* sizes is computed once and multiplied:
//! at most `√(2N)` distinct sizes a side, about `21` standard deviations of at most `√min(a, b) /
//! 2` a pair.

use crate::numeric::sum_by;

/// Weights below this are too small to change a sum that starts with 1.
const NEGLIGIBLE: f64 = 1e-25;

/// `E[I]` in nats for clusters of sizes `rows` against classes of sizes `columns`, both summing to
/// `total`.
pub(super) fn expected_mutual_information(rows: &[u64], columns: &[u64], total: u64) -> f64 {
    let (rows, columns) = (distinct(rows), distinct(columns));
    let pairs = rows.len() * columns.len();
    sum_by(pairs, |pair| {
        let ((a, rows), (b, columns)) = (rows[pair / columns.len()], columns[pair % columns.len()]);
        (rows * columns) as f64 * expected_cell(a, b, total)
    })
}

/// The distinct sizes, each with how often it occurs.
fn distinct(sizes: &[u64]) -> Vec<(u64, u64)> {
    let mut sorted = sizes.to_vec();
    sorted.sort_unstable();
    sorted
        .chunk_by(|x, y| x == y)
        .map(|run| (run[0], run.len() as u64))
        .collect()
}

/// `Σ_x P(x) · x/N · ln(N x / (a b))`.
fn expected_cell(a: u64, b: u64, total: u64) -> f64 {
    let (least, most) = ((a + b).saturating_sub(total), a.min(b));
    let mode = ((u128::from(a + 1) * u128::from(b + 1)) / u128::from(total + 2)) as u64;
    let mode = mode.clamp(least, most);
    let (af, bf, n) = (a as f64, b as f64, total as f64);
    let gain = |x: u64| {
        if x == 0 {
            0.0
        } else {
            x as f64 / n * (n * x as f64 / (af * bf)).ln()
        }
    };
    let up = |x: u64| {
        (a - x) as f64 * (b - x) as f64 / ((x + 1) as f64 * (total + x + 1 - a - b) as f64)
    };
    let (mut weights, mut gains) = (1.0, gain(mode));
    let mut weight = 1.0;
    for x in mode..most {
        weight *= up(x);
        if weight < NEGLIGIBLE {
            break;
        }
        weights += weight;
        gains += weight * gain(x + 1);
    }
    weight = 1.0;
    for x in (least..mode).rev() {
        weight /= up(x);
        if weight < NEGLIGIBLE {
            break;
        }
        weights += weight;
        gains += weight * gain(x);
    }
    gains / weights
}
