//! Matrix Market coordinate files, square, with pattern, integer or real entries, general or
//! symmetric.
//!
//! `%%MatrixMarket matrix coordinate FIELD SYMMETRY`, comments starting with `%`, a line `rows
//! columns entries`, then `row column [value]` counted from 1. A symmetric file holds the lower
//! triangle, each edge once; the entries of a general one are arcs.

use super::edge_list;
use super::error::{Fault, ReadError};
use super::layout::{Bounds, Settings};
use super::options::Raw;
use super::text::{self, Number};
use crate::graph::names::Names;
use crate::graph::{Csr, EdgeList, Listing, RawRows, Weight, pack};
use crate::ids::{MAX_VERTICES, TooManyVertices, Vertex};
use rayon::prelude::*;
use std::io::{self, Write};

/// What the first lines say.
#[derive(Debug, Clone, Copy)]
struct Header {
    symmetric: bool,
    weighted: bool,
    vertices: Number,
    entries: Number,
    /// Where the entries start.
    data: usize,
}

/// Reads a Matrix Market file. A lenient reader leaves out entries that are wrong and counts them;
/// a wrong number of entries in the header is then one more wrong line.
pub(super) fn read(file: &str, bytes: &[u8], settings: Settings<'_>) -> Result<Raw, ReadError> {
    let fail = |fault: Fault| fault.error(file, bytes, 0);
    let header = header(bytes).map_err(fail)?;
    let vertices = checked_vertices(header, bytes.len()).map_err(fail)?;
    settings.budget.check(file, 8 * vertices as u64)?;
    let bounds = Bounds {
        vertices: vertices as u64,
        lower_triangle: header.symmetric,
    };
    let (mut rows, mut counts) =
        edge_list::read_entries(file, bytes, header.data, header.weighted, bounds, settings)?;
    let found = rows.len() as u64 + counts.skipped + counts.zero_weights;
    if found != header.entries.value {
        if !settings.lenient {
            return Err(fail(header.entries.fault(format!(
                "the header says this many entries, but the file holds {found}"
            ))));
        }
        counts.skipped += 1;
    }
    // Entries count from 1, rows from 0: both halves of a packed arc are one less.
    match &mut rows {
        RawRows::Plain(rows) => rows.par_iter_mut().for_each(|arc| *arc -= pack(1, 1)),
        RawRows::Weighted(rows) => rows.par_iter_mut().for_each(|row| row.0 -= pack(1, 1)),
    }
    let listing = if header.symmetric {
        Listing::Edges
    } else {
        Listing::Arcs
    };
    let names = Names::Range {
        first: 1,
        count: vertices,
    };
    Ok(Raw {
        edges: EdgeList {
            vertices,
            rows,
            listing,
        },
        names,
        counts,
        masses: None,
    })
}

/// The number of vertices, unless nothing in a file of `length` bytes justifies it.
fn checked_vertices(header: Header, length: usize) -> Result<usize, Fault> {
    let claimed = header.vertices.value;
    if claimed > MAX_VERTICES as u64 {
        return Err(header
            .vertices
            .fault(TooManyVertices(claimed as usize).to_string()));
    }
    // A vertex costs 8 bytes; a file that is shorter than its vertices are many cannot name half of
    // them.
    if claimed > 1 << 20 && claimed > length as u64 {
        let what = format!(
            "the header says this many vertices, but a file of {length} bytes cannot name most of them"
        );
        return Err(header.vertices.fault(what));
    }
    Ok(claimed as usize)
}

fn header(bytes: &[u8]) -> Result<Header, Fault> {
    let end = text::line_end(bytes, 0);
    let banner = text::trim_line(&bytes[..end]);
    let words: Vec<String> = String::from_utf8_lossy(banner)
        .split_whitespace()
        .map(str::to_lowercase)
        .collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let unsupported = |what: &'static str| Fault::new(0, banner.len(), what);
    let [first, object, shape, field, symmetry] = words.as_slice() else {
        return Err(unsupported(
            "not a Matrix Market banner (%%MatrixMarket matrix coordinate FIELD SYMMETRY)",
        ));
    };
    if *first != "%%matrixmarket" || *object != "matrix" || *shape != "coordinate" {
        return Err(unsupported(
            "only Matrix Market coordinate matrices can be read as graphs",
        ));
    }
    let weighted = match *field {
        "pattern" => false,
        "integer" | "real" | "double" => true,
        _ => {
            return Err(unsupported(
                "only pattern, integer and real Matrix Market entries can be read as graphs",
            ));
        }
    };
    let symmetric = match *symmetry {
        "general" => false,
        "symmetric" => true,
        _ => {
            return Err(unsupported(
                "only general and symmetric Matrix Market matrices can be read as graphs",
            ));
        }
    };
    let (vertices, entries, data) = sizes(bytes, (end + 1).min(bytes.len()))?;
    Ok(Header {
        symmetric,
        weighted,
        vertices,
        entries,
        data,
    })
}

/// The line `rows columns entries`: vertices, entries, and where the entries start.
fn sizes(bytes: &[u8], from: usize) -> Result<(Number, Number, usize), Fault> {
    let Some((start, end)) = super::layout::data_lines(bytes, from).next() else {
        return Err(Fault::new(
            bytes.len(),
            0,
            "the line with rows, columns and entries is missing",
        ));
    };
    let fields = text::fields(bytes, start, end, text::Separator::Space)?;
    let [rows, columns, entries] = fields.as_slice() else {
        return Err(Fault::new(
            start,
            end - start,
            "expected rows, columns and entries",
        ));
    };
    let number = |field| Number::of(field, "not a number of rows, columns or entries");
    let (rows, columns, entries) = (number(rows)?, number(columns)?, number(entries)?);
    if rows.value != columns.value {
        return Err(Fault::new(start, end - start, "the matrix is not square"));
    }
    Ok((
        rows,
        entries,
        (text::line_end(bytes, end) + 1).min(bytes.len()),
    ))
}

/// Writes the lower triangle of the adjacency matrix as a symmetric Matrix Market file.
pub(super) fn write<W: Weight>(out: &mut dyn Write, graph: &Csr<W>) -> io::Result<()> {
    let field = if W::UNIT { "pattern" } else { "real" };
    writeln!(out, "%%MatrixMarket matrix coordinate {field} symmetric")?;
    let n = graph.vertices();
    writeln!(out, "{n} {n} {}", graph.edges())?;
    let rows = graph.rows();
    for i in 0..n {
        for (j, weight) in rows.row(i).take_while(|&(j, _)| j <= i as Vertex) {
            if W::UNIT {
                writeln!(out, "{} {}", i + 1, j + 1)?;
            } else {
                writeln!(out, "{} {} {weight}", i + 1, j + 1)?;
            }
        }
    }
    Ok(())
}
