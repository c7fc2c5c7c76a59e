//! Ledgers as the record of a gate.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::sleep;
use std::time::{Duration, Instant};

use provstream::provenance::{Annotation, Class, ObservationCheck as _, Timestamp};
use provstream_observe::{
    Ledger, LedgerEntry, LedgerError, LedgerObservations, Observation, Outcome, SqliteLedger,
    Substrates,
};

use super::{noon, numbered};

fn cited(id: &str) -> Annotation<'_> {
    Annotation::new(Class::CODE_READ, "substrate.code.read").with_observation_id(id)
}

fn ignore(_: &LedgerError) {}

/// A ledger that answers after a time.
struct Slow(SqliteLedger, Duration);

impl Ledger for Slow {
    fn record(&self, observation: &Observation) -> Result<u64, LedgerError> {
        self.0.record(observation)
    }

    fn lookup(&self, id: &str) -> Result<Option<LedgerEntry>, LedgerError> {
        sleep(self.1);
        self.0.lookup(id)
    }

    fn expire(&self, now: Timestamp) -> Result<u64, LedgerError> {
        self.0.expire(now)
    }
}

/// A query that takes longer than the deadline gives `unreachable`, and nobody waits for it.
#[test]
fn a_late_query_is_unreachable() {
    let root = tempfile::tempdir().expect("a folder");
    std::fs::write(root.path().join("file-7"), "content 7\n").expect("written");
    let observed = |delay, deadline| {
        let ledger = SqliteLedger::in_memory().expect("a ledger");
        ledger.record(&numbered(7)).expect("recorded");
        let substrates = Substrates::open(root.path()).expect("substrates");
        LedgerObservations::new(Slow(ledger, delay), ignore).requery(substrates, deadline)
    };
    let (observation, long) = (numbered(7), Duration::from_secs(20));
    let annotation = cited(observation.id());
    let late = observed(long, Duration::from_millis(50));
    let start = Instant::now();
    assert_eq!(late.check(&annotation, None, noon()), Outcome::Unreachable);
    assert!(start.elapsed() < Duration::from_secs(10));
    // What cites nothing waits for nothing.
    let bare = Annotation::new(Class::CODE_READ, "substrate.code.read");
    assert_eq!(late.check(&bare, None, noon()), Outcome::Declared);
    let quick = observed(Duration::ZERO, long);
    assert_eq!(quick.check(&annotation, None, noon()), Outcome::Requeried);
    let day = Duration::from_secs(86_400);
    let later = noon().saturating_add(day * 2);
    assert_eq!(quick.check(&annotation, Some(day), later), Outcome::Stale);
    std::fs::remove_file(root.path().join("file-7")).expect("removed");
    assert_eq!(quick.check(&annotation, None, noon()), Outcome::Gone);
}

/// A ledger that answers when it is opened, and counts the look-ups.
struct Closed {
    ledger: SqliteLedger,
    started: Arc<AtomicU64>,
    is_open: Arc<AtomicBool>,
}

impl Ledger for Closed {
    fn record(&self, observation: &Observation) -> Result<u64, LedgerError> {
        self.ledger.record(observation)
    }

    fn lookup(&self, id: &str) -> Result<Option<LedgerEntry>, LedgerError> {
        self.started.fetch_add(1, Ordering::SeqCst);
        while !self.is_open.load(Ordering::SeqCst) {
            sleep(Duration::from_millis(1));
        }
        self.ledger.lookup(id)
    }

    fn expire(&self, now: Timestamp) -> Result<u64, LedgerError> {
        self.ledger.expire(now)
    }
}

/// Late queries take up places until they have ended.
#[test]
fn at_most_64_queries_run() {
    let root = tempfile::tempdir().expect("a folder");
    std::fs::write(root.path().join("file-7"), "content 7\n").expect("written");
    let ledger = SqliteLedger::in_memory().expect("a ledger");
    ledger.record(&numbered(7)).expect("recorded");
    let (started, is_open) = (Arc::default(), Arc::new(AtomicBool::new(false)));
    let ledger = Closed {
        ledger,
        started: Arc::clone(&started),
        is_open: Arc::clone(&is_open),
    };
    let substrates = Substrates::open(root.path()).expect("substrates");
    let deadline = Duration::from_millis(20);
    let observations = LedgerObservations::new(ledger, ignore).requery(substrates, deadline);
    let observation = numbered(7);
    let check = || observations.check(&cited(observation.id()), None, noon());
    for _ in 0..80 {
        assert_eq!(check(), Outcome::Unreachable);
    }
    sleep(Duration::from_millis(200));
    assert_eq!(started.load(Ordering::SeqCst), 64);
    is_open.store(true, Ordering::SeqCst);
    let start = Instant::now();
    while check() != Outcome::Requeried {
        assert!(
            start.elapsed() < Duration::from_secs(60),
            "no place is free"
        );
    }
}

/// A ledger that cannot be read.
struct Broken;

impl Ledger for Broken {
    fn record(&self, _: &Observation) -> Result<u64, LedgerError> {
        Err(LedgerError::Full)
    }

    fn lookup(&self, _: &str) -> Result<Option<LedgerEntry>, LedgerError> {
        Err(LedgerError::Damaged("no page".into()))
    }

    fn expire(&self, _: Timestamp) -> Result<u64, LedgerError> {
        Err(LedgerError::Full)
    }
}

static REPORTED: AtomicU64 = AtomicU64::new(0);

#[test]
fn an_error_of_the_ledger_is_unreachable_and_reported_once() {
    let observations = LedgerObservations::new(Broken, |error| {
        assert_eq!(error.to_string(), "the ledger is damaged: no page");
        REPORTED.fetch_add(1, Ordering::Relaxed);
    });
    for _ in 0..3 {
        let outcome = observations.check(&cited("sha256:e3b0"), None, noon());
        assert_eq!(outcome, Outcome::Unreachable);
    }
    assert_eq!(REPORTED.load(Ordering::Relaxed), 1);
}

/// With `PROVSTREAM_MEASURE` set, prints how long a check takes: `cargo test --release -- --nocapture checks_are_measured`.
#[test]
fn checks_are_measured() {
    let count = match std::env::var_os("PROVSTREAM_MEASURE") {
        Some(_) => 100_000,
        None => 100,
    };
    let dir = tempfile::tempdir().expect("a folder");
    let ledger = SqliteLedger::open(dir.path().join("obs.db")).expect("a ledger");
    let observations: Vec<_> = (0..count).map(numbered).collect();
    ledger.record_all(&observations).expect("recorded");
    let ledger = LedgerObservations::new(ledger, ignore);
    let hour = Some(Duration::from_secs(3_600));
    let start = Instant::now();
    for observation in &observations {
        let outcome = ledger.check(&cited(observation.id()), hour, noon());
        assert_eq!(outcome, Outcome::Observed);
    }
    let each = start.elapsed().as_secs_f64() / f64::from(u32::try_from(count).expect("a count"));
    println!("{:.1} µs an annotation", each * 1e6);
}
