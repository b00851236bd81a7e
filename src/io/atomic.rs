//! Outputs appear whole or not at all.
//!
//! An output is written to a file beside its target, `.NAME.….lambdacut-part`, which is locked while
//! it grows and takes the target's place when it is whole. A process that is killed leaves such a
//! file behind, without its lock: the next one that writes the same target removes it.

use super::compression::Compression;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// How the names of unfinished outputs end.
const UNFINISHED: &str = ".lambdacut-part";

/// Links followed before they count as a ring.
const MOST_LINKS: usize = 40;

/// Lets `write` fill a temporary file beside `target`, syncs it and renames it; `-` is standard
/// output. A target called `….gz` or `….zst` is compressed. Where the target is a link, the file that
/// it points to is written; a file that is there already keeps its permissions.
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
        let mut out = BufWriter::new(fs::OpenOptions::new().write(true).open(target)?);
        write(&mut out)?;
        return out.flush();
    }
    let place = followed(target)?;
    let file = unfinished(&place)?;
    let mut out = BufWriter::with_capacity(1 << 20, file);
    Compression::of_name(target).encode(&mut out, write)?;
    let file = out.into_inner().map_err(io::IntoInnerError::into_error)?;
    file.as_file().sync_all()?;
    file.persist(place)?;
    Ok(())
}

/// The file that a path leads to, whether it is there or not.
fn followed(target: &Path) -> io::Result<PathBuf> {
    let mut place = target.to_owned();
    for _ in 0..MOST_LINKS {
        let is_link = fs::symlink_metadata(&place).is_ok_and(|meta| meta.is_symlink());
        if !is_link {
            return Ok(place);
        }
        let to = fs::read_link(&place)?;
        // A relative link starts where it stands; an absolute one replaces the whole path.
        place = place.parent().unwrap_or(Path::new("")).join(to);
    }
    Err(io::Error::other("too many links, one to the next"))
}

/// A new locked file beside `place`, with its permissions if it is there, otherwise with those of any
/// other new file.
fn unfinished(place: &Path) -> io::Result<NamedTempFile> {
    let dir = place.parent().filter(|dir| !dir.as_os_str().is_empty());
    let dir = dir.unwrap_or(Path::new("."));
    let name = place.file_name().unwrap_or_default().to_string_lossy();
    // Names of files have at most 255 bytes.
    let prefix: String = format!(".{name}.").chars().take(50).collect();
    remove_left_behind(dir, &prefix);
    let mut builder = tempfile::Builder::new();
    builder.prefix(&prefix).suffix(UNFINISHED);
    let present = fs::metadata(place).ok();
    #[cfg(unix)]
    let usual = {
        use std::os::unix::fs::PermissionsExt;
        fs::Permissions::from_mode(0o666)
    };
    #[cfg(unix)]
    if present.is_none() {
        builder.permissions(usual);
    }
    let file = builder.tempfile_in(dir)?;
    // Where files cannot be locked, none is taken for left behind either.
    let _ = file.as_file().try_lock();
    if let Some(present) = present {
        file.as_file().set_permissions(present.permissions())?;
    }
    Ok(file)
}

/// Removes unfinished files of this prefix that no process holds. What cannot be removed stays.
fn remove_left_behind(dir: &Path, prefix: &str) {
    let Ok(entries) = fs::read_dir(dir) else {
        return;
    };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        let is_file = entry.file_type().is_ok_and(|kind| kind.is_file());
        if !is_file || !name.starts_with(prefix) || !name.ends_with(UNFINISHED) {
            continue;
        }
        let free = File::open(entry.path()).is_ok_and(|file| file.try_lock().is_ok());
        if free {
            let _ = fs::remove_file(entry.path());
        }
    }
}
