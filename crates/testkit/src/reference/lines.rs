//! The lines of the stream: their markers, and what is white space in them.

use super::stream::{self, Stream};
use std::ops::Range;

/// A fenced code block that has ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Fence {
    /// The lines between its opening and its closing line.
    pub content: Range<usize>,
    /// Where what follows it begins: past its closing line or, without one, at the line that ended it.
    pub end: usize,
    /// Whether it has a closing line.
    pub closed: bool,
    /// Whether it was opened after a block quote marker.
    pub quoted: bool,
}

/// What stands at the start of a line before its text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Prefix {
    /// Where indentation, block quote markers and list markers end.
    pub end: usize,
    /// Where the block quote markers are.
    pub quotes: Vec<usize>,
    /// Whether there is a list marker.
    pub list: bool,
    /// Where the heading marker that follows ends, if there is one.
    pub heading: Option<usize>,
}

/// Reads the prefix of the line that starts at `start` and ends at `end`; no marker holds a byte of `values`.
pub(super) fn prefix(stream: &Stream, start: usize, end: usize, values: &[Range<usize>]) -> Prefix {
    let bytes = &stream.bytes[..end];
    let mut prefix = Prefix {
        end: if start == 0 { stream.mark() } else { start },
        ..Prefix::default()
    };
    loop {
        match bytes.get(prefix.end) {
            Some(b' ' | b'\t') => prefix.end += 1,
            Some(_) if values.iter().any(|value| value.contains(&prefix.end)) => break,
            Some(b'>') => {
                prefix.quotes.push(prefix.end);
                prefix.end += 1;
            }
            _ => match list_marker(&bytes[prefix.end..]) {
                Some(length) if stream.is_unicode_space(prefix.end + length) => {
                    prefix.list = true;
                    prefix.end += length;
                }
                _ => break,
            },
        }
    }
    let rest = &bytes[prefix.end..];
    let signs = rest.iter().take_while(|&&byte| byte == b'#').count();
    if (1..=6).contains(&signs) && stream.is_unicode_space(prefix.end + signs) {
        prefix.heading = Some(prefix.end + signs);
    }
    prefix
}

/// The length of the list marker that `bytes` start with; white space must follow it, which is not looked at here.
fn list_marker(bytes: &[u8]) -> Option<usize> {
    let bullets = ["-", "*", "+", "\u{2022}"];
    if let Some(bullet) = bullets
        .iter()
        .find(|bullet| bytes.starts_with(bullet.as_bytes()))
    {
        return Some(bullet.len());
    }
    let digits = bytes
        .iter()
        .take_while(|byte| byte.is_ascii_digit())
        .count();
    let delimiter = matches!(bytes.get(digits), Some(b'.' | b')'));
    ((1..=9).contains(&digits) && delimiter).then_some(digits + 1)
}

/// A line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Line {
    /// Its first byte.
    pub start: usize,
    /// Past its line feed, or the end of the stream.
    pub end: usize,
    /// Its markers.
    pub prefix: Prefix,
    /// Whether it ends with a line feed and holds nothing but white space.
    pub blank: bool,
    /// Whether it is a row of a table.
    pub row: bool,
    /// Whether it has a block quote marker and the line before has none.
    pub opens_quote: bool,
}

/// All lines, and which block quote markers are white space.
pub(super) struct Layout {
    /// The lines, in order.
    pub lines: Vec<Line>,
    /// For each byte whether it is the marker of a continuing block quote.
    continuing: Vec<bool>,
}

impl Layout {
    /// Reads all lines of a stream whose fenced blocks are known, and the JSON values that count as blocks.
    pub(super) fn new(stream: &Stream, fences: &[Fence], values: &[Range<usize>]) -> Self {
        let mut layout = Layout {
            lines: Vec::new(),
            continuing: vec![false; stream.bytes.len()],
        };
        let mut start = 0;
        let mut quote_before = false;
        while start < stream.bytes.len() {
            let end = stream.line_end(start);
            let prefix = prefix(stream, start, end, values);
            let fence = fences.iter().find(|fence| fence.content.contains(&start));
            match fence {
                // What looks like a marker in a block of its own is code.
                Some(fence) if !fence.quoted => {}
                Some(_) => {
                    let lead = |byte: &&u8| matches!(byte, b' ' | b'\t' | b'>');
                    let lead = stream.bytes[start..end].iter().take_while(lead).count();
                    for at in start..start + lead {
                        layout.continuing[at] = stream.bytes[at] == b'>';
                    }
                }
                None if quote_before => {
                    for &at in &prefix.quotes {
                        layout.continuing[at] = true;
                    }
                }
                None => {}
            }
            let quote = !prefix.quotes.is_empty();
            let row =
                prefix.heading.is_none() && stream.bytes[..end].get(prefix.end) == Some(&b'|');
            let has_feed = stream.bytes[..end].ends_with(b"\n");
            layout.lines.push(Line {
                start,
                end,
                prefix,
                blank: has_feed && layout.is_white(stream, start..end),
                row,
                opens_quote: quote && !quote_before,
            });
            quote_before = quote;
            start = end;
        }
        layout
    }

    /// The length of the white space at `at` that ends by `end`, 0 for anything else.
    pub(super) fn white_at(&self, stream: &Stream, at: usize, end: usize) -> usize {
        let mark = stream.mark();
        if at == 0 && mark > 0 && mark <= end {
            return mark;
        }
        match stream.char_at(at, end) {
            Some((char, length)) if char.is_whitespace() || self.continuing[at] => length,
            _ => 0,
        }
    }

    /// The length of the white space right before `at` that starts by `start`, 0 for anything else.
    pub(super) fn white_before(&self, stream: &Stream, start: usize, at: usize) -> usize {
        let mark = stream.mark();
        if start == 0 && mark > 0 && mark == at {
            return mark;
        }
        match stream.char_before(start, at) {
            Some((char, length)) if char.is_whitespace() || self.continuing[at - length] => length,
            _ => 0,
        }
    }

    /// The length of white space or closing punctuation at `at` that ends by `end`, 0 for anything else.
    pub(super) fn joining_at(&self, stream: &Stream, at: usize, end: usize) -> usize {
        match stream.char_at(at, end) {
            Some((char, length)) if stream::is_closing(char) => length,
            _ => self.white_at(stream, at, end),
        }
    }

    /// The range without the white space at its start and at its end.
    pub(super) fn trim(&self, stream: &Stream, range: Range<usize>) -> Range<usize> {
        let Range { mut start, mut end } = range;
        loop {
            match self.white_before(stream, start, end) {
                0 => break,
                length => end -= length,
            }
        }
        loop {
            match self.white_at(stream, start, end) {
                0 => break,
                length => start += length,
            }
        }
        start..end
    }

    /// Whether a range holds nothing but white space.
    pub(super) fn is_white(&self, stream: &Stream, range: Range<usize>) -> bool {
        self.trim(stream, range).is_empty()
    }
}
