//! JSON objects of an input, one after the other or in arrays, and the MARC objects in them.

use std::borrow::Cow;
use std::fmt;
use std::path::Path;

use provstream_marc::Document;
use serde::Deserializer as _;
use serde::de::{MapAccess, Visitor};
use serde_json::value::RawValue;

use super::json_object::{self, NotAnObject};
use crate::failure::Failure;
use crate::input::Input;

/// What is read at once.
const BUFFER: usize = 1 << 16;

/// Deepest nesting that is looked into.
const MAX_DEPTH: usize = 64;

/// Longest piece of something else that a message quotes.
const QUOTED: usize = 40;

/// An outermost object of the input, or what was found in its place.
#[derive(Debug)]
pub(crate) struct Outermost<'a> {
    /// The line on which it begins, from 1.
    pub(crate) line: u64,
    /// Where in that line it begins, in bytes from 1.
    column: u64,
    /// Where it begins and ends, in bytes of the input.
    pub(crate) span: (u64, u64),
    /// The JSON Pointer to it, in arrays around it.
    pub(crate) pointer: String,
    /// Its bytes, or why they are missing.
    pub(crate) content: Result<&'a [u8], Missing>,
}

/// Why there is no object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Missing {
    /// It is longer than this limit, in bytes.
    TooLong(usize),
    /// The input ends in it, or in an array around it.
    Unterminated,
    /// Something else was found.
    Other(String),
}

impl Outermost<'_> {
    /// The object, or what is wrong and in which line of the input.
    pub(crate) fn document(&self) -> Result<Document, NotAnObject> {
        let message = match &self.content {
            Ok(bytes) => {
                return json_object::read(bytes, self.column).map_err(|error| NotAnObject {
                    line: self.line + (error.line - 1),
                    ..error
                });
            }
            Err(Missing::TooLong(max)) => {
                let length = self.span.1 - self.span.0;
                format!(
                    "expected an object of at most {max} bytes (--max-record), found one of {length}"
                )
            }
            Err(Missing::Unterminated) => {
                "expected the end of the JSON value, found the end of the input".to_owned()
            }
            Err(Missing::Other(text)) => format!("expected a JSON object, found {text:?}"),
        };
        let line = self.line;
        Err(NotAnObject { line, message })
    }
}

impl Outermost<'_> {
    /// What is wrong with an object that is not UTF-8, and in which line of the input.
    pub(crate) fn not_utf8(&self) -> Option<NotAnObject> {
        let (place, message) = json_object::not_utf8(self.content.as_ref().ok()?)?;
        let before = if place.line() == 1 { self.column } else { 1 };
        let column = before + u64::from(place.column() - 1);
        Some(NotAnObject {
            line: self.line + u64::from(place.line() - 1),
            message: format!("{message} at column {column}"),
        })
    }
}

#[derive(Debug)]
enum State {
    Between,
    /// Something that is not an object.
    Other,
    Object {
        depth: usize,
        string: bool,
        escaped: bool,
    },
}

/// Cuts an input into its outermost objects, in bounded memory.
#[derive(Debug)]
struct Cutter {
    max: usize,
    state: State,
    bytes: Vec<u8>,
    too_long: bool,
    /// The index in each array that is open.
    arrays: Vec<u64>,
    position: u64,
    line: u64,
    /// Where the line begins.
    line_start: u64,
    /// Where the value begins: the position, the line and the column.
    start: (u64, u64, u64),
}

impl Cutter {
    fn new(max: usize) -> Self {
        Self {
            max,
            state: State::Between,
            bytes: Vec::new(),
            too_long: false,
            arrays: Vec::new(),
            position: 0,
            line: 1,
            line_start: 0,
            start: (0, 1, 1),
        }
    }

    fn push(&mut self, byte: u8, each: &mut impl FnMut(Outermost<'_>)) {
        match &mut self.state {
            State::Between => self.between(byte, each),
            State::Other if matches!(byte, b'\n' | b'{' | b'[' | b']') => {
                self.end_other(each);
                self.between(byte, each);
            }
            State::Other => self.keep(byte),
            State::Object {
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
                self.keep(byte);
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
            self.line_start = self.position;
        }
    }

    /// The position, the line and the column.
    fn here(&self) -> (u64, u64, u64) {
        let column = self.position - self.line_start + 1;
        (self.position, self.line, column)
    }

    fn between(&mut self, byte: u8, each: &mut impl FnMut(Outermost<'_>)) {
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
                self.start = self.here();
                self.state = if byte == b'{' {
                    State::Object {
                        depth: 1,
                        string: false,
                        escaped: false,
                    }
                } else {
                    State::Other
                };
                self.keep(byte);
                if byte == b']' {
                    self.end_other(each);
                }
            }
        }
    }

    fn keep(&mut self, byte: u8) {
        let max = match self.state {
            State::Other => QUOTED,
            _ => self.max,
        };
        if self.bytes.len() < max {
            self.bytes.push(byte);
        } else {
            self.too_long = true;
        }
    }

    fn end_other(&mut self, each: &mut impl FnMut(Outermost<'_>)) {
        let text = String::from_utf8_lossy(&self.bytes).trim().to_owned();
        let more = if self.too_long { "…" } else { "" };
        self.end(each, Some(Missing::Other(format!("{text}{more}"))));
    }

    fn end(&mut self, each: &mut impl FnMut(Outermost<'_>), missing: Option<Missing>) {
        let content = match missing {
            Some(missing) => Err(missing),
            None if self.too_long => Err(Missing::TooLong(self.max)),
            None => Ok(&*self.bytes),
        };
        each(Outermost {
            line: self.start.1,
            column: self.start.2,
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
        self.state = State::Between;
    }

    fn finish(&mut self, each: &mut impl FnMut(Outermost<'_>)) {
        match self.state {
            State::Other => self.end_other(each),
            State::Object { .. } => self.end(each, Some(Missing::Unterminated)),
            State::Between => {}
        }
        if !self.arrays.is_empty() {
            self.arrays.clear();
            self.start = self.here();
            self.end(each, Some(Missing::Unterminated));
        }
    }
}

/// Reads an input to its end and passes on each outermost object. `pause` is called whenever the input may have to wait.
pub(crate) fn each_object<T>(
    file: &Path,
    max: usize,
    state: &mut T,
    mut pause: impl FnMut(&mut T) -> Result<(), Failure>,
    mut each: impl FnMut(&mut T, Outermost<'_>),
) -> Result<(), Failure> {
    let mut input = Input::open(file)?;
    let mut buffer = vec![0; BUFFER];
    let mut cutter = Cutter::new(max);
    let mut mark = &b"\xEF\xBB\xBF"[..];
    loop {
        if input.may_wait() {
            pause(state)?;
        }
        let count = input.read(&mut buffer)?;
        for &byte in &buffer[..count] {
            // A byte order mark before everything is passed over.
            if mark.first() == Some(&byte) {
                mark = &mark[1..];
                cutter.position += 1;
                cutter.line_start += 1;
                continue;
            }
            mark = &[];
            cutter.push(byte, &mut |object| each(state, object));
        }
        if count == 0 {
            cutter.finish(&mut |object| each(state, object));
            return Ok(());
        }
    }
}

/// How many lines of an object are before the member that a JSON Pointer names, or before what would hold it.
pub(crate) fn lines_before(object: &[u8], pointer: &str) -> u64 {
    let text = String::from_utf8_lossy(object);
    let mut at = 0;
    for name in pointer.split('/').skip(1) {
        let name = name.replace("~1", "/").replace("~0", "~");
        let Some(offset) = member(&text[at..], &name) else {
            break;
        };
        at += offset;
    }
    text[..at]
        .bytes()
        .map(|byte| u64::from(byte == b'\n'))
        .sum()
}

/// Where the value of a member, or an element, begins in a text that begins with its object or array.
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
    let members = reader.deserialize_map(Members).ok()?;
    let found = members.iter().find(|(known, _)| known == name);
    found.map(|(_, value)| offset(value))
}

/// Reads the members of an object.
struct Members;

impl<'de> Visitor<'de> for Members {
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

    fn cut(text: &str, max: usize) -> Vec<(u64, String, Result<String, Missing>)> {
        let mut found = Vec::new();
        let mut cutter = Cutter::new(max);
        let mut each = |one: Outermost<'_>| {
            let content = one
                .content
                .map(|bytes| String::from_utf8_lossy(bytes).into_owned());
            found.push((one.line, one.pointer, content));
        };
        for &byte in text.as_bytes() {
            cutter.push(byte, &mut each);
        }
        cutter.finish(&mut each);
        found
    }

    #[test]
    fn outermost_objects_are_cut_with_their_lines() {
        let other = |text: &str| Err(Missing::Other(text.into()));
        assert_eq!(
            cut("{\"a\":\"}\\\"\"}\n[{},\n {\"b\":[{}]}]\nprose\n{", 100),
            [
                (1, String::new(), Ok("{\"a\":\"}\\\"\"}".into())),
                (2, "/0".into(), Ok("{}".into())),
                (3, "/1".into(), Ok("{\"b\":[{}]}".into())),
                (4, String::new(), other("prose")),
                (5, String::new(), Err(Missing::Unterminated)),
            ]
        );
        assert_eq!(cut("{\"a\":1}{}", 5)[0].2, Err(Missing::TooLong(5)));
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
            assert_eq!(lines_before(object, pointer), lines, "{pointer}");
        }
    }
}
