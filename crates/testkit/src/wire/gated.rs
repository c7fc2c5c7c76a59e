//! Naive oracle for the text that a client reads from a gated response.

use provstream_providers::Format;
use serde_json::Value;

use super::oracle::{Client, events};
use super::within_words::{WithheldWords, differs_within_words};
use crate::gate::naive::{Drawn, gate_from, withheld};
use crate::gate::pieces::Short;
use crate::gate::spacing::{Unjoined, joined};
use crate::reference::{Reading, RefLimits, RefMode, Segment};

/// Computes the output of a gate for a whole text.
pub fn gated(text: &str, policy: Drawn) -> String {
    segments(&[text.to_owned()], policy).concat()
}

/// Computes the output of a gate for each segment of a text.
fn segments(texts: &[String], policy: Drawn) -> Vec<String> {
    let (mut start, mut is_over, mut out) = (0, false, Vec::new());
    for text in texts {
        let (written, ends) = segment(text, policy, start);
        start += text.len() as u64;
        out.push(if is_over {
            Unjoined::default()
        } else {
            written
        });
        is_over |= ends;
    }
    let texts = joined(&out).into_iter();
    texts
        .map(|text| String::from_utf8(text).expect("UTF-8"))
        .collect()
}

/// Computes the output of a gate for a segment of a text that begins at offset `start`, and whether
/// the gate ends the text there.
fn segment(text: &str, policy: Drawn, start: u64) -> (Unjoined, bool) {
    let (written, end) = gate_from(&alone(text), &RefLimits::default(), policy, start);
    (written, end.is_some())
}

/// A segment as an input of its own.
fn alone(text: &str) -> Short {
    Short {
        reading: Reading::new(RefMode::Auto),
        input: vec![Segment {
            own: true,
            bytes: text.as_bytes().to_vec(),
            after_break: false,
        }],
    }
}

/// Lists the words that a gate withholds from a text.
fn withheld_words(name: &str, texts: &[String], policy: Drawn) -> Vec<WithheldWords> {
    let (mut start, mut all) = (0, Vec::new());
    for text in texts {
        let found = withheld(&alone(text), &RefLimits::default(), policy, start);
        start += text.len() as u64;
        all.extend(found.into_iter().map(|(words, by)| WithheldWords {
            text: name.to_owned(),
            words,
            by,
        }));
    }
    all
}

/// Extracts the channel from the name of a text.
fn channel(name: &str) -> &str {
    name.split(' ').next().unwrap_or_default()
}

/// Expected view of a client on a gated response.
#[derive(Clone, Debug)]
pub struct Expected {
    format: Format,
    client: Client,
    notes: Vec<Note>,
    withheld: Vec<WithheldWords>,
    /// Number of text segments that the gate changes.
    pub changed: usize,
}

impl Expected {
    /// Computes the expectation for a response and a policy.
    pub fn of(format: Format, stream: &[u8], policy: Drawn) -> Self {
        let mut client = Client::of(format, stream);
        let (mut changed, mut withheld) = (0, Vec::new());
        for (name, texts) in &mut client.segments {
            withheld.extend(withheld_words(name, texts, policy));
            let out = segments(texts, policy);
            changed += texts
                .iter()
                .zip(&out)
                .filter(|(text, out)| text != out)
                .count();
            *texts = out;
        }
        for text in &mut client.repeats {
            *text = gated(text, policy);
        }
        client.settle();
        Self {
            format,
            client,
            notes: notes(stream),
            withheld,
            changed,
        }
    }

    /// Accepts that a member lacks words, within longer words, that were withheld from another member of its channel.
    fn accept_within_words(&self, found: &Client, expected: &mut Client) {
        for (name, segments) in &mut expected.segments {
            let is_beside = |words: &&WithheldWords| {
                words.text != *name && channel(&words.text) == channel(name)
            };
            let withheld: Vec<_> = self.withheld.iter().filter(is_beside).collect();
            let found = found.segments.get(name).into_iter().flatten();
            for (expected, found) in segments.iter_mut().zip(found) {
                if differs_within_words(expected, found, &withheld) {
                    expected.clone_from(found);
                }
            }
        }
        expected.settle();
    }

    /// Returns `true` if a text of the client contains the character `part`.
    pub fn has(&self, part: char) -> bool {
        let mut texts = self.client.texts.values().chain(&self.client.repeats);
        texts.any(|text| text.contains(part))
    }

    /// Returns `true` if the letters and digits of each text of `found` are expected there, in this order, or once more: its end may
    /// read like a copy of all of it. A copy, and another member of its choice, may repeat the refusal.
    fn has_less(&self, found: &Client) -> bool {
        let letters = |text: &str| -> Vec<char> {
            let is_letter = |of: &char| of.is_alphanumeric();
            text.chars().filter(is_letter).collect()
        };
        found.texts.iter().all(|(name, text)| {
            let expected = self.client.texts.get(name).map_or("", |expected| expected);
            let (expected, found) = (letters(expected), letters(&text.replace("no\t", "")));
            let mut rest = expected.iter();
            let is_less = found.iter().all(|letter| rest.any(|of| of == letter));
            is_less || found == expected.repeat(2)
        })
    }

    /// Asserts that the client reads the expected texts from the gated response `out`, or less of them: if a text may have the words
    /// of another one that are withheld, a gate withholds more than it must. Returns `true` if the texts are the expected ones.
    pub fn check(&self, out: &[u8]) -> bool {
        let mut expected = self.client.clone();
        let found = Client::of(self.format, out);
        // All text that was late may be withheld.
        assert!(!found.is_late || expected.is_late, "late text");
        assert!(
            !found.text_after_tool || expected.text_after_tool,
            "text after a tool call"
        );
        expected.is_late = found.is_late;
        expected.text_after_tool = found.text_after_tool;
        // A passage that is cited may be withheld; where offsets then point has tests of its own.
        expected.cited.clone_from(&found.cited);
        if found.segments != expected.segments {
            self.accept_within_words(&found, &mut expected);
        }
        let is_exact = found.segments == expected.segments;
        if !is_exact && self.has_less(&found) {
            expected.segments.clone_from(&found.segments);
            expected.settle();
        }
        assert_eq!(found, expected, "{}", String::from_utf8_lossy(out));
        // Every event is there, in the order of its choice, but those of a block that has lost all its text.
        let mut found = notes(out).into_iter().map(|note| note.number).peekable();
        for Note { number, may_go, .. } in &self.notes {
            match found.next_if_eq(number) {
                Some(_) => {}
                None => assert!(may_go, "event {number} is missing"),
            }
        }
        assert_eq!(found.next(), None, "an event is added twice");
        is_exact
    }
}

/// Event with a number.
#[derive(Clone, Debug)]
struct Note {
    number: u64,
    /// Index of its only choice.
    choice: Option<u64>,
    /// A gate may remove the event.
    may_go: bool,
}

/// Lists the events with a number, those of each choice in their order.
fn notes(stream: &[u8]) -> Vec<Note> {
    let is_of_block = |event: &Value| {
        let kind = event["type"].as_str().unwrap_or_default();
        kind.starts_with("content_block")
            || event.get("contentBlockDelta").is_some()
            || event.get("contentBlockStop").is_some()
    };
    let note = |event: &Value| {
        let choice = match event["choices"].as_array().map(Vec::as_slice) {
            Some([choice]) => choice["index"].as_u64(),
            _ => None,
        };
        Some(Note {
            number: event.get("note")?.as_u64()?,
            choice,
            may_go: is_of_block(event),
        })
    };
    let mut notes: Vec<_> = events(stream).iter().filter_map(note).collect();
    notes.sort_by_key(|note| note.choice);
    notes
}
