//! Where bytes come from: a mapped file, a compressed file, a pipe, standard input.
//!
//! Compression is recognised by content. A plain file is mapped and seen as one block; everything
//! else is read in blocks that end at a line end, one block ahead of the parser, so that memory is
//! bounded by the blocks and not by the text.

use super::compression::Compression;
use super::error::ReadError;
use memmap2::Mmap;
use sha2::{Digest, Sha256};
use std::fs::File;
use std::io::{self, BufReader, Chain, Cursor, Read};
use std::path::Path;
use std::sync::{Arc, Mutex};

/// Bytes of text read at a time from a stream.
const BLOCK: usize = 8 << 20;

/// The longest line a stream may have before it is refused: a line has to fit in memory whole.
const LONGEST_LINE: usize = 1 << 30;

/// How much memory reading may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Budget {
    limit: Option<u64>,
    /// What is taken already, by the text.
    used: u64,
}

impl Budget {
    pub fn new(limit: Option<u64>) -> Self {
        Self { limit, used: 0 }
    }

    /// What is left beside `bytes` that stay in memory.
    pub fn beside(self, bytes: &Bytes) -> Self {
        match bytes {
            Bytes::Mapped(_) => self,
            Bytes::Owned(bytes) => Self {
                used: self.used + bytes.capacity() as u64,
                ..self
            },
        }
    }

    /// Refuses `bytes` beyond the limit, before they are allocated.
    pub fn check(self, file: &str, bytes: u64) -> Result<(), ReadError> {
        let needed = bytes.saturating_add(self.used);
        match self.limit {
            Some(limit) if needed > limit => Err(ReadError::Memory {
                file: file.to_owned(),
                needed,
                limit,
            }),
            _ => Ok(()),
        }
    }
}

/// The hash of what was read from standard input so far.
pub(super) type SharedHash = Arc<Mutex<Sha256>>;

/// An opened input.
pub(super) struct Source {
    /// How messages call it.
    pub file: String,
    pub content: Content,
}

/// What an opened input holds.
pub(super) enum Content {
    Mapped(Arc<Mmap>),
    Stream(Stream),
}

impl Source {
    /// Opens a file, or standard input for `-`; bytes of standard input also go into `hash`.
    pub fn open(path: &Path, hash: Option<SharedHash>) -> Result<Self, ReadError> {
        Self::open_within(path, hash, Budget::default())
    }

    /// [`Source::open`] for streams whose lines must fit in the budget.
    pub fn open_within(
        path: &Path,
        hash: Option<SharedHash>,
        budget: Budget,
    ) -> Result<Self, ReadError> {
        let file = display(path);
        let fail = |source: io::Error| ReadError::io(&file, source);
        if path == Path::new("-") {
            let stdin: Box<dyn Read + Send> = match hash {
                Some(hash) => Box::new(Hashed {
                    inner: io::stdin(),
                    hash,
                }),
                None => Box::new(io::stdin()),
            };
            let content = Content::Stream(Stream::new(&file, stdin, budget)?);
            return Ok(Self { file, content });
        }
        let opened = File::open(path).map_err(fail)?;
        let meta = opened.metadata().map_err(fail)?;
        if meta.is_dir() {
            return Err(ReadError::file(&file, "is a directory, not a file"));
        }
        if !meta.is_file() {
            let content = Content::Stream(Stream::new(&file, Box::new(opened), budget)?);
            return Ok(Self { file, content });
        }
        if meta.len() == 0 {
            return Err(ReadError::file(&file, "the file is empty"));
        }
        let map = map(&opened).map_err(fail)?;
        let compressed = Compression::of(&map) != Compression::None;
        let named = Compression::of_name(path) != Compression::None;
        let content = match (compressed, named) {
            (true, _) => Content::Stream(Stream::new(&file, Box::new(opened), budget)?),
            (false, true) => {
                return Err(ReadError::file(
                    &file,
                    "the name says compressed, but this is no gzip or Zstandard data",
                ));
            }
            (false, false) => Content::Mapped(Arc::new(map)),
        };
        Ok(Self { file, content })
    }

    /// The first bytes of the content, to tell its format.
    pub fn start(&mut self) -> Result<&[u8], ReadError> {
        match &mut self.content {
            Content::Mapped(map) => Ok(map),
            Content::Stream(stream) => stream.peek(),
        }
    }

    /// The whole content, decompressed, within the budget.
    pub fn whole(self, budget: Budget) -> Result<(String, Bytes), ReadError> {
        match self.content {
            Content::Mapped(map) => Ok((self.file, Bytes::Mapped(map))),
            Content::Stream(mut stream) => {
                let mut bytes = std::mem::take(&mut stream.carry);
                loop {
                    // Room grows by half, so that a large text is not moved for every block, but
                    // never beyond the limit.
                    let room = (bytes.len() / 2).max(BLOCK);
                    let affordable = budget
                        .check(&self.file, (bytes.len() + room) as u64)
                        .is_ok();
                    bytes.reserve_exact(if affordable { room } else { BLOCK });
                    if stream.fill(&mut bytes, BLOCK)? == 0 {
                        break;
                    }
                    budget.check(&self.file, bytes.len() as u64)?;
                }
                if bytes.is_empty() {
                    return Err(ReadError::file(&self.file, "the file is empty"));
                }
                Ok((self.file, Bytes::Owned(bytes)))
            }
        }
    }
}

/// How messages call a path.
pub(super) fn display(path: &Path) -> String {
    if path == Path::new("-") {
        "standard input".to_owned()
    } else {
        path.display().to_string()
    }
}

#[allow(unsafe_code)]
fn map(file: &File) -> io::Result<Mmap> {
    // SAFETY: the map is only read. Should another process truncate or change the file meanwhile,
    // reads see other bytes or the process is stopped by the system; every value read is checked
    // before it is used as an index.
    unsafe { Mmap::map(file) }
}

/// SHA-256 of a file as it is stored, in hexadecimal.
pub fn sha256(path: &Path) -> io::Result<String> {
    let file = File::open(path)?;
    if file.metadata()?.len() == 0 {
        return Ok(hex(Sha256::new()));
    }
    let map = map(&file)?;
    let mut hash = Sha256::new();
    hash.update(&map[..]);
    Ok(hex(hash))
}

/// The digest as text.
pub(super) fn hex(hash: Sha256) -> String {
    use std::fmt::Write;
    hash.finalize()
        .iter()
        .fold(String::with_capacity(64), |mut text, byte| {
            // Writing to a String cannot fail.
            let _ = write!(text, "{byte:02x}");
            text
        })
}

/// Content in memory.
pub(super) enum Bytes {
    Mapped(Arc<Mmap>),
    Owned(Vec<u8>),
}

impl std::ops::Deref for Bytes {
    type Target = [u8];
    fn deref(&self) -> &[u8] {
        match self {
            Self::Mapped(map) => map,
            Self::Owned(bytes) => bytes,
        }
    }
}

/// Reads and hashes.
struct Hashed<R> {
    inner: R,
    hash: SharedHash,
}

impl<R: Read> Read for Hashed<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        if let Ok(mut hash) = self.hash.lock() {
            hash.update(&buffer[..count]);
        }
        Ok(count)
    }
}

/// A place in a text.
#[derive(Debug, Clone, Copy, Default)]
struct Position {
    /// Line ends before it.
    lines: u64,
    /// Bytes before it.
    bytes: u64,
}

impl Position {
    fn advance(&mut self, text: &[u8]) {
        self.lines += super::text::newlines(text);
        self.bytes += text.len() as u64;
    }
}

/// Decompressed bytes, in order.
pub(super) struct Stream {
    file: String,
    reader: Box<dyn Read + Send>,
    compression: Compression,
    budget: Budget,
    /// How much text was read so far.
    read: Position,
    /// What was read of the line that the next block starts with.
    carry: Vec<u8>,
}

impl Stream {
    fn new(file: &str, mut raw: Box<dyn Read + Send>, budget: Budget) -> Result<Self, ReadError> {
        let fail = |source: io::Error| ReadError::io(file, source);
        let mut start = Vec::with_capacity(4);
        (&mut raw).take(4).read_to_end(&mut start).map_err(fail)?;
        let compression = Compression::of(&start);
        let raw: BufReader<Chain<Cursor<Vec<u8>>, _>> =
            BufReader::with_capacity(1 << 18, Cursor::new(start).chain(raw));
        let reader = compression.decoder(raw).map_err(fail)?;
        Ok(Self {
            file: file.to_owned(),
            reader,
            compression,
            budget,
            read: Position::default(),
            carry: Vec::new(),
        })
    }

    /// Appends up to `most` bytes and says how many.
    fn fill(&mut self, bytes: &mut Vec<u8>, most: usize) -> Result<usize, ReadError> {
        let before = bytes.len();
        let read = (&mut self.reader).take(most as u64).read_to_end(bytes);
        self.read.advance(&bytes[before..]);
        read.map_err(|source| match self.compression {
            Compression::None => ReadError::io(&self.file, source),
            packed => {
                let (name, Position { lines, bytes }) = (packed.name(), self.read);
                let line = lines + 1;
                let what = format!(
                    "damaged, truncated or trailing {name} data behind byte {bytes} of the text, in line {line}: {source}"
                );
                ReadError::file(&self.file, what)
            }
        })
    }

    /// Reads the first block ahead.
    fn peek(&mut self) -> Result<&[u8], ReadError> {
        let mut carry = std::mem::take(&mut self.carry);
        if carry.is_empty() {
            self.fill(&mut carry, 1 << 12)?;
        }
        self.carry = carry;
        Ok(&self.carry)
    }

    /// The next lines, whole; `None` at the end. `buffer` is recycled.
    pub fn next_block(&mut self, mut buffer: Vec<u8>) -> Result<Option<Vec<u8>>, ReadError> {
        buffer.clear();
        buffer.append(&mut self.carry);
        loop {
            let count = self.fill(&mut buffer, BLOCK)?;
            if count == 0 {
                return Ok((!buffer.is_empty()).then_some(buffer));
            }
            if let Some(end) = buffer.iter().rposition(|&b| b == b'\n') {
                self.carry.extend_from_slice(&buffer[end + 1..]);
                buffer.truncate(end + 1);
                return Ok(Some(buffer));
            }
            self.budget.check(&self.file, buffer.len() as u64)?;
            if buffer.len() > LONGEST_LINE {
                return Err(ReadError::file(&self.file, "a line is longer than 1 GiB"));
            }
        }
    }
}
