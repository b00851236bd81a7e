//! The state of a path on disk, so that an interrupted run can go on.
//!
//! A checkpoint is three lines: the checksum of the other two; what it belongs to; and the path. It
//! is taken up only if the checksum is right, and if its version, the graph as read (whatever file
//! and flags it came from) and the options of the search are the same: a path that passes these
//! tests was written by this program for this search, so nothing of it needs to be doubted.

use crate::common::Progress;
use anyhow::{Context, bail};
use lambdacut::io::write_atomically;
use lambdacut::search::Path as SearchPath;
use lambdacut::search::Search;
use serde::{Deserialize, Serialize};
use std::io;
use std::path::Path;
use xxhash_rust::xxh3::xxh3_64;

/// Where a path is kept, and what it belongs to.
pub struct Checkpoint<'a> {
    file: &'a Path,
    belongs: Belongs<'a>,
}

/// What must be the same for a path to be taken up again.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Belongs<'a> {
    version: String,
    /// Of the vertices and edges as read.
    graph: u64,
    #[serde(borrow)]
    search: Search<'a>,
}

impl<'a> Checkpoint<'a> {
    /// The checkpoint at `file` of a search on the graph with this fingerprint. The time limit of
    /// the search plays no part: a longer or shorter one does not change the path.
    pub fn new(file: &'a Path, graph: u64, search: &Search<'a>) -> anyhow::Result<Self> {
        if file.extension().is_some_and(|e| e == "gz" || e == "zst") {
            bail!(
                "{}: a checkpoint is not compressed; give it another name",
                file.display()
            );
        }
        let mut search = search.clone();
        search.run = lambdacut::run::Run::default();
        let belongs = Belongs {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            graph,
            search,
        };
        Ok(Self { file, belongs })
    }

    /// The stored path, or a new one if there is none yet.
    pub fn load(&self, progress: &Progress) -> anyhow::Result<SearchPath> {
        let shown = self.file.display();
        let text = match std::fs::read_to_string(self.file) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Ok(SearchPath::default());
            }
            Err(error) if error.kind() == io::ErrorKind::InvalidData => None,
            other => Some(other.with_context(|| format!("cannot read the checkpoint {shown}"))?),
        };
        let Some((belongs, walk)) = text.as_deref().and_then(parse) else {
            bail!("{shown} is no checkpoint of this version, or damaged; remove it to start anew");
        };
        if belongs != self.belongs {
            bail!(
                "{shown} belongs to another graph, another version or other flags; remove it to \
                 start anew"
            );
        }
        progress.say(&format!(
            "resumed    from {shown}, after {} steps of the path",
            walk.trace().len()
        ));
        Ok(walk)
    }

    /// Writes the path, replacing the last one.
    pub fn store(&self, path: &SearchPath) -> anyhow::Result<()> {
        let belongs = serde_json::to_string(&self.belongs)?;
        let text = format!("{belongs}\n{}\n", serde_json::to_string(path)?);
        let checksum = checksum(&text);
        write_atomically(self.file, |out| write!(out, "{checksum}\n{text}"))?;
        Ok(())
    }
}

fn checksum(text: &str) -> String {
    format!("{:016x}", xxh3_64(text.as_bytes()))
}

/// What a checkpoint belongs to and its path, if it is whole.
fn parse(text: &str) -> Option<(Belongs<'_>, SearchPath)> {
    let (expected, text) = text.split_once('\n')?;
    if checksum(text) != expected {
        return None;
    }
    let (belongs, path) = text.split_once('\n')?;
    let belongs = serde_json::from_str(belongs).ok()?;
    Some((belongs, serde_json::from_str(path).ok()?))
}
