//! What is found in a wording.

use core::fmt;

use crate::declare::values;
use crate::draft::Draft;
use crate::terms::terms;
use provstream::Span;

terms! {
    /// What is wrong with a wording.
    #[non_exhaustive]
    WordingKind, "kind of wording" {
        /// It claims feelings, self-awareness or a mental state: "I feel unsure". Source: MARC-02 10.3.
        Anthropomorphic = "anthropomorphic",
        /// It has a percentage or a fine-grained score of confidence: "87 % likely". Source: MARC-02 10.3.
        FalsePrecision = "false-precision",
        /// It stresses certainty or asks for trust: "guaranteed", "you can trust this answer". Source: MARC-02 10.3.
        CertaintyCue = "certainty-cue",
        /// It bonds, flatters or defers: "trust me", "as you wish". Source: MARC-02 14, 18.
        Bonding = "bonding",
        /// It takes a band, a record, an action, conformance, a check or agreement for proof of something else: "verified",
        /// "all models agree, so it is true". Source: MARC-02 8.5, 8.6, 15, 20.
        ProofClaim = "proof-claim",
        /// It shows or requires hidden reasoning or prompts. Source: MARC-02 10.3, 20.1.
        RationaleExposure = "rationale-exposure",
    }
}

values! {
    /// A piece of a text that a disclosure should do without.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub struct WordingFinding {
        /// What is wrong with it.
        copy pub(super) kind: WordingKind,
        /// The section that advises against it, such as `MARC-02 10.3`.
        copy pub(super) section: &'static str,
        /// Where it is, in bytes of the text.
        copy pub(super) span: Span,
    }
}

impl WordingFinding {
    /// The section of a draft that advises against it.
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
