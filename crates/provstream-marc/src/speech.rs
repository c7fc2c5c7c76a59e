//! Turns to speak to the user: one type for each kind of action, so that a text can only go with
//! its action.

use super::core::Core;
use super::terms::Action;
use super::trust::{ContextualRecord, TrustError, TrustPolicy, Use};

/// The turn to speak to the user after a decision, by the selected action.
///
/// Only a decision or a record in a trust context gives one, and a [`Projection`](super::Projection) takes each variant
/// with the text that goes with it and no other: an answer needs [`Answering`], which exists for `ANSWER` alone. Source:
/// MARC-02 10.1.
///
/// ```
/// use provstream_marc::{Disclosure, Projection, Speech, SpeechError};
///
/// fn speak(speech: Speech, answer: &str) -> Result<Option<Disclosure>, SpeechError> {
///     let projection = Projection::new();
///     Ok(match speech {
///         Speech::Answer(turn) => Some(projection.answer(turn, answer)?),
///         Speech::Clarify(turn) => Some(projection.clarify(turn, Some("Which tax year?"))?),
///         Speech::Refuse(turn) => Some(projection.refuse(turn, None)?),
///         Speech::Defer(_) => None,
///         _ => None,
///     })
/// }
/// ```
///
/// An answer cannot be put into a refusal:
///
/// ```compile_fail,E0308
/// use provstream_marc::{Disclosure, Projection, Refusing, SpeechError};
///
/// fn speak(turn: Refusing, answer: &str) -> Result<Disclosure, SpeechError> {
///     Projection::new().answer(turn, answer)
/// }
/// ```
///
/// Nor can the turn to answer be made without a decision:
///
/// ```compile_fail,E0451
/// use provstream_marc::{Answering, Core};
///
/// fn pretend(record: Core) -> Answering {
///     Answering { record }
/// }
/// ```
///
/// And a record that is in no trust context gives no turn at all (MARC-02 15):
///
/// ```compile_fail,E0599
/// use provstream_marc::{Core, Speech};
///
/// fn receive(record: Core) -> Speech {
///     record.speech()
/// }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Speech {
    /// `ANSWER`: the answer itself.
    Answer(Answering),
    /// `CLARIFY`: the request for clarification.
    Clarify(Clarifying),
    /// `ABSTAIN` or `ESCALATE`: a brief message.
    Refuse(Refusing),
    /// `RETRIEVE`, `TOOL` or `DELIBERATE`: nothing yet, or an interim message.
    Defer(Deferring),
}

impl Speech {
    pub(crate) fn of(record: Core) -> Self {
        match record.selected_action() {
            Action::Answer => Self::Answer(Answering { record }),
            Action::Clarify => Self::Clarify(Clarifying { record }),
            Action::Abstain | Action::Escalate => Self::Refuse(Refusing { record }),
            Action::Retrieve | Action::Tool | Action::Deliberate => {
                Self::Defer(Deferring { record })
            }
        }
    }
}

impl ContextualRecord {
    /// Returns the turn to speak to the user about the record, if the policy permits disclosure of
    /// records of its context. Source: MARC-02 15.
    ///
    /// # Errors
    ///
    /// [`TrustError`] if the policy does not permit disclosure.
    pub fn speech(&self, policy: &TrustPolicy) -> Result<Speech, TrustError> {
        Ok(Speech::of(self.permit(Use::Disclose, policy)?.clone()))
    }
}

macro_rules! turns {
    ($($(#[$doc:meta])* $name:ident;)+) => {
        $($(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq)]
        #[must_use]
        pub struct $name {
            record: Core,
        }

        impl $name {
            /// Returns the record that is spoken about.
            #[must_use]
            pub const fn record(&self) -> &Core {
                &self.record
            }
        })+
    };
}

turns! {
    /// The turn to answer.
    Answering;
    /// The turn to ask the user.
    Clarifying;
    /// The turn to decline or to escalate.
    Refusing;
    /// The turn to wait.
    Deferring;
}
