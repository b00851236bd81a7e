//! How much the cluster at one end of an edge tells about the cluster at the other end.

use crate::graph::{Csr, Weight};
use crate::numeric::compensated;

/// `I/H` of a contracted graph with links `e_rs`, degrees `D_r` and volume `v`: of a random arc,
/// the information `I = Σ_rs e_rs/v · ln(e_rs v / (D_r D_s))` that the cluster at one end gives
/// about that at the other, as a share of the entropy `H = −Σ_r D_r/v · ln(D_r/v)` of one end. 1 if
/// all arcs stay inside, 0 for one cluster or for links at random. O(arcs).
///
/// ```
/// use lambdacut::{search::testing::information, graph::Csr};
/// let apart: Csr<f64> = Csr::from_edges(2, &[(0, 0, 4.0), (1, 1, 4.0)]).unwrap();
/// assert!((information(&apart) - 1.0).abs() < 1e-12);
/// let mixed: Csr<f64> = Csr::from_edges(2, &[(0, 0, 1.0), (0, 1, 1.0), (1, 1, 1.0)]).unwrap();
/// assert!(information(&mixed).abs() < 1e-12);
/// ```
pub fn information<W: Weight>(contracted: &Csr<W>) -> f64 {
    let (rows, v) = (contracted.rows(), contracted.volume());
    let term = |x: f64, of: f64| if x > 0.0 { x / v * libm::log(of) } else { 0.0 };
    let vertices = || (0..contracted.vertices()).map(|r| (r, contracted.degree(r)));
    let entropy = compensated(vertices().map(|(_, d)| -term(d, d / v)));
    let links = |(r, d): (usize, f64)| {
        rows.row(r)
            .map(move |(s, e)| term(e, e * v / (d * contracted.degree(s as usize))))
    };
    let shared = compensated(vertices().flat_map(links));
    if entropy > 0.0 { shared / entropy } else { 0.0 }
}
