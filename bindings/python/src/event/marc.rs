//! MARC objects in a stream.

use provstream::{Event, MarcObject, OwnedEvent};
use pyo3::prelude::*;

use super::Located;
use super::annotation::to_json;
use crate::offsets::{Offsets, Unknown};
use crate::place::Place;

/// A MARC object in a JSON value: a record of a system's control decision. Source: `MARC-01`, `MARC-02`.
#[pyclass(frozen, eq, extends = Located, module = "provstream")]
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Marc {
    inner: MarcObject<'static>,
    pub(crate) place: Place,
}

impl Marc {
    pub(crate) fn new(inner: MarcObject<'static>, offsets: &Offsets) -> Result<Self, Unknown> {
        let place = Place::of(inner.span(), offsets)?;
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

    /// Its JSON Pointer from the root of its value; `None` if it is longer than `Limits.max_pointer`.
    #[getter]
    fn pointer(&self) -> Option<&str> {
        self.inner.pointer()
    }

    /// The object as written; `None` if it is longer than `Limits.max_record`.
    #[getter]
    fn raw(&self) -> Option<String> {
        let raw = self.inner.raw()?;
        Some(String::from_utf8_lossy(raw).into_owned())
    }

    /// The event as a line of JSON, without what validation finds.
    fn to_json(&self) -> PyResult<String> {
        let event: OwnedEvent = Event::Marc(self.inner.clone());
        to_json(&event)
    }

    fn __repr__(&self) -> String {
        format!("Marc(\"{}\", bytes {})", self.kind(), self.place.bytes())
    }
}
