//! DP-means and k-means on 312,320 × 128 points, the shape of the patch data of the paper, and the HDP experiment.
//!
//! `cargo bench --bench points` prints our figures. With `LAMBDACUT_PYTHON` (an interpreter with scikit-learn) and
//! `LAMBDACUT_PDC_PYTHON` (one with pdc-dp-means) it runs these on the same data in the same run and prints the ratios.
//! `LAMBDACUT_BENCH_ROWS` changes the number of points. Ours and theirs use two threads.
#![allow(missing_docs)]

use lambdacut::cluster::dp_means::{DpMeans, Start};
use lambdacut::fit::PointFit;
use lambdacut::observe::Silent;
use lambdacut::params::StopRules;
use lambdacut::points::{Points, farthest_first};
use rand::{RngExt, SeedableRng};
use rand_distr::{Distribution, StandardNormal};
use rand_xoshiro::Xoshiro256PlusPlus;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

const DIMENSION: usize = 128;

/// Unit Gaussians around 1000 means, which themselves lie around 100 coarse ones.
fn patches(rows: usize) -> Points {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(7);
    let normal = |scale: f64, rng: &mut Xoshiro256PlusPlus| -> f64 {
        let draw: f64 = StandardNormal.sample(rng);
        scale * draw
    };
    let coarse: Vec<f64> = (0..100 * DIMENSION).map(|_| normal(3.0, &mut rng)).collect();
    let fine: Vec<f64> = (0..1000 * DIMENSION)
        .map(|at| coarse[(at / DIMENSION % 100) * DIMENSION + at % DIMENSION] + normal(1.0, &mut rng))
        .collect();
    let mut values = Vec::with_capacity(rows * DIMENSION);
    for _ in 0..rows {
        let c = rng.random_range(0..1000usize);
        values.extend(fine[c * DIMENSION..][..DIMENSION].iter().map(|m| m + normal(1.0, &mut rng)));
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
    let centres = points.select(&(0..k as u32).collect::<Vec<_>>());
    let stop = StopRules { passes: Some(1), ..StopRules::default() };
    let method = DpMeans { start: Start::Centres(centres), stop, ..DpMeans::new(1e9) };
    let once = || method.run(points, &Silent).expect("valid").fit.trace[0].seconds;
    (0..3).map(|_| once()).fold(f64::INFINITY, f64::min)
}

fn python(interpreter: &str, script: &str, data: &Path, arguments: &[String]) -> Option<String> {
    let mut command = Command::new(interpreter);
    for variable in ["OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"] {
        command.env(variable, "2");
    }
    let output = command.arg("-c").arg(script).arg(data).args(arguments).output().ok()?;
    if !output.status.success() {
        println!("  peer failed: {}", String::from_utf8_lossy(&output.stderr).lines().last().unwrap_or(""));
        return None;
    }
    Some(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// Seconds of one Lloyd iteration: the slope between fits of one and of four iterations from the same centres.
const SKLEARN: &str = r"
import sys, time, warnings, numpy as np
warnings.filterwarnings('ignore')
from sklearn.cluster import KMeans
x = np.fromfile(sys.argv[1]).reshape(-1, int(sys.argv[2])); k = int(sys.argv[3]); x = x.astype(sys.argv[4])
def fit(n):
    start = time.perf_counter()
    KMeans(n_clusters=k, init=x[:k], n_init=1, max_iter=n, tol=0, algorithm='lloyd', copy_x=False).fit(x)
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
m = DPMeans(n_clusters=1, n_init=1, delta=delta, max_iter=1000, tol=0).fit(x)
seconds = time.perf_counter() - start
labels = m.labels_; k = len(set(labels))
inertia = sum(((x[labels == c] - x[labels == c].mean(0)) ** 2).sum() for c in set(labels))
print(seconds, k, inertia + delta * k)
";

fn passes(points: &Points, data: &Path) {
    let peer = std::env::var("LAMBDACUT_PYTHON").ok();
    for k in [100, 1000] {
        let ours = pass(points, k);
        println!("pass over {k} means: {ours:.3} s");
        for precision in ["float64", "float32"] {
            let arguments = [DIMENSION.to_string(), k.to_string(), precision.to_owned()];
            let theirs = peer.as_ref().and_then(|p| python(p, SKLEARN, data, &arguments)).and_then(|t| t.parse::<f64>().ok());
            if let Some(theirs) = theirs {
                println!("  one Lloyd iteration of scikit-learn ({precision}): {theirs:.3} s, {:.2} times ours", theirs / ours);
            }
        }
    }
}

fn convergence(points: &Points, data: &Path) {
    for k in [50, 200] {
        let lambda = farthest_first(points, k).expect("points");
        let (PointFit { fit, .. }, time) = seconds(|| DpMeans::new(lambda).run(points, &Silent).expect("valid"));
        println!(
            "DP-means at λ = {lambda:.1}: {} clusters, {} passes, F = {:.6e}, {time:.2} s",
            fit.clusters,
            fit.trace.len(),
            fit.value
        );
        let arguments = [DIMENSION.to_string(), lambda.to_string()];
        if let Some(theirs) = std::env::var("LAMBDACUT_PDC_PYTHON").ok().and_then(|p| python(&p, PDC, data, &arguments)) {
            println!("  pdc-dp-means (seconds, clusters, F): {theirs}");
        }
    }
}

fn main() {
    let rows = std::env::var("LAMBDACUT_BENCH_ROWS").ok().and_then(|r| r.parse().ok()).unwrap_or(312_320);
    let points = patches(rows);
    println!("{} points in {} dimensions, two threads", points.len(), points.dimension());
    let file = tempfile::NamedTempFile::new().expect("a temporary file");
    let bytes: Vec<u8> = points.values().iter().flat_map(|v| v.to_ne_bytes()).collect();
    std::fs::write(file.path(), bytes).expect("room for the data");
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().expect("two threads");
    pool.install(|| {
        passes(&points, file.path());
        convergence(&points, file.path());
    });
}
