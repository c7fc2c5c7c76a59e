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

/// One provenance annotation: what was declared, and what it was taken for. Source: `provenance memo 6`.
#[pyclass(frozen, eq, extends = Located, module = "provstream")]
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Annotation {
    inner: RustAnnotation<'static>,
    pub(crate) place: Place,
    /// As it is in brackets.
    raw: Option<Arc<str>>,
}

impl Annotation {
    /// An annotation of an assertion.
    pub(crate) fn of(inner: RustAnnotation<'_>, locate: &impl Locate) -> Result<Self, Unknown> {
        Ok(Self {
            place: locate.place(inner.span())?,
            inner: inner.into_owned(),
            raw: None,
        })
    }

    /// An annotation in brackets.
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

    /// An annotation whose code points are not known.
    pub(crate) fn at_bytes(inner: RustAnnotation<'static>) -> Self {
        Self {
            place: Place::bytes_only(inner.span()),
            inner,
            raw: None,
        }
    }

    /// An annotation in brackets before its place is known, for a callback within a push.
    pub(crate) fn unplaced(found: &provstream::BracketAnnotation<'_>) -> Self {
        Self {
            raw: Some(String::from_utf8_lossy(found.raw()).into()),
            ..Self::at_bytes(found.annotation().into_owned())
        }
    }
}

#[pymethods]
impl Annotation {
    /// The class that it was taken for.
    #[getter]
    fn class_(&self) -> &str {
        self.inner.class().as_str()
    }

    /// The identifier as written.
    #[getter]
    fn declared(&self) -> &str {
        self.inner.declared()
    }

    /// Why the class is not the one that was declared: `unknown-identifier`, `vocabulary-version` or `malformed`; or `None`.
    #[getter]
    fn reason(&self) -> Option<&'static str> {
        self.inner.reason().map(|reason| reason.as_str())
    }

    /// `corroborated`, `declared-terminal` or `mapped-terminal`. Source: `provenance memo 5`.
    #[getter]
    const fn kind(&self) -> &'static str {
        self.inner.label_kind().as_str()
    }

    /// The identifier of the observation, opaque; or `None`.
    #[getter]
    fn observation_id(&self) -> Option<&str> {
        self.inner.observation_id()
    }

    /// When the observation took place, as written (RFC 3339); `None` also if what was written is not a date-time.
    #[getter]
    fn ts(&self) -> Option<&str> {
        self.inner.ts()
    }

    /// When the observation took place, as an aware `datetime` in UTC, to the microsecond; `None` if there is no `ts`, or if its year is 0.
    #[getter]
    fn time<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let found = self.inner.timestamp();
        found.map_or(Ok(None), |found| time::to_datetime(py, found))
    }

    /// The annotation as written, from `[` to `]`; `None` in JSON, and in `Assertion.annotations`.
    #[getter]
    fn raw(&self) -> Option<&str> {
        self.raw.as_deref()
    }

    /// The line of JSON that the command line writes.
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

/// A value as JSON.
///
/// # Errors
/// [`InternalError`], which no value gives.
pub(crate) fn to_json(value: &impl serde::Serialize) -> PyResult<String> {
    serde_json::to_string(value).map_err(|error| InternalError::new_err(error.to_string()))
}
