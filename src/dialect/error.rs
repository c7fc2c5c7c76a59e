//! Errors of dialects.

use std::error::Error;
use std::fmt;

use crate::settings::{Fault, FilePosition, quoted_piece};

/// Kind of error in a dialect.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum DialectErrorKind {
    /// The file is too large, not UTF-8 or not TOML, or a key is missing, unknown or has a value of the wrong type.
    File,
    /// A name that is empty, longer than 64 bytes, or has more than letters, digits and `-`.
    BadName,
    /// A value that is no regular expression, or one with look-around or anchors.
    BadPattern,
    /// A form that matches the empty text.
    EmptyForm,
    /// A key that needs another one, such as `separator` without `id`.
    KeyAlone,
    /// A length outside of 1 to 4,096.
    BadLength,
    /// A guard or another value that is not one of those that exist.
    BadValue,
    /// A file without a marker.
    NoMarker,
    /// More than 64 forms, or more than 64 KiB of compiled tables.
    TooLarge,
    /// No built-in dialect has this name.
    UnknownName,
}

/// Most characters of the input that an error quotes.
const SHOWN: usize = 64;

/// A dialect that cannot be loaded: what is wrong, and where.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct DialectError {
    kind: DialectErrorKind,
    place: Option<FilePosition>,
    message: Box<str>,
}

impl DialectError {
    /// An error about a value of a file, or about none.
    pub(super) fn new(kind: DialectErrorKind, place: Option<FilePosition>, found: &str) -> Self {
        let expected = match kind {
            DialectErrorKind::File => "",
            DialectErrorKind::BadName => "expected a name of letters, digits and `-`, found",
            DialectErrorKind::BadPattern => {
                "expected a valid regular expression without anchors and look-around, found"
            }
            DialectErrorKind::EmptyForm => {
                "expected a form that has at least one byte, found one that matches nothing:"
            }
            DialectErrorKind::KeyAlone => "expected `id` beside the key",
            DialectErrorKind::BadLength => "expected a length from 1 to 4,096, found",
            DialectErrorKind::BadValue => {
                "expected the guard `number` or `link`, or `always`, `listed` or `never` for `attached`, found"
            }
            DialectErrorKind::NoMarker => "expected at least one table `[[marker]]`, found none in",
            DialectErrorKind::TooLarge => {
                "expected at most 64 forms and 64 KiB of compiled tables, found more in"
            }
            DialectErrorKind::UnknownName => "expected the name of a built-in dialect, found",
        };
        let found = quoted_piece(found, SHOWN);
        Self {
            kind,
            place,
            message: format!("{expected} \"{found}\"").into(),
        }
    }

    pub(super) fn unknown(name: &str) -> Self {
        Self::new(DialectErrorKind::UnknownName, None, name)
    }

    /// Adds the place in a file to an error that is about no value.
    pub(super) fn or_at(self, place: FilePosition) -> Self {
        Self {
            place: self.place.or(Some(place)),
            ..self
        }
    }

    /// Returns the kind of error.
    #[must_use]
    pub const fn kind(&self) -> DialectErrorKind {
        self.kind
    }

    /// Returns the place in the file; `None` if the error is about none, or about a file that is too large to be read.
    #[must_use]
    pub const fn place(&self) -> Option<FilePosition> {
        self.place
    }
}

impl From<Fault> for DialectError {
    fn from(fault: Fault) -> Self {
        Self {
            kind: DialectErrorKind::File,
            place: fault.place,
            message: fault.to_string().into(),
        }
    }
}

impl fmt::Display for DialectError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.place {
            Some(place) => write!(f, "{place}: {}", self.message),
            None => f.write_str(&self.message),
        }
    }
}

impl Error for DialectError {}
