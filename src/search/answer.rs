//! What a search is asked for and what it answers.

use super::choice::Choice;
use crate::clustering::Clustering;
use crate::params::{ParamError, Resolution};
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
