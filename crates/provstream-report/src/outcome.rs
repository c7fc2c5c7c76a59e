//! Outcomes of a gate's decisions, without the texts of the policy.

use std::fmt;
use std::str::FromStr;

use provstream::{Action, UnknownNameError};

/// Outcome of a decision about an assertion or a run of unannotated text. Corresponds to an
/// [`Action`] without its texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Outcome {
    /// The text is released unchanged.
    Release,
    /// The text is released with marks around it.
    Mark,
    /// Another text is released in its place.
    Replace,
    /// The text is removed.
    Discard,
    /// The stream ends before the text, so that the caller can ask for the rest again.
    Suspend,
    /// The stream ends before the text, with another text.
    Refuse,
}

impl Outcome {
    /// All outcomes, from the mildest to the strictest.
    pub const ALL: [Self; 6] = [
        Self::Release,
        Self::Mark,
        Self::Replace,
        Self::Discard,
        Self::Suspend,
        Self::Refuse,
    ];

    const NAMES: [&'static str; 6] = ["release", "mark", "replace", "discard", "suspend", "refuse"];

    /// Returns the name in policy files and audit logs, such as `replace`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        Self::NAMES[self as usize]
    }

    /// Returns `true` if the text is not written.
    #[must_use]
    pub const fn withholds(self) -> bool {
        !matches!(self, Self::Release | Self::Mark)
    }

    /// Returns `true` if the stream ends.
    #[must_use]
    pub const fn ends(self) -> bool {
        matches!(self, Self::Suspend | Self::Refuse)
    }

    /// Returns the words for the outcome on a page.
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
    /// Returns the outcome of an action. An unknown action is a [`Discard`](Self::Discard), so that
    /// its text is never shown as released.
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

    /// Parses the name that [`as_str`](Self::as_str) returns.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let found = Self::ALL.into_iter().find(|it| it.as_str() == text);
        found.ok_or_else(|| UnknownNameError::new("action", &Self::NAMES, text))
    }
}
