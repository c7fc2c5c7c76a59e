//! The input as one run of bytes, and the characters in it.

use super::Segment;

/// The byte order mark, white space where it stands at the very start.
const MARK: &[u8] = b"\xEF\xBB\xBF";

/// All bytes of the stream, each with whose it is.
pub struct Stream {
    /// The concatenated bytes.
    pub bytes: Vec<u8>,
    /// For each byte whether the model wrote it.
    own: Vec<bool>,
    /// Where own text becomes foreign, and the other way round.
    changes: Vec<usize>,
    /// A byte order mark may be its first bytes.
    pub may_have_mark: bool,
    /// A break comes before it.
    pub after_break: bool,
}

impl Stream {
    /// Joins the segments; empty ones leave no trace.
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

    /// Whether the byte at `at` is the model's own.
    pub fn is_own(&self, at: usize) -> bool {
        self.own[at]
    }

    /// Where the own text that holds `at` ends: at foreign text or the end of the stream.
    pub fn own_end(&self, at: usize) -> usize {
        let next = self.changes.iter().find(|&&change| change > at);
        next.copied().unwrap_or(self.bytes.len())
    }

    /// Whether an odd number of backslashes, whoever wrote them, stands right before `at`.
    pub fn is_escaped(&self, at: usize) -> bool {
        let before = self.bytes[..at].iter().rev();
        before.take_while(|&&byte| byte == b'\\').count() % 2 == 1
    }

    /// Where the line that holds `at` starts.
    pub fn line_start(&self, at: usize) -> usize {
        let feed = self.bytes[..at].iter().rposition(|&byte| byte == b'\n');
        feed.map_or(0, |feed| feed + 1)
    }

    /// Where the line that holds `at` ends: past its line feed, or at the end of the stream.
    pub fn line_end(&self, at: usize) -> usize {
        let feed = self.bytes[at..].iter().position(|&byte| byte == b'\n');
        feed.map_or(self.bytes.len(), |feed| at + feed + 1)
    }

    /// The length of the byte order mark at the start of the stream, 0 without one.
    pub fn mark(&self) -> usize {
        if self.may_have_mark && self.bytes.starts_with(MARK) {
            MARK.len()
        } else {
            0
        }
    }

    /// The character whose first byte is at `at`, with its length, if it is well-formed and ends by `end`.
    pub fn char_at(&self, at: usize, end: usize) -> Option<(char, usize)> {
        (1..=4).find_map(|length| single(self.bytes[..end].get(at..at + length)?))
    }

    /// The character whose last byte is right before `at`, with its length, if it is well-formed and starts by `start`.
    pub fn char_before(&self, start: usize, at: usize) -> Option<(char, usize)> {
        (1..=4).find_map(|length| {
            single(self.bytes[start..].get(at.checked_sub(length + start)?..at - start)?)
        })
    }

    /// Whether Unicode white space stands at `at`.
    pub fn is_unicode_space(&self, at: usize) -> bool {
        self.char_at(at, self.bytes.len())
            .is_some_and(|(char, _)| char.is_whitespace())
    }
}

/// The character that `bytes` are exactly, with their length.
fn single(bytes: &[u8]) -> Option<(char, usize)> {
    let mut chars = std::str::from_utf8(bytes).ok()?.chars();
    let char = chars.next()?;
    chars.next().is_none().then_some((char, bytes.len()))
}

/// Whether a character is closing punctuation.
pub fn is_closing(char: char) -> bool {
    CLOSING.contains(char)
}

/// All closing punctuation.
pub(super) const CLOSING: &str = ".,;:!?)]}\"'\u{2019}\u{201D}\u{BB}\u{203A}\u{2026}\u{3001}\u{3002}\u{300D}\u{300F}\u{FF01}\u{FF09}\u{FF0C}\u{FF1A}\u{FF1B}\u{FF1F}";

/// All white space beyond ASCII.
pub(super) const WHITE: &str = "\u{85}\u{A0}\u{1680}\u{2000}\u{2001}\u{2002}\u{2003}\u{2004}\u{2005}\u{2006}\u{2007}\u{2008}\u{2009}\u{200A}\u{2028}\u{2029}\u{202F}\u{205F}\u{3000}";
