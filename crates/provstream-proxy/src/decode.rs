//! Undoes the compression of bodies that an upstream compresses although it was not asked to.

use std::io::{self, Read as _, Write};

use brotli_decompressor::DecompressorWriter;
use flate2::write::{MultiGzDecoder, ZlibDecoder};
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};

/// Bytes that are decompressed at a time.
const STEP: usize = 1 << 10;

/// Most bytes that one step may become. More is a bomb: events do not compress to a 500th.
const MAX_STEP: usize = 1 << 19;

/// Largest window of a zstd frame: what RFC 8878 3.1.1.1.2 recommends decoders to support.
const MAX_WINDOW: u64 = 8 << 20;

/// A buffer that takes only so much.
#[derive(Debug, Default)]
pub(crate) struct Limited(Vec<u8>);

impl Write for Limited {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.0.len() + bytes.len() > MAX_STEP {
            return Err(io::Error::other(TooMuch));
        }
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A step became more than it may.
#[derive(Debug)]
pub(crate) struct TooMuch;

impl core::fmt::Display for TooMuch {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(
            f,
            "the body grows to more than {MAX_STEP} bytes for {STEP} bytes of its compressed form"
        )
    }
}

impl core::error::Error for TooMuch {}

/// Decompresses a body that comes in pieces.
pub(crate) enum Decoder {
    Gzip(MultiGzDecoder<Limited>),
    Deflate(ZlibDecoder<Limited>),
    Brotli(Box<DecompressorWriter<Limited>>),
    Zstd(Box<Zstd>),
}

impl core::fmt::Debug for Decoder {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(match self {
            Self::Gzip(_) => "Gzip",
            Self::Deflate(_) => "Deflate",
            Self::Brotli(_) => "Brotli",
            Self::Zstd(_) => "Zstd",
        })
    }
}

impl Decoder {
    /// The decoder of a content encoding; `None` for one that is not known, or for several.
    pub(crate) fn of(encoding: &str) -> Option<Self> {
        match encoding.trim().to_ascii_lowercase().as_str() {
            "gzip" | "x-gzip" => Some(Self::Gzip(MultiGzDecoder::new(Limited::default()))),
            "deflate" => Some(Self::Deflate(ZlibDecoder::new(Limited::default()))),
            "br" => Some(Self::Brotli(Box::new(DecompressorWriter::new(
                Limited::default(),
                STEP,
            )))),
            "zstd" => Some(Self::Zstd(Box::default())),
            _ => None,
        }
    }

    /// Decompresses the next bytes, and gives what they become to `take`, a step at a time.
    pub(crate) fn push(&mut self, bytes: &[u8], mut take: impl FnMut(&[u8])) -> io::Result<()> {
        for step in bytes.chunks(STEP) {
            match self {
                Self::Gzip(decoder) => {
                    decoder.write_all(step)?;
                    decoder.flush()?;
                    drain(decoder.get_mut(), &mut take);
                }
                Self::Deflate(decoder) => {
                    decoder.write_all(step)?;
                    decoder.flush()?;
                    drain(decoder.get_mut(), &mut take);
                }
                Self::Brotli(decoder) => {
                    decoder.write_all(step)?;
                    decoder.flush()?;
                    drain(decoder.get_mut(), &mut take);
                }
                Self::Zstd(decoder) => decoder.push(step, &mut take)?,
            }
        }
        Ok(())
    }

    /// Reports whether the compressed body has an end.
    pub(crate) fn finish(&mut self, mut take: impl FnMut(&[u8])) -> io::Result<()> {
        match self {
            Self::Gzip(decoder) => {
                decoder.try_finish()?;
                drain(decoder.get_mut(), &mut take);
            }
            Self::Deflate(decoder) => {
                decoder.try_finish()?;
                drain(decoder.get_mut(), &mut take);
            }
            Self::Brotli(decoder) => {
                decoder.close()?;
                drain(decoder.get_mut(), &mut take);
            }
            Self::Zstd(decoder) => return decoder.finish(),
        }
        Ok(())
    }
}

fn drain(buffer: &mut Limited, take: &mut impl FnMut(&[u8])) {
    take(&buffer.0);
    buffer.0.clear();
}

/// Frames of Zstandard (RFC 8878 3.1.1).
pub(crate) struct Zstd {
    decoder: FrameDecoder,
    /// What is not a whole header or block yet: at most 128 KiB and a few bytes.
    input: Vec<u8>,
    is_in_frame: bool,
    has_checksum: bool,
}

impl Default for Zstd {
    fn default() -> Self {
        let mut decoder = FrameDecoder::new();
        decoder.set_max_window_size(MAX_WINDOW);
        Self {
            decoder,
            input: Vec::new(),
            is_in_frame: false,
            has_checksum: false,
        }
    }
}

/// The longest header of a frame, in bytes.
const MAX_HEADER: usize = 18;

impl Zstd {
    fn push(&mut self, bytes: &[u8], take: &mut impl FnMut(&[u8])) -> io::Result<()> {
        self.input.extend_from_slice(bytes);
        let mut total = 0;
        loop {
            let goes_on = if self.is_in_frame {
                self.block(&mut total, take)?
            } else {
                self.header()?
            };
            if total > MAX_STEP {
                return Err(io::Error::other(TooMuch));
            }
            if !goes_on {
                return Ok(());
            }
        }
    }

    /// Begins a frame; false if more of its header is needed.
    fn header(&mut self) -> io::Result<bool> {
        let Some(descriptor) = self.input.get(4) else {
            return Ok(false);
        };
        self.has_checksum = descriptor & 4 != 0;
        let mut rest = &self.input[..];
        if let Err(error) = self.decoder.reset(&mut rest) {
            let may_be_cut = self.input.len() < MAX_HEADER;
            return if may_be_cut {
                Ok(false)
            } else {
                Err(invalid(error))
            };
        }
        let taken = self.input.len() - rest.len();
        self.input.drain(..taken);
        self.is_in_frame = true;
        Ok(true)
    }

    /// Decodes a block; false if more of it is needed.
    fn block(&mut self, total: &mut usize, take: &mut impl FnMut(&[u8])) -> io::Result<bool> {
        let [first, second, third, ..] = self.input[..] else {
            return Ok(false);
        };
        let header = u32::from_le_bytes([first, second, third, 0]);
        let is_last = header & 1 != 0;
        // A block of one byte that is repeated has that byte alone.
        let size = if header >> 1 & 3 == 1 {
            1
        } else {
            (header >> 3) as usize
        };
        let checksum = if is_last && self.has_checksum { 4 } else { 0 };
        let length = 3 + size + checksum;
        let Some(mut block) = self.input.get(..length) else {
            return Ok(false);
        };
        self.decoder
            .decode_blocks(&mut block, BlockDecodingStrategy::UptoBlocks(1))
            .map_err(invalid)?;
        self.input.drain(..length);
        let mut out = [0; 1 << 13];
        loop {
            let count = self.decoder.read(&mut out)?;
            if count == 0 {
                break;
            }
            *total += count;
            take(&out[..count]);
        }
        if is_last {
            self.is_in_frame = false;
            let expected = self.decoder.get_checksum_from_data();
            if expected.is_some() && expected != self.decoder.get_calculated_checksum() {
                return Err(io::ErrorKind::InvalidData.into());
            }
        }
        Ok(true)
    }

    fn finish(&self) -> io::Result<()> {
        if self.is_in_frame || !self.input.is_empty() {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        Ok(())
    }
}

fn invalid(error: impl core::error::Error + Send + Sync + 'static) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, error)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "data: {\"choices\":[]}\n\n";

    fn through(encoding: &str, body: &[u8], size: usize) -> io::Result<Vec<u8>> {
        let mut out = Vec::new();
        let mut decoder = Decoder::of(encoding).expect("a known encoding");
        for piece in body.chunks(size) {
            decoder.push(piece, |bytes| out.extend_from_slice(bytes))?;
        }
        decoder.finish(|bytes| out.extend_from_slice(bytes))?;
        Ok(out)
    }

    fn gzip(body: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
        encoder.write_all(body).expect("memory");
        encoder.finish().expect("memory")
    }

    fn zstd(body: &[u8]) -> Vec<u8> {
        ruzstd::encoding::compress_to_vec(body, ruzstd::encoding::CompressionLevel::Fastest)
    }

    #[test]
    fn bodies_in_pieces_are_decompressed() {
        let body = TEXT.repeat(500).into_bytes();
        for (encoding, compressed) in [("gzip", gzip(&body)), ("zstd", zstd(&body))] {
            for size in [1, 7, 64, compressed.len()] {
                let out = through(encoding, &compressed, size).expect(encoding);
                assert_eq!(out, body, "{encoding}, pieces of {size}");
                let cut = &compressed[..compressed.len() - 5];
                assert!(
                    through(encoding, cut, size).is_err(),
                    "{encoding}, pieces of {size}"
                );
            }
        }
        // `printf 'It rains.' | brotli`
        let brotli = b"\x0b\x04\x80It rains.\x03";
        for size in [1, 5, brotli.len()] {
            assert_eq!(through("br", brotli, size).expect("br"), b"It rains.");
            assert!(through("br", &brotli[..brotli.len() - 2], size).is_err());
        }
    }

    #[test]
    fn bombs_are_errors() {
        let body = vec![b' '; 8 << 20];
        for (encoding, compressed) in [("gzip", gzip(&body)), ("zstd", zstd(&body))] {
            assert!(
                through(encoding, &compressed, 1 << 16).is_err(),
                "{encoding}"
            );
        }
    }

    #[test]
    fn garbage_is_an_error() {
        for encoding in ["gzip", "deflate", "br", "zstd"] {
            assert!(through(encoding, &[0xff; 100], 7).is_err(), "{encoding}");
        }
        assert!(Decoder::of("gzip, br").is_none() && Decoder::of("aws-chunked").is_none());
    }
}
