//! Input of the writers: an assertion at its position in the displayed text.

use super::unit::{Unit, UnitSpan};
use provstream::provenance::{Annotation, Assertion};
use provstream::{OffsetMap, Span};

/// Most characters on either side of a quotation that are given with it.
const CONTEXT: usize = 32;

/// The whole text that is shown, in which assertions are to be cited: the answer without its annotations, as a
/// [`Rewriter`](provstream::Rewriter) writes it with [`Replacement::Remove`](provstream::Replacement::Remove).
///
/// Reading it takes time in its length once, and about 9 bytes for every 32 of it. Where it is not kept as a whole,
/// [`Cited::streamed`] does without.
///
/// ```
/// use provstream_providers::citation::{CleanText, Unit};
/// use provstream::{Event, Parser, Rewriter, Span};
///
/// let stream = "🎉 Tests pass. [substrate.grep] Done.";
/// let mut found = None;
/// let mut parser = Parser::new();
/// let mut sink = |event: Event<'_>| {
///     if let Event::Assertion(assertion) = event {
///         found = Some(assertion.into_owned());
///     }
/// };
/// parser.push(stream.as_bytes(), &mut sink);
/// parser.finish(&mut sink);
///
/// let text = CleanText::new("🎉 Tests pass. Done.");
/// let cited = found.as_ref().and_then(|assertion| text.assertion(assertion));
/// let place = cited.map(|cited| cited.place(Unit::Utf16Units));
/// assert_eq!(place, text.place(Span::new(0, 16), Unit::Utf16Units));
/// assert_eq!(place.map(|place| (place.start(), place.end())), Some((0, 14)));
/// ```
#[derive(Clone, Debug)]
pub struct CleanText<'a> {
    text: &'a str,
    positions: OffsetMap,
}

impl<'a> CleanText<'a> {
    /// The text.
    #[must_use]
    pub fn new(text: &'a str) -> Self {
        let mut positions = OffsetMap::with_window(text.len());
        positions.push(text.as_bytes());
        positions.finish();
        Self { text, positions }
    }

    /// The text itself.
    #[must_use]
    pub const fn text(&self) -> &'a str {
        self.text
    }

    /// A span of its bytes in a unit; none if an end of it lies behind the text or inside a character.
    #[must_use]
    pub fn place(&self, span: Span, unit: Unit) -> Option<UnitSpan> {
        self.slice(span)?;
        let span = match unit {
            Unit::Utf8Bytes => span,
            Unit::CodePoints => self.positions.code_points(span)?,
            Unit::Utf16Units => self.positions.utf16(span)?,
        };
        Some(UnitSpan::of(span, unit))
    }

    /// An assertion with its annotations, at its [`clean_span`](Assertion::clean_span).
    ///
    /// Returns `None` if the assertion has no annotations, has no such span (it came in JSON), or is not at that
    /// span: then this is not the text without annotations of the assertion's stream. That stream must be UTF-8;
    /// otherwise offsets are about its bytes and not about the displayed text.
    #[must_use]
    pub fn assertion(&self, assertion: &'a Assertion<'_>) -> Option<Cited<'a>> {
        let cited = self.cite(assertion.clean_span()?, assertion.annotations())?;
        (assertion.is_annotated() && cited.text() == assertion.text()).then_some(cited)
    }

    /// A span of its bytes with what was annotated about it; none if an end of it lies behind the text or inside a
    /// character.
    #[must_use]
    pub fn cite(
        &self,
        span: Span,
        annotations: impl IntoIterator<Item = Annotation<'a>>,
    ) -> Option<Cited<'a>> {
        let exact = self.slice(span)?;
        let (before, rest) = self.text.split_at_checked(span.start() as usize)?;
        let after = rest.get(exact.len()..)?;
        let from = before.char_indices().rev().take(CONTEXT).last();
        let to = after.char_indices().nth(CONTEXT);
        Some(Cited {
            exact,
            around: Some((
                before.get(from.map_or(before.len(), |(at, _)| at)..)?,
                after.get(..to.map_or(after.len(), |(at, _)| at))?,
            )),
            bytes: span,
            code_points: self.positions.code_points(span)?,
            utf16: self.positions.utf16(span)?,
            annotations: annotations.into_iter().collect(),
        })
    }

    fn slice(&self, span: Span) -> Option<&'a str> {
        let start = usize::try_from(span.start()).ok()?;
        self.text.get(start..usize::try_from(span.end()).ok()?)
    }
}

/// An assertion with its annotations, at its place in the text that is shown: what the writers of this module take.
///
/// Observation ids are written as they are. They may expose a path, a hash or a peer (`provenance memo 12`): who need not
/// know them gets annotations [without](Annotation::without_observation_id).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cited<'a> {
    exact: &'a str,
    /// Text right before and right after the assertion, where known.
    around: Option<(&'a str, &'a str)>,
    bytes: Span,
    code_points: Span,
    utf16: Span,
    annotations: Vec<Annotation<'a>>,
}

impl<'a> Cited<'a> {
    /// An assertion of a stream that is not kept, by the positions of its text without annotations: `positions` was fed
    /// with what the [`Rewriter`](provstream::Rewriter) wrote so far.
    ///
    /// None if the assertion has no annotations or no [`clean_span`](Assertion::clean_span), or that is not among what `positions`
    /// can answer for. What stands around it is not known, so a text quote selector goes without prefix and suffix.
    #[must_use]
    pub fn streamed(assertion: &'a Assertion<'_>, positions: &OffsetMap) -> Option<Self> {
        let bytes = assertion.clean_span()?;
        assertion.is_annotated().then_some(Self {
            exact: assertion.text(),
            around: None,
            bytes,
            code_points: positions.code_points(bytes)?,
            utf16: positions.utf16(bytes)?,
            annotations: assertion.annotations().collect(),
        })
    }

    /// The asserted text.
    #[must_use]
    pub const fn text(&self) -> &'a str {
        self.exact
    }

    /// Returns the text right before and right after the assertion, at most 32 code points each; `None` if unknown.
    #[must_use]
    pub const fn around(&self) -> Option<(&'a str, &'a str)> {
        self.around
    }

    /// Returns the assertion's span in the displayed text.
    #[must_use]
    pub const fn place(&self, unit: Unit) -> UnitSpan {
        let span = match unit {
            Unit::Utf8Bytes => self.bytes,
            Unit::CodePoints => self.code_points,
            Unit::Utf16Units => self.utf16,
        };
        UnitSpan::of(span, unit)
    }

    /// Returns the annotations of the assertion.
    #[must_use]
    pub fn annotations(&self) -> &[Annotation<'a>] {
        &self.annotations
    }
}
