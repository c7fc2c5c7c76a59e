//! Text of one channel, with the rewriter or gate that processes it.

use super::copy_changes::CopyChanges;
use super::escape::{push_content, push_unit};
use super::halves;
use super::remembering::Unfound;
use super::removed::OffsetShift;
use super::seams::Seams;
use super::sink::{ChannelPosition, OutputCollector, StreamHandler};
use super::template::EventTemplate;
use super::text_id::TextId;
use super::words::Words;
use provstream::{GateEnd, Rewriter};

/// State of one text.
#[derive(Clone, Debug)]
#[repr(C)] // What each delta needs is next to each other.
pub(super) struct Text<R> {
    pub(super) rewriter: R,
    /// Ends of the blocks, if the text is joined from several.
    pub(super) seams: Option<Box<Seams>>,
    /// `false` only if all text so far was written.
    may_hold: bool,
    /// The limit of held events is reached, so all text must be decided.
    pub(super) is_at_limit: bool,
    /// The channel ended after a lone high surrogate, which was written unchanged. A low surrogate that follows must
    /// not be joined to it.
    after_lone_half: bool,
    /// The text came as a whole before any delta.
    pub(super) is_whole: bool,
    /// Another text of the channel is equal so far, and only that one is reported.
    pub(super) is_again: bool,
    /// More of the text may follow in the same event; until then, nothing must be decided.
    pub(super) goes_on: bool,
    pub(super) removed: Option<OffsetShift>,
    /// High surrogate at the end of the last delta.
    high: Option<u16>,
    /// `high` was written unchanged.
    high_is_out: bool,
    pub(super) id: TextId,
    /// Number of the block that the text ends in.
    pub(super) block: Option<u32>,
    /// Template for events that are added with more of the text.
    pub(super) template: EventTemplate,
}

/// Buffers that are reused for each delta.
#[derive(Clone, Debug, Default)]
pub(super) struct Scratch {
    pub(super) decoded: Vec<u8>,
    pub(super) out: Vec<u8>,
}

impl Scratch {
    /// Returns the capacity of both buffers in bytes.
    pub(super) const fn capacity(&self) -> usize {
        self.decoded.capacity() + self.out.capacity()
    }
}

/// Buffer to which rewritten text is appended, as content of a JSON string.
pub(super) type EditBuffer<'e> = &'e mut Vec<u8>;

impl<R: TextRewriter> Text<R> {
    /// Creates the state of an empty text; `rewriter` must be at the start of a stream.
    pub(super) const fn new(id: TextId, rewriter: R, removed: Option<OffsetShift>) -> Self {
        Self {
            id,
            block: None,
            rewriter,
            high: None,
            high_is_out: false,
            after_lone_half: false,
            is_whole: false,
            is_again: false,
            goes_on: false,
            may_hold: R::WITHHOLDS_UNREAD,
            is_at_limit: false,
            template: EventTemplate::new(),
            removed,
            seams: None,
        }
    }

    /// Rewrites a delta. Returns the number of bytes of text that were read, and `true` if the string changes; its
    /// new content was then appended to `edit`.
    pub(super) fn push(
        &mut self,
        delta: &TextDelta<'_>,
        scratch: &mut Scratch,
        edit: EditBuffer<'_>,
        handler: &mut dyn StreamHandler,
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

    /// Rewrites a delta without escapes, if no surrogate is pending. Returns `true` if the string changes; its new
    /// content was then appended to `edit`.
    pub(super) fn push_plain(
        &mut self,
        text: &[u8],
        scratch: &mut Scratch,
        edit: EditBuffer<'_>,
        handler: &mut dyn StreamHandler,
    ) -> bool {
        self.rewrite(text, false, scratch, handler);
        let changed = scratch.out != text;
        self.may_hold |= changed;
        if changed && !scratch.out.is_empty() {
            push_content(edit, &scratch.out);
        }
        changed
    }

    /// Slow path of [`push`](Self::push): the delta may begin or end with half of a surrogate pair, or be the last
    /// one.
    fn push_with_halves(
        &mut self,
        delta: &TextDelta<'_>,
        scratch: &mut Scratch,
        edit: EditBuffer<'_>,
        handler: &mut dyn StreamHandler,
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
        // A half goes out as it is if its other half goes out as soon as it comes.
        let may_withhold = self.rewriter.may_hold_any() || self.buffers();
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

    /// Ends the channel, and returns the text that was held back; it is in `scratch`.
    pub(super) fn finish<'s>(
        &mut self,
        scratch: &'s mut Scratch,
        handler: &mut dyn StreamHandler,
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

    /// Returns `true` if the next delta depends on no earlier text except what the rewriter holds.
    pub(super) fn is_calm(&self) -> bool {
        let is_waiting = self.seams.as_ref().is_some_and(|seams| seams.is_waiting());
        self.high.is_none() && !self.after_lone_half && !is_waiting
    }

    /// Appends a piece if all of it is written unchanged and at once, and nothing else is held back. Returns the
    /// piece's offset in the written text, or `None` if the slow path is needed. `is_ascii` may be false for ASCII.
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
        handler: &mut dyn StreamHandler,
    ) {
        self.feed(text, is_last, scratch, handler);
        self.part(is_last, scratch);
    }

    /// Rewrites a piece of text; the output is in `scratch`.
    fn feed(
        &mut self,
        text: &[u8],
        is_last: bool,
        scratch: &mut Scratch,
        handler: &mut dyn StreamHandler,
    ) {
        scratch.out.clear();
        if let Some(seams) = &mut self.seams {
            seams.read(text.len());
        }
        let mut collect = OutputCollector {
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
        let is_at_limit = is_last && core::mem::take(&mut self.is_at_limit);
        if is_at_limit {
            self.rewriter.reach_limit(&mut collect);
        } else if is_last {
            // More of the text may follow all the same.
            self.rewriter.push_break(&mut collect);
        }
        // What takes the place of an annotation could by chance be equal to what is held back.
        self.may_hold |= collect.has_replaced;
    }

    /// Moves output that belongs to ended blocks out of `scratch`.
    #[inline]
    fn part(&mut self, is_last: bool, scratch: &mut Scratch) {
        if let Some(seams) = &mut self.seams
            && seams.is_waiting()
        {
            let is_over = is_last || !self.rewriter.is_holding();
            seams.part(&mut scratch.out, is_last, is_over);
        }
    }

    /// Returns `true` if the text so far ends in the beginning of an annotation, a record or a marker.
    pub(super) fn is_in_beginning(&self) -> bool {
        self.rewriter.is_in_beginning()
    }

    fn buffers(&self) -> bool {
        self.rewriter.is_holding()
    }

    /// Returns `true` if some text was read and not written yet.
    pub(super) fn is_holding(&self) -> bool {
        self.may_hold && (self.high.is_some() || self.buffers())
    }

    /// Updates `may_hold`, and returns `true` if some text was read and not written yet.
    pub(super) fn note_holding(&mut self) -> bool {
        let is_holding = self.is_holding();
        self.may_hold = is_holding || R::WITHHOLDS_UNREAD;
        is_holding
    }
}

/// Returns `true` if the bytes are UTF-8; most deltas are a few bytes of ASCII.
#[inline]
fn is_utf8(bytes: &[u8]) -> bool {
    bytes.is_ascii() || core::str::from_utf8(bytes).is_ok()
}

/// Delta of a channel's text.
#[derive(Clone, Copy, Debug)]
pub(super) struct TextDelta<'a> {
    /// The content of the JSON string.
    pub(super) content: &'a [u8],
    /// `content` has escapes.
    pub(super) escaped: bool,
    /// The channel's text ends with this delta.
    pub(super) is_last: bool,
}

/// Returns the position of a text, as handlers get it.
pub(super) const fn position(id: TextId, is_repeated: bool) -> ChannelPosition {
    ChannelPosition {
        channel: id.channel,
        member: id.member.name(),
        is_repeated,
        is_reasoning: false,
    }
}

/// Returns the position of reasoning, as handlers get it.
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
    /// `true` for gates: text that is not read as part of a channel must not be written.
    const WITHHOLDS_UNREAD: bool;

    /// Returns a rewriter for a new text at `position`. `self` is the prototype, which has read nothing.
    fn begin(&self, position: ChannelPosition) -> Self;

    /// [`renew`](Self::renew) is supported.
    const RENEWS: bool = false;

    /// Returns `true` if the rewriter removes markers of citations.
    fn has_markers(&self) -> bool {
        false
    }

    /// Resets the rewriter to the start of a text, if [`RENEWS`](Self::RENEWS).
    fn renew(&mut self) {}

    /// Begins a new text like the prototype `fresh`. If `before` is given, the new text repeats the one that `before`
    /// has read.
    fn restart(&mut self, fresh: &Self, position: ChannelPosition, before: Option<&Self>);

    /// Compares a text that begins with the sources as `before` did, whose text it repeats.
    fn repeat_sources(&mut self, before: &Self) {
        let _ = before;
    }

    /// Adopts the decisions that were made for a full text that repeats this text and has ended.
    fn follow(&mut self, repeated: &mut Self);

    fn push(&mut self, text: &[u8], to: &mut OutputCollector<'_>);

    /// Appends text of which more follows in the same event, so nothing must be decided yet.
    fn push_more(&mut self, text: &[u8], to: &mut OutputCollector<'_>) {
        self.push(text, to);
    }

    fn finish(&mut self, to: &mut OutputCollector<'_>);

    /// Ends whatever is unfinished in the text, because other content follows.
    fn push_break(&mut self, to: &mut OutputCollector<'_>);

    /// Adds to `to` the decisions about a copy that repeats another text, after the words of that text are known.
    fn settle_repeat(&mut self, unfound: Unfound, copy: &[u8], to: &mut CopyChanges) {
        let _ = (unfound, copy, to);
    }

    /// Adds to `to` the decisions about a copy in a text of another name, because of the words of this one. Returns
    /// `false` if there are none and nothing is held back.
    fn settle_elsewhere(&mut self, unfound: Unfound, copy: &[u8], to: &mut CopyChanges) -> bool {
        let _ = (unfound, copy, to);
        false
    }

    /// Returns the text that is held back, as [looked ahead](Self::look_ahead), without a candidate annotation at its
    /// end.
    fn rest(&self) -> &[u8] {
        b""
    }

    /// Decides about all text as if it ended here, because a full text that repeats it follows.
    fn look_ahead(&mut self) {}

    /// Returns the words that were decided, with or without those that [`look_ahead`](Self::look_ahead) decided.
    fn words(&self, with_rest: bool) -> Words {
        let _ = with_rest;
        Words::default()
    }

    /// Returns the words before the place where a policy ended the text, also as [looked ahead](Self::look_ahead).
    fn end(&self) -> Option<Words> {
        None
    }

    /// Returns `true` if some text was withheld, or changed, so that a copy without annotations must be.
    fn withholds(&self) -> bool {
        false
    }

    /// Returns `true` if something of a copy was withheld that the text before, or without one each of these texts, does not have.
    fn withholds_more(&self, _texts: &[Text<Self>]) -> bool
    where
        Self: Sized,
    {
        false
    }

    /// Ends the text, because the limit of held events is reached.
    fn reach_limit(&mut self, to: &mut OutputCollector<'_>) {
        self.push_break(to);
    }

    /// Appends text if all of it is written unchanged and at once, and nothing else has to be done. Returns the
    /// offset of the piece in the written text.
    fn push_unchanged(&mut self, text: &[u8]) -> Option<u64> {
        let _ = text;
        None
    }

    /// Returns `true` if some text was read and may still be written.
    fn is_holding(&self) -> bool;

    /// Returns `true` if the next character may be held back, whichever it is.
    fn may_hold_any(&self) -> bool {
        Self::WITHHOLDS_UNREAD
    }

    /// Returns `true` if the text so far ends in the beginning of an annotation, a record or a marker.
    fn is_in_beginning(&self) -> bool;

    /// Returns the policy's end of the text, if a policy ended it.
    fn ended(&self) -> Option<GateEnd> {
        None
    }
}

impl TextRewriter for Rewriter {
    const WITHHOLDS_UNREAD: bool = false;
    const RENEWS: bool = true;

    #[cfg(feature = "dialects")]
    fn has_markers(&self) -> bool {
        self.parser().dialects().is_some()
    }

    fn begin(&self, _: ChannelPosition) -> Self {
        self.clone()
    }

    fn renew(&mut self) {
        self.reset();
    }

    fn restart(&mut self, _: &Self, _: ChannelPosition, _: Option<&Self>) {
        self.reset();
    }

    #[cfg(feature = "dialects")]
    fn repeat_sources(&mut self, before: &Self) {
        self.repeat_sources(before);
    }

    fn follow(&mut self, _: &mut Self) {}

    fn push(&mut self, text: &[u8], to: &mut OutputCollector<'_>) {
        self.push(text, to);
    }

    fn finish(&mut self, to: &mut OutputCollector<'_>) {
        self.finish(to);
    }

    fn push_break(&mut self, to: &mut OutputCollector<'_>) {
        self.push_break(to);
    }

    #[inline]
    fn push_unchanged(&mut self, text: &[u8]) -> Option<u64> {
        self.push_unchanged(text)
    }

    fn is_in_beginning(&self) -> bool {
        self.parser().is_in_beginning()
    }

    // Annotations are ASCII, but a marker may begin with any character.
    #[cfg(feature = "dialects")]
    fn may_hold_any(&self) -> bool {
        self.parser().dialects().is_some()
    }

    fn is_holding(&self) -> bool {
        let parser = self.parser();
        parser.buffered_len() > 0 || parser.strippable_whitespace() > 0
    }
}
