//! The own binary format: the finished arrays.
//!
//! All numbers are little-endian. A header of 128 bytes, then sections that start at multiples of
//! 64 bytes:
//!
//! | bytes | what |
//! |---|---|
//! | 0–7 | `LAMBDCUT` |
//! | 8–11 | version, 1 |
//! | 12 | weights: 0 none, 1 `f32`, 2 `f64` |
//! | 13 | names: 0 consecutive integers, 1 integers, 2 strings |
//! | 14 | vertex weights: 0 none, 1 `f64` |
//! | 15 | 0 |
//! | 16–23 | vertices n |
//! | 24–31 | arcs |
//! | 32–39 | name of vertex 0 (consecutive integers), or bytes of all strings |
//! | 40–47 | length of the file |
//! | 48–55 | checksum of the sections |
//! | 56–119 | 0 |
//! | 120–127 | xxh3 of bytes 0–119 |
//!
//! Sections: offsets (`u64`, n + 1), targets (`u32`, arcs), weights (arcs), vertex weights (n),
//! names (integers: `u64`, n; strings: ends as `u64`, n, then the UTF-8 text). The checksum is the
//! xxh3 of the xxh3s of each MiB behind the header.
//!
//! The file is read into the arrays of the graph, not mapped: another process may truncate or change
//! it at any time, and what was checked must be what is used. Reading checks magic, version, length,
//! checksums, every index and weight, that each arc has its reverse, and that names differ and fit in
//! a line; it costs one pass over the bytes.

use super::error::ReadError;
use super::format::{Format, MAGIC};
use super::options::{LoadOptions, Loaded};
use super::reading::Reading;
use super::source::{Budget, Source};
use crate::graph::names::{Names, Strings};
use crate::graph::{
    AnyCsr, BuildError, Counts, Csr, EdgeList, GraphError, Policy, SelfLoops, Unit, Weight, build,
};
use crate::ids::Vertex;
use crate::with_csr;
use bytemuck::{Pod, Zeroable};
use rayon::prelude::*;
use std::hash::{BuildHasher, RandomState};
use std::io::{self, Write};
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

const VERSION: u32 = 1;
const ALIGN: usize = 64;
const HEADER: usize = 128;
const CHECKED_BLOCK: usize = 1 << 20;
const READ_STEP: usize = 1 << 24;

/// The header, as it lies in the file (on a little-endian machine).
#[derive(Debug, Clone, Copy, Zeroable, Pod)]
#[repr(C)]
struct Header {
    magic: [u8; 8],
    version: u32,
    weights: u8,
    names: u8,
    masses: u8,
    zero: u8,
    vertices: u64,
    arcs: u64,
    name_info: u64,
    length: u64,
    checksum: u64,
    reserved: [u64; 8],
    own_checksum: u64,
}

/// Where the sections are, in bytes.
struct Sections {
    offsets: usize,
    targets: usize,
    weights: usize,
    masses: usize,
    names: usize,
    text: usize,
    length: usize,
}

impl Header {
    fn weight_size(&self) -> Option<usize> {
        [0, 4, 8].get(self.weights as usize).copied()
    }

    /// The layout that the counts imply; `None` if they do not fit in memory or a kind is unknown.
    fn sections(&self) -> Option<Sections> {
        let (n, arcs) = (
            usize::try_from(self.vertices).ok()?,
            usize::try_from(self.arcs).ok()?,
        );
        let mut end = HEADER;
        let mut section = |count: usize, size: usize| -> Option<usize> {
            let start = end.checked_next_multiple_of(ALIGN)?;
            end = start.checked_add(count.checked_mul(size)?)?;
            Some(start)
        };
        let offsets = section(n.checked_add(1)?, 8)?;
        let targets = section(arcs, 4)?;
        let weights = section(arcs, self.weight_size()?)?;
        let masses = section(n, 8 * usize::from(self.masses.min(1)))?;
        let names = section(n, if self.names == 0 { 0 } else { 8 })?;
        let text = section(
            if self.names == 2 {
                usize::try_from(self.name_info).ok()?
            } else {
                0
            },
            1,
        )?;
        (self.names <= 2 && self.masses <= 1).then_some(Sections {
            offsets,
            targets,
            weights,
            masses,
            names,
            text,
            length: end,
        })
    }

    fn computed_checksum(&self) -> u64 {
        xxh3_64(&bytemuck::bytes_of(self)[..HEADER - 8])
    }
}

/// Reads a binary graph. Of the policy only `unweighted` and dropping self-loops can still change a
/// finished graph.
pub(super) fn load(source: &mut Source, options: &LoadOptions) -> Result<Loaded, ReadError> {
    if cfg!(target_endian = "big") {
        return Err(ReadError::file(
            &source.file,
            "binary graphs can only be used on little-endian machines",
        ));
    }
    let file = source.file.clone();
    let wrong = |what: String| ReadError::file(&file, what);
    let (header, sections) = read_header(source)?;
    Budget::new(options.memory_limit).check(&file, sections.length as u64)?;
    let content = Content::read(source, &header, &sections)?;
    let names = content.names(&header).map_err(wrong)?;
    let is_mass = |mass: &f64| mass.is_finite() && *mass >= 0.0;
    if !content.masses.iter().flatten().all(is_mass) {
        return Err(wrong(
            "a vertex weight is negative or not finite".to_owned(),
        ));
    }
    let Content {
        offsets,
        targets,
        weights,
        masses,
        ..
    } = content;
    let graph = match weights {
        Weights::Unit => {
            finished(offsets, targets, vec![Unit; header.arcs as usize]).map(AnyCsr::Unit)
        }
        Weights::F32(weights) => finished(offsets, targets, weights).map(AnyCsr::F32),
        Weights::F64(weights) => finished(offsets, targets, weights).map(AnyCsr::F64),
    };
    let graph = graph.map_err(|e| wrong(e.to_string()))?;
    let (graph, counts) = with_policy(graph, options.policy).map_err(|e| wrong(e.to_string()))?;
    Ok(Loaded {
        graph,
        names,
        reading: Reading::of(Format::Binary),
        counts,
        masses,
        sha256: None,
        seconds: 0.0,
    })
}

/// The graph of these arrays, if they are one.
fn finished<W: Weight>(
    offsets: Vec<u64>,
    targets: Vec<Vertex>,
    weights: Vec<W>,
) -> Result<Csr<W>, GraphError> {
    let graph = Csr::from_arrays(offsets, targets, weights)?;
    if !is_mirrored(&graph) {
        graph.check_symmetry()?;
    }
    Ok(graph)
}

/// Whether the arcs above the diagonal are those below it: both have the same sum of hashes.
///
/// Rows hold no arc twice, so equal sums of different arcs would take a collision of 64-bit sums,
/// under a key that nobody knows before the run. One pass over the arcs in order, in parallel; looking
/// up each reverse would be a random access an arc.
fn is_mirrored<W: Weight>(graph: &Csr<W>) -> bool {
    let state = RandomState::new();
    let (arc_key, weight_key) = (state.hash_one(1), state.hash_one(2));
    let mix = |a: u64, b: u64| {
        let product = u128::from(a) * u128::from(b);
        (product >> 64) as u64 ^ product as u64
    };
    let hash = |low: u64, high: u64, weight: f64| {
        let arc = mix(low << 32 | high, arc_key | 1) ^ arc_key;
        mix(arc, weight.to_bits() ^ weight_key).wrapping_add(arc)
    };
    let rows = graph.rows();
    let difference = |i: usize| {
        let mut sum = 0u64;
        for (j, weight) in rows.row(i) {
            let (i, j) = (i as u64, u64::from(j));
            if i < j {
                sum = sum.wrapping_add(hash(i, j, weight));
            } else if i > j {
                sum = sum.wrapping_sub(hash(j, i, weight));
            }
        }
        sum
    };
    let total = (0..graph.vertices())
        .into_par_iter()
        .with_min_len(1 << 10)
        .map(difference)
        .reduce(|| 0, u64::wrapping_add);
    total == 0
}

/// The graph as it is, unless the policy wants something else of it.
fn with_policy(graph: AnyCsr, policy: Policy) -> Result<(AnyCsr, Counts), BuildError> {
    let drops_loops =
        policy.self_loops == SelfLoops::Drop && with_csr!(&graph, g => g.self_loops()) > 0;
    let drops_weights = policy.unweighted && !matches!(graph, AnyCsr::Unit(_));
    if drops_loops || drops_weights {
        let edges = with_csr!(&graph, g => EdgeList::of(g));
        drop(graph);
        return build(edges, &policy);
    }
    let counts = with_csr!(&graph, g => Counts {
        rows: g.edges() as u64,
        self_loops: g.self_loops() as u64,
        isolated: g.isolated() as u64,
        ..Counts::default()
    });
    Ok((graph, counts))
}

/// The header and the layout it implies, if they are those of this file.
fn read_header(source: &mut Source) -> Result<(Header, Sections), ReadError> {
    let mut start = [0; HEADER];
    let found = source.read_into(&mut start)?;
    let file = &source.file;
    let wrong = |what: &'static str| Err(ReadError::file(file, what));
    if !start[..found].starts_with(&MAGIC) {
        return wrong("not a binary graph: bad magic");
    }
    if found < HEADER {
        return wrong("the binary graph is truncated: no whole header");
    }
    let header: Header = bytemuck::pod_read_unaligned(&start);
    if header.version != VERSION {
        return Err(ReadError::file(
            file,
            format!(
                "binary version {} is not supported (only {VERSION})",
                header.version
            ),
        ));
    }
    if header.own_checksum != header.computed_checksum() {
        return wrong("the binary graph is damaged: bad checksum of the header");
    }
    let Some(sections) = header.sections() else {
        return wrong("the binary graph is damaged: impossible header");
    };
    // The length of a pipe or a compressed file is only known at its end.
    let length = source.length().unwrap_or(header.length);
    if sections.length as u64 != length || header.length != length {
        return Err(wrong_length(file, length, &header));
    }
    Ok((header, sections))
}

fn wrong_length(file: &str, found: u64, header: &Header) -> ReadError {
    let wanted = header.length;
    ReadError::file(
        file,
        format!("the binary graph is damaged: {found} bytes long instead of {wanted}"),
    )
}

/// The weights of the arcs, as they are stored.
enum Weights {
    Unit,
    F32(Vec<f32>),
    F64(Vec<f64>),
}

/// The sections, whose checksum is right.
struct Content {
    offsets: Vec<u64>,
    targets: Vec<Vertex>,
    weights: Weights,
    masses: Option<Vec<f64>>,
    /// Integer names, or where each string ends.
    ids: Vec<u64>,
    text: Vec<u8>,
}

impl Content {
    fn read(source: &mut Source, header: &Header, sections: &Sections) -> Result<Self, ReadError> {
        let (n, arcs) = (header.vertices as usize, header.arcs as usize);
        let mut body = Body {
            source,
            header,
            at: HEADER,
            checksum: Checksum::default(),
        };
        let content = Self {
            offsets: body.section(sections.offsets, n + 1)?,
            targets: body.section(sections.targets, arcs)?,
            weights: match header.weights {
                0 => Weights::Unit,
                1 => Weights::F32(body.section(sections.weights, arcs)?),
                _ => Weights::F64(body.section(sections.weights, arcs)?),
            },
            masses: match header.masses {
                0 => None,
                _ => Some(body.section(sections.masses, n)?),
            },
            ids: body.section(sections.names, if header.names == 0 { 0 } else { n })?,
            text: body.section(sections.text, sections.length - sections.text)?,
        };
        body.finish()?;
        Ok(content)
    }

    /// What the vertices are called, or what is wrong with that.
    fn names(&self, header: &Header) -> Result<Names, String> {
        let damaged = || "the names are damaged".to_owned();
        let names = match header.names {
            0 => {
                let last = header.name_info.checked_add(header.vertices);
                last.ok_or_else(damaged)?;
                Names::Range {
                    first: header.name_info,
                    count: header.vertices as usize,
                }
            }
            1 if self.ids.windows(2).all(|pair| pair[0] < pair[1]) => Names::Ids(self.ids.clone()),
            1 => return Err(damaged()),
            _ => {
                let text = String::from_utf8(self.text.clone()).map_err(|_| damaged())?;
                let strings = Strings::from_parts(text, self.ids.clone());
                Names::Strings(strings.ok_or_else(damaged)?)
            }
        };
        if let Some(vertex) = names.first_unwritable() {
            return Err(unwritable(&names, vertex));
        }
        match names.first_repeated() {
            Some(vertex) => Err(format!("two vertices are called {:?}", names.get(vertex))),
            None => Ok(names),
        }
    }
}

/// What is said about a name that no text could hold.
pub(super) fn unwritable(names: &Names, vertex: usize) -> String {
    let name = names.get(vertex);
    if name.is_empty() {
        return format!("vertex {vertex} has an empty name");
    }
    format!("the name {name:?} holds a line break or a NUL character: no text could hold it")
}

/// What follows the header, read in order and checked.
struct Body<'a> {
    source: &'a mut Source,
    header: &'a Header,
    /// Bytes read so far, the header included.
    at: usize,
    checksum: Checksum,
}

impl Body<'_> {
    /// The next bytes, all of them.
    fn fill(&mut self, bytes: &mut [u8]) -> Result<(), ReadError> {
        let found = self.source.read_into(bytes)?;
        self.at += found;
        if found < bytes.len() {
            let length = self.at as u64;
            return Err(wrong_length(&self.source.file, length, self.header));
        }
        self.checksum.update(bytes);
        Ok(())
    }

    /// The `count` values that start at byte `start`.
    fn section<T: Pod>(&mut self, start: usize, count: usize) -> Result<Vec<T>, ReadError> {
        let mut gap = [0; ALIGN];
        let gap = &mut gap[..start.saturating_sub(self.at).min(ALIGN)];
        self.fill(gap)?;
        let mut values: Vec<T> = Vec::new();
        if self.source.length().is_some() {
            values.reserve_exact(count);
        }
        // Where the length is only a claim, memory is taken as the bytes come.
        while values.len() < count {
            let before = values.len();
            let step = (count - before).min(READ_STEP / size_of::<T>().max(1));
            values.resize(before + step, T::zeroed());
            self.fill(bytemuck::cast_slice_mut(&mut values[before..]))?;
        }
        Ok(values)
    }

    /// Checks that nothing follows, and that what was read is what was written.
    fn finish(self) -> Result<(), ReadError> {
        let file = &self.source.file.clone();
        if self.source.read_into(&mut [0])? > 0 {
            return Err(wrong_length(file, self.at as u64 + 1, self.header));
        }
        if self.checksum.finish() != self.header.checksum {
            return Err(ReadError::file(
                file,
                "the binary graph is damaged: bad checksum",
            ));
        }
        Ok(())
    }
}

/// The checksum of everything behind the header, taken as it comes.
#[derive(Default)]
struct Checksum {
    length: usize,
    block: Xxh3,
    blocks: Vec<u64>,
}

impl Checksum {
    fn update(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            let room = CHECKED_BLOCK - self.length % CHECKED_BLOCK;
            let (now, later) = bytes.split_at(room.min(bytes.len()));
            self.block.update(now);
            self.length += now.len();
            if self.length.is_multiple_of(CHECKED_BLOCK) {
                self.blocks.push(self.block.digest());
                self.block.reset();
            }
            bytes = later;
        }
    }

    fn finish(mut self) -> u64 {
        if !self.length.is_multiple_of(CHECKED_BLOCK) {
            self.blocks.push(self.block.digest());
        }
        xxh3_64(bytemuck::cast_slice(&self.blocks))
    }
}

/// Writes and checks what is written.
struct Checked<'a> {
    out: &'a mut dyn Write,
    checksum: Checksum,
}

impl Checked<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.out.write_all(bytes)?;
        self.checksum.update(bytes);
        Ok(())
    }
}

/// Writes a binary graph. The sections are gone through twice: for the checksum in the header, and
/// to be written.
pub(super) fn write<W: Weight>(
    out: &mut dyn Write,
    graph: &Csr<W>,
    names: &Names,
    masses: Option<&[f64]>,
) -> io::Result<()> {
    let (kind, name_info) = match names {
        Names::Range { first, .. } => (0, *first),
        Names::Ids(_) => (1, 0),
        Names::Strings(strings) => (2, strings.parts().0.len() as u64),
    };
    let mut header = Header {
        magic: MAGIC,
        version: VERSION,
        weights: if W::UNIT { 0 } else { size_of::<W>() as u8 / 4 },
        names: kind,
        masses: u8::from(masses.is_some()),
        zero: 0,
        vertices: graph.vertices() as u64,
        arcs: graph.arcs() as u64,
        name_info,
        length: 0,
        checksum: 0,
        reserved: [0; 8],
        own_checksum: 0,
    };
    let sections = header
        .sections()
        .ok_or_else(|| io::Error::other("the graph is too large for this format"))?;
    header.length = sections.length as u64;
    header.checksum = write_sections(&mut io::sink(), graph, names, masses)?;
    header.own_checksum = header.computed_checksum();
    out.write_all(bytemuck::bytes_of(&header))?;
    write_sections(out, graph, names, masses).map(|_| ())
}

fn write_sections<W: Weight>(
    out: &mut dyn Write,
    graph: &Csr<W>,
    names: &Names,
    masses: Option<&[f64]>,
) -> io::Result<u64> {
    let rows = graph.rows();
    let mut checked = Checked {
        out,
        checksum: Checksum::default(),
    };
    let (ids, text): (&[u64], &str) = match names {
        Names::Range { .. } => (&[], ""),
        Names::Ids(ids) => (ids, ""),
        Names::Strings(strings) => (strings.parts().1, strings.parts().0),
    };
    let weights: &[u8] = if W::UNIT {
        &[]
    } else {
        bytemuck::cast_slice(rows.weights)
    };
    let sections: [&[u8]; 6] = [
        bytemuck::cast_slice(rows.offsets),
        bytemuck::cast_slice(rows.targets),
        weights,
        bytemuck::cast_slice(masses.unwrap_or(&[])),
        bytemuck::cast_slice(ids),
        text.as_bytes(),
    ];
    for section in sections {
        let length = checked.checksum.length;
        let gap = length.next_multiple_of(ALIGN) - length;
        checked.write(&[0; ALIGN][..gap])?;
        checked.write(section)?;
    }
    Ok(checked.checksum.finish())
}
