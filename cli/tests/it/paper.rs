//! The `paper` command, in its short form.

use assert_cmd::Command;

#[test]
fn every_experiment_runs_and_is_written() {
    let dir = tempfile::tempdir().unwrap();
    let run = |out: &str| {
        let target = dir.path().join(out);
        Command::new(env!("CARGO_BIN_EXE_lambdacut"))
            .args(["paper", "--quick", "-o"])
            .arg(&target)
            .assert()
            .success();
        let document: serde_json::Value =
            serde_json::from_slice(&std::fs::read(target.join("paper.json")).unwrap()).unwrap();
        (target, document)
    };
    let (target, document) = run("first");
    for figure in ["figure-1a", "figure-1b", "figure-1c", "figure-1d", "scale"] {
        let svg = std::fs::read_to_string(target.join(format!("{figure}.svg"))).unwrap();
        assert!(
            svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"),
            "{figure}"
        );
    }
    let sections = document.as_array().unwrap();
    assert_eq!(sections.len(), 4);
    let rows = |s: usize| sections[s]["rows"].as_array().unwrap();
    let find = |s: usize, what: &str| {
        rows(s).iter().find(|r| r["what"] == what).unwrap()["ours"]
            .as_f64()
            .unwrap()
    };
    assert_eq!(find(0, "share of runs with 3 clusters"), 1.0);
    assert!((find(0, "DP-means, average NMI") - 0.89).abs() < 0.05);
    assert!((find(1, "Iris, k-means") - 0.76).abs() < 0.1);
    assert!(find(2, "prices by the rule: hard Gaussian HDP, NMI") > 0.6);
    let table = std::fs::read_to_string(target.join("paper.md")).unwrap();
    assert!(table.contains("| Wine, DP-means | 0.41 |"), "{table}");
    // The same seed gives the same scores.
    let again = run("second").1;
    for s in 0..3 {
        let scores = |d: &serde_json::Value| -> Vec<String> {
            let rows = d[s]["rows"].as_array().unwrap();
            rows.iter()
                .filter(|r| !r["what"].as_str().unwrap().contains("seconds"))
                .map(|r| r["ours"].to_string())
                .collect()
        };
        assert_eq!(scores(&document), scores(&again));
    }
}

#[test]
fn some_sets_of_some_experiments_as_json() {
    let dir = tempfile::tempdir().unwrap();
    let run = Command::new(env!("CARGO_BIN_EXE_lambdacut"))
        .args(["paper", "--quick", "--only", "table1", "--sets", "iris"])
        .args(["--seed", "3", "--json", "-", "--data"])
        .arg(dir.path())
        .assert()
        .success();
    let document: serde_json::Value =
        serde_json::from_slice(&run.get_output().stdout).expect("JSON and nothing else");
    let sections = document.as_array().unwrap();
    assert_eq!(
        (sections.len(), &sections[0]["title"]),
        (1, &"Table 1".into())
    );
    assert_eq!(sections[0]["rows"].as_array().unwrap().len(), 3);
}
