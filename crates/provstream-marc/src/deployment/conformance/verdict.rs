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

/// What judging a requirement gives, with the reason. The greater one is worse.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Verdict {
    pub(super) outcome: ConformanceOutcome,
    pub(super) basis: Option<ConformanceBasis>,
    pub(super) reason: String,
}

impl Verdict {
    pub(super) fn new(outcome: ConformanceOutcome, reason: impl Into<String>) -> Self {
        Self {
            outcome,
            basis: None,
            reason: reason.into(),
        }
    }

    pub(super) fn met(basis: ConformanceBasis, reason: impl Into<String>) -> Self {
        Self {
            basis: Some(basis),
            ..Self::new(ConformanceOutcome::Met, reason)
        }
    }

    /// Met by a value under a key that was checked.
    pub(super) fn checked(key: &str) -> Self {
        Self::met(ConformanceBasis::Description, format!("by `{key}`"))
    }

    /// Declared by what is described under a key.
    pub(super) fn declared(key: &str) -> Self {
        let reason = format!("described in `{key}`");
        Self::new(ConformanceOutcome::Declared, reason)
    }

    pub(super) fn missing(reason: impl Into<String>) -> Self {
        Self::new(ConformanceOutcome::DocumentationMissing, reason)
    }

    pub(super) fn not_met(reason: impl Into<String>) -> Self {
        Self::new(ConformanceOutcome::NotMet, reason)
    }
}
