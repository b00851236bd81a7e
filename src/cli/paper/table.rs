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
        Self { what: what.into(), paper: Some(paper), ours, decimals: 2, note: note.into() }
    }

    /// Any number.
    pub fn number(what: impl Into<String>, paper: Option<f64>, ours: f64, decimals: usize, note: &str) -> Self {
        Self { what: what.into(), paper, ours, decimals, note: note.into() }
    }

    fn note(&self) -> &str {
        let far = self.paper.is_some_and(|p| (p - self.ours).abs() > NOTABLE);
        if far || self.decimals != 2 || self.paper.is_none() { &self.note } else { "" }
    }
}

/// All sections as Markdown.
pub fn markdown(sections: &[Section]) -> String {
    let mut text = String::new();
    for section in sections {
        // Writing to a String cannot fail.
        let _ = writeln!(text, "## {}\n\n{}\n", section.title, section.method);
        let _ = writeln!(text, "| | paper | ours | |\n|---|---|---|---|");
        for row in &section.rows {
            let paper = row.paper.map_or_else(|| "–".to_owned(), |p| format!("{p:.*}", row.decimals));
            let _ = writeln!(text, "| {} | {paper} | {:.*} | {} |", row.what, row.decimals, row.ours, row.note());
        }
        let _ = writeln!(text);
    }
    text
}
