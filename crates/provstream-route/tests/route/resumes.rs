//! A stream that is suspended goes on with another response, in the shape of each API.

use std::collections::BTreeSet;

use provstream_providers::{Decoder, Format, Item};
use provstream_route::{BodyFilter, Flow};
use serde_json::{Value, json};

use crate::{filter, now, route, sse, through};

const SUSPEND: &str = "{ action = \"suspend\" }";

/// A text that is suspended at its second sentence, and one that is not.
const FIRST: &str = "It rains. It pours. [unverified-inference] SECRET";
const LAST: &str = "It is wet. Bye.";

/// Builds a response of a format, with `number` in its identifiers.
fn response(format: Format, number: usize, text: &str) -> String {
    let id = format!("r{number}");
    let plain = |data: Value| format!("data: {data}\n\n");
    let (half, rest) = text.split_at(12);
    match format {
        Format::OpenAiChat => {
            let chunk = |delta: Value, end: Option<&str>| {
                plain(
                    json!({"id": id, "object": "chat.completion.chunk", "choices": [{"index": 0, "delta": delta, "finish_reason": end}]}),
                )
            };
            chunk(json!({"role": "assistant", "content": half}), None)
                + &chunk(json!({"content": rest}), None)
                + &chunk(json!({}), Some("stop"))
                + "data: [DONE]\n\n"
        }
        Format::Gemini => {
            let chunk = |text: &str, end: Option<&str>| {
                plain(
                    json!({"candidates": [{"content": {"parts": [{"text": text}], "role": "model"}, "index": 0, "finishReason": end}], "responseId": id}),
                )
            };
            chunk(half, None) + &chunk(rest, None) + &chunk("", Some("STOP"))
        }
        Format::Ollama => {
            let line = |text: &str, done: bool| {
                json!({"model": "m", "message": {"role": "assistant", "content": text}, "done": done}).to_string() + "\n"
            };
            line(half, false) + &line(rest, false) + &line("", true)
        }
        Format::Anthropic => anthropic(&id, half, rest),
        Format::OpenAiResponses => openai_response(&id, half, rest),
        other => panic!("{other}"),
    }
}

fn event(data: &Value) -> String {
    let name = data["type"].as_str().expect("a type");
    format!("event: {name}\ndata: {data}\n\n")
}

/// A response with a block of thinking before its text.
fn anthropic(id: &str, half: &str, rest: &str) -> String {
    let message = json!({"id": id, "type": "message", "role": "assistant", "content": [], "usage": {"input_tokens": 9, "output_tokens": 1}});
    let of = |index: usize, delta: Value| json!({"type": "content_block_delta", "index": index, "delta": delta});
    [
        json!({"type": "message_start", "message": message}),
        json!({"type": "ping"}),
        json!({"type": "content_block_start", "index": 0, "content_block": {"type": "thinking", "thinking": ""}}),
        of(0, json!({"type": "thinking_delta", "thinking": "Hm."})),
        json!({"type": "content_block_stop", "index": 0}),
        json!({"type": "content_block_start", "index": 1, "content_block": {"type": "text", "text": ""}}),
        of(1, json!({"type": "text_delta", "text": half})),
        of(1, json!({"type": "text_delta", "text": rest})),
        json!({"type": "content_block_stop", "index": 1}),
        json!({"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 5}}),
        json!({"type": "message_stop"}),
    ]
    .iter()
    .map(event)
    .collect()
}

/// A response with reasoning before its message.
fn openai_response(id: &str, half: &str, rest: &str) -> String {
    let text = [half, rest].concat();
    let numbered = |(number, mut data): (usize, Value)| {
        data["sequence_number"] = number.into();
        event(&data)
    };
    let part = json!({"type": "output_text", "text": text, "annotations": []});
    let message = json!({"id": format!("{id}-m"), "type": "message", "status": "completed", "role": "assistant", "content": [part]});
    let reasoning = json!({"id": format!("{id}-r"), "type": "reasoning", "summary": []});
    let whole = |status: &str, output: Value| json!({"id": id, "object": "response", "status": status, "output": output});
    let begun =
        json!({"id": format!("{id}-m"), "type": "message", "role": "assistant", "content": []});
    let of = |kind: &str, more: Value| {
        let mut data = json!({"type": kind, "item_id": format!("{id}-m"), "output_index": 1, "content_index": 0});
        for (name, value) in more.as_object().unwrap() {
            data[name] = value.clone();
        }
        data
    };
    [
        json!({"type": "response.created", "response": whole("in_progress", json!([]))}),
        json!({"type": "response.in_progress", "response": whole("in_progress", json!([]))}),
        json!({"type": "response.output_item.added", "output_index": 0, "item": reasoning}),
        json!({"type": "response.output_item.done", "output_index": 0, "item": reasoning}),
        json!({"type": "response.output_item.added", "output_index": 1, "item": begun}),
        of("response.content_part.added", json!({"part": {"type": "output_text", "text": "", "annotations": []}})),
        of("response.output_text.delta", json!({"delta": half})),
        of("response.output_text.delta", json!({"delta": rest})),
        of("response.output_text.done", json!({"text": text})),
        of("response.content_part.done", json!({"part": part})),
        json!({"type": "response.output_item.done", "output_index": 1, "item": message}),
        json!({"type": "response.completed", "response": whole("completed", json!([reasoning, message]))}),
    ]
    .into_iter()
    .enumerate()
    .map(numbered)
    .collect()
}

const FORMATS: [Format; 5] = [
    Format::OpenAiChat,
    Format::Ollama,
    Format::Gemini,
    Format::Anthropic,
    Format::OpenAiResponses,
];

fn begin(format: Format) -> BodyFilter {
    let path = match format {
        Format::Ollama => "/api/chat",
        _ => "/",
    };
    let head = if format == Format::Ollama {
        provstream_route::ResponseHead::new(200)
            .with_content_type("application/x-ndjson")
            .with_path(path)
    } else {
        sse(path)
    };
    filter(&route("gate", "", SUSPEND), &head).with_suspension()
}

/// A stream that goes on so often, and what ends it.
fn joined(format: Format, times: usize, size: usize, last: &str) -> String {
    joined_after(FIRST, format, times, size, last)
}

/// A stream that goes on so often after a text, and what ends it.
fn joined_after(first: &str, format: Format, times: usize, size: usize, last: &str) -> String {
    let mut filter = begin(format);
    let mut all = Vec::new();
    for number in 0..times {
        let (out, flow) = through(
            &mut filter,
            response(format, number, first).as_bytes(),
            size,
        );
        assert_eq!(flow, Flow::Suspended, "{format}");
        all.extend(out);
        filter.resume(&mut all);
    }
    let (out, flow) = through(&mut filter, response(format, times, last).as_bytes(), size);
    all.extend(out);
    if flow == Flow::Suspended {
        assert_eq!(filter.stop(&mut all), Flow::Done);
    } else {
        assert_eq!(flow, Flow::Done);
        assert!(filter.outcome().is_inspected(), "{:?}", filter.outcome());
    }
    String::from_utf8(all).expect("UTF-8")
}

/// The text that a reader of the format finds.
fn text_of(format: Format, stream: &str) -> String {
    let mut text = String::new();
    let mut decoder = Decoder::new(format);
    let mut sink = |item: Item<'_>| match item {
        Item::Text(delta) => text.push_str(delta.text()),
        Item::Notice(notice) => panic!("{format}: {notice:?}\n{stream}"),
        _ => {}
    };
    decoder.push(stream.as_bytes(), &mut sink);
    decoder.finish(&mut sink);
    text
}

fn events(stream: &str) -> Vec<Value> {
    let mut events = Vec::new();
    for event in stream.split_terminator("\n\n") {
        let (name, data) = event
            .split_once("\ndata: ")
            .unwrap_or_else(|| panic!("{event}"));
        let data: Value = serde_json::from_str(data).unwrap_or_else(|_| panic!("{event}"));
        assert_eq!(
            name.strip_prefix("event: "),
            data["type"].as_str(),
            "{event}"
        );
        events.push(data);
    }
    events
}

#[test]
fn each_format_goes_on_in_the_same_stream_at_every_cut() {
    for format in FORMATS {
        for times in [1, 3] {
            let whole = joined(format, times, usize::MAX >> 1, LAST);
            let expected = "It rains. ".repeat(times) + LAST;
            assert_eq!(text_of(format, &whole), expected, "{format}: {whole}");
            assert!(
                !whole.contains("pours") && !whole.contains("SECRET"),
                "{whole}"
            );
            for size in 1..=64 {
                assert_eq!(
                    joined(format, times, size, LAST),
                    whole,
                    "{format}, pieces of {size}"
                );
            }
        }
    }
}

/// A gate decides about the last sentence at the end of its text, when the provider's own end has been read.
#[test]
fn an_answer_whose_last_sentence_is_suspended_ends_once() {
    let first = "It rains. It pours. [unverified-inference]";
    for format in FORMATS {
        let ends = match format {
            Format::OpenAiChat => &["\"finish_reason\":\"", "[DONE]"][..],
            Format::Ollama => &["\"done\":true"],
            Format::Gemini => &["\"finishReason\":\""],
            Format::Anthropic => &["event: message_delta", "event: message_stop"],
            _ => &["event: response.completed"],
        };
        for size in [1, 7, 64, usize::MAX >> 1] {
            for times in [1, 3] {
                let whole = joined_after(first, format, times, size, LAST);
                let expected = "It rains. ".repeat(times) + LAST;
                assert_eq!(text_of(format, &whole), expected, "{format}: {whole}");
                for end in ends {
                    assert_eq!(whole.matches(end).count(), 1, "{end} in {whole}");
                }
            }
            // Nobody asks again.
            let whole = joined_after(first, format, 0, size, first);
            for end in ends {
                let count = usize::from(format != Format::OpenAiResponses);
                assert_eq!(whole.matches(end).count(), count, "{end} in {whole}");
            }
            let reason = match format {
                Format::Anthropic => "refusal",
                Format::Gemini => "SAFETY",
                _ => "content_filter",
            };
            assert!(whole.contains(reason), "{whole}");
        }
    }
}

#[test]
fn blocks_of_messages_are_numbered_through_and_end_once() {
    for (times, last, reason) in [
        (1, LAST, "end_turn"),
        (2, LAST, "end_turn"),
        (2, FIRST, "refusal"),
    ] {
        let whole = joined(Format::Anthropic, times, 7, last);
        let events = events(&whole);
        let kinds = |kind: &str| events.iter().filter(|event| event["type"] == kind).count();
        assert_eq!(
            (kinds("message_start"), kinds("message_stop")),
            (1, 1),
            "{whole}"
        );
        assert_eq!(events[0]["message"]["id"], "r0");
        let (mut open, mut next) = (BTreeSet::new(), 0);
        for event in &events {
            let index = event["index"].as_u64();
            match event["type"].as_str().expect("a type") {
                "content_block_start" => {
                    assert!(open.is_empty() && index == Some(next), "{event}\n{whole}");
                    open.insert(next);
                    next += 1;
                }
                "content_block_delta" => {
                    assert!(open.contains(&index.expect("an index")), "{event}");
                }
                "content_block_stop" => assert!(open.remove(&index.expect("an index")), "{event}"),
                _ => {}
            }
        }
        assert!(open.is_empty());
        assert_eq!(next, 2 * (times as u64 + 1), "{whole}");
        let end = &events[events.len() - 2];
        assert_eq!(end["delta"]["stop_reason"], reason, "{whole}");
    }
}

#[test]
fn items_and_events_of_responses_are_numbered_through_and_the_last_has_all() {
    for (times, last, status) in [
        (1, LAST, "completed"),
        (2, LAST, "completed"),
        (2, FIRST, "incomplete"),
    ] {
        let whole = joined(Format::OpenAiResponses, times, 7, last);
        let events = events(&whole);
        let (mut added, mut done) = (Vec::new(), Vec::new());
        for (number, event) in events.iter().enumerate() {
            assert_eq!(event["sequence_number"], number, "{event}\n{whole}");
            let index = event["output_index"].as_u64();
            match event["type"].as_str().expect("a type") {
                "response.created" | "response.in_progress" => assert!(number < 2, "{whole}"),
                "response.output_item.added" => {
                    assert_eq!(index, Some(added.len() as u64), "{event}\n{whole}");
                    added.push(event["item"]["id"].clone());
                }
                "response.output_item.done" => {
                    let id = &event["item"]["id"];
                    assert_eq!(*id, added[index.expect("an index") as usize], "{event}");
                    done.push(event["item"].clone());
                }
                "response.output_text.delta" => {
                    assert_eq!(
                        event["item_id"],
                        added[index.expect("an index") as usize],
                        "{event}"
                    );
                }
                _ => {}
            }
        }
        assert_eq!(done.len(), 2 * (times + 1), "{whole}");
        let response = &events[events.len() - 1]["response"];
        assert_eq!(response["status"], status, "{whole}");
        assert_eq!(response["output"], Value::from(done), "{whole}");
    }
}

#[test]
fn a_response_in_one_json_array_does_not_go_on() {
    let chunk = json!({"candidates": [{"content": {"parts": [{"text": FIRST}], "role": "model"}, "index": 0}]});
    let body = format!("[{chunk},\n{chunk}]");
    let head = provstream_route::ResponseHead::new(200)
        .with_content_type("application/json")
        .with_path("/v1beta/models/m:streamGenerateContent");
    let mut filter = filter(&route("gate", "", SUSPEND), &head).with_suspension();
    let (out, flow) = through(&mut filter, body.as_bytes(), 9);
    let out: Value = serde_json::from_slice(&out).expect("a JSON array");
    assert_eq!(flow, Flow::Done);
    assert!(out.to_string().contains("SAFETY"), "{out}");
}

#[test]
fn an_upstream_that_breaks_off_when_it_is_asked_again_ends_the_stream_with_an_error() {
    for format in FORMATS {
        let mut filter = begin(format);
        let (mut out, _) = through(&mut filter, response(format, 0, FIRST).as_bytes(), 9);
        filter.resume(&mut out);
        let second = response(format, 1, LAST);
        let flow = filter.push(&second.as_bytes()[..second.len() / 2], now(), &mut out);
        assert_eq!(flow, Flow::More);
        let flow = filter.abort(provstream_route::Cause::UpstreamCut, now(), &mut out);
        assert_eq!(flow, Flow::Done);
        let text = String::from_utf8(out).expect("UTF-8");
        assert!(text.contains("error") && !text.contains("Bye"), "{text}");
    }
}

/// Every pair of formats: what the second writes is not what the client of the first reads, so nothing of it is delivered.
#[test]
fn an_answer_in_another_format_ends_the_stream_as_the_policy_does() {
    for first in FORMATS {
        for second in FORMATS.into_iter().filter(|second| *second != first) {
            for size in [1, 7, 64, 1 << 16] {
                let mut filter = begin(first);
                let (mut out, flow) =
                    through(&mut filter, response(first, 0, FIRST).as_bytes(), size);
                assert_eq!(flow, Flow::Suspended, "{first}");
                filter.resume(&mut out);
                let before = out.clone();
                let (rest, flow) = through(&mut filter, response(second, 1, LAST).as_bytes(), size);
                assert_eq!(flow, Flow::Done, "{first}, {second}");
                out.extend(rest);
                // As if nothing had been answered.
                let mut alone = begin(first);
                let (mut expected, _) =
                    through(&mut alone, response(first, 0, FIRST).as_bytes(), size);
                alone.resume(&mut expected);
                assert_eq!(before, expected);
                let text = String::from_utf8(out).expect("UTF-8");
                for never in ["wet", "Bye", "r1"] {
                    assert!(!text.contains(never), "{first}, {second}: {text}");
                }
                let reasons = ["content_filter", "refusal", "SAFETY"];
                let ends = reasons
                    .iter()
                    .filter(|reason| text.contains(*reason))
                    .count();
                assert_eq!(ends, 1, "{first}, {second}: {text}");
                assert_eq!(text_of(first, &text), "It rains. ", "{first}, {second}");
            }
        }
    }
}

#[test]
fn an_empty_answer_ends_the_stream_as_the_policy_does() {
    let first = Format::OpenAiChat;
    for second in ["", "\n", ": keep-alive\n\n", "data: [DONE]\n\n"] {
        for size in [1, 1 << 16] {
            let mut filter = begin(first);
            let (mut out, _) = through(&mut filter, response(first, 0, FIRST).as_bytes(), size);
            filter.resume(&mut out);
            let (rest, flow) = through(&mut filter, second.as_bytes(), size);
            assert_eq!(flow, Flow::Done);
            out.extend(rest);
            let text = String::from_utf8(out).expect("UTF-8");
            assert_eq!(
                text.matches("content_filter").count(),
                1,
                "{second:?}: {text}"
            );
            assert!(text.ends_with("data: [DONE]\n\n"), "{text}");
            assert_eq!(text.matches("[DONE]").count(), 1, "{text}");
        }
    }
}

/// An event of the second answer that is longer than an event may be is not kept.
#[test]
fn an_event_over_the_limit_in_a_second_answer_is_not_kept() {
    let long = "x".repeat(1 << 20);
    for format in [Format::Anthropic, Format::OpenAiResponses] {
        for fail in ["open", "closed"] {
            let more = format!("max_event = 4096\nfail = \"{fail}\"");
            let mut filter = filter(&route("gate", &more, SUSPEND), &sse("/")).with_suspension();
            let (mut out, flow) = through(&mut filter, response(format, 0, FIRST).as_bytes(), 64);
            assert_eq!(flow, Flow::Suspended);
            filter.resume(&mut out);
            let second = response(format, 1, LAST);
            let body = format!("data: {{\"type\":\"ping\",\"x\":\"{long}\"}}\n\n{second}");
            let mut most = 0;
            for piece in body.as_bytes().chunks(1_000) {
                let flow = filter.push(piece, now(), &mut out);
                most = most.max(filter.held());
                if flow != Flow::More {
                    break;
                }
            }
            assert!(most < 100_000, "{format}, {fail}: {most}");
        }
    }
}
