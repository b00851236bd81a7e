//! The search behind `lambdacut cluster`: a graph in, the recommended clustering (or the best at
//! one β, or exactly k) out.
//!
//! ```
//! use lambdacut::search::Search;
//! use lambdacut::generate::Cliques;
//! let graph = Cliques { cliques: 6, size: 5 }.generate().unwrap().graph().unwrap();
//! let best = Search::new().run(&graph.into()).unwrap();
//! assert_eq!(best.k(), 6);
//! ```

mod anneal;
mod answer;
mod chains;
mod choice;
mod connect;
mod contraction;
mod dissolve;
mod effort;
mod history;
mod hull;
mod information;
pub(crate) mod job;
mod links;
pub(crate) mod merges;
pub(crate) mod moves;
mod null_model;
mod path;
mod path_search;
mod repair;
pub(crate) mod state;

pub use self::answer::{Answer, Optimality, SearchError, Target};
pub use self::choice::{Candidate, Choice, Reason};
pub use self::effort::Effort;
pub use self::hull::Corner;
pub use self::path::{Path, Point};

use self::job::Job;
use self::state::Level;
use crate::cut::Cut;
use crate::graph::{Csr, Graph, Weight};
use crate::ids::{Cluster, NONE};
use crate::labels::{completed, compose, renumber_by_size};
use crate::params::{ParamError, Resolution};
use crate::run::{Run, run_options};
use crate::with_csr;
use serde::{Deserialize, Serialize};

/// The parts of the search, for its own tests and benchmarks; not part of the interface.
#[doc(hidden)]
pub mod testing {
    pub use super::chains::chains;
    pub use super::choice::choose;
    pub use super::history::History;
    pub use super::hull::corners;
    pub use super::information::information;
    pub use super::moves::{Active, Kind, Rules, dispensable, local_moves, refine};
    pub use super::path_search::PathSearch;
    pub use super::state::{Level, State};
}

/// What a search takes beside the graph (`cargo bench --bench search` measures it).
const BYTES_AN_ARC: u64 = 24;
const BYTES_A_VERTEX: u64 = 220;

/// The search with its options.
///
/// ```
/// use lambdacut::{graph::Graph, search::{Effort, Search}};
/// let edges = [(0, 1, 1.0), (1, 2, 1.0), (0, 2, 1.0), (2, 3, 0.1), (3, 4, 1.0), (4, 5, 1.0), (3, 5, 1.0)];
/// let graph = Graph::from_edges(6, &edges)?;
/// let best = Search::new().run(&graph)?;
/// assert_eq!((best.k(), best.cluster_of(0)), (2, Some(0)));
/// let at_beta = Search::new().resolution(0.3)?.effort(Effort::Best).run(&graph)?;
/// let three = Search::new().clusters(3).run(&graph)?;
/// assert_eq!((at_beta.k(), three.k()), (2, 3));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Search<'a> {
    /// What to look for.
    pub target: Target,
    /// Which cut to minimise.
    pub cut: Cut,
    /// How hard to search.
    pub effort: Effort,
    /// Vertices with the same label here stay together; [`NONE`] leaves a vertex free.
    pub fixed: Option<Vec<Cluster>>,
    /// A clustering that is known already: the search at one β starts from it instead of from
    /// singletons, every other search considers it beside its own. [`NONE`] makes a vertex start
    /// alone.
    pub start: Option<Vec<Cluster>>,
    /// Time limit and observer.
    pub run: Run<'a>,
}

run_options!(Search);

impl Search<'_> {
    /// The recommended clustering by normalized cut, with normal effort.
    pub fn new() -> Self {
        Self::default()
    }

    /// The best clustering at the resolution β.
    ///
    /// # Errors
    /// If β is not positive and finite.
    pub fn resolution(mut self, beta: f64) -> Result<Self, ParamError> {
        self.target = Target::Resolution(Resolution::new(beta)?);
        Ok(self)
    }

    /// The best clustering with exactly this many clusters.
    #[must_use]
    pub fn clusters(mut self, clusters: usize) -> Self {
        self.target = Target::Clusters(clusters);
        self
    }

    /// Minimising this cut.
    #[must_use]
    pub fn cut(mut self, cut: Cut) -> Self {
        self.cut = cut;
        self
    }

    /// Searching this hard.
    #[must_use]
    pub fn effort(mut self, effort: Effort) -> Self {
        self.effort = effort;
        self
    }

    /// Keeping vertices with the same label together; [`NONE`] leaves a vertex free.
    #[must_use]
    pub fn fixed(mut self, labels: impl Into<Vec<Cluster>>) -> Self {
        self.fixed = Some(labels.into());
        self
    }

    /// From a clustering that is known already, as of the same graph last week; [`NONE`] makes a
    /// vertex start alone.
    #[must_use]
    pub fn start(mut self, labels: impl Into<Vec<Cluster>>) -> Self {
        self.start = Some(labels.into());
        self
    }

    /// Searches. The result does not depend on the number of threads.
    ///
    /// # Errors
    /// If there is nothing to cluster, or labels, masses or k do not fit the graph.
    pub fn run(&self, graph: &Graph) -> Result<Answer, SearchError> {
        with_csr!(graph.csr(), csr => self.run_csr(csr))
    }

    /// The same on a graph whose weight type is known.
    ///
    /// # Errors
    /// As [`Search::run`].
    pub fn run_csr<W: Weight>(&self, graph: &Csr<W>) -> Result<Answer, SearchError> {
        self.resume(graph, &mut Path::default(), &mut |_| {})
    }

    /// About how many bytes a search takes at most, beside those of the graph.
    ///
    /// There are at any time two contractions, the finer with at most all arcs; the
    /// sums and labels of a few partitions; and the labels of the path's points, which share what
    /// did not change.
    pub fn bytes<W: Weight>(&self, graph: &Csr<W>) -> u64 {
        let (arcs, vertices) = (graph.arcs() as u64, graph.vertices() as u64);
        BYTES_AN_ARC * arcs + BYTES_A_VERTEX * vertices
    }

    /// Searches on from a path stored earlier; `after_step` sees it after every step.
    ///
    /// # Errors
    /// As [`Search::run`].
    pub fn resume<W: Weight>(
        &self,
        graph: &Csr<W>,
        path: &mut Path,
        after_step: &mut dyn FnMut(&Path),
    ) -> Result<Answer, SearchError> {
        self.check(graph)?;
        let deadline = self.run.start();
        let Some(fixed) = &self.fixed else {
            let job = Job::new(graph, &self.cut, self.effort, &deadline);
            return Ok(job.run(self.target, self.start.as_deref(), path, after_step));
        };
        let (map, k) = together(graph, fixed);
        let coarse = Level::new(graph, &self.cut).contract(&map, k);
        let start = self.start.as_ref().map(|labels| carried(labels, &map, k));
        let job = Job::new(&coarse.graph, &coarse.cut, self.effort, &deadline);
        let mut answer = job.run(self.target, start.as_deref(), path, after_step);
        let labels = &mut answer.clustering.labels;
        *labels = compose(&map, labels);
        renumber_by_size(labels);
        Ok(answer)
    }

    /// The labels of point `index` of a path of this search, one for every vertex of `graph`.
    pub fn labels_on_path<W: Weight>(
        &self,
        graph: &Csr<W>,
        path: &Path,
        index: usize,
    ) -> Vec<Cluster> {
        let labels = path.labels(index);
        match &self.fixed {
            Some(fixed) => compose(&together(graph, fixed).0, &labels),
            None => labels,
        }
    }

    fn check<W: Weight>(&self, graph: &Csr<W>) -> Result<(), SearchError> {
        self.cut.check(graph)?;
        let (n, available) = (graph.vertices(), graph.vertices() - graph.isolated());
        for labels in [&self.fixed, &self.start].into_iter().flatten() {
            if labels.len() != n {
                let (found, expected) = (labels.len(), n);
                return Err(SearchError::Labels { found, expected });
            }
        }
        match self.target {
            _ if available == 0 => Err(SearchError::NoEdges),
            _ if W::UNIT && graph.arcs() > u32::MAX as usize => {
                Err(SearchError::TooManyArcs { arcs: graph.arcs() })
            }
            Target::Clusters(0) => Err(SearchError::NoClusters),
            Target::Clusters(wanted) if wanted > available => {
                Err(SearchError::TooManyClusters { wanted, available })
            }
            _ => Ok(()),
        }
    }
}

/// Labels in which vertices with the same `fixed` label share one, and every other vertex with an
/// edge has its own.
fn together<W: Weight>(graph: &Csr<W>, fixed: &[Cluster]) -> (Vec<Cluster>, usize) {
    completed(fixed, |i| graph.degree(i) > 0.0)
}

/// Labels of `k` contracted vertices: that of their first member.
fn carried(labels: &[Cluster], map: &[Cluster], k: usize) -> Vec<Cluster> {
    let mut of = vec![NONE; k];
    for (&c, &v) in labels.iter().zip(map).filter(|&(_, &v)| v != NONE) {
        if of[v as usize] == NONE {
            of[v as usize] = c;
        }
    }
    of
}
