//! An action that was selected, and why.

use core::fmt;

use super::deviation::Deviation;
use super::preference::Preference;
use super::remedy::Intervention;
use super::situation::{Judgement, Situation};
use super::step::Step;
use crate::terms::{Action, Remediability, Source};

/// One primary action for a decision point, with the step that led to it and what is to be said about it.
///
/// Source: MARC-02 8.8.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub struct Selection {
    step: Step,
    requirement: &'static str,
    ordered: Action,
    deviation: Option<Deviation>,
    remediability: Remediability,
    unfit: Option<Remediability>,
    preference: Preference,
}

impl Selection {
    /// What a step leads to in a situation.
    pub(super) fn new(situation: &Situation, step: Step, action: Action) -> Self {
        let limited = situation.is(Judgement::MaterialCapabilityLimit);
        Self {
            step,
            requirement: match step {
                // Only the high tier gets here without a limit of competence.
                Step::Limit if !limited => "M2-152",
                _ => step.requirement(),
            },
            ordered: action,
            deviation: None,
            remediability: remediability(situation, action),
            unfit: unfit(situation, action),
            preference: Preference::of(situation, action, step),
        }
    }

    /// The same with the action of a local rule.
    pub(super) fn deviating(self, situation: &Situation, deviation: Deviation) -> Self {
        let action = deviation.action();
        Self {
            deviation: Some(deviation),
            remediability: remediability(situation, action),
            unfit: unfit(situation, action),
            preference: Preference::of(situation, action, self.step),
            ..self
        }
    }

    /// The selected action.
    #[must_use]
    pub fn action(&self) -> Action {
        self.deviation
            .as_ref()
            .map_or(self.ordered, Deviation::action)
    }

    /// The step that applied.
    #[must_use]
    pub const fn step(&self) -> Step {
        self.step
    }

    /// The number, in the project's table of conformance, of the requirement that chose the step's action: that of the
    /// step, but `M2-152` where only the high risk tier led to [`Step::Limit`].
    #[must_use]
    pub const fn requirement(&self) -> &'static str {
        self.requirement
    }

    /// The action that the step led to. It is the selected one unless there is a [deviation](Self::deviation).
    #[must_use]
    pub const fn ordered_action(&self) -> Action {
        self.ordered
    }

    /// The local rule that put another action in its place. Source: MARC-02 9.4.
    #[must_use]
    pub const fn deviation(&self) -> Option<&Deviation> {
        self.deviation.as_ref()
    }

    /// The class of intervention that goes into the record: the action's own. With [`Action::Answer`] and
    /// [`Action::Deliberate`], which have none, the one the controller stated, else that of the best usable remedy: the one
    /// that fits the primary source, else the first in the order user, retrieval, tool, human; else none.
    ///
    /// Source: MARC-02 8.3, 9.4; open point 65.
    #[must_use]
    pub const fn remediability(&self) -> Remediability {
        self.remediability
    }

    /// The class that the controller stated, if it does not go with the action. It is reported and does not go into the
    /// record. Source: MARC-02 9.4; open point 87.
    #[must_use]
    pub const fn unfit_remediability(&self) -> Option<Remediability> {
        self.unfit
    }

    /// What the primary source would prefer.
    #[must_use]
    pub const fn preference(&self) -> &Preference {
        &self.preference
    }
}

/// `CLARIFY by step 2 (M2-56): ambiguity blocks an answer, and the user can resolve it`, then a deviation and what is not
/// as it should be.
impl fmt::Display for Selection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} by {}", self.ordered, self.step)?;
        if let Some(deviation) = &self.deviation {
            write!(f, "; instead {deviation}")?;
        }
        if let (Some(class), Some(rule)) = (self.unfit, self.action().remediability_rule()) {
            write!(f, "; {rule}: remediability {class} does not fit")?;
        }
        if !self.preference.is_met() {
            write!(f, "; {}", self.preference)?;
        }
        Ok(())
    }
}

fn remediability(situation: &Situation, action: Action) -> Remediability {
    action
        .remediability()
        .or(situation.remediability())
        .or_else(|| best_usable(situation)?.remediability())
        .unwrap_or(Remediability::None)
}

fn best_usable(situation: &Situation) -> Option<Intervention> {
    let fitting = match situation.primary_source() {
        Source::Ambiguity => Intervention::User,
        Source::MissingEvidence | Source::EvidenceConflict => Intervention::Retrieval,
        Source::CapabilityLimit => Intervention::Tool,
        Source::Safety => Intervention::Human,
    };
    [
        fitting,
        Intervention::User,
        Intervention::Retrieval,
        Intervention::Tool,
        Intervention::Human,
    ]
    .into_iter()
    .find(|&intervention| situation.remedies().is_usable(intervention))
}

fn unfit(situation: &Situation, action: Action) -> Option<Remediability> {
    situation
        .remediability()
        .filter(|&class| !action.fits(class))
}
