//! Readers of streams of JSON alone: a sequence of values, or one value per line.

use super::super::stream::Stream;
use super::super::{Ev, Place, RefLimits, RefVocabulary, wide};
use super::read::Outcome;
use super::{Value, is_space, value};

/// Values and syntax errors of a stream of JSON alone.
#[derive(Default)]
pub struct Found {
    /// Values in stream order, broken ones included.
    pub values: Vec<Value>,
    /// Diagnostics for the bytes at which no value could begin or continue.
    pub offending: Vec<(Place, Ev)>,
}

impl Found {
    /// Reports an offending byte, unless it was the last one reported.
    fn offends(&mut self, at: usize) {
        let span = wide(at, at + 1);
        let code = "json-syntax";
        let event = (Place::after(at + 1), Ev::Diagnostic { code, span });
        if self.offending.last() != Some(&event) {
            self.offending.push(event);
        }
    }
}

/// Returns `true` if a value can begin with `byte`.
fn begins(byte: u8) -> bool {
    matches!(
        byte,
        b'{' | b'[' | b'"' | b'-' | b'0'..=b'9' | b't' | b'f' | b'n'
    )
}

/// Reads a sequence of values.
pub fn documents(
    stream: &Stream,
    hold_records: bool,
    limits: &RefLimits,
    vocabulary: &RefVocabulary,
) -> Found {
    let mut found = Found::default();
    let mut at = stream.mark();
    while at < stream.bytes.len() {
        if !stream.is_own(at) || is_space(stream.bytes[at]) {
            at += 1;
        } else if begins(stream.bytes[at]) {
            let read = value(stream, at, false, false, hold_records, limits, vocabulary);
            at = match read.outcome {
                Outcome::Complete { end } | Outcome::Open { end } => end,
                Outcome::TooDeep { at } => stream.line_end(at),
                Outcome::Stopped { at } => {
                    found.offends(at);
                    let before = stream.line_start(at)..at;
                    if stream.bytes[before].iter().copied().all(is_space) {
                        at
                    } else {
                        stream.line_end(at)
                    }
                }
            };
            found.values.push(read);
        } else {
            found.offends(at);
            at = stream.line_end(at);
        }
    }
    found
}

/// Reads one value per line.
pub fn lines(
    stream: &Stream,
    hold_records: bool,
    limits: &RefLimits,
    vocabulary: &RefVocabulary,
) -> Found {
    let mut found = Found::default();
    let mut at = stream.mark();
    let mut has_value = false;
    while at < stream.bytes.len() {
        let byte = stream.bytes[at];
        if byte == b'\n' {
            has_value = false;
            at += 1;
        } else if !stream.is_own(at) || is_space(byte) {
            at += 1;
        } else if has_value || !begins(byte) {
            found.offends(at);
            at = stream.line_end(at);
            has_value = false;
        } else {
            let read = value(stream, at, true, false, hold_records, limits, vocabulary);
            has_value = matches!(
                read.outcome,
                Outcome::Complete { .. } | Outcome::Open { .. }
            );
            at = match read.outcome {
                Outcome::Complete { end } | Outcome::Open { end } => end,
                Outcome::TooDeep { at } => stream.line_end(at),
                Outcome::Stopped { at } => {
                    found.offends(at);
                    stream.line_end(at)
                }
            };
            found.values.push(read);
        }
    }
    found
}
