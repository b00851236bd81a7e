//! Where bytes come from: a file, a compressed file, a pipe, standard input.
//!
//! An input is opened once and read once, from its first byte to its last; its hash is that of the
//! bytes read, so pipes have one as well as files. Compression is recognised by content.
//!
//! Files are read, never mapped: another process may truncate or change a file at any time, and what
//! was checked must be what is used. An edge list is read in blocks that end at a line end, one block
//! ahead of the parser, so that memory is bounded by the blocks and not by the text.

use super::compression::Compression;
use super::error::ReadError;
use super::lines::newlines;
use super::shown::display;
use sha2::{Digest, Sha256};
use std::fs::File;
use std::io::{self, BufReader, Chain, Cursor, Read};
use std::path::Path;
use std::sync::{Arc, Mutex};

/// Bytes of text read at a time.
const BLOCK: usize = 32 << 20;

/// The least bytes read at a time, however little memory is allowed.
const SMALLEST_BLOCK: usize = 64 << 10;

/// The longest line of an edge list. Names are not that long: without line ends this is no list.
const LONGEST_LINE: usize = 16 << 20;

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
    pub fn beside(self, bytes: usize) -> Self {
        Self {
            used: self.used + bytes as u64,
            ..self
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

    /// How much text to read at a time: a parsed block takes several times its size.
    fn block(self) -> usize {
        let affordable = self.limit.map_or(BLOCK as u64, |limit| limit / 32);
        (affordable as usize).clamp(SMALLEST_BLOCK, BLOCK)
    }
}

/// An opened input: decompressed bytes, in order.
pub(super) struct Source {
    /// How messages call it.
    pub file: String,
    reader: Box<dyn Read + Send>,
    compression: Compression,
    budget: Budget,
    /// How long the text is, where that is known before it is read.
    length: Option<u64>,
    /// The hash of the bytes read so far, as they are stored.
    hash: Option<Arc<Mutex<Sha256>>>,
    /// How much text was read so far.
    read: Position,
    /// What was read of the line that the next block starts with.
    carry: Vec<u8>,
}

impl Source {
    /// Opens a file, or standard input for `-`, to be read within the budget; `hashed` if its hash
    /// will be asked for.
    pub fn open(path: &Path, budget: Budget, hashed: bool) -> Result<Self, ReadError> {
        let file = display(path);
        if path == Path::new("-") {
            return Self::new(file, Box::new(io::stdin()), None, budget, hashed);
        }
        let opened = File::open(path).map_err(|cause| ReadError::io(&file, cause))?;
        let meta = opened
            .metadata()
            .map_err(|cause| ReadError::io(&file, cause))?;
        if meta.is_dir() {
            return Err(ReadError::file(&file, "is a directory, not a file"));
        }
        let length = meta.is_file().then_some(meta.len());
        if length == Some(0) {
            return Err(ReadError::file(&file, "the file is empty"));
        }
        let source = Self::new(file, Box::new(opened), length, budget, hashed)?;
        let promised = meta.is_file() && Compression::of_name(path) != Compression::None;
        if promised && source.compression == Compression::None {
            return Err(ReadError::file(
                &source.file,
                "the name says compressed, but this is no gzip or Zstandard data",
            ));
        }
        Ok(source)
    }

    fn new(
        file: String,
        raw: Box<dyn Read + Send>,
        length: Option<u64>,
        budget: Budget,
        hashed: bool,
    ) -> Result<Self, ReadError> {
        let hash = hashed.then(|| Arc::new(Mutex::new(Sha256::new())));
        let mut raw: Box<dyn Read + Send> = match &hash {
            Some(hash) => Box::new(Hashed {
                inner: raw,
                hash: Arc::clone(hash),
            }),
            None => raw,
        };
        let mut start = Vec::with_capacity(4);
        let opened = (&mut raw).take(4).read_to_end(&mut start);
        opened.map_err(|cause| ReadError::io(&file, cause))?;
        let compression = Compression::of(&start);
        let raw: BufReader<Chain<Cursor<Vec<u8>>, _>> =
            BufReader::with_capacity(1 << 18, Cursor::new(start).chain(raw));
        let reader = compression
            .decoder(raw)
            .map_err(|cause| ReadError::io(&file, cause))?;
        Ok(Self {
            file,
            reader,
            compression,
            budget,
            length: length.filter(|_| compression == Compression::None),
            hash,
            read: Position::default(),
            carry: Vec::new(),
        })
    }

    /// How long the text is, where that is known before it is read.
    pub fn length(&self) -> Option<u64> {
        self.length
    }

    /// SHA-256 of the bytes read so far, as they are stored: once all is read, that of the input.
    pub fn sha256(&self) -> Option<String> {
        let hash = self.hash.as_ref()?.lock().ok()?;
        Some(hex(hash.clone()))
    }

    /// Memory that the blocks take while they are read and parsed.
    pub fn block_bytes(&self) -> usize {
        let block = self.budget.block();
        2 * self
            .length
            .map_or(block, |length| block.min(length as usize))
    }

    /// Appends up to `most` bytes and says how many.
    fn fill(&mut self, bytes: &mut Vec<u8>, most: usize) -> Result<usize, ReadError> {
        let before = bytes.len();
        let read = (&mut self.reader).take(most as u64).read_to_end(bytes);
        self.read.advance(&bytes[before..]);
        read.map_err(|cause| self.failed(cause))
    }

    /// The error for what the system or the decompression says.
    fn failed(&self, cause: io::Error) -> ReadError {
        if self.compression == Compression::None {
            return ReadError::io(&self.file, cause);
        }
        let (name, Position { lines, bytes }) = (self.compression.name(), self.read);
        let line = lines + 1;
        let what = format!(
            "damaged, truncated or trailing {name} data behind byte {bytes} of the text, in line {line}: {cause}"
        );
        ReadError::file(&self.file, what)
    }

    /// The first bytes of the content, to tell its format.
    pub fn start(&mut self) -> Result<&[u8], ReadError> {
        let mut carry = std::mem::take(&mut self.carry);
        if carry.is_empty() {
            self.fill(&mut carry, 1 << 12)?;
        }
        self.carry = carry;
        Ok(&self.carry)
    }

    /// Fills `bytes` with what comes next and says how much: less only at the end of the content.
    pub fn read_into(&mut self, bytes: &mut [u8]) -> Result<usize, ReadError> {
        let ready = self.carry.len().min(bytes.len());
        bytes[..ready].copy_from_slice(&self.carry[..ready]);
        self.carry.drain(..ready);
        let mut filled = ready;
        while filled < bytes.len() {
            match self.reader.read(&mut bytes[filled..]) {
                Ok(0) => break,
                Ok(count) => {
                    self.read.bytes += count as u64;
                    filled += count;
                }
                Err(cause) if cause.kind() == io::ErrorKind::Interrupted => {}
                Err(cause) => return Err(self.failed(cause)),
            }
        }
        Ok(filled)
    }

    /// The whole content, decompressed, within the budget.
    pub fn whole(&mut self) -> Result<Vec<u8>, ReadError> {
        let mut bytes = std::mem::take(&mut self.carry);
        if let Some(length) = self.length {
            self.budget.check(&self.file, length)?;
            bytes.reserve_exact(length as usize);
        }
        let block = self.budget.block();
        loop {
            // Room grows by half, so that a large text is not moved for every block, but never
            // beyond the limit.
            if bytes.capacity() - bytes.len() < block {
                let room = (bytes.len() / 2).max(block);
                let affordable = self.budget.check(&self.file, (bytes.len() + room) as u64);
                bytes.reserve_exact(if affordable.is_ok() { room } else { block });
            }
            if self.fill(&mut bytes, block)? == 0 {
                break;
            }
            self.budget.check(&self.file, bytes.len() as u64)?;
        }
        if bytes.is_empty() {
            return Err(ReadError::file(&self.file, "the file is empty"));
        }
        Ok(bytes)
    }

    /// The next lines, whole; `None` at the end. `buffer` is recycled.
    pub fn next_block(&mut self, mut buffer: Vec<u8>) -> Result<Option<Vec<u8>>, ReadError> {
        buffer.clear();
        buffer.append(&mut self.carry);
        loop {
            let before = buffer.len();
            let count = self.fill(&mut buffer, self.budget.block())?;
            if count == 0 {
                return Ok((!buffer.is_empty()).then_some(buffer));
            }
            // What stood there before has no line end.
            if let Some(end) = buffer[before..].iter().rposition(|&b| b == b'\n') {
                self.carry.extend_from_slice(&buffer[before + end + 1..]);
                buffer.truncate(before + end + 1);
                return Ok(Some(buffer));
            }
            self.budget.check(&self.file, buffer.len() as u64)?;
            if buffer.len() > LONGEST_LINE {
                let what = format!(
                    "line {} is longer than {} MiB: this is no edge list",
                    self.read.lines + 1,
                    LONGEST_LINE >> 20
                );
                return Err(ReadError::file(&self.file, what));
            }
        }
    }
}

/// How messages call a file, and its whole content, within the limit of memory.
pub(super) fn whole(path: &Path, limit: Option<u64>) -> Result<(String, Vec<u8>), ReadError> {
    let mut source = Source::open(path, Budget::new(limit), false)?;
    let bytes = source.whole()?;
    Ok((source.file, bytes))
}

/// SHA-256 of a file as it is stored, in hexadecimal.
pub fn sha256(path: &Path) -> io::Result<String> {
    let mut file = File::open(path)?;
    let mut hash = Sha256::new();
    let mut block = vec![0; 1 << 20];
    loop {
        let count = file.read(&mut block)?;
        if count == 0 {
            return Ok(hex(hash));
        }
        hash.update(&block[..count]);
    }
}

/// The digest as text.
fn hex(hash: Sha256) -> String {
    use std::fmt::Write;
    let mut text = String::with_capacity(64);
    for byte in hash.finalize() {
        // Writing to a String cannot fail.
        let _ = write!(text, "{byte:02x}");
    }
    text
}

/// Reads and hashes.
struct Hashed {
    inner: Box<dyn Read + Send>,
    hash: Arc<Mutex<Sha256>>,
}

impl Read for Hashed {
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
        self.lines += newlines(text);
        self.bytes += text.len() as u64;
    }
}
