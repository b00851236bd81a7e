//! `S(i,c)` for the clusters that one row touches.
//!
//! Sums live in one array: a cluster is its own slot ([`Tally::dense`]), or, when an entry for every cluster in every thread would be too much, the slots are a hash
//! table sized to the row. The touched slots are listed without a branch: a slot is written to the end of the list always, and the list grows only
//! if the sum there was 0.

use crate::ids::{Cluster, NONE};

/// The sums of one row; [`Tally::start`] before, [`Tally::clear`] after it.
#[derive(Debug)]
pub(super) struct Tally {
    sums: Vec<f64>,
    touched: Vec<Cluster>,
    count: usize,
    /// The cluster of each slot of the hash table; empty when every cluster is its own slot.
    keys: Vec<Cluster>,
    hashed: bool,
    bits: u32,
}

impl Tally {
    /// An entry for each of `k` clusters: 8 bytes a cluster.
    pub fn dense(k: usize) -> Self {
        Self { sums: vec![0.0; k], touched: vec![0; 64], count: 0, keys: Vec::new(), hashed: false, bits: 0 }
    }

    /// A hash table that grows to the longest row: up to 48 bytes for each of its entries.
    pub fn hashed() -> Self {
        Self { hashed: true, ..Self::dense(0) }
    }

    /// Makes room for a row of `entries` entries and the element's own cluster.
    #[inline]
    pub fn start(&mut self, entries: usize) {
        if self.touched.len() < entries + 2 {
            self.touched.resize((entries + 2).next_power_of_two(), 0);
        }
        if self.hashed {
            self.bits = (2 * (entries + 1)).next_power_of_two().trailing_zeros();
            if self.keys.len() < 1 << self.bits {
                self.keys.resize(1 << self.bits, NONE);
                self.sums.resize(1 << self.bits, 0.0);
            }
        }
    }

    /// The slot of `c` in the table, which is at most half full.
    #[inline]
    fn hashed_slot(&self, c: Cluster) -> usize {
        let mask = (1usize << self.bits) - 1;
        let mut slot = (u64::from(c).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (64 - self.bits)) as usize;
        while self.keys[slot] != c && self.keys[slot] != NONE {
            slot = (slot + 1) & mask;
        }
        slot
    }

    /// Adds to the sum of `c`.
    #[inline]
    pub fn add(&mut self, c: Cluster, value: f64) {
        let slot = if self.hashed {
            let slot = self.hashed_slot(c);
            self.keys[slot] = c;
            slot
        } else {
            c as usize
        };
        let before = self.sums[slot];
        self.sums[slot] = before + value;
        self.touched[self.count] = slot as Cluster;
        // A sum that cancels to 0 lists its slot twice, which does no harm.
        self.count += usize::from(before == 0.0);
    }

    /// The sum of `c`.
    #[inline]
    pub fn sum(&self, c: Cluster) -> f64 {
        self.sums[if self.hashed { self.hashed_slot(c) } else { c as usize }]
    }

    /// The clusters touched, with their sums, in the order of the row.
    #[inline]
    pub fn entries(&self) -> impl Iterator<Item = (Cluster, f64)> {
        let cluster = |slot: Cluster| if self.hashed { self.keys[slot as usize] } else { slot };
        self.touched[..self.count].iter().map(move |&slot| (cluster(slot), self.sums[slot as usize]))
    }

    /// Forgets the row.
    #[inline]
    pub fn clear(&mut self) {
        for &slot in &self.touched[..self.count] {
            self.sums[slot as usize] = 0.0;
            if self.hashed {
                self.keys[slot as usize] = NONE;
            }
        }
        self.count = 0;
    }
}
