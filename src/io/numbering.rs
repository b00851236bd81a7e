//! From the ids and names of a file to dense vertex numbers.
//!
//! While reading, rows hold ids of 32 bits as they are; wider ids and names are numbered by first
//! appearance. At the end integer ids are renumbered by value: through a set of bits with ranks
//! where ids are dense enough, through the sorted distinct ids otherwise. Names keep their order of
//! appearance.

use crate::graph::names::{Interner, KeyStore, Names, Strings};
use crate::graph::{pack, unpack};
use crate::ids::Vertex;
use rayon::prelude::*;

/// Rows looked up as one task.
const LOOKUP: usize = 1 << 14;

/// A row in the making, with or without a weight.
pub(super) trait RawRow: Copy + Send + Sync + Default {
    fn new(arc: u64, weight: f64) -> Self;
    fn arc(self) -> u64;
    fn with_arc(self, arc: u64) -> Self;
}

impl RawRow for u64 {
    fn new(arc: u64, _: f64) -> Self {
        arc
    }
    fn arc(self) -> u64 {
        self
    }
    fn with_arc(self, arc: u64) -> Self {
        arc
    }
}

impl RawRow for (u64, f64) {
    fn new(arc: u64, weight: f64) -> Self {
        (arc, weight)
    }
    fn arc(self) -> u64 {
        self.0
    }
    fn with_arc(self, arc: u64) -> Self {
        (arc, self.1)
    }
}

/// Lets every piece fill its own part of `rows`, which is as long as its room; in parallel.
pub(super) fn fill_parts<R: RawRow, T: Send>(
    mut rows: &mut [R],
    room: &[usize],
    parse: impl Fn(usize, &mut [R]) -> T + Sync,
) -> Vec<T> {
    let mut tasks = Vec::with_capacity(room.len());
    for (piece, &room) in room.iter().enumerate() {
        let (own, after) = rows.split_at_mut(room);
        tasks.push((piece, own));
        rows = after;
    }
    tasks
        .into_par_iter()
        .map(|(piece, own)| parse(piece, own))
        .collect()
}

/// Closes the gaps that [`fill_parts`] leaves in `rows[start..]` where pieces kept less than they
/// had room for.
pub(super) fn close_gaps<R: RawRow>(
    rows: &mut Vec<R>,
    start: usize,
    room: &[usize],
    kept: &[usize],
) {
    let (mut from, mut end) = (start, start);
    for (&room, &kept) in room.iter().zip(kept) {
        if from != end {
            rows.copy_within(from..from + kept, end);
        }
        (from, end) = (from + room, end + kept);
    }
    rows.truncate(end);
}

/// How vertices are numbered so far.
pub(super) enum Ids {
    /// Rows hold ids of 32 bits.
    Small,
    /// Rows hold numbers of wider ids.
    Wide(Interner<Vec<u64>>),
    /// Rows hold numbers of names.
    Text(Interner<Strings>),
}

/// Rows as found, before their ends are numbered.
pub(super) type Found<K> = Vec<(K, K, f64)>;

/// Appends rows with the numbers of their ends: known ones are looked up in parallel, new ones
/// numbered in order.
pub(super) fn number_piece<'f, R, K, S>(
    known: &mut Interner<S>,
    rows: &mut Vec<R>,
    found: &'f Found<K>,
    key: impl Fn(&'f K) -> S::Key<'f> + Sync,
) where
    R: RawRow,
    K: Sync,
    S: KeyStore + Sync,
{
    let looked_up: Vec<(Option<Vertex>, Option<Vertex>)> = found
        .par_iter()
        .with_min_len(LOOKUP)
        .map(|(s, t, _)| (known.get(key(s)), known.get(key(t))))
        .collect();
    rows.reserve(found.len());
    for ((s, t, weight), (source, target)) in found.iter().zip(looked_up) {
        let source = source.unwrap_or_else(|| known.intern(key(s)));
        let target = target.unwrap_or_else(|| known.intern(key(t)));
        rows.push(R::new(pack(source, target), *weight));
    }
}

/// Replaces the ids in `rows` by numbers in order of first appearance.
pub(super) fn renumber<R: RawRow>(rows: &mut [R], known: &mut Interner<Vec<u64>>) {
    for batch in rows.chunks_mut(1 << 20) {
        let ends: Vec<(Option<Vertex>, Option<Vertex>)> = batch
            .par_iter()
            .with_min_len(LOOKUP)
            .map(|row| {
                let (s, t) = unpack(row.arc());
                (known.get(s.into()), known.get(t.into()))
            })
            .collect();
        for (row, (source, target)) in batch.iter_mut().zip(ends) {
            let (s, t) = unpack(row.arc());
            let source = source.unwrap_or_else(|| known.intern(s.into()));
            let target = target.unwrap_or_else(|| known.intern(t.into()));
            *row = row.with_arc(pack(source, target));
        }
    }
}

/// Renumbers the vertices: integer ids in numeric order without gaps, names as they are.
pub(super) fn name_vertices<R: RawRow>(rows: &mut [R], ids: Ids, largest: u32) -> Names {
    match ids {
        Ids::Text(known) => Names::Strings(known.keys),
        Ids::Wide(known) => by_value(rows, known.keys),
        // A set of bits costs an eighth of a byte an id: allowed up to two bytes a row.
        Ids::Small if u64::from(largest) < 16 * rows.len() as u64 + (1 << 20) => {
            by_rank(rows, largest)
        }
        Ids::Small => {
            let mut known = Interner::default();
            renumber(rows, &mut known);
            by_value(rows, known.keys)
        }
    }
}

/// From numbers by first appearance to numbers by value.
fn by_value<R: RawRow>(rows: &mut [R], mut ids: Vec<u64>) -> Names {
    let mut order: Vec<Vertex> = (0..ids.len() as Vertex).collect();
    order.par_sort_unstable_by_key(|&i| ids[i as usize]);
    let mut rank = vec![0 as Vertex; ids.len()];
    for (r, &i) in order.iter().enumerate() {
        rank[i as usize] = r as Vertex;
    }
    relabel(rows, |id| rank[id as usize]);
    ids.par_sort_unstable();
    Names::from_ids(ids)
}

fn relabel<R: RawRow>(rows: &mut [R], label: impl Fn(Vertex) -> Vertex + Sync) {
    rows.par_iter_mut().with_min_len(LOOKUP).for_each(|row| {
        let (s, t) = unpack(row.arc());
        *row = row.with_arc(pack(label(s), label(t)));
    });
}

/// From ids to their ranks among the ids that occur.
fn by_rank<R: RawRow>(rows: &mut [R], largest: u32) -> Names {
    use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
    let words: Vec<AtomicU64> = (0..=largest / 64).map(|_| AtomicU64::new(0)).collect();
    let mark = |id: Vertex| {
        let (word, bit) = (&words[id as usize / 64], 1u64 << (id % 64));
        if word.load(Relaxed) & bit == 0 {
            word.fetch_or(bit, Relaxed);
        }
    };
    rows.par_iter().with_min_len(LOOKUP).for_each(|row| {
        let (s, t) = unpack(row.arc());
        mark(s);
        mark(t);
    });
    let words: Vec<u64> = words.into_iter().map(AtomicU64::into_inner).collect();
    let mut before = Vec::with_capacity(words.len());
    let mut count = 0;
    for word in &words {
        before.push(count);
        count += word.count_ones();
    }
    if count as usize == largest as usize + 1 {
        return Names::numbers(count as usize);
    }
    let rank = |id: Vertex| {
        before[id as usize / 64]
            + (words[id as usize / 64] & ((1u64 << (id % 64)) - 1)).count_ones()
    };
    if (largest as usize) < rows.len() {
        // Half of the rows' memory at most, and one look instead of counting bits.
        let ranks: Vec<Vertex> = (0..=largest).into_par_iter().map(rank).collect();
        relabel(rows, |id| ranks[id as usize]);
    } else {
        relabel(rows, rank);
    }
    let first = words
        .iter()
        .position(|&w| w != 0)
        .map_or(0, |w| 64 * w as u64 + u64::from(words[w].trailing_zeros()));
    if first + u64::from(count) == u64::from(largest) + 1 {
        return Names::Range {
            first,
            count: count as usize,
        };
    }
    let bits = |(at, &word): (usize, &u64)| {
        (0..64)
            .filter(move |b| word >> b & 1 == 1)
            .map(move |b| 64 * at as u64 + b)
    };
    Names::Ids(words.iter().enumerate().flat_map(bits).collect())
}
