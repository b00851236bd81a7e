//! Kernel DP-means with refinement where the answer is known: brute force on small graphs, closed
//! forms on rings, unions, stars, paths, cliques.

use crate::support::{Priced, complete, partitions, path, priced, ring_of_cliques, star};
use lambdacut::clustering::Clustering;
use lambdacut::graph::{Csr, components};
use lambdacut::ids::NONE;
use lambdacut::kernel_dp_means::{KernelDpMeans, Start};
use lambdacut::labels::renumber;
use std::sync::Arc;

fn run(graph: &Csr<f64>, objective: &Priced, start: Start) -> Clustering {
    let method = KernelDpMeans::new().cut(objective.cut.clone()).start(start);
    let method = method.resolution(objective.beta).expect("positive");
    method.run_csr(graph).expect("valid parameters").clustering
}

/// Labels by first appearance, to compare partitions.
fn canonical(labels: &[u32]) -> Vec<u32> {
    let mut labels = labels.to_vec();
    renumber(&mut labels);
    labels
}

/// For ratio cut in units of the mean degree.
fn scaled(graph: &Csr<f64>, which: u8, beta: f64) -> f64 {
    if which == 0 {
        beta
    } else {
        beta * (graph.volume() / graph.vertices() as f64).max(0.1)
    }
}

/// The best value of any partition of a small graph, by trying all, with plain sums.
fn optimum(graph: &Csr<f64>, objective: &Priced) -> f64 {
    let n = graph.vertices();
    let value = |(labels, k): &(Vec<u32>, usize)| {
        let (mut cut, mut mass) = (vec![0.0; *k], vec![0.0; *k]);
        for i in (0..n).filter(|&i| labels[i] != NONE) {
            let c = labels[i] as usize;
            mass[c] += objective.cut.mass(graph, i);
            cut[c] += graph
                .rows()
                .row(i)
                .filter(|&(j, _)| labels[j as usize] != labels[i])
                .map(|(_, w)| w)
                .sum::<f64>();
        }
        (0..*k)
            .map(|c| cut[c] / mass[c] - objective.beta)
            .sum::<f64>()
    };
    partitions(graph)
        .iter()
        .map(value)
        .fold(f64::INFINITY, f64::min)
}

/// On how many small graphs pass and refinement reach the optimum; none may beat it.
#[test]
fn brute_force_is_never_beaten_and_often_reached() {
    let starts = [
        ("one cluster", Start::One),
        ("singletons", Start::Singletons),
        ("3 far apart", Start::FarthestFirst(3)),
        ("several", Start::Several),
    ];
    let mut reached = [0; 4];
    let (mut best_of_all, mut graphs) = (0, 0);
    let (mut loops, mut isolated, mut split) = (0, 0, 0);
    for case in 0..90u32 {
        let n = 4 + case % 6;
        let pick = |e: u32, salt: u32| {
            (e.wrapping_mul(2_654_435_761)
                .wrapping_add(case * 7919 + salt * 104_729)
                .rotate_left(11)
                .wrapping_mul(2_246_822_519)
                >> 8)
                % n
        };
        let edges: Vec<_> = (0..2 * n - 2)
            .map(|e| (pick(e, 1), pick(e, 2), f64::from(pick(e, 3) % 4 + 1)))
            .collect();
        let g: Csr<f64> = Csr::from_edges(n as usize, &edges).unwrap();
        let which = (case / 6 % 3) as u8;
        let objective = priced(
            &g,
            which,
            scaled(&g, which, [0.2, 0.4, 0.7][case as usize % 3]),
        );
        let best = optimum(&g, &objective);
        graphs += 1;
        loops += usize::from(g.self_loops() > 0);
        isolated += usize::from(g.isolated() > 0);
        split += usize::from(components(&g).count > 1);
        let values = starts
            .clone()
            .map(|(_, start)| run(&g, &objective, start).value);
        for (at, value) in values.iter().enumerate() {
            assert!(
                *value >= best - 1e-9,
                "case {case}: {value} is below the optimum {best}"
            );
            reached[at] += usize::from(*value <= best + 1e-9);
        }
        best_of_all += usize::from(values.iter().any(|v| *v <= best + 1e-9));
    }
    for ((name, _), count) in starts.iter().zip(reached) {
        println!("pass + refinement from {name}: the optimum of {count} of {graphs} graphs");
    }
    println!("pass + refinement, best of these: {best_of_all} of {graphs}");
    assert!(best_of_all > graphs / 2);
    assert!(
        loops > 5 && isolated > 5 && split > 5,
        "loops {loops}, isolated {isolated}, several components {split}"
    );
}

/// Ring of cliques: for `2/(q(q−1)+2)`-ish β and above the cliques are the optimum; F in closed
/// form over a grid of β.
#[test]
fn known_answers_of_rings_of_cliques() {
    let (r, q) = (6usize, 5usize);
    let g = ring_of_cliques(r, q);
    let volume = (q * (q - 1) + 2) as f64;
    let cliques: Vec<u32> = (0..r * q).map(|i| (i / q) as u32).collect();
    for beta in [0.2, 0.3, 0.4, 0.5, 0.6] {
        let objective = priced(&g, 0, beta);
        for start in [
            Start::FarthestFirst(r),
            Start::Labels(Arc::from(cliques.as_slice())),
        ] {
            let found = run(&g, &objective, start);
            assert_eq!(canonical(&found.labels), cliques, "β = {beta}");
            assert!((found.value - r as f64 * (2.0 / volume - beta)).abs() < 1e-12);
        }
        // With ratio cut the same cliques pay 2/q each.
        let ratio = priced(&g, 1, beta * q as f64);
        let found = run(&g, &ratio, Start::FarthestFirst(r));
        assert!((found.value - r as f64 * (2.0 / q as f64 - beta * q as f64)).abs() < 1e-12);
    }
}

/// Disjoint unions: F of a union is the sum, and the components are found as they are.
#[test]
fn known_answers_of_disjoint_unions() {
    let edges: Vec<_> = (0..4u32)
        .flat_map(|c| [(0, 1), (0, 2), (1, 2)].map(move |(i, j)| (3 * c + i, 3 * c + j, 1.0)))
        .collect();
    let g: Csr<f64> = Csr::from_edges(14, &edges).unwrap();
    for beta in [0.1, 0.3, 0.5, 0.7] {
        let objective = priced(&g, 0, beta);
        let found = run(&g, &objective, Start::FarthestFirst(4));
        assert_eq!(found.clusters, 4);
        assert!((found.value + 4.0 * beta).abs() < 1e-12);
        assert_eq!(&found.labels[12..], [NONE, NONE]);
    }
}

/// Star, path and complete graph: the optimum in closed form over a grid of β, by brute force and
/// by the best of several starts.
#[test]
fn known_answers_of_stars_paths_and_complete_graphs() {
    let n = 8;
    let mut paths = 0;
    for step in 1..20 {
        let beta = 0.05 * f64::from(step);
        // A leaf alone has cut ratio 1, so below β = 1 the star stays whole.
        assert!(reaches(&star(n), 0, beta, -beta, "star"));
        // k blocks of the complete graph on n: Σ (n − n_c)/(n − 1) − βk = n(k − 1)/(n − 1) − βk,
        // least at k = 1 while β < n/(n − 1).
        assert!(reaches(&complete(n), 0, beta, -beta, "complete graph"));
        // The best clusters of a path are intervals; which, depends on β.
        let expected = intervals(n)
            .map(|parts| path_cut(&parts) - beta * parts.len() as f64)
            .fold(f64::INFINITY, f64::min);
        paths += usize::from(reaches(&path(n), 0, beta, expected, "path"));
    }
    println!("paths, normalized cut: the optimum at {paths} of 19 resolutions");
    assert!(paths >= 14);
}

/// The same with ratio cut, in units of weight.
#[test]
fn known_answers_of_stars_paths_and_complete_graphs_with_ratio_cut() {
    let n = 8usize;
    let size = n as f64;
    let (mut stars, mut paths) = (0, 0);
    for step in 1..20 {
        // q leaves alone pay 1 each, and the rest q/(n − q).
        let beta = 0.15 * f64::from(step);
        let leaves = (0..n)
            .map(|q| q as f64)
            .map(|q| q + q / (size - q) - beta * (q + 1.0));
        stars += usize::from(reaches(
            &star(n),
            1,
            beta,
            leaves.fold(f64::INFINITY, f64::min),
            "star",
        ));
        // k blocks of the complete graph: Σ (n − n_c) − βk = k(n − β) − n: all in one, or everybody
        // alone.
        let beta_complete = 0.1 * f64::from(step) * size;
        let expected = (-beta_complete).min(size * (size - 1.0 - beta_complete));
        assert!(reaches(
            &complete(n),
            1,
            beta_complete,
            expected,
            "complete graph"
        ));
        // Intervals: an inner one pays 2/l, one at an end 1/l.
        let beta = 0.1 * f64::from(step);
        let cut = |parts: &[usize]| {
            let ends = if parts.len() == 1 {
                0.0
            } else {
                1.0 / parts[0] as f64 + 1.0 / parts[parts.len() - 1] as f64
            };
            ends + parts
                .iter()
                .skip(1)
                .rev()
                .skip(1)
                .map(|&l| 2.0 / l as f64)
                .sum::<f64>()
        };
        let expected = intervals(n)
            .map(|parts| cut(&parts) - beta * parts.len() as f64)
            .fold(f64::INFINITY, f64::min);
        paths += usize::from(reaches(&path(n), 1, beta, expected, "path"));
    }
    println!("ratio cut: the optimum of stars at {stars}, of paths at {paths} of 19 resolutions");
    assert!(stars >= 14 && paths >= 12);
}

/// Checks that brute force finds the closed form and that no start goes below it; whether the best
/// of several starts reaches it.
fn reaches(graph: &Csr<f64>, which: u8, beta: f64, expected: f64, name: &str) -> bool {
    let objective = priced(graph, which, beta);
    let best = optimum(graph, &objective);
    assert!(
        (best - expected).abs() < 1e-9,
        "{name} at β = {beta}: {best} instead of {expected}"
    );
    let starts = [Start::Singletons, Start::FarthestFirst(3), Start::Several];
    let found = starts
        .map(|start| run(graph, &objective, start).value)
        .into_iter()
        .fold(f64::INFINITY, f64::min);
    assert!(found >= best - 1e-9);
    found <= best + 1e-9
}

/// All ways to write `n` as an ordered sum.
fn intervals(n: usize) -> impl Iterator<Item = Vec<usize>> {
    (0..1u32 << (n - 1)).map(move |cuts| {
        let mut parts = vec![1];
        for i in 0..n - 1 {
            if cuts >> i & 1 == 1 {
                parts.push(1);
            } else {
                *parts.last_mut().unwrap() += 1;
            }
        }
        parts
    })
}

/// The normalized cut of a path split into intervals: an inner interval of l vertices has cut 2 and
/// volume 2l, one at an end 1 and 2l − 1.
fn path_cut(parts: &[usize]) -> f64 {
    let last = parts.len() - 1;
    let ratio = |(at, &l): (usize, &usize)| match (at == 0, at == last) {
        (true, true) => 0.0,
        (false, false) => 1.0 / l as f64,
        _ => 1.0 / (2.0 * l as f64 - 1.0),
    };
    parts.iter().enumerate().map(ratio).sum()
}
