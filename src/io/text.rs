//! Numbers and fields out of bytes.

use super::error::Fault;
pub(super) use super::lines::newlines;
use crate::graph::{HEAVIEST, LIGHTEST};
use std::borrow::Cow;

/// What stands between the fields of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Separator {
    /// Spaces and tabs, any number of them.
    Space,
    /// One tab.
    Tab,
    /// One comma, with spaces around it.
    Comma,
    /// One semicolon, with spaces around it.
    Semicolon,
}

impl Separator {
    /// The separator a line uses.
    pub fn of(line: &[u8]) -> Self {
        let (mut tabs, mut commas, mut decimal_commas, mut semicolons) = (0, 0, 0, 0);
        let mut inside = false;
        for (at, &byte) in line.iter().enumerate() {
            inside ^= byte == b'"';
            let is_digit = |at: Option<usize>| {
                at.and_then(|at| line.get(at))
                    .is_some_and(u8::is_ascii_digit)
            };
            match byte {
                _ if inside => {}
                b'\t' => tabs += 1,
                b',' if is_digit(at.checked_sub(1)) && is_digit(Some(at + 1)) => {
                    decimal_commas += 1;
                }
                b',' => commas += 1,
                b';' => semicolons += 1,
                _ => {}
            }
        }
        match () {
            () if tabs > 0 => Self::Tab,
            // `a;b;1,5`: where a comma is the decimal point, semicolons separate.
            () if semicolons > 1 && commas == 0 => Self::Semicolon,
            () if commas + decimal_commas > 0 => Self::Comma,
            () if semicolons > 0 => Self::Semicolon,
            () => Self::Space,
        }
    }

    /// The character, a blank for any number of blanks.
    pub fn character(self) -> char {
        self.byte().map_or(' ', char::from)
    }

    fn byte(self) -> Option<u8> {
        match self {
            Self::Space => None,
            Self::Tab => Some(b'\t'),
            Self::Comma => Some(b','),
            Self::Semicolon => Some(b';'),
        }
    }
}

/// Up to eight decimal digits at the start of eight bytes: their value and how many there are.
///
/// All bytes are looked at as one word: `x ^ '0'` is 0 to 9 for digits, and adding 6 to a larger
/// low nibble carries into the high one.
#[inline]
fn eight_digits(word: u64) -> (u64, usize) {
    let x = word ^ 0x3030_3030_3030_3030;
    let others = (x.wrapping_add(0x0606_0606_0606_0606) | x) & 0xf0f0_f0f0_f0f0_f0f0;
    let count = (others.trailing_zeros() / 8) as usize;
    if count == 0 {
        return (0, 0);
    }
    // Digits move to the upper end, zeros in front of them; then pairs, fours and eights are
    // joined.
    let x = x << (64 - 8 * count);
    let pairs = (x.wrapping_mul(10 * 256 + 1) >> 8) & 0x00ff_00ff_00ff_00ff;
    let fours = (pairs.wrapping_mul(100 * 65_536 + 1) >> 16) & 0x0000_ffff_0000_ffff;
    (fours.wrapping_mul(10_000 * 4_294_967_296 + 1) >> 32, count)
}

/// The unsigned integer at `at`, and the byte after it; `None` for no digit, a needless leading
/// zero, or more than 64 bits.
#[inline]
pub(super) fn integer(bytes: &[u8], at: usize) -> Option<(u64, usize)> {
    let (value, count) = match bytes.get(at..at + 8) {
        Some(eight) => eight_digits(u64::from_le_bytes([
            eight[0], eight[1], eight[2], eight[3], eight[4], eight[5], eight[6], eight[7],
        ])),
        None => last_digits(bytes, at),
    };
    if count == 0 || (count > 1 && bytes[at] == b'0') {
        return None;
    }
    if count < 8 {
        Some((value, at + count))
    } else {
        long_integer(bytes, at + count, value)
    }
}

/// [`eight_digits`] near the end of the text.
fn last_digits(bytes: &[u8], at: usize) -> (u64, usize) {
    let digits = bytes[at.min(bytes.len())..]
        .iter()
        .take(8)
        .take_while(|b| b.is_ascii_digit());
    digits.fold((0, 0), |(value, count), &b| {
        (value * 10 + u64::from(b - b'0'), count + 1)
    })
}

/// Goes on after eight digits.
#[cold]
fn long_integer(bytes: &[u8], at: usize, start: u64) -> Option<(u64, usize)> {
    let (mut value, mut end) = (start, at);
    while let Some(digit) = bytes.get(end).filter(|b| b.is_ascii_digit()) {
        value = value
            .checked_mul(10)?
            .checked_add(u64::from(digit - b'0'))?;
        end += 1;
    }
    Some((value, end))
}

const OUT_OF_RANGE: &str =
    "the weight is outside 1e-100 to 1e100: multiply all weights by one number";

/// A weight: 0, or a positive decimal number in the range of weights, that fills `token`.
pub(super) fn weight(token: &[u8]) -> Result<f64, &'static str> {
    if let Some(value) = short_decimal(token) {
        return Ok(value);
    }
    let text = std::str::from_utf8(token).map_err(|_| "not a weight")?;
    match text.parse::<f64>() {
        Err(_) => Err("not a weight"),
        Ok(value) if !value.is_finite() => Err("the weight is not a finite number"),
        Ok(value) if value < 0.0 => Err("the weight is negative"),
        Ok(0.0) if !writes_zero(token) => Err(OUT_OF_RANGE),
        Ok(value) if value != 0.0 && !(LIGHTEST..=HEAVIEST).contains(&value) => Err(OUT_OF_RANGE),
        Ok(value) => Ok(value),
    }
}

/// Whether a number that was parsed as 0 was written as 0, and not as one too small for `f64`.
fn writes_zero(token: &[u8]) -> bool {
    let mut mantissa = token
        .iter()
        .take_while(|byte| !byte.eq_ignore_ascii_case(&b'e'));
    !mantissa.any(|byte| (b'1'..=b'9').contains(byte))
}

/// Numbers like `12` or `3.25` with at most 15 digits: mantissa and power of ten are exact, so one
/// division rounds correctly.
fn short_decimal(token: &[u8]) -> Option<f64> {
    const EXACT: [f64; 16] = [
        1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
    ];
    if token.is_empty() || token.len() > 16 {
        return None;
    }
    let (mut mantissa, mut digits, mut point) = (0u64, 0, None);
    for &byte in token {
        match byte {
            b'0'..=b'9' => {
                mantissa = mantissa * 10 + u64::from(byte - b'0');
                digits += 1;
            }
            b'.' if point.is_none() => point = Some(digits),
            _ => return None,
        }
    }
    let decimals = point.map_or(0, |p| digits - p);
    (digits > 0 && digits <= 15).then(|| mantissa as f64 / EXACT[decimals])
}

/// Bytes of text parsed as one task.
const PIECE: usize = 1 << 20;

/// Cuts `block[start..]` at line ends into pieces of fixed size: start and end of each.
pub(super) fn pieces(block: &[u8], start: usize) -> Vec<(usize, usize)> {
    let mut pieces = Vec::with_capacity((block.len() - start) / PIECE + 1);
    let mut from = start;
    while from < block.len() {
        let nominal = (from + PIECE).min(block.len());
        let to = if nominal == block.len() {
            nominal
        } else {
            (line_end(block, nominal) + 1).min(block.len())
        };
        pieces.push((from, to));
        from = to;
    }
    pieces
}

/// How many words there are, separated by anything up to the space character.
pub(super) fn words(bytes: &[u8]) -> usize {
    let starts = |pair: &[u8]| usize::from(pair[0] <= b' ' && pair[1] > b' ');
    usize::from(bytes.first().is_some_and(|&b| b > b' '))
        + bytes.windows(2).map(starts).sum::<usize>()
}

/// How many lines start with one of `marks`.
pub(super) fn comments(bytes: &[u8], marks: &[u8]) -> u64 {
    bytes
        .split(|&b| b == b'\n')
        .filter(|line| line.first().is_some_and(|b| marks.contains(b)))
        .count() as u64
}

/// A number of a header, and where it stands.
#[derive(Debug, Clone, Copy)]
pub(super) struct Number {
    pub value: u64,
    at: usize,
    len: usize,
}

impl Number {
    /// The number in a field; otherwise `what` is wrong with it.
    pub fn of(field: &Field<'_>, what: &'static str) -> Result<Self, Fault> {
        let (at, len) = (field.0, field.1.len());
        field
            .1
            .parse()
            .map(|value| Self { value, at, len })
            .map_err(|_| Fault::new(at, len, what))
    }

    /// What is wrong with this number.
    pub fn fault(self, what: impl Into<Cow<'static, str>>) -> Fault {
        Fault::new(self.at, self.len, what)
    }
}

/// Whether the line at `at` is a comment.
#[inline]
pub(super) fn is_comment(byte: u8) -> bool {
    byte == b'#' || byte == b'%'
}

/// Past spaces and tabs.
#[inline]
pub(super) fn skip_spaces(bytes: &[u8], mut at: usize) -> usize {
    while matches!(bytes.get(at), Some(b' ' | b'\t')) {
        at += 1;
    }
    at
}

/// Where the line at `at` ends: the position of its `\n`, or the end of the text.
pub(super) fn line_end(bytes: &[u8], at: usize) -> usize {
    bytes[at..]
        .iter()
        .position(|&b| b == b'\n')
        .map_or(bytes.len(), |p| at + p)
}

/// The line without its end (`\n` or `\r\n`).
pub(super) fn trim_line(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    line.strip_suffix(b"\r").unwrap_or(line)
}

/// Past the separator that must follow a field; `None` at the end of the line or when something
/// else is there.
#[inline]
pub(super) fn skip_separator(bytes: &[u8], at: usize, separator: Separator) -> Option<usize> {
    let after = skip_spaces(bytes, at);
    match separator.byte() {
        None | Some(b'\t') => (after > at).then_some(after),
        Some(wanted) => (bytes.get(after) == Some(&wanted)).then(|| skip_spaces(bytes, after + 1)),
    }
}

/// Past the end of a line, if nothing but spaces is left of it.
#[inline]
pub(super) fn skip_line_end(bytes: &[u8], at: usize) -> Option<usize> {
    match bytes.get(at) {
        None => Some(at),
        Some(b'\n') => Some(at + 1),
        Some(b'\r') if matches!(bytes.get(at + 1), None | Some(b'\n')) => {
            Some((at + 2).min(bytes.len()))
        }
        Some(b' ' | b'\t') => skip_line_end(bytes, skip_spaces(bytes, at)),
        Some(_) => None,
    }
}

/// How far the word at `at` goes: to the next space, separator or line end.
pub(super) fn word_end(bytes: &[u8], at: usize) -> usize {
    let is_end = |b: &u8| matches!(b, b' ' | b'\t' | b'\n' | b'\r' | b',' | b';');
    bytes[at..]
        .iter()
        .position(is_end)
        .map_or(bytes.len(), |p| at + p)
}

/// A field of a line and where it starts.
pub(super) type Field<'a> = (usize, Cow<'a, str>);

/// The fields of the line `bytes[start..end]` (without its end): quoted fields lose their quotes,
/// others the spaces around them. Faults for NUL bytes, bytes that are not UTF-8, and quotes that
/// do not close.
pub(super) fn fields(
    bytes: &[u8],
    start: usize,
    end: usize,
    separator: Separator,
) -> Result<Vec<Field<'_>>, Fault> {
    fields_up_to(bytes, start, end, separator, usize::MAX)
}

/// [`fields`], with a fault for more than `most` of them.
pub(super) fn fields_up_to(
    bytes: &[u8],
    start: usize,
    end: usize,
    separator: Separator,
    most: usize,
) -> Result<Vec<Field<'_>>, Fault> {
    if let Some(nul) = bytes[start..end].iter().position(|&b| b == 0) {
        return Err(Fault::new(start + nul, 1, "a NUL byte"));
    }
    let mut found = Vec::with_capacity(3);
    let mut at = skip_blanks(bytes, start, end, separator);
    if at == end {
        return Ok(found);
    }
    loop {
        let (field, after) = if bytes.get(at) == Some(&b'"') && at < end {
            quoted(bytes, at, end)?
        } else {
            plain(bytes, at, end, separator)?
        };
        if found.len() == most {
            return Err(Fault::new(
                at,
                end - at,
                format!("more than {most} columns"),
            ));
        }
        found.push((at, field));
        let after = skip_blanks(bytes, after, end, separator);
        match separator.byte() {
            _ if after == end => return Ok(found),
            None => at = after,
            Some(byte) if bytes[after] == byte => {
                at = skip_blanks(bytes, after + 1, end, separator);
            }
            Some(_) => return Err(Fault::new(after, end - after, "text after a quoted field")),
        }
        if at == end {
            found.push((end, Cow::Borrowed("")));
            return Ok(found);
        }
    }
}

fn skip_blanks(bytes: &[u8], mut at: usize, end: usize, separator: Separator) -> usize {
    while at < end && (bytes[at] == b' ' || (bytes[at] == b'\t' && separator != Separator::Tab)) {
        at += 1;
    }
    at
}

fn plain(
    bytes: &[u8],
    at: usize,
    end: usize,
    separator: Separator,
) -> Result<(Cow<'_, str>, usize), Fault> {
    let is_end = |b: u8| separator.byte().map_or(b == b' ' || b == b'\t', |s| b == s);
    let stop = bytes[at..end]
        .iter()
        .position(|&b| is_end(b))
        .map_or(end, |p| at + p);
    let text = std::str::from_utf8(&bytes[at..stop])
        .map_err(|e| Fault::new(at + e.valid_up_to(), 1, "not UTF-8 text"))?;
    Ok((Cow::Borrowed(text.trim_end_matches([' ', '\t'])), stop))
}

fn quoted(bytes: &[u8], at: usize, end: usize) -> Result<(Cow<'_, str>, usize), Fault> {
    let mut doubled = false;
    let mut stop = at + 1;
    while stop < end {
        match (bytes[stop], bytes.get(stop + 1)) {
            (b'"', Some(b'"')) if stop + 1 < end => {
                doubled = true;
                stop += 2;
            }
            (b'"', _) => {
                let inner = std::str::from_utf8(&bytes[at + 1..stop]);
                let inner =
                    inner.map_err(|e| Fault::new(at + 1 + e.valid_up_to(), 1, "not UTF-8 text"))?;
                let field = if doubled {
                    Cow::Owned(inner.replace("\"\"", "\""))
                } else {
                    Cow::Borrowed(inner)
                };
                return Ok((field, stop + 1));
            }
            _ => stop += 1,
        }
    }
    Err(Fault::new(
        at,
        end - at,
        "a quoted field must end on its line",
    ))
}

/// `name` as a field of a line whose fields are separated by tabs: quoted where reading it back
/// would need it.
pub(super) fn quote(name: &str) -> Cow<'_, str> {
    let special = name.is_empty()
        || name.contains(['\t', '"', '\r'])
        || name.starts_with(['#', '%', ' ', '\u{feff}'])
        || name.ends_with(' ');
    if special {
        Cow::Owned(in_quotes(name))
    } else {
        Cow::Borrowed(name)
    }
}

/// `name` in quotes, those inside it doubled.
pub(super) fn in_quotes(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}
