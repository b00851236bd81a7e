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

use crate::clustering::Clustering;
use crate::cut::Cut;
use crate::dp_means::{DpMeans, Start};
use crate::graph::{Csr, Graph, Weight, components};
use crate::ids::{Cluster, NONE};
use crate::labels::{bound, renumber};
use crate::linalg::{Extent, Part, Spectrum, SpectrumError, SpectrumOptions, spectrum};
use crate::params::{ParamError, Resolution};
use crate::partition::Sums;
use crate::points::{Points, PointsError, lloyd};
use crate::run::{Deadline, Event, Observer, PassRecord, Run, StopReason, run_options};
use crate::search::moves;
use crate::search::reduce::{keep_count, reduce};
use crate::search::state::{Level, State};
use crate::with_csr;
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
    /// Masses that do not fit the graph.
    #[error(transparent)]
    Param(#[from] ParamError),
    /// Neither a resolution nor a number of clusters.
    #[error("a resolution or a number of clusters must be given")]
    NoExtent,
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

/// Spectral clustering with its options.
///
/// ```
/// use lambdacut::{graph::Graph, spectral::Spectral};
/// let edges = [(0, 1, 1.0), (1, 2, 1.0), (0, 2, 1.0), (2, 3, 1.0), (3, 4, 1.0), (4, 5, 1.0), (3, 5, 1.0)];
/// let two_triangles = Graph::from_edges(6, &edges)?;
/// let found = Spectral::new().resolution(0.5)?.run(&two_triangles)?;
/// assert_eq!(found.labels, [0, 0, 0, 1, 1, 1]);
/// assert!(found.spectrum.certificate(0.5).unwrap().gap(found.value) >= 0.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Spectral<'a> {
    /// Which cut.
    pub cut: Cut,
    /// Which eigenvectors. There is no default that suits all graphs: a run without it is refused.
    pub extent: Option<Extent>,
    /// How the eigenvectors are computed.
    pub spectrum: SpectrumOptions,
    /// How their rows are clustered.
    pub rounding: Rounding,
    /// At most this many passes of k-means.
    pub passes: usize,
    /// Whether exact moves of single vertices follow; where k was given they keep it.
    pub refine: bool,
    /// Time limit and observer.
    pub run: Run<'a>,
}

impl Default for Spectral<'_> {
    fn default() -> Self {
        Self {
            cut: Cut::default(),
            extent: None,
            spectrum: SpectrumOptions::default(),
            rounding: Rounding::default(),
            passes: 50,
            refine: true,
            run: Run::default(),
        }
    }
}

/// A clustering with the spectrum it came from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SpectralClustering {
    /// The clustering; its β is the one asked for, or for the K smallest the largest eigenvalue
    /// among them.
    pub clustering: Clustering,
    /// The eigenpairs and their check.
    pub spectrum: Spectrum,
    /// There are fewer clusters than components, so some are not connected.
    pub united: bool,
}

impl std::ops::Deref for SpectralClustering {
    type Target = Clustering;

    fn deref(&self) -> &Clustering {
        &self.clustering
    }
}

run_options!(Spectral);

impl Spectral<'_> {
    /// Spectral clustering, refined by exact moves.
    pub fn new() -> Self {
        Self::default()
    }

    /// Minimising this cut.
    #[must_use]
    pub fn cut(mut self, cut: Cut) -> Self {
        self.cut = cut;
        self
    }

    /// With all eigenvectors below β.
    ///
    /// # Errors
    /// If β is not positive and finite.
    pub fn resolution(mut self, beta: f64) -> Result<Self, ParamError> {
        self.extent = Some(Extent::Below(Resolution::new(beta)?.get()));
        Ok(self)
    }

    /// With this many eigenvectors, hence about as many clusters.
    #[must_use]
    pub fn clusters(mut self, clusters: usize) -> Self {
        self.extent = Some(Extent::Smallest(clusters));
        self
    }

    /// Computing the eigenvectors in this way.
    #[must_use]
    pub fn spectrum(mut self, spectrum: SpectrumOptions) -> Self {
        self.spectrum = spectrum;
        self
    }

    /// Clustering their rows in this way.
    #[must_use]
    pub fn rounding(mut self, rounding: Rounding) -> Self {
        self.rounding = rounding;
        self
    }

    /// With or without exact moves at the end.
    #[must_use]
    pub fn refine(mut self, refine: bool) -> Self {
        self.refine = refine;
        self
    }

    /// Clusters a graph by the eigenvectors asked for.
    ///
    /// # Errors
    /// If neither a resolution nor a number of clusters was given, or the eigenvectors cannot be
    /// computed.
    pub fn run(&self, graph: &Graph) -> Result<SpectralClustering, SpectralError> {
        with_csr!(graph.csr(), csr => self.run_csr(csr))
    }

    /// The same on a graph whose weight type is known.
    ///
    /// # Errors
    /// As [`Spectral::run`].
    pub fn run_csr<W: Weight>(&self, graph: &Csr<W>) -> Result<SpectralClustering, SpectralError> {
        self.cut.check(graph)?;
        let extent = self.extent.ok_or(SpectralError::NoExtent)?;
        let (started, deadline) = (Instant::now(), self.run.start());
        let low = spectrum(graph, &self.cut, extent, &self.spectrum, &deadline)?;
        deadline.event(Event::Stage {
            name: "clustering the rows",
            total: Some(low.parts.len() as u64),
        });
        let (labels, clusters) = round(graph, &low, self, &deadline)?;
        let beta = low.below;
        let sums = Sums::of(graph, &self.cut, &labels, clusters);
        let record = PassRecord {
            value: sums.value(beta),
            clusters,
            moves: labels.iter().filter(|&&c| c != NONE).count(),
            seconds: started.elapsed().as_secs_f64(),
        };
        deadline.event(Event::Pass(&record));
        let clustering = Clustering {
            labels,
            clusters,
            objective: self.cut.clone(),
            cut: sums.cut(),
            beta,
            value: record.value,
            trace: vec![record],
            stop: StopReason::Direct,
        };
        let mut found = SpectralClustering {
            clustering,
            spectrum: low,
            united: false,
        };
        // At β ≤ 0 no cluster pays, but a number of clusters can be kept at any β.
        let to_refine = beta > 0.0 || matches!(extent, Extent::Smallest(_));
        if self.refine && to_refine {
            self.refine_labels(graph, extent, &mut found, &deadline);
        }
        if let Some(reason) = deadline.reason() {
            found.clustering.stop = reason;
        }
        Ok(found)
    }

    /// Exact moves at β; where k was asked for, merges down to k first and moves that keep it.
    fn refine_labels<W: Weight>(
        &self,
        graph: &Csr<W>,
        extent: Extent,
        found: &mut SpectralClustering,
        deadline: &Deadline<'_>,
    ) {
        let started = Instant::now();
        let clustering = &mut found.clustering;
        let before = clustering.labels.clone();
        match extent {
            Extent::Smallest(k) => {
                let refined = refine_k(graph, &self.cut, &mut clustering.labels, k, deadline);
                (clustering.clusters, found.united) = refined;
            }
            Extent::Below(beta) => {
                let labels = &mut clustering.labels;
                let refined = moves::refine(graph, &self.cut, labels, beta, deadline);
                clustering.clusters = refined.1;
            }
        }
        let moved = before
            .iter()
            .zip(&clustering.labels)
            .filter(|(a, b)| a != b);
        let moves = moved.count();
        let sums = Sums::of(graph, &self.cut, &clustering.labels, clustering.clusters);
        clustering.cut = sums.cut();
        clustering.value = sums.value(clustering.beta);
        let record = PassRecord {
            value: clustering.value,
            clusters: clustering.clusters,
            moves,
            seconds: started.elapsed().as_secs_f64(),
        };
        deadline.event(Event::Pass(&record));
        clustering.trace.push(record);
    }
}

/// Makes `labels` at most `k` clusters and improves them by exact moves that keep their number; the
/// number, and whether clusters of different components had to be united.
///
/// Rounding makes more than `k` clusters only if there are more components (the best merges come
/// first, then the lightest components), and fewer only if k-means leaves a cluster empty.
fn refine_k<W: Weight>(
    graph: &Csr<W>,
    cut: &Cut,
    labels: &mut [Cluster],
    k: usize,
    observer: &dyn Observer,
) -> (usize, bool) {
    let level = Level::new(graph, cut);
    let clusters = renumber(labels);
    let mut state = State::new(&level, labels.to_vec(), clusters);
    let united = reduce(&level, &mut state, k);
    keep_count(&level, &mut state, usize::MAX, observer);
    labels.copy_from_slice(&state.labels);
    (renumber(labels), united)
}

/// Labels of all vertices and their number, from the rows of the eigenvectors. A component without
/// a vector (a cap, or β ≤ 0) is one cluster.
fn round<W: Weight>(
    graph: &Csr<W>,
    low: &Spectrum,
    options: &Spectral<'_>,
    observer: &dyn Observer,
) -> Result<(Vec<Cluster>, usize), PointsError> {
    let mut labels = components(graph).labels;
    let mut next = bound(&labels) as Cluster;
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
    options: &Spectral<'_>,
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
            let start = Start::Centres(points.select(&pivot_rows(&points)));
            let method = DpMeans::new().lambda(lambda).start(start);
            Ok(method.observer(observer).run(&points)?.labels)
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
