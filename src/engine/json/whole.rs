//! Fast path for complete objects in common form.
//!
//! Such an object is reported from slices of the chunk, and nothing of it is kept. The lexer with
//! [`Visit`](crate::engine::json::lexer::Visit) accepts every object accepted here and reports the
//! same.

use super::frame::NO_POINTER;
use super::name::{KnownName, known};
use super::report::MEMBER;
use super::slots::has_room;
use super::visit::Visitor;
use crate::Span;
use crate::engine::Input;
use crate::engine::json::lexer::{Miss, Tokens, punctuation_end};
use crate::event::Event;
use crate::provenance::assertion::Tuple;
use crate::provenance::slot::{AnnotationPart, Kept, Slot, SlotAnnotations};
use crate::provenance::{Assertion, Timestamp};
use crate::steps;

/// Positions found in an object in common form.
///
/// The object contains no other object or array than one annotation, and no escape in a member name
/// or in the annotation. It has at most one string `assertion` and one object `provenance`, whose
/// fields are strings, and is not a MARC object.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct WholeObject {
    /// Stream offset of the opening brace.
    pub(super) start: u64,
    /// Span of the assertion's content, and whether the content has an escape.
    pub(super) assertion: Option<(Span, bool)>,
    /// Annotation, with positions of strings relative to the opening brace.
    pub(super) annotation: Option<Slot>,
}

impl Visitor<'_, '_> {
    /// Reads the object at index `at` of the chunk and reports it. Returns the index after the
    /// object.
    pub(super) fn read_whole(
        &mut self,
        at: usize,
        depth: u32,
        single_line: bool,
    ) -> Result<usize, Miss> {
        let bytes = self.input.chunk.get(at..).unwrap_or_default();
        let whole = Whole {
            input: &self.input,
            start: self.input.base + at as u64,
            len: bytes.len(),
            depth,
        };
        let mut tokens = Tokens::new(bytes.get(1..).unwrap_or_default(), single_line);
        let found = whole.object(&mut tokens);
        let left = tokens.left();
        steps::count(bytes.len() - left);
        self.report_found(bytes, found?)?;
        Ok(self.input.chunk.len() - left)
    }

    /// Reports the assertion of the object at the start of `bytes`, if it has one.
    // `inline(always)`: what was just found stays in registers.
    #[inline(always)]
    pub(super) fn report_found(&mut self, bytes: &[u8], found: WholeObject) -> Result<(), Miss> {
        let Some((span, escaped)) = found.assertion else {
            self.state.child = None;
            return Ok(());
        };
        let limits = self.input.limits;
        let start = found.start;
        let index = |offset: u64| (offset - start) as usize;
        let place = index(span.start())..index(span.end());
        let (mut from, mut to) = (place.start, place.end);
        if let Some(slot) = &found.annotation {
            from = from.min(index(slot.span().start()));
            to = to.max(index(slot.span().end()));
        }
        // Places in an object are counted in 32 bits.
        if place.len() > limits.max_assertion() || to > u32::MAX as usize {
            return Err(Miss::Other);
        }
        let mut pending = place.len();
        if let Some(slot) = &found.annotation {
            let len = |part| usize::from(slot.keeps(part)) * slot.len_of(part);
            pending += AnnotationPart::ALL.map(len).iter().sum::<usize>();
        }
        let own = found.annotation.as_slice();
        if self.state.pending + pending > limits.max_pending_json()
            || !has_room(self.state.slots.len(), own.len(), limits)
        {
            return Err(Miss::Other);
        }
        let kept = Kept::of_text(bytes.get(..to).unwrap_or_default(), from).ok_or(Miss::Other)?;
        let child = self.pointer_of_child(false);
        let state = &mut *self.state;
        if child == NO_POINTER || child as usize + MEMBER.len() > limits.max_pointer() {
            state.child = Some(child);
            return Err(Miss::Other);
        }
        state.child = None;
        state.pointer.truncate(child as usize);
        state.pointer.push_str(MEMBER);
        state.reported = true;
        state.record = state.frames.is_empty();
        let tuple = Tuple::in_json(
            kept.decode(place, escaped, &mut state.decoded).text,
            span,
            Some(&state.pointer),
            SlotAnnotations::new(own, kept, self.input.vocabulary),
        );
        (self.sink)(Event::Assertion(Assertion::borrowed(&tuple)));
        Ok(())
    }
}

impl WholeObject {
    /// Interprets the strings of the annotation in the object with the given bytes.
    pub(super) fn read_parts(&mut self, input: &Input<'_>, bytes: &[u8]) -> Result<(), Miss> {
        let Some(slot) = &mut self.annotation else {
            return Ok(());
        };
        for part in AnnotationPart::ALL {
            if slot.keeps(part) {
                let raw = bytes.get(slot.place(part)).ok_or(Miss::Other)?;
                read_part(input, slot, part, raw)?;
            }
        }
        if slot.has_identifier() {
            Ok(())
        } else {
            Err(Miss::Other)
        }
    }
}

/// Interprets one string of an annotation.
#[inline(always)]
fn read_part(
    input: &Input<'_>,
    slot: &mut Slot,
    part: AnnotationPart,
    raw: &[u8],
) -> Result<(), Miss> {
    if raw.len() > input.limits.max_annotation() {
        return Err(Miss::Other);
    }
    match part {
        AnnotationPart::Class => {
            slot.see_identifier();
            let (class, reason) = input.vocabulary.resolve_index(raw);
            slot.resolved(class, reason);
        }
        AnnotationPart::ObservationId => {}
        AnnotationPart::Ts => {
            Timestamp::parse(raw).map_err(|_| Miss::Other)?;
        }
    }
    Ok(())
}

/// An object to be read on the fast path.
struct Whole<'a> {
    input: &'a Input<'a>,
    /// Stream offset of the opening brace.
    start: u64,
    /// Number of bytes from the opening brace to the end of the chunk.
    len: usize,
    /// Number of levels that may nest, the object included.
    depth: u32,
}

impl Whole<'_> {
    /// Index after the last token, relative to the opening brace.
    #[inline(always)]
    const fn at(&self, tokens: &Tokens<'_>) -> usize {
        self.len - tokens.left()
    }

    #[inline(always)]
    fn object(&self, tokens: &mut Tokens<'_>) -> Result<WholeObject, Miss> {
        let mut found = WholeObject {
            start: self.start,
            ..WholeObject::default()
        };
        let mut goes_on = match tokens.next()? {
            b'"' => true,
            b'}' => false,
            _ => return Err(Miss::Other),
        };
        // The outermost object may turn out to be prose.
        let mut is_first = self.depth == self.input.limits.max_depth() as u32;
        while goes_on {
            let (name, value) = tokens.plain_name()?;
            if core::mem::take(&mut is_first) && name.get(punctuation_end(name, 0)) == Some(&b' ') {
                return Err(Miss::Other);
            }
            match known(name) {
                None | Some(KnownName::Part(_)) => tokens.skip_plain(value)?,
                Some(KnownName::Assertion) if value == b'"' && found.assertion.is_none() => {
                    let (raw, escaped) = tokens.string()?;
                    let end = self.start + self.at(tokens) as u64 - 1;
                    found.assertion = Some((Span::new(end - raw.len() as u64, end), escaped));
                }
                Some(KnownName::Provenance)
                    if value == b'{' && found.annotation.is_none() && self.depth > 1 =>
                {
                    found.annotation = Some(self.annotation(tokens)?);
                }
                Some(_) => return Err(Miss::Other),
            }
            goes_on = tokens.next_name()?;
        }
        Ok(found)
    }

    /// Reads an annotation after its opening brace.
    #[inline(always)]
    fn annotation(&self, tokens: &mut Tokens<'_>) -> Result<Slot, Miss> {
        let mut slot = Slot::new(self.start + self.at(tokens) as u64 - 1, 0);
        if tokens.next()? != b'"' {
            return Err(Miss::Other);
        }
        loop {
            let (name, value) = tokens.plain_name()?;
            match known(name) {
                None => tokens.skip_plain(value)?,
                Some(KnownName::Part(part)) if value == b'"' && slot.see(part) => {
                    let raw = tokens.plain_string()?;
                    read_part(self.input, &mut slot, part, raw)?;
                    // Cut to 32 bits only in an object that is too long to be taken.
                    slot.keep(part, self.at(tokens) - 1 - raw.len(), raw.len(), false);
                }
                Some(_) => return Err(Miss::Other),
            }
            if !tokens.next_name()? {
                break;
            }
        }
        if !slot.has_identifier() {
            return Err(Miss::Other);
        }
        slot.end(self.start + self.at(tokens) as u64);
        Ok(slot)
    }
}
