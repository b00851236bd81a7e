//! METIS `.graph` files.
//!
//! The first line is `vertices edges [fmt [ncon]]`; line `i` after it lists vertex `i`: its size
//! (if `fmt` = `1..`), its `ncon` weights (`.1.`), then its neighbours, counted from 1, each
//! followed by the weight of the edge (`..1`). Every edge stands in both lines of its ends; `edges`
//! counts it once. Comment lines start with `%`; an empty line is a vertex without neighbours.
//!
//! The text is cut at line ends into pieces of fixed size. A first pass counts their lines and
//! words, which gives each piece its first vertex and room for its arcs; a second parses all pieces
//! in parallel into one array. The builder finds an arc without an equal reverse.
//!
//! A lenient reader leaves out lines that are wrong, counts them, and takes an edge that only one
//! of its ends lists.

use super::error::{Fault, ReadError, Remedy};
use super::layout::{Settings, Weights};
use super::numbering::{RawRow, close_gaps, fill_parts};
use super::options::Raw;
use super::text::{self, Number};
use crate::graph::names::Names;
use crate::graph::{Counts, Csr, EdgeList, Listing, RawRows, Weight, pack};
use crate::ids::{MAX_VERTICES, TooManyVertices, Vertex};
use rayon::prelude::*;
use std::io::{self, Write};

/// The first line.
#[derive(Debug, Clone, Copy)]
struct Header {
    vertices: Number,
    edges: Number,
    sizes: bool,
    vertex_weights: u64,
    weights: Weights,
    /// Where the lines of the vertices start.
    body: usize,
}

/// A METIS file.
pub(super) struct Read {
    pub raw: Raw,
    /// What is wrong with the number of edges that the header promises, provided that every edge
    /// stands in two lines.
    pub miscounted: Option<ReadError>,
}

/// The lines of `bytes[at..]` that are not comments: start and end.
fn lines(bytes: &[u8], mut at: usize) -> impl Iterator<Item = (usize, usize)> + '_ {
    std::iter::from_fn(move || {
        while at < bytes.len() {
            let (start, end) = (at, text::line_end(bytes, at));
            at = end + 1;
            if bytes[start] != b'%' {
                return Some((start, start + text::trim_line(&bytes[start..end]).len()));
            }
        }
        None
    })
}

/// Reads a METIS graph.
pub(super) fn read(file: &str, bytes: &[u8], settings: Settings<'_>) -> Result<Read, ReadError> {
    let Some(first) = lines(bytes, 0).next() else {
        return Err(ReadError::file(
            file,
            "no header: the file holds only comments",
        ));
    };
    let header =
        header(bytes, first, settings.unweighted).map_err(|fault| fault.error(file, bytes, 0))?;
    let body = Body::of(file, bytes, header, settings)?;
    if header.weights == Weights::Read {
        body.read::<(u64, f64)>(RawRows::Weighted)
    } else {
        body.read::<u64>(RawRows::Plain)
    }
}

/// The error for an arc (vertices counted from 0) without an equal reverse, at its place.
pub(super) fn unmirrored(file: &str, bytes: &[u8], source: Vertex, target: Vertex) -> ReadError {
    let line = lines(bytes, 0).nth(source as usize + 1).unwrap_or((0, 0));
    let fields = text::fields(bytes, line.0, line.1, text::Separator::Space).unwrap_or_default();
    let name = (target + 1).to_string();
    let at = fields.iter().rfind(|f| f.1 == name).map_or(line.0, |f| f.0);
    let what = format!(
        "vertex {} lists this neighbour, but is not listed by it with equal weight",
        source + 1
    );
    Fault::new(at, name.len(), what).error(file, bytes, 0)
}

fn header(bytes: &[u8], (start, end): (usize, usize), unweighted: bool) -> Result<Header, Fault> {
    let fields = text::fields(bytes, start, end, text::Separator::Space)?;
    let number = |at: usize| Number::of(&fields[at], "not a number of the METIS header");
    if !(2..=4).contains(&fields.len()) {
        return Err(Fault::new(
            start,
            end - start,
            "a METIS header has 2 to 4 numbers: vertices, edges, format, constraints",
        ));
    }
    let (vertices, edges) = (number(0)?, number(1)?);
    let code = fields.get(2).map_or("0", |f| f.1.as_ref());
    let bits = code.bytes().all(|b| b == b'0' || b == b'1') && code.len() <= 3;
    if !bits {
        return Err(Fault::new(
            fields[2].0,
            code.len(),
            "a METIS format code is up to three digits 0 or 1",
        ));
    }
    let digit =
        |place: usize| code.len() > place && code.as_bytes()[code.len() - 1 - place] == b'1';
    let constraints = if fields.len() == 4 {
        number(3)?.value
    } else {
        1
    };
    let vertex_weights = if digit(1) { constraints } else { 0 };
    let weights = if digit(0) {
        Weights::present(unweighted)
    } else {
        Weights::Absent
    };
    let body = (text::line_end(bytes, end) + 1).min(bytes.len());
    Ok(Header {
        vertices,
        edges,
        sizes: digit(2),
        vertex_weights,
        weights,
        body,
    })
}

/// The lines of the vertices, cut into pieces.
struct Body<'a> {
    file: &'a str,
    bytes: &'a [u8],
    header: Header,
    settings: Settings<'a>,
    vertices: usize,
    pieces: Vec<(usize, usize)>,
    /// The first vertex of each piece.
    firsts: Vec<usize>,
    /// An upper bound of the arcs of each piece.
    room: Vec<usize>,
}

impl<'a> Body<'a> {
    /// Counts before anything is allocated for the vertices that the header claims.
    fn of(
        file: &'a str,
        bytes: &'a [u8],
        header: Header,
        settings: Settings<'a>,
    ) -> Result<Self, ReadError> {
        let pieces = text::pieces(bytes, header.body);
        let count = |&(from, to): &(usize, usize)| {
            (
                lines(&bytes[..to], from).count(),
                text::words(&bytes[from..to]),
            )
        };
        let counted: Vec<(usize, usize)> = pieces.par_iter().map(count).collect();
        let found: usize = counted.iter().map(|piece| piece.0).sum();
        let claimed = header.vertices;
        if claimed.value > found as u64 && !settings.lenient {
            let what = format!("the header says this many vertices, but only {found} lines follow");
            return Err(claimed.fault(what).error(file, bytes, 0));
        }
        let vertices = claimed.value.min(found as u64) as usize;
        if vertices > MAX_VERTICES {
            return Err(claimed
                .fault(TooManyVertices(vertices).to_string())
                .error(file, bytes, 0));
        }
        let words_an_arc = if header.weights == Weights::Absent {
            1
        } else {
            2
        };
        let room = counted.iter().map(|piece| piece.1 / words_an_arc).collect();
        let firsts = counted
            .iter()
            .scan(0, |next, piece| {
                Some(std::mem::replace(next, *next + piece.0))
            })
            .collect();
        Ok(Self {
            file,
            bytes,
            header,
            settings,
            vertices,
            pieces,
            firsts,
            room,
        })
    }

    fn read<R: RawRow>(self, rows_of: impl FnOnce(Vec<R>) -> RawRows) -> Result<Read, ReadError> {
        let Self {
            file,
            bytes,
            header,
            settings,
            vertices,
            ..
        } = self;
        let fail = |fault: Fault| fault.error(file, bytes, 0);
        let total: usize = self.room.iter().sum();
        settings
            .budget
            .check(file, (total * size_of::<R>() + 8 * vertices) as u64)?;
        let mut rows = vec![R::default(); total];
        let parse =
            |p: usize, out: &mut [R]| Piece::parse(&self, self.pieces[p], self.firsts[p], out);
        let pieces = fill_parts(&mut rows, &self.room, parse);
        let (mut masses, mut sum, mut kept) = (
            Vec::new(),
            Piece::default(),
            Vec::with_capacity(pieces.len()),
        );
        for mut piece in pieces {
            if let Some(fault) = piece.fault {
                return Err(fail(fault));
            }
            masses.append(&mut piece.masses);
            kept.push(piece.rows);
            sum.add(&piece);
        }
        close_gaps(&mut rows, 0, &self.room, &kept);
        let found = u64::midpoint(sum.rows as u64 + sum.zero_weights, sum.loops);
        let wrong = found != header.edges.value;
        let what = || format!("the header says this many edges, but the lines hold {found}");
        let miscounted = (wrong && !settings.lenient).then(|| fail(header.edges.fault(what())));
        // Of a lenient reader the header is one more line that is wrong.
        let wrong_header = settings.lenient && (wrong || header.vertices.value > vertices as u64);
        let counts = Counts {
            comments: text::comments(&bytes[..header.body], b"%") + sum.comments,
            skipped: sum.skipped + u64::from(wrong_header),
            zero_weights: sum.zero_weights,
            ..Counts::default()
        };
        let listing = if settings.lenient {
            Listing::Arcs
        } else {
            Listing::Mirrored
        };
        let edges = EdgeList {
            vertices,
            rows: rows_of(rows),
            listing,
        };
        let masses = (header.vertex_weights > 0).then_some(masses);
        let names = Names::Range {
            first: 1,
            count: vertices,
        };
        Ok(Read {
            raw: Raw {
                edges,
                names,
                counts,
                masses,
            },
            miscounted,
        })
    }
}

/// What a piece of the text holds, beside its arcs.
#[derive(Default)]
struct Piece {
    rows: usize,
    masses: Vec<f64>,
    loops: u64,
    comments: u64,
    skipped: u64,
    zero_weights: u64,
    fault: Option<Fault>,
}

impl Piece {
    fn add(&mut self, other: &Self) {
        self.rows += other.rows;
        self.loops += other.loops;
        self.comments += other.comments;
        self.skipped += other.skipped;
        self.zero_weights += other.zero_weights;
    }

    /// Parses the lines of `bytes[from..to]`, of which the first is that of vertex `first`.
    fn parse<R: RawRow>(
        body: &Body<'_>,
        (from, to): (usize, usize),
        first: usize,
        out: &mut [R],
    ) -> Self {
        let text = &body.bytes[..to];
        let mut piece = Self {
            comments: text::comments(&text[from..], b"%"),
            ..Self::default()
        };
        for (vertex, line) in (first..).zip(lines(text, from)) {
            let (rows, loops, zero_weights) = (piece.rows, piece.loops, piece.zero_weights);
            match piece.line(text, line, vertex, body, out) {
                Ok(()) => {}
                Err(_) if body.settings.lenient => {
                    (piece.rows, piece.loops, piece.zero_weights) = (rows, loops, zero_weights);
                    piece.skipped += 1;
                }
                Err(fault) => {
                    piece.fault = Some(fault);
                    break;
                }
            }
            // A vertex whose line was left out counts once, as in a file without vertex weights.
            if body.header.vertex_weights > 0 && vertex < body.vertices {
                piece.masses.resize(vertex - first + 1, 1.0);
            }
        }
        piece
    }

    fn line<R: RawRow>(
        &mut self,
        text: &[u8],
        (start, end): (usize, usize),
        vertex: usize,
        body: &Body<'_>,
        out: &mut [R],
    ) -> Result<(), Fault> {
        let (line, header) = (&text[..end], body.header);
        let mut at = text::skip_spaces(line, start);
        if vertex >= body.vertices {
            return if at == end {
                Ok(())
            } else {
                Err(Fault::new(
                    start,
                    end - start,
                    "a line behind the last vertex",
                ))
            };
        }
        if header.sizes {
            at = mass(line, at, "a vertex size is missing")?.1;
        }
        for constraint in 0..header.vertex_weights {
            let (value, next) = mass(line, at, "a vertex weight is missing")?;
            if constraint == 0 {
                self.masses.push(value);
            }
            at = next;
        }
        while at < end {
            let (target, next) = neighbour(line, at, body.vertices)?;
            let (weight, next) = edge_weight(line, next, header.weights)?;
            at = next;
            self.loops += u64::from(target as usize == vertex);
            if header.weights == Weights::Ignored && weight == 0.0 {
                self.zero_weights += 1;
            } else {
                out[self.rows] = R::new(pack(vertex as Vertex, target), weight);
                self.rows += 1;
            }
        }
        Ok(())
    }
}

/// The word at `at`, which must be there, and the start of the next one.
fn word<'l>(line: &'l [u8], at: usize, missing: &'static str) -> Result<(&'l [u8], usize), Fault> {
    let end = text::word_end(line, at);
    if end == at {
        return Err(Fault::new(at, line.len() - at, missing));
    }
    Ok((&line[at..end], text::skip_spaces(line, end)))
}

/// The size or weight of a vertex at `at` and the start of the next word.
fn mass(line: &[u8], at: usize, missing: &'static str) -> Result<(f64, usize), Fault> {
    let (token, next) = word(line, at, missing)?;
    let value = text::weight(token).map_err(|what| Fault::new(at, token.len(), what))?;
    Ok((value, next))
}

/// The weight of an edge at `at`, if there are any, and the start of the next word.
fn edge_weight(line: &[u8], at: usize, weights: Weights) -> Result<(f64, usize), Fault> {
    if weights == Weights::Absent {
        return Ok((1.0, at));
    }
    let (token, next) = word(line, at, "an edge weight is missing")?;
    let value = weights
        .of(token)
        .map_err(|what| Fault::new(at, token.len(), what).with_remedy(Remedy::IgnoreWeights))?;
    Ok((value, next))
}

/// The neighbour at `at`, counted from 0, and the start of the next word.
fn neighbour(line: &[u8], at: usize, vertices: usize) -> Result<(Vertex, usize), Fault> {
    let end = text::word_end(line, at).max(at + 1);
    let fault = |what: String| Fault::new(at, end - at, what);
    match text::integer(line, at) {
        Some((id, after)) if after == end && id >= 1 && id <= vertices as u64 => {
            Ok(((id - 1) as Vertex, text::skip_spaces(line, after)))
        }
        Some((_, after)) if after == end => {
            Err(fault(format!("a neighbour outside 1 to {vertices}")))
        }
        _ => Err(fault("not a neighbour number".to_owned())),
    }
}

/// Writes a METIS graph: edge weights if the graph has them, vertex weights if given.
pub(super) fn write<W: Weight>(
    out: &mut dyn Write,
    graph: &Csr<W>,
    masses: Option<&[f64]>,
) -> io::Result<()> {
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
