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
    }
}

impl WordingKind {
    /// The section that advises against it.
    #[must_use]
    pub const fn section(self) -> &'static str {
        match self {
            Self::Anthropomorphic | Self::FalsePrecision | Self::CertaintyCue => "MARC-02 10.3",
            Self::Bonding => "MARC-02 14",
        }
    }
}

/// A piece of a text that a disclosure should do without.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct WordingFinding {
    kind: WordingKind,
    span: Span,
}

impl WordingFinding {
    pub(super) const fn new(kind: WordingKind, span: Span) -> Self {
        Self { kind, span }
    }

    /// What is wrong with it.
    #[must_use]
    pub const fn kind(self) -> WordingKind {
        self.kind
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
        let Self { kind, span } = self;
        write!(f, "{kind} at {span} ({})", kind.section())
    }
}
