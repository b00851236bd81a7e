//! A clustering of points → what a page shows of it.

use super::clusters::size_bins;
use super::data::{PointsTable, PointsView, Rest, short};
use super::names::shortened;
use super::principal::scatter;
use super::truth::Classes;
use crate::ids::Cluster;
use crate::labels::renumber_by_size;
use crate::metrics::MetricError;
use crate::numeric::compensated;
use crate::points::{Alternation, Points, squared_distance};

/// Rows of the table.
const MOST_ROWS: usize = 200;

/// Coordinates of a centre that are shown.
const MOST_COLUMNS: usize = 12;

/// Points with what is known about them.
#[derive(Debug, Clone, Copy)]
pub struct PointsSource<'a> {
    /// The points.
    pub points: &'a Points,
    /// What their coordinates are called.
    pub columns: &'a [String],
    /// The true class of each point, and the names of the classes.
    pub truth: Option<(&'a [Cluster], &'a [String])>,
}

impl PointsSource<'_> {
    /// Shows the clusters `labels`, numbered by decreasing size. O(n d).
    pub fn view(&self, labels: &[Cluster], value: f64) -> Result<PointsView, MetricError> {
        let mut labels = labels.to_vec();
        let k = renumber_by_size(&mut labels);
        let points = self.points;
        let centres = Alternation::from_labels(points, labels.clone(), k)
            .into_parts()
            .1;
        let mut members: Vec<Vec<u32>> = vec![Vec::new(); k];
        labels
            .iter()
            .enumerate()
            .for_each(|(i, &c)| members[c as usize].push(i as u32));
        let sizes: Vec<usize> = members.iter().map(Vec::len).collect();
        let shown = k.min(MOST_ROWS);
        let sum = |c: usize, of: &dyn Fn(usize) -> f64| {
            short(compensated(members[c].iter().map(|&i| of(i as usize))))
        };
        let within = |c: usize| {
            sum(c, &|i| {
                points.weight(i) * squared_distance(points.row(i), centres.row(c))
            })
        };
        let centre = |c: usize| {
            centres
                .row(c)
                .iter()
                .take(MOST_COLUMNS)
                .map(|&x| short(x))
                .collect()
        };
        let table = PointsTable {
            columns: self
                .columns
                .iter()
                .take(MOST_COLUMNS)
                .map(|name| shortened(name))
                .collect(),
            size: sizes[..shown].to_vec(),
            weight: (0..shown).map(|c| sum(c, &|i| points.weight(i))).collect(),
            within: (0..shown).map(within).collect(),
            centre: (0..shown).map(centre).collect(),
        };
        let others = shown..k;
        let volume = short(others.clone().map(|c| sum(c, &|i| points.weight(i))).sum());
        let rest = Rest {
            clusters: others.len(),
            vertices: sizes[others].iter().sum(),
            volume,
        };
        let classes = self
            .truth
            .map(|(of, names)| Classes::new(of, names.len(), |class| names[class].clone()));
        let truth = classes
            .as_ref()
            .map(|classes| classes.compare(&labels, k))
            .transpose()?;
        Ok(PointsView {
            points: points.len(),
            dimension: points.dimension(),
            clusters: k,
            value: short(value),
            table,
            rest,
            sizes: size_bins(&sizes),
            scatter: scatter(points, &labels, &centres, shown),
            curve: Vec::new(),
            classes: classes.map_or(Vec::new(), |classes| classes.shown),
            truth,
        })
    }
}
