//! Reader of JSON from users: preserves values as written and the order of members, and rejects
//! repeated members.

use std::collections::HashSet;
use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, Visitor};
use serde_json::value::RawValue;

/// Error in text that is not one JSON value.
#[derive(Clone, Debug)]
pub(crate) struct JsonFault {
    /// Offset of the error in bytes.
    pub(crate) offset: usize,
    /// Expected and found syntax.
    pub(crate) what: String,
    /// `true` if the text ends before the value does.
    pub(crate) is_open: bool,
}

/// Parses a JSON value, and returns it as written.
pub(crate) fn value(text: &[u8]) -> Result<&RawValue, JsonFault> {
    serde_json::from_slice(text).map_err(|error| {
        let lines = text.split_inclusive(|&byte| byte == b'\n');
        let before: usize = lines
            .take(error.line().saturating_sub(1))
            .map(<[u8]>::len)
            .sum();
        let offset = (before + error.column().saturating_sub(1)).min(text.len());
        if text.trim_ascii().is_empty() {
            let what = "expected JSON, found nothing".to_owned();
            return JsonFault {
                offset: 0,
                what,
                is_open: false,
            };
        }
        if error.is_eof() {
            let what = format!("expected JSON, found its end {}", open(text));
            return JsonFault {
                offset: text.len(),
                what,
                is_open: true,
            };
        }
        let message = error.to_string();
        let reason = message
            .rsplit_once(" at line ")
            .map_or(&*message, |(reason, _)| reason);
        // A word that begins as true, false or null does.
        let (offset, reason) = match reason {
            "expected ident" => (word_start(text, offset), "expected value"),
            reason => (offset, reason),
        };
        let rest = String::from_utf8_lossy(&text[offset..]);
        let found = shown(rest.lines().next().unwrap_or_default());
        let what = match reason {
            "trailing characters" => {
                format!("expected one JSON value, found more after it: {found}")
            }
            // The comma is the fault more often than what is missing after it.
            _ if matches!(text[offset..], [b'}' | b']', ..])
                && text[..offset].trim_ascii_end().ends_with(b",") =>
            {
                format!("expected more after the comma, or no comma before {found}")
            }
            "expected value" => format!("expected JSON, found {found}"),
            "key must be a string" => format!("expected a name in double quotes, found {found}"),
            reason => format!("expected JSON, found {found}: {reason}"),
        };
        JsonFault {
            offset,
            what,
            is_open: false,
        }
    })
}

/// Returns the start of the letters right before an offset.
fn word_start(text: &[u8], offset: usize) -> usize {
    let before = text[..offset].iter();
    let letters = before.rev().take_while(|byte| byte.is_ascii_alphabetic());
    offset - letters.count()
}

/// Describes the innermost open string, object or array of incomplete JSON.
fn open(text: &[u8]) -> &'static str {
    let (mut open, mut is_string, mut is_escaped) = (Vec::new(), false, false);
    for &byte in text {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' if is_string => is_escaped = true,
            b'"' => is_string = !is_string,
            b'{' | b'[' if !is_string => open.push(byte),
            b'}' | b']' if !is_string => drop(open.pop()),
            _ => {}
        }
    }
    match open.last() {
        _ if is_string => "in a string: the closing quote is missing",
        Some(b'{') => "in an object: the closing } is missing",
        Some(_) => "in an array: the closing ] is missing",
        None => "too early",
    }
}

/// Returns the type of a value, for messages.
pub(crate) fn kind(value: &RawValue) -> &'static str {
    match value.get().as_bytes().first() {
        Some(b'n') => "null",
        Some(b't' | b'f') => "a boolean",
        Some(b'"') => "a string",
        Some(b'[') => "an array",
        Some(b'{') => "an object",
        _ => "a number",
    }
}

/// Returns the text of a string, or `None` for another type.
pub(crate) fn string(value: &RawValue) -> Option<String> {
    serde_json::from_str(value.get()).ok()
}

/// Returns the elements of an array, or `None` for another type.
pub(crate) fn elements(value: &RawValue) -> Option<Vec<&RawValue>> {
    serde_json::from_str(value.get()).ok()
}

/// Quotes and escapes untrusted text for a message, at most 64 characters of it.
pub(crate) fn shown(text: &str) -> String {
    let mut short: String = text.chars().take(64).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    format!("{short:?}")
}

/// Members of an object, in the order of the text.
#[derive(Clone, Debug)]
pub(crate) struct JsonMembers<'a>(Vec<(String, &'a RawValue)>);

impl<'a> JsonMembers<'a> {
    /// Returns the members of an object.
    ///
    /// # Errors
    ///
    /// Fails with the type of a value that is not an object, or with the name of a repeated member.
    pub(crate) fn of(value: &'a RawValue) -> Result<Self, String> {
        if !value.get().starts_with('{') {
            return Err(format!("expected an object, found {}", kind(value)));
        }
        serde_json::from_str(value.get()).map_err(|error| {
            let message = error.to_string();
            let end = message.rfind(" at line ").unwrap_or(message.len());
            message[..end].to_owned()
        })
    }

    pub(crate) fn get(&self, name: &str) -> Option<&'a RawValue> {
        let found = self.0.iter().find(|(other, _)| other == name);
        found.map(|(_, value)| *value)
    }

    /// Returns the text of a member that is a string.
    pub(crate) fn string(&self, name: &str) -> Option<String> {
        string(self.get(name)?)
    }

    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|(name, _)| name.as_str())
    }

    /// Writes the object on one line, with `value` for a member, which is added if it is missing.
    pub(crate) fn with(&self, name: &str, value: &str) -> String {
        let mut members: Vec<(&str, &str)> = self
            .0
            .iter()
            .map(|(name, value)| (name.as_str(), value.get()))
            .collect();
        match members.iter_mut().find(|(other, _)| *other == name) {
            Some((_, old)) => *old = value,
            None => members.push((name, value)),
        }
        let members: Vec<String> = members
            .iter()
            .map(|(name, value)| format!("{}:{}", serde_json::Value::from(*name), in_line(value)))
            .collect();
        format!("{{{}}}", members.join(","))
    }
}

/// Removes line ends, which are white space in JSON, from a value.
pub(crate) fn in_line(value: &str) -> String {
    value.replace(['\n', '\r'], " ")
}

impl<'de: 'a, 'a> Deserialize<'de> for JsonMembers<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct UniqueMembersVisitor;
        impl<'de> Visitor<'de> for UniqueMembersVisitor {
            type Value = Vec<(String, &'de RawValue)>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut seen = HashSet::new();
                let mut members = Vec::new();
                while let Some((name, value)) = map.next_entry::<String, &RawValue>()? {
                    if !seen.insert(name.clone()) {
                        let name = shown(&name);
                        return Err(A::Error::custom(format!(
                            "expected each member once, found {name} again"
                        )));
                    }
                    members.push((name, value));
                }
                Ok(members)
            }
        }
        deserializer
            .deserialize_map(UniqueMembersVisitor)
            .map(JsonMembers)
    }
}
