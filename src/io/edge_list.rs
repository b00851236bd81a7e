//! Text edge lists: `source target [weight]`, one a line.
//!
//! Understood: spaces, tabs, commas or semicolons between the columns; comments starting with `#`
//! or `%`; a header row; `\n` or `\r\n`; a byte order mark; integer ids of up to 64 bits, with or
//! without gaps, or names, quoted or not. What a file uses is decided by its first lines and then
//! holds for all of it: a line that does not fit is an error (or skipped and counted, if lenient).
//!
//! A block of text is cut at line ends into pieces of fixed size that are parsed in parallel, each
//! into its own part of the rows; nothing depends on the number of threads. Rows hold the ids
//! themselves while they fit in 32 bits; wider ids and names are numbered by first appearance block
//! by block. At the end integer ids are renumbered in numeric order, without gaps.

use super::detect::{Detected, detect};
use super::error::{Fault, ReadError, Remedy};
use super::format::Format;
use super::layout::{Bounds, Layout, Settings, Weights};
use super::numbering::{
    Found, Ids, RawRow, close_gaps, fill_parts, name_vertices, number_piece, renumber,
};
use super::options::Raw;
use super::reading::{EdgeListReading, Reading};
use super::source::Source;
use super::text;
use crate::graph::names::Interner;
use crate::graph::{Counts, EdgeList, Listing, RawRows, pack};
use crate::ids::{MAX_VERTICES, Vertex};
use rayon::prelude::*;
use std::borrow::Cow;

/// Reads an edge list, and says how it was understood.
pub(super) fn read(
    source: &mut Source,
    settings: Settings<'_>,
) -> Result<(Raw, Reading), ReadError> {
    let mut reader = Reader::new(source.file.clone(), settings);
    reader.length = source.length();
    reader.settings.budget = settings.budget.beside(source.block_bytes());
    let mut current = source.next_block(Vec::new())?;
    let mut spare = Vec::new();
    while let Some(block) = current {
        let (taken, next) = rayon::join(|| reader.take(&block), || source.next_block(spare));
        taken?;
        current = next?;
        spare = block;
    }
    reader.finish()
}

/// Reads the integer rows of `bytes[start..]` as they are, for formats with a header of their own.
/// The bounds keep ids within 32 bits.
pub(super) fn read_entries(
    file: &str,
    bytes: &[u8],
    start: usize,
    weighted: bool,
    bounds: Bounds,
    settings: Settings<'_>,
) -> Result<(RawRows, Counts), ReadError> {
    let mut reader = Reader::new(file.to_owned(), settings);
    let weights = if weighted {
        Weights::present(settings.unweighted)
    } else {
        Weights::Absent
    };
    reader.start(Layout::entries(weights, bounds));
    reader.counts.comments += comments(&bytes[..start]);
    reader.parse(bytes, start)?;
    Ok((reader.rows, reader.counts))
}

struct Reader<'a> {
    file: String,
    settings: Settings<'a>,
    /// How long the text is, where that is known.
    length: Option<u64>,
    layout: Option<Layout>,
    /// What a person is told about the layout.
    reading: Option<EdgeListReading>,
    /// What the header would be called as an edge, where it stands, and its text, if it may be one.
    doubt: Option<([String; 2], ReadError)>,
    /// Lines before the current block.
    lines: u64,
    rows: RawRows,
    ids: Ids,
    largest: u32,
    counts: Counts,
}

/// What became of a piece of text.
#[derive(Default)]
struct Parsed {
    rows: usize,
    comments: u64,
    skipped: u64,
    zero_weights: u64,
    largest: u32,
    fault: Option<Fault>,
    /// An id needs more than 32 bits.
    wide: bool,
}

impl<'a> Reader<'a> {
    fn new(file: String, settings: Settings<'a>) -> Self {
        let (rows, ids) = (RawRows::Plain(Vec::new()), Ids::Small);
        Self {
            file,
            settings,
            length: None,
            layout: None,
            reading: None,
            doubt: None,
            lines: 0,
            rows,
            ids,
            largest: 0,
            counts: Counts::default(),
        }
    }

    /// Parses a block of whole lines.
    fn take(&mut self, block: &[u8]) -> Result<(), ReadError> {
        let mut start = 0;
        if self.lines == 0 {
            start = after_byte_order_mark(&self.file, block)?;
        }
        if self.layout.is_none() {
            let found = detect(block, start, self.settings);
            if let Some(Detected {
                layout,
                reading,
                data,
                doubt,
            }) = found.map_err(|fault| fault.error(&self.file, block, self.lines))?
            {
                self.start(layout);
                self.reading = Some(reading);
                self.doubt = doubt.map(|(names, line)| (names, self.doubtful(block, line)));
                // Lines before the data are comments, blank, or the header.
                self.counts.comments += comments(&block[start..data]);
                start = data;
            } else {
                self.counts.comments += comments(&block[start..]);
            }
        }
        if self.layout.is_some() {
            self.parse(block, start)?;
        }
        self.lines += text::newlines(block);
        Ok(())
    }

    /// The error for a header that may as well be an edge.
    fn doubtful(&self, block: &[u8], (start, end): (usize, usize)) -> ReadError {
        let what =
            "this line names columns, or it is an edge: a vertex further down has such a name";
        Fault::new(start, end - start, what)
            .with_remedy(Remedy::SayHeader)
            .error(&self.file, block, self.lines)
    }

    fn start(&mut self, layout: Layout) {
        if layout.weights == Weights::Read {
            self.rows = RawRows::Weighted(Vec::new());
        }
        if layout.names {
            self.ids = Ids::Text(Interner::default());
        }
        self.layout = Some(layout);
    }

    fn parse(&mut self, block: &[u8], start: usize) -> Result<(), ReadError> {
        let Some(layout) = self.layout else {
            return Ok(());
        };
        let mut rows = std::mem::replace(&mut self.rows, RawRows::Plain(Vec::new()));
        let result = match &mut rows {
            RawRows::Plain(rows) => self.parse_rows(rows, layout, block, start),
            RawRows::Weighted(rows) => self.parse_rows(rows, layout, block, start),
        };
        self.rows = rows;
        result
    }

    fn parse_rows<R: RawRow>(
        &mut self,
        rows: &mut Vec<R>,
        layout: Layout,
        block: &[u8],
        start: usize,
    ) -> Result<(), ReadError> {
        let pieces = text::pieces(block, start);
        if matches!(self.ids, Ids::Small) && !self.parse_small(rows, layout, block, &pieces)? {
            let mut wide = Interner::default();
            renumber(rows, &mut wide);
            self.ids = Ids::Wide(wide);
        }
        match std::mem::replace(&mut self.ids, Ids::Small) {
            Ids::Small => {}
            Ids::Wide(mut known) => {
                let parsed: Vec<_> = pieces
                    .par_iter()
                    .map(|&p| parse_wide(block, p, layout, self.settings.lenient))
                    .collect();
                for (parsed, found) in parsed {
                    self.account(parsed, block)?;
                    number_piece(&mut known, rows, &found, |&id| id);
                    self.budget(rows, known.bytes())?;
                }
                self.ids = Ids::Wide(known);
            }
            Ids::Text(mut known) => {
                let parsed: Vec<_> = pieces
                    .par_iter()
                    .map(|&p| parse_text(block, p, layout, self.settings.lenient))
                    .collect();
                for (parsed, found) in parsed {
                    self.account(parsed, block)?;
                    number_piece(&mut known, rows, &found, |name| name);
                    self.budget(rows, known.bytes())?;
                }
                self.ids = Ids::Text(known);
            }
        }
        Ok(())
    }

    fn budget<R>(&self, rows: &Vec<R>, names: u64) -> Result<(), ReadError> {
        let bytes = (rows.capacity() * size_of::<R>()) as u64;
        self.settings.budget.check(&self.file, bytes + names)
    }

    /// Adds up what a piece holds; its fault, if any, is the first of the file, because pieces come
    /// in order.
    fn account(&mut self, parsed: Parsed, block: &[u8]) -> Result<(), ReadError> {
        if let Some(fault) = parsed.fault {
            return Err(fault.error(&self.file, block, self.lines));
        }
        self.counts.comments += parsed.comments;
        self.counts.skipped += parsed.skipped;
        self.counts.zero_weights += parsed.zero_weights;
        self.largest = self.largest.max(parsed.largest);
        Ok(())
    }

    /// Makes room for the rows of the whole text, judged by those of its first block, so that they
    /// are not moved when more come.
    fn reserve<R>(&self, rows: &mut Vec<R>, first: usize, block: usize) {
        let blocks = self
            .length
            .map_or(1.0, |length| length as f64 / block.max(1) as f64);
        let expected = (first as f64 * blocks * 1.05) as usize;
        let bytes = (expected * size_of::<R>()) as u64;
        if self.settings.budget.check(&self.file, bytes).is_ok() {
            // Where that much is not to be had, the rows grow as they come.
            let _ = rows.try_reserve_exact(expected);
        }
    }

    /// Parses ids of 32 bits straight into `rows`; `false` (and `rows` as before) when the block
    /// holds wider ones.
    fn parse_small<R: RawRow>(
        &mut self,
        rows: &mut Vec<R>,
        layout: Layout,
        block: &[u8],
        pieces: &[(usize, usize)],
    ) -> Result<bool, ReadError> {
        // A row takes at least four bytes, "1 2\n", so many empty lines do not count.
        let room: Vec<usize> = pieces
            .par_iter()
            .map(|&(from, to)| {
                (text::newlines(&block[from..to]) as usize + 1).min((to - from) / 4 + 1)
            })
            .collect();
        let before = rows.len();
        let total = before + room.iter().sum::<usize>();
        self.settings
            .budget
            .check(&self.file, (total * size_of::<R>()) as u64)?;
        if before == 0 {
            self.reserve(rows, total, block.len());
        }
        rows.resize(total, R::default());
        let lenient = self.settings.lenient;
        let parse = |p: usize, out: &mut [R]| parse_small(block, pieces[p], layout, lenient, out);
        let parsed: Vec<Parsed> = fill_parts(&mut rows[before..], &room, parse);
        if parsed
            .iter()
            .take_while(|p| p.fault.is_none())
            .any(|p| p.wide)
        {
            rows.truncate(before);
            return Ok(false);
        }
        let kept: Vec<usize> = parsed.iter().map(|p| p.rows).collect();
        for parsed in parsed {
            self.account(parsed, block)?;
        }
        close_gaps(rows, before, &room, &kept);
        Ok(true)
    }

    fn finish(self) -> Result<(Raw, Reading), ReadError> {
        let Self {
            file,
            mut rows,
            ids,
            largest,
            counts,
            lines,
            reading,
            doubt,
            ..
        } = self;
        if let (Ids::Text(known), Some((names, error))) = (&ids, doubt)
            && names.iter().any(|name| known.get(name).is_some())
        {
            return Err(error);
        }
        if rows.is_empty() {
            let what = match (lines, counts.skipped, counts.zero_weights) {
                (_, 1.., _) => "no edges: every line was skipped",
                (_, _, 1..) => "no edges: every weight is 0",
                (0, ..) => "the file is empty",
                _ => "no edges: the file holds only comments and empty lines",
            };
            return Err(ReadError::file(&file, what));
        }
        let names = match &mut rows {
            RawRows::Plain(rows) => name_vertices(rows, ids, largest),
            RawRows::Weighted(rows) => name_vertices(rows, ids, largest),
        };
        if names.len() > MAX_VERTICES {
            return Err(ReadError::file(
                &file,
                crate::ids::TooManyVertices(names.len()).to_string(),
            ));
        }
        let edges = EdgeList {
            vertices: names.len(),
            rows,
            listing: Listing::Arcs,
        };
        let raw = Raw {
            edges,
            names,
            counts,
            masses: None,
        };
        let reading = Reading {
            edge_list: reading,
            ..Reading::of(Format::EdgeList)
        };
        Ok((raw, reading))
    }
}

/// Where the text starts.
fn after_byte_order_mark(file: &str, block: &[u8]) -> Result<usize, ReadError> {
    match block {
        [0xef, 0xbb, 0xbf, ..] => Ok(3),
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => Err(ReadError::file(
            file,
            "the text is UTF-16; convert it to UTF-8",
        )),
        _ => Ok(0),
    }
}

fn comments(bytes: &[u8]) -> u64 {
    let starts_comment = |line: &&[u8]| {
        line.iter()
            .find(|b| **b != b' ' && **b != b'\t')
            .is_some_and(|&b| text::is_comment(b))
    };
    bytes.split(|&b| b == b'\n').filter(starts_comment).count() as u64
}

/// What a line of integer ids holds.
enum Line {
    Row(u64, u64, f64),
    Comment,
    Blank,
}

/// Parses the line at `at`; gives the start of the next one. `None` when something is wrong with
/// it.
#[inline]
fn integer_line<const WEIGHTED: bool>(
    bytes: &[u8],
    at: usize,
    layout: Layout,
) -> Option<(Line, usize)> {
    let separator = layout.separator;
    let at = text::skip_spaces(bytes, at);
    let Some((source, after)) = text::integer(bytes, at) else {
        return other_line(bytes, at);
    };
    let at = text::skip_separator(bytes, after, separator)?;
    let (target, mut at) = text::integer(bytes, at)?;
    let mut weight = 1.0;
    if WEIGHTED {
        at = text::skip_separator(bytes, at, separator)?;
        let end = text::word_end(bytes, at);
        weight = layout.weights.of(&bytes[at..end]).ok()?;
        at = end;
    }
    Some((
        Line::Row(source, target, weight),
        text::skip_line_end(bytes, at)?,
    ))
}

/// [`integer_line`] for lines with other columns than those of an edge.
fn picked_line(bytes: &[u8], at: usize, layout: Layout) -> Option<(Line, usize)> {
    let first = text::skip_spaces(bytes, at);
    let end = text::line_end(bytes, at);
    let stop = at + text::trim_line(&bytes[at..end]).len();
    if first >= stop || text::is_comment(bytes[first]) {
        return other_line(bytes, first);
    }
    let (source, target, weight) = layout.integer_row(bytes, at, stop).ok()?;
    Some((
        Line::Row(source, target, weight),
        (end + 1).min(bytes.len()),
    ))
}

/// A line that does not start with an integer.
#[cold]
fn other_line(bytes: &[u8], at: usize) -> Option<(Line, usize)> {
    if bytes.get(at).is_some_and(|&b| text::is_comment(b)) {
        return Some((
            Line::Comment,
            (text::line_end(bytes, at) + 1).min(bytes.len()),
        ));
    }
    text::skip_line_end(bytes, at).map(|next| (Line::Blank, next))
}

/// Goes through the lines of a piece; `row` says whether to go on.
fn integer_lines<const WEIGHTED: bool>(
    block: &[u8],
    (from, to): (usize, usize),
    layout: Layout,
    lenient: bool,
    mut row: impl FnMut(&mut Parsed, u64, u64, f64) -> bool,
) -> Parsed {
    let piece = &block[from..to];
    let mut parsed = Parsed::default();
    let is_plain = layout.is_plain();
    let mut at = 0;
    while at < piece.len() {
        let line = if is_plain {
            integer_line::<WEIGHTED>(piece, at, layout)
        } else {
            picked_line(piece, at, layout)
        };
        match line {
            Some((Line::Row(_, _, weight), next)) if layout.drops(weight) => {
                parsed.zero_weights += 1;
                at = next;
            }
            Some((Line::Row(source, target, weight), next)) if layout.allows(source, target) => {
                if !row(&mut parsed, source, target, weight) {
                    break;
                }
                at = next;
            }
            Some((Line::Comment, next)) => {
                parsed.comments += 1;
                at = next;
            }
            Some((Line::Blank, next)) => at = next,
            _ if lenient => {
                parsed.skipped += 1;
                at = text::line_end(piece, at) + 1;
            }
            _ => {
                parsed.fault = Some(layout.diagnose(piece, at).shifted(from));
                break;
            }
        }
    }
    parsed
}

fn parse_small<R: RawRow>(
    block: &[u8],
    piece: (usize, usize),
    layout: Layout,
    lenient: bool,
    out: &mut [R],
) -> Parsed {
    let take = |parsed: &mut Parsed, source: u64, target: u64, weight: f64| {
        let largest = source.max(target);
        if largest >= u64::from(u32::MAX) {
            parsed.wide = true;
            return false;
        }
        parsed.largest = parsed.largest.max(largest as u32);
        out[parsed.rows] = R::new(pack(source as Vertex, target as Vertex), weight);
        parsed.rows += 1;
        true
    };
    if layout.weights == Weights::Absent {
        integer_lines::<false>(block, piece, layout, lenient, take)
    } else {
        integer_lines::<true>(block, piece, layout, lenient, take)
    }
}

fn parse_wide(
    block: &[u8],
    piece: (usize, usize),
    layout: Layout,
    lenient: bool,
) -> (Parsed, Found<u64>) {
    let mut found = Vec::new();
    let take = |_: &mut Parsed, source: u64, target: u64, weight: f64| {
        found.push((source, target, weight));
        true
    };
    let parsed = if layout.weights == Weights::Absent {
        integer_lines::<false>(block, piece, layout, lenient, take)
    } else {
        integer_lines::<true>(block, piece, layout, lenient, take)
    };
    (parsed, found)
}

fn parse_text(
    block: &[u8],
    (from, to): (usize, usize),
    layout: Layout,
    lenient: bool,
) -> (Parsed, Found<Cow<'_, str>>) {
    let (mut parsed, mut found) = (Parsed::default(), Vec::new());
    let mut at = from;
    while at < to {
        let end = text::line_end(&block[..to], at);
        let stop = at + text::trim_line(&block[at..end]).len();
        let first = text::skip_spaces(&block[..stop], at);
        if first < stop && text::is_comment(block[first]) {
            parsed.comments += 1;
        } else if first < stop {
            match layout.named_row(block, at, stop) {
                Ok(row) if layout.drops(row.2) => parsed.zero_weights += 1,
                Ok(row) => found.push(row),
                Err(_) if lenient => parsed.skipped += 1,
                Err(fault) => {
                    parsed.fault = Some(fault);
                    break;
                }
            }
        }
        at = end + 1;
    }
    (parsed, found)
}
