//! The names of the vertices that a page mentions, each once, within a budget of bytes.

use crate::graph::Names;
use crate::ids::{Cluster, Vertex};
use crate::layers::LayeredGraph;
use rustc_hash::FxHashMap;

/// Characters of a name that are shown.
const SHOWN: usize = 40;

/// One layer of a layered graph.
#[derive(Debug, Clone, Copy)]
pub struct Layer<'a> {
    /// What it is called.
    pub title: &'a str,
    /// What its own vertices are called.
    pub names: &'a Names,
}

/// What the vertices of a graph are called.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum VertexNames<'a> {
    /// By a name each.
    Plain(&'a Names),
    /// They are copies of vertices, called by name and layer.
    Copies(&'a LayeredGraph, &'a [Layer<'a>]),
}

impl<'a> From<&'a Names> for VertexNames<'a> {
    fn from(names: &'a Names) -> Self {
        Self::Plain(names)
    }
}

impl<'a> VertexNames<'a> {
    fn shown(&self, vertex: Vertex) -> String {
        match *self {
            Self::Plain(names) => shortened(&names.get(vertex as usize)),
            Self::Copies(graph, layers) => {
                let j = graph.layer_of(vertex as usize);
                let name = layers[j].names.get(vertex as usize - graph.starts[j]);
                format!("{} ({})", shortened(&name), shortened(layers[j].title))
            }
        }
    }

    /// The layers, and that of every copy.
    pub(super) fn layers(&self) -> Option<(&'a [Layer<'a>], Vec<Cluster>)> {
        let Self::Copies(graph, layers) = *self else {
            return None;
        };
        let copies =
            |j: usize| std::iter::repeat_n(j as Cluster, graph.starts[j + 1] - graph.starts[j]);
        Some((layers, (0..graph.layers()).flat_map(copies).collect()))
    }
}

/// Names mentioned so far.
pub(super) struct NameTable<'a> {
    names: VertexNames<'a>,
    index: FxHashMap<Vertex, u32>,
    shown: Vec<String>,
    budget: usize,
}

impl<'a> NameTable<'a> {
    /// No names yet; together they may take `budget` bytes of the page.
    pub fn new(names: VertexNames<'a>, budget: usize) -> Self {
        Self {
            names,
            index: FxHashMap::default(),
            shown: Vec::new(),
            budget,
        }
    }

    /// The number of the name of `vertex`, or `None` when there is no room for another.
    pub fn mention(&mut self, vertex: Vertex) -> Option<u32> {
        if let Some(&at) = self.index.get(&vertex) {
            return Some(at);
        }
        let name = self.names.shown(vertex);
        self.budget = self.budget.checked_sub(bytes(&name))?;
        let at = self.shown.len() as u32;
        self.index.insert(vertex, at);
        self.shown.push(name);
        Some(at)
    }

    /// The names by number.
    pub fn into_names(self) -> Vec<String> {
        self.shown
    }
}

/// At most [`SHOWN`] characters.
pub(super) fn shortened(name: &str) -> String {
    match name.char_indices().nth(SHOWN) {
        Some(_) => name.chars().take(SHOWN - 1).chain(['…']).collect(),
        None => name.to_owned(),
    }
}

/// What a name takes in the page: quotes, a comma, and six bytes for whatever is escaped there.
fn bytes(name: &str) -> usize {
    let of = |c: char| {
        if c.is_control() || "<>&\"\\".contains(c) {
            6
        } else {
            c.len_utf8()
        }
    };
    3 + name.chars().map(of).sum::<usize>()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_counts_once_and_the_budget_holds() {
        let names = Names::numbers(1000);
        let mut table = NameTable::new((&names).into(), 12);
        assert_eq!(
            (table.mention(7), table.mention(700), table.mention(7)),
            (Some(0), Some(1), Some(0))
        );
        assert_eq!((table.mention(8), table.mention(700)), (None, Some(1)));
        assert_eq!(table.into_names(), ["7", "700"]);
    }

    #[test]
    fn long_names_are_cut_at_a_character() {
        assert_eq!(shortened(&"é".repeat(40)), "é".repeat(40));
        assert_eq!(shortened(&"é".repeat(41)), "é".repeat(39) + "…");
    }
}
