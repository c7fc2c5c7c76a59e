//! The two drafts, and how strictly one is applied.

use core::fmt;
use core::str::FromStr;

use super::terms::UnknownTerm;

/// A draft of MARC. Both define `marc_version` 1.0, so a record does not tell which one it follows.
///
/// Source: MARC-01, MARC-02; open points 43 to 45.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Draft {
    /// MARC -01, of 29 April 2026: no confidence target, no decision identifiers.
    Draft01,
    /// MARC -02, its successor: the default.
    #[default]
    Draft02,
}

impl Draft {
    /// All drafts, the older first.
    pub const ALL: [Self; 2] = [Self::Draft01, Self::Draft02];

    /// The draft's number: `01` or `02`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Draft01 => "01",
            Self::Draft02 => "02",
        }
    }
}

impl fmt::Display for Draft {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Draft {
    type Err = UnknownTerm;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .into_iter()
            .find(|draft| draft.as_str() == text)
            .ok_or_else(|| UnknownTerm::new("draft", &["01", "02"], text))
    }
}

/// What an object is held against: a draft, applied leniently or strictly.
///
/// Strictly, a member that is neither the draft's nor private (`x_`) and a text that is too long are must-level.
/// Source: MARC-02 11; open points 50 and 76.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Profile {
    draft: Draft,
    strict: bool,
}

impl Profile {
    /// A draft, applied leniently.
    #[must_use]
    pub const fn new(draft: Draft) -> Self {
        Self {
            draft,
            strict: false,
        }
    }

    /// The same draft, applied strictly.
    #[must_use]
    pub const fn strict(self) -> Self {
        Self {
            strict: true,
            ..self
        }
    }

    /// The draft.
    #[must_use]
    pub const fn draft(self) -> Draft {
        self.draft
    }

    /// Whether it is applied strictly.
    #[must_use]
    pub const fn is_strict(self) -> bool {
        self.strict
    }
}

impl From<Draft> for Profile {
    fn from(draft: Draft) -> Self {
        Self::new(draft)
    }
}
