//! Writing events with what changes in them, or holding them back.

use core::ops::Range;

use smallvec::SmallVec;

use super::pending::{EndOfCopy, EventPlan};
use super::{OutputPlace, State};
use crate::StreamHandler;
use crate::blocks::{BlockEvent, Named};
use crate::deferred::{DeferredNumber, MAX_DEFERRED, Point};
use crate::found::{Found, Raw};
use crate::frame::{Frame, Kind};
use crate::seams::Seam;
use crate::steps::{count, each};
use crate::template::EventTemplate;
use crate::text::TextRewriter;
use crate::text_id::TextId;

impl<R: TextRewriter> State<R> {
    /// Writes bytes of the response, or holds them back if events before them are held back.
    pub(super) fn write(&mut self, bytes: &[u8], handler: &mut dyn StreamHandler) {
        if !self.may_pass(bytes) {
            return;
        }
        if self.deferred.is_empty() || self.is_ahead {
            return self.write_now(bytes, handler);
        }
        count(bytes.len());
        self.deferred.bytes.extend_from_slice(bytes);
        if self.deferred.len() > MAX_DEFERRED {
            self.settle_at_limit(handler);
        }
    }

    /// Returns `true` if bytes of the response may be written now. Otherwise they were dropped or,
    /// while the format is unknown, kept.
    fn may_pass(&mut self, bytes: &[u8]) -> bool {
        let known = self.reader.format().is_some();
        let guard = self.guard.as_mut();
        guard.is_none_or(|guard| guard.passes(bytes, self.envelope, known))
    }

    pub(super) fn write_now(&mut self, bytes: &[u8], handler: &mut dyn StreamHandler) {
        if !bytes.is_empty() {
            self.place = self.place_after(bytes);
            handler.bytes(bytes);
        }
    }

    /// Returns the output position after these bytes are written.
    pub(super) fn place_after(&self, bytes: &[u8]) -> OutputPlace {
        let Some(&last) = bytes.last() else {
            return self.place;
        };
        let after_element = || match bytes.trim_ascii_end().last() {
            Some(&last) => last == b'}',
            None => self.place.after_element,
        };
        OutputPlace {
            // In lines of JSON a CR is white space.
            at_line_start: last == b'\n' || last == b'\r' && self.envelope == Kind::Sse,
            after_element: self.envelope == Kind::Array && after_element(),
        }
    }

    /// Notes what an event is to its text block, and where the number of the block is.
    #[cold]
    pub(super) fn note_block(&mut self, frame: &Frame<'_>, found: &[Found]) {
        let event = self.reader.block.take();
        match event {
            Some(BlockEvent::Whole) => return self.remove_elements(frame, found),
            // The elements of an array cannot be left out without their commas.
            Some(_) if self.envelope == Kind::Array => return,
            _ => {}
        }
        if let Some((number, digits)) = self.reader.block_number(&frame.data) {
            if let Some(event) = event {
                self.blocks.event(event, number);
            }
            let is_of_text = !each(found.iter()).any(Found::is_more_than_text);
            if !is_of_text {
                self.blocks.keep(number);
            }
            if self.blocks.is_active() {
                // What takes its place is known when it is known whether the event is held back.
                self.edits.replace(digits.clone(), b"");
                self.blocks.set_named(Named {
                    number,
                    digits,
                    is_of_text,
                });
            }
        }
        self.reader.want_blocks(self.blocks.is_active());
    }

    /// Removes from a message that is not streamed the blocks that have lost all their text.
    pub(super) fn remove_elements(&mut self, frame: &Frame<'_>, found: &[Found]) {
        self.edits.sort();
        let edits = &self.edits;
        let mut next = edits.iter().peekable();
        let removed = crate::elements::emptied(&frame.data, found, |text| {
            while next
                .next_if(|edit| edit.place().start < text.start)
                .is_some()
            {}
            // One edit replaces the string; others add text to it.
            let (mut is_edited, mut is_emptied) = (false, true);
            while let Some(edit) = next.next_if(|edit| edit.place().start <= text.end) {
                is_edited |= edit.place() == text;
                is_emptied &= edit.by().is_empty();
            }
            is_edited && is_emptied
        });
        for run in &removed {
            self.edits.replace(run.bytes.clone(), b"");
            self.blocks.remove(&run.numbers);
        }
    }

    /// Writes the first held events, up to the first to which text may still be added or which may still
    /// be removed.
    pub(super) fn release_decided(&mut self, handler: &mut dyn StreamHandler) {
        let is_undecided = |number| self.is_number_undecided(number);
        if each(self.deferred.numbers()).any(is_undecided) {
            return;
        }
        let undecided = self.undecided_block();
        if undecided == u32::MAX && !self.deferred.is_waiting() {
            return self.release(handler);
        }
        let upto = self.deferred.start_of(undecided);
        if upto > 0 {
            self.release_until(upto, undecided, handler);
        }
    }

    /// The first block that has no text so far and is not over; the greatest number, which no block has, if all have text.
    fn undecided_block(&self) -> u32 {
        let seams = each(self.texts.iter()).filter_map(|text| text.seams.as_ref());
        let ended = seams.filter_map(|seams| seams.first_block());
        // The event that is being read may be its end.
        let others = [self.blocks.undecided(), self.blocks.named_empty()];
        let first = ended.chain(others.into_iter().flatten()).min();
        first.unwrap_or(u32::MAX)
    }

    /// Writes the events held back, but for those of blocks that lost all their text.
    pub(super) fn release(&mut self, handler: &mut dyn StreamHandler) {
        self.release_until(self.deferred.bytes.len(), u32::MAX, handler);
    }

    /// Writes the first of the events held back, which are those before a block, or all.
    fn release_until(&mut self, upto: usize, block: u32, handler: &mut dyn StreamHandler) {
        let (blocks, removed) = (self.blocks.clone(), self.blocks.settle(block));
        // The bytes are taken from what else is needed for the numbers.
        let mut deferred = core::mem::take(&mut self.deferred);
        let mut bytes = deferred.take(upto, block, &removed, |number| match number {
            DeferredNumber::Block(number) | DeferredNumber::Beside(number) => {
                let before = removed.partition_point(|removed| *removed < number) as u32;
                let number_now = blocks.renumbered(number).unwrap_or(number);
                let number_now = number_now.checked_sub(before)?;
                (number_now != number).then_some(number_now.into())
            }
            DeferredNumber::Offset(channel, offset) => Some(self.moved(channel, offset)),
            DeferredNumber::Sequence(number) => Some(number),
            DeferredNumber::PromptOffset(channel, offset) => {
                let base = self.base(channel);
                Some(base + self.moved(channel, offset - base))
            }
        });
        self.deferred = deferred;
        self.write_now(&bytes, handler);
        if self.deferred.is_empty() {
            let choices = self.deferred.choices();
            self.begun |= if choices == u32::MAX { 0 } else { choices };
            self.deferred.clear();
            bytes.clear();
            self.deferred.bytes = bytes;
        }
    }

    /// Notes that the text of some channels is over, unless more follows; how many places each waits at.
    fn wait(&mut self, pending: &EventPlan) -> SmallVec<[usize; 1]> {
        let waits = each(pending.waits.iter()).map(|(channel, _)| {
            let Some(text) = self.texts.get_mut(*channel) else {
                return 1;
            };
            let Some(seams) = &mut text.seams else {
                return 1;
            };
            let template = if seams.is_after_last() {
                core::mem::take(&mut text.template)
            } else {
                EventTemplate::new()
            };
            seams.wait(Seam::deferred(
                template,
                text.block.or(self.blocks.current()),
            ));
            seams.deferred()
        });
        waits.collect()
    }

    /// Writes an event with some of it replaced, or holds it back.
    #[expect(clippy::too_many_lines, reason = "the cases of one decision, in order")]
    pub(super) fn write_event(
        &mut self,
        frame: &mut Frame<'_>,
        pending: &EventPlan,
        handler: &mut dyn StreamHandler,
    ) {
        let is_held = !pending.is_decided()
            || !self.deferred.is_empty() && !self.is_ahead
            || self.blocks.is_holding();
        pending.edit(&mut self.edits, frame, (self.added, is_held));
        frame.forget_data();
        if let Some((_, number)) = pending.sequence {
            self.next_sequence = number.saturating_add(1);
        }
        if self.edits.is_empty() && pending.waits.is_empty() {
            return self.write(frame.raw, handler);
        }
        let block = self.blocks.take_named();
        let is_of_block = block.is_some();
        if let Some(block) = &block {
            let number = match self.blocks.renumbered(block.number) {
                Some(number) if !is_held => number,
                _ => block.number,
            };
            self.edits
                .renew(&block.digits, number.to_string().as_bytes());
        }
        self.edits.sort();
        let most = self.wait(pending);
        // Where channels wait in this event, and the offsets in it that are not decided, in its order.
        let waits = pending.waits.iter().zip(&most);
        let waits = waits.filter_map(|((channel, end), most)| Some(((*end)?, *channel, *most)));
        let mut waits: SmallVec<[(usize, TextId, usize); 1]> = waits.collect();
        count(waits.len());
        waits.sort_by_key(|(end, ..)| *end);
        let mut waits = each(waits.into_iter()).peekable();
        let mut undecided = pending.undecided.clone();
        count(undecided.len());
        undecided.sort_by_key(|(raw, ..)| raw.range().start);
        let mut undecided = each(undecided.into_iter()).peekable();
        let mut out = core::mem::take(&mut self.out);
        let start = self.deferred.bytes.len();
        let mut at = 0;
        let mut digits = 0..0;
        let mut offsets: SmallVec<[(Range<usize>, DeferredNumber); 2]> = SmallVec::new();
        let mut ends: SmallVec<[(usize, &EndOfCopy); 0]> = SmallVec::new();
        let mut edits = self.edits.iter().peekable();
        while let Some(edit) = edits.next() {
            let (place, by) = (edit.place(), edit.by());
            let raw = match frame.in_raw(place.clone()) {
                // What is in an element that is removed goes with it.
                Some(raw) if raw.start >= at => raw,
                _ => continue,
            };
            out.extend_from_slice(frame.raw.get(at..raw.start).unwrap_or_default());
            out.extend_from_slice(&self.edits.bytes[by.clone()]);
            at = raw.end;
            if let Some(block) = &block
                && block.digits == place
            {
                digits = out.len() - by.len()..out.len();
            }
            while undecided
                .next_if(|(raw, ..)| raw.range().start < place.start)
                .is_some()
            {}
            let is_undecided = |(raw, _): &(Raw, DeferredNumber)| raw.range() == place;
            if let Some((_, number)) = undecided.next_if(is_undecided) {
                let digits = start + out.len() - by.len()..start + out.len();
                offsets.push((digits, number));
            }
            let mut of_copies = pending.ends.iter();
            if let Some((_, end)) = of_copies.find(|(start, _)| *start == place.start) {
                ends.push((start + out.len(), end));
            }
            if let Some((_, number)) = pending.sequence.filter(|(raw, _)| raw.range() == place) {
                let digits = start + out.len() - by.len()..start + out.len();
                offsets.push((
                    digits,
                    DeferredNumber::Sequence(number.saturating_add(self.added)),
                ));
            }
            while waits.next_if(|(end, ..)| *end < place.end).is_some() {}
            // Several edits can have the same place; channels wait after the last.
            let is_last = edits
                .peek()
                .is_none_or(|next| next.place().start > place.end);
            while is_last
                && let Some((_, channel, most)) = waits.next_if(|(end, ..)| *end == place.end)
            {
                let point = Point::InString(start + out.len());
                self.deferred.wait(channel, point, most);
            }
        }
        out.extend_from_slice(frame.raw.get(at..).unwrap_or_default());
        for ((channel, _), most) in each(pending.waits.iter()).zip(&most) {
            self.deferred.wait(*channel, Point::Before(start), *most);
        }
        if !is_held {
            self.write(&out, handler);
        } else if self.may_pass(&out) {
            self.deferred.bytes.extend_from_slice(&out);
            for (digits, offset) in offsets {
                self.deferred.mark(digits.clone(), digits, offset);
            }
            for (at, (of, end)) in ends {
                self.deferred.insert_end(at, end, of);
            }
            if let Some(block) = block
                && !digits.is_empty()
            {
                let digits = start + digits.start..start + digits.end;
                let of = match block.is_of_text {
                    true => DeferredNumber::Block(block.number),
                    false => DeferredNumber::Beside(block.number),
                };
                self.deferred.mark(start..start + out.len(), digits, of);
            }
            if self.deferred.len() > MAX_DEFERRED {
                self.settle_at_limit(handler);
            }
        }
        out.clear();
        self.out = out;
        if is_of_block
            && self.blocks.is_holding()
            && !self.blocks.is_undecided()
            && !self.deferred.is_waiting()
        {
            self.release(handler);
        }
    }
}
