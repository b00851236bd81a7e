//! From a file to a graph: finds the format, reads, builds, and reports what was done.

use super::error::ReadError;
use super::format::Format;
use super::layout::Settings;
use super::options::{LoadOptions, Loaded, Raw};
use super::reading::Reading;
use super::source::{Budget, Source};
use super::{binary, edge_list, matrix_market, metis};
use crate::graph::names::Names;
use crate::graph::{BuildError, Counts, Duplicates, Graph, GraphError, Policy, RawRows, build};
use crate::run::{Event, Observer, Silent};
use std::path::Path;
use std::time::Instant;

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
/// assert_eq!(read.reading.to_string(), "edge list; no header; names; no weights");
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
    let budget = Budget::new(options.memory_limit);
    let mut source = Source::open(path, budget, options.hash)?;
    let format = match options.format {
        Some(format) => format,
        None => Format::of(path, source.start()?)?,
    };
    let mut loaded = read(&mut source, format, options, observer)?;
    loaded.sha256 = source.sha256();
    loaded.seconds = started.elapsed().as_secs_f64();
    Ok(loaded)
}

fn read(
    source: &mut Source,
    format: Format,
    options: &LoadOptions,
    observer: &dyn Observer,
) -> Result<Loaded, ReadError> {
    let budget = Budget::new(options.memory_limit);
    let policy = options.policy;
    let mut settings = Settings {
        ids: options.ids,
        header: options.header,
        columns: &options.columns,
        lenient: options.lenient,
        unweighted: policy.unweighted,
        budget,
    };
    match format {
        Format::EdgeList => {
            let (raw, reading) = edge_list::read(source, settings)?;
            raw.build(&source.file, reading, policy, budget, observer)
        }
        Format::MatrixMarket => {
            let bytes = source.whole()?;
            settings.budget = budget.beside(bytes.capacity());
            let raw = matrix_market::read(&source.file, &bytes, settings)?;
            drop(bytes);
            raw.build(&source.file, Reading::of(format), policy, budget, observer)
        }
        Format::Metis => {
            let bytes = source.whole()?;
            settings.budget = budget.beside(bytes.capacity());
            read_metis(&source.file, &bytes, settings, policy, observer)
        }
        Format::Binary => binary::load(source, options),
    }
}

fn read_metis(
    file: &str,
    bytes: &[u8],
    settings: Settings<'_>,
    mut policy: Policy,
    observer: &dyn Observer,
) -> Result<Loaded, ReadError> {
    let metis::Read { raw, miscounted } = metis::read(file, bytes, settings)?;
    if settings.lenient {
        // Of an edge that a lenient reader finds in one line or in both, the first line decides.
        policy.duplicates = Duplicates::First;
    }
    let reading = Reading::of(Format::Metis);
    let loaded = raw
        .build(file, reading, policy, settings.budget, observer)
        .map_err(|error| match error {
            ReadError::Policy {
                cause: BuildError::Unmirrored(i, j),
                ..
            } => metis::unmirrored(file, bytes, i, j),
            other => other,
        })?;
    miscounted.map_or(Ok(loaded), Err)
}

impl Raw {
    /// Rows → graph, with errors in the names of the file.
    fn build(
        self,
        file: &str,
        reading: Reading,
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
        let built = row * edges.rows.len() + 8 * edges.vertices;
        budget
            .beside(names.bytes() as usize)
            .check(file, built as u64)?;
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
            reading,
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
            format!("the weight of {} is {weight}", arc(*row, *column))
        }
        BuildError::Graph(GraphError::Range {
            row,
            column,
            weight,
            least,
            most,
        }) => format!(
            "the weight of {} is {weight:e}, outside {least:.1e} to {most:.1e}: multiply all weights by one number",
            arc(*row, *column)
        ),
        other => other.to_string(),
    };
    ReadError::Policy {
        file: file.to_owned(),
        what,
        cause,
    }
}
