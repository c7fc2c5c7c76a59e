//! What has to be held back, by brute force: whatever some continuation makes an annotation.

use super::{Ev, Reading, RefLimits, RefVocabulary, Segment, events_in};

/// The shortest annotation there is; a parser whose limit is below its length finds none.
pub const LEAST: &str = "[a;ts=]";

/// How many bytes at the end of the stream some continuation makes a part of an annotation, and how many before them, or
/// at the very end if there are none, are white space that it removes.
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

/// All that is needed to complete whatever can still become an annotation, in the fewest bytes.
///
/// For each state of an attempt there is the shortest continuation: behind the bracket, in and behind the anchor, behind the
/// identifier, in a known parameter's name, and in each kind of value. An identifier or a name of which a part is
/// there is completed only if the stream ends with that part.
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

/// Start and removed white space of each annotation that starts in `prefix` and that some continuation completes, the
/// longest first.
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

/// How many bytes of white space at the end of the stream an annotation removes that comes next: directly, or in the next
/// line, where a code span or a block has ended.
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
