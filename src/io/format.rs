//! Which format a file has: told by its first bytes, otherwise by its name.
//!
//! A file that is none of ours is refused rather than taken for an edge list; where it is plain what
//! it is, the message says so.

use super::shown::{display, visible};
use serde::{Deserialize, Serialize};
use std::path::Path;
use thiserror::Error;

/// The formats of graphs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Format {
    /// `source target [weight]`, one a line.
    EdgeList,
    /// METIS `.graph`.
    Metis,
    /// Matrix Market `.mtx`.
    MatrixMarket,
    /// The own binary format, `.lcut`.
    Binary,
}

/// Why neither name nor content of a file tell a format that is understood.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum FormatError {
    /// The ending of the name is not known.
    #[error(
        "{file}: the ending .{ending} tells no format; edge lists end in .edges, .txt, .csv, .tsv or nothing, others in .graph, .metis, .mtx, .lcut"
    )]
    Unknown {
        /// The file.
        file: String,
        /// How its name ends.
        ending: String,
    },
    /// It is a format of other programs.
    #[error("{file}: this is {what}, which is not understood; {instead}")]
    Foreign {
        /// The file.
        file: String,
        /// What it is.
        what: &'static str,
        /// How to make something of it that is.
        instead: &'static str,
    },
}

/// The first bytes of every file in the own binary format.
pub(super) const MAGIC: [u8; 8] = *b"LAMBDCUT";

/// The start of every Matrix Market file.
pub(super) const BANNER: &[u8] = b"%%MatrixMarket";

/// How the names of edge lists end.
const EDGE_LISTS: [&str; 13] = [
    "edges", "edgelist", "edge", "el", "wel", "txt", "csv", "tsv", "tab", "dat", "ncol", "links",
    "list",
];

const AS_EDGES: &str = "write its edges as text, one `source target weight` a line";
const AS_MATRIX: &str = "write it as Matrix Market (scipy.io.mmwrite)";

/// Endings of other programs' files, and what those are.
const FOREIGN: [(&str, &str, &str); 23] = [
    ("graphml", "GraphML", AS_EDGES),
    ("gexf", "GEXF", AS_EDGES),
    ("gml", "GML", AS_EDGES),
    ("net", "a Pajek network", AS_EDGES),
    ("paj", "a Pajek project", AS_EDGES),
    ("clu", "a Pajek partition", AS_EDGES),
    ("dot", "a Graphviz graph", AS_EDGES),
    ("gv", "a Graphviz graph", AS_EDGES),
    ("json", "JSON", AS_EDGES),
    ("jsonl", "JSON lines", AS_EDGES),
    ("xml", "XML", AS_EDGES),
    ("parquet", "Parquet", AS_EDGES),
    ("arrow", "Arrow", AS_EDGES),
    ("feather", "Arrow", AS_EDGES),
    ("xlsx", "a spreadsheet", "save the sheet as CSV"),
    ("xls", "a spreadsheet", "save the sheet as CSV"),
    ("ods", "a spreadsheet", "save the sheet as CSV"),
    ("npz", "a NumPy archive", AS_MATRIX),
    ("npy", "a NumPy array", AS_MATRIX),
    ("mat", "a MATLAB file", AS_MATRIX),
    ("h5", "HDF5", AS_EDGES),
    ("zip", "a ZIP archive", "unpack it"),
    ("properties", "the properties of a WebGraph", AS_EDGES),
];

/// First bytes of other programs' files, and the ending of their names.
const FOREIGN_STARTS: [(&[u8], &str); 10] = [
    (b"PAR1", "parquet"),
    (b"ARROW1", "arrow"),
    (b"PK\x03\x04", "zip"),
    (b"\x93NUMPY", "npy"),
    (b"\x89HDF", "h5"),
    (b"MATLAB", "mat"),
    (b"*vertices", "net"),
    (b"graph [", "gml"),
    (b"graph\n[", "gml"),
    (b"{", "json"),
];

impl Format {
    /// The format that a file name tells, an ending `.gz` or `.zst` aside: `.graph` and `.metis`,
    /// `.mtx`, `.lcut`; `.edges`, `.txt`, `.csv`, `.tsv` and the like, and names without an ending,
    /// are edge lists.
    ///
    /// ```
    /// use lambdacut::io::Format;
    /// assert_eq!(Format::of_name("web.graph.gz".as_ref()), Ok(Format::Metis));
    /// assert_eq!(Format::of_name("web.txt".as_ref()), Ok(Format::EdgeList));
    /// assert!(Format::of_name("web.gexf".as_ref()).is_err());
    /// ```
    pub fn of_name(path: &Path) -> Result<Self, FormatError> {
        let packed = path.extension().is_some_and(|e| e == "gz" || e == "zst");
        let name = if packed {
            path.with_extension("")
        } else {
            path.to_owned()
        };
        let Some(ending) = name.extension() else {
            return Ok(Self::EdgeList);
        };
        let ending = ending.to_string_lossy().to_lowercase();
        match ending.as_str() {
            "graph" | "metis" => Ok(Self::Metis),
            "mtx" => Ok(Self::MatrixMarket),
            "lcut" => Ok(Self::Binary),
            known if EDGE_LISTS.contains(&known) => Ok(Self::EdgeList),
            other => Err(refused(path, other)),
        }
    }

    /// The format that the first bytes tell, otherwise that of the name.
    pub(super) fn of(path: &Path, start: &[u8]) -> Result<Self, FormatError> {
        if start.starts_with(&MAGIC) {
            return Ok(Self::Binary);
        }
        if start.starts_with(BANNER) {
            return Ok(Self::MatrixMarket);
        }
        if let Some(ending) = foreign_content(start) {
            return Err(refused(path, ending));
        }
        match Self::of_name(path) {
            // KONECT calls its edge lists out.NAME.
            Err(FormatError::Unknown { .. })
                if path.file_stem().is_some_and(|stem| stem == "out") =>
            {
                Ok(Self::EdgeList)
            }
            told => told,
        }
    }
}

/// The error for a name that ends in `.ending`.
fn refused(path: &Path, ending: &str) -> FormatError {
    let file = display(path);
    match FOREIGN.iter().find(|(known, ..)| *known == ending) {
        Some(&(_, what, instead)) => FormatError::Foreign {
            file,
            what,
            instead,
        },
        None => FormatError::Unknown {
            file,
            ending: visible(ending),
        },
    }
}

/// The usual ending of a file of another program that starts like this.
fn foreign_content(start: &[u8]) -> Option<&'static str> {
    let text = start.strip_prefix(&[0xef, 0xbb, 0xbf]).unwrap_or(start);
    let text = text.trim_ascii_start();
    let head = String::from_utf8_lossy(&text[..text.len().min(1000)]).to_lowercase();
    // A vertex may be called `<b>`: only what documents begin with is beyond doubt.
    let xml = ["<?xml", "<!doctype", "<graphml", "<gexf", "<html"];
    if xml.iter().any(|start| head.starts_with(start)) {
        let tag = ["graphml", "gexf"]
            .into_iter()
            .find(|tag| head.contains(&format!("<{tag}")));
        return Some(tag.unwrap_or("xml"));
    }
    let starts_with = |known: &[u8]| {
        text.get(..known.len())
            .is_some_and(|head| head.eq_ignore_ascii_case(known))
    };
    FOREIGN_STARTS
        .iter()
        .find(|(known, _)| starts_with(known))
        .map(|(_, ending)| *ending)
}
