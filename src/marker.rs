//! Citations as models write them: markers, and the sentences that they belong to.

use core::fmt;
use std::sync::Arc;

use smallvec::SmallVec;

use crate::Span;
use crate::marker_ids::IdText;
use crate::names::names;

/// Kinds of markers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum MarkerKind {
    /// A marker after its assertion, such as `[1]`; also one that names no source.
    After,
    /// A marker before its assertion, such as `<co: 0>`.
    Opening,
    /// The end tag of an opening marker.
    End,
}

names! {
    MarkerKind, "kind of marker", "The name, such as `after`.",
    After => "after",
    Opening => "opening",
    End => "end",
}

/// A marker of a citation, with its bytes. Source: dialects.
#[derive(Clone, PartialEq, Eq)]
pub struct Marker<'a>(MarkerRepr<'a>);

#[derive(Clone)]
enum MarkerRepr<'a> {
    Borrowed(&'a MarkerParts<'a>),
    Owned(Arc<OwnedMarker>),
}

impl PartialEq for MarkerRepr<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.view() == other.view()
    }
}

impl Eq for MarkerRepr<'_> {}

/// The parts of a marker, borrowed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct MarkerParts<'a> {
    pub(crate) dialect: &'a str,
    pub(crate) ids: &'a IdText,
    pub(crate) raw: &'a [u8],
    pub(crate) start: u64,
    pub(crate) whitespace_before: usize,
    pub(crate) kind: MarkerKind,
}

struct OwnedMarker {
    dialect: Box<str>,
    ids: IdText,
    raw: Box<[u8]>,
    start: u64,
    whitespace_before: usize,
    kind: MarkerKind,
}

impl MarkerRepr<'_> {
    fn view(&self) -> MarkerParts<'_> {
        match self {
            Self::Borrowed(parts) => **parts,
            Self::Owned(parts) => MarkerParts {
                dialect: &parts.dialect,
                ids: &parts.ids,
                raw: &parts.raw,
                start: parts.start,
                whitespace_before: parts.whitespace_before,
                kind: parts.kind,
            },
        }
    }
}

impl<'a> Marker<'a> {
    pub(crate) const fn borrowed(parts: &'a MarkerParts<'a>) -> Self {
        Self(MarkerRepr::Borrowed(parts))
    }

    /// Copies the marker with its bytes.
    #[must_use]
    pub fn into_owned(self) -> Marker<'static> {
        let parts = match &self.0 {
            MarkerRepr::Owned(parts) => Arc::clone(parts),
            MarkerRepr::Borrowed(parts) => Arc::new(OwnedMarker {
                dialect: parts.dialect.into(),
                ids: parts.ids.clone(),
                raw: parts.raw.into(),
                start: parts.start,
                whitespace_before: parts.whitespace_before,
                kind: parts.kind,
            }),
        };
        Marker(MarkerRepr::Owned(parts))
    }

    /// Returns the name of the dialect.
    #[must_use]
    pub fn dialect(&self) -> &str {
        self.0.view().dialect
    }

    /// Returns the kind of marker.
    #[must_use]
    pub fn kind(&self) -> MarkerKind {
        self.0.view().kind
    }

    /// Iterates over the identifiers in order; a range counts as all its numbers. An end tag has none.
    #[must_use]
    pub fn ids(&self) -> impl ExactSizeIterator<Item = &str> {
        self.0.view().ids.iter()
    }

    /// Returns the span in the stream.
    #[must_use]
    pub fn span(&self) -> Span {
        let parts = self.0.view();
        Span::new(parts.start, parts.start + parts.raw.len() as u64)
    }

    /// Returns the bytes of the marker.
    #[must_use]
    pub fn raw(&self) -> &[u8] {
        self.0.view().raw
    }

    /// Returns the number of bytes of white space right before the marker that are removed with it: 0 to 64.
    #[must_use]
    pub fn whitespace_before(&self) -> usize {
        self.0.view().whitespace_before
    }
}

impl fmt::Debug for Marker<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = self.0.view();
        f.debug_struct("Marker")
            .field("dialect", &parts.dialect)
            .field("kind", &parts.kind)
            .field("ids", &parts.ids.iter().collect::<Vec<_>>())
            .field("raw", &String::from_utf8_lossy(parts.raw))
            .field("start", &parts.start)
            .field("whitespace_before", &parts.whitespace_before)
            .finish()
    }
}

/// Reasons for which an identifier of a citation counts as `unverified-inference`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum CitationReason {
    /// A complete list of sources does not have the identifier.
    UnknownSource,
    /// There is no list of sources, or an incomplete one that does not have the identifier.
    NoSourceList,
}

names! {
    CitationReason, "reason of a citation", "The name used on the wire, such as `unknown-source`.",
    UnknownSource => "unknown-source",
    NoSourceList => "no-source-list",
}

/// An identifier that a citation names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CitedId<'a> {
    /// Name of the dialect of its marker.
    pub dialect: &'a str,
    /// Identifier, as the marker has it.
    pub id: &'a str,
    /// Span of the marker in the stream.
    pub marker: Span,
    /// Reason for which it counts as `unverified-inference`; `None` if the list of sources has it.
    pub reason: Option<CitationReason>,
}

/// An assertion with the identifiers of all its markers, reported when no further marker can join it. Source: dialects.
#[derive(Clone, PartialEq, Eq)]
pub struct Citation<'a>(CitationRepr<'a>);

#[derive(Clone)]
enum CitationRepr<'a> {
    Borrowed(&'a CitationParts<'a>),
    Owned(Arc<OwnedCitation>),
}

/// Identifiers of a citation, few of which need memory.
pub(crate) type CitedIds<'a> = SmallVec<[CitedId<'a>; 8]>;

/// The parts of a citation, borrowed.
#[derive(Clone, Copy)]
pub(crate) struct CitationParts<'a> {
    pub(crate) text: &'a str,
    pub(crate) span: Span,
    pub(crate) clean_span: Span,
    pub(crate) ids: &'a [CitedId<'a>],
}

struct OwnedCitation {
    text: Box<str>,
    span: Span,
    clean_span: Span,
    ids: Vec<OwnedId>,
}

struct OwnedId {
    dialect: Box<str>,
    id: Box<str>,
    marker: Span,
    reason: Option<CitationReason>,
}

impl<'a> Citation<'a> {
    pub(crate) const fn borrowed(parts: &'a CitationParts<'a>) -> Self {
        Self(CitationRepr::Borrowed(parts))
    }

    /// Copies the citation with its text.
    #[must_use]
    pub fn into_owned(self) -> Citation<'static> {
        let parts = match self.0 {
            CitationRepr::Owned(parts) => parts,
            CitationRepr::Borrowed(parts) => {
                let own = |cited: &CitedId<'_>| OwnedId {
                    dialect: cited.dialect.into(),
                    id: cited.id.into(),
                    marker: cited.marker,
                    reason: cited.reason,
                };
                Arc::new(OwnedCitation {
                    text: parts.text.into(),
                    span: parts.span,
                    clean_span: parts.clean_span,
                    ids: parts.ids.iter().map(own).collect(),
                })
            }
        };
        Citation(CitationRepr::Owned(parts))
    }

    /// Returns the text of the assertion without markers, with U+FFFD for what is not UTF-8.
    #[must_use]
    pub fn text(&self) -> &str {
        match &self.0 {
            CitationRepr::Borrowed(parts) => parts.text,
            CitationRepr::Owned(parts) => &parts.text,
        }
    }

    /// Returns the span of the assertion in the stream; markers inside of it count.
    #[must_use]
    pub fn span(&self) -> Span {
        match &self.0 {
            CitationRepr::Borrowed(parts) => parts.span,
            CitationRepr::Owned(parts) => parts.span,
        }
    }

    /// Returns the span of the assertion in the text without annotations and markers.
    #[must_use]
    pub fn clean_span(&self) -> Span {
        match &self.0 {
            CitationRepr::Borrowed(parts) => parts.clean_span,
            CitationRepr::Owned(parts) => parts.clean_span,
        }
    }

    /// Iterates over the identifiers of all markers, in order.
    #[must_use]
    pub fn ids(&self) -> impl ExactSizeIterator<Item = CitedId<'_>> {
        let len = match &self.0 {
            CitationRepr::Borrowed(parts) => parts.ids.len(),
            CitationRepr::Owned(parts) => parts.ids.len(),
        };
        (0..len).map(|index| match &self.0 {
            CitationRepr::Borrowed(parts) => parts.ids[index],
            CitationRepr::Owned(parts) => {
                let own = &parts.ids[index];
                CitedId {
                    dialect: &own.dialect,
                    id: &own.id,
                    marker: own.marker,
                    reason: own.reason,
                }
            }
        })
    }
}

impl PartialEq for CitationRepr<'_> {
    fn eq(&self, other: &Self) -> bool {
        let (one, other) = (Citation(self.clone()), Citation(other.clone()));
        one.text() == other.text()
            && one.span() == other.span()
            && one.clean_span() == other.clean_span()
            && one.ids().eq(other.ids())
    }
}

impl Eq for CitationRepr<'_> {}

impl fmt::Debug for Citation<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Citation")
            .field("text", &self.text())
            .field("span", &self.span())
            .field("clean_span", &self.clean_span())
            .field("ids", &self.ids().collect::<Vec<_>>())
            .finish()
    }
}
