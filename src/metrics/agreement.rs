//! Numbers that say how well a found labelling agrees with a true one.
//!
//! In the symbols of the contingency table, with logarithms in nats:
//!
//! ```text
//! H(a) = −Σ_i a_i/N ln(a_i/N)        I = Σ_ij n_ij/N ln(N n_ij / (a_i b_j))        VI = H(a) + H(b) − 2 I
//! NMI  = I / mean(H(a), H(b))        AMI = (I − E[I]) / ((H(a) + H(b))/2 − E[I])
//! P_a  = Σ_i C(a_i, 2)   P_b = Σ_j C(b_j, 2)   P_ab = Σ_ij C(n_ij, 2)               pairs together in found, in truth, in both
//! F1   = 2 P_ab / (P_a + P_b)        ARI = (P_ab − P_a P_b / C(N, 2)) / ((P_a + P_b)/2 − P_a P_b / C(N, 2))
//! purity = Σ_i max_j n_ij / N
//! ```
//!
//! Where a quotient is 0/0 the conventions are scikit-learn's: two labellings that are both one
//! cluster, or both all singletons, agree perfectly (1); an empty comparison is perfect too.

use super::contingency::Contingency;
use super::expected::expected_mutual_information;
use super::{Cell, MetricError};
use crate::ids::Cluster;
use crate::numeric::sum_by;
use serde::{Deserialize, Serialize};

/// What the mutual information is divided by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Mean {
    /// `(H(a) + H(b)) / 2`.
    #[default]
    Arithmetic,
    /// `√(H(a) H(b))`.
    Geometric,
    /// `max(H(a), H(b))`.
    Max,
}

impl Mean {
    fn of(self, x: f64, y: f64) -> f64 {
        match self {
            Self::Arithmetic => f64::midpoint(x, y),
            Self::Geometric => (x * y).sqrt(),
            Self::Max => x.max(y),
        }
    }
}

/// Everything a [`Contingency`] table says, under the names of the `truth` section of `--json`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Agreement {
    /// Elements compared.
    pub elements: u64,
    /// Found clusters among them.
    pub clusters: usize,
    /// True classes among them.
    pub classes: usize,
    /// Normalised mutual information, arithmetic mean.
    pub nmi: f64,
    /// Normalised mutual information, geometric mean.
    pub nmi_geometric: f64,
    /// Normalised mutual information, maximum.
    pub nmi_max: f64,
    /// Adjusted mutual information, arithmetic mean.
    pub ami: f64,
    /// Adjusted Rand index.
    pub ari: f64,
    /// The share of elements in the majority class of their cluster.
    pub purity: f64,
    /// Variation of information, in nats.
    pub variation_of_information: f64,
    /// Of the pairs put together, the share that belongs together.
    pub pair_precision: f64,
    /// Of the pairs that belong together, the share put together.
    pub pair_recall: f64,
    /// The harmonic mean of the two.
    pub pair_f1: f64,
}

impl Agreement {
    /// Compares `found` with `truth`. O(n) plus the expected mutual information.
    ///
    /// ```
    /// let agreement = lambdacut::metrics::Agreement::of(&[0, 0, 1, 1], &[3, 3, 9, 9]).unwrap();
    /// assert_eq!((agreement.nmi, agreement.ari, agreement.purity), (1.0, 1.0, 1.0));
    /// ```
    pub fn of(found: &[Cluster], truth: &[Cluster]) -> Result<Self, MetricError> {
        let table = Contingency::new(found, truth)?;
        let (pair_precision, pair_recall, pair_f1) = table.pair_scores();
        Ok(Self {
            elements: table.total(),
            clusters: table.row_sums().len(),
            classes: table.column_sums().len(),
            nmi: table.nmi(Mean::Arithmetic),
            nmi_geometric: table.nmi(Mean::Geometric),
            nmi_max: table.nmi(Mean::Max),
            ami: table.ami(),
            ari: table.ari(),
            purity: table.purity(),
            variation_of_information: table.variation_of_information(),
            pair_precision,
            pair_recall,
            pair_f1,
        })
    }
}

impl Contingency {
    /// `(H(a), H(b))` in nats.
    pub fn entropies(&self) -> (f64, f64) {
        let n = self.total as f64;
        let of = |sizes: &[u64]| {
            0.0 - sum_by(sizes.len(), |i| {
                sizes[i] as f64 / n * (sizes[i] as f64 / n).ln()
            })
        };
        (of(&self.rows), of(&self.columns))
    }

    /// `I` in nats.
    pub fn mutual_information(&self) -> f64 {
        let n = self.total as f64;
        let term = |cell: &Cell| {
            let (x, a, b) = (
                cell.count as f64,
                self.rows[cell.row as usize] as f64,
                self.columns[cell.column as usize] as f64,
            );
            x / n * (n * x / (a * b)).ln()
        };
        sum_by(self.cells.len(), |i| term(&self.cells[i])).max(0.0)
    }

    /// `VI = H(a) + H(b) − 2 I` in nats; 0 exactly if the partitions are equal.
    pub fn variation_of_information(&self) -> f64 {
        if self.is_bijection() {
            return 0.0;
        }
        let (a, b) = self.entropies();
        (a + b - 2.0 * self.mutual_information()).max(0.0)
    }

    /// Normalised mutual information.
    ///
    /// ```
    /// use lambdacut::metrics::{Contingency, Mean};
    /// let table = Contingency::new(&[0, 0, 1, 1], &[0, 0, 0, 1]).unwrap();
    /// assert!((table.nmi(Mean::Arithmetic) - 0.343_711_018_485_450_8).abs() < 1e-15);
    /// ```
    pub fn nmi(&self, mean: Mean) -> f64 {
        if self.is_bijection() {
            return 1.0;
        }
        let (a, b) = self.entropies();
        let information = self.mutual_information();
        if information <= f64::EPSILON {
            0.0
        } else {
            (information / mean.of(a, b)).min(1.0)
        }
    }

    /// Adjusted mutual information: 0 on average for labels dealt at random, 1 for equal
    /// partitions.
    pub fn ami(&self) -> f64 {
        if self.is_bijection() {
            return 1.0;
        }
        let (a, b) = self.entropies();
        let chance = expected_mutual_information(&self.rows, &self.columns, self.total);
        let room = f64::midpoint(a, b) - chance;
        let room = if room < 0.0 {
            room.min(-f64::EPSILON)
        } else {
            room.max(f64::EPSILON)
        };
        (self.mutual_information() - chance) / room
    }

    /// Adjusted Rand index.
    pub fn ari(&self) -> f64 {
        let Pairs { found, truth, both } = self.pairs();
        if found == both && truth == both {
            return 1.0;
        }
        let all = pairs_of(self.total) as f64;
        let chance = found as f64 * truth as f64 / all;
        (both as f64 - chance) / (f64::midpoint(found as f64, truth as f64) - chance)
    }

    /// The share of elements in the majority class of their found cluster.
    pub fn purity(&self) -> f64 {
        let majority = |row: &[Cell]| row.iter().map(|c| c.count).max().unwrap_or(0);
        let right: u64 = self
            .cells
            .chunk_by(|x, y| x.row == y.row)
            .map(majority)
            .sum();
        quotient(right.into(), self.total.into())
    }

    /// Precision, recall and F1 of "these two belong together".
    pub fn pair_scores(&self) -> (f64, f64, f64) {
        let Pairs { found, truth, both } = self.pairs();
        (
            quotient(both, found),
            quotient(both, truth),
            quotient(2 * both, found + truth),
        )
    }

    fn pairs(&self) -> Pairs {
        let of = |sizes: &[u64]| sizes.iter().map(|&size| pairs_of(size)).sum();
        Pairs {
            found: of(&self.rows),
            truth: of(&self.columns),
            both: self.cells.iter().map(|cell| pairs_of(cell.count)).sum(),
        }
    }

    /// Whether the two labellings are the same partition under different names.
    fn is_bijection(&self) -> bool {
        self.cells.len() == self.rows.len() && self.cells.len() == self.columns.len()
    }
}

struct Pairs {
    found: u128,
    truth: u128,
    both: u128,
}

fn pairs_of(size: u64) -> u128 {
    let size = u128::from(size);
    size * size.saturating_sub(1) / 2
}

/// `x / y`, and 1 for 0/0: there was nothing to get wrong.
fn quotient(x: u128, y: u128) -> f64 {
    if y == 0 { 1.0 } else { x as f64 / y as f64 }
}
