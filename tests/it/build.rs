//! Raw rows → policy → graph, against a literal dense twin.

use lambdacut::graph::{
    AnyCsr, BuildError, Csr, Direction, Duplicates, EdgeList, Policy, SelfLoops, Weight, build,
};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

/// The graph as a map of arcs.
pub fn arcs(graph: &AnyCsr) -> BTreeMap<(u32, u32), f64> {
    lambdacut::with_csr!(graph, g => arcs_of(g))
}

fn arcs_of<W: Weight>(g: &Csr<W>) -> BTreeMap<(u32, u32), f64> {
    let rows = g.rows();
    (0..g.vertices())
        .flat_map(|i| rows.row(i).map(move |(j, w)| ((i as u32, j), w)))
        .collect()
}

fn rows() -> impl Strategy<Value = (usize, Vec<(u32, u32, f64)>)> {
    (1usize..12).prop_flat_map(|n| {
        let row = (0..n as u32, 0..n as u32, 0u32..5);
        let row = row.prop_map(|(i, j, w)| (i, j, f64::from(w) / 4.0));
        proptest::collection::vec(row, 0..60).prop_map(move |rows| (n, rows))
    })
}

/// The default reading of weighted rows, word for word: repeats summed; undirected if every edge is
/// there both ways with equal weight; otherwise W + Wᵀ; a loop once.
fn weighted_twin(rows: &[(u32, u32, f64)]) -> BTreeMap<(u32, u32), f64> {
    let mut w: BTreeMap<(u32, u32), f64> = BTreeMap::new();
    for &(i, j, weight) in rows.iter().filter(|r| r.2 > 0.0) {
        *w.entry((i, j)).or_default() += weight;
    }
    let undirected = w
        .iter()
        .all(|(&(i, j), weight)| w.get(&(j, i)) == Some(weight));
    if undirected {
        return w;
    }
    let mut a = BTreeMap::new();
    for (&(i, j), weight) in &w {
        *a.entry((i, j)).or_default() += weight;
        if i != j {
            *a.entry((j, i)).or_default() += weight;
        }
    }
    a
}

proptest! {
    #[test]
    fn weighted_rows_mean_what_the_manual_says((n, rows) in rows()) {
        let (graph, counts) = build(EdgeList::weighted(n, rows.clone()), &Policy::default()).unwrap();
        prop_assert_eq!(arcs(&graph), weighted_twin(&rows));
        prop_assert_eq!(counts.zero_weights as usize, rows.iter().filter(|r| r.2 == 0.0).count());
        prop_assert_eq!(counts.self_loops as usize, rows.iter().filter(|r| r.0 == r.1).count());
        prop_assert!(lambdacut::with_csr!(&graph, g => g.check_symmetry()).is_ok());
    }

    #[test]
    fn both_directions_with_equal_weights_are_one_edge((n, rows) in rows()) {
        let both: Vec<_> = rows.iter().flat_map(|&(i, j, w)| if i == j { vec![(i, j, w)] } else { vec![(i, j, w), (j, i, w)] }).collect();
        let (graph, _) = build(EdgeList::weighted(n, both), &Policy::default()).unwrap();
        let once: Csr<f64> = Csr::from_edges(n, &rows).unwrap();
        prop_assert_eq!(arcs(&graph), arcs_of(&once));
    }

    #[test]
    fn plain_rows_make_a_simple_graph_and_are_counted((n, rows) in rows()) {
        let pairs: Vec<(u32, u32)> = rows.iter().map(|r| (r.0, r.1)).collect();
        let (graph, counts) = build(EdgeList::plain(n, pairs.clone()), &Policy::default()).unwrap();
        let distinct: BTreeSet<_> = pairs.iter().copied().collect();
        let expected: BTreeMap<_, _> = distinct.iter().flat_map(|&(i, j)| [((i, j), 1.0), ((j, i), 1.0)]).collect();
        prop_assert!(matches!(graph, AnyCsr::Unit(_)));
        prop_assert_eq!(arcs(&graph), expected);
        prop_assert_eq!(counts.duplicates as usize, pairs.len() - distinct.len());
        let lonely = distinct.iter().filter(|&&(i, j)| !distinct.contains(&(j, i))).count();
        prop_assert_eq!(counts.directed_arcs as usize, lonely);
        let touched: BTreeSet<u32> = distinct.iter().flat_map(|&(i, j)| [i, j]).collect();
        prop_assert_eq!(counts.isolated as usize, n - touched.len());
    }

    #[test]
    fn the_first_row_of_an_edge_decides((n, rows) in rows()) {
        let policy = Policy { duplicates: Duplicates::First, ..Policy::default() };
        let (graph, _) = build(EdgeList::weighted(n, rows.clone()), &policy).unwrap();
        let mut expected = BTreeMap::new();
        for &(i, j, w) in rows.iter().filter(|r| r.2 > 0.0) {
            if !expected.contains_key(&(i, j)) {
                expected.insert((i, j), w);
                expected.insert((j, i), w);
            }
        }
        prop_assert_eq!(arcs(&graph), expected);
    }

    #[test]
    fn threads_do_not_matter((n, rows) in rows()) {
        // Weights of many magnitudes, so that any other order of summation would show.
        let rows: Vec<_> = rows.iter().enumerate().map(|(r, &(i, j, w))| (i, j, (w + 0.1) * 10f64.powi(r as i32 % 17 - 8))).collect();
        let run = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| arcs(&build(EdgeList::weighted(n, rows.clone()), &Policy::default()).unwrap().0))
        };
        prop_assert_eq!(run(1), run(2));
        prop_assert_eq!(run(1), run(5));
    }
}

#[test]
fn many_rows_over_many_blocks() {
    let rows: Vec<(u32, u32)> = (0..400_000u64)
        .map(|e| ((e * e % 7919) as u32, (e * 104_729 % 3001) as u32))
        .collect();
    let (graph, counts) = build(EdgeList::plain(7919, rows.clone()), &Policy::default()).unwrap();
    let distinct: BTreeSet<_> = rows.iter().copied().collect();
    let edges: BTreeSet<_> = distinct
        .iter()
        .map(|&(i, j)| (i.min(j), i.max(j)))
        .collect();
    assert_eq!(lambdacut::with_csr!(&graph, g => g.edges()), edges.len());
    assert_eq!(counts.duplicates as usize, rows.len() - distinct.len());
    assert!(lambdacut::with_csr!(&graph, g => g.check_symmetry()).is_ok());
}

#[test]
fn policies() {
    let list = || {
        EdgeList::weighted(
            3,
            [
                (0, 1, 2.0),
                (1, 0, 2.0),
                (1, 2, 1.0),
                (2, 2, 3.0),
                (1, 2, 4.0),
            ],
        )
    };
    let with = |change: fn(&mut Policy)| {
        let mut policy = Policy::default();
        change(&mut policy);
        build(list(), &policy)
    };
    let (graph, _) = with(|p| p.self_loops = SelfLoops::Drop).unwrap();
    assert!(!arcs(&graph).contains_key(&(2, 2)));
    assert_eq!(arcs(&graph)[&(0, 1)], 4.0);
    assert_eq!(
        with(|p| p.duplicates = Duplicates::Error).unwrap_err(),
        BuildError::Duplicate(1, 2)
    );
    assert_eq!(
        with(|p| p.direction = Direction::Reject).unwrap_err(),
        BuildError::Directed(1, 2)
    );
    assert!(matches!(
        with(|p| p.unweighted = true).unwrap().0,
        AnyCsr::Unit(_)
    ));
    assert!(matches!(
        with(|p| p.single_precision = true).unwrap().0,
        AnyCsr::F32(_)
    ));
    let plain = EdgeList::plain(2, [(0, 1), (0, 1), (1, 0)]);
    let policy = Policy {
        duplicates: Duplicates::Sum,
        ..Policy::default()
    };
    assert_eq!(arcs(&build(plain, &policy).unwrap().0)[&(1, 0)], 3.0);
}

#[test]
fn an_undirected_list_is_not_rejected() {
    let policy = Policy {
        direction: Direction::Reject,
        ..Policy::default()
    };
    assert!(build(EdgeList::plain(3, [(0, 1), (2, 1)]), &policy).is_ok());
    assert!(build(EdgeList::plain(3, [(0, 1), (1, 0), (2, 2)]), &policy).is_ok());
    assert_eq!(
        build(EdgeList::plain(3, [(0, 1), (1, 0), (2, 1)]), &policy).unwrap_err(),
        BuildError::Directed(2, 1)
    );
}

#[test]
fn wrong_rows_are_refused() {
    assert!(
        build(EdgeList::plain(2, [(0, 2)]), &Policy::default())
            .unwrap_err()
            .to_string()
            .contains("vertex 2")
    );
    for weight in [-1.0, f64::NAN, f64::INFINITY] {
        assert!(build(EdgeList::weighted(2, [(0, 1, weight)]), &Policy::default()).is_err());
    }
    assert!(
        build(
            EdgeList::weighted(2, [(0, 1, 1e308), (0, 1, 1e308)]),
            &Policy::default()
        )
        .is_err()
    );
    assert!(build(EdgeList::plain((1 << 31) + 1, []), &Policy::default()).is_err());
    assert_eq!(
        build(EdgeList::plain(0, []), &Policy::default())
            .unwrap()
            .1
            .isolated,
        0
    );
}
