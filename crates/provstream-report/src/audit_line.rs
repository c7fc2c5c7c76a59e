//! Lines of an audit log.

use std::borrow::Cow;
use std::time::Duration;

use provstream::UnknownNameError;
use provstream::provenance::{Counting, ObservationOutcome, Timestamp};
use serde::Deserialize;

use crate::wording;

/// A line as `provstream gate` writes it.
#[derive(Deserialize)]
pub(crate) struct AuditLogLine<'a> {
    #[serde(borrow)]
    pub(crate) decision: Cow<'a, str>,
    /// Time of the decision, in RFC 3339.
    pub(crate) time: Option<String>,
    #[serde(default)]
    pub(crate) stream: String,
    #[serde(default)]
    pub(crate) channel: String,
    #[serde(default)]
    pub(crate) policy: String,
    pub(crate) clean_span: Option<LoggedSpan>,
    pub(crate) sha256: Option<String>,
    #[serde(default)]
    pub(crate) untrusted: bool,
    #[serde(default)]
    pub(crate) annotations: Vec<LoggedAnnotation>,
    #[serde(default)]
    pub(crate) counting: Vec<LoggedReason>,
    pub(crate) verdict: Option<LoggedVerdict>,
    pub(crate) disposition: Option<String>,
    pub(crate) action: Option<String>,
}

#[derive(Clone, Copy, Deserialize)]
pub(crate) struct LoggedSpan {
    pub(crate) start: u64,
    pub(crate) end: u64,
}

#[derive(Deserialize)]
pub(crate) struct LoggedAnnotation {
    pub(crate) class: Option<String>,
    #[serde(default)]
    pub(crate) declared: String,
    pub(crate) observation_id: Option<String>,
    pub(crate) ts: Option<String>,
}

/// Reason why an annotation counts or not.
#[derive(Deserialize)]
pub(crate) struct LoggedReason {
    why: String,
    by_seconds: Option<f64>,
    outcome: Option<String>,
}

impl AuditLogLine<'_> {
    /// Returns the time of judgement, if the line has one.
    pub(crate) fn judged_at(&self) -> Option<Timestamp> {
        self.time.as_deref()?.parse().ok()
    }

    /// Returns, for each annotation, the reason why it counts or does not.
    ///
    /// # Errors
    ///
    /// The name of a reason is not one that a gate writes.
    pub(crate) fn counting(&self) -> Result<Vec<Counting>, UnknownNameError> {
        self.counting.iter().map(LoggedReason::counting).collect()
    }
}

impl LoggedReason {
    fn counting(&self) -> Result<Counting, UnknownNameError> {
        let seconds = self.by_seconds.unwrap_or_default();
        let by = Duration::try_from_secs_f64(seconds).unwrap_or_default();
        let outcome = self.outcome.as_deref().and_then(|name| name.parse().ok());
        let outcome = outcome.unwrap_or(ObservationOutcome::Declared);
        let all = [
            Counting::Counts,
            Counting::Malformed,
            Counting::UnknownClass,
            Counting::Terminal,
            Counting::NoWindow,
            Counting::NoTime,
            Counting::Stale { by },
            Counting::Future { by },
            Counting::Observation { outcome },
        ];
        let found = all.into_iter().find(|of| of.as_str() == self.why);
        found.ok_or_else(|| UnknownNameError::new("reason", REASONS, &self.why))
    }
}

/// Names of the reasons that a gate writes.
const REASONS: &[&str] = &[
    "counts",
    "malformed",
    "unknown-class",
    "terminal",
    "no-window",
    "no-time",
    "stale",
    "future",
    "observation",
];

impl LoggedAnnotation {
    /// Describes the age of the observation at the time of a decision, if both times are known.
    pub(crate) fn age_at(&self, judged_at: Option<Timestamp>) -> Option<String> {
        let ts: Timestamp = self.ts.as_deref()?.parse().ok()?;
        Some(wording::age(ts, judged_at?))
    }
}

#[derive(Deserialize)]
pub(crate) struct LoggedVerdict {
    #[serde(default)]
    pub(crate) classes: Vec<String>,
    pub(crate) floor: u64,
    #[serde(default)]
    outcomes: Vec<String>,
}

impl LoggedVerdict {
    /// Returns the outcome of checking the observation of an annotation, by its index.
    pub(crate) fn outcome(&self, index: usize) -> Option<ObservationOutcome> {
        self.outcomes.get(index)?.parse().ok()
    }
}
