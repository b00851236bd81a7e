//! Parameters and results survive being written as JSON and read again, and nothing invalid comes
//! in this way.

use lambdacut::dp_means::curve::{curve, plateaus};
use lambdacut::dp_means::{self, DpMeans};
use lambdacut::fit::{PointFit, StopReason};
use lambdacut::generate::{Affinity, Blobs, Cliques, Lfr, Rmat, Sbm};
use lambdacut::gibbs::{Gibbs, Prior};
use lambdacut::graph::{Direction, Duplicates, Graph, Policy, SelfLoops, Unit, components};
use lambdacut::hdp::{Hdp, HdpFit};
use lambdacut::io::{
    Format, IdKind, LoadOptions, Missing, Names, Roles, Unknown, load, read_labels,
};
use lambdacut::k_means::KMeans;
use lambdacut::kernel_dp_means::{self as kernel, KernelDpMeans, Shift, VisitOrder, fit_graph};
use lambdacut::layers::{Coupling, TwoPrices};
use lambdacut::linalg::{Extent, SpectrumOptions, spectrum, spectrum_cost, spectrum_cost_observed};
use lambdacut::metrics::{Agreement, GraphMetrics, Mean};
use lambdacut::objective::Objective;
use lambdacut::observe::{CancelToken, Observer, Silent};
use lambdacut::params::{ObjectiveKind, Resolution, StopRules};
use lambdacut::partition::{Masses, Sums};
use lambdacut::points::{Groups, Points};
use lambdacut::search::choose::Reason;
use lambdacut::search::effort::Effort;
use lambdacut::search::hull::corners;
use lambdacut::search::path::Walk;
use lambdacut::search::{Search, Target};
use lambdacut::spectral::{Rounding, SpectralFit, SpectralOptions, spectral};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::fmt::Debug;
use std::time::Duration;

/// Writes, reads, compares.
fn round_trip<T: Serialize + DeserializeOwned + PartialEq + Debug>(value: &T) {
    let text = serde_json::to_string(value).unwrap();
    let back: T = serde_json::from_str(&text).unwrap_or_else(|e| panic!("{e} in {text}"));
    assert_eq!(&back, value, "{text}");
}

/// The same for what has no equality: the text of the copy is that of the original.
fn round_trip_as_text<T: Serialize + DeserializeOwned>(value: &T) {
    let text = serde_json::to_string(value).unwrap();
    let back: T = serde_json::from_str(&text).unwrap_or_else(|e| panic!("{e} in {text}"));
    assert_eq!(serde_json::to_string(&back).unwrap(), text);
}

fn beta() -> Resolution {
    Resolution::new(0.4).unwrap()
}

fn ring() -> Graph<Unit> {
    Cliques {
        cliques: 5,
        size: 5,
    }
    .generate()
    .unwrap()
    .graph()
    .unwrap()
}

fn points() -> Points {
    let blobs = Blobs {
        points: 60,
        clusters: 3,
        separation: 8.0,
        ..Blobs::default()
    }
    .generate()
    .unwrap();
    Points::new(blobs.dimensions, blobs.values)
        .unwrap()
        .with_weights((1..=60).map(f64::from).collect())
        .unwrap()
}

#[test]
fn parameters_of_graph_methods() {
    let stop = StopRules {
        passes: Some(7),
        relative_gain: Some(1e-3),
        time: Some(Duration::from_millis(1500)),
    };
    round_trip(&stop);
    round_trip(&beta());
    [ObjectiveKind::NormalizedCut, ObjectiveKind::RatioCut]
        .iter()
        .for_each(round_trip);
    [Effort::Fast, Effort::Normal, Effort::Best]
        .iter()
        .for_each(round_trip);
    [
        Target::Recommended,
        Target::Resolution(beta()),
        Target::Clusters(3),
    ]
    .iter()
    .for_each(round_trip);
    let labels = Some(vec![0, 1, u32::MAX]);
    let (masses, time) = (Some(vec![1.0, 0.1, 3.0]), Some(Duration::from_secs(9)));
    round_trip(&Search {
        kind: ObjectiveKind::RatioCut,
        masses,
        effort: Effort::Best,
        fixed: labels.clone(),
        start: labels,
        time,
    });
    for start in [
        kernel::Start::One,
        kernel::Start::Singletons,
        kernel::Start::FarthestFirst(3),
        kernel::Start::Labels([1, 0].into()),
    ] {
        let order = VisitOrder::Shuffled;
        round_trip(&KernelDpMeans {
            start,
            order,
            shift: Shift::Sigma(1.5),
            stop,
            refine: false,
            seed: 9,
            ..KernelDpMeans::default()
        });
    }
    round_trip(&Objective::new(ObjectiveKind::RatioCut, beta()));
    [
        Masses::Degree,
        Masses::One,
        Masses::Given([1.0, 2.5].into()),
    ]
    .iter()
    .for_each(round_trip);
    [Extent::Below(0.3), Extent::Smallest(7)]
        .iter()
        .for_each(round_trip);
    let spectrum = SpectrumOptions {
        max_bytes: Some(1 << 40),
        tolerance: 1e-7,
        ..SpectrumOptions::default()
    };
    round_trip(&spectrum);
    round_trip(&SpectralOptions {
        spectrum,
        rounding: Rounding::DpMeans { lambda: 0.7 },
        passes: 3,
    });
    [Coupling::Chain, Coupling::All].iter().for_each(round_trip);
    round_trip(&TwoPrices {
        kind: ObjectiveKind::NormalizedCut,
        beta: beta(),
        lambda_local: -0.25,
    });
}

#[test]
fn parameters_of_point_methods() {
    for start in [
        dp_means::Start::default(),
        dp_means::Start::Labels(vec![0, 1, 0]),
    ] {
        round_trip(&DpMeans {
            start,
            order: dp_means::Order::Shuffled,
            runs: 3,
            ..DpMeans::new(0.1)
        });
    }
    round_trip(&KMeans {
        start: Some(points()),
        runs: 4,
        ..KMeans::new(3)
    });
    round_trip(&Hdp::new(0.5, 2.0));
    round_trip(&Gibbs {
        alpha: Prior::Fixed(2.0),
        ..Gibbs::default()
    });
    round_trip(&points());
    round_trip(&Groups::new(&[0, 2, 1, 2], 4).unwrap());
}

#[test]
fn parameters_of_reading_and_generating() {
    let policy = Policy {
        direction: Direction::Reject,
        self_loops: SelfLoops::Drop,
        duplicates: Duplicates::Sum,
        unweighted: true,
        single_precision: true,
    };
    round_trip(&policy);
    let (format, header) = (Some(Format::Metis), Some(true));
    round_trip(&LoadOptions {
        format,
        policy,
        ids: IdKind::Name,
        header,
        columns: lambdacut::io::Columns {
            source: Some("from".to_owned()),
            target: Some("2".to_owned()),
            weight: None,
        },
        lenient: true,
        memory_limit: Some(5),
        hash: true,
    });
    [Unknown::Error, Unknown::Skip].iter().for_each(round_trip);
    [Missing::Error, Missing::Drop, Missing::Mean]
        .iter()
        .for_each(round_trip);
    round_trip(&Roles {
        label: Some("class".into()),
        ignored: vec!["id".into()],
        ..Roles::default()
    });
    round_trip(&Lfr {
        vertices: 7,
        mixing: 0.1,
        max_community: Some(3),
        ..Lfr::default()
    });
    round_trip(&Rmat {
        scale: 5,
        a: 0.6,
        ..Rmat::default()
    });
    round_trip(&Sbm {
        affinity: Affinity::Matrix(vec![0.5, 0.1, 0.1, 0.5]),
        propensity: Some((2.5, 10)),
        ..Sbm::default()
    });
    round_trip(&Cliques {
        cliques: 3,
        size: 4,
    });
    round_trip(&Blobs {
        deviation: 0.3,
        ..Blobs::default()
    });
    [Mean::Arithmetic, Mean::Geometric, Mean::Max]
        .iter()
        .for_each(round_trip);
}

#[test]
fn results_of_graph_methods() {
    let graph = ring();
    let mut walk = Walk::default();
    let answer = Search::default()
        .resume(
            &graph,
            &Target::Recommended,
            &mut walk,
            &mut |_| {},
            &Silent,
        )
        .unwrap();
    round_trip(&answer.fit);
    round_trip(&answer.optimal);
    round_trip(answer.choice.as_ref().unwrap());
    assert_eq!(answer.choice.as_ref().unwrap().reason, Reason::Interval);
    round_trip_as_text(&answer);
    round_trip_as_text(&walk);
    // Nothing seen has more clusters, so there is no upper end.
    let open = Search::default()
        .run(&graph, &Target::Clusters(graph.vertices()), &Silent)
        .unwrap();
    assert_eq!(open.interval.map(|(_, high)| high), Some(f64::INFINITY));
    round_trip_as_text(&open);
    let text = serde_json::to_string(&open).unwrap();
    assert_eq!(
        serde_json::from_str::<lambdacut::search::Answer>(&text)
            .unwrap()
            .interval,
        open.interval
    );
    let objective = Objective::new(ObjectiveKind::NormalizedCut, beta());
    round_trip(&fit_graph(&graph, &objective, &KernelDpMeans::default(), &Silent).unwrap());
    round_trip(&objective.evaluate(&graph, &answer.fit.labels, answer.fit.clusters));
    let found: SpectralFit = spectral(
        &graph,
        &Masses::Degree,
        Extent::Below(0.4),
        &SpectralOptions::default(),
        &Silent,
    )
    .unwrap();
    round_trip(&found);
    round_trip(&found.spectrum.certificate(0.4).unwrap());
    round_trip(&found.spectrum.gaps());
    round_trip(&spectrum_cost(
        &graph,
        &Masses::Degree,
        0.4,
        &SpectrumOptions::default(),
    ));
    round_trip(&GraphMetrics::of(&graph, &answer.fit.labels).unwrap());
    round_trip(&Agreement::of(&answer.fit.labels, &found.fit.labels).unwrap());
    round_trip(&components(&graph));
    round_trip(&Sums::of(
        &graph,
        &Masses::Degree,
        &answer.fit.labels,
        answer.fit.clusters,
    ));
    round_trip(&StopReason::RelativeGain);
}

/// Everything found on `graph`, cancelled at once or not, comes back the same.
fn all_round_trips(graph: &Graph<Unit>, observer: &dyn Observer) {
    let objective = Objective::new(ObjectiveKind::NormalizedCut, beta());
    round_trip(&fit_graph(graph, &objective, &KernelDpMeans::default(), observer).unwrap());
    for extent in [Extent::Below(0.4), Extent::Below(1.9), Extent::Smallest(3)] {
        let options = SpectrumOptions {
            dense_limit: 4,
            ..SpectrumOptions::default()
        };
        let low = spectrum(graph, &Masses::Degree, extent, &options, observer).unwrap();
        round_trip(&low);
        round_trip(&low.certificate(low.below));
        round_trip(
            &spectral(
                graph,
                &Masses::Degree,
                extent,
                &SpectralOptions::default(),
                observer,
            )
            .unwrap(),
        );
        round_trip(&spectrum_cost_observed(
            graph,
            &Masses::Degree,
            0.4,
            &options,
            observer,
        ));
    }
    let labels = components(graph).labels;
    round_trip(&GraphMetrics::of(graph, &labels).unwrap());
    round_trip(&Agreement::of(&labels, &labels).unwrap());
    round_trip(&Sums::of(
        graph,
        &Masses::Degree,
        &labels,
        components(graph).count,
    ));
}

#[test]
fn results_of_cancelled_runs_and_of_graphs_without_edges() {
    let token = CancelToken::default();
    token.cancel();
    let sparks = Graph::from_edges(
        60,
        &(0..30).map(|c| (2 * c, 2 * c + 1, 1.0)).collect::<Vec<_>>(),
    )
    .unwrap();
    for graph in [
        ring(),
        sparks,
        Graph::from_edges(3, &[]).unwrap(),
        Graph::from_edges(0, &[]).unwrap(),
    ] {
        all_round_trips(&graph, &token);
        all_round_trips(&graph, &Silent);
    }
}

#[test]
fn intervals_without_an_upper_end() {
    let found = corners(&[(1, 0.0), (3, 0.6), (4, 1.2)]);
    assert_eq!(found.last().unwrap().beta_high, f64::INFINITY);
    round_trip(&found);
    round_trip(&SpectrumOptions {
        factor_flops: f64::INFINITY,
        ..SpectrumOptions::default()
    });
}

#[test]
fn results_of_point_methods() {
    let points = points();
    let found: PointFit = DpMeans::new(900.0).run(&points, &Silent).unwrap();
    round_trip(&found);
    round_trip(&KMeans::new(3).run(&points, &Silent).unwrap());
    let groups = Groups::new(&(0..60).map(|i| i % 2).collect::<Vec<_>>(), 60).unwrap();
    let shared: HdpFit<Vec<f64>> = Hdp::new(500.0, 500.0)
        .run(&points, &groups, &Silent)
        .unwrap();
    round_trip(&shared);
    let found = curve(&points, &DpMeans::new(1.0), &[10.0, 100.0, 1000.0], &Silent).unwrap();
    round_trip(&found);
    round_trip(&plateaus(&found));
}

#[test]
fn results_of_reading_and_generating() {
    round_trip(
        &Cliques {
            cliques: 3,
            size: 4,
        }
        .generate()
        .unwrap(),
    );
    round_trip(
        &Blobs {
            points: 9,
            ..Blobs::default()
        }
        .generate()
        .unwrap(),
    );
    let karate = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("datasets");
    let read = load(
        &karate.join("karate.edges"),
        &LoadOptions::default(),
        &Silent,
    )
    .unwrap();
    round_trip(&read.counts);
    round_trip(&read_labels(&karate.join("karate.labels"), &read.names, Unknown::Error).unwrap());
    assert!(matches!(read.names, Names::Range { .. }));
}

#[test]
fn nothing_invalid_is_read() {
    fn refused<T: DeserializeOwned>(text: &str, word: &str) {
        let error = serde_json::from_str::<T>(text)
            .err()
            .unwrap_or_else(|| panic!("{text} was accepted"))
            .to_string();
        assert!(error.contains(word), "{word} in {error}");
    }
    refused::<Resolution>("-0.5", "component");
    refused::<Target>(r#"{"Resolution": 0.0}"#, "component");
    refused::<Points>(
        r#"{"dimension": 2, "values": [1.0, 2.0, 3.0], "weights": null}"#,
        "row 1",
    );
    refused::<Points>(
        r#"{"dimension": 1, "values": [1.0], "weights": [0.0]}"#,
        "weight",
    );
    refused::<Groups>("[0, 9]", "group");
}

#[test]
fn parameters_left_out_are_the_default() {
    assert_eq!(
        serde_json::from_str::<Search>("{}").unwrap(),
        Search::default()
    );
    assert_eq!(
        serde_json::from_str::<KernelDpMeans>("{}").unwrap(),
        KernelDpMeans::default()
    );
    assert_eq!(
        serde_json::from_str::<Lfr>(r#"{"mixing": 0.5}"#).unwrap(),
        Lfr {
            mixing: 0.5,
            ..Lfr::default()
        }
    );
    assert_eq!(
        serde_json::from_str::<SpectralOptions>("{}").unwrap(),
        SpectralOptions::default()
    );
    assert_eq!(
        serde_json::from_str::<LoadOptions>("{}").unwrap(),
        LoadOptions::default()
    );
    assert_eq!(
        serde_json::from_str::<StopRules>("{}").unwrap(),
        StopRules::default()
    );
}
