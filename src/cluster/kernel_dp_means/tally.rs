//! `S(i,c)` for the clusters that one row touches.
//!
//! Sums live in one array: a cluster is its own slot ([`Tally::dense`]), or, when an entry for every cluster in every thread would be too much, the slots are a hash
//! table sized to the row. The touched slots are listed without a branch: a slot is written to the end of the list always, and the list grows only
//! if the sum there was 0.

use super::means::Candidate;
use crate::ids::{Cluster, NONE};

/// The sums of one row, from [`Tally::add_row`] until [`Tally::clear`].
#[derive(Debug)]
pub(super) struct Tally {
    sums: Vec<f64>,
    touched: Vec<Cluster>,
    count: usize,
    deltas: Vec<f64>,
    /// The cluster of each slot of the hash table; empty when every cluster is its own slot.
    keys: Vec<Cluster>,
    hashed: bool,
    bits: u32,
}

impl Tally {
    /// An entry for each of `k` clusters: 8 bytes a cluster.
    pub fn dense(k: usize) -> Self {
        Self { sums: vec![0.0; k], touched: vec![0; 64], count: 0, deltas: Vec::new(), keys: Vec::new(), hashed: false, bits: 0 }
    }

    /// A hash table that grows to the longest row: up to 48 bytes for each of its entries.
    pub fn hashed() -> Self {
        Self { hashed: true, ..Self::dense(0) }
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

    /// Adds up the row whose entries carry these labels and links.
    #[inline]
    pub fn add_row(&mut self, labels: &[Cluster], links: impl Iterator<Item = f64>) {
        if self.touched.len() <= labels.len() {
            self.touched.resize((labels.len() + 1).next_power_of_two(), 0);
        }
        if self.hashed {
            self.add_hashed(labels, links);
            return;
        }
        let (sums, touched) = (&mut self.sums[..], &mut self.touched[..=labels.len()]);
        let mut count = 0;
        for (&c, link) in labels.iter().zip(links) {
            let sum = &mut sums[c as usize];
            touched[count] = c;
            // A sum that cancels to 0 lists its slot twice, which does no harm.
            count += usize::from(*sum == 0.0);
            *sum += link;
        }
        self.count = count;
    }

    fn add_hashed(&mut self, labels: &[Cluster], links: impl Iterator<Item = f64>) {
        self.bits = (2 * (labels.len() + 1)).next_power_of_two().trailing_zeros();
        if self.keys.len() < 1 << self.bits {
            self.keys.resize(1 << self.bits, NONE);
            self.sums.resize(1 << self.bits, 0.0);
        }
        for (&c, link) in labels.iter().zip(links) {
            let slot = self.hashed_slot(c);
            self.touched[self.count] = slot as Cluster;
            self.count += usize::from(self.keys[slot] == NONE);
            self.keys[slot] = c;
            self.sums[slot] += link;
        }
    }

    /// The sum of `c`, which is then put out of the running.
    #[inline]
    pub fn take(&mut self, c: Cluster) -> f64 {
        let slot = if self.hashed { self.hashed_slot(c) } else { c as usize };
        let sum = self.sums[slot];
        if sum != 0.0 {
            self.sums[slot] = f64::NEG_INFINITY;
        }
        sum
    }

    /// The touched cluster with the least `delta(cluster, sum)`, the lowest-numbered on a tie.
    ///
    /// Two loops without branches on the values, first the least value, then whose it is: which cluster wins cannot be predicted, and a wrong guess would
    /// throw away the loads already under way.
    #[inline]
    pub fn nearest(&mut self, delta: impl Fn(Cluster, f64) -> f64) -> Candidate {
        let Self { sums, touched, keys, deltas, .. } = self;
        let touched = &touched[..self.count];
        let cluster = |slot: Cluster| if self.hashed { keys[slot as usize] } else { slot };
        if deltas.len() < touched.len() {
            deltas.resize(touched.len().next_power_of_two(), 0.0);
        }
        let mut least = f64::INFINITY;
        for (&slot, kept) in touched.iter().zip(&mut *deltas) {
            let here = delta(cluster(slot), sums[slot as usize]);
            *kept = here;
            least = if here < least { here } else { least };
        }
        let mut first = NONE;
        for (&slot, &here) in touched.iter().zip(&*deltas) {
            let named = if here == least { cluster(slot) } else { NONE };
            first = first.min(named);
        }
        Candidate { delta: least, cluster: first }
    }

    /// The clusters touched, in the order of the row.
    pub fn clusters(&self) -> impl Iterator<Item = Cluster> {
        self.touched[..self.count].iter().map(|&slot| if self.hashed { self.keys[slot as usize] } else { slot })
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
