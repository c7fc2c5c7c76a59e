//! Result of counting an annotation towards a floor, with the reason if it does not count.

use core::fmt;
use std::time::Duration;

use super::{ObservationOutcome, Timestamp};

/// Result of examining an annotation: it counts towards the floor of a [`Discipline`](super::Discipline), or why not (`provenance
/// memo 7`).
///
/// The first of these that applies, in this order, except that [`Counts`](Self::Counts) is the last.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Counting {
    /// The annotation counts.
    Counts,
    /// The annotation is malformed.
    Malformed,
    /// The vocabulary does not have its class, or not in the version that it is anchored to.
    UnknownClass,
    /// The class is a terminal.
    Terminal,
    /// The class has no window.
    NoWindow,
    /// The annotation has no `ts`, or one that is not a date-time.
    NoTime,
    /// The time of the annotation is before the window.
    Stale {
        /// Time between the annotation and the start of the window.
        by: Duration,
    },
    /// The time of the annotation is after the current time by more than the allowed skew.
    Future {
        /// Time beyond the allowed skew.
        by: Duration,
    },
    /// The observation that it cites does not reach the level of its class.
    Observation {
        /// Outcome of the check; `declared` if no observation is cited, or nothing was checked.
        outcome: ObservationOutcome,
    },
}

impl Counting {
    /// Returns `true` if the annotation counts.
    #[must_use]
    pub const fn counts(self) -> bool {
        matches!(self, Self::Counts)
    }

    /// Returns the name of the reason, such as `no-window`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Counts => "counts",
            Self::Malformed => "malformed",
            Self::UnknownClass => "unknown-class",
            Self::Terminal => "terminal",
            Self::NoWindow => "no-window",
            Self::NoTime => "no-time",
            Self::Stale { .. } => "stale",
            Self::Future { .. } => "future",
            Self::Observation { .. } => "observation",
        }
    }
}

/// Writes the reason, for a time outside of the window by how much (`stale by 90s`), and for an observation the outcome.
impl fmt::Display for Counting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stale { by } | Self::Future { by } => {
                write!(f, "{} by {by:?}", self.as_str())
            }
            Self::Observation { outcome } => outcome.fmt(f),
            _ => f.write_str(self.as_str()),
        }
    }
}

/// Returns the time from the first instant to the second.
pub(super) fn between(earlier: Timestamp, later: Timestamp) -> Duration {
    let of =
        |time: Timestamp| i128::from(time.unix_seconds()) * NANOS + i128::from(time.subsec_nanos());
    let nanos = of(later) - of(earlier);
    let seconds = u64::try_from(nanos / NANOS).unwrap_or_default();
    let rest = u32::try_from(nanos % NANOS).unwrap_or_default();
    Duration::new(seconds, rest)
}

/// Nanoseconds in a second.
const NANOS: i128 = 1_000_000_000;
