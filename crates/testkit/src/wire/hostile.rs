//! Generator of responses whose sentences each have a word of their own, intact or with content
//! that no server should send.

use provstream_providers::Format;
use serde_json::json;

use super::generate::{Random, SOURCES, Sentences, Stream};
use super::oracle::{Client, clean};
use crate::reference::dialects::{BUILT_IN, Dialects, Known, With, read};
use crate::reference::{Reading, RefLimits, Segment};
use crate::sentence;

/// Members that hold text in at least one format.
const TEXTS: [&str; 5] = ["content", "text", "delta", "response", "refusal"];

/// Members that have words or numbers in each format that has them.
const NOT_TEXT: [&str; 14] = [
    "content_index",
    "contentBlockIndex",
    "created",
    "created_at",
    "done",
    "event_type",
    "finish_reason",
    "index",
    "item_id",
    "object",
    "output_index",
    "role",
    "stop",
    "type",
];

/// Members that are evidence of another format, or of another kind of text.
const EVIDENCE: [(&str, &str); 12] = [
    ("part", r#"{"type":"reasoning_text"}"#),
    ("item", r#"{"type":"reasoning"}"#),
    ("object", r#""x_call""#),
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

/// Text events of several formats; `@` stands for the text.
const EVENTS: [&str; 6] = [
    r#"{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"@"}}"#,
    r#"{"type":"response.output_text.delta","output_index":1,"content_index":0,"delta":"@"}"#,
    r#"{"choices":[{"index":0,"delta":{"content":"@"}}]}"#,
    r#"{"candidates":[{"content":{"parts":[{"text":"@"}]}}]}"#,
    r#"{"type":"text-delta","id":"t0","delta":"@"}"#,
    r#"{"contentBlockDelta":{"contentBlockIndex":0,"delta":{"text":"@"}}}"#,
];

/// Notations in which sentences state their provenance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Notation {
    /// Annotations in brackets.
    Annotations,
    /// Markers of the built-in dialects, with [`SOURCES`].
    Markers,
}

impl Notation {
    const fn sentences(self) -> Sentences {
        match self {
            Self::Annotations => Sentences::Numbered(0),
            Self::Markers => Sentences::NumberedCited(0),
        }
    }

    /// Removes the annotations and markers of a text.
    pub fn clean(self, text: &str) -> String {
        match self {
            Self::Annotations => clean(text),
            Self::Markers => without_markers(text),
        }
    }
}

/// A whole text without its annotations and markers, by the naive reference.
fn without_markers(text: &str) -> String {
    let input = [Segment {
        own: true,
        bytes: text.as_bytes().to_vec(),
        after_break: false,
    }];
    let with = With {
        dialects: &Dialects::built_in(&BUILT_IN),
        known: &Known::Complete(SOURCES.map(str::to_owned).to_vec()),
    };
    let limits = RefLimits::default();
    let read = read(Reading::TEXT, &input, &limits, with, &sentence::starts);
    String::from_utf8(read.clean).expect("UTF-8")
}

/// Iterates over the words that identify sentences, such as `W12w`.
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

fn stream_of<'r>((format, notation): (Format, Notation), random: &'r mut Random) -> Stream<'r> {
    let mut stream = Stream::new(random, notation.sentences());
    stream.fill(format);
    stream
}

/// Generates a response of sentences. Those with a word like `W12w` are annotated as inference or
/// cite an unknown source, so a policy may withhold them.
pub fn sentences(format: (Format, Notation), random: &mut Random) -> Vec<u8> {
    stream_of(format, random).join(format.0)
}

/// Generates a response of sentences with strings beside the text that no client can read, each
/// with a word like `Z12z`: text of the wrong shape, members unknown to the format, repeated
/// members. Returns it with the number of errors added after the last text.
pub fn with_unread(
    (format, notation): (Format, Notation),
    random: &mut Random,
) -> (Vec<u8>, usize) {
    let mut stream = stream_of((format, notation), random);
    let events = core::mem::take(&mut stream.events);
    let last = events
        .iter()
        .rposition(|event| texts_of(event).next().is_some());
    let mut errors = 0;
    for (number, event) in events.into_iter().enumerate() {
        let random = &mut *stream.random;
        let word = format!("Z{number}z");
        let mut also = None;
        let event = match random.below(10) {
            0 => {
                also = text_of(&event)
                    .map(|text| replaced(&event, text, &wrong_shape(format, random, &word)));
                event
            }
            1 => beside(&event, &word).unwrap_or(event),
            2 => twice(&event, &word).unwrap_or(event),
            3 | 4 => wrong_first(&event, random, &word).unwrap_or(event),
            5 => escaped(&event, random).unwrap_or(event),
            _ => event,
        };
        if Some(number) > last && event != "[DONE]" && random.one_in(3) {
            errors += 1;
            also = Some(random.pick(errors_of(format)).into());
        }
        stream.events.push(event);
        stream.events.extend(also);
    }
    (stream.join(format), errors)
}

/// Generates a response of sentences with copies of the texts so far, without annotations and markers: under
/// their own numbers or others, at ends and before them. Some of those under their own numbers have
/// other words.
pub fn with_copies((format, notation): (Format, Notation), random: &mut Random) -> Vec<u8> {
    let mut stream = stream_of((format, notation), random);
    let mut so_far = String::new();
    for event in core::mem::take(&mut stream.events) {
        let random = &mut *stream.random;
        so_far += &format!("data: {event}\n\n");
        stream.events.push(event);
        let kinds = copies_of(format);
        if kinds.is_empty() || !random.one_in(6) {
            continue;
        }
        let texts: Vec<_> = Client::of(format, so_far.as_bytes())
            .texts
            .into_iter()
            .collect();
        let Some((name, text)) = texts.get(random.below(texts.len())) else {
            continue;
        };
        let index: usize = name
            .split(['/', ' '])
            .next()
            .and_then(|index| index.parse().ok())
            .unwrap_or(0);
        let (own, kind) = (random.one_in(2), random.pick(kinds));
        // These end the text for certain.
        let ends = kind.contains("part.done") || kind.contains("item.done");
        let is_own = own && !name.contains(' ') && kind.contains('#') && !ends;
        let text = match kind.contains('#') {
            true => copied(random, notation, text),
            false => notation.clean(text),
        };
        let number = if is_own { index } else { index + 5 };
        let copy = kind
            .replace('#', &number.to_string())
            .replace('@', &content(&text));
        stream.events.push(copy);
    }
    stream.join(format)
}

/// Generates a response of sentences without deltas, in formats that have whole texts in a stream: each text comes as a
/// whole, once or several times, and then without annotations and markers. Also returns the texts.
pub fn wholes(
    (format, notation): (Format, Notation),
    random: &mut Random,
) -> Option<(Vec<u8>, Vec<String>)> {
    let kind = random.pick(copies_of(format).get(..2)?);
    let stream = sentences((format, notation), random);
    let texts: Vec<String> = Client::of(format, &stream).texts.into_values().collect();
    let mut stream = Stream::new(random, notation.sentences());
    for (number, text) in texts.iter().enumerate().take(3) {
        let random = &mut *stream.random;
        let whole = |text: &str| {
            kind.replace('#', &number.to_string())
                .replace('@', &content(text))
        };
        let mut events = vec![whole(text)];
        for _ in 0..random.below(3) {
            let copy = copied(random, notation, text);
            events.push(whole(&copy));
        }
        stream.events.extend(events);
    }
    let texts = texts.into_iter().take(3).collect();
    Some((stream.join(format), texts))
}

/// Content of the JSON string of a text.
fn content(text: &str) -> String {
    let string = json!(text).to_string();
    string[1..string.len() - 1].to_owned()
}

/// A text without annotations and markers, perhaps with other words or with its sentences in another order.
fn copied(random: &mut Random, notation: Notation, text: &str) -> String {
    let text = notation.clean(text);
    match random.below(6) {
        0 => text.replace(" is so.", "  is so!"),
        1 => {
            let sentences: Vec<&str> = text.split_inclusive(". ").collect();
            sentences.into_iter().rev().collect()
        }
        2 => text.split_inclusive(". ").skip(1).collect(),
        _ => text,
    }
}

/// Returns events that repeat the text so far, `@`, under the number `#`, or under another number
/// than that of the text.
const fn copies_of(format: Format) -> &'static [&'static str] {
    match format {
        Format::OpenAiChat => &[
            r##"{"choices":[{"index":#,"delta":{},"message":{"content":"@"}}]}"##,
            r##"{"choices":[{"index":#,"delta":{},"message":{"content":"@"},"finish_reason":"stop"}]}"##,
        ],
        Format::OpenAiResponses => &[
            r##"{"type":"response.output_text.done","output_index":#,"content_index":0,"text":"@"}"##,
            r##"{"type":"response.content_part.done","output_index":#,"content_index":0,"part":{"type":"output_text","text":"@"}}"##,
            r##"{"type":"response.output_item.done","output_index":#,"item":{"type":"message","content":[{"type":"output_text","text":"@"}]}}"##,
            r##"{"type":"response.in_progress","response":{"output":[{"type":"message","content":[{"type":"output_text","text":"@"}]}]}}"##,
        ],
        Format::Tgi => &[r##"{"token":{"id":2,"text":"","special":true},"generated_text":"@"}"##],
        Format::GeminiInteractions => &[
            r##"{"event_type":"interaction.status_update","interaction":{"steps":[{"type":"model_output","content":[{"type":"text","text":"@"}]}]}}"##,
        ],
        _ => &[],
    }
}

/// Returns errors with the word `boom`, as servers of the format write them.
const fn errors_of(format: Format) -> &'static [&'static str] {
    match format {
        // Their events may be lines of JSON, or elements of an array.
        Format::Ollama | Format::Gemini => &[r#"{"error":{"message":"boom"}}"#],
        Format::BedrockConverse => &[
            r#"{"error":{"message":"boom"}}"#,
            r#"{"internalServerException":{},"p":"boom"}"#,
            r#"{"modelTimeoutException":{"message":"boom"}}"#,
        ],
        Format::OpenAiChat => &[
            r#"{"error":{"message":"boom"}}"#,
            r#"{"object":"error","message":"boom","code":400}"#,
            r#"{"detail":"boom"}"#,
            "event: error\ndata: {\"detail\":\"boom\"}",
        ],
        Format::GeminiInteractions => &[
            r#"{"error":{"message":"boom"}}"#,
            r#"{"event_type":"interaction.failed","id":"boom"}"#,
            "event: error\nid: boom",
        ],
        _ => &[
            r#"{"error":{"message":"boom"}}"#,
            r#"error: {"code":500,"message":"boom"}"#,
            "event: error\nid: boom",
            "event: error\nid: boom\ndata:",
            "event: error\ndata: {\"code\":\"X\",\"message\":\"boom\"}",
        ],
    }
}

/// Generates a contradictory response: with evidence or events of another format, text of the wrong
/// shape, truncated events, and errors and ends at any place. All text has words.
pub fn contradicting((format, notation): (Format, Notation), random: &mut Random) -> Vec<u8> {
    let mut stream = stream_of((format, notation), random);
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
            8 => escaped(&event, random),
            _ => None,
        };
        is_settled |= changed.is_none() && has_text;
        let event = changed.unwrap_or(event);
        stream.events.extend(before);
        stream.events.push(event);
    }
    stream.join(format)
}

/// Finds the JSON string of an event that has exactly one text.
fn text_of(event: &str) -> Option<&str> {
    let mut texts = texts_of(event);
    texts.next().filter(|_| texts.next().is_none())
}

/// Finds the JSON strings with text of an event, except in tool calls, thoughts and special tokens.
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

/// Draws a value with a shape that text of the format does not have.
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

/// Adds a member unknown to the format beside the text of an event; `None` if the event has no
/// text, since the member could then be read as content.
fn beside(event: &str, word: &str) -> Option<String> {
    let text = text_of(event).filter(|text| text.len() > 2)?;
    Some(replaced(
        event,
        text,
        &format!(r#"{text},"novel":{{"a":["{word}"]}}"#),
    ))
}

/// Repeats the text member of an event, of which the last one counts.
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

/// Escapes the first letter of a member's name, or of a kind.
fn escaped(event: &str, random: &mut Random) -> Option<String> {
    let names = NOT_TEXT.iter().chain(&TEXTS);
    let names = names.flat_map(|name| {
        let places = event.match_indices(&**name);
        let is_name =
            |at: &usize| event[..*at].ends_with('"') && event[at + name.len()..].starts_with("\":");
        places.map(|(at, _)| at).filter(is_name)
    });
    let kind = "\"type\":\"";
    let kinds = event.match_indices(kind).map(|(at, _)| at + kind.len());
    let places: Vec<usize> = names.chain(kinds).collect();
    let at = *places.get(random.below(places.len().max(1)))?;
    let letter = event.as_bytes()[at];
    Some(format!(
        "{}\\u{letter:04x}{}",
        &event[..at],
        &event[at + 1..]
    ))
}

/// Inserts text before a member of another kind (`id`, `type`), under the same name. The last one counts.
fn wrong_first(event: &str, random: &mut Random, word: &str) -> Option<String> {
    text_of(event)?;
    let named = |name: &&str| event.contains(&format!("\"{name}\":"));
    let names: Vec<&str> = NOT_TEXT.iter().copied().filter(named).collect();
    let name = names.get(random.below(names.len()))?;
    let wrong = random.pick(&[
        r#""It is @ so.""#,
        r#"{"text":"It is @ so."}"#,
        r#"["It is @ so."]"#,
        r#"[{"type":"text","text":"It is @ so."}]"#,
    ]);
    let wrong = format!("\"{name}\":{},\"{name}\":", wrong.replace('@', word));
    Some(event.replacen(&format!("\"{name}\":"), &wrong, 1))
}

/// Truncates an event at a random position.
fn broken_off(event: &str, random: &mut Random) -> String {
    let ends: Vec<usize> = (0..=event.len())
        .filter(|&end| event.is_char_boundary(end))
        .collect();
    event[..random.pick(&ends)].to_owned()
}
