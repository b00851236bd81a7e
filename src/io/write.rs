//! Graphs → files.

use super::load::Format;
use super::text::quote;
use super::{binary, matrix_market, metis};
use crate::graph::names::Names;
use crate::graph::{Csr, Weight};
use std::io::{self, Write};
use std::path::Path;

/// Writes a graph in the given format, atomically; a name ending in `.gz` or `.zst` compresses.
///
/// Edge lists hold no vertex without an edge; METIS and Matrix Market files no names: their
/// vertices are called 1 to n. The binary format holds all.
pub fn write_graph<W: Weight>(
    path: &Path,
    format: Format,
    graph: &Csr<W>,
    names: &Names,
) -> io::Result<()> {
    write_graph_and_masses(path, format, graph, names, None)
}

/// [`write_graph`] with the weights of the vertices, which METIS and binary files can hold.
pub fn write_graph_and_masses<W: Weight>(
    path: &Path,
    format: Format,
    graph: &Csr<W>,
    names: &Names,
    masses: Option<&[f64]>,
) -> io::Result<()> {
    super::write_atomically(path, |out| {
        write_graph_to(out, format, graph, names, masses)
    })
}

/// [`write_graph_and_masses`] to any writer, as it is.
pub fn write_graph_to<W: Weight>(
    out: &mut dyn Write,
    format: Format,
    graph: &Csr<W>,
    names: &Names,
    masses: Option<&[f64]>,
) -> io::Result<()> {
    match format {
        Format::EdgeList => edge_list(out, graph, names),
        Format::Metis => metis::write(out, graph, masses),
        Format::MatrixMarket => matrix_market::write(out, graph),
        Format::Binary => binary::write(out, graph, names, masses),
    }
}

/// `source<TAB>target[<TAB>weight]`, each edge once.
fn edge_list<W: Weight>(out: &mut dyn Write, graph: &Csr<W>, names: &Names) -> io::Result<()> {
    let rows = graph.rows();
    for i in 0..graph.vertices() {
        let from = names.get(i);
        let from = quote(&from);
        for (j, weight) in rows.row(i).filter(|&(j, _)| j as usize >= i) {
            let to = names.get(j as usize);
            let to = quote(&to);
            if W::UNIT {
                writeln!(out, "{from}\t{to}")?;
            } else {
                writeln!(out, "{from}\t{to}\t{weight}")?;
            }
        }
    }
    Ok(())
}
