//! Gate handler that writes the body of a page.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::io;
use std::mem;

use provstream::provenance::{Encoding, Verdict};
use provstream::{
    Action, AtLimit, Disposition, Event, GateHandler, Handler, Question, Span, TextChunk,
    Unannotated,
};

use crate::counts::Counts;
use crate::decode::LossyDecoder;
use crate::dry_run::{Judge, LimitFlag};
use crate::line::{LineKind, LineKinds};
use crate::note::{Deed, Evidence, Note, NoteNumbering, UnnumberedNote};
use crate::outcome::Outcome;
use crate::part::Part;
use crate::sections::{Highlight, HighlightKind, LineEvent, SectionWriter};
use crate::wording::{self, Look};

/// Bytes after which a part of a line is written.
const MAX_LINE: usize = 8 << 10;

/// Line events after which a part of a line is written.
const MAX_CUTS: usize = 256;

/// Number of the mark around all text after the end that the policy sets.
const AFTER_END: u64 = u64::MAX;
/// Number of the mark around a run of unannotated text.
const RUN: u64 = u64::MAX - 1;

/// A mark whose end was not reached yet.
#[derive(Clone, Debug)]
struct PendingMark {
    /// Start and end in the text without annotations, in bytes.
    start: u64,
    end: u64,
    mark: Highlight,
    note: Option<UnnumberedNote>,
}

/// Writes the body of a page about one text of an answer. Must be the handler of a gate with the
/// policy [`DryRun`](crate::DryRun).
///
/// Shows the gate's text unchanged, with a mark around each assertion and an entry for it. The
/// output does not depend on chunk boundaries. Memory is bounded by the bytes that the gate holds,
/// provided that the caller calls [`write_to`](Self::write_to) often.
///
/// Created by [`Report::transcript`](crate::Report::transcript).
#[derive(Clone, Debug)]
pub struct Transcript {
    judge: Judge,
    at_limit: LimitFlag,
    title: Box<str>,
    counts: Counts,
    marks: u64,
    sections: SectionWriter,
    /// Offset of the next byte of text.
    position: u64,
    decoder: LossyDecoder,
    line: String,
    cuts: Vec<(usize, LineEvent)>,
    kinds: LineKinds,
    /// Kind of the current line, if a part of it is written.
    kind: Option<LineKind>,
    /// Marks that have not begun, ordered by start; of two with the same start, the longer first.
    pending: Vec<PendingMark>,
    /// Marks that have begun and not ended.
    begun: Vec<PendingMark>,
    /// Offset at which the policy ends the stream.
    stop: Option<u64>,
    /// `true` if the stream ended at a limit. Further limits are ignored.
    is_over: bool,
}

impl Transcript {
    pub(crate) fn new(
        judge: Judge,
        at_limit: LimitFlag,
        channel: Option<&str>,
        prefix: &str,
    ) -> Self {
        Self {
            judge,
            at_limit,
            title: channel.map_or_else(|| "Answer".into(), |name| format!("Channel {name}").into()),
            counts: Counts::default(),
            marks: 0,
            sections: SectionWriter::new(NoteNumbering::new(prefix)),
            position: 0,
            decoder: LossyDecoder::default(),
            line: String::new(),
            cuts: Vec::new(),
            kinds: LineKinds::default(),
            kind: None,
            pending: Vec::new(),
            begun: Vec::new(),
            stop: None,
            is_over: false,
        }
    }

    /// Shows the whole text as code. Suitable for JSON.
    #[must_use]
    pub fn with_code(mut self) -> Self {
        self.kinds = LineKinds::code();
        self
    }

    /// Prepares for further events of this text, after events of another text that has the same
    /// policy.
    pub fn resume(&mut self) {
        // Whatever reached a limit was not this text.
        self.at_limit.take();
    }

    /// Returns the offset of the next byte of text, in the text without annotations.
    #[must_use]
    pub const fn position(&self) -> u64 {
        self.position
    }

    /// Returns the counts so far.
    #[must_use]
    pub const fn counts(&self) -> &Counts {
        &self.counts
    }

    /// Writes the finished part of the body, and drops it from memory.
    ///
    /// # Errors
    ///
    /// Returns errors of the writer. The unwritten part is then lost.
    pub fn write_to(&mut self, mut body: impl io::Write) -> io::Result<()> {
        body.write_all(self.sections.take().as_bytes())
    }

    /// Writes the rest of the body, and returns the part for the head of the page. Call it after
    /// the gate has finished.
    ///
    /// # Errors
    ///
    /// Returns errors of the writer.
    pub fn finish(mut self, body: impl io::Write) -> io::Result<Part> {
        self.notice_limit();
        self.pass_boundaries();
        let mut line = mem::take(&mut self.line);
        self.decoder.finish(&mut line);
        self.line = line;
        // Nothing is left open but what the stream did not reach the end of.
        for left in mem::take(&mut self.begun) {
            self.close(left);
        }
        for left in mem::take(&mut self.pending) {
            self.cuts.extend(
                left.note
                    .map(|note| (self.line.len(), LineEvent::Note(note))),
            );
        }
        self.write_line(self.line.len());
        let (numbering, index) = self.sections.finish();
        self.write_to(body)?;
        Ok(Part {
            title: self.title,
            prefix: numbering.prefix().into(),
            counts: self.counts,
            problems: numbering.problems(),
            index,
        })
    }

    /// Handles a limit that the gate has just reached. Every handler of events calls this first.
    fn notice_limit(&mut self) {
        if !self.at_limit.take() || self.is_over {
            return;
        }
        let is_after_end = self.stop.is_some_and(|stop| stop <= self.position);
        let AtLimit::Refuse(text) = self.judge.limit() else {
            return;
        };
        self.is_over = true;
        if is_after_end {
            return;
        }
        self.counts.ends.clear();
        *self.counts.ends.entry(Outcome::Refuse).or_default() += 1;
        let action = Action::Refuse(text);
        let note = Note {
            look: Look::Limit,
            title: "Limit reached",
            detail: "too much is held back".into(),
            deed: Deed::Action(&action),
            place: None,
            pointer: None,
            evidence: Vec::new(),
        }
        .draft();
        self.pass_boundaries();
        self.cut(LineEvent::Note(note));
        self.stop_at(self.position);
        self.pass_boundaries();
    }

    /// Ends the stream at an offset.
    fn stop_at(&mut self, stop: u64) {
        self.stop = Some(stop);
        self.pending
            .retain(|pending| pending.mark.number != AFTER_END);
        self.insert(PendingMark {
            start: stop,
            end: u64::MAX,
            mark: Highlight {
                number: AFTER_END,
                kind: HighlightKind::AfterEnd,
            },
            note: None,
        });
    }

    fn insert(&mut self, new: PendingMark) {
        let key = |it: &PendingMark| (it.start, Reverse(it.end));
        let at = self.pending.partition_point(|it| key(it) <= key(&new));
        self.pending.insert(at, new);
    }

    fn cut(&mut self, cut: LineEvent) {
        self.cuts.push((self.line.len(), cut));
    }

    /// Adds text up to the end of `bytes`, with the marks that begin and end in it.
    fn text(&mut self, mut bytes: &[u8]) {
        self.pass_boundaries();
        while !bytes.is_empty() {
            let next = self.next_boundary().saturating_sub(self.position);
            let len = usize::try_from(next).map_or(bytes.len(), |next| next.min(bytes.len()));
            let (now, later) = bytes.split_at(len);
            // A line at a time, so that what follows on a line is known when it is written.
            for piece in now.split_inclusive(|&byte| byte == b'\n') {
                let mut line = mem::take(&mut self.line);
                self.decoder.push(piece, &mut line);
                self.line = line;
                self.write_lines();
            }
            bytes = later;
            self.position += len as u64;
            self.pass_boundaries();
        }
    }

    fn next_boundary(&self) -> u64 {
        let ends = self.begun.iter().map(|it| it.end);
        let starts = self.pending.first().map(|it| it.start);
        ends.chain(starts).min().unwrap_or(u64::MAX)
    }

    /// Ends and begins the marks at the current offset.
    fn pass_boundaries(&mut self) {
        // The last that has begun ends first.
        while let Some(at) = self.begun.iter().rposition(|it| it.end <= self.position) {
            let ended = self.begun.remove(at);
            self.close(ended);
        }
        while self
            .pending
            .first()
            .is_some_and(|it| it.start <= self.position)
        {
            let next = self.pending.remove(0);
            if next.end > self.position {
                self.cut(LineEvent::Open(next.mark));
                self.begun.push(next);
            } else {
                self.cuts.extend(
                    next.note
                        .map(|note| (self.line.len(), LineEvent::Note(note))),
                );
            }
        }
        if self.cuts.len() > MAX_CUTS {
            self.write_line(self.line.len());
        }
    }

    fn close(&mut self, ended: PendingMark) {
        self.cut(LineEvent::Close(ended.mark.number));
        if let Some(note) = ended.note {
            self.cut(LineEvent::Note(note));
        }
    }

    /// Writes the line in parts of at most `MAX_LINE` bytes while it is longer, and the rest once
    /// the line is complete.
    fn write_lines(&mut self) {
        while self.line.len() > MAX_LINE {
            let is_end = |end: &usize| self.line.is_char_boundary(*end);
            let mut end = (0..=MAX_LINE).rev().find(is_end).unwrap_or(MAX_LINE);
            // Whether a carriage return ends the line shows the character after it.
            if self.line[..end].ends_with('\r') {
                end -= 1;
            }
            self.write_line(end);
        }
        if self.line.ends_with('\n') {
            self.write_line(self.line.len());
        }
    }

    /// Writes the line up to `end`, in bytes.
    fn write_line(&mut self, end: usize) {
        if end == 0 && self.cuts.is_empty() {
            return;
        }
        let kind = match self.kind {
            Some(kind) => kind,
            None => self.kinds.next(&self.line),
        };
        let later = self.cuts.iter().position(|(at, _)| *at > end);
        let later = self.cuts.split_off(later.unwrap_or(self.cuts.len()));
        let now = mem::replace(&mut self.cuts, later);
        let is_in_block = self.kinds.is_in_block();
        self.sections
            .line(&self.line[..end], now, kind, is_in_block);
        self.kind = (!self.line[..end].ends_with('\n')).then_some(kind);
        self.line.drain(..end);
        for (at, _) in &mut self.cuts {
            *at -= end;
        }
    }

    fn assertion(&mut self, question: &Question<'_>) {
        let assertion = question.assertion();
        let verdict = match question.verdict() {
            Some(verdict) => verdict.clone(),
            None => self.judge.verdict(assertion),
        };
        let disposition = self.judge.rules().disposition(question, &verdict);
        let clean = question.clean_span();
        let action = self.judge.rules().action(disposition);
        let is_reached = !self.is_over && self.stop.is_none_or(|stop| clean.start() < stop);
        let deed = if is_reached {
            self.count(disposition, &action, &verdict);
            Deed::Action(&action)
        } else {
            self.counts.after_end += 1;
            Deed::NotReached
        };
        let annotations: Vec<_> = assertion.annotations().collect();
        let discipline = self.judge.rules().discipline();
        let evidence = annotations.iter().zip(verdict.counting());
        let evidence = evidence.map(|(annotation, counting)| Evidence {
            declared: annotation.declared(),
            observation_id: annotation.observation_id(),
            ts: annotation.ts(),
            age: annotation
                .timestamp()
                .map(|ts| wording::age(ts, self.judge.now())),
            counts: counting.counts(),
            why: Cow::Owned(wording::why(
                *counting,
                discipline.window(annotation.class()),
            )),
        });
        let look = Look::of(disposition);
        let is_json = assertion.encoding() == Encoding::Json;
        let note = Note {
            look,
            title: wording::disposition(disposition).0,
            detail: format!("{} of {} classes", verdict.count(), verdict.floor()).into(),
            deed,
            place: None,
            pointer: assertion.pointer().filter(|_| is_json),
            evidence: evidence.collect(),
        };
        self.marks += 1;
        let number = self.marks;
        let kind = HighlightKind::Noted {
            look,
            is_withheld: deed.withholds(),
        };
        let note = note.draft();
        self.insert(PendingMark {
            start: clean.start(),
            end: clean.end(),
            mark: Highlight { number, kind },
            note: Some(note),
        });
        if is_reached && action.ends() {
            self.stop_at(clean.start());
        }
    }

    fn count(&mut self, disposition: Disposition, action: &Action, verdict: &Verdict) {
        let counts = &mut self.counts;
        let outcome = Outcome::from(action);
        *counts.decided.entry((disposition, outcome)).or_default() += 1;
        let counting = verdict.counting();
        counts.annotations += counting.len() as u64;
        counts.counting += counting.iter().filter(|it| it.counts()).count() as u64;
        if outcome.ends() {
            // The last one is the first in the text.
            counts.ends.clear();
            counts.ends.insert(outcome, 1);
        }
    }

    fn run(&mut self) {
        let is_after_end = self.is_over || self.stop.is_some_and(|stop| self.position >= stop);
        if is_after_end {
            return;
        }
        let action = match self.judge.unannotated() {
            Unannotated::Release => return,
            Unannotated::Mark(before, after) => Action::Mark(before, after),
            Unannotated::Replace(text) => Action::Replace(text),
            _ => Action::Discard,
        };
        let outcome = Outcome::from(&action);
        *self.counts.runs.entry(outcome).or_default() += 1;
        let note = Note {
            look: Look::Run,
            title: "Without annotation",
            detail: Cow::Borrowed(""),
            deed: Deed::Action(&action),
            place: None,
            pointer: None,
            evidence: Vec::new(),
        }
        .draft();
        self.cut(LineEvent::Note(note));
        self.cut(LineEvent::Open(Highlight {
            number: RUN,
            kind: HighlightKind::Noted {
                look: Look::Run,
                is_withheld: outcome.withholds(),
            },
        }));
    }
}

/// Counts diagnostics. All other events come through [`GateHandler`].
impl Handler for Transcript {
    fn event(&mut self, event: Event<'_>) {
        if let Event::Diagnostic(diagnostic) = event {
            let code = diagnostic.code().as_str();
            *self.counts.diagnostics.entry(code).or_default() += 1;
        }
    }
}

impl GateHandler for Transcript {
    fn released(&mut self, text: TextChunk<'_>) {
        self.position = text.span().start();
        self.notice_limit();
        self.text(text.bytes());
    }

    fn decided(&mut self, question: &Question<'_>, _: &Action) {
        self.assertion(question);
    }

    fn run_begins(&mut self, _: u64, _: &Unannotated) {
        self.notice_limit();
        self.pass_boundaries();
        self.run();
    }

    fn run_ends(&mut self, _: u64) {
        self.notice_limit();
        self.pass_boundaries();
        self.cut(LineEvent::Close(RUN));
    }

    fn limit(&mut self, span: Span) {
        self.notice_limit();
        let is_after_end = self.is_over || self.stop.is_some_and(|stop| stop <= span.start());
        self.counts.limits += u64::from(!is_after_end);
    }
}
