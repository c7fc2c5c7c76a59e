//! The rules of a deployment.

use core::fmt;

use super::deviation::Deviation;
use super::remedy::Intervention;
use super::selection::Selection;
use super::situation::Situation;
use crate::terms::{Action, Target};

/// What a confidence band is about where there is no candidate answer. Source: MARC-02 8.6.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Suitability {
    /// Whether a direct answer is suitable: the default.
    #[default]
    DirectAnswer,
    /// Confidence in the selected action.
    Action,
}

impl From<Suitability> for Target {
    fn from(suitability: Suitability) -> Self {
        match suitability {
            Suitability::DirectAnswer => Self::DirectAnswerSuitability,
            Suitability::Action => Self::ActionSuitability,
        }
    }
}

/// The rules of a deployment, each with a default. Source: MARC-02 8.6, 8.8, 9.4.
///
/// ```
/// use provstream_marc::{
///     Action, Deviation, DeviationError, Judgement, Policy, RiskTier, Score, Scores, Selection, Situation, Source,
/// };
///
/// #[derive(Debug)]
/// struct NoUnsourcedAnswers(Deviation);
///
/// impl Policy for NoUnsourcedAnswers {
///     fn deviate(&self, situation: &Situation, selection: &Selection) -> Option<Deviation> {
///         let unsourced = situation.is(Judgement::RequiredEvidenceMissing) && selection.action() == Action::Answer;
///         unsourced.then(|| self.0.clone())
///     }
/// }
///
/// let policy = NoUnsourcedAnswers(Deviation::new(Action::Abstain, "nothing is answered without required evidence")?);
/// let situation = Situation::new(Score::ONE, Scores::default(), Source::MissingEvidence)
///     .with_judgement(Judgement::RequiredEvidenceMissing);
/// let selection = Selection::of(&situation, &policy);
/// assert_eq!((selection.ordered_action(), selection.action()), (Action::Answer, Action::Abstain));
/// # Ok::<(), DeviationError>(())
/// ```
pub trait Policy: fmt::Debug + Send + Sync {
    /// What is done where a safety, legal or policy constraint controls: by default [`Action::Escalate`] where a human is
    /// usable, else [`Action::Abstain`]. It is asked before anything else, and nothing overrides it but a
    /// [bound](super::bounds::Bounds). Source: MARC-02 8.8 step 1.
    fn govern(&self, situation: &Situation) -> Action {
        hand_over(situation)
    }

    /// Another action than the order selects, with the condition that asks for it; by default none. It is not asked where
    /// [`govern`](Self::govern) has decided. Source: MARC-02 8.8, 9.4.
    fn deviate(&self, situation: &Situation, selection: &Selection) -> Option<Deviation> {
        let _ = (situation, selection);
        None
    }

    /// What the confidence band of an action is about: by default the suitability of a direct answer. It is not asked for
    /// [`Action::Answer`], whose band is about the answer, nor for the outcome at a bound, nor under -01. Source: MARC-02
    /// 8.6.
    fn target(&self, action: Action) -> Suitability {
        let _ = action;
        Suitability::DirectAnswer
    }
}

/// The policy with nothing but defaults.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct DefaultPolicy;

impl Policy for DefaultPolicy {}

/// A human where one is usable, else no answer.
pub(super) fn hand_over(situation: &Situation) -> Action {
    if situation.remedies().is_usable(Intervention::Human) {
        Action::Escalate
    } else {
        Action::Abstain
    }
}
