//! The evidence for the rule that recommends a clustering: what several rules pick from the same paths, and how it agrees with the known classes.
//!
//! `cargo bench --bench choice [-- NAME …]` follows the path on every graph with known classes, bundled or under `$LAMBDACUT_DATA` (or `../shared/data`), and prints the normalised mutual information
//! of what each rule picks:
//!
//! - *rule*: the rule of the library ([`lambdacut::cluster::choose`]), after its answer was polished;
//! - *width*: the corner with the widest interval of β, the first and last excepted;
//! - *modularity*: the corner of highest modularity;
//! - *best*: the corner that agrees best, which no rule can know.
#![allow(missing_docs)]

use lambdacut::cluster::choose::Candidate;
use lambdacut::cluster::path::Walk;
use lambdacut::cluster::search::{Answer, Search, Target};
use lambdacut::graph::{Policy, SelfLoops};
use lambdacut::io::{LoadOptions, Unknown, load, read_labels};
use lambdacut::metrics::Agreement;
use lambdacut::observe::Silent;
use lambdacut::with_graph;
use std::path::{Path, PathBuf};

/// Graphs with known classes, real ones first.
const GRAPHS: &[&str] = &[
    "karate",
    "dolphins",
    "polbooks",
    "football",
    "polblogs",
    "email-eu-core",
    "cora",
    "citeseer",
    "lastfm-asia",
    "mnist-knn10",
    "lfr-1000",
    "lfr10k-mu0.1",
    "lfr10k-mu0.3",
    "lfr10k-mu0.5",
    "lfr10k-mu0.6",
    "lfr10k-mu0.7",
];

/// The graph and its classes, from the real data or from the bundled.
fn files(name: &str) -> Option<(PathBuf, PathBuf)> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let data = std::env::var_os("LAMBDACUT_DATA").map_or_else(|| here.join("../shared/data"), PathBuf::from).join("graphs");
    let pairs = [(data, ".gz"), (here.join("datasets"), "")];
    let pairs = pairs.iter().map(|(dir, end)| (dir.join(format!("{name}.edges{end}")), dir.join(format!("{name}.labels{end}"))));
    pairs.into_iter().find(|(graph, labels)| graph.exists() && labels.exists())
}

/// The candidate for which `key` is largest.
fn largest(candidates: &[Candidate], key: impl Fn(&Candidate) -> f64) -> Option<&Candidate> {
    candidates.iter().max_by(|a, b| key(a).total_cmp(&key(b)).then(b.clusters.cmp(&a.clusters)))
}

fn print(name: &str, answer: &Answer, walk: &Walk, truth: &[u32]) {
    let choice = answer.choice.as_ref().expect("a recommended answer has a choice");
    let all = &choice.candidates;
    let inner = if all.len() > 2 { &all[1..all.len() - 1] } else { &all[..] };
    let nmi = |labels: &[u32]| Agreement::of(labels, truth).map_or(f64::NAN, |a| a.nmi);
    let of = |c: &Candidate| nmi(&walk.labels(c.point));
    let cell = |c: Option<&Candidate>| c.map_or("–".into(), |c| format!("{:.3} (k {})", of(c), c.clusters));
    let known = {
        let mut t: Vec<u32> = truth.iter().copied().filter(|&c| c != lambdacut::ids::NONE).collect();
        t.sort_unstable();
        t.dedup();
        t.len()
    };
    println!(
        "| {name} | {known} | {:.3} (k {}) | {:?} | {:.3}–{:.3} | {} | {} | {} |",
        nmi(&answer.fit.labels),
        answer.fit.clusters,
        choice.reason,
        all[choice.chosen].beta_low,
        all[choice.chosen].beta_high,
        cell(largest(inner, Candidate::width)),
        cell(largest(all, |c| c.modularity)),
        cell(largest(all, of)),
    );
}

fn main() {
    let asked: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with('-')).collect();
    println!(
        "| graph | classes | rule: NMI | by | β | width: NMI | modularity: NMI | best: NMI |\n|---|---|---|---|---|---|---|---|"
    );
    for name in GRAPHS.iter().filter(|name| asked.is_empty() || asked.iter().any(|a| a == *name)) {
        let Some((graph, labels)) = files(name) else {
            println!("| {name} | not there |");
            continue;
        };
        let policy = Policy { self_loops: SelfLoops::Drop, ..Policy::default() };
        let loaded = load(&graph, &LoadOptions { policy, ..LoadOptions::default() }, &Silent).expect("the graph is read");
        let truth = read_labels(&labels, &loaded.names, Unknown::Skip).expect("the classes are read").labels;
        let mut walk = Walk::default();
        let search = Search::default();
        let answer = with_graph!(&loaded.graph, g => search.resume(g, &Target::Recommended, &mut walk, &mut |_| {}, &Silent));
        print(name, &answer.expect("a clustering"), &walk, &truth);
    }
}
