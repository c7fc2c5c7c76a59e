//! What the record of a decision says beside the situation.

use std::borrow::Cow;

use super::bounds::BoundHit;
use super::controller::Controller;
use super::decision::DecideError;
use super::details::Details;
use super::policy::{Suitability, hand_over};
use super::selection::Selection;
use super::situation::Situation;
use crate::assemble::Extensions;
use crate::document::quoted;
use crate::score::Score;
use crate::terms::{Action, Remediability, Target};

/// An action with the values that depend on it.
#[derive(Debug)]
pub(super) struct Choice<'a> {
    pub(super) action: Action,
    pub(super) remediability: Remediability,
    pub(super) target: Target,
    /// The score that the band is taken from.
    pub(super) score: Score,
    pub(super) next_step: Cow<'a, str>,
    pub(super) extensions: Extensions,
}

impl<'a> Choice<'a> {
    /// The selected action.
    pub(super) fn of(
        situation: &Situation,
        details: &'a Details,
        selection: &Selection,
        controller: &Controller,
    ) -> Result<Self, DecideError> {
        let action = selection.action();
        let (target, score) = if action == Action::Answer {
            let score = details.post_answer_confidence;
            (Target::Answer, score.ok_or(DecideError::NoConfidence)?)
        } else {
            let suitability = controller.suitability(action);
            let score = match suitability {
                Suitability::DirectAnswer => Some(situation.pre_capability()),
                Suitability::Action => details.action_suitability,
            };
            let score = score.ok_or(DecideError::NoSuitability(action))?;
            (suitability.into(), score)
        };
        let mut extensions = details.extensions.clone();
        if let Some(name) = &details.sub_action {
            // A quoted text is JSON.
            let _ = extensions.add("x_sub_action", &quoted(name));
        }
        Ok(Self {
            action,
            remediability: selection.remediability(),
            target,
            score,
            next_step: Cow::Borrowed(&details.next_step),
            extensions,
        })
    }

    /// The outcome at a bound. Next step and sub-action of the caller are about the action that is not taken: the band is about the suitability of
    /// a direct answer, and the next step names the bound.
    pub(super) fn at_bound(situation: &Situation, details: &Details, hit: BoundHit) -> Self {
        let action = hand_over(situation);
        let next = match action {
            Action::Escalate => "hand the request to a human",
            _ => "decline to answer",
        };
        Self {
            action,
            remediability: action.remediability().unwrap_or(Remediability::None),
            target: Target::DirectAnswerSuitability,
            score: situation.pre_capability(),
            next_step: Cow::Owned(format!("{hit}; {next}")),
            extensions: details.extensions.clone(),
        }
    }
}
