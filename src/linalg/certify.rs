//! How far from the best a clustering can be at most.

use super::solve::spectrum;
use super::spectrum::{Certificate, Extent, SpectrumError, SpectrumOptions};
use crate::clustering::Clustering;
use crate::graph::Graph;
use crate::run::Silent;
use crate::with_csr;

impl Clustering {
    /// A lower bound of F at this clustering's β, from all eigenvalues below it: how far from the
    /// best this clustering can be at most. It takes far longer than the search on large graphs, and
    /// is of little use where β is large.
    ///
    /// ```
    /// use lambdacut::prelude::*;
    /// let edges = [(0, 1, 1.0), (1, 2, 1.0), (0, 2, 1.0), (2, 3, 0.1), (3, 4, 1.0), (4, 5, 1.0), (3, 5, 1.0)];
    /// let graph = Graph::from_edges(6, &edges)?;
    /// let best = Search::new().run(&graph)?;
    /// let certificate = best.certify(&graph)?;
    /// assert!(certificate.proved && certificate.gap(best.value) < 0.1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If the eigenvalues cannot be computed.
    ///
    /// # Panics
    /// Never: all eigenvalues below β are asked for.
    pub fn certify(&self, graph: &Graph) -> Result<Certificate, SpectrumError> {
        let options = SpectrumOptions::default();
        let extent = Extent::Below(self.beta);
        let low = with_csr!(graph.csr(), csr => spectrum(csr, &self.objective, extent, &options, &Silent))?;
        Ok(low
            .certificate(self.beta)
            .expect("all eigenvalues below β were asked for"))
    }
}
