//! Ledgers: what was observed, in the order in which it was recorded.

mod audit;
mod chain;
mod schema;
mod sqlite;

use std::error::Error;
use std::fmt;
use std::ops::RangeInclusive;

use provstream::provenance::Timestamp;

pub use audit::{ExportError, LedgerFault, LedgerHead, LedgerReport};
pub use sqlite::SqliteLedger;

use crate::observation::{Anchor, Digest, Observation};
use crate::query::Query;

/// Store of observations.
///
/// Implement it for a database that several machines share; docs/observations.md shows one over PostgreSQL. A store only appends:
/// an id that is recorded again gets a further entry, and the latest one counts.
pub trait Ledger: Send + Sync {
    /// Records an observation and returns its number. When this returns, the observation outlives a crash of the process and of
    /// the machine.
    ///
    /// # Errors
    ///
    /// The store cannot be written. Nothing is recorded then.
    fn record(&self, observation: &Observation) -> Result<u64, LedgerError>;

    /// Returns the latest entry of an id.
    ///
    /// # Errors
    ///
    /// The store cannot be read.
    fn lookup(&self, id: &str) -> Result<Option<LedgerEntry>, LedgerError>;

    /// Erases the queries, digests, anchors and contents of the observations that expire at `now` or before, and returns how many these are.
    /// Their ids, classes and times stay.
    ///
    /// # Errors
    ///
    /// The store cannot be written. Nothing is erased then, unless the error is [`NotErased`](LedgerError::NotErased).
    fn expire(&self, now: Timestamp) -> Result<u64, LedgerError>;
}

/// Recorded observation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LedgerEntry {
    /// Number, from 1.
    pub seq: u64,
    /// Id that annotations cite.
    pub id: String,
    /// Substrate class.
    pub class: String,
    /// Time at which the observation was made.
    pub time: Timestamp,
    /// Time at which the body is erased.
    pub expires: Option<Timestamp>,
    /// Parts that expiry erases; `None` if it has.
    pub body: Option<Body>,
}

/// Parts of an entry that expiry erases.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Body {
    /// Query that gave the result.
    pub query: Query,
    /// Digest of the result.
    pub result: Digest,
    /// Text around the result, if it was recorded.
    pub anchor: Option<Anchor>,
    /// Result, if it was recorded.
    pub content: Option<Vec<u8>>,
}

/// Entry of a ledger with a hash chain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LedgerRecord {
    /// An observation.
    Observation(LedgerEntry),
    /// Expiry of observations.
    Expiry {
        /// Number, from 1.
        seq: u64,
        /// Time of the expiry.
        time: Timestamp,
        /// Numbers of the entries whose bodies were erased.
        erased: Vec<RangeInclusive<u64>>,
    },
}

impl LedgerRecord {
    /// Returns the number, from 1.
    #[must_use]
    pub const fn seq(&self) -> u64 {
        match self {
            Self::Observation(entry) => entry.seq,
            Self::Expiry { seq, .. } => *seq,
        }
    }
}

/// An error of a ledger.
#[non_exhaustive]
#[derive(Debug)]
pub enum LedgerError {
    /// There is no file at the path, or it cannot be opened.
    NotOpened(String),
    /// The file is not a ledger.
    NotALedger,
    /// The ledger has another version of the schema.
    SchemaVersion {
        /// Version that this program reads and writes.
        expected: i64,
        /// Version of the file.
        found: i64,
    },
    /// Another process has held the lock for more than five seconds.
    Locked,
    /// This number of observations is erased, but bytes of what has expired may still be in the write-ahead log, which is in use. They are not
    /// after a further [`expire`](Ledger::expire) without this error.
    NotErased(u64),
    /// The disk is full, or the file may not grow.
    Full,
    /// The file or its folder cannot be written.
    ReadOnly,
    /// The file is damaged.
    Damaged(String),
    /// Another error of the store.
    Other(Box<dyn Error + Send + Sync>),
}

impl fmt::Display for LedgerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotOpened(why) => write!(f, "cannot open the ledger: {why}"),
            Self::NotALedger => f.write_str("expected a ledger, found another file"),
            Self::SchemaVersion { expected, found } => write!(
                f,
                "expected a ledger with schema version {expected}, found version {found}"
            ),
            Self::Locked => f.write_str(
                "the ledger is locked: another process has written to it for more than 5 s",
            ),
            Self::NotErased(_) => f.write_str(
                "bytes of what has expired may still be in the write-ahead log of the ledger, which is in use: expire it again later",
            ),
            Self::Full => f.write_str("cannot write the ledger: no space is left"),
            Self::ReadOnly => f.write_str("cannot write the ledger: it is read-only"),
            Self::Damaged(why) => write!(f, "the ledger is damaged: {why}"),
            Self::Other(error) => write!(f, "ledger: {error}"),
        }
    }
}

impl Error for LedgerError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Other(error) => Some(&**error),
            _ => None,
        }
    }
}
