//! The words of a description that come from a list.

use crate::terms::terms;

terms! {
    /// A class of conformance. Source: MARC-02 20.2.
    #[non_exhaustive]
    ConformanceClass, "conformance class" {
        /// Records and the decisions behind them.
        Core = "core",
        /// What is shown of them. It includes MARC-Core.
        Disclosure = "disclosure",
        /// Either of them inside of something else.
        Carrying = "carrying",
    }
}

impl ConformanceClass {
    /// The class as the drafts write it, such as `MARC-Core`.
    #[must_use]
    pub const fn title(self) -> &'static str {
        match self {
            Self::Core => "MARC-Core",
            Self::Disclosure => "MARC-Disclosure",
            Self::Carrying => "MARC-Carrying",
        }
    }
}

terms! {
    /// With what a deployment builds its records, or takes its decisions.
    #[non_exhaustive]
    Implementation, "implementation" {
        /// With the types of this library.
        Provstream = "provstream",
        /// With code of its own.
        Own = "own",
    }
}

/// The task family, one of [`FACTORS`].
pub(super) const TASK_FAMILY: &str = "task family";

/// What the thresholds of bands may vary with. Source: MARC-02 8.5.
pub(super) const FACTORS: &[&str] = &[
    "domain",
    TASK_FAMILY,
    "action type",
    "deployment context",
    "risk tier",
];

/// Domains in which little is left to automation. Source: MARC-02 14.
pub(super) const RISK_DOMAINS: &[&str] =
    &["health", "legal", "financial", "safety", "mental health"];
