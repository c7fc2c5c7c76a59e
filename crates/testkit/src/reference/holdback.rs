//! Brute-force oracle for the bytes that a parser must hold: those that some continuation makes
//! part of an annotation.

use super::{Ev, Reading, RefLimits, RefVocabulary, Segment, events_in};

/// The shortest annotation of the grammar; with a limit below its length, a parser finds none.
pub const LEAST: &str = "[a;ts=]";

/// Computes the bytes to hold at the end of the stream: the length of the longest candidate
/// annotation, and the length of the removable white space before it (or at the end, if there is no
/// candidate).
pub fn holdback(reading: Reading, prefix: &[Segment], limits: &RefLimits) -> (usize, usize) {
    match possible(reading, prefix, limits) {
        Some((start, white)) => (joined(prefix).len() - start, white),
        None => (0, removable(reading, prefix, limits)),
    }
}

fn joined(input: &[Segment]) -> Vec<u8> {
    let bytes = input.iter().map(|segment| &segment.bytes[..]);
    bytes.collect::<Vec<_>>().concat()
}

fn own(bytes: &[u8]) -> Segment {
    Segment {
        own: true,
        bytes: bytes.to_vec(),
        after_break: false,
    }
}

/// Builds the shortest continuations that complete whatever can still become an annotation.
///
/// There is one for each state of a candidate: after the bracket, within and after the anchor,
/// after the identifier, within the name of a known parameter, and within each kind of value. A
/// partial identifier or name is completed only if the stream ends with it.
pub fn completions(prefix: &[u8]) -> Vec<Vec<u8>> {
    let mut found: Vec<Vec<u8>> = [
        "]",
        "a]",
        "\"]",
        "\"\"]",
        "=]",
        "ts=]",
        ";ts=]",
        "a;ts=]",
        ".a;ts=]",
        "0.a;ts=]",
        ".0.a;ts=]",
    ]
    .map(|text| text.as_bytes().to_vec())
    .to_vec();
    let classes = RefVocabulary::default().classes;
    let names = classes.iter().map(|(id, _)| (&id[..], "]"));
    let more = [
        ("substrate.a", "]"),
        ("observation-id", "=]"),
        ("observation_id", "=]"),
        ("ts", "=]"),
    ];
    for (name, end) in names.chain(more) {
        for there in 1..=name.len() {
            let part = &prefix[prefix.len().saturating_sub(there)..];
            if part.eq_ignore_ascii_case(&name.as_bytes()[..there]) {
                found.push(format!("{}{end}", &name[there..]).into_bytes());
            }
        }
    }
    found
}

/// Finds the longest candidate annotation that starts in `prefix` and that a continuation
/// completes; returns its start and the length of the white space removed with it, in bytes.
fn possible(reading: Reading, prefix: &[Segment], limits: &RefLimits) -> Option<(usize, usize)> {
    let raw = joined(prefix);
    let vocabulary = RefVocabulary::default();
    let mut longest: Option<(usize, usize)> = None;
    for more in completions(&raw) {
        let mut input = prefix.to_vec();
        input.push(own(&more));
        for event in events_in(reading, &input, limits, &vocabulary, &|_| 0) {
            if let Ev::Annotation {
                span,
                whitespace_before,
                ..
            } = event
            {
                let start = span.0 as usize;
                if start < raw.len()
                    && raw.len() < span.1 as usize
                    && longest.is_none_or(|(least, _)| start < least)
                {
                    longest = Some((start, whitespace_before as usize));
                }
            }
        }
    }
    longest
}

/// Measures the white space at the end of the stream that the next annotation removes, in bytes.
/// The annotation follows at once, or in the next line, where a code span or a block has ended.
pub fn removable(reading: Reading, prefix: &[Segment], limits: &RefLimits) -> usize {
    let len = joined(prefix).len();
    let annotation = if limits.max_annotation < 16 {
        LEAST
    } else {
        "[substrate.grep]"
    };
    ["", "\n"]
        .map(|between| {
            let mut input = prefix.to_vec();
            input.push(own(format!("{between}{annotation}").as_bytes()));
            let vocabulary = RefVocabulary::default();
            let found = events_in(reading, &input, limits, &vocabulary, &|_| 0);
            found
                .iter()
                .filter_map(|event| match event {
                    Ev::Annotation {
                        span,
                        whitespace_before,
                        ..
                    } if span.0 as usize >= len => {
                        Some((len + *whitespace_before as usize).saturating_sub(span.0 as usize))
                    }
                    _ => None,
                })
                .max()
                .unwrap_or(0)
        })
        .into_iter()
        .max()
        .unwrap_or(0)
}
