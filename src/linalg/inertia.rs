//! How many eigenvalues lie below a number, proved by a factorisation.
//!
//! Sylvester: `N − βI = P L D Lᵀ Pᵀ` has as many negative eigenvalues as `D` has negative entries, so the signs of `D` count the
//! eigenvalues of `N` below β. The factorisation is sparse (approximate minimum degree ordering, supernodes) and does not pivot;
//! rounding makes it the exact factorisation of `N − βI + E`, and the count is exact for every eigenvalue further than `‖E‖` from β.
//! `‖E‖` is measured on the factors themselves, by random sign vectors `z`:
//!
//! ```text
//! E z = P L D Lᵀ Pᵀ z − (N − βI) z,     mean ‖E z‖² = ‖E‖_F² ≥ ‖E‖²,     η = 2 ‖E‖_F
//! ```
//!
//! A shift that hits a zero pivot or makes η large is moved down by a small amount, which is reported.
//!
//! Cost: the ordering tells flops and fill before any number is computed ([`FactorPlan`]); 8 bytes for each entry of `L`.

use super::block::random_block;
use super::operator::{Laplacian, SymmetricOperator};
use crate::graph::Weight;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::ldlt::factor::LdltRegularization;
use faer::perm::PermRef;
use faer::sparse::linalg::cholesky::{
    CholeskySymbolicParams, SymbolicCholesky, SymbolicCholeskyRaw, SymmetricOrdering, factorize_symbolic_cholesky,
    supernodal::SupernodalLdltRef,
};
use faer::sparse::linalg::{SupernodalThreshold, amd};
use faer::sparse::{SparseColMatRef, SymbolicSparseColMatRef};
use faer::{Par, Side, Spec};
use rayon::prelude::*;

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
    /// Memory of the factor.
    pub bytes: u64,
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
        let bytes = 8 * (cost.n_div as u64 + n as u64);
        Some(Self { starts, indices, values, forward, inverse, flops, bytes })
    }

    /// Counts the eigenvalues below `shift`, from `nudge` below it. A zero pivot, or a margin that reaches back to `shift`, moves the
    /// factorised shift further down, by at least twice the margin; the first count whose margin does not reach back is returned, or
    /// else the one with the smallest margin, an expensive one at once. `None` if no margin is below `LARGEST_MARGIN`.
    pub fn count_below(&self, shift: f64, nudge: f64) -> Option<Inertia> {
        let symbolic = self.symbolic()?;
        let mut values = vec![0.0; symbolic.len_val()];
        // An eigenvalue on the shift does not count as below it.
        let (mut tried, mut best) = (shift - nudge, None::<Inertia>);
        for attempt in 0..6 {
            let found = self.factorise(&symbolic, &mut values, tried).filter(|found| found.margin <= LARGEST_MARGIN);
            // Below the shift by more than its own error, the count cannot take an eigenvalue on the shift for one below.
            if found.is_some_and(|found| found.margin < shift - tried) {
                return found;
            }
            best = best.into_iter().chain(found).min_by(|a, b| a.margin.total_cmp(&b.margin));
            if best.is_some() && self.flops > EXPENSIVE {
                break;
            }
            tried -= (nudge * f64::from(1 << attempt)).max(found.map_or(0.0, |found| 2.0 * found.margin));
        }
        best
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
        let scratch = symbolic.factorize_numeric_ldlt_scratch::<f64>(par, Spec::default());
        let mut memory = MemBuffer::try_new(scratch).ok()?;
        let stack = MemStack::new(&mut memory);
        symbolic
            .factorize_numeric_ldlt(factor, matrix, Side::Lower, LdltRegularization::default(), par, stack, Spec::default())
            .ok()?;
        let SymbolicCholeskyRaw::Supernodal(shape) = symbolic.raw() else { return None };
        let factors = SupernodalLdltRef::new(shape, factor);
        let (below, margin) = (negative_pivots(factors), self.margin(factors, &shifted));
        margin.is_finite().then_some(Inertia { below, shift, margin })
    }

    /// η: twice the Frobenius norm of the backward error, measured on [`PROBES`] random sign vectors.
    fn margin(&self, factors: SupernodalLdltRef<'_, usize, f64>, shifted: &[f64]) -> f64 {
        let n = self.forward.len();
        let square = |probe: usize| {
            let z: Vec<f64> = random_block(n, probe as u64).into_iter().map(f64::signum).collect();
            let mut product = vec![0.0; n];
            for j in 0..n {
                let column = self.starts[j]..self.starts[j + 1];
                for (&i, value) in self.indices[column.clone()].iter().zip(&shifted[column]) {
                    product[i] += value * z[j];
                    product[j] += if i == j { 0.0 } else { value * z[i] };
                }
            }
            let permuted: Vec<f64> = self.forward.iter().map(|&i| z[i]).collect();
            let rebuilt = multiply_back(factors, &permuted);
            self.forward.iter().zip(rebuilt).map(|(&i, y)| (y - product[i]).powi(2)).sum::<f64>()
        };
        let squares: Vec<f64> = (0..PROBES).into_par_iter().map(square).collect();
        let measured = 2.0 * (squares.iter().sum::<f64>() / PROBES as f64).sqrt();
        // Up to a power of ten: the factorisation rounds differently on different numbers of threads.
        10.0f64.powi(measured.max(1e-300).log10().ceil() as i32)
    }
}

/// A larger backward error than this is no proof.
pub const LARGEST_MARGIN: f64 = 1e-6;
/// A factorisation of more operations is not repeated for a smaller margin.
const EXPENSIVE: f64 = 1e10;
/// Random vectors for the backward error.
const PROBES: usize = 4;

fn negative_pivots(factors: SupernodalLdltRef<'_, usize, f64>) -> usize {
    let nodes = 0..factors.symbolic().n_supernodes();
    let negative = |s: usize| {
        let block = factors.supernode(s).val();
        (0..block.ncols()).filter(|&k| block[(k, k)] < 0.0).count()
    };
    nodes.map(negative).sum()
}

/// `L D Lᵀ x`, column by column; a supernode holds `D` on the diagonal of its leading square.
fn multiply_back(factors: SupernodalLdltRef<'_, usize, f64>, x: &[f64]) -> Vec<f64> {
    let mut y = vec![0.0; x.len()];
    for s in 0..factors.symbolic().n_supernodes() {
        let node = factors.supernode(s);
        let (block, first, outside) = (node.val(), node.start(), node.pattern());
        let (width, height) = (block.ncols(), block.nrows());
        let row = |r: usize| if r < width { first + r } else { outside[r - width] };
        for k in 0..width {
            let dot = x[first + k] + (k + 1..height).map(|r| block[(r, k)] * x[row(r)]).sum::<f64>();
            let scaled = block[(k, k)] * dot;
            y[first + k] += scaled;
            (k + 1..height).for_each(|r| y[row(r)] += block[(r, k)] * scaled);
        }
    }
    y
}
