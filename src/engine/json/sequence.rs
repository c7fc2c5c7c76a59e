//! Modes `json` and `ndjson`: a stream of nothing but JSON values.

use memchr::memchr;

use super::{JsonReader, split_buffered};
#[cfg(test)]
use crate::engine::buffer::Buffer;
use crate::engine::chars::BYTE_ORDER_MARK;
use crate::engine::held::Held;
use crate::engine::json::lexer::{LineStart, Step, leading_white};
use crate::engine::{ReleasePoint, Setup, Sink};
use crate::event::{Diagnostic, DiagnosticCode, Event, JsonRecord, TextChunk};
use crate::{Limits, Span, steps};

/// What comes next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// A value.
    Between,
    /// The rest of the open value.
    Value,
    /// The end of the line, which has its value.
    After,
    /// Nothing before the next line.
    Skip,
}

/// The state of one stream of JSON values.
#[derive(Clone, Debug)]
pub(crate) struct SequenceEngine {
    /// Stream offset of the first byte.
    start: u64,
    reader: JsonReader,
    place: Place,
    /// A value a line.
    lines: bool,
    /// Records are held back.
    hold_records: bool,
    untrusted: bool,
    /// What has not been emitted: the bytes of a value.
    held: Held,
    /// Bytes of a byte order mark seen at the very start; 3 once it is decided.
    mark: u8,
    /// After the last byte that was reported not to be JSON.
    reported: u64,
    /// Bytes of records, which were removed.
    removed: u64,
}

impl SequenceEngine {
    /// Values that follow one another, or one a line, from stream offset `start` on; records are held back or not.
    pub(crate) fn new(start: u64, lines: bool, hold_records: bool) -> Self {
        Self {
            start,
            reader: JsonReader::new(start),
            place: Place::Between,
            lines,
            hold_records,
            untrusted: false,
            held: Held::NOTHING,
            mark: 0,
            reported: start,
            removed: 0,
        }
    }

    /// Back to the start of a stream, keeping the memory.
    pub(crate) fn reset(&mut self) {
        let mut reader = core::mem::replace(&mut self.reader, JsonReader::new(0));
        reader.rest(self.start);
        reader.forget_findings();
        *self = Self {
            reader,
            ..Self::new(self.start, self.lines, self.hold_records)
        };
    }

    /// Stream offset of the next byte.
    pub(crate) const fn position(&self) -> u64 {
        self.reader.position()
    }

    /// Bytes that belong to a value that can still become a record and were not emitted.
    pub(crate) const fn buffered_len(&self) -> usize {
        self.held.len(self.position())
    }

    /// Bytes of records that were removed.
    pub(crate) const fn removed(&self) -> u64 {
        self.removed
    }

    /// The least stream offset at which an assertion that is not complete may begin, whatever follows; at most
    /// [`position`](Self::position).
    pub(crate) fn release_point(&mut self) -> ReleasePoint {
        let from = match self.place {
            Place::Value => self.reader.undecided_from(self.position()),
            _ => self.position(),
        };
        self.reader.answer(ReleasePoint::uncut(from))
    }

    /// Bytes of heap in use.
    pub(crate) fn heap(&self) -> usize {
        self.reader.heap()
    }

    #[cfg(test)]
    pub(crate) const fn buffer(&self) -> &Buffer {
        self.reader.buffer()
    }

    /// Takes a chunk of a few bytes that continues a value that is not held back, and returns its offset; `None` if the slow
    /// path is needed.
    #[inline(always)]
    pub(crate) fn take(&mut self, chunk: &[u8]) -> Option<u64> {
        self.reader.take(chunk)
    }

    /// Takes a chunk of the model's own text, or of untrusted text.
    pub(crate) fn push(
        &mut self,
        setup: Setup<'_>,
        chunk: &[u8],
        untrusted: bool,
        sink: &mut Sink<'_>,
    ) {
        let mut rest = chunk;
        while self.held.is_some()
            && let Some((now, later)) = split_buffered(setup.limits, self.buffered_len(), rest)
        {
            self.push_piece(setup, now, untrusted, sink);
            rest = later;
        }
        self.push_piece(setup, rest, untrusted, sink);
    }

    /// Takes a piece of a chunk, which ends at the latest where a value gets too long to be buffered.
    #[inline]
    fn push_piece(&mut self, setup: Setup<'_>, chunk: &[u8], untrusted: bool, sink: &mut Sink<'_>) {
        if chunk.is_empty() {
            return;
        }
        if untrusted != self.untrusted {
            self.end_value(setup, sink);
            self.untrusted = untrusted;
        }
        let base = self.position();
        let mut read = (0, Step::More);
        if self.place == Place::Value {
            read = self
                .reader
                .read(self.held.is_some(), setup, chunk, 0, base, sink);
            if read.1 == Step::More && !self.hold_records {
                // Most chunks that begin in a value end in it.
                sink(Event::Text(TextChunk::new(chunk, base)));
                self.reader.retain(setup, chunk, base, sink);
                return;
            }
        }
        let mut piece = Piece {
            setup,
            chunk,
            base,
            emitted: self.held.start(base),
            engine: self,
            sink,
        };
        if untrusted {
            piece.untrusted();
        } else {
            let mark = piece.byte_order_mark();
            piece.end_value(read);
            piece.run(mark.max(read.0));
        }
        piece.end_of_chunk();
    }

    /// Reports what is open at the end of the stream.
    pub(crate) fn finish(&mut self, setup: Setup<'_>, sink: &mut Sink<'_>) {
        self.end_value(setup, sink);
    }

    /// Ends what cannot continue across a change between own and untrusted text, or the end of the stream.
    fn end_value(&mut self, setup: Setup<'_>, sink: &mut Sink<'_>) {
        let base = self.position();
        let mut piece = Piece {
            setup,
            chunk: &[],
            base,
            emitted: self.held.start(base),
            engine: self,
            sink,
        };
        if (1..3).contains(&piece.engine.mark) {
            piece.no_mark();
        }
        if piece.engine.place != Place::Value {
            return;
        }
        if !piece.engine.reader.is_whole_at_end() {
            let span = Span::new(piece.engine.reader.start(), piece.base);
            piece.diagnose(DiagnosticCode::Unterminated, span);
        }
        piece.release(piece.base);
        self.reader.rest(base);
        self.held = Held::NOTHING;
        self.place = self.after_value();
    }

    const fn after_value(&self) -> Place {
        if self.lines {
            Place::After
        } else {
            Place::Between
        }
    }
}

/// A chunk on its way through the engine.
struct Piece<'a, 's> {
    engine: &'a mut SequenceEngine,
    setup: Setup<'a>,
    chunk: &'a [u8],
    base: u64,
    /// Everything before this stream offset has been emitted.
    emitted: u64,
    sink: &'a mut Sink<'s>,
}

impl Piece<'_, '_> {
    const fn offset(&self, at: usize) -> u64 {
        self.base + at as u64
    }

    const fn limits(&self) -> &Limits {
        self.setup.limits
    }

    fn diagnose(&mut self, code: DiagnosticCode, span: Span) {
        (self.sink)(Event::Diagnostic(Diagnostic::new(code, span)));
    }

    /// Untrusted text is passed over; a line feed in it ends the line.
    fn untrusted(&mut self) {
        self.engine.mark = 3;
        if self.engine.place != Place::Between && memchr(b'\n', self.chunk).is_some() {
            self.engine.place = Place::Between;
        }
    }

    fn run(&mut self, from: usize) {
        let mut at = from;
        while at < self.chunk.len() {
            at = match self.engine.place {
                Place::Between => self.between(at),
                Place::Value => self.value(at),
                Place::After => self.after(at),
                Place::Skip => self.skip(at),
            };
        }
    }

    /// A byte order mark at the very start is white space.
    fn byte_order_mark(&mut self) -> usize {
        let mut at = 0;
        while let Some(&expected) = BYTE_ORDER_MARK.get(usize::from(self.engine.mark)) {
            match self.chunk.get(at) {
                None => break,
                Some(&byte) if byte == expected => {
                    self.engine.mark += 1;
                    at += 1;
                }
                Some(_) if self.engine.mark > 0 => self.no_mark(),
                Some(_) => self.engine.mark = 3,
            }
        }
        at
    }

    /// What began like a byte order mark is not one, so the stream's first byte is not JSON.
    fn no_mark(&mut self) {
        self.engine.mark = 3;
        self.syntax(self.engine.start);
        self.engine.place = Place::Skip;
    }

    fn between(&mut self, at: usize) -> usize {
        let here = at + leading_white(&self.chunk[at..]);
        steps::count(here - at);
        if here < self.chunk.len() {
            let start = self.offset(here);
            let engine = &mut *self.engine;
            engine.reader.begin(self.setup.limits, start, engine.lines);
            engine.place = Place::Value;
        }
        here
    }

    fn value(&mut self, at: usize) -> usize {
        let read = self
            .engine
            .reader
            .read(false, self.setup, self.chunk, at, self.base, self.sink);
        self.end_value(read);
        read.0
    }

    /// The open value was read up to an index, where it may have ended.
    fn end_value(&mut self, (end, step): (usize, Step)) {
        let offset = self.offset(end);
        match step {
            Step::More => return,
            Step::Complete => {
                self.end_hold(offset, true);
                self.engine.place = self.engine.after_value();
                return;
            }
            Step::TooDeep => {
                self.diagnose(DiagnosticCode::LimitDepth, Span::new(offset, offset + 1));
                self.engine.place = Place::Skip;
            }
            Step::Stopped => {
                self.syntax(offset);
                let begins_line = self.engine.reader.line_at(offset) != LineStart::Content;
                self.engine.place = if begins_line && !self.engine.lines {
                    Place::Between
                } else {
                    Place::Skip
                };
            }
        }
        self.end_hold(offset, false);
    }

    fn after(&mut self, at: usize) -> usize {
        let white = |byte: &&u8| matches!(byte, b' ' | b'\t' | b'\r');
        let here = at + self.chunk[at..].iter().take_while(white).count();
        steps::count(here - at);
        match self.chunk.get(here) {
            None => {}
            Some(b'\n') => self.engine.place = Place::Between,
            Some(_) => {
                self.syntax(self.offset(here));
                self.engine.place = Place::Skip;
            }
        }
        here
    }

    fn skip(&mut self, at: usize) -> usize {
        let found = memchr(b'\n', &self.chunk[at..]);
        let end = found.map_or(self.chunk.len(), |found| at + found + 1);
        steps::count(end - at);
        if found.is_some() {
            self.engine.place = Place::Between;
        }
        end
    }

    /// Reports once that the byte at a stream offset is not JSON.
    fn syntax(&mut self, at: u64) {
        if self.engine.reported <= at {
            self.engine.reported = at + 1;
            self.diagnose(DiagnosticCode::JsonSyntax, Span::new(at, at + 1));
        }
    }

    /// The value that was open ended before a stream offset: removes it if it is a record, else emits it.
    fn end_hold(&mut self, end: u64, complete: bool) {
        if !self.engine.hold_records {
            return;
        }
        let start = self.engine.reader.start();
        let span = Span::new(start, end);
        let record = complete && self.engine.reader.is_record();
        if !record || span.len() > self.limits().max_record() as u64 {
            self.release(end);
            if record {
                self.diagnose(DiagnosticCode::LimitPending, span);
            }
            return;
        }
        self.release(start);
        let limits = self.setup.limits;
        let raw = self.engine.reader.whole(limits, self.chunk, self.base, end);
        (self.sink)(Event::Record(JsonRecord::new(raw, start)));
        self.emitted = end;
        self.engine.removed += span.len();
    }

    /// Emits all bytes up to a stream offset.
    fn release(&mut self, upto: u64) {
        let from = self.emitted;
        if from < self.base.min(upto) {
            let buffered = self.engine.reader.kept(from, self.base);
            (self.sink)(Event::Text(TextChunk::new(buffered, from)));
            self.emitted = self.base;
        }
        let from = self.emitted;
        if from < upto {
            let piece = &self.chunk[(from - self.base) as usize..(upto - self.base) as usize];
            (self.sink)(Event::Text(TextChunk::new(piece, from)));
            self.emitted = upto;
        }
    }

    /// Emits what need not be buffered and keeps what may be needed of the chunk.
    fn end_of_chunk(&mut self) {
        let end = self.offset(self.chunk.len());
        let mut buffered = end;
        if self.engine.place == Place::Value {
            let reader = &self.engine.reader;
            if self.engine.hold_records
                && reader.is_object()
                && end - reader.start() <= self.limits().max_record() as u64
            {
                buffered = reader.start();
            }
        }
        self.release(buffered);
        let engine = &mut *self.engine;
        engine.held = Held::between(buffered, end);
        if engine.place == Place::Value {
            engine
                .reader
                .retain(self.setup, self.chunk, self.base, self.sink);
            if buffered < end {
                engine.reader.end_run();
            }
        } else {
            engine.reader.rest(end);
        }
    }
}
