//! The HDP on graphs.

use crate::support::graphs;
use lambdacut::cut::Cut;
use lambdacut::graph::{Csr, Graph};
use lambdacut::hdp::{self, Prices};
use lambdacut::ids::NONE;
use lambdacut::kernel_dp_means::Kernel;
use lambdacut::layers::{Coupling, LayeredGraph, Layers, TwoPrices};
use lambdacut::params::Resolution;
use lambdacut::points::Groups;
use lambdacut::run::StopRules;
use lambdacut::search::effort::Effort;
use nalgebra::DMatrix;
use proptest::prelude::*;

fn layered(a: &Csr<f64>, b: &Csr<f64>, coupling: Coupling, weight: f64) -> LayeredGraph {
    let (a, b) = (Graph::from(a.clone()), Graph::from(b.clone()));
    LayeredGraph::new(&[&a, &b], coupling, weight).unwrap()
}

fn prices(beta: f64, lambda_local: f64) -> TwoPrices {
    TwoPrices {
        cut: Cut::Normalized,
        beta: Some(Resolution::new(beta).unwrap()),
        lambda_local,
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// `J + λ_ℓ Σ k_j + λ_g g = C + Cut + λ_ℓ Σ k_j − β g` with `β = σ + 1 − λ_g`, for any labels:
    /// the local price keeps its sign.
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
        let hdp = hdp::objective(&kernel, &groups, &alive, Prices { local, global: sigma + 1.0 - beta });
        let cut = prices(beta, local).value(&layered, &labels);
        prop_assert!((hdp - constant - cut).abs() < 1e-9 * (1.0 + hdp.abs()), "{} against {}", hdp - constant, cut);
    }

    #[test]
    fn the_search_lowers_the_objective(a in graphs(12), b in graphs(12), beta in 0.1..0.9f64, local in -0.2..0.2f64) {
        let layered = layered(&a, &b, Coupling::All, 0.5);
        let prices = prices(beta, local);
        let stop = StopRules { passes: Some(50), ..StopRules::default() };
        let method = Layers { prices: prices.clone(), effort: Effort::Fast, stop, ..Layers::default() };
        let found = method.run(&layered).unwrap();
        for pair in found.trace.windows(2) {
            prop_assert!(pair[1].value <= pair[0].value + 1e-9);
        }
        prop_assert!((found.value - prices.value(&layered, &found.labels)).abs() < 1e-9);
        let isolated = |v: usize| layered.graph.degree(v) == 0.0;
        prop_assert!((0..layered.graph.vertices()).all(|v| isolated(v) == (found.labels[v] == NONE)));
    }
}

/// Two cliques in both layers, the bridge only in the second.
#[test]
fn layers_share_their_clusters() {
    let clique =
        |from: u32| (from..from + 5).flat_map(move |i| (i + 1..from + 5).map(move |j| (i, j, 1.0)));
    let a: Vec<_> = clique(0).chain(clique(5)).collect();
    let b: Vec<_> = clique(0).chain(clique(5)).chain([(4, 5, 1.0)]).collect();
    let graph = |edges: &[_]| Csr::from_edges(10, edges).unwrap();
    let layered = layered(&graph(&a), &graph(&b), Coupling::Chain, 1.0);
    let run = |local| {
        let method = Layers::new().resolution(0.4).unwrap();
        method.local_price(local).run(&layered).unwrap()
    };
    let found = run(0.05);
    assert_eq!(
        (found.clusters, layered.local_clusters(&found.labels)),
        (2, vec![2, 2])
    );
    assert_eq!(
        layered.part(&found.labels, 0),
        layered.part(&found.labels, 1)
    );
    assert!(LayeredGraph::new(&[], Coupling::Chain, -1.0).is_err());
    // A local cluster so dear that one for each layer is best.
    assert_eq!(layered.local_clusters(&run(5.0).labels), [1, 1]);
}
