//! How progress leaves the library, and how a run is asked to stop.
//!
//! Nothing in the library prints. Long-running functions take an [`Observer`]: they tell it what
//! they do and ask it, between steps, whether to go on. A cancelled run returns the best result so
//! far.

use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

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
/// use lambdacut::observe::{Event, Observer};
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
/// use lambdacut::observe::{CancelToken, Observer};
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

/// Passes everything on to another observer, and cancels when its time is up.
#[derive(Clone, Copy)]
pub struct Deadline<'a> {
    inner: &'a dyn Observer,
    until: Option<std::time::Instant>,
}

impl<'a> Deadline<'a> {
    /// Cancels `limit` from now, or never by itself if there is none.
    pub fn new(inner: &'a dyn Observer, limit: Option<std::time::Duration>) -> Self {
        Self {
            inner,
            until: limit.and_then(|limit| std::time::Instant::now().checked_add(limit)),
        }
    }

    /// Whether the time is up.
    pub fn passed(&self) -> bool {
        self.until
            .is_some_and(|until| std::time::Instant::now() >= until)
    }
}

impl std::fmt::Debug for Deadline<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
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
        self.passed() || self.inner.cancelled()
    }
}
