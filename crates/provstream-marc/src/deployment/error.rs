//! What can be wrong with a description.

use core::fmt;
use std::error::Error;

use provstream::settings::{Fault, FaultKind, Value};
use provstream::settings::{FilePosition, quoted_piece};

/// Most characters of a message that are kept.
const SHOWN: usize = 240;

/// What is wrong with the description of a deployment.
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
    /// A key that has no meaning here.
    UnknownKey,
    /// A value has another type than it must have.
    WrongType,
    /// A text or a list that has no content.
    Empty,
    /// A text that is none of those that have a meaning here.
    UnknownValue,
    /// A number that is too small or too large.
    OutOfRange,
    /// A duration that is not of the form `1h30m`.
    BadDuration,
    /// Thresholds that leave a confidence band empty.
    BadBands,
    /// A threshold for high risk that is above the standard one.
    BadThreshold,
    /// A template or phrase that a wording cannot have.
    BadWording,
    /// A carrier that cannot be told by the names given.
    BadCarrier,
    /// A name, or one of a list, that is there twice.
    Repeated,
    /// A number of a requirement that does not fit here.
    UnknownRequirement,
    /// A name of a member that the draft does not define for what is carried.
    UnknownMember,
}

impl DeploymentErrorKind {
    const fn message(self) -> &'static str {
        match self {
            Self::FileTooLarge => "the file is larger than 1 MiB",
            Self::NotUtf8 => "the file is not UTF-8",
            Self::Syntax => "not TOML",
            Self::MissingKey => "a key is missing",
            Self::UnknownKey => "unknown key",
            Self::WrongType => "wrong type",
            Self::Empty => "there is nothing in it",
            Self::UnknownValue => "unknown value",
            Self::OutOfRange => "out of range",
            Self::BadDuration => "not a duration such as `1h30m`",
            Self::BadBands => "no bands",
            Self::BadThreshold => "no threshold",
            Self::BadWording => "no wording",
            Self::BadCarrier => "no carrier",
            Self::Repeated => "there twice",
            Self::UnknownRequirement => "not a requirement that can stand here",
            Self::UnknownMember => "not a member of what is carried",
        }
    }
}

/// A description that cannot be read: what is wrong, and where.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct DeploymentError {
    kind: DeploymentErrorKind,
    place: Option<FilePosition>,
    /// Empty if there is nothing to add.
    detail: Box<str>,
}

impl DeploymentError {
    /// What is wrong with a value, in words.
    pub(super) fn of(
        kind: DeploymentErrorKind,
        value: &Value<'_>,
        detail: impl fmt::Display,
    ) -> Self {
        Self::at(kind, value.place(), detail)
    }

    pub(super) fn at(
        kind: DeploymentErrorKind,
        place: FilePosition,
        detail: impl fmt::Display,
    ) -> Self {
        Self {
            kind,
            place: Some(place),
            detail: quoted_piece(&detail.to_string(), SHOWN),
        }
    }

    /// What is wrong.
    #[must_use]
    pub const fn kind(&self) -> DeploymentErrorKind {
        self.kind
    }

    /// Where in the file; none for a file too large to be read.
    #[must_use]
    pub const fn place(&self) -> Option<FilePosition> {
        self.place
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
            place: fault.place,
            detail: quoted_piece(&fault.about, SHOWN),
        }
    }
}

impl fmt::Display for DeploymentError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(place) = self.place {
            write!(f, "{place}: ")?;
        }
        f.write_str(self.kind.message())?;
        if self.detail.is_empty() {
            Ok(())
        } else {
            write!(f, ": {}", self.detail)
        }
    }
}

impl Error for DeploymentError {}
