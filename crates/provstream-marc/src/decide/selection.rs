//! An action that was selected, and why.

use core::fmt;
use std::borrow::Cow;

use super::bounds::BoundHit;
use crate::terms::{Action, Remediability};

/// One step on the way to a selection, with the section of the draft that it follows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    section: &'static str,
    reason: Cow<'static, str>,
    action: Option<Action>,
}

impl Step {
    pub(super) fn passed(section: &'static str, reason: impl Into<Cow<'static, str>>) -> Self {
        Self {
            section,
            reason: reason.into(),
            action: None,
        }
    }

    pub(super) fn chose(
        section: &'static str,
        action: Action,
        reason: impl Into<Cow<'static, str>>,
    ) -> Self {
        Self {
            section,
            reason: reason.into(),
            action: Some(action),
        }
    }

    /// The section, such as `MARC-02 8.8 step 4`.
    #[must_use]
    pub const fn section(&self) -> &'static str {
        self.section
    }

    /// What was found, or why the action was chosen.
    #[must_use]
    pub fn reason(&self) -> &str {
        &self.reason
    }

    /// The action that the step chose; `None` if it was passed.
    #[must_use]
    pub const fn action(&self) -> Option<Action> {
        self.action
    }
}

/// `MARC-02 8.8 step 4: RETRIEVE, required evidence is missing and retrieval is usable`
impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            section,
            reason,
            action,
        } = self;
        match action {
            Some(action) => write!(f, "{section}: {action}, {reason}"),
            None => write!(f, "{section}: {reason}"),
        }
    }
}

/// One primary action for a situation, with the steps that led to it.
///
/// The order is that of MARC-02 8.8: governing constraints, blocking ambiguity, then the sources that are material, the
/// primary source first and the rest as the draft ranks them. An intervention that is not usable, not worthwhile or
/// exhausted is passed over for the next one.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub struct Selection {
    pub(super) action: Action,
    pub(super) remediability: Remediability,
    pub(super) governed: bool,
    pub(super) steps: Vec<Step>,
    pub(super) skipped: Vec<BoundHit>,
    pub(super) deviation: Option<String>,
}

impl Selection {
    /// The action.
    #[must_use]
    pub const fn action(&self) -> Action {
        self.action
    }

    /// The class of intervention that the record states: the one that goes with the action (MARC-02 9.4), for
    /// [`Action::Answer`] and [`Action::Deliberate`] the stated or the best usable one.
    #[must_use]
    pub const fn remediability(&self) -> Remediability {
        self.remediability
    }

    /// Whether a safety, legal or policy constraint governed. Source: MARC-02 8.8 step 1.
    #[must_use]
    pub const fn is_governed(&self) -> bool {
        self.governed
    }

    /// The steps that were passed, and the one that chose.
    #[must_use]
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// The bounds that kept interventions from being taken. Source: MARC-02 7.3.
    #[must_use]
    pub fn skipped(&self) -> &[BoundHit] {
        &self.skipped
    }

    /// The condition of the deviation that applied. Source: MARC-02 9.4.
    #[must_use]
    pub fn deviation(&self) -> Option<&str> {
        self.deviation.as_deref()
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
