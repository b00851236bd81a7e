//! `S(i,c)` for the clusters that one row touches.
//!
//! [`Tally`] is exact: an open-addressing table sized to the row, which stays in the fastest cache however many clusters there are, or a plain array
//! when that is no larger. [`Sketch`] is an upper bound of the largest sum for a fraction of the work: labels fall into a few buckets, and no
//! bucket holds less than any of its clusters.

use crate::ids::{Cluster, NONE};

/// A slot of the table.
#[derive(Debug, Clone, Copy)]
struct Slot {
    sum: f64,
    cluster: Cluster,
}

const FREE: Slot = Slot { sum: 0.0, cluster: NONE };

/// The sums of one row, from [`Tally::add_row`] until [`Tally::clear`]. Up to 20 bytes for each of `min(k, 8 · longest row)` slots.
#[derive(Debug)]
pub(super) struct Tally {
    clusters: usize,
    slots: Vec<Slot>,
    touched: Vec<u32>,
    count: usize,
    sketch: Sketch,
}

impl Tally {
    /// For labels below `clusters`.
    pub fn new(clusters: usize) -> Self {
        Self { clusters, slots: Vec::new(), touched: Vec::new(), count: 0, sketch: Sketch::default() }
    }

    /// An upper bound of the sum of any cluster but `own`, whose sum is given; `links` are not negative.
    #[inline]
    pub fn at_most(&mut self, labels: &[Cluster], links: impl Iterator<Item = f64>, own: Cluster, inside: f64) -> f64 {
        self.sketch.largest(labels, links, own, inside)
    }

    /// Adds up the row whose entries carry these labels and links.
    pub fn add_row(&mut self, labels: &[Cluster], links: impl Iterator<Item = f64>) {
        // Four slots an entry: then few labels meet an occupied one.
        let wanted = (4 * (labels.len() + 1)).next_power_of_two();
        let bits = wanted.min(self.clusters.next_power_of_two()).trailing_zeros();
        if self.slots.len() < 1 << bits {
            self.slots.resize(1 << bits, FREE);
        }
        if self.touched.len() <= labels.len() {
            self.touched.resize((labels.len() + 1).next_power_of_two(), 0);
        }
        if self.clusters <= 1 << bits {
            self.fill(labels, links, |_, c| c as usize);
        } else {
            let mask = (1usize << bits) - 1;
            self.fill(labels, links, |slots, c| {
                let mut at = (u64::from(c).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (64 - bits)) as usize;
                while slots[at].cluster != c && slots[at].cluster != NONE {
                    at = (at + 1) & mask;
                }
                at
            });
        }
    }

    /// A touched slot is listed without a branch: it is written to the end of the list always, and the list grows only if it was free.
    #[inline]
    fn fill(&mut self, labels: &[Cluster], links: impl Iterator<Item = f64>, slot: impl Fn(&[Slot], Cluster) -> usize) {
        let (slots, touched) = (&mut self.slots[..], &mut self.touched[..=labels.len()]);
        let mut count = 0;
        for (&c, link) in labels.iter().zip(links) {
            let at = slot(slots, c);
            let slot = &mut slots[at];
            touched[count] = at as u32;
            count += usize::from(slot.cluster == NONE);
            *slot = Slot { sum: slot.sum + link, cluster: c };
        }
        self.count = count;
    }

    /// The clusters touched and their sums, in the order of the row.
    pub fn sums(&self) -> impl Iterator<Item = (Cluster, f64)> {
        self.touched[..self.count].iter().map(|&at| {
            let slot = self.slots[at as usize];
            (slot.cluster, slot.sum)
        })
    }

    /// Forgets the row.
    #[inline]
    pub fn clear(&mut self) {
        for &at in &self.touched[..self.count] {
            self.slots[at as usize] = FREE;
        }
        self.count = 0;
    }
}

/// Buckets of a sketch: enough that a bucket of unrelated labels holds a small part of a row.
const BUCKETS: usize = 16;

/// What bounds leave for rounding, in relative terms: far more than the longest row loses.
pub(super) const SLACK: f64 = 1.0 / (1u64 << 30) as f64;

/// Sums by the last bits of the label.
#[derive(Debug, Default)]
struct Sketch([f64; BUCKETS]);

impl Sketch {
    #[inline]
    fn largest(&mut self, labels: &[Cluster], links: impl Iterator<Item = f64>, own: Cluster, inside: f64) -> f64 {
        self.0 = [0.0; BUCKETS];
        for (&c, link) in labels.iter().zip(links) {
            self.0[c as usize % BUCKETS] += link;
        }
        // The two sums were added up in different orders; what that may cost stays in the bucket.
        self.0[own as usize % BUCKETS] -= inside * (1.0 - SLACK);
        self.0.iter().copied().fold(0.0, |a, b| if b > a { b } else { a })
    }
}
