//! JSON records that were held.

use bytes::Bytes;
use provstream::{Event, JsonRecord, OwnedEvent};
use pyo3::prelude::*;

use super::Located;
use super::annotation::to_json;
use crate::offsets::{Locate, Unknown};
use crate::place::Place;

/// A JSON value that is an asserted object or a MARC object, held as a whole (`hold_records=True`).
#[pyclass(frozen, eq, extends = Located, module = "provstream")]
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Record {
    inner: JsonRecord<'static, Bytes>,
    pub(crate) place: Place,
}

impl Record {
    pub(crate) fn new(
        inner: &JsonRecord<'static, Bytes>,
        locate: &impl Locate,
    ) -> Result<Self, Unknown> {
        Ok(Self {
            place: locate.place(inner.span())?,
            inner: inner.clone(),
        })
    }
}

#[pymethods]
impl Record {
    /// Value as written, from `{` to `}`, with U+FFFD for invalid UTF-8.
    #[getter]
    fn raw(&self) -> String {
        String::from_utf8_lossy(self.inner.raw()).into_owned()
    }

    /// Formats the event as a line of JSON.
    fn to_json(&self) -> PyResult<String> {
        let event: OwnedEvent = Event::Record(self.inner.clone());
        to_json(&event)
    }

    fn __repr__(&self) -> String {
        format!("Record(bytes {})", self.place.bytes())
    }
}
