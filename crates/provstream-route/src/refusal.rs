//! Responses that replace an upstream's.

use provstream_providers::Format;

use crate::cause::Cause;
use crate::shape::error_body;

/// Error response that replaces one that cannot be inspected, or one that never arrived.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    status: u16,
    body: Vec<u8>,
}

impl Refusal {
    /// Creates the refusal for a cause, in the error format of an API.
    #[must_use]
    pub fn new(cause: Cause, format: Option<Format>) -> Self {
        Self {
            status: cause.status(),
            body: error_body(format, cause.status(), cause.as_str(), cause.message()),
        }
    }

    /// Creates a refusal with a status, code and message, in the error format of an API.
    #[must_use]
    pub fn with_status(status: u16, code: &str, message: &str, format: Option<Format>) -> Self {
        Self {
            status,
            body: error_body(format, status, code, message),
        }
    }

    /// Returns the HTTP status.
    #[must_use]
    pub const fn status(&self) -> u16 {
        self.status
    }

    /// Returns the content type of the body.
    #[must_use]
    pub const fn content_type(&self) -> &'static str {
        "application/json"
    }

    /// Returns the body: JSON in the error format of the API.
    #[must_use]
    pub fn body(&self) -> &[u8] {
        &self.body
    }
}
