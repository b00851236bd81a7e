//! What a page shows, as the JSON object that is embedded in it. Arrays go by column where there
//! are many rows, and numbers keep six digits, so that pages stay small.

use crate::report::document::{Document, FitSection};
use serde::Serialize;

/// Everything on one page.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Page {
    /// What was read, as a heading.
    pub title: String,
    /// What was done.
    pub about: About,
    /// The clusterings of a graph.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub graph: Option<GraphView>,
    /// The clustering of points.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub points: Option<PointsView>,
    /// Eigenvalues.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spectrum: Option<SpectrumView>,
    /// The objective and k after each pass, for methods that lower one objective pass by pass.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub trace: Vec<(f64, usize)>,
}

/// What was done: the part of the JSON document that does not grow with the data, and the
/// parameters.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct About {
    /// The document without its trace, without what the page shows in other ways, and with no more
    /// than [`MOST_LAYERS`] layers.
    #[serde(flatten)]
    pub document: Document,
    /// Flags and other parameters, in the order in which they are shown.
    pub parameters: Vec<(String, String)>,
}

/// Layers that are described one by one.
pub const MOST_LAYERS: usize = 100;

impl About {
    /// Takes over what `document` knows, and adds the parameters.
    pub fn new(document: &Document, parameters: Vec<(String, String)>) -> Self {
        let fit = document.fit.as_ref().map(|fit| FitSection {
            trace: Vec::new(),
            ..fit.clone()
        });
        let mut more = document.more.clone();
        more.retain(|key, _| ["certificate", "layers"].contains(&key.as_str()));
        if let Some(layers) = more
            .get_mut("layers")
            .and_then(serde_json::Value::as_array_mut)
        {
            layers.truncate(MOST_LAYERS);
        }
        let short = Document {
            graph: document.graph.clone(),
            objective: document.objective.clone(),
            fit,
            seconds: document.seconds.clone(),
            memory: document.memory,
            provenance: document.provenance.clone(),
            more,
            ..Document::default()
        };
        Self {
            document: short,
            parameters,
        }
    }
}

/// Some clusterings of one graph, by ascending k.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct GraphView {
    /// Vertices that have an edge: those that are in clusters.
    pub vertices: usize,
    /// `Σ_i d_i`.
    pub volume: f64,
    /// The adjacency matrix in the order of the input.
    pub before: Image,
    /// Names of vertices, referred to by index.
    pub names: Vec<String>,
    /// Names of the true classes that the heat maps show, then one for all others if there are
    /// more.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub classes: Vec<String>,
    /// The layers of a layered graph, whose vertices are copies in them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub layers: Option<LayersView>,
    /// The clusterings.
    pub clusterings: Vec<Clustering>,
    /// The one to show first.
    pub chosen: usize,
    /// Why it was recommended, if it was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// The layers of a layered graph.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LayersView {
    /// How many.
    pub total: usize,
    /// The titles of those that the heat maps show, then one for all others if there are more.
    pub shown: Vec<String>,
}

/// One clustering of a graph.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Clustering {
    /// k.
    pub clusters: usize,
    /// `Σ_c cut_c / M_c`.
    pub cut: f64,
    /// The β at which F is stated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub beta: Option<f64>,
    /// F at β.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<f64>,
    /// The β on which nothing found is better; without an upper end if none is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interval: Option<(f64, Option<f64>)>,
    /// What only some clusterings of a long path have.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detail: Option<Detail>,
}

/// The clusters of one clustering.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Detail {
    /// `Σ_c (w_c / V − (D_c / V)²)`.
    pub modularity: f64,
    /// The share of the weight inside clusters.
    pub coverage: f64,
    /// The mean of the clusters' conductances.
    pub conductance_mean: f64,
    /// The smallest, the quartiles and the largest of them.
    pub conductance: [f64; 5],
    /// Clusters that are not connected inside.
    pub disconnected: usize,
    /// The clusters of largest volume.
    pub table: Table,
    /// All others together.
    pub rest: Rest,
    /// How many clusters have at least 2^b and fewer than 2^(b+1) vertices, and how many vertices
    /// these have together.
    pub sizes: Vec<(usize, usize)>,
    /// The graph of clusters.
    pub network: Network,
    /// The adjacency matrix in the order of the clusters.
    pub after: Image,
    /// Agreement with the truth.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub truth: Option<Truth>,
    /// How many copies of vertices each cluster has in each layer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub layers: Option<Heat>,
}

/// Clusters by decreasing volume, column by column.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Table {
    /// The number of the cluster in the labels file.
    pub cluster: Vec<u32>,
    /// `n_c`.
    pub size: Vec<usize>,
    /// `D_c`.
    pub volume: Vec<f64>,
    /// `cut_c / min(D_c, V − D_c)`.
    pub conductance: Vec<f64>,
    /// `w_c / D_c`.
    pub inside: Vec<f64>,
    /// How many layers it has members in; empty for a graph without layers.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub layers: Vec<usize>,
    /// The members with the most weight inside the cluster, as indices of [`GraphView::names`].
    pub best: Vec<Vec<u32>>,
}

/// The clusters that a table leaves out.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
pub struct Rest {
    /// How many.
    pub clusters: usize,
    /// How many vertices they have.
    pub vertices: usize,
    /// Their volume.
    pub volume: f64,
}

/// The largest clusters as circles, and the weight between them.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Network {
    /// Horizontal place of each circle; circle `a` is row `a` of the table.
    pub x: Vec<f64>,
    /// Vertical place.
    pub y: Vec<f64>,
    /// Radius; its square is proportional to the volume, but for the smallest circles.
    pub r: Vec<f64>,
    /// Place of each circle on the colour wheel, in turns.
    pub hue: Vec<f64>,
    /// Pairs of circles with the weight between them, the heaviest first.
    pub links: Vec<(usize, usize, f64)>,
    /// How many pairs of these circles have an edge between them, shown or not.
    pub pairs: usize,
}

/// The lower triangle of a symmetric matrix of shades.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Image {
    /// Rows and columns.
    pub side: usize,
    /// `side (side + 1) / 2` bytes row by row, 0 for empty and 255 for dense, in base 64.
    pub shades: String,
}

/// How a clustering agrees with true classes.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Truth {
    /// Elements with a true class.
    pub elements: u64,
    /// Normalised mutual information (arithmetic mean).
    pub nmi: f64,
    /// Adjusted Rand index.
    pub ari: f64,
    /// How many elements of each cluster are in each class.
    #[serde(flatten)]
    pub heat: Heat,
}

/// Numbers of elements by cluster and column, as a heat map.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Heat {
    /// The clusters of the rows, by number.
    pub clusters: Vec<u32>,
    /// Row by row; a last row for the other clusters if there are more.
    pub counts: Vec<Vec<u64>>,
}

/// The clustering of points.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PointsView {
    /// How many points.
    pub points: usize,
    /// In how many dimensions.
    pub dimension: usize,
    /// k.
    pub clusters: usize,
    /// The value of the method's objective.
    pub value: f64,
    /// The largest clusters.
    pub table: PointsTable,
    /// Clusters and points that the table leaves out.
    pub rest: Rest,
    /// As [`Detail::sizes`].
    pub sizes: Vec<(usize, usize)>,
    /// Some of the points in the plane.
    pub scatter: Scatter,
    /// λ and the number of clusters there, where a range of λ was tried.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub curve: Vec<(f64, usize)>,
    /// Names of the true classes of the heat map.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub classes: Vec<String>,
    /// Agreement with the truth.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub truth: Option<Truth>,
}

/// Clusters of points by decreasing size, column by column.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct PointsTable {
    /// The names of the first coordinates.
    pub columns: Vec<String>,
    /// `n_c`.
    pub size: Vec<usize>,
    /// `Σ_{i∈c} w_i`.
    pub weight: Vec<f64>,
    /// `Σ_{i∈c} w_i ‖x_i − μ_c‖²`.
    pub within: Vec<f64>,
    /// The first coordinates of `μ_c`.
    pub centre: Vec<Vec<f64>>,
}

/// Points on their first two principal components.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Scatter {
    /// First component.
    pub x: Vec<f64>,
    /// Second component.
    pub y: Vec<f64>,
    /// The cluster of each point.
    pub cluster: Vec<u32>,
    /// The share of the variance along each component.
    pub explained: [f64; 2],
    /// The centres of the clusters of the table.
    pub centres: Vec<(f64, f64)>,
}

/// The low end of a spectrum.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SpectrumView {
    /// Eigenvalues, ascending.
    pub values: Vec<f64>,
    /// How many were computed, shown or not.
    pub count: usize,
    /// The threshold β.
    pub below: f64,
    /// What is known about missing ones, as a sentence.
    pub verdict: String,
    /// The relatively largest gaps: how many eigenvalues come before, from where, to where.
    pub gaps: Vec<(usize, f64, f64)>,
}

/// Six significant digits; what is not finite becomes 0.
pub(super) fn short(value: f64) -> f64 {
    if value.is_finite() {
        format!("{value:.5e}").parse().unwrap_or(value)
    } else {
        0.0
    }
}

/// Numbers `0..values.len()` by decreasing value, ties by number.
pub(super) fn descending(values: &[f64]) -> Vec<u32> {
    let mut order: Vec<u32> = (0..values.len() as u32).collect();
    order.sort_by(|&a, &b| {
        values[b as usize]
            .total_cmp(&values[a as usize])
            .then(a.cmp(&b))
    });
    order
}
