//! Holds text back until it is known which assertion it belongs to, and has a policy decide what becomes of it.

mod check;
mod handler;
mod held;
mod joiner;
mod policy;
#[cfg(feature = "settings")]
mod rules;
mod scout;
mod spacing;

use self::check::{Check, STRIDE};
pub use self::handler::GateHandler;
use self::held::HeldBytes;
pub use self::policy::{Action, AtLimit, Policy, Question, Unannotated};
#[cfg(feature = "settings")]
pub use self::rules::{
    Disposition, PolicyError, PolicyErrorKind, RulePolicy, Rules, policy_file, ready_policy,
};
use self::scout::Scout;
pub use self::spacing::Spacing;
use crate::engine::{AtCut, ReleasePoint};
use crate::event::{BracketAnnotation, Diagnostic, DiagnosticCode, Event, JsonRecord, TextChunk};
use crate::handler::{Handler, Replacement};
#[cfg(feature = "dialects")]
use crate::marker::{CitationParts, Marker};
use crate::parser::Parser;
use crate::provenance::Assertion;
use crate::rewrite::Rewriter;
use crate::span::Span;

/// Maximum length of a chunk for the fast path, in bytes.
const SHORT: usize = 32;

/// Maximum number of stretches of untrusted text that are recorded separately.
const MOST_STRETCHES: usize = 1_024;

/// Reason for which a gate ended a stream early.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum GateEnd {
    /// [`Action::Suspend`]: the caller may ask for the rest to be emitted once more.
    Suspended,
    /// [`Action::Refuse`] or [`AtLimit::Refuse`].
    Refused,
}

/// Acts on each assertion of a stream before anyone reads it (`provenance memo 7`).
///
/// Text is held back from the [release point](Parser::undecided_from) on. When an assertion is complete, a [`Policy`]
/// decides what becomes of its text. Annotations are removed, as a [`Rewriter`] removes them. What is written goes to a
/// [`GateHandler`], and how the stream is cut into chunks has no effect on it, other than the pieces that text comes in.
///
/// Text that no assertion covers is *unannotated*. It comes in runs: a run begins at the first character after an
/// assertion, or after the start of the stream, that is neither white space nor closing punctuation, and lasts until the
/// next assertion. The policy decides about each run at its beginning. In [`Mode::Json`](crate::Mode::Json) and
/// [`Mode::Ndjson`](crate::Mode::Ndjson) such text is always released: it is the syntax of the values. In
/// [`Mode::Auto`](crate::Mode::Auto) that syntax is unannotated text.
///
/// In modes `json` and `ndjson`, the rest of the line is not read after a fault: a byte that is not JSON, too deep nesting, or
/// a value without an end. [`Policy::limit`] decides about it: it is released, and [`GateHandler::limit`] reports the text that
/// was held back there, or the stream ends before that text.
///
/// An assertion in JSON is the content of a string, so text that a policy inserts there is escaped.
///
/// Memory is bounded by the parser's limits and by [`with_max_held`](Self::with_max_held).
///
/// This policy withholds what no source corroborates. It also withholds an assertion if a limit cut off its text or left out an
/// annotation. Its [`Policy::limit`] ends the stream before text that is too long; the default releases it.
///
/// ```
/// use provstream::{Action, AtLimit, Gate, GateEnd, Parser, Policy, Question};
///
/// struct NoInference;
///
/// impl Policy for NoInference {
///     fn assertion(&mut self, question: &Question<'_>) -> Action {
///         let assertion = question.assertion();
///         let inferred = assertion.classes().any(|class| class.as_str() == "unverified-inference");
///         if inferred || assertion.limit_hit() {
///             Action::Replace("(withheld)".into())
///         } else {
///             Action::Release
///         }
///     }
///
///     fn limit(&mut self) -> AtLimit {
///         AtLimit::Refuse("(withheld)".into())
///     }
/// }
///
/// let mut clean = Vec::new();
/// let mut gate = Gate::new(Parser::new(), NoInference);
/// for chunk in ["It rained. It will", " rain. [unverified-inf", "erence] So it is."] {
///     gate.push(chunk.as_bytes(), &mut clean);
/// }
/// gate.finish(&mut clean);
/// assert_eq!(clean, b"It rained. (withheld) So it is.");
///
/// gate.reset();
/// clean.clear();
/// let long = format!("It rained. It {} rain. [unverified-inference]", "will ".repeat(2_000));
/// gate.push(long.as_bytes(), &mut clean); // `max_assertion` is 4,096 bytes by default
/// assert_eq!(clean, b"It rained. (withheld)");
/// assert_eq!(gate.ended(), Some(GateEnd::Refused));
/// ```
#[derive(Clone, Debug)]
pub struct Gate<P> {
    rewriter: Rewriter,
    /// Reader ahead of the rewriter that finds syntax errors, in a stream of JSON alone.
    scout: Option<Box<Scout>>,
    policy: P,
    held: HeldBytes,
    /// Next check for text that is too long.
    check: Check,
    /// Untrusted text from the release point on, in stream offsets.
    untrusted: Vec<Span>,
    channel: Box<str>,
    most: usize,
    /// An incomplete assertion may cover part of the text read.
    undecided: bool,
    /// More bytes follow at once.
    goes_on: bool,
    /// A call that asks the policy has begun. If another call begins then, the policy or the
    /// handler panicked.
    busy: bool,
}

impl<P: Policy> Gate<P> {
    /// Default maximum of held text, in bytes; see [`with_max_held`](Self::with_max_held).
    pub const DEFAULT_MAX_HELD: usize = 65_536;

    /// Creates a gate from a parser at the start of a stream, and a policy.
    pub fn new(parser: Parser, policy: P) -> Self {
        Self {
            held: HeldBytes::new(parser.position(), parser.reads_json_alone()),
            scout: Scout::of(&parser),
            check: Check::new(parser.position(), parser.limits().max_assertion()),
            rewriter: Rewriter::new(parser),
            policy,
            untrusted: Vec::new(),
            channel: Box::default(),
            undecided: false,
            goes_on: false,
            busy: false,
            most: Self::DEFAULT_MAX_HELD,
        }
    }

    /// Sets the name of the channel, for the policy and the audit log.
    #[must_use]
    pub fn with_channel(mut self, channel: &str) -> Self {
        self.channel = channel.into();
        self
    }

    /// Sets how many bytes of text are held back before the policy is asked what to do ([`Policy::limit`]). For this, it is asked
    /// at stream offsets that are multiples of 1,024.
    #[must_use]
    pub const fn with_max_held(mut self, bytes: usize) -> Self {
        self.most = bytes;
        self
    }

    /// Takes the next bytes of the model's own output. After the [end](Self::ended) it does nothing.
    pub fn push(&mut self, chunk: &[u8], mut handler: impl GateHandler) {
        self.push_any(chunk, false, &mut handler);
    }

    /// Takes the next bytes of the model's own output, of which more follow at once. Until another method is called, the gate
    /// decides only about text that is too long. For callers with many small pieces: looking for the release point after each
    /// one would take most of the time.
    pub fn push_more(&mut self, chunk: &[u8], mut handler: impl GateHandler) {
        self.goes_on = true;
        self.push_any(chunk, false, &mut handler);
        self.goes_on = false;
    }

    /// Takes bytes that are not the model's own; see [`Parser::push_untrusted`].
    pub fn push_untrusted(&mut self, chunk: &[u8], mut handler: impl GateHandler) {
        self.push_any(chunk, true, &mut handler);
    }

    /// Decides about what is held back at the end of the stream.
    pub fn finish(&mut self, mut handler: impl GateHandler) {
        self.enter();
        self.end_text(EndOfText::Stream, &mut handler);
        handler.end();
        self.busy = false;
    }

    /// Marks a place where something other than text comes; see [`Parser::push_break`]. Everything that is held back is
    /// decided about: no annotation that follows can be about it. After the [end](Self::ended) of the stream it does nothing.
    ///
    /// ```
    /// use provstream::{Action, Gate, Parser, Policy, Question};
    ///
    /// struct NoInference;
    ///
    /// impl Policy for NoInference {
    ///     fn assertion(&mut self, question: &Question<'_>) -> Action {
    ///         // An annotation that comes first after a break may have been meant for what is released already.
    ///         match question.assertion().is_orphan() {
    ///             true => Action::Refuse("(withheld)".into()),
    ///             false => Action::Release,
    ///         }
    ///     }
    /// }
    ///
    /// let mut text = Vec::new();
    /// let mut gate = Gate::new(Parser::new(), NoInference);
    /// gate.push(b"The build is green.", &mut text);
    /// gate.push_break(&mut text); // the model calls a tool
    /// assert_eq!(text, b"The build is green.");
    /// gate.push(b"[unverified-inference] It will stay so.", &mut text);
    /// gate.finish(&mut text);
    /// assert_eq!(text, b"The build is green.(withheld)");
    /// ```
    pub fn push_break(&mut self, mut handler: impl GateHandler) {
        self.enter();
        self.end_text(EndOfText::Break, &mut handler);
        self.busy = false;
    }

    /// Ends the text at a limit of the caller, such as the number of bytes that it holds back behind this text. If
    /// [`Policy::limit`] releases text, the policy decides about all held text as at a [break](Self::push_break), and
    /// [`GateHandler::limit`] reports the text without an assertion. Otherwise the stream ends.
    pub fn reach_limit(&mut self, mut handler: impl GateHandler) {
        self.enter();
        let is_holding = self.held.ended().is_none() && self.held.len() > 0;
        match is_holding.then(|| self.policy.limit()) {
            Some(AtLimit::Refuse(text)) => {
                self.held.refuse(&text, &mut handler);
                self.undecided = false;
            }
            Some(AtLimit::Release) => self.end_text(EndOfText::Limit, &mut handler),
            None => self.end_text(EndOfText::Break, &mut handler),
        }
        self.busy = false;
    }

    /// Decides about all that is held back.
    fn end_text(&mut self, end: EndOfText, handler: &mut impl GateHandler) {
        if self.held.ended().is_some() {
            return;
        }
        let scout = self.scout.as_mut();
        if let Some(diagnostic) = scout.and_then(|scout| scout.push_break()) {
            self.fault(diagnostic, handler);
            if self.held.ended().is_some() {
                return;
            }
        }
        let mut taking = Taking {
            held: &mut self.held,
            policy: &mut self.policy,
            untrusted: &self.untrusted,
            channel: &self.channel,
            handler,
        };
        match end {
            EndOfText::Break | EndOfText::Limit => self.rewriter.push_break(&mut taking),
            EndOfText::Stream => self.rewriter.finish(&mut taking),
        }
        if self.check.is_blind()
            && let Some(start) = self.held.first_cut()
        {
            self.held.overflow(Some(start), &mut self.policy, handler);
        }
        match end {
            EndOfText::Break | EndOfText::Stream => {
                self.held.settle(None, &mut self.policy, handler);
            }
            EndOfText::Limit => self.held.settle_at_limit(None, &mut self.policy, handler),
        }
        match end {
            EndOfText::Break | EndOfText::Limit => self.held.close(false, handler),
            EndOfText::Stream => self.held.finish(handler),
        }
        let parser = self.rewriter.parser();
        self.check = Check::new(parser.position(), parser.limits().max_assertion());
        self.untrusted.clear();
        self.undecided = false;
    }

    /// Begins a call. If the call before did not return, its decisions are unknown, so the stream
    /// ends.
    fn enter(&mut self) {
        if core::mem::replace(&mut self.busy, true) {
            self.held.suspend();
            self.undecided = false;
        }
    }

    /// Resets to the start of a stream with the same settings; keeps the policy and the memory.
    pub fn reset(&mut self) {
        self.rewriter.reset();
        if let Some(scout) = &mut self.scout {
            scout.reset();
        }
        let parser = self.rewriter.parser();
        self.held.reset(parser.position());
        self.check = Check::new(parser.position(), parser.limits().max_assertion());
        self.untrusted.clear();
        self.undecided = false;
        self.goes_on = false;
        self.busy = false;
    }

    /// Returns how the policy has ended the stream, if it has. Nothing is written after that. If the policy or the handler
    /// panicked, the stream counts as suspended.
    #[must_use]
    pub const fn ended(&self) -> Option<GateEnd> {
        if self.busy {
            return Some(GateEnd::Suspended);
        }
        self.held.ended()
    }

    /// Returns `true` if [`finish`](Self::finish) or a refusal may still write something.
    #[must_use]
    pub fn is_holding(&self) -> bool {
        self.ended().is_none()
            && (self.undecided
                || self.held_len() > 0
                || self.held.is_in_run()
                || self.held.has_decisions())
    }

    /// Compares a text that begins with the sources as `other` did; see [`Parser::repeat_sources`].
    #[cfg(feature = "dialects")]
    pub fn repeat_sources(&mut self, other: &Self) {
        self.rewriter.repeat_sources(&other.rewriter);
    }

    /// Returns the stream offset of the next byte.
    #[must_use]
    pub const fn position(&self) -> u64 {
        self.rewriter.parser().position()
    }

    /// Returns the number of bytes that can still become an annotation or a record; see
    /// [`Parser::buffered_len`].
    #[must_use]
    pub fn buffered_len(&self) -> usize {
        self.rewriter.parser().buffered_len()
    }

    /// Returns `true` if the text so far ends in the beginning of an annotation, a record or a marker; see
    /// [`Parser::is_in_beginning`].
    #[must_use]
    pub fn is_in_beginning(&self) -> bool {
        self.rewriter.parser().is_in_beginning()
    }

    /// Returns the number of bytes of text that are held.
    #[must_use]
    pub fn held_len(&self) -> usize {
        self.undecided_len() + self.held.held_white()
    }

    fn undecided_len(&self) -> usize {
        self.held.len() + self.rewriter.unwritten_len()
    }

    /// Returns the heap memory of this stream in bytes, without that of the policy.
    #[must_use]
    pub fn heap_size(&self) -> usize {
        let scout = self.scout.as_ref();
        self.rewriter.parser().heap_size()
            + scout.map_or(0, |scout| scout.heap_size())
            + self.held.heap_size()
            + self.channel.len()
            + self.untrusted.capacity() * size_of::<Span>()
    }

    /// Returns the policy.
    pub const fn policy(&self) -> &P {
        &self.policy
    }

    /// Returns the policy for changes between two chunks.
    pub const fn policy_mut(&mut self) -> &mut P {
        &mut self.policy
    }

    fn push_any(&mut self, chunk: &[u8], untrusted: bool, handler: &mut impl GateHandler) {
        if !untrusted && self.append_if_stable(chunk) {
            return;
        }
        self.enter();
        let mut rest = chunk;
        while !rest.is_empty() && self.held.ended().is_none() {
            let room = self.check.room(self.rewriter.parser().position(), rest);
            let (now, later) = rest.split_at(rest.len().min(room));
            rest = later;
            if self.scout.is_some() {
                self.push_values(now, untrusted, handler);
            } else {
                self.push_piece(now, untrusted, handler);
            }
        }
        self.busy = false;
    }

    /// Takes a piece of a stream of JSON values. What comes before a fault is decided about first, so that it does not matter
    /// what else is in the piece.
    fn push_values(&mut self, piece: &[u8], untrusted: bool, handler: &mut impl GateHandler) {
        let scout = self.scout.as_mut();
        let faults = scout.map(|scout| scout.push(piece, untrusted));
        let mut taken = 0;
        for (before, diagnostic) in faults.unwrap_or_default() {
            if before > taken {
                self.push_piece(&piece[taken..before], untrusted, handler);
                taken = before;
            }
            if self.held.ended().is_none() {
                self.fault(diagnostic, handler);
            }
            if self.held.ended().is_some() {
                return;
            }
        }
        if taken < piece.len() {
            self.push_piece(&piece[taken..], untrusted, handler);
        }
    }

    /// Has the policy decide about what comes next, which is not JSON, and about what is held back before it. The rewriter
    /// reports the diagnostic, unless the stream ends here.
    fn fault(&mut self, diagnostic: Diagnostic, handler: &mut impl GateHandler) {
        let start = self.held.start();
        let span = Span::new(start, start + self.undecided_len() as u64);
        self.held.fault(span, &mut self.policy, handler);
        if self.held.ended().is_some() {
            self.undecided = false;
            handler.event(Event::Diagnostic(diagnostic));
        }
    }

    /// Reads a short chunk on the fast path if all of it is held and nothing needs a decision yet.
    #[inline]
    fn append_if_stable(&mut self, chunk: &[u8]) -> bool {
        if chunk.len() > SHORT || !self.undecided || self.busy {
            return false;
        }
        let end = self.rewriter.parser().position() + chunk.len() as u64;
        let held = &mut self.held;
        self.check.is_after(end)
            && self
                .rewriter
                .append_if_stable(chunk, |text| held.push_short(text))
    }

    fn push_piece(&mut self, piece: &[u8], untrusted: bool, handler: &mut impl GateHandler) {
        if untrusted {
            self.note_untrusted(piece.len() as u64);
        }
        let mut taking = Taking {
            held: &mut self.held,
            policy: &mut self.policy,
            untrusted: &self.untrusted,
            channel: &self.channel,
            handler,
        };
        if untrusted {
            self.rewriter.push_untrusted(piece, &mut taking);
        } else {
            self.rewriter.push(piece, &mut taking);
        }
        let now = self.rewriter.parser().position();
        if self.goes_on && !self.check.is_at(now) {
            self.undecided = true;
        } else {
            self.settle(handler);
        }
    }

    /// Carries out the decisions that no later byte can change.
    fn settle(&mut self, handler: &mut impl GateHandler) {
        let parser = self.rewriter.parser_mut();
        let (point, clean) = parser.release_point_and_clean();
        let now = parser.position();
        self.undecided = point.at < now;
        if !self.untrusted.is_empty() {
            self.untrusted.retain(|span| span.end() > point.at);
        }
        let is_here = self.check.is_at(now);
        let scout = self.scout.as_ref();
        if scout.is_some_and(|scout| scout.is_within_mark(now)) {
            if is_here {
                self.check = self.check.postponed(now);
            }
            return;
        }
        if !is_here && !self.check.is_far() {
            return;
        }
        // Text that only `max_assertion` keeps out of an assertion waits until the policy is asked about it.
        let upto = self.cut_before(point, clean);
        let waits = upto.is_some() || point.cut == AtCut::Maybe;
        let from = if waits { self.held.start() } else { clean };
        if from > self.held.start() || self.held.has_decisions() {
            self.held.settle(Some(from), &mut self.policy, handler);
        }
        self.held.end_white(handler);
        if is_here && self.held.ended().is_none() {
            self.check(point, upto, handler);
        }
        self.undecided &= self.held.ended().is_none();
    }

    /// Returns the offset before which held text is too long, if any is; `clean` is the offset of
    /// the release point in the stripped stream. A JSON value outside a fenced block is never too
    /// long. Text before it is, if text and value together exceed the limit.
    fn cut_before(&self, point: ReleasePoint, clean: u64) -> Option<u64> {
        if self.check.is_blind()
            && let Some(start) = self.held.first_cut()
        {
            return Some(start);
        }
        let start = self.held.start();
        let is_cut =
            point.cut == AtCut::Yes && start < clean && !self.is_in_value(start, point.at - clean);
        is_cut.then_some(clean)
    }

    /// Returns `true` if the text from `start` on is part of an open JSON value outside a fenced block, with `removed` bytes
    /// removed before it.
    fn is_in_value(&self, start: u64, removed: u64) -> bool {
        let value = self.rewriter.parser().bare_value();
        value.is_some_and(|value| value.saturating_sub(removed) <= start)
    }

    /// Asks the policy about text that is too long: more than may be held, or the text before
    /// `cut`.
    fn check(&mut self, point: ReleasePoint, cut: Option<u64>, handler: &mut impl GateHandler) {
        let parser = self.rewriter.parser();
        let (now, max) = (parser.position(), parser.limits().max_assertion());
        let until = parser.uncut_until(point);
        let in_value =
            until.is_none() && parser.bare_value().is_some_and(|value| value <= point.at);
        self.check = if cut.is_some() || in_value {
            self.check.in_long(now, max)
        } else {
            self.check.again(now, until)
        };
        if now.is_multiple_of(STRIDE) && self.held.len() > self.most {
            self.held.overflow(None, &mut self.policy, handler);
        } else if cut.is_some() {
            self.held.overflow(cut, &mut self.policy, handler);
        }
    }

    fn note_untrusted(&mut self, len: u64) {
        let start = self.rewriter.parser().position();
        let end = start + len;
        let full = self.untrusted.len() >= MOST_STRETCHES;
        match self.untrusted.last_mut() {
            // If the list is full, the last stretch is extended, so text between the two counts as
            // untrusted, too.
            Some(last) if last.end() == start || full => *last = Span::new(last.start(), end),
            _ => self.untrusted.push(Span::new(start, end)),
        }
    }
}

/// An end of a text.
#[derive(Clone, Copy, Debug)]
enum EndOfText {
    Break,
    /// A limit of the caller; see [`Gate::reach_limit`].
    Limit,
    Stream,
}

/// Handler of the rewriter's output and events.
struct Taking<'a, P, H> {
    held: &'a mut HeldBytes,
    policy: &'a mut P,
    untrusted: &'a [Span],
    channel: &'a str,
    handler: &'a mut H,
}

impl<P: Policy, H: GateHandler> Taking<'_, P, H> {
    fn ask(
        &mut self,
        assertion: &Assertion<'_>,
        #[cfg(feature = "dialects")] citation: Option<&CitationParts<'_>>,
    ) {
        let span = assertion.span();
        let clean = self.held.clean_span(assertion);
        if self.held.is_beyond_stop(clean) {
            return;
        }
        let meets = |other: &Span| other.start() < span.end() && span.start() < other.end();
        let untrusted = self.untrusted.iter().any(meets);
        let verdict = self.policy.judge(assertion);
        let question = Question {
            assertion,
            clean_span: clean,
            verdict: verdict.as_ref(),
            channel: self.channel,
            untrusted,
            #[cfg(feature = "dialects")]
            citation,
        };
        let action = self.policy.assertion(&question);
        self.handler.decided(&question, &action);
        let is_citation = question.is_citation();
        self.held.decide(assertion, clean, action, is_citation);
    }
}

impl<P: Policy, H: GateHandler> Handler for Taking<'_, P, H> {
    fn text(&mut self, text: TextChunk<'_>) {
        self.held.push(text.bytes());
    }

    fn annotation(&mut self, annotation: &BracketAnnotation<'_>) -> Replacement {
        let removed = annotation.span().len() + annotation.whitespace_before() as u64;
        self.held.remove(removed);
        self.handler.annotation(annotation);
        Replacement::Remove
    }

    fn record(&mut self, record: &JsonRecord<'_>) -> Replacement {
        self.held.remove_record(record.span());
        self.handler.record(record);
        Replacement::Remove
    }

    #[cfg(feature = "dialects")]
    fn marker(&mut self, marker: &Marker<'_>) -> Replacement {
        let removed = marker.span().len() + marker.whitespace_before() as u64;
        self.held.remove(removed);
        self.handler.marker(marker);
        Replacement::Remove
    }

    fn event(&mut self, event: Event<'_>) {
        match &event {
            Event::Assertion(assertion) => self.ask(
                assertion,
                #[cfg(feature = "dialects")]
                None,
            ),
            #[cfg(feature = "dialects")]
            Event::Citation(citation)
                if citation.is_orphan() || !citation.clean_span().is_empty() =>
            {
                self.ask(&citation.assertion(), Some(citation.parts()));
            }
            Event::Diagnostic(found) if found.code() == DiagnosticCode::LimitAssertion => {
                self.held.note_cut(found.span());
            }
            _ => {}
        }
        self.handler.event(event);
    }
}
