//! What is found in a wording.

use core::fmt;

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

/// The sections that rules name.
const SECTIONS: &[(&str, &str)] = &[
    ("8.2", "MARC-02 8.2"),
    ("8.5", "MARC-02 8.5"),
    ("8.6", "MARC-02 8.6"),
    ("10.2", "MARC-02 10.2"),
    ("10.3", "MARC-02 10.3"),
    ("14", "MARC-02 14"),
    ("15", "MARC-02 15"),
    ("16", "MARC-02 16"),
    ("18", "MARC-02 18"),
    ("20", "MARC-02 20"),
    ("20.1", "MARC-02 20.1"),
];

/// The section of the draft with a number, if rules name it.
pub(super) fn section(number: &str) -> Option<&'static str> {
    let known = SECTIONS.iter().find(|(known, _)| *known == number);
    known.map(|(_, section)| *section)
}

/// A piece of a text that a disclosure should do without.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct WordingFinding {
    kind: WordingKind,
    section: &'static str,
    span: Span,
}

impl WordingFinding {
    pub(super) const fn new(kind: WordingKind, section: &'static str, span: Span) -> Self {
        Self {
            kind,
            section,
            span,
        }
    }

    /// What is wrong with it.
    #[must_use]
    pub const fn kind(self) -> WordingKind {
        self.kind
    }

    /// The section that advises against it, such as `MARC-02 10.3`.
    #[must_use]
    pub const fn section(self) -> &'static str {
        self.section
    }

    /// Where it is, in bytes of the text.
    #[must_use]
    pub const fn span(self) -> Span {
        self.span
    }
}

/// `anthropomorphic at 0..13 (MARC-02 10.3)`
impl fmt::Display for WordingFinding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            kind,
            section,
            span,
        } = self;
        write!(f, "{kind} at {span} ({section})")
    }
}
