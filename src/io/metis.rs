//! METIS `.graph` files.
//!
//! The first line is `vertices edges [fmt [ncon]]`; line `i` after it lists vertex `i`: its size (if `fmt` = `1..`), its `ncon` weights (`.1.`), then its
//! neighbours, counted from 1, each followed by the weight of the edge (`..1`). Every edge stands in both lines of its ends; `edges` counts it once.
//! Comment lines start with `%`; an empty line is a vertex without neighbours.
//!
//! The lines are parsed in parallel pieces into arcs; the builder finds an arc without an equal reverse.

use super::error::{Fault, ReadError};
use super::names::Names;
use super::source::Budget;
use super::text;
use crate::graph::{Counts, EdgeList, Graph, Listing, RawRows, Weight, pack};
use crate::ids::Vertex;
use rayon::prelude::*;
use std::io::{self, Write};

/// Lines parsed as one task.
const LINES: usize = 1 << 12;

/// The first line.
#[derive(Debug, Clone, Copy)]
struct Header {
    vertices: usize,
    edges: u64,
    sizes: bool,
    vertex_weights: usize,
    edge_weights: bool,
}

/// A METIS file.
pub(super) struct Read {
    pub edges: EdgeList,
    pub names: Names,
    pub counts: Counts,
    pub masses: Option<Vec<f64>>,
    /// How many edges the header promises.
    pub promised: u64,
}

/// The lines that are not comments (start and end), and how many comments there are.
fn lines(bytes: &[u8]) -> (Vec<(usize, usize)>, u64) {
    let (mut lines, mut comments, mut at) = (Vec::new(), 0, 0);
    while at < bytes.len() {
        let end = text::line_end(bytes, at);
        if bytes[at] == b'%' {
            comments += 1;
        } else {
            lines.push((at, at + text::trim_line(&bytes[at..end]).len()));
        }
        at = end + 1;
    }
    (lines, comments)
}

/// Reads a METIS graph.
pub(super) fn read(file: &str, bytes: &[u8], budget: Budget) -> Result<Read, ReadError> {
    let fail = |fault: Fault| fault.error(file, bytes, 0);
    let (lines, comments) = lines(bytes);
    let Some(&first) = lines.first() else { return Err(ReadError::file(file, "no header: the file holds only comments")) };
    let header = header(bytes, first).map_err(fail)?;
    let lines = body(file, &lines[1..], bytes, header)?;
    budget.check(file, 16 * lines.len() as u64)?;
    let parse = |(p, lines): (usize, &[(usize, usize)])| Piece::parse(bytes, lines, p * LINES, header);
    let pieces: Vec<Result<Piece, Fault>> = lines.par_chunks(LINES).enumerate().map(parse).collect();
    let (mut masses, mut plain, mut weighted) = (Vec::new(), Vec::new(), Vec::new());
    for piece in pieces {
        let mut piece = piece.map_err(fail)?;
        masses.append(&mut piece.masses);
        plain.append(&mut piece.plain);
        weighted.append(&mut piece.weighted);
        budget.check(file, (8 * plain.len() + 16 * weighted.len()) as u64)?;
    }
    let rows = if header.edge_weights { RawRows::Weighted(weighted) } else { RawRows::Plain(plain) };
    let names = Names::Range { first: 1, count: header.vertices };
    let edges = EdgeList { vertices: header.vertices, rows, listing: Listing::Mirrored };
    let counts = Counts { comments, ..Counts::default() };
    let masses = (header.vertex_weights > 0).then_some(masses);
    Ok(Read { edges, names, counts, masses, promised: header.edges })
}

/// The error for an arc (vertices counted from 0) without an equal reverse, at its place.
pub(super) fn unmirrored(file: &str, bytes: &[u8], source: Vertex, target: Vertex) -> ReadError {
    let line = lines(bytes).0.get(source as usize + 1).copied().unwrap_or((0, 0));
    let fields = text::fields(bytes, line.0, line.1, text::Separator::Space).unwrap_or_default();
    let name = (target + 1).to_string();
    let at = fields.iter().rfind(|f| f.1 == name).map_or(line.0, |f| f.0);
    let what = format!("vertex {} lists this neighbour, but is not listed by it with equal weight", source + 1);
    Fault::new(at, name.len(), what).error(file, bytes, 0)
}

fn header(bytes: &[u8], (start, end): (usize, usize)) -> Result<Header, Fault> {
    let fields = text::fields(bytes, start, end, text::Separator::Space)?;
    let number = |at: usize| {
        let (start, field) = &fields[at];
        field.parse::<u64>().map_err(|_| Fault::new(*start, field.len(), "not a number of the METIS header"))
    };
    if !(2..=4).contains(&fields.len()) {
        return Err(Fault::new(start, end - start, "a METIS header has 2 to 4 numbers: vertices, edges, format, constraints"));
    }
    let (vertices, edges) = (number(0)?, number(1)?);
    let code = fields.get(2).map_or("0", |f| f.1.as_ref());
    let bits = code.bytes().all(|b| b == b'0' || b == b'1') && code.len() <= 3;
    if !bits {
        return Err(Fault::new(fields[2].0, code.len(), "a METIS format code is up to three digits 0 or 1"));
    }
    let digit = |place: usize| code.len() > place && code.as_bytes()[code.len() - 1 - place] == b'1';
    let constraints = if fields.len() == 4 { number(3)? } else { 1 };
    let vertices = usize::try_from(vertices).unwrap_or(usize::MAX);
    let vertex_weights = if digit(1) { usize::try_from(constraints).unwrap_or(usize::MAX) } else { 0 };
    Ok(Header { vertices, edges, sizes: digit(2), vertex_weights, edge_weights: digit(0) })
}

/// The lines of the vertices: as many as the header says, and nothing behind them.
fn body<'l>(file: &str, lines: &'l [(usize, usize)], bytes: &[u8], header: Header) -> Result<&'l [(usize, usize)], ReadError> {
    if lines.len() < header.vertices {
        let what = format!("the header says {} vertices, but only {} lines follow", header.vertices, lines.len());
        return Err(ReadError::file(file, what));
    }
    let (body, rest) = lines.split_at(header.vertices);
    match rest.iter().find(|&&(start, end)| text::skip_spaces(&bytes[..end], start) < end) {
        Some(&(start, end)) => Err(Fault::new(start, end - start, "a line behind the last vertex").error(file, bytes, 0)),
        None => Ok(body),
    }
}

/// What some lines hold.
#[derive(Default)]
struct Piece {
    masses: Vec<f64>,
    plain: Vec<u64>,
    weighted: Vec<(u64, f64)>,
}

impl Piece {
    fn parse(bytes: &[u8], lines: &[(usize, usize)], first: usize, header: Header) -> Result<Self, Fault> {
        let mut piece = Self::default();
        for (k, &line) in lines.iter().enumerate() {
            piece.line(bytes, line, first + k, header)?;
        }
        Ok(piece)
    }

    fn line(&mut self, bytes: &[u8], (start, end): (usize, usize), vertex: usize, header: Header) -> Result<(), Fault> {
        let line = &bytes[..end];
        let mut at = text::skip_spaces(line, start);
        if header.sizes {
            at = weight(line, at, "a vertex size is missing")?.1;
        }
        for constraint in 0..header.vertex_weights {
            let (mass, next) = weight(line, at, "a vertex weight is missing")?;
            if constraint == 0 {
                self.masses.push(mass);
            }
            at = next;
        }
        while at < end {
            let (target, next) = neighbour(line, at, header.vertices)?;
            let arc = pack(vertex as Vertex, target);
            at = next;
            if header.edge_weights {
                let (value, next) = weight(line, at, "an edge weight is missing")?;
                self.weighted.push((arc, value));
                at = next;
            } else {
                self.plain.push(arc);
            }
        }
        Ok(())
    }
}

/// The number at `at` and the start of the next word.
fn weight(line: &[u8], at: usize, missing: &'static str) -> Result<(f64, usize), Fault> {
    let end = text::word_end(line, at);
    if end == at {
        return Err(Fault::new(at, line.len() - at, missing));
    }
    let value = text::weight(&line[at..end]).map_err(|what| Fault::new(at, end - at, what))?;
    Ok((value, text::skip_spaces(line, end)))
}

/// The neighbour at `at`, counted from 0, and the start of the next word.
fn neighbour(line: &[u8], at: usize, vertices: usize) -> Result<(Vertex, usize), Fault> {
    let end = text::word_end(line, at).max(at + 1);
    let fault = |what: String| Fault::new(at, end - at, what);
    match text::integer(line, at) {
        Some((id, after)) if after == end && id >= 1 && id <= vertices as u64 => {
            Ok(((id - 1) as Vertex, text::skip_spaces(line, after)))
        }
        Some((_, after)) if after == end => Err(fault(format!("a neighbour outside 1 to {vertices}"))),
        _ => Err(fault("not a neighbour number".to_owned())),
    }
}

/// Writes a METIS graph: edge weights if the graph has them, vertex weights if given.
pub(super) fn write<W: Weight>(out: &mut dyn Write, graph: &Graph<W>, masses: Option<&[f64]>) -> io::Result<()> {
    let code = match (masses.is_some(), W::UNIT) {
        (false, true) => "",
        (false, false) => " 001",
        (true, true) => " 010",
        (true, false) => " 011",
    };
    writeln!(out, "{} {}{code}", graph.vertices(), graph.edges())?;
    let rows = graph.rows();
    for i in 0..graph.vertices() {
        let mut gap = "";
        if let Some(masses) = masses {
            write!(out, "{}", masses[i])?;
            gap = " ";
        }
        for (j, weight) in rows.row(i) {
            write!(out, "{gap}{}", j + 1)?;
            gap = " ";
            if !W::UNIT {
                write!(out, " {weight}")?;
            }
        }
        writeln!(out)?;
    }
    Ok(())
}
