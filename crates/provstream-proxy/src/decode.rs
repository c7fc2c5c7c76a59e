//! Decompresses bodies that an upstream compresses although the proxy did not accept an encoding.

use std::io::{self, Write};

use brotli_decompressor::DecompressorWriter;
use flate2::write::{DeflateDecoder, MultiGzDecoder, ZlibDecoder};
use zstd::stream::raw::{self, DParameter, Operation as _};

/// Compressed bytes decoded in one step.
const STEP: usize = 1 << 10;

/// Most bytes that one step may produce. A larger ratio is a decompression bomb: events do not
/// compress to a 500th.
const MAX_STEP: usize = 1 << 19;

/// Base-2 logarithm of the largest window of a zstd frame: 8 MiB, which RFC 8878 3.1.1.1.2 recommends decoders to support.
const MAX_WINDOW_LOG: u32 = 23;

/// A buffer of at most `MAX_STEP` bytes.
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

/// A step produced more than `MAX_STEP` bytes.
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

/// Decompresses a body that arrives in pieces.
pub(crate) enum BodyDecoder {
    Gzip(MultiGzDecoder<Limited>),
    Deflate(Deflate),
    Brotli(Box<DecompressorWriter<Limited>>),
    Zstd(Zstd),
}

impl core::fmt::Debug for BodyDecoder {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(match self {
            Self::Gzip(_) => "Gzip",
            Self::Deflate(_) => "Deflate",
            Self::Brotli(_) => "Brotli",
            Self::Zstd(_) => "Zstd",
        })
    }
}

impl BodyDecoder {
    /// Returns the decoder for a content encoding, or `None` for an unknown one or several.
    pub(crate) fn of(encoding: &str) -> Option<Self> {
        match encoding.trim().to_ascii_lowercase().as_str() {
            "gzip" | "x-gzip" => Some(Self::Gzip(MultiGzDecoder::new(Limited::default()))),
            "deflate" => Some(Self::Deflate(Deflate::Unknown)),
            "br" => Some(Self::Brotli(Box::new(DecompressorWriter::new(
                Limited::default(),
                STEP,
            )))),
            "zstd" => Zstd::new().ok().map(Self::Zstd),
            _ => None,
        }
    }

    /// Decompresses the next bytes, and passes the result to `take` step by step.
    pub(crate) fn push(&mut self, bytes: &[u8], mut take: impl FnMut(&[u8])) -> io::Result<()> {
        for step in bytes.chunks(STEP) {
            match self {
                Self::Gzip(decoder) => {
                    decoder.write_all(step)?;
                    decoder.flush()?;
                    drain(decoder.get_mut(), &mut take);
                }
                Self::Deflate(decoder) => decoder.push(step, &mut take)?,
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

    /// Ends the body. Fails if the compressed data is incomplete.
    pub(crate) fn finish(&mut self, mut take: impl FnMut(&[u8])) -> io::Result<()> {
        match self {
            Self::Gzip(decoder) => {
                decoder.try_finish()?;
                drain(decoder.get_mut(), &mut take);
            }
            Self::Deflate(decoder) => decoder.finish(&mut take)?,
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

/// Decoder for `deflate`: the zlib format (RFC 9110 8.4.1.2), or raw DEFLATE, as some servers send.
pub(crate) enum Deflate {
    Unknown,
    Zlib(ZlibDecoder<Limited>),
    Raw(DeflateDecoder<Limited>),
}

/// Lower half of the first byte of the zlib format (RFC 1950 2.2). In raw DEFLATE this would be a
/// stored block with nonzero padding, which no compressor writes.
const ZLIB_METHOD: u8 = 8;

impl Deflate {
    fn push(&mut self, step: &[u8], take: &mut impl FnMut(&[u8])) -> io::Result<()> {
        if let (Self::Unknown, Some(first)) = (&self, step.first()) {
            *self = match first & 0x0F == ZLIB_METHOD {
                true => Self::Zlib(ZlibDecoder::new(Limited::default())),
                false => Self::Raw(DeflateDecoder::new(Limited::default())),
            };
        }
        match self {
            Self::Unknown => {}
            Self::Zlib(decoder) => {
                decoder.write_all(step)?;
                decoder.flush()?;
                drain(decoder.get_mut(), take);
            }
            Self::Raw(decoder) => {
                decoder.write_all(step)?;
                decoder.flush()?;
                drain(decoder.get_mut(), take);
            }
        }
        Ok(())
    }

    fn finish(&mut self, take: &mut impl FnMut(&[u8])) -> io::Result<()> {
        match self {
            Self::Unknown => return Err(io::ErrorKind::UnexpectedEof.into()),
            Self::Zlib(decoder) => {
                decoder.try_finish()?;
                drain(decoder.get_mut(), take);
            }
            Self::Raw(decoder) => {
                decoder.try_finish()?;
                drain(decoder.get_mut(), take);
            }
        }
        Ok(())
    }
}

/// Decoder for Zstandard frames (RFC 8878 3.1.1).
pub(crate) struct Zstd {
    decoder: raw::Decoder<'static>,
    /// `true` if the input ends after a complete frame.
    is_complete: bool,
}

impl Zstd {
    fn new() -> io::Result<Self> {
        let mut decoder = raw::Decoder::new()?;
        decoder.set_parameter(DParameter::WindowLogMax(MAX_WINDOW_LOG))?;
        Ok(Self {
            decoder,
            is_complete: true,
        })
    }

    fn push(&mut self, step: &[u8], take: &mut impl FnMut(&[u8])) -> io::Result<()> {
        let mut out = [0; 1 << 13];
        let (mut rest, mut total, mut is_full) = (step, 0, false);
        while !rest.is_empty() || is_full {
            let status = self.decoder.run_on_buffers(rest, &mut out)?;
            rest = &rest[status.bytes_read..];
            total += status.bytes_written;
            if total > MAX_STEP {
                return Err(io::Error::other(TooMuch));
            }
            take(&out[..status.bytes_written]);
            is_full = status.bytes_written == out.len();
            // After a frame, without more input, the decoder waits for the next one.
            let is_idle = status.bytes_read == 0 && status.bytes_written == 0;
            self.is_complete = status.remaining == 0 || (is_idle && self.is_complete);
        }
        Ok(())
    }

    fn finish(&self) -> io::Result<()> {
        match self.is_complete {
            true => Ok(()),
            false => Err(io::ErrorKind::UnexpectedEof.into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "data: {\"choices\":[]}\n\n";

    fn through(encoding: &str, body: &[u8], size: usize) -> io::Result<Vec<u8>> {
        let mut out = Vec::new();
        let mut decoder = BodyDecoder::of(encoding).expect("a known encoding");
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

    fn zlib(body: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::best());
        encoder.write_all(body).expect("memory");
        encoder.finish().expect("memory")
    }

    fn deflate(body: &[u8], level: u32) -> Vec<u8> {
        let level = flate2::Compression::new(level);
        let mut encoder = flate2::write::DeflateEncoder::new(Vec::new(), level);
        encoder.write_all(body).expect("memory");
        encoder.finish().expect("memory")
    }

    fn zstd(body: &[u8]) -> Vec<u8> {
        zstd::encode_all(body, 3).expect("memory")
    }

    /// Events that differ, as those of an answer do.
    fn events(count: u64) -> Vec<u8> {
        let event = |n: u64| format!("data: {{\"n\":{n},\"square\":{}}}\n\n", n * n);
        (1..=count).map(event).collect::<String>().into_bytes()
    }

    #[test]
    fn bodies_in_pieces_are_decompressed() {
        let body = TEXT.repeat(500).into_bytes();
        for (encoding, compressed) in [
            ("gzip", gzip(&body)),
            ("zstd", zstd(&body)),
            ("deflate", zlib(&body)),
            ("deflate", deflate(&body, 0)),
            ("deflate", deflate(&body, 1)),
            ("deflate", deflate(&body, 9)),
        ] {
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

    /// Files of the command `zstd` 1.5.7, beside this crate.
    #[test]
    fn files_of_the_zstd_command_are_decompressed() {
        let blocks: &[u8] = include_bytes!("../tests/zstd/blocks.zst");
        let frames: &[u8] = include_bytes!("../tests/zstd/two-frames.zst");
        let skipped = [b"\x50\x2a\x4d\x18\x03\0\0\0abc", frames].concat();
        for (name, file, expected) in [
            // Several blocks and no checksum.
            ("blocks", blocks, events(4_500)),
            // The first without a checksum, the second with one.
            ("two frames", frames, events(40).repeat(2)),
            ("a skippable frame", &skipped, events(40).repeat(2)),
        ] {
            for size in [1, 7, 1_000, file.len()] {
                let out = through("zstd", file, size).expect(name);
                assert!(out == expected, "{name}, pieces of {size}");
            }
            for cut in [1, 5, file.len() / 2] {
                let cut = &file[..file.len() - cut];
                let error = through("zstd", cut, 100).expect_err(name);
                assert_eq!(error.kind(), io::ErrorKind::UnexpectedEof, "{name}");
            }
        }
        // `zstd --long=27` asks for a window of 128 MiB.
        let long = include_bytes!("../tests/zstd/long-window.zst");
        assert!(through("zstd", long, 100).is_err());
        let mut broken = frames.to_vec();
        *broken.last_mut().expect("a checksum") ^= 1;
        assert!(through("zstd", &broken, 100).is_err());
        assert_eq!(through("zstd", b"", 1).expect("nothing"), b"");
    }

    /// A body that does not compress to a 500th is no bomb, however long it is, and each event comes out when it is flushed.
    #[test]
    fn a_long_body_of_zstd_is_streamed() {
        let body = events(18_000);
        assert!(body.len() > 640_000);
        for level in [1, 3, 9, 19] {
            let compressed = zstd::encode_all(&body[..], level).expect("memory");
            let out = through("zstd", &compressed, 1 << 16).expect("no bomb");
            assert!(out == body, "level {level}");
        }
        let mut encoder = zstd::Encoder::new(Vec::new(), 3).expect("memory");
        let mut decoder = BodyDecoder::of("zstd").expect("a known encoding");
        let (mut sent, mut out) = (0, Vec::new());
        for (number, event) in body
            .split_inclusive(|byte| *byte == b'\n')
            .take(100)
            .enumerate()
        {
            encoder.write_all(event).expect("memory");
            encoder.flush().expect("memory");
            let compressed = encoder.get_ref();
            let pushed = decoder.push(&compressed[sent..], |bytes| out.extend_from_slice(bytes));
            pushed.expect("zstd");
            sent = compressed.len();
            assert!(
                out.ends_with(event),
                "line {number} waits for the end of its frame"
            );
        }
    }

    #[test]
    fn bombs_are_errors() {
        let body = vec![b' '; 8 << 20];
        for (encoding, compressed) in [
            ("gzip", gzip(&body)),
            ("zstd", zstd(&body)),
            ("deflate", deflate(&body, 9)),
        ] {
            let error = through(encoding, &compressed, 1 << 16).expect_err(encoding);
            let is_bomb = error.get_ref().is_some_and(|inner| inner.is::<TooMuch>());
            assert!(is_bomb, "{encoding}: {error}");
        }
    }

    #[test]
    fn garbage_is_an_error() {
        for encoding in ["gzip", "deflate", "br", "zstd"] {
            assert!(through(encoding, &[0xff; 100], 7).is_err(), "{encoding}");
        }
        assert!(BodyDecoder::of("gzip, br").is_none() && BodyDecoder::of("aws-chunked").is_none());
    }
}
