//! Why bytes are no valid object.

use core::fmt;
use std::error::Error;

use super::document::DocumentError;
use super::violation::Report;

/// Bytes are no valid record or disclosure. Why is told by the error's source.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ReadError {
    /// They are no JSON object.
    Document(DocumentError),
    /// The object is not what it must be.
    Invalid(Report),
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Document(_) => f.write_str("the bytes are no JSON object"),
            Self::Invalid(_) => f.write_str("the object is not valid"),
        }
    }
}

impl Error for ReadError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Document(error) => Some(error),
            Self::Invalid(report) => Some(report),
        }
    }
}

impl From<DocumentError> for ReadError {
    fn from(error: DocumentError) -> Self {
        Self::Document(error)
    }
}

impl From<Report> for ReadError {
    fn from(report: Report) -> Self {
        Self::Invalid(report)
    }
}
