//! Clusters against true classes, or against layers, as heat maps of limited size.

use super::data::{Heat, Truth, descending, short};
use super::names::shortened;
use crate::ids::{Cluster, NONE, Vertex};
use crate::metrics::{Contingency, Mean, MetricError};
use std::borrow::Cow;

/// Rows and columns of the heat map, one each for all others not counted.
const MOST: usize = 24;

/// True classes or layers, and which of them have a column.
pub(super) struct Classes<'a> {
    labels: Cow<'a, [Cluster]>,
    column_of: Vec<usize>,
    /// The names of the columns.
    pub shown: Vec<String>,
}

impl<'a> Classes<'a> {
    /// Classes `0..` called `name`, [`NONE`] for an element without one. The largest get columns,
    /// by size, the others share one.
    pub fn new(labels: &'a [Cluster], classes: usize, name: impl Fn(usize) -> String) -> Self {
        let order = largest(labels, classes);
        Self::with_columns(Cow::Borrowed(labels), classes, &order, name)
    }

    /// The same with columns by number: layers have an order of their own.
    pub fn in_order(labels: Vec<Cluster>, classes: usize, name: impl Fn(usize) -> String) -> Self {
        let mut order = largest(&labels, classes);
        order.sort_unstable();
        Self::with_columns(Cow::Owned(labels), classes, &order, name)
    }

    fn with_columns(
        labels: Cow<'a, [Cluster]>,
        classes: usize,
        order: &[u32],
        name: impl Fn(usize) -> String,
    ) -> Self {
        let mut column_of = vec![MOST; classes];
        order
            .iter()
            .enumerate()
            .for_each(|(column, &class)| column_of[class as usize] = column);
        let mut shown: Vec<String> = order
            .iter()
            .map(|&class| shortened(&name(class as usize)))
            .collect();
        if classes > MOST {
            shown.push(format!("{} others", classes - MOST));
        }
        Self {
            labels,
            column_of,
            shown,
        }
    }

    /// Compares clusters `0..k`, of which those with the smallest numbers are shown.
    pub fn compare(&self, found: &[Cluster], k: usize) -> Result<Truth, MetricError> {
        let table = Contingency::new(found, &self.labels)?;
        let (nmi, ari) = (short(table.nmi(Mean::Arithmetic)), short(table.ari()));
        Ok(Truth {
            elements: table.total(),
            nmi,
            ari,
            heat: self.heat(found, k),
        })
    }

    /// How many elements of each cluster are in each column.
    pub fn heat(&self, found: &[Cluster], k: usize) -> Heat {
        let rows = k.min(MOST) + usize::from(k > MOST);
        let mut counts = vec![vec![0; self.shown.len()]; rows];
        for (&f, &t) in found
            .iter()
            .zip(self.labels.iter())
            .filter(|&(&f, &t)| f != NONE && t != NONE)
        {
            counts[(f as usize).min(MOST)][self.column_of[t as usize]] += 1;
        }
        Heat {
            clusters: (0..k.min(MOST) as u32).collect(),
            counts,
        }
    }

    /// In how many classes `elements` are.
    pub fn spanned(&self, elements: &[Vertex]) -> usize {
        let mut seen: Vec<Cluster> = elements
            .iter()
            .map(|&i| self.labels[i as usize])
            .filter(|&c| c != NONE)
            .collect();
        seen.sort_unstable();
        seen.dedup();
        seen.len()
    }
}

/// The [`MOST`] classes with the most elements, the largest first.
fn largest(labels: &[Cluster], classes: usize) -> Vec<u32> {
    let mut sizes = vec![0.0; classes];
    labels
        .iter()
        .filter(|&&c| c != NONE)
        .for_each(|&c| sizes[c as usize] += 1.0);
    let mut order = descending(&sizes);
    order.truncate(MOST);
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_element_is_counted_however_many_classes_there_are() {
        let truth: Vec<Cluster> = (0..300)
            .map(|i| if i % 10 == 0 { NONE } else { i % 40 })
            .collect();
        let found: Vec<Cluster> = (0..300).map(|i| i % 31).collect();
        let classes = Classes::new(&truth, 40, |class| class.to_string());
        let seen = classes.compare(&found, 31).unwrap();
        assert_eq!(
            (
                classes.shown.len(),
                seen.heat.clusters.len(),
                seen.heat.counts.len()
            ),
            (25, 24, 25)
        );
        assert_eq!(classes.shown[24], "16 others");
        assert_eq!(seen.heat.counts.iter().flatten().sum::<u64>(), 270);
        assert_eq!(seen.elements, 270);
    }

    #[test]
    fn equal_labels_agree() {
        let labels = [0, 0, 1, 1, 1, 2];
        let seen = Classes::new(&labels, 3, |class| class.to_string())
            .compare(&labels, 3)
            .unwrap();
        assert_eq!((seen.nmi, seen.ari), (1.0, 1.0));
        // Columns go by size: class 1, class 0, class 2.
        assert_eq!(seen.heat.counts, [[0, 2, 0], [3, 0, 0], [0, 0, 1]]);
        // Layers keep their order.
        let layers = Classes::in_order(labels.to_vec(), 3, |layer| layer.to_string());
        assert_eq!(
            layers.heat(&labels, 3).counts,
            [[2, 0, 0], [0, 3, 0], [0, 0, 1]]
        );
        assert_eq!(
            (
                layers.spanned(&[0, 1]),
                layers.spanned(&[0, 2, 3, 5]),
                layers.spanned(&[])
            ),
            (1, 3, 0)
        );
    }
}
