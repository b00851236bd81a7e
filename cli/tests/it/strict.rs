//! Wrong and hostile files, run as a user runs them: one message with the place and the text, exit
//! code 1, nothing written, and no memory that the data does not justify.

use assert_cmd::Command;
use lambdacut::graph::Names;
use lambdacut::graph::{Csr, Unit};
use lambdacut::io::{Format, write_graph};
use std::io::Write;
use std::path::Path;
use tempfile::TempDir;
use xxhash_rust::xxh3::xxh3_64;

fn binary() -> &'static str {
    assert_cmd::cargo::cargo_bin!("lambdacut").to_str().unwrap()
}

fn files(dir: &Path) -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(dir)
        .unwrap()
        .map(|e| e.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

/// What is said about a file: the line on standard error, after `lambdacut: `. Everything else
/// about a refusal is asserted here.
fn refused(dir: &TempDir, name: &str, flags: &[&str]) -> String {
    let before = files(dir.path());
    let arguments = ["convert", name, "out.lcut", "--json", "out.json"];
    let run = Command::new(binary())
        .current_dir(dir.path())
        .args(arguments)
        .args(flags)
        .assert()
        .code(1);
    let output = run.get_output();
    assert!(output.stdout.is_empty(), "nothing on standard output");
    assert_eq!(files(dir.path()), before, "nothing is written");
    let said = String::from_utf8(output.stderr.clone()).unwrap();
    assert_eq!(said.lines().count(), 1, "one message: {said}");
    said.strip_prefix("lambdacut: ")
        .unwrap()
        .trim_end()
        .to_owned()
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut out = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    out.write_all(bytes).unwrap();
    out.finish().unwrap()
}

const PATTERN: &str = "%%MatrixMarket matrix coordinate pattern general\n";

/// File, content, message. A kind of mistake a line; the library's tests know more of each.
fn wrong_files() -> Vec<(&'static str, Vec<u8>, &'static str)> {
    let mtx = |rest: &str| format!("{PATTERN}{rest}").into_bytes();
    let text = gzip(&b"0 1\n1 2\n".repeat(1000));
    vec![
        ("empty.txt", vec![], "empty.txt: the file is empty"),
        (
            "comments.txt",
            b"# a\n% b\n".to_vec(),
            "comments.txt: no edges: the file holds only comments and empty lines",
        ),
        (
            "missing.txt",
            b"1 2\n3\n".to_vec(),
            "missing.txt:2:1: expected 2 columns, found 1: \"3\"",
        ),
        (
            "surplus.txt",
            b"1 2\n3 4 5\n".to_vec(),
            "surplus.txt:2:5: expected 2 columns, found 3; the surplus: \"5\"",
        ),
        (
            "letters.txt",
            b"1 2\n3 4\n5 6x\n".to_vec(),
            "letters.txt:3:3: not an integer vertex id: \"6x\" (--ids name reads ids as names)",
        ),
        (
            "word.txt",
            b"1 2 1\n3 4 heavy\n".to_vec(),
            "word.txt:2:5: not a weight: \"heavy\" (--unweighted ignores weights)",
        ),
        (
            "negative.txt",
            b"1 2 1\n3 4 -1\n".to_vec(),
            "negative.txt:2:5: the weight is negative: \"-1\" (--unweighted ignores weights)",
        ),
        (
            "nan.txt",
            b"1 2 1\n3 4 NaN\n".to_vec(),
            "nan.txt:2:5: the weight is not a finite number: \"NaN\" (--unweighted ignores weights)",
        ),
        (
            "inf.txt",
            b"1 2 1\n3 4 inf\n".to_vec(),
            "inf.txt:2:5: the weight is not a finite number: \"inf\" (--unweighted ignores weights)",
        ),
        (
            "weight.txt",
            b"1 2 1e999\n3 4 1\n".to_vec(),
            "weight.txt:1:5: the weight is not a finite number: \"1e999\" (--unweighted ignores weights)",
        ),
        (
            "large.txt",
            b"1 2\n18446744073709551616 3\n".to_vec(),
            "large.txt:2:1: a vertex id of more than 64 bits: \"18446744073709551616\"",
        ),
        (
            "nul.txt",
            b"1 2\n3\0 4\n".to_vec(),
            "nul.txt:2:2: a NUL byte: \"\\0\"",
        ),
        (
            "truncated.txt.gz",
            text[..text.len() - 6].to_vec(),
            "truncated.txt.gz: damaged, truncated or trailing gzip data behind byte 8000 of the text, in line 2001: unexpected end of file",
        ),
        (
            "trailing.txt.gz",
            [&text[..], b"more than nothing"].concat(),
            "trailing.txt.gz: damaged, truncated or trailing gzip data behind byte 8000 of the text, in line 2001: invalid gzip header",
        ),
        (
            "vertices.graph",
            b"3 1\n2\n1\n".to_vec(),
            "vertices.graph:1:1: the header says this many vertices, but only 2 lines follow: \"3\"",
        ),
        (
            "edges.graph",
            b"2 2\n2\n1\n".to_vec(),
            "edges.graph:1:3: the header says this many edges, but the lines hold 1: \"2\"",
        ),
        (
            "reverse.graph",
            b"3 2\n2 3\n1\n\n".to_vec(),
            "reverse.graph:2:3: vertex 1 lists this neighbour, but is not listed by it with equal weight: \"3\"",
        ),
        (
            "banner.mtx",
            b"%%MatrixMarket matrix array real general\n1 1\n1\n".to_vec(),
            "banner.mtx:1:1: only Matrix Market coordinate matrices can be read as graphs: \"%%MatrixMarket matrix array real general\"",
        ),
        (
            "nnz.mtx",
            mtx("2 2 2\n1 2\n"),
            "nnz.mtx:2:5: the header says this many entries, but the file holds 1: \"2\"",
        ),
        (
            "many.mtx",
            mtx("2 2 1\n1 2\n2 1\n"),
            "many.mtx:2:5: the header says this many entries, but the file holds 2: \"1\"",
        ),
        (
            "magic.lcut",
            b"LAMBDCUX and more".to_vec(),
            "magic.lcut: not a binary graph: bad magic",
        ),
        (
            "version.lcut",
            forged(|b| b[8] = 7),
            "version.lcut: binary version 7 is not supported (only 1)",
        ),
        (
            "header.lcut",
            damaged(16),
            "header.lcut: the binary graph is damaged: bad checksum of the header",
        ),
        (
            "checksum.lcut",
            damaged(130),
            "checksum.lcut: the binary graph is damaged: bad checksum",
        ),
        (
            "length.lcut",
            [&forged(|_| ())[..], b"x"].concat(),
            "length.lcut: the binary graph is damaged: 257 bytes long instead of 256",
        ),
        (
            "short.lcut",
            forged(|_| ())[..100].to_vec(),
            "short.lcut: the binary graph is truncated: no whole header",
        ),
        (
            "index.lcut",
            forged(|b| b[192] = 3),
            "index.lcut: row 0 holds an index out of range, out of order or twice",
        ),
    ]
}

/// A small binary graph, changed, with right checksums.
fn forged(change: impl FnOnce(&mut [u8])) -> Vec<u8> {
    let dir = TempDir::new().unwrap();
    let path = dir.path().join("g.lcut");
    let graph: Csr<Unit> = Csr::from_edges(3, &[(0, 1, 1.0), (1, 2, 1.0)]).unwrap();
    write_graph(&path, Format::Binary, &graph, &Names::numbers(3)).unwrap();
    let mut bytes = std::fs::read(&path).unwrap();
    change(&mut bytes);
    let sections = xxh3_64(&xxh3_64(&bytes[128..]).to_le_bytes());
    bytes[48..56].copy_from_slice(&sections.to_le_bytes());
    let header = xxh3_64(&bytes[..120]);
    bytes[120..128].copy_from_slice(&header.to_le_bytes());
    bytes
}

/// The same with a byte changed afterwards.
fn damaged(at: usize) -> Vec<u8> {
    let mut bytes = forged(|_| ());
    bytes[at] ^= 1;
    bytes
}

#[test]
fn a_wrong_file_is_one_message_exit_code_1_and_nothing_written() {
    for (name, bytes, expected) in wrong_files() {
        let dir = TempDir::new().unwrap();
        std::fs::write(dir.path().join(name), bytes).unwrap();
        assert_eq!(refused(&dir, name, &[]), expected);
    }
    let dir = TempDir::new().unwrap();
    std::fs::create_dir(dir.path().join("directory")).unwrap();
    assert_eq!(
        refused(&dir, "directory", &[]),
        "directory: is a directory, not a file"
    );
    assert_eq!(
        refused(&dir, "nowhere.txt", &[]),
        "nowhere.txt: No such file or directory (os error 2)"
    );
}

/// Text files that `--lenient` reads after all, with the number of lines left out.
#[test]
fn lenient_counts_what_it_leaves_out() {
    let cases = [
        ("missing.txt", 1),
        ("surplus.txt", 1),
        ("letters.txt", 1),
        ("word.txt", 1),
        ("negative.txt", 1),
        ("nan.txt", 1),
        ("weight.txt", 1),
        ("large.txt", 1),
        ("nul.txt", 1),
        ("vertices.graph", 1),
        ("edges.graph", 1),
        ("reverse.graph", 1),
        ("nnz.mtx", 1),
        ("many.mtx", 1),
    ];
    let all = wrong_files();
    for (name, skipped) in cases {
        let dir = TempDir::new().unwrap();
        std::fs::write(
            dir.path().join(name),
            &all.iter().find(|f| f.0 == name).unwrap().1,
        )
        .unwrap();
        let arguments = ["convert", name, "out.txt", "--lenient", "--json", "-"];
        let run = Command::new(binary())
            .current_dir(dir.path())
            .args(arguments)
            .assert()
            .success();
        let found: serde_json::Value = serde_json::from_slice(&run.get_output().stdout).unwrap();
        assert_eq!(found["graph"]["skipped_lines"], skipped, "{name}");
        let said = String::from_utf8(run.get_output().stderr.clone()).unwrap();
        assert!(
            said.contains("could not be read and were skipped"),
            "{name}: {said}"
        );
    }
}

/// Runs `lambdacut` where it may not have more than 1.5 GB of address space: asking for more would
/// end it.
#[cfg(target_os = "linux")]
fn confined(dir: &TempDir, line: &str) -> (Option<i32>, String) {
    let script = format!("ulimit -v 1500000; exec {} {line} --threads 2", binary());
    let run = std::process::Command::new("sh")
        .arg("-c")
        .arg(script)
        .current_dir(dir.path())
        .output()
        .unwrap();
    (run.status.code(), String::from_utf8(run.stderr).unwrap())
}

#[cfg(target_os = "linux")]
#[test]
fn hostile_files_get_no_memory() {
    let dir = TempDir::new().unwrap();
    let write = |name: &str, bytes: &[u8]| std::fs::write(dir.path().join(name), bytes).unwrap();
    write("far.txt", b"0 4294967295\n");
    write("farther.txt", b"0 18446744073709551615\n4294967294 7\n");
    for name in ["far.txt", "farther.txt"] {
        let (code, said) = confined(&dir, &format!("convert {name} out-{name}"));
        assert_eq!(code, Some(0), "{said}");
    }
    assert_eq!(
        std::fs::read(dir.path().join("out-far.txt")).unwrap(),
        b"0\t4294967295\n"
    );
    write("million.graph", b"1000000000000 1\n2\n1\n");
    write("edges.graph", b"2 1000000000000\n2\n1\n");
    write("weights.graph", b"2 1 010 1000000000000\n1 2\n1 1\n");
    write(
        "vertices.mtx",
        format!("{PATTERN}1000000000000 1000000000000 1\n1 2\n").as_bytes(),
    );
    write(
        "fewer.mtx",
        format!("{PATTERN}2000000000 2000000000 1\n1 2\n").as_bytes(),
    );
    write(
        "entries.mtx",
        format!("{PATTERN}2 2 1000000000000\n1 2\n").as_bytes(),
    );
    write(
        "vertices.lcut",
        &forged(|b| b[16..24].copy_from_slice(&1_000_000_000_000u64.to_le_bytes())),
    );
    write(
        "arcs.lcut",
        &forged(|b| b[24..32].copy_from_slice(&1_000_000_000_000u64.to_le_bytes())),
    );
    for name in [
        "million.graph",
        "edges.graph",
        "weights.graph",
        "vertices.mtx",
        "fewer.mtx",
        "entries.mtx",
        "vertices.lcut",
        "arcs.lcut",
    ] {
        let (code, said) = confined(&dir, &format!("convert {name} out.txt"));
        assert!(
            code == Some(1) && said.starts_with(&format!("lambdacut: {name}:")),
            "{name}: {code:?} {said}"
        );
    }
    assert!(!dir.path().join("out.txt").exists());
}

/// Few bytes that become 4 GB, in every format.
#[cfg(target_os = "linux")]
#[test]
fn bombs_stop_at_the_memory_limit() {
    let dir = TempDir::new().unwrap();
    let member = |line: &[u8]| gzip(&line.repeat((1 << 20) / line.len()));
    let bomb = |start: &[u8], line: &[u8]| [gzip(start), member(line).repeat(4096)].concat();
    let packed = |start: &[u8], line: &[u8]| {
        let frame = zstd::encode_all(&line.repeat((1 << 20) / line.len())[..], 1).unwrap();
        [zstd::encode_all(start, 1).unwrap(), frame.repeat(4096)].concat()
    };
    let banner = format!("{PATTERN}9 9 9\n");
    for (name, bytes) in [
        ("rows.txt.gz", bomb(b"", b"0 1\n")),
        ("rows.txt.zst", packed(b"", b"0 1\n")),
        ("names.txt.gz", bomb(b"", b"a b\n")),
        ("line.txt.gz", bomb(b"", b"1")),
        ("lines.graph.gz", bomb(b"9 9\n", b"\n")),
        ("words.graph.gz", bomb(b"9 9\n", b"1 ")),
        ("entries.mtx.zst", packed(banner.as_bytes(), b"1 2\n")),
        ("blank.mtx.gz", bomb(banner.as_bytes(), b"\n")),
        ("zeros.lcut.gz", bomb(&forged(|_| ())[..128], b"\0")),
    ] {
        std::fs::write(dir.path().join(name), bytes).unwrap();
        let (code, said) = confined(&dir, &format!("convert {name} out.txt --memory-limit 100M"));
        let what = match name {
            "line.txt.gz" => "line 1 is longer than 16 MiB: this is no edge list",
            "zeros.lcut.gz" => "the binary graph is damaged: 257 bytes long instead of 256",
            _ => "reading it needs more than the allowed 100000000 bytes of memory",
        };
        let expected = format!("lambdacut: {name}: {what}");
        assert!(
            code == Some(1) && said.starts_with(&expected),
            "{name}: {code:?} {said}"
        );
        std::fs::remove_file(dir.path().join(name)).unwrap();
    }
    assert_eq!(files(dir.path()), [] as [&str; 0]);
}

/// Starts a command, waits until `ready`, interrupts it once, and gives its exit code.
#[cfg(unix)]
fn interrupted(dir: &TempDir, line: &str, ready: impl Fn() -> bool) -> Option<i32> {
    use std::time::{Duration, Instant};
    let mut child = std::process::Command::new(binary())
        .current_dir(dir.path())
        .args(line.split_whitespace())
        .stderr(std::process::Stdio::null())
        .spawn()
        .unwrap();
    while !ready() && child.try_wait().unwrap().is_none() {
        std::thread::sleep(Duration::from_millis(5));
    }
    let started = Instant::now();
    let id = child.id().to_string();
    assert!(
        std::process::Command::new("kill")
            .args(["-INT", &id])
            .status()
            .unwrap()
            .success()
    );
    while child.try_wait().unwrap().is_none() {
        if started.elapsed() > Duration::from_secs(60) {
            child.kill().unwrap();
            panic!("{line}: one Ctrl-C did not end it");
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    child.wait().unwrap().code()
}

#[cfg(unix)]
#[test]
fn one_ctrl_c_ends_a_generator_and_leaves_nothing() {
    let dir = TempDir::new().unwrap();
    let started = std::time::Instant::now();
    let a_while = || started.elapsed().as_secs_f64() > 0.7;
    let line = "generate lfr --vertices 20000000 --average-degree 10 -o g.edges --truth g.labels --json g.json";
    assert_eq!(
        interrupted(&dir, line, a_while),
        Some(130),
        "while it is made"
    );
    assert_eq!(files(dir.path()), [] as [&str; 0]);
    let writing = || {
        std::fs::read_dir(dir.path())
            .unwrap()
            .any(|e| e.unwrap().metadata().is_ok_and(|m| m.len() > 0))
    };
    assert_eq!(
        interrupted(
            &dir,
            "generate rmat --scale 22 --arcs 4000000000 -o g.edges",
            writing
        ),
        Some(130),
        "while it is written"
    );
    assert_eq!(files(dir.path()), [] as [&str; 0]);
    assert_eq!(
        interrupted(
            &dir,
            "generate rmat --scale 22 --arcs 4000000000 -o g.edges.gz",
            writing
        ),
        Some(130),
        "while it is packed"
    );
    assert_eq!(files(dir.path()), [] as [&str; 0]);
}
