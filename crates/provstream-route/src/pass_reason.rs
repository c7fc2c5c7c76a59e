//! Why a body is not inspected.

use core::fmt;

/// Why a body passes as it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum PassReason {
    /// The route says so.
    Route,
    /// The status is one without a body, or of a redirection.
    NoBody,
    /// The status is of an error; error bodies pass untouched.
    ErrorStatus,
    /// The content type is not one of text in a known envelope, and the route fails open.
    ContentType,
    /// The body is in another character set than UTF-8, and the route fails open.
    Charset,
    /// The body is compressed, nobody decompresses it, and the route fails open.
    Encoded,
    /// The format was not found out, and the route fails open.
    UnknownFormat,
}

impl PassReason {
    /// The name in logs and metrics, such as `content_type`.
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
