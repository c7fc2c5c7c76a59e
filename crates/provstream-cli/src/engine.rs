//! Rewriters and gates, and what they report.

use provstream::{
    Action, BracketAnnotation, Event, Gate, GateEnd, GateHandler, Handler, Marker, Policy,
    Question, Replacement, Rewriter, Span, TextChunk, Unannotated,
};
use provstream_providers::{
    ChannelPosition, GateEvent, Item, StreamGate, StreamHandler, StreamRewriter,
};

use crate::response::ResponseTracker;
use crate::sink::{StreamNotice, StreamSink, TextName};

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
pub(crate) enum StreamEngine<P> {
    Text(Box<Rewriter>),
    Response(Box<StreamRewriter>),
    Gate(Box<Gate<P>>),
    ResponseGate(Box<StreamGate<P>>),
}

impl<P: Policy + Clone> StreamEngine<P> {
    /// Returns `true` if a policy decides about text.
    pub(crate) const fn is_gate(&self) -> bool {
        matches!(self, Self::Gate(_) | Self::ResponseGate(_))
    }

    /// Returns `true` if the input is a response.
    pub(crate) const fn is_response(&self) -> bool {
        matches!(self, Self::Response(_) | Self::ResponseGate(_))
    }

    /// Reads one of several texts. Returns it without annotations, if it is to be written, and how its policy ended it.
    pub(crate) fn read_text(
        &mut self,
        text: &[u8],
        is_written: bool,
        sink: &mut dyn StreamSink,
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

/// Forwards the events of a text, a response or a gate to the command's sink.
pub(crate) struct Adapter<'s> {
    sink: &'s mut dyn StreamSink,
    /// Tracker of a response.
    tracker: Option<&'s mut ResponseTracker>,
    /// Text of a field, which is written in its line.
    field: Option<Vec<u8>>,
    is_written: bool,
    is_gate: bool,
}

impl<'s> Adapter<'s> {
    /// An adapter for the only text of an input, or its response.
    pub(crate) fn new<P: Policy + Clone>(
        engine: &StreamEngine<P>,
        sink: &'s mut dyn StreamSink,
        tracker: Option<&'s mut ResponseTracker>,
    ) -> Self {
        Self {
            sink,
            tracker,
            field: None,
            is_written: true,
            is_gate: engine.is_gate(),
        }
    }

    fn is_repeated(&self) -> bool {
        self.tracker.as_ref().is_some_and(|it| it.is_repeated)
    }
}

impl Handler for Adapter<'_> {
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

    fn marker(&mut self, marker: &Marker<'_>) -> Replacement {
        // A copy is written like the text that it repeats.
        self.sink.marker(marker)
    }

    fn event(&mut self, event: Event<'_>) {
        if !self.is_repeated() {
            self.sink.event(event);
        }
    }
}

impl GateHandler for Adapter<'_> {
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

impl StreamHandler for Adapter<'_> {
    fn bytes(&mut self, bytes: &[u8]) {
        self.sink.write(bytes);
    }

    fn channel(&mut self, position: ChannelPosition) {
        if let Some(tracker) = &mut self.tracker {
            tracker.has_text = true;
            tracker.is_repeated = position.is_repeated && !self.is_gate;
        }
        let name = TextName::Channel {
            channel: position.channel,
            is_reasoning: position.is_reasoning,
        };
        match self.is_repeated() {
            true => self.sink.on_copy(&name),
            false => self.sink.on_text(&name, position.is_repeated),
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
