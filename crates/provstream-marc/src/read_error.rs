//! Why bytes are not a valid object.

use core::fmt;
use std::error::Error;

use super::document::DocumentError;
use super::violation::Report;

/// Why bytes are not a valid record or disclosure.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ReadErrorKind {
    /// They are not a JSON object.
    Document(DocumentError),
    /// The object has must-level violations.
    Invalid(Report),
}

/// Bytes are not a valid record or disclosure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadError(ReadErrorKind);

impl ReadError {
    /// Why.
    #[must_use]
    pub const fn kind(&self) -> &ReadErrorKind {
        &self.0
    }

    /// Line and column, from 1, if the bytes are not a JSON object.
    #[must_use]
    pub const fn position(&self) -> Option<(usize, usize)> {
        match &self.0 {
            ReadErrorKind::Document(error) => Some((error.line(), error.column())),
            ReadErrorKind::Invalid(_) => None,
        }
    }
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            ReadErrorKind::Document(error) => write!(f, "expected a JSON object: {error}"),
            ReadErrorKind::Invalid(report) => write!(f, "the object is not valid: {report}"),
        }
    }
}

impl Error for ReadError {}

impl From<DocumentError> for ReadError {
    fn from(error: DocumentError) -> Self {
        Self(ReadErrorKind::Document(error))
    }
}

impl From<Report> for ReadError {
    fn from(report: Report) -> Self {
        Self(ReadErrorKind::Invalid(report))
    }
}
