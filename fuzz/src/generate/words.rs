//! The grammar's words.

use std::sync::OnceLock;

use super::Choices;

/// The dictionary of the fuzzers, which has a word a line: see `fuzz/tests/fuzz_bodies/dictionary.rs`.
const DICTIONARY: &str = include_str!("../../dictionary.txt");

/// The identifiers of version 1.0.
pub(super) const CLASSES: [&str; 9] = [
    "substrate.grep",
    "substrate.git.log",
    "substrate.code.read",
    "substrate.fs.mtime",
    "substrate.mcp.brief",
    "substrate.do.sse-count",
    "substrate.unix.peercred",
    "unverified-inference",
    "decayed-to-uncertainty",
];

/// Timestamps, sound ones first.
pub(super) const TIMES: [&str; 10] = [
    "2026-05-28T11:40:00Z",
    "2026-05-28t11:40:00.125z",
    "2016-12-31T23:59:60Z",
    "2026-05-28T11:40:00+02:00",
    "2026-02-29T11:40:00Z",
    "2026-05-28 11:40:00Z",
    "2026-05-28T24:00:00Z",
    "0000-01-01T00:00:00-23:59",
    "now",
    "",
];

/// A word of the dictionary.
pub(super) fn word(choices: &mut Choices<'_>) -> &'static [u8] {
    static WORDS: OnceLock<Vec<Vec<u8>>> = OnceLock::new();
    let words = WORDS.get_or_init(|| DICTIONARY.lines().filter_map(read).collect());
    &words[choices.below(words.len())]
}

/// The word in a line of the dictionary, if there is one.
fn read(line: &str) -> Option<Vec<u8>> {
    let quoted = line.trim().strip_prefix('"')?.strip_suffix('"')?;
    let mut word = Vec::new();
    let mut rest = quoted;
    while let Some(first) = rest.chars().next() {
        rest = &rest[first.len_utf8()..];
        if first != '\\' {
            word.extend_from_slice(first.encode_utf8(&mut [0; 4]).as_bytes());
        } else if let Some(digits) = rest.strip_prefix('x') {
            word.push(u8::from_str_radix(digits.get(..2)?, 16).ok()?);
            rest = digits.get(2..)?;
        } else {
            let escaped = rest.chars().next()?;
            word.extend_from_slice(escaped.encode_utf8(&mut [0; 4]).as_bytes());
            rest = &rest[escaped.len_utf8()..];
        }
    }
    Some(word)
}
