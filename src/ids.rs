//! Vertex and cluster numbers.
//!
//! Both are dense 32-bit integers starting at 0. The largest value is set aside as [`NONE`]. A graph
//! holds at most [`MAX_VERTICES`] vertices; counts are checked once, where data enters, by
//! [`checked_count`].

use thiserror::Error;

/// A vertex, numbered from 0 in the order in which the input names it.
pub type Vertex = u32;

/// A cluster, numbered from 0.
pub type Cluster = u32;

/// "No cluster": the label of an isolated vertex, which is outside every cluster, outside k and
/// outside F.
pub const NONE: u32 = u32::MAX;

/// The largest number of vertices, points or elements: half of what 32 bits can number, because the
/// clusters before a pass and those opened in it must have numbers together.
pub const MAX_VERTICES: usize = 1 << 31;

/// More vertices, points or elements than there may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("{0} vertices are more than the {MAX_VERTICES} (2^31) that there may be")]
pub struct TooManyVertices(pub usize);

/// Turns a count into a 32-bit one.
///
/// ```
/// assert_eq!(lambdacut::ids::checked_count(5), Ok(5));
/// assert!(lambdacut::ids::checked_count(1 << 32).is_err());
/// ```
pub fn checked_count(n: usize) -> Result<u32, TooManyVertices> {
    if n <= MAX_VERTICES {
        Ok(n as u32)
    } else {
        Err(TooManyVertices(n))
    }
}
