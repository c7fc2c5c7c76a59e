//! Prints the events of a stream.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::SystemTime;

use provstream::provenance::{
    Assertion, Encoding, Malformation, Reason, Verdict, parse_annotation,
};
use provstream::{
    BracketAnnotation, Citation, CitationReason, Dialect, Dialects, Event, Handler, Mode, Parser,
    Replacement, Span, TextChunk,
};
use provstream_marc::Profile;
use provstream_providers::Channel;

use super::line_index::{LineIndex, Position};
use super::pretty::{self, declared};
use super::record::{ContextualLine, OutputRecord, RecordContext};
use super::totals::PartSummary;
use super::unannotated::{Sentence, UnannotatedSentences};
use super::{ReportKind, ScanConfig, Scanned};
use crate::commands::marc::objects::MarcRecord;
use crate::hidden_annotations::HiddenAnnotationDetector;
use crate::messages::truncate;
use crate::output::Output;
use crate::reader::StreamEnd;
use crate::sink::{StreamNotice, StreamSink, TextName};
use crate::utf8::Utf8LossyDecoder;
use crate::verdict::explain_verdict;

/// Most bytes of a text in which markers are looked for.
const MAX_SAMPLE: usize = 64 << 10;

/// Most characters of a sentence in a message.
const MAX_EXAMPLE: usize = 60;

/// Most malformed annotations that are remembered; those without an assertion are never printed.
const MAX_FAULTS: usize = 64;

/// Prints records of a stream and counts them.
#[derive(Debug)]
pub(super) struct EventPrinter<'c> {
    config: &'c ScanConfig<'c>,
    output: Output,
    context: RecordContext,
    /// Lines and columns, for people.
    lines: Option<LineIndex>,
    summary: PartSummary,
    hidden: HiddenAnnotationDetector,
    unannotated: Option<UnannotatedSentences>,
    /// Faults of malformed annotations whose assertions are not complete, by channel and offset.
    faults: BTreeMap<(Option<Channel>, u64), Malformation>,
    /// Beginning of the text, in which markers are looked for if it has no annotations.
    sample: Option<Vec<u8>>,
    /// Text of each channel, with `--text`.
    text: Option<BTreeMap<Option<Channel>, Utf8LossyDecoder>>,
}

impl<'c> EventPrinter<'c> {
    /// Creates a printer for a file; `file` is its name if lines name it.
    pub(super) fn new(config: &'c ScanConfig<'c>, output: Output, file: Option<Arc<str>>) -> Self {
        let mode = config.options.input.mode;
        let (has_text, counts_sentences) = match config.report {
            ReportKind::Events { text } => (text, false),
            ReportKind::Verdicts {
                require_annotations,
                ..
            } => (
                false,
                require_annotations && !matches!(mode, Mode::Json | Mode::Ndjson),
            ),
            ReportKind::Checks(_) => (false, false),
        };
        let reads_text = !matches!(mode, Mode::Json | Mode::Ndjson);
        let is_sampled = config.suggests_dialects && reads_text;
        Self {
            config,
            output,
            context: RecordContext {
                file,
                ..RecordContext::default()
            },
            lines: config.is_pretty.then(|| LineIndex::new(0, 1)),
            summary: PartSummary::default(),
            hidden: HiddenAnnotationDetector::new(match config.has_fields() {
                true => Mode::Text,
                false => mode,
            }),
            unannotated: counts_sentences.then(UnannotatedSentences::default),
            faults: BTreeMap::new(),
            sample: is_sampled.then(Vec::new),
            text: has_text.then(BTreeMap::new),
        }
    }

    /// Sets offset and line number of the first byte.
    pub(super) fn start_at(&mut self, offset: u64, line: u64) {
        self.lines = self.config.is_pretty.then(|| LineIndex::new(offset, line));
    }

    /// Calls `push` without printing text.
    pub(super) fn suppress_text<R>(&mut self, push: impl FnOnce(&mut Self) -> R) -> R {
        let text = self.text.take();
        let result = push(self);
        self.text = text;
        result
    }

    /// Ends the stream.
    pub(super) fn finish(mut self, end: anyhow::Result<StreamEnd>) -> Scanned {
        let result = end.map(|end| self.end(end));
        Scanned {
            result,
            summary: self.summary,
            output: self.output,
        }
    }

    fn end(&mut self, end: StreamEnd) {
        self.finish_text();
        self.finish_sentences();
        let totals = &mut self.summary.counts.totals;
        totals.bytes = end.bytes;
        let unrecognised = end.status.unrecognised.as_ref();
        if unrecognised.is_some_and(|input| input.is_reported) {
            totals.diagnostics += 1;
            self.context.channel = None;
            self.lines = None;
            self.print_event(&OutputRecord::Diagnostic {
                code: "unknown-format",
                span: Span::new(0, end.bytes),
                message: None,
            });
        }
        self.summary.status = end.status;
        self.summary.fields = end.fields;
        self.summary.hidden = self.hidden.found();
        self.summary.dialect = self.sample.as_deref().and_then(dialect_of);
    }

    fn print(&mut self, record: &OutputRecord<'_>) {
        print_record(
            self.config,
            &mut self.output,
            record,
            &self.context,
            self.lines.as_ref(),
        );
    }

    /// Prints a record that `admit` does not print.
    fn print_event(&mut self, record: &OutputRecord<'_>) {
        if !self.config.is_judged() {
            self.print(record);
        }
    }

    fn finish_text(&mut self) {
        let Some(texts) = &mut self.text else { return };
        for (channel, mut decoder) in std::mem::take(texts) {
            self.set_channel(channel);
            decoder.finish(|text| self.print(&OutputRecord::Text { text }));
        }
    }

    fn set_channel(&mut self, channel: Option<Channel>) {
        if self.context.channel != channel {
            self.context.channel = channel;
            // Bytes of channels are not seen here.
            self.lines = None;
        }
    }

    /// Prints and counts sentences without an annotation.
    fn print_unannotated(&mut self, sentences: Vec<Sentence>) {
        let context = self.context.clone();
        for sentence in sentences {
            self.context.channel = sentence.channel;
            let (text, span) = (&sentence.text, sentence.span);
            let (context, lines) = (&self.context, self.lines.as_ref());
            self.summary.counts.unannotated.add(|| {
                let location = location(context, lines, span);
                format!("{location}: {:?}", truncate(text, MAX_EXAMPLE))
            });
            self.print(&OutputRecord::Unannotated {
                text,
                span,
                clean_span: sentence.clean_span,
            });
        }
        self.context = context;
    }

    fn finish_sentences(&mut self) {
        let unannotated = self.unannotated.as_mut();
        let sentences = unannotated.map(UnannotatedSentences::finish);
        self.print_unannotated(sentences.unwrap_or_default());
    }

    fn diagnostic(&mut self, code: &'static str, span: Span, message: Option<&str>) {
        self.summary.counts.totals.diagnostics += 1;
        let (context, lines) = (&self.context, self.lines.as_ref());
        let unjudged = &mut self.summary.counts.unjudged;
        unjudged.add(code, || location(context, lines, span));
        self.print_event(&OutputRecord::Diagnostic {
            code,
            span,
            message,
        });
    }

    fn assertion(&mut self, assertion: &Assertion<'_>) {
        self.hidden.stop();
        self.sample = None;
        let counts = &mut self.summary.counts;
        counts.totals.assertions += 1;
        // One in brackets was counted at its bracket.
        if assertion.encoding() == Encoding::Json {
            counts.totals.annotations += assertion.annotations().len() as u64;
        }
        if let Some(unannotated) = &mut self.unannotated {
            unannotated.assertion(self.context.channel, assertion);
            let sentences = unannotated.take();
            self.print_unannotated(sentences);
        }
        let faults = self.take_faults(assertion);
        // What is printed is redacted, what is judged is not.
        let redacted = self.config.ids.redact_assertion(assertion);
        let printed = redacted.as_ref().unwrap_or(assertion);
        if let ReportKind::Checks(check) = &self.config.report {
            let checked = check.0.check(assertion);
            let (checks, lines) = (&checked.checks, &*checked.lines);
            return self.print(&OutputRecord::Checked {
                assertion: printed,
                checks,
                lines,
            });
        }
        let verdict = self.judge(assertion);
        self.print(&OutputRecord::Assertion {
            assertion: printed,
            verdict: verdict.as_ref(),
            faults: &faults,
        });
    }

    /// Counts malformed annotations and those of unknown classes. Returns the faults of malformed ones, by index.
    fn take_faults(&mut self, assertion: &Assertion<'_>) -> Vec<Option<Malformation>> {
        let mut faults = Vec::new();
        for annotation in assertion.annotations() {
            let (span, reason) = (annotation.span(), annotation.reason());
            let fault = self.faults.remove(&(self.context.channel, span.start()));
            // One of an earlier text may have no assertion.
            let fault = fault.filter(|_| reason == Some(Reason::Malformed));
            faults.push(fault);
            if let Some(reason) = reason {
                let (context, lines) = (&self.context, self.lines.as_ref());
                self.summary.counts.faulty.add(|| {
                    let why = fault.map_or_else(String::new, |fault| format!(" ({fault})"));
                    let location = location(context, lines, span);
                    format!("{location}: {reason}{why}: {}", declared(&annotation))
                });
            }
        }
        faults
    }

    /// Counts cited identifiers that a list of sources does not have.
    fn count_unlisted(&mut self, citation: &Citation<'_>) {
        for cited in citation.ids() {
            if cited.reason == Some(CitationReason::UnknownSource) {
                let (context, lines) = (&self.context, self.lines.as_ref());
                self.summary.counts.unlisted.add(|| {
                    let location = location(context, lines, citation.span());
                    format!("{location}: {}", cited.id)
                });
            }
        }
    }

    fn judge(&mut self, assertion: &Assertion<'_>) -> Option<Verdict> {
        let ReportKind::Verdicts {
            discipline,
            observations,
            now,
            ..
        } = &self.config.report
        else {
            return None;
        };
        let now = now.unwrap_or_else(|| SystemTime::now().into());
        let verdict = match observations {
            Some(observations) => discipline.judge_observed(assertion, now, &**observations),
            None => discipline.judge(assertion, now),
        };
        if !verdict.admitted() {
            let (context, lines) = (&self.context, self.lines.as_ref());
            self.summary.counts.refused.add(|| {
                let location = location(context, lines, assertion.span());
                let reason = verdict.reason().as_str();
                format!(
                    "{location}: {}",
                    explain_verdict(reason, assertion, &verdict)
                )
            });
        }
        Some(verdict)
    }
}

/// Returns the fault of a malformed annotation.
fn fault_of(annotation: &BracketAnnotation<'_>) -> Option<Malformation> {
    match annotation.annotation().reason() {
        Some(Reason::Malformed) => parse_annotation(annotation.raw()).ok()?.malformation(),
        _ => None,
    }
}

/// Finds the dialect of the first marker in a text.
fn dialect_of(text: &[u8]) -> Option<String> {
    // Without a byte that begins one, nothing is compiled.
    if !text
        .iter()
        .any(|byte| matches!(byte, b'[' | b'<' | b'%' | 0x80..))
    {
        return None;
    }
    let dialects = Dialects::built_in(Dialect::built_in_names()).ok()?;
    let mut found = None;
    let mut parser = Parser::builder().dialects(dialects).build();
    let mut sink = |event: Event<'_>| {
        if let Event::Marker(marker) = event {
            found.get_or_insert_with(|| marker.dialect().to_owned());
        }
    };
    parser.push(text, &mut sink);
    parser.finish(&mut sink);
    found
}

/// Prints a record as NDJSON or for people.
pub(super) fn print_record(
    config: &ScanConfig<'_>,
    output: &mut Output,
    record: &OutputRecord<'_>,
    context: &RecordContext,
    lines: Option<&LineIndex>,
) {
    match config.is_pretty {
        true => output.write_bytes(pretty::format(record, context, lines).as_bytes()),
        false => output.write_record(&ContextualLine { record, context }),
    }
}

/// Formats the location of a span for messages.
fn location(context: &RecordContext, lines: Option<&LineIndex>, span: Span) -> String {
    let mut location = "at ".to_owned();
    if let Some(channel) = context.channel {
        location.push_str(&format!("channel {channel}, "));
    }
    if let Some(line) = context.line {
        location.push_str(&format!("line {line}, "));
    }
    if let Some(field) = &context.field {
        location.push_str(&format!("{field}, "));
    }
    let start = span.start();
    let position = lines.map_or(Position::Byte(start), |lines| lines.position(start));
    format!("{location}{position}")
}

impl Handler for EventPrinter<'_> {
    fn text(&mut self, text: TextChunk<'_>) {
        let bytes = text.bytes();
        self.hidden.push(bytes);
        if let Some(sample) = &mut self.sample {
            sample.extend_from_slice(&bytes[..bytes.len().min(MAX_SAMPLE - sample.len())]);
        }
        if let Some(unannotated) = &mut self.unannotated {
            unannotated.push(self.context.channel, bytes);
        }
        if let Some(mut texts) = self.text.take() {
            let decoder = texts.entry(self.context.channel).or_default();
            decoder.push(bytes, |text| self.print(&OutputRecord::Text { text }));
            self.text = Some(texts);
        }
    }

    fn annotation(&mut self, annotation: &BracketAnnotation<'_>) -> Replacement {
        self.summary.counts.totals.annotations += 1;
        let (channel, span) = (self.context.channel, annotation.span());
        if let Some(unannotated) = &mut self.unannotated {
            unannotated.annotation(channel, span);
        }
        if let Some(fault) = fault_of(annotation) {
            if self.faults.len() == MAX_FAULTS {
                self.faults.pop_first();
            }
            self.faults.insert((channel, span.start()), fault);
        }
        self.sample = None;
        Replacement::Remove
    }

    fn event(&mut self, event: Event<'_>) {
        match event {
            Event::Assertion(assertion) => self.assertion(&assertion),
            Event::Marc(object) => {
                self.summary.counts.totals.marc += 1;
                if matches!(self.config.report, ReportKind::Events { .. }) {
                    let record = MarcRecord::new(&object, Profile::default());
                    self.print(&record.record());
                }
            }
            Event::Citation(citation) => {
                self.summary.counts.totals.citations += 1;
                self.count_unlisted(&citation);
                self.print_event(&OutputRecord::Citation {
                    citation: &citation,
                });
            }
            Event::Diagnostic(diagnostic) => {
                self.diagnostic(diagnostic.code().as_str(), diagnostic.span(), None);
            }
            _ => {}
        }
    }
}

impl StreamSink for EventPrinter<'_> {
    fn check(&mut self, may_pause: bool) -> anyhow::Result<()> {
        self.output.check(may_pause)
    }

    fn on_input_bytes(&mut self, bytes: &[u8]) {
        if let Some(lines) = &mut self.lines {
            lines.push(bytes);
        }
    }

    fn on_text(&mut self, name: &TextName, _: bool) {
        self.hidden.enter(name);
        match name {
            TextName::Channel { channel, .. } => self.set_channel(Some(*channel)),
            TextName::Field { line, pointer, .. } => {
                self.context.line = Some(*line);
                self.context.field.clone_from(pointer);
                self.lines = self.config.is_pretty.then(|| LineIndex::new(0, 1));
            }
        }
    }

    fn on_text_end(&mut self, name: &TextName) {
        if let TextName::Field { .. } = name {
            self.finish_text();
            self.finish_sentences();
        }
    }

    fn on_notice(&mut self, notice: &StreamNotice<'_>) {
        let channel = self.context.channel;
        self.set_channel(None);
        match *notice {
            StreamNotice::Diagnostic {
                code,
                span,
                message,
                line,
                ..
            } => {
                self.context.line = line;
                self.context.field = None;
                if line.is_some() {
                    self.lines = self.config.is_pretty.then(|| LineIndex::new(0, 1));
                }
                self.diagnostic(code, span, message);
            }
            StreamNotice::Error(message) => {
                self.summary.counts.errors += 1;
                self.print_event(&OutputRecord::Error { message });
            }
        }
        self.set_channel(channel);
    }
}
