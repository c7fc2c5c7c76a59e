//! Reports at the closing brace of an object.

use super::frame::{
    ASSERTED, CROWDED, CUT, DISCLOSURE, ENDS_OTHER, ESCAPED, LEFT_OUT, NO_POINTER, OpenContainer,
    REPEATED, STARTS_OTHER, TOO_MANY, VERSION,
};
use super::visit::Visitor;
use crate::Span;
use crate::event::{Diagnostic, DiagnosticCode, Event};
use crate::marc_object::{MarcKind, MarcObject, Parts, is_complete_record};
use crate::provenance::Assertion;
use crate::provenance::assertion::{Marks, MemberExtent, Tuple};
use crate::provenance::slot::{
    AnnotationPart, DUPLICATE, Kept, LEFT_OUT as SLOT_LEFT_OUT, MALFORMED, Slot, SlotAnnotations,
    TOO_LONG,
};

/// Last token of the JSON Pointer of an assertion.
pub(super) const MEMBER: &str = "/assertion";

impl Visitor<'_, '_> {
    /// Reports an object that ends before stream offset `end`, if it is an asserted object or a
    /// MARC object.
    pub(super) fn report(&mut self, frame: &OpenContainer, end: u64) {
        // A disclosure stays one unless it has all members of a record: `marc_version` alone is an unknown member of it.
        let kind = if frame.has_all(DISCLOSURE) {
            Some(MarcKind::Disclosure)
        } else if frame.has(VERSION) {
            Some(MarcKind::Core)
        } else {
            None
        };
        if kind.is_none() && !frame.has(ASSERTED) {
            return;
        }
        self.state.reported = true;
        self.state.record = self.state.frames.is_empty();
        if frame.pointer != NO_POINTER {
            self.state.pointer.truncate(frame.pointer as usize);
        }
        if let Some(kind) = kind {
            self.marc(kind, frame, end);
        }
        if frame.has(ASSERTED) {
            self.asserted(frame);
        }
    }

    fn diagnose(&mut self, code: DiagnosticCode, span: Span) {
        (self.sink)(Event::Diagnostic(Diagnostic::new(code, span)));
    }

    fn marc(&mut self, kind: MarcKind, frame: &OpenContainer, end: u64) {
        let limits = self.input.limits;
        let span = Span::new(frame.start, end);
        let state = &mut *self.state;
        let mut raw = None;
        if span.len() <= limits.max_record() as u64 {
            // An object around it may have become too long, and then its bytes make room for those of this one.
            let oldest = state.oldest_record(limits, end);
            let needed = oldest.unwrap_or(frame.start).min(state.floor);
            state.tail.drop_before(needed);
            let whole = (frame.start, end);
            raw = Some(state.tail.bytes(&self.input, whole));
        }
        let pointer = Some(&*state.pointer).filter(|_| frame.pointer != NO_POINTER);
        let missing = [
            (raw.is_none(), DiagnosticCode::LimitRecord),
            (pointer.is_none(), DiagnosticCode::LimitPointer),
        ];
        let is_both = kind == MarcKind::Disclosure && frame.has(VERSION);
        let is_record = is_both && raw.is_some_and(is_complete_record);
        let kind = if is_record { MarcKind::Core } else { kind };
        let object = Parts::new(kind, span, pointer, raw);
        (self.sink)(Event::Marc(MarcObject::borrowed(&object)));
        for (holds, code) in missing {
            if holds {
                self.diagnose(code, span);
            }
        }
    }

    fn asserted(&mut self, frame: &OpenContainer) {
        let limits = self.input.limits;
        let state = &mut *self.state;
        let slots = frame.slots as usize..state.slots.len();
        let own = &state.slots[slots.clone()];
        let before = own.partition_point(|slot| slot.span().start() < frame.assertion().start());
        for index in slots.start..slots.start + before {
            self.notes(index);
        }

        let state = &mut *self.state;
        let own = &state.slots[slots.clone()];
        let len = state.pointer.len() + MEMBER.len();
        let has_pointer = frame.pointer != NO_POINTER && len <= limits.max_pointer();
        if has_pointer {
            state.pointer.push_str(MEMBER);
        }
        // One check of all that is kept is quicker than one of each string.
        let kept = Kept::new(&state.arena, frame.arena as usize);
        let place = frame.kept_at as usize..(frame.kept_at + frame.kept_len) as usize;
        let decoded = kept.decode(place, frame.has(ESCAPED), &mut state.decoded);
        let limit_hit = !has_pointer
            || frame.has(CUT)
            || frame.has(LEFT_OUT)
            || frame.has(TOO_MANY)
            || frame.has(CROWDED)
            || own.iter().any(|slot| slot.has(SLOT_LEFT_OUT | TOO_LONG));
        let ill_formed = decoded.ill_formed;
        let annotations = SlotAnnotations::new(own, kept, self.input.vocabulary);
        let span = frame.assertion();
        let pointer = Some(&*state.pointer).filter(|_| has_pointer);
        let marks = Marks {
            limit_hit,
            repeated: frame.has(REPEATED),
            ..Marks::default()
        };
        let extent = MemberExtent {
            span: Span::new(frame.extent.0, frame.extent.1),
            starts_in_string: !frame.has(STARTS_OTHER),
            ends_in_string: !frame.has(ENDS_OTHER),
        };
        let tuple = Tuple::in_json(decoded.text, span, pointer, annotations)
            .with_marks(marks)
            .with_extent(extent);
        (self.sink)(Event::Assertion(Assertion::borrowed(&tuple)));
        if limit_hit || ill_formed {
            self.asserted_notes(frame, has_pointer, ill_formed);
        }
        for index in slots.start + before..slots.end {
            self.notes(index);
        }
    }

    /// Reports the diagnostics about an assertion.
    #[cold]
    fn asserted_notes(&mut self, frame: &OpenContainer, has_pointer: bool, ill_formed: bool) {
        for (holds, code) in [
            (frame.has(CUT), DiagnosticCode::LimitAssertion),
            (frame.has(TOO_MANY), DiagnosticCode::LimitAnnotations),
            (
                frame.has(LEFT_OUT) || frame.has(CROWDED),
                DiagnosticCode::LimitPending,
            ),
            (!has_pointer, DiagnosticCode::LimitPointer),
            (ill_formed, DiagnosticCode::InvalidUtf8),
        ] {
            if holds {
                self.diagnose(code, frame.assertion());
            }
        }
    }

    /// Reports the diagnostics about one annotation.
    fn notes(&mut self, index: usize) {
        if self
            .state
            .slots
            .get(index)
            .is_some_and(|slot| !slot.is_sound())
        {
            self.faults(index);
        }
    }

    #[cold]
    fn faults(&mut self, index: usize) {
        let slot = self.state.slots[index];
        let span = slot.span();
        if slot.has(SLOT_LEFT_OUT) {
            self.diagnose(DiagnosticCode::LimitPending, span);
            return;
        }
        for (flag, code) in [
            (DUPLICATE, DiagnosticCode::DuplicateMember),
            (TOO_LONG, DiagnosticCode::LimitAnnotation),
        ] {
            if slot.has(flag) {
                self.diagnose(code, span);
            }
        }
        let mut faults = AnnotationPart::ALL.map(|part| self.fault(&slot, part));
        faults.sort_by_key(|fault| fault.map(|(span, _)| span.start()));
        for (span, code) in faults.into_iter().flatten() {
            self.diagnose(code, span);
        }
    }

    /// Finds the fault of a field of an annotation: the span of its string, quotes included, and
    /// the code.
    fn fault(&self, slot: &Slot, part: AnnotationPart) -> Option<(Span, DiagnosticCode)> {
        if !slot.is_faulty(part) || (part != AnnotationPart::Class && slot.has(MALFORMED)) {
            return None;
        }
        let before = self.state.arena.get(..slot.place(part).start)?;
        let start = u64::from_le_bytes(*before.last_chunk()?);
        let span = Span::new(start - 1, start + slot.len_of(part) as u64 + 1);
        let code = match part {
            AnnotationPart::Ts => DiagnosticCode::InvalidTs,
            _ => DiagnosticCode::InvalidUtf8,
        };
        Some((span, code))
    }
}
