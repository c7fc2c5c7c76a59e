//! Events that are JSON alone: one a line, or the elements of one array.

use memchr::memchr;
use smallvec::smallvec;

use super::frame::{Frame, Piece};
use super::framer::Kind;
use provstream::Span;
use provstream::TextChunk;

/// Events that are lines, or objects in one array.
#[derive(Clone, Debug)]
pub(super) struct JsonFramer {
    max_event: usize,
    array: bool,
    /// The bytes of the open event, as long as it is not too long.
    open: Vec<u8>,
    start: u64,
    pub(super) position: u64,
    passing: bool,
    /// In an array: how many brackets are open, that of the array included.
    depth: u32,
    in_string: bool,
    after_backslash: bool,
}

/// What bytes mean to the event they belong to.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    Open,
    /// They end it.
    End,
    /// They are between events.
    Between,
    /// They close the array.
    Close,
}

impl JsonFramer {
    pub(super) const fn new(max_event: usize, array: bool) -> Self {
        Self {
            max_event,
            array,
            open: Vec::new(),
            start: 0,
            position: 0,
            passing: false,
            depth: 0,
            in_string: false,
            after_backslash: false,
        }
    }

    pub(super) const fn kind(&self) -> Kind {
        if self.array { Kind::Array } else { Kind::Lines }
    }

    pub(super) fn push(&mut self, chunk: &[u8], sink: &mut dyn FnMut(Piece<'_>)) {
        let mut rest = chunk;
        while !rest.is_empty() {
            let (len, step) = if self.array {
                self.element(rest)
            } else {
                match memchr(b'\n', rest) {
                    Some(end) => (end + 1, Step::End),
                    None => (rest.len(), Step::Open),
                }
            };
            let (taken, later) = rest.split_at(len);
            self.take(taken, step, sink);
            rest = later;
        }
    }

    pub(super) fn finish(&mut self, sink: &mut dyn FnMut(Piece<'_>)) {
        if self.passing {
            sink(Piece::Oversized(Span::new(self.start, self.position)));
        } else if self.array && !self.open.is_empty() {
            sink(Piece::Unterminated(TextChunk::new(&self.open, self.start)));
        } else if !self.open.is_empty() {
            // The last line needs no line feed.
            sink(event(&self.open, self.start));
        }
        self.passing = false;
        self.open.clear();
        self.start = self.position;
        self.depth = self.depth.min(1);
        self.in_string = false;
        self.after_backslash = false;
    }

    /// How many of the bytes of an array belong together, and what they mean.
    fn element(&mut self, rest: &[u8]) -> (usize, Step) {
        for (at, &byte) in rest.iter().enumerate() {
            let was = self.depth;
            self.read(byte);
            match (was, self.depth) {
                (2, 1) => return (at + 1, Step::End),
                (1, 0) if at == 0 => return (1, Step::Close),
                // What comes before stands alone.
                (1, 0 | 2) if at > 0 => {
                    self.depth = was;
                    return (at, Step::Between);
                }
                _ => {}
            }
        }
        let step = if self.depth < 2 {
            Step::Between
        } else {
            Step::Open
        };
        (rest.len(), step)
    }

    fn read(&mut self, byte: u8) {
        if self.in_string {
            let escaped = core::mem::take(&mut self.after_backslash);
            match byte {
                b'\\' => self.after_backslash = !escaped,
                b'"' if !escaped => self.in_string = false,
                _ => {}
            }
            return;
        }
        match byte {
            // A string between the elements is none of this format's, and not looked into.
            b'"' => self.in_string = self.depth > 1,
            b'{' | b'[' => self.depth = self.depth.saturating_add(1),
            b'}' | b']' => self.depth = self.depth.saturating_sub(1),
            _ => {}
        }
    }

    pub(super) fn take(&mut self, taken: &[u8], step: Step, sink: &mut dyn FnMut(Piece<'_>)) {
        let at = self.position;
        self.position += taken.len() as u64;
        if matches!(step, Step::Between | Step::Close) {
            if taken.is_empty() {
                return;
            }
            let text = TextChunk::new(taken, at);
            sink(match step {
                Step::Close => Piece::Close(text),
                _ => Piece::Other(text),
            });
            self.start = self.position;
            return;
        }
        if !self.passing && self.open.len() + taken.len() > self.max_event {
            self.passing = true;
            if !self.open.is_empty() {
                sink(Piece::Passed(TextChunk::new(&self.open, self.start)));
                self.open.clear();
            }
        }
        if self.passing {
            sink(Piece::Passed(TextChunk::new(taken, at)));
        } else {
            self.open.extend_from_slice(taken);
        }
        if step == Step::End {
            sink(match core::mem::take(&mut self.passing) {
                true => Piece::Oversized(Span::new(self.start, self.position)),
                false => event(&self.open, self.start),
            });
            self.open.clear();
            self.start = self.position;
        }
    }
}

/// The event that is all of these bytes, a line end aside.
fn event(raw: &[u8], start: u64) -> Piece<'_> {
    let end = raw.trim_ascii_end().len();
    if end == 0 {
        return Piece::Other(TextChunk::new(raw, start));
    }
    Piece::Event(Frame::new(raw, start, smallvec![0..end]))
}
