//! Text held by a gate, and the decisions about it.

use std::borrow::Cow;

use smallvec::SmallVec;

use super::GateEnd;
use super::handler::GateHandler;
use super::joiner::SpaceJoiner;
use super::policy::{Action, AtLimit, Policy, Unannotated};
use super::spacing::Spacing;
use crate::engine::chars::{Separator, separator, whole_characters};
use crate::event::TextChunk;
use crate::json::JsonString;
use crate::provenance::{Assertion, Encoding};
use crate::span::Span;

/// Text from the release point on, and the decisions about it. All offsets are those of the
/// stripped stream unless stated otherwise.
///
/// Invariant: `bytes[taken..]` is the text from `start` on.
#[derive(Clone, Debug)]
pub(super) struct HeldBytes {
    bytes: Vec<u8>,
    taken: usize,
    start: u64,
    /// Number of bytes removed from the stream so far.
    removed: u64,
    /// Decisions in the order of their spans.
    decisions: Vec<HeldDecision>,
    /// Offset of the first assertion whose action ends the stream.
    stop: Option<u64>,
    /// Offset up to which text released at a limit was reported.
    limited: u64,
    ended: Option<GateEnd>,
    /// Decision about the open run of unannotated text.
    run: Option<Unannotated>,
    joiner: SpaceJoiner,
    /// The stream has only JSON values, so there is no other text.
    json_alone: bool,
}

#[derive(Clone, Debug)]
struct HeldDecision {
    /// Range in the stream.
    span: Span,
    /// Range in the stripped stream.
    clean: Span,
    action: Action,
    /// The assertion is in JSON, so text that is inserted for it is escaped.
    in_string: bool,
    /// Missing quotes before and after the text, which a replacement must add.
    lacks_quotes: (bool, bool),
    /// An assertion in free text that `max_assertion` truncated.
    is_cut: bool,
    is_citation: bool,
}

impl HeldDecision {
    /// Returns `true` if another decision, made later, belongs before this one: outer decisions come first. If two begin
    /// together and one is of a citation, the longer one is outer; if they are equally long, the assertion with annotations is.
    fn is_after(&self, later: &Self) -> bool {
        let (own, other) = (self.clean, later.clean);
        if own.start() != other.start() {
            return own.start() > other.start();
        }
        match (self.is_citation, later.is_citation) {
            _ if own.is_empty() => false,
            (false, false) => false,
            (true, false) => own.end() <= other.end() || other.is_empty(),
            (false, true) => own.end() < other.end(),
            (true, true) => own.end() < other.end(),
        }
    }
}

impl HeldBytes {
    pub(super) fn new(start: u64, json_alone: bool) -> Self {
        Self {
            bytes: Vec::new(),
            taken: 0,
            start,
            removed: 0,
            decisions: Vec::new(),
            stop: None,
            limited: start,
            ended: None,
            run: None,
            joiner: SpaceJoiner::default(),
            json_alone,
        }
    }

    /// Resets to the start of a stream, keeping the memory.
    pub(super) fn reset(&mut self, start: u64) {
        let mut bytes = core::mem::take(&mut self.bytes);
        let mut decisions = core::mem::take(&mut self.decisions);
        let mut joiner = core::mem::take(&mut self.joiner);
        bytes.clear();
        decisions.clear();
        joiner.reset();
        *self = Self {
            bytes,
            decisions,
            joiner,
            ..Self::new(start, self.json_alone)
        };
    }

    pub(super) const fn ended(&self) -> Option<GateEnd> {
        self.ended
    }

    /// Returns `true` if a run of unannotated text is open.
    pub(super) const fn is_in_run(&self) -> bool {
        self.run.is_some()
    }

    /// Returns `true` if a decision waits to be carried out.
    pub(super) const fn has_decisions(&self) -> bool {
        !self.decisions.is_empty()
    }

    /// Returns the offset of the first truncated assertion that begins after the first held byte.
    pub(super) fn first_cut(&self) -> Option<u64> {
        let cut = self.decisions.iter().filter(|decision| decision.is_cut);
        cut.map(|decision| decision.clean.start())
            .find(|start| *start > self.start)
    }

    /// Records that `max_assertion` truncated the assertion at `span`, about which a decision was
    /// made.
    pub(super) fn note_cut(&mut self, span: Span) {
        let same = |decision: &&mut HeldDecision| !decision.in_string && decision.span == span;
        if let Some(decision) = self.decisions.iter_mut().rev().find(same) {
            decision.is_cut = true;
        }
    }

    /// Returns the offset of the first held byte.
    pub(super) const fn start(&self) -> u64 {
        self.start
    }

    pub(super) fn len(&self) -> usize {
        self.bytes.len() - self.taken
    }

    /// Returns the number of bytes of white space that wait for the text after them.
    pub(super) const fn held_white(&self) -> usize {
        self.joiner.held_len()
    }

    pub(super) fn heap_size(&self) -> usize {
        let texts = self.decisions.iter().map(|decision| decision.action.heap());
        let run = self.run.as_ref().map_or(0, Unannotated::heap);
        self.bytes.capacity()
            + self.decisions.capacity() * size_of::<HeldDecision>()
            + texts.sum::<usize>()
            + run
            + self.joiner.heap_size()
    }

    pub(super) fn push(&mut self, bytes: &[u8]) {
        if self.taken == self.bytes.len() {
            self.bytes.clear();
            self.taken = 0;
        } else if self.taken > self.len() {
            self.bytes.drain(..self.taken);
            self.taken = 0;
        }
        self.bytes.extend_from_slice(bytes);
    }

    /// Appends a few bytes, like [`push`](Self::push) without a call to `memcpy`.
    #[inline]
    pub(super) fn push_short(&mut self, bytes: &[u8]) {
        if self.bytes.capacity() - self.bytes.len() < bytes.len() {
            return self.push(bytes);
        }
        let (fours, rest) = bytes.as_chunks::<4>();
        for four in fours {
            self.bytes.extend_from_slice(four);
        }
        for &byte in rest {
            self.bytes.push(byte);
        }
    }

    pub(super) const fn remove(&mut self, len: u64) {
        self.removed += len;
    }

    /// Removes a record with the decisions about assertions in it.
    pub(super) fn remove_record(&mut self, record: Span) {
        self.removed += record.len();
        let at = record.end() - self.removed;
        let inside = |decision: &HeldDecision| {
            let span = decision.span;
            decision.in_string && record.start() <= span.start() && span.end() <= record.end()
        };
        self.decisions
            .retain(|decision| decision.action.ends() || !inside(decision));
        for decision in &mut self.decisions {
            if inside(decision) {
                // The stream ends where the record was.
                decision.clean = Span::new(at, at);
                self.stop = Some(at);
            }
        }
    }

    /// Ends the stream here, to be resumed.
    pub(super) fn suspend(&mut self) {
        if self.ended.is_none() {
            self.end(GateEnd::Suspended);
        }
    }

    /// Returns the span in the stripped stream that an action on a just reported assertion covers.
    pub(super) fn clean_span(&self, assertion: &Assertion<'_>) -> Span {
        // Within an asserted object nothing is removed, so all that was removed comes before it.
        let span = assertion.extent();
        let shifted = Span::new(
            span.start().saturating_sub(self.removed),
            span.end().saturating_sub(self.removed),
        );
        assertion.clean_span().unwrap_or(shifted)
    }

    /// Returns `true` if the stream ends before an assertion at `clean`.
    pub(super) fn is_beyond_stop(&self, clean: Span) -> bool {
        self.ended.is_some() || self.stop.is_some_and(|stop| clean.start() >= stop)
    }

    pub(super) fn decide(
        &mut self,
        assertion: &Assertion<'_>,
        clean: Span,
        action: Action,
        is_citation: bool,
    ) {
        if action.ends() {
            self.stop = Some(clean.start());
        }
        let extent = assertion.full_extent();
        let decision = HeldDecision {
            span: extent.span,
            clean,
            action,
            in_string: assertion.encoding() == Encoding::Json,
            lacks_quotes: (!extent.starts_in_string, !extent.ends_in_string),
            is_cut: false,
            is_citation,
        };
        let before = self.decisions.iter();
        let after = before.rev().take_while(|other| other.is_after(&decision));
        let at = self.decisions.len() - after.count();
        self.decisions.insert(at, decision);
    }

    /// Carries out the decisions about the text before `upto`, or about all held text if it is
    /// `None`. No later event may change these decisions.
    pub(super) fn settle(
        &mut self,
        upto: Option<u64>,
        policy: &mut impl Policy,
        handler: &mut impl GateHandler,
    ) {
        let last = upto.is_none();
        let end = self.start + self.len() as u64;
        let upto = upto.map_or(end, |upto| upto.clamp(self.start, end));
        while self.ended.is_none() && self.group_end().is_some_and(|end| end <= upto) {
            let decision = self.decisions.remove(0);
            self.pass(decision.clean.start(), true, policy, handler);
            self.close(true, handler);
            let spacing = policy.spacing();
            self.act(decision, spacing, handler);
        }
        if self.ended.is_none() {
            let next = self.decisions.first().map(|next| next.clean.start());
            self.pass(
                next.map_or(upto, |next| next.min(upto)),
                last,
                policy,
                handler,
            );
        }
    }

    /// Joins or keeps the white space that follows discarded text, once the next text has begun.
    #[inline]
    pub(super) fn end_white(&mut self, handler: &mut impl GateHandler) {
        if self.joiner.held_len() > 0
            && let Some(&next) = self.held().first()
        {
            self.joiner.end_white(next, handler);
        }
    }

    /// Handles a limit: the text before `upto`, or all held text, no longer waits for an assertion.
    pub(super) fn overflow(
        &mut self,
        upto: Option<u64>,
        policy: &mut impl Policy,
        handler: &mut impl GateHandler,
    ) {
        // Stop before an incomplete character or JSON escape: a later decision may insert text here.
        let upto = upto.unwrap_or_else(|| self.start + whole_units(self.held()) as u64);
        if upto <= self.start {
            return;
        }
        match policy.limit() {
            AtLimit::Release => self.settle_at_limit(Some(upto), policy, handler),
            AtLimit::Refuse(text) => self.refuse(&text, handler),
        }
    }

    /// [Settles](Self::settle), and reports the text that no assertion has.
    pub(super) fn settle_at_limit(
        &mut self,
        upto: Option<u64>,
        policy: &mut impl Policy,
        handler: &mut impl GateHandler,
    ) {
        let end = upto.unwrap_or(self.start + self.len() as u64);
        let free = self.newly_limited(Span::new(self.start, end));
        self.settle(upto, policy, handler);
        for span in free {
            self.report_limit(span, handler);
        }
    }

    /// Reports a limit, unless the stream ends before it: nothing of its text is released.
    fn report_limit(&self, span: Span, handler: &mut impl GateHandler) {
        if self.stop.is_none_or(|stop| span.start() < stop) {
            handler.limit(span);
        }
    }

    /// Returns the held text.
    fn held(&self) -> &[u8] {
        &self.bytes[self.taken..]
    }

    /// Returns the parts of `span` that no decision covers and that were not returned before, up to
    /// the first decision that extends beyond it.
    fn newly_limited(&mut self, span: Span) -> SmallVec<[Span; 1]> {
        let mut free = SmallVec::new();
        let mut at = span.start().max(self.limited);
        let mut end = span.end();
        for decision in &self.decisions {
            let clean = decision.clean;
            if clean.start() > at {
                free.push(Span::new(at, clean.start().min(end)));
            }
            at = at.max(clean.end());
            if at >= end {
                end = at;
                break;
            }
        }
        if at < end {
            free.push(Span::new(at, end));
        }
        self.limited = self.limited.max(end);
        free
    }

    /// Handles text that the parser cannot read: the held text of `span` no longer waits for an
    /// assertion.
    pub(super) fn fault(
        &mut self,
        span: Span,
        policy: &mut impl Policy,
        handler: &mut impl GateHandler,
    ) {
        match policy.limit() {
            AtLimit::Release => {
                let free = self.newly_limited(span);
                if free.is_empty() {
                    self.report_limit(Span::new(span.end(), span.end()), handler);
                }
                for span in free {
                    self.report_limit(span, handler);
                }
            }
            AtLimit::Refuse(text) => self.refuse(&text, handler),
        }
    }

    /// Ends the stream here with a text.
    pub(super) fn refuse(&mut self, text: &str, handler: &mut impl GateHandler) {
        self.close(!text.is_empty(), handler);
        if !text.is_empty() {
            self.insert(text, self.start, handler);
        }
        self.end(GateEnd::Refused);
    }

    /// Ends the text at the end of a stream; what comes next is another text.
    pub(super) fn finish(&mut self, handler: &mut impl GateHandler) {
        self.close(false, handler);
        self.joiner.reset();
    }

    /// Ends the open run of unannotated text; `follows` is set if other text comes next.
    pub(super) fn close(&mut self, follows: bool, handler: &mut impl GateHandler) {
        self.joiner.settle(follows, handler);
        let Some(run) = self.run.take() else {
            return;
        };
        if let Unannotated::Mark(_, after) = run {
            self.insert(&after, self.start, handler);
        }
        handler.run_ends(self.start);
    }

    /// Carries out the decision about the unannotated text before `upto`; unless no more text of
    /// the run follows (`last`), its last character may be incomplete.
    fn pass(
        &mut self,
        upto: u64,
        last: bool,
        policy: &mut impl Policy,
        handler: &mut impl GateHandler,
    ) {
        let Some(len) = upto.checked_sub(self.start).filter(|&len| len > 0) else {
            return;
        };
        let mut len = len as usize;
        if !self.json_alone && self.run.is_none() {
            let text = &self.bytes[self.taken..self.taken + len];
            let Lead { len: lead, begins } = lead(text, last);
            self.take(lead, false, handler);
            if !begins {
                return;
            }
            len -= lead;
            let run = policy.unannotated();
            self.joiner.settle(true, handler);
            handler.run_begins(self.start, &run);
            if let Unannotated::Mark(text, _) | Unannotated::Replace(text) = &run {
                self.insert(text, self.start, handler);
            }
            self.run = Some(run);
        }
        match self.run {
            Some(Unannotated::Discard) if policy.spacing() == Spacing::Join => {
                let text = TextChunk::new(&self.bytes[self.taken..self.taken + len], self.start);
                self.joiner.remove_in_run(text, handler);
                self.taken += len;
                self.start += len as u64;
            }
            Some(Unannotated::Discard | Unannotated::Replace(_)) => self.take(len, true, handler),
            _ => self.take(len, false, handler),
        }
    }

    /// Returns the end of the first decision's span and of all spans that overlap it: an assertion
    /// in JSON may be within a fenced block that is an assertion as a whole.
    fn group_end(&self) -> Option<u64> {
        let (first, rest) = self.decisions.split_first()?;
        let overlapping = |end: u64, next: &HeldDecision| {
            let overlaps = next.clean.start() < end;
            overlaps.then(|| end.max(next.clean.end()))
        };
        let mut end = first.clean.end();
        for next in rest {
            match overlapping(end, next) {
                Some(further) => end = further,
                None => break,
            }
        }
        Some(end)
    }

    /// Carries out a decision and those nested in it; text is released only if all of them allow
    /// it.
    fn act(&mut self, decision: HeldDecision, spacing: Spacing, handler: &mut impl GateHandler) {
        let at = self.start;
        let end = decision.clean.end();
        if decision.clean.start() < at && end <= at && !decision.action.ends() {
            // A limit has let all of it through.
            return;
        }
        let escape = decision.in_string;
        let (opens, closes) = decision.lacks_quotes;
        let quote = |lacking: bool| if lacking { "\"" } else { "" };
        match decision.action {
            Action::Release => self.act_within(end, spacing, handler),
            Action::Mark(before, after) => {
                // A value that is not a string has no room for a mark.
                if !opens {
                    self.insert(&escaped(&before, escape), at, handler);
                }
                self.act_within(end, spacing, handler);
                if self.ended.is_none() && !closes {
                    self.insert(&escaped(&after, escape), self.start, handler);
                }
            }
            Action::Replace(_) | Action::Discard => {
                let text = match &decision.action {
                    Action::Replace(text) => escaped(text, escape),
                    _ => Cow::Borrowed(""),
                };
                if opens || closes {
                    let string = [quote(opens), &text, quote(closes)].concat();
                    self.insert(&string, at, handler);
                } else if let Action::Replace(_) = decision.action {
                    self.insert(&text, at, handler);
                }
                self.remove_all(end, handler);
                let discards = matches!(decision.action, Action::Discard) && !escape;
                if discards && self.start > at && spacing == Spacing::Join {
                    self.joiner.join();
                }
            }
            Action::Suspend => self.end(GateEnd::Suspended),
            Action::Refuse(text) => {
                self.insert(&escaped(&text, escape), at, handler);
                self.end(GateEnd::Refused);
            }
        }
    }

    /// Releases the text up to `end`, as far as the decisions about assertions in it allow.
    fn act_within(&mut self, end: u64, spacing: Spacing, handler: &mut impl GateHandler) {
        while self.ended.is_none()
            && self
                .decisions
                .first()
                .is_some_and(|next| next.clean.start() < end)
        {
            let decision = self.decisions.remove(0);
            self.take_upto(decision.clean.start(), false, handler);
            self.act(decision, spacing, handler);
        }
        if self.ended.is_none() {
            self.take_upto(end, false, handler);
        }
    }

    /// Removes the text up to `end` with the assertions in it, except that an action that ends the
    /// stream still applies.
    fn remove_all(&mut self, end: u64, handler: &mut impl GateHandler) {
        self.take_upto(end, true, handler);
        self.decisions.retain(|other| {
            let inside = other.clean.start() < end && other.clean.end() <= end;
            !inside || other.action.ends()
        });
    }

    fn take_upto(&mut self, end: u64, removed: bool, handler: &mut impl GateHandler) {
        let len = end.saturating_sub(self.start) as usize;
        self.take(len, removed, handler);
    }

    /// Releases or removes the next `len` bytes.
    #[inline]
    fn take(&mut self, len: usize, removed: bool, handler: &mut impl GateHandler) {
        if len == 0 {
            return;
        }
        let text = TextChunk::new(&self.bytes[self.taken..self.taken + len], self.start);
        if removed {
            self.joiner.remove(text, handler);
        } else {
            self.joiner.release(text, handler);
        }
        self.taken += len;
        self.start += len as u64;
    }

    /// Writes text of the policy before the text at `at`.
    fn insert(&mut self, text: &str, at: u64, handler: &mut impl GateHandler) {
        self.joiner.insert(text, at, handler);
    }

    fn end(&mut self, how: GateEnd) {
        self.ended = Some(how);
        self.bytes.clear();
        self.taken = 0;
        self.decisions.clear();
        self.joiner.reset();
    }
}

/// Returns the length of a text without an incomplete character or JSON escape at its end, in
/// bytes.
fn whole_units(text: &[u8]) -> usize {
    let mut text = whole_characters(text);
    loop {
        let last = text.len().saturating_sub(6);
        let Some(at) = text[last..].iter().rposition(|&byte| byte == b'\\') else {
            return text.len();
        };
        let at = last + at;
        let before = text[..at].iter().rev();
        let escaped = before.take_while(|&&byte| byte == b'\\').count() % 2 == 1;
        let is_whole = match &text[at + 1..] {
            // A high surrogate: the escape of its low surrogate must follow.
            [
                b'u',
                b'd' | b'D',
                b'8' | b'9' | b'a' | b'b' | b'A' | b'B',
                _,
                _,
            ] => false,
            [b'u', digits @ ..] => digits.len() >= 4,
            rest => !rest.is_empty(),
        };
        if escaped || is_whole {
            return text.len();
        }
        text = &text[..at];
    }
}

/// Separators at the start of unannotated text.
struct Lead {
    /// Length of the white space and closing punctuation, in bytes.
    len: usize,
    /// Another character follows.
    begins: bool,
}

/// Measures the separators at the start of `text`; an incomplete character at its end counts as
/// another character if the text is the `last` of its run.
fn lead(text: &[u8], last: bool) -> Lead {
    let mut len = 0;
    while len < text.len() {
        match separator(&text[len..]) {
            Separator::White(white) => len += white,
            Separator::Closing(closing) => len += closing,
            Separator::Partial if !last => return Lead { len, begins: false },
            Separator::Partial | Separator::Other => return Lead { len, begins: true },
        }
    }
    Lead { len, begins: false }
}

/// Escapes a text for a JSON string if `escape` is set.
fn escaped(text: &str, escape: bool) -> Cow<'_, str> {
    if !escape {
        return Cow::Borrowed(text);
    }
    let quoted = JsonString(text).to_string();
    Cow::Owned(quoted[1..quoted.len() - 1].to_owned())
}
