//! MARC objects in the stream.

use core::fmt;
use std::borrow::Cow;

use crate::Span;
use crate::borrow::MaybeOwned;
use crate::names::names;

/// The two kinds of MARC object, by the members that distinguish them in a stream.
///
/// Validation, which has all members at hand, decides. Source: wire profile, MARC objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MarcKind {
    /// A MARC-Core record: an object with a member `marc_version` that is not a disclosure.
    Core,
    /// A MARC-Disclosure object: one with `answer`, `confidence_band` and `uncertainty_source`, whatever else it has.
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

/// What is known of a MARC object.
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

impl<'a> MarcObject<'a> {
    /// What the parser has of it.
    #[inline]
    pub(crate) const fn borrowed(parts: &'a Parts<'a>) -> Self {
        Self(MaybeOwned::Borrowed(parts))
    }

    /// Which kind it is.
    #[must_use]
    pub fn kind(&self) -> MarcKind {
        self.0.kind
    }

    /// Where it is in the stream, in bytes, braces included.
    #[must_use]
    pub fn span(&self) -> Span {
        self.0.span
    }

    /// Its JSON Pointer (RFC 6901) from the root of its JSON value; none if that is longer than
    /// [`Limits::max_pointer`](crate::Limits::max_pointer).
    #[must_use]
    pub fn pointer(&self) -> Option<&str> {
        self.0.pointer.as_deref()
    }

    /// Its bytes, which are JSON but for strings that may not be UTF-8; none if there are more than
    /// [`Limits::max_record`](crate::Limits::max_record).
    #[must_use]
    pub fn raw(&self) -> Option<&[u8]> {
        self.0.raw.as_deref()
    }

    /// The same with nothing borrowed.
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
