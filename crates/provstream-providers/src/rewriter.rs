//! The same response with the annotations in its text removed or replaced.

use core::ops::Range;
use std::borrow::Cow;

use super::blocks::{BlockEvent, Blocks};
use super::counting::{Counting, Verdict};
use super::deferred::{Deferred, MAX_DEFERRED, Point};
use super::found::{Found, Raw, Repeats, Str};
use super::frame::{Frame, Kind, Piece};
use super::framer::Framer;
use super::item::{Item, Notice, NoticeCode};
use super::message;
use super::reader::{MAX_CHANNELS, Reader};
use super::removed::Removed;
use super::report::ReadReport;
use super::sse::DEFAULT_MAX_EVENT;
use super::template::{Added, Envelope};
use super::text::{self, Delta, Scratch, Text};
use super::{Channel, ChannelPosition, Format, IntoStreamHandler, StreamHandler};
use provstream::{Handler as _, Parser, Rewriter};
use smallvec::SmallVec;

/// Bytes that events commonly need; memory for more is given back.
const USUAL: usize = 1 << 12;

/// Rewrites a provider's response, streamed or not: keeps, removes or replaces the annotations in its text.
///
/// What changes is the text of deltas, the places that repeat it, and what points into it (`docs/providers.md` has the
/// list); every other byte stays. A delta without change keeps its bytes, escapes as they are, and one that loses all its
/// text stays with an empty string. Text that was held back because it could have become an annotation, and did not, comes
/// in the channel's next delta; at its end, in an added event with the identifiers of the last one, before the event that
/// ends the channel. An event is written when it is complete; one that ends a channel of which text is held back, when it
/// is certain that no more of it follows.
///
/// Events that are not JSON or longer than the limit are written as they are. [`report`](Self::report) counts them: their
/// annotations are still in them.
#[derive(Clone, Debug)]
pub struct StreamRewriter {
    framer: Framer,
    state: State,
}

/// What the rewriter knows between two events.
#[derive(Clone, Debug)]
struct State {
    reader: Reader,
    counting: Counting,
    /// What each channel begins with.
    fresh: Rewriter,
    /// For texts that repeat others.
    whole: Option<Box<Rewriter>>,
    texts: Vec<Text>,
    scratch: Scratch,
    edits: Edits,
    deferred: Deferred,
    blocks: Blocks,
    /// What was announced to the handler.
    position: Option<ChannelPosition>,
    envelope: Kind,
    line_end: &'static str,
    /// The last byte written ended a line.
    at_line_start: bool,
    /// The last byte written that is not white space ended an object.
    after_element: bool,
    /// Bytes of an event that is too long are coming.
    passing: bool,
    /// How many events were added to a stream whose events are numbered.
    added: u64,
    /// The number of the next event of such a stream.
    next_sequence: u64,
    /// The event with its text rewritten; empty between events.
    out: Vec<u8>,
}

/// The strings and values of an event that change.
#[derive(Clone, Debug, Default)]
struct Edits {
    /// Where in the event's data, and where in `bytes` is what takes its place.
    places: Vec<(Range<u32>, Range<u32>)>,
    bytes: Vec<u8>,
}

impl Edits {
    fn clear(&mut self) {
        self.places.clear();
        self.bytes.clear();
    }

    /// What was appended to `bytes` from `start` on takes the place of a range of the data.
    fn add(&mut self, place: Range<usize>, start: usize) {
        let place = place.start as u32..place.end as u32;
        self.places
            .push((place, start as u32..self.bytes.len() as u32));
    }

    /// Replaces what takes the place of a range.
    fn renew(&mut self, place: &Range<usize>, by: &[u8]) {
        let start = self.bytes.len();
        self.bytes.extend_from_slice(by);
        let is_there = |edit: &&mut (Range<u32>, Range<u32>)| edit.0.start as usize == place.start;
        if let Some((_, range)) = self.places.iter_mut().find(is_there) {
            *range = start as u32..self.bytes.len() as u32;
        }
    }

    fn replace(&mut self, place: Range<usize>, by: &[u8]) {
        let start = self.bytes.len();
        self.bytes.extend_from_slice(by);
        self.add(place, start);
    }
}

impl StreamRewriter {
    /// A rewriter of responses of this format, whose channels are each read by a parser set up like `parser`, which is at
    /// the start of a stream.
    #[must_use]
    pub fn new(format: Format, parser: Parser) -> Self {
        Self::of(Some(format), parser)
    }

    /// The same for responses whose format is found out from the events; those before the first evidence are written as
    /// they are.
    #[must_use]
    pub fn detect(parser: Parser) -> Self {
        Self::of(None, parser)
    }

    fn of(format: Option<Format>, parser: Parser) -> Self {
        Self {
            framer: Framer::new(DEFAULT_MAX_EVENT),
            state: State {
                reader: Reader::new(format),
                counting: Counting::default(),
                fresh: Rewriter::new(parser),
                whole: None,
                texts: Vec::new(),
                scratch: Scratch::default(),
                edits: Edits::default(),
                deferred: Deferred::default(),
                blocks: Blocks::default(),
                position: None,
                envelope: Kind::Sse,
                line_end: "\n",
                at_line_start: true,
                after_element: false,
                passing: false,
                added: 0,
                next_sequence: 0,
                out: Vec::new(),
            },
        }
    }

    /// The same with at most `bytes` for one event; [`DEFAULT_MAX_EVENT`] unless set. To be called before anything is
    /// pushed.
    #[must_use]
    pub fn with_max_event(mut self, bytes: usize) -> Self {
        self.framer = self.framer.with_max_event(bytes);
        self
    }

    /// The format: what was asked for, or what the events showed so far.
    #[must_use]
    pub const fn format(&self) -> Option<Format> {
        self.state.reader.format()
    }

    /// How much of the response was read so far.
    #[must_use]
    pub const fn report(&self) -> &ReadReport {
        &self.state.reader.report
    }

    /// Bytes taken so far: the offset of the next one in the response.
    #[must_use]
    pub fn position(&self) -> u64 {
        self.framer.position()
    }

    /// Takes the next bytes of the response.
    pub fn push<M>(&mut self, chunk: &[u8], handler: impl IntoStreamHandler<M>) {
        let (state, mut handler) = (&mut self.state, handler.into_stream_handler());
        self.framer.push(chunk, &mut |kind, piece| {
            state.take(kind, &piece, &mut handler);
        });
    }

    /// Writes what was held back at the end of the response. Before another one, [`reset`](Self::reset) the rewriter.
    pub fn finish<M>(&mut self, handler: impl IntoStreamHandler<M>) {
        let (state, mut handler) = (&mut self.state, handler.into_stream_handler());
        self.framer.finish(&mut |kind, piece| {
            state.take(kind, &piece, &mut handler);
        });
        if !state.counting.is_settled() {
            let counts = state.counting.finish();
            state.settle_counting(counts, &mut handler);
        }
        state.close(false, &mut handler);
        handler.report(&state.reader.report);
        handler.end();
    }

    /// Back to the start of a response with the same settings.
    pub fn reset(&mut self) {
        self.framer.reset();
        let state = &mut self.state;
        state.reader.reset();
        state.counting = Counting::default();
        state.texts.clear();
        state.deferred.clear();
        state.blocks = Blocks::default();
        state.position = None;
        state.line_end = "\n";
        state.at_line_start = true;
        state.after_element = false;
        state.passing = false;
        state.added = 0;
        state.next_sequence = 0;
    }
}

impl State {
    fn take(&mut self, envelope: Kind, piece: &Piece<'_>, handler: &mut impl StreamHandler) {
        if self.counting.is_settled() || self.is_read_now(envelope, piece, handler) {
            self.take_now(envelope, piece, handler);
        }
    }

    /// Whether a piece is not held back until it is known what the numbers of choices are.
    #[cold]
    fn is_read_now(
        &mut self,
        envelope: Kind,
        piece: &Piece<'_>,
        handler: &mut impl StreamHandler,
    ) -> bool {
        let verdict = self.counting.judge(envelope, piece, self.reader.format());
        if let Verdict::Settled(counts) = verdict {
            self.settle_counting(counts, handler);
        }
        verdict != Verdict::Hold
    }

    /// Rewrites the events that were held back until it is known what the numbers of choices are.
    fn settle_counting(&mut self, counts: bool, handler: &mut impl StreamHandler) {
        if counts {
            self.reader.set_counted();
        }
        for (envelope, piece) in self.counting.take_held().pieces() {
            self.take_now(envelope, &piece, handler);
        }
    }

    #[inline(always)] // A call costs 1 % of an event.
    fn take_now(&mut self, envelope: Kind, piece: &Piece<'_>, handler: &mut impl StreamHandler) {
        self.envelope = envelope;
        match piece {
            Piece::Event(frame) => self.rewrite(frame, false, handler),
            Piece::Other(text) => self.write(text.bytes(), handler),
            Piece::Passed(text) => {
                // It may have text of any channel, which comes after what is held back.
                if !core::mem::replace(&mut self.passing, true) {
                    self.close(true, handler);
                }
                self.write(text.bytes(), handler);
            }
            Piece::Oversized(span) => {
                self.passing = false;
                self.notice(Notice::new(NoticeCode::OversizedEvent, *span), handler);
            }
            Piece::Unterminated(frame) => {
                // Clients that take it for an event read its text.
                self.rewrite(frame, true, handler);
                self.close(false, handler);
            }
            Piece::Close(text) => {
                self.close(false, handler);
                self.write(text.bytes(), handler);
            }
            Piece::Encoded(code, span) => self.notice(Notice::new(*code, *span), handler),
        }
    }

    fn notice(&mut self, notice: Notice, handler: &mut impl StreamHandler) {
        self.reader.report.add_notice(notice.code());
        handler.item(Item::Notice(notice));
    }

    /// Writes bytes of the response, after those that are held back.
    fn write(&mut self, bytes: &[u8], handler: &mut impl StreamHandler) {
        if self.deferred.is_empty() {
            return self.write_now(bytes, handler);
        }
        self.deferred.bytes.extend_from_slice(bytes);
        if self.deferred.bytes.len() > MAX_DEFERRED {
            self.settle_all(handler);
        }
    }

    fn write_now(&mut self, bytes: &[u8], handler: &mut impl StreamHandler) {
        if let Some(&last) = bytes.last() {
            // In lines of JSON a CR is white space.
            self.at_line_start = last == b'\n' || last == b'\r' && self.envelope == Kind::Sse;
            if self.envelope == Kind::Array {
                self.after_element = match bytes.trim_ascii_end().last() {
                    Some(&last) => last == b'}',
                    None => self.after_element,
                };
            }
            handler.bytes(bytes);
        }
    }

    /// Rewrites an event, which is the last of a stream that ends within it or not.
    fn rewrite(&mut self, frame: &Frame<'_>, is_final: bool, handler: &mut impl StreamHandler) {
        self.line_end = match frame.raw {
            [.., b'\r', b'\n'] | [.., b'\r', b'\n', b'\r'] => "\r\n",
            [.., b'\r'] => "\r",
            _ => "\n",
        };
        let is_streamed = matches!(self.envelope, Kind::Sse | Kind::Array);
        let mut odd = self.reader.read(&frame.data, is_streamed);
        if is_final && odd == Some(NoticeCode::MalformedEvent) {
            odd = Some(NoticeCode::UnterminatedEvent);
        }
        if let Some(code) = odd {
            self.reader.report.add_notice(code);
        }
        let found = core::mem::take(&mut self.reader.found);
        if found.is_empty() && odd.is_none() {
            handler.item(Item::Other(frame.span()));
        }
        self.edits.clear();
        let mut pending = Pending {
            last_texts: last_texts(&found),
            ..Pending::default()
        };
        for (place, one) in found.iter().enumerate() {
            self.apply(frame, one, (&found, place), &mut pending, handler);
        }
        if is_final {
            // Nothing can be added after it.
            for text in &self.texts {
                if self.reader.is_open(text.channel) && text.is_holding() {
                    pending.wait(text.channel, &found);
                }
            }
        }
        for (channel, text) in &pending.repeatable {
            let mut texts = self.texts.iter_mut();
            let state = texts.find(|state| state.channel == *channel && state.is_holding());
            if let Some(state) = state {
                state.template.keep(frame, text.range());
            }
        }
        if let Some(code) = odd {
            handler.item(Item::Notice(Notice::new(code, frame.span())));
        }
        if self.reader.may_be_of_block() {
            self.note_block(frame, &found);
        }
        if !self.deferred.is_waiting() && !self.deferred.is_empty() {
            self.release_decided(handler);
        }
        self.write_event(frame, &pending, handler);
        self.reader.found = found;
        self.trim();
    }

    /// Gives back memory that an unusual event needed.
    fn trim(&mut self) {
        self.reader.trim();
        if self.out.capacity() > USUAL || self.edits.bytes.capacity() > USUAL {
            self.edits = Edits::default();
            self.out = Vec::new();
            self.scratch = Scratch::default();
        }
        if self.deferred.is_empty() && self.deferred.bytes.capacity() > USUAL {
            self.deferred = Deferred::default();
        }
    }

    /// Does what one thing that an event says asks for; with all that it says, and the place of that one.
    fn apply(
        &mut self,
        frame: &Frame<'_>,
        found: &Found,
        (all, place): (&[Found], usize),
        pending: &mut Pending,
        handler: &mut impl StreamHandler,
    ) {
        match *found {
            Found::Text(channel, text, repeatable) => {
                let is_last = pending.last_texts.binary_search(&place).is_ok();
                if self.text(frame, (channel, text), is_last, handler) {
                    pending.change(channel);
                }
                if repeatable && !text.is_empty() {
                    pending.repeatable(channel, text);
                }
            }
            Found::Whole(channel, text, repeats) => {
                if self.whole(frame, (channel, text), repeats, handler) {
                    pending.change(channel);
                }
            }
            Found::Quote(channel, text) => {
                self.whole(frame, (channel, text), Repeats::All, handler);
            }
            Found::Reasoning(_, text) => self.reader.report.add_reasoning(text.range().len()),
            Found::Break(channel) => self.end(channel, true, handler),
            Found::BreakAll => {
                for place in 0..self.texts.len() {
                    self.end(self.texts[place].channel, true, handler);
                }
            }
            Found::Finish(channel) => {
                let mut texts = self.texts.iter();
                if texts.any(|text| text.channel == channel && text.is_holding()) {
                    pending.wait(channel, all);
                }
            }
            Found::End(channel) => {
                self.end(channel, true, handler);
                self.blocks.close();
                handler.item(Item::ChannelEnd(channel));
            }
            Found::Logprobs(channel, value) => pending.logprobs.push((channel, value)),
            Found::Sequence(value) => self.sequence(frame, value, pending),
            Found::Offset(channel, value) => self.offset(frame, channel, value),
            Found::Error(error) => {
                let message = message::of(error.bytes(&frame.data));
                handler.item(Item::Error(Cow::Borrowed(&message)));
            }
            Found::Done => handler.item(Item::End),
            Found::Tool(..) | Found::ToolJson(..) | Found::Element(_) => {}
        }
    }

    /// Announces what the next calls are about.
    fn announce(&mut self, position: ChannelPosition, handler: &mut impl StreamHandler) {
        if self.position != Some(position) {
            self.position = Some(position);
            handler.channel(position);
        }
    }

    /// Rewrites a delta; whether it changes.
    fn text(
        &mut self,
        frame: &Frame<'_>,
        (channel, text): (Channel, Str),
        is_last: bool,
        handler: &mut impl StreamHandler,
    ) -> bool {
        self.announce(Text::position(channel, false), handler);
        if !text.is_empty() {
            self.deferred.settle(channel);
        }
        let start = self.edits.bytes.len();
        let mut scratch = core::mem::take(&mut self.scratch);
        let place = self.place(channel);
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

    /// Notes what an event is to its text block, and where the number of the block is.
    #[cold]
    fn note_block(&mut self, frame: &Frame<'_>, found: &[Found]) {
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
            if self.blocks.is_active() {
                // What takes its place is known when it is known whether the event is held back.
                self.edits.replace(digits.clone(), b"");
                self.blocks.set_named(number, digits);
            }
        }
        self.reader.want_blocks(self.blocks.is_active());
    }

    /// Removes the blocks of a message that is not streamed that lose all their text.
    fn remove_elements(&mut self, frame: &Frame<'_>, found: &[Found]) {
        let removed = super::elements::emptied(&frame.data, found, |text| {
            let mut places = self.edits.places.iter();
            let edit =
                places.find(|(place, _)| place.start as usize == text.start && !place.is_empty());
            edit.is_some_and(|(_, by)| by.is_empty())
        });
        for run in &removed {
            self.edits.replace(run.bytes.clone(), b"");
            self.blocks.remove(&run.numbers);
        }
    }

    /// Rewrites a text of its own; whether it changes.
    fn whole(
        &mut self,
        frame: &Frame<'_>,
        (channel, text): (Channel, Str),
        repeats: Repeats,
        handler: &mut impl StreamHandler,
    ) -> bool {
        let is_repeated = repeats != Repeats::Nothing;
        self.announce(Text::position(channel, is_repeated), handler);
        let start = self.edits.bytes.len();
        let fresh = &self.fresh;
        let rewriter = self.whole.get_or_insert_with(|| Box::new(fresh.clone()));
        let (read, changed) = text::rewrite_whole(
            rewriter,
            (&frame.data, text),
            repeats == Repeats::SoFar,
            is_repeated,
            &mut self.scratch,
            &mut self.edits.bytes,
            handler,
        );
        if changed {
            self.edits.add(text.range(), start);
        }
        if !is_repeated {
            self.reader.report.add_text(read);
            handler.item(Item::ChannelEnd(channel));
        }
        changed
    }

    fn sequence(&mut self, frame: &Frame<'_>, value: Raw, pending: &mut Pending) {
        let digits = core::str::from_utf8(value.bytes(&frame.data)).ok();
        if let Some(number) = digits.and_then(|digits| digits.parse::<u64>().ok()) {
            self.next_sequence = number;
            pending.sequence = Some((value, number));
        }
    }

    fn offset(&mut self, frame: &Frame<'_>, channel: Channel, value: Raw) {
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

    /// The place of a channel's text, which begins if it has not.
    fn place(&mut self, channel: Channel) -> usize {
        if let Some(place) = self.texts.iter().position(|text| text.channel == channel) {
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
        let removed = Removed::of(self.reader.format());
        self.texts
            .push(Text::new(channel, self.fresh.clone(), removed));
        self.texts.len() - 1
    }

    /// Ends all channels that are open, and writes what they held back; more of an event follows it or not.
    fn close(&mut self, is_before_event: bool, handler: &mut impl StreamHandler) {
        self.reader.found.clear();
        self.reader.close();
        let found = core::mem::take(&mut self.reader.found);
        for one in &found {
            if let Found::End(channel) = *one {
                self.end(channel, is_before_event, handler);
                handler.item(Item::ChannelEnd(channel));
            }
        }
        self.reader.found = found;
        self.blocks.close();
        self.settle_all(handler);
    }

    /// Ends a text, and writes what it held back: with the events held back or in an event of its own, which another one
    /// follows or not.
    fn end(&mut self, channel: Channel, is_before_event: bool, handler: &mut impl StreamHandler) {
        let Some(place) = self.texts.iter().position(|text| text.channel == channel) else {
            return;
        };
        self.announce(Text::position(channel, false), handler);
        let mut scratch = core::mem::take(&mut self.scratch);
        let rest = self.texts[place].finish(&mut scratch, handler);
        let point = self.deferred.settle(channel);
        if !rest.is_empty() {
            self.insert(place, rest, point, is_before_event, handler);
        }
        self.texts[place].template.clear();
        self.scratch = scratch;
    }

    fn insert(
        &mut self,
        place: usize,
        rest: &[u8],
        point: Option<Point>,
        is_before_event: bool,
        handler: &mut impl StreamHandler,
    ) {
        let Some(format) = self.reader.format() else {
            return;
        };
        let mut out = core::mem::take(&mut self.out);
        if let Some(Point::InString(at)) = point {
            if let Some(block) = self.deferred.block_at(Point::InString(at)) {
                self.blocks.has_text(block);
            }
            super::escape::push_content(&mut out, rest);
            self.deferred.insert(at, &out);
        } else {
            let is_before_event = is_before_event || point.is_some();
            let is_numbered = format == Format::OpenAiResponses;
            let added = Added {
                format,
                channel: self.texts[place].channel,
                text: rest,
                block: point
                    .and_then(|point| self.deferred.block_at(point))
                    .or(self.blocks.current()),
                sequence: is_numbered.then_some(self.next_sequence + self.added),
                envelope: match self.envelope {
                    Kind::Sse => Envelope::Sse(self.line_end),
                    Kind::Lines | Kind::Body => Envelope::Lines,
                    Kind::Array => Envelope::Array,
                },
            };
            self.added += u64::from(is_numbered);
            let before = match self.envelope {
                _ if point.is_some() || !self.deferred.is_empty() => "",
                Kind::Lines | Kind::Body if !self.at_line_start => "\n",
                Kind::Sse if !self.at_line_start => self.line_end,
                Kind::Array if self.after_element => ",",
                _ => "",
            };
            out.extend_from_slice(before.as_bytes());
            let mut number = self.texts[place].template.write(&added, &mut out);
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
            let at = match point {
                Some(Point::Before(at)) => {
                    self.deferred.insert(at, &out);
                    at
                }
                _ => {
                    let at = self.deferred.bytes.len();
                    self.write(&out, handler);
                    at
                }
            };
            if let Some(block) = block
                && self.blocks.is_active()
            {
                self.blocks.has_text(block);
                if !self.deferred.is_empty() {
                    let digits = at + number.start..at + number.end;
                    self.deferred.mark(at..at + out.len(), digits, block);
                }
            }
        }
        out.clear();
        self.out = out;
    }

    /// Ends what the events held back wait for, and writes them.
    fn settle_all(&mut self, handler: &mut impl StreamHandler) {
        while let Some(channel) = self.deferred.waiting() {
            self.end(channel, true, handler);
            self.deferred.settle(channel);
        }
        if !self.deferred.is_empty() {
            self.release(handler);
        }
    }

    /// Writes the events held back if nothing can be added to them or removed from them.
    fn release_decided(&mut self, handler: &mut impl StreamHandler) {
        let is_of_block = self.blocks.has_named();
        if !self.blocks.is_holding() || !(is_of_block || self.blocks.is_undecided()) {
            self.release(handler);
        }
    }

    /// Writes the events held back, but for those of blocks that lost all their text.
    fn release(&mut self, handler: &mut impl StreamHandler) {
        let (blocks, removed) = (self.blocks.clone(), self.blocks.settle());
        let renumber = |number: u32| {
            let before = removed.iter().filter(|removed| **removed < number).count() as u32;
            let number_now = blocks.renumbered(number).unwrap_or(number);
            let number_now = number_now.checked_sub(before)?;
            (number_now != number).then_some(number_now)
        };
        let mut bytes = self.deferred.take(&removed, renumber);
        self.write_now(&bytes, handler);
        bytes.clear();
        self.deferred.bytes = bytes;
    }

    /// Writes an event with some of it replaced, or holds it back.
    fn write_event(
        &mut self,
        frame: &Frame<'_>,
        pending: &Pending,
        handler: &mut impl StreamHandler,
    ) {
        pending.edit(&mut self.edits, frame, self.added);
        if let Some((_, number)) = pending.sequence {
            self.next_sequence = number.saturating_add(1);
        }
        if self.edits.places.is_empty() && pending.waits.is_empty() {
            return self.write(frame.raw, handler);
        }
        let block = self.blocks.take_named();
        let is_held =
            !pending.waits.is_empty() || !self.deferred.is_empty() || self.blocks.is_holding();
        if let Some((number, digits)) = &block {
            let number = match self.blocks.renumbered(*number) {
                Some(number) if !is_held => number,
                _ => *number,
            };
            self.edits.renew(digits, number.to_string().as_bytes());
        }
        self.edits.places.sort_by_key(|(place, _)| place.start);
        let mut out = core::mem::take(&mut self.out);
        let start = self.deferred.bytes.len();
        let mut at = 0;
        let mut digits = 0..0;
        for (place, by) in &self.edits.places {
            let place = place.start as usize..place.end as usize;
            let raw = match frame.in_raw(place.clone()) {
                // What is in an element that is removed goes with it.
                Some(raw) if raw.start >= at => raw,
                _ => continue,
            };
            out.extend_from_slice(frame.raw.get(at..raw.start).unwrap_or_default());
            out.extend_from_slice(&self.edits.bytes[by.start as usize..by.end as usize]);
            at = raw.end;
            if let Some((_, of)) = &block
                && *of == place
            {
                digits = out.len() - by.len()..out.len();
            }
            for (channel, end) in &pending.waits {
                if *end == Some(place.end) {
                    self.deferred
                        .wait(*channel, Point::InString(start + out.len()));
                }
            }
        }
        out.extend_from_slice(frame.raw.get(at..).unwrap_or_default());
        for (channel, _) in &pending.waits {
            self.deferred.wait(*channel, Point::Before(start));
        }
        if !is_held {
            self.write_now(&out, handler);
        } else {
            self.deferred.bytes.extend_from_slice(&out);
            if let Some((number, _)) = block
                && !digits.is_empty()
            {
                let digits = start + digits.start..start + digits.end;
                self.deferred.mark(start..start + out.len(), digits, number);
            }
            if self.deferred.bytes.len() > MAX_DEFERRED {
                self.settle_all(handler);
            }
        }
        out.clear();
        self.out = out;
        if self.blocks.is_holding() && !self.blocks.is_undecided() && !self.deferred.is_waiting() {
            self.release(handler);
        }
    }
}

/// What is to be done with an event once all that it says is known.
#[derive(Default)]
struct Pending {
    /// The places of texts that are the last of their channel.
    last_texts: SmallVec<[usize; 2]>,
    /// The channels that it may end and of which text is held back, and where its last text of each ends.
    waits: SmallVec<[(Channel, Option<usize>); 1]>,
    /// The channels whose text in it changed.
    changed: SmallVec<[Channel; 2]>,
    logprobs: SmallVec<[(Channel, Raw); 1]>,
    /// The last text of each channel that can be repeated with other text.
    repeatable: SmallVec<[(Channel, Str); 1]>,
    /// Its number, and where it is.
    sequence: Option<(Raw, u64)>,
}

impl Pending {
    /// Notes the last text of a channel that can be repeated with other text.
    fn repeatable(&mut self, channel: Channel, text: Str) {
        match self.repeatable.iter_mut().find(|(of, _)| *of == channel) {
            Some((_, last)) => *last = text,
            None => self.repeatable.push((channel, text)),
        }
    }

    fn change(&mut self, channel: Channel) {
        if self.changed.last() != Some(&channel) {
            self.changed.push(channel);
        }
    }

    fn wait(&mut self, channel: Channel, found: &[Found]) {
        let texts = found.iter().rev().filter_map(|found| match found {
            Found::Text(of, text, _) if *of == channel && !text.is_empty() => {
                Some(text.range().end)
            }
            _ => None,
        });
        self.waits.push((channel, texts.into_iter().next()));
    }

    /// Adds the edits that follow from others.
    fn edit(&self, edits: &mut Edits, frame: &Frame<'_>, added: u64) {
        let mut changed = self.changed.clone();
        changed.sort_unstable();
        for (channel, value) in &self.logprobs {
            // They repeat the tokens of the text before.
            if changed.binary_search(channel).is_ok() {
                let is_list = value.bytes(&frame.data).starts_with(b"[");
                edits.replace(value.range(), if is_list { b"[]" } else { b"null" });
            }
        }
        if let (Some((value, number)), 1..) = (self.sequence, added) {
            let number = number.saturating_add(added);
            edits.replace(value.range(), number.to_string().as_bytes());
        }
        for end in self.waits.iter().filter_map(|(_, end)| *end) {
            if edits
                .places
                .iter()
                .all(|(place, _)| place.end as usize != end)
            {
                edits.replace(end..end, b"");
            }
        }
    }
}

/// The places of the texts in an event that are the last of their channel before its end, or before something else of it.
fn last_texts(found: &[Found]) -> SmallVec<[usize; 2]> {
    let mut last = SmallVec::new();
    if !found.iter().any(is_end) {
        return last;
    }
    // Those that end after the place that is looked at.
    let mut ending: SmallVec<[Channel; 4]> = SmallVec::new();
    let mut all_end = false;
    let mut went_on: SmallVec<[Channel; 4]> = SmallVec::new();
    for (place, found) in found.iter().enumerate().rev() {
        match found {
            Found::BreakAll => {
                all_end = true;
                went_on.clear();
            }
            Found::Break(channel) | Found::End(channel) if !ending.contains(channel) => {
                ending.push(*channel);
            }
            Found::Text(channel, text, _) if !text.is_empty() => {
                let of = ending.iter().position(|ending| ending == channel);
                let by_all = all_end && !went_on.contains(channel);
                if of.is_some() || by_all {
                    last.push(place);
                }
                if let Some(of) = of {
                    ending.swap_remove(of);
                }
                if by_all {
                    went_on.push(*channel);
                }
            }
            _ => {}
        }
    }
    last.reverse();
    last
}

const fn is_end(found: &Found) -> bool {
    matches!(found, Found::Break(_) | Found::BreakAll | Found::End(_))
}
