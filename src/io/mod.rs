//! Files: one format per file; every reader ends in raw edges and names, every writer starts from
//! results.

mod atomic;
mod binary;
mod compression;
mod dataset;
mod detect;
mod edge_list;
mod error;
mod format;
mod header;
mod labels;
mod layout;
mod lines;
mod load;
mod matrix_market;
mod metis;
mod npy;
mod numbering;
mod options;
mod reading;
mod shown;
mod source;
mod table;
mod text;
mod write;

pub use atomic::write_atomically;
pub use dataset::{Classes, Coordinates, Dataset, Missing, Roles, dataset};
pub use error::{ReadError, Remedy};
pub use format::{Format, FormatError};
pub use labels::{
    Labels, LabelsFormat, LabelsFormatError, Unknown, number_isolated, read_communities,
    read_communities_within, read_labels, read_labels_within, write_label_lines, write_labels,
    write_labels_to,
};
pub use layout::IdKind;
pub use load::load;
pub use npy::{read_npy, read_npy_within, write_npy};
pub use options::{LoadOptions, Loaded};
pub use reading::{Columns, EdgeListReading, Reading};
pub use source::sha256;
pub use table::{Table, is_missing, parse_table, read_table, read_table_within};
pub use write::{write_graph, write_graph_and_masses, write_graph_to};
