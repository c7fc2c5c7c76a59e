//! Causes of refused and aborted responses.

use core::fmt;

/// Cause of a response that is refused, or ends before the upstream has ended it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Cause {
    /// The upstream closed the connection or broke the protocol within the response.
    UpstreamCut,
    /// The upstream could not be reached.
    UpstreamUnreachable,
    /// The upstream sent nothing for longer than the limit.
    IdleTimeout,
    /// The response took longer than the limit.
    TotalTimeout,
    /// The proxy is shutting down.
    Shutdown,
    /// The decompressed body is longer than the limit.
    TooLarge,
    /// The kind, encoding or format of the body cannot be inspected, and the route fails closed.
    NotInspected,
    /// The audit log could not be written.
    AuditFailed,
}

impl Cause {
    /// All causes.
    pub const ALL: [Self; 8] = [
        Self::UpstreamCut,
        Self::UpstreamUnreachable,
        Self::IdleTimeout,
        Self::TotalTimeout,
        Self::Shutdown,
        Self::TooLarge,
        Self::NotInspected,
        Self::AuditFailed,
    ];

    /// Returns the name in error bodies, logs and metrics, such as `upstream_cut`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::UpstreamCut => "upstream_cut",
            Self::UpstreamUnreachable => "upstream_unreachable",
            Self::IdleTimeout => "idle_timeout",
            Self::TotalTimeout => "total_timeout",
            Self::Shutdown => "shutdown",
            Self::TooLarge => "too_large",
            Self::NotInspected => "not_inspected",
            Self::AuditFailed => "audit_failed",
        }
    }

    /// Returns the message of the error that clients receive.
    #[must_use]
    pub const fn message(self) -> &'static str {
        match self {
            Self::UpstreamCut => "the upstream broke off within its response",
            Self::UpstreamUnreachable => "the upstream could not be reached",
            Self::IdleTimeout => "the upstream sent nothing for longer than is allowed",
            Self::TotalTimeout => "the response took longer than is allowed",
            Self::Shutdown => "the proxy is shut down",
            Self::TooLarge => "the response is longer than is allowed",
            Self::NotInspected => {
                "the response could not be inspected, and this route withholds such responses"
            }
            Self::AuditFailed => "the audit log could not be written",
        }
    }

    /// Returns the HTTP status of a response that is refused before its head is sent.
    #[must_use]
    pub const fn status(self) -> u16 {
        match self {
            Self::IdleTimeout | Self::TotalTimeout => 504,
            Self::Shutdown => 503,
            Self::AuditFailed => 500,
            _ => 502,
        }
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
