//! The bundled data is what its manifest says, and the generated part what the generators make.

use lambdacut::generate::{Blobs, Lfr};
use lambdacut::io::{LoadOptions, Unknown, load, read_labels, sha256};
use lambdacut::run::Silent;
use lambdacut::with_csr;
use std::collections::BTreeSet;
use std::path::PathBuf;

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("datasets")
}

/// The rows of the manifest that name a file with this ending: the cells of each, without
/// backticks.
fn rows(ending: &str) -> Vec<Vec<String>> {
    let manifest = std::fs::read_to_string(folder().join("MANIFEST.md")).unwrap();
    let cells = |line: &str| {
        line.split('|')
            .map(|cell| cell.trim().trim_matches('`').to_owned())
            .filter(|c| !c.is_empty())
            .collect()
    };
    let rows = manifest
        .lines()
        .filter(|line| line.starts_with("| `"))
        .map(cells);
    rows.filter(|row: &Vec<String>| row[0].ends_with(ending))
        .collect()
}

fn numbers(row: &[String]) -> Vec<usize> {
    row.iter().filter_map(|cell| cell.parse().ok()).collect()
}

#[test]
fn every_file_is_in_the_manifest_with_its_checksum() {
    let listed: BTreeSet<String> = rows("").into_iter().map(|row| row[0].clone()).collect();
    let names = std::fs::read_dir(folder())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let present: BTreeSet<String> = names
        .filter(|name| name != "MANIFEST.md" && name != "make.py")
        .collect();
    assert_eq!(present, listed);
    for row in rows("") {
        assert_eq!(
            &sha256(&folder().join(&row[0])).unwrap(),
            row.last().unwrap(),
            "{}",
            row[0]
        );
    }
}

#[test]
fn graphs_and_labels_count_as_the_manifest_says() {
    assert!(rows(".edges").len() >= 5 && rows(".labels").len() >= 5);
    for row in rows(".edges") {
        let read = load(&folder().join(&row[0]), &LoadOptions::default(), &Silent).unwrap();
        let found = with_csr!(&read.graph, g => vec![g.vertices(), g.edges()]);
        assert_eq!(
            numbers(&row),
            [found, vec![read.counts.rows as usize]].concat(),
            "{}",
            row[0]
        );
        let weighted = with_csr!(&read.graph, g => g.total_weight() != g.edges() as f64);
        assert_eq!(row[4] == "yes", weighted, "{}", row[0]);
    }
    for row in rows(".labels") {
        let graph = row[0].replace("-evans", "").replace(".labels", ".edges");
        let names = load(&folder().join(graph), &LoadOptions::default(), &Silent)
            .unwrap()
            .names;
        let labels = read_labels(&folder().join(&row[0]), &names, Unknown::Skip).unwrap();
        assert_eq!(labels.missing, 0, "{} labels every vertex", row[0]);
        assert_eq!(
            numbers(&row),
            [names.len() + labels.unknown, labels.names.len()],
            "{}",
            row[0]
        );
    }
}

#[test]
fn points_count_as_the_manifest_says() {
    assert!(rows(".csv").len() >= 4);
    for row in rows(".csv") {
        let text = std::fs::read_to_string(folder().join(&row[0])).unwrap();
        let mut lines = text.lines().map(|line| line.split(',').collect::<Vec<_>>());
        let header = lines.next().unwrap();
        assert_eq!(header.last(), Some(&"class"), "{}", row[0]);
        let points: Vec<_> = lines.collect();
        let is_number = |field: &&str| field.parse::<f64>().is_ok();
        assert!(
            points
                .iter()
                .all(|p| p.len() == header.len() && p[..p.len() - 1].iter().all(is_number)),
            "{}",
            row[0]
        );
        let classes: BTreeSet<_> = points.iter().map(|p| p[p.len() - 1]).collect();
        assert_eq!(
            numbers(&row),
            [points.len(), header.len() - 1, classes.len()],
            "{}",
            row[0]
        );
    }
}

#[test]
fn the_generated_sets_are_what_the_generators_make() {
    let lfr = Lfr {
        vertices: 1000,
        mixing: 0.4,
        ..Lfr::default()
    }
    .generate()
    .unwrap();
    let edges: Vec<String> = lfr
        .edges
        .iter()
        .map(|(i, j)| format!("{i}\t{j}\n"))
        .collect();
    assert!(std::fs::read_to_string(folder().join("lfr-1000.edges")).unwrap() == edges.concat());
    let blobs = Blobs {
        points: 300,
        clusters: 3,
        separation: 6.0,
        ..Blobs::default()
    }
    .generate()
    .unwrap();
    let lines: Vec<String> = blobs
        .values
        .chunks(2)
        .zip(&blobs.truth)
        .map(|(p, class)| format!("{},{},{class}\n", p[0], p[1]))
        .collect();
    assert!(
        std::fs::read_to_string(folder().join("blobs-3.csv")).unwrap()
            == format!("x1,x2,class\n{}", lines.concat())
    );
}
