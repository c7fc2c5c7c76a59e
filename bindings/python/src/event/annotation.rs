//! Annotations.

use std::sync::Arc;

use bytes::Bytes;
use provstream::BracketAnnotation;
use provstream::provenance::Annotation as RustAnnotation;
use pyo3::prelude::*;

use super::{Located, quoted};
use crate::failure::InternalError;
use crate::offsets::{Locate, Unknown};
use crate::place::Place;
use crate::time;

/// A provenance annotation: the declared identifier, and the class that it maps to. Source:
/// `provenance memo 6`.
#[pyclass(frozen, eq, extends = Located, module = "provstream")]
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Annotation {
    inner: RustAnnotation<'static>,
    pub(crate) place: Place,
    /// Text in brackets.
    raw: Option<Arc<str>>,
}

impl Annotation {
    /// Creates an annotation of an assertion.
    pub(crate) fn of(inner: RustAnnotation<'_>, locate: &impl Locate) -> Result<Self, Unknown> {
        Ok(Self {
            place: locate.place(inner.span())?,
            inner: inner.into_owned(),
            raw: None,
        })
    }

    /// Creates an annotation in brackets.
    pub(crate) fn bracket(
        found: &BracketAnnotation<'static, Bytes>,
        locate: &impl Locate,
    ) -> Result<Self, Unknown> {
        let raw = String::from_utf8_lossy(found.raw());
        Ok(Self {
            raw: Some(raw.into()),
            ..Self::of(found.annotation(), locate)?
        })
    }

    /// Creates an annotation whose code points are unknown.
    pub(crate) fn at_bytes(inner: RustAnnotation<'static>) -> Self {
        Self {
            place: Place::bytes_only(inner.span()),
            inner,
            raw: None,
        }
    }

    /// Creates an annotation in brackets whose position is unknown, for a callback during a push.
    pub(crate) fn unplaced(found: &provstream::BracketAnnotation<'_>) -> Self {
        Self {
            raw: Some(String::from_utf8_lossy(found.raw()).into()),
            ..Self::at_bytes(found.annotation().into_owned())
        }
    }
}

#[pymethods]
impl Annotation {
    /// Class that the identifier maps to.
    #[getter]
    fn class_(&self) -> &str {
        self.inner.class().as_str()
    }

    /// Identifier as written.
    #[getter]
    fn declared(&self) -> &str {
        self.inner.declared()
    }

    /// Reason why the class differs from the identifier: `unknown-identifier`, `vocabulary-version`
    /// or `malformed`; or `None`.
    #[getter]
    fn reason(&self) -> Option<&'static str> {
        self.inner.reason().map(|reason| reason.as_str())
    }

    /// `corroborated`, `declared-terminal` or `mapped-terminal`. Source: `provenance memo 5`.
    #[getter]
    const fn kind(&self) -> &'static str {
        self.inner.label_kind().as_str()
    }

    /// Opaque identifier of the observation; or `None`.
    #[getter]
    fn observation_id(&self) -> Option<&str> {
        self.inner.observation_id()
    }

    /// Time of the observation as written (RFC 3339); `None` if missing or not a date-time.
    #[getter]
    fn ts(&self) -> Option<&str> {
        self.inner.ts()
    }

    /// Time of the observation as an aware `datetime` in UTC, to the microsecond; `None` if there
    /// is no `ts`, or if its year is 0.
    #[getter]
    fn time<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let found = self.inner.timestamp();
        found.map_or(Ok(None), |found| time::to_datetime(py, found))
    }

    /// Annotation as written, from `[` to `]`; `None` in JSON, and in `Assertion.annotations`.
    #[getter]
    fn raw(&self) -> Option<&str> {
        self.raw.as_deref()
    }

    /// Formats the annotation as a line of the command line's JSON output.
    fn to_json(&self) -> PyResult<String> {
        to_json(&self.inner)
    }

    fn __repr__(&self) -> String {
        use std::fmt::Write;

        let mut text = format!("Annotation({}", quoted(self.inner.class().as_str()));
        if let Some(reason) = self.reason() {
            let _ = write!(
                text,
                ", declared={}, reason={reason:?}",
                quoted(self.declared())
            );
        }
        if let Some(id) = self.observation_id() {
            let _ = write!(text, ", observation_id={}", quoted(id));
        }
        if let Some(ts) = self.ts() {
            let _ = write!(text, ", ts={}", quoted(ts));
        }
        text.push(')');
        text
    }
}

/// Serializes a value to JSON.
///
/// # Errors
/// [`InternalError`], which no value gives.
pub(crate) fn to_json(value: &impl serde::Serialize) -> PyResult<String> {
    serde_json::to_string(value).map_err(|error| InternalError::new_err(error.to_string()))
}
