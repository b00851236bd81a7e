//! The stochastic block model, plain and degree-corrected.
//!
//! Plain: every pair of vertices in blocks r, s is an edge with probability `p_rs`, independently.
//! Pairs are numbered and the next edge is found by a geometric jump of `1 + ⌊ln(1−u) / ln(1−p)⌋`
//! pairs, so the cost is that of the edges, not of the pairs.
//!
//! Degree-corrected (Karrer and Newman, 2011): each vertex has a propensity θ from a power law on
//! `1..=spread`. Blocks r, s get as many edges as the plain model expects (rounded up or down at
//! random), whose ends are drawn with probability ∝ θ within each block. Repeats are dropped, so
//! blocks dense enough to repeat get slightly fewer.
//!
//! Work is cut into pieces of about 2¹⁶ edges, each with its own stream, done in parallel. O(m log
//! m + number of block pairs), 8 bytes an edge.

use super::power_law::PowerLaw;
use super::random::{Purpose, Stream};
use super::{GenerateError, Planted, check, step};
use crate::ids::{Vertex, checked_count};
use crate::run::{Observer, Silent};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// Expected edges of one piece of work.
const PIECE: f64 = 65_536.0;

/// How likely edges are.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Affinity {
    /// One probability inside blocks, one between them.
    Planted {
        /// Inside a block.
        inside: f64,
        /// Between blocks.
        between: f64,
    },
    /// A symmetric matrix `p_rs`, row by row.
    Matrix(Vec<f64>),
}

/// The parameters of a block model.
///
/// ```
/// use lambdacut::generate::{Affinity, Sbm};
/// let made = Sbm { sizes: vec![50; 4], affinity: Affinity::Planted { inside: 0.5, between: 0.01 }, ..Sbm::default() }.generate().unwrap();
/// assert_eq!((made.vertices, made.truth[199]), (200, 3));
/// assert!(made.mixing() < 0.2);
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Sbm {
    /// The size of every block.
    pub sizes: Vec<usize>,
    /// The probabilities of edges.
    pub affinity: Affinity,
    /// For the degree-corrected model: the exponent of the power law of the propensities, and their
    /// largest value.
    pub propensity: Option<(f64, u32)>,
    /// The seed.
    pub seed: u64,
}

impl Default for Sbm {
    fn default() -> Self {
        let affinity = Affinity::Planted {
            inside: 0.2,
            between: 0.005,
        };
        Self {
            sizes: vec![100; 10],
            affinity,
            propensity: None,
            seed: crate::params::DEFAULT_SEED,
        }
    }
}

/// A set of pairs that are edges with one probability.
#[derive(Debug, Clone, Copy)]
enum Pairs {
    /// The pairs inside one block.
    Within(usize),
    /// The pairs between two blocks.
    Across(usize, usize),
    /// All pairs of vertices; those inside a block do not count.
    Anywhere,
}

/// Pairs `from..to` (plain), or this many edges (degree-corrected), of one set.
struct Piece {
    pairs: Pairs,
    probability: f64,
    from: u64,
    to: u64,
}

/// Where blocks start, which block a vertex is in, and its cumulated propensities.
struct Layout {
    starts: Vec<u64>,
    truth: Vec<u32>,
    cumulated: Option<Vec<u64>>,
}

impl Sbm {
    /// Makes the graph; vertices are numbered block by block.
    pub fn generate(&self) -> Result<Planted, GenerateError> {
        self.generate_observed(&Silent)
    }

    /// Makes the graph, and ends with [`GenerateError::Cancelled`] soon after the observer asks to.
    pub fn generate_observed(&self, observer: &dyn Observer) -> Result<Planted, GenerateError> {
        self.check()?;
        step("drawing edges", observer)?;
        let layout = self.layout();
        let pieces = self.pieces(&layout);
        let edges: Vec<Vec<(Vertex, Vertex)>> = pieces
            .par_iter()
            .enumerate()
            .take_any_while(|_| !observer.cancelled())
            .map(|(number, piece)| {
                let mut stream = Stream::new(self.seed, Purpose::Edges, number as u64);
                match &layout.cumulated {
                    None => layout.jump(piece, &mut stream),
                    Some(cumulated) => (piece.from..piece.to)
                        .map(|_| layout.draw(piece.pairs, cumulated, &mut stream))
                        .collect(),
                }
            })
            .collect();
        step("sorting edges", observer)?;
        Ok(Planted::new(
            layout.truth.len(),
            edges.concat(),
            layout.truth,
        ))
    }

    fn check(&self) -> Result<(), GenerateError> {
        let k = self.sizes.len();
        check("the number of blocks", k as f64, k >= 1, "at least 1")?;
        check(
            "the size of a block",
            0.0,
            self.sizes.iter().all(|&size| size >= 1),
            "at least 1",
        )?;
        checked_count(
            self.sizes
                .iter()
                .fold(0usize, |sum, &size| sum.saturating_add(size)),
        )?;
        let probabilities = match &self.affinity {
            Affinity::Planted { inside, between } => &[*inside, *between][..],
            Affinity::Matrix(entries) => entries,
        };
        for &p in probabilities {
            check(
                "the probability of an edge",
                p,
                (0.0..=1.0).contains(&p),
                "between 0 and 1",
            )?;
        }
        if let Affinity::Matrix(entries) = &self.affinity {
            check(
                "the number of entries of the matrix",
                entries.len() as f64,
                entries.len() == k * k,
                "the square of the number of blocks",
            )?;
            let lower = (0..k).flat_map(|r| (0..r).map(move |s| (r, s)));
            let skew = lower
                .into_iter()
                .find(|&(r, s)| entries[r * k + s] != entries[s * k + r]);
            let wrong = skew.map_or(0.0, |(r, s)| entries[r * k + s]);
            check(
                "an entry of the matrix",
                wrong,
                skew.is_none(),
                "equal to its counterpart across the diagonal",
            )?;
        }
        if let Some((exponent, spread)) = self.propensity {
            check(
                "the exponent of the propensities",
                exponent,
                (0.0..=20.0).contains(&exponent),
                "between 0 and 20",
            )?;
            check(
                "the largest propensity",
                spread.into(),
                spread >= 1,
                "at least 1",
            )?;
        }
        Ok(())
    }

    fn layout(&self) -> Layout {
        let mut starts = vec![0u64];
        starts.extend(self.sizes.iter().scan(0, |end, &size| {
            *end += size as u64;
            Some(*end)
        }));
        let truth = self
            .sizes
            .iter()
            .enumerate()
            .flat_map(|(r, &size)| std::iter::repeat_n(r as u32, size))
            .collect();
        let n = starts[starts.len() - 1];
        let cumulated = self.propensity.map(|(exponent, spread)| {
            let law = PowerLaw::new(exponent, 1, spread);
            let mut stream = Stream::new(self.seed, Purpose::Propensity, 0);
            let mut sum = 0;
            let drawn = (0..n).map(|_| {
                sum += u64::from(law.draw(&mut stream));
                sum
            });
            std::iter::once(0)
                .chain(drawn.collect::<Vec<_>>())
                .collect()
        });
        Layout {
            starts,
            truth,
            cumulated,
        }
    }

    fn pieces(&self, layout: &Layout) -> Vec<Piece> {
        let k = self.sizes.len();
        let sets: Vec<(Pairs, f64)> = match &self.affinity {
            &Affinity::Planted { inside, between } => (0..k)
                .map(|r| (Pairs::Within(r), inside))
                .chain([(Pairs::Anywhere, if k > 1 { between } else { 0.0 })])
                .collect(),
            Affinity::Matrix(p) => {
                let across =
                    (0..k).flat_map(|r| (0..r).map(move |s| (Pairs::Across(r, s), r * k + s)));
                let sets = (0..k).map(|r| (Pairs::Within(r), r * k + r)).chain(across);
                sets.map(|(pairs, at)| (pairs, p[at])).collect()
            }
        };
        let mut stream = Stream::new(self.seed, Purpose::Edges, u64::MAX);
        sets.into_iter()
            .filter(|&(_, p)| p > 0.0)
            .flat_map(|(pairs, p)| layout.cut(pairs, p, &mut stream))
            .collect()
    }
}

impl Layout {
    fn size(&self, r: usize) -> u64 {
        self.starts[r + 1] - self.starts[r]
    }

    /// Cuts one set of pairs into pieces of about equal work.
    fn cut(&self, pairs: Pairs, probability: f64, stream: &mut Stream) -> Vec<Piece> {
        let choose = |n: u64| n * n.saturating_sub(1) / 2;
        let all = match pairs {
            Pairs::Within(r) => choose(self.size(r)),
            Pairs::Across(r, s) => self.size(r) * self.size(s),
            Pairs::Anywhere => choose(self.truth.len() as u64),
        };
        let inside: u64 = (0..self.starts.len() - 1)
            .map(|r| choose(self.size(r)))
            .sum();
        let (count, step) = if self.cumulated.is_some() {
            let possible = if matches!(pairs, Pairs::Anywhere) {
                all - inside
            } else {
                all
            };
            (stream.round(possible as f64 * probability), PIECE as u64)
        } else {
            (all, (PIECE / probability).ceil() as u64)
        };
        let start = |piece: u64| piece.saturating_mul(step).min(count);
        (0..count.div_ceil(step))
            .map(|i| Piece {
                pairs,
                probability,
                from: start(i),
                to: start(i + 1),
            })
            .collect()
    }

    /// The edges among the pairs of a piece, by geometric jumps.
    fn jump(&self, piece: &Piece, stream: &mut Stream) -> Vec<(Vertex, Vertex)> {
        let scale = libm::log1p(-piece.probability);
        let mut edges = Vec::new();
        let mut next = piece.from;
        loop {
            // p = 1 makes the scale −∞ and every jump 0. A float beyond u64 saturates, which ends
            // the piece.
            let skipped = (libm::log1p(-stream.unit()) / scale) as u64;
            next = next.saturating_add(skipped);
            if next >= piece.to {
                return edges;
            }
            let (i, j) = self.pair(piece.pairs, next);
            if !matches!(piece.pairs, Pairs::Anywhere)
                || self.truth[i as usize] != self.truth[j as usize]
            {
                edges.push((i, j));
            }
            next += 1;
        }
    }

    /// Pair number `index` of a set.
    fn pair(&self, pairs: Pairs, index: u64) -> (Vertex, Vertex) {
        let (i, j) = match pairs {
            Pairs::Across(r, s) => (
                self.starts[r] + index / self.size(s),
                self.starts[s] + index % self.size(s),
            ),
            Pairs::Within(r) => {
                let (i, j) = triangle(index);
                (self.starts[r] + i, self.starts[r] + j)
            }
            Pairs::Anywhere => triangle(index),
        };
        (i as Vertex, j as Vertex)
    }

    /// One edge of the degree-corrected model.
    fn draw(&self, pairs: Pairs, cumulated: &[u64], stream: &mut Stream) -> (Vertex, Vertex) {
        let end = |r: usize, stream: &mut Stream| {
            let (low, high) = (
                cumulated[self.starts[r] as usize],
                cumulated[self.starts[r + 1] as usize],
            );
            let point = low + stream.below(high - low);
            cumulated.partition_point(|&c| c <= point) as Vertex - 1
        };
        let any = |stream: &mut Stream| {
            self.truth[stream.below(self.truth.len() as u64) as usize] as usize
        };
        loop {
            let (r, s) = match pairs {
                Pairs::Within(r) => (r, r),
                Pairs::Across(r, s) => (r, s),
                Pairs::Anywhere => (any(stream), any(stream)),
            };
            if matches!(pairs, Pairs::Anywhere) && r == s {
                continue;
            }
            let (i, j) = (end(r, stream), end(s, stream));
            if i != j {
                return (i, j);
            }
        }
    }
}

/// Pair `t` of `(1,0), (2,0), (2,1), (3,0), …`: `i` is the largest number with `i (i − 1) / 2 ≤ t`.
fn triangle(t: u64) -> (u64, u64) {
    let i = u64::midpoint(1, (8 * t + 1).isqrt());
    (i, t - i * (i - 1) / 2)
}
