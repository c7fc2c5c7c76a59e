//! A line of an audit log.

use super::Carrier;
use super::field::CarrierField;
use crate::document::Document;
use provstream::MarcKind;

/// An event of an audit log, written as one line of NDJSON.
///
/// | | place |
/// |---|---|
/// | MARC-Core | `/marc_core` |
/// | MARC-Disclosure | `/marc_disclosure` |
///
/// The other members are the log's: its time, its actor, its request. Source: MARC-02 12.1.
///
/// ```
/// use provstream_marc::carry::{AuditLine, Carrier};
/// use provstream_marc::{Document, MarcKind};
///
/// let mut event: Document = r#"{"time": "2026-05-28T11:40:00Z"}"#.parse()?;
/// AuditLine.put(&mut event, MarcKind::Core, &r#"{"marc_version": "1.0"}"#.parse()?)?;
/// let line = AuditLine::to_line(&event);
/// assert_eq!(line, "{\"time\":\"2026-05-28T11:40:00Z\",\"marc_core\":{\"marc_version\":\"1.0\"}}\n");
/// assert_eq!(line.parse::<Document>()?, event);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AuditLine;

impl AuditLine {
    /// The event as one line, with the LF that ends it. [`Document::parse`] reads it back.
    #[must_use]
    pub fn to_line(event: &Document) -> String {
        event.to_json() + "\n"
    }
}

impl Carrier for AuditLine {
    fn field(&self, kind: MarcKind) -> CarrierField<'_> {
        let key = match kind {
            MarcKind::Core => "marc_core",
            MarcKind::Disclosure => "marc_disclosure",
        };
        CarrierField::member(key)
    }
}
