//! The measured work.
//!
//! | stage | what is timed |
//! |---|---|
//! | load | file → graph, names included |
//! | sweep | the sum of a number over the neighbours of every vertex: what reading the graph once costs |
//! | pass | one pass of kernel DP-means (reassignment, sums, means) from 1000 clusters of consecutive vertices |
//! | solve | the search at β |
//! | path | the whole path and the recommendation |
//! | spectrum | all eigenpairs below β, with the check |

use super::graphs::Prepared;
use super::record::{Measured, Outcome};
use crate::memory;
use clap::ValueEnum;
use lambdacut::graph::{Graph, Weight, sweep};
use lambdacut::io::{self, LoadOptions};
use lambdacut::kernel_dp_means::{KernelDpMeans, Shift, Start, fit_graph};
use lambdacut::linalg::{Extent, SpectrumOptions, spectrum, spectrum_cost};
use lambdacut::objective::Objective;
use lambdacut::observe::{Observer, Silent};
use lambdacut::params::{ObjectiveKind, Resolution, StopRules};
use lambdacut::partition::Masses;
use lambdacut::search::effort::Effort;
use lambdacut::search::{Search, Target};
use lambdacut::with_graph;
use std::hint::black_box;
use std::time::{Duration, Instant};

/// Work shorter than this is done several times a run, for the sake of the clock.
const SHORTEST: Duration = Duration::from_millis(20);

/// The most clusters that a pass starts from.
const PASS_CLUSTERS: usize = 1000;

/// A stage.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum StageArg {
    /// Read the file.
    Load,
    /// Touch every arc once.
    Sweep,
    /// One pass of kernel DP-means.
    Pass,
    /// Search at β.
    Solve,
    /// Follow the whole path.
    Path,
    /// Eigenvalues below β.
    Spectrum,
}

impl StageArg {
    /// As on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Load => "load",
            Self::Sweep => "sweep",
            Self::Pass => "pass",
            Self::Solve => "solve",
            Self::Path => "path",
            Self::Spectrum => "spectrum",
        }
    }
}

/// How to measure.
pub struct Bench<'a> {
    /// β.
    pub beta: Resolution,
    /// How hard solve and path search.
    pub effort: Effort,
    /// Runs a stage.
    pub repeat: usize,
    /// The longest spectrum, in estimated seconds.
    pub spectrum_limit: f64,
    /// How graphs are read.
    pub reading: LoadOptions,
    /// Cancels.
    pub progress: &'a dyn Observer,
}

/// Hears nothing, so that showing progress is not measured; cancels with another.
struct Unheard<'a>(&'a dyn Observer);

impl Observer for Unheard<'_> {
    fn cancelled(&self) -> bool {
        self.0.cancelled()
    }
}

impl Bench<'_> {
    /// Measures one stage on the threads of the current pool; `None` when it was cancelled.
    pub fn stage(&self, stage: StageArg, prepared: &Prepared) -> anyhow::Result<Option<Outcome>> {
        match stage {
            StageArg::Load => self.load(prepared),
            _ => with_graph!(&prepared.graph, g => self.on_graph(stage, g)),
        }
    }

    fn on_graph<W: Weight>(
        &self,
        stage: StageArg,
        graph: &Graph<W>,
    ) -> anyhow::Result<Option<Outcome>> {
        let search = Search {
            effort: self.effort,
            ..Search::default()
        };
        let target = if stage == StageArg::Solve {
            Target::Resolution(self.beta)
        } else {
            Target::Recommended
        };
        match stage {
            StageArg::Sweep => {
                let values: Vec<f64> = (0..graph.vertices()).map(|i| i as f64).collect();
                let mut sums = vec![0.0; graph.vertices()];
                self.repeated(|_| Ok(timed(|| sweep(graph, &values, black_box(&mut sums)))))
            }
            StageArg::Pass => self.pass(graph),
            StageArg::Spectrum => self.spectrum(graph),
            _ => self.repeated(|observer| {
                let began = Instant::now();
                black_box(search.run(graph, &target, observer)?);
                Ok(began.elapsed().as_secs_f64())
            }),
        }
    }

    fn load(&self, prepared: &Prepared) -> anyhow::Result<Option<Outcome>> {
        let options = LoadOptions {
            hash: false,
            ..self.reading.clone()
        };
        self.repeated(|observer| {
            let began = Instant::now();
            black_box(io::load(&prepared.file, &options, observer)?);
            Ok(began.elapsed().as_secs_f64())
        })
    }

    fn pass<W: Weight>(&self, graph: &Graph<W>) -> anyhow::Result<Option<Outcome>> {
        let n = graph.vertices();
        let k = PASS_CLUSTERS.min(n / 2).max(1);
        let params = KernelDpMeans {
            start: Start::Labels((0..n).map(|i| (i * k / n) as u32).collect()),
            shift: Shift::Sigma(1.0),
            stop: StopRules {
                passes: Some(1),
                ..StopRules::default()
            },
            refine: false,
            ..KernelDpMeans::default()
        };
        let objective = Objective::new(ObjectiveKind::NormalizedCut, self.beta);
        self.repeated(|_| {
            let found = black_box(fit_graph(graph, &objective, &params, &Silent)?);
            Ok(found.fit.trace.first().map_or(0.0, |pass| pass.seconds))
        })
    }

    fn spectrum<W: Weight>(&self, graph: &Graph<W>) -> anyhow::Result<Option<Outcome>> {
        let (options, beta) = (SpectrumOptions::default(), self.beta.get());
        let cost = spectrum_cost(graph, &Masses::Degree, beta, &options);
        let too_many = cost.vectors.count > options.max_vectors as f64;
        if too_many || cost.seconds >= self.spectrum_limit {
            let reason = format!(
                "too large: about {:.0} eigenvalues below {beta}, {:.0} s",
                cost.vectors.count, cost.seconds
            );
            return Ok(Some(Outcome::Skipped(reason)));
        }
        self.repeated(|observer| {
            let began = Instant::now();
            black_box(spectrum(
                graph,
                &Masses::Degree,
                Extent::Below(beta),
                &options,
                observer,
            )?);
            Ok(began.elapsed().as_secs_f64())
        })
    }

    /// Runs `work`, which answers with its seconds, as often as asked for. The first run is the one
    /// whose memory is measured.
    fn repeated(
        &self,
        mut work: impl FnMut(&dyn Observer) -> anyhow::Result<f64>,
    ) -> anyhow::Result<Option<Outcome>> {
        let observer = Unheard(self.progress);
        let mut seconds = Vec::with_capacity(self.repeat);
        let (mut before, mut peak) = (None, None);
        for run in 0..self.repeat {
            if run == 0 {
                memory::reset_peak();
                before = memory::resident();
            }
            let began = Instant::now();
            let (mut total, mut times) = (0.0, 0);
            while times == 0 || began.elapsed() < SHORTEST {
                total += work(&observer)?;
                times += 1;
                if self.progress.cancelled() {
                    return Ok(None);
                }
            }
            seconds.push(total / f64::from(times));
            if run == 0 {
                peak = memory::peak();
            }
        }
        Ok(Some(Outcome::Measured(Measured::new(
            seconds, peak, before,
        ))))
    }
}

fn timed(work: impl FnOnce()) -> f64 {
    let began = Instant::now();
    work();
    began.elapsed().as_secs_f64()
}
