//! JSON objects that keep everything when they are read and written.

use core::fmt;
use std::borrow::Cow;

use serde::de::{Deserializer as _, MapAccess, Visitor};
use serde_json::error::Category;
use serde_json::value::RawValue;

use super::validate::type_of;
use provstream::json::decode;

/// A JSON object as written: all members in order, repeated and unknown ones included, with the
/// notation of numbers and escapes. Only white space outside strings is not kept.
///
/// Records, disclosures and what carries them are documents. One is read without judging it; [`validate`] does that.
///
/// [`validate`]: Self::validate
///
/// ```
/// use provstream_marc::Document;
///
/// let mut document = Document::parse(br#"{ "marc_version": "1.0", "pre_capability": 4.10e-1 }"#)?;
/// document.set("x_trace", r#"["a", "b"]"#)?;
/// assert_eq!(document.get("pre_capability"), Some("4.10e-1"));
/// assert_eq!(document.to_json(), r#"{"marc_version":"1.0","pre_capability":4.10e-1,"x_trace":["a","b"]}"#);
/// # Ok::<(), provstream_marc::DocumentError>(())
/// ```
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Document {
    members: Vec<DocumentMember>,
    /// `true` if U+FFFD replaced invalid UTF-8 somewhere in the object or in the one that it was in.
    is_ill_formed: bool,
}

#[derive(Clone, PartialEq, Eq)]
struct DocumentMember {
    /// A string of JSON, with its quotes.
    name: Box<str>,
    value: Box<str>,
}

impl DocumentMember {
    fn name(&self) -> Cow<'_, str> {
        string(&self.name).unwrap_or_default()
    }
}

/// Removes white space outside of the strings of valid JSON.
fn compact(json: &str) -> Box<str> {
    let is_blank = |character| matches!(character, ' ' | '\t' | '\r' | '\n');
    if json.starts_with('"') || !json.contains(is_blank) {
        return json.into();
    }
    let (mut in_string, mut escaped) = (false, false);
    let kept = json.chars().filter(|&character| {
        let is_kept = in_string || !is_blank(character);
        in_string ^= character == '"' && !escaped;
        escaped = character == '\\' && !escaped;
        is_kept
    });
    kept.collect::<String>().into()
}

/// Decodes a JSON string, with U+FFFD for a lone surrogate; `None` for another type.
pub(crate) fn string(json: &str) -> Option<Cow<'_, str>> {
    if !json.starts_with('"') {
        return None;
    }
    let raw = json.get(1..json.len() - 1)?;
    Some(if raw.as_bytes().contains(&b'\\') {
        decode(raw.as_bytes(), true).text
    } else {
        raw.into()
    })
}

/// Encodes a text as a JSON string.
pub(crate) fn quoted(text: &str) -> String {
    // Only a map with other keys than strings, or a failing writer, could fail.
    serde_json::to_string(text).unwrap_or_default()
}

impl Document {
    /// Creates an object without members.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            members: Vec::new(),
            is_ill_formed: false,
        }
    }

    /// Parses an object. Invalid UTF-8 becomes U+FFFD, and [validation](Self::validate) reports it.
    ///
    /// # Errors
    ///
    /// If the bytes are not JSON, or not an object. Source: RFC 8259.
    pub fn parse(json: &[u8]) -> Result<Self, DocumentError> {
        let text = String::from_utf8_lossy(json);
        let mut document = Self::read(&text)?;
        // Text that is UTF-8 is borrowed.
        document.is_ill_formed = matches!(text, Cow::Owned(_));
        Ok(document)
    }

    fn read(text: &str) -> Result<Self, DocumentError> {
        let mut reader = serde_json::Deserializer::from_str(text);
        let members = reader
            .deserialize_map(MembersVisitor)
            .and_then(|members| reader.end().map(|()| members))
            .map_err(|error| DocumentError::new(&error, text))?;
        Ok(Self {
            members,
            is_ill_formed: false,
        })
    }

    /// Returns the number of members, including repeated ones.
    #[must_use]
    pub fn len(&self) -> usize {
        self.members.len()
    }

    /// Returns `true` if the object has no members.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// Iterates over all members in order: the decoded name, and the value as JSON.
    pub fn members(&self) -> impl Iterator<Item = (Cow<'_, str>, &str)> {
        self.members
            .iter()
            .map(|member| (member.name(), &*member.value))
    }

    /// Returns the value of a member as JSON; of a repeated member, the first value.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&str> {
        self.member(name).map(|member| &*member.value)
    }

    /// Returns the decoded string of a member; `None` if there is no such member, or it is of
    /// another type.
    #[must_use]
    pub fn get_str(&self, name: &str) -> Option<Cow<'_, str>> {
        string(self.get(name)?)
    }

    /// Returns the object that is the value of a member; `None` if there is no such member, or it
    /// is of another type.
    #[must_use]
    pub fn get_object(&self, name: &str) -> Option<Self> {
        let value = &self.member(name)?.value;
        let mut object = Self::read(value).ok()?;
        object.is_ill_formed = self.is_ill_formed && value.contains(char::REPLACEMENT_CHARACTER);
        Some(object)
    }

    /// Sets a member to a value. An existing member keeps its place, and of repeated ones only the
    /// first stays; a new member is appended.
    ///
    /// # Errors
    ///
    /// If the value is not JSON.
    pub fn set(&mut self, name: &str, json: &str) -> Result<(), DocumentError> {
        let value = serde_json::from_str(json);
        let value: &RawValue = value.map_err(|error| DocumentError::new(&error, json))?;
        self.set_piece(name, compact(value.get()));
        Ok(())
    }

    /// Sets a member to a string, as [`set`](Self::set) does.
    pub fn set_str(&mut self, name: &str, text: &str) {
        self.set_piece(name, quoted(text).into());
    }

    /// Sets a member to an object, as [`set`](Self::set) does.
    pub fn set_object(&mut self, name: &str, object: &Self) {
        self.is_ill_formed |= object.is_ill_formed;
        self.set_piece(name, object.to_json().into());
    }

    /// Sets a private member, with the prefix `x_` if its name lacks it. Source: MARC-02 11.
    pub(crate) fn set_private(&mut self, name: &str, json: &str) -> Result<(), DocumentError> {
        if name.starts_with("x_") {
            self.set(name, json)
        } else {
            self.set(&format!("x_{name}"), json)
        }
    }

    /// Adds a string to the array that a member is, after its elements, or sets an array of it.
    pub(crate) fn append_str(&mut self, name: &str, text: &str) {
        let array = self.get(name).and_then(|array| array.strip_suffix(']'));
        let start = array.unwrap_or("[");
        let comma = if start == "[" { "" } else { "," };
        let extended = format!("{start}{comma}{}]", quoted(text));
        self.set_piece(name, extended.into());
    }

    /// Sets a member to a string like [`set_str`](Self::set_str); a new member is inserted right
    /// after the member `after`.
    pub(crate) fn set_str_after(&mut self, after: &str, name: &str, text: &str) {
        match self.position(after) {
            Some(at) if self.position(name).is_none() => {
                self.insert(at + 1, name, quoted(text).into());
            }
            _ => self.set_str(name, text),
        }
    }

    /// Removes a member, of repeated ones all, and returns the value [`get`](Self::get) had.
    pub fn remove(&mut self, name: &str) -> Option<String> {
        let value = self.get(name)?.to_owned();
        self.members.retain(|member| member.name() != name);
        Some(value)
    }

    /// Writes the object on one line, without white space outside strings.
    #[must_use]
    pub fn to_json(&self) -> String {
        self.to_string()
    }

    /// Returns `true` if the object was not UTF-8 throughout, or was in one that was not.
    pub(crate) const fn is_ill_formed(&self) -> bool {
        self.is_ill_formed
    }

    fn member(&self, name: &str) -> Option<&DocumentMember> {
        self.members.iter().find(|member| member.name() == name)
    }

    fn position(&self, name: &str) -> Option<usize> {
        self.members.iter().position(|member| member.name() == name)
    }

    fn set_piece(&mut self, name: &str, value: Box<str>) {
        match self.position(name) {
            None => self.insert(self.members.len(), name, value),
            Some(at) => {
                self.members[at].value = value;
                let mut index = 0;
                self.members.retain(|member| {
                    index += 1;
                    index <= at + 1 || member.name() != name
                });
            }
        }
    }

    fn insert(&mut self, at: usize, name: &str, value: Box<str>) {
        let name = quoted(name).into();
        self.members.insert(at, DocumentMember { name, value });
    }
}

impl fmt::Display for Document {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("{")?;
        for (index, DocumentMember { name, value }) in self.members.iter().enumerate() {
            let before = if index == 0 { "" } else { "," };
            write!(f, "{before}{name}:{value}")?;
        }
        f.write_str("}")
    }
}

impl fmt::Debug for Document {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl core::str::FromStr for Document {
    type Err = DocumentError;

    fn from_str(json: &str) -> Result<Self, Self::Err> {
        Self::parse(json.as_bytes())
    }
}

/// Reads the members of an object.
struct MembersVisitor;

impl<'de> Visitor<'de> for MembersVisitor {
    type Value = Vec<DocumentMember>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Self::Value, M::Error> {
        let mut members = Vec::with_capacity(USUAL);
        while let Some((name, value)) = map.next_entry::<&RawValue, &RawValue>()? {
            let (name, value) = (name.get().into(), compact(value.get()));
            members.push(DocumentMember { name, value });
        }
        Ok(members)
    }
}

/// Initial capacity for members: most records have no more.
const USUAL: usize = 16;

/// Reason why bytes are not a JSON object, or a text is not a JSON value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum DocumentErrorKind {
    /// The bytes are not JSON.
    Syntax,
    /// The bytes end before the value does.
    Truncated,
    /// The bytes are JSON of another type.
    NotAnObject,
}

/// Bytes are not a JSON object, or a text is not a JSON value. The message is that of `serde_json`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DocumentError {
    kind: DocumentErrorKind,
    message: String,
    line: usize,
    column: usize,
}

impl DocumentError {
    fn new(error: &serde_json::Error, text: &str) -> Self {
        let (kind, message) = match error.classify() {
            Category::Eof => (DocumentErrorKind::Truncated, error.to_string()),
            Category::Syntax | Category::Io => (DocumentErrorKind::Syntax, error.to_string()),
            Category::Data => {
                let found = type_of(text.trim_start());
                let message = format!("expected a JSON object, found {found}");
                (DocumentErrorKind::NotAnObject, message)
            }
        };
        Self {
            kind,
            message,
            line: error.line(),
            column: error.column(),
        }
    }

    /// Returns the kind of error.
    #[must_use]
    pub const fn kind(&self) -> DocumentErrorKind {
        self.kind
    }

    /// Returns the line of the error, from 1.
    #[must_use]
    pub const fn line(&self) -> usize {
        self.line
    }

    /// Returns the column of the error in bytes, from 1; 0 at the start of the line.
    #[must_use]
    pub const fn column(&self) -> usize {
        self.column
    }
}

/// ``expected `:` at line 2 column 6``
impl fmt::Display for DocumentError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl core::error::Error for DocumentError {}

#[cfg(test)]
#[path = "../tests/unit/document.rs"]
mod tests;
