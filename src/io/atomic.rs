//! Outputs appear whole or not at all.

use super::compression::Compression;
use std::io::{self, BufWriter, Write};
use std::path::Path;

/// Lets `write` fill a temporary file beside `target`, syncs it and renames it; `-` is standard
/// output. A target called `….gz` or `….zst` is compressed.
///
/// ```
/// let dir = tempfile::tempdir().unwrap();
/// let file = dir.path().join("answer.txt");
/// lambdacut::io::write_atomically(&file, |out| writeln!(out, "42")).unwrap();
/// assert_eq!(std::fs::read_to_string(file).unwrap(), "42\n");
/// ```
pub fn write_atomically(
    target: &Path,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    if target == Path::new("-") {
        let mut out = BufWriter::new(io::stdout().lock());
        write(&mut out)?;
        return out.flush();
    }
    if target.exists() && !target.is_file() {
        // A device or a pipe is written to; renaming would put a file in its place.
        let mut out = BufWriter::new(std::fs::OpenOptions::new().write(true).open(target)?);
        write(&mut out)?;
        return out.flush();
    }
    let dir = target
        .parent()
        .filter(|d| !d.as_os_str().is_empty())
        .unwrap_or(Path::new("."));
    let mut file = BufWriter::with_capacity(1 << 20, temporary(dir)?);
    Compression::of_name(target).encode(&mut file, write)?;
    let file = file.into_inner().map_err(io::IntoInnerError::into_error)?;
    file.as_file().sync_all()?;
    file.persist(target)?;
    Ok(())
}

/// A temporary file with the permissions of any other new file (temporary files are private by
/// default).
fn temporary(dir: &Path) -> io::Result<tempfile::NamedTempFile> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let usual = std::fs::Permissions::from_mode(0o666);
        tempfile::Builder::new().permissions(usual).tempfile_in(dir)
    }
    #[cfg(not(unix))]
    tempfile::NamedTempFile::new_in(dir)
}
