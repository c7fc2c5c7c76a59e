//! Diagnostics.

use provstream::Diagnostic as RustDiagnostic;
use provstream::{Event, OwnedEvent};
use pyo3::prelude::*;

use super::Located;
use super::annotation::to_json;
use crate::offsets::{Locate, Unknown};
use crate::place::Place;

/// A notice about a position in the stream. It never stops a parser. Source: wire profile,
/// diagnostics and limits.
#[pyclass(frozen, eq, extends = Located, module = "provstream")]
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Diagnostic {
    inner: RustDiagnostic,
    pub(crate) place: Place,
}

impl Diagnostic {
    pub(crate) fn new(inner: RustDiagnostic, locate: &impl Locate) -> Result<Self, Unknown> {
        let place = locate.place(inner.span())?;
        Ok(Self { inner, place })
    }
}

#[pymethods]
impl Diagnostic {
    /// Code of the diagnostic, such as `unterminated` or `limit-annotation`.
    #[getter]
    const fn code(&self) -> &'static str {
        self.inner.code().as_str()
    }

    /// Formats the diagnostic as a line of the command line's JSON output; its spans count bytes.
    fn to_json(&self) -> PyResult<String> {
        let event: OwnedEvent = Event::Diagnostic(self.inner);
        to_json(&event)
    }

    fn __repr__(&self) -> String {
        let code = self.code();
        match self.place.points() {
            Some((start, end)) => format!("Diagnostic(\"{code}\", {start}:{end})"),
            None => format!("Diagnostic(\"{code}\", bytes {})", self.place.bytes()),
        }
    }
}
