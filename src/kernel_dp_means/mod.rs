//! Weighted kernel DP-means: the paper's Algorithm 1 in kernel space, on graphs and on any kernel
//! matrix.
//!
//! # What is minimised
//!
//! `J + λk`, the weighted kernel k-means objective plus a price λ for every cluster. With the
//! kernel of a graph ([`crate::cut`]) this is `C + F`, the penalised cut;
//! [`KernelDpMeans::run`] reports F.
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

mod error;
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

pub use error::KernelDpMeansError;
pub use kernel::{Kernel, KernelError};
pub use order::VisitOrder;
pub use shift::{Shift, resolve_shift};

use crate::clustering::{Clustering, PointClustering};
use crate::cut::{self, Cut};
use crate::graph::{Csr, Graph, Weight};
use crate::ids::{Cluster, NONE, Vertex};
use crate::params::{DEFAULT_SEED, ParamError, Resolution};
use crate::run::{
    Deadline, Event, Observer, Passes, Run, StopReason, StopRules, best_of, run_options,
};
use crate::with_csr;
use kernel::{KernelMatrix, KernelSimilarity};
use means::Means;
use order::Ranks;
use pass::Pass;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use similarity::{GraphSimilarity, Similarity};
use std::sync::Arc;

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

/// What a cluster costs, or earns.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Price {
    /// β of a graph: what a cluster earns.
    Resolution(Resolution),
    /// λ: what a cluster costs in kernel space. For a graph, β = s − λ.
    Lambda(f64),
    /// λ for about this many clusters, by the farthest-first rule of the paper's section 6.1.
    Clusters(usize),
}

/// Weighted kernel DP-means with its options.
///
/// ```
/// use lambdacut::kernel_dp_means::{KernelDpMeans, Start};
/// use lambdacut::graph::Graph;
///
/// // Two triangles and a bridge.
/// let edges = [(0, 1, 1.0), (0, 2, 1.0), (1, 2, 1.0), (2, 3, 1.0), (3, 4, 1.0), (3, 5, 1.0), (4, 5, 1.0)];
/// let graph = Graph::from_edges(6, &edges)?;
/// let method = KernelDpMeans::new().resolution(0.5)?.start(Start::FarthestFirst(2));
/// let found = method.run(&graph)?;
/// assert_eq!(found.k(), 2);
/// assert!((found.value - (1.0 / 7.0 + 1.0 / 7.0 - 2.0 * 0.5)).abs() < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct KernelDpMeans<'a> {
    /// Which cut of a graph (not used for a given kernel).
    pub cut: Cut,
    /// What a cluster costs. There is no default that suits everything: a run without it is refused.
    pub price: Option<Price>,
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
    /// Time limit and observer.
    pub run: Run<'a>,
}

impl Default for KernelDpMeans<'_> {
    fn default() -> Self {
        Self {
            cut: Cut::default(),
            price: None,
            start: Start::default(),
            order: VisitOrder::default(),
            shift: Shift::default(),
            execution: Execution::default(),
            stop: StopRules::default(),
            refine: true,
            seed: DEFAULT_SEED,
            run: Run::default(),
        }
    }
}

/// The clustering of a graph, with the kernel that was used.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct KernelClustering {
    /// The clustering; its value is F.
    pub clustering: Clustering,
    /// The shift `s`.
    pub shift: f64,
    /// `λ = s − β`.
    pub lambda: f64,
}

impl std::ops::Deref for KernelClustering {
    type Target = Clustering;

    fn deref(&self) -> &Clustering {
        &self.clustering
    }
}

run_options!(KernelDpMeans);

impl KernelDpMeans<'_> {
    /// The paper's algorithm from one cluster, followed by exact moves.
    pub fn new() -> Self {
        Self::default()
    }

    /// Minimising this cut.
    #[must_use]
    pub fn cut(mut self, cut: Cut) -> Self {
        self.cut = cut;
        self
    }

    /// At the resolution β.
    ///
    /// # Errors
    /// If β is not positive and finite.
    pub fn resolution(mut self, beta: f64) -> Result<Self, ParamError> {
        self.price = Some(Price::Resolution(Resolution::new(beta)?));
        Ok(self)
    }

    /// At the price λ in kernel space.
    #[must_use]
    pub fn lambda(mut self, lambda: f64) -> Self {
        self.price = Some(Price::Lambda(lambda));
        self
    }

    /// At the price that the farthest-first rule finds for about this many clusters.
    #[must_use]
    pub fn clusters(mut self, clusters: usize) -> Self {
        self.price = Some(Price::Clusters(clusters));
        self
    }

    /// From this start.
    #[must_use]
    pub fn start(mut self, start: Start) -> Self {
        self.start = start;
        self
    }

    /// Visiting the vertices in this order.
    #[must_use]
    pub fn order(mut self, order: VisitOrder) -> Self {
        self.order = order;
        self
    }

    /// With this shift of the kernel.
    #[must_use]
    pub fn shift(mut self, shift: Shift) -> Self {
        self.shift = shift;
        self
    }

    /// Carrying out the passes in this way; the labels are the same.
    #[must_use]
    pub fn execution(mut self, execution: Execution) -> Self {
        self.execution = execution;
        self
    }

    /// With rules that end the passes early.
    #[must_use]
    pub fn stop(mut self, stop: StopRules) -> Self {
        self.stop = stop;
        self
    }

    /// With or without exact moves after the passes.
    #[must_use]
    pub fn refine(mut self, refine: bool) -> Self {
        self.refine = refine;
        self
    }

    /// With another seed.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// Clusters a graph: `F = Σ_c (cut_c/M_c − β)`.
    ///
    /// # Errors
    /// If β, λ or k is missing, or an option does not fit the graph.
    pub fn run(&self, graph: &Graph) -> Result<KernelClustering, KernelDpMeansError> {
        with_csr!(graph.csr(), csr => self.run_csr(csr))
    }

    /// The same on a graph whose weight type is known.
    ///
    /// # Errors
    /// As [`KernelDpMeans::run`].
    pub fn run_csr<W: Weight>(
        &self,
        graph: &Csr<W>,
    ) -> Result<KernelClustering, KernelDpMeansError> {
        self.cut.check(graph)?;
        let deadline = self.run.start();
        let cut = &self.cut;
        let shift = resolve_shift(graph, cut, self.shift, self.seed, &deadline)?;
        let beta = match self.price {
            Some(Price::Resolution(beta)) => beta.get(),
            Some(Price::Lambda(lambda)) => cut::resolution_of_lambda(lambda, shift)?.get(),
            Some(Price::Clusters(k)) => {
                let any_beta = GraphSimilarity::new(graph, cut, 0.0, shift);
                let lambda = farthest::lambda_for(&any_beta, k, &deadline)?;
                cut::resolution_of_lambda(lambda, shift)?.get()
            }
            None => return Err(KernelDpMeansError::NoPrice("β, λ or a number of clusters")),
        };
        let lambda = cut::lambda(shift, beta);
        let similarity = GraphSimilarity::new(graph, cut, beta, shift);
        let degrees = |i: usize| graph.degree(i);
        let found = self.best(&similarity, lambda, &degrees, &deadline, &|found| {
            let evaluation = cut.evaluate(graph, &found.labels, found.clusters);
            found.value = evaluation.value(beta);
            if self.refine && !deadline.cancelled() {
                refine::refine(graph, cut, beta, found, &deadline);
            }
        })?;
        let clustering = Clustering {
            cut: cut.evaluate(graph, &found.labels, found.clusters).cut,
            labels: found.labels,
            clusters: found.clusters,
            objective: cut.clone(),
            beta,
            value: found.value,
            trace: found.trace,
            stop: found.stop,
        };
        Ok(KernelClustering {
            clustering,
            shift,
            lambda,
        })
    }

    /// Clusters the elements of a kernel matrix: `J + λk`.
    ///
    /// ```
    /// use lambdacut::kernel_dp_means::{Kernel, KernelDpMeans};
    /// // Points 0, 1 and 10 on the line with the linear kernel x·y.
    /// let x = nalgebra::DVector::from_vec(vec![0.0, 1.0, 10.0]);
    /// let kernel = Kernel::dense(&x * x.transpose(), None).unwrap();
    /// let found = KernelDpMeans::new().lambda(25.0).run_kernel(&kernel).unwrap();
    /// assert_eq!((found.k(), found.labels[0] == found.labels[1]), (2, true));
    /// assert_eq!(found.value, 0.5 + 2.0 * 25.0);
    /// ```
    ///
    /// # Errors
    /// If λ or k is missing, or an option does not fit the kernel.
    pub fn run_kernel(&self, kernel: &Kernel) -> Result<PointClustering, KernelDpMeansError> {
        let deadline = self.run.start();
        let lambda = match self.price {
            Some(Price::Lambda(lambda)) if lambda.is_finite() => lambda,
            Some(Price::Lambda(lambda)) => return Err(KernelDpMeansError::Lambda(lambda)),
            Some(Price::Clusters(k)) => lambda_for_clusters(kernel, k, &deadline)?,
            _ => return Err(KernelDpMeansError::NoPrice("λ or a number of clusters")),
        };
        let weight = |i: usize| kernel.weights[i];
        match &kernel.matrix {
            KernelMatrix::Dense(rows) => {
                let similarity = KernelSimilarity::new(rows, &kernel.weights, lambda);
                self.best(&similarity, lambda, &weight, &deadline, &|_| {})
            }
            KernelMatrix::Sparse(rows) => {
                let similarity = KernelSimilarity::new(rows, &kernel.weights, lambda);
                self.best(&similarity, lambda, &weight, &deadline, &|_| {})
            }
        }
    }

    /// The best result of the starts, the first on a tie; `after` sees each.
    fn best<S: Similarity>(
        &self,
        similarity: &S,
        lambda: f64,
        degrees: &dyn Fn(usize) -> f64,
        deadline: &Deadline<'_>,
        after: &dyn Fn(&mut PointClustering),
    ) -> Result<PointClustering, KernelDpMeansError> {
        let n = similarity.elements();
        self.check_start(similarity)?;
        let ranks = Ranks::new(&self.order, degrees, n, self.seed)?;
        let passes = AllPasses {
            similarity,
            lambda,
            ranks: &ranks,
            params: self,
            deadline,
        };
        let runs = self.starts(n).into_iter().map(|start| {
            let mut found = passes.run(&start);
            after(&mut found);
            found
        });
        Ok(best_of(runs, deadline))
    }

    /// The starts that this one stands for: itself, or all of [`Start::Several`].
    fn starts(&self, elements: usize) -> Vec<Start> {
        if self.start != Start::Several {
            return vec![self.start.clone()];
        }
        let sizes =
            std::iter::successors(Some(2), |k| Some(2 * k)).take_while(|k| k * k <= elements);
        let sets = sizes.map(Start::FarthestFirst);
        std::iter::once(Start::One).chain(sets).collect()
    }

    /// Start labels must be there for everything that takes part.
    fn check_start(&self, similarity: &impl Similarity) -> Result<(), KernelDpMeansError> {
        let Start::Labels(given) = &self.start else {
            return Ok(());
        };
        let n = similarity.elements();
        if given.len() != n {
            let (found, expected) = (given.len(), n);
            return Err(KernelDpMeansError::StartLength { found, expected });
        }
        let missing = (0..n).find(|&i| given[i] == NONE && similarity.takes_part(i));
        missing.map_or(Ok(()), |vertex| {
            Err(KernelDpMeansError::StartLabel { vertex })
        })
    }
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

/// The same for a graph: β = s − λ for about `k` clusters. An error when the rule ends at β ≤ 0.
pub fn resolution_for_clusters<W: Weight>(
    graph: &Csr<W>,
    cut: &Cut,
    k: usize,
    shift: Shift,
    seed: u64,
    observer: &dyn Observer,
) -> Result<Resolution, KernelDpMeansError> {
    let shift = resolve_shift(graph, cut, shift, seed, observer)?;
    let lambda = farthest::lambda_for(&GraphSimilarity::new(graph, cut, 0.0, shift), k, observer)?;
    Ok(cut::resolution_of_lambda(lambda, shift)?)
}

/// Passes over one kernel at one price, from any start.
struct AllPasses<'a, S> {
    similarity: &'a S,
    lambda: f64,
    ranks: &'a Ranks,
    params: &'a KernelDpMeans<'a>,
    deadline: &'a Deadline<'a>,
}

impl<S: Similarity> AllPasses<'_, S> {
    /// Passes until a stop rule holds.
    fn run(&self, start: &Start) -> PointClustering {
        let similarity = self.similarity;
        let (mut labels, mut clusters) = self.start(start);
        // The start, or the shift before it, may be less than was asked for, even if the passes
        // then change nothing.
        let cut_short = self.deadline.reason();
        let mut sums = sums::sums(similarity, &labels, clusters);
        let mut value = similarity.value(&sums);
        let mut next = vec![NONE; labels.len()];
        self.deadline.event(Event::Stage {
            name: "kernel DP-means",
            total: None,
        });
        let mut passes = Passes::new(self.params.stop);
        let stop = loop {
            let means = Means::new(similarity, &sums);
            let pass = Pass {
                similarity,
                labels: &labels,
                means: &means,
                ranks: self.ranks,
            };
            let k = match self.params.execution {
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
                    .finished(value, clusters, 0, self.deadline)
                    .unwrap_or(StopReason::NoChange);
            }
            std::mem::swap(&mut labels, &mut next);
            (value, clusters) = (after, sums.len());
            let reason = passes.finished(value, clusters, moved.len(), self.deadline);
            if let Some(reason) = reason {
                break reason;
            }
        };
        PointClustering {
            labels,
            clusters,
            value,
            lambda: Some(self.lambda),
            centres: None,
            trace: passes.into_trace(),
            stop: cut_short.unwrap_or(stop),
        }
    }

    /// The labels to start from, and k.
    fn start(&self, start: &Start) -> (Vec<Cluster>, usize) {
        let similarity = self.similarity;
        let each = |label: &dyn Fn(usize) -> Cluster| -> Vec<Cluster> {
            (0..similarity.elements())
                .map(|i| {
                    if similarity.takes_part(i) {
                        label(i)
                    } else {
                        NONE
                    }
                })
                .collect()
        };
        let mut labels = match start {
            // `KernelDpMeans::starts` has put other starts in the place of several.
            Start::One | Start::Several => each(&|_| 0),
            Start::Singletons => each(&|i| i as Cluster),
            Start::FarthestFirst(k) => {
                farthest::far_apart(similarity, *k, self.params.seed, self.deadline)
            }
            Start::Labels(given) => each(&|i| given[i]),
        };
        let k = make_dense(&mut labels);
        (labels, k)
    }
}

/// The elements at which the labels differ.
fn moved(old: &[Cluster], new: &[Cluster]) -> Vec<Vertex> {
    let both = old.par_iter().zip(new).enumerate().with_min_len(1 << 14);
    both.filter(|(_, (old, new))| old != new)
        .map(|(i, _)| i as Vertex)
        .collect()
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
