//! Where the tests of the program find things.

use std::path::{Path, PathBuf};

/// The project's root directory.
pub fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}

/// The directory of the real graphs and tables (`$LAMBDACUT_DATA`, or `../shared/data`), or a word
/// about skipping.
pub fn data() -> Option<PathBuf> {
    let given = std::env::var_os("LAMBDACUT_DATA").map(PathBuf::from);
    let dir = given.unwrap_or_else(|| root().join("../shared/data"));
    if dir.is_dir() {
        return Some(dir);
    }
    eprintln!("SKIPPED: no real data (set LAMBDACUT_DATA to a directory with graphs/ and uci/)");
    None
}
