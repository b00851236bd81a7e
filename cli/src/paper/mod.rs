//! `lambdacut paper`: the experiments of section 6 of Kulis & Jordan (2012), our number beside the
//! printed one.
//!
//! Every section states what was run and how the data were prepared; a score that is more than 0.05
//! from the printed one carries the reason. Interrupted, the sections that are complete are
//! written.

mod gaussians;
mod hdp;
mod scale;
mod synthetic;
mod table;
mod uci;

use super::common::{Global, Progress};
use super::output::write_json;
use anyhow::Context as _;
use clap::{Args, ValueEnum};
use lambdacut::io::write_atomically;
use lambdacut::metrics::Agreement;
use lambdacut::params::DEFAULT_SEED;
use lambdacut::report::plot::Chart;
use lambdacut::run::{Event, Observer};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;
use table::{Section, markdown};

/// The arguments of `paper`.
#[derive(Debug, Args)]
pub struct PaperArgs {
    /// A directory with the UCI sets that are not bundled, as NAME.csv or uci/NAME.csv (header row,
    /// last column `class`).
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    /// Write the table (paper.md, paper.json) and the figures (SVG) into this directory; without it
    /// the table goes to standard output and no figure is drawn.
    #[arg(long, short, value_name = "DIR")]
    output: Option<PathBuf>,
    /// Write the numbers as JSON; `-` is standard output, which then has no table.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Only these experiments.
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    only: Vec<Experiment>,
    /// Of Table 1, only these sets (by the names of their files: wine, iris, pima, …).
    #[arg(long, value_name = "NAMES", value_delimiter = ',', value_parser = uci::set_names())]
    sets: Vec<String>,
    /// Short chains, few runs, small data: shows that everything works, not what the numbers are.
    #[arg(long)]
    quick: bool,
    /// Seed of everything random.
    #[arg(long, value_name = "N", default_value_t = DEFAULT_SEED)]
    seed: u64,
}

/// An experiment of section 6.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Experiment {
    /// Three Gaussians: Figures 1a to 1c.
    Gaussians,
    /// Table 1: UCI data.
    Table1,
    /// Fifty data sets that share Gaussians: Figure 1d.
    Hdp,
    /// As many points as the patch data.
    Scale,
}

/// What an experiment needs to know.
struct Context<'a> {
    args: &'a PaperArgs,
    quick: bool,
    seed: u64,
    progress: &'a Progress,
}

/// What an experiment returns.
type Run = anyhow::Result<Section>;

impl Observer for Context<'_> {
    /// Single runs are too many to be shown.
    fn event(&self, _: Event<'_>) {}

    fn cancelled(&self) -> bool {
        self.progress.cancelled()
    }
}

impl Context<'_> {
    /// Says which part of an experiment is under way, and how many runs it has.
    fn stage(&self, name: &str, runs: u64) {
        let total = Some(runs);
        self.progress.event(Event::Stage { name, total });
    }

    /// Says that one of these runs is over.
    fn run_done(&self) {
        self.progress.event(Event::Advance(1));
    }

    /// Writes a figure, if figures are wanted.
    fn figure(&self, name: &str, chart: &Chart) -> anyhow::Result<()> {
        let Some(dir) = &self.args.output else {
            return Ok(());
        };
        let svg = chart.svg()?;
        write_atomically(&dir.join(name), |out| out.write_all(svg.as_bytes()))
            .with_context(|| format!("cannot write {name}"))
    }
}

/// Normalised mutual information (arithmetic mean of the entropies); 0 where it is not defined.
fn nmi(found: &[u32], truth: &[u32]) -> f64 {
    Agreement::of(found, truth).map_or(0.0, |a| a.nmi)
}

/// An experiment: its name, its title, and what runs it.
type Entry = (Experiment, &'static str, fn(&Context<'_>) -> Run);

/// Runs the experiments in the order of the paper.
pub fn run(args: &PaperArgs, global: &Global) -> anyhow::Result<ExitCode> {
    let progress = global.progress()?;
    if let Some(dir) = &args.output {
        std::fs::create_dir_all(dir).with_context(|| format!("cannot create {}", dir.display()))?;
    }
    let context = Context {
        args,
        quick: args.quick,
        seed: args.seed,
        progress: &progress,
    };
    let all: [Entry; 4] = [
        (Experiment::Gaussians, "three Gaussians", gaussians::run),
        (Experiment::Table1, "Table 1", uci::run),
        (Experiment::Hdp, "hard Gaussian HDP", hdp::run),
        (Experiment::Scale, "scale", scale::run),
    ];
    let mut sections = Vec::new();
    for (experiment, name, work) in all {
        if !(args.only.is_empty() || args.only.contains(&experiment)) || progress.cancelled() {
            continue;
        }
        progress.event(Event::Stage { name, total: None });
        let start = Instant::now();
        let section = work(&context).with_context(|| name.to_owned())?;
        let seconds = start.elapsed().as_secs_f64();
        progress.say(&format!("{name}: {seconds:.1} s"));
        // What an interruption cut short is no measurement.
        if !progress.cancelled() {
            sections.push(Section { seconds, ..section });
        }
    }
    write(args, &sections, &progress)?;
    Ok(if progress.cancelled() {
        ExitCode::from(130)
    } else {
        ExitCode::SUCCESS
    })
}

fn write(args: &PaperArgs, sections: &[Section], progress: &Progress) -> anyhow::Result<()> {
    let text = markdown(sections);
    write_json(args.json.as_deref(), &sections)?;
    let Some(dir) = &args.output else {
        if args.json.as_deref() == Some(Path::new("-")) {
            return Ok(());
        }
        return write_atomically("-".as_ref(), |out| out.write_all(text.as_bytes()))
            .context("cannot write the table");
    };
    write_atomically(&dir.join("paper.md"), |out| out.write_all(text.as_bytes()))
        .context("cannot write paper.md")?;
    write_json(Some(&dir.join("paper.json")), &sections)?;
    progress.say(&format!("written to {}", dir.display()));
    Ok(())
}
