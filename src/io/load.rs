//! From a file to a graph: finds the format, reads, builds, and reports what was done.

use super::error::ReadError;
use super::layout::{IdKind, Settings};
use super::source::{self, Budget, Source};
use super::{binary, edge_list, matrix_market, metis};
use crate::graph::names::Names;
use crate::graph::{
    AnyCsr, BuildError, Counts, Duplicates, EdgeList, Graph, GraphError, Policy, RawRows, build,
};
use crate::run::{Event, Observer, Silent};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Instant;

/// The formats of graphs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Format {
    /// `source target [weight]`, one a line.
    EdgeList,
    /// METIS `.graph`.
    Metis,
    /// Matrix Market `.mtx`.
    MatrixMarket,
    /// The own binary format, `.lcut`.
    Binary,
}

impl Format {
    /// The format that a file name tells, an ending `.gz` or `.zst` aside: `.graph` and `.metis`,
    /// `.mtx`, `.lcut`; anything else is an edge list.
    ///
    /// ```
    /// use lambdacut::io::Format;
    /// assert_eq!(Format::of_name("web.graph.gz".as_ref()), Format::Metis);
    /// assert_eq!(Format::of_name("web.txt".as_ref()), Format::EdgeList);
    /// ```
    pub fn of_name(path: &Path) -> Self {
        let packed = path.extension().is_some_and(|e| e == "gz" || e == "zst");
        let name = if packed {
            path.with_extension("")
        } else {
            path.to_owned()
        };
        match name.extension().and_then(|e| e.to_str()) {
            Some("graph" | "metis") => Self::Metis,
            Some("mtx") => Self::MatrixMarket,
            Some("lcut") => Self::Binary,
            _ => Self::EdgeList,
        }
    }

    /// The format that the first bytes tell, otherwise that of the name.
    fn of(path: &Path, start: &[u8]) -> Self {
        if start.starts_with(&binary::MAGIC) {
            Self::Binary
        } else if start.starts_with(matrix_market::BANNER) {
            Self::MatrixMarket
        } else {
            Self::of_name(path)
        }
    }
}

/// How a graph is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct LoadOptions {
    /// The format; `None`: by name and content.
    pub format: Option<Format>,
    /// What becomes of loops, repeats and directions.
    pub policy: Policy,
    /// What the vertices of an edge list are called.
    pub ids: IdKind,
    /// Whether an edge list starts with a header row; `None`: by looking at it.
    pub header: Option<bool>,
    /// Skip and count bad lines instead of stopping at the first.
    pub lenient: bool,
    /// Bytes of memory that reading may take.
    pub memory_limit: Option<u64>,
    /// Compute the SHA-256 of the input as stored.
    pub hash: bool,
}

/// A graph as read, with the names of its vertices.
#[derive(Debug, Clone)]
pub struct Loaded {
    /// The graph.
    pub graph: AnyCsr,
    /// The names of its vertices.
    pub names: Names,
    /// What was found in the input.
    pub counts: Counts,
    /// Vertex weights, where the format has them.
    pub masses: Option<Vec<f64>>,
    /// SHA-256 of the input as stored, if asked for.
    pub sha256: Option<String>,
    /// Seconds it took.
    pub seconds: f64,
}

impl Graph {
    /// Reads a graph from a file: an edge list, METIS, Matrix Market or our own binary format, by name
    /// and content. [`load`] has more to say about how.
    ///
    /// ```
    /// use lambdacut::graph::Graph;
    /// let file = tempfile::NamedTempFile::new()?;
    /// std::fs::write(file.path(), "ann bob\nbob eve\n")?;
    /// let graph = Graph::open(file.path())?;
    /// assert_eq!((graph.node_count(), graph.name(2).as_ref()), (3, "eve"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If the file cannot be read; the message says where and why.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, ReadError> {
        load(path.as_ref(), &LoadOptions::default(), &Silent).map(Self::from)
    }
}

impl From<Loaded> for Graph {
    fn from(read: Loaded) -> Self {
        Self::from_parts(read.graph, read.names, read.counts, read.masses)
    }
}

/// Reads a graph from a file, or from standard input (`-`). The result does not depend on the
/// number of threads.
///
/// ```
/// use lambdacut::{io::{LoadOptions, load}, run::Silent, with_csr};
/// let file = tempfile::NamedTempFile::new().unwrap();
/// std::fs::write(file.path(), "# a triangle\nx y\ny z\nz x\n").unwrap();
/// let read = load(file.path(), &LoadOptions::default(), &Silent).unwrap();
/// assert_eq!(with_csr!(&read.graph, g => (g.vertices(), g.edges())), (3, 3));
/// assert_eq!(read.names.get(2), "z");
/// ```
pub fn load(
    path: &Path,
    options: &LoadOptions,
    observer: &dyn Observer,
) -> Result<Loaded, ReadError> {
    let started = Instant::now();
    observer.event(Event::Stage {
        name: "reading",
        total: None,
    });
    let stdin = path == Path::new("-");
    let shared = (options.hash && stdin).then(|| Arc::new(Mutex::new(Sha256::new())));
    let source = Source::open_within(path, shared.clone(), Budget::new(options.memory_limit))?;
    let file = source.file.clone();
    // The hash of a file is computed beside the parsing, from the same mapped pages.
    let hash_file = || {
        (options.hash && !stdin)
            .then(|| source::sha256(path))
            .transpose()
    };
    let (read, hash) = rayon::join(|| read(path, source, options, observer), hash_file);
    let mut loaded = read?;
    loaded.sha256 = hash.map_err(|e| ReadError::io(&file, e))?;
    if let Some(hash) = shared {
        loaded.sha256 = hash.lock().ok().map(|h| source::hex(h.clone()));
    }
    loaded.seconds = started.elapsed().as_secs_f64();
    Ok(loaded)
}

fn read(
    path: &Path,
    mut source: Source,
    options: &LoadOptions,
    observer: &dyn Observer,
) -> Result<Loaded, ReadError> {
    let file = source.file.clone();
    let budget = Budget::new(options.memory_limit);
    let LoadOptions {
        ids,
        header,
        lenient,
        policy,
        ..
    } = *options;
    let settings = Settings {
        ids,
        header,
        lenient,
        unweighted: policy.unweighted,
        budget,
    };
    let format = match options.format {
        Some(format) => format,
        None => Format::of(path, source.start()?),
    };
    let finish =
        |raw: Raw, policy: Policy, budget: Budget| raw.build(&file, policy, budget, observer);
    match format {
        Format::EdgeList => finish(edge_list::read(source, settings)?, policy, budget),
        Format::MatrixMarket => {
            let (file, bytes) = source.whole(budget)?;
            let raw = matrix_market::read(
                &file,
                &bytes,
                Settings {
                    budget: budget.beside(&bytes),
                    ..settings
                },
            )?;
            drop(bytes);
            finish(raw, policy, budget)
        }
        Format::Metis => {
            let (file, bytes) = source.whole(budget)?;
            let budget = budget.beside(&bytes);
            let metis::Read { raw, miscounted } =
                metis::read(&file, &bytes, Settings { budget, ..settings })?;
            // Of an edge that a lenient reader finds in one line or in both, the first line
            // decides.
            let duplicates = if lenient {
                Duplicates::First
            } else {
                policy.duplicates
            };
            let loaded = finish(
                raw,
                Policy {
                    duplicates,
                    ..policy
                },
                budget,
            )
            .map_err(|error| match error {
                ReadError::Policy {
                    cause: BuildError::Unmirrored(i, j),
                    ..
                } => metis::unmirrored(&file, &bytes, i, j),
                other => other,
            })?;
            miscounted.map_or(Ok(loaded), Err)
        }
        Format::Binary => {
            let (file, bytes) = source.whole(budget)?;
            binary::load(&file, bytes, options)
        }
    }
}

/// What a reader finds in a file.
pub(super) struct Raw {
    pub edges: EdgeList,
    pub names: Names,
    pub counts: Counts,
    pub masses: Option<Vec<f64>>,
}

impl Raw {
    /// Rows → graph, with errors in the names of the file.
    fn build(
        self,
        file: &str,
        policy: Policy,
        budget: Budget,
        observer: &dyn Observer,
    ) -> Result<Loaded, ReadError> {
        let Self {
            edges,
            names,
            counts: read,
            masses,
        } = self;
        observer.event(Event::Stage {
            name: "building the graph",
            total: None,
        });
        let row = if matches!(edges.rows, RawRows::Plain(_)) {
            16
        } else {
            40
        };
        budget.check(file, (row * edges.rows.len() + 8 * edges.vertices) as u64)?;
        let (graph, built) = build(edges, &policy).map_err(|e| policy_error(file, &names, e))?;
        let counts = Counts {
            rows: built.rows + read.zero_weights,
            zero_weights: built.zero_weights + read.zero_weights,
            comments: read.comments,
            skipped: read.skipped,
            ..built
        };
        Ok(Loaded {
            graph,
            names,
            counts,
            masses,
            sha256: None,
            seconds: 0.0,
        })
    }
}

fn policy_error(file: &str, names: &Names, cause: BuildError) -> ReadError {
    let arc = |i: usize, j: usize| format!("{:?} → {:?}", names.get(i), names.get(j));
    let what = match &cause {
        BuildError::Duplicate(i, j) => format!(
            "the arc {} is listed more than once",
            arc(*i as usize, *j as usize)
        ),
        BuildError::Directed(i, j) => {
            format!(
                "the graph is directed: the arc {} has no equal reverse, but other arcs have",
                arc(*i as usize, *j as usize)
            )
        }
        BuildError::Graph(GraphError::Weight {
            row,
            column,
            weight,
        }) => {
            format!("the weights of {} add up to {weight}", arc(*row, *column))
        }
        other => other.to_string(),
    };
    ReadError::Policy {
        file: file.to_owned(),
        what,
        cause,
    }
}
