//! The closed enumerations of MARC.

use super::declare::errors;

/// A closed enumeration whose values are written as given.
macro_rules! terms {
    ($(#[$doc:meta])* $name:ident, $what:literal { $($(#[$term_doc:meta])* $term:ident = $text:literal,)+ }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name {
            $($(#[$term_doc])* $term,)+
        }

        impl $name {
            /// All values, in the order of the draft.
            pub const ALL: &'static [Self] = &[$(Self::$term,)+];

            /// All values as they are written, in the same order.
            pub const NAMES: &'static [&'static str] = &[$($text,)+];

            /// Returns the value as written. Letter case is significant.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$term => $text,)+
                }
            }
        }

        impl ::core::fmt::Display for $name {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                f.pad(self.as_str())
            }
        }

        impl ::core::str::FromStr for $name {
            type Err = $crate::TermError;

            fn from_str(text: &str) -> ::core::result::Result<Self, Self::Err> {
                match text {
                    $($text => Ok(Self::$term),)+
                    _ => Err($crate::TermErrorKind::Unknown($what, Self::NAMES, text.into()).into()),
                }
            }
        }
    };
}

pub(super) use terms;

terms! {
    /// Source of uncertainty. Source: MARC-02 8.2.
    Source, "source of uncertainty" {
        /// The request is underspecified, equivocal or unclear.
        Ambiguity = "ambiguity",
        /// External evidence that is needed is absent, inaccessible, insufficient or stale.
        MissingEvidence = "missing_evidence",
        /// The competence for a reliable solution is lacking under the present conditions.
        CapabilityLimit = "capability_limit",
        /// Evidence that matters is materially inconsistent.
        EvidenceConflict = "evidence_conflict",
        /// A policy, legal or safety constraint limits what may be done or said.
        Safety = "safety",
    }
}

terms! {
    /// The best available class of intervention. Source: MARC-02 8.3.
    Remediability, "remediability" {
        /// The user can clarify.
        UserClarification = "user_clarification",
        /// Evidence can be retrieved.
        Retrieval = "retrieval",
        /// A tool other than retrieval can help.
        Tool = "tool",
        /// A human can help.
        Human = "human",
        /// Nothing available helps.
        None = "none",
    }
}

terms! {
    /// A primary action; exactly one is selected at a decision point. Source: MARC-02 8.7, 8.9.
    Action, "primary action" {
        /// Return an answer, with no externalization after this decision point.
        Answer = "ANSWER",
        /// Ask the user for the smallest set of clarifications that helps.
        Clarify = "CLARIFY",
        /// Get external evidence, then assess again.
        Retrieve = "RETRIEVE",
        /// Invoke a tool other than retrieval, then assess again.
        Tool = "TOOL",
        /// Spend more computation inside the system, then assess again.
        Deliberate = "DELIBERATE",
        /// Decline without starting an escalation.
        Abstain = "ABSTAIN",
        /// Hand the case to a human or a higher authority, or tell the user to.
        Escalate = "ESCALATE",
    }
}

impl Action {
    /// Returns `true` for actions after which the request is assessed again: retrieval, tool use
    /// and deliberation. Source: MARC-02 7.3.
    #[must_use]
    pub const fn loops(self) -> bool {
        matches!(self, Self::Retrieve | Self::Tool | Self::Deliberate)
    }

    /// Returns the class of intervention of the action, or `None` for [`Action::Answer`] and
    /// [`Action::Deliberate`], which go with any class. Source: MARC-02 9.4; open points 65 and 66.
    #[must_use]
    pub const fn remediability(self) -> Option<Remediability> {
        match self {
            Self::Clarify => Some(Remediability::UserClarification),
            Self::Retrieve => Some(Remediability::Retrieval),
            Self::Tool => Some(Remediability::Tool),
            Self::Escalate => Some(Remediability::Human),
            Self::Abstain => Some(Remediability::None),
            Self::Answer | Self::Deliberate => None,
        }
    }

    /// Returns `true` if a class of intervention is consistent with the action: the action's own
    /// class. [`Action::Abstain`] is also consistent with [`Remediability::Human`], because a human
    /// path may exist that this system does not initiate. Source: MARC-02 9.4; open points 65 and
    /// 66.
    #[must_use]
    pub fn fits(self, class: Remediability) -> bool {
        let human = (self, class) == (Self::Abstain, Remediability::Human);
        self.remediability().is_none_or(|own| own == class || human)
    }
}

terms! {
    /// A coarse, calibrated confidence band. Source: MARC-02 8.5.
    Band, "confidence band" {
        /// The lowest band.
        Low = "low",
        /// The band between.
        Medium = "medium",
        /// The highest band.
        High = "high",
    }
}

terms! {
    /// Subject of a confidence band. Source: MARC-02 8.6.
    Target, "confidence target" {
        /// The candidate answer that is disclosed.
        Answer = "answer",
        /// The suitability of a direct answer under the present conditions.
        DirectAnswerSuitability = "direct_answer_suitability",
        /// The suitability of the selected action.
        ActionSuitability = "action_suitability",
    }
}

impl Target {
    /// Returns the default target of an action: the answer for [`Action::Answer`], otherwise the
    /// suitability of a direct answer. A deployment can define another. Source: MARC-02 8.6.
    #[must_use]
    pub const fn of(action: Action) -> Self {
        match action {
            Action::Answer => Self::Answer,
            _ => Self::DirectAnswerSuitability,
        }
    }
}

errors! {
    /// A text is not one of the values of an enumeration.
    TermError,
    /// Reason why a text is not a value of an enumeration.
    TermErrorKind {
        /// Unknown value: the name of the enumeration, its values, and the text.
        Unknown(what: &'static str, known: &'static [&'static str], given: String) =>
            "unknown {what} {given:?}, expected one of {}", known.join(", ");
    }
}
