//! One type for the citations of all providers and for annotations.

use core::fmt;
use std::sync::Arc;

use super::source::{CitedSource, SourceKind};
use super::unit::{Unit, UnitSpan};
use provstream::Span;
use provstream::provenance::{Annotation, Assertion, Class, LabelKind};

/// Whose form a citation came in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Provider {
    /// Anthropic Messages.
    Anthropic,
    /// OpenAI chat completions and Responses, and what is made like them.
    OpenAi,
    /// Gemini `generateContent` and `streamGenerateContent`.
    Gemini,
    /// Cohere v2 chat.
    Cohere,
}

impl Provider {
    /// A name: `anthropic`, `openai`, `gemini` or `cohere`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Anthropic => "anthropic",
            Self::OpenAi => "openai",
            Self::Gemini => "gemini",
            Self::Cohere => "cohere",
        }
    }
}

impl fmt::Display for Provider {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Text of a response, by its numbers; displayed as `0` or `0/1`.
///
/// | provider | index | part |
/// |---|---|---|
/// | OpenAI chat completions | choice | |
/// | OpenAI Responses | output item | content part |
/// | Anthropic | content block | |
/// | Gemini | candidate | part |
/// | Cohere | content block | |
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Part {
    index: u64,
    part: Option<u64>,
}

impl Part {
    pub(super) const fn new(index: u64, part: Option<u64>) -> Self {
        Self { index, part }
    }

    /// The number of the choice, output item, content block or candidate, from 0.
    #[must_use]
    pub const fn index(self) -> u64 {
        self.index
    }

    /// The number of the part in it, from 0, where there are parts.
    #[must_use]
    pub const fn part(self) -> Option<u64> {
        self.part
    }
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.index)?;
        self.part.map_or(Ok(()), |part| write!(f, "/{part}"))
    }
}

/// Extent of the text to which a citation applies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Extent {
    /// A range of it.
    Span(UnitSpan),
    /// All of it.
    Whole,
    /// The citation has no position.
    Unknown,
}

impl Extent {
    /// The first units of a text, up to and excluding `end`.
    pub(super) const fn from_start(end: u64, unit: Unit) -> Self {
        Self::Span(UnitSpan::of(Span::new(0, end), unit))
    }
}

/// A statement that part of an answer is based on a source: a provider's citation, or the model's annotation.
///
/// Neither is evidence. A provider's citation says what was put before the model; an annotation is the model's own word
/// (`provenance memo 11.1`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Citation {
    provider: Option<Provider>,
    part: Option<Part>,
    extent: Extent,
    text: Option<Box<str>>,
    sources: Vec<Arc<CitedSource>>,
    class: Option<Class>,
}

impl Citation {
    pub(super) const fn new(
        provider: Provider,
        part: Option<Part>,
        extent: Extent,
        text: Option<Box<str>>,
        sources: Vec<Arc<CitedSource>>,
    ) -> Self {
        Self {
            provider: Some(provider),
            part,
            extent,
            text,
            sources,
            class: None,
        }
    }

    /// An annotation of an assertion as a citation.
    ///
    /// Its extent is the [`clean_span`](Assertion::clean_span), in bytes of the text without annotations; of an assertion
    /// in JSON it is not known. It has one source, the observation, if its class is no terminal state: a terminal says
    /// that there is none.
    ///
    /// ```
    /// use provstream::Span;
    /// use provstream_providers::citation::{Citation, SourceKind};
    /// use provstream::provenance::{Annotation, Assertion, Class, Encoding};
    ///
    /// let assertion = Assertion::new(Encoding::Bracket, "It runs.", Span::new(0, 8)).with_clean_span(Span::new(0, 8));
    /// let grep = Annotation::new(Class::GREP, "substrate.grep").with_observation_id("src/a.rs:7");
    /// let citation = Citation::from_annotation(&assertion, &grep);
    /// assert_eq!(citation.locate("It runs."), Some(Span::new(0, 8)));
    /// assert_eq!(citation.sources().next().map(|source| source.kind()), Some(SourceKind::Observation));
    ///
    /// let inferred = Annotation::new(Class::UNVERIFIED_INFERENCE, "unverified-inference");
    /// assert_eq!(Citation::from_annotation(&assertion, &inferred).sources().len(), 0);
    /// ```
    #[must_use]
    pub fn from_annotation(assertion: &Assertion<'_>, annotation: &Annotation<'_>) -> Self {
        let source = (annotation.label_kind() == LabelKind::Corroborated).then(|| {
            Arc::new(
                CitedSource::new(SourceKind::Observation)
                    .with_title(Some(annotation.class().as_str().into()))
                    .with_id(annotation.observation_id().map(Into::into)),
            )
        });
        Self {
            provider: None,
            part: None,
            extent: assertion.clean_span().map_or(Extent::Unknown, |span| {
                Extent::Span(UnitSpan::of(span, Unit::Utf8Bytes))
            }),
            text: Some(assertion.text().into()),
            sources: source.into_iter().collect(),
            class: Some(annotation.class().clone()),
        }
    }

    /// Whose form it came in; none for an annotation.
    #[must_use]
    pub const fn provider(&self) -> Option<Provider> {
        self.provider
    }

    /// Returns the text of the response to which the citation applies; `None` if it has none, like an annotation:
    /// then it applies to the text from which it was read.
    #[must_use]
    pub const fn part(&self) -> Option<Part> {
        self.part
    }

    /// Returns the extent of that text to which the citation applies.
    #[must_use]
    pub const fn extent(&self) -> Extent {
        self.extent
    }

    /// Returns the cited text as given by the citation: the asserted text, or the text that Gemini and Cohere give
    /// with the position.
    #[must_use]
    pub fn text(&self) -> Option<&str> {
        self.text.as_deref()
    }

    /// Returns the sources; none for a terminal state.
    #[must_use]
    pub fn sources(&self) -> impl ExactSizeIterator<Item = &CitedSource> {
        self.sources.iter().map(|source| &**source)
    }

    /// The class of an annotation; none for the citation of a provider.
    #[must_use]
    pub const fn class(&self) -> Option<&Class> {
        self.class.as_ref()
    }

    /// The bytes it is about in `answer`, which must be the whole text that it is in (see [`part`](Self::part)).
    ///
    /// None if its extent is not known, is no place of `answer`, or has another text there than the citation says. The
    /// last finds places that were counted in another unit or in another text.
    #[must_use]
    pub fn locate(&self, answer: &str) -> Option<Span> {
        let span = match self.extent {
            Extent::Span(span) => span.to_bytes(answer)?,
            Extent::Whole => Span::new(0, answer.len() as u64),
            Extent::Unknown => return None,
        };
        let found = answer.get(span.start() as usize..span.end() as usize)?;
        self.text().is_none_or(|text| text == found).then_some(span)
    }
}
