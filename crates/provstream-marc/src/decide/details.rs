//! Members of a record that the caller provides.

use crate::declare::setters;
use crate::document::{Document, DocumentError};
use crate::score::Score;
use crate::terms::Action;

/// Values of a decision's record that do not follow from the situation or the selected action.
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
    /// Creates empty details. The next step then comes from the controller's wording, and `ANSWER`
    /// cannot be decided.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the `recommended_next_step` of records of one action. Records of other actions do not
    /// have it. Source: MARC-02 9.1, 9.3.
    pub fn with_next_step_for(mut self, action: Action, text: impl Into<String>) -> Self {
        self.next_steps[action as usize] = Some(text.into());
        self
    }

    /// Adds a private member with any JSON value. A name without the prefix `x_` gets it.
    ///
    /// # Errors
    ///
    /// If the value is not JSON.
    pub fn with_extension(mut self, name: &str, json: &str) -> Result<Self, DocumentError> {
        self.extensions.set_private(name, json)?;
        Ok(self)
    }

    /// Returns the caller's next step for an action.
    pub(super) fn next_step(&self, action: Action) -> Option<&str> {
        self.next_steps[action as usize].as_deref()
    }
}

setters! { Details {
    /// Sets the confidence in the candidate answer, which is estimated on its own. `ANSWER`
    /// requires it; records of other actions omit it. Source: MARC-02 8.4.
    with_post_answer_confidence(score: Score) post_answer_confidence = Some(score);
    /// Sets the confidence in the selected action, from 0.0 to 1.0. Required if the policy sets the
    /// confidence target of the action to `action_suitability`. Source: MARC-02 8.6.
    with_action_suitability(score: Score) action_suitability = Some(score);
    /// Sets the controller's own name for the action that it expects. The record has the name as
    /// `x_sub_action` if the sub-action is a kind of the selected action. Source: MARC-02 8.7.
    with_sub_action(name: impl Into<String>) sub_action = Some(name.into());
} }
