//! Many partitions of the same vertices in little memory: each as its difference from the one before.
//!
//! Along a path most clusters merge as wholes, so a partition is stored as a map from the clusters of the last one (to the
//! new cluster that took most of their members) and a list of the vertices that went elsewhere: 4 bytes a cluster and 8 an
//! exception, instead of 4 a vertex.

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

    /// Appends a partition; labels in `0..k` or [`NONE`]. O(vertices).
    ///
    /// ```
    /// use lambdacut::cluster::history::History;
    /// let mut h = History::default();
    /// h.push(&[0, 1, 2, 2]);
    /// h.push(&[0, 0, 1, 0]);
    /// assert_eq!((h.get(0), h.get(1)), (vec![0, 1, 2, 2], vec![0, 0, 1, 0]));
    /// ```
    pub fn push(&mut self, labels: &[Cluster]) {
        if self.steps.is_empty() {
            self.vertices = labels.len();
            self.last = (0..labels.len() as Cluster).collect();
        } else if self.last.is_empty() {
            self.last = self.get(self.len() - 1);
        }
        let map = majority(&self.last, labels);
        let follows = |(i, &c): (usize, &Cluster)| {
            let old = self.last[i];
            (c != if old == NONE { NONE } else { map[old as usize] }).then_some((i as Vertex, c))
        };
        let exceptions = labels.iter().enumerate().filter_map(follows).collect();
        self.steps.push(Step { map, exceptions });
        self.last = labels.to_vec();
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
        self.steps.iter().map(|s| 4 * s.map.len() + 8 * s.exceptions.len()).sum()
    }
}

/// For each old cluster the new one that holds most of its members (ties: the smaller); [`NONE`] for an unused number.
fn majority(old: &[Cluster], new: &[Cluster]) -> Vec<Cluster> {
    let top = old.iter().filter(|&&c| c != NONE).max().map_or(0, |&c| c as usize + 1);
    let mut pairs: Vec<(Cluster, Cluster)> = old.iter().copied().zip(new.iter().copied()).filter(|&(o, _)| o != NONE).collect();
    rayon::slice::ParallelSliceMut::par_sort_unstable(pairs.as_mut_slice());
    let mut map = vec![NONE; top];
    let mut most = vec![0usize; top];
    for run in pairs.chunk_by(|a, b| a == b) {
        let (from, to) = run[0];
        if run.len() > most[from as usize] {
            (map[from as usize], most[from as usize]) = (to, run.len());
        }
    }
    map
}
