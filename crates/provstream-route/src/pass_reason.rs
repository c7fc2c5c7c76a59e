//! Reasons why a body is not inspected.

use core::fmt;

/// Reason why a body passes unchanged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum PassReason {
    /// The action of the route is `pass`.
    Route,
    /// The status has no body, or is a redirection.
    NoBody,
    /// The status is an error. Error bodies pass unchanged.
    ErrorStatus,
    /// The content type is not text in a known framing, and the route fails open.
    ContentType,
    /// The body has another character set than UTF-8, and the route fails open.
    Charset,
    /// The body is compressed and the caller does not decompress it, and the route fails open.
    Encoded,
    /// The format is unknown, and the route fails open.
    UnknownFormat,
}

impl PassReason {
    /// Returns the name in logs and metrics, such as `content_type`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Route => "route",
            Self::NoBody => "no_body",
            Self::ErrorStatus => "error_status",
            Self::ContentType => "content_type",
            Self::Charset => "charset",
            Self::Encoded => "encoded",
            Self::UnknownFormat => "unknown_format",
        }
    }
}

impl fmt::Display for PassReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
