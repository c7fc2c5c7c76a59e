//! Interpretation of the tokens of a value.

use super::frame::{
    ANNOTATION, ASSERTED, ASSERTION_SEEN, CUT, ESCAPED, HAS_SLOT, IN_ASSERTION, LEFT_OUT,
    NO_POINTER, OBJECT, OpenContainer, PROVENANCE, PROVENANCE_SEEN, REPEATED,
};
use super::name::{KnownName, known};
use super::slots::most_in_arena;
use super::{JsonValueState, LONGEST_IN_NAME, LONGEST_KNOWN};
use crate::Limits;
use crate::engine::json::lexer::{Miss, Object, Quoted, Visit};
use crate::engine::{Input, Sink};
use crate::json::{LONGEST_UNIT, decode, kept_len, push_index, push_name, push_plain};
use crate::provenance::Timestamp;
use crate::provenance::slot::{
    AnnotationPart, DUPLICATE, LEFT_OUT as SLOT_LEFT_OUT, MALFORMED, Slot, TOO_LONG,
};
use crate::steps;

/// Meaning of a value to its object or array.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum ValueRole {
    /// Any other value.
    #[default]
    Other,
    /// The first member `assertion`.
    Assertion,
    /// A repeated member `assertion`.
    FurtherAssertion,
    /// The first member `provenance`.
    Provenance,
    /// A repeated member `provenance`.
    FurtherProvenance,
    /// An element of an array of annotations.
    Element,
    /// A field of an annotation that may be kept: the first of its name, or any identifier.
    Part(AnnotationPart),
    /// A repeated observation id or timestamp.
    FurtherPart,
}

impl ValueRole {
    /// Returns `true` for a value of a member `assertion`.
    pub(super) const fn is_assertion(self) -> bool {
        matches!(self, Self::Assertion | Self::FurtherAssertion)
    }

    /// Returns, for a value that gets a slot (an annotation, or a repeated `assertion` or
    /// `provenance`), how many levels above it its asserted object is, and its initial fault flags.
    const fn annotation(self) -> Option<(usize, u8)> {
        match self {
            Self::Provenance => Some((0, 0)),
            Self::Element => Some((1, 0)),
            Self::FurtherAssertion | Self::FurtherProvenance => Some((0, DUPLICATE)),
            _ => None,
        }
    }
}

/// Handler of the tokens of a chunk: the reader's state, with what one push provides.
pub(super) struct Visitor<'a, 's> {
    pub(super) state: &'a mut JsonValueState,
    pub(super) input: Input<'a>,
    pub(super) sink: &'a mut Sink<'s>,
    /// Objects that begin before this stream offset do not take the fast path.
    pub(super) whole_from: u64,
}

impl<'a, 's> Visitor<'a, 's> {
    pub(super) fn new(
        state: &'a mut JsonValueState,
        input: &Input<'a>,
        sink: &'a mut Sink<'s>,
    ) -> Self {
        Self {
            state,
            input: *input,
            sink,
            whole_from: 0,
        }
    }
}

/// Minimum number of bytes after an opening brace for which the fast path is tried.
const SHORTEST_TRIED: usize = 64;

impl Visit for Visitor<'_, '_> {
    fn open(&mut self, object: bool, at: u64) {
        let mut flags = if object { OBJECT } else { 0 };
        let role = core::mem::take(&mut self.state.role);
        match (role, role.annotation()) {
            (ValueRole::Provenance, _) if !object => flags |= PROVENANCE,
            (ValueRole::Part(_), _) => self.malformed(),
            (_, Some((above, fault))) => {
                let is_annotation = object && fault == 0;
                let fault = if is_annotation { 0 } else { MALFORMED | fault };
                let slot = Slot::new(at, fault);
                if self.state.push_slot(self.input.limits, slot, above) {
                    flags |= HAS_SLOT;
                    if is_annotation {
                        flags |= ANNOTATION;
                    }
                }
            }
            _ => {}
        }
        if role.is_assertion() {
            flags |= IN_ASSERTION;
            if let Some(outer) = self.state.frames.last_mut() {
                outer.begin_value(at, false);
            }
        }
        let pointer = self.pointer_of_child(role == ValueRole::Provenance);
        let state = &mut *self.state;
        if flags & PROVENANCE != 0 {
            state.role = ValueRole::Element;
        }
        state.frames.push(OpenContainer {
            start: at,
            arena: state.arena.len() as u32,
            slots: state.slots.len() as u32,
            pending: state.pending as u32,
            pointer,
            flags,
            ..OpenContainer::default()
        });
    }

    #[inline]
    fn object(&mut self, at: usize, depth: u32, single_line: bool) -> Object {
        if self.state.role != ValueRole::Other || self.input.base + (at as u64) < self.whole_from {
            return Object::Open;
        }
        if self.input.chunk.len() - at < SHORTEST_TRIED {
            return Object::Pause;
        }
        match self.read_whole(at, depth, single_line) {
            Ok(end) => Object::Read(end),
            Err(Miss::Cut) => Object::Pause,
            Err(Miss::Other) => Object::Open,
        }
    }

    fn close(&mut self, end: u64) -> bool {
        let state = &mut *self.state;
        let Some(frame) = state.frames.pop() else {
            return false;
        };
        state.role = ValueRole::Other;
        state.child = None;
        state.oldest = state.oldest.min(state.frames.len());
        if frame.has(IN_ASSERTION)
            && let Some(outer) = state.frames.last_mut()
        {
            outer.end_value(end, false);
        }
        if frame.has(OBJECT) {
            self.report(&frame, end);
        }
        // What an array of annotations holds belongs to the object around it.
        if !frame.has(PROVENANCE) {
            self.state.end_slot(self.input.vocabulary, &frame, end);
        }
        false
    }

    #[inline(always)]
    fn name(&mut self, name: Quoted<'_>) {
        let state = &mut *self.state;
        state.name = (name.start, name.end);
        state.name_escaped = name.escaped;
        state.child = None;
        if name.end - name.start > LONGEST_KNOWN as u64 {
            return;
        }
        let raw = state.tail.content(&self.input, &name);
        let Some(frame) = state.frames.last_mut() else {
            return;
        };
        state.role = if name.escaped {
            member(decode(raw, true).text.as_bytes(), frame, &mut state.slots)
        } else {
            member(raw, frame, &mut state.slots)
        };
    }

    #[inline]
    fn string(&mut self, string: Quoted<'_>) {
        if self.state.role != ValueRole::Other {
            self.string_with_role(&string);
        }
    }

    #[inline]
    fn scalar(&mut self, start: u64, end: u64, null: bool) {
        match core::mem::take(&mut self.state.role) {
            ValueRole::Other => {}
            ValueRole::Provenance if null => {}
            ValueRole::Part(part) if !null || part == AnnotationPart::Class => self.malformed(),
            role => {
                if role.is_assertion()
                    && let Some(frame) = self.state.frames.last_mut()
                {
                    frame.begin_value(start, false);
                    frame.end_value(end, false);
                }
                self.no_annotation(role, start, end);
            }
        }
    }

    #[inline]
    fn next_element(&mut self) {
        if let Some(frame) = self.state.frames.last_mut() {
            frame.index_or_assertion += 1;
            if frame.has(PROVENANCE) {
                self.state.role = ValueRole::Element;
            }
        }
    }
}

/// Looks up the role of a member by its decoded name, and records the member in the frame.
#[inline]
fn member(name: &[u8], frame: &mut OpenContainer, slots: &mut [Slot]) -> ValueRole {
    match known(name) {
        None => ValueRole::Other,
        Some(KnownName::Assertion) => {
            if frame.has(ASSERTION_SEEN) {
                frame.set(REPEATED);
                return ValueRole::FurtherAssertion;
            }
            frame.set(ASSERTION_SEEN);
            ValueRole::Assertion
        }
        Some(KnownName::Provenance) => {
            if frame.has(PROVENANCE_SEEN) {
                frame.set(REPEATED);
                return ValueRole::FurtherProvenance;
            }
            frame.set(PROVENANCE_SEEN);
            ValueRole::Provenance
        }
        Some(KnownName::Part(part)) => member_part(part, frame, slots),
        Some(KnownName::Marc(flag)) => {
            frame.set(flag);
            ValueRole::Other
        }
    }
}

/// Looks up the role of a member whose name is that of an annotation field.
#[inline]
fn member_part(part: AnnotationPart, frame: &OpenContainer, slots: &mut [Slot]) -> ValueRole {
    if !frame.has(ANNOTATION) {
        return ValueRole::Other;
    }
    let Some(slot) = slots.get_mut((frame.slots as usize).wrapping_sub(1)) else {
        return ValueRole::Other;
    };
    if slot.see(part) || part == AnnotationPart::Class {
        ValueRole::Part(part)
    } else {
        ValueRole::FurtherPart
    }
}

impl Visitor<'_, '_> {
    #[inline(never)]
    fn string_with_role(&mut self, string: &Quoted<'_>) {
        let role = core::mem::take(&mut self.state.role);
        self.no_annotation(role, string.start - 1, string.end + 1);
        match role {
            ValueRole::Assertion | ValueRole::FurtherAssertion => self.assertion(string),
            ValueRole::Part(part) => self.part(Some(part), string),
            ValueRole::FurtherPart => self.part(None, string),
            _ => {}
        }
        self.state.taken = false;
    }

    /// Records a string value of a member `assertion`. Of several, the first is the assertion.
    fn assertion(&mut self, string: &Quoted<'_>) {
        let Some(frame) = self.state.frames.last_mut() else {
            return;
        };
        frame.begin_value(string.start, true);
        frame.end_value(string.end, true);
        if frame.has(ASSERTED) {
            return;
        }
        frame.set(if string.escaped {
            ASSERTED | ESCAPED
        } else {
            ASSERTED
        });
        frame.index_or_assertion = string.start;
        frame.assertion_len = string.end - string.start;
        if !self.state.taken {
            self.take_assertion(string.start, string.end);
        }
    }

    /// Copies the text of an assertion, read up to `end`, to the arena.
    fn take_assertion(&mut self, start: u64, end: u64) {
        let limits = self.input.limits;
        let max = limits.max_assertion();
        let known = end.min(start + (max + LONGEST_UNIT) as u64);
        let state = &mut *self.state;
        let raw = state.tail.bytes(&self.input, (start, known));
        let Some(frame) = state.frames.last_mut() else {
            return;
        };
        if raw.len() > max {
            frame.set(CUT);
        }
        let raw = &raw[..kept_len(raw, max)];
        if state.pending + raw.len() > limits.max_pending_json() {
            frame.set(LEFT_OUT);
            return;
        }
        state.pending += raw.len();
        frame.kept_at = state.arena.len() as u32;
        frame.kept_len = raw.len() as u32;
        push(&mut state.arena, None, raw, limits);
    }

    /// Ends the keeping of an open string that exceeds its limit. Of an assertion, the part within
    /// the limit is copied to the arena.
    pub(super) fn take_long(&mut self, start: u64, end: u64) {
        if matches!(
            self.state.role,
            ValueRole::Assertion | ValueRole::FurtherAssertion
        ) {
            self.take_assertion(start, end);
        }
        self.state.taken = true;
    }

    /// Records a string field of an annotation; `part` is `None` for a repeated field.
    fn part(&mut self, part: Option<AnnotationPart>, string: &Quoted<'_>) {
        let limits = self.input.limits;
        let state = &mut *self.state;
        let Some(slot) = state.frames.last().and_then(|frame| {
            let own = frame.slots.checked_sub(1)?;
            state.slots.get_mut(own as usize)
        }) else {
            return;
        };
        let first = part != Some(AnnotationPart::Class) || slot.see_identifier();
        if string.end - string.start > limits.max_annotation() as u64 {
            slot.set(TOO_LONG | MALFORMED);
            return;
        }
        let Some(part) = part.filter(|_| first && !slot.has(SLOT_LEFT_OUT)) else {
            return;
        };
        let raw = state.tail.content(&self.input, string);
        let faulty = match part {
            AnnotationPart::Ts if string.escaped => {
                Timestamp::parse(&*decode(raw, true).text).is_err()
            }
            AnnotationPart::Ts => Timestamp::parse(raw).is_err(),
            _ => !raw.is_ascii() && core::str::from_utf8(raw).is_err(),
        };
        if faulty && part == AnnotationPart::Ts {
            push(&mut state.arena, Some(string.start), &[], limits);
            slot.keep(part, state.arena.len(), raw.len(), true);
            return;
        }
        if state.pending + raw.len() > limits.max_pending_json() {
            slot.set(SLOT_LEFT_OUT);
            return;
        }
        state.pending += raw.len();
        push(
            &mut state.arena,
            faulty.then_some(string.start),
            raw,
            limits,
        );
        slot.keep(part, state.arena.len() - raw.len(), raw.len(), faulty);
        if string.escaped {
            slot.escape(part);
        }
    }

    /// Marks the annotation of the current object as malformed.
    fn malformed(&mut self) {
        let state = &mut *self.state;
        if let Some(frame) = state.frames.last()
            && frame.has(ANNOTATION)
            && let Some(slot) = state.slots.get_mut(frame.slots as usize - 1)
        {
            slot.set(MALFORMED);
        }
    }

    /// Adds a malformed annotation for a string, number or literal in the place of one.
    fn no_annotation(&mut self, role: ValueRole, start: u64, end: u64) {
        if let Some((above, fault)) = role.annotation() {
            let mut slot = Slot::new(start, MALFORMED | fault);
            slot.end(end);
            self.state.push_slot(self.input.limits, slot, above);
        }
    }

    /// Builds the JSON Pointer of the value of the member whose name was read last.
    pub(super) fn name_child(&mut self) {
        if self.state.child.is_none() {
            let provenance = self.state.role == ValueRole::Provenance;
            self.state.child = Some(self.pointer_of_child(provenance));
        }
    }

    /// Builds the JSON Pointer of the next value and returns its length; `provenance` if the value
    /// belongs to a member `provenance`.
    pub(super) fn pointer_of_child(&mut self, provenance: bool) -> u32 {
        let limits = self.input.limits;
        let state = &mut *self.state;
        if let Some(child) = state.child.take() {
            return child;
        }
        let Some(outer) = state.frames.last() else {
            state.pointer.clear();
            return 0;
        };
        if outer.pointer == NO_POINTER {
            return NO_POINTER;
        }
        state.pointer.truncate(outer.pointer as usize);
        let max = limits.max_pointer();
        let fits = if provenance {
            // The name is known, so it need not be looked at again.
            push_plain(&mut state.pointer, "provenance", max)
        } else if outer.has(OBJECT) {
            let (start, end) = state.name;
            end - start <= (max * LONGEST_IN_NAME) as u64 && {
                let raw = state.tail.bytes(&self.input, (start, end));
                push_name(&mut state.pointer, raw, state.name_escaped, max)
            }
        } else {
            push_index(&mut state.pointer, outer.index_or_assertion, max)
        };
        if fits {
            state.pointer.len() as u32
        } else {
            NO_POINTER
        }
    }
}

impl JsonValueState {
    /// Returns the number of bytes to keep of the open string, which is not a name; `None` if it is
    /// not needed or already kept.
    pub(super) fn wants(&self, limits: &Limits) -> Option<usize> {
        if self.taken {
            return None;
        }
        match self.role {
            ValueRole::Assertion | ValueRole::FurtherAssertion => {
                let asserted = self.frames.last().is_some_and(|frame| frame.has(ASSERTED));
                (!asserted).then(|| limits.max_assertion())
            }
            ValueRole::Part(_) => Some(limits.max_annotation()),
            _ => None,
        }
    }
}

/// Appends a string to the arena. If `place` is given, that stream offset is written before it.
#[inline]
pub(super) fn push(arena: &mut Vec<u8>, place: Option<u64>, raw: &[u8], limits: &Limits) {
    steps::count(raw.len());
    let needed = arena.len() + raw.len() + size_of::<u64>();
    if needed > arena.capacity() {
        grow(arena, needed, most_in_arena(limits));
    }
    if let Some(place) = place {
        arena.extend_from_slice(&place.to_le_bytes());
    }
    arena.extend_from_slice(raw);
}

/// Reserves space for `needed` bytes, where there are never more than `most`.
#[cold]
fn grow(arena: &mut Vec<u8>, needed: usize, most: usize) {
    let room = needed.next_power_of_two().max(256).min(most).max(needed);
    steps::count(room);
    arena.reserve_exact(room - arena.len());
}
