//! Raw arcs → policy → symmetric CSR.
//!
//! A file lists rows `source target [weight]`, in any order, in one or both directions, with
//! repeats and loops. The builder makes of it the symmetric matrix `A`:
//!
//! 1. **Pack.** Row `(i, j)` becomes the number `min(i,j)·2³³ + max(i,j)·2 + [i > j]`, in place:
//!    numbers of the same undirected edge are neighbours in the order, and the last bit keeps the
//!    direction.
//! 2. **Sort** them, in place and in parallel. Rows of equal number are ordered by weight, so that
//!    sums never depend on the order of the input or on threads.
//! 3. **Survey** the runs of equal edges: repeats, arcs without reverse, and whether all reverses
//!    carry equal weight.
//! 4. **Merge** each run into one edge, in place.
//! 5. **Assemble** the rows: going through the edges `(i, j)`, `i ≤ j`, in order, append `j` to row
//!    `i` and `i` to row `j`. Rows come out sorted, because all edges `(·, j)` precede the edges
//!    `(j, ·)`. Each thread does this for its own range of rows.
//!
//! With `R` rows, `E` distinct edges and `n` vertices an unweighted graph takes `8·R` bytes while
//! it is merged, then `8·E` beside the finished `8·E + 8·n`: at most twice the result when every
//! edge is listed once or in both directions. Time O(R log R), nearly linear for input that is
//! sorted.

use super::assemble::assemble;
use super::csr::check_weight;
use super::edges::{
    Counts, Direction, Duplicates, EdgeList, Listing, Policy, RawRows, SelfLoops, pack, unpack,
};
use super::row::{Row, arc, ends, number};
use super::{AnyCsr, Csr, GraphError, Unit, Weight};
use crate::ids::{MAX_VERTICES, TooManyVertices, Vertex};
use rayon::prelude::*;
use std::ops::Range;
use thiserror::Error;

/// Rows handled as one task.
const BLOCK: usize = 1 << 16;

/// The number of a row that is dropped; it sorts behind all others and belongs to no edge.
const DROPPED: u64 = u64::MAX;

/// Why raw rows do not make a graph.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum BuildError {
    /// An endpoint or a weight is wrong.
    #[error(transparent)]
    Graph(#[from] GraphError),
    /// An arc is listed twice and the policy forbids it.
    #[error("the arc from vertex {0} to vertex {1} is listed more than once")]
    Duplicate(Vertex, Vertex),
    /// The input is directed and the policy forbids it.
    #[error(
        "the input is directed: the arc from vertex {0} to vertex {1} has no equal reverse, but others have"
    )]
    Directed(Vertex, Vertex),
    /// An arc without an equal reverse in a list that must have all of them.
    #[error("the arc from vertex {0} to vertex {1} has no equal reverse")]
    Unmirrored(Vertex, Vertex),
}

/// Builds the graph. The result does not depend on the number of threads.
pub fn build(list: EdgeList, policy: &Policy) -> Result<(AnyCsr, Counts), BuildError> {
    let EdgeList {
        vertices,
        rows,
        listing,
    } = list;
    let mut counts = Counts {
        rows: rows.len() as u64,
        ..Counts::default()
    };
    let graph = match rows {
        RawRows::Weighted(rows) if !policy.unweighted => {
            weighted(vertices, rows, listing, *policy, &mut counts)?
        }
        RawRows::Plain(rows) if policy.duplicates == Duplicates::Sum && !policy.unweighted => {
            let rows = rows.into_par_iter().map(|arc| (arc, 1.0)).collect();
            weighted(vertices, rows, listing, *policy, &mut counts)?
        }
        rows => {
            let rows = match rows {
                RawRows::Plain(rows) => rows,
                RawRows::Weighted(rows) => without_weights(&rows, &mut counts),
            };
            let edges = merged(vertices, rows, listing, *policy, &mut counts)?;
            AnyCsr::Unit(assemble::<Unit, _>(vertices, edges))
        }
    };
    counts.isolated = crate::with_csr!(&graph, g => g.isolated()) as u64;
    Ok((graph, counts))
}

fn weighted(
    n: usize,
    rows: Vec<(u64, f64)>,
    listing: Listing,
    policy: Policy,
    counts: &mut Counts,
) -> Result<AnyCsr, BuildError> {
    let edges = merged(n, rows, listing, policy, counts)?;
    Ok(if policy.single_precision {
        AnyCsr::F32(stored(n, edges)?)
    } else {
        AnyCsr::F64(stored(n, edges)?)
    })
}

/// The graph of sorted distinct edges, if each weight can be stored.
fn stored<W: Weight, R: Row>(n: usize, edges: Vec<R>) -> Result<Csr<W>, GraphError> {
    let wrong = edges.par_iter().with_min_len(BLOCK).find_map_first(|edge| {
        let (i, j) = ends(edge.number());
        check_weight::<W>((i as usize, j as usize), edge.weight())
    });
    wrong.map_or_else(|| Ok(assemble(n, edges)), Err)
}

/// Drops the weights, whatever they are, and with them the rows of weight 0.
fn without_weights(rows: &[(u64, f64)], counts: &mut Counts) -> Vec<u64> {
    let kept: Vec<u64> = rows
        .par_iter()
        .filter(|&&(_, w)| w != 0.0)
        .map(|&(arc, _)| arc)
        .collect();
    counts.zero_weights += (rows.len() - kept.len()) as u64;
    kept
}

/// The distinct edges `i ≤ j` of the result with their weights, sorted.
fn merged<R: Row>(
    n: usize,
    mut rows: Vec<R>,
    listing: Listing,
    policy: Policy,
    counts: &mut Counts,
) -> Result<Vec<R>, BuildError> {
    check(n, &rows)?;
    number_rows(&mut rows, listing, policy.self_loops, counts);
    let stable = policy.duplicates == Duplicates::First && size_of::<R>() > size_of::<u64>();
    sort(&mut rows, stable);
    rows.truncate(rows.partition_point(|row| row.number() != DROPPED));
    let survey = survey(&rows);
    counts.duplicates += survey.duplicates;
    counts.directed_arcs += if listing == Listing::Edges {
        0
    } else {
        survey.one_way
    };
    if let (Listing::Mirrored, Some(at)) = (listing, survey.first_one_way.or(survey.first_unequal))
    {
        let (i, j) = arc(at);
        return Err(BuildError::Unmirrored(i, j));
    }
    if let (Duplicates::Error, Some(at)) = (policy.duplicates, survey.first_duplicate) {
        let (i, j) = arc(at);
        return Err(BuildError::Duplicate(i, j));
    }
    if let (Direction::Reject, Some(at)) = (policy.direction, survey.directed()) {
        let (i, j) = arc(at);
        return Err(BuildError::Directed(i, j));
    }
    let how = match policy.duplicates {
        Duplicates::First => Merge::First,
        _ if survey.one_way == 0 && survey.first_unequal.is_none() => Merge::OneDirection,
        _ => Merge::Sum,
    };
    merge(&mut rows, how);
    Ok(rows)
}

/// Checks endpoints and weights.
fn check<R: Row>(n: usize, rows: &[R]) -> Result<(), GraphError> {
    if n > MAX_VERTICES {
        return Err(TooManyVertices(n).into());
    }
    let wrong = rows.par_iter().with_min_len(BLOCK).find_map_first(|row| {
        let (i, j) = unpack(row.number());
        let (largest, weight) = (i.max(j), row.weight());
        if largest as usize >= n {
            return Some(GraphError::Endpoint {
                vertex: largest.into(),
                vertices: n,
            });
        }
        if weight == 0.0 {
            return None;
        }
        check_weight::<f64>((i as usize, j as usize), weight)
    });
    wrong.map_or(Ok(()), Err)
}

/// Replaces packed arcs by their numbers, in place.
fn number_rows<R: Row>(
    rows: &mut [R],
    listing: Listing,
    self_loops: SelfLoops,
    counts: &mut Counts,
) {
    let number_block = |block: &mut [R]| {
        let (mut loops, mut zeros) = (0u64, 0u64);
        for row in block {
            let ((i, j), weight) = (unpack(row.number()), row.weight());
            let (is_loop, is_zero) = (i == j, weight == 0.0);
            loops += u64::from(is_loop);
            zeros += u64::from(is_zero);
            let dropped = is_zero || (is_loop && self_loops == SelfLoops::Drop);
            let named = if listing == Listing::Edges {
                number(i, j) & !1
            } else {
                number(i, j)
            };
            *row = R::new(if dropped { DROPPED } else { named }, weight);
        }
        (loops, zeros)
    };
    let sum = |a: (u64, u64), b: (u64, u64)| (a.0 + b.0, a.1 + b.1);
    let (loops, zeros) = rows
        .par_chunks_mut(BLOCK)
        .map(number_block)
        .reduce(|| (0, 0), sum);
    counts.self_loops += loops;
    counts.zero_weights += zeros;
}

/// Sorts by number, then weight; `stable` sorts by edge alone and keeps the order of the input
/// within it.
fn sort<R: Row>(rows: &mut [R], stable: bool) {
    if stable {
        rows.par_sort_by_key(|row| row.number() >> 1);
    } else {
        super::sort::sort(rows);
    }
}

/// What the runs of equal edges look like.
#[derive(Clone, Copy, Default)]
struct Survey {
    duplicates: u64,
    one_way: u64,
    first_duplicate: Option<u64>,
    first_one_way: Option<u64>,
    first_unequal: Option<u64>,
    two_way: bool,
}

impl Survey {
    /// The first arc that shows the input to be directed.
    fn directed(&self) -> Option<u64> {
        self.first_unequal.or(if self.two_way {
            self.first_one_way
        } else {
            None
        })
    }

    fn then(self, later: Self) -> Self {
        Self {
            duplicates: self.duplicates + later.duplicates,
            one_way: self.one_way + later.one_way,
            first_duplicate: self.first_duplicate.or(later.first_duplicate),
            first_one_way: self.first_one_way.or(later.first_one_way),
            first_unequal: self.first_unequal.or(later.first_unequal),
            two_way: self.two_way || later.two_way,
        }
    }
}

fn same_edge<R: Row>(a: &R, b: &R) -> bool {
    a.number() >> 1 == b.number() >> 1
}

/// Count and weight of the rows of a run in one direction.
fn one_direction<R: Row>(run: &[R], backward: u64) -> (u64, f64) {
    let own = run.iter().filter(|row| row.number() & 1 == backward);
    own.fold((0, 0.0), |(count, sum), row| {
        (count + 1, sum + row.weight())
    })
}

fn survey<R: Row>(rows: &[R]) -> Survey {
    let survey_block = |range: Range<usize>| {
        let mut seen = Survey::default();
        for run in rows[range].chunk_by(same_edge) {
            let number = run[0].number();
            let (low, high) = ends(number);
            if low != high && run.len() == 1 {
                seen.one_way += 1;
                seen.first_one_way = seen.first_one_way.or(Some(number));
                continue;
            }
            let ((forward, w_forward), (backward, w_backward)) =
                (one_direction(run, 0), one_direction(run, 1));
            let repeats = forward.saturating_sub(1) + backward.saturating_sub(1);
            seen.duplicates += repeats;
            if repeats > 0 && seen.first_duplicate.is_none() {
                seen.first_duplicate = Some(number & !1 | u64::from(forward < 2));
            }
            if low == high {
                continue;
            }
            if forward == 0 || backward == 0 {
                seen.one_way += 1;
                seen.first_one_way = seen.first_one_way.or(Some(number));
            } else {
                seen.two_way = true;
                if w_forward != w_backward && size_of::<R>() > size_of::<u64>() {
                    seen.first_unequal = seen.first_unequal.or(Some(number));
                }
            }
        }
        seen
    };
    // Indexed parallel maps are collected in order, so "first" means first in the order of edges.
    let parts: Vec<Survey> = run_blocks(rows).into_par_iter().map(survey_block).collect();
    parts.into_iter().fold(Survey::default(), Survey::then)
}

/// Ranges of about [`BLOCK`] rows that do not cut a run of equal edges.
fn run_blocks<R: Row>(rows: &[R]) -> Vec<Range<usize>> {
    let mut blocks = Vec::with_capacity(rows.len() / BLOCK + 1);
    let mut from = 0;
    while from < rows.len() {
        let last = (from + BLOCK).min(rows.len()) - 1;
        let edge = rows[last].number() >> 1;
        let to = last + rows[last..].partition_point(|row| row.number() >> 1 == edge);
        blocks.push(from..to);
        from = to;
    }
    blocks
}

/// How the rows of one edge become one.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Merge {
    /// All weights added.
    Sum,
    /// The weights of one direction added: the other says the same.
    OneDirection,
    /// The first row alone.
    First,
}

/// Merges every run into its first place, then closes the gaps.
fn merge<R: Row>(rows: &mut Vec<R>, how: Merge) {
    let ranges = run_blocks(rows);
    let mut rest = rows.as_mut_slice();
    let mut blocks = Vec::with_capacity(ranges.len());
    for range in &ranges {
        let (block, after) = rest.split_at_mut(range.len());
        blocks.push(block);
        rest = after;
    }
    let kept: Vec<usize> = blocks
        .into_par_iter()
        .map(|block| merge_block(block, how))
        .collect();
    let mut end = 0;
    for (range, kept) in ranges.into_iter().zip(kept) {
        if end != range.start {
            rows.copy_within(range.start..range.start + kept, end);
        }
        end += kept;
    }
    rows.truncate(end);
    // Gives the pages of merged rows back before the result is allocated.
    rows.shrink_to_fit();
}

/// Merges the runs of a block into its first places and says how many there are. A run of rows in
/// range has a finite sum, however many there are.
fn merge_block<R: Row>(block: &mut [R], how: Merge) -> usize {
    let (mut from, mut kept) = (0, 0);
    while from < block.len() {
        let first = block[from];
        let mut to = from + 1;
        while to < block.len() && same_edge(&first, &block[to]) {
            to += 1;
        }
        let run = &block[from..to];
        let weight = match how {
            _ if run.len() == 1 => first.weight(),
            Merge::First => first.weight(),
            Merge::OneDirection => one_direction(run, first.number() & 1).1,
            Merge::Sum => one_direction(run, 0).1 + one_direction(run, 1).1,
        };
        block[kept] = R::new(first.number() & !1, weight);
        (from, kept) = (to, kept + 1);
    }
    kept
}

impl<W: Weight> Csr<W> {
    /// Builds the graph on vertices `0..n` from undirected edges, each listed once in either
    /// direction; repeats are summed ([`Unit`]: collapsed), edges of weight 0 are dropped.
    ///
    /// ```
    /// use lambdacut::graph::{Csr, Unit};
    /// let g: Csr<Unit> = Csr::from_edges(3, &[(0, 1, 1.0), (1, 2, 1.0), (2, 1, 1.0)]).unwrap();
    /// assert_eq!((g.vertices(), g.edges(), g.degree(1)), (3, 2, 2.0));
    /// ```
    pub fn from_edges(n: usize, edges: &[(Vertex, Vertex, f64)]) -> Result<Self, GraphError> {
        let mut rows: Vec<(u64, f64)> = edges.iter().map(|&(i, j, w)| (pack(i, j), w)).collect();
        check(n, &rows)?;
        let mut counts = Counts::default();
        number_rows(&mut rows, Listing::Edges, SelfLoops::Keep, &mut counts);
        sort(&mut rows, false);
        rows.truncate(rows.partition_point(|row| row.number() != DROPPED));
        merge(&mut rows, Merge::Sum);
        if W::UNIT {
            return Ok(assemble(n, rows));
        }
        stored(n, rows)
    }
}
