//! A decision, and why none could be taken.

use core::fmt;
use std::error::Error;

use super::selection::Selection;
use crate::core::Core;
use crate::speech::Speech;
use crate::terms::Action;
use crate::violation::Report;

/// What a session decided: the record, and the selection that led to it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub struct Decision {
    pub(super) record: Core,
    pub(super) selection: Selection,
}

impl Decision {
    /// The action to be taken, which the record states.
    #[must_use]
    pub const fn action(&self) -> Action {
        self.record.selected_action()
    }

    /// The record, to be logged, passed on, or [spoken about](Self::speech).
    #[must_use]
    pub const fn record(&self) -> &Core {
        &self.record
    }

    /// The record, without the rest.
    #[must_use]
    pub fn into_record(self) -> Core {
        self.record
    }

    /// The selection, which explains itself.
    pub const fn selection(&self) -> &Selection {
        &self.selection
    }

    /// What may be said to the user about it, by the action. The record is the session's own, so its context is known.
    #[must_use]
    pub fn speech(&self) -> Speech {
        Speech::of(self.record.clone())
    }
}

/// Why no decision was taken.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum DecideErrorKind {
    /// This action is running; [`Session::completed`](super::Session::completed) comes first.
    Running(Action),
    /// The user was asked; [`Session::replied`](super::Session::replied) comes first.
    AwaitingReply,
    /// The session ended with this action.
    Over(Action),
    /// `ANSWER` is selected, and `post_answer_confidence` is missing. Source: MARC-02 9.4.
    NoConfidence,
    /// The band is about this action by policy, and `action_suitability` is missing. Source: MARC-02 8.6.
    NoSuitability(Action),
    /// The calibration has bands by task family, and none of this name. Source: MARC-02 8.5.
    UnknownFamily(String),
    /// The controller has no sub-action of that name. Source: MARC-02 8.7.
    UnknownSubAction(String),
    /// The record would not be valid.
    Invalid(Report),
}

/// No decision was taken. The session is as it was before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DecideError(pub(super) DecideErrorKind);

impl DecideError {
    /// Why.
    #[must_use]
    pub const fn kind(&self) -> &DecideErrorKind {
        &self.0
    }
}

impl fmt::Display for DecideError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use DecideErrorKind as Kind;
        match &self.0 {
            Kind::Running(action) => write!(
                f,
                "expected the end of {action}, which is running, found another situation"
            ),
            Kind::AwaitingReply => {
                f.write_str("expected the user's reply to CLARIFY, found another situation")
            }
            Kind::Over(action) => write!(f, "the session ended with {action}"),
            Kind::NoConfidence => f.write_str(
                "ANSWER is selected: expected `post_answer_confidence`, which is missing (MARC-02 9.4)",
            ),
            Kind::NoSuitability(action) => write!(
                f,
                "by policy the band of {action} is about the action: expected `action_suitability`, which is missing (MARC-02 8.6)"
            ),
            Kind::UnknownFamily(family) => {
                write!(
                    f,
                    "unknown task family {family:?}: it has no bands (MARC-02 8.5)"
                )
            }
            Kind::UnknownSubAction(name) => write!(f, "unknown sub-action {name:?} (MARC-02 8.7)"),
            Kind::Invalid(report) => write!(f, "the record would not be valid: {report}"),
        }
    }
}

impl Error for DecideError {}

impl From<DecideErrorKind> for DecideError {
    fn from(kind: DecideErrorKind) -> Self {
        Self(kind)
    }
}

impl From<Report> for DecideError {
    fn from(report: Report) -> Self {
        Self(DecideErrorKind::Invalid(report))
    }
}
