//! The end of a text, and the events that are added for what it held back.

use core::ops::Range;

use smallvec::SmallVec;

use super::State;
use super::thought_ends::ReasoningEnds;
use crate::deferred::{DeferredNumber, Point};
use crate::escape::push_content;
use crate::found::Found;
use crate::frame::Kind;
use crate::item::Item;
use crate::steps::each;
use crate::template::{EventTemplate, SyntheticFraming, SyntheticText};
use crate::text::{self, TextRewriter};
use crate::text_id::TextId;
use crate::{Format, StreamHandler};

/// Text, template and block of an insertion into the output.
#[derive(Clone, Copy, Debug)]
pub(super) struct Inserted<'a> {
    pub(super) id: TextId,
    pub(super) template: &'a EventTemplate,
    /// The number of its block, if that is not the last one.
    pub(super) block: Option<u32>,
    /// The insertion is text, so an event can be built for it.
    pub(super) is_text: bool,
    /// Further insertions into the same event: the start of each text in the template, and its text.
    pub(super) others: &'a [(u32, &'a [u8])],
}

impl<R: TextRewriter> State<R> {
    /// Ends all channels that are open, and writes what they held back; more of an event follows it or not.
    pub(super) fn close(&mut self, is_before_event: bool, handler: &mut dyn StreamHandler) {
        self.end_thoughts(Some(ReasoningEnds::All), is_before_event, handler);
        self.reader.found.clear();
        self.reader.close();
        let found = core::mem::take(&mut self.reader.found);
        for one in each(found.iter()) {
            match *one {
                Found::End(id) => self.end(id, is_before_event, handler),
                Found::Ended(channel) => handler.item(Item::ChannelEnd(channel)),
                _ => {}
            }
        }
        self.reader.found = found;
        self.blocks.close();
        self.settle_all(handler);
    }

    /// A text breaks off: for a gate this is a limit, because an annotation about what it holds back may be missing.
    pub(super) fn cut_off(&mut self, id: TextId) {
        if let Some(text) = self.texts.get_mut(id) {
            text.is_at_limit = R::WITHHOLDS_UNREAD;
        }
    }

    /// Ends a text, and writes what it held back: with the events held back or in an event of its own, which another one
    /// follows or not.
    pub(super) fn end(
        &mut self,
        id: TextId,
        is_before_event: bool,
        handler: &mut dyn StreamHandler,
    ) {
        let Some(place) = self.texts.find(id) else {
            return;
        };
        self.announce(text::position(id, self.texts[place].is_again), handler);
        self.texts[place].is_at_limit |= self.reader.is_lost();
        let is_apart = R::WITHHOLDS_UNREAD && self.are_apart(id.channel);
        let is_cut = is_apart && self.is_withheld_beside(id);
        let mut scratch = core::mem::take(&mut self.scratch);
        self.texts[place].finish(&mut scratch, handler);
        let rest = &mut scratch.out;
        if let Some(at) = memchr::memmem::find(rest, b"{\"").filter(|_| is_cut) {
            // The beginning of a record that another member has as a whole.
            rest.truncate(at);
        }
        if is_apart {
            self.settle_twin(id, rest);
        }
        self.fill_blocks(place, handler);
        let point = self.deferred.settle(id);
        let mut template = core::mem::take(&mut self.texts[place].template);
        if !rest.is_empty() {
            let of = Inserted {
                id,
                template: &template,
                block: self.texts[place].block,
                is_text: true,
                others: &[],
            };
            self.insert(of, rest, point, is_before_event, handler);
        }
        template.clear();
        self.texts[place].template = template;
        self.scratch = scratch;
    }

    #[expect(
        clippy::too_many_arguments,
        reason = "its parts are borrowed one by one"
    )]
    pub(super) fn insert(
        &mut self,
        of: Inserted<'_>,
        rest: &[u8],
        point: Option<Point>,
        is_before_event: bool,
        handler: &mut dyn StreamHandler,
    ) {
        let Some(format) = self.reader.format() else {
            return;
        };
        if !of.is_text && of.template.is_empty() {
            return;
        }
        let mut out = core::mem::take(&mut self.out);
        if let Some(Point::InString(at)) = point {
            if let Some(block) = self.deferred.block_at(Point::InString(at)) {
                self.blocks.keep(block);
            }
            push_content(&mut out, rest);
            self.deferred.insert(at, &out, None);
        } else {
            let is_before_event = is_before_event || point.is_some();
            let is_numbered = format == Format::OpenAiResponses;
            let number = match point {
                Some(Point::Before(at)) if is_numbered => self.deferred.number_at(at),
                _ => None,
            };
            let added = SyntheticText {
                format,
                id: of.id,
                text: rest,
                others: of.others,
                block: point
                    .and_then(|point| self.deferred.block_at(point))
                    .or(of.block)
                    .or(self.blocks.current()),
                sequence: is_numbered
                    .then(|| number.unwrap_or(self.next_sequence.saturating_add(self.added))),
                has_name: self.reader.has_names,
                envelope: match self.envelope {
                    Kind::Sse | Kind::Encoded => SyntheticFraming::Sse(self.line_end.as_str()),
                    Kind::Lines | Kind::Body => SyntheticFraming::Lines,
                    Kind::Array => SyntheticFraming::Array,
                },
            };
            self.added += u64::from(is_numbered);
            let place = match self.is_ahead {
                true => self.place,
                false => self.place_after(&self.deferred.bytes),
            };
            let before = match self.envelope {
                _ if point.is_some() => "",
                Kind::Lines | Kind::Body if !place.at_line_start => "\n",
                Kind::Sse if !place.at_line_start => self.line_end.as_str(),
                Kind::Array if place.after_element => ",",
                _ => "",
            };
            out.extend_from_slice(before.as_bytes());
            let mut number = of.template.write(&added, &mut out);
            let block = core::str::from_utf8(&out[number.clone()]).ok();
            let block = block.and_then(|digits| digits.parse().ok());
            if let Some(renumbered) = block.and_then(|block| self.blocks.renumbered(block))
                && self.deferred.is_empty()
            {
                let digits = renumbered.to_string();
                out.splice(number.clone(), digits.bytes());
                number.end = number.start + digits.len();
            }
            let after = match self.envelope {
                Kind::Lines if is_before_event && !out.ends_with(b"\n") => "\n",
                Kind::Array if is_before_event => ",",
                _ => "",
            };
            out.extend_from_slice(after.as_bytes());
            self.write_added(&out, block.map(|block| (block, number)), point, handler);
        }
        out.clear();
        self.out = out;
    }

    /// Writes an added event, of which the number of its block is at this place, or puts it among those held back.
    fn write_added(
        &mut self,
        event: &[u8],
        block: Option<(u32, Range<usize>)>,
        point: Option<Point>,
        handler: &mut dyn StreamHandler,
    ) {
        let block = block.filter(|_| self.blocks.is_active());
        if let Some((block, _)) = block {
            self.blocks.keep(block);
        }
        if let Some(Point::Before(at)) = point {
            return self.deferred.insert(at, event, block);
        }
        let at = self.deferred.bytes.len();
        self.write(event, handler);
        // It may be written, or withheld.
        if let Some((block, number)) = block
            && self.deferred.bytes.len() >= at + event.len()
        {
            let digits = at + number.start..at + number.end;
            self.deferred
                .mark(at..at + event.len(), digits, DeferredNumber::Block(block));
        }
    }

    /// Ends what the events held back wait for, as there are too many of them, and writes them.
    pub(super) fn settle_at_limit(&mut self, handler: &mut dyn StreamHandler) {
        let undecided = self.undecided_texts();
        for text in self.texts.iter_mut() {
            let is_awaited = self.deferred.waits_for(text.id) || undecided.contains(&text.id);
            text.is_at_limit = R::WITHHOLDS_UNREAD && is_awaited;
        }
        self.settle_awaited(handler);
        // The policy released no more of them.
        let texts = &self.texts;
        let has_ended = |of| {
            texts
                .get(of)
                .is_some_and(|text| text.rewriter.ended().is_some())
        };
        self.deferred.drop_ends(has_ended);
        if !self.deferred.is_empty() {
            self.release(handler);
        }
    }

    /// Ends what the events held back wait for, and writes them.
    pub(super) fn settle_all(&mut self, handler: &mut dyn StreamHandler) {
        self.settle_awaited(handler);
        if !self.deferred.is_empty() {
            self.release(handler);
        }
    }

    /// Ends what the events held back wait for.
    fn settle_awaited(&mut self, handler: &mut dyn StreamHandler) {
        while let Some(channel) = self.deferred.waiting() {
            self.end(channel, true, handler);
            self.deferred.settle(channel);
        }
        // Offsets point into text that is decided about now.
        for channel in self.undecided_texts() {
            self.end(channel, true, handler);
        }
    }

    /// The texts that have to be decided about before offsets in the events held back can be moved.
    fn undecided_texts(&self) -> SmallVec<[TextId; 1]> {
        let mut texts = SmallVec::new();
        for number in each(self.deferred.numbers()) {
            if let DeferredNumber::Offset(text, _) | DeferredNumber::PromptOffset(text, _) = number
                && !texts.contains(&text)
                && self.is_number_undecided(number)
            {
                texts.push(text);
            }
        }
        texts
    }
}
