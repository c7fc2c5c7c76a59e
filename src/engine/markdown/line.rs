//! Structure of a line: its prefix of indentation and markers, and its kind.

use memchr::memrchr;

use crate::engine::chars::{
    Separator, has_text, is_escaped, leading_white, separator, trimmed_len,
};
use crate::steps;

/// Maximum length of an incomplete marker, in bytes: nine digits, a full stop and an incomplete
/// character.
const MARKER: usize = 12;

/// The prefix of a line: indentation, block quote, list and heading markers in any mix.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Prefix {
    /// Length of the prefix in bytes; the content of the line follows.
    pub(crate) len: usize,
    /// The prefix has a block quote marker.
    pub(crate) quote: bool,
    /// The prefix has a list marker.
    pub(crate) list: bool,
    /// The prefix ends with a heading marker.
    pub(crate) heading: bool,
    /// The prefix is complete: the next bytes are not a marker.
    pub(crate) done: bool,
}

/// Reads the prefix of `line`. A marker at the very end does not count: white space must follow.
pub(crate) fn prefix(line: &[u8]) -> Prefix {
    let mut prefix = Prefix::default();
    loop {
        let rest = &line[prefix.len..];
        let Some(&first) = rest.first() else {
            return prefix;
        };
        let marker = match first {
            b' ' | b'\t' | b'>' => {
                prefix.quote |= first == b'>';
                prefix.len += 1;
                steps::count(1);
                continue;
            }
            b'-' | b'*' | b'+' => 1,
            0xE2 if rest.starts_with("•".as_bytes()) => 3,
            b'0'..=b'9' => match rest.iter().position(|byte| !byte.is_ascii_digit()) {
                Some(digits @ 1..=9) if matches!(rest[digits], b'.' | b')') => digits + 1,
                None if rest.len() <= 9 => return prefix,
                _ => 0,
            },
            b'#' => match rest.iter().position(|&byte| byte != b'#') {
                Some(hashes @ 1..=6) => hashes,
                None if rest.len() <= 6 => return prefix,
                _ => 0,
            },
            0xE2 if "•".as_bytes().starts_with(rest) => return prefix,
            _ => 0,
        };
        let after = &rest[marker..];
        if marker == 0 {
            prefix.done = true;
            return prefix;
        }
        if after.is_empty() {
            return prefix;
        }
        match separator(after) {
            Separator::White(_) => {}
            Separator::Partial => return prefix,
            _ => {
                prefix.done = true;
                return prefix;
            }
        }
        prefix.len += marker;
        steps::count(marker);
        if first == b'#' {
            prefix.heading = true;
            prefix.done = true;
            return prefix;
        }
        prefix.list = true;
    }
}

/// Finds the last `|` in `content` that is not escaped, that is preceded by an even number of
/// backslashes.
pub(crate) fn last_pipe(content: &[u8], odd_before: bool) -> Option<usize> {
    let mut end = content.len();
    while let Some(at) = memrchr(b'|', &content[..end]) {
        steps::count(end - at);
        if !is_escaped(content, at, odd_before) {
            return Some(at);
        }
        end = at;
    }
    None
}

/// State of the text before an offset, from which reading can continue: the current line, and the
/// line before.
///
/// The offset is never inside a marker, so the rest of the prefix can be read from it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Line {
    /// The prefix is complete, so the next bytes belong to the content.
    pub(crate) content: bool,
    /// The prefix has a block quote marker.
    pub(crate) quote: bool,
    /// The prefix so far begins a block: a list or heading marker, or a block quote where the line before has none.
    pub(crate) opens_block: bool,
    /// The line is a heading.
    pub(crate) heading: bool,
    /// The line is a table row: its content starts with `|`.
    pub(crate) row: bool,
    /// There is text after the line's last block boundary.
    pub(crate) text: bool,
    /// The bytes right before the offset are an odd number of backslashes.
    pub(crate) odd_backslashes: bool,
    /// The line before has a block quote marker.
    pub(crate) quote_before: bool,
    /// Text here belongs to the block of the line before, unless this line opens one.
    pub(crate) open_before: bool,
}

impl Line {
    /// State within a line without a prefix, after a blank line.
    pub(crate) const PLAIN: Self = Self {
        content: true,
        ..Self::new_block(false)
    };

    /// Returns the state at the start of a line in a new block; `quote_before` if the line before
    /// has a block quote marker.
    pub(crate) const fn new_block(quote_before: bool) -> Self {
        Self {
            content: false,
            quote: false,
            opens_block: false,
            heading: false,
            row: false,
            text: false,
            odd_backslashes: false,
            quote_before,
            open_before: false,
        }
    }

    /// Returns the state after an annotation: in the same line if it has no line feed, otherwise in
    /// a line that began within it.
    pub(crate) const fn after_annotation(self, line_feed: bool) -> Self {
        if line_feed {
            let mut line = Self::new_block(self.quote);
            line.content = true;
            line
        } else {
            let mut line = self;
            line.content = true;
            line.text = false;
            line.open_before = false;
            line.odd_backslashes = false;
            line
        }
    }

    /// Returns `true` if text here continues the block of the text before.
    pub(crate) const fn is_open(&self) -> bool {
        self.text || (!self.opens_block && !self.row && self.open_before)
    }

    /// Reads `bytes` and returns how many were read: all except an incomplete marker at the end.
    ///
    /// Only the last two lines are examined.
    pub(crate) fn advance(&mut self, bytes: &[u8]) -> usize {
        steps::count(bytes.len());
        let Some(line_feed) = memrchr(b'\n', bytes) else {
            return self.advance_in_line(bytes);
        };
        let mut before = *self;
        let mut start = 0;
        if let Some(at) = memrchr(b'\n', &bytes[..line_feed]) {
            start = at + 1;
            before = Self::new_block(false);
        }
        let read = before.advance_in_line(&bytes[start..line_feed]);
        if start + read < line_feed {
            // A line feed is white space, so what looked like half a marker is either a whole one or text.
            let rest = &bytes[start + read..=line_feed];
            let last = prefix(rest);
            before.opens_block |= last.list || last.heading;
            before.text |= !(last.list || last.heading) && has_text(rest);
        }
        *self = Self::new_block(before.quote);
        // A line without text is blank or opens a block.
        self.open_before = before.text && !before.heading;
        line_feed + 1 + self.advance_in_line(&bytes[line_feed + 1..])
    }

    fn advance_in_line(&mut self, bytes: &[u8]) -> usize {
        let mut content = bytes;
        if !self.content {
            let prefix = prefix(bytes);
            self.add_prefix(&prefix);
            content = &bytes[prefix.len..];
            if !prefix.done {
                debug_assert!(content.len() <= MARKER);
                self.odd_backslashes &= bytes.is_empty();
                return prefix.len;
            }
            self.row = content.first() == Some(&b'|');
        }
        if self.row
            && let Some(pipe) = last_pipe(content, self.odd_backslashes)
        {
            self.text = false;
            content = &content[pipe + 1..];
        }
        self.text |= has_text(content);
        if !bytes.is_empty() {
            let escaped = is_escaped(bytes, bytes.len(), self.odd_backslashes);
            self.odd_backslashes = escaped;
        }
        bytes.len()
    }

    fn add_prefix(&mut self, prefix: &Prefix) {
        self.quote |= prefix.quote;
        self.heading = prefix.heading;
        self.content = prefix.done;
        self.opens_block |= prefix.list || prefix.heading || (prefix.quote && !self.quote_before);
    }

    /// Returns the state after the prefix of `line`, which starts at the offset of this state, and
    /// the length of the prefix.
    pub(crate) fn with_prefix(self, line: &[u8]) -> (Self, usize) {
        if self.content {
            return (self, 0);
        }
        self.with_known_prefix(&prefix(line), line)
    }

    /// Returns the state after a prefix that has been read already, like
    /// [`with_prefix`](Self::with_prefix).
    pub(crate) fn with_known_prefix(mut self, prefix: &Prefix, line: &[u8]) -> (Self, usize) {
        self.add_prefix(prefix);
        self.row = line.get(prefix.len) == Some(&b'|');
        (self, prefix.len)
    }
}

/// Finds the first offset from `from` up to `end` at which `text`, all of one block, is not white
/// space; block quote markers of continuing lines count as white space.
#[inline]
pub(crate) fn skip_blank(text: &[u8], from: usize, end: usize) -> usize {
    let text = &text[..end];
    let at = from + usize::from(text.get(from) == Some(&b' '));
    match text.get(at) {
        Some(b'!'..=b'=' | b'?'..=b'~') => at,
        _ => skip_blank_run(text, from),
    }
}

#[inline(never)]
fn skip_blank_run(text: &[u8], from: usize) -> usize {
    let mut at = from + leading_white(&text[from..]);
    let mut marker = text.get(at) == Some(&b'>') && begins_line(&text[..at]);
    while marker {
        let after = at + 1;
        at = after + leading_white(&text[after..]);
        // What is before a marker is not looked at again.
        marker = text.get(at) == Some(&b'>') && last_is_line_feed(&text[after..at]) != Some(false);
    }
    at
}

/// Returns `true` if only indentation and block quote markers come after the last line feed of
/// `before`.
fn begins_line(before: &[u8]) -> bool {
    last_is_line_feed(before) == Some(true)
}

/// Returns whether the last byte that is neither indentation nor a block quote marker is a line feed; `None` if there is no such
/// byte.
fn last_is_line_feed(bytes: &[u8]) -> Option<bool> {
    let last = bytes.iter().rposition(|&byte| !is_quote_prefix(byte));
    steps::count(bytes.len() - last.unwrap_or(0));
    last.map(|at| bytes[at] == b'\n')
}

/// Returns the length of `content` without the white space at its end and, in a table row, without
/// empty cells.
#[inline]
pub(crate) fn trimmed_content(content: &[u8], row: bool, odd_before: bool) -> usize {
    let mut len = trimmed_len(content);
    if row {
        while len > 0 && content[len - 1] == b'|' && !is_escaped(content, len - 1, odd_before) {
            len = trimmed_len(&content[..len - 1]);
        }
    }
    len
}

/// Trims the content of a fenced block, which begins at the start of a line, of the white space
/// around it.
pub(crate) fn trimmed_block(block: &[u8], quoted: bool) -> core::ops::Range<usize> {
    let mut end = trimmed_len(block);
    while quoted && end > 0 {
        let start = memrchr(b'\n', &block[..end]).map_or(0, |at| at + 1);
        steps::count(end - start);
        if !block[start..end].iter().all(|&byte| is_quote_prefix(byte)) {
            break;
        }
        end = trimmed_len(&block[..start]);
    }
    skip_block_blank(block, 0, end, quoted)..end
}

/// Finds the first offset from `from` up to `end` at which the content of a fenced block is not
/// white space; in a quoted block, markers at line starts count as white space.
pub(crate) fn skip_block_blank(block: &[u8], from: usize, end: usize, quoted: bool) -> usize {
    let mut start = from;
    loop {
        let here = start;
        if quoted && (start == 0 || begins_line(&block[..start])) {
            while start < end && is_quote_prefix(block[start]) {
                start += 1;
            }
            steps::count(start - here);
        }
        start += leading_white(&block[start..end]);
        if start == here {
            return start;
        }
    }
}

/// Returns `true` if `byte` may be in indentation with block quote markers.
pub(crate) const fn is_quote_prefix(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'>')
}
