//! Events that the rewriter inserts for text that is still buffered.

use std::collections::BTreeMap;

use provstream::Parser;
use provstream_providers::{Decoder, Format, StreamRewriter};
use serde_json::Value;
use testkit::wire::fixtures::{Fixture, Read};

use super::{events, strip, strip_all};

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
    // Its data is in one line.
    let inserted = delta(" [").replace(",\r\ndata:", ", ");
    assert_eq!(
        strip_all(Format::Anthropic, stream.as_bytes()),
        [&delta("x"), &inserted, stop].concat()
    );
}

#[test]
fn an_event_inserted_at_the_end_begins_after_the_line_end_of_the_last() {
    for end in ["\n", "\r", "\r\n"] {
        let delta = |text: &str| {
            let choice = format!("{{\"index\":0,\"delta\":{{\"content\":\"{text}\"}}}}");
            format!("data: {{\"choices\":[{choice}]}}{end}{end}")
        };
        assert_eq!(
            strip_all(Format::OpenAiChat, delta("x [").as_bytes()),
            [delta("x"), delta(" [")].concat()
        );
    }
}

#[test]
fn without_a_delta_to_follow_the_inserted_event_is_the_shortest_of_its_format() {
    let start = |text: &str| {
        format!(
            "data: {{\"type\":\"content_block_start\",\"index\":0,\"content_block\":{{\"type\":\"text\",\"text\":\"{text}\"}}}}\n\n"
        )
    };
    let stop = "data: {\"type\":\"content_block_stop\",\"index\":0}\n\n";
    let inserted = "data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\" [\"}}\n\n";
    assert_eq!(
        strip_all(Format::Anthropic, [&start("x ["), stop].concat().as_bytes()),
        [&start("x"), inserted, stop].concat()
    );
    // It has a name where the events of the response have names.
    let named = |event: &str, name: &str| format!("event: {name}\n{event}");
    let stop = named(stop, "content_block_stop");
    let start = |text: &str| named(&start(text), "content_block_start");
    assert_eq!(
        strip_all(
            Format::Anthropic,
            [start("x ["), stop.clone()].concat().as_bytes()
        ),
        [start("x"), named(inserted, "content_block_delta"), stop].concat()
    );
    // The same in each format, where an event is too long to be repeated.
    let padding = format!("[{}0]", "0,".repeat(1 << 13));
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
        let event = format!("{event},\"padding\":{padding}}}");
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

#[test]
fn other_texts_of_an_event_are_not_repeated_with_it() {
    let event = |first: &str| {
        format!(
            "data: {{\"choices\":[{{\"index\":0,\"delta\":{{\"reasoning\":\"hm\",\"content\":\"{first}\"}}}},{{\"index\":1,\"delta\":{{\"content\":\"b\"}}}}]}}\n\n"
        )
    };
    assert_eq!(
        strip_all(Format::OpenAiChat, event("a [").as_bytes()),
        [
            &*event("a"),
            "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\" [\"}}]}\n\n"
        ]
        .concat()
    );
}

/// State of a client that joins the strings at the same path and adds up the numbers, as common ones do.
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
        // Before a tool call the rest comes in the same event.
        let has_call = event.contains("tool_calls") || event.contains("function_call");
        assert_eq!(out.len() > stream.len(), !has_call, "{event}");
        // What every event of the format has.
        const EVERY: [&str; 5] = ["index", "done", "object", "finish_reason", "logprobs"];
        after.retain(|path, _| !EVERY.iter().any(|name| path.ends_with(name)));
        let roles = ["model", "assistant"].map(Value::from);
        for (path, values) in after {
            let before = before.get(&path).map_or(&[][..], Vec::as_slice);
            if [".delta.content", ".message.content", ".parts.*.text"]
                .iter()
                .any(|own| path.ends_with(own))
            {
                let rest = if has_call { "x [" } else { " [" };
                assert_eq!(values.last(), Some(&rest.into()), "{out}");
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
        let numbered = |text: &str, number: &str| {
            let event = event.replace('@', text).replace(":7,", number);
            format!("data: {event}\n\n")
        };
        let event = |text: &str| numbered(text, ":7,");
        let format = Format::detect(&event("x").as_bytes()[6..]).expect("a format");
        let end = "data: [DONE]\n\n";
        assert_eq!(
            strip_all(format, [&event("x ["), end].concat().as_bytes()),
            [&event("x"), &numbered(" [", ":8,"), end].concat()
        );
        // An event without text is none to repeat.
        assert_eq!(
            strip_all(format, [&event("x ["), &event(""), end].concat().as_bytes()),
            [&event("x"), &event(""), &numbered(" [", ":8,"), end].concat()
        );
    }
}

#[test]
fn lines_and_arrays_stay_what_they_are_when_an_event_is_inserted() {
    let line = |text: &str| format!("{{\"response\":\"{text}\",\"done\":false}}");
    let stream = [line("a"), line("b [")].join("\n");
    assert_eq!(
        strip_all(Format::Ollama, stream.as_bytes()),
        stream,
        "the last event takes it"
    );
    let stream = [line("a"), line("b ["), String::new()].join("\n");
    assert_eq!(
        strip_all(Format::Ollama, stream.as_bytes()),
        [line("a"), line("b"), line(" ["), String::new()].join("\n")
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

/// The events of a text block are held back as long as all its text may become an annotation.
#[test]
fn text_is_inserted_before_a_line_that_the_stream_ends_within() {
    let delta = |text: &str| {
        format!(
            "data: {{\"type\":\"content_block_delta\",\"index\":0,\"delta\":{{\"type\":\"text_delta\",\"text\":\"{text}\"}}}}\n\n"
        )
    };
    for rest in ["event: x", "event: x\n", ": comment", "ping", ""] {
        let held = [&delta(" [subst"), rest].concat();
        assert_eq!(
            strip_all(Format::Anthropic, held.as_bytes()),
            [&delta(""), &*delta(" [subst"), rest].concat(),
            "{rest:?}"
        );
        let written = [&delta("x [subst"), rest].concat();
        assert_eq!(
            strip_all(Format::Anthropic, written.as_bytes()),
            [&delta("x"), &*delta(" [subst"), rest].concat(),
            "{rest:?}"
        );
    }
}

/// An event with a reason to finish is held back as long as more text may follow.
#[test]
fn an_event_inserted_after_one_that_is_held_back_is_an_element_or_a_line_of_its_own() {
    let candidate = |index: u32, text: &str, finish: &str| {
        format!(
            "{{\"candidates\":[{{\"content\":{{\"parts\":[{{\"text\":\"{text}\"}}]}},{finish}\"index\":{index}}}]}}"
        )
    };
    let finish = "\"finishReason\":\"STOP\",";
    let before = [candidate(1, "b [", ""), candidate(0, "a [", finish)];
    let after = [
        candidate(1, "b", ""),
        candidate(0, "a [", finish),
        candidate(1, " [", ""),
    ];
    assert_eq!(
        strip_all(Format::Gemini, format!("[{}]", before.join(",")).as_bytes()),
        format!("[{}]", after.join(","))
    );
    assert_eq!(
        strip_all(Format::Gemini, (before.join("\n") + "\n").as_bytes()),
        after.join("\n") + "\n"
    );
}
