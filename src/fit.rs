//! What every algorithm returns, baselines included.

use crate::ids::Cluster;
use crate::observe::{Observer, PassRecord};
use crate::params::StopRules;
use crate::points::Points;
use serde::{Deserialize, Serialize};
use std::time::{Duration, Instant};

/// Why a run ended. Not converging is a reason, not an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum StopReason {
    /// A whole pass changed nothing: a local optimum.
    NoChange,
    /// The last pass gained less than the rule asks for.
    RelativeGain,
    /// The allowed passes are used up.
    Passes,
    /// The allowed time is used up.
    Time,
    /// The observer asked to stop.
    Cancelled,
    /// The method computes its answer directly, without passes.
    Direct,
}

/// A clustering with the story of how it was found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Fit {
    /// The cluster of each element, in `0..clusters`; [`NONE`](crate::ids::NONE) for an isolated
    /// vertex.
    pub labels: Vec<Cluster>,
    /// The number of clusters k.
    pub clusters: usize,
    /// The objective that was minimised, at these labels.
    pub value: f64,
    /// One record a pass.
    pub trace: Vec<PassRecord>,
    /// Why the run ended.
    pub stop: StopReason,
}

/// A clustering of points, with the centre of each cluster.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct PointFit {
    /// Labels, value and trace.
    pub fit: Fit,
    /// Row `c` is the weighted mean of cluster `c`.
    pub centres: Points,
}

/// Applies [`StopRules`] to a running algorithm and keeps its trace.
///
/// Call [`Passes::finished`] after every pass with what the pass did; it records the pass, tells
/// the observer, and answers whether to stop and why.
#[derive(Debug)]
pub struct Passes {
    rules: StopRules,
    started: Instant,
    pass_started: Instant,
    trace: Vec<PassRecord>,
}

impl Passes {
    /// Starts the clock.
    pub fn new(rules: StopRules) -> Self {
        let now = Instant::now();
        Self {
            rules,
            started: now,
            pass_started: now,
            trace: Vec::new(),
        }
    }

    /// Records a pass that ended at `value` with `clusters` clusters after `moves` changes.
    pub fn finished(
        &mut self,
        value: f64,
        clusters: usize,
        moves: usize,
        observer: &dyn Observer,
    ) -> Option<StopReason> {
        let before = self.trace.last().map(|p| p.value);
        let now = Instant::now();
        let record = PassRecord {
            value,
            clusters,
            moves,
            seconds: (now - self.pass_started).as_secs_f64(),
        };
        self.pass_started = now;
        self.trace.push(record);
        observer.event(crate::observe::Event::Pass(&record));
        self.reason(before, record, now - self.started, observer)
    }

    fn reason(
        &self,
        before: Option<f64>,
        now: PassRecord,
        elapsed: Duration,
        observer: &dyn Observer,
    ) -> Option<StopReason> {
        let too_little = |least: f64| {
            before.is_some_and(|b| b - now.value < least * now.value.abs().max(f64::MIN_POSITIVE))
        };
        if now.moves == 0 {
            Some(StopReason::NoChange)
        } else if observer.cancelled() {
            Some(StopReason::Cancelled)
        } else if self.rules.relative_gain.is_some_and(too_little) {
            Some(StopReason::RelativeGain)
        } else if self
            .rules
            .passes
            .is_some_and(|most| self.trace.len() >= most)
        {
            Some(StopReason::Passes)
        } else if self.rules.time.is_some_and(|most| elapsed >= most) {
            Some(StopReason::Time)
        } else {
            None
        }
    }

    /// The records so far.
    pub fn trace(&self) -> &[PassRecord] {
        &self.trace
    }

    /// Gives the trace away when the run is over.
    pub fn into_trace(self) -> Vec<PassRecord> {
        self.trace
    }
}
