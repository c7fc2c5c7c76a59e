//! Findings in a wording.

use core::fmt;

use crate::declare::values;
use crate::draft::Draft;
use crate::terms::terms;
use provstream::Span;

terms! {
    /// Kind of unsuitable wording.
    #[non_exhaustive]
    WordingKind, "kind of wording" {
        /// Claims feelings, self-awareness or a mental state: "I feel unsure". Source: MARC-02
        /// 10.3.
        Anthropomorphic = "anthropomorphic",
        /// Has a percentage or a fine-grained score of confidence: "87 % likely". Source: MARC-02
        /// 10.3.
        FalsePrecision = "false-precision",
        /// Stresses certainty or asks for trust: "guaranteed", "you can trust this answer". Source:
        /// MARC-02 10.3.
        CertaintyCue = "certainty-cue",
        /// Bonds, flatters or defers: "trust me", "as you wish". Source: MARC-02 14, 18.
        Bonding = "bonding",
        /// Presents a band, a record, an action, conformance, a check or agreement as proof of
        /// something else: "verified", "all models agree, so it is true". Source: MARC-02 8.5, 8.6,
        /// 15, 20.
        ProofClaim = "proof-claim",
        /// Shows or requires hidden reasoning or prompts. Source: MARC-02 10.3, 20.1.
        RationaleExposure = "rationale-exposure",
    }
}

values! {
    /// Part of a text that a disclosure should avoid.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub struct WordingFinding {
        /// Kind of unsuitable wording.
        copy pub(super) kind: WordingKind,
        /// Section that advises against the wording, such as `MARC-02 10.3`.
        copy pub(super) section: &'static str,
        /// Byte range in the text.
        copy pub(super) span: Span,
    }
}

impl WordingFinding {
    /// Returns the section of a draft that advises against the wording.
    #[must_use]
    pub fn section_of(&self, draft: Draft) -> &'static str {
        match (draft, self.section) {
            (Draft::Draft01, "MARC-02 8.5" | "MARC-02 8.6") => "MARC-01 7.5",
            (Draft::Draft01, "MARC-02 10.2") => "MARC-01 9.2",
            (Draft::Draft01, "MARC-02 10.3") => "MARC-01 9.3",
            (Draft::Draft01, "MARC-02 14") => "MARC-01 13",
            (Draft::Draft01, "MARC-02 15") => "MARC-01 15",
            (Draft::Draft01, "MARC-02 18") => "MARC-01 17",
            (_, section) => section,
        }
    }
}

/// `anthropomorphic at 0..13 (MARC-02 10.3)`
impl fmt::Display for WordingFinding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at {} ({})", self.kind, self.span, self.section)
    }
}
