//! Citations.

use std::sync::Arc;

use provstream::{CitationReason, Event, OwnedEvent};
use pyo3::prelude::*;

use super::annotation::to_json;
use super::{Located, quoted};
use crate::offsets::{Locate, Unknown};
use crate::place::Place;

/// A sentence with the markers of a citation dialect, such as `Paris is big. [1]`, or the text inside of one.
///
/// Markers within the sentence count in `start` and `end`, but not in `text` and the clean positions. Source: dialects.
#[pyclass(frozen, eq, extends = Located, module = "provstream")]
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Citation {
    event: Arc<OwnedEvent>,
    text: Arc<str>,
    ids: Vec<String>,
    unknown_ids: Vec<String>,
    pub(crate) place: Place,
    clean: Place,
}

impl Citation {
    /// Converts an event, or returns `None` for one of another kind.
    pub(crate) fn of(event: &OwnedEvent, locate: &impl Locate) -> Result<Option<Self>, Unknown> {
        let Event::Citation(found) = event else {
            return Ok(None);
        };
        let is_unknown = |reason| reason == Some(CitationReason::UnknownSource);
        let unknown = found.ids().filter(|cited| is_unknown(cited.reason));
        Ok(Some(Self {
            place: locate.place(found.span())?,
            clean: locate.clean_place(found.span(), found.clean_span())?,
            text: found.text().into(),
            ids: found.ids().map(|cited| cited.id.to_owned()).collect(),
            unknown_ids: unknown.map(|cited| cited.id.to_owned()).collect(),
            event: Arc::new(event.clone()),
        }))
    }
}

#[pymethods]
impl Citation {
    /// Text without markers and annotations.
    #[getter]
    fn text(&self) -> &str {
        &self.text
    }

    /// Identifiers of all markers in the order of the stream.
    #[getter]
    fn ids(&self) -> Vec<String> {
        self.ids.clone()
    }

    /// Identifiers that a complete list of sources does not have; empty without a list.
    #[getter]
    fn unknown_ids(&self) -> Vec<String> {
        self.unknown_ids.clone()
    }

    /// Code point offset of the start in the text without annotations and markers.
    #[getter]
    fn clean_start(&self) -> PyResult<u64> {
        self.clean.start()
    }

    /// Code point offset of the end in the text without annotations and markers.
    #[getter]
    fn clean_end(&self) -> PyResult<u64> {
        self.clean.end()
    }

    /// Byte offset of the start in the text without annotations and markers.
    #[getter]
    const fn clean_byte_start(&self) -> u64 {
        self.clean.bytes().start()
    }

    /// Byte offset of the end in the text without annotations and markers.
    #[getter]
    const fn clean_byte_end(&self) -> u64 {
        self.clean.bytes().end()
    }

    /// Formats the citation as a line of the command line's JSON output; its spans count bytes.
    fn to_json(&self) -> PyResult<String> {
        to_json(&*self.event)
    }

    fn __repr__(&self) -> String {
        let place = match self.place.points() {
            Some((start, end)) => format!("{start}:{end}"),
            None => format!("bytes {}", self.place.bytes()),
        };
        let text = quoted(&self.text);
        format!("Citation({text}, {place}, ids={:?})", self.ids)
    }
}
