//! JSON events of the naive reference, on examples worked out by hand from sections 4 to 6 of the
//! wire profile.

mod free_text;
mod generated;
mod grammar;
mod limits;
mod objects;
mod records;
mod sequence;

use testkit::reference::engine::canonical;
use testkit::reference::{
    Encoding, Ev, Reading, RefLimits, RefMode, RefVocabulary, Segment, events_in,
};

/// Limits that are the defaults but for what a test sets.
fn limits(set: impl FnOnce(&mut RefLimits)) -> RefLimits {
    let mut limits = RefLimits::default();
    set(&mut limits);
    limits
}

/// Builds a segment of model text.
fn own(text: impl AsRef<[u8]>) -> Segment {
    Segment {
        own: true,
        bytes: text.as_ref().to_vec(),
        after_break: false,
    }
}

/// Builds a segment of untrusted text.
fn foreign(text: impl AsRef<[u8]>) -> Segment {
    Segment {
        own: false,
        bytes: text.as_ref().to_vec(),
        after_break: false,
    }
}

/// All bytes of an input.
fn joined(input: &[Segment]) -> Vec<u8> {
    let bytes = input.iter().flat_map(|segment| segment.bytes.clone());
    bytes.collect()
}

/// A sentence ends at a full stop with white space behind it.
fn split(candidate: &[u8]) -> usize {
    let starts_after = |&at: &usize| candidate[at - 1] == b'.' && candidate[at] == b' ';
    (1..candidate.len()).rev().find(starts_after).unwrap_or(0)
}

/// The bytes of a span.
fn raw(bytes: &[u8], span: (u64, u64)) -> String {
    let index = |offset: u64| usize::try_from(offset).expect("an offset into memory");
    bytes[index(span.0)..index(span.1)]
        .escape_ascii()
        .to_string()
        .replace("\\\"", "\"")
        .replace("\\'", "'")
}

/// All events but text in one line, parts with " / " between them.
///
/// `=pointer|text` is an assertion, behind which `(class !reason id=... ts=... <bytes>)` is each of its annotations
/// and `limited` a limit; without a pointer it is in brackets. `@class` is an annotation in brackets, `*kind pointer` a
/// MARC object, with its number of bytes if it has them, and `?code bytes` a diagnostic. Records, `-bytes`, come first:
/// their order among the others means nothing.
fn show_with(reading: Reading, limits: &RefLimits, input: &[Segment]) -> String {
    let bytes = joined(input);
    let mut shown = Vec::new();
    let events = events_in(reading, input, limits, &RefVocabulary::default(), &split);
    for event in canonical(events) {
        let line = match event {
            Ev::Text { .. } => continue,
            Ev::Annotation { class, .. } => format!("@{class}"),
            Ev::Assertion {
                encoding,
                text,
                clean_span,
                pointer,
                annotations,
                limited,
                ..
            } => {
                assert_eq!(clean_span.is_none(), encoding == Encoding::Json);
                let mut line = match (encoding, pointer) {
                    (Encoding::Bracket, _) => format!("={text}"),
                    (Encoding::Json, pointer) => {
                        format!("={}|{text}", pointer.as_deref().unwrap_or("none"))
                    }
                };
                for found in annotations.iter().filter(|_| encoding == Encoding::Json) {
                    line += &format!(" ({}", found.declared);
                    if found.class != found.declared {
                        assert_eq!(found.class, "unverified-inference");
                    }
                    line += &found
                        .reason
                        .map_or(String::new(), |reason| format!(" !{reason}"));
                    let id = found.observation_id.as_ref();
                    line += &id.map_or(String::new(), |id| format!(" id={id}"));
                    line += &found
                        .ts
                        .as_ref()
                        .map_or(String::new(), |ts| format!(" ts={ts}"));
                    line += &format!(" <{}>)", raw(&bytes, found.span));
                }
                line + if limited { " limited" } else { "" }
            }
            Ev::Marc {
                kind, pointer, raw, ..
            } => {
                let raw = raw.map_or(String::new(), |raw| format!(" {}", raw.len()));
                format!("*{kind} {}{raw}", pointer.as_deref().unwrap_or("none"))
            }
            Ev::Record { span } => format!("-{}", raw(&bytes, span)),
            Ev::Diagnostic { code, span } => format!("?{code} {}", raw(&bytes, span)),
        };
        shown.push(line);
    }
    shown.join(" / ")
}

/// The events of own text in mode `json`.
fn json(text: impl AsRef<[u8]>) -> String {
    json_with(&RefLimits::default(), text)
}

/// Formats the events of model text in mode `json` with other limits.
fn json_with(limits: &RefLimits, text: impl AsRef<[u8]>) -> String {
    show_with(Reading::new(RefMode::Json), limits, &[own(text)])
}

/// The events of own text in mode `ndjson`.
fn ndjson(text: impl AsRef<[u8]>) -> String {
    let reading = Reading::new(RefMode::Ndjson);
    show_with(reading, &RefLimits::default(), &[own(text)])
}

/// The events of own text in mode `auto`.
fn auto(text: impl AsRef<[u8]>) -> String {
    auto_with(&RefLimits::default(), text)
}

/// Formats the events of model text in mode `auto` with other limits.
fn auto_with(limits: &RefLimits, text: impl AsRef<[u8]>) -> String {
    show_with(Reading::new(RefMode::Auto), limits, &[own(text)])
}

/// Checks a table of inputs and what they show.
fn check(show: impl Fn(&str) -> String, cases: &[(&str, &str)]) {
    let wrong: Vec<String> = cases
        .iter()
        .map(|(input, expected)| (input, expected, show(input)))
        .filter(|(_, expected, found)| *expected != found)
        .map(|(input, expected, found)| format!("{input}\nexpected {expected}\nfound    {found}"))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}
