//! Ledgers of observations that settings and options name.

use core::fmt;
use core::time::Duration;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use provstream::provenance::{Class, ObservationCheck, Timestamp};

use crate::request_facts::RequestToolResult;

/// Ledger of observations by which a gate checks annotations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LedgerSettings {
    /// File of the ledger.
    pub file: PathBuf,
    /// Repetition of the queries; `None` if they are not repeated.
    pub requery: Option<RequerySettings>,
}

/// Repetition of the queries of observations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequerySettings {
    /// Folder that paths of queries are relative to.
    pub root: PathBuf,
    /// Longest time to wait for a query. An observation whose query takes longer is `unreachable`.
    pub deadline: Duration,
}

impl RequerySettings {
    /// Default of [`deadline`](Self::deadline).
    pub const DEADLINE: Duration = Duration::from_secs(1);
}

/// Support for ledgers in a program. `provstream-observe` has one over SQLite.
pub trait LedgerSupport: fmt::Debug + Send + Sync {
    /// Opens a ledger to check annotations.
    ///
    /// # Errors
    ///
    /// The file is not a ledger or cannot be read, or the folder cannot be opened. The message has no name of the file.
    fn observations(&self, settings: &LedgerSettings) -> Result<Arc<dyn ObservationCheck>, String>;

    /// Lists what a ledger has as JSON, in a form for prompts or for dialects.
    ///
    /// # Errors
    ///
    /// The file cannot be read. The message has no name of the file.
    fn list(&self, file: &Path, form: LedgerList) -> Result<Vec<u8>, String>;

    /// Opens a ledger to record results of tools. Creates the file if it does not exist.
    ///
    /// # Errors
    ///
    /// The file is not a ledger, or cannot be written. The message has no name of the file.
    fn recorder(&self, settings: &RecordSettings) -> Result<Arc<dyn ToolResultRecorder>, String>;
}

/// Form of a list of the observations of a ledger.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LedgerList {
    /// Observations that a prompt lists.
    Observations,
    /// Sources of answers that cite with markers.
    Sources,
}

/// Recording of the results of tools that requests show to a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordSettings {
    /// File of the ledger.
    pub file: PathBuf,
    /// Class of the observations of each tool, by its name. Results of other tools are not recorded.
    pub classes: BTreeMap<Box<str>, Class>,
    /// `true` to record the results, and not only their digests.
    pub has_content: bool,
}

/// Recorder of results of tools.
pub trait ToolResultRecorder: fmt::Debug + Send + Sync {
    /// Begins to record the results that are not recorded yet, as observations of the time `now` whose ids are those of the calls. Results
    /// that are not recorded, such as those of a tool without a class, are left out.
    ///
    /// Does not block, and is fast for what is known to be recorded, since a conversation repeats its results with each request. `done` is
    /// called at once if nothing is new, or too much waits; else by another thread, which may wait a little for the results of further
    /// requests.
    fn record(&self, results: Vec<RequestToolResult<'_>>, now: Timestamp, done: RecordingDone);

    /// Ends the wait for the results of further requests, since a response waits for [`record`](Self::record).
    fn hurry(&self);
}

/// Function that gets the number of results of a request that were recorded, or else the error of the ledger, after which none of them is.
/// A recorder that has failed drops it without a call.
pub type RecordingDone = Box<dyn FnOnce(Result<u64, String>) + Send>;
