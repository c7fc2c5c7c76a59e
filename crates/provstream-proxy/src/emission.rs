//! Additions of a route to requests, which make models write annotations.

use provstream_providers::Format;
use provstream_route::format_of_path;
use serde_json::Value;

use crate::constraint::Constraint;
use crate::request_json::{add_prompt, in_two_spellings};

/// Additions to requests. Their place in a request depends on its API.
#[derive(Clone, Debug, Default)]
pub(crate) struct Emission {
    /// API that the route names; `None` to derive it from the path.
    pub(crate) format: Option<Format>,
    /// Prompt that asks for annotations.
    pub(crate) prompt: Option<Box<str>>,
    /// Constraint on answers.
    pub(crate) constraint: Option<Constraint>,
}

/// Additions made to one request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct EmissionChanges {
    has_prompt: bool,
    constraint: Option<&'static str>,
}

impl EmissionChanges {
    pub(crate) const fn is_some(self) -> bool {
        self.has_prompt || self.constraint.is_some()
    }

    /// Returns the name in logs and metrics.
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
    /// Returns `true` if the route adds anything, so that requests must be parsed.
    pub(crate) const fn is_some(&self) -> bool {
        self.prompt.is_some() || self.constraint.is_some()
    }

    /// Adds the prompt and the constraint to a request. If the constraint cannot be added, because
    /// the request has its own or its API accepts none, the request gets no prompt either.
    ///
    /// # Errors
    ///
    /// A message that names both members, if the request has a member in two spellings.
    pub(crate) fn add(
        &self,
        path: &str,
        request: &mut Value,
    ) -> Result<EmissionChanges, &'static str> {
        let mut added = EmissionChanges::default();
        let Some(format) = self.format.or_else(|| format_of_path(path)) else {
            return Ok(added);
        };
        if let Some(message) = in_two_spellings(format, request) {
            return Err(message);
        }
        if let Some(constraint) = &self.constraint {
            if !constraint.add(format, request) {
                return Ok(added);
            }
            added.constraint = Some(constraint.name());
        }
        if let Some(prompt) = &self.prompt {
            added.has_prompt = add_prompt(format, request, prompt);
        }
        Ok(added)
    }
}
