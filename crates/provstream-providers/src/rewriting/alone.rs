//! Events that have one text and nothing else that matters.

use core::ops::Range;

use super::State;
use crate::StreamHandler;
use crate::deferred::choice_bit;
use crate::found::{self, Raw, Str};
use crate::frame::Frame;
use crate::text::TextRewriter;
use crate::text_id::TextId;

/// The text of an event that has nothing else.
#[derive(Clone, Copy, Debug)]
pub(super) struct Alone {
    pub(super) id: TextId,
    pub(super) text: Str,
    /// The event can be repeated with other text.
    pub(super) is_repeatable: bool,
    /// The number of the event in the stream, where events are numbered.
    pub(super) sequence: Option<Raw>,
}

impl<R: TextRewriter> State<R> {
    /// The text of the event that was just read, if it has nothing else and nothing waits for what it says.
    #[inline]
    pub(super) fn alone(&self, data: &[u8]) -> Option<Alone> {
        let (id, text, is_repeatable, sequence) = found::alone(&self.reader.found, data)?;
        let is_plain = self.thoughts.is_none()
            && self.guard.is_none()
            && self.deferred.is_empty()
            && !self.reader.may_be_of_block()
            && !self.blocks.is_holding()
            && (sequence.is_none() || self.added == 0);
        is_plain.then_some(Alone {
            id,
            text,
            is_repeatable,
            sequence,
        })
    }

    /// Rewrites an event that has one text and nothing else.
    ///
    /// The fast path: what it does is what [`apply`](Self::apply) and [`write_event`](Self::write_event) do with such an event.
    pub(super) fn rewrite_alone(
        &mut self,
        frame: &Frame<'_>,
        alone: Alone,
        handler: &mut dyn StreamHandler,
    ) {
        let Alone { id, text, .. } = alone;
        self.edits.clear();
        self.note_sequence(&frame.data, alone.sequence);
        let is_changed = self.text(frame, (id, text), (false, false), usize::MAX, handler);
        if alone.is_repeatable
            && !text.is_empty()
            && let Some(state) = self.texts.get_mut(id)
            && state.note_holding()
        {
            state.template.keep(frame, text.range());
        }
        let place = frame.in_raw(text.range()).filter(|_| is_changed);
        if let Some(place) = place {
            self.write_changed(frame, place, handler);
        } else {
            self.write(frame.raw, handler);
        }
        self.begun |= choice_bit(id.index());
        self.trim();
        self.note_usual(&alone);
    }

    /// Notes the number of an event in the stream, from which those of events that are added go on.
    #[inline]
    pub(super) fn note_sequence(&mut self, data: &[u8], sequence: Option<Raw>) {
        if let Some(sequence) = sequence {
            self.count_from(data, sequence);
        }
    }

    #[inline(never)] // Few formats have numbers.
    fn count_from(&mut self, data: &[u8], sequence: Raw) {
        let number = sequence.bytes(data).iter().fold(0_u64, |number, digit| {
            number
                .wrapping_mul(10)
                .wrapping_add(u64::from(digit - b'0'))
        });
        self.next_sequence = number.saturating_add(1);
    }

    /// Writes an event with the bytes of `edits` in the place of some of its own.
    pub(super) fn write_changed(
        &mut self,
        frame: &Frame<'_>,
        place: Range<usize>,
        handler: &mut dyn StreamHandler,
    ) {
        let out = self.changed(frame.raw, place);
        self.write(&out, handler);
        self.take_back(out);
    }

    /// The bytes of an event with those of `edits` in the place of some; their memory is to be [given back](Self::take_back).
    pub(super) fn changed(&mut self, raw: &[u8], place: Range<usize>) -> Vec<u8> {
        let mut out = core::mem::take(&mut self.out);
        out.reserve_exact(raw.len() - place.len() + self.edits.bytes.len());
        out.extend_from_slice(&raw[..place.start]);
        out.extend_from_slice(&self.edits.bytes);
        out.extend_from_slice(&raw[place.end..]);
        out
    }

    /// Keeps memory for the next event that changes.
    pub(super) fn take_back(&mut self, mut out: Vec<u8>) {
        out.clear();
        self.out = out;
    }
}
