//! Whatever takes long hears an observer and stops when it is asked to.

use lambdacut::cut::Cut;
use lambdacut::dp_means::DpMeans;
use lambdacut::dp_means::curve::curve;
use lambdacut::generate::{Blobs, Cliques, GenerateError, Lfr, Rmat, Sbm};
use lambdacut::gibbs::Gibbs;
use lambdacut::graph::{Csr, Graph, Unit};
use lambdacut::hdp::Hdp;
use lambdacut::ids::NONE;
use lambdacut::k_means::KMeans;
use lambdacut::kernel_dp_means::{
    Kernel, KernelDpMeans, KernelDpMeansError, Shift, Start, lambda_for_clusters,
    resolution_for_clusters, resolve_shift,
};
use lambdacut::layers::{Coupling, LayeredGraph, Layers};
use lambdacut::linalg::{Extent, SpectrumOptions, spectrum, spectrum_cost_observed};
use lambdacut::params::Resolution;
use lambdacut::points::{Groups, Points};
use lambdacut::run::{CancelToken, Event, Observer, Silent, StopReason};
use lambdacut::search::{Search, Target};
use lambdacut::spectral::Spectral;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};

/// Cancels after some events.
struct After(AtomicUsize);

impl Observer for After {
    fn event(&self, _: Event<'_>) {
        let _ = self
            .0
            .fetch_update(Relaxed, Relaxed, |left| left.checked_sub(1));
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

fn lfr() -> Csr<Unit> {
    Lfr {
        vertices: 1500,
        mixing: 0.4,
        ..Lfr::default()
    }
    .generate()
    .unwrap()
    .graph()
    .unwrap()
}

fn blobs() -> Points {
    let made = Blobs {
        points: 2000,
        clusters: 20,
        ..Blobs::default()
    }
    .generate()
    .unwrap();
    Points::new(made.dimensions, made.values).unwrap()
}

#[test]
fn a_cancelled_search_has_an_answer() {
    let graph = lfr();
    let targets = [
        Target::Recommended,
        Target::Resolution(Resolution::new(0.5).unwrap()),
        Target::Clusters(30),
    ];
    for target in targets {
        for events in [0, 1, 3, 8] {
            let after = After(AtomicUsize::new(events));
            let search = Search {
                target,
                ..Search::default()
            };
            let answer = search.observer(&after).run_csr(&graph).unwrap();
            assert_eq!(answer.labels.len(), graph.vertices());
            assert!(
                answer
                    .labels
                    .iter()
                    .all(|&c| c != NONE && (c as usize) < answer.clusters),
                "{target:?} after {events}"
            );
            if events == 0 {
                assert_eq!(answer.stop, StopReason::Cancelled, "{target:?}");
            }
        }
    }
}

#[test]
fn kernel_dp_means_stops_after_the_pass() {
    let graph = lfr();
    let method = at_half().start(Start::FarthestFirst(40));
    let found = method.observer(&cancelled()).run_csr(&graph).unwrap();
    assert_eq!((found.stop, found.trace.len()), (StopReason::Cancelled, 1));
}

#[test]
fn spectral_clustering_stops_with_what_it_has() {
    let (method, token) = (Spectral::new().resolution(0.5).unwrap(), cancelled());
    let found = method.observer(&token).run_csr(&lfr()).unwrap();
    assert_eq!(found.stop, StopReason::Cancelled);
    assert!(!found.spectrum.check.complete);
}

#[test]
fn methods_for_points_stop_after_a_pass() {
    let (points, token) = (blobs(), cancelled());
    let dp = DpMeans::new().lambda(2.0).runs(5).observer(&token);
    let dp = dp.run(&points).unwrap();
    let means = KMeans::new().clusters(20).runs(5).observer(&token);
    let means = means.run(&points).unwrap();
    let groups = Groups::new(&(0..2000).map(|i| i % 3).collect::<Vec<_>>(), 2000).unwrap();
    let hdp = Hdp::new().prices(2.0, 2.0).observer(&token);
    let hdp = hdp.run(&points, &groups).unwrap().clustering;
    for found in [dp, means, hdp] {
        assert_eq!((found.stop, found.trace.len()), (StopReason::Cancelled, 1));
    }
    let chain = Gibbs::new().observer(&token).run(&points).unwrap();
    assert_eq!((chain.stop, chain.trace.len()), (StopReason::Cancelled, 1));
    assert!(
        curve(
            &points,
            &DpMeans::new().lambda(1.0).observer(&token),
            &[1.0, 2.0, 3.0, 4.0],
        )
        .unwrap()
        .len()
            <= 1
    );
}

#[test]
fn layered_graphs_stop() {
    let graph = Graph::from(lfr());
    let layered = LayeredGraph::new(&[&graph, &graph], Coupling::Chain, 0.5).unwrap();
    let method = Layers::new().resolution(0.5).unwrap().local_price(0.01);
    let found = method.observer(&cancelled()).run(&layered).unwrap();
    assert!(found.trace.len() <= 1 && found.labels.len() == 3000);
    assert_eq!(found.stop, StopReason::Cancelled);
}

#[test]
fn half_a_graph_is_an_error() {
    let lfr = Lfr::default();
    assert_eq!(
        lfr.generate_observed(&cancelled()),
        Err(GenerateError::Cancelled)
    );
    assert_eq!(
        lfr.generate_observed(&After(AtomicUsize::new(2))),
        Err(GenerateError::Cancelled)
    );
    assert_eq!(
        lfr.generate_observed(&CancelToken::default()),
        lfr.generate()
    );
    assert_eq!(
        Sbm::default().generate_observed(&cancelled()),
        Err(GenerateError::Cancelled)
    );
    assert_eq!(
        Sbm::default().generate_observed(&CancelToken::default()),
        Sbm::default().generate()
    );
    let rmat = Rmat {
        scale: 10,
        arcs: 1_000_000,
        ..Rmat::default()
    }
    .checked()
    .unwrap();
    assert!(rmat.write_to(&mut Vec::new(), &cancelled()).is_err());
}

/// Lets the run go on until the named stage has begun, and then answers that many more questions
/// with "go on".
struct During {
    stage: &'static str,
    begun: AtomicBool,
    patience: AtomicUsize,
    asked: AtomicUsize,
}

impl During {
    fn new(stage: &'static str, patience: usize) -> Self {
        Self {
            stage,
            begun: AtomicBool::new(false),
            patience: AtomicUsize::new(patience),
            asked: AtomicUsize::new(0),
        }
    }

    /// How often the run asked on after it was told to stop.
    fn asked(&self) -> usize {
        self.asked.load(Relaxed)
    }
}

impl Observer for During {
    fn event(&self, event: Event<'_>) {
        if matches!(event, Event::Stage { name, .. } if name == self.stage) {
            self.begun.store(true, Relaxed);
        }
    }

    fn cancelled(&self) -> bool {
        if !self.begun.load(Relaxed) {
            return false;
        }
        let over = self
            .patience
            .fetch_update(Relaxed, Relaxed, |left| left.checked_sub(1))
            .is_err();
        self.asked.fetch_add(usize::from(over), Relaxed);
        over
    }
}

#[test]
fn the_last_wiring_of_lfr_stops() {
    let lfr = Lfr {
        vertices: 20_000,
        mixing: 0.5,
        ..Lfr::default()
    };
    // The first question is asked where the stage begins; the shuffle of 200 000 stubs asks three
    // times, the repairs further times.
    for patience in [1, 2, 4, 5] {
        let during = During::new("joining vertices between communities", patience);
        assert_eq!(
            lfr.generate_observed(&during),
            Err(GenerateError::Cancelled)
        );
        assert!(
            (1..=5).contains(&during.asked()),
            "{patience}: {}",
            during.asked()
        );
    }
    assert_eq!(
        lfr.generate_observed(&During::new(
            "joining vertices between communities",
            usize::MAX
        )),
        lfr.generate()
    );
}

#[test]
fn blobs_stop_among_centres_and_among_points() {
    // So many centres so far apart would take minutes.
    let crowded = Blobs {
        clusters: 50_000,
        extent: 1e6,
        separation: 10.0,
        points: 1,
        ..Blobs::default()
    };
    assert_eq!(
        crowded.generate_observed(&During::new("drawing centres", 50)),
        Err(GenerateError::Cancelled)
    );
    let blobs = Blobs {
        points: 100_000,
        ..Blobs::default()
    };
    let during = During::new("drawing points", 3);
    assert_eq!(
        blobs.generate_observed(&during),
        Err(GenerateError::Cancelled)
    );
    // 25 blocks, of which a few may be under way.
    assert!(during.asked() < 20, "{}", during.asked());
    assert_eq!(
        blobs.generate_observed(&CancelToken::default()),
        blobs.generate()
    );
}

fn at_half() -> KernelDpMeans<'static> {
    KernelDpMeans::new().resolution(0.5).unwrap()
}

#[test]
fn the_shift_is_safe_whenever_it_is_cut_short() {
    let (graph, cut) = (lfr(), Cut::Normalized);
    let shift = |observer: &dyn Observer| {
        resolve_shift(&graph, &cut, Shift::Automatic, 1, observer).unwrap()
    };
    let (bound, whole) = (
        resolve_shift(&graph, &cut, Shift::Bound, 1, &Silent).unwrap(),
        shift(&CancelToken::default()),
    );
    assert_eq!(shift(&cancelled()), bound);
    assert!(whole < bound - 0.1);
    // Fewer steps, a looser bound.
    let stage = "bounding the largest eigenvalue";
    let (early, late) = (
        shift(&During::new(stage, 20)),
        shift(&During::new(stage, 50)),
    );
    assert!(
        whole <= late && late <= early && early <= bound,
        "{whole} {late} {early} {bound}"
    );
}

#[test]
fn a_far_apart_start_stops_with_fewer_members() {
    let graph = lfr();
    let clusters = |observer: &dyn Observer| {
        let method = at_half()
            .start(Start::FarthestFirst(400))
            .shift(Shift::Bound);
        let found = method.observer(observer).run_csr(&graph).unwrap();
        found.trace[0].clusters
    };
    assert_eq!(clusters(&cancelled()), 1);
    // Nine more after the first; the pass opens no clusters here.
    let begun = During {
        begun: AtomicBool::new(true),
        ..During::new("", 9)
    };
    assert_eq!(clusters(&begun), 10);
    assert!(clusters(&CancelToken::default()) > 100);
}

#[test]
fn lambda_for_fewer_clusters_is_no_answer() {
    let graph = lfr();
    let find = |observer: &dyn Observer| {
        resolution_for_clusters(&graph, &Cut::Normalized, 40, Shift::Bound, 1, observer)
    };
    assert_eq!(find(&cancelled()), Err(KernelDpMeansError::Cancelled));
    assert_eq!(
        find(&During::new("choosing λ from the number of clusters", 20)),
        Err(KernelDpMeansError::Cancelled)
    );
    assert_ne!(
        find(&CancelToken::default()),
        Err(KernelDpMeansError::Cancelled)
    );
    let kernel = Kernel::dense(nalgebra::DMatrix::identity(9, 9), None).unwrap();
    assert_eq!(
        lambda_for_clusters(&kernel, 3, &cancelled()),
        Err(KernelDpMeansError::Cancelled)
    );
}

#[test]
fn the_cost_of_a_spectrum_is_estimated_from_what_there_was_time_for() {
    let graph = lfr();
    let cost = |observer: &dyn Observer| {
        spectrum_cost_observed(
            &graph,
            &Cut::Normalized,
            0.5,
            &SpectrumOptions::default(),
            observer,
        )
        .vectors
    };
    let (whole, stopped) = (cost(&CancelToken::default()), cost(&cancelled()));
    assert!(stopped.error > 5.0 * whole.error, "{stopped:?} {whole:?}");
    assert!((stopped.count - whole.count).abs() <= stopped.error + whole.error);
    let half = cost(&During::new("estimating the cost of the spectrum", 20));
    assert!(
        whole.error < half.error && half.error < stopped.error,
        "{whole:?} {half:?} {stopped:?}"
    );
    let token = cancelled();
    assert!(
        !spectrum_cost_observed(
            &graph,
            &Cut::Normalized,
            0.5,
            &SpectrumOptions::default(),
            &token
        )
        .provable
    );
}

#[test]
fn a_cancelled_spectrum_begins_nothing_that_cannot_be_interrupted() {
    // Two thousand components that would each be solved densely, and one so large and so fully
    // wanted that it would be as well.
    let cliques = Cliques {
        cliques: 2,
        size: 300,
    }
    .generate()
    .unwrap();
    let apart = (0..2000u32).map(|c| (600 + 2 * c, 601 + 2 * c));
    let edges: Vec<_> = cliques
        .edges
        .iter()
        .copied()
        .chain(apart)
        .map(|(i, j)| (i, j, 1.0))
        .collect();
    let graph: Csr<Unit> = Csr::from_edges(4600, &edges).unwrap();
    let found = spectrum(
        &graph,
        &Cut::Normalized,
        Extent::Below(1.9),
        &SpectrumOptions::default(),
        &cancelled(),
    )
    .unwrap();
    assert!(
        !found.check.complete && found.count() <= 1,
        "{:?}",
        found.check
    );
    assert!(
        found.check.expected + found.check.error_bar >= 2001.0 && found.check.error_bar.is_finite(),
        "{:?}",
        found.check
    );
    assert!(found.certificate(1.9).unwrap().bound.is_finite());
}
