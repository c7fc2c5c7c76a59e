//! Filter of a response body.

use core::fmt;
use std::io;
use std::sync::Arc;

use memchr::memchr;
use provstream::GateEnd;
use provstream::provenance::Timestamp;
use provstream_providers::{Format, NoticeCode, StreamHandler};

use crate::audit::{Audit, AuditSink};
use crate::cause::Cause;
use crate::draft::Draft;
use crate::machine::{Machine, Now, machine};
use crate::observation_ids::ObservationIds;
use crate::outcome::ResponseOutcome;
use crate::pass_reason::PassReason;
use crate::refusal::Refusal;
#[cfg(feature = "dialects")]
use crate::seen::Citing;
use crate::seen::ResponseRecorder;
use crate::settings::{Act, FilterSettings};
use crate::shape::{can_resume, can_stop, error_event, mark_whole, stop_events, without_ends};
use crate::tracker::{EventFraming, Tracker};

mod waiting;

/// Most bytes buffered until the format of a response is known.
const MAX_UNKNOWN: usize = 1 << 16;

/// State of a response after a call to its filter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
#[non_exhaustive]
pub enum Flow {
    /// The response continues: push more bytes.
    More,
    /// The policy has suspended the answer, and the filter was built [with
    /// suspension](BodyFilter::with_suspension). Call [`resume`](BodyFilter::resume) and continue
    /// with another response, or call [`stop`](BodyFilter::stop). Close the connection to this
    /// upstream.
    Suspended,
    /// The response is complete with the output so far. Close the connection to the upstream.
    Done,
    /// The response is aborted after the output so far. The client must notice: close its
    /// connection without the end that HTTP requires.
    Reset,
}

/// Filter of a response body: strips annotations, or applies a policy to the text.
///
/// Call [`push`](Self::push) for each piece, then [`finish`](Self::finish), or
/// [`abort`](Self::abort) if the body does not end properly. The output does not depend on the
/// boundaries of pieces.
///
/// The head of a response that is not streamed is sent after the body is complete, with its length
/// and the status from [`status`](Self::status), if any. Until then
/// [`awaits_end`](Self::awaits_end) returns `true`, and there is no output. Memory is bounded by
/// the route's limits.
#[repr(C)] // What most pieces of a stream need comes first, next to each other in memory.
pub struct BodyFilter {
    machine: Machine,
    /// Last four bytes of the output.
    tail: [u8; 4],
    seen: ResponseRecorder,
    settings: Arc<FilterSettings>,
    /// Time by which policies judge: that of the last call with a `now`.
    now: Now,
    /// Format of the API at the request's path.
    hint: Option<Format>,
    choices: usize,
    /// `true` for a JSON content type without streaming.
    is_json: bool,
    is_sse: bool,
    /// `true` if a line of the output may have an event identifier.
    has_id: bool,
    /// `true` after the first byte other than white space.
    has_begun: bool,
    /// Buffered body of a response that is not streamed.
    whole: Option<Vec<u8>>,
    /// Input before the format is known, on a gated route that fails open.
    raw: Option<Vec<u8>>,
    status: Option<u16>,
    /// `true` if a suspended stream may continue with another response.
    suspends: bool,
    /// Format of the earlier responses in the same stream.
    joined: Option<Format>,
    /// Final state. From then on `push` and `finish` return it and ignore their input.
    over: Option<Flow>,
}

impl fmt::Debug for BodyFilter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BodyFilter")
            .field("outcome", &self.seen.outcome)
            .field("over", &self.over)
            .finish_non_exhaustive()
    }
}

/// Facts about a response that its filter needs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct About {
    pub(crate) hint: Option<Format>,
    pub(crate) choices: usize,
    pub(crate) is_json: bool,
    pub(crate) is_sse: bool,
}

impl BodyFilter {
    pub(crate) fn new(settings: &Arc<FilterSettings>, about: About) -> Self {
        let mut seen = ResponseRecorder::new();
        let is_gate = settings.is_gate();
        if let Act::Gate(rules) = &settings.act {
            seen.rules = Some(Arc::clone(rules));
        }
        #[cfg(feature = "dialects")]
        {
            seen.citing = Citing::new(&settings.citations);
        }
        seen.is_strict = settings.is_closed;
        if is_gate || seen.is_strict {
            seen.tracker = Some(Tracker::new());
        }
        let probes = is_gate && !settings.is_closed && settings.format.is_none();
        let now = Now::default();
        Self {
            machine: machine(settings, &now),
            tail: [0; 4],
            seen,
            now,
            settings: Arc::clone(settings),
            hint: about.hint,
            choices: about.choices,
            is_json: about.is_json,
            is_sse: about.is_sse,
            has_id: false,
            has_begun: false,
            whole: about.is_json.then(Vec::new),
            raw: probes.then(Vec::new),
            status: None,
            suspends: false,
            joined: None,
            over: None,
        }
    }

    /// Writes the decisions of a gate to an audit log, in which `stream` names the response. Call
    /// this before the first push. If a line cannot be written, nothing more is released.
    #[must_use]
    pub fn with_audit(
        mut self,
        log: impl AuditSink + Send + Sync + 'static,
        name: &str,
        stream: &str,
    ) -> Self {
        if let Act::Gate(rules) = &self.settings.act {
            let log: Box<dyn AuditSink + Send + Sync> = Box::new(log);
            let now = self.now.clone();
            let audit = Audit::new(
                log,
                name.to_owned(),
                stream.to_owned(),
                Arc::clone(rules),
                move || now.get(),
            );
            self.seen.audit = Some(audit);
        }
        self
    }

    /// Sets the form of the observation ids in the audit log. Call this after [`with_audit`](Self::with_audit).
    #[must_use]
    pub fn with_observation_ids(mut self, ids: ObservationIds) -> Self {
        let audit = self.seen.audit.take();
        self.seen.audit = audit.map(|audit| audit.with_observation_ids(ids));
        self
    }

    /// Returns the error of the audit log, if a write failed. The response then ends with
    /// [`Cause::AuditFailed`].
    #[must_use]
    pub fn audit_error(&self) -> Option<&io::Error> {
        self.seen.audit.as_ref()?.error()
    }

    /// Adds a handler that receives all events except the bytes. Call this before the first push.
    #[must_use]
    pub fn with_observer(mut self, observer: impl StreamHandler + Send + Sync + 'static) -> Self {
        self.seen.observer = Some(Box::new(observer));
        self
    }

    /// Enables suspension: a stream that the policy suspends can continue with another response, if
    /// its format permits. Call this before the first push. [`push`](Self::push) then returns
    /// [`Flow::Suspended`], and [`draft`](Self::draft) the released text.
    #[must_use]
    pub fn with_suspension(mut self) -> Self {
        self.suspends = true;
        self.seen.draft = Some(Draft::default());
        self
    }

    /// Returns the released text and the rejected assertion, or `None` without
    /// [suspension](Self::with_suspension).
    #[must_use]
    pub const fn draft(&self) -> Option<&Draft> {
        self.seen.draft.as_ref()
    }

    /// Continues a suspended stream with another response. Ends the open blocks of the first
    /// response in `out`. If the other response has another format, none of it is written, and the
    /// stream ends as one that the policy has ended.
    ///
    /// The new events keep the identifiers of their response. Numbers of blocks, items and events
    /// continue those of the first response, and events that occur only at the beginning of a
    /// stream are left out.
    pub fn resume(&mut self, out: &mut Vec<u8>) {
        if self.over == Some(Flow::Suspended) {
            if let Some(format) = self.machine.format() {
                let most = self.settings.max_event.saturating_add(MAX_UNKNOWN);
                self.seen.join(format, most);
                self.release(out);
                self.joined = Some(format);
            }
            if let Some(audit) = &mut self.seen.audit {
                audit.next_answer();
            }
            self.seen.has_end = false;
            self.seen.outcome.is_partial |= !self.machine.report().is_complete();
            self.machine = machine(&self.settings, &self.now);
            self.over = None;
        }
    }

    /// Ends a suspended stream like one that the policy has ended.
    pub fn stop(&mut self, out: &mut Vec<u8>) -> Flow {
        if self.over == Some(Flow::Suspended) {
            return self.write_stop(out);
        }
        self.over.unwrap_or(Flow::More)
    }

    /// Returns `true` if a policy decides about the text. Otherwise the `now` arguments are
    /// ignored.
    #[must_use]
    pub const fn is_gate(&self) -> bool {
        matches!(self.machine, Machine::Gate(_))
    }

    /// Processes the next bytes of the decompressed body at the time `now`. Appends released bytes
    /// to `out`.
    pub fn push(&mut self, bytes: &[u8], now: Timestamp, out: &mut Vec<u8>) -> Flow {
        if let Some(flow) = self.over {
            return flow;
        }
        self.now.set(now);
        self.seen.outcome.bytes_in += bytes.len() as u64;
        self.begin(bytes);
        if self.seen.outcome.passed.is_some() {
            return self.write(bytes, out);
        }
        if let Some(raw) = &mut self.raw {
            raw.extend_from_slice(bytes);
        }
        let flow = self.feed(bytes, out);
        if flow == Flow::More {
            self.settle_format(out)
        } else {
            flow
        }
    }

    /// Processes the next bytes like [`push`](Self::push). Returns `None` if the output is exactly
    /// `bytes`: nothing is appended to `out`, which must be empty, and the caller sends its own
    /// buffer without a copy.
    ///
    /// This is the case for most events of a stream whose annotations are stripped, if each is
    /// pushed in a piece of its own.
    #[must_use = "`None` says that the bytes are to be sent"]
    pub fn push_or_pass(
        &mut self,
        bytes: &[u8],
        now: Timestamp,
        out: &mut Vec<u8>,
    ) -> Option<Flow> {
        if !self.seen.is_direct || !out.is_empty() {
            return Some(self.push(bytes, now, out));
        }
        let is_passed = self.machine.push_or_pass(bytes, &mut self.seen);
        self.seen.outcome.bytes_in += bytes.len() as u64;
        if is_passed {
            self.count_written(bytes);
            return None;
        }
        // `seen.out` was empty before, so it has only this output.
        core::mem::swap(out, &mut self.seen.out);
        self.count_written(out);
        Some(Flow::More)
    }

    /// Ends the body.
    pub fn finish(&mut self, now: Timestamp, out: &mut Vec<u8>) -> Flow {
        if let Some(flow) = self.over {
            return flow;
        }
        self.now.set(now);
        let before = out.len() + self.seen.out.len();
        if self.seen.outcome.passed.is_none() {
            self.machine.finish(&mut self.seen);
        }
        if self.is_of_another_format() || self.is_empty_again() {
            self.seen.out.clear();
            return self.write_stop(out);
        }
        self.note();
        if self.seen.outcome.passed.is_none() && self.is_unread() {
            if let Some(raw) = self.raw.take() {
                return self.pass_raw(&raw, true, out);
            }
            if let Some(cause) = self.fault() {
                return self.fail(cause, out);
            }
        }
        if let Some(cause) = self.fault() {
            return self.fail(cause, out);
        }
        if self.whole.is_none() && self.is_stopped() {
            return self.halt(before, out);
        }
        self.seen.outcome.finished = true;
        self.release(out);
        self.end_whole(out);
        self.end(Flow::Done)
    }

    /// Ends the response early with an error in the API's format. A gate that fails closed
    /// withholds all undecided text, because a missing annotation could have caused its rejection.
    /// A gate that fails open decides about the text as at the end of an answer. Without a gate,
    /// the remaining text is written.
    pub fn abort(&mut self, cause: Cause, now: Timestamp, out: &mut Vec<u8>) -> Flow {
        self.break_off(cause, now, out, false)
    }

    /// Ends the response early because its body cannot be decompressed further. Like
    /// [`abort`](Self::abort), but on a route that strips annotations and fails open, the received
    /// part of a response that is not streamed is written and the response is aborted, if there is
    /// any.
    pub fn abort_decoding(&mut self, cause: Cause, now: Timestamp, out: &mut Vec<u8>) -> Flow {
        let is_open = !self.settings.is_gate() && !self.seen.is_strict;
        self.break_off(cause, now, out, is_open)
    }

    fn break_off(
        &mut self,
        cause: Cause,
        now: Timestamp,
        out: &mut Vec<u8>,
        keeps_whole: bool,
    ) -> Flow {
        if let Some(flow) = self.over {
            return flow;
        }
        self.now.set(now);
        let decides = !(self.settings.is_gate() && self.settings.is_closed);
        if decides && self.seen.outcome.passed.is_none() && !self.seen.is_blocked {
            self.machine.finish(&mut self.seen);
        }
        if keeps_whole {
            self.release(out);
            if let Some(whole) = self.whole.take_if(|whole| !whole.is_empty()) {
                let _ = self.write(&whole, out);
            }
        }
        self.note();
        if !decides {
            self.note_undecided();
        }
        self.fail(cause, out)
    }

    /// Ends the response because the client has disconnected. Nothing more is decided or written.
    pub fn cancel(&mut self, now: Timestamp) {
        if self.over.is_none() {
            self.now.set(now);
            self.note();
            self.note_undecided();
            self.seen.is_direct = false;
            self.over = Some(Flow::Done);
        }
    }

    /// Records in the audit log that texts ended before the held text, and that open runs ended.
    fn note_undecided(&mut self) {
        let is_holding = self.machine.held() > 0;
        if let Some(audit) = &mut self.seen.audit {
            audit.end_runs();
            if !is_holding {
                return;
            }
            let ended = &self.seen.outcome.ended;
            for channel in &self.seen.channels {
                if ended.iter().all(|(one, _)| one != channel) {
                    audit.enter(channel.to_string());
                    audit.ended("suspend");
                }
            }
        }
    }

    /// Returns `true` if the head of the response must not be sent yet, because the body is
    /// buffered until its end.
    #[must_use]
    pub const fn awaits_end(&self) -> bool {
        self.whole.is_some()
    }

    /// Returns the status that replaces the upstream's if the body is an error of this filter.
    /// Known at the end of a [buffered](Self::awaits_end) body. The content type is then
    /// `application/json`.
    #[must_use]
    pub const fn status(&self) -> Option<u16> {
        self.status
    }

    /// Returns the number of held bytes of text and events.
    #[must_use]
    pub fn held(&self) -> usize {
        if self.seen.is_direct || self.over.is_some() {
            return 0;
        }
        self.machine.held() + self.seen.out.len() + self.whole.as_ref().map_or(0, Vec::len)
    }

    /// Returns the length of the incomplete event in bytes. The event is processed at once when it
    /// is complete, so a caller with other work may move the call to another thread.
    #[must_use]
    pub fn open_len(&self) -> usize {
        self.machine.open_len()
    }

    /// Returns the outcome so far.
    #[must_use]
    pub const fn outcome(&self) -> &ResponseOutcome {
        &self.seen.outcome
    }

    /// Returns the format of the response, if known, otherwise that of the API at the request's
    /// path.
    #[must_use]
    pub fn format(&self) -> Option<Format> {
        self.joined.or(self.machine.format()).or(self.hint)
    }

    /// Returns `true` if this response has another format than the earlier ones in the stream.
    fn is_of_another_format(&self) -> bool {
        let formats = self.joined.zip(self.machine.format());
        formats.is_some_and(|(joined, format)| joined != format)
    }

    /// Returns `true` if this response continues others and has nothing but an end.
    fn is_empty_again(&self) -> bool {
        let events = self.machine.report().events();
        self.joined.is_some() && events <= u64::from(self.seen.has_end)
    }

    /// Examines the first byte other than white space: only a JSON object can be a response that is
    /// not streamed.
    fn begin(&mut self, bytes: &[u8]) {
        if self.has_begun {
            return;
        }
        let mut visible = bytes.iter().filter(|byte| !byte.is_ascii_whitespace());
        if let Some(first) = visible.next() {
            self.has_begun = true;
            if *first != b'{' {
                self.whole = None;
            }
        }
    }

    /// Feeds bytes to the rewriter or gate. A gate gets one event at a time, because a stream ends
    /// right where its policy ends it.
    fn feed(&mut self, bytes: &[u8], out: &mut Vec<u8>) -> Flow {
        if !self.settings.is_gate() || self.whole.is_some() {
            self.push_piece(bytes, out);
            return self.after_piece(out);
        }
        let is_array = self.is_json;
        let mut rest = bytes;
        while !rest.is_empty() {
            let end = memchr(if is_array { b'}' } else { b'\n' }, rest);
            let (now, later) = rest.split_at(end.map_or(rest.len(), |end| end + 1));
            rest = later;
            // The length of all output before this piece, including bytes that still wait.
            let before = out.len() + self.seen.out.len();
            self.push_piece(now, out);
            let flow = self.after_piece(out);
            if flow != Flow::More {
                return flow;
            }
            // Only after an LF: if an event ended with a CR, an LF that follows is still part of
            // it.
            if end.is_some() && self.is_stopped() {
                self.machine.finish(&mut self.seen);
                self.note();
                return match self.fault() {
                    Some(cause) => self.fail(cause, out),
                    None => self.halt(before, out),
                };
            }
        }
        Flow::More
    }

    /// Feeds bytes to the rewriter or gate. If no output must wait, its output goes directly to
    /// `out`.
    fn push_piece(&mut self, bytes: &[u8], out: &mut Vec<u8>) {
        let waits = self.whole.is_some() || self.raw.is_some() || !self.seen.out.is_empty();
        if waits || self.machine.format().is_none() {
            return self.machine.push(bytes, &mut self.seen);
        }
        let before = out.len();
        core::mem::swap(out, &mut self.seen.out);
        self.machine.push(bytes, &mut self.seen);
        core::mem::swap(out, &mut self.seen.out);
        if self.seen.has_audit_failed() {
            out.truncate(before);
        }
        self.count_written(&out[before..]);
    }

    fn after_piece(&mut self, out: &mut Vec<u8>) -> Flow {
        if self.is_of_another_format() {
            self.seen.out.clear();
            return self.write_stop(out);
        }
        if self.seen.is_blocked || self.seen.has_audit_failed() {
            self.note();
            self.note_undecided();
            let cause = self.fault().unwrap_or(Cause::NotInspected);
            return self.fail(cause, out);
        }
        Flow::More
    }

    /// Writes the output that the known or unknown format permits.
    fn settle_format(&mut self, out: &mut Vec<u8>) -> Flow {
        if self.machine.format().is_some() {
            self.raw = None;
        } else if let Some(raw) = self.raw.take() {
            if raw.len() > MAX_UNKNOWN {
                return self.pass_raw(&raw, false, out);
            }
            self.raw = Some(raw);
        } else if self.seen.is_strict {
            if self.seen.out.len() > MAX_UNKNOWN {
                self.seen.is_blocked = true;
                return self.fail(Cause::NotInspected, out);
            }
            return Flow::More;
        }
        self.release(out);
        self.seen.is_direct = self.is_direct();
        // Lines of JSON that are streamed with the type of one value, or a value that is longer than one may be.
        let is_stream = self.machine.report().events() > 1;
        let goes_on = |whole: &mut Vec<u8>| is_stream || whole.len() > self.settings.max_event;
        if let Some(whole) = self.whole.take_if(goes_on) {
            return self.write(&whole, out);
        }
        Flow::More
    }

    /// Returns `true` if the rewriter's output goes to the client without further processing.
    fn is_direct(&self) -> bool {
        let is_seen = self.seen.tracker.is_some() || self.seen.splicer.is_some();
        let is_kept = self.whole.is_some() || self.raw.is_some();
        !self.settings.is_gate() && self.machine.format().is_some() && !is_seen && !is_kept
    }

    /// Passes the body unchanged from its start, because its format is unknown.
    fn pass_raw(&mut self, raw: &[u8], is_all: bool, out: &mut Vec<u8>) -> Flow {
        self.seen.outcome.passed = Some(PassReason::UnknownFormat);
        self.seen.out.clear();
        let flow = self.write(raw, out);
        if is_all {
            self.seen.outcome.finished = true;
            self.end_whole(out);
            return self.end(Flow::Done);
        }
        if let Some(whole) = self.whole.take() {
            return self.write(&whole, out);
        }
        flow
    }

    /// Returns `true` if the policy has ended all texts of a stream that can be ended early.
    fn is_stopped(&mut self) -> bool {
        let ended = self.machine.ended();
        // An error of the provider ends the response by itself, and clients have to read it.
        if ended.is_empty() || self.seen.outcome.errors > 0 {
            return false;
        }
        let Some(format) = self.machine.format().filter(|format| can_stop(*format)) else {
            return false;
        };
        let has_choices = matches!(
            format,
            Format::OpenAiChat | Format::Gemini | Format::LlamaCpp
        );
        !has_choices || ended.len() >= self.choices.max(self.seen.channels.len())
    }

    /// Ends or suspends a stream whose texts the policy has ended. What was written from `from` on has waited for that
    /// decision, and may have the provider's end.
    fn halt(&mut self, from: usize, out: &mut Vec<u8>) -> Flow {
        self.release(out);
        if let Some(tracker) = &mut self.seen.tracker {
            let kept = without_ends(&out[from..], tracker);
            self.seen.outcome.bytes_out -= (out.len() - from) as u64;
            self.seen.outcome.bytes_out += kept.len() as u64;
            out.truncate(from);
            out.extend(kept);
        }
        let is_suspended = matches!(self.seen.outcome.ended[..], [(_, GateEnd::Suspended)]);
        if self.suspends && is_suspended && self.can_resume() {
            return self.end(Flow::Suspended);
        }
        self.write_stop(out)
    }

    fn can_resume(&self) -> bool {
        let format = self.machine.format().zip(self.seen.tracker.as_ref());
        format.is_some_and(|(format, tracker)| can_resume(format, tracker.envelope))
    }

    fn write_stop(&mut self, out: &mut Vec<u8>) -> Flow {
        self.seen.outcome.finished = true;
        let ended: Vec<_> = self
            .seen
            .outcome
            .ended
            .iter()
            .map(|(one, _)| *one)
            .collect();
        let format = self.joined.or(self.machine.format());
        if let (Some(format), Some(tracker)) = (format, &self.seen.tracker) {
            let events = stop_events(format, tracker, &ended);
            let _ = self.write(&events, out);
        }
        self.end(Flow::Done)
    }

    /// Updates the outcome from the rewriter or gate.
    fn note(&mut self) {
        let outcome = &mut self.seen.outcome;
        outcome.format = self.machine.format();
        outcome.report = self.machine.report().clone();
        outcome.ended = self.machine.ended();
        if let Some(audit) = &mut self.seen.audit {
            for (channel, end) in &outcome.ended {
                audit.enter(channel.to_string());
                audit.ended(match end {
                    GateEnd::Suspended => "suspend",
                    _ => "refuse",
                });
            }
        }
    }

    /// Returns `true` if something was not read, other than what a gate has emptied, so that it does not reach the client.
    fn is_unread(&self) -> bool {
        let outcome = &self.seen.outcome;
        let emptied = match self.settings.is_gate() {
            true => outcome.report.count(NoticeCode::UnreadMember),
            false => 0,
        };
        outcome.format.is_none() || outcome.report.unread() > emptied
    }

    /// Returns the cause that forbids to end the response as a complete one, if any.
    fn fault(&self) -> Option<Cause> {
        if self.seen.has_audit_failed() {
            return Some(Cause::AuditFailed);
        }
        let outcome = &self.seen.outcome;
        if outcome.passed.is_some() || !(self.settings.is_gate() || self.seen.is_strict) {
            return None;
        }
        let is_unread = self.is_unread();
        let is_silent = outcome.bytes_out == 0
            && self.whole.as_ref().is_none_or(Vec::is_empty)
            && (self.seen.is_strict || self.seen.out.is_empty());
        let is_lost = outcome.bytes_in > 0 && is_unread && is_silent;
        (self.seen.is_blocked || is_lost).then_some(Cause::NotInspected)
    }

    /// Ends the response with an error.
    fn fail(&mut self, cause: Cause, out: &mut Vec<u8>) -> Flow {
        self.seen.outcome.cause = Some(cause);
        if self.whole.take().is_some() {
            let refusal = Refusal::new(cause, self.format());
            self.status = Some(refusal.status());
            let _ = self.write(refusal.body(), out);
            return self.end(Flow::Done);
        }
        let knows = self.machine.format().is_some() || self.settings.is_gate();
        if knows && !self.seen.has_audit_failed() {
            self.release(out);
        }
        self.seen.out.clear();
        let format = self.format();
        match &self.seen.tracker {
            Some(tracker) if self.seen.outcome.passed.is_none() => {
                let mut tracker = tracker.clone();
                if self.seen.outcome.bytes_out == 0 && !self.is_sse {
                    tracker.envelope = if self.is_json {
                        EventFraming::Array(false)
                    } else {
                        EventFraming::Lines
                    };
                }
                let event = error_event(format, &tracker, cause.as_str(), cause.message());
                let _ = self.write(&event, out);
                self.end(Flow::Done)
            }
            _ => self.end(Flow::Reset),
        }
    }

    /// Writes the released bytes.
    fn release(&mut self, out: &mut Vec<u8>) {
        // Its memory is given back: a stream needs none while it waits.
        let released = core::mem::take(&mut self.seen.out);
        let _ = self.write(&released, out);
    }

    fn write(&mut self, bytes: &[u8], out: &mut Vec<u8>) -> Flow {
        if let Some(whole) = &mut self.whole {
            whole.extend_from_slice(bytes);
            return Flow::More;
        }
        out.extend_from_slice(bytes);
        self.count_written(bytes);
        Flow::More
    }

    /// Counts bytes written to the client.
    fn count_written(&mut self, bytes: &[u8]) {
        self.note_id(bytes);
        self.seen.outcome.bytes_out += bytes.len() as u64;
        if let Some(tail) = bytes.last_chunk() {
            self.tail = *tail;
            return;
        }
        for byte in bytes {
            self.tail.rotate_left(1);
            self.tail[3] = *byte;
        }
    }

    /// Writes the buffered body.
    fn end_whole(&mut self, out: &mut Vec<u8>) {
        let Some(mut whole) = self.whole.take() else {
            return;
        };
        let outcome = &self.seen.outcome;
        let ended: Vec<_> = outcome.ended.iter().map(|(one, _)| *one).collect();
        if let (Some(format), false) = (outcome.format, ended.is_empty()) {
            mark_whole(format, &mut whole, &ended);
        }
        let _ = self.write(&whole, out);
    }

    const fn end(&mut self, flow: Flow) -> Flow {
        self.seen.is_direct = false;
        self.over = Some(flow);
        flow
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_filter_takes_little_memory() {
        // Every stream has one. What is large and the same for all of them is shared.
        assert!(
            size_of::<BodyFilter>() <= 1_064,
            "{}",
            size_of::<BodyFilter>()
        );
    }
}
