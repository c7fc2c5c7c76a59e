//! What the primary source alone would prefer.

use core::fmt;

use super::remedy::Intervention;
use super::situation::{Judgement, Situation};
use super::step::Step;
use crate::terms::{Action, Source};

/// The actions that are preferred for a primary source, and whether the selected one meets that. It is reported beside a
/// selection and never changes it. Source: MARC-02 8.8; open point 87.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Preference {
    source: Source,
    actions: &'static [Action],
    met: bool,
}

impl Preference {
    pub(super) fn of(situation: &Situation, action: Action, step: Step) -> Self {
        let source = situation.primary_source();
        let remedies = situation.remedies();
        let (actions, yields): (&[Action], bool) = match source {
            Source::Ambiguity => (
                &[Action::Clarify],
                situation.is(Judgement::ResolvableFromEvidence),
            ),
            Source::MissingEvidence => {
                let retrieval = remedies.get(Intervention::Retrieval);
                let possible = retrieval.is_available() && retrieval.is_permitted();
                (&[Action::Retrieve], !possible)
            }
            Source::CapabilityLimit => (
                &[Action::Abstain, Action::Escalate],
                remedies.is_usable(Intervention::Tool),
            ),
            Source::EvidenceConflict => {
                (&[Action::Retrieve, Action::Tool, Action::Escalate], false)
            }
            Source::Safety => (&[], false),
        };
        let met = match source {
            // The preference is over a direct answer, not over the rest.
            Source::EvidenceConflict => action != Action::Answer,
            Source::Safety => step == Step::Governing,
            _ => yields || actions.contains(&action),
        };
        Self {
            source,
            actions: if yields { &[] } else { actions },
            met,
        }
    }

    /// The primary source.
    #[must_use]
    pub const fn source(&self) -> Source {
        self.source
    }

    /// The preferred actions. There are none where the draft lets the preference yield: to evidence that resolves the
    /// ambiguity, to retrieval that is not there or not permitted, to a tool that is usable. Nor are there any for
    /// [`Source::Safety`], with which the governing policy decides.
    #[must_use]
    pub const fn actions(&self) -> &'static [Action] {
        self.actions
    }

    /// Whether the selected action is one of them, or none is preferred. With [`Source::EvidenceConflict`] any action but
    /// [`Action::Answer`] meets it; with [`Source::Safety`], that the governing policy selected.
    #[must_use]
    pub const fn is_met(&self) -> bool {
        self.met
    }

    /// The number of the requirement in the project's table of conformance: `M2-64` to `M2-68`.
    #[must_use]
    pub const fn requirement(&self) -> &'static str {
        match self.source {
            Source::Ambiguity => "M2-64",
            Source::MissingEvidence => "M2-65",
            Source::CapabilityLimit => "M2-66",
            Source::EvidenceConflict => "M2-67",
            Source::Safety => "M2-68",
        }
    }
}

/// `M2-66: capability_limit prefers ABSTAIN or ESCALATE, not met`
impl fmt::Display for Preference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (requirement, source) = (self.requirement(), self.source);
        write!(f, "{requirement}: {source} prefers ")?;
        for (index, action) in self.actions.iter().enumerate() {
            let before = if index == 0 { "" } else { " or " };
            write!(f, "{before}{action}")?;
        }
        if self.actions.is_empty() {
            f.write_str(match self.source {
                Source::Safety => "what the governing policy selects",
                _ => "nothing here",
            })?;
        }
        f.write_str(if self.met { ", met" } else { ", not met" })
    }
}
