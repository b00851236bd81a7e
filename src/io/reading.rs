//! What a caller says about the columns of an edge list, and what a person is told about how a file
//! was understood.

use super::format::Format;
use super::shown::visible;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Which columns of an edge list hold the ends and the weight of an edge: each a name of the header
/// row, or a number from 1. What is left open is guessed from usual names.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Columns {
    /// One end.
    pub source: Option<String>,
    /// The other end.
    pub target: Option<String>,
    /// The weight.
    pub weight: Option<String>,
}

impl Columns {
    /// Whether a column is given by a name, which only a header can have.
    pub(super) fn need_header(&self) -> bool {
        let given = [&self.source, &self.target, &self.weight];
        given
            .into_iter()
            .flatten()
            .any(|c| c.parse::<usize>().is_err())
    }
}

/// How an input was understood. As text it is what a person would want to check.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Reading {
    /// The format.
    pub format: Format,
    /// What an edge list says of itself.
    pub edge_list: Option<EdgeListReading>,
}

/// How an edge list was understood.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct EdgeListReading {
    /// What stands between the columns.
    pub separator: char,
    /// Whether the first line names the columns.
    pub header: bool,
    /// What the columns of the two ends are called; `column 1`, … without a header.
    pub ends: [String; 2],
    /// What the column of the weights is called, if there is one.
    pub weight: Option<String>,
    /// Whether vertices have names; otherwise they are integers.
    pub names: bool,
    /// How many columns are neither an end nor a weight.
    pub ignored: usize,
    /// Whether weights are written with a decimal comma.
    pub decimal_comma: bool,
}

impl Reading {
    /// A format that explains itself.
    pub(super) fn of(format: Format) -> Self {
        Self {
            format,
            edge_list: None,
        }
    }
}

impl fmt::Display for Reading {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.edge_list, self.format) {
            (Some(list), _) => list.fmt(f),
            (None, Format::EdgeList) => f.write_str("edge list"),
            (None, Format::Metis) => f.write_str("METIS graph"),
            (None, Format::MatrixMarket) => f.write_str("Matrix Market"),
            (None, Format::Binary) => f.write_str("binary graph"),
        }
    }
}

impl fmt::Display for EdgeListReading {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.separator {
            ',' => "CSV",
            ';' => "CSV with semicolons",
            '\t' => "tab-separated edge list",
            _ => "edge list",
        })?;
        if self.decimal_comma {
            f.write_str(" and decimal commas")?;
        }
        let ids = if self.names { "names" } else { "integers" };
        let [source, target] = [&self.ends[0], &self.ends[1]].map(|name| visible(name));
        let weight = self.weight.as_ref().map(|name| visible(name));
        let plain = !self.header && self.ends == ["column 1", "column 2"];
        if plain {
            let weights = if weight.is_some() {
                "weights"
            } else {
                "no weights"
            };
            write!(f, "; no header; {ids}; {weights}")?;
        } else {
            let header = if self.header { "header" } else { "no header" };
            write!(f, "; {header}; source = {source}, target = {target}, ")?;
            match weight {
                Some(weight) => write!(f, "weight = {weight}")?,
                None => f.write_str("no weights")?,
            }
            write!(f, "; {ids}")?;
        }
        match self.ignored {
            0 => Ok(()),
            1 => f.write_str("; 1 column ignored"),
            more => write!(f, "; {more} columns ignored"),
        }
    }
}
