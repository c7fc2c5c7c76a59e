//! Events: what the parser reports.

use core::fmt;
use core::marker::PhantomData;
use std::sync::Arc;

use bytes::Bytes;

use crate::Span;
use crate::marc_object::MarcObject;
#[cfg(feature = "dialects")]
use crate::marker::{
    Citation, CitationParts, CitationStorage, Marker, MarkerParts, MarkerStorage, OwnedCitation,
    OwnedMarker,
};
use crate::names::names;
use crate::provenance::reading::{Reading, lossy};
use crate::provenance::{Annotation, Assertion, Parameter, Vocabulary, parse_annotation};

/// Something that the parser found in the stream.
///
/// # Order
///
/// - An event is reported as soon as it is certain: when no byte that may follow can change it. With the bytes up to
///   that one, every parser has reported it, however the stream is cut into chunks.
/// - [`Text`](Self::Text), [`Annotation`](Self::Annotation) and [`Record`](Self::Record) come in the order of the
///   stream, and their spans cover it without gap or overlap.
/// - The text of an assertion comes before its [`Assertion`](Self::Assertion), and so do its bracketed annotations. In
///   JSON the text includes the closing brace of the object, except where records are held back.
/// - A [`Record`](Self::Record) comes after the assertions, MARC objects and diagnostics that were found in it. It ends
///   at the same byte but starts before them.
/// - An assertion in free text is reported when the next sentence begins, or at the end of the stream, since further
///   annotations can follow the first. So text and assertions after it in the stream can only be reported later.
///
/// Chunk boundaries affect only the pieces into which [`Text`](Self::Text) is cut.
///
/// # Lifetime
///
/// An event from a [`Parser`](crate::Parser) borrows from the chunk and from the parser, and is valid until the handler
/// returns. [`into_owned`](Self::into_owned) makes an [`OwnedEvent`], which can be kept or sent to another thread.
///
/// `B` is what holds the bytes of text: a slice in a borrowed event, [`Bytes`] in an owned one.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Event<'a, B: EventBytes = &'a [u8]> {
    /// Text: bytes of the stream that are not a bracketed annotation, emitted as soon as they cannot become one. JSON
    /// is text too, unless it is reported as a [`Record`](Self::Record).
    Text(TextChunk<'a, B>),
    /// A bracketed annotation, at its closing bracket. Its assertion follows once it is complete.
    Annotation(BracketAnnotation<'a, B>),
    /// An assertion with all its annotations, when no further annotation can join it; in JSON, at
    /// the closing brace of its object.
    Assertion(Assertion<'a>),
    /// A MARC object in a JSON value, at its closing brace.
    Marc(MarcObject<'a>),
    /// A whole JSON record that was held back for removal; see
    /// [`ParserBuilder::hold_records`](crate::ParserBuilder::hold_records).
    Record(JsonRecord<'a, B>),
    /// A marker of a citation, as soon as it is certain. Only [dialects](crate::ParserBuilder::dialects) give markers.
    #[cfg(feature = "dialects")]
    Marker(Marker<'a, B::Marker>),
    /// An assertion with all its markers, when no further marker can join it.
    #[cfg(feature = "dialects")]
    Citation(Citation<'a, B::Citation>),
    /// A diagnostic about the stream. The parser continues.
    Diagnostic(Diagnostic),
}

// Events are passed by value, and there is one for each piece of text.
const _: () = assert!(size_of::<Event<'static>>() <= 32);

/// Storage of the bytes of an event: `&[u8]` in a borrowed [`Event`], [`Bytes`] in an [`OwnedEvent`].
///
/// Borrowed events have nothing to drop for text, annotations, markers and citations, so that the compiler can make a sink part of the loop
/// that pushes. There are no other implementations.
pub trait EventBytes: AsRef<[u8]> + sealed::Sealed {
    /// Parts of a bracketed annotation.
    #[doc(hidden)]
    type Parts: Clone;

    #[doc(hidden)]
    fn view(parts: &Self::Parts) -> Bracket<'_>;

    /// Parts of a marker.
    #[cfg(feature = "dialects")]
    #[doc(hidden)]
    type Marker: MarkerStorage;

    /// Parts of a citation.
    #[cfg(feature = "dialects")]
    #[doc(hidden)]
    type Citation: CitationStorage;
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for &[u8] {}
    impl Sealed for bytes::Bytes {}
}

impl<'a> EventBytes for &'a [u8] {
    type Parts = &'a Bracket<'a>;

    #[inline]
    fn view<'v>(parts: &'v Self::Parts) -> Bracket<'v> {
        **parts
    }

    #[cfg(feature = "dialects")]
    type Marker = &'a MarkerParts<'a>;

    #[cfg(feature = "dialects")]
    type Citation = &'a CitationParts<'a>;
}

impl EventBytes for Bytes {
    type Parts = Arc<OwnedBracket>;

    fn view(parts: &Self::Parts) -> Bracket<'_> {
        Bracket {
            reading: parts.reading,
            raw: &parts.raw,
            vocabulary: &parts.vocabulary,
            start: parts.start,
            whitespace_before: parts.whitespace_before,
        }
    }

    #[cfg(feature = "dialects")]
    type Marker = Arc<OwnedMarker>;

    #[cfg(feature = "dialects")]
    type Citation = Arc<OwnedCitation>;
}

/// An [`Event`] with nothing borrowed. Text that lies in one chunk shares the memory of that chunk.
pub type OwnedEvent = Event<'static, Bytes>;

impl Event<'_> {
    /// Copies the event with its text, brackets and records.
    #[must_use]
    pub fn into_owned(self) -> OwnedEvent {
        match self {
            Self::Text(text) => Event::Text(text.into_owned()),
            Self::Annotation(annotation) => Event::Annotation(annotation.into_owned()),
            Self::Assertion(assertion) => Event::Assertion(assertion.into_owned()),
            Self::Marc(object) => Event::Marc(object.into_owned()),
            Self::Record(record) => Event::Record(record.into_owned()),
            #[cfg(feature = "dialects")]
            Self::Marker(marker) => Event::Marker(marker.into_owned()),
            #[cfg(feature = "dialects")]
            Self::Citation(citation) => Event::Citation(citation.into_owned()),
            Self::Diagnostic(diagnostic) => Event::Diagnostic(diagnostic),
        }
    }
}

impl<B: EventBytes> fmt::Debug for Event<'_, B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => f.debug_tuple("Text").field(text).finish(),
            Self::Annotation(annotation) => f.debug_tuple("Annotation").field(annotation).finish(),
            Self::Assertion(assertion) => f.debug_tuple("Assertion").field(assertion).finish(),
            Self::Marc(object) => f.debug_tuple("Marc").field(object).finish(),
            Self::Record(record) => f.debug_tuple("Record").field(record).finish(),
            #[cfg(feature = "dialects")]
            Self::Marker(marker) => f.debug_tuple("Marker").field(marker).finish(),
            #[cfg(feature = "dialects")]
            Self::Citation(citation) => f.debug_tuple("Citation").field(citation).finish(),
            Self::Diagnostic(diagnostic) => f.debug_tuple("Diagnostic").field(diagnostic).finish(),
        }
    }
}

/// A piece of text: bytes of the stream that are not a bracketed annotation.
///
/// The spans of all text chunks, [`BracketAnnotation`]s and [`JsonRecord`]s of a stream, in order, cover it without gap
/// or overlap.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct TextChunk<'a, B = &'a [u8]> {
    bytes: B,
    start: u64,
    borrowed: PhantomData<&'a ()>,
}

impl<'a> TextChunk<'a> {
    /// Creates text of a stream from its bytes and their stream offset.
    #[must_use]
    #[inline]
    pub const fn new(bytes: &'a [u8], start: u64) -> Self {
        Self {
            bytes,
            start,
            borrowed: PhantomData,
        }
    }

    /// Returns the bytes as they are in the stream, not necessarily UTF-8.
    #[must_use]
    #[inline]
    pub const fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// Returns the span of the bytes in the stream.
    #[must_use]
    #[inline]
    pub const fn span(&self) -> Span {
        Span::new(self.start, self.start + self.bytes.len() as u64)
    }

    /// Copies the text into memory of its own.
    #[must_use]
    pub fn into_owned(self) -> TextChunk<'static, Bytes> {
        TextChunk::shared(Bytes::copy_from_slice(self.bytes), self.start)
    }
}

impl TextChunk<'static, Bytes> {
    /// Creates text that shares the memory of a chunk.
    pub(crate) const fn shared(bytes: Bytes, start: u64) -> Self {
        Self {
            bytes,
            start,
            borrowed: PhantomData,
        }
    }

    /// Returns the bytes as they are in the stream, not necessarily UTF-8.
    #[must_use]
    pub const fn bytes(&self) -> &Bytes {
        &self.bytes
    }

    /// Converts the text into its bytes.
    ///
    /// Text that lies in one chunk shares the memory of that chunk: keeping a short text for long keeps the whole chunk.
    #[must_use]
    pub fn into_bytes(self) -> Bytes {
        self.bytes
    }

    /// Returns the span of the bytes in the stream.
    #[must_use]
    pub const fn span(&self) -> Span {
        Span::new(self.start, self.start + self.bytes.len() as u64)
    }
}

impl<B: AsRef<[u8]>> AsRef<[u8]> for TextChunk<'_, B> {
    fn as_ref(&self) -> &[u8] {
        self.bytes.as_ref()
    }
}

impl<B: AsRef<[u8]>> fmt::Debug for TextChunk<'_, B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bytes = self.bytes.as_ref();
        let span = Span::new(self.start, self.start + bytes.len() as u64);
        f.debug_struct("TextChunk")
            .field("bytes", &lossy(bytes))
            .field("span", &span)
            .finish()
    }
}

/// A JSON value whose root is an asserted object or a MARC object, with its bytes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct JsonRecord<'a, B = &'a [u8]>(TextChunk<'a, B>);

impl<'a> JsonRecord<'a> {
    pub(crate) const fn new(raw: &'a [u8], start: u64) -> Self {
        Self(TextChunk::new(raw, start))
    }

    /// Copies the record with its bytes.
    #[must_use]
    pub fn into_owned(self) -> JsonRecord<'static, Bytes> {
        JsonRecord(self.0.into_owned())
    }
}

impl<B: AsRef<[u8]>> JsonRecord<'_, B> {
    /// Returns the bytes of the record, from `{` to `}`.
    #[must_use]
    pub fn raw(&self) -> &[u8] {
        self.0.as_ref()
    }

    /// Returns the span of the record in the stream.
    #[must_use]
    pub fn span(&self) -> Span {
        Span::new(self.0.start, self.0.start + self.raw().len() as u64)
    }
}

impl<B: AsRef<[u8]>> fmt::Debug for JsonRecord<'_, B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("JsonRecord")
            .field("raw", &lossy(self.raw()))
            .field("span", &self.span())
            .finish()
    }
}

/// An annotation in brackets, with its bytes.
pub struct BracketAnnotation<'a, B: EventBytes = &'a [u8]> {
    parts: B::Parts,
    borrowed: PhantomData<&'a ()>,
}

/// The parts of an annotation in brackets, borrowed.
#[derive(Clone, Copy)]
#[doc(hidden)]
pub struct Bracket<'a> {
    reading: Reading,
    raw: &'a [u8],
    vocabulary: &'a Vocabulary,
    start: u64,
    whitespace_before: usize,
}

/// The parts of an annotation in brackets, owned.
#[doc(hidden)]
pub struct OwnedBracket {
    reading: Reading,
    raw: Box<[u8]>,
    vocabulary: Vocabulary,
    start: u64,
    whitespace_before: usize,
}

impl<'a> Bracket<'a> {
    pub(crate) const fn new(
        reading: Reading,
        raw: &'a [u8],
        vocabulary: &'a Vocabulary,
        start: u64,
        whitespace_before: usize,
    ) -> Self {
        Self {
            reading,
            raw,
            vocabulary,
            start,
            whitespace_before,
        }
    }

    const fn span(&self) -> Span {
        Span::new(self.start, self.start + self.raw.len() as u64)
    }

    fn annotation(&self) -> Annotation<'a> {
        self.reading
            .annotation(self.raw, self.vocabulary, self.span())
    }
}

impl<'a> BracketAnnotation<'a> {
    /// Borrows an annotation from the parser's stack.
    #[inline]
    pub(crate) const fn borrowed(parts: &'a Bracket<'a>) -> Self {
        Self {
            parts,
            borrowed: PhantomData,
        }
    }

    /// Copies the annotation with its bytes.
    #[must_use]
    pub fn into_owned(self) -> BracketAnnotation<'static, Bytes> {
        let parts = self.parts;
        BracketAnnotation {
            parts: Arc::new(OwnedBracket {
                reading: parts.reading,
                raw: parts.raw.into(),
                vocabulary: parts.vocabulary.clone(),
                start: parts.start,
                whitespace_before: parts.whitespace_before,
            }),
            borrowed: PhantomData,
        }
    }
}

impl<B: EventBytes> BracketAnnotation<'_, B> {
    #[inline]
    fn view(&self) -> Bracket<'_> {
        B::view(&self.parts)
    }

    /// Returns the declared annotation, resolved against the vocabulary.
    #[must_use]
    pub fn annotation(&self) -> Annotation<'_> {
        self.view().annotation()
    }

    /// Returns the span in the stream, brackets included.
    #[inline]
    #[must_use]
    pub fn span(&self) -> Span {
        self.view().span()
    }

    /// Returns the bytes of the annotation, from `[` to `]`.
    #[inline]
    #[must_use]
    pub fn raw(&self) -> &[u8] {
        self.view().raw
    }

    /// Returns the number of bytes of whitespace right before the annotation that are removed with it: 0 to 64.
    #[inline]
    #[must_use]
    pub fn whitespace_before(&self) -> usize {
        self.view().whitespace_before
    }

    /// Iterates over all parameters in order, those without a meaning in the wire profile included;
    /// empty if the annotation is malformed.
    pub fn parameters(&self) -> impl Iterator<Item = Parameter<'_>> {
        parameters(self.raw())
    }
}

/// Iterates over the parameters of a well-formed annotation.
fn parameters(raw: &[u8]) -> impl Iterator<Item = Parameter<'_>> {
    let bracketed = parse_annotation(raw).ok();
    let well_formed = bracketed.filter(|bracketed| bracketed.malformation().is_none());
    well_formed
        .map(|bracketed| bracketed.parameters().to_vec())
        .unwrap_or_default()
        .into_iter()
}

impl<B: EventBytes> Clone for BracketAnnotation<'_, B> {
    fn clone(&self) -> Self {
        Self {
            parts: self.parts.clone(),
            borrowed: PhantomData,
        }
    }
}

impl<'a> Copy for BracketAnnotation<'a, &'a [u8]> {}

impl<B: EventBytes> fmt::Debug for BracketAnnotation<'_, B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BracketAnnotation")
            .field("annotation", &self.annotation())
            .field("raw", &lossy(self.raw()))
            .field("whitespace_before", &self.whitespace_before())
            .finish()
    }
}

impl<B: EventBytes> PartialEq for BracketAnnotation<'_, B> {
    fn eq(&self, other: &Self) -> bool {
        self.annotation() == other.annotation()
            && self.raw() == other.raw()
            && self.whitespace_before() == other.whitespace_before()
    }
}

impl<B: EventBytes> Eq for BracketAnnotation<'_, B> {}

/// A notice about a place in the stream; it never stops the parser.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Diagnostic {
    code: DiagnosticCode,
    span: Span,
}

impl Diagnostic {
    pub(crate) const fn new(code: DiagnosticCode, span: Span) -> Self {
        Self { code, span }
    }

    /// Returns the kind of diagnostic.
    #[must_use]
    pub const fn code(&self) -> DiagnosticCode {
        self.code
    }

    /// Returns the span that the diagnostic is about.
    #[must_use]
    pub const fn span(&self) -> Span {
        self.span
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at {}", self.code, self.span)
    }
}

/// The kinds of [`Diagnostic`]. Source: wire profile, diagnostics and limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum DiagnosticCode {
    /// A candidate annotation that no continuation could complete, or a JSON value that was
    /// incomplete at the end; the span is its bytes, which are text.
    Unterminated,
    /// A candidate annotation longer than `max_annotation`, or an annotation in JSON with a longer
    /// string; the span is its bytes.
    LimitAnnotation,
    /// An assertion truncated to `max_assertion`; the span is the part that was kept, in JSON the
    /// whole string.
    LimitAssertion,
    /// A JSON value nested deeper than `max_depth`; the span is the first bracket beyond it.
    LimitDepth,
    /// A JSON Pointer longer than `max_pointer`; the span is that of the assertion or MARC object,
    /// which is reported without it.
    LimitPointer,
    /// An assertion with more than `max_annotations` annotations; the span is the assertion.
    LimitAnnotations,
    /// An annotation or an assertion left out because of `max_pending`, or a JSON record too long to be removed; the
    /// span is what was left out. Where all open objects together have too many annotations, it is that of the assertion
    /// which goes without some of its own.
    LimitPending,
    /// A MARC object longer than `max_record`, which is reported without its bytes; the span is the object.
    LimitRecord,
    /// A `ts` that is no RFC 3339 date-time; the span is the value.
    InvalidTs,
    /// A bracketed annotation with no text before it; the span is empty, at the start of the
    /// annotation.
    NoAssertion,
    /// A bracketed annotation, or the marker of a citation, that comes first in the text after a
    /// [break](crate::Parser::push_break), so that no text precedes it; the span is empty, at its start.
    Orphan,
    /// A bracket beside an assertion that is text, but may have been meant as an annotation; the span is the
    /// assertion.
    UnknownInSlot,
    /// A further member `assertion` or `provenance` of an asserted object; the span is its value.
    DuplicateMember,
    /// A byte at which no JSON value can begin or continue; the span is that byte.
    JsonSyntax,
    /// A reported string that is not UTF-8; the span is the string.
    InvalidUtf8,
    /// A marker of a citation that is not complete where its dialect's limit or the text ends, or one around text that has no
    /// end tag; the span is its bytes.
    UnclosedMarker,
    /// A text that may be a marker of a citation, and is not read: after a backtick that nothing closes, in a string of JSON, or because
    /// no identifier of it is in the complete list of sources. The span is the code, the value or the marker.
    UnreadMarker,
}

names! {
    DiagnosticCode, "diagnostic code", "The name used on the wire, such as `limit-annotation`.",
    Unterminated => "unterminated",
    LimitAnnotation => "limit-annotation",
    LimitAssertion => "limit-assertion",
    LimitDepth => "limit-depth",
    LimitPointer => "limit-pointer",
    LimitAnnotations => "limit-annotations",
    LimitPending => "limit-pending",
    LimitRecord => "limit-record",
    InvalidTs => "invalid-ts",
    NoAssertion => "no-assertion",
    Orphan => "orphan",
    UnknownInSlot => "unknown-in-slot",
    DuplicateMember => "duplicate-member",
    JsonSyntax => "json-syntax",
    InvalidUtf8 => "invalid-utf8",
    UnclosedMarker => "unclosed-marker",
    UnreadMarker => "unread-marker",
}

impl DiagnosticCode {
    /// Returns an explanation for people.
    #[must_use]
    pub const fn description(self) -> &'static str {
        match self {
            Self::Unterminated => {
                "an annotation that is not closed or has a byte that cannot be in it, or a JSON value that is open at the end; it is read as text"
            }
            Self::LimitAnnotation => "an annotation longer than max-annotation; it is read as text",
            Self::LimitAssertion => {
                "an assertion longer than max-assertion; only a part of it is kept"
            }
            Self::LimitDepth => {
                "a JSON value nested deeper than max-depth; the rest of it is not read"
            }
            Self::LimitPointer => "a JSON Pointer longer than max-pointer; it is left out",
            Self::LimitAnnotations => {
                "more annotations than max-annotations; further ones are left out"
            }
            Self::LimitPending => {
                "more bytes pending than max-pending; an annotation or an assertion is left out"
            }
            Self::LimitRecord => {
                "a MARC object longer than max-record; it is reported without its content"
            }
            Self::InvalidTs => {
                "a `ts` that is not a date-time of RFC 3339, such as 2026-05-28T11:40:00Z"
            }
            Self::NoAssertion => "an annotation without text before it that it could belong to",
            Self::Orphan => {
                "an annotation or a citation that comes first after a tool call or another break, so that there is no text that it could belong to"
            }
            Self::UnknownInSlot => {
                "a bracket that may have been meant as an annotation; the assertion counts as unverified-inference"
            }
            Self::DuplicateMember => {
                "a repeated member `assertion` or `provenance`; only the first one counts"
            }
            Self::JsonSyntax => "not JSON from here; reading goes on after it",
            Self::InvalidUtf8 => "bytes that are not UTF-8, shown as U+FFFD",
            Self::UnclosedMarker => "a marker of a citation that is not closed",
            Self::UnreadMarker => {
                "what may be a marker of a citation, but is not read: after a backtick that nothing closes, in a string of JSON, or with identifiers none of which is listed"
            }
        }
    }
}
