//! Delivers each token as it comes, and checks the answer at its end.
//!
//! So do output guardrails that get the final output of an agent while its tokens are streamed (OpenAI Agents SDK,
//! <https://openai.github.io/openai-agents-python/guardrails/>), and `stream_first: True` of NeMo Guardrails, the default.

use super::{Filter, inadmissible};
use crate::delivery::Delivery;

/// Checks at the end.
#[derive(Debug, Default)]
pub struct FinalCheck {
    text: String,
    /// Number of inadmissible sentences found, for a report that comes too late.
    pub found: usize,
}

impl Filter for FinalCheck {
    fn push(&mut self, token: &str, to: &mut Delivery) {
        to.deliver(self.text.len()..self.text.len() + token.len());
        self.text += token;
    }

    fn finish(&mut self, _: &mut Delivery) {
        self.found += inadmissible(&self.text).len();
    }
}
