//! A JSON object that loses nothing when it is read and written.

use core::fmt;
use std::borrow::Cow;
use std::error::Error;

use serde::de::{Deserializer as _, MapAccess, Visitor};
use serde_json::error::Category;
use serde_json::value::RawValue;

use super::declare::values;
use super::piece::{self, Piece};
use provstream::json::decode;

/// A JSON object as it is written: its members in their order, also repeated and unknown ones, with numbers and escapes as
/// they stand. Only white space outside of strings is not kept.
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
    members: Vec<Member>,
}

#[derive(Clone, PartialEq, Eq)]
struct Member {
    /// A string of JSON, with its quotes.
    name: Piece,
    value: Piece,
}

impl Member {
    fn name(&self) -> Cow<'_, str> {
        string(self.name.json()).unwrap_or_default()
    }
}

/// The string that a JSON value is, decoded, with U+FFFD for a lone surrogate; `None` for another type.
pub(crate) fn string(json: &str) -> Option<Cow<'_, str>> {
    let raw = json.strip_prefix('"')?.strip_suffix('"')?;
    Some(decode(raw.as_bytes(), raw.contains('\\')).text)
}

/// A text as a JSON string.
pub(crate) fn quoted(text: &str) -> String {
    // Only a map with other keys than strings, or a failing writer, could fail.
    serde_json::to_string(text).unwrap_or_default()
}

impl Document {
    /// An object without members.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            members: Vec::new(),
        }
    }

    /// Reads an object. What is not UTF-8 is read as U+FFFD; which members have such a U+FFFD stays known, and
    /// [validation](Self::validate) reports it. In documents that are equal the same U+FFFD stand for what was not UTF-8.
    ///
    /// # Errors
    ///
    /// If the bytes are no JSON, or no object. Source: RFC 8259.
    pub fn parse(json: &[u8]) -> Result<Self, DocumentError> {
        let (text, replaced) = piece::lossy(json);
        let mut reader = serde_json::Deserializer::from_str(&text);
        let members = reader
            .deserialize_map(Members)
            .and_then(|members| reader.end().map(|()| members))
            .map_err(|error| DocumentError::of(&error))?;
        let mut document = Self { members };
        document.set_replaced(&replaced);
        Ok(document)
    }

    /// How many members there are, repeated ones included.
    #[must_use]
    pub fn len(&self) -> usize {
        self.members.len()
    }

    /// Whether there are no members.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// All members in order: the name, decoded, and the value as JSON.
    pub fn members(&self) -> impl Iterator<Item = (Cow<'_, str>, &str)> {
        self.members
            .iter()
            .map(|member| (member.name(), member.value.json()))
    }

    /// The value of a member as JSON, of a repeated one the first.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&str> {
        self.member(name).map(|member| member.value.json())
    }

    /// The decoded string that a member is; none if there is no such member, or it is of another type.
    #[must_use]
    pub fn get_str(&self, name: &str) -> Option<Cow<'_, str>> {
        string(self.get(name)?)
    }

    /// The object that a member is; none if there is no such member, or it is of another type.
    #[must_use]
    pub fn get_object(&self, name: &str) -> Option<Self> {
        let value = &self.member(name)?.value;
        let mut object = Self::parse(value.json().as_bytes()).ok()?;
        object.set_replaced(value.replaced());
        Some(object)
    }

    /// Sets a member to a value: in its place if it is there, of repeated ones in the first and the others are removed, else
    /// at the end.
    ///
    /// # Errors
    ///
    /// If the value is no JSON.
    pub fn set(&mut self, name: &str, json: &str) -> Result<(), DocumentError> {
        let value: &RawValue =
            serde_json::from_str(json).map_err(|error| DocumentError::of(&error))?;
        self.set_piece(name, Piece::new(value.get()));
        Ok(())
    }

    /// Sets a member to a string, as [`set`](Self::set) does.
    pub fn set_str(&mut self, name: &str, text: &str) {
        self.set_piece(name, Piece::new(&quoted(text)));
    }

    /// Sets a member to an object, as [`set`](Self::set) does.
    pub fn set_object(&mut self, name: &str, object: &Self) {
        let replaced = piece::join(
            object
                .members
                .iter()
                .flat_map(|member| [&member.name, &member.value]),
        );
        self.set_piece(name, Piece::with_replaced(&object.to_json(), replaced));
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
        let element = quoted(text);
        let extended = self
            .member(name)
            .and_then(|member| member.value.with_element(&element));
        self.set_piece(
            name,
            extended.unwrap_or_else(|| Piece::new(&format!("[{element}]"))),
        );
    }

    /// Sets a member to a string as [`set_str`](Self::set_str) does; where there is no such member, it is put right after
    /// the member `after`.
    pub(crate) fn set_str_after(&mut self, after: &str, name: &str, text: &str) {
        match self.position(after) {
            Some(at) if self.position(name).is_none() => {
                self.insert(at + 1, name, Piece::new(&quoted(text)));
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

    /// The object on one line, without white space outside of strings.
    #[must_use]
    pub fn to_json(&self) -> String {
        self.to_string()
    }

    /// Whether some of what was read was not UTF-8.
    pub(crate) fn is_ill_formed(&self) -> bool {
        self.members
            .iter()
            .any(|member| member.name.is_ill_formed() || member.value.is_ill_formed())
    }

    /// Says which U+FFFD of the object stand for what was not UTF-8, by their numbers among all.
    fn set_replaced(&mut self, replaced: &[usize]) {
        let pieces = self
            .members
            .iter_mut()
            .flat_map(|member| [&mut member.name, &mut member.value]);
        piece::divide(replaced, pieces);
    }

    fn member(&self, name: &str) -> Option<&Member> {
        self.members.iter().find(|member| member.name() == name)
    }

    fn position(&self, name: &str) -> Option<usize> {
        self.members.iter().position(|member| member.name() == name)
    }

    fn set_piece(&mut self, name: &str, value: Piece) {
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

    fn insert(&mut self, at: usize, name: &str, value: Piece) {
        let name = Piece::new(&quoted(name));
        self.members.insert(at, Member { name, value });
    }
}

impl fmt::Display for Document {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("{")?;
        for (index, Member { name, value }) in self.members.iter().enumerate() {
            let before = if index == 0 { "" } else { "," };
            write!(f, "{before}{}:{}", name.json(), value.json())?;
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
struct Members;

impl<'de> Visitor<'de> for Members {
    type Value = Vec<Member>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Self::Value, M::Error> {
        let mut members = Vec::new();
        while let Some((name, value)) = map.next_entry::<&RawValue, &RawValue>()? {
            members.push(Member {
                name: Piece::new(name.get()),
                value: Piece::new(value.get()),
            });
        }
        Ok(members)
    }
}

/// What is wrong with bytes that are not a JSON object, or a text that is not a JSON value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum DocumentErrorKind {
    /// They are not JSON.
    Syntax,
    /// They end before the value does.
    Truncated,
    /// They are JSON of another type.
    NotAnObject,
}

values! {
    /// Bytes are not a JSON object, or a text is not a JSON value.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct DocumentError {
        /// What is wrong.
        copy kind: DocumentErrorKind,
        own message: String,
        /// The line in which the error was found, from 1.
        copy line: usize,
        /// The byte in that line at which it was found, from 1; 0 at the line's very start.
        copy column: usize,
    }
}

impl DocumentError {
    fn of(error: &serde_json::Error) -> Self {
        let message = error.to_string();
        // The message ends with the place, which has fields of its own.
        let end = message.rfind(" at line ").unwrap_or(message.len());
        Self {
            kind: match error.classify() {
                Category::Eof => DocumentErrorKind::Truncated,
                Category::Data => DocumentErrorKind::NotAnObject,
                Category::Syntax | Category::Io => DocumentErrorKind::Syntax,
            },
            message: message[..end].into(),
            line: error.line(),
            column: error.column(),
        }
    }
}

impl fmt::Display for DocumentError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (line, column, message) = (self.line, self.column, &self.message);
        write!(f, "line {line}, column {column}: {message}")
    }
}

impl Error for DocumentError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn document(json: &str) -> Document {
        json.parse().unwrap()
    }

    #[test]
    fn nothing_but_white_space_is_lost() {
        let json = "{\"z\" : 1.0 ,\r\n\t\"a\": [ -0 , 1E+2 , 1e9999 , \" \\\" \\\\\" ] , \"z\":{ \"z\" : null , \"z\":2},\
            \"\\u00e9\\ud800\":\"\\u00E9\\/\\ud83d\\uDE80\\udc00\", \"\":true }";
        let written = document(json).to_json();
        assert_eq!(
            written,
            "{\"z\":1.0,\"a\":[-0,1E+2,1e9999,\" \\\" \\\\\"],\"z\":{\"z\":null,\"z\":2},\
            \"\\u00e9\\ud800\":\"\\u00E9\\/\\ud83d\\uDE80\\udc00\",\"\":true}"
        );
        assert_eq!(document(&written).to_json(), written);
    }

    #[test]
    fn names_are_compared_decoded() {
        let read = document(r#"{"\u0061b":1,"ab":2,"é\ud800":3}"#);
        assert_eq!(read.get("ab"), Some("1"));
        assert_eq!(read.get("é\u{fffd}"), Some("3"));
        assert_eq!(read.get("b"), None);
    }

    #[test]
    fn members_are_set_in_their_place() {
        let mut read = document(r#"{"a":1,"b":2,"a":3,"c":4}"#);
        read.set("a", " [ 5 ] ").unwrap();
        read.set_str("d", "\"\n");
        read.set_str_after("b", "e", "x");
        read.set_str_after("b", "c", "y");
        assert_eq!(
            read.to_json(),
            r#"{"a":[5],"b":2,"e":"x","c":"y","d":"\"\n"}"#
        );
        assert_eq!(read.remove("b").as_deref(), Some("2"));
        assert_eq!(read.remove("b"), None);
        assert_eq!(read.len(), 4);
        assert!(read.set("f", "1 2").is_err());
        assert!(read.set("f", "").is_err());
        assert_eq!(read.len(), 4);
    }

    #[test]
    fn what_is_not_utf8_is_known() {
        let read = Document::parse(b"{\"a\":\"\xff\"}").unwrap();
        assert!(read.is_ill_formed());
        assert_eq!(read.get("a"), Some("\"\u{fffd}\""));
        assert!(!document("{\"a\":\"\u{fffd}\"}").is_ill_formed());
    }

    /// Ill-formed: `b`, the second string in `c`, the name of the last member.
    const DAMAGED: &[u8] =
        b"{\"a\":\"\xef\xbf\xbd\",\"b\":\"\xff\",\"c\" : [ {\"\xef\xbf\xbd\" : \"\xe2\x82x\"} ],\
        \"d\":{\"x\":\"\xef\xbf\xbd\"},\"\xff\":1}";

    #[test]
    fn removing_all_that_is_not_utf8_leaves_a_document_as_any_other() {
        let mut read = Document::parse(DAMAGED).unwrap();
        for (name, ill_formed) in [("b", true), ("c", true), ("\u{fffd}", false)] {
            read.remove(name).unwrap();
            assert_eq!(read.is_ill_formed(), ill_formed, "{name}");
        }
        assert_eq!(read, document(&read.to_json()));
        let mut read = Document::parse(DAMAGED).unwrap();
        read.set("b", "1").unwrap();
        read.set_str("c", "\u{fffd}");
        assert!(read.is_ill_formed());
        // The value is another one, and the name stays as it was read.
        read.set("\u{fffd}", "2").unwrap();
        assert!(read.is_ill_formed());
    }

    #[test]
    fn what_is_not_utf8_is_known_member_by_member_also_inside() {
        let read = Document::parse(DAMAGED).unwrap();
        let mut outer = document("{\"y\":\"\u{fffd}\"}");
        outer.set_object("inner", &read);
        outer.append_str("list", "z");
        assert!(outer.is_ill_formed());
        let inner = outer.get_object("inner").unwrap();
        assert_eq!(inner, read);
        assert!(!inner.get_object("d").unwrap().is_ill_formed());
        assert_ne!(inner, document(&read.to_json()));
        let mut list = Document::parse(b"{\"list\":[\"\xff\"]}").unwrap();
        list.append_str("list", "\u{fffd}");
        assert_eq!(
            list,
            Document::parse(b"{\"list\":[\"\xff\",\"\xef\xbf\xbd\"]}").unwrap()
        );
        for json in [r#"{"list":null}"#, r#"{"list":[]}"#, "{}"] {
            let mut list = document(json);
            list.append_str("list", "z");
            assert_eq!(list.to_json(), r#"{"list":["z"]}"#);
        }
    }

    #[test]
    fn errors_tell_their_place() {
        for (json, text) in [
            ("", "line 1, column 0: EOF while parsing a value"),
            ("{\"a\":1,\n \"b\" 2}", "line 2, column 6: expected `:`"),
            ("{} {}", "line 1, column 4: trailing characters"),
        ] {
            let error = Document::parse(json.as_bytes()).unwrap_err();
            assert_eq!(error.to_string(), text, "{json:?}");
        }
        for json in ["[]", "1", "null", "\"a\"", "{", "{\"a\":}", "{1:2}"] {
            assert!(Document::parse(json.as_bytes()).is_err(), "{json}");
        }
    }

    #[test]
    fn depth_does_not_matter() {
        let deep = format!("{{\"a\":{}{}}}", "[".repeat(60_000), "]".repeat(60_000));
        assert_eq!(document(&deep).to_json(), deep);
    }
}
