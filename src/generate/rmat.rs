//! R-MAT: arcs between `2^scale` vertices, found by descending `scale` times into one of the four
//! quadrants of the adjacency matrix with probabilities a, b, c, d = 1 − a − b − c (Chakrabarti,
//! Zhan and Faloutsos, 2004).
//!
//! Arcs come in chunks of [`Rmat::CHUNK`], each from its own stream of random numbers, so that any
//! part of a list of any length can be made at any time, in parallel, in the memory of the chunks
//! at hand: 8 bytes an arc. Loops and repeats are left in, as is usual; a reader that makes a
//! simple graph of them finds fewer edges.

use super::random::{Purpose, Stream};
use super::{GenerateError, check};
use crate::ids::Vertex;
use crate::run::{Event, Observer};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::io::{self, Write};

/// Chunks made and formatted at a time while writing: what bounds the memory (about 24 bytes an
/// arc, 100 MB).
const BATCH: u64 = 64;

/// The parameters of R-MAT; the defaults are those of the Graph500 benchmark.
///
/// ```
/// use lambdacut::generate::Rmat;
/// let rmat = Rmat { scale: 10, arcs: 100_000, ..Rmat::default() }.checked().unwrap();
/// let arcs: Vec<_> = (0..rmat.chunks()).flat_map(|c| rmat.chunk(c)).collect();
/// assert_eq!(arcs.len(), 100_000);
/// assert!(arcs.iter().all(|&(from, to)| from < 1024 && to < 1024));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Rmat {
    /// There are `2^scale` vertices.
    pub scale: u32,
    /// How many arcs, repeats included.
    pub arcs: u64,
    /// The probability of the upper left quadrant.
    pub a: f64,
    /// The probability of the upper right quadrant.
    pub b: f64,
    /// The probability of the lower left quadrant.
    pub c: f64,
    /// The seed.
    pub seed: u64,
}

impl Default for Rmat {
    fn default() -> Self {
        Self {
            scale: 16,
            arcs: 16 << 16,
            a: 0.57,
            b: 0.19,
            c: 0.19,
            seed: crate::params::DEFAULT_SEED,
        }
    }
}

/// Parameters that were checked, ready to make arcs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CheckedRmat {
    parameters: Rmat,
    /// Below the first: a; below the second: b; below the third: c; else d — in units of 2⁻³².
    bounds: [u64; 3],
}

impl Rmat {
    /// Arcs of one chunk (the last may be shorter).
    pub const CHUNK: u64 = 1 << 16;

    /// Checks the parameters.
    pub fn checked(self) -> Result<CheckedRmat, GenerateError> {
        let Self { scale, a, b, c, .. } = self;
        check(
            "the scale",
            scale.into(),
            (1..=31).contains(&scale),
            "between 1 and 31",
        )?;
        for (name, p) in [
            ("a", a),
            ("b", b),
            ("c", c),
            ("d = 1 - a - b - c", 1.0 - a - b - c),
        ] {
            // A d of −1e-17 comes from adding three decimal fractions, not from a wrong request.
            check(name, p, (-1e-12..=1.0).contains(&p), "a probability")?;
        }
        let bound = |p: f64| (p * (1u64 << 32) as f64) as u64;
        Ok(CheckedRmat {
            parameters: self,
            bounds: [bound(a), bound(a + b), bound(a + b + c)],
        })
    }
}

impl CheckedRmat {
    /// The number of chunks.
    pub fn chunks(&self) -> u64 {
        self.parameters.arcs.div_ceil(Rmat::CHUNK)
    }

    /// The arcs of one chunk, in order. O(scale) an arc.
    pub fn chunk(&self, chunk: u64) -> Vec<(Vertex, Vertex)> {
        let mut stream = Stream::new(self.parameters.seed, Purpose::Edges, chunk);
        let count = (self.parameters.arcs - chunk * Rmat::CHUNK).min(Rmat::CHUNK);
        (0..count).map(|_| self.arc(&mut stream)).collect()
    }

    fn arc(&self, stream: &mut Stream) -> (Vertex, Vertex) {
        let (mut from, mut to) = (0, 0);
        let mut bits = 0;
        for level in 0..self.parameters.scale {
            // One draw serves two levels, 32 bits each.
            bits = if level % 2 == 0 {
                stream.bits()
            } else {
                bits >> 32
            };
            let quadrant = self
                .bounds
                .iter()
                .map(|&bound| u32::from(bits & 0xffff_ffff >= bound))
                .sum::<u32>();
            from = from << 1 | quadrant >> 1;
            to = to << 1 | quadrant & 1;
        }
        (from, to)
    }

    /// Writes all arcs as text, `from<TAB>to` a line, in order. Memory does not depend on the
    /// number of arcs: some chunks at a time are made and formatted in parallel. A cancelled run
    /// ends with an error, so that no half of a list is taken for the whole.
    ///
    /// ```
    /// use lambdacut::{generate::Rmat, run::Silent};
    /// let mut text = Vec::new();
    /// Rmat { scale: 4, arcs: 3, ..Rmat::default() }.checked().unwrap().write_to(&mut text, &Silent).unwrap();
    /// assert_eq!(String::from_utf8(text).unwrap().lines().count(), 3);
    /// ```
    pub fn write_to(&self, out: &mut dyn Write, observer: &dyn Observer) -> io::Result<()> {
        observer.event(Event::Stage {
            name: "writing arcs",
            total: Some(self.parameters.arcs),
        });
        for first in (0..self.chunks()).step_by(BATCH as usize) {
            if observer.cancelled() {
                return Err(io::Error::other("cancelled"));
            }
            let last = (first + BATCH).min(self.chunks());
            let texts: Vec<Vec<u8>> = (first..last)
                .into_par_iter()
                .map(|chunk| text_of(&self.chunk(chunk)))
                .collect();
            texts.iter().try_for_each(|text| out.write_all(text))?;
            observer.event(Event::Advance(
                (last * Rmat::CHUNK).min(self.parameters.arcs) - first * Rmat::CHUNK,
            ));
        }
        Ok(())
    }
}

fn text_of(arcs: &[(Vertex, Vertex)]) -> Vec<u8> {
    let mut text = Vec::with_capacity(16 * arcs.len());
    for &(from, to) in arcs {
        push_decimal(&mut text, from, b'\t');
        push_decimal(&mut text, to, b'\n');
    }
    text
}

/// Appends a number and what follows it; several times as fast as the formatting machinery, which
/// is what limits writing.
fn push_decimal(text: &mut Vec<u8>, mut number: Vertex, follow: u8) {
    let mut digits = [0; 10];
    let mut start = digits.len();
    loop {
        start -= 1;
        digits[start] = b'0' + (number % 10) as u8;
        number /= 10;
        if number == 0 {
            break;
        }
    }
    text.extend_from_slice(&digits[start..]);
    text.push(follow);
}
