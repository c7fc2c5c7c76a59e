//! Deferred objects: objects that are not complete yet and of which only the grammar is read.
//!
//! The reader records the positions of the strings that may be reported. At the closing brace, an
//! object in common form is reported from these positions, any other is read again as a whole.

use super::name::{KnownName, known};
use super::visit::Visitor;
use super::whole::WholeObject;
use super::{Ahead, JsonReader};
use crate::Span;
use crate::engine::json::lexer::{Mark, Object, Quoted, ValueStatus, Visit};
use crate::engine::{Input, Sink};
use crate::provenance::slot::Slot;
use crate::steps;

/// Maximum number of bytes of a long chunk that are read at once for a deferred object.
const PIECE: usize = 1_024;

/// Maximum length of a chunk that is read byte by byte instead of in runs.
const SHORT: usize = 8;

/// An object that is not complete yet and of which only the grammar was read.
#[derive(Clone, Debug)]
pub(super) struct Deferred {
    /// Stream offset of the opening brace.
    pub(super) start: u64,
    mark: Mark,
    watch: Watch,
}

/// Positions found in a deferred object, and whether it can be reported from them.
#[derive(Clone, Copy, Debug, Default)]
struct Watch {
    /// Number of open objects and arrays, the deferred object included.
    depth: u32,
    /// Meaning of the last member name.
    member: Option<KnownName>,
    /// The object must be read again at once, because it has something that cannot be deferred.
    odd: bool,
    /// The object must be read again at its end.
    unusual: bool,
    /// Stream offset of the first value of a member `assertion`.
    first: Option<u64>,
    found: WholeObject,
}

impl Visit for Watch {
    #[inline]
    fn object(&mut self, _: usize, _: u32, _: bool) -> Object {
        Object::Open
    }

    #[inline]
    fn open(&mut self, object: bool, at: u64) {
        match self.depth {
            0 => self.found.start = at,
            1 if object && self.member == Some(KnownName::Provenance) => {
                self.unusual |= self.found.annotation.replace(Slot::new(at, 0)).is_some();
            }
            _ => self.odd = true,
        }
        self.depth += 1;
    }

    #[inline]
    fn close(&mut self, end: u64) -> bool {
        self.depth -= 1;
        if let (1, Some(slot)) = (self.depth, &mut self.found.annotation) {
            slot.end(end);
        }
        self.depth == 0
    }

    #[inline(always)]
    fn name(&mut self, name: Quoted<'_>) {
        let Some(content) = name.whole().filter(|_| !name.escaped) else {
            self.odd = true;
            return;
        };
        self.member = known(content);
        // An inner object with such a member may have to be reported at its own end, before this
        // one.
        self.odd |= self.depth > 1 && !matches!(self.member, None | Some(KnownName::Part(_)));
    }

    #[inline]
    fn string(&mut self, string: Quoted<'_>) {
        if self.member.is_some() {
            self.string_of_member(&string);
        }
    }

    #[inline]
    fn scalar(&mut self, start: u64, _: u64, _: bool) {
        if self.member == Some(KnownName::Assertion) {
            self.first.get_or_insert(start);
        }
        self.unusual |= match self.member {
            None => false,
            Some(KnownName::Part(_)) => self.depth > 1,
            Some(_) => true,
        };
    }

    #[inline]
    fn next_element(&mut self) {}
}

impl Watch {
    /// Records a string that is the value of a member with a known name.
    #[inline(never)]
    fn string_of_member(&mut self, string: &Quoted<'_>) {
        let found = &mut self.found;
        let span = Span::new(string.start, string.end);
        self.unusual |= match (self.member, &mut found.annotation) {
            (Some(KnownName::Assertion), _) => {
                self.first.get_or_insert(string.start);
                // The first string of a member `assertion` is the assertion.
                let is_further = found.assertion.is_some();
                found.assertion.get_or_insert((span, string.escaped));
                is_further
            }
            (Some(KnownName::Part(_)), _) if self.depth == 1 => false,
            (Some(KnownName::Part(part)), Some(slot)) => {
                let (at, len) = (span.start() - found.start, span.len() as usize);
                slot.keep(part, at as usize, len, false);
                !slot.see(part) || string.escaped || slot.len_of(part) != len
            }
            _ => true,
        };
    }
}

impl Deferred {
    /// Stream offset of the first value of a member `assertion`, if that value is complete.
    pub(super) const fn assertion_start(&self) -> Option<u64> {
        self.watch.first
    }

    /// Returns `true` if the last member name was `assertion`.
    pub(super) fn awaits_assertion(&self) -> bool {
        self.watch.member == Some(KnownName::Assertion)
    }
}

impl JsonReader {
    /// Defers the object at stream offset `start`, before which the lexer paused.
    pub(super) fn defer(&mut self, start: u64) {
        let deferred = Deferred {
            start,
            mark: self.lexer.mark(),
            watch: Watch::default(),
        };
        match self.spare.take() {
            Some(mut spare) => {
                *spare = deferred;
                self.deferred = Some(spare);
            }
            None => self.deferred = Some(Box::new(deferred)),
        }
    }

    /// Ends the deferral and keeps its memory for the next one.
    pub(super) fn end_deferral(&mut self) {
        if let Some(deferred) = self.deferred.take() {
            self.spare = Some(deferred);
        }
    }

    /// Heap memory of the deferral, in bytes.
    pub(super) fn deferral_heap(&self) -> usize {
        let kept = self.deferred.is_some() || self.spare.is_some();
        if kept { size_of::<Deferred>() } else { 0 }
    }

    /// Reads a short chunk of a deferred object, appending it to the bytes kept. Returns the stream
    /// offset of the chunk, or `None` if the chunk needs [`read_deferred`](Self::read_deferred).
    #[inline(never)]
    pub(super) fn watch_short(&mut self, chunk: &[u8]) -> Option<u64> {
        let buffer = &mut self.state.tail;
        let watch = &mut self.deferred.as_mut()?.watch;
        let first = buffer.offset(0);
        let bytes = buffer.append_within_run(chunk)?;
        let from = bytes.len() - chunk.len();
        let start = first + from as u64;
        let mut at = from;
        if chunk.len() <= SHORT {
            at = self.lexer.read_short(bytes, from, first, watch);
            steps::count(at - from);
            if at == bytes.len() && !watch.odd {
                buffer.set_emitted_class(self.lexer.byte_class());
                return Some(start);
            }
        }
        let (end, step) = self.lexer.read(bytes, at, first, watch);
        steps::count(end - at);
        let goes_on = step == Some(ValueStatus::More) && !watch.odd;
        if !goes_on {
            // A chunk that fits a run is shorter than 4 GiB, because `hold_until` is a `u32`.
            let (len, end) = (chunk.len() as u32, (end - from) as u32);
            self.ahead = Some(Ahead { len, end, step });
            return None;
        }
        buffer.set_emitted_class(self.lexer.byte_class());
        Some(start)
    }

    /// Continues a deferred object at index `at` of the chunk. Returns the index at which reading
    /// ended, and the status; `None` if the value must be read on from there.
    pub(super) fn read_deferred(
        &mut self,
        input: &Input<'_>,
        mut at: usize,
        sink: &mut Sink<'_>,
    ) -> (usize, Option<ValueStatus>) {
        let Some(deferred) = &mut self.deferred else {
            return (at, None);
        };
        if deferred.start >= input.base {
            let watch = &mut deferred.watch;
            let read = self.lexer.read(input.chunk, at, input.base, watch);
            steps::count(read.0 - at);
            return self.end_watch(input, read, input, sink);
        }
        // The kept bytes and the new ones are read as one piece.
        loop {
            let ahead = self.ahead.take();
            let mut end = input.chunk.len();
            if ahead.is_none() {
                let room = input.limits.max_record();
                let room = room.saturating_sub(self.state.tail.len());
                end = end.min(at + PIECE.min(room));
                self.state.tail.append(&input.chunk[at..end], input.limits);
            }
            let tail = core::mem::take(&mut self.state.tail);
            let (chunk, base) = (tail.kept(), tail.base());
            let from = chunk.len() - (end - at);
            let read = match (ahead, &mut self.deferred) {
                (Some(Ahead { end, step, .. }), _) => (from + end as usize, step),
                (None, Some(deferred)) if from < chunk.len() => {
                    let read = self.lexer.read(chunk, from, base, &mut deferred.watch);
                    steps::count(read.0 - from);
                    read
                }
                (None, Some(deferred)) => {
                    // No more of it can be kept.
                    deferred.watch.odd = true;
                    (from, Some(ValueStatus::More))
                }
                (None, None) => (from, None),
            };
            let piece = Input {
                chunk,
                base,
                ..*input
            };
            let read = self.end_watch(&piece, read, input, sink);
            self.state.tail = tail;
            at = read.0;
            let goes_on = self
                .deferred
                .as_ref()
                .is_some_and(|deferred| deferred.start < input.base);
            if at == input.chunk.len() || !goes_on || read.1 != Some(ValueStatus::More) {
                return (at, read.1);
            }
        }
    }

    /// Decides, after a deferred object was read up to index `end` of `piece`, whether to defer it
    /// further, report it, or read it again. `piece` has all bytes of the object; the result is an
    /// index of the chunk.
    fn end_watch(
        &mut self,
        piece: &Input<'_>,
        (end, step): (usize, Option<ValueStatus>),
        input: &Input<'_>,
        sink: &mut Sink<'_>,
    ) -> (usize, Option<ValueStatus>) {
        let in_chunk = |index: usize| input.index(piece.base + index as u64);
        let Some(deferred) = &self.deferred else {
            return (in_chunk(end), None);
        };
        let (start, mark, watch) = (deferred.start, deferred.mark, &deferred.watch);
        let len = piece.base + end as u64 - start;
        match step {
            Some(ValueStatus::More) if !watch.odd && len <= input.limits.max_record() as u64 => {
                return (in_chunk(end), step);
            }
            Some(ValueStatus::Stopped | ValueStatus::TooDeep) if !watch.odd => {
                self.end_deferral();
                return (in_chunk(end), step);
            }
            _ => {}
        }
        let is_usual = step.is_none() && !watch.odd && !watch.unusual;
        let mut found = watch.found;
        self.end_deferral();
        let index = piece.index(start);
        let mut visitor = Visitor::new(&mut self.state, piece, sink);
        // An object that began before the chunk is read token by token now, and not deferred again.
        visitor.whole_from = input.base.max(start + 1);
        let object = piece.chunk.get(index..).unwrap_or_default();
        if is_usual
            && found.read_parts(piece, object).is_ok()
            && visitor.report_found(object, found).is_ok()
        {
            let complete = self.lexer.depth() == 0;
            return (in_chunk(end), complete.then_some(ValueStatus::Complete));
        }
        self.lexer.rewind(mark);
        let read = self
            .lexer
            .read(piece.chunk, index, piece.base, &mut visitor);
        let (end, step) = (in_chunk(read.0), read.1);
        steps::count(read.0 - index);
        match step {
            None => self.defer(input.base + end as u64),
            Some(ValueStatus::More) if end < input.chunk.len() => return (end, None),
            _ => {}
        }
        (end, step)
    }
}
