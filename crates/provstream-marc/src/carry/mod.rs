//! Carrying records and disclosures inside of other protocols.
//!
//! Each carrier has one place for a MARC-Core record and another for a MARC-Disclosure object, so that the place shows
//! which of the two it is. What is carried is not changed: no member is renamed, left out or read otherwise, numbers and
//! escapes stay as they are written, and what is taken out is what was put in. Everything else in the envelope keeps its
//! bytes and its order, but for white space between the tokens; an object around a place is made where it is missing or null,
//! and stays. So the mapping below is all that has to be documented.
//!
//! | Carrier | What the envelope is | MARC-Core | MARC-Disclosure |
//! |---|---|---|---|
//! | [`ResponseMetadata`] | the body of an API response, a task status, a tool result | `/metadata/marc_core` | `/metadata/marc_disclosure` |
//! | [`McpMeta`] | what has `_meta` in MCP: a result, parameters, a content block | `/_meta/PREFIX~1marc-core` | `/_meta/PREFIX~1marc-disclosure` |
//! | [`A2aMessage`] | an A2A message | `/metadata/URI~1core` | `/metadata/URI~1disclosure` |
//! | [`AuditLine`] | an event of an audit log, one line of NDJSON | `/marc_core` | `/marc_disclosure` |
//! | [`sse_event`], [`from_sse`] | a server-sent event | type `marc-core` | type `marc-disclosure` |
//!
//! Places are JSON Pointers (RFC 6901), in which `~1` is a slash. Authentication, integrity, ordering and confidentiality are
//! the carrying protocol's. A record has scores that are not for end users: see [`Carrier::strip_core`].
//!
//! Source: MARC-02 12, 12.1, 13.3, 20.1; open point 80.
//!
//! ```
//! use provstream_marc::carry::{Carrier, ResponseMetadata};
//! use provstream_marc::{Document, MarcKind};
//!
//! let mut body: Document = r#"{"id": 7, "metadata": {"trace": "a1"}, "text": "..."}"#.parse()?;
//! let record: Document = r#"{"marc_version": "1.0", "pre_capability": 4.10e-1}"#.parse()?;
//! ResponseMetadata.put(&mut body, MarcKind::Core, &record)?;
//! assert_eq!(
//!     body.to_json(),
//!     r#"{"id":7,"metadata":{"trace":"a1","marc_core":{"marc_version":"1.0","pre_capability":4.10e-1}},"text":"..."}"#
//! );
//! assert_eq!(ResponseMetadata.take(&body, MarcKind::Core)?, Some(record));
//! assert!(ResponseMetadata.strip_core(&mut body)?);
//! assert_eq!(body.to_json(), r#"{"id":7,"metadata":{"trace":"a1"},"text":"..."}"#);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod a2a;
mod audit;
mod error;
mod field;
mod mcp;
mod metadata;
mod sse;
mod uri;

pub use a2a::A2aMessage;
pub use audit::AuditLine;
pub use error::{CarrierNameError, CarryError};
pub use field::CarrierField;
pub use mcp::McpMeta;
pub use metadata::ResponseMetadata;
pub use sse::{from_sse, sse_event};

use super::document::Document;
use provstream::MarcKind;

/// Puts documents into the envelopes of one protocol and takes them out.
///
/// A deployment that has another place in its envelopes implements [`field`](Self::field) alone.
///
/// Nothing that is put is judged, and what is taken out is not valid before
/// [`Core::new`](super::Core::new) or [`Disclosure::new`](super::Disclosure::new) says so. An error leaves the envelope as it
/// was.
pub trait Carrier {
    /// Where a document of a kind is.
    fn field(&self, kind: MarcKind) -> CarrierField<'_>;

    /// Puts a document into its place. One of the same kind is replaced in its place; the other kind stays.
    ///
    /// # Errors
    ///
    /// If the way to the place leads through something that is not what the protocol says, or that is repeated.
    fn put(
        &self,
        envelope: &mut Document,
        kind: MarcKind,
        document: &Document,
    ) -> Result<(), CarryError> {
        self.field(kind).put(envelope, document)
    }

    /// A copy of the document at its place; none if nothing is there, or null. The envelope keeps it.
    ///
    /// # Errors
    ///
    /// As [`put`](Self::put), and if the value at the place is not an object, or is repeated.
    fn take(&self, envelope: &Document, kind: MarcKind) -> Result<Option<Document>, CarryError> {
        self.field(kind).take(envelope)
    }

    /// Removes whatever is at the place of a kind, also if it is not an object or is repeated; says whether anything
    /// did. Nothing else is removed: what putting made besides, such as the object around the place, stays, though it may be
    /// empty, for it may be the protocol's own.
    ///
    /// # Errors
    ///
    /// As [`put`](Self::put): then it is not certain that the envelope has none.
    fn remove(&self, envelope: &mut Document, kind: MarcKind) -> Result<bool, CarryError> {
        self.field(kind).remove(envelope)
    }

    /// Removes a record before the envelope goes to an end user, who is not to see its scores. Source: MARC-02 12.
    ///
    /// # Errors
    ///
    /// As [`remove`](Self::remove). An envelope with an error must not be passed on.
    fn strip_core(&self, envelope: &mut Document) -> Result<bool, CarryError> {
        self.remove(envelope, MarcKind::Core)
    }
}
