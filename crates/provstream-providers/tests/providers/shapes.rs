//! Responses that contradict themselves: of several formats, with errors and offsets in unusual forms, and with members that repeat
//! a text without its annotations.

use provstream::{Action, Parser};
use provstream_providers::{
    Decoder, Format, Item, NoticeCode, ReadReport, StreamGate, StreamRewriter,
};
use serde_json::{Value, json};
use testkit::gate::policies::{Stated, at_word};
use testkit::wire::oracle::events;
use testkit::wire::output::Output;

/// Returns a policy that applies an action to assertions that contain the word "SECRET".
pub(crate) fn secretive(action: &Action) -> Stated {
    at_word("SECRET", action.clone()).refusing("(limit)")
}

pub(crate) fn gated(format: Option<Format>, action: &Action, body: &str) -> (String, ReadReport) {
    let run = |size: usize| {
        let policy = secretive(action);
        let mut gate = match format {
            Some(format) => StreamGate::new(format, Parser::new(), policy),
            None => StreamGate::detect(Parser::new(), policy),
        };
        let mut out = Vec::new();
        for chunk in body.as_bytes().chunks(size) {
            gate.push(chunk, Output(&mut out));
        }
        gate.finish(Output(&mut out));
        let report = gate.report().clone();
        (String::from_utf8(out).expect("UTF-8"), report)
    };
    let whole = run(usize::MAX);
    for size in [1, 7, 64] {
        assert_eq!(run(size), whole, "by {size}");
    }
    whole
}

pub(crate) fn stripped(format: Option<Format>, body: &str) -> (String, ReadReport) {
    let mut rewriter = match format {
        Some(format) => StreamRewriter::new(format, Parser::new()),
        None => StreamRewriter::detect(Parser::new()),
    };
    let mut out = Vec::new();
    rewriter.push(body.as_bytes(), Output(&mut out));
    rewriter.finish(Output(&mut out));
    let report = rewriter.report().clone();
    (String::from_utf8(out).expect("UTF-8"), report)
}

pub(crate) fn sse(events: &[Value]) -> String {
    events
        .iter()
        .map(|event| format!("data: {event}\n\n"))
        .collect()
}

#[test]
fn an_event_that_shows_several_formats_is_withheld_and_reported() {
    let text = "SECRET [unverified-inference]";
    for event in [
        json!({"type": "message", "choices": [{"index": 0, "delta": {"content": text}}]}),
        json!({"type": "message", "choices": [{"index": 0, "message": {"content": text}}]}),
        json!({"type": "content_block_delta", "choices": [{"index": 0, "delta": {"content": text}}]}),
        json!({"type": "text-delta", "delta": text, "choices": []}),
        json!({"type": "response.output_text.delta", "delta": text, "done": false}),
        json!({"object": "response", "candidates": [{"content": {"parts": [{"text": text}]}}]}),
        json!({"candidates": [{"content": {"parts": [{"text": text}]}}], "choices": []}),
        json!({"message": {"content": text}, "done": false, "choices": []}),
        json!({"content": text, "stop": false, "done": false}),
        json!({"token": {"text": text}, "choices": [{"index": 0, "text": text}]}),
        json!({"contentBlockDelta": {"delta": {"text": text}}, "type": "content-delta"}),
        json!({"generated_text": text, "candidates": []}),
        json!({"event_type": "step.delta", "delta": {"text": text}, "done": true}),
    ] {
        for body in [format!("data: {event}\n\n"), format!("{event}\n")] {
            let (out, report) = gated(None, &Action::Release, &body);
            assert!(!out.contains("SECRET"), "{body} became {out}");
            assert_eq!(report.count(NoticeCode::AmbiguousFormat), 1, "{body}");
            let (out, report) = stripped(None, &body);
            assert_eq!(out, body);
            assert_eq!(report.unread(), 1, "{body}");
        }
        assert_eq!(
            Format::detect(event.to_string().as_bytes()),
            None,
            "{event}"
        );
    }
    // A name decides, and so does what came before.
    let chunk = |text: &str| json!({"type": "message", "choices": [{"index": 0, "delta": {"content": text}}]});
    let body = sse(&[chunk("It is. [substrate.grep] "), chunk("Then.")]);
    let (out, report) = gated(Some(Format::OpenAiChat), &Action::Release, &body);
    assert!(
        report.is_complete() && out.contains("Then."),
        "{out}: {report:?}"
    );
    let first = json!({"choices": [{"index": 0, "delta": {"role": "assistant"}}]});
    let (out, report) = gated(None, &Action::Release, &(sse(&[first]) + &body));
    assert!(
        report.is_complete() && out.contains("Then."),
        "{out}: {report:?}"
    );
}

#[test]
fn text_of_another_format_is_withheld_beside_what_is_not_text() {
    let chunk =
        json!({"choices": [{"index": 0, "delta": {"content": "It is. [substrate.grep] "}}]});
    let usage = json!({"type": "message", "choices": [], "usage": {"total_tokens": 3}});
    for other in [
        json!({"choices": [], "event_type": "step.delta", "index": 1, "delta": {"type": "text", "text": "SECRET"}}),
        json!({"choices": [], "type": "content_block_delta", "delta": {"type": "text_delta", "text": "SECRET"}}),
        json!({"choices": [], "done": false, "response": {"a": "SECRET"}}),
    ] {
        let body = sse(&[chunk.clone(), other, usage.clone()]);
        let (out, report) = gated(None, &Action::Release, &body);
        assert!(!out.contains("SECRET"), "{out}");
        assert!(out.contains("It is.") && out.contains("usage"), "{out}");
        assert_eq!(report.count(NoticeCode::WithheldData), 1, "{body}");
    }
}

#[test]
fn what_has_the_place_of_text_is_withheld_before_the_format_is_known() {
    for (first, then) in [
        (
            json!({"content": [[{"a": "SECRET"}]], "index": 0}),
            json!({"content": "It is. ", "stop": false}),
        ),
        (
            json!({"response": {"value": "SECRET"}}),
            json!({"response": "It is. ", "done": false}),
        ),
    ] {
        let body = sse(&[first, then]);
        let (out, report) = gated(None, &Action::Release, &body);
        assert!(!out.contains("SECRET"), "{out}");
        assert_eq!(report.count(NoticeCode::WithheldData), 1, "{body}");
    }
}

#[test]
fn bytes_between_the_values_of_a_body_are_reported() {
    let value = json!({"candidates": [{"content": {"parts": [{"text": "It is so. "}]}}]});
    let spread = serde_json::to_string_pretty(&value).unwrap();
    for (body, count) in [
        (format!("\u{FEFF} [{value},\r\n{value}]\n[{value}]\n"), 0),
        (format!("{spread}\n{spread}\n"), 0),
        (format!("[{value}] It is so. [unverified-inference]"), 1),
        (format!("[{value} It is so. , as said, {value} so]"), 2),
        ("[] So.".to_owned(), 1),
        (format!("{spread} It is so. {spread}\n"), 1),
    ] {
        let counted = |report: &ReadReport| report.count(NoticeCode::WithheldData);
        let (_, report) = stripped(Some(Format::Gemini), &body);
        assert_eq!(counted(&report), count, "stripped {body}");
        let (out, report) = gated(Some(Format::Gemini), &Action::Release, &body);
        assert!(
            !out.contains("unverified") && !out.contains("said"),
            "{out}"
        );
        assert_eq!(counted(&report), count, "gated {body}");
        for size in [1, 7] {
            let mut decoder = Decoder::new(Format::Gemini);
            for piece in body.as_bytes().chunks(size) {
                decoder.push(piece, |_| {});
            }
            decoder.finish(|_| {});
            assert_eq!(
                counted(decoder.report()),
                count,
                "read {body} in pieces of {size}"
            );
        }
    }
}

pub(crate) fn errors(format: Option<Format>, body: &str) -> Vec<String> {
    let mut errors = Vec::new();
    let mut decoder = match format {
        Some(format) => Decoder::new(format),
        None => Decoder::detect(),
    };
    let mut take = |item: Item<'_>| {
        if let Item::Error(message) = item {
            errors.push(message.into_owned());
        }
    };
    decoder.push(body.as_bytes(), &mut take);
    decoder.finish(&mut take);
    errors
}

#[test]
fn an_error_is_reported_in_every_format_and_form() {
    let with_name = [
        (r#"{"request_id":"r","code":"X","message":"boom"}"#, "boom"),
        (r#"{"error":{"message":"boom"}}"#, "boom"),
        (r#"{"error":"boom"}"#, "boom"),
        (r#"{"type":"error","message":"boom"}"#, "boom"),
        (r#"{"detail":"boom"}"#, "boom"),
        ("\"boom\"", "\"boom\""),
        ("boom", "boom"),
        ("{\"message\":", "{\"message\":"),
        (
            r#"{"choices":[{"delta":{},"finish_reason":"error"}],"message":"boom"}"#,
            "boom",
        ),
        ("[]", "[]"),
    ];
    for format in Format::ALL.into_iter().map(Some).chain([None]) {
        for (data, message) in with_name {
            for body in [
                format!("event: error\ndata: {data}\n\n"),
                format!("event:error\r\ndata: {data}\r\n\r\n"),
                format!("id: 1\nevent: x\ndata: {data}\nevent: error\n\n"),
                format!(": HTTP_STATUS/400\nevent: error\ndata:{data}\n\n"),
                format!("event: error\ndata: {data}"),
            ] {
                let found = errors(format, &body);
                assert_eq!(found, [message], "{format:?}: {body}");
            }
            let body = format!("event: errors\ndata: {data}\n\nevent: x\ndata: 1\n\n");
            let is_chat = matches!(format, None | Some(Format::OpenAiChat));
            let is_error_itself = match data.contains("error") {
                true => is_chat || !data.contains("finish_reason"),
                false => is_chat && data.contains("detail"),
            };
            if !is_error_itself && format != Some(Format::BedrockConverse) {
                assert_eq!(errors(format, &body), [""; 0], "{format:?}: {body}");
            }
        }
        let body = "data: {\"type\":\"error\",\"message\":\"boom\"}\n\n";
        assert_eq!(errors(format, body), ["boom"], "{format:?}");
    }
    let body = "data: {\"message\":\"boom\",\"event_type\":\"error\"}\n\n";
    assert_eq!(errors(Some(Format::GeminiInteractions), body), ["boom"]);
    let router = r#"data: {"choices":[{"index":0,"delta":{"content":""},"finish_reason":"error","error":{"code":502,"message":"boom"}}]}"#;
    assert_eq!(errors(None, &format!("{router}\n\n")), ["boom"]);
    // An answer that ended in an error, which is not described.
    for (format, event) in [
        (
            Format::OpenAiChat,
            r#"{"choices":[{"index":0,"delta":{"content":""},"finish_reason":"error"}]}"#,
        ),
        (
            Format::OpenAiChat,
            r#"{"choices":[{"index":1,"message":{"content":"Hi."},"finish_reason":"error"}]}"#,
        ),
        (
            Format::Cohere,
            r#"{"type":"message-end","delta":{"finish_reason":"ERROR"}}"#,
        ),
        (
            Format::Cohere,
            r#"{"finish_reason":"ERROR","message":{"content":[{"type":"text","text":"Hi."}]}}"#,
        ),
    ] {
        for body in [format!("data: {event}\n\n"), format!("{event}\n")] {
            assert_eq!(errors(Some(format), &body), [event], "{body}");
        }
        let whole = event
            .replace("rror\"", "rrors\"")
            .replace("ERROR", "ERRORS");
        assert_eq!(errors(Some(format), &whole), [""; 0], "{whole}");
    }
    let several = [
        json!({"index": 0, "finish_reason": "error", "error": {"message": "boom"}}),
        json!({"index": 1, "error": {"message": "bang"}, "finish_reason": "error"}),
        json!({"index": 2, "finish_reason": "stop", "error": null}),
    ];
    let body = sse(&[json!({"choices": several})]);
    assert_eq!(errors(Some(Format::OpenAiChat), &body), ["boom", "bang"]);
}

#[test]
fn the_type_of_an_event_alone_says_that_it_is_an_error() {
    for (format, event) in [
        (
            Format::OpenAiResponses,
            r#"{"type":"response.failed","response":{"id":"r","error":null}}"#,
        ),
        (
            Format::MistralConversations,
            r#"{"type":"conversation.response.error","code":500}"#,
        ),
    ] {
        let body = format!("data: {event}\n\n");
        assert_eq!(errors(Some(format), &body), [event], "{format}");
    }
}

#[test]
fn an_error_keeps_its_message_in_a_gate() {
    for format in Format::ALL {
        let body =
            "event: error\ndata: {\"request_id\":\"r\",\"code\":\"X\",\"message\":\"boom\"}\n\n";
        let (out, report) = gated(Some(format), &Action::Discard, body);
        assert_eq!(out, body, "{format}");
        assert!(report.is_complete(), "{format}: {report:?}");
        let body = "data: {\"type\":\"error\",\"message\":\"boom\"}\n\n";
        let (out, report) = gated(Some(format), &Action::Discard, body);
        assert_eq!(out, body, "{format}");
        assert!(report.is_complete(), "{format}: {report:?}");
    }
}

#[test]
fn offsets_are_moved_however_they_are_written() {
    let text = "It rains. [substrate.grep] Bye.";
    for (before, after) in [
        ("31", "14"),
        ("31.0", "14.0"),
        ("3.1e1", "14.0"),
        ("31e0", "14.0"),
        ("310E-1", "14.0"),
        ("\"31\"", "\"14\""),
        ("\"31.0\"", "\"14.0\""),
        ("3e1", "13.0"),
        ("30.0", "13.0"),
        ("\"30\"", "\"13\""),
        ("5", "5"),
        ("5.0", "5.0"),
        ("5.5", "5.5"),
        ("\"x\"", "\"x\""),
        ("-1", "-1"),
        ("null", "null"),
        ("1e400", "1e400"),
    ] {
        let mark = |offset: &str| {
            format!(
                "data: {{\"choices\":[{{\"index\":0,\"delta\":{{\"annotations\":[{{\"type\":\"url_citation\",\"url_citation\":{{\"start_index\":0,\"end_index\":{offset}}}}}]}}}}]}}\n\n"
            )
        };
        let delta = sse(&[json!({"choices": [{"index": 0, "delta": {"content": text}}]})]);
        let (out, _) = stripped(None, &(delta + &mark(before)));
        assert!(out.ends_with(&mark(after)), "{before}: {out}");
    }
}

fn chunk(members: &Value) -> Value {
    let mut choice = json!({"index": 0});
    let map = choice.as_object_mut().expect("an object");
    map.extend(members.as_object().expect("an object").clone());
    json!({"object": "text_completion", "choices": [choice]})
}

fn delta(text: &str) -> Value {
    chunk(&json!({"delta": {"content": text}}))
}

/// Event of an Azure filter that has read up to the first of these offsets, about a passage.
fn filter([check, start, end]: [u64; 3]) -> Value {
    let offsets = json!({"check_offset": check, "start_offset": start, "end_offset": end});
    chunk(&json!({"delta": {}, "content_filter_results": {}, "content_filter_offsets": offsets}))
}

/// The offsets of filters, without those of the prompt.
fn filters(out: &str, base: u64) -> Vec<[Option<u64>; 3]> {
    let out = events(out.as_bytes());
    let filters = out.iter().filter_map(|event| {
        let offsets = event["choices"][0].get("content_filter_offsets")?;
        let names = ["check_offset", "start_offset", "end_offset"];
        Some(names.map(|name| offsets[name].as_u64()?.checked_sub(base)))
    });
    filters.collect()
}

#[test]
fn offsets_of_tokens_and_filters_follow_the_text() {
    let tokens = |text: &str, offsets: &[u64]| {
        chunk(&json!({"text": text, "logprobs": {"tokens": [text], "text_offset": offsets}}))
    };
    // The offsets count from the start of the text, or of a prompt.
    for base in [0, 18] {
        let stream = [
            tokens("It rains.", &[base, base + 2]),
            tokens(" [substrate.grep]", &[base + 9]),
            tokens(" Bye", &[base + 26]),
            tokens(".", &[base + 30]),
        ];
        let (out, _) = stripped(None, &sse(&stream));
        let out = events(out.as_bytes());
        let offsets = |event: &Value| event["choices"][0]["logprobs"]["text_offset"].clone();
        assert_eq!(offsets(&out[0]), json!([base, base + 2]));
        assert_eq!(offsets(&out[1]), Value::Null, "of text that changed");
        assert_eq!(offsets(&out[2]), json!([base + 9]));
        assert_eq!(offsets(&out[3]), json!([base + 13]));
    }
    for base in [0, 44] {
        let stream = [
            delta("It rains. [substrate.grep] Bye."),
            filter([base, base, base + 31]),
            filter([base + 31, base, base + 31]),
            delta(" More."),
            filter([base + 37, base + 26, base + 37]),
        ];
        for (out, _) in [
            stripped(None, &sse(&stream)),
            gated(None, &Action::Release, &sse(&stream)),
        ] {
            let filters = filters(&out, base);
            assert_eq!(
                filters[..2],
                [[0, 0, 14], [14, 0, 14]].map(|all| all.map(Some)),
                "{base}"
            );
            assert_eq!(filters.last(), Some(&[20, 9, 20].map(Some)), "{base}");
        }
    }
    let first = tokens(" Bye", &[26]);
    let (out, _) = stripped(
        None,
        &sse(&[chunk(&json!({"text": "It rains. [substrate.grep]"})), first]),
    );
    let out = events(out.as_bytes());
    assert_eq!(out[1]["choices"][0]["logprobs"]["text_offset"], json!([9]));
}

#[test]
fn offsets_of_a_filter_that_reads_late_follow_the_text() {
    for base in [0, 44] {
        let stream = [
            delta("It rains. [substrate.grep] Bye."),
            delta(&" More.".repeat(20)),
            filter([base, base, base + 31]),
            filter([base + 31, base + 26, base + 37]),
        ];
        for (out, _) in [
            stripped(None, &sse(&stream)),
            gated(None, &Action::Release, &sse(&stream)),
        ] {
            let expected = [[0, 0, 14], [14, 9, 20]].map(|offsets| offsets.map(Some));
            assert_eq!(filters(&out, base), expected, "{base}");
        }
    }
}

/// Responses that stream a text and then repeat it as `repeated`.
fn repeating(deltas: &[&str], repeated: &str) -> Vec<(Format, &'static str, String)> {
    let mut all = Vec::new();
    let responses = |last: Value| {
        let mut events =
            vec![json!({"type": "response.created", "response": {"id": "r", "output": []}})];
        events.extend(deltas.iter().map(|delta| json!({"type": "response.output_text.delta", "output_index": 0, "content_index": 0, "delta": delta})));
        events.push(last);
        sse(&events)
    };
    let part = json!({"type": "output_text", "text": repeated, "annotations": []});
    let item = json!({"type": "message", "role": "assistant", "content": [part]});
    let mut add = |format, name, body| all.push((format, name, body));
    let done = json!({"type": "response.output_text.done", "output_index": 0, "content_index": 0, "text": repeated});
    add(
        Format::OpenAiResponses,
        "text done",
        responses(done.clone()),
    );
    let part_done = json!({"type": "response.content_part.done", "output_index": 0, "content_index": 0, "part": part});
    add(Format::OpenAiResponses, "part done", responses(part_done));
    let item_done = json!({"type": "response.output_item.done", "output_index": 0, "item": item});
    add(Format::OpenAiResponses, "item done", responses(item_done));
    let completed = json!({"type": "response.completed", "response": {"output": [item]}});
    add(
        Format::OpenAiResponses,
        "completed",
        responses(completed.clone()),
    );
    add(
        Format::OpenAiResponses,
        "done and completed",
        responses(done) + &sse(&[completed]),
    );
    let chat = |last: Value| {
        let deltas = deltas
            .iter()
            .map(|delta| json!({"choices": [{"index": 0, "delta": {"content": delta}}]}));
        let mut events: Vec<Value> = deltas.collect();
        events.push(last);
        sse(&events) + "data: [DONE]\n\n"
    };
    let message = json!({"role": "assistant", "content": repeated});
    add(
        Format::OpenAiChat,
        "message",
        chat(
            json!({"choices": [{"index": 0, "message": message, "delta": {}, "finish_reason": "stop"}]}),
        ),
    );
    let tgi = deltas.iter().map(|delta| json!({"token": {"id": 1, "text": delta, "special": false}, "generated_text": null}));
    let mut tgi: Vec<Value> = tgi.collect();
    tgi.push(json!({"token": {"id": 2, "text": "", "special": false}, "generated_text": repeated}));
    add(Format::Tgi, "generated text", sse(&tgi));
    let steps = deltas.iter().map(|delta| json!({"event_type": "step.delta", "index": 0, "delta": {"type": "text", "text": delta}}));
    let mut steps: Vec<Value> = steps.collect();
    steps.push(json!({"event_type": "interaction.completed", "interaction": {"steps": [{"type": "model_output", "content": [{"type": "text", "text": repeated}]}]}}));
    add(Format::GeminiInteractions, "completed", sse(&steps));
    all
}

#[test]
fn what_repeats_a_text_without_its_annotations_repeats_the_decisions_about_it() {
    let cases: &[(&[&str], &str, &str)] = &[
        (
            &["It is SECRET. [unverified-inference] Then", " more."],
            "It is SECRET. Then more.",
            "Then more.",
        ),
        (
            &["It is SECRET. [unverified-inference]"],
            "It is SECRET.",
            "",
        ),
        (
            &["It is SEC", "RET. [unverified", "-inference]"],
            "It is SECRET.",
            "",
        ),
        (
            &["So. [substrate.grep] It is SECRET. [unverified-inference]"],
            "So. It is SECRET. ",
            "So. ",
        ),
        (
            &["So. [substrate.grep] It is SECRET. [unverified-inference] End."],
            "So. It is SECRET. [unverified-inference] End.",
            "End.",
        ),
        (
            &["It is SECRET. [unverified-inference] A SECRET too. [substrate.grep] End."],
            "It is SECRET. A SECRET too. [substrate.grep] End.",
            "End.",
        ),
        (
            &["  It is SECRET. [unverified-inference] End."],
            "It is SECRET.   End.",
            "End.",
        ),
        (
            &["It is SECRET. [unverified-inference][substrate.grep] End."],
            "It is SECRET. [substrate.grep] End.",
            "End.",
        ),
    ];
    for (deltas, repeated, rest) in cases {
        for (format, name, body) in repeating(deltas, repeated) {
            for action in [
                Action::Discard,
                Action::Replace("(no)".into()),
                Action::Suspend,
                Action::Refuse("(end)".into()),
            ] {
                let (out, report) = gated(Some(format), &action, &body);
                let label = format!("{format} {name} {action:?}: {body} became {out}");
                assert!(!out.contains("SECRET"), "{label}");
                assert!(report.is_complete(), "{label}");
                if !action.ends() {
                    assert!(out.contains(rest), "{label}");
                }
            }
            let (out, _) = gated(Some(format), &Action::Release, &body);
            assert!(out.contains("SECRET"), "{out}");
            let marked = Action::Mark("<".into(), ">".into());
            let (out, _) = gated(Some(format), &marked, &body);
            assert!(
                out.contains("<It is SECRET.>") || name == "text done" && rest.is_empty(),
                "{out}"
            );
        }
    }
}

/// Words that are withheld in one text are withheld in a whole text that has another number, and no text of its own.
#[test]
fn what_repeats_a_text_under_another_number_repeats_the_decisions_about_it() {
    let delta = |item: u32, text: &str| json!({"type": "response.output_text.delta", "output_index": item, "content_index": 0, "delta": text});
    let done = |item: u32, text: &str| json!({"type": "response.output_text.done", "output_index": item, "content_index": 0, "text": text});
    let completed = |text: &str| json!({"type": "response.completed", "response": {"status": "completed", "output": [{"type": "message", "content": [{"type": "output_text", "text": text}]}]}});
    let (first, second) = (
        "It rains. It is SECRET. [unverified-inference] So.",
        " All is well. Bye.",
    );
    let whole = "It rains. It is SECRET. So. All is well. Bye.";
    for events in [
        vec![delta(1, first), delta(1, second), completed(whole)],
        vec![delta(0, first), delta(0, second), done(5, whole)],
        vec![delta(0, first), delta(1, second), done(2, whole)],
    ] {
        let body = sse(&events);
        for action in [Action::Discard, Action::Replace("(no)".into())] {
            let (out, _) = gated(Some(Format::OpenAiResponses), &action, &body);
            assert!(!out.contains("SECRET"), "{body} became {out}");
            assert!(out.contains(" All is well. Bye.\""), "{out}");
        }
        let (out, _) = gated(Some(Format::OpenAiResponses), &Action::Release, &body);
        assert!(out.contains(whole), "{out}");
    }
}

#[test]
fn too_many_held_events_end_a_text_as_the_policy_says() {
    let chunk = |members: Value| json!({"choices": [members], "padding": 1});
    let delta =
        |text: &str| chunk(json!({"index": 0, "delta": {"content": text}, "finish_reason": null}));
    let finish = chunk(json!({"index": 0, "delta": {}, "finish_reason": "stop"}));
    let filler = json!({"choices": [], "usage": vec![0; 1_000]});
    for held in [10, 100] {
        let mut stream = vec![delta("It is. "), delta("It is SECRET."), finish.clone()];
        stream.extend(vec![filler.clone(); held]);
        stream.push(delta(" [unverified-inference] Then."));
        stream.push(finish.clone());
        let (out, _) = gated(None, &Action::Discard, &(sse(&stream) + "data: [DONE]\n\n"));
        assert!(!out.contains("SECRET"), "{held}: {out}");
        assert_eq!(out.contains("(limit)"), held == 100, "{held}");
        assert_eq!(out.contains("Then."), held == 10, "{held}");
        assert!(out.contains("It is. "), "{held}");
        assert_eq!(out.matches("usage").count(), held);
    }
    // A block of Anthropic, whose end is held back.
    let block = |index: u64, text: &str| {
        [
            json!({"type": "content_block_start", "index": index, "content_block": {"type": "text", "text": ""}}),
            json!({"type": "content_block_delta", "index": index, "delta": {"type": "text_delta", "text": text}}),
            json!({"type": "content_block_stop", "index": index}),
        ]
    };
    let mut stream =
        vec![json!({"type": "message_start", "message": {"role": "assistant", "content": []}})];
    stream.extend(block(0, "It is SECRET."));
    stream.extend(vec![json!({"type": "ping", "usage": vec![0; 1_000]}); 100]);
    stream.extend(block(1, " [unverified-inference] Then."));
    let (out, _) = gated(None, &Action::Discard, &sse(&stream));
    assert!(!out.contains("SECRET") && out.contains("(limit)"), "{out}");
}
