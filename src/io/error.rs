//! What can be wrong with a file, said with the place where a person would look.

use crate::graph::BuildError;
use std::borrow::Cow;
use std::io;
use thiserror::Error;

/// Why a file cannot be read.
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
    },
    /// The file as a whole is wrong.
    #[error("{file}: {what}")]
    File {
        /// The file.
        file: String,
        /// What is wrong.
        what: Cow<'static, str>,
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
}

impl Fault {
    pub fn new(at: usize, len: usize, what: impl Into<Cow<'static, str>>) -> Self {
        Self {
            at,
            len,
            what: what.into(),
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
            line: lines + super::text::newlines(before) + 1,
            column: (before.len() - line_start) as u64 + 1,
            what: self.what,
            text: shortened(&block[before.len()..end]),
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
