//! Resolution of an annotation to its class, observation id and timestamp.

use super::grammar::{Shape, is_identifier, without_anchor};
use super::{Ann, RefVocabulary, timestamp, wide};
use std::ops::Range;

/// Class of everything that is not in the vocabulary.
pub(super) const UNVERIFIED: &str = "unverified-inference";

/// Result of resolving an annotation.
pub(super) struct Resolved {
    pub annotation: Ann,
    /// Raw bytes kept until the assertion is reported.
    pub retained: usize,
    /// Diagnostics about its values, as code and span.
    pub diagnostics: Vec<(&'static str, (u64, u64))>,
}

/// Resolves the annotation with the raw `bytes` at stream offset `at`.
pub(super) fn resolve(
    bytes: &[u8],
    shape: &Shape,
    at: usize,
    vocabulary: &RefVocabulary,
) -> Resolved {
    let identifier = &bytes[shape.identifier.clone()];
    let declared = String::from_utf8_lossy(identifier).into_owned();
    let well_formed = shape.is_well_formed(bytes);
    let (class, reason) = if well_formed {
        classify(&declared, vocabulary)
    } else {
        (UNVERIFIED.to_owned(), Some("malformed"))
    };
    let mut resolved = Resolved {
        annotation: Ann {
            span: wide(at, at + bytes.len()),
            class,
            declared,
            reason,
            observation_id: None,
            ts: None,
        },
        retained: identifier.len(),
        diagnostics: Vec::new(),
    };
    if !well_formed {
        return resolved;
    }

    let span = |value: &Range<usize>| wide(at + value.start, at + value.end);
    let values = |names| shape.values(bytes, names).into_iter().flatten();
    for value in values(&["observation-id", "observation_id"]) {
        let (content, decoded) = decode(&bytes[value.clone()]);
        if std::str::from_utf8(&decoded).is_err() {
            resolved.diagnostics.push(("invalid-utf8", span(&value)));
        }
        resolved.retained += content.len();
        let text = String::from_utf8_lossy(&decoded).into_owned();
        resolved.annotation.observation_id = Some(text);
    }
    for value in values(&["ts"]) {
        let (content, decoded) = decode(&bytes[value.clone()]);
        match String::from_utf8(decoded) {
            Ok(text) if timestamp::is_date_time(&text) => {
                resolved.retained += content.len();
                resolved.annotation.ts = Some(text);
            }
            _ => resolved.diagnostics.push(("invalid-ts", span(&value))),
        }
    }
    resolved
}

/// Splits a value into its raw content and its decoded content.
fn decode(value: &[u8]) -> (&[u8], Vec<u8>) {
    let Some(content) = value.strip_prefix(b"\"") else {
        return (value, value.to_vec());
    };
    let content = content.strip_suffix(b"\"").unwrap_or(content);
    let mut decoded = Vec::new();
    let mut rest = content.iter();
    while let Some(&byte) = rest.next() {
        let literal = if byte == b'\\' { rest.next() } else { None };
        decoded.push(*literal.unwrap_or(&byte));
    }
    (content, decoded)
}

/// Resolves any declared text to a class, with the reason if the class differs. A text that is not
/// an identifier is unknown, whatever it starts with.
pub(super) fn classify_any(
    declared: &str,
    vocabulary: &RefVocabulary,
) -> (String, Option<&'static str>) {
    if is_identifier(declared.as_bytes()) {
        classify(declared, vocabulary)
    } else {
        (UNVERIFIED.to_owned(), Some("unknown-identifier"))
    }
}

/// Resolves the identifier of a well-formed annotation to a class, with the reason if the class
/// differs.
fn classify(declared: &str, vocabulary: &RefVocabulary) -> (String, Option<&'static str>) {
    let bare = String::from_utf8_lossy(without_anchor(declared.as_bytes())).into_owned();
    let since = vocabulary.classes.iter().find(|(id, _)| *id == bare);
    let since = since.map(|(_, since)| *since);
    let anchor = declared[..declared.len() - bare.len()].trim_end_matches('.');
    let unknown = (UNVERIFIED.to_owned(), Some("unknown-identifier"));

    let Some((major, minor)) = anchor.split_once('.') else {
        return if since.is_some() {
            (bare, None)
        } else {
            unknown
        };
    };
    let is_plain = |number: &str| number == "0" || !number.starts_with('0');
    if !is_plain(major) || !is_plain(minor) {
        return unknown;
    }
    // A number too large to hold is above every version there is.
    let number = |digits: &str| digits.parse::<u64>().unwrap_or(u64::MAX);
    let version = (number(major), number(minor));
    if version.0 != vocabulary.version.0 || version.1 > vocabulary.version.1 {
        return (UNVERIFIED.to_owned(), Some("vocabulary-version"));
    }
    match since {
        Some(since) if since <= version => (bare, None),
        _ => unknown,
    }
}
