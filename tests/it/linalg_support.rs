//! What the tests of spectra share: families of graphs, both ways to solve, and what every spectrum
//! must satisfy.

use lambdacut::cut::Cut;
use lambdacut::graph::{Csr, Unit, Weight};
use lambdacut::linalg::{
    Extent, Laplacian, Range, Spectrum, SpectrumOptions, SymmetricOperator, eigen, spectrum,
};
use lambdacut::run::Silent;

pub type Edges = Vec<(u32, u32, f64)>;

pub fn path(n: u32) -> Edges {
    (1..n).map(|i| (i - 1, i, 1.0)).collect()
}

pub fn cycle(n: u32) -> Edges {
    (0..n).map(|i| (i, (i + 1) % n, 1.0)).collect()
}

pub fn complete(n: u32) -> Edges {
    (0..n)
        .flat_map(|i| (0..i).map(move |j| (j, i, 1.0)))
        .collect()
}

pub fn bipartite(a: u32, b: u32) -> Edges {
    (0..a)
        .flat_map(|i| (0..b).map(move |j| (i, a + j, 1.0)))
        .collect()
}

pub fn grid(a: u32, b: u32) -> Edges {
    let at = |x: u32, y: u32| x * b + y;
    let right = (0..a).flat_map(|x| (1..b).map(move |y| (at(x, y - 1), at(x, y), 1.0)));
    let down = (1..a).flat_map(|x| (0..b).map(move |y| (at(x - 1, y), at(x, y), 1.0)));
    right.chain(down).collect()
}

/// `count` cliques of `size`, neighbours joined by one edge between their first and last vertices.
pub fn ring_of_cliques(count: u32, size: u32) -> Edges {
    let inside = (0..count).flat_map(|c| {
        complete(size)
            .into_iter()
            .map(move |(i, j, w)| (c * size + i, c * size + j, w))
    });
    inside
        .chain((0..count).map(|c| (c * size + size - 1, (c + 1) % count * size, 1.0)))
        .collect()
}

pub fn graph(edges: &[(u32, u32, f64)]) -> Csr<Unit> {
    let n = edges.iter().map(|e| e.0.max(e.1) + 1).max().unwrap_or(0);
    Csr::from_edges(n as usize, edges).unwrap()
}

/// The disjoint union.
pub fn union(parts: &[Edges]) -> Edges {
    let mut all = Vec::new();
    for part in parts {
        let shift = all
            .iter()
            .map(|e: &(u32, u32, f64)| e.0.max(e.1) + 1)
            .max()
            .unwrap_or(0);
        all.extend(part.iter().map(|&(i, j, w)| (i + shift, j + shift, w)));
    }
    all
}

/// Options that send everything but the tiniest components through Lanczos.
pub fn sparse() -> SpectrumOptions {
    SpectrumOptions {
        dense_limit: 1,
        ..SpectrumOptions::default()
    }
}

pub fn run<W: Weight>(
    g: &Csr<W>,
    kind: &Cut,
    extent: Extent,
    options: &SpectrumOptions,
) -> Spectrum {
    spectrum(g, kind, extent, options, &Silent).unwrap()
}

pub fn close(found: &[f64], expected: &[f64], within: f64) {
    assert_eq!(found.len(), expected.len(), "{found:?} is not {expected:?}");
    for (a, b) in found.iter().zip(expected) {
        assert!((a - b).abs() <= within, "{found:?} is not {expected:?}");
    }
}

/// Residuals, orthonormality and the count of every part of a spectrum.
pub fn check_pairs<W: Weight>(g: &Csr<W>, masses: &Cut, s: &Spectrum, scale: f64) {
    for part in &s.parts {
        let operator = Laplacian::on(g, masses, part.vertices.clone());
        let (n, k) = (part.vertices.len(), part.values.len());
        let x = &part.vectors.data;
        let mut y = vec![0.0; n * k];
        operator.apply(k, x, &mut y);
        for t in 0..k {
            let residual: f64 = (0..n)
                .map(|i| (y[i * k + t] - part.values[t] * x[i * k + t]).powi(2))
                .sum::<f64>()
                .sqrt();
            assert!(residual <= 1e-8 * scale.max(1.0), "residual {residual}");
            for u in 0..=t {
                let dot: f64 = (0..n).map(|i| x[i * k + t] * x[i * k + u]).sum();
                assert!(
                    (dot - f64::from(u8::from(t == u))).abs() < 1e-9,
                    "({t}, {u}) have the product {dot}"
                );
            }
        }
    }
    assert!(s.check.complete, "{:?}", s.check);
    assert_eq!(s.check.found, s.count());
}

/// All eigenvalues below β from the dense matrix of the whole graph, which knows nothing of
/// components.
pub fn reference<W: Weight>(g: &Csr<W>, masses: &Cut, beta: f64) -> Vec<f64> {
    let operator = Laplacian::new(g, masses);
    eigen(operator.dense(), operator.order(), Range::All)
        .unwrap()
        .values
        .into_iter()
        .filter(|&nu| nu < beta)
        .collect()
}
