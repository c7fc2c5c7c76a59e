//! Streams that were made to break the rewriter, each by the row of the review that it belongs to.

use provstream::Parser;
use provstream_providers::{Format, NoticeCode, ReadReport, StreamRewriter};
use serde_json::{Value, json};
use testkit::wire::oracle::{Client, events};
use testkit::wire::output::Output;

/// Returns the output for a stream, which must be equal in chunks of every size, and its report.
fn stripped(rewriter: &StreamRewriter, stream: &str) -> (String, ReadReport) {
    let run = |size: usize| {
        let mut rewriter = rewriter.clone();
        let mut out = Vec::new();
        for chunk in stream.as_bytes().chunks(size) {
            rewriter.push(chunk, Output(&mut out));
        }
        rewriter.finish(Output(&mut out));
        (
            String::from_utf8(out).expect("UTF-8"),
            rewriter.report().clone(),
        )
    };
    let whole = run(usize::MAX);
    for size in [1, 7, 64] {
        assert_eq!(run(size), whole, "by {size}");
    }
    whole
}

/// Returns the output and report of a stream whose format is detected; all of it must be read.
fn strip(stream: &str) -> String {
    let (out, report) = stripped(&StreamRewriter::detect(Parser::new()), stream);
    assert!(report.is_complete(), "{report:?}");
    assert!(
        report.text_bytes() > 0 || !stream.contains("substrate"),
        "{report:?}"
    );
    out
}

fn sse(events: &[Value]) -> String {
    events
        .iter()
        .map(|event| format!("data: {event}\n\n"))
        .collect()
}

/// A delta of chat completions.
fn chat(content: &str) -> Value {
    json!({"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m",
        "choices": [{"index": 0, "delta": {"content": content}, "finish_reason": null}]})
}

fn chat_text(out: &str) -> String {
    let client = Client::of(Format::OpenAiChat, out.as_bytes());
    client.texts.into_values().collect()
}

#[test]
fn review_1_a_reason_to_finish_in_every_chunk_ends_nothing() {
    for reason in ["", "null", "stop"] {
        let event = |text: &str| json!({"choices": [{"index": 0, "delta": {"content": text}, "finish_reason": reason}]});
        let stream = sse(&["It is so.", " [subst", "", "rate", ".grep]", " Really."].map(event));
        for end in ["", "data: [DONE]\n\n"] {
            let out = strip(&format!("{stream}{end}"));
            assert_eq!(chat_text(&out), "It is so. Really.", "{reason:?}: {out}");
            assert_eq!(events(out.as_bytes()).len(), 6);
        }
    }
}

#[test]
fn review_2_legacy_completions_content_parts_and_refusals_are_read() {
    let legacy =
        |text: &str| json!({"object": "text_completion", "choices": [{"index": 0, "text": text}]});
    let part =
        |text: &str| json!({"choices": [{"delta": {"content": [{"type": "text", "text": text}]}}]});
    let plain_part = |text: &str| json!({"choices": [{"delta": {"content": [text]}}]});
    let refusal = |text: &str| json!({"choices": [{"index": 0, "delta": {"refusal": text}}]});
    let pieces = ["No. [subst", "rate.grep]", " Really. ["];
    for event in [
        &legacy as &dyn Fn(&str) -> Value,
        &part,
        &plain_part,
        &refusal,
    ] {
        let out = strip(&(sse(&pieces.map(event)) + "data: [DONE]\n\n"));
        assert!(!out.contains("subst") && !out.contains("grep"), "{out}");
        assert!(out.contains("\" [\""), "{out}");
    }
    let responses = |text: &str| json!({"type": "response.refusal.delta", "item_id": "i", "output_index": 0, "content_index": 0, "delta": text});
    let done = json!({"type": "response.refusal.done", "output_index": 0, "content_index": 0,
        "refusal": "No. [substrate.grep] Really. ["});
    let out = strip(&sse(&[
        responses("No. [subst"),
        responses("rate.grep] Really. ["),
        done,
    ]));
    assert!(!out.contains("subst"), "{out}");
    assert_eq!(out.matches("response.refusal.delta").count(), 3, "{out}");
}

#[test]
fn review_2_a_stream_of_which_text_was_not_read_is_never_complete() {
    for (stream, code) in [
        (
            "data: {\"choices\":[{\"delta\":{\"content\":{\"x\":\"[substrate.grep]\"}}}]}\n\ndata: [DONE]\n\n",
            Some(NoticeCode::UnreadText),
        ),
        (
            "data: {\"choices\":[{\"delta\":{\"content\":\"[substrate.grep]\n\ndata: [DONE]\n\n",
            Some(NoticeCode::MalformedEvent),
        ),
        (
            "data: {\"output\":\"[substrate.grep]\"}\n\ndata: [DONE]\n\n",
            None,
        ),
        (
            "data: {\"type\":\"ping\",\"text\":\"[substrate.grep]\"}\n\n",
            None,
        ),
    ] {
        let (out, report) = stripped(&StreamRewriter::detect(Parser::new()), stream);
        assert_eq!(out, stream);
        assert!(!report.is_complete() && report.unread() == 1, "{report:?}");
        if let Some(code) = code {
            assert_eq!(report.count(code), 1);
        }
    }
}

#[test]
fn review_3_characters_that_line_splitters_cut_at_stay_escaped() {
    let stream = "{\"message\":{\"content\":\"a\\u2028b\\u2029c\\u0085d [substrate.grep]\"},\"done\":false}\n{\"message\":{\"content\":\"\"},\"done\":true}\n";
    let out = strip(stream);
    assert_eq!(out, stream.replace(" [substrate.grep]", ""));
}

#[test]
fn review_4_an_added_event_has_the_identifiers_of_the_last() {
    let done =
        |place: &str| json!({"choices": [{"index": 0, "delta": {}, "finish_reason": place}]});
    let out = strip(&sse(&[chat("It is so. ["), done("stop")]));
    let added = &events(out.as_bytes())[1];
    assert_eq!(*added, chat(" ["));
    let ollama = |text: &str, time: &str, done: bool| json!({"model": "m", "created_at": time, "message": {"role": "assistant", "content": text}, "done": done});
    let stream = format!(
        "{}\n{}\n{}\n",
        ollama("It ", "1", false),
        ollama("is ", "2", false),
        ollama("", "3", true)
    );
    let out = strip(&stream);
    assert_eq!(events(out.as_bytes())[2], ollama(" ", "2", false));
    let delta = |text: &str, number: u64| {
        json!({"type": "response.output_text.delta", "item_id": "i", "output_index": 0, "content_index": 0,
            "sequence_number": number, "delta": text, "logprobs": []})
    };
    let end = |number: u64| {
        json!({"type": "response.output_text.done", "item_id": "i", "output_index": 0,
        "content_index": 0, "sequence_number": number, "text": "x ["})
    };
    let out = strip(&sse(&[
        delta("x [", 4),
        end(5),
        json!({"type": "response.completed", "sequence_number": 6}),
    ]));
    let expected = [
        delta("x", 4),
        delta(" [", 5),
        end(6),
        json!({"type": "response.completed", "sequence_number": 7}),
    ];
    assert_eq!(events(out.as_bytes()), expected);
}

#[test]
fn review_5_an_event_of_several_mebibytes_is_rewritten() {
    let image = "A".repeat(3 << 20);
    let event = |text: &str| {
        json!({"type": "response.completed", "response": {"output": [
            {"type": "image_generation_call", "result": image},
            {"type": "message", "content": [{"type": "output_text", "text": text}]}]}})
    };
    let rewriter = StreamRewriter::detect(Parser::new());
    let stream = sse(&[event("It is so. [substrate.grep]")]);
    for size in [4_000, usize::MAX] {
        let (mut rewriter, mut out) = (rewriter.clone(), Vec::new());
        for chunk in stream.as_bytes().chunks(size) {
            rewriter.push(chunk, Output(&mut out));
        }
        rewriter.finish(Output(&mut out));
        assert!(out == sse(&[event("It is so.")]).into_bytes());
    }
}

#[test]
fn review_6_the_last_event_needs_no_blank_line() {
    let event = |text: &str| json!({"candidates": [{"content": {"parts": [{"text": text}]}, "finishReason": "STOP"}]});
    for end in ["", "\n"] {
        let out = strip(&format!(
            "data: {}{end}",
            event("It is so. [substrate.grep]")
        ));
        assert_eq!(out, format!("data: {}{end}", event("It is so.")));
        let stream = format!(
            "{}data: {}{end}",
            sse(&[event("It is so. [subst")]),
            event("rate.grep] [")
        );
        let expected = format!("{}data: {}{end}", sse(&[event("It is so.")]), event(" ["));
        assert_eq!(strip(&stream), expected);
    }
}

#[test]
fn review_7_what_is_malformed_oversized_or_unterminated_is_counted() {
    let stream = [
        &sse(&[chat("a")]),
        "data: {\"choices\":[\n\n",
        &sse(&[chat(&"x".repeat(400))]),
        "data: {\"choices\":[{\"delta\":{\"content\":\"[substrate.grep",
    ]
    .concat();
    let rewriter = StreamRewriter::new(Format::OpenAiChat, Parser::new()).with_max_event(300);
    let (out, report) = stripped(&rewriter, &stream);
    assert_eq!(out, stream);
    for code in [
        NoticeCode::MalformedEvent,
        NoticeCode::OversizedEvent,
        NoticeCode::UnterminatedEvent,
    ] {
        assert_eq!(report.count(code), 1, "{code}");
    }
    assert_eq!((report.unread(), report.is_complete()), (3, false));
}

/// An Anthropic message of these blocks, each in its deltas.
fn message(blocks: &[&[&str]]) -> Vec<Value> {
    let mut all = vec![
        json!({"type": "message_start", "message": {"id": "m", "role": "assistant", "content": []}}),
    ];
    for (index, deltas) in blocks.iter().enumerate() {
        all.push(json!({"type": "content_block_start", "index": index, "content_block": {"type": "text", "text": ""}}));
        for text in *deltas {
            let delta = json!({"type": "text_delta", "text": text});
            all.push(json!({"type": "content_block_delta", "index": index, "delta": delta}));
        }
        all.push(json!({"type": "content_block_stop", "index": index}));
    }
    all.push(json!({"type": "message_delta", "delta": {"stop_reason": "end_turn"}}));
    all.push(json!({"type": "message_stop"}));
    all
}

#[test]
fn review_8_three_hundred_content_blocks_are_read() {
    let block: &[&str] = &["It is so. [subst", "rate.grep]"];
    let out = strip(&sse(&message(&[block; 300])));
    let text = &Client::of(Format::Anthropic, out.as_bytes()).texts["message"];
    assert_eq!(*text, "It is so.".repeat(300));
}

#[test]
fn review_9_the_text_blocks_of_a_message_are_one_text() {
    let out = strip(&sse(&message(&[
        &["It is so. [subst"],
        &["rate.grep] Really."],
        &["", " ["],
    ])));
    let client = Client::of(Format::Anthropic, out.as_bytes());
    assert_eq!(client.texts["message"], "It is so. Really. [");
    assert!(!client.is_late, "{out}");
    // The rest of a text comes in its last block, before that ends.
    let types: Vec<_> = events(out.as_bytes())
        .iter()
        .map(|event| event["type"].clone())
        .collect();
    assert_eq!(
        types[types.len() - 4..],
        [
            "content_block_delta",
            "content_block_stop",
            "message_delta",
            "message_stop"
        ]
    );
}

/// The texts of the content that Anthropic's SDKs put together: each block is added at its start, and changed by its number.
fn content(out: &str) -> Vec<String> {
    let mut content: Vec<Option<String>> = Vec::new();
    let mut open = None;
    for event in events(out.as_bytes()) {
        let place = event["index"].as_u64().map(|index| index as usize);
        match event["type"].as_str().expect("a type") {
            "content_block_start" => {
                assert_eq!((place, open), (Some(content.len()), None), "{out}");
                content.push(event["content_block"]["text"].as_str().map(str::to_owned));
                open = place;
            }
            "content_block_delta" => {
                assert_eq!(place, open, "{out}");
                let block = &mut content[place.expect("a block")];
                if let (Some(text), Some(delta)) = (block, event["delta"]["text"].as_str()) {
                    text.push_str(delta);
                }
            }
            "content_block_stop" => assert_eq!(place, open.take(), "{out}"),
            _ => {}
        }
    }
    content
        .into_iter()
        .map(|text| text.unwrap_or_else(|| "(tool)".into()))
        .collect()
}

#[test]
fn review_9_a_block_that_loses_its_text_is_removed_and_the_others_are_renumbered() {
    let cases: &[(&[&[&str]], &[&str])] = &[
        (
            &[&["It is so."], &[" [substrate", ".grep]"], &[" Really."]],
            &["It is so.", " Really."],
        ),
        (
            &[
                &["It is so."],
                &[" [subst"],
                &["rate.grep]"],
                &["", "Really"],
            ],
            &["It is so.", "Really"],
        ),
        (&[&["[substrate.grep]"], &["It is so."]], &["It is so."]),
        (&[&["[substrate.grep]"]], &[]),
        (&[&["It is so."], &[" [subst"]], &["It is so.", " [subst"]),
        (
            &[&["It is so."], &[" [subst"], &["x", " y"]],
            &["It is so.", " [subst", "x y"],
        ),
        (
            &[
                &["So."],
                &[" [subst"],
                &["rate"],
                &[".grep", "]"],
                &[" A"],
                &["[substrate.grep]"],
                &[" B ["],
            ],
            &["So.", " A", " B ["],
        ),
        // One that was empty before stays: the rewriter did not empty it.
        (
            &[&["So."], &[], &["[substrate.grep]"], &["B"]],
            &["So.", "", "B"],
        ),
    ];
    for (blocks, expected) in cases {
        let mut events = message(blocks);
        let out = strip(&sse(&events));
        assert_eq!(content(&out), *expected, "{out}");
        // With pings, and with a tool call at the end.
        let at = events.len() - 2;
        let index = blocks.len();
        events.insert(at, json!({"type": "content_block_stop", "index": index}));
        events.insert(at, json!({"type": "content_block_delta", "index": index, "delta": {"type": "input_json_delta", "partial_json": "{}"}}));
        events.insert(at, json!({"type": "content_block_start", "index": index, "content_block": {"type": "tool_use", "id": "t", "name": "f", "input": {}}}));
        let pings: Vec<_> = events
            .iter()
            .flat_map(|event| [json!({"type": "ping"}), event.clone()])
            .collect();
        let out = strip(&sse(&pings));
        let mut with_tool = expected.to_vec();
        with_tool.push("(tool)");
        assert_eq!(content(&out), with_tool, "{out}");
        assert_eq!(out.matches("ping").count(), events.len());
    }
}

#[test]
fn review_9_a_block_that_loses_its_text_is_removed_from_a_whole_response() {
    let text = |text: &str| json!({"type": "text", "text": text, "citations": null});
    let tool = || json!({"type": "tool_use", "id": "t", "name": "f", "input": {"q": ["[substrate.grep]"]}});
    let message = |content: Vec<Value>| json!({"type": "message", "role": "assistant", "content": content, "stop_reason": "end_turn"});
    for (before, after) in [
        (
            vec![text("So."), text(" [substrate.grep]"), text("B")],
            vec![text("So."), text("B")],
        ),
        (
            vec![text("So."), text(" [subst"), text("rate.grep]")],
            vec![text("So.")],
        ),
        (vec![text("[substrate.grep]"), tool()], vec![tool()]),
        (vec![text("[substrate.grep]")], vec![]),
        (
            vec![
                text("[substrate.grep]"),
                text("[substrate.grep]"),
                text("B"),
            ],
            vec![text("B")],
        ),
        (
            vec![
                text("A"),
                text("[substrate.grep]"),
                text("B"),
                text(" [substrate.grep]"),
            ],
            vec![text("A"), text("B")],
        ),
        (
            vec![text("A"), text(""), text("[substrate.grep]")],
            vec![text("A"), text("")],
        ),
    ] {
        let (before, after) = (message(before), message(after));
        let pretty = serde_json::to_string_pretty(&before).expect("JSON");
        for stream in [pretty, before.to_string()] {
            let out: Value = serde_json::from_str(&strip(&stream)).expect("JSON");
            assert_eq!(out, after);
        }
        let start = |message: &Value| json!({"type": "message_start", "message": message});
        let out = strip(&sse(&[start(&before), json!({"type": "message_stop"})]));
        assert_eq!(events(out.as_bytes())[0], start(&after));
    }
}

#[test]
fn review_9_a_stream_that_ends_within_a_block_leaves_none_without_text() {
    let blocks: &[&[&str]] = &[&["A"], &[" [substrate", ".grep]"], &["B ["]];
    let events = message(blocks);
    for (len, expected) in [
        (4, vec!["A"]),
        (5, vec!["A"]),
        (6, vec!["A", " [substrate"]),
        (7, vec!["A"]),
        (8, vec!["A"]),
        (10, vec!["A", "B ["]),
    ] {
        let mut stream = sse(&events[..len]);
        let whole = strip(&stream);
        // A last event without its blank line.
        stream.truncate(stream.len() - 2);
        let cut = strip(&stream);
        for out in [whole, cut] {
            let mut texts = content(&out);
            if len < 6 {
                // Its block has begun and had no text before the end.
                texts.retain(|text| !text.is_empty());
            }
            assert_eq!(texts, expected, "{len}: {out}");
        }
    }
}

#[test]
fn review_9_text_of_a_blocks_start_comes_after_it_in_the_same_block() {
    let mut events = message(&[&["A"], &[]]);
    events[4]["content_block"]["text"] = " x [".into();
    assert_eq!(content(&strip(&sse(&events))), ["A", " x ["]);
}

#[test]
fn review_10_offsets_point_into_the_clean_text() {
    let gemini = |text: &str, start: u64, end: u64| {
        json!({"candidates": [{"content": {"parts": [{"text": text}]}, "groundingMetadata": {"groundingSupports":
            [{"segment": {"startIndex": start, "endIndex": end, "text": "Ja."}}]}}]})
    };
    let out = strip(&sse(&[gemini("Grüße. [substrate.grep] Ja.", 26, 29)]));
    assert_eq!(events(out.as_bytes())[0], gemini("Grüße. Ja.", 9, 12));
    let delta = |text: &str| json!({"type": "content-delta", "index": 0, "delta": {"message": {"content": {"text": text}}}});
    let citation = |start: u64, end: u64| {
        json!({"type": "citation-start", "index": 0, "delta": {"message": {"citations":
            {"start": start, "end": end, "text": "Ja.", "content_index": 0}}}})
    };
    let out = strip(&sse(&[
        delta("Grüße. [substr"),
        delta("ate.grep] Ja."),
        citation(24, 27),
    ]));
    assert_eq!(events(out.as_bytes())[2], citation(7, 10));
    let annotation = |start: u64| {
        json!({"type": "response.output_text.annotation.added", "output_index": 0, "content_index": 0,
            "annotation": {"type": "url_citation", "start_index": start, "end_index": start + 3, "url": "u"}})
    };
    let delta = json!({"type": "response.output_text.delta", "output_index": 0, "content_index": 0, "delta": "Grüße. [substrate.grep] Ja."});
    let out = strip(&sse(&[delta, annotation(24)]));
    assert_eq!(events(out.as_bytes())[1], annotation(7));
}

#[test]
fn review_11_text_held_back_comes_before_a_tool_call() {
    let call = json!({"choices": [{"index": 0, "delta": {"tool_calls": [{"index": 0, "id": "t", "function": {"name": "f", "arguments": ""}}]}}]});
    let out = strip(&sse(&[chat("Let me see. ["), call.clone()]));
    assert_eq!(
        events(out.as_bytes()),
        [chat("Let me see."), chat(" ["), call]
    );
    let gemini = |parts: Value| json!({"candidates": [{"content": {"parts": parts}}]});
    let call = json!({"functionCall": {"name": "f", "args": {}}});
    let out = strip(&sse(&[
        gemini(json!([{"text": "See ["}, call])),
        gemini(json!([{"text": "x"}])),
    ]));
    assert_eq!(
        events(out.as_bytes())[0],
        gemini(json!([{"text": "See ["}, call]))
    );
    let mut blocks = message(&[&["Let me see. ["]]);
    let tool = json!({"type": "content_block_start", "index": 1, "content_block": {"type": "tool_use", "id": "t", "name": "f", "input": {}}});
    blocks.insert(4, tool.clone());
    let out = strip(&sse(&blocks));
    let after = events(out.as_bytes());
    assert_eq!(
        (&after[3]["delta"]["text"], &after[4]["type"]),
        (&json!(" ["), &json!("content_block_stop"))
    );
    assert_eq!(after[5], tool);
}

#[test]
fn review_12_text_held_back_comes_before_the_event_that_finishes() {
    let event = |text: &str, finish: bool| {
        let mut event = json!({"candidates": [{"content": {"parts": [{"text": text}], "role": "model"}, "index": 0}], "modelVersion": "g"});
        if finish {
            event["candidates"][0]["finishReason"] = "STOP".into();
            event["usageMetadata"] = json!({"totalTokenCount": 3});
        }
        event
    };
    for (stream, expected) in [
        (
            vec![event("So ", false), event("[", true)],
            vec![event("So", false), event(" [", true)],
        ),
        (
            vec![event("So [", false), event("", true)],
            vec![event("So", false), event(" [", false), event("", true)],
        ),
        (
            vec![event("So [", true), event("sub", true), event("x", true)],
            vec![event("So", true), event("", true), event(" [subx", true)],
        ),
    ] {
        assert_eq!(events(strip(&sse(&stream)).as_bytes()), expected);
    }
}

#[test]
fn review_13_a_content_part_that_is_done_ends_its_text() {
    let delta = |text: &str| json!({"type": "response.output_text.delta", "item_id": "i", "output_index": 0, "content_index": 0, "delta": text});
    let part = json!({"type": "response.content_part.done", "output_index": 0, "content_index": 0, "part": {"type": "output_text", "text": "x ["}});
    let item = json!({"type": "response.output_item.done", "output_index": 0, "item": {"type": "message", "content": [{"type": "output_text", "text": "x ["}]}});
    for end in [part, item] {
        let out = strip(&sse(&[delta("x ["), end.clone()]));
        assert_eq!(events(out.as_bytes()), [delta("x"), delta(" ["), end]);
    }
}

#[test]
fn review_14_a_keep_alive_shows_no_format_and_a_later_event_corrects_an_earlier_one() {
    let ping = json!({"type": "ping"});
    let other = json!({"type": "message_start"});
    for first in [ping, other] {
        let out = strip(&sse(&[first.clone(), chat("It is so. [substrate.grep]")]));
        assert_eq!(events(out.as_bytes()), [first, chat("It is so.")]);
    }
}

#[test]
fn review_15_not_a_number_is_read_as_sdks_read_it() {
    for number in ["NaN", "-Infinity", "Infinity"] {
        let event = |text: &str| {
            format!(
                "data: {{\"score\":{number},\"choices\":[{{\"p\":{number},\"delta\":{{\"content\":\"{text}\"}}}}]}}\n\n"
            )
        };
        assert_eq!(
            strip(&event("It is so. [substrate.grep]")),
            event("It is so.")
        );
    }
}

#[test]
fn review_16_odd_numbers_of_a_choice_leak_nothing() {
    let event = |index: &str, text: &str| {
        format!(
            "data: {{\"choices\":[{{\"index\":{index},\"delta\":{{\"content\":\"{text}\"}}}}]}}\n\n"
        )
    };
    for (index, is_odd) in [
        ("0.0", false),
        ("\"0\"", false),
        ("-1", true),
        ("4294967296", true),
        ("[]", true),
    ] {
        let stream = [
            event(index, "It is so. [subst"),
            event("0", "rate.grep] Really."),
        ]
        .concat();
        let (out, report) = stripped(&StreamRewriter::detect(Parser::new()), &stream);
        assert_eq!(
            out,
            [event(index, "It is so."), event("0", " Really.")].concat()
        );
        assert_eq!(
            report.count(NoticeCode::AmbiguousEvent),
            u64::from(is_odd),
            "{index}"
        );
        assert_eq!(report.is_complete(), !is_odd);
    }
    let pieces = ["It is so.", " [subst", "rate", ".grep]", " Really."];
    let counted: Vec<_> = pieces
        .iter()
        .enumerate()
        .map(|(index, text)| event(&index.to_string(), text))
        .collect();
    let expected = ["It is so.", "", "", "", " Really."];
    let expected: Vec<_> = expected
        .iter()
        .enumerate()
        .map(|(index, text)| event(&index.to_string(), text))
        .collect();
    assert_eq!(strip(&counted.concat()), expected.concat());
}

/// A delta of one choice, in which a message begins.
fn with_role(index: usize, text: &str) -> Value {
    json!({"choices": [{"index": index, "delta": {"role": "assistant", "content": text}}]})
}

#[test]
fn review_16_a_number_that_counts_deltas_leaks_nothing_if_each_has_a_role() {
    let pieces = ["It is so.", " [subst", "rate", ".grep]", " Really."];
    let clean = ["It is so.", "", "", "", " Really."];
    for first in [0, 1, 7] {
        for end in ["", "data: {\"type\":\"ping\"}\n\n", "data: [DONE]\n\n"] {
            for len in 2..=pieces.len() {
                let event = |texts: &[&str]| -> String {
                    let events = texts.iter().enumerate();
                    let events = events.map(|(place, text)| with_role(first + place, text));
                    sse(&events.collect::<Vec<_>>()) + end
                };
                let stream = event(&pieces[..len]);
                if len < 4 {
                    // The annotation is not closed, so it is text.
                    assert_eq!(
                        stripped(&StreamRewriter::detect(Parser::new()), &stream)
                            .1
                            .unread(),
                        0
                    );
                    continue;
                }
                assert_eq!(strip(&stream), event(&clean[..len]));
            }
        }
    }
    let long: Vec<_> = (0..60)
        .map(|index| with_role(index, ["A. [", "substrate.g", "rep]"][index % 3]))
        .collect();
    let out = strip(&sse(&long));
    assert!(!out.contains("grep"), "{out}");
}

#[test]
fn review_16_choices_that_begin_one_after_the_other_stay_apart() {
    for (count, rounds) in [(2, 2), (3, 2), (16, 3)] {
        let pieces = ["A [subst", "rate.grep] b", " c"];
        let clean = ["A", " b", " c"];
        let events = |pieces: &[&str]| -> String {
            let all = pieces[..rounds].iter();
            let all = all.flat_map(|text| (0..count).map(|index| with_role(index, text)));
            sse(&all.collect::<Vec<_>>())
        };
        let (out, report) = stripped(
            &StreamRewriter::new(Format::OpenAiChat, Parser::new()),
            &events(&pieces),
        );
        assert_eq!(out, events(&clean), "{count} choices");
        assert_eq!(report.count(NoticeCode::OddChannel), 0);
    }
    // Each complete in one event.
    let one = |index: usize| json!({"choices": [{"index": index, "delta": {"role": "assistant", "content": "Yes ["}, "finish_reason": "stop"}]});
    let stream = sse(&[one(0), one(1)]);
    assert_eq!(strip(&stream), stream);
}

#[test]
fn review_17_an_error_that_says_nothing_ends_nothing() {
    for error in [json!({}), json!(""), json!(false), json!([]), json!(0)] {
        let event = |text: &str| json!({"error": error, "choices": [{"index": 0, "delta": {"content": text}}]});
        let out = strip(&sse(&["It is so. [subst", "rate.grep] Really."].map(event)));
        assert_eq!(events(out.as_bytes()), ["It is so.", " Really."].map(event));
    }
}

#[test]
fn review_18_snapshots_with_text_are_rewritten() {
    let item =
        |text: &str| json!({"type": "message", "content": [{"type": "output_text", "text": text}]});
    for event in [
        &(|text: &str| json!({"type": "response.content_part.added", "output_index": 0, "content_index": 0, "part": {"type": "output_text", "text": text}}))
            as &dyn Fn(&str) -> Value,
        &|text: &str| json!({"type": "response.output_item.added", "output_index": 0, "item": item(text)}),
        &|text: &str| json!({"type": "response.in_progress", "response": {"output": [item(text)]}}),
        &|text: &str| json!({"type": "message_start", "message": {"content": [{"type": "text", "text": text}]}}),
    ] {
        let out = stripped(
            &StreamRewriter::detect(Parser::new()),
            &sse(&[event("It is so. [substrate.grep]")]),
        )
        .0;
        assert_eq!(events(out.as_bytes()), [event("It is so.")]);
    }
}

#[test]
fn review_19_a_text_so_far_shows_no_part_of_an_annotation() {
    let event = |delta: &str, so_far: &str, finish: Value| json!({"choices": [{"index": 0, "delta": {"content": delta}, "message": {"content": so_far}, "finish_reason": finish}]});
    let none = Value::Null;
    let out = strip(&sse(&[
        event("It is so. [subst", "It is so. [subst", none.clone()),
        event("rate.grep] [", "It is so. [substrate.grep] [", none.clone()),
        event("x", "It is so. [substrate.grep] [x", "stop".into()),
    ]));
    let expected = [
        event("It is so.", "It is so.", none.clone()),
        event("", "It is so.", none),
        event(" [x", "It is so. [x", "stop".into()),
    ];
    assert_eq!(events(out.as_bytes()), expected);
}

#[test]
fn review_20_an_answer_cut_within_an_annotation_keeps_what_there_is_of_it() {
    let cut = json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "length"}]});
    let out = strip(&sse(&[chat("It is so. [substrate.gr"), cut]));
    assert_eq!(chat_text(&out), "It is so. [substrate.gr");
}

#[test]
fn review_21_two_candidates_are_two_texts() {
    let event = |index: u32, text: &str| json!({"candidates": [{"content": {"parts": [{"text": text}]}, "index": index}]});
    let out = strip(&sse(&[
        event(0, "A [subst"),
        event(1, "B [subst"),
        event(0, "rate.grep] a"),
        event(1, "rate.grep] b"),
    ]));
    let expected = [event(0, "A"), event(1, "B"), event(0, " a"), event(1, " b")];
    assert_eq!(events(out.as_bytes()), expected);
}

#[test]
fn review_22_a_stream_cut_within_a_line_is_not_complete() {
    let stream = "{\"message\":{\"content\":\"It [\"},\"done\":false}\n{\"message\":{\"content\":\"[substrate.grep] x";
    let (out, report) = stripped(&StreamRewriter::detect(Parser::new()), stream);
    let expected = "{\"message\":{\"content\":\"It\"},\"done\":false}\n{\"message\":{\"content\":\" [\"},\"done\":false}\n{\"message\":{\"content\":\"[substrate.grep] x";
    assert_eq!(out, expected);
    assert_eq!(
        (report.unread(), report.count(NoticeCode::UnterminatedEvent)),
        (1, 1)
    );
}

#[test]
fn responses_that_are_not_streamed_are_rewritten_pretty_or_compact() {
    let chat = |text: &str| json!({"object": "chat.completion", "choices": [{"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}], "usage": {"n": 1}});
    let legacy = |text: &str| json!({"object": "text_completion", "choices": [{"index": 0, "text": text, "finish_reason": "stop"}]});
    let responses = |text: &str| json!({"object": "response", "output": [{"type": "message", "content": [{"type": "output_text", "text": text}]}]});
    let anthropic = |text: &str| json!({"type": "message", "role": "assistant", "content": [{"type": "text", "text": text}], "stop_reason": "end_turn"});
    let gemini = |text: &str| json!({"candidates": [{"content": {"parts": [{"text": text}]}, "finishReason": "STOP"}]});
    let ollama = |text: &str| json!({"model": "m", "message": {"role": "assistant", "content": text}, "done": true});
    let cohere = |text: &str| json!({"id": "c", "message": {"role": "assistant", "content": [{"type": "text", "text": text}]}, "finish_reason": "COMPLETE"});
    for response in [
        &chat as &dyn Fn(&str) -> Value,
        &legacy,
        &responses,
        &anthropic,
        &gemini,
        &ollama,
        &cohere,
    ] {
        let (before, after) = (
            response("It is so. [substrate.grep] [x"),
            response("It is so. [x"),
        );
        for end in ["", "\n"] {
            let pretty = |value: &Value| serde_json::to_string_pretty(value).expect("JSON") + end;
            assert_eq!(strip(&pretty(&before)), pretty(&after));
            assert_eq!(strip(&format!("{before}{end}")), format!("{after}{end}"));
        }
    }
}

#[test]
fn compressed_bodies_are_named() {
    for (body, code) in [
        (&b"\x1f\x8b\x08\0abc"[..], NoticeCode::GzipBody),
        (b"\x28\xb5\x2f\xfdabc", NoticeCode::ZstdBody),
        // Brotli with windows of 4 MiB and 16 MiB, and what ends before it is known.
        (b"\x0b\x02\x80abc", NoticeCode::BinaryBody),
        (b"\x1f\x02\x80abc", NoticeCode::BinaryBody),
        (b"\x1f", NoticeCode::BinaryBody),
    ] {
        for size in [1, 2, usize::MAX] {
            let (mut rewriter, mut out) = (StreamRewriter::detect(Parser::new()), Vec::new());
            for chunk in body.chunks(size) {
                rewriter.push(chunk, Output(&mut out));
            }
            rewriter.finish(Output(&mut out));
            assert_eq!(out, body);
            assert_eq!(rewriter.report().count(code), 1, "{code}");
            assert!(!rewriter.report().is_complete());
        }
    }
}

#[test]
fn probabilities_of_tokens_that_were_removed_are_removed() {
    let event = |text: &str, logprobs: Value| json!({"choices": [{"index": 0, "delta": {"content": text}, "logprobs": logprobs}]});
    let tokens = |token: &str| json!({"content": [{"token": token, "logprob": -0.1}]});
    let out = strip(&sse(&[
        event("It", tokens("It")),
        event(" [substrate.grep]", tokens(" [substrate.grep]")),
        event(" is", tokens(" is")),
    ]));
    let expected = [
        event("It", tokens("It")),
        event("", Value::Null),
        event(" is", tokens(" is")),
    ];
    assert_eq!(events(out.as_bytes()), expected);
}

#[test]
fn repeated_members_leak_nothing_and_the_last_counts() {
    let event = |first: &str, last: &str| {
        format!(
            "data: {{\"choices\":[{{\"delta\":{{\"content\":\"{first}\"}},\"delta\":{{\"content\":\"{first}\",\"content\":\"{last}\"}}}}]}}\n\n"
        )
    };
    let out = strip(&event("Old. [substrate.grep]", "New. [substrate.grep]"));
    assert_eq!(out, event("Old.", "New."));
}
