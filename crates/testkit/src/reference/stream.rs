//! Input as contiguous bytes, and the characters in them.

use super::Segment;

/// UTF-8 byte order mark, which is white space at the start of the stream.
const MARK: &[u8] = b"\xEF\xBB\xBF";

/// All bytes of a stream, each marked as model text or untrusted text.
pub struct Stream {
    /// Concatenated bytes of the segments.
    pub bytes: Vec<u8>,
    /// For each byte, whether it is model text.
    own: Vec<bool>,
    /// Offsets at which model text and untrusted text change.
    changes: Vec<usize>,
    /// The first bytes may be a byte order mark.
    pub may_have_mark: bool,
    /// A break comes before the stream.
    pub after_break: bool,
}

impl Stream {
    /// Concatenates the segments.
    pub fn new(input: &[Segment]) -> Self {
        let mut stream = Stream {
            bytes: Vec::new(),
            own: Vec::new(),
            changes: Vec::new(),
            may_have_mark: true,
            after_break: false,
        };
        for segment in input {
            stream.bytes.extend_from_slice(&segment.bytes);
            stream.own.resize(stream.bytes.len(), segment.own);
        }
        let kinds = stream.own.windows(2).enumerate();
        let changes = kinds.filter(|(_, pair)| pair[0] != pair[1]);
        stream.changes = changes.map(|(before, _)| before + 1).collect();
        stream
    }

    /// Returns `true` if the byte at `at` is model text.
    pub fn is_own(&self, at: usize) -> bool {
        self.own[at]
    }

    /// Offset after the model text that contains `at`: the start of untrusted text, or the end of
    /// the stream.
    pub fn own_end(&self, at: usize) -> usize {
        let next = self.changes.iter().find(|&&change| change > at);
        next.copied().unwrap_or(self.bytes.len())
    }

    /// Returns `true` if an odd number of backslashes, model text or not, precedes `at`.
    pub fn is_escaped(&self, at: usize) -> bool {
        let before = self.bytes[..at].iter().rev();
        before.take_while(|&&byte| byte == b'\\').count() % 2 == 1
    }

    /// Offset of the first byte of the line that contains `at`.
    pub fn line_start(&self, at: usize) -> usize {
        let feed = self.bytes[..at].iter().rposition(|&byte| byte == b'\n');
        feed.map_or(0, |feed| feed + 1)
    }

    /// Offset after the line feed of the line that contains `at`, or the end of the stream.
    pub fn line_end(&self, at: usize) -> usize {
        let feed = self.bytes[at..].iter().position(|&byte| byte == b'\n');
        feed.map_or(self.bytes.len(), |feed| at + feed + 1)
    }

    /// Length of the byte order mark at the start of the stream, in bytes; 0 if there is none.
    pub fn mark(&self) -> usize {
        if self.may_have_mark && self.bytes.starts_with(MARK) {
            MARK.len()
        } else {
            0
        }
    }

    /// Decodes the character at `at` that ends at or before `end`; returns it with its length in
    /// bytes, or `None` if it is malformed.
    pub fn char_at(&self, at: usize, end: usize) -> Option<(char, usize)> {
        (1..=4).find_map(|length| single(self.bytes[..end].get(at..at + length)?))
    }

    /// Decodes the character right before `at` that starts at or after `start`; returns it with its
    /// length in bytes, or `None` if it is malformed.
    pub fn char_before(&self, start: usize, at: usize) -> Option<(char, usize)> {
        (1..=4).find_map(|length| {
            single(self.bytes[start..].get(at.checked_sub(length + start)?..at - start)?)
        })
    }

    /// Returns `true` if the character at `at` is Unicode white space.
    pub fn is_unicode_space(&self, at: usize) -> bool {
        self.char_at(at, self.bytes.len())
            .is_some_and(|(char, _)| char.is_whitespace())
    }
}

/// Decodes `bytes` as exactly one character, with its length in bytes.
fn single(bytes: &[u8]) -> Option<(char, usize)> {
    let mut chars = std::str::from_utf8(bytes).ok()?.chars();
    let char = chars.next()?;
    chars.next().is_none().then_some((char, bytes.len()))
}

/// Returns `true` for closing punctuation.
pub fn is_closing(char: char) -> bool {
    CLOSING.contains(char)
}

/// Closing punctuation of the wire profile.
pub(super) const CLOSING: &str = ".,;:!?)]}\"'\u{2019}\u{201D}\u{BB}\u{203A}\u{2026}\u{3001}\u{3002}\u{300D}\u{300F}\u{FF01}\u{FF09}\u{FF0C}\u{FF1A}\u{FF1B}\u{FF1F}";

/// Unicode white space beyond ASCII.
pub(super) const WHITE: &str = "\u{85}\u{A0}\u{1680}\u{2000}\u{2001}\u{2002}\u{2003}\u{2004}\u{2005}\u{2006}\u{2007}\u{2008}\u{2009}\u{200A}\u{2028}\u{2029}\u{202F}\u{205F}\u{3000}";
