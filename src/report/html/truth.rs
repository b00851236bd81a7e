//! Agreement with true classes as a heat map of limited size.

use super::clusters::descending;
use super::data::{Truth, short};
use super::names::shortened;
use crate::ids::{Cluster, NONE};
use crate::metrics::{Contingency, Mean, MetricError};

/// Rows and columns of the heat map, one each for all others not counted.
const MOST: usize = 24;

/// The true classes and which of them have a column.
pub(super) struct Classes<'a> {
    labels: &'a [Cluster],
    column_of: Vec<usize>,
    /// The names of the columns.
    pub shown: Vec<String>,
}

impl<'a> Classes<'a> {
    /// Classes `0..` called `name`, [`NONE`] for an element without one. The largest get columns, the others share one.
    pub fn new(labels: &'a [Cluster], classes: usize, name: impl Fn(usize) -> String) -> Self {
        let mut sizes = vec![0.0; classes];
        labels.iter().filter(|&&c| c != NONE).for_each(|&c| sizes[c as usize] += 1.0);
        let order = descending(&sizes);
        let mut column_of = vec![MOST; classes];
        order.iter().take(MOST).enumerate().for_each(|(column, &class)| column_of[class as usize] = column);
        let mut shown: Vec<String> = order.iter().take(MOST).map(|&class| shortened(&name(class as usize))).collect();
        if classes > MOST {
            shown.push(format!("{} others", classes - MOST));
        }
        Self { labels, column_of, shown }
    }

    /// Compares clusters `0..k`, of which those with the smallest numbers are shown.
    pub fn compare(&self, found: &[Cluster], k: usize) -> Result<Truth, MetricError> {
        let table = Contingency::new(found, self.labels)?;
        let rows = k.min(MOST) + usize::from(k > MOST);
        let mut counts = vec![vec![0; self.shown.len()]; rows];
        for (&f, &t) in found.iter().zip(self.labels).filter(|&(&f, &t)| f != NONE && t != NONE) {
            counts[(f as usize).min(MOST)][self.column_of[t as usize]] += 1;
        }
        let (nmi, ari) = (short(table.nmi(Mean::Arithmetic)), short(table.ari()));
        Ok(Truth { elements: table.total(), nmi, ari, clusters: (0..k.min(MOST) as u32).collect(), counts })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_element_is_counted_however_many_classes_there_are() {
        let truth: Vec<Cluster> = (0..300).map(|i| if i % 10 == 0 { NONE } else { i % 40 }).collect();
        let found: Vec<Cluster> = (0..300).map(|i| i % 31).collect();
        let classes = Classes::new(&truth, 40, |class| class.to_string());
        let seen = classes.compare(&found, 31).unwrap();
        assert_eq!((classes.shown.len(), seen.clusters.len(), seen.counts.len()), (25, 24, 25));
        assert_eq!(classes.shown[24], "16 others");
        assert_eq!(seen.counts.iter().flatten().sum::<u64>(), 270);
        assert_eq!(seen.elements, 270);
    }

    #[test]
    fn equal_labels_agree() {
        let labels = [0, 0, 1, 1, 1, 2];
        let seen = Classes::new(&labels, 3, |class| class.to_string()).compare(&labels, 3).unwrap();
        assert_eq!((seen.nmi, seen.ari), (1.0, 1.0));
        // Columns go by size: class 1, class 0, class 2.
        assert_eq!(seen.counts, [[0, 2, 0], [3, 0, 0], [0, 0, 1]]);
    }
}
