//! Events that are JSON alone: one a line, the elements of one array, or values over several lines.

use memchr::memchr;

use super::frame::{Frame, Kind, StreamPiece};
use super::harmless;
use super::sse::give_back;
use super::walk::scan::Skip;
use provstream::Span;
use provstream::TextChunk;

/// Events that are lines, objects in one array, or values over several lines.
///
/// The first line decides between the two: if it ends within a value, values span several lines.
#[derive(Clone, Debug)]
pub(super) struct JsonFramer {
    max_event: usize,
    kind: Kind,
    /// The first line has not ended.
    is_first: bool,
    /// The bytes of the open event, as long as it is not too long.
    open: Vec<u8>,
    start: u64,
    pub(super) position: u64,
    passing: bool,
    /// The open element or value; in the first line, the value that it may be the start of.
    skip: Skip,
    /// In the first line: its value has not ended.
    is_in_value: bool,
    /// In an array: it is open.
    in_array: bool,
    /// Span of the bytes since the last event that may be text, from the first to the last; boxed, because there is hardly ever one.
    stray: Option<Box<Span>>,
}

/// Effect of some bytes on the open event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LineStep {
    Open,
    /// They end it.
    End,
    /// They are between events.
    Between,
    /// They close the array.
    Close,
}

impl JsonFramer {
    pub(super) fn new(max_event: usize, is_array: bool) -> Self {
        Self {
            max_event,
            kind: if is_array { Kind::Array } else { Kind::Lines },
            is_first: !is_array,
            open: Vec::new(),
            start: 0,
            position: 0,
            passing: false,
            skip: Skip::default(),
            is_in_value: true,
            in_array: false,
            stray: None,
        }
    }

    /// Takes the first bytes of a chunk that belong together, at most one event; how many they are.
    pub(super) fn push_some(
        &mut self,
        chunk: &[u8],
        sink: &mut dyn FnMut(Kind, StreamPiece<'_>),
    ) -> usize {
        let (len, step) = match self.kind {
            Kind::Array => self.element(chunk),
            Kind::Body => self.value(chunk),
            _ => self.line(chunk),
        };
        self.take(&chunk[..len], step, sink);
        len
    }

    /// Bytes that are kept of an event that is not complete.
    pub(super) const fn open_len(&self) -> usize {
        self.open.len()
    }

    /// Returns `true` at the start of a line, which is an event unless it is blank.
    #[inline]
    pub(super) const fn is_at_line(&self) -> bool {
        matches!(self.kind, Kind::Lines) && !self.is_first && !self.passing && self.open.is_empty()
    }

    /// Passes over events that the caller has read, each of which is a line.
    #[inline]
    pub(super) const fn pass_events(&mut self, len: u64) {
        self.position += len;
        self.start = self.position;
    }

    pub(super) fn finish(&mut self, sink: &mut dyn FnMut(Kind, StreamPiece<'_>)) {
        self.report_stray(sink);
        let kind = self.kind;
        if self.passing {
            sink(
                kind,
                StreamPiece::Oversized(Span::new(self.start, self.position)),
            );
        } else if kind == Kind::Lines && !self.open.is_empty() {
            // The last line needs no line feed, unless it is not whole.
            match event(&self.open, self.start) {
                StreamPiece::Event(frame) => sink(kind, StreamPiece::Unterminated(frame)),
                other => sink(kind, other),
            }
        } else if !self.open.is_empty() {
            sink(
                kind,
                StreamPiece::Unterminated(frame(&self.open, self.start)),
            );
        }
        self.passing = false;
        give_back(&mut self.open);
        self.start = self.position;
        self.skip = Skip::default();
        self.is_in_value = true;
    }

    fn line(&mut self, rest: &[u8]) -> (usize, LineStep) {
        let end = memchr(b'\n', rest).map(|end| end + 1);
        let line = &rest[..end.unwrap_or(rest.len())];
        if self.is_first {
            // The line begins with the value; what comes after its end is not looked at.
            self.is_in_value = self.is_in_value && self.skip.run(line, 0).is_none();
            if end.is_some() {
                self.is_first = false;
                if self.is_in_value {
                    self.kind = Kind::Body;
                    return (line.len(), LineStep::Open);
                }
            }
        }
        match end {
            Some(end) => (end, LineStep::End),
            None => (rest.len(), LineStep::Open),
        }
    }

    /// Returns the number of bytes to read next of a value that spans several lines, and their effect.
    fn value(&mut self, rest: &[u8]) -> (usize, LineStep) {
        if self.skip.depth == 0 {
            // Outside of a value.
            match rest.iter().position(|byte| matches!(byte, b'{' | b'[')) {
                Some(0) => {}
                Some(len) => return (len, LineStep::Between),
                None => return (rest.len(), LineStep::Between),
            }
        }
        match self.skip.run(rest, 0) {
            Some(end) => {
                self.skip = Skip::default();
                (end, LineStep::End)
            }
            None => (rest.len(), LineStep::Open),
        }
    }

    /// Returns the number of bytes to read next of an array, and their effect.
    fn element(&mut self, rest: &[u8]) -> (usize, LineStep) {
        if self.skip.depth > 0 {
            return self.value(rest);
        }
        let found = rest
            .iter()
            .position(|byte| matches!(byte, b'{' | b'[' | b']'));
        let Some(at) = found else {
            return (rest.len(), LineStep::Between);
        };
        match (rest[at], self.in_array) {
            (b'[', false) => {
                self.in_array = true;
                (at + 1, LineStep::Between)
            }
            (b']', true) if at == 0 => {
                self.in_array = false;
                (1, LineStep::Close)
            }
            (b']', false) => (at + 1, LineStep::Between),
            // What comes before is apart.
            _ if at > 0 => (at, LineStep::Between),
            (_, false) => (1, LineStep::Between),
            _ => self.value(rest),
        }
    }

    pub(super) fn take(
        &mut self,
        taken: &[u8],
        step: LineStep,
        sink: &mut dyn FnMut(Kind, StreamPiece<'_>),
    ) {
        let (at, kind) = (self.position, self.kind);
        self.position += taken.len() as u64;
        if matches!(step, LineStep::Between | LineStep::Close) {
            if taken.is_empty() {
                return;
            }
            let text = TextChunk::new(taken, at);
            if step == LineStep::Close {
                self.report_stray(sink);
                sink(kind, StreamPiece::Close(text));
            } else {
                self.note_stray(taken, at);
                sink(kind, StreamPiece::Other(text));
            }
            self.start = self.position;
            return;
        }
        self.report_stray(sink);
        if !self.passing && self.open.len() + taken.len() > self.max_event {
            self.passing = true;
            if !self.open.is_empty() {
                sink(
                    kind,
                    StreamPiece::Passed(TextChunk::new(&self.open, self.start)),
                );
                self.open.clear();
            }
        }
        let is_end = step == LineStep::End;
        if self.passing {
            sink(kind, StreamPiece::Passed(TextChunk::new(taken, at)));
        } else if is_end && self.open.is_empty() {
            // All of it is in one piece.
            sink(kind, event(taken, at));
        } else {
            self.open.extend_from_slice(taken);
        }
        if is_end {
            if core::mem::take(&mut self.passing) {
                sink(
                    kind,
                    StreamPiece::Oversized(Span::new(self.start, self.position)),
                );
            } else if !self.open.is_empty() {
                sink(kind, event(&self.open, self.start));
            }
            give_back(&mut self.open);
            self.start = self.position;
        }
    }

    /// Remembers bytes between two events that may be text.
    fn note_stray(&mut self, bytes: &[u8], start: u64) {
        let mut stray = harmless::stray(bytes, start);
        let Some(first) = stray.next() else {
            return;
        };
        let last = stray.next_back().unwrap_or(first);
        let known = self.stray.as_ref().map(|stray| stray.start());
        let from = known.unwrap_or(start + first as u64);
        self.stray = Some(Box::new(Span::new(from, start + last as u64 + 1)));
    }

    fn report_stray(&mut self, sink: &mut dyn FnMut(Kind, StreamPiece<'_>)) {
        if let Some(stray) = self.stray.take() {
            sink(self.kind, StreamPiece::Stray(*stray));
        }
    }
}

/// The event that is all of these bytes, a line end aside.
fn event(raw: &[u8], start: u64) -> StreamPiece<'_> {
    if raw.trim_ascii_end().is_empty() {
        return StreamPiece::Other(TextChunk::new(raw, start));
    }
    StreamPiece::Event(frame(raw, start))
}

fn frame(raw: &[u8], start: u64) -> Frame<'_> {
    Frame::of_line(raw, start, 0..raw.trim_ascii_end().len())
}
