//! Recording of the results of tools that the proxy sees in requests.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt;
use std::hash::BuildHasher as _;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use highway::{HighwayBuildHasher, Key};
use provstream::provenance::{Class, Timestamp};
use provstream_cli::{RecordSettings, RecordingDone, RequestToolResult, ToolResultRecorder};
use provstream_observe::{Observation, Query, SqliteLedger};
use serde_json::{Value, json};

use crate::record_queue::{GATHER, NewResult, RecordJob, RecordQueue};

/// Most results that are known to be recorded without a look-up. Each request of a conversation repeats those before.
const MAX_KNOWN: usize = 1 << 16;

/// Recorder of results in a ledger.
pub(crate) struct ToolRecorder {
    recorded: Arc<Recorded>,
    queue: RecordQueue,
}

/// Ledger and settings of a recorder.
struct Recorded {
    ledger: SqliteLedger,
    classes: BTreeMap<Box<str>, Class>,
    has_content: bool,
    /// Fingerprint of the latest result of each call. Each request has all results of its conversation, and SHA-256 of them would cost more
    /// than the rest of the recording. Nobody finds two results with one fingerprint without the key.
    known: Mutex<HashMap<u64, u64>>,
    /// Hasher of the fingerprints, with a secret key.
    hasher: HighwayBuildHasher,
}

impl fmt::Debug for ToolRecorder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ToolRecorder").finish_non_exhaustive()
    }
}

impl ToolRecorder {
    /// Opens the ledger. Creates it if it does not exist.
    pub(crate) fn open(settings: &RecordSettings) -> Result<Self, String> {
        let recorded = Arc::new(Recorded {
            ledger: SqliteLedger::open(&settings.file).map_err(text)?,
            classes: settings.classes.clone(),
            has_content: settings.has_content,
            known: Mutex::default(),
            hasher: HighwayBuildHasher::new(random_key()?),
        });
        let of_thread = Arc::clone(&recorded);
        let queue = RecordQueue::start(GATHER, move |jobs| of_thread.record(jobs)).map_err(text)?;
        Ok(Self { recorded, queue })
    }
}

impl ToolResultRecorder for ToolRecorder {
    fn record(&self, results: Vec<RequestToolResult<'_>>, now: Timestamp, done: RecordingDone) {
        let new = self.recorded.unknown(results);
        match new.is_empty() {
            true => done(Ok(0)),
            false => self.queue.push(RecordJob {
                results: new,
                now,
                done,
            }),
        }
    }

    fn hurry(&self) {
        self.queue.hurry();
    }
}

impl Recorded {
    fn known(&self) -> MutexGuard<'_, HashMap<u64, u64>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the class under which a result is recorded.
    fn class(&self, found: &RequestToolResult<'_>) -> Option<&Class> {
        // Who sends requests must not replace an observation whose id is computed from its result.
        let is_own = Observation::is_own_id(found.id());
        self.classes.get(found.tool()).filter(|_| !is_own)
    }

    /// Returns the last result of each call, unless it is known to be the latest that is recorded.
    fn unknown(&self, results: Vec<RequestToolResult<'_>>) -> Vec<NewResult> {
        let mut calls = HashSet::new();
        let last = results.into_iter().rev().filter_map(|found| {
            let class = self.class(&found)?;
            let call = self.hasher.hash_one(found.id());
            if !calls.insert(call) {
                return None;
            }
            let fingerprint = self.hasher.hash_one((class.as_str(), found.as_json()));
            let is_known = self.known().get(&call) == Some(&fingerprint);
            (!is_known).then(|| NewResult {
                found: found.into_owned(),
                class: class.clone(),
                call,
                fingerprint,
            })
        });
        let mut new: Vec<_> = last.collect();
        new.reverse();
        new
    }

    /// Records the results of several requests in one transaction, and returns how many of each are recorded; an error is that of writing it.
    fn record(&self, jobs: &[RecordJob]) -> Result<Vec<u64>, String> {
        let (mut observations, mut latest) = (Vec::new(), Vec::new());
        let mut ranges = Vec::new();
        for job in jobs {
            let first = observations.len();
            for new in &job.results {
                observations.extend(self.observation(new, job.now));
                latest.push((new.call, new.fingerprint));
            }
            ranges.push(first..observations.len());
        }
        let recorded = match observations.is_empty() {
            true => Ok(Vec::new()),
            false => self.ledger.record_changed(&observations).map_err(text),
        }?;
        let mut known = self.known();
        if known.len() + latest.len() > MAX_KNOWN {
            known.clear();
        }
        known.extend(latest);
        let count = |all: &[bool]| all.iter().filter(|is_recorded| **is_recorded).count() as u64;
        let counts = ranges.into_iter().map(|range| count(&recorded[range]));
        Ok(counts.collect())
    }

    /// Returns the observation of a result; `None` if it has no text, or what nobody can cite, such as a very long id.
    fn observation(&self, new: &NewResult, now: Timestamp) -> Option<Observation> {
        let NewResult { found, class, .. } = new;
        let result = found.text()?;
        let arguments = found.arguments();
        let arguments: Value =
            serde_json::from_str(&arguments).unwrap_or_else(|_| arguments.into());
        let query = Query::new(&json!({ "tool": found.tool(), "arguments": arguments }))
            .or_else(|_| Query::new(&json!({ "tool": found.tool() })));
        let observation = Observation::new(class.as_str(), query.ok()?, result, now);
        let observation = observation.ok()?.with_id(found.id()).ok()?;
        Some(match self.has_content {
            true => observation,
            false => observation.without_content(),
        })
    }
}

fn random_key() -> Result<Key, String> {
    let mut key = [0; 4];
    for part in &mut key {
        *part = getrandom::u64().map_err(text)?;
    }
    Ok(Key(key))
}

fn text(error: impl ToString) -> String {
    error.to_string()
}
