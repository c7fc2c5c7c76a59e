//! The stream rewriter: what it changes, what it leaves, and that a client reads the result.

use std::collections::BTreeMap;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use provstream::{BracketAnnotation, Event, Parser, Replacement, Rewriter};
use provstream_providers::{Channel, Decoder, Format, Item, Place, StreamRewriter, StreamSink};
use serde_json::Value;
use testkit::wire::fixtures::{Fixture, Read, SIZES, all, own};
use testkit::wire::text::apart;

/// The stream without its annotations, read in chunks of this size.
fn strip(rewriter: &StreamRewriter, stream: &[u8], size: usize) -> Vec<u8> {
    let mut rewriter = rewriter.clone();
    let mut out = Vec::new();
    for chunk in stream.chunks(size.max(1)) {
        rewriter.push(chunk, &mut |bytes: &[u8]| out.extend_from_slice(bytes));
    }
    rewriter.finish(&mut |bytes: &[u8]| out.extend_from_slice(bytes));
    out
}

fn strip_all(format: Format, stream: &[u8]) -> String {
    let rewriter = StreamRewriter::new(format, Parser::new());
    let whole = strip(&rewriter, stream, usize::MAX);
    for size in [1, 5, 32] {
        assert_eq!(strip(&rewriter, stream, size), whole, "by {size}");
    }
    String::from_utf8(whole).expect("UTF-8")
}

/// A text without its annotations.
fn clean(text: &str) -> String {
    let mut out = Vec::new();
    let mut rewriter = Rewriter::new(Parser::new());
    rewriter.push(text.as_bytes(), &mut out);
    rewriter.finish(&mut out);
    String::from_utf8(out).expect("UTF-8")
}

fn clean_texts(texts: &BTreeMap<Channel, String>) -> BTreeMap<Channel, String> {
    let cleaned = texts.iter().map(|(channel, text)| (*channel, clean(text)));
    cleaned.filter(|(_, text)| !text.is_empty()).collect()
}

#[test]
fn a_client_reads_exactly_the_stripped_text_of_every_channel() {
    for fixture in all() {
        let expected = clean_texts(&fixture.texts);
        let before = Read::of(Decoder::new(fixture.format), &fixture.bytes, usize::MAX);
        for rewriter in [
            StreamRewriter::new(fixture.format, Parser::new()),
            StreamRewriter::detect(Parser::new()),
        ] {
            for size in SIZES {
                let out = strip(&rewriter, &fixture.bytes, size);
                let read = Read::of(Decoder::new(fixture.format), &out, usize::MAX);
                assert_eq!(read.texts, expected, "{} by {size}", fixture.name);
                assert_eq!(read.reasoning, before.reasoning, "{}", fixture.name);
                assert_eq!(read.tool_calls, before.tool_calls, "{}", fixture.name);
                assert_eq!(read.rest, before.rest, "{}", fixture.name);
            }
        }
    }
}

#[test]
fn the_output_is_the_same_at_every_chunk_size() {
    for fixture in own() {
        let rewriter = StreamRewriter::detect(Parser::new());
        let whole = strip(&rewriter, &fixture.bytes, usize::MAX);
        for size in 1..=80 {
            assert_eq!(
                strip(&rewriter, &fixture.bytes, size),
                whole,
                "{} by {size}",
                fixture.name
            );
        }
    }
}

#[test]
fn a_stream_without_annotations_comes_out_byte_for_byte() {
    let mut count = 0;
    for fixture in own() {
        if fixture.name.contains(".plain.") {
            let rewriter = StreamRewriter::detect(Parser::new());
            for size in 1..=80 {
                let out = strip(&rewriter, &fixture.bytes, size);
                assert_eq!(out, fixture.bytes, "{} by {size}", fixture.name);
            }
            count += 1;
        }
    }
    assert_eq!(count, 6);
}

/// The JSON of all events.
fn events(fixture: &Fixture, stream: &[u8]) -> Vec<Value> {
    let stream = std::str::from_utf8(stream).expect("UTF-8");
    if fixture.name.ends_with(".json") {
        return serde_json::from_str(stream).expect("an array");
    }
    let lines = stream.split(['\n', '\r']);
    let data = lines.filter_map(|line| match fixture.format {
        Format::Ollama => Some(line),
        _ => line.strip_prefix("data: "),
    });
    data.filter(|data| !data.is_empty() && *data != "[DONE]")
        // Halves of surrogate pairs are no strings to this parser.
        .map(|data| data.replace("\\ud", "\\\\ud"))
        .map(|data| serde_json::from_str(&data).expect(&data))
        .collect()
}

#[test]
fn the_output_differs_in_the_named_places_only() {
    for fixture in all() {
        let rewriter = StreamRewriter::detect(Parser::new());
        let out = strip(&rewriter, &fixture.bytes, 64);
        let before = events(&fixture, &fixture.bytes);
        let after = events(&fixture, &out);
        let mut rest = before
            .iter()
            .map(|event| apart(fixture.format, event))
            .peekable();
        let mut inserted = 0;
        for event in &after {
            let (frame, deltas, repeats) = apart(fixture.format, event);
            match rest.peek() {
                Some((expected, _, repeated)) if *expected == frame => {
                    let cleaned: Vec<_> = repeated.iter().map(|text| clean(text)).collect();
                    assert_eq!(repeats, cleaned, "{}", fixture.name);
                    rest.next();
                }
                _ => {
                    assert!(
                        deltas.iter().any(|text| !text.is_empty()),
                        "{}: {event}",
                        fixture.name
                    );
                    inserted += 1;
                }
            }
            for text in deltas.iter().chain(&repeats) {
                assert_eq!(clean(text), *text, "{}", fixture.name);
            }
        }
        assert_eq!(rest.next(), None, "{}", fixture.name);
        assert!(inserted <= fixture.texts.len(), "{}", fixture.name);
    }
}

fn chat(content: &str) -> String {
    format!("data: {{\"choices\": [{{\"index\":0, \"delta\":{{\"content\":\"{content}\"}}}}]}}\n\n")
}

const STOP: &str =
    "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n";

#[test]
fn a_delta_that_loses_its_text_stays_and_one_without_change_keeps_its_escapes() {
    let stream = [
        chat(r"\u0041\/ \u00e9."),
        chat(" [substrate"),
        chat(".grep]"),
        chat(r"\n\u0042"),
        STOP.into(),
    ];
    let expected = [
        chat(r"\u0041\/ \u00e9."),
        chat(""),
        chat(""),
        chat(r"\n\u0042"),
        STOP.into(),
    ];
    assert_eq!(
        strip_all(Format::OpenAiChat, stream.concat().as_bytes()),
        expected.concat()
    );
}

#[test]
fn what_is_written_anew_is_escaped_as_json_asks() {
    let stream = [chat(
        r#"\u0022\\\u0001é\ud83d\ude00 [substrate.grep]\u2028"#,
    )];
    assert_eq!(
        strip_all(Format::OpenAiChat, stream.concat().as_bytes()),
        chat("\\\"\\\\\\u0001é😀\u{2028}")
    );
}

#[test]
fn held_text_comes_in_the_next_delta_or_in_one_more_before_the_end() {
    let stream = [
        chat("See [sub"),
        chat("way]."),
        chat(" And [substrate.grep"),
        STOP.into(),
    ]
    .concat();
    let expected = [
        chat("See"),
        chat(" [subway]."),
        chat(" And"),
        chat(" [substrate.grep"),
        STOP.into(),
    ]
    .concat();
    assert_eq!(strip_all(Format::OpenAiChat, stream.as_bytes()), expected);
    // The same where the stream just ends.
    let cut = stream.trim_end_matches(STOP);
    assert_eq!(
        strip_all(Format::OpenAiChat, cut.as_bytes()),
        expected.trim_end_matches(STOP)
    );
    // An event that ends the channel and has text of it takes it.
    let last = |text: &str| {
        format!(
            "data: {{\"choices\":[{{\"delta\":{{\"content\":\"{text}\"}},\"finish_reason\":\"stop\"}}]}}\r\r"
        )
    };
    let stream = [chat("See ["), last("x")].concat();
    assert_eq!(
        strip_all(Format::OpenAiChat, stream.as_bytes()),
        [chat("See"), last(" [x")].concat()
    );
    let stream = [chat("See"), last(" [")].concat();
    assert_eq!(strip_all(Format::OpenAiChat, stream.as_bytes()), stream);
    // One with an empty text need not be read for it.
    let stream = [chat("See ["), last("")].concat();
    assert_eq!(
        strip_all(Format::OpenAiChat, stream.as_bytes()),
        [chat("See"), chat(" ["), last("")].concat()
    );
}

#[test]
fn an_inserted_event_has_the_shape_and_line_ends_of_the_last_delta() {
    let delta = |text: &str| {
        format!(
            "event: content_block_delta\r\ndata: {{\"type\":\"content_block_delta\",\"index\":2,\r\ndata:\"delta\":{{\"type\":\"text_delta\",\"text\":\"{text}\"}}}}\r\n\r\n"
        )
    };
    let stop =
        "event: content_block_stop\r\ndata: {\"type\":\"content_block_stop\",\"index\":2}\r\n\r\n";
    let stream = [&delta("x ["), stop].concat();
    assert_eq!(
        strip_all(Format::Anthropic, stream.as_bytes()),
        [&delta("x"), &delta(" ["), stop].concat()
    );
}

#[test]
fn without_a_delta_to_follow_the_inserted_event_is_the_shortest_of_its_format() {
    let start = |text: &str| {
        format!(
            "data: {{\"type\":\"content_block_start\",\"index\":0,\"content_block\":{{\"type\":\"text\",\"text\":\"{text}\"}}}}\n\n"
        )
    };
    let stop = "data: {\"type\":\"content_block_stop\",\"index\":0}\n\n";
    let inserted = "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\" [\"}}\n\n";
    assert_eq!(
        strip_all(Format::Anthropic, [&start("x ["), stop].concat().as_bytes()),
        [&start("x"), inserted, stop].concat()
    );
    // The same in each format, where an event is too long to be repeated.
    let padding = "p".repeat(1 << 14);
    for (format, event) in [
        (
            Format::OpenAiChat,
            r#"{"choices":[{"delta":{"content":"x [y"}}]"#,
        ),
        (
            Format::OpenAiResponses,
            r#"{"type":"response.output_text.delta","output_index":3,"content_index":1,"delta":"x [y""#,
        ),
        (
            Format::Anthropic,
            r#"{"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"x [y"}"#,
        ),
        (
            Format::Gemini,
            r#"{"candidates":[{"index":1,"content":{"parts":[{"text":"x [y"}]}}]"#,
        ),
        (
            Format::Ollama,
            r#"{"message":{"content":"x [y"},"done":false"#,
        ),
        (Format::Ollama, r#"{"response":"x [y","done":false"#),
        (
            Format::Cohere,
            r#"{"type":"content-delta","index":4,"delta":{"message":{"content":{"text":"x [y"}}}"#,
        ),
    ] {
        let event = format!("{event},\"padding\":\"{padding}\"}}");
        for stream in [
            format!("data: {event}\n\n"),
            format!("{event}\n"),
            format!("[{event}]"),
        ] {
            let out = strip(
                &StreamRewriter::new(format, Parser::new()),
                stream.as_bytes(),
                4096,
            );
            let before = Read::of(Decoder::new(format), stream.as_bytes(), usize::MAX);
            let after = Read::of(Decoder::new(format), &out, usize::MAX);
            assert_eq!(before, after, "{format}");
            assert!(
                out.len() > stream.len() && out.len() < stream.len() + 200,
                "{format}"
            );
        }
    }
}

/// The shortest event of chat completions with this text.
fn shortest_chat(index: usize, content: &str) -> String {
    format!(
        "data: {{\"object\":\"chat.completion.chunk\",\"choices\":[{{\"index\":{index},\"delta\":{{\"content\":\"{content}\"}},\"finish_reason\":null}}]}}\n\n"
    )
}

#[test]
fn other_texts_of_an_event_are_not_repeated_with_it() {
    let event = |first: &str| {
        format!(
            "data: {{\"choices\":[{{\"index\":0,\"delta\":{{\"reasoning\":\"hm\",\"content\":\"{first}\"}}}},{{\"index\":1,\"delta\":{{\"content\":\"b\"}}}}]}}\n\n"
        )
    };
    assert_eq!(
        strip_all(Format::OpenAiChat, event("a [").as_bytes()),
        [event("a"), shortest_chat(0, " [")].concat()
    );
}

/// What a client has that joins the strings at the same place and adds up the numbers, as common ones do.
fn joined(format: Format, fixture: &str) -> BTreeMap<String, Vec<Value>> {
    let fixture = Fixture {
        name: "stream.sse".into(),
        format,
        bytes: fixture.into(),
        texts: BTreeMap::new(),
    };
    let mut all = BTreeMap::new();
    for event in events(&fixture, &fixture.bytes) {
        leaves(&event, String::new(), &mut all);
    }
    all
}

fn leaves(value: &Value, path: String, all: &mut BTreeMap<String, Vec<Value>>) {
    match value {
        Value::Object(members) => {
            for (name, member) in members {
                leaves(member, format!("{path}.{name}"), all);
            }
        }
        Value::Array(elements) => {
            for element in elements {
                leaves(element, format!("{path}.*"), all);
            }
        }
        leaf => all.entry(path).or_default().push(leaf.clone()),
    }
}

#[test]
fn an_inserted_event_repeats_nothing_that_a_client_takes_twice() {
    let chat = |event: &str| (Format::OpenAiChat, event.to_owned());
    let events = [
        chat(r#"{"choices":[{"delta":{"content":"x [","tool_calls":[{"index":0,"id":"c","function":{"name":"f","arguments":"{}"}}]}}]}"#),
        chat(r#"{"choices":[{"delta":{"content":"x [","tool_calls":[{"index":0,"id":"c","type":"function","function":{"name":"f"}}]}}]}"#),
        chat(r#"{"choices":[{"delta":{"content":"x [","function_call":{"name":"f","arguments":"{}"}}}]}"#),
        chat(r#"{"choices":[{"delta":{"content":"x [","annotations":[{"type":"url_citation","url":"u"}]}}]}"#),
        chat(r#"{"choices":[{"delta":{"content":"x [","reasoning_content":"r","reasoning":"r"}}]}"#),
        chat(r#"{"choices":[{"delta":{"content":"x [","reasoning_details":[{"text":"r"}]}}]}"#),
        chat(r#"{"choices":[{"delta":{"role":"assistant","content":"x ["}}]}"#),
        chat(r#"{"choices":[{"delta":{"content":"x ["}}],"usage":{"total_tokens":3}}"#),
        chat(r#"{"choices":[{"delta":{"content":"x ["}}],"id":{"more":"m"}}"#),
        chat(r#"{"choices":[{"delta":{"content":"x ["},"logprobs":{"content":[{"token":"x"}]}}]}"#),
        chat(r#"{"choices":[{"delta":{"content":"old","content":"x ["}}]}"#),
        chat(r#"{"choices":[{"delta":{"content":"old"},"delta":{"content":"x ["}}]}"#),
        chat(r#"{"choices":[{"delta":{"content":"x ["}},{"index":1,"delta":{"refusal":"no"}}]}"#),
        (
            Format::Gemini,
            r#"{"candidates":[{"content":{"parts":[{"executableCode":{"code":"c"}},{"inlineData":{"data":"AA=="}},{"text":"x ["}]}}],"usageMetadata":{"totalTokenCount":3}}"#.into(),
        ),
        (
            Format::Gemini,
            r#"{"candidates":[{"content":{"parts":[{"text":"x ["}]}}],"usageMetadata":{"totalTokenCount":3}}"#.into(),
        ),
        (
            Format::Ollama,
            r#"{"message":{"content":"x [","images":["AA=="]},"done":false,"eval_count":3}"#.into(),
        ),
    ];
    for (format, event) in events {
        let stream = match format {
            Format::Ollama => format!("{event}\n"),
            _ => format!("data: {event}\n\n"),
        };
        let out = strip_all(format, stream.as_bytes());
        let (before, mut after) = (joined(format, &stream), joined(format, &out));
        assert!(out.len() > stream.len(), "{event}");
        // What every event of the format has.
        const EVERY: [&str; 4] = ["index", "done", "object", "finish_reason"];
        after.retain(|path, _| !EVERY.iter().any(|name| path.ends_with(name)));
        let roles = ["model", "assistant"].map(Value::from);
        for (path, values) in after {
            let before = before.get(&path).map_or(&[][..], Vec::as_slice);
            if [".delta.content", ".message.content", ".parts.*.text"]
                .iter()
                .any(|own| path.ends_with(own))
            {
                assert_eq!(values.last(), Some(&" [".into()), "{out}");
            } else if format != Format::OpenAiChat
                && values.iter().any(|value| roles.contains(value))
            {
                assert_eq!(values.len(), 1, "{path} in {out}");
            } else {
                assert_eq!(values, before, "{path} in {out}");
            }
        }
    }
}

#[test]
fn an_inserted_event_keeps_an_envelope_that_says_nothing_more() {
    for event in [
        r#"{"id":"c","object":"chat.completion.chunk","created":1,"model":"m","system_fingerprint":"f","choices":[{"index":0,"delta":{"content":"@"},"logprobs":null,"finish_reason":null}],"usage":null}"#,
        r#"{"type":"response.output_text.delta","item_id":"i","output_index":0,"content_index":0,"sequence_number":7,"delta":"@","logprobs":[]}"#,
        r#"{"model":"m","created_at":"t","response":"@","done":false}"#,
    ] {
        let event = |text: &str| format!("data: {}\n\n", event.replace('@', text));
        let format = Format::detect(&event("x").as_bytes()[6..]).expect("a format");
        let end = "data: [DONE]\n\n";
        assert_eq!(
            strip_all(format, [&event("x ["), end].concat().as_bytes()),
            [&event("x"), &event(" ["), end].concat()
        );
        // An event without text is none to repeat.
        assert_eq!(
            strip_all(format, [&event("x ["), &event(""), end].concat().as_bytes()),
            [&event("x"), &event(""), &event(" ["), end].concat()
        );
    }
}

#[test]
fn the_output_is_at_most_a_few_times_as_long_as_the_input() {
    let padding = "p".repeat(8_000);
    let choices = |start: usize| {
        let choice = |index| format!("{{\"index\":{index},\"delta\":{{\"content\":\"x [\"}}}}");
        let choices: Vec<_> = (start..256).map(choice).collect();
        format!("data: {{\"choices\":[{}]}}\n\n", choices.join(","))
    };
    let mut again = String::new();
    let long = format!(
        "data: {{\"id\":\"{padding}\",\"choices\":[{{\"index\":0,\"delta\":{{\"content\":\"x [\"}}}}]}}\n\n"
    );
    for _ in 0..100 {
        // What ends is not what the next text of the channel looks like.
        again += &choices(254).replace("254", "0");
        again += STOP;
    }
    for stream in [
        choices(0),
        [long.clone(), STOP.into(), again].concat(),
        long,
    ] {
        let out = strip_all(Format::OpenAiChat, stream.as_bytes());
        assert!(out.len() > stream.len());
        assert!(
            out.len() < 6 * stream.len(),
            "{} of {}",
            out.len(),
            stream.len()
        );
    }
}

#[test]
fn a_tool_call_under_a_number_that_is_none_leaves_the_rest_of_its_choice_readable() {
    let event = |content: &str, message: &str| {
        format!(
            "data: {{\"choices\":[{{\"delta\":{{\"content\":\"{content}\",\"tool_calls\":[{{\"index\":-1}},{{\"index\":1,\"function\":{{\"arguments\":\"1\"}}}}]}},\"message\":{{\"content\":\"{message}\"}},\"finish_reason\":\"stop\"}}]}}\n\n"
        )
    };
    let stream = event("a [substrate.grep]", "a [substrate.grep]");
    assert_eq!(
        strip_all(Format::OpenAiChat, stream.as_bytes()),
        event("a", "a")
    );
    let read = Read::of(Decoder::new(Format::OpenAiChat), stream.as_bytes(), 7);
    assert_eq!(read.tool_calls[&Channel::with_part(0, 1)], "1");
    let malformed = format!("malformed-event at 0..{}", stream.len());
    assert_eq!(read.rest, ["end 0".to_owned(), malformed]);
}

#[test]
fn a_format_is_recognised_under_a_type_that_is_not_known() {
    for (event, format) in [
        (r#"{"type":"chunk","choices":[]}"#, Some(Format::OpenAiChat)),
        (r#"{"type":"chunk","candidates":[]}"#, Some(Format::Gemini)),
        (r#"{"type":"chunk","done":false}"#, Some(Format::Ollama)),
        (r#"{"type":"ping","choices":[]}"#, Some(Format::Anthropic)),
        (r#"{"type":"chunk"}"#, None),
    ] {
        assert_eq!(Format::detect(event.as_bytes()), format, "{event}");
    }
}

#[test]
fn no_amount_of_whitespace_before_it_changes_the_envelope() {
    for (lead, start, end) in [(100_000, "", "\n"), (65, "[", "]"), (65, "\u{FEFF}[", "]")] {
        let event = |text: &str| {
            let event = format!(
                "{{\"candidates\":[{{\"content\":{{\"parts\":[{{\"text\":\"{text}\"}}]}}}}]}}"
            );
            format!("{}{start}{event}{end}", " \r\n ".repeat(lead / 4 + 1))
        };
        assert_eq!(
            strip_all(Format::Gemini, event("a [substrate.grep]").as_bytes()),
            event("a")
        );
    }
}

#[test]
fn an_event_with_empty_data_is_passed_by_and_not_malformed() {
    let stream = [&chat("a ["), "data:\n\n", "data: \ndata\n\n", &chat("b")].concat();
    let read = Read::of(Decoder::detect(), stream.as_bytes(), 3);
    assert_eq!(read.rest, ["end 0"]);
    let expected = [
        &chat("a"),
        "data:\n\n",
        "data: \ndata\n\n",
        &chat(""),
        &chat(" [b"),
    ]
    .concat();
    assert_eq!(strip_all(Format::OpenAiChat, stream.as_bytes()), expected);
}

#[test]
fn halves_with_the_end_of_the_channel_between_them_are_no_pair_in_the_stream_either() {
    let long = chat(&"x".repeat(300));
    for (between, written) in [(STOP, STOP), (&*long, &*long)] {
        let stream = [&chat(r"a\ud83d"), between, &chat(""), &chat(r"\ude00b")].concat();
        let expected = [&chat(r"a\ud83d"), written, &chat(""), &chat("\u{FFFD}b")].concat();
        let mut rewriter =
            StreamRewriter::new(Format::OpenAiChat, Parser::new()).with_max_event(200);
        assert_eq!(
            String::from_utf8(strip(&rewriter, stream.as_bytes(), 11)).expect("UTF-8"),
            expected
        );
        let mut links = Links::default();
        rewriter.push(stream.as_bytes(), &mut links);
        rewriter.finish(&mut links);
        assert_eq!(
            String::from_utf8_lossy(&links.text[&Channel::new(0)]),
            "a\u{FFFD}\u{FFFD}b"
        );
    }
    let last = r#"data: {"choices":[{"delta":{"content":"a\ud83d"},"finish_reason":"stop"}]}"#
        .to_owned()
        + "\n\n";
    assert_eq!(
        strip_all(
            Format::OpenAiChat,
            [&*last, &chat(r"\ude00b")].concat().as_bytes()
        ),
        [&*last, &chat("\u{FFFD}b")].concat()
    );
    // With nothing between them they are.
    let stream = [chat(r"a\ud83d"), chat(r"\ude00b")].concat();
    assert_eq!(strip_all(Format::OpenAiChat, stream.as_bytes()), stream);
}

/// How long stripping a stream that many times takes: the least of several times.
fn time(format: Format, stream: &str, times: usize) -> std::time::Duration {
    let rewriter = StreamRewriter::new(format, Parser::new());
    let run = || {
        let start = std::time::Instant::now();
        for _ in 0..times {
            strip(&rewriter, stream.as_bytes(), usize::MAX);
        }
        start.elapsed()
    };
    (0..5).map(|_| run()).min().expect("a time")
}

#[test]
fn the_time_is_linear_in_the_size_of_an_event() {
    let parts = |count: usize| {
        let parts = vec![r#"{"text":"x [a"}"#; count].join(",");
        format!("{{\"candidates\":[{{\"content\":{{\"parts\":[{parts}]}}}}]}}\n")
    };
    let choices = |count: usize| {
        let choices = vec![r#"{"delta":{"content":"["},"finish_reason":"s"}"#; count / 4].join(",");
        format!("{{\"choices\":[{choices}]}}\n")
    };
    // Many lines of data, each with a string that changes.
    let lines = |count: usize| {
        let parts = vec![r#"{"text":"x "}"#; count / 4].join(",\ndata:");
        format!("data:{{\"candidates\":[{{\"content\":{{\"parts\":[{parts}]}}}}]}}\n\n")
    };
    for (format, small, large) in [
        (Format::Gemini, parts(8_000), parts(64_000)),
        (Format::OpenAiChat, choices(8_000), choices(64_000)),
        (Format::Gemini, lines(8_000), lines(64_000)),
    ] {
        assert!(large.len() < 1 << 20);
        // As much on both sides, so that whatever else the machine does meets both.
        let (small, large) = (time(format, &small, 8), time(format, &large, 1));
        assert!(large < 3 * small, "{format}: {small:?} and {large:?}");
    }
}

#[test]
fn a_split_surrogate_pair_stays_whole_whatever_is_rewritten_around_it() {
    for (stream, text) in [
        (
            vec![chat(r"a\ud83d"), chat(r"\ude00b [substrate.grep]")],
            "a😀b",
        ),
        (
            vec![chat(r"a [substrate.grep]\ud83d"), chat(r"\ude00b")],
            "a😀b",
        ),
        (
            vec![chat(r"a [substrate.grep; x=\ud83d"), chat(r"\ude00] b")],
            "a b",
        ),
        (
            vec![chat(r"a [substrate.grep; x=\ud83d"), chat(r"\ude00 [")],
            "a [substrate.grep; x=😀 [",
        ),
        (
            vec![chat(r"a \ud83d"), chat(""), chat(r"\ude00 [")],
            "a 😀 [",
        ),
        (
            vec![chat(r"a\ud83d"), chat("b [substrate.grep]")],
            "a\u{FFFD}b",
        ),
        (vec![chat(r"a [\ud83d"), STOP.into()], "a [\u{FFFD}"),
        (vec![chat(r"a\ud83d"), STOP.into()], "a\u{FFFD}"),
    ] {
        let out = strip_all(Format::OpenAiChat, stream.concat().as_bytes());
        let read = Read::of(Decoder::new(Format::OpenAiChat), out.as_bytes(), 7);
        assert_eq!(read.texts[&Channel::new(0)], text, "{out}");
    }
}

#[test]
fn what_is_malformed_unterminated_or_too_long_is_written_as_it_is() {
    let long = chat(&format!("{} [substrate.grep]", "x".repeat(300)));
    let odd = "data: {\"choices\": [substrate.grep]\n\ndata: [substrate.grep]\n\n";
    let cut = "data: {\"choices\":[{\"delta\":{\"content\":\"[substrate.grep]\"}}]}\n";
    let stream = [
        &chat("a [substrate.grep]"),
        odd,
        &chat("b ["),
        &long,
        &chat("substrate.grep] c"),
        cut,
    ]
    .concat();
    let expected = [
        &chat("a"),
        odd,
        &chat("b"),
        &chat(" ["),
        &long,
        &chat("substrate.grep] c"),
        cut,
    ]
    .concat();
    let rewriter = StreamRewriter::new(Format::OpenAiChat, Parser::new()).with_max_event(200);
    for size in [1, 13, 150, 250, usize::MAX] {
        let out = strip(&rewriter, stream.as_bytes(), size);
        assert_eq!(String::from_utf8_lossy(&out), expected, "by {size}");
    }
}

#[test]
fn lines_and_arrays_stay_what_they_are_when_an_event_is_inserted() {
    let line = |text: &str| format!("{{\"response\":\"{text}\",\"done\":false}}");
    let stream = [line("a"), line("b [")].join("\n");
    assert_eq!(
        strip_all(Format::Ollama, stream.as_bytes()),
        [line("a"), line("b"), line(" [")].join("\n")
    );
    let done = "{\"response\":\"\",\"done\":true}";
    let stream = [&line("b ["), done].join("\r\n");
    assert_eq!(
        strip_all(Format::Ollama, stream.as_bytes()),
        [&line("b"), &line(" ["), done].join("\r\n")
    );
    let element = |text: &str| {
        format!("{{\"candidates\":[{{\"content\":{{\"parts\":[{{\"text\":\"{text}\"}}]}}}}]}}")
    };
    let stream = format!("[{}\n,\n{}\n]\n", element("a"), element("b ["));
    let expected = format!(
        "[{}\n,\n{}\n,{}]\n",
        element("a"),
        element("b"),
        element(" [")
    );
    assert_eq!(strip_all(Format::Gemini, stream.as_bytes()), expected);
    let error = "{\"error\":{\"code\":500,\"message\":\"x\"}}";
    let stream = format!("[{},{error}]", element("b ["));
    let expected = format!("[{},{},{error}]", element("b"), element(" ["));
    assert_eq!(strip_all(Format::Gemini, stream.as_bytes()), expected);
}

/// Replaces annotations, and takes down what it is told.
#[derive(Default)]
struct Links {
    out: Vec<u8>,
    text: BTreeMap<Channel, Vec<u8>>,
    places: Vec<(String, bool)>,
    assertions: usize,
    items: Vec<String>,
}

impl StreamSink for Links {
    fn bytes(&mut self, bytes: &[u8]) {
        self.out.extend_from_slice(bytes);
    }

    fn text(&mut self, channel: Channel, text: &[u8]) {
        self.text
            .entry(channel)
            .or_default()
            .extend_from_slice(text);
    }

    fn annotation(&mut self, place: Place, annotation: &BracketAnnotation<'_>) -> Replacement {
        self.places
            .push((place.channel.to_string(), place.is_repeated));
        format!("({})", annotation.annotation().class()).into()
    }

    fn event(&mut self, _: Channel, event: Event<'_>) {
        self.assertions += usize::from(matches!(event, Event::Assertion(_)));
    }

    fn item(&mut self, item: Item<'_>) {
        if !matches!(item, Item::Other(_)) {
            self.items.push(format!("{item:?}"));
        }
    }
}

#[test]
fn a_sink_replaces_annotations_everywhere_and_is_told_of_each_channel() {
    let own = own();
    let fixture = own
        .iter()
        .find(|fixture| fixture.name == "openai-responses.annotated.sse")
        .expect("a stream");
    let mut links = Links::default();
    let mut rewriter = StreamRewriter::detect(Parser::new());
    for chunk in fixture.bytes.chunks(7) {
        rewriter.push(chunk, &mut links);
    }
    rewriter.finish(&mut links);
    let texts = [
        (
            Channel::with_part(1, 0),
            b"The build is green. (substrate.grep) It is tagged. (substrate.git.log)".to_vec(),
        ),
        (
            Channel::with_part(1, 1),
            b"A second part. (substrate.code.read) [".to_vec(),
        ),
    ];
    assert_eq!(links.text, BTreeMap::from(texts.clone()));
    let read = Read::of(Decoder::detect(), &links.out, 64);
    for (channel, text) in &texts {
        assert_eq!(read.texts[channel].as_bytes(), text);
    }
    let out = String::from_utf8(links.out).expect("UTF-8");
    for (_, text) in texts {
        let text = String::from_utf8(text).expect("UTF-8");
        assert_eq!(out.matches(&format!("\"text\":\"{text}\"")).count(), 4);
    }
    let repeated = links
        .places
        .iter()
        .filter(|(_, is_repeated)| *is_repeated)
        .count();
    assert_eq!(
        (links.places.len(), repeated, links.assertions),
        (15, 12, 3)
    );
    assert_eq!(links.items.len(), 3, "{:?}", links.items);
}

/// A text of pieces that matter.
fn text() -> impl Strategy<Value = String> {
    let piece = select(vec![
        "It is so.",
        " ",
        "\n\n",
        "  \n",
        "[",
        "]",
        "[1]",
        "[substrate",
        "substrate.grep",
        " [substrate.grep]",
        " [substrate.grep; ts=2026-05-28T11:40:00Z]",
        "[unverified-inference; x=\u{1F600}]",
        "`",
        "\u{1F600}",
        "é",
        "\u{1F600}\u{1F44D}",
        "\"",
        "\\",
        "{\"assertion\":\"x\"}",
        ";",
        "- ",
    ]);
    vec(piece, 0..14).prop_map(|pieces| pieces.concat())
}

/// The text as contents of JSON strings, cut into deltas: at any UTF-16 unit, with or without escapes.
fn deltas(text: &str, cuts: &[usize], escaped: bool) -> Vec<String> {
    let units: Vec<u16> = text.encode_utf16().collect();
    let mut deltas = vec![String::new()];
    let mut cuts = cuts.iter().cycle();
    let mut left = cuts.next().copied().unwrap_or(5);
    for unit in &units {
        if left == 0 {
            deltas.push(String::new());
            left = cuts.next().copied().unwrap_or(5);
        }
        left = left.saturating_sub(1);
        let delta = deltas.last_mut().expect("a delta");
        match char::from_u32((*unit).into()) {
            Some(character) if !escaped && character >= ' ' && !"\"\\".contains(character) => {
                delta.push(character);
            }
            // A pair that is not cut and not escaped would need both units at once.
            _ => delta.push_str(&format!("\\u{unit:04x}")),
        }
    }
    deltas
}

/// A stream of a format with these deltas in one channel.
fn stream(format: Format, deltas: &[String], end: &str, marked: bool) -> String {
    let frame = |name: &str, data: String| {
        let name = if name.is_empty() {
            String::new()
        } else {
            format!("event: {name}{end}")
        };
        format!("{name}data: {data}{end}{end}")
    };
    let mut out = String::new();
    for delta in deltas {
        out.push_str(&match format {
            Format::OpenAiChat => frame("", format!(r#"{{"choices":[{{"index":0,"delta":{{"content":"{delta}"}}}}]}}"#)),
            Format::OpenAiResponses => frame("response.output_text.delta", format!(r#"{{"type":"response.output_text.delta","output_index":0,"content_index":0,"delta":"{delta}"}}"#)),
            Format::Anthropic => frame("content_block_delta", format!(r#"{{"type":"content_block_delta","index":0,"delta":{{"type":"text_delta","text":"{delta}"}}}}"#)),
            Format::Gemini => frame("", format!(r#"{{"candidates":[{{"content":{{"parts":[{{"text":"{delta}"}}]}}}}]}}"#)),
            Format::Ollama => format!("{{\"response\":\"{delta}\",\"done\":false}}\n"),
            _ => frame("", format!(r#"{{"type":"content-delta","index":0,"delta":{{"message":{{"content":{{"text":"{delta}"}}}}}}}}"#)),
        });
    }
    if marked {
        let whole = deltas.concat();
        out.push_str(&match format {
            Format::OpenAiChat => frame("", r#"{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}"#.into()),
            Format::OpenAiResponses => frame("response.output_text.done", format!(r#"{{"type":"response.output_text.done","output_index":0,"content_index":0,"text":"{whole}"}}"#)),
            Format::Anthropic => frame("content_block_stop", r#"{"type":"content_block_stop","index":0}"#.into()),
            Format::Gemini => ": end\n\n".into(),
            Format::Ollama => "{\"response\":\"\",\"done\":true}\n".into(),
            _ => frame("", r#"{"type":"content-end","index":0}"#.into()),
        });
    }
    out
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn stripping_a_stream_is_stripping_its_text(
        text in text(), cuts in vec(1usize..12, 1..6), escaped in any::<bool>(),
        format in select(Format::ALL.to_vec()), end in select(vec!["\n", "\r", "\r\n"]), marked in any::<bool>(),
        size in 1usize..90,
    ) {
        let deltas = deltas(&text, &cuts, escaped);
        let stream = stream(format, &deltas, end, marked);
        let rewriter = StreamRewriter::new(format, Parser::new());
        let out = strip(&rewriter, stream.as_bytes(), size);
        prop_assert_eq!(&out, &strip(&rewriter, stream.as_bytes(), usize::MAX));
        let before = Read::of(Decoder::new(format), stream.as_bytes(), size);
        let after = Read::of(Decoder::detect(), &out, size);
        prop_assert_eq!(before.texts.get(&text_channel(format)).map_or("", String::as_str), &text);
        let cleaned = clean(&text);
        prop_assert_eq!(after.texts.get(&text_channel(format)).map_or("", String::as_str), &cleaned);
        if format == Format::OpenAiResponses && marked {
            let whole = serde_json::to_string(&cleaned).expect("JSON");
            let out = String::from_utf8(out.clone()).expect("UTF-8");
            let done = out.rsplit("\"text\":").next().expect("a text").trim_end().trim_end_matches('}').to_owned();
            let done: String = serde_json::from_str(&done).expect("a string");
            prop_assert_eq!(serde_json::to_string(&done).expect("JSON"), whole);
        }
        if cleaned == text && !holds(&deltas) {
            prop_assert_eq!(String::from_utf8(out).expect("UTF-8"), stream);
        }
    }

    #[test]
    fn no_bytes_make_it_fail_and_no_cut_matters(
        pieces in vec(select(vec![
            "data: ", "{\"choices\":[", "{\"index\":0,\"delta\":{\"content\":\"", "[substrate.grep]", "\"}}", "]}", "\n", "\n\n",
            "\r", "event: x\n", ":", "[DONE]", "{", "}", "[", ",", "\"error\":\"x\"", "\\ud83d", "\\", "\u{FEFF}", "x", " [",
            "data: {\"choices\":[{\"delta\":{\"content\":\"a [\"}}]}\n\n",
            "{\"response\":\"a [\",\"done\":false}\n", "{\"type\":\"content_block_stop\"}",
        ]), 0..30),
        size in 1usize..20, limit in select(vec![10usize, 60, 1000]),
    ) {
        let stream = pieces.concat();
        let rewriter = StreamRewriter::detect(Parser::new()).with_max_event(limit);
        let whole = strip(&rewriter, stream.as_bytes(), usize::MAX);
        prop_assert_eq!(&whole, &strip(&rewriter, stream.as_bytes(), size));
        let decoder = Decoder::detect().with_max_event(limit);
        let read = Read::of(decoder.clone(), stream.as_bytes(), usize::MAX);
        prop_assert_eq!(&read, &Read::of(decoder, stream.as_bytes(), size));
    }
}

fn text_channel(format: Format) -> Channel {
    match format {
        Format::OpenAiResponses => Channel::with_part(0, 0),
        _ => Channel::new(0),
    }
}

/// Whether something is held behind one of the deltas.
fn holds(deltas: &[String]) -> bool {
    let mut parser = Parser::new();
    let mut text = String::new();
    deltas.iter().any(|delta| {
        text.push_str(delta);
        let whole = |text: &str| serde_json::from_str::<String>(&format!("\"{text}\""));
        // Cut within a pair there is an escape without its other half.
        let whole = whole(&text).or_else(|_| whole(&text[..text.len() - 6]));
        let whole = whole.expect("a string");
        parser.reset();
        parser.push(whole.as_bytes(), ());
        parser.buffered_len() > 0 || parser.strippable_whitespace() > 0
    })
}
