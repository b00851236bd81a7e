//! Seeded graphs and points whose clusters are known.
//!
//! | generator | what it makes |
//! |---|---|
//! | [`Lfr`] | power-law degrees and community sizes with a given mixing: the usual benchmark of community detection |
//! | [`Sbm`] | stochastic block model, plain or degree-corrected |
//! | [`Rmat`] | skewed random arcs without planted clusters, in chunks, for load tests of any size |
//! | [`Cliques`] | a ring of cliques: the textbook case of a resolution limit |
//! | [`Blobs`] | Gaussian points |
//!
//! A generator is a struct of parameters with the usual defaults; its method checks them and makes
//! the data. The same parameters and seed give the same data on every machine and any number of
//! threads: every block of work has its own stream of random numbers, and the few transcendental
//! functions come from a portable library, not from the platform.

mod blobs;
mod cliques;
mod lfr;
mod power_law;
mod random;
mod rmat;
mod sbm;
mod wiring;

pub use blobs::{Blobs, LabelledPoints};
pub use cliques::Cliques;
pub use lfr::Lfr;
pub use rmat::{CheckedRmat, Rmat};
pub use sbm::{Affinity, Sbm};

use crate::graph::{Csr, GraphError, Unit};
use crate::ids::{Cluster, TooManyVertices, Vertex};
use crate::params::ParamError;
use crate::run::{Event, Observer};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// Why nothing was generated.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum GenerateError {
    /// A parameter is out of range.
    #[error(transparent)]
    Parameter(#[from] ParamError),
    /// The id space is exceeded.
    #[error(transparent)]
    TooManyVertices(#[from] TooManyVertices),
    /// No power law has the average degree.
    #[error(
        "no power law with exponent {exponent} up to {most} has the mean {mean}: it would have to lie between {lowest:.3} and {most}"
    )]
    Mean {
        /// The mean asked for.
        mean: f64,
        /// The exponent.
        exponent: f64,
        /// The largest value.
        most: u32,
        /// The smallest mean there is.
        lowest: f64,
    },
    /// The vertices cannot be split into communities within the limits.
    #[error(
        "{vertices} vertices cannot be split into communities of {least} to {most}; widen the range of community sizes"
    )]
    Split {
        /// The vertices.
        vertices: usize,
        /// The smallest community.
        least: usize,
        /// The largest community.
        most: usize,
    },
    /// Some vertex has more neighbours inside its community than the community has members.
    #[error(
        "in {draws} draws of community sizes there was never room for every vertex: a vertex with internal degree d needs a community of more \
         than d; raise the largest community, raise the mixing or lower the largest degree"
    )]
    Room {
        /// How often community sizes were drawn.
        draws: u32,
    },
    /// The observer asked to stop; half a graph would be taken for a whole one.
    #[error("cancelled")]
    Cancelled,
    /// The centres do not fit into the box.
    #[error(
        "{clusters} centres {apart} apart do not fit into the box; make the box larger or the separation smaller"
    )]
    Centres {
        /// How many centres.
        clusters: usize,
        /// Their smallest distance.
        apart: f64,
    },
}

/// A graph with the clusters it was made from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Planted {
    /// The number of vertices.
    pub vertices: usize,
    /// Every edge once, smaller endpoint first, in ascending order, without loops or repeats.
    pub edges: Vec<(Vertex, Vertex)>,
    /// The cluster of every vertex.
    pub truth: Vec<Cluster>,
}

impl Planted {
    /// Sorts edges that may repeat, and drops the repeats.
    fn new(vertices: usize, mut edges: Vec<(Vertex, Vertex)>, truth: Vec<Cluster>) -> Self {
        edges
            .par_iter_mut()
            .for_each(|edge| *edge = (edge.0.min(edge.1), edge.0.max(edge.1)));
        edges.par_sort_unstable();
        edges.dedup();
        Self {
            vertices,
            edges,
            truth,
        }
    }

    /// The graph itself.
    ///
    /// ```
    /// let ring = lambdacut::generate::Cliques { cliques: 3, size: 4 }.generate().unwrap();
    /// assert_eq!(ring.graph().unwrap().edges(), 3 * 6 + 3);
    /// ```
    pub fn graph(&self) -> Result<Csr<Unit>, GraphError> {
        let edges: Vec<_> = self.edges.par_iter().map(|&(i, j)| (i, j, 1.0)).collect();
        Csr::from_edges(self.vertices, &edges)
    }

    /// The share of edges between different clusters.
    pub fn mixing(&self) -> f64 {
        let across =
            |&&(i, j): &&(Vertex, Vertex)| self.truth[i as usize] != self.truth[j as usize];
        if self.edges.is_empty() {
            0.0
        } else {
            self.edges.par_iter().filter(across).count() as f64 / self.edges.len() as f64
        }
    }
}

/// Announces the next step, or ends a cancelled run.
fn step(name: &str, observer: &dyn Observer) -> Result<(), GenerateError> {
    observer.event(Event::Stage { name, total: None });
    if observer.cancelled() {
        Err(GenerateError::Cancelled)
    } else {
        Ok(())
    }
}

/// Checks that `value` lies in the range that `expected` names.
fn check(
    name: &'static str,
    value: f64,
    allowed: bool,
    expected: &'static str,
) -> Result<(), ParamError> {
    if allowed {
        Ok(())
    } else {
        Err(ParamError::OutOfRange {
            name,
            expected,
            found: value.to_string(),
        })
    }
}
