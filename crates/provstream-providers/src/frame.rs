//! Events and other pieces of a stream, common to all kinds of framing.

use core::ops::Range;
use std::borrow::Cow;

use super::fields::data_lines;
use super::item::NoticeCode;
use provstream::{Span, TextChunk};

/// Framing of a stream's events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Sse,
    /// One JSON value on each line.
    Lines,
    /// The elements of one JSON array.
    Array,
    /// JSON values over several lines: a response that is not streamed.
    Body,
    /// No events: the body is compressed, or not text.
    Encoded,
}

/// Range of a line's data in the raw bytes of its event.
pub(super) type DataRange = Range<usize>;

/// An event: its bytes in the stream and the data they carry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Frame<'a> {
    pub(super) raw: &'a [u8],
    /// Offset of the first byte of `raw` in the stream.
    pub(super) start: u64,
    /// Data of all lines, joined with line feeds; borrowed from `raw` if there is one line.
    pub(super) data: Cow<'a, [u8]>,
    /// First line of data.
    line: DataRange,
    /// Positions of the lines, if there are several.
    several: Option<Box<Several>>,
    /// Range of the name of a server-sent event; empty without a name.
    pub(super) name: DataRange,
    /// The event is a server-sent event of the type `error`.
    pub(super) is_named_error: bool,
    /// The name is that of the event before.
    pub(super) has_last_name: bool,
}

/// Positions of some lines of an event with several lines of data. Positions of all lines would take more memory than
/// the event if the lines are short.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Several {
    /// First line, and each line that is long or begins [`MARKED`] bytes or more after the previous mark.
    marks: Vec<DataLineStart>,
    last: DataRange,
}

/// Position of a line of data.
#[derive(Clone, Debug, PartialEq, Eq)]
struct DataLineStart {
    line: DataRange,
    /// Position of the line's first byte in the joined data.
    start: usize,
}

/// Distance between two marks in bytes.
const MARKED: usize = 1 << 12;

impl<'a> Frame<'a> {
    /// Creates an event with the data in `line` of `raw`.
    #[inline]
    pub(super) fn of_line(raw: &'a [u8], start: u64, line: DataRange) -> Self {
        Self {
            raw,
            start,
            data: Cow::Borrowed(&raw[line.clone()]),
            line,
            several: None,
            name: 0..0,
            is_named_error: false,
            has_last_name: false,
        }
    }

    /// Creates a server-sent event with several lines of data.
    pub(super) fn of_lines(raw: &'a [u8], start: u64) -> Self {
        let mut lines = data_lines(raw, 0);
        let line = lines.next().unwrap_or_default();
        let len = lines.map(|line| line.len() + 1).sum::<usize>() + line.len();
        let mut data = Vec::with_capacity(len);
        let mut several = Several {
            marks: Vec::new(),
            last: line.clone(),
        };
        for line in data_lines(raw, 0) {
            if line.start != several.last.start {
                data.push(b'\n');
            }
            let marked = several.marks.last().map(|mark| mark.line.start);
            if line.len() >= MARKED || marked.is_none_or(|at| line.start - at >= MARKED) {
                several.marks.push(DataLineStart {
                    line: line.clone(),
                    start: data.len(),
                });
            }
            data.extend_from_slice(&raw[line.clone()]);
            several.last = line;
        }
        Self {
            raw,
            start,
            data: Cow::Owned(data),
            line,
            several: Some(Box::new(several)),
            name: 0..0,
            is_named_error: false,
            has_last_name: false,
        }
    }

    /// Returns the name of a server-sent event.
    pub(super) fn event_name(&self) -> &[u8] {
        &self.raw[self.name.clone()]
    }

    pub(super) const fn span(&self) -> Span {
        Span::new(self.start, self.start + self.raw.len() as u64)
    }

    /// Releases the memory of joined data, before the event is written.
    pub(super) fn forget_data(&mut self) {
        if matches!(self.data, Cow::Owned(_)) {
            self.data = Cow::Borrowed(&[]);
        }
    }

    /// Returns `true` if the event has several lines of data.
    pub(super) const fn has_several_lines(&self) -> bool {
        self.several.is_some()
    }

    /// Returns the range of the first line's data in the raw bytes.
    pub(super) fn first_line(&self) -> DataRange {
        self.line.clone()
    }

    /// Returns the range of the first line of data that is not empty.
    pub(super) fn first_full_line(&self) -> Option<DataRange> {
        let full = |line: &DataRange| !line.is_empty();
        match &self.several {
            None => Some(self.line.clone()).filter(full),
            Some(_) => data_lines(self.raw, 0).find(full),
        }
    }

    /// Returns the range of the last line's data in the raw bytes.
    pub(super) fn last_line(&self) -> DataRange {
        match &self.several {
            Some(several) => several.last.clone(),
            None => self.line.clone(),
        }
    }

    /// Returns the range in the raw bytes of a range of the data. Across several lines, it includes the bytes between
    /// them.
    pub(super) fn in_raw(&self, data: Range<usize>) -> Option<Range<usize>> {
        let Some(several) = &self.several else {
            return Some(self.line.start + data.start..self.line.start + data.end);
        };
        let (line, from_start, _) = several.line_of(data.start, self.raw)?;
        let start = line.start + from_start;
        let Some(last) = data.end.checked_sub(1).filter(|&last| last >= data.start) else {
            return Some(start..start);
        };
        let (line, from_start, next) = several.line_of(last, self.raw)?;
        let end = match next {
            // The last byte is the line feed between two lines.
            Some(next) if from_start == line.len() => next,
            _ => line.start + from_start + 1,
        };
        Some(start..end)
    }
}

impl Several {
    /// Returns the line that contains a byte of the data, the number of the line's bytes before it, and the start of
    /// the next line. The line feed between two lines belongs to the first.
    fn line_of(&self, at: usize, raw: &[u8]) -> Option<(DataRange, usize, Option<usize>)> {
        let place = self.marks.partition_point(|mark| mark.start <= at);
        let mark = self.marks.get(place.checked_sub(1)?)?;
        let (mut line, mut start) = (mark.line.clone(), mark.start);
        // A line that is long has a mark, so this passes over short ones alone.
        let mut later = data_lines(raw, line.end);
        while at > start + line.len() {
            start += line.len() + 1;
            line = later.next()?;
        }
        let next = match self.marks.get(place) {
            Some(next) if next.start == start + line.len() + 1 => Some(next.line.start),
            _ => later.next().map(|next| next.start),
        };
        Some((line, at - start, next))
    }
}

/// A piece of the stream. The bytes of all pieces in order are the stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum StreamPiece<'a> {
    /// Event with data.
    Event(Frame<'a>),
    /// Bytes that belong to no event.
    Other(TextChunk<'a>),
    /// Bytes in the last pieces `Other` that may be text, between two values of a JSON body; has no bytes of its own.
    Stray(Span),
    /// Bytes of an event that exceeds the limit, in pieces that depend on the chunks.
    Passed(TextChunk<'a>),
    /// End of the event whose bytes were `Passed`; has no bytes of its own.
    Oversized(Span),
    /// Incomplete event at the end of the stream.
    Unterminated(Frame<'a>),
    /// Bytes after which no event can follow: the end of an array, or an incomplete line at the end of the stream
    /// that is not an event.
    Close(TextChunk<'a>),
    /// Span of a body that is compressed or otherwise not text, whose bytes came as `Other`; has no bytes of its own.
    Encoded(NoticeCode, Span),
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each place in the data of events with lines of all lengths is where a search through all lines finds it.
    #[test]
    fn places_in_several_lines_are_found() {
        let ends = ["\n", "\r\n", "\r"];
        let lengths = [0, 1, 5, 100, MARKED - 1, MARKED, MARKED + 1, 3 * MARKED];
        for seed in 0..24_usize {
            let mut next = seed * 7_919 + 1;
            let mut random = |below: usize| {
                next = next
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1_442_695_040_888_963_407);
                (next >> 33) % below
            };
            let end = ends[seed % 3];
            let (mut raw, mut lines) = (String::new(), Vec::new());
            for _ in 0..2 + random(40) {
                let before = match random(6) {
                    0 => format!(
                        "{}: {}{end}",
                        ["", "id", "event"][random(3)],
                        "c".repeat(lengths[random(8)])
                    ),
                    _ => String::new(),
                };
                raw.push_str(&before);
                raw.push_str(["data:", "data: "][random(2)]);
                let start = raw.len();
                raw.push_str(&"x".repeat(lengths[random(8)]));
                lines.push(start..raw.len());
                raw.push_str(end);
            }
            raw.push_str(end);
            let frame = Frame::of_lines(raw.as_bytes(), 0);
            let pieces: Vec<_> = lines.iter().map(|line| &raw[line.clone()]).collect();
            assert!(*frame.data == *pieces.join("\n").as_bytes());
            assert_eq!(
                (frame.first_line(), Some(&frame.last_line())),
                (lines[0].clone(), lines.last())
            );
            // Where each byte of the data is, and where the byte after it is.
            let mut places = Vec::new();
            for (line, later) in lines
                .iter()
                .zip(lines.iter().skip(1).map(Some).chain([None]))
            {
                places.extend(line.clone().map(|at| (at, at + 1)));
                if let Some(later) = later {
                    places.push((line.end, later.start));
                }
            }
            for _ in 0..100 {
                let start = random(places.len());
                let stop = start + 1 + random((places.len() - start).min(5_000));
                let expected = places[start].0..places[stop - 1].1;
                assert_eq!(
                    frame.in_raw(start..stop),
                    Some(expected),
                    "seed {seed}, {start}..{stop}"
                );
                assert_eq!(
                    frame.in_raw(start..start),
                    Some(places[start].0..places[start].0)
                );
            }
        }
    }
}
