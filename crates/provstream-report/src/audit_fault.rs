//! Errors in lines of an audit log.

use std::error::Error;
use std::fmt;

use provstream::UnknownNameError;

/// Error of a line that is not a decision of a gate. The message has what was expected and found, and the column where known.
#[derive(Debug)]
pub struct AuditLineError(LineFault);

#[derive(Debug)]
enum LineFault {
    /// The line is not JSON, or a member is missing, repeated or of another type.
    Json(serde_json::Error),
    /// The member of this name is missing, which decisions of its kind require.
    Missing(&'static str),
    /// A member has an unknown value for a name, such as an unknown action.
    UnknownName(UnknownNameError),
}

impl AuditLineError {
    /// Creates the error of a decision without a member that decisions of its kind have.
    pub(crate) const fn missing(member: &'static str) -> Self {
        Self(LineFault::Missing(member))
    }
}

impl From<serde_json::Error> for AuditLineError {
    fn from(error: serde_json::Error) -> Self {
        Self(LineFault::Json(error))
    }
}

impl From<UnknownNameError> for AuditLineError {
    fn from(error: UnknownNameError) -> Self {
        Self(LineFault::UnknownName(error))
    }
}

impl fmt::Display for AuditLineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            LineFault::Json(error) => {
                let message = error.to_string();
                // Each line is read alone, so the line number in the message is always 1.
                let message = message.split(" at line ").next().unwrap_or_default();
                write!(
                    f,
                    "expected a decision of a gate, found at column {}: {message}",
                    error.column()
                )
            }
            LineFault::Missing(member) => write!(
                f,
                "expected a decision of a gate, found one without the member \"{member}\""
            ),
            LineFault::UnknownName(error) => error.fmt(f),
        }
    }
}

impl Error for AuditLineError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match &self.0 {
            LineFault::Json(error) => Some(error),
            LineFault::Missing(_) => None,
            LineFault::UnknownName(error) => Some(error),
        }
    }
}
