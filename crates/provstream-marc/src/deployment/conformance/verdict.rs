//! How one requirement fares.

use core::fmt;

use crate::terms::terms;

terms! {
    /// How a requirement fares with a deployment.
    #[non_exhaustive]
    ConformanceOutcome, "outcome" {
        /// It is met, as far as the description goes.
        Met = "met",
        /// What is described contradicts it.
        NotMet = "not met",
        /// What would meet it is not described.
        DocumentationMissing = "documentation missing",
        /// The class that asks for it is not claimed.
        NotClaimed = "not claimed",
    }
}

terms! {
    /// What it is that a requirement is met by.
    #[non_exhaustive]
    ConformanceBasis, "basis" {
        /// Types of this library, which allow nothing else.
        Types = "types",
        /// A value of the description, checked as far as that goes.
        Description = "description",
        /// The word of the deployment.
        Statement = "statement",
    }
}

/// What judging a requirement gives.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Verdict {
    Met(ConformanceBasis, String),
    NotMet(String),
    Missing(String),
}

impl Verdict {
    /// Met by what is described under a key.
    pub(super) fn described(key: impl fmt::Display) -> Self {
        Self::Met(
            ConformanceBasis::Description,
            format!("described in `{key}`"),
        )
    }

    /// Met if a key is there.
    pub(super) fn needs<T>(said: Option<&T>, key: &str, what: &str) -> Self {
        match said {
            Some(_) => Self::described(key),
            None => Self::Missing(format!("say in `{key}` {what}")),
        }
    }

    pub(super) const fn outcome(&self) -> ConformanceOutcome {
        match self {
            Self::Met(..) => ConformanceOutcome::Met,
            Self::NotMet(_) => ConformanceOutcome::NotMet,
            Self::Missing(_) => ConformanceOutcome::DocumentationMissing,
        }
    }
}
