//! Many partitions of the same vertices in little memory: each as its difference from the one
//! before.
//!
//! Along a path most clusters merge as wholes, so a partition is stored as a map from the clusters
//! of the last one (to the new cluster that took most of their members) and a list of the vertices
//! that went elsewhere: 4 bytes a cluster and 8 an exception, instead of 4 a vertex.

use crate::ids::{Cluster, NONE, Vertex};
use serde::{Deserialize, Serialize};

/// A sequence of partitions.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct History {
    vertices: usize,
    steps: Vec<Step>,
    #[serde(skip)]
    last: Vec<Cluster>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Step {
    map: Vec<Cluster>,
    exceptions: Vec<(Vertex, Cluster)>,
}

impl History {
    /// How many partitions there are.
    pub fn len(&self) -> usize {
        self.steps.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// Appends a partition; labels in `0..k` or [`NONE`]. How many vertices did not go with their
    /// cluster. O(vertices).
    ///
    /// ```
    /// use lambdacut::search::testing::History;
    /// let mut h = History::default();
    /// h.push(vec![0, 1, 2, 2]);
    /// assert_eq!(h.push(vec![0, 0, 1, 0]), 1);
    /// assert_eq!((h.get(0), h.get(1)), (vec![0, 1, 2, 2], vec![0, 0, 1, 0]));
    /// ```
    pub fn push(&mut self, labels: Vec<Cluster>) -> usize {
        self.recall();
        if self.steps.is_empty() {
            self.vertices = labels.len();
            self.last = (0..labels.len() as Cluster).collect();
        }
        let map = majority(&self.last, &labels);
        let follows = |(i, &c): (usize, &Cluster)| {
            let old = self.last[i];
            (c != if old == NONE { NONE } else { map[old as usize] }).then_some((i as Vertex, c))
        };
        let exceptions: Vec<(Vertex, Cluster)> =
            labels.iter().enumerate().filter_map(follows).collect();
        let count = exceptions.len();
        self.steps.push(Step { map, exceptions });
        self.last = labels;
        count
    }

    /// The newest partition (empty if there is none).
    pub fn last(&mut self) -> &[Cluster] {
        self.recall();
        &self.last
    }

    /// Rebuilds the newest partition after the history was read from a file.
    fn recall(&mut self) {
        if self.last.is_empty() && !self.steps.is_empty() {
            self.last = self.get(self.len() - 1);
        }
    }

    /// The partition at `index`. O(vertices · index).
    pub fn get(&self, index: usize) -> Vec<Cluster> {
        let mut labels: Vec<Cluster> = (0..self.vertices as Cluster).collect();
        for step in &self.steps[..=index] {
            for label in labels.iter_mut().filter(|c| **c != NONE) {
                *label = step.map[*label as usize];
            }
            for &(i, c) in &step.exceptions {
                labels[i as usize] = c;
            }
        }
        labels
    }

    /// Bytes of what is stored.
    pub fn bytes(&self) -> usize {
        self.steps
            .iter()
            .map(|s| 4 * s.map.len() + 8 * s.exceptions.len())
            .sum()
    }
}

/// For each old cluster the new one that holds more than half of its members, if one does (Boyer
/// and Moore's vote), else any of those that hold some; [`NONE`] for an unused number. O(vertices).
pub(super) fn majority(old: &[Cluster], new: &[Cluster]) -> Vec<Cluster> {
    let top = old
        .iter()
        .filter(|&&c| c != NONE)
        .max()
        .map_or(0, |&c| c as usize + 1);
    let mut map = vec![NONE; top];
    let mut lead = vec![0u32; top];
    for (&from, &to) in old.iter().zip(new).filter(|&(&from, _)| from != NONE) {
        let (favourite, lead) = (&mut map[from as usize], &mut lead[from as usize]);
        if *lead == 0 {
            (*favourite, *lead) = (to, 1);
        } else if *favourite == to {
            *lead += 1;
        } else {
            *lead -= 1;
        }
    }
    map
}
