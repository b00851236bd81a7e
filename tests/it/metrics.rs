//! Metrics: golden numbers of other programs, brute force on small inputs, and what must hold
//! always.

// Golden numbers stand as their program printed them.
#![allow(clippy::unreadable_literal)]
use crate::support::graphs;
use lambdacut::graph::{Csr, Unit};
use lambdacut::ids::NONE;
use lambdacut::metrics::{
    Agreement, Contingency, GraphMetrics, MetricError, average_f1, communities_of,
};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

fn close(x: f64, y: f64) -> bool {
    (x - y).abs() <= 1e-10 * y.abs().max(1.0)
}

/// Labels by formula, so that another program can make the same.
fn labels(n: u32, f: impl Fn(u32) -> u32) -> Vec<u32> {
    (0..n).map(f).collect()
}

/// scikit-learn 1.5.2, with `f` and `t` the labels below as numpy arrays over `i = np.arange(n)`:
///
/// ```python
/// from sklearn import metrics as m; from sklearn.metrics.cluster import contingency_matrix, pair_confusion_matrix, entropy
/// (tn, fp), (fn, tp) = pair_confusion_matrix(t, f)
/// [m.normalized_mutual_info_score(t, f, average_method=a) for a in ("arithmetic", "geometric", "max")]
/// m.adjusted_mutual_info_score(t, f), m.adjusted_rand_score(t, f), contingency_matrix(t, f).max(axis=0).sum() / len(t)
/// entropy(t) + entropy(f) - 2 * m.mutual_info_score(t, f), tp / (tp + fp), tp / (tp + fn)
/// ```
#[test]
fn agreement_is_what_scikit_learn_computes() {
    let blocks = (labels(1000, |i| i / 37), labels(1000, |i| i / 50));
    let modular = (
        labels(1000, |i| i * 7919 % 1009 % 17),
        labels(1000, |i| i * 31 % 1000 % 11),
    );
    let nearly = (
        labels(1000, |i| if i % 10 == 0 { i % 7 } else { i / 100 }),
        labels(1000, |i| i / 100),
    );
    let large = (
        labels(20_000, |i| i * i % 4001 % 97),
        labels(20_000, |i| i / 150),
    );
    #[rustfmt::skip]
    let golden = [
        (blocks, [0.8356554350277863, 0.8366358212326902, 0.797079222260921, 0.8189829731295541, 0.6180067783289945, 0.817, 1.0347430547588985,
            0.7487487487487487, 0.5495510204081633]),
        (modular, [0.006666004337079751, 0.006689174122912207, 0.006154220670777407, -0.026187138854019267, -0.00974949627554041, 0.124,
            5.195901905811883, 0.07842798382358024, 0.05047269491713936]),
        (nearly, [0.7984253143969177, 0.7984254050430022, 0.7980450376780537, 0.7947323297773952, 0.8069080620437166, 0.91, 0.9278436053097021,
            0.8242985014583124, 0.8278787878787879]),
        (large, [0.07394188596541444, 0.07398795565814109, 0.07142185626255089, -0.004522894551741311, -0.0004049789027521751, 0.0217,
            8.75819611085909, 0.007095196099638917, 0.010032941176470588]),
    ];
    for ((found, truth), expected) in golden {
        let a = Agreement::of(&found, &truth).unwrap();
        let got = [
            a.nmi,
            a.nmi_geometric,
            a.nmi_max,
            a.ami,
            a.ari,
            a.purity,
            a.variation_of_information,
            a.pair_precision,
            a.pair_recall,
        ];
        for (x, y) in got.into_iter().zip(expected) {
            assert!(close(x, y), "{got:?} instead of {expected:?}");
        }
    }
}

/// `m.adjusted_mutual_info_score(np.arange(1000) // 3, np.arange(1000))` is −2.4e-11 in
/// scikit-learn 1.5.2; exactly it is 0, because singletons leave nothing to chance.
#[test]
fn singletons_against_anything_are_chance() {
    let a = Agreement::of(&labels(1000, |i| i), &labels(1000, |i| i / 3)).unwrap();
    assert!(
        a.ami.abs() < 1e-10 && a.ari == 0.0 && a.purity == 1.0,
        "{a:?}"
    );
    assert!(close(a.nmi, 0.9137038885448545));
}

#[test]
fn degenerate_labellings_follow_the_conventions() {
    let score = |f: &[u32], t: &[u32]| {
        Agreement::of(f, t)
            .map(|a| (a.nmi, a.ami, a.ari, a.purity, a.variation_of_information))
            .unwrap()
    };
    let perfect = (1.0, 1.0, 1.0, 1.0, 0.0);
    assert_eq!(score(&[], &[]), perfect);
    assert_eq!(score(&[NONE, 1], &[0, NONE]), perfect);
    assert_eq!(score(&[7, 7, 7], &[0, 0, 0]), perfect);
    assert_eq!(score(&[0, 1, 2], &[u32::MAX - 1, 9, 4]), perfect);
    let (nmi, ami, ari, purity, vi) = score(&[0, 0, 0, 0], &[0, 1, 2, 3]);
    assert_eq!((nmi, ami, ari, purity), (0.0, 0.0, 0.0, 0.25));
    assert!(close(vi, 4f64.ln()));
    assert_eq!(
        Agreement::of(&[0], &[0, 1]),
        Err(MetricError::Length {
            expected: 1,
            found: 2
        })
    );
}

/// The table as a map, by the definition.
fn counted(found: &[u32], truth: &[u32]) -> BTreeMap<(u32, u32), u64> {
    let mut cells = BTreeMap::new();
    for (&f, &t) in found
        .iter()
        .zip(truth)
        .filter(|&(&f, &t)| f != NONE && t != NONE)
    {
        *cells.entry((f, t)).or_insert(0) += 1;
    }
    cells
}

/// The mutual information of every deal of `truth` to the elements, averaged: what is expected by
/// chance.
fn mean_over_permutations(found: &[u32], truth: &mut [u32], from: usize) -> (f64, f64) {
    if from == truth.len() {
        return (
            Contingency::new(found, truth).unwrap().mutual_information(),
            1.0,
        );
    }
    let mut sum = (0.0, 0.0);
    for i in from..truth.len() {
        truth.swap(from, i);
        let (information, count) = mean_over_permutations(found, truth, from + 1);
        sum = (sum.0 + information, sum.1 + count);
        truth.swap(from, i);
    }
    sum
}

proptest! {
    #[test]
    fn the_table_counts_what_is_there(pairs in proptest::collection::vec((0u32..6, 0u32..6), 0..80), far in any::<bool>()) {
        // Spread labels take the sorting branch, close ones the table; 5 stands for "no cluster".
        let spread = |c: u32| if c == 5 { NONE } else if far { c * 800_000_000 } else { c };
        let (found, truth): (Vec<u32>, Vec<u32>) = pairs.into_iter().map(|(f, t)| (spread(f), spread(t))).unzip();
        let table = Contingency::new(&found, &truth).unwrap();
        let expected = counted(&found, &truth);
        let rows: Vec<u32> = expected.keys().map(|k| k.0).collect::<BTreeSet<_>>().into_iter().collect();
        let columns: Vec<u32> = expected.keys().map(|k| k.1).collect::<BTreeSet<_>>().into_iter().collect();
        let cells: BTreeMap<_, _> =
            table.cells().iter().map(|c| ((rows[c.row as usize], columns[c.column as usize]), c.count)).collect();
        prop_assert_eq!(cells, expected);
        prop_assert_eq!(table.row_sums().iter().sum::<u64>(), table.total());
        prop_assert_eq!(table.column_sums().iter().sum::<u64>(), table.total());
    }

    #[test]
    fn chance_is_the_mean_over_all_deals(found in proptest::collection::vec(0u32..3, 1..7), truth in proptest::collection::vec(0u32..3, 7)) {
        let mut truth = truth[..found.len()].to_vec();
        let table = Contingency::new(&found, &truth).unwrap();
        let (sum, count) = mean_over_permutations(&found, &mut truth, 0);
        let (chance, (a, b)) = (sum / count, table.entropies());
        let room = f64::midpoint(a, b) - chance;
        if room > 1e-9 {
            prop_assert!(close(table.ami(), (table.mutual_information() - chance) / room));
        }
    }

    #[test]
    fn pair_scores_count_pairs(found in proptest::collection::vec(0u32..5, 2..40), truth in proptest::collection::vec(0u32..5, 40)) {
        let truth = &truth[..found.len()];
        let pairs = || (0..found.len()).flat_map(|i| (0..i).map(move |j| (i, j)));
        let count = |keep: &dyn Fn(bool, bool) -> bool| {
            pairs().filter(|&(i, j)| keep(found[i] == found[j], truth[i] == truth[j])).count() as f64
        };
        let (both, ours, theirs, all) = (count(&|f, t| f && t), count(&|f, _| f), count(&|_, t| t), count(&|_, _| true));
        let a = Agreement::of(&found, truth).unwrap();
        if ours + theirs > 0.0 {
            prop_assert!(close(a.pair_f1, 2.0 * both / (ours + theirs)));
        }
        let chance = ours * theirs / all;
        let room = f64::midpoint(ours, theirs) - chance;
        if room > 0.0 {
            prop_assert!(close(a.ari, (both - chance) / room));
        }
    }

    #[test]
    fn renaming_changes_nothing_and_swapping_only_the_sides(
        found in proptest::collection::vec(0u32..6, 1..60), truth in proptest::collection::vec(0u32..6, 60), step in 1u32..6,
    ) {
        let truth = &truth[..found.len()];
        let a = Agreement::of(&found, truth).unwrap();
        let renamed: Vec<u32> = found.iter().map(|c| c * 5 % 7 + step).collect();
        let b = Agreement::of(&renamed, truth).unwrap();
        let c = Agreement::of(truth, &found).unwrap();
        for (x, y) in [(a.nmi, b.nmi), (a.ami, b.ami), (a.ari, b.ari), (a.nmi, c.nmi), (a.ami, c.ami), (a.ari, c.ari)] {
            prop_assert!(close(x, y));
        }
        prop_assert!(close(a.pair_precision, c.pair_recall));
        prop_assert!(a.nmi_max <= a.nmi + 1e-12 && a.nmi <= a.nmi_geometric + 1e-12);
    }

    #[test]
    fn graph_metrics_follow_their_definitions(g in graphs(24), raw in proptest::collection::vec(0u32..5, 24)) {
        let label = |i: usize| if raw[i] == 4 { NONE } else { 10 * raw[i] };
        let labels: Vec<u32> = (0..g.vertices()).map(label).collect();
        let metrics = GraphMetrics::of(&g, &labels).unwrap();
        let inside: Vec<Vec<usize>> = [0, 10, 20, 30]
            .map(|c| (0..g.vertices()).filter(|&i| labels[i] == c && g.degree(i) > 0.0).collect())
            .into_iter().filter(|members: &Vec<usize>| !members.is_empty()).collect();
        let weight = |i: usize, j: usize| g.rows().row(i).find(|&(t, _)| t as usize == j).map_or(0.0, |(_, w)| w);
        let volume: f64 = g.volume();
        let mut modularity = 0.0;
        for (c, members) in inside.iter().enumerate() {
            let degree: f64 = members.iter().map(|&i| g.degree(i)).sum();
            let own: f64 = members.iter().flat_map(|&i| members.iter().map(move |&j| weight(i, j))).sum();
            let smaller = degree.min(volume - degree);
            let conductance = if smaller > 1e-9 { (degree - own) / smaller } else { 0.0 };
            prop_assert!(close(metrics.conductance[c], conductance));
            modularity += own / volume - (degree / volume).powi(2);
        }
        prop_assert!(close(metrics.modularity, modularity));
        prop_assert_eq!(metrics.sizes, inside.iter().map(Vec::len).collect::<Vec<_>>());
        let apart = |members: &&Vec<usize>| {
            let mut seen = BTreeSet::new();
            let mut stack = vec![members[0]];
            while let Some(i) = stack.pop() {
                if seen.insert(i) { stack.extend(members.iter().filter(|&&j| weight(i, j) > 0.0)); }
            }
            seen.len() < members.len()
        };
        prop_assert_eq!(metrics.disconnected_clusters, inside.iter().filter(apart).count());
    }

    #[test]
    fn average_f1_is_the_best_match_both_ways(
        found in proptest::collection::vec(proptest::collection::btree_set(0u32..20, 1..9), 1..6),
        truth in proptest::collection::vec(proptest::collection::btree_set(0u32..25, 1..9), 1..6),
    ) {
        let f1 = |a: &BTreeSet<u32>, b: &BTreeSet<u32>| 2.0 * a.intersection(b).count() as f64 / (a.len() + b.len()) as f64;
        let side = |ours: &[BTreeSet<u32>], others: &[BTreeSet<u32>]| {
            ours.iter().map(|a| others.iter().map(|b| f1(a, b)).fold(0.0, f64::max)).sum::<f64>() / ours.len() as f64
        };
        let expected = f64::midpoint(side(&found, &truth), side(&truth, &found));
        let lists = |sets: &[BTreeSet<u32>]| sets.iter().map(|s| s.iter().copied().collect()).collect::<Vec<Vec<u32>>>();
        prop_assert!(close(average_f1(&lists(&found), &lists(&truth)), expected));
    }
}

/// The graph of the golden numbers below: 60 vertices, 132 weighted edges, by formula.
fn formula_graph() -> Csr<f64> {
    let mut edges = BTreeMap::new();
    let mut add = |i: u32, j: u32| {
        if i != j {
            edges.insert((i.min(j), i.max(j)), f64::from(1 + i * j % 5));
        }
    };
    for i in 0..60 {
        add(i, (7 * i + 3) % 60);
        add(i, i - i % 10 + (i + 1) % 10);
        add(i, i - i % 10 + (3 * i + 1) % 10);
    }
    let edges: Vec<_> = edges.into_iter().map(|((i, j), w)| (i, j, w)).collect();
    Csr::from_edges(60, &edges).unwrap()
}

/// networkx 3.6.1 on the same graph `G` with clusters `C[c] = {i : isqrt(i) == c}`, and `NetworKit`
/// 11.2.2 for coverage:
///
/// ```python
/// cond = [nx.conductance(G, c, weight="weight") for c in C]; sum(cond) / 8, max(cond)
/// sum(nx.cut_size(G, c, weight="weight") for c in C) / 2
/// sum(nx.cut_size(G, c, weight="weight") / nx.volume(G, c, weight="weight") for c in C)
/// sum(nx.cut_size(G, c, weight="weight") / len(c) for c in C)
/// nx.community.modularity(G, C, weight="weight"); nk.community.Coverage().getQuality(P, H)
/// sum(nx.number_connected_components(G.subgraph(c)) > 1 for c in C)
/// ```
#[test]
fn graph_metrics_are_what_networkx_computes() {
    let g = formula_graph();
    let m = GraphMetrics::of(&g, &labels(60, u32::isqrt)).unwrap();
    assert_eq!((g.edges(), g.total_weight(), m.cut), (132, 336.0, 164.0));
    let got = [
        m.normalized_cut,
        m.ratio_cut,
        m.modularity,
        m.coverage,
        m.conductance_mean,
        m.conductance_max,
    ];
    for (x, y) in got.into_iter().zip([
        4.750223811618631,
        47.5003663003663,
        0.35061029620181405,
        0.5119047619047619,
        0.5937779764523289,
        1.0,
    ]) {
        assert!(close(x, y), "{got:?}");
    }
    assert_eq!(m.disconnected_clusters, 3);
}

/// `NetworKit` 11.2.2, covers `A`, `B` of the same vertices: `(CoverF1Similarity(H, A,
/// B).run().getUnweightedAverage() + CoverF1Similarity(H, B, A).run().getUnweightedAverage()) / 2`.
#[test]
fn average_f1_is_what_networkit_computes() {
    let found: Vec<Vec<u32>> = (0..8)
        .map(|c| {
            (0..60)
                .filter(|i| (8 * c..8 * c + 11).contains(i))
                .collect()
        })
        .collect();
    let truth: Vec<Vec<u32>> = (0..7)
        .map(|c| (0..60).filter(|i| i % 7 == c || i / 9 == c).collect())
        .collect();
    assert!(close(average_f1(&found, &truth), 0.6130521653105687));
}

#[test]
fn averages_of_nothing() {
    let nothing: [Vec<u32>; 0] = [];
    assert_eq!(average_f1(&nothing, &nothing), 1.0);
    assert_eq!(average_f1(&nothing, &[vec![0]]), 0.0);
    assert_eq!(
        communities_of(&[NONE, 4_000_000_000, 0, 4_000_000_000]),
        [vec![2], vec![1, 3]]
    );
    let empty: Csr<Unit> = Csr::from_edges(2, &[]).unwrap();
    let metrics = GraphMetrics::of(&empty, &[0, 1]).unwrap();
    assert_eq!(
        (
            metrics.clusters,
            metrics.modularity,
            metrics.coverage,
            metrics.conductance_mean
        ),
        (0, 0.0, 0.0, 0.0)
    );
}

#[test]
fn results_do_not_depend_on_threads() {
    let (found, truth) = (
        labels(300_000, |i| (i % 4001) * (i % 977) % 97),
        labels(300_000, |i| i * 7919 % 1009),
    );
    let run = |threads| {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap();
        pool.install(|| {
            (
                Contingency::new(&found, &truth).unwrap(),
                Agreement::of(&found, &truth).unwrap(),
            )
        })
    };
    assert_eq!(run(1), run(2));
    assert_eq!(run(1).0.total(), 300_000);
}

#[test]
fn json_keys_are_stable() {
    let m =
        serde_json::to_value(GraphMetrics::of(&formula_graph(), &labels(60, |i| i / 10)).unwrap())
            .unwrap();
    for key in [
        "modularity",
        "conductance_mean",
        "conductance_max",
        "coverage",
        "disconnected_clusters",
        "sizes",
    ] {
        assert!(m.get(key).is_some(), "{key}");
    }
    let t = serde_json::to_value(Agreement::of(&[0, 1], &[0, 0]).unwrap()).unwrap();
    for key in ["nmi", "ari", "ami", "purity"] {
        assert!(
            t.get(key).is_some_and(serde_json::Value::is_number),
            "{key}"
        );
    }
}
