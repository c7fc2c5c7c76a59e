//! Errors in a file of routes.

use core::error::Error;
use core::fmt;

use provstream::settings::{Fault, FaultKind, FilePosition, quoted_piece};
use provstream::{PolicyError, PolicyErrorKind};

/// Most characters of a value in a message.
pub(crate) const SHOWN: usize = 64;

/// Error in a file of routes, with its position.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct RouteError {
    place: Option<FilePosition>,
    message: Box<str>,
}

impl RouteError {
    /// Creates an error at a position. `message` has the expected and the found value.
    #[must_use]
    pub fn new(place: FilePosition, message: &str) -> Self {
        Self {
            place: Some(place),
            message: message.into(),
        }
    }

    /// Creates an error about a value.
    pub(crate) fn value(place: FilePosition, key: &str, expected: &str, found: &str) -> Self {
        let found = quoted_piece(found, SHOWN);
        Self::new(
            place,
            &format!("expected {expected} for \"{key}\", found \"{found}\""),
        )
    }

    /// Converts an error of an inline policy, whose tables are below `route.policy`.
    pub(crate) fn of_table(error: PolicyError) -> Self {
        let is_missing = error.kind() == PolicyErrorKind::MissingKey;
        let mut found = Self::from(error);
        if is_missing {
            let message = found
                .message
                .replace("[inadmissible]", "[route.policy.inadmissible]");
            found.message = message.into();
        }
        found
    }

    /// Returns the position in the file, or `None` for a file that is too large.
    #[must_use]
    pub const fn place(&self) -> Option<FilePosition> {
        self.place
    }
}

/// Returns the end of a message about a missing key: an example of the value, if one is known.
fn example(fault: &Fault) -> &'static str {
    match fault.key().filter(|_| fault.kind == FaultKind::MissingKey) {
        Some("upstream") => ", such as upstream = \"https://api.openai.com\"",
        Some("path") => ", such as path = \"/v1/chat/completions\"",
        Some("action") => ", such as action = \"strip\"",
        Some("policy") => {
            ", expected with action \"gate\", such as policy = \"policy.toml\" or a table [route.policy]"
        }
        _ => "",
    }
}

impl From<Fault> for RouteError {
    fn from(fault: Fault) -> Self {
        Self {
            place: fault.place,
            message: format!("{fault}{}", example(&fault)).into(),
        }
    }
}

impl From<PolicyError> for RouteError {
    /// Converts an error of a policy that is part of the same file, keeping its position.
    fn from(error: PolicyError) -> Self {
        let shown = error.to_string();
        let message = match error.place() {
            Some(place) => shown
                .strip_prefix(&format!("{place}: "))
                .unwrap_or(&shown)
                .into(),
            None => shown.into(),
        };
        Self {
            place: error.place(),
            message,
        }
    }
}

/// Writes the position, if known, and the message.
impl fmt::Display for RouteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(place) = self.place {
            write!(f, "{place}: ")?;
        }
        f.write_str(&self.message)
    }
}

impl Error for RouteError {}
