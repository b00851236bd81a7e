//! What can be wrong with a file, said with the place where a person would look.

use super::format::FormatError;
use super::lines::newlines;
use crate::graph::{BuildError, GraphError, HEAVIEST};
use std::borrow::Cow;
use std::io;
use thiserror::Error;

/// What a caller could ask for so that a refused file can be read after all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Remedy {
    /// Ignore the weights ([`Policy::unweighted`](crate::graph::Policy)).
    IgnoreWeights,
    /// Store weights in double precision ([`Policy::single_precision`](crate::graph::Policy)).
    DoublePrecision,
    /// Read ids as names ([`IdKind::Name`](super::IdKind)).
    IdsAsNames,
    /// Say whether the first row names the columns.
    SayHeader,
    /// Say which columns hold the ends and the weight of an edge ([`Columns`](super::Columns)).
    NameColumns,
    /// Say which format the file has ([`LoadOptions::format`](super::LoadOptions)).
    NameFormat,
    /// Leave out rows with missing values, or fill them ([`Missing`](super::Missing)).
    MissingValues,
}

/// Why a file cannot be read. Messages are one line: what comes from the file is shown with control
/// characters escaped.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ReadError {
    /// The operating system said no.
    #[error("{file}: {cause}")]
    Io {
        /// The file.
        file: String,
        /// What it said.
        cause: io::Error,
    },
    /// A line is wrong.
    #[error("{file}:{line}:{column}: {what}: {text:?}")]
    Line {
        /// The file.
        file: String,
        /// The line, from 1.
        line: u64,
        /// The column in bytes, from 1.
        column: u64,
        /// What is wrong.
        what: Cow<'static, str>,
        /// The offending text.
        text: String,
        /// What would help.
        remedy: Option<Remedy>,
    },
    /// The file as a whole is wrong.
    #[error("{file}: {what}")]
    File {
        /// The file.
        file: String,
        /// What is wrong.
        what: Cow<'static, str>,
        /// What would help.
        remedy: Option<Remedy>,
    },
    /// Reading on would take more memory than allowed.
    #[error(
        "{file}: reading it needs more than the allowed {limit} bytes of memory (at least {needed})"
    )]
    Memory {
        /// The file.
        file: String,
        /// Bytes needed so far.
        needed: u64,
        /// Bytes allowed.
        limit: u64,
    },
    /// Neither name nor content tell a format that is understood.
    #[error(transparent)]
    Format(#[from] FormatError),
    /// The rows break a rule of the policy.
    #[error("{file}: {what}")]
    Policy {
        /// The file.
        file: String,
        /// The rule, with the names of the file.
        what: String,
        /// The same in vertex numbers.
        cause: BuildError,
    },
}

impl ReadError {
    pub(super) fn file(file: &str, what: impl Into<Cow<'static, str>>) -> Self {
        Self::File {
            file: file.to_owned(),
            what: what.into(),
            remedy: None,
        }
    }

    /// The same error, with what would help.
    pub(super) fn with_remedy(mut self, help: Remedy) -> Self {
        if let Self::Line { remedy, .. } | Self::File { remedy, .. } = &mut self {
            *remedy = Some(help);
        }
        self
    }

    /// What a caller could ask for so that the file can be read after all, where that is known.
    pub fn remedy(&self) -> Option<Remedy> {
        match self {
            Self::Line { remedy, .. } | Self::File { remedy, .. } => *remedy,
            Self::Policy {
                cause: BuildError::Graph(GraphError::Range { most, .. }),
                ..
            } if *most < HEAVIEST => Some(Remedy::DoublePrecision),
            Self::Format(_) => Some(Remedy::NameFormat),
            Self::Io { .. } | Self::Memory { .. } | Self::Policy { .. } => None,
        }
    }

    pub(super) fn io(file: &str, cause: io::Error) -> Self {
        Self::Io {
            file: file.to_owned(),
            cause,
        }
    }
}

/// Something wrong at a place of a block of text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Fault {
    /// Where the offending text starts.
    pub at: usize,
    /// How long it is.
    pub len: usize,
    /// What is wrong.
    pub what: Cow<'static, str>,
    /// What would help.
    pub remedy: Option<Remedy>,
}

impl Fault {
    pub fn new(at: usize, len: usize, what: impl Into<Cow<'static, str>>) -> Self {
        Self {
            at,
            len,
            what: what.into(),
            remedy: None,
        }
    }

    /// The same fault, with what would help.
    pub fn with_remedy(self, remedy: impl Into<Option<Remedy>>) -> Self {
        Self {
            remedy: remedy.into(),
            ..self
        }
    }

    /// The same fault in a text that starts `before` bytes earlier.
    pub fn shifted(self, before: usize) -> Self {
        Self {
            at: self.at + before,
            ..self
        }
    }

    /// The error for a fault in `block`, which follows `lines` earlier lines of `file`.
    pub fn error(self, file: &str, block: &[u8], lines: u64) -> ReadError {
        let before = &block[..self.at.min(block.len())];
        let line_start = before
            .iter()
            .rposition(|&b| b == b'\n')
            .map_or(0, |p| p + 1);
        let end = (self.at + self.len).min(block.len());
        ReadError::Line {
            file: file.to_owned(),
            line: lines + newlines(before) + 1,
            column: (before.len() - line_start) as u64 + 1,
            what: self.what,
            text: shortened(&block[before.len()..end]),
            remedy: self.remedy,
        }
    }
}

/// The text of a message: one line, not too long.
fn shortened(bytes: &[u8]) -> String {
    const LONGEST: usize = 60;
    let text = String::from_utf8_lossy(bytes);
    let text = text.trim_end_matches(['\n', '\r']);
    if text.chars().count() <= LONGEST {
        text.to_owned()
    } else {
        text.chars().take(LONGEST).chain(['…']).collect()
    }
}
