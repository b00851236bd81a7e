//! The algorithms, one a file.

pub mod anneal;
mod connect;
mod dissolve;
pub mod effort;
pub mod history;
pub mod hull;
pub mod moves;
pub mod path;
pub mod repair;
pub mod state;
