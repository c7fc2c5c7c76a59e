//! Full texts: parts that are one text, copies in other members, and what says nothing between two pieces.

use provstream::{Action, Mode, Parser};
use provstream_providers::{Format, StreamGate, StreamRewriter};
use serde_json::{Value, json};
use testkit::gate::policies::no_inference;

use crate::shapes::{errors, gated, sse, stripped};
use testkit::wire::output::Output;

const BEFORE: &str = "It rains. [substrate.grep] It is SECRET.";
const AFTER: &str = " [unverified-inference] So. [substrate.grep]";
const CLEAN: &str = "It rains. It is SECRET. So.";

fn chat(message: &Value) -> Value {
    json!({"object": "chat.completion", "choices": [{"index": 0, "message": message, "finish_reason": "stop"}]})
}

fn chat_delta(delta: &Value) -> Value {
    json!({"object": "chat.completion.chunk", "choices": [{"index": 0, "delta": delta}]})
}

fn interaction(content: &Value) -> Value {
    json!({"object": "interaction", "status": "completed", "steps": [{"type": "model_output", "content": content}]})
}

fn actions() -> [Action; 4] {
    [
        Action::Discard,
        Action::Replace("(no)".into()),
        Action::Suspend,
        Action::Refuse("(end)".into()),
    ]
}

/// Gates a response in one line, in several, and as an event of a stream.
fn assert_withheld(format: Format, response: &Value, keeps: &str) {
    let pretty = serde_json::to_string_pretty(response).expect("JSON");
    for body in [
        format!("{response}\n"),
        pretty,
        sse(core::slice::from_ref(response)),
    ] {
        for action in actions() {
            let (out, _) = gated(Some(format), &action, &body);
            assert!(!out.contains("SECRET"), "{action:?}: {body} became {out}");
            assert!(out.contains(keeps), "{action:?}: {body} became {out}");
        }
        let (out, report) = gated(Some(format), &Action::Release, &body);
        assert!(out.contains("SECRET"), "{out}");
        assert!(!out.contains("[unverified"), "{out}");
        assert!(report.is_complete(), "{body}: {report:?}");
    }
}

#[test]
fn parts_of_a_full_text_are_one_text() {
    let parts = json!([{"type": "text", "text": BEFORE}, {"type": "text", "text": AFTER}]);
    let three = json!([
        {"type": "text", "text": BEFORE}, {"type": "text", "text": " [unverified-"}, {"type": "text", "text": "inference] So."},
    ]);
    for parts in [&parts, &three] {
        assert_withheld(
            Format::OpenAiChat,
            &chat(&json!({"role": "assistant", "content": parts})),
            "It rains.",
        );
        assert_withheld(Format::GeminiInteractions, &interaction(parts), "It rains.");
        let completed =
            json!({"event_type": "interaction.completed", "interaction": interaction(parts)});
        let (out, _) = gated(
            Some(Format::GeminiInteractions),
            &Action::Discard,
            &sse(&[completed]),
        );
        assert!(
            out.contains("It rains.") && !out.contains("SECRET"),
            "{out}"
        );
    }
    let strings = chat(&json!({"content": [BEFORE, AFTER]}));
    assert_withheld(Format::OpenAiChat, &strings, "It rains.");
    // A citation is no break.
    let cited = json!([
        {"type": "text", "text": BEFORE}, {"type": "reference", "reference_ids": [1]}, {"type": "text", "text": AFTER},
    ]);
    assert_withheld(
        Format::OpenAiChat,
        &chat(&json!({"content": cited})),
        "It rains.",
    );
}

#[test]
fn annotations_are_removed_across_parts_and_text_stays_in_its_part() {
    let parts = json!([{"type": "text", "text": "It rains. [sub"}, {"type": "text", "text": "strate.grep] It is [sub"}, {"type": "text", "text": " so."}]);
    for response in [chat(&json!({"content": parts})), interaction(&parts)] {
        let format = match response.get("steps") {
            Some(_) => Format::GeminiInteractions,
            None => Format::OpenAiChat,
        };
        let body = response.to_string();
        for (out, _) in [
            stripped(Some(format), &body),
            gated(Some(format), &Action::Release, &body),
        ] {
            assert!(
                out.contains(r#""It rains.""#)
                    && out.contains(r#"" It is [sub""#)
                    && out.contains(r#"" so.""#),
                "{out}"
            );
        }
    }
}

#[test]
fn a_part_that_is_not_text_ends_an_assertion() {
    let parts = json!([
        {"type": "text", "text": "It is SECRET."}, {"type": "image_url", "image_url": "x"}, {"type": "text", "text": AFTER},
    ]);
    let (out, _) = gated(
        Some(Format::OpenAiChat),
        &Action::Discard,
        &chat(&json!({"content": parts})).to_string(),
    );
    assert!(out.contains("SECRET") && out.contains("So."), "{out}");
    let parts = json!([
        {"type": "text", "text": "It is [sub"}, {"type": "thinking", "thinking": [{"type": "text", "text": "Hm."}]},
        {"type": "text", "text": "strate.grep] so."},
    ]);
    let body = chat(&json!({"content": parts})).to_string();
    assert_eq!(stripped(Some(Format::OpenAiChat), &body).0, body);
}

/// Each line is a response of its own.
#[test]
fn the_parts_of_two_responses_are_two_texts() {
    let one = chat(
        &json!({"content": [{"type": "text", "text": "It is"}, {"type": "text", "text": " SECRET."}]}),
    );
    let two = chat(&json!({"content": [{"type": "text", "text": AFTER}]}));
    let (out, _) = gated(
        Some(Format::OpenAiChat),
        &Action::Discard,
        &format!("{one}\n{two}\n"),
    );
    assert!(out.contains(" SECRET.") && out.contains("So."), "{out}");
    let one = chat(&json!({"content": [{"type": "text", "text": "It is so. [sub"}]}));
    let two = chat(&json!({"content": [{"type": "text", "text": "strate.grep] Bye."}]}));
    let body = format!("{one}\n{two}\n");
    assert_eq!(stripped(Some(Format::OpenAiChat), &body).0, body);
}

#[test]
fn offsets_into_a_part_count_from_its_start() {
    let parts = json!([
        {"type": "text", "text": "It rains. [substrate.grep]"},
        {"type": "text", "text": " It pours. [substrate.grep] Bye.", "annotations": [{"start_index": 28, "end_index": 31}]},
    ]);
    let (out, _) = stripped(
        Some(Format::GeminiInteractions),
        &interaction(&parts).to_string(),
    );
    let out: Value = serde_json::from_str(&out).expect("JSON");
    let part = &out["steps"][0]["content"][1];
    assert_eq!(part["text"], " It pours. Bye.");
    assert_eq!(
        (
            &part["annotations"][0]["start_index"],
            &part["annotations"][0]["end_index"]
        ),
        (&json!(11), &json!(14))
    );
}

#[test]
fn copies_in_other_members_of_a_response_have_nothing_that_is_withheld() {
    let text = format!("{BEFORE}{AFTER}");
    let two = |one: &str, other: &str| {
        vec![
            (
                Format::OpenAiChat,
                json!({"object": "chat.completion", "choices": [{"index": 0, "message": {"content": one}, "text": other}]}),
            ),
            (
                Format::OpenAiChat,
                json!({"object": "chat.completion", "choices": [{"index": 0, "text": one, "message": {"content": other}}]}),
            ),
            (
                Format::OpenAiChat,
                chat(&json!({"content": one, "refusal": other})),
            ),
            (
                Format::OpenAiChat,
                chat(&json!({"content": one, "audio": {"transcript": other}})),
            ),
            (
                Format::OpenAiChat,
                chat(&json!({"content": [{"type": "text", "text": one}], "refusal": other})),
            ),
            (
                Format::OpenAiChat,
                json!({"object": "chat.completion", "choices": [
                    {"index": 0, "message": {"content": one}, "delta": {"content": other}, "finish_reason": "stop"},
                ]}),
            ),
            (
                Format::OpenAiChat,
                json!({"object": "chat.completion", "choices": [{"index": 0, "message": {"content": one}}, {"index": 0, "message": {"content": other}}]}),
            ),
            (
                Format::Ollama,
                json!({"model": "m", "message": {"role": "assistant", "content": one}, "response": other, "done": true}),
            ),
            (
                Format::Tgi,
                json!({"generated_text": one, "details": {"finish_reason": "length", "best_of_sequences": [{"generated_text": other}]}}),
            ),
            (
                Format::Tgi,
                json!({"generated_text": "Bye.", "details": {"best_of_sequences": [{"generated_text": one}, {"generated_text": other}]}}),
            ),
        ]
    };
    for (format, response) in [two(&text, CLEAN), two(CLEAN, &text)].concat() {
        let body = response.to_string();
        for body in [format!("{body}\n"), sse(&[response])] {
            for action in actions() {
                let (out, _) = gated(Some(format), &action, &body);
                assert!(!out.contains("SECRET"), "{action:?}: {body} became {out}");
                assert!(out.contains("It rains."), "{action:?}: {body} became {out}");
            }
            let (out, _) = gated(Some(format), &Action::Release, &body);
            assert_eq!(out.matches("SECRET").count(), 2, "{body} became {out}");
        }
    }
    // An interaction has steps or outputs.
    for outputs in [CLEAN, &text] {
        let other = if outputs == CLEAN { &*text } else { CLEAN };
        let mut response = interaction(&json!([{"type": "text", "text": other}]));
        response["outputs"] = json!([{"type": "thought"}, {"type": "text", "text": outputs}]);
        let (out, report) = gated(
            Some(Format::GeminiInteractions),
            &Action::Discard,
            &response.to_string(),
        );
        let out: Value = serde_json::from_str(&out).expect("JSON");
        assert_eq!(out["outputs"][1]["text"], "");
        assert_eq!(
            report.unread_members().collect::<Vec<_>>(),
            [("outputs[].text", 1)]
        );
    }
}

fn gate(format: Format, body: &str) -> String {
    let mut gate = StreamGate::new(format, Parser::new(), no_inference());
    let mut out = Vec::new();
    gate.push(body.as_bytes(), Output(&mut out));
    gate.finish(Output(&mut out));
    String::from_utf8(out).expect("UTF-8")
}

/// Choices are answers of their own, which may say the same with other evidence.
#[test]
fn choices_of_a_response_do_not_withhold_each_others_words() {
    let choice = |index: u32, annotation: &str| json!({"index": index, "message": {"content": format!("It is so. [{annotation}]")}});
    let response = json!({"object": "chat.completion", "choices": [choice(0, "unverified-inference"), choice(1, "substrate.grep")]});
    assert_eq!(
        gate(Format::OpenAiChat, &response.to_string())
            .matches("It is so.")
            .count(),
        1
    );
}

fn piece(content: &str) -> Value {
    chat_delta(&json!({"content": content}))
}

/// Whatever members of a choice have text in one event, words that are withheld in one are withheld in the others.
#[test]
fn members_that_differ_in_an_event_have_nothing_that_is_withheld() {
    let twins = |content: &str, text: &str| json!({"choices": [{"index": 0, "delta": {"content": content}, "text": text}]});
    let calls = |content: &str, text: &str| {
        let calls: Vec<_> = (0..9)
            .map(|index| json!({"index": index, "function": {"arguments": "{}"}}))
            .collect();
        json!({"choices": [{"text": text, "index": 0, "delta": {"tool_calls": calls, "content": content}}]})
    };
    let unverified = piece(" [unverified-inference] So. [substrate.grep]");
    for events in [
        vec![
            piece("It rains. [substrate.grep]"),
            twins(" It is SECRET.", " It is SECRET."),
            unverified.clone(),
        ],
        vec![twins("It is SECRET. ", "It is SECRET."), unverified.clone()],
        vec![calls("It is SECRET.", "It is SECRET."), unverified],
        // In the first event, one member has less of the text than the other.
        vec![
            twins("It is SECRET. It is so. ", "It is "),
            twins("So.", "SECRET. [unverified-inference] It is so. So."),
        ],
        vec![
            twins("It is ", "It is SECRET. It is so. "),
            twins("SECRET. [unverified-inference] It is so. So.", "So."),
        ],
    ] {
        let (out, _) = gated(Some(Format::OpenAiChat), &Action::Discard, &sse(&events));
        assert!(!out.contains("SECRET") && out.contains("So."), "{out}");
    }
    let record = r#"{"assertion":"It is \"SECRET\".","#;
    let rest = r#""provenance":{"substrate_class":"unverified-inference"}}"#;
    let body = sse(&[twins(record, record), piece(rest)]);
    let mut gate = StreamGate::new(
        Format::OpenAiChat,
        Parser::builder().mode(Mode::Auto).build(),
        no_inference(),
    );
    let mut out = Vec::new();
    gate.push(body.as_bytes(), Output(&mut out));
    gate.finish(Output(&mut out));
    let out = String::from_utf8(out).expect("UTF-8");
    assert!(!out.contains("SECRET"), "{out}");
}

#[test]
fn values_in_place_of_lists_and_objects_are_text() {
    for (format, event) in [
        (
            Format::OpenAiChat,
            chat_delta(&json!({"content": "Hi.", "images": "It is SECRET."})),
        ),
        (
            Format::OpenAiChat,
            chat_delta(
                &json!({"content": "Hi.", "images": [{"type": "image_url", "note": "It is SECRET."}]}),
            ),
        ),
        (
            Format::BedrockConverse,
            json!({"contentBlockDelta": {"contentBlockIndex": 0, "delta": {"text": "Hi.", "citation": "It is SECRET."}}}),
        ),
        (
            Format::BedrockConverse,
            json!({"contentBlockIndex": 0, "delta": {"text": "Hi.", "citation": ["It is SECRET."]}}),
        ),
    ] {
        let (out, report) = gated(Some(format), &Action::Release, &sse(&[event]));
        assert!(!out.contains("SECRET") && out.contains("Hi."), "{out}");
        assert!(!report.is_complete(), "{out}");
    }
    let image = chat_delta(
        &json!({"images": [{"type": "image_url", "index": 0, "image_url": {"url": "data:image/png;base64,AAAA"}}]}),
    );
    let body = sse(&[image]);
    assert_eq!(
        gated(Some(Format::OpenAiChat), &Action::Release, &body).0,
        body
    );
}

#[test]
fn the_first_of_two_texts_with_one_name_is_counted_if_it_is_emptied() {
    let body = "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"SECRET\",\"content\":\"Hi.\"}}]}\n\n";
    let (out, report) = gated(Some(Format::OpenAiChat), &Action::Release, body);
    assert!(!out.contains("SECRET") && out.contains("Hi."), "{out}");
    assert_eq!(
        report.unread_members().collect::<Vec<_>>(),
        [("choices[].delta.content", 1)]
    );
    let (out, report) = stripped(Some(Format::OpenAiChat), body);
    assert_eq!((&*out, report.is_complete()), (body, true));
}

#[test]
fn ends_because_of_a_server_are_errors() {
    let cohere = |reason: &str| json!({"type": "message-end", "delta": {"finish_reason": reason}});
    let zhipu =
        |reason: &str| json!({"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]});
    for (format, event, expected) in [
        (Format::Cohere, cohere("TIMEOUT"), 1),
        (Format::Cohere, cohere("COMPLETE"), 0),
        (Format::OpenAiChat, zhipu("network_error"), 1),
        (Format::OpenAiChat, zhipu("length"), 0),
    ] {
        assert_eq!(
            errors(Some(format), &sse(core::slice::from_ref(&event))).len(),
            expected,
            "{event}"
        );
    }
}

/// SDKs read such a number by one of two names, or by the first or last of them.
#[test]
fn two_members_that_number_a_text_must_agree() {
    let delta = |summary: &str, delta: &str| {
        format!(
            "data: {{\"type\":\"response.output_text.delta\",\"output_index\":0,\"content_index\":0,{summary}\"delta\":\"{delta}\"}}\n\n"
        )
    };
    let secret = delta("", BEFORE);
    let odd = secret.clone() + &delta("\"summary_index\":1,", AFTER) + &delta("", AFTER);
    let (out, report) = gated(Some(Format::OpenAiResponses), &Action::Discard, &odd);
    assert!(!out.contains("SECRET") && !report.is_complete(), "{out}");
    let even = secret + &delta("\"summary_index\":0,", AFTER);
    let (out, report) = gated(Some(Format::OpenAiResponses), &Action::Discard, &even);
    assert!(!out.contains("SECRET") && report.is_complete(), "{out}");
    let delta = |numbers: &str, delta: &str| {
        format!(
            "{{\"contentBlockDelta\":{{\"contentBlockIndex\":0,\"delta\":{{\"text\":\"{delta}\"}}}}{numbers}}}\n"
        )
    };
    let body = delta("", BEFORE) + &delta(",\"contentBlockIndex\":1", AFTER) + &delta("", AFTER);
    let (out, _) = gated(Some(Format::BedrockConverse), &Action::Discard, &body);
    assert!(!out.contains("SECRET"), "{out}");
}

/// Clients do not read what a gate withholds, so nothing of it ends a text or comes between.
#[test]
fn an_event_that_is_withheld_is_no_break_and_no_end() {
    let chat_event = |event: &str| format!("{event}\n\n");
    let fillers = vec!["1"; 300_000].join(",");
    for event in [
        r#"data: {"choices":[{"index":1,"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{}"}}]}}]}"#,
        r#"data: {"choices":[{"index":1,"index":0,"delta":{},"finish_reason":"error"}]}"#,
        "event: thread.x\ndata: {\"type\":\"x\",\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":\"{}\"}}]}}]}",
        &format!(
            r#"data: {{"choices":[{{"index":0,"delta":{{}},"logprobs":{{"text_offset":[{fillers}]}}}}]}}"#
        ),
    ] {
        let body = sse(&[piece(BEFORE)]) + &chat_event(event) + &sse(&[piece(AFTER)]);
        let (out, report) = gated(Some(Format::OpenAiChat), &Action::Discard, &body);
        assert!(
            !out.contains("SECRET") && out.contains("So."),
            "{}",
            &out[..out.len().min(2_000)]
        );
        assert!(!report.is_complete());
    }
    let block = |text: &str| {
        format!(
            "event: content_block_delta\ndata: {{\"type\":\"content_block_delta\",\"index\":0,\"delta\":{{\"type\":\"text_delta\",\"text\":\"{text}\"}}}}\n\n"
        )
    };
    let body = block(BEFORE)
        + "event: message_stop\ndata: {\"type\":\"ping\",\"type\":\"message_stop\"}\n\n"
        + &block(AFTER);
    let (out, _) = gated(Some(Format::Anthropic), &Action::Discard, &body);
    assert!(!out.contains("SECRET") && out.contains("So."), "{out}");
}

/// Servers write members in each event that say nothing.
#[test]
fn what_says_nothing_is_no_break_and_no_end() {
    let gemini =
        |part: &str| format!(r#"{{"candidates":[{{"index":0,"content":{{"parts":[{part}]}}}}]}}"#);
    let text = |text: &str| gemini(&json!({"text": text}).to_string());
    let cohere = |text: &str| {
        json!({"type": "content-delta", "index": 0, "delta": {"message": {"content": {"text": text}}}}).to_string()
    };
    let mistral = |text: &str| {
        json!({"type": "message.output.delta", "output_index": 0, "content": text}).to_string()
    };
    let bedrock = |text: &str| {
        json!({"contentBlockDelta": {"contentBlockIndex": 0, "delta": {"text": text}}}).to_string()
    };
    let vercel = |text: &str| json!({"type": "text-delta", "id": "a", "delta": text}).to_string();
    let mut all: Vec<(Format, String, String, String)> = Vec::new();
    for nothing in [
        r#""tool_calls":[null]"#,
        r#""tool_calls":[{}]"#,
        r#""images":[0]"#,
        r#""function_call":" ""#,
        r#""reasoning_content":"\n""#,
        r#""reasoning":" ""#,
    ] {
        let event = format!(r#"{{"choices":[{{"index":0,"delta":{{{nothing}}}}}]}}"#);
        all.push((
            Format::OpenAiChat,
            piece(BEFORE).to_string(),
            event,
            piece(AFTER).to_string(),
        ));
    }
    for nothing in ["\"\"", "[]", "0", "false", "[null]"] {
        let event = gemini(&format!(r#"{{"functionCall":{nothing}}}"#));
        all.push((Format::Gemini, text(BEFORE), event, text(AFTER)));
        let event = gemini(&format!(r#"{{"note":{nothing}}}"#));
        all.push((Format::Gemini, text(BEFORE), event, text(AFTER)));
        let event = format!(
            r#"{{"contentBlockDelta":{{"contentBlockIndex":0,"delta":{{"toolUse":{nothing}}}}}}}"#
        );
        all.push((
            Format::BedrockConverse,
            bedrock(BEFORE),
            event,
            bedrock(AFTER),
        ));
        let event =
            format!(r#"{{"type":"message.output.delta","output_index":0,"outputs":{nothing}}}"#);
        all.push((
            Format::MistralConversations,
            mistral(BEFORE),
            event,
            mistral(AFTER),
        ));
    }
    for nothing in ["\"x\"", "true", "[null]", "7"] {
        all.push((
            Format::Cohere,
            cohere(BEFORE),
            format!(r#"{{"type":"debug","message":{nothing}}}"#),
            cohere(AFTER),
        ));
    }
    all.push((
        Format::VercelUi,
        vercel(BEFORE),
        r#"{"type":"text-delta","id":"a","delta":"","parts":[]}"#.into(),
        vercel(AFTER),
    ));
    for (format, before, nothing, after) in all {
        let body = format!("data: {before}\n\ndata: {nothing}\n\ndata: {after}\n\n");
        let (out, _) = gated(Some(format), &Action::Discard, &body);
        assert!(
            !out.contains("SECRET") && out.contains("So."),
            "{format:?} {nothing}: {out}"
        );
        let (out, _) = stripped(Some(format), &body.replace("SECRET. ", "so. "));
        assert!(!out.contains("[unverified"), "{format:?} {nothing}: {out}");
    }
}

/// Servers that write a finish reason in every event stream text that repeats itself.
#[test]
fn text_that_repeats_itself_at_an_end_is_not_lost() {
    let chat = |text: &str| json!({"choices": [{"index": 0, "delta": {"content": text}, "finish_reason": "stop"}]});
    let gemini = |text: &str| json!({"candidates": [{"content": {"parts": [{"text": text}]}, "finishReason": "STOP"}]});
    let llama = |text: &str| json!({"index": 0, "content": text, "stop": true});
    for pieces in [
        &["Knock", " knock", ".", " Who is there?"][..],
        &["really", " really", " good."],
        &["1000", "1000", " is a number."],
        &["It is good.", " It is good.", " I said it twice."],
    ] {
        let whole = pieces.concat();
        for (format, events) in [
            (
                Format::OpenAiChat,
                pieces.iter().map(|text| chat(text)).collect::<Vec<_>>(),
            ),
            (
                Format::Gemini,
                pieces.iter().map(|text| gemini(text)).collect(),
            ),
            (
                Format::LlamaCpp,
                pieces.iter().map(|text| llama(text)).collect(),
            ),
        ] {
            for action in [Action::Release, Action::Discard] {
                let (out, _) = gated(Some(format), &action, &sse(&events));
                let read: String = testkit::wire::oracle::events(out.as_bytes())
                    .iter()
                    .filter_map(|event| {
                        [
                            "/choices/0/delta/content",
                            "/candidates/0/content/parts/0/text",
                            "/content",
                        ]
                        .iter()
                        .find_map(|path| event.pointer(path)?.as_str())
                    })
                    .collect();
                assert_eq!(read, whole, "{out}");
            }
        }
    }
}

/// Members of a whole response end all texts, but not in an event with a delta.
#[test]
fn a_member_of_a_whole_response_in_a_delta_is_no_end() {
    let pieces = ["It is so. It is SECRET. [unverified-inf", "erence] Bye."];
    for (format, delta, member) in [
        (
            Format::Cohere,
            r#"{"type":"content-delta","index":0,"delta":{"message":{"content":{"text":"TEXT"}}}"#,
            r#""message":{"content":[{"type":"x"}]}"#,
        ),
        (
            Format::Cohere,
            r#"{"type":"content-delta","index":0,"delta":{"message":{"content":{"text":"TEXT"}}}"#,
            r#""message":true"#,
        ),
        (
            Format::MistralConversations,
            r#"{"type":"message.output.delta","output_index":0,"content":"TEXT""#,
            r#""outputs":[0]"#,
        ),
        (
            Format::BedrockConverse,
            r#"{"contentBlockIndex":0,"delta":{"text":"TEXT"}"#,
            r#""stopReason":"x""#,
        ),
        (
            Format::VercelUi,
            r#"{"type":"text-delta","id":"a","delta":"TEXT""#,
            r#""parts":[0]"#,
        ),
    ] {
        let body: String = pieces
            .iter()
            .map(|piece| format!("data: {},{member}}}\n\n", delta.replace("TEXT", piece)))
            .collect();
        let (out, _) = gated(Some(format), &Action::Discard, &body);
        assert!(!out.contains("SECRET") && out.contains("Bye."), "{out}");
        let (out, _) = stripped(Some(format), &body);
        assert!(
            !out.contains("unverified") && out.contains("SECRET"),
            "{out}"
        );
    }
}

/// A server that counts deltas from the number of the part that it has announced.
#[test]
fn parts_that_count_deltas_from_the_announced_one_are_one_text() {
    let part = |number: u32, text: &str| json!({"type": "response.output_text.delta", "output_index": 0, "content_index": number, "delta": text});
    let added = json!({"type": "response.content_part.added", "output_index": 0, "content_index": 0, "part": {"type": "output_text", "text": ""}});
    let texts = [
        "It is so. ",
        "It is ",
        "SECRET. ",
        "[unverified-",
        "inference]",
        " Bye.",
    ];
    let mut events = vec![added.clone()];
    events.extend((0..).zip(texts).map(|(number, text)| part(number, text)));
    let (out, _) = gated(
        Some(Format::OpenAiResponses),
        &Action::Discard,
        &sse(&events),
    );
    assert!(!out.contains("SECRET") && out.contains("Bye."), "{out}");
    let (out, _) = stripped(Some(Format::OpenAiResponses), &sse(&events));
    assert!(
        !out.contains("unverified") && out.contains("SECRET"),
        "{out}"
    );
    // A number that jumps names no text.
    let events = [
        added,
        part(0, "It is SECRET."),
        part(2, " [unverified-inference] Bye."),
    ];
    let (out, report) = gated(
        Some(Format::OpenAiResponses),
        &Action::Discard,
        &sse(&events),
    );
    assert!(!out.contains("SECRET") && !report.is_complete(), "{out}");
}

#[test]
fn a_part_with_text_is_text_if_no_kind_says_otherwise() {
    let gemini = |part: &Value| json!({"candidates": [{"index": 0, "content": {"parts": [part]}}]});
    for part in [
        json!({"text": " ", "type": null}),
        json!({"text": "", "type": 5}),
        json!({"text": "", "mediaProcessing": {"a": 1}}),
        json!({"text": "", "type": ""}),
    ] {
        let body = sse(&[
            gemini(&json!({"text": BEFORE})),
            gemini(&part),
            gemini(&json!({"text": AFTER})),
        ]);
        let (out, _) = gated(Some(Format::Gemini), &Action::Discard, &body);
        assert!(
            !out.contains("SECRET") && out.contains("So."),
            "{part}: {out}"
        );
    }
}

/// Some clients read text that a gate cannot read. It may have the annotation of what is held back, so `[limit]` decides about that.
#[test]
fn text_that_is_lost_beside_a_held_sentence_is_a_limit() {
    let vercel = |text: &str| json!({"type": "text-delta", "id": "a", "delta": text});
    let token = |text: &str| json!({"index": 1, "token": {"id": 1, "text": text, "special": false}, "generated_text": null});
    let gemini =
        |text: &str| json!({"candidates": [{"index": 0, "content": {"parts": [{"text": text}]}}]});
    let bodies = [
        (
            Format::VercelUi,
            sse(&[vercel(BEFORE)]) + "event: done\n" + &sse(&[vercel(" [unverified-inference]"), vercel(" Bye.")]),
        ),
        (
            Format::Tgi,
            sse(&[token(BEFORE)]) + &format!("data: {}\n", token(" [unverified-inference]")) + &sse(&[token(" Bye."), token(" End.")]),
        ),
        (
            Format::Gemini,
            sse(&[gemini(BEFORE)]) + &format!("{}\n", gemini(" [unverified-inference]")) + &sse(&[gemini(" Hm."), gemini(" End.")]),
        ),
        (
            Format::OpenAiResponses,
            [
                json!({"type": "response.output_text.delta", "output_index": 0, "content_index": 0, "delta": BEFORE}),
                json!({"type": "response.output_text.delta", "output_index": 0, "content_index": 0, "summary_index": 1, "delta": AFTER}),
                json!({"type": "response.output_text.delta", "output_index": 0, "content_index": 0, "delta": " Bye."}),
            ]
            .iter()
            .map(|event| format!("data: {event}\n\n"))
            .collect(),
        ),
    ];
    for (format, body) in bodies {
        let (out, report) = gated(Some(format), &Action::Discard, &body);
        assert!(
            out.contains("It rains.") && !out.contains("SECRET"),
            "{format}: {out}"
        );
        assert!(!report.is_complete());
    }
}

/// A kind that is no word says nothing about a block or an item.
#[test]
fn a_kind_that_is_no_word_is_no_break() {
    let anthropic = |text: &str| json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": text}});
    let responses = |text: &str| json!({"type": "response.output_text.delta", "output_index": 0, "content_index": 0, "delta": text});
    let cohere = |text: &str| json!({"type": "content-delta", "index": 0, "delta": {"message": {"content": {"text": text}}}});
    let step = |text: &str| json!({"event_type": "step.delta", "index": 0, "delta": {"type": "text", "text": text}});
    for kind in [json!(5), json!(""), json!(null), json!({"a": 1})] {
        let start = json!({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}});
        let streams = [
            (
                Format::Anthropic,
                vec![
                    start,
                    anthropic(BEFORE),
                    json!({"type": "content_block_start", "index": 1, "content_block": {"type": kind}}),
                    anthropic(AFTER),
                ],
            ),
            (
                Format::OpenAiResponses,
                vec![
                    responses(BEFORE),
                    json!({"type": "response.output_item.added", "output_index": 0, "item": {"type": kind}}),
                    responses(AFTER),
                ],
            ),
            (
                Format::Cohere,
                vec![
                    cohere(BEFORE),
                    json!({"type": "content-start", "index": 0, "delta": {"message": {"content": {"type": kind}}}}),
                    cohere(AFTER),
                ],
            ),
            (
                Format::GeminiInteractions,
                vec![
                    step(BEFORE),
                    json!({"event_type": "step.start", "index": 0, "step": {"type": kind}}),
                    step(AFTER),
                ],
            ),
        ];
        for (format, events) in streams {
            let (out, _) = gated(Some(format), &Action::Discard, &sse(&events));
            assert!(
                !out.contains("SECRET") && out.contains("So."),
                "{format}, {kind}: {out}"
            );
        }
    }
}

/// Reasoning and text in one event, whatever lies between them.
#[test]
fn reasoning_far_from_the_text_of_its_event_is_no_break() {
    let details: Vec<_> = (0..40)
        .map(|index| json!({"type": "reasoning.text", "index": index, "text": "Hm."}))
        .collect();
    let delta = json!({"choices": [{"index": 0, "delta": {"reasoning": "Hm.", "reasoning_details": details}}]});
    // The text is the last member.
    let after = delta
        .to_string()
        .replace("}]}}]}", &format!("}}],\"content\":\"{AFTER}\"}}}}]}}"));
    assert!(after.contains("\"content\""), "{after}");
    let body = sse(&[piece(BEFORE)]) + &format!("data: {after}\n\n");
    let (out, _) = gated(Some(Format::OpenAiChat), &Action::Discard, &body);
    assert!(!out.contains("SECRET") && out.contains("So."), "{out}");
}

/// Clients read an element without a number by its place, or as the first one.
#[test]
fn an_element_whose_place_is_the_number_of_another_one_is_ambiguous() {
    let one = |text: &str| json!({"index": 1, "delta": {"content": text}});
    let chunk = |choices: &[Value]| json!({"object": "chat.completion.chunk", "choices": choices});
    let none = json!({"delta": {"content": " Green is on."}});
    let lost = [
        chunk(&[one(BEFORE), none.clone()]),
        chunk(&[one(" [unverified-inference] So.")]),
    ];
    let (out, report) = gated(Some(Format::OpenAiChat), &Action::Discard, &sse(&lost));
    assert!(!out.contains("SECRET") && !report.is_complete(), "{out}");
    assert!(
        !stripped(Some(Format::OpenAiChat), &sse(&lost))
            .1
            .is_complete()
    );
    // Servers that leave out zeros.
    let even = [
        chunk(&[none, one(BEFORE)]),
        chunk(&[one(" [unverified-inference] So.")]),
    ];
    let (out, report) = gated(Some(Format::OpenAiChat), &Action::Discard, &sse(&even));
    assert!(!out.contains("SECRET") && report.is_complete(), "{out}");
    assert!(out.contains("Green is on.") && out.contains("So."), "{out}");
}

/// Google's SDK reads JSON in lines without a field.
#[test]
fn lines_of_json_beside_data_are_not_read() {
    let gemini =
        |text: &str| json!({"candidates": [{"index": 0, "content": {"parts": [{"text": text}]}}]});
    let data = |text: &str| format!("data: {}\n", gemini(text));
    let line = gemini(" [unverified-inference]").to_string();
    for (body, is_read) in [
        (format!("{line}\n{}\n", data("Hm.")), false),
        (format!("{}{line}\n\n", data("Hm.")), false),
        (format!(" {line}\n\n{}\n", data("Hm.")), false),
        (format!("\t{line}\n{}\n", data("Hm.")), false),
        (
            format!(": x\nevent: x\nid: 1\n{}\n: y\n\n", data("Hm.")),
            true,
        ),
    ] {
        let body = format!("{}\n{body}", data("It rains."));
        for size in [1, 7, body.len()] {
            let mut rewriter = StreamRewriter::new(Format::Gemini, Parser::new());
            let mut out = Vec::new();
            for chunk in body.as_bytes().chunks(size) {
                rewriter.push(chunk, Output(&mut out));
            }
            rewriter.finish(Output(&mut out));
            assert_eq!(String::from_utf8(out).expect("UTF-8"), body);
            assert_eq!(rewriter.report().is_complete(), is_read, "{body}");
        }
    }
}
