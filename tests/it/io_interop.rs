//! petgraph and sprs graphs, in and out.

use crate::build::arcs;
use crate::support::graphs;
use lambdacut::graph::{
    AnyCsr, Csr, GraphError, Policy, Unit, from_petgraph, from_sprs, to_petgraph, to_sprs,
};
use lambdacut::ids::NONE;
use petgraph::Undirected;
use petgraph::graph::{DiGraph, UnGraph};
use petgraph::graphmap::UnGraphMap;
use petgraph::matrix_graph::MatrixGraph;
use petgraph::stable_graph::StableUnGraph;
use petgraph::visit::Reversed;
use proptest::prelude::*;
use std::collections::BTreeMap;

type Arcs = BTreeMap<(u32, u32), f64>;

fn symmetric(edges: &[(u32, u32, f64)]) -> Arcs {
    edges
        .iter()
        .flat_map(|&(i, j, w)| [((i, j), w), ((j, i), w)])
        .collect()
}

const EDGES: [(u32, u32, f64); 4] = [(0, 1, 2.0), (1, 2, 0.5), (2, 2, 3.0), (3, 0, 1.0)];

#[test]
fn every_petgraph_type_gives_the_same_graph() {
    let expected = symmetric(&EDGES);
    let policy = Policy::default();
    let graph = UnGraph::<(), f64>::from_edges(EDGES);
    assert_eq!(
        arcs(&from_petgraph(&graph, |w| *w, &policy).unwrap().graph),
        expected
    );

    let digraph = DiGraph::<(), f64>::from_edges(EDGES);
    assert_eq!(
        arcs(&from_petgraph(&digraph, |w| *w, &policy).unwrap().graph),
        expected
    );
    assert_eq!(
        arcs(
            &from_petgraph(Reversed(&digraph), |w| *w, &policy)
                .unwrap()
                .graph
        ),
        expected
    );

    let map = UnGraphMap::<u32, f64>::from_edges([
        (70, 81, 2.0),
        (81, 92, 0.5),
        (92, 92, 3.0),
        (13, 70, 1.0),
    ]);
    let read = from_petgraph(&map, |w| *w, &policy).unwrap();
    let named: Arcs = arcs(&read.graph)
        .into_iter()
        .map(|((i, j), w)| ((read.nodes[i as usize], read.nodes[j as usize]), w))
        .collect();
    assert_eq!(
        named,
        symmetric(&[(70, 81, 2.0), (81, 92, 0.5), (92, 92, 3.0), (13, 70, 1.0)])
    );

    let mut csr = petgraph::csr::Csr::<(), f64, Undirected>::with_nodes(4);
    let mut matrix = MatrixGraph::<(), f64, std::hash::RandomState, Undirected>::with_capacity(4);
    let nodes: Vec<_> = (0..4).map(|_| matrix.add_node(())).collect();
    for (i, j, w) in EDGES {
        csr.add_edge(i, j, w);
        matrix.add_edge(nodes[i as usize], nodes[j as usize], w);
    }
    assert_eq!(
        arcs(&from_petgraph(&csr, |w| *w, &policy).unwrap().graph),
        expected
    );
    assert_eq!(
        arcs(&from_petgraph(&matrix, |w| *w, &policy).unwrap().graph),
        expected
    );
}

#[test]
fn holes_are_closed_and_remembered() {
    let mut stable = StableUnGraph::<&str, f64>::default();
    let nodes: Vec<_> = ["a", "b", "c", "d"]
        .into_iter()
        .map(|n| stable.add_node(n))
        .collect();
    stable.add_edge(nodes[0], nodes[1], 1.0);
    stable.add_edge(nodes[3], nodes[2], 5.0);
    stable.add_edge(nodes[0], nodes[3], 1.0);
    stable.remove_node(nodes[1]);
    let read = from_petgraph(&stable, |w| *w, &Policy::default()).unwrap();
    assert_eq!(read.nodes, [nodes[0], nodes[2], nodes[3]]);
    assert_eq!(arcs(&read.graph), symmetric(&[(1, 2, 5.0), (0, 2, 1.0)]));
}

#[test]
fn a_directed_petgraph_follows_the_policy() {
    let digraph = DiGraph::<(), f64>::from_edges([(0, 1, 2.0), (1, 0, 3.0), (1, 2, 1.0)]);
    let read = from_petgraph(&digraph, |w| *w, &Policy::default()).unwrap();
    assert_eq!(arcs(&read.graph), symmetric(&[(0, 1, 5.0), (1, 2, 1.0)]));
    assert_eq!(read.counts.directed_arcs, 1);
    let unweighted = from_petgraph(&digraph, |_| 1.0, &Policy::default()).unwrap();
    assert!(matches!(unweighted.graph, AnyCsr::Unit(_)));
    assert!(from_petgraph(&digraph, |_| f64::NAN, &Policy::default()).is_err());
}

proptest! {
    #[test]
    fn there_and_back(g in graphs(20)) {
        let labels: Vec<u32> = (0..g.vertices()).map(|i| if g.degree(i) > 0.0 { i as u32 % 3 } else { NONE }).collect();
        let there = to_petgraph(&g, &labels);
        for (i, &label) in labels.iter().enumerate() {
            prop_assert_eq!(there[petgraph::graph::NodeIndex::new(i)], (label != NONE).then_some(label));
        }
        let total: f64 = there.edge_references().map(|e| *e.weight()).sum();
        prop_assert!((total - g.total_weight()).abs() <= 1e-9 * total.max(1.0));
        let back = from_petgraph(&there, |w| *w, &Policy::default()).unwrap();
        let expected: Csr<f64> = from_sprs(&to_sprs::<f64, u32, usize>(&g), |w| *w).unwrap();
        prop_assert_eq!(arcs(&back.graph), arcs(&AnyCsr::F64(g)));
        prop_assert_eq!(arcs(&back.graph), arcs(&AnyCsr::F64(expected)));
    }
}

#[test]
fn sprs_matrices_are_checked() {
    let matrix = |entries: &[(usize, usize, f64)], shape| {
        let mut triplets = sprs::TriMat::new(shape);
        for &(i, j, w) in entries {
            triplets.add_triplet(i, j, w);
        }
        triplets.to_csc::<usize>()
    };
    let read = |m: &sprs::CsMat<f64>| from_sprs::<f64, _, _, _, _, _, _>(&m.view(), |w| *w);
    let symmetric = matrix(
        &[(0, 1, 2.0), (1, 0, 2.0), (2, 2, 1.0), (0, 2, 0.0)],
        (3, 3),
    );
    assert_eq!(read(&symmetric).unwrap().edges(), 2);
    assert_eq!(
        from_sprs::<Unit, _, _, _, _, _, _>(&symmetric, |w| *w)
            .unwrap()
            .degree(2),
        1.0
    );
    assert!(matches!(
        read(&matrix(&[(0, 1, 2.0)], (2, 2))).unwrap_err(),
        GraphError::Asymmetric { .. }
    ));
    assert!(matches!(
        read(&matrix(&[(0, 1, 2.0), (1, 0, 1.0)], (2, 2))).unwrap_err(),
        GraphError::Asymmetric { .. }
    ));
    assert!(matches!(
        read(&matrix(&[(0, 0, -1.0)], (2, 2))).unwrap_err(),
        GraphError::Weight { .. }
    ));
    assert!(matches!(
        read(&matrix(&[], (2, 3))).unwrap_err(),
        GraphError::Shape {
            rows: 2,
            columns: 3
        }
    ));
}

#[test]
fn parallel_edges_add_up_whatever_their_weight() {
    for weight in [1.0, 2.0] {
        let mut friends = UnGraph::<(), f64>::default();
        let (a, b) = (friends.add_node(()), friends.add_node(()));
        for _ in 0..3 {
            friends.add_edge(a, b, weight);
            friends.add_edge(b, a, weight);
        }
        let read = from_petgraph(&friends, |w| *w, &Policy::default()).unwrap();
        let degree = lambdacut::with_csr!(&read.graph, g => g.degree(0));
        assert_eq!(degree, 6.0 * weight);
    }
    // Without parallel edges, weights that are all 1 make an unweighted graph as before.
    let plain = UnGraph::<(), f64>::from_edges([(0, 1, 1.0), (1, 2, 1.0)]);
    let read = from_petgraph(&plain, |w| *w, &Policy::default()).unwrap();
    assert!(matches!(read.graph, AnyCsr::Unit(_)));
}
