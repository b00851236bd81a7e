//! The path as data: every partition found on the way from many clusters to one per component.
//!
//! Each is kept as a point (k, Cut) with its labels; the hull ([`super::hull`]) of the points says
//! which partition is best at which β. A path under way is serialisable, and [`super::path_search`]
//! goes on with it as if it had never been stored. Memory: [`History`].

use super::history::History;
use super::hull::{Corner, corners};
use crate::ids::Cluster;
use crate::run::PassRecord;
use serde::{Deserialize, Serialize};

/// One partition of the path.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Point {
    /// The β at which it was found.
    pub beta: f64,
    /// k.
    pub clusters: usize,
    /// `Σ_c cut_c / M_c`.
    pub cut: f64,
    /// `Σ_c (w_c/v − (D_c/v)²)` with `v` the volume of the graph.
    pub modularity: f64,
    /// How much the cluster of a vertex tells of that of its neighbour
    /// ([`super::information::information`]).
    pub information: f64,
}

/// A path under way: everything needed to go on.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Path {
    pub(super) stride: f64,
    pub(super) beta: f64,
    pub(super) done: bool,
    pub(super) points: Vec<Point>,
    pub(super) history: History,
    pub(super) trace: Vec<PassRecord>,
}

impl Path {
    /// Whether the path has reached its end.
    pub fn done(&self) -> bool {
        self.done
    }

    /// The partitions found so far, in the order in which they were found.
    pub fn points(&self) -> &[Point] {
        &self.points
    }

    /// One record a step.
    pub fn trace(&self) -> &[PassRecord] {
        &self.trace
    }

    /// The labels of point `index`.
    pub fn labels(&self, index: usize) -> Vec<Cluster> {
        self.history.get(index)
    }

    /// The points that are best at some β, by ascending k.
    pub fn corners(&self) -> Vec<Corner> {
        let points: Vec<(usize, f64)> = self.points.iter().map(|p| (p.clusters, p.cut)).collect();
        corners(&points)
    }

    /// The point that is best at β, the earliest of equals.
    pub fn best_at(&self, beta: f64) -> Option<usize> {
        let value = |at: usize| self.points[at].cut - beta * self.points[at].clusters as f64;
        (0..self.points.len()).min_by(|&a, &b| value(a).total_cmp(&value(b)))
    }

    /// The β at which the path began.
    pub fn start(&self) -> f64 {
        self.points.first().map_or(f64::INFINITY, |p| p.beta)
    }

    /// Adds a partition; how many vertices did not go with their cluster of the last one.
    pub(super) fn add(&mut self, point: Point, labels: Vec<Cluster>) -> usize {
        self.points.push(point);
        self.history.push(labels)
    }
}
