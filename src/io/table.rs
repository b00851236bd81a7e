//! Tables of text: CSV, TSV, semicolons or spaces; with or without a header row.

use super::error::{Fault, ReadError, Remedy};
use super::layout::data_lines;
use super::shown::visible;
use super::source::{Budget, whole};
use super::text::{self, Separator};
use std::collections::HashSet;
use std::path::Path;

/// Rows compared with the first one to tell whether it is a header.
const SAMPLE: usize = 1000;

/// A table as read: every cell is text.
///
/// Memory: the text of the cells and 8 bytes a cell.
#[derive(Debug, Clone)]
pub struct Table {
    /// How messages call the file.
    pub file: String,
    /// What the columns are called; `column 1`, … without a header.
    pub names: Vec<String>,
    /// Whether the file had a header row.
    pub header: bool,
    text: String,
    ends: Vec<usize>,
    lines: Vec<u64>,
}

/// Whether a cell says that its value is missing: empty, `?`, `NA`, `N/A`, `NaN`, `null`.
pub fn is_missing(cell: &str) -> bool {
    cell.is_empty()
        || cell == "?"
        || ["na", "n/a", "nan", "null"]
            .iter()
            .any(|word| cell.eq_ignore_ascii_case(word))
}

fn is_number(cell: &str) -> bool {
    cell.parse::<f64>().is_ok()
}

impl Table {
    /// The number of rows, the header aside.
    pub fn rows(&self) -> usize {
        self.lines.len()
    }

    /// The number of columns.
    pub fn columns(&self) -> usize {
        self.names.len()
    }

    /// The cell in `row` and `column`, both from 0.
    pub fn get(&self, row: usize, column: usize) -> &str {
        let at = row * self.columns() + column;
        let start = if at == 0 { 0 } else { self.ends[at - 1] };
        &self.text[start..self.ends[at]]
    }

    /// The line of the file on which `row` stands, from 1.
    pub fn line(&self, row: usize) -> u64 {
        self.lines[row]
    }

    /// The column called `name`; a number counts columns from 1 where no column has that name.
    pub fn column(&self, name: &str) -> Result<usize, ReadError> {
        let by_name = self.names.iter().position(|n| n == name);
        let by_number = || {
            name.parse::<usize>()
                .ok()?
                .checked_sub(1)
                .filter(|&c| c < self.columns())
        };
        by_name.or_else(by_number).ok_or_else(|| {
            let names: Vec<String> = self.names.iter().map(|n| visible(n)).take(20).collect();
            ReadError::file(
                &self.file,
                format!(
                    "there is no column {name:?}; the columns are {}",
                    names.join(", ")
                ),
            )
        })
    }

    /// The error for a cell.
    pub(super) fn fault(&self, row: usize, column: usize, what: &str) -> ReadError {
        let what = format!(
            "line {}, column {:?}: {what}: {:?}",
            self.line(row),
            self.names[column],
            self.get(row, column)
        );
        ReadError::file(&self.file, what)
    }

    fn push(&mut self, fields: &[text::Field<'_>], line: u64) {
        for (_, field) in fields {
            self.text.push_str(field);
            self.ends.push(self.text.len());
        }
        self.lines.push(line);
    }
}

/// Reads a table. The first line tells the separator (tab, comma, semicolon, otherwise spaces);
/// lines starting with `#` or `%` and blank lines are skipped. Without `header` the first row
/// counts as one when none of its cells is a number or missing, and below it some cell of the
/// second row is a number or no cell of the first row comes back in its column.
///
/// ```
/// let file = tempfile::NamedTempFile::new().unwrap();
/// std::fs::write(file.path(), "width,colour\n1.5,red\n2,blue\n").unwrap();
/// let table = lambdacut::io::read_table(file.path(), None).unwrap();
/// assert_eq!((table.rows(), table.columns(), table.get(1, 1)), (2, 2, "blue"));
/// assert_eq!(table.column("colour").unwrap(), 1);
/// ```
pub fn read_table(path: &Path, header: Option<bool>) -> Result<Table, ReadError> {
    read_table_within(path, header, None)
}

/// [`read_table`] that stops before it takes more bytes of memory than `memory_limit`.
pub fn read_table_within(
    path: &Path,
    header: Option<bool>,
    memory_limit: Option<u64>,
) -> Result<Table, ReadError> {
    let (file, bytes) = whole(path, memory_limit)?;
    // Beside the text itself: a copy of it, 8 bytes a cell and 8 a line.
    let is_end = |byte: &&u8| matches!(byte, b',' | b';' | b'\t' | b' ' | b'\n');
    let cells = bytes.iter().filter(is_end).count() + 1;
    let table = bytes.len() + 16 * cells;
    let budget = Budget::new(memory_limit).beside(bytes.capacity());
    budget.check(&file, table as u64)?;
    parse_table(&file, &bytes, header)
}

/// The table in `bytes`; messages call it `file`. See [`read_table`].
pub fn parse_table(file: &str, bytes: &[u8], header: Option<bool>) -> Result<Table, ReadError> {
    let file = file.to_owned();
    let mark = if bytes.starts_with(&[0xef, 0xbb, 0xbf]) {
        3
    } else {
        0
    };
    let mut lines = data_lines(bytes, mark).peekable();
    let Some(&(start, end)) = lines.peek() else {
        return Err(ReadError::file(&file, "there is no data"));
    };
    let separator = Separator::of(&bytes[start..end]);
    let mut table = Table {
        file,
        names: Vec::new(),
        header: false,
        text: String::new(),
        ends: Vec::new(),
        lines: Vec::new(),
    };
    let (mut line, mut counted) = (1, 0);
    for (start, end) in lines {
        line += text::newlines(&bytes[counted..start]);
        counted = start;
        let fields = text::fields(bytes, start, end, separator)
            .map_err(|fault| fault.error(&table.file, bytes, 0))?;
        if table.names.is_empty() {
            table.names = (1..=fields.len()).map(|c| format!("column {c}")).collect();
        }
        if fields.len() != table.columns() {
            let what = format!(
                "{} columns where {} are expected",
                fields.len(),
                table.columns()
            );
            return Err(Fault::new(start, end - start, what).error(&table.file, bytes, 0));
        }
        table.push(&fields, line);
    }
    if header.unwrap_or_else(|| looks_like_header(&table)) {
        take_header(table)
    } else {
        Ok(table)
    }
}

fn looks_like_header(table: &Table) -> bool {
    let columns = 0..table.columns();
    let first: Vec<&str> = columns.clone().map(|c| table.get(0, c)).collect();
    if first.iter().any(|cell| is_missing(cell) || is_number(cell))
        || first.iter().collect::<HashSet<_>>().len() < first.len()
    {
        return false;
    }
    let numbers_below = table.rows() > 1 && columns.clone().any(|c| is_number(table.get(1, c)));
    let comes_back = |c: usize| (1..table.rows().min(SAMPLE)).any(|r| table.get(r, c) == first[c]);
    numbers_below || !columns.clone().any(comes_back)
}

/// Turns the first row into names.
fn take_header(mut table: Table) -> Result<Table, ReadError> {
    if table.rows() < 2 {
        return Err(
            ReadError::file(&table.file, "there is a header row but no data")
                .with_remedy(Remedy::SayHeader),
        );
    }
    table.names = (0..table.columns())
        .map(|c| table.get(0, c).to_owned())
        .collect();
    if let Some(twice) = table
        .names
        .iter()
        .enumerate()
        .find(|(c, name)| table.names[..*c].contains(name))
    {
        return Err(ReadError::file(
            &table.file,
            format!("two columns are called {:?}", twice.1),
        ));
    }
    let skipped = table.ends[table.columns() - 1];
    table.text.drain(..skipped);
    table.ends.drain(..table.columns());
    table.ends.iter_mut().for_each(|end| *end -= skipped);
    table.lines.remove(0);
    table.header = true;
    Ok(table)
}
