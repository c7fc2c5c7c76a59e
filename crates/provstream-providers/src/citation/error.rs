//! Errors of citations that are read.

use core::fmt;
use std::error::Error;

/// The most bytes an event may have, 1 MiB; a longer one is not read.
pub const MAX_EVENT: usize = 1 << 20;

/// Kind of an error in a citation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum CitationErrorKind {
    /// The event is longer than [`MAX_EVENT`](super::MAX_EVENT).
    TooLong,
    /// The event is no JSON, or nests too deep; reading stopped at this line and byte of it, both counted from 1.
    Syntax {
        /// The line.
        line: usize,
        /// The byte in the line, 0 at its very start.
        column: usize,
    },
    /// A member is missing that must be there.
    Missing,
    /// A value is of another type.
    WrongType {
        /// Expected type, such as `a string`.
        expected: &'static str,
        /// Actual type, such as `a number`.
        found: &'static str,
    },
    /// The end of a range lies before its start; the place is that of the end.
    EndBeforeStart,
}

impl fmt::Display for CitationErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLong => write!(
                f,
                "expected an event of at most {MAX_EVENT} bytes, found a longer one"
            ),
            Self::Syntax { line, column } => write!(
                f,
                "expected JSON, found something else, or its end, at line {line}, column {column}"
            ),
            Self::Missing => f.write_str("expected this member, found none"),
            Self::WrongType { expected, found } => write!(f, "expected {expected}, found {found}"),
            Self::EndBeforeStart => {
                f.write_str("expected an end at or after the start, found one before it")
            }
        }
    }
}

/// A citation of a known form is not as that form must be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CitationError {
    kind: CitationErrorKind,
    pointer: Box<str>,
}

impl CitationError {
    pub(super) fn new(kind: CitationErrorKind, pointer: impl Into<Box<str>>) -> Self {
        Self {
            kind,
            pointer: pointer.into(),
        }
    }

    /// Returns the kind of the error.
    #[must_use]
    pub const fn kind(&self) -> CitationErrorKind {
        self.kind
    }

    /// The JSON Pointer (RFC 6901) from the root of the event to the value, there or missing; empty for the event itself.
    #[must_use]
    pub fn pointer(&self) -> &str {
        &self.pointer
    }
}

impl fmt::Display for CitationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.pointer.is_empty() {
            return self.kind.fmt(f);
        }
        write!(f, "{}: {}", self.pointer, self.kind)
    }
}

impl Error for CitationError {}
