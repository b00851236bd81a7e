//! The names of the vertices that a page mentions, each once, within a budget of bytes.

use crate::ids::Vertex;
use crate::io::Names;
use rustc_hash::FxHashMap;

/// Characters of a name that are shown.
const SHOWN: usize = 40;

/// Names mentioned so far.
pub(super) struct NameTable<'a> {
    names: &'a Names,
    index: FxHashMap<Vertex, u32>,
    shown: Vec<String>,
    budget: usize,
}

impl<'a> NameTable<'a> {
    /// No names yet; together they may take `budget` bytes of the page.
    pub fn new(names: &'a Names, budget: usize) -> Self {
        Self { names, index: FxHashMap::default(), shown: Vec::new(), budget }
    }

    /// The number of the name of `vertex`, or `None` when there is no room for another.
    pub fn mention(&mut self, vertex: Vertex) -> Option<u32> {
        if let Some(&at) = self.index.get(&vertex) {
            return Some(at);
        }
        let name = shortened(&self.names.get(vertex as usize));
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
    let of = |c: char| if c.is_control() || "<>&\"\\".contains(c) { 6 } else { c.len_utf8() };
    3 + name.chars().map(of).sum::<usize>()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_counts_once_and_the_budget_holds() {
        let names = Names::numbers(1000);
        let mut table = NameTable::new(&names, 12);
        assert_eq!((table.mention(7), table.mention(700), table.mention(7)), (Some(0), Some(1), Some(0)));
        assert_eq!((table.mention(8), table.mention(700)), (None, Some(1)));
        assert_eq!(table.into_names(), ["7", "700"]);
    }

    #[test]
    fn long_names_are_cut_at_a_character() {
        assert_eq!(shortened(&"é".repeat(40)), "é".repeat(40));
        assert_eq!(shortened(&"é".repeat(41)), "é".repeat(39) + "…");
    }
}
