//! Carriers: the places for MARC objects in the envelopes of other protocols.

use std::borrow::Cow;

use serde_json::value::RawValue;

use super::error::{CarrierNameError, CarrierNameErrorKind, CarryError, CarryErrorKind};
use super::uri::is_absolute_uri;
use crate::declare::values;
use crate::document::{Document, string};
use crate::nested::visit_objects;
use provstream::MarcKind;

values! {
    /// Puts documents into the envelopes of one protocol and takes them out.
    ///
    /// A carrier has a place for each kind of document: a member of the envelope, or of an object that is a member of it and is
    /// made where it is missing or null. Nothing that is put is judged, and what is taken out is not valid before
    /// [`Core::new`](crate::Core::new) or [`Disclosure::new`](crate::Disclosure::new) says so. An error leaves the envelope as
    /// it was.
    #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    #[must_use]
    pub struct Carrier {
        own container: Option<String>,
        /// Member names for records and for disclosures.
        own keys: [String; 2],
        /// The URI of the extension that an A2A message declares; `None` for other carriers.
        maybe_text uri: Option<String>,
    }
}

const EXTENSIONS: &str = "extensions";

/// Text in place of a JSON Pointer that is too long.
const TOO_DEEP: &str = "a place too deep to be written";

impl Carrier {
    /// Creates a carrier of a deployment's own: the object around the places, if there is one, and
    /// the members for records and for disclosures.
    pub fn new(container: Option<&str>, core: &str, disclosure: &str) -> Self {
        Self {
            container: container.map(str::to_owned),
            keys: [core.into(), disclosure.into()],
            uri: None,
        }
    }

    /// Returns the carrier `metadata` in the body of an API response, or in any other object with
    /// such a member: a task status, the result of a tool, an escalation. Source: MARC-02 12.1.
    pub fn response_metadata() -> Self {
        Self::new(Some("metadata"), "marc_core", "marc_disclosure")
    }

    /// Returns the carrier for an event of an audit log, written as one line of NDJSON. The other
    /// members belong to the log: its time, its actor, its request. Source: MARC-02 12.1.
    pub fn audit_line() -> Self {
        Self::new(None, "marc_core", "marc_disclosure")
    }

    /// Creates the carrier `_meta` in an object of the Model Context Protocol: a result,
    /// parameters, a content block. Its keys begin with the domain of the deployment, labels in
    /// reverse order, such as `com.example`, so that no other extension has equal keys. Source: MCP
    /// specification, revision 2025-11-25, basic, `_meta`; MARC-02 12.1.
    ///
    /// # Errors
    ///
    /// If a label does not begin with an ASCII letter and end with a letter or digit, with letters, digits and hyphens between
    /// them; if the second label is `modelcontextprotocol` or `mcp`, whatever the letter case: such prefixes are reserved.
    pub fn mcp(prefix: &str) -> Result<Self, CarrierNameError> {
        if let Some(label) = prefix.split('.').find(|label| !is_label(label)) {
            return Err(CarrierNameErrorKind::Label(label.into()).into());
        }
        let second = prefix.split('.').nth(1).unwrap_or_default();
        let reserved = ["modelcontextprotocol", "mcp"];
        if reserved.iter().any(|one| second.eq_ignore_ascii_case(one)) {
            return Err(CarrierNameErrorKind::Reserved(prefix.into()).into());
        }
        let key = |name| format!("{prefix}/{name}");
        Ok(Self::new(
            Some("_meta"),
            &key("marc-core"),
            &key("marc-disclosure"),
        ))
    }

    /// Creates the carrier `metadata` in a message of the A2A protocol, under the URI of an
    /// extension.
    ///
    /// The URI is added to the array `extensions`, after the others, unless it is there. It stays there when the object is
    /// removed, since the agent may have declared it too, and a declaration without metadata says nothing wrong. What the
    /// extension means, and that its version is part of the URI, is for the deployment to publish. Source: A2A specification,
    /// extensions; MARC-02 12.1.
    ///
    /// # Errors
    ///
    /// If it is not an absolute URI of the generic syntax with something after its scheme: a fragment is not part of it, nor is
    /// a `%` without two hexadecimal digits, nor a bracket but around an IP address. Source: RFC 3986 4.3.
    pub fn a2a(uri: &str) -> Result<Self, CarrierNameError> {
        if !is_absolute_uri(uri) {
            return Err(CarrierNameErrorKind::Uri(uri.into()).into());
        }
        let key = |name| format!("{uri}/{name}");
        let mut carrier = Self::new(Some("metadata"), &key("core"), &key("disclosure"));
        carrier.uri = Some(uri.into());
        Ok(carrier)
    }

    fn key(&self, kind: MarcKind) -> &str {
        match kind {
            MarcKind::Core => &self.keys[0],
            MarcKind::Disclosure => &self.keys[1],
        }
    }

    /// Returns the JSON Pointer (RFC 6901) from the envelope to the place for a kind.
    #[must_use]
    pub fn pointer(&self, kind: MarcKind) -> String {
        let container = self.container.as_deref().map(pointer);
        container.unwrap_or_default() + &pointer(self.key(kind))
    }

    /// Puts a document into its place. A document of the same kind there is replaced; one of the
    /// other kind stays.
    ///
    /// # Errors
    ///
    /// If the way to the place leads through something that is not what the protocol says, or that is repeated.
    pub fn put(
        &self,
        envelope: &mut Document,
        kind: MarcKind,
        document: &Document,
    ) -> Result<(), CarryError> {
        let undeclared = self.undeclared(envelope)?;
        let around = self.around(envelope)?.unwrap_or_default();
        let mut around = around.into_owned();
        around.set_object(self.key(kind), document);
        self.put_back(envelope, around);
        if let Some(uri) = undeclared {
            envelope.append_str(EXTENSIONS, uri);
        }
        Ok(())
    }

    /// Returns the URI if it must be declared in the envelope and is not.
    fn undeclared(&self, envelope: &Document) -> Result<Option<&str>, CarryError> {
        let Some(uri) = self.uri.as_deref() else {
            return Ok(None);
        };
        let declared: Vec<&RawValue> = match member(envelope, EXTENSIONS, &pointer(EXTENSIONS))? {
            None => Vec::new(),
            Some(json) => serde_json::from_str(json)
                .map_err(|_| CarryErrorKind::NotAnArray(pointer(EXTENSIONS)))?,
        };
        let is_declared = declared
            .iter()
            .any(|element| string(element.get()).is_some_and(|text| text == uri));
        Ok((!is_declared).then_some(uri))
    }

    /// Copies the document at the place for a kind; returns `None` if nothing is there, or null.
    /// The envelope keeps its document.
    ///
    /// # Errors
    ///
    /// As [`put`](Self::put); if the value at the place is not an object, or is repeated; if the place of a disclosure has a
    /// record or a score of one, at any depth, or the place of a record has a disclosure. Source: MARC-02 12.
    pub fn take(
        &self,
        envelope: &Document,
        kind: MarcKind,
    ) -> Result<Option<Document>, CarryError> {
        let Some(around) = self.around(envelope)? else {
            return Ok(None);
        };
        let taken = object(&around, self.key(kind), self.pointer(kind))?;
        if let Some(document) = &taken {
            check_kind(kind, document, &self.pointer(kind))?;
        }
        Ok(taken)
    }

    /// Returns the document around the places: the envelope, or the object in it; `None` if that is
    /// missing or null.
    fn around<'e>(&self, envelope: &'e Document) -> Result<Option<Cow<'e, Document>>, CarryError> {
        Ok(match &self.container {
            None => Some(Cow::Borrowed(envelope)),
            Some(name) => object(envelope, name, pointer(name))?.map(Cow::Owned),
        })
    }

    fn put_back(&self, envelope: &mut Document, around: Document) {
        match &self.container {
            None => *envelope = around,
            Some(name) => envelope.set_object(name, &around),
        }
    }

    /// Removes the value at the place of a kind, also if it is not an object or is repeated;
    /// returns `true` if there was one. Objects that [`put`](Self::put) created around the place
    /// stay, even if empty, as they may belong to the protocol.
    ///
    /// # Errors
    ///
    /// As [`put`](Self::put); the envelope may then still have one.
    pub fn remove(&self, envelope: &mut Document, kind: MarcKind) -> Result<bool, CarryError> {
        let Some(around) = self.around(envelope)? else {
            return Ok(false);
        };
        let mut around = around.into_owned();
        let removed = around.remove(self.key(kind)).is_some();
        if removed {
            self.put_back(envelope, around);
        }
        Ok(removed)
    }

    /// Removes a record before the envelope goes to an end user, who must not see its scores.
    /// Source: MARC-02 12.
    ///
    /// # Errors
    ///
    /// As [`remove`](Self::remove), and if there is a record or a score of one elsewhere in the envelope, at any depth. An
    /// envelope with an error must not be passed on.
    pub fn strip_core(&self, envelope: &mut Document) -> Result<bool, CarryError> {
        let mut stripped = envelope.clone();
        let removed = self.remove(&mut stripped, MarcKind::Core)?;
        if let Some(pointer) = find_record(stripped.to_json().as_bytes()) {
            return Err(CarryErrorKind::Record(pointer).into());
        }
        *envelope = stripped;
        Ok(removed)
    }
}

/// Checks that a document in the place of one kind is not of the other. Source: MARC-02 12.
pub(super) fn check_kind(
    kind: MarcKind,
    document: &Document,
    pointer: &str,
) -> Result<(), CarryError> {
    match kind {
        MarcKind::Core if document.kind() == Some(MarcKind::Disclosure) => {
            Err(CarryErrorKind::Disclosure(pointer.to_owned()).into())
        }
        MarcKind::Disclosure => match find_record(document.to_json().as_bytes()) {
            Some(inner) => Err(CarryErrorKind::Record(format!("{pointer}{inner}")).into()),
            None => Ok(()),
        },
        MarcKind::Core => Ok(()),
    }
}

/// Finds the JSON Pointer to the first object in JSON text, at any depth, that has scores of a
/// record, or to a carrier's place for one. A description replaces the pointer if it has more than
/// 4,096 bytes. Text that is not JSON is searched as well.
#[must_use]
pub fn find_record(json: &[u8]) -> Option<String> {
    let mut first: Option<(usize, Option<String>)> = None;
    visit_objects(json, |object| {
        let start = object.span().start;
        if first.as_ref().is_none_or(|(known, _)| start < *known)
            && let Some(pointer) = object.record()
        {
            first = Some((start, pointer));
        }
    });
    first.map(|(_, pointer)| pointer.unwrap_or_else(|| TOO_DEEP.to_owned()))
}

fn is_label(label: &str) -> bool {
    label.starts_with(|first: char| first.is_ascii_alphabetic())
        && label.ends_with(|last: char| last.is_ascii_alphanumeric())
        && label
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
}

/// Returns the value of a member as JSON, given its pointer; `None` if missing or null.
fn member<'a>(
    document: &'a Document,
    name: &str,
    pointer: &str,
) -> Result<Option<&'a str>, CarryError> {
    let mut values = document.members().filter(|(known, _)| known == name);
    let first = values.next().map(|(_, value)| value);
    match values.next() {
        Some(_) => Err(CarryErrorKind::Repeated(pointer.into()).into()),
        None => Ok(first.filter(|&value| value != "null")),
    }
}

/// Returns the object that is the value of a member; `None` if missing or null.
fn object(
    document: &Document,
    name: &str,
    pointer: String,
) -> Result<Option<Document>, CarryError> {
    match member(document, name, &pointer)? {
        None => Ok(None),
        Some(_) => match document.get_object(name) {
            None => Err(CarryErrorKind::NotAnObject(pointer).into()),
            found => Ok(found),
        },
    }
}

/// Returns the JSON Pointer to a member of the root.
fn pointer(name: &str) -> String {
    format!("/{}", name.replace('~', "~0").replace('/', "~1"))
}
