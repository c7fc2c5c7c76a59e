//! Decompresses gzip and zstd; errors say what is wrong with the file.

use std::fmt;
use std::io::{self, BufRead, ErrorKind, Read};

use flate2::bufread::GzDecoder;
use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};

/// Largest window of a zstd frame, 8 MiB: what RFC 8878 3.1.1.1.2 recommends decoders to support, and enough for the levels 1
/// to 19.
const MAX_WINDOW: u64 = 8 << 20;

/// A file that ends within compressed data, after so many bytes.
fn cut_short(format: &str, bytes: u64) -> io::Error {
    let message = format!(
        "{format}: the file ends after {bytes} bytes, in the middle of compressed data; fetch or compress it again"
    );
    io::Error::new(ErrorKind::UnexpectedEof, message)
}

/// A file with other bytes after its compressed data, which have this length.
fn followed(format: &str, bytes: u64) -> io::Error {
    let message = format!(
        "{format}: expected the end of the file after {bytes} bytes of compressed data, found other bytes; `head -c {bytes}` leaves them out"
    );
    io::Error::new(ErrorKind::InvalidData, message)
}

/// Compressed data that are not what was compressed.
fn damaged(format: &str, what: &str) -> io::Error {
    let message = format!(
        "{format}: the compressed data are damaged: {what}; fetch or compress the file again"
    );
    io::Error::new(ErrorKind::InvalidData, message)
}

/// Counts what is taken of a reader.
struct Counted<R> {
    inner: R,
    count: u64,
}

impl<R: BufRead> Counted<R> {
    const fn new(inner: R) -> Self {
        Self { inner, count: 0 }
    }

    /// Whether nothing is left; what cannot be read shows when it is.
    fn is_at_end(&mut self) -> bool {
        self.inner.fill_buf().is_ok_and(<[u8]>::is_empty)
    }
}

impl<R: BufRead> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        self.count += count as u64;
        Ok(count)
    }
}

impl<R: BufRead> BufRead for Counted<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.inner.fill_buf()
    }

    fn consume(&mut self, amount: usize) {
        self.inner.consume(amount);
        self.count += amount as u64;
    }
}

/// Decompresses gzip, any number of members.
pub(crate) struct GzipReader<R> {
    /// Absent only for a moment.
    decoder: Option<GzDecoder<Counted<R>>>,
    /// Where the open member begins.
    start: u64,
}

impl<R: BufRead> GzipReader<R> {
    pub(crate) fn new(source: R) -> Self {
        Self {
            decoder: Some(GzDecoder::new(Counted::new(source))),
            start: 0,
        }
    }

    fn failure(&mut self, error: io::Error) -> io::Error {
        let Some(decoder) = &mut self.decoder else {
            return error;
        };
        let is_begun = decoder.header().is_some();
        let source = decoder.get_mut();
        match error.kind() {
            ErrorKind::UnexpectedEof if is_begun || self.start == 0 => {
                cut_short("gzip", source.count)
            }
            ErrorKind::UnexpectedEof | ErrorKind::InvalidInput if !is_begun && self.start > 0 => {
                followed("gzip", self.start)
            }
            ErrorKind::InvalidInput | ErrorKind::InvalidData => damaged("gzip", &error.to_string()),
            _ => error,
        }
    }
}

impl<R: BufRead> Read for GzipReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if buffer.is_empty() {
            return Ok(0);
        }
        loop {
            let Some(decoder) = &mut self.decoder else {
                return Ok(0);
            };
            match decoder.read(buffer) {
                Ok(0) => {}
                Ok(count) => return Ok(count),
                Err(error) if error.kind() == ErrorKind::Interrupted => return Err(error),
                Err(error) => return Err(self.failure(error)),
            }
            // The member has ended; another one may follow.
            if decoder.get_mut().fill_buf()?.is_empty() {
                return Ok(0);
            }
            let Some(decoder) = self.decoder.take() else {
                return Ok(0);
            };
            let source = decoder.into_inner();
            self.start = source.count;
            self.decoder = Some(GzDecoder::new(source));
        }
    }
}

/// Decompresses zstd, any number of frames, skippable ones included.
pub(crate) struct ZstdReader<R> {
    source: Counted<R>,
    decoder: FrameDecoder,
    /// A frame has begun whose content is not all read.
    is_in_frame: bool,
    /// Some frame was read to its end.
    has_frame: bool,
}

impl<R: BufRead> ZstdReader<R> {
    pub(crate) fn new(source: R) -> Self {
        let mut decoder = FrameDecoder::new();
        decoder.set_max_window_size(MAX_WINDOW);
        Self {
            source: Counted::new(source),
            decoder,
            is_in_frame: false,
            has_frame: false,
        }
    }

    /// Reads the header of the next frame; false at the end of the input.
    fn begin_frame(&mut self) -> io::Result<bool> {
        loop {
            if self.source.is_at_end() {
                return Ok(false);
            }
            let start = self.source.count;
            match self.decoder.reset(&mut self.source) {
                Ok(()) => return Ok(true),
                Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame {
                    length,
                    ..
                })) => {
                    let length = u64::from(length);
                    let skipped =
                        io::copy(&mut self.source.by_ref().take(length), &mut io::sink())?;
                    if skipped < length {
                        return Err(cut_short("zstd", self.source.count));
                    }
                }
                Err(error) if self.source.is_at_end() && !is_about_content(&error) => {
                    return Err(cut_short("zstd", self.source.count));
                }
                Err(error) if self.has_frame && !is_about_content(&error) => {
                    return Err(followed("zstd", start));
                }
                Err(error) => return Err(invalid(&error)),
            }
        }
    }

    fn end_frame(&mut self) -> io::Result<()> {
        self.is_in_frame = false;
        self.has_frame = true;
        let written = self.decoder.get_checksum_from_data();
        if written.is_some() && written != self.decoder.get_calculated_checksum() {
            return Err(damaged("zstd", "the checksum does not match the content"));
        }
        Ok(())
    }
}

/// Whether a frame that is as it should be cannot be read.
const fn is_about_content(error: &FrameDecoderError) -> bool {
    matches!(
        error,
        FrameDecoderError::WindowSizeTooBig { .. } | FrameDecoderError::DictNotProvided { .. }
    )
}

fn invalid(error: &FrameDecoderError) -> io::Error {
    let message = match error {
        FrameDecoderError::WindowSizeTooBig { requested, max } => {
            format!(
                "zstd: the window has {requested} bytes, expected at most {max}; decompress it first, as with `zstd -dc --long=31`"
            )
        }
        FrameDecoderError::DictNotProvided { dict_id } => {
            format!(
                "zstd: the frame needs the dictionary {dict_id:#x}, expected one without a dictionary; decompress it first, as with `zstd -dc -D FILE`"
            )
        }
        // What the decoder says of the others is for its developers.
        _ => return damaged("zstd", "they cannot be decompressed"),
    };
    io::Error::new(io::ErrorKind::InvalidData, message)
}

impl<R: BufRead> Read for ZstdReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if buffer.is_empty() {
            return Ok(0);
        }
        loop {
            if !self.is_in_frame {
                if !self.begin_frame()? {
                    return Ok(0);
                }
                self.is_in_frame = true;
            }
            let count = self.decoder.read(buffer)?;
            if count > 0 {
                return Ok(count);
            }
            if self.decoder.is_finished() {
                self.end_frame()?;
            } else {
                let read = self
                    .decoder
                    .decode_blocks(&mut self.source, BlockDecodingStrategy::UptoBlocks(1));
                if let Err(error) = read {
                    return Err(match self.source.is_at_end() {
                        true => cut_short("zstd", self.source.count),
                        false => invalid(&error),
                    });
                }
            }
        }
    }
}

impl<R> fmt::Debug for ZstdReader<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ZstdReader")
            .field("is_in_frame", &self.is_in_frame)
            .finish_non_exhaustive()
    }
}
