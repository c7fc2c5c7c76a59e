//! TOML files with a bounded size and closed sets of keys; every error has a position.

use core::fmt;
use core::ops::Range;
use std::borrow::Cow;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::{FilePosition, quoted_piece};

/// Largest file that is read, in bytes.
const MAX_FILE: usize = 1 << 20;

/// Kind of error in a settings file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultKind {
    /// The file is larger than 1 MiB.
    FileTooLarge,
    /// The file is not UTF-8.
    NotUtf8,
    /// The file is not TOML.
    Syntax,
    /// A required key is missing.
    MissingKey,
    /// A key that this table does not have.
    UnknownKey,
    /// A value of another type than its key has.
    WrongType,
}

/// Error in a settings file. The message has what was expected and what was found, without the place.
#[derive(Clone, Debug)]
pub struct Fault {
    /// Kind of error.
    pub kind: FaultKind,
    /// None for a file that is too large to be read.
    pub place: Option<FilePosition>,
    /// The key at fault, or the message of the TOML parser; empty for other faults.
    about: String,
    /// Expected value, such as `one of "version", "class"`, or what a message says after a key.
    expected: String,
    /// Value that was found, such as `-1`, `an array` or the rest of a line that is not TOML; empty for other faults.
    found: String,
}

impl Fault {
    /// The key that is missing, unknown or has a value of another type; `None` for other faults.
    #[must_use]
    pub fn key(&self) -> Option<&str> {
        let has_key = matches!(
            self.kind,
            FaultKind::MissingKey | FaultKind::UnknownKey | FaultKind::WrongType
        );
        has_key.then_some(self.about.as_str())
    }
}

/// Most characters of a key or a value that a message quotes.
const SHOWN: usize = 64;

/// Thousandths of Jaro similarity from which on a message proposes one key in place of all.
const SIMILAR: u32 = 800;

/// Similarity in thousandths that an unknown key of fewer than [`SHORT`] bytes needs, since it resembles many others by chance.
const SHORT_SIMILAR: u32 = 900;

/// Bytes from which on an unknown key is not short.
const SHORT: usize = 6;

/// Hint for a key of the whole file in a table: in TOML, every key after the head of a table belongs to that table.
const WHOLE_FILE: &str = "a key of the whole file goes before the first line in brackets";

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let about = quoted_piece(&self.about, SHOWN);
        match self.kind {
            FaultKind::FileTooLarge => {
                f.write_str("expected a file of at most 1 MiB, found a larger one")
            }
            FaultKind::NotUtf8 => write!(f, "expected UTF-8, found {}", self.found),
            FaultKind::Syntax if self.about == DUPLICATE => write!(
                f,
                "expected each key and each table once, found {} again{}",
                self.found, self.expected
            ),
            FaultKind::Syntax => {
                write!(f, "expected TOML, found {}: {}", self.found, self.about)
            }
            FaultKind::MissingKey => write!(f, "missing key \"{about}\"{}", self.expected),
            FaultKind::UnknownKey => {
                write!(f, "unknown key \"{about}\"{}", self.expected)
            }
            FaultKind::WrongType => write!(
                f,
                "expected {} for \"{about}\", found {}",
                self.expected, self.found
            ),
        }
    }
}

/// A value as a message shows it.
fn shown(value: &DeValue<'_>) -> String {
    match value {
        DeValue::String(text) => format!("the string \"{}\"", quoted_piece(text, SHOWN)),
        DeValue::Integer(integer) => integer.as_str().to_owned(),
        DeValue::Float(float) => float.as_str().to_owned(),
        DeValue::Boolean(boolean) => boolean.to_string(),
        DeValue::Datetime(time) => time.to_string(),
        DeValue::Array(_) => "an array".to_owned(),
        DeValue::Table(_) => "a table".to_owned(),
    }
}

/// Returns the rest of a line from an offset on, as a message quotes it.
fn rest_of_line(text: &str, at: usize) -> String {
    let rest = text.get(at..).unwrap_or_default();
    match rest.lines().next() {
        None => "the end of the file".to_owned(),
        Some("") => "the end of the line".to_owned(),
        Some(line) => format!("\"{}\"", quoted_piece(line, SHOWN)),
    }
}

/// Message of the TOML parser for a key or table that is given twice.
const DUPLICATE: &str = "duplicate key";

/// The line in which a key or the head of a table was given first that is given again at an offset, if it is certain.
fn first_line(text: &str, at: usize) -> Option<usize> {
    let start = text[..at].rfind('\n').map_or(0, |feed| feed + 1);
    let again = text[start..].lines().next()?.trim();
    let key = |line: &str| Some(line.split_once('=')?.0.trim().to_owned());
    let is_head = |line: &str| line.trim_start().starts_with('[');
    let before: Vec<_> = text[..start].lines().zip(1..).collect();
    let mut found: Vec<usize> = Vec::new();
    // A key belongs to the table whose head is the last one before it.
    for (line, number) in before.into_iter().rev() {
        let is_same = match is_head(again) {
            true => line.trim() == again,
            false if is_head(line) => break,
            false => key(line).is_some_and(|found| Some(found) == key(again)),
        };
        found.extend(is_same.then_some(number));
    }
    match *found {
        [line] => Some(line),
        _ => None,
    }
}

/// Returns the message of the TOML parser; for a bare word, the kinds of value, of which the parser names only the most similar.
fn reason(message: &str) -> &str {
    let bare = [
        "string values must be quoted",
        "invalid boolean",
        "invalid float",
        "invalid integer",
    ];
    if bare.iter().any(|start| message.starts_with(start)) {
        return "a value is a string in quotes, a number, true, false, a date, an array or a table";
    }
    if message.starts_with("unexpected leading zero") {
        return "a number does not begin with 0, and a text is in quotes";
    }
    message
        .strip_suffix(", expected nothing")
        .unwrap_or(message)
}

/// The keys as an error lists them.
fn one_of(known: &[&str]) -> String {
    let quoted: Vec<String> = known.iter().map(|key| format!("\"{key}\"")).collect();
    match quoted.as_slice() {
        [only] => only.clone(),
        all => format!("one of {}", all.join(", ")),
    }
}

/// A file that is TOML.
#[derive(Debug)]
pub struct File<'a> {
    text: &'a str,
    root: Spanned<DeTable<'a>>,
}

impl<'a> File<'a> {
    /// Parses a file of at most 1 MiB.
    ///
    /// # Errors
    ///
    /// [`FaultKind::FileTooLarge`], [`FaultKind::NotUtf8`] or [`FaultKind::Syntax`].
    pub fn parse(file: &'a [u8]) -> Result<Self, Fault> {
        let fault = |kind, place, about: &str| Fault {
            kind,
            place,
            about: about.into(),
            expected: String::new(),
            found: String::new(),
        };
        if file.len() > MAX_FILE {
            return Err(fault(FaultKind::FileTooLarge, None, ""));
        }
        let text = str::from_utf8(file).map_err(|error| {
            let valid = String::from_utf8_lossy(&file[..error.valid_up_to()]);
            let place = FilePosition::of(&valid, valid.len());
            Fault {
                found: format!("the byte 0x{:02X}", file[error.valid_up_to()]),
                ..fault(FaultKind::NotUtf8, Some(place), "")
            }
        })?;
        let root = DeTable::parse(text).map_err(|error| {
            let at = error.span().map_or(0, |span| span.start);
            let place = FilePosition::of(text, at);
            let wrong = fault(FaultKind::Syntax, Some(place), reason(error.message()));
            if error.message() != DUPLICATE {
                let found = rest_of_line(text, at);
                return Fault { found, ..wrong };
            }
            let first = first_line(text, at);
            let key = error.span().and_then(|span| text.get(span));
            Fault {
                expected: first.map_or_else(String::new, |line| format!(" (first in line {line})")),
                found: format!("\"{}\"", quoted_piece(key.unwrap_or_default(), SHOWN)),
                ..wrong
            }
        })?;
        Ok(Self { text, root })
    }

    /// The root table, which may have only these keys.
    ///
    /// # Errors
    ///
    /// [`FaultKind::UnknownKey`] for any other key.
    pub fn root<'t>(&'t self, known: &[&str]) -> Result<Table<'t>, Fault> {
        let table = Table {
            text: self.text,
            table: self.root.get_ref(),
            name: "",
            at: 0..0,
        };
        table.closed(known)
    }
}

/// A table of a file.
#[derive(Clone, Debug)]
pub struct Table<'t> {
    text: &'t str,
    table: &'t DeTable<'t>,
    /// The key that the table is the value of; empty for the whole file.
    name: &'t str,
    at: Range<usize>,
}

impl<'t> Table<'t> {
    /// The table, which may have only these keys.
    ///
    /// # Errors
    ///
    /// [`FaultKind::UnknownKey`] for any other key, the first in the file.
    pub fn closed(self, known: &[&str]) -> Result<Self, Fault> {
        let other = self
            .table
            .keys()
            .filter(|key| !known.contains(&key.get_ref().as_ref()))
            .min_by_key(|key| key.span().start);
        match other {
            Some(key) => Err(Fault {
                kind: FaultKind::UnknownKey,
                place: Some(FilePosition::of(self.text, key.span().start)),
                about: key.get_ref().to_string(),
                expected: self.instead(key.get_ref(), known),
                found: String::new(),
            }),
            None => Ok(self),
        }
    }

    /// Returns the hint for an unknown key: its table, and the key that it resembles or else all keys.
    fn instead(&self, unknown: &str, known: &[&str]) -> String {
        let table = match self.name {
            "" => String::new(),
            name => format!(" in \"{name}\""),
        };
        let likeness = |key: &&&str| (strsim::jaro(unknown, key) * 1000.0) as u32;
        let least = match unknown.len() < SHORT {
            true => SHORT_SIMILAR,
            false => SIMILAR,
        };
        match known.iter().max_by_key(likeness) {
            Some(key) if likeness(&key) >= least => format!("{table}, did you mean \"{key}\""),
            _ if table.is_empty() => format!(", expected {}", one_of(known)),
            _ => format!("{table}, expected {}; {WHOLE_FILE}", one_of(known)),
        }
    }

    /// The value of a key, if it is present.
    #[must_use]
    pub fn get(&self, key: &'t str) -> Option<Value<'t>> {
        let value = self.table.get(key)?;
        Some(self.value(key, value))
    }

    /// The value of a required key.
    ///
    /// # Errors
    ///
    /// [`FaultKind::MissingKey`] if it is not present.
    pub fn need(&self, key: &'t str) -> Result<Value<'t>, Fault> {
        self.get(key).ok_or_else(|| Fault {
            kind: FaultKind::MissingKey,
            place: Some(self.place()),
            about: key.into(),
            expected: match self.name.is_empty() && self.is_below(key) {
                true => format!("; {WHOLE_FILE}"),
                false => String::new(),
            },
            found: String::new(),
        })
    }

    /// Returns `true` if a table inside this one has a key.
    fn is_below(&self, key: &str) -> bool {
        self.table.values().any(|value| match value.get_ref() {
            DeValue::Table(table) => table.contains_key(key),
            DeValue::Array(items) => items.iter().any(|item| {
                let table = item.get_ref().as_table();
                table.is_some_and(|table| table.contains_key(key))
            }),
            _ => false,
        })
    }

    /// The text of the whole file that the table is in.
    #[must_use]
    pub const fn file(&self) -> &'t str {
        self.text
    }

    /// Returns the position of the table.
    #[must_use]
    pub fn place(&self) -> FilePosition {
        FilePosition::of(self.text, self.at.start)
    }

    fn value(&self, key: &'t str, value: &'t Spanned<DeValue<'t>>) -> Value<'t> {
        Value {
            text: self.text,
            key,
            value,
        }
    }
}

/// Access to a table whose keys are free, in the order of the keys.
impl<'t> Table<'t> {
    /// The entries of a table with free keys, in the order of the keys.
    pub fn entries(&self) -> impl Iterator<Item = (Key<'t>, Value<'t>)> {
        self.table.iter().map(|(key, value)| {
            let key = Key {
                text: self.text,
                key,
            };
            (key, self.value(key.name(), value))
        })
    }
}

/// A key of a table whose keys are free.
#[derive(Clone, Copy, Debug)]
pub struct Key<'t> {
    text: &'t str,
    key: &'t Spanned<Cow<'t, str>>,
}

impl<'t> Key<'t> {
    /// The key.
    #[must_use]
    pub fn name(&self) -> &'t str {
        self.key.get_ref()
    }

    /// Returns the position of the key.
    #[must_use]
    pub fn place(&self) -> FilePosition {
        FilePosition::of(self.text, self.key.span().start)
    }
}

/// A value of a file, with the key that it belongs to.
#[derive(Clone, Copy, Debug)]
pub struct Value<'t> {
    text: &'t str,
    key: &'t str,
    value: &'t Spanned<DeValue<'t>>,
}

impl<'t> Value<'t> {
    /// The key that the value belongs to.
    #[must_use]
    pub const fn key(&self) -> &'t str {
        self.key
    }

    /// Returns the position of the value.
    #[must_use]
    pub fn place(&self) -> FilePosition {
        FilePosition::of(self.text, self.value.span().start)
    }

    /// The fault that something else was expected.
    #[must_use]
    pub fn wrong_type(&self, expected: &str) -> Fault {
        Fault {
            kind: FaultKind::WrongType,
            place: Some(self.place()),
            about: self.key.into(),
            expected: expected.into(),
            found: shown(self.value.get_ref()),
        }
    }

    /// The value as a string.
    ///
    /// # Errors
    ///
    /// [`FaultKind::WrongType`] if it is a value of another type.
    pub fn string(&self) -> Result<&'t str, Fault> {
        let string = self.value.get_ref().as_str();
        string.ok_or_else(|| self.wrong_type("a string in quotes"))
    }

    /// The tables of an array of tables, which may have only these keys.
    ///
    /// # Errors
    ///
    /// [`FaultKind::WrongType`] or [`FaultKind::UnknownKey`].
    pub fn tables(&self, known: &[&str]) -> Result<Vec<Table<'t>>, Fault> {
        let expected = format!("an array of tables, each after a line [[{}]],", self.key);
        let Some(items) = self.value.get_ref().as_array() else {
            return Err(self.wrong_type(&expected));
        };
        items
            .iter()
            .map(|value| {
                let item = Self { value, ..*self };
                let table = item
                    .open_table()
                    .ok_or_else(|| item.wrong_type(&expected))?;
                table.closed(known)
            })
            .collect()
    }

    /// The value as a table whose keys are free, if it is one.
    fn open_table(&self) -> Option<Table<'t>> {
        let table = self.value.get_ref().as_table()?;
        Some(Table {
            text: self.text,
            table,
            name: self.key,
            at: self.value.span(),
        })
    }
}

impl<'t> Value<'t> {
    /// The value as a table, which may have only these keys.
    ///
    /// # Errors
    ///
    /// [`FaultKind::WrongType`] or [`FaultKind::UnknownKey`].
    pub fn table(&self, known: &[&str]) -> Result<Table<'t>, Fault> {
        self.free_table()?.closed(known)
    }

    /// The value as a table with any keys.
    ///
    /// # Errors
    ///
    /// [`FaultKind::WrongType`] if it is a value of another type.
    pub fn free_table(&self) -> Result<Table<'t>, Fault> {
        self.open_table().ok_or_else(|| self.wrong_type("a table"))
    }

    /// The values of an array.
    ///
    /// # Errors
    ///
    /// [`FaultKind::WrongType`] if it is a value of another type.
    pub fn items(&self) -> Result<impl Iterator<Item = Self>, Fault> {
        let Some(items) = self.value.get_ref().as_array() else {
            return Err(match self.value.get_ref().as_str() {
                Some(one) => {
                    let one = quoted_piece(one, SHOWN);
                    self.wrong_type(&format!("an array, such as [\"{one}\"],"))
                }
                None => self.wrong_type("an array"),
            });
        };
        let item = *self;
        Ok(items.iter().map(move |value| Self { value, ..item }))
    }

    /// The value as a boolean.
    ///
    /// # Errors
    ///
    /// [`FaultKind::WrongType`] if it is a value of another type.
    pub fn boolean(&self) -> Result<bool, Fault> {
        let boolean = self.value.get_ref().as_bool();
        boolean.ok_or_else(|| self.wrong_type("true or false"))
    }

    /// The value as a number, with or without a fraction; one that does not fit is infinite.
    ///
    /// # Errors
    ///
    /// [`FaultKind::WrongType`] if it is a value of another type.
    pub fn number(&self) -> Result<f64, Fault> {
        let number = match self.value.get_ref() {
            DeValue::Float(float) => float.as_str().parse().ok(),
            DeValue::Integer(integer) if integer.radix() == 10 => integer.as_str().parse().ok(),
            _ => None,
        };
        number.ok_or_else(|| self.wrong_type("a decimal number"))
    }

    /// The value as a number without a fraction, from 0 to 2^64 − 1.
    ///
    /// # Errors
    ///
    /// [`FaultKind::WrongType`] if it is another value.
    pub fn unsigned(&self) -> Result<u64, Fault> {
        let integer = self.value.get_ref().as_integer();
        integer
            .and_then(|integer| u64::from_str_radix(integer.as_str(), integer.radix()).ok())
            .ok_or_else(|| self.wrong_type("a whole number from 0 to 2^64 - 1"))
    }
}
