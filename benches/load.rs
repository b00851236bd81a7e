//! Loading: text against the `graph_builder` crate and `NetworKit`'s edge-list reader, binary
//! against text, peak memory against the arrays.
//!
//! `cargo bench --bench load [-- NAME …]` reads an R-MAT of 20 million rows that it generates
//! (`rmat`; `LOAD_ROWS` says another number), and `com-dblp` and `cnr-2000` where the real data is
//! (`$LAMBDACUT_DATA`); `LOAD_FILES=FILE,…` names other files in place of these. `NetworKit` where
//! `LAMBDACUT_PEERS_PYTHON` is an interpreter that has it. Two threads.
//!
//! | ratio | target |
//! |---|---|
//! | text → CSR / `graph_builder` | ≤ 1 |
//! | the same in seconds of processor time, which other work on the machine disturbs less | |
//! | text → CSR / `NetworKit` | |
//! | binary → graph / text → CSR | |
//! | peak of anonymous memory in a fresh process / the finished arrays and names | |
#![allow(missing_docs)]

mod common;

use common::Measure::{Bytes, Seconds};
use common::Target::AtMost;
use common::process::{Allocator, fresh, in_fresh_process, python, status};
use common::{Ratios, clock, data, list, numbers, short, wants};
use graph_builder::prelude::{CsrLayout, EdgeListInput, GraphBuilder, UndirectedCsrGraph};
use lambdacut::generate::Rmat;
use lambdacut::graph::AnyCsr;
use lambdacut::graph::Names;
use lambdacut::io::{Format, LoadOptions, Loaded, load, write_graph};
use lambdacut::run::Silent;
use lambdacut::with_csr;
use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::Duration;

/// Edges a vertex of the R-MAT.
const EDGES_A_VERTEX: usize = 20;

fn main() {
    rayon::ThreadPoolBuilder::new()
        .num_threads(2)
        .build_global()
        .expect("the pool is started once");
    if let Some(arguments) = fresh() {
        let (peak, arrays) = peak_and_arrays(arguments[0].as_ref());
        return println!("{peak} {arrays}");
    }
    let dir = tempfile::tempdir().expect("a temporary directory");
    let mut ratios = Ratios::new("load");
    for file in files(dir.path()) {
        measure(&mut ratios, &file, dir.path());
    }
    ratios.finish();
}

fn files(dir: &Path) -> Vec<PathBuf> {
    if std::env::var_os("LOAD_FILES").is_some() {
        return list("LOAD_FILES", "").iter().map(PathBuf::from).collect();
    }
    let real = ["com-dblp", "cnr-2000"]
        .into_iter()
        .filter(|name| wants(name))
        .filter_map(|name| unpacked(name, dir));
    let rmat = Some("rmat")
        .filter(|name| wants(name))
        .map(|_| rmat(&dir.join("rmat.txt")));
    real.chain(rmat).collect()
}

/// Decompresses a real graph, without comments (which `graph_builder` would read as vertices).
fn unpacked(name: &str, dir: &Path) -> Option<PathBuf> {
    let packed = File::open(data().join("graphs").join(format!("{name}.edges.gz"))).ok()?;
    let lines = BufReader::new(flate2::read::MultiGzDecoder::new(packed)).lines();
    let target = dir.join(format!("{name}.txt"));
    let mut out = BufWriter::new(File::create(&target).ok()?);
    for line in lines {
        let line = line.ok()?;
        if !line.starts_with('#') {
            writeln!(out, "{line}").ok()?;
        }
    }
    Some(target)
}

/// Rows of an R-MAT graph, as text.
fn rmat(target: &Path) -> PathBuf {
    let rows = numbers("LOAD_ROWS", "20000000")[0];
    let rmat = Rmat {
        scale: (rows / EDGES_A_VERTEX).ilog2() + 1,
        arcs: rows as u64,
        ..Rmat::default()
    }
    .checked()
    .expect("valid");
    let mut out = File::create(target).expect("the file can be written");
    rmat.write_to(&mut out, &Silent)
        .expect("the file can be written");
    target.to_owned()
}

/// Processor time of many runs.
#[derive(Default)]
struct Processors {
    runs: f64,
    seconds: f64,
}

impl Processors {
    /// How long `work` takes by the clock.
    fn clock<R>(&mut self, work: impl FnOnce() -> R) -> Duration {
        let before = processor_seconds();
        let (_result, elapsed) = clock(work);
        (self.runs, self.seconds) = (self.runs + 1.0, self.seconds + processor_seconds() - before);
        elapsed
    }

    fn mean(&self) -> f64 {
        self.seconds / self.runs
    }
}

/// User and system time of this process, in steps of 10 ms.
fn processor_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields: Vec<&str> = stat
        .rsplit(')')
        .next()
        .unwrap_or("")
        .split_whitespace()
        .collect();
    let ticks = |at: usize| {
        fields
            .get(at)
            .and_then(|f| f.parse::<f64>().ok())
            .unwrap_or(0.0)
    };
    (ticks(11) + ticks(12)) / 100.0
}

fn measure(ratios: &mut Ratios, file: &Path, dir: &Path) {
    let stem = file.file_stem().unwrap_or_default().to_string_lossy();
    let group = format!("load {stem}");
    let binary = dir.join("graph.lcut");
    let loaded = read(file);
    let rows = loaded.counts.rows;
    with_csr!(&loaded.graph, g => write_graph(&binary, Format::Binary, g, &loaded.names))
        .expect("written");
    drop(loaded);
    let (mut own, mut others) = (Processors::default(), Processors::default());
    let works: [&mut dyn FnMut() -> Duration; 2] = [&mut || own.clock(|| read(file)), &mut || {
        others.clock(|| by_graph_builder(file))
    }];
    let [ours, peer] = ratios.in_turns(&group, ["text", "graph_builder"], works);
    let from_binary = ratios.time(&group, "binary", || read(&binary));
    let place = format!("{stem}, {} rows", short(rows as usize));
    println!("{place}: {:.1} M rows a second", rows as f64 / ours / 1e6);
    ratios.compare(
        format!("text → CSR / graph_builder, {place}"),
        Seconds,
        ours,
        peer,
        AtMost(1.0),
    );
    ratios.compare(
        format!("the same in processor time, {place}"),
        Seconds,
        own.mean(),
        others.mean(),
        None,
    );
    ratios.compare(
        format!("text → CSR / NetworKit, {place}"),
        Seconds,
        ours,
        by_networkit(file),
        None,
    );
    ratios.compare(
        format!("binary → graph / text → CSR, {place}"),
        Seconds,
        from_binary,
        ours,
        None,
    );
    if let Some([peak, arrays]) = in_fresh_process(Allocator::AsItIs, [file]).as_deref() {
        ratios.compare(
            format!("peak memory of text → CSR / the arrays, {place}"),
            Bytes,
            *peak,
            *arrays,
            None,
        );
    }
}

fn read(file: &Path) -> Loaded {
    load(file, &LoadOptions::default(), &Silent).expect("the file is read")
}

fn by_graph_builder(file: &Path) -> UndirectedCsrGraph<u32> {
    let input = EdgeListInput::<u32>::default();
    GraphBuilder::new()
        .csr_layout(CsrLayout::Deduplicated)
        .file_format(input)
        .path(file)
        .build()
        .expect("the file is read")
}

/// Seconds of the faster of two readings; vertices are taken for consecutive, which is its fast
/// way.
const NETWORKIT: &str = "
import sys, time, networkit as nk
nk.setNumberOfThreads(2)
times = []
for _ in range(2):
    start = time.perf_counter()
    nk.graphio.EdgeListReader(sys.argv[2], 0, continuous=True).read(sys.argv[1])
    times.append(time.perf_counter() - start)
print(min(times))
";

fn by_networkit(file: &Path) -> Option<f64> {
    let mut first = String::new();
    BufReader::new(File::open(file).ok()?)
        .read_line(&mut first)
        .ok()?;
    let separator = if first.contains('\t') { "\t" } else { " " };
    python(
        "LAMBDACUT_PEERS_PYTHON",
        NETWORKIT,
        [file.as_os_str(), separator.as_ref()],
    )?
    .first()
    .copied()
}

/// Peak growth of anonymous memory, and the bytes of the finished arrays and names.
fn peak_and_arrays(file: &Path) -> (f64, f64) {
    let bytes = |graph: &AnyCsr| with_csr!(graph, g => g.bytes());
    peak_of_anonymous(|| {
        let loaded = read(file);
        let names = if matches!(loaded.names, Names::Ids(_)) {
            8 * loaded.names.len()
        } else {
            0
        };
        (bytes(&loaded.graph) + names) as f64
    })
}

/// How much anonymous memory grows at most while `work` runs, seen every half millisecond; the blocks
/// of text that are being read count.
fn peak_of_anonymous<R>(work: impl FnOnce() -> R) -> (f64, R) {
    let anonymous = || status("RssAnon:").unwrap_or(0.0) as u64;
    let (done, peak) = (AtomicBool::new(false), AtomicU64::new(0));
    let before = anonymous();
    let result = std::thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(Relaxed) {
                peak.fetch_max(anonymous(), Relaxed);
                std::thread::sleep(Duration::from_micros(500));
            }
        });
        let result = work();
        done.store(true, Relaxed);
        result
    });
    (peak.into_inner().saturating_sub(before) as f64, result)
}
