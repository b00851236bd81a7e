//! Loading, as ratios within one run: text against the `graph_builder` crate and `NetworKit`'s edge-list reader, binary against text, peak memory
//! against the arrays.
//!
//! `cargo bench --bench load [-- FILE…]` times an R-MAT of 20 million rows that it generates, and com-dblp and cnr-2000 where the real data
//! is (`$LAMBDACUT_DATA`); `NetworKit` where `LAMBDACUT_PEERS_PYTHON` is an interpreter that has it. Two threads. Times are medians of repetitions taken in turns, in wall-clock seconds and (in brackets) in seconds of
//! processor time, which other work on the machine disturbs less. The peak is that of a fresh process.
#![allow(missing_docs)]

use graph_builder::prelude::{CsrLayout, EdgeListInput, GraphBuilder, UndirectedCsrGraph};
use lambdacut::io::{Format, LoadOptions, Names, load, write_graph};
use lambdacut::observe::Silent;
use lambdacut::with_graph;
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::Instant;

const REPEATS: usize = 5;
const RMAT_SCALE: u32 = 20;
const RMAT_ROWS: u64 = 20_000_000;

fn main() {
    rayon::ThreadPoolBuilder::new().num_threads(2).build_global().expect("the pool is started once");
    let arguments: Vec<String> = std::env::args().skip(1).filter(|a| a != "--bench").collect();
    if let [flag, file] = arguments.as_slice()
        && flag == "--peak"
    {
        return println!("{}", peak_ratio(file.as_ref()));
    }
    let dir = tempfile::tempdir().expect("a temporary directory");
    let mut files: Vec<PathBuf> = arguments.iter().map(PathBuf::from).collect();
    if files.is_empty() {
        files.extend(["com-dblp", "cnr-2000"].iter().filter_map(|name| unpacked(name, dir.path())));
        files.push(rmat(&dir.path().join("rmat.txt")));
    }
    println!(
        "file            rows/s   text → CSR         graph_builder      faster by     NetworKit  faster by  peak/arrays  binary     text/binary"
    );
    for file in &files {
        measure(file, dir.path());
    }
}

/// Decompresses a real graph, without comments (which `graph_builder` would read as vertices).
fn unpacked(name: &str, dir: &Path) -> Option<PathBuf> {
    let data = std::env::var_os("LAMBDACUT_DATA").map_or_else(|| PathBuf::from("../shared/data"), PathBuf::from);
    let packed = std::fs::File::open(data.join("graphs").join(format!("{name}.edges.gz"))).ok()?;
    let lines = BufReader::new(flate2::read::MultiGzDecoder::new(packed)).lines();
    let target = dir.join(format!("{name}.txt"));
    let mut out = BufWriter::new(std::fs::File::create(&target).ok()?);
    for line in lines {
        let line = line.ok()?;
        if !line.starts_with('#') {
            writeln!(out, "{line}").ok()?;
        }
    }
    Some(target)
}

/// Rows of an R-MAT graph (0.57, 0.19, 0.19, 0.05), as text.
fn rmat(target: &Path) -> PathBuf {
    let mut out = BufWriter::with_capacity(1 << 20, std::fs::File::create(target).expect("the file can be written"));
    let mut state = 1u64;
    for _ in 0..RMAT_ROWS {
        let (mut i, mut j) = (0u32, 0u32);
        for _ in 0..RMAT_SCALE {
            state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mut z = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            let draw = (z ^ (z >> 31)) % 100;
            (i, j) = (i << 1 | u32::from(draw >= 76), j << 1 | u32::from((57..76).contains(&draw) || draw >= 95));
        }
        writeln!(out, "{i} {j}").expect("the file can be written");
    }
    out.flush().expect("the file can be written");
    target.to_owned()
}

/// Seconds of the clock and of the processors.
type Times = (Vec<f64>, Vec<f64>);

fn time(times: &mut Times, work: impl FnOnce()) {
    let (clock, processor) = (Instant::now(), processor_seconds());
    work();
    times.0.push(clock.elapsed().as_secs_f64());
    times.1.push(processor_seconds() - processor);
}

/// User and system time of this process, in steps of 10 ms.
fn processor_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or("").split_whitespace().collect();
    let ticks = |at: usize| fields.get(at).and_then(|f| f.parse::<f64>().ok()).unwrap_or(0.0);
    (ticks(11) + ticks(12)) / 100.0
}

fn medians((mut clock, mut processor): Times) -> (f64, f64) {
    clock.sort_by(f64::total_cmp);
    processor.sort_by(f64::total_cmp);
    (clock[clock.len() / 2], processor[processor.len() / 2])
}

fn measure(file: &Path, dir: &Path) {
    let options = LoadOptions::default();
    let binary = dir.join("graph.lcut");
    let loaded = load(file, &options, &Silent).expect("the file is read");
    let rows = loaded.counts.rows;
    with_graph!(&loaded.graph, g => write_graph(&binary, Format::of_name(&binary), g, &loaded.names)).expect("written");
    drop(loaded);
    let (mut ours, mut peer, mut mapped) = (Times::default(), Times::default(), Times::default());
    for _ in 0..REPEATS {
        time(&mut ours, || drop(load(file, &options, &Silent).expect("the file is read")));
        time(&mut peer, || drop(by_graph_builder(file)));
        time(&mut mapped, || drop(load(&binary, &options, &Silent).expect("the file is read")));
    }
    let own = std::env::current_exe().expect("this program has a path");
    let peak = std::process::Command::new(own).arg("--peak").arg(file).output().expect("this program runs");
    let (ours, peer, mapped) = (medians(ours), medians(peer), medians(mapped));
    let (networkit, ratio) = match by_networkit(file) {
        Some(seconds) => (format!("{seconds:.2} s"), format!("{:.1}", seconds / ours.0)),
        None => ("not tried".to_owned(), String::new()),
    };
    println!(
        "{:14} {:6.1} M  {:6.3} s ({:6.2})  {:6.3} s ({:6.2})  {:5.2} ({:5.2})  {networkit:>9}  {ratio:>9}  {:>10.5}  {:8.4} s {:10.1}",
        file.file_stem().map_or_else(String::new, |n| n.to_string_lossy().into_owned()),
        rows as f64 / ours.0 / 1e6,
        ours.0,
        ours.1,
        peer.0,
        peer.1,
        peer.0 / ours.0,
        peer.1 / ours.1,
        String::from_utf8_lossy(&peak.stdout).trim(),
        mapped.0,
        ours.0 / mapped.0
    );
}

/// Peak growth of anonymous memory over the bytes of the finished arrays and names.
fn peak_ratio(file: &Path) -> f64 {
    let mut bytes = 1.0;
    let peak = peak_growth(|| {
        let loaded = load(file, &LoadOptions::default(), &Silent).expect("the file is read");
        let names = if matches!(loaded.names, Names::Ids(_)) { 8 * loaded.names.len() } else { 0 };
        bytes = (with_graph!(&loaded.graph, g => g.bytes()) + names) as f64;
    });
    peak / bytes
}

fn by_graph_builder(file: &Path) -> UndirectedCsrGraph<u32> {
    let input = EdgeListInput::<u32>::default();
    GraphBuilder::new().csr_layout(CsrLayout::Deduplicated).file_format(input).path(file).build().expect("the file is read")
}

/// Seconds of the faster of two readings; vertices are taken for consecutive, which is its fast way.
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
    let python = std::env::var_os("LAMBDACUT_PEERS_PYTHON")?;
    let mut first = String::new();
    BufReader::new(std::fs::File::open(file).ok()?).read_line(&mut first).ok()?;
    let separator = if first.contains('\t') { "\t" } else { " " };
    let output = std::process::Command::new(python).arg("-c").arg(NETWORKIT).arg(file).arg(separator).output().ok()?;
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).trim().parse().ok()
}

/// Resident anonymous memory in bytes.
fn anonymous() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|l| l.strip_prefix("RssAnon:")).unwrap_or("0");
    line.trim().trim_end_matches("kB").trim().parse::<u64>().unwrap_or(0) * 1024
}

/// How much anonymous memory grows at most while `work` runs, seen every half millisecond.
fn peak_growth(work: impl FnOnce()) -> f64 {
    let (done, peak) = (AtomicBool::new(false), AtomicU64::new(0));
    let before = anonymous();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(Relaxed) {
                peak.fetch_max(anonymous(), Relaxed);
                std::thread::sleep(std::time::Duration::from_micros(500));
            }
        });
        work();
        done.store(true, Relaxed);
    });
    peak.load(Relaxed).saturating_sub(before) as f64
}
