//! What got worse since an earlier run.
//!
//! A time is worse when even the fastest run is slower than the slowest run of the baseline (so the
//! ranges do not touch) and the medians differ by more than [`TOLERANCE`]; better is the mirror
//! image. A peak of memory is worse beyond the same tolerance and [`SMALL`] bytes. Only the same
//! stage on the same graph and number of threads is compared.

use super::record::{GraphRecord, Measured, Outcome, Record};
use anyhow::Context;
use std::path::Path;

/// Differences of medians up to this share are noise, whatever the spread says.
const TOLERANCE: f64 = 0.05;

/// Differences of memory up to this many bytes are noise.
const SMALL: u64 = 4 << 20;

/// How a measurement stands to its baseline.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// Beyond the spread, to the good.
    Better,
    /// Within the spread.
    Same,
    /// Beyond the spread, to the bad.
    Worse,
}

/// One measurement that both runs made.
#[derive(Debug, Clone, PartialEq)]
pub struct Line {
    /// The graph.
    pub graph: String,
    /// The stage.
    pub stage: String,
    /// The number of threads.
    pub threads: usize,
    /// Time now over time then.
    pub ratio: f64,
    /// The verdict on the time.
    pub time: Verdict,
    /// The peak now over the peak then, where both are known.
    pub memory_ratio: Option<f64>,
    /// The verdict on the memory.
    pub memory: Verdict,
}

/// Everything that both runs measured, and what keeps the rest from being compared.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Comparison {
    /// What was compared.
    pub lines: Vec<Line>,
    /// Why something was not, or should be taken with care.
    pub remarks: Vec<String>,
}

impl Comparison {
    /// How many measurements got worse.
    pub fn worse(&self) -> usize {
        self.lines
            .iter()
            .map(|l| {
                usize::from(l.time == Verdict::Worse) + usize::from(l.memory == Verdict::Worse)
            })
            .sum()
    }

    /// The line of a measurement.
    pub fn line(&self, graph: &str, stage: &str, threads: usize) -> Option<&Line> {
        self.lines
            .iter()
            .find(|l| l.graph == graph && l.stage == stage && l.threads == threads)
    }
}

/// Reads an earlier run.
pub fn read(path: &Path) -> anyhow::Result<Record> {
    let text = std::fs::read_to_string(path)
        .with_context(|| format!("cannot read the baseline {}", path.display()))?;
    let record: Record = serde_json::from_str(&text).with_context(|| {
        format!(
            "{} is not what `lambdacut bench --json` writes",
            path.display()
        )
    })?;
    let runs = || record.graphs.iter().flat_map(|g| &g.runs);
    let empty =
        runs().any(|run| matches!(&run.outcome, Outcome::Measured(m) if m.seconds.is_empty()));
    anyhow::ensure!(
        !empty,
        "{} holds a measurement without a run",
        path.display()
    );
    Ok(record)
}

/// Compares a run with an earlier one.
pub fn compare(earlier: &Record, now: &Record) -> Comparison {
    let mut comparison = Comparison::default();
    if earlier.cores != now.cores {
        comparison.remarks.push(format!(
            "the baseline was measured on {} cores, this run on {}",
            earlier.cores, now.cores
        ));
    }
    let (then, today) = (&earlier.settings, &now.settings);
    if (then.resolution, then.effort) != (today.resolution, today.effort) {
        comparison
            .remarks
            .push("the baseline has another resolution or effort: solve, path and spectrum are not compared".to_owned());
    }
    let searched = |stage: &str| ["pass", "solve", "path", "spectrum"].contains(&stage);
    let comparable = |stage: &str| {
        (then.resolution, then.effort) == (today.resolution, today.effort) || !searched(stage)
    };
    for graph in &now.graphs {
        let Some(old) = earlier.graphs.iter().find(|g| g.name == graph.name) else {
            comparison
                .remarks
                .push(format!("{} is not in the baseline", graph.name));
            continue;
        };
        if (old.vertices, old.arcs, old.rows) != (graph.vertices, graph.arcs, graph.rows) {
            comparison
                .remarks
                .push(format!("{} is another graph in the baseline", graph.name));
            continue;
        }
        let same_memory = earlier.memory == now.memory;
        comparison
            .lines
            .extend(lines(old, graph, same_memory).filter(|line| comparable(&line.stage)));
    }
    comparison
}

/// What both runs measured on one graph.
fn lines<'a>(
    old: &'a GraphRecord,
    new: &'a GraphRecord,
    same_memory: bool,
) -> impl Iterator<Item = Line> + 'a {
    new.runs.iter().filter_map(move |run| {
        let (then, now) = (
            old.measured(&run.stage, run.threads)?,
            new.measured(&run.stage, run.threads)?,
        );
        let peaks = then.peak_bytes.zip(now.peak_bytes).filter(|_| same_memory);
        Some(Line {
            graph: new.name.clone(),
            stage: run.stage.clone(),
            threads: run.threads,
            ratio: now.median() / then.median(),
            time: time(then, now),
            memory_ratio: peaks.map(|(then, now)| now as f64 / then as f64),
            memory: peaks.map_or(Verdict::Same, |(then, now)| memory(then, now)),
        })
    })
}

fn time(then: &Measured, now: &Measured) -> Verdict {
    let ratio = now.median() / then.median();
    if now.least() > then.most() && ratio > 1.0 + TOLERANCE {
        Verdict::Worse
    } else if now.most() < then.least() && ratio < 1.0 / (1.0 + TOLERANCE) {
        Verdict::Better
    } else {
        Verdict::Same
    }
}

fn memory(then: u64, now: u64) -> Verdict {
    let beyond =
        |more: u64, less: u64| more as f64 > (1.0 + TOLERANCE) * less as f64 && more - less > SMALL;
    match (beyond(now, then), beyond(then, now)) {
        (true, _) => Verdict::Worse,
        (_, true) => Verdict::Better,
        _ => Verdict::Same,
    }
}
