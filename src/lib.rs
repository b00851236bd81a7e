//! Clusters large sparse graphs without being told how many clusters there are.

pub mod baseline;
pub mod cluster;
pub mod fit;
pub mod generate;
pub mod graph;
pub mod ids;
pub mod io;
pub mod linalg;
pub mod metrics;
pub mod numeric;
pub mod objective;
pub mod observe;
pub mod params;
pub mod partition;
pub mod points;
pub mod report;
