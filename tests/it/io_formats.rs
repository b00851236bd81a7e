//! METIS, Matrix Market and the binary format: golden files, round trips, and what is said about
//! wrong ones.

use crate::build::arcs;
use crate::support::graphs;
use lambdacut::graph::Names;
use lambdacut::graph::{AnyCsr, Csr, Policy, SelfLoops, Unit};
use lambdacut::io::{Format, LoadOptions, Loaded, load, write_graph, write_graph_and_masses};
use lambdacut::run::Silent;
use lambdacut::with_csr;
use proptest::prelude::*;
use std::path::{Path, PathBuf};

fn with_file<R>(name: &str, bytes: &[u8], work: impl FnOnce(&Path) -> R) -> R {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join(name);
    std::fs::write(&path, bytes).unwrap();
    work(&path)
}

fn read(name: &str, bytes: &[u8]) -> Loaded {
    with_file(name, bytes, |path| {
        load(path, &LoadOptions::default(), &Silent).unwrap()
    })
}

fn message(name: &str, bytes: &[u8]) -> String {
    with_file(name, bytes, |path| {
        let text = load(path, &LoadOptions::default(), &Silent)
            .unwrap_err()
            .to_string();
        text.replace(&format!("{}/", path.parent().unwrap().display()), "")
    })
}

fn edges(loaded: &Loaded) -> Vec<(u32, u32, f64)> {
    arcs(&loaded.graph)
        .into_iter()
        .filter(|((i, j), _)| i <= j)
        .map(|((i, j), w)| (i, j, w))
        .collect()
}

/// The graph of the METIS manual (figure 2), unweighted and with weights.
const METIS: &[u8] = b"% manual\n7 11\n5 3 2\n1 3 4\n5 4 2 1\n2 3 6 7\n1 3 6\n5 4 7\n6 4\n";
const METIS_WEIGHTS: &[u8] = b"3 2 011\n4 2 1.5\n2 1 1.5 3 2\n6 2 2\n";

#[test]
fn metis_files() {
    let loaded = read("g.graph", METIS);
    assert_eq!((edges(&loaded).len(), loaded.counts.comments), (11, 1));
    assert!(matches!(loaded.graph, AnyCsr::Unit(_)));
    assert_eq!(loaded.names, Names::Range { first: 1, count: 7 });
    let loaded = read("g.metis", METIS_WEIGHTS);
    assert_eq!(edges(&loaded), [(0, 1, 1.5), (1, 2, 2.0)]);
    assert_eq!(loaded.masses.unwrap(), [4.0, 2.0, 6.0]);
    // Sizes and two constraints: the first weight counts. An empty line is a vertex without
    // neighbours.
    let loaded = read("g.graph", b"3 1 110 2\n9 1 7 2\n9 2 7 1\n9 3 7\n");
    assert_eq!(
        (edges(&loaded), loaded.masses.unwrap()),
        (vec![(0, 1, 1.0)], vec![1.0, 2.0, 3.0])
    );
    let loaded = read("g.graph", b"3 1\r\n\r\n3\r\n2\r\n\r\n");
    assert_eq!(
        (edges(&loaded), loaded.counts.isolated),
        (vec![(1, 2, 1.0)], 1)
    );
}

const MTX: &[u8] =
    b"%%MatrixMarket matrix coordinate real symmetric\n% c\n3 3 3\n2 1 1.5\n3 2 2e0\n3 3 4\n";

#[test]
fn matrix_market_files() {
    let loaded = read("g.mtx", MTX);
    assert_eq!(edges(&loaded), [(0, 1, 1.5), (1, 2, 2.0), (2, 2, 4.0)]);
    assert_eq!(loaded.counts.comments, 2);
    // The banner tells the format whatever the name is; case does not matter.
    let loaded = read(
        "g.txt",
        b"%%MatrixMarket MATRIX Coordinate Pattern General\n4 4 3\n1 2\n2 1\n3 1\n",
    );
    assert!(matches!(loaded.graph, AnyCsr::Unit(_)));
    assert_eq!(
        (
            edges(&loaded),
            loaded.counts.directed_arcs,
            loaded.counts.isolated
        ),
        (vec![(0, 1, 1.0), (0, 2, 1.0)], 1, 1)
    );
    let loaded = read(
        "g.mtx",
        b"%%MatrixMarket matrix coordinate integer general\n2 2 2\n1 2 3\n2 1 4\n",
    );
    assert_eq!(edges(&loaded), [(0, 1, 7.0)]);
}

/// A file name, its bytes, and what is said of them.
const WRONG: &[(&str, &[u8], &str)] = &[
    (
        "g.graph",
        b"% only\n",
        "g.graph: no header: the file holds only comments",
    ),
    (
        "g.graph",
        b"2\n",
        "g.graph:1:1: a METIS header has 2 to 4 numbers: vertices, edges, format, constraints: \"2\"",
    ),
    (
        "g.graph",
        b"2 x\n",
        "g.graph:1:3: not a number of the METIS header: \"x\"",
    ),
    (
        "g.graph",
        b"2 1 7\n2\n1\n",
        "g.graph:1:5: a METIS format code is up to three digits 0 or 1: \"7\"",
    ),
    (
        "g.graph",
        b"3 1\n2\n1\n",
        "g.graph:1:1: the header says this many vertices, but only 2 lines follow: \"3\"",
    ),
    (
        "g.graph",
        b"% c\n1000000000000 1\n2\n1\n",
        "g.graph:2:1: the header says this many vertices, but only 2 lines follow: \"1000000000000\"",
    ),
    (
        "g.graph",
        b"2 1\n2\n1\n1\n",
        "g.graph:4:1: a line behind the last vertex: \"1\"",
    ),
    (
        "g.graph",
        b"2 2\n2\n1\n",
        "g.graph:1:3: the header says this many edges, but the lines hold 1: \"2\"",
    ),
    (
        "g.graph",
        b"2 1\n2\n3\n",
        "g.graph:3:1: a neighbour outside 1 to 2: \"3\"",
    ),
    (
        "g.graph",
        b"2 1\n2\n0\n",
        "g.graph:3:1: a neighbour outside 1 to 2: \"0\"",
    ),
    (
        "g.graph",
        b"2 1\n2\nx\n",
        "g.graph:3:1: not a neighbour number: \"x\"",
    ),
    (
        "g.graph",
        b"2 1\n2\n1.5\n",
        "g.graph:3:1: not a neighbour number: \"1.5\"",
    ),
    (
        "g.graph",
        b"2 1 001\n2 1\n1\n",
        "g.graph:3:2: an edge weight is missing: \"\"",
    ),
    (
        "g.graph",
        b"2 1 001\n2 -1\n1 -1\n",
        "g.graph:2:3: the weight is negative: \"-1\"",
    ),
    (
        "g.graph",
        b"2 1 010\n2 2\n\n",
        "g.graph:3:1: a vertex weight is missing: \"\"",
    ),
    (
        "g.graph",
        b"% c\n3 2\n2 3\n1\n\n",
        "g.graph:3:3: vertex 1 lists this neighbour, but is not listed by it with equal weight: \"3\"",
    ),
    (
        "g.graph",
        b"2 1 001\n2 1\n1 2\n",
        "g.graph:2:1: vertex 1 lists this neighbour, but is not listed by it with equal weight: \"2\"",
    ),
    (
        "g.mtx",
        b"%%MatrixMarket matrix array real general\n2 2\n1\n",
        "g.mtx:1:1: only Matrix Market coordinate matrices can be read as graphs: \"%%MatrixMarket matrix array real general\"",
    ),
    (
        "g.mtx",
        b"%%MatrixMarket matrix coordinate complex general\n",
        "g.mtx:1:1: only pattern, integer and real Matrix Market entries can be read as graphs: \"%%MatrixMarket matrix coordinate complex general\"",
    ),
    (
        "g.mtx",
        b"%%MatrixMarket matrix coordinate real hermitian\n",
        "g.mtx:1:1: only general and symmetric Matrix Market matrices can be read as graphs: \"%%MatrixMarket matrix coordinate real hermitian\"",
    ),
    (
        "g.mtx",
        b"1 2 3\n",
        "g.mtx:1:1: not a Matrix Market banner (%%MatrixMarket matrix coordinate FIELD SYMMETRY): \"1 2 3\"",
    ),
    (
        "g.mtx",
        b"%%MatrixMarket matrix coordinate pattern general\n",
        "g.mtx:2:1: the line with rows, columns and entries is missing: \"\"",
    ),
    (
        "g.mtx",
        b"%%MatrixMarket matrix coordinate pattern general\n2 3 1\n1 1\n",
        "g.mtx:2:1: the matrix is not square: \"2 3 1\"",
    ),
    (
        "g.mtx",
        b"%%MatrixMarket matrix coordinate pattern general\n2 2 1000000000000\n1 2\n",
        "g.mtx:2:5: the header says this many entries, but the file holds 1: \"1000000000000\"",
    ),
    (
        "g.mtx",
        b"%%MatrixMarket matrix coordinate pattern general\n2000000000 2000000000 1\n1 2\n",
        "g.mtx:2:1: the header says this many vertices, but a file of 77 bytes cannot name most of them: \"2000000000\"",
    ),
    (
        "g.mtx",
        b"%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 3\n",
        "g.mtx:3:1: an entry outside 1 to 2: \"1 3\"",
    ),
    (
        "g.mtx",
        b"%%MatrixMarket matrix coordinate pattern symmetric\n2 2 1\n1 2\n",
        "g.mtx:3:1: an entry above the diagonal of a symmetric matrix: \"1 2\"",
    ),
    (
        "g.mtx",
        b"%%MatrixMarket matrix coordinate real general\n2 2 1\n1 2\n",
        "g.mtx:3:1: expected 3 columns, found 2: \"1 2\"",
    ),
    (
        "g.mtx",
        b"%%MatrixMarket matrix coordinate pattern general\n2 2 1\n0 2\n",
        "g.mtx:3:1: an entry outside 1 to 2: \"0 2\"",
    ),
    (
        "g.mtx",
        b"%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 18446744073709551615\n",
        "g.mtx:3:1: an entry outside 1 to 2: \"1 18446744073709551615\"",
    ),
    (
        "g.mtx",
        b"%%MatrixMarket matrix coordinate pattern general\n9999999999 9999999999 1\n1 2\n",
        "g.mtx:2:1: 9999999999 vertices are more than the 2147483648 (2^31) that there may be: \"9999999999\"",
    ),
    (
        "g.mtx",
        b"%%MatrixMarket matrix coordinate pattern general\n2 2 x\n1 2\n",
        "g.mtx:2:5: not a number of rows, columns or entries: \"x\"",
    ),
    (
        "g.mtx",
        b"%%MatrixMarket matrix coordinate real general\n2 2 1\n1 2 inf\n",
        "g.mtx:3:5: the weight is not a finite number: \"inf\"",
    ),
    (
        "g.lcut",
        b"garbage",
        "g.lcut: not a binary graph: bad magic",
    ),
    (
        "g.lcut",
        b"LAMBDCUT\x01\0\0\0",
        "g.lcut: the binary graph is truncated: no whole header",
    ),
];

#[test]
fn wrong_files_are_said_with_their_place() {
    for (name, bytes, expected) in WRONG {
        assert_eq!(message(name, bytes), *expected);
    }
}

fn read_with(name: &str, bytes: &[u8], change: impl FnOnce(&mut LoadOptions)) -> Loaded {
    let mut options = LoadOptions::default();
    change(&mut options);
    with_file(name, bytes, |path| load(path, &options, &Silent).unwrap())
}

#[test]
fn lenient_readers_leave_out_what_is_wrong_and_count_it() {
    let banner = "%%MatrixMarket matrix coordinate pattern symmetric\n3 3 ";
    for (name, text, expected, skipped) in [
        // A wrong line: its vertex keeps the edges that others list.
        (
            "g.graph",
            "3 2\n2\n1 x\n2\n".to_owned(),
            vec![(0, 1, 1.0), (1, 2, 1.0)],
            2,
        ),
        // A missing reverse, and the header that counts it.
        (
            "g.graph",
            "3 2\n2 3\n1\n\n".to_owned(),
            vec![(0, 1, 1.0), (0, 2, 1.0)],
            1,
        ),
        // More vertices than lines; lines behind the last vertex; unequal weights, of which the
        // first counts.
        ("g.graph", "9 1\n2\n1\n".to_owned(), vec![(0, 1, 1.0)], 1),
        ("g.graph", "2 1\n2\n1\n1\n".to_owned(), vec![(0, 1, 1.0)], 1),
        (
            "g.graph",
            "2 1 001\n2 4\n1 3\n".to_owned(),
            vec![(0, 1, 4.0)],
            0,
        ),
        // Entries outside, above the diagonal, and not numbers; and the header that counts one too
        // many.
        (
            "g.mtx",
            format!("{banner}4\n2 1\n1 3\n4 1\nx\n"),
            vec![(0, 1, 1.0)],
            3,
        ),
        ("g.mtx", format!("{banner}2\n2 1\n"), vec![(0, 1, 1.0)], 1),
    ] {
        let loaded = read_with(name, text.as_bytes(), |options| options.lenient = true);
        assert_eq!(
            (edges(&loaded), loaded.counts.skipped),
            (expected, skipped),
            "{text}"
        );
    }
    let loaded = read_with("g.graph", b"3 1 010\n5 2\nx 1\n7\n", |options| {
        options.lenient = true;
    });
    assert_eq!(
        (edges(&loaded), loaded.masses),
        (vec![(0, 1, 1.0)], Some(vec![5.0, 1.0, 7.0]))
    );
    assert_eq!(
        read_with("g.graph", METIS, |options| options.lenient = true)
            .counts
            .skipped,
        0
    );
}

#[test]
fn ignored_weights_may_be_anything() {
    let unweighted = |options: &mut LoadOptions| options.policy.unweighted = true;
    let loaded = read_with(
        "g.graph",
        b"3 3 001\n2 inf 3 0\n1 -2 2 x\n1 0\n",
        unweighted,
    );
    assert_eq!(
        (edges(&loaded), loaded.counts.zero_weights),
        (vec![(0, 1, 1.0), (1, 1, 1.0)], 2)
    );
    let mtx = b"%%MatrixMarket matrix coordinate real symmetric\n3 3 3\n2 1 -1\n3 1 0\n3 2 nan\n";
    let loaded = read_with("g.mtx", mtx, unweighted);
    assert_eq!(
        (edges(&loaded), loaded.counts.zero_weights),
        (vec![(0, 1, 1.0), (1, 2, 1.0)], 1)
    );
}

/// Lines over many pieces: the vertices of each piece are numbered on from those before.
#[test]
fn a_large_metis_file_is_read_in_pieces() {
    let n = 200_000;
    let ring = (0..n).map(|i: usize| {
        format!(
            "{} {}\n{}",
            (i + n - 1) % n + 1,
            (i + 1) % n + 1,
            if i.is_multiple_of(1000) { "% c\n" } else { "" }
        )
    });
    let text = format!("{n} {n}\n{}", ring.collect::<String>());
    let loaded = read("g.graph", text.as_bytes());
    let expected: Vec<_> = (0..n as u32)
        .map(|i| (i.min((i + 1) % n as u32), i.max((i + 1) % n as u32), 1.0))
        .collect();
    let mut found = edges(&loaded);
    found.sort_by_key(|e| {
        if (e.0, e.1) == (0, n as u32 - 1) {
            u32::MAX
        } else {
            e.0
        }
    });
    assert_eq!((found, loaded.counts.comments), (expected, 200));
    let wrong = text.replacen("\n150000 150002\n", "\n150000 y\n", 1);
    let line = wrong.lines().position(|l| l.ends_with('y')).unwrap() + 1;
    assert_eq!(
        message("g.graph", wrong.as_bytes()),
        format!("g.graph:{line}:8: not a neighbour number: \"y\"")
    );
}

fn binary_of(graph: &Csr<Unit>, names: &Names) -> Vec<u8> {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("g.lcut");
    write_graph(&path, Format::Binary, graph, names).unwrap();
    std::fs::read(&path).unwrap()
}

#[test]
fn the_binary_format_does_not_change() {
    let graph: Csr<Unit> = Csr::from_edges(3, &[(0, 1, 1.0), (1, 2, 1.0)]).unwrap();
    let bytes = binary_of(&graph, &Names::numbers(3));
    assert_eq!(bytes.len(), 128 + 64 + 64);
    let mut expected = Vec::from(*b"LAMBDCUT\x01\0\0\0\0\0\0\0");
    expected.extend([3u64, 4, 0, 256].iter().flat_map(|x| x.to_le_bytes()));
    assert_eq!(&bytes[..48], &expected[..]);
    let numbers = |range: std::ops::Range<usize>| {
        bytes[range]
            .iter()
            .map(|&b| u32::from(b))
            .collect::<Vec<_>>()
    };
    assert_eq!(
        numbers(128..160)
            .iter()
            .step_by(8)
            .copied()
            .collect::<Vec<_>>(),
        [0, 1, 3, 4]
    );
    assert_eq!(
        numbers(192..208)
            .iter()
            .step_by(4)
            .copied()
            .collect::<Vec<_>>(),
        [1, 0, 2, 1]
    );
}

#[test]
fn every_flipped_bit_of_a_binary_file_is_seen() {
    let graph: Csr<Unit> = Csr::from_edges(3, &[(0, 1, 1.0), (1, 2, 1.0)]).unwrap();
    let good = binary_of(&graph, &Names::from_ids(vec![3, 5, 9]));
    assert_eq!(read("g.lcut", &good).names, Names::from_ids(vec![3, 5, 9]));
    for at in 0..good.len() {
        let mut bad = good.clone();
        bad[at] ^= 1 << (at % 8);
        let said = message("g.lcut", &bad);
        let expected = match at {
            0..8 => "expected",
            8..12 => "version",
            12..128 => "checksum of the header",
            _ => "bad checksum",
        };
        // Without the magic the file is no longer binary by content, but still by name.
        assert!(
            said.contains(expected) || said.contains("bad magic"),
            "byte {at}: {said}"
        );
    }
    for len in [0, 7, 100, 128, good.len() - 1] {
        assert!(!message("g.lcut", &good[..len]).is_empty());
    }
    let longer = [good.as_slice(), b"x"].concat();
    assert_eq!(
        message("g.lcut", &longer),
        format!(
            "g.lcut: the binary graph is damaged: {} bytes long instead of {}",
            longer.len(),
            good.len()
        )
    );
}

/// A binary file with right checksums but wrong arrays.
#[test]
fn wrong_indices_are_seen_behind_right_checksums() {
    use xxhash_rust::xxh3::xxh3_64;
    let graph: Csr<Unit> = Csr::from_edges(3, &[(0, 1, 1.0), (1, 2, 1.0)]).unwrap();
    let good = binary_of(&graph, &Names::numbers(3));
    let forged = |at: usize, byte: u8| {
        let mut bad = good.clone();
        bad[at] = byte;
        let sections = xxh3_64(&xxh3_64(&bad[128..]).to_le_bytes());
        bad[48..56].copy_from_slice(&sections.to_le_bytes());
        let header = xxh3_64(&bad[..120]);
        bad[120..128].copy_from_slice(&header.to_le_bytes());
        bad
    };
    assert_eq!(
        edges(&read("g.lcut", &forged(128, 0))).len(),
        2,
        "the forger forges well"
    );
    assert!(
        message("g.lcut", &forged(192, 3))
            .ends_with("row 0 holds an index out of range, out of order or twice")
    );
    assert!(message("g.lcut", &forged(136, 9)).contains("row offsets"));
    // Counts that no memory could hold.
    assert!(message("g.lcut", &forged(31, 0xff)).contains("impossible header"));
    assert!(message("g.lcut", &forged(20, 0xff)).contains("bytes long instead of"));
}

#[test]
fn a_binary_graph_with_masses_outlives_its_file() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("g.lcut");
    let graph: Csr<f64> = Csr::from_edges(3, &[(0, 1, 1.5), (1, 2, 2.0), (2, 2, 1.0)]).unwrap();
    write_graph_and_masses(
        &path,
        Format::Binary,
        &graph,
        &Names::numbers(3),
        Some(&[1.0, 2.0, 3.0]),
    )
    .unwrap();
    let loaded = load(&path, &LoadOptions::default(), &Silent).unwrap();
    std::fs::remove_file(&path).unwrap();
    assert_eq!(loaded.masses.as_deref(), Some(&[1.0, 2.0, 3.0][..]));
    assert_eq!(edges(&loaded), [(0, 1, 1.5), (1, 2, 2.0), (2, 2, 1.0)]);
    assert_eq!(with_csr!(&loaded.graph, g => g.self_loops()), 1);
}

#[test]
fn the_policy_reaches_a_binary_graph() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("g.lcut");
    let graph: Csr<f64> = Csr::from_edges(2, &[(0, 1, 1.5), (1, 1, 2.0)]).unwrap();
    write_graph(&path, Format::Binary, &graph, &Names::numbers(2)).unwrap();
    let policy = Policy {
        self_loops: SelfLoops::Drop,
        unweighted: true,
        ..Policy::default()
    };
    let loaded = load(
        &path,
        &LoadOptions {
            policy,
            ..LoadOptions::default()
        },
        &Silent,
    )
    .unwrap();
    assert!(matches!(loaded.graph, AnyCsr::Unit(_)));
    assert_eq!(edges(&loaded), [(0, 1, 1.0)]);
}

fn round_trip(dir: &Path, name: &str, graph: &AnyCsr, names: &Names, threads: usize) -> Loaded {
    let path: PathBuf = dir.join(name);
    with_csr!(graph, g => write_graph(&path, Format::of_name(&path).unwrap(), g, names)).unwrap();
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .unwrap();
    pool.install(|| load(&path, &LoadOptions::default(), &Silent))
        .unwrap()
}

/// Edges by name.
fn named(graph: &AnyCsr, names: &Names) -> Vec<(String, String, u64)> {
    let name = |i: u32| names.get(i as usize).into_owned();
    let mut list: Vec<_> = arcs(graph)
        .into_iter()
        .map(|((i, j), w)| (name(i), name(j), w.to_bits()))
        .collect();
    list.sort();
    list
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn every_format_gives_the_graph_back(g in graphs(20), kind in 0..3, threads in 1usize..4) {
        prop_assume!(g.edges() > 0);
        let n = g.vertices();
        let unweighted: Vec<_> = arcs(&AnyCsr::F64(g.clone())).into_keys().map(|(i, j)| (i, j, 1.0)).collect();
        let unweighted: Csr<Unit> = Csr::from_edges(n, &unweighted).unwrap();
        let names = match kind {
            0 => Names::numbers(n),
            1 => Names::from_ids((0..n as u64).map(|i| i * i * 1_000_000_007 + 5).collect()),
            _ => {
                let odd = ["a b", "ä\"x\"", "#n", "%p", "x,y", "t\tu", " s "];
                let texts: Vec<String> = (0..n).map(|i| format!("{}{i}", odd[i % odd.len()])).collect();
                Names::Strings(texts.iter().map(String::as_str).collect())
            }
        };
        let dir = tempfile::tempdir().unwrap();
        for graph in [AnyCsr::F64(g), AnyCsr::Unit(unweighted)] {
            for file in ["g.txt", "g.txt.gz", "g.txt.zst", "g.lcut", "g.lcut.gz"] {
                let back = round_trip(dir.path(), file, &graph, &names, threads);
                prop_assert_eq!(named(&back.graph, &back.names), named(&graph, &names), "{}", file);
                if file.contains("lcut") {
                    prop_assert_eq!(&back.names, &names);
                }
            }
            for file in ["g.graph", "g.mtx", "g.graph.gz", "g.mtx.zst"] {
                let back = round_trip(dir.path(), file, &graph, &names, threads);
                prop_assert_eq!(arcs(&back.graph), arcs(&graph), "{}", file);
                prop_assert_eq!(back.names, Names::Range { first: 1, count: n });
                prop_assert_eq!(matches!(back.graph, AnyCsr::Unit(_)), matches!(graph, AnyCsr::Unit(_)));
            }
        }
    }
}

#[test]
fn real_graphs_have_the_counts_of_their_sources() {
    let Some(data) = crate::support::data() else {
        return;
    };
    // (file, vertices, rows, edges without loops, directed arcs?)
    for (name, vertices, rows, edges) in [
        ("karate", 34, 78, 78),
        ("polblogs", 1224, 19_090, 16_715),
        ("email-eu-core", 1005, 25_571, 16_064),
        ("citeseer", 3327, 4676, 4552),
    ] {
        let options = LoadOptions {
            policy: Policy {
                self_loops: SelfLoops::Drop,
                ..Policy::default()
            },
            ..LoadOptions::default()
        };
        let loaded = load(
            &data.join(format!("graphs/{name}.edges.gz")),
            &options,
            &Silent,
        )
        .unwrap();
        assert_eq!(loaded.counts.rows, rows, "{name}");
        assert_eq!(
            with_csr!(&loaded.graph, g => (g.vertices(), g.edges())),
            (vertices, edges),
            "{name}"
        );
    }
}
