//! Connected components by concurrent union-find.
//!
//! Every link goes from the larger root to the smaller, so the root of a component is its smallest
//! vertex and the numbering (by smallest vertex) does not depend on the order in which threads
//! link. O(arcs · α), 4 bytes a vertex.

use super::{Csr, Weight};
use crate::ids::{NONE, Vertex};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// The connected components that have an edge.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Components {
    /// The component of each vertex, numbered by smallest vertex; [`NONE`] for an isolated one.
    pub labels: Vec<u32>,
    /// How many there are, isolated vertices not counted.
    pub count: usize,
}

/// The components of a graph.
///
/// ```
/// use lambdacut::graph::{Csr, Unit, components};
/// let g: Csr<Unit> = Csr::from_edges(5, &[(3, 4, 1.0), (0, 2, 1.0)]).unwrap();
/// let c = components(&g);
/// assert_eq!((c.count, c.labels[0], c.labels[4]), (2, 0, 1));
/// ```
pub fn components<W: Weight>(graph: &Csr<W>) -> Components {
    components_within(graph, |_| true, |_, _| true)
}

/// The components of the graph that is left when only arcs with `keep(i, j)` (symmetric), from
/// vertices with `look(i)`, are followed. Vertices with an edge but no such one are components of
/// their own.
pub(crate) fn components_within<W: Weight>(
    graph: &Csr<W>,
    look: impl Fn(Vertex) -> bool + Sync,
    keep: impl Fn(Vertex, Vertex) -> bool + Sync,
) -> Components {
    let rows = graph.rows();
    let n = graph.vertices();
    let parent: Vec<AtomicU32> = (0..n as u32).into_par_iter().map(AtomicU32::new).collect();
    (0..n)
        .into_par_iter()
        .with_min_len(256)
        .filter(|&i| look(i as u32))
        .for_each(|i| {
            for &j in rows.targets(i).iter().take_while(|&&j| (j as usize) < i) {
                if keep(i as u32, j) {
                    link(&parent, i as u32, j);
                }
            }
        });
    let mut count = 0;
    let mut labels = vec![NONE; n];
    for i in 0..n {
        if rows.offsets[i] == rows.offsets[i + 1] {
            continue;
        }
        let root = find(&parent, i as u32) as usize;
        if root == i {
            labels[i] = count;
            count += 1;
        } else {
            labels[i] = labels[root];
        }
    }
    Components {
        labels,
        count: count as usize,
    }
}

fn find(parent: &[AtomicU32], mut i: Vertex) -> Vertex {
    loop {
        let up = parent[i as usize].load(Relaxed);
        if up == i {
            return i;
        }
        let next = parent[up as usize].load(Relaxed);
        // Halving the path is only ever a shortcut to an ancestor, so losing this race is harmless.
        let _ = parent[i as usize].compare_exchange(up, next, Relaxed, Relaxed);
        i = next;
    }
}

fn link(parent: &[AtomicU32], i: Vertex, j: Vertex) {
    let (mut a, mut b) = (i, j);
    loop {
        (a, b) = (find(parent, a), find(parent, b));
        if a == b {
            return;
        }
        let (small, large) = (a.min(b), a.max(b));
        if parent[large as usize]
            .compare_exchange(large, small, Relaxed, Relaxed)
            .is_ok()
        {
            return;
        }
    }
}
