//! The metadata of an A2A message.

use serde_json::value::RawValue;

use super::Carrier;
use super::error::{CarrierNameError, CarryError};
use super::field::{CarrierField, member, pointer};
use super::uri::is_absolute_uri;
use crate::document::{Document, string};
use provstream::MarcKind;

/// The member `metadata` of a message of the A2A protocol, under the URI of an extension.
///
/// | | place, for the URI `https://example.com/marc/v1` |
/// |---|---|
/// | MARC-Core | `/metadata/https:~1~1example.com~1marc~1v1~1core` |
/// | MARC-Disclosure | `/metadata/https:~1~1example.com~1marc~1v1~1disclosure` |
///
/// `metadata` is made if it is missing or null. The URI is added to the array `extensions`, after the others, unless it is
/// there. It stays there when the object is removed, since the agent may have declared it too, and a declaration without
/// metadata says nothing wrong. What the extension means, and that its version is part of the URI, is for the deployment
/// to publish. Source: A2A specification, extensions; MARC-02 12.1.
///
/// ```
/// use provstream_marc::carry::{A2aMessage, Carrier};
/// use provstream_marc::{Document, MarcKind};
///
/// let carrier = A2aMessage::new("https://example.com/marc/v1")?;
/// let mut message: Document = r#"{"messageId": "1"}"#.parse()?;
/// carrier.put(&mut message, MarcKind::Core, &r#"{"marc_version": "1.0"}"#.parse()?)?;
/// assert_eq!(
///     message.to_json(),
///     r#"{"messageId":"1","metadata":{"https://example.com/marc/v1/core":{"marc_version":"1.0"}},"extensions":["https://example.com/marc/v1"]}"#
/// );
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct A2aMessage {
    uri: String,
    core: String,
    disclosure: String,
}

const METADATA: &str = "metadata";
const EXTENSIONS: &str = "extensions";

impl A2aMessage {
    /// A carrier for the extension with a URI.
    ///
    /// # Errors
    ///
    /// If it is not an absolute URI of the generic syntax with something after its scheme: a fragment is not part of it, nor is a `%`
    /// without two hexadecimal digits, nor a bracket but around an IP address. Source: RFC 3986 4.3.
    pub fn new(uri: &str) -> Result<Self, CarrierNameError> {
        if !is_absolute_uri(uri) {
            return Err(CarrierNameError::Uri(uri.into()));
        }
        Ok(Self {
            uri: uri.into(),
            core: format!("{uri}/core"),
            disclosure: format!("{uri}/disclosure"),
        })
    }

    /// The URI of the extension.
    #[must_use]
    pub fn uri(&self) -> &str {
        &self.uri
    }

    fn is_uri_of(&self, element: &RawValue) -> bool {
        string(element.get()).is_some_and(|text| text == self.uri)
    }
}

/// The elements of `extensions`, as they are written; none if it is missing or null.
fn extensions(envelope: &Document) -> Result<Vec<&RawValue>, CarryError> {
    let Some(json) = member(envelope, EXTENSIONS)? else {
        return Ok(Vec::new());
    };
    serde_json::from_str(json).map_err(|_| CarryError::NotAnArray(pointer(EXTENSIONS)))
}

impl Carrier for A2aMessage {
    fn field(&self, kind: MarcKind) -> CarrierField<'_> {
        let key = match kind {
            MarcKind::Core => &self.core,
            MarcKind::Disclosure => &self.disclosure,
        };
        CarrierField::within(METADATA, key)
    }

    fn put(
        &self,
        envelope: &mut Document,
        kind: MarcKind,
        document: &Document,
    ) -> Result<(), CarryError> {
        let elements = extensions(envelope)?;
        let listed = elements.iter().any(|element| self.is_uri_of(element));
        self.field(kind).put(envelope, document)?;
        if !listed {
            envelope.append_str(EXTENSIONS, &self.uri);
        }
        Ok(())
    }
}
