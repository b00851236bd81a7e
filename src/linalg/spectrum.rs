//! Every eigenvalue of `M^-½ L M^-½` below β, component by component, with a check that none is
//! missing.
//!
//! The spectrum of a graph is the union of the spectra of its components, and each component
//! contributes the eigenvalue 0 exactly once, with the eigenvector `M^½ 1_c`. Components of up to
//! [`SpectrumOptions::dense_limit`] vertices are solved densely, many at a time; larger ones by
//! [`lanczos`](super::lanczos()). Vectors are kept by component, so that thousands of components
//! cost no more than one graph of their total size. The computation itself is
//! [`spectrum`](super::spectrum()).
//!
//! *The check.* The number of eigenvalues below β is counted by the inertia of a sparse
//! factorisation where its cost allows, otherwise estimated from the spectral density in the space
//! orthogonal to what was found (that is evidence with an error bar). With a count the search goes
//! on until it has found as many. A count is called a proof ([`SpectrumCheck::proved`]) if a bound
//! of the factorisation's rounding errors, computed from its factors, shows that none is missing
//! below `β −` [`SpectrumCheck::margin`]; the margin is mostly the tolerance, and it is reported.
//!
//! *On the threshold.* An eigenvalue within the tolerance `τ = tolerance · max_i d_i/m_i` of β (the
//! maximum is 1 for normalized cut) counts as lying on it, hence not below it: everything below is
//! cut at, and the inertia taken at, `β − τ`.

use super::block::Tall;
use super::dense::LinalgError;
use crate::ids::Vertex;
use crate::params::DEFAULT_SEED;
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// Why no spectrum was computed.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum SpectrumError {
    /// A dense problem failed.
    #[error(transparent)]
    Dense(#[from] LinalgError),
    /// The threshold is not a number.
    #[error("the threshold must be a finite number, not {0}")]
    Threshold(f64),
    /// Not even a few vectors fit.
    #[error("the smallest search needs {needed} bytes of memory, but only {allowed} are allowed")]
    Memory {
        /// Bytes needed.
        needed: u64,
        /// Bytes allowed.
        allowed: u64,
    },
}

/// Which part of the spectrum.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Extent {
    /// All eigenvalues below β.
    Below(f64),
    /// The K smallest (a multiple eigenvalue may be cut).
    Smallest(usize),
}

/// How a spectrum is computed. The defaults suit a graph of any size on one machine.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct SpectrumOptions {
    /// At most this many eigenpairs; the smallest are kept when there are more.
    pub max_vectors: usize,
    /// At most this much memory for the search, in bytes; lowers `max_vectors` where necessary.
    pub max_bytes: Option<u64>,
    /// Residual `‖N x − ν x‖` of every pair, relative to `max_i d_i/m_i` (1 for normalized cut).
    pub tolerance: f64,
    /// Components of up to this many vertices are solved densely.
    pub dense_limit: usize,
    /// The most operations a factorisation for the count may take; infinite for no limit.
    #[serde(with = "crate::numeric::infinite_as_null")]
    pub factor_flops: f64,
    /// The seed of the random vectors.
    pub seed: u64,
}

impl Default for SpectrumOptions {
    fn default() -> Self {
        Self {
            max_vectors: 2000,
            max_bytes: None,
            tolerance: 1e-9,
            dense_limit: 400,
            factor_flops: 2e11,
            seed: DEFAULT_SEED,
        }
    }
}

/// How the number of eigenvalues was checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum CheckMethod {
    /// Counted by the inertia of an `LDLᵀ` factorisation.
    Inertia,
    /// All eigenvalues of a dense matrix were computed, so there is nothing to count.
    Dense,
    /// Estimated from the spectral density: evidence with an error bar.
    SpectralDensity,
}

/// Whether eigenvalues are missing.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SpectrumCheck {
    /// How it was checked.
    pub method: CheckMethod,
    /// How many eigenvalues there should be below the threshold.
    pub expected: f64,
    /// How many were found.
    pub found: usize,
    /// Whether all of them were found: `found = expected`, or within the error bar when `expected`
    /// is an estimate.
    pub complete: bool,
    /// Whether it is proved that no eigenvalue below `threshold − margin` is missing: the count
    /// agrees, and no eigenvalue found is closer to the factorised shift than its rounding errors.
    pub proved: bool,
    /// The error bar of `expected`: 0 for a count.
    pub error_bar: f64,
    /// Eigenvalues closer to the threshold than this (tolerance and rounding) are not covered by a
    /// count.
    pub margin: f64,
}

/// What the check says, no more and no less.
impl std::fmt::Display for SpectrumCheck {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self {
            expected,
            found,
            margin,
            error_bar,
            complete,
            ..
        } = self;
        match self.method {
            CheckMethod::Inertia if self.proved => write!(
                f,
                "none is missing: proved by the inertia of a factorisation, rounding errors included, for all further than {margin:.1e} below the threshold"
            ),
            CheckMethod::Inertia if *complete => write!(
                f,
                "none is missing by the inertia of a factorisation; but one lies within {margin:.1e} of the threshold, too close for a proof"
            ),
            CheckMethod::Inertia => {
                write!(
                    f,
                    "INCOMPLETE: there are {expected} (by the inertia of a factorisation), {found} were found"
                )
            }
            CheckMethod::Dense if *complete => {
                f.write_str("none is missing: all eigenvalues of the dense matrix were computed")
            }
            CheckMethod::Dense => write!(
                f,
                "INCOMPLETE: there are about {expected:.0}, {found} were found"
            ),
            CheckMethod::SpectralDensity => write!(
                f,
                "{}: the spectral density says {expected:.1} ± {error_bar:.1}, {found} were found (a factorisation that would prove the number is too expensive)",
                if *complete {
                    "probably complete"
                } else {
                    "INCOMPLETE"
                },
            ),
        }
    }
}

/// The eigenpairs of one component, or of one group of vertices closed under adjacency.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Part {
    /// The vertices of the rows.
    pub vertices: Vec<Vertex>,
    /// `m_i^-½` of the rows.
    pub scale: Vec<f64>,
    /// Eigenvalues, ascending.
    pub values: Vec<f64>,
    /// `‖N x − ν x‖` of each pair.
    pub residuals: Vec<f64>,
    /// Orthonormal eigenvectors, `vertices × values`, row by row.
    pub vectors: Tall,
}

impl Part {
    /// Each eigenvalue with its residual.
    pub(super) fn values_and_residuals(&self) -> impl Iterator<Item = (f64, f64)> + '_ {
        self.values
            .iter()
            .copied()
            .zip(self.residuals.iter().copied())
    }
}

/// The low end of a spectrum.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Spectrum {
    /// Everything below this was asked for.
    pub below: f64,
    /// Everything below this was found (as far as the check can tell); smaller than `below` when a
    /// cap was reached.
    pub reached: f64,
    /// The eigenpairs by component, in the order of their smallest vertices.
    pub parts: Vec<Part>,
    /// Whether any is missing.
    pub check: SpectrumCheck,
    /// Vertices of the graph, isolated ones included.
    pub vertices: usize,
    /// Products of the operator with one vector.
    pub products: u64,
    /// The memory that the computation was expected to need, the graph itself not counted.
    pub bytes: u64,
}

/// Where the eigenvectors, kept by component, stand in the matrix of all of them: see
/// [`Spectrum::columns`].
#[derive(Debug, Clone)]
pub struct Columns {
    of_part: Vec<Vec<usize>>,
    place: Vec<Option<(u32, u32)>>,
}

/// A gap between two neighbouring eigenvalues.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Gap {
    /// Eigenvalues up to the gap: the number of vectors, and clusters, that a threshold inside it
    /// asks for.
    pub after: usize,
    /// The eigenvalue below the gap.
    pub low: f64,
    /// The eigenvalue above the gap.
    pub high: f64,
    /// `(high − low) / high`.
    pub relative: f64,
}

impl Gap {
    /// A threshold inside the gap: its middle.
    pub fn beta(&self) -> f64 {
        f64::midpoint(self.low, self.high)
    }
}

/// A lower bound of F over all partitions: see [`Spectrum::certificate`].
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Certificate {
    /// β.
    pub beta: f64,
    /// No partition has a smaller `F = Σ_c (cut_c / M_c − β)`.
    pub bound: f64,
    /// Whether the number of eigenvalues was proved. Otherwise the bound rests on a count without
    /// proof, or on an estimated one.
    pub proved: bool,
}

impl Certificate {
    /// `F − bound ≥ 0`: at most this much can be gained.
    pub fn gap(&self, value: f64) -> f64 {
        value - self.bound
    }
}

impl Spectrum {
    /// The number of eigenpairs.
    pub fn count(&self) -> usize {
        self.parts.iter().map(|part| part.values.len()).sum()
    }

    /// All eigenvalues, ascending.
    pub fn values(&self) -> Vec<f64> {
        let mut values: Vec<f64> = self
            .parts
            .iter()
            .flat_map(|part| &part.values)
            .copied()
            .collect();
        values.sort_by(f64::total_cmp);
        values
    }

    /// The largest residual `‖N x − ν x‖`.
    pub fn largest_residual(&self) -> f64 {
        self.parts
            .iter()
            .flat_map(|part| &part.residuals)
            .copied()
            .fold(0.0, f64::max)
    }

    /// The gaps between distinct neighbouring eigenvalues, the relatively largest first. The step
    /// from 0 to the first positive eigenvalue is left out: it only says that there are components.
    ///
    /// The first one suggests a resolution: between `low` and `high` the number of vectors does not
    /// depend on β.
    pub fn gaps(&self) -> Vec<Gap> {
        let values = self.values();
        let pairs = values
            .windows(2)
            .enumerate()
            .filter(|(_, pair)| pair[0] > 0.0 && pair[1] > pair[0]);
        let mut gaps: Vec<Gap> = pairs
            .map(|(at, pair)| Gap {
                after: at + 1,
                low: pair[0],
                high: pair[1],
                relative: (pair[1] - pair[0]) / pair[1],
            })
            .collect();
        gaps.sort_by(|a, b| {
            b.relative
                .total_cmp(&a.relative)
                .then(a.after.cmp(&b.after))
        });
        gaps
    }

    /// A lower bound of `F` over all partitions of the vertices that have an edge.
    ///
    /// With `Y` the matrix of normalized indicators `M^½ z_c / ‖M^½ z_c‖`, `F = tr Yᵀ(N − βI)Y`,
    /// and over all orthonormal `Y` that is smallest for the eigenvectors with eigenvalue below β
    /// (Theorem 5.2 in terms of β):
    ///
    /// ```text
    /// F ≥ Σ_{ν_i < β} (ν_i − β)
    /// ```
    ///
    /// Every eigenvalue enters lowered by its residual, which bounds its error. If a cap left some
    /// out, each of them is at least [`Spectrum::reached`] and enters with that value, so the bound
    /// stays valid, only weaker. An eigenvalue within [`SpectrumCheck::margin`] of the threshold
    /// may be left out, and would lower the bound by no more than that margin. `None` if `beta` is
    /// beyond what was asked for.
    pub fn certificate(&self, beta: f64) -> Option<Certificate> {
        if beta > self.below {
            return None;
        }
        let pairs = self
            .parts
            .iter()
            .flat_map(|part| part.values.iter().zip(&part.residuals));
        let found: f64 = pairs
            .map(|(&nu, &residual)| (nu - residual - beta).min(0.0))
            .sum();
        let missing = if self.check.complete {
            0.0
        } else {
            (self.check.expected + self.check.error_bar - self.check.found as f64).max(0.0)
        };
        let bound = found + missing * (self.reached - beta).min(0.0);
        Some(Certificate {
            beta,
            bound,
            proved: self.check.proved,
        })
    }

    /// Where each eigenvalue of each part stands among all of them, ascending (the order of
    /// [`Spectrum::values`]), and where each vertex is.
    pub fn columns(&self) -> Columns {
        let mut order: Vec<(f64, usize, usize)> = Vec::with_capacity(self.count());
        for (p, part) in self.parts.iter().enumerate() {
            order.extend(part.values.iter().enumerate().map(|(t, &nu)| (nu, p, t)));
        }
        order.sort_by(|a, b| a.0.total_cmp(&b.0).then((a.1, a.2).cmp(&(b.1, b.2))));
        let mut of_part: Vec<Vec<usize>> = self
            .parts
            .iter()
            .map(|part| vec![0; part.values.len()])
            .collect();
        order
            .iter()
            .enumerate()
            .for_each(|(at, &(_, p, t))| of_part[p][t] = at);
        let mut place = vec![None; self.vertices];
        for (p, part) in self.parts.iter().enumerate() {
            part.vertices
                .iter()
                .enumerate()
                .for_each(|(r, &i)| place[i as usize] = Some((p as u32, r as u32)));
        }
        Columns { of_part, place }
    }

    /// Puts the row of vertex `i` of the matrix of all eigenvectors into `row`, which holds zeros.
    pub fn row(&self, columns: &Columns, i: usize, row: &mut [f64]) {
        if let Some((p, r)) = columns.place[i] {
            let vectors = &self.parts[p as usize].vectors;
            let values = &vectors.data[r as usize * vectors.capacity..][..vectors.capacity];
            columns.of_part[p as usize]
                .iter()
                .zip(values)
                .for_each(|(&at, &value)| row[at] = value);
        }
    }

    /// Keeps the `k` smallest eigenpairs.
    pub(super) fn truncate(&mut self, k: usize) {
        let mut order: Vec<(f64, usize)> = self
            .parts
            .iter()
            .enumerate()
            .flat_map(|(p, part)| part.values.iter().map(move |&nu| (nu, p)))
            .collect();
        order.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let mut kept = vec![0; self.parts.len()];
        order.iter().take(k).for_each(|&(_, p)| kept[p] += 1);
        for (part, &kept) in self.parts.iter_mut().zip(&kept) {
            part.values.truncate(kept);
            part.residuals.truncate(kept);
            part.vectors.keep_first(kept);
        }
        self.parts.retain(|part| !part.values.is_empty());
        if let Some(&(last, _)) = order.get(k.wrapping_sub(1)) {
            self.reached = self.reached.min(last);
        }
    }
}
