//! Outputs appear whole or not at all.

use std::io::{self, BufWriter, Write};
use std::path::Path;

/// Lets `write` fill a temporary file beside `target`, syncs it and renames it; `-` is standard output.
///
/// ```
/// let dir = tempfile::tempdir().unwrap();
/// let file = dir.path().join("answer.txt");
/// lambdacut::io::write_atomically(&file, |out| writeln!(out, "42")).unwrap();
/// assert_eq!(std::fs::read_to_string(file).unwrap(), "42\n");
/// ```
pub fn write_atomically(target: &Path, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    if target == Path::new("-") {
        let mut out = BufWriter::new(io::stdout().lock());
        write(&mut out)?;
        return out.flush();
    }
    let dir = target.parent().filter(|d| !d.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut file = BufWriter::with_capacity(1 << 20, tempfile::NamedTempFile::new_in(dir)?);
    write(&mut file)?;
    let file = file.into_inner().map_err(io::IntoInnerError::into_error)?;
    file.as_file().sync_all()?;
    file.persist(target)?;
    Ok(())
}
