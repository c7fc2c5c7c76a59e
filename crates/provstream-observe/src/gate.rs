//! Checks of observations for gates.

use std::fmt;
use std::panic::{AssertUnwindSafe, RefUnwindSafe, UnwindSafe};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::sync_channel;
use std::thread;
use std::time::Duration;

use provstream::provenance::{Annotation, ObservationCheck, ObservationOutcome, Timestamp};

use crate::check::{Checked, Checker};
use crate::ledger::{Ledger, LedgerError};
use crate::substrate::Substrates;

/// Most queries that run at a time. Queries that are late go on for as long as the limits of the substrates allow.
const MAX_QUERIES: usize = 64;

/// A ledger by which a gate checks annotations.
///
/// An error of the ledger is the outcome `unreachable`; the first one is reported.
pub struct LedgerObservations<L> {
    ledger: Arc<L>,
    requery: Option<Requery>,
    report: fn(&LedgerError),
    has_failed: Arc<AtomicBool>,
}

/// Repetition of queries.
struct Requery {
    /// A panic ends only the thread of a query, which leaves nothing half done in the substrates.
    substrates: AssertUnwindSafe<Arc<Substrates>>,
    deadline: Duration,
    running: Arc<AtomicUsize>,
}

impl<L> fmt::Debug for LedgerObservations<L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LedgerObservations").finish_non_exhaustive()
    }
}

impl<L: Ledger> LedgerObservations<L> {
    /// Creates a check that only looks up. `report` gets the first error of the ledger.
    pub fn new(ledger: L, report: fn(&LedgerError)) -> Self {
        Self {
            ledger: Arc::new(ledger),
            requery: None,
            report,
            has_failed: Arc::default(),
        }
    }

    /// Repeats the queries of observations in these substrates. Each check waits for its query until the `deadline`; then the outcome
    /// is `unreachable`. So it is if 64 queries are running.
    #[must_use]
    pub fn requery(mut self, substrates: Substrates, deadline: Duration) -> Self {
        self.requery = Some(Requery {
            substrates: AssertUnwindSafe(Arc::new(substrates)),
            deadline,
            running: Arc::default(),
        });
        self
    }
}

/// Checks an annotation.
fn check(
    checker: Checker<'_>,
    window: Option<Duration>,
    annotation: &Annotation<'_>,
    now: Timestamp,
) -> Result<Checked, LedgerError> {
    let checker = match window {
        Some(window) => checker.with_window(window),
        None => checker,
    };
    checker.check(annotation, now)
}

impl<L: Ledger + 'static> LedgerObservations<L> {
    /// Checks an annotation; `None` if the query is late, or the ledger cannot be read.
    fn examine(
        &self,
        annotation: &Annotation<'_>,
        window: Option<Duration>,
        now: Timestamp,
    ) -> Option<Checked> {
        let checked = match &self.requery {
            // What cites nothing needs no thread.
            Some(requery) if annotation.observation_id().is_some() => {
                self.repeat(requery, annotation, window, now)?
            }
            _ => check(Checker::new(&*self.ledger), window, annotation, now),
        };
        match checked {
            Ok(checked) => Some(checked),
            Err(error) => {
                if !self.has_failed.swap(true, Ordering::Relaxed) {
                    (self.report)(&error);
                }
                None
            }
        }
    }

    /// Repeats a query in another thread; `None` if it is late, or too many queries are running.
    fn repeat(
        &self,
        requery: &Requery,
        annotation: &Annotation<'_>,
        window: Option<Duration>,
        now: Timestamp,
    ) -> Option<Result<Checked, LedgerError>> {
        let place = QueryPermit::take(&requery.running)?;
        let (ledger, substrates) = (Arc::clone(&self.ledger), Arc::clone(&requery.substrates));
        let annotation = annotation.clone().into_owned();
        let (sender, receiver) = sync_channel(1);
        let thread = thread::Builder::new().spawn(move || {
            let _place = place;
            let checker = Checker::new(&*ledger).requery(&substrates);
            // Nobody waits for a late result.
            let _ = sender.send(check(checker, window, &annotation, now));
        });
        thread.ok()?;
        receiver.recv_timeout(requery.deadline).ok()
    }
}

/// Place of a query among those that run.
struct QueryPermit(Arc<AtomicUsize>);

impl QueryPermit {
    fn take(running: &Arc<AtomicUsize>) -> Option<Self> {
        let place = Self(Arc::clone(running));
        (running.fetch_add(1, Ordering::Relaxed) < MAX_QUERIES).then_some(place)
    }
}

impl Drop for QueryPermit {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl<L: Ledger + UnwindSafe + RefUnwindSafe + 'static> ObservationCheck for LedgerObservations<L> {
    fn check(
        &self,
        annotation: &Annotation<'_>,
        window: Option<Duration>,
        now: Timestamp,
    ) -> ObservationOutcome {
        let checked = self.examine(annotation, window, now);
        checked.map_or(ObservationOutcome::Unreachable, |checked| checked.outcome)
    }

    fn explain(
        &self,
        annotation: &Annotation<'_>,
        window: Option<Duration>,
        now: Timestamp,
    ) -> Option<String> {
        let checked = self.examine(annotation, window, now)?;
        let change = checked.change.as_ref().map(ToString::to_string);
        checked.detail.or(change)
    }
}
