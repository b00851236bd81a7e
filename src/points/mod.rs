//! Dense points: rows of finite numbers, with weights where wanted, and groups of rows (the data
//! sets of the HDP).
//!
//! Beside the type itself this folder holds what every centre-based method shares: the exact
//! distance, the search for the nearest centre at the speed of a matrix product, means, the state
//! of an alternating minimisation with its bounds, and the two ways to choose starting centres.

mod distance;
mod groups;
mod lloyd;
mod nearest;
mod seeding;

pub use distance::squared_distance;
pub use groups::Groups;
pub use lloyd::{Alternation, LloydPass, lloyd};
pub use nearest::{Frame, Nearest, Search};
pub use seeding::{FarthestFirst, Round, k_means_plus_plus};

use crate::ids::{TooManyVertices, checked_count};
use crate::numeric::sum_by;
use crate::params::ParamError;
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// The largest magnitude of a coordinate: beyond it squared distances would overflow.
pub const LARGEST: f64 = 1e150;

/// Why numbers do not make points.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum PointsError {
    /// A point needs a coordinate.
    #[error("points need at least one coordinate")]
    NoCoordinates,
    /// The rows are not equally long.
    #[error("row {row} has {found} values where {expected} are expected")]
    Ragged {
        /// The row, counted from 0.
        row: usize,
        /// Its length.
        found: usize,
        /// The dimension.
        expected: usize,
    },
    /// NaN, infinite, or so large that squared distances overflow.
    #[error(
        "row {row}, column {column}: {value} is not a finite number of magnitude at most {LARGEST:e}"
    )]
    Value {
        /// The row, counted from 0.
        row: usize,
        /// The column, counted from 0.
        column: usize,
        /// The value.
        value: f64,
    },
    /// Weights must be positive and finite.
    #[error("the weight of row {row} is {weight}; weights must be positive and finite")]
    Weight {
        /// The row, counted from 0.
        row: usize,
        /// The weight.
        weight: f64,
    },
    /// One weight, group or label a point.
    #[error("{found} {what} do not fit {points} points")]
    Count {
        /// What was counted.
        what: &'static str,
        /// How many were given.
        found: usize,
        /// How many points there are.
        points: usize,
    },
    /// Centres or other points of another dimension.
    #[error("{what} have {found} coordinates where {expected} are expected")]
    Dimension {
        /// What was given.
        what: &'static str,
        /// Its dimension.
        found: usize,
        /// The dimension of the points.
        expected: usize,
    },
    /// A parameter out of range.
    #[error(transparent)]
    Param(#[from] ParamError),
    /// More rows than 32-bit ids can number.
    #[error(transparent)]
    TooMany(#[from] TooManyVertices),
}

/// `n` points in `d` dimensions, row by row, each with a positive weight (1 unless given).
///
/// Memory: `8 n d` bytes, and `8 n` more when weighted.
///
/// ```
/// use lambdacut::points::Points;
/// let points = Points::from_rows(&[[0.0, 0.0], [3.0, 4.0]]).unwrap();
/// assert_eq!((points.len(), points.dimension(), points.row(1)), (2, 2, &[3.0, 4.0][..]));
/// assert!(Points::from_rows(&[[f64::NAN]]).is_err());
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Stored")]
pub struct Points {
    dimension: usize,
    values: Vec<f64>,
    weights: Option<Vec<f64>>,
}

/// Points as stored, before they are checked.
#[derive(Deserialize)]
struct Stored {
    dimension: usize,
    values: Vec<f64>,
    weights: Option<Vec<f64>>,
}

impl TryFrom<Stored> for Points {
    type Error = PointsError;
    fn try_from(stored: Stored) -> Result<Self, PointsError> {
        let points = Self::new(stored.dimension, stored.values)?;
        stored
            .weights
            .into_iter()
            .try_fold(points, Self::with_weights)
    }
}

impl Points {
    /// Takes `values` as rows of `dimension` numbers each.
    pub fn new(dimension: usize, values: Vec<f64>) -> Result<Self, PointsError> {
        if dimension == 0 {
            return Err(PointsError::NoCoordinates);
        }
        let rows = values.len() / dimension;
        checked_count(rows)?;
        if !values.len().is_multiple_of(dimension) {
            return Err(PointsError::Ragged {
                row: rows,
                found: values.len() % dimension,
                expected: dimension,
            });
        }
        match values.iter().position(|v| v.is_nan() || v.abs() > LARGEST) {
            Some(at) => Err(PointsError::Value {
                row: at / dimension,
                column: at % dimension,
                value: values[at],
            }),
            None => Ok(Self {
                dimension,
                values,
                weights: None,
            }),
        }
    }

    /// Copies rows of equal length.
    pub fn from_rows<R: AsRef<[f64]>>(rows: &[R]) -> Result<Self, PointsError> {
        let dimension = rows.first().map_or(1, |r| r.as_ref().len());
        if let Some(row) = rows.iter().position(|r| r.as_ref().len() != dimension) {
            return Err(PointsError::Ragged {
                row,
                found: rows[row].as_ref().len(),
                expected: dimension,
            });
        }
        Self::new(
            dimension,
            rows.iter().flat_map(AsRef::as_ref).copied().collect(),
        )
    }

    /// Wraps values that are known to be whole rows of acceptable numbers.
    pub(crate) fn from_valid(dimension: usize, values: Vec<f64>) -> Self {
        debug_assert!(dimension > 0 && values.len().is_multiple_of(dimension));
        Self {
            dimension,
            values,
            weights: None,
        }
    }

    /// Gives every point its weight.
    pub fn with_weights(mut self, weights: Vec<f64>) -> Result<Self, PointsError> {
        if weights.len() != self.len() {
            return Err(PointsError::Count {
                what: "weights",
                found: weights.len(),
                points: self.len(),
            });
        }
        if let Some(row) = weights.iter().position(|w| !(w.is_finite() && *w > 0.0)) {
            return Err(PointsError::Weight {
                row,
                weight: weights[row],
            });
        }
        self.weights = Some(weights);
        Ok(self)
    }

    /// The number of points n.
    pub fn len(&self) -> usize {
        self.values.len() / self.dimension
    }

    /// Whether there are no points.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// The number of coordinates d.
    pub fn dimension(&self) -> usize {
        self.dimension
    }

    /// Point `i`.
    #[inline]
    pub fn row(&self, i: usize) -> &[f64] {
        &self.values[i * self.dimension..(i + 1) * self.dimension]
    }

    /// All coordinates, row by row.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// The weight of point `i`.
    #[inline]
    pub fn weight(&self, i: usize) -> f64 {
        self.weights.as_ref().map_or(1.0, |w| w[i])
    }

    /// Whether weights were given.
    pub fn is_weighted(&self) -> bool {
        self.weights.is_some()
    }

    /// `Σ_i w_i`.
    pub fn total_weight(&self) -> f64 {
        self.weights
            .as_ref()
            .map_or(self.len() as f64, |w| crate::numeric::sum(w))
    }

    /// The weighted mean `Σ_i w_i x_i / Σ_i w_i`; the origin when there are no points.
    pub fn mean(&self) -> Vec<f64> {
        let total = self.total_weight().max(f64::MIN_POSITIVE);
        (0..self.dimension)
            .map(|t| sum_by(self.len(), |i| self.weight(i) * self.row(i)[t]) / total)
            .collect()
    }

    /// The points `rows`, in that order, with their weights.
    #[must_use]
    pub fn select(&self, rows: &[u32]) -> Self {
        let values = rows
            .iter()
            .flat_map(|&i| self.row(i as usize))
            .copied()
            .collect();
        let weights = self
            .weights
            .as_ref()
            .map(|w| rows.iter().map(|&i| w[i as usize]).collect());
        Self {
            dimension: self.dimension,
            values,
            weights,
        }
    }

    /// Every column shifted to mean 0 (weights counted).
    #[must_use]
    pub fn centred(&self) -> Self {
        let mean = self.mean();
        let values = self
            .values
            .chunks(self.dimension)
            .flat_map(|row| row.iter().zip(&mean).map(|(x, m)| x - m))
            .collect();
        Self {
            dimension: self.dimension,
            values,
            weights: self.weights.clone(),
        }
    }

    /// Every column shifted to mean 0 and scaled to variance 1 (weights counted); a constant column
    /// becomes 0.
    ///
    /// ```
    /// use lambdacut::points::Points;
    /// let points = Points::from_rows(&[[1.0, 7.0], [3.0, 7.0]]).unwrap().standardised();
    /// assert_eq!(points.values(), [-1.0, 0.0, 1.0, 0.0]);
    /// ```
    #[must_use]
    pub fn standardised(&self) -> Self {
        let (mean, total) = (self.mean(), self.total_weight().max(f64::MIN_POSITIVE));
        let mut values = self.values.clone();
        for (t, centre) in mean.iter().enumerate() {
            let variance = sum_by(self.len(), |i| {
                self.weight(i) * (self.row(i)[t] - centre).powi(2)
            }) / total;
            let scale = if variance > 0.0 {
                variance.sqrt().recip()
            } else {
                0.0
            };
            for value in values[t..].iter_mut().step_by(self.dimension) {
                *value = (*value - centre) * scale;
            }
        }
        Self {
            dimension: self.dimension,
            values,
            weights: self.weights.clone(),
        }
    }
}
