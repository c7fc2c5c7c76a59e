//! What a caller adds to a selection.

use crate::declare::setters;
use crate::document::{Document, DocumentError};
use crate::score::Score;
use crate::terms::Action;

/// What goes into the record of a decision besides the situation and the selected action.
///
/// ```
/// use provstream_marc::{Action, Details, Score};
///
/// let details = Details::new()
///     .with_next_step_for(Action::Answer, "read the answer together with its sources")
///     .with_post_answer_confidence(Score::new(0.84)?)
///     .with_extension("x_trace", r#""af31""#)?;
/// # let _ = details;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[must_use]
pub struct Details {
    next_steps: [Option<String>; 7],
    pub(super) post_answer_confidence: Option<Score>,
    pub(super) action_suitability: Option<Score>,
    pub(super) sub_action: Option<String>,
    pub(super) extensions: Document,
}

impl Details {
    /// Nothing: the next step comes from the controller's wording, and an answer cannot be selected.
    pub fn new() -> Self {
        Self::default()
    }

    /// The same with a `recommended_next_step` for one action; no other action discloses it. Source: MARC-02 9.1, 9.3.
    pub fn with_next_step_for(mut self, action: Action, text: impl Into<String>) -> Self {
        self.next_steps[action as usize] = Some(text.into());
        self
    }

    /// The same with a private member: its name gets the prefix `x_` unless it has it, its value is any JSON.
    ///
    /// # Errors
    ///
    /// If the value is not JSON.
    pub fn with_extension(mut self, name: &str, json: &str) -> Result<Self, DocumentError> {
        self.extensions.set_private(name, json)?;
        Ok(self)
    }

    /// The caller's text for an action.
    pub(super) fn next_step(&self, action: Action) -> Option<&str> {
        self.next_steps[action as usize].as_deref()
    }
}

setters! { Details {
    /// The same with the confidence in the candidate answer, estimated by itself. `ANSWER` needs it; other actions leave it
    /// out. Source: MARC-02 8.4.
    with_post_answer_confidence(score: Score) post_answer_confidence = Some(score);
    /// The same with the confidence in the selected action, needed where the policy says that the band is about the action.
    /// Source: MARC-02 8.6.
    with_action_suitability(score: Score) action_suitability = Some(score);
    /// The same with the controller's own name for the action it expects. The record has it as `x_sub_action` if it is a
    /// kind of the selected action. Source: MARC-02 8.7.
    with_sub_action(name: impl Into<String>) sub_action = Some(name.into());
} }
