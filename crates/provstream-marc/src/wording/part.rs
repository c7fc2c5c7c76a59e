//! Parts of a wording, and errors in their texts.

use core::fmt;

use provstream::settings::quoted_piece;

use crate::declare::values;
use crate::terms::{Action, Band, Source, Target};

/// One text of a [`Wording`](super::Wording).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum WordingPart {
    /// The template of the message with an action, for a caller without a text. [`Action::Answer`]
    /// has no template. Placeholders: `{source}`, `{next_step}`, each at most once.
    Message(Action),
    /// The next step of a record with an action, for a caller without one.
    NextStep(Action),
    /// The phrase that states a source of uncertainty in task terms.
    Source(Source),
    /// The label of a confidence band.
    Band(Band),
    /// The phrase that names the subject of a band.
    Target(Target),
    /// The phrase for the subject of a band in a disclosure with neither target nor action. Source:
    /// MARC-01 7.5.
    NoTarget,
    /// The template for the uncertainty of a disclosure. Placeholders: `{band}`, `{target}`,
    /// `{source}` and `{next_step}`, each exactly once.
    Unit,
}

impl WordingPart {
    /// Iterates over all parts.
    pub fn all() -> impl Iterator<Item = Self> {
        // ANSWER is the first action.
        let messages = Action::ALL[1..].iter().copied().map(Self::Message);
        messages
            .chain(Action::ALL.iter().copied().map(Self::NextStep))
            .chain(Source::ALL.iter().copied().map(Self::Source))
            .chain(Band::ALL.iter().copied().map(Self::Band))
            .chain(Target::ALL.iter().copied().map(Self::Target))
            .chain([Self::NoTarget, Self::Unit])
    }

    /// Returns the key of the part's table and its key in the table; the second is empty for a text
    /// outside a table.
    pub(super) const fn key(self) -> (&'static str, &'static str) {
        match self {
            Self::Message(action) => ("message", action.as_str()),
            Self::NextStep(action) => ("next_step", action.as_str()),
            Self::Source(source) => ("source", source.as_str()),
            Self::Band(band) => ("band", band.as_str()),
            Self::Target(target) => ("target", target.as_str()),
            Self::NoTarget => ("no_target", ""),
            Self::Unit => ("unit", ""),
        }
    }

    /// Returns the placeholders of the part's template. The unit requires all of them.
    pub(super) const fn placeholders(self) -> &'static [&'static str] {
        match self {
            Self::Message(_) => &["source", "next_step"],
            Self::Unit => &["band", "target", "source", "next_step"],
            _ => &[],
        }
    }
}

/// `message CLARIFY`, `source ambiguity`, `band low`, `target answer`, `no target`, `unit`.
impl fmt::Display for WordingPart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (group, name) = self.key();
        let before = if name.is_empty() { "" } else { " " };
        write!(f, "{}{before}{name}", group.replace('_', " "))
    }
}

/// Reason why a text of a wording is invalid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum WordingErrorKind {
    /// The text is blank.
    Empty,
    /// A message of [`Action::Answer`], which has no template because the
    /// caller provides it.
    AnswerMessage,
    /// A brace outside a placeholder, at this byte of the text. A brace itself is written twice.
    UnbalancedBrace(usize),
    /// A placeholder that has no meaning here, at this byte of the text.
    UnknownPlaceholder(usize),
    /// A placeholder that appeared before, at this byte of the text.
    RepeatedPlaceholder(usize),
    /// This placeholder is missing.
    MissingPlaceholder(&'static str),
    /// The text equals that of this part, apart from letter case, so that readers could not
    /// distinguish the two.
    SameAsOther(WordingPart),
    /// The label of a band names another band. Source: MARC-02 8.5.
    OutOfOrder,
}

values! {
    /// A text of a wording is invalid.
    #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub struct WordingError {
        /// The part with the invalid text.
        copy pub(super) part: WordingPart,
        /// Reason why the text is invalid.
        copy kind: WordingErrorKind,
        /// The invalid placeholder with its braces; empty for other errors.
        own found: Box<str>,
    }
}

/// Most characters of a placeholder in a message.
const SHOWN: usize = 64;

impl WordingError {
    /// Creates an error about the text of a part.
    pub(super) fn new(part: WordingPart, kind: WordingErrorKind, text: &str) -> Self {
        use WordingErrorKind as Kind;
        let rest = match kind {
            Kind::UnknownPlaceholder(at) | Kind::RepeatedPlaceholder(at) => text.get(at..),
            _ => None,
        };
        let placeholder = rest.and_then(|rest| rest.split_inclusive('}').next());
        Self {
            part,
            kind,
            found: quoted_piece(placeholder.unwrap_or_default(), SHOWN),
        }
    }
}

impl fmt::Display for WordingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use WordingErrorKind as Kind;
        let (part, found) = (self.part, &self.found);
        write!(f, "{part}: expected ")?;
        match self.kind {
            Kind::Empty => f.write_str("a text, found a blank one"),
            Kind::AnswerMessage => {
                f.write_str("no template, as the caller has the answer; leave it out")
            }
            Kind::UnbalancedBrace(at) => {
                write!(
                    f,
                    "a brace in the text to be written twice ({{{{ or }}}}), found one at byte {at}"
                )
            }
            Kind::UnknownPlaceholder(at) => {
                let known = part.placeholders().join("}, {");
                write!(f, "one of {{{known}}}, found {found} at byte {at}")
            }
            Kind::RepeatedPlaceholder(at) => {
                write!(f, "each placeholder once, found {found} again at byte {at}")
            }
            Kind::MissingPlaceholder(name) => write!(f, "{{{name}}} in the template, found none"),
            Kind::SameAsOther(other) => {
                write!(f, "a text that {other} does not have, found the same")
            }
            Kind::OutOfOrder => {
                f.write_str("a label of this band, found one of another (MARC-02 8.5)")
            }
        }
    }
}

impl core::error::Error for WordingError {}
