//! A spectrum → what a page shows of it.

use super::data::{SpectrumView, short};
use crate::linalg::{CheckMethod, Spectrum};

/// Eigenvalues shown, the smallest.
const MOST_VALUES: usize = 2000;

/// Gaps shown, the relatively largest.
const MOST_GAPS: usize = 8;

impl SpectrumView {
    /// Shows the low end of `spectrum`.
    pub fn new(spectrum: &Spectrum) -> Self {
        let gaps = spectrum.gaps().into_iter().take(MOST_GAPS).map(|gap| (gap.after, short(gap.low), short(gap.high)));
        Self {
            values: spectrum.values().into_iter().take(MOST_VALUES).map(short).collect(),
            count: spectrum.count(),
            below: short(spectrum.below),
            verdict: verdict(spectrum),
            gaps: gaps.collect(),
        }
    }
}

fn verdict(spectrum: &Spectrum) -> String {
    let check = &spectrum.check;
    match (check.method, check.complete) {
        (CheckMethod::Inertia, true) => "None is missing: their number was proved by the inertia of a factorisation.".to_owned(),
        (CheckMethod::Inertia, false) => {
            format!("Incomplete: there are {} (proved by the inertia of a factorisation).", check.expected)
        }
        (_, complete) => format!(
            "{}: the spectral density says {:.1} ± {:.1}.",
            if complete { "Probably none is missing" } else { "Incomplete" },
            check.expected,
            check.error_bar
        ),
    }
}
