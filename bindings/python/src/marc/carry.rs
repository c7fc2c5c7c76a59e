//! MARC objects in other protocols.

use provstream_marc::carry::{Carrier as RustCarrier, from_sse, sse_event};
use provstream_marc::{Document, MarcKind};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::guard::caught;
use crate::settings::value_error;

/// Places of MARC objects in the envelopes of a protocol. Envelopes and objects are JSON.
#[pyclass(frozen, eq, hash, name = "_Carrier", module = "provstream.marc")]
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct Carrier(RustCarrier);

fn document(json: &str) -> PyResult<Document> {
    Document::parse(json.as_bytes()).map_err(value_error)
}

/// Returns the kind of an object by its members.
fn kind(object: &Document) -> PyResult<MarcKind> {
    object.kind().ok_or_else(|| {
        PyValueError::new_err("expected a MARC object, found an object of another kind")
    })
}

#[pymethods]
impl Carrier {
    /// Creates the carrier of a protocol. `name` is the domain or URI that its places are named
    /// after.
    #[new]
    fn new(protocol: &str, name: &str) -> PyResult<Self> {
        Ok(Self(match protocol {
            "response-metadata" => RustCarrier::response_metadata(),
            "audit-log" => RustCarrier::audit_line(),
            "mcp" => RustCarrier::mcp(name).map_err(value_error)?,
            "a2a" => RustCarrier::a2a(name).map_err(value_error)?,
            _ => {
                return Err(PyValueError::new_err(format!(
                    "expected protocol \"response-metadata\", \"audit-log\", \"mcp\" or \"a2a\", found {protocol:?}"
                )));
            }
        }))
    }

    /// Returns the JSON Pointer to records or disclosures.
    fn pointer(&self, kind: &str) -> PyResult<String> {
        Ok(self.0.pointer(super::parse_kind(kind)?))
    }

    /// Returns a copy of an envelope with an object in its place.
    fn put(&self, envelope: &str, object: &str) -> PyResult<String> {
        caught(|| {
            let (mut envelope, object) = (document(envelope)?, document(object)?);
            let kind = kind(&object)?;
            if self.0.take(&envelope, kind).map_err(value_error)?.is_some() {
                let pointer = self.0.pointer(kind);
                return Err(PyValueError::new_err(format!(
                    "expected no object at {pointer}, found one"
                )));
            }
            self.0
                .put(&mut envelope, kind, &object)
                .map_err(value_error)?;
            Ok(envelope.to_json())
        })
    }

    /// Returns the record and the disclosure in an envelope.
    fn take(&self, envelope: &str) -> PyResult<(Option<String>, Option<String>)> {
        caught(|| {
            let envelope = document(envelope)?;
            let take = |kind| -> PyResult<_> {
                let found = self.0.take(&envelope, kind).map_err(value_error)?;
                Ok(found.map(|object| object.to_json()))
            };
            Ok((take(MarcKind::Core)?, take(MarcKind::Disclosure)?))
        })
    }

    /// Returns a copy of an envelope without its record, and `true` if there was one.
    fn strip(&self, envelope: &str) -> PyResult<(String, bool)> {
        caught(|| {
            let mut envelope = document(envelope)?;
            let was_there = self.0.strip_core(&mut envelope).map_err(value_error)?;
            Ok((envelope.to_json(), was_there))
        })
    }
}

/// Formats an object as a server-sent event.
#[pyfunction]
pub(crate) fn marc_sse_event(object: &str) -> PyResult<String> {
    caught(|| {
        let object = document(object)?;
        Ok(sse_event(kind(&object)?, &object))
    })
}

/// Returns the kind and the object of a server-sent event, or `None` for an event of another type.
#[pyfunction]
pub(crate) fn marc_from_sse(
    event_type: &str,
    data: &str,
) -> PyResult<Option<(&'static str, String)>> {
    caught(|| {
        let found = from_sse(event_type, data).map_err(value_error)?;
        Ok(found.map(|(kind, object)| (kind.as_str(), object.to_json())))
    })
}
