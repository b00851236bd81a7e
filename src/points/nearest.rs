//! The nearest centre of many points, at the speed of a single-precision matrix product, decided in
//! double precision.
//!
//! With `x' = (x − o)/s` and `μ' = (μ − o)/s` (o the mean of the points, s a power of two that
//! bounds every coordinate)
//!
//! ```text
//! ‖x − μ_c‖² = s² ( |x'|² + score_c ),        score_c = |μ'_c|² − 2 x'·μ'_c
//! ```
//!
//! The products `x'·μ'_c` of a block of points with all centres are one call of a matrix product in
//! `f32`. Its result only *screens*: the unit roundoff is u = 2⁻²⁴, and whatever the order of the
//! additions, each score is off by at most
//!
//! ```text
//! e = 1.1 u ( 2 (d + 4) |x'| R + 2 R² ) + 2⁻¹⁰⁰,        R = max_c |μ'_c|
//! ```
//!
//! (d + 3 roundings in the product of the rounded factors, one in `|μ'|²`, one in the difference;
//! the last term covers underflow, the factor 1.1 the second-order terms and the double precision
//! distance itself). Every centre within 2e of the least score is evaluated by
//! [`squared_distance`], and the least of these, the first on ties, is the answer: exactly the one
//! that a plain loop over all centres would give, on any machine, whatever its matrix product does.
//! On usual data this is one centre a point.
//!
//! Cost O(n d k) multiplications in the product and O(n (d + k)) around it; memory `4 k d` bytes
//! for the centres and about 1 MB a thread for a block.

use super::{Points, squared_distance};
use crate::ids::NONE;
use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};
use rayon::prelude::*;

/// Scores of one block; a block of points shrinks as the number of centres grows, to stay in cache.
const BLOCK_SCORES: usize = 1 << 17;

/// Below these sizes the plain loop is faster than the product.
const LEAST_DIMENSION: usize = 8;
const LEAST_CENTRES: usize = 4;

/// Beyond this dimension the bound above would not hold (d·u must be small).
const MOST_DIMENSION: usize = 1 << 17;

/// Outward rounding of bounds on distances: more than all double precision errors in them.
const OUTWARD: f64 = 1e-11;

/// Where points lie: their mean and how far they reach from it. Computed once for many searches.
#[derive(Debug, Clone)]
pub struct Frame {
    origin: Vec<f64>,
    extent: f64,
}

impl Frame {
    /// The mean of `points` and their largest coordinate seen from it. O(nd).
    pub fn of(points: &Points) -> Self {
        let origin = points.mean();
        let extent = largest_offset(points, &origin);
        Self { origin, extent }
    }
}

fn largest_offset(points: &Points, origin: &[f64]) -> f64 {
    let reach = |row: &[f64]| {
        row.iter()
            .zip(origin)
            .fold(0.0, |most: f64, (x, o)| most.max((x - o).abs()))
    };
    points
        .values()
        .par_chunks(points.dimension())
        .map(reach)
        .reduce(|| 0.0, f64::max)
}

/// The answer for one point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Nearest {
    /// The nearest centre, the first on ties; [`NONE`] when there is no centre.
    pub index: u32,
    /// Its squared distance.
    pub distance: f64,
    /// A lower bound on the distance (not squared) to every other centre.
    pub others: f64,
}

impl Nearest {
    const NOTHING: Self = Self {
        index: NONE,
        distance: f64::INFINITY,
        others: f64::INFINITY,
    };
}

/// Centres made ready to be searched.
#[derive(Debug)]
pub struct Search<'a> {
    centres: &'a Points,
    frame: &'a Frame,
    /// 1/s.
    inverse_scale: f64,
    /// `μ'`, one column a coordinate.
    columns: Vec<f32>,
    /// `|μ'_c|²`.
    norms: Vec<f32>,
    /// R.
    radius: f64,
}

impl<'a> Search<'a> {
    /// Prepares `centres` for points that lie in `frame`. O(kd).
    pub fn new(centres: &'a Points, frame: &'a Frame) -> Self {
        let (k, d) = (centres.len(), centres.dimension());
        let extent = frame.extent.max(largest_offset(centres, &frame.origin));
        let inverse_scale = if extent > 0.0 {
            (-extent.log2().ceil()).clamp(-1000.0, 1000.0).exp2()
        } else {
            1.0
        };
        let mut search = Self {
            centres,
            frame,
            inverse_scale,
            columns: Vec::new(),
            norms: Vec::new(),
            radius: 0.0,
        };
        if search.screens() {
            search.columns = vec![0.0; k * d];
            for c in 0..k {
                let row: Vec<f64> = search.scaled(centres.row(c)).collect();
                let norm: f64 = row.iter().map(|value| value * value).sum();
                for (t, value) in row.into_iter().enumerate() {
                    search.columns[t * k + c] = value as f32;
                }
                search.norms.push(norm as f32);
                search.radius = search.radius.max(norm.sqrt());
            }
        }
        search
    }

    fn scaled<'b>(&'b self, row: &'b [f64]) -> impl Iterator<Item = f64> + use<'b> {
        row.iter()
            .zip(&self.frame.origin)
            .map(|(x, o)| (x - o) * self.inverse_scale)
    }

    /// Whether the product pays and its error bound holds.
    fn screens(&self) -> bool {
        (LEAST_DIMENSION..MOST_DIMENSION).contains(&self.centres.dimension())
            && self.centres.len() >= LEAST_CENTRES
    }

    /// The nearest centre of each of the points `rows`. With `limits`, point `rows[r]` sees only
    /// the first `limits[r]` centres. Parallel over blocks of rows; the same answer on any number
    /// of threads.
    pub fn nearest(&self, points: &Points, rows: &[u32], limits: Option<&[u32]>) -> Vec<Nearest> {
        let k = self.centres.len();
        let limit = |r: usize| limits.map_or(k, |l| l[r] as usize);
        let mut answers = vec![Nearest::NOTHING; rows.len()];
        if !self.screens() {
            let plain = |(r, answer): (usize, &mut Nearest)| {
                *answer = self.plain(points.row(rows[r] as usize), limit(r));
            };
            answers
                .par_iter_mut()
                .with_min_len(64)
                .enumerate()
                .for_each(plain);
            return answers;
        }
        let height = (BLOCK_SCORES / k).clamp(16, 512);
        answers.par_chunks_mut(height).enumerate().for_each_init(
            Block::default,
            |block, (b, answers)| {
                let first = b * height;
                block.multiply(self, points, &rows[first..first + answers.len()]);
                for (r, answer) in answers.iter_mut().enumerate() {
                    let scores = &mut block.scores[r * k..][..limit(first + r)];
                    *answer =
                        self.decide(points.row(rows[first + r] as usize), block.norms[r], scores);
                }
            },
        );
        answers
    }

    /// The loop over all centres, for small problems.
    fn plain(&self, point: &[f64], limit: usize) -> Nearest {
        let (mut best, mut second) = (Nearest::NOTHING, f64::INFINITY);
        for c in 0..limit {
            let distance = squared_distance(point, self.centres.row(c));
            if distance < best.distance {
                second = best.distance;
                best = Nearest {
                    index: c as u32,
                    distance,
                    others: 0.0,
                };
            } else if distance < second {
                second = distance;
            }
        }
        Nearest {
            others: second.sqrt() * (1.0 - OUTWARD),
            ..best
        }
    }

    /// Screens one point's products with the centres, given `|x'|²`, and decides among those that
    /// may be nearest.
    fn decide(&self, point: &[f64], norm: f64, scores: &mut [f32]) -> Nearest {
        if scores.is_empty() {
            return Nearest::NOTHING;
        }
        let least = scores_from_products(scores, &self.norms);
        let error = self.error(norm.sqrt());
        let threshold = ((f64::from(least) + 2.0 * error) as f32).next_up();
        let mut best = Nearest::NOTHING;
        for (block, part) in scores.chunks(32).enumerate() {
            if part.iter().map(|&s| u32::from(s <= threshold)).sum::<u32>() == 0 {
                continue;
            }
            for (t, _) in part.iter().enumerate().filter(|&(_, &s)| s <= threshold) {
                let c = block * 32 + t;
                let distance = squared_distance(point, self.centres.row(c));
                if distance < best.distance {
                    best = Nearest {
                        index: c as u32,
                        distance,
                        others: 0.0,
                    };
                }
            }
        }
        scores[best.index as usize] = f32::INFINITY;
        let second = f64::from(least_of(scores)) + norm - error;
        Nearest {
            others: second.max(0.0).sqrt() / self.inverse_scale * (1.0 - OUTWARD),
            ..best
        }
    }

    /// `e` of the module's text, for a point at distance `length` from the origin.
    fn error(&self, length: f64) -> f64 {
        let (d, r) = (self.centres.dimension() as f64, self.radius);
        let unit = f64::from(f32::EPSILON) / 2.0;
        1.1 * unit * (2.0 * (d + 4.0) * length * r + 2.0 * r * r) + 100f64.exp2().recip()
    }
}

/// Turns products into scores in place and returns the least.
fn scores_from_products(scores: &mut [f32], norms: &[f32]) -> f32 {
    for (score, norm) in scores.iter_mut().zip(norms) {
        *score = norm - 2.0 * *score;
    }
    least_of(scores)
}

/// The least of finite or infinite values, eight at a time.
fn least_of(values: &[f32]) -> f32 {
    let less = |a: f32, b: f32| if b < a { b } else { a };
    let (whole, rest) = values.as_chunks::<8>();
    let mut lanes = [f32::INFINITY; 8];
    for chunk in whole {
        for t in 0..8 {
            lanes[t] = less(lanes[t], chunk[t]);
        }
    }
    lanes
        .into_iter()
        .chain(rest.iter().copied())
        .fold(f32::INFINITY, less)
}

/// The working memory of one thread.
#[derive(Default)]
struct Block {
    rows: Vec<f32>,
    norms: Vec<f64>,
    scores: Vec<f32>,
}

impl Block {
    /// `scores[r·k + c] = x'_r · μ'_c` and `norms[r] = |x'_r|²`.
    fn multiply(&mut self, search: &Search<'_>, points: &Points, rows: &[u32]) {
        let (k, d) = (search.centres.len(), search.centres.dimension());
        self.rows.clear();
        self.norms.clear();
        for &i in rows {
            let mut norm = 0.0;
            self.rows
                .extend(search.scaled(points.row(i as usize)).map(|value| {
                    norm += value * value;
                    value as f32
                }));
            self.norms.push(norm);
        }
        self.scores.resize(rows.len() * k, 0.0);
        let centres = MatRef::from_column_major_slice(&search.columns, k, d);
        let block = MatRef::from_column_major_slice(&self.rows, d, rows.len());
        let scores = MatMut::from_column_major_slice_mut(&mut self.scores, k, rows.len());
        matmul(scores, Accum::Replace, centres, block, 1.0f32, Par::Seq);
    }
}
