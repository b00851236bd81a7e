//! The table of points that the methods work on.

use crate::common::{Progress, Usage};
use crate::memory;
use anyhow::{Context, bail};
use clap::{Args, ValueEnum};
use lambdacut::clustering::PointClustering;
use lambdacut::graph::{Names, Strings};
use lambdacut::ids::{Cluster, NONE};
use lambdacut::io::{self, Coordinates, Missing, Roles};
use lambdacut::points::{Alternation, Groups, Points};
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Which table, and how to read it.
#[derive(Debug, Args)]
#[command(next_help_heading = "Reading the data")]
pub struct DataArgs {
    /// The points, one a row: CSV, TSV, semicolons or spaces, with or without a header, or a `.npy`
    /// array. `-` is standard input; .gz and .zst are read directly.
    pub data: PathBuf,
    /// The column with the true class, by name or number from 1: not a coordinate, but compared
    /// with the answer.
    #[arg(long, value_name = "COLUMN")]
    pub label: Option<String>,
    /// The column that says which data set a row belongs to.
    #[arg(long, value_name = "COLUMN")]
    pub group: Option<String>,
    /// The column with the weight of each row.
    #[arg(long, value_name = "COLUMN")]
    pub weight: Option<String>,
    /// The column with the name of each row, used in the labels file instead of the row's number.
    #[arg(long, value_name = "COLUMN")]
    pub name: Option<String>,
    /// Columns to leave out, separated by commas.
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',')]
    pub ignore: Vec<String>,
    /// Whether the first row names the columns; without it the row itself tells.
    #[arg(long, value_name = "YES|NO")]
    pub header: Option<YesNo>,
    /// Missing values (empty, ?, NA, NaN, null): stop, leave the row out, or take the mean of the
    /// column.
    #[arg(long, value_name = "HOW", default_value = "error")]
    pub missing: MissingArg,
    /// Shift and scale every coordinate to mean 0 and variance 1.
    #[arg(long, visible_alias = "standardize")]
    pub standardise: bool,
}

/// Yes or no.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum YesNo {
    /// Yes.
    Yes,
    /// No.
    No,
}

/// What to do about missing values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum MissingArg {
    /// Stop at the first one.
    Error,
    /// Leave the row out.
    Drop,
    /// Take the mean of the column.
    Mean,
}

/// The points and what is known about them.
#[derive(Debug)]
pub struct Data {
    pub points: Points,
    pub names: Vec<String>,
    pub truth: Option<io::Classes>,
    pub coordinates: Vec<Coordinates>,
    pub dropped: usize,
    pub filled: usize,
    pub load_seconds: f64,
    pub started: Instant,
    groups: Option<io::Classes>,
}

impl DataArgs {
    /// Reads the points and says what was made of the columns.
    pub fn load(&self, progress: &Progress) -> anyhow::Result<Data> {
        let data = self.load_rows()?;
        progress.say(&format!(
            "{} points in {} dimensions",
            data.points.len(),
            data.points.dimension()
        ));
        for coordinates in &data.coordinates {
            if let Coordinates::OneHot { column, values } = coordinates {
                progress.say(&format!(
                    "column {column:?} is categorical: one indicator for each of its {} values",
                    values.len()
                ));
            }
        }
        if data.dropped > 0 {
            progress.say(&format!(
                "{} rows with missing values were left out",
                data.dropped
            ));
        }
        if data.filled > 0 {
            progress.say(&format!(
                "{} missing values were replaced by the mean of their column",
                data.filled
            ));
        }
        Ok(data)
    }

    /// Reads the rows.
    pub fn load_rows(&self) -> anyhow::Result<Data> {
        let started = Instant::now();
        let mut data = if self.is_npy() {
            self.load_npy(started)?
        } else {
            self.load_table(started)?
        };
        if self.standardise {
            data.points = data.points.standardised();
        }
        data.load_seconds = started.elapsed().as_secs_f64();
        Ok(data)
    }

    /// Only the HDP has several data sets.
    pub fn refuse_group(&self) -> anyhow::Result<()> {
        if self.group.is_some() {
            bail!(Usage(
                "--group is for hdp alone: --ignore leaves a column out".to_owned()
            ));
        }
        Ok(())
    }

    fn is_npy(&self) -> bool {
        let name = self.data.to_string_lossy();
        [".npy", ".npy.gz", ".npy.zst"]
            .iter()
            .any(|end| name.ends_with(end))
    }

    fn load_npy(&self, started: Instant) -> anyhow::Result<Data> {
        let of_tables = [
            ("--label", self.label.is_some()),
            ("--group", self.group.is_some()),
            ("--weight", self.weight.is_some()),
            ("--name", self.name.is_some()),
            ("--ignore", !self.ignore.is_empty()),
            ("--header", self.header.is_some()),
            ("--missing", self.missing != MissingArg::Error),
        ];
        if let Some((flag, _)) = of_tables.iter().find(|(_, given)| *given) {
            bail!("{flag} needs a table: a .npy array has no named columns and no gaps");
        }
        let points = io::read_npy_within(&self.data, memory::allowed())?;
        let names = (1..=points.len()).map(|row| row.to_string()).collect();
        let coordinates = (1..=points.dimension())
            .map(|c| Coordinates::Number {
                column: format!("column {c}"),
            })
            .collect();
        Ok(Data {
            points,
            names,
            truth: None,
            coordinates,
            dropped: 0,
            filled: 0,
            load_seconds: 0.0,
            started,
            groups: None,
        })
    }

    fn load_table(&self, started: Instant) -> anyhow::Result<Data> {
        let table = io::read_table_within(
            &self.data,
            self.header.map(|h| h == YesNo::Yes),
            memory::allowed(),
        )?;
        let roles = Roles {
            label: self.label.clone(),
            group: self.group.clone(),
            weight: self.weight.clone(),
            name: self.name.clone(),
            ignored: self.ignore.clone(),
        };
        let missing = match self.missing {
            MissingArg::Error => Missing::Error,
            MissingArg::Drop => Missing::Drop,
            MissingArg::Mean => Missing::Mean,
        };
        let io::Dataset {
            points,
            coordinates,
            truth,
            groups,
            names,
            dropped,
            filled,
        } = io::dataset(&table, &roles, missing)?;
        Ok(Data {
            points,
            names,
            truth,
            coordinates,
            dropped,
            filled,
            load_seconds: 0.0,
            started,
            groups,
        })
    }
}

impl Data {
    /// The data sets that `--group` names.
    pub fn groups(&self) -> anyhow::Result<Groups> {
        let classes = self
            .groups
            .as_ref()
            .context("name the column that tells the data sets apart: --group COLUMN")?;
        Ok(Groups::new(&classes.of, self.points.len())?)
    }

    /// What the data sets are called.
    pub fn group_names(&self) -> &[String] {
        self.groups.as_ref().map_or(&[], |classes| &classes.names)
    }

    /// The label of every row in the labels file `path`.
    pub fn start(&self, path: &Path) -> anyhow::Result<Vec<Cluster>> {
        let mut names = Strings::default();
        self.names.iter().for_each(|name| names.push(name));
        let labels = io::read_labels(path, &Names::Strings(names), io::Unknown::Error)?.labels;
        if let Some(row) = labels.iter().position(|&c| c == NONE) {
            bail!(
                "{}: row {} has no label; every row needs one",
                path.display(),
                self.names[row]
            );
        }
        Ok(labels)
    }

    /// The means of the clusters in the coordinates of the data.
    pub fn means(&self, found: &PointClustering) -> Points {
        let (_, means) =
            Alternation::from_labels(&self.points, found.labels.clone(), found.clusters)
                .into_parts();
        means
    }
}
