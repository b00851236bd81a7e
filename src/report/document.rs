//! The object that `--json` writes. Its keys are a contract; sections that a command does not
//! compute are left out.

use crate::run::PassRecord;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Everything a run has to say, as one JSON object.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Document {
    /// The graph and what was done to the input.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub graph: Option<GraphSection>,
    /// The objective and its value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub objective: Option<ObjectiveSection>,
    /// How the answer was found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fit: Option<FitSection>,
    /// Every clustering on the hull (path and automatic runs).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<Vec<PathPoint>>,
    /// Eigenvalues and the completeness check.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spectrum: Option<serde_json::Value>,
    /// Metrics of the clustering.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metrics: Option<serde_json::Value>,
    /// Agreement with the truth.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub truth: Option<serde_json::Value>,
    /// Wall-clock seconds: `load`, `cluster`, `total`.
    pub seconds: BTreeMap<String, f64>,
    /// Memory used.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory: Option<MemorySection>,
    /// How to reproduce the run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provenance: Option<Provenance>,
    /// What one command alone reports.
    #[serde(flatten)]
    pub more: BTreeMap<String, serde_json::Value>,
}

/// The `graph` section.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct GraphSection {
    /// Vertices, isolated ones included.
    pub vertices: usize,
    /// Undirected edges.
    pub edges: usize,
    /// Sum of the weights of the undirected edges.
    pub total_weight: f64,
    /// Vertices without an edge.
    pub isolated: usize,
    /// Connected components with an edge.
    pub components: usize,
    /// Self-loops in the input.
    pub self_loops: u64,
    /// Repeated edges in the input.
    pub duplicates: u64,
    /// Arcs of the input without their reverse.
    pub directed_arcs: u64,
    /// Further counts of what was done to the input (comments, lines skipped, zero weights, …).
    #[serde(flatten)]
    pub more: BTreeMap<String, u64>,
}

/// The `objective` section.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ObjectiveSection {
    /// Which cut, by its short name.
    pub kind: String,
    /// β, when one was given or chosen.
    pub resolution: Option<f64>,
    /// λ of the equivalent weighted kernel DP-means problem, when σ is known.
    pub lambda: Option<f64>,
    /// F.
    pub value: f64,
    /// `Σ_c cut_c / M_c`.
    pub cut: f64,
    /// k.
    pub clusters: usize,
}

/// The `fit` section.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FitSection {
    /// The method's name as on the command line.
    pub method: String,
    /// Why it stopped.
    pub stop: crate::run::StopReason,
    /// How many passes it made.
    pub passes: usize,
    /// One record a pass.
    pub trace: Vec<PassRecord>,
}

/// One clustering of the path.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct PathPoint {
    /// k.
    pub clusters: usize,
    /// `Σ_c cut_c / M_c`.
    pub cut: f64,
    /// The smallest β at which nothing found is better.
    pub beta_low: f64,
    /// The largest such β, at most the β at which the path began.
    pub beta_high: f64,
    /// Whether this is the recommended clustering.
    pub recommended: bool,
}

/// The `memory` section.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemorySection {
    /// The most memory the process ever held, in bytes.
    pub peak_rss_bytes: u64,
}

/// The `provenance` section.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Provenance {
    /// The version of lambdacut.
    pub version: String,
    /// SHA-256 of the input as read; empty where nothing was read.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub input_sha256: String,
    /// The seed.
    pub seed: u64,
    /// Threads used.
    pub threads: usize,
    /// The command as given.
    pub command: String,
}
