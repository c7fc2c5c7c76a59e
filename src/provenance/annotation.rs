//! The memo's tuple: an assertion and the annotations attached to it.

use core::fmt;
use std::borrow::Cow;

use super::packed::PackedAnnotations;
use super::slot::SlotAnnotations;
use super::{Class, Timestamp};
use crate::Span;

/// Why an annotation was taken for `unverified-inference` although something else was declared.
///
/// Source: `provenance memo 4` (unknown identifiers), wire profile, resolving an identifier.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Reason {
    /// The identifier is not in the loaded vocabulary.
    UnknownIdentifier,
    /// The identifier is anchored to a version the loaded vocabulary does not cover.
    VocabularyVersion,
    /// The annotation breaks the grammar although it was clearly meant as one.
    Malformed,
}

impl Reason {
    /// The name used on the wire, such as `unknown-identifier`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::UnknownIdentifier => "unknown-identifier",
            Self::VocabularyVersion => "vocabulary-version",
            Self::Malformed => "malformed",
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Which encoding of the tuple an assertion came in. Source: `provenance memo 6`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Encoding {
    /// Brackets behind the assertion, in free text.
    Bracket,
    /// An object with `assertion` and `provenance`, in JSON.
    Json,
}

impl Encoding {
    /// The name used on the wire: `bracket` or `json`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Bracket => "bracket",
            Self::Json => "json",
        }
    }
}

impl fmt::Display for Encoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// What kind of label an annotation carries; the memo wants these kept apart.
///
/// An assertion without any annotation is none of them: see [`Assertion::is_annotated`]. Source: `provenance memo 5`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Disposition {
    /// A substrate class is named as corroborating. It is the emitter's claim, never evidence (`provenance memo 11.1`).
    Corroborated,
    /// A terminal state, declared by the emitter itself.
    DeclaredTerminal,
    /// `unverified-inference` because what was declared could not be accepted; see [`Annotation::reason`].
    MappedTerminal,
}

/// One provenance annotation: what was declared beside what it was taken for.
///
/// Borrows from the stream where it can; [`into_owned`](Self::into_owned) cuts it loose. Source: `provenance memo 6`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Annotation<'a> {
    pub(crate) class: Class,
    pub(crate) declared: Cow<'a, str>,
    pub(crate) reason: Option<Reason>,
    pub(crate) observation_id: Option<Cow<'a, str>>,
    pub(crate) ts: Option<Cow<'a, str>>,
    pub(crate) span: Span,
}

impl<'a> Annotation<'a> {
    /// An annotation that `declared` this identifier and was taken for `class`, without anything else.
    #[must_use]
    pub fn new(class: Class, declared: impl Into<Cow<'a, str>>) -> Self {
        Self {
            class,
            declared: declared.into(),
            reason: None,
            observation_id: None,
            ts: None,
            span: Span::default(),
        }
    }

    /// The same, taken for `unverified-inference` for this reason, whatever class was named.
    #[must_use]
    pub fn with_reason(mut self, reason: Reason) -> Self {
        self.class = Class::UNVERIFIED_INFERENCE;
        self.reason = Some(reason);
        self
    }

    /// The same with an observation id.
    #[must_use]
    pub fn with_observation_id(mut self, id: impl Into<Cow<'a, str>>) -> Self {
        self.observation_id = Some(id.into());
        self
    }

    /// The same with the time of the observation, as written (RFC 3339).
    #[must_use]
    pub fn with_ts(mut self, ts: impl Into<Cow<'a, str>>) -> Self {
        self.ts = Some(ts.into());
        self
    }

    /// The same at a place in a stream.
    #[must_use]
    pub const fn with_span(mut self, span: Span) -> Self {
        self.span = span;
        self
    }

    /// The same without its observation id, for passing it on to someone who need not know it
    /// (`provenance memo 12`: an id may expose a path, a content hash or a peer credential).
    #[must_use]
    pub fn without_observation_id(mut self) -> Self {
        self.observation_id = None;
        self
    }

    /// The class it was taken for.
    #[must_use]
    pub const fn class(&self) -> &Class {
        &self.class
    }

    /// The identifier as written; from JSON any string, decoded, and empty where there was none or it was too long.
    #[must_use]
    pub fn declared(&self) -> &str {
        &self.declared
    }

    /// Why the class differs from what was declared; none when it does not.
    #[must_use]
    pub const fn reason(&self) -> Option<Reason> {
        self.reason
    }

    /// The identifier of the observation, opaque.
    #[must_use]
    pub fn observation_id(&self) -> Option<&str> {
        self.observation_id.as_deref()
    }

    /// When the observation took place, as written; none also when what was written is no RFC 3339 date-time.
    #[must_use]
    pub fn ts(&self) -> Option<&str> {
        self.ts.as_deref()
    }

    /// When the observation took place, as an instant.
    #[must_use]
    pub fn timestamp(&self) -> Option<Timestamp> {
        self.ts().and_then(|ts| ts.parse().ok())
    }

    /// Where it stands in the stream.
    #[must_use]
    pub const fn span(&self) -> Span {
        self.span
    }

    /// Which of the memo's states the label declares.
    #[must_use]
    pub const fn disposition(&self) -> Disposition {
        match (self.reason, self.class.is_terminal()) {
            (Some(_), _) => Disposition::MappedTerminal,
            (None, true) => Disposition::DeclaredTerminal,
            (None, false) => Disposition::Corroborated,
        }
    }

    /// The same with nothing borrowed.
    #[must_use]
    pub fn into_owned(self) -> Annotation<'static> {
        let own = |value: Cow<'a, str>| Cow::Owned(value.into_owned());
        Annotation {
            class: self.class,
            declared: own(self.declared),
            reason: self.reason,
            observation_id: self.observation_id.map(own),
            ts: self.ts.map(own),
            span: self.span,
        }
    }
}

/// An assertion with everything that was said about where it comes from.
///
/// Source: `provenance memo 3` (assertion) and `6` (the tuple); the span rules are the wire profile's.
#[derive(Clone)]
pub struct Assertion<'a> {
    encoding: Encoding,
    text: Cow<'a, str>,
    span: Span,
    clean_span: Option<Span>,
    pointer: Option<Cow<'a, str>>,
    annotations: Annotations<'a>,
    limit_hit: bool,
}

impl<'a> Assertion<'a> {
    /// An assertion without annotations.
    #[must_use]
    pub fn new(encoding: Encoding, text: impl Into<Cow<'a, str>>, span: Span) -> Self {
        Self {
            encoding,
            text: text.into(),
            span,
            clean_span: None,
            pointer: None,
            annotations: Annotations::List(Vec::new()),
            limit_hit: false,
        }
    }

    /// The same with these annotations.
    #[must_use]
    pub fn with_annotations(mut self, annotations: Vec<Annotation<'a>>) -> Self {
        self.annotations = Annotations::List(annotations);
        self
    }

    /// An assertion in free text whose annotations are read where they lie.
    pub(crate) const fn packed(
        text: Cow<'a, str>,
        span: Span,
        clean_span: Span,
        annotations: PackedAnnotations<'a>,
        limit_hit: bool,
    ) -> Self {
        Self {
            encoding: Encoding::Bracket,
            text,
            span,
            clean_span: Some(clean_span),
            pointer: None,
            annotations: Annotations::Packed(annotations),
            limit_hit,
        }
    }

    /// An assertion in JSON whose annotations are read where they lie.
    pub(crate) const fn in_json(
        text: Cow<'a, str>,
        span: Span,
        pointer: Option<&'a str>,
        annotations: SlotAnnotations<'a>,
        limit_hit: bool,
    ) -> Self {
        Self {
            encoding: Encoding::Json,
            text,
            span,
            clean_span: None,
            pointer: match pointer {
                Some(pointer) => Some(Cow::Borrowed(pointer)),
                None => None,
            },
            annotations: Annotations::Slots(annotations),
            limit_hit,
        }
    }

    /// The same at this place in the text without annotations.
    #[must_use]
    pub const fn with_clean_span(mut self, span: Span) -> Self {
        self.clean_span = Some(span);
        self
    }

    /// The same with the JSON Pointer of its text.
    #[must_use]
    pub fn with_pointer(mut self, pointer: impl Into<Cow<'a, str>>) -> Self {
        self.pointer = Some(pointer.into());
        self
    }

    /// The same, marked as having hit a limit or not. One that did is never admissible.
    #[must_use]
    pub const fn with_limit_hit(mut self, hit: bool) -> Self {
        self.limit_hit = hit;
        self
    }

    /// Which encoding it came in.
    #[must_use]
    pub const fn encoding(&self) -> Encoding {
        self.encoding
    }

    /// The asserted text; U+FFFD stands for what is not UTF-8.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Where the text stands in the stream, in bytes; empty when nothing was there to be asserted. In JSON it is what
    /// stands between the quotes of the string.
    #[must_use]
    pub const fn span(&self) -> Span {
        self.span
    }

    /// Where the text stands in the stream without annotations, in bytes of what stripping writes; bracketed encoding
    /// only.
    #[must_use]
    pub const fn clean_span(&self) -> Option<Span> {
        self.clean_span
    }

    /// The JSON Pointer (RFC 6901) of the member `assertion` from the root of its JSON value; JSON encoding only, and
    /// none if it is longer than [`Limits::max_pointer`](crate::Limits::max_pointer).
    #[must_use]
    pub fn pointer(&self) -> Option<&str> {
        self.pointer.as_deref()
    }

    /// Its annotations, in stream order, each made when it is asked for.
    #[must_use]
    pub fn annotations(&self) -> AnnotationIter<'_> {
        AnnotationIter(match &self.annotations {
            Annotations::List(list) => Iter::List(list.iter()),
            Annotations::Packed(packed) => Iter::Packed(*packed, 0..packed.len()),
            Annotations::Slots(slots) => Iter::Slots(*slots),
        })
    }

    /// Whether it has any annotation; one without is in a state of its own, not a terminal one (`provenance memo 5`).
    #[must_use]
    pub fn is_annotated(&self) -> bool {
        self.annotations().len() > 0
    }

    /// Whether a limit cut off its text or left out an annotation.
    #[must_use]
    pub const fn limit_hit(&self) -> bool {
        self.limit_hit
    }

    /// The same with nothing borrowed.
    #[must_use]
    pub fn into_owned(self) -> Assertion<'static> {
        Assertion {
            encoding: self.encoding,
            annotations: Annotations::List(
                self.annotations().map(Annotation::into_owned).collect(),
            ),
            text: Cow::Owned(self.text.into_owned()),
            span: self.span,
            clean_span: self.clean_span,
            pointer: self.pointer.map(|pointer| Cow::Owned(pointer.into_owned())),
            limit_hit: self.limit_hit,
        }
    }
}

impl fmt::Debug for Assertion<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Assertion")
            .field("encoding", &self.encoding)
            .field("text", &self.text)
            .field("span", &self.span)
            .field("clean_span", &self.clean_span)
            .field("pointer", &self.pointer)
            .field("annotations", &self.annotations())
            .field("limit_hit", &self.limit_hit)
            .finish()
    }
}

impl PartialEq for Assertion<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.encoding == other.encoding
            && self.text == other.text
            && self.span == other.span
            && self.clean_span == other.clean_span
            && self.pointer == other.pointer
            && self.limit_hit == other.limit_hit
            && self.annotations().eq(other.annotations())
    }
}

impl Eq for Assertion<'_> {}

#[derive(Clone)]
enum Annotations<'a> {
    List(Vec<Annotation<'a>>),
    Packed(PackedAnnotations<'a>),
    Slots(SlotAnnotations<'a>),
}

/// The annotations of an [`Assertion`], in stream order; they borrow from it.
#[derive(Clone)]
pub struct AnnotationIter<'a>(Iter<'a>);

#[derive(Clone)]
enum Iter<'a> {
    List(core::slice::Iter<'a, Annotation<'a>>),
    Packed(PackedAnnotations<'a>, core::ops::Range<usize>),
    Slots(SlotAnnotations<'a>),
}

impl<'a> Iterator for AnnotationIter<'a> {
    type Item = Annotation<'a>;

    #[inline]
    fn next(&mut self) -> Option<Annotation<'a>> {
        match &mut self.0 {
            Iter::List(list) => list.next().map(Annotation::reborrow),
            Iter::Packed(packed, rest) => packed.get(rest.next()?),
            Iter::Slots(slots) => slots.next(),
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        match &self.0 {
            Iter::List(list) => list.size_hint(),
            Iter::Packed(_, rest) => rest.size_hint(),
            Iter::Slots(slots) => slots.size_hint(),
        }
    }
}

impl ExactSizeIterator for AnnotationIter<'_> {}
impl core::iter::FusedIterator for AnnotationIter<'_> {}

impl fmt::Debug for AnnotationIter<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.clone()).finish()
    }
}

impl Annotation<'_> {
    /// The same annotation, borrowing from this one.
    fn reborrow(&self) -> Annotation<'_> {
        Annotation {
            class: self.class.clone(),
            declared: Cow::Borrowed(&self.declared),
            reason: self.reason,
            observation_id: self.observation_id.as_deref().map(Cow::Borrowed),
            ts: self.ts.as_deref().map(Cow::Borrowed),
            span: self.span,
        }
    }
}
