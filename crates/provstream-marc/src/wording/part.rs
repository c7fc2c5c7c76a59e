//! The texts a wording is made of, and what can be wrong with one.

use core::fmt;
use std::error::Error;

use crate::{Action, Band, Source, Target};

/// One text of a [`Wording`](super::Wording).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum WordingPart {
    /// The template of the message with an action, where the caller has none. There is none for [`Action::Answer`].
    /// Placeholders: `{source}`, `{next_step}`, each at most once.
    Message(Action),
    /// The phrase that states a source of uncertainty in task terms.
    Source(Source),
    /// The label of a confidence band.
    Band(Band),
    /// The phrase that says what a band applies to.
    Target(Target),
    /// The phrase that says it of a disclosure with neither target nor action. Source: MARC-01 7.5.
    NoTarget,
    /// The template of what a disclosure says of uncertainty. Placeholders: `{band}`, `{target}`, `{source}` and
    /// `{next_step}`, each exactly once.
    Unit,
}

impl WordingPart {
    /// All parts: messages, sources, bands, targets, the one without target, and the unit.
    pub fn all() -> impl Iterator<Item = Self> {
        let messages = Action::ALL
            .iter()
            .filter(|&&action| action != Action::Answer);
        messages
            .copied()
            .map(Self::Message)
            .chain(Source::ALL.iter().copied().map(Self::Source))
            .chain(Band::ALL.iter().copied().map(Self::Band))
            .chain(Target::ALL.iter().copied().map(Self::Target))
            .chain([Self::NoTarget, Self::Unit])
    }
}

/// `message CLARIFY`, `source ambiguity`, `band low`, `target answer`, `no target`, `unit`.
impl fmt::Display for WordingPart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Message(action) => write!(f, "message {action}"),
            Self::Source(source) => write!(f, "source {source}"),
            Self::Band(band) => write!(f, "band {band}"),
            Self::Target(target) => write!(f, "target {target}"),
            Self::NoTarget => f.write_str("no target"),
            Self::Unit => f.write_str("unit"),
        }
    }
}

/// What is wrong with a text of a wording.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum WordingErrorKind {
    /// It has no content.
    Empty,
    /// There is no template for an answer: the caller has it.
    AnswerMessage,
    /// A brace that opens or closes no placeholder. A brace itself is written twice.
    UnbalancedBrace,
    /// A placeholder that has no meaning here.
    UnknownPlaceholder,
    /// A placeholder that is there already.
    RepeatedPlaceholder,
    /// A placeholder that must be there is not.
    MissingPlaceholder,
    /// Another part of the same sort reads the same, so that they could not be told apart.
    SameAsOther,
    /// The label of a band is the name of another band.
    NameOfOther,
}

impl WordingErrorKind {
    const fn message(self) -> &'static str {
        match self {
            Self::Empty => "the text has no content",
            Self::AnswerMessage => "there is no template for an answer",
            Self::UnbalancedBrace => "a brace belongs to no placeholder",
            Self::UnknownPlaceholder => "unknown placeholder",
            Self::RepeatedPlaceholder => "a placeholder is there twice",
            Self::MissingPlaceholder => "a placeholder is missing",
            Self::SameAsOther => "the text is the same as another of its sort",
            Self::NameOfOther => "the label is the name of another band",
        }
    }
}

/// A text that a wording cannot have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct WordingError {
    part: WordingPart,
    kind: WordingErrorKind,
    offset: Option<usize>,
}

impl WordingError {
    pub(super) const fn new(
        part: WordingPart,
        kind: WordingErrorKind,
        offset: Option<usize>,
    ) -> Self {
        Self { part, kind, offset }
    }

    /// Which text it is about.
    #[must_use]
    pub const fn part(&self) -> WordingPart {
        self.part
    }

    /// What is wrong.
    #[must_use]
    pub const fn kind(&self) -> WordingErrorKind {
        self.kind
    }

    /// The place of the brace or the placeholder in the text, in bytes; none where there is no such place.
    #[must_use]
    pub const fn offset(&self) -> Option<usize> {
        self.offset
    }
}

impl fmt::Display for WordingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.part, self.kind.message())?;
        match self.offset {
            Some(offset) => write!(f, ", at byte {offset}"),
            None => Ok(()),
        }
    }
}

impl Error for WordingError {}
