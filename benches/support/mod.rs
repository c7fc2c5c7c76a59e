//! Streams for the benches and the work they are measured against.

use std::hint::black_box;

use provstream::{Event, Parser};
use regex::bytes::Regex;

/// Length of a stream in bytes.
pub(crate) const LENGTH: usize = 1 << 20;

/// What a person would write to find annotations in a whole buffer.
pub(crate) const PATTERN: &str = r"\[(substrate\.[a-z.\-]+|unverified-inference|decayed-to-uncertainty)((?:\s*;\s*[a-z-]+=[^;\]]+)*)\s*\]";

const WORDS: &str = "the service reads every record once and keeps what the next stage needs while older entries \
    are written to disk so that a restart finds them again after an update of the index which takes a few seconds on \
    most machines but longer when many clients ask for large ranges at the same time";

/// What prose holds besides words.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Prose {
    /// Words, full stops and paragraphs.
    Plain,
    /// Also links, footnote marks, inline code and approximate numbers every few hundred bytes.
    Rich,
}

/// Prose with an annotation about every `gap` bytes.
#[must_use]
pub(crate) fn stream(prose: Prose, gap: usize) -> Vec<u8> {
    let words: Vec<&str> = WORDS.split_whitespace().collect();
    let mut random = 0x2545_F491_4F6C_DD1D_u64;
    let mut next = move |bound: usize| {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        (random % bound as u64) as usize
    };
    let mut text = String::with_capacity(LENGTH + 512);
    let mut due = gap;
    let mut sentences = 0;
    while text.len() < LENGTH {
        for index in 0..10 + next(8) {
            let word = words[next(words.len())];
            if index == 0 {
                text.push_str(&word[..1].to_uppercase());
                text.push_str(&word[1..]);
            } else {
                text.push(' ');
                text.push_str(word);
            }
        }
        if prose == Prose::Rich {
            match next(8) {
                0 => text.push_str(" [guide](https://example.org/guide)"),
                1 => text.push_str(" [1]"),
                2 => text.push_str(" `index.rebuild()`"),
                3 => text.push_str(" in ~20 ms"),
                _ => {}
            }
        }
        text.push('.');
        if text.len() >= due {
            text.push_str(" [substrate.grep; observation-id=sha256:");
            text.push_str(&format!("{:08x}", next(1 << 32)));
            text.push_str("; ts=2026-05-28T11:40:00Z]");
            due += gap;
        }
        sentences += 1;
        text.push_str(if sentences % 5 == 0 { "\n\n" } else { " " });
    }
    text.truncate(LENGTH);
    text.into_bytes()
}

/// All events of a stream in chunks of `size` bytes; gives the number of assertions.
pub(crate) fn provstream(parser: &mut Parser, stream: &[u8], size: usize) -> usize {
    let mut assertions = 0;
    let mut sink = |event: Event<'_>| match event {
        Event::Text(text) => {
            black_box(text.bytes());
        }
        other => assertions += use_event(&other),
    };
    for chunk in stream.chunks(size) {
        parser.push(chunk, &mut sink);
    }
    parser.finish(&mut sink);
    parser.reset();
    assertions
}

/// Looks at everything an event says; gives 1 for an assertion.
#[inline(never)]
fn use_event(event: &Event<'_>) -> usize {
    match event {
        Event::Assertion(assertion) => {
            black_box(assertion.text());
            for annotation in assertion.annotations() {
                black_box(annotation.ts());
            }
            1
        }
        Event::Annotation(annotation) => {
            black_box(annotation.raw());
            0
        }
        _ => 0,
    }
}

/// The least a program must do that looks at every byte: one pass for the bytes that may open something.
#[must_use]
pub(crate) fn memchr3_pass(stream: &[u8]) -> usize {
    memchr::memchr3_iter(b'[', b'`', b'~', stream).count()
}

/// One pass with the regular expression over the whole buffer: no assertion, no timestamp, no streaming.
#[must_use]
pub(crate) fn regex_pass(regex: &Regex, stream: &[u8]) -> usize {
    regex
        .captures_iter(stream)
        .fold(0, |sum, found| sum + black_box(&found)[0].len())
}

/// The least a program must do that takes pieces: look at each and copy it.
pub(crate) fn memchr3_and_copy(buffer: &mut Vec<u8>, stream: &[u8], size: usize) -> usize {
    let mut found = 0;
    buffer.clear();
    for chunk in stream.chunks(size) {
        found += usize::from(memchr::memchr3(b'[', b'`', b'~', chunk).is_some());
        buffer.extend_from_slice(chunk);
    }
    found
}
