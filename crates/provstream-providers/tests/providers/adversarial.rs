//! More streams that were made to break the rewriter. What a client shows has no annotation in it, and nothing else is lost.

use provstream::Parser;
use provstream_providers::{Format, NoticeCode, ReadReport, StreamRewriter};
use serde_json::{Value, json};
use testkit::wire::oracle::{Client, events};
use testkit::wire::output::Output;

fn run(rewriter: &StreamRewriter, stream: &[u8]) -> (Vec<u8>, ReadReport) {
    let run = |size: usize| {
        let (mut rewriter, mut out) = (rewriter.clone(), Vec::new());
        for chunk in stream.chunks(size) {
            rewriter.push(chunk, Output(&mut out));
        }
        rewriter.finish(Output(&mut out));
        (out, rewriter.report().clone())
    };
    let whole = run(usize::MAX);
    for size in [1, 2, 13, 64] {
        assert_eq!(run(size), whole, "by {size}");
    }
    whole
}

/// Returns the output for a stream, all of which must be read.
fn strip(stream: &str) -> String {
    let (out, report) = run(&StreamRewriter::detect(Parser::new()), stream.as_bytes());
    assert!(report.is_complete(), "{report:?}: {stream}");
    String::from_utf8(out).expect("UTF-8")
}

fn sse(events: &[Value]) -> String {
    let events = events.iter().map(|event| format!("data: {event}\n\n"));
    events.collect()
}

fn chat(text: &str) -> Value {
    json!({"choices": [{"index": 0, "delta": {"content": text}}]})
}

fn texts(format: Format, out: &str) -> String {
    let client = Client::of(format, out.as_bytes());
    assert!(
        !client.is_late && !client.text_after_tool && !client.has_bad_block,
        "{out}"
    );
    client.texts.into_values().collect()
}

#[test]
fn names_of_members_are_written_with_escapes() {
    let event = |text: &str| {
        format!(
            "data: {{\"ch\\u006fices\":[{{\"d\\u0065lta\":{{\"\\u0063ontent\":\"{text}\"}}}}]}}\n\n"
        )
    };
    let stream = [event("So. [subst"), event("rate.grep] B")].concat();
    assert_eq!(strip(&stream), [event("So."), event(" B")].concat());
}

#[test]
fn an_annotation_is_one_escape_a_delta() {
    let event = |text: &str| {
        format!("data: {{\"choices\":[{{\"delta\":{{\"content\":\"{text}\"}}}}]}}\n\n")
    };
    let units = " [substrate.grep]"
        .encode_utf16()
        .map(|unit| event(&format!("\\u{unit:04X}")));
    let out = strip(&(event("So.") + &units.collect::<String>() + &event(" B")));
    assert_eq!(texts(Format::OpenAiChat, &out), "So. B");
}

#[test]
fn text_comes_in_two_members_of_one_delta() {
    let event = |content: &str, refusal: &str| json!({"choices": [{"delta": {"content": content, "refusal": refusal}}]});
    let out = strip(&sse(&[
        event("So. [subst", "rate.grep] B"),
        event("", " C"),
    ]));
    assert_eq!(
        events(out.as_bytes()),
        [
            event("So.", "rate.grep] B"),
            event("", " C"),
            json!({"choices": [{"delta": {"content": " [subst"}}]}),
        ]
    );
}

#[test]
fn one_event_has_the_same_choice_twice() {
    let event = |first: &str, second: &str| json!({"choices": [{"index": 0, "delta": {"content": first}}, {"index": 0, "delta": {"content": second}}]});
    let out = strip(&sse(&[event("So. [subst", "rate"), event(".grep]", " B")]));
    assert_eq!(events(out.as_bytes()), [event("So.", ""), event("", " B")]);
}

#[test]
fn an_annotation_goes_on_after_the_reason_to_finish_and_usage() {
    let finish = json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]});
    let usage = json!({"choices": [], "usage": {"total_tokens": 3}});
    let out = strip(&sse(&[
        chat("So. [subst"),
        finish,
        usage,
        chat("rate.grep] B"),
    ]));
    assert!(!out.contains("subst"), "{out}");
    let client = Client::of(Format::OpenAiChat, out.as_bytes());
    assert_eq!(client.texts["0"], "So. B");
    assert_eq!(client.usage.len(), 1);
}

#[test]
fn an_annotation_goes_on_after_the_marker_of_the_end() {
    let stream = sse(&[chat("So. [substrate.grep]")])
        + "data: [DONE]\n\n"
        + &sse(&[chat("B [substrate.grep]")]);
    let out = strip(&stream);
    assert_eq!(out, stream.replace(" [substrate.grep]", ""));
}

#[test]
fn comments_and_keep_alives_come_between_all_bytes_of_an_annotation() {
    let pieces = "So. [substrate.grep] B".chars().map(|char| {
        let event = sse(&[chat(&char.to_string())]);
        format!(": keep-alive\n\n{event}data:\n\ndata: {{\"type\":\"ping\"}}\n\n")
    });
    let out = strip(&pieces.collect::<String>());
    assert_eq!(texts(Format::OpenAiChat, &out), "So. B");
    assert_eq!(out.matches("keep-alive").count(), 22);
}

#[test]
fn a_retried_message_begins_within_an_annotation() {
    let role = |text: &str| json!({"choices": [{"index": 0, "delta": {"role": "assistant", "content": text}}]});
    let out = strip(&sse(&[
        role(""),
        chat("So. [subst"),
        role(""),
        chat("rate.grep] B"),
    ]));
    assert_eq!(texts(Format::OpenAiChat, &out), "So. B");
}

#[test]
fn text_of_a_channel_is_null_false_or_a_number_now_and_then() {
    let event =
        |value: &str| format!("data: {{\"choices\":[{{\"delta\":{{\"content\":{value}}}}}]}}\n\n");
    let stream = [
        event("\"So. [subst\""),
        event("null"),
        event("\"rate.grep] B\""),
    ]
    .concat();
    assert_eq!(texts(Format::OpenAiChat, &strip(&stream)), "So. B");
    for value in ["7", "true", "{\"text\":\"[substrate.grep]\"}"] {
        let stream = [event("\"So.\""), event(value)].concat();
        let (out, report) = run(&StreamRewriter::detect(Parser::new()), stream.as_bytes());
        assert_eq!(String::from_utf8(out).expect("UTF-8"), stream);
        assert_eq!(report.count(NoticeCode::UnreadText), 1, "{value}");
    }
}

#[test]
fn a_string_that_is_not_utf_8_hides_nothing() {
    let mut stream = b"data: {\"choices\":[{\"delta\":{\"content\":\"\xFF. [substrate".to_vec();
    stream.extend_from_slice(b".grep] B\"}}]}\n\n");
    let (out, _) = run(&StreamRewriter::detect(Parser::new()), &stream);
    assert!(!String::from_utf8_lossy(&out).contains("grep"));
}

#[test]
fn halves_of_a_pair_are_around_an_annotation() {
    let event = |text: &str| {
        format!("data: {{\"choices\":[{{\"delta\":{{\"content\":\"{text}\"}}}}]}}\n\n")
    };
    let stream = [
        event("\\ud83d"),
        event(" [substrate.grep]"),
        event("\\ude00 B"),
    ]
    .concat();
    let out = strip(&stream);
    assert!(!out.contains("grep"), "{out}");
    // The halves are lone, and no client joins them.
    let joined: String = events(
        out.replace("\\ud83d", "\u{FFFD}")
            .replace("\\ude00", "\u{FFFD}")
            .as_bytes(),
    )
    .iter()
    .map(|event| {
        event["choices"][0]["delta"]["content"]
            .as_str()
            .expect("text")
            .to_owned()
    })
    .collect();
    assert_eq!(joined, "\u{FFFD}\u{FFFD} B");
}

#[test]
fn an_event_is_named_like_another_formats() {
    let chat = chat("So. [substrate.grep]");
    let stream = format!("event: content_block_delta\ndata: {chat}\n\n");
    assert_eq!(strip(&stream), stream.replace(" [substrate.grep]", ""));
}

#[test]
fn tool_calls_and_text_take_turns() {
    let call = |text: &str| json!({"choices": [{"index": 0, "delta": {"content": text, "tool_calls": [{"index": 0, "function": {"arguments": "{}"}}]}}]});
    let out = strip(&sse(&[
        chat("So. ["),
        call(""),
        chat("substrate.grep] B"),
        call(" [substrate.grep]"),
    ]));
    let seen: Vec<_> = events(out.as_bytes())
        .iter()
        .map(|event| {
            event["choices"][0]["delta"]["content"]
                .as_str()
                .expect("text")
                .to_owned()
        })
        .collect();
    // A bracket before a call is not closed after it.
    assert_eq!(seen, ["So.", " [", "", "substrate.grep] B", ""]);
}

#[test]
fn anthropic_text_is_in_the_start_of_each_block() {
    let start = |index: u32, text: &str| json!({"type": "content_block_start", "index": index, "content_block": {"type": "text", "text": text}});
    let stop = |index: u32| json!({"type": "content_block_stop", "index": index});
    let out = strip(&sse(&[
        start(0, "So. [subst"),
        stop(0),
        start(1, "rate.grep]"),
        stop(1),
        start(2, " B"),
        stop(2),
        json!({"type": "message_stop"}),
    ]));
    assert_eq!(
        events(out.as_bytes()),
        [
            start(0, "So."),
            stop(0),
            start(1, " B"),
            stop(1),
            json!({"type": "message_stop"})
        ]
    );
}

#[test]
fn anthropic_blocks_come_without_their_starts_and_stops() {
    let delta = |index: u32, text: &str| json!({"type": "content_block_delta", "index": index, "delta": {"type": "text_delta", "text": text}});
    let out = strip(&sse(&[
        delta(0, "So. [subst"),
        delta(1, "rate.grep]"),
        delta(2, " B"),
        json!({"type": "message_stop"}),
    ]));
    assert!(!out.contains("subst") && !out.contains("grep"), "{out}");
    let deltas = events(out.as_bytes());
    let deltas = deltas
        .iter()
        .filter_map(|event| event["delta"]["text"].as_str());
    assert_eq!(deltas.collect::<String>(), "So. B");
}

#[test]
fn anthropic_blocks_that_are_removed_are_between_tools() {
    let start = |index: u32, block: Value| json!({"type": "content_block_start", "index": index, "content_block": block});
    let text = |index: u32, text: &str| json!({"type": "content_block_delta", "index": index, "delta": {"type": "text_delta", "text": text}});
    let tool = || json!({"type": "tool_use", "id": "t", "name": "f", "input": {}});
    let empty = || json!({"type": "text", "text": ""});
    let stop = |index: u32| json!({"type": "content_block_stop", "index": index});
    let end = json!({"type": "message_stop"});
    let out = strip(&sse(&[
        start(0, tool()),
        stop(0),
        start(1, empty()),
        text(1, "[substrate.grep]"),
        stop(1),
        start(2, tool()),
        stop(2),
        start(3, empty()),
        text(3, "[substrate.grep]"),
        stop(3),
        start(4, empty()),
        text(4, "B ["),
        stop(4),
        end.clone(),
    ]));
    let expected = [
        start(0, tool()),
        stop(0),
        start(1, tool()),
        stop(1),
        start(2, empty()),
        text(2, "B"),
        text(2, " ["),
        stop(2),
        end,
    ];
    assert_eq!(events(out.as_bytes()), expected);
}

#[test]
fn a_citation_points_into_a_text_with_many_annotations() {
    let many = "A. [substrate.grep] ".repeat(300);
    let delta = json!({"type": "response.output_text.delta", "output_index": 0, "content_index": 0, "delta": many + "End"});
    let citation = |start: u64| {
        json!({"type": "response.output_text.annotation.added", "output_index": 0, "content_index": 0,
        "annotation": {"type": "url_citation", "start_index": start, "end_index": start + 3}})
    };
    let out = strip(&sse(&[delta, citation(6_000)]));
    assert_eq!(events(out.as_bytes())[1], citation(900));
}

#[test]
fn sequence_numbers_stay_apart_where_two_texts_hold_back() {
    let delta = |part: u32, number: u64, text: &str| json!({"type": "response.output_text.delta", "item_id": "i", "output_index": 0, "content_index": part, "sequence_number": number, "delta": text});
    let out = strip(&sse(&[
        delta(0, 0, "A ["),
        delta(1, 1, "B ["),
        json!({"type": "response.completed", "sequence_number": 2}),
    ]));
    let numbers: Vec<_> = events(out.as_bytes())
        .iter()
        .map(|event| event["sequence_number"].as_u64())
        .collect();
    assert_eq!(numbers, (0..5).map(Some).collect::<Vec<_>>(), "{out}");
}

#[test]
fn two_whole_responses_are_lines_of_one_body() {
    let body = |text: &str| json!({"object": "chat.completion", "choices": [{"index": 0, "message": {"content": text}, "finish_reason": "stop"}]});
    let stream = format!(
        "{}\n{}\n",
        body("So. [subst"),
        body("rate.grep] B [substrate.grep]")
    );
    let expected = format!("{}\n{}\n", body("So. [subst"), body("rate.grep] B"));
    assert_eq!(strip(&stream), expected);
}

#[test]
fn a_gemini_array_ends_within_an_annotation() {
    let event = |text: &str| json!({"candidates": [{"index": 0, "content": {"parts": [{"text": text}], "role": "model"}}]});
    let out = strip(&format!("[{}\n,{}\n]\n", event("So. ["), event("subst")));
    assert_eq!(texts(Format::Gemini, &out), "So. [subst");
}

#[test]
fn ollama_says_done_in_the_event_with_the_rest_of_an_annotation() {
    let line = |text: &str, done: bool| {
        json!({"message": {"role": "assistant", "content": text}, "done": done}).to_string() + "\n"
    };
    let out = strip(&[line("So. [subst", false), line("rate.grep] [x", true)].concat());
    assert_eq!(out, [line("So.", false), line(" [x", true)].concat());
}

#[test]
fn a_counted_index_is_at_its_limit() {
    let event = |index: u64, text: &str| {
        format!(
            "data: {{\"choices\":[{{\"index\":{index},\"delta\":{{\"content\":\"{text}\"}}}}]}}\n\n"
        )
    };
    let last = u64::from(u32::MAX);
    let (out, report) = run(
        &StreamRewriter::detect(Parser::new()),
        [event(last - 1, "So. [subst"), event(last, "rate.grep]")]
            .concat()
            .as_bytes(),
    );
    assert!(
        !String::from_utf8_lossy(&out).contains("grep"),
        "{report:?}"
    );
    assert_eq!(report.count(NoticeCode::OddChannel), 1);
}

/// Two choices whose deltas have no role, so that only the numbers distinguish them.
#[test]
fn choices_without_a_role_are_texts_of_their_own() {
    for count in [2, 20, 100] {
        let event = |index: usize, text: &str| {
            format!(
                "data: {{\"choices\":[{{\"index\":{index},\"delta\":{{\"content\":\"{text}\"}}}}]}}\n\n"
            )
        };
        let pieces = ["It is so. [subst", "rate.grep] N", "ext."];
        let stream: String = pieces
            .iter()
            .flat_map(|piece| (0..count).map(|index| event(index, piece)))
            .collect();
        for size in [1, 64, 1 << 20] {
            let mut rewriter = StreamRewriter::new(Format::OpenAiChat, Parser::new());
            let mut out = Vec::new();
            for chunk in stream.as_bytes().chunks(size) {
                rewriter.push(chunk, Output(&mut out));
            }
            rewriter.finish(Output(&mut out));
            assert!(rewriter.report().is_complete());
            let client = Client::of(Format::OpenAiChat, &out);
            assert_eq!(client.texts.len(), count);
            for text in client.texts.values() {
                assert_eq!(text, "It is so. Next.");
            }
        }
    }
}

#[test]
fn converse_loses_a_block_between_reasoning_and_a_tool() {
    let delta = |index: u32, delta: Value| json!({"contentBlockDelta": {"delta": delta, "contentBlockIndex": index}});
    let stop = |index: u32| json!({"contentBlockStop": {"contentBlockIndex": index}});
    let tool = |index: u32| json!({"contentBlockStart": {"start": {"toolUse": {"toolUseId": "t", "name": "f"}}, "contentBlockIndex": index}});
    let end = json!({"messageStop": {"stopReason": "tool_use"}});
    let thought = delta(0, json!({"reasoningContent": {"text": "Hm."}}));
    let out = strip(&sse(&[
        thought.clone(),
        stop(0),
        delta(1, json!({"text": "[substrate"})),
        delta(1, json!({"text": ".grep]"})),
        stop(1),
        tool(2),
        stop(2),
        end.clone(),
    ]));
    assert_eq!(
        events(out.as_bytes()),
        [thought, stop(0), tool(1), stop(1), end]
    );
}

#[test]
fn llama_cpp_repeats_an_event_in_verbose() {
    let event = |text: &str, verbose: Value| json!({"choices": [{"index": 0, "delta": {"content": text}}], "__verbose": verbose});
    let verbose = |text: &str| json!({"content": text, "tokens": [1]});
    let out = strip(&sse(&[
        event("So.", verbose("So.")),
        event(" [substrate.grep]", verbose(" [substrate.grep]")),
        event(" B", verbose(" B")),
    ]));
    assert_eq!(
        events(out.as_bytes()),
        [
            event("So.", verbose("So.")),
            event("", Value::Null),
            event(" B", verbose(" B"))
        ]
    );
}
