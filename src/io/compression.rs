//! Compressed files: gzip and Zstandard, behind the feature `compress`.

use std::io::{self, BufRead, Read, Write};
use std::path::Path;

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Compression {
    None,
    Gzip,
    Zstd,
}

impl Compression {
    pub fn of(start: &[u8]) -> Self {
        match start {
            [0x1f, 0x8b, ..] => Self::Gzip,
            [0x28, 0xb5, 0x2f, 0xfd, ..] => Self::Zstd,
            _ => Self::None,
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            Self::None => "plain",
            Self::Gzip => "gzip",
            Self::Zstd => "Zstandard",
        }
    }

    /// What the name of a file promises.
    pub fn of_name(path: &Path) -> Self {
        match path.extension().and_then(|e| e.to_str()) {
            Some("gz") => Self::Gzip,
            Some("zst") => Self::Zstd,
            _ => Self::None,
        }
    }

    /// Reads through the decompression.
    pub fn decoder(self, raw: impl BufRead + Send + 'static) -> io::Result<Box<dyn Read + Send>> {
        match self {
            Self::None => Ok(Box::new(raw)),
            #[cfg(feature = "compress")]
            Self::Gzip => Ok(Box::new(flate2::bufread::MultiGzDecoder::new(raw))),
            #[cfg(feature = "compress")]
            Self::Zstd => Ok(Box::new(zstd::stream::read::Decoder::with_buffer(raw)?)),
            #[cfg(not(feature = "compress"))]
            Self::Gzip | Self::Zstd => Err(self.unavailable()),
        }
    }

    /// Lets `write` fill `file` through the compression; Zstandard data carry a checksum, as gzip
    /// data always do.
    pub fn encode(
        self,
        file: &mut dyn Write,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> io::Result<()> {
        match self {
            Self::None => write(file),
            #[cfg(feature = "compress")]
            Self::Gzip => {
                let encoder = flate2::write::GzEncoder::new(file, flate2::Compression::default());
                let mut out = io::BufWriter::new(encoder);
                write(&mut out)?;
                out.into_inner()
                    .map_err(io::IntoInnerError::into_error)?
                    .finish()?;
                Ok(())
            }
            #[cfg(feature = "compress")]
            Self::Zstd => {
                let mut encoder = zstd::stream::write::Encoder::new(file, 0)?;
                encoder.include_checksum(true)?;
                let mut out = io::BufWriter::new(encoder);
                write(&mut out)?;
                out.into_inner()
                    .map_err(io::IntoInnerError::into_error)?
                    .finish()?;
                Ok(())
            }
            #[cfg(not(feature = "compress"))]
            Self::Gzip | Self::Zstd => Err(self.unavailable()),
        }
    }

    #[cfg(not(feature = "compress"))]
    fn unavailable(self) -> io::Error {
        let message = format!(
            "this build of lambdacut has no {} compression: enable its feature `compress`",
            self.name()
        );
        io::Error::new(io::ErrorKind::Unsupported, message)
    }
}
