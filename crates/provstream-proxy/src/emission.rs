//! What a route adds to requests so that models write annotations.

use provstream_providers::Format;
use provstream_route::format_of_path;
use serde_json::Value;

use crate::constraint::Constraint;
use crate::request_json::add_prompt;

/// What is added to requests, each API in its own place.
#[derive(Clone, Debug, Default)]
pub(crate) struct Emission {
    /// The API, if the route names it; otherwise it is that of the path.
    pub(crate) format: Option<Format>,
    /// The text that asks for annotations.
    pub(crate) prompt: Option<Box<str>>,
    /// What answers have to be like.
    pub(crate) constraint: Option<Constraint>,
}

/// What was added to a request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Added {
    has_prompt: bool,
    constraint: Option<&'static str>,
}

impl Added {
    pub(crate) const fn is_some(self) -> bool {
        self.has_prompt || self.constraint.is_some()
    }

    /// What logs and metrics call it.
    pub(crate) fn as_str(self) -> &'static str {
        match (self.has_prompt, self.constraint) {
            (true, Some("grammar")) => "prompt and grammar",
            (true, Some(_)) => "prompt and schema",
            (true, None) => "prompt",
            (false, Some(constraint)) => constraint,
            (false, None) => "nothing",
        }
    }
}

impl Emission {
    /// Whether requests have to be read.
    pub(crate) const fn is_some(&self) -> bool {
        self.prompt.is_some() || self.constraint.is_some()
    }

    /// Adds what there is to a request with this path. A request that says itself what its answer has to be like is left as it is,
    /// with a prompt as well, and so is one whose API does not take what answers have to be like.
    pub(crate) fn add(&self, path: &str, request: &mut Value) -> Added {
        let mut added = Added::default();
        let Some(format) = self.format.or_else(|| format_of_path(path)) else {
            return added;
        };
        if let Some(constraint) = &self.constraint {
            if !constraint.add(format, request) {
                return added;
            }
            added.constraint = Some(constraint.name());
        }
        if let Some(prompt) = &self.prompt {
            added.has_prompt = add_prompt(format, request, prompt);
        }
        added
    }
}
