//! The layout of an edge list, told by its first lines.

use super::error::{Fault, Remedy};
use super::header::{self, Header, Line};
use super::layout::{
    IdKind, Layout, MOST_COLUMNS, Places, Settings, Weights, data_lines, with_point,
};
use super::reading::{Columns, EdgeListReading};
use super::text::{self, Separator};

/// Data lines that are looked at to decide.
const SAMPLE: usize = 64;

/// What the first lines of an edge list tell.
pub(super) struct Detected {
    pub layout: Layout,
    pub reading: EdgeListReading,
    /// Where the data start.
    pub data: usize,
    /// Where the header starts and ends, if vertices of these names would cast doubt on it.
    pub doubt: Option<([String; 2], (usize, usize))>,
}

/// The layout of a text; `None` if there is no data.
pub(super) fn detect(
    block: &[u8],
    from: usize,
    settings: Settings<'_>,
) -> Result<Option<Detected>, Fault> {
    let sample: Vec<(usize, usize)> = data_lines(block, from).take(SAMPLE).collect();
    let Some((&(start, end), below)) = sample.split_first() else {
        return Ok(None);
    };
    let separator = Separator::of(&block[start..end]);
    let first = text::fields_up_to(block, start, end, separator, MOST_COLUMNS)?;
    let below: Vec<Line<'_>> = below
        .iter()
        .filter_map(|&(s, e)| text::fields_up_to(block, s, e, separator, MOST_COLUMNS).ok())
        .collect();
    let header = match settings.header {
        Some(true) => Header::Certain,
        Some(false) => Header::Absent,
        None if settings.columns.need_header() => Header::Certain,
        None => header::header(block, &first, &below),
    };
    let has_header = header != Header::Absent;
    let data_line = if has_header {
        sample.get(1)
    } else {
        sample.first()
    };
    let Some(&data_line) = data_line else {
        return Err(Fault::new(start, end - start, "a header row without data")
            .with_remedy(Remedy::SayHeader));
    };
    let doubt = match header {
        Header::Named(s, t) => {
            let names = [s, t].map(|column| first[column].1.clone().into_owned());
            Some((names, (start, end)))
        }
        Header::Absent | Header::Certain => None,
    };
    let konect = [&b"% sym"[..], b"% asym", b"% bip"]
        .iter()
        .any(|known| block[from..].starts_with(known));
    let mut rows = below;
    let names: Option<Vec<String>> = if has_header {
        Some(
            first
                .iter()
                .map(|field| field.1.clone().into_owned())
                .collect(),
        )
    } else {
        rows.insert(0, first);
        None
    };
    let find = Find {
        columns: settings.columns,
        names: names.as_deref(),
        konect,
        line: if has_header { (start, end) } else { data_line },
    };
    let width = text::fields_up_to(block, data_line.0, data_line.1, separator, MOST_COLUMNS)?.len();
    let places = find.places(width)?;
    let detected = laid_out(block, &rows, separator, places, settings);
    let reading = detected.reading(names.as_deref());
    Ok(Some(Detected {
        layout: detected,
        reading,
        data: data_line.0,
        doubt,
    }))
}

/// The layout of data lines whose columns are known.
fn laid_out(
    block: &[u8],
    rows: &[Line<'_>],
    separator: Separator,
    places: Places,
    settings: Settings<'_>,
) -> Layout {
    let integers = |line: &&Line<'_>| {
        let id = |column: usize| {
            line.get(column)
                .is_some_and(|f| header::is_integer(block, f))
        };
        id(places.source) && id(places.target)
    };
    let names = match settings.ids {
        IdKind::Integer => false,
        IdKind::Name => true,
        IdKind::Auto => 2 * rows.iter().filter(integers).count() < rows.len(),
    };
    let weighted = places.weight.is_some();
    let is_plain = places == Places::plain(weighted);
    // Between integers a tab is a blank like any other.
    let separator = if !names && is_plain && separator == Separator::Tab {
        Separator::Space
    } else {
        separator
    };
    let has_comma = |line: &Line<'_>| {
        let weight = places.weight.and_then(|column| line.get(column));
        weight.is_some_and(|field| with_point(field.1.as_bytes()).is_some())
    };
    Layout {
        separator,
        weights: if weighted {
            Weights::present(settings.unweighted)
        } else {
            Weights::Absent
        },
        names,
        bounds: None,
        places,
        decimal_comma: separator == Separator::Semicolon && rows.iter().any(has_comma),
    }
}

/// Finds the columns of an edge list.
struct Find<'a> {
    /// What was asked for.
    columns: &'a Columns,
    /// The names in the header, if there is one.
    names: Option<&'a [String]>,
    /// A list of the KONECT collection: the third column is a weight, the fourth a time.
    konect: bool,
    /// Where the line starts and ends that names the columns.
    line: (usize, usize),
}

impl Find<'_> {
    fn fault(&self, what: String) -> Fault {
        Fault::new(self.line.0, self.line.1 - self.line.0, what).with_remedy(Remedy::NameColumns)
    }

    /// The column called `wanted`, or of that number from 1.
    fn column(&self, wanted: &str, columns: usize) -> Result<usize, Fault> {
        let by_name = self
            .names
            .and_then(|names| names.iter().position(|name| name == wanted));
        let by_number = || wanted.parse::<usize>().ok()?.checked_sub(1);
        match by_name.or_else(by_number) {
            Some(column) if column < columns => Ok(column),
            _ => Err(self.fault(format!(
                "there is no column {wanted:?} among the {columns} of this line"
            ))),
        }
    }

    /// The places in lines of so many columns.
    fn places(&self, columns: usize) -> Result<Places, Fault> {
        if columns < 2 {
            return Err(self.fault(format!("expected 2 or 3 columns, found {columns}")));
        }
        let wanted = self.columns;
        let (source, target) = match (&wanted.source, &wanted.target) {
            (Some(source), Some(target)) => {
                (self.column(source, columns)?, self.column(target, columns)?)
            }
            (None, None) => self.ends(columns)?,
            _ => {
                return Err(self.fault(
                    "the column of one end is named: that of the other must be, too".to_owned(),
                ));
            }
        };
        let weight = match &wanted.weight {
            Some(weight) => Some(self.column(weight, columns)?),
            None => self.weight(source, target, columns),
        };
        if source == target || weight == Some(source) || weight == Some(target) {
            return Err(self.fault("one column cannot be two things".to_owned()));
        }
        Ok(Places {
            source,
            target,
            weight,
            columns,
        })
    }

    /// The ends, when they are not named: by usual names, or the first two columns.
    fn ends(&self, columns: usize) -> Result<(usize, usize), Fault> {
        let names: Option<Vec<&str>> = self
            .names
            .map(|names| names.iter().map(String::as_str).take(columns).collect());
        let named = names.and_then(|names| header::ends_among(&names, true));
        match named {
            Some(ends) => Ok(ends),
            None if columns <= 3 || (self.konect && columns == 4) => Ok((0, 1)),
            None => Err(self.fault(format!(
                "expected 2 or 3 columns, found {columns}, and no two are called like the ends of an edge"
            ))),
        }
    }

    /// The weight, when it is not named: by usual names, or what is left of three columns.
    fn weight(&self, source: usize, target: usize, columns: usize) -> Option<usize> {
        let is_end = |column: usize| column == source || column == target;
        let others = (0..columns).filter(|&column| !is_end(column));
        if let Some(names) = self.names {
            let mut weights = others
                .clone()
                .filter(|&column| names.get(column).is_some_and(|n| header::names_weight(n)));
            if let (Some(weight), None) = (weights.next(), weights.next()) {
                return Some(weight);
            }
        }
        let (Some(other), last) = (others.clone().next(), others.clone().nth(1)) else {
            return None;
        };
        let known_other = self
            .names
            .and_then(|names| names.get(other))
            .is_some_and(|name| header::names_other(name));
        (!known_other && (last.is_none() || self.konect)).then_some(other)
    }
}
