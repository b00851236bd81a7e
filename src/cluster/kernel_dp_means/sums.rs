//! The sums of the clusters after a pass, and the disappearance of empty ones.

use super::similarity::{ClusterSums, Similarity};
use crate::ids::{Cluster, NONE};
use rayon::prelude::*;

/// Vertices whose parts are held at a time: they are computed in parallel, then added in vertex order, so that the sums do not depend on
/// the threads and need no memory of their own.
const CHUNK: usize = 1 << 18;

/// Rows whose labels are gathered at a time.
const ROWS: usize = 128;

/// The sums of `k` clusters, from scratch. O(entries), parallel but for one addition a vertex.
pub(super) fn sums(similarity: &impl Similarity, labels: &[Cluster], k: usize) -> Vec<ClusterSums> {
    let mut sums = vec![ClusterSums::default(); k];
    let mut parts = vec![0.0; CHUNK.min(labels.len())];
    for start in (0..labels.len()).step_by(CHUNK) {
        let end = labels.len().min(start + CHUNK);
        let parts = &mut parts[..end - start];
        parts.par_chunks_mut(ROWS).enumerate().with_min_len(4).for_each_init(Vec::new, |gathered, (block, parts)| {
            let first = start + block * ROWS;
            gathered.clear();
            similarity.gather(first..first + parts.len(), labels, gathered);
            let mut rest = &gathered[..];
            for (i, part) in (first..).zip(parts) {
                let row;
                (row, rest) = rest.split_at(similarity.links_of(i).len());
                *part = if labels[i] == NONE { 0.0 } else { similarity.part(i, labels[i], row) };
            }
        });
        for (i, &part) in (start..end).zip(parts.iter()).filter(|&(i, _)| labels[i] != NONE) {
            let cluster = &mut sums[labels[i] as usize];
            cluster.mass += similarity.mass(i);
            cluster.part += part;
        }
    }
    sums
}

/// Drops the empty clusters; the others keep their order.
pub(super) fn drop_empty(sums: &mut Vec<ClusterSums>, labels: &mut [Cluster]) {
    if sums.iter().all(|c| c.mass > 0.0) {
        return;
    }
    let mut kept = 0;
    let new: Vec<Cluster> = sums
        .iter()
        .map(|c| {
            kept += Cluster::from(c.mass > 0.0);
            kept.wrapping_sub(1)
        })
        .collect();
    labels.par_iter_mut().filter(|c| **c != NONE).for_each(|c| *c = new[*c as usize]);
    sums.retain(|c| c.mass > 0.0);
}
