//! MARC objects in a stream.

use provstream::{MarcObject, Span};
use provstream_marc::{Document, Profile, Violation};
use pyo3::prelude::*;
use serde::Serialize;
use serde_json::value::RawValue;

use super::Located;
use super::annotation::to_json;
use crate::offsets::{Locate, Unknown};
use crate::place::Place;

/// A MARC object in a JSON value: a record of a system's control decision. Source: `MARC-01`, `MARC-02`.
#[pyclass(frozen, eq, extends = Located, module = "provstream")]
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Marc {
    inner: MarcObject<'static>,
    pub(crate) place: Place,
}

impl Marc {
    pub(crate) fn new(inner: MarcObject<'static>, locate: &impl Locate) -> Result<Self, Unknown> {
        let place = locate.place(inner.span())?;
        Ok(Self { inner, place })
    }
}

#[pymethods]
impl Marc {
    /// `core` or `disclosure`.
    #[getter]
    fn kind(&self) -> &'static str {
        self.inner.kind().as_str()
    }

    /// JSON Pointer from the root of the JSON value; `None` if it is longer than
    /// `Limits.max_pointer`.
    #[getter]
    fn pointer(&self) -> Option<&str> {
        self.inner.pointer()
    }

    /// Object as written; `None` if it is longer than `Limits.max_record`.
    #[getter]
    fn raw(&self) -> Option<String> {
        let raw = self.inner.raw()?;
        Some(String::from_utf8_lossy(raw).into_owned())
    }

    /// Formats the object as a line of the command line's JSON output, with its violations; its
    /// span counts bytes.
    fn to_json(&self) -> PyResult<String> {
        // What the parser reports is a JSON object, so only one that is too long has no document.
        let document = self.inner.raw().and_then(|raw| Document::parse(raw).ok());
        let report = provstream_marc::validate(&self.inner, Profile::default());
        let kind = document.as_ref().and_then(Document::kind);
        let record = document.map(|document| RawValue::from_string(document.to_json()));
        to_json(&MarcLine {
            event: "marc",
            kind: kind.unwrap_or(self.inner.kind()).as_str(),
            span: self.inner.span(),
            pointer: self.inner.pointer(),
            valid: report.is_valid(),
            violations: report.violations().iter().map(Fields::from).collect(),
            record: record.and_then(Result::ok),
        })
    }

    fn __repr__(&self) -> String {
        format!("Marc(\"{}\", bytes {})", self.kind(), self.place.bytes())
    }
}

/// Line of the command line's JSON output.
#[derive(Serialize)]
struct MarcLine<'a> {
    event: &'static str,
    kind: &'static str,
    span: Span,
    #[serde(skip_serializing_if = "Option::is_none")]
    pointer: Option<&'a str>,
    valid: bool,
    violations: Vec<Fields<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    record: Option<Box<RawValue>>,
}

/// Violation in a line of JSON output.
#[derive(Serialize)]
struct Fields<'a> {
    code: &'static str,
    level: &'static str,
    pointer: &'a str,
    section: &'a str,
    message: &'a str,
}

impl<'a> From<&'a Violation> for Fields<'a> {
    fn from(violation: &'a Violation) -> Self {
        Self {
            code: violation.code().as_str(),
            level: violation.level().as_str(),
            pointer: violation.pointer(),
            section: violation.section(),
            message: violation.message(),
        }
    }
}
