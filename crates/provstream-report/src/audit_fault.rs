//! What can be wrong with a line of an audit log.

use std::error::Error;
use std::fmt;

use provstream::UnknownNameError;
use serde::de::DeserializeOwned;
use serde_json::Value;
use serde_json::error::Category;

use crate::audit_line::{LoggedAnnotation, LoggedSpan, LoggedVerdict};

/// Most characters of a line that a message shows.
const MOST_SHOWN: usize = 30;

/// A line that is not a decision of a gate. Displayed, it says what was expected and what was found.
#[derive(Debug)]
pub struct AuditLineError(Fault);

#[derive(Debug)]
enum Fault {
    /// It is not JSON: it ends too early.
    Cut,
    /// It is not JSON from this byte on, counted from 1; what is there.
    Syntax(usize, String),
    /// It is JSON other than an object.
    Other,
    /// It does not have this member.
    Missing(&'static str),
    /// It has this member, but not as what is expected.
    Type(&'static str, &'static str),
    /// It has a member twice.
    Repeated,
    /// A member has a name that is not known.
    Name(UnknownNameError),
}

impl Fault {
    /// A byte of the line, counted from 1, is where it cannot be JSON.
    fn syntax(line: &[u8], at: usize) -> Self {
        // The letters before it may be those that `null` or `true` begins with.
        let start = if at <= "false".len() { 0 } else { at - 1 };
        let rest = line.get(start..).unwrap_or_default();
        let rest = String::from_utf8_lossy(rest);
        let mut found: String = rest.chars().take(MOST_SHOWN).collect();
        if found.len() < rest.len() {
            found.push('…');
        }
        Self::Syntax(start + 1, format!("{found:?}"))
    }
}

impl From<UnknownNameError> for AuditLineError {
    fn from(error: UnknownNameError) -> Self {
        Self(Fault::Name(error))
    }
}

impl AuditLineError {
    /// A member is missing.
    pub(crate) const fn missing(member: &'static str) -> Self {
        Self(Fault::Missing(member))
    }

    /// What is wrong with a line for which serde has this error.
    pub(crate) fn of(line: &[u8], error: &serde_json::Error) -> Self {
        Self(match error.classify() {
            Category::Eof => Fault::Cut,
            Category::Syntax | Category::Io => Fault::syntax(line, error.column()),
            Category::Data => match serde_json::from_slice(line) {
                Ok(value) => member(&value),
                Err(_) => Fault::syntax(line, error.column()),
            },
        })
    }
}

/// The members of a line: what is expected of each, and whether a value is that.
type Expected = (&'static str, &'static str, fn(&Value) -> bool);

const MEMBERS: [Expected; 12] = [
    ("decision", "a string", fits::<String>),
    ("stream", "a string", fits::<String>),
    ("channel", "a string", fits::<String>),
    ("policy", "a string", fits::<String>),
    (
        "clean_span",
        "an object with the numbers \"start\" and \"end\"",
        fits::<Option<LoggedSpan>>,
    ),
    ("sha256", "a string", fits::<Option<String>>),
    ("untrusted", "true or false", fits::<bool>),
    (
        "annotations",
        "an array of annotations",
        fits::<Vec<LoggedAnnotation>>,
    ),
    ("counting", "an array of strings", fits::<Vec<String>>),
    (
        "verdict",
        "an object with the number \"floor\" and the array \"classes\"",
        fits::<Option<LoggedVerdict>>,
    ),
    ("disposition", "a string", fits::<Option<String>>),
    ("action", "a string", fits::<Option<String>>),
];

fn fits<T: DeserializeOwned>(value: &Value) -> bool {
    T::deserialize(value).is_ok()
}

/// What is wrong with JSON that is not a line of a log.
fn member(value: &Value) -> Fault {
    let Some(members) = value.as_object() else {
        return Fault::Other;
    };
    if !members.contains_key("decision") {
        return Fault::Missing("decision");
    }
    let wrong = MEMBERS
        .into_iter()
        .find(|(name, _, fits)| members.get(*name).is_some_and(|value| !fits(value)));
    wrong.map_or(Fault::Repeated, |(name, expected, _)| {
        Fault::Type(name, expected)
    })
}

impl fmt::Display for AuditLineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Fault::Cut => {
                f.write_str("expected JSON, found its end too early: the line was cut short")
            }
            Fault::Syntax(at, found) => {
                write!(f, "expected JSON, found {found} at byte {at}")
            }
            Fault::Other => f.write_str("expected an object with a decision of a gate"),
            Fault::Missing(member) => write!(
                f,
                "expected a decision of a gate, found an object without the member \"{member}\""
            ),
            Fault::Type(member, expected) => {
                write!(f, "\"{member}\": expected {expected}, found another value")
            }
            Fault::Repeated => f.write_str("expected each member once, found one again"),
            Fault::Name(error) => error.fmt(f),
        }
    }
}

impl Error for AuditLineError {}
