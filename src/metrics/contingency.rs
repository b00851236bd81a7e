//! The contingency table of two labellings, kept sparse.
//!
//! `n_ij` is the number of elements in found cluster `i` and true class `j`; `a_i = Σ_j n_ij`, `b_j
//! = Σ_i n_ij`, `N = Σ_ij n_ij`. At most `N` cells are not zero, so the table has at most `N`
//! entries however many clusters there are.
//!
//! Cost: O(n) — labels are numbered without gaps, elements grouped by found cluster with a counting
//! sort, and each group counted into a dense array of one entry a class. Memory: about 12 bytes an
//! element and 16 a cell. Labels far beyond the number of elements (`7, 4000000000`) are sorted
//! instead, O(n log n), so that no label makes the table large.

use super::MetricError;
use crate::graph::Members;
use crate::ids::{Cluster, NONE};
use rayon::prelude::*;

/// Elements counted by one task; fixed, so that the work is cut alike on every machine.
const BLOCK: usize = 1 << 16;

/// One cell of the table that is not zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Cell {
    /// The found cluster, as a row of the table.
    pub row: u32,
    /// The true class, as a column of the table.
    pub column: u32,
    /// `n_ij`.
    pub count: u64,
}

/// A sparse contingency table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Contingency {
    pub(super) cells: Vec<Cell>,
    pub(super) rows: Vec<u64>,
    pub(super) columns: Vec<u64>,
    pub(super) total: u64,
}

impl Contingency {
    /// Counts how `found` and `truth` meet; an element with [`NONE`] on either side is left out.
    ///
    /// ```
    /// use lambdacut::{ids::NONE, metrics::Contingency};
    /// let table = Contingency::new(&[0, 0, 1, NONE], &[5, 7, 7, 7]).unwrap();
    /// assert_eq!((table.total(), table.row_sums(), table.column_sums()), (3, &[2, 1][..], &[1, 2][..]));
    /// ```
    pub fn new(found: &[Cluster], truth: &[Cluster]) -> Result<Self, MetricError> {
        if found.len() != truth.len() {
            return Err(MetricError::Length {
                expected: found.len(),
                found: truth.len(),
            });
        }
        let both = |(&f, &t): (&Cluster, &Cluster)| f != NONE && t != NONE;
        let (found, truth): (Vec<_>, Vec<_>) = if found.par_iter().zip(truth).all(both) {
            (found.to_vec(), truth.to_vec())
        } else {
            found
                .iter()
                .zip(truth)
                .filter(|&pair| both(pair))
                .map(|(&f, &t)| (f, t))
                .unzip()
        };
        let (found, truth) = (Compact::of(found), Compact::of(truth));
        let cells = count(&found, &truth);
        let (mut rows, mut columns) = (vec![0; found.distinct], vec![0; truth.distinct]);
        for cell in &cells {
            rows[cell.row as usize] += cell.count;
            columns[cell.column as usize] += cell.count;
        }
        Ok(Self {
            total: found.labels.len() as u64,
            cells,
            rows,
            columns,
        })
    }

    /// The cells that are not zero, by row and column.
    pub fn cells(&self) -> &[Cell] {
        &self.cells
    }

    /// `a_i`, the sizes of the found clusters, in the order of their labels.
    pub fn row_sums(&self) -> &[u64] {
        &self.rows
    }

    /// `b_j`, the sizes of the true classes, in the order of their labels.
    pub fn column_sums(&self) -> &[u64] {
        &self.columns
    }

    /// `N`, the number of elements counted.
    pub fn total(&self) -> u64 {
        self.total
    }
}

/// Labels renumbered to `0..distinct` in the order of their values; [`NONE`] stays.
pub(super) struct Compact {
    pub(super) labels: Vec<Cluster>,
    pub(super) distinct: usize,
}

impl Compact {
    pub(super) fn of(mut labels: Vec<Cluster>) -> Self {
        let top = labels
            .par_iter()
            .filter(|&&c| c != NONE)
            .max()
            .map_or(0, |&c| c as usize + 1);
        if top > 4 * labels.len() + BLOCK {
            return Self::by_sorting(labels);
        }
        let mut new = vec![NONE; top];
        for &c in labels.iter().filter(|&&c| c != NONE) {
            new[c as usize] = 0;
        }
        let mut distinct = 0;
        for number in new.iter_mut().filter(|c| **c != NONE) {
            *number = distinct;
            distinct += 1;
        }
        if (distinct as usize) < top {
            labels
                .par_iter_mut()
                .filter(|c| **c != NONE)
                .for_each(|c| *c = new[*c as usize]);
        }
        Self {
            labels,
            distinct: distinct as usize,
        }
    }

    fn by_sorting(mut labels: Vec<Cluster>) -> Self {
        let mut values: Vec<Cluster> = labels.iter().copied().filter(|&c| c != NONE).collect();
        values.par_sort_unstable();
        values.dedup();
        let number = |c: Cluster| values.partition_point(|&v| v < c) as Cluster;
        labels
            .par_iter_mut()
            .filter(|c| **c != NONE)
            .for_each(|c| *c = number(*c));
        Self {
            labels,
            distinct: values.len(),
        }
    }
}

/// The cells of two labellings without [`NONE`], by row and column.
fn count(found: &Compact, truth: &Compact) -> Vec<Cell> {
    let order = Members::of(&found.labels, found.distinct).order;
    let blocks: Vec<Vec<Cell>> = order
        .par_chunks(BLOCK)
        .map_init(
            || vec![0u32; truth.distinct],
            |counts, block| count_block(block, &found.labels, &truth.labels, counts),
        )
        .collect();
    let mut cells = blocks.concat();
    // Only rows that span two blocks are out of order or listed twice.
    if !cells.is_sorted_by(|x, y| (x.row, x.column) < (y.row, y.column)) {
        cells.par_sort_unstable();
        cells.dedup_by(|next, kept| {
            let same = (next.row, next.column) == (kept.row, kept.column);
            kept.count += if same { next.count } else { 0 };
            same
        });
    }
    cells
}

/// Counts one run of elements that are grouped by row; `counts` is all zero before and after.
fn count_block(
    block: &[u32],
    found: &[Cluster],
    truth: &[Cluster],
    counts: &mut [u32],
) -> Vec<Cell> {
    let mut cells = Vec::new();
    let mut touched: Vec<Cluster> = Vec::new();
    for group in block.chunk_by(|&x, &y| found[x as usize] == found[y as usize]) {
        for &element in group {
            let column = truth[element as usize];
            if counts[column as usize] == 0 {
                touched.push(column);
            }
            counts[column as usize] += 1;
        }
        touched.sort_unstable();
        let row = found[group[0] as usize];
        cells.extend(touched.drain(..).map(|column| {
            let count = u64::from(std::mem::take(&mut counts[column as usize]));
            Cell { row, column, count }
        }));
    }
    cells
}
