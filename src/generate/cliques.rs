//! A ring of cliques.

use super::{GenerateError, Planted, check};
use crate::ids::{Vertex, checked_count};
use serde::{Deserialize, Serialize};

/// `cliques` complete graphs of `size` vertices, each joined to the next by one edge.
///
/// Clique `c` is the vertices `c · size .. (c + 1) · size`; its last vertex is joined to the first
/// vertex of the next clique, and the last clique to the first if there are more than two.
///
/// ```
/// let ring = lambdacut::generate::Cliques { cliques: 30, size: 5 }.generate().unwrap();
/// assert_eq!((ring.vertices, ring.edges.len(), ring.truth[149]), (150, 30 * 10 + 30, 29));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cliques {
    /// How many.
    pub cliques: usize,
    /// Vertices of each.
    pub size: usize,
}

impl Default for Cliques {
    fn default() -> Self {
        Self {
            cliques: 30,
            size: 5,
        }
    }
}

impl Cliques {
    /// Makes the graph.
    pub fn generate(&self) -> Result<Planted, GenerateError> {
        let &Self { cliques, size } = self;
        check(
            "the number of cliques",
            cliques as f64,
            cliques >= 1,
            "at least 1",
        )?;
        check("the size of a clique", size as f64, size >= 1, "at least 1")?;
        let n = checked_count(cliques.saturating_mul(size))? as usize;
        let inside = (0..n)
            .flat_map(|i| (i + 1..(i / size + 1) * size).map(move |j| (i as Vertex, j as Vertex)));
        let joints = if cliques > 2 { cliques } else { cliques - 1 };
        let between = (0..joints).map(|c| {
            (
                ((c + 1) * size - 1) as Vertex,
                ((c + 1) % cliques * size) as Vertex,
            )
        });
        Ok(Planted::new(
            n,
            inside.chain(between).collect(),
            (0..n).map(|i| (i / size) as u32).collect(),
        ))
    }
}
