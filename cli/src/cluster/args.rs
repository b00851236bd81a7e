//! What to look for and how: the flags that `cluster` and `path` share, and which method takes
//! which.

use crate::common::{Clock, Usage};
use anyhow::bail;
use clap::{Args, ValueEnum};
use lambdacut::cut::Cut;
use lambdacut::search::Effort;
use std::path::PathBuf;

/// What to look for, and how.
///
/// Flags that only some methods use are optional here, so that one that was given can be told from
/// one that was not: see [`SearchArgs::refuse_unused`].
#[derive(Debug, Args)]
#[command(next_help_heading = "What to look for")]
pub struct SearchArgs {
    /// The resolution β > 0: the best clustering found at it.
    #[arg(
        long,
        short = 'b',
        value_name = "BETA",
        allow_negative_numbers = true,
        conflicts_with = "clusters"
    )]
    pub resolution: Option<f64>,
    /// Exactly this many clusters, the best found.
    #[arg(long, short = 'k', value_name = "K")]
    pub clusters: Option<usize>,
    /// Which cut: normalized (by volume) or ratio (by number of vertices, or by their weights if
    /// the file has some).
    #[arg(long, value_name = "CUT", default_value = "ncut")]
    pub objective: ObjectiveArg,
    /// path: annealing with exact moves, the best answers; kernel-dp-means: the paper's algorithm;
    /// spectral: all eigenvectors below β.
    #[arg(long, value_name = "METHOD", default_value = "path")]
    pub method: Method,
    /// How hard to search [default: normal] (path).
    #[arg(long, value_name = "EFFORT")]
    pub effort: Option<EffortArg>,
    /// Stop after this many seconds, reading included, with the best so far.
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true)]
    pub time_limit: Option<f64>,
    /// Start from the clusters in this labels file; without --resolution they are considered beside
    /// what the search finds by itself (path, kernel-dp-means).
    #[arg(long, value_name = "LABELS")]
    pub start: Option<PathBuf>,
    /// Vertices with the same label in this file stay together (path).
    #[arg(long, value_name = "LABELS")]
    pub fixed: Option<PathBuf>,
    /// Keep the state of a long path here after every step, and go on from it if it is there (path).
    #[arg(long, value_name = "FILE", conflicts_with = "resolution")]
    pub checkpoint: Option<PathBuf>,
    /// Seed of the methods that draw numbers [default: 1] (kernel-dp-means, spectral).
    #[arg(long, value_name = "SEED")]
    pub seed: Option<u64>,
    /// Exact moves at the end [default: yes] (kernel-dp-means, spectral).
    #[arg(long, value_name = "YES|NO", value_parser = yes_no)]
    pub refine: Option<bool>,
    /// Print a lower bound of F over all clusterings, from the spectrum, and the gap to it. Costs
    /// eigenvectors: on a large graph the estimate of time and memory is printed first.
    #[arg(long)]
    pub certify: bool,
    #[command(flatten)]
    pub pass: PassArgs,
}

/// Flags of the paper's pass.
#[derive(Debug, Args)]
#[command(next_help_heading = "Kernel DP-means")]
pub struct PassArgs {
    /// Where to start (or give labels with --start) [default: several]. One cluster is the paper's
    /// start, but for normalized cut a fixed point of the pass, and so are singletons.
    #[arg(long, value_name = "START", conflicts_with = "start")]
    pub init: Option<InitArg>,
    /// From how many far-apart vertices --init farthest-first starts; without it --clusters, else
    /// the square root of the number of vertices.
    #[arg(long, value_name = "K")]
    pub init_size: Option<usize>,
    /// The order in which a pass visits the vertices [default: natural].
    #[arg(long, value_name = "ORDER")]
    pub order: Option<OrderArg>,
    /// Visit the vertices in this file first, one name a line, in its order; then the others by
    /// number.
    #[arg(long, value_name = "FILE", conflicts_with = "order")]
    pub order_file: Option<PathBuf>,
    /// The shift σ of the kernel; without it the smallest safe value.
    #[arg(long, value_name = "SIGMA", allow_negative_numbers = true)]
    pub sigma: Option<f64>,
    /// At most this many passes.
    #[arg(long, value_name = "N")]
    pub passes: Option<usize>,
    /// Stop when a pass gains less than this fraction of the objective.
    #[arg(long, value_name = "FRACTION", alias = "tolerance")]
    pub relative_gain: Option<f64>,
}

impl SearchArgs {
    /// The cut, by the weights of the vertices if there are some and the ratio cut is asked for.
    pub fn cut(&self, vertex_weights: Option<&[f64]>) -> Cut {
        match (self.objective, vertex_weights) {
            (ObjectiveArg::Ncut, _) => Cut::Normalized,
            (ObjectiveArg::Rcut, None) => Cut::Ratio,
            (ObjectiveArg::Rcut, Some(weights)) => Cut::Masses(weights.into()),
        }
    }

    /// The effort, of the path.
    pub fn effort(&self) -> Effort {
        self.effort.unwrap_or(EffortArg::Normal).effort()
    }

    /// The seed, of the methods that draw numbers.
    pub fn seed(&self) -> u64 {
        self.seed.unwrap_or(lambdacut::params::DEFAULT_SEED)
    }

    /// Whether exact moves follow.
    pub fn refine(&self) -> bool {
        self.refine.unwrap_or(true)
    }

    /// The clock of the command, which starts now.
    pub fn clock(&self) -> anyhow::Result<Clock> {
        Clock::start(self.time_limit)
    }

    /// Refuses flags that the method has no use for, and requests that contradict themselves.
    pub fn refuse_unused(&self) -> anyhow::Result<()> {
        if let Some(beta) = self.resolution {
            lambdacut::params::Resolution::new(beta)?;
        }
        let method = self.method;
        refuse(
            &format!("--method {}", method.name()),
            &self.flags_of_others(method),
        )?;
        if method != Method::Path && self.resolution.is_none() && self.clusters.is_none() {
            bail!(Usage(format!(
                "--method {} needs --resolution B or --clusters K; lambdacut spectrum and \
                 lambdacut path suggest one",
                method.name()
            )));
        }
        let spread = self.pass.init == Some(InitArg::FarthestFirst);
        if self.pass.init_size.is_some() && !spread {
            bail!(Usage(
                "--init-size goes with --init farthest-first".to_owned()
            ));
        }
        Ok(())
    }

    /// The flags that belong to other methods than this one, and whether they were given.
    fn flags_of_others(&self, method: Method) -> Vec<(&'static str, bool)> {
        let PassArgs {
            init,
            init_size,
            order,
            order_file,
            sigma,
            passes,
            relative_gain,
        } = &self.pass;
        let path = [
            ("--effort", self.effort.is_some()),
            ("--fixed", self.fixed.is_some()),
            ("--checkpoint", self.checkpoint.is_some()),
        ];
        let draws = [
            ("--seed", self.seed.is_some()),
            ("--refine", self.refine.is_some()),
        ];
        let pass = [
            ("--init", init.is_some()),
            ("--init-size", init_size.is_some()),
            ("--order", order.is_some()),
            ("--order-file", order_file.is_some()),
            ("--sigma", sigma.is_some()),
            ("--passes", passes.is_some()),
            ("--relative-gain", relative_gain.is_some()),
        ];
        let start = [("--start", self.start.is_some())];
        match method {
            Method::Path => [&draws[..], &pass].concat(),
            Method::KernelDpMeans => path.to_vec(),
            Method::Spectral => [&path[..], &pass, &start].concat(),
        }
    }

    /// The flags that several layers at once have no use for, and whether they were given.
    pub fn flags_beside_layers(&self) -> Vec<(&'static str, bool)> {
        let mut flags = self.flags_of_others(Method::Path);
        flags.extend([
            ("--clusters", self.clusters.is_some()),
            ("--start", self.start.is_some()),
            ("--fixed", self.fixed.is_some()),
            ("--checkpoint", self.checkpoint.is_some()),
            ("--certify", self.certify),
            ("--method", self.method != Method::Path),
        ]);
        flags
    }
}

/// Refuses the first flag that was given although `whom` has no use for it.
pub fn refuse(whom: &str, flags: &[(&str, bool)]) -> anyhow::Result<()> {
    match flags.iter().find(|(_, given)| *given) {
        Some((flag, _)) => bail!(Usage(format!(
            "{flag} has no effect with {whom}: leave it out"
        ))),
        None => Ok(()),
    }
}

fn yes_no(text: &str) -> Result<bool, String> {
    match text {
        "yes" | "true" => Ok(true),
        "no" | "false" => Ok(false),
        _ => Err(format!("expected yes or no, not {text:?}")),
    }
}

/// The objective on the command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ObjectiveArg {
    /// Normalized cut.
    Ncut,
    /// Ratio cut.
    Rcut,
}

impl ObjectiveArg {
    /// The library's name for it.
    pub fn cut(self) -> Cut {
        match self {
            Self::Ncut => Cut::Normalized,
            Self::Rcut => Cut::Ratio,
        }
    }
}

/// The effort on the command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum EffortArg {
    /// A first look.
    Fast,
    /// For nearly everybody.
    Normal,
    /// The last percent.
    Best,
}

impl EffortArg {
    /// The library's name for it.
    pub fn effort(self) -> Effort {
        match self {
            Self::Fast => Effort::Fast,
            Self::Normal => Effort::Normal,
            Self::Best => Effort::Best,
        }
    }
}

/// The method on the command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Method {
    /// Annealing in β with exact moves.
    Path,
    /// The paper's batch algorithm.
    KernelDpMeans,
    /// All eigenvectors below β.
    Spectral,
}

impl Method {
    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Path => "path",
            Self::KernelDpMeans => "kernel-dp-means",
            Self::Spectral => "spectral",
        }
    }
}

/// Where the paper's pass starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum InitArg {
    /// One cluster, then far-apart vertices in growing numbers: the best result.
    Several,
    /// Everything in one cluster.
    One,
    /// Every vertex alone.
    Singletons,
    /// The nearest of far-apart vertices.
    FarthestFirst,
}

/// The order of a pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum OrderArg {
    /// By number.
    Natural,
    /// Shuffled by the seed.
    Shuffled,
    /// By decreasing degree.
    Degree,
}
