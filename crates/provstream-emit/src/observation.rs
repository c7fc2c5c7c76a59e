//! The observations made so far, which a model may cite.

use std::collections::BTreeSet;
use std::error::Error;
use std::fmt;

use provstream::provenance::{
    Annotation, Class, Vocabulary, write_bracketed, write_json_annotation,
};
use serde_json::{Map, Value};

/// Largest file of observations, in bytes.
const MAX_FILE: usize = 1 << 20;

/// Most observations that can be listed.
const MAX_OBSERVATIONS: usize = 4_096;

/// Longest summary of an observation, in bytes.
const MAX_SUMMARY: usize = 500;

/// Something that was observed: its class, its id, and when and what it was if that is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Observation {
    class: Class,
    id: Box<str>,
    ts: Option<Box<str>>,
    summary: Option<Box<str>>,
}

impl Observation {
    /// The class of what was observed; never a terminal.
    #[must_use]
    pub const fn class(&self) -> &Class {
        &self.class
    }

    /// The id, as an annotation cites it (`provenance memo 6`).
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    /// When it was made, as a date-time of RFC 3339.
    #[must_use]
    pub fn ts(&self) -> Option<&str> {
        self.ts.as_deref()
    }

    /// What was seen, in a line for the model.
    #[must_use]
    pub fn summary(&self) -> Option<&str> {
        self.summary.as_deref()
    }
}

/// The observations made so far.
///
/// ```
/// use provstream::provenance::Vocabulary;
/// use provstream_emit::Observations;
///
/// let file = br#"[{"class": "substrate.grep", "id": "src/a.rs:7", "ts": "2026-05-28T11:40:00Z", "summary": "fn main"}]"#;
/// let observations = Observations::from_json(file, &Vocabulary::memo())?;
/// assert_eq!(observations.iter().next().unwrap().id(), "src/a.rs:7");
/// # Ok::<(), provstream_emit::ObservationError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Observations(Vec<Observation>);

impl Observations {
    /// Reads a JSON array of objects with the members `class` and `id`, and optionally `ts` and `summary`, which may be null.
    ///
    /// # Errors
    ///
    /// What is wrong, and with which observation: a file above 1 MiB or not JSON, more than 4,096 observations, a member that is
    /// missing, unknown or not a string, a class that the vocabulary does not have or that is a terminal, an id or a time
    /// that an annotation cannot have, a summary that is not one line of at most 500 bytes, or a class and id that occur
    /// twice.
    pub fn from_json(file: &[u8], vocabulary: &Vocabulary) -> Result<Self, ObservationError> {
        if file.len() > MAX_FILE {
            return Err(ObservationError::file("larger than 1 MiB".into()));
        }
        let file = file.strip_prefix(b"\xef\xbb\xbf").unwrap_or(file);
        let value: Value = serde_json::from_slice(file)
            .map_err(|error| ObservationError::file(format!("not JSON: {error}")))?;
        let Value::Array(items) = value else {
            let found = kind(&value);
            return Err(ObservationError::file(format!(
                "expected an array of observations, found {found}"
            )));
        };
        if items.len() > MAX_OBSERVATIONS {
            let count = items.len();
            return Err(ObservationError::file(format!(
                "at most {MAX_OBSERVATIONS} observations can be listed, found {count}"
            )));
        }
        let mut seen = BTreeSet::new();
        let mut all = Vec::with_capacity(items.len());
        for (index, item) in items.iter().enumerate() {
            let observation = read(item, vocabulary).map_err(|what| ObservationError {
                index: Some(index),
                what,
            })?;
            if !seen.insert((observation.class.clone(), observation.id.clone())) {
                let what = format!(
                    "the class and the id {} occur twice",
                    shown(&observation.id)
                );
                return Err(ObservationError {
                    index: Some(index),
                    what,
                });
            }
            all.push(observation);
        }
        Ok(Self(all))
    }

    /// The observations in the order in which they were listed.
    pub fn iter(&self) -> impl Iterator<Item = &Observation> {
        self.0.iter()
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether nothing was observed.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Why a file of observations cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObservationError {
    /// Of the observation, from 0; `None` for what is wrong with the file as a whole.
    index: Option<usize>,
    what: String,
}

impl ObservationError {
    const fn file(what: String) -> Self {
        Self { index: None, what }
    }

    /// Which observation is meant, counted from 0; `None` if it is the file as a whole.
    #[must_use]
    pub const fn index(&self) -> Option<usize> {
        self.index
    }
}

impl fmt::Display for ObservationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(index) = self.index {
            write!(f, "observation {}: ", index + 1)?;
        }
        f.write_str(&self.what)
    }
}

impl Error for ObservationError {}

fn read(item: &Value, vocabulary: &Vocabulary) -> Result<Observation, String> {
    let Value::Object(members) = item else {
        return Err(format!("expected an object, found {}", kind(item)));
    };
    let known = ["class", "id", "ts", "summary"];
    if let Some(other) = members.keys().find(|name| !known.contains(&name.as_str())) {
        return Err(format!(
            "unknown member {}, expected \"class\", \"id\", \"ts\" or \"summary\"",
            shown(other)
        ));
    }
    let name = string(members, "class")?.ok_or("the member \"class\" is missing")?;
    let id = string(members, "id")?.ok_or("the member \"id\" is missing")?;
    let ts = string(members, "ts")?;
    let summary = string(members, "summary")?;
    let class = vocabulary
        .class(name)
        .ok_or_else(|| format!("{} is not a class of the vocabulary", shown(name)))?;
    if class.is_terminal() {
        return Err(format!(
            "{} is a terminal, which nothing is observed by",
            shown(name)
        ));
    }
    let mut annotation = Annotation::new(class.clone(), class.as_str()).with_observation_id(id);
    if let Some(ts) = ts {
        annotation = annotation.with_ts(ts);
    }
    // Both forms have to carry it, whichever the model is asked for.
    write_bracketed(&annotation).map_err(|error| error.to_string())?;
    write_json_annotation(&annotation).map_err(|error| error.to_string())?;
    if let Some(summary) = summary {
        let line_end = |c: char| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}');
        if summary.len() > MAX_SUMMARY || summary.contains(line_end) {
            return Err(format!(
                "expected a summary of one line and at most {MAX_SUMMARY} bytes"
            ));
        }
    }
    Ok(Observation {
        class,
        id: id.into(),
        ts: ts.map(Into::into),
        summary: summary
            .filter(|text| !text.trim().is_empty())
            .map(Into::into),
    })
}

/// A member that is a string; `None` if it is missing or null.
fn string<'a>(members: &'a Map<String, Value>, name: &str) -> Result<Option<&'a str>, String> {
    match members.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(other) => Err(format!(
            "expected a string for \"{name}\", found {}",
            kind(other)
        )),
    }
}

const fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

/// Untrusted text in a message, quoted, escaped and at most 64 characters of it.
pub(crate) fn shown(text: &str) -> String {
    let mut short: String = text.chars().take(64).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    format!("{short:?}")
}
