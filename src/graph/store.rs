//! Arrays that live on the heap or inside a memory-mapped file, and the weight types of an arc.

use bytemuck::{Pod, Zeroable};
use memmap2::Mmap;
use serde::{Deserialize, Serialize};
use std::ops::{AddAssign, Deref};
use std::sync::Arc;

mod sealed {
    pub trait Sealed {}
    impl Sealed for super::Unit {}
    impl Sealed for u32 {}
    impl Sealed for f32 {}
    impl Sealed for f64 {}
}

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

/// An immutable array, owned or inside a mapped file.
#[derive(Debug, Clone)]
pub enum Array<T: Pod> {
    /// On the heap.
    Owned(Vec<T>),
    /// `len` values starting `offset` bytes into a mapped file; alignment was checked by
    /// [`Array::mapped`].
    Mapped {
        /// The file.
        map: Arc<Mmap>,
        /// Where the array starts, in bytes.
        offset: usize,
        /// How many values it has.
        len: usize,
    },
}

impl<T: Pod> Array<T> {
    /// A view of `len` values at `offset` bytes; `None` if they are not inside the file or not
    /// aligned.
    pub fn mapped(map: Arc<Mmap>, offset: usize, len: usize) -> Option<Self> {
        let bytes = len.checked_mul(size_of::<T>())?;
        let slice = map.get(offset..offset.checked_add(bytes)?)?;
        bytemuck::try_cast_slice::<u8, T>(slice).ok()?;
        Some(Self::Mapped { map, offset, len })
    }
}

impl<T: Pod> From<Vec<T>> for Array<T> {
    fn from(values: Vec<T>) -> Self {
        Self::Owned(values)
    }
}

impl<T: Pod> Deref for Array<T> {
    type Target = [T];
    fn deref(&self) -> &[T] {
        match self {
            Self::Owned(values) => values,
            Self::Mapped { map, offset, len } => {
                bytemuck::cast_slice(&map[*offset..*offset + *len * size_of::<T>()])
            }
        }
    }
}
