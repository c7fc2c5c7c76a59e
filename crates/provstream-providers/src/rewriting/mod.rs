//! Rewrites a response: one rewriter or gate for each text.

mod alone;
mod apply;
mod channels;
mod copies;
mod edits;
mod guarded;
mod insert;
mod last_event;
mod line_end;
mod pending;
mod texts;
mod thought_ends;
mod thought_twins;
mod thoughts;
mod twins;
mod usual;
mod write;

use smallvec::SmallVec;

use self::apply::keep_templates;
use self::channels::Texts;
use self::edits::Edits;
use self::insert::Inserted;
use self::line_end::LineEnd;
use self::pending::EventPlan;
use self::thoughts::Thoughts;
use self::twins::Twins;
pub(super) use self::usual::Passed;
use self::usual::Usual;
use crate::blocks::Blocks;
use crate::counting::{IndexDetector, Indices, PieceVerdict};
use crate::deferred::{HeldOutput, choices_of};
use crate::found::Found;
use crate::frame::{Frame, Kind, StreamPiece};
use crate::framer::Framer;
use crate::guard::UnreadFilter;
use crate::item::{Item, Notice, NoticeCode};
use crate::reader::FactReader;
use crate::reasoning::Reasoning;
use crate::steps::each;
use crate::template::EventTemplate;
use crate::text::{self, Scratch, TextRewriter};
use crate::text_id::TextId;
use crate::{Channel, ChannelPosition, Format, StreamHandler};
use provstream::GateEnd;

/// Capacity that events commonly need in bytes; larger buffers are released.
const USUAL: usize = 1 << 12;

/// State of a response between two events. The fields that the [fast path](State::take_usual) needs come first, next
/// to each other in memory.
#[derive(Clone, Debug)]
#[repr(C)]
pub(super) struct State<R> {
    /// State of the fast path, if it may handle the next event.
    usual: Option<Usual>,
    /// Bytes that the fast path has read and the framer has not counted yet.
    uncounted: u64,
    pub(super) texts: Texts<R>,
    pub(super) reader: FactReader,
    counting: IndexDetector,
    /// Prototype of the texts' rewriters; `None` if the first text has taken it.
    fresh: Option<Box<R>>,
    /// Rewriter for full texts, which repeat others.
    whole: Option<Box<R>>,
    /// Channels of a response that is not streamed whose text a policy ended, with the kind of end.
    pub(super) wholes_ended: Vec<(Channel, GateEnd)>,
    /// State of the reasoning; `None` if reasoning is passed through.
    thoughts: Option<Box<Thoughts<R>>>,
    scratch: Scratch,
    edits: Edits,
    deferred: HeldOutput,
    blocks: Blocks,
    /// Offsets at which the texts begin, for offsets that count from the start of the prompt.
    bases: SmallVec<[(TextId, u64); 0]>,
    /// Position that was reported to the handler last.
    position: Option<ChannelPosition>,
    envelope: Kind,
    line_end: LineEnd,
    /// Position in the output.
    place: OutputPlace,
    /// An event that exceeds the limit is being passed through.
    passing: bool,
    /// The current event is written ahead of those held back.
    is_ahead: bool,
    /// Number of events that were added to a stream with sequence numbers.
    added: u64,
    /// Sequence number of the next event.
    next_sequence: u64,
    /// Number of deltas of the current event that were processed.
    deltas: u32,
    /// Choices of which an event was written, a bit each as in [`HeldOutput`].
    begun: u32,
    /// The rewritten event; empty between events.
    out: Vec<u8>,
    /// For a gate: members that repeat others.
    twins: Option<Box<Twins>>,
    /// A gate has removed a text with words that it withheld: copies of texts that it does not know are emptied.
    has_forgotten: bool,
    /// For a gate: withholds bytes that were not read.
    guard: Option<Box<UnreadFilter>>,
}

/// Facts about the last written byte, which decide which separator comes next.
#[derive(Clone, Copy, Debug)]
struct OutputPlace {
    /// The last byte ended a line.
    at_line_start: bool,
    /// In an array, the last byte that is not white space ended an object.
    after_element: bool,
}

impl OutputPlace {
    const START: Self = Self {
        at_line_start: true,
        after_element: false,
    };
}

impl<R: TextRewriter> State<R> {
    /// Creates the state before a response in this format; `None`: the format is detected.
    pub(super) fn new(format: Option<Format>, fresh: R) -> Self {
        Self::with_fresh(format, Box::new(fresh))
    }

    /// Creates the state with a boxed prototype.
    pub(super) fn with_fresh(format: Option<Format>, fresh: Box<R>) -> Self {
        let mut reader = FactReader::new(format);
        reader.is_gated = R::WITHHOLDS_UNREAD;
        Self {
            usual: None,
            uncounted: 0,
            texts: Texts::default(),
            reader,
            counting: IndexDetector::default(),
            fresh: Some(fresh),
            whole: None,
            wholes_ended: Vec::new(),
            thoughts: None,
            scratch: Scratch::default(),
            edits: Edits::default(),
            deferred: HeldOutput::default(),
            is_ahead: false,
            begun: 0,
            blocks: Blocks::default(),
            bases: SmallVec::new(),
            position: None,
            envelope: Kind::Sse,
            line_end: LineEnd::default(),
            place: OutputPlace::START,
            passing: false,
            added: 0,
            next_sequence: 0,
            deltas: 0,
            out: Vec::new(),
            twins: None,
            has_forgotten: false,
            guard: R::WITHHOLDS_UNREAD.then(|| Box::new(UnreadFilter::new(format))),
        }
    }

    /// Changes the prototype of the texts' rewriters.
    pub(super) fn map_fresh(&mut self, change: impl FnOnce(R) -> R) {
        if let Some(fresh) = &mut self.fresh {
            **fresh = change((**fresh).clone());
        }
    }

    /// Sets the treatment of reasoning.
    pub(super) fn set_reasoning(&mut self, mode: Reasoning) {
        self.usual = None;
        self.thoughts = Thoughts::new(mode);
        self.reader.wants_reasoning = self.thoughts.is_some();
    }

    /// Resets the state to the start of a response. A detected format is detected again.
    pub(super) fn reset(&mut self) {
        self.usual = None;
        self.uncounted = 0;
        self.reader.reset();
        self.counting = IndexDetector::default();
        if self.fresh.is_none() {
            // The first text has taken the prototype; any channel will do.
            let position = text::position(TextId::default(), false);
            self.fresh = self.begin_next(position).map(Box::new);
        }
        self.texts.clear();
        self.wholes_ended.clear();
        if let Some(thoughts) = &mut self.thoughts {
            thoughts.clear();
        }
        self.deferred.clear();
        self.begun = 0;
        self.blocks = Blocks::default();
        self.bases.clear();
        self.position = None;
        self.line_end = LineEnd::default();
        self.place = OutputPlace::START;
        self.passing = false;
        self.added = 0;
        self.next_sequence = 0;
        self.twins = None;
        self.has_forgotten = false;
        if let Some(guard) = &mut self.guard {
            **guard = UnreadFilter::new(self.reader.format());
        }
    }

    /// Returns the number of bytes of held events.
    pub(super) const fn deferred_len(&self) -> usize {
        self.deferred.len()
    }

    pub(super) fn take(
        &mut self,
        envelope: Kind,
        piece: &mut StreamPiece<'_>,
        handler: &mut dyn StreamHandler,
    ) {
        self.usual = None;
        if self.counting.is_settled() || self.is_read_now(envelope, piece, handler) {
            self.take_now(envelope, piece, handler);
        }
    }

    /// Processes the first bytes of a chunk, at most one event, and returns their number.
    pub(super) fn push(
        &mut self,
        framer: &mut Framer,
        chunk: &[u8],
        handler: &mut impl StreamHandler,
    ) -> usize {
        match self.take_usual(chunk, handler) {
            Some(Passed::AsItIs(len)) => {
                handler.bytes(&chunk[..len]);
                len
            }
            Some(Passed::Written(len)) => len,
            None => self.push_framed(framer, chunk, handler),
        }
    }

    #[inline(never)]
    fn push_framed(
        &mut self,
        framer: &mut Framer,
        chunk: &[u8],
        handler: &mut dyn StreamHandler,
    ) -> usize {
        self.catch_up(framer);
        self.usual = None;
        let len = framer.push_some(chunk, &mut |kind, mut piece| {
            self.take(kind, &mut piece, handler);
        });
        self.settle_usual(framer);
        len
    }

    /// Returns the number of bytes that the fast path has read and the framer has not counted yet.
    pub(super) const fn uncounted(&self) -> u64 {
        self.uncounted
    }

    /// Writes what is held back at the end of the response.
    pub(super) fn finish(&mut self, handler: &mut dyn StreamHandler) {
        self.usual = None;
        if !self.counting.is_settled() {
            let indices = self.counting.finish();
            self.settle_counting(indices, handler);
        }
        self.close(false, handler);
        self.finish_guarded(handler);
        handler.report(&self.reader.report);
        handler.end();
    }

    /// Returns `true` if a piece can be processed now: it need not be held until it is known whether choice indices
    /// name channels. A decision also processes the held events.
    #[cold]
    fn is_read_now(
        &mut self,
        envelope: Kind,
        piece: &StreamPiece<'_>,
        handler: &mut dyn StreamHandler,
    ) -> bool {
        let verdict = self.counting.judge(envelope, piece, self.reader.format());
        if let PieceVerdict::Settled(indices) = verdict {
            self.settle_counting(indices, handler);
        }
        verdict != PieceVerdict::Hold
    }

    /// Processes the events that were held until the meaning of choice indices is known.
    fn settle_counting(&mut self, indices: Indices, handler: &mut dyn StreamHandler) {
        self.reader.set_indices(indices);
        for (envelope, mut piece) in self.counting.take_held().pieces() {
            self.take_now(envelope, &mut piece, handler);
        }
        // The next piece is taken in this call, and may be of another text than the last of these.
        self.usual = None;
    }

    #[inline(always)] // A call costs 1 % of an event.
    fn take_now(
        &mut self,
        envelope: Kind,
        piece: &mut StreamPiece<'_>,
        handler: &mut dyn StreamHandler,
    ) {
        if R::WITHHOLDS_UNREAD {
            self.take_guarded(envelope, piece, handler);
        } else {
            self.take_piece(envelope, piece, handler);
        }
    }

    #[inline(always)] // As above.
    fn take_piece(
        &mut self,
        envelope: Kind,
        piece: &mut StreamPiece<'_>,
        handler: &mut dyn StreamHandler,
    ) {
        self.envelope = envelope;
        if !R::WITHHOLDS_UNREAD && self.reader.format() == Some(Format::Gemini) {
            self.note_json_beside(piece, handler);
        }
        match piece {
            StreamPiece::Event(frame) => self.rewrite(frame, false, handler),
            StreamPiece::Other(text) => self.write(text.bytes(), handler),
            StreamPiece::Stray(span) => {
                self.notice(Notice::new(NoticeCode::WithheldData, *span), handler);
            }
            StreamPiece::Passed(text) => {
                // The event may have text of any channel, which comes after all held text.
                if !core::mem::replace(&mut self.passing, true) && self.guard.is_none() {
                    self.close(true, handler);
                }
                if self.guard.is_none() {
                    self.write(text.bytes(), handler);
                }
            }
            StreamPiece::Oversized(span) => {
                self.passing = false;
                self.notice(Notice::new(NoticeCode::OversizedEvent, *span), handler);
            }
            StreamPiece::Unterminated(frame) => {
                // Some clients read the incomplete event as an event.
                self.rewrite(frame, true, handler);
                self.close(false, handler);
            }
            StreamPiece::Close(text) => {
                self.close(false, handler);
                self.write(text.bytes(), handler);
            }
            StreamPiece::Encoded(code, span) => self.notice(Notice::new(*code, *span), handler),
        }
    }

    fn notice(&mut self, notice: Notice, handler: &mut dyn StreamHandler) {
        self.reader.report.add_notice(notice.code());
        handler.item(Item::Notice(notice));
    }

    /// Rewrites an event. `is_final`: the stream ends within it.
    fn rewrite(&mut self, frame: &mut Frame<'_>, is_final: bool, handler: &mut dyn StreamHandler) {
        self.begin_event(frame.raw, is_final);
        handler.data(&frame.data);
        let mut odd = self.read(frame, is_final);
        if let Some(code) = odd {
            self.end_before_unread(frame, code, handler);
        }
        if odd.is_none()
            && !is_final
            && let Some(alone) = self.alone(&frame.data)
        {
            return self.rewrite_alone(frame, alone, handler);
        }
        if let Some(code) = odd {
            self.reader.report.add_notice(code);
        }
        self.look(frame, handler);
        let is_kept = self.begin_unknown(frame);
        let mut found = core::mem::take(&mut self.reader.found);
        if R::WITHHOLDS_UNREAD {
            self.find_copies(frame, odd, &mut found);
        }
        if found.is_empty() && odd.is_none() {
            handler.item(Item::Other(frame.span()));
        }
        if found.iter().any(|one| matches!(one, Found::Unread(_))) {
            self.notice(Notice::new(NoticeCode::UnreadMember, frame.span()), handler);
        }
        self.is_ahead = odd.is_none() && !is_final && self.may_go_ahead(&found);
        self.edits.clear();
        let mut pending = EventPlan::of(&found);
        if pending.has_offsets {
            self.find_bases(frame, &found);
        }
        if self.thoughts.is_some() {
            self.rewrite_thoughts((frame, is_final), &found, &mut pending, handler);
            odd = odd.or_else(|| self.too_many_thoughts());
        }
        let is_holding = is_final && odd.is_none() && self.holds_before(&found);
        self.apply_all(frame, &found, &mut pending, handler);
        if !pending.offsets.is_empty() {
            self.move_offsets(frame, &mut pending);
        }
        if is_final {
            self.wait_for_held(&found, &mut pending);
        }
        let is_idle = odd.is_none() && !is_final && self.is_idle(frame, &found);
        let last = each(pending.repeatable.iter().copied());
        keep_templates(frame, &mut self.texts, last);
        if let Some(code) = odd {
            handler.item(Item::Notice(Notice::new(code, frame.span())));
        }
        for seams in each(self.texts.iter_mut()).filter_map(|text| text.seams.as_mut()) {
            seams.end_event();
        }
        // An event that cannot be read belongs to no block, and is not removed with one.
        if self.reader.may_be_of_block() && !odd.is_some_and(NoticeCode::is_unread) {
            self.note_block(frame, &found);
        }
        if !self.deferred.is_empty() {
            self.release_decided(handler);
        }
        self.begin_held_choices(&found, &pending, handler);
        let guard = self.guard.as_ref();
        if is_idle && self.is_waiting_in_block() {
            self.blocks.take_named();
        } else if guard.is_none_or(|guard| guard.lets_through(odd)) {
            self.write_rewritten(frame, &pending, (&found, is_holding), handler);
        } else {
            self.blocks.take_named();
            if odd.is_none_or(|code| !code.is_unread()) {
                self.withhold(frame, handler);
            }
        }
        self.note_choices(&found, &pending);
        if is_kept {
            self.end_unknown(&found, handler);
        }
        self.end_wholes(&found);
        self.reader.found = found;
        self.trim();
    }

    /// Returns `true` if an event can be written ahead of those held back: those of other choices wait for what comes after the
    /// end of a choice.
    fn may_go_ahead(&self, found: &[Found]) -> bool {
        !self.deferred.is_empty()
            && self.reader.format() == Some(Format::OpenAiChat)
            && matches!(self.envelope, Kind::Sse | Kind::Lines)
            && self.is_streamed()
            && self.thoughts.is_none()
            // Blocks are of an event of another format.
            && !self.blocks.is_holding()
            && self
                .deferred
                .is_of_others(choices_of(found, self.reader.choices()))
    }

    /// Writes an event without text for each choice of which all events are held back, before one of another choice is written
    /// ahead of them: OpenAI's SDK appends choices to a list, in the order in which they begin.
    fn begin_held_choices(
        &mut self,
        found: &[Found],
        pending: &EventPlan,
        handler: &mut dyn StreamHandler,
    ) {
        let is_ahead = self.is_ahead && pending.is_decided();
        if !is_ahead || choices_of(found, self.reader.choices()) & !self.begun == 0 {
            return;
        }
        let unbegun = self.deferred.choices() & !self.begun;
        // The last bit is that of several.
        for index in (0..u32::BITS - 1).filter(|index| (unbegun >> index) & 1 == 1) {
            let mut texts = each(self.texts.iter_mut());
            let begun = texts.find(|text| text.id.index() == index && !text.template.is_empty());
            let (id, mut template) = match begun {
                Some(text) => (text.id, core::mem::take(&mut text.template)),
                None => (TextId::new(Channel::new(index)), EventTemplate::new()),
            };
            let empty = Inserted {
                id,
                template: &template,
                block: None,
                is_text: true,
                others: &[],
            };
            self.insert(empty, b"", None, true, handler);
            if let Some(text) = self.texts.get_mut(id) {
                core::mem::swap(&mut text.template, &mut template);
            }
        }
        self.begun |= unbegun;
    }

    /// Notes the choices of an event that is held back now, or was written.
    fn note_choices(&mut self, found: &[Found], pending: &EventPlan) {
        let is_written = core::mem::take(&mut self.is_ahead) && pending.is_decided();
        if !matches!(self.reader.format(), Some(Format::OpenAiChat) | None) {
            return;
        }
        let choices = choices_of(found, self.reader.choices());
        if !is_written && !self.deferred.is_empty() {
            self.deferred.hold_choices(choices);
        } else if choices != u32::MAX {
            self.begun |= choices;
        }
    }

    /// Lets the last event wait for all text that is held back, because nothing can be added after it.
    fn wait_for_held(&self, found: &[Found], pending: &mut EventPlan) {
        for text in each(self.texts.iter()) {
            if self.reader.is_open(text.id) && text.is_holding() {
                pending.wait(text.id, found);
            }
        }
    }

    /// Ends the texts before an event that was not read.
    #[cold]
    fn end_before_unread(
        &mut self,
        frame: &Frame<'_>,
        code: NoticeCode,
        handler: &mut dyn StreamHandler,
    ) {
        if R::WITHHOLDS_UNREAD {
            // A gate withholds it, so that nothing comes between.
            if self.has_lost_text(frame, code) {
                self.reach_limits(handler);
            }
        } else if code == NoticeCode::OversizedEvent {
            // It may have text of any channel.
            self.close(true, handler);
        }
    }

    /// Reads an event, and returns the diagnostic about it, if any.
    fn read(&mut self, frame: &Frame<'_>, is_final: bool) -> Option<NoticeCode> {
        let is_streamed = self.is_streamed();
        if !frame.has_last_name {
            self.reader.set_name(frame.event_name());
        }
        self.reader.is_error = self.envelope == Kind::Sse && frame.is_named_error;
        match self.reader.read(&frame.data, is_streamed) {
            Some(NoticeCode::MalformedEvent) if is_final => Some(NoticeCode::UnterminatedEvent),
            None if R::WITHHOLDS_UNREAD && self.is_unread(&frame.data, is_streamed) => {
                Some(NoticeCode::WithheldData)
            }
            odd => odd,
        }
    }

    /// Returns `true` if the event is one of a stream. A line of JSON may also be a response of its own, until one had a
    /// delta.
    pub(super) const fn is_streamed(&self) -> bool {
        match self.envelope {
            Kind::Sse | Kind::Array => true,
            Kind::Lines => self.reader.has_deltas(),
            Kind::Body | Kind::Encoded => false,
        }
    }

    /// Lets the guard inspect an event that was read, and writes the bytes that the guard kept if the event shows the
    /// format.
    fn look(&mut self, frame: &Frame<'_>, handler: &mut dyn StreamHandler) {
        let is_streamed = self.is_streamed();
        let Some(guard) = &mut self.guard else {
            return;
        };
        guard.look(frame, is_streamed, &self.reader);
        if guard.is_shown() && self.reader.format().is_some() {
            self.write_unknown(handler);
        }
    }

    /// Returns `true` if none of the event's text is written now, and the event differs from an earlier one only in
    /// its text.
    fn is_idle(&self, frame: &Frame<'_>, found: &[Found]) -> bool {
        let [Found::Text(id, text, piece)] = found else {
            return false;
        };
        let state = self.texts.get(*id);
        let state = state.filter(|text| text.seams.is_some());
        piece.is_repeatable
            && !text.is_empty()
            && self.edits.empties(&text.range())
            && state.is_some_and(|state| state.template.is_like(frame, text.range()))
    }

    /// Returns `true` if events are held until a gate decides about the text of a block. There may be many, so events
    /// that only repeat others are not held, only their text.
    fn is_waiting_in_block(&self) -> bool {
        R::WITHHOLDS_UNREAD
            && !self.is_ahead
            && self.envelope != Kind::Array
            && (self.blocks.is_holding() || self.deferred.is_waiting())
    }

    /// Releases memory that an unusually large event needed.
    fn trim(&mut self) {
        self.reader.trim();
        let taken = self.out.capacity() + self.edits.bytes.capacity() + self.scratch.capacity();
        if taken > 4 * USUAL {
            self.edits = Edits::default();
            self.out = Vec::new();
            self.scratch = Scratch::default();
        }
        if self.deferred.is_empty() && self.deferred.bytes.capacity() > USUAL {
            self.deferred = HeldOutput::default();
        }
    }
}
