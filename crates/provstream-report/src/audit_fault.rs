//! Errors of the lines of an audit log.

use std::error::Error;
use std::fmt;

use provstream::UnknownNameError;

/// Error of a line that is not a decision of a gate. The message has what was expected and found, and the column where known.
#[derive(Debug)]
pub struct AuditLineError(Fault);

#[derive(Debug)]
enum Fault {
    /// The line is not JSON, or a member is missing, repeated or of another type.
    Json(serde_json::Error),
    /// A decision of this kind needs this member.
    Missing(&'static str),
    /// A member has a name that is not known.
    Name(UnknownNameError),
}

impl AuditLineError {
    /// Creates the error of a decision without a member that decisions of its kind have.
    pub(crate) const fn missing(member: &'static str) -> Self {
        Self(Fault::Missing(member))
    }
}

impl From<serde_json::Error> for AuditLineError {
    fn from(error: serde_json::Error) -> Self {
        Self(Fault::Json(error))
    }
}

impl From<UnknownNameError> for AuditLineError {
    fn from(error: UnknownNameError) -> Self {
        Self(Fault::Name(error))
    }
}

impl fmt::Display for AuditLineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Fault::Json(error) => {
                let message = error.to_string();
                // Each line is read alone, so the line number in the message is always 1.
                let message = message.split(" at line ").next().unwrap_or_default();
                write!(
                    f,
                    "expected a decision of a gate, found at column {}: {message}",
                    error.column()
                )
            }
            Fault::Missing(member) => write!(
                f,
                "expected a decision of a gate, found one without the member \"{member}\""
            ),
            Fault::Name(error) => error.fmt(f),
        }
    }
}

impl Error for AuditLineError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match &self.0 {
            Fault::Json(error) => Some(error),
            Fault::Missing(_) => None,
            Fault::Name(error) => Some(error),
        }
    }
}
