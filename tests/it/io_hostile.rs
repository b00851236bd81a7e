//! Inputs that mean harm, or came to it: weights that overflow, forged binary files, flipped bits,
//! names that collide, lines without end, and outputs that were cut short.

use lambdacut::graph::Names;
use lambdacut::graph::{
    AnyCsr, BuildError, Csr, EdgeList, GraphError, HEAVIEST, LIGHTEST, Policy, Unit, build,
};
use lambdacut::io::{
    Format, LoadOptions, ReadError, Remedy, Unknown, load, read_labels, read_labels_within,
    read_npy, read_npy_within, read_table_within, write_atomically, write_graph, write_labels,
};
use lambdacut::run::Silent;
use std::path::{Path, PathBuf};

fn regress(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/regress")
        .join(name)
}

fn said(path: &Path, options: &LoadOptions) -> String {
    let text = load(path, options, &Silent).unwrap_err().to_string();
    let start = text
        .find(path.file_name().unwrap().to_str().unwrap())
        .unwrap();
    text[start..].to_owned()
}

fn single_precision() -> LoadOptions {
    LoadOptions {
        policy: Policy {
            single_precision: true,
            ..Policy::default()
        },
        ..LoadOptions::default()
    }
}

#[test]
fn weights_out_of_range_are_refused_with_their_place() {
    let out_of_range = "the weight is outside 1e-100 to 1e100: multiply all weights by one number";
    for (file, line, text) in [
        ("volume-overflow.edges", 1, "1e308"),
        ("degree-overflow.edges", 1, "1.5e308"),
        ("f32-overflow.edges", 1, "1e300"),
        ("f32-mixed.edges", 4, "1e300"),
        ("subnormal.edges", 1, "5e-324"),
    ] {
        for options in [LoadOptions::default(), single_precision()] {
            assert_eq!(
                said(&regress(file), &options),
                format!("{file}:{line}:5: {out_of_range}: {text:?}")
            );
        }
    }
    // In double precision 1e-60 is a weight like any other.
    let error = load(
        &regress("f32-underflow.edges"),
        &single_precision(),
        &Silent,
    )
    .unwrap_err();
    assert_eq!(error.remedy(), Some(Remedy::DoublePrecision));
    assert!(
        error.to_string().ends_with(
            "the weight of \"0\" → \"1\" is 1e-60, outside 1.2e-38 to 3.4e38: multiply all weights by one number"
        ),
        "{error}"
    );
    assert!(
        load(
            &regress("f32-underflow.edges"),
            &LoadOptions::default(),
            &Silent
        )
        .is_ok()
    );
    assert!(
        load(
            &regress("rcut-tiny-weights.edges"),
            &single_precision(),
            &Silent
        )
        .is_ok()
    );
    // Written as something, read as nothing.
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("g.txt");
    for (weight, fine) in [
        ("1e-400", false),
        ("0.00", true),
        ("0e9", true),
        ("1e-100", true),
        ("9e-101", false),
    ] {
        std::fs::write(&path, format!("0 1 {weight}\n1 2 1\n")).unwrap();
        assert_eq!(
            load(&path, &LoadOptions::default(), &Silent).is_ok(),
            fine,
            "{weight}"
        );
    }
}

#[test]
fn what_is_stored_can_be_computed_with() {
    let edge = |weight: f64| EdgeList::weighted(2, [(0, 1, weight)]);
    for weight in [LIGHTEST, HEAVIEST, 1.0] {
        assert!(build(edge(weight), &Policy::default()).is_ok());
    }
    for weight in [LIGHTEST / 2.0, HEAVIEST * 2.0, f64::MIN_POSITIVE, f64::MAX] {
        let error = build(edge(weight), &Policy::default()).unwrap_err();
        assert!(
            matches!(error, BuildError::Graph(GraphError::Range { .. })),
            "{error}"
        );
        assert!(Csr::<f64>::from_edges(2, &[(0, 1, weight)]).is_err());
        assert!(Csr::from_arrays(vec![0, 1, 2], vec![1, 0], vec![weight; 2]).is_err());
    }
    // Repeats that add up to too much.
    let twice = EdgeList::weighted(2, [(0, 1, HEAVIEST), (0, 1, HEAVIEST)]);
    assert!(build(twice, &Policy::default()).is_err());
    let single = Policy {
        single_precision: true,
        ..Policy::default()
    };
    for (weight, fine) in [(1e-37, true), (1e-39, false), (1e38, true), (1e39, false)] {
        assert_eq!(build(edge(weight), &single).is_ok(), fine, "{weight}");
    }
    for weight in [f32::MIN_POSITIVE / 2.0, f32::INFINITY] {
        assert!(Csr::from_arrays(vec![0, 1, 2], vec![1, 0], vec![weight; 2]).is_err());
    }
    // The degrees of a star of the heaviest edges are finite, and so is the square of its volume.
    let star: Vec<(u32, u32, f64)> = (1..1000).map(|i| (0, i, HEAVIEST)).collect();
    let star: Csr<f64> = Csr::from_edges(1000, &star).unwrap();
    assert!((star.volume() * star.volume()).is_finite());
}

#[test]
fn forged_binary_graphs_are_refused() {
    for (file, expected) in [
        ("asym.lcut", "the matrix is not symmetric: entry"),
        ("dupnames.lcut", "two vertices are called"),
        ("nlnames.lcut", "holds a line break or a NUL character"),
    ] {
        let message = said(&regress(file), &LoadOptions::default());
        assert!(message.contains(expected), "{message}");
        assert!(!message.contains('\n'), "{message}");
    }
}

/// Whatever one arc is changed to, its reverse is missed, on any number of threads.
#[test]
fn every_missing_reverse_is_seen() {
    use xxhash_rust::xxh3::xxh3_64;
    // Without loops, which are their own reverse.
    let edges: Vec<(u32, u32, f64)> = (0..40u32)
        .map(|i| (i, (i * 7 + 3) % 41, 1.0))
        .filter(|(i, j, _)| i != j)
        .collect();
    let graph: Csr<f64> = Csr::from_edges(41, &edges).unwrap();
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("g.lcut");
    write_graph(&path, Format::Binary, &graph, &Names::numbers(41)).unwrap();
    let good = std::fs::read(&path).unwrap();
    let targets = 128 + (8 * 42usize).next_multiple_of(64);
    let weights = targets + (4 * graph.arcs()).next_multiple_of(64);
    let mut refused = 0;
    for arc in 0..graph.arcs() {
        for (at, bit) in [(targets + 4 * arc, 1), (weights + 8 * arc, 1)] {
            let mut bad = good.clone();
            bad[at] ^= bit;
            let sections = xxh3_64(&xxh3_64(&bad[128..]).to_le_bytes());
            bad[48..56].copy_from_slice(&sections.to_le_bytes());
            let header = xxh3_64(&bad[..120]);
            bad[120..128].copy_from_slice(&header.to_le_bytes());
            std::fs::write(&path, bad).unwrap();
            let message = said(&path, &LoadOptions::default());
            refused += usize::from(message.contains("not symmetric"));
            assert!(
                message.contains("not symmetric") || message.contains("out of order"),
                "{message}"
            );
        }
    }
    assert!(refused > graph.arcs());
}

#[test]
fn names_that_no_text_can_hold_are_not_written() {
    let graph: Csr<Unit> = Csr::from_edges(2, &[(0, 1, 1.0)]).unwrap();
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("out");
    for bad in ["a\nb", "", "x\0"] {
        let names = Names::Strings(["fine", bad].into_iter().collect());
        for format in [Format::EdgeList, Format::Binary] {
            assert!(write_graph(&path, format, &graph, &names).is_err());
        }
        assert!(write_labels(&path, &names, &[0, 0], &[]).is_err());
        assert!(!path.exists());
    }
    // A carriage return at the end of a name stays.
    let names = Names::Strings(["a\r", "b"].into_iter().collect());
    write_labels(&path, &names, &[0, 1], &[]).unwrap();
    assert_eq!(
        read_labels(&path, &names, Unknown::Error).unwrap().labels,
        [0, 1]
    );
}

#[cfg(feature = "compress")]
#[test]
fn no_flipped_bit_of_a_compressed_file_gives_another_graph() {
    let edges: Vec<(u32, u32, f64)> = (0..300u32).map(|i| (i, i * i % 301, 1.0)).collect();
    let graph: Csr<Unit> = Csr::from_edges(301, &edges).unwrap();
    let dir = tempfile::tempdir().unwrap();
    for name in ["g.edges.zst", "g.edges.gz"] {
        let path = dir.path().join(name);
        write_graph(&path, Format::EdgeList, &graph, &Names::numbers(301)).unwrap();
        let good = std::fs::read(&path).unwrap();
        let arcs = |path: &Path| match load(path, &LoadOptions::default(), &Silent) {
            Ok(loaded) => Some(crate::build::arcs(&loaded.graph)),
            Err(_) => None,
        };
        let expected = arcs(&path).unwrap();
        let mut refused = 0;
        for bit in 0..8 * good.len() {
            let mut bad = good.clone();
            bad[bit / 8] ^= 1 << (bit % 8);
            std::fs::write(&path, bad).unwrap();
            match arcs(&path) {
                // Some bits of a header mean nothing, such as the time in that of gzip.
                Some(found) => assert!(found == expected, "{name}: bit {bit}"),
                None => refused += 1,
            }
        }
        assert!(
            refused > 7 * good.len(),
            "{name}: {refused} of {}",
            8 * good.len()
        );
    }
}

/// Many names that one fixed hash would put in one place take no longer than others.
#[test]
fn numbers_of_names_do_not_depend_on_the_key_of_the_hash() {
    let text: String = (0..2000u32)
        .map(|i| format!("n{} m{}\n", i * 7 % 500, i))
        .collect();
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("g.txt");
    std::fs::write(&path, text).unwrap();
    let names = |_: usize| load(&path, &LoadOptions::default(), &Silent).unwrap().names;
    assert!((0..4).all(|run| names(run) == names(0)));
    assert_eq!(names(0).get(2), "n7");
}

#[test]
fn a_line_without_end_is_refused_before_it_fills_the_memory() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("g.txt");
    std::fs::write(&path, [b"0 1\n".to_vec(), b"7 ".repeat(40 << 20)].concat()).unwrap();
    let message = said(&path, &LoadOptions::default());
    assert!(
        message.contains("line 2 is longer than 16 MiB") || message.contains("columns"),
        "{message}"
    );
    std::fs::write(&path, b"7,".repeat(1 << 20)).unwrap();
    assert!(said(&path, &LoadOptions::default()).contains("more than 4096 columns"));
}

#[test]
fn every_reader_keeps_to_its_memory() {
    let dir = tempfile::tempdir().unwrap();
    let file = |name: &str, bytes: Vec<u8>| {
        let path = dir.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        path
    };
    let limit = Some(1 << 20);
    let table = file("t.csv", b"1,2,3\n".repeat(400_000));
    let labels = file("l.labels", b"0 1\n".repeat(400_000));
    let named = file(
        "n.txt",
        (0..200_000)
            .flat_map(|i| format!("a{i} b{i}\n").into_bytes())
            .collect(),
    );
    let metis = file(
        "g.graph",
        [b"2 1\n2\n1\n".to_vec(), b"\n".repeat(2_000_000)].concat(),
    );
    let is_memory = |error: ReadError| matches!(error, ReadError::Memory { .. });
    assert!(is_memory(
        read_table_within(&table, None, limit).unwrap_err()
    ));
    let names = Names::numbers(2);
    assert!(is_memory(
        read_labels_within(&labels, &names, Unknown::Skip, limit).unwrap_err()
    ));
    let array = dir.path().join("a.npy");
    lambdacut::io::write_npy(&array, 1000, 100, |_, _| ()).unwrap();
    assert!(is_memory(read_npy_within(&array, limit).unwrap_err()));
    assert_eq!(read_npy_within(&array, Some(1 << 23)).unwrap().len(), 1000);
    for path in [named, metis] {
        let options = LoadOptions {
            memory_limit: limit,
            ..LoadOptions::default()
        };
        assert!(is_memory(load(&path, &options, &Silent).unwrap_err()));
    }
}

#[test]
fn messages_show_escape_sequences_and_stay_on_a_line() {
    for file in ["esc.npy", "esc-shape.npy"] {
        let message = read_npy(&regress(file)).unwrap_err().to_string();
        assert!(!message.chars().any(char::is_control), "{message:?}");
    }
    let missing = Path::new("no\u{1b}[31m\nsuch\rfile");
    let message = load(missing, &LoadOptions::default(), &Silent)
        .unwrap_err()
        .to_string();
    assert!(
        message.starts_with("no\\u{1b}[31m\\nsuch\\rfile: "),
        "{message}"
    );
}

/// A graph read from a binary file is that of the bytes read, whatever becomes of the file.
#[test]
fn a_binary_file_may_be_truncated_once_it_is_read() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("g.lcut");
    let edges: Vec<(u32, u32, f64)> = (0..5000u32).map(|i| (i, (i + 1) % 5000, 2.0)).collect();
    let graph: Csr<f64> = Csr::from_edges(5000, &edges).unwrap();
    write_graph(&path, Format::Binary, &graph, &Names::numbers(5000)).unwrap();
    let loaded = load(&path, &LoadOptions::default(), &Silent).unwrap();
    std::fs::File::options()
        .write(true)
        .open(&path)
        .unwrap()
        .set_len(100)
        .unwrap();
    let AnyCsr::F64(read) = &loaded.graph else {
        panic!("weights are kept")
    };
    assert_eq!(read.rows().targets, graph.rows().targets);
    assert!(said(&path, &LoadOptions::default()).contains("no whole header"));
}

#[cfg(unix)]
#[test]
fn outputs_follow_links_and_keep_permissions() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let dir = tempfile::tempdir().unwrap();
    let (real, link) = (dir.path().join("real"), dir.path().join("link"));
    std::fs::write(&real, "old").unwrap();
    std::fs::set_permissions(&real, std::fs::Permissions::from_mode(0o600)).unwrap();
    symlink("real", &link).unwrap();
    write_atomically(&link, |out| out.write_all(b"new")).unwrap();
    assert_eq!(std::fs::read_to_string(&real).unwrap(), "new");
    assert!(std::fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_eq!(
        std::fs::metadata(&real).unwrap().permissions().mode() & 0o777,
        0o600
    );
    // A link to nothing makes the file it names.
    let (made, to_nothing) = (dir.path().join("made"), dir.path().join("to-nothing"));
    symlink(&made, &to_nothing).unwrap();
    write_atomically(&to_nothing, |out| out.write_all(b"x")).unwrap();
    assert_eq!(std::fs::read_to_string(&made).unwrap(), "x");
    let ring = dir.path().join("ring");
    symlink("ring", &ring).unwrap();
    assert!(write_atomically(&ring, |out| out.write_all(b"x")).is_err());
}

#[test]
fn unfinished_files_of_a_killed_run_are_removed_and_those_of_a_live_one_are_not() {
    let dir = tempfile::tempdir().unwrap();
    let target = dir.path().join("out.txt");
    let left = dir.path().join(".out.txt.abc123.lambdacut-part");
    std::fs::write(&left, "half").unwrap();
    let live = dir.path().join(".out.txt.def456.lambdacut-part");
    let holder = std::fs::File::create(&live).unwrap();
    holder.lock().unwrap();
    let other = dir.path().join(".other.txt.abc123.lambdacut-part");
    std::fs::write(&other, "half").unwrap();
    write_atomically(&target, |out| {
        // While it grows, the output has such a name itself.
        let names = std::fs::read_dir(dir.path()).unwrap();
        let parts = names.filter(|e| {
            let name = e.as_ref().unwrap().file_name().into_string().unwrap();
            name.starts_with(".out.txt.") && name.ends_with(".lambdacut-part")
        });
        assert_eq!(parts.count(), 2);
        out.write_all(b"whole")
    })
    .unwrap();
    assert!(!left.exists() && live.exists() && other.exists());
    assert_eq!(std::fs::read_to_string(&target).unwrap(), "whole");
    write_atomically(&target, |_| Err(std::io::Error::other("no"))).unwrap_err();
    assert_eq!(std::fs::read_to_string(&target).unwrap(), "whole");
}

/// Flags belong to the program: the library says what is wrong in its own terms.
#[test]
fn no_string_of_the_library_names_a_flag() {
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("src")];
    let mut wrong = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "rs") {
                let text = std::fs::read_to_string(&path).unwrap();
                for (number, line) in text.lines().enumerate() {
                    let code = line.trim_start();
                    let comment = code.starts_with("//");
                    if !comment && names_a_flag(code) {
                        wrong.push(format!("{}:{}: {code}", path.display(), number + 1));
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(names_a_flag(
        "\"not a weight (--unweighted ignores weights)\""
    ));
    assert!(!names_a_flag("let x = a - -b; // \"--\""));
}

/// Whether a string literal in a line holds a word that starts with two hyphens.
fn names_a_flag(line: &str) -> bool {
    let in_strings = line
        .split("//")
        .next()
        .unwrap_or("")
        .split('"')
        .skip(1)
        .step_by(2);
    let is_flag = |text: &str| {
        text.match_indices("--").any(|(at, _)| {
            let starts = !text[..at]
                .ends_with(|c: char| c.is_alphanumeric() || c == '-' || c == '<' || c == '!');
            starts && text[at + 2..].starts_with(|c: char| c.is_ascii_lowercase())
        })
    };
    in_strings.into_iter().any(is_flag)
}
