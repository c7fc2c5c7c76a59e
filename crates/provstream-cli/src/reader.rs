//! Data flow from an input through a parser or a gate to a command.

use std::fmt;

use provstream::{
    Action, BracketAnnotation, Event, Gate, GateEnd, GateHandler, Handler, Parser, Policy,
    Question, Replacement, Rewriter, Span, TextChunk, Unannotated,
};
use provstream_providers::{
    Channel, ChannelPosition, GateEvent, Item, Pointer, StreamGate, StreamHandler, StreamRewriter,
};

use crate::fields::{FieldCounts, FieldReader};
use crate::input::{BUFFER, Input};
use crate::options::InputFormat;
use crate::response::{ResponseStatus, ResponseTracker};

/// Text of an input that has several.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum TextName {
    Channel {
        channel: Channel,
        is_reasoning: bool,
    },
    /// String in a line of NDJSON, at the pointer with this index.
    Field { line: u64, field: usize },
}

impl fmt::Display for TextName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Channel {
                channel,
                is_reasoning,
            } => {
                let reasoning = if *is_reasoning { " reasoning" } else { "" };
                write!(f, "{channel}{reasoning}")
            }
            Self::Field { line, .. } => write!(f, "line {line}"),
        }
    }
}

/// A diagnostic that is not about a text.
#[derive(Debug)]
pub(crate) enum StreamNotice<'a> {
    /// Diagnostic about an event of a response, or a line of NDJSON.
    Diagnostic {
        code: &'static str,
        span: Span,
        message: Option<&'a str>,
        /// Number of the line.
        line: Option<u64>,
        /// `true` if something was not read.
        is_unread: bool,
    },
    /// Error that the provider reports.
    Error(&'a str),
}

/// Receives a stream. The events of its texts come through [`Handler`].
pub(crate) trait StreamSink: Handler {
    /// Returns the first error of the output, and flushes it if the input may pause.
    fn check(&mut self, _may_pause: bool) -> anyhow::Result<()> {
        Ok(())
    }

    /// Receives the input without annotations, as a gate releases it: text, a response, or lines of NDJSON.
    fn write(&mut self, _bytes: &[u8]) {}

    /// Receives bytes of a text before they are parsed; not called for responses.
    fn on_input_bytes(&mut self, _bytes: &[u8]) {}

    /// Receives the text that the following events are about, if there are several. A gate also reports texts that repeat
    /// another one.
    fn on_text(&mut self, _name: &TextName, _is_repeated: bool) {}

    /// Receives the end of a text.
    fn on_text_end(&mut self, _name: &TextName) {}

    /// Receives a text that the policy of a gate ended.
    fn on_stop(&mut self, _stopped: &StoppedText) {}

    /// Receives what a gate does.
    fn on_gate(&mut self, _event: &GateEvent<'_>) {}

    /// Receives a diagnostic that is not about a text.
    fn on_notice(&mut self, _notice: &StreamNotice<'_>) {}
}

/// Text that the policy of a gate ended.
#[derive(Debug)]
pub(crate) struct StoppedText {
    /// Name; `None` if the input is one text.
    pub(crate) name: Option<String>,
    pub(crate) end: GateEnd,
}

/// Facts about a stream that was read to its end.
#[derive(Debug)]
pub(crate) struct StreamEnd {
    /// Length in bytes.
    pub(crate) bytes: u64,
    /// Status of a response.
    pub(crate) status: ResponseStatus,
    pub(crate) fields: FieldCounts,
    pub(crate) stopped: Vec<StoppedText>,
}

/// Policy of a reader that has no gate.
#[derive(Clone, Debug)]
pub(crate) enum NoPolicy {}

impl Policy for NoPolicy {
    fn assertion(&mut self, _: &Question<'_>) -> Action {
        match *self {}
    }
}

/// Rewriter or gate of a text or a response.
#[derive(Debug)]
pub(crate) enum Engine<P> {
    Text(Rewriter),
    Response(StreamRewriter),
    Gate(Gate<P>),
    ResponseGate(StreamGate<P>),
}

/// Reader of one stream.
#[derive(Debug)]
pub(crate) struct StreamReader<P = NoPolicy> {
    engine: Engine<P>,
    fields: Option<FieldReader>,
    tracker: ResponseTracker,
    bytes: u64,
}

impl StreamReader {
    /// A reader of an input. A parser like `parser` reads each text.
    pub(crate) fn new(
        input: InputFormat,
        parser: Parser,
        configure: impl FnOnce(StreamRewriter) -> StreamRewriter,
    ) -> Self {
        let engine = match input {
            InputFormat::Raw => Engine::Text(Rewriter::new(parser)),
            InputFormat::Auto => Engine::Response(configure(StreamRewriter::detect(parser))),
            InputFormat::Response(format) => {
                Engine::Response(configure(StreamRewriter::new(format, parser)))
            }
        };
        Self::of(engine, input)
    }
}

impl<P: Policy + Clone> StreamReader<P> {
    /// A reader with a rewriter or gate for this kind of input.
    pub(crate) fn of(engine: Engine<P>, input: InputFormat) -> Self {
        Self {
            engine,
            fields: None,
            tracker: ResponseTracker::new(input.format()),
            bytes: 0,
        }
    }

    /// The same for the strings at pointers of each line, from the line with this number on; all of the text without pointers.
    /// `is_written` if lines are written again.
    pub(crate) fn with_fields(mut self, pointers: &[Pointer], line: u64, is_written: bool) -> Self {
        let fields = FieldReader::new(pointers, line, is_written);
        self.fields = (!pointers.is_empty()).then_some(fields);
        self
    }

    /// Reads the next bytes; returns `false` if no more are of use.
    pub(crate) fn push(
        &mut self,
        chunk: &[u8],
        sink: &mut impl StreamSink,
    ) -> anyhow::Result<bool> {
        self.bytes += chunk.len() as u64;
        if let Some(fields) = &mut self.fields {
            fields.push(chunk, &mut self.engine, sink)?;
            return Ok(true);
        }
        if self.engine.is_response() {
            self.tracker.push(chunk);
        } else {
            sink.on_input_bytes(chunk);
        }
        let mut adapter = Adapter::new(&self.engine, sink, &mut self.tracker);
        match &mut self.engine {
            Engine::Text(rewriter) => rewriter.push(chunk, &mut adapter),
            Engine::Response(rewriter) => rewriter.push(chunk, &mut adapter),
            Engine::Gate(gate) => {
                gate.push(chunk, &mut adapter);
                return Ok(gate.ended().is_none());
            }
            Engine::ResponseGate(gate) => gate.push(chunk, &mut adapter),
        }
        Ok(true)
    }

    /// Ends the stream.
    pub(crate) fn finish(mut self, sink: &mut impl StreamSink) -> anyhow::Result<StreamEnd> {
        let mut end = StreamEnd {
            bytes: self.bytes,
            status: ResponseStatus::default(),
            fields: FieldCounts::default(),
            stopped: Vec::new(),
        };
        if let Some(mut fields) = self.fields {
            fields.push(b"", &mut self.engine, sink)?;
            (end.fields, end.stopped) = fields.finish();
            return Ok(end);
        }
        let mut adapter = Adapter::new(&self.engine, sink, &mut self.tracker);
        match &mut self.engine {
            Engine::Text(rewriter) => rewriter.finish(&mut adapter),
            Engine::Gate(gate) => {
                gate.finish(&mut adapter);
                let stopped = gate.ended().map(|end| StoppedText { name: None, end });
                end.stopped.extend(stopped);
            }
            Engine::Response(rewriter) => {
                rewriter.finish(&mut adapter);
                end.status = self.tracker.finish(rewriter.report());
            }
            Engine::ResponseGate(gate) => {
                gate.finish(&mut adapter);
                end.status = self.tracker.finish(gate.report());
                end.stopped.extend(gate.ended().map(|(channel, end)| {
                    let name = Some(channel.to_string());
                    StoppedText { name, end }
                }));
            }
        }
        Ok(end)
    }
}

impl<P: Policy + Clone> Engine<P> {
    /// Returns `true` if a policy decides about text.
    pub(crate) const fn is_gate(&self) -> bool {
        matches!(self, Self::Gate(_) | Self::ResponseGate(_))
    }

    const fn is_response(&self) -> bool {
        matches!(self, Self::Response(_) | Self::ResponseGate(_))
    }

    /// Reads one of several texts. Returns it without annotations, if it is to be written, and how its policy ended it.
    pub(crate) fn read_text(
        &mut self,
        text: &[u8],
        is_written: bool,
        sink: &mut impl StreamSink,
    ) -> (Vec<u8>, Option<GateEnd>) {
        sink.on_input_bytes(text);
        let mut adapter = Adapter {
            sink,
            tracker: None,
            field: Some(Vec::new()),
            is_written,
            is_gate: self.is_gate(),
        };
        let mut end = None;
        match self {
            Self::Gate(gate) => {
                gate.push(text, &mut adapter);
                gate.finish(&mut adapter);
                end = gate.ended();
                gate.reset();
            }
            Self::Text(rewriter) => {
                rewriter.push(text, &mut adapter);
                rewriter.finish(&mut adapter);
                rewriter.reset();
            }
            // --field and --input exclude each other.
            Self::Response(_) | Self::ResponseGate(_) => {}
        }
        (adapter.field.unwrap_or_default(), end)
    }
}

/// Reads an input to its end. What was certain is written, even if the input breaks off.
pub(crate) fn pump<P: Policy + Clone>(
    input: &mut Input,
    mut reader: StreamReader<P>,
    chunk_size: Option<usize>,
    sink: &mut impl StreamSink,
) -> anyhow::Result<StreamEnd> {
    let chunk_size = chunk_size.unwrap_or(BUFFER);
    // A whole number of chunks, so that in a file only the last one is shorter.
    let mut buffer = vec![0; chunk_size * (BUFFER / chunk_size).max(1)];
    let read = 'read: loop {
        sink.check(input.is_interactive())?;
        let count = match input.read(&mut buffer) {
            Ok(0) => break Ok(()),
            Ok(count) => count,
            Err(error) => break Err(error),
        };
        for chunk in buffer[..count].chunks(chunk_size) {
            let pushed = reader.push(chunk, sink);
            sink.check(false)?;
            if !pushed? {
                break 'read Ok(());
            }
        }
    };
    let read = match read {
        Err(error) if !reader.engine.is_gate() => {
            sink.check(true)?;
            return Err(error);
        }
        read => read,
    };
    let end = reader.finish(sink)?;
    for stopped in &end.stopped {
        sink.on_stop(stopped);
    }
    sink.check(read.is_err())?;
    read.map(|()| end)
}

/// Forwards the events of a text, a response or a gate to the command's sink.
struct Adapter<'s, S> {
    sink: &'s mut S,
    /// Tracker of a response.
    tracker: Option<&'s mut ResponseTracker>,
    /// Text of a field, which is written in its line.
    field: Option<Vec<u8>>,
    is_written: bool,
    is_gate: bool,
}

impl<'s, S: StreamSink> Adapter<'s, S> {
    fn new<P: Policy + Clone>(
        engine: &Engine<P>,
        sink: &'s mut S,
        tracker: &'s mut ResponseTracker,
    ) -> Self {
        Self {
            sink,
            tracker: engine.is_response().then_some(tracker),
            field: None,
            is_written: true,
            is_gate: engine.is_gate(),
        }
    }

    fn is_repeated(&self) -> bool {
        self.tracker.as_ref().is_some_and(|it| it.is_repeated)
    }
}

impl<S: StreamSink> Handler for Adapter<'_, S> {
    fn text(&mut self, text: TextChunk<'_>) {
        if self.is_repeated() {
            return;
        }
        self.sink.text(text);
        match &mut self.field {
            Some(field) if self.is_written => field.extend_from_slice(text.bytes()),
            None if self.tracker.is_none() => self.sink.write(text.bytes()),
            _ => {}
        }
    }

    fn annotation(&mut self, annotation: &BracketAnnotation<'_>) -> Replacement {
        match self.is_repeated() {
            true => Replacement::Remove,
            false => self.sink.annotation(annotation),
        }
    }

    fn event(&mut self, event: Event<'_>) {
        if !self.is_repeated() {
            self.sink.event(event);
        }
    }
}

impl<S: StreamSink> GateHandler for Adapter<'_, S> {
    fn released(&mut self, text: TextChunk<'_>) {
        self.sink.on_gate(&GateEvent::Released(text));
        self.text(text);
    }

    fn removed(&mut self, text: TextChunk<'_>) {
        self.sink.on_gate(&GateEvent::Removed(text));
    }

    fn decided(&mut self, question: &Question<'_>, action: &Action) {
        self.sink.on_gate(&GateEvent::Decided(question, action));
    }

    fn run_begins(&mut self, at: u64, what: &Unannotated) {
        self.sink.on_gate(&GateEvent::RunBegins(at, what));
    }

    fn run_ends(&mut self, at: u64) {
        self.sink.on_gate(&GateEvent::RunEnds(at));
    }

    fn limit(&mut self, span: Span) {
        self.sink.on_gate(&GateEvent::Limit(span));
    }
}

impl<S: StreamSink> StreamHandler for Adapter<'_, S> {
    fn bytes(&mut self, bytes: &[u8]) {
        self.sink.write(bytes);
    }

    fn channel(&mut self, position: ChannelPosition) {
        if let Some(tracker) = &mut self.tracker {
            tracker.has_text = true;
            tracker.is_repeated = position.is_repeated && !self.is_gate;
        }
        if !self.is_repeated() {
            let name = TextName::Channel {
                channel: position.channel,
                is_reasoning: position.is_reasoning,
            };
            self.sink.on_text(&name, position.is_repeated);
        }
    }

    fn gate(&mut self, event: GateEvent<'_>) {
        self.sink.on_gate(&event);
    }

    fn item(&mut self, item: Item<'_>) {
        let Some(tracker) = &mut self.tracker else {
            return;
        };
        match item {
            Item::Notice(notice) => {
                tracker.add_notice(&notice);
                self.sink.on_notice(&StreamNotice::Diagnostic {
                    code: notice.code().as_str(),
                    span: notice.span(),
                    message: None,
                    line: None,
                    is_unread: notice.code().is_unread(),
                });
            }
            Item::Error(message) => {
                tracker.add_error(&message);
                self.sink.on_notice(&StreamNotice::Error(&message));
            }
            Item::ChannelEnd(channel) => {
                tracker.has_text = true;
                self.sink.on_text_end(&TextName::Channel {
                    channel,
                    is_reasoning: false,
                });
            }
            Item::End => tracker.has_end = true,
            _ => {}
        }
    }
}
