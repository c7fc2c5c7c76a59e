//! The text of one channel on its way through a rewriter.

use super::escape::{push_content, push_unit};
use super::halves;
use super::remembering::{Settled, Unfound};
use super::removed::Removed;
use super::seams::Seams;
use super::sink::{ChannelPosition, Collect, StreamHandler};
use super::template::Template;
use super::text_id::TextId;
use super::words::Words;
use provstream::{GateEnd, Rewriter};

/// The text of one channel.
#[derive(Clone, Debug)]
#[repr(C)] // What each delta needs is next to each other.
pub(super) struct Text<R> {
    pub(super) rewriter: R,
    /// Where its blocks end, if it is that of several.
    pub(super) seams: Option<Box<Seams>>,
    /// Text may be held back. If not, all that was read is written.
    may_hold: bool,
    /// No more events can be held back with it, so that it has to be decided about.
    pub(super) is_at_limit: bool,
    /// The channel ended after a half that was written as it is: a low half that comes next does not belong to it.
    after_lone_half: bool,
    /// Another text of its channel is the same so far, and is reported.
    pub(super) is_again: bool,
    /// More of it may follow in the same event, before which nothing needs to be decided.
    pub(super) goes_on: bool,
    pub(super) removed: Option<Removed>,
    /// The high surrogate that the last delta ended with.
    high: Option<u16>,
    /// It was written as it is.
    high_is_out: bool,
    pub(super) id: TextId,
    /// The number of its last block.
    pub(super) block: Option<u32>,
    /// What an event with more of its text looks like.
    pub(super) template: Template,
}

/// Memory for one delta after the other.
#[derive(Clone, Debug, Default)]
pub(super) struct Scratch {
    pub(super) decoded: Vec<u8>,
    pub(super) out: Vec<u8>,
}

impl Scratch {
    /// Bytes of memory.
    pub(super) const fn capacity(&self) -> usize {
        self.decoded.capacity() + self.out.capacity()
    }
}

/// Where the text that a string becomes is appended as content of a JSON string.
pub(super) type Edit<'e> = &'e mut Vec<u8>;

impl<R: TextRewriter> Text<R> {
    /// Text that begins, read by a rewriter that is at the start of a stream.
    pub(super) const fn new(id: TextId, rewriter: R, removed: Option<Removed>) -> Self {
        Self {
            id,
            block: None,
            rewriter,
            high: None,
            high_is_out: false,
            after_lone_half: false,
            is_again: false,
            goes_on: false,
            may_hold: R::WITHHOLDS_UNREAD,
            is_at_limit: false,
            template: Template::new(),
            removed,
            seams: None,
        }
    }

    /// Rewrites a delta; gives how many bytes of text were read, and whether the string changes, to what was then
    /// appended to `edit`.
    pub(super) fn push(
        &mut self,
        delta: &Delta<'_>,
        scratch: &mut Scratch,
        edit: Edit<'_>,
        handler: &mut impl StreamHandler,
    ) -> (usize, bool) {
        let is_simple = self.high.is_none() && !self.after_lone_half && !delta.is_last;
        if is_simple && !delta.escaped && is_utf8(delta.content) {
            let changed = self.push_plain(delta.content, scratch, edit, handler);
            return (delta.content.len(), changed);
        }
        if is_simple && !halves::ends_high(delta.content) {
            let mut decoded = core::mem::take(&mut scratch.decoded);
            let text = provstream::json::decode_in(delta.content, delta.escaped, &mut decoded).text;
            self.rewrite(text.as_bytes(), false, scratch, handler);
            let (len, changed) = (text.len(), scratch.out != text.as_bytes());
            self.may_hold |= changed;
            drop(text);
            scratch.decoded = decoded;
            if changed {
                push_content(edit, &scratch.out);
            }
            return (len, changed);
        }
        self.push_with_halves(delta, scratch, edit, handler)
    }

    /// The same of text without escapes, where no half of a surrogate pair came before; whether it changes.
    pub(super) fn push_plain(
        &mut self,
        text: &[u8],
        scratch: &mut Scratch,
        edit: Edit<'_>,
        handler: &mut impl StreamHandler,
    ) -> bool {
        self.rewrite(text, false, scratch, handler);
        let changed = scratch.out != text;
        self.may_hold |= changed;
        if changed && !scratch.out.is_empty() {
            push_content(edit, &scratch.out);
        }
        changed
    }

    /// The same where halves of surrogate pairs may be at the ends, or the text ends with the delta.
    fn push_with_halves(
        &mut self,
        delta: &Delta<'_>,
        scratch: &mut Scratch,
        edit: Edit<'_>,
        handler: &mut impl StreamHandler,
    ) -> (usize, bool) {
        self.may_hold = true;
        let content = &*String::from_utf8_lossy(delta.content);
        let before = self.high;
        let mut piece = halves::decode(content, before);
        let ends_in_half = delta.is_last && piece.high.take().is_some();
        if ends_in_half {
            piece.text.to_mut().push(char::REPLACEMENT_CHARACTER);
        }
        self.rewrite(piece.text.as_bytes(), delta.is_last, scratch, handler);
        self.high = piece.high;
        let out = String::from_utf8_lossy(&scratch.out);
        let was_out = core::mem::take(&mut self.high_is_out);
        let is_apart = !content.is_empty() && core::mem::take(&mut self.after_lone_half);
        let is_same = !(is_apart && halves::begins_low(content))
            && out == piece.text
            && (before.is_none() || was_out || content.is_empty());
        // A half goes out as it is if its other half goes out as soon as it comes, which no gate knows.
        let may_withhold = R::WITHHOLDS_UNREAD || self.buffers();
        if is_same && (self.high.is_none() || !may_withhold) {
            self.high_is_out = self.high.is_some() && (was_out || !content.is_empty());
            self.after_lone_half |= ends_in_half;
            return (piece.text.len(), false);
        }
        let mut rest = &*out;
        if was_out && before.is_some() {
            // The first character of the text is out, or its first half.
            rest = rest.strip_prefix(|_: char| true).unwrap_or(rest);
            if let Some(low) = piece.low {
                push_unit(edit, low, 0);
            }
        }
        push_content(edit, rest.as_bytes());
        (piece.text.len(), true)
    }

    /// What was held back at the channel's end, in `scratch`.
    pub(super) fn finish<'s>(
        &mut self,
        scratch: &'s mut Scratch,
        handler: &mut impl StreamHandler,
    ) -> &'s [u8] {
        let high = self.high.take();
        let was_out = core::mem::take(&mut self.high_is_out);
        let text = if high.is_some() { "\u{FFFD}" } else { "" };
        if let Some(seams) = &mut self.seams {
            seams.read_in_last(text.len());
        }
        self.feed(text.as_bytes(), true, scratch, handler);
        if was_out {
            self.after_lone_half = true;
            // The half is out. It must not come a second time, neither after the text nor in a block that has ended.
            if scratch.out.starts_with(text.as_bytes()) {
                scratch.out.drain(..text.len());
            }
        }
        self.part(true, scratch);
        &scratch.out
    }

    /// Whether the next piece of it needs no part of what came before but what the rewriter holds back.
    pub(super) fn is_calm(&self) -> bool {
        let is_waiting = self.seams.as_ref().is_some_and(|seams| seams.is_waiting());
        self.high.is_none() && !self.after_lone_half && !is_waiting
    }

    /// Takes a piece, which is ASCII or may not be, if all of it is written as it is, at once, and nothing else is held back;
    /// gives its offset in what is written.
    #[inline]
    pub(super) fn push_unchanged(&mut self, text: &[u8], is_ascii: bool) -> Option<u64> {
        if self.may_hold {
            return None;
        }
        let offset = self.rewriter.push_unchanged(text)?;
        match &mut self.removed {
            Some(removed) if is_ascii => removed.wrote_units(text.len() as u64),
            Some(removed) => removed.wrote(text),
            None => {}
        }
        if let Some(seams) = &mut self.seams {
            seams.read(text.len());
            seams.wrote(text.len(), 0);
        }
        Some(offset)
    }

    fn rewrite(
        &mut self,
        text: &[u8],
        is_last: bool,
        scratch: &mut Scratch,
        handler: &mut impl StreamHandler,
    ) {
        self.feed(text, is_last, scratch, handler);
        self.part(is_last, scratch);
    }

    /// Rewrites a piece of text; what is written is in `scratch`.
    fn feed(
        &mut self,
        text: &[u8],
        is_last: bool,
        scratch: &mut Scratch,
        handler: &mut impl StreamHandler,
    ) {
        scratch.out.clear();
        if let Some(seams) = &mut self.seams {
            seams.read(text.len());
        }
        let mut collect = Collect {
            out: &mut scratch.out,
            handler,
            is_repeated: self.is_again,
            has_replaced: false,
            removed: self.removed.as_mut(),
            words: Words::default(),
            seams: self.seams.as_deref_mut(),
        };
        if self.goes_on && !is_last {
            self.rewriter.push_more(text, &mut collect);
        } else {
            self.rewriter.push(text, &mut collect);
        }
        if is_last && core::mem::take(&mut self.is_at_limit) {
            self.rewriter.reach_limit(&mut collect);
        }
        if is_last {
            // More of the text may follow all the same.
            self.rewriter.push_break(&mut collect);
        }
        // What takes the place of an annotation could by chance be equal to what is held back.
        self.may_hold |= collect.has_replaced;
    }

    /// Takes what belongs to blocks that have ended out of what is written.
    #[inline]
    fn part(&mut self, is_last: bool, scratch: &mut Scratch) {
        if let Some(seams) = &mut self.seams
            && seams.is_waiting()
        {
            let is_over = is_last || !self.rewriter.is_holding();
            seams.part(&mut scratch.out, is_last, is_over);
        }
    }

    /// Whether the text so far ends in what may still become an annotation or a record.
    pub(super) fn is_in_candidate(&self) -> bool {
        self.rewriter.is_in_candidate()
    }

    fn buffers(&self) -> bool {
        self.rewriter.is_holding()
    }

    /// Whether some text was read and is not written yet.
    pub(super) fn is_holding(&self) -> bool {
        self.may_hold && (self.high.is_some() || self.buffers())
    }

    /// The same, and keeps it.
    pub(super) fn note_holding(&mut self) -> bool {
        let is_holding = self.is_holding();
        self.may_hold = is_holding || R::WITHHOLDS_UNREAD;
        is_holding
    }
}

/// Whether bytes are UTF-8; most deltas are few bytes of ASCII.
#[inline]
fn is_utf8(bytes: &[u8]) -> bool {
    bytes.is_ascii() || core::str::from_utf8(bytes).is_ok()
}

/// The next piece of a channel's text.
#[derive(Clone, Copy, Debug)]
pub(super) struct Delta<'a> {
    /// The content of the JSON string.
    pub(super) content: &'a [u8],
    /// It has escapes.
    pub(super) escaped: bool,
    /// The channel's text ends with it.
    pub(super) is_last: bool,
}

/// Where a text is, for a handler.
pub(super) const fn position(id: TextId, is_repeated: bool) -> ChannelPosition {
    ChannelPosition {
        channel: id.channel,
        member: id.member.name(),
        is_repeated,
        is_reasoning: false,
    }
}

/// Where reasoning is, for a handler.
pub(super) const fn reasoning(id: TextId) -> ChannelPosition {
    ChannelPosition {
        channel: id.channel,
        member: id.member.name(),
        is_repeated: true,
        is_reasoning: true,
    }
}

/// Rewrites the text of one channel.
pub(super) trait TextRewriter: Clone {
    /// Nothing may be written that could not be read as the text of a channel from its start.
    const WITHHOLDS_UNREAD: bool;

    /// The rewriter of a text, as this one begins.
    fn begin(&self, position: ChannelPosition) -> Self;

    /// It can go back to how it began.
    const RENEWS: bool = false;

    /// Goes back to how it began, if it can.
    fn renew(&mut self) {}

    /// Begins as `fresh` does, with a text of its own, which repeats what `before` took if there is such a one.
    fn restart(&mut self, fresh: &Self, position: ChannelPosition, before: Option<&Self>);

    /// Does with the rest of the text as was done in a place that repeats it, and that is over.
    fn follow(&mut self, repeated: &mut Self);

    fn push<S: StreamHandler>(&mut self, text: &[u8], to: &mut Collect<'_, S>);

    /// Takes text of which more follows at once, so that nothing has to be decided about yet.
    fn push_more<S: StreamHandler>(&mut self, text: &[u8], to: &mut Collect<'_, S>) {
        self.push(text, to);
    }

    fn finish<S: StreamHandler>(&mut self, to: &mut Collect<'_, S>);

    /// Something other than text comes: what is open in the text is over.
    fn push_break<S: StreamHandler>(&mut self, to: &mut Collect<'_, S>);

    /// Adds what is to be done with what was written for a text that repeats another one, because of the words of that one.
    fn settle_repeat(&mut self, unfound: Unfound, copy: &[u8], to: &mut Settled) {
        let _ = (unfound, copy, to);
    }

    /// Adds what is to be done with what was written for a text of another name, because of the words of this one; `false` if nothing
    /// is, and nothing is held back.
    fn settle_elsewhere(&mut self, more: bool, copy: &[u8], to: &mut Settled) -> bool {
        let _ = (more, copy, to);
        false
    }

    /// What is held back, as [looked ahead](Self::look_ahead), but for what may still become an annotation.
    fn rest(&self) -> &[u8] {
        b""
    }

    /// A place that repeats all of the text follows: decides what would be decided if the text ended here.
    fn look_ahead(&mut self) {}

    /// What was decided about, with what was [looked ahead](Self::look_ahead) to or not.
    fn words(&self, with_rest: bool) -> Words {
        let _ = with_rest;
        Words::default()
    }

    /// No more text can be held back.
    fn reach_limit<S: StreamHandler>(&mut self, to: &mut Collect<'_, S>) {
        let _ = to;
    }

    /// Takes text if it is written as it is and at once, and nothing else is to be done; gives its offset in what is written.
    fn push_unchanged(&mut self, text: &[u8]) -> Option<u64> {
        let _ = text;
        None
    }

    /// Whether some text was read and may still be written.
    fn is_holding(&self) -> bool;

    /// Whether the text so far ends in what may still become an annotation or a record.
    fn is_in_candidate(&self) -> bool;

    /// How a policy ended the text, if it did.
    fn ended(&self) -> Option<GateEnd> {
        None
    }
}

impl TextRewriter for Rewriter {
    const WITHHOLDS_UNREAD: bool = false;
    const RENEWS: bool = true;

    fn begin(&self, _: ChannelPosition) -> Self {
        self.clone()
    }

    fn renew(&mut self) {
        self.reset();
    }

    fn restart(&mut self, _: &Self, _: ChannelPosition, _: Option<&Self>) {
        self.reset();
    }

    fn follow(&mut self, _: &mut Self) {}

    fn push<S: StreamHandler>(&mut self, text: &[u8], to: &mut Collect<'_, S>) {
        self.push(text, to);
    }

    fn finish<S: StreamHandler>(&mut self, to: &mut Collect<'_, S>) {
        self.finish(to);
    }

    fn push_break<S: StreamHandler>(&mut self, to: &mut Collect<'_, S>) {
        self.push_break(to);
    }

    #[inline]
    fn push_unchanged(&mut self, text: &[u8]) -> Option<u64> {
        self.push_unchanged(text)
    }

    fn is_in_candidate(&self) -> bool {
        self.parser().buffered_len() > 0
    }

    fn is_holding(&self) -> bool {
        let parser = self.parser();
        parser.buffered_len() > 0 || parser.strippable_whitespace() > 0
    }
}
