//! The objects in JSON text, at any depth and in one pass.

use core::ops::Range;
use std::borrow::Cow;

use super::document::Document;
use super::terms::Source;
use super::validate::{is_marc_like, kind_of};
use provstream::MarcKind;
use provstream::json::push_name;

/// Maximum number of MARC objects around an object that is read.
const MAX_AROUND: usize = 64;

/// Maximum length of a JSON Pointer, in bytes.
const MAX_POINTER: usize = 4_096;

/// An object in JSON text, at the end of which it is visited.
#[derive(Debug)]
pub struct NestedObject<'a, 't> {
    json: &'t [u8],
    span: Range<usize>,
    members: &'a [MemberSpan<'t>],
    around: &'a [EnclosingValue<'t>],
}

/// A member of an object, with the place of its value.
#[derive(Debug)]
struct MemberSpan<'t> {
    name: Cow<'t, str>,
    value: Range<usize>,
}

/// An object or array whose end has not been reached.
#[derive(Debug)]
struct EnclosingValue<'t> {
    start: usize,
    is_object: bool,
    /// `true` if the next string is the name of a member.
    awaits_name: bool,
    members: Vec<MemberSpan<'t>>,
    /// Index of the next element of an array.
    index: usize,
}

impl<'t> NestedObject<'_, 't> {
    /// Returns the byte range in the text.
    #[must_use]
    pub fn span(&self) -> Range<usize> {
        self.span.clone()
    }

    /// Returns the JSON Pointer (RFC 6901) from the root of the text, or `None` if it is longer
    /// than 4,096 bytes.
    #[must_use]
    pub fn pointer(&self) -> Option<String> {
        let mut pointer = String::new();
        for open in self.around {
            let index = open.index.to_string();
            let name = open.members.last().map_or(&*index, |member| &member.name);
            if !push_name(&mut pointer, name.as_bytes(), false, MAX_POINTER) {
                return None;
            }
        }
        Some(pointer)
    }

    /// Iterates over the members in order: decoded name, and value as written.
    pub fn members(&self) -> impl Iterator<Item = (&str, &'t [u8])> {
        let members = self.members.iter();
        members.map(|member| (&*member.name, &self.json[member.value.clone()]))
    }

    /// Returns the kind of MARC object that the members show, as [`Document::kind`] does.
    #[must_use]
    pub fn kind(&self) -> Option<MarcKind> {
        kind_of(self.members.iter().map(|member| &*member.name))
    }

    /// Finds what must not be shown to end users: the object itself, if it has scores of a record,
    /// or a member that is a carrier's place for one. Returns its JSON Pointer as
    /// [`pointer`](Self::pointer) does, `None` if the object has neither. Source: MARC-02 12.
    pub(crate) fn record(&self) -> Option<Option<String>> {
        let has_scores = self.has_scores();
        let is_place = |(name, value): &(&str, &[u8])| {
            (*name == "marc_core" || name.ends_with("/marc-core")) && *value != b"null"
        };
        let place = self.members().find(is_place);
        let Some((name, _)) = place.filter(|_| !has_scores) else {
            return has_scores.then(|| self.pointer());
        };
        let pointer = self.pointer();
        Some(pointer.and_then(|mut pointer| {
            let fits = push_name(&mut pointer, name.as_bytes(), false, MAX_POINTER);
            fits.then_some(pointer)
        }))
    }

    /// Returns `true` if the object has scores of a record.
    fn has_scores(&self) -> bool {
        let around = self.around.last().and_then(|open| open.members.last());
        let are_scores = around.is_some_and(|member| member.name == "uncertainty");
        let has = |wanted: &str| self.members.iter().any(|member| member.name == wanted);
        let mut sources = Source::NAMES.iter();
        has("pre_capability")
            || has("post_answer_confidence")
            || are_scores && sources.any(|source| has(source))
            || has("uncertainty") && self.kind().is_some()
    }
}

/// Visits each object in JSON text at its end, so an inner object before the one around it. In text
/// that is not JSON, the objects are arbitrary.
///
/// ```
/// use provstream_marc::visit_objects;
///
/// let mut pointers = Vec::new();
/// visit_objects(br#"{"a": [{"b": 1}]}"#, |object| pointers.extend(object.pointer()));
/// assert_eq!(pointers, ["/a/0", ""]);
/// ```
pub fn visit_objects<'t>(json: &'t [u8], mut visit: impl FnMut(&NestedObject<'_, 't>)) {
    let mut open: Vec<EnclosingValue<'t>> = Vec::new();
    let mut at = 0;
    while let Some(&byte) = json.get(at) {
        let start = at;
        at += 1;
        match byte {
            b'{' | b'[' => open.push(EnclosingValue {
                start,
                is_object: byte == b'{',
                awaits_name: byte == b'{',
                members: Vec::new(),
                index: 0,
            }),
            b'}' | b']' => {
                let Some(closed) = open.pop() else { continue };
                if closed.is_object {
                    visit(&NestedObject {
                        json,
                        span: closed.start..at,
                        members: &closed.members,
                        around: &open,
                    });
                }
                end_value(&mut open, closed.start..at);
            }
            b',' => {
                if let Some(open) = open.last_mut() {
                    open.index += 1;
                    open.awaits_name = open.is_object;
                }
            }
            b'"' => {
                at = start + string_len(&json[start..]);
                match open.last_mut() {
                    Some(open) if open.awaits_name => {
                        open.awaits_name = false;
                        let name = decoded(&json[start..at]);
                        let value = at..at;
                        open.members.push(MemberSpan { name, value });
                    }
                    _ => end_value(&mut open, start..at),
                }
            }
            b' ' | b'\t' | b'\r' | b'\n' | b':' => {}
            _ => {
                let rest = json[at..].iter();
                at += rest.take_while(|byte| is_of_scalar(**byte)).count();
                end_value(&mut open, start..at);
            }
        }
    }
}

fn is_of_scalar(byte: u8) -> bool {
    !matches!(byte, b',' | b'}' | b']' | b' ' | b'\t' | b'\r' | b'\n')
}

/// Notes the place of a value that ends in the innermost object.
fn end_value(open: &mut [EnclosingValue<'_>], value: Range<usize>) {
    if let Some(member) = open.last_mut().and_then(|open| open.members.last_mut()) {
        member.value = value;
    }
}

/// Measures a JSON string with its quotes, in bytes.
fn string_len(json: &[u8]) -> usize {
    let mut at = 1;
    loop {
        match json.get(at) {
            None => return json.len(),
            Some(b'"') => return at + 1,
            Some(b'\\') => at += 2,
            Some(_) => at += 1,
        }
    }
}

fn decoded(quoted: &[u8]) -> Cow<'_, str> {
    let inside = quoted.get(1..quoted.len() - 1).unwrap_or_default();
    provstream::json::decode(inside, inside.contains(&b'\\')).text
}

/// A MARC object in JSON text, or an object that may be one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundObject {
    /// The JSON Pointer from the root of the text; `None` if that has more than 4,096 bytes.
    pub pointer: Option<String>,
    /// Byte range in the text.
    pub span: Range<usize>,
    /// The kind; `None` if its members do not show it.
    pub kind: Option<MarcKind>,
    /// `true` if the object is inside another MARC object.
    pub is_nested: bool,
    /// The object; `None` if more than 64 objects are around it.
    pub document: Option<Document>,
}

/// Finds the MARC objects in JSON text at any depth, an inner one before the one around it: each object whose members show its
/// kind, and of those without a MARC object inside also one that only looks like one, or is not the root and has `marc_version`.
/// What no more than 64 others are around is read. Source: MARC-02 11, 12.
#[must_use]
pub fn find_marc_objects(json: &[u8]) -> Vec<FoundObject> {
    let mut found: Vec<FoundObject> = Vec::new();
    visit_objects(json, |object| {
        let kind = object.kind();
        let start = object.span.start;
        let has_inner = found.last().is_some_and(|inner| inner.span.start > start);
        let names = object.members.iter().map(|member| &*member.name);
        let is_marked =
            !object.around.is_empty() && object.members().any(|(name, _)| name == "marc_version");
        if kind.is_some() || !has_inner && (is_marked || is_marc_like(names)) {
            found.push(FoundObject {
                pointer: object.pointer(),
                span: object.span(),
                kind,
                is_nested: false,
                document: None,
            });
        }
    });
    // From the last to the first, an object comes after all that are around it.
    let mut around: Vec<usize> = Vec::new();
    for object in found.iter_mut().rev() {
        while around
            .last()
            .is_some_and(|start| object.span.start < *start)
        {
            around.pop();
        }
        object.is_nested = !around.is_empty();
        if around.len() <= MAX_AROUND {
            object.document = Document::parse(&json[object.span.clone()]).ok();
        }
        if object.kind.is_some() {
            around.push(object.span.start);
        }
    }
    found
}
