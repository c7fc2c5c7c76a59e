//! Gate policies that several tests use.

use std::fmt;
use std::sync::Arc;

use provstream::provenance::Reason;
use provstream::{Action, AtLimit, Policy, Question, Unannotated};

/// A policy made of a closure and its other answers. One type serves all tests, since the compiler makes a gate for each type of
/// policy, and takes a second or two for it.
#[derive(Clone)]
pub struct Stated {
    assertion: Arc<dyn Fn(&Question<'_>) -> Action + Send + Sync>,
    unannotated: Unannotated,
    limit: AtLimit,
}

impl fmt::Debug for Stated {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Stated")
    }
}

impl Stated {
    /// Returns a policy that decides about assertions with a closure. Other text, and text at the limit, is released.
    pub fn new(assertion: impl Fn(&Question<'_>) -> Action + Send + Sync + 'static) -> Self {
        Self {
            assertion: Arc::new(assertion),
            unannotated: Unannotated::default(),
            limit: AtLimit::default(),
        }
    }

    /// Makes the policy refuse, with a text, at the limit of what a gate holds.
    #[must_use]
    pub fn refusing(self, text: &'static str) -> Self {
        Self {
            limit: AtLimit::Refuse(text.into()),
            ..self
        }
    }
}

impl Policy for Stated {
    fn assertion(&mut self, question: &Question<'_>) -> Action {
        (self.assertion)(question)
    }

    fn unannotated(&mut self) -> Unannotated {
        self.unannotated.clone()
    }

    fn limit(&mut self) -> AtLimit {
        self.limit.clone()
    }
}

/// Returns a policy that applies an action to the assertions containing a word and releases the others.
pub fn at_word(word: &'static str, action: Action) -> Stated {
    Stated::new(
        move |question| match question.assertion().text().contains(word) {
            true => action.clone(),
            false => Action::Release,
        },
    )
}

/// Returns a policy that discards the assertions containing a word and releases the others.
pub fn without(word: &'static str) -> Stated {
    at_word(word, Action::Discard)
}

/// Returns a policy that releases everything.
pub fn release_all() -> Stated {
    Stated::new(|_| Action::Release)
}

/// Returns a policy that discards everything and, at the limit, refuses with its text.
pub fn nothing(limit: &'static str) -> Stated {
    Stated {
        unannotated: Unannotated::Discard,
        ..Stated::new(|_| Action::Discard).refusing(limit)
    }
}

/// Returns a policy that applies an action to what the model has only inferred or cites an unknown source for, and releases the rest.
pub fn at_inference(action: Action) -> Stated {
    Stated::new(move |question| match is_inferred(question) {
        true => action.clone(),
        false => Action::Release,
    })
}

/// Returns a policy that discards what the model has only inferred or cites an unknown source for, and releases the rest.
pub fn no_inference() -> Stated {
    at_inference(Action::Discard)
}

/// Returns a policy that ends a text before what the model has only inferred.
pub fn upto_inference() -> Stated {
    at_inference(Action::Refuse("(end)".into()))
}

fn is_inferred(question: &Question<'_>) -> bool {
    let mut annotations = question.assertion().annotations();
    annotations.any(|annotation| {
        annotation.declared() == "unverified-inference"
            || annotation.reason() == Some(Reason::UnknownSource)
    })
}
