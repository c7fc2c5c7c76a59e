//! The texts of an event: deltas, what repeats them, and what points into them.

use smallvec::SmallVec;

use super::State;
use super::insert::Inserted;
use super::pending::EventPlan;
use crate::channel::MAX_CHANNELS;
use crate::deferred::DeferredNumber;
use crate::found::{Found, Piece, Raw, Repeats, Str};
use crate::frame::Frame;
use crate::item::Item;
use crate::removed::OffsetShift;
use crate::seams::{Seam, Seams};
use crate::steps::each;
use crate::text::{self, Text, TextDelta, TextRewriter};
use crate::text_id::{Member, TextId};
use crate::walk::Shape;
use crate::whole::{self, WholeText};
use crate::{ChannelPosition, Format, StreamHandler};

/// Number of deltas of one event after which decided text is looked for only once in this many deltas.
const MANY_DELTAS: u32 = 256;

impl<R: TextRewriter> State<R> {
    /// Reports the position of the next calls to the handler, if it changed.
    pub(super) fn announce(&mut self, position: ChannelPosition, handler: &mut dyn StreamHandler) {
        if self.position != Some(position) {
            self.position = Some(position);
            handler.channel(position);
        }
    }

    /// Begins a text, unless it has begun; it may begin after other content.
    pub(super) fn begin_text(
        &mut self,
        frame: &Frame<'_>,
        (id, text, piece): (TextId, Str, Piece),
        pending: &mut EventPlan,
        handler: &mut dyn StreamHandler,
    ) {
        if piece.is_joined {
            self.begin_part(&frame.data, (id, text), pending, handler);
        }
        if piece.is_after_break && self.texts.find(id).is_none() {
            self.announce(text::position(id, false), handler);
            if let Some(place) = self.place(id, handler) {
                let mut scratch = core::mem::take(&mut self.scratch);
                self.texts[place].finish(&mut scratch, handler);
                self.scratch = scratch;
            }
        }
    }

    /// Rewrites a delta, which is the fact at this index, and returns `true` if it changes.
    #[expect(
        clippy::too_many_arguments,
        reason = "its parts are borrowed one by one"
    )]
    pub(super) fn text(
        &mut self,
        frame: &Frame<'_>,
        (id, text): (TextId, Str),
        (is_last, is_again): (bool, bool),
        fact: usize,
        handler: &mut dyn StreamHandler,
    ) -> bool {
        self.announce(text::position(id, is_again), handler);
        let start = self.edits.bytes.len();
        let Some(place) = self.place(id, handler) else {
            return false;
        };
        let place = match self.texts[place].is_whole {
            true => self.begin_after_whole(place, handler).unwrap_or(place),
            false => place,
        };
        let mut scratch = core::mem::take(&mut self.scratch);
        if !text.is_empty() {
            self.go_on(place, text);
        }
        let is_apart = R::WITHHOLDS_UNREAD && self.are_apart(id.channel);
        let awaits = is_apart && (self.awaits_twin(id) || self.is_followed(id, fact));
        let goes_on = self.goes_on() || awaits;
        let state = &mut self.texts[place];
        state.is_again = is_again;
        state.goes_on = goes_on;
        let delta = TextDelta {
            content: text.content(&frame.data),
            escaped: text.escaped,
            is_last,
        };
        let (read, mut changed) = state.push(&delta, &mut scratch, &mut self.edits.bytes, handler);
        self.scratch = scratch;
        if is_apart {
            changed = self.settle_twin_delta(&frame.data, (id, text), (start, changed));
        }
        if !is_again {
            self.reader.report.add_text(read);
        }
        if changed {
            self.edits.add(text.range(), start);
        }
        if self.reader.block.is_some() {
            if !text.is_empty() {
                // Without a number, text is not that of the block that got content last.
                let block = self.reader.block_number(&frame.data);
                self.texts[place].block = Some(block.map_or(id.index(), |(block, _)| block));
            }
            let has_text = if changed {
                self.edits.bytes.len() > start
            } else {
                !text.is_empty()
            };
            self.blocks.text(!text.is_empty(), has_text);
        }
        self.fill_blocks(place, handler);
        changed
    }

    /// Counts a delta of the event. Returns `true` if decided text is not looked for after it, because the event has
    /// many deltas.
    pub(super) const fn goes_on(&mut self) -> bool {
        self.deltas += 1;
        self.deltas > MANY_DELTAS && !self.deltas.is_multiple_of(MANY_DELTAS)
    }

    /// More of a channel's text comes, so that its end is not waited for. If it is in the same event as the text before, a
    /// block ends between them.
    fn go_on(&mut self, place: usize, text: Str) {
        let state = &mut self.texts[place];
        let is_holding = state.is_holding();
        let Some(seams) = &mut state.seams else {
            self.deferred.go_on(state.id);
            return;
        };
        let before = seams.string(self.reader.report.events(), text.range());
        if let Some(before) = before.filter(|_| is_holding) {
            seams.wait(Seam::in_event(before));
        }
    }

    /// Writes text to the blocks that it belongs to and that ended before.
    pub(super) fn fill_blocks(&mut self, place: usize, handler: &mut dyn StreamHandler) {
        while let Some(text) = self.texts.at_mut(place)
            && let Some(seams) = &mut text.seams
            && let Some(seam) = seams.take_written()
        {
            let id = text.id;
            match &seam.string {
                Some(string) if !seam.text.is_empty() => {
                    self.edits.append(string.end, &seam.text);
                }
                None if !seam.text.is_empty() => {
                    let of = Inserted {
                        id,
                        template: &seam.template,
                        block: seam.block,
                        is_text: true,
                        others: &[],
                    };
                    let point = self.deferred.point(id);
                    self.insert(of, &seam.text, point, true, handler);
                }
                _ => {}
            }
            if seam.is_passed && seam.string.is_none() {
                self.deferred.settle(id);
            }
        }
    }

    /// Rewrites a full text, and returns `true` if it changes.
    pub(super) fn whole(
        &mut self,
        frame: &Frame<'_>,
        (id, text, repeats): (TextId, Str, Repeats),
        pending: Option<&mut EventPlan>,
        handler: &mut dyn StreamHandler,
    ) -> bool {
        let has_others = self.has_other_wholes();
        // Two full texts may have one name.
        let is_second = has_others && self.texts.find(id).is_some();
        let repeats = repeats.of_second(is_second);
        let is_repeated = repeats != Repeats::Nothing;
        self.announce(text::position(id, is_repeated), handler);
        if text.is_empty() {
            if let Some(pending) = pending {
                pending.whole_removed.remove(&id);
            }
            if !is_repeated {
                handler.item(Item::ChannelEnd(id.channel));
            }
            return false;
        }
        // A gate repeats its decisions in the copies that follow.
        let is_streamed = self.is_streamed();
        let is_begun = R::WITHHOLDS_UNREAD && !is_repeated && (is_streamed || has_others);
        // Choices of one response are independent of each other, unlike copies in a stream.
        let is_one_answer = is_streamed || self.reader.format() == Some(Format::Tgi);
        let start = self.edits.bytes.len();
        let (words, is_holding) = self.look_ahead(id, repeats);
        let may_go_on = is_holding && repeats == Repeats::All;
        let may_be_forgotten = self.has_forgotten && is_streamed;
        let is_uncertain = may_be_forgotten || is_holding && repeats == Repeats::SoFar;
        if !self.restart_whole(id, text::position(id, is_repeated), is_repeated) {
            return false;
        }
        let Some(rewriter) = &mut self.whole else {
            return false;
        };
        // Offsets beside a text that repeats another one are offsets into that one.
        let is_copy = words.is_some() && is_repeated;
        let has_offsets = pending.as_ref().is_some_and(|pending| pending.has_offsets);
        let mut removed = match (has_offsets || is_begun) && !is_copy {
            true => OffsetShift::of(self.reader.format(), R::WITHHOLDS_UNREAD),
            false => None,
        };
        let written = whole::rewrite_whole(
            &mut **rewriter,
            WholeText {
                id,
                data: &frame.data,
                text,
                more: repeats == Repeats::SoFar,
                is_begun,
                is_repeated,
                may_go_on: may_go_on && pending.is_some(),
                is_uncertain,
                effort: self.guard.as_ref().map_or(0, |guard| guard.effort),
                words,
                texts: self.texts.as_mut_slice(),
                only: (!is_one_answer).then_some(id.channel),
                removed: removed.as_mut(),
            },
            &mut self.scratch,
            &mut self.edits.bytes,
            handler,
        );
        let ended = rewriter.ended().map(|end| (id.channel, end));
        self.note_copy(frame, &written, (is_repeated, may_be_forgotten), handler);
        if is_begun {
            self.begin_with(id, removed.take(), handler);
        }
        if is_repeated {
            self.follow_copy(id);
        } else if !is_streamed && self.wholes_ended.len() < MAX_CHANNELS {
            self.wholes_ended.extend(ended);
        }
        if written.changed {
            self.edits.add(text.range(), start);
        }
        if let Some(pending) = pending {
            if let Some(removed) = removed {
                pending.whole_removed.insert(id, removed);
            }
            pending.end_of_copy(text, written.end);
        }
        if !is_repeated {
            self.reader.report.add_text(written.read);
            handler.item(Item::ChannelEnd(id.channel));
        }
        written.changed
    }

    /// Adopts the decisions about a copy of a text.
    fn follow_copy(&mut self, id: TextId) {
        if let (Some(text), Some(rewriter)) = (self.texts.get_mut(id), &mut self.whole) {
            text.rewriter.follow(rewriter);
        }
    }

    /// Adds a text that came as a whole, with the rewriter that has read it.
    fn begin_with(
        &mut self,
        id: TextId,
        removed: Option<OffsetShift>,
        handler: &mut dyn StreamHandler,
    ) {
        let rewriter = self.whole.as_deref().cloned();
        if let (Some(place), Some(rewriter)) = (self.place(id, handler), rewriter) {
            self.texts[place].rewriter = rewriter;
            self.texts[place].removed = removed;
            self.texts[place].is_whole = true;
        }
    }

    /// Begins a text that is joined from parts, each of which keeps what is held back at its end.
    #[cold]
    pub(super) fn begin_part(
        &mut self,
        data: &[u8],
        (id, text): (TextId, Str),
        pending: &mut EventPlan,
        handler: &mut dyn StreamHandler,
    ) {
        if pending.has_offsets && self.reader.format() == Some(Format::GeminiInteractions) {
            let content = provstream::json::decode(text.content(data), text.escaped);
            pending.part(id, text, content.text.len() as u64);
        }
        if self.texts.find(id).is_none()
            && let Some(place) = self.place(id, handler)
        {
            self.texts[place].seams = Some(Box::new(Seams::new(R::WITHHOLDS_UNREAD)));
        }
    }

    /// Ends the full texts of an event that are joined from parts. Those of a response that is not streamed are dropped.
    pub(super) fn end_wholes(&mut self, found: &[Found]) {
        let has_others = self.has_other_wholes();
        let is_joined = |one: &Found| matches!(one, Found::Text(_, _, piece) if piece.is_joined);
        if !has_others && !found.iter().any(is_joined) {
            return;
        }
        for one in each(found.iter()).filter(|one| is_joined(one)) {
            if let Found::Text(id, ..) = one
                && let Some(text) = self.texts.get_mut(*id)
            {
                text.is_whole = true;
            }
        }
        if !self.is_streamed() {
            self.drop_wholes();
        }
    }

    /// Begins the text of deltas that follow a whole text with their name, and returns its place. The whole text stays as another
    /// text, whose words are looked for in copies.
    #[cold]
    fn begin_after_whole(
        &mut self,
        place: usize,
        handler: &mut dyn StreamHandler,
    ) -> Option<usize> {
        let mut whole = self.texts.remove(place);
        let id = whole.id;
        whole.id.member = Member::Whole;
        whole.is_whole = false;
        self.texts.add(whole);
        self.place(id, handler)
    }

    /// Empties a string, and returns `true` if it changes.
    pub(super) fn empty(&mut self, text: Str) -> bool {
        if !text.is_empty() {
            self.edits.replace(text.range(), b"");
        }
        !text.is_empty()
    }

    /// Empties a value, of the shape that it has.
    pub(super) fn empty_echo(&mut self, frame: &Frame<'_>, value: Raw, shape: Shape) {
        let by: &[u8] = match shape {
            Shape::Plain | Shape::Escaped => b"",
            Shape::Object => b"{}",
            Shape::Array => b"[]",
            Shape::Scalar if matches!(value.bytes(&frame.data), b"null" | b"true" | b"false") => {
                return;
            }
            Shape::Scalar => b"0",
        };
        if value.bytes(&frame.data) != by {
            self.edits.replace(value.range(), by);
        }
    }

    pub(super) fn sequence(&mut self, frame: &Frame<'_>, value: Raw, pending: &mut EventPlan) {
        let digits = core::str::from_utf8(value.bytes(&frame.data)).ok();
        // Other digits, such as `05`, are no number in JSON, and stay.
        let digits = digits.filter(|digits| *digits == "0" || !digits.starts_with(['0', '+']));
        if let Some(number) = digits.and_then(|digits| digits.parse::<u64>().ok()) {
            self.next_sequence = number;
            pending.sequence = Some((value, number));
        }
    }

    /// Moves the offsets of an event, once all of its texts were rewritten; those that cannot be moved yet are added to what
    /// is pending.
    pub(super) fn move_offsets(&mut self, frame: &Frame<'_>, pending: &mut EventPlan) {
        let offsets = core::mem::take(&mut pending.offsets);
        for (channel, value, of_prompt) in each(offsets.into_iter()) {
            let digits = value.bytes(&frame.data);
            let Some((number, is_float)) = whole_number(digits) else {
                continue;
            };
            let base = if of_prompt { self.base(channel) } else { 0 };
            // Offsets into a part count from its start.
            let part = pending.part_start(channel, value);
            let Some(offset) = number.checked_sub(base).map(|offset| offset + part) else {
                continue;
            };
            if self.is_undecided(channel, offset) {
                self.edits.replace(value.range(), digits);
                let number = match of_prompt {
                    true => DeferredNumber::PromptOffset(channel, number),
                    false => DeferredNumber::Offset(channel, number),
                };
                pending.undecided.push((value, number));
                continue;
            }
            let moved = match pending.whole_removed.get(&channel) {
                Some(removed) => removed.moved(offset),
                None => self.moved(channel, offset) - self.moved(channel, part),
            };
            if moved != offset - part {
                let mut by = (base + moved).to_string();
                by.push_str(if is_float { ".0" } else { "" });
                self.edits.replace(value.range(), by.as_bytes());
            }
        }
    }

    /// Returns `true` if a number in an event depends on text that is not decided.
    pub(super) fn is_number_undecided(&self, number: DeferredNumber) -> bool {
        match number {
            DeferredNumber::Offset(channel, offset) => self.is_undecided(channel, offset),
            DeferredNumber::PromptOffset(channel, offset) => {
                self.is_undecided(channel, offset - self.base(channel))
            }
            DeferredNumber::Block(_) | DeferredNumber::Beside(_) | DeferredNumber::Sequence(_) => {
                false
            }
        }
    }

    /// Returns the offset at which a text begins, for offsets that count from the start of the prompt.
    pub(super) fn base(&self, channel: TextId) -> u64 {
        let mut bases = self.bases.iter();
        bases
            .find(|(of, _)| *of == channel)
            .map_or(0, |(_, base)| *base)
    }

    /// Records the start of each text for which the event has the first offset that may count from the start of the
    /// prompt.
    ///
    /// Such offsets begin where the text does, which shows how long the prompt is: those of tokens that come with the first text,
    /// and those of a filter that has read nothing so far and begins at the same place.
    #[cold]
    pub(super) fn find_bases(&mut self, frame: &Frame<'_>, found: &[Found]) {
        let offsets = found.iter().filter_map(|one| match one {
            Found::Offset(channel, value, true) => {
                let (number, _) = whole_number(value.bytes(&frame.data))?;
                Some((*channel, number))
            }
            _ => None,
        });
        let mut all: SmallVec<[(TextId, u64); 4]> = offsets.collect();
        all.sort_unstable();
        for of in all.chunk_by(|(one, _), (other, _)| one == other) {
            let [(channel, least), rest @ ..] = of else {
                continue;
            };
            if self.bases.len() == MAX_CHANNELS || self.bases.iter().any(|(of, _)| of == channel) {
                continue;
            }
            let mut texts = self.texts.iter().filter(|text| text.id == *channel);
            let taken = texts.next().and_then(|text| text.removed.as_ref());
            let taken = taken.map_or(0, |removed| removed.taken());
            let is_start = rest.first().is_some_and(|(_, second)| second == least);
            let is_of_filter = channel.member == Member::Content;
            let is_base = taken == 0 || (is_start && is_of_filter);
            self.bases
                .push((*channel, if is_base { *least } else { 0 }));
        }
    }

    /// Has the rewriter of texts that are strings of their own begin one, which repeats that of its channel or not; whether
    /// there is such a rewriter, which is always.
    pub(super) fn restart_whole(
        &mut self,
        id: TextId,
        position: ChannelPosition,
        repeats: bool,
    ) -> bool {
        if self.whole.is_none() {
            self.whole = self.begin_next(position).map(Box::new);
        }
        let (Some(rewriter), texts) = (&mut self.whole, &self.texts) else {
            return false;
        };
        let before = texts.get(id).filter(|_| repeats);
        match &self.fresh {
            Some(fresh) => rewriter.restart(fresh, position, before.map(|text| &text.rewriter)),
            None => rewriter.renew(),
        }
        if let Some(before) = before {
            rewriter.repeat_sources(&before.rewriter);
        }
        true
    }

    /// Returns a new rewriter for a text at `position`, from the prototype or from the first text, one of which
    /// always exists.
    pub(super) fn begin_next(&self, position: ChannelPosition) -> Option<R> {
        if let Some(fresh) = &self.fresh {
            return Some(fresh.begin(position));
        }
        let mut next = self.texts.first()?.rewriter.clone();
        next.renew();
        Some(next)
    }

    /// Returns `true` if some text before an offset is held back that is yet to be decided.
    pub(super) fn is_undecided(&self, channel: TextId, offset: u64) -> bool {
        let text = self.texts.get(channel).filter(|text| text.is_holding());
        let removed = text.and_then(|text| text.removed.as_ref());
        removed.is_some_and(|removed| removed.is_undecided(offset))
    }

    /// Returns the offset in the written text of an offset in the source text.
    pub(super) fn moved(&self, channel: TextId, offset: u64) -> u64 {
        let text = self.texts.get(channel);
        let removed = text.and_then(|text| text.removed.as_ref());
        removed.map_or(offset, |removed| removed.moved(offset))
    }

    /// The place of a channel's text, which begins if it has not. There is always one.
    pub(super) fn place(&mut self, id: TextId, handler: &mut dyn StreamHandler) -> Option<usize> {
        let place = self.texts.find(id);
        if place.is_some() {
            return place;
        }
        if self.texts.len() == MAX_CHANNELS {
            // The reader allows for no more that are open, so one of them has ended.
            let reader = &self.reader;
            let is_over = |text: &Text<R>| !reader.is_open(text.id);
            let is_needed = |text: &Text<R>| text.rewriter.withholds();
            let over = self.texts.oldest(|text| is_over(text) && !is_needed(text));
            let over = over.or_else(|| self.texts.oldest(is_over)).unwrap_or(0);
            let (over, position) = (self.texts[over].id, self.position);
            self.make_room(over, handler);
            if let Some(position) = position {
                self.announce(position, handler);
            }
            if let Some(place) = self.texts.find(over) {
                let over = self.texts.remove(place);
                self.has_forgotten |= over.rewriter.withholds();
            }
        }
        let rewriter = self.begin_next(text::position(id, false))?;
        let removed = OffsetShift::of(self.reader.format(), R::WITHHOLDS_UNREAD);
        let removed = match rewriter.has_markers() {
            true => removed.map(OffsetShift::with_markers),
            false => removed,
        };
        if R::RENEWS {
            self.fresh = None;
        }
        let mut text = Text::new(id, rewriter, removed);
        let format = self.reader.format();
        if format.is_some_and(|format| format.automaton().table.one_text) {
            text.seams = Some(Box::new(Seams::new(R::WITHHOLDS_UNREAD)));
        }
        Some(self.texts.add(text))
    }
}

/// A number that is whole, however it is written, and whether it is written as one with a fraction or an exponent.
fn whole_number(token: &[u8]) -> Option<(u64, bool)> {
    const MOST: f64 = (1_u64 << 53) as f64;
    let token = core::str::from_utf8(token).ok()?;
    if let Ok(number) = token.parse() {
        return (!token.starts_with('+')).then_some((number, false));
    }
    let number: f64 = token.parse().ok()?;
    let is_whole = (0.0..=MOST).contains(&number) && number.fract() == 0.0;
    is_whole.then_some((number as u64, true))
}
