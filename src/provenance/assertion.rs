//! The memo's tuple: an assertion and the annotations attached to it.

use core::fmt;
use std::borrow::Cow;

use super::packed::PackedAnnotations;
use super::slot::SlotAnnotations;
use super::{Annotation, Class};
use crate::Span;
use crate::borrow::MaybeOwned;
use crate::names::names;

/// Which encoding of the tuple an assertion came in. Source: `provenance memo 6`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Encoding {
    /// Brackets after the assertion, in free text.
    Bracket,
    /// An object with `assertion` and `provenance`, in JSON.
    Json,
}

names! {
    Encoding, "encoding", "The name used on the wire: `bracket` or `json`.",
    Bracket => "bracket",
    Json => "json",
}

/// An assertion with everything that was said about where it comes from.
///
/// Source: `provenance memo 3` (assertion) and `6` (the tuple); the span rules are the wire profile's.
#[derive(Clone)]
pub struct Assertion<'a>(MaybeOwned<'a, Tuple<'a>>);

/// What an assertion is made of.
#[derive(Clone)]
pub(crate) struct Tuple<'a> {
    encoding: Encoding,
    text: Cow<'a, str>,
    span: Span,
    clean_span: Option<Span>,
    pointer: Option<Cow<'a, str>>,
    annotations: Annotations<'a>,
    marks: Marks,
    /// `None` if it is the span.
    extent: Option<Extent>,
}

/// Where all values of a member `assertion` are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Extent {
    pub(crate) span: Span,
    /// The first value is a string, so that the span begins after a quote.
    pub(crate) starts_in_string: bool,
    /// The last value is a string, so that the span ends before a quote.
    pub(crate) ends_in_string: bool,
}

/// What is to be known about an assertion beside its text and its annotations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Marks {
    /// A limit cut off something of it.
    pub(crate) limit_hit: bool,
    /// Its annotations are the first of a text that comes after a break, and nothing is before them.
    pub(crate) orphan: bool,
    /// A member `assertion` or `provenance` is repeated.
    pub(crate) repeated: bool,
    /// A bracket beside it may have been meant as an annotation.
    pub(crate) unknown_in_slot: bool,
}

impl<'a> Tuple<'a> {
    /// An assertion in free text whose annotations are read where they lie.
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

    /// An assertion in JSON whose annotations are read where they lie.
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

    pub(crate) const fn with_extent(mut self, extent: Extent) -> Self {
        self.extent = Some(extent);
        self
    }
}

impl<'a> Assertion<'a> {
    /// An assertion without annotations.
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

    /// The same with these annotations.
    #[must_use]
    pub fn with_annotations(self, annotations: Vec<Annotation<'a>>) -> Self {
        self.with(|tuple| tuple.annotations = Annotations::List(annotations))
    }

    /// What the parser has of it.
    #[inline]
    pub(crate) const fn borrowed(tuple: &'a Tuple<'a>) -> Self {
        Self(MaybeOwned::Borrowed(tuple))
    }

    /// The same with something changed.
    fn with(self, change: impl FnOnce(&mut Tuple<'a>)) -> Self {
        Self(self.0.with(change))
    }

    /// The same at this place in the text without annotations.
    #[must_use]
    pub fn with_clean_span(self, span: Span) -> Self {
        self.with(|tuple| tuple.clean_span = Some(span))
    }

    /// The same with the JSON Pointer of its text.
    #[must_use]
    pub fn with_pointer(self, pointer: impl Into<Cow<'a, str>>) -> Self {
        self.with(|tuple| tuple.pointer = Some(pointer.into()))
    }

    /// The same, marked as having hit a limit or not. One that did is never admissible.
    #[must_use]
    pub fn with_limit_hit(self, hit: bool) -> Self {
        self.with(|tuple| tuple.marks.limit_hit = hit)
    }

    /// The same, marked as an [orphan](Self::is_orphan) or not.
    #[must_use]
    pub fn with_orphan(self, orphan: bool) -> Self {
        self.with(|tuple| tuple.marks.orphan = orphan)
    }

    /// The same, marked as having an [unknown in the slot](Self::has_unknown_in_slot) or not.
    #[must_use]
    pub fn with_unknown_in_slot(self, unknown: bool) -> Self {
        self.with(|tuple| tuple.marks.unknown_in_slot = unknown)
    }

    /// Which encoding it came in.
    #[must_use]
    pub fn encoding(&self) -> Encoding {
        self.0.encoding
    }

    /// The asserted text; U+FFFD replaces what is not UTF-8.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.0.text
    }

    /// Where the text is in the stream, in bytes; empty when there is no text to assert. In JSON it is the content between
    /// the quotes of the string.
    #[must_use]
    pub fn span(&self) -> Span {
        self.0.span
    }

    /// What an action on the assertion has to cover: [`span`](Self::span), or, if the JSON object repeats the member `assertion`,
    /// everything from the first value of the member to the last one, whatever values these are. Readers of JSON do not agree
    /// which of the values counts. Of a string, the quotes are left out.
    #[must_use]
    pub fn extent(&self) -> Span {
        self.0.extent.map_or(self.0.span, |extent| extent.span)
    }

    /// The extent with what its ends are.
    pub(crate) fn full_extent(&self) -> Extent {
        self.0.extent.unwrap_or(Extent {
            span: self.0.span,
            starts_in_string: true,
            ends_in_string: true,
        })
    }

    /// Whether a bracket beside it may have been meant as an annotation, such as `[ct-log]` beside one, or `[1.1:ct-log; ts=NOW]`
    /// without any. It stays text, but the assertion is as unverified as with an annotation of an unknown class. Source: wire
    /// profile, unknown in the slot.
    #[must_use]
    pub fn has_unknown_in_slot(&self) -> bool {
        self.0.marks.unknown_in_slot
    }

    /// Whether the JSON object repeats its member `assertion` or `provenance`; then one of the annotations is malformed, unless a
    /// limit left it out.
    #[must_use]
    pub fn is_repeated(&self) -> bool {
        self.0.marks.repeated
    }

    /// Where the text is in the stream without annotations, in bytes of what stripping writes; bracketed encoding
    /// only.
    #[must_use]
    pub fn clean_span(&self) -> Option<Span> {
        self.0.clean_span
    }

    /// The JSON Pointer (RFC 6901) of the member `assertion` from the root of its JSON value; JSON encoding only, and
    /// none if it is longer than [`Limits::max_pointer`](crate::Limits::max_pointer).
    #[must_use]
    pub fn pointer(&self) -> Option<&str> {
        self.0.pointer.as_deref()
    }

    /// Its annotations, in stream order, each made when it is asked for.
    #[must_use]
    pub fn annotations(&self) -> AnnotationIter<'_> {
        AnnotationIter(match &self.0.annotations {
            Annotations::List(list) => Iter::List(list.iter()),
            Annotations::Packed(packed) => Iter::Packed(*packed, 0..packed.len()),
            Annotations::Slots(slots) => Iter::Slots(*slots),
        })
    }

    /// The classes that its annotations were taken for, in stream order, with repetitions.
    ///
    /// They borrow from the assertion and not from a single [`Annotation`], which [`annotations`](Self::annotations)
    /// creates on the way.
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

    /// Whether it has any annotation; one without is in a state of its own, not a terminal one (`provenance memo 5`).
    #[must_use]
    pub fn is_annotated(&self) -> bool {
        self.annotations().len() > 0
    }

    /// Whether a limit cut off its text, or left out one of its annotations, a string of one, or its pointer.
    #[must_use]
    pub fn limit_hit(&self) -> bool {
        self.0.marks.limit_hit
    }

    /// Whether its annotations have nothing to belong to because they come first in the text after a
    /// [break](crate::Parser::push_break); then the text is empty.
    #[must_use]
    pub fn is_orphan(&self) -> bool {
        self.0.marks.orphan
    }

    /// The same with nothing borrowed.
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
