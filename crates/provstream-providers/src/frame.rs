//! What a stream of events is cut into, whatever its envelope.

use core::ops::Range;
use std::borrow::Cow;

use smallvec::SmallVec;

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
type Line = Range<usize>;

/// An event: its bytes in the stream and the data they carry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Frame<'a> {
    pub(super) raw: &'a [u8],
    /// Offset of the first byte of `raw` in the stream.
    pub(super) start: u64,
    /// The data of all lines with a line feed between each two: borrowed from `raw` if there is one line.
    pub(super) data: Cow<'a, [u8]>,
    lines: SmallVec<[Line; 1]>,
    /// Where each of the lines begins in the data, if there are several.
    starts: SmallVec<[usize; 1]>,
}

impl<'a> Frame<'a> {
    /// An event whose data are in these `lines` of `raw`, of which there is at least one.
    pub(super) fn new(raw: &'a [u8], start: u64, lines: SmallVec<[Line; 1]>) -> Self {
        let data = match lines.as_slice() {
            [line] => {
                return Self {
                    raw,
                    start,
                    data: Cow::Borrowed(&raw[line.clone()]),
                    starts: SmallVec::new(),
                    lines,
                };
            }
            lines => {
                let pieces: Vec<_> = lines.iter().map(|line| &raw[line.clone()]).collect();
                Cow::Owned(pieces.join(&b'\n'))
            }
        };
        let mut next = 0;
        let starts = lines.iter().map(|line| {
            let start = next;
            next += line.len() + 1;
            start
        });
        Self {
            raw,
            start,
            data,
            starts: starts.collect(),
            lines,
        }
    }

    pub(super) const fn span(&self) -> Span {
        Span::new(self.start, self.start + self.raw.len() as u64)
    }

    /// Where the data of each line are in the raw bytes.
    pub(super) fn lines(&self) -> &[Range<usize>] {
        &self.lines
    }

    /// Where a range of the data, which does not go beyond its line, stands in the raw bytes.
    pub(super) fn in_raw(&self, data: Range<usize>) -> Option<Range<usize>> {
        if let [line] = self.lines.as_slice() {
            return Some(line.start + data.start..line.start + data.end);
        }
        let place = self.starts.partition_point(|&start| start <= data.start);
        let place = place.checked_sub(1)?;
        let (line, before) = (self.lines.get(place)?, self.starts.get(place)?);
        let start = line.start + (data.start - before);
        (start + data.len() <= line.end).then(|| start..start + data.len())
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
    /// What closes the envelope, so that no event can follow.
    Close(TextChunk<'a>),
    /// The whole of a body that is compressed or otherwise not text, whose bytes came as `Other`; has no bytes of its own.
    Encoded(NoticeCode, Span),
}
