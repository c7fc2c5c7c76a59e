//! Reads JSON values and reports their asserted objects and MARC objects.
//!
//! For an open value, the reader keeps a [`OpenContainer`] for each open object or array, a slot for each
//! annotation, the strings of annotations in one arena, and the last bytes of the stream, as far
//! back as an open string or the start of an open object that may be a MARC object.

mod defer;
mod frame;
pub(crate) mod lexer;
mod name;
mod report;
mod slots;
mod tail;
mod visit;
mod whole;

use self::defer::Deferred;
use self::frame::{EXTENT, OBJECT, OpenContainer};
use self::tail::Tail;
use self::visit::{ValueRole, Visitor};
use super::{Input, Sink};
use crate::Limits;
use crate::engine::json::lexer::{Lexer, ValueStatus};
use crate::json::LONGEST_UNIT;
use crate::provenance::slot::Slot;
use crate::steps;

/// Maximum length of a known member name with every character escaped, in bytes.
const LONGEST_KNOWN: usize = 6 * b"uncertainty_source".len();

/// Maximum number of bytes of a member name that one byte of a JSON Pointer stands for.
const LONGEST_IN_NAME: usize = 6;

/// Reader of one JSON value at a time.
#[derive(Clone, Debug, Default)]
pub(crate) struct JsonReader {
    lexer: Lexer,
    state: JsonValueState,
    /// Stream offset of the first byte of the value.
    start: u64,
    /// Innermost open object while only its grammar is read.
    deferred: Option<Box<Deferred>>,
    /// Memory for the next deferred object.
    spare: Option<Box<Deferred>>,
    /// Chunk that was appended and read for the deferred object and must still be processed.
    ahead: Option<Ahead>,
}

/// A short chunk of a deferred object that was appended and read.
#[derive(Clone, Copy, Debug)]
struct Ahead {
    /// Length of the chunk, in bytes.
    len: u32,
    /// Index of the chunk at which reading ended.
    end: u32,
    /// Status of the value.
    step: Option<ValueStatus>,
}

/// State of a value apart from its grammar.
#[derive(Clone, Debug, Default)]
struct JsonValueState {
    frames: Vec<OpenContainer>,
    slots: Vec<Slot>,
    /// Kept raw strings, in the order of their objects.
    arena: Vec<u8>,
    /// Bytes of the arena that count towards `max_pending_json`.
    pending: usize,
    /// JSON Pointer of the innermost object or array with a pointer.
    pointer: String,
    /// Decoded text of the last assertion.
    decoded: Vec<u8>,
    tail: Tail,
    /// Meaning of the next value to its object or array.
    role: ValueRole,
    /// The open string exceeds its limit and has already been kept.
    taken: bool,
    /// Stream offsets of the content of the last member name; `name_escaped` if it has an escape.
    name: (u64, u64),
    name_escaped: bool,
    /// Length of the JSON Pointer of the last member's value, if it was built before the value
    /// began.
    child: Option<u32>,
    /// Index of the first frame that may still be reported with its bytes.
    oldest: usize,
    /// Stream offset from which on no bytes are dropped while a chunk is read.
    floor: u64,
    /// An object was reported.
    reported: bool,
    /// The complete value is a record.
    record: bool,
}

impl JsonReader {
    pub(crate) fn new(start: u64) -> Self {
        let state = JsonValueState {
            tail: Tail::new(start),
            ..JsonValueState::default()
        };
        Self {
            state,
            ..Self::default()
        }
    }

    /// Prepares for a value that starts at stream offset `start`, with `in_text` in free text.
    pub(crate) fn begin(&mut self, limits: &Limits, start: u64, single_line: bool, in_text: bool) {
        self.lexer.begin(limits.max_depth(), single_line, in_text);
        self.start = start;
        self.end_deferral();
        debug_assert!(self.ahead.is_none());
        let state = &mut self.state;
        state.clear();
        state.tail.restart(0, start);
        state.tail.end_run();
    }

    /// Returns the stream offset of the first byte of the value.
    pub(crate) const fn start(&self) -> u64 {
        self.start
    }

    /// Returns `true` if an object of the value was reported.
    pub(crate) const fn has_reported(&self) -> bool {
        self.state.reported
    }

    /// Returns `true` if the complete value is a record, which may be removed from the text.
    pub(crate) const fn is_record(&self) -> bool {
        self.state.record
    }

    /// Returns `true` if the root of the value is an object.
    pub(crate) fn is_object(&self) -> bool {
        match self.state.frames.first() {
            Some(root) => root.has(OBJECT),
            None => self.deferred.is_some(),
        }
    }

    /// Returns the lexer of the value.
    pub(crate) const fn lexer(&self) -> &Lexer {
        &self.lexer
    }

    /// Returns bytes of a held value that were kept at the end of the last chunk.
    pub(crate) fn kept(&self, start: u64, end: u64) -> &[u8] {
        self.state.tail.get(start, end)
    }

    /// Returns the bytes of a complete held value, which ends in the chunk.
    pub(crate) fn whole<'a>(&'a mut self, input: &Input<'a>, end: u64) -> &'a [u8] {
        self.state.tail.bytes(input, (self.start, end))
    }

    /// Heap memory in bytes.
    pub(crate) fn heap(&self) -> usize {
        let state = &self.state;
        self.lexer.heap()
            + state.frames.capacity() * size_of::<OpenContainer>()
            + state.slots.capacity() * size_of::<Slot>()
            + state.arena.capacity()
            + state.pointer.capacity()
            + state.decoded.capacity()
            + state.tail.bytes.capacity()
            + self.deferral_heap()
    }

    /// Returns the least stream offset of the [extent](crate::provenance::Assertion::extent) of an
    /// assertion that has begun in the open value, or `none`.
    pub(crate) fn undecided_from(&self, none: u64) -> u64 {
        // What belongs to an outer object began before anything in an inner one.
        let mut frames = self.state.frames.iter();
        if let Some(frame) = frames.find(|frame| frame.has(EXTENT)) {
            return frame.extent.0;
        }
        let is_assertion = match &self.deferred {
            Some(deferred) => match deferred.assertion_start() {
                Some(start) => return start,
                None => deferred.awaits_assertion(),
            },
            None => self.state.role.is_assertion(),
        };
        match self.lexer.open_token() {
            Some(start) if is_assertion => start,
            _ => none,
        }
    }

    /// Reads a chunk from index `at` on. With `buffered`, no bytes of the value are dropped.
    pub(crate) fn read(
        &mut self,
        input: &Input<'_>,
        mut at: usize,
        buffered: bool,
        sink: &mut Sink<'_>,
    ) -> (usize, ValueStatus) {
        self.state.floor = if buffered { self.start } else { u64::MAX };
        loop {
            let step;
            if self.deferred.is_some() {
                (at, step) = self.read_deferred(input, at, sink);
            } else {
                let from = at;
                let mut visitor = Visitor::new(&mut self.state, input, sink);
                (at, step) = self.lexer.read(input.chunk, at, input.base, &mut visitor);
                steps::count(at - from);
                if step.is_none() {
                    self.defer(input.base + at as u64);
                }
            }
            if let Some(step) = step {
                return (at, step);
            }
        }
    }

    /// Reads a chunk of a few bytes that continues a string or a deferred object, and returns its
    /// stream offset; `None` if this chunk needs [`read`](Self::read) next. It may be appended already then.
    #[inline(always)]
    pub(crate) fn append_plain(&mut self, chunk: &[u8]) -> Option<u64> {
        match self.append_to_string(chunk) {
            None => self.watch_short(chunk),
            taken => taken,
        }
    }

    /// Appends a chunk of a few bytes that continues a string, and returns its stream offset; `None` if nothing was taken.
    #[inline(always)]
    pub(crate) fn append_to_string(&mut self, chunk: &[u8]) -> Option<u64> {
        // Few longer chunks are within one string, and the lexer is as fast on those.
        self.state.tail.append_plain_token(chunk)
    }

    /// Returns the class of bytes that can be appended without reading them.
    #[cfg(test)]
    pub(crate) const fn plain_class(&self) -> crate::engine::bytes::ByteClasses {
        self.state.tail.plain_class()
    }

    /// Returns the stream offset after the last byte read, in a stream of JSON alone.
    pub(crate) const fn position(&self) -> u64 {
        let end = self.state.tail.position();
        match &self.ahead {
            Some(ahead) => end - ahead.len as u64,
            None => end,
        }
    }

    /// Prepares for bytes outside a value, from stream offset `at` on.
    pub(crate) fn rest(&mut self, at: u64) {
        self.state.tail.restart(0, at);
        self.state.tail.end_run();
    }

    /// Requires the next chunk to be read, whatever its bytes are.
    pub(crate) fn end_run(&mut self) {
        self.state.tail.end_run();
    }

    /// Allows up to `most` bytes that continue a string or a deferred object to be appended without
    /// reading them.
    fn set_run(&mut self, most: usize) {
        let class = self.lexer.byte_class();
        self.state.tail.set_run(class, most, usize::MAX, false);
    }

    /// Keeps the bytes of the open value that later events may need, at the end of a chunk.
    pub(crate) fn retain(&mut self, input: &Input<'_>, sink: &mut Sink<'_>) {
        let limits = input.limits;
        let end = input.end();
        let mut visitor = Visitor::new(&mut self.state, input, sink);
        if let Some(deferred) = &self.deferred {
            let start = deferred.start;
            let oldest = visitor.state.oldest_record(limits, end);
            if oldest.is_none() {
                visitor.name_child();
            }
            let wanted = oldest.map_or(start, |oldest| oldest.min(start));
            self.state.tail.keep(wanted, input);
            self.set_run(limits.max_record() - (end - wanted) as usize);
            return;
        }
        // Where the string starts of which what was read is wanted, and how much longer it may get before it is looked at
        // again.
        let (mut wanted, mut room) = (None, usize::MAX);
        if let Some((start, name)) = self.lexer.open_string() {
            let most = if name {
                longest_name(limits)
            } else {
                let most = visitor.state.wants(limits);
                most.map_or(0, |most| most + LONGEST_UNIT)
            };
            if end - start <= most as u64 {
                wanted = Some(start);
                room = most - (end - start) as usize;
            } else if !name && most > 0 {
                visitor.take_long(start, end);
            }
        }
        let record = visitor.state.oldest_record(limits, end);
        if record.is_none() && self.lexer.awaits_member() {
            // Any number of bytes of white space may follow a name, so it is made use of while it is there.
            visitor.name_child();
        }
        let state = &mut self.state;
        if let Some(start) = record {
            wanted = Some(start);
            room = room.min(limits.max_record() - (end - start) as usize);
        }
        match wanted {
            None => {
                state.tail.restart(0, end);
                room = 0;
            }
            Some(start) => state.tail.keep(start, input),
        }
        self.set_run(room);
    }
}

/// Maximum number of stream bytes kept at the end of a chunk.
fn most(limits: &Limits) -> usize {
    let string = limits.max_assertion().max(limits.max_annotation()) + LONGEST_UNIT;
    limits.max_record().max(longest_name(limits)).max(string)
}

/// Maximum length of a member name that is kept, in bytes.
fn longest_name(limits: &Limits) -> usize {
    LONGEST_KNOWN.max(limits.max_pointer() * LONGEST_IN_NAME)
}

impl JsonValueState {
    /// Returns the stream offset of the outermost open object that may still be reported with its
    /// bytes, given that the stream is read up to `end`.
    fn oldest_record(&mut self, limits: &Limits, end: u64) -> Option<u64> {
        loop {
            let frame = self.frames.get(self.oldest)?;
            if frame.has(OBJECT) && end - frame.start <= limits.max_record() as u64 {
                return Some(frame.start);
            }
            self.oldest += 1;
        }
    }

    fn clear(&mut self) {
        self.frames.clear();
        self.slots.clear();
        self.arena.clear();
        self.pending = 0;
        self.role = ValueRole::Other;
        self.taken = false;
        self.child = None;
        self.oldest = 0;
        self.reported = false;
        self.record = false;
    }
}
