//! `lambdacut bench` as its users run it: small graphs, all stages, a baseline. What it measures is
//! not tested, that it tells is.

use assert_cmd::Command;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};

fn bench(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lambdacut"));
    command.args(["bench", "-q", "--repeat", "2"]).args(args);
    command
}

fn karate() -> PathBuf {
    crate::support::root().join("datasets/karate.edges")
}

fn read(file: &Path) -> Value {
    serde_json::from_slice(&fs::read(file).unwrap()).unwrap()
}

/// Multiplies every time and every peak of a stored run.
fn scaled(mut record: Value, factor: f64) -> Value {
    for graph in record["graphs"].as_array_mut().unwrap() {
        for run in graph["runs"].as_array_mut().unwrap() {
            for seconds in run["measured"]["seconds"].as_array_mut().unwrap() {
                *seconds = (seconds.as_f64().unwrap() * factor).into();
            }
            let peak = run["measured"]["peak_bytes"].as_u64();
            run["measured"]["peak_bytes"] =
                peak.map_or(Value::Null, |p| ((p as f64 * factor) as u64).into());
        }
    }
    record
}

#[test]
fn the_ladder_is_measured_by_stage_and_threads() {
    let dir = tempfile::tempdir().unwrap();
    let json = dir.path().join("bench.json");
    let done = bench(&["--sizes", "2k", "--threads", "1,2", "--json"])
        .arg(&json)
        .assert()
        .success();
    let table = String::from_utf8_lossy(&done.get_output().stdout).into_owned();
    for word in [
        "lfr-2k",
        "rmat-2k",
        "MB/s",
        "edges/s",
        "ns/arc",
        "sweeps",
        "solves",
        "speed-up",
        "median of 2 runs",
    ] {
        assert!(table.contains(word), "{word} in\n{table}");
    }
    let record = read(&json);
    let graphs = record["graphs"].as_array().unwrap();
    assert_eq!(graphs.len(), 2);
    for graph in graphs {
        let runs = graph["runs"].as_array().unwrap();
        let names: Vec<(&str, u64)> = runs
            .iter()
            .map(|r| (r["stage"].as_str().unwrap(), r["threads"].as_u64().unwrap()))
            .collect();
        let stages = ["load", "sweep", "pass", "solve", "path", "spectrum"];
        assert_eq!(
            names,
            stages
                .iter()
                .flat_map(|s| [(*s, 1), (*s, 2)])
                .collect::<Vec<_>>()
        );
        for run in runs {
            let seconds = run["measured"]["seconds"]
                .as_array()
                .map(|all| all.iter().map(|s| s.as_f64().unwrap()).collect());
            let seconds: Vec<f64> = seconds.unwrap_or_else(|| panic!("not measured: {run}"));
            assert!(
                seconds.len() == 2 && seconds[0] > 0.0 && seconds[0] <= seconds[1],
                "{run}"
            );
        }
    }
}

#[test]
fn given_graphs_are_measured_and_large_spectra_skipped() {
    let dir = tempfile::tempdir().unwrap();
    let json = dir.path().join("bench.json");
    let stages = [
        "--stages",
        "load,spectrum",
        "--spectrum-limit",
        "0",
        "--json",
    ];
    let done = bench(&stages).arg(&json).arg(karate()).assert().success();
    let table = String::from_utf8_lossy(&done.get_output().stdout).into_owned();
    assert!(
        table.contains("karate.edges: 34 vertices, 78 edges")
            && table.contains("skipped, too large"),
        "{table}"
    );
    let record = read(&json);
    assert_eq!(record["graphs"][0]["rows"], 78);
    assert!(
        record["graphs"][0]["runs"][1]["skipped"]
            .as_str()
            .unwrap()
            .contains("too large")
    );
}

#[test]
fn a_baseline_tells_what_got_worse() {
    let dir = tempfile::tempdir().unwrap();
    let (now, slow, fast) = (
        dir.path().join("now.json"),
        dir.path().join("slow.json"),
        dir.path().join("fast.json"),
    );
    let stages = ["--stages", "sweep,solve"];
    bench(&stages)
        .arg("--json")
        .arg(&now)
        .arg(karate())
        .assert()
        .success();
    fs::write(&slow, scaled(read(&now), 1e6).to_string()).unwrap();
    fs::write(&fast, scaled(read(&now), 1e-6).to_string()).unwrap();
    let against = |baseline: &Path, flags: &[&str]| {
        bench(&stages)
            .arg("--baseline")
            .arg(baseline)
            .args(flags)
            .arg(karate())
            .assert()
    };
    let text = |done: &assert_cmd::assert::Assert| {
        String::from_utf8_lossy(&done.get_output().stdout).into_owned()
    };

    let better = against(&slow, &["--fail-on-regression"]).success();
    assert!(
        text(&better).contains("better") && text(&better).contains("2 compared, 0 worse"),
        "{}",
        text(&better)
    );
    let worse = against(&fast, &[]).success();
    assert!(
        text(&worse).contains("WORSE: karate.edges, sweep"),
        "{}",
        text(&worse)
    );
    let failed = against(&fast, &["--fail-on-regression"]).code(1);
    assert!(String::from_utf8_lossy(&failed.get_output().stderr).contains("got worse"));
    assert!(
        text(&failed).contains("WORSE"),
        "the table is printed all the same"
    );

    let other = bench(&["--stages", "sweep", "--sizes", "2k", "--baseline"])
        .arg(&now)
        .assert()
        .success();
    assert!(
        text(&other).contains("lfr-2k is not in the baseline")
            && text(&other).contains("0 compared")
    );
}

#[test]
fn wrong_requests_are_explained() {
    let dir = tempfile::tempdir().unwrap();
    let junk = dir.path().join("junk.json");
    fs::write(&junk, "{}").unwrap();
    let failed = |mut command: Command, code: i32, word: &str| {
        let done = command.assert().code(code);
        let message = String::from_utf8_lossy(&done.get_output().stderr).into_owned();
        assert!(message.contains(word), "{word} in {message}");
    };
    let mut with_junk = bench(&["--sizes", "2k", "--baseline"]);
    with_junk.arg(&junk);
    failed(with_junk, 1, "bench --json");
    failed(bench(&["--sizes", "7"]), 2, "at least 1000");
    failed(bench(&["--sizes", "many"]), 2, "like 30k");
    failed(bench(&["-"]), 1, "standard input");
    failed(bench(&["--resolution", "0"]), 1, "component");
    failed(bench(&["--fail-on-regression"]), 2, "--baseline");
    let mut cluster = Command::new(env!("CARGO_BIN_EXE_lambdacut"));
    cluster.args(["cluster", "--threads", "1,2"]).arg(karate());
    failed(cluster, 1, "one number");
}
