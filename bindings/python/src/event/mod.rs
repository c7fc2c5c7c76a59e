//! What a parser reports, as objects of Python.

use std::collections::VecDeque;
use std::sync::Arc;

mod annotation;
mod assertion;
mod decision;
mod diagnostic;
mod marc;
mod record;

pub(crate) use annotation::{Annotation, to_json};
pub(crate) use assertion::Assertion;
pub(crate) use decision::{Decided, Decision, LimitRelease};
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

/// What was reported, before its places are known.
pub(crate) enum Reported {
    Event(OwnedEvent),
    /// A policy has decided about an assertion.
    Decision(Box<Decided>),
    /// Text without annotations that was released because of a limit.
    Released(Span),
}

/// An event that is not text, with its places.
#[derive(Clone)]
pub(crate) enum Found {
    Annotation(Annotation),
    Assertion(Assertion),
    Marc(Marc),
    Record(Record),
    Diagnostic(Diagnostic),
    Decision(Decision),
    Released(LimitRelease),
}

impl Found {
    /// The event with its code points; `None` for text.
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
            Event::Marc(found) => Self::Marc(Marc::new(found.clone(), locate)?),
            Event::Record(found) => Self::Record(Record::new(found, locate)?),
            Event::Diagnostic(found) => Self::Diagnostic(Diagnostic::new(*found, locate)?),
            // Text, and kinds of event that this package does not know.
            _ => return Ok(None),
        }))
    }

    /// The object.
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

/// Events in the order in which they were found, of which the last may wait for the end of a character.
#[derive(Default)]
pub(crate) struct Events {
    waiting: Vec<Reported>,
    /// Those whose places are known.
    ready: VecDeque<Found>,
}

impl Events {
    /// Takes an event that is not text.
    pub(crate) fn take(&mut self, event: OwnedEvent) {
        self.waiting.push(Reported::Event(event));
    }

    /// Takes what a gate reports.
    pub(crate) fn report(&mut self, reported: Reported) {
        self.waiting.push(reported);
    }

    /// Finds the places of what is waiting. Comes after each piece that was pushed.
    #[inline]
    pub(crate) fn place(&mut self, locate: &mut impl Locate) {
        if !self.waiting.is_empty() {
            self.place_all(locate);
        }
    }

    fn place_all(&mut self, locate: &mut impl Locate) {
        let mut done = 0;
        for event in &self.waiting {
            let Ok(found) = Found::of(event, locate) else {
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

    /// Whether nothing can be taken out.
    pub(crate) fn is_empty(&self) -> bool {
        self.ready.is_empty()
    }

    /// Takes out the events whose places are known.
    pub(crate) fn take_ready(&mut self) -> VecDeque<Found> {
        std::mem::take(&mut self.ready)
    }

    /// Takes out the first event whose place is known.
    pub(crate) fn next_ready(&mut self) -> Option<Found> {
        self.ready.pop_front()
    }

    /// Forgets everything.
    pub(crate) fn clear(&mut self) {
        self.waiting.clear();
        self.ready.clear();
    }
}

/// Counts what stripping removes.
fn note_removed(event: &OwnedEvent, locate: &mut impl Locate) {
    match event {
        Event::Annotation(found) => {
            let white = found.whitespace_before() as u64;
            let span = found.span();
            locate.remove(Span::new(span.start() - white, span.end()));
        }
        Event::Record(found) => locate.remove(found.span()),
        _ => {}
    }
}

/// Something that was found in a stream, and where; the base of all kinds.
#[pyclass(frozen, subclass, name = "Event", module = "provstream")]
pub(crate) struct Located {
    place: Place,
    channel: Arc<str>,
}

#[pymethods]
impl Located {
    /// Which of the texts of a provider's response it is in, such as `0` or `1/0`; empty for other streams.
    #[getter]
    fn channel(&self) -> &str {
        &self.channel
    }

    /// The code point that it starts at.
    #[getter]
    fn start(&self) -> PyResult<u64> {
        self.place.start()
    }

    /// The code point after it.
    #[getter]
    fn end(&self) -> PyResult<u64> {
        self.place.end()
    }

    /// The byte of UTF-8 that it starts at.
    #[getter]
    const fn byte_start(&self) -> u64 {
        self.place.bytes().start()
    }

    /// The byte of UTF-8 after it.
    #[getter]
    const fn byte_end(&self) -> u64 {
        self.place.bytes().end()
    }

    /// The event as a line of JSON; its spans count bytes.
    fn to_json(&self) -> PyResult<String> {
        Err(PyNotImplementedError::new_err(
            "every kind of event has a method of its own",
        ))
    }

    /// The members of `to_json`.
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

/// An object of Python for a kind of event.
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

/// A value in a `repr`: the string as Python writes it.
pub(crate) fn quoted(text: &str) -> String {
    serde_json::to_string(text).unwrap_or_default()
}
