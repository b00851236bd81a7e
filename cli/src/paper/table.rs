//! Our number beside the printed one.

use serde::Serialize;
use std::fmt::Write;

/// A difference that has to be explained.
const NOTABLE: f64 = 0.05;

/// One measured quantity.
#[derive(Debug, Clone, Serialize)]
pub struct Row {
    /// What was measured.
    pub what: String,
    /// The number in the paper, as printed there.
    pub paper: Option<f64>,
    /// Ours.
    pub ours: f64,
    /// The standard deviation of one run or draw, where ours is an average of several.
    pub deviation: Option<f64>,
    /// How many decimals to show.
    pub decimals: usize,
    /// Why they differ, or how ours was measured.
    pub note: String,
}

/// One experiment.
#[derive(Debug, Clone, Serialize)]
pub struct Section {
    /// Its name.
    pub title: String,
    /// How it was done.
    pub method: String,
    /// Its numbers.
    pub rows: Vec<Row>,
    /// Seconds it took.
    pub seconds: f64,
}

impl Row {
    /// A score between 0 and 1.
    pub fn score(what: impl Into<String>, paper: f64, ours: f64, note: &str) -> Self {
        Self::number(what, Some(paper), ours, 2, note)
    }

    /// The average of a score between 0 and 1 over several runs, with its standard deviation.
    pub fn average(what: impl Into<String>, paper: f64, scores: &[f64], note: &str) -> Self {
        let n = scores.len().max(1) as f64;
        let mean = scores.iter().sum::<f64>() / n;
        let variance = scores.iter().map(|s| (s - mean).powi(2)).sum::<f64>() / (n - 1.0).max(1.0);
        Self {
            deviation: Some(variance.sqrt()),
            ..Self::score(what, paper, mean, note)
        }
    }

    /// Any number.
    pub fn number(
        what: impl Into<String>,
        paper: Option<f64>,
        ours: f64,
        decimals: usize,
        note: &str,
    ) -> Self {
        Self {
            what: what.into(),
            paper,
            ours,
            deviation: None,
            decimals,
            note: note.into(),
        }
    }

    /// The note, which a score close to the printed one does not need.
    fn note(&self) -> &str {
        let close =
            self.decimals == 2 && self.paper.is_some_and(|p| (p - self.ours).abs() <= NOTABLE);
        if close { "" } else { &self.note }
    }

    /// Ours as it is shown.
    fn shown(&self) -> String {
        let number = |value: f64| format!("{value:.*}", self.decimals);
        match self.deviation {
            _ if self.ours.is_nan() => "never".to_owned(),
            Some(deviation) => format!("{} ± {}", number(self.ours), number(deviation)),
            None => number(self.ours),
        }
    }
}

/// All sections as Markdown. `±` is the standard deviation of one run.
pub fn markdown(sections: &[Section]) -> String {
    let mut text = String::new();
    for section in sections {
        // Writing to a String cannot fail.
        let _ = writeln!(text, "## {}\n\n{}\n", section.title, section.method);
        let _ = writeln!(text, "| | paper | ours | |\n|---|---|---|---|");
        for row in &section.rows {
            let paper = row
                .paper
                .map_or_else(|| "–".to_owned(), |p| format!("{p:.*}", row.decimals));
            let _ = writeln!(
                text,
                "| {} | {paper} | {} | {} |",
                row.what,
                row.shown(),
                row.note()
            );
        }
        let _ = writeln!(text, "\n{:.1} s on this machine.\n", section.seconds);
    }
    text
}
