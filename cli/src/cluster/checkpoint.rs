//! The state of a path on disk, so that an interrupted run can go on.

use anyhow::{Context, bail};
use lambdacut::io::write_atomically;
use lambdacut::search::Search;
use lambdacut::search::path::Walk;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// Where a walk is kept, and what it belongs to.
pub struct Checkpoint<'a> {
    path: &'a Path,
    belongs: Belongs,
}

/// What must be the same for a walk to be taken up again.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Belongs {
    version: String,
    input_sha256: String,
    search: Search,
}

#[derive(Serialize)]
struct Written<'a> {
    belongs: &'a Belongs,
    walk: &'a Walk,
}

#[derive(Deserialize)]
struct Stored {
    belongs: Belongs,
    walk: Walk,
}

impl<'a> Checkpoint<'a> {
    /// The checkpoint at `path` of a search on the input with this hash.
    pub fn new(path: &'a Path, input_sha256: &str, search: &Search) -> Self {
        // A longer or shorter time limit does not change the path.
        let search = Search {
            time: None,
            ..search.clone()
        };
        let belongs = Belongs {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            input_sha256: input_sha256.to_owned(),
            search,
        };
        Self { path, belongs }
    }

    /// The stored walk, or a new one if there is none yet.
    pub fn load(&self) -> anyhow::Result<Walk> {
        if !self.path.exists() {
            return Ok(Walk::default());
        }
        let shown = self.path.display();
        let bytes = std::fs::read(self.path)
            .with_context(|| format!("cannot read the checkpoint {shown}"))?;
        let stored: Stored = serde_json::from_slice(&bytes)
            .with_context(|| format!("{shown} is not a checkpoint of this version"))?;
        if stored.belongs != self.belongs {
            bail!(
                "{shown} belongs to another graph, another version or other flags; remove it to start anew"
            );
        }
        Ok(stored.walk)
    }

    /// Writes the walk, replacing the last one.
    pub fn store(&self, walk: &Walk) -> anyhow::Result<()> {
        let written = Written {
            belongs: &self.belongs,
            walk,
        };
        write_atomically(self.path, |out| {
            serde_json::to_writer(out, &written).map_err(std::io::Error::other)
        })?;
        Ok(())
    }
}
