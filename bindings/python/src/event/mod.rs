//! What a parser reports, as objects of Python.

mod annotation;
mod assertion;
mod diagnostic;
mod marc;
mod record;

pub(crate) use annotation::Annotation;
pub(crate) use assertion::Assertion;
pub(crate) use diagnostic::Diagnostic;
pub(crate) use marc::Marc;
use provstream::{Event, OwnedEvent};
use pyo3::PyClass;
use pyo3::prelude::*;
use pyo3::types::PyAny;
pub(crate) use record::Record;

use crate::offsets::{Offsets, Unknown};
use crate::place::Place;

/// An event that is not text, with its places.
#[derive(Clone)]
pub(crate) enum Found {
    Annotation(Annotation),
    Assertion(Assertion),
    Marc(Marc),
    Record(Record),
    Diagnostic(Diagnostic),
}

impl Found {
    /// The event with its code points; `None` for text.
    ///
    /// # Errors
    /// [`Unknown::Early`] if it has to wait for the next bytes.
    pub(crate) fn of(event: &OwnedEvent, offsets: &Offsets) -> Result<Option<Self>, Unknown> {
        Ok(Some(match event {
            Event::Annotation(found) => Self::Annotation(Annotation::bracket(found, offsets)?),
            Event::Assertion(found) => Self::Assertion(Assertion::new(found.clone(), offsets)?),
            Event::Marc(found) => Self::Marc(Marc::new(found.clone(), offsets)?),
            Event::Record(found) => Self::Record(Record::new(found, offsets)?),
            Event::Diagnostic(found) => Self::Diagnostic(Diagnostic::new(*found, offsets)?),
            // Text, and kinds of event that this package does not know.
            _ => return Ok(None),
        }))
    }

    /// The object.
    ///
    /// # Errors
    /// `MemoryError`.
    pub(crate) fn into_object(self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        Ok(match self {
            Self::Annotation(found) => object(py, found.place, found)?.into_any().unbind(),
            Self::Assertion(found) => object(py, found.place, found)?.into_any().unbind(),
            Self::Marc(found) => object(py, found.place, found)?.into_any().unbind(),
            Self::Record(found) => object(py, found.place, found)?.into_any().unbind(),
            Self::Diagnostic(found) => object(py, found.place, found)?.into_any().unbind(),
        })
    }
}

/// Events in the order in which they were found, of which the last may wait for the end of a character.
#[derive(Default)]
pub(crate) struct Events {
    waiting: Vec<OwnedEvent>,
    /// Those whose places are known.
    ready: Vec<Found>,
}

impl Events {
    /// Takes an event that is not text.
    pub(crate) fn take(&mut self, event: OwnedEvent) {
        self.waiting.push(event);
    }

    /// Finds the places of what is waiting. Comes after each piece that was pushed.
    #[inline]
    pub(crate) fn place(&mut self, offsets: &mut Offsets) {
        if !self.waiting.is_empty() {
            self.place_all(offsets);
        }
    }

    fn place_all(&mut self, offsets: &mut Offsets) {
        let mut done = 0;
        for event in &self.waiting {
            let Ok(found) = Found::of(event, offsets) else {
                break;
            };
            note_removed(event, offsets);
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
    pub(crate) fn take_ready(&mut self) -> Vec<Found> {
        std::mem::take(&mut self.ready)
    }

    /// Forgets everything.
    pub(crate) fn clear(&mut self) {
        self.waiting.clear();
        self.ready.clear();
    }
}

/// Counts what stripping removes.
fn note_removed(event: &OwnedEvent, offsets: &mut Offsets) {
    match event {
        Event::Annotation(found) => {
            let white = found.whitespace_before() as u64;
            let span = found.span();
            offsets.remove(provstream::Span::new(span.start() - white, span.end()));
        }
        Event::Record(found) => offsets.remove(found.span()),
        _ => {}
    }
}

/// Something that was found in a stream, and where; the base of all kinds.
#[pyclass(frozen, subclass, name = "Event", module = "provstream")]
pub(crate) struct Located {
    place: Place,
}

#[pymethods]
impl Located {
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
}

/// An object of Python for a kind of event.
pub(crate) fn object<'py, T>(py: Python<'py>, place: Place, kind: T) -> PyResult<Bound<'py, T>>
where
    T: PyClass<BaseType = Located>,
{
    Bound::new(
        py,
        PyClassInitializer::from(Located { place }).add_subclass(kind),
    )
}

/// A value in a `repr`: the string as Python writes it.
pub(crate) fn quoted(text: &str) -> String {
    serde_json::to_string(text).unwrap_or_default()
}
