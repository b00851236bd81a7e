//! Tables and arrays as points, and the `points` command.

use assert_cmd::Command;
use lambdacut::io::{Coordinates, Missing, Remedy, Roles, dataset, read_npy, read_table};
use std::path::{Path, PathBuf};
use tempfile::TempDir;

fn file(dir: &TempDir, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
    let path = dir.path().join(name);
    std::fs::write(&path, content).unwrap();
    path
}

#[test]
fn headers_and_separators_are_recognised() {
    let dir = TempDir::new().unwrap();
    for (text, header, rows, columns) in [
        ("a,b\n1,2\n3,4\n", true, 2, 2),
        ("1,2\n3,4\n", false, 2, 2),
        ("a\tb c\n1\t2\n", true, 1, 2),
        ("# remark\n1 2 3\n\n4 5 6\n", false, 2, 3),
        ("x;y\n1;2\n", true, 1, 2),
        // Words only: a header is what never comes back in its column.
        ("colour,size\nred,big\nblue,big\n", true, 2, 2),
        ("red,big\nred,small\n", false, 2, 2),
        ("\u{feff}a,\"b, c\"\r\n1,\"2\"\r\n", true, 1, 2),
    ] {
        let table = read_table(&file(&dir, "t", text), None).unwrap();
        assert_eq!(
            (table.header, table.rows(), table.columns()),
            (header, rows, columns),
            "{text:?}"
        );
    }
    let forced = read_table(&file(&dir, "t", "a,b\n1,2\n"), Some(false)).unwrap();
    assert_eq!((forced.header, forced.rows()), (false, 2));
    let ragged = read_table(&file(&dir, "t", "1,2\n3\n"), None)
        .unwrap_err()
        .to_string();
    assert!(ragged.contains(":2:1:"), "{ragged}");
    assert!(read_table(&file(&dir, "t", "a,a\n1,2\n"), Some(true)).is_err());
    assert!(read_table(&file(&dir, "t", "# nothing\n"), None).is_err());
}

#[test]
fn columns_become_coordinates() {
    let dir = TempDir::new().unwrap();
    let text = "w,size,colour,class,set\n2,1.5,red,A,x\n1,?,blue,B,y\n4,2.5,?,A,x\n";
    let table = read_table(&file(&dir, "t.csv", text), None).unwrap();
    let name = |s: &str| Some(s.to_owned());
    let roles = Roles {
        label: name("class"),
        group: name("set"),
        weight: name("1"),
        ..Roles::default()
    };
    let error = dataset(&table, &roles, Missing::Error).unwrap_err();
    assert_eq!(error.remedy(), Some(Remedy::MissingValues));
    let gap = error.to_string();
    assert!(gap.contains("line 3") && gap.contains("size"), "{gap}");

    let dropped = dataset(&table, &roles, Missing::Drop).unwrap();
    assert_eq!(
        (dropped.points.len(), dropped.dropped, &dropped.names[..]),
        (1, 2, &["1".to_owned()][..])
    );

    let filled = dataset(&table, &roles, Missing::Mean).unwrap();
    assert_eq!(filled.filled, 2);
    assert_eq!(
        filled.points.values(),
        [1.5, 0.0, 1.0, 2.0, 1.0, 0.0, 2.5, 0.5, 0.5]
    );
    assert_eq!(
        (filled.points.weight(0), filled.points.weight(2)),
        (2.0, 4.0)
    );
    assert_eq!(filled.truth.unwrap().of, [0, 1, 0]);
    assert_eq!(filled.groups.unwrap().names, ["x", "y"]);
    assert!(
        matches!(&filled.coordinates[1], Coordinates::OneHot { column, values } if column == "colour" && values == &["blue", "red"])
    );

    let infinite = read_table(&file(&dir, "i.csv", "a\n1\ninf\n"), None).unwrap();
    assert!(
        dataset(&infinite, &Roles::default(), Missing::Mean)
            .unwrap_err()
            .to_string()
            .contains("line 3")
    );
    let typo: String = (0..40)
        .map(|i| format!("{i}\n"))
        .chain(["4O\n".to_owned()])
        .collect();
    let typo = read_table(&file(&dir, "o.csv", typo), None).unwrap();
    assert!(
        dataset(&typo, &Roles::default(), Missing::Error)
            .unwrap_err()
            .to_string()
            .contains("line 41")
    );
    assert!(
        dataset(
            &table,
            &Roles {
                label: name("nothing"),
                ..Roles::default()
            },
            Missing::Drop
        )
        .is_err()
    );
    let negative = read_table(&file(&dir, "w.csv", "w,x\n-1,2\n"), None).unwrap();
    assert!(
        dataset(
            &negative,
            &Roles {
                weight: name("w"),
                ..Roles::default()
            },
            Missing::Drop
        )
        .is_err()
    );
}

/// A `.npy` file as numpy writes it.
fn npy(kind: &str, fortran: bool, shape: &str, data: &[u8]) -> Vec<u8> {
    let order = if fortran { "True" } else { "False" };
    let mut header = format!("{{'descr': '{kind}', 'fortran_order': {order}, 'shape': {shape}, }}");
    header.push_str(&" ".repeat(64 - (11 + header.len()) % 64));
    header.push('\n');
    let length = (header.len() as u16).to_le_bytes();
    [
        b"\x93NUMPY\x01\x00".as_slice(),
        &length,
        header.as_bytes(),
        data,
    ]
    .concat()
}

#[test]
fn arrays_of_numpy() {
    let dir = TempDir::new().unwrap();
    let read = |bytes: Vec<u8>| read_npy(&file(&dir, "a.npy", bytes));
    let doubles: Vec<u8> = [1.0f64, 2.0, 3.0, 4.0, 5.0, 6.0]
        .iter()
        .flat_map(|v| v.to_le_bytes())
        .collect();
    assert_eq!(
        read(npy("<f8", false, "(2, 3)", &doubles))
            .unwrap()
            .values(),
        [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]
    );
    assert_eq!(
        read(npy("<f8", true, "(2, 3)", &doubles)).unwrap().values(),
        [1.0, 3.0, 5.0, 2.0, 4.0, 6.0]
    );
    assert_eq!(
        read(npy("<f8", false, "(6,)", &doubles))
            .unwrap()
            .dimension(),
        1
    );
    let singles: Vec<u8> = [1.5f32, -2.0]
        .iter()
        .flat_map(|v| v.to_le_bytes())
        .collect();
    assert_eq!(
        read(npy("<f4", false, "(1, 2)", &singles)).unwrap().row(0),
        [1.5, -2.0]
    );
    assert_eq!(
        read(npy("|u1", false, "(2, 1)", &[3, 250]))
            .unwrap()
            .values(),
        [3.0, 250.0]
    );
    assert_eq!(
        read(npy("|i1", false, "(1,)", &[255])).unwrap().values(),
        [-1.0]
    );
    assert!(read(npy("<f8", false, "(2, 4)", &doubles)).is_err());
    assert!(read(npy(">f8", false, "(2, 3)", &doubles)).is_err());
    assert!(read(npy("<f8", false, "(1, 2, 3)", &doubles)).is_err());
    assert!(read(b"\x93NUMPY\x01".to_vec()).is_err());
    assert!(read(b"no array".to_vec()).is_err());
    let not_finite: Vec<u8> = f64::NAN.to_le_bytes().to_vec();
    assert!(read(npy("<f8", false, "(1,)", &not_finite)).is_err());
}

fn lambdacut() -> Command {
    Command::new(env!("CARGO_BIN_EXE_lambdacut"))
}

const CLUMPS: &str = "x,y,class,set\n0,0,a,1\n0.1,0,a,1\n5,5,b,1\n0,0.1,a,2\n5.1,5,b,2\n9,0,c,2\n";

fn json_of(path: &Path) -> serde_json::Value {
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

#[test]
fn every_method_writes_labels_centres_and_json() {
    let dir = TempDir::new().unwrap();
    let data = file(&dir, "clumps.csv", CLUMPS);
    let (json, centres) = (dir.path().join("out.json"), dir.path().join("centres.csv"));
    for method in [
        &["dp-means", "--lambda", "4", "--ignore", "set"][..],
        &["dp-means", "--clusters", "3", "--ignore", "set"],
        &["dp-means", "--curve", "--ignore", "set"],
        &[
            "hdp",
            "--lambda-local",
            "1",
            "--lambda-global",
            "3",
            "--group",
            "set",
        ],
        &["k-means", "-k", "3", "--ignore", "set", "--runs", "5"],
        &[
            "gibbs",
            "--sigma",
            "0.1",
            "--ignore",
            "set",
            "--samples",
            "200",
            "--burn-in",
            "50",
        ],
    ] {
        let run = lambdacut()
            .arg("points")
            .arg(method[0])
            .arg(&data)
            .args(&method[1..])
            .args(["--label", "class", "-o", "-", "--json"])
            .arg(&json)
            .arg("--centres")
            .arg(&centres)
            .assert()
            .success();
        let labels = String::from_utf8(run.get_output().stdout.clone()).unwrap();
        let column: Vec<&str> = labels
            .lines()
            .filter(|l| !l.starts_with('#'))
            .map(|l| l.split('\t').nth(1).unwrap())
            .collect();
        assert_eq!(column, ["0", "0", "1", "0", "1", "2"], "{method:?}");
        let document = json_of(&json);
        assert_eq!(document["truth"]["nmi"], 1.0, "{method:?}");
        assert_eq!(document["clustering"]["clusters"], 3);
        assert_eq!(document["fit"]["method"], method[0]);
        let centres = std::fs::read_to_string(&centres).unwrap();
        let first: Vec<f64> = centres
            .lines()
            .nth(1)
            .unwrap()
            .split(',')
            .map(|v| v.parse().unwrap())
            .collect();
        assert!((first[1] - 0.1 / 3.0).abs() < 1e-9, "{method:?}: {centres}");
    }
}

#[test]
fn wrong_requests_end_with_1_and_a_reason() {
    let dir = TempDir::new().unwrap();
    let data = file(&dir, "gap.csv", "x,y\n1,2\n,4\n");
    for (arguments, word) in [
        (&["dp-means", "--lambda", "1"][..], "--missing"),
        (&["dp-means", "--lambda", "-1", "--missing", "drop"], "λ"),
        (&["k-means", "-k", "9", "--missing", "mean"], "k must be"),
        (
            &[
                "hdp",
                "--lambda-local",
                "1",
                "--lambda-global",
                "1",
                "--missing",
                "drop",
            ],
            "--group",
        ),
        (&["gibbs", "--alpha", "0", "--missing", "drop"], "α"),
    ] {
        let run = lambdacut()
            .arg("points")
            .arg(arguments[0])
            .arg(&data)
            .args(&arguments[1..])
            .assert()
            .code(1);
        let message = String::from_utf8_lossy(&run.get_output().stderr).into_owned();
        assert!(message.contains(word), "{arguments:?}: {message}");
    }
    lambdacut()
        .args(["points", "dp-means"])
        .arg(&data)
        .assert()
        .code(2);
    lambdacut()
        .args(["points", "k-means", "absent.csv", "-k", "2"])
        .assert()
        .code(1);
}

/// Runs `points` and returns the exit code, the labels and what was said.
fn run(data: &Path, arguments: &[&str]) -> (i32, Vec<String>, String) {
    let run = lambdacut()
        .arg("points")
        .arg(arguments[0])
        .arg(data)
        .args(&arguments[1..])
        .assert();
    let output = run.get_output();
    let text = String::from_utf8(output.stdout.clone()).unwrap();
    let labels = text
        .lines()
        .filter(|l| !l.starts_with('#'))
        .map(|l| l.split('\t').nth(1).unwrap().to_owned())
        .collect();
    (
        output.status.code().unwrap(),
        labels,
        String::from_utf8(output.stderr.clone()).unwrap(),
    )
}

#[test]
fn odd_tables_are_clustered_or_explained() {
    let dir = TempDir::new().unwrap();
    for (text, word) in [
        ("", "empty"),
        ("x,y\n", "no data"),
        ("x,y\n1,2\n1,inf\n", "line 3"),
        ("x,y\n1,2\n1,nan\n", "line 3"),
        ("x,y\n1,2\n1e200,3\n", "line 3"),
        ("x,y\n1,2\n3\n", ":3:"),
    ] {
        let (code, labels, said) = run(&file(&dir, "t.csv", text), &["dp-means", "--lambda", "1"]);
        assert_eq!((code, labels.len()), (1, 0), "{text:?}: {said}");
        assert!(
            said.contains(word) && said.contains("t.csv"),
            "{text:?}: {said}"
        );
    }
    let one = file(&dir, "one.csv", "x,y\n3,4\n");
    let same = file(&dir, "same.csv", "x,y\n0.1,4\n0.1,4\n0.1,4\n");
    for method in [
        &["dp-means", "--lambda", "0"][..],
        &["dp-means", "--lambda", "5"],
        &["dp-means", "-k", "1"],
        &["k-means", "-k", "1"],
        &[
            "gibbs",
            "--samples",
            "20",
            "--burn-in",
            "2",
            "--sigma",
            "0.01",
            "--alpha",
            "0.001",
        ],
    ] {
        assert_eq!(
            (run(&one, method).0, run(&one, method).1),
            (0, vec!["0".to_owned()]),
            "{method:?}"
        );
        assert_eq!(
            (run(&same, method).0, run(&same, method).1),
            (0, vec!["0".to_owned(); 3]),
            "{method:?}"
        );
    }
    let (code, _, said) = run(&same, &["dp-means", "--curve"]);
    assert!(code == 1 && said.contains("equal"), "{said}");
}

#[test]
fn starts_priors_and_arrays_from_the_command_line() {
    let dir = TempDir::new().unwrap();
    let data = file(&dir, "clumps.csv", "x\n0\n0.1\n5\n5.1\n");
    let start = file(&dir, "start.labels", "1\t7\n2\t7\n3\t9\n4\t9\n");
    let stay = [
        "dp-means",
        "--lambda",
        "1000",
        "--passes",
        "1",
        "--start",
        start.to_str().unwrap(),
    ];
    assert_eq!(run(&data, &stay).1, ["0", "0", "1", "1"]);
    let few = file(&dir, "few.labels", "1\t7\n");
    let (code, _, said) = run(
        &data,
        &[
            "dp-means",
            "--lambda",
            "1",
            "--start",
            few.to_str().unwrap(),
        ],
    );
    assert!(code == 1 && said.contains("row 2"), "{said}");
    let chain = [
        "gibbs",
        "--alpha-prior",
        "2,1",
        "--sigma-prior",
        "3,0.1",
        "--samples",
        "50",
        "--burn-in",
        "50",
    ];
    assert_eq!(run(&data, &chain).1, ["0", "0", "1", "1"]);
    assert_eq!(run(&data, &["gibbs", "--alpha-prior", "2"]).0, 2);
    let (code, _, said) = run(
        &data,
        &["gibbs", "--sigma-prior", "-1,1", "--samples", "10"],
    );
    assert!(code == 1 && said.contains('σ'), "{said}");

    let values: Vec<u8> = [0.0f64, 0.1, 5.0, 5.1]
        .iter()
        .flat_map(|v| v.to_le_bytes())
        .collect();
    let array = file(&dir, "a.npy", npy("<f8", false, "(4, 1)", &values));
    assert_eq!(run(&array, &["k-means", "-k", "2"]).1, ["0", "0", "1", "1"]);
    let (code, _, said) = run(&array, &["k-means", "-k", "2", "--label", "class"]);
    assert!(code == 1 && said.contains("table"), "{said}");
}

#[test]
fn standardising_and_stop_rules_matter() {
    let dir = TempDir::new().unwrap();
    // The second column decides by its units alone.
    let data = file(
        &dir,
        "units.csv",
        "x,y\n0,0\n0,1000\n1,0\n1,1000\n0,10\n1,990\n",
    );
    assert_eq!(
        run(&data, &["dp-means", "--lambda", "2e5"]).1,
        ["0", "1", "0", "1", "0", "1"]
    );
    assert_eq!(
        run(&data, &["dp-means", "--lambda", "1.5", "--standardise"])
            .1
            .iter()
            .max()
            .unwrap(),
        "3"
    );
    let json = dir.path().join("out.json");
    run(
        &data,
        &[
            "dp-means",
            "--curve",
            "--passes",
            "1",
            "-o",
            "/dev/null",
            "--json",
            json.to_str().unwrap(),
        ],
    );
    let document = json_of(&json);
    assert_eq!(
        (&document["fit"]["passes"], &document["fit"]["stop"]),
        (&1.into(), &"passes".into())
    );
    let curve = document["clustering"]["curve"].as_array().unwrap();
    assert_eq!(curve.len(), 60);
    let flat = document["clustering"]["plateaus"].as_array().unwrap();
    assert!(flat.iter().any(|p| p["high"].as_f64() > p["low"].as_f64()));
    assert_eq!(
        document["metrics"]["sizes"]
            .as_array()
            .unwrap()
            .iter()
            .map(|s| s.as_u64().unwrap())
            .sum::<u64>(),
        6
    );
}

/// The linear kernel of 0, 0.1, 5 and 5.3 as a `.npy` file.
fn linear_kernel(dir: &TempDir) -> PathBuf {
    let x = [0.0f64, 0.1, 5.0, 5.3];
    let products = x.iter().flat_map(|a| x.iter().map(move |b| a * b));
    let bytes: Vec<u8> = products.flat_map(f64::to_le_bytes).collect();
    file(dir, "k.npy", npy("<f8", false, "(4, 4)", &bytes))
}

#[test]
fn a_kernel_matrix_is_clustered_like_its_points() {
    let dir = TempDir::new().unwrap();
    let kernel = linear_kernel(&dir);
    for price in [
        &["--lambda", "4"][..],
        &["--clusters", "2"],
        &["-k", "2", "--shuffle"],
    ] {
        let arguments = [&["dp-means", "--kernel"], price].concat();
        let (code, labels, said) = run(&kernel, &arguments);
        assert_eq!(
            (code, labels.join(" ")),
            (0, "0 0 1 1".to_owned()),
            "{said}"
        );
        assert_eq!(said.contains("chosen"), price[0] != "--lambda", "{said}");
    }
    // What makes no sense for a kernel is refused by name.
    for flag in [
        &["--label", "x"][..],
        &["--group", "x"],
        &["--weight", "x"],
        &["--name", "x"],
        &["--ignore", "x"],
        &["--missing", "drop"],
        &["--standardise"],
        &["--runs", "3"],
        &["--centres", "c.csv"],
        &["--report", "r.html"],
    ] {
        let arguments = [&["dp-means", "--kernel", "--lambda", "4"], flag].concat();
        let (code, _, said) = run(&kernel, &arguments);
        assert!(code == 2 && said.contains(flag[0]), "{flag:?}: {said}");
    }
    let values: Vec<u8> = [1.0f64, 2.0, 3.0, 4.0]
        .iter()
        .flat_map(|v| v.to_le_bytes())
        .collect();
    let skew = file(&dir, "skew.npy", npy("<f8", false, "(2, 2)", &values));
    let (code, _, said) = run(&skew, &["dp-means", "--kernel", "--lambda", "1"]);
    assert!(code == 1 && said.contains("skew.npy"), "{said}");
    let flat = file(&dir, "flat.npy", npy("<f8", false, "(1, 4)", &values));
    assert_eq!(run(&flat, &["dp-means", "--kernel", "--lambda", "1"]).0, 1);
}

#[test]
fn a_chosen_price_is_said_and_kept() {
    let dir = TempDir::new().unwrap();
    let data = file(&dir, "clumps.csv", CLUMPS);
    let json = dir.path().join("out.json");
    let page = dir.path().join("page.html");
    for (method, kept) in [
        (
            &["dp-means", "--clusters", "3", "--ignore", "class,set"][..],
            "lambda",
        ),
        (&["dp-means", "--curve", "--ignore", "class,set"], "lambda"),
        (
            &[
                "hdp",
                "--group",
                "set",
                "--ignore",
                "class",
                "--local-clusters",
                "2",
                "--global-clusters",
                "3",
            ],
            "lambda_global",
        ),
    ] {
        let files = [
            "--json",
            json.to_str().unwrap(),
            "--report",
            page.to_str().unwrap(),
        ];
        let (code, _, said) = run(&data, &[method, &files[..]].concat());
        assert_eq!(code, 0, "{said}");
        let price = json_of(&json)["clustering"][kept].as_f64().unwrap();
        assert!(
            said.contains(&format!("{price}")) && said.contains("chosen"),
            "{said}"
        );
        let drawn = std::fs::read_to_string(&page)
            .unwrap()
            .contains("\"curve\":[[");
        assert_eq!(drawn, method.contains(&"--curve"), "{method:?}");
        assert_eq!(
            said.contains('┐') && said.contains('└'),
            method.contains(&"--curve")
        );
    }
    let given = run(
        &data,
        &["dp-means", "--lambda", "4", "--ignore", "class,set"],
    );
    assert!(!given.2.contains("chosen"), "{}", given.2);
}

#[test]
fn every_method_refuses_what_it_cannot_use() {
    let dir = TempDir::new().unwrap();
    let data = file(&dir, "clumps.csv", CLUMPS);
    for arguments in [
        &["dp-means", "--lambda", "1", "--group", "set"][..],
        &["k-means", "-k", "2", "--group", "set"],
        &["gibbs", "--group", "set"],
        &["gibbs", "--relative-gain", "0.1"],
        &["gibbs", "--passes", "3"],
        &["gibbs", "--runs", "3"],
        &["k-means", "-k", "2", "--start", "x"],
        &[
            "hdp",
            "--lambda-local",
            "1",
            "--lambda-global",
            "1",
            "--shuffle",
        ],
    ] {
        let (code, _, said) = run(&data, arguments);
        let flag = arguments
            .iter()
            .rev()
            .find(|a| a.starts_with("--"))
            .unwrap();
        assert!(code == 2 && said.contains(flag), "{arguments:?}: {said}");
    }
}

#[test]
fn stop_rules_names_and_seeds_by_their_long_names() {
    let dir = TempDir::new().unwrap();
    let data = file(
        &dir,
        "named.csv",
        "who,w,x\nann,1,0\nbob,2,1\neve,1,8\njoe,1,9\n",
    );
    let roles = ["--name", "who", "--weight", "w", "--header", "yes"];
    for method in [
        &["dp-means", "--lambda", "9", "--relative-gain", "0.5"][..],
        &["dp-means", "--lambda", "9", "--tolerance", "0.5"],
        &[
            "dp-means",
            "--lambda",
            "9",
            "--time-limit",
            "60",
            "--seed",
            "7",
            "--runs",
            "3",
        ],
        &["k-means", "--clusters", "2", "--passes", "5", "--runs", "5"],
    ] {
        let (code, labels, said) = run(&data, &[method, &roles].concat());
        assert_eq!(
            (code, labels.join(" ")),
            (0, "0 0 1 1".to_owned()),
            "{method:?}: {said}"
        );
    }
    let gibbs = [
        "gibbs",
        "--ignore",
        "who,w",
        "--rho",
        "50",
        "--thin",
        "5",
        "--samples",
        "50",
        "--burn-in",
        "20",
        "--sigma",
        "0.5",
        "--time-limit",
        "60",
    ];
    assert_eq!(run(&data, &gibbs).0, 0);
    // No time at all still gives every row a cluster, and says why it ended.
    let none = [
        "k-means",
        "-k",
        "2",
        "--ignore",
        "who,w",
        "--time-limit",
        "0",
        "--runs",
        "1000000",
    ];
    let (code, labels, said) = run(&data, &none);
    assert_eq!((code, labels.len()), (0, 4), "{said}");
    assert!(said.contains("ended by: time"), "{said}");
}

#[test]
fn a_column_of_names_is_no_coordinate() {
    let dir = TempDir::new().unwrap();
    let rows = (0..1500).map(|i| format!("row{i},{i}\n"));
    let data = file(
        &dir,
        "t.csv",
        format!("who,x\n{}", rows.collect::<String>()),
    );
    let (code, _, said) = run(&data, &["dp-means", "--lambda", "1"]);
    assert!(
        code == 1 && said.contains("\"who\"") && said.contains("1500"),
        "{said}"
    );
    assert_eq!(run(&data, &["k-means", "-k", "2", "--name", "who"]).0, 0);
}
