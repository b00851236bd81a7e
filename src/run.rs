//! The context of everything that may take long: who hears of progress, and when to end.
//!
//! Nothing in the library prints. Every algorithm has the options `time_limit` and `observer`, kept
//! in a [`Run`]; it tells the [`Observer`] what it does and asks it, between steps, whether to go
//! on. A run that ends early, for whatever [`StopReason`], returns the best result so far: not
//! converging is not an error.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Why a run ended.
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

/// When passes stop, besides "nothing changed", the time limit and cancellation.
///
/// ```
/// use lambdacut::run::StopRules;
/// let rules = StopRules { passes: Some(10), ..StopRules::default() };
/// assert!(rules.relative_gain.is_none());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct StopRules {
    /// At most this many passes.
    pub passes: Option<usize>,
    /// Stop when a pass improves the objective by less than this fraction of its magnitude.
    pub relative_gain: Option<f64>,
}

/// One pass (or one step of a path) of an algorithm, as kept in the trace of a result.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct PassRecord {
    /// The objective after the pass.
    pub value: f64,
    /// The number of clusters after the pass.
    pub clusters: usize,
    /// How many elements changed their cluster.
    pub moves: usize,
    /// Seconds the pass took.
    pub seconds: f64,
}

/// Something worth telling.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum Event<'a> {
    /// A stage begins; `total` counts its steps when known.
    Stage {
        /// What is being done, as a person would say it.
        name: &'a str,
        /// Number of steps, for a progress bar.
        total: Option<u64>,
    },
    /// The pass that is told of next was made at this resolution.
    Step {
        /// β.
        beta: f64,
    },
    /// This many further steps of the current stage are done.
    Advance(u64),
    /// A pass is finished.
    Pass(&'a PassRecord),
    /// A remark for the user.
    Note(&'a str),
}

/// Receives progress and can cancel. Both methods have defaults, so implement only what you need.
///
/// ```
/// use lambdacut::run::{Event, Observer};
/// use std::sync::atomic::{AtomicUsize, Ordering};
/// struct CountPasses(AtomicUsize);
/// impl Observer for CountPasses {
///     fn event(&self, event: Event<'_>) {
///         if let Event::Pass(_) = event {
///             self.0.fetch_add(1, Ordering::Relaxed);
///         }
///     }
/// }
/// ```
pub trait Observer: Sync {
    /// Called as work proceeds.
    fn event(&self, _event: Event<'_>) {}

    /// Asked between steps; `true` ends the run with the best result so far.
    fn cancelled(&self) -> bool {
        false
    }
}

/// Hears nothing, never cancels.
#[derive(Debug, Clone, Copy, Default)]
pub struct Silent;

impl Observer for Silent {}

/// A flag that any thread can raise to end a run; it is itself an [`Observer`].
///
/// ```
/// use lambdacut::run::{CancelToken, Observer};
/// let token = CancelToken::default();
/// let seen_by_the_run = token.clone();
/// token.cancel();
/// assert!(seen_by_the_run.cancelled());
/// ```
#[derive(Debug, Clone, Default)]
pub struct CancelToken(Arc<AtomicBool>);

impl CancelToken {
    /// Asks the run to stop.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

impl Observer for CancelToken {
    fn cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// The time limit and the observer of a run, as an algorithm keeps them among its options.
///
/// Two of them are equal if their time limits are; the observer is not stored.
#[derive(Clone, Copy, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Run<'a> {
    /// End after this long with the best result so far.
    pub time_limit: Option<Duration>,
    #[serde(skip)]
    observer: Option<&'a dyn Observer>,
}

impl<'a> Run<'a> {
    /// A run that `observer` hears of.
    pub fn observed(observer: &'a dyn Observer) -> Self {
        Self {
            time_limit: None,
            observer: Some(observer),
        }
    }

    /// The same run with this observer.
    #[must_use]
    pub fn with_observer(self, observer: &'a dyn Observer) -> Self {
        Self {
            observer: Some(observer),
            ..self
        }
    }

    /// Starts the clock.
    pub fn start(&self) -> Deadline<'a> {
        Deadline::new(self.observer.unwrap_or(&Silent), self.time_limit)
    }
}

impl PartialEq for Run<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.time_limit == other.time_limit
    }
}

impl fmt::Debug for Run<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Run")
            .field("time_limit", &self.time_limit)
            .finish_non_exhaustive()
    }
}

/// The options that every algorithm with a field `run: Run` has.
macro_rules! run_options {
    ($algorithm:ident) => {
        impl<'a> $algorithm<'a> {
            /// Ends the run after this long, with the best result so far. The limit is for all of
            /// it: preparation, passes, refinement.
            #[must_use]
            pub fn time_limit(mut self, limit: std::time::Duration) -> Self {
                self.run.time_limit = Some(limit);
                self
            }

            /// Lets `observer` hear of progress; it can also end the run, which then returns the
            /// best result so far.
            #[must_use]
            pub fn observer(mut self, observer: &'a dyn $crate::run::Observer) -> Self {
                self.run = self.run.with_observer(observer);
                self
            }
        }
    };
}
pub(crate) use run_options;

/// A run whose clock is ticking: passes everything on to an observer, and cancels when the time is
/// up.
#[derive(Clone, Copy)]
pub struct Deadline<'a> {
    inner: &'a dyn Observer,
    until: Option<Instant>,
}

impl<'a> Deadline<'a> {
    /// Cancels `limit` from now, or never by itself if there is none.
    pub fn new(inner: &'a dyn Observer, limit: Option<Duration>) -> Self {
        Self {
            inner,
            until: limit.and_then(|limit| Instant::now().checked_add(limit)),
        }
    }

    /// Whether the time is up.
    pub fn passed(&self) -> bool {
        self.until.is_some_and(|until| Instant::now() >= until)
    }

    /// Why the run must end now, if it must.
    pub fn reason(&self) -> Option<StopReason> {
        if self.passed() {
            Some(StopReason::Time)
        } else if self.inner.cancelled() {
            Some(StopReason::Cancelled)
        } else {
            None
        }
    }
}

impl fmt::Debug for Deadline<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Deadline")
            .field("until", &self.until)
            .finish_non_exhaustive()
    }
}

impl Observer for Deadline<'_> {
    fn event(&self, event: Event<'_>) {
        self.inner.event(event);
    }

    fn cancelled(&self) -> bool {
        self.reason().is_some()
    }
}

/// Applies [`StopRules`] to a running algorithm and keeps its trace.
///
/// Call [`Passes::finished`] after every pass with what the pass did; it records the pass, tells
/// the observer, and answers whether to stop and why.
#[derive(Debug)]
pub struct Passes {
    rules: StopRules,
    pass_started: Instant,
    trace: Vec<PassRecord>,
}

impl Passes {
    /// Starts the clock of the first pass.
    pub fn new(rules: StopRules) -> Self {
        Self {
            rules,
            pass_started: Instant::now(),
            trace: Vec::new(),
        }
    }

    /// Records a pass that ended at `value` with `clusters` clusters after `moves` changes.
    pub fn finished(
        &mut self,
        value: f64,
        clusters: usize,
        moves: usize,
        deadline: &Deadline<'_>,
    ) -> Option<StopReason> {
        let before = self.trace.last().map(|pass| pass.value);
        let now = Instant::now();
        let record = PassRecord {
            value,
            clusters,
            moves,
            seconds: (now - self.pass_started).as_secs_f64(),
        };
        self.pass_started = now;
        self.trace.push(record);
        deadline.event(Event::Pass(&record));
        self.reason(before, record, deadline)
    }

    fn reason(
        &self,
        before: Option<f64>,
        now: PassRecord,
        deadline: &Deadline<'_>,
    ) -> Option<StopReason> {
        let gained_too_little =
            self.rules
                .relative_gain
                .zip(before)
                .is_some_and(|(least_gain, before)| {
                    let magnitude = now.value.abs().max(f64::MIN_POSITIVE);
                    before - now.value < least_gain * magnitude
                });
        let used_up = self
            .rules
            .passes
            .is_some_and(|most| self.trace.len() >= most);
        if now.moves == 0 {
            Some(StopReason::NoChange)
        } else if let Some(reason) = deadline.reason() {
            Some(reason)
        } else if gained_too_little {
            Some(StopReason::RelativeGain)
        } else if used_up {
            Some(StopReason::Passes)
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

/// A result of one of several runs.
pub(crate) trait Outcome {
    /// The objective: less is better.
    fn value(&self) -> f64;

    /// Says that the runs were ended before all had been made.
    fn ended_early(&mut self, reason: StopReason);
}

/// Makes the runs one after the other and keeps the result of least value, the earliest on ties.
/// Ended early, the best so far says so.
///
/// # Panics
/// If there is no run at all.
pub(crate) fn best_of<R: Outcome>(mut runs: impl Iterator<Item = R>, deadline: &Deadline<'_>) -> R {
    let mut best = runs.next().expect("there is at least one run");
    while deadline.reason().is_none() {
        let Some(run) = runs.next() else {
            return best;
        };
        if run.value() < best.value() {
            best = run;
        }
    }
    if let Some(reason) = deadline.reason() {
        best.ended_early(reason);
    }
    best
}
