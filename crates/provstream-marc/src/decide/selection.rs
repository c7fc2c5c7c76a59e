//! An action that was selected, and why.

use core::fmt;
use std::borrow::Cow;

use super::bounds::BoundHit;
use crate::declare::values;
use crate::terms::{Action, Remediability};

values! {
    /// One step on the way to a selection, with the section of the draft that it follows.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct Step {
        /// The section, such as `MARC-02 8.8 step 4`.
        copy section: &'static str,
        /// What was found, or why the action was chosen.
        text reason: Cow<'static, str>,
        /// The action that the step chose; `None` if it was passed.
        copy action: Option<Action>,
    }

    /// One primary action for a situation, with the steps that led to it.
    ///
    /// The order is that of MARC-02 8.8: governing constraints, blocking ambiguity, then conflict, missing evidence and
    /// capability limits as far as they are material. An intervention that is not usable, not worthwhile or
    /// exhausted is passed over for the next one.
    #[derive(Clone, Debug, PartialEq, Eq)]
    #[must_use]
    pub struct Selection {
        /// The action.
        copy pub(super) action: Action,
        /// The class of intervention that the record states: the one that goes with the action (MARC-02 9.4), for
        /// [`Action::Answer`] and [`Action::Deliberate`] the stated one if it is possible, else the best that is.
        copy pub(super) remediability: Remediability,
        /// Whether a safety, legal or policy constraint governed. Source: MARC-02 8.8 step 1.
        copy pub(super) is_governed: bool,
        /// The steps that were passed, and the one that chose.
        list pub(super) steps: Step,
        /// The bounds that kept interventions from being taken. Source: MARC-02 7.3.
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
