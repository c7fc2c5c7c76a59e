//! The lines of an audit log, and whether they match what clients got.

use std::collections::{BTreeMap, HashMap};
use std::fs::File;
use std::io::{self, BufRead as _, BufReader};
use std::path::Path;

use serde_json::Value;
use sha2::{Digest as _, Sha256};

use super::client::{End, Got};
use super::script::{Assertion, Script};

/// The lines of each stream, in order.
#[derive(Debug, Default)]
pub struct Audit(HashMap<String, Vec<Value>>);

impl Audit {
    /// Reads an audit log.
    ///
    /// # Errors
    ///
    /// It cannot be read, or a line is not JSON.
    pub fn read(path: &Path) -> io::Result<Self> {
        let mut streams: HashMap<String, Vec<Value>> = HashMap::new();
        for line in BufReader::new(File::open(path)?).lines() {
            let line: Value = serde_json::from_str(&line?)?;
            let stream = line["stream"].as_str().unwrap_or_default().to_owned();
            streams.entry(stream).or_default().push(line);
        }
        Ok(Self(streams))
    }

    /// How many lines there are of each version of the policy.
    #[must_use]
    pub fn versions(&self) -> BTreeMap<String, u64> {
        let mut versions = BTreeMap::new();
        for line in self.0.values().flatten() {
            let version = line["policy"].as_str().unwrap_or_default().to_owned();
            *versions.entry(version).or_default() += 1;
        }
        versions
    }

    /// What does not match between the lines of a stream and what its client got, if anything.
    #[must_use]
    pub fn breach(&self, got: &Got) -> Option<String> {
        let lines = match &got.id {
            Some(id) => self.0.get(id).map_or(&[][..], Vec::as_slice),
            None => return None,
        };
        let wrong = |what: String| Some(format!("audit of the seed {}: {what}", got.seed));
        let (ends, decisions): (Vec<&Value>, Vec<&Value>) =
            lines.iter().partition(|line| line["decision"] == "end");
        let text = Script::new(got.seed).text;
        if decisions.len() > text.assertions.len() {
            return wrong(format!("{} lines", decisions.len()));
        }
        for (line, assertion) in decisions.iter().zip(&text.assertions) {
            if !is_about(line, assertion) {
                return wrong(format!("{line} is not about {assertion:?}"));
            }
        }
        let policies = |line: &&Value| line["policy"] != lines[0]["policy"];
        if lines.iter().any(|line| policies(&line)) {
            return wrong("two policies decided about one stream".to_owned());
        }
        let (decided, read) = (decisions.len(), got.assertions);
        let matches = match got.end {
            End::Complete => ends.is_empty() && decided == text.assertions.len(),
            End::Error => decided == read,
            // What was decided about may not have been read.
            End::Left => decided >= read,
            End::Refused => decided == 0,
        };
        if !matches {
            return wrong(format!(
                "{decided} decisions and {} ends, but the client has read {read} of {} ({:?})",
                ends.len(),
                text.assertions.len(),
                got.end
            ));
        }
        None
    }
}

fn is_about(line: &Value, assertion: &Assertion) -> bool {
    let digest = Sha256::digest(assertion.text.as_bytes());
    let digest: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    let end = assertion.start + assertion.text.len();
    line["decision"] == "assertion"
        && line["sha256"] == digest.as_str()
        && line["clean_span"]["start"] == assertion.start
        && line["clean_span"]["end"] == end
        && (line["action"] == "replace") == assertion.is_withheld
        && (line["action"] == "release") != assertion.is_withheld
}
