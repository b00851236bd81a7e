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

pub mod anneal;
pub mod chains;
pub mod choose;
mod connect;
mod dissolve;
pub mod effort;
pub mod fold;
pub mod history;
pub mod hull;
mod job;
mod links;
pub mod moves;
mod null_model;
pub mod path;
pub mod reduce;
pub mod repair;
pub mod state;

use self::choose::Choice;
pub use self::effort::Effort;
use self::job::Job;
use self::path::Walk;
use self::state::Level;
use crate::clustering::Clustering;
use crate::cut::Cut;
use crate::graph::{Csr, Graph, Weight};
use crate::ids::{Cluster, NONE};
use crate::labels::{completed, compose, renumber_by_size};
use crate::params::{ParamError, Resolution};
use crate::run::{Run, run_options};
use crate::with_csr;
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum SearchError {
    /// Nothing to cluster.
    #[error("the graph has no edges, so there is nothing to cluster")]
    NoEdges,
    /// More clusters than vertices.
    #[error(
        "{wanted} clusters were asked for, but only {available} vertices have an edge; ask for at most {available}"
    )]
    TooManyClusters {
        /// k as asked for.
        wanted: usize,
        /// Vertices with an edge.
        available: usize,
    },
    /// No clusters at all.
    #[error("0 clusters were asked for; ask for at least 1")]
    NoClusters,
    /// More arcs than links between clusters can be counted.
    #[error("the graph has {arcs} arcs; an unweighted graph may have at most {most} of them, so give the edges weights", most = u32::MAX)]
    TooManyArcs {
        /// Its arcs.
        arcs: usize,
    },
    /// Cut that are too few, too many, or not positive.
    #[error(transparent)]
    Cut(#[from] ParamError),
    /// Labels of the wrong length.
    #[error("{found} labels were given for {expected} vertices")]
    Labels {
        /// The number of labels.
        found: usize,
        /// The number of vertices.
        expected: usize,
    },
}

/// What to look for.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Target {
    /// The whole path, and the clustering that stands out.
    #[default]
    Recommended,
    /// The best clustering at one β.
    Resolution(Resolution),
    /// The best clustering with exactly this many clusters.
    Clusters(usize),
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

/// Which changes were tried without lowering F.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Optimality {
    /// No single vertex can move without cutting its cluster apart.
    pub moves: bool,
    /// No two clusters can merge.
    pub merges: bool,
    /// The last attempt to take poor and oversized clusters apart found nothing.
    pub splits: bool,
}

/// A clustering with what the search knows about it. It dereferences to the [`Clustering`]: labels
/// are numbered by decreasing size, `trace` has one record a step.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Answer {
    /// Labels, k, cut, F at β.
    pub clustering: Clustering,
    /// The β on which nothing seen is better, if there are any; the upper end may be infinite.
    #[serde(with = "open_interval")]
    pub interval: Option<(f64, f64)>,
    /// Local optimality at β.
    pub optimal: Optimality,
    /// The corners of the path and the choice among them.
    pub choice: Option<Choice>,
    /// Fewer clusters than components were asked for, so some clusters are not connected.
    pub united: bool,
}

impl Answer {
    /// Why this clustering, in words: how it was chosen if it was, and which changes were tried in
    /// vain.
    pub fn why(&self) -> String {
        let tried = self.optimal.in_words();
        match &self.choice {
            Some(choice) => format!("{}; {tried}", choice.why()),
            None => tried,
        }
    }
}

impl Optimality {
    /// What was tried in vain, as a person would say it.
    pub fn in_words(self) -> String {
        let all = [
            (self.moves, "move"),
            (self.merges, "merge"),
            (self.splits, "split"),
        ];
        let in_vain: Vec<&str> = all.iter().filter(|t| t.0).map(|t| t.1).collect();
        let open: Vec<&str> = all.iter().filter(|t| !t.0).map(|t| t.1).collect();
        match (&in_vain[..], &open[..]) {
            (_, []) => "no single move, merge or split tried lowers F".to_owned(),
            ([], _) => "single moves, merges and splits may still lower F".to_owned(),
            (vain, open) => format!(
                "no single {} tried lowers F, a {} may",
                vain.join(" or "),
                open.join(" or ")
            ),
        }
    }
}

impl std::ops::Deref for Answer {
    type Target = Clustering;

    fn deref(&self) -> &Clustering {
        &self.clustering
    }
}

/// An interval whose upper end may be infinite, written as `null`.
mod open_interval {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    #[allow(clippy::ref_option)] // serde hands over the field by reference
    pub fn serialize<S: Serializer>(
        interval: &Option<(f64, f64)>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        interval
            .map(|(low, high)| (low, high.is_finite().then_some(high)))
            .serialize(serializer)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<(f64, f64)>, D::Error> {
        let interval: Option<(f64, Option<f64>)> = Option::deserialize(deserializer)?;
        Ok(interval.map(|(low, high)| (low, high.unwrap_or(f64::INFINITY))))
    }
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
        self.resume(graph, &mut Walk::default(), &mut |_| {})
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

    /// Searches on from a walk stored earlier; `after_step` sees it after every step of the path.
    ///
    /// # Errors
    /// As [`Search::run`].
    pub fn resume<W: Weight>(
        &self,
        graph: &Csr<W>,
        walk: &mut Walk,
        after_step: &mut dyn FnMut(&Walk),
    ) -> Result<Answer, SearchError> {
        self.check(graph)?;
        let deadline = self.run.start();
        let Some(fixed) = &self.fixed else {
            let job = Job::new(graph, &self.cut, self.effort, &deadline);
            return Ok(job.run(self.target, self.start.as_deref(), walk, after_step));
        };
        let (map, k) = together(graph, fixed);
        let coarse = Level::new(graph, &self.cut).contract(&map, k);
        let start = self.start.as_ref().map(|labels| carried(labels, &map, k));
        let job = Job::new(&coarse.graph, &coarse.cut, self.effort, &deadline);
        let mut answer = job.run(self.target, start.as_deref(), walk, after_step);
        let labels = &mut answer.clustering.labels;
        *labels = compose(&map, labels);
        renumber_by_size(labels);
        Ok(answer)
    }

    /// The labels of point `index` of a walk of this search, one for every vertex of `graph`.
    pub fn walked<W: Weight>(&self, graph: &Csr<W>, walk: &Walk, index: usize) -> Vec<Cluster> {
        let labels = walk.labels(index);
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
