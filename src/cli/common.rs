//! Flags that every command understands, and the observer behind the progress display.

use anyhow::Context;
use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use lambdacut::observe::{CancelToken, Event, Observer};
use std::io::IsTerminal;
use std::sync::Mutex;

/// Flags of every command.
#[derive(Debug, Args)]
pub struct Global {
    /// Threads to use (default: all cores). Results never depend on it.
    #[arg(long, global = true, value_name = "N", help_heading = "General")]
    pub threads: Option<std::num::NonZeroUsize>,
    /// Print nothing but errors.
    #[arg(long, short, global = true, conflicts_with = "verbose", help_heading = "General")]
    pub quiet: bool,
    /// Print one line a pass.
    #[arg(long, short, global = true, help_heading = "General")]
    pub verbose: bool,
}

impl Global {
    /// The observer of a run: progress on a terminal, Ctrl-C as cancellation (the best result so far is kept).
    pub fn progress(&self) -> anyhow::Result<Progress> {
        Progress::new(self.quiet, self.verbose)
    }
}

/// Runs `work` on as many threads as asked for, or on all cores.
pub fn in_pool<R: Send>(
    threads: Option<std::num::NonZeroUsize>,
    work: impl FnOnce() -> anyhow::Result<R> + Send,
) -> anyhow::Result<R> {
    let threads = threads.map_or(0, std::num::NonZero::get);
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().context("cannot start the threads")?.install(work)
}

/// The command as given, without the place of the program, quoted so that a shell understands it.
pub fn command_line() -> String {
    let given = std::env::args_os().skip(1).map(|arg| quoted(&arg.to_string_lossy()));
    std::iter::once("lambdacut".to_owned()).chain(given).collect::<Vec<_>>().join(" ")
}

fn quoted(arg: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "_@%+=:,./-".contains(c);
    if !arg.is_empty() && arg.chars().all(plain) { arg.to_owned() } else { format!("'{}'", arg.replace('\'', "'\\''")) }
}

/// Shows progress on standard error (bars only on a terminal) and cancels on Ctrl-C.
#[derive(Debug)]
pub struct Progress {
    cancel: CancelToken,
    verbose: bool,
    quiet: bool,
    bar: Option<Mutex<ProgressBar>>,
}

impl Progress {
    fn new(quiet: bool, verbose: bool) -> anyhow::Result<Self> {
        let cancel = CancelToken::default();
        let handler = cancel.clone();
        ctrlc::set_handler(move || {
            if handler.cancelled() {
                std::process::exit(130);
            }
            handler.cancel();
        })
        .context("cannot listen for Ctrl-C")?;
        let shown = !quiet && std::io::stderr().is_terminal();
        Ok(Self { cancel, verbose, quiet, bar: shown.then(|| Mutex::new(ProgressBar::hidden())) })
    }

    /// Prints a line of the summary, unless quiet.
    pub fn say(&self, line: &str) {
        self.finish();
        if !self.quiet {
            eprintln!("{line}");
        }
    }

    /// Removes the bar.
    pub fn finish(&self) {
        if let Some(Ok(bar)) = self.bar.as_ref().map(Mutex::lock) {
            bar.finish_and_clear();
        }
    }

    fn start_bar(&self, name: &str, total: Option<u64>) {
        let Some(Ok(mut bar)) = self.bar.as_ref().map(Mutex::lock) else { return };
        bar.finish_and_clear();
        let template = if total.is_some() { "{msg} {wide_bar} {pos}/{len} {elapsed}" } else { "{spinner} {msg} {elapsed}" };
        *bar = total.map_or_else(ProgressBar::new_spinner, ProgressBar::new);
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        bar.set_message(name.to_owned());
        bar.enable_steady_tick(std::time::Duration::from_millis(100));
    }
}

impl Observer for Progress {
    fn event(&self, event: Event<'_>) {
        match event {
            Event::Stage { name, total } => self.start_bar(name, total),
            Event::Advance(steps) => {
                if let Some(Ok(bar)) = self.bar.as_ref().map(Mutex::lock) {
                    bar.inc(steps);
                }
            }
            Event::Pass(p) if self.verbose => {
                eprintln!("  F {:.6}  clusters {}  moves {}  {:.3} s", p.value, p.clusters, p.moves, p.seconds);
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
    fn arguments_are_quoted_where_a_shell_needs_it() {
        let quoted = super::quoted;
        assert_eq!(
            (quoted("a-b.edges"), quoted("a b"), quoted("it's"), quoted("")),
            ("a-b.edges".into(), "'a b'".into(), "'it'\\''s'".into(), "''".into())
        );
    }
}
