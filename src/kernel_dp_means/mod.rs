//! Weighted kernel DP-means: the paper's Algorithm 1 in kernel space, on graphs and on any kernel
//! matrix.
//!
//! # What is minimised
//!
//! `J + λk`, the weighted kernel k-means objective plus a price λ for every cluster. With the
//! kernel of a graph ([`objective`](crate::objective)) this is `C + F`, the penalised cut;
//! [`fit_graph`] reports F.
//!
//! # The pass
//!
//! With the means fixed, every vertex in turn goes to its nearest mean, or founds a new cluster
//! when the weighted distance exceeds λ; then the means are recomputed, and empty clusters vanish.
//! Distances are compared on a grid of 2⁻³⁰ of their order of magnitude; on a tie a vertex stays
//! where it is, else takes the lowest-numbered cluster. `pass` tells how this is done in parallel
//! with the labels of the sequential loop.
//!
//! A pass costs O(arcs + k): a vertex looks at the clusters it is linked to, and at the one
//! unlinked cluster with the smallest `‖μ_c‖²`. Memory beyond the graph: 8 bytes a vertex (labels
//! before and after), 16 a cluster, and up to 12 more while clusters are opened in another order
//! than the natural one; `cargo bench --bench pass` prints what a pass costs and takes.
//!
//! # What to expect of it
//!
//! F never rises while the kernel is positive semi-definite; a pass that would raise it (another
//! kernel, or rounding at a fixed point) is undone and ends the run. But the batch pass is timid.
//! Alone, a vertex has cut ratio `ρ_i` (1 for normalized cut without loops), so from *one cluster*,
//! the paper's start, nobody founds a cluster unless β exceeds some `ρ_i + s m_i/M`; and from
//! *singletons* everybody is at distance 0 from its own mean and stays. Both are fixed points for
//! the usual β; the pass has something to do from a farthest-first set or from given labels
//! ([`Start::Several`] tries sets of many sizes). Every partition that no exact move of a vertex,
//! to whatever cluster, improves is a fixed point of the pass, not the other way round (Hartigan's
//! and Lloyd's k-means stand to each other in the same way), so refinement comes after it.

mod farthest;
mod kernel;
mod means;
mod opened;
mod order;
mod pass;
mod refine;
mod shift;
mod similarity;
mod sums;
mod tally;

pub use kernel::{Kernel, KernelError};
pub use order::VisitOrder;
pub use shift::{Shift, resolve_shift, resolve_shift_observed};

use crate::fit::{Fit, Passes, StopReason};
use crate::graph::{Graph, Weight};
use crate::ids::{Cluster, NONE, Vertex};
use crate::objective::Objective;
use crate::observe::{Event, Observer};
use crate::params::{DEFAULT_SEED, ParamError, Resolution, StopRules};
use kernel::{KernelMatrix, KernelSimilarity};
use means::Means;
use order::Ranks;
use pass::Pass;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use similarity::{GraphSimilarity, Similarity};
use std::sync::Arc;
use std::time::Instant;
use thiserror::Error;

/// The most elements: the clusters before a pass and those opened in it must have numbers together.
const MAX_ELEMENTS: usize = 1 << 31;

/// A request that makes no sense.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum KernelDpMeansError {
    /// λ is not finite.
    #[error("λ must be a finite number, not {0}")]
    Lambda(f64),
    /// σ is not finite.
    #[error("σ must be a finite number, not {0}")]
    Sigma(f64),
    /// Start labels of the wrong length.
    #[error("the start has {found} labels for {expected} vertices")]
    StartLength {
        /// Labels given.
        found: usize,
        /// Vertices.
        expected: usize,
    },
    /// A vertex with an edge has no start label.
    #[error("the start gives no cluster to vertex {vertex}, which has an edge")]
    StartLabel {
        /// The vertex.
        vertex: usize,
    },
    /// An order that does not list every vertex.
    #[error("the order lists {found} of {expected} vertices")]
    OrderLength {
        /// Vertices listed.
        found: usize,
        /// Vertices.
        expected: usize,
    },
    /// An order with a vertex out of range or listed twice.
    #[error(
        "position {position} of the order holds vertex {vertex}, which is out of range or listed before"
    )]
    Order {
        /// Where.
        position: usize,
        /// The vertex.
        vertex: Vertex,
    },
    /// k = 0, or nothing to cluster.
    #[error("λ cannot be derived from {clusters} clusters of {elements} elements")]
    NoClusters {
        /// k.
        clusters: usize,
        /// Elements that take part.
        elements: usize,
    },
    /// The observer asked to stop before λ was known.
    #[error("cancelled before λ was found for this number of clusters")]
    Cancelled,
    /// Too many elements.
    #[error("{0} elements are more than {MAX_ELEMENTS}")]
    TooManyElements(usize),
    /// The derived resolution is of no use.
    #[error(transparent)]
    Resolution(#[from] ParamError),
}

/// Where a run starts.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Start {
    /// Everything in one cluster, as in the paper.
    #[default]
    One,
    /// Every vertex alone.
    Singletons,
    /// Every vertex with the nearest of this many far-apart ones, the first drawn from the seed.
    FarthestFirst(usize),
    /// One cluster, then farthest-first sets of 2, 4, 8, … up to √n members, each with passes and
    /// refinement; the best result counts.
    Several,
    /// As given; numbers need not be dense. What isolated vertices carry does not matter.
    Labels(Arc<[Cluster]>),
}

/// How a pass is carried out; the labels are the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Execution {
    /// Propose in parallel, validate in order.
    #[default]
    Parallel,
    /// The paper's loop, vertex after vertex.
    Sequential,
}

/// The parameters of a run.
///
/// ```
/// use lambdacut::kernel_dp_means::{KernelDpMeans, Start, fit_graph};
/// use lambdacut::{graph::{Graph, Unit}, objective::Objective, observe::Silent, params::{ObjectiveKind, Resolution}};
///
/// // Two triangles and a bridge.
/// let edges = [(0, 1, 1.0), (0, 2, 1.0), (1, 2, 1.0), (2, 3, 1.0), (3, 4, 1.0), (3, 5, 1.0), (4, 5, 1.0)];
/// let graph: Graph<Unit> = Graph::from_edges(6, &edges).unwrap();
/// let ncut = Objective::new(ObjectiveKind::NormalizedCut, Resolution::new(0.5).unwrap());
/// let params = KernelDpMeans { start: Start::FarthestFirst(2), ..KernelDpMeans::default() };
/// let found = fit_graph(&graph, &ncut, &params, &Silent).unwrap();
/// assert_eq!(found.fit.clusters, 2);
/// assert!((found.fit.value - (1.0 / 7.0 + 1.0 / 7.0 - 2.0 * 0.5)).abs() < 1e-12);
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct KernelDpMeans {
    /// Where to start.
    pub start: Start,
    /// In which order a pass visits the vertices.
    pub order: VisitOrder,
    /// The shift of a graph's kernel (not used for a given kernel).
    pub shift: Shift,
    /// How a pass is carried out.
    pub execution: Execution,
    /// When the passes stop, besides "nothing changes".
    pub stop: StopRules,
    /// Whether exact moves of single vertices follow the passes (graphs only).
    pub refine: bool,
    /// For [`VisitOrder::Shuffled`], [`Start::FarthestFirst`] and the Lanczos start.
    pub seed: u64,
}

impl Default for KernelDpMeans {
    fn default() -> Self {
        Self {
            start: Start::default(),
            order: VisitOrder::default(),
            shift: Shift::default(),
            execution: Execution::default(),
            stop: StopRules::default(),
            refine: true,
            seed: DEFAULT_SEED,
        }
    }
}

/// The clustering of a graph, with the kernel that was used.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct GraphFit {
    /// The clustering; its value is F.
    pub fit: Fit,
    /// The shift `s`.
    pub shift: f64,
    /// `λ = s − β`.
    pub lambda: f64,
}

impl KernelDpMeans {
    /// The runs that this one stands for: itself, or one for each start of [`Start::Several`].
    fn runs(&self, elements: usize) -> Vec<Self> {
        if self.start != Start::Several {
            return vec![self.clone()];
        }
        let sizes =
            std::iter::successors(Some(2), |k| Some(2 * k)).take_while(|k| k * k <= elements);
        let starts = std::iter::once(Start::One).chain(sizes.map(Start::FarthestFirst));
        starts
            .map(|start| Self {
                start,
                ..self.clone()
            })
            .collect()
    }

    /// The best result of the runs, the first on a tie; a cancelled run is the last.
    fn best(
        &self,
        elements: usize,
        mut run: impl FnMut(&Self) -> Result<Fit, KernelDpMeansError>,
    ) -> Result<Fit, KernelDpMeansError> {
        let started = Instant::now();
        let mut best: Option<Fit> = None;
        for params in self.runs(elements) {
            let time = params
                .stop
                .time
                .map(|time| time.saturating_sub(started.elapsed()));
            let fit = run(&Self {
                stop: StopRules {
                    time,
                    ..params.stop
                },
                ..params
            })?;
            let stop = fit.stop;
            if best.as_ref().is_none_or(|best| fit.value < best.value) {
                best = Some(fit);
            }
            if matches!(stop, StopReason::Cancelled | StopReason::Time) {
                best = best.map(|best| Fit { stop, ..best });
                break;
            }
        }
        Ok(best.expect("there is at least one run"))
    }
}

/// Clusters a graph: `F = Σ_c (cut_c/M_c − β)`.
pub fn fit_graph<W: Weight>(
    graph: &Graph<W>,
    objective: &Objective,
    params: &KernelDpMeans,
    observer: &dyn Observer,
) -> Result<GraphFit, KernelDpMeansError> {
    let shift = resolve_shift_observed(graph, objective, params.shift, params.seed, observer)?;
    let similarity = GraphSimilarity::new(graph, objective, shift);
    let fit = params.best(graph.vertices(), |params| {
        let mut fit = run(&similarity, params, &|i| graph.degree(i), observer)?;
        fit.value = objective.evaluate(graph, &fit.labels, fit.clusters).value;
        if params.refine && fit.stop != StopReason::Cancelled {
            refine::refine(graph, objective, &mut fit, observer);
        }
        Ok(fit)
    })?;
    Ok(GraphFit {
        fit,
        shift,
        lambda: objective.lambda(shift),
    })
}

/// Clusters the elements of a kernel: `J + λk`.
///
/// ```
/// use lambdacut::kernel_dp_means::{Kernel, KernelDpMeans, fit_kernel};
/// use lambdacut::observe::Silent;
/// // Points 0, 1 and 10 on the line with the linear kernel x·y.
/// let x = nalgebra::DVector::from_vec(vec![0.0, 1.0, 10.0]);
/// let kernel = Kernel::dense(&x * x.transpose(), None).unwrap();
/// let fit = fit_kernel(&kernel, 25.0, &KernelDpMeans::default(), &Silent).unwrap();
/// assert_eq!((fit.clusters, fit.labels[0] == fit.labels[1], fit.value), (2, true, 0.5 + 2.0 * 25.0));
/// ```
pub fn fit_kernel(
    kernel: &Kernel,
    lambda: f64,
    params: &KernelDpMeans,
    observer: &dyn Observer,
) -> Result<Fit, KernelDpMeansError> {
    if !lambda.is_finite() {
        return Err(KernelDpMeansError::Lambda(lambda));
    }
    let weight = |i: usize| kernel.weights[i];
    let fit = |params: &KernelDpMeans| match &kernel.matrix {
        KernelMatrix::Dense(rows) => run(
            &KernelSimilarity::new(rows, &kernel.weights, lambda),
            params,
            &weight,
            observer,
        ),
        KernelMatrix::Sparse(rows) => run(
            &KernelSimilarity::new(rows, &kernel.weights, lambda),
            params,
            &weight,
            observer,
        ),
    };
    params.best(kernel.elements(), fit)
}

/// λ for about `k` clusters of a kernel, by the farthest-first rule of the paper's section 6.1:
/// from the mean of everything, the weighted distance of the `k`-th element added. O(k n +
/// entries).
pub fn lambda_for_clusters(
    kernel: &Kernel,
    k: usize,
    observer: &dyn Observer,
) -> Result<f64, KernelDpMeansError> {
    match &kernel.matrix {
        KernelMatrix::Dense(rows) => farthest::lambda_for(
            &KernelSimilarity::new(rows, &kernel.weights, 0.0),
            k,
            observer,
        ),
        KernelMatrix::Sparse(rows) => farthest::lambda_for(
            &KernelSimilarity::new(rows, &kernel.weights, 0.0),
            k,
            observer,
        ),
    }
}

/// The same for a graph: β = s − λ for about `k` clusters (the resolution of `objective` plays no
/// part). An error when the rule ends at β ≤ 0.
pub fn resolution_for_clusters<W: Weight>(
    graph: &Graph<W>,
    objective: &Objective,
    k: usize,
    shift: Shift,
    seed: u64,
    observer: &dyn Observer,
) -> Result<Resolution, KernelDpMeansError> {
    let shift = resolve_shift_observed(graph, objective, shift, seed, observer)?;
    let lambda = farthest::lambda_for(&GraphSimilarity::new(graph, objective, shift), k, observer)?;
    Ok(objective.resolution_of_lambda(lambda, shift)?)
}

/// Passes until a stop rule holds.
fn run<S: Similarity>(
    similarity: &S,
    params: &KernelDpMeans,
    degrees: &dyn Fn(usize) -> f64,
    observer: &dyn Observer,
) -> Result<Fit, KernelDpMeansError> {
    let n = similarity.elements();
    if n > MAX_ELEMENTS {
        return Err(KernelDpMeansError::TooManyElements(n));
    }
    let ranks = Ranks::new(&params.order, degrees, n, params.seed)?;
    let (mut labels, k) = start(similarity, params, observer)?;
    // The start, or the shift before it, may be less than was asked for, even if the passes then
    // change nothing.
    let cut_short = observer.cancelled();
    let mut sums = sums::sums(similarity, &labels, k);
    let mut value = similarity.value(&sums);
    let mut clusters = k;
    let mut next = vec![NONE; n];
    observer.event(Event::Stage {
        name: "kernel DP-means",
        total: None,
    });
    let mut passes = Passes::new(params.stop);
    let stop = loop {
        let means = Means::new(similarity, &sums);
        let pass = Pass {
            similarity,
            labels: &labels,
            means: &means,
            ranks: &ranks,
        };
        let k = match params.execution {
            Execution::Parallel => pass.parallel(&mut next),
            Execution::Sequential => pass.sequential(&mut next),
        };
        let moved = moved(&labels, &next);
        let mut after = value;
        if !moved.is_empty() {
            sums::follow(similarity, [&labels, &next], &moved, k, &mut sums);
            sums::drop_empty(&mut sums, &mut next);
            after = similarity.value(&sums);
        }
        if after >= value {
            break passes
                .finished(value, clusters, 0, observer)
                .unwrap_or(StopReason::NoChange);
        }
        std::mem::swap(&mut labels, &mut next);
        (value, clusters) = (after, sums.len());
        if let Some(reason) = passes.finished(value, clusters, moved.len(), observer) {
            break reason;
        }
    };
    let stop = if cut_short {
        StopReason::Cancelled
    } else {
        stop
    };
    Ok(Fit {
        labels,
        clusters,
        value,
        trace: passes.into_trace(),
        stop,
    })
}

/// The elements at which the labels differ.
fn moved(old: &[Cluster], new: &[Cluster]) -> Vec<Vertex> {
    let both = old.par_iter().zip(new).enumerate().with_min_len(1 << 14);
    both.filter(|(_, (old, new))| old != new)
        .map(|(i, _)| i as Vertex)
        .collect()
}

/// The labels to start from, and k.
fn start(
    similarity: &impl Similarity,
    params: &KernelDpMeans,
    observer: &dyn Observer,
) -> Result<(Vec<Cluster>, usize), KernelDpMeansError> {
    let n = similarity.elements();
    let each = |label: &dyn Fn(usize) -> Cluster| -> Vec<Cluster> {
        (0..n)
            .map(|i| {
                if similarity.takes_part(i) {
                    label(i)
                } else {
                    NONE
                }
            })
            .collect()
    };
    let mut labels = match &params.start {
        // `KernelDpMeans::runs` has put other starts in the place of several.
        Start::One | Start::Several => each(&|_| 0),
        Start::Singletons => each(&|i| i as Cluster),
        Start::FarthestFirst(k) => farthest::far_apart(similarity, *k, params.seed, observer),
        Start::Labels(given) if given.len() != n => {
            return Err(KernelDpMeansError::StartLength {
                found: given.len(),
                expected: n,
            });
        }
        Start::Labels(given) => each(&|i| given[i]),
    };
    if let Some(vertex) = (0..n).find(|&i| labels[i] == NONE && similarity.takes_part(i)) {
        return Err(KernelDpMeansError::StartLabel { vertex });
    }
    let k = make_dense(&mut labels);
    Ok((labels, k))
}

/// Renumbers labels to `0..k` and keeps their order.
fn make_dense(labels: &mut [Cluster]) -> usize {
    let mut used: Vec<Cluster> = labels.iter().copied().filter(|&c| c != NONE).collect();
    used.par_sort_unstable();
    used.dedup();
    labels
        .par_iter_mut()
        .filter(|c| **c != NONE)
        .for_each(|c| *c = used.partition_point(|u| u < c) as Cluster);
    used.len()
}
