//! Streams for the benches and the work they are measured against.

pub(crate) mod prose;
pub(crate) mod read;

use std::hint::black_box;

use regex::bytes::Regex;

pub(crate) use prose::{Prose, stream};
pub(crate) use read::provstream;

/// Regular expression that a person would write to find annotations in a whole buffer.
pub(crate) const PATTERN: &str = r"\[(substrate\.[a-z.\-]+|unverified-inference|decayed-to-uncertainty)((?:\s*;\s*[a-z-]+=[^;\]]+)*)\s*\]";

/// Baseline for a program that looks at every byte: one pass for the opening bytes of free text.
#[must_use]
pub(crate) fn memchr3_pass(stream: &[u8]) -> usize {
    memchr::memchr3_iter(b'[', b'`', b'~', stream).count()
}

/// Baseline for a program with a whole buffer: one pass of the regular expression, without
/// assertions, timestamps and streaming.
#[must_use]
pub(crate) fn regex_pass(regex: &Regex, stream: &[u8]) -> usize {
    regex
        .captures_iter(stream)
        .fold(0, |sum, found| sum + black_box(&found)[0].len())
}

/// Baseline for a program that reads chunks: a search in each chunk, and a copy of it.
pub(crate) fn memchr3_and_copy(buffer: &mut Vec<u8>, stream: &[u8], size: usize) -> usize {
    let mut found = 0;
    buffer.clear();
    for chunk in stream.chunks(size) {
        found += usize::from(memchr::memchr3(b'[', b'`', b'~', chunk).is_some());
        buffer.extend_from_slice(chunk);
    }
    found
}
