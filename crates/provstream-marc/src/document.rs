//! JSON objects that keep everything when they are read and written.

use core::fmt;
use std::borrow::Cow;

use serde::de::{Deserializer as _, MapAccess, Visitor};
use serde_json::error::Category;
use serde_json::value::RawValue;

use super::declare::values;
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
}

#[derive(Clone, PartialEq, Eq)]
struct DocumentMember {
    /// A string of JSON, with its quotes.
    name: CompactJson,
    value: CompactJson,
}

impl DocumentMember {
    fn name(&self) -> Cow<'_, str> {
        string(&self.name.json).unwrap_or_default()
    }
}

/// JSON text without white space outside of strings.
#[derive(Clone, PartialEq, Eq)]
struct CompactJson {
    json: Box<str>,
    /// Byte offsets of U+FFFD that replaced invalid UTF-8, in ascending order.
    replaced: Vec<usize>,
}

impl CompactJson {
    /// Creates a piece from valid JSON. `replaced` has the offsets of U+FFFD that replaced invalid
    /// UTF-8.
    fn new(json: &str, replaced: Vec<usize>) -> Self {
        let is_blank = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\r' | b'\n');
        if json.starts_with('"') || !json.as_bytes().iter().any(is_blank) {
            let json = json.into();
            return Self { json, replaced };
        }
        let (mut kept, mut moved) = (String::new(), Vec::new());
        let (mut in_string, mut escaped) = (false, false);
        for (at, character) in json.char_indices() {
            if replaced.binary_search(&at).is_ok() {
                moved.push(kept.len());
            }
            if in_string || !matches!(character, ' ' | '\t' | '\r' | '\n') {
                kept.push(character);
            }
            in_string ^= character == '"' && !escaped;
            escaped = character == '\\' && !escaped;
        }
        Self {
            json: kept.into(),
            replaced: moved,
        }
    }

    fn of_text(text: &str) -> Self {
        Self::new(&quoted(text), Vec::new())
    }
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
        }
    }

    /// Parses an object. Invalid UTF-8 becomes U+FFFD; the document remembers the members with such
    /// a U+FFFD, and [validation](Self::validate) reports them. Equal documents have replacements
    /// at the same places.
    ///
    /// # Errors
    ///
    /// If the bytes are not JSON, or not an object. Source: RFC 8259.
    pub fn parse(json: &[u8]) -> Result<Self, DocumentError> {
        let (text, replaced) = lossy(json);
        Self::read(&text, &replaced)
    }

    /// Parses an object in which U+FFFD replaced invalid UTF-8 at the offsets `replaced`.
    fn read(text: &str, replaced: &[usize]) -> Result<Self, DocumentError> {
        let mut reader = serde_json::Deserializer::from_str(text);
        let members = reader
            .deserialize_map(MembersVisitor { text, replaced })
            .and_then(|members| reader.end().map(|()| members))
            .map_err(|error| DocumentError::new(&error, text))?;
        Ok(Self { members })
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
            .map(|member| (member.name(), &*member.value.json))
    }

    /// Returns the value of a member as JSON; of a repeated member, the first value.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&str> {
        self.member(name).map(|member| &*member.value.json)
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
        Self::read(&value.json, &value.replaced).ok()
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
        self.set_piece(name, CompactJson::new(value.get(), Vec::new()));
        Ok(())
    }

    /// Sets a member to a string, as [`set`](Self::set) does.
    pub fn set_str(&mut self, name: &str, text: &str) {
        self.set_piece(name, CompactJson::of_text(text));
    }

    /// Sets a member to an object, as [`set`](Self::set) does.
    pub fn set_object(&mut self, name: &str, object: &Self) {
        let (mut replaced, mut start) = (Vec::new(), 1);
        for member in &object.members {
            for piece in [&member.name, &member.value] {
                replaced.extend(piece.replaced.iter().map(|at| start + at));
                // A colon or comma is after it.
                start += piece.json.len() + 1;
            }
        }
        self.set_piece(name, CompactJson::new(&object.to_json(), replaced));
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
        let array = self.member(name).map(|member| &member.value);
        let start = array.and_then(|array| array.json.strip_suffix(']'));
        let start = start.unwrap_or("[");
        let comma = if start == "[" { "" } else { "," };
        let extended = format!("{start}{comma}{}]", quoted(text));
        let replaced = array.map_or_else(Vec::new, |array| array.replaced.clone());
        self.set_piece(name, CompactJson::new(&extended, replaced));
    }

    /// Sets a member to a string like [`set_str`](Self::set_str); a new member is inserted right
    /// after the member `after`.
    pub(crate) fn set_str_after(&mut self, after: &str, name: &str, text: &str) {
        match self.position(after) {
            Some(at) if self.position(name).is_none() => {
                self.insert(at + 1, name, CompactJson::of_text(text));
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

    /// Returns `true` if a name or value had invalid UTF-8.
    pub(crate) fn is_ill_formed(&self) -> bool {
        let mut members = self.members.iter();
        members.any(|DocumentMember { name, value }| {
            !name.replaced.is_empty() || !value.replaced.is_empty()
        })
    }

    fn member(&self, name: &str) -> Option<&DocumentMember> {
        self.members.iter().find(|member| member.name() == name)
    }

    fn position(&self, name: &str) -> Option<usize> {
        self.members.iter().position(|member| member.name() == name)
    }

    fn set_piece(&mut self, name: &str, value: CompactJson) {
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

    fn insert(&mut self, at: usize, name: &str, value: CompactJson) {
        let name = CompactJson::of_text(name);
        self.members.insert(at, DocumentMember { name, value });
    }
}

impl fmt::Display for Document {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("{")?;
        for (index, DocumentMember { name, value }) in self.members.iter().enumerate() {
            let before = if index == 0 { "" } else { "," };
            write!(f, "{before}{}:{}", name.json, value.json)?;
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
struct MembersVisitor<'t> {
    text: &'t str,
    replaced: &'t [usize],
}

impl MembersVisitor<'_> {
    /// Returns a piece of the text, with the positions of replaced characters in it.
    fn piece(&self, json: &str) -> CompactJson {
        if self.replaced.is_empty() {
            return CompactJson::new(json, Vec::new());
        }
        let start = json.as_ptr() as usize - self.text.as_ptr() as usize;
        let [first, last] =
            [start, start + json.len()].map(|end| self.replaced.partition_point(|&at| at < end));
        let replaced = self.replaced[first..last].iter().map(|at| at - start);
        CompactJson::new(json, replaced.collect())
    }
}

impl<'de> Visitor<'de> for MembersVisitor<'de> {
    type Value = Vec<DocumentMember>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Self::Value, M::Error> {
        let mut members = Vec::with_capacity(USUAL);
        while let Some((name, value)) = map.next_entry::<&RawValue, &RawValue>()? {
            let (name, value) = (self.piece(name.get()), self.piece(value.get()));
            members.push(DocumentMember { name, value });
        }
        Ok(members)
    }
}

/// Initial capacity for members: most records have no more.
const USUAL: usize = 16;

/// Decodes bytes as UTF-8, with U+FFFD for each invalid sequence. Also returns the offsets of these
/// U+FFFD.
fn lossy(bytes: &[u8]) -> (Cow<'_, str>, Vec<usize>) {
    if let Ok(text) = core::str::from_utf8(bytes) {
        return (text.into(), Vec::new());
    }
    let (mut text, mut replaced) = (String::new(), Vec::new());
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        if !chunk.invalid().is_empty() {
            replaced.push(text.len());
            text.push(char::REPLACEMENT_CHARACTER);
        }
    }
    (text.into(), replaced)
}

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

values! {
    /// Bytes are not a JSON object, or a text is not a JSON value.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct DocumentError {
        /// The kind of error.
        copy kind: DocumentErrorKind,
        /// Syntax that JSON requires at this position, such as "`:` after the name of a member".
        copy expected: &'static str,
        own found: String,
        /// Line of the error, from 1.
        copy line: usize,
        /// Column of the error in bytes, from 1; 0 at the start of the line.
        copy column: usize,
    }
}

/// Descriptions of expected syntax by the start of `serde_json`'s message.
const EXPECTED: [(&str, &str); 10] = [
    ("expected `:`", "`:` after the name of a member"),
    ("expected `,` or `}`", "`,` or `}` after a member"),
    ("expected `,` or `]`", "`,` or `]` after an element"),
    ("expected ident", "true, false or null"),
    ("expected value", "a value"),
    (
        "key must be a string",
        "the name of a member in quotation marks",
    ),
    (
        "invalid number",
        "a number as JSON writes it, such as 10 or 0.5",
    ),
    ("trailing comma", "a value or a member after the comma"),
    ("trailing characters", "nothing after the value"),
    ("control character", "an escape for a control character"),
];

impl DocumentError {
    fn new(error: &serde_json::Error, text: &str) -> Self {
        let message = error.to_string();
        let by_message = EXPECTED.iter().find(|(said, _)| message.starts_with(said));
        let (kind, expected) = match error.classify() {
            Category::Eof => (DocumentErrorKind::Truncated, "the rest of a JSON value"),
            Category::Data => (DocumentErrorKind::NotAnObject, "a JSON object"),
            Category::Syntax | Category::Io => {
                let expected = by_message.map_or("JSON (RFC 8259)", |(_, expected)| expected);
                (DocumentErrorKind::Syntax, expected)
            }
        };
        let (line, column) = (error.line(), error.column());
        let rest = text.split('\n').nth(line.saturating_sub(1));
        let rest = rest.and_then(|line| line.get(column.saturating_sub(1)..));
        let found = match (kind, rest.and_then(|rest| rest.chars().next())) {
            (DocumentErrorKind::NotAnObject, _) => type_of(text.trim_start()).to_owned(),
            (DocumentErrorKind::Syntax, Some(found)) => format!("{found:?}"),
            _ => "the end of the text".to_owned(),
        };
        Self {
            kind,
            expected,
            found,
            line,
            column,
        }
    }
}

/// ``line 2, column 6: expected `:` after the name of a member, found '2'``
impl fmt::Display for DocumentError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            line,
            column,
            expected,
            found,
            ..
        } = self;
        write!(
            f,
            "line {line}, column {column}: expected {expected}, found {found}"
        )
    }
}

impl core::error::Error for DocumentError {}

#[cfg(test)]
#[path = "../tests/unit/document.rs"]
mod tests;
