//! Fast path for annotations in common form.

use super::bytes::{OBSERVATION_ID, TS, plain_run};
use crate::provenance::reading::{Reading, ValueRange};
use crate::provenance::{Timestamp, Vocabulary};

/// Reads an annotation in common form at the start of `bytes`, of at most `max` bytes, and returns
/// it with its length; `None` if the annotation is incomplete or in another form.
///
/// The common form is: a known identifier without an anchor, then known parameters without quotes,
/// at most one space after each semicolon and no other white space around anything, all of
/// printable ASCII, and a `ts` that is a date-time. [`Candidate`](super::candidate::Candidate)
/// accepts every annotation accepted here, with the same result.
#[inline]
pub(crate) fn usual(bytes: &[u8], max: usize, vocabulary: &Vocabulary) -> Option<(Reading, usize)> {
    // What is not usual is read once more: this bounds what that costs.
    let bytes = &bytes[..bytes.len().min(max).min(LONGEST)];
    let start = bytes.get(1..)?;
    if !start.first()?.is_ascii_alphabetic() {
        return None;
    }
    let mut end = 1 + plain_run(start);
    let identifier = value(1, end);
    let name = identifier.content(bytes);
    let (class, None) = vocabulary.resolve_index(name) else {
        return None;
    };
    let mut reading = Reading {
        class,
        reason: None,
        identifier,
        observation_id: None,
        ts: None,
    };
    loop {
        match bytes.get(end)? {
            b']' => return Some((reading, end + 1)),
            b';' => {}
            _ => return None,
        }
        let mut start = end + 1;
        start += usize::from(bytes.get(start) == Some(&b' '));
        let rest = bytes.get(start..)?;
        let (name, slot) = if rest.starts_with(TS) {
            (TS, &mut reading.ts)
        } else if rest.starts_with(OBSERVATION_ID) {
            (OBSERVATION_ID, &mut reading.observation_id)
        } else {
            return None;
        };
        let content = &rest[name.len()..];
        let len = plain_run(content);
        let content = &content[..len];
        start += name.len();
        end = start + len;
        let tidy = content.first()? != &b' ' && content.last()? != &b' ' && content[0] != b'"';
        if !tidy || slot.replace(value(start, end)).is_some() {
            return None;
        }
        if name == TS && Timestamp::parse(content).is_err() {
            return None;
        }
    }
}

/// Maximum length of an annotation in common form, in bytes.
const LONGEST: usize = 256;

/// Creates a value without quotes; an annotation is far shorter than 4 GiB.
const fn value(start: usize, end: usize) -> ValueRange {
    ValueRange {
        start: start as u32,
        end: end as u32,
        quoted: false,
    }
}
