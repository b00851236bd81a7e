//! Clusterings of a graph → what a page shows of them.
//!
//! A path may have hundreds of clusterings of millions of clusters; a page has
//! [`LIMIT`](super::LIMIT) bytes. So at most `MOST_DETAILED` clusterings (the recommended one, the
//! ends of the path and those with the widest intervals) are stored with their clusters, these
//! share `ROWS` rows of tables, `NAME_BYTES` bytes of names and `IMAGE_BYTES` bytes of images, and
//! what a table leaves out is counted in one line. Cost: a few times O(arcs) for each detailed
//! clustering.

use super::clusters::{Clusters, size_bins};
use super::data::{Clustering, Detail, GraphView, LayersView, descending, short};
use super::density::image;
use super::names::{NameTable, VertexNames};
use super::network::{Before, MOST_CIRCLES, network};
use super::truth::Classes;
use crate::cut::Cut;
use crate::graph::{Csr, Members, Weight};
use crate::ids::{Cluster, Vertex};
use crate::io::Labels;
use crate::labels::renumber_by_size;
use crate::metrics::{GraphMetrics, MetricError};
use crate::partition::Sums;
use crate::run::{Event, Observer};

/// Clusterings stored with their clusters.
const MOST_DETAILED: usize = 40;

/// Rows of the table of the clustering shown first.
const MOST_ROWS: usize = 200;

/// Rows of all tables together.
const ROWS: usize = 4000;

/// Bytes of all names together.
const NAME_BYTES: usize = 400_000;

/// Bytes of all images together, as text.
const IMAGE_BYTES: usize = 500_000;

/// Rows and columns of an image.
const MOST_SIDE: usize = 256;

/// A graph with what is known about its vertices.
#[derive(Debug, Clone, Copy)]
pub struct GraphSource<'a, W: Weight> {
    /// The graph.
    pub graph: &'a Csr<W>,
    /// What its vertices are called.
    pub names: VertexNames<'a>,
    /// The masses that define the cut.
    pub cut: &'a Cut,
    /// True classes.
    pub truth: Option<&'a Labels>,
}

/// One clustering to be shown: a corner of a path, or the answer itself.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Stop {
    /// k.
    pub clusters: usize,
    /// `Σ_c cut_c / M_c`.
    pub cut: f64,
    /// The β at which to state F.
    pub beta: Option<f64>,
    /// The β on which nothing found is better.
    pub interval: Option<(f64, f64)>,
    /// What F has beyond `cut − β k`: `λ_ℓ Σ_j k_j` for layers, 0 for one graph.
    pub local_price: f64,
}

impl Stop {
    fn width(&self) -> f64 {
        self.interval.map_or(0.0, |(low, high)| high - low)
    }
}

impl<W: Weight> GraphSource<'_, W> {
    /// Shows `stops` (by ascending k), `chosen` first; `labels` gives the labels of each,
    /// [`NONE`](crate::ids::NONE) for isolated vertices.
    pub fn view(
        &self,
        stops: &[Stop],
        chosen: usize,
        labels: &dyn Fn(usize) -> Vec<Cluster>,
        observer: &dyn Observer,
    ) -> Result<GraphView, MetricError> {
        let detailed = detailed(stops, chosen);
        let mut drawing = Drawing::new(self, detailed.iter().filter(|d| **d).count());
        observer.event(Event::Stage {
            name: "drawing the report",
            total: Some(drawing.detailed as u64),
        });
        let mut clusterings: Vec<Clustering> = stops.iter().map(clustering).collect();
        let mut at_chosen = None;
        let mut before = None;
        // From the chosen one down, then from it up, so that pictures change little from one to the
        // next.
        for at in (0..=chosen)
            .rev()
            .chain(chosen + 1..stops.len())
            .filter(|&at| detailed[at])
        {
            if at > chosen && at_chosen.is_some() {
                before = at_chosen.take();
            }
            let (detail, after) = drawing.detail(labels(at), at == chosen, before.as_ref())?;
            clusterings[at].detail = Some(detail);
            if at == chosen {
                at_chosen = Some(after.clone());
            }
            before = Some(after);
            observer.event(Event::Advance(1));
        }
        let order = connected(self.graph);
        let classes = drawing
            .classes
            .as_ref()
            .map_or(Vec::new(), |classes| classes.shown.clone());
        Ok(GraphView {
            vertices: order.len(),
            volume: short(self.graph.volume()),
            before: image(self.graph, &order, drawing.side),
            names: drawing.names.into_names(),
            classes,
            layers: drawing.layers.map(|(total, layers)| LayersView {
                total,
                shown: layers.shown,
            }),
            clusterings,
            chosen,
            reason: None,
        })
    }
}

/// The vertices that have an edge, in their order.
fn connected<W: Weight>(graph: &Csr<W>) -> Vec<Vertex> {
    let offsets = graph.rows().offsets;
    (0..graph.vertices() as Vertex)
        .filter(|&i| offsets[i as usize] < offsets[i as usize + 1])
        .collect()
}

fn clustering(stop: &Stop) -> Clustering {
    let value = stop
        .beta
        .map(|beta| short(stop.cut - beta * stop.clusters as f64 + stop.local_price));
    let interval = stop
        .interval
        .map(|(low, high)| (short(low), high.is_finite().then(|| short(high))));
    Clustering {
        clusters: stop.clusters,
        cut: short(stop.cut),
        beta: stop.beta.map(short),
        value,
        interval,
        detail: None,
    }
}

/// Which clusterings are stored with their clusters.
fn detailed(stops: &[Stop], chosen: usize) -> Vec<bool> {
    let ends = [chosen, 0, stops.len().saturating_sub(1)];
    let rank: Vec<f64> = (0..stops.len())
        .map(|at| {
            if ends.contains(&at) {
                f64::INFINITY
            } else {
                stops[at].width()
            }
        })
        .collect();
    let mut kept = vec![false; stops.len()];
    descending(&rank)
        .iter()
        .take(MOST_DETAILED)
        .for_each(|&at| kept[at as usize] = true);
    kept
}

/// A view under way.
struct Drawing<'a, W: Weight> {
    source: &'a GraphSource<'a, W>,
    names: NameTable<'a>,
    classes: Option<Classes<'a>>,
    /// How many layers there are, and which of them have a column.
    layers: Option<(usize, Classes<'a>)>,
    detailed: usize,
    side: usize,
}

impl<'a, W: Weight> Drawing<'a, W> {
    fn new(source: &'a GraphSource<'a, W>, detailed: usize) -> Self {
        let classes = source.truth.map(|t| {
            Classes::new(&t.labels, t.names.len(), |class| {
                t.names.get(class).to_owned()
            })
        });
        // One image for each, and one before; a triangle of s² / 2 bytes takes 2 s² / 3 characters.
        let side =
            ((1.5 * IMAGE_BYTES as f64 / (detailed + 1) as f64).sqrt() as usize).min(MOST_SIDE);
        let layers = source.names.layers().map(|(layers, of)| {
            (
                layers.len(),
                Classes::in_order(of, layers.len(), |j| layers[j].title.to_owned()),
            )
        });
        Self {
            source,
            names: NameTable::new(source.names, NAME_BYTES),
            classes,
            layers,
            detailed,
            side,
        }
    }

    /// Everything about one clustering, and where its circles are.
    fn detail(
        &mut self,
        mut labels: Vec<Cluster>,
        first: bool,
        before: Option<&Before>,
    ) -> Result<(Detail, Before), MetricError> {
        let k = renumber_by_size(&mut labels);
        let graph = self.source.graph;
        let metrics = GraphMetrics::of(graph, &labels)?;
        let sums = Sums::of(graph, self.source.cut, &labels, k);
        let order = descending(&sums.degree);
        let clusters = Clusters {
            graph,
            labels: &labels,
            members: Members::of(&labels, k),
            sums,
            metrics,
            order,
        };
        let shared = (ROWS - MOST_ROWS) / self.detailed.saturating_sub(1).max(1);
        let rows = if first {
            MOST_ROWS
        } else {
            shared.clamp(MOST_CIRCLES, MOST_ROWS)
        };
        let layers = self.layers.as_ref().map(|(_, layers)| layers);
        let (table, rest) = clusters.table(rows, &mut self.names, layers);
        let (network, spots) = network(&clusters, before);
        let metrics = &clusters.metrics;
        let detail = Detail {
            modularity: short(metrics.modularity),
            coverage: short(metrics.coverage),
            conductance_mean: short(metrics.conductance_mean),
            conductance: clusters.conductance(),
            disconnected: metrics.disconnected_clusters,
            table,
            rest,
            sizes: size_bins(&metrics.sizes),
            network,
            after: image(graph, &clusters.members.order, self.side),
            truth: self
                .classes
                .as_ref()
                .map(|classes| classes.compare(&labels, k))
                .transpose()?,
            layers: layers.map(|layers| layers.heat(&labels, k)),
        };
        Ok((detail, Before { labels, spots }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_path_keeps_its_ends_its_choice_and_its_widest_intervals() {
        let stop = |at: usize| {
            let low = at as f64;
            let interval = Some((low, low + 1.0 / (1.0 + (at % 50) as f64)));
            Stop {
                clusters: at + 1,
                cut: low,
                interval,
                ..Stop::default()
            }
        };
        let stops: Vec<Stop> = (0..200).map(stop).collect();
        let kept = detailed(&stops, 49);
        assert_eq!(kept.iter().filter(|kept| **kept).count(), MOST_DETAILED);
        assert!([0, 49, 199, 50, 100, 150].iter().all(|&at| kept[at]));
        assert!(!kept[48]);
    }
}
