//! The state of a path on disk, so that an interrupted run can go on.
//!
//! A checkpoint is two lines of JSON: what it belongs to, with the checksum of the rest; and the
//! path. It is taken up only if its version, the graph as read (whatever file and flags it came
//! from) and the options of the search are the same, and if the checksum is right: a path that
//! passes these tests was written by this program for this search, so nothing of it needs to be
//! doubted.

use crate::common::Progress;
use anyhow::{Context, bail};
use lambdacut::io::write_atomically;
use lambdacut::search::Search;
use lambdacut::search::path::Walk;
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

/// The first line.
#[derive(Serialize, Deserialize)]
struct Head<'a> {
    #[serde(borrow)]
    belongs: Belongs<'a>,
    /// Of the second line.
    checksum: u64,
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
    pub fn load(&self, progress: &Progress) -> anyhow::Result<Walk> {
        let shown = self.file.display();
        let text = match std::fs::read_to_string(self.file) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Walk::default()),
            Err(error) if error.kind() == io::ErrorKind::InvalidData => None,
            other => Some(other.with_context(|| format!("cannot read the checkpoint {shown}"))?),
        };
        let Some((head, walk)) = text.as_deref().and_then(parse) else {
            bail!("{shown} is no checkpoint of this version, or damaged; remove it to start anew");
        };
        if head.belongs != self.belongs {
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
    pub fn store(&self, walk: &Walk) -> anyhow::Result<()> {
        let body = serde_json::to_string(walk)?;
        let head = Head {
            belongs: self.belongs.clone(),
            checksum: xxh3_64(body.as_bytes()),
        };
        let head = serde_json::to_string(&head)?;
        write_atomically(self.file, |out| writeln!(out, "{head}\n{body}"))?;
        Ok(())
    }
}

/// Both lines, if they are whole.
fn parse(text: &str) -> Option<(Head<'_>, Walk)> {
    let (head, body) = text.split_once('\n')?;
    let body = body.strip_suffix('\n')?;
    let head: Head<'_> = serde_json::from_str(head).ok()?;
    if head.checksum != xxh3_64(body.as_bytes()) {
        return None;
    }
    Some((head, serde_json::from_str(body).ok()?))
}
