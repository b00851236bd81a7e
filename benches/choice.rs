//! The evidence for the rule that recommends a clustering: what several rules pick from the same
//! paths, and how it agrees with the known classes.
//!
//! `cargo bench --bench choice [-- NAME …]` follows the path on every graph with known classes,
//! bundled or under `$LAMBDACUT_DATA` (or `../shared/data`), and prints the normalised mutual
//! information of what each rule picks:
//!
//! - *rule*: the rule of the library ([`lambdacut::search::Choice`]), after its answer was
//!   polished;
//! - *width*: the corner with the widest interval of β, the first and last excepted;
//! - *modularity*: the corner of highest modularity;
//! - *best*: the corner that agrees best, which no rule can know.
//!
//! The table of ratios has the rule against the best corner on every graph, and against each of the
//! others in the sum over all graphs.
#![allow(missing_docs)]

mod common;

use common::Measure::Number;
use common::{Ratios, data, wants};
use lambdacut::graph::{Policy, SelfLoops};
use lambdacut::io::{LoadOptions, Unknown, load, read_labels};
use lambdacut::metrics::Agreement;
use lambdacut::run::Silent;
use lambdacut::search::Candidate;
use lambdacut::search::Path as SearchPath;
use lambdacut::search::{Answer, Search};
use lambdacut::with_csr;
use std::path::{Path, PathBuf};

const RULES: [&str; 4] = [
    "the rule",
    "the widest interval",
    "the highest modularity",
    "the best corner",
];

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
    let bundled = Path::new(env!("CARGO_MANIFEST_DIR")).join("datasets");
    let pairs = [(data().join("graphs"), ".gz"), (bundled, "")];
    let pairs = pairs.iter().map(|(dir, end)| {
        (
            dir.join(format!("{name}.edges{end}")),
            dir.join(format!("{name}.labels{end}")),
        )
    });
    pairs
        .into_iter()
        .find(|(graph, labels)| graph.exists() && labels.exists())
}

/// The candidate for which `key` is largest.
fn largest(candidates: &[Candidate], key: impl Fn(&Candidate) -> f64) -> &Candidate {
    let largest = candidates
        .iter()
        .max_by(|a, b| key(a).total_cmp(&key(b)).then(b.clusters.cmp(&a.clusters)));
    largest.expect("a path has a corner")
}

/// The answer on one graph, the path that it was chosen from, and the known classes.
struct Found {
    answer: Answer,
    walk: SearchPath,
    truth: Vec<u32>,
}

impl Found {
    fn on(name: &str) -> Option<Self> {
        let (graph, labels) = files(name)?;
        let policy = Policy {
            self_loops: SelfLoops::Drop,
            ..Policy::default()
        };
        let loaded = load(
            &graph,
            &LoadOptions {
                policy,
                ..LoadOptions::default()
            },
            &Silent,
        )
        .expect("the graph is read");
        let truth = read_labels(&labels, &loaded.names, Unknown::Skip)
            .expect("the classes are read")
            .labels;
        let mut walk = SearchPath::default();
        let search = Search::new();
        let answer = with_csr!(&loaded.graph, g => search.resume(g, &mut walk, &mut |_| {}));
        Some(Self {
            answer: answer.expect("a clustering"),
            walk,
            truth,
        })
    }

    fn nmi(&self, labels: &[u32]) -> f64 {
        Agreement::of(labels, &self.truth)
            .expect("labels of one graph")
            .nmi
    }

    fn nmi_of(&self, candidate: &Candidate) -> f64 {
        self.nmi(&self.walk.labels(candidate.point))
    }

    fn classes(&self) -> usize {
        let mut known: Vec<u32> = self
            .truth
            .iter()
            .copied()
            .filter(|&c| c != lambdacut::ids::NONE)
            .collect();
        known.sort_unstable();
        known.dedup();
        known.len()
    }

    /// Prints a line of the table; returns the agreement of each rule.
    fn print(&self, name: &str) -> [f64; RULES.len()] {
        let choice = self
            .answer
            .choice
            .as_ref()
            .expect("a recommended answer has a choice");
        let all = &choice.candidates;
        let inner = if all.len() > 2 {
            &all[1..all.len() - 1]
        } else {
            &all[..]
        };
        let picks = [
            largest(inner, Candidate::width),
            largest(all, |c| c.modularity),
            largest(all, |c| self.nmi_of(c)),
        ];
        let [width, modularity, best] = picks.map(|c| (self.nmi_of(c), c.clusters));
        let rule = (self.nmi(&self.answer.labels), self.answer.clusters);
        let cell = |(nmi, k): (f64, usize)| format!("{nmi:.3} (k {k})");
        println!(
            "| {name} | {} | {} | {:?} | {:.3}–{:.3} | {} | {} | {} |",
            self.classes(),
            cell(rule),
            choice.reason,
            all[choice.chosen].beta_low,
            all[choice.chosen].beta_high,
            cell(width),
            cell(modularity),
            cell(best),
        );
        [rule.0, width.0, modularity.0, best.0]
    }
}

fn main() {
    println!(
        "| graph | classes | rule: NMI | by | β | width: NMI | modularity: NMI | best: NMI |\n|---|---|---|---|---|---|---|---|"
    );
    let mut ratios = Ratios::new("choice");
    let mut sums = [0.0; RULES.len()];
    for name in GRAPHS.iter().filter(|name| wants(name)) {
        let Some(found) = Found::on(name) else {
            println!("| {name} | not there |");
            continue;
        };
        let agreements = found.print(name);
        ratios.compare(
            format!("NMI of the rule / of the best corner, {name}"),
            Number,
            agreements[0],
            agreements[3],
            None,
        );
        sums = std::array::from_fn(|rule| sums[rule] + agreements[rule]);
    }
    for (rule, sum) in RULES.iter().zip(sums).skip(1).filter(|(_, sum)| *sum > 0.0) {
        ratios.compare(
            format!("NMI of the rule / of {rule}, sum over all graphs"),
            Number,
            sums[0],
            sum,
            None,
        );
    }
    ratios.finish();
}
