//! `S(i,c)` for the clusters that one row touches.
//!
//! A small open-addressing table, at most half full, sized to the row: it stays in the first cache level whatever the number of
//! clusters. When there are no more clusters than slots, a cluster is its own slot. Memory: 24 bytes an entry of the longest row, once a thread.

use crate::ids::{Cluster, NONE};

/// The table; [`Tally::start`] before every row.
#[derive(Debug, Default)]
pub(super) struct Tally {
    keys: Vec<Cluster>,
    sums: Vec<f64>,
    slots: usize,
    shift: u32,
    direct: bool,
}

impl Tally {
    /// Empties the table for a row of `entries` entries whose labels are below `clusters`.
    #[inline]
    pub fn start(&mut self, entries: usize, clusters: usize) {
        // One slot more than entries, for the element's own cluster.
        let slots = (2 * (entries + 1)).next_power_of_two().max(8);
        self.direct = clusters <= 2 * slots;
        self.slots = if self.direct { clusters.next_power_of_two().max(8) } else { slots };
        self.shift = 64 - self.slots.trailing_zeros();
        if self.keys.len() < self.slots {
            self.keys.resize(self.slots, NONE);
            self.sums.resize(self.slots, 0.0);
        }
        self.keys[..self.slots].fill(NONE);
    }

    #[inline]
    fn slot(&self, c: Cluster) -> usize {
        if self.direct {
            return c as usize;
        }
        let mask = self.slots - 1;
        let mut slot = (u64::from(c).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> self.shift) as usize;
        while self.keys[slot] != c && self.keys[slot] != NONE {
            slot = (slot + 1) & mask;
        }
        slot
    }

    /// Adds to the sum of `c` and returns it.
    #[inline]
    pub fn add(&mut self, c: Cluster, value: f64) -> f64 {
        let slot = self.slot(c);
        let sum = if self.keys[slot] == c { self.sums[slot] + value } else { value };
        self.keys[slot] = c;
        self.sums[slot] = sum;
        sum
    }

    /// Whether the row has touched `c`.
    pub fn has(&self, c: Cluster) -> bool {
        self.keys[self.slot(c)] == c
    }

    /// The clusters touched, with their sums, in no particular order.
    pub fn entries(&self) -> impl Iterator<Item = (Cluster, f64)> {
        self.keys[..self.slots].iter().zip(&self.sums).filter(|&(&c, _)| c != NONE).map(|(&c, &sum)| (c, sum))
    }
}
