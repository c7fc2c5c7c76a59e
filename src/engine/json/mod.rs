//! JSON: from the lexer's finds to asserted objects and MARC objects.
//!
//! Nothing of a value is kept but what a record needs: for each object or array that is open a [`Frame`], for each
//! annotation a slot, their strings in one arena, and the last bytes of the stream as far as an open object that may turn
//! out to be a MARC object, or a string that is still open, goes back.

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
use self::frame::{EXTENT, Frame, OBJECT};
use self::tail::Tail;
use self::visit::{Role, Visitor};
use super::{Input, Sink};
use crate::Limits;
use crate::engine::json::lexer::{Lexer, Step};
use crate::json::LONGEST_UNIT;
use crate::provenance::slot::Slot;
use crate::steps;

/// No known name is longer, not even with every character escaped.
const LONGEST_KNOWN: usize = 6 * b"uncertainty_source".len();

/// Most bytes that one byte of a JSON Pointer may take in a member's name.
const LONGEST_IN_NAME: usize = 6;

/// A JSON value on its way through a stream.
#[derive(Clone, Debug, Default)]
pub(crate) struct JsonReader {
    lexer: Lexer,
    state: State,
    /// Stream offset of its first byte.
    start: u64,
    /// The innermost object that is open, if of it only the grammar was read yet.
    deferred: Option<Box<Deferred>>,
    /// The memory of the last one, while none is open.
    spare: Option<Box<Deferred>>,
    /// A chunk that was appended and read, and what more there is to be done.
    ahead: Option<Ahead>,
}

/// A short chunk of a deferred object that was appended and read.
#[derive(Clone, Copy, Debug)]
struct Ahead {
    /// Its length.
    len: u32,
    /// Where reading ended in it.
    end: u32,
    /// What became of the value.
    step: Option<Step>,
}

/// What is known of a value but its grammar.
#[derive(Clone, Debug, Default)]
struct State {
    frames: Vec<Frame>,
    slots: Vec<Slot>,
    /// The raw strings that are kept, in the order of the objects they belong to.
    arena: Vec<u8>,
    /// How many bytes of the arena count towards `max_pending`.
    pending: usize,
    /// JSON Pointer of the innermost object or array that has one.
    pointer: String,
    /// The last assertion, its escapes decoded.
    decoded: Vec<u8>,
    tail: Tail,
    /// What the next value is to the object or array it is in.
    role: Role,
    /// The string that is open was kept before its end, because it is too long.
    taken: bool,
    /// Content of the last member name, and whether there is an escape in it.
    name: (u64, u64),
    name_escaped: bool,
    /// Length of the JSON Pointer of the last member's value, if that was made before the value began.
    child: Option<u32>,
    /// The outermost object that may be reported with its bytes is this frame or a later one.
    oldest: usize,
    /// Bytes from this stream offset on are not dropped from the tail while a chunk is read.
    floor: u64,
    /// An object was reported.
    reported: bool,
    /// The root was closed and is a record.
    record: bool,
}

impl JsonReader {
    pub(crate) fn new(start: u64) -> Self {
        let state = State {
            tail: Tail::new(start),
            ..State::default()
        };
        Self {
            state,
            ..Self::default()
        }
    }

    /// Gets ready for a value that starts at a stream offset.
    pub(crate) fn begin(&mut self, limits: &Limits, start: u64, single_line: bool) {
        self.lexer.begin(limits.max_depth(), single_line);
        self.start = start;
        self.end_deferral();
        debug_assert!(self.ahead.is_none());
        let state = &mut self.state;
        state.clear();
        state.tail.restart(0, start);
        state.tail.end_run();
    }

    /// Stream offset of the value's first byte.
    pub(crate) const fn start(&self) -> u64 {
        self.start
    }

    /// Whether an object was reported.
    pub(crate) const fn has_reported(&self) -> bool {
        self.state.reported
    }

    /// Whether the complete value is a record, and so may be removed.
    pub(crate) const fn is_record(&self) -> bool {
        self.state.record
    }

    /// Whether the root is an object.
    pub(crate) fn is_object(&self) -> bool {
        match self.state.frames.first() {
            Some(root) => root.has(OBJECT),
            None => self.deferred.is_some(),
        }
    }

    /// How far the grammar of the value was read.
    pub(crate) const fn lexer(&self) -> &Lexer {
        &self.lexer
    }

    /// Bytes of a buffered value that were kept at the end of the last chunk.
    pub(crate) fn kept(&self, start: u64, end: u64) -> &[u8] {
        self.state.tail.get(start, end)
    }

    /// The bytes of a complete buffered value, which ends in the chunk.
    pub(crate) fn whole<'a>(&'a mut self, input: &Input<'a>, end: u64) -> &'a [u8] {
        self.state.tail.bytes(input, (self.start, end))
    }

    /// Bytes of heap in use.
    pub(crate) fn heap(&self) -> usize {
        let state = &self.state;
        self.lexer.heap()
            + state.frames.capacity() * size_of::<Frame>()
            + state.slots.capacity() * size_of::<Slot>()
            + state.arena.capacity()
            + state.pointer.capacity()
            + state.decoded.capacity()
            + state.tail.bytes.capacity()
            + self.deferral_heap()
    }

    /// The least stream offset at which the [extent](crate::provenance::Assertion::extent) of an assertion of the open value may
    /// begin that has begun; `none` without one.
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

    /// Reads a chunk from index `at` on. If bytes before it are `buffered`, none of the value are dropped.
    pub(crate) fn read(
        &mut self,
        input: &Input<'_>,
        mut at: usize,
        buffered: bool,
        sink: &mut Sink<'_>,
    ) -> (usize, Step) {
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

    /// Takes a chunk of a few bytes that continues a string or a deferred object, and returns its offset; `None` if the same
    /// chunk is to be read.
    #[inline(always)]
    pub(crate) fn take(&mut self, chunk: &[u8]) -> Option<u64> {
        // Few longer chunks are within one string, and the lexer is as fast on those.
        match self.state.tail.take_token(chunk) {
            None => self.watch_short(chunk),
            taken => taken,
        }
    }

    /// The kind of bytes that may be appended with nothing else to do.
    #[cfg(test)]
    pub(crate) const fn run(&self) -> u8 {
        self.state.tail.run()
    }

    /// Stream offset after what was taken, where nothing but JSON is read.
    pub(crate) const fn position(&self) -> u64 {
        let end = self.state.tail.position();
        match &self.ahead {
            Some(ahead) => end - ahead.len as u64,
            None => end,
        }
    }

    /// No value continues at a stream offset.
    pub(crate) fn rest(&mut self, at: u64) {
        self.state.tail.restart(0, at);
        self.state.tail.end_run();
    }

    /// The next chunk is to be read, whatever it is.
    pub(crate) fn end_run(&mut self) {
        self.state.tail.end_run();
    }

    /// Up to `most` bytes may be appended that continue a string, or a deferred object.
    fn set_run(&mut self, most: usize) {
        let kind = self.lexer.kind();
        self.state.tail.set_run(kind, most, usize::MAX, false);
    }

    /// At the end of a chunk in which the value stays open: keeps what may be needed of it.
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

/// Most bytes of the stream that may be needed at the end of a chunk.
fn most(limits: &Limits) -> usize {
    let string = limits.max_assertion().max(limits.max_annotation()) + LONGEST_UNIT;
    limits.max_record().max(longest_name(limits)).max(string)
}

/// Longest content of a member's name that can be of interest.
fn longest_name(limits: &Limits) -> usize {
    LONGEST_KNOWN.max(limits.max_pointer() * LONGEST_IN_NAME)
}

impl State {
    /// Where the outermost open object starts that may still be reported with its bytes when stream offset `end` is
    /// reached.
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
        self.role = Role::Other;
        self.taken = false;
        self.child = None;
        self.oldest = 0;
        self.reported = false;
        self.record = false;
    }
}
