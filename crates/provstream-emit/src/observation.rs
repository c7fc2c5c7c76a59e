//! Observations that a model may cite.

use std::collections::BTreeMap;
use std::error::Error;
use std::fmt;

use provstream::provenance::{
    Annotation, Class, Timestamp, Vocabulary, write_bracketed, write_json_annotation,
};
use provstream::settings::FilePosition;
use serde_json::value::RawValue;

use crate::json::{self, JsonMembers, shown};

/// Largest file of observations, in bytes.
const MAX_FILE: usize = 1 << 20;

/// Most observations in a file.
const MAX_OBSERVATIONS: usize = 4_096;

/// Most classes of a vocabulary in a message.
const LISTED: usize = 12;

/// Longest summary of an observation, in bytes.
const MAX_SUMMARY: usize = 500;

/// An observation: a class, an id, and optionally a time and a summary.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Observation {
    class: Class,
    id: Box<str>,
    ts: Option<Box<str>>,
    summary: Option<Box<str>>,
}

impl Observation {
    /// Returns the class of the observation; never a terminal.
    #[must_use]
    pub const fn class(&self) -> &Class {
        &self.class
    }

    /// Returns the id for annotations (`provenance memo 6`).
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Returns the time of the observation, as an RFC 3339 date-time.
    #[must_use]
    pub fn ts(&self) -> Option<&str> {
        self.ts.as_deref()
    }

    /// Returns a summary on one line for the model, at most 500 bytes.
    #[must_use]
    pub fn summary(&self) -> Option<&str> {
        self.summary.as_deref()
    }
}

/// List of observations that a model may cite.
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
    /// Reads a JSON array of objects with the members `class` and `id`, and optionally `ts` and
    /// `summary`, which may be null.
    ///
    /// # Errors
    ///
    /// What is wrong, and with which observation: a file above 1 MiB or not JSON, more than 4,096 observations, a member that is
    /// missing, unknown, there twice or not a string, a class that the vocabulary does not have or that is a terminal, an id or a
    /// time that an annotation cannot have, a summary that is not one line of at most 500 bytes, an id or a summary with
    /// characters that end lines or change the direction of text, or a class and id that occur twice.
    pub fn from_json(file: &[u8], vocabulary: &Vocabulary) -> Result<Self, ObservationError> {
        if file.len() > MAX_FILE {
            let found = file.len();
            let what = format!("expected at most {MAX_FILE} bytes (1 MiB), found {found}");
            return Err(ObservationError::file(what));
        }
        let file = file.strip_prefix(b"\xef\xbb\xbf").unwrap_or(file);
        let text = str::from_utf8(file).map_err(|error| {
            let at = error.valid_up_to();
            let valid = String::from_utf8_lossy(&file[..at]);
            ObservationError {
                place: Some(FilePosition::of(&valid, valid.len())),
                ..ObservationError::file(format!(
                    "expected UTF-8, found the byte 0x{:02X}",
                    file[at]
                ))
            }
        })?;
        let value = json::value(file).map_err(|fault| ObservationError {
            place: Some(FilePosition::of(text, fault.offset)),
            ..ObservationError::file(match file.trim_ascii_start().first() {
                None => format!(
                    "expected an array of observations, such as {EXAMPLE}, found an empty file"
                ),
                Some(b'{') => format!(
                    "{}; put the observations in one array: [{{…}}, {{…}}]",
                    fault.what
                ),
                _ => fault.what,
            })
        })?;
        let Some(items) = json::elements(value) else {
            let found = json::kind(value);
            let what =
                format!("expected an array of observations, such as {EXAMPLE}, found {found}");
            let offset = value.get().as_ptr().addr() - text.as_ptr().addr();
            return Err(ObservationError {
                place: Some(FilePosition::of(text, offset)),
                ..ObservationError::file(what)
            });
        };
        if items.len() > MAX_OBSERVATIONS {
            let count = items.len();
            return Err(ObservationError::file(format!(
                "expected at most {MAX_OBSERVATIONS} observations, found {count}"
            )));
        }
        let mut seen = BTreeMap::new();
        let mut all = Vec::with_capacity(items.len());
        for (index, item) in items.into_iter().enumerate() {
            // The items are parts of the file.
            let offset = item.get().as_ptr().addr() - text.as_ptr().addr();
            let wrong = |what| ObservationError {
                index: Some(index),
                place: Some(FilePosition::of(text, offset)),
                what,
            };
            let observation = read(item, vocabulary).map_err(wrong)?;
            let key = (observation.class.clone(), observation.id.clone());
            if let Some(first) = seen.insert(key, index + 1) {
                let (class, id) = (&observation.class, shown(&observation.id));
                return Err(wrong(format!(
                    "expected another class or id than {class} and {id} of observation {first}"
                )));
            }
            all.push(observation);
        }
        Ok(Self(all))
    }

    /// Returns the position of an observation, counted from 0, in a file that
    /// [`from_json`](Self::from_json) accepts, or `None` if the file has fewer observations.
    #[must_use]
    pub fn place(file: &[u8], index: usize) -> Option<FilePosition> {
        let file = file.strip_prefix(b"\xef\xbb\xbf").unwrap_or(file);
        let text = str::from_utf8(file).ok()?;
        let items = json::elements(json::value(file).ok()?)?;
        let offset = items.get(index)?.get().as_ptr().addr() - text.as_ptr().addr();
        Some(FilePosition::of(text, offset))
    }

    /// Iterates over the observations in the order of the file.
    pub fn iter(&self) -> impl Iterator<Item = &Observation> {
        self.0.iter()
    }

    /// Returns the number of observations.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns `true` if the list is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Reason why a file of observations cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObservationError {
    /// Index of the observation, from 0; `None` for an error in the file as a whole.
    index: Option<usize>,
    place: Option<FilePosition>,
    what: String,
}

impl ObservationError {
    const fn file(what: String) -> Self {
        Self {
            index: None,
            place: None,
            what,
        }
    }

    /// Returns the index of the observation, from 0, or `None` for an error in the file as a whole.
    #[must_use]
    pub const fn index(&self) -> Option<usize> {
        self.index
    }

    /// Returns the position of the observation or of the syntax error, or `None` for an error in
    /// the file as a whole.
    #[must_use]
    pub const fn place(&self) -> Option<FilePosition> {
        self.place
    }
}

impl fmt::Display for ObservationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(place) = self.place {
            write!(f, "{place}: ")?;
        }
        if let Some(index) = self.index {
            write!(f, "observation {}: ", index + 1)?;
        }
        f.write_str(&self.what)
    }
}

impl Error for ObservationError {}

fn read(item: &RawValue, vocabulary: &Vocabulary) -> Result<Observation, String> {
    let members = JsonMembers::of(item)?;
    let known = ["class", "id", "ts", "summary"];
    if let Some(other) = members.names().find(|name| !known.contains(name)) {
        return Err(format!(
            "unknown member {}, expected \"class\", \"id\", \"ts\" or \"summary\"",
            shown(other)
        ));
    }
    let name = needed(&members, "class")?;
    let id = needed(&members, "id")?;
    let ts = optional(&members, "ts")?;
    let summary = optional(&members, "summary")?;
    let class = class(&name, vocabulary)?;
    check_text("id", &id, is_unprintable)?;
    let mut annotation = Annotation::new(class.clone(), class.as_str()).with_observation_id(&id);
    if let Some(ts) = &ts {
        Timestamp::parse(ts).map_err(|_| {
            let found = shown(ts);
            format!("\"ts\": expected a time such as 2026-05-28T12:00:00Z, found {found}")
        })?;
        annotation = annotation.with_ts(ts);
    }
    // The observation must be writable in both encodings, because the model may be asked for
    // either.
    write_bracketed(&annotation).map_err(|error| format!("\"id\": {error}"))?;
    write_json_annotation(&annotation).map_err(|error| format!("\"id\": {error}"))?;
    if let Some(summary) = &summary {
        let found = summary.len();
        if found > MAX_SUMMARY {
            return Err(format!(
                "\"summary\": expected at most {MAX_SUMMARY} bytes, found {found}"
            ));
        }
        check_text("summary", summary, |c| c == '\t' || is_unprintable(c))?;
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

/// Returns the class of this name, if it can be observed.
fn class(name: &str, vocabulary: &Vocabulary) -> Result<Class, String> {
    let version = vocabulary.version();
    let bare = name.strip_prefix(&format!("{version}.")).unwrap_or(name);
    match vocabulary.class(bare) {
        Some(class) if class.is_terminal() => Err(format!(
            "\"class\": expected a class of what was observed, found the terminal {}",
            shown(name)
        )),
        Some(class) if bare.len() == name.len() => Ok(class),
        Some(class) => Err(format!(
            "\"class\": expected \"{class}\" without a version, found {}",
            shown(name)
        )),
        None => Err(format!(
            "\"class\": expected a class of vocabulary {version} ({}), found {}",
            listed(vocabulary),
            shown(name)
        )),
    }
}

/// Lists the classes that can be observed, for a message, if they are few.
fn listed(vocabulary: &Vocabulary) -> String {
    let classes = vocabulary.classes().map(|(class, _)| class);
    let classes: Vec<_> = classes.filter(|class| !class.is_terminal()).collect();
    if classes.len() > LISTED {
        return "`provstream vocabulary` lists them".to_owned();
    }
    let names: Vec<&str> = classes.iter().map(|class| class.as_str()).collect();
    names.join(", ")
}

/// Example of an array of observations, for messages.
const EXAMPLE: &str = r#"[{"class": "substrate.grep", "id": "src/a.rs:7"}]"#;

/// Returns `true` for characters that end a line or change the direction of text. With these, an id
/// or a summary could look like another one in a prompt.
fn is_unprintable(c: char) -> bool {
    let is_control = c.is_control() && c != '\t';
    is_control
        || matches!(c, '\u{2028}' | '\u{2029}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

fn check_text(name: &str, text: &str, is_refused: impl Fn(char) -> bool) -> Result<(), String> {
    match text.char_indices().find(|&(_, c)| is_refused(c)) {
        None => Ok(()),
        Some((at, c)) => Err(format!(
            "\"{name}\": expected one line without control characters, found U+{:04X} at byte {at}",
            u32::from(c)
        )),
    }
}

/// Returns a required member that is a string.
fn needed(members: &JsonMembers<'_>, name: &str) -> Result<String, String> {
    match members.get(name) {
        None => {
            let example = match name {
                "class" => "substrate.grep",
                _ => "src/a.rs:7",
            };
            Err(format!(
                "the member \"{name}\" is missing, such as \"{name}\": \"{example}\""
            ))
        }
        Some(value) => json::string(value).ok_or_else(|| expected_string(name, value)),
    }
}

/// Returns an optional member that is a string, or `None` if the member is missing or null.
fn optional(members: &JsonMembers<'_>, name: &str) -> Result<Option<String>, String> {
    match members.get(name) {
        None => Ok(None),
        Some(value) if value.get() == "null" => Ok(None),
        Some(value) => match json::string(value) {
            Some(text) => Ok(Some(text)),
            None => Err(expected_string(name, value)),
        },
    }
}

fn expected_string(name: &str, value: &RawValue) -> String {
    match json::kind(value) {
        "a string" => format!("\"{name}\": expected a string of Unicode, found a lone surrogate"),
        found => format!("\"{name}\": expected a string, found {found}"),
    }
}
