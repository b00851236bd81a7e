//! `generate` and `evaluate`, run as their users run them.

use assert_cmd::Command;
use serde_json::Value;
use std::path::Path;
use tempfile::TempDir;

fn lambdacut(dir: &Path, line: &str) -> Command {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("lambdacut"));
    command.current_dir(dir).args(line.split_whitespace());
    command
}

fn run(dir: &TempDir, line: &str) -> (String, String) {
    let output = lambdacut(dir.path(), line)
        .assert()
        .success()
        .get_output()
        .clone();
    (
        String::from_utf8(output.stdout).unwrap(),
        String::from_utf8(output.stderr).unwrap(),
    )
}

/// The message of a command that must fail with exit code 1 and write nothing.
fn refused(dir: &TempDir, line: &str) -> String {
    let before = std::fs::read_dir(dir.path()).unwrap().count();
    let output = lambdacut(dir.path(), line)
        .assert()
        .code(1)
        .get_output()
        .clone();
    assert_eq!(
        before,
        std::fs::read_dir(dir.path()).unwrap().count(),
        "nothing is left behind"
    );
    assert!(output.stdout.is_empty());
    String::from_utf8(output.stderr).unwrap()
}

fn datasets() -> String {
    crate::support::root()
        .join("datasets")
        .display()
        .to_string()
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

#[test]
fn what_is_generated_can_be_evaluated() {
    let dir = TempDir::new().unwrap();
    let (_, summary) = run(
        &dir,
        "generate lfr --vertices 500 --mixing 0.2 -o g.edges.gz --truth g.labels --json made.json",
    );
    assert!(
        summary.contains("500 vertices") && summary.contains("mixing 0."),
        "{summary}"
    );
    let made = json(&std::fs::read_to_string(dir.path().join("made.json")).unwrap());
    let (text, _) = run(
        &dir,
        "evaluate g.edges.gz g.labels --truth g.labels --json -",
    );
    let found = json(&text);
    assert_eq!(found["graph"]["edges"], made["graph"]["edges"]);
    assert_eq!(found["metrics"]["clusters"], made["generated"]["clusters"]);
    let (mixing, coverage) = (
        made["generated"]["mixing"].as_f64().unwrap(),
        found["metrics"]["coverage"].as_f64().unwrap(),
    );
    assert!((mixing + coverage - 1.0).abs() < 1e-12);
    assert_eq!(
        found["provenance"]["input_sha256"].as_str().map(str::len),
        Some(64)
    );
    assert_eq!(
        (&found["truth"]["nmi"], &found["truth"]["ari"]),
        (&Value::from(1.0), &Value::from(1.0))
    );
}

/// networkx 3.6.1: `nx.community.modularity(G, clubs)` of `karate_club_graph()` with its weights is
/// 0.3914375668, without 0.3582347140.
#[test]
fn the_karate_clubs_are_measured() {
    let dir = TempDir::new().unwrap();
    let karate = format!("{0}/karate.edges {0}/karate.labels", datasets());
    let (text, _) = run(&dir, &format!("evaluate {karate} --json -"));
    assert!(
        (json(&text)["metrics"]["modularity"].as_f64().unwrap() - 0.391_437_566_762).abs() < 1e-10,
        "{text}"
    );
    assert!(json(&text).get("truth").is_none());
    let (table, _) = run(&dir, &format!("evaluate {karate} --unweighted"));
    assert!(
        table.contains("modularity                0.358235")
            && table.contains("edges                     78"),
        "{table}"
    );
}

#[test]
fn overlapping_communities_are_compared_where_they_are() {
    let dir = TempDir::new().unwrap();
    std::fs::write(
        dir.path().join("g.edges"),
        "a b\nb c\nc a\nc d\nd e\ne f\nf d\n",
    )
    .unwrap();
    std::fs::write(
        dir.path().join("g.labels"),
        "a 1\nb 1\nc 1\nd 2\ne 2\nf 2\n",
    )
    .unwrap();
    std::fs::write(dir.path().join("g.cmty"), "a b c\nc d\n").unwrap();
    let (text, notes) = run(
        &dir,
        "evaluate g.edges g.labels --communities g.cmty --json -",
    );
    // Restricted to a, b, c, d the clusters are {a, b, c} and {d}: best matches 1 and 2/3, and 1
    // and 2/3 the other way.
    let score = json(&text)["truth"]["average_f1"].as_f64().unwrap();
    assert!((score - 5.0 / 6.0).abs() < 1e-12, "{score} {notes}");
}

#[test]
fn strange_labels_are_remarked_on() {
    let dir = TempDir::new().unwrap();
    std::fs::write(dir.path().join("g.edges"), "a b\nb c\n").unwrap();
    std::fs::write(dir.path().join("g.labels"), "a x\nb y\nq x\n").unwrap();
    let (table, notes) = run(&dir, "evaluate g.edges g.labels");
    assert!(
        notes.contains("1 labels are of vertices")
            && notes.contains("1 vertices of the graph have no label"),
        "{notes}"
    );
    assert!(table.contains("clusters                  2"), "{table}");
    assert!(refused(&dir, "evaluate g.edges nowhere.labels").contains("nowhere.labels"));
    std::fs::write(dir.path().join("three.labels"), "a x\nb y z\n").unwrap();
    let message = refused(&dir, "evaluate g.edges three.labels");
    assert!(
        message.contains("three.labels:2") && message.contains("3 columns"),
        "{message}"
    );
}

#[test]
fn seeds_decide_and_threads_do_not() {
    let dir = TempDir::new().unwrap();
    let read = |name: &str| std::fs::read(dir.path().join(name)).unwrap();
    run(
        &dir,
        "generate rmat --scale 12 --arcs 300000 -o one.edges --threads 1",
    );
    run(
        &dir,
        "generate rmat --scale 12 --arcs 300000 -o two.edges --threads 2",
    );
    run(
        &dir,
        "generate rmat --scale 12 --arcs 300000 -o other.edges --seed 2",
    );
    assert!(read("one.edges") == read("two.edges") && read("one.edges") != read("other.edges"));
    assert_eq!(
        String::from_utf8(read("one.edges"))
            .unwrap()
            .lines()
            .count(),
        300_000
    );
    run(
        &dir,
        "generate sbm --sizes 100,50 --matrix 0.5,0.01,0.01,0.3 -o blocks.edges --truth blocks.labels",
    );
    let truth = String::from_utf8(read("blocks.labels")).unwrap();
    assert!(truth.starts_with("# lambdacut") && truth.ends_with("149\t1\n"));
}

#[test]
fn points_are_csv() {
    let dir = TempDir::new().unwrap();
    let (text, _) = run(
        &dir,
        "generate blobs --points 7 --clusters 2 --dimensions 3 -o -",
    );
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!((lines[0], lines.len()), ("x1,x2,x3,class", 8));
    assert!(
        lines[1..]
            .iter()
            .enumerate()
            .all(|(i, line)| line.ends_with(&format!(",{}", i % 2)))
    );
}

#[test]
fn wrong_requests_are_refused() {
    let dir = TempDir::new().unwrap();
    assert!(
        refused(&dir, "generate lfr --mixing 2 -o g.edges")
            .contains("mixing must be between 0 and 1")
    );
    assert!(refused(&dir, "generate rmat -a 0.9 -o g.edges").contains("probability"));
    assert!(refused(&dir, "generate cliques -o nowhere/g.edges").contains("nowhere/g.edges"));
    lambdacut(dir.path(), "generate lfr").assert().code(2);
    lambdacut(dir.path(), "generate sbm --size 10 --sizes 1,2 -o g.edges")
        .assert()
        .code(2);
}
