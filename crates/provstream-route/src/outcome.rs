//! Outcome of filtering a response body.

use std::collections::BTreeMap;

use provstream::GateEnd;
use provstream::provenance::{Class, ObservationOutcome};
use provstream_providers::{Channel, Format, ReadReport};

use crate::cause::Cause;
use crate::pass_reason::PassReason;

/// Number of assertions with one disposition and action; an item of [`ResponseOutcome::decisions`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Count {
    pub(crate) disposition: &'static str,
    pub(crate) action: &'static str,
    pub(crate) count: u64,
}

impl Count {
    /// Returns the disposition, such as `below-floor`.
    #[must_use]
    pub const fn disposition(&self) -> &'static str {
        self.disposition
    }

    /// Returns the action, such as `discard`.
    #[must_use]
    pub const fn action(&self) -> &'static str {
        self.action
    }

    /// Returns the number of assertions.
    #[must_use]
    pub const fn count(&self) -> u64 {
        self.count
    }
}

/// Numbers of the citations of a response.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct CitationCounts {
    sentences: u64,
    ids: BTreeMap<&'static str, u64>,
}

impl CitationCounts {
    /// Counts a citation.
    #[cfg(feature = "dialects")]
    pub(crate) fn add(&mut self, citation: &provstream::Citation<'_>) {
        self.sentences += 1;
        for cited in citation.ids() {
            let found = cited.reason.map_or("listed", |reason| reason.as_str());
            *self.ids.entry(found).or_default() += 1;
        }
    }
}

/// Outcome of filtering a response body: the data for log lines, metrics and the end of an audit
/// log.
///
/// Contains no text of the response, and a bounded number of names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[repr(C)] // Most pieces of a stream change the first two alone.
pub struct ResponseOutcome {
    pub(crate) bytes_in: u64,
    pub(crate) bytes_out: u64,
    pub(crate) format: Option<Format>,
    pub(crate) report: ReadReport,
    pub(crate) passed: Option<PassReason>,
    pub(crate) cause: Option<Cause>,
    pub(crate) classes: BTreeMap<Class, u64>,
    pub(crate) decisions: BTreeMap<(&'static str, &'static str), u64>,
    pub(crate) observations: BTreeMap<ObservationOutcome, u64>,
    pub(crate) ended: Vec<(Channel, GateEnd)>,
    pub(crate) assertions: u64,
    pub(crate) citations: Option<Box<CitationCounts>>,
    pub(crate) errors: u64,
    pub(crate) released: u64,
    pub(crate) removed: u64,
    pub(crate) finished: bool,
    /// `true` if an earlier response of the stream had unread events.
    pub(crate) is_partial: bool,
}

impl ResponseOutcome {
    /// Returns `true` if the whole body was inspected.
    ///
    /// Returns `false` before the end, if the format is unknown, if an event was not read, and if
    /// the body passed unchanged.
    #[must_use]
    pub fn is_inspected(&self) -> bool {
        self.finished
            && self.passed.is_none()
            && self.cause.is_none()
            && self.format.is_some()
            && self.report.is_complete()
            && !self.is_partial
    }

    /// Returns the reason why the body was not or not completely inspected, as a name for logs, or
    /// `None` if it was.
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

    /// Returns the format of the response, if known.
    #[must_use]
    pub const fn format(&self) -> Option<Format> {
        self.format
    }

    /// Returns the report on read and unread events.
    #[must_use]
    pub const fn report(&self) -> &ReadReport {
        &self.report
    }

    /// Returns the reason why the filter passed the body unchanged, if it did.
    #[must_use]
    pub const fn passed(&self) -> Option<PassReason> {
        self.passed
    }

    /// Returns the cause of an early end, if there was one.
    #[must_use]
    pub const fn cause(&self) -> Option<Cause> {
        self.cause
    }

    /// Returns the number of assertions with annotations, or with [citations](Self::citations), as a gate decides about both.
    #[must_use]
    pub const fn assertions(&self) -> u64 {
        self.assertions
    }

    /// Returns the number of sentences with markers of citations.
    #[must_use]
    pub fn citations(&self) -> u64 {
        self.citations.as_ref().map_or(0, |counts| counts.sentences)
    }

    /// Iterates over the numbers of cited identifiers: those that are `listed`, and those that are not, by reason, such as
    /// `unknown-source`.
    pub fn cited_ids(&self) -> impl Iterator<Item = (&'static str, u64)> {
        let counts = self.citations.iter().flat_map(|counts| &counts.ids);
        counts.map(|(found, count)| (*found, *count))
    }

    /// Iterates over the classes with their numbers of annotations.
    pub fn classes(&self) -> impl Iterator<Item = (&Class, u64)> {
        self.classes.iter().map(|(class, count)| (class, *count))
    }

    /// Iterates over the numbers of assertions by disposition and action.
    pub fn decisions(&self) -> impl Iterator<Item = Count> {
        let counts = self.decisions.iter();
        counts.map(|(&(disposition, action), &count)| Count {
            disposition,
            action,
            count,
        })
    }

    /// Iterates over the numbers of annotations by the outcome of checking their observations.
    pub fn observations(&self) -> impl Iterator<Item = (ObservationOutcome, u64)> {
        self.observations
            .iter()
            .map(|(outcome, count)| (*outcome, *count))
    }

    /// Returns the channels that the policy ended, each with the kind of its end.
    #[must_use]
    pub fn ended(&self) -> &[(Channel, GateEnd)] {
        &self.ended
    }

    /// Returns the number of errors that the provider reported within the response.
    #[must_use]
    pub const fn errors(&self) -> u64 {
        self.errors
    }

    /// Returns the number of decompressed bytes of the body.
    #[must_use]
    pub const fn bytes_in(&self) -> u64 {
        self.bytes_in
    }

    /// Returns the number of bytes of output.
    #[must_use]
    pub const fn bytes_out(&self) -> u64 {
        self.bytes_out
    }

    /// Returns the number of bytes of text that a gate released, without inserted text.
    #[must_use]
    pub const fn released(&self) -> u64 {
        self.released
    }

    /// Returns the number of bytes of text that a gate withheld.
    #[must_use]
    pub const fn removed(&self) -> u64 {
        self.removed
    }
}
