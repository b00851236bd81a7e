//! DP-means and k-means on 312,320 × 128 points, the shape of the patch data of the paper, and the
//! HDP experiment.
//!
//! `cargo bench --bench points [-- passes|convergence|hdp]`; `LAMBDACUT_BENCH_ROWS` changes the
//! number of points. With `LAMBDACUT_PEERS_PYTHON` (an interpreter with scikit-learn) and
//! `LAMBDACUT_PDC_PYTHON` (one with pdc-dp-means, which needs scikit-learn below 1.3) these run on
//! the same data. Ours and theirs use two threads. A run to convergence is timed once; clusters,
//! passes and F are printed on the way.
//!
//! | ratio |
//! |---|
//! | a full pass over k means / one Lloyd iteration of scikit-learn, in double and in single precision |
//! | a pass over 1000 means / over 100 |
//! | DP-means to convergence, seconds and F / those of pdc-dp-means |
//! | points in a shuffled order / as numbered, to convergence |
//! | the HDP experiment / the seconds in the paper, on another machine |
#![allow(missing_docs)]

mod common;

use common::Measure::{Number, Seconds};
use common::process::python;
use common::{Ratios, clock, numbers, threads, wants};
use lambdacut::clustering::PointClustering;
use lambdacut::dp_means::{DpMeans, Order, Start, lambda_for};
use lambdacut::generate::Blobs;
use lambdacut::points::Points;
use lambdacut::run::StopRules;
use rayon::ThreadPool;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

const DIMENSION: usize = 128;

/// Unit Gaussians around 1000 means, which themselves lie around 100 coarse ones.
fn patches(rows: usize) -> Points {
    let fine = Blobs {
        points: 1000,
        clusters: 100,
        dimensions: DIMENSION,
        extent: 5.0,
        ..Blobs::default()
    };
    let noise = Blobs {
        points: rows,
        clusters: 1,
        dimensions: DIMENSION,
        extent: 0.0,
        seed: 7,
        ..Blobs::default()
    };
    let fine = fine.generate().expect("valid").values;
    let mut values = noise.generate().expect("valid").values;
    for (value, mean) in values.iter_mut().zip(fine.iter().cycle()) {
        *value += mean;
    }
    Points::new(DIMENSION, values).expect("finite")
}

/// Seconds of one Lloyd iteration: the slope between fits of one and of four iterations from the
/// centres of [`passes`], which are far from where they will settle.
const SKLEARN: &str = r"
import sys, time, warnings, numpy as np
warnings.filterwarnings('ignore')
from sklearn.cluster import KMeans
x = np.fromfile(sys.argv[1]).reshape(-1, int(sys.argv[2])); k = int(sys.argv[3]); x = x.astype(sys.argv[4])
centres = x[[(c * 104729 + c * c) % len(x) for c in range(k)]]
def fit(n):
    start = time.perf_counter()
    m = KMeans(n_clusters=k, init=centres, n_init=1, max_iter=n, tol=0, algorithm='lloyd', copy_x=False).fit(x)
    assert m.n_iter_ == n
    return time.perf_counter() - start
fit(1)
print(min((fit(4) - fit(1)) / 3 for _ in range(2)))
";

const PDC: &str = r"
import sys, time, warnings, numpy as np
warnings.filterwarnings('ignore')
from pdc_dp_means import DPMeans
x = np.fromfile(sys.argv[1]).reshape(-1, int(sys.argv[2])); delta = float(sys.argv[3])
start = time.perf_counter()
m = DPMeans(n_clusters=1, n_init=1, delta=delta, max_iter=1000, tol=0, random_state=0).fit(x)
seconds = time.perf_counter() - start
labels = m.labels_; k = len(set(labels))
inertia = sum(((x[labels == c] - x[labels == c].mean(0)) ** 2).sum() for c in set(labels))
print(seconds, k, inertia + delta * k)
";

/// Points in memory, and in a file for others.
struct Subject<'a> {
    points: &'a Points,
    file: &'a Path,
    pool: ThreadPool,
}

impl Subject<'_> {
    /// What a Python script prints about the points.
    fn peer(&self, variable: &str, script: &str, arguments: &[String]) -> Option<Vec<f64>> {
        let points = [
            self.file.as_os_str().to_owned(),
            DIMENSION.to_string().into(),
        ];
        python(
            variable,
            script,
            points.into_iter().chain(arguments.iter().map(Into::into)),
        )
    }

    fn run(&self, method: &DpMeans) -> PointClustering {
        self.pool
            .install(|| method.run(self.points).expect("valid"))
    }
}

/// Full passes over means: no bounds yet, so every distance is looked at.
fn passes(ratios: &mut Ratios, subject: &Subject) {
    let [few, many] = [100, 1000].map(|k| {
        let centre = |c: usize| ((c * 104_729 + c * c) % subject.points.len()) as u32;
        let centres = subject
            .points
            .select(&(0..k).map(centre).collect::<Vec<_>>());
        let stop = StopRules {
            passes: Some(1),
            ..StopRules::default()
        };
        let method = DpMeans::new()
            .lambda(1e9)
            .start(Start::Centres(centres))
            .stop(stop);
        let once = || Duration::from_secs_f64(subject.run(&method).trace[0].seconds);
        let ours = ratios.clocked("points", &format!("pass over {k} means"), once);
        for precision in ["float64", "float32"] {
            let theirs = subject.peer(
                "LAMBDACUT_PEERS_PYTHON",
                SKLEARN,
                &[k.to_string(), precision.to_owned()],
            );
            let claim =
                format!("pass over {k} means / Lloyd iteration of scikit-learn, {precision}");
            ratios.compare(claim, Seconds, ours, theirs.map(|numbers| numbers[0]), None);
        }
        ours
    });
    ratios.compare("pass over 1000 means / over 100", Seconds, many, few, None);
}

fn convergence(ratios: &mut Ratios, subject: &Subject) {
    for k in [20, 60] {
        let lambda = lambda_for(subject.points, k).expect("points");
        let place = format!("λ = {lambda:.1}, farthest-first for {k} clusters");
        let theirs = subject.peer("LAMBDACUT_PDC_PYTHON", PDC, &[lambda.to_string()]);
        let times = [
            ("as numbered", Order::AsNumbered),
            ("shuffled", Order::Shuffled),
        ]
        .map(|(name, order)| {
            let (found, time) = clock(|| subject.run(&DpMeans::new().lambda(lambda).order(order)));
            println!(
                "{place}, {name}: {} clusters, F = {:.6e}, {} passes",
                found.clusters,
                found.value,
                found.trace.len()
            );
            let (seconds, value) = (
                theirs.as_ref().map(|numbers| numbers[0]),
                theirs.as_ref().map(|numbers| numbers[2]),
            );
            let claim = |what: &str| format!("{what} / pdc-dp-means, {place}, {name}");
            ratios.compare(
                claim("DP-means to convergence"),
                Seconds,
                time.as_secs_f64(),
                seconds,
                None,
            );
            ratios.compare(claim("F of DP-means"), Number, found.value, value, None);
            time.as_secs_f64()
        });
        ratios.compare(
            format!("points shuffled / as numbered, {place}"),
            Seconds,
            times[1],
            times[0],
            None,
        );
    }
}

/// The HDP experiment of the paper, as `lambdacut paper` runs it.
fn hdp(ratios: &mut Ratios) {
    let out = tempfile::tempdir().expect("a temporary directory");
    let program = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/release/lambdacut");
    if !program.exists() {
        println!(
            "skipped: the HDP experiment needs `cargo build --release --package lambdacut-cli`"
        );
        return;
    }
    let mut command = Command::new(program);
    command
        .args(["paper", "--only", "hdp", "--quiet", "--threads", "2", "-o"])
        .arg(out.path());
    assert!(command.status().expect("runs").success());
    let table = std::fs::read_to_string(out.path().join("paper.md")).expect("a table");
    let row = table
        .lines()
        .find(|line| line.contains("seconds for the HDP"))
        .expect("a row of seconds");
    let mut cells = row
        .split('|')
        .filter_map(|cell| cell.trim().parse::<f64>().ok());
    let (paper, ours) = cells
        .next()
        .zip(cells.next())
        .expect("the paper's seconds and ours");
    ratios.compare(
        "HDP experiment / as printed in the paper",
        Seconds,
        ours,
        paper,
        None,
    );
}

/// What is measured on the points.
fn on_points(ratios: &mut Ratios) {
    let points = patches(numbers("LAMBDACUT_BENCH_ROWS", "312320")[0]);
    println!(
        "{} points in {} dimensions, two threads",
        points.len(),
        points.dimension()
    );
    let file = tempfile::NamedTempFile::new().expect("a temporary file");
    let bytes: Vec<u8> = points
        .values()
        .iter()
        .flat_map(|v| v.to_ne_bytes())
        .collect();
    std::fs::write(file.path(), bytes).expect("room for the data");
    let subject = Subject {
        points: &points,
        file: file.path(),
        pool: threads(2),
    };
    if wants("passes") {
        passes(ratios, &subject);
    }
    if wants("convergence") {
        convergence(ratios, &subject);
    }
}

fn main() {
    let mut ratios = Ratios::new("points");
    if wants("hdp") {
        hdp(&mut ratios);
    }
    if wants("passes") || wants("convergence") {
        on_points(&mut ratios);
    }
    ratios.finish();
}
