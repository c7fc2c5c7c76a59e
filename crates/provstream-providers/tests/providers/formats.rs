//! The formats of which the corpus has streamed text alone: whole responses, parts beside the text, errors, and what they are
//! recognised by.

use provstream::Parser;
use provstream_providers::{Decoder, Format, Item, StreamRewriter};
use serde_json::{Value, json};
use testkit::wire::fixtures::Read;
use testkit::wire::oracle::events;
use testkit::wire::output::Output;

/// Returns the output for a stream whose format is detected, in chunks of every size; all of it must be read.
fn strip(format: Format, stream: &str) -> String {
    let run = |rewriter: &StreamRewriter, size: usize| {
        let (mut rewriter, mut out) = (rewriter.clone(), Vec::new());
        for chunk in stream.as_bytes().chunks(size) {
            rewriter.push(chunk, Output(&mut out));
        }
        rewriter.finish(Output(&mut out));
        assert!(rewriter.report().is_complete(), "{:?}", rewriter.report());
        assert_eq!(rewriter.format(), Some(format), "{stream}");
        String::from_utf8(out).expect("UTF-8")
    };
    let detect = StreamRewriter::detect(Parser::new());
    let whole = run(&detect, usize::MAX);
    for size in [1, 7, 64] {
        assert_eq!(run(&detect, size), whole, "by {size}");
    }
    let named = StreamRewriter::new(format, Parser::new());
    assert_eq!(run(&named, 64), whole);
    whole
}

fn sse(events: &[Value]) -> String {
    let events = events.iter().map(|event| format!("data: {event}\n\n"));
    events.collect()
}

/// Returns the decoder's result for a stream, and the messages of its errors.
fn read(stream: &str) -> (Read, Vec<String>) {
    let read = Read::of(Decoder::detect(), stream.as_bytes(), 7);
    let mut errors = Vec::new();
    let mut decoder = Decoder::detect();
    let mut take = |item: Item<'_>| {
        if let Item::Error(message) = item {
            errors.push(message.into_owned());
        }
    };
    decoder.push(stream.as_bytes(), &mut take);
    decoder.finish(&mut take);
    (read, errors)
}

const BEFORE: &str = "It is so. [substrate.grep] [x";
const AFTER: &str = "It is so. [x";

#[test]
fn whole_responses_are_rewritten_pretty_or_compact() {
    let steps = |text: &str| {
        json!({"id": "v1", "object": "interaction", "status": "completed", "steps": [
        {"type": "user_input", "content": [{"type": "text", "text": "Is it? [substrate.grep]"}]},
        {"type": "thought", "summary": [{"type": "text", "text": "[substrate.grep]"}]},
        {"type": "model_output", "content": [{"type": "text", "text": text}]}]})
    };
    let outputs = |text: &str| json!({"id": "v1", "object": "interaction", "outputs": [{"type": "thought", "signature": "s"}, {"type": "text", "text": text}]});
    let mistral = |text: &str| json!({"object": "conversation.response", "conversation_id": "c", "outputs": [{"type": "tool.execution", "name": "f"}, {"type": "message.output", "content": text}]});
    let chunks = |text: &str| json!({"object": "conversation.response", "outputs": [{"type": "message.output", "content": [{"type": "text", "text": text}, {"type": "tool_reference", "title": "[substrate.grep]"}]}]});
    let llama = |text: &str| json!({"index": 0, "content": text, "tokens": [], "stop": true, "stop_type": "eos", "prompt": "[substrate.grep]"});
    let tgi = |text: &str| json!({"generated_text": text});
    let tgi_list = |text: &str| json!([{"generated_text": text}]);
    let bedrock = |text: &str| json!({"output": {"message": {"role": "assistant", "content": [{"text": text}, {"toolUse": {"toolUseId": "t", "input": {"q": "[substrate.grep]"}}}]}}, "stopReason": "tool_use", "usage": {"totalTokens": 3}});
    let vercel = |text: &str| json!({"id": "m", "role": "assistant", "parts": [{"type": "reasoning", "text": "[substrate.grep]"}, {"type": "text", "text": text}]});
    for (format, response) in [
        (Format::GeminiInteractions, &steps as &dyn Fn(&str) -> Value),
        (Format::GeminiInteractions, &outputs),
        (Format::MistralConversations, &mistral),
        (Format::MistralConversations, &chunks),
        (Format::LlamaCpp, &llama),
        (Format::Tgi, &tgi),
        (Format::Tgi, &tgi_list),
        (Format::BedrockConverse, &bedrock),
        (Format::VercelUi, &vercel),
    ] {
        let (before, after) = (response(BEFORE), response(AFTER));
        for end in ["", "\n"] {
            let pretty = |value: &Value| serde_json::to_string_pretty(value).expect("JSON") + end;
            assert_eq!(strip(format, &pretty(&before)), pretty(&after));
            let compact = |value: &Value| format!("{value}{end}");
            assert_eq!(strip(format, &compact(&before)), compact(&after));
        }
        let (read, _) = read(&before.to_string());
        let texts: Vec<_> = read.texts.into_values().collect();
        assert_eq!(texts, [BEFORE], "{before}");
    }
}

#[test]
fn errors_in_mid_stream_are_reported() {
    let step =
        json!({"event_type": "step.delta", "index": 1, "delta": {"type": "text", "text": "It ["}});
    let mistral = json!({"type": "message.output.delta", "output_index": 0, "content": "It ["});
    let tgi = json!({"index": 1, "token": {"id": 1, "text": "It [", "logprob": -1, "special": false}, "generated_text": null});
    let bedrock = json!({"contentBlockDelta": {"delta": {"text": "It ["}, "contentBlockIndex": 0}});
    let vercel = json!({"type": "text-delta", "id": "t", "delta": "It ["});
    for (format, delta, error) in [
        (
            Format::GeminiInteractions,
            step,
            json!({"event_type": "error", "error": {"message": "no", "code": "x"}}),
        ),
        (
            Format::MistralConversations,
            mistral,
            json!({"type": "conversation.response.error", "message": "no", "code": 500}),
        ),
        (
            Format::LlamaCpp,
            json!({"content": "It [", "stop": false}),
            json!({"error": {"message": "no", "code": 500}}),
        ),
        (
            Format::Tgi,
            tgi,
            json!({"error": "no", "error_type": "overloaded"}),
        ),
        (
            Format::BedrockConverse,
            bedrock,
            json!({"throttlingException": {"message": "no"}}),
        ),
        (
            Format::VercelUi,
            vercel,
            json!({"type": "error", "errorText": "no"}),
        ),
    ] {
        let stream = sse(&[delta, error.clone()]);
        let (read, errors) = read(&stream);
        assert_eq!(errors, ["no"], "{format}");
        assert_eq!(
            read.texts.into_values().collect::<Vec<_>>(),
            ["It ["],
            "{format}"
        );
        // What was held back comes before the error.
        let out = strip(format, &stream);
        let out = events(out.as_bytes());
        assert_eq!((out.len(), &out[2]), (3, &error), "{format}");
        assert!(
            out[1].to_string().contains("\" [\""),
            "{format}: {}",
            out[1]
        );
    }
}

#[test]
fn reasoning_and_tool_calls_are_apart_from_the_text() {
    let cases = [
        (
            Format::GeminiInteractions,
            vec![
                json!({"event_type": "content.delta", "index": 0, "delta": {"type": "thought_summary", "content": {"text": "[substrate.grep]"}}}),
                json!({"event_type": "content.delta", "index": 1, "delta": {"type": "text", "text": BEFORE}}),
                json!({"event_type": "content.start", "index": 2, "content": {"type": "function_call", "name": "f"}}),
            ],
        ),
        (
            Format::MistralConversations,
            vec![
                json!({"type": "message.output.delta", "output_index": 0, "content": {"type": "thinking", "thinking": [{"type": "text", "text": "[substrate.grep]"}]}}),
                json!({"type": "message.output.delta", "output_index": 0, "content": BEFORE}),
                json!({"type": "function.call.delta", "output_index": 1, "name": "f", "arguments": "[substrate.grep]"}),
            ],
        ),
        (
            Format::BedrockConverse,
            vec![
                json!({"contentBlockDelta": {"delta": {"reasoningContent": {"text": "[substrate.grep]"}}, "contentBlockIndex": 0}}),
                json!({"contentBlockDelta": {"delta": {"text": BEFORE}, "contentBlockIndex": 1}}),
                json!({"contentBlockStart": {"start": {"toolUse": {"toolUseId": "t", "name": "f"}}, "contentBlockIndex": 2}}),
            ],
        ),
        (
            Format::VercelUi,
            vec![
                json!({"type": "reasoning-delta", "id": "r", "delta": "[substrate.grep]"}),
                json!({"type": "text-delta", "id": "t", "delta": BEFORE}),
                json!({"type": "tool-input-start", "toolCallId": "c", "toolName": "f"}),
                json!({"type": "tool-input-delta", "toolCallId": "c", "inputTextDelta": "[substrate.grep]"}),
            ],
        ),
    ];
    for (format, mut stream) in cases {
        let out = strip(format, &sse(&stream));
        let out = events(out.as_bytes());
        let text = stream
            .iter()
            .position(|event| event.to_string().contains(BEFORE));
        let text = text.expect("a text");
        let clean = stream[text].to_string().replace(BEFORE, AFTER);
        stream[text] = serde_json::from_str(&clean).expect("JSON");
        // Of an open annotation the rest comes in an event before what follows.
        let joined: String = out.iter().map(Value::to_string).collect();
        assert_eq!(joined.matches("[substrate.grep]").count(), {
            let all: String = stream.iter().map(Value::to_string).collect();
            all.matches("[substrate.grep]").count()
        });
        assert_eq!(
            read(&sse(&out)).0.texts.into_values().collect::<String>(),
            AFTER,
            "{format}"
        );
        if text + 1 < stream.len() {
            assert_eq!(
                out[out.len() - (stream.len() - text - 1)..],
                stream[text + 1..],
                "{format}"
            );
        }
    }
}

#[test]
fn special_tokens_are_not_text() {
    let token = |index: u32, text: &str, special: bool, whole: Value| json!({"index": index, "token": {"id": index, "text": text, "logprob": -0.5, "special": special}, "generated_text": whole, "details": null});
    let out = strip(
        Format::Tgi,
        &sse(&[
            token(1, "It is so. [substrate.grep]", false, Value::Null),
            token(2, " [x", false, Value::Null),
            token(3, "</s>", true, BEFORE.into()),
        ]),
    );
    // What is added is not the token that it was added for.
    let mut added = token(2, " [x", false, Value::Null);
    added["token"]["id"] = json!(0);
    let expected = [
        token(1, "It is so.", false, Value::Null),
        token(2, "", false, Value::Null),
        added,
        token(3, "</s>", true, AFTER.into()),
    ];
    assert_eq!(events(out.as_bytes()), expected);
}

#[test]
fn offsets_of_citations_follow_the_text() {
    let step = |text: &str, start: u64| json!({"event_type": "step.delta", "index": 0, "delta": {"type": "text", "text": text, "annotations": [{"start_index": start, "end_index": start + 3}]}});
    let out = strip(
        Format::GeminiInteractions,
        &sse(&[step("Grüße. [substrate.grep] Ja.", 26)]),
    );
    assert_eq!(events(out.as_bytes()), [step("Grüße. Ja.", 9)]);
}

#[test]
fn the_frames_of_bedrock_are_read_without_their_names() {
    let delta = |index: u32, text: &str| json!({"contentBlockIndex": index, "delta": {"text": text}, "p": "abcd"});
    let stop = |index: u32| json!({"contentBlockIndex": index});
    let end = json!({"stopReason": "end_turn"});
    let lines =
        |events: &[Value]| -> String { events.iter().map(|event| format!("{event}\n")).collect() };
    let out = strip(
        Format::BedrockConverse,
        &lines(&[
            delta(0, "It is so. [subst"),
            stop(0),
            delta(1, "rate.grep]"),
            stop(1),
            delta(2, " Really."),
            stop(2),
            end.clone(),
        ]),
    );
    assert_eq!(
        out,
        lines(&[
            delta(0, "It is so."),
            stop(0),
            delta(1, " Really."),
            stop(1),
            end
        ])
    );
}

#[test]
fn keep_alives_are_no_evidence() {
    for event in [
        json!({"type": "ping"}),
        json!({"type": "start"}),
        json!({"type": "error", "error": {"message": "x"}}),
        json!({"object": "list", "data": []}),
        json!({"content": "x"}),
        json!({"content": ["x"], "stop": false}),
        json!({"token": {"id": 1}}),
        json!({"generated_text": null}),
        json!({"messageStop": null, "stopReason": "x"}),
        json!({"event_type": "ping"}),
        json!({"id": "x", "parts": "x"}),
        json!({}),
    ] {
        assert_eq!(
            Format::detect(event.to_string().as_bytes()),
            None,
            "{event}"
        );
    }
}

/// Events without text may come from another service than those after them, such as a proxy that adds them.
#[test]
fn a_format_is_settled_by_the_first_text() {
    let first = r#"data: {"type":"start","messageId":"m"}"#;
    let event = r#"data: {"choices":[{"index":0,"delta":{"content":"It is."}}]}"#;
    let stream = format!("{first}\n\n{event}\n\n");
    let mut text = String::new();
    let mut decoder = Decoder::detect();
    decoder.push(stream.as_bytes(), |item| {
        if let Item::Text(delta) = item {
            text.push_str(delta.text());
        }
    });
    assert_eq!(decoder.format(), Some(Format::OpenAiChat));
    assert_eq!(text, "It is.");
}

/// Blocks that begin before the format is settled are not those of another format.
#[test]
fn blocks_of_another_format_are_not_open() {
    let start = |index| json!({"type": "content_block_start", "index": index, "content_block": {"type": "text", "text": ""}});
    let text = |index, text: &str| json!({"contentBlockDelta": {"contentBlockIndex": index, "delta": {"text": text}}});
    let stop = |index| json!({"contentBlockStop": {"contentBlockIndex": index}});
    let stream = sse(&[
        start(0),
        start(1),
        text(0, "It is so."),
        stop(0),
        text(1, " So."),
        stop(1),
        json!({"messageStop": {"stopReason": "end_turn"}}),
    ]);
    let (read, _) = read(&stream);
    let texts: Vec<String> = read.texts.into_values().collect();
    assert_eq!(texts, ["It is so. So."]);
}

#[test]
fn an_array_is_read_after_another_one() {
    let event = |text: &str| json!({"candidates": [{"content": {"parts": [{"text": text}]}}]});
    let [one, two, three] = ["One. ", "Two. ", "Three."].map(event);
    let arrays = format!("[{one},\n{two}]\n[{three}]\n");
    for size in [1, 7, 1_000] {
        let read = Read::of(Decoder::new(Format::Gemini), arrays.as_bytes(), size);
        let texts: Vec<&String> = read.texts.values().collect();
        assert_eq!(texts, ["One. Two. Three."], "chunks of {size}");
        assert_eq!(read.rest, ["end 0"], "chunks of {size}");
    }
}
