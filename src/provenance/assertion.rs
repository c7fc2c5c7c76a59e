//! The memo's tuple: an assertion and the annotations attached to it.

use core::fmt;
use std::borrow::Cow;

use super::packed::PackedAnnotations;
use super::slot::SlotAnnotations;
use super::{Annotation, Class};
use crate::Span;
use crate::borrow::MaybeOwned;
use crate::names::names;

/// Encoding of an assertion and its annotations. Source: `provenance memo 6`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Encoding {
    /// Bracketed annotations after the assertion, in free text.
    Bracket,
    /// A JSON object with the members `assertion` and `provenance`.
    Json,
}

names! {
    Encoding, "encoding", "The name used on the wire: `bracket` or `json`.",
    Bracket => "bracket",
    Json => "json",
}

/// An assertion with the annotations that declare its provenance.
///
/// Source: `provenance memo 3` (assertion) and `6` (the tuple); the span rules are the wire profile's.
#[derive(Clone)]
pub struct Assertion<'a>(MaybeOwned<'a, Tuple<'a>>);

/// Parts of an assertion.
#[derive(Clone)]
pub(crate) struct Tuple<'a> {
    encoding: Encoding,
    text: Cow<'a, str>,
    span: Span,
    clean_span: Option<Span>,
    pointer: Option<Cow<'a, str>>,
    annotations: Annotations<'a>,
    marks: Marks,
    /// Extent, `None` if equal to the span.
    extent: Option<MemberExtent>,
}

/// Range of all values of a member `assertion`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct MemberExtent {
    pub(crate) span: Span,
    /// The first value is a string, so the range begins after a quote.
    pub(crate) starts_in_string: bool,
    /// The last value is a string, so the range ends before a quote.
    pub(crate) ends_in_string: bool,
}

/// Properties of an assertion besides its text and annotations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Marks {
    /// A limit truncated the assertion or left something out.
    pub(crate) limit_hit: bool,
    /// The annotations come first in the text after a break, so they have no assertion text.
    pub(crate) orphan: bool,
    /// A member `assertion` or `provenance` is repeated.
    pub(crate) repeated: bool,
    /// A bracket beside the assertion may have been meant as an annotation.
    pub(crate) unknown_in_slot: bool,
}

impl<'a> Tuple<'a> {
    /// Creates an assertion in free text that borrows its annotations in packed form.
    pub(crate) const fn packed(
        text: Cow<'a, str>,
        span: Span,
        clean_span: Span,
        annotations: PackedAnnotations<'a>,
        marks: Marks,
    ) -> Self {
        Self {
            encoding: Encoding::Bracket,
            text,
            span,
            clean_span: Some(clean_span),
            pointer: None,
            annotations: Annotations::Packed(annotations),
            marks,
            extent: None,
        }
    }

    /// Creates an assertion in JSON that borrows its annotations in packed form.
    pub(crate) const fn in_json(
        text: Cow<'a, str>,
        span: Span,
        pointer: Option<&'a str>,
        annotations: SlotAnnotations<'a>,
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
            marks: Marks {
                limit_hit: false,
                orphan: false,
                repeated: false,
                unknown_in_slot: false,
            },
            extent: None,
        }
    }

    pub(crate) const fn with_marks(mut self, marks: Marks) -> Self {
        self.marks = marks;
        self
    }

    pub(crate) const fn with_extent(mut self, extent: MemberExtent) -> Self {
        self.extent = Some(extent);
        self
    }
}

impl<'a> Assertion<'a> {
    /// Creates an assertion without annotations.
    #[must_use]
    pub fn new(encoding: Encoding, text: impl Into<Cow<'a, str>>, span: Span) -> Self {
        Self(MaybeOwned::owned(Tuple {
            encoding,
            text: text.into(),
            span,
            clean_span: None,
            pointer: None,
            annotations: Annotations::List(Vec::new()),
            marks: Marks::default(),
            extent: None,
        }))
    }

    /// Replaces the annotations.
    #[must_use]
    pub fn with_annotations(self, annotations: Vec<Annotation<'a>>) -> Self {
        self.with(|tuple| tuple.annotations = Annotations::List(annotations))
    }

    /// Borrows an assertion from the parser.
    #[inline]
    pub(crate) const fn borrowed(tuple: &'a Tuple<'a>) -> Self {
        Self(MaybeOwned::Borrowed(tuple))
    }

    /// Applies `change` to the parts of the assertion.
    fn with(self, change: impl FnOnce(&mut Tuple<'a>)) -> Self {
        Self(self.0.with(change))
    }

    /// Sets the span in the stripped stream.
    #[must_use]
    pub fn with_clean_span(self, span: Span) -> Self {
        self.with(|tuple| tuple.clean_span = Some(span))
    }

    /// Sets the JSON Pointer of the member `assertion`.
    #[must_use]
    pub fn with_pointer(self, pointer: impl Into<Cow<'a, str>>) -> Self {
        self.with(|tuple| tuple.pointer = Some(pointer.into()))
    }

    /// Marks the assertion as truncated or incomplete because of a limit, or not. An assertion that
    /// hit a limit is never admissible.
    #[must_use]
    pub fn with_limit_hit(self, hit: bool) -> Self {
        self.with(|tuple| tuple.marks.limit_hit = hit)
    }

    /// Marks the assertion as an [orphan](Self::is_orphan), or not.
    #[must_use]
    pub fn with_orphan(self, orphan: bool) -> Self {
        self.with(|tuple| tuple.marks.orphan = orphan)
    }

    /// Marks the assertion as having an [unknown in the slot](Self::has_unknown_in_slot), or not.
    #[must_use]
    pub fn with_unknown_in_slot(self, unknown: bool) -> Self {
        self.with(|tuple| tuple.marks.unknown_in_slot = unknown)
    }

    /// Returns the encoding in the stream.
    #[must_use]
    pub fn encoding(&self) -> Encoding {
        self.0.encoding
    }

    /// Returns the asserted text, with U+FFFD for invalid UTF-8.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.0.text
    }

    /// Returns the span of the text in the stream, in bytes: empty if there is no text, and in JSON
    /// the content between the quotes of the string.
    #[must_use]
    pub fn span(&self) -> Span {
        self.0.span
    }

    /// Returns the span that an action on the assertion must cover, in bytes: [`span`](Self::span),
    /// or, if the JSON object repeats the member `assertion`, everything from the first value of
    /// the member to the last, of any type, without the outer quotes of strings. JSON readers do
    /// not agree on which of the values counts.
    #[must_use]
    pub fn extent(&self) -> Span {
        self.0.extent.map_or(self.0.span, |extent| extent.span)
    }

    /// Returns the extent, and whether its ends are strings.
    pub(crate) fn full_extent(&self) -> MemberExtent {
        self.0.extent.unwrap_or(MemberExtent {
            span: self.0.span,
            starts_in_string: true,
            ends_in_string: true,
        })
    }

    /// Returns `true` if a bracket beside the assertion may have been meant as an annotation, such
    /// as `[ct-log]` beside an annotation, or `[1.1:ct-log; ts=NOW]` without one. The bracket stays
    /// text, but the assertion is as unverified as with an annotation of an unknown class. Source:
    /// wire profile, unknown in the slot.
    #[must_use]
    pub fn has_unknown_in_slot(&self) -> bool {
        self.0.marks.unknown_in_slot
    }

    /// Returns `true` if the JSON object repeats its member `assertion` or `provenance`. One of the
    /// annotations is malformed then, unless a limit left it out.
    #[must_use]
    pub fn is_repeated(&self) -> bool {
        self.0.marks.repeated
    }

    /// Returns the span of the text in the stripped stream, in bytes; `None` in JSON.
    #[must_use]
    pub fn clean_span(&self) -> Option<Span> {
        self.0.clean_span
    }

    /// Returns the JSON Pointer (RFC 6901) of the member `assertion` from the root of its JSON
    /// value; `None` in free text, and if longer than
    /// [`Limits::max_pointer`](crate::Limits::max_pointer).
    #[must_use]
    pub fn pointer(&self) -> Option<&str> {
        self.0.pointer.as_deref()
    }

    /// Iterates over the annotations in stream order. Each item is created on the way.
    #[must_use]
    pub fn annotations(&self) -> AnnotationIter<'_> {
        AnnotationIter(match &self.0.annotations {
            Annotations::List(list) => Iter::List(list.iter()),
            Annotations::Packed(packed) => Iter::Packed(*packed, 0..packed.len()),
            Annotations::Slots(slots) => Iter::Slots(*slots),
        })
    }

    /// Iterates over the resolved classes of the annotations in stream order, repetitions included.
    ///
    /// The classes borrow from the assertion, not from an [`Annotation`] that
    /// [`annotations`](Self::annotations) creates on the way.
    ///
    /// ```
    /// use provstream::Event;
    ///
    /// for event in provstream::parse(b"It is so. [substrate.grep] [substrate.git.log]") {
    ///     if let Event::Assertion(assertion) = event {
    ///         let classes: Vec<&str> = assertion.classes().map(|class| class.as_str()).collect();
    ///         assert_eq!(classes, ["substrate.grep", "substrate.git.log"]);
    ///     }
    /// }
    /// ```
    pub fn classes(&self) -> impl Iterator<Item = &Class> {
        let (list, packed, slots) = match &self.0.annotations {
            Annotations::List(list) => (Some(list), None, None),
            Annotations::Packed(packed) => (None, Some(packed), None),
            Annotations::Slots(slots) => (None, None, Some(*slots)),
        };
        let list = list.into_iter().flatten().map(Annotation::class);
        let packed = packed.into_iter().flat_map(|packed| packed.classes());
        let slots = slots.into_iter().flat_map(SlotAnnotations::classes);
        list.chain(packed).chain(slots)
    }

    /// Returns `true` if the assertion has an annotation. An assertion without one has no terminal
    /// state, but a state of its own (`provenance memo 5`).
    #[must_use]
    pub fn is_annotated(&self) -> bool {
        self.annotations().len() > 0
    }

    /// Returns `true` if a limit truncated the text, or left out an annotation, a string of an
    /// annotation, or the pointer.
    #[must_use]
    pub fn limit_hit(&self) -> bool {
        self.0.marks.limit_hit
    }

    /// Returns `true` if the annotations come first in the text after a
    /// [break](crate::Parser::push_break), so that no text precedes them; the asserted text is
    /// empty.
    #[must_use]
    pub fn is_orphan(&self) -> bool {
        self.0.marks.orphan
    }

    /// Copies the assertion with its strings and annotations.
    #[must_use]
    pub fn into_owned(self) -> Assertion<'static> {
        let annotations = self.annotations().map(Annotation::into_owned).collect();
        let tuple = self.0.into_inner();
        Assertion(MaybeOwned::owned(Tuple {
            encoding: tuple.encoding,
            text: Cow::Owned(tuple.text.into_owned()),
            span: tuple.span,
            clean_span: tuple.clean_span,
            pointer: tuple
                .pointer
                .map(|pointer| Cow::Owned(pointer.into_owned())),
            annotations: Annotations::List(annotations),
            marks: tuple.marks,
            extent: tuple.extent,
        }))
    }
}

impl fmt::Debug for Assertion<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Assertion")
            .field("encoding", &self.0.encoding)
            .field("text", &self.0.text)
            .field("span", &self.0.span)
            .field("clean_span", &self.0.clean_span)
            .field("pointer", &self.0.pointer)
            .field("annotations", &self.annotations())
            .field("limit_hit", &self.limit_hit())
            .field("orphan", &self.is_orphan())
            .field("unknown_in_slot", &self.has_unknown_in_slot())
            .field("repeated", &self.is_repeated())
            .field("extent", &self.extent())
            .finish()
    }
}

impl PartialEq for Assertion<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.0.encoding == other.0.encoding
            && self.0.text == other.0.text
            && self.0.span == other.0.span
            && self.0.clean_span == other.0.clean_span
            && self.0.pointer == other.0.pointer
            && self.0.marks == other.0.marks
            && self.full_extent() == other.full_extent()
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

/// Iterator over the annotations of an [`Assertion`], in stream order.
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
