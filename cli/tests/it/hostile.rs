//! Hostile and unusual inputs and outputs, as a user meets them: every weight file gives a finite
//! answer or a refusal, pipes are read once, tables are understood aloud, and links stay links.

use assert_cmd::Command;
use std::path::{Path, PathBuf};
use std::time::Duration;

fn lambdacut(dir: &Path) -> Command {
    let mut command = Command::cargo_bin("lambdacut").unwrap();
    command.current_dir(dir).timeout(Duration::from_secs(60));
    command
}

fn regress(name: &str) -> PathBuf {
    crate::support::root().join("tests/regress").join(name)
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// Exit code, standard output, standard error.
fn run(dir: &Path, arguments: &[&str]) -> (i32, String, String) {
    let output = lambdacut(dir).args(arguments).output().unwrap();
    let code = output.status.code().expect("it ends by itself");
    (code, text(&output.stdout), text(&output.stderr))
}

#[test]
fn every_file_of_extreme_weights_is_refused_or_clustered_well() {
    let dir = tempfile::tempdir().unwrap();
    // File, and whether it can be read in double and in single precision.
    let files = [
        ("volume-overflow.edges", false, false),
        ("degree-overflow.edges", false, false),
        ("f32-overflow.edges", false, false),
        ("f32-mixed.edges", false, false),
        ("subnormal.edges", false, false),
        ("f32-underflow.edges", true, false),
        ("rcut-tiny-weights.edges", true, true),
    ];
    for (name, double, single) in files {
        let file = regress(name).into_os_string().into_string().unwrap();
        for (flags, fine) in [
            (&[][..], double),
            (&["-b", "0.4"], double),
            (&["--objective", "rcut"], double),
            (&["--f32"], single),
            (&["--f32", "-b", "0.4"], single),
            (&["--f32", "--objective", "rcut"], single),
        ] {
            let all = [&["cluster", &file, "--json", "out.json"], flags].concat();
            let (code, _, said) = run(dir.path(), &all);
            if !fine {
                assert_eq!(code, 1, "{all:?}: {said}");
                assert!(
                    said.contains("multiply all weights by one number"),
                    "{said}"
                );
                continue;
            }
            assert_eq!(code, 0, "{all:?}: {said}");
            let json = std::fs::read(dir.path().join("out.json")).unwrap();
            let found: serde_json::Value = serde_json::from_slice(&json).unwrap();
            let cut = found["objective"]["cut"].as_f64();
            assert!(cut.is_some_and(f64::is_finite), "{all:?}: {cut:?}");
        }
        for (flags, fine) in [(&[][..], double), (&["--f32"], single)] {
            for out in ["g.edges", "g.lcut", "g.mtx"] {
                let (code, ..) = run(dir.path(), &[&["convert", &file, out], flags].concat());
                assert_eq!(code == 0, fine, "{name} {flags:?}");
                if fine {
                    let again = [&["convert", out, "again.edges"], flags].concat();
                    assert_eq!(run(dir.path(), &again).0, 0, "{name} {out}");
                }
            }
        }
    }
}

/// Two triangles and a bridge: the same answer for weights of any magnitude that is allowed.
#[test]
fn the_magnitude_of_weights_does_not_matter() {
    let dir = tempfile::tempdir().unwrap();
    let labels = |weight: &str, flags: &[&str]| {
        let rows = ["0 1", "1 2", "0 2", "2 3", "3 4", "4 5", "3 5"];
        let list: String = rows.iter().map(|row| format!("{row} {weight}\n")).collect();
        std::fs::write(dir.path().join("g.edges"), list).unwrap();
        let all = [&["cluster", "g.edges", "-o", "-"], flags].concat();
        let (code, out, said) = run(dir.path(), &all);
        assert_eq!(code, 0, "{weight} {flags:?}: {said}");
        let lines = out.lines().filter(|line| !line.starts_with('#'));
        lines.map(str::to_owned).collect::<Vec<_>>()
    };
    for flags in [
        &[][..],
        &["-b", "0.4"],
        &["--objective", "rcut"],
        &["-k", "2"],
    ] {
        let expected = labels("1", flags);
        for weight in ["1e-100", "1e-60", "1e-14", "1e60", "1e100"] {
            assert_eq!(labels(weight, flags), expected, "{weight} {flags:?}");
        }
    }
}

#[cfg(unix)]
#[test]
fn pipes_are_opened_once_and_have_the_hash_of_what_they_held() {
    let dir = tempfile::tempdir().unwrap();
    let list = "0 1\n1 2\n2 0\n";
    std::fs::write(dir.path().join("g.edges"), list).unwrap();
    let hash_of = |file: &str| {
        let json = std::fs::read(dir.path().join(file)).unwrap();
        let found: serde_json::Value = serde_json::from_slice(&json).unwrap();
        found["provenance"]["input_sha256"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    assert_eq!(
        run(
            dir.path(),
            &["convert", "g.edges", "a.txt", "--json", "file.json"]
        )
        .0,
        0
    );
    let binary = assert_cmd::cargo::cargo_bin!("lambdacut").to_str().unwrap();
    let script = format!(
        "mkfifo pipe.edges && (cat g.edges > pipe.edges &) && \
         {binary} convert pipe.edges b.txt --json pipe.json && \
         cat g.edges | {binary} convert /dev/stdin c.txt --json stdin.json && \
         cat g.edges | {binary} convert - d.txt --json dash.json"
    );
    let mut shell = Command::new("sh");
    let done = shell
        .current_dir(dir.path())
        .timeout(Duration::from_secs(60));
    done.args(["-c", &script]).assert().success();
    for file in ["pipe.json", "stdin.json", "dash.json"] {
        assert_eq!(hash_of(file), hash_of("file.json"), "{file}");
    }
    for file in ["b.txt", "c.txt", "d.txt"] {
        assert_eq!(
            std::fs::read_to_string(dir.path().join(file)).unwrap(),
            "0\t1\n0\t2\n1\t2\n"
        );
    }
}

#[test]
fn what_was_understood_is_said_in_one_line() {
    let dir = tempfile::tempdir().unwrap();
    let repeats = "ann,bob,2020,1.5\n".repeat(1904);
    let table = format!("from_user,to_user,year,amount\n{repeats}bob,cy,2021,1\n");
    std::fs::write(dir.path().join("t.csv"), table).unwrap();
    let (code, out, said) = run(dir.path(), &["convert", "t.csv", "-"]);
    assert_eq!((code, out.as_str()), (0, "ann\tbob\t2856\nbob\tcy\t1\n"));
    assert_eq!(
        said.lines().next().unwrap(),
        "read as CSV; header; source = from_user, target = to_user, weight = amount; names; 1 column ignored; 1,903 repeated rows summed"
    );
    let flags = ["--source", "2", "--target", "from_user", "--weight", "year"];
    let (_, out, _) = run(
        dir.path(),
        &[&["convert", "t.csv", "-"], &flags[..]].concat(),
    );
    assert_eq!(out.lines().last().unwrap(), "bob\tcy\t2021");
    std::fs::write(dir.path().join("four.txt"), "1 2 3 4\n").unwrap();
    let (code, _, said) = run(dir.path(), &["convert", "four.txt", "-"]);
    assert_eq!(code, 1);
    assert!(
        said.contains("(--source, --target and --weight name the columns)"),
        "{said}"
    );
    for name in ["triangle-uvw.edges", "st.csv"] {
        let file = regress(name).into_os_string().into_string().unwrap();
        let (_, out, said) = run(dir.path(), &["convert", &file, "-"]);
        let rows = std::fs::read_to_string(&file).unwrap().lines().count();
        assert_eq!(out.lines().count(), rows, "{said}");
    }
}

#[test]
fn an_unknown_ending_is_refused_before_anything_is_done() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("g.edges"), "0 1\n1 2\n2 0\n").unwrap();
    std::fs::write(dir.path().join("g.gexf"), "<gexf/>").unwrap();
    for (arguments, word) in [
        (&["convert", "g.edges", "out.gexf"][..], "this is GEXF"),
        (
            &["convert", "g.edges", "out.xyz"],
            "(--to names the format)",
        ),
        (&["convert", "g.gexf", "out.txt"], "this is GEXF"),
        (
            &["cluster", "g.edges", "-o", "out.parquet"],
            "labels are not written as .parquet",
        ),
        (
            &["generate", "lfr", "--vertices", "100", "-o", "out.abc"],
            "the ending .abc",
        ),
    ] {
        let (code, out, said) = run(dir.path(), arguments);
        assert_eq!((code, out.as_str()), (1, ""), "{arguments:?}");
        assert!(said.contains(word) && said.lines().count() == 1, "{said}");
    }
    let mut left: Vec<_> = std::fs::read_dir(dir.path())
        .unwrap()
        .map(|e| e.unwrap().file_name())
        .collect();
    left.sort();
    assert_eq!(left, ["g.edges", "g.gexf"]);
    let explicit = ["convert", "g.edges", "out.xyz", "--to", "edge-list"];
    assert_eq!(run(dir.path(), &explicit).0, 0);
}

#[test]
fn labels_join_back_as_csv_and_json_lines() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("g.txt"), "\"a,b\" c\nc d\nd \"a,b\"\n").unwrap();
    let read = |name: &str| {
        let (code, _, said) = run(dir.path(), &["cluster", "g.txt", "-o", name]);
        assert_eq!(code, 0, "{said}");
        std::fs::read_to_string(dir.path().join(name)).unwrap()
    };
    assert_eq!(read("l.csv"), "vertex,cluster\n\"a,b\",0\nc,0\nd,0\n");
    assert_eq!(
        read("l.jsonl"),
        "{\"vertex\":\"a,b\",\"cluster\":0}\n{\"vertex\":\"c\",\"cluster\":0}\n{\"vertex\":\"d\",\"cluster\":0}\n"
    );
    let (code, _, said) = run(dir.path(), &["evaluate", "g.txt", "l.csv"]);
    assert_eq!(code, 0, "{said}");
}

#[cfg(unix)]
#[test]
fn names_of_files_reach_the_terminal_escaped() {
    let dir = tempfile::tempdir().unwrap();
    let evil = "a\u{1b}[31m\nlambdacut: all is well";
    for arguments in [
        vec!["convert", evil, "-"],
        vec!["evaluate", evil, "x.labels"],
        vec!["points", "dp-means", evil],
        vec!["convert", "g.txt", "no\u{1b}/such\n/dir.txt"],
    ] {
        std::fs::write(dir.path().join("g.txt"), "0 1\n").unwrap();
        let (code, _, said) = run(dir.path(), &arguments);
        assert_ne!(code, 0, "{arguments:?}");
        assert!(
            !said.contains('\u{1b}') && !said.contains("\nlambdacut: all"),
            "{said}"
        );
    }
}

/// A killed run leaves an unfinished file; the next one removes it.
#[cfg(unix)]
#[test]
fn what_a_killed_run_leaves_is_removed_by_the_next() {
    let dir = tempfile::tempdir().unwrap();
    let binary = assert_cmd::cargo::cargo_bin!("lambdacut");
    let line = [
        "generate",
        "rmat",
        "--scale",
        "20",
        "--arcs",
        "400000000",
        "-o",
        "g.edges",
    ];
    let mut child = std::process::Command::new(binary)
        .current_dir(dir.path())
        .args(line)
        .stderr(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let left = || {
        let names = std::fs::read_dir(dir.path()).unwrap();
        let names = names.map(|e| e.unwrap().file_name().into_string().unwrap());
        names
            .filter(|name| name.ends_with(".lambdacut-part"))
            .count()
    };
    for _ in 0..2000 {
        if left() > 0 {
            break;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(left(), 1);
    let small = [
        "generate", "rmat", "--scale", "4", "--arcs", "40", "-o", "g.edges",
    ];
    assert_eq!(run(dir.path(), &small).0, 0);
    assert_eq!(left(), 0);
}
