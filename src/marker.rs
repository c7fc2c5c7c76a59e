//! Citations as models write them: markers, and the sentences that they belong to.

use core::fmt;
use core::marker::PhantomData;
use std::sync::Arc;

use smallvec::SmallVec;

use crate::Span;
use crate::marker_ids::IdText;
use crate::names::names;
use crate::provenance::{Annotation, Assertion, Class, Encoding, Reason};

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
pub struct Marker<'a, P = &'a MarkerParts<'a>> {
    parts: P,
    borrowed: PhantomData<&'a ()>,
}

/// The parts of a marker, borrowed.
#[derive(Clone, Copy, PartialEq, Eq)]
#[doc(hidden)]
pub struct MarkerParts<'a> {
    pub(crate) dialect: &'a str,
    pub(crate) ids: &'a IdText,
    pub(crate) raw: &'a [u8],
    pub(crate) start: u64,
    pub(crate) whitespace_before: usize,
    pub(crate) kind: MarkerKind,
    pub(crate) follows_exclamation: bool,
}

/// Storage of the parts of a marker.
#[doc(hidden)]
pub trait MarkerStorage: Clone + Eq {
    fn view(&self) -> MarkerParts<'_>;
}

impl<'a> MarkerStorage for &'a MarkerParts<'a> {
    fn view(&self) -> MarkerParts<'_> {
        **self
    }
}

/// The parts of a marker, owned.
#[derive(PartialEq, Eq)]
#[doc(hidden)]
pub struct OwnedMarker {
    dialect: Box<str>,
    ids: IdText,
    raw: Box<[u8]>,
    start: u64,
    whitespace_before: usize,
    kind: MarkerKind,
    follows_exclamation: bool,
}

impl MarkerStorage for Arc<OwnedMarker> {
    fn view(&self) -> MarkerParts<'_> {
        MarkerParts {
            dialect: &self.dialect,
            ids: &self.ids,
            raw: &self.raw,
            start: self.start,
            whitespace_before: self.whitespace_before,
            kind: self.kind,
            follows_exclamation: self.follows_exclamation,
        }
    }
}

impl<'a> Marker<'a> {
    pub(crate) const fn borrowed(parts: &'a MarkerParts<'a>) -> Self {
        Self {
            parts,
            borrowed: PhantomData,
        }
    }

    /// Copies the marker with its bytes.
    #[must_use]
    pub fn into_owned(self) -> Marker<'static, Arc<OwnedMarker>> {
        let parts = self.parts;
        Marker {
            parts: Arc::new(OwnedMarker {
                dialect: parts.dialect.into(),
                ids: parts.ids.clone(),
                raw: parts.raw.into(),
                start: parts.start,
                whitespace_before: parts.whitespace_before,
                kind: parts.kind,
                follows_exclamation: parts.follows_exclamation,
            }),
            borrowed: PhantomData,
        }
    }
}

impl<P: MarkerStorage> Marker<'_, P> {
    fn view(&self) -> MarkerParts<'_> {
        self.parts.view()
    }

    /// Returns the name of the dialect.
    #[must_use]
    pub fn dialect(&self) -> &str {
        self.view().dialect
    }

    /// Returns the kind of marker.
    #[must_use]
    pub fn kind(&self) -> MarkerKind {
        self.view().kind
    }

    /// Iterates over the identifiers in order; a range counts as all its numbers. An end tag has none.
    #[must_use]
    pub fn ids(&self) -> impl ExactSizeIterator<Item = &str> {
        self.view().ids.iter()
    }

    /// Returns the span in the stream.
    #[must_use]
    pub fn span(&self) -> Span {
        let parts = self.view();
        Span::new(parts.start, parts.start + parts.raw.len() as u64)
    }

    /// Returns the bytes of the marker.
    #[must_use]
    pub fn raw(&self) -> &[u8] {
        self.view().raw
    }

    /// Returns the number of bytes of white space right before the marker that are removed with it: 0 to 64.
    #[must_use]
    pub fn whitespace_before(&self) -> usize {
        self.view().whitespace_before
    }

    /// Returns `true` if the text right before the marker, without other markers, ends with `!`. What is written in the place of the
    /// marker must not begin with `[` then: in Markdown, `![1](address)` is an image, which is loaded without a click.
    #[must_use]
    pub fn follows_exclamation(&self) -> bool {
        self.view().follows_exclamation
    }
}

impl<P: MarkerStorage> Clone for Marker<'_, P> {
    fn clone(&self) -> Self {
        Self {
            parts: self.parts.clone(),
            borrowed: PhantomData,
        }
    }
}

impl Copy for Marker<'_> {}

impl<P: MarkerStorage> PartialEq for Marker<'_, P> {
    fn eq(&self, other: &Self) -> bool {
        self.view() == other.view()
    }
}

impl<P: MarkerStorage> Eq for Marker<'_, P> {}

impl<P: MarkerStorage> fmt::Debug for Marker<'_, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = self.view();
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
    /// Class of its source, if the list states one.
    pub class: Option<&'a Class>,
    /// Time of the observation of its source, as the list has it.
    pub ts: Option<&'a str>,
}

impl<'a> CitedId<'a> {
    /// The annotation that it amounts to: of the class of its source, or `unverified-inference` if the source is unknown.
    fn annotation(self) -> Option<Annotation<'a>> {
        let annotation = match (self.reason, self.class) {
            (Some(CitationReason::UnknownSource), _) => {
                Annotation::new(Class::UNVERIFIED_INFERENCE, "").with_reason(Reason::UnknownSource)
            }
            (Some(CitationReason::NoSourceList), _) | (None, None) => return None,
            (None, Some(class)) => Annotation::new(class.clone(), class.as_str().to_owned()),
        };
        let annotation = annotation
            .with_observation_id(self.id)
            .with_span(self.marker);
        Some(match self.ts {
            Some(ts) => annotation.with_ts(ts),
            None => annotation,
        })
    }
}

/// An assertion with the identifiers of all its markers, reported when no further marker can join it. Source: dialects.
pub struct Citation<'a, P = &'a CitationParts<'a>> {
    parts: P,
    borrowed: PhantomData<&'a ()>,
}

/// Identifiers of a citation, few of which need memory.
pub(crate) type CitedIds<'a> = SmallVec<[CitedId<'a>; 8]>;

/// The parts of a citation, borrowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[doc(hidden)]
pub struct CitationParts<'a> {
    pub(crate) text: &'a str,
    pub(crate) span: Span,
    pub(crate) clean_span: Span,
    pub(crate) limit_hit: bool,
    pub(crate) is_orphan: bool,
    pub(crate) ids: IdList<'a>,
}

/// The identifiers of a citation, borrowed from the parser or from an owned citation.
#[derive(Clone, Copy, Debug)]
pub(crate) enum IdList<'a> {
    Borrowed(&'a [CitedId<'a>]),
    Owned(&'a [OwnedId]),
}

impl PartialEq for IdList<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len()
            && (0..self.len()).all(|index| self.get(index) == other.get(index))
    }
}

impl Eq for IdList<'_> {}

impl<'a> IdList<'a> {
    const fn len(self) -> usize {
        match self {
            Self::Borrowed(ids) => ids.len(),
            Self::Owned(ids) => ids.len(),
        }
    }

    fn get(self, index: usize) -> CitedId<'a> {
        match self {
            Self::Borrowed(ids) => ids[index],
            Self::Owned(ids) => ids[index].view(),
        }
    }
}

/// Storage of the parts of a citation.
#[doc(hidden)]
pub trait CitationStorage: Clone + Eq {
    fn view(&self) -> CitationParts<'_>;
}

impl<'a> CitationStorage for &'a CitationParts<'a> {
    fn view(&self) -> CitationParts<'_> {
        **self
    }
}

/// The parts of a citation, owned.
#[derive(PartialEq, Eq)]
#[doc(hidden)]
pub struct OwnedCitation {
    text: Box<str>,
    span: Span,
    clean_span: Span,
    limit_hit: bool,
    is_orphan: bool,
    ids: Vec<OwnedId>,
}

impl CitationStorage for Arc<OwnedCitation> {
    fn view(&self) -> CitationParts<'_> {
        CitationParts {
            text: &self.text,
            span: self.span,
            clean_span: self.clean_span,
            limit_hit: self.limit_hit,
            is_orphan: self.is_orphan,
            ids: IdList::Owned(&self.ids),
        }
    }
}

/// A cited identifier, owned.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct OwnedId {
    dialect: Box<str>,
    id: Box<str>,
    marker: Span,
    reason: Option<CitationReason>,
    class: Option<Class>,
    ts: Option<Box<str>>,
}

impl OwnedId {
    fn new(cited: CitedId<'_>) -> Self {
        Self {
            dialect: cited.dialect.into(),
            id: cited.id.into(),
            marker: cited.marker,
            reason: cited.reason,
            class: cited.class.cloned(),
            ts: cited.ts.map(Box::from),
        }
    }

    fn view(&self) -> CitedId<'_> {
        CitedId {
            dialect: &self.dialect,
            id: &self.id,
            marker: self.marker,
            reason: self.reason,
            class: self.class.as_ref(),
            ts: self.ts.as_deref(),
        }
    }
}

impl<'a> Citation<'a> {
    pub(crate) const fn borrowed(parts: &'a CitationParts<'a>) -> Self {
        Self {
            parts,
            borrowed: PhantomData,
        }
    }

    pub(crate) const fn parts(&self) -> &'a CitationParts<'a> {
        self.parts
    }

    /// Copies the citation with its text.
    #[must_use]
    pub fn into_owned(self) -> Citation<'static, Arc<OwnedCitation>> {
        let parts = self.parts;
        Citation {
            parts: Arc::new(OwnedCitation {
                text: parts.text.into(),
                span: parts.span,
                clean_span: parts.clean_span,
                limit_hit: parts.limit_hit,
                is_orphan: parts.is_orphan,
                ids: self.ids().map(OwnedId::new).collect(),
            }),
            borrowed: PhantomData,
        }
    }
}

impl<P: CitationStorage> Citation<'_, P> {
    fn view(&self) -> CitationParts<'_> {
        self.parts.view()
    }

    /// Returns the text of the assertion without markers, with U+FFFD for what is not UTF-8.
    #[must_use]
    pub fn text(&self) -> &str {
        self.view().text
    }

    /// Returns the span of the assertion in the stream; markers inside of it count.
    #[must_use]
    pub fn span(&self) -> Span {
        self.view().span
    }

    /// Returns the span of the assertion in the text without annotations and markers.
    #[must_use]
    pub fn clean_span(&self) -> Span {
        self.view().clean_span
    }

    /// Returns `true` if a limit truncated the text, or left out an identifier.
    #[must_use]
    pub fn limit_hit(&self) -> bool {
        self.view().limit_hit
    }

    /// Returns `true` if the assertion is empty because its marker comes first after a [break](crate::Parser::push_break).
    #[must_use]
    pub fn is_orphan(&self) -> bool {
        self.view().is_orphan
    }

    /// Iterates over the identifiers of all markers, in order.
    #[must_use]
    pub fn ids(&self) -> impl ExactSizeIterator<Item = CitedId<'_>> {
        let ids = self.view().ids;
        (0..ids.len()).map(move |index| ids.get(index))
    }

    /// Returns the assertion with an annotation for each identifier that has a class: that of its source, or
    /// `unverified-inference` for an identifier that a complete list does not have. The observation ids are the identifiers.
    #[must_use]
    pub fn assertion(&self) -> Assertion<'_> {
        let annotations = self.ids().filter_map(CitedId::annotation).collect();
        Assertion::new(Encoding::Bracket, self.text(), self.span())
            .with_clean_span(self.clean_span())
            .with_limit_hit(self.limit_hit())
            .with_orphan(self.is_orphan())
            .with_annotations(annotations)
    }
}

impl<P: CitationStorage> Clone for Citation<'_, P> {
    fn clone(&self) -> Self {
        Self {
            parts: self.parts.clone(),
            borrowed: PhantomData,
        }
    }
}

impl Copy for Citation<'_> {}

impl<P: CitationStorage> PartialEq for Citation<'_, P> {
    fn eq(&self, other: &Self) -> bool {
        self.view() == other.view()
    }
}

impl<P: CitationStorage> Eq for Citation<'_, P> {}

impl<P: CitationStorage> fmt::Debug for Citation<'_, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Citation")
            .field("text", &self.text())
            .field("span", &self.span())
            .field("clean_span", &self.clean_span())
            .field("limit_hit", &self.limit_hit())
            .field("is_orphan", &self.is_orphan())
            .field("ids", &self.ids().collect::<Vec<_>>())
            .finish()
    }
}

// A borrowed event with something to drop would cost every push.
const _: () = assert!(!core::mem::needs_drop::<Marker<'static>>());
const _: () = assert!(!core::mem::needs_drop::<Citation<'static>>());
