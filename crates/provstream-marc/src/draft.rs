//! Drafts of MARC, and lenient or strict validation.

use super::declare::values;
use super::terms::terms;

terms! {
    /// A draft of MARC, by its number. Both define `marc_version` 1.0, so a record does not show which one it follows.
    ///
    /// Source: MARC-01, MARC-02; open points 43 to 45.
    #[derive(Default)]
    #[non_exhaustive]
    Draft, "draft" {
        /// MARC -01, of 29 April 2026: no confidence target, no decision identifiers.
        Draft01 = "01",
        /// MARC -02, its successor: the default.
        #[default]
        Draft02 = "02",
    }
}

values! {
    /// Draft and strictness by which an object is validated.
    ///
    /// In strict validation, an overlong text and a member that is neither defined nor private
    /// (`x_`) are must-level violations. Source: MARC-02 11; open points 50 and 76.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
    #[must_use]
    pub struct Profile {
        /// The draft.
        copy draft: Draft,
        /// `true` for strict validation.
        copy is_strict: bool,
    }
}

impl Profile {
    /// Creates a profile for lenient validation by `draft`.
    pub const fn new(draft: Draft) -> Self {
        Self {
            draft,
            is_strict: false,
        }
    }

    /// Makes validation strict.
    pub const fn strict(mut self) -> Self {
        self.is_strict = true;
        self
    }
}

impl From<Draft> for Profile {
    fn from(draft: Draft) -> Self {
        Self::new(draft)
    }
}
