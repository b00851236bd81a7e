//! NMI, ARI and AMI of 10⁶ labels, beside scikit-learn on the same labels.
//!
//! `cargo bench --bench metrics [-- NMI|ARI|AMI]`; set `LAMBDACUT_PEERS_PYTHON` to a Python
//! interpreter that has scikit-learn for the comparison, which also prints by how much the values
//! differ. Every time includes building the table, on both sides.
//!
//! | ratio | target |
//! |---|---|
//! | NMI or ARI / scikit-learn's | ≤ 1 |
//! | AMI / scikit-learn's, which is tried up to 100 clusters | |
//! | score / building the table alone | |
#![allow(missing_docs)]

mod common;

use common::Measure::Seconds;
use common::Target::AtMost;
use common::process::python;
use common::{Ratios, wants};
use lambdacut::metrics::{Contingency, Mean};

const LABELS: u64 = 1_000_000;

type Score = (&'static str, fn(&Contingency) -> f64);

const SCORES: [Score; 3] = [
    ("NMI", |table| table.nmi(Mean::Arithmetic)),
    ("ARI", Contingency::ari),
    ("AMI", Contingency::ami),
];

/// The same labels in Rust and in Python: `x = i * 2654435761 % 2^32`, then `x % k` where `x % 10 <
/// 3`, else `i // (n / k)`.
fn labels(k: u64) -> (Vec<u32>, Vec<u32>) {
    let truth = |i: u64| i / (LABELS / k);
    let found = |i: u64| {
        let x = i * 2_654_435_761 % (1 << 32);
        if x % 10 < 3 { x % k } else { truth(i) }
    };
    (0..LABELS)
        .map(|i| (found(i) as u32, truth(i) as u32))
        .unzip()
}

/// Seconds of the fastest of seven rounds, and the value, of each score; both 0 where it is not
/// tried.
const SCIKIT_LEARN: &str = "
import sys, time, numpy as np
from sklearn import metrics as m
n, k = map(int, sys.argv[1:])
i = np.arange(n, dtype=np.uint64)
t = i // np.uint64(n // k)
x = i * np.uint64(2654435761) % np.uint64(1 << 32)
f = np.where(x % np.uint64(10) < 3, x % np.uint64(k), t).astype(np.int64)
t = t.astype(np.int64)
for score in (m.normalized_mutual_info_score, m.adjusted_rand_score, m.adjusted_mutual_info_score):
    times, value, rounds = [], 0.0, 7
    # Its expected information takes time with the square of the number of clusters: one round, and none for many.
    if score is m.adjusted_mutual_info_score: rounds = 1 if k <= 100 else 0
    for _ in range(rounds):
        start = time.perf_counter(); value = score(t, f); times.append(time.perf_counter() - start)
    print(min(times, default=0), value)
";

fn measure(ratios: &mut Ratios, k: u64) {
    let (found, truth) = labels(k);
    let table = || Contingency::new(&found, &truth).expect("as many labels");
    let group = format!("metrics {k}");
    let bare = ratios.time(&group, "table", table);
    let arguments = [LABELS, k].map(|number| number.to_string());
    let theirs = python("LAMBDACUT_PEERS_PYTHON", SCIKIT_LEARN, arguments);
    for (at, (name, score)) in SCORES
        .iter()
        .enumerate()
        .filter(|(_, (name, _))| wants(name))
    {
        let ours = ratios.time(&group, name, || score(&table()));
        let peer = theirs
            .as_ref()
            .map(|numbers| (numbers[2 * at], numbers[2 * at + 1]))
            .filter(|&(seconds, _)| seconds > 0.0);
        if let Some((_, value)) = peer {
            println!(
                "{name} of {k} clusters differs from scikit-learn's by {:.1e}",
                (score(&table()) - value).abs()
            );
        }
        let (seconds, target) = (
            peer.map(|(seconds, _)| seconds),
            (*name != "AMI").then_some(AtMost(1.0)),
        );
        ratios.compare(
            format!("{name} / scikit-learn, 10⁶ labels, {k} clusters"),
            Seconds,
            ours,
            seconds,
            target,
        );
        ratios.compare(
            format!("{name} / its table alone, 10⁶ labels, {k} clusters"),
            Seconds,
            ours,
            bare,
            None,
        );
    }
}

fn main() {
    let mut ratios = Ratios::new("metrics");
    for k in [10, 1000, 100_000] {
        measure(&mut ratios, k);
    }
    ratios.finish();
}
