//! Reads MARC objects in JSON: objects one after the other, in arrays, or inside other objects.

use std::borrow::Cow;
use std::fmt;

use serde::Deserializer as _;
use serde::de::{MapAccess, Visitor};
use serde_json::value::RawValue;

use crate::{Document, visit_objects};

/// Deepest nesting of arrays in which objects are read.
const MAX_DEPTH: usize = 64;

/// Longest excerpt of another value in a message, in bytes.
const MAX_EXCERPT: usize = 40;

/// U+FEFF in UTF-8.
const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// An object of the input that is not inside another object, or a problem in its place.
#[derive(Debug)]
pub struct TopLevelValue<'a> {
    /// Line on which it begins, from 1.
    pub line: u64,
    /// Range in the input, in bytes.
    pub span: (u64, u64),
    /// JSON Pointer in the arrays around it.
    pub pointer: String,
    /// Bytes of the object.
    pub content: Result<&'a [u8], ReadProblem>,
}

/// Reason why there is no object.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ReadProblem {
    /// The value exceeds this limit, in bytes.
    TooLong(usize),
    /// The input ends within the value, or within an array around it.
    Unterminated,
    /// A value that is not an object, with its beginning.
    Other(String),
}

impl fmt::Display for ReadProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLong(max) => write!(
                f,
                "expected an object of at most {max} bytes, found a longer one"
            ),
            Self::Unterminated => {
                f.write_str("expected the end of the JSON value, found the end of the input")
            }
            Self::Other(text) => write!(f, "expected a JSON object, found {text:?}"),
        }
    }
}

/// Error about a value of the input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ValueError {
    /// Line of the input, from 1.
    pub line: u64,
    /// Description.
    pub message: String,
}

impl TopLevelValue<'_> {
    /// Parses the object.
    ///
    /// # Errors
    ///
    /// If there is no object, or it is not JSON.
    pub fn document(&self) -> Result<Document, ValueError> {
        let bytes = self.content.as_ref().map_err(|problem| ValueError {
            line: self.line,
            message: problem.to_string(),
        })?;
        Document::parse(bytes).map_err(|error| ValueError {
            line: self.line + error.line().saturating_sub(1) as u64,
            message: format!("expected a JSON object: {error}"),
        })
    }

    /// Returns the error of an object that is not UTF-8.
    #[must_use]
    pub fn utf8_error(&self) -> Option<ValueError> {
        let bytes = *self.content.as_ref().ok()?;
        let end = std::str::from_utf8(bytes).err()?.valid_up_to();
        Some(ValueError {
            line: self.line + count_lines(&bytes[..end]),
            message: format!("expected UTF-8, found the byte 0x{:02X}", bytes[end]),
        })
    }
}

#[derive(Debug)]
enum ReadState {
    Between,
    /// Another value.
    Other,
    Object {
        depth: usize,
        string: bool,
        escaped: bool,
    },
}

/// Splits an input into top-level objects, in bounded memory. After another value, it continues.
///
/// ```
/// use provstream_marc::read::ObjectReader;
///
/// let mut reader = ObjectReader::new(100);
/// let mut lines = Vec::new();
/// reader.push(b"[{},\n{\"a\":1}] x", &mut |value| lines.push((value.line, value.pointer.clone())));
/// reader.finish(&mut |value| lines.push((value.line, value.document().unwrap_err().message)));
/// assert_eq!(lines[1], (2, "/1".to_owned()));
/// assert_eq!(lines[2].1, "expected a JSON object, found \"x\"");
/// ```
#[derive(Debug)]
pub struct ObjectReader {
    max: usize,
    /// Bytes of a byte order mark so far.
    bom_matched: usize,
    state: ReadState,
    bytes: Vec<u8>,
    too_long: bool,
    /// Index in each open array.
    arrays: Vec<u64>,
    position: u64,
    line: u64,
    /// Offset and line of the value.
    start: (u64, u64),
}

impl ObjectReader {
    /// Creates a reader of objects of at most `max` bytes.
    #[must_use]
    pub const fn new(max: usize) -> Self {
        Self {
            max,
            bom_matched: 0,
            state: ReadState::Between,
            bytes: Vec::new(),
            too_long: false,
            arrays: Vec::new(),
            position: 0,
            line: 1,
            start: (0, 1),
        }
    }

    /// Reads the next bytes, and calls `each` with the values that end in them. A byte order mark at the start is skipped.
    pub fn push(&mut self, chunk: &[u8], each: &mut impl FnMut(TopLevelValue<'_>)) {
        for &byte in chunk {
            let is_mark = BYTE_ORDER_MARK.get(self.bom_matched) == Some(&byte);
            if is_mark && self.position == self.bom_matched as u64 {
                self.bom_matched += 1;
                self.position += 1;
            } else {
                self.push_byte(byte, each);
            }
        }
    }

    fn push_byte(&mut self, byte: u8, each: &mut impl FnMut(TopLevelValue<'_>)) {
        match &mut self.state {
            ReadState::Between => self.between(byte, each),
            ReadState::Other if matches!(byte, b'\n' | b'{' | b'[' | b']') => {
                self.end_other(each);
                self.between(byte, each);
            }
            ReadState::Other => self.append(byte),
            ReadState::Object {
                depth,
                string,
                escaped,
            } => {
                if *string {
                    *string = *escaped || byte != b'"';
                    *escaped = !*escaped && byte == b'\\';
                } else {
                    match byte {
                        b'"' => *string = true,
                        b'{' | b'[' => *depth += 1,
                        b'}' | b']' => *depth -= 1,
                        _ => {}
                    }
                }
                let ended = *depth == 0;
                self.append(byte);
                if ended {
                    self.position += 1;
                    self.end(each, None);
                    self.position -= 1;
                }
            }
        }
        self.position += 1;
        if byte == b'\n' {
            self.line += 1;
        }
    }

    fn between(&mut self, byte: u8, each: &mut impl FnMut(TopLevelValue<'_>)) {
        match byte {
            b' ' | b'\t' | b'\r' | b'\n' | 0x1e => {}
            b'[' if self.arrays.len() < MAX_DEPTH => self.arrays.push(0),
            b']' if !self.arrays.is_empty() => {
                self.arrays.pop();
            }
            b',' if !self.arrays.is_empty() => {
                if let Some(index) = self.arrays.last_mut() {
                    *index += 1;
                }
            }
            _ => {
                self.start = (self.position, self.line);
                self.state = if byte == b'{' {
                    ReadState::Object {
                        depth: 1,
                        string: false,
                        escaped: false,
                    }
                } else {
                    ReadState::Other
                };
                self.append(byte);
                if byte == b']' {
                    self.end_other(each);
                }
            }
        }
    }

    fn append(&mut self, byte: u8) {
        let max = match self.state {
            ReadState::Other => MAX_EXCERPT,
            _ => self.max,
        };
        if self.bytes.len() < max {
            self.bytes.push(byte);
        } else {
            self.too_long = true;
        }
    }

    fn end_other(&mut self, each: &mut impl FnMut(TopLevelValue<'_>)) {
        let text = String::from_utf8_lossy(&self.bytes).trim().to_owned();
        let more = if self.too_long { "…" } else { "" };
        self.end(each, Some(ReadProblem::Other(format!("{text}{more}"))));
    }

    fn end(&mut self, each: &mut impl FnMut(TopLevelValue<'_>), problem: Option<ReadProblem>) {
        let content = match problem {
            Some(problem) => Err(problem),
            None if self.too_long => Err(ReadProblem::TooLong(self.max)),
            None => Ok(&*self.bytes),
        };
        each(TopLevelValue {
            line: self.start.1,
            span: (self.start.0, self.position),
            pointer: self
                .arrays
                .iter()
                .map(|index| format!("/{index}"))
                .collect(),
            content,
        });
        self.bytes.clear();
        self.too_long = false;
        self.state = ReadState::Between;
    }

    /// Ends the input, and calls `each` with an incomplete value.
    pub fn finish(&mut self, each: &mut impl FnMut(TopLevelValue<'_>)) {
        match self.state {
            ReadState::Other => self.end_other(each),
            ReadState::Object { .. } => self.end(each, Some(ReadProblem::Unterminated)),
            ReadState::Between => {}
        }
        if !self.arrays.is_empty() {
            self.arrays.clear();
            self.start = (self.position, self.line);
            self.end(each, Some(ReadProblem::Unterminated));
        }
    }
}

/// Returns the JSON Pointer to the first MARC object in JSON; empty for the value itself.
#[must_use]
pub fn find_object(json: &str) -> Option<String> {
    let mut first: Option<(usize, String)> = None;
    visit_objects(json.as_bytes(), |object| {
        let start = object.span().start;
        let pointer = object.kind().and_then(|_| object.pointer());
        // An outer object comes after the inner ones.
        if let Some(pointer) = pointer.filter(|_| first.as_ref().is_none_or(|(at, _)| start < *at))
        {
            first = Some((start, pointer));
        }
    });
    first.map(|(_, pointer)| pointer)
}

/// Returns the number of lines of an object before the value at a JSON Pointer, or before the value that would contain it.
#[must_use]
pub fn line_offset(object: &[u8], pointer: &str) -> u64 {
    let text = String::from_utf8_lossy(object);
    let mut at = 0;
    for name in pointer.split('/').skip(1) {
        let name = name.replace("~1", "/").replace("~0", "~");
        let Some(offset) = member(&text[at..], &name) else {
            break;
        };
        at += offset;
    }
    count_lines(&text.as_bytes()[..at])
}

fn count_lines(bytes: &[u8]) -> u64 {
    bytes.iter().map(|&byte| u64::from(byte == b'\n')).sum()
}

/// Returns the offset of a member or element in a text that begins with its object or array.
fn member(text: &str, name: &str) -> Option<usize> {
    let begin = text.as_ptr() as usize;
    let offset = |value: &RawValue| value.get().as_ptr() as usize - begin;
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<&RawValue>();
    let first = values.next()?.ok()?.get();
    if first.starts_with('[') {
        let items: Vec<&RawValue> = serde_json::from_str(first).ok()?;
        return items
            .get(name.parse::<usize>().ok()?)
            .map(|item| offset(item));
    }
    let mut reader = serde_json::Deserializer::from_str(first);
    let members = reader.deserialize_map(BorrowedMembersVisitor).ok()?;
    let found = members.iter().find(|(known, _)| known == name);
    found.map(|(_, value)| offset(value))
}

/// Visitor of the members of an object.
struct BorrowedMembersVisitor;

impl<'de> Visitor<'de> for BorrowedMembersVisitor {
    type Value = Vec<(Cow<'de, str>, &'de RawValue)>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Self::Value, M::Error> {
        let mut members = Vec::new();
        while let Some((name, value)) = map.next_entry::<Cow<'de, str>, &RawValue>()? {
            members.push((name, value));
        }
        Ok(members)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(text: &str, max: usize) -> Vec<(u64, String, Result<String, ReadProblem>)> {
        let mut found = Vec::new();
        let mut reader = ObjectReader::new(max);
        let mut each = |one: TopLevelValue<'_>| {
            let content = one
                .content
                .map(|bytes| String::from_utf8_lossy(bytes).into_owned());
            found.push((one.line, one.pointer, content));
        };
        reader.push(text.as_bytes(), &mut each);
        reader.finish(&mut each);
        found
    }

    #[test]
    fn outermost_objects_are_cut_with_their_lines() {
        let other = |text: &str| Err(ReadProblem::Other(text.into()));
        assert_eq!(
            cut("{\"a\":\"}\\\"\"}\n[{},\n {\"b\":[{}]}]\nprose\n{", 100),
            [
                (1, String::new(), Ok("{\"a\":\"}\\\"\"}".into())),
                (2, "/0".into(), Ok("{}".into())),
                (3, "/1".into(), Ok("{\"b\":[{}]}".into())),
                (4, String::new(), other("prose")),
                (5, String::new(), Err(ReadProblem::Unterminated)),
            ]
        );
        assert_eq!(cut("{\"a\":1}{}", 5)[0].2, Err(ReadProblem::TooLong(5)));
        assert_eq!(cut("[1", 5).len(), 2);
    }

    #[test]
    fn members_are_located() {
        let object = b"{\"a\":\n{\"b~\":[1,\n2]},\n\"c\":3}";
        for (pointer, lines) in [
            ("", 0),
            ("/a", 1),
            ("/a/b~0/1", 2),
            ("/c", 3),
            ("/a/x", 1),
            ("/x", 0),
        ] {
            assert_eq!(line_offset(object, pointer), lines, "{pointer}");
        }
    }
}
