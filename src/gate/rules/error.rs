//! Errors of policy files.

use std::error::Error;
use std::fmt;

use crate::settings::{Fault, FaultKind, FilePosition, Table, quoted_piece};

/// Kind of error in a policy file.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum PolicyErrorKind {
    /// The file is larger than 1 MiB.
    FileTooLarge,
    /// The file is not UTF-8.
    NotUtf8,
    /// The file is not TOML.
    Syntax,
    /// A required key is missing.
    MissingKey,
    /// A key that has no meaning here.
    UnknownKey,
    /// A key's value has another type than it must have.
    WrongType,
    /// A value that its key cannot have, or that contradicts another key.
    BadValue,
}

/// The keys of which a file must have one each, and examples for messages.
const REQUIRED: [(&[&str], &str); 3] = [
    (
        &["inadmissible"],
        ", a table such as [inadmissible] with action = \"discard\"",
    ),
    (
        &["preset", "floor"],
        ", such as preset = \"own-state\" (a floor of 2), preset = \"external\" (3) or floor = 1",
    ),
    (
        &["default_window", "windows"],
        ", such as default_window = \"1h\": without a window no annotation counts",
    ),
];

/// Maximum number of characters that an error quotes from the file.
const SHOWN: usize = 64;

/// Error in a policy file, with its position.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PolicyError {
    kind: PolicyErrorKind,
    place: Option<FilePosition>,
    message: Box<str>,
}

impl PolicyError {
    /// Creates an error about a string for which another one was expected.
    pub(super) fn value(place: FilePosition, key: &str, expected: &str, found: &str) -> Self {
        let found = quoted_piece(found, SHOWN);
        Self {
            kind: PolicyErrorKind::BadValue,
            place: Some(place),
            message: format!("expected {expected} for \"{key}\", found \"{found}\"").into(),
        }
    }

    /// Creates an error about a number for which another one was expected.
    pub(super) fn number(place: FilePosition, expected: &str, found: &str) -> Self {
        Self::bad(place, &format!("expected {expected}, found {found}"))
    }

    /// Creates an error about a value that its key cannot have.
    pub(super) fn bad(place: FilePosition, message: &str) -> Self {
        Self {
            kind: PolicyErrorKind::BadValue,
            place: Some(place),
            message: message.into(),
        }
    }

    /// Converts a fault of a settings file into an error about a value.
    pub(super) fn of_value(fault: Fault, hint: &str) -> Self {
        let error = Self::from(fault).and(hint);
        Self {
            kind: PolicyErrorKind::BadValue,
            ..error
        }
    }

    /// Creates an error about a missing key; `more` follows the key in the message.
    pub(super) fn missing(place: FilePosition, key: &str, more: &str) -> Self {
        Self {
            kind: PolicyErrorKind::MissingKey,
            ..Self::bad(place, &format!("missing key \"{key}\"{more}"))
        }
    }

    /// Creates the error about all required keys that a file does not have. A table without entries counts as missing.
    pub(super) fn missing_keys(root: &Table<'_>) -> Self {
        let is_empty = |table: Table<'_>| table.entries().next().is_none();
        let has = |key: &&str| {
            let value = root.get(key);
            value.is_some_and(|value| !value.free_table().is_ok_and(is_empty))
        };
        let missing = REQUIRED.iter().filter(|(keys, _)| !keys.iter().any(has));
        let missing = missing.map(|(keys, example)| {
            let keys = keys.join("\" or \"");
            format!("missing key \"{keys}\"{example}")
        });
        let message = missing.collect::<Vec<_>>().join("; ");
        Self {
            kind: PolicyErrorKind::MissingKey,
            ..Self::bad(root.place(), &message)
        }
    }

    /// Adds text after the message.
    pub(super) fn and(self, more: &str) -> Self {
        Self {
            message: format!("{}{more}", self.message).into(),
            ..self
        }
    }

    /// Returns the kind of error.
    #[must_use]
    pub const fn kind(&self) -> PolicyErrorKind {
        self.kind
    }

    /// Returns the position in the file; `None` for a file that is too large to be read.
    #[must_use]
    pub const fn place(&self) -> Option<FilePosition> {
        self.place
    }
}

impl From<Fault> for PolicyError {
    fn from(fault: Fault) -> Self {
        let kind = match fault.kind {
            FaultKind::FileTooLarge => PolicyErrorKind::FileTooLarge,
            FaultKind::NotUtf8 => PolicyErrorKind::NotUtf8,
            FaultKind::Syntax => PolicyErrorKind::Syntax,
            FaultKind::MissingKey => PolicyErrorKind::MissingKey,
            FaultKind::UnknownKey => PolicyErrorKind::UnknownKey,
            FaultKind::WrongType => PolicyErrorKind::WrongType,
        };
        Self {
            kind,
            place: fault.place,
            message: fault.to_string().into(),
        }
    }
}

/// Writes the line and column, what was expected and what was found.
impl fmt::Display for PolicyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(place) = self.place {
            write!(f, "{place}: ")?;
        }
        f.write_str(&self.message)
    }
}

impl Error for PolicyError {}
