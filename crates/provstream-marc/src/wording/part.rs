//! The texts a wording is made of, and what can be wrong with one.

use core::fmt;
use std::error::Error;

use crate::{Action, Band, Source, Target};

/// One text of a [`Wording`](super::Wording).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum WordingPart {
    /// The template of the message with an action, where the caller has no text. [`Action::Answer`] has no template.
    /// Placeholders: `{source}`, `{next_step}`, each at most once.
    Message(Action),
    /// The next step of a record with an action, where the caller has none.
    NextStep(Action),
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
    /// All parts.
    pub fn all() -> impl Iterator<Item = Self> {
        let messages = Action::ALL
            .iter()
            .filter(|&&action| action != Action::Answer);
        messages
            .copied()
            .map(Self::Message)
            .chain(Action::ALL.iter().copied().map(Self::NextStep))
            .chain(Source::ALL.iter().copied().map(Self::Source))
            .chain(Band::ALL.iter().copied().map(Self::Band))
            .chain(Target::ALL.iter().copied().map(Self::Target))
            .chain([Self::NoTarget, Self::Unit])
    }
}

impl WordingPart {
    /// Whether it is another text of the same sort.
    pub(super) const fn is_sort_of(self, other: Self) -> bool {
        matches!(
            (self, other),
            (Self::Source(_), Self::Source(_))
                | (Self::Band(_), Self::Band(_))
                | (Self::Target(_), Self::Target(_))
        )
    }
}

/// `message CLARIFY`, `source ambiguity`, `band low`, `target answer`, `no target`, `unit`.
impl fmt::Display for WordingPart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Message(action) => write!(f, "message {action}"),
            Self::NextStep(action) => write!(f, "next step {action}"),
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
    /// It is blank.
    Empty,
    /// An answer has no template: the caller has it.
    AnswerMessage,
    /// A brace outside a placeholder. A brace itself is written twice.
    UnbalancedBrace,
    /// A placeholder that has no meaning here.
    UnknownPlaceholder,
    /// A placeholder that appeared before.
    RepeatedPlaceholder,
    /// A required placeholder is missing.
    MissingPlaceholder,
    /// Another part of the same sort reads the same.
    SameAsOther,
    /// The label of a band says that it is another band. Source: MARC-02 8.5.
    OutOfOrder,
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

    /// The place of the brace or the placeholder in the text, in bytes, if the error has one.
    #[must_use]
    pub const fn position(&self) -> Option<usize> {
        self.offset
    }
}

impl fmt::Display for WordingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let placeholders = match self.part {
            WordingPart::Unit => "{band}, {target}, {source}, {next_step}",
            _ => "{source}, {next_step}",
        };
        write!(f, "{}: ", self.part)?;
        match self.kind {
            WordingErrorKind::Empty => f.write_str("expected a text, found a blank one"),
            WordingErrorKind::AnswerMessage => f.write_str("an answer has no template"),
            WordingErrorKind::UnbalancedBrace => {
                f.write_str("found a brace outside a placeholder, expected it twice")
            }
            WordingErrorKind::UnknownPlaceholder => {
                write!(f, "unknown placeholder, expected one of {placeholders}")
            }
            WordingErrorKind::RepeatedPlaceholder => {
                f.write_str("expected each placeholder once, found one again")
            }
            WordingErrorKind::MissingPlaceholder => write!(f, "expected all of {placeholders}"),
            WordingErrorKind::SameAsOther => {
                f.write_str("expected a text of its own, found that of another of its sort")
            }
            WordingErrorKind::OutOfOrder => f.write_str(
                "expected a label of this band, found one of another band (MARC-02 8.5)",
            ),
        }?;
        match self.offset {
            Some(offset) => write!(f, ", at byte {offset}"),
            None => Ok(()),
        }
    }
}

impl Error for WordingError {}
