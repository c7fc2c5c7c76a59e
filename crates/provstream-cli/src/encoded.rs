//! How the bytes of an input are encoded: gzip and zstd are decompressed, other encodings are named.

use std::fmt;

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
