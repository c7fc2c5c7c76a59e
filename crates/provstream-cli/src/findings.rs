//! What `extract` and `admit` make of a stream.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::SystemTime;

use provstream::provenance::{Discipline, Encoding, Timestamp};
use provstream::{BracketAnnotation, Event, Handler, Replacement, Span, TextChunk};
use provstream_marc::Profile;
use provstream_providers::Channel;

use crate::counted::Counted;
use crate::feed::Fed;
use crate::line::{JudgedTotals, Line, Totals};
use crate::marc::record::Judged;
use crate::output::Output;
use crate::pieces::Pieces;
use crate::report::Report;
use crate::sink::Sink;
use crate::strings::{Hidden, HiddenBrackets};
use crate::unjudged::Unjudged;
use crate::unread::{Unknown, Unread};
use crate::why::why;

/// What is to be printed.
#[derive(Debug)]
pub(crate) enum Task {
    /// Everything, and the clean text too if asked for.
    Extract {
        /// `--text`.
        text: bool,
    },
    /// Assertions with a verdict.
    Admit {
        /// What decides.
        discipline: Box<Discipline>,
        /// The time to judge by; the clock if absent.
        now: Option<Timestamp>,
    },
}

/// What came of a stream, or of several.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    /// What was found.
    pub(crate) totals: Totals,
    /// The assertions that were not admitted, with the place and the reason.
    pub(crate) refused: Counted,
    /// Diagnostics after which a gate cannot pass, by their code.
    pub(crate) unjudged: Unjudged,
    /// Errors that providers reported.
    pub(crate) errors: u64,
    /// Streams of which not all was read, with annotations where none are read, or without an end.
    pub(crate) incomplete: u64,
}

impl Tally {
    /// Adds what came of a further stream.
    pub(crate) fn add(&mut self, other: &Self) {
        self.totals.bytes += other.totals.bytes;
        self.totals.assertions += other.totals.assertions;
        self.totals.annotations += other.totals.annotations;
        self.totals.marc += other.totals.marc;
        self.totals.diagnostics += other.totals.diagnostics;
        self.refused.add(&other.refused);
        self.unjudged.add(&other.unjudged);
        self.errors += other.errors;
        self.incomplete += other.incomplete;
    }

    /// The line of totals.
    pub(crate) fn end(&self, task: &Task) -> Line<'static> {
        match task {
            Task::Extract { .. } => Line::End(self.totals),
            Task::Admit { .. } => Line::Judged(JudgedTotals {
                bytes: self.totals.bytes,
                assertions: self.totals.assertions,
                admitted: self.totals.assertions - self.refused.count(),
                diagnostics: self.totals.diagnostics,
            }),
        }
    }
}

/// What came of a stream, or of a part of one.
#[derive(Debug, Default)]
pub(crate) struct Outcome {
    /// What was counted.
    pub(crate) tally: Tally,
    /// What of an event stream was not read.
    pub(crate) unread: Unread,
    /// The lines of which only some fields are read.
    pub(crate) fields: FieldLines,
    /// Where JSON hides an annotation in brackets, if no assertion was found.
    pub(crate) hidden: Option<Hidden>,
}

/// Lines of which only some fields are read, counted.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct FieldLines {
    /// Strings that were found.
    strings: u64,
    /// Lines of JSON in which something else was found, or nothing.
    without: u64,
    /// Lines that are not JSON.
    not_json: u64,
}

impl FieldLines {
    /// What to note about lines none of which has a string at the pointers.
    pub(crate) fn note(self, input: &str, pointers: &str) -> Option<String> {
        match self {
            Self {
                strings: 0,
                without: 0,
                not_json: 1..,
            } => Some(format!(
                "no line of {input} is JSON, expected one with a string at {pointers} in each line; read text without --field"
            )),
            Self {
                strings: 0,
                without: 1..,
                ..
            } => Some(format!(
                "no line of {input} has a string at {pointers}; give --field the JSON Pointer of a text"
            )),
            _ => None,
        }
    }

    const fn add(&mut self, other: Self) {
        self.strings += other.strings;
        self.without += other.without;
        self.not_json += other.not_json;
    }
}

impl Outcome {
    /// Adds the part that follows.
    pub(crate) fn add(&mut self, part: Self) {
        self.tally.add(&part.tally);
        self.fields.add(part.fields);
        self.hidden = self.hidden.or(part.hidden);
        // Only streams that are read as a whole have events.
        self.unread = part.unread;
    }
}

/// Prints what a stream asserts.
#[derive(Debug)]
pub(crate) struct Findings<'t> {
    task: &'t Task,
    report: Report,
    outcome: Outcome,
    strings: HiddenBrackets,
    /// The text of each channel, if it is to be printed.
    text: Option<BTreeMap<Option<Channel>, Pieces>>,
    /// The channel that is read, in the event stream of a provider.
    channel: Option<Channel>,
    /// The fields to name, if there are several.
    fields: &'t [Arc<str>],
}

impl<'t> Findings<'t> {
    /// Reports to `report`; of several fields each line names its own.
    pub(crate) fn new(
        task: &'t Task,
        report: Report,
        strings: HiddenBrackets,
        fields: &'t [Arc<str>],
    ) -> Self {
        Self {
            task,
            report,
            outcome: Outcome::default(),
            strings,
            text: matches!(task, Task::Extract { text: true }).then(BTreeMap::new),
            channel: None,
            fields,
        }
    }

    /// Takes bytes of another part, whose text that part prints.
    pub(crate) fn without_text(&mut self, push: impl FnOnce(&mut Self)) {
        let text = self.text.take();
        push(self);
        self.text = text;
    }

    /// Ends the stream, or the part of it.
    pub(crate) fn end(mut self, fed: Fed) -> (Outcome, Output) {
        self.end_text();
        self.outcome.tally.totals.bytes = fed.bytes;
        if fed.unread.unknown().is_some_and(Unknown::is_reported) {
            self.outcome.tally.totals.diagnostics += 1;
            if matches!(self.task, Task::Extract { .. }) {
                self.report.about_file(&Line::Diagnostic {
                    code: "unknown-format",
                    span: Span::new(0, fed.bytes),
                    message: None,
                });
            }
        }
        self.outcome.unread = fed.unread;
        self.outcome.hidden = self.strings.found();
        (self.outcome, self.report.into_output())
    }

    /// What came of the stream until reading it failed.
    pub(crate) fn broken(self) -> (Outcome, Output) {
        (self.outcome, self.report.into_output())
    }

    fn end_text(&mut self) {
        let Some(texts) = &mut self.text else { return };
        for (channel, mut pieces) in std::mem::take(texts) {
            self.report.enter(channel);
            pieces.finish(|text| self.report.line(&Line::Text { text }));
        }
    }

    fn diagnostic(&mut self, line: &Line<'_>) {
        if let Line::Diagnostic { code, span, .. } = line {
            self.outcome.tally.totals.diagnostics += 1;
            let report = &self.report;
            let place = || report.place(*span);
            self.outcome.tally.unjudged.note(code, place);
        }
        if matches!(self.task, Task::Extract { .. }) {
            self.report.line(line);
        }
    }
}

impl Handler for Findings<'_> {
    fn text(&mut self, text: TextChunk<'_>) {
        let bytes = text.bytes();
        self.strings.push(bytes);
        if let Some(texts) = &mut self.text {
            let report = &mut self.report;
            let pieces = texts.entry(self.channel).or_default();
            pieces.push(bytes, |text| report.line(&Line::Text { text }));
        }
    }

    fn annotation(&mut self, _: &BracketAnnotation<'_>) -> Replacement {
        self.outcome.tally.totals.annotations += 1;
        Replacement::Remove
    }

    fn event(&mut self, event: Event<'_>) {
        let tally = &mut self.outcome.tally;
        match event {
            Event::Assertion(assertion) => {
                self.strings.stop();
                tally.totals.assertions += 1;
                // One in brackets was counted at its bracket.
                if assertion.encoding() == Encoding::Json {
                    tally.totals.annotations += assertion.annotations().len() as u64;
                }
                let verdict = match self.task {
                    Task::Extract { .. } => None,
                    Task::Admit { discipline, now } => {
                        let now = now.unwrap_or_else(|| SystemTime::now().into());
                        let verdict = discipline.judge(&assertion, now);
                        if !verdict.admitted() {
                            let reason = verdict.reason().as_str();
                            let report = &self.report;
                            tally.refused.note(|| {
                                let place = report.place(assertion.span());
                                format!("{place}: {}", why(reason, &assertion, &verdict))
                            });
                        }
                        Some(verdict)
                    }
                };
                self.report
                    .line(&Line::assertion(&assertion, verdict.as_ref()));
            }
            Event::Marc(object) => {
                tally.totals.marc += 1;
                if matches!(self.task, Task::Extract { .. }) {
                    let judged = Judged::new(&object, Profile::default());
                    self.report.line(&judged.line());
                }
            }
            Event::Diagnostic(diagnostic) => self.diagnostic(&Line::from(diagnostic)),
            _ => {}
        }
    }
}

impl Sink for Findings<'_> {
    fn output(&mut self) -> &mut Output {
        self.report.output()
    }

    fn raw(&mut self, chunk: &[u8]) {
        self.report.raw(chunk);
    }

    fn enter(&mut self, channel: Channel) {
        self.channel = Some(channel);
        self.report.enter(self.channel);
    }

    fn enter_field(&mut self, line: u64, field: Option<usize>) {
        self.outcome.fields.strings += u64::from(field.is_some());
        let name = field.and_then(|field| self.fields.get(field)).cloned();
        self.report.enter_field(line, name);
    }

    fn leave_field(&mut self) {
        self.end_text();
    }

    fn notice(&mut self, line: &Line<'_>) {
        let channel = self.channel;
        self.report.enter(None);
        match line {
            Line::Diagnostic { code, .. } => {
                let fields = &mut self.outcome.fields;
                fields.without += u64::from(*code == "no-field");
                fields.not_json += u64::from(*code == "json-syntax");
                self.diagnostic(line);
            }
            _ => {
                if matches!(line, Line::Error { .. }) {
                    self.outcome.tally.errors += 1;
                }
                if matches!(self.task, Task::Extract { .. }) {
                    self.report.line(line);
                }
            }
        }
        self.report.enter(channel);
    }
}
