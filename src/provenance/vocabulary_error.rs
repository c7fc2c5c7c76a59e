//! Errors of vocabularies.

use std::error::Error;
use std::fmt;

#[cfg(feature = "settings")]
use crate::settings::{Fault, FaultKind};
use crate::settings::{FilePosition, quoted_piece};

/// Kind of error in a vocabulary.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum VocabularyErrorKind {
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
    /// The vocabulary's version is not of the form `major.minor`.
    BadVersion,
    /// The vocabulary's version is below 1.0.
    VersionTooLow,
    /// More than 4,096 classes.
    TooManyClasses,
    /// An identifier that is not one or more labels with dots between them, or is longer than 255 bytes.
    BadIdentifier,
    /// An identifier that is listed twice.
    DuplicateClass,
    /// An identifier that differs from one of the memo's only in letter case.
    MemoLetterCase,
    /// A terminal is listed as a class; both are part of every vocabulary.
    TerminalRedefined,
    /// A class of the memo is listed with another version than 1.0.
    MemoClassRedefined,
    /// A class is added to version 1.0, which the memo states to be complete.
    ClosedVersion,
    /// A class's version is not of the form `major.minor`.
    BadSince,
    /// A class's version has another major version than the vocabulary.
    SinceOtherMajor,
    /// A class's version is above that of the vocabulary.
    SinceAboveVersion,
    /// A class's description is empty, longer than 200 bytes or not one line, or its class is not listed.
    BadDescription,
}

impl VocabularyErrorKind {
    /// Returns `true` if the version of a class is wrong, and not its identifier.
    pub(crate) const fn is_about_since(self) -> bool {
        matches!(
            self,
            Self::MemoClassRedefined
                | Self::ClosedVersion
                | Self::SinceOtherMajor
                | Self::SinceAboveVersion
        )
    }

    const fn message(self) -> &'static str {
        match self {
            // Faults of any settings file, which bring their message.
            Self::FileTooLarge
            | Self::NotUtf8
            | Self::Syntax
            | Self::MissingKey
            | Self::UnknownKey
            | Self::WrongType => "",
            Self::BadVersion => "expected a `version` such as \"1.0\", found",
            Self::VersionTooLow => "expected a `version` of 1.0 or above, found",
            Self::TooManyClasses => "expected at most 4,096 classes, found one more",
            Self::BadIdentifier => {
                "expected an identifier (at most 255 bytes: labels of letters, digits, `-` and `_`, a letter first, dots between them), found"
            }
            Self::DuplicateClass => "expected each class once, found another",
            Self::TerminalRedefined => {
                "expected a class that is not a terminal (every vocabulary has the terminals; leave it out), found"
            }
            Self::MemoLetterCase => {
                "expected an identifier that differs from the memo's by more than letter case, found"
            }
            Self::MemoClassRedefined => {
                "expected `since = \"1.0\"` for a class of version 1.0, found"
            }
            Self::ClosedVersion => {
                "version 1.0 is complete: expected a later `since` for a new class, found"
            }
            Self::BadSince => "expected a `since` such as \"1.0\", found",
            Self::SinceOtherMajor => {
                "expected a `since` with the same first number as the vocabulary's `version`, found"
            }
            Self::SinceAboveVersion => {
                "expected a `since` of at most the vocabulary's version (raise `version` to add a later class), found"
            }
            Self::BadDescription => {
                "expected the description of a listed class (one line of 1 to 200 bytes), found"
            }
        }
    }
}

/// Most characters of the input that an error quotes.
const SHOWN: usize = 64;

/// A vocabulary that cannot be loaded: what is wrong, and where.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct VocabularyError {
    kind: VocabularyErrorKind,
    place: Option<FilePosition>,
    detail: Option<Box<str>>,
    /// The detail is the whole message.
    is_whole: bool,
}

impl VocabularyError {
    pub(crate) const fn new(kind: VocabularyErrorKind) -> Self {
        Self {
            kind,
            place: None,
            detail: None,
            is_whole: false,
        }
    }

    /// Names the offending piece of the input, shortened where it is long.
    pub(crate) fn about(self, text: &str) -> Self {
        Self {
            detail: Some(quoted_piece(text, SHOWN)),
            ..self
        }
    }

    #[cfg(feature = "settings")]
    pub(crate) fn at(self, place: FilePosition) -> Self {
        Self {
            place: Some(place),
            ..self
        }
    }

    /// Returns the kind of error.
    #[must_use]
    pub const fn kind(&self) -> VocabularyErrorKind {
        self.kind
    }

    /// Returns the position in the file; `None` for a vocabulary that was built in code, or a file too large to be read.
    #[must_use]
    pub const fn place(&self) -> Option<FilePosition> {
        self.place
    }
}

/// Returns the end of the message about a missing key.
#[cfg(feature = "settings")]
fn example(fault: &Fault) -> &'static str {
    match fault.key().filter(|_| fault.kind == FaultKind::MissingKey) {
        Some("version") => ", such as version = \"1.1\"",
        Some("id") => ", such as id = \"substrate.ct.log\"",
        Some("since") => ", such as since = \"1.1\"",
        _ => "",
    }
}

#[cfg(feature = "settings")]
impl From<Fault> for VocabularyError {
    fn from(fault: Fault) -> Self {
        let error = Self::new(match fault.kind {
            FaultKind::FileTooLarge => VocabularyErrorKind::FileTooLarge,
            FaultKind::NotUtf8 => VocabularyErrorKind::NotUtf8,
            FaultKind::Syntax => VocabularyErrorKind::Syntax,
            FaultKind::MissingKey => VocabularyErrorKind::MissingKey,
            FaultKind::UnknownKey => VocabularyErrorKind::UnknownKey,
            FaultKind::WrongType => VocabularyErrorKind::WrongType,
        });
        Self {
            place: fault.place,
            detail: Some(format!("{fault}{}", example(&fault)).into()),
            is_whole: true,
            ..error
        }
    }
}

impl fmt::Display for VocabularyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(place) = self.place {
            write!(f, "{place}: ")?;
        }
        match &self.detail {
            Some(detail) if self.is_whole => f.write_str(detail),
            Some(detail) => write!(f, "{} \"{detail}\"", self.kind.message()),
            None => f.write_str(self.kind.message()),
        }
    }
}

impl Error for VocabularyError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn says_what_and_where() {
        let error = VocabularyError::new(VocabularyErrorKind::DuplicateClass).about("a.b");
        assert_eq!(
            error.to_string(),
            "expected each class once, found another \"a.b\""
        );
        assert_eq!(error.place(), None);
        #[cfg(feature = "settings")]
        {
            let error = error.at(FilePosition::of("x\nýz = 1", 5));
            assert_eq!(
                error.to_string(),
                "line 2, column 3: expected each class once, found another \"a.b\""
            );
            assert_eq!(error.kind(), VocabularyErrorKind::DuplicateClass);
        }
    }

    #[test]
    fn shortens_and_escapes_what_it_quotes() {
        let error =
            VocabularyError::new(VocabularyErrorKind::BadIdentifier).about(&"\u{1b}".repeat(70));
        let text = error.to_string();
        assert!(text.ends_with("\\u{1b}…\"") && !text.contains('\u{1b}'));
        assert_eq!(text.matches("\\u{1b}").count(), 64);
    }
}
