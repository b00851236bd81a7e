//! Agreement of communities that may overlap.
//!
//! ```text
//! F1(A, B) = 2 |A ∩ B| / (|A| + |B|)
//! average F1 = ½ ( mean over found A of max_B F1(A, B)  +  mean over true B of max_A F1(A, B) )
//! ```
//!
//! (Yang and Leskovec, 2013.) Only communities that share a member are compared, through an index
//! from members to communities: O(Σ over members of the number of communities that hold it on the
//! other side), parallel over communities.

use super::contingency::Compact;
use crate::graph::Members;
use crate::ids::{Cluster, Vertex};
use crate::numeric::sum_by;
use rayon::prelude::*;

/// The average F1 of two families of communities; the members of one community are distinct. 1 if
/// both families are empty, 0 if one is.
///
/// ```
/// use lambdacut::metrics::average_f1;
/// let found = [vec![0, 1, 2, 3]];
/// let truth = [vec![0, 1, 2], vec![3, 4]];
/// let (whole, pair) = (6.0 / 7.0, 2.0 / 6.0);
/// assert_eq!(average_f1(&found, &truth), (whole + (whole + pair) / 2.0) / 2.0);
/// ```
pub fn average_f1<A, B>(found: &[A], truth: &[B]) -> f64
where
    A: AsRef<[Vertex]> + Sync,
    B: AsRef<[Vertex]> + Sync,
{
    match (found.is_empty(), truth.is_empty()) {
        (true, true) => 1.0,
        (false, false) => f64::midpoint(mean_best(found, truth), mean_best(truth, found)),
        _ => 0.0,
    }
}

/// The members of every cluster, in the order of the labels; elements labelled
/// [`NONE`](crate::ids::NONE) are in none.
///
/// ```
/// let communities = lambdacut::metrics::communities_of(&[4, 2, 4]);
/// assert_eq!(communities, [vec![1], vec![0, 2]]);
/// ```
pub fn communities_of(labels: &[Cluster]) -> Vec<Vec<Vertex>> {
    let compact = Compact::of(labels.to_vec());
    let members = Members::of(&compact.labels, compact.distinct);
    (0..compact.distinct)
        .map(|c| members.members(c).to_vec())
        .collect()
}

/// The mean over `ours` of the best F1 with one of `others`.
fn mean_best<A: AsRef<[Vertex]> + Sync, B: AsRef<[Vertex]> + Sync>(
    ours: &[A],
    others: &[B],
) -> f64 {
    let index = Holders::of(others);
    let best: Vec<f64> = ours
        .par_iter()
        .map_init(
            || (vec![0u32; others.len()], Vec::new()),
            |(shared, touched), community| {
                let community = community.as_ref();
                for &holder in community.iter().flat_map(|&v| index.of_member(v)) {
                    if shared[holder as usize] == 0 {
                        touched.push(holder);
                    }
                    shared[holder as usize] += 1;
                }
                let f1 = |holder: u32| {
                    let sizes = community.len() + others[holder as usize].as_ref().len();
                    2.0 * f64::from(shared[holder as usize]) / sizes as f64
                };
                let best = touched.iter().map(|&holder| f1(holder)).fold(0.0, f64::max);
                touched
                    .drain(..)
                    .for_each(|holder| shared[holder as usize] = 0);
                best
            },
        )
        .collect();
    sum_by(best.len(), |i| best[i]) / ours.len() as f64
}

/// Which communities hold a member.
struct Holders {
    starts: Vec<usize>,
    holders: Vec<u32>,
}

impl Holders {
    fn of<B: AsRef<[Vertex]>>(communities: &[B]) -> Self {
        let members = || {
            communities
                .iter()
                .enumerate()
                .flat_map(|(c, m)| m.as_ref().iter().map(move |&v| (c, v as usize)))
        };
        let n = members().map(|(_, v)| v + 1).max().unwrap_or(0);
        let mut starts = vec![0usize; n + 1];
        members().for_each(|(_, v)| starts[v + 1] += 1);
        for v in 0..n {
            starts[v + 1] += starts[v];
        }
        let mut next = starts.clone();
        let mut holders = vec![0u32; starts[n]];
        for (c, v) in members() {
            holders[next[v]] = c as u32;
            next[v] += 1;
        }
        Self { starts, holders }
    }

    fn of_member(&self, v: Vertex) -> &[u32] {
        let v = v as usize;
        if v + 1 < self.starts.len() {
            &self.holders[self.starts[v]..self.starts[v + 1]]
        } else {
            &[]
        }
    }
}
