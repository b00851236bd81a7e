//! How hard to search: presets of one search.

use serde::{Deserialize, Serialize};

/// A preset.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Effort {
    /// For a first look, and for very large graphs.
    Fast,
    /// For nearly everybody.
    #[default]
    Normal,
    /// When the last percent matters more than time.
    Best,
}

/// How thorough a step is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tuning {
    /// Rounds of moves in each part of a step.
    pub rounds: usize,
    /// Contraction goes on while it leaves at most this share of the vertices.
    pub shrink: f64,
    /// Whether pieces of the last step's clusters are moved.
    pub pieces: bool,
}

/// What a preset means.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Plan {
    /// How thorough each step is.
    pub tuning: Tuning,
    /// Steps of β from the start of annealing to a wanted β.
    pub steps: usize,
    /// By what the null model's γ is multiplied from step to step.
    pub gamma_factor: f64,
    /// Whether a path of its own is followed beside that of the lighter presets.
    pub own_path: bool,
    /// The stride of the path, as a share of the scale of β.
    pub stride: f64,
    /// Repairs in which clusters are annealed inside, and then freely, at a wanted β.
    pub repairs: (usize, usize),
    /// The same at every step of the path.
    pub path_repairs: (usize, usize),
    /// How often moves and connecting may take turns before an answer.
    pub finishing: usize,
    /// From how many partitions of the path an answer with a given number of clusters is sought.
    pub starts: usize,
    /// How many chains of moves are tried for an answer with a given number of clusters, each time.
    pub chains: usize,
}

impl Effort {
    /// This preset after all lighter ones.
    pub(super) fn with_lighter(self) -> &'static [Self] {
        match self {
            Self::Fast => &[Self::Fast],
            Self::Normal => &[Self::Fast, Self::Normal],
            Self::Best => &[Self::Fast, Self::Normal, Self::Best],
        }
    }

    pub(super) fn plan(self) -> Plan {
        match self {
            Self::Fast => Plan {
                tuning: Tuning {
                    rounds: 20,
                    shrink: 0.98,
                    pieces: true,
                },
                steps: 5,
                gamma_factor: 4.0,
                own_path: false,
                stride: 0.05,
                repairs: (1, 0),
                path_repairs: (0, 0),
                finishing: 1,
                starts: 2,
                chains: 1,
            },
            Self::Normal => Plan {
                tuning: Tuning {
                    rounds: 20,
                    shrink: 0.98,
                    pieces: true,
                },
                steps: 5,
                gamma_factor: 4.0,
                own_path: false,
                stride: 0.05,
                repairs: (2, 3),
                path_repairs: (1, 0),
                finishing: 4,
                starts: 4,
                chains: 10,
            },
            Self::Best => Plan {
                tuning: Tuning {
                    rounds: 100,
                    shrink: 0.98,
                    pieces: true,
                },
                steps: 17,
                gamma_factor: 2.0,
                own_path: true,
                stride: 0.025,
                repairs: (4, 24),
                path_repairs: (1, 1),
                finishing: 8,
                starts: 12,
                chains: 100,
            },
        }
    }
}
