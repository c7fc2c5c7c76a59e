//! Decisions of a session, and errors that prevent one.

use super::selection::Selection;
use crate::core::Core;
use crate::declare::{errors, values};
use crate::speech::Speech;
use crate::terms::Action;
use crate::violation::Report;

values! {
    /// Decision of a session: the record, and the selection that led to it.
    #[derive(Clone, Debug, PartialEq, Eq)]
    #[must_use]
    pub struct Decision {
        /// The record, to be logged, passed on, or [spoken about](Self::speech).
        borrow pub(super) record: Core,
        /// The selection, with its explanation.
        own pub(super) selection: Selection,
    }
}

impl Decision {
    /// Returns the action to take, as stated in the record.
    #[must_use]
    pub const fn action(&self) -> Action {
        self.record.selected_action()
    }

    /// Converts the decision into its record.
    #[must_use]
    pub fn into_record(self) -> Core {
        self.record
    }

    /// Returns the selection, with its explanation.
    pub const fn selection(&self) -> &Selection {
        &self.selection
    }

    /// Returns the turn to speak to the user about the decision, by its action. The record is the
    /// session's own, so no trust context is needed.
    #[must_use]
    pub fn speech(&self) -> Speech {
        Speech::of(self.record.clone())
    }
}

errors! {
    /// No decision was made. The session is unchanged.
    DecideError,
    /// Reason why no decision was made.
    DecideErrorKind {
        /// This action is running; [`Session::completed`](super::Session::completed) comes first.
        Running(action: Action) => "expected the end of {action}, which is running, found another situation";
        /// The user was asked; [`Session::replied`](super::Session::replied) comes first.
        AwaitingReply => "expected the user's reply to CLARIFY, found another situation";
        /// The session ended with this action.
        Over(action: Action) => "expected no further situation, as the session ended with {action}";
        /// `ANSWER` was selected, and `post_answer_confidence` is missing. Source: MARC-02 9.4.
        NoConfidence => "ANSWER is selected: expected `post_answer_confidence`, which is missing (MARC-02 9.4)";
        /// The band is about this action by policy, and `action_suitability` is missing. Source: MARC-02 8.6.
        NoSuitability(action: Action) =>
            "by policy the band of {action} is about the action: expected `action_suitability`, which is missing (MARC-02 8.6)";
        /// The calibration has bands by task family, and none for this one. Source: MARC-02 8.5.
        UnknownFamily(family: String) => "unknown task family {family:?}: it has no bands (MARC-02 8.5)";
        /// The controller has no sub-action with this name. Source: MARC-02 8.7.
        UnknownSubAction(name: String) => "unknown sub-action {name:?} (MARC-02 8.7)";
        /// The record would not be valid.
        Invalid(report: Report) => "the record would not be valid: {report}";
    }
}

impl From<Report> for DecideError {
    fn from(report: Report) -> Self {
        DecideErrorKind::Invalid(report).into()
    }
}
