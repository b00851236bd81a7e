//! How a text edge list is laid out: its separator, its columns, whether ids are integers, whether
//! it has a header.

use super::error::Fault;
use super::source::Budget;
use super::text::{self, Field, Separator};
use crate::graph::names::canonical_integer;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// Data lines that are looked at to decide.
const SAMPLE: usize = 64;

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
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Settings {
    pub ids: IdKind,
    pub header: Option<bool>,
    pub lenient: bool,
    /// Ignore the weights.
    pub unweighted: bool,
    pub budget: Budget,
}

/// The third column of an edge list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Weights {
    /// There is none.
    Absent,
    /// It holds weights.
    Read,
    /// Whatever it holds, the edge counts 1; only a weight of 0 still means that there is no edge.
    Ignored,
}

impl Weights {
    /// A column that is there, to be read or not.
    pub fn present(unweighted: bool) -> Self {
        if unweighted {
            Self::Ignored
        } else {
            Self::Read
        }
    }

    /// The weight in `token`.
    pub fn of(self, token: &[u8]) -> Result<f64, Cow<'static, str>> {
        match text::weight(token) {
            Ok(weight) if self == Self::Ignored => Ok(if weight == 0.0 { 0.0 } else { 1.0 }),
            Err(_) if self == Self::Ignored && !token.is_empty() => Ok(1.0),
            Ok(weight) => Ok(weight),
            Err(what) => Err(format!("{what} (--unweighted ignores weights)").into()),
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

/// The layout of a text and where its data starts; `None` if there is no data.
pub(super) fn detect(
    block: &[u8],
    from: usize,
    settings: Settings,
) -> Result<Option<(Layout, usize)>, Fault> {
    let Settings {
        ids,
        header,
        unweighted,
        ..
    } = settings;
    let sample: Vec<(usize, usize)> = data_lines(block, from).take(SAMPLE).collect();
    let Some(&(start, end)) = sample.first() else {
        return Ok(None);
    };
    let separator = Separator::of(&block[start..end]);
    let first = text::fields(block, start, end, separator)?;
    let second = sample
        .get(1)
        .map(|&(s, e)| text::fields(block, s, e, separator))
        .transpose()
        .unwrap_or(None);
    let has_header = header.unwrap_or_else(|| looks_like_header(&first, second.as_deref()));
    let data = if has_header {
        &sample[1..]
    } else {
        &sample[..]
    };
    let Some(&(start, end)) = data.first() else {
        return Err(Fault::new(start, end - start, "a header row without data"));
    };
    let names = match ids {
        IdKind::Integer => false,
        IdKind::Name => true,
        IdKind::Auto => {
            let integers = data.iter().filter(|&&(s, e)| {
                text::fields(block, s, e, separator)
                    .is_ok_and(|f| f.len() >= 2 && is_integer(&f[0]) && is_integer(&f[1]))
            });
            2 * integers.count() < data.len()
        }
    };
    let separator = if !names && separator == Separator::Tab {
        Separator::Space
    } else {
        separator
    };
    let fields = text::fields(block, start, end, separator)?;
    match fields.len() {
        columns @ (2 | 3) => {
            let weights = if columns == 2 {
                Weights::Absent
            } else {
                Weights::present(unweighted)
            };
            Ok(Some((
                Layout {
                    separator,
                    weights,
                    names,
                    bounds: None,
                },
                start,
            )))
        }
        0 | 1 => Err(Fault::new(
            start,
            end - start,
            "expected 2 or 3 columns, found 1",
        )),
        more => Err(Fault::new(
            fields[3].0,
            end - fields[3].0,
            format!("expected 2 or 3 columns, found {more}; the surplus"),
        )),
    }
}

fn is_integer(field: &Field<'_>) -> bool {
    canonical_integer(&field.1).is_some()
}

/// Whether the first line only names the columns: words above integers, a word above numbers, or
/// well-known names.
fn looks_like_header(first: &[Field<'_>], second: Option<&[Field<'_>]>) -> bool {
    const SOURCES: [&str; 12] = [
        "source",
        "src",
        "from",
        "fromnodeid",
        "node1",
        "node_1",
        "id1",
        "id_1",
        "vertex1",
        "u",
        "i",
        "start",
    ];
    let word = |field: &Field<'_>| field.1.starts_with(|c: char| c.is_alphabetic() || c == '_');
    if first.len() < 2 || !word(&first[0]) || !word(&first[1]) {
        return false;
    }
    let above_integers =
        second.is_some_and(|s| s.len() >= 2 && is_integer(&s[0]) && is_integer(&s[1]));
    let is_weight = |field: &Field<'_>| text::weight(field.1.as_bytes()).is_ok();
    let above_weights = first.len() == 3
        && word(&first[2])
        && second.is_some_and(|s| s.len() == 3 && is_weight(&s[2]));
    above_integers || above_weights || SOURCES.contains(&first[0].1.to_lowercase().as_str())
}

impl Layout {
    fn columns(self) -> usize {
        if self.weights == Weights::Absent {
            2
        } else {
            3
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
        let fields = self.counted_fields(block, start, end)?;
        if let Some((at, _)) = fields[..2].iter().find(|(_, name)| name.is_empty()) {
            return Err(Fault::new(*at, 0, "an empty name"));
        }
        let weight = match fields.get(2) {
            None => 1.0,
            Some((at, field)) => self
                .weights
                .of(field.as_bytes())
                .map_err(|what| Fault::new(*at, field.len(), what))?,
        };
        let mut names = fields.into_iter().map(|(_, name)| name);
        Ok((
            names.next().unwrap_or_default(),
            names.next().unwrap_or_default(),
            weight,
        ))
    }

    fn counted_fields(
        self,
        block: &[u8],
        start: usize,
        end: usize,
    ) -> Result<Vec<Field<'_>>, Fault> {
        let fields = text::fields(block, start, end, self.separator)?;
        let (found, wanted) = (fields.len(), self.columns());
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
        let fields = match self.counted_fields(block, at, end) {
            Ok(fields) => fields,
            Err(fault) => return fault,
        };
        for (start, id) in &fields[..2] {
            if let Some(what) = wrong_id(id) {
                return Fault::new(*start, id.len(), what);
            }
        }
        if let Some((start, field)) = fields.get(2)
            && let Err(what) = self.weights.of(field.as_bytes())
        {
            return Fault::new(*start, field.len(), what);
        }
        let ids = canonical_integer(&fields[0].1).zip(canonical_integer(&fields[1].1));
        let outside = self
            .bounds
            .zip(ids)
            .and_then(|(bounds, (source, target))| bounds.fault((at, end), source, target));
        outside.unwrap_or_else(|| Fault::new(at, end - at, "a malformed line"))
    }
}

/// What is wrong with an integer id.
pub(super) fn wrong_id(id: &str) -> Option<&'static str> {
    let digits = |s: &str| !s.is_empty() && s.bytes().all(|b| b.is_ascii_digit());
    match id {
        "" => Some("an empty column where a vertex id should be"),
        _ if canonical_integer(id).is_some() => None,
        _ if digits(id) && id.starts_with('0') => {
            Some("a vertex id with a leading zero (--ids name reads ids as names)")
        }
        _ if digits(id) => Some("a vertex id of more than 64 bits"),
        _ if id.starts_with('-') && digits(&id[1..]) => Some("a negative vertex id"),
        _ => Some("not an integer vertex id (--ids name reads ids as names)"),
    }
}
