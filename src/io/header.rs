//! Header rows: whether the first line of a table only names its columns, and what usual names mean.
//!
//! An edge that is taken for a header is lost, so a line counts as a header only beyond doubt: it
//! could not be an edge of this file, or it names two columns the way people do and no vertex of the
//! file has such a name.

use super::table::is_missing;
use super::text::{self, Field};
use crate::graph::names::canonical_integer;

/// Words for the two ends of an edge.
const ENDS: [(&str, &str); 15] = [
    ("source", "target"),
    ("source", "destination"),
    ("source", "dest"),
    ("src", "dst"),
    ("src", "dest"),
    ("src", "tgt"),
    ("from", "to"),
    ("start", "end"),
    ("sender", "receiver"),
    ("sender", "recipient"),
    ("follower", "followee"),
    ("citing", "cited"),
    ("tail", "head"),
    ("u", "v"),
    ("i", "j"),
];

/// Words for how strong an edge is.
const WEIGHTS: [&str; 15] = [
    "weight",
    "weights",
    "wt",
    "w",
    "amount",
    "value",
    "count",
    "counts",
    "strength",
    "score",
    "similarity",
    "capacity",
    "frequency",
    "freq",
    "width",
];

/// Words for what is no weight, though it may be a number.
const OTHERS: [&str; 15] = [
    "time",
    "timestamp",
    "date",
    "datetime",
    "year",
    "month",
    "day",
    "type",
    "kind",
    "label",
    "id",
    "name",
    "class",
    "category",
    "comment",
];

/// The words of a column's name, in lower case: `FromNodeId` and `from_node_id` are the same three,
/// `node1` is two.
fn words(name: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut before = ' ';
    for character in name.chars() {
        let starts = !before.is_alphanumeric()
            || before.is_numeric() != character.is_numeric()
            || (before.is_lowercase() && character.is_uppercase());
        if character.is_alphanumeric() {
            if starts {
                words.push(String::new());
            }
            if let Some(word) = words.last_mut() {
                word.extend(character.to_lowercase());
            }
        }
        before = character;
    }
    words
}

/// Whether two columns are called like the ends of an edge: their names differ in one word, which is
/// a pair of [`ENDS`] or the numbers 1 and 2. Pairs of single letters only count if `short`.
fn name_ends(source: &str, target: &str, short: bool) -> bool {
    let (source, target) = (words(source), words(target));
    if source.len() != target.len() {
        return false;
    }
    let mut differing = source.iter().zip(&target).filter(|(s, t)| s != t);
    let (Some((s, t)), None) = (differing.next(), differing.next()) else {
        return false;
    };
    let numbered = source.len() > 1 && (s.as_str(), t.as_str()) == ("1", "2");
    let paired = ENDS.contains(&(s, t)) && (short || s.len() > 1);
    numbered || paired
}

/// The columns that are called like the ends of an edge: the first such pair.
pub(super) fn ends_among(names: &[&str], short: bool) -> Option<(usize, usize)> {
    let pairs = (0..names.len()).flat_map(|s| (0..names.len()).map(move |t| (s, t)));
    let mut named = pairs.filter(|&(s, t)| s != t && name_ends(names[s], names[t], short));
    named.next()
}

/// Whether a column is called like a weight.
pub(super) fn names_weight(name: &str) -> bool {
    words(name)
        .iter()
        .any(|word| WEIGHTS.contains(&word.as_str()))
}

/// Whether a column is called like something that is no weight.
pub(super) fn names_other(name: &str) -> bool {
    let words = words(name);
    !names_weight(name) && words.iter().any(|word| OTHERS.contains(&word.as_str()))
}

/// A line of the text, as fields.
pub(super) type Line<'a> = Vec<Field<'a>>;

/// Whether a field is an integer id. In quotes it is a name that looks like one.
pub(super) fn is_integer(block: &[u8], field: &Field<'_>) -> bool {
    !is_quoted(block, field) && canonical_integer(&field.1).is_some()
}

fn is_quoted(block: &[u8], field: &Field<'_>) -> bool {
    block.get(field.0) == Some(&b'"')
}

/// Why the first line counts as a header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Header {
    /// It does not.
    Absent,
    /// It could not be an edge of this file.
    Certain,
    /// It names the ends of an edge, in these columns; should a vertex of the file have one of these
    /// names, that would be in doubt.
    Named(usize, usize),
}

/// Whether the first line only names the columns, judged by the lines below it.
pub(super) fn header(block: &[u8], first: &Line<'_>, below: &[Line<'_>]) -> Header {
    let is_word = |field: &Field<'_>| {
        let starts = field.1.starts_with(|c: char| c.is_alphabetic() || c == '_');
        starts && !is_missing(&field.1) && field.1.parse::<f64>().is_err()
    };
    if first.len() < 2 || !is_word(&first[0]) || !is_word(&first[1]) {
        return Header::Absent;
    }
    let above_integers = |line: &Line<'_>| {
        line.len() >= 2 && is_integer(block, &line[0]) && is_integer(block, &line[1])
    };
    if !below.is_empty() && below.iter().all(above_integers) {
        return Header::Certain;
    }
    let comes_back = |field: &Field<'_>| below.iter().flatten().any(|other| other.1 == field.1);
    if comes_back(&first[0]) || comes_back(&first[1]) {
        return Header::Absent;
    }
    let is_weight = |field: &Field<'_>| text::weight(field.1.as_bytes()).is_ok();
    let above_numbers = |column: usize| {
        is_word(&first[column])
            && below
                .iter()
                .all(|line| line.get(column).is_some_and(is_weight))
    };
    if !below.is_empty() && (2..first.len()).any(above_numbers) {
        return Header::Certain;
    }
    let names: Vec<&str> = first.iter().map(|field| field.1.as_ref()).collect();
    let Some((source, target)) = ends_among(&names, false) else {
        return Header::Absent;
    };
    // Quotes around these names alone are how an edge between such vertices is written.
    let quoted = |line: &Line<'_>| {
        let field = |column: usize| line.get(column).is_some_and(|f| is_quoted(block, f));
        field(source) && field(target)
    };
    if quoted(first) && !below.first().is_some_and(quoted) {
        return Header::Absent;
    }
    Header::Named(source, target)
}

/// Whether an edge between vertices of these names, in the first line of a list, would be taken for a
/// header.
pub(super) fn reads_like_header(source: &str, target: &str) -> bool {
    name_ends(source, target, false)
}
