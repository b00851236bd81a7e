//! The shift of a graph's kernel.

use super::KernelDpMeansError;
use crate::cut::Cut;
use crate::graph::{Csr, Weight};
use crate::linalg::extreme::largest_eigenvalue_bound;
use crate::run::{Event, Observer};
use serde::{Deserialize, Serialize};

/// Lanczos steps for [`Shift::Automatic`]: the bound is then within about 5 % of the largest
/// eigenvalue.
const STEPS: usize = 64;

/// How the shift `s` of `K = s·M⁻¹ − M⁻¹LM⁻¹` is chosen. F does not depend on it, but the pass
/// does: the larger the shift, the more every vertex sticks to its cluster; below the largest
/// eigenvalue of `M^-½LM^-½` the pass may raise F.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Shift {
    /// The smaller of two upper bounds of that eigenvalue: Lanczos (64 products; fails with
    /// probability 10⁻⁹) and [`Shift::Bound`].
    #[default]
    Automatic,
    /// The largest `ρ_i + ρ_j` over the edges: always safe, O(arcs).
    Bound,
    /// The paper's σ, as given.
    Sigma(f64),
}

/// The shift that `choice` stands for on this graph. Cancelled, [`Shift::Automatic`] comes closer to
/// [`Shift::Bound`] the earlier that is, and stays as safe.
///
/// ```
/// use lambdacut::kernel_dp_means::{Shift, resolve_shift};
/// use lambdacut::{cut::Cut, graph::{Csr, Unit}, run::Silent};
/// let triangle: Csr<Unit> = Csr::from_edges(3, &[(0, 1, 1.0), (1, 2, 1.0), (0, 2, 1.0)]).unwrap();
/// let s = resolve_shift(&triangle, &Cut::Normalized, Shift::Automatic, 1, &Silent).unwrap();
/// assert!((1.5..1.5 + 1e-6).contains(&s)); // eigenvalues 0, 3/2, 3/2
/// assert_eq!(resolve_shift(&triangle, &Cut::Normalized, Shift::Bound, 1, &Silent).unwrap(), 2.0);
/// ```
pub fn resolve_shift<W: Weight>(
    graph: &Csr<W>,
    cut: &Cut,
    choice: Shift,
    seed: u64,
    observer: &dyn Observer,
) -> Result<f64, KernelDpMeansError> {
    match choice {
        Shift::Sigma(sigma) if sigma.is_finite() => Ok(cut.shift_of_sigma(sigma)),
        Shift::Sigma(sigma) => Err(KernelDpMeansError::Sigma(sigma)),
        Shift::Bound => Ok(cut.shift_bound(graph)),
        Shift::Automatic => {
            observer.event(Event::Stage {
                name: "bounding the largest eigenvalue",
                total: None,
            });
            let rows = graph.rows();
            let mass = |i: usize| {
                if graph.degree(i) > 0.0 {
                    cut.mass(graph, i)
                } else {
                    0.0
                }
            };
            let apply = |x: &[f64], i: usize| {
                let outflow: f64 = rows
                    .row(i)
                    .map(|(j, weight)| weight * (x[i] - x[j as usize]))
                    .sum();
                if outflow == 0.0 {
                    0.0
                } else {
                    outflow / mass(i)
                }
            };
            let lanczos =
                largest_eigenvalue_bound(graph.vertices(), apply, mass, STEPS, seed, observer);
            Ok(lanczos.min(cut.shift_bound(graph)))
        }
    }
}
