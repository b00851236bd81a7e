//! Rows of the input while a graph is built from them.

use crate::ids::Vertex;

/// A row while it is being built: plain number, or number and weight.
pub(super) trait Row: Copy + Send + Sync {
    /// What rows are sorted by: the number, then the weight.
    type Key: Copy + Ord + Send;
    fn key(self) -> Self::Key;
    fn number(self) -> u64;
    fn weight(self) -> f64;
    fn new(number: u64, weight: f64) -> Self;
}

impl Row for u64 {
    type Key = u64;
    fn key(self) -> u64 {
        self
    }
    fn number(self) -> u64 {
        self
    }
    fn weight(self) -> f64 {
        1.0
    }
    fn new(number: u64, _: f64) -> Self {
        number
    }
}

impl Row for (u64, f64) {
    type Key = (u64, u64);
    fn key(self) -> (u64, u64) {
        // The bits of numbers that are not negative are ordered like the numbers.
        (self.0, self.1.to_bits())
    }
    fn number(self) -> u64 {
        self.0
    }
    fn weight(self) -> f64 {
        self.1
    }
    fn new(number: u64, weight: f64) -> Self {
        (number, weight)
    }
}

/// `min·2³³ + max·2 + [i > j]`.
#[inline]
pub(super) fn number(i: Vertex, j: Vertex) -> u64 {
    u64::from(i.min(j)) << 33 | u64::from(i.max(j)) << 1 | u64::from(i > j)
}

/// The undirected edge of a number, smaller end first.
#[inline]
pub(super) fn ends(number: u64) -> (Vertex, Vertex) {
    ((number >> 33) as Vertex, (number >> 1) as Vertex)
}

/// The arc of a number.
pub(super) fn arc(number: u64) -> (Vertex, Vertex) {
    let (low, high) = ends(number);
    if number & 1 == 0 {
        (low, high)
    } else {
        (high, low)
    }
}
