//! Matrix Market coordinate files, square, with pattern, integer or real entries, general or symmetric.
//!
//! `%%MatrixMarket matrix coordinate FIELD SYMMETRY`, comments starting with `%`, a line `rows columns entries`, then `row column [value]` counted
//! from 1. A symmetric file holds the lower triangle, each edge once; the entries of a general one are arcs.

use super::edge_list::{self, Settings};
use super::error::{Fault, ReadError};
use super::names::Names;
use super::text;
use crate::graph::{Counts, EdgeList, Graph, Listing, RawRows, Weight, pack, unpack};
use crate::ids::Vertex;
use std::io::{self, Write};

/// The start of every file of this format.
pub(super) const BANNER: &[u8] = b"%%MatrixMarket";

/// What the first lines say.
#[derive(Debug, Clone, Copy)]
struct Header {
    symmetric: bool,
    weighted: bool,
    vertices: u64,
    entries: u64,
    /// Where the entries start.
    data: usize,
}

/// Reads a Matrix Market file.
pub(super) fn read(file: &str, bytes: &[u8], settings: Settings) -> Result<(EdgeList, Names, Counts), ReadError> {
    let fail = |fault: Fault| fault.error(file, bytes, 0);
    let header = header(bytes).map_err(fail)?;
    if header.vertices > crate::graph::MOST_VERTICES as u64 {
        return Err(ReadError::file(file, crate::ids::TooManyVertices(header.vertices as usize).to_string()));
    }
    // A vertex costs 8 bytes; a file that is shorter than its vertices are many cannot name half of them.
    if header.vertices > 1 << 20 && header.vertices > bytes.len() as u64 {
        let what =
            format!("the header says {} vertices, but a file of {} bytes cannot name most of them", header.vertices, bytes.len());
        return Err(ReadError::file(file, what));
    }
    settings.budget.check(file, 8 * header.vertices)?;
    let (mut rows, counts) = edge_list::read_entries(file, bytes, header.data, header.weighted, settings)?;
    let found = rows.len() as u64;
    if found + counts.skipped != header.entries {
        let what = format!("the header says {} entries, but the file holds {found}", header.entries);
        return Err(ReadError::file(file, what));
    }
    match &mut rows {
        RawRows::Plain(rows) => count_from_zero(bytes, header, rows.iter_mut()),
        RawRows::Weighted(rows) => count_from_zero(bytes, header, rows.iter_mut().map(|row| &mut row.0)),
    }
    .map_err(fail)?;
    let listing = if header.symmetric { Listing::Edges } else { Listing::Arcs };
    let names = Names::Range { first: 1, count: header.vertices as usize };
    Ok((EdgeList { vertices: header.vertices as usize, rows, listing }, names, counts))
}

fn header(bytes: &[u8]) -> Result<Header, Fault> {
    let end = text::line_end(bytes, 0);
    let banner = text::trim_line(&bytes[..end]);
    let words: Vec<String> = String::from_utf8_lossy(banner).split_whitespace().map(str::to_lowercase).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let unsupported = |what: &'static str| Fault::new(0, banner.len(), what);
    let [first, object, shape, field, symmetry] = words.as_slice() else {
        return Err(unsupported("not a Matrix Market banner (%%MatrixMarket matrix coordinate FIELD SYMMETRY)"));
    };
    if *first != "%%matrixmarket" || *object != "matrix" || *shape != "coordinate" {
        return Err(unsupported("only Matrix Market coordinate matrices can be read as graphs"));
    }
    let weighted = match *field {
        "pattern" => false,
        "integer" | "real" | "double" => true,
        _ => return Err(unsupported("only pattern, integer and real Matrix Market entries can be read as graphs")),
    };
    let symmetric = match *symmetry {
        "general" => false,
        "symmetric" => true,
        _ => return Err(unsupported("only general and symmetric Matrix Market matrices can be read as graphs")),
    };
    let (vertices, entries, data) = sizes(bytes, (end + 1).min(bytes.len()))?;
    Ok(Header { symmetric, weighted, vertices, entries, data })
}

/// The line `rows columns entries`: vertices, entries, and where the entries start.
fn sizes(bytes: &[u8], from: usize) -> Result<(u64, u64, usize), Fault> {
    let Some((start, end)) = super::layout::data_lines(bytes, from).next() else {
        return Err(Fault::new(bytes.len(), 0, "the line with rows, columns and entries is missing"));
    };
    let fields = text::fields(bytes, start, end, text::Separator::Space)?;
    let numbers: Vec<u64> = fields.iter().filter_map(|f| f.1.parse().ok()).collect();
    match (numbers.as_slice(), fields.len()) {
        ([rows, columns, entries], 3) if rows == columns => {
            Ok((*rows, *entries, (text::line_end(bytes, end) + 1).min(bytes.len())))
        }
        ([_, _, _], 3) => Err(Fault::new(start, end - start, "the matrix is not square")),
        _ => Err(Fault::new(start, end - start, "expected rows, columns and entries")),
    }
}

/// Entries count from 1, rows from 0.
fn count_from_zero<'r>(bytes: &[u8], header: Header, arcs: impl Iterator<Item = &'r mut u64>) -> Result<(), Fault> {
    for (entry, arc) in arcs.enumerate() {
        let (i, j) = unpack(*arc);
        let wrong = |what: String| {
            let (start, end) = super::layout::data_lines(bytes, header.data).nth(entry).unwrap_or_default();
            Err(Fault::new(start, end - start, what))
        };
        if i == 0 || j == 0 || u64::from(i.max(j)) > header.vertices {
            return wrong(format!("an entry outside 1 to {}", header.vertices));
        }
        if header.symmetric && i < j {
            return wrong("an entry above the diagonal of a symmetric matrix".to_owned());
        }
        *arc = pack(i - 1, j - 1);
    }
    Ok(())
}

/// Writes the lower triangle of the adjacency matrix as a symmetric Matrix Market file.
pub(super) fn write<W: Weight>(out: &mut dyn Write, graph: &Graph<W>) -> io::Result<()> {
    let field = if W::UNIT { "pattern" } else { "real" };
    writeln!(out, "%%MatrixMarket matrix coordinate {field} symmetric")?;
    let n = graph.vertices();
    writeln!(out, "{n} {n} {}", graph.edges())?;
    let rows = graph.rows();
    for i in 0..n {
        for (j, weight) in rows.row(i).take_while(|&(j, _)| j <= i as Vertex) {
            if W::UNIT { writeln!(out, "{} {}", i + 1, j + 1)? } else { writeln!(out, "{} {} {weight}", i + 1, j + 1)? }
        }
    }
    Ok(())
}
