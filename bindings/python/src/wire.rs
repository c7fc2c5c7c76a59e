//! Responses of providers as bytes.

use std::collections::BTreeMap;
use std::collections::VecDeque;
use std::sync::Arc;

use provstream::{
    BracketAnnotation, Event, Handler, JsonRecord, Marker, Replacement, Rules, Span, TextChunk,
};
use provstream_providers::{
    ChannelPosition, ChannelRenderer, Format, GateEvent, Item, NoticeCode, PassMembers, ReadReport,
    Reasoning, StreamGate, StreamHandler, StreamRewriter,
};
use provstream_route::ResponseSourceReader;
use pyo3::exceptions::PyValueError;
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::event::{Events, LocatedEvent, Reported};
use crate::failure::callback_error;
use crate::guard::ObjectState;
use crate::input::ChunkDecoder;
use crate::offsets::{CleanOffsets, Offsets, WINDOW};
use crate::parse::PIECE;
use crate::policy::AnyPolicy;
use crate::settings::{Limits, Settings, value_error};
use crate::sink::decided;
use crate::time;
use crate::vocabulary::Vocabulary;

/// Most texts of a response with tracked offsets. More are possible only if a response opens and
/// ends them in turn.
const MAX_TEXTS: usize = 512;

/// Rewriter or gate that writes the response.
enum WireWriter {
    Rewriter(Box<StreamRewriter>),
    Gate(Box<StreamGate<AnyPolicy>>, Option<Box<Rules>>, AnyPolicy),
}

/// A text of the response.
struct WireText {
    name: Arc<str>,
    offsets: CleanOffsets,
    events: Events,
}

impl WireText {
    fn new(name: &str) -> Self {
        Self {
            name: name.into(),
            offsets: CleanOffsets::new(),
            events: Events::default(),
        }
    }
}

/// Output and events until Python takes them.
#[derive(Default)]
struct WireOutput {
    bytes: Vec<u8>,
    texts: BTreeMap<String, WireText>,
    ready: VecDeque<(Arc<str>, LocatedEvent)>,
    on_event: Option<Py<PyAny>>,
    source_reader: Option<ResponseSourceReader>,
    renderer: Option<ChannelRenderer>,
}

impl WireOutput {
    fn text(&mut self, name: &str) -> &mut WireText {
        if !self.texts.contains_key(name) {
            if self.texts.len() >= MAX_TEXTS {
                self.texts.pop_first();
            }
            self.texts.insert(name.to_owned(), WireText::new(name));
        }
        self.texts
            .entry(name.to_owned())
            .or_insert_with(|| WireText::new(name))
    }

    /// Determines the code points of waiting events.
    fn place(&mut self) {
        for text in self.texts.values_mut() {
            text.events.place(&mut text.offsets);
            while let Some(found) = text.events.next_ready() {
                self.ready.push_back((Arc::clone(&text.name), found));
            }
        }
    }

    fn deliver(&mut self, py: Python<'_>) -> PyResult<()> {
        let Some(function) = &self.on_event else {
            self.ready.clear();
            return Ok(());
        };
        while let Some((name, found)) = self.ready.pop_front() {
            let event = found.into_object(py, &name)?;
            function
                .call1(py, (event,))
                .map_err(|error| callback_error(py, error))?;
        }
        Ok(())
    }
}

/// Handler that collects output and events during one push.
struct WireSink<'a> {
    output: &'a mut WireOutput,
    rules: Option<&'a Rules>,
    name: &'a mut String,
    is_repeated: &'a mut bool,
    /// `true` for a gate: its events have the text, so `text` is ignored.
    is_gated: bool,
}

impl WireSink<'_> {
    fn report(&mut self, event: Event<'_>) {
        if self.output.on_event.is_some() && !*self.is_repeated {
            let event = event.into_owned();
            self.output.text(self.name).events.take(event);
        }
    }

    fn wrote(&mut self, text: TextChunk<'_>) {
        if self.output.on_event.is_some() && !*self.is_repeated {
            let (bytes, start) = (text.bytes(), text.span().start());
            self.output.text(self.name).offsets.push(bytes, start);
        }
    }
}

impl Handler for WireSink<'_> {
    fn text(&mut self, text: TextChunk<'_>) {
        if !self.is_gated {
            self.wrote(text);
        }
    }

    fn annotation(&mut self, annotation: &BracketAnnotation<'_>) -> Replacement {
        self.report(Event::Annotation(*annotation));
        Replacement::Remove
    }

    fn record(&mut self, record: &JsonRecord<'_>) -> Replacement {
        self.report(Event::Record(*record));
        Replacement::Remove
    }

    fn marker(&mut self, marker: &Marker<'_>) -> Replacement {
        match &mut self.output.renderer {
            Some(renderer) => renderer.render(marker),
            None => Replacement::Remove,
        }
    }

    fn event(&mut self, event: Event<'_>) {
        self.report(event);
    }
}

impl StreamHandler for WireSink<'_> {
    fn bytes(&mut self, bytes: &[u8]) {
        self.output.bytes.extend_from_slice(bytes);
    }

    fn data(&mut self, data: &[u8]) {
        if let Some(reader) = &mut self.output.source_reader {
            reader.event(data);
        }
    }

    fn channel(&mut self, position: ChannelPosition) {
        *self.name = position.channel.to_string();
        if position.is_reasoning {
            self.name.push_str(" reasoning");
        }
        *self.is_repeated = position.is_repeated;
        if let Some(renderer) = &mut self.output.renderer {
            renderer.channel(position);
        }
    }

    fn gate(&mut self, event: GateEvent<'_>) {
        if self.output.on_event.is_none() {
            return;
        }
        match event {
            GateEvent::Released(text) | GateEvent::Removed(text) => self.wrote(text),
            GateEvent::Decided(question, action) => {
                let decided = decided(question, action, self.rules);
                let text = self.output.text(question.channel());
                text.events.report(Reported::Decision(Box::new(decided)));
            }
            GateEvent::Limit(span) => self.released(span),
            _ => {}
        }
    }

    fn item(&mut self, item: Item<'_>) {
        if let Item::ChannelEnd(channel) = item {
            let name = channel.to_string();
            if let Some(text) = self.output.texts.get_mut(&name) {
                text.events.place(&mut text.offsets);
            }
        }
    }
}

impl WireSink<'_> {
    fn released(&mut self, span: Span) {
        let text = self.output.text(self.name);
        text.events.report(Reported::Released(span));
    }
}

struct WireState {
    writer: WireWriter,
    output: WireOutput,
    name: String,
    is_repeated: bool,
    input: ChunkDecoder,
    /// Unused: bytes have no surrogates.
    unused: Offsets,
    /// `true` after the end of the response. Another `finish` returns only bytes that an exception
    /// of a callback kept back.
    is_finished: bool,
}

impl WireState {
    fn push(&mut self, chunk: &Bound<'_, PyAny>) -> PyResult<()> {
        let Self {
            writer,
            output,
            name,
            is_repeated,
            input,
            unused,
            ..
        } = self;
        input.with(chunk, unused, |bytes, _| {
            let mut work = || feed(writer, output, (name, is_repeated), Some(bytes));
            if bytes.len() < PIECE {
                work();
            } else {
                chunk.py().detach(work);
            }
            Ok(())
        })
    }

    fn finish(&mut self) {
        if std::mem::replace(&mut self.is_finished, true) {
            return;
        }
        let left = self.input.finish();
        if !left.is_empty() {
            let to = (&mut self.name, &mut self.is_repeated);
            feed(&mut self.writer, &mut self.output, to, Some(left));
        }
        let to = (&mut self.name, &mut self.is_repeated);
        feed(&mut self.writer, &mut self.output, to, None);
        for text in self.output.texts.values_mut() {
            text.offsets.finish();
        }
        self.output.place();
    }

    fn give<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let raised = match &self.writer {
            WireWriter::Gate(.., policy) => policy.take_error(),
            WireWriter::Rewriter(_) => None,
        };
        let delivered = self.output.deliver(py);
        raised.map_or(delivered, Err)?;
        let bytes = PyBytes::new(py, &self.output.bytes);
        self.output.bytes.clear();
        Ok(bytes)
    }

    /// Visits the callbacks for the garbage collector, since they may refer to the owner of this
    /// object.
    fn traverse(&mut self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        if let WireWriter::Gate(.., policy) = &self.writer {
            visit.call(policy.function())?;
        }
        visit.call(self.output.on_event.as_ref())
    }

    /// Drops the callbacks, when only a reference cycle keeps this object alive.
    fn clear(&mut self) {
        let inert = StreamRewriter::detect(provstream::Parser::new());
        self.writer = WireWriter::Rewriter(Box::new(inert));
        self.output.on_event = None;
    }

    fn report(&self) -> (&ReadReport, Option<Format>) {
        match &self.writer {
            WireWriter::Rewriter(rewriter) => (rewriter.report(), rewriter.format()),
            WireWriter::Gate(gate, ..) => (gate.report(), gate.format()),
        }
    }
}

/// Pushes bytes, or ends the response if there are none.
fn feed(
    writer: &mut WireWriter,
    output: &mut WireOutput,
    (name, is_repeated): (&mut String, &mut bool),
    bytes: Option<&[u8]>,
) {
    let mut sink = WireSink {
        output,
        rules: None,
        name,
        is_repeated,
        is_gated: false,
    };
    match (writer, bytes) {
        (WireWriter::Rewriter(rewriter), Some(bytes)) => rewriter.push(bytes, &mut sink),
        (WireWriter::Rewriter(rewriter), None) => rewriter.finish(&mut sink),
        (WireWriter::Gate(gate, rules, _), bytes) => {
            (sink.rules, sink.is_gated) = (rules.as_deref(), true);
            match bytes {
                Some(bytes) => gate.push(bytes, &mut sink),
                None => gate.finish(&mut sink),
            }
        }
    }
    output.place();
}

/// A provider's response, streamed or not, as bytes: server-sent events, JSON lines, or one JSON
/// value.
///
/// `push` and `finish` return a response of the same format whose text has no annotations, or with
/// `policy` only released text. `format` is one of `provstream.FORMATS`; by default it is detected
/// from the events. `reasoning` is `"leave"`, `"rewrite"` or `"drop"`. `pass_members` are paths of
/// members that pass although the format does not define them, such as `choices[].delta.note`.
/// `on_event` is called with each event, whose `channel` names its text; its code points are known
/// in the text without annotations only (`clean_start`). `report` counts unread parts. With `dialects` and `sources`, as in
/// `strip`, the markers of citations are removed, too, and a policy decides about their sentences. If `sources` is the body of the
/// request as bytes, they are the sources that the request and the response bring (`docs/proxy.md`).
/// `docs/providers.md` describes the formats.
#[pyclass(frozen, module = "provstream")]
pub(crate) struct Response(ObjectState<WireState>);

#[pymethods]
impl Response {
    #[new]
    #[pyo3(signature = (*, format=None, policy=None, mode="auto", vocabulary=None, limits=None, now=None, reasoning="leave",
        pass_members=None, on_event=None, dialects=None, sources=None, render=None))]
    #[expect(
        clippy::too_many_arguments,
        reason = "each is a keyword argument, and all are optional"
    )]
    fn new(
        format: Option<&str>,
        policy: Option<&Bound<'_, PyAny>>,
        mode: &str,
        vocabulary: Option<&Vocabulary>,
        limits: Option<&Limits>,
        now: Option<&Bound<'_, PyAny>>,
        reasoning: &str,
        pass_members: Option<Vec<String>>,
        on_event: Option<Py<PyAny>>,
        dialects: Option<&Bound<'_, PyAny>>,
        sources: Option<&Bound<'_, PyAny>>,
        render: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let settings = Settings::new(mode, vocabulary, limits, false)?;
        let mut settings = settings.citing(dialects, sources)?.rendering(render)?;
        if policy.is_some() && render.is_some() {
            return Err(PyValueError::new_err(
                "expected \"render\" only without a policy, found both",
            ));
        }
        let parser = settings.parser();
        let format: Option<Format> = format.map(str::parse).transpose().map_err(value_error)?;
        let reasoning: Reasoning = reasoning.parse().map_err(value_error)?;
        let members: PassMembers = pass_members.into_iter().flatten().collect();
        let writer = match policy {
            None => {
                let rewriter = match format {
                    Some(format) => StreamRewriter::new(format, parser),
                    None => StreamRewriter::detect(parser),
                };
                let rewriter = rewriter.with_reasoning(reasoning);
                WireWriter::Rewriter(Box::new(rewriter.with_pass_members(members)))
            }
            Some(policy) => {
                let policy = AnyPolicy::new(policy, vocabulary, now.map(time::now).transpose()?)?;
                settings.check_policy(&policy)?;
                let rules = policy.rules().cloned().map(Box::new);
                let gate = match format {
                    Some(format) => StreamGate::new(format, parser, policy.clone()),
                    None => StreamGate::detect(parser, policy.clone()),
                };
                let gate = gate.with_reasoning(reasoning);
                let gate = Box::new(gate.with_pass_members(members));
                WireWriter::Gate(gate, rules, policy)
            }
        };
        let output = WireOutput {
            on_event,
            source_reader: settings.take_source_reader(),
            renderer: settings.renderer().map(ChannelRenderer::new),
            ..WireOutput::default()
        };
        Ok(Self(ObjectState::new(
            "response",
            WireState {
                writer,
                output,
                name: String::new(),
                is_repeated: false,
                input: ChunkDecoder::default(),
                unused: Offsets::new(WINDOW),
                is_finished: false,
            },
        )))
    }

    /// Processes the next chunk, and returns the bytes that are certain now.
    #[pyo3(signature = (chunk, /))]
    fn push<'py>(&self, chunk: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyBytes>> {
        self.0.with(|state| {
            state.push(chunk)?;
            state.give(chunk.py())
        })
    }

    /// Ends the response and returns the rest of it.
    fn finish<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        self.0.with(|state| {
            state.finish();
            state.give(py)
        })
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        self.0
            .visit(|state| state.traverse(&visit))
            .unwrap_or(Ok(()))
    }

    fn __clear__(&self) {
        self.0.visit(WireState::clear);
    }

    /// Format: the argument, or the one detected so far.
    #[getter]
    fn format(&self) -> PyResult<Option<&'static str>> {
        self.0
            .with(|state| Ok(state.report().1.map(Format::as_str)))
    }

    /// Counts of read and unread parts so far.
    #[getter]
    fn report(&self) -> PyResult<Read> {
        self.0.with(|state| Ok(Read(state.report().0.clone())))
    }

    /// Texts that the policy has ended, each with `suspended` or `refused`.
    #[getter]
    fn ended(&self) -> PyResult<BTreeMap<String, &'static str>> {
        self.0.with(|state| match &state.writer {
            WireWriter::Rewriter(_) => Ok(BTreeMap::new()),
            WireWriter::Gate(gate, ..) => Ok(gate
                .ended()
                .map(|(channel, end)| (channel.to_string(), crate::rewriter::end_name(end)))
                .collect()),
        })
    }
}

/// Counts of the read and unread parts of a response.
#[pyclass(frozen, eq, name = "ReadReport", module = "provstream")]
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Read(ReadReport);

#[pymethods]
impl Read {
    /// Events with data.
    #[getter]
    const fn events(&self) -> u64 {
        self.0.events()
    }

    /// Bytes of text that were read.
    #[getter]
    const fn text_bytes(&self) -> u64 {
        self.0.text_bytes()
    }

    /// Bytes of reasoning.
    #[getter]
    const fn reasoning_bytes(&self) -> u64 {
        self.0.reasoning_bytes()
    }

    /// Events with possible text that were not read.
    #[getter]
    fn unread(&self) -> u64 {
        self.0.unread()
    }

    /// `True` if all text was read. A program that acts on the findings must check this.
    #[getter]
    fn is_complete(&self) -> bool {
        self.0.is_complete()
    }

    /// Number of notices by code, such as `malformed-event`.
    #[getter]
    fn notices(&self) -> BTreeMap<&'static str, u64> {
        let codes = NoticeCode::ALL.into_iter();
        let counted = codes.map(|code| (code.as_str(), self.0.count(code)));
        counted.filter(|&(_, count)| count > 0).collect()
    }

    fn __repr__(&self) -> String {
        format!(
            "<ReadReport: {} events, {} unread>",
            self.0.events(),
            self.0.unread()
        )
    }
}

/// Returns the names of the formats.
pub(crate) fn formats() -> Vec<&'static str> {
    Format::ALL.into_iter().map(Format::as_str).collect()
}
