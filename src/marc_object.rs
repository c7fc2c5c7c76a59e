//! MARC objects in the stream.

use core::fmt;
use std::borrow::Cow;

use crate::Span;
use crate::borrow::MaybeOwned;
use crate::json::decode;
use crate::names::names;

/// The two kinds of MARC object, by the members that distinguish them in a stream.
///
/// Validation, which has all members at hand, decides. Source: wire profile, MARC objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MarcKind {
    /// A MARC-Core record: an object with a member `marc_version` that is not a disclosure.
    Core,
    /// A MARC-Disclosure object: one with `answer`, `confidence_band` and `uncertainty_source`, unless it has all that a record
    /// requires and its bytes are within [`Limits::max_record`](crate::Limits::max_record).
    Disclosure,
}

names! {
    MarcKind, "kind of MARC object", "The name used on the wire: `core` or `disclosure`.",
    Core => "core",
    Disclosure => "disclosure",
}

/// A MARC object found in a JSON value, raw: nothing of it is judged yet.
#[derive(Clone, PartialEq, Eq)]
pub struct MarcObject<'a>(MaybeOwned<'a, Parts<'a>>);

/// Parts of a MARC object.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Parts<'a> {
    kind: MarcKind,
    span: Span,
    pointer: Option<Cow<'a, str>>,
    raw: Option<Cow<'a, [u8]>>,
}

impl<'a> Parts<'a> {
    pub(crate) const fn new(
        kind: MarcKind,
        span: Span,
        pointer: Option<&'a str>,
        raw: Option<&'a [u8]>,
    ) -> Self {
        Self {
            kind,
            span,
            pointer: match pointer {
                Some(pointer) => Some(Cow::Borrowed(pointer)),
                None => None,
            },
            raw: match raw {
                Some(raw) => Some(Cow::Borrowed(raw)),
                None => None,
            },
        }
    }
}

/// The members that a record requires in every draft. Source: MARC-01 8.1; MARC-02 9.1.
const RECORD: [&str; 8] = [
    "marc_version",
    "pre_capability",
    "uncertainty",
    "primary_source",
    "remediability",
    "selected_action",
    "confidence_band",
    "recommended_next_step",
];

/// Returns `true` if an object, which is well-formed JSON, has all members that a record requires: members that the draft does
/// not define, such as those of a disclosure, do not make it anything else. Source: MARC-02 11.
pub(crate) fn is_complete_record(raw: &[u8]) -> bool {
    let (mut found, mut depth, mut at) = ([false; RECORD.len()], 0, 0);
    while at < raw.len() {
        match raw[at] {
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth -= 1,
            b'"' => {
                let string = &raw[at + 1..];
                let (len, escaped) = string_len(string);
                let after = string.get(len + 1..).unwrap_or_default();
                let is_name = after.trim_ascii_start().first() == Some(&b':');
                if depth == 1 && is_name {
                    let name = decode(&string[..len], escaped).text;
                    for (found, known) in found.iter_mut().zip(RECORD) {
                        *found |= name == known;
                    }
                }
                at += len + 1;
            }
            _ => {}
        }
        at += 1;
    }
    found == [true; RECORD.len()]
}

/// Returns the length of a string up to its closing quote, in bytes, and whether it has an escape.
fn string_len(string: &[u8]) -> (usize, bool) {
    let mut at = 0;
    while let Some(&byte) = string.get(at).filter(|byte| **byte != b'"') {
        at += if byte == b'\\' { 2 } else { 1 };
    }
    let len = at.min(string.len().saturating_sub(1));
    (len, memchr::memchr(b'\\', &string[..len]).is_some())
}

impl<'a> MarcObject<'a> {
    /// Borrows the object from the parser.
    #[inline]
    pub(crate) const fn borrowed(parts: &'a Parts<'a>) -> Self {
        Self(MaybeOwned::Borrowed(parts))
    }

    /// Returns the kind of the object.
    #[must_use]
    pub fn kind(&self) -> MarcKind {
        self.0.kind
    }

    /// Returns the span in the stream, in bytes, braces included.
    #[must_use]
    pub fn span(&self) -> Span {
        self.0.span
    }

    /// Returns the JSON Pointer (RFC 6901) of the object from the root of its JSON value; `None` if
    /// longer than [`Limits::max_pointer`](crate::Limits::max_pointer).
    #[must_use]
    pub fn pointer(&self) -> Option<&str> {
        self.0.pointer.as_deref()
    }

    /// Returns the bytes of the object, which are JSON except that strings may not be UTF-8; `None`
    /// if there are more than [`Limits::max_record`](crate::Limits::max_record).
    #[must_use]
    pub fn raw(&self) -> Option<&[u8]> {
        self.0.raw.as_deref()
    }

    /// Copies the object with its bytes.
    #[must_use]
    pub fn into_owned(self) -> MarcObject<'static> {
        let parts = self.0.into_inner();
        MarcObject(MaybeOwned::owned(Parts {
            kind: parts.kind,
            span: parts.span,
            pointer: parts.pointer.map(|text| Cow::Owned(text.into_owned())),
            raw: parts.raw.map(|bytes| Cow::Owned(bytes.into_owned())),
        }))
    }
}

impl fmt::Debug for MarcObject<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MarcObject")
            .field("kind", &self.0.kind)
            .field("span", &self.0.span)
            .field("pointer", &self.0.pointer)
            .field("raw", &self.raw().map(String::from_utf8_lossy))
            .finish()
    }
}
