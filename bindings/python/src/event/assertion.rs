//! Assertions.

use std::sync::Arc;

use provstream::provenance::Assertion as RustAssertion;
use provstream::{Event, Span};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use super::annotation::to_json;
use super::{Annotation, Located, object, quoted};
use crate::offsets::{Locate, Unknown};
use crate::place::Place;

/// An assertion with all its annotations.
///
/// For a text that was parsed as a whole, `text[a.start:a.end]` is the asserted text; in JSON it is
/// the content of the string, with its escapes. Source: `provenance memo 3` and `6`.
#[pyclass(frozen, eq, extends = Located, module = "provstream")]
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Assertion {
    inner: Arc<RustAssertion<'static>>,
    pub(crate) place: Place,
    clean: Option<Place>,
    annotations: Arc<[Annotation]>,
}

impl Assertion {
    pub(crate) fn new(
        inner: RustAssertion<'static>,
        locate: &impl Locate,
    ) -> Result<Self, Unknown> {
        let span = inner.span();
        let clean = inner
            .clean_span()
            .map(|clean| locate.clean_place(span, clean))
            .transpose()?;
        let annotations: Result<_, _> = inner
            .annotations()
            .map(|annotation| Annotation::of(annotation, locate))
            .collect();
        Ok(Self {
            place: locate.place(span)?,
            clean,
            annotations: annotations?,
            inner: Arc::new(inner),
        })
    }

    /// Creates an assertion whose code points are unknown, for a callback during a push.
    pub(crate) fn unplaced(inner: RustAssertion<'static>) -> Self {
        let unplaced = |annotation: provstream::provenance::Annotation<'_>| {
            Annotation::at_bytes(annotation.into_owned())
        };
        Self {
            place: Place::bytes_only(inner.span()),
            clean: inner.clean_span().map(Place::bytes_only),
            annotations: inner.annotations().map(unplaced).collect(),
            inner: Arc::new(inner),
        }
    }

    pub(crate) fn inner(&self) -> &RustAssertion<'static> {
        &self.inner
    }

    /// Positions of the assertion and of its annotations.
    pub(crate) fn places(&self) -> impl Iterator<Item = Place> {
        let annotations = self.annotations.iter().map(|found| found.place);
        annotations.chain([self.place])
    }

    /// Returns the byte range in the text without annotations.
    pub(crate) fn clean_bytes(&self) -> Option<Span> {
        self.clean.map(Place::bytes)
    }
}

#[pymethods]
impl Assertion {
    /// Asserted text; in JSON without escapes.
    #[getter]
    fn text(&self) -> &str {
        self.inner.text()
    }

    /// `bracket` in free text, `json` in JSON.
    #[getter]
    fn encoding(&self) -> &'static str {
        self.inner.encoding().as_str()
    }

    /// Code point offset of the start in the text without annotations; `None` in JSON.
    #[getter]
    fn clean_start(&self) -> PyResult<Option<u64>> {
        self.clean.map(Place::start).transpose()
    }

    /// Code point offset of the end in the text without annotations; `None` in JSON.
    #[getter]
    fn clean_end(&self) -> PyResult<Option<u64>> {
        self.clean.map(Place::end).transpose()
    }

    /// Byte offset of the start in the text without annotations; `None` in JSON.
    #[getter]
    fn clean_byte_start(&self) -> Option<u64> {
        self.clean_bytes().map(Span::start)
    }

    /// Byte offset of the end in the text without annotations; `None` in JSON.
    #[getter]
    fn clean_byte_end(&self) -> Option<u64> {
        self.clean_bytes().map(Span::end)
    }

    /// JSON Pointer of the text (RFC 6901); `None` in free text, or if it is longer than
    /// `Limits.max_pointer`.
    #[getter]
    fn pointer(&self) -> Option<&str> {
        self.inner.pointer()
    }

    /// Annotations in the order of the stream.
    #[getter]
    fn annotations(slf: PyRef<'_, Self>) -> PyResult<Bound<'_, PyTuple>> {
        let (py, channel) = (slf.py(), slf.as_super().channel_name());
        let found = slf.annotations.iter();
        let objects: PyResult<Vec<_>> = found
            .map(|found| object(py, (found.place, channel), found.clone()))
            .collect();
        PyTuple::new(py, objects?)
    }

    /// Classes that the annotations map to, in the order of the stream, with repetitions.
    #[getter]
    fn classes(&self) -> Vec<&str> {
        self.inner.classes().map(|class| class.as_str()).collect()
    }

    /// `True` if a limit truncated the text, or omitted an annotation, a string of one, or the
    /// pointer.
    #[getter]
    fn limit_hit(&self) -> bool {
        self.inner.limit_hit()
    }

    /// Formats the assertion as a line of the command line's JSON output; its spans count bytes.
    fn to_json(&self) -> PyResult<String> {
        let event: provstream::OwnedEvent = Event::Assertion((*self.inner).clone());
        to_json(&event)
    }

    fn __repr__(&self) -> String {
        let place = match self.place.points() {
            Some((start, end)) => format!("{start}:{end}"),
            None => format!("bytes {}", self.place.bytes()),
        };
        format!(
            "Assertion({}, {place}, classes={:?})",
            quoted(self.inner.text()),
            self.classes()
        )
    }
}
