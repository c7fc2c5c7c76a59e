//! Events: what the parser reports.

use core::fmt;
use std::borrow::Cow;

use bytes::Bytes;

use crate::Span;
use crate::borrow::{MaybeOwned, Slice};
use crate::marc_object::MarcObject;
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
/// An event from a [`Parser`](crate::Parser) borrows from the chunk and from the parser, and is valid until the sink
/// returns. [`into_owned`](Self::into_owned) makes one that can be kept or sent to another thread. Those of a
/// [`QueuedParser`](crate::QueuedParser) and of the adapters in [`io`](crate::io) are owned: `Event<'static>`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Event<'a> {
    /// Text: bytes of the stream that are not a bracketed annotation, emitted as soon as they cannot become one. JSON
    /// is text too, unless it is reported as a [`Record`](Self::Record).
    Text(TextChunk<'a>),
    /// A bracketed annotation, at its closing bracket. Its assertion follows once it is complete.
    Annotation(BracketAnnotation<'a>),
    /// An assertion with all its annotations, once nothing can be added to it; in JSON, at the closing brace of its
    /// object.
    Assertion(Assertion<'a>),
    /// A MARC object in a JSON value, at its closing brace.
    Marc(MarcObject<'a>),
    /// A whole JSON record that was held back for removal; see
    /// [`ParserBuilder::hold_records`](crate::ParserBuilder::hold_records).
    Record(JsonRecord<'a>),
    /// A problem in the stream. The parser goes on.
    Diagnostic(Diagnostic),
}

// Events are passed by value, and there is one for each piece of text.
const _: () = assert!(size_of::<Event<'static>>() <= 48);

impl Event<'_> {
    /// The event with nothing borrowed. Text, brackets and records are copied, unless they are owned already.
    #[must_use]
    pub fn into_owned(self) -> Event<'static> {
        match self {
            Self::Text(text) => Event::Text(text.into_owned()),
            Self::Annotation(annotation) => Event::Annotation(annotation.into_owned()),
            Self::Assertion(assertion) => Event::Assertion(assertion.into_owned()),
            Self::Marc(object) => Event::Marc(object.into_owned()),
            Self::Record(record) => Event::Record(record.into_owned()),
            Self::Diagnostic(diagnostic) => Event::Diagnostic(diagnostic),
        }
    }
}

/// A piece of text: bytes of the stream that are not a bracketed annotation.
///
/// The spans of all text chunks, [`BracketAnnotation`]s and [`JsonRecord`]s of a stream, in order, cover it without gap
/// or overlap.
#[derive(Clone, PartialEq, Eq)]
pub struct TextChunk<'a> {
    bytes: Slice<'a>,
    start: u64,
}

impl<'a> TextChunk<'a> {
    /// The bytes of a stream from offset `start` on.
    #[must_use]
    #[inline]
    pub const fn new(bytes: &'a [u8], start: u64) -> Self {
        Self {
            bytes: Slice::Borrowed(bytes),
            start,
        }
    }

    /// The bytes as they are in the stream; not checked to be UTF-8.
    #[must_use]
    #[inline]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The bytes, without a copy if this text is owned.
    ///
    /// Text from a [`QueuedParser`](crate::QueuedParser) or an adapter shares the memory of the chunk that it lies in:
    /// keeping a short text for long keeps the whole chunk.
    #[must_use]
    pub fn into_bytes(self) -> Bytes {
        self.bytes.into_bytes()
    }

    /// Where the bytes are in the stream.
    #[must_use]
    #[inline]
    pub fn span(&self) -> Span {
        Span::new(self.start, self.start + self.bytes.len() as u64)
    }

    /// The same text with nothing borrowed.
    #[must_use]
    pub fn into_owned(self) -> TextChunk<'static> {
        TextChunk {
            bytes: self.bytes.into_owned(),
            start: self.start,
        }
    }
}

impl TextChunk<'static> {
    /// Text that shares the memory of a chunk.
    pub(crate) const fn shared(bytes: Bytes, start: u64) -> Self {
        Self {
            bytes: Slice::Shared(bytes),
            start,
        }
    }
}

impl fmt::Debug for TextChunk<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TextChunk")
            .field("bytes", &lossy(&self.bytes))
            .field("span", &self.span())
            .finish()
    }
}

/// A JSON value whose root is an asserted object or a MARC object, with its bytes.
#[derive(Clone, PartialEq, Eq)]
pub struct JsonRecord<'a> {
    raw: Slice<'a>,
    start: u64,
}

impl<'a> JsonRecord<'a> {
    pub(crate) const fn new(raw: &'a [u8], start: u64) -> Self {
        Self {
            raw: Slice::Borrowed(raw),
            start,
        }
    }

    /// Its bytes, from `{` to `}`.
    #[must_use]
    pub fn raw(&self) -> &[u8] {
        &self.raw
    }

    /// Where it is in the stream.
    #[must_use]
    pub fn span(&self) -> Span {
        Span::new(self.start, self.start + self.raw.len() as u64)
    }

    /// The same record with nothing borrowed.
    #[must_use]
    pub fn into_owned(self) -> JsonRecord<'static> {
        JsonRecord {
            raw: self.raw.into_owned(),
            start: self.start,
        }
    }
}

impl fmt::Debug for JsonRecord<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("JsonRecord")
            .field("raw", &lossy(&self.raw))
            .field("span", &self.span())
            .finish()
    }
}

/// An annotation in brackets, with its bytes.
#[derive(Clone)]
pub struct BracketAnnotation<'a>(MaybeOwned<'a, Bracket<'a>>);

/// The parts of an annotation in brackets.
#[derive(Clone)]
pub(crate) struct Bracket<'a> {
    reading: Reading,
    raw: Slice<'a>,
    vocabulary: Cow<'a, Vocabulary>,
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
            raw: Slice::Borrowed(raw),
            vocabulary: Cow::Borrowed(vocabulary),
            start,
            whitespace_before,
        }
    }
}

impl<'a> BracketAnnotation<'a> {
    /// An annotation whose parts are on the parser's stack.
    #[inline]
    pub(crate) const fn borrowed(parts: &'a Bracket<'a>) -> Self {
        Self(MaybeOwned::Borrowed(parts))
    }

    /// What it declares, resolved against the vocabulary.
    #[must_use]
    pub fn annotation(&self) -> Annotation<'_> {
        let parts = &*self.0;
        parts
            .reading
            .annotation(&parts.raw, &parts.vocabulary, self.span())
    }

    /// Where it is in the stream, brackets included.
    #[must_use]
    pub fn span(&self) -> Span {
        Span::new(self.0.start, self.0.start + self.0.raw.len() as u64)
    }

    /// Its bytes, from `[` to `]`.
    #[must_use]
    pub fn raw(&self) -> &[u8] {
        &self.0.raw
    }

    /// How many bytes of whitespace right before it are removed with it when stripping: 0 to 64.
    #[must_use]
    pub fn whitespace_before(&self) -> usize {
        self.0.whitespace_before
    }

    /// All its parameters in order, also those that have no meaning here; empty if it is malformed.
    pub fn parameters(&self) -> impl Iterator<Item = Parameter<'_>> {
        parameters(&self.0.raw)
    }

    /// The same annotation with nothing borrowed.
    #[must_use]
    pub fn into_owned(self) -> BracketAnnotation<'static> {
        let parts = self.0.into_inner();
        BracketAnnotation(MaybeOwned::owned(Bracket {
            reading: parts.reading,
            raw: parts.raw.into_owned(),
            vocabulary: Cow::Owned(parts.vocabulary.into_owned()),
            start: parts.start,
            whitespace_before: parts.whitespace_before,
        }))
    }
}

/// The parameters of a well-formed annotation.
fn parameters(raw: &[u8]) -> impl Iterator<Item = Parameter<'_>> {
    let bracketed = parse_annotation(raw).ok();
    let well_formed = bracketed.filter(|bracketed| bracketed.malformation().is_none());
    well_formed
        .map(|bracketed| bracketed.parameters().to_vec())
        .unwrap_or_default()
        .into_iter()
}

impl fmt::Debug for BracketAnnotation<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BracketAnnotation")
            .field("annotation", &self.annotation())
            .field("raw", &lossy(&self.0.raw))
            .field("whitespace_before", &self.0.whitespace_before)
            .finish()
    }
}

impl PartialEq for BracketAnnotation<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.annotation() == other.annotation()
            && self.0.raw == other.0.raw
            && self.0.whitespace_before == other.0.whitespace_before
    }
}

impl Eq for BracketAnnotation<'_> {}

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

    /// What was found.
    #[must_use]
    pub const fn code(&self) -> DiagnosticCode {
        self.code
    }

    /// Where it was found.
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
    /// An annotation attempt that no continuation could complete, or a JSON value that was open at the end; the span is
    /// its bytes, which are text.
    Unterminated,
    /// An annotation attempt longer than `max_annotation`, or an annotation in JSON that has a longer string; the span
    /// is its bytes.
    LimitAnnotation,
    /// An assertion cut off at `max_assertion`; the span is the part that was kept, in JSON the whole string.
    LimitAssertion,
    /// A JSON value nested deeper than `max_depth`; the span is the bracket that does it.
    LimitDepth,
    /// A JSON Pointer longer than `max_pointer`; the span is the assertion or MARC object that goes without it.
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
    /// An annotation in brackets with no text before it to belong to; the span is empty and at the annotation's start.
    NoAssertion,
    /// A further member `assertion` or `provenance` of an asserted object; the span is its value.
    DuplicateMember,
    /// A byte at which no JSON value can begin or go on; the span is that byte.
    JsonSyntax,
    /// A reported string that is not UTF-8; the span is the string.
    InvalidUtf8,
}

impl DiagnosticCode {
    /// The name used on the wire, such as `limit-annotation`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Unterminated => "unterminated",
            Self::LimitAnnotation => "limit-annotation",
            Self::LimitAssertion => "limit-assertion",
            Self::LimitDepth => "limit-depth",
            Self::LimitPointer => "limit-pointer",
            Self::LimitAnnotations => "limit-annotations",
            Self::LimitPending => "limit-pending",
            Self::LimitRecord => "limit-record",
            Self::InvalidTs => "invalid-ts",
            Self::NoAssertion => "no-assertion",
            Self::DuplicateMember => "duplicate-member",
            Self::JsonSyntax => "json-syntax",
            Self::InvalidUtf8 => "invalid-utf8",
        }
    }
}

impl fmt::Display for DiagnosticCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
