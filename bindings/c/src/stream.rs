//! A stream: the engine for its settings, and the bytes and events of the last call.

use parser::provenance::Timestamp;
use parser::{
    Action, BracketAnnotation, Event, Gate, GateEnd, GateHandler, Handler, Question, Replacement,
    Rewriter, Span, TextChunk, Unannotated,
};
use provstream_providers::{
    Channel, ChannelPosition, GateEvent, Item, ReadReport, StreamGate, StreamHandler,
    StreamRewriter,
};
use provstream_route::{Audit, AuditSink};
use serde::Serialize;

use crate::settings::{InputForm, StreamOptions, SystemPolicy};

enum Transform {
    Text(Rewriter),
    GatedText(Gate<SystemPolicy>),
    Response(StreamRewriter),
    GatedResponse(StreamGate<SystemPolicy>),
}

/// Stream of text or of a provider's response.
pub(crate) struct Stream {
    engine: Box<Transform>,
    output: StreamOutput,
    has_ended: bool,
}

impl Stream {
    pub(crate) fn new(settings: &StreamOptions) -> Self {
        let parser = settings.parser.clone();
        let reasoning = settings.reasoning;
        let engine = match (settings.input, settings.policy()) {
            (InputForm::Text, None) => Transform::Text(Rewriter::new(parser)),
            (InputForm::Text, Some(policy)) => Transform::GatedText(Gate::new(parser, policy)),
            (InputForm::Response(format), None) => {
                let rewriter = match format {
                    None => StreamRewriter::detect(parser),
                    Some(format) => StreamRewriter::new(format, parser),
                };
                Transform::Response(rewriter.with_reasoning(reasoning))
            }
            (InputForm::Response(format), Some(policy)) => {
                let gate = match format {
                    None => StreamGate::detect(parser, policy),
                    Some(format) => StreamGate::new(format, parser, policy),
                };
                Transform::GatedResponse(gate.with_reasoning(reasoning))
            }
        };
        Self {
            engine: Box::new(engine),
            output: StreamOutput::new(settings),
            has_ended: false,
        }
    }

    /// Takes the next bytes, and returns those that are certain. After the end it returns none.
    pub(crate) fn push(&mut self, chunk: &[u8]) -> &[u8] {
        self.output.clear();
        if !self.has_ended {
            let output = &mut self.output;
            match &mut *self.engine {
                Transform::Text(rewriter) => rewriter.push(chunk, output),
                Transform::GatedText(gate) => gate.push(chunk, output),
                Transform::Response(rewriter) => rewriter.push(chunk, output),
                Transform::GatedResponse(gate) => gate.push(chunk, output),
            }
        }
        &self.output.bytes
    }

    /// Ends the stream, and returns its last bytes.
    pub(crate) fn finish(&mut self) -> &[u8] {
        self.output.clear();
        if !self.has_ended {
            self.has_ended = true;
            let output = &mut self.output;
            let (position, ended) = match &mut *self.engine {
                Transform::Text(rewriter) => {
                    rewriter.finish(&mut *output);
                    (rewriter.parser().position(), None)
                }
                Transform::GatedText(gate) => {
                    gate.finish(&mut *output);
                    let ended = gate.ended();
                    output.channel_ended(None, ended);
                    (gate.position(), ended)
                }
                Transform::Response(rewriter) => {
                    rewriter.finish(&mut *output);
                    (rewriter.position(), None)
                }
                Transform::GatedResponse(gate) => {
                    gate.finish(&mut *output);
                    let mut last = None;
                    for (channel, ended) in gate.ended() {
                        output.channel_ended(Some(channel), Some(ended));
                        last = Some(ended);
                    }
                    (gate.position(), last)
                }
            };
            output.end(position, ended);
        }
        &self.output.bytes
    }

    /// Returns the event lines that the last call wrote.
    pub(crate) fn events(&self) -> &[u8] {
        self.output.log.lines()
    }
}

/// Lines of JSON that wait for the caller.
#[derive(Default)]
struct PendingLines(Vec<u8>);

impl PendingLines {
    fn write(&mut self, line: &impl Serialize) {
        // Lines have only names, numbers and strings, so serializing cannot fail.
        if serde_json::to_writer(&mut self.0, line).is_ok() {
            self.0.push(b'\n');
        }
    }
}

impl AuditSink for PendingLines {
    fn line(&mut self, line: &[u8]) -> std::io::Result<()> {
        self.0.extend_from_slice(line);
        Ok(())
    }
}

/// Destination of lines.
enum Log {
    /// Nobody wants lines.
    None,
    Events(PendingLines),
    /// Events, and decisions of the policy.
    Audit(Box<Audit<PendingLines>>),
}

impl Log {
    fn lines(&self) -> &[u8] {
        match self {
            Self::None => &[],
            Self::Events(lines) => &lines.0,
            Self::Audit(audit) => &audit.log().0,
        }
    }

    fn clear(&mut self) {
        match self {
            Self::None => {}
            Self::Events(lines) => lines.0.clear(),
            Self::Audit(audit) => audit.log_mut().0.clear(),
        }
    }

    fn write(&mut self, line: &impl Serialize) {
        match self {
            Self::None => {}
            Self::Events(lines) => lines.write(line),
            Self::Audit(audit) => audit.log_mut().write(line),
        }
    }

    fn audit(&mut self) -> Option<&mut Audit<PendingLines>> {
        match self {
            Self::Audit(audit) => Some(audit),
            _ => None,
        }
    }
}

/// A line about something other than a decision.
#[derive(Serialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
enum OutputLine<'a> {
    Diagnostic { code: &'static str, span: Span },
    Error { message: &'a str },
    End(EndLine<'a>),
}

/// Totals of a stream.
#[derive(Serialize)]
struct EndLine<'a> {
    /// Length of the input in bytes.
    bytes: u64,
    /// `true` if all text was read and judged; a gate that passes less says so here.
    complete: bool,
    /// Strings that may be text and were not read, by their member.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unread: Vec<(&'a str, u64)>,
    /// Action of the policy that ended the stream.
    #[serde(skip_serializing_if = "Option::is_none")]
    ended: Option<&'static str>,
}

/// An event of a channel.
#[derive(Serialize)]
struct EventLine<E> {
    #[serde(flatten)]
    event: E,
    #[serde(skip_serializing_if = "Option::is_none")]
    channel: Option<String>,
}

/// Bytes and lines of a stream.
struct StreamOutput {
    bytes: Vec<u8>,
    log: Log,
    channel: Option<Channel>,
    /// `true` if the input is plain text, `false` if it is a provider's response.
    is_text: bool,
    report: ReadReport,
}

impl StreamOutput {
    fn new(settings: &StreamOptions) -> Self {
        let log = match (settings.events, &settings.rules) {
            (false, _) => Log::None,
            (true, None) => Log::Events(PendingLines::default()),
            (true, Some(rules)) => {
                let stream = settings.stream.clone();
                let name = "events".into();
                let audit = Audit::new(
                    PendingLines::default(),
                    name,
                    stream,
                    rules.clone(),
                    Timestamp::now,
                );
                Log::Audit(Box::new(audit))
            }
        };
        Self {
            bytes: Vec::new(),
            log,
            channel: None,
            is_text: settings.input == InputForm::Text,
            report: ReadReport::default(),
        }
    }

    /// Forgets what the last call returned.
    fn clear(&mut self) {
        self.bytes.clear();
        self.log.clear();
    }

    /// Writes the early end of a text.
    fn channel_ended(&mut self, channel: Option<Channel>, end: Option<GateEnd>) {
        if let (Some(audit), Some(end)) = (self.log.audit(), end) {
            audit.enter(
                channel
                    .map(|channel| channel.to_string())
                    .unwrap_or_default(),
            );
            audit.ended(action_of(end));
        }
    }

    /// Writes the totals.
    fn end(&mut self, bytes: u64, ended: Option<GateEnd>) {
        let report = std::mem::take(&mut self.report);
        self.log.write(&OutputLine::End(EndLine {
            bytes,
            complete: report.is_complete(),
            unread: report.unread_members().collect(),
            ended: ended.map(action_of),
        }));
    }
}

fn action_of(end: GateEnd) -> &'static str {
    match end {
        GateEnd::Suspended => "suspend",
        _ => "refuse",
    }
}

impl Handler for StreamOutput {
    fn text(&mut self, text: TextChunk<'_>) {
        if self.is_text {
            self.bytes.extend_from_slice(text.bytes());
        }
    }

    fn annotation(&mut self, _: &BracketAnnotation<'_>) -> Replacement {
        Replacement::Remove
    }

    fn event(&mut self, event: Event<'_>) {
        self.log.write(&EventLine {
            event,
            channel: self.channel.map(|channel| channel.to_string()),
        });
    }
}

impl GateHandler for StreamOutput {
    fn released(&mut self, text: TextChunk<'_>) {
        self.gate(GateEvent::Released(text));
        self.text(text);
    }

    fn removed(&mut self, text: TextChunk<'_>) {
        self.gate(GateEvent::Removed(text));
    }

    fn decided(&mut self, question: &Question<'_>, action: &Action) {
        self.gate(GateEvent::Decided(question, action));
    }

    fn run_begins(&mut self, at: u64, what: &Unannotated) {
        self.gate(GateEvent::RunBegins(at, what));
    }

    fn run_ends(&mut self, at: u64) {
        self.gate(GateEvent::RunEnds(at));
    }

    fn limit(&mut self, span: Span) {
        self.gate(GateEvent::Limit(span));
    }
}

impl StreamHandler for StreamOutput {
    fn bytes(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    fn channel(&mut self, position: ChannelPosition) {
        self.channel = Some(position.channel);
        if let Some(audit) = self.log.audit() {
            let reasoning = if position.is_reasoning {
                " reasoning"
            } else {
                ""
            };
            audit.enter(format!("{}{reasoning}", position.channel));
        }
    }

    fn gate(&mut self, event: GateEvent<'_>) {
        if let Some(audit) = self.log.audit() {
            audit.push(&event);
        }
    }

    fn item(&mut self, item: Item<'_>) {
        match item {
            Item::Notice(notice) => self.log.write(&OutputLine::Diagnostic {
                code: notice.code().as_str(),
                span: notice.span(),
            }),
            Item::Error(message) => self.log.write(&OutputLine::Error { message: &message }),
            _ => {}
        }
    }

    fn report(&mut self, report: &ReadReport) {
        self.report = report.clone();
    }
}
