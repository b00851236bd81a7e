//! Flags that every command understands, and the observer behind the progress display.

use super::memory;
use anyhow::{Context, bail};
use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use lambdacut::run::{CancelToken, Event, Observer};
use std::io::{self, IsTerminal, Write};
use std::num::NonZeroUsize;
use std::path::Path;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// Flags of every command.
#[derive(Debug, Args)]
pub struct Global {
    /// Threads to use (default: all cores). Results never depend on it. `bench` takes several
    /// numbers, as in 1,2.
    #[arg(
        long,
        global = true,
        value_name = "N",
        value_delimiter = ',',
        help_heading = "General"
    )]
    pub threads: Vec<NonZeroUsize>,
    /// Print nothing but errors.
    #[arg(
        long,
        short,
        global = true,
        conflicts_with = "verbose",
        help_heading = "General"
    )]
    pub quiet: bool,
    /// Print one line a pass.
    #[arg(long, short, global = true, help_heading = "General")]
    pub verbose: bool,
}

impl Global {
    /// The number of threads of a command that runs once; `None` for all cores.
    pub fn one_number_of_threads(&self) -> anyhow::Result<Option<NonZeroUsize>> {
        match self.threads[..] {
            [] => Ok(None),
            [threads] => Ok(Some(threads)),
            _ => bail!("--threads takes one number here; only bench compares several"),
        }
    }

    /// The observer of a run: progress on a terminal, Ctrl-C as cancellation (the best result so
    /// far is kept).
    pub fn progress(&self) -> anyhow::Result<Progress> {
        Progress::new(self.quiet, self.verbose, true)
    }

    /// The observer of a command that has no result before its end: Ctrl-C ends it at once.
    pub fn progress_without_result(&self) -> anyhow::Result<Progress> {
        Progress::new(self.quiet, self.verbose, false)
    }
}

/// Ctrl-C ended a command that has nothing to show for it.
#[derive(Debug)]
pub struct Interrupted;

impl std::fmt::Display for Interrupted {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("interrupted")
    }
}

impl std::error::Error for Interrupted {}

/// Writes a line to standard error. Where nobody can read it (a closed pipe, a full disk) it is lost,
/// and the result that the command is about is not.
pub fn tell(line: &str) {
    let _ = writeln!(io::stderr(), "{}", shown(line));
}

/// A text that a terminal only shows: control characters, which may come from a file or its name, are
/// escaped; line ends and tabs stay.
fn shown(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for character in text.chars() {
        if character.is_control() && !matches!(character, '\n' | '\t') {
            shown.extend(character.escape_default());
        } else {
            shown.push(character);
        }
    }
    shown
}

/// Flags that do not go together: exit code 2, as for a flag that does not exist.
#[derive(Debug)]
pub struct Usage(pub String);

impl std::fmt::Display for Usage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Usage {}

/// The exit code of a command that has kept its results: 130 if it was interrupted.
pub fn exit_code(progress: &Progress) -> ExitCode {
    if progress.cancelled() {
        ExitCode::from(130)
    } else {
        ExitCode::SUCCESS
    }
}

/// The clock of a command with a time limit.
#[derive(Debug, Clone, Copy)]
pub struct Clock {
    started: Instant,
    limit: Option<Duration>,
}

impl Clock {
    /// Starts the clock. More seconds than it can count are as good as no limit.
    ///
    /// # Errors
    /// If that is no number of seconds.
    pub fn start(seconds: Option<f64>) -> anyhow::Result<Self> {
        if seconds.is_some_and(|s| !(s.is_finite() && s >= 0.0)) {
            bail!("--time-limit must be a number of seconds, 0 or more");
        }
        let limit = seconds.map(|s| Duration::try_from_secs_f64(s).unwrap_or(Duration::MAX));
        Ok(Self {
            started: Instant::now(),
            limit,
        })
    }

    /// The time that is left; `None` without a limit.
    pub fn left(&self) -> Option<Duration> {
        let limit = self.limit?;
        Some(limit.saturating_sub(self.started.elapsed()))
    }
}

/// Runs `work` on as many threads as asked for, or on all cores.
pub fn in_pool<R: Send>(
    threads: Option<NonZeroUsize>,
    work: impl FnOnce() -> anyhow::Result<R> + Send,
) -> anyhow::Result<R> {
    let threads = threads.map_or(0, NonZeroUsize::get);
    rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .context("cannot start the threads")?
        .install(work)
}

/// The command as given, without the place of the program, quoted so that a shell understands it.
pub fn command_line() -> String {
    let given = std::env::args_os()
        .skip(1)
        .map(|arg| quoted(&arg.to_string_lossy()));
    std::iter::once("lambdacut".to_owned())
        .chain(given)
        .collect::<Vec<_>>()
        .join(" ")
}

fn quoted(arg: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "_@%+=:,./-".contains(c);
    if !arg.is_empty() && arg.chars().all(plain) {
        arg.to_owned()
    } else {
        format!("'{}'", arg.replace('\'', "'\\''"))
    }
}

/// Shows progress on standard error (bars only on a terminal) and cancels on Ctrl-C.
#[derive(Debug)]
pub struct Progress {
    cancel: CancelToken,
    /// Whether Ctrl-C only asks the run to end, because there is something to keep or to tidy up.
    waits: Arc<AtomicBool>,
    verbose: bool,
    quiet: bool,
    bar: Option<Mutex<Bar>>,
}

/// The progress of a stage on a terminal: a bar or a spinner, and how far the steps have come.
#[derive(Debug)]
struct Bar {
    shown: ProgressBar,
    stage: String,
    steps: usize,
    beta: Option<f64>,
}

impl Bar {
    fn hidden() -> Self {
        Self {
            shown: ProgressBar::hidden(),
            stage: String::new(),
            steps: 0,
            beta: None,
        }
    }

    /// Takes the place of the last stage.
    fn begin(&mut self, stage: &str, total: Option<u64>) {
        self.shown.finish_and_clear();
        let template = if total.is_some() {
            "{msg} {wide_bar} {pos}/{len} {elapsed}"
        } else {
            "{spinner} {msg} {elapsed}"
        };
        self.shown = total.map_or_else(ProgressBar::new_spinner, ProgressBar::new);
        if let Ok(style) = ProgressStyle::with_template(template) {
            self.shown.set_style(style);
        }
        self.shown.set_message(stage.to_owned());
        self.shown.enable_steady_tick(Duration::from_millis(100));
        stage.clone_into(&mut self.stage);
        (self.steps, self.beta) = (0, None);
    }

    /// "following the path: step 12, β 0.430, 1523 clusters, 310 MB".
    fn pass(&mut self, clusters: usize) {
        self.steps += 1;
        let beta = self
            .beta
            .map_or(String::new(), |beta| format!(", β {beta:.3}"));
        let memory = memory::resident().map_or(String::new(), |b| format!(", {} MB", b >> 20));
        let (stage, steps) = (&self.stage, self.steps);
        let message = format!("{stage}: step {steps}{beta}, {clusters} clusters{memory}");
        self.shown.set_message(message);
    }
}

impl Progress {
    fn new(quiet: bool, verbose: bool, waits: bool) -> anyhow::Result<Self> {
        let (cancel, waits) = (CancelToken::default(), Arc::new(AtomicBool::new(waits)));
        let (handler, handler_waits) = (cancel.clone(), Arc::clone(&waits));
        ctrlc::set_handler(move || {
            if handler.cancelled() || !handler_waits.load(Relaxed) {
                std::process::exit(130);
            }
            handler.cancel();
            tell("interrupted: ending with the best so far (once more ends at once)");
        })
        .context("cannot listen for Ctrl-C")?;
        let shown = !quiet && std::io::stderr().is_terminal();
        Ok(Self {
            cancel,
            waits,
            verbose,
            quiet,
            bar: shown.then(|| Mutex::new(Bar::hidden())),
        })
    }

    /// Writes a result to a file that appears whole; Ctrl-C meanwhile ends the command and leaves
    /// nothing of it behind.
    pub fn write(
        &self,
        path: &Path,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> anyhow::Result<()> {
        self.event(Event::Stage {
            name: "writing",
            total: None,
        });
        let waited = self.waits.swap(true, Relaxed);
        let result = lambdacut::io::write_atomically(path, |out| {
            write(&mut Stoppable {
                out,
                cancel: &self.cancel,
            })
        });
        self.waits.store(waited, Relaxed);
        if self.cancelled() {
            return Err(Interrupted.into());
        }
        result.with_context(|| format!("cannot write {}", path.display()))
    }

    /// Prints a line of the summary, unless quiet.
    pub fn say(&self, line: &str) {
        self.finish();
        if !self.quiet {
            tell(line);
        }
    }

    /// Removes the bar.
    pub fn finish(&self) {
        if let Some(Ok(bar)) = self.bar.as_ref().map(Mutex::lock) {
            bar.shown.finish_and_clear();
        }
    }

    /// Changes what the terminal shows, if it shows anything.
    fn show(&self, change: impl FnOnce(&mut Bar)) {
        if let Some(Ok(mut bar)) = self.bar.as_ref().map(Mutex::lock) {
            change(&mut bar);
        }
    }
}

/// Writes on until it is asked to stop.
struct Stoppable<'a> {
    out: &'a mut dyn Write,
    cancel: &'a CancelToken,
}

impl Write for Stoppable<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.cancel.cancelled() {
            return Err(io::Error::other(Interrupted));
        }
        self.out.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

impl Observer for Progress {
    fn event(&self, event: Event<'_>) {
        match event {
            Event::Stage { name, total } => self.show(|bar| bar.begin(name, total)),
            Event::Step { beta } => self.show(|bar| bar.beta = Some(beta)),
            Event::Advance(steps) => self.show(|bar| bar.shown.inc(steps)),
            Event::Pass(pass) => {
                self.show(|bar| bar.pass(pass.clusters));
                if self.verbose {
                    tell(&format!(
                        "  F {:.6}  clusters {}  moves {}  {:.3} s",
                        pass.value, pass.clusters, pass.moves, pass.seconds
                    ));
                }
            }
            Event::Note(text) => self.say(text),
            _ => {}
        }
    }

    fn cancelled(&self) -> bool {
        self.cancel.cancelled()
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn escape_sequences_are_shown() {
        assert_eq!(super::shown("a\u{1b}[31m\r\tb\nc"), "a\\u{1b}[31m\\r\tb\nc");
    }

    #[test]
    fn arguments_are_quoted_where_a_shell_needs_it() {
        let quoted = super::quoted;
        assert_eq!(
            (
                quoted("a-b.edges"),
                quoted("a b"),
                quoted("it's"),
                quoted("")
            ),
            (
                "a-b.edges".into(),
                "'a b'".into(),
                "'it'\\''s'".into(),
                "''".into()
            )
        );
    }
}
