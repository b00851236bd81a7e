//! Parameters and results survive being written as JSON and read again, and nothing invalid comes
//! in this way.

use lambdacut::clustering::PointClustering;
use lambdacut::cut::Cut;
use lambdacut::dp_means::curve::{curve, plateaus};
use lambdacut::dp_means::{self, DpMeans};
use lambdacut::generate::{Affinity, Blobs, Cliques, Lfr, Rmat, Sbm};
use lambdacut::gibbs::{Gibbs, Prior};
use lambdacut::graph::Names;
use lambdacut::graph::{Csr, Direction, Duplicates, Policy, SelfLoops, Unit, components};
use lambdacut::hdp::{Hdp, HdpClustering};
use lambdacut::io::{Format, IdKind, LoadOptions, Missing, Roles, Unknown, load, read_labels};
use lambdacut::k_means::KMeans;
use lambdacut::kernel_dp_means::{self as kernel, KernelDpMeans, Shift, VisitOrder};
use lambdacut::layers::{Coupling, Layers, TwoPrices};
use lambdacut::linalg::{Extent, SpectrumOptions, spectrum, spectrum_cost, spectrum_cost_observed};
use lambdacut::metrics::{Agreement, GraphMetrics, Mean};
use lambdacut::params::Resolution;
use lambdacut::partition::Sums;
use lambdacut::points::{Groups, Points};
use lambdacut::run::{CancelToken, Observer, Silent, StopReason, StopRules};
use lambdacut::search::choose::Reason;
use lambdacut::search::effort::Effort;
use lambdacut::search::hull::corners;
use lambdacut::search::path::Walk;
use lambdacut::search::{Search, Target};
use lambdacut::spectral::{Rounding, Spectral, SpectralClustering};
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

fn ring() -> Csr<Unit> {
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
    };
    round_trip(&stop);
    round_trip(&beta());
    [Cut::Normalized, Cut::Ratio].iter().for_each(round_trip);
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
    let (labels, nine_seconds) = (vec![0, 1, u32::MAX], Duration::from_secs(9));
    let search = Search::new().cut(Cut::Masses([1.0, 0.1, 3.0].into()));
    let search = search.effort(Effort::Best).time_limit(nine_seconds);
    round_trip(&search.fixed(labels.clone()).start(labels));
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
            ..KernelDpMeans::new().lambda(0.7).cut(Cut::Ratio)
        });
    }
    round_trip(&KernelDpMeans::new().resolution(0.4).unwrap());
    round_trip(&KernelDpMeans::new().clusters(4).time_limit(nine_seconds));
    [Cut::Normalized, Cut::Ratio, Cut::Masses([1.0, 2.5].into())]
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
    let rounding = Rounding::DpMeans { lambda: 0.7 };
    round_trip(&Spectral {
        passes: 3,
        ..Spectral::new().spectrum(spectrum).rounding(rounding)
    });
    round_trip(&Spectral::new().resolution(0.4).unwrap().refine(false));
    round_trip(&Spectral::new().clusters(4).cut(Cut::Ratio));
    [Coupling::Chain, Coupling::All].iter().for_each(round_trip);
    let prices = TwoPrices {
        cut: Cut::Normalized,
        beta: Some(beta()),
        lambda_local: -0.25,
    };
    round_trip(&prices);
    round_trip(&Layers {
        prices,
        stop,
        ..Layers::new().effort(Effort::Fast).time_limit(nine_seconds)
    });
}

#[test]
fn parameters_of_point_methods() {
    for start in [
        dp_means::Start::default(),
        dp_means::Start::Labels(vec![0, 1, 0]),
    ] {
        let method = DpMeans::new().lambda(0.1).start(start).runs(3);
        round_trip(&method.order(dp_means::Order::Shuffled));
    }
    round_trip(&DpMeans::new().clusters(5).time_limit(Duration::MAX));
    round_trip(&KMeans {
        start: Some(points()),
        runs: 4,
        ..KMeans::new().clusters(3)
    });
    round_trip(&Hdp::new().prices(0.5, 2.0));
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
        .resume(&graph, &mut walk, &mut |_| {})
        .unwrap();
    round_trip(&answer.clustering);
    round_trip(&answer.optimal);
    round_trip(answer.choice.as_ref().unwrap());
    assert_eq!(answer.choice.as_ref().unwrap().reason, Reason::Interval);
    round_trip_as_text(&answer);
    round_trip_as_text(&walk);
    // Nothing seen has more clusters, so there is no upper end.
    let alone = Search::new().clusters(graph.vertices());
    let open = alone.run_csr(&graph).unwrap();
    assert_eq!(open.interval.map(|(_, high)| high), Some(f64::INFINITY));
    round_trip_as_text(&open);
    let text = serde_json::to_string(&open).unwrap();
    assert_eq!(
        serde_json::from_str::<lambdacut::search::Answer>(&text)
            .unwrap()
            .interval,
        open.interval
    );
    let kernel = KernelDpMeans::new().resolution(0.4).unwrap();
    round_trip(&kernel.run_csr(&graph).unwrap());
    round_trip(&Cut::Normalized.evaluate(&graph, &answer.labels, answer.clusters));
    let spectral = Spectral::new().resolution(0.4).unwrap();
    let found: SpectralClustering = spectral.run_csr(&graph).unwrap();
    round_trip(&found);
    round_trip(&found.spectrum.certificate(0.4).unwrap());
    round_trip(&found.spectrum.gaps());
    round_trip(&spectrum_cost(
        &graph,
        &Cut::Normalized,
        0.4,
        &SpectrumOptions::default(),
    ));
    round_trip(&GraphMetrics::of(&graph, &answer.labels).unwrap());
    round_trip(&Agreement::of(&answer.labels, &found.labels).unwrap());
    round_trip(&components(&graph));
    round_trip(&Sums::of(
        &graph,
        &Cut::Normalized,
        &answer.labels,
        answer.clusters,
    ));
    round_trip(&StopReason::RelativeGain);
}

/// Everything found on `graph`, cancelled at once or not, comes back the same.
fn all_round_trips(graph: &Csr<Unit>, observer: &dyn Observer) {
    let kernel = KernelDpMeans::new().resolution(0.4).unwrap();
    round_trip(&kernel.observer(observer).run_csr(graph).unwrap());
    for extent in [Extent::Below(0.4), Extent::Below(1.9), Extent::Smallest(3)] {
        let options = SpectrumOptions {
            dense_limit: 4,
            ..SpectrumOptions::default()
        };
        let low = spectrum(graph, &Cut::Normalized, extent, &options, observer).unwrap();
        round_trip(&low);
        round_trip(&low.certificate(low.below));
        for refine in [false, true] {
            let spectral = Spectral {
                extent: Some(extent),
                ..Spectral::new().refine(refine).observer(observer)
            };
            round_trip(&spectral.run_csr(graph).unwrap());
        }
        round_trip(&spectrum_cost_observed(
            graph,
            &Cut::Normalized,
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
        &Cut::Normalized,
        &labels,
        components(graph).count,
    ));
}

#[test]
fn results_of_cancelled_runs_and_of_graphs_without_edges() {
    let token = CancelToken::default();
    token.cancel();
    let sparks = Csr::from_edges(
        60,
        &(0..30).map(|c| (2 * c, 2 * c + 1, 1.0)).collect::<Vec<_>>(),
    )
    .unwrap();
    for graph in [
        ring(),
        sparks,
        Csr::from_edges(3, &[]).unwrap(),
        Csr::from_edges(0, &[]).unwrap(),
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
    let found: PointClustering = DpMeans::new().lambda(900.0).run(&points).unwrap();
    round_trip(&found);
    round_trip(&KMeans::new().clusters(3).run(&points).unwrap());
    let groups = Groups::new(&(0..60).map(|i| i % 2).collect::<Vec<_>>(), 60).unwrap();
    let shared: HdpClustering<Vec<f64>> = Hdp::new()
        .prices(500.0, 500.0)
        .run(&points, &groups)
        .unwrap();
    round_trip(&shared);
    let found = curve(&points, &DpMeans::new().lambda(1.0), &[10.0, 100.0, 1000.0]).unwrap();
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
    refused::<Target>(r#"{"resolution": 0.0}"#, "component");
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

/// `{}` is read as the default, and the default comes back as it was written.
fn reads_nothing_as_default<T: Default + Serialize + DeserializeOwned + PartialEq + Debug>() {
    let name = std::any::type_name::<T>();
    let read = serde_json::from_str::<T>("{}").unwrap_or_else(|e| panic!("{name}: {e}"));
    assert_eq!(read, T::default(), "{name}");
    round_trip(&T::default());
}

#[test]
fn parameters_left_out_are_the_default() {
    reads_nothing_as_default::<Search>();
    reads_nothing_as_default::<KernelDpMeans>();
    reads_nothing_as_default::<Spectral>();
    reads_nothing_as_default::<Layers>();
    reads_nothing_as_default::<TwoPrices>();
    reads_nothing_as_default::<DpMeans>();
    reads_nothing_as_default::<Hdp>();
    reads_nothing_as_default::<KMeans>();
    reads_nothing_as_default::<Gibbs>();
    reads_nothing_as_default::<StopRules>();
    reads_nothing_as_default::<SpectrumOptions>();
    reads_nothing_as_default::<LoadOptions>();
    reads_nothing_as_default::<Policy>();
    assert_eq!(
        serde_json::from_str::<Lfr>(r#"{"mixing": 0.5}"#).unwrap(),
        Lfr {
            mixing: 0.5,
            ..Lfr::default()
        }
    );
    assert_eq!(
        serde_json::from_str::<Search>(r#"{"target": {"clusters": 3}}"#).unwrap(),
        Search::new().clusters(3)
    );
}
