//! What became of the body of a response.

use std::collections::BTreeMap;

use provstream::GateEnd;
use provstream::provenance::Class;
use provstream_providers::{Channel, Format, ReadReport};

use crate::cause::Cause;
use crate::pass_reason::PassReason;

/// What a policy decided, how often: one of the [counts](Outcome::decisions) of an outcome.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Count {
    pub(crate) disposition: &'static str,
    pub(crate) action: &'static str,
    pub(crate) count: u64,
}

impl Count {
    /// What the assertions were to the policy, such as `below-floor`.
    #[must_use]
    pub const fn disposition(&self) -> &'static str {
        self.disposition
    }

    /// What was done with them, such as `discard`.
    #[must_use]
    pub const fn action(&self) -> &'static str {
        self.action
    }

    /// How many they were.
    #[must_use]
    pub const fn count(&self) -> u64 {
        self.count
    }
}

/// What became of the body of a response: what log lines, metrics and the end of an audit log are written from.
///
/// Nothing in it is text of the response, and the number of its names is bounded.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[repr(C)] // Most pieces of a stream change the first two alone.
pub struct Outcome {
    pub(crate) bytes_in: u64,
    pub(crate) bytes_out: u64,
    pub(crate) format: Option<Format>,
    pub(crate) report: ReadReport,
    pub(crate) passed: Option<PassReason>,
    pub(crate) cause: Option<Cause>,
    pub(crate) classes: BTreeMap<Class, u64>,
    pub(crate) decisions: BTreeMap<(&'static str, &'static str), u64>,
    pub(crate) ended: Vec<(Channel, GateEnd)>,
    pub(crate) assertions: u64,
    pub(crate) errors: u64,
    pub(crate) released: u64,
    pub(crate) removed: u64,
    pub(crate) finished: bool,
    /// Something was not read in a response that another one followed.
    pub(crate) is_partial: bool,
}

impl Outcome {
    /// Whether the whole body was read, so that nothing in it went by without being looked at.
    ///
    /// False before the end; if the format is not known, or some event was not read; and if the body passed as it is.
    #[must_use]
    pub fn is_inspected(&self) -> bool {
        self.finished
            && self.passed.is_none()
            && self.cause.is_none()
            && self.format.is_some()
            && self.report.is_complete()
            && !self.is_partial
    }

    /// Why the body was not inspected, or not all of it, as a word for logs; `None` if it was.
    #[must_use]
    pub fn uninspected(&self) -> Option<&'static str> {
        if self.is_inspected() {
            return None;
        }
        if let Some(reason) = self.passed {
            return Some(reason.as_str());
        }
        if let Some(cause) = self.cause {
            return Some(cause.as_str());
        }
        Some(
            match (self.format, self.report.is_complete() && !self.is_partial) {
                (None, _) => PassReason::UnknownFormat.as_str(),
                (Some(_), false) => "unread_events",
                (Some(_), true) => "unfinished",
            },
        )
    }

    /// The format of the response, if it is known.
    #[must_use]
    pub const fn format(&self) -> Option<Format> {
        self.format
    }

    /// How much of the response was read.
    #[must_use]
    pub const fn report(&self) -> &ReadReport {
        &self.report
    }

    /// Why the filter let the body pass as it is, if it did.
    #[must_use]
    pub const fn passed(&self) -> Option<PassReason> {
        self.passed
    }

    /// Why the response ended before its end, if it did.
    #[must_use]
    pub const fn cause(&self) -> Option<Cause> {
        self.cause
    }

    /// How many assertions with annotations there were.
    #[must_use]
    pub const fn assertions(&self) -> u64 {
        self.assertions
    }

    /// How many annotations there were of each class.
    pub fn classes(&self) -> impl Iterator<Item = (&Class, u64)> {
        self.classes.iter().map(|(class, count)| (class, *count))
    }

    /// What the policy decided about assertions.
    pub fn decisions(&self) -> impl Iterator<Item = Count> {
        let counts = self.decisions.iter();
        counts.map(|(&(disposition, action), &count)| Count {
            disposition,
            action,
            count,
        })
    }

    /// The channels that the policy ended, and how.
    #[must_use]
    pub fn ended(&self) -> &[(Channel, GateEnd)] {
        &self.ended
    }

    /// Errors that the provider reported within the response.
    #[must_use]
    pub const fn errors(&self) -> u64 {
        self.errors
    }

    /// Bytes of the body that were taken, decompressed.
    #[must_use]
    pub const fn bytes_in(&self) -> u64 {
        self.bytes_in
    }

    /// Bytes of the body that were written.
    #[must_use]
    pub const fn bytes_out(&self) -> u64 {
        self.bytes_out
    }

    /// Bytes of text that a gate released, without what it inserted.
    #[must_use]
    pub const fn released(&self) -> u64 {
        self.released
    }

    /// Bytes of text that a gate withheld.
    #[must_use]
    pub const fn removed(&self) -> u64 {
        self.removed
    }
}
