//! Clustering several graphs together from the command line.

use std::collections::HashSet;
use std::path::Path;

/// Runs `cluster --layers` on the two files; the exit code, the labels on standard output as
/// (layer, vertex, cluster), what was said.
fn command(dir: &Path, more: &[&str]) -> (i32, Vec<(String, String, u32)>, String) {
    let mut command = assert_cmd::Command::new(env!("CARGO_BIN_EXE_lambdacut"));
    let run = command
        .current_dir(dir)
        .args(["cluster", "--layers", "old.edges", "new.edges"])
        .args(more)
        .assert();
    let output = run.get_output();
    let text = String::from_utf8(output.stdout.clone()).unwrap();
    let row = |line: &str| {
        let fields: Vec<&str> = line.split('\t').collect();
        (
            fields[0].to_owned(),
            fields[1].to_owned(),
            fields[2].parse().unwrap(),
        )
    };
    (
        output.status.code().unwrap(),
        text.lines().map(row).collect(),
        String::from_utf8(output.stderr.clone()).unwrap(),
    )
}

/// Four vertices, all joined.
fn clique(names: [&str; 4]) -> String {
    let pair = |(i, j): (usize, usize)| format!("{} {}\n", names[i], names[j]);
    [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]
        .into_iter()
        .map(pair)
        .collect()
}

#[test]
fn layers_with_different_vertices_from_the_command_line() {
    let dir = tempfile::tempdir().unwrap();
    let write = |name: &str, text: String| std::fs::write(dir.path().join(name), text).unwrap();
    // The new graph loses e…h and gains p…s; z is only mentioned by a loop that is dropped.
    write(
        "old.edges",
        clique(["a", "b", "c", "d"]) + &clique(["e", "f", "g", "h"]) + "d e\n",
    );
    write(
        "new.edges",
        clique(["a", "b", "c", "d"]) + &clique(["p", "q", "r", "s"]) + "d p\nz z\n",
    );
    let at = &["--resolution", "0.4", "--self-loops", "drop"];
    let (code, rows, said) = command(dir.path(), at);
    assert_eq!((code, rows.len()), (0, 17), "{said}");
    let of = |layer: &str, vertex: &str| {
        rows.iter()
            .find(|r| r.0 == layer && r.1 == vertex)
            .unwrap()
            .2
    };
    assert_eq!(of("old", "a"), of("new", "a"));
    assert_eq!(of("old", "e"), of("old", "h"));
    assert_eq!(of("new", "p"), of("new", "s"));
    assert_eq!(
        [
            of("old", "a"),
            of("old", "e"),
            of("new", "p"),
            of("new", "z")
        ]
        .iter()
        .collect::<HashSet<_>>()
        .len(),
        4
    );
    assert_eq!(
        of("new", "z"),
        3,
        "a vertex without an edge is numbered behind the clusters"
    );

    // Without coupling nothing is shared; with a high local price everything is.
    let (_, apart, _) = command(dir.path(), &[at, &["--coupling", "0"][..]].concat());
    let clusters = |rows: &[(String, String, u32)]| {
        rows.iter()
            .filter(|r| r.1 != "z")
            .map(|r| r.2)
            .collect::<HashSet<_>>()
            .len()
    };
    assert_eq!(clusters(&apart), 4);
    assert_eq!(
        clusters(&command(dir.path(), &[at, &["--local-price", "9"][..]].concat()).1),
        1
    );

    write(
        "truth",
        "a 1\nb 1\nc 1\nd 1\ne 2\nf 2\ng 2\nh 2\np 3\nq 3\nr 3\ns 3\n".to_owned(),
    );
    let more = [
        "-o",
        "out",
        "--json",
        "run.json",
        "--truth",
        "truth",
        "--local-price",
        "0.01",
        "--couple",
        "all",
    ];
    let (code, _, said) = command(dir.path(), &[at, &more[..]].concat());
    assert_eq!(code, 0, "{said}");
    let document: serde_json::Value =
        serde_json::from_slice(&std::fs::read(dir.path().join("run.json")).unwrap()).unwrap();
    assert_eq!(document["objective"]["clusters"], 3);
    for (layer, vertices) in document["layers"].as_array().unwrap().iter().zip([8, 9]) {
        assert_eq!(
            (&layer["clusters"], &layer["graph"]["vertices"]),
            (&2.into(), &vertices.into())
        );
        assert_eq!(layer["truth"]["nmi"], 1.0);
    }
    let number = |key: &str| document["objective"][key].as_f64().unwrap();
    assert!((number("value") - (number("cut") - 0.4 * 3.0 + 0.01 * 4.0)).abs() < 1e-9);
    let labels = std::fs::read_to_string(dir.path().join("out/new.labels")).unwrap();
    assert_eq!(labels.lines().filter(|l| !l.starts_with('#')).count(), 9);
}

#[test]
fn wrong_requests_for_layers_are_explained() {
    let dir = tempfile::tempdir().unwrap();
    for name in ["old.edges", "new.edges", "old.txt"] {
        std::fs::write(dir.path().join(name), clique(["a", "b", "c", "d"])).unwrap();
    }
    for (more, expected, word) in [
        (&[][..], 2, "--resolution"),
        (&["--resolution", "0.4", "--coupling", "-1"], 1, "coupling"),
        (
            &["--resolution", "0.4", "--local-price", "inf"],
            1,
            "local price",
        ),
        (
            &["--resolution", "0.4", "--layers", "old.txt", "old.edges"],
            1,
            "different file names",
        ),
        (&["--clusters", "2"], 2, "--layers"),
        (
            &["--resolution", "0.4", "--checkpoint", "c"],
            2,
            "--checkpoint",
        ),
        (&["--resolution", "0.4", "-o", "old.txt"], 1, "directory"),
    ] {
        let (code, rows, said) = command(dir.path(), more);
        assert!(
            code == expected && rows.is_empty() && said.contains(word),
            "{more:?}: {code} {said}"
        );
    }
}
