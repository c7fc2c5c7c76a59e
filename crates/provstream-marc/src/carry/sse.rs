//! Server-sent events.

use super::carrier::check_kind;
use super::error::{CarryError, CarryErrorKind};
use crate::document::Document;
use provstream::MarcKind;

const CORE: &str = "marc-core";
const DISCLOSURE: &str = "marc-disclosure";

/// Writes a document as one server-sent event, with the empty line that dispatches it: the type is
/// `marc-core` or `marc-disclosure`, the data is the document on one line. JSON on one line has no
/// line breaks, so nothing is escaped.
///
/// Source: HTML Living Standard 9.2; MARC-02 12.1.
///
/// ```
/// use provstream_marc::carry::{from_sse, sse_event};
/// use provstream_marc::{Document, MarcKind};
///
/// let record: Document = r#"{"marc_version": "1.0"}"#.parse()?;
/// assert_eq!(sse_event(MarcKind::Core, &record), "event: marc-core\ndata: {\"marc_version\":\"1.0\"}\n\n");
/// assert_eq!(from_sse("marc-core", r#"{"marc_version":"1.0"}"#)?, Some((MarcKind::Core, record)));
/// assert_eq!(from_sse("message", "Hello")?, None);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn sse_event(kind: MarcKind, document: &Document) -> String {
    let event_type = match kind {
        MarcKind::Core => CORE,
        MarcKind::Disclosure => DISCLOSURE,
    };
    format!("event: {event_type}\ndata: {document}\n\n")
}

/// Reads the document of a server-sent event and its kind, from the type and the data of the event
/// as an SSE reader returns them; `None` for an event of another type.
///
/// # Errors
///
/// If the type is one of the two and the data are not a JSON object, or are of the other kind as in
/// [`Carrier::take`](super::Carrier::take).
pub fn from_sse(event_type: &str, data: &str) -> Result<Option<(MarcKind, Document)>, CarryError> {
    let kind = match event_type {
        CORE => MarcKind::Core,
        DISCLOSURE => MarcKind::Disclosure,
        _ => return Ok(None),
    };
    let document = data.parse().map_err(CarryErrorKind::Data)?;
    check_kind(kind, &document, "")?;
    Ok(Some((kind, document)))
}
