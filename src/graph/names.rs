//! What the input calls its vertices. Names leave at load and come back only at write; between,
//! dense numbers.

use crate::ids::Vertex;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasher, RandomState};

/// The names of the vertices `0..n`.
///
/// ```
/// use lambdacut::graph::Names;
/// let names = Names::from_ids(vec![3, 7, 12]);
/// assert_eq!(names.get(1), "7");
/// assert_eq!(names.index().get("12"), Some(2));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Names {
    /// Consecutive integers: nothing is stored.
    Range {
        /// The name of vertex 0.
        first: u64,
        /// The number of vertices.
        count: usize,
    },
    /// Integers, ascending: 8 bytes a vertex.
    Ids(Vec<u64>),
    /// Strings, in order of first appearance.
    Strings(Strings),
}

impl Names {
    /// The names `0..n`.
    pub fn numbers(count: usize) -> Self {
        Self::Range { first: 0, count }
    }

    /// Ascending distinct integers; consecutive ones are not stored.
    pub fn from_ids(ids: Vec<u64>) -> Self {
        match (ids.first(), ids.last()) {
            (Some(&first), Some(&last)) if last - first == ids.len() as u64 - 1 => Self::Range {
                first,
                count: ids.len(),
            },
            _ => Self::Ids(ids),
        }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        match self {
            Self::Range { count, .. } => *count,
            Self::Ids(ids) => ids.len(),
            Self::Strings(strings) => strings.len(),
        }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The name of vertex `i`, exactly as in the input.
    pub fn get(&self, i: usize) -> Cow<'_, str> {
        match self {
            Self::Range { first, .. } => Cow::Owned((first + i as u64).to_string()),
            Self::Ids(ids) => Cow::Owned(ids[i].to_string()),
            Self::Strings(strings) => Cow::Borrowed(strings.get(i)),
        }
    }

    /// Bytes of memory.
    pub(crate) fn bytes(&self) -> u64 {
        match self {
            Self::Range { .. } => 0,
            Self::Ids(ids) => 8 * ids.capacity() as u64,
            Self::Strings(strings) => strings.bytes(),
        }
    }

    /// The first vertex whose name no text format can hold: an empty one, or one with a line break or
    /// a NUL character.
    pub(crate) fn first_unwritable(&self) -> Option<usize> {
        let Self::Strings(strings) = self else {
            return None;
        };
        let unwritable = |name: &str| name.is_empty() || name.contains(['\n', '\0']);
        (0..strings.len()).find(|&i| unwritable(strings.get(i)))
    }

    /// The first vertex with the name of an earlier one.
    pub(crate) fn first_repeated(&self) -> Option<usize> {
        let Self::Strings(strings) = self else {
            return None;
        };
        let state = RandomState::new();
        let mut hashes: Vec<u64> = (0..strings.len())
            .into_par_iter()
            .map(|i| state.hash_one(strings.get(i)))
            .collect();
        hashes.par_sort_unstable();
        // Names of different hashes are different; only if two are equal the names are compared.
        if hashes.windows(2).all(|pair| pair[0] != pair[1]) {
            return None;
        }
        let mut seen = HashSet::with_capacity(strings.len());
        (0..strings.len()).find(|&i| !seen.insert(strings.get(i)))
    }

    /// Finds vertices by name.
    pub fn index(&self) -> Index<'_> {
        let strings = match self {
            Self::Strings(strings) => (0..strings.len())
                .map(|i| (strings.get(i), i as Vertex))
                .collect(),
            _ => HashMap::default(),
        };
        Index {
            names: self,
            strings,
        }
    }
}

/// Names → vertices.
#[derive(Debug)]
pub struct Index<'a> {
    names: &'a Names,
    // Keyed anew in every run: whoever chose the names cannot make them collide.
    strings: HashMap<&'a str, Vertex>,
}

impl Index<'_> {
    /// The vertex called `name`.
    pub fn get(&self, name: &str) -> Option<Vertex> {
        match self.names {
            Names::Strings(_) => self.strings.get(name).copied(),
            Names::Range { first, count } => {
                let at = canonical_integer(name)?.checked_sub(*first)?;
                (at < *count as u64).then_some(at as Vertex)
            }
            Names::Ids(ids) => ids
                .binary_search(&canonical_integer(name)?)
                .ok()
                .map(|at| at as Vertex),
        }
    }
}

/// The integer a name writes in the one way integers are written.
pub(crate) fn canonical_integer(name: &str) -> Option<u64> {
    let digits = !name.is_empty() && name.bytes().all(|b| b.is_ascii_digit());
    let leading_zero = name.len() > 1 && name.starts_with('0');
    if digits && !leading_zero {
        name.parse().ok()
    } else {
        None
    }
}

/// Many strings in one piece of memory; written and read as a list of strings.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(from = "Vec<String>", into = "Vec<String>")]
pub struct Strings {
    text: String,
    ends: Vec<u64>,
}

impl Strings {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// String `i`.
    pub fn get(&self, i: usize) -> &str {
        let start = if i == 0 { 0 } else { self.ends[i - 1] as usize };
        &self.text[start..self.ends[i] as usize]
    }

    /// Appends a string.
    pub fn push(&mut self, string: &str) {
        self.text.push_str(string);
        self.ends.push(self.text.len() as u64);
    }

    /// All characters, and where each string ends.
    pub(crate) fn parts(&self) -> (&str, &[u64]) {
        (&self.text, &self.ends)
    }

    /// From characters and ends; `None` when they do not fit together.
    pub(crate) fn from_parts(text: String, ends: Vec<u64>) -> Option<Self> {
        let ascending = ends.windows(2).all(|w| w[0] <= w[1]);
        let fits = ends.last().map_or(0, |&e| e) == text.len() as u64;
        let cuts = ends.iter().all(|&e| text.is_char_boundary(e as usize));
        (ascending && fits && cuts).then_some(Self { text, ends })
    }

    /// Bytes of memory.
    pub(crate) fn bytes(&self) -> u64 {
        (self.text.capacity() + 8 * self.ends.capacity()) as u64
    }
}

impl From<Vec<String>> for Strings {
    fn from(strings: Vec<String>) -> Self {
        strings.iter().map(String::as_str).collect()
    }
}

impl From<Strings> for Vec<String> {
    fn from(strings: Strings) -> Self {
        (0..strings.len())
            .map(|i| strings.get(i).to_owned())
            .collect()
    }
}

impl<'a> FromIterator<&'a str> for Strings {
    fn from_iter<I: IntoIterator<Item = &'a str>>(strings: I) -> Self {
        let mut all = Self::default();
        strings.into_iter().for_each(|s| all.push(s));
        all
    }
}

/// Keys numbered by first appearance.
pub(crate) trait KeyStore {
    /// A key as looked up.
    type Key<'k>: Copy;
    fn hash(state: &RandomState, key: Self::Key<'_>) -> u64;
    fn count(&self) -> usize;
    fn key_hash(&self, state: &RandomState, i: usize) -> u64;
    fn is(&self, i: usize, key: Self::Key<'_>) -> bool;
    fn append(&mut self, key: Self::Key<'_>);
    fn bytes(&self) -> u64;
}

impl KeyStore for Vec<u64> {
    type Key<'k> = u64;
    fn hash(state: &RandomState, key: u64) -> u64 {
        state.hash_one(key)
    }
    fn count(&self) -> usize {
        self.len()
    }
    fn key_hash(&self, state: &RandomState, i: usize) -> u64 {
        Self::hash(state, self[i])
    }
    fn is(&self, i: usize, key: u64) -> bool {
        self[i] == key
    }
    fn append(&mut self, key: u64) {
        self.push(key);
    }
    fn bytes(&self) -> u64 {
        8 * self.capacity() as u64
    }
}

impl KeyStore for Strings {
    type Key<'k> = &'k str;
    fn hash(state: &RandomState, key: &str) -> u64 {
        state.hash_one(key)
    }
    fn count(&self) -> usize {
        self.len()
    }
    fn key_hash(&self, state: &RandomState, i: usize) -> u64 {
        Self::hash(state, self.get(i))
    }
    fn is(&self, i: usize, key: &str) -> bool {
        self.get(i) == key
    }
    fn append(&mut self, key: &str) {
        self.push(key);
    }
    fn bytes(&self) -> u64 {
        Strings::bytes(self)
    }
}

/// Numbers keys by first appearance: a hash table of numbers (4 bytes a slot, at most half full)
/// over the stored keys.
///
/// The hash has a key of its own in every run, so that nobody can choose names that all fall into one
/// place; numbers do not depend on it.
#[derive(Debug, Default)]
pub(crate) struct Interner<K> {
    pub keys: K,
    slots: Vec<Vertex>,
    state: RandomState,
}

const FREE: Vertex = Vertex::MAX;

impl<K: KeyStore> Interner<K> {
    /// Where `key` is, or the free slot where it belongs.
    fn slot(&self, key: K::Key<'_>) -> usize {
        let mask = self.slots.len() - 1;
        let mut at = K::hash(&self.state, key) as usize & mask;
        while self.slots[at] != FREE && !self.keys.is(self.slots[at] as usize, key) {
            at = (at + 1) & mask;
        }
        at
    }

    /// The number of a known key.
    pub fn get(&self, key: K::Key<'_>) -> Option<Vertex> {
        if self.slots.is_empty() {
            return None;
        }
        let found = self.slots[self.slot(key)];
        (found != FREE).then_some(found)
    }

    /// The number of a key, new or known.
    pub fn intern(&mut self, key: K::Key<'_>) -> Vertex {
        if 2 * (self.keys.count() + 1) > self.slots.len() {
            self.grow();
        }
        let at = self.slot(key);
        if self.slots[at] == FREE {
            self.slots[at] = self.keys.count() as Vertex;
            self.keys.append(key);
        }
        self.slots[at]
    }

    fn grow(&mut self) {
        let size = (2 * self.slots.len()).max(1 << 10);
        self.slots = vec![FREE; size];
        for i in 0..self.keys.count() {
            let mut at = self.keys.key_hash(&self.state, i) as usize & (size - 1);
            while self.slots[at] != FREE {
                at = (at + 1) & (size - 1);
            }
            self.slots[at] = i as Vertex;
        }
    }

    /// Bytes of memory.
    pub fn bytes(&self) -> u64 {
        self.keys.bytes() + 4 * self.slots.len() as u64
    }
}
