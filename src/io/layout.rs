//! How a text edge list is laid out: its separator, its columns, whether ids are integers.

use super::error::{Fault, Remedy};
use super::reading::{Columns, EdgeListReading};
use super::source::Budget;
use super::text::{self, Field, Separator};
use crate::graph::names::canonical_integer;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// The most columns that an edge list may have.
pub(super) const MOST_COLUMNS: usize = 1 << 12;

/// What the vertices of an edge list are called.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum IdKind {
    /// Integers if at least half of the first lines name integers, names otherwise.
    #[default]
    Auto,
    /// Integers: anything else is an error.
    Integer,
    /// Names, even if they look like integers.
    Name,
}

/// How an edge list is read.
#[derive(Debug, Clone, Copy)]
pub(super) struct Settings<'a> {
    pub ids: IdKind,
    pub header: Option<bool>,
    pub columns: &'a Columns,
    pub lenient: bool,
    /// Ignore the weights.
    pub unweighted: bool,
    pub budget: Budget,
}

/// The weights of an edge list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Weights {
    /// There is none.
    Absent,
    /// They are read.
    Read,
    /// Whatever they are, the edge counts 1; only a weight of 0 still means that there is no edge.
    Ignored,
}

impl Weights {
    /// Weights that are there, to be read or not.
    pub fn present(unweighted: bool) -> Self {
        if unweighted {
            Self::Ignored
        } else {
            Self::Read
        }
    }

    /// The weight in `token`.
    pub fn of(self, token: &[u8]) -> Result<f64, &'static str> {
        match text::weight(token) {
            Ok(weight) if self == Self::Ignored => Ok(if weight == 0.0 { 0.0 } else { 1.0 }),
            Err(_) if self == Self::Ignored && !token.is_empty() => Ok(1.0),
            other => other,
        }
    }
}

/// Where the ends and the weight of an edge stand in a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Places {
    pub source: usize,
    pub target: usize,
    pub weight: Option<usize>,
    /// How many columns every line has.
    pub columns: usize,
}

impl Places {
    /// `source target [weight]` and nothing else.
    pub fn plain(weighted: bool) -> Self {
        Self {
            source: 0,
            target: 1,
            weight: weighted.then_some(2),
            columns: if weighted { 3 } else { 2 },
        }
    }
}

/// Which ids are allowed, for formats whose header says so.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Bounds {
    /// Ids are 1 to this.
    pub vertices: u64,
    /// The second id of a row is at most the first.
    pub lower_triangle: bool,
}

impl Bounds {
    #[inline]
    fn allow(self, source: u64, target: u64) -> bool {
        let inside = |id: u64| id.wrapping_sub(1) < self.vertices;
        inside(source) && inside(target) && !(self.lower_triangle && target > source)
    }

    fn fault(self, line: (usize, usize), source: u64, target: u64) -> Option<Fault> {
        let outside = |id: u64| id == 0 || id > self.vertices;
        let what = match () {
            () if self.allow(source, target) => return None,
            () if outside(source) || outside(target) => {
                format!("an entry outside 1 to {}", self.vertices)
            }
            () => "an entry above the diagonal of a symmetric matrix".to_owned(),
        };
        Some(Fault::new(line.0, line.1 - line.0, what))
    }
}

/// The layout of an edge list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Layout {
    pub separator: Separator,
    pub weights: Weights,
    pub names: bool,
    pub bounds: Option<Bounds>,
    pub places: Places,
    /// Weights are written with a decimal comma.
    pub decimal_comma: bool,
}

/// The data lines of `block[from..]`: start and end, without comments and blank lines.
pub(super) fn data_lines(block: &[u8], from: usize) -> impl Iterator<Item = (usize, usize)> {
    let mut at = from;
    std::iter::from_fn(move || {
        while at < block.len() {
            let (start, end) = (at, text::line_end(block, at));
            at = end + 1;
            let stop = start + text::trim_line(&block[start..end]).len();
            let first = text::skip_spaces(&block[..stop], start);
            if first < stop && !text::is_comment(block[first]) {
                return Some((start, stop));
            }
        }
        None
    })
}

/// A number with a decimal comma, with a point instead; `None` if it has no comma, or more than one.
pub(super) fn with_point(token: &[u8]) -> Option<Vec<u8>> {
    let mut commas = token.iter().enumerate().filter(|(_, b)| **b == b',');
    let (Some((at, _)), None) = (commas.next(), commas.next()) else {
        return None;
    };
    let mut number = token.to_vec();
    number[at] = b'.';
    text::weight(&number).is_ok().then_some(number)
}

impl Layout {
    /// Integer lines `source target [weight]`, as other formats have them.
    pub fn entries(weights: Weights, bounds: Bounds) -> Self {
        Self {
            separator: Separator::Space,
            weights,
            names: false,
            bounds: Some(bounds),
            places: Places::plain(weights != Weights::Absent),
            decimal_comma: false,
        }
    }

    /// Whether lines hold `source target [weight]` and nothing else.
    pub fn is_plain(self) -> bool {
        self.places == Places::plain(self.weights != Weights::Absent) && !self.decimal_comma
    }

    /// What a person is told about it.
    pub fn reading(self, names: Option<&[String]>) -> EdgeListReading {
        let name = |column: usize| {
            let given = names.and_then(|names| names.get(column));
            given
                .cloned()
                .unwrap_or_else(|| format!("column {}", column + 1))
        };
        let Places {
            source,
            target,
            weight,
            columns,
        } = self.places;
        EdgeListReading {
            separator: self.separator.character(),
            header: names.is_some(),
            ends: [name(source), name(target)],
            weight: weight.map(name),
            names: self.names,
            ignored: columns - 2 - usize::from(weight.is_some()),
            decimal_comma: self.decimal_comma,
        }
    }

    /// Whether a row of these ids may be there.
    #[inline]
    pub fn allows(self, source: u64, target: u64) -> bool {
        self.bounds
            .is_none_or(|bounds| bounds.allow(source, target))
    }

    /// Whether a row of this weight is no edge, and is only counted.
    #[inline]
    pub fn drops(self, weight: f64) -> bool {
        self.weights == Weights::Ignored && weight == 0.0
    }

    /// The row of named vertices in `block[start..end]`.
    pub fn named_row(
        self,
        block: &[u8],
        start: usize,
        end: usize,
    ) -> Result<(Cow<'_, str>, Cow<'_, str>, f64), Fault> {
        let mut fields = self.counted_fields(block, start, end)?;
        let weight = self.weight_in(&fields)?;
        let mut name = |column: usize| {
            let (at, name) = std::mem::take(&mut fields[column]);
            if name.is_empty() {
                Err(Fault::new(at, 0, "an empty name"))
            } else {
                Ok(name)
            }
        };
        Ok((name(self.places.source)?, name(self.places.target)?, weight))
    }

    /// The row of integer ids in `block[start..end]`.
    pub fn integer_row(
        self,
        block: &[u8],
        start: usize,
        end: usize,
    ) -> Result<(u64, u64, f64), Fault> {
        let fields = self.counted_fields(block, start, end)?;
        let id = |column: usize| {
            let (at, id) = &fields[column];
            canonical_integer(id).ok_or_else(|| wrong_id(*at, id))
        };
        let (source, target) = (id(self.places.source)?, id(self.places.target)?);
        Ok((source, target, self.weight_in(&fields)?))
    }

    /// The weight in the fields of a line.
    fn weight_in(self, fields: &[Field<'_>]) -> Result<f64, Fault> {
        let Some((at, field)) = self.places.weight.map(|column| &fields[column]) else {
            return Ok(1.0);
        };
        let token = field.as_bytes();
        let pointed = if self.decimal_comma {
            with_point(token)
        } else {
            None
        };
        self.weights
            .of(pointed.as_deref().unwrap_or(token))
            .map_err(|what| Fault::new(*at, field.len(), what).with_remedy(Remedy::IgnoreWeights))
    }

    fn counted_fields(
        self,
        block: &[u8],
        start: usize,
        end: usize,
    ) -> Result<Vec<Field<'_>>, Fault> {
        let fields = text::fields_up_to(block, start, end, self.separator, MOST_COLUMNS)?;
        let (found, wanted) = (fields.len(), self.places.columns);
        if found < wanted {
            return Err(Fault::new(
                start,
                end - start,
                format!("expected {wanted} columns, found {found}"),
            ));
        }
        if found > wanted {
            let surplus = fields[wanted].0;
            return Err(Fault::new(
                surplus,
                end - surplus,
                format!("expected {wanted} columns, found {found}; the surplus"),
            ));
        }
        Ok(fields)
    }

    /// What is wrong with the line of integer ids at `at`.
    #[cold]
    pub fn diagnose(self, block: &[u8], at: usize) -> Fault {
        let line_end = text::line_end(block, at);
        let end = at + text::trim_line(&block[at..line_end]).len();
        match self.integer_row(block, at, end) {
            Err(fault) => fault,
            Ok((source, target, _)) => self
                .bounds
                .and_then(|bounds| bounds.fault((at, end), source, target))
                .unwrap_or_else(|| Fault::new(at, end - at, "a malformed line")),
        }
    }
}

/// What is wrong with an integer id.
fn wrong_id(at: usize, id: &str) -> Fault {
    let digits = |s: &str| !s.is_empty() && s.bytes().all(|b| b.is_ascii_digit());
    let names = Some(Remedy::IdsAsNames);
    let (what, remedy) = match id {
        "" => ("an empty column where a vertex id should be", None),
        _ if digits(id) && id.starts_with('0') => ("a vertex id with a leading zero", names),
        _ if digits(id) => ("a vertex id of more than 64 bits", None),
        _ if id.starts_with('-') && digits(&id[1..]) => ("a negative vertex id", None),
        _ => ("not an integer vertex id", names),
    };
    Fault::new(at, id.len(), what).with_remedy(remedy)
}
