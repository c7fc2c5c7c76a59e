//! Checks of the observations that annotations cite.

use std::fmt;
use std::time::Duration;

use provstream::provenance::{Annotation, Class, ObservationOutcome as Outcome, Timestamp};

use crate::compare::{Change, repeat};
use crate::ledger::{Ledger, LedgerEntry, LedgerError};
use crate::substrate::Substrates;

/// Result of a check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checked {
    /// Outcome.
    pub outcome: Outcome,
    /// Explanation of the outcome, where one is needed.
    pub detail: Option<String>,
    /// First difference of a changed result, if the recorded content is known.
    pub change: Option<Change>,
    /// Entry of the ledger.
    pub entry: Option<LedgerEntry>,
    /// `true` if the annotation has a time, and it is not that of the observation.
    pub time_differs: bool,
    /// Text to look up quoted words in: the recorded content, or the result of the repeated query if it is the same or has moved.
    pub content: Option<Vec<u8>>,
}

/// Checks annotations against a ledger, and against substrates if these are given.
#[derive(Clone, Copy)]
pub struct Checker<'a> {
    ledger: &'a dyn Ledger,
    substrates: Option<&'a Substrates>,
    window: Option<Duration>,
}

impl fmt::Debug for Checker<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Checker")
            .field("substrates", &self.substrates)
            .field("window", &self.window)
            .finish_non_exhaustive()
    }
}

impl<'a> Checker<'a> {
    /// Creates a checker that only looks up.
    #[must_use]
    pub const fn new(ledger: &'a dyn Ledger) -> Self {
        Self {
            ledger,
            substrates: None,
            window: None,
        }
    }

    /// Repeats the queries of observations in these substrates.
    #[must_use]
    pub const fn requery(mut self, substrates: &'a Substrates) -> Self {
        self.substrates = Some(substrates);
        self
    }

    /// Sets how old an observation may be.
    #[must_use]
    pub const fn with_window(mut self, window: Duration) -> Self {
        self.window = Some(window);
        self
    }

    /// Checks an annotation at a time.
    ///
    /// The first of these that applies is the outcome: `declared`, `unobserved`, `class-differs`, `stale`, `observed` (without
    /// substrates), and what the repeated query gives. An annotation `decayed-to-uncertainty` may cite an observation of any class.
    ///
    /// # Errors
    ///
    /// The ledger cannot be read.
    pub fn check(
        &self,
        annotation: &Annotation<'_>,
        now: Timestamp,
    ) -> Result<Checked, LedgerError> {
        let Some(id) = annotation.observation_id() else {
            return Ok(Checked::new(Outcome::Declared, None));
        };
        let Some(entry) = self.ledger.lookup(id)? else {
            return Ok(Checked::new(Outcome::Unobserved, None));
        };
        Ok(Checked {
            time_differs: annotation.timestamp().is_some_and(|ts| ts != entry.time),
            ..self.check_entry(annotation, entry, now)
        })
    }

    fn check_entry(
        &self,
        annotation: &Annotation<'_>,
        entry: LedgerEntry,
        now: Timestamp,
    ) -> Checked {
        let class = annotation.class();
        let decayed = *class == Class::DECAYED_TO_UNCERTAINTY && annotation.reason().is_none();
        let is_old = |window: &Duration| now > entry.time.saturating_add(*window);
        let checked = if class.as_str() != entry.class && !decayed {
            let detail = format!("the observation is of {}", entry.class);
            Checked::new(Outcome::ClassDiffers, detail)
        } else if entry.body.is_none() || entry.expires.is_some_and(|expires| expires <= now) {
            Checked::new(Outcome::Stale, "the observation has expired".to_owned())
        } else if let Some(window) = self.window.filter(is_old) {
            let detail = format!("the observation is older than {} s", window.as_secs());
            Checked::new(Outcome::Stale, detail)
        } else {
            self.repeat(&entry)
        };
        Checked {
            entry: Some(entry),
            ..checked
        }
    }

    fn repeat(&self, entry: &LedgerEntry) -> Checked {
        let recorded = entry.body.as_ref().and_then(|body| body.content.clone());
        let (Some(body), Some(substrates)) = (&entry.body, self.substrates) else {
            return Checked {
                content: recorded,
                ..Checked::new(Outcome::Observed, None)
            };
        };
        let repeated = repeat(entry, body, substrates);
        let is_same = matches!(repeated.outcome, Outcome::Requeried | Outcome::Moved);
        Checked {
            change: repeated.change,
            content: recorded.or(repeated.content.filter(|_| is_same)),
            ..Checked::new(repeated.outcome, repeated.detail)
        }
    }
}

impl Checked {
    fn new(outcome: Outcome, detail: impl Into<Option<String>>) -> Self {
        Self {
            outcome,
            detail: detail.into(),
            change: None,
            entry: None,
            time_differs: false,
            content: None,
        }
    }
}
