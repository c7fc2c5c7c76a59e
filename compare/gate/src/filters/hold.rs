//! Holds the whole answer back, checks it and delivers what is admissible.
//!
//! So do programs that ask the model for an answer that is not streamed and scan it, as in LLM Guard's `scan_output(scanners,
//! prompt, output)`: <https://protectai.github.io/llm-guard/>.

use super::{Filter, inadmissible};
use crate::delivery::Delivery;

/// Holds everything back to the end.
#[derive(Debug, Default)]
pub struct HoldEverything {
    text: String,
}

impl Filter for HoldEverything {
    fn push(&mut self, token: &str, _: &mut Delivery) {
        self.text += token;
    }

    fn finish(&mut self, to: &mut Delivery) {
        to.deliver_without(0..self.text.len(), &inadmissible(&self.text));
    }
}
