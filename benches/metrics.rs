//! NMI, ARI and AMI of 10⁶ labels, beside scikit-learn in the same run.
//!
//! `cargo bench --bench metrics`; set `LAMBDACUT_PEERS_PYTHON` to a Python interpreter that has scikit-learn for the comparison.
#![allow(missing_docs)]

use lambdacut::metrics::{Contingency, Mean};
use std::process::Command;
use std::time::Instant;

const LABELS: u64 = 1_000_000;
const ROUNDS: usize = 7;

/// The same labels in Rust and in Python: `x = i * 2654435761 % 2^32`, then `x % k` where `x % 10 < 3`, else `i // (n / k)`.
fn labels(k: u64) -> (Vec<u32>, Vec<u32>) {
    let truth = |i: u64| i / (LABELS / k);
    let found = |i: u64| {
        let x = i * 2_654_435_761 % (1 << 32);
        if x % 10 < 3 { x % k } else { truth(i) }
    };
    (0..LABELS).map(|i| (found(i) as u32, truth(i) as u32)).unzip()
}

const PYTHON: &str = "
import sys, time, numpy as np
from sklearn import metrics as m
n, k, rounds = map(int, sys.argv[1:])
i = np.arange(n, dtype=np.uint64)
t = i // np.uint64(n // k)
x = i * np.uint64(2654435761) % np.uint64(1 << 32)
f = np.where(x % np.uint64(10) < 3, x % np.uint64(k), t).astype(np.int64)
t = t.astype(np.int64)
for score in (m.normalized_mutual_info_score, m.adjusted_rand_score, m.adjusted_mutual_info_score):
    best, value = 1e9, 0.0
    # Its expected information takes time with the square of the number of clusters: one round, and none for many.
    if score is m.adjusted_mutual_info_score: rounds = 1 if k <= 100 else 0
    for _ in range(rounds):
        start = time.perf_counter(); value = score(t, f); best = min(best, time.perf_counter() - start)
    print(best, value)
";

/// Seconds of the fastest round, and the value.
fn best(work: impl Fn() -> f64) -> (f64, f64) {
    let round = || {
        let start = Instant::now();
        let value = work();
        (start.elapsed().as_secs_f64(), value)
    };
    (0..ROUNDS).map(|_| round()).min_by(|a, b| a.0.total_cmp(&b.0)).expect("at least one round")
}

fn scikit_learn(k: u64) -> Option<Vec<(f64, f64)>> {
    let python = std::env::var_os("LAMBDACUT_PEERS_PYTHON")?;
    let arguments = [LABELS, k, ROUNDS as u64].map(|x| x.to_string());
    let output = Command::new(python).arg("-c").arg(PYTHON).args(arguments).output().expect("the interpreter starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let number = |word: Option<&str>| word.and_then(|w| w.parse().ok()).expect("two numbers a line");
    let line = |line: &str| {
        let mut words = line.split_whitespace();
        (number(words.next()), number(words.next()))
    };
    Some(String::from_utf8_lossy(&output.stdout).lines().map(line).collect())
}

fn main() {
    let threads = rayon::current_num_threads();
    println!("{LABELS} labels, {threads} threads, fastest of {ROUNDS} rounds; every time includes building the table");
    for k in [10, 1000, 100_000] {
        let (found, truth) = labels(k);
        let table = || Contingency::new(&found, &truth).expect("as many labels");
        let ours =
            [("NMI", best(|| table().nmi(Mean::Arithmetic))), ("ARI", best(|| table().ari())), ("AMI", best(|| table().ami()))];
        let theirs = scikit_learn(k);
        for (score, (name, (seconds, value))) in ours.into_iter().enumerate() {
            print!("{k:>7} clusters  {name}  {:8.2} ms  = {value:.12}", seconds * 1e3);
            match theirs.as_ref().map(|lines| lines[score]) {
                Some((_, 0.0)) => println!("   (scikit-learn: not tried)"),
                Some((other, expected)) => {
                    let difference = (value - expected).abs();
                    println!(
                        "   scikit-learn {:9.2} ms ({:.1} x ours), differs by {difference:.1e}",
                        other * 1e3,
                        other / seconds
                    );
                }
                None => println!("   (LAMBDACUT_PEERS_PYTHON is not set: no comparison)"),
            }
        }
    }
}
