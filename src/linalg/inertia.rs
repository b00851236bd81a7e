//! How many eigenvalues lie below a number, proved by a factorisation.
//!
//! Sylvester: `N − βI = P L D Lᵀ Pᵀ` has as many negative eigenvalues as `D` has negative entries, so the signs of `D` count the
//! eigenvalues of `N` below β. The factorisation is sparse (approximate minimum degree ordering, supernodes) and does not pivot;
//! rounding makes it the exact factorisation of `N − βI + E` with
//!
//! ```text
//! ‖E‖ ≤ η = c ε ‖ |L| |D| |L|ᵀ ‖_∞,     c = 2 + the largest number of entries in a row of L
//! ```
//!
//! so the count is exact for every eigenvalue further than η from β. η is computed from the factors themselves. A shift that
//! hits a zero pivot or makes η large is moved down by a small amount, which is reported.
//!
//! Cost: the ordering tells flops and fill before any number is computed ([`FactorPlan`]); 8 bytes for each entry of `L`.

use super::operator::{Laplacian, SymmetricOperator};
use crate::graph::Weight;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::perm::PermRef;
use faer::sparse::linalg::cholesky::{
    CholeskySymbolicParams, SymbolicCholesky, SymbolicCholeskyRaw, SymmetricOrdering, factorize_symbolic_cholesky,
    supernodal::SupernodalLdltRef,
};
use faer::sparse::linalg::{SupernodalThreshold, amd};
use faer::sparse::{SparseColMatRef, SymbolicSparseColMatRef};
use faer::{Par, Side};

/// The lower triangle of `N` by columns, its ordering, and what a factorisation would cost.
#[derive(Debug)]
pub struct FactorPlan {
    starts: Vec<usize>,
    indices: Vec<usize>,
    values: Vec<f64>,
    forward: Vec<usize>,
    inverse: Vec<usize>,
    /// Multiplications and additions of one factorisation.
    pub flops: f64,
}

/// The number of eigenvalues below a shift.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Inertia {
    /// How many eigenvalues are below [`Inertia::shift`].
    pub below: usize,
    /// The shift, possibly a little below the one asked for.
    pub shift: f64,
    /// η: the count is exact for every eigenvalue further than this from the shift.
    pub margin: f64,
}

impl FactorPlan {
    /// Orders the matrix and predicts the cost of factorising it. `None` if the ordering runs out of memory.
    pub fn new<W: Weight>(operator: &Laplacian<'_, W>) -> Option<Self> {
        let n = operator.order();
        let (mut starts, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
        for i in 0..n {
            operator.for_row(i, |j, value| {
                if j >= i {
                    indices.push(j);
                    values.push(value);
                }
            });
            starts.push(indices.len());
        }
        let (mut forward, mut inverse) = (vec![0; n], vec![0; n]);
        let pattern = SymbolicSparseColMatRef::new_checked(n, n, &starts, None, &indices);
        let scratch = amd::order_maybe_unsorted_scratch::<usize>(n, indices.len());
        let mut memory = MemBuffer::try_new(scratch).ok()?;
        let stack = MemStack::new(&mut memory);
        let cost = amd::order_maybe_unsorted(&mut forward, &mut inverse, pattern, amd::Control::default(), stack).ok()?;
        let flops = 2.0 * cost.n_mult_subs_ldl + cost.n_div;
        Some(Self { starts, indices, values, forward, inverse, flops })
    }

    /// Counts the eigenvalues below `shift`; a zero pivot moves the shift down by `nudge`, then twice that, and so on.
    /// `None` if memory runs out or no nearby shift factorises.
    pub fn count_below(&self, shift: f64, nudge: f64) -> Option<Inertia> {
        let symbolic = self.symbolic()?;
        let mut values = vec![0.0; symbolic.len_val()];
        let mut tried = shift;
        for attempt in 0..4 {
            if let Some(found) = self.factorise(&symbolic, &mut values, tried)
                && (found.margin <= nudge.max(1e-9) || attempt == 3)
            {
                return Some(found);
            }
            tried -= nudge * f64::from(1 << attempt);
        }
        None
    }

    fn symbolic(&self) -> Option<SymbolicCholesky<usize>> {
        let n = self.forward.len();
        let pattern = SymbolicSparseColMatRef::new_checked(n, n, &self.starts, None, &self.indices);
        let order = SymmetricOrdering::Custom(PermRef::new_checked(&self.forward, &self.inverse, n));
        let supernodal = SupernodalThreshold::FORCE_SUPERNODAL;
        let params = CholeskySymbolicParams { supernodal_flop_ratio_threshold: supernodal, ..Default::default() };
        factorize_symbolic_cholesky(pattern, Side::Lower, order, params).ok()
    }

    fn factorise(&self, symbolic: &SymbolicCholesky<usize>, factor: &mut [f64], shift: f64) -> Option<Inertia> {
        let n = self.forward.len();
        let mut shifted = self.values.clone();
        // The first stored entry of each column of the lower triangle is its diagonal.
        self.starts[..n].iter().for_each(|&at| shifted[at] -= shift);
        let pattern = SymbolicSparseColMatRef::new_checked(n, n, &self.starts, None, &self.indices);
        let matrix = SparseColMatRef::new(pattern, &shifted);
        let par = Par::rayon(0);
        let scratch = symbolic.factorize_numeric_ldlt_scratch::<f64>(par, Default::default());
        let mut memory = MemBuffer::try_new(scratch).ok()?;
        let stack = MemStack::new(&mut memory);
        symbolic.factorize_numeric_ldlt(factor, matrix, Side::Lower, Default::default(), par, stack, Default::default()).ok()?;
        let SymbolicCholeskyRaw::Supernodal(shape) = symbolic.raw() else { return None };
        let (below, margin) = signs_and_margin(SupernodalLdltRef::new(shape, factor), n);
        margin.is_finite().then_some(Inertia { below, shift, margin })
    }
}

/// The number of negative entries of `D`, and η.
fn signs_and_margin(factors: SupernodalLdltRef<'_, usize, f64>, n: usize) -> (usize, f64) {
    let mut below = 0;
    let (mut row_sums, mut row_lengths) = (vec![0.0; n], vec![0usize; n]);
    for s in 0..factors.symbolic().n_supernodes() {
        let node = factors.supernode(s);
        let (block, first, outside) = (node.val(), node.start(), node.pattern());
        let width = block.ncols();
        for k in 0..width {
            let column = || (k + 1..block.nrows()).map(|r| block[(r, k)].abs());
            let pivot = block[(k, k)];
            below += usize::from(pivot < 0.0);
            let weight = pivot.abs() * (1.0 + column().sum::<f64>());
            row_sums[first + k] += weight;
            for (r, entry) in (k + 1..block.nrows()).zip(column()) {
                let row = if r < width { first + r } else { outside[r - width] };
                row_sums[row] += entry * weight;
                row_lengths[row] += 1;
            }
        }
    }
    let longest = row_lengths.into_iter().max().unwrap_or(0) as f64;
    // A fold with `max` would hide a NaN; a sum that is not finite makes the margin not finite.
    let growth = row_sums.into_iter().fold(0.0, |a: f64, r| if r > a || r.is_nan() { r } else { a });
    (below, (2.0 + longest) * f64::EPSILON * growth)
}
