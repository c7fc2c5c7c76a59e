//! What can be wrong with a vocabulary.

use std::error::Error;
use std::fmt;

/// A place in a vocabulary file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Place {
    line: u32,
    column: u32,
}

impl Place {
    /// The place of byte `offset` of `text`, which must stand at a character boundary.
    #[cfg(feature = "vocabulary-file")]
    pub(crate) fn of(text: &str, offset: usize) -> Self {
        let before = text.get(..offset).unwrap_or(text);
        let before = before.strip_prefix('\u{feff}').unwrap_or(before);
        let start = before.rfind('\n').map_or(0, |at| at + 1);
        let one_based = |count: usize| u32::try_from(count + 1).unwrap_or(u32::MAX);
        Self {
            line: one_based(before.matches('\n').count()),
            column: one_based(before[start..].chars().count()),
        }
    }

    /// The line, counted from 1; lines end at LF.
    #[must_use]
    pub const fn line(self) -> u32 {
        self.line
    }

    /// The column, counted in characters (Unicode scalar values) from 1; a byte order mark is none.
    #[must_use]
    pub const fn column(self) -> u32 {
        self.column
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}", self.line, self.column)
    }
}

/// What is wrong with a vocabulary.
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
}

impl VocabularyErrorKind {
    const fn message(self) -> &'static str {
        match self {
            Self::FileTooLarge => "the file is larger than 1 MiB",
            Self::NotUtf8 => "the file is not UTF-8",
            Self::Syntax => "not TOML",
            Self::MissingKey => "a key is missing",
            Self::UnknownKey => "unknown key",
            Self::WrongType => "wrong type",
            Self::BadVersion => "`version` is not of the form `1.0`",
            Self::VersionTooLow => "a vocabulary's version is 1.0 or above",
            Self::TooManyClasses => "more than 4,096 classes",
            Self::BadIdentifier => {
                "not an identifier (at most 255 bytes: labels of letters, digits, `-` and `_`, a letter first, dots between them)"
            }
            Self::DuplicateClass => "a class is listed twice",
            Self::TerminalRedefined => {
                "a terminal cannot be listed, it is part of every vocabulary"
            }
            Self::MemoClassRedefined => {
                "a class of version 1.0 can only be listed with `since = \"1.0\"`"
            }
            Self::ClosedVersion => {
                "version 1.0 is complete, a class can only be added by a later one"
            }
            Self::BadSince => "`since` is not of the form `1.0`",
            Self::SinceOtherMajor => "`since` has another major version than the vocabulary",
            Self::SinceAboveVersion => "`since` is above the vocabulary's version",
        }
    }
}

/// A vocabulary that cannot be loaded: what is wrong, and where.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct VocabularyError {
    kind: VocabularyErrorKind,
    place: Option<Place>,
    detail: Option<Box<str>>,
}

impl VocabularyError {
    pub(crate) const fn new(kind: VocabularyErrorKind) -> Self {
        Self {
            kind,
            place: None,
            detail: None,
        }
    }

    /// Names the offending piece of the input, shortened where it is long.
    pub(crate) fn about(self, text: &str) -> Self {
        const SHOWN: usize = 64;
        let mut detail: String = text
            .chars()
            .take(SHOWN)
            .flat_map(char::escape_debug)
            .collect();
        if text.chars().nth(SHOWN).is_some() {
            detail.push('…');
        }
        Self {
            detail: Some(detail.into()),
            ..self
        }
    }

    #[cfg(feature = "vocabulary-file")]
    pub(crate) fn at(self, place: Place) -> Self {
        Self {
            place: Some(place),
            ..self
        }
    }

    /// What is wrong.
    #[must_use]
    pub const fn kind(&self) -> VocabularyErrorKind {
        self.kind
    }

    /// Where in the file; none for a vocabulary that was built in code, or a file too large to be read.
    #[must_use]
    pub const fn place(&self) -> Option<Place> {
        self.place
    }
}

impl fmt::Display for VocabularyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(place) = self.place {
            write!(f, "{place}: ")?;
        }
        f.write_str(self.kind.message())?;
        match &self.detail {
            Some(detail) => write!(f, ": {detail}"),
            None => Ok(()),
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
        assert_eq!(error.to_string(), "a class is listed twice: a.b");
        assert_eq!(error.place(), None);
        #[cfg(feature = "vocabulary-file")]
        {
            let error = error.at(Place::of("x\nýz = 1", 5));
            assert_eq!(
                error.to_string(),
                "line 2, column 3: a class is listed twice: a.b"
            );
            assert_eq!(error.kind(), VocabularyErrorKind::DuplicateClass);
        }
    }

    #[test]
    fn shortens_and_escapes_what_it_quotes() {
        let error =
            VocabularyError::new(VocabularyErrorKind::BadIdentifier).about(&"\u{1b}".repeat(70));
        let text = error.to_string();
        assert!(text.ends_with("\\u{1b}…") && !text.contains('\u{1b}'));
        assert_eq!(text.matches("\\u{1b}").count(), 64);
    }
}
