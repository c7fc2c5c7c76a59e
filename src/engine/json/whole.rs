//! Objects that are reported from their bytes: these are all there, and nothing about them is out of the ordinary.
//!
//! Of such an object nothing is kept: what is reported are slices of the bytes. Whatever is taken here, the lexer and
//! [`Visit`](crate::engine::json::lexer::Visit) take too and report the same of.

use super::frame::NO_POINTER;
use super::name::{Known, known};
use super::report::MEMBER;
use super::slots::has_room;
use super::visit::Visitor;
use crate::Span;
use crate::engine::Setup;
use crate::engine::json::lexer::{Miss, Tokens};
use crate::event::Event;
use crate::provenance::assertion::Tuple;
use crate::provenance::slot::{Kept, Part, Slot, SlotAnnotations};
use crate::provenance::{Assertion, Timestamp};
use crate::steps;

/// An object that has no object or array in it but one annotation, no escape in its names and in its annotation, and
/// nothing to make a diagnostic of.
#[derive(Default)]
struct Whole<'a> {
    /// How many bytes follow it.
    left: usize,
    /// The content of its assertion, and whether there is an escape in it.
    assertion: Option<(&'a [u8], bool)>,
    assertion_at: usize,
    annotation: Option<Slot>,
    /// How many bytes of strings are reported, and after which index the last one ends.
    pending: usize,
    end: usize,
}

impl Whole<'_> {
    /// Places in an object are counted in 32 bits.
    #[inline(always)]
    fn checked(self) -> Result<Self, Miss> {
        if self.end > u32::MAX as usize {
            return Err(Miss::Other);
        }
        Ok(self)
    }
}

/// What was found in an object whose grammar was read.
///
/// It has no object or array in it but one annotation, and no escape in its names and in its annotation. Its members
/// `assertion` and `provenance` are a string and an object, of which there is one each at most, and those of the annotation
/// are strings. It is no MARC object.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Found {
    /// Stream offset of its brace.
    pub(super) start: u64,
    /// The content of its assertion, and whether there is an escape in it.
    pub(super) assertion: Option<(Span, bool)>,
    /// Its annotation, with the places of its strings, which count from its brace.
    pub(super) annotation: Option<Slot>,
}

impl Visitor<'_, '_> {
    /// Reports the object at index `at` of the chunk, in which all that matters was found.
    #[inline(never)]
    pub(super) fn report_found(&mut self, at: usize, found: &Found) -> Result<(), Miss> {
        let bytes = self.chunk.get(at..).unwrap_or_default();
        let whole = found.whole(self.setup, bytes)?;
        self.report_whole(&whole, bytes, found.start)?;
        self.state.child = None;
        Ok(())
    }

    /// Reads the object at index `at` of the chunk and reports it. Gives the index after it.
    pub(super) fn read_whole(&mut self, at: usize, depth: u32) -> Result<usize, Miss> {
        let bytes = self.chunk.get(at..).unwrap_or_default();
        let context = Context {
            setup: self.setup,
            start: self.base + at as u64,
            len: bytes.len(),
            depth,
        };
        let mut tokens = Tokens::new(bytes.get(1..).unwrap_or_default(), self.single_line);
        let whole = context.object(&mut tokens);
        steps::count(bytes.len() - tokens.left());
        let whole = whole?;
        self.report_whole(&whole, bytes, context.start)?;
        self.state.child = None;
        Ok(self.chunk.len() - whole.left)
    }

    /// Reports the assertion of an object that starts at a stream offset, if it has one.
    // `inline(always)`: both callers have just made `whole`, and keep it in registers.
    #[inline(always)]
    fn report_whole(&mut self, whole: &Whole<'_>, bytes: &[u8], start: u64) -> Result<(), Miss> {
        let Some((raw, escaped)) = whole.assertion else {
            return Ok(());
        };
        let limits = self.setup.limits;
        let own = whole.annotation.as_slice();
        let (from, to) = match own {
            [slot] => {
                let first = (slot.span().start() - start) as usize;
                (first.min(whole.assertion_at), whole.end)
            }
            _ => (whole.assertion_at, whole.assertion_at + raw.len()),
        };
        let place = whole.assertion_at..whole.assertion_at + raw.len();
        if self.state.pending + whole.pending > limits.max_pending_json()
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
        state.pointer.truncate(child as usize);
        state.pointer.push_str(MEMBER);
        state.reported = true;
        let text = kept.decode(place.clone(), escaped, &mut state.decoded).text;
        state.record = state.frames.is_empty();
        let tuple = Tuple::in_json(
            text,
            Span::new(start + place.start as u64, start + place.end as u64),
            Some(&state.pointer),
            SlotAnnotations::new(own, kept, self.setup.vocabulary),
            false,
        );
        (self.sink)(Event::Assertion(Assertion::borrowed(&tuple)));
        Ok(())
    }
}

impl Found {
    /// What is reported of the object, whose bytes these are.
    fn whole<'a>(&self, setup: Setup<'_>, bytes: &'a [u8]) -> Result<Whole<'a>, Miss> {
        let mut whole = Whole::default();
        let Some((span, escaped)) = self.assertion else {
            return Ok(whole);
        };
        let at = (span.start() - self.start) as usize;
        let raw = bytes.get(at..at + span.len() as usize);
        let raw = raw.filter(|raw| raw.len() <= setup.limits.max_assertion());
        let raw = raw.ok_or(Miss::Other)?;
        whole.assertion = Some((raw, escaped));
        whole.assertion_at = at;
        whole.pending = raw.len();
        whole.end = at + raw.len();
        if let Some(mut slot) = self.annotation {
            for part in Part::ALL {
                if !slot.keeps(part) {
                    continue;
                }
                let raw = bytes.get(slot.place(part)).ok_or(Miss::Other)?;
                read_part(setup, &mut slot, part, raw)?;
                whole.pending += raw.len();
            }
            if !slot.has_identifier() {
                return Err(Miss::Other);
            }
            whole.end = whole.end.max((slot.span().end() - self.start) as usize);
            whole.annotation = Some(slot);
        }
        whole.checked()
    }
}

/// What is known of an object before it is read.
struct Context<'a> {
    setup: Setup<'a>,
    /// Stream offset of its brace.
    start: u64,
    /// How many bytes are there from its brace on.
    len: usize,
    /// How deep objects may nest.
    depth: u32,
}

impl Context<'_> {
    #[inline(always)]
    fn object<'b>(&self, tokens: &mut Tokens<'b>) -> Result<Whole<'b>, Miss> {
        let mut whole = Whole::default();
        let mut goes_on = match tokens.next()? {
            b'"' => true,
            b'}' => false,
            _ => return Err(Miss::Other),
        };
        while goes_on {
            let (name, value) = tokens.plain_name()?;
            match known(name) {
                None | Some(Known::Part(_)) => tokens.skip_plain(value)?,
                Some(Known::Assertion) if value == b'"' && whole.assertion.is_none() => {
                    let (raw, escaped) = tokens.string()?;
                    if raw.len() > self.setup.limits.max_assertion() {
                        return Err(Miss::Other);
                    }
                    whole.assertion = Some((raw, escaped));
                    whole.assertion_at = self.len - tokens.left() - 1 - raw.len();
                    whole.pending += raw.len();
                    whole.end = self.len - tokens.left();
                }
                Some(Known::Provenance)
                    if value == b'{' && whole.annotation.is_none() && self.depth > 1 =>
                {
                    let (slot, pending) = self.annotation(tokens)?;
                    whole.annotation = Some(slot);
                    whole.pending += pending;
                    whole.end = self.len - tokens.left();
                }
                Some(_) => return Err(Miss::Other),
            }
            goes_on = tokens.next_name()?;
        }
        whole.left = tokens.left();
        whole.checked()
    }

    /// The value of a member `provenance`, of which the brace was passed over, and how many bytes of strings it has.
    #[inline(always)]
    fn annotation(&self, tokens: &mut Tokens<'_>) -> Result<(Slot, usize), Miss> {
        let offset = |tokens: &Tokens<'_>| self.start + (self.len - tokens.left()) as u64;
        let mut slot = Slot::new(offset(tokens) - 1, 0);
        let mut pending = 0;
        if tokens.next()? != b'"' {
            return Err(Miss::Other);
        }
        loop {
            let (name, value) = tokens.plain_name()?;
            match known(name) {
                None => tokens.skip_plain(value)?,
                Some(Known::Part(part)) if value == b'"' && slot.see(part) => {
                    let raw = tokens.plain_string()?;
                    read_part(self.setup, &mut slot, part, raw)?;
                    pending += raw.len();
                    // Cut to 32 bits only in an object that is too long to be taken.
                    let at = self.len - tokens.left() - 1 - raw.len();
                    slot.keep(part, at, raw.len(), false);
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
        slot.end(offset(tokens));
        Ok((slot, pending))
    }
}

/// Takes the string of an annotation for what it says.
#[inline(always)]
fn read_part(setup: Setup<'_>, slot: &mut Slot, part: Part, raw: &[u8]) -> Result<(), Miss> {
    if raw.len() > setup.limits.max_annotation() {
        return Err(Miss::Other);
    }
    match part {
        Part::Class => {
            slot.see_identifier();
            let (class, reason) = setup.vocabulary.resolve_index(raw);
            slot.resolved(class, reason);
        }
        Part::ObservationId => {}
        Part::Ts => {
            Timestamp::parse(raw).map_err(|_| Miss::Other)?;
        }
    }
    Ok(())
}
