//! All eigenvalues below a threshold: block Lanczos on a Chebyshev filter of the operator, with
//! full reorthogonalisation, thick restarts and locking.
//!
//! Lanczos runs on a polynomial `p(N)` (see [`filter`](super::filter)), whose wanted eigenvalues,
//! those beyond `p(β)`, are its largest and well apart: it needs about as many products with `N` as
//! Lanczos on `N` itself, but `d` times fewer vectors to keep and to orthogonalise, with `d` the
//! degree.
//!
//! One step, with `V` the basis (locked eigenvectors first) and `Q` its last `b` columns:
//!
//! ```text
//! W = p(N) Q,   C = VᵀW,   W ← W − VC   (twice),   H_{·Q} = C,   W = Q' R,   V ← [V Q']
//! ```
//!
//! `H = Vᵀ p(N) V` is kept whole, so that nothing depends on its being banded: restarts (`V ← VS`
//! with the best Ritz vectors) and fresh random directions (when `W` loses rank: an invariant
//! subspace, or a multiple eigenvalue) need no special case. The residual of a Ritz pair `(θ, s)`
//! of `p(N)` is `‖R s_last‖`. When all wanted pairs are small in that sense, they are rotated out,
//! `N` itself is projected on them, and the residuals `‖N x − ν x‖` are computed from scratch; only
//! those decide.
//!
//! *The k smallest.* When only the `k` smallest are asked for, β is a guess with somewhat more than
//! `k` eigenvalues below it. The search ends when the `k` leading Ritz pairs have converged, long
//! before those next to β have, and no Ritz value from a fresh random block belongs among them; if
//! there are fewer than `k` below β, then β is raised and what was found stays locked.
//!
//! Cost of finding `k` pairs: about `1.5 k d` products (O(arcs) each) and O(n k²) for
//! orthogonality, in dense blocks. Memory: `8 n (1.5 k + 14 b)` bytes ([`basis_columns`]).

use super::block::{Tall, orthonormalise, random_block};
use super::dense::{EigenPairs, LinalgError, Range, eigen};
use super::filter::{AMPLIFICATION, Filter};
use super::operator::SymmetricOperator;
use crate::run::{Event, Observer};

/// What is to be found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Search {
    /// Eigenvalues below this.
    pub below: f64,
    /// How many there are, when that is known.
    pub count: Option<usize>,
    /// This many of the smallest are enough. If there are fewer below the threshold, it is raised.
    pub enough: Option<usize>,
    /// How many to make room for at first.
    pub room: usize,
    /// The residual `‖N x − ν x‖` that counts as converged.
    pub tolerance: f64,
    /// The seed of the starting block.
    pub seed: u64,
}

/// Eigenpairs found by [`lanczos`].
#[derive(Debug, Clone)]
pub struct LowPairs {
    /// Eigenvalues, ascending.
    pub values: Vec<f64>,
    /// `‖N x − ν x‖` of each.
    pub residuals: Vec<f64>,
    /// The eigenvectors, `n × values.len()`, row by row.
    pub vectors: Tall,
    /// Whether everything asked for was found.
    pub finished: bool,
    /// Products of the operator with one vector.
    pub products: u64,
}

impl LowPairs {
    /// The finished search that found nothing, for a matrix of order `n`.
    pub(super) fn none(n: usize) -> Self {
        Self {
            values: Vec::new(),
            residuals: Vec::new(),
            vectors: Tall::zeros(n, 0),
            finished: true,
            products: 0,
        }
    }
}

/// Vectors in a block. One row of a block is one cache line.
pub const WIDTH: usize = 8;

/// The columns of the basis when `count` eigenpairs are wanted: the memory of the search is `8 n`
/// times this.
pub fn basis_columns(count: usize) -> usize {
    count + count / 2 + 12 * WIDTH
}

/// Finds every eigenvalue of `operator` below `search.below`, with eigenvectors. `null` is an
/// orthonormal set of exact eigenvectors with eigenvalue 0 (may be empty); they are deflated from
/// the start and returned first.
///
/// Stops unfinished, with the pairs found so far, when the observer cancels, when more pairs turn
/// up than there is room for, or when restarts no longer help.
pub fn lanczos(
    operator: &dyn SymmetricOperator,
    null: &[Vec<f64>],
    search: Search,
    observer: &dyn Observer,
) -> Result<LowPairs, LinalgError> {
    let goal = search.count.or(search.enough);
    observer.event(Event::Stage {
        name: "eigenvectors",
        total: goal.map(|goal| goal as u64),
    });
    let mut run = Run::new(operator, null, search)?;
    if goal.is_some_and(|goal| goal <= null.len()) {
        return run.finish(true);
    }
    let mut confirming = false;
    let mut step = 0;
    while !observer.cancelled() && run.restarts < 200 {
        run.step()?;
        step += 1;
        if confirming && step < CONFIRMING_STEPS {
            continue;
        }
        if !run.full() && !run.worth_a_look() {
            continue;
        }
        let ritz = run.ritz()?;
        let wanted = run.wanted(&ritz);
        // Room for `enough` pairs is there from the start; what the confirmation adds to them is
        // little.
        if run.locked + wanted > run.most {
            break;
        }
        if wanted == 0 && search.count.is_none() && run.settled(&ritz) {
            if !run.widen()? {
                return run.finish(true);
            }
            (confirming, step) = (false, 0);
            continue;
        }
        if run.converged(&ritz, wanted) {
            let before = run.locked;
            run.extract(&ritz, wanted)?;
            observer.event(Event::Advance((run.locked - before) as u64));
            if search.count.is_some_and(|count| run.locked >= count) {
                return run.finish(true);
            }
            (confirming, step) = (true, 0);
        } else if run.full() {
            run.restart(&ritz, wanted);
        }
    }
    run.finish(false)
}

/// Steps from a fresh random block, orthogonal to everything found, before the first look at what
/// it holds.
const CONFIRMING_STEPS: usize = 5;
/// No smaller residual of a pair of `p(N)` is asked for: the rounding of its products is about `ε
/// p(0)`.
const LEAST_RESIDUAL: f64 = 8.0 * f64::EPSILON * AMPLIFICATION;
/// The threshold grows by this factor when there are too few eigenvalues below it.
const WIDENING: f64 = 1.3;
/// Beyond this share of the spectrum's range the threshold is not raised.
const WIDEST: f64 = 0.5;

/// Ritz pairs of `p(N)`, largest value first.
struct Ritz {
    values: Vec<f64>,
    residuals: Vec<f64>,
    /// `active × active`, by columns.
    vectors: Vec<f64>,
}

/// One search: see the module for the symbols.
struct Run<'a> {
    operator: &'a dyn SymmetricOperator,
    search: Search,
    filter: Filter,
    b: usize,
    /// Locked eigenvectors, then `active` columns of the basis, then the next block.
    v: Tall,
    locked: usize,
    active: usize,
    /// Room for locked and wanted pairs together.
    most: usize,
    values: Vec<f64>,
    residuals: Vec<f64>,
    /// `H`, row by row with `v.capacity` numbers a row.
    h: Vec<f64>,
    /// The residual of a pair of `p(N)` at which its residual in `N` is looked at: the tolerance,
    /// or less if that was not small enough.
    demand: f64,
    /// `R` of the last step, by columns.
    coupling: Vec<f64>,
    x: Vec<f64>,
    y: Vec<f64>,
    draws: u64,
    restarts: usize,
    last_look: usize,
    products: u64,
}

impl<'a> Run<'a> {
    fn new(
        operator: &'a dyn SymmetricOperator,
        null: &[Vec<f64>],
        search: Search,
    ) -> Result<Self, LinalgError> {
        let n = operator.order();
        let room = search.count.unwrap_or(0).max(search.room);
        let b = WIDTH;
        let capacity = (basis_columns(room) + null.len()).min(n);
        let mut v = Tall::zeros(n, capacity);
        for (t, vector) in null.iter().enumerate() {
            v.copy_in(t, 1, vector);
        }
        let mut run = Self {
            operator,
            search,
            filter: Filter::new(search.below, operator.upper_bound()),
            b,
            v,
            locked: null.len(),
            active: 0,
            most: (room + b).min(capacity.saturating_sub(4 * b)),
            values: vec![0.0; null.len()],
            residuals: vec![0.0; null.len()],
            h: vec![0.0; capacity * capacity],
            demand: search.tolerance,
            coupling: Vec::new(),
            x: vec![0.0; n * b],
            y: vec![0.0; n * b],
            draws: 0,
            restarts: 0,
            last_look: 0,
            products: 0,
        };
        run.start(0)?;
        Ok(run)
    }

    /// Columns in use, the next block not counted.
    fn used(&self) -> usize {
        self.locked + self.active
    }

    fn full(&self) -> bool {
        self.used() + 2 * self.b > self.v.capacity
    }

    /// A look costs O(active³): taken when there is room for what is wanted, then after every tenth
    /// more.
    fn worth_a_look(&self) -> bool {
        let goal = self.search.count.or(self.search.enough);
        let first = goal.map_or(0, |goal| goal.saturating_sub(self.locked) + 2 * self.b);
        self.active >= first.max(self.last_look + (self.last_look / 10).max(2 * self.b))
    }

    /// Makes `x` orthogonal to the basis, twice; returns the coefficients.
    fn orthogonalise(&mut self) -> Vec<f64> {
        let (used, b) = (self.used(), self.b);
        let mut total = vec![0.0; used * b];
        for _twice in 0..2 {
            let c = self.v.transposed_times(0, used, &self.x, b);
            self.v.subtract_product(0, used, &c, &mut self.x, b);
            total.iter_mut().zip(&c).for_each(|(t, c)| *t += c);
        }
        total
    }

    /// A fresh Krylov space from a random block whose first columns may be given in `x` already.
    fn start(&mut self, given: usize) -> Result<(), LinalgError> {
        (self.active, self.last_look) = (0, 0);
        self.randomise(given);
        self.append()?;
        Ok(())
    }

    /// Replaces the columns `from..b` of `x` by random ones.
    fn randomise(&mut self, from: usize) {
        self.draws += 1;
        let random = random_block(self.x.len(), self.search.seed ^ (self.draws << 32));
        let rows = self
            .x
            .chunks_exact_mut(self.b)
            .zip(random.chunks_exact(self.b));
        rows.for_each(|(x, random)| x[from..].copy_from_slice(&random[from..]));
        self.orthogonalise();
    }

    /// Makes `x` orthonormal and the next block of the basis. Directions that vanished are replaced
    /// by random ones, which no column of `R` refers to.
    fn append(&mut self) -> Result<(), LinalgError> {
        let b = self.b;
        let (mut factor, mut rank) = orthonormalise(&mut self.x, b, 1e-13)?;
        for _attempt in 0..3 {
            if rank == b {
                break;
            }
            self.randomise(rank);
            let (again, new_rank) = orthonormalise(&mut self.x, b, 1e-13)?;
            (factor, rank) = (super::block::product(&again, &factor, b), new_rank);
        }
        self.coupling = factor;
        self.v.copy_in(self.used(), b, &self.x);
        Ok(())
    }

    /// One step of block Lanczos.
    fn step(&mut self) -> Result<(), LinalgError> {
        let (b, capacity) = (self.b, self.v.capacity);
        self.v.copy_out(self.used(), b, &mut self.x);
        self.filter
            .apply(self.operator, b, &mut self.x, &mut self.y);
        self.products += (self.filter.degree * b) as u64;
        let from = self.active;
        self.active += b;
        let c = self.orthogonalise();
        for r in 0..self.active {
            for t in 0..b {
                let value = c[(self.locked + r) * b + t];
                let value = if r >= from {
                    f64::midpoint(value, c[(self.locked + from + t) * b + (r - from)])
                } else {
                    value
                };
                self.h[r * capacity + from + t] = value;
                self.h[(from + t) * capacity + r] = value;
            }
        }
        self.append()
    }

    fn ritz(&mut self) -> Result<Ritz, LinalgError> {
        let (m, b) = (self.active, self.b);
        self.last_look = m;
        let small: Vec<f64> = self
            .h
            .chunks_exact(self.v.capacity)
            .take(m)
            .flat_map(|row| &row[..m])
            .copied()
            .collect();
        let EigenPairs {
            mut values,
            vectors,
        } = eigen(small, m, Range::All)?;
        values.reverse();
        let vectors: Vec<f64> = vectors.chunks_exact(m).rev().flatten().copied().collect();
        let residual = |s: &[f64]| {
            let mut r = vec![0.0; b];
            for (column, &s) in self.coupling.chunks_exact(b).zip(&s[m - b..]) {
                r.iter_mut().zip(column).for_each(|(r, c)| *r += c * s);
            }
            r.iter().map(|r| r * r).sum::<f64>().sqrt()
        };
        let residuals = vectors.chunks_exact(m).map(residual).collect();
        Ok(Ritz {
            values,
            residuals,
            vectors,
        })
    }

    /// How many of the leading Ritz pairs are wanted: those beyond `p(β)`, or as many as are still
    /// missing. With enough pairs locked, only such as belong among the smallest.
    fn wanted(&self, ritz: &Ritz) -> usize {
        if let Some(count) = self.search.count {
            return count.saturating_sub(self.locked).min(ritz.values.len());
        }
        let least = self.least();
        let beyond = ritz
            .values
            .iter()
            .take_while(|&&theta| theta > least)
            .count();
        match self.search.enough {
            Some(enough) if self.locked < enough => beyond.min(enough - self.locked),
            _ => beyond,
        }
    }

    /// Ritz values beyond this are wanted: those of eigenvalues below β by more than the tolerance,
    /// since one at β itself would be found and rejected for ever; or, with enough pairs locked,
    /// those of eigenvalues that belong among them.
    fn least(&self) -> f64 {
        let enough = self
            .search
            .enough
            .is_some_and(|enough| self.locked >= enough);
        let below = self.filter.at(self.search.below - self.search.tolerance);
        if enough {
            below.max((1.0 + 1e-6) * self.filter.at(self.largest_locked()))
        } else {
            below
        }
    }

    /// Whether the largest Ritz value θ, which is not wanted, stays so. The Ritz value of an
    /// eigenvalue just below β begins below `p(β)`, so one look is not enough. With `w` the share
    /// of its eigenvector in the Ritz vector, the residual is `r² ≥ w (p(ν) − θ)²`: whatever has a
    /// hundredth of the vector lies below `θ + 10 r`.
    fn settled(&self, ritz: &Ritz) -> bool {
        let (theta, residual) = (ritz.values[0], ritz.residuals[0]);
        theta + 10.0 * residual <= self.least()
            || residual <= self.search.tolerance * theta.abs().max(1.0)
    }

    fn largest_locked(&self) -> f64 {
        self.values.iter().copied().fold(0.0, f64::max)
    }

    /// Raises the threshold if there were too few eigenvalues below it; whether it did. What was
    /// found stays locked.
    fn widen(&mut self) -> Result<bool, LinalgError> {
        let upper = self.operator.upper_bound();
        let few = self
            .search
            .enough
            .is_some_and(|enough| self.locked < enough);
        if !few || self.search.below >= WIDEST * upper {
            return Ok(false);
        }
        self.search.below = (WIDENING * self.search.below).min(WIDEST * upper);
        self.filter = Filter::new(self.search.below, upper);
        self.start(0)?;
        Ok(true)
    }

    fn converged(&self, ritz: &Ritz, wanted: usize) -> bool {
        let small = |t: usize| ritz.residuals[t] <= self.demand * ritz.values[t].abs().max(1.0);
        wanted > 0 && (0..wanted).all(small)
    }

    /// Thick restart: the basis shrinks to its best Ritz vectors; the next block stays as it is.
    fn restart(&mut self, ritz: &Ritz, wanted: usize) {
        let (capacity, b) = (self.v.capacity, self.b);
        let keep = (wanted + 2 * b).min(self.active - 2 * b);
        self.v.copy_out(self.used(), b, &mut self.x);
        self.v.rotate(self.locked, self.active, &ritz.vectors, keep);
        self.h.fill(0.0);
        (0..keep).for_each(|t| self.h[t * capacity + t] = ritz.values[t]);
        (self.active, self.last_look) = (keep, 0);
        self.v.copy_in(self.used(), b, &self.x);
        self.restarts += 1;
    }

    /// Rotates the wanted Ritz vectors out, projects `N` itself on them, locks those with a small
    /// residual and an eigenvalue below the threshold, and starts afresh from the others.
    fn extract(&mut self, ritz: &Ritz, wanted: usize) -> Result<(), LinalgError> {
        self.v
            .rotate(self.locked, self.active, &ritz.vectors, wanted);
        let projected = self.project(wanted);
        let pairs = eigen(projected, wanted, Range::All)?;
        self.v.rotate(self.locked, wanted, &pairs.vectors, wanted);
        let residuals = self.true_residuals(&pairs.values);
        let good =
            |t: usize| residuals[t] <= self.search.tolerance && pairs.values[t] < self.search.below;
        let (kept, rest): (Vec<usize>, Vec<usize>) = (0..wanted).partition(|&t| good(t));
        let order: Vec<usize> = kept.iter().chain(&rest).copied().collect();
        self.permute(&order);
        self.values.extend(kept.iter().map(|&t| pairs.values[t]));
        self.residuals.extend(kept.iter().map(|&t| residuals[t]));
        let from = self.locked + kept.len();
        self.locked = from;
        let given = rest.len().min(self.b);
        if given > 0 {
            self.v.copy_out(from, self.b, &mut self.x);
        }
        self.restarts += usize::from(!rest.is_empty());
        if rest.iter().any(|&t| residuals[t] > self.search.tolerance) {
            self.demand = (0.1 * self.demand).max(LEAST_RESIDUAL);
        }
        self.start(given)
    }

    /// Reorders the columns after the locked ones.
    fn permute(&mut self, order: &[usize]) {
        let (locked, capacity) = (self.locked, self.v.capacity);
        if order.iter().enumerate().any(|(at, &from)| at != from) {
            let mut row_before = vec![0.0; order.len()];
            for row in self.v.data.chunks_exact_mut(capacity) {
                row_before.copy_from_slice(&row[locked..locked + order.len()]);
                order
                    .iter()
                    .enumerate()
                    .for_each(|(at, &from)| row[locked + at] = row_before[from]);
            }
        }
    }

    /// `Yᵀ N Y` for the `k` columns after the locked ones.
    fn project(&mut self, k: usize) -> Vec<f64> {
        let b = self.b;
        let mut projected = vec![0.0; k * k];
        for from in (0..k).step_by(b) {
            self.apply_to(self.locked + from);
            let c = self.v.transposed_times(self.locked, k, &self.y, b);
            for (r, row) in c.chunks_exact(b).enumerate() {
                let width = b.min(k - from);
                projected[r * k + from..][..width].copy_from_slice(&row[..width]);
            }
        }
        projected
    }

    /// `‖N x − ν x‖` of the columns after the locked ones.
    fn true_residuals(&mut self, values: &[f64]) -> Vec<f64> {
        let b = self.b;
        let mut residuals = Vec::with_capacity(values.len());
        for (at, values) in values.chunks(b).enumerate() {
            self.apply_to(self.locked + at * b);
            let (x, y) = (&self.x, &self.y);
            let square = |t: usize, nu: f64| {
                crate::numeric::sum_by(x.len() / b, |i| (y[i * b + t] - nu * x[i * b + t]).powi(2))
            };
            residuals.extend(
                values
                    .iter()
                    .enumerate()
                    .map(|(t, &nu)| square(t, nu).sqrt()),
            );
        }
        residuals
    }

    /// `x` ← the `b` columns from `from` on, `y ← N x`.
    fn apply_to(&mut self, from: usize) {
        let from = from.min(self.v.capacity - self.b);
        self.v.copy_out(from, self.b, &mut self.x);
        self.operator.apply(self.b, &self.x, &mut self.y);
        self.products += self.b as u64;
    }

    /// Sorts what is locked and gives it away, the smallest first and no more than enough.
    fn finish(mut self, finished: bool) -> Result<LowPairs, LinalgError> {
        if !finished && self.active > 0 {
            self.salvage()?;
        }
        let mut order: Vec<usize> = (0..self.locked).collect();
        order.sort_by(|&a, &b| self.values[a].total_cmp(&self.values[b]));
        self.locked = 0;
        self.permute(&order);
        order.truncate(self.search.enough.unwrap_or(usize::MAX));
        let pick = |from: &[f64]| order.iter().map(|&t| from[t]).collect();
        let (values, residuals) = (pick(&self.values), pick(&self.residuals));
        self.v.keep_first(order.len());
        Ok(LowPairs {
            values,
            residuals,
            vectors: self.v,
            finished,
            products: self.products,
        })
    }

    /// Takes out whatever has converged when the search ends early.
    fn salvage(&mut self) -> Result<(), LinalgError> {
        let ritz = self.ritz()?;
        let least = self.least();
        let good = |t: usize| {
            ritz.values[t] > least && ritz.residuals[t] <= self.search.tolerance * ritz.values[t]
        };
        let ready = (0..ritz.values.len()).take_while(|&t| good(t)).count();
        if ready > 0 {
            self.extract(&ritz, ready)
        } else {
            Ok(())
        }
    }
}
