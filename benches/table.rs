//! All ratios that the other benchmarks kept, in one table: what is divided by what, both numbers,
//! the ratio, what it should be, and whether it is.
//!
//! `cargo bench --bench table [-- NAME …]` measures nothing; `make bench` and `cargo bench` run it
//! last. A benchmark that was not run is not there; one that was run on another day says how long
//! ago.
#![allow(missing_docs)]

mod common;

use common::rows;
use std::time::Duration;

const BENCHMARKS: [&str; 7] = [
    "load", "metrics", "pass", "points", "search", "spectrum", "choice",
];

/// `pass (benches/pass.rs, 3 minutes ago)`.
fn heading(benchmark: &str, age: Duration) -> String {
    format!(
        "{benchmark} (benches/{benchmark}.rs, {} minutes ago)",
        age.as_secs() / 60
    )
}

fn main() {
    let section = |name: &str| rows::kept(name).map(|(rows, age)| (heading(name, age), rows));
    let sections: Vec<_> = BENCHMARKS
        .into_iter()
        .filter(|name| common::wants(name))
        .filter_map(section)
        .collect();
    print!("{}", rows::table(&sections));
}
