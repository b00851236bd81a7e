//! Text edge lists as found in the wild, and what is said about wrong ones.

use crate::build::arcs;
use lambdacut::graph::Names;
use lambdacut::graph::{AnyCsr, Policy};
use lambdacut::ids::NONE;
use lambdacut::io::{
    IdKind, LoadOptions, Loaded, ReadError, Unknown, load, read_communities, read_labels,
    write_labels,
};
use lambdacut::run::Silent;
use proptest::prelude::*;

fn file_with(name: &str, bytes: &[u8]) -> (tempfile::TempDir, std::path::PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join(name);
    std::fs::write(&path, bytes).unwrap();
    (dir, path)
}

fn read_as(bytes: &[u8], options: &LoadOptions) -> Result<Loaded, ReadError> {
    let (_dir, path) = file_with("g.txt", bytes);
    load(&path, options, &Silent)
}

fn read(bytes: &[u8]) -> Loaded {
    read_as(bytes, &LoadOptions::default()).unwrap()
}

/// The message without the directory.
fn message(bytes: &[u8], options: &LoadOptions) -> String {
    let (dir, path) = file_with("g.txt", bytes);
    let text = load(&path, options, &Silent).unwrap_err().to_string();
    text.replace(&format!("{}/", dir.path().display()), "")
}

fn names(loaded: &Loaded) -> Vec<String> {
    (0..loaded.names.len())
        .map(|i| loaded.names.get(i).into_owned())
        .collect()
}

fn edges(loaded: &Loaded) -> Vec<(String, String, f64)> {
    let name = |i: u32| loaded.names.get(i as usize).into_owned();
    arcs(&loaded.graph)
        .into_iter()
        .filter(|((i, j), _)| i <= j)
        .map(|((i, j), w)| (name(i), name(j), w))
        .collect()
}

fn edge(a: &str, b: &str, w: f64) -> (String, String, f64) {
    (a.to_owned(), b.to_owned(), w)
}

#[test]
fn the_wild_variants_of_one_graph() {
    let expected = vec![edge("0", "1", 1.0), edge("1", "2", 1.0)];
    let variants: [&[u8]; 16] = [
        b"0 1\n1 2\n",
        b"0 1\n1 2",
        b"0\t1\n1\t2\n",
        b"0,1\n1,2\n",
        b"0;1\n1;2\n",
        b"0 , 1\n1 ,2\n",
        b"  0   1  \n1 \t 2\t\n",
        b"0 1\r\n1 2\r\n",
        b"0 1\r\n1 2\r",
        b"\xef\xbb\xbf0 1\n1 2\n",
        b"# SNAP\n# FromNodeId\tToNodeId\n0\t1\n% more\n\n1\t2\n",
        b"source,target\n0,1\n1,2\n",
        b"\"source\",\"target\"\r\n0,1\r\n1,2\r\n",
        b"u v\n0 1\n1 2\n",
        b"1 2\n0 1\n2 1\n",
        b"\n\n  # indented\n1 2\n0 1\n",
    ];
    for bytes in variants {
        let loaded = read(bytes);
        assert_eq!(
            edges(&loaded),
            expected,
            "{}",
            String::from_utf8_lossy(bytes)
        );
        assert!(matches!(loaded.graph, AnyCsr::Unit(_)));
        assert_eq!(loaded.names, Names::numbers(3));
    }
}

#[test]
fn weights() {
    let loaded = read(b"a,b,weight\n1,2,0.5\n2,3,1e-3\n3,1,12\n3,1,.25\n1,1,7\n2,1,0\n");
    let expected = [
        edge("1", "1", 7.0),
        edge("1", "2", 0.5),
        edge("1", "3", 12.25),
        edge("2", "3", 1e-3),
    ];
    assert_eq!(edges(&loaded), expected);
    assert_eq!(loaded.names, Names::Range { first: 1, count: 3 });
    assert_eq!(
        (
            loaded.counts.zero_weights,
            loaded.counts.duplicates,
            loaded.counts.self_loops
        ),
        (1, 1, 1)
    );
}

#[test]
fn ids_with_gaps_and_of_64_bits_are_ordered_by_value() {
    assert_eq!(names(&read(b"900 5\n5 70\n")), ["5", "70", "900"]);
    assert_eq!(names(&read(b"4294967295 0\n")), ["0", "4294967295"]);
    assert_eq!(
        names(&read(b"7 4294967294\n7 3\n")),
        ["3", "7", "4294967294"]
    );
    assert_eq!(
        names(&read(b"18446744073709551615 12345678901234567890\n1 2\n")),
        ["1", "2", "12345678901234567890", "18446744073709551615"]
    );
}

#[test]
fn names_are_kept_as_they_are_in_order_of_appearance() {
    assert_eq!(
        names(&read(b"bob alice\nalice carol\n")),
        ["bob", "alice", "carol"]
    );
    assert_eq!(
        names(&read(
            "Zoë,\"Smith, \"\"J.\"\"\"\n\"Smith, \"\"J.\"\"\",  b c \n".as_bytes()
        )),
        ["Zoë", "Smith, \"J.\"", "b c"]
    );
    assert_eq!(
        names(&read(b"New York\tBoston\nBoston\tLos Angeles\n")),
        ["New York", "Boston", "Los Angeles"]
    );
    assert_eq!(names(&read(b"from,to\nx1,y2\n")), ["x1", "y2"]);
    assert_eq!(
        edges(&read(b"left,right,strength\nx,y,2\ny,z,3.5\n")),
        [edge("x", "y", 2.0), edge("y", "z", 3.5)]
    );
    let as_names = LoadOptions {
        ids: IdKind::Name,
        ..LoadOptions::default()
    };
    assert_eq!(
        names(&read_as(b"007 7\n", &as_names).unwrap()),
        ["007", "7"]
    );
}

/// Text → exact message. Every kind of wrong line has its place and its word here.
const WRONG: &[(&[u8], &str)] = &[
    (b"", "g.txt: the file is empty"),
    (
        b"\n",
        "g.txt: no edges: the file holds only comments and empty lines",
    ),
    (
        b"# a\n% b\n",
        "g.txt: no edges: the file holds only comments and empty lines",
    ),
    (b"1\n", "g.txt:1:1: expected 2 or 3 columns, found 1: \"1\""),
    (b"1 2\n3\n", "g.txt:2:1: expected 2 columns, found 1: \"3\""),
    (
        b"1 2\n3 4 5\n",
        "g.txt:2:5: expected 2 columns, found 3; the surplus: \"5\"",
    ),
    (
        b"1 2 3\n3 4\n",
        "g.txt:2:1: expected 3 columns, found 2: \"3 4\"",
    ),
    (
        b"1 2 3 4\n",
        "g.txt:1:1: expected 2 or 3 columns, found 4, and no two are called like the ends of an edge: \"1 2 3 4\"",
    ),
    (
        b"1,2\n3,\n",
        "g.txt:2:3: an empty column where a vertex id should be: \"\"",
    ),
    (
        b"1 2\n3 4\n5 x7\n",
        "g.txt:3:3: not an integer vertex id: \"x7\"",
    ),
    (
        b"1 2\n3 4\n5x 7\n",
        "g.txt:3:1: not an integer vertex id: \"5x\"",
    ),
    (
        b"1 2\n3 4\n5 7.5\n",
        "g.txt:3:3: not an integer vertex id: \"7.5\"",
    ),
    (
        b"1 2\n3 -4\n5 6\n",
        "g.txt:2:3: a negative vertex id: \"-4\"",
    ),
    (
        b"1 2\n3 04\n5 6\n",
        "g.txt:2:3: a vertex id with a leading zero: \"04\"",
    ),
    (
        b"1 2\n3 18446744073709551616\n1 1\n",
        "g.txt:2:3: a vertex id of more than 64 bits: \"18446744073709551616\"",
    ),
    (
        b"1 2 1\n3 4 -1\n",
        "g.txt:2:5: the weight is negative: \"-1\"",
    ),
    (
        b"1 2 1\n3 4 nan\n",
        "g.txt:2:5: the weight is not a finite number: \"nan\"",
    ),
    (
        b"1 2 1\n3 4 inf\n",
        "g.txt:2:5: the weight is not a finite number: \"inf\"",
    ),
    (
        b"1 2 1\n3 4 1e999\n",
        "g.txt:2:5: the weight is not a finite number: \"1e999\"",
    ),
    (b"1 2 1\n3 4 1.2.3\n", "g.txt:2:5: not a weight: \"1.2.3\""),
    (b"1 2\n3 4\0\n", "g.txt:2:4: a NUL byte: \"\\0\""),
    (
        b"1,2\n3 4\n",
        "g.txt:2:1: expected 2 columns, found 1: \"3 4\"",
    ),
    (
        b"a,b\n\"c,d\n",
        "g.txt:2:1: a quoted field must end on its line: \"\\\"c,d\"",
    ),
    (
        b"a,b\n\"c\"d,e\n",
        "g.txt:2:4: text after a quoted field: \"d,e\"",
    ),
    (b"a b\nc \xff\n", "g.txt:2:3: not UTF-8 text: \"\u{fffd}\""),
    (b"a,b\nc,\n", "g.txt:2:3: an empty name: \"\""),
    (
        b"\xff\xfe1\0",
        "g.txt: the text is UTF-16; convert it to UTF-8",
    ),
    (
        b"source,target\n",
        "g.txt:1:1: a header row without data: \"source,target\"",
    ),
];

#[test]
fn wrong_lines_are_said_with_their_place() {
    for (bytes, expected) in WRONG {
        assert_eq!(message(bytes, &LoadOptions::default()), *expected);
    }
}

#[test]
fn lenient_skips_and_counts() {
    let lenient = LoadOptions {
        lenient: true,
        ..LoadOptions::default()
    };
    let loaded = read_as(b"1 2\nx\n2 3\n4 5 6\n", &lenient).unwrap();
    assert_eq!((edges(&loaded).len(), loaded.counts.skipped), (2, 2));
    let loaded = read_as(b"a,b\n\"c\nc,d\n", &lenient).unwrap();
    assert_eq!((edges(&loaded).len(), loaded.counts.skipped), (2, 1));
}

#[test]
fn ignored_weights_may_be_anything_but_missing() {
    let unweighted = LoadOptions {
        policy: Policy {
            unweighted: true,
            ..Policy::default()
        },
        ..LoadOptions::default()
    };
    for (text, expected) in [
        (
            "0 1 inf\n1 2 -3\n2 3 0.0\n3 4 x\n4 5 nan\n",
            vec!["0-1", "1-2", "3-4", "4-5"],
        ),
        ("a,b,inf\nb,c,-3\nc,d,0\n", vec!["a-b", "b-c"]),
        (
            "99999999999 1 inf\n1 2 2\n2 3 0\n",
            vec!["1-2", "1-99999999999"],
        ),
    ] {
        let loaded = read_as(text.as_bytes(), &unweighted).unwrap();
        let found: Vec<String> = edges(&loaded)
            .iter()
            .map(|(i, j, w)| format!("{i}-{j}{}", if *w == 1.0 { "" } else { "?" }))
            .collect();
        assert_eq!(found, expected);
        assert!(matches!(loaded.graph, AnyCsr::Unit(_)));
        assert_eq!(
            (loaded.counts.zero_weights, loaded.counts.rows),
            (1, text.lines().count() as u64)
        );
    }
    assert_eq!(
        message(b"0 1 2\n1 2\n", &unweighted),
        "g.txt:2:1: expected 3 columns, found 2: \"1 2\""
    );
    assert_eq!(
        message(b"0,1,2\n1,2,\n", &unweighted),
        "g.txt:2:5: not a weight: \"\""
    );
    assert_eq!(
        message(b"0 1 0\n", &unweighted),
        "g.txt: no edges: every weight is 0"
    );
}

/// cond-mat-2005 has two edges of infinite weight.
#[test]
fn a_real_graph_with_infinite_weights() {
    let Some(data) = crate::support::data() else {
        return;
    };
    let path = data.join("graphs/cond-mat-2005.edges.gz");
    let said = load(&path, &LoadOptions::default(), &Silent)
        .unwrap_err()
        .to_string();
    assert!(
        said.ends_with(":4854:11: the weight is not a finite number: \"inf\""),
        "{said}"
    );
    let unweighted = LoadOptions {
        policy: Policy {
            unweighted: true,
            ..Policy::default()
        },
        ..LoadOptions::default()
    };
    assert_eq!(
        lambdacut::with_csr!(&load(&path, &unweighted, &Silent).unwrap().graph, g => g.edges()),
        175_693
    );
}

#[test]
fn missing_files_and_directories() {
    let dir = tempfile::tempdir().unwrap();
    let missing = load(
        &dir.path().join("none.txt"),
        &LoadOptions::default(),
        &Silent,
    )
    .unwrap_err();
    assert!(
        missing.to_string().contains("none.txt: No such file"),
        "{missing}"
    );
    let directory = load(dir.path(), &LoadOptions::default(), &Silent).unwrap_err();
    assert!(
        directory
            .to_string()
            .ends_with("is a directory, not a file"),
        "{directory}"
    );
}

#[cfg(feature = "compress")]
fn gzip(bytes: &[u8]) -> Vec<u8> {
    use std::io::Write;
    let mut out = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    out.write_all(bytes).unwrap();
    out.finish().unwrap()
}

#[cfg(feature = "compress")]
#[test]
fn compressed_files() {
    let text = b"0 1\n1 2\n";
    let two_members = [gzip(b"0 1\n1 "), gzip(b"2\n")].concat();
    for (name, bytes) in [
        ("g.gz", gzip(text)),
        ("g.gz", two_members),
        ("g.zst", zstd::encode_all(&text[..], 0).unwrap()),
    ] {
        let (_dir, path) = file_with(name, &bytes);
        let loaded = load(&path, &LoadOptions::default(), &Silent).unwrap();
        assert_eq!(edges(&loaded), [edge("0", "1", 1.0), edge("1", "2", 1.0)]);
    }
    let packed = gzip(&b"0 1\n1 2\n".repeat(1000));
    let mut trailing = packed.clone();
    trailing.extend_from_slice(b"garbage");
    for bytes in [&packed[..packed.len() - 5], &packed[..20], &trailing] {
        let (_dir, path) = file_with("g.txt.gz", bytes);
        let error = load(&path, &LoadOptions::default(), &Silent)
            .unwrap_err()
            .to_string();
        assert!(
            error.contains("damaged, truncated or trailing gzip data behind byte"),
            "{error}"
        );
    }
    // The place is that in the text: 500 whole lines came out before the damage.
    let (_dir, path) = file_with(
        "g.txt.gz",
        &[gzip(&b"0 1\n1 2\n".repeat(250)), b"more garbage".to_vec()].concat(),
    );
    let error = load(&path, &LoadOptions::default(), &Silent)
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("behind byte 2000 of the text, in line 501: invalid gzip header"),
        "{error}"
    );
    let (_dir, path) = file_with("g.txt.gz", text);
    assert!(
        load(&path, &LoadOptions::default(), &Silent)
            .unwrap_err()
            .to_string()
            .contains("no gzip")
    );
}

#[cfg(feature = "compress")]
#[test]
fn the_memory_limit_stops_a_bomb() {
    let limit = LoadOptions {
        memory_limit: Some(1 << 20),
        ..LoadOptions::default()
    };
    for text in [&b"0 1\n"[..], b"a b\n", b"0 99999999999\n", b"1"] {
        let (_dir, path) = file_with("g.gz", &gzip(&text.repeat(1_500_000)));
        assert!(matches!(
            load(&path, &limit, &Silent).unwrap_err(),
            ReadError::Memory { .. }
        ));
    }
}

#[test]
fn the_hash_is_that_of_the_stored_bytes() {
    let options = LoadOptions {
        hash: true,
        ..LoadOptions::default()
    };
    let loaded = read_as(b"0 1\n", &options).unwrap();
    // printf '0 1\n' | sha256sum
    assert_eq!(
        loaded.sha256.unwrap(),
        "a79122992d53d358e6bbbbb98883d64fa0c15df3bcb08ff7b65a0580870af424"
    );
}

#[test]
fn labels_and_communities() {
    let names = Names::from_ids(vec![10, 20, 30]);
    let read = |text: &str, unknown| {
        let (dir, path) = file_with("l.txt", text.as_bytes());
        read_labels(&path, &names, unknown).map_err(|e| {
            e.to_string()
                .replace(&format!("{}/", dir.path().display()), "")
        })
    };
    assert_eq!(
        read("10 a\n30 b\n20 a\n", Unknown::Error).unwrap().labels,
        [0, 0, 1]
    );
    assert_eq!(
        read("# c\nnode,label\n10,5\n30,5\n", Unknown::Error)
            .unwrap()
            .labels,
        [0, NONE, 0]
    );
    let skipped = read("10\ta\n99\tb\n", Unknown::Skip).unwrap();
    assert_eq!(
        (skipped.unknown, skipped.missing, skipped.names.len()),
        (1, 2, 1)
    );
    assert_eq!(
        read("10 a\n99 b\n", Unknown::Error).unwrap_err(),
        "l.txt:2:1: a vertex that the graph does not have: \"99\""
    );
    assert_eq!(
        read("10 a\n10 b\n", Unknown::Error).unwrap_err(),
        "l.txt:2:1: a vertex with two labels: \"10\""
    );
    assert_eq!(
        read("10 a b\n", Unknown::Error).unwrap_err(),
        "l.txt:1:1: expected a vertex and a label, found 3 columns: \"10 a b\""
    );
    assert_eq!(
        read("# nothing\n", Unknown::Error).unwrap_err(),
        "l.txt: no labels of vertices of this graph"
    );
    let (_dir, path) = file_with("c.txt", b"10 20\n30\t10 20\n");
    assert!(read_communities(&path, &names, Unknown::Error).is_ok());
    let (_dir, path) = file_with("c.txt", b"20 10 99 10\n99\n30\n");
    assert_eq!(
        read_communities(&path, &names, Unknown::Skip).unwrap(),
        (vec![vec![0, 1], vec![2]], 2)
    );
    assert!(read_communities(&path, &names, Unknown::Error).is_err());
}

#[test]
fn written_labels_are_numbered_by_size_with_isolated_vertices_behind() {
    let (_dir, path) = file_with("x", b"");
    let names = Names::Strings(["a b", "b", "#c", "d", "e\"f"].into_iter().collect());
    write_labels(
        &path,
        &names,
        &[7, 3, 3, NONE, NONE],
        &["lambdacut 1\nseed 1".to_owned()],
    )
    .unwrap();
    let text = std::fs::read_to_string(&path).unwrap();
    assert_eq!(
        text,
        "# lambdacut 1\n# seed 1\na b\t1\nb\t0\n\"#c\"\t0\nd\t2\n\"e\"\"f\"\t3\n"
    );
    let back = read_labels(&path, &names, Unknown::Error).unwrap();
    assert_eq!(back.labels, [0, 1, 1, 2, 3]);
}

fn in_pool<R: Send>(threads: usize, work: impl FnOnce() -> R + Send) -> R {
    rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .unwrap()
        .install(work)
}

proptest! {
    #[test]
    fn any_text_is_read_or_refused_alike_on_any_number_of_threads(bytes in "([0-9]{1,3}|[a#%\"]|[ ,\t\n]){0,80}") {
        let run = |threads| in_pool(threads, || read_as(bytes.as_bytes(), &LoadOptions::default()).map(|l| edges(&l)).map_err(|e| {
            let text = e.to_string();
            text[text.find("g.txt").unwrap_or(0)..].to_owned()
        }));
        prop_assert_eq!(run(1), run(3));
    }

    #[test]
    fn integers_are_parsed_like_the_standard_library_does(numbers in proptest::collection::vec((any::<u64>(), 0u32..64), 2..20)) {
        let numbers: Vec<u64> = numbers.into_iter().map(|(x, shift)| x >> shift).collect();
        let lines: Vec<String> = numbers.windows(2).map(|w| format!("{} {}", w[0], w[1])).collect();
        let text = lines.join("\n");
        let mut expected = numbers.clone();
        expected.sort_unstable();
        expected.dedup();
        let found: Vec<u64> = names(&read(text.as_bytes())).iter().map(|n| n.parse().unwrap()).collect();
        prop_assert_eq!(found, expected);
    }

    #[test]
    fn weights_are_parsed_like_the_standard_library_does(mantissa in 0u64..10_000_000_000_000_000, point in 0usize..16, exponent in -20i32..20) {
        let digits = format!("{mantissa:016}");
        for text in [format!("{}.{}", &digits[..point], &digits[point..]), format!("{mantissa}e{exponent}"), mantissa.to_string()] {
            let loaded = read(format!("0 1 {text}\n0 2 1\n").as_bytes());
            let expected = Some(text.parse::<f64>().unwrap()).filter(|&w| w > 0.0);
            prop_assert_eq!(arcs(&loaded.graph).get(&(0, 1)).copied(), expected);
        }
    }
}

#[cfg(feature = "compress")]
#[test]
fn a_large_text_is_read_alike_plain_packed_and_on_any_number_of_threads() {
    let mut text = String::from("# large\n");
    for e in 0..300_000u64 {
        use std::fmt::Write;
        writeln!(text, "{}\t{}", e * e % 99_991 * 3, e * 7_919 % 50_021 * 3).unwrap();
    }
    let (_dir, plain) = file_with("g.txt", text.as_bytes());
    let (_dir2, packed) = file_with("g.txt.gz", &gzip(text.as_bytes()));
    let run = |path: &std::path::Path, threads| {
        in_pool(threads, || {
            let loaded = load(
                path,
                &LoadOptions {
                    policy: Policy::default(),
                    ..LoadOptions::default()
                },
                &Silent,
            )
            .unwrap();
            let AnyCsr::Unit(g) = &loaded.graph else {
                panic!("no weights were given")
            };
            (
                g.rows().offsets.to_vec(),
                g.rows().targets.to_vec(),
                loaded.names,
                loaded.counts,
            )
        })
    };
    let one = run(&plain, 1);
    assert_eq!(one, run(&plain, 2));
    assert_eq!(one, run(&packed, 3));
    // One wrong line far down is found with its number, whichever piece it is in.
    let broken = format!("{text}7 y\n{text}8 z\n");
    let said = message(broken.as_bytes(), &LoadOptions::default());
    assert!(said.starts_with("g.txt:300002:3: not an integer"), "{said}");
}
