//! Graphs → files.

use super::load::Format;
use super::names::Names;
use super::text::quote;
use crate::graph::{Graph, Weight};
use std::io::{self, Write};
use std::path::Path;

/// Writes a graph in the given format, atomically; a name ending in `.gz` or `.zst` compresses.
pub fn write_graph<W: Weight>(path: &Path, format: Format, graph: &Graph<W>, names: &Names) -> io::Result<()> {
    super::write_atomically(path, |out| match format {
        Format::EdgeList => edge_list(out, graph, names),
    })
}

/// `source<TAB>target[<TAB>weight]`, each edge once.
fn edge_list<W: Weight>(out: &mut dyn Write, graph: &Graph<W>, names: &Names) -> io::Result<()> {
    let rows = graph.rows();
    for i in 0..graph.vertices() {
        let from = names.get(i);
        let from = quote(&from);
        for (j, weight) in rows.row(i).filter(|&(j, _)| j as usize >= i) {
            let to = names.get(j as usize);
            let to = quote(&to);
            if W::UNIT { writeln!(out, "{from}\t{to}")? } else { writeln!(out, "{from}\t{to}\t{weight}")? }
        }
    }
    Ok(())
}
