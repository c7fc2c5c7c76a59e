//! JSON objects of input whose members are all known.

use std::fmt::Display;
use std::str::FromStr;

use provstream_marc::{Document, Score};

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
        let document = Document::parse(json).map_err(|error| match within {
            "" => format!("expected a JSON object, found {}: {error}", type_of(json)),
            _ => format!("`{within}`: expected an object, found {}", type_of(json)),
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
            Ok(text) if text.is_empty() => Err("expected a text, found an empty one"),
            Ok(text) => Ok(text),
            Err(_) => Err("expected a string"),
        })
    }

    /// A string that is one of the values of an enumeration.
    pub(crate) fn term<T: FromStr<Err: Display>>(&self, name: &str) -> Result<Option<T>, String> {
        self.term_by(name, str::parse)
    }

    /// A string that is read in some way.
    pub(crate) fn term_by<T, E: Display>(
        &self,
        name: &str,
        read: impl FnOnce(&str) -> Result<T, E>,
    ) -> Result<Option<T>, String> {
        let Some(text) = self.string(name)? else {
            return Ok(None);
        };
        read(&text)
            .map(Some)
            .map_err(|error| self.about(name, error))
    }

    /// A score.
    pub(crate) fn score(&self, name: &str) -> Result<Option<Score>, String> {
        self.get(name, str::parse)
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
        value.ok_or_else(|| self.about(name, "missing"))
    }
}

/// The type of a JSON value, for a message.
pub(super) fn type_of(json: &[u8]) -> &'static str {
    match json.trim_ascii_start().first() {
        Some(b'{') => "one that is not complete or not valid",
        Some(b'[') => "an array",
        Some(b'"') => "a string",
        Some(b't' | b'f') => "a boolean",
        Some(b'n') => "null",
        Some(b'-' | b'0'..=b'9') => "a number",
        _ => "something else",
    }
}
