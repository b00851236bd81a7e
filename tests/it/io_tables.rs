//! Edge lists as tables: headers, columns by name, decimal commas, and what is said about how a file
//! was understood.

use crate::build::arcs;
use lambdacut::graph::{Csr, Names, Policy, Unit};
use lambdacut::io::{
    Columns, Format, FormatError, LoadOptions, Loaded, ReadError, Remedy, load, write_graph,
};
use lambdacut::run::Silent;
use proptest::prelude::*;

fn read_as(name: &str, text: &str, options: &LoadOptions) -> Result<Loaded, ReadError> {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join(name);
    std::fs::write(&path, text).unwrap();
    load(&path, options, &Silent)
}

/// Edges as `a-b:weight`, sorted.
fn edges(loaded: &Loaded) -> Vec<String> {
    let name = |i: u32| loaded.names.get(i as usize).into_owned();
    let mut edges: Vec<String> = arcs(&loaded.graph)
        .into_iter()
        .filter(|((i, j), _)| i <= j)
        .map(|((i, j), w)| format!("{}-{}:{w}", name(i), name(j)))
        .collect();
    edges.sort();
    edges
}

fn read(text: &str) -> (String, Vec<String>) {
    let loaded = read_as("g.csv", text, &LoadOptions::default()).unwrap();
    (loaded.reading.to_string(), edges(&loaded))
}

fn named(source: &str, target: &str, weight: Option<&str>) -> LoadOptions {
    LoadOptions {
        columns: Columns {
            source: Some(source.to_owned()),
            target: Some(target.to_owned()),
            weight: weight.map(str::to_owned),
        },
        ..LoadOptions::default()
    }
}

#[test]
fn an_edge_is_not_taken_for_a_header() {
    for (text, expected) in [
        ("u v\nv w\nw u\n", &["u-v:1", "u-w:1", "v-w:1"][..]),
        (
            "start,middle\nmiddle,end\n",
            &["middle-end:1", "start-middle:1"],
        ),
        ("i j\nx y\n", &["i-j:1", "x-y:1"]),
        ("u v\nx y\n", &["u-v:1", "x-y:1"]),
        ("from,via\nvia,to\n", &["from-via:1", "via-to:1"]),
        // The names come back, so they are vertices.
        (
            "source,target\ntarget,sink\n",
            &["source-target:1", "target-sink:1"],
        ),
        // Quoted alone: how such an edge is written.
        (
            "\"source\",\"target\"\na,b\n",
            &["a-b:1", "source-target:1"],
        ),
    ] {
        let (said, found) = read(text);
        assert_eq!(found, expected, "{text}");
        assert!(said.contains("no header"), "{said}");
    }
}

#[test]
fn a_header_beyond_doubt_is_one() {
    for (text, columns) in [
        ("source,target\na,b\n", "source = source, target = target"),
        (
            "from_user,to_user\na,b\n",
            "source = from_user, target = to_user",
        ),
        (
            "FromNodeId\tToNodeId\na\tb\n",
            "source = FromNodeId, target = ToNodeId",
        ),
        ("node1,node2\na,b\n", "source = node1, target = node2"),
        (
            "\"source\",\"target\"\n\"a\",\"b\"\n",
            "source = source, target = target",
        ),
        ("u v\n0 1\n", "source = u, target = v"),
        ("left,right,strength\na,b,2\n", "weight = strength"),
    ] {
        let (said, found) = read(text);
        assert_eq!(found.len(), 1, "{text}");
        assert!(
            said.contains("; header; ") && said.contains(columns),
            "{said}"
        );
    }
}

#[test]
fn a_header_that_may_be_an_edge_is_refused() {
    // The name comes back far behind the lines that are looked at.
    let far: String = (0..500).map(|i| format!("a{i},b{i}\n")).collect();
    let text = format!("source,target\n{far}source,z\n");
    let error = read_as("g.csv", &text, &LoadOptions::default()).unwrap_err();
    assert_eq!(error.remedy(), Some(Remedy::SayHeader));
    assert!(
        error.to_string().ends_with(
            "g.csv:1:1: this line names columns, or it is an edge: a vertex further down has such a name: \"source,target\""
        ),
        "{error}"
    );
    for header in [true, false] {
        let options = LoadOptions {
            header: Some(header),
            ..LoadOptions::default()
        };
        let loaded = read_as("g.csv", &text, &options).unwrap();
        assert_eq!(edges(&loaded).len(), 501 + usize::from(!header));
    }
}

#[test]
fn columns_are_found_by_usual_names() {
    let (said, found) = read("id,from_user,to_user,amount,note\n7,ann,bob,2.5,x\n8,bob,cy,1,\n");
    assert_eq!(found, ["ann-bob:2.5", "bob-cy:1"]);
    assert_eq!(
        said,
        "CSV; header; source = from_user, target = to_user, weight = amount; names; 2 columns ignored"
    );
    // As Gephi writes edges.
    let (said, found) = read(
        "Source,Target,Type,Id,Label,timeset,Weight\n3,5,Undirected,0,,,2\n5,9,Undirected,1,,,1\n",
    );
    assert_eq!(found, ["3-5:2", "5-9:1"]);
    assert!(
        said.contains("weight = Weight; integers; 4 columns ignored"),
        "{said}"
    );
    // A time is no weight.
    let (said, found) = read("source,target,timestamp\na,b,1700000000\nb,c,1700000001\n");
    assert_eq!(found, ["a-b:1", "b-c:1"]);
    assert!(said.contains("no weights"), "{said}");
    // KONECT: the fourth column is a time.
    let (_, found) = read("% sym weighted\n% 2 3 3\n1 2 5 1082040961\n2 3 1 1082155839\n");
    assert_eq!(found, ["1-2:5", "2-3:1"]);
}

#[test]
fn columns_are_named_or_numbered() {
    let text = "when,who,whom,times\n1,ann,bob,2\n2,bob,cy,3\n";
    for options in [
        named("who", "whom", Some("times")),
        named("2", "3", Some("4")),
    ] {
        let options = LoadOptions {
            header: Some(true),
            ..options
        };
        let loaded = read_as("g.csv", text, &options).unwrap();
        assert_eq!(edges(&loaded), ["ann-bob:2", "bob-cy:3"]);
    }
    let loaded = read_as("g.csv", text, &named("who", "whom", None)).unwrap();
    assert_eq!(edges(&loaded), ["ann-bob:1", "bob-cy:1"]);
    // Numbers need no header, and integers stay integers, also in the wide path.
    let loaded = read_as(
        "g.txt",
        "9 1 x 2\n8 2 y 3000000000000\n",
        &named("2", "4", None),
    )
    .unwrap();
    assert_eq!(edges(&loaded), ["1-2:1", "2-3000000000000:1"]);
    assert_eq!(
        loaded.reading.to_string(),
        "edge list; no header; source = column 2, target = column 4, no weights; integers; 2 columns ignored"
    );
    for (options, expected) in [
        (
            named("who", "nobody", None),
            "there is no column \"nobody\" among the 4",
        ),
        (named("who", "9", None), "there is no column \"9\""),
        (named("who", "who", None), "one column cannot be two things"),
        (
            named("who", "whom", Some("who")),
            "one column cannot be two things",
        ),
        (
            LoadOptions {
                columns: Columns {
                    source: Some("who".to_owned()),
                    ..Columns::default()
                },
                ..LoadOptions::default()
            },
            "the column of one end is named: that of the other must be, too",
        ),
        (LoadOptions::default(), "expected 2 or 3 columns, found 4"),
    ] {
        let error = read_as("g.csv", text, &options).unwrap_err();
        assert!(error.to_string().contains(expected), "{error}");
        assert_eq!(error.remedy(), Some(Remedy::NameColumns));
    }
    // A line that is too short or too long has its place.
    let wrong = read_as(
        "g.csv",
        "who,whom,x,y\na,b,1,2\na,b,1\n",
        &named("who", "whom", None),
    );
    assert!(
        wrong
            .unwrap_err()
            .to_string()
            .ends_with("g.csv:3:1: expected 4 columns, found 3: \"a,b,1\"")
    );
}

#[test]
fn a_first_row_without_a_number_is_no_header() {
    for word in ["NaN", "nan", "inf", "NA", ""] {
        let text = format!("x,y,{word}\ny,z,2\n");
        let error = read_as("g.csv", &text, &LoadOptions::default()).unwrap_err();
        assert!(error.to_string().contains("g.csv:1:5: "), "{error}");
        assert_eq!(error.remedy(), Some(Remedy::IgnoreWeights), "{error}");
    }
}

#[test]
fn decimal_commas_between_semicolons() {
    let (said, found) = read("a;b;1,5\nb;c;2\n");
    assert_eq!(found, ["a-b:1.5", "b-c:2"]);
    assert_eq!(
        said,
        "CSV with semicolons and decimal commas; no header; names; weights"
    );
    let (_, found) = read("von;nach;gewicht\n1;2;0,25\n2;3;1,0\n");
    assert_eq!(found, ["1-2:0.25", "2-3:1"]);
    let error = read_as("g.csv", "a;b;1,5\nb;c;1,000,5\n", &LoadOptions::default()).unwrap_err();
    assert!(
        error
            .to_string()
            .ends_with("g.csv:2:5: not a weight: \"1,000,5\""),
        "{error}"
    );
}

#[test]
fn what_is_no_graph_of_ours_is_refused_by_name_and_content() {
    let refused =
        |name: &str, text: &str| match read_as(name, text, &LoadOptions::default()).unwrap_err() {
            ReadError::Format(error) => error,
            other => panic!("{name}: {other}"),
        };
    for (name, text, expected) in [
        (
            "g.graphml",
            "<?xml version=\"1.0\"?>\n<graphml>",
            "this is GraphML",
        ),
        (
            "g.txt",
            "<?xml version=\"1.0\"?>\n<graphml xmlns=\"\">",
            "this is GraphML",
        ),
        ("g", "<gexf version=\"1.3\">", "this is GEXF"),
        ("g.gml", "graph [\n]", "this is GML"),
        ("g.txt", "*Vertices 3\n", "this is a Pajek network"),
        ("g.csv", "PAR1....", "this is Parquet"),
        ("g.npz", "PK\u{3}\u{4}", "this is a ZIP archive"),
        ("g.json", "{\"nodes\": []}", "this is JSON"),
        ("g.txt", "{\"nodes\": []}", "this is JSON"),
        ("g.foo", "0 1\n", "the ending .foo tells no format"),
    ] {
        let error = refused(name, text).to_string();
        assert!(error.contains(expected), "{name}: {error}");
    }
    assert!(matches!(
        refused("g.bar", "0 1\n"),
        FormatError::Unknown { .. }
    ));
    let as_edges = LoadOptions {
        format: Some(Format::EdgeList),
        ..LoadOptions::default()
    };
    assert_eq!(
        edges(&read_as("g.foo", "0 1\n", &as_edges).unwrap()),
        ["0-1:1"]
    );
    assert_eq!(
        edges(&read_as("out.moreno", "0 1\n", &LoadOptions::default()).unwrap()),
        ["0-1:1"]
    );
}

/// Names that a reader could take for something else.
fn awkward_names() -> impl Strategy<Value = Vec<String>> {
    let odd = [
        "source",
        "target",
        "from",
        "to",
        "u",
        "v",
        "1",
        "2",
        "007",
        "x\r",
        "\"",
        "a,b",
        "a;b",
        "1,5",
        "#",
        "%",
        " ",
        "NaN",
        "é",
        "\u{feff}x",
        "weight",
        "node1",
        "node2",
        "a\tb",
        "-",
        "0",
    ];
    let order = Just((0..odd.len()).collect::<Vec<usize>>()).prop_shuffle();
    (order, 2..9usize)
        .prop_map(move |(order, n)| order[..n].iter().map(|&i| odd[i].to_owned()).collect())
}

proptest! {
    #[test]
    fn what_is_written_is_read_as_it_was(names in awkward_names(), pairs in proptest::collection::vec((0u32..9, 0u32..9), 1..12)) {
        let n = names.len();
        let list: Vec<(u32, u32, f64)> = pairs.into_iter().map(|(i, j)| (i % n as u32, j % n as u32, 1.0)).collect();
        let graph: Csr<Unit> = Csr::from_edges(n, &list).unwrap();
        let strings = Names::Strings(names.iter().map(String::as_str).collect());
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("g.txt");
        write_graph(&path, Format::EdgeList, &graph, &strings).unwrap();
        let back = load(&path, &LoadOptions::default(), &Silent).unwrap();
        let mut expected: Vec<[String; 2]> = list.iter().map(|&(i, j, _)| {
            let mut edge = [names[i as usize].clone(), names[j as usize].clone()];
            edge.sort();
            edge
        }).collect();
        expected.sort();
        expected.dedup();
        let name = |i: u32| back.names.get(i as usize).into_owned();
        let mut found: Vec<[String; 2]> = arcs(&back.graph).into_keys().filter(|(i, j)| i <= j).map(|(i, j)| {
            let mut edge = [name(i), name(j)];
            edge.sort();
            edge
        }).collect();
        found.sort();
        prop_assert_eq!(found, expected, "{}", std::fs::read_to_string(&path).unwrap());
    }

    /// Picking columns of integers gives what the plain list gives.
    #[test]
    fn other_columns_do_not_matter(rows in proptest::collection::vec((0u64..30, 0u64..30, 1u32..9), 1..40), wide in any::<bool>()) {
        let shift = if wide { 1u64 << 40 } else { 0 };
        let plain: String = rows.iter().map(|(i, j, w)| format!("{} {} {w}\n", i + shift, j + shift)).collect();
        let table: String = rows.iter().map(|(i, j, w)| format!("{w},x,{},,{}\n", j + shift, i + shift)).collect();
        let plain = read_as("g.txt", &plain, &LoadOptions::default()).unwrap();
        let table = read_as("g.csv", &table, &named("5", "3", Some("1"))).unwrap();
        prop_assert_eq!(arcs(&plain.graph), arcs(&table.graph));
        prop_assert_eq!(plain.names, table.names);
        prop_assert_eq!(plain.counts, table.counts);
    }
}

#[test]
fn ignored_weights_still_need_their_column() {
    let options = LoadOptions {
        policy: Policy {
            unweighted: true,
            ..Policy::default()
        },
        ..named("a", "b", Some("w"))
    };
    let loaded = read_as("g.csv", "a,x,b,w\np,1,q,-3\nq,1,r,0\n", &options).unwrap();
    assert_eq!(
        (edges(&loaded), loaded.counts.zero_weights),
        (vec!["p-q:1".to_owned()], 1)
    );
}
