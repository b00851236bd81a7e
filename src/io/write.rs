//! Graphs → files.

use super::format::Format;
use super::header::reads_like_header;
use super::text::{in_quotes, quote};
use super::{binary, matrix_market, metis};
use crate::graph::names::{Names, canonical_integer};
use crate::graph::{Csr, Weight};
use std::borrow::Cow;
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
    check_names(names)?;
    match format {
        Format::EdgeList => edge_list(out, graph, names),
        Format::Metis => metis::write(out, graph, masses),
        Format::MatrixMarket => matrix_market::write(out, graph),
        Format::Binary => binary::write(out, graph, names, masses),
    }
}

/// Refuses names that could not be read again.
pub(super) fn check_names(names: &Names) -> io::Result<()> {
    match names.first_unwritable() {
        Some(vertex) => Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            binary::unwritable(names, vertex),
        )),
        None => Ok(()),
    }
}

/// `source<TAB>target[<TAB>weight]`, each edge once. What reading could take for something else is
/// quoted: names that look like integers, and a first edge that looks like a header.
fn edge_list<W: Weight>(out: &mut dyn Write, graph: &Csr<W>, names: &Names) -> io::Result<()> {
    let rows = graph.rows();
    let are_strings = matches!(names, Names::Strings(_));
    let mut is_first = true;
    for i in 0..graph.vertices() {
        let from = names.get(i);
        for (j, weight) in rows.row(i).filter(|&(j, _)| j as usize >= i) {
            let to = names.get(j as usize);
            let is_header = is_first && reads_like_header(&from, &to);
            is_first = false;
            let (from, to) = (
                written(&from, is_header, are_strings),
                written(&to, is_header, are_strings),
            );
            if W::UNIT {
                writeln!(out, "{from}\t{to}")?;
            } else {
                writeln!(out, "{from}\t{to}\t{weight}")?;
            }
        }
    }
    Ok(())
}

/// A name as a field of an edge list.
fn written(name: &str, in_header: bool, is_string: bool) -> Cow<'_, str> {
    if in_header || (is_string && canonical_integer(name).is_some()) {
        Cow::Owned(in_quotes(name))
    } else {
        quote(name)
    }
}
