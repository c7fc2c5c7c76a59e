//! How the bytes of an input are encoded: gzip and zstd are decompressed, other encodings are named.

use std::fmt;
use std::io::{self, BufRead, Read};

use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};

/// Largest window of a zstd frame, 8 MiB: what RFC 8878 3.1.1.1.2 recommends decoders to support, and enough for the levels 1
/// to 19.
const MAX_WINDOW: u64 = 8 << 20;

/// What the first bytes of an input show about its encoding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Encoding {
    /// Bytes as they are.
    Plain,
    /// RFC 1952.
    Gzip,
    /// RFC 8878.
    Zstd,
    /// An encoding that is not read.
    Unread(Unread),
}

/// An encoding that is recognised so that it can be named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unread {
    /// Compressed: the name of the format, and the command that decompresses it.
    Compressed(&'static str, &'static str),
    /// Another encoding of Unicode: its name.
    Unicode(&'static str),
}

impl fmt::Display for Unread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Compressed(name, command) => write!(
                f,
                "it is compressed with {name}, expected gzip, zstd or no compression; decompress it first, as with `{command}`"
            ),
            Self::Unicode(name) => write!(
                f,
                "it is {name}, expected UTF-8; convert it first, as with `iconv -f {name} -t UTF-8`"
            ),
        }
    }
}

/// What formats begin with, longer beginnings before those that they start with.
const MAGIC: [(&[u8], Encoding); 11] = [
    (b"\x1F\x8B", Encoding::Gzip),
    (b"\x28\xB5\x2F\xFD", Encoding::Zstd),
    (
        b"\xFF\xFE\0\0",
        Encoding::Unread(Unread::Unicode("UTF-32LE")),
    ),
    (b"\xFF\xFE", Encoding::Unread(Unread::Unicode("UTF-16LE"))),
    (b"\xFE\xFF", Encoding::Unread(Unread::Unicode("UTF-16BE"))),
    (
        b"\0\0\xFE\xFF",
        Encoding::Unread(Unread::Unicode("UTF-32BE")),
    ),
    (
        b"\xFD7zXZ\0",
        Encoding::Unread(Unread::Compressed("xz", "xz -dc")),
    ),
    (
        b"\x04\x22\x4D\x18",
        Encoding::Unread(Unread::Compressed("lz4", "lz4 -dc")),
    ),
    (
        b"\x1F\x9D",
        Encoding::Unread(Unread::Compressed("compress", "uncompress -c")),
    ),
    (
        b"BZh",
        Encoding::Unread(Unread::Compressed("bzip2", "bzip2 -dc")),
    ),
    (
        b"PK\x03\x04",
        Encoding::Unread(Unread::Compressed("zip", "unzip -p")),
    ),
];

/// The encoding of an input that begins with these bytes; none if more of them are needed to know.
///
/// Text is not held up for what begins with letters: `BZh` and `PK` are recognised where they come in one piece.
pub(crate) fn recognise(head: &[u8], is_all: bool) -> Option<Encoding> {
    let undecided = |magic: &[u8]| {
        magic.len() > head.len() && magic.starts_with(head) && !magic[0].is_ascii_alphabetic()
    };
    if !is_all && MAGIC.iter().any(|(magic, _)| undecided(magic)) {
        return None;
    }
    let found = MAGIC.iter().find(|(magic, _)| head.starts_with(magic));
    Some(found.map_or_else(|| without_mark(head), |(_, encoding)| *encoding))
}

/// What a whole file is that has to be text but is compressed or in another encoding; none if it may be text.
pub(crate) fn not_text(file: &[u8]) -> Option<String> {
    match recognise(file, true)? {
        Encoding::Plain => None,
        Encoding::Gzip => Some(compressed("gzip", "gzip -dc")),
        Encoding::Zstd => Some(compressed("zstd", "zstd -dc")),
        Encoding::Unread(Unread::Compressed(name, command)) => Some(compressed(name, command)),
        Encoding::Unread(unicode) => Some(unicode.to_string()),
    }
}

fn compressed(name: &str, command: &str) -> String {
    format!("it is compressed with {name}, expected text; decompress it first, as with `{command}`")
}

/// UTF-16 without a byte order mark: text in it begins with ASCII characters, each with a zero byte.
fn without_mark(head: &[u8]) -> Encoding {
    match head {
        [1..=255, 0, 1..=255, 0, ..] => Encoding::Unread(Unread::Unicode("UTF-16LE")),
        [0, 1..=255, 0, 1..=255, ..] => Encoding::Unread(Unread::Unicode("UTF-16BE")),
        _ => Encoding::Plain,
    }
}

/// Decompresses zstd, any number of frames, skippable ones included.
pub(crate) struct ZstdReader<R> {
    source: R,
    decoder: FrameDecoder,
    /// A frame has begun whose content is not all read.
    is_in_frame: bool,
}

impl<R: BufRead> ZstdReader<R> {
    pub(crate) fn new(source: R) -> Self {
        let mut decoder = FrameDecoder::new();
        decoder.set_max_window_size(MAX_WINDOW);
        Self {
            source,
            decoder,
            is_in_frame: false,
        }
    }

    /// Reads the header of the next frame; false at the end of the input.
    fn begin_frame(&mut self) -> io::Result<bool> {
        loop {
            if self.source.fill_buf()?.is_empty() {
                return Ok(false);
            }
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
                        return Err(io::ErrorKind::UnexpectedEof.into());
                    }
                }
                Err(error) => return Err(invalid(&error)),
            }
        }
    }

    fn end_frame(&mut self) -> io::Result<()> {
        self.is_in_frame = false;
        let written = self.decoder.get_checksum_from_data();
        if written.is_some() && written != self.decoder.get_calculated_checksum() {
            return Err(io::Error::new(
                io::ErrorKind::InvalidData,
                "zstd: the checksum does not match the content",
            ));
        }
        Ok(())
    }
}

fn invalid(error: &FrameDecoderError) -> io::Error {
    let message = match error {
        FrameDecoderError::WindowSizeTooBig { requested, max } => {
            format!("zstd: the window has {requested} bytes, expected at most {max}")
        }
        FrameDecoderError::DictNotProvided { dict_id } => {
            format!(
                "zstd: the frame needs the dictionary {dict_id:#x}, expected one without a dictionary"
            )
        }
        // What the decoder says of the others is for its developers.
        _ => "zstd: the compressed data are cut short or damaged".to_owned(),
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
                self.decoder
                    .decode_blocks(&mut self.source, BlockDecodingStrategy::UptoBlocks(1))
                    .map_err(|error| invalid(&error))?;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_beginning_is_recognised_as_soon_as_it_is_certain() {
        for (magic, encoding) in MAGIC {
            let longer = MAGIC
                .iter()
                .any(|(other, _)| other.len() > magic.len() && other.starts_with(magic));
            assert_eq!(recognise(magic, true), Some(encoding));
            let at_once = recognise(magic, false);
            assert_eq!(at_once, (!longer).then_some(encoding));
            let held = !magic[0].is_ascii_alphabetic();
            assert_eq!(recognise(&magic[..1], false).is_none(), held);
        }
        for plain in [
            &b""[..],
            b"It",
            b"BZ",
            b"{",
            b"\xEF\xBB\xBF",
            b"\0",
            b"\x80\0a",
        ] {
            assert_eq!(recognise(plain, true), Some(Encoding::Plain), "{plain:?}");
        }
        let utf16 = |name| Some(Encoding::Unread(Unread::Unicode(name)));
        assert_eq!(recognise(b"I\0t\0", false), utf16("UTF-16LE"));
        assert_eq!(recognise(b"\0I\0t", false), utf16("UTF-16BE"));
    }
}
