//! Spectral clustering without k: the eigenvectors below β, and their rows clustered.
//!
//! The relaxed problem wants one vector for every eigenvalue of `N = M^-½ L M^-½` below β
//! ([`linalg::spectrum()`](crate::linalg::spectrum())). Vertex `i` becomes the point `y_i = m_i^-½
//! (x_i1, …, x_ik)`, scaled to length 1. If the graph fell apart into k pieces, all vertices of a
//! piece would be one point and the k points orthogonal, hence at squared distance 2 from each
//! other. The points of one connected component are clustered by
//!
//! * **k-means** with k = the number of its eigenvectors, seeded by the rows that a column-pivoted
//!   QR factorisation of `Yᵀ` picks: each next seed is the row with the largest part orthogonal to
//!   the seeds so far. No randomness, no restarts; or
//! * **DP-means**, where λ is a squared distance between 0 and 2: the paper's `Σ ‖y_i − μ_c‖² +
//!   λk`. λ = 1 (a point further than 60° from every centre opens a cluster) suits most graphs.
//!
//! Components never share a cluster. Cost for a component with n vertices and k vectors: O(n k²) a
//! pass, O(min(n, 40 k + 4096) k²) for the seeds.

use crate::dp_means::DpMeans;
use crate::fit::{Fit, StopReason};
use crate::graph::{Graph, Weight, components};
use crate::ids::{Cluster, NONE};
use crate::linalg::{Extent, Part, Spectrum, SpectrumError, SpectrumOptions, spectrum};
use crate::observe::{Event, Observer, PassRecord};
use crate::partition::{Masses, Sums, renumber};
use crate::points::{Points, PointsError, lloyd};
use crate::search::reduce::{keep_count, reduce};
use crate::search::state::{Level, State};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::time::Instant;
use thiserror::Error;

/// λ of [`Rounding::DpMeans`] when nothing else is asked for.
pub const DEFAULT_LAMBDA: f64 = 1.0;

/// Why spectral clustering gave no answer.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum SpectralError {
    /// The spectrum could not be computed.
    #[error(transparent)]
    Spectrum(#[from] SpectrumError),
    /// The rows could not be clustered.
    #[error(transparent)]
    Points(#[from] PointsError),
}

/// How rows of eigenvectors become clusters.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Rounding {
    /// k-means with k = the number of vectors.
    #[default]
    KMeans,
    /// DP-means with this λ, a squared distance between unit vectors.
    DpMeans {
        /// λ, between 0 and 2.
        lambda: f64,
    },
}

/// How spectral clustering is done.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct SpectralOptions {
    /// How the eigenvectors are computed.
    pub spectrum: SpectrumOptions,
    /// How their rows are clustered.
    pub rounding: Rounding,
    /// At most this many passes of k-means.
    pub passes: usize,
}

impl Default for SpectralOptions {
    fn default() -> Self {
        Self {
            spectrum: SpectrumOptions::default(),
            rounding: Rounding::default(),
            passes: 50,
        }
    }
}

/// A clustering with the spectrum it came from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SpectralFit {
    /// Labels and `F` at [`SpectralFit::beta`].
    pub fit: Fit,
    /// The eigenpairs and their check.
    pub spectrum: Spectrum,
    /// β: the one asked for, or for the K smallest the largest eigenvalue among them.
    pub beta: f64,
}

/// Clusters a graph by the eigenvectors that `extent` asks for: all below β, or the K smallest.
///
/// ```
/// use lambdacut::{spectral::{SpectralOptions, spectral}, graph::{Graph, Unit}, linalg::Extent};
/// use lambdacut::{observe::Silent, partition::Masses};
/// let edges = [(0, 1, 1.0), (1, 2, 1.0), (0, 2, 1.0), (2, 3, 1.0), (3, 4, 1.0), (4, 5, 1.0), (3, 5, 1.0)];
/// let two_triangles: Graph<Unit> = Graph::from_edges(6, &edges).unwrap();
/// let found = spectral(&two_triangles, &Masses::Degree, Extent::Below(0.5), &SpectralOptions::default(), &Silent).unwrap();
/// assert_eq!(found.fit.labels, [0, 0, 0, 1, 1, 1]);
/// assert!(found.spectrum.certificate(0.5).unwrap().gap(found.fit.value) >= 0.0);
/// ```
pub fn spectral<W: Weight>(
    graph: &Graph<W>,
    masses: &Masses,
    extent: Extent,
    options: &SpectralOptions,
    observer: &dyn Observer,
) -> Result<SpectralFit, SpectralError> {
    let started = Instant::now();
    let low = spectrum(graph, masses, extent, &options.spectrum, observer)?;
    observer.event(Event::Stage {
        name: "clustering the rows",
        total: Some(low.parts.len() as u64),
    });
    let (labels, clusters) = round(graph, &low, options, observer)?;
    let beta = low.below;
    let value = Sums::of(graph, masses, &labels, clusters).value(beta);
    let moves = labels.iter().filter(|&&c| c != NONE).count();
    let record = PassRecord {
        value,
        clusters,
        moves,
        seconds: started.elapsed().as_secs_f64(),
    };
    observer.event(Event::Pass(&record));
    let stop = if observer.cancelled() {
        StopReason::Cancelled
    } else {
        StopReason::Direct
    };
    Ok(SpectralFit {
        fit: Fit {
            labels,
            clusters,
            value,
            trace: vec![record],
            stop,
        },
        spectrum: low,
        beta,
    })
}

/// Makes `labels` at most `k` clusters and improves them by exact moves that keep their number; the
/// number, and whether clusters of different components had to be united.
///
/// Rounding makes more than `k` clusters only if there are more components (the best merges come
/// first, then the lightest components), and fewer only if k-means leaves a cluster empty.
pub fn refine_k<W: Weight>(
    graph: &Graph<W>,
    masses: &Masses,
    labels: &mut [Cluster],
    k: usize,
    observer: &dyn Observer,
) -> (usize, bool) {
    let level = Level::new(graph, masses);
    let clusters = renumber(labels);
    let mut state = State::new(&level, labels.to_vec(), clusters);
    let united = reduce(&level, &mut state, k);
    keep_count(&level, &mut state, usize::MAX, observer);
    labels.copy_from_slice(&state.labels);
    (renumber(labels), united)
}

/// Labels of all vertices and their number, from the rows of the eigenvectors. A component without
/// a vector (a cap, or β ≤ 0) is one cluster.
pub fn round<W: Weight>(
    graph: &Graph<W>,
    low: &Spectrum,
    options: &SpectralOptions,
    observer: &dyn Observer,
) -> Result<(Vec<Cluster>, usize), PointsError> {
    let mut labels = components(graph).labels;
    let mut next = labels
        .iter()
        .filter(|&&c| c != NONE)
        .max()
        .map_or(0, |&c| c + 1);
    let rounded: Result<Vec<Option<Vec<Cluster>>>, PointsError> = low
        .parts
        .par_iter()
        .map(|part| {
            let own = if part.values.len() > 1 {
                Some(round_part(part, options, observer)?)
            } else {
                None
            };
            observer.event(Event::Advance(1));
            Ok(own)
        })
        .collect();
    for (part, own) in low.parts.iter().zip(rounded?) {
        let Some(own) = own else { continue };
        part.vertices
            .iter()
            .zip(&own)
            .for_each(|(&i, &c)| labels[i as usize] = next + c);
        next += own.iter().max().map_or(0, |&c| c + 1);
    }
    let clusters = renumber(&mut labels);
    Ok((labels, clusters))
}

fn round_part(
    part: &Part,
    options: &SpectralOptions,
    observer: &dyn Observer,
) -> Result<Vec<Cluster>, PointsError> {
    let points = embedding(part)?;
    match options.rounding {
        Rounding::KMeans => {
            let centres = points.select(&pivot_rows(&points));
            let mut passes = 0;
            let done = lloyd(&points, centres, &mut |_| {
                passes += 1;
                passes < options.passes && !observer.cancelled()
            });
            Ok(done.into_parts().0)
        }
        Rounding::DpMeans { lambda } => {
            let start = crate::dp_means::Start::Centres(points.select(&pivot_rows(&points)));
            Ok(DpMeans {
                start,
                ..DpMeans::new(lambda)
            }
            .run(&points, observer)?
            .fit
            .labels)
        }
    }
}

/// The rows of the eigenvectors, scaled by `m_i^-½` and to length 1.
pub fn embedding(part: &Part) -> Result<Points, PointsError> {
    let k = part.values.len();
    let mut values = part.vectors.data.clone();
    values
        .par_chunks_exact_mut(k.max(1))
        .zip(&part.scale)
        .for_each(|(row, scale)| {
            for x in row.iter_mut() {
                *x *= scale;
            }
            let length = row.iter().map(|x| x * x).sum::<f64>().sqrt();
            // The first coordinate belongs to the null vector and is never 0.
            for x in row.iter_mut() {
                *x /= length;
            }
        });
    Points::new(k, values)
}

/// As many rows as there are columns, each with the largest part orthogonal to those before it; at
/// most `40 k + 4096` evenly spread rows are candidates.
fn pivot_rows(points: &Points) -> Vec<u32> {
    let (n, k) = (points.len(), points.dimension());
    let candidates = n.min(40 * k + 4096);
    let row = |at: usize| (at * n / candidates) as u32;
    let mut left: Vec<f64> = vec![1.0; candidates];
    let mut chosen: Vec<u32> = Vec::with_capacity(k);
    let mut directions: Vec<Vec<f64>> = Vec::with_capacity(k);
    while chosen.len() < k.min(candidates) {
        let best =
            (0..candidates).fold(0, |best, at| if left[at] > left[best] { at } else { best });
        let mut direction = points.row(row(best) as usize).to_vec();
        for _twice in 0..2 {
            for known in &directions {
                let dot: f64 = known.iter().zip(&direction).map(|(a, b)| a * b).sum();
                direction
                    .iter_mut()
                    .zip(known)
                    .for_each(|(d, a)| *d -= dot * a);
            }
        }
        let length = direction.iter().map(|x| x * x).sum::<f64>().sqrt();
        if length < 1e-7 {
            break;
        }
        for x in &mut direction {
            *x /= length;
        }
        left.par_iter_mut()
            .with_min_len(64)
            .enumerate()
            .for_each(|(at, left)| {
                let dot: f64 = points
                    .row(row(at) as usize)
                    .iter()
                    .zip(&direction)
                    .map(|(a, b)| a * b)
                    .sum();
                *left -= dot * dot;
            });
        left[best] = f64::NEG_INFINITY;
        chosen.push(row(best));
        directions.push(direction);
    }
    chosen
}
