//! What a run of `bench` measured: the object that `--json` writes and `--baseline` reads.

use crate::memory;
use lambdacut::search::Effort;
use serde::{Deserialize, Serialize};

/// All measurements of one run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// The version of the program.
    pub version: String,
    /// The command as given.
    pub command: String,
    /// Cores of the machine.
    pub cores: usize,
    /// What the measurements depend on.
    pub settings: Settings,
    /// What the peaks mean.
    pub memory: Memory,
    /// One a graph.
    pub graphs: Vec<GraphRecord>,
}

/// What the measurements depend on, beside the graphs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Settings {
    /// Runs a stage.
    pub repeat: usize,
    /// β.
    pub resolution: f64,
    /// How hard solve and path search.
    pub effort: Effort,
}

/// What the peaks of memory mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Memory {
    /// The highest during the stage.
    Stage,
    /// The highest since the program started: this system cannot set the mark back.
    Process,
    /// This system does not tell.
    Unknown,
}

/// One graph.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GraphRecord {
    /// Its name.
    pub name: String,
    /// Vertices.
    pub vertices: usize,
    /// Undirected edges.
    pub edges: usize,
    /// Stored arcs.
    pub arcs: usize,
    /// Rows of the file.
    pub rows: u64,
    /// Bytes of the file.
    pub file_bytes: u64,
    /// Bytes of the graph in memory.
    pub graph_bytes: u64,
    /// One a stage and number of threads.
    pub runs: Vec<RunRecord>,
}

/// One stage on one number of threads.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunRecord {
    /// The stage's name.
    pub stage: String,
    /// The number of threads.
    pub threads: usize,
    /// What came out.
    #[serde(flatten)]
    pub outcome: Outcome,
}

/// What came out of a stage.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// It was measured.
    Measured(Measured),
    /// It was not, for this reason.
    Skipped(String),
}

/// Repeated measurements of one thing.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Measured {
    /// Seconds of every run, ascending.
    pub seconds: Vec<f64>,
    /// The most memory the process held, in bytes; see [`Record::memory`].
    pub peak_bytes: Option<u64>,
    /// What the process held before the stage.
    pub before_bytes: Option<u64>,
}

impl Measured {
    /// Takes seconds in any order, at least one.
    pub fn new(mut seconds: Vec<f64>, peak_bytes: Option<u64>, before_bytes: Option<u64>) -> Self {
        seconds.sort_by(f64::total_cmp);
        Self {
            seconds,
            peak_bytes,
            before_bytes,
        }
    }

    /// The middle run, or the mean of the two in the middle.
    pub fn median(&self) -> f64 {
        let n = self.seconds.len();
        f64::midpoint(self.seconds[(n - 1) / 2], self.seconds[n / 2])
    }

    /// The fastest run.
    pub fn least(&self) -> f64 {
        self.seconds[0]
    }

    /// The slowest run.
    pub fn most(&self) -> f64 {
        self.seconds[self.seconds.len() - 1]
    }

    /// Half of the range of the runs, as a share of the median.
    pub fn spread(&self) -> f64 {
        (self.most() - self.least()) / 2.0 / self.median().max(f64::MIN_POSITIVE)
    }
}

impl GraphRecord {
    /// The measurement of a stage, if there is one.
    pub fn measured(&self, stage: &str, threads: usize) -> Option<&Measured> {
        let run = self
            .runs
            .iter()
            .find(|run| run.stage == stage && run.threads == threads)?;
        if let Outcome::Measured(measured) = &run.outcome {
            Some(measured)
        } else {
            None
        }
    }
}

impl Memory {
    /// What this system can tell: sets the mark back as a trial.
    pub fn how() -> Self {
        match (memory::peak(), memory::reset_peak()) {
            (None, _) => Self::Unknown,
            (Some(_), true) => Self::Stage,
            (Some(_), false) => Self::Process,
        }
    }
}
