//! Checks the stream in windows that overlap.
//!
//! NeMo Guardrails describes this for its streaming output rails: a chunk of `chunk_size` tokens (200 by default) is buffered, the
//! rails run on it together with the last `context_size` tokens (50) of the chunk before, and then its new tokens are delivered:
//! <https://docs.nvidia.com/nemo/guardrails/configure-guardrails/yaml-schema/streaming/output-rail-streaming>. This is the safer
//! one of its two orders, `stream_first: False`. Here sizes are in bytes, and what is inadmissible is removed, where rails end the
//! stream.

use super::{Filter, inadmissible};
use crate::delivery::Delivery;

/// Size of a window with its context, in bytes.
const WINDOW: usize = 1_024;

/// Size of the context from the window before, in bytes.
const OVERLAP: usize = 256;

/// Delivers a window when it is full and was checked.
#[derive(Debug, Default)]
pub struct Windows {
    /// Context and new text.
    window: String,
    context: usize,
    /// Offset of the window in the stream.
    start: usize,
}

impl Windows {
    fn check(&mut self, to: &mut Delivery) {
        let mut withheld = inadmissible(&self.window);
        for range in &mut withheld {
            *range = self.start + range.start..self.start + range.end;
        }
        let end = self.start + self.window.len();
        to.deliver_without(self.start + self.context..end, &withheld);
        self.context = self.window.len().min(OVERLAP);
        self.start = end - self.context;
        self.window.drain(..self.window.len() - self.context);
    }
}

impl Filter for Windows {
    fn push(&mut self, token: &str, to: &mut Delivery) {
        self.window += token;
        if self.window.len() >= WINDOW {
            self.check(to);
        }
    }

    fn finish(&mut self, to: &mut Delivery) {
        self.check(to);
    }
}
