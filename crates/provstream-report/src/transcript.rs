//! Gate handler that writes the body of a page.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::io;
use std::mem;

use provstream::provenance::Encoding;
use provstream::{
    Action, AtLimit, DiagnosticCode, Disposition, Event, GateHandler, Handler, Question, Span,
    TextChunk, Unannotated,
};

use crate::counts::Counts;
use crate::decode::LossyDecoder;
use crate::dry_run::{Judge, LimitFlag};
use crate::markdown;
use crate::note::{Deed, Evidence, Note, NoteNumbering, UnnumberedNote};
use crate::outcome::Outcome;
use crate::part::TextSummary;
use crate::sections::{Highlight, HighlightKind, SectionWriter, TextEvent};
use crate::wording::{self, Look};

/// Bytes after which all blocks but the last one are written.
const PIECE: usize = 24 << 10;

/// Bytes after which a part of a block is written, as a block of its own.
const MAX_PIECE: usize = 32 * PIECE;

/// Events after which a part of a block is written.
const MAX_CUTS: usize = 1 << 14;

/// Most diagnostics that are listed with their places; all are counted.
const MAX_DIAGNOSTICS: usize = 64;

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
    /// Event after the mark.
    after: Option<TextEvent>,
}

/// Writes the body of a page about one text of an answer. Must be the handler of a gate with the
/// policy [`DryRun`](crate::DryRun).
///
/// Shows the gate's text as the Markdown that it is, with a mark around each assertion and an entry for it. The
/// output does not depend on chunk boundaries. Memory is bounded by the bytes that the gate holds and by 1 MiB of
/// text, and 32 bytes for each assertion, provided that the caller calls [`write_to`](Self::write_to) often. A block of Markdown that is longer is cut.
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
    /// Text that is not written yet.
    text: String,
    cuts: Vec<(usize, TextEvent)>,
    /// Length of the text at which some of it is written.
    full: usize,
    /// `true` if the text is shown as code.
    is_code: bool,
    /// Entry of the open run of unannotated text.
    run: Option<UnnumberedNote>,
    /// First diagnostics, with their offsets in the stream.
    diagnostics: Vec<(DiagnosticCode, u64)>,
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
            text: String::new(),
            cuts: Vec::new(),
            full: PIECE,
            is_code: false,
            run: None,
            diagnostics: Vec::new(),
            pending: Vec::new(),
            begun: Vec::new(),
            stop: None,
            is_over: false,
        }
    }

    /// Shows the whole text as code. Suitable for JSON.
    #[must_use]
    pub fn with_code(mut self) -> Self {
        self.is_code = true;
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
    pub fn finish(mut self, body: impl io::Write) -> io::Result<TextSummary> {
        self.notice_limit();
        self.end_run();
        self.pass_boundaries();
        self.decoder.finish(&mut self.text);
        // Marks that are still open end beyond the end of the stream.
        for left in mem::take(&mut self.begun) {
            self.close(left);
        }
        for left in mem::take(&mut self.pending) {
            left.after.into_iter().for_each(|event| self.cut(event));
        }
        if !self.text.is_empty() || !self.cuts.is_empty() {
            self.write_piece(self.text.len());
        }
        if !self.is_code {
            self.counts.characters = self.sections.characters();
        }
        let (mut numbering, index) = self.sections.finish();
        let places = numbering.take_places();
        self.write_to(body)?;
        Ok(TextSummary {
            title: self.title,
            prefix: numbering.prefix().into(),
            counts: self.counts,
            problems: numbering.problems(),
            index,
            diagnostics: self
                .diagnostics
                .iter()
                .map(|&(code, at)| (code, places.place(at)))
                .collect(),
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
            verdict: "",
            is_problem: false,
            detail: "too much is held back".into(),
            deed: Deed::Action(&action),
            place: None,
            pointer: None,
            evidence: Vec::new(),
        }
        .draft();
        self.pass_boundaries();
        self.cut(TextEvent::Note(note));
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
            after: None,
        });
    }

    fn insert(&mut self, new: PendingMark) {
        let key = |it: &PendingMark| (it.start, Reverse(it.end));
        let at = self.pending.partition_point(|it| key(it) <= key(&new));
        self.pending.insert(at, new);
    }

    fn cut(&mut self, cut: TextEvent) {
        self.cuts.push((self.text.len(), cut));
        if self.cuts.len() > MAX_CUTS {
            self.write_piece(self.text.len());
        }
    }

    /// Adds text up to the end of `bytes`, with the marks that begin and end in it.
    fn text(&mut self, mut bytes: &[u8]) {
        self.pass_boundaries();
        while !bytes.is_empty() {
            let next = self.next_boundary().saturating_sub(self.position);
            let len = usize::try_from(next).map_or(bytes.len(), |next| next.min(bytes.len()));
            let (now, later) = bytes.split_at(len);
            // In pieces: memory is bounded, and where blocks are cut does not depend on the chunks.
            for piece in now.chunks(PIECE) {
                self.decoder.push(piece, &mut self.text);
                self.write_full_pieces();
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
        // Of the marks that end here, the one that began last ends first.
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
                self.cut(TextEvent::Open(next.mark));
                self.begun.push(next);
            } else {
                next.after.into_iter().for_each(|event| self.cut(event));
            }
        }
    }

    fn close(&mut self, ended: PendingMark) {
        self.cut(TextEvent::Close(ended.mark.number));
        ended.after.into_iter().for_each(|event| self.cut(event));
    }

    /// Writes text while there is more than [`full`](Self::full): the blocks that are complete, or a
    /// part of one that is too long.
    fn write_full_pieces(&mut self) {
        while self.text.len() > self.full {
            let is_end = |end: &usize| self.text.is_char_boundary(*end);
            let mut full = (0..=self.full).rev().find(is_end).unwrap_or(self.full);
            // The character after a carriage return shows whether it ends the line, so it waits.
            if self.text[..full].ends_with('\r') {
                full -= 1;
            }
            let lines = self.text[..full].rfind('\n').map_or(0, |at| at + 1);
            let complete = match self.is_code {
                true => (lines > 0).then_some(lines),
                false => markdown::last_block(&self.text[..lines]),
            };
            match complete {
                Some(end) => {
                    self.write_piece(end);
                    self.full = PIECE.max(2 * (full - end));
                }
                None if self.full < MAX_PIECE => self.full *= 2,
                None => {
                    self.write_piece(if lines > 0 { lines } else { full });
                    self.full = PIECE;
                }
            }
        }
    }

    /// Writes the text up to `end`, in bytes.
    fn write_piece(&mut self, end: usize) {
        let later = self.cuts.iter().position(|(at, _)| *at > end);
        let later = self.cuts.split_off(later.unwrap_or(self.cuts.len()));
        let now = mem::replace(&mut self.cuts, later);
        let write = if self.is_code {
            markdown::write_code
        } else {
            markdown::write
        };
        write(&self.text[..end], now, &mut self.sections);
        self.text.drain(..end);
        for (at, _) in &mut self.cuts {
            *at -= end;
        }
    }

    fn end_run(&mut self) {
        if let Some(note) = self.run.take() {
            self.cut(TextEvent::Close(RUN));
            self.cut(TextEvent::Note(note));
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
            self.count(disposition, &action);
            for (annotation, counting) in assertion.annotations().zip(verdict.counting()) {
                let class = annotation.class().as_str();
                self.counts.annotation(class, counting.counts());
            }
            Deed::Action(&action)
        } else {
            self.counts.after_end += 1;
            Deed::NotReached
        };
        let annotations: Vec<_> = assertion.annotations().collect();
        let discipline = self.judge.rules().discipline();
        let evidence = annotations.iter().zip(verdict.counting());
        let outcome = |index| verdict.outcomes().get(index).copied();
        let explanation = |index, annotation| self.judge.explanation(annotation, outcome(index)?);
        let evidence = evidence.enumerate();
        let evidence = evidence.map(|(index, (annotation, counting))| Evidence {
            declared: annotation.declared(),
            observation_id: annotation.observation_id(),
            ts: annotation.ts(),
            age: annotation
                .timestamp()
                .map(|ts| wording::age(ts, self.judge.now())),
            counts: counting.counts(),
            why: Cow::Owned(wording::why(
                *counting,
                outcome(index),
                discipline.window(annotation.class()),
                explanation(index, annotation),
            )),
        });
        let look = Look::of(disposition);
        let is_json = assertion.encoding() == Encoding::Json;
        let note = Note {
            look,
            title: wording::disposition(disposition).0,
            verdict: disposition.as_str(),
            is_problem: is_reached && look != Look::Admitted,
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
            verdict: disposition.as_str(),
            is_annotated: assertion.is_annotated(),
            is_withheld: deed.withholds(),
        };
        let ends = annotations.iter().map(|it| it.span().end());
        let start = assertion.span().start();
        let end = ends.fold(assertion.span().end(), u64::max);
        let note = note.draft().with_source(Span::new(start, end));
        self.insert(PendingMark {
            start: clean.start(),
            end: clean.end(),
            mark: Highlight { number, kind },
            after: Some(TextEvent::Note(note)),
        });
        if is_reached && action.ends() {
            self.stop_at(clean.start());
        }
    }

    fn count(&mut self, disposition: Disposition, action: &Action) {
        let counts = &mut self.counts;
        let outcome = Outcome::from(action);
        *counts.decided.entry((disposition, outcome)).or_default() += 1;
        if outcome.ends() {
            // A later decision that ends the stream is earlier in the text, so it replaces the one
            // before.
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
            verdict: "run",
            is_problem: false,
            detail: Cow::Borrowed(""),
            deed: Deed::Action(&action),
            place: None,
            pointer: None,
            evidence: Vec::new(),
        }
        .draft();
        self.run = Some(note);
        self.cut(TextEvent::Open(Highlight {
            number: RUN,
            kind: HighlightKind::Noted {
                look: Look::Run,
                verdict: "run",
                is_annotated: false,
                is_withheld: outcome.withholds(),
            },
        }));
    }
}

/// Counts diagnostics. All other events come through [`GateHandler`].
impl Handler for Transcript {
    fn event(&mut self, event: Event<'_>) {
        if let Event::Diagnostic(diagnostic) = event {
            *self
                .counts
                .diagnostics
                .entry(diagnostic.code())
                .or_default() += 1;
            if self.diagnostics.len() < MAX_DIAGNOSTICS {
                let at = diagnostic.span().start();
                self.diagnostics.push((diagnostic.code(), at));
            }
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
        self.end_run();
    }

    fn limit(&mut self, span: Span) {
        self.notice_limit();
        let is_after_end = self.is_over || self.stop.is_some_and(|stop| stop <= span.start());
        self.counts.limits += u64::from(!is_after_end);
    }
}
