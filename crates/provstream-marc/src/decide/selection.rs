//! Selected actions and the steps that led to them.

use core::fmt;
use std::borrow::Cow;

use super::bounds::BoundHit;
use crate::declare::values;
use crate::terms::{Action, Remediability};

values! {
    /// One step of a selection, with the section of the draft that it follows.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct Step {
        /// The section, such as `MARC-02 8.8 step 4`.
        copy section: &'static str,
        /// Finding of the step, or the reason for its action.
        text reason: Cow<'static, str>,
        /// The action that the step selected; `None` if selection continued with the next step.
        copy action: Option<Action>,
    }

    /// A primary action selected for a situation, with the steps that led to it.
    ///
    /// The order is that of MARC-02 8.8: governing constraints, blocking ambiguity, then conflict, missing evidence and
    /// capability limits as far as they are material. An intervention that is not usable, not worthwhile or
    /// exhausted is passed over for the next one.
    #[derive(Clone, Debug, PartialEq, Eq)]
    #[must_use]
    pub struct Selection {
        /// The action.
        copy pub(super) action: Action,
        /// The class of intervention that the record states: the one of the action (MARC-02 9.4);
        /// for [`Action::Answer`] and [`Action::Deliberate`], the stated class if possible,
        /// otherwise the best possible one.
        copy pub(super) remediability: Remediability,
        /// `true` if a safety, legal or policy constraint governed. Source: MARC-02 8.8 step 1.
        copy pub(super) is_governed: bool,
        /// The steps in order. The last one selected the action.
        list pub(super) steps: Step,
        /// Bounds that ruled out interventions. Source: MARC-02 7.3.
        list pub(super) skipped: BoundHit,
        /// The condition of the deviation that applied. Source: MARC-02 9.4.
        maybe_text pub(super) deviation: Option<String>,
    }
}

impl Step {
    pub(super) fn new(
        section: &'static str,
        reason: impl Into<Cow<'static, str>>,
        action: Option<Action>,
    ) -> Self {
        let reason = reason.into();
        Self {
            section,
            reason,
            action,
        }
    }
}

/// `MARC-02 8.8 step 4: RETRIEVE, required evidence is missing and retrieval is usable`
impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.section)?;
        match self.action {
            Some(action) => write!(f, "{action}, {}", self.reason),
            None => f.write_str(&self.reason),
        }
    }
}

/// All steps, separated by semicolons.
impl fmt::Display for Selection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, step) in self.steps.iter().enumerate() {
            let before = if index == 0 { "" } else { "; " };
            write!(f, "{before}{step}")?;
        }
        Ok(())
    }
}
