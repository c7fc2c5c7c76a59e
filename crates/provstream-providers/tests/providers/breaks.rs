//! Text that something else interrupts, such as a tool call: what is open in it is over, for all that read it.

use std::collections::BTreeMap;

use provstream::{Event, Handler, OwnedEvent, Parser};
use provstream_providers::{
    Channel, ChannelPosition, Decoder, Item, ResponseParser, StreamHandler, StreamRewriter,
    WireEvent,
};
use testkit::wire::fixtures::{SIZES, all};

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

    /// What parsers of the channels report.
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

    /// What a rewriter reports.
    fn rewritten(stream: &[u8], size: usize) -> Self {
        let mut taker = Taker::default();
        let mut rewriter = StreamRewriter::detect(Parser::new());
        for chunk in stream.chunks(size) {
            rewriter.push(chunk, &mut taker);
        }
        rewriter.finish(&mut taker);
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
