//! Text that something else interrupts, such as a tool call: what is open in it is over, for all that read it.

use std::collections::BTreeMap;

use provstream::{Event, Handler, OwnedEvent, Parser};
use provstream_providers::{
    Channel, ChannelPosition, Decoder, Format, Item, ResponseParser, StreamGate, StreamHandler,
    StreamRewriter, WireEvent,
};
use serde_json::{Value, json};
use testkit::gate::policies::without;
use testkit::wire::fixtures::{SIZES, all};
use testkit::wire::oracle::events;
use testkit::wire::output::{Output, any};

/// The assertions and diagnostics of each channel, and what else the response has.
#[derive(Debug, Default, PartialEq)]
struct Seen {
    events: BTreeMap<Channel, Vec<OwnedEvent>>,
    items: Vec<String>,
}

impl Seen {
    fn add(&mut self, channel: Channel, event: Event<'_>) {
        if matches!(event, Event::Assertion(_) | Event::Diagnostic(_)) {
            let events = self.events.entry(channel).or_default();
            events.push(event.into_owned());
        }
    }

    fn add_item(&mut self, item: &Item<'_>) {
        // No handler takes the former two, and an event that has nothing else is then like any other.
        if !matches!(
            item,
            Item::Reasoning(_) | Item::ToolCall(_) | Item::Other(_)
        ) {
            self.items.push(format!("{item:?}"));
        }
    }

    /// Reports of the channels' parsers.
    fn parsed(stream: &[u8], size: usize) -> Self {
        let mut seen = Self::default();
        let mut parsers = ResponseParser::new(Decoder::detect(), Parser::new());
        let mut sink = |event: WireEvent<'_>| match event {
            WireEvent::Parsed(channel, event) => seen.add(channel, event),
            WireEvent::Item(item) => seen.add_item(&item),
            other => panic!("{other:?}"),
        };
        for chunk in stream.chunks(size) {
            parsers.push(chunk, &mut sink);
        }
        parsers.finish(&mut sink);
        seen
    }

    /// Reports of a rewriter.
    fn rewritten(stream: &[u8], size: usize) -> Self {
        let mut taker = Taker::default();
        let mut rewriter = StreamRewriter::detect(Parser::new());
        for chunk in stream.chunks(size) {
            rewriter.push(chunk, any(&mut taker));
        }
        rewriter.finish(any(&mut taker));
        taker.seen
    }
}

#[derive(Debug, Default)]
struct Taker {
    seen: Seen,
    channel: Channel,
}

impl Handler for Taker {
    fn event(&mut self, event: Event<'_>) {
        self.seen.add(self.channel, event);
    }
}

impl StreamHandler for Taker {
    fn channel(&mut self, position: ChannelPosition) {
        self.channel = position.channel;
    }

    fn item(&mut self, item: Item<'_>) {
        self.seen.add_item(&item);
    }
}

fn sse(events: &[&str]) -> Vec<u8> {
    let events = events.iter().map(|event| format!("data: {event}\n\n"));
    events.collect::<String>().into_bytes()
}

/// For each format in which something can interrupt a text, such a text: an assertion waits for a further annotation, which
/// comes after the tool call.
fn interrupted() -> Vec<Vec<u8>> {
    let chat = sse(&[
        r#"{"choices":[{"index":0,"delta":{"role":"assistant","content":"A. [substrate.grep]"}}]}"#,
        r#"{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"name":"f","arguments":""}}]}}]}"#,
        r#"{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{}"}}]}}]}"#,
        r#"{"choices":[{"index":0,"delta":{"content":" [substrate.git.log] B."}}]}"#,
        "[DONE]",
    ]);
    let gemini = sse(&[
        r#"{"candidates":[{"content":{"parts":[{"text":"A. [substrate.grep]"},{"functionCall":{"name":"f"}},{"text":" [substrate.git.log] B. [subst"},{"functionCall":{"name":"g"}},{"text":"rate.grep]"}]},"index":0}]}"#,
    ]);
    let anthropic = sse(&[
        r#"{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}"#,
        r#"{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"A. [substrate.grep]"}}"#,
        r#"{"type":"content_block_stop","index":0}"#,
        r#"{"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"t","name":"f","input":{}}}"#,
        r#"{"type":"content_block_stop","index":1}"#,
        r#"{"type":"content_block_start","index":2,"content_block":{"type":"text","text":" [substrate.git.log] B."}}"#,
        r#"{"type":"content_block_stop","index":2}"#,
        r#"{"type":"message_stop"}"#,
    ]);
    let vercel = sse(&[
        r#"{"type":"text-start","id":"a"}"#,
        r#"{"type":"text-delta","id":"a","delta":"A. [substrate.grep]"}"#,
        r#"{"type":"tool-input-start","toolCallId":"t","toolName":"f"}"#,
        r#"{"type":"text-delta","id":"b","delta":" [substrate.git.log] B."}"#,
        "[DONE]",
    ]);
    let ollama = br#"{"message":{"content":"A. [substrate.grep]"},"done":false}
{"message":{"content":"","tool_calls":[{"function":{"name":"f","arguments":{}}}]},"done":false}
{"message":{"content":" [substrate.git.log] B."},"done":true}
"#;
    vec![chat, gemini, anthropic, vercel, ollama.to_vec()]
}

#[test]
fn parsers_report_what_a_rewriter_reports() {
    let mut streams: Vec<Vec<u8>> = all().into_iter().map(|fixture| fixture.bytes).collect();
    streams.extend(interrupted());
    for stream in streams {
        let head = String::from_utf8_lossy(&stream[..stream.len().min(120)]).into_owned();
        for size in SIZES {
            let (parsed, rewritten) = (Seen::parsed(&stream, size), Seen::rewritten(&stream, size));
            assert_eq!(parsed, rewritten, "{head} by {size}");
        }
    }
}

#[test]
fn a_tool_call_ends_what_is_open_in_the_text() {
    for stream in interrupted() {
        let seen = Seen::parsed(&stream, 7);
        let events = &seen.events[&Channel::default()];
        let annotations = events.iter().filter_map(|event| match event {
            Event::Assertion(assertion) => Some(assertion.annotations().count()),
            _ => None,
        });
        // The second has no assertion before it.
        assert_eq!(annotations.collect::<Vec<_>>(), [1, 1], "{seen:?}");
        let breaks = seen.items.iter().filter(|item| item.starts_with("Break"));
        let expected = 1 + usize::from(stream.starts_with(br#"data: {"candidates"#));
        assert_eq!(breaks.count(), expected, "{seen:?}");
    }
}

/// Half of a character before a tool call has no other half after it.
#[test]
fn a_lone_surrogate_before_a_tool_call_is_a_replacement_character() {
    let stream = sse(&[
        r#"{"choices":[{"index":0,"delta":{"content":"A \ud83d"}}]}"#,
        r#"{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{}"}}]}}]}"#,
        r#"{"choices":[{"index":0,"delta":{"content":"\ude00 B"}}]}"#,
    ]);
    let mut text = String::new();
    let mut decoder = Decoder::detect();
    let mut sink = |item: Item<'_>| {
        if let Item::Text(delta) = item {
            text.push_str(delta.text());
        }
    };
    decoder.push(&stream, &mut sink);
    decoder.finish(&mut sink);
    assert_eq!(text, "A \u{FFFD}\u{FFFD} B");
}

/// The text parts that a client of a UI message stream shows: each `text-start` begins one, to which the deltas with its identifier
/// are added until another one has it.
fn ui_parts(out: &[u8]) -> Vec<String> {
    let mut parts = Vec::new();
    let mut open = BTreeMap::new();
    for event in events(out) {
        let id = event["id"].as_str().unwrap_or_default().to_owned();
        match event["type"].as_str().expect("a type") {
            "text-start" => {
                open.insert(id, parts.len());
                parts.push(String::new());
            }
            "text-delta" => parts[open[&id]] += event["delta"].as_str().expect("text"),
            "text-end" => drop(open.remove(&id)),
            _ => {}
        }
    }
    parts
}

#[test]
fn a_part_of_a_ui_message_that_begins_again_is_the_next_part() {
    let ui = |events: &[(&str, &str)]| {
        let events = events.iter().map(|(part, text)| match *text {
            "<" => json!({"type": "text-start", "id": part}),
            ">" => json!({"type": "text-end", "id": part}),
            text => json!({"type": "text-delta", "id": part, "delta": text}),
        });
        let events = events.map(|event| format!("data: {event}\n\n"));
        events.collect::<String>()
    };
    for (stream, clean, released) in [
        (
            &[
                ("a", "<"),
                ("a", "It is [sub"),
                ("a", "<"),
                ("a", "x] so."),
                ("a", ">"),
            ][..],
            &["It is [sub", "x] so."][..],
            &["It is [sub", "x] so."][..],
        ),
        (
            &[
                ("a", "<"),
                ("a", "A ж. [sub"),
                ("a", "<"),
                ("a", "strate.grep] B."),
            ],
            &["A ж.", " B."],
            &["", "B."],
        ),
        (
            &[
                ("a", "<"),
                ("a", "A ж."),
                ("a", "<"),
                ("a", "<"),
                ("a", " [substrate.grep] B."),
                ("a", ">"),
            ],
            &["A ж.", "", " B."],
            &["", "", "B."],
        ),
        (
            &[
                ("a", "<"),
                ("a", "A. [sub"),
                ("b", "<"),
                ("b", "B ж. [sub"),
                ("a", "<"),
                ("a", "x] C."),
                ("b", "strate.grep] D."),
                ("a", ">"),
                ("b", ">"),
            ],
            &["A. [sub", "B ж. D.", "x] C."],
            &["A. [sub", "D.", "x] C."],
        ),
    ] {
        let stream = ui(stream);
        for size in [1, 7, usize::MAX] {
            let mut out = Vec::new();
            let mut rewriter = StreamRewriter::new(Format::VercelUi, Parser::new());
            for chunk in stream.as_bytes().chunks(size) {
                rewriter.push(chunk, Output(&mut out));
            }
            rewriter.finish(Output(&mut out));
            assert_eq!(ui_parts(&out), clean, "{stream}");
            let mut out = Vec::new();
            let mut gate = StreamGate::new(Format::VercelUi, Parser::new(), without("ж"));
            for chunk in stream.as_bytes().chunks(size) {
                gate.push(chunk, Output(&mut out));
            }
            gate.finish(Output(&mut out));
            assert_eq!(ui_parts(&out), released, "{stream}");
        }
    }
}

/// Events of a UI message stream, and whether each is a break.
fn ui_events() -> Vec<(Value, bool)> {
    vec![
        (json!({"type": "data-x", "data": {}}), false),
        (
            json!({"type": "data-x", "id": "d", "data": {}, "transient": false}),
            false,
        ),
        (
            json!({"type": "data-x", "data": {}, "transient": true}),
            false,
        ),
        (
            json!({"type": "source-url", "sourceId": "s", "url": "u"}),
            true,
        ),
        (
            json!({"type": "source-document", "sourceId": "s", "mediaType": "m", "title": "t"}),
            true,
        ),
        (json!({"type": "file", "url": "u", "mediaType": "m"}), true),
        (json!({"type": "reasoning-start", "id": "r"}), true),
        (
            json!({"type": "reasoning-delta", "id": "r", "delta": "x"}),
            true,
        ),
        (
            json!({"type": "tool-input-start", "toolCallId": "c", "toolName": "f"}),
            true,
        ),
        (
            json!({"type": "tool-input-available", "toolCallId": "c", "toolName": "f", "input": {}}),
            true,
        ),
        (
            json!({"type": "tool-input-error", "toolCallId": "c", "toolName": "f", "input": {}, "errorText": "e"}),
            true,
        ),
        (
            json!({"type": "tool-input-delta", "toolCallId": "c", "inputTextDelta": "{}"}),
            true,
        ),
        (
            json!({"type": "tool-output-available", "toolCallId": "c", "output": {}}),
            true,
        ),
        (
            json!({"type": "tool-output-error", "toolCallId": "c", "errorText": "e"}),
            true,
        ),
        (
            json!({"type": "tool-output-denied", "toolCallId": "c"}),
            true,
        ),
        (
            json!({"type": "tool-approval-request", "toolCallId": "c", "approvalId": "a"}),
            true,
        ),
        (json!({"type": "start-step"}), false),
        (
            json!({"type": "message-metadata", "messageMetadata": {}}),
            false,
        ),
        (json!({"type": "new-part"}), true),
    ]
}

#[test]
fn each_event_of_a_ui_message_is_a_break_or_not() {
    for (event, is_break) in ui_events() {
        let delta = |text: &str| json!({"type": "text-delta", "id": "a", "delta": text});
        let all = [
            json!({"type": "text-start", "id": "a"}),
            delta("A ж."),
            event.clone(),
            delta(" [substrate.grep] B."),
        ];
        let stream: String = all
            .iter()
            .map(|event| format!("data: {event}\n\n"))
            .collect();
        let mut out = Vec::new();
        let mut gate = StreamGate::new(Format::VercelUi, Parser::new(), without("ж"));
        gate.push(stream.as_bytes(), Output(&mut out));
        gate.finish(Output(&mut out));
        let text = ui_parts(&out).concat();
        assert_eq!(text, if is_break { "A ж. B." } else { "B." }, "{event}");
    }
}
