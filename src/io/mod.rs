//! Files: one format per file; every reader ends in raw edges and names, every writer starts from results.

mod atomic;

pub use atomic::write_atomically;
