//! Lines of the stream: their block markers, and their white space.

use super::stream::{self, Stream};
use std::ops::Range;

/// A fenced code block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Fence {
    /// Range of the lines between the opening and the closing line.
    pub content: Range<usize>,
    /// Offset after the closing line or, without one, of the line that ended the block.
    pub end: usize,
    /// The block has a closing line.
    pub closed: bool,
    /// The opening line has a block quote marker.
    pub quoted: bool,
}

/// Block markers at the start of a line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Prefix {
    /// Offset after indentation, block quote markers and list markers.
    pub end: usize,
    /// Offsets of the block quote markers.
    pub quotes: Vec<usize>,
    /// The line has a list marker.
    pub list: bool,
    /// Offset after the heading marker, `None` without one.
    pub heading: Option<usize>,
}

/// Reads the prefix of the line from `start` to `end`. A byte in one of `values` is not a marker.
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

/// Measures the list marker at the start of `bytes`. The caller checks that white space follows.
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

/// A line of the stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Line {
    /// Offset of the first byte.
    pub start: usize,
    /// Offset after the line feed, or the end of the stream.
    pub end: usize,
    pub prefix: Prefix,
    /// The line has a line feed and only white space.
    pub blank: bool,
    /// The line is a row of a table.
    pub row: bool,
    /// The line has a block quote marker and the line before has none.
    pub opens_quote: bool,
}

/// All lines, with the block quote markers that count as white space.
pub(super) struct Layout {
    /// Lines in order.
    pub lines: Vec<Line>,
    /// For each byte, whether it is the marker of a block quote that the line continues.
    continuing: Vec<bool>,
}

impl Layout {
    /// Splits a stream into lines. `fences` are its fenced code blocks, `values` the JSON values
    /// that count as blocks.
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

    /// Length of the white space character at `at` that ends at or before `end`, in bytes; 0 if
    /// there is none.
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

    /// Length of the white space character before `at` that starts at or after `start`, in bytes; 0
    /// if there is none.
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

    /// Length of the white space or closing punctuation at `at` that ends at or before `end`, in
    /// bytes; 0 if there is none.
    pub(super) fn joining_at(&self, stream: &Stream, at: usize, end: usize) -> usize {
        match stream.char_at(at, end) {
            Some((char, length)) if stream::is_closing(char) => length,
            _ => self.white_at(stream, at, end),
        }
    }

    /// Trims white space at both ends of a range.
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

    /// Returns `true` if a range is only white space.
    pub(super) fn is_white(&self, stream: &Stream, range: Range<usize>) -> bool {
        self.trim(stream, range).is_empty()
    }
}
