//! The gate of provstream.

use provstream::{Action, Gate, GateHandler, Handler, Parser, Policy, Question, TextChunk};

use super::{Filter, INADMISSIBLE};
use crate::delivery::Delivery;

struct NoInference;

impl Policy for NoInference {
    fn assertion(&mut self, question: &Question<'_>) -> Action {
        let mut classes = question.assertion().classes();
        match classes.any(|class| class.as_str() == INADMISSIBLE) {
            true => Action::Discard,
            false => Action::Release,
        }
    }
}

struct To<'a>(&'a mut Delivery);

impl Handler for To<'_> {}

impl GateHandler for To<'_> {
    fn released(&mut self, text: TextChunk<'_>) {
        let span = text.span();
        self.0.deliver(span.start() as usize..span.end() as usize);
    }
}

/// The gate of provstream.
pub struct ExactGate(Gate<NoInference>);

impl ExactGate {
    /// Creates a gate that discards inadmissible sentences.
    #[must_use]
    pub fn new() -> Self {
        Self(Gate::new(Parser::new(), NoInference))
    }
}

impl Default for ExactGate {
    fn default() -> Self {
        Self::new()
    }
}

impl Filter for ExactGate {
    fn is_clean(&self) -> bool {
        true
    }

    fn push(&mut self, token: &str, to: &mut Delivery) {
        self.0.push(token.as_bytes(), To(to));
    }

    fn finish(&mut self, to: &mut Delivery) {
        self.0.finish(To(to));
    }
}
