//! Reasons why a request's list of sources is incomplete.

use core::fmt;

/// Reason why the list of sources that a request brings is incomplete, or missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum SourceGap {
    /// The request is not a JSON object.
    NotAnObject,
    /// No text of the request begins a line with a label.
    NoLabel,
    /// A text of the request has a marker with an identifier that is in no label.
    Unlabelled,
    /// The request has a tool that is not a function of the client.
    Tool,
    /// The request has a member that may bring sources, or is unknown.
    Member,
    /// The request has an image, a file or content of an unknown type.
    Content,
    /// The request has more identifiers than a list may have.
    Identifiers,
}

impl SourceGap {
    /// Returns the name in logs and metrics, such as `no_label`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::NotAnObject => "not_an_object",
            Self::NoLabel => "no_label",
            Self::Unlabelled => "unlabelled",
            Self::Tool => "tool",
            Self::Member => "member",
            Self::Content => "content",
            Self::Identifiers => "identifiers",
        }
    }
}

impl fmt::Display for SourceGap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
