//! Whatever takes long hears an observer and stops when it is asked to.

use lambdacut::baseline::gibbs::Gibbs;
use lambdacut::baseline::k_means::KMeans;
use lambdacut::cluster::dp_means::DpMeans;
use lambdacut::cluster::dp_means_curve::curve;
use lambdacut::cluster::effort::Effort;
use lambdacut::cluster::hdp::Hdp;
use lambdacut::cluster::kernel_dp_means::{KernelDpMeans, Start, fit_graph};
use lambdacut::cluster::layers::{Coupling, LayeredGraph, TwoPrices};
use lambdacut::cluster::search::{Search, Target};
use lambdacut::cluster::spectral::{SpectralOptions, spectral};
use lambdacut::fit::StopReason;
use lambdacut::generate::{Blobs, GenerateError, Lfr, Rmat, Sbm};
use lambdacut::graph::{AnyGraph, Graph, Unit};
use lambdacut::ids::NONE;
use lambdacut::io::Names;
use lambdacut::linalg::Extent;
use lambdacut::objective::Objective;
use lambdacut::observe::{CancelToken, Event, Observer};
use lambdacut::params::{ObjectiveKind, Resolution, StopRules};
use lambdacut::partition::Masses;
use lambdacut::points::{Groups, Points};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// Cancels after some events.
struct After(AtomicUsize);

impl Observer for After {
    fn event(&self, _: Event<'_>) {
        let _ = self.0.fetch_update(Relaxed, Relaxed, |left| left.checked_sub(1));
    }

    fn cancelled(&self) -> bool {
        self.0.load(Relaxed) == 0
    }
}

fn cancelled() -> CancelToken {
    let token = CancelToken::default();
    token.cancel();
    token
}

fn lfr() -> Graph<Unit> {
    Lfr { vertices: 1500, mixing: 0.4, ..Lfr::default() }.generate().unwrap().graph().unwrap()
}

fn blobs() -> Points {
    let made = Blobs { points: 2000, clusters: 20, ..Blobs::default() }.generate().unwrap();
    Points::new(made.dimensions, made.values).unwrap()
}

#[test]
fn a_cancelled_search_has_an_answer() {
    let graph = lfr();
    let targets = [Target::Recommended, Target::Resolution(Resolution::new(0.5).unwrap()), Target::Clusters(30)];
    for target in targets {
        for events in [0, 1, 3, 8] {
            let answer = Search::default().run(&graph, &target, &After(AtomicUsize::new(events))).unwrap();
            assert_eq!(answer.fit.labels.len(), graph.vertices());
            assert!(
                answer.fit.labels.iter().all(|&c| c != NONE && (c as usize) < answer.fit.clusters),
                "{target:?} after {events}"
            );
            if events == 0 {
                assert_eq!(answer.fit.stop, StopReason::Cancelled, "{target:?}");
            }
        }
    }
}

#[test]
fn kernel_dp_means_stops_after_the_pass() {
    let graph = lfr();
    let objective = Objective::new(ObjectiveKind::NormalizedCut, Resolution::new(0.5).unwrap());
    let params = KernelDpMeans { start: Start::FarthestFirst(40), ..KernelDpMeans::default() };
    let found = fit_graph(&graph, &objective, &params, &cancelled()).unwrap();
    assert_eq!((found.fit.stop, found.fit.trace.len()), (StopReason::Cancelled, 1));
}

#[test]
fn spectral_clustering_stops_with_what_it_has() {
    let found = spectral(&lfr(), &Masses::Degree, Extent::Below(0.5), &SpectralOptions::default(), &cancelled()).unwrap();
    assert_eq!(found.fit.stop, StopReason::Cancelled);
    assert!(!found.spectrum.check.complete);
}

#[test]
fn methods_for_points_stop_after_a_pass() {
    let (points, token) = (blobs(), cancelled());
    let dp = DpMeans { runs: 5, ..DpMeans::new(2.0) }.run(&points, &token).unwrap().fit;
    let means = KMeans { runs: 5, ..KMeans::new(20) }.run(&points, &token).unwrap().fit;
    let groups = Groups::new(&(0..2000).map(|i| i % 3).collect::<Vec<_>>(), 2000).unwrap();
    let hdp = Hdp::new(2.0, 2.0).run(&points, &groups, &token).unwrap().fit;
    for fit in [dp, means, hdp] {
        assert_eq!((fit.stop, fit.trace.len()), (StopReason::Cancelled, 1));
    }
    let chain = Gibbs::default().run(&points, &token, &mut |_| {}).unwrap();
    assert_eq!((chain.fit.stop, chain.fit.trace.len()), (StopReason::Cancelled, 1));
    assert!(curve(&points, &DpMeans::new(1.0), &[1.0, 2.0, 3.0, 4.0], &token).unwrap().len() <= 1);
}

#[test]
fn layered_graphs_stop() {
    let (graph, names) = (AnyGraph::Unit(lfr()), Names::numbers(1500));
    let layered = LayeredGraph::new(&[(&graph, &names), (&graph, &names)], Coupling::Chain, 0.5).unwrap();
    let prices = TwoPrices { kind: ObjectiveKind::NormalizedCut, beta: Resolution::new(0.5).unwrap(), lambda_local: 0.01 };
    let fit = prices.cluster(&layered, Effort::Normal, StopRules::default(), &cancelled()).unwrap();
    assert!(fit.trace.len() <= 1 && fit.labels.len() == 3000);
}

#[test]
fn half_a_graph_is_an_error() {
    let lfr = Lfr::default();
    assert_eq!(lfr.generate_observed(&cancelled()), Err(GenerateError::Cancelled));
    assert_eq!(lfr.generate_observed(&After(AtomicUsize::new(2))), Err(GenerateError::Cancelled));
    assert_eq!(lfr.generate_observed(&CancelToken::default()), lfr.generate());
    assert_eq!(Sbm::default().generate_observed(&cancelled()), Err(GenerateError::Cancelled));
    assert_eq!(Sbm::default().generate_observed(&CancelToken::default()), Sbm::default().generate());
    let rmat = Rmat { scale: 10, arcs: 1_000_000, ..Rmat::default() }.checked().unwrap();
    assert!(rmat.write_to(&mut Vec::new(), &cancelled()).is_err());
}
