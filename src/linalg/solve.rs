//! From a graph to its [`Spectrum`]: which solver for which component, how much memory, and the
//! check.

use super::block::Tall;
use super::check::{self, Count};
use super::dense::{Range, eigen};
use super::density::{Density, Estimate};
use super::filter::Filter;
use super::inertia::{FactorPlan, Inertia};
use super::lanczos::{LowPairs, Search, WIDTH, basis_columns, lanczos};
use super::operator::{Laplacian, SymmetricOperator, breadth_first};
use super::spectrum::{Extent, Part, Spectrum, SpectrumCheck, SpectrumError, SpectrumOptions};
use crate::cut::Cut;
use crate::graph::{Csr, Members, Weight, components};
use crate::ids::Vertex;
use crate::run::{Event, Observer, Silent};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::sync::OnceLock;
use std::time::Instant;

/// Degrees of density estimates: of a first look, the least of a check, the most of any.
const DEGREES: (usize, usize, usize) = (120, 160, 480);
/// The angle of the threshold above the low end of the spectrum, in widths of the smoothing, that
/// makes an estimate sharp: one that sizes a search, and one that checks it.
const SHARP: (f64, f64) = (10.0, 20.0);
/// Memory worth a word before it is used.
const MUCH: u64 = 100 << 20;
/// A factorisation this cheap may be repeated to look for a threshold.
const CHEAP_FLOPS: f64 = 1e10;

/// Computes the low end of the spectrum of `M^-½ L M^-½` on the vertices that have an edge.
///
/// ```
/// use lambdacut::{graph::{Csr, Unit}, linalg::{Extent, SpectrumOptions, spectrum}, run::Silent, cut::Cut};
/// let two_edges: Csr<Unit> = Csr::from_edges(4, &[(0, 1, 1.0), (2, 3, 1.0)]).unwrap();
/// let low = spectrum(&two_edges, &Cut::Normalized, Extent::Below(0.5), &SpectrumOptions::default(), &Silent).unwrap();
/// assert_eq!(low.values(), [0.0, 0.0]);
/// assert!(low.check.complete);
/// ```
pub fn spectrum<W: Weight>(
    graph: &Csr<W>,
    cut: &Cut,
    extent: Extent,
    options: &SpectrumOptions,
    observer: &dyn Observer,
) -> Result<Spectrum, SpectrumError> {
    let solver = Solver::new(graph, cut, options, observer);
    match extent {
        Extent::Below(beta) if !beta.is_finite() => Err(SpectrumError::Threshold(beta)),
        Extent::Below(beta) => solver.below(beta),
        Extent::Smallest(k) => solver.smallest(k),
    }
}

/// What a spectrum would cost.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SpectrumCost {
    /// The estimated number of eigenvalues below the threshold.
    pub vectors: Estimate,
    /// Memory beside the graph, in bytes: the operator, the factorisation, the basis and the
    /// projected matrices.
    pub bytes: u64,
    /// Seconds, from the speed of the products made for this estimate.
    pub seconds: f64,
    /// Whether the number of eigenvalues can be counted within [`SpectrumOptions::factor_flops`].
    pub provable: bool,
}

/// Estimates what all eigenvalues below `beta` would cost, from a few hundred products with the
/// matrix and an ordering.
pub fn spectrum_cost<W: Weight>(
    graph: &Csr<W>,
    cut: &Cut,
    beta: f64,
    options: &SpectrumOptions,
) -> SpectrumCost {
    spectrum_cost_observed(graph, cut, beta, options, &Silent)
}

/// The same under an observer. Cancelled, the estimate rests on fewer products, and nothing counts
/// as provable that was not looked at.
pub fn spectrum_cost_observed<W: Weight>(
    graph: &Csr<W>,
    cut: &Cut,
    beta: f64,
    options: &SpectrumOptions,
    observer: &dyn Observer,
) -> SpectrumCost {
    let solver = Solver::new(graph, cut, options, observer);
    observer.event(Event::Stage {
        name: "estimating the cost of the spectrum",
        total: Some(solver.large.len() as u64),
    });
    let mut cost = SpectrumCost {
        vectors: Estimate {
            count: 0.0,
            error: 0.0,
        },
        bytes: 0,
        seconds: 0.0,
        provable: true,
    };
    for large in &solver.large {
        let operator = &large.operator;
        let started = Instant::now();
        let density = solver.rough(large);
        let product = started.elapsed().as_secs_f64() / density.products as f64;
        let count = density.count_below(beta);
        let room = count.count + count.error;
        let degree = if beta < operator.upper_bound() {
            Filter::new(beta, operator.upper_bound()).degree
        } else {
            2
        };
        let plan = solver.plan(large);
        cost.seconds += product
            * (1.2 * degree as f64 * (1.5 * room + 100.0)
                + (DEGREES.0 + DEGREES.1) as f64 / 2.0 * WIDTH as f64);
        cost.seconds += plan.map_or(0.0, |plan| plan.flops / 2e10);
        cost.bytes = cost.bytes.max(solver.bytes(large, room as usize));
        cost.vectors.count += count.count;
        cost.vectors.error += count.error;
        cost.provable &= plan.is_some();
        observer.event(Event::Advance(1));
    }
    cost.vectors.count += solver.small.len() as f64;
    cost
}

/// Bytes of a search for `room` eigenpairs of a matrix of order `n`: basis, blocks, projected
/// matrices.
fn search_bytes(n: usize, room: usize) -> u64 {
    let columns = (basis_columns(room) + 1).min(n.max(1));
    8 * (n * (columns + 3 * WIDTH) + 5 * columns * columns) as u64
}

/// A component too large for a dense matrix.
struct Large<'g, W: Weight> {
    operator: Laplacian<'g, W>,
    /// The ordering, if a factorisation is affordable.
    plan: OnceLock<Option<FactorPlan>>,
    /// A first look at the spectrum, and a sharper one at its low end.
    rough: OnceLock<Density>,
    fine: OnceLock<Density>,
}

struct Solver<'g, 'a, W: Weight> {
    graph: &'g Csr<W>,
    cut: &'a Cut,
    options: &'a SpectrumOptions,
    observer: &'a dyn Observer,
    small: Vec<Vec<Vertex>>,
    large: Vec<Large<'g, W>>,
    small_plan: OnceLock<Option<FactorPlan>>,
    /// `max_i d_i/m_i`: 1 for normalized cut.
    scale: f64,
}

impl<'g, 'a, W: Weight> Solver<'g, 'a, W> {
    fn new(
        graph: &'g Csr<W>,
        cut: &'a Cut,
        options: &'a SpectrumOptions,
        observer: &'a dyn Observer,
    ) -> Self {
        let found = components(graph);
        let members = Members::of(&found.labels, found.count);
        let (mut small, mut large) = (Vec::new(), Vec::new());
        for c in 0..found.count {
            let vertices = members.members(c);
            if vertices.len() <= options.dense_limit {
                small.push(vertices.to_vec());
                continue;
            }
            let operator = Laplacian::on(graph, cut, breadth_first(graph, vertices[0]));
            let (plan, rough, fine) = (OnceLock::new(), OnceLock::new(), OnceLock::new());
            large.push(Large {
                operator,
                plan,
                rough,
                fine,
            });
        }
        let scale = (0..graph.vertices())
            .into_par_iter()
            .filter(|&i| graph.degree(i) > 0.0);
        let scale = scale
            .map(|i| graph.degree(i) / cut.mass(graph, i))
            .reduce(|| 0.0, f64::max);
        Self {
            graph,
            cut,
            options,
            observer,
            small,
            large,
            scale,
            small_plan: OnceLock::new(),
        }
    }

    /// τ, and the residual that counts as converged.
    fn tolerance(&self) -> f64 {
        self.options.tolerance * self.scale
    }

    /// Bytes beside the graph, at the peak, when `room` eigenpairs of one component are searched
    /// for: the operators and plans of all, and either a factorisation or a search.
    fn bytes(&self, large: &Large<'g, W>, room: usize) -> u64 {
        let plans = || {
            self.large
                .iter()
                .filter_map(|l| l.plan.get().and_then(Option::as_ref))
        };
        let lasting = self.large.iter().map(|l| l.operator.bytes()).sum::<u64>()
            + plans().map(|plan| plan.plan_bytes).sum::<u64>();
        let factor = plans().map(FactorPlan::bytes).max().unwrap_or(0);
        lasting + factor.max(search_bytes(large.operator.order(), room))
    }

    /// The most eigenpairs that `max_vectors` and memory allow.
    fn cap(&self) -> Result<usize, SpectrumError> {
        let most = self.options.max_vectors;
        let largest = self.large.iter().max_by_key(|large| large.operator.order());
        let (Some(allowed), Some(large)) = (self.options.max_bytes, largest) else {
            return Ok(most);
        };
        let needed = self.bytes(large, 1);
        if needed > allowed {
            return Err(SpectrumError::Memory { needed, allowed });
        }
        let (mut fits, mut over) = (1, most + 1);
        while over - fits > 1 {
            let middle = usize::midpoint(fits, over);
            if self.bytes(large, middle) <= allowed {
                fits = middle;
            } else {
                over = middle;
            }
        }
        Ok(fits)
    }

    fn below(&self, beta: f64) -> Result<Spectrum, SpectrumError> {
        let cap = self.cap()?;
        let cut = beta - self.tolerance();
        let counts: Vec<Count> = self
            .large
            .iter()
            .map(|large| self.count(large, cut))
            .collect();
        let small = self.count_small(cut);
        let (expected, error) = counts.iter().fold(
            (small.estimate.count, small.estimate.error),
            |(count, error), c| (count + c.estimate.count, error + c.estimate.error),
        );
        if expected.round() as usize <= cap {
            return self.solve(beta, cut, &counts, small, None);
        }
        let note = format!(
            "there are {}{expected:.0} eigenvalues below {beta}, more than the {cap} that are allowed: computing the {cap} smallest",
            if error > 0.0 { "about " } else { "" }
        );
        self.observer.event(Event::Note(&note));
        let mut partial = self.at_least(cap, cut)?;
        partial.truncate(cap);
        partial.below = beta;
        let found = partial.count();
        partial.check = SpectrumCheck {
            expected,
            error_bar: error,
            found,
            complete: false,
            proved: false,
            ..partial.check
        };
        Ok(partial)
    }

    fn smallest(&self, k: usize) -> Result<Spectrum, SpectrumError> {
        let order: usize = self.small.iter().map(Vec::len).sum::<usize>()
            + self.large.iter().map(|l| l.operator.order()).sum::<usize>();
        let k = k.min(order);
        let allowed = k.min(self.cap()?);
        let top = 1.01 * 2.0 * self.scale;
        let mut low = self.at_least(allowed, top)?;
        // Those beyond the k-th were found as well, or else are missing as well.
        let beyond = (low.count() - low.count().min(allowed)) as f64;
        low.truncate(allowed);
        let (found, all) = (low.count(), low.count() == k);
        low.below = low.values().last().copied().unwrap_or(0.0);
        low.check = SpectrumCheck {
            expected: if all {
                low.check.expected - beyond
            } else {
                k as f64
            },
            found,
            complete: low.check.complete && all,
            proved: low.check.proved && all,
            ..low.check
        };
        Ok(low)
    }

    /// A spectrum with at least `k` eigenpairs, from thresholds up to `top`.
    fn at_least(&self, k: usize, top: f64) -> Result<Spectrum, SpectrumError> {
        let mut cut = self.threshold(k, top);
        loop {
            let counts: Vec<Count> = self
                .large
                .iter()
                .map(|large| self.count(large, cut))
                .collect();
            let low = self.solve(cut, cut, &counts, self.count_small(cut), Some(k))?;
            if low.count() >= k || cut >= top || self.observer.cancelled() {
                return Ok(low);
            }
            cut = (1.4 * cut).min(top);
        }
    }

    /// A threshold with somewhat more than `k` eigenvalues below it. Expensive factorisations are
    /// replaced by estimates here, first by rough ones, then by such as are sharp where the rough
    /// ones point.
    fn threshold(&self, k: usize, top: f64) -> f64 {
        let total = |cut: f64, fine: bool| {
            let count = |large: &Large<'g, W>| match self.plan(large) {
                Some(plan) if plan.flops <= CHEAP_FLOPS => self.count(large, cut).estimate,
                _ if fine => large
                    .fine
                    .get()
                    .unwrap_or_else(|| self.rough(large))
                    .count_below(cut),
                _ => self.rough(large).count_below(cut),
            };
            self.count_small(cut).estimate.count
                + self
                    .large
                    .iter()
                    .map(|large| count(large).count)
                    .sum::<f64>()
        };
        let first = self.bisect(k, top, |cut| total(cut, false));
        for large in self
            .large
            .iter()
            .filter(|large| large.rough.get().is_some())
        {
            self.density(large, first);
        }
        let sharper = self.large.iter().any(|large| large.fine.get().is_some());
        if sharper {
            self.bisect(k, top, |cut| total(cut, true))
        } else {
            first
        }
    }

    /// A threshold with between `1.1 k + 3` and `1.5 k + 20` eigenvalues below it, by `total`.
    fn bisect(&self, k: usize, top: f64, total: impl Fn(f64) -> f64) -> f64 {
        let (least, most) = (1.1 * k as f64 + 3.0, 1.5 * k as f64 + 20.0);
        let (mut low, mut high) = (0.0, top);
        let mut cut = top;
        for _ in 0..40 {
            if self.observer.cancelled() {
                break;
            }
            match total(cut) {
                count if count < least => low = cut,
                count if count > most => high = cut,
                _ => return cut,
            }
            if low >= top || high - low < 1e-12 * self.scale {
                break;
            }
            cut = if low > 0.0 {
                f64::midpoint(low, high)
            } else {
                high / 4.0
            };
        }
        high
    }

    fn plan<'l>(&self, large: &'l Large<'g, W>) -> Option<&'l FactorPlan> {
        let affordable = |plan: &FactorPlan| {
            let bytes = || {
                plan.bytes()
                    .saturating_add(plan.plan_bytes + large.operator.bytes())
            };
            plan.flops <= self.options.factor_flops
                && self.options.max_bytes.is_none_or(|most| bytes() <= most)
        };
        // The ordering cannot be interrupted, so a cancelled run does not begin one.
        let plan = || {
            if self.observer.cancelled() {
                None
            } else {
                FactorPlan::new(&large.operator).filter(affordable)
            }
        };
        large.plan.get_or_init(plan).as_ref()
    }

    fn rough<'l>(&self, large: &'l Large<'g, W>) -> &'l Density {
        large.rough.get_or_init(|| {
            Density::new(
                &large.operator,
                None,
                DEGREES.0,
                1,
                self.options.seed,
                self.observer,
            )
        })
    }

    /// An estimate that is sharp at `cut`.
    fn density<'l>(&self, large: &'l Large<'g, W>, cut: f64) -> &'l Density {
        let degree = sharp_degree(cut, large.operator.upper_bound(), SHARP.0);
        if 2 * degree <= 3 * DEGREES.0 {
            return self.rough(large);
        }
        large.fine.get_or_init(|| {
            Density::new(
                &large.operator,
                None,
                degree,
                1,
                self.options.seed,
                self.observer,
            )
        })
    }

    /// How many eigenvalues a large component has below `cut`.
    fn count(&self, large: &Large<'g, W>, cut: f64) -> Count {
        self.observer.event(Event::Stage {
            name: "counting eigenvalues",
            total: None,
        });
        let plan = self.plan(large).filter(|_| !self.observer.cancelled());
        let proof = plan.and_then(|plan| plan.count_below(cut, self.tolerance()));
        proof.map_or_else(
            || Count::estimated(self.density(large, cut).count_below(cut)),
            Count::proved,
        )
    }

    /// How many the small components have together.
    fn count_small(&self, cut: f64) -> Count {
        if self.small.is_empty() {
            return Count::proved(Inertia {
                below: 0,
                shift: cut,
                margin: 0.0,
            });
        }
        let order: usize = self.small.iter().map(Vec::len).sum();
        // Each has a 0, and no more eigenvalues than vertices.
        let fallback = Estimate {
            count: self.small.len() as f64,
            error: (order - self.small.len()) as f64,
        };
        if self.observer.cancelled() {
            return Count::estimated(fallback);
        }
        let all = || {
            self.small
                .iter()
                .flatten()
                .copied()
                .collect::<Vec<Vertex>>()
        };
        let plan = self
            .small_plan
            .get_or_init(|| FactorPlan::new(&Laplacian::on(self.graph, self.cut, all())));
        let proof = plan
            .as_ref()
            .and_then(|plan| plan.count_below(cut, self.tolerance()));
        proof.map_or(Count::estimated(fallback), Count::proved)
    }

    /// Everything below `cut`, checked against the counts; or, of a component that could not be
    /// counted, as many pairs as belong among the `smallest` of the graph.
    fn solve(
        &self,
        below: f64,
        cut: f64,
        counts: &[Count],
        small: Count,
        smallest: Option<usize>,
    ) -> Result<Spectrum, SpectrumError> {
        let solved: Result<Vec<Part>, SpectrumError> = self
            .small
            .par_iter()
            .take_any_while(|_| !self.observer.cancelled())
            .map(|vertices| dense_part(&Laplacian::on(self.graph, self.cut, vertices.clone()), cut))
            .collect();
        let mut parts = solved?;
        let found: Vec<(f64, f64)> = parts.iter().flat_map(Part::values_and_residuals).collect();
        let largest = self.small.iter().map(Vec::len).max().unwrap_or(0);
        let mut checks = vec![if parts.len() == self.small.len() {
            check::dense(small, below, &found, largest, 2.0 * self.scale)
        } else {
            small.against(below, &found, false)
        }];
        // Every other component has a 0 among the smallest.
        let others = self.small.len() + self.large.len().saturating_sub(1);
        let share = smallest
            .filter(|_| self.large.len() == 1)
            .map(|k| k.saturating_sub(others).max(1));
        let (mut products, mut bytes, mut reached) = (0, 0, cut);
        for (large, &count) in self.large.iter().zip(counts) {
            let goal = Goal {
                below,
                cut,
                count,
                enough: share.filter(|_| count.proof.is_none()),
            };
            bytes = bytes.max(self.bytes(large, goal.room()));
            let (part, check, used) = self.solve_large(large, goal)?;
            if goal.enough.is_some() {
                reached = part.values.last().copied().unwrap_or(0.0);
            }
            parts.push(part);
            checks.push(check);
            products += used;
        }
        parts.retain(|part| !part.values.is_empty());
        parts.sort_by_key(|part| part.vertices.iter().min().copied());
        let check = check::combine(&checks);
        // An unfinished search may have missed any eigenvalue, so it has reached nothing.
        let reached = if check.complete { reached } else { 0.0 };
        Ok(Spectrum {
            below,
            reached,
            parts,
            check,
            vertices: self.graph.vertices(),
            products,
            bytes,
        })
    }

    /// One large component: Lanczos, or a dense matrix when most of its spectrum is wanted.
    fn solve_large(
        &self,
        large: &Large<'g, W>,
        goal: Goal,
    ) -> Result<(Part, SpectrumCheck, u64), SpectrumError> {
        let Goal {
            below,
            cut,
            count,
            enough,
        } = goal;
        let operator = &large.operator;
        let (n, room) = (operator.order(), goal.room());
        // A dense problem cannot be interrupted; a search that is cancelled before it begins needs
        // no room.
        let cancelled = self.observer.cancelled();
        if !cancelled
            && (basis_columns(room) + 2 * WIDTH >= n || cut > 0.9 * operator.upper_bound())
        {
            let part = dense_part(operator, cut)?;
            let found: Vec<(f64, f64)> = part.values_and_residuals().collect();
            let check = check::dense(count, below, &found, n, operator.upper_bound());
            return Ok((part, check, 0));
        }
        let bytes = self.bytes(large, room);
        if bytes > MUCH && !cancelled {
            let note = format!(
                "about {room} eigenvectors of {n} vertices: {} MB of memory beside the graph",
                bytes >> 20
            );
            self.observer.event(Event::Note(&note));
        }
        let exact = count.proof.map(|_| room);
        let tolerance = self.tolerance();
        let room = if cancelled { 1 } else { room };
        let mut search = Search {
            below: cut,
            count: exact,
            enough,
            room,
            tolerance,
            seed: self.options.seed,
        };
        let null = [operator.null_vector()];
        let mut pairs = if cut > 0.0 {
            lanczos(operator, &null, search, self.observer)?
        } else {
            LowPairs::none(n)
        };
        // More turned up than the estimate made room for.
        while !pairs.finished
            && exact.is_none()
            && search.room < self.cap()?
            && !self.observer.cancelled()
        {
            search.room = (search.room + search.room / 2 + 2 * WIDTH).min(self.cap()?);
            pairs = lanczos(operator, &null, search, self.observer)?;
        }
        let last = pairs.values.last().copied().unwrap_or(0.0);
        let end = if enough.is_some() {
            last + tolerance
        } else {
            cut
        };
        let count = if exact.is_some() {
            count
        } else {
            self.density_check(operator, &pairs, end)
        };
        let LowPairs {
            values,
            residuals,
            vectors,
            products,
            finished,
        } = pairs;
        let part = part_of(operator, values, residuals, vectors);
        let found: Vec<(f64, f64)> = part.values_and_residuals().collect();
        Ok((part, count.against(below, &found, finished), products))
    }

    /// The spectral density orthogonal to what was found.
    fn density_check(&self, operator: &Laplacian<'g, W>, pairs: &LowPairs, cut: f64) -> Count {
        self.observer.event(Event::Stage {
            name: "checking the count",
            total: None,
        });
        let known = Some((pairs.values.as_slice(), &pairs.vectors));
        let degree = sharp_degree(cut, operator.upper_bound(), SHARP.1).max(DEGREES.1);
        Count::estimated(
            Density::new(operator, known, degree, 1, self.options.seed, self.observer)
                .count_below(cut),
        )
    }
}

/// What is wanted of one component.
#[derive(Clone, Copy)]
struct Goal {
    /// The threshold asked for, and the one searched below: less the tolerance.
    below: f64,
    cut: f64,
    /// How many there are below `cut`.
    count: Count,
    /// How many of the smallest are enough.
    enough: Option<usize>,
}

impl Goal {
    /// Eigenpairs to make room for.
    fn room(&self) -> usize {
        let Estimate { count, error } = self.count.estimate;
        self.enough
            .unwrap_or((count + error).round().max(1.0) as usize)
    }
}

/// The degree (even) at which the angle between `cut` and the low end of the spectrum is
/// `sharpness` times the width of the smoothing.
fn sharp_degree(cut: f64, upper: f64, sharpness: f64) -> usize {
    let angle = 2.0 * (cut / upper).clamp(0.0, 1.0).sqrt().asin();
    let degree = (sharpness * std::f64::consts::PI / angle.max(1e-3)).ceil() as usize;
    degree.next_multiple_of(2).clamp(DEGREES.0, DEGREES.2)
}

/// All eigenpairs of one component below `cut` from its dense matrix. The null vector is moved to
/// the top of the spectrum by `2u x xᵀ` first, so that it is exact and the others are orthogonal to
/// it.
fn dense_part<W: Weight>(operator: &Laplacian<'_, W>, cut: f64) -> Result<Part, SpectrumError> {
    let n = operator.order();
    if cut <= 0.0 {
        return Ok(part_of(operator, Vec::new(), Vec::new(), Tall::zeros(n, 0)));
    }
    let null = operator.null_vector();
    let away = 2.0 * operator.upper_bound().max(cut) + 1.0;
    let mut matrix = operator.dense();
    for (row, x) in matrix.chunks_exact_mut(n).zip(&null) {
        row.iter_mut()
            .zip(&null)
            .for_each(|(entry, y)| *entry += away * x * y);
    }
    let pairs = eigen(matrix, n, Range::Between(-away, cut))?;
    let k = pairs.values.len() + 1;
    let mut vectors = Tall::zeros(n, k);
    for (i, row) in vectors.data.chunks_exact_mut(k).enumerate() {
        row[0] = null[i];
        row[1..]
            .iter_mut()
            .enumerate()
            .for_each(|(t, entry)| *entry = pairs.vectors[t * n + i]);
    }
    let values: Vec<f64> = std::iter::once(0.0).chain(pairs.values).collect();
    let mut products = vec![0.0; n * k];
    operator.apply(k, &vectors.data, &mut products);
    let residual = |t: usize| {
        let square = |i: usize| (products[i * k + t] - values[t] * vectors.data[i * k + t]).powi(2);
        (0..n).map(square).sum::<f64>().sqrt()
    };
    let residuals = (0..k).map(residual).collect();
    Ok(part_of(operator, values, residuals, vectors))
}

fn part_of<W: Weight>(
    operator: &Laplacian<'_, W>,
    values: Vec<f64>,
    residuals: Vec<f64>,
    vectors: Tall,
) -> Part {
    let vertices = (0..operator.order()).map(|i| operator.vertex(i)).collect();
    Part {
        vertices,
        scale: operator.scale().to_vec(),
        values,
        residuals,
        vectors,
    }
}
