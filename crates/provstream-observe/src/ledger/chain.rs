//! Bytes that the hash chain covers.

use std::ops::RangeInclusive;

use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use crate::observation::{Anchor, Digest, hex};
use crate::query::{Query, canonical, canonical_string};

/// First bytes of what each link is computed over.
const LINK_PREFIX: &[u8] = b"provstream ledger 1\n";

/// Link before the first entry.
pub(super) const START: Digest = Digest([0; 32]);

/// Parts of an entry that stay after expiry.
pub(super) struct Header<'a> {
    pub(super) seq: u64,
    pub(super) kind: EntryKind,
    pub(super) id: &'a str,
    pub(super) class: &'a str,
    pub(super) time: &'a str,
    pub(super) expires: Option<&'a str>,
    /// Digest of the body.
    pub(super) body: Digest,
}

/// Kind of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EntryKind {
    Observation,
    Expiry,
}

impl EntryKind {
    pub(super) const fn as_str(self) -> &'static str {
        match self {
            Self::Observation => "observation",
            Self::Expiry => "expiry",
        }
    }

    pub(super) fn parse(name: &str) -> Option<Self> {
        let mut kinds = [Self::Observation, Self::Expiry].into_iter();
        kinds.find(|kind| kind.as_str() == name)
    }
}

impl Header<'_> {
    /// Computes the link of the entry from the one before.
    pub(super) fn link(&self, before: Digest) -> Digest {
        // The members are in the order of RFC 8785.
        let text = format!(
            r#"{{"body":"{}","class":{},"expires":{},"id":{},"kind":"{}","seq":{},"time":{}}}"#,
            self.body,
            canonical_string(Some(self.class)),
            canonical_string(self.expires),
            canonical_string(Some(self.id)),
            self.kind.as_str(),
            self.seq,
            canonical_string(Some(self.time)),
        );
        let mut hash = Sha256::new();
        hash.update(LINK_PREFIX);
        hash.update(before.0);
        hash.update(text.as_bytes());
        Digest(hash.finalize().into())
    }
}

/// Computes the digest of an observation's body. The content is covered by the digest of the result, and `has_content` says whether it is
/// kept.
pub(super) fn body_digest(
    query: &Query,
    result: Digest,
    anchor: Option<&Anchor>,
    has_content: bool,
    salt: &[u8; 16],
) -> Digest {
    let anchor = anchor.map(|anchor| json!({ "before": anchor.before, "after": anchor.after }));
    // The members are in the order of RFC 8785, and the query is in its form.
    let text = format!(
        r#"{{"anchor":{},"content":{has_content},"query":{query},"result":"{result}","salt":"{}"}}"#,
        anchor.as_ref().map_or("null".to_owned(), canonical),
        hex(salt),
    );
    Digest::of(text.as_bytes())
}

/// Writes the body of an expiry, the numbers of the entries that it erases.
pub(super) fn erased_text(erased: &[RangeInclusive<u64>]) -> String {
    let ranges = erased
        .iter()
        .map(|range| json!([range.start(), range.end()]));
    canonical(&Value::Array(ranges.collect()))
}

/// Reads the body of an expiry.
pub(super) fn parse_erased(text: &str) -> Option<Vec<RangeInclusive<u64>>> {
    let ranges: Vec<(u64, u64)> = serde_json::from_str(text).ok()?;
    Some(
        ranges
            .into_iter()
            .map(|(first, last)| first..=last)
            .collect(),
    )
}

/// Joins ascending numbers to ranges.
pub(super) fn ranges(numbers: impl IntoIterator<Item = u64>) -> Vec<RangeInclusive<u64>> {
    let mut ranges: Vec<RangeInclusive<u64>> = Vec::new();
    for number in numbers {
        match ranges.last_mut() {
            Some(range) if range.end() + 1 == number => *range = *range.start()..=number,
            _ => ranges.push(number..=number),
        }
    }
    ranges
}
