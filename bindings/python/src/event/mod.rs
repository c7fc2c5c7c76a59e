//! Events of a parser or a gate as Python objects.

use std::collections::VecDeque;
use std::sync::Arc;

mod annotation;
mod assertion;
mod citation;
mod decision;
mod diagnostic;
mod marc;
mod record;

pub(crate) use annotation::{Annotation, to_json};
pub(crate) use assertion::Assertion;
pub(crate) use citation::Citation;
pub(crate) use decision::{Decision, LimitRelease, UnplacedDecision};
pub(crate) use diagnostic::Diagnostic;
pub(crate) use marc::Marc;
use provstream::{Event, OwnedEvent, Span};
use pyo3::PyClass;
use pyo3::exceptions::PyNotImplementedError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyAny;
pub(crate) use record::Record;

use crate::offsets::{Locate, Unknown};
use crate::place::Place;

/// An event whose code points are not known yet.
pub(crate) enum Reported {
    Event(OwnedEvent),
    /// Decision of a policy about an assertion.
    Decision(Box<UnplacedDecision>),
    /// Text released because of a limit; offsets in the text without annotations.
    Released(Span),
}

/// An event other than text, with its code points.
#[derive(Clone)]
pub(crate) enum LocatedEvent {
    Annotation(Annotation),
    Assertion(Assertion),
    Citation(Citation),
    Marc(Marc),
    Record(Record),
    Diagnostic(Diagnostic),
    Decision(Decision),
    Released(LimitRelease),
}

impl LocatedEvent {
    /// Converts an event, or returns `None` for text.
    ///
    /// # Errors
    /// [`Unknown::Early`] if it has to wait for the next bytes.
    pub(crate) fn of(reported: &Reported, locate: &impl Locate) -> Result<Option<Self>, Unknown> {
        let event = match reported {
            Reported::Event(event) => event,
            Reported::Decision(decided) => {
                return Decision::new(decided, locate).map(|found| Some(Self::Decision(found)));
            }
            Reported::Released(span) => {
                return Ok(Some(Self::Released(LimitRelease::new(*span))));
            }
        };
        Ok(Some(match event {
            Event::Annotation(found) => Self::Annotation(Annotation::bracket(found, locate)?),
            Event::Assertion(found) => Self::Assertion(Assertion::new(found.clone(), locate)?),
            Event::Citation(_) => return Ok(Citation::of(event, locate)?.map(Self::Citation)),
            Event::Marker(found) => {
                locate.place(found.span())?;
                return Ok(None);
            }
            Event::Marc(found) => Self::Marc(Marc::new(found.clone(), locate)?),
            Event::Record(found) => Self::Record(Record::new(found, locate)?),
            Event::Diagnostic(found) => Self::Diagnostic(Diagnostic::new(*found, locate)?),
            // Text, and kinds of event that this package does not know.
            _ => return Ok(None),
        }))
    }

    /// Converts the event to a Python object.
    ///
    /// # Errors
    /// `MemoryError`.
    pub(crate) fn into_object(self, py: Python<'_>, channel: &Arc<str>) -> PyResult<Py<PyAny>> {
        Ok(match self {
            Self::Annotation(found) => object(py, (found.place, channel), found)?
                .into_any()
                .unbind(),
            Self::Assertion(found) => object(py, (found.place, channel), found)?
                .into_any()
                .unbind(),
            Self::Citation(found) => object(py, (found.place, channel), found)?
                .into_any()
                .unbind(),
            Self::Marc(found) => object(py, (found.place, channel), found)?
                .into_any()
                .unbind(),
            Self::Record(found) => object(py, (found.place, channel), found)?
                .into_any()
                .unbind(),
            Self::Diagnostic(found) => object(py, (found.place, channel), found)?
                .into_any()
                .unbind(),
            Self::Decision(found) => object(py, (found.place, channel), found)?
                .into_any()
                .unbind(),
            Self::Released(found) => object(py, (found.place, channel), found)?
                .into_any()
                .unbind(),
        })
    }
}

/// Queue of events in the order in which they were found. The last ones may wait until the position
/// of a character's end is known.
#[derive(Default)]
pub(crate) struct Events {
    waiting: Vec<Reported>,
    /// Events with known code points.
    ready: VecDeque<LocatedEvent>,
}

impl Events {
    /// Adds an event that is not text.
    pub(crate) fn take(&mut self, event: OwnedEvent) {
        self.waiting.push(Reported::Event(event));
    }

    /// Adds an event of a gate.
    pub(crate) fn report(&mut self, reported: Reported) {
        self.waiting.push(reported);
    }

    /// Determines the code points of waiting events. Call it after each piece.
    #[inline]
    pub(crate) fn place(&mut self, locate: &mut impl Locate) {
        if !self.waiting.is_empty() {
            self.place_all(locate);
        }
    }

    fn place_all(&mut self, locate: &mut impl Locate) {
        let mut done = 0;
        for event in &self.waiting {
            let Ok(found) = LocatedEvent::of(event, locate) else {
                break;
            };
            if let Reported::Event(event) = event {
                note_removed(event, locate);
            }
            self.ready.extend(found);
            done += 1;
        }
        self.waiting.drain(..done);
    }

    /// Returns `true` if no event is ready.
    pub(crate) fn is_empty(&self) -> bool {
        self.ready.is_empty()
    }

    /// Removes and returns all ready events.
    pub(crate) fn take_ready(&mut self) -> VecDeque<LocatedEvent> {
        std::mem::take(&mut self.ready)
    }

    /// Removes and returns the first ready event.
    pub(crate) fn next_ready(&mut self) -> Option<LocatedEvent> {
        self.ready.pop_front()
    }

    /// Removes all events.
    pub(crate) fn clear(&mut self) {
        self.waiting.clear();
        self.ready.clear();
    }
}

/// Records the bytes that stripping removes for an event.
fn note_removed(event: &OwnedEvent, locate: &mut impl Locate) {
    match event {
        Event::Annotation(found) => {
            let white = found.whitespace_before() as u64;
            let span = found.span();
            locate.remove(Span::new(span.start() - white, span.end()));
        }
        Event::Marker(found) => {
            let white = found.whitespace_before() as u64;
            let span = found.span();
            locate.remove(Span::new(span.start() - white, span.end()));
        }
        Event::Record(found) => locate.remove(found.span()),
        _ => {}
    }
}

/// An event at a position in a stream; the base class of all kinds.
#[pyclass(frozen, subclass, name = "Event", module = "provstream")]
pub(crate) struct Located {
    place: Place,
    channel: Arc<str>,
}

#[pymethods]
impl Located {
    /// Channel of a provider's response, such as `0` or `1/0`; empty for other streams.
    #[getter]
    fn channel(&self) -> &str {
        &self.channel
    }

    /// Code point offset of the start.
    #[getter]
    fn start(&self) -> PyResult<u64> {
        self.place.start()
    }

    /// Code point offset of the end.
    #[getter]
    fn end(&self) -> PyResult<u64> {
        self.place.end()
    }

    /// Byte offset of the start in UTF-8.
    #[getter]
    const fn byte_start(&self) -> u64 {
        self.place.bytes().start()
    }

    /// Byte offset of the end in UTF-8.
    #[getter]
    const fn byte_end(&self) -> u64 {
        self.place.bytes().end()
    }

    /// Formats the event as a line of JSON; its spans count bytes.
    fn to_json(&self) -> PyResult<String> {
        Err(PyNotImplementedError::new_err(
            "every kind of event has a method of its own",
        ))
    }

    /// Returns the members of `to_json` as a `dict`.
    fn to_dict<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let py = slf.py();
        let line = slf.call_method0(intern!(py, "to_json"))?;
        py.import("json")?.call_method1("loads", (line,))
    }
}

impl Located {
    pub(crate) const fn channel_name(&self) -> &Arc<str> {
        &self.channel
    }
}

/// Creates the Python object of an event.
pub(crate) fn object<'py, T>(
    py: Python<'py>,
    (place, channel): (Place, &Arc<str>),
    kind: T,
) -> PyResult<Bound<'py, T>>
where
    T: PyClass<BaseType = Located>,
{
    let base = Located {
        place,
        channel: Arc::clone(channel),
    };
    Bound::new(py, PyClassInitializer::from(base).add_subclass(kind))
}

/// Quotes a text for a `repr`.
pub(crate) fn quoted(text: &str) -> String {
    serde_json::to_string(text).unwrap_or_default()
}
