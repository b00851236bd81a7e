//! The graph that a command works on: the flags that say how to read it, and the labels that belong
//! to it.

use super::memory;
use anyhow::{Context, bail};
use clap::{Args, ValueEnum};
use lambdacut::graph::{self, AnyCsr, Counts, Graph, Names, components};
use lambdacut::io::{self, Labels, LoadOptions, Remedy, Unknown};
use lambdacut::report::document::GraphSection;
use lambdacut::run::{Event, Observer};
use lambdacut::search::Search;
use lambdacut::with_csr;
use std::path::{Path, PathBuf};

/// Which graph, and how to read it.
#[derive(Debug, Clone, Args)]
pub struct GraphArgs {
    /// The graph: an edge list (two ends and perhaps a weight a line; spaces, tabs, commas or
    /// semicolons; # and % start comments), METIS (.graph), Matrix Market (.mtx) or binary (.lcut). Compressed .gz and .zst
    /// are read directly; `-` is standard input.
    pub graph: PathBuf,
    #[command(flatten)]
    pub reading: ReadArgs,
}

/// How to read a graph.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Reading the graph")]
pub struct ReadArgs {
    /// The format, when name and content do not tell.
    #[arg(long, value_name = "FORMAT")]
    pub from: Option<FormatArg>,
    /// What to do when the graph is directed: make it undirected (W + Wᵀ with weights), or stop.
    #[arg(long, value_name = "HOW", default_value = "symmetrise")]
    pub directed: DirectedArg,
    /// Self-loops: keep them (a loop counts once in the degree) or drop them.
    #[arg(long, value_name = "HOW", default_value = "keep")]
    pub self_loops: SelfLoopsArg,
    /// Repeated rows. auto: without weights repeats and reverse arcs are the same edge of weight 1;
    /// with weights repeats are summed, and a list with every edge in both directions and equal
    /// weights is read as undirected.
    #[arg(long, value_name = "HOW", default_value = "auto")]
    pub duplicates: DuplicatesArg,
    /// Every edge counts 1, whatever its weight: a third column is ignored, so that negative or
    /// infinite weights do not matter. Edges of weight 0 are still dropped.
    #[arg(long)]
    pub unweighted: bool,
    /// Store weights in single precision: a third less memory for a weighted graph.
    #[arg(long)]
    pub f32: bool,
    /// Vertex ids: integers, or names; auto looks at the first lines.
    #[arg(long, value_name = "KIND", default_value = "auto")]
    pub ids: IdsArg,
    /// Whether the first line names the columns. Without it, it does if it could not be an edge, or
    /// if it names two columns like source and target and no vertex has such a name.
    #[arg(long, value_name = "YES|NO")]
    pub header: Option<HeaderArg>,
    /// The column of an edge list that holds one end: its name, or its number from 1. Without it,
    /// usual names are found (source, from, src, …), otherwise it is the first. Other columns do not
    /// matter.
    #[arg(long, value_name = "COLUMN", requires = "target")]
    pub source: Option<String>,
    /// The column that holds the other end; without it like --source, otherwise the second.
    #[arg(long, value_name = "COLUMN", requires = "source")]
    pub target: Option<String>,
    /// The column that holds the weight; without it one with a usual name (weight, amount, count,
    /// …), otherwise the third of three.
    #[arg(long, value_name = "COLUMN", conflicts_with = "unweighted")]
    pub weight: Option<String>,
    /// Skip and count lines that cannot be read, instead of stopping at the first. Of a METIS file
    /// also take edges that only one end lists, and of METIS and Matrix Market files headers that
    /// miscount.
    #[arg(long)]
    pub lenient: bool,
    /// Refuse what would take more memory than this, reading or clustering (bytes, or with a suffix:
    /// 500M, 16G); without it, reading may take four fifths of what the system has to give.
    #[arg(long, value_name = "BYTES", value_parser = parse_bytes)]
    pub memory_limit: Option<u64>,
}

/// A file format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum FormatArg {
    /// `source target [weight]`, one edge a line.
    EdgeList,
    /// METIS (.graph): a line of neighbours for each vertex.
    Metis,
    /// Matrix Market (.mtx): coordinate; pattern, integer or real; general or symmetric.
    MatrixMarket,
    /// The own binary format (.lcut): checksummed, used without copying.
    Binary,
}

/// What to do with directed input.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum DirectedArg {
    /// Make it undirected.
    Symmetrise,
    /// Stop.
    Reject,
}

/// What to do with self-loops.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum SelfLoopsArg {
    /// Keep them.
    Keep,
    /// Drop them.
    Drop,
}

/// What to do with repeated rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum DuplicatesArg {
    /// As usual for files without and with weights.
    Auto,
    /// Add them up.
    Sum,
    /// The first row of an edge decides.
    First,
    /// Stop.
    Error,
}

/// What vertices are called.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum IdsArg {
    /// Decide by the first lines.
    Auto,
    /// Integers.
    Integer,
    /// Names.
    Name,
}

/// Whether there is a header row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum HeaderArg {
    /// There is one.
    Yes,
    /// There is none.
    No,
}

/// A graph with its names, ready to work on.
#[derive(Debug)]
pub struct Loaded {
    /// The graph.
    pub graph: Graph,
    /// SHA-256 of the input as stored, for the provenance of results.
    pub sha256: String,
    /// Bytes of memory that reading may take.
    pub memory_limit: Option<u64>,
    /// Seconds that loading took.
    pub seconds: f64,
    /// The `graph` section of the JSON document.
    pub section: GraphSection,
}

impl Loaded {
    /// What the input calls the vertices.
    pub fn names(&self) -> &Names {
        self.graph.names()
    }
}

impl GraphArgs {
    /// Reads the graph and notes what is remarkable about it.
    pub fn load(&self, observer: &dyn Observer) -> anyhow::Result<Loaded> {
        self.reading.load(&self.graph, observer)
    }
}

impl ReadArgs {
    /// The options of the library.
    pub fn options(&self) -> LoadOptions {
        let policy = graph::Policy {
            direction: match self.directed {
                DirectedArg::Symmetrise => graph::Direction::Symmetrise,
                DirectedArg::Reject => graph::Direction::Reject,
            },
            self_loops: match self.self_loops {
                SelfLoopsArg::Keep => graph::SelfLoops::Keep,
                SelfLoopsArg::Drop => graph::SelfLoops::Drop,
            },
            duplicates: match self.duplicates {
                DuplicatesArg::Auto => graph::Duplicates::Auto,
                DuplicatesArg::Sum => graph::Duplicates::Sum,
                DuplicatesArg::First => graph::Duplicates::First,
                DuplicatesArg::Error => graph::Duplicates::Error,
            },
            unweighted: self.unweighted,
            single_precision: self.f32,
        };
        LoadOptions {
            format: self.from.map(FormatArg::format),
            policy,
            ids: match self.ids {
                IdsArg::Auto => io::IdKind::Auto,
                IdsArg::Integer => io::IdKind::Integer,
                IdsArg::Name => io::IdKind::Name,
            },
            header: self.header.map(|h| h == HeaderArg::Yes),
            columns: io::Columns {
                source: self.source.clone(),
                target: self.target.clone(),
                weight: self.weight.clone(),
            },
            lenient: self.lenient,
            memory_limit: self.memory_limit.or_else(memory::allowed),
            hash: true,
        }
    }

    /// Reads the graph at `path`.
    pub fn load(&self, path: &Path, observer: &dyn Observer) -> anyhow::Result<Loaded> {
        let options = self.options();
        let read = io::load(path, &options, observer)?;
        let (sha256, seconds) = (read.sha256.clone().unwrap_or_default(), read.seconds);
        let reading = read.reading.clone();
        let graph = Graph::from(read);
        let section = section(graph.csr(), graph.counts());
        if section.edges == 0 {
            bail!("{}: the graph has no edges left", path.display());
        }
        observer.event(Event::Note(&understood(&reading, &graph)));
        Ok(Loaded {
            graph,
            sha256,
            memory_limit: options.memory_limit,
            seconds,
            section,
        })
    }

    /// Refuses a search that would take more memory than allowed.
    pub fn check_memory(&self, loaded: &Loaded) -> anyhow::Result<()> {
        let Some(limit) = self.memory_limit else {
            return Ok(());
        };
        let search = with_csr!(loaded.graph.csr(), csr => Search::new().bytes(csr));
        let needed = memory::resident().unwrap_or(0) + search;
        if needed > limit {
            let megabytes = |bytes: u64| bytes.div_ceil(1_000_000);
            bail!(
                "clustering this graph takes up to about {} MB, and --memory-limit allows {} MB",
                megabytes(needed),
                megabytes(limit)
            );
        }
        Ok(())
    }
}

impl FormatArg {
    /// The library's name for it.
    pub fn format(self) -> io::Format {
        match self {
            Self::EdgeList => io::Format::EdgeList,
            Self::Metis => io::Format::Metis,
            Self::MatrixMarket => io::Format::MatrixMarket,
            Self::Binary => io::Format::Binary,
        }
    }
}

/// The `graph` section of the JSON document.
fn section(graph: &AnyCsr, counts: &Counts) -> GraphSection {
    let more = [
        ("rows", counts.rows),
        ("zero_weights", counts.zero_weights),
        ("comments", counts.comments),
        ("skipped_lines", counts.skipped),
    ];
    with_csr!(graph, g => GraphSection {
        vertices: g.vertices(),
        edges: g.edges(),
        total_weight: g.total_weight(),
        isolated: g.isolated(),
        components: components(g).count,
        self_loops: counts.self_loops,
        duplicates: counts.duplicates,
        directed_arcs: counts.directed_arcs,
        more: more.into_iter().map(|(key, count)| (key.to_owned(), count)).collect(),
    })
}

/// One line of how the input was understood, and what became of it.
fn understood(reading: &io::Reading, graph: &Graph) -> String {
    let counts = graph.counts();
    let repeats = if matches!(graph.csr(), AnyCsr::Unit(_)) {
        "counted once"
    } else {
        "summed"
    };
    let found = [
        (
            counts.skipped,
            "lines could not be read and were skipped".to_owned(),
        ),
        (counts.zero_weights, "edges of weight 0 dropped".to_owned()),
        (counts.duplicates, format!("repeated rows {repeats}")),
    ];
    let mut parts = vec![format!("read as {reading}")];
    for (count, what) in found {
        if count > 0 {
            parts.push(format!("{} {what}", grouped(count)));
        }
    }
    parts.join("; ")
}

/// A number with commas between the thousands.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// The flag that would help with an error of reading, in brackets; nothing for other errors.
pub fn flag_that_helps(error: &anyhow::Error) -> &'static str {
    let reading = error
        .chain()
        .find_map(|cause| cause.downcast_ref::<io::ReadError>());
    match reading.and_then(io::ReadError::remedy) {
        Some(Remedy::IgnoreWeights) => " (--unweighted ignores weights)",
        Some(Remedy::DoublePrecision) => " (or leave out --f32)",
        Some(Remedy::IdsAsNames) => " (--ids name reads ids as names)",
        Some(Remedy::SayHeader) => " (--header yes or --header no decides)",
        Some(Remedy::NameColumns) => " (--source, --target and --weight name the columns)",
        Some(Remedy::NameFormat) => " (--from names the format)",
        Some(Remedy::MissingValues) => {
            " (--missing drop leaves such rows out, --missing mean fills them)"
        }
        _ => "",
    }
}

/// `500M` → 500,000,000; `16G`; `1048576`.
fn parse_bytes(text: &str) -> Result<u64, String> {
    let (digits, unit) = match text.trim_end_matches(['B', 'b']).to_ascii_uppercase() {
        t if t.ends_with('K') => (t[..t.len() - 1].to_owned(), 1_000),
        t if t.ends_with('M') => (t[..t.len() - 1].to_owned(), 1_000_000),
        t if t.ends_with('G') => (t[..t.len() - 1].to_owned(), 1_000_000_000),
        t if t.ends_with('T') => (t[..t.len() - 1].to_owned(), 1_000_000_000_000),
        t => (t, 1),
    };
    let count: u64 = digits
        .parse()
        .map_err(|_| format!("expected a number of bytes like 500M or 16G, not {text:?}"))?;
    count
        .checked_mul(unit)
        .ok_or_else(|| format!("{text} bytes are more than 64 bits can count"))
}

/// The labels of the vertices of a graph, from a file, read within the memory that the graph was.
pub fn read_labels_for(path: &Path, loaded: &Loaded, unknown: Unknown) -> anyhow::Result<Labels> {
    io::read_labels_within(path, loaded.names(), unknown, loaded.memory_limit)
        .context("cannot use these labels")
}
