//! Dialects in TOML files.

use super::automaton::{BuildError, MOST_PATTERNS, MarkerAutomaton};
use super::guard::{Attached, Guard, GuardKind};
use super::table::{FormTable, Ids};
use super::{DialectError, DialectErrorKind as Kind};
use crate::settings::{self, File, FilePosition, Value};

const KEYS: [&str; 12] = [
    "open",
    "id",
    "separator",
    "range",
    "close",
    "end",
    "max",
    "repeat",
    "guard",
    "not_after",
    "labels",
    "attached",
];

/// Length of the longest marker, unless a table states one.
const USUAL_MAX: usize = 256;

/// Greatest length of a marker that a table can state.
const MOST_MAX: u64 = 4096;

/// Longest name in bytes.
const MOST_NAME: usize = 64;

/// Contents of a dialect file.
pub(super) struct DialectFile {
    pub(super) name: Box<str>,
    /// Place of the name, for errors about all tables.
    pub(super) place: FilePosition,
    pub(super) tables: Vec<FormTable>,
}

/// Reads the name of a dialect, and its tables.
pub(super) fn read(file: &[u8]) -> Result<DialectFile, DialectError> {
    let file = File::parse(file)?;
    let root = file.root(&["name", "marker"])?;
    let stated = root.need("name")?;
    let name = stated.string()?;
    let is_name = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
    if name.is_empty() || name.len() > MOST_NAME || !name.bytes().all(is_name) {
        return Err(error(Kind::BadName, &stated));
    }
    let tables = match root.get("marker") {
        Some(markers) => markers.tables(&KEYS)?,
        None => Vec::new(),
    };
    if tables.is_empty() {
        return Err(DialectError::new(Kind::NoMarker, Some(root.place()), name));
    }
    if let Some(further) = tables.get(MOST_PATTERNS) {
        // Compiling them first would take long.
        return Err(DialectError::new(
            Kind::TooLarge,
            Some(further.place()),
            name,
        ));
    }
    let tables: Result<Vec<_>, _> = tables.iter().map(table).collect();
    Ok(DialectFile {
        name: name.into(),
        place: stated.place(),
        tables: tables?,
    })
}

fn table(table: &settings::Table<'_>) -> Result<FormTable, DialectError> {
    let open = table.need("open")?;
    let ids = match table.get("id") {
        Some(id) => Some(Ids {
            id: automaton(&id)?,
            separator: table
                .get("separator")
                .map(|form| automaton(&form))
                .transpose()?,
            range: table
                .get("range")
                .map(|form| automaton(&form))
                .transpose()?,
        }),
        None => match table.get("separator").or_else(|| table.get("range")) {
            Some(alone) => return Err(error(Kind::KeyAlone, &alone)),
            None => None,
        },
    };
    let max = match table.get("max") {
        Some(value) => match value.unsigned()? {
            max @ 1..=MOST_MAX => max as usize,
            max => {
                let (place, found) = (Some(value.place()), max.to_string());
                return Err(DialectError::new(Kind::BadLength, place, &found));
            }
        },
        None => USUAL_MAX,
    };
    let form = form(table)?;
    let repeats = table
        .get("repeat")
        .map(|repeat| repeat.boolean())
        .transpose()?;
    let unit = match repeats {
        Some(true) => Some(build(&form, &open)?),
        _ => None,
    };
    let end = table.get("end").map(|end| {
        automaton(&end)?;
        Ok::<_, DialectError>(end.string()?.to_owned())
    });
    Ok(FormTable {
        open: automaton(&open)?,
        ids,
        unit,
        end: end.transpose()?,
        max,
        guard: guard(table)?,
        form,
    })
}

/// Regular expression of the whole form.
fn form(table: &settings::Table<'_>) -> Result<String, DialectError> {
    let part = |key| {
        let value = table.get(key);
        value
            .map(|value| Ok::<_, DialectError>(format!("(?:{})", checked(&value)?)))
            .transpose()
    };
    let mut form = part("open")?.unwrap_or_default();
    if let Some(id) = part("id")? {
        let item = match part("range")? {
            Some(range) => format!("{id}(?:{range}{id})?"),
            None => id,
        };
        form.push_str(&item);
        if let Some(separator) = part("separator")? {
            form.push_str(&format!("(?:{separator}{item})*"));
        }
    }
    form.push_str(&part("close")?.unwrap_or_default());
    Ok(form)
}

fn guard(table: &settings::Table<'_>) -> Result<Option<Guard>, DialectError> {
    let words = |key| -> Result<Vec<Box<str>>, DialectError> {
        let Some(words) = table.get(key) else {
            return Ok(Vec::new());
        };
        let word = |value: Value<'_>| Ok(value.string()?.to_lowercase().into());
        words.items()?.map(word).collect()
    };
    let (not_after, labels) = (words("not_after")?, words("labels")?);
    let attached = match table.get("attached") {
        None => Attached::Listed,
        Some(value) => match value.string()? {
            "always" => Attached::Always,
            "listed" => Attached::Listed,
            "never" => Attached::Never,
            _ => return Err(error(Kind::BadValue, &value)),
        },
    };
    let Some(value) = table.get("guard") else {
        return Ok(None);
    };
    let kind = match value.string()? {
        "number" => GuardKind::Number,
        "link" => GuardKind::Link,
        _ => return Err(error(Kind::BadValue, &value)),
    };
    Ok(Some(Guard {
        kind,
        not_after,
        labels,
        attached,
    }))
}

fn automaton(value: &Value<'_>) -> Result<MarkerAutomaton, DialectError> {
    build(checked(value)?, value)
}

/// The regular expression of a value, which has no look-around.
fn checked<'t>(value: &Value<'t>) -> Result<&'t str, DialectError> {
    let pattern = value.string()?;
    let parsed = regex_automata::util::syntax::parse(pattern);
    match parsed {
        Ok(parsed) if parsed.properties().look_set().is_empty() => Ok(pattern),
        _ => Err(error(Kind::BadPattern, value)),
    }
}

fn build(pattern: &str, value: &Value<'_>) -> Result<MarkerAutomaton, DialectError> {
    MarkerAutomaton::new(&[pattern.to_owned()]).map_err(|kind| {
        let kind = match kind {
            BuildError::Pattern(_) => Kind::BadPattern,
            BuildError::Empty => Kind::EmptyForm,
            BuildError::TooLarge => Kind::TooLarge,
        };
        error(kind, value)
    })
}

fn error(kind: Kind, value: &Value<'_>) -> DialectError {
    DialectError::new(
        kind,
        Some(value.place()),
        value.string().unwrap_or_default(),
    )
}
