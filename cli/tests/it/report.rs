//! Reports of the commands: the same on any number of threads, one for every method.

use assert_cmd::Command;
use lambdacut::report::html::{LIMIT, MOST_LAYERS};
use serde_json::Value;
use std::path::{Path, PathBuf};

fn bundled(name: &str) -> PathBuf {
    crate::support::root().join("datasets").join(name)
}

/// The data of a page written by the command, without what differs between runs.
fn data(args: &[&str], page: &Path) -> Value {
    Command::new(env!("CARGO_BIN_EXE_lambdacut"))
        .args(args)
        .arg("--report")
        .arg(page)
        .assert()
        .success();
    let html = std::fs::read_to_string(page).unwrap();
    let (_, rest) = html
        .split_once("<script type=\"application/json\" id=\"data\">")
        .unwrap();
    let mut value: Value = serde_json::from_str(rest.split_once("</script>").unwrap().0).unwrap();
    for key in ["seconds", "memory", "provenance"] {
        assert!(!value["about"][key].is_null(), "{key}");
    }
    assert!(
        value["about"]["provenance"]["command"]
            .as_str()
            .unwrap()
            .starts_with("lambdacut ")
    );
    for key in ["seconds", "memory", "provenance"] {
        value["about"][key].take();
    }
    value
}

#[test]
fn the_same_run_gives_the_same_page_on_any_number_of_threads() {
    let dir = tempfile::tempdir().unwrap();
    let (graph, truth) = (bundled("lfr-1000.edges"), bundled("lfr-1000.labels"));
    let run = |threads: &str| {
        let args = [
            "cluster",
            "-q",
            "--threads",
            threads,
            graph.to_str().unwrap(),
            "--truth",
            truth.to_str().unwrap(),
            "--effort",
            "fast",
        ];
        data(&args, &dir.path().join(format!("{threads}.html")))
    };
    let one = run("1");
    assert_eq!(one, run("2"));
    let view = &one["graph"];
    let chosen = &view["clusterings"][view["chosen"].as_u64().unwrap() as usize];
    assert_eq!(chosen["clusters"], one["about"]["objective"]["clusters"]);
    assert!(chosen["detail"]["truth"]["nmi"].as_f64().unwrap() > 0.9);
    // Intervals follow each other; the last may begin beyond where the path did, and then has no
    // width.
    let list = view["clusterings"].as_array().unwrap();
    let ends = |c: &Value| [0, 1].map(|end| c["interval"][end].as_f64().unwrap());
    assert!(
        list.len() >= 2
            && list
                .windows(2)
                .all(|pair| ends(&pair[0])[1] <= ends(&pair[1])[0]),
        "{list:?}"
    );
}

#[test]
fn a_report_of_layers_names_copies_and_counts_them_by_layer() {
    let dir = tempfile::tempdir().unwrap();
    let (graph, truth) = (bundled("karate.edges"), bundled("karate.labels"));
    let twin = dir.path().join("later.edges");
    std::fs::copy(&graph, &twin).unwrap();
    let args = [
        "cluster",
        "-q",
        "-b",
        "0.4",
        "--local-price",
        "0.01",
        "--truth",
        truth.to_str().unwrap(),
    ];
    let json = dir.path().join("run.json");
    let layers = [
        "--json",
        json.to_str().unwrap(),
        "-o",
        dir.path().to_str().unwrap(),
        "--layers",
    ];
    let files = [graph.to_str().unwrap(), twin.to_str().unwrap()];
    let page = data(
        &[&args[..], &layers, &files].concat(),
        &dir.path().join("page.html"),
    );
    assert_eq!(page["title"], "karate + later");
    let (view, about) = (&page["graph"], &page["about"]);
    assert_eq!(
        (&view["vertices"], &view["layers"]["total"]),
        (&68.into(), &2.into())
    );
    assert_eq!(
        view["layers"]["shown"],
        serde_json::json!(["karate", "later"])
    );
    let (shown, detail) = (&view["clusterings"][0], &view["clusterings"][0]["detail"]);
    let document: Value = serde_json::from_slice(&std::fs::read(&json).unwrap()).unwrap();
    let near = |value: &Value, expected: &Value| {
        (value.as_f64().unwrap() - expected.as_f64().unwrap()).abs() < 1e-5
    };
    assert!(
        near(&shown["value"], &document["objective"]["value"])
            && near(&shown["cut"], &document["objective"]["cut"])
    );
    // The heat map counts every copy once; the number of layers of a cluster is that of its columns
    // with members.
    let numbers = |value: &Value| -> Vec<u64> {
        value
            .as_array()
            .unwrap()
            .iter()
            .map(|n| n.as_u64().unwrap())
            .collect()
    };
    let heat: Vec<Vec<u64>> = detail["layers"]["counts"]
        .as_array()
        .unwrap()
        .iter()
        .map(numbers)
        .collect();
    assert_eq!(
        [0, 1].map(|j| heat.iter().map(|row| row[j]).sum::<u64>()),
        [34, 34]
    );
    let table = &detail["table"];
    for (cluster, spanned) in numbers(&table["cluster"])
        .iter()
        .zip(numbers(&table["layers"]))
    {
        assert_eq!(
            heat[*cluster as usize]
                .iter()
                .filter(|&&count| count > 0)
                .count() as u64,
            spanned
        );
    }
    let best = view["names"].as_array().unwrap();
    assert!(
        best.iter()
            .all(|name| name.as_str().unwrap().ends_with(" (karate)")
                || name.as_str().unwrap().ends_with(" (later)"))
    );
    assert!(
        best.len() > 4
            && detail["truth"]["elements"] == 68
            && detail["truth"]["counts"][0].as_array().unwrap().len() == 2
    );
    for layer in about["layers"].as_array().unwrap() {
        assert_eq!(
            (&layer["graph"]["vertices"], &layer["graph"]["edges"]),
            (&34.into(), &78.into())
        );
        assert!(layer["truth"]["nmi"].is_f64() && layer["clusters"].is_u64());
    }
    assert!(page["trace"].is_array());
}

#[test]
fn every_method_has_a_report() {
    let dir = tempfile::tempdir().unwrap();
    let graph = bundled("karate.edges");
    let requests: [&[&str]; 9] = [
        &["cluster"],
        &["cluster", "--clusters", "3"],
        &["cluster", "--resolution", "0.4"],
        &["cluster", "--resolution", "3"],
        &["cluster", "--certify", "--objective", "rcut"],
        &[
            "cluster",
            "--method",
            "kernel-dp-means",
            "--resolution",
            "0.4",
        ],
        &["cluster", "--method", "spectral", "--clusters", "3"],
        &["path"],
        &["spectrum", "--below", "0.5"],
    ];
    for request in requests {
        let page = dir.path().join("page.html");
        let shown = data(&[request, &["-q", graph.to_str().unwrap()]].concat(), &page);
        let method = request[0];
        assert_eq!(
            shown["graph"].is_null(),
            method == "spectrum",
            "{request:?}"
        );
        assert_eq!(
            shown["spectrum"].is_null(),
            !(["spectral", "--certify"]
                .iter()
                .any(|w| request.contains(w))
                || method == "spectrum")
        );
        for clustering in shown["graph"]["clusterings"]
            .as_array()
            .unwrap_or(&Vec::new())
        {
            let interval = &clustering["interval"];
            let (low, high) = (interval[0].as_f64(), interval[1].as_f64());
            assert!(
                high.is_none_or(|high| low.unwrap() <= high),
                "{request:?}: {interval}"
            );
        }
        assert!(std::fs::metadata(&page).unwrap().len() < LIMIT as u64);
    }
}

#[test]
fn many_layers_fit_on_a_page() {
    let dir = tempfile::tempdir().unwrap();
    let mut command = vec![
        "cluster".to_owned(),
        "-q".to_owned(),
        "-b".to_owned(),
        "0.4".to_owned(),
        "--effort".to_owned(),
        "fast".to_owned(),
    ];
    command.extend([
        "-o".to_owned(),
        dir.path().display().to_string(),
        "--layers".to_owned(),
    ]);
    for layer in 0..130 {
        let file = dir.path().join(format!("layer{layer:03}.edges"));
        std::fs::write(&file, "a b\nb c\nc a\nc d\nd e\ne f\nf d\n").unwrap();
        command.push(file.display().to_string());
    }
    let words: Vec<&str> = command.iter().map(String::as_str).collect();
    let page = data(&words, &dir.path().join("page.html"));
    assert_eq!(page["title"], "layer000 + … + layer129 (130 layers)");
    let layers = &page["graph"]["layers"];
    assert_eq!(
        (&layers["total"], layers["shown"].as_array().unwrap().len()),
        (&130.into(), 25)
    );
    assert_eq!(layers["shown"][24], "106 others");
    assert_eq!(
        page["about"]["layers"].as_array().unwrap().len(),
        MOST_LAYERS
    );
}

#[test]
fn a_page_says_what_the_check_of_a_spectrum_says() {
    let dir = tempfile::tempdir().unwrap();
    let graph = bundled("karate.edges");
    let verdict = |below: &str| {
        let shown = data(
            &["spectrum", "-q", graph.to_str().unwrap(), "--below", below],
            &dir.path().join("page.html"),
        );
        shown["spectrum"]["verdict"].as_str().unwrap().to_owned()
    };
    assert!(
        verdict("0.5").starts_with("None is missing: proved by the inertia"),
        "{}",
        verdict("0.5")
    );
}
