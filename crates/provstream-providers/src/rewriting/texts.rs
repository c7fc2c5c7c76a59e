//! The texts of an event: deltas, what repeats them, and what points into them.

use super::State;
use super::pending::Pending;
use crate::found::{Raw, Repeats, Str};
use crate::frame::Frame;
use crate::item::Item;
use crate::reader::MAX_CHANNELS;
use crate::removed::Removed;
use crate::text::{self, Delta, Text, TextRewriter, WholeText};
use crate::{Channel, ChannelPosition, StreamHandler};

impl<R: TextRewriter> State<R> {
    /// Announces what the next calls are about.
    pub(super) fn announce(&mut self, position: ChannelPosition, handler: &mut impl StreamHandler) {
        if self.position != Some(position) {
            self.position = Some(position);
            handler.channel(position);
        }
    }

    /// Rewrites a delta; whether it changes.
    pub(super) fn text(
        &mut self,
        frame: &Frame<'_>,
        (channel, text): (Channel, Str),
        is_last: bool,
        handler: &mut impl StreamHandler,
    ) -> bool {
        self.announce(text::position(channel, false), handler);
        if !text.is_empty() {
            self.deferred.settle(channel);
        }
        let start = self.edits.bytes.len();
        let mut scratch = core::mem::take(&mut self.scratch);
        let Some(place) = self.place(channel) else {
            return false;
        };
        let state = &mut self.texts[place];
        let delta = Delta {
            content: text.content(&frame.data),
            escaped: text.escaped,
            is_last,
        };
        let (read, changed) = state.push(&delta, &mut scratch, &mut self.edits.bytes, handler);
        self.scratch = scratch;
        self.reader.report.add_text(read);
        if changed {
            self.edits.add(text.range(), start);
        }
        if self.reader.block.is_some() {
            let has_text = if changed {
                self.edits.bytes.len() > start
            } else {
                !text.is_empty()
            };
            self.blocks.text(!text.is_empty(), has_text);
        }
        changed
    }

    /// Rewrites a text of its own; whether it changes.
    pub(super) fn whole(
        &mut self,
        frame: &Frame<'_>,
        (channel, text): (Channel, Str),
        repeats: Repeats,
        handler: &mut impl StreamHandler,
    ) -> bool {
        let is_repeated = repeats != Repeats::Nothing;
        self.announce(text::position(channel, is_repeated), handler);
        let start = self.edits.bytes.len();
        if !self.restart_whole(channel, is_repeated) {
            return false;
        }
        let Some(rewriter) = &mut self.whole else {
            return false;
        };
        let (read, changed) = text::rewrite_whole(
            &mut **rewriter,
            &WholeText {
                data: &frame.data,
                text,
                more: repeats == Repeats::SoFar,
                is_repeated,
            },
            &mut self.scratch,
            &mut self.edits.bytes,
            handler,
        );
        if is_repeated
            && let Some(text) = self.texts.iter_mut().find(|text| text.channel == channel)
        {
            text.rewriter.follow(rewriter);
        }
        if changed {
            self.edits.add(text.range(), start);
        }
        if !is_repeated {
            self.reader.report.add_text(read);
            handler.item(Item::ChannelEnd(channel));
        }
        changed
    }

    /// Empties a string; whether it changes.
    pub(super) fn empty(&mut self, text: Str) -> bool {
        if !text.is_empty() {
            self.edits.replace(text.range(), b"");
        }
        !text.is_empty()
    }

    pub(super) fn sequence(&mut self, frame: &Frame<'_>, value: Raw, pending: &mut Pending) {
        let digits = core::str::from_utf8(value.bytes(&frame.data)).ok();
        if let Some(number) = digits.and_then(|digits| digits.parse::<u64>().ok()) {
            self.next_sequence = number;
            pending.sequence = Some((value, number));
        }
    }

    pub(super) fn offset(&mut self, frame: &Frame<'_>, channel: Channel, value: Raw) {
        let digits = core::str::from_utf8(value.bytes(&frame.data)).ok();
        let offset = digits.and_then(|digits| digits.parse::<u64>().ok());
        let removed = self.texts.iter().find(|text| text.channel == channel);
        let removed = removed.and_then(|text| text.removed.as_ref());
        if let (Some(offset), Some(removed)) = (offset, removed) {
            let moved = removed.moved(offset);
            if moved != offset {
                self.edits
                    .replace(value.range(), moved.to_string().as_bytes());
            }
        }
    }

    /// Has the rewriter of texts that are strings of their own begin one, which repeats that of its channel or not; whether
    /// there is such a rewriter, which is always.
    pub(super) fn restart_whole(&mut self, channel: Channel, is_repeated: bool) -> bool {
        if self.whole.is_none() {
            self.whole = self.begin_next(channel).map(Box::new);
        }
        let (Some(rewriter), texts) = (&mut self.whole, &self.texts) else {
            return false;
        };
        let before = texts.iter().find(|text| text.channel == channel);
        let before = before.filter(|_| is_repeated).map(|text| &text.rewriter);
        match &self.fresh {
            Some(fresh) => rewriter.restart(fresh, channel, before),
            None => rewriter.renew(),
        }
        true
    }

    /// What a channel begins with. There is always something: `fresh`, or what the first text gives.
    pub(super) fn begin_next(&self, channel: Channel) -> Option<R> {
        if let Some(fresh) = &self.fresh {
            return Some(fresh.begin(channel));
        }
        let mut next = self.texts.first()?.rewriter.clone();
        next.renew();
        Some(next)
    }

    /// The place of a channel's text, which begins if it has not. There is always one.
    pub(super) fn place(&mut self, channel: Channel) -> Option<usize> {
        let place = self.texts.iter().position(|text| text.channel == channel);
        if place.is_some() {
            return place;
        }
        if self.texts.len() == MAX_CHANNELS {
            // The reader allows for no more that are open, so one of them has ended.
            let reader = &self.reader;
            let over = self
                .texts
                .iter()
                .position(|text| !reader.is_open(text.channel));
            self.texts.remove(over.unwrap_or(0));
        }
        if self.texts.is_empty() {
            self.texts.reserve_exact(1);
        }
        let removed = if R::MOVES_OFFSETS {
            Removed::of(self.reader.format())
        } else {
            None
        };
        let rewriter = self.begin_next(channel)?;
        if R::RENEWS {
            self.fresh = None;
        }
        self.texts.push(Text::new(channel, rewriter, removed));
        self.texts.len().checked_sub(1)
    }
}
