//! The HDP on graphs.

use crate::support::graphs;
use lambdacut::cluster::effort::Effort;
use lambdacut::cluster::hdp;
use lambdacut::cluster::kernel_dp_means::Kernel;
use lambdacut::cluster::layers::{Coupling, LayeredGraph, TwoPrices};
use lambdacut::graph::{AnyGraph, Graph};
use lambdacut::ids::NONE;
use lambdacut::io::Names;
use lambdacut::observe::Silent;
use lambdacut::params::{ObjectiveKind, Resolution, StopRules};
use lambdacut::points::Groups;
use nalgebra::DMatrix;
use proptest::prelude::*;
use std::collections::HashSet;
use std::path::Path;

fn layered(a: &Graph<f64>, b: &Graph<f64>, coupling: Coupling, weight: f64) -> LayeredGraph {
    let (names_a, names_b) = (Names::numbers(a.vertices()), Names::numbers(b.vertices()));
    let (a, b) = (AnyGraph::F64(a.clone()), AnyGraph::F64(b.clone()));
    LayeredGraph::new(&[(&a, &names_a), (&b, &names_b)], coupling, weight).unwrap()
}

fn prices(kind: ObjectiveKind, beta: f64, lambda_local: f64) -> TwoPrices {
    TwoPrices { kind, beta: Resolution::new(beta).unwrap(), lambda_local }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// `J + λ_ℓ Σ k_j + λ_g g = C + Cut + λ_ℓ Σ k_j − β g` with `β = σ + 1 − λ_g`, for any labels: the local price keeps its sign.
    #[test]
    fn the_signs_of_the_two_prices(a in graphs(7), b in graphs(7), raw in proptest::collection::vec(0u32..4, 14), local in -1.0..1.0f64) {
        let layered = layered(&a, &b, Coupling::Chain, 0.7);
        let graph = &layered.graph;
        let live: Vec<usize> = (0..graph.vertices()).filter(|&v| graph.degree(v) > 0.0).collect();
        prop_assume!(!live.is_empty());
        let mut labels = vec![NONE; graph.vertices()];
        live.iter().for_each(|&v| labels[v] = raw[v % raw.len()]);
        let (sigma, beta) = (1.0, 0.3);
        let adjacency = |i: usize, j: usize| graph.rows().row(live[i]).find(|e| e.0 as usize == live[j]).map_or(0.0, |e| e.1);
        let degree = |i: usize| graph.degree(live[i]);
        let kernel = DMatrix::from_fn(live.len(), live.len(), |i, j| {
            adjacency(i, j) / (degree(i) * degree(j)) + if i == j { sigma / degree(i) } else { 0.0 }
        });
        let constant = sigma * live.len() as f64 + (0..live.len()).map(|i| adjacency(i, i) / degree(i)).sum::<f64>();
        let kernel = Kernel::dense(kernel, Some((0..live.len()).map(degree).collect())).unwrap();
        let groups: Vec<u32> = live.iter().map(|&v| layered.layer_of(v) as u32).collect();
        prop_assume!((groups.iter().max().unwrap() + 1) as usize <= live.len());
        let groups = Groups::new(&groups, live.len()).unwrap();
        let alive: Vec<u32> = live.iter().map(|&v| labels[v]).collect();
        let hdp = hdp::objective(&kernel, &groups, &alive, local, sigma + 1.0 - beta);
        let cut = prices(ObjectiveKind::NormalizedCut, beta, local).objective(&layered, &labels);
        prop_assert!((hdp - constant - cut).abs() < 1e-9 * (1.0 + hdp.abs()), "{} against {}", hdp - constant, cut);
    }

    #[test]
    fn the_search_lowers_the_objective(a in graphs(12), b in graphs(12), beta in 0.1..0.9f64, local in -0.2..0.2f64) {
        let layered = layered(&a, &b, Coupling::All, 0.5);
        let objective = prices(ObjectiveKind::NormalizedCut, beta, local);
        let fit = objective.cluster(&layered, Effort::Fast, StopRules { passes: Some(50), ..StopRules::default() }, &Silent).unwrap();
        for pair in fit.trace.windows(2) {
            prop_assert!(pair[1].value <= pair[0].value + 1e-9);
        }
        prop_assert!((fit.value - objective.objective(&layered, &fit.labels)).abs() < 1e-9);
        let isolated = |v: usize| layered.graph.degree(v) == 0.0;
        prop_assert!((0..layered.graph.vertices()).all(|v| isolated(v) == (fit.labels[v] == NONE)));
    }
}

/// Two cliques in both layers, the bridge only in the second.
#[test]
fn layers_share_their_clusters() {
    let clique = |from: u32| (from..from + 5).flat_map(move |i| (i + 1..from + 5).map(move |j| (i, j, 1.0)));
    let a: Vec<_> = clique(0).chain(clique(5)).collect();
    let b: Vec<_> = clique(0).chain(clique(5)).chain([(4, 5, 1.0)]).collect();
    let graph = |edges: &[_]| Graph::from_edges(10, edges).unwrap();
    let layered = layered(&graph(&a), &graph(&b), Coupling::Chain, 1.0);
    let run = |local| {
        prices(ObjectiveKind::NormalizedCut, 0.4, local).cluster(&layered, Effort::Normal, StopRules::default(), &Silent).unwrap()
    };
    let fit = run(0.05);
    assert_eq!((fit.clusters, layered.local_clusters(&fit.labels)), (2, vec![2, 2]));
    assert_eq!(layered.part(&fit.labels, 0), layered.part(&fit.labels, 1));
    assert!(LayeredGraph::new(&[], Coupling::Chain, -1.0).is_err());
    // A local cluster so dear that one for each layer is best.
    assert_eq!(layered.local_clusters(&run(5.0).labels), [1, 1]);
}

/// Runs `cluster --layers` on the two files; the exit code, the labels on standard output as (layer, vertex, cluster), what was said.
fn command(dir: &Path, more: &[&str]) -> (i32, Vec<(String, String, u32)>, String) {
    let mut command = assert_cmd::Command::new(env!("CARGO_BIN_EXE_lambdacut"));
    let run = command.current_dir(dir).args(["cluster", "--layers", "old.edges", "new.edges"]).args(more).assert();
    let output = run.get_output();
    let text = String::from_utf8(output.stdout.clone()).unwrap();
    let row = |line: &str| {
        let fields: Vec<&str> = line.split('\t').collect();
        (fields[0].to_owned(), fields[1].to_owned(), fields[2].parse().unwrap())
    };
    (output.status.code().unwrap(), text.lines().map(row).collect(), String::from_utf8(output.stderr.clone()).unwrap())
}

/// Four vertices, all joined.
fn clique(names: [&str; 4]) -> String {
    let pair = |(i, j): (usize, usize)| format!("{} {}\n", names[i], names[j]);
    [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)].into_iter().map(pair).collect()
}

#[test]
fn layers_with_different_vertices_from_the_command_line() {
    let dir = tempfile::tempdir().unwrap();
    let write = |name: &str, text: String| std::fs::write(dir.path().join(name), text).unwrap();
    // The new graph loses e…h and gains p…s; z is only mentioned by a loop that is dropped.
    write("old.edges", clique(["a", "b", "c", "d"]) + &clique(["e", "f", "g", "h"]) + "d e\n");
    write("new.edges", clique(["a", "b", "c", "d"]) + &clique(["p", "q", "r", "s"]) + "d p\nz z\n");
    let at = &["--resolution", "0.4", "--self-loops", "drop"];
    let (code, rows, said) = command(dir.path(), at);
    assert_eq!((code, rows.len()), (0, 17), "{said}");
    let of = |layer: &str, vertex: &str| rows.iter().find(|r| r.0 == layer && r.1 == vertex).unwrap().2;
    assert_eq!(of("old", "a"), of("new", "a"));
    assert_eq!(of("old", "e"), of("old", "h"));
    assert_eq!(of("new", "p"), of("new", "s"));
    assert_eq!([of("old", "a"), of("old", "e"), of("new", "p"), of("new", "z")].iter().collect::<HashSet<_>>().len(), 4);
    assert_eq!(of("new", "z"), 3, "a vertex without an edge is numbered behind the clusters");

    // Without coupling nothing is shared; with a high local price everything is.
    let (_, apart, _) = command(dir.path(), &[at, &["--coupling", "0"][..]].concat());
    let clusters = |rows: &[(String, String, u32)]| rows.iter().filter(|r| r.1 != "z").map(|r| r.2).collect::<HashSet<_>>().len();
    assert_eq!(clusters(&apart), 4);
    assert_eq!(clusters(&command(dir.path(), &[at, &["--local-price", "9"][..]].concat()).1), 1);

    write("truth", "a 1\nb 1\nc 1\nd 1\ne 2\nf 2\ng 2\nh 2\np 3\nq 3\nr 3\ns 3\n".to_owned());
    let more = ["-o", "out", "--json", "run.json", "--truth", "truth", "--local-price", "0.01", "--couple", "all"];
    let (code, _, said) = command(dir.path(), &[at, &more[..]].concat());
    assert_eq!(code, 0, "{said}");
    let document: serde_json::Value = serde_json::from_slice(&std::fs::read(dir.path().join("run.json")).unwrap()).unwrap();
    assert_eq!(document["objective"]["clusters"], 3);
    for (layer, vertices) in document["layers"].as_array().unwrap().iter().zip([8, 9]) {
        assert_eq!((&layer["clusters"], &layer["graph"]["vertices"]), (&2.into(), &vertices.into()));
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
    for (more, word) in [
        (&[][..], "--resolution"),
        (&["--resolution", "0.4", "--coupling", "-1"], "coupling"),
        (&["--resolution", "0.4", "--local-price", "inf"], "local price"),
        (&["--resolution", "0.4", "--layers", "old.txt", "old.edges"], "different file names"),
        (&["--clusters", "2"], "--layers"),
        (&["--resolution", "0.4", "--checkpoint", "c"], "--checkpoint"),
        (&["--resolution", "0.4", "-o", "old.txt"], "directory"),
    ] {
        let (code, rows, said) = command(dir.path(), more);
        assert!(code == 1 && rows.is_empty() && said.contains(word), "{more:?}: {code} {said}");
    }
}
