//! Files: one format per file; every reader ends in raw edges and names, every writer starts from results.

mod atomic;
mod binary;
mod edge_list;
mod error;
mod labels;
mod layout;
mod load;
mod matrix_market;
mod metis;
mod names;
mod numbering;
mod source;
mod text;
mod write;

pub use atomic::write_atomically;
pub use error::ReadError;
pub use labels::{Labels, Unknown, read_communities, read_labels, write_labels};
pub use layout::IdKind;
pub use load::{Format, LoadOptions, Loaded, load};
pub use names::{Index, Names, Strings};
pub use source::sha256;
pub use write::{write_graph, write_graph_and_masses};
