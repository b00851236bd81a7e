//! The library as a program meets it: graphs with names, options, results, and what every algorithm
//! does alike.

use lambdacut::clustering::{Clustering, PointClustering};
use lambdacut::cut::Cut;
use lambdacut::dp_means::DpMeans;
use lambdacut::generate::{Blobs, Lfr, Planted};
use lambdacut::gibbs::Gibbs;
use lambdacut::graph::{Csr, Graph, Unit, Weight, components};
use lambdacut::hdp::Hdp;
use lambdacut::ids::NONE;
use lambdacut::k_means::KMeans;
use lambdacut::kernel_dp_means::{KernelDpMeans, Start};
use lambdacut::labels::{completed, renumber, sizes};
use lambdacut::layers::{Coupling, LayeredGraph, Layers};
use lambdacut::points::{Groups, Points};
use lambdacut::prelude::*;
use lambdacut::run::Run;
use lambdacut::spectral::Spectral;
use lambdacut::with_csr;
use petgraph::graph::{NodeIndex, UnGraph};
use petgraph::stable_graph::StableUnGraph;
use proptest::prelude::*;
use std::time::Duration;

/// Two triangles of friends, a weak link between them, and somebody who knows nobody.
fn friends() -> Graph {
    let edges = [
        ("ann", "bob", 1.0),
        ("bob", "cat", 1.0),
        ("ann", "cat", 1.0),
        ("zoe", "zoe", 0.0),
        ("cat", "dan", 0.1),
        ("dan", "eve", 1.0),
        ("eve", "fay", 1.0),
        ("dan", "fay", 1.0),
    ];
    Graph::from_named_edges(edges).unwrap()
}

#[test]
fn names_are_numbered_in_order_of_first_appearance() {
    let graph = friends();
    assert_eq!((graph.node_count(), graph.edge_count()), (7, 7));
    let names: Vec<_> = (0..7).map(|i| graph.name(i).into_owned()).collect();
    assert_eq!(names, ["ann", "bob", "cat", "zoe", "dan", "eve", "fay"]);
    assert_eq!(graph.vertex("dan"), Some(4));
    assert_eq!(graph.vertex("Dan"), None);
    assert_eq!(graph.degree(2), 2.1);
    let neighbors: Vec<(u32, f64)> = graph.neighbors(2).collect();
    assert_eq!(neighbors, [(0, 1.0), (1, 1.0), (4, 0.1)]);
}

#[test]
fn a_vertex_without_an_edge_has_no_cluster() {
    let graph = friends();
    let best = Search::new().run(&graph).unwrap();
    assert_eq!(best.k(), 2);
    assert_eq!(best.cluster_of(3), None);
    assert_eq!(best.cluster_of(4), Some(best.labels[4]));
    let by_name: Vec<_> = best.by_name(&graph).collect();
    assert_eq!(by_name.len(), 7);
    assert_eq!(by_name[3], ("zoe".into(), None));
    assert_eq!(by_name[0], ("ann".into(), Some(0)));
    assert_eq!(best.iter().filter(Option::is_none).count(), 1);
    assert_eq!(best.members_by_name(&graph, 0), ["ann", "bob", "cat"]);
    assert_eq!(best.members_by_name(&graph, 1), ["dan", "eve", "fay"]);
    assert!(best.members_by_name(&graph, 2).is_empty());
    assert_eq!(best.members(), [[0, 1, 2], [4, 5, 6]]);
    assert_eq!(best.sizes(), [3, 3]);
}

/// Edges on `n` vertices, with loops and parallel ones, some lists without any weight but 1.
fn edge_lists() -> impl Strategy<Value = (usize, Vec<(u32, u32, f64)>, usize)> {
    (1..20usize, any::<bool>()).prop_flat_map(|(n, plain)| {
        let weight = (1u32..9).prop_map(move |w| if plain { 1.0 } else { f64::from(w) / 4.0 });
        let edge = (0..n as u32, 0..n as u32, weight);
        let edges = proptest::collection::vec(edge, 0..40);
        (Just(n), edges, 0..40usize)
    })
}

proptest! {
    #[test]
    fn edges_added_later_are_edges((n, edges, first) in edge_lists()) {
        let (early, late) = edges.split_at(first.min(edges.len()));
        let whole = Graph::from_edges(n, &edges).unwrap();
        let grown = Graph::from_edges(n, early).unwrap().with_edges(late.iter().copied()).unwrap();
        prop_assert_eq!(whole.to_sprs(), grown.to_sprs());
        prop_assert_eq!(whole.edge_count(), grown.edge_count());
        for i in 0..n {
            let own = edges.iter().filter(|e| e.0 as usize == i || e.1 as usize == i);
            prop_assert_eq!(grown.degree(i), own.map(|e| e.2).sum::<f64>());
        }
    }
}

#[test]
fn edges_are_added_to_vertices_that_are_there() {
    let graph = friends();
    let grown = graph.with_edges([(0, 1, 0.5), (3, 4, 2.0)]).unwrap();
    assert_eq!((grown.node_count(), grown.edge_count()), (7, 8));
    assert_eq!(grown.neighbors(0).next(), Some((1, 1.5)));
    assert_eq!((grown.name(3).as_ref(), grown.degree(3)), ("zoe", 2.0));
    // The graph itself is as it was.
    assert_eq!((graph.edge_count(), graph.degree(3)), (7, 0.0));
    assert!(graph.with_edges([(0, 7, 1.0)]).is_err());
    assert!(graph.with_edges([(0, 1, f64::NAN)]).is_err());
    assert!(graph.with_edges([(0, 1, -1.0)]).is_err());
}

#[test]
fn parallel_edges_from_petgraph_add_up() {
    let weight_of = |weights: &[f64]| {
        let mut parallel = UnGraph::<(), f64>::with_capacity(2, weights.len());
        let (a, b) = (parallel.add_node(()), parallel.add_node(()));
        for (at, &weight) in weights.iter().enumerate() {
            // In either direction: the graph has none.
            let (from, to) = if at % 2 == 0 { (a, b) } else { (b, a) };
            parallel.add_edge(from, to, weight);
        }
        let graph = Graph::from_petgraph(&parallel, |weight| *weight).unwrap();
        assert_eq!((graph.node_count(), graph.edge_count()), (2, 1));
        graph.degree(0)
    };
    assert_eq!(weight_of(&[1.0]), 1.0);
    assert_eq!(weight_of(&[1.0; 5]), 5.0);
    assert_eq!(weight_of(&[1.0, 1.0, 2.0, 1.0, 1.0]), 6.0);
    assert_eq!(weight_of(&[0.25, 0.5]), 0.75);
}

#[test]
fn petgraph_in_and_out() {
    let mut stable = StableUnGraph::<&str, u32>::default();
    let nodes = ["a", "gone", "b", "c", "alone"].map(|name| stable.add_node(name));
    stable.add_edge(nodes[0], nodes[2], 3);
    stable.add_edge(nodes[2], nodes[3], 1);
    stable.add_edge(nodes[1], nodes[3], 9);
    stable.add_edge(nodes[3], nodes[3], 2);
    stable.remove_node(nodes[1]);
    let graph = Graph::from_petgraph(&stable, |&weight| f64::from(weight)).unwrap();
    // Holes are closed; vertices are called by petgraph's index.
    assert_eq!((graph.node_count(), graph.edge_count()), (4, 3));
    assert_eq!((graph.name(1).as_ref(), graph.vertex("4")), ("2", Some(3)));
    let found = Search::new().clusters(1).run(&graph).unwrap();
    let back = found.to_petgraph(&graph);
    assert_eq!((back.node_count(), back.edge_count()), (4, 3));
    let clusters: Vec<Option<u32>> = back.node_weights().copied().collect();
    assert_eq!(clusters, [Some(0), Some(0), Some(0), None]);
    let weight = |a: usize, b: usize| {
        let edge = back.find_edge(NodeIndex::new(a), NodeIndex::new(b));
        edge.map(|edge| back[edge])
    };
    assert_eq!(weight(0, 1), Some(3.0));
    assert_eq!(weight(2, 2), Some(2.0));
    assert_eq!(weight(0, 2), None);
    let again = Graph::from_petgraph(&back, |&weight| weight).unwrap();
    assert_eq!(again.to_sprs(), graph.to_sprs());
}

/// The messages with which every algorithm on graphs refuses this cut; an empty one where it does
/// not.
fn refusals(graph: &Graph, cut: &Cut) -> Vec<(&'static str, String)> {
    let search = || Search::new().cut(cut.clone());
    let kernel = KernelDpMeans::new().cut(cut.clone());
    let spectral = || Spectral::new().cut(cut.clone());
    let layered = LayeredGraph::new(&[graph], Coupling::Chain, 1.0).unwrap();
    let layers = Layers::new().cut(cut.clone()).resolution(0.4).unwrap();
    vec![
        ("search", message(search().run(graph))),
        (
            "search at β",
            message(search().resolution(0.4).unwrap().run(graph)),
        ),
        ("search for k", message(search().clusters(2).run(graph))),
        (
            "kernel DP-means",
            message(kernel.resolution(0.4).unwrap().run(graph)),
        ),
        (
            "spectral at β",
            message(spectral().resolution(0.4).unwrap().run(graph)),
        ),
        ("spectral for k", message(spectral().clusters(2).run(graph))),
        ("layers", message(layers.run(&layered))),
    ]
}

fn message<T, E: std::fmt::Display>(result: Result<T, E>) -> String {
    result
        .err()
        .map_or(String::new(), |error| error.to_string())
}

#[test]
fn every_algorithm_checks_the_masses() {
    let graph = friends();
    for wrong in [0.0, -1.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let mut masses = vec![1.0; 7];
        masses[5] = wrong;
        for (method, message) in refusals(&graph, &Cut::Masses(masses.into())) {
            let place = format!("{wrong} at vertex 5");
            assert!(message.contains(&place), "{method}, {place}: {message:?}");
        }
    }
    for count in [0, 6, 8] {
        for (method, message) in refusals(&graph, &Cut::Masses(vec![1.0; count].into())) {
            let named = message.contains("the number of masses");
            let counted = message.contains(&count.to_string());
            assert!(named && counted, "{method}, {count} masses: {message:?}");
        }
    }
    // The mass of a vertex without an edge does not matter.
    let ratio = Search::new().cut(Cut::Ratio).run(&graph).unwrap();
    for ignored in [f64::NAN, 0.0, -3.0, 1e12] {
        let mut masses = vec![1.0; 7];
        masses[3] = ignored;
        let cut = Cut::Masses(masses.into());
        for (method, message) in refusals(&graph, &cut) {
            assert_eq!(message, "", "{method}");
        }
        let found = Search::new().cut(cut).run(&graph).unwrap();
        assert_eq!((&found.labels, found.value), (&ratio.labels, ratio.value));
    }
}

fn planted(vertices: usize, mixing: f64) -> Planted {
    let lfr = Lfr {
        vertices,
        mixing,
        ..Lfr::default()
    };
    lfr.generate().unwrap()
}

#[test]
fn a_better_start_is_used_whatever_is_looked_for() {
    // So mixed that a search without time has nothing as good as the planted clusters.
    let planted = planted(1000, 0.6);
    let (csr, truth) = (planted.graph().unwrap(), &planted.truth);
    let graph = Graph::from(csr.clone());
    let k = *truth.iter().max().unwrap() as usize + 1;
    let known = Cut::Normalized.evaluate(&csr, truth, k);
    let no_time = Search::new().time_limit(Duration::ZERO);
    let at_beta = |search: Search<'static>| search.resolution(0.65).unwrap();

    let recommended = no_time.clone().start(truth.clone()).run(&graph).unwrap();
    let worth = known.value(recommended.beta);
    assert!(recommended.value <= worth + 1e-9, "{}", recommended.value);
    let plain = no_time.run(&graph).unwrap();
    assert!(plain.k() < k / 2, "{} clusters without a start", plain.k());

    let without = at_beta(no_time.clone()).run(&graph).unwrap();
    assert!(without.value > known.value(0.65) + 1.0, "{}", without.value);
    let with = at_beta(no_time.clone()).start(truth.clone()).run(&graph);
    assert!(with.unwrap().value <= known.value(0.65) + 1e-9);

    let without = no_time.clone().clusters(k).run(&graph).unwrap();
    assert!(without.cut() > known.cut + 1.0, "{}", without.cut());
    let with = no_time
        .clusters(k)
        .start(truth.clone())
        .run(&graph)
        .unwrap();
    assert!(with.k() == k && with.cut() <= known.cut + 1e-9);
}

#[test]
fn a_start_is_improved_where_there_is_time() {
    let planted = planted(1000, 0.6);
    let csr = planted.graph().unwrap();
    let graph = Graph::from(csr.clone());
    // Every tenth vertex is in the wrong place.
    let mut start = planted.truth.clone();
    for i in (0..1000).step_by(10) {
        start[i] = planted.truth[(i + 137) % 1000];
    }
    let k = renumber(&mut start);
    let known = Cut::Normalized.evaluate(&csr, &start, k);
    let search = Search::new().effort(Effort::Fast).start(start.clone());
    let best = search.run(&graph).unwrap();
    assert!(best.value < known.value(best.beta));
    let best = search.clusters(k).run(&graph).unwrap();
    assert!(best.k() == k && best.cut() < known.cut);
    // Vertices that are not in the start begin alone, as those that are new this week.
    start[..100].fill(NONE);
    let (alone, k) = completed(&start, |_| true);
    let known = Cut::Normalized.evaluate(&csr, &alone, k).value(0.65);
    let at_beta = Search::new().resolution(0.65).unwrap();
    let best = at_beta.start(start).run(&graph).unwrap();
    assert!(best.value < known && best.k() < k);
}

#[test]
fn a_certificate_bounds_what_can_be_gained() {
    let graph = friends();
    let cuts = [
        Cut::Normalized,
        Cut::Ratio,
        Cut::Masses([1.0, 2.0, 1.0, 1.0, 0.5, 1.0, 1.5].into()),
    ];
    for cut in cuts {
        for beta in [0.05, 0.3, 0.9] {
            let search = Search::new().cut(cut.clone()).resolution(beta).unwrap();
            let best = search.run(&graph).unwrap();
            let certificate = best.certify(&graph).unwrap();
            assert!(certificate.proved, "{cut:?} at {beta}");
            assert!(certificate.bound <= best.value + 1e-12 && certificate.gap(best.value) >= 0.0);
            // No partition at all is below the bound: all of 6 vertices are tried.
            for code in 0..6usize.pow(6) {
                let labels: Vec<u32> = (0..7)
                    .map(|i| match i {
                        3 => NONE,
                        _ => (code / 6usize.pow(i - u32::from(i > 3)) % 6) as u32,
                    })
                    .collect();
                let mut dense = labels.clone();
                let k = renumber(&mut dense);
                if dense == labels {
                    let value =
                        with_csr!(graph.csr(), g => cut.evaluate(g, &labels, k)).value(beta);
                    assert!(value >= certificate.bound - 1e-12, "{labels:?}");
                }
            }
        }
    }
    // Where k was asked for, the certificate is for the β at which the answer states F.
    let two = Search::new().clusters(2).run(&graph).unwrap();
    let certificate = two.certify(&graph).unwrap();
    assert!(certificate.gap(two.value) >= 0.0 && certificate.gap(two.value) < 0.2);
}

/// Labels `0..k` of all vertices with an edge, none left out, and the cut and F that are claimed.
fn check<W: Weight>(name: &str, graph: &Csr<W>, found: &Clustering) {
    assert_eq!(found.labels.len(), graph.vertices(), "{name}");
    for (i, cluster) in found.iter().enumerate() {
        assert_eq!(cluster.is_none(), graph.degree(i) == 0.0, "{name}: {i}");
        assert!(
            cluster.is_none_or(|c| (c as usize) < found.k()),
            "{name}: {i}"
        );
    }
    assert!(found.sizes().iter().all(|&size| size > 0), "{name}");
    let again = found.objective.evaluate(graph, &found.labels, found.k());
    assert!(
        (again.cut - found.cut()).abs() < 1e-9 * (1.0 + again.cut),
        "{name}"
    );
    let value = again.value(found.beta);
    assert!(
        (value - found.value).abs() < 1e-9 * (1.0 + value.abs()),
        "{name}"
    );
}

/// Every algorithm on graphs, ended by `run` before it has begun.
fn graph_methods_end(csr: &Csr<Unit>, run: Run<'_>, reason: StopReason) {
    let graph = &Graph::from(csr.clone());
    let count = components(csr).count as f64;
    let search = || Search {
        run,
        ..Search::new()
    };
    let kernel = |start| KernelDpMeans {
        run,
        start,
        ..KernelDpMeans::new().resolution(0.5).unwrap()
    };
    let spectral = || Spectral {
        run,
        ..Spectral::new()
    };
    let alike = [
        ("search", search().run(graph).unwrap().clustering),
        (
            "search at β",
            search()
                .resolution(0.5)
                .unwrap()
                .run(graph)
                .unwrap()
                .clustering,
        ),
    ];
    for (name, found) in &alike {
        // However little time there was.
        let (value, beta) = (found.value, found.beta);
        assert!(value <= -beta * count + 1e-9, "{name}: {value} at {beta}");
    }
    let for_k = search().clusters(40).run(graph).unwrap().clustering;
    assert_eq!(for_k.k(), 40);
    let others = [
        ("search for k", for_k),
        (
            "kernel DP-means",
            kernel(Start::One).run(graph).unwrap().clustering,
        ),
        (
            "several starts",
            kernel(Start::Several).run(graph).unwrap().clustering,
        ),
        (
            "far-apart start",
            kernel(Start::FarthestFirst(90))
                .run(graph)
                .unwrap()
                .clustering,
        ),
        (
            "spectral at β",
            spectral()
                .resolution(0.5)
                .unwrap()
                .run(graph)
                .unwrap()
                .clustering,
        ),
        (
            "spectral for k",
            spectral().clusters(40).run(graph).unwrap().clustering,
        ),
    ];
    for (name, found) in alike.iter().chain(&others) {
        check(name, csr, found);
        assert_eq!(found.stop, reason, "{name}");
    }
    let layered = LayeredGraph::new(&[graph, graph], Coupling::Chain, 0.5).unwrap();
    let layers = Layers {
        run,
        ..Layers::new().resolution(0.5).unwrap()
    };
    let found = layers.run(&layered).unwrap();
    check("layers", &layered.graph, &found);
    assert_eq!(found.stop, reason, "layers");
}

/// Every algorithm on points, ended by `run` before it has begun: one pass and no more.
fn point_methods_end(points: &Points, run: Run<'_>, reason: StopReason) {
    let n = points.len();
    let groups: Vec<u32> = (0..n as u32).map(|i| i % 3).collect();
    let groups = Groups::new(&groups, n).unwrap();
    let dp_means = || DpMeans {
        run,
        ..DpMeans::new().runs(3)
    };
    let k_means = KMeans {
        run,
        ..KMeans::new().clusters(15).runs(3)
    };
    let hdp = Hdp {
        run,
        ..Hdp::new().prices(2.0, 2.0).runs(3)
    };
    let gibbs = Gibbs {
        run,
        ..Gibbs::new()
    };
    let all: [(&str, PointClustering); 5] = [
        ("DP-means", dp_means().lambda(2.0).run(points).unwrap()),
        (
            "DP-means for k",
            dp_means().clusters(15).run(points).unwrap(),
        ),
        ("k-means", k_means.run(points).unwrap()),
        ("HDP", hdp.run(points, &groups).unwrap().clustering),
        ("Gibbs", gibbs.run(points).unwrap()),
    ];
    for (name, found) in all {
        assert_eq!((found.stop, found.trace.len()), (reason, 1), "{name}");
        assert_eq!(found.labels.len(), n, "{name}");
        assert!(
            found.labels.iter().all(|&c| (c as usize) < found.k()),
            "{name}"
        );
        let sizes = sizes(&found.labels, found.k());
        assert!(sizes.iter().all(|&size| size > 0), "{name}: {sizes:?}");
        assert!(found.value.is_finite(), "{name}");
    }
}

/// A graph with several components and isolated vertices.
fn scattered() -> Csr<Unit> {
    let planted = planted(2000, 0.4);
    let pairs = planted.edges.iter().copied();
    let apart = [(2000, 2001), (2001, 2002), (2004, 2005)];
    let edges: Vec<_> = pairs.chain(apart).map(|(i, j)| (i, j, 1.0)).collect();
    Csr::from_edges(2010, &edges).unwrap()
}

fn blobs() -> Points {
    let blobs = Blobs {
        points: 1500,
        clusters: 15,
        ..Blobs::default()
    };
    let made = blobs.generate().unwrap();
    Points::new(made.dimensions, made.values).unwrap()
}

#[test]
fn without_time_every_algorithm_answers() {
    let mut run = Run::default();
    run.time_limit = Some(Duration::ZERO);
    graph_methods_end(&scattered(), run, StopReason::Time);
    point_methods_end(&blobs(), run, StopReason::Time);
}

#[test]
fn cancelled_every_algorithm_answers() {
    let token = CancelToken::default();
    token.cancel();
    let run = Run::observed(&token);
    graph_methods_end(&scattered(), run, StopReason::Cancelled);
    point_methods_end(&blobs(), run, StopReason::Cancelled);
}
