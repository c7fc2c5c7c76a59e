//! Made-up responses of sentences that each have a word of their own, as they are and with what no server should send.

use provstream_providers::Format;
use serde_json::json;

use super::generate::{Random, Sentences, Stream};

/// Members that are text in some format.
const TEXTS: [&str; 5] = ["content", "text", "delta", "response", "refusal"];

/// What shows another format, and perhaps has text of it.
const EVIDENCE: [(&str, &str); 9] = [
    ("type", r#""message""#),
    ("type", r#""content_block_delta""#),
    ("object", r#""response""#),
    ("event_type", r#""step.delta""#),
    ("done", "false"),
    ("stop", "false"),
    ("choices", "[]"),
    ("candidates", "[]"),
    ("parts", "[]"),
];

/// Texts of other formats.
const EVENTS: [&str; 6] = [
    r#"{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"@"}}"#,
    r#"{"type":"response.output_text.delta","output_index":1,"content_index":0,"delta":"@"}"#,
    r#"{"choices":[{"index":0,"delta":{"content":"@"}}]}"#,
    r#"{"candidates":[{"content":{"parts":[{"text":"@"}]}}]}"#,
    r#"{"type":"text-delta","id":"t0","delta":"@"}"#,
    r#"{"contentBlockDelta":{"contentBlockIndex":0,"delta":{"text":"@"}}}"#,
];

/// The words that name a sentence, such as `W12w`.
pub fn words(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|char: char| !char.is_ascii_alphanumeric());
    words.filter(|word| {
        let [first, digits @ .., last] = word.as_bytes() else {
            return false;
        };
        let is_number = !digits.is_empty() && digits.iter().all(u8::is_ascii_digit);
        is_number && b"WRPZ".contains(first) && first.to_ascii_lowercase() == *last
    })
}

fn stream_of<'r>(format: Format, random: &'r mut Random) -> Stream<'r> {
    let mut stream = Stream::new(random, Sentences::Numbered(0));
    stream.fill(format);
    stream
}

/// A response of sentences, of which a policy may withhold those with a word like `W12w`: they are annotated as inference.
pub fn sentences(format: Format, seed: u64) -> Vec<u8> {
    let mut random = Random::new(seed);
    stream_of(format, &mut random).join(format)
}

/// The same with strings beside the text that nobody can read, each with a word like `Z12z`: text of another shape than the
/// format's, members that the format does not have, members that come again; and with errors after the last text, so many.
pub fn with_unread(format: Format, seed: u64) -> (Vec<u8>, usize) {
    let mut random = Random::new(seed);
    let mut stream = stream_of(format, &mut random);
    let events = core::mem::take(&mut stream.events);
    let last = events
        .iter()
        .rposition(|event| texts_of(event).next().is_some());
    let mut errors = 0;
    for (number, event) in events.into_iter().enumerate() {
        let random = &mut *stream.random;
        let word = format!("Z{number}z");
        let mut also = None;
        let event = match random.below(8) {
            0 => {
                also = text_of(&event)
                    .map(|text| replaced(&event, text, &wrong_shape(format, random, &word)));
                event
            }
            1 => beside(&event, &word).unwrap_or(event),
            2 => twice(&event, &word).unwrap_or(event),
            _ => event,
        };
        if Some(number) > last && event != "[DONE]" && random.one_in(3) {
            errors += 1;
            also = Some(r#"{"error":{"message":"boom"}}"#.into());
        }
        stream.events.push(event);
        stream.events.extend(also);
    }
    (stream.join(format), errors)
}

/// A response that contradicts itself: events that show another format or are of one, text of other shapes, events that break off,
/// ends and errors anywhere. All text has words.
pub fn contradicting(format: Format, seed: u64) -> Vec<u8> {
    let mut random = Random::new(seed);
    let mut stream = stream_of(format, &mut random);
    let events = core::mem::take(&mut stream.events);
    // Before that, another format is found out, and what its clients do not read passes.
    let mut is_settled = false;
    for (number, event) in events.into_iter().enumerate() {
        let random = &mut *stream.random;
        let word = format!("Z{number}z");
        let mut before = None;
        let has_text = texts_of(&event).any(|text| text.len() > 2);
        let changed = match random.below(16) {
            0 => text_of(&event)
                .map(|text| replaced(&event, text, &wrong_shape(format, random, &word))),
            1 => beside(&event, &word),
            2 => twice(&event, &word),
            3 | 4 => {
                let (name, value) = random.pick(&EVIDENCE);
                event
                    .strip_prefix('{')
                    .map(|rest| format!("{{\"{name}\":{value},{rest}"))
            }
            5 if is_settled => {
                before = Some(random.pick(&EVENTS).replace('@', &word));
                Some(event.clone())
            }
            6 => {
                before = Some(r#"{"error":{"message":"boom"}}"#.into());
                Some(event.clone())
            }
            // An array that breaks off within an element is no JSON, and nothing of it is read.
            7 if format != Format::Gemini => Some(broken_off(&event, random)),
            _ => None,
        };
        is_settled |= changed.is_none() && has_text;
        let event = changed.unwrap_or(event);
        stream.events.extend(before);
        stream.events.push(event);
    }
    stream.join(format)
}

/// The text of an event that has one, as it is written there.
fn text_of(event: &str) -> Option<&str> {
    let mut texts = texts_of(event);
    texts.next().filter(|_| texts.next().is_none())
}

/// Returns the texts of an event, without tool calls, thoughts and special tokens.
fn texts_of(event: &str) -> impl Iterator<Item = &str> {
    let others = ["tool", "_call", "thought", "reasoning", "\"special\":true"];
    let has_text = !others.iter().any(|other| event.contains(other));
    let names = TEXTS.iter().filter(move |_| has_text);
    let starts = names.flat_map(move |name| {
        let places = event.match_indices(name);
        places.map(|(at, name)| at + name.len())
    });
    starts.filter_map(|at| {
        let rest = event[at..].strip_prefix("\":")?;
        let mut string = serde_json::Deserializer::from_str(rest).into_iter::<String>();
        string.next()?.ok()?;
        Some(&rest[..string.byte_offset()])
    })
}

fn replaced(event: &str, text: &str, by: &str) -> String {
    let start = text.as_ptr() as usize - event.as_ptr() as usize;
    format!("{}{by}{}", &event[..start], &event[start + text.len()..])
}

/// A value that the format does not have in the place of text.
fn wrong_shape(format: Format, random: &mut Random, word: &str) -> String {
    let shapes = [
        json!([[word]]),
        json!([[{"a": word}]]),
        json!(7),
        json!(true),
        json!({"value": word}),
        json!({"a": {"b": [word]}}),
    ];
    // An object is a chunk of a Mistral message that is not text.
    let count = match format {
        Format::MistralConversations => 4,
        _ => shapes.len(),
    };
    shapes[random.below(count)].to_string()
}

/// The event with a member beside its text that the format does not have. Without text, that would be the content.
fn beside(event: &str, word: &str) -> Option<String> {
    let text = text_of(event).filter(|text| text.len() > 2)?;
    Some(replaced(
        event,
        text,
        &format!(r#"{text},"novel":{{"a":["{word}"]}}"#),
    ))
}

/// The event with its text twice, of which the last counts.
fn twice(event: &str, word: &str) -> Option<String> {
    let text = text_of(event)?;
    let start = text.as_ptr() as usize - event.as_ptr() as usize;
    let name = event[..start].rsplit('"').nth(1)?;
    Some(replaced(
        event,
        text,
        &format!(r#""{word}","{name}":{text}"#),
    ))
}

/// The first bytes of an event.
fn broken_off(event: &str, random: &mut Random) -> String {
    let ends: Vec<usize> = (0..=event.len())
        .filter(|&end| event.is_char_boundary(end))
        .collect();
    event[..random.pick(&ends)].to_owned()
}
