//! The `.npy` format of numpy, versions 1 to 3: one array of numbers in little-endian order.

use super::atomic::write_atomically;
use super::error::ReadError;
use super::shown::visible;
use super::source::{Budget, whole};
use crate::points::Points;
use std::io;
use std::path::Path;

const MAGIC: &[u8] = b"\x93NUMPY";

/// Reads a one- or two-dimensional array of floats or integers as points, one a row. C and Fortran
/// order are understood.
pub fn read_npy(path: &Path) -> Result<Points, ReadError> {
    read_npy_within(path, None)
}

/// [`read_npy`] that stops before it takes more bytes of memory than `memory_limit`.
pub fn read_npy_within(path: &Path, memory_limit: Option<u64>) -> Result<Points, ReadError> {
    let (file, bytes) = whole(path, memory_limit)?;
    let wrong = |what: String| ReadError::file(&file, what);
    let (header, data) = split(&bytes).map_err(|what| wrong(what.to_owned()))?;
    let layout = Layout::of(header).map_err(wrong)?;
    // Values become 8 bytes each; Fortran order is turned in a second array.
    let numbers = (layout.rows as u64)
        .saturating_mul(layout.columns as u64)
        .saturating_mul(16);
    let budget = Budget::new(memory_limit).beside(bytes.capacity());
    budget.check(&file, numbers)?;
    let values = layout.values(data).map_err(wrong)?;
    Points::new(layout.columns, values).map_err(|error| wrong(error.to_string()))
}

/// Writes an array of `rows × columns` numbers (`float64`, C order, version 1), row by row:
/// `fill(i, row)` puts the values of row `i` into a row of zeros. Only one row is in memory.
///
/// ```
/// let dir = tempfile::tempdir().unwrap();
/// let file = dir.path().join("a.npy");
/// lambdacut::io::write_npy(&file, 2, 3, |i, row| row[i] = 1.0).unwrap();
/// assert_eq!(std::fs::metadata(file).unwrap().len(), 128 + 8 * 6);
/// ```
pub fn write_npy(
    path: &Path,
    rows: usize,
    columns: usize,
    mut fill: impl FnMut(usize, &mut [f64]),
) -> io::Result<()> {
    let mut header =
        format!("{{'descr': '<f8', 'fortran_order': False, 'shape': ({rows}, {columns}), }}");
    // The data start at a multiple of 64 bytes, after magic, version and length (10 bytes) and the
    // line break.
    let padding = (64 - (10 + header.len() + 1) % 64) % 64;
    header.extend(std::iter::repeat_n(' ', padding));
    header.push('\n');
    write_atomically(path, |out| {
        out.write_all(MAGIC)?;
        out.write_all(&[1, 0])?;
        out.write_all(&(header.len() as u16).to_le_bytes())?;
        out.write_all(header.as_bytes())?;
        let mut row = vec![0.0; columns];
        for i in 0..rows {
            row.fill(0.0);
            fill(i, &mut row);
            row.iter()
                .try_for_each(|value| out.write_all(&value.to_le_bytes()))?;
        }
        Ok(())
    })
}

/// The header's text and the bytes behind it.
fn split(bytes: &[u8]) -> Result<(&str, &[u8]), &'static str> {
    let truncated = "the .npy header is truncated";
    let rest = bytes
        .strip_prefix(MAGIC)
        .ok_or("this is no .npy file: it does not start with \\x93NUMPY")?;
    let (&major, rest) = rest.split_first().ok_or(truncated)?;
    let rest = rest.get(1..).ok_or(truncated)?;
    let (length, rest) = match major {
        1 => rest
            .split_first_chunk::<2>()
            .map(|(l, r)| (u16::from_le_bytes(*l) as usize, r))
            .ok_or(truncated)?,
        2 | 3 => rest
            .split_first_chunk::<4>()
            .map(|(l, r)| (u32::from_le_bytes(*l) as usize, r))
            .ok_or(truncated)?,
        _ => return Err("a version of .npy later than 3"),
    };
    let (header, data) = rest.split_at_checked(length).ok_or(truncated)?;
    Ok((
        std::str::from_utf8(header).map_err(|_| "the .npy header is not text")?,
        data,
    ))
}

struct Layout {
    kind: String,
    fortran: bool,
    rows: usize,
    columns: usize,
}

/// The text of a value in the header's dictionary, up to its end.
fn entry<'a>(header: &'a str, key: &str) -> Result<&'a str, String> {
    let at = header
        .find(&format!("'{key}'"))
        .ok_or_else(|| format!("the .npy header has no {key:?}"))?;
    Ok(header[at + key.len() + 2..].trim_start_matches([' ', ':']))
}

impl Layout {
    fn of(header: &str) -> Result<Self, String> {
        let kind = entry(header, "descr")?
            .trim_start_matches('\'')
            .split('\'')
            .next()
            .unwrap_or("")
            .to_owned();
        let fortran = entry(header, "fortran_order")?.starts_with("True");
        let shape = entry(header, "shape")?;
        let inside = shape
            .strip_prefix('(')
            .and_then(|s| s.split(')').next())
            .ok_or("the .npy header has no shape")?;
        let sizes = inside
            .split(',')
            .map(str::trim)
            .filter(|s| !s.is_empty())
            .map(str::parse);
        let sizes: Vec<usize> = sizes
            .collect::<Result<_, _>>()
            .map_err(|_| format!("not a shape: ({})", visible(inside)))?;
        match sizes[..] {
            [rows] => Ok(Self {
                kind,
                fortran,
                rows,
                columns: 1,
            }),
            [rows, columns] if columns > 0 => Ok(Self {
                kind,
                fortran,
                rows,
                columns,
            }),
            _ => Err(format!(
                "an array of shape ({}) is not a list of points",
                visible(inside)
            )),
        }
    }

    /// All values as rows.
    fn values(&self, data: &[u8]) -> Result<Vec<f64>, String> {
        let count = self
            .rows
            .checked_mul(self.columns)
            .ok_or("the shape is too large")?;
        let flat = match self.kind.trim_start_matches(['<', '|', '=']) {
            "f8" => numbers(data, count, f64::from_le_bytes),
            "f4" => numbers(data, count, |b| f64::from(f32::from_le_bytes(b))),
            "i8" => numbers(data, count, |b| i64::from_le_bytes(b) as f64),
            "i4" => numbers(data, count, |b| f64::from(i32::from_le_bytes(b))),
            "i2" => numbers(data, count, |b| f64::from(i16::from_le_bytes(b))),
            "u8" => numbers(data, count, |b| u64::from_le_bytes(b) as f64),
            "u4" => numbers(data, count, |b| f64::from(u32::from_le_bytes(b))),
            "u2" => numbers(data, count, |b| f64::from(u16::from_le_bytes(b))),
            "i1" => numbers(data, count, |b: [u8; 1]| f64::from(b[0].cast_signed())),
            "u1" | "b1" => numbers(data, count, |b: [u8; 1]| f64::from(b[0])),
            other => {
                return Err(format!(
                    "values of type {other:?} are not understood (little-endian floats and integers are)"
                ));
            }
        };
        let flat = flat.ok_or_else(|| {
            format!(
                "{} bytes of data do not hold {} × {} values",
                data.len(),
                self.rows,
                self.columns
            )
        })?;
        if !self.fortran || self.columns == 1 {
            return Ok(flat);
        }
        Ok((0..count)
            .map(|at| flat[(at % self.columns) * self.rows + at / self.columns])
            .collect())
    }
}

fn numbers<const N: usize>(
    data: &[u8],
    count: usize,
    value: impl Fn([u8; N]) -> f64,
) -> Option<Vec<f64>> {
    let (items, rest) = data.as_chunks::<N>();
    (items.len() == count && rest.is_empty()).then(|| items.iter().map(|&b| value(b)).collect())
}
