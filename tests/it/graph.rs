//! The graph, its components and its contraction.

use crate::support::{graphs, labels_of};
use lambdacut::cut::Cut;
use lambdacut::graph::{Csr, Unit, components, contract};
use lambdacut::ids::NONE;
use lambdacut::partition::Sums;
use proptest::prelude::*;
use std::sync::Arc;

proptest! {
    #[test]
    fn a_built_graph_is_symmetric_and_adds_up(g in graphs(30)) {
        prop_assert!(g.check_symmetry().is_ok());
        let total: f64 = g.degrees().iter().sum();
        prop_assert!((total - g.volume()).abs() <= 1e-9 * total.max(1.0));
    }

    #[test]
    fn components_are_what_a_search_reaches(g in graphs(30)) {
        let found = components(&g);
        let mut seen = vec![NONE; g.vertices()];
        let mut count = 0;
        for start in 0..g.vertices() {
            if g.degree(start) == 0.0 || seen[start] != NONE { continue; }
            let mut stack = vec![start];
            while let Some(i) = stack.pop() {
                if seen[i] == NONE {
                    seen[i] = count;
                    stack.extend(g.rows().targets(i).iter().map(|&j| j as usize));
                }
            }
            count += 1;
        }
        prop_assert_eq!(found.labels, seen);
        prop_assert_eq!(found.count, count as usize);
    }

    #[test]
    fn contraction_keeps_every_sum(g in graphs(30), raw in proptest::collection::vec(any::<u32>(), 30), beta in 0.0..1.0) {
        let (labels, k) = labels_of(&g, &raw);
        let own: Vec<u32> = (0..k as u32).collect();
        let coarse = contract(&g, &labels, k);
        for masses in [Cut::Normalized, Cut::Ratio] {
            let fine = Sums::of(&g, &masses, &labels, k);
            let summed = Cut::Masses(Arc::from(fine.mass.as_slice()));
            let after = Sums::of(&coarse, &summed, &own, k);
            prop_assert!((fine.value(beta) - after.value(beta)).abs() < 1e-12 * k.max(1) as f64);
        }
    }
}

#[test]
fn links_of_unweighted_graphs_are_counted() {
    let edges: Vec<_> = (0..900u32)
        .map(|e| (e * 7919 % 300, e * 104_729 % 300, 1.0))
        .collect();
    let unit: Csr<Unit> = Csr::from_edges(300, &edges).unwrap();
    let rows = unit.rows();
    let arcs: Vec<_> = (0..300)
        .flat_map(|i| {
            rows.targets(i)
                .iter()
                .filter(move |&&j| j >= i as u32)
                .map(move |&j| (i as u32, j, 1.0))
        })
        .collect();
    let real: Csr<f64> = Csr::from_edges(300, &arcs).unwrap();
    let labels: Vec<u32> = (0..300).map(|i| i * 31 % 17).collect();
    let (counted, summed) = (contract(&unit, &labels, 17), contract(&real, &labels, 17));
    assert_eq!(counted.rows().targets, summed.rows().targets);
    assert_eq!(
        counted
            .rows()
            .weights
            .iter()
            .map(|&w| f64::from(w))
            .collect::<Vec<_>>(),
        summed.rows().weights
    );
    assert_eq!(counted.bytes() + 4 * counted.arcs(), summed.bytes());
}

#[test]
fn contraction_is_the_same_on_any_number_of_threads() {
    let edges: Vec<_> = (0..4000u32)
        .map(|e| {
            (
                e * 7919 % 1000,
                e * 104_729 % 1000,
                f64::from(e % 9 + 1) / 3.0,
            )
        })
        .collect();
    let g: Csr<f64> = Csr::from_edges(1000, &edges).unwrap();
    let labels: Vec<u32> = (0..1000).map(|i| i * 31 % 97).collect();
    let run = |threads| {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap();
        let c = pool.install(|| contract(&g, &labels, 97));
        (c.rows().targets.to_vec(), c.rows().weights.to_vec())
    };
    assert_eq!(run(1), run(2));
    assert_eq!(run(1), run(3));
}

#[test]
fn unweighted_graphs_store_no_weights() {
    let g: Csr<Unit> = Csr::from_edges(3, &[(0, 1, 1.0), (1, 2, 1.0), (2, 2, 1.0)]).unwrap();
    assert_eq!(g.bytes(), 4 * g.arcs() + 8 * (g.vertices() + 1));
    assert_eq!((g.edges(), g.self_loops(), g.total_weight()), (3, 1, 3.0));
}

#[test]
fn bad_arrays_are_refused() {
    assert!(Csr::<Unit>::from_arrays(vec![0, 1], vec![1], vec![Unit]).is_err());
    assert!(Csr::<Unit>::from_arrays(vec![1, 1], vec![0], vec![Unit]).is_err());
    assert!(Csr::<f64>::from_arrays(vec![0, 1], vec![0], vec![f64::NAN]).is_err());
    assert!(Csr::<f64>::from_edges(1, &[(0, 1, 1.0)]).is_err());
    assert!(
        Csr::<f64>::from_arrays(vec![0, 1, 1], vec![1], vec![1.0])
            .unwrap()
            .check_symmetry()
            .is_err()
    );
}
