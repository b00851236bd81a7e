//! DP-means and k-means on 312,320 × 128 points, the shape of the patch data of the paper, and the HDP experiment.
//!
//! `cargo bench --bench points` prints our figures. With `LAMBDACUT_PEERS_PYTHON` (an interpreter with scikit-learn) and
//! `LAMBDACUT_PDC_PYTHON` (one with pdc-dp-means, which needs scikit-learn below 1.3) it runs these on the same data in the same run and
//! prints the ratios. Ours and theirs use two threads. `LAMBDACUT_BENCH_ROWS` changes the number of points;
//! `cargo bench --bench points -- passes` (or `convergence`, `hdp`) runs one part.
#![allow(missing_docs)]

use lambdacut::cluster::dp_means::{DpMeans, Order, Start};
use lambdacut::fit::PointFit;
use lambdacut::generate::Blobs;
use lambdacut::observe::Silent;
use lambdacut::params::StopRules;
use lambdacut::points::{Points, farthest_first};
use std::path::Path;
use std::process::Command;
use std::time::Instant;

const DIMENSION: usize = 128;

/// Unit Gaussians around 1000 means, which themselves lie around 100 coarse ones.
fn patches(rows: usize) -> Points {
    let fine = Blobs { points: 1000, clusters: 100, dimensions: DIMENSION, extent: 5.0, ..Blobs::default() };
    let noise = Blobs { points: rows, clusters: 1, dimensions: DIMENSION, extent: 0.0, seed: 7, ..Blobs::default() };
    let fine = fine.generate().expect("valid").values;
    let mut values = noise.generate().expect("valid").values;
    for (value, mean) in values.iter_mut().zip(fine.iter().cycle()) {
        *value += mean;
    }
    Points::new(DIMENSION, values).expect("finite")
}

fn seconds<R>(work: impl FnOnce() -> R) -> (R, f64) {
    let start = Instant::now();
    let result = work();
    (result, start.elapsed().as_secs_f64())
}

/// The least seconds of a full pass over `k` means: no bounds yet, so every distance is looked at.
fn pass(points: &Points, k: usize) -> f64 {
    let centres = points.select(&(0..k).map(|c| ((c * 104_729 + c * c) % points.len()) as u32).collect::<Vec<_>>());
    let stop = StopRules { passes: Some(1), ..StopRules::default() };
    let method = DpMeans { start: Start::Centres(centres), stop, ..DpMeans::new(1e9) };
    let once = || method.run(points, &Silent).expect("valid").fit.trace[0].seconds;
    (0..3).map(|_| once()).fold(f64::INFINITY, f64::min)
}

/// An interpreter named by an environment variable; says so when there is none.
fn interpreter(variable: &str, what: &str) -> Option<String> {
    let found = std::env::var(variable).ok();
    if found.is_none() {
        println!("  {what}: skipped, set {variable} to a Python that has it");
    }
    found
}

/// The numbers that `script` prints.
fn python(interpreter: &str, script: &str, data: &Path, arguments: &[String]) -> Option<Vec<f64>> {
    let mut command = Command::new(interpreter);
    for variable in ["OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"] {
        command.env(variable, "2");
    }
    let output = command.arg("-c").arg(script).arg(data).args(arguments).output().ok()?;
    if !output.status.success() {
        println!("  peer failed: {}", String::from_utf8_lossy(&output.stderr).lines().last().unwrap_or(""));
        return None;
    }
    String::from_utf8_lossy(&output.stdout).split_whitespace().map(|number| number.parse().ok()).collect()
}

/// Seconds of one Lloyd iteration: the slope between fits of one and of four iterations from the centres of [`pass`], which are far from
/// where they will settle.
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

fn passes(points: &Points, data: &Path) {
    let peer = interpreter("LAMBDACUT_PEERS_PYTHON", "scikit-learn");
    for k in [100, 1000] {
        let ours = pass(points, k);
        println!("pass over {k} means: {ours:.3} s");
        for precision in ["float64", "float32"] {
            let arguments = [DIMENSION.to_string(), k.to_string(), precision.to_owned()];
            if let Some(theirs) = peer.as_ref().and_then(|p| python(p, SKLEARN, data, &arguments)) {
                let theirs = theirs[0];
                println!("  one Lloyd iteration of scikit-learn ({precision}): {theirs:.3} s, {:.2} times ours", theirs / ours);
            }
        }
    }
}

fn convergence(points: &Points, data: &Path) {
    let peer = interpreter("LAMBDACUT_PDC_PYTHON", "pdc-dp-means");
    for k in [20, 60] {
        let lambda = farthest_first(points, k).expect("points");
        println!("to convergence at λ = {lambda:.1} (farthest-first for {k} clusters)");
        let theirs = peer.as_ref().and_then(|p| python(p, PDC, data, &[DIMENSION.to_string(), lambda.to_string()]));
        if let Some(theirs) = &theirs {
            println!("  pdc-dp-means: {} clusters, F = {:.6e}, {:.2} s", theirs[1], theirs[2], theirs[0]);
        }
        for (name, order) in [("as numbered", Order::AsNumbered), ("shuffled", Order::Shuffled)] {
            let method = DpMeans { order, ..DpMeans::new(lambda) };
            let (PointFit { fit, .. }, time) = seconds(|| method.run(points, &Silent).expect("valid"));
            let passes = fit.trace.len();
            println!("  ours, points {name}: {} clusters, F = {:.6e}, {time:.2} s, {passes} passes", fit.clusters, fit.value);
            if let Some(theirs) = &theirs {
                println!("    pdc-dp-means: {:.2} times our seconds, {:.4} times our F", theirs[0] / time, theirs[2] / fit.value);
            }
        }
    }
}

/// The HDP experiment of the paper, as `lambdacut paper` runs it.
fn hdp() {
    let out = tempfile::tempdir().expect("a temporary directory");
    let mut command = Command::new(env!("CARGO_BIN_EXE_lambdacut"));
    command.args(["paper", "--only", "hdp", "--quiet", "--threads", "2", "-o"]).arg(out.path());
    assert!(command.status().expect("runs").success());
    let table = std::fs::read_to_string(out.path().join("paper.md")).expect("a table");
    let row = table.lines().find(|l| l.contains("seconds for the HDP")).expect("a row of seconds");
    println!("the paper's HDP experiment (paper | ours): {row}");
}

fn main() {
    let wanted: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with('-')).collect();
    let wants = |part: &str| wanted.is_empty() || wanted.iter().any(|w| w == part);
    if wants("hdp") {
        hdp();
    }
    if !(wants("passes") || wants("convergence")) {
        return;
    }
    let rows = std::env::var("LAMBDACUT_BENCH_ROWS").ok().and_then(|r| r.parse().ok()).unwrap_or(312_320);
    let points = patches(rows);
    println!("{} points in {} dimensions, two threads", points.len(), points.dimension());
    let file = tempfile::NamedTempFile::new().expect("a temporary file");
    let bytes: Vec<u8> = points.values().iter().flat_map(|v| v.to_ne_bytes()).collect();
    std::fs::write(file.path(), bytes).expect("room for the data");
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().expect("two threads");
    pool.install(|| {
        if wants("passes") {
            passes(&points, file.path());
        }
        if wants("convergence") {
            convergence(&points, file.path());
        }
    });
}
