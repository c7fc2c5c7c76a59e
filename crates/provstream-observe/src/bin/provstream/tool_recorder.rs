//! Recording of the results of tools that the proxy sees in requests.

use std::collections::{BTreeMap, HashSet};
use std::sync::{Mutex, MutexGuard, PoisonError};

use provstream::provenance::{Class, Timestamp};
use provstream_cli::{RecordSettings, RequestToolResult, ToolResultRecorder};
use provstream_observe::{Digest, Ledger as _, LedgerError, Observation, Query, SqliteLedger};
use serde_json::{Value, json};

/// Most results that are known to be recorded without a look-up. Each request of a conversation repeats those before.
const MAX_KNOWN: usize = 1 << 16;

/// Recorder of results in a ledger.
#[derive(Debug)]
pub(crate) struct ToolRecorder {
    ledger: SqliteLedger,
    classes: BTreeMap<Box<str>, Class>,
    has_content: bool,
    /// Digests of the identifiers, classes and results that are recorded.
    known: Mutex<HashSet<[u8; 32]>>,
}

impl ToolRecorder {
    /// Opens the ledger. Creates it if it does not exist.
    pub(crate) fn open(settings: &RecordSettings) -> Result<Self, LedgerError> {
        Ok(Self {
            ledger: SqliteLedger::open(&settings.file)?,
            classes: settings.classes.clone(),
            has_content: settings.has_content,
            known: Mutex::default(),
        })
    }

    fn known(&self) -> MutexGuard<'_, HashSet<[u8; 32]>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the observation of a result, unless the ledger's latest entry of its id has it.
    fn observation(
        &self,
        found: &RequestToolResult,
        class: &Class,
        now: Timestamp,
    ) -> Result<Option<Observation>, String> {
        let entry = self.ledger.lookup(&found.id).map_err(text)?;
        let digest = Digest::of(found.text.as_bytes());
        let is_same = entry.is_some_and(|entry| {
            entry.class == class.as_str() && entry.body.is_none_or(|body| body.result == digest)
        });
        if is_same {
            return Ok(None);
        }
        let arguments: Value = serde_json::from_str(&found.arguments)
            .unwrap_or_else(|_| found.arguments.as_str().into());
        let query = Query::new(&json!({ "tool": found.tool, "arguments": arguments }))
            .or_else(|_| Query::new(&json!({ "tool": found.tool })))
            .map_err(text)?;
        let observation = Observation::new(class.as_str(), query, found.text.as_str(), now);
        // What cannot be an id, such as a very long one, is not cited either.
        let Ok(observation) = observation.and_then(|made| made.with_id(&found.id)) else {
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

/// Returns a digest of what an entry has.
fn fingerprint(found: &RequestToolResult, class: &Class) -> [u8; 32] {
    let Digest(of_text) = Digest::of(found.text.as_bytes());
    let mut bytes = Vec::with_capacity(found.id.len() + class.as_str().len() + 33);
    bytes.extend_from_slice(&of_text);
    bytes.extend_from_slice(class.as_str().as_bytes());
    bytes.push(0);
    bytes.extend_from_slice(found.id.as_bytes());
    Digest::of(&bytes).0
}

impl ToolResultRecorder for ToolRecorder {
    fn record(&self, results: &[RequestToolResult], now: Timestamp) -> Result<u64, String> {
        // Who sends requests must not replace an observation whose id is computed from its result.
        let is_own = |found: &&RequestToolResult| {
            let own = ["sha256:", "hmac-sha256:"];
            own.iter().any(|prefix| found.id.starts_with(prefix))
        };
        let foreign = results.iter().filter(|found| !is_own(found));
        let classed = foreign.filter_map(|found| {
            let class = self.classes.get(found.tool.as_str())?;
            Some((found, class, fingerprint(found, class)))
        });
        let new: Vec<_> = {
            let known = self.known();
            classed
                .filter(|(_, _, print)| !known.contains(print))
                .collect()
        };
        let mut observations = Vec::new();
        for (found, class, _) in &new {
            observations.extend(self.observation(found, class, now)?);
        }
        if !observations.is_empty() {
            self.ledger.record_all(&observations).map_err(text)?;
        }
        let mut known = self.known();
        if known.len() + new.len() > MAX_KNOWN {
            known.clear();
        }
        known.extend(new.iter().map(|(_, _, print)| *print));
        Ok(observations.len() as u64)
    }
}
