//! The own binary format: the finished arrays, mapped and used where they are.
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
//! xxh3 of the xxh3s of each MiB behind the header, so that it is computed in parallel.
//!
//! Reading checks magic, version, length, checksums, and every index and weight before it is used;
//! nothing is copied but names.

use super::error::ReadError;
use super::load::{LoadOptions, Loaded};
use super::source::Bytes;
use crate::graph::names::{Names, Strings};
use crate::graph::{
    AnyCsr, Array, BuildError, Counts, Csr, EdgeList, GraphError, Policy, SelfLoops, Unit, Weight,
    build,
};
use crate::with_csr;
use bytemuck::{Pod, Zeroable};
use memmap2::Mmap;
use rayon::prelude::*;
use std::io::{self, Write};
use std::sync::Arc;
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

/// The first bytes of every file of this format.
pub(super) const MAGIC: [u8; 8] = *b"LAMBDCUT";

const VERSION: u32 = 1;
const ALIGN: usize = 64;
const HEADER: usize = 128;
const CHECKED_BLOCK: usize = 1 << 20;

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

/// The checksum of everything behind the header.
fn checksum(bytes: &[u8]) -> u64 {
    let blocks: Vec<u64> = bytes.par_chunks(CHECKED_BLOCK).map(xxh3_64).collect();
    xxh3_64(bytemuck::cast_slice(&blocks))
}

/// Reads a binary graph. A mapped file is used where it is; content in memory is copied once. Of
/// the policy only `unweighted` and dropping self-loops can still change a finished graph.
pub(super) fn load(file: &str, bytes: Bytes, options: &LoadOptions) -> Result<Loaded, ReadError> {
    if cfg!(target_endian = "big") {
        return Err(ReadError::file(
            file,
            "binary graphs can only be used on little-endian machines",
        ));
    }
    let (header, sections) = checked_header(file, &bytes)?;
    let names = read_names(&header, &sections, &bytes)
        .ok_or_else(|| ReadError::file(file, "the names are damaged"))?;
    let masses = (header.masses == 1)
        .then(|| copied::<f64>(&bytes, sections.masses, header.vertices as usize));
    if masses
        .iter()
        .flatten()
        .any(|m| !(m.is_finite() && *m >= 0.0))
    {
        return Err(ReadError::file(
            file,
            "a vertex weight is negative or not finite",
        ));
    }
    let graph = match header.weights {
        0 => read_arrays::<Unit>(&header, &sections, bytes).map(AnyCsr::Unit),
        1 => read_arrays::<f32>(&header, &sections, bytes).map(AnyCsr::F32),
        _ => read_arrays::<f64>(&header, &sections, bytes).map(AnyCsr::F64),
    };
    let graph = graph.map_err(|e| ReadError::file(file, e.to_string()))?;
    let (graph, counts) =
        with_policy(graph, options.policy).map_err(|e| ReadError::file(file, e.to_string()))?;
    Ok(Loaded {
        graph,
        names,
        counts,
        masses,
        sha256: None,
        seconds: 0.0,
    })
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

fn checked_header(file: &str, bytes: &[u8]) -> Result<(Header, Sections), ReadError> {
    let wrong = |what: &'static str| Err(ReadError::file(file, what));
    if !bytes.starts_with(&MAGIC) {
        return wrong("not a binary graph: bad magic");
    }
    let Some(start) = bytes.get(..HEADER) else {
        return wrong("the binary graph is truncated: no whole header");
    };
    let header: Header = bytemuck::pod_read_unaligned(start);
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
    if sections.length != bytes.len() || header.length != bytes.len() as u64 {
        let (found, wanted) = (bytes.len(), header.length);
        return Err(ReadError::file(
            file,
            format!("the binary graph is damaged: {found} bytes long instead of {wanted}"),
        ));
    }
    if header.checksum != checksum(&bytes[HEADER..]) {
        return wrong("the binary graph is damaged: bad checksum");
    }
    Ok((header, sections))
}

/// Values at a place that [`Header::sections`] has shown to be inside the file.
fn copied<T: Pod>(bytes: &[u8], start: usize, count: usize) -> Vec<T> {
    let slice = &bytes[start..start + count * size_of::<T>()];
    slice
        .chunks_exact(size_of::<T>().max(1))
        .map(bytemuck::pod_read_unaligned)
        .collect()
}

fn read_names(header: &Header, sections: &Sections, bytes: &[u8]) -> Option<Names> {
    let n = header.vertices as usize;
    match header.names {
        0 => header
            .name_info
            .checked_add(header.vertices)
            .map(|_| Names::Range {
                first: header.name_info,
                count: n,
            }),
        1 => {
            let ids: Vec<u64> = copied(bytes, sections.names, n);
            ids.windows(2)
                .all(|w| w[0] < w[1])
                .then_some(Names::Ids(ids))
        }
        _ => {
            let text = String::from_utf8(bytes[sections.text..sections.length].to_vec()).ok()?;
            Strings::from_parts(text, copied(bytes, sections.names, n)).map(Names::Strings)
        }
    }
}

fn read_arrays<W: Weight>(
    header: &Header,
    sections: &Sections,
    bytes: Bytes,
) -> Result<Csr<W>, GraphError> {
    let (n, arcs) = (header.vertices as usize, header.arcs as usize);
    match bytes {
        Bytes::Mapped(map) => {
            let offsets = array(&map, sections.offsets, n + 1)?;
            let targets = array(&map, sections.targets, arcs)?;
            let weights = if W::UNIT {
                vec![W::of(1.0); arcs].into()
            } else {
                array(&map, sections.weights, arcs)?
            };
            Csr::from_arrays(offsets, targets, weights)
        }
        Bytes::Owned(bytes) => {
            let weights = if W::UNIT {
                vec![W::of(1.0); arcs]
            } else {
                copied(&bytes, sections.weights, arcs)
            };
            let (offsets, targets) = (
                copied(&bytes, sections.offsets, n + 1),
                copied(&bytes, sections.targets, arcs),
            );
            Csr::from_arrays(
                Array::Owned(offsets),
                Array::Owned(targets),
                Array::Owned(weights),
            )
        }
    }
}

fn array<T: Pod>(map: &Arc<Mmap>, start: usize, count: usize) -> Result<Array<T>, GraphError> {
    Array::mapped(Arc::clone(map), start, count).ok_or(GraphError::Offsets)
}

/// Counts and hashes what is written, in the blocks of [`checksum`].
struct Checked<'a> {
    out: &'a mut dyn Write,
    length: usize,
    block: Xxh3,
    blocks: Vec<u64>,
}

impl Checked<'_> {
    fn write(&mut self, mut bytes: &[u8]) -> io::Result<()> {
        self.out.write_all(bytes)?;
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
        Ok(())
    }

    fn finish(mut self) -> u64 {
        if !self.length.is_multiple_of(CHECKED_BLOCK) {
            self.blocks.push(self.block.digest());
        }
        xxh3_64(bytemuck::cast_slice(&self.blocks))
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
        length: 0,
        block: Xxh3::new(),
        blocks: Vec::new(),
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
        let gap = checked.length.next_multiple_of(ALIGN) - checked.length;
        checked.write(&[0; ALIGN][..gap])?;
        checked.write(section)?;
    }
    Ok(checked.finish())
}
