//! What a gate does with a part of an answer, without the texts that it writes.

use std::fmt;
use std::str::FromStr;

use provstream::{Action, UnknownNameError};

/// What becomes of an assertion, or of a run of text without one; an [`Action`] without its texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Outcome {
    /// It is released as it is.
    Release,
    /// It is released with marks around it.
    Mark,
    /// Another text is released in its place.
    Replace,
    /// It is removed.
    Discard,
    /// The stream ends before it, so that the rest can be asked for once more.
    Suspend,
    /// The stream ends before it with another text.
    Refuse,
}

impl Outcome {
    /// All of them, the mildest first.
    pub const ALL: [Self; 6] = [
        Self::Release,
        Self::Mark,
        Self::Replace,
        Self::Discard,
        Self::Suspend,
        Self::Refuse,
    ];

    const NAMES: [&'static str; 6] = ["release", "mark", "replace", "discard", "suspend", "refuse"];

    /// The name in policy files and audit logs, such as `replace`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        Self::NAMES[self as usize]
    }

    /// Returns `true` if the text is not written.
    #[must_use]
    pub const fn withholds(self) -> bool {
        !matches!(self, Self::Release | Self::Mark)
    }

    /// Returns `true` if the stream ends with it.
    #[must_use]
    pub const fn ends(self) -> bool {
        matches!(self, Self::Suspend | Self::Refuse)
    }

    /// In a sentence about what happened to it.
    pub(crate) const fn words(self) -> &'static str {
        match self {
            Self::Release => "Released",
            Self::Mark => "Marked",
            Self::Replace => "Replaced",
            Self::Discard => "Discarded",
            Self::Suspend => "Stream suspended",
            Self::Refuse => "Rest refused",
        }
    }
}

impl From<&Action> for Outcome {
    /// What the action is; an action that is not known here counts as [`Discard`](Self::Discard), which shows no text of it as
    /// released.
    fn from(action: &Action) -> Self {
        match action {
            Action::Release => Self::Release,
            Action::Mark(..) => Self::Mark,
            Action::Replace(_) => Self::Replace,
            Action::Suspend => Self::Suspend,
            Action::Refuse(_) => Self::Refuse,
            _ => Self::Discard,
        }
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl FromStr for Outcome {
    type Err = UnknownNameError;

    /// Reads the name that [`as_str`](Self::as_str) gives.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let found = Self::ALL.into_iter().find(|it| it.as_str() == text);
        found.ok_or_else(|| UnknownNameError::new("action", &Self::NAMES, text))
    }
}
