//! What a caller adds to a selection.

use crate::assemble::Extensions;
use crate::document::DocumentError;
use crate::score::Score;

/// What goes into the record of a decision beside the situation and the selected action.
///
/// ```
/// use provstream_marc::{Details, Score};
///
/// let details = Details::new("read the answer together with its sources")
///     .with_post_answer_confidence(Score::new(0.84)?)
///     .with_extension("x_trace", r#""af31""#)?;
/// # let _ = details;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub struct Details {
    pub(super) next_step: String,
    pub(super) post_answer_confidence: Option<Score>,
    pub(super) action_suitability: Option<Score>,
    pub(super) sub_action: Option<String>,
    pub(super) extensions: Extensions,
}

impl Details {
    /// The `recommended_next_step`: the next action to be taken, 1 to 280 code points. Source: MARC-02 9.1, 9.3.
    pub fn new(next_step: impl Into<String>) -> Self {
        Self {
            next_step: next_step.into(),
            post_answer_confidence: None,
            action_suitability: None,
            sub_action: None,
            extensions: Extensions::default(),
        }
    }

    /// The same with the confidence in the candidate answer, estimated by itself. An answer needs it; other actions leave it
    /// out. Source: MARC-02 8.4.
    pub const fn with_post_answer_confidence(mut self, score: Score) -> Self {
        self.post_answer_confidence = Some(score);
        self
    }

    /// The same with the confidence in the selected action. Where the policy says that the band is about the action, it is
    /// needed; otherwise it is not used. Source: MARC-02 8.6; open point 69.
    pub const fn with_action_suitability(mut self, score: Score) -> Self {
        self.action_suitability = Some(score);
        self
    }

    /// The same with the controller's own name for the action. The record has it as `x_sub_action`. Source: MARC-02 8.7.
    pub fn with_sub_action(mut self, name: impl Into<String>) -> Self {
        self.sub_action = Some(name.into());
        self
    }

    /// The same with a private member: its name gets the prefix `x_` unless it has it, its value is any JSON.
    ///
    /// # Errors
    ///
    /// If the value is no JSON.
    pub fn with_extension(mut self, name: &str, json: &str) -> Result<Self, DocumentError> {
        self.extensions.add(name, json)?;
        Ok(self)
    }
}
