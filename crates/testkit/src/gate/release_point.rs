//! Brute-force oracle for the release point: tries continuations and looks which of them complete
//! an assertion.

use std::sync::LazyLock;

use provstream::sentence::last_sentence;

use crate::reference::holdback::{LEAST, completions};
use crate::reference::{Ev, Reading, RefLimits, RefVocabulary, Segment, timed_events_in};
use crate::root;

/// First parts of a continuation, which close an open construct.
const FIRST: &[&str] = &[
    "",
    "`",
    "``",
    "\n",
    "\"",
    "}",
    "]",
    "x",
    "zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz",
    "\n````````````\n",
    "````````````\n",
    "~\n~~~~~~~~~~~~\n",
    "~~~~~~~~~~~~\n",
    "> ````````````\n",
    "]",
    "-a]",
    "a-a]",
    "a.a]",
    ".a.a]",
    "1]",
    "^a]",
    ">",
    "a>",
    "/a>",
    "1\u{3011}",
    "\u{3011}",
    "1</sup>",
    "</sup>",
    "/sup>",
    "sup>1</sup>",
    "up>1</sup>",
    "p>1</sup>",
    ">1</sup>",
    ".0.a.a]",
    "0.a.a]",
    ":a.a]",
    "=]",
    "a=]",
    ";a=]",
    ":\"x\"}",
    "0041\":1}",
    "\":1}",
    "ull}",
    "ll}",
    "l}",
];

/// Continuations that complete a JSON member or element.
const MEMBER: &[&str] = &[
    "", "1", "\"", "n\"", "\":1", "n\":1", "\"x\":1", ":1", "0\"", "00\"", "000\"", "0000\"",
    "0\":1", "00\":1", "000\":1", "0000\":1", "rue", "ue", "e", "alse", "lse", "se", "ull", "ll",
    "l",
];

/// Second parts of a continuation, which precede an annotation.
const SECOND: &[&str] = &[
    "",
    " ",
    "x",
    "X",
    ". X",
    " said",
    " X said",
    "\u{8bf4}",
    "\u{3066}",
    "\n",
    "\n\n",
    "}",
    "\"}",
    "]}",
    "\"]}",
    "}}",
    "\"}}",
    "\"assertion\":\"x\"}",
    "ion\":\"x\"}",
    "\n> x",
    "|",
    "- ",
    " x",
    "\\",
    "``",
    "\n````````````\n",
    "\n~~~~~~~~~~~~\n",
    "\n> ````````````\n",
    "\n> ~~~~~~~~~~~~\n",
];

/// Maximum length of a partial word at the end of the prefix that is completed, in bytes.
const MAX_PARTIAL_WORD: usize = 12;

/// Words whose completion can move the sentence boundary before them.
static WORDS: LazyLock<Vec<String>> = LazyLock::new(|| {
    let data = root().join("src/engine/sentence/data");
    let files = ["ordinal-after.txt", "speech.txt"];
    let lists = files.map(|file| std::fs::read_to_string(data.join(file)).expect("a word list"));
    let words = lists.iter().flat_map(|list| list.lines());
    let words = words.filter(|word| !word.starts_with('#') && !word.is_empty());
    words.map(str::to_owned).collect()
});

fn own(bytes: impl Into<Vec<u8>>) -> Segment {
    Segment {
        own: true,
        bytes: bytes.into(),
        after_break: false,
    }
}

/// Builds the continuations to try after `prefix`.
fn continuations(prefix: &[u8]) -> Vec<Vec<Segment>> {
    let mut found = Vec::new();
    for first in FIRST {
        for second in SECOND {
            found.push(vec![own(format!("{first}{second}{LEAST}"))]);
        }
        for text in ["", "x", "X said.", "\n"] {
            let foreign = Segment {
                own: false,
                bytes: format!("{first}{text}").into_bytes(),
                after_break: false,
            };
            found.push(vec![foreign, own(LEAST)]);
        }
    }
    for end in completions(prefix) {
        found.push(vec![own([&end[..], LEAST.as_bytes()].concat())]);
        found.push(vec![own(end)]);
    }
    let closers = closers(prefix);
    // A member that is not a string may be repeated with one.
    let named = b"assertion\":";
    let repeats = prefix.windows(named.len()).any(|part| part == named);
    for member in MEMBER {
        found.push(vec![own(format!("{member}{closers}"))]);
        found.push(vec![own(format!("{member}{closers}{LEAST}"))]);
        for closed in 0..closers.len() * usize::from(repeats) {
            let (inner, outer) = closers.split_at(closed);
            found.push(vec![own(format!(
                "{member}{inner},\"assertion\":\"x\"{outer}"
            ))]);
        }
    }
    let longest = prefix.len().min(MAX_PARTIAL_WORD);
    for part in (1..=longest).map(|len| &prefix[prefix.len() - len..]) {
        for whole in WORDS.iter() {
            if let Some(rest) = whole.as_bytes().strip_prefix(part) {
                found.push(vec![own([rest, LEAST.as_bytes()].concat())]);
                // The change to the model's own text ends a code span.
                let foreign = Segment {
                    own: false,
                    bytes: rest.to_vec(),
                    after_break: false,
                };
                found.push(vec![foreign, own(LEAST)]);
            }
        }
    }
    found
}

/// Builds the closing brackets of the objects and arrays that are open at the end of `prefix`, read
/// as JSON.
fn closers(prefix: &[u8]) -> String {
    let mut open = Vec::new();
    let mut in_string = false;
    let mut escaped = false;
    for &byte in prefix {
        let escapes = in_string && byte == b'\\' && !escaped;
        match byte {
            b'"' if !escaped => in_string = !in_string,
            b'{' if !in_string => open.push('}'),
            b'[' if !in_string => open.push(']'),
            b'}' | b']' if !in_string => drop(open.pop()),
            _ => {}
        }
        escaped = escapes;
    }
    open.iter().rev().collect()
}

/// Iterates, over all continuations, the offsets of the assertions that `prefix` does not complete.
fn starts(reading: Reading, prefix: &[Segment], limits: &RefLimits) -> impl Iterator<Item = u64> {
    let bytes: Vec<u8> = prefix
        .iter()
        .flat_map(|segment| segment.bytes.clone())
        .collect();
    let vocabulary = RefVocabulary::default();
    let mut input = prefix.to_vec();
    let kept = input.len();
    continuations(&bytes).into_iter().flat_map(move |more| {
        input.truncate(kept);
        input.extend(more);
        let events = timed_events_in(reading, &input, limits, &vocabulary, &last_sentence);
        let starts = events.into_iter().filter_map(|(known, event)| match event {
            Ev::Assertion { extent, .. } if known > bytes.len() => Some(extent.span.0),
            _ => None,
        });
        starts.collect::<Vec<_>>()
    })
}

/// Computes the release point after `prefix`: the least offset of an assertion that a continuation
/// completes, at most the length of `prefix`.
pub fn release_point(reading: Reading, prefix: &[Segment], limits: &RefLimits) -> u64 {
    let len = length(prefix);
    starts(reading, prefix, limits).fold(len, u64::min)
}

/// Returns `true` if the release point after `prefix` is at most `at`; stops at the first
/// continuation that shows it.
pub fn reaches(reading: Reading, prefix: &[Segment], limits: &RefLimits, at: u64) -> bool {
    at >= length(prefix) || starts(reading, prefix, limits).any(|start| start <= at)
}

fn length(prefix: &[Segment]) -> u64 {
    prefix
        .iter()
        .map(|segment| segment.bytes.len() as u64)
        .sum()
}
