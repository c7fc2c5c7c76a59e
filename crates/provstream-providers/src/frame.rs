//! What a stream of events is cut into, whatever its envelope.

use core::ops::Range;
use std::borrow::Cow;

use super::item::NoticeCode;
use provstream::{Span, TextChunk};

/// How the events of a stream are put together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Sse,
    /// One JSON value a line.
    Lines,
    /// The elements of one JSON array.
    Array,
    /// JSON values over several lines: a response that is not streamed.
    Body,
    /// None: the body is not text.
    Encoded,
}

/// A line's data within the raw bytes of its event.
pub(super) type Line = Range<usize>;

/// An event: its bytes in the stream and the data they carry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Frame<'a> {
    pub(super) raw: &'a [u8],
    /// Offset of the first byte of `raw` in the stream.
    pub(super) start: u64,
    /// The data of all lines with a line feed between each two: borrowed from `raw` if there is one line.
    pub(super) data: Cow<'a, [u8]>,
    /// The first line.
    line: Line,
    /// All of them, if there are several.
    several: Option<Box<Several>>,
}

/// The lines of data of an event that has several.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Several {
    lines: Vec<Line>,
    /// Where each of them begins in the data.
    starts: Vec<usize>,
}

impl<'a> Frame<'a> {
    /// An event whose data are in this `line` of `raw`.
    #[inline]
    pub(super) fn of_line(raw: &'a [u8], start: u64, line: Line) -> Self {
        Self {
            raw,
            start,
            data: Cow::Borrowed(&raw[line.clone()]),
            line,
            several: None,
        }
    }

    /// An event whose data are in these `lines` of `raw`, of which there is at least one.
    pub(super) fn new(raw: &'a [u8], start: u64, lines: &[Line]) -> Self {
        let [line, _, ..] = lines else {
            let line = lines.first().cloned().unwrap_or_default();
            return Self::of_line(raw, start, line);
        };
        let pieces: Vec<_> = lines.iter().map(|line| &raw[line.clone()]).collect();
        let mut next = 0;
        let starts = lines.iter().map(|line| {
            let start = next;
            next += line.len() + 1;
            start
        });
        Self {
            raw,
            start,
            data: Cow::Owned(pieces.join(&b'\n')),
            line: line.clone(),
            several: Some(Box::new(Several {
                starts: starts.collect(),
                lines: lines.to_vec(),
            })),
        }
    }

    pub(super) const fn span(&self) -> Span {
        Span::new(self.start, self.start + self.raw.len() as u64)
    }

    /// Where the data of each line are in the raw bytes.
    pub(super) fn lines(&self) -> &[Line] {
        match &self.several {
            Some(several) => &several.lines,
            None => core::slice::from_ref(&self.line),
        }
    }

    /// Where a range of the data is in the raw bytes. A range over several lines has what is between them there.
    pub(super) fn in_raw(&self, data: Range<usize>) -> Option<Range<usize>> {
        let Some(several) = &self.several else {
            return Some(self.line.start + data.start..self.line.start + data.end);
        };
        let (line, from_start, _) = several.line_of(data.start)?;
        let start = line.start + from_start;
        let Some(last) = data.end.checked_sub(1).filter(|&last| last >= data.start) else {
            return Some(start..start);
        };
        let (line, from_start, next) = several.line_of(last)?;
        let end = match next {
            // The last byte is the line feed between two lines.
            Some(next) if from_start == line.len() => next.start,
            _ => line.start + from_start + 1,
        };
        Some(start..end)
    }
}

impl Several {
    /// The line that a byte of the data is in, the bytes of the line before that byte, and the next line. The line feed between
    /// two lines is in the first.
    fn line_of(&self, at: usize) -> Option<(&Line, usize, Option<&Line>)> {
        let place = self.starts.partition_point(|&start| start <= at);
        let place = place.checked_sub(1)?;
        let line = self.lines.get(place)?;
        let from_start = at.checked_sub(*self.starts.get(place)?)?;
        Some((line, from_start, self.lines.get(place + 1)))
    }
}

/// A piece of the stream. The bytes of all pieces in order are the stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Piece<'a> {
    /// An event with data.
    Event(Frame<'a>),
    /// Bytes that belong to no event.
    Other(TextChunk<'a>),
    /// Bytes of an event that is too long, in pieces that depend on the chunks.
    Passed(TextChunk<'a>),
    /// The event whose bytes were `Passed` is over; has no bytes of its own.
    Oversized(Span),
    /// An event that the stream ends within.
    Unterminated(Frame<'a>),
    /// What closes the envelope, or what the stream ends within and is no event, so that no event can follow.
    Close(TextChunk<'a>),
    /// The whole of a body that is compressed or otherwise not text, whose bytes came as `Other`; has no bytes of its own.
    Encoded(NoticeCode, Span),
}
