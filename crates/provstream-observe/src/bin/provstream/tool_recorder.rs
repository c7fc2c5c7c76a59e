//! Recording of the results of tools that the proxy sees in requests.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt;
use std::hash::{BuildHasher as _, RandomState};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use provstream::provenance::{Class, Timestamp};
use provstream_cli::{RecordSettings, RecordingDone, RequestToolResult, ToolResultRecorder};
use provstream_observe::{Digest, Ledger as _, Observation, Query, SqliteLedger};
use serde_json::{Value, json};

use crate::record_queue::{GATHER, RecordJob, RecordQueue};

/// Most results that are known to be recorded without a look-up. Each request of a conversation repeats those before.
const MAX_KNOWN: usize = 1 << 16;

/// Keyed hashes (`SipHash`) of the identifier and class of a result, and of its JSON. Each request has all results of its conversation, and
/// SHA-256 of them would cost more than the rest of the recording. Nobody finds two results with one fingerprint without the keys.
type Fingerprint = (u64, u64);

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
    known: Mutex<HashSet<Fingerprint>>,
    /// Secret keys of the fingerprints.
    keys: RandomState,
}

/// Latest observation of each id that the next transaction records: class and digest.
type Latest = HashMap<String, (String, Digest)>;

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
            keys: RandomState::new(),
        });
        let of_thread = Arc::clone(&recorded);
        let queue = RecordQueue::start(GATHER, move |jobs| of_thread.record(jobs)).map_err(text)?;
        Ok(Self { recorded, queue })
    }
}

impl ToolResultRecorder for ToolRecorder {
    fn is_new(&self, found: &RequestToolResult<'_>) -> bool {
        self.recorded.class(found).is_some_and(|class| {
            let print = self.recorded.fingerprint(found, class);
            !self.recorded.known().contains(&print)
        })
    }

    fn record(
        &self,
        results: Vec<RequestToolResult<'static>>,
        now: Timestamp,
        done: RecordingDone,
    ) {
        self.queue.push(RecordJob { results, now, done });
    }

    fn hurry(&self) {
        self.queue.hurry();
    }
}

impl Recorded {
    fn known(&self) -> MutexGuard<'_, HashSet<Fingerprint>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the class under which a result is recorded.
    fn class(&self, found: &RequestToolResult<'_>) -> Option<&Class> {
        // Who sends requests must not replace an observation whose id is computed from its result.
        let is_own = Observation::is_own_id(found.id());
        self.classes.get(found.tool()).filter(|_| !is_own)
    }

    fn fingerprint(&self, found: &RequestToolResult<'_>, class: &Class) -> Fingerprint {
        let call = self.keys.hash_one((found.id(), class.as_str()));
        (call, self.keys.hash_one(found.as_json()))
    }

    /// Records the results of several requests in one transaction; an error is that of writing it.
    fn record(&self, jobs: Vec<RecordJob>) -> Result<(), String> {
        let (mut observations, mut prints) = (Vec::new(), Vec::new());
        let (mut latest, mut ends) = (Latest::new(), Vec::new());
        for job in jobs {
            let count = self.observations(&job, &mut latest).map(|(new, of_job)| {
                let count = new.len() as u64;
                observations.extend(new);
                prints.extend(of_job);
                count
            });
            ends.push((job.done, count));
        }
        let written = match observations.is_empty() {
            true => Ok(()),
            false => self.ledger.record_all(&observations).map(drop),
        };
        let written = written.map_err(text);
        if written.is_ok() {
            let mut known = self.known();
            if known.len() + prints.len() > MAX_KNOWN {
                known.clear();
            }
            known.extend(prints);
        }
        for (done, count) in ends {
            done(written.clone().and(count));
        }
        written
    }

    /// Returns the observations of a request that are not recorded yet, and the fingerprints of all of its results.
    fn observations(
        &self,
        job: &RecordJob,
        latest: &mut Latest,
    ) -> Result<(Vec<Observation>, Vec<Fingerprint>), String> {
        let (mut new, mut prints) = (Vec::new(), Vec::new());
        for found in &job.results {
            let Some(class) = self.class(found) else {
                continue;
            };
            new.extend(self.observation(found, class, job.now, latest)?);
            prints.push(self.fingerprint(found, class));
        }
        for observation in &new {
            let value = (observation.class().to_owned(), observation.result());
            latest.insert(observation.id().to_owned(), value);
        }
        Ok((new, prints))
    }

    /// Returns the observation of a result, unless the latest one of its id is the same.
    fn observation(
        &self,
        found: &RequestToolResult<'_>,
        class: &Class,
        now: Timestamp,
        latest: &Latest,
    ) -> Result<Option<Observation>, String> {
        let Some(result) = found.text() else {
            return Ok(None);
        };
        let has = |digest: Digest| digest == Digest::of(result.as_bytes());
        let is_same = match latest.get(found.id()) {
            Some((of, digest)) => of == class.as_str() && has(*digest),
            None => {
                let entry = self.ledger.lookup(found.id()).map_err(text)?;
                entry.is_some_and(|entry| {
                    entry.class == class.as_str() && entry.body.is_none_or(|body| has(body.result))
                })
            }
        };
        if is_same {
            return Ok(None);
        }
        let arguments = found.arguments();
        let arguments: Value =
            serde_json::from_str(&arguments).unwrap_or_else(|_| arguments.into());
        let query = Query::new(&json!({ "tool": found.tool(), "arguments": arguments }))
            .or_else(|_| Query::new(&json!({ "tool": found.tool() })))
            .map_err(text)?;
        let observation = Observation::new(class.as_str(), query, result, now);
        // What cannot be an id, such as a very long one, is not cited either.
        let Ok(observation) = observation.and_then(|made| made.with_id(found.id())) else {
            return Ok(None);
        };
        Ok(Some(match self.has_content {
            true => observation,
            false => observation.without_content(),
        }))
    }
}

fn text(error: impl ToString) -> String {
    error.to_string()
}
