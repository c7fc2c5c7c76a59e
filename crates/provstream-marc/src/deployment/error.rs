//! Errors in a deployment description.

use core::fmt;
use std::error::Error;

use crate::declare::values;
use provstream::settings::{Fault, FaultKind, FilePosition, Value, quoted_piece};

/// Most characters of a message.
const SHOWN: usize = 800;

/// Kind of error in a deployment description.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum DeploymentErrorKind {
    /// The file is larger than 1 MiB.
    FileTooLarge,
    /// The file is not UTF-8.
    NotUtf8,
    /// The file is not TOML.
    Syntax,
    /// A required key is missing.
    MissingKey,
    /// A key is unknown in its table.
    UnknownKey,
    /// A value has another type than its key.
    WrongType,
    /// A value is invalid for its key: blank, unknown, out of range, repeated, or in contradiction
    /// to another.
    BadValue,
}

values! {
    /// A deployment description cannot be read.
    #[derive(Clone, Debug, PartialEq, Eq, Hash)]
    pub struct DeploymentError {
        /// The kind of error.
        copy kind: DeploymentErrorKind,
        /// Line and column of the error; `None` for a file that is too large.
        copy position: Option<FilePosition>,
        own message: Box<str>,
    }
}

impl DeploymentError {
    /// Creates an error about an invalid value.
    pub(super) fn value(value: &Value<'_>, message: impl fmt::Display) -> Self {
        Self::at(value.place(), message)
    }

    pub(super) fn at(position: FilePosition, message: impl fmt::Display) -> Self {
        Self {
            kind: DeploymentErrorKind::BadValue,
            position: Some(position),
            message: quoted_piece(&message.to_string(), SHOWN),
        }
    }
}

impl DeploymentError {
    /// Appends `more` to the message.
    pub(super) fn and(self, more: &str) -> Self {
        Self {
            message: format!("{}{more}", self.message).into(),
            ..self
        }
    }

    /// Creates an error about a missing key. `expected` describes its value.
    pub(super) fn missing(position: FilePosition, key: &str, expected: &str) -> Self {
        Self {
            kind: DeploymentErrorKind::MissingKey,
            ..Self::at(
                position,
                format_args!("missing key \"{key}\", expected {expected}"),
            )
        }
    }
}

/// Examples of values, for messages about missing keys.
const EXAMPLES: [(&str, &str); 12] = [
    ("name", "\"tax assistant\""),
    ("classes", "[\"core\"]"),
    ("calibration_profile", "\"tax-2026-05\""),
    ("medium_from", "0.5"),
    ("high_from", "0.8"),
    ("standard", "0.5"),
    ("high_risk", "0.3"),
    ("carrier", "\"response-metadata\""),
    ("carries", "[\"core\"]"),
    ("condition", "\"a tax adviser has the current rules\""),
    ("action", "\"ESCALATE\""),
    ("instead_of", "\"RETRIEVE\""),
];

/// Returns the end of a message about a missing key: an example of its value, if one is known.
fn example(fault: &Fault) -> String {
    let key = fault.key().filter(|_| fault.kind == FaultKind::MissingKey);
    let found = EXAMPLES.iter().find(|(known, _)| Some(*known) == key);
    found.map_or_else(String::new, |(key, value)| {
        format!(", such as {key} = {value}")
    })
}

impl From<Fault> for DeploymentError {
    fn from(fault: Fault) -> Self {
        let kind = match fault.kind {
            FaultKind::FileTooLarge => DeploymentErrorKind::FileTooLarge,
            FaultKind::NotUtf8 => DeploymentErrorKind::NotUtf8,
            FaultKind::Syntax => DeploymentErrorKind::Syntax,
            FaultKind::MissingKey => DeploymentErrorKind::MissingKey,
            FaultKind::UnknownKey => DeploymentErrorKind::UnknownKey,
            FaultKind::WrongType => DeploymentErrorKind::WrongType,
        };
        Self {
            kind,
            position: fault.place,
            message: quoted_piece(&format!("{fault}{}", example(&fault)), SHOWN),
        }
    }
}

impl fmt::Display for DeploymentError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(position) = self.position {
            write!(f, "{position}: ")?;
        }
        f.write_str(&self.message)
    }
}

impl Error for DeploymentError {}
