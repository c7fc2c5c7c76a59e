//! Errors in reading an object.

use super::declare::errors;
use super::document::DocumentError;
use super::violation::Report;

errors! {
    /// Bytes are not a valid record or disclosure.
    ReadError,
    /// Reason why bytes are not a valid record or disclosure.
    ReadErrorKind {
        /// The bytes are not a JSON object; the error has line and column.
        Document(error: DocumentError) => "not a JSON object: {error}";
        /// The object has must-level violations.
        Invalid(report: Report) => "the object is not valid: {report}";
    }
}

impl From<DocumentError> for ReadError {
    fn from(error: DocumentError) -> Self {
        ReadErrorKind::Document(error).into()
    }
}

impl From<Report> for ReadError {
    fn from(report: Report) -> Self {
        ReadErrorKind::Invalid(report).into()
    }
}
