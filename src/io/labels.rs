//! Labels files (`vertex<TAB>label`, one a line) and community files (one community a line).

use super::error::{Fault, ReadError};
use super::shown::{display, visible};
use super::source::{Budget, whole};
use super::text::{self, Separator};
use crate::graph::names::{Index, Interner, Names, Strings};
use crate::ids::{Cluster, NONE, Vertex};
use crate::labels::renumber_by_size;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::io;
use std::path::Path;
use thiserror::Error;

/// What to do with a vertex that the graph does not have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Unknown {
    /// It is an error.
    Error,
    /// Skip and count it.
    Skip,
}

/// A label for each vertex of a graph.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Labels {
    /// The label of each vertex, numbered by first appearance in the file; [`NONE`] for a vertex
    /// the file does not name.
    pub labels: Vec<Cluster>,
    /// What the file calls each label.
    pub names: Strings,
    /// Vertices of the graph that the file does not name.
    pub missing: usize,
    /// Lines about vertices that the graph does not have.
    pub unknown: usize,
}

/// The lines of a text that are neither blank nor comments: start and end.
fn lines(bytes: &[u8]) -> impl Iterator<Item = (usize, usize)> + '_ {
    super::layout::data_lines(
        bytes,
        if bytes.starts_with(&[0xef, 0xbb, 0xbf]) {
            3
        } else {
            0
        },
    )
}

/// Reads the labels of the vertices called `names`. Fields are separated by a tab, a comma, a
/// semicolon or spaces; labels may be any text.
///
/// ```
/// use lambdacut::{graph::Names, ids::NONE, io::{Unknown, read_labels}};
/// let file = tempfile::NamedTempFile::new().unwrap();
/// std::fs::write(file.path(), "# planted\n1\tred\n0\tblue\n").unwrap();
/// let read = read_labels(file.path(), &Names::numbers(3), Unknown::Error).unwrap();
/// assert_eq!((read.labels, read.missing), (vec![1, 0, NONE], 1));
/// ```
pub fn read_labels(path: &Path, names: &Names, unknown: Unknown) -> Result<Labels, ReadError> {
    read_labels_within(path, names, unknown, None)
}

/// [`read_labels`] that stops before it takes more bytes of memory than `memory_limit`.
pub fn read_labels_within(
    path: &Path,
    names: &Names,
    unknown: Unknown,
    memory_limit: Option<u64>,
) -> Result<Labels, ReadError> {
    let (file, bytes) = whole(path, memory_limit)?;
    let budget = Budget::new(memory_limit).beside(bytes.capacity());
    budget.check(&file, 4 * names.len() as u64)?;
    let index = names.index();
    let mut read = Reading {
        labels: vec![NONE; names.len()],
        known: Interner::default(),
        unknown: 0,
    };
    let mut separator = None;
    for (number, (start, end)) in lines(&bytes).enumerate() {
        let separator = *separator.get_or_insert_with(|| Separator::of(&bytes[start..end]));
        let is_first = number == 0;
        read.line(&bytes, (start, end), separator, &index, unknown, is_first)
            .map_err(|fault| fault.error(&file, &bytes, 0))?;
    }
    let Reading {
        labels,
        known,
        unknown,
    } = read;
    if known.keys.is_empty() {
        return Err(ReadError::file(
            &file,
            "no labels of vertices of this graph",
        ));
    }
    let missing = labels.iter().filter(|&&c| c == NONE).count();
    Ok(Labels {
        labels,
        names: known.keys,
        missing,
        unknown,
    })
}

struct Reading {
    labels: Vec<Cluster>,
    known: Interner<Strings>,
    unknown: usize,
}

impl Reading {
    fn line(
        &mut self,
        bytes: &[u8],
        (start, end): (usize, usize),
        separator: Separator,
        index: &Index<'_>,
        unknown: Unknown,
        is_first: bool,
    ) -> Result<(), Fault> {
        let fields = text::fields(bytes, start, end, separator)?;
        let [(at, name), (_, label)] = fields.as_slice() else {
            return Err(Fault::new(
                start,
                end - start,
                format!(
                    "expected a vertex and a label, found {} columns",
                    fields.len()
                ),
            ));
        };
        match index.get(name) {
            Some(vertex) if self.labels[vertex as usize] != NONE => {
                Err(Fault::new(*at, name.len(), "a vertex with two labels"))
            }
            Some(vertex) => {
                self.labels[vertex as usize] = self.known.intern(label);
                Ok(())
            }
            None if is_first && is_header(name) => Ok(()),
            None if unknown == Unknown::Error => Err(Fault::new(
                *at,
                name.len(),
                "a vertex that the graph does not have",
            )),
            None => {
                self.unknown += 1;
                Ok(())
            }
        }
    }
}

/// Whether the first field of a file names its column.
fn is_header(name: &str) -> bool {
    ["node", "vertex", "id", "name", "vertices", "nodes"].contains(&name.to_lowercase().as_str())
}

/// Reads overlapping communities: one a line, members separated by tabs or spaces. Members that the
/// graph does not have are counted (second value) or an error.
pub fn read_communities(
    path: &Path,
    names: &Names,
    unknown: Unknown,
) -> Result<(Vec<Vec<Vertex>>, usize), ReadError> {
    read_communities_within(path, names, unknown, None)
}

/// [`read_communities`] that stops before it takes more bytes of memory than `memory_limit`.
pub fn read_communities_within(
    path: &Path,
    names: &Names,
    unknown: Unknown,
    memory_limit: Option<u64>,
) -> Result<(Vec<Vec<Vertex>>, usize), ReadError> {
    let (file, bytes) = whole(path, memory_limit)?;
    let budget = Budget::new(memory_limit).beside(bytes.capacity());
    // A community takes 24 bytes and a member 4.
    let count = text::newlines(&bytes) + 1;
    budget.check(&file, 24 * count + 4 * text::words(&bytes) as u64)?;
    let index = names.index();
    let mut skipped = 0;
    let mut communities = Vec::with_capacity(text::newlines(&bytes) as usize);
    let separator = lines(&bytes)
        .next()
        .map_or(Separator::Space, |(start, end)| {
            Separator::of(&bytes[start..end])
        });
    for (start, end) in lines(&bytes) {
        let fail = |fault: Fault| fault.error(&file, &bytes, 0);
        let mut members = Vec::new();
        for (at, name) in text::fields(&bytes, start, end, separator).map_err(fail)? {
            match index.get(&name) {
                Some(vertex) => members.push(vertex),
                None if unknown == Unknown::Skip => skipped += 1,
                None => {
                    return Err(fail(Fault::new(
                        at,
                        name.len(),
                        "a vertex that the graph does not have",
                    )));
                }
            }
        }
        members.sort_unstable();
        members.dedup();
        if !members.is_empty() {
            communities.push(members);
        }
    }
    if communities.is_empty() {
        return Err(ReadError::file(
            &file,
            "no communities of vertices of this graph",
        ));
    }
    Ok((communities, skipped))
}

/// How labels are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum LabelsFormat {
    /// Comments, then `vertex<TAB>cluster`, one a line.
    #[default]
    Tabs,
    /// The header `vertex,cluster`, then such lines.
    Csv,
    /// `{"vertex":…,"cluster":…}`, one a line.
    JsonLines,
}

impl LabelsFormat {
    /// The format that a file name tells, an ending `.gz` or `.zst` aside: `.csv`; `.jsonl` and
    /// `.ndjson`; tabs for `.labels`, `.txt`, `.tsv` and the like, and for names without an ending.
    ///
    /// ```
    /// use lambdacut::io::LabelsFormat;
    /// assert_eq!(LabelsFormat::of_name("a.csv.gz".as_ref()), Ok(LabelsFormat::Csv));
    /// assert!(LabelsFormat::of_name("a.parquet".as_ref()).is_err());
    /// ```
    pub fn of_name(path: &Path) -> Result<Self, LabelsFormatError> {
        let packed = path.extension().is_some_and(|e| e == "gz" || e == "zst");
        let name = if packed {
            path.with_extension("")
        } else {
            path.to_owned()
        };
        let ending = name.extension().unwrap_or_default().to_string_lossy();
        match ending.to_lowercase().as_str() {
            "csv" => Ok(Self::Csv),
            "jsonl" | "ndjson" => Ok(Self::JsonLines),
            "" | "labels" | "label" | "txt" | "tsv" | "tab" | "clusters" | "communities"
            | "part" | "dat" | "out" => Ok(Self::Tabs),
            other => Err(LabelsFormatError {
                file: display(path),
                ending: visible(other),
            }),
        }
    }
}

/// The name of a file does not tell how to write labels to it.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error(
    "{file}: labels are not written as .{ending}; .labels, .txt and .tsv get tabs, .csv commas and a header, .jsonl a JSON object a line"
)]
pub struct LabelsFormatError {
    file: String,
    ending: String,
}

/// Writes a labels file, in the format that its name tells ([`LabelsFormat`]; tabs where it tells
/// none): `provenance` as comments where there can be any, then each vertex with its cluster,
/// numbered from 0 by decreasing size (ties by first vertex), isolated vertices ([`NONE`]) as clusters
/// of their own behind them.
pub fn write_labels(
    path: &Path,
    names: &Names,
    labels: &[Cluster],
    provenance: &[String],
) -> io::Result<()> {
    let format = LabelsFormat::of_name(path).unwrap_or_default();
    super::write_atomically(path, |out| {
        write_labels_to(out, format, names, labels, provenance)
    })
}

/// [`write_labels`] to any writer, as it is.
pub fn write_labels_to(
    out: &mut dyn io::Write,
    format: LabelsFormat,
    names: &Names,
    labels: &[Cluster],
    provenance: &[String],
) -> io::Result<()> {
    super::write::check_names(names)?;
    let mut labels = labels.to_vec();
    let clusters = renumber_by_size(&mut labels);
    number_isolated(&mut labels, clusters);
    match format {
        LabelsFormat::Tabs => {
            for line in provenance.iter().flat_map(|text| text.lines()) {
                writeln!(out, "# {line}")?;
            }
            write_label_lines(out, "", names, &labels)
        }
        LabelsFormat::Csv => {
            writeln!(out, "vertex,cluster")?;
            labels.iter().enumerate().try_for_each(|(i, cluster)| {
                writeln!(out, "{},{cluster}", csv_field(&names.get(i)))
            })
        }
        LabelsFormat::JsonLines => labels.iter().enumerate().try_for_each(|(i, cluster)| {
            let name = serde_json::Value::from(names.get(i));
            writeln!(out, "{{\"vertex\":{name},\"cluster\":{cluster}}}")
        }),
    }
}

/// `name` as a field of a line whose fields are separated by commas.
fn csv_field(name: &str) -> Cow<'_, str> {
    if name.contains([',', ';']) {
        Cow::Owned(text::in_quotes(name))
    } else {
        text::quote(name)
    }
}

/// Makes every isolated vertex ([`NONE`]) a cluster of its own, numbered on from `clusters`.
pub fn number_isolated(labels: &mut [Cluster], clusters: usize) {
    for (next, label) in (clusters as Cluster..).zip(labels.iter_mut().filter(|c| **c == NONE)) {
        *label = next;
    }
}

/// The lines of a labels file, numbers as they are; `prefix` stands in front of each.
pub fn write_label_lines(
    out: &mut dyn io::Write,
    prefix: &str,
    names: &Names,
    labels: &[Cluster],
) -> io::Result<()> {
    labels.iter().enumerate().try_for_each(|(i, cluster)| {
        writeln!(out, "{prefix}{}\t{cluster}", text::quote(&names.get(i)))
    })
}
