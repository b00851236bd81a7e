//! The graphs that are measured on: files as given, or generated ones written to a temporary
//! directory first.

use super::record::{GraphRecord, RunRecord};
use anyhow::{Context, bail};
use lambdacut::generate::{Lfr, Rmat};
use lambdacut::graph::AnyCsr;
use lambdacut::graph::Names;
use lambdacut::io::{self, LoadOptions};
use lambdacut::run::Observer;
use lambdacut::with_csr;
use std::path::{Path, PathBuf};

/// Edges a vertex of the generated graphs.
const EDGES_A_VERTEX: u64 = 10;

/// A graph to measure on.
#[derive(Debug, Clone)]
pub enum Case {
    /// As given.
    File(PathBuf),
    /// Planted communities, mixing 0.3, average degree 20.
    Lfr {
        /// About so many edges.
        edges: u64,
        /// The seed.
        seed: u64,
    },
    /// Skewed random arcs.
    Rmat {
        /// So many rows; as a simple graph somewhat fewer edges.
        edges: u64,
        /// The seed.
        seed: u64,
    },
}

/// A file and the graph in it.
#[derive(Debug)]
pub struct Prepared {
    /// What the table calls it.
    pub name: String,
    /// The file that is loaded.
    pub file: PathBuf,
    /// Its size.
    pub bytes: u64,
    /// Rows of the file.
    pub rows: u64,
    /// The graph.
    pub graph: AnyCsr,
}

impl Case {
    /// What the table calls it.
    pub fn name(&self) -> String {
        match self {
            Self::File(path) => path.file_name().map_or_else(
                || path.display().to_string(),
                |n| n.to_string_lossy().into_owned(),
            ),
            Self::Lfr { edges, .. } => format!("lfr-{}", short(*edges)),
            Self::Rmat { edges, .. } => format!("rmat-{}", short(*edges)),
        }
    }

    /// Writes the file of a generated graph, and reads it.
    pub fn prepare(
        &self,
        dir: &Path,
        options: &LoadOptions,
        observer: &dyn Observer,
    ) -> anyhow::Result<Prepared> {
        let name = self.name();
        if name == "-" {
            bail!("a graph is read several times, so it cannot come from standard input");
        }
        let own = dir.join(format!("{name}.edges"));
        let file = match self {
            Self::File(path) => path,
            Self::Lfr { edges, seed } => write_lfr(&own, *edges, *seed).map(|()| &own)?,
            Self::Rmat { edges, seed } => {
                write_rmat(&own, *edges, *seed, observer).map(|()| &own)?
            }
        };
        let loaded = io::load(file, options, observer)?;
        let bytes = std::fs::metadata(file)
            .with_context(|| format!("cannot measure {}", file.display()))?
            .len();
        Ok(Prepared {
            name,
            file: file.clone(),
            bytes,
            rows: loaded.counts.rows,
            graph: loaded.graph,
        })
    }
}

impl Prepared {
    /// What is kept of the graph, with what was measured on it.
    pub fn record(&self, runs: Vec<RunRecord>) -> GraphRecord {
        let (vertices, edges, arcs, graph_bytes) =
            with_csr!(&self.graph, g => (g.vertices(), g.edges(), g.arcs(), g.bytes() as u64));
        GraphRecord {
            name: self.name.clone(),
            vertices,
            edges,
            arcs,
            rows: self.rows,
            file_bytes: self.bytes,
            graph_bytes,
            runs,
        }
    }
}

fn write_lfr(file: &Path, edges: u64, seed: u64) -> anyhow::Result<()> {
    let vertices = (edges / EDGES_A_VERTEX) as usize;
    let planted = Lfr {
        vertices,
        average_degree: 2.0 * EDGES_A_VERTEX as f64,
        seed,
        ..Lfr::default()
    }
    .generate()?;
    let graph = planted.graph()?;
    io::write_graph(
        file,
        io::Format::EdgeList,
        &graph,
        &Names::numbers(vertices),
    )
    .context("cannot write a generated graph")
}

fn write_rmat(file: &Path, edges: u64, seed: u64, observer: &dyn Observer) -> anyhow::Result<()> {
    let scale = (edges / EDGES_A_VERTEX).max(2).ilog2();
    let rmat = Rmat {
        scale,
        arcs: edges,
        seed,
        ..Rmat::default()
    }
    .checked()?;
    io::write_atomically(file, |out| rmat.write_to(out, observer))
        .context("cannot write a generated graph")
}

/// `30k` → 30,000; `2M`; `1G`; `5000`.
pub fn parse_count(text: &str) -> Result<u64, String> {
    let wrong = || format!("expected a number of edges like 30k or 2M, not {text:?}");
    let (digits, unit) = match text.as_bytes().last() {
        Some(b'k' | b'K') => (&text[..text.len() - 1], 1_000),
        Some(b'm' | b'M') => (&text[..text.len() - 1], 1_000_000),
        Some(b'g' | b'G') => (&text[..text.len() - 1], 1_000_000_000),
        _ => (text, 1),
    };
    let count = digits
        .parse::<u64>()
        .ok()
        .and_then(|n| n.checked_mul(unit))
        .ok_or_else(wrong)?;
    if count < 1_000 {
        Err("a generated graph has at least 1000 edges".to_owned())
    } else {
        Ok(count)
    }
}

/// 30,000 → `30k`.
fn short(count: u64) -> String {
    match count {
        n if n % 1_000_000 == 0 => format!("{}M", n / 1_000_000),
        n if n % 1_000 == 0 => format!("{}k", n / 1_000),
        n => n.to_string(),
    }
}
