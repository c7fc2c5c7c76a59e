//! Verdict on one requirement.

use crate::terms::terms;

terms! {
    /// Outcome of a requirement for a deployment.
    #[non_exhaustive]
    ConformanceOutcome, "outcome" {
        /// Met by types of the library or by values that were checked.
        Met = "met",
        /// Declared by the deployer; the library cannot check it.
        Declared = "declared",
        /// The description lacks the text or value that would meet the requirement.
        DocumentationMissing = "documentation missing",
        /// The description contradicts the requirement.
        NotMet = "not met",
        /// The class with the requirement is not claimed.
        NotClaimed = "not claimed",
    }
}

terms! {
    /// Basis on which a requirement is met.
    #[non_exhaustive]
    ConformanceBasis, "basis" {
        /// Types of this library, which permit nothing else.
        Types = "types",
        /// A value of the description that was checked.
        Description = "description",
    }
}

/// Outcome of a check, with its reason. A greater verdict is worse.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct RequirementVerdict {
    pub(super) outcome: ConformanceOutcome,
    pub(super) basis: Option<ConformanceBasis>,
    pub(super) reason: String,
}

impl RequirementVerdict {
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

    /// Creates a verdict for a requirement met by a checked value under `key`.
    pub(super) fn checked(key: &str) -> Self {
        Self::met(ConformanceBasis::Description, format!("by `{key}`"))
    }

    /// Creates a verdict for a requirement declared under `key`.
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
