//! The matrix whose low eigenvalues are wanted, as an operator on blocks of vectors.
//!
//! ```text
//! N = M^-½ L M^-½,   L = D − A        (N x)_i = d_i/m_i · x_i − s_i Σ_j A_ij s_j x_j,   s_i = m_i^-½
//! ```
//!
//! `M` holds the masses: the degrees for normalized cut (`N = I − D^-½ A D^-½`, spectrum in `[0,
//! 2]`), 1 for ratio cut (`N = L`), or given ones. Self-loops cancel between `D` and `A`. Isolated
//! vertices are left out.
//!
//! A block of `b` vectors is stored row by row (`n × b`), so that the `b` values of one neighbour
//! are contiguous: one product reads every arc once for all `b` vectors. Cost O(b · arcs), memory
//! 16 bytes a vertex beside the graph.

use crate::cut::{Cut, anderson_morley_bound};
use crate::graph::{Csr, Rows, Weight};
use crate::ids::Vertex;
use rayon::prelude::*;
use std::borrow::Cow;

/// Rows handled by one task.
const ROWS: usize = 256;

/// A real symmetric matrix that can be applied to blocks of vectors.
pub trait SymmetricOperator: Sync {
    /// The number of rows.
    fn order(&self) -> usize;

    /// A number that no eigenvalue exceeds.
    fn upper_bound(&self) -> f64;

    /// `y ← α N x + γ x + δ y` for blocks of `b` vectors, stored row by row. The result does not
    /// depend on the number of threads.
    fn update(&self, b: usize, x: &[f64], y: &mut [f64], coefficients: Affine);

    /// The three-term recurrence `y_1 = first(y_0)`, `y_{k+1} = next(y_k, y_{k−1})` from `y_0 = x`:
    /// leaves `y_degree` (degree ≥ 1) in `x`, with `y` as workspace of the same size.
    fn recur(
        &self,
        b: usize,
        x: &mut Vec<f64>,
        y: &mut Vec<f64>,
        degree: usize,
        [first, next]: [Affine; 2],
    ) {
        self.update(b, x, y, first);
        for _ in 1..degree {
            self.update(b, y, x, next);
            std::mem::swap(x, y);
        }
        std::mem::swap(x, y);
    }

    /// `y ← N x`.
    fn apply(&self, b: usize, x: &[f64], y: &mut [f64]) {
        self.update(
            b,
            x,
            y,
            Affine {
                alpha: 1.0,
                gamma: 0.0,
                delta: 0.0,
            },
        );
    }
}

/// The coefficients of `y ← α N x + γ x + δ y`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Affine {
    /// α, of the product.
    pub alpha: f64,
    /// γ, of the vector itself.
    pub gamma: f64,
    /// δ, of what is overwritten.
    pub delta: f64,
}

/// `M^-½ L M^-½` on the vertices that have an edge, or on some components of them.
#[derive(Debug, Clone)]
pub struct Laplacian<'g, W: Weight> {
    graph: Cow<'g, Csr<W>>,
    vertices: Option<Vec<Vertex>>,
    /// `s_i = m_i^-½`.
    scale: Vec<f64>,
    /// `d_i / m_i`.
    diagonal: Vec<f64>,
    upper: f64,
}

impl<'g, W: Weight> Laplacian<'g, W> {
    /// The operator on every vertex that has an edge. The graph is borrowed when it has no isolated
    /// vertex, copied without them otherwise.
    ///
    /// ```
    /// use lambdacut::{graph::{Csr, Unit}, linalg::{Laplacian, SymmetricOperator}, cut::Cut};
    /// let edge: Csr<Unit> = Csr::from_edges(3, &[(0, 1, 1.0)]).unwrap();
    /// let n = Laplacian::new(&edge, &Cut::Normalized);
    /// let mut y = [0.0; 2];
    /// n.apply(1, &[1.0, -1.0], &mut y);
    /// assert_eq!((n.order(), y), (2, [2.0, -2.0]));
    /// ```
    pub fn new(graph: &'g Csr<W>, cut: &Cut) -> Self {
        let rows = graph.rows();
        let kept: Vec<Vertex> = (0..graph.vertices() as Vertex)
            .filter(|&i| rows.offsets[i as usize] < rows.offsets[i as usize + 1])
            .collect();
        Self::on(graph, cut, kept)
    }

    /// The operator on `vertices` in the order given (each with an edge, and no edge leaving them:
    /// a union of components).
    pub fn on(graph: &'g Csr<W>, cut: &Cut, vertices: Vec<Vertex>) -> Self {
        let mass: Vec<f64> = vertices
            .par_iter()
            .map(|&i| cut.mass(graph, i as usize))
            .collect();
        let whole = vertices.len() == graph.vertices() && vertices.is_sorted();
        let part = if whole {
            Cow::Borrowed(graph)
        } else {
            Cow::Owned(restrict(graph, &vertices))
        };
        let scale = mass.par_iter().map(|m| 1.0 / m.sqrt()).collect();
        let diagonal: Vec<f64> = (0..mass.len())
            .into_par_iter()
            .map(|i| part.degree(i) / mass[i])
            .collect();
        let upper = anderson_morley_bound(&part, |i| mass[i]);
        Self {
            graph: part,
            vertices: (!whole).then_some(vertices),
            scale,
            diagonal,
            upper,
        }
    }

    /// The vertex of the graph behind row `i`.
    #[inline]
    pub fn vertex(&self, i: usize) -> Vertex {
        self.vertices.as_ref().map_or(i as Vertex, |v| v[i])
    }

    /// `s_i = m_i^-½` of every row: what turns an eigenvector into the embedding of the vertices.
    pub fn scale(&self) -> &[f64] {
        &self.scale
    }

    /// The arcs stored in the matrix.
    pub fn arcs(&self) -> usize {
        self.graph.arcs()
    }

    /// Memory beside the graph, which is copied if it has isolated vertices or another order.
    pub(super) fn bytes(&self) -> u64 {
        let (n, arcs) = (self.order() as u64, self.arcs() as u64);
        let copied = if self.vertices.is_some() {
            12 * n + arcs * (4 + size_of::<W>() as u64)
        } else {
            0
        };
        copied + 16 * n
    }

    /// The unit vector `M^½ 1 / ‖M^½ 1‖`, which is an eigenvector with eigenvalue exactly 0 (on a
    /// connected graph, the only one).
    pub fn null_vector(&self) -> Vec<f64> {
        let mass =
            crate::numeric::sum_by(self.scale.len(), |i| 1.0 / (self.scale[i] * self.scale[i]));
        self.scale
            .par_iter()
            .map(|s| 1.0 / (s * mass.sqrt()))
            .collect()
    }

    /// Calls `visit(j, N_ij)` for the entries of row `i`, ascending in `j`; the diagonal is always
    /// among them, exactly once.
    pub fn for_row(&self, i: usize, mut visit: impl FnMut(usize, f64)) {
        let rows = self.graph.rows();
        let (mut own, mut visited) = (self.diagonal[i], false);
        if let Ok(at) = rows.targets(i).binary_search(&(i as Vertex)) {
            own -= rows.row(i).nth(at).map_or(0.0, |(_, w)| w) * self.scale[i] * self.scale[i];
        }
        for (j, w) in rows
            .row(i)
            .map(|(j, w)| (j as usize, w))
            .filter(|&(j, _)| j != i)
        {
            if j > i && !visited {
                visit(i, own);
                visited = true;
            }
            visit(j, -self.scale[i] * w * self.scale[j]);
        }
        if !visited {
            visit(i, own);
        }
    }

    /// The whole matrix, dense: `n²` numbers (symmetric, so the order of rows and columns does not
    /// matter).
    pub fn dense(&self) -> Vec<f64> {
        let n = self.order();
        let mut matrix = vec![0.0; n * n];
        for (i, row) in matrix.chunks_exact_mut(n.max(1)).enumerate() {
            self.for_row(i, |j, value| row[j] = value);
        }
        matrix
    }
}

impl<W: Weight> SymmetricOperator for Laplacian<'_, W> {
    fn order(&self) -> usize {
        self.scale.len()
    }

    fn upper_bound(&self) -> f64 {
        self.upper
    }

    fn update(&self, b: usize, x: &[f64], y: &mut [f64], c: Affine) {
        self.product::<false>(b, x, y, c);
    }

    /// In the variables `s_i x_i` the neighbours' values need no factor each: one scaling before
    /// and one after all products.
    fn recur(
        &self,
        b: usize,
        x: &mut Vec<f64>,
        y: &mut Vec<f64>,
        degree: usize,
        [first, next]: [Affine; 2],
    ) {
        let rows = |x: &mut Vec<f64>, factor: &(dyn Fn(f64) -> f64 + Sync)| {
            let rows = x
                .par_chunks_exact_mut(b)
                .zip(&self.scale)
                .with_min_len(ROWS);
            rows.for_each(|(row, &s)| row.iter_mut().for_each(|x| *x *= factor(s)));
        };
        rows(x, &|s| s);
        self.product::<true>(b, x, y, first);
        for _ in 1..degree {
            self.product::<true>(b, y, x, next);
            std::mem::swap(x, y);
        }
        std::mem::swap(x, y);
        rows(x, &|s| 1.0 / s);
    }
}

impl<W: Weight> Laplacian<'_, W> {
    /// One update; `SCALED` if `x` and `y` hold `s_i` times the vectors.
    fn product<const SCALED: bool>(&self, b: usize, x: &[f64], y: &mut [f64], c: Affine) {
        let product = Product {
            rows: self.graph.rows(),
            scale: &self.scale,
            diagonal: &self.diagonal,
            x,
            c,
        };
        y.par_chunks_mut(ROWS * b)
            .enumerate()
            .for_each(|(chunk, y)| match b {
                1 => product.rows_of::<1, SCALED>(chunk * ROWS, y),
                4 => product.rows_of::<4, SCALED>(chunk * ROWS, y),
                8 => product.rows_of::<8, SCALED>(chunk * ROWS, y),
                16 => product.rows_of::<16, SCALED>(chunk * ROWS, y),
                _ => product.rows_of_any::<SCALED>(b, chunk * ROWS, y),
            });
    }
}

/// One block product, seen by its tasks.
struct Product<'a, W> {
    rows: Rows<'a, W>,
    scale: &'a [f64],
    diagonal: &'a [f64],
    x: &'a [f64],
    c: Affine,
}

impl<W: Weight> Product<'_, W> {
    /// The factors of row `i`'s own values and of the sum over its neighbours.
    fn own_and_link<const SCALED: bool>(&self, i: usize) -> (f64, f64) {
        let scale = if SCALED {
            self.scale[i] * self.scale[i]
        } else {
            self.scale[i]
        };
        (
            self.c.alpha * self.diagonal[i] + self.c.gamma,
            self.c.alpha * scale,
        )
    }

    /// Rows `from..` for a width known to the compiler, which keeps the sums in registers.
    fn rows_of<const B: usize, const SCALED: bool>(&self, from: usize, y: &mut [f64]) {
        let (x, _) = self.x.as_chunks::<B>();
        let (y, _) = y.as_chunks_mut::<B>();
        for (i, y) in (from..).zip(y) {
            let mut sum = [0.0; B];
            for (j, w) in self.rows.row(i) {
                let factor = if SCALED {
                    w
                } else {
                    w * self.scale[j as usize]
                };
                let neighbour = &x[j as usize];
                for t in 0..B {
                    sum[t] += factor * neighbour[t];
                }
            }
            let (own, link) = self.own_and_link::<SCALED>(i);
            for t in 0..B {
                y[t] = own * x[i][t] - link * sum[t]
                    + if self.c.delta == 0.0 {
                        0.0
                    } else {
                        self.c.delta * y[t]
                    };
            }
        }
    }

    /// The same for any width.
    fn rows_of_any<const SCALED: bool>(&self, b: usize, from: usize, y: &mut [f64]) {
        let mut sum = vec![0.0; b];
        for (i, y) in (from..).zip(y.chunks_exact_mut(b)) {
            sum.fill(0.0);
            for (j, w) in self.rows.row(i) {
                let factor = if SCALED {
                    w
                } else {
                    w * self.scale[j as usize]
                };
                let neighbour = &self.x[j as usize * b..][..b];
                sum.iter_mut()
                    .zip(neighbour)
                    .for_each(|(s, v)| *s += factor * v);
            }
            let (own, link) = self.own_and_link::<SCALED>(i);
            for ((y, s), v) in y.iter_mut().zip(&sum).zip(&self.x[i * b..]) {
                *y = own * v - link * s
                    + if self.c.delta == 0.0 {
                        0.0
                    } else {
                        self.c.delta * *y
                    };
            }
        }
    }
}

/// The graph on `vertices` alone, in their order; no edge may leave them.
fn restrict<W: Weight>(graph: &Csr<W>, vertices: &[Vertex]) -> Csr<W> {
    // Sorted pairs, not a table over all vertices: a graph may have very many components, and a
    // table would cost O(n) for each.
    let mut place: Vec<(Vertex, Vertex)> =
        vertices.iter().zip(0..).map(|(&i, at)| (i, at)).collect();
    place.par_sort_unstable();
    let new = |j: Vertex| {
        let at = place
            .binary_search_by_key(&j, |&(i, _)| i)
            .expect("no edge leaves a union of components");
        place[at].1
    };
    let rows = graph.rows();
    let renumbered: Vec<Vec<(Vertex, W)>> = vertices
        .par_iter()
        .map(|&i| {
            let range = rows.offsets[i as usize] as usize..rows.offsets[i as usize + 1] as usize;
            let arcs = rows.targets[range.clone()].iter().zip(&rows.weights[range]);
            let mut row: Vec<(Vertex, W)> = arcs.map(|(&j, &w)| (new(j), w)).collect();
            row.sort_unstable_by_key(|&(j, _)| j);
            row
        })
        .collect();
    let mut offsets = Vec::with_capacity(vertices.len() + 1);
    offsets.push(0u64);
    let arcs = renumbered.iter().map(Vec::len).sum();
    let (mut targets, mut weights) = (Vec::with_capacity(arcs), Vec::with_capacity(arcs));
    for row in renumbered {
        targets.extend(row.iter().map(|&(j, _)| j));
        weights.extend(row.iter().map(|&(_, w)| w));
        offsets.push(targets.len() as u64);
    }
    Csr::from_valid(offsets, targets, weights)
}

/// The component of `start` in breadth-first order, neighbours of small degree first (the order of
/// Cuthill and `McKee`). Rows that are multiplied together come to lie together: products on large
/// sparse graphs run about twice as fast. O(arcs · log degree).
pub(super) fn breadth_first<W: Weight>(graph: &Csr<W>, start: Vertex) -> Vec<Vertex> {
    let rows = graph.rows();
    let arcs = |i: &Vertex| rows.targets(*i as usize).len();
    let mut seen = vec![false; graph.vertices()];
    seen[start as usize] = true;
    let mut order = vec![start];
    let mut at = 0;
    while at < order.len() {
        let first = order.len();
        for &j in rows.targets(order[at] as usize) {
            if !std::mem::replace(&mut seen[j as usize], true) {
                order.push(j);
            }
        }
        order[first..].sort_by_key(arcs);
        at += 1;
    }
    order
}
