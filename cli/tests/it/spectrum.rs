//! The command `spectrum`, and certificates.

use crate::support::data;
use assert_cmd::Command;

/// The edges of `count` cliques of `size` in a ring, one edge between neighbours.
fn ring_of_cliques(count: usize, size: usize) -> String {
    let mut text = String::new();
    for c in 0..count {
        for i in 0..size {
            for j in 0..i {
                text += &format!("{} {}\n", c * size + j, c * size + i);
            }
        }
        text += &format!("{} {}\n", c * size + size - 1, (c + 1) % count * size);
    }
    text
}

#[test]
fn citeseer_has_390_zeros_and_503_eigenvalues_below_a_tenth() {
    let Some(dir) = data() else { return };
    let dir = tempfile::tempdir().map(|out| (dir, out)).unwrap();
    let json = dir.1.path().join("spectrum.json");
    let vectors = dir.1.path().join("vectors.npy");
    let mut command = Command::new(env!("CARGO_BIN_EXE_lambdacut"));
    command
        .arg("spectrum")
        .arg(dir.0.join("graphs/citeseer.edges.gz"))
        .args(["--below", "0.1", "--self-loops", "drop", "--threads", "2"]);
    let done = command
        .arg("--json")
        .arg(&json)
        .arg("--vectors")
        .arg(&vectors)
        .assert()
        .success();
    assert_eq!(
        done.get_output()
            .stdout
            .iter()
            .filter(|&&b| b == b'\n')
            .count(),
        503
    );
    let document: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(json).unwrap()).unwrap();
    let section = &document["spectrum"];
    assert_eq!(
        (&section["count"], &section["below"]),
        (&503.into(), &0.1.into())
    );
    let zeros = section["eigenvalues"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|v| v.as_f64() == Some(0.0))
        .count();
    assert_eq!(zeros, 390);
    let check = &section["check"];
    assert_eq!(
        (&check["method"], &check["found"], &check["complete"]),
        (&"inertia".into(), &503.into(), &true.into())
    );
    assert_eq!(
        (check["expected"].as_f64(), &check["proved"]),
        (Some(503.0), &true.into())
    );
    let written = lambdacut::io::read_npy(&vectors).unwrap();
    assert_eq!(written.dimension(), 503);
}

#[test]
fn the_command_needs_an_extent_and_keeps_to_the_cap() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("ring.edges");
    let text = ring_of_cliques(30, 8);
    std::fs::write(&file, text).unwrap();
    let lambdacut = || Command::new(env!("CARGO_BIN_EXE_lambdacut"));
    lambdacut().arg("spectrum").arg(&file).assert().code(2);
    lambdacut()
        .arg("spectrum")
        .arg(&file)
        .args(["--below", "nan"])
        .assert()
        .code(1);
    let capped = lambdacut()
        .arg("spectrum")
        .arg(&file)
        .args(["--below", "0.5", "--max-vectors", "12"])
        .assert()
        .success();
    let said = String::from_utf8_lossy(&capped.get_output().stderr).into_owned();
    assert!(
        said.contains("there are 30 eigenvalues below 0.5") && said.contains("INCOMPLETE"),
        "{said}"
    );
    assert!(
        said.contains("suggests --resolution") && said.contains("memory: "),
        "{said}"
    );
    assert_eq!(
        capped
            .get_output()
            .stdout
            .iter()
            .filter(|&&b| b == b'\n')
            .count(),
        12
    );
}

#[test]
fn every_method_is_certified_for_both_cuts() {
    let dir = tempfile::tempdir().unwrap();
    let (file, json) = (dir.path().join("ring.edges"), dir.path().join("out.json"));
    let text = ring_of_cliques(12, 6);
    std::fs::write(&file, text).unwrap();
    for method in ["path", "kernel-dp-means", "spectral"] {
        for (objective, beta) in [("ncut", "0.4"), ("rcut", "1.5")] {
            let mut command = Command::new(env!("CARGO_BIN_EXE_lambdacut"));
            command.args([
                "cluster",
                "--certify",
                "--method",
                method,
                "--objective",
                objective,
                "--resolution",
                beta,
            ]);
            let done = command
                .arg(&file)
                .arg("--json")
                .arg(&json)
                .assert()
                .success();
            let said = String::from_utf8_lossy(&done.get_output().stderr).into_owned();
            assert!(
                said.contains("certificate: about ") && said.contains("no clustering has F below"),
                "{said}"
            );
            let document: serde_json::Value =
                serde_json::from_str(&std::fs::read_to_string(&json).unwrap()).unwrap();
            let (bound, value) = (
                &document["certificate"]["bound"],
                &document["objective"]["value"],
            );
            assert!(
                bound.as_f64().unwrap() <= value.as_f64().unwrap(),
                "{method} {objective}: {bound} {value}"
            );
            assert_eq!(document["certificate"]["proved"], true);
        }
    }
}
