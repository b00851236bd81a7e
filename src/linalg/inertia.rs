//! How many eigenvalues lie below a number, proved by a factorisation.
//!
//! Sylvester: `N − σI = P L D Lᵀ Pᵀ` has as many negative eigenvalues as `D` has negative entries,
//! so the signs of `D` count the eigenvalues of `N` below σ. The factorisation is sparse
//! (approximate minimum degree ordering, supernodes) and does not pivot; rounding makes it the
//! exact factorisation of `N − σI + E`. By Weyl's inequality the count `c` then satisfies
//!
//! ```text
//! #{ν < σ − η}  ≤  c  ≤  #{ν ≤ σ + η},        η ≥ ‖E‖₂.
//! ```
//!
//! **η is a bound, not a measurement.** Each entry of `N − σI` is an inner product of rows of the
//! computed factors, up to the rounding of its terms in whatever order they were added (Higham,
//! *Accuracy and Stability of Numerical Algorithms*, sections 9.3 and 11.1):
//!
//! ```text
//! |E_ij| ≤ γ(min(r_i, r_j)) H_ij ≤ √γ(r_i) H_ij √γ(r_j),     H = |L||D||Lᵀ|,     γ(r) = tu/(1 − tu),  t = r + 6,
//! ```
//!
//! with `r_i` the entries of row `i` of `L` and `u = 2⁻⁵³`; the 6 covers the multiplication by `D`,
//! the division by it (perhaps through a reciprocal) and the entry itself. A matrix is no larger in
//! norm than a non-negative one that dominates it, and the norm of a symmetric non-negative matrix
//! `B` is at most `max_i (Bx)_i / x_i` for *every* positive `x` (Collatz and Wielandt); `x` comes
//! from a few steps of the power method, which can only lower the bound. So growth in the factors,
//! the danger of not pivoting, enlarges η and cannot make a count look better than it is. The
//! rounding of the entries of `N` themselves is added. Not covered: underflow, and faults of the
//! machine.
//!
//! A shift that hits a zero pivot or makes η large is moved down by a small amount, which is
//! reported.
//!
//! Cost: the ordering tells flops and fill before any number is computed ([`FactorPlan`]); 8 bytes
//! for each entry of `L`, and η costs as much as `3` solves.

use super::operator::{Laplacian, SymmetricOperator};
use crate::graph::Weight;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::ldlt::factor::LdltRegularization;
use faer::perm::PermRef;
use faer::sparse::linalg::cholesky::{
    CholeskySymbolicParams, SymbolicCholesky, SymbolicCholeskyRaw, SymmetricOrdering,
    factorize_symbolic_cholesky, supernodal::SupernodalLdltRef,
};
use faer::sparse::linalg::{SupernodalThreshold, amd};
use faer::sparse::{SparseColMatRef, SymbolicSparseColMatRef};
use faer::{Par, Side, Spec};
use std::sync::OnceLock;

/// The lower triangle of `N` by columns, its ordering, and what a factorisation would cost.
#[derive(Debug)]
pub struct FactorPlan {
    starts: Vec<usize>,
    indices: Vec<usize>,
    values: Vec<f64>,
    forward: Vec<usize>,
    inverse: Vec<usize>,
    /// A bound of `‖ |N| ‖₂`.
    norm: f64,
    /// Multiplications and additions of one factorisation.
    pub flops: f64,
    /// The supernodes, found when they are first asked for.
    symbolic: OnceLock<Option<SymbolicCholesky<usize>>>,
    /// Memory of the plan.
    pub plan_bytes: u64,
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
    /// Orders the matrix and predicts the cost of factorising it. `None` if the ordering runs out
    /// of memory.
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
        let cost = amd::order_maybe_unsorted(
            &mut forward,
            &mut inverse,
            pattern,
            amd::Control::default(),
            stack,
        )
        .ok()?;
        let flops = 2.0 * cost.n_mult_subs_ldl + cost.n_div;
        let plan_bytes = 8 * (3 * n + 2 * values.len()) as u64;
        // |N| is the signless matrix of the same graph, for which the bound holds as well.
        let norm = operator.upper_bound();
        let symbolic = OnceLock::new();
        Some(Self {
            starts,
            indices,
            values,
            forward,
            inverse,
            norm,
            flops,
            symbolic,
            plan_bytes,
        })
    }

    /// Memory of one factorisation beside the plan itself: the factor, its workspace and the
    /// shifted copy of the values.
    pub fn bytes(&self) -> u64 {
        let Some(symbolic) = self.symbolic() else {
            return u64::MAX;
        };
        let scratch = symbolic
            .factorize_numeric_ldlt_scratch::<f64>(Par::rayon(0), Spec::default())
            .size_bytes();
        (scratch + 8 * (symbolic.len_val() + self.values.len())) as u64
    }

    /// Counts the eigenvalues below `shift`, from `nudge` below it. A zero pivot, or a margin that
    /// reaches back to `shift`, moves the factorised shift further down, by at least twice the
    /// margin; the first count whose margin does not reach back is returned, or else the one with
    /// the smallest margin, an expensive one at once. `None` if every margin is above
    /// `LARGEST_MARGIN · nudge`.
    pub fn count_below(&self, shift: f64, nudge: f64) -> Option<Inertia> {
        let symbolic = self.symbolic()?;
        let mut values = vec![0.0; symbolic.len_val()];
        // An eigenvalue on the shift does not count as below it.
        let (mut tried, mut best) = (shift - nudge, None::<Inertia>);
        for attempt in 0..6 {
            let found = self
                .factorise(symbolic, &mut values, tried)
                .filter(|found| found.margin <= LARGEST_MARGIN * nudge);
            // Below the shift by more than its own error, the count cannot take an eigenvalue on
            // the shift for one below.
            if found.is_some_and(|found| found.margin < shift - tried) {
                return found;
            }
            best = best
                .into_iter()
                .chain(found)
                .min_by(|a, b| a.margin.total_cmp(&b.margin));
            if best.is_some() && self.flops > EXPENSIVE {
                break;
            }
            tried -= (nudge * f64::from(1 << attempt))
                .max(found.map_or(0.0, |found| 2.0 * found.margin));
        }
        best
    }

    fn symbolic(&self) -> Option<&SymbolicCholesky<usize>> {
        self.symbolic.get_or_init(|| self.supernodes()).as_ref()
    }

    fn supernodes(&self) -> Option<SymbolicCholesky<usize>> {
        let n = self.forward.len();
        let pattern = SymbolicSparseColMatRef::new_checked(n, n, &self.starts, None, &self.indices);
        let order =
            SymmetricOrdering::Custom(PermRef::new_checked(&self.forward, &self.inverse, n));
        let supernodal = SupernodalThreshold::FORCE_SUPERNODAL;
        let params = CholeskySymbolicParams {
            supernodal_flop_ratio_threshold: supernodal,
            ..Default::default()
        };
        factorize_symbolic_cholesky(pattern, Side::Lower, order, params).ok()
    }

    fn factorise(
        &self,
        symbolic: &SymbolicCholesky<usize>,
        factor: &mut [f64],
        shift: f64,
    ) -> Option<Inertia> {
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
            .factorize_numeric_ldlt(
                factor,
                matrix,
                Side::Lower,
                LdltRegularization::default(),
                par,
                stack,
                Spec::default(),
            )
            .ok()?;
        let SymbolicCholeskyRaw::Supernodal(shape) = symbolic.raw() else {
            return None;
        };
        let factors = SupernodalLdltRef::new(shape, factor);
        let margin = backward_error(factors) + 8.0 * UNIT * (self.norm + shift.abs());
        // Up to a power of two: the factorisation rounds differently on different numbers of
        // threads.
        let margin = margin.log2().ceil().exp2();
        margin.is_finite().then_some(Inertia {
            below: negative_pivots(factors),
            shift,
            margin,
        })
    }
}

/// A margin of more than this many nudges is no proof.
const LARGEST_MARGIN: f64 = 1e4;
/// A factorisation of more operations is not repeated for a smaller margin.
const EXPENSIVE: f64 = 1e10;
/// The unit roundoff u.
const UNIT: f64 = 0.5 * f64::EPSILON;
/// Steps of the power method for the norm of the backward error.
const STEPS: usize = 3;

fn negative_pivots(factors: SupernodalLdltRef<'_, usize, f64>) -> usize {
    let nodes = 0..factors.symbolic().n_supernodes();
    let negative = |s: usize| {
        let block = factors.supernode(s).val();
        (0..block.ncols()).filter(|&k| block[(k, k)] < 0.0).count()
    };
    nodes.map(negative).sum()
}

/// The bound of `‖E‖₂` from the factors: see the module.
fn backward_error(factors: SupernodalLdltRef<'_, usize, f64>) -> f64 {
    let gamma = |r: f64| (r + 6.0) * UNIT / (1.0 - (r + 6.0) * UNIT);
    let root: Vec<f64> = row_lengths(factors)
        .into_iter()
        .map(|r| gamma(r).sqrt())
        .collect();
    let mut x = vec![1.0; root.len()];
    let mut bound = 0.0;
    for _ in 0..STEPS {
        let scaled: Vec<f64> = x.iter().zip(&root).map(|(x, g)| x * g).collect();
        let mut y = absolute_product(factors, &scaled);
        y.iter_mut().zip(&root).for_each(|(y, g)| *y *= g);
        if y.iter().any(|y| !y.is_finite()) {
            return f64::INFINITY;
        }
        bound = y.iter().zip(&x).map(|(y, x)| y / x).fold(0.0, f64::max);
        let most = y.iter().copied().fold(0.0, f64::max);
        // Away from 0 every entry stays positive, which is all that the bound asks of x.
        x = y.into_iter().map(|y| (y / most).max(1e-100)).collect();
    }
    // The products of non-negative numbers above are themselves rounded.
    1.001 * bound
}

/// The entries of each row of `L`, the diagonal included.
fn row_lengths(factors: SupernodalLdltRef<'_, usize, f64>) -> Vec<f64> {
    let mut lengths = vec![0.0; factors.symbolic().nrows()];
    for s in 0..factors.symbolic().n_supernodes() {
        let node = factors.supernode(s);
        let width = node.val().ncols();
        (0..width).for_each(|k| lengths[node.start() + k] += (k + 1) as f64);
        node.pattern()
            .iter()
            .for_each(|&i| lengths[i] += width as f64);
    }
    lengths
}

/// `|L||D||Lᵀ| x`, column by column; a supernode holds `D` on the diagonal of its leading square.
fn absolute_product(factors: SupernodalLdltRef<'_, usize, f64>, x: &[f64]) -> Vec<f64> {
    let mut y = vec![0.0; x.len()];
    for s in 0..factors.symbolic().n_supernodes() {
        let node = factors.supernode(s);
        let (block, first, outside) = (node.val(), node.start(), node.pattern());
        let width = block.ncols();
        let gathered: Vec<f64> = x[first..first + width]
            .iter()
            .copied()
            .chain(outside.iter().map(|&i| x[i]))
            .collect();
        let mut sums = vec![0.0; gathered.len()];
        for k in 0..width {
            let column = block
                .col(k)
                .try_as_col_major()
                .expect("a supernode is stored by columns")
                .as_slice();
            let below = &column[k + 1..];
            let dot = gathered[k]
                + below
                    .iter()
                    .zip(&gathered[k + 1..])
                    .map(|(l, x)| l.abs() * x)
                    .sum::<f64>();
            let scaled = column[k].abs() * dot;
            sums[k] += scaled;
            sums[k + 1..]
                .iter_mut()
                .zip(below)
                .for_each(|(sum, l)| *sum += l.abs() * scaled);
        }
        y[first..first + width]
            .iter_mut()
            .zip(&sums)
            .for_each(|(y, sum)| *y += sum);
        outside
            .iter()
            .zip(&sums[width..])
            .for_each(|(&i, sum)| y[i] += sum);
    }
    y
}
