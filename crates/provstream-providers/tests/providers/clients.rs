//! Differences that the providers' own clients found in responses made at random (`.ci/sdk`).

use provstream::Parser;
use provstream_providers::{Format, StreamGate, StreamRewriter};
use serde_json::{Value, json};
use testkit::gate::policies::without;
use testkit::wire::output::Output;

const TEXT: &str = "Grüße. [substrate.grep] Ja. [substrate.git.log]";
const CLEAN: &str = "Grüße. Ja.";

/// The body without annotations, given in pieces of three bytes.
fn stripped(format: Format, body: &str) -> String {
    let mut out = Vec::new();
    let mut rewriter = StreamRewriter::new(format, Parser::new());
    for chunk in body.as_bytes().chunks(3) {
        rewriter.push(chunk, Output(&mut out));
    }
    rewriter.finish(Output(&mut out));
    String::from_utf8(out).expect("UTF-8")
}

fn stripped_json(format: Format, body: &Value) -> Value {
    serde_json::from_str(&stripped(format, &body.to_string())).expect("JSON")
}

/// `Ja.` in characters and in bytes, before and after.
const CHARS: [[u64; 2]; 2] = [[24, 27], [7, 10]];
const BYTES: [[u64; 2]; 2] = [[26, 29], [9, 12]];

#[test]
fn offsets_of_a_response_that_is_not_streamed_follow_the_text() {
    let chat = |text: &str, [start, end]: [u64; 2]| {
        json!({"choices": [{"index": 0, "message": {"role": "assistant", "content": text, "annotations":
            [{"type": "url_citation", "url_citation": {"start_index": start, "end_index": end}}]}}]})
    };
    // The annotations come before the text.
    let responses = |text: &str, [start, end]: [u64; 2]| {
        json!({"object": "response", "output": [{"type": "message", "content": [{"type": "output_text", "annotations":
            [{"type": "url_citation", "start_index": start, "end_index": end}], "text": text}]}]})
    };
    let interactions = |text: &str, [start, end]: [u64; 2]| {
        json!({"object": "interaction", "steps": [{"type": "model_output", "content": [{"type": "text", "text": text,
            "annotations": [{"type": "url_citation", "start_index": start, "end_index": end}]}]}]})
    };
    let cohere = |text: &str, [start, end]: [u64; 2]| {
        json!({"finish_reason": "COMPLETE", "message": {"citations": [{"start": start, "end": end, "text": "Ja.",
            "content_index": 1}], "content": [{"type": "thinking", "thinking": "Hm."}, {"type": "text", "text": text}]}})
    };
    let after = |text: &str, [start, end]: [u64; 2]| {
        json!({"finish_reason": "COMPLETE", "message": {"content": [{"type": "text", "text": text}], "citations":
            [{"start": start, "end": end, "text": "Ja.", "content_index": 0}]}})
    };
    type Body<'a> = &'a dyn Fn(&str, [u64; 2]) -> Value;
    let bodies: [(Format, Body<'_>, _); 5] = [
        (Format::OpenAiChat, &chat, CHARS),
        (Format::OpenAiResponses, &responses, CHARS),
        (Format::GeminiInteractions, &interactions, BYTES),
        (Format::Cohere, &cohere, CHARS),
        (Format::Cohere, &after, CHARS),
    ];
    for (format, body, [before, after]) in bodies {
        let out = stripped_json(format, &body(TEXT, before));
        assert_eq!(out, body(CLEAN, after), "{format}");
    }
}

#[test]
fn each_choice_has_offsets_of_its_own() {
    let choice = |index: u64, text: &str, [start, end]: [u64; 2]| {
        json!({"index": index, "message": {"content": text, "annotations":
            [{"type": "url_citation", "url_citation": {"start_index": start, "end_index": end}}]}})
    };
    let body = |first: Value, second: Value| json!({"choices": [first, second]});
    let out = stripped_json(
        Format::OpenAiChat,
        &body(choice(0, TEXT, CHARS[0]), choice(1, CLEAN, CHARS[1])),
    );
    let expected = body(choice(0, CLEAN, CHARS[1]), choice(1, CLEAN, CHARS[1]));
    assert_eq!(out, expected);
}

fn gated(format: Format, body: &str) -> String {
    let mut out = Vec::new();
    let mut gate = StreamGate::new(format, Parser::new(), without("secret"));
    for chunk in body.as_bytes().chunks(3) {
        gate.push(chunk, Output(&mut out));
    }
    gate.finish(Output(&mut out));
    String::from_utf8(out).expect("UTF-8")
}

#[test]
fn the_chunks_of_a_conversation_that_is_not_streamed_are_one_text() {
    let reference =
        json!({"type": "tool_reference", "tool": "web_search", "title": "[substrate.grep]"});
    let body = |texts: [&str; 2]| {
        let [first, second] = texts.map(|text| json!({"type": "text", "text": text}));
        let call = json!({"type": "function.call", "arguments": "[substrate.grep]"});
        json!({"object": "conversation.response", "outputs": [{"type": "message.output", "content":
            [first, reference, second]}, call], "usage": {"total_tokens": 3}})
    };
    let format = Format::MistralConversations;
    let out = stripped_json(format, &body(["It is. [substrate", ".grep] So."]));
    assert_eq!(out, body(["It is.", " So."]));
    let out = gated(
        format,
        &body(["A secret. ", "[substrate.grep] So."]).to_string(),
    );
    assert!(!out.contains("secret") && out.contains("So."), "{out}");
    // Text that is held back at the end is part of the last chunk.
    let out = stripped_json(format, &body(["It is.", " So. [su"]));
    assert_eq!(out, body(["It is.", " So. [su"]));
    let whole = |text: &str| json!({"object": "conversation.response", "outputs": [{"type": "message.output", "content": text}]});
    assert_eq!(stripped_json(format, &whole(TEXT)), whole(CLEAN));
}

#[test]
fn choices_of_legacy_completions_that_begin_one_after_the_other_are_not_one_text() {
    let delta = |index: u64, text: &str| {
        format!("data: {{\"choices\":[{{\"index\":{index},\"text\":\"{text}\"}}]}}\n\n")
    };
    let stream = [
        delta(0, "It is. ["),
        delta(1, "It was. [subs"),
        delta(0, "substrate.grep] So."),
        delta(1, "trate.grep]"),
    ];
    let expected = [
        delta(0, "It is."),
        delta(1, "It was."),
        delta(0, " So."),
        delta(1, ""),
    ];
    assert_eq!(
        stripped(Format::OpenAiChat, &stream.concat()),
        expected.concat()
    );
    // Numbers that count the deltas of one text.
    let counted: Vec<String> = (0..20)
        .map(|index| delta(index, if index == 9 { "[substrate" } else { ".grep]" }))
        .collect();
    let out = stripped(Format::OpenAiChat, &counted.concat());
    assert!(!out.contains("substrate"), "{out}");
}

#[test]
fn the_text_parts_of_a_ui_message_are_one_text() {
    let text = |text: &str| json!({"type": "text", "text": text, "state": "done"});
    let reasoning = json!({"type": "reasoning", "text": "Hm. [substrate.grep]", "state": "done"});
    let tool = json!({"type": "tool-f", "toolCallId": "c", "state": "output-available", "output": "[substrate.grep]"});
    let body = |parts: &[&Value]| json!({"id": "m", "role": "assistant", "parts": parts});
    let format = Format::VercelUi;
    let parts = |texts: [&str; 3]| {
        let [first, second, third] = texts.map(text);
        body(&[&reasoning, &first, &second, &tool, &third])
    };
    let out = stripped_json(
        format,
        &parts(["It is. [substrate", ".grep] So. [subs", "trate.grep]"]),
    );
    // What is held back before a tool call is text.
    assert_eq!(out, parts(["It is.", " So. [subs", "trate.grep]"]));
    let out = gated(
        format,
        &parts(["A secret. ", "[substrate.grep] So.", "Ja. [substrate.grep]"]).to_string(),
    );
    assert!(
        !out.contains("secret") && out.contains("So.") && out.contains("Ja."),
        "{out}"
    );
    let one = |end: &str| body(&[&text(end)]);
    assert_eq!(stripped_json(format, &one(TEXT)), one(CLEAN));
    assert_eq!(stripped_json(format, &one("So. [su")), one("So. [su"));
}
