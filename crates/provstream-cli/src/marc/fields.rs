//! JSON objects of input whose members are all known.

use std::fmt::Display;
use std::str::FromStr;

use provstream_marc::{Document, Score, ScoreError, ScoreErrorKind};

use super::json_object::{self, found};

/// An object that has only members that are known, each once. Messages name the member that is wrong.
#[derive(Debug)]
pub(crate) struct Fields {
    document: Document,
    /// The prefix of names in messages.
    within: String,
}

impl Fields {
    /// Reads an object; `within` is the name of the member that it is, empty for the whole.
    pub(crate) fn read(json: &[u8], within: &str, known: &[&str]) -> Result<Self, String> {
        let name = |name: &str| match within {
            "" => format!("`{name}`"),
            _ => format!("`{within}.{name}`"),
        };
        if let Some((place, error)) = json_object::not_utf8(json) {
            return Err(format!("{error} at column {}", place.column()));
        }
        let document = json_object::read(json, 1).map_err(|error| match within {
            "" => error.message,
            _ => format!("`{within}`: expected an object, found {}", found(json)),
        })?;
        let mut seen = Vec::new();
        for (member, _) in document.members() {
            let Some(known) = known.iter().find(|known| **known == member) else {
                let known = known.join(", ");
                return Err(format!(
                    "unknown member {}, expected one of {known}",
                    name(&member)
                ));
            };
            if seen.contains(known) {
                return Err(format!("{}: found more than once", name(&member)));
            }
            seen.push(*known);
        }
        Ok(Self {
            document,
            within: within.to_owned(),
        })
    }

    /// A message about a member.
    fn about(&self, name: &str, message: impl Display) -> String {
        match &*self.within {
            "" => format!("`{name}`: {message}"),
            within => format!("`{within}.{name}`: {message}"),
        }
    }

    /// A member's JSON through `read`; `None` if it is missing or null.
    pub(crate) fn get<T, E: Display>(
        &self,
        name: &str,
        read: impl FnOnce(&str) -> Result<T, E>,
    ) -> Result<Option<T>, String> {
        match self.document.get(name) {
            None | Some("null") => Ok(None),
            Some(json) => read(json)
                .map(Some)
                .map_err(|error| self.about(name, error)),
        }
    }

    /// A string with content.
    pub(crate) fn string(&self, name: &str) -> Result<Option<String>, String> {
        self.get(name, |json| match serde_json::from_str::<String>(json) {
            Ok(text) if text.is_empty() => {
                Err("expected a string with content, found an empty one".to_owned())
            }
            Ok(text) if text.trim().is_empty() => {
                Err("expected a string with content, found a blank one".to_owned())
            }
            Ok(text) => Ok(text),
            Err(_) => Err(unlike("a string", json)),
        })
    }

    /// `true` or `false`.
    pub(crate) fn boolean(&self, name: &str) -> Result<Option<bool>, String> {
        self.get(name, |json| {
            json.parse().map_err(|_| unlike("true or false", json))
        })
    }

    /// A string that is one of the values of an enumeration.
    pub(crate) fn term<T: FromStr<Err: Display>>(&self, name: &str) -> Result<Option<T>, String> {
        let Some(text) = self.string(name)? else {
            return Ok(None);
        };
        text.parse()
            .map(Some)
            .map_err(|error: T::Err| self.about(name, error))
    }

    /// A score.
    pub(crate) fn score(&self, name: &str) -> Result<Option<Score>, String> {
        self.get(name, |json| {
            json.parse()
                .map_err(|error: ScoreError| match error.kind() {
                    ScoreErrorKind::NotANumber => unlike("a number from 0.0 to 1.0", json),
                    _ => error.to_string(),
                })
        })
    }

    /// An object.
    pub(crate) fn object(&self, name: &str, known: &[&str]) -> Result<Option<Self>, String> {
        match self.document.get(name) {
            None | Some("null") => Ok(None),
            Some(json) => Self::read(json.as_bytes(), name, known).map(Some),
        }
    }

    /// What must be there.
    pub(crate) fn required<T>(&self, name: &str, value: Option<T>) -> Result<T, String> {
        value.ok_or_else(|| self.about(name, "expected this member, found none"))
    }
}

/// The message that a JSON value is not what was expected.
pub(super) fn unlike(expected: &str, json: &str) -> String {
    format!("expected {expected}, found {}", found(json.as_bytes()))
}
