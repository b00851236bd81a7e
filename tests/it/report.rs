//! What reports contain: counts that add up, limits that hold, the same bytes every time.

use crate::support;
use base64::prelude::{BASE64_STANDARD, Engine};
use lambdacut::cut::Cut;
use lambdacut::generate::Cliques;
use lambdacut::graph::{Csr, Unit};
use lambdacut::graph::{Names, Strings};
use lambdacut::ids::{Cluster, NONE};
use lambdacut::io::Labels;
use lambdacut::partition::Sums;
use lambdacut::points::Points;
use lambdacut::report::html::{About, GraphSource, GraphView, LIMIT, Page, PointsSource, Stop};
use lambdacut::run::Silent;
use lambdacut::search::Path;
use lambdacut::search::Search;
use proptest::prelude::*;

fn view(
    graph: &Csr<f64>,
    names: &Names,
    truth: Option<&Labels>,
    partitions: &[(Vec<Cluster>, usize)],
) -> GraphView {
    let stop = |(labels, k): &(Vec<Cluster>, usize)| {
        let cut = Sums::of(graph, &Cut::Normalized, labels, *k).cut();
        Stop {
            clusters: *k,
            cut,
            beta: Some(0.5),
            ..Stop::default()
        }
    };
    let stops: Vec<Stop> = partitions.iter().map(stop).collect();
    let source = GraphSource {
        graph,
        names: names.into(),
        cut: &Cut::Normalized,
        truth,
    };
    source
        .view(
            &stops,
            partitions.len() / 2,
            &|at| partitions[at].0.clone(),
            &Silent,
        )
        .unwrap()
}

proptest! {
    #[test]
    fn counts_add_up(graph in support::graphs(60), raw in proptest::collection::vec(0u32..5, 60)) {
        let (labels, k) = support::labels_of(&graph, &raw);
        let connected = labels.iter().filter(|&&c| c != NONE).count();
        let classes = Strings::from_iter(["a", "b"]);
        let truth = Labels { labels: (0..graph.vertices() as u32).map(|i| i % 2).collect(), names: classes, missing: 0, unknown: 0 };
        let view = view(&graph, &Names::numbers(graph.vertices()), Some(&truth), &[(labels.clone(), k)]);
        prop_assert_eq!(view.vertices, connected);
        let detail = view.clusterings[0].detail.as_ref().unwrap();
        prop_assert_eq!(detail.table.cluster.len() + detail.rest.clusters, k);
        prop_assert_eq!(detail.table.size.iter().sum::<usize>() + detail.rest.vertices, connected);
        prop_assert_eq!(detail.sizes.iter().map(|bin| bin.0).sum::<usize>(), k);
        prop_assert_eq!(detail.sizes.iter().map(|bin| bin.1).sum::<usize>(), connected);
        let volume = detail.table.volume.iter().sum::<f64>() + detail.rest.volume;
        prop_assert!((volume - graph.volume()).abs() <= 1e-4 * graph.volume());
        prop_assert!(detail.table.volume.is_sorted_by(|a, b| a >= b));
        let seen = detail.truth.as_ref().unwrap();
        prop_assert_eq!(seen.heat.counts.iter().flatten().sum::<u64>(), connected as u64);
        // The weight of all links and insides is the volume, when every pair is shown.
        prop_assert_eq!(detail.network.x.len(), k);
        for best in &detail.table.best {
            prop_assert!(best.iter().all(|&at| (at as usize) < view.names.len()));
        }
        let side = detail.after.side;
        prop_assert_eq!(side, connected);
        let shades = BASE64_STANDARD.decode(&detail.after.shades).unwrap();
        prop_assert_eq!(shades.len(), side * (side + 1) / 2);
        // One pixel a vertex: as many are not empty as the triangle of the matrix has entries.
        let entries = usize::midpoint(graph.arcs(), graph.self_loops());
        prop_assert_eq!(shades.iter().filter(|&&shade| shade > 0).count(), entries);
        prop_assert_eq!(BASE64_STANDARD.decode(&view.before.shades).unwrap().iter().filter(|&&shade| shade > 0).count(), entries);
    }
}

#[test]
fn the_table_says_what_the_clusters_are() {
    let graph = support::ring_of_cliques(4, 5);
    let labels: Vec<Cluster> = (0..20).map(|i| i / 5).collect();
    let view = view(&graph, &Names::numbers(20), None, &[(labels, 4)]);
    let detail = view.clusterings[0].detail.as_ref().unwrap();
    assert_eq!(detail.table.size, [5; 4]);
    assert_eq!(detail.table.volume, [22.0; 4]);
    assert!(
        detail
            .table
            .conductance
            .iter()
            .all(|&c| (c - 2.0 / 22.0).abs() < 1e-6)
    );
    assert!(
        detail
            .table
            .inside
            .iter()
            .all(|&c| (c - 20.0 / 22.0).abs() < 1e-6)
    );
    assert_eq!((detail.network.links.len(), detail.network.pairs), (4, 4));
    assert!(detail.network.links.iter().all(|link| link.2 == 1.0));
    assert_eq!(detail.disconnected, 0);
    // F = 4 (2/22 − β) at β = 0.5.
    assert!((view.clusterings[0].value.unwrap() - (8.0 / 22.0 - 2.0)).abs() < 1e-5);
}

/// Clusterings of cliques into groups of 1, 2, … cliques, with names that take as much room as
/// names can.
fn large(cliques: usize) -> String {
    let graph = Cliques { cliques, size: 4 }
        .generate()
        .unwrap()
        .graph()
        .unwrap();
    let names: Strings = (0..graph.vertices())
        .map(|i| format!("<<<<<<<<<<<<<<<<<<<<<<<<<<<<{i:0>12}>>>>"))
        .collect::<Vec<_>>()
        .iter()
        .map(String::as_str)
        .collect();
    let group = |at: usize| 200 - at;
    let labels = |at: usize| -> Vec<Cluster> {
        (0..graph.vertices())
            .map(|i| (i / 4 / group(at)) as Cluster)
            .collect()
    };
    let stop = |at: usize| {
        let clusters = cliques.div_ceil(group(at));
        Stop {
            clusters,
            cut: 0.1 * clusters as f64,
            beta: Some(0.3),
            interval: Some((at as f64 / 200.0, (at + 1) as f64 / 200.0)),
            ..Stop::default()
        }
    };
    let stops: Vec<Stop> = (0..200).map(stop).collect();
    let truth = Labels {
        labels: labels(150),
        names: names.clone(),
        missing: 0,
        unknown: 0,
    };
    let names = Names::Strings(names);
    let source = GraphSource {
        graph: &graph,
        names: (&names).into(),
        cut: &Cut::Normalized,
        truth: Some(&truth),
    };
    let view = source.view(&stops, 199, &labels, &Silent).unwrap();
    let detailed = view
        .clusterings
        .iter()
        .filter(|c| c.detail.is_some())
        .count();
    assert_eq!((view.clusterings.len(), detailed), (200, 40));
    let last = view.clusterings[199].detail.as_ref().unwrap();
    assert_eq!(
        (last.table.cluster.len(), last.rest.clusters),
        (200, cliques - 200)
    );
    Page {
        graph: Some(view),
        ..Page::new("large", About::default())
    }
    .html()
    .unwrap()
}

#[test]
fn the_page_stays_below_its_limit_whatever_it_shows() {
    let html = large(20_000);
    assert!(html.len() < LIMIT, "{}", html.len());
    assert!(
        html.len() > LIMIT / 3,
        "the test no longer makes a large page: {}",
        html.len()
    );
}

#[test]
fn a_small_page_has_these_data() {
    let edges = [
        ("<a>", "b&"),
        ("b&", "c"),
        ("c", "<a>"),
        ("c", "d"),
        ("d", "e"),
        ("e", "f"),
        ("f", "d"),
    ];
    let names: Strings = ["<a>", "b&", "c", "d", "e", "f"].into_iter().collect();
    let number = |name: &str| (0..names.len()).find(|&i| names.get(i) == name).unwrap() as u32;
    let edges: Vec<_> = edges
        .iter()
        .map(|(a, b)| (number(a), number(b), 1.0))
        .collect();
    let graph: Csr<Unit> = Csr::from_edges(6, &edges).unwrap();
    let names = Names::Strings(names);
    let source = GraphSource {
        graph: &graph,
        names: (&names).into(),
        cut: &Cut::Normalized,
        truth: None,
    };
    let stops = [(1, 0.0, 0.0, 2.0 / 7.0), (2, 2.0 / 7.0, 2.0 / 7.0, 0.9)].map(
        |(clusters, cut, low, high)| Stop {
            clusters,
            cut,
            beta: Some(f64::midpoint(low, high)),
            interval: Some((low, high)),
            ..Stop::default()
        },
    );
    let labels = |at: usize| {
        if at == 0 {
            vec![0; 6]
        } else {
            vec![0, 0, 0, 1, 1, 1]
        }
    };
    let view = source.view(&stops, 1, &labels, &Silent).unwrap();
    let page = Page {
        graph: Some(view),
        ..Page::new("<two> triangles", About::default())
    };
    let json = page.json().unwrap();
    assert!(!json.contains(['<', '>', '&']));
    let value: serde_json::Value = serde_json::from_str(&json).unwrap();
    insta::assert_json_snapshot!("small_page", value);
    let html = page.html().unwrap();
    assert!(html.contains("<title>&lt;two&gt; triangles · lambdacut</title>"));
    assert!(!html.contains("{{") && !html.contains("<a>"));
}

#[test]
fn points_are_counted_and_their_squares_measured() {
    let rows: Vec<[f64; 2]> = vec![[0.0, 0.0], [0.0, 2.0], [9.0, 0.0], [9.0, 0.0], [9.0, 3.0]];
    let points = Points::from_rows(&rows).unwrap();
    let columns = ["x".to_owned(), "y".to_owned()];
    let classes = ["p".to_owned(), "q".to_owned()];
    let source = PointsSource {
        points: &points,
        columns: &columns,
        truth: Some((&[0, 0, 1, 1, 1], &classes)),
    };
    let view = source.view(&[1, 1, 0, 0, 0], 8.0).unwrap();
    assert_eq!((view.points, view.dimension, view.clusters), (5, 2, 2));
    assert_eq!(
        (view.table.size, view.table.within),
        (vec![3, 2], vec![6.0, 2.0])
    );
    assert_eq!(view.table.centre, [[9.0, 1.0], [0.0, 1.0]]);
    assert_eq!(view.truth.unwrap().ari, 1.0);
    assert_eq!(view.scatter.cluster, [1, 1, 0, 0, 0]);
}

#[test]
fn fixed_vertices_stay_together_in_every_clustering_of_a_walk() {
    let graph = support::ring_of_cliques(6, 4);
    let mut fixed = vec![NONE; 24];
    (fixed[1], fixed[13]) = (0, 0);
    let search = Search::new().fixed(fixed);
    let mut walk = Path::default();
    search.resume(&graph, &mut walk, &mut |_| {}).unwrap();
    assert!(walk.points().len() > 2);
    for (index, point) in walk.points().iter().enumerate() {
        let labels = search.labels_on_path(&graph, &walk, index);
        assert_eq!((labels.len(), labels[1]), (24, labels[13]));
        assert!(
            (Sums::of(&graph, &Cut::Normalized, &labels, point.clusters).cut() - point.cut).abs()
                < 1e-9
        );
    }
}
