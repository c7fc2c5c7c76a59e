//! Responses in the place of others.

use provstream_providers::Format;

use crate::cause::Cause;
use crate::shape::error_body;

/// A response that takes the place of one that cannot be inspected, or of one that never came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    status: u16,
    body: Vec<u8>,
}

impl Refusal {
    /// The refusal for a cause, in the shape of the errors of an API.
    #[must_use]
    pub fn new(cause: Cause, format: Option<Format>) -> Self {
        Self {
            status: cause.status(),
            body: error_body(format, cause.status(), cause.as_str(), cause.message()),
        }
    }

    /// A refusal with a status and a code and message of the caller's, in the shape of the errors of an API.
    #[must_use]
    pub fn with_status(status: u16, code: &str, message: &str, format: Option<Format>) -> Self {
        Self {
            status,
            body: error_body(format, status, code, message),
        }
    }

    /// The HTTP status.
    #[must_use]
    pub const fn status(&self) -> u16 {
        self.status
    }

    /// The content type of the body.
    #[must_use]
    pub const fn content_type(&self) -> &'static str {
        "application/json"
    }

    /// The body: JSON in the shape of the API's errors.
    #[must_use]
    pub fn body(&self) -> &[u8] {
        &self.body
    }
}
