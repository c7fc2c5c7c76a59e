//! Carrying records and disclosures inside other protocols.
//!
//! Each carrier has one place for a MARC-Core record and another for a MARC-Disclosure object, so that the place shows
//! which of the two it is. What is carried is not changed: no member is renamed, left out or reinterpreted, numbers and
//! escapes stay as they are written, and what is taken out is what was put in. Everything else in the envelope keeps its
//! bytes and its order, except for white space between tokens. If the object that contains a place is missing or null, it is
//! created, and it stays when the record is taken out. A deployment therefore has to document only the mapping below.
//!
//! | Carrier | What the envelope is | MARC-Core | MARC-Disclosure |
//! |---|---|---|---|
//! | [`Carrier::response_metadata`] | the body of an API response, a task status, a tool result | `/metadata/marc_core` | `/metadata/marc_disclosure` |
//! | [`Carrier::mcp`] | what has `_meta` in MCP: a result, parameters, a content block | `/_meta/PREFIX~1marc-core` | `/_meta/PREFIX~1marc-disclosure` |
//! | [`Carrier::a2a`] | an A2A message | `/metadata/URI~1core` | `/metadata/URI~1disclosure` |
//! | [`Carrier::audit_line`] | an event of an audit log, one line of NDJSON | `/marc_core` | `/marc_disclosure` |
//! | [`Carrier::new`] | an envelope of a deployment's own | | |
//! | [`sse_event`], [`from_sse`] | a server-sent event | type `marc-core` | type `marc-disclosure` |
//!
//! Places are JSON Pointers (RFC 6901), in which `~1` is a slash. Authentication, integrity, ordering and confidentiality are
//! the carrying protocol's. A record has scores that are not for end users: see [`Carrier::strip_core`].
//!
//! Source: MARC-02 12, 12.1, 13.3, 20.1; open point 80 of `docs/conformance.md`.
//!
//! ```
//! use provstream_marc::carry::Carrier;
//! use provstream_marc::{Document, MarcKind};
//!
//! let record: Document = r#"{"marc_version": "1.0", "pre_capability": 4.10e-1}"#.parse()?;
//! let mut body: Document = r#"{"id": 7, "metadata": {"trace": "a1"}, "text": "..."}"#.parse()?;
//! let carrier = Carrier::response_metadata();
//! carrier.put(&mut body, MarcKind::Core, &record)?;
//! assert_eq!(
//!     body.to_json(),
//!     r#"{"id":7,"metadata":{"trace":"a1","marc_core":{"marc_version":"1.0","pre_capability":4.10e-1}},"text":"..."}"#
//! );
//! assert_eq!(carrier.take(&body, MarcKind::Core)?, Some(record.clone()));
//! assert!(carrier.strip_core(&mut body)?);
//! assert_eq!(body.to_json(), r#"{"id":7,"metadata":{"trace":"a1"},"text":"..."}"#);
//!
//! let mut message: Document = r#"{"messageId": "1"}"#.parse()?;
//! Carrier::a2a("https://example.com/marc/v1")?.put(&mut message, MarcKind::Core, &r#"{"marc_version": "1.0"}"#.parse()?)?;
//! assert_eq!(
//!     message.to_json(),
//!     r#"{"messageId":"1","metadata":{"https://example.com/marc/v1/core":{"marc_version":"1.0"}},"extensions":["https://example.com/marc/v1"]}"#
//! );
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod carrier;
mod error;
mod sse;
mod uri;

pub use carrier::{Carrier, find_record};
pub use error::{CarrierNameError, CarrierNameErrorKind, CarryError, CarryErrorKind};
pub use sse::{from_sse, sse_event};
