//! Flags mean what they say: each does something, and one that cannot is refused by name.

use crate::support::root;
use assert_cmd::Command;
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

fn lambdacut(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lambdacut"));
    command.args(args);
    command.current_dir(root());
    command
}

/// Runs, and gives back what was said to the user.
fn said(args: &[&str], code: i32) -> String {
    let done = lambdacut(args).assert().code(code);
    String::from_utf8_lossy(&done.get_output().stderr).into_owned()
}

fn json(file: &Path) -> Value {
    serde_json::from_slice(&fs::read(file).unwrap()).unwrap()
}

/// Labels of a file, without its remarks.
fn labels(file: &Path) -> Vec<(String, String)> {
    let text = fs::read_to_string(file).unwrap();
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    lines
        .map(|line| {
            let (vertex, cluster) = line.split_once('\t').unwrap();
            (vertex.to_owned(), cluster.to_owned())
        })
        .collect()
}

const GRAPH: &str = "datasets/football.edges";

#[test]
fn a_flag_that_a_method_cannot_use_is_refused_by_name() {
    let label_file = "datasets/football.labels";
    let draws: &[&[&str]] = &[&["--seed", "3"], &["--refine", "no"]];
    let pass: &[&[&str]] = &[
        &["--init", "one"],
        &["--order", "natural"],
        &["--order-file", label_file],
        &["--sigma", "1"],
        &["--passes", "3"],
        &["--relative-gain", "0.1"],
        &["--tolerance", "0.1"],
    ];
    let path: &[&[&str]] = &[&["--effort", "fast"], &["--fixed", label_file]];
    let start: &[&[&str]] = &[&["--start", label_file]];
    let cases = [
        ("path", [draws, pass].concat()),
        ("kernel-dp-means", path.to_vec()),
        ("spectral", [path, pass, start].concat()),
    ];
    for (method, flags) in cases {
        for flag in flags {
            let base = ["cluster", GRAPH, "--method", method, "--resolution", "0.5"];
            let said = said(&[&base, flag].concat(), 2);
            let name = if flag[0] == "--tolerance" {
                "--relative-gain"
            } else {
                flag[0]
            };
            assert!(
                said.contains(&format!("{name} has no effect")),
                "{method}: {said}"
            );
        }
    }
}

#[test]
fn requests_that_contradict_themselves_are_refused() {
    let cases: [(&[&str], &str); 9] = [
        (
            &["cluster", GRAPH, "--method", "spectral"],
            "--resolution B or --clusters K",
        ),
        (
            &["cluster", GRAPH, "--method", "kernel-dp-means"],
            "--resolution B or --clusters K",
        ),
        (
            &[
                "cluster",
                GRAPH,
                "--method",
                "kernel-dp-means",
                "-b",
                "0.5",
                "--init-size",
                "4",
            ],
            "--init farthest-first",
        ),
        (
            &["path", GRAPH, "--resolution", "0.5"],
            "--resolution has no effect",
        ),
        (
            &["path", GRAPH, "--clusters", "5"],
            "--clusters has no effect",
        ),
        (
            &["path", GRAPH, "--method", "spectral"],
            "--method has no effect",
        ),
        (
            &[
                "cluster",
                "--layers",
                GRAPH,
                "datasets/karate.edges",
                "--clusters",
                "5",
            ],
            "--clusters has no effect with --layers",
        ),
        (
            &["cluster", "--layers", GRAPH, "datasets/karate.edges"],
            "give --resolution",
        ),
        (&["cluster", GRAPH, "--coupling", "2"], "--layers"),
    ];
    for (args, words) in cases {
        let said = said(args, 2);
        assert!(said.contains(words), "{args:?}: {said}");
    }
    for limit in ["-1", "nan", "inf"] {
        let said = said(&["cluster", GRAPH, &format!("--time-limit={limit}")], 1);
        assert!(said.contains("--time-limit must be"), "{said}");
    }
}

#[test]
fn outputs_that_cannot_be_written_are_noticed_before_the_search() {
    let dir = tempfile::tempdir().unwrap();
    let inside = dir.path().join("missing/out").display().to_string();
    let one = dir.path().join("one").display().to_string();
    for flag in ["--output", "--json", "--report"] {
        let said_missing = said(&["cluster", GRAPH, flag, &inside], 1);
        assert!(said_missing.contains("no such directory"), "{said_missing}");
        let directory = dir.path().display().to_string();
        let said_directory = said(&["cluster", GRAPH, flag, &directory], 1);
        assert!(
            said_directory.contains("is a directory"),
            "{said_directory}"
        );
    }
    let twice = said(&["cluster", GRAPH, "--output", &one, "--json", &one], 1);
    assert!(twice.contains("--output and --json"), "{twice}");
    let truth = said(&["cluster", GRAPH, "--truth", &inside, "--output", &one], 1);
    assert!(truth.contains("missing/out"), "{truth}");
    assert!(!Path::new(&one).exists(), "nothing is half-written");
}

#[test]
fn fixed_vertices_stay_together_and_start_is_considered() {
    let dir = tempfile::tempdir().unwrap();
    let fixed = dir.path().join("fixed.labels");
    // Two teams of different conferences, which no clustering would put together.
    fs::write(&fixed, "BrighamYoung a\nFloridaState a\n").unwrap();
    let output = dir.path().join("out.labels");
    let (fixed, out) = (fixed.display().to_string(), output.display().to_string());
    said(&["cluster", GRAPH, "--fixed", &fixed, "--output", &out], 0);
    let found = labels(&output);
    let of = |name: &str| {
        found
            .iter()
            .find(|(vertex, _)| vertex == name)
            .unwrap()
            .1
            .clone()
    };
    assert_eq!(of("BrighamYoung"), of("FloridaState"));
    // The truth as a start: what comes out is at least as good at its β.
    let documents = ["plain.json", "started.json"].map(|name| dir.path().join(name));
    let plain = documents[0].display().to_string();
    let started = documents[1].display().to_string();
    said(&["cluster", GRAPH, "-k", "12", "--json", &plain], 0);
    let start = ["--start", "datasets/football.labels"];
    said(
        &[
            &["cluster", GRAPH, "-k", "12", "--json", &started],
            &start[..],
        ]
        .concat(),
        0,
    );
    let cut = |file: &Path| json(file)["objective"]["cut"].as_f64().unwrap();
    assert!(cut(&documents[1]) <= cut(&documents[0]) + 1e-12);
}

#[test]
fn the_path_gives_the_labels_of_any_of_its_clusterings() {
    let dir = tempfile::tempdir().unwrap();
    let (table, output) = (dir.path().join("path.json"), dir.path().join("k.labels"));
    let (table_name, out) = (table.display().to_string(), output.display().to_string());
    said(&["path", GRAPH, "--json", &table_name, "--quiet"], 0);
    let path = json(&table)["path"].as_array().unwrap().clone();
    for corner in path {
        let k = corner["clusters"].as_u64().unwrap();
        said(
            &[
                "path",
                GRAPH,
                "--labels-of",
                &k.to_string(),
                "--output",
                &out,
                "--quiet",
            ],
            0,
        );
        let clusters: BTreeSet<String> = labels(&output).into_iter().map(|l| l.1).collect();
        assert_eq!(clusters.len() as u64, k);
        let evaluated = dir.path().join("e.json");
        let e = evaluated.display().to_string();
        said(&["evaluate", GRAPH, &out, "--json", &e], 0);
        let cut = json(&evaluated)["metrics"]["normalized_cut"].as_f64();
        if let Some(cut) = cut {
            assert!((cut - corner["cut"].as_f64().unwrap()).abs() < 1e-9);
        }
    }
    let none = said(&["path", GRAPH, "--labels-of", "99", "--output", &out], 1);
    assert!(none.contains("no clustering on the path has 99"), "{none}");
}

#[test]
fn a_resumed_run_says_so_and_a_foreign_or_damaged_checkpoint_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("state");
    let name = file.display().to_string();
    let base = ["cluster", GRAPH, "--checkpoint", &name, "--effort", "fast"];
    let first = said(&base, 0);
    assert!(!first.contains("resumed"), "{first}");
    let again = said(&base, 0);
    assert!(again.contains("resumed"), "{again}");
    let clusters = |said: &str| {
        let line = said.lines().find(|line| line.starts_with("clusters"));
        line.unwrap().to_owned()
    };
    assert_eq!(clusters(&first), clusters(&again));
    for other in [
        &["cluster", GRAPH, "--checkpoint", &name, "--effort", "best"][..],
        &[
            "cluster",
            "datasets/karate.edges",
            "--checkpoint",
            &name,
            "--effort",
            "fast",
        ],
    ] {
        let refused = said(other, 1);
        assert!(refused.contains("belongs to another graph"), "{refused}");
    }
    let whole = fs::read(&file).unwrap();
    for at in (0..whole.len()).step_by(whole.len() / 37) {
        let mut damaged = whole.clone();
        damaged[at] ^= 1;
        fs::write(&file, &damaged).unwrap();
        let refused = said(&base, 1);
        assert!(refused.contains(&name), "{refused}");
        fs::write(&file, &whole[..at]).unwrap();
        let cut_off = said(&base, 1);
        assert!(cut_off.contains("damaged"), "{cut_off}");
    }
    let packed = format!("{name}.gz");
    let refused = said(&["cluster", GRAPH, "--checkpoint", &packed], 1);
    assert!(refused.contains("not compressed"), "{refused}");
}

#[test]
fn a_time_limit_of_nothing_still_gives_an_answer_in_every_method() {
    let methods: [&[&str]; 6] = [
        &[],
        &["--resolution", "0.4"],
        &["--clusters", "7"],
        &["--method", "kernel-dp-means", "--resolution", "0.4"],
        &["--method", "spectral", "--clusters", "7"],
        &["--resolution", "0.4", "--certify"],
    ];
    for method in methods {
        let args = [&["cluster", GRAPH, "--time-limit", "0"], method].concat();
        let said = said(&args, 0);
        assert!(
            said.contains("the time limit was reached"),
            "{method:?}: {said}"
        );
    }
}

#[test]
fn a_search_beyond_the_memory_limit_is_refused_with_an_estimate() {
    let refused = said(&["cluster", GRAPH, "--memory-limit", "40k"], 1);
    assert!(refused.contains("memory"), "{refused}");
    said(&["cluster", GRAPH, "--memory-limit", "1G"], 0);
}

#[test]
fn generated_graphs_follow_every_parameter() {
    let dir = tempfile::tempdir().unwrap();
    let graph = dir.path().join("g.edges").display().to_string();
    let made = dir.path().join("made.json");
    let made_name = made.display().to_string();
    let lfr = |more: &[&str]| {
        let base = [
            "generate",
            "lfr",
            "--vertices",
            "400",
            "--average-degree",
            "8",
            "--output",
            &graph,
            "--json",
            &made_name,
        ];
        said(&[&base, more].concat(), 0);
        let edges = fs::read_to_string(&graph).unwrap();
        (
            json(&made)["generated"]["clusters"].as_u64().unwrap(),
            edges,
        )
    };
    let few = [
        "--min-community",
        "90",
        "--max-community",
        "120",
        "--max-degree",
        "20",
    ];
    let many = [
        "--min-community",
        "20",
        "--max-community",
        "30",
        "--max-degree",
        "15",
    ];
    assert!(lfr(&few).0 <= 5 && lfr(&many).0 >= 13);
    let exponents = |tau1: &str, tau2: &str| {
        let flags = ["--degree-exponent", tau1, "--community-exponent", tau2];
        lfr(&[&few[..], &flags].concat()).1
    };
    assert_ne!(exponents("2", "1"), exponents("3", "1"));
    assert_ne!(exponents("2", "1"), exponents("2", "2"));
    let sbm = |more: &[&str]| {
        let base = [
            "generate", "sbm", "--size", "50", "--output", &graph, "--json", &made_name,
        ];
        said(&[&base, more].concat(), 0);
        let document = json(&made);
        (
            document["generated"]["clusters"].as_u64().unwrap(),
            document["graph"]["edges"].as_u64().unwrap(),
            document["generated"]["mixing"].as_f64().unwrap(),
        )
    };
    let dense = sbm(&["--blocks", "3", "--inside", "0.5", "--between", "0.001"]);
    let mixed = sbm(&["--blocks", "3", "--inside", "0.5", "--between", "0.4"]);
    assert_eq!((dense.0, mixed.0), (3, 3));
    assert!(dense.2 < 0.1 && mixed.2 > 0.3);
    let spread = sbm(&["--degree-exponent", "2.5", "--degree-spread", "20"]);
    assert!(spread.1 > 0);
    said(
        &[
            "generate",
            "cliques",
            "--cliques",
            "4",
            "--size",
            "5",
            "--output",
            &graph,
        ],
        0,
    );
    assert_eq!(
        fs::read_to_string(&graph).unwrap().lines().count(),
        4 * 10 + 4
    );
    let points = dir.path().join("p.csv");
    let csv = points.display().to_string();
    let blobs = |more: &[&str]| {
        let base = [
            "generate",
            "blobs",
            "--points",
            "60",
            "--clusters",
            "3",
            "--output",
            &csv,
        ];
        said(&[&base, more].concat(), 0);
        fs::read_to_string(&points).unwrap()
    };
    let plain = blobs(&[]);
    for other in [
        ["--deviation", "3"],
        ["--extent", "99"],
        ["--separation", "9"],
    ] {
        assert_ne!(blobs(&other), plain, "{other:?}");
    }
}

#[test]
fn weights_of_vertices_count_in_ratio_cut() {
    let dir = tempfile::tempdir().unwrap();
    let graph = dir.path().join("weighted.graph");
    // Two triangles and a bridge; the last vertex weighs 97, so its side is the heavier.
    fs::write(
        &graph,
        "6 7 010\n1 2 3\n1 1 3\n1 1 2 4\n1 3 5 6\n1 4 6\n97 4 5\n",
    )
    .unwrap();
    let name = graph.display().to_string();
    let made = dir.path().join("made.json");
    let made_name = made.display().to_string();
    let base = ["cluster", &name, "-k", "2", "--json", &made_name];
    let told = said(&base, 0);
    assert!(told.contains("no use for them"), "{told}");
    said(&[&base[..], &["--objective", "rcut"]].concat(), 0);
    let objective = json(&made)["objective"].clone();
    assert_eq!(objective["kind"], "masses");
    // The lightest side that a cut can leave: 1/99 + 1/3.
    let expected = 1.0 / 99.0 + 1.0 / 3.0;
    assert!((objective["cut"].as_f64().unwrap() - expected).abs() < 1e-12);
}

#[test]
fn verbose_shows_passes_and_quiet_shows_nothing() {
    let verbose = said(&["cluster", GRAPH, "--verbose"], 0);
    assert!(verbose.contains("moves"), "{verbose}");
    assert_eq!(said(&["cluster", GRAPH, "--quiet"], 0), "");
    let done = lambdacut(&["spectrum", GRAPH, "--smallest", "5"])
        .assert()
        .success();
    let values = String::from_utf8_lossy(&done.get_output().stdout).into_owned();
    assert_eq!(values.lines().count(), 5);
}

/// Every long flag that a command shows in its help.
fn long_flags(command: &[&str]) -> BTreeSet<String> {
    let done = lambdacut(&[command, &["--help"]].concat())
        .assert()
        .success();
    let help = String::from_utf8_lossy(&done.get_output().stdout).into_owned();
    let mut flags = BTreeSet::new();
    for line in help
        .lines()
        .map(str::trim_start)
        .filter(|line| line.starts_with('-'))
    {
        let words = line.split([' ', ',', '=', '.']);
        flags.extend(
            words
                .take(2)
                .filter(|word| word.starts_with("--"))
                .map(str::to_owned),
        );
    }
    flags
}

#[test]
fn every_flag_has_a_test_by_its_long_name() {
    let mut sources = String::new();
    for entry in fs::read_dir(root().join("cli/tests/it")).unwrap() {
        sources += &fs::read_to_string(entry.unwrap().path()).unwrap();
    }
    let commands: [&[&str]; 18] = [
        &["bench"],
        &["cluster"],
        &["path"],
        &["completions"],
        &["convert"],
        &["evaluate"],
        &["generate", "lfr"],
        &["generate", "sbm"],
        &["generate", "rmat"],
        &["generate", "cliques"],
        &["generate", "blobs"],
        &["man"],
        &["paper"],
        &["points", "dp-means"],
        &["points", "hdp"],
        &["points", "k-means"],
        &["points", "gibbs"],
        &["spectrum"],
    ];
    let mut untested = BTreeSet::new();
    for command in commands {
        for flag in long_flags(command) {
            let uses = [
                format!("\"{flag}\""),
                format!("{flag} "),
                format!("{flag}="),
            ];
            if flag != "--help" && !uses.iter().any(|by_name| sources.contains(by_name)) {
                untested.insert(format!("{} {flag}", command.join(" ")));
            }
        }
    }
    assert!(untested.is_empty(), "no test names {untested:?}");
}
