//! Parts of observations that commands record.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::Context as _;
use clap::{Args, ValueEnum};
use provstream::provenance::{Annotation, Class, Timestamp, parse_duration, write_bracketed};
use provstream_cli::usage_error;
use provstream_observe::{FoundResult, IdKey, Observation, SubstrateQuery};

// The parts of observations to record.
#[derive(Debug, Args)]
pub(crate) struct RecordOptions {
    /// Parts of the result to record
    ///
    /// digest: neither text nor words around it. anchor: also the line before and the line after, by which text that has
    /// moved is found again, or the id of the first commit. content: also the result, so that `verify` says what has changed
    /// and checks quoted words.
    #[arg(long, value_name = "PARTS", default_value = "digest")]
    keep: Keep,
    /// File with a secret key of at least 16 bytes; the id is keyed with it (hmac-sha256)
    #[arg(long, value_name = "FILE")]
    pub(crate) key: Option<PathBuf>,
    /// Time after which `provstream ledger expire` erases the observation, such as 7d
    #[arg(long, value_name = "DURATION", value_parser = parse_expiry)]
    expires: Option<Duration>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Keep {
    Digest,
    Anchor,
    Content,
}

impl RecordOptions {
    /// Reads the key.
    pub(crate) fn open(&self) -> anyhow::Result<RecordedParts> {
        let mut key = None;
        if let Some(path) = &self.key {
            let bytes = std::fs::read(path);
            let bytes = bytes.with_context(|| format!("cannot read {}", path.display()))?;
            let read = IdKey::new(&bytes);
            key = Some(read.map_err(|error| {
                usage_error(format_args!("--key: {}: {error}", path.display()))
            })?);
        }
        Ok(RecordedParts {
            keep: self.keep,
            key,
            expires: self.expires,
        })
    }
}

/// Parts of observations to record, with the key.
#[derive(Debug)]
pub(crate) struct RecordedParts {
    keep: Keep,
    key: Option<IdKey>,
    expires: Option<Duration>,
}

impl RecordedParts {
    /// Creates the observation of a result, at this second.
    pub(crate) fn observation(
        &self,
        query: &SubstrateQuery,
        found: FoundResult,
    ) -> anyhow::Result<Observation> {
        // Whole seconds are easier to copy for a model.
        let now = Timestamp::now().unix_seconds();
        let now = Timestamp::from_unix(now, 0).unwrap_or(Timestamp::UNIX_EPOCH);
        let json = query.to_query().map_err(usage_error)?;
        let observation = Observation::new(query.class().as_str(), json, found.content, now);
        let mut observation = observation.map_err(usage_error)?;
        if let Some(key) = &self.key {
            observation = observation.with_key(key);
        }
        self.parts(observation.with_anchor(found.anchor))
    }

    /// Sets the expiry, and drops the parts that are not recorded.
    pub(crate) fn parts(&self, mut observation: Observation) -> anyhow::Result<Observation> {
        if let Some(after) = self.expires {
            let expires = observation.time().saturating_add(after);
            let expires = observation.with_expiry(expires);
            observation =
                expires.map_err(|error| usage_error(format_args!("--expires: {error}")))?;
        }
        if self.keep == Keep::Digest {
            observation = observation.with_anchor(None);
        }
        if self.keep != Keep::Content {
            observation = observation.without_content();
        }
        Ok(observation)
    }
}

/// Writes the annotation that cites an observation.
pub(crate) fn annotation(class: Class, observation: &Observation) -> anyhow::Result<String> {
    let declared = class.as_str().to_owned();
    let annotation = Annotation::new(class, declared)
        .with_observation_id(observation.id())
        .with_ts(observation.time().to_string());
    write_bracketed(&annotation).map_err(usage_error)
}

fn parse_expiry(text: &str) -> Result<Duration, String> {
    parse_duration(text).map_err(|error| error.to_string())
}
