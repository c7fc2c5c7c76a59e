//! Putting a document together member by member.

use core::fmt::Display;

use super::document::{Document, DocumentError};

/// Private members. Source: MARC-02 11.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Extensions(Document);

impl Extensions {
    /// Adds one, with the prefix `x_` if its name lacks it; one that is there gets the new value.
    pub(crate) fn add(&mut self, name: &str, json: &str) -> Result<(), DocumentError> {
        if name.starts_with("x_") {
            self.0.set(name, json)
        } else {
            self.0.set(&format!("x_{name}"), json)
        }
    }
}

/// Members in the order in which they were put, without what there is no value for.
#[derive(Debug, Default)]
pub(crate) struct Members(Document);

impl Members {
    pub(crate) fn text(&mut self, name: &str, text: Option<&str>) {
        if let Some(text) = text {
            self.0.set_str(name, text);
        }
    }

    /// A value that is written as JSON.
    pub(crate) fn json(&mut self, name: &str, json: Option<impl Display>) {
        if let Some(json) = json {
            // Numbers, scores and null are JSON.
            let _ = self.0.set(name, &json.to_string());
        }
    }

    /// The document, with the private members after the others.
    pub(crate) fn with(mut self, extensions: Extensions) -> Document {
        for (name, json) in extensions.0.members() {
            // Values of a document are JSON.
            let _ = self.0.set(&name, json);
        }
        self.0
    }
}
