//! A spectrum → what a page shows of it.

use super::data::{SpectrumView, short};
use crate::linalg::{Spectrum, SpectrumCheck};

/// Eigenvalues shown, the smallest.
const MOST_VALUES: usize = 2000;

/// Gaps shown, the relatively largest.
const MOST_GAPS: usize = 8;

impl SpectrumView {
    /// Shows the low end of `spectrum`.
    pub fn new(spectrum: &Spectrum) -> Self {
        let gaps = spectrum
            .gaps()
            .into_iter()
            .take(MOST_GAPS)
            .map(|gap| (gap.after, short(gap.low), short(gap.high)));
        Self {
            values: spectrum
                .values()
                .into_iter()
                .take(MOST_VALUES)
                .map(short)
                .collect(),
            count: spectrum.count(),
            below: short(spectrum.below),
            verdict: verdict(&spectrum.check),
            gaps: gaps.collect(),
        }
    }
}

/// What the check says, as a sentence.
fn verdict(check: &SpectrumCheck) -> String {
    let text = check.to_string();
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| {
        first.to_uppercase().chain(letters).chain(['.']).collect()
    })
}
