//! A provider's event stream with its annotations removed, beside what a program that looks at each event does at least.

use std::fmt::{self, Display};
use std::hint::black_box;

use provstream::{BracketAnnotation, Handler, Parser, Replacement};
use provstream_providers::{Format, SseDecoder, SsePiece, StreamHandler, StreamRewriter};
use serde::de::IgnoredAny;
use serde_json::Value;

use crate::rounds::{Work, interleaved};
use crate::rows::Row;
use crate::support::{Prose, stream};

/// The number of the target.
pub(crate) const NUMBER: u8 = 12;

/// Bytes of an event whose text needs no escape.
const EVENT: usize = 350;

/// Bytes of text in an event.
pub(crate) const DELTAS: [usize; 2] = [4, 64];

/// Bytes of a piece of the stream.
pub(crate) const PIECES: [usize; 3] = [350, 1_400, 1 << 16];

/// Bytes of text from one annotation to the next.
const GAP: usize = 2_000;

/// Bytes of the event stream.
const LENGTH: usize = 1 << 20;

/// The other sides, each with how many times as fast as it the rewriter is to be.
const BESIDE: [(Side, f64); 2] = [(Side::Ignored, 0.8), (Side::Tree, 3.5)];

/// What differs from event to event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Varies {
    /// The text.
    Text,
    /// The text, and `obfuscation`, with which OpenAI hides the length of tokens.
    Obfuscation,
}

impl Display for Varies {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Text => "events that differ in their text",
            Self::Obfuscation => "events that differ in their text and in `obfuscation`",
        })
    }
}

/// What is done with each event.
#[derive(Clone, Copy, Debug)]
enum Side {
    /// It is read and nothing is kept.
    Ignored,
    /// It is parsed to a tree, which is written again.
    Tree,
}

/// An event stream of chat completions.
pub(crate) struct Response {
    bytes: Vec<u8>,
    /// How many events have text.
    pub(crate) events: usize,
    annotations: usize,
}

impl Response {
    /// The stream with so many bytes of text in an event; always the same.
    #[must_use]
    pub(crate) fn new(delta: usize, varies: Varies) -> Self {
        Self::of_text(delta, varies, LENGTH)
    }

    /// The first events of it, which have at most so many bytes of text.
    #[must_use]
    pub(crate) fn of_text(delta: usize, varies: Varies, most: usize) -> Self {
        let prose = stream(Prose::Plain, GAP);
        let events = (LENGTH / EVENT).min(most / delta);
        let text = &prose[..events * delta];
        let mut bytes = Vec::with_capacity(LENGTH + EVENT);
        for (number, token) in text.chunks(delta).enumerate() {
            let json = Value::from(String::from_utf8_lossy(token)).to_string();
            bytes.extend_from_slice(event(&json, delta, varies, number).as_bytes());
        }
        let marks = String::from_utf8_lossy(text);
        Self {
            bytes,
            events,
            annotations: marks.matches("Z]").count(),
        }
    }
}

/// An event of [`EVENT`] bytes.
fn event(text: &str, delta: usize, varies: Varies, number: usize) -> String {
    let obfuscation = match varies {
        Varies::Text => String::new(),
        Varies::Obfuscation => {
            let characters = b"aB3cD4eF5gH6iJ7k";
            let character = |at: usize| {
                let mixed = (number * 31 + at).wrapping_mul(0x9E37_79B9) >> 7;
                char::from(characters[mixed % characters.len()])
            };
            let hidden: String = (0..8).map(character).collect();
            format!(r#","obfuscation":"{hidden}""#)
        }
    };
    let event = |id: &str| {
        format!(
            "data: {{\"id\":\"chatcmpl-{id}\",\"object\":\"chat.completion.chunk\",\"created\":1790000000,\
             \"model\":\"gpt-5.1-2026-05-13\",\"service_tier\":\"default\",\"system_fingerprint\":\"fp_560af6e559\",\
             \"choices\":[{{\"index\":0,\"delta\":{{\"content\":{text}}},\"logprobs\":null,\"finish_reason\":null}}]\
             {obfuscation}}}\n\n"
        )
    };
    let least = event("").len() - text.len() + delta + 2;
    event(&"7".repeat(EVENT - least))
}

/// Counts the annotations that are removed.
#[derive(Default)]
struct Strip {
    removed: usize,
}

impl Handler for Strip {
    fn annotation(&mut self, _: &BracketAnnotation<'_>) -> Replacement {
        self.removed += 1;
        Replacement::Remove
    }
}

impl StreamHandler for Strip {
    fn bytes(&mut self, bytes: &[u8]) {
        black_box(bytes);
    }
}

/// Pushes the events of a response into a rewriter, without an end.
pub(crate) fn feed(rewriter: &mut StreamRewriter, response: &Response, size: usize) {
    let mut strip = Strip::default();
    for piece in response.bytes.chunks(size) {
        rewriter.push(piece, &mut strip);
    }
}

/// Removes the annotations; checks that it finds them all.
fn strip(rewriter: &mut StreamRewriter, response: &Response, size: usize) -> usize {
    let mut strip = Strip::default();
    for piece in response.bytes.chunks(size) {
        rewriter.push(piece, &mut strip);
    }
    rewriter.finish(&mut strip);
    rewriter.reset();
    assert_eq!(strip.removed, response.annotations);
    strip.removed
}

/// A rewriter at the start of a stream.
pub(crate) fn rewriter() -> StreamRewriter {
    StreamRewriter::new(Format::OpenAiChat, Parser::new())
}

/// Does what the other side does; gives how many events there were.
fn beside(side: Side, response: &Response, size: usize, out: &mut Vec<u8>) -> usize {
    let mut events = 0;
    let mut decoder = SseDecoder::new();
    let mut take = |piece: SsePiece<'_>| {
        let SsePiece::Event(event) = piece else {
            return;
        };
        events += 1;
        match side {
            Side::Ignored => {
                let _ = black_box(serde_json::from_slice::<IgnoredAny>(event.data()));
            }
            Side::Tree => {
                let Ok(value) = serde_json::from_slice::<Value>(event.data()) else {
                    return;
                };
                out.clear();
                out.extend_from_slice(b"data: ");
                let _ = serde_json::to_writer(&mut *out, black_box(&value));
                out.extend_from_slice(b"\n\n");
                black_box(&out);
            }
        }
    };
    for piece in response.bytes.chunks(size) {
        decoder.push(piece, &mut take);
    }
    decoder.finish(&mut take);
    assert_eq!(events, response.events);
    events
}

/// The rows of the target, measured: all three sides in one run.
#[must_use]
pub(crate) fn rows(rounds: usize) -> Vec<Row> {
    let mut rows = Vec::new();
    for varies in [Varies::Text, Varies::Obfuscation] {
        for delta in DELTAS {
            let response = Response::new(delta, varies);
            for size in PIECES {
                rows.extend(cell(&response, (delta, varies, size), rounds));
            }
        }
    }
    rows
}

/// One stream in pieces of one size.
fn cell(
    response: &Response,
    (delta, varies, size): (usize, Varies, usize),
    rounds: usize,
) -> Vec<Row> {
    let len = response.bytes.len();
    let (mut rewriter, mut out) = (rewriter(), Vec::new());
    let mut works = [
        Work::new(len, || strip(&mut rewriter, response, size)),
        Work::new(len, || {
            beside(Side::Ignored, response, size, &mut Vec::new())
        }),
        Work::new(len, || beside(Side::Tree, response, size, &mut out)),
    ];
    let times = interleaved(rounds, &mut works);
    let rows = BESIDE
        .iter()
        .zip(&times[1..])
        .map(|((side, target), other)| {
            let name = match side {
                Side::Ignored => "SSE framing and `IgnoredAny` of each event",
                Side::Tree => "each event parsed to a `Value` and written again",
            };
            Row {
                number: NUMBER,
                work: format!("{varies}, {delta}-byte deltas, {size}-byte pieces: {name}"),
                target: *target,
                reached: times[0].times_as_fast_as(other),
                rate: times[0].rate(),
            }
        });
    rows.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_have_their_length() {
        for varies in [Varies::Text, Varies::Obfuscation] {
            for delta in DELTAS {
                let text = format!("\"{}\"", "x".repeat(delta));
                for number in 0..20 {
                    assert_eq!(event(&text, delta, varies, number).len(), EVENT);
                }
            }
        }
    }

    #[test]
    fn every_side_reads_every_event() {
        let response = Response::new(64, Varies::Obfuscation);
        assert!(response.annotations > 50);
        strip(&mut rewriter(), &response, 350);
        for side in [Side::Ignored, Side::Tree] {
            beside(side, &response, 1_400, &mut Vec::new());
        }
    }
}
