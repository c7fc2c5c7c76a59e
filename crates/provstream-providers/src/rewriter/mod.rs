//! The same response with the annotations in its text removed or replaced.

mod edits;
mod insert;
mod pending;
mod texts;
mod thoughts;
mod write;

use std::borrow::Cow;

use self::edits::Edits;
use self::pending::{Pending, last_texts};
use self::thoughts::Thoughts;
use crate::blocks::Blocks;
use crate::counting::{Counting, Verdict};
use crate::deferred::Deferred;
use crate::found::{Found, Repeats};
use crate::frame::{Frame, Kind, Piece};
use crate::framer::Framer;
use crate::item::{Item, Notice, NoticeCode};
use crate::message;
use crate::reader::Reader;
use crate::reasoning::Reasoning;
use crate::report::ReadReport;
use crate::sse::DEFAULT_MAX_EVENT;
use crate::text::{Scratch, Text};
use crate::{ChannelPosition, Format, IntoStreamHandler, StreamHandler};
use provstream::{Handler as _, Parser, Rewriter};

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
    /// Nothing if reasoning is left as it is.
    thoughts: Option<Box<Thoughts>>,
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
                thoughts: None,
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

    /// The same with this done with reasoning, which is [left](Reasoning::Leave) unless set. To be called before anything
    /// is pushed.
    #[must_use]
    pub fn with_reasoning(mut self, mode: Reasoning) -> Self {
        let leaves = mode == Reasoning::Leave;
        self.state.thoughts = (!leaves).then(|| {
            Box::new(Thoughts {
                mode,
                is_final: false,
                texts: Vec::new(),
            })
        });
        self.state.reader.wants_reasoning = !leaves;
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
        if let Some(thoughts) = &mut state.thoughts {
            thoughts.texts.clear();
        }
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
        if self.thoughts.is_some() {
            self.rewrite_thoughts((frame, is_final), &found, &mut pending, handler);
        }
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
            Found::Reasoning(_, text, false) | Found::ReasoningWhole(_, text, false) => {
                self.reader.report.add_reasoning(text.range().len());
            }
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
            Found::Tool(..)
            | Found::ToolJson(..)
            | Found::Element(_)
            | Found::Reasoning(..)
            | Found::ReasoningWhole(..)
            | Found::ReasoningEnd(_) => {}
        }
    }
}
