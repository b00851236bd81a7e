//! `lambdacut convert`, run as its users run it.

use assert_cmd::Command;
use std::path::Path;

fn lambdacut() -> Command {
    Command::cargo_bin("lambdacut").unwrap()
}

fn convert(dir: &Path, arguments: &[&str]) -> assert_cmd::assert::Assert {
    lambdacut()
        .current_dir(dir)
        .arg("convert")
        .args(arguments)
        .assert()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

#[test]
fn round_the_formats() {
    let dir = tempfile::tempdir().unwrap();
    let file = |name: &str| dir.path().join(name);
    std::fs::write(
        file("g.csv"),
        "source,target,weight\nb,a,2\na,c,0.5\nc,c,1\n",
    )
    .unwrap();
    let chain = ["g.csv", "g.lcut", "g.txt.gz", "g.tsv.zst"];
    for pair in chain.windows(2) {
        convert(dir.path(), pair).success();
    }
    let out = convert(dir.path(), &["g.tsv.zst", "-"]).success();
    assert_eq!(
        text(&out.get_output().stdout),
        "b\ta\t2\na\tc\t0.5\nc\tc\t1\n"
    );
    convert(dir.path(), &["g.csv", "g.graph"]).success();
    assert_eq!(
        std::fs::read_to_string(file("g.graph")).unwrap(),
        "3 3 001\n2 2\n1 2 3 0.5\n2 0.5 3 1\n"
    );
    convert(dir.path(), &["g.graph", "g.mtx", "--quiet"])
        .success()
        .stderr("");
    let expected =
        "%%MatrixMarket matrix coordinate real symmetric\n3 3 3\n2 1 2\n3 2 0.5\n3 3 1\n";
    assert_eq!(std::fs::read_to_string(file("g.mtx")).unwrap(), expected);
}

#[test]
fn standard_input_and_explicit_formats() {
    let out = lambdacut()
        .args([
            "convert",
            "-",
            "-",
            "--from",
            "metis",
            "--to",
            "matrix-market",
        ])
        .write_stdin("2 1\n2\n1\n")
        .assert();
    let expected = "%%MatrixMarket matrix coordinate pattern symmetric\n2 2 1\n2 1\n";
    assert_eq!(text(&out.success().get_output().stdout), expected);
    let mut binary = lambdacut();
    let bytes = binary
        .args(["convert", "-", "-", "--to", "binary"])
        .write_stdin("5 7\n")
        .assert()
        .success()
        .get_output()
        .stdout
        .clone();
    let out = lambdacut()
        .args(["convert", "-", "-", "--to", "edge-list"])
        .write_stdin(bytes)
        .assert()
        .success();
    assert_eq!(text(&out.get_output().stdout), "5\t7\n");
}

#[test]
fn flags_of_reading() {
    let run = |flags: &[&str], input: &str| {
        let out = lambdacut()
            .args(["convert", "-", "-"])
            .args(flags)
            .write_stdin(input)
            .assert()
            .success();
        text(&out.get_output().stdout)
    };
    assert_eq!(run(&["--unweighted"], "0 1 5\n1 1 2\n"), "0\t1\n1\t1\n");
    assert_eq!(run(&["--self-loops", "drop"], "0 1\n1 1\n"), "0\t1\n");
    assert_eq!(run(&["--duplicates", "sum"], "0 1\n0 1\n"), "0\t1\t2\n");
    assert_eq!(
        run(&["--duplicates", "first"], "0 1 5\n1 0 3\n"),
        "0\t1\t5\n"
    );
    assert_eq!(run(&["--ids", "name"], "01 1\n"), "01\t\"1\"\n");
    assert_eq!(run(&["--header", "yes"], "0 1\n1 2\n"), "1\t2\n");
    assert_eq!(run(&["--f32"], "0 1 0.5\n"), "0\t1\t0.5\n");
    assert_eq!(run(&["--lenient"], "0 1\n1\n1 2\n"), "0\t1\n1\t2\n");
}

#[test]
fn wrong_input_is_one_message_exit_code_1_and_no_file() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("g.txt"), "0 1\n1 x\n").unwrap();
    let out = convert(dir.path(), &["g.txt", "out.txt"]).code(1);
    let expected =
        "lambdacut: g.txt:2:3: not an integer vertex id: \"x\" (--ids name reads ids as names)\n";
    assert_eq!(text(&out.get_output().stderr), expected);
    assert!(out.get_output().stdout.is_empty());
    let left: Vec<_> = std::fs::read_dir(dir.path())
        .unwrap()
        .map(|e| e.unwrap().file_name())
        .collect();
    assert_eq!(left, ["g.txt"]);
    for (arguments, word) in [
        (&["none.txt", "-"][..], "none.txt: No such file"),
        (&[".", "-"], ".: is a directory"),
        (
            &[
                "g.txt",
                "-",
                "--lenient",
                "--self-loops",
                "drop",
                "--memory-limit",
                "7",
            ],
            "more than the allowed 7 bytes",
        ),
        (
            &["g.txt", "no/such/dir.txt", "--lenient"],
            "cannot write no/such/dir.txt",
        ),
    ] {
        let out = convert(dir.path(), arguments).code(1);
        assert!(
            text(&out.get_output().stderr).contains(word),
            "{arguments:?}: {}",
            text(&out.get_output().stderr)
        );
    }
    convert(dir.path(), &["g.txt", "-", "--duplicates", "sometimes"]).code(2);
    convert(dir.path(), &["g.txt", "-", "--memory-limit", "much"]).code(2);
}

#[test]
fn the_names_of_the_file_are_in_policy_messages() {
    let run = |flags: &[&str], input: &str| {
        let out = lambdacut()
            .args(["convert", "-", "-"])
            .args(flags)
            .write_stdin(input)
            .assert()
            .code(1);
        text(&out.get_output().stderr)
    };
    let said = run(&["--duplicates", "error"], "ann bob\nann bob\n");
    assert_eq!(
        said,
        "lambdacut: standard input: the arc \"ann\" → \"bob\" is listed more than once\n"
    );
    let said = run(&["--directed", "reject"], "7 9\n9 7\n9 8\n");
    assert_eq!(
        said,
        "lambdacut: standard input: the graph is directed: the arc \"9\" → \"8\" has no equal reverse, but other arcs have\n"
    );
}
