//! Points out of tables: numeric columns as they are, categorical columns one-hot, missing values
//! by rule.

use super::error::{ReadError, Remedy};
use super::table::{Table, is_missing};
use crate::ids::Cluster;
use crate::points::{LARGEST, Points, PointsError};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A column of mixed numbers and words is categorical up to this many distinct values; beyond, the
/// first word is taken for a mistake.
const MOST_MIXED: usize = 20;

/// What to do about missing values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Missing {
    /// The first one is an error.
    #[default]
    Error,
    /// Rows with one are left out.
    Drop,
    /// They become the mean of their column (of each indicator of a categorical column).
    Mean,
}

/// Which columns play which part.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Roles {
    /// The true class of each row.
    pub label: Option<String>,
    /// The data set of each row.
    pub group: Option<String>,
    /// The weight of each row.
    pub weight: Option<String>,
    /// The name of each row.
    pub name: Option<String>,
    /// Columns that are not used.
    pub ignored: Vec<String>,
}

/// How a column became coordinates.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Coordinates {
    /// One coordinate, the number itself.
    Number {
        /// The column.
        column: String,
    },
    /// One indicator a value, in order of their text.
    OneHot {
        /// The column.
        column: String,
        /// Its values.
        values: Vec<String>,
    },
}

/// Words and, for each row, which one.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Classes {
    /// The distinct words, in order of first appearance.
    pub names: Vec<String>,
    /// The number of each row's word.
    pub of: Vec<Cluster>,
}

impl Classes {
    fn of<'a>(words: impl Iterator<Item = &'a str>) -> Self {
        let mut known = BTreeMap::new();
        let mut classes = Self::default();
        for word in words {
            let next = known.len() as Cluster;
            let number = *known.entry(word.to_owned()).or_insert(next);
            if number == next {
                classes.names.push(word.to_owned());
            }
            classes.of.push(number);
        }
        classes
    }
}

/// Points and what the table says about them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Dataset {
    /// The points, weighted where a weight column was named.
    pub points: Points,
    /// How the columns became coordinates.
    pub coordinates: Vec<Coordinates>,
    /// True classes.
    pub truth: Option<Classes>,
    /// Data sets.
    pub groups: Option<Classes>,
    /// Row names: the name column, or the row's number in the file from 1.
    pub names: Vec<String>,
    /// Rows left out because a value was missing.
    pub dropped: usize,
    /// Missing values replaced by a mean.
    pub filled: usize,
}

/// The columns of each role, found in a table.
struct Parts {
    label: Option<usize>,
    group: Option<usize>,
    weight: Option<usize>,
    name: Option<usize>,
    values: Vec<usize>,
}

impl Parts {
    fn of(table: &Table, roles: &Roles) -> Result<Self, ReadError> {
        let find = |name: &Option<String>| name.as_ref().map(|n| table.column(n)).transpose();
        let (label, group, weight, name) = (
            find(&roles.label)?,
            find(&roles.group)?,
            find(&roles.weight)?,
            find(&roles.name)?,
        );
        let ignored = roles
            .ignored
            .iter()
            .map(|n| table.column(n))
            .collect::<Result<Vec<_>, _>>()?;
        let has_role =
            |c: &usize| [label, group, weight, name].contains(&Some(*c)) || ignored.contains(c);
        let values: Vec<usize> = (0..table.columns()).filter(|c| !has_role(c)).collect();
        if values.is_empty() {
            return Err(ReadError::file(
                &table.file,
                "no column is left to be coordinates",
            ));
        }
        Ok(Self {
            label,
            group,
            weight,
            name,
            values,
        })
    }

    /// Columns in which a missing value matters.
    fn needed(&self) -> impl Iterator<Item = usize> + '_ {
        self.values
            .iter()
            .copied()
            .chain([self.label, self.group, self.weight].into_iter().flatten())
    }
}

/// Turns a table into points.
///
/// A column whose values are all numbers is one coordinate; a column of words becomes one indicator
/// a word. Errors name the line and the column: infinite numbers, weights that are not positive,
/// missing values under [`Missing::Error`], and words in a column that otherwise looks numeric.
pub fn dataset(table: &Table, roles: &Roles, missing: Missing) -> Result<Dataset, ReadError> {
    let parts = Parts::of(table, roles)?;
    let rows = usable_rows(table, &parts, missing)?;
    let (mut columns, mut coordinates) = (Vec::new(), Vec::new());
    let mut filled = 0;
    for &c in &parts.values {
        let (made, how, gaps) = column(table, &rows, c)?;
        columns.extend(made);
        coordinates.push(how);
        filled += gaps;
    }
    let values = (0..rows.len())
        .flat_map(|r| columns.iter().map(move |column| column[r]))
        .collect();
    let wrong = |error: PointsError| ReadError::file(&table.file, error.to_string());
    let mut points = Points::new(columns.len(), values).map_err(wrong)?;
    if let Some(c) = parts.weight {
        points = points
            .with_weights(weights(table, &rows, c)?)
            .map_err(wrong)?;
    }
    let classes = |c: Option<usize>| c.map(|c| Classes::of(rows.iter().map(|&r| table.get(r, c))));
    let names = rows
        .iter()
        .map(|&r| {
            parts
                .name
                .map_or_else(|| (r + 1).to_string(), |c| table.get(r, c).to_owned())
        })
        .collect();
    let dropped = table.rows() - rows.len();
    Ok(Dataset {
        points,
        coordinates,
        truth: classes(parts.label),
        groups: classes(parts.group),
        names,
        dropped,
        filled,
    })
}

/// The rows to use: all, or those without a missing value.
fn usable_rows(table: &Table, parts: &Parts, missing: Missing) -> Result<Vec<usize>, ReadError> {
    let gap = |r: usize| parts.needed().find(|&c| is_missing(table.get(r, c)));
    let special = |r: usize| {
        [parts.label, parts.group, parts.weight]
            .into_iter()
            .flatten()
            .find(|&c| is_missing(table.get(r, c)))
    };
    let mut rows = Vec::with_capacity(table.rows());
    for r in 0..table.rows() {
        match missing {
            Missing::Drop if gap(r).is_some() => continue,
            Missing::Error => gap(r).map_or(Ok(()), |c| {
                let error = table.fault(r, c, "a missing value");
                Err(error.with_remedy(Remedy::MissingValues))
            })?,
            Missing::Mean => special(r).map_or(Ok(()), |c| {
                Err(table.fault(r, c, "a label, group or weight has no mean"))
            })?,
            Missing::Drop => {}
        }
        rows.push(r);
    }
    if rows.is_empty() {
        return Err(ReadError::file(
            &table.file,
            "every row has a missing value",
        ));
    }
    Ok(rows)
}

/// Coordinates, how they were made, and how many gaps were filled.
type Made = (Vec<Vec<f64>>, Coordinates, usize);

/// The coordinates that column `c` becomes.
fn column(table: &Table, rows: &[usize], c: usize) -> Result<Made, ReadError> {
    let name = table.names[c].clone();
    let present = || {
        rows.iter()
            .copied()
            .filter(|&r| !is_missing(table.get(r, c)))
    };
    if let Some(infinite) = present().find(|&r| {
        table
            .get(r, c)
            .parse::<f64>()
            .is_ok_and(|v| v.is_nan() || v.abs() > LARGEST)
    }) {
        return Err(table.fault(
            infinite,
            c,
            "not a finite number of magnitude at most 1e150",
        ));
    }
    let Some(word) = present().find(|&r| table.get(r, c).parse::<f64>().is_err()) else {
        let parsed: Vec<Option<f64>> = rows
            .iter()
            .map(|&r| table.get(r, c).parse().ok().filter(|v: &f64| v.is_finite()))
            .collect();
        let (values, gaps) = fill(&parsed);
        return Ok((vec![values], Coordinates::Number { column: name }, gaps));
    };
    let mut levels: Vec<&str> = present().map(|r| table.get(r, c)).collect();
    levels.sort_unstable();
    levels.dedup();
    if levels.len() > MOST_MIXED && levels.iter().any(|l| l.parse::<f64>().is_ok()) {
        return Err(table.fault(word, c, "a word in a column of numbers"));
    }
    let indicator = |level: &str| {
        let cell = |&r: &usize| {
            Some(table.get(r, c))
                .filter(|cell| !is_missing(cell))
                .map(|cell| f64::from(u8::from(cell == level)))
        };
        fill(&rows.iter().map(cell).collect::<Vec<_>>())
    };
    let made: Vec<(Vec<f64>, usize)> = levels.iter().map(|level| indicator(level)).collect();
    let gaps = made.first().map_or(0, |(_, gaps)| *gaps);
    let values = levels.iter().map(|&l| l.to_owned()).collect();
    Ok((
        made.into_iter().map(|(v, _)| v).collect(),
        Coordinates::OneHot {
            column: name,
            values,
        },
        gaps,
    ))
}

/// The values with gaps replaced by the mean of the rest (0 without any), and the number of gaps.
fn fill(values: &[Option<f64>]) -> (Vec<f64>, usize) {
    let known: Vec<f64> = values.iter().copied().flatten().collect();
    let mean = crate::numeric::sum(&known) / known.len().max(1) as f64;
    (
        values.iter().map(|v| v.unwrap_or(mean)).collect(),
        values.len() - known.len(),
    )
}

fn weights(table: &Table, rows: &[usize], c: usize) -> Result<Vec<f64>, ReadError> {
    let weight = |&r: &usize| {
        let value = table
            .get(r, c)
            .parse::<f64>()
            .ok()
            .filter(|w| w.is_finite() && *w > 0.0);
        value.ok_or_else(|| table.fault(r, c, "not a positive finite weight"))
    };
    rows.iter().map(weight).collect()
}
