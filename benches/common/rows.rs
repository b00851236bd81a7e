//! Ratios: kept in a file for every benchmark, printed as one table.

use serde::{Deserialize, Serialize};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A claim and what came out.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Row {
    /// What is divided by what, and where.
    pub claim: String,
    /// Of both numbers.
    pub unit: Measure,
    pub measured: f64,
    /// What it is compared with; `None` where that is not installed.
    pub reference: Option<f64>,
    /// What the ratio should be.
    pub target: Option<Target>,
}

#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub enum Measure {
    Seconds,
    Bytes,
    /// A count, an exponent, an agreement.
    Number,
}

#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub enum Target {
    AtMost(f64),
    AtLeast(f64),
}

impl Row {
    fn ratio(&self) -> Option<f64> {
        self.reference.map(|reference| self.measured / reference)
    }

    /// Whether the target is met, where there is one and a ratio.
    fn met(&self) -> Option<bool> {
        Some(match (self.target?, self.ratio()?) {
            (Target::AtMost(most), ratio) => ratio <= most,
            (Target::AtLeast(least), ratio) => ratio >= least,
        })
    }

    fn cells(&self) -> [String; 6] {
        let amount = |amount: f64| self.unit.show(amount);
        let target = |target: Target| match target {
            Target::AtMost(most) => format!("≤ {most}"),
            Target::AtLeast(least) => format!("≥ {least}"),
        };
        let verdict = match (self.target, self.met()) {
            (None, _) => "",
            (_, None) => "open",
            (_, Some(true)) => "yes",
            (_, Some(false)) => "NO",
        };
        [
            self.claim.clone(),
            amount(self.measured),
            self.reference.map_or("not there".into(), amount),
            self.ratio()
                .map_or(String::new(), |ratio| format!("{ratio:.3}")),
            self.target.map_or(String::new(), target),
            verdict.into(),
        ]
    }
}

impl Measure {
    fn show(self, amount: f64) -> String {
        match self {
            Self::Seconds if amount < 1e-6 => format!("{:.2} ns", 1e9 * amount),
            Self::Seconds if amount < 1e-3 => format!("{:.1} µs", 1e6 * amount),
            Self::Seconds if amount < 1.0 => format!("{:.2} ms", 1e3 * amount),
            Self::Seconds => format!("{amount:.2} s"),
            Self::Bytes => format!("{:.2} MB", amount / 1e6),
            Self::Number if amount < 100.0 => format!("{amount:.3}"),
            Self::Number => format!("{amount:.0}"),
        }
    }
}

fn directory() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("ratios")
}

/// Replaces what was kept of a benchmark.
pub fn keep(benchmark: &str, rows: &[Row]) {
    std::fs::create_dir_all(directory()).expect("the build directory can be written");
    let text = serde_json::to_string_pretty(rows).expect("rows are JSON");
    std::fs::write(directory().join(format!("{benchmark}.json")), text)
        .expect("the build directory can be written");
}

/// What was kept of a benchmark, and how long ago.
pub fn kept(benchmark: &str) -> Option<(Vec<Row>, Duration)> {
    let file = directory().join(format!("{benchmark}.json"));
    let rows = serde_json::from_slice(&std::fs::read(&file).ok()?).ok()?;
    let age = std::fs::metadata(&file)
        .ok()?
        .modified()
        .ok()?
        .elapsed()
        .unwrap_or_default();
    Some((rows, age))
}

/// The table of all rows, under the headings given.
pub fn table(sections: &[(String, Vec<Row>)]) -> String {
    let head = ["claim", "measured", "reference", "ratio", "target", "met"].map(str::to_owned);
    let rows = || sections.iter().flat_map(|(_, rows)| rows);
    let cells: Vec<[String; 6]> = std::iter::once(head)
        .chain(rows().map(Row::cells))
        .collect();
    let width = |column: usize| {
        cells
            .iter()
            .map(|row| row[column].chars().count())
            .max()
            .unwrap_or(0)
    };
    let widths: [usize; 6] = std::array::from_fn(width);
    let mut lines = cells.iter().map(|row| line(row, &widths));
    let mut text = lines.next().unwrap_or_default();
    // Writing to a String cannot fail.
    for (heading, rows) in sections {
        let _ = writeln!(text, "{heading}");
        text.extend(lines.by_ref().take(rows.len()));
    }
    let count = |met: Option<bool>| {
        rows()
            .filter(|row| row.target.is_some() && row.met() == met)
            .count()
    };
    let _ = writeln!(
        text,
        "{} ratios; targets: {} met, {} not met, {} open for want of a reference",
        rows().count(),
        count(Some(true)),
        count(Some(false)),
        count(None)
    );
    text
}

/// The claim to the left, all else to the right.
fn line(cells: &[String; 6], widths: &[usize; 6]) -> String {
    let mut text = format!("  {:<1$}", cells[0], widths[0]);
    for (cell, width) in cells.iter().zip(widths).skip(1) {
        let _ = write!(text, "  {cell:>width$}");
    }
    format!("{}\n", text.trim_end())
}
