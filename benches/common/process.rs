//! Memory of this process (Linux), this program once more, and Python.

use std::ffi::OsStr;
use std::process::Command;

/// Fresh processes for one peak of memory.
const PROCESSES: usize = 3;

/// A line of `/proc/self/status` in bytes; `None` where there is no such thing.
pub fn status(field: &str) -> Option<f64> {
    let text = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = text.lines().find(|line| line.starts_with(field))?;
    line.split_whitespace()
        .nth(1)?
        .parse::<f64>()
        .ok()
        .map(|kilobytes| kilobytes * 1024.0)
}

/// What `work` returns, and how many bytes the process holds more at its highest than before.
pub fn peak_growth<R>(work: impl FnOnce() -> R) -> (R, Option<f64>) {
    let before = std::fs::write("/proc/self/clear_refs", "5")
        .ok()
        .and_then(|()| status("VmRSS:"));
    let result = work();
    (
        result,
        before.and_then(|before| Some(status("VmHWM:")? - before)),
    )
}

/// How a fresh process manages its memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Allocator {
    /// As users have it: what is freed may stay with the process, and counts.
    AsItIs,
    /// What is freed is given back (glibc), so that the peak is what the work itself holds. Often
    /// far less: a claim about the memory of the program must not rest on it.
    GivesBack,
}

/// Runs this program again for the numbers that it prints: memory that only a fresh process shows.
/// Each number is the highest of [`PROCESSES`]: peaks differ from run to run, most of all small
/// ones, and one that is looked for now and then can be missed.
pub fn in_fresh_process(
    allocator: Allocator,
    arguments: impl IntoIterator<Item: AsRef<OsStr>>,
) -> Option<Vec<f64>> {
    let mut again = Command::new(std::env::current_exe().expect("this program has a path"));
    again.arg("--peak").args(arguments);
    if allocator == Allocator::GivesBack {
        again.env("MALLOC_MMAP_THRESHOLD_", "65536");
    }
    let mut runs = (0..PROCESSES).map(|_| numbers(&again.output().expect("this program runs")));
    let first = runs.next()??;
    runs.try_fold(first, |highest, run| {
        Some(
            highest
                .into_iter()
                .zip(run?)
                .map(|(a, b)| a.max(b))
                .collect(),
        )
    })
}

/// The arguments of such a run, if this is one.
pub fn fresh() -> Option<Vec<String>> {
    let mut arguments = std::env::args().skip(1);
    (arguments.next()? == "--peak").then(|| arguments.collect())
}

/// The numbers that a Python script prints, on two threads; `None` when the variable names no
/// interpreter, or the script fails there.
pub fn python(
    variable: &str,
    script: &str,
    arguments: impl IntoIterator<Item: AsRef<OsStr>>,
) -> Option<Vec<f64>> {
    let Some(interpreter) = std::env::var_os(variable) else {
        println!("no comparison: {variable} names no interpreter");
        return None;
    };
    let mut command = Command::new(interpreter);
    for threads in ["OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"] {
        command.env(threads, "2");
    }
    numbers(
        &command
            .arg("-c")
            .arg(script)
            .args(arguments)
            .output()
            .expect("the interpreter starts"),
    )
}

/// The numbers in the output of a program, which says on standard error why there are none.
fn numbers(output: &std::process::Output) -> Option<Vec<f64>> {
    if !output.status.success() {
        println!(
            "no comparison: {}",
            String::from_utf8_lossy(&output.stderr)
                .lines()
                .last()
                .unwrap_or("")
        );
        return None;
    }
    String::from_utf8_lossy(&output.stdout)
        .split_whitespace()
        .map(|number| number.parse().ok())
        .collect()
}
