//! The order in which a pass visits the vertices.

use super::KernelDpMeansError;
use crate::ids::Vertex;
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_xoshiro::Xoshiro256PlusPlus;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// The order in which a pass visits the vertices. It decides only which vertices found new
/// clusters.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[non_exhaustive]
pub enum VisitOrder {
    /// By number.
    #[default]
    Natural,
    /// In an order drawn from the seed.
    Shuffled,
    /// By decreasing mass of links (for a graph: degree), ties by number.
    ByDegree,
    /// As listed: every vertex exactly once.
    Given(Arc<[Vertex]>),
}

/// The rank of every vertex in the order; 4 bytes a vertex, none for the natural order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Ranks(Option<Vec<u32>>);

impl Ranks {
    /// Ranks `n` vertices.
    pub fn new(
        order: &VisitOrder,
        degrees: &dyn Fn(usize) -> f64,
        n: usize,
        seed: u64,
    ) -> Result<Self, KernelDpMeansError> {
        let mut listed: Vec<Vertex> = (0..n as Vertex).collect();
        match order {
            VisitOrder::Natural => return Ok(Self(None)),
            VisitOrder::Shuffled => listed.shuffle(&mut Xoshiro256PlusPlus::seed_from_u64(seed)),
            VisitOrder::ByDegree => {
                listed.sort_by(|&a, &b| degrees(b as usize).total_cmp(&degrees(a as usize)));
            }
            VisitOrder::Given(given) => listed.clone_from(&given.to_vec()),
        }
        let mut ranks = vec![u32::MAX; n];
        for (rank, &i) in listed.iter().enumerate() {
            match ranks.get_mut(i as usize) {
                Some(slot) if *slot == u32::MAX => *slot = rank as u32,
                _ => {
                    return Err(KernelDpMeansError::Order {
                        position: rank,
                        vertex: i,
                    });
                }
            }
        }
        if listed.len() == n {
            Ok(Self(Some(ranks)))
        } else {
            Err(KernelDpMeansError::OrderLength {
                found: listed.len(),
                expected: n,
            })
        }
    }

    /// Whether `i` is visited before `j`.
    #[inline]
    pub fn before(&self, i: usize, j: usize) -> bool {
        match &self.0 {
            None => i < j,
            Some(ranks) => ranks[i] < ranks[j],
        }
    }

    /// Sorts vertices into the order.
    pub fn sort(&self, vertices: &mut [Vertex]) {
        match &self.0 {
            None => vertices.sort_unstable(),
            Some(ranks) => vertices.sort_unstable_by_key(|&i| ranks[i as usize]),
        }
    }
}
