//! The weight types of an arc.

use bytemuck::{Pod, Zeroable};
use serde::{Deserialize, Serialize};
use std::ops::AddAssign;

mod sealed {
    pub trait Sealed {}
    impl Sealed for super::Unit {}
    impl Sealed for u32 {}
    impl Sealed for f32 {}
    impl Sealed for f64 {}
}

/// The smallest weight that an edge may have.
///
/// Algorithms form sums of weights, products of two sums, and their quotient by a third. With
/// weights from [`LIGHTEST`] to [`HEAVIEST`] all of these stay inside the range of `f64`, with room
/// for a graph of any size; nothing overflows, and nothing but a true zero becomes one.
pub const LIGHTEST: f64 = 1e-100;

/// The largest weight that an edge may have; see [`LIGHTEST`].
pub const HEAVIEST: f64 = 1e100;

/// The weight of every arc of an unweighted graph: always 1, takes no memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Zeroable, Pod, Serialize, Deserialize)]
#[repr(C)]
pub struct Unit;

/// What an arc may carry: nothing ([`Unit`]), a count (`u32`), `f32` or `f64`. Arithmetic is done
/// in `f64`.
pub trait Weight:
    sealed::Sealed + Pod + Send + Sync + PartialEq + std::fmt::Debug + 'static
{
    /// Whether every weight is 1 and none is stored.
    const UNIT: bool;
    /// Whether sums and differences of these weights are free of rounding.
    const EXACT: bool;
    /// The smallest weight that can be stored.
    const LEAST: f64;
    /// The largest weight that can be stored.
    const MOST: f64;
    /// What sums of such weights are stored as: a count for unweighted graphs, `f64` otherwise.
    type Sum: Weight<Sum = Self::Sum> + AddAssign;
    /// The weight as a number.
    fn get(self) -> f64;
    /// The stored form of a number (for [`Unit`] the number is dropped).
    fn of(value: f64) -> Self;
}

impl Weight for Unit {
    const UNIT: bool = true;
    const EXACT: bool = true;
    const LEAST: f64 = LIGHTEST;
    const MOST: f64 = HEAVIEST;
    type Sum = u32;
    #[inline]
    fn get(self) -> f64 {
        1.0
    }
    #[inline]
    fn of(_: f64) -> Self {
        Unit
    }
}

impl Weight for u32 {
    const UNIT: bool = false;
    const EXACT: bool = true;
    const LEAST: f64 = 1.0;
    const MOST: f64 = u32::MAX as f64;
    type Sum = u32;
    #[inline]
    fn get(self) -> f64 {
        f64::from(self)
    }
    #[inline]
    fn of(value: f64) -> Self {
        value as u32
    }
}

impl Weight for f32 {
    const UNIT: bool = false;
    const EXACT: bool = false;
    const LEAST: f64 = f32::MIN_POSITIVE as f64;
    const MOST: f64 = f32::MAX as f64;
    type Sum = f64;
    #[inline]
    fn get(self) -> f64 {
        f64::from(self)
    }
    #[inline]
    fn of(value: f64) -> Self {
        value as f32
    }
}

impl Weight for f64 {
    const UNIT: bool = false;
    const EXACT: bool = false;
    const LEAST: f64 = LIGHTEST;
    const MOST: f64 = HEAVIEST;
    type Sum = f64;
    #[inline]
    fn get(self) -> f64 {
        self
    }
    #[inline]
    fn of(value: f64) -> Self {
        value
    }
}
