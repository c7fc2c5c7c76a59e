//! How one requirement fares.

use crate::terms::terms;

terms! {
    /// How a requirement fares with a deployment.
    #[non_exhaustive]
    ConformanceOutcome, "outcome" {
        /// It is met, by types of the library or by values that were checked.
        Met = "met",
        /// The deployer says that it is met, which the library cannot check.
        Declared = "declared",
        /// What would meet it is not described.
        DocumentationMissing = "documentation missing",
        /// What is described contradicts it.
        NotMet = "not met",
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
        /// A value of the description that was checked.
        Description = "description",
    }
}

/// What judging a requirement gives, with the reason.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Verdict {
    Met(ConformanceBasis, String),
    Declared(String),
    Missing(String),
    NotMet(String),
    NotClaimed,
}

impl Verdict {
    /// Met by a value under a key that was checked.
    pub(super) fn checked(key: &str) -> Self {
        Self::Met(ConformanceBasis::Description, format!("by `{key}`"))
    }

    /// Declared by what is described under a key.
    pub(super) fn declared(key: &str) -> Self {
        Self::Declared(format!("described in `{key}`"))
    }

    pub(super) const fn outcome(&self) -> ConformanceOutcome {
        match self {
            Self::Met(..) => ConformanceOutcome::Met,
            Self::Declared(_) => ConformanceOutcome::Declared,
            Self::Missing(_) => ConformanceOutcome::DocumentationMissing,
            Self::NotMet(_) => ConformanceOutcome::NotMet,
            Self::NotClaimed => ConformanceOutcome::NotClaimed,
        }
    }

    /// How bad it is: met by types, by a checked value, declared, missing, contradicted.
    pub(super) const fn rank(&self) -> u8 {
        match self {
            Self::Met(ConformanceBasis::Types, _) | Self::NotClaimed => 0,
            Self::Met(ConformanceBasis::Description, _) => 1,
            Self::Declared(_) => 2,
            Self::Missing(_) => 3,
            Self::NotMet(_) => 4,
        }
    }

    /// The same for another reason.
    pub(super) fn because(self, reason: String) -> Self {
        match self {
            Self::Met(basis, _) => Self::Met(basis, reason),
            Self::Declared(_) => Self::Declared(reason),
            Self::Missing(_) => Self::Missing(reason),
            Self::NotMet(_) => Self::NotMet(reason),
            Self::NotClaimed => Self::NotClaimed,
        }
    }
}
