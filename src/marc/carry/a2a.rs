//! The metadata of an A2A message.

use serde_json::value::RawValue;

use super::Carrier;
use super::error::{CarrierNameError, CarryError};
use super::place::{Place, member, object, pointer};
use crate::marc::document::{Document, quoted, string};
use crate::marc::object::Kind;

/// The member `metadata` of a message of the A2A protocol, under the URI of an extension.
///
/// | | place, for the URI `https://example.com/marc/v1` |
/// |---|---|
/// | MARC-Core | `/metadata/https:~1~1example.com~1marc~1v1~1core` |
/// | MARC-Disclosure | `/metadata/https:~1~1example.com~1marc~1v1~1disclosure` |
///
/// `metadata` is made if it is missing or null. The URI is added to the array `extensions`, behind the others, unless it is
/// there; it is removed with the last member of `metadata` that is under it. What the extension means, and that its
/// version is part of the URI, is for the deployment to publish. Source: A2A specification, extensions; MARC-02 12.1.
///
/// ```
/// use provstream::marc::carry::{A2aMessage, Carrier};
/// use provstream::marc::{Document, Kind};
///
/// let carrier = A2aMessage::new("https://example.com/marc/v1")?;
/// let mut message: Document = r#"{"messageId": "1"}"#.parse()?;
/// carrier.put(&mut message, Kind::Core, &r#"{"marc_version": "1.0"}"#.parse()?)?;
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
    /// If it is no absolute URI: a scheme, a colon, and characters of RFC 3986.
    pub fn new(uri: &str) -> Result<Self, CarrierNameError> {
        if !is_uri(uri) {
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

    /// Whether a member of `metadata` belongs to the extension.
    fn is_in_use(&self, envelope: &Document) -> Result<bool, CarryError> {
        let metadata = object(envelope, METADATA)?.unwrap_or_default();
        let belongs = |name: &str| {
            name.strip_prefix(&*self.uri)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        Ok(metadata.members().any(|(name, _)| belongs(&name)))
    }
}

/// Source: RFC 3986 2, 3.1, 4.3.
fn is_uri(text: &str) -> bool {
    let Some((scheme, rest)) = text.split_once(':') else {
        return false;
    };
    let of_scheme = |byte: u8| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte);
    scheme.starts_with(|first: char| first.is_ascii_alphabetic())
        && scheme.bytes().all(of_scheme)
        && !rest.is_empty()
        && rest
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"-._~:/?#[]@!$&'()*+,;=%".contains(&byte))
}

/// The elements of `extensions`, as they are written; none if it is missing or null.
fn extensions(envelope: &Document) -> Result<Vec<&RawValue>, CarryError> {
    let Some(json) = member(envelope, EXTENSIONS)? else {
        return Ok(Vec::new());
    };
    serde_json::from_str(json).map_err(|_| CarryError::NotAnArray(pointer(EXTENSIONS)))
}

/// An array of JSON values.
fn array<'a>(elements: impl IntoIterator<Item = &'a str>) -> String {
    let elements: Vec<_> = elements.into_iter().collect();
    format!("[{}]", elements.join(","))
}

impl Carrier for A2aMessage {
    fn place(&self, kind: Kind) -> Place<'_> {
        let key = match kind {
            Kind::Core => &self.core,
            Kind::Disclosure => &self.disclosure,
        };
        Place::within(METADATA, key)
    }

    fn put(
        &self,
        envelope: &mut Document,
        kind: Kind,
        document: &Document,
    ) -> Result<(), CarryError> {
        let elements = extensions(envelope)?;
        let listed = elements.iter().any(|element| self.is_uri_of(element));
        let uri = quoted(&self.uri);
        let extended = array(elements.iter().map(|element| element.get()).chain([&*uri]));
        self.place(kind).put(envelope, document)?;
        if !listed {
            // An array of JSON values is JSON.
            let _ = envelope.set(EXTENSIONS, &extended);
        }
        Ok(())
    }

    fn remove(&self, envelope: &mut Document, kind: Kind) -> Result<bool, CarryError> {
        let elements = extensions(envelope)?;
        let rest = elements.iter().filter(|element| !self.is_uri_of(element));
        let rest = array(rest.map(|element| element.get()));
        let listed = elements.iter().any(|element| self.is_uri_of(element));
        let removed = self.place(kind).remove(envelope)?;
        if removed && listed && !self.is_in_use(envelope)? {
            // An array of JSON values is JSON.
            let _ = envelope.set(EXTENSIONS, &rest);
        }
        Ok(removed)
    }
}
