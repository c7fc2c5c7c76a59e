//! Gate policies that several tests use.

use provstream::provenance::Reason;
use provstream::{Action, AtLimit, Policy, Question, Unannotated};

/// A policy that discards the assertions containing a word and releases the others.
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

/// A policy that discards everything and, at the limit, refuses with its text.
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

/// A policy that discards what the model has only inferred or cites an unknown source for, and releases the rest.
#[derive(Clone, Copy, Debug)]
pub struct NoInference;

impl Policy for NoInference {
    fn assertion(&mut self, question: &Question<'_>) -> Action {
        match is_inferred(question) {
            true => Action::Discard,
            false => Action::Release,
        }
    }
}

/// A policy that ends a text before what the model has only inferred.
#[derive(Clone, Copy, Debug)]
pub struct UptoInference;

impl Policy for UptoInference {
    fn assertion(&mut self, question: &Question<'_>) -> Action {
        match is_inferred(question) {
            true => Action::Refuse("(end)".into()),
            false => Action::Release,
        }
    }
}

fn is_inferred(question: &Question<'_>) -> bool {
    let mut annotations = question.assertion().annotations();
    annotations.any(|annotation| {
        annotation.declared() == "unverified-inference"
            || annotation.reason() == Some(Reason::UnknownSource)
    })
}
