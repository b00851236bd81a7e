//! `lambdacut spectrum`: the low end of the spectrum, and whether all of it was found.

use super::cluster::args::ObjectiveArg;
use super::common::{Global, Progress, exit_code};
use super::input::{GraphArgs, Loaded};
use super::memory;
use super::output::{provenance, standard_output, write_json};
use super::report::{self, parameter, word};
use anyhow::{Context, bail};
use clap::{ArgGroup, Args};
use lambdacut::linalg::{Extent, Spectrum, SpectrumOptions, spectrum};
use lambdacut::params::DEFAULT_SEED;
use lambdacut::report::document::Document;
use lambdacut::report::html::{About, Page, SpectrumView};
use lambdacut::{io, with_csr};
use serde_json::json;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

/// Gaps shown on the terminal.
const SHOWN_GAPS: usize = 5;

/// The arguments of `spectrum`.
#[derive(Debug, Args)]
#[command(group = ArgGroup::new("extent").required(true).args(["below", "smallest"]))]
pub struct SpectrumArgs {
    #[command(flatten)]
    graph: GraphArgs,
    /// All eigenvalues below this number: the resolution β at which you would cluster. Their number
    /// is the number of clusters that the relaxed problem wants. Normalized cut: between 0 and 2,
    /// usually 0.05 to 0.6.
    #[arg(long, value_name = "B", allow_negative_numbers = true)]
    below: Option<f64>,
    /// The K smallest eigenvalues instead.
    #[arg(long, value_name = "K")]
    smallest: Option<usize>,
    /// Which Laplacian: of normalized cut (D^-½ L D^-½) or of ratio cut (L).
    #[arg(long, value_name = "CUT", default_value = "ncut")]
    objective: ObjectiveArg,
    /// At most this many eigenvectors; when there are more, the smallest are computed and the rest
    /// is counted.
    #[arg(long, value_name = "N", default_value_t = SpectrumOptions::default().max_vectors)]
    max_vectors: usize,
    /// Write the eigenvectors as an array for numpy: one row a vertex in the order of the labels
    /// files, one column an eigenvalue in ascending order; rows of isolated vertices are 0.
    #[arg(long, value_name = "FILE.npy")]
    vectors: Option<PathBuf>,
    /// Write everything as JSON.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Write a page for the browser: the eigenvalues, their gaps, what was done. Needs no network.
    #[arg(long, value_name = "FILE.html")]
    report: Option<PathBuf>,
    /// Seed of the random starting vectors.
    #[arg(long, default_value_t = DEFAULT_SEED)]
    seed: u64,
}

/// Computes, prints the eigenvalues to standard output and the verdict to standard error.
pub fn run(args: &SpectrumArgs, global: &Global) -> anyhow::Result<ExitCode> {
    let started = Instant::now();
    let progress = global.progress()?;
    let files = [
        ("--vectors", &args.vectors),
        ("--json", &args.json),
        ("--report", &args.report),
    ];
    let taken = standard_output(&files.map(|(flag, file)| (flag, file.as_deref())))?;
    let loaded = args.graph.load(&progress)?;
    let extent = match (args.below, args.smallest) {
        (Some(beta), _) => Extent::Below(beta),
        (None, Some(k)) => Extent::Smallest(k),
        (None, None) => bail!("say --below B or --smallest K"),
    };
    let cut = args.objective.cut();
    let before = memory::resident().unwrap_or(0);
    let options = SpectrumOptions {
        max_vectors: args.max_vectors,
        max_bytes: memory::allowed(),
        seed: args.seed,
        ..SpectrumOptions::default()
    };
    let low = with_csr!(loaded.graph.csr(), g => spectrum(g, &cut, extent, &options, &progress))?;
    progress.finish();
    if !taken {
        print_values(&low)?;
    }
    tell(&low, &progress);
    if let Some(peak) = memory::peak() {
        progress.say(&format!(
            "memory: {} MB estimated, {} MB at the peak",
            (before + low.bytes) >> 20,
            peak >> 20
        ));
    }
    if let Some(path) = &args.vectors {
        write_vectors(&low, path).with_context(|| format!("cannot write {}", path.display()))?;
    }
    let document = document(args, &loaded, &low, started);
    if let Some(path) = &args.report {
        let page = Page::new(
            &report::title(&args.graph.graph),
            About::new(&document, parameters(args)),
        );
        report::write(
            path,
            &Page {
                spectrum: Some(SpectrumView::new(&low)),
                ..page
            },
        )?;
    }
    write_json(args.json.as_deref(), &document)?;
    Ok(exit_code(&progress))
}

/// The flags, for the page.
fn parameters(args: &SpectrumArgs) -> Vec<(String, String)> {
    let mut list = vec![
        parameter("objective", &word(&args.objective)),
        parameter("seed", &args.seed),
    ];
    list.extend(args.below.map(|beta| parameter("below", &beta)));
    list.extend(args.smallest.map(|k| parameter("smallest", &k)));
    list.extend(report::reading(&args.graph.reading));
    list
}

fn print_values(low: &Spectrum) -> anyhow::Result<()> {
    io::write_atomically(Path::new("-"), |out| {
        low.values()
            .iter()
            .enumerate()
            .try_for_each(|(at, value)| writeln!(out, "{}\t{value:.12}", at + 1))
    })
    .context("cannot write to standard output")
}

/// The verdict, the zeros, the gaps.
fn tell(low: &Spectrum, progress: &Progress) {
    let zeros = low.values().iter().filter(|&&value| value == 0.0).count();
    let to = if low.values().last() == Some(&low.below) {
        "up to"
    } else {
        "below"
    };
    progress.say(&format!(
        "{} eigenvalues {to} {}, {zeros} of them 0 (one a component)",
        low.count(),
        low.below
    ));
    progress.say(&low.check.to_string());
    progress.say(&format!("largest residual {:.1e}", low.largest_residual()));
    let gaps = low.gaps();
    if let Some(best) = gaps.first() {
        progress.say(&format!(
            "the largest relative gap suggests --resolution {:.6} ({} clusters)",
            best.beta(),
            best.after
        ));
        for gap in gaps.iter().take(SHOWN_GAPS) {
            progress.say(&format!(
                "  gap after {:>5}: {:.6} – {:.6}, {:.1} %",
                gap.after,
                gap.low,
                gap.high,
                100.0 * gap.relative
            ));
        }
    }
}

/// Writes the dense array; zeros where a vector does not reach.
fn write_vectors(low: &Spectrum, path: &Path) -> std::io::Result<()> {
    let columns = low.columns();
    io::write_npy(path, low.vertices, low.count(), |i, row| {
        low.row(&columns, i, row);
    })
}

fn document(args: &SpectrumArgs, loaded: &Loaded, low: &Spectrum, started: Instant) -> Document {
    let total = started.elapsed().as_secs_f64();
    let gaps = low.gaps();
    let suggested = gaps
        .first()
        .map(|gap| json!({ "resolution": gap.beta(), "clusters": gap.after }));
    let section = json!({
        "objective": args.objective.cut(), "below": low.below, "reached": low.reached, "count": low.count(), "eigenvalues": low.values(),
        "check": low.check, "largest_residual": low.largest_residual(), "products": low.products, "estimated_bytes": low.bytes,
        "gaps": gaps.iter().take(20).collect::<Vec<_>>(), "suggested": suggested,
    });
    Document {
        graph: Some(loaded.section.clone()),
        spectrum: Some(section),
        memory: memory::section(),
        seconds: [
            ("load", loaded.seconds),
            ("spectrum", total - loaded.seconds),
            ("total", total),
        ]
        .map(|(name, value)| (name.to_owned(), value))
        .into(),
        provenance: Some(provenance(&loaded.sha256, args.seed)),
        ..Document::default()
    }
}
