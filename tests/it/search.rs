//! Exact moves, the path, its hull, and the answers of the search.

use crate::support::{graphs, labels_of, partitions};
use lambdacut::cut::Cut;
use lambdacut::generate::{Cliques, Lfr};
use lambdacut::graph::{Csr, Unit, Weight, components};
use lambdacut::ids::NONE;
use lambdacut::labels::renumber;
use lambdacut::params::Resolution;
use lambdacut::partition::Sums;
use lambdacut::run::{CancelToken, Observer, Silent};
use lambdacut::search::Effort;
use lambdacut::search::testing::History;
use lambdacut::search::testing::chains;
use lambdacut::search::testing::corners;
use lambdacut::search::testing::{Active, Kind, Rules, dispensable, local_moves, refine};
use lambdacut::search::testing::{Level, State};
use lambdacut::search::{Answer, Search, SearchError, Target};
use lambdacut::search::{Path, testing::PathSearch};
use proptest::prelude::*;
use std::time::Duration;

fn lfr() -> (Csr<Unit>, Vec<u32>) {
    let planted = Lfr {
        vertices: 1000,
        ..Lfr::default()
    }
    .generate()
    .unwrap();
    (planted.graph().unwrap(), planted.truth)
}

fn at(beta: f64) -> Target {
    Target::Resolution(Resolution::new(beta).unwrap())
}

/// The search for `target`.
fn search_for(target: Target) -> Search<'static> {
    Search {
        target,
        ..Search::default()
    }
}

/// Whether every cluster is connected.
fn all_connected<W: Weight>(graph: &Csr<W>, labels: &[u32], k: usize) -> bool {
    let inside: Vec<(u32, u32, f64)> = (0..graph.vertices())
        .flat_map(|i| graph.rows().row(i).map(move |(j, w)| (i as u32, j, w)))
        .filter(|&(i, j, _)| i <= j && labels[i as usize] == labels[j as usize])
        .collect();
    let part: Csr<f64> = Csr::from_edges(graph.vertices(), &inside).unwrap();
    let alone = (0..graph.vertices())
        .filter(|&i| labels[i] != NONE && part.degree(i) == 0.0)
        .count();
    components(&part).count + alone == k
}

fn check<W: Weight>(graph: &Csr<W>, cut: &Cut, answer: &Answer) {
    assert_eq!(&answer.objective, cut);
    let sums = Sums::of(graph, cut, &answer.labels, answer.clusters);
    assert!((sums.cut() - answer.cut).abs() < 1e-9 * (1.0 + answer.cut));
    assert!((sums.value(answer.beta) - answer.value).abs() < 1e-9 * (1.0 + answer.value.abs()));
    assert!(answer.united || all_connected(graph, &answer.labels, answer.clusters));
    for i in 0..graph.vertices() {
        assert_eq!(answer.labels[i] == NONE, graph.degree(i) == 0.0);
    }
}

proptest! {
    #[test]
    fn local_moves_keep_the_books(
        g in graphs(25), raw in proptest::collection::vec(any::<u32>(), 25), beta in 0.01..1.2, ratio in any::<bool>(),
    ) {
        let masses = if ratio { Cut::Ratio } else { Cut::Normalized };
        let (labels, k) = labels_of(&g, &raw);
        let level = Level::new(&g, &masses);
        let before = Sums::of(&g, &masses, &labels, k).value(beta);
        let mut state = State::new(&level, labels, k);
        let rules = Rules { beta, rounds: 1000, kind: Kind::Any };
        let outcome = local_moves(&level, &mut state, Active::all(g.vertices()), &rules, &Silent);
        let (labels, k) = state.numbered();
        let sums = Sums::of(&g, &masses, &labels, k);
        prop_assert!((sums.cut() - state.cut()).abs() < 1e-9);
        prop_assert_eq!(k, state.clusters());
        prop_assert!((sums.value(beta) - before - outcome.change).abs() < 1e-9);
        prop_assert!(outcome.change <= 0.0 && outcome.settled);
    }

    #[test]
    fn chains_keep_the_books_and_the_number_of_clusters(g in graphs(25), raw in proptest::collection::vec(0u32..4, 25)) {
        let (labels, k) = labels_of(&g, &raw);
        let level = Level::new(&g, &Cut::Normalized);
        let mut state = State::new(&level, labels, k);
        let before = state.cut();
        let change = chains(&level, &mut state, 5, &Silent);
        let sums = Sums::of(&g, &Cut::Normalized, &state.labels, k);
        prop_assert!(change <= 0.0 && state.clusters() == k);
        prop_assert!((sums.cut() - state.cut()).abs() < 1e-9 && (before + change - sums.cut()).abs() < 1e-9);
    }

    #[test]
    fn refinement_claims_the_change_it_makes(g in graphs(20), raw in proptest::collection::vec(any::<u32>(), 20), beta in 0.05..1.0) {
        let (mut labels, k) = labels_of(&g, &raw);
        let before = Sums::of(&g, &Cut::Normalized, &labels, k).value(beta);
        let (outcome, k) = refine(&g, &Cut::Normalized, &mut labels, beta, &Silent);
        let after = Sums::of(&g, &Cut::Normalized, &labels, k).value(beta);
        prop_assert!((after - before - outcome.change).abs() < 1e-9);
    }

    #[test]
    fn history_gives_back_what_was_put_in(steps in proptest::collection::vec(proptest::collection::vec(0u32..6, 12), 1..6)) {
        let mut history = History::default();
        for labels in &steps {
            history.push(labels.clone());
        }
        for (at, labels) in steps.iter().enumerate() {
            prop_assert_eq!(&history.get(at), labels);
        }
    }

    #[test]
    fn the_hull_is_the_lower_envelope(points in proptest::collection::vec((1usize..30, 0.0f64..9.0), 1..40), beta in 0.0..3.0) {
        let found = corners(&points);
        let best = points.iter().map(|&(k, cut)| cut - beta * k as f64).fold(f64::INFINITY, f64::min);
        let here = found.iter().find(|c| c.beta_low <= beta && beta <= c.beta_high).expect("the intervals tile all resolutions");
        let (k, cut) = points[here.point];
        prop_assert!((cut - beta * k as f64 - best).abs() < 1e-9);
        prop_assert_eq!(found[0].beta_low, 0.0);
        prop_assert!(found.windows(2).all(|w| w[0].beta_high == w[1].beta_low && w[0].beta_low < w[0].beta_high));
    }

    #[test]
    fn nothing_found_beats_the_best_of_all_partitions(g in graphs(7), beta in 0.05..0.95, ratio in any::<bool>()) {
        prop_assume!(g.arcs() > 0);
        let cut = if ratio { Cut::Ratio } else { Cut::Normalized };
        let all: Vec<(usize, f64)> =
            partitions(&g).into_iter().map(|(labels, k)| (k, Sums::of(&g, &cut, &labels, k).cut())).collect();
        let least = |beta: f64| all.iter().map(|&(k, cut)| cut - beta * k as f64).fold(f64::INFINITY, f64::min);
        let search = Search::new().cut(cut.clone());
        let answer = search.clone().resolution(beta).unwrap().run_csr(&g).unwrap();
        check(&g, &cut, &answer);
        prop_assert!(answer.value >= least(beta) - 1e-9);
        let path = search.run_csr(&g).unwrap();
        check(&g, &cut, &path);
        for c in path.choice.unwrap().candidates {
            let middle = f64::midpoint(c.beta_low, c.beta_high.min(c.beta_low + 1.0));
            prop_assert!(c.cut - middle * c.clusters as f64 >= least(middle) - 1e-9);
        }
    }

    #[test]
    fn what_is_called_a_local_optimum_is_one(g in graphs(12), beta in 0.05..0.95) {
        prop_assume!(g.arcs() > 0);
        let answer = search_for(at(beta)).run_csr(&g).unwrap();
        let (labels, k) = (&answer.labels, answer.clusters);
        let better = |other: Vec<u32>| {
            let mut other = other;
            let k = renumber(&mut other);
            Sums::of(&g, &Cut::Normalized, &other, k).value(beta) < answer.value - 1e-9 && all_connected(&g, &other, k)
        };
        let moved = |i: usize, to: u32| labels.iter().enumerate().map(|(j, &c)| if j == i { to } else { c }).collect();
        let merged = |a: u32, b: u32| labels.iter().map(|&c| if c == a { b } else { c }).collect();
        let ids = 0..=k as u32;
        let some_move = (0..g.vertices()).filter(|&i| labels[i] != NONE).any(|i| ids.clone().any(|to| better(moved(i, to))));
        let some_merge = ids.clone().any(|a| (0..a).any(|b| better(merged(a, b))));
        prop_assert!(!(answer.optimal.moves && some_move), "a move is left");
        prop_assert!(!(answer.optimal.merges && some_merge), "a merge is left");
    }

    #[test]
    fn a_vertex_is_dispensable_when_its_cluster_stays_connected(g in graphs(12), raw in proptest::collection::vec(0u32..3, 12)) {
        let (labels, k) = labels_of(&g, &raw);
        prop_assume!(all_connected(&g, &labels, k));
        let level = Level::new(&g, &Cut::Normalized);
        for i in (0..g.vertices()).filter(|&i| labels[i] != NONE) {
            let mut without = labels.clone();
            without[i] = k as u32;
            let k = renumber(&mut without);
            prop_assert_eq!(dispensable(&level, &labels, i as u32), all_connected(&g, &without, k));
        }
    }

    #[test]
    fn every_number_of_clusters_is_met(g in graphs(14)) {
        let vertices = g.vertices() - g.isolated();
        let least = components(&g).count;
        for k in 1..=vertices {
            let answer = Search::new().clusters(k).run_csr(&g).unwrap();
            prop_assert_eq!(answer.clusters, k);
            prop_assert_eq!(answer.united, k < least);
            check(&g, &Cut::Normalized, &answer);
        }
        let more = Search::new().clusters(vertices + 1).run_csr(&g);
        let expected = if vertices == 0 { SearchError::NoEdges } else {
            SearchError::TooManyClusters { wanted: vertices + 1, available: vertices }
        };
        prop_assert_eq!(more.unwrap_err(), expected);
    }
}

#[test]
fn chains_leave_local_optima() {
    let grid = |i: u32| {
        [
            (i % 20 < 19).then_some((i, i + 1, 1.0)),
            (i < 380).then_some((i, i + 20, 1.0)),
        ]
    };
    let graph: Csr<Unit> =
        Csr::from_edges(400, &(0..400).flat_map(grid).flatten().collect::<Vec<_>>()).unwrap();
    let level = Level::new(&graph, &Cut::Normalized);
    let rules = Rules {
        beta: 0.0,
        rounds: 1000,
        kind: Kind::Keep,
    };
    let moves =
        |state: &mut State| local_moves(&level, state, Active::all(400), &rules, &Silent).moves;
    let leaves = |step: u32| {
        let mut state = State::new(&level, (0..400).map(|i| i * step / 7 % 5).collect(), 5);
        while moves(&mut state) > 0 {}
        let before = state.cut();
        chains(&level, &mut state, 1, &Silent) < -1e-6 && state.cut() < before
    };
    let left = (1..20).filter(|&step| leaves(step)).count();
    assert!(left > 9, "{left} of 19");
}

#[test]
fn the_cliques_of_a_ring_are_recommended() {
    let ring = Cliques {
        cliques: 12,
        size: 6,
    }
    .generate()
    .unwrap();
    let graph = ring.graph().unwrap();
    let answer = Search::new().run_csr(&graph).unwrap();
    assert_eq!(answer.clusters, 12);
    check(&graph, &Cut::Normalized, &answer);
    let (low, high) = answer.interval.unwrap();
    assert!(low < 2.0 / 32.0 + 0.05 && high > 0.3, "{low} {high}");
    assert!(answer.optimal.moves && answer.optimal.merges);
}

#[test]
fn planted_communities_are_recommended() {
    let (graph, truth) = lfr();
    let answer = Search::new().run_csr(&graph).unwrap();
    check(&graph, &Cut::Normalized, &answer);
    let nmi = lambdacut::metrics::Agreement::of(&answer.labels, &truth)
        .unwrap()
        .nmi;
    assert!(nmi > 0.95, "NMI {nmi}");
}

#[test]
fn labels_do_not_depend_on_the_number_of_threads() {
    let graph = Lfr {
        vertices: 6000,
        ..Lfr::default()
    }
    .generate()
    .unwrap()
    .graph()
    .unwrap();
    let run = |threads, target: Target| {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap();
        let answer = pool.install(|| search_for(target).run_csr(&graph));
        answer.unwrap().clustering.labels
    };
    for target in [Target::Recommended, at(0.5), Target::Clusters(40)] {
        let one = run(1, target);
        assert_eq!(one, run(2, target));
        assert_eq!(one, run(3, target));
    }
}

#[test]
fn a_resumed_path_ends_like_an_uninterrupted_one() {
    let unweighted = Lfr {
        vertices: 3000,
        mixing: 0.5,
        ..Lfr::default()
    }
    .generate()
    .unwrap()
    .graph()
    .unwrap();
    let weight = |i: usize, j: u32| 1.0 + (i as f64 * f64::from(j)).sin().powi(2);
    let edges = (0..3000).flat_map(|i| {
        unweighted
            .rows()
            .targets(i)
            .iter()
            .map(move |&j| (i as u32, j, weight(i, j)))
    });
    let weighted: Csr<f64> =
        Csr::from_edges(3000, &edges.filter(|&(i, j, _)| i < j).collect::<Vec<_>>()).unwrap();
    resumes_alike(&unweighted);
    resumes_alike(&weighted);
}

fn resumes_alike<W: Weight>(graph: &Csr<W>) {
    let search = Search::new().effort(Effort::Fast);
    let whole = search.run_csr(graph).unwrap();
    let masses = Cut::Normalized;
    let mut path = Path::default();
    let follower = PathSearch::new(graph, &masses, Effort::Fast, &Silent);
    follower.follow(&mut path, &mut |_| true);
    for stop in 1..path.points().len() {
        let mut walk = Path::default();
        let mut steps = 0;
        follower.follow(&mut walk, &mut |_| {
            steps += 1;
            steps < stop
        });
        assert!(!walk.done());
        let stored = serde_json::to_string(&walk).unwrap();
        let mut walk: Path = serde_json::from_str(&stored).unwrap();
        let resumed = search.resume(graph, &mut walk, &mut |_| {}).unwrap();
        assert_eq!(resumed.labels, whole.labels, "stopped after step {stop}");
        assert_eq!(resumed.choice, whole.choice);
    }
}

#[test]
fn an_interrupted_search_still_answers() {
    let (graph, _) = lfr();
    let token = CancelToken::default();
    token.cancel();
    assert!(token.cancelled());
    for target in [Target::Recommended, at(0.5), Target::Clusters(20)] {
        let answer = search_for(target).observer(&token).run_csr(&graph).unwrap();
        assert_eq!(answer.stop, lambdacut::run::StopReason::Cancelled);
        check(&graph, &Cut::Normalized, &answer);
        let timed = search_for(target).time_limit(Duration::ZERO);
        let timed = timed.run_csr(&graph).unwrap();
        assert_eq!(timed.stop, lambdacut::run::StopReason::Time);
    }
}

#[test]
fn fixed_vertices_stay_together_and_a_start_is_improved() {
    let (graph, truth) = lfr();
    let fixed: Vec<u32> = (0..graph.vertices())
        .map(|i| if i < 40 { (i % 2) as u32 } else { NONE })
        .collect();
    let answer = search_for(at(0.5)).fixed(fixed).run_csr(&graph).unwrap();
    for i in 0..40 {
        assert_eq!(answer.labels[i], answer.labels[i % 2]);
    }
    let k = *truth.iter().max().unwrap() as usize + 1;
    let planted = Sums::of(&graph, &Cut::Normalized, &truth, k).value(0.5);
    let started = search_for(at(0.5)).start(truth).run_csr(&graph).unwrap();
    assert!(started.value <= planted + 1e-9);
}

/// A sparse graph with planted communities: annealing alone ends in one giant cluster.
fn sparse_planted(mixing: f64, seed: u64) -> (Csr<Unit>, Vec<u32>) {
    let planted = Lfr {
        vertices: 10_000,
        average_degree: 4.3,
        max_degree: 60,
        degree_exponent: 3.0,
        min_community: Some(50),
        max_community: Some(1000),
        mixing,
        seed,
        ..Lfr::default()
    };
    let generated = planted.generate().unwrap();
    (generated.graph().unwrap(), generated.truth.clone())
}

#[test]
fn sparse_planted_graphs_do_not_collapse_into_one_cluster() {
    for (mixing, seed) in [(0.1, 1), (0.2, 2)] {
        let (graph, planted) = sparse_planted(mixing, seed);
        let largest = |labels: &[u32]| {
            let mut sizes = std::collections::HashMap::new();
            for &c in labels.iter().filter(|&&c| c != NONE) {
                *sizes.entry(c).or_insert(0usize) += 1;
            }
            sizes.into_values().max().unwrap()
        };
        let search = search_for(at(0.29));
        let found = search.run_csr(&graph).unwrap();
        let target = search.start(planted.clone()).run_csr(&graph).unwrap();
        assert!(
            found.value < 0.93 * target.value,
            "mixing {mixing}: {} beside {}",
            found.value,
            target.value
        );
        assert!(
            largest(&found.labels) <= 2 * largest(&planted),
            "mixing {mixing}"
        );
    }
}

#[test]
fn without_time_the_answer_is_no_worse_than_one_cluster_a_component() {
    let (graph, _) = sparse_planted(0.2, 3);
    let count = components(&graph).count as f64;
    for target in [Target::Recommended, at(0.29)] {
        let search = search_for(target).time_limit(Duration::ZERO);
        let answer = search.run_csr(&graph).unwrap();
        let (value, beta) = (answer.value, answer.beta);
        assert!(value <= -beta * count + 1e-9, "{value} at {beta}");
    }
}

#[test]
fn masses_are_checked_and_the_vertex_is_named() {
    let graph: Csr<Unit> = Csr::from_edges(3, &[(0, 1, 1.0), (1, 2, 1.0)]).unwrap();
    let with = |masses: &[f64]| {
        let cut = Cut::Masses(masses.into());
        Search::new().cut(cut).run_csr(&graph)
    };
    assert!(with(&[1.0, 2.0, 0.5]).is_ok());
    for wrong in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let message = with(&[1.0, 1.0, wrong]).unwrap_err().to_string();
        assert!(message.contains("at vertex 2"), "{message}");
    }
    let message = with(&[1.0]).unwrap_err().to_string();
    assert!(message.contains("the number of masses"), "{message}");
}

#[test]
fn no_corner_of_zero_width_is_recommended() {
    let rmat = lambdacut::generate::Rmat {
        scale: 12,
        arcs: 60_000,
        ..lambdacut::generate::Rmat::default()
    }
    .checked()
    .unwrap();
    let mut edges = Vec::new();
    for chunk in 0..rmat.chunks() {
        edges.extend(rmat.chunk(chunk).into_iter().map(|(i, j)| (i, j, 1.0)));
    }
    edges.retain(|&(i, j, _)| i != j);
    let graph: Csr<f64> = Csr::from_edges(1 << 12, &edges).unwrap();
    let answer = Search::new().effort(Effort::Fast).run_csr(&graph).unwrap();
    let choice = answer.choice.unwrap();
    let chosen = choice.candidates[choice.chosen];
    assert!(chosen.width() > 0.0, "{chosen:?}");
}

/// F at β of the answers of rising effort, and of the corner of the default path there.
fn values_at<W: Weight>(graph: &Csr<W>, cut: &Cut, beta: f64) -> (Vec<f64>, f64) {
    let efforts = [Effort::Fast, Effort::Normal, Effort::Best];
    let values = efforts.map(|effort| {
        let search = search_for(at(beta)).cut(cut.clone()).effort(effort);
        search.run_csr(graph).unwrap().value
    });
    let path = Search::new().cut(cut.clone()).run_csr(graph).unwrap();
    let corners = path.choice.unwrap().candidates;
    let at_beta = corners.iter().map(|c| c.cut - beta * c.clusters as f64);
    (values.to_vec(), at_beta.fold(f64::INFINITY, f64::min))
}

fn more_is_never_worse<W: Weight>(graph: &Csr<W>, cut: &Cut, beta: f64) {
    let (values, corner) = values_at(graph, cut, beta);
    let slack = 1e-9 * (1.0 + corner.abs());
    assert!(
        values[1] <= values[0] + slack && values[2] <= values[1] + slack,
        "more effort is worse at {beta}: {values:?}"
    );
    assert!(
        values[1] <= corner + slack,
        "the path's corner at {beta} is better: {corner} against {values:?}"
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn more_effort_is_never_worse_nor_is_the_answer_than_the_path(g in graphs(30), beta in 0.05..0.9, ratio in any::<bool>()) {
        prop_assume!(g.arcs() > 0);
        more_is_never_worse(&g, if ratio { &Cut::Ratio } else { &Cut::Normalized }, beta);
    }

    #[test]
    fn more_effort_is_never_worse_for_a_number_of_clusters(g in graphs(24), k in 1usize..6) {
        prop_assume!(g.vertices() - g.isolated() >= k);
        let cuts = [Effort::Fast, Effort::Normal, Effort::Best].map(|effort| {
            let answer = search_for(Target::Clusters(k)).effort(effort).run_csr(&g).unwrap();
            answer.cut
        });
        prop_assert!(cuts[1] <= cuts[0] + 1e-9 && cuts[2] <= cuts[1] + 1e-9, "{cuts:?}");
    }
}

#[test]
fn on_planted_graphs_more_effort_is_never_worse_nor_is_the_answer_than_the_path() {
    let (dense, _) = lfr();
    let sparse = Lfr {
        vertices: 2000,
        average_degree: 4.3,
        degree_exponent: 3.0,
        mixing: 0.2,
        min_community: Some(20),
        max_community: Some(200),
        ..Lfr::default()
    };
    let sparse = sparse.generate().unwrap().graph().unwrap();
    for beta in [0.1, 0.29, 0.5, 0.7] {
        more_is_never_worse(&dense, &Cut::Normalized, beta);
        more_is_never_worse(&sparse, &Cut::Normalized, beta);
    }
}

#[test]
fn the_resolution_of_a_corner_gives_its_clustering_or_a_better_one() {
    let (graph, _) = lfr();
    let path = Search::new().run_csr(&graph).unwrap();
    for corner in path.choice.unwrap().candidates {
        let beta = f64::midpoint(corner.beta_low, corner.beta_high);
        if beta > 0.0 {
            let answer = search_for(at(beta)).run_csr(&graph).unwrap();
            let value = corner.cut - beta * corner.clusters as f64;
            assert!(answer.value <= value + 1e-9 * (1.0 + value.abs()));
        }
    }
}

#[test]
fn the_trace_covers_the_time_of_a_run() {
    let (graph, _) = sparse_planted(0.2, 1);
    for target in [Target::Recommended, at(0.29)] {
        let started = std::time::Instant::now();
        let answer = search_for(target).run_csr(&graph).unwrap();
        let whole = started.elapsed().as_secs_f64();
        let traced: f64 = answer.trace.iter().map(|pass| pass.seconds).sum();
        assert!(
            traced <= whole && traced > 0.8 * whole,
            "{traced} of {whole}"
        );
    }
}
