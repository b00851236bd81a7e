//! The measurements as a table for the terminal.

use super::compare::{Comparison, Line, Verdict};
use super::record::{GraphRecord, Measured, Memory, Outcome, Record, RunRecord};
use std::fmt::Write;

/// The whole table.
pub fn table(record: &Record, comparison: Option<&Comparison>) -> String {
    let mut text = String::new();
    // Writing to a String cannot fail.
    for graph in &record.graphs {
        let _ = writeln!(
            text,
            "{}: {} vertices, {} edges; file {}, graph {}",
            graph.name,
            graph.vertices,
            graph.edges,
            bytes(graph.file_bytes),
            bytes(graph.graph_bytes)
        );
        let _ = writeln!(
            text,
            "  {:<9} {:>7} {:>10} {:>7}  {:<26} {:<13} {:>8} {:>9} {:>9}",
            "stage", "threads", "median", "spread", "rate", "ratio", "speed-up", "peak", "more"
        );
        for run in &graph.runs {
            let line = comparison.and_then(|c| c.line(&graph.name, &run.stage, run.threads));
            let _ = writeln!(text, "  {}", row(graph, run, line).trim_end());
        }
        text.push('\n');
    }
    for line in legend(record) {
        let _ = writeln!(text, "{line}");
    }
    for line in comparison.iter().flat_map(|c| summary(c)) {
        let _ = writeln!(text, "{line}");
    }
    text
}

fn row(graph: &GraphRecord, run: &RunRecord, compared: Option<&Line>) -> String {
    let start = format!("{:<9} {:>7}", run.stage, run.threads);
    let measured = match &run.outcome {
        Outcome::Measured(measured) => measured,
        Outcome::Skipped(reason) => return format!("{start} skipped, {reason}"),
    };
    let first = graph
        .runs
        .iter()
        .find(|r| r.stage == run.stage)
        .map_or(run.threads, |r| r.threads);
    let speed_up = graph
        .measured(&run.stage, first)
        .filter(|_| first != run.threads)
        .map_or(String::new(), |m| {
            format!("{:.2} ×", m.median() / measured.median())
        });
    let more = measured
        .peak_bytes
        .zip(measured.before_bytes)
        .map(|(peak, before)| peak.saturating_sub(before));
    format!(
        "{start} {:>10} {:>7}  {:<26} {:<13} {:>8} {:>9} {:>9}{}",
        seconds(measured.median()),
        format!("± {:.0} %", 100.0 * measured.spread()),
        rate(graph, &run.stage, measured),
        ratio(graph, run, measured),
        speed_up,
        measured.peak_bytes.map_or_else(|| "?".to_owned(), bytes),
        more.map_or_else(|| "?".to_owned(), bytes),
        compared.map_or(String::new(), mark),
    )
}

/// Work a second.
fn rate(graph: &GraphRecord, stage: &str, measured: &Measured) -> String {
    let per_second = |amount: f64| amount / measured.median() / 1e6;
    match stage {
        "load" => format!(
            "{:.1} MB/s, {:.2} M edges/s",
            per_second(graph.file_bytes as f64),
            per_second(graph.rows as f64)
        ),
        "sweep" | "pass" => format!("{:.2} ns/arc", 1e9 * measured.median() / graph.arcs as f64),
        _ => format!("{:.3} M edges/s", per_second(graph.edges as f64)),
    }
}

/// The stage that another is compared with.
fn yardstick(stage: &str) -> Option<&'static str> {
    match stage {
        "pass" | "solve" | "spectrum" => Some("sweep"),
        "path" => Some("solve"),
        _ => None,
    }
}

fn ratio(graph: &GraphRecord, run: &RunRecord, measured: &Measured) -> String {
    let by =
        yardstick(&run.stage).and_then(|name| Some((name, graph.measured(name, run.threads)?)));
    by.map_or(String::new(), |(name, other)| {
        format!("{:.1} {name}s", measured.median() / other.median())
    })
}

fn mark(line: &Line) -> String {
    let word = |verdict: Verdict| match verdict {
        Verdict::Better => " better",
        Verdict::Same => "",
        Verdict::Worse => " WORSE",
    };
    let memory = match (line.memory, line.memory_ratio) {
        (Verdict::Same, _) | (_, None) => String::new(),
        (verdict, Some(ratio)) => format!(", memory {ratio:.2} ×{}", word(verdict)),
    };
    format!(
        "   {:.2} × the baseline{}{memory}",
        line.ratio,
        word(line.time)
    )
}

fn legend(record: &Record) -> Vec<String> {
    let runs = record.settings.repeat;
    let peak = match record.memory {
        Memory::Stage => {
            "peak: the most memory the process held during the stage; more: beyond what it held before, which includes freed \
                          memory that it has not given back"
        }
        Memory::Process => {
            "peak: the most memory the process has held so far (this system cannot set the mark back for each stage)"
        }
        Memory::Unknown => "peak: not known on this system",
    };
    vec![
        format!(
            "median of {runs} runs; spread: half of their range; β = {}, effort {:?}",
            record.settings.resolution, record.settings.effort
        )
        .to_lowercase(),
        peak.to_owned(),
    ]
}

fn summary(comparison: &Comparison) -> Vec<String> {
    let better = comparison
        .lines
        .iter()
        .filter(|l| l.time == Verdict::Better || l.memory == Verdict::Better)
        .count();
    let mut lines = comparison.remarks.clone();
    lines.push(format!(
        "against the baseline: {} compared, {} worse, {better} better",
        comparison.lines.len(),
        comparison.worse()
    ));
    for line in comparison
        .lines
        .iter()
        .filter(|l| l.time == Verdict::Worse || l.memory == Verdict::Worse)
    {
        lines.push(format!(
            "  WORSE: {}, {}, {} threads:{}",
            line.graph,
            line.stage,
            line.threads,
            &mark(line)[2..]
        ));
    }
    lines
}

fn seconds(s: f64) -> String {
    match s {
        s if s < 1e-3 => format!("{:.1} µs", 1e6 * s),
        s if s < 1.0 => format!("{:.2} ms", 1e3 * s),
        s => format!("{s:.2} s"),
    }
}

fn bytes(n: u64) -> String {
    match n as f64 {
        b if b < 1e3 => format!("{b:.0} B"),
        b if b < 1e6 => format!("{:.1} kB", b / 1e3),
        b if b < 1e9 => format!("{:.1} MB", b / 1e6),
        b => format!("{:.2} GB", b / 1e9),
    }
}
