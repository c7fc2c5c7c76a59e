//! Output of a rewriter or gate until Python takes it.

use std::sync::Arc;

use provstream::render::MarkerRenderer;
use provstream::{
    Action, BracketAnnotation, Event, GateHandler, Handler, JsonRecord, Marker, Question,
    Replacement, Rules, Span, TextChunk,
};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};

use crate::event::{Annotation, Events, Reported, UnplacedDecision, object};
use crate::failure::callback_error;
use crate::input::ChunkKind;

/// Written text, and events.
pub(crate) struct SinkOutput {
    pub(crate) text: Vec<u8>,
    pub(crate) events: Events,
    /// Callback for events. Without one, events are dropped.
    on_event: Option<Py<PyAny>>,
    channel: Arc<str>,
}

impl SinkOutput {
    pub(crate) fn new(on_event: Option<Py<PyAny>>) -> Self {
        Self {
            text: Vec::new(),
            events: Events::default(),
            on_event,
            channel: Arc::from(""),
        }
    }

    /// Returns `true` if there is a callback for events.
    pub(crate) const fn wants_events(&self) -> bool {
        self.on_event.is_some()
    }

    /// Returns the callback for events.
    pub(crate) const fn function(&mut self) -> &mut Option<Py<PyAny>> {
        &mut self.on_event
    }

    /// Calls the callback with the ready events.
    ///
    /// # Errors
    /// What it raises: the events after that one, and the text, are there for the next call.
    pub(crate) fn deliver(&mut self, py: Python<'_>) -> PyResult<()> {
        let Some(function) = &self.on_event else {
            self.events.take_ready();
            return Ok(());
        };
        while let Some(found) = self.events.next_ready() {
            let event = found.into_object(py, &self.channel)?;
            function
                .call1(py, (event,))
                .map_err(|error| callback_error(py, error))?;
        }
        Ok(())
    }

    /// Removes and returns the text, in the type of the chunks. `last` includes an incomplete
    /// character at the end.
    pub(crate) fn take_text<'py>(
        &mut self,
        py: Python<'py>,
        kind: ChunkKind,
        last: bool,
    ) -> Bound<'py, PyAny> {
        if kind == ChunkKind::Bytes {
            let bytes = PyBytes::new(py, &self.text).into_any();
            self.text.clear();
            return bytes;
        }
        // The end of a piece may be within a character.
        let len = if last {
            self.text.len()
        } else {
            complete(&self.text)
        };
        let text = String::from_utf8_lossy(&self.text[..len]);
        let text = PyString::new(py, &text).into_any();
        self.text.drain(..len);
        text
    }

    /// Removes all text and events.
    pub(crate) fn clear(&mut self) {
        self.text.clear();
        self.events.clear();
    }
}

/// Returns the length of the text without an incomplete character at its end.
pub(crate) fn complete(text: &[u8]) -> usize {
    let tail = text.len().saturating_sub(3);
    for at in (tail..text.len()).rev() {
        let needed = match text[at] {
            0xC2..=0xDF => 2,
            0xE0..=0xEF => 3,
            0xF0..=0xF4 => 4,
            0x80..=0xBF => continue,
            _ => 0,
        };
        return if text.len() - at < needed {
            at
        } else {
            text.len()
        };
    }
    text.len()
}

/// Callback that replaces annotations.
pub(crate) struct Replace {
    pub(crate) function: Py<PyAny>,
    /// First exception of the callback in the current push.
    pub(crate) error: Option<PyErr>,
}

impl Replace {
    fn ask(&mut self, annotation: &BracketAnnotation<'_>) -> Replacement {
        if self.error.is_some() {
            return Replacement::Remove;
        }
        let answer = Python::attach(|py| -> PyResult<Option<String>> {
            let found = Annotation::unplaced(annotation);
            let found = object(py, (found.place, &Arc::from("")), found)?;
            let answer = self.function.bind(py).call1((found,));
            answer.map_err(|error| callback_error(py, error))?.extract()
        });
        match answer {
            Ok(Some(text)) => Replacement::from(text),
            Ok(None) => Replacement::Remove,
            Err(error) => {
                self.error = Some(error);
                Replacement::Remove
            }
        }
    }
}

/// Handler that collects output and events during one push.
pub(crate) struct TextSink<'a> {
    pub(crate) output: &'a mut SinkOutput,
    pub(crate) chunk: &'a [u8],
    /// `true` if the output is exactly the chunk, which is then not copied.
    pub(crate) whole: bool,
    pub(crate) replace: Option<&'a mut Replace>,
    pub(crate) renderer: Option<&'a mut MarkerRenderer>,
    pub(crate) rules: Option<&'a Rules>,
}

impl TextSink<'_> {
    fn report(&mut self, event: Event<'_>) {
        if self.output.wants_events() {
            self.output.events.take(event.into_owned());
        }
    }
}

impl Handler for TextSink<'_> {
    #[inline]
    fn text(&mut self, text: TextChunk<'_>) {
        let bytes = text.bytes();
        if std::ptr::eq(bytes, self.chunk) && self.output.text.is_empty() && !self.whole {
            self.whole = true;
            return;
        }
        if std::mem::take(&mut self.whole) {
            self.output.text.extend_from_slice(self.chunk);
        }
        self.output.text.extend_from_slice(bytes);
    }

    fn annotation(&mut self, annotation: &BracketAnnotation<'_>) -> Replacement {
        self.report(Event::Annotation(*annotation));
        match &mut self.replace {
            Some(replace) => replace.ask(annotation),
            None => Replacement::Remove,
        }
    }

    fn record(&mut self, record: &JsonRecord<'_>) -> Replacement {
        self.report(Event::Record(*record));
        Replacement::Remove
    }

    fn marker(&mut self, marker: &Marker<'_>) -> Replacement {
        self.report(Event::Marker(*marker));
        match &mut self.renderer {
            Some(renderer) => renderer.render(marker),
            None => Replacement::Remove,
        }
    }

    fn event(&mut self, event: Event<'_>) {
        self.report(event);
    }
}

impl GateHandler for TextSink<'_> {
    fn decided(&mut self, question: &Question<'_>, action: &Action) {
        if self.output.wants_events() {
            let decided = decided(question, action, self.rules);
            self.output
                .events
                .report(Reported::Decision(Box::new(decided)));
        }
    }

    fn limit(&mut self, span: Span) {
        if self.output.wants_events() {
            self.output.events.report(Reported::Released(span));
        }
    }
}

/// Copies the data of a decision.
pub(crate) fn decided(
    question: &Question<'_>,
    action: &Action,
    rules: Option<&Rules>,
) -> UnplacedDecision {
    let disposition = rules
        .zip(question.verdict())
        .map(|(rules, verdict)| rules.disposition(question, verdict).as_str());
    UnplacedDecision {
        assertion: question.assertion().clone().into_owned(),
        clean_span: question.clean_span(),
        action: action.clone(),
        verdict: question.verdict().cloned(),
        disposition,
        untrusted: question.untrusted(),
    }
}
