//! What the parser reports, in the order in which it becomes certain.

use core::fmt;

use crate::Span;
use crate::marc_object::MarcObject;
use crate::provenance::reading::{Reading, lossy};
use crate::provenance::{Annotation, Assertion, Parameter, Vocabulary, parse_annotation};

/// One thing the parser is certain of.
///
/// Events come ordered by the stream offset at which they become certain, then by the start of their span. How the
/// stream was cut into chunks changes nothing but the pieces in which [`Event::Text`] arrives.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Event<'a> {
    /// Bytes of the stream that are no bracketed annotation, handed on as soon as they cannot become one; JSON included,
    /// but for a [`Record`](Self::Record).
    Text(TextChunk<'a>),
    /// A bracketed annotation, at its closing bracket; its assertion follows when that is complete.
    Annotation(BracketAnnotation<'a>),
    /// An assertion with all its annotations, once nothing can be added to it; in JSON at the closing brace of its object.
    Assertion(Assertion<'a>),
    /// A MARC object in a JSON value, at its closing brace.
    Marc(MarcObject<'a>),
    /// A whole JSON record that was held back for removal; see
    /// [`ParserBuilder::hold_records`](crate::ParserBuilder::hold_records).
    Record(JsonRecord<'a>),
    /// Something in the stream that a reader should know of.
    Diagnostic(Diagnostic),
}

// Events are passed by value, and there is one for each piece of text.
const _: () = assert!(size_of::<Event<'static>>() <= 32);

/// A piece of the stream that is no bracketed annotation.
///
/// The spans of all texts, [`BracketAnnotation`]s and [`JsonRecord`]s of a stream, in order, cover it without gap or
/// overlap.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct TextChunk<'a> {
    bytes: &'a [u8],
    start: u64,
}

impl<'a> TextChunk<'a> {
    /// The bytes of a stream from offset `start` on.
    #[must_use]
    pub const fn new(bytes: &'a [u8], start: u64) -> Self {
        Self { bytes, start }
    }

    /// The bytes as they stand in the stream; not checked to be UTF-8.
    #[must_use]
    pub const fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// Where the bytes stand in the stream.
    #[must_use]
    pub const fn span(&self) -> Span {
        Span::new(self.start, self.start + self.bytes.len() as u64)
    }
}

impl fmt::Debug for TextChunk<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TextChunk")
            .field("bytes", &lossy(self.bytes))
            .field("span", &self.span())
            .finish()
    }
}

/// A JSON value whose root is an asserted object or a MARC object, as it stands in the stream.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct JsonRecord<'a> {
    raw: &'a [u8],
    start: u64,
}

impl<'a> JsonRecord<'a> {
    pub(crate) const fn new(raw: &'a [u8], start: u64) -> Self {
        Self { raw, start }
    }

    /// Its bytes, from `{` to `}`.
    #[must_use]
    pub const fn raw(&self) -> &'a [u8] {
        self.raw
    }

    /// Where it stands in the stream.
    #[must_use]
    pub const fn span(&self) -> Span {
        Span::new(self.start, self.start + self.raw.len() as u64)
    }
}

impl fmt::Debug for JsonRecord<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("JsonRecord")
            .field("raw", &lossy(self.raw))
            .field("span", &self.span())
            .finish()
    }
}

/// A bracketed annotation as it stands in the stream.
#[derive(Clone, Copy)]
pub struct BracketAnnotation<'a>(&'a Bracket<'a>);

/// What the parser has of an annotation in brackets.
pub(crate) struct Bracket<'a> {
    reading: Reading,
    raw: &'a [u8],
    vocabulary: &'a Vocabulary,
    start: u64,
    white_space_before: usize,
}

impl<'a> Bracket<'a> {
    pub(crate) const fn new(
        reading: Reading,
        raw: &'a [u8],
        vocabulary: &'a Vocabulary,
        start: u64,
        white_space_before: usize,
    ) -> Self {
        Self {
            reading,
            raw,
            vocabulary,
            start,
            white_space_before,
        }
    }
}

impl<'a> BracketAnnotation<'a> {
    /// What the parser has of it.
    #[inline]
    pub(crate) const fn lent(found: &'a Bracket<'a>) -> Self {
        Self(found)
    }

    /// What it says, after resolution against the vocabulary.
    #[must_use]
    pub fn annotation(&self) -> Annotation<'a> {
        let found = self.0;
        found
            .reading
            .annotation(found.raw, found.vocabulary, self.span())
    }

    /// Where it stands in the stream.
    #[must_use]
    pub const fn span(&self) -> Span {
        Span::new(self.0.start, self.0.start + self.0.raw.len() as u64)
    }

    /// Its bytes, from `[` to `]`.
    #[must_use]
    pub const fn raw(&self) -> &'a [u8] {
        self.0.raw
    }

    /// How many bytes of white space right before it are removed with it when stripping: 0 to 64.
    #[must_use]
    pub const fn white_space_before(&self) -> usize {
        self.0.white_space_before
    }

    /// All its parameters in order, also those that have no meaning here; none when it is malformed.
    pub fn parameters(&self) -> impl Iterator<Item = Parameter<'a>> + use<'a> {
        parameters(self.0.raw)
    }
}

/// The parameters of a well-formed annotation.
pub(crate) fn parameters(raw: &[u8]) -> impl Iterator<Item = Parameter<'_>> {
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
            .field("raw", &lossy(self.0.raw))
            .field("white_space_before", &self.0.white_space_before)
            .finish()
    }
}

impl PartialEq for BracketAnnotation<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.annotation() == other.annotation()
            && self.0.raw == other.0.raw
            && self.0.white_space_before == other.0.white_space_before
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
