//! Products of tall, thin matrices stored row by row: the arithmetic of reorthogonalisation.
//!
//! A [`Tall`] matrix is cut into panels of a fixed number of rows; each panel is one dense product
//! on one thread and the panels' partial sums are added in order, so that results do not depend on
//! the number of threads.

use super::dense::{LinalgError, Range, eigen};
use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// Rows of a panel.
pub const PANEL: usize = 1024;

/// An `n × capacity` matrix stored row by row, whose first columns are in use.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Tall {
    /// `n · capacity` numbers.
    pub data: Vec<f64>,
    /// Numbers a row.
    pub capacity: usize,
}

impl Tall {
    /// A matrix of zeros.
    pub fn zeros(n: usize, capacity: usize) -> Self {
        Self {
            data: vec![0.0; n * capacity],
            capacity,
        }
    }

    /// Copies columns `from .. from + b` into a compact block.
    pub fn copy_out(&self, from: usize, b: usize, block: &mut [f64]) {
        let rows = self
            .data
            .par_chunks_exact(self.capacity)
            .zip(block.par_chunks_exact_mut(b));
        rows.with_min_len(PANEL)
            .for_each(|(row, out)| out.copy_from_slice(&row[from..from + b]));
    }

    /// Overwrites columns `from .. from + b` with a compact block.
    pub fn copy_in(&mut self, from: usize, b: usize, block: &[f64]) {
        let rows = self
            .data
            .par_chunks_exact_mut(self.capacity)
            .zip(block.par_chunks_exact(b));
        rows.with_min_len(PANEL)
            .for_each(|(row, from_block)| row[from..from + b].copy_from_slice(from_block));
    }

    /// `C = Vᵀ W` for the columns `from .. from + columns` of this matrix and a compact block `W`
    /// of `b` columns; `C` is `columns × b`, row by row.
    pub fn transposed_times(&self, from: usize, columns: usize, w: &[f64], b: usize) -> Vec<f64> {
        let panels = self
            .data
            .par_chunks(PANEL * self.capacity)
            .zip(w.par_chunks(PANEL * b));
        let partial: Vec<Vec<f64>> = panels
            .map(|(v, w)| {
                let mut c = vec![0.0; columns * b];
                let product = MatMut::from_row_major_slice_mut(&mut c, columns, b);
                matmul(
                    product,
                    Accum::Replace,
                    self.panel(v, from, columns).transpose(),
                    rows_of(w, b),
                    1.0,
                    Par::Seq,
                );
                c
            })
            .collect();
        let mut total = vec![0.0; columns * b];
        for part in &partial {
            total.iter_mut().zip(part).for_each(|(t, p)| *t += p);
        }
        total
    }

    /// `W ← W − V C` for the columns `from .. from + columns`.
    pub fn subtract_product(
        &self,
        from: usize,
        columns: usize,
        c: &[f64],
        w: &mut [f64],
        b: usize,
    ) {
        let c = MatRef::from_row_major_slice(c, columns, b);
        self.data
            .par_chunks(PANEL * self.capacity)
            .zip(w.par_chunks_mut(PANEL * b))
            .for_each(|(v, w)| {
                let rows = w.len() / b;
                let out = MatMut::from_row_major_slice_mut(w, rows, b);
                matmul(
                    out,
                    Accum::Add,
                    self.panel(v, from, columns),
                    c,
                    -1.0,
                    Par::Seq,
                );
            });
    }

    /// `V ← V S` on the columns `from .. from + columns`, where `S` is `columns × kept` by columns;
    /// the result is in the first `kept` of them.
    pub fn rotate(&mut self, from: usize, columns: usize, s: &[f64], kept: usize) {
        let capacity = self.capacity;
        let s = MatRef::from_column_major_slice(&s[..columns * kept], columns, kept);
        self.data
            .par_chunks_mut(PANEL * capacity)
            .for_each(|panel| {
                let rows = panel.len() / capacity;
                let mut turned = vec![0.0; rows * kept];
                let before = MatRef::from_row_major_slice_with_stride(
                    &panel[from..],
                    rows,
                    columns,
                    capacity,
                );
                matmul(
                    MatMut::from_row_major_slice_mut(&mut turned, rows, kept),
                    Accum::Replace,
                    before,
                    s,
                    1.0,
                    Par::Seq,
                );
                for (row, new) in panel
                    .chunks_exact_mut(capacity)
                    .zip(turned.chunks_exact(kept.max(1)))
                {
                    row[from..from + kept].copy_from_slice(new);
                }
            });
    }

    /// Drops all but the first `columns` columns, in place.
    pub fn keep_first(&mut self, columns: usize) {
        let n = self.data.len() / self.capacity.max(1);
        for i in 0..n {
            self.data
                .copy_within(i * self.capacity..i * self.capacity + columns, i * columns);
        }
        self.data.truncate(n * columns);
        self.data.shrink_to_fit();
        self.capacity = columns;
    }

    fn panel<'a>(&self, v: &'a [f64], from: usize, columns: usize) -> MatRef<'a, f64> {
        MatRef::from_row_major_slice_with_stride(
            &v[from..],
            v.len() / self.capacity,
            columns,
            self.capacity,
        )
    }
}

fn rows_of(w: &[f64], b: usize) -> MatRef<'_, f64> {
    MatRef::from_row_major_slice(w, w.len() / b, b)
}

/// `G = Wᵀ W` of a compact block.
pub fn gram(w: &[f64], b: usize) -> Vec<f64> {
    let partial: Vec<Vec<f64>> = w
        .par_chunks(PANEL * b)
        .map(|w| {
            let mut g = vec![0.0; b * b];
            matmul(
                MatMut::from_row_major_slice_mut(&mut g, b, b),
                Accum::Replace,
                rows_of(w, b).transpose(),
                rows_of(w, b),
                1.0,
                Par::Seq,
            );
            g
        })
        .collect();
    let mut total = vec![0.0; b * b];
    for part in &partial {
        total.iter_mut().zip(part).for_each(|(t, p)| *t += p);
    }
    total
}

/// `W ← W T` for a compact block and a `b × b` matrix by columns.
pub fn times_small(w: &mut [f64], b: usize, t: &[f64]) {
    let t = MatRef::from_column_major_slice(t, b, b);
    w.par_chunks_mut(PANEL * b).for_each(|panel| {
        let before = panel.to_vec();
        let rows = panel.len() / b;
        matmul(
            MatMut::from_row_major_slice_mut(panel, rows, b),
            Accum::Replace,
            rows_of(&before, b),
            t,
            1.0,
            Par::Seq,
        );
    });
}

/// Makes the columns of `W` orthonormal (the singular vectors of `W`, by the eigenvectors of its
/// Gram matrix) and returns the `b × b` factor `R` with `W_before = W_after R`, by columns, and how
/// many directions of `W` were above `floor`. The other columns are left as zeros, with zero rows
/// in `R`.
pub fn orthonormalise(
    w: &mut [f64],
    b: usize,
    floor: f64,
) -> Result<(Vec<f64>, usize), LinalgError> {
    let mut factor = identity(b);
    let mut rank = b;
    // The Gram matrix squares the condition number; the second round repairs what the first left.
    for _round in 0..2 {
        let pairs = eigen(gram(w, b), b, Range::All)?;
        let most = pairs.values[b - 1].max(0.0);
        let least = (floor * floor).max(1e-15 * most);
        let (mut turn, mut back) = (vec![0.0; b * b], vec![0.0; b * b]);
        rank = 0;
        for t in (0..b).rev().filter(|&t| pairs.values[t] > least) {
            let length = pairs.values[t].sqrt();
            for i in 0..b {
                turn[rank * b + i] = pairs.vectors[t * b + i] / length;
                back[i * b + rank] = pairs.vectors[t * b + i] * length;
            }
            rank += 1;
        }
        times_small(w, b, &turn);
        factor = product(&back, &factor, b);
    }
    Ok((factor, rank))
}

fn identity(b: usize) -> Vec<f64> {
    let mut matrix = vec![0.0; b * b];
    (0..b).for_each(|i| matrix[i * b + i] = 1.0);
    matrix
}

/// The product of two `b × b` matrices by columns.
pub fn product(left: &[f64], right: &[f64], b: usize) -> Vec<f64> {
    let mut out = vec![0.0; b * b];
    for (column, out) in right.chunks_exact(b).zip(out.chunks_exact_mut(b)) {
        for (k, &r) in column.iter().enumerate() {
            out.iter_mut()
                .zip(&left[k * b..])
                .for_each(|(o, l)| *o += l * r);
        }
    }
    out
}

/// A block of numbers in `(−1, 1)`, each made from the seed and its own place alone.
pub fn random_block(len: usize, seed: u64) -> Vec<f64> {
    (0..len)
        .into_par_iter()
        .with_min_len(PANEL)
        .map(|at| uniform(seed, at as u64))
        .collect()
}

/// The `at`-th number of a stream: the finaliser of `SplitMix64` on a counter.
fn uniform(seed: u64, at: u64) -> f64 {
    let mut z = seed
        .wrapping_mul(0xD134_2543_DE82_EF95)
        .wrapping_add(at.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15));
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 52) as f64 - 1.0
}
