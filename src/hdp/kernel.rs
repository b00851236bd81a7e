//! The hard Gaussian HDP in the feature space of a kernel: [`Kernel`] as a [`Space`].
//!
//! A mean is never written down, only its products: with `W_S = Σ_{j∈S} w_j`,
//!
//! ```text
//! μ = Σ_{j∈S} w_j φ_j / W_S      ⟨φ_i, μ⟩ = Σ_{j∈S} w_j K_ij / W_S      ‖μ‖² = Σ_{i∈S} w_i ⟨φ_i, μ⟩ / W_S
//! ‖φ_i − μ‖² = K_ii − 2 ⟨φ_i, μ⟩ + ‖μ‖²
//! ```
//!
//! A mean costs the rows of its members (O(n |S|) for a dense kernel) and 8 n bytes; a distance is
//! O(1).

use crate::kernel_dp_means::Kernel;
use crate::numeric::compensated;
use crate::points::Space;

/// A mean in feature space.
#[derive(Debug, Clone, PartialEq)]
pub struct KernelMean {
    /// `⟨φ_i, μ⟩` for every element.
    products: Vec<f64>,
    /// `‖μ‖²`.
    norm: f64,
}

impl Space for Kernel {
    type Mean = KernelMean;

    fn elements(&self) -> usize {
        Kernel::elements(self)
    }

    fn weight(&self, i: usize) -> f64 {
        Kernel::weight(self, i)
    }

    fn mean(&self, members: &[u32]) -> KernelMean {
        let total = compensated(members.iter().map(|&j| self.weight(j as usize)));
        let mut products = vec![0.0; Kernel::elements(self)];
        for &j in members {
            let share = self.weight(j as usize) / total;
            for (i, value) in self.row(j as usize) {
                products[i as usize] += share * value;
            }
        }
        let norm = compensated(
            members
                .iter()
                .map(|&i| self.weight(i as usize) / total * products[i as usize]),
        );
        KernelMean { products, norm }
    }

    fn distance(&self, i: usize, mean: &KernelMean) -> f64 {
        (self.get(i, i) - 2.0 * mean.products[i] + mean.norm).max(0.0)
    }
}
