//! A decision, and why none could be taken.

use core::fmt;
use std::error::Error;

use super::bounds::BoundHit;
use super::selection::Selection;
use crate::core::Core;
use crate::terms::Action;
use crate::violation::Report;

/// What a session decided: a record, the selection behind it, and the bound that was reached if there was one.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub struct Decision {
    pub(super) record: Core,
    pub(super) selection: Selection,
    pub(super) bound: Option<BoundHit>,
}

impl Decision {
    /// The action to be taken, which the record has: the selected one, or the outcome at the bound.
    #[must_use]
    pub const fn action(&self) -> Action {
        self.record.selected_action()
    }

    /// The record. It is to be logged, or handed over, or projected to a disclosure.
    #[must_use]
    pub const fn record(&self) -> &Core {
        &self.record
    }

    /// The record, without the rest.
    #[must_use]
    pub fn into_record(self) -> Core {
        self.record
    }

    /// The selection, before any bound.
    pub const fn selection(&self) -> &Selection {
        &self.selection
    }

    /// The bound that kept the selected action from being taken. Source: MARC-02 7.3; open point 92.
    #[must_use]
    pub const fn bound(&self) -> Option<BoundHit> {
        self.bound
    }
}

/// Why no decision was taken. The session is as it was before.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum DecideError {
    /// This action is running; its end is to be told first.
    Running(Action),
    /// The session ended with this action.
    Over(Action),
    /// `ANSWER` is selected, and the confidence in the answer is missing.
    NoConfidence,
    /// The band is about this action by policy, and the confidence in the action is missing.
    NoSuitability(Action),
    /// The controller has no sub-action of that name.
    UnknownSubAction(String),
    /// The sub-action is not a kind of the selected action.
    OtherSubAction {
        /// Its name.
        name: String,
        /// What it is a kind of.
        kind_of: Action,
        /// What is selected.
        selected: Action,
    },
    /// The record would not be valid: the next step is empty or longer than 280 code points. The error's source says which.
    Invalid(Report),
}

impl fmt::Display for DecideError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Running(action) => {
                write!(f, "{action} is running; tell the session when it is done")
            }
            Self::Over(action) => write!(f, "the session ended with {action}"),
            Self::NoConfidence => f.write_str("ANSWER needs the confidence in the answer"),
            Self::NoSuitability(action) => {
                write!(f, "by policy {action} needs the confidence in the action")
            }
            Self::UnknownSubAction(name) => write!(f, "there is no sub-action {name:?}"),
            Self::OtherSubAction {
                name,
                kind_of,
                selected,
            } => write!(
                f,
                "sub-action {name:?} is a kind of {kind_of}, and {selected} is selected"
            ),
            Self::Invalid(_) => f.write_str("the record would not be valid"),
        }
    }
}

impl Error for DecideError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Invalid(report) => Some(report),
            _ => None,
        }
    }
}

impl From<Report> for DecideError {
    fn from(report: Report) -> Self {
        Self::Invalid(report)
    }
}
