//! Policies that tests of gates share.

use provstream::{Action, AtLimit, Policy, Question, Unannotated};

/// Discards assertions that have the word, and releases the rest.
#[derive(Clone, Copy, Debug)]
pub struct Without(pub &'static str);

impl Policy for Without {
    fn assertion(&mut self, question: &Question<'_>) -> Action {
        match question.assertion().text().contains(self.0) {
            true => Action::Discard,
            false => Action::Release,
        }
    }
}

/// Releases nothing; refuses, with this text, where the limit is reached.
#[derive(Clone, Copy, Debug)]
pub struct Nothing(pub &'static str);

impl Policy for Nothing {
    fn assertion(&mut self, _: &Question<'_>) -> Action {
        Action::Discard
    }

    fn unannotated(&mut self) -> Unannotated {
        Unannotated::Discard
    }

    fn limit(&mut self) -> AtLimit {
        AtLimit::Refuse(self.0.into())
    }
}
