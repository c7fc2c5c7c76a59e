//! What can be wrong with a description.

use core::fmt;
use std::error::Error;

use crate::declare::values;
use crate::terms::terms;
use provstream::settings::{Fault, FaultKind, FilePosition, Value, quoted_piece};

/// Most characters of a message that are kept.
const SHOWN: usize = 240;

terms! {
    /// What is wrong with the description of a deployment.
    #[non_exhaustive]
    DeploymentErrorKind, "kind of error" {
        /// The file is larger than 1 MiB.
        FileTooLarge = "expected a file of at most 1 MiB, found a larger one",
        /// The file is not UTF-8.
        NotUtf8 = "expected UTF-8, found other bytes",
        /// The file is not TOML.
        Syntax = "expected TOML",
        /// A required key is missing.
        MissingKey = "missing key",
        /// A key that has no meaning here.
        UnknownKey = "unknown key",
        /// A value has another type than its key.
        WrongType = "wrong type",
        /// A value that its key cannot have: blank, unknown, out of range, repeated, or in contradiction to another.
        BadValue = "wrong value",
    }
}

values! {
    /// A description that cannot be read: what is wrong, and where.
    #[derive(Clone, Debug, PartialEq, Eq, Hash)]
    pub struct DeploymentError {
        /// What is wrong.
        copy kind: DeploymentErrorKind,
        /// Where in the file; `None` for a file that is too large.
        copy position: Option<FilePosition>,
        /// Empty if there is nothing to add.
        own detail: Box<str>,
    }
}

impl DeploymentError {
    /// A wrong value, in words.
    pub(super) fn value(value: &Value<'_>, detail: impl fmt::Display) -> Self {
        Self::at(value.place(), detail)
    }

    pub(super) fn at(position: FilePosition, detail: impl fmt::Display) -> Self {
        Self {
            kind: DeploymentErrorKind::BadValue,
            position: Some(position),
            detail: quoted_piece(&detail.to_string(), SHOWN),
        }
    }
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
            detail: quoted_piece(&fault.about, SHOWN),
        }
    }
}

impl fmt::Display for DeploymentError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(position) = self.position {
            write!(f, "{position}: ")?;
        }
        let before = if self.detail.is_empty() { "" } else { ": " };
        write!(f, "{}{before}{}", self.kind, self.detail)
    }
}

impl Error for DeploymentError {}
