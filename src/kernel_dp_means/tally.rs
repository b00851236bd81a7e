//! `S(i,c)` for the clusters that one row touches.
//!
//! An open-addressing table sized to the row, which stays in the fastest cache however many
//! clusters there are, or a plain array when that is no larger.

use crate::ids::{Cluster, NONE};

/// A slot of the table.
#[derive(Debug, Clone, Copy)]
struct Slot {
    sum: f64,
    cluster: Cluster,
}

const FREE: Slot = Slot {
    sum: 0.0,
    cluster: NONE,
};

/// The sums of one row, from [`Tally::add_row`] until [`Tally::clear`]. Up to 20 bytes for each of
/// `min(k, 8 · longest row)` slots.
#[derive(Debug)]
pub(super) struct Tally {
    clusters: usize,
    slots: Vec<Slot>,
    touched: Vec<u32>,
    count: usize,
    /// Whether the bounds could not decide about the element before.
    pub unsettled: bool,
}

impl Tally {
    /// For labels below `clusters`.
    pub fn new(clusters: usize) -> Self {
        Self {
            clusters,
            slots: Vec::new(),
            touched: Vec::new(),
            count: 0,
            unsettled: false,
        }
    }

    /// Adds up the wanted ones of a row of labels and links.
    #[inline]
    pub fn add_row(
        &mut self,
        entries: usize,
        row: impl Iterator<Item = (Cluster, f64)>,
        wanted: impl Fn(Cluster) -> bool,
    ) {
        // Four slots an entry: then few labels meet an occupied one.
        let size = (4 * (entries + 1))
            .next_power_of_two()
            .min(self.clusters.next_power_of_two());
        if self.slots.len() < size {
            self.slots.resize(size, FREE);
        }
        if self.touched.len() <= entries {
            self.touched.resize((entries + 1).next_power_of_two(), 0);
        }
        let row = row.filter(|&(c, _)| wanted(c));
        if self.clusters <= size {
            self.fill(row, |_, c| c as usize);
        } else {
            let shift = 64 - size.trailing_zeros();
            self.fill(row, |slots, c| {
                let mut at = (u64::from(c).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> shift) as usize;
                while slots[at].cluster != c && slots[at].cluster != NONE {
                    at = (at + 1) & (size - 1);
                }
                at
            });
        }
    }

    /// A touched slot is listed without a branch: it is written to the end of the list always, and
    /// the list grows only if it was free.
    #[inline]
    fn fill(
        &mut self,
        row: impl Iterator<Item = (Cluster, f64)>,
        slot: impl Fn(&[Slot], Cluster) -> usize,
    ) {
        let (slots, touched) = (&mut self.slots[..], &mut self.touched[..]);
        let mut count = 0;
        for (c, link) in row {
            let at = slot(slots, c);
            let slot = &mut slots[at];
            touched[count] = at as u32;
            count += usize::from(slot.cluster == NONE);
            *slot = Slot {
                sum: slot.sum + link,
                cluster: c,
            };
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
