//! `lambdacut cluster` and `lambdacut path` as their users run them.

use assert_cmd::Command;
use std::fs;
use std::path::{Path, PathBuf};

fn bundled(name: &str) -> PathBuf {
    crate::support::root().join("datasets").join(name)
}

fn lambdacut(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lambdacut"));
    command.args(args);
    command
}

fn rows(file: &Path) -> Vec<String> {
    let text = fs::read_to_string(file).unwrap();
    text.lines()
        .filter(|line| !line.starts_with('#'))
        .map(str::to_owned)
        .collect()
}

#[test]
fn a_bundled_graph_gets_labels_json_and_a_summary() {
    let dir = tempfile::tempdir().unwrap();
    let (labels, json) = (dir.path().join("out.labels"), dir.path().join("out.json"));
    let graph = bundled("football.edges");
    let truth = bundled("football.labels");
    let done = lambdacut(&["cluster", "--truth"])
        .arg(&truth)
        .arg(&graph)
        .arg("-o")
        .arg(&labels)
        .arg("--json")
        .arg(&json)
        .assert()
        .success();
    let summary = String::from_utf8_lossy(&done.get_output().stderr).into_owned();
    assert!(
        summary.contains("clusters") && summary.contains("runner-up"),
        "{summary}"
    );
    assert_eq!(rows(&labels).len(), 115);
    let document: serde_json::Value = serde_json::from_slice(&fs::read(&json).unwrap()).unwrap();
    for key in [
        "graph",
        "objective",
        "fit",
        "path",
        "metrics",
        "truth",
        "seconds",
        "memory",
        "provenance",
    ] {
        assert!(!document[key].is_null(), "{key}");
    }
    assert!(document["truth"]["nmi"].as_f64().unwrap() > 0.85);
    assert_eq!(document["metrics"]["disconnected_clusters"], 0);
    let recommended = document["path"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|p| p["recommended"] == true)
        .count();
    assert_eq!(recommended, 1);
    let distinct: std::collections::BTreeSet<String> = rows(&labels)
        .iter()
        .map(|row| row.split('\t').nth(1).unwrap().to_owned())
        .collect();
    assert_eq!(
        document["objective"]["clusters"].as_u64().unwrap() as usize,
        distinct.len()
    );
}

#[test]
fn threads_and_methods_agree_with_themselves() {
    let dir = tempfile::tempdir().unwrap();
    let graph = bundled("polblogs.edges");
    for how in [
        &["--resolution", "0.3"][..],
        &["--clusters", "5"],
        &["--resolution", "0.3", "--method", "kernel-dp-means"],
    ] {
        let run = |threads: &str| {
            let out = dir.path().join(format!("{threads}.labels"));
            lambdacut(&["cluster", "-q", "--threads", threads])
                .args(how)
                .arg(&graph)
                .arg("-o")
                .arg(&out)
                .assert()
                .success();
            rows(&out)
        };
        assert_eq!(run("1"), run("2"));
    }
}

#[test]
fn the_papers_method_takes_its_options_from_the_command_line() {
    let dir = tempfile::tempdir().unwrap();
    let (json, order, labels) = (
        dir.path().join("out.json"),
        dir.path().join("order"),
        dir.path().join("out.labels"),
    );
    let graph = bundled("football.edges");
    fs::write(&order, "# two of them\nIowa\nKansasState\n").unwrap();
    let order = order.to_str().unwrap();
    let run = |how: &[&str]| {
        let mut command = lambdacut(&["cluster", "--method", "kernel-dp-means"]);
        let done = command
            .args(how)
            .arg(&graph)
            .arg("--json")
            .arg(&json)
            .arg("-o")
            .arg(&labels)
            .assert()
            .success();
        let document: serde_json::Value =
            serde_json::from_slice(&fs::read(&json).unwrap()).unwrap();
        assert_eq!(rows(&labels).len(), 115);
        (
            document,
            String::from_utf8_lossy(&done.get_output().stderr).into_owned(),
        )
    };
    let value = |document: &serde_json::Value| document["objective"]["value"].as_f64().unwrap();
    let (several, summary) = run(&["-b", "0.6"]);
    assert!(
        several["objective"]["clusters"].as_u64().unwrap() > 1 && value(&several) < -0.6,
        "{summary}"
    );
    assert!(summary.contains("lambda"), "{summary}");
    let (one, summary) = run(&["-b", "0.6", "--init", "one"]);
    assert!(summary.contains("fixed point"), "{summary}");
    assert!(value(&one) >= value(&several));
    let (given, _) = run(&[
        "-b",
        "0.6",
        "--sigma",
        "1",
        "--init",
        "farthest-first",
        "--init-size",
        "12",
        "--order-file",
        order,
    ]);
    assert_eq!(
        given["objective"]["lambda"].as_f64().unwrap(),
        1.0 + 1.0 - 0.6
    );
    let (bare, _) = run(&[
        "-b",
        "0.6",
        "--init",
        "farthest-first",
        "--refine",
        "no",
        "--passes",
        "1",
        "--order",
        "degree",
    ]);
    assert_eq!(
        (
            bare["fit"]["passes"].as_u64(),
            bare["fit"]["trace"].as_array().map(Vec::len)
        ),
        (Some(1), Some(1))
    );
    let (derived, _) = run(&[
        "-k",
        "10",
        "--init",
        "farthest-first",
        "--order",
        "shuffled",
        "--seed",
        "3",
        "--relative-gain",
        "0.001",
    ]);
    assert!(derived["objective"]["resolution"].as_f64().unwrap() > 0.0);
    let (started, _) = run(&[
        "-b",
        "0.6",
        "--start",
        bundled("football.labels").to_str().unwrap(),
        "--objective",
        "rcut",
    ]);
    assert_eq!(started["objective"]["kind"], "rcut");
    fs::write(order, "Iowa\nnobody\n").unwrap();
    let mut command = lambdacut(&[
        "cluster",
        "--method",
        "kernel-dp-means",
        "-b",
        "0.6",
        "--order-file",
        order,
    ]);
    let failed = command.arg(&graph).assert().code(1);
    assert!(String::from_utf8_lossy(&failed.get_output().stderr).contains("line 2"));
}

#[test]
fn spectral_clusters_and_certificates_come_from_the_command_line() {
    let dir = tempfile::tempdir().unwrap();
    let json = dir.path().join("out.json");
    let graph = bundled("karate.edges");
    lambdacut(&[
        "cluster",
        "--method",
        "spectral",
        "--resolution",
        "0.4",
        "--certify",
        "--json",
    ])
    .arg(&json)
    .arg(&graph)
    .assert()
    .success();
    let document: serde_json::Value = serde_json::from_slice(&fs::read(&json).unwrap()).unwrap();
    assert_eq!(document["spectrum"]["check"]["complete"], true);
    let bound = document["certificate"]["bound"].as_f64().unwrap();
    assert!(bound <= document["objective"]["value"].as_f64().unwrap());
}

#[test]
fn several_layers_share_their_clusters() {
    let dir = tempfile::tempdir().unwrap();
    let ring = |name: &str, cliques: usize| {
        let path = dir.path().join(name);
        let mut lines = Vec::new();
        for c in 0..cliques {
            for i in 0..5 {
                for j in 0..i {
                    lines.push(format!("{} {}", 5 * c + i, 5 * c + j));
                }
            }
            lines.push(format!("{} {}", 5 * c + 4, 5 * ((c + 1) % cliques)));
        }
        fs::write(&path, lines.join("\n")).unwrap();
        path
    };
    let (a, b, out) = (
        ring("a.edges", 4),
        ring("b.edges", 4),
        dir.path().join("out"),
    );
    lambdacut(&["cluster", "--resolution", "0.4", "-o"])
        .arg(&out)
        .arg("--layers")
        .arg(a)
        .arg(b)
        .assert()
        .success();
    let (first, second) = (rows(&out.join("a.labels")), rows(&out.join("b.labels")));
    assert_eq!(first.len(), 20);
    assert_eq!(first, second);
}

#[test]
fn wrong_requests_are_explained_and_write_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("out.labels");
    let graph = bundled("karate.edges");
    for (how, code, word) in [
        (&["--resolution", "0"][..], 1, "component"),
        (&["--resolution", "nan"], 1, "finite"),
        (&["--clusters", "35"], 1, "34"),
        (&["--clusters", "0"], 1, "at least 1"),
        (&["--method", "kernel-dp-means"], 2, "--resolution"),
    ] {
        let failed = lambdacut(&["cluster"])
            .args(how)
            .arg(&graph)
            .arg("-o")
            .arg(&out)
            .assert()
            .code(code);
        let message = String::from_utf8_lossy(&failed.get_output().stderr).into_owned();
        assert!(message.contains(word), "{how:?}: {message}");
        assert!(!out.exists());
    }
}

#[test]
fn a_checkpoint_is_taken_up_and_one_of_another_graph_refused() {
    let dir = tempfile::tempdir().unwrap();
    let (checkpoint, first, second) = (
        dir.path().join("walk"),
        dir.path().join("1"),
        dir.path().join("2"),
    );
    let graph = bundled("football.edges");
    let run = |graph: &Path, out: &Path| {
        let mut command = lambdacut(&["cluster", "-q", "--checkpoint"]);
        command
            .arg(&checkpoint)
            .arg(graph)
            .arg("-o")
            .arg(out)
            .assert()
    };
    run(&graph, &first).success();
    assert!(checkpoint.exists());
    run(&graph, &second).success();
    assert_eq!(rows(&first), rows(&second));
    let refused = run(&bundled("karate.edges"), &second).code(1);
    assert!(String::from_utf8_lossy(&refused.get_output().stderr).contains("another graph"));
}

#[test]
fn the_path_is_a_table_with_one_recommendation() {
    let done = lambdacut(&["path"])
        .arg(bundled("dolphins.edges"))
        .assert()
        .success();
    let table = String::from_utf8_lossy(&done.get_output().stdout).into_owned();
    assert!(table.lines().count() > 4, "{table}");
    assert_eq!(table.matches("recommended").count(), 1);
    assert!(
        table
            .lines()
            .any(|row| row.trim_start().starts_with("2 ") && row.contains("recommended")),
        "{table}"
    );
}

#[test]
fn standard_output_has_room_for_one_file() {
    let graph = bundled("karate.edges");
    for (command, flags) in [
        ("cluster", &["--json", "-", "-o", "-"][..]),
        ("path", &["--json", "-", "--report", "-"]),
        (
            "spectrum",
            &["--below", "0.5", "--json", "-", "--vectors", "-"],
        ),
        ("convert", &["-", "--json", "-"]),
    ] {
        let refused = lambdacut(&[command])
            .arg(&graph)
            .args(flags)
            .assert()
            .code(1);
        let (out, said) = (
            &refused.get_output().stdout,
            String::from_utf8_lossy(&refused.get_output().stderr),
        );
        assert!(
            out.is_empty() && said.contains("cannot both go to standard output"),
            "{command}: {said}"
        );
    }
    for (command, flags) in [
        ("path", &["--json", "-"][..]),
        ("spectrum", &["--below", "0.5", "--json", "-"]),
        ("cluster", &["--json", "-"]),
    ] {
        let done = lambdacut(&[command])
            .arg(&graph)
            .args(flags)
            .assert()
            .success();
        let whole: serde_json::Result<serde_json::Value> =
            serde_json::from_slice(&done.get_output().stdout);
        assert!(whole.is_ok(), "{command}: {whole:?}");
    }
    let page = lambdacut(&["path", "--report", "-"])
        .arg(&graph)
        .assert()
        .success();
    assert!(page.get_output().stdout.starts_with(b"<!"));
}

#[test]
fn any_number_of_seconds_is_a_time_limit() {
    let karate = bundled("karate.edges");
    for seconds in ["0", "1e20", "1e300"] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_lambdacut"));
        let command = command.args(["cluster", "-q", "--time-limit", seconds]);
        command.arg(&karate).assert().success();
    }
    for seconds in ["nan", "inf", "-1"] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_lambdacut"));
        let limit = format!("--time-limit={seconds}");
        let command = command.args(["cluster", "-q", &limit]);
        command.arg(&karate).assert().code(1);
    }
}

/// Labels arrive although nobody can read what is said about them.
#[cfg(target_os = "linux")]
#[test]
fn a_full_standard_error_costs_no_result() {
    let dir = tempfile::tempdir().unwrap();
    let labels = dir.path().join("labels");
    let full = std::fs::File::options()
        .write(true)
        .open("/dev/full")
        .unwrap();
    let status = std::process::Command::new(env!("CARGO_BIN_EXE_lambdacut"))
        .arg("cluster")
        .arg(bundled("karate.edges"))
        .arg("-o")
        .arg(&labels)
        .stderr(full)
        .status()
        .unwrap();
    assert!(status.success());
    assert!(std::fs::read_to_string(labels).unwrap().lines().count() >= 34);
}
